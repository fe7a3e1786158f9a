//! Every example of every help text, and of the README, does what it says: it runs as it stands. The guide's print
//! what it says that they print.
//!
//! An example runs in a folder of its own that has the areas and plans it names, and a few small
//! ones. Times and counts are cut short, ports and databases are the test's own; nothing else is
//! changed.

use super::program::program;
use super::{Folder, outwit};
use outwit::games::GameId;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// What every search may take, in seconds.
const SEARCH_SECONDS: &str = "0.3";
/// No example takes longer.
const PATIENCE: Duration = Duration::from_secs(120);
/// So many of each game's smallest areas are there for examples that take whole folders.
const SMALLEST: usize = 2;
/// So many areas are made by examples that make several.
const MADE: &str = "2";
/// What examples call that may be missing on a machine.
const TOOLS: &[&str] = &["jq", "rustc", "g++", "curl", "script"];
/// A database that is nowhere but in the texts.
const DATABASE: &str = "postgres://outwit@db/outwit";

/// The commands that the binary has, the kinds of `generate` among them.
fn commands() -> Vec<Vec<String>> {
    let commands = super::commands().into_iter().map(|name| vec![name]);
    let games = GameId::ALL.iter().map(|game| vec!["generate".into(), game.to_string()]);
    commands.chain(games).collect()
}

/// The lines of a text's examples, without their comments; lines that go on are joined.
fn join(lines: &[&str]) -> Vec<String> {
    let mut joined: Vec<String> = Vec::new();
    let mut open = false;
    for line in lines {
        let line = line.split("  #").next().unwrap_or_default().trim();
        let (part, goes_on) = line.strip_suffix('\\').map_or((line, false), |part| (part, true));
        match joined.last_mut().filter(|_| open) {
            Some(last) => last.push_str(part),
            None if part.is_empty() || part.starts_with('#') => {}
            None => joined.push(part.to_string()),
        }
        open = goes_on;
    }
    joined
}

/// The examples of a help text.
fn examples(help: &str) -> Vec<String> {
    let block = help.lines().skip_while(|line| *line != "EXAMPLES").skip(1);
    let block = block.take_while(|line| line.is_empty() || line.starts_with(' '));
    join(&block.collect::<Vec<_>>())
}

