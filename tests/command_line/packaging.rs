//! `outwit completions` and `outwit manual`: what a package of the program brings along.

use super::{Folder, commands, outwit};
use std::io::Write;
use std::process::{Command, Stdio};

#[test]
fn every_shell_completes_every_command() {
    let commands = commands();
    assert!(commands.len() > 10, "{commands:?}");
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = outwit(&["completions", shell]);
        assert_eq!(script.code, 0, "{shell}: {}", script.stderr);
        for command in &commands {
            assert!(script.stdout.contains(command), "{shell} does not know {command}");
        }
    }
    assert_eq!(outwit(&["completions", "cmd.exe"]).code, 2);
}

/// The words that bash offers after a line.
fn completed(line: &str) -> Option<String> {
    let script = outwit(&["completions", "bash"]).stdout;
    let ask = format!(
        "{script}\nCOMP_WORDS=({line} ''); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))\n\
         _outwit outwit '' ''; echo \"${{COMPREPLY[@]}}\"\n"
    );
    let mut bash = Command::new("bash")
        .args(["--noprofile", "--norc"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    bash.stdin.take()?.write_all(ask.as_bytes()).ok()?;
    let output = bash.wait_with_output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn bash_offers_the_commands_and_the_games() {
    let Some(words) = completed("outwit") else {
        eprintln!("skipped: there is no bash");
        return;
    };
    let offered: Vec<&str> = words.split_whitespace().collect();
    for command in commands() {
        assert!(offered.contains(&command.as_str()), "{command}: {words}");
    }
    let words = completed("outwit generate").unwrap();
    assert!(words.contains("last-of-us") && words.contains("sokoban"), "{words}");
}

#[test]
fn every_command_has_a_man_page() {
    let folder = Folder::make();
    let answer = outwit(&["manual", &folder.at("man1")]);
    assert_eq!((answer.code, answer.stdout.as_str()), (0, ""), "{}", answer.stderr);
    for command in commands() {
        let page = folder.get(&format!("man1/outwit-{command}.1"));
        assert!(
            page.contains(&format!("outwit\\-{command}")) && page.contains("EXIT CODE"),
            "{page}"
        );
    }
    assert!(folder.get("man1/outwit.1").contains(".SH SUBCOMMANDS"));
    assert!(folder.get("man1/outwit-generate-sokoban.1").contains("seed"));
    let file = folder.put("file", "");
    assert_eq!(outwit(&["manual", &format!("{file}/man1")]).code, 2);
}
