//! A search on several machines: here on several addresses of this one.

use super::{LONG, OPEN_END, answer, json, outwit};
use crate::program::program;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

const MANY: usize = 3;

/// Writes who takes part, and what they show each other.
fn meeting(folder: &Path) {
    let listeners: Vec<_> = (0..MANY)
        .map(|process| TcpListener::bind((format!("127.0.0.{}", process + 1), 0)).unwrap())
        .collect();
    let lines = listeners.iter().map(|it| it.local_addr().unwrap().to_string() + "\n");
    std::fs::write(folder.join("hosts"), lines.collect::<String>()).unwrap();
    std::fs::write(folder.join("token"), "no stranger knows this").unwrap();
}

fn start(folder: &Path, process: usize, args: &[&str]) -> Child {
    Command::new(program())
        .args(["solve", "--optimal", "--json", "--threads", "1"])
        .arg("--hosts")
        .arg(folder.join("hosts"))
        .arg("--token-file")
        .arg(folder.join("token"))
        .args(["--process", &process.to_string()])
        .args(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn the_answer_is_that_of_one_process() {
    let folder = tempfile::tempdir().unwrap();
    meeting(folder.path());
    let limit = [OPEN_END, "--nodes", "9000", "--opening", "300"];
    let all: Vec<Child> = (0..MANY).map(|process| start(folder.path(), process, &limit)).collect();
    let all: Vec<Output> = all.into_iter().map(|it| it.wait_with_output().unwrap()).collect();
    for (process, output) in all.iter().enumerate() {
        // The first says that the nodes were spent without a plan.
        let code = if process == 0 { 3 } else { 0 };
        assert_eq!(output.status.code(), Some(code), "{process}: {output:?}");
        assert_eq!(text(&output.stderr), "", "{process}");
        assert!(process == 0 || output.stdout.is_empty(), "{process}");
    }
    let told = json(text(&all[0].stdout));
    let alone = answer(&[OPEN_END, "--nodes", "9000", "--threads", "1"]);
    // A* ends without a proof after 0.9 of the nodes, and leaves more than the opening to the beam.
    assert!(alone[5].as_u64().is_some_and(|expanded| expanded > 8100 + 300), "{alone:?}");
    assert_eq!((&told["verdict"], &told["bound"]), (&alone[0], &alone[4]));
    assert_eq!(told["effort"]["generated"], alone[6]);
    assert_eq!(told["effort"]["expanded"], alone[5]);
}

/// Whether a process has met the others: its threads tell.
#[cfg(target_os = "linux")]
fn has_met(process: u32) -> bool {
    let threads = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten();
    threads.flatten().any(|thread| {
        let name = std::fs::read_to_string(thread.path().join("comm")).unwrap_or_default();
        name.starts_with("timely:recv")
    })
}

#[cfg(target_os = "linux")]
#[test]
fn one_that_is_lost_is_named() {
    let folder = tempfile::tempdir().unwrap();
    meeting(folder.path());
    let args = [LONG, "--time", "60", "--opening", "0"];
    let [first, second, mut third] = [0, 1, 2].map(|at| start(folder.path(), at, &args));
    while !has_met(third.id()) {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    third.kill().unwrap();
    third.wait().unwrap();
    let first = first.wait_with_output().unwrap();
    let stderr = text(&first.stderr);
    assert!(stderr.contains("warning: process "), "{stderr}");
    assert!(matches!(first.status.code(), Some(0 | 3)), "{:?}: {stderr}", first.status);
    assert!(!second.wait_with_output().unwrap().status.success());
}

/// Connects so often to an address, as soon as somebody listens there, and says nothing; every other
/// time what is no token.
fn strangers(address: &str, many: usize) -> Vec<TcpStream> {
    use std::io::Write;
    let started = Instant::now();
    let mut all = Vec::new();
    while all.len() < many {
        match TcpStream::connect(address) {
            Ok(mut stranger) => {
                let words: &[u8] = if all.len() % 2 == 0 { b"" } else { b"GET / HTTP/1.1" };
                stranger.write_all(words).unwrap();
                all.push(stranger);
            }
            Err(_) => std::thread::sleep(Duration::from_millis(5)),
        }
        assert!(started.elapsed() < Duration::from_secs(60), "nobody listens at {address}");
    }
    all
}

#[test]
fn strangers_that_are_silent_keep_nobody_out() {
    for many in [5, 50] {
        let folder = tempfile::tempdir().unwrap();
        meeting(folder.path());
        let hosts = std::fs::read_to_string(folder.path().join("hosts")).unwrap();
        let started = Instant::now();
        let limit = [OPEN_END, "--nodes", "400", "--opening", "300"];
        let mut silent = Vec::new();
        let mut all: Vec<Child> = Vec::new();
        for (process, address) in hosts.lines().enumerate().take(MANY - 1) {
            all.push(start(folder.path(), process, &limit));
            silent.push(strangers(address, many));
        }
        all.push(start(folder.path(), MANY - 1, &limit));
        for child in all {
            let output = child.wait_with_output().unwrap();
            assert!(matches!(output.status.code(), Some(0 | 3)), "{output:?}");
            assert_eq!(text(&output.stderr), "", "{many}");
        }
        // One after another, for some seconds each, they would take longer.
        assert!(started.elapsed() < Duration::from_secs(30), "{many}: {:?}", started.elapsed());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_ends_a_process_that_follows() {
    use nix::sys::signal::{Signal, kill};
    let folder = tempfile::tempdir().unwrap();
    meeting(folder.path());
    let all = [1, 2].map(|at| start(folder.path(), at, &[LONG, "--time", "600"]));
    std::thread::sleep(Duration::from_secs(1));
    for child in all {
        kill(nix::unistd::Pid::from_raw(child.id() as i32), Signal::SIGINT).unwrap();
        let code = child.wait_with_output().unwrap().status.code();
        assert!(matches!(code, Some(130) | None), "{code:?}");
    }
}

#[test]
fn what_is_said_of_them_is_checked() {
    let folder = tempfile::tempdir().unwrap();
    meeting(folder.path());
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let (hosts, token) = (file("hosts"), file("token"));
    std::fs::write(file("short"), "secret").unwrap();
    std::fs::write(file("wrong"), "127.0.0.1:7000\nhere\n").unwrap();
    std::fs::write(file("empty"), "\n").unwrap();
    let cases = [
        (&file("empty"), &token, "0", "empty: no line HOST:PORT for a process"),
        (&hosts, &token, "3", "--process: 3 is not below 3"),
        (&hosts, &file("short"), "1", "at least 16 characters"),
        (&file("wrong"), &token, "1", "wrong:2: not a HOST:PORT: here"),
        (&file("none"), &token, "0", "cannot be read"),
    ];
    for (hosts, token, process, why) in cases {
        let answer = outwit(&[
            "solve",
            OPEN_END,
            "--hosts",
            hosts,
            "--token-file",
            token,
            "--process",
            process,
        ]);
        assert_eq!(answer.code, 2, "{}", answer.stderr);
        assert!(answer.stderr.contains(why), "{why}: {}", answer.stderr);
    }
}

/// Two machines: network namespaces that a cable joins. Takes root, and Linux's `ip`.
#[cfg(target_os = "linux")]
mod machines {
    use super::*;

    /// The machines' addresses, and the one that the cable's ends think is the other's once it is cut.
    const ADDRESSES: [&str; 2] = ["10.201.77.1", "10.201.77.2"];
    const NOBODY: &str = "02:00:00:00:00:99";

    /// Goes with all that is in it.
    struct Machines([String; 2]);

    fn ip(args: &str) -> bool {
        let done = Command::new("ip").args(args.split(' ')).stderr(Stdio::null()).status();
        done.is_ok_and(|status| status.success())
    }

    impl Machines {
        /// None where there can be no such machines.
        fn make() -> Option<Machines> {
            let names = ["a", "b"].map(|name| format!("outwit-{}-{name}", std::process::id()));
            let machines = Machines(names);
            let Machines([a, b]) = &machines;
            let is_there = ip(&format!("netns add {a}"))
                && ip(&format!("netns add {b}"))
                && ip(&format!("-n {a} link add cable type veth peer name cable netns {b}"));
            let is_up = |(name, address): (&String, &str)| {
                ip(&format!("-n {name} addr add {address}/24 dev cable"))
                    && ip(&format!("-n {name} link set cable up"))
                    && ip(&format!("-n {name} link set lo up"))
            };
            (is_there && machines.0.iter().zip(ADDRESSES).all(is_up)).then_some(machines)
        }

        /// From now on each packet goes to where nobody takes it.
        fn cut(&self) {
            for (name, other) in self.0.iter().zip([ADDRESSES[1], ADDRESSES[0]]) {
                let neighbour = format!("neigh replace {other} lladdr {NOBODY} dev cable");
                assert!(ip(&format!("-n {name} {neighbour} nud permanent")));
            }
        }

        /// One of the processes of a search, on its machine.
        fn start(&self, folder: &Path, process: usize, args: &[&str]) -> Child {
            let path = |name: &str| folder.join(name).to_str().unwrap().to_string();
            Command::new("ip")
                .args(["netns", "exec", &self.0[process]])
                .arg(program())
                .args(["solve", "--optimal", "--threads", "1", "--hosts", &path("hosts")])
                .args(["--token-file", &path("token"), "--process", &process.to_string()])
                .args(args)
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap()
        }
    }

    impl Drop for Machines {
        fn drop(&mut self) {
            for name in &self.0 {
                ip(&format!("netns del {name}"));
            }
        }
    }

    #[test]
    fn a_network_that_comes_apart_is_noticed() {
        let Some(machines) = Machines::make() else {
            println!("skipped: no network namespaces can be made here");
            return;
        };
        let folder = tempfile::tempdir().unwrap();
        let lines = ADDRESSES.map(|address| format!("{address}:7001\n"));
        std::fs::write(folder.path().join("hosts"), lines.concat()).unwrap();
        std::fs::write(folder.path().join("token"), "no stranger knows this").unwrap();
        let args = [LONG, "--nodes", "25000", "--opening", "0"];
        let [first, second] = [0, 1].map(|process| machines.start(folder.path(), process, &args));
        while !has_met(second.id()) {
            std::thread::sleep(Duration::from_millis(1));
        }
        let cut = Instant::now();
        machines.cut();
        let first = first.wait_with_output().unwrap();
        let took = cut.elapsed();
        let stderr = text(&first.stderr);
        let what = "warning: process 1 of 2 was lost: no sign of life for 10 s; planning goes on";
        assert!(stderr.contains(what), "{stderr}");
        assert!(matches!(first.status.code(), Some(0 | 3)), "{:?}: {stderr}", first.status);
        assert!(took < Duration::from_secs(90), "{took:?}");
        let second = second.wait_with_output().unwrap();
        let stderr = text(&second.stderr);
        assert!(stderr.contains("process 0 was lost: no sign of life for "), "{stderr}");
        assert!(!second.status.success());
    }
}
