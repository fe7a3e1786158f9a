//! Help, usage errors, and streams that go away.

use super::program::program;
use super::{Folder, OPEN, outwit, outwit_reading};
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
fn usage_errors_say_what_would_be_right() {
    let folder = Folder::make();
    let area = folder.put("last-of-us/open.txt", OPEN);
    let helpful: &[(&[&str], &str)] = &[
        (&["batch", "-"], "`outwit solve -` solves"),
        (&["batch", &area, "-"], "batch takes files and folders"),
        (&["verify", "-", "-"], "FILE and PLAN are both -"),
        (&["improve", "-", "-"], "FILE and PLAN are both -"),
        (&["solve", "-", "--known", "-"], "FILE and --known are both -"),
        (&["render", "-", "--plan", "-", "-o", "x.svg"], "FILE and --plan are both -"),
        (&["play", "-", "--plan", "-"], "FILE and --plan are both -"),
        (&["solve", &area, "--time", "-1"], "not a time in seconds above 0"),
        (&["solve", &area, "--time=-1"], "not a time in seconds above 0"),
        (&["batch", &area, "--time", "-0.5"], "not a time in seconds above 0"),
        (&["solve", &area, "--memory", "-1"], "'-1' for '--memory <MIB>': not a whole number"),
        (&["solve", &area, "--threads", "x"], "'x' for '--threads <N>': not a whole number"),
        (&["solve", &area, "--threads", "1.5"], "'1.5' for '--threads <N>': not a whole number"),
        (&["solve", &area, "--nodes", "-3"], "'-3' for '--nodes <N>': not a whole number"),
        (&["solve", &area, "--nodes", "99999999999999999999"], "the number is too large"),
        (&["solve", &area, "--seed", "-3"], "'-3' for '--seed <N>': not a whole number"),
        (&["solve", &area, "--level", "-3"], "'-3' for '--level <N>': not a whole number"),
        (&["batch", &area, "--jobs", "-3"], "'--jobs <N>'"),
        (&["play", &area, "--speed", "-3"], "--speed must be a positive number"),
        (&["solve", &area, "--format", "sok"], "last-of-us has no form in .sok files"),
        (&["batch", &area, "--sok", "x.sok"], "last-of-us has no form in .sok files"),
        (&["solve", &area, "--format", "sok", "--json"], "cannot be used with"),
    ];
    for (args, help) in helpful {
        let answer = outwit(args);
        assert_eq!(answer.code, 2, "{args:?}: {}{}", answer.stdout, answer.stderr);
        assert!(answer.stdout.is_empty(), "{args:?}: {}", answer.stdout);
        assert!(answer.stderr.contains(help), "{args:?}: {}", answer.stderr);
    }
    assert!(!folder.path().join("x.sok").exists());
}

#[test]
fn the_statements_own_boards_are_no_levels() {
    let statement = "5 8\n########\n#w.b..+#\n########\n########\n########\nRRR\n0 0\n";
    for args in [&["solve", "-"][..], &["solve", "-", "--game", "sokoban"]] {
        let answer = outwit_reading(args, statement);
        assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{}", answer.stderr);
        assert!(answer.stderr.contains("simulate"), "{args:?}: {}", answer.stderr);
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
