//! Signals that ask a command to end: the first as one should, the second at once. `timeout` signals a
//! program and then its process group, so signals that come close together are one.

use super::program::program;
use super::{Folder, OPEN, json};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A proof that takes much longer than any test, and a plan that is there from the beginning.
const LONG: &str = "areas/robots/robots-20-20-16-17.txt";
const PLAN: &str = "solutions/robots/robots-20-20-16-17.plan";
/// Between the two signals of `timeout`, and more.
const TOGETHER: Duration = Duration::from_millis(20);
#[cfg(feature = "service")]
/// Between two that somebody means.
const APART: Duration = Duration::from_millis(700);
/// Exit code after the second one.
const INTERRUPTED: i32 = 130;
/// Nothing takes longer, even on a machine that has much else to do.
const PATIENCE: Duration = Duration::from_secs(60);

fn start(args: &[&str]) -> Child {
    Command::new(program())
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Waits until the program catches a signal, as Linux tells it.
fn wait_until_caught(child: &Child, signal: Signal) {
    let started = Instant::now();
    loop {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
        let caught = u64::from_str_radix(caught.trim(), 16).unwrap();
        if caught >> (signal as i32 - 1) & 1 == 1 {
            return;
        }
        assert!(started.elapsed() < PATIENCE, "{signal} is not caught");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Sends a signal twice.
fn send_two(child: &Child, signal: Signal, between: Duration) {
    let pid = Pid::from_raw(child.id() as i32);
    kill(pid, signal).unwrap();
    std::thread::sleep(between);
    // The program may have ended; it is not waited for yet, so the number is still its own.
    let _ = kill(pid, signal);
}

/// What a command has answered that is signalled twice, the two together, as soon as it is ready.
fn interrupted(args: &[&str], signal: Signal, is_ready: impl Fn() -> bool) -> Output {
    let child = start(args);
    wait_until_caught(&child, signal);
    let started = Instant::now();
    while !is_ready() {
        assert!(started.elapsed() < PATIENCE, "{args:?}: it is not ready");
        std::thread::sleep(Duration::from_millis(5));
    }
    send_two(&child, signal, TOGETHER);
    child.wait_with_output().unwrap()
}

#[test]
fn two_together_end_a_search_with_its_plan() {
    for signal in [Signal::SIGINT, Signal::SIGTERM] {
        let args = ["solve", LONG, "--known", PLAN, "--optimal", "--time", "600", "--json"];
        let output = interrupted(&args, signal, || true);
        assert_eq!(output.status.code(), Some(0), "{signal}: {output:?}");
        let told = json(std::str::from_utf8(&output.stdout).unwrap());
        assert!(told["plan"].is_string(), "{signal}: {told}");
        assert_eq!(told["effort"]["stopped"], "cancelled", "{signal}: {told}");
    }
}

#[test]
fn two_together_end_a_batch_with_its_index() {
    for signal in [Signal::SIGINT, Signal::SIGTERM] {
        let folder = Folder::make();
        folder.put("areas/last-of-us/open.txt", OPEN);
        let long = std::fs::read(LONG).unwrap();
        folder.put("areas/robots/long.txt", long);
        let (areas, out) = (folder.at("areas"), folder.at("solutions"));
        let args = ["batch", &areas, "--out", &out, "--time", "600", "--optimal", "--jobs", "2"];
        let plan = folder.path().join("solutions/last-of-us/open.plan");
        let output = interrupted(&args, signal, || plan.exists());
        assert_ne!(output.status.code(), Some(INTERRUPTED), "{signal}: {output:?}");
        assert!(output.status.code().is_some(), "{signal}: {output:?}");
        let index = folder.get("solutions/INDEX.md");
        assert!(index.contains("last-of-us/open"), "{signal}: {index}");
    }
}

/// A service, and the address where it listens.
#[cfg(feature = "service")]
fn serve(folder: &Folder) -> (Child, String) {
    use std::io::BufRead;
    let store = folder.at("store.db");
    let mut child =
        start(&["serve", "--store", &store, "--listen", "127.0.0.1:0", "--workers", "0"]);
    let mut lines = std::io::BufReader::new(child.stderr.take().unwrap()).lines();
    let address = lines.find_map(|line| {
        line.unwrap().split_once("listening on http://").map(|(_, address)| address.to_string())
    });
    // Somebody goes on reading what it logs.
    std::thread::spawn(move || lines.for_each(drop));
    (child, address.expect("it listens"))
}

#[cfg(feature = "service")]
#[test]
fn two_together_end_a_service_as_one_does() {
    for signal in [Signal::SIGINT, Signal::SIGTERM] {
        let folder = Folder::make();
        let (mut child, _) = serve(&folder);
        send_two(&child, signal, TOGETHER);
        assert_eq!(child.wait().unwrap().code(), Some(0), "{signal}");
    }
}

#[cfg(feature = "service")]
#[test]
fn a_second_one_that_is_meant_ends_a_service_at_once() {
    use std::io::{Read, Write};
    let folder = Folder::make();
    let (mut child, address) = serve(&folder);
    // A request that is never whole: the service waits for it before it ends.
    let mut request = std::net::TcpStream::connect(address).unwrap();
    let head = "POST /v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
                Expect: 100-continue\r\nContent-Length: 9\r\n\r\n";
    request.write_all(head.as_bytes()).unwrap();
    let mut goes_on = [0; 12];
    request.read_exact(&mut goes_on).unwrap();
    assert_eq!(&goes_on, b"HTTP/1.1 100", "it reads the rest");
    send_two(&child, Signal::SIGTERM, APART);
    assert_eq!(child.wait().unwrap().code(), Some(INTERRUPTED));
}
