//! The exported programs are compiled, run over areas they know and areas they do not, and what
//! they print is verified.

use outwit::diagnostic::Source;
use outwit::export::{self, ExportError};
use outwit::games::{Area, GameId, GenerateOptions};
use outwit::verify::{Verified, verify};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn read(text: &str) -> Box<dyn Area> {
    GameId::LastOfUs.game().read(&Source::new("area", text)).unwrap().only().unwrap()
}

fn verified(area: &str, plan: &str) -> Verified {
    verify(&*read(area), &Source::new("plan", plan)).unwrap_or_else(|error| panic!("{error:?}"))
}

/// The sample and some generated areas under awkward names, each with its verified plan.
fn known() -> Vec<(String, String, Verified)> {
    let names = ["one", "one-more", "on", "o\"n\\e ??/ }", "\u{e9}t\u{e9} 12", "one-more-12"];
    let families = ["lattice", "lures", "corridors", "traps", "maze2", "open"];
    let mut known = Vec::new();
    for (seed, (name, family)) in names.into_iter().zip(families).enumerate() {
        let mut options = GenerateOptions { seed: seed as u64, ..GenerateOptions::default() };
        options.values.insert("family".into(), family.into());
        let made = GameId::LastOfUs.game().generate(&options).unwrap();
        let area = made.area.replacen(&made.name, name, 1);
        let plan = verified(&area, &made.plan);
        known.push((name.to_string(), area, plan));
    }
    let case = |file: &str| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/last-of-us");
        std::fs::read_to_string(folder.join(file)).unwrap()
    };
    let area = case("area-0-sample.txt");
    let plan = verified(&area, &case("area-0-sample.plan"));
    known.push(("area-0-sample".into(), area, plan));
    known
}

fn table(known: &[(String, String, Verified)]) -> Vec<(String, Verified)> {
    known.iter().map(|(name, _, plan)| (name.clone(), plan.clone())).collect()
}

fn compile(source: &str, file: &str, compiler: &mut Command, folder: &Path) -> PathBuf {
    let path = folder.join(file);
    std::fs::write(&path, source).unwrap();
    let program = folder.join(file.replace('.', "-"));
    let output = compiler.arg(&path).arg("-o").arg(&program).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    program
}

fn run(program: &Path, input: &str) -> String {
    let mut child =
        Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

fn check(program: &Path, known: &[(String, String, Verified)]) {
    for (name, area, plan) in known {
        assert_eq!(run(program, area), plan.text(), "{name}");
        let windows = area.replace('\n', "\r\n");
        assert_eq!(run(program, &windows), plan.text(), "{name} with CRLF");
    }
    check_unknown(program);
}

/// A silent way exists in the first area, none in the second, no way at all in the third.
fn check_unknown(program: &Path) {
    let rows = "E.#.......\n..#...C...\n..........\n..........\n..........\n......C...\n\
                ..........\n..........\n..........\n.........X\n";
    let area = format!("one-mo\n10 10 0\n{rows}");
    verified(&area, &run(program, &area));
    let narrow = rows.replacen("..........", "####.#####", 1).replacen("..C", "C..", 1);
    let shut = rows.replacen("..........", "##########", 1);
    for rows in [narrow, shut] {
        let area = format!("another\n10 10 0\n{rows}");
        let output = run(program, &area);
        outwit::games::last_of_us::format::read_plan(&Source::new("output", output)).unwrap();
    }
    assert_eq!(run(program, ""), "1\nw 0 0\n");
    assert_eq!(run(program, "x\n10 10 0\nE\n\n..X"), "1\nw 0 0\n");
}

#[test]
fn the_rust_program_prints_verified_plans() {
    let known = known();
    let source = export::rust(&table(&known)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    if Command::new(&rustc).arg("--version").output().is_err() {
        println!("skipped: no rustc");
        return;
    }
    let mut compiler = Command::new(rustc);
    compiler.args(["-O", "--edition", "2018", "--crate-name", "solution"]);
    check(&compile(&source, "solution.rs", &mut compiler, folder.path()), &known);
}

#[test]
fn the_cpp_program_prints_verified_plans() {
    let known = known();
    let source = export::cpp(&table(&known)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    if Command::new("g++").arg("--version").output().is_err() {
        println!("skipped: no g++");
        return;
    }
    let mut compiler = Command::new("g++");
    compiler.args(["-O2", "-std=c++11", "-Wall", "-Wextra"]);
    check(&compile(&source, "solution.cpp", &mut compiler, folder.path()), &known);
}

#[test]
fn two_plans_of_one_name_are_refused_and_one_plan_twice_is_not() {
    let known = known();
    let (name, _, plan) = &known[0];
    let twice = [(name.clone(), plan.clone()), (name.clone(), plan.clone())];
    assert_eq!(
        export::rust(&twice).unwrap(),
        export::rust(&twice[..1]).unwrap(),
        "the same plan twice is the same table"
    );
    let clash = [(name.clone(), plan.clone()), (name.clone(), known[1].2.clone())];
    assert!(matches!(export::cpp(&clash), Err(ExportError::SameName(n)) if n == *name));
}

#[test]
fn an_empty_table_compiles_to_a_program_that_walks() {
    let source = export::rust(&[]).unwrap();
    assert!(!source.contains("@TABLE@"));
    let folder = tempfile::tempdir().unwrap();
    if Command::new("g++").arg("--version").output().is_err() {
        println!("skipped: no g++");
        return;
    }
    let mut compiler = Command::new("g++");
    compiler.args(["-O2", "-std=c++11"]);
    let source = export::cpp(&[]).unwrap();
    check_unknown(&compile(&source, "solution.cpp", &mut compiler, folder.path()));
}
