//! What docs/SERVICE.md tells people to type.

use crate::harness::{SAMPLE, SAMPLE_PLAN, Server, Store, root};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Where the document thinks that the server is.
const HOST: &str = "localhost:8080";
/// The programs that its commands need.
const NEEDED: [&str; 3] = ["bash", "curl", "jq"];

/// The commands of the block with curl in it, each as one text.
fn commands() -> Vec<String> {
    let document = std::fs::read_to_string(root().join("docs/SERVICE.md")).unwrap();
    // What is between fences is every second piece.
    let block = document.split("```").skip(1).step_by(2).find(|block| block.contains("curl"));
    let mut commands = vec![String::new()];
    for line in block.expect("there is a block with curl").lines() {
        let command = commands.last_mut().unwrap();
        command.push_str(line);
        command.push('\n');
        let goes_on = line.ends_with('\\') || line.ends_with('|');
        if !goes_on {
            commands.push(String::new());
        }
    }
    let is_one = |command: &String| !command.trim().is_empty() && !command.starts_with('#');
    commands.into_iter().filter(is_one).collect()
}

/// Runs a command, and gives what it writes.
fn run(command: &str, folder: &Path) -> String {
    let output = Command::new("bash").args(["-c", command]).current_dir(folder).output().unwrap();
    let (said, told) = (String::from_utf8(output.stdout), String::from_utf8(output.stderr));
    let (said, told) = (said.unwrap(), told.unwrap());
    assert!(output.status.success(), "{command}\n{said}\n{told}");
    said
}

#[test]
fn the_commands_of_the_document_do_what_it_says() {
    let is_there = |name: &&str| {
        Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success())
    };
    if let Some(missing) = NEEDED.iter().find(|name| !is_there(name)) {
        eprintln!("skipped: there is no {missing}");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("area.txt"), SAMPLE).unwrap();
    std::fs::write(folder.path().join("mine.plan"), SAMPLE_PLAN).unwrap();
    let store = Store::in_folder(tempfile::tempdir().unwrap());
    let server = Server::start(&store, &[]);
    // What is known of the area's plans comes in a moment.
    while server.get("/v1/areas/last-of-us/area-0-sample/plan").status != 200 {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let (mut job, mut said) = (Value::Null, Vec::new());
    for command in commands() {
        let told = |name: &str| job[name].as_str().unwrap_or_default().to_string();
        let named = command.replace(HOST, &server.host);
        let named = named.replace("/ID", &format!("/{}", told("id"))).replace("KEY", &told("key"));
        println!("{named}");
        let answer = run(&named, folder.path());
        assert!(!answer.contains("/problems/"), "{named}\n{answer}");
        if command.contains("/v1/jobs -H") {
            job = serde_json::from_str(&answer).unwrap();
        }
        said.push(answer);
    }
    let about = |what: &str| said.iter().any(|answer| answer.contains(what));
    assert!(about("\"last-of-us/area-0-sample\""), "areas are listed");
    assert!(about("event: job") && about("\"state\":\"done\""), "a job is followed to its end");
    assert!(about("\"valid\":true"), "a plan is verified");
    assert!(about("\"certified\":true"), "a certificate is checked");
    assert!(about("\"levels\":["), "levels are listed");
    assert!(about("\"text\":\""), "an area is made");
    let sample = std::fs::read_to_string(folder.path().join("sample.plan")).unwrap();
    assert!(said.contains(&sample) || sample == SAMPLE_PLAN, "a plan is fetched: {sample}");
}