/// The examples of the README: blocks of lines that call `outwit` and what is installed.
fn readme_examples() -> Vec<String> {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let blocks = readme.split("\n```").skip(1).step_by(2);
    let blocks = blocks.filter_map(|block| block.strip_prefix("sh\n"));
    let blocks = blocks.map(|block| join(&block.lines().collect::<Vec<_>>()));
    let known = |line: &String| line.starts_with("outwit ") || line.starts_with("cat ");
    blocks.filter(|lines| lines.iter().all(known)).flatten().collect()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The files below areas/ and solutions/ whose names match a word, which may have one `*`.
fn named(word: &str) -> Vec<PathBuf> {
    let (before, after) = word.split_once('*').unwrap_or((word, ""));
    let is_named = |path: &Path| {
        let path = path.strip_prefix(root()).unwrap().to_str().unwrap();
        path == word || (word.contains('*') && path.starts_with(before) && path.ends_with(after))
    };
    let folders = ["areas", "solutions"].map(|folder| walkdir::WalkDir::new(root().join(folder)));
    let files = folders.into_iter().flatten().map(|entry| entry.unwrap().into_path());
    files.filter(|path| path.is_file() && is_named(path)).collect()
}

/// A folder with the areas and plans that examples name, and small ones of every game.
fn folder_for(lines: &[String]) -> Folder {
    let folder = Folder::make();
    let words = lines.iter().flat_map(|line| line.split_whitespace());
    let mut files: Vec<PathBuf> = words.flat_map(named).collect();
    for game in GameId::ALL {
        let all = std::fs::read_dir(root().join("areas").join(game.name())).unwrap();
        let mut all: Vec<PathBuf> = all.map(|entry| entry.unwrap().path()).collect();
        all.sort_by_key(|path| (path.metadata().unwrap().len(), path.clone()));
        files.extend(all.into_iter().take(SMALLEST));
        folder.put(&format!("solutions/{game}/.keep"), "");
        folder.put(&format!("areas/{game}/.keep"), "");
    }
    for area in files.clone() {
        let stem = area.with_extension("plan");
        let plan = stem.strip_prefix(root().join("areas"));
        let plan = plan.map(|plan| root().join("solutions").join(plan));
        files.extend(plan.ok().filter(|plan| plan.is_file()));
    }
    for file in files {
        let name = file.strip_prefix(root()).unwrap().to_str().unwrap();
        folder.put(name, std::fs::read(&file).unwrap());
    }
    folder.put("token", "open sesame\n");
    folder.put("location", "store.db\n");
    std::fs::create_dir(folder.path().join("bin")).unwrap();
    std::os::unix::fs::symlink(program(), folder.path().join("bin/outwit")).unwrap();
    folder
}

/// The example as it can run here: short times, few areas, ports and databases of the test's own.
fn adapted(line: &str, host: &str) -> String {
    let line = line.replace(DATABASE, "store.db").replace("/etc/outwit.token", "token");
    let line = line.replace("/etc/outwit/store", "location");
    let line = line.replace("localhost:8080", host).replace("curl -s", "curl -sS --fail");
    let mut words: Vec<&str> = line.split(' ').collect();
    let mut after = "";
    for word in &mut words {
        match after {
            "--time" => *word = SEARCH_SECONDS,
            "--count" => *word = MADE,
            "--listen" => *word = "127.0.0.1:0",
            _ => {}
        }
        after = word;
    }
    let line = words.join(" ");
    match line.strip_prefix("outwit serve") {
        Some(rest) if !rest.contains("--listen") => {
            format!("outwit serve --listen 127.0.0.1:0{rest}")
        }
        _ => line,
    }
}

/// Starts an example.
fn start(folder: &Folder, line: &str) -> Child {
    let path = std::env::var("PATH").unwrap_or_default();
    Command::new("bash")
        .args(["-o", "pipefail", "-c", line])
        .current_dir(folder.path())
        .env("PATH", format!("{}:{path}", folder.at("bin")))
        .env("SLURM_ARRAY_TASK_ID", "1")
        .env("TERM", "xterm")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("bash is there")
}

/// Waits for the end of an example.
fn wait(mut child: Child, line: &str) -> Output {
    let (mut stdout, mut stderr) = (child.stdout.take().unwrap(), child.stderr.take());
    let errors = std::thread::spawn(move || {
        let mut text = Vec::new();
        stderr.as_mut().map(|stderr| stderr.read_to_end(&mut text));
        text
    });
    let words = std::thread::spawn(move || {
        let mut text = Vec::new();
        let _ = stdout.read_to_end(&mut text);
        text
    });
    let started = Instant::now();
    let status = loop {
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None if started.elapsed() > PATIENCE => {
                let _ = child.kill();
                panic!("it does not end: {line}");
            }
            None => std::thread::sleep(Duration::from_millis(10)),
        }
    };
    Output { status, stdout: words.join().unwrap(), stderr: errors.join().unwrap() }
}

/// Starts what runs until it is stopped, and waits until it says that it does.
fn start_server(folder: &Folder, line: &str) -> (Child, String) {
    let mut child = start(folder, &format!("exec {line}"));
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut told = String::new();
    let host = loop {
        let from = told.len();
        let read = stderr.read_line(&mut told).unwrap();
        assert!(read > 0, "{line}: it ended: {told}");
        if let Some((_, host)) = told[from..].trim_end().split_once("listening on http://") {
            break host.to_string();
        }
        if told.contains("at a time") {
            break String::new();
        }
    };
    // Somebody has to read on, or it would wait for it.
    std::thread::spawn(move || std::io::copy(&mut stderr, &mut std::io::sink()));
    (child, host)
}

/// Stops what runs until it is stopped.
fn stop(mut child: Child, line: &str) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.unwrap().success());
    drop(child.stdin.take());
    let status = child.wait().unwrap();
    assert!(status.success(), "{line}: {status}");
}

