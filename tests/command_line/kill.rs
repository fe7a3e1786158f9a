//! A batch that is killed at any moment leaves only whole files, and the next one goes on.

use super::program::program;
use super::{Folder, OPEN, OPEN_PLAN, outwit};
use outwit::batch::record;
use std::collections::BTreeMap;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const AREAS: usize = 300;

fn start(folder: &Folder) -> Child {
    Command::new(program())
        .args(["batch", &folder.at("areas"), "--out", &folder.at("solutions")])
        .args(["--nodes", "20000", "--jobs", "2"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn plans(folder: &Folder) -> usize {
    std::fs::read_dir(folder.path().join("solutions/last-of-us")).map_or(0, Iterator::count)
}

/// Every file is whole: plans are the plan, records can be read.
fn check_whole(folder: &Folder) {
    for file in folder.files().into_iter().filter(|file| file.starts_with(folder.at("solutions"))) {
        let name = file.file_name().unwrap().to_str().unwrap();
        let content = std::fs::read_to_string(&file).unwrap();
        match name {
            name if name.ends_with(".plan") => assert_eq!(content, OPEN_PLAN, "{name}"),
            ".batch.json" => {
                let (records, faults) = record::load(file.parent().unwrap(), &BTreeMap::new());
                assert!(!records.is_empty() && faults.is_empty(), "{faults:?}");
            }
            "INDEX.md" => assert!(content.contains("areas, "), "{content}"),
            ".batch.lock" => {}
            name => assert!(name.starts_with(".outwit-") && name.ends_with(".tmp"), "{name}"),
        }
    }
}

#[test]
fn killed_at_any_moment_it_leaves_whole_files_and_the_next_run_goes_on() {
    let folder = Folder::make();
    for number in 0..AREAS {
        folder.put(&format!("areas/last-of-us/n{number:03}.txt"), OPEN);
    }
    let mut killed_midway = 0;
    for wanted in [1, 20, 60, 100, 200] {
        let mut child = start(&folder);
        while plans(&folder) < wanted && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_micros(200));
        }
        // On Unix this is SIGKILL: nothing of the process runs after it.
        child.kill().unwrap();
        killed_midway += usize::from(child.wait().unwrap().code().is_none());
        check_whole(&folder);
    }
    assert!(killed_midway > 0, "no run was killed before its end");
    let last = outwit(&[
        "batch",
        &folder.at("areas"),
        "--out",
        &folder.at("solutions"),
        "--nodes",
        "20000",
    ]);
    assert_eq!(last.code, 0, "{}", last.stderr);
    check_whole(&folder);
    let left: Vec<_> = folder.files().into_iter().filter(|f| f.ends_with(".tmp")).collect();
    assert!(left.is_empty(), "{left:?}");
    assert_eq!(plans(&folder), AREAS);
    assert!(folder.get("solutions/INDEX.md").contains("300 areas, 300 solved"));
}

/// Exit code and time of the program, whose terminal is hung up while it searches.
#[cfg(target_os = "linux")]
fn hung_up(start: &str, args: &[&str]) -> (Option<i32>, Duration) {
    let started = std::time::Instant::now();
    let mut child = Command::new("sh")
        .args(["-c", start])
        .arg(program())
        .args(args)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(700));
    let sent = Command::new("kill").args(["-HUP", &child.id().to_string()]).status();
    assert!(sent.unwrap().success());
    (child.wait().unwrap().code(), started.elapsed())
}

#[cfg(target_os = "linux")]
#[test]
fn under_nohup_a_search_goes_on_when_its_terminal_is_hung_up() {
    const HARD: &str = "areas/last-of-us/caves-500x500-1008.txt";
    let folder = Folder::make();
    let out = folder.at("solutions");
    let solve = ["solve", HARD, "--time", "3"];
    let batch = ["batch", HARD, "--time", "3", "--out", &out];
    for args in [&solve[..], &batch] {
        let (code, took) = hung_up("trap '' HUP; exec \"$0\" \"$@\"", args);
        // A slow machine has no plan by then.
        assert!(matches!(code, Some(0 | 3)), "{args:?}: {code:?}");
        assert!(took > Duration::from_millis(2700), "{args:?}: {took:?}");
    }
    if crate::hang_ups::are_ignored() {
        println!("skipped: the tests themselves run under nohup, so that nothing can be hung up");
        return;
    }
    let (_, took) = hung_up("exec \"$0\" \"$@\"", &["solve", HARD, "--time", "60"]);
    assert!(took < Duration::from_secs(30), "who has not asked for that is ended: {took:?}");
}
