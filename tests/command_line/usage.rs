//! Help, usage errors, and streams that go away.

use super::program::program;
use super::{Folder, OPEN, outwit};
use std::process::{Command, Stdio};

const COMMANDS: &[&str] =
    &["solve", "verify", "improve", "batch", "generate", "simulate", "export"];

#[test]
fn every_command_has_help_with_examples_and_exit_codes() {
    for command in COMMANDS {
        let help = outwit(&[command, "--help"]);
        assert_eq!(help.code, 0);
        assert!(help.stdout.contains("EXAMPLES"), "{command}: {}", help.stdout);
        assert!(help.stdout.contains("EXIT CODE"), "{command}: {}", help.stdout);
        assert!(help.stderr.is_empty());
    }
    let all = outwit(&["--help"]).stdout;
    assert!(COMMANDS.iter().all(|command| all.contains(command)), "{all}");
}

#[test]
fn usage_errors_are_code_2_and_on_stderr() {
    let folder = Folder::make();
    let area = folder.put("last-of-us/open.txt", OPEN);
    let bad: &[&[&str]] = &[
        &[],
        &["what"],
        &["solve"],
        &["solve", &area, "--time", "0"],
        &["solve", &area, "--time", "-1"],
        &["solve", &area, "--time", "nan"],
        &["solve", &area, "--time", "inf"],
        &["solve", &area, "--time", "1e300"],
        &["solve", &area, "--memory", "0"],
        &["solve", &area, "--memory", "18446744073709551615"],
        &["solve", &area, "--threads", "0"],
        &["solve", &area, "--threads", "99999"],
        &["solve", &area, "--nodes", "0"],
        &["solve", &area, "--level", "0"],
        &["solve", &area, "--level", "2"],
        &["solve", &area, "--level", "18446744073709551615"],
        &["solve", &area, "--game", "chess"],
        &["solve", &area, "--optimal=beauty"],
        &["solve", "no-such-file"],
        &["verify", &area],
        &["batch", "--shard", "0/3"],
        &["batch", "--jobs", "0"],
        &["generate", "chess"],
        &["generate", "last-of-us", "--count", "0"],
        &["generate", "last-of-us", "--count", "2"],
        &["simulate", "chess"],
        &["export", "cobol"],
    ];
    for args in bad {
        let answer = outwit(args);
        assert_eq!(answer.code, 2, "{args:?}: {}{}", answer.stdout, answer.stderr);
        assert!(answer.stdout.is_empty(), "{args:?}: {}", answer.stdout);
        assert!(!answer.stderr.is_empty(), "{args:?}");
    }
}

#[test]
fn which_game_it_is_is_said_or_asked() {
    let folder = Folder::make();
    let file = folder.put("unlike-anything.txt", "what is this\n");
    let answer = outwit(&["solve", &file]);
    assert_eq!(answer.code, 2);
    assert!(answer.stderr.contains("--game"), "{}", answer.stderr);
    let file = folder.put("elsewhere/open.txt", OPEN);
    assert_eq!(outwit(&["solve", &file, "--nodes", "1000"]).code, 0, "told by its content");
    let file = folder.put("last-of-us/more/bad.txt", "what is this\n");
    let answer = outwit(&["solve", &file]);
    assert!(answer.stderr.contains("bad.txt:"), "told by its folder: {}", answer.stderr);
}

#[test]
fn a_reader_that_goes_away_is_no_panic() {
    let commands: &[&[&str]] =
        &[&["--help"], &["generate", "last-of-us"], &["generate", "last-of-us", "--help"]];
    for args in commands {
        let mut child = Command::new(program())
            .args(*args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(!stderr.contains("panicked"), "{args:?}: {stderr}");
        assert_eq!(output.status.code(), Some(0), "{args:?}: {stderr}");
    }
}