/// Whether everything is there that an example needs; what is missing is named.
fn can_run(line: &str) -> bool {
    if !cfg!(feature = "service") && line.contains("--store") {
        eprintln!("skipped, the service is not built in: {line}");
        return false;
    }
    let is_there = |tool: &str| {
        let found = Command::new("bash").args(["-c", &format!("command -v {tool}")]).output();
        found.is_ok_and(|found| found.status.success())
    };
    let needed = TOOLS.iter().filter(|tool| line.split(' ').any(|word| word == **tool));
    let missing: Vec<_> = needed.filter(|tool| !is_there(tool)).collect();
    if !missing.is_empty() {
        eprintln!("skipped, {missing:?} not there: {line}");
    }
    missing.is_empty()
}

/// Runs an example to its end and looks at how it ends.
fn run(folder: &Folder, line: &str) {
    let plays = line.starts_with("outwit play");
    let line = match plays {
        true => format!("script -qec '{line}' /dev/null"),
        false => line.to_string(),
    };
    if !can_run(&line) {
        return;
    }
    let mut child = start(folder, &line);
    let mut stdin = child.stdin.take().unwrap();
    if plays {
        // The key that leaves; the terminal has to stay open until then.
        stdin.write_all(b"q").unwrap();
    }
    let keep = plays.then_some(stdin);
    let started = Instant::now();
    let output = wait(child, &line);
    println!("{:5.1} s  {line}", started.elapsed().as_secs_f64());
    drop(keep);
    let stderr = String::from_utf8_lossy(&output.stderr);
    let stdout = String::from_utf8_lossy(&output.stdout);
    // 1 is "no" and 3 "not in the budget", which the examples' budgets are cut for.
    let code = output.status.code();
    assert!(matches!(code, Some(0 | 1 | 3)), "{line}: {code:?}\n{stderr}\n{stdout}");
    assert!(!stderr.contains("panicked") && !stdout.contains("panicked"), "{line}: {stderr}");
}

/// Runs the examples of one text, one after the other.
fn run_all(lines: &[String]) {
    let folder = folder_for(lines);
    let server = "outwit serve --listen 127.0.0.1:0 --store curl.db";
    let calls = lines.iter().any(|line| line.starts_with("curl"));
    let server = calls.then(|| start_server(&folder, server));
    let host = server.as_ref().map_or("", |(_, host)| host);
    for line in lines {
        let line = adapted(line, host);
        if line.starts_with("outwit serve") || line.starts_with("outwit worker") {
            stop(start_server(&folder, &line).0, &line);
        } else if line.contains("--store store.db") && can_run(&line) {
            let worker = "outwit worker --store store.db";
            let working = start_server(&folder, worker).0;
            run(&folder, &line);
            stop(working, worker);
        } else {
            run(&folder, &line);
        }
    }
    if let Some((child, _)) = server {
        stop(child, "the server that is called");
    }
}

#[test]
fn examples_of_every_help_text_run() {
    for command in commands() {
        let mut args: Vec<&str> = command.iter().map(String::as_str).collect();
        args.push("--help");
        let help = outwit(&args).stdout;
        let lines = examples(&help);
        assert!(lines.iter().any(|line| line.contains("outwit ")), "{command:?}: {help}");
        run_all(&lines);
    }
}

#[test]
fn examples_of_the_readme_run() {
    let lines = readme_examples();
    assert!(lines.len() > 10, "{lines:?}");
    run_all(&lines);
}

/// Its pictures, too, are those that this program draws, and its links lead somewhere.
#[test]
fn examples_of_the_guide_print_what_it_says() {
    let guide =
        Command::new(root().join("scripts/guide")).arg("--check").env("OUTWIT", program()).output();
    let guide = guide.expect("bash is there");
    let differences = String::from_utf8_lossy(&guide.stdout);
    let errors = String::from_utf8_lossy(&guide.stderr);
    assert!(
        guide.status.success(),
        "after a change of a search run scripts/guide:\n{differences}\n{errors}"
    );
}

#[test]
fn an_example_that_errs_is_noticed() {
    let lines = ["outwit solve no-such-file.txt".to_string()];
    let run = std::panic::catch_unwind(|| run_all(&lines));
    assert!(run.is_err());
}
