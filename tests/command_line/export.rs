//! `outwit export`: the source files compile as they are and print the plans.

use super::{Folder, outwit};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Areas with plans, as `outwit batch` leaves them.
fn folder_with_plans() -> Folder {
    let folder = Folder::make();
    let out = folder.at("areas/last-of-us");
    assert_eq!(outwit(&["generate", "last-of-us", "--count", "6", "-o", &out]).code, 0);
    std::fs::create_dir_all(folder.path().join("solutions/last-of-us")).unwrap();
    for plan in folder.files().iter().filter(|f| f.extension().unwrap() == "plan") {
        let there = folder.path().join("solutions/last-of-us").join(plan.file_name().unwrap());
        std::fs::rename(plan, there).unwrap();
    }
    folder
}

fn export(folder: &Folder, language: &str, file: &str) -> PathBuf {
    let out = folder.at(file);
    let answer = outwit(&[
        "export",
        language,
        &folder.at("areas"),
        "--solutions",
        &folder.at("solutions"),
        "-o",
        &out,
    ]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(answer.stderr.contains("6 plans"), "{}", answer.stderr);
    out.into()
}

/// Runs a compiled submission on an area.
fn submit(program: &Path, area: &str) -> (bool, String) {
    let mut command = assert_cmd::Command::new(program);
    let output = command.write_stdin(area).output().unwrap();
    (output.status.success(), String::from_utf8(output.stdout).unwrap())
}

fn check(folder: &Folder, program: &Path) {
    let areas = folder.files().into_iter().filter(|f| f.extension().is_some_and(|e| e == "txt"));
    let mut count = 0;
    for area in areas {
        let text = std::fs::read_to_string(&area).unwrap();
        let name = area.file_stem().unwrap().to_str().unwrap();
        let plan = folder.get(&format!("solutions/last-of-us/{name}.plan"));
        assert_eq!(submit(program, &text), (true, plan.clone()), "{name}");
        let windows = text.replace('\n', "\r\n") + "\r\n";
        assert_eq!(submit(program, &windows), (true, plan), "{name} with CRLF");
        count += 1;
    }
    assert_eq!(count, 6);
}

#[test]
fn the_rust_file_compiles_and_prints_the_plans() {
    let folder = folder_with_plans();
    let source = export(&folder, "rust", "submission.rs");
    let program = folder.path().join("submission-rust");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    // The oldest edition that judges are known to run.
    let output = Command::new(rustc)
        .args(["-O", "--edition", "2018", "-o"])
        .args([&program, &source])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    check(&folder, &program);
}

#[test]
fn the_cpp_file_compiles_and_prints_the_plans() {
    let there = Command::new("g++").arg("--version").stdout(Stdio::null()).status();
    if !there.is_ok_and(|status| status.success()) {
        println!("skipped: there is no g++");
        return;
    }
    let folder = folder_with_plans();
    let source = export(&folder, "cpp", "submission.cpp");
    let program = folder.path().join("submission-cpp");
    let output = Command::new("g++")
        .args(["-O2", "-std=c++11", "-Wall", "-Wextra", "-Werror", "-o"])
        .args([&program, &source])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    check(&folder, &program);
}

#[test]
fn plans_that_do_not_hold_are_left_out() {
    let folder = folder_with_plans();
    for file in folder.files().iter().filter(|f| f.extension().unwrap() == "plan") {
        std::fs::write(file, "1\nw 0 0\n").unwrap();
    }
    let answer =
        outwit(&["export", "rust", &folder.at("areas"), "--solutions", &folder.at("solutions")]);
    assert_eq!((answer.code, answer.stdout.as_str()), (2, ""));
    assert!(answer.stderr.contains("left out"), "{}", answer.stderr);
}

/// A level with a plan that walks first and pushes then.
const CORRIDOR: &str = "######\n#@ $.#\n######\n";

#[test]
fn a_level_goes_out_as_pddl_and_a_plan_comes_back() {
    let folder = Folder::make();
    let level = folder.put("sokoban/corridor.xsb", CORRIDOR);
    let keys = folder.put("keys.plan", "rR\n");
    let out = folder.at("pddl");
    let answer = outwit(&["export", "pddl", &level, "--plan", &keys, "-o", &out]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(folder.get("pddl/domain.pddl").contains("(:action push-to-goal"));
    assert_eq!(folder.get("pddl/problem.pddl"), outwit(&["export", "pddl", &level]).stdout);

    let plan = folder.at("pddl/plan");
    let answer = outwit(&["verify", &level, &plan, "--pddl"]);
    assert_eq!((answer.code, answer.stdout.as_str()), (0, "valid length 1, pushes 1, moves 2\n"));
    let wrong = folder.get("pddl/plan").replace("stone-1", "stone-2");
    let wrong = folder.put("wrong", wrong);
    let answer = outwit(&["verify", &level, &wrong, "--pddl"]);
    assert_eq!(answer.code, 1, "{}", answer.stderr);
    assert!(answer.stdout.starts_with("invalid step 2 (line 2: "), "{}", answer.stdout);
    let answer = outwit(&["verify", &level, &keys, "--pddl"]);
    assert_eq!(answer.code, 2);
    assert!(answer.stderr.contains("keys.plan:1:1: this is no action"), "{}", answer.stderr);
}

#[test]
fn games_without_a_form_in_pddl_say_so() {
    let folder = Folder::make();
    let area = folder.put("last-of-us/open.txt", super::OPEN);
    let answer = outwit(&["export", "pddl", &area]);
    assert_eq!((answer.code, answer.stdout.as_str()), (2, ""));
    assert!(answer.stderr.contains("last-of-us has no form in PDDL"), "{}", answer.stderr);
}
