//! A crate that depends on this one. It is made outside of the repository and has three programs: the two of README.md,
//! which solve a level and run A* on a space of their own, and one that passes errors on by `anyhow`.
//!
//! It is built offline, with the versions of this crate's lock file, in a folder of its own among what is
//! built here, so that only the first time takes long.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Lines that each of the programs may have, without empty ones.
const MOST_LINES: [usize; 2] = [14, 30];

/// A program that solves the level in the file that it is given, and says what went wrong where it cannot.
const WITH_ANYHOW: &str = r#"
use anyhow::{Context, Result};
use outwit::{diagnostic::Source, games::Objective, search::Run};

fn main() -> Result<()> {
    let path = std::env::args().nth(1).context("which file?")?;
    let level = outwit::read(&path)?.only().with_context(|| format!("{path} has several"))?;
    let solved = outwit::solve(&*level, &Objective::OPTIMAL, &Run::seconds(1.0));
    let plan = solved.plan().context("no plan in a second")?;
    let mut game = level.session();
    for step in level.steps(&Source::new("plan", plan.text()))? {
        game.act(&step.text)?;
    }
    println!("{}", outwit::verify(&*level, plan.text())?.length(None));
    Ok(())
}
"#;

/// The Rust programs of the README, in order, and the one with `anyhow`.
fn programs() -> Vec<String> {
    let readme = std::fs::read_to_string(root().join("README.md")).expect("README.md");
    let blocks = readme.split("```rust\n").skip(1);
    let texts = blocks.filter_map(|block| block.split("```\n").next());
    texts
        .filter(|text| text.contains("fn main()"))
        .chain([WITH_ANYHOW])
        .map(str::to_owned)
        .collect()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Writes the crate into a folder.
fn write_crate(folder: &Path, programs: &[String]) {
    let manifest = format!(
        "[package]\nname = \"newcomer\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\nanyhow = \"1\"\n\
         outwit = {{ path = {:?}, default-features = false }}\n\n[profile.dev]\ndebug = false\n\n[workspace]\n",
        root()
    );
    std::fs::create_dir_all(folder.join("src/bin")).expect("a folder");
    std::fs::write(folder.join("Cargo.toml"), manifest).expect("a manifest");
    std::fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock")).expect("a lock file");
    for (number, program) in programs.iter().enumerate() {
        std::fs::write(folder.join(format!("src/bin/program{number}.rs")), program)
            .expect("a program");
    }
}

/// Runs a program of the crate. Returns its output, or its error where it fails.
fn run(folder: &Path, number: usize, args: &[&str]) -> Result<String, String> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(root().join("target"), PathBuf::from);
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(folder).args(["run", "--quiet", "--offline", "--bin"]);
    cargo.arg(format!("program{number}")).env("CARGO_TARGET_DIR", target.join("fresh-crate"));
    let output = cargo.arg("--").args(args).output().expect("cargo runs");
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
}

#[test]
fn a_crate_of_its_own_solves_a_level_and_searches_a_space() {
    let programs = programs();
    for (program, most) in programs.iter().zip(MOST_LINES) {
        let lines = program.lines().filter(|line| !line.trim().is_empty()).count();
        assert!(lines <= most, "{lines} lines of at most {most}:\n{program}");
    }
    let folder = std::env::temp_dir().join(format!("outwit-newcomer-{}", std::process::id()));
    write_crate(&folder, &programs);
    let solved = run(&folder, 0, &[]).expect("the level is solved");
    let searched = run(&folder, 1, &[]).expect("the space is searched");
    std::fs::write(folder.join("one.xsb"), "#####\n#@$.#\n#####\n").expect("a level");
    std::fs::write(folder.join("bad.xsb"), "#####\n#@$!#\n#####\n").expect("a level");
    let [one, bad, none] = ["one.xsb", "bad.xsb", "none.xsb"].map(|name| run(&folder, 2, &[name]));
    let unnamed = run(&folder, 2, &[]);
    std::fs::remove_dir_all(&folder).expect("the folder goes away");
    assert_eq!(one.as_deref(), Ok("1\n"));
    for (error, part) in [(bad, "bad.xsb:2:4"), (none, "none.xsb"), (unnamed, "which file?")] {
        assert!(error.as_ref().is_err_and(|error| error.contains(part)), "{error:?}");
    }
    assert!(solved.starts_with("1 push, optimal: R\nrefused: step 1"), "{solved}");
    assert!(searched.starts_with("optimal in 6: [\"fill the 5\", \"5 to 3\""), "{searched}");
}
