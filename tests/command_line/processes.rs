//! One search by several processes: `outwit solve --processes`.

use super::{json, outwit};
use serde_json::Value;

const HARD: &str = "areas/monsters/hard-01-all.txt";
const OPEN_END: &str = "areas/monsters/hard-05-seekers.txt";
/// The proof of this one takes the longest.
const LONG: &str = "areas/monsters/hard-03-blobs.txt";

/// What does not depend on the machine.
fn answer(args: &[&str]) -> Vec<Value> {
    let answer = outwit(&[&["solve", "--optimal", "--json"], args].concat());
    assert_eq!(answer.stderr, "", "{args:?}");
    let told = json(&answer.stdout);
    let effort = &told["effort"];
    let of_area = ["verdict", "optimal", "plan", "length", "bound"].map(|key| told[key].clone());
    let of_effort = ["expanded", "generated", "stopped"].map(|key| effort[key].clone());
    [&of_area[..], &of_effort[..]].concat()
}

/// An area, the nodes of its search, and those of its proof that all processes make alike: few are left
/// then, since steps of many processes on few cores take long. Half of the proofs come to their end.
type Case = (&'static str, &'static str, &'static str);
const CASES: [Case; 10] = [
    ("monsters/hard-01-all", "3000", "2400"),
    ("monsters/hard-07-sentinels", "9000", "1900"),
    ("monsters/hard-09-all", "9000", "400"),
    ("monsters/hard-10-all", "9000", "1200"),
    ("monsters/subtask-d-sentinels", "9000", "380"),
    ("last-of-us/area-0-sample", "10500", "700"),
    ("robots/robots-4-1-16-5", "12000", "650"),
    ("robots/robots-10-3-16-13", "12000", "1100"),
    ("robots/robots-20-20-16-17", "12000", "2000"),
    ("robots/robots-50-20-16-21", "12000", "850"),
];

#[test]
fn the_answer_is_that_of_one_process() {
    for (area, nodes, opening) in CASES {
        let area = format!("areas/{area}.txt");
        let of_area = [area.as_str(), "--nodes", nodes];
        let alone = answer(&[&of_area[..], &["--threads", "1"]].concat());
        for processes in ["1", "2", "3", "4"] {
            for threads in ["1", "2"] {
                let wanted = ["--processes", processes, "--threads", threads, "--opening", opening];
                assert_eq!(answer(&[&of_area[..], &wanted].concat()), alone, "{area} {wanted:?}");
            }
        }
    }
}

/// No narrow beam finds a plan here that is as short as the bound, so wide ones follow, which are shared.
#[test]
fn wide_beams_give_the_plan_of_one_process() {
    let area = ["solve", "areas/last-of-us/locks-30x96.txt", "--nodes", "300000", "--threads", "1"];
    let told = |more: &[&str]| {
        let told = json(&outwit(&[&area[..], &["--json"], more].concat()).stdout);
        let memory = told["effort"]["memory_bytes"].as_u64().expect("bytes");
        (["plan", "length", "bound"].map(|key| told[key].clone()), memory)
    };
    let (alone, memory) = told(&[]);
    for processes in ["2", "3"] {
        let (shared, of_fullest) = told(&["--processes", processes, "--opening", "0"]);
        assert_eq!(shared, alone, "{processes} processes");
        assert_ne!(of_fullest, memory, "the beam was not shared by {processes} processes");
    }
}

#[test]
fn memory_counts_together() {
    let area = [HARD, "--memory", "1", "--threads", "1"];
    let alone = answer(&[&area[..], &["--nodes", "20000"]].concat());
    assert_eq!(alone[1], false, "one process has no room for the proof");
    let together = answer(&[&area[..], &["--processes", "4", "--time", "300"]].concat());
    assert_eq!(together[1], true);
}

#[test]
fn a_game_without_a_shared_search_says_so() {
    let answer = outwit(&["solve", "areas/labyrinth/class-2-box-1.txt", "--processes", "2"]);
    assert_eq!(answer.code, 2);
    let why = "the planner of labyrinth has no search that processes share";
    assert!(answer.stderr.contains(why), "{}", answer.stderr);
}

/// A search on several machines: here on several addresses of this one.
mod hosts {
    use super::{LONG, OPEN_END, answer, json, outwit};
    use crate::program::program;
    use std::net::TcpListener;
    use std::path::Path;
    use std::process::{Child, Command, Output, Stdio};

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
        let all: Vec<Child> =
            (0..MANY).map(|process| start(folder.path(), process, &limit)).collect();
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
}

#[test]
fn a_member_without_a_parent_ends() {
    let answer = outwit(&["member"]);
    assert_eq!(answer.code, 2);
    assert!(answer.stderr.contains("the parent is gone"), "{}", answer.stderr);
}

#[cfg(target_os = "linux")]
mod killed {
    use super::LONG;
    use crate::program::program;
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;
    use outwit::board::mix;
    use std::process::{Child, Command, Stdio};
    use std::time::{Duration, Instant};

    const PROCESSES: usize = 3;
    /// Nothing takes longer, even on a machine that has much else to do.
    const PATIENCE: Duration = Duration::from_secs(120);

    fn start(seconds: &str) -> Child {
        Command::new(program())
            .args(["solve", LONG, "--optimal", "--time", seconds, "--threads", "1"])
            .args(["--processes", &PROCESSES.to_string()])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// The processes whose parent this is, in order of their start.
    fn children(parent: u32) -> Vec<i32> {
        let path = format!("/proc/{parent}/task/{parent}/children");
        let list = std::fs::read_to_string(path).unwrap_or_default();
        list.split_whitespace().map(|pid| pid.parse().unwrap()).collect()
    }

    /// Waits until all are there.
    fn all_children(parent: u32) -> Vec<i32> {
        let started = Instant::now();
        loop {
            let children = children(parent);
            if children.len() == PROCESSES {
                return children;
            }
            assert!(started.elapsed() < PATIENCE, "they do not come");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn is_gone(pid: i32) -> bool {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        // A zombie is gone, too: nobody has asked for its exit code yet.
        stat.rsplit(')').next().is_none_or(|rest| rest.is_empty() || rest.starts_with(" Z"))
    }

    fn wait_until_gone(pids: &[i32]) {
        let started = Instant::now();
        while !pids.iter().all(|&pid| is_gone(pid)) {
            assert!(started.elapsed() < PATIENCE, "{pids:?} go on");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Kills a process at a moment that the seed says; whether the search was not over before.
    fn lose_one(seed: u64, seconds: &str, longest: u64) -> bool {
        let parent = start(seconds);
        let children = all_children(parent.id());
        let word = mix(seed);
        let victim = (word % PROCESSES as u64) as usize;
        std::thread::sleep(Duration::from_millis((word >> 32) % longest));
        let is_there = kill(Pid::from_raw(children[victim]), Signal::SIGKILL).is_ok();
        let output = parent.wait_with_output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        let code = output.status.code();
        assert!(matches!(code, Some(0 | 3)), "seed {seed}: {code:?}: {stderr}");
        let bound = stderr.lines().find(|line| line.contains("bound")).unwrap_or("bound 0");
        assert!(!bound.contains("bound 0"), "seed {seed}: the bound is kept: {stderr}");
        wait_until_gone(&children);
        let is_lost = stderr.contains("planning goes on without the others");
        let what = format!("process {victim} of {PROCESSES} was ended by signal 9");
        assert!(!is_lost || (is_there && stderr.contains(&what)), "seed {seed}: {what}: {stderr}");
        is_lost
    }

    #[test]
    fn one_at_any_moment() {
        let lost = (0..4).filter(|&seed| lose_one(seed, "1", 150)).count();
        assert!(lost > 0, "no search was under way");
    }

    #[test]
    #[ignore = "takes five minutes"]
    fn one_at_any_of_a_hundred_moments() {
        let lost = (100..200).filter(|&seed| lose_one(seed, "3", 1000)).count();
        eprintln!("{lost} of 100 searches have lost a process");
        assert!(lost > 20);
    }

    #[test]
    fn the_parent() {
        let mut parent = start("600");
        let children = all_children(parent.id());
        std::thread::sleep(Duration::from_millis(300));
        parent.kill().unwrap();
        parent.wait().unwrap();
        wait_until_gone(&children);
    }

    #[test]
    fn an_interrupt_ends_all() {
        let parent = start("600");
        let children = all_children(parent.id());
        std::thread::sleep(Duration::from_millis(200));
        kill(Pid::from_raw(parent.id() as i32), Signal::SIGINT).unwrap();
        let output = parent.wait_with_output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(matches!(output.status.code(), Some(0 | 3)), "{:?}: {stderr}", output.status);
        assert!(!stderr.contains("warning"), "{stderr}");
        wait_until_gone(&children);
    }
}
