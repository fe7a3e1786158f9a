//! Processes that are lost: killed, or frozen.

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

fn start(limit: [&str; 2]) -> Child {
    Command::new(program())
        .args(["solve", LONG, "--optimal", "--threads", "1"])
        .args(limit)
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
    let parent = start(["--time", seconds]);
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
    let mut parent = start(["--time", "600"]);
    let children = all_children(parent.id());
    std::thread::sleep(Duration::from_millis(300));
    parent.kill().unwrap();
    parent.wait().unwrap();
    wait_until_gone(&children);
}

#[test]
fn an_interrupt_ends_all() {
    let parent = start(["--time", "600"]);
    let children = all_children(parent.id());
    std::thread::sleep(Duration::from_millis(200));
    kill(Pid::from_raw(parent.id() as i32), Signal::SIGINT).unwrap();
    let output = parent.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{:?}: {stderr}", output.status);
    assert!(!stderr.contains("warning"), "{stderr}");
    wait_until_gone(&children);
}

/// How much longer than its time a search may take that has a frozen process.
const GRACE: Duration = Duration::from_secs(8);

/// What was said of a search in which one process was frozen.
struct Frozen {
    victim: usize,
    stderr: String,
    took: Duration,
}

impl Frozen {
    /// Whether the search has lost that process. It may have been over before.
    fn is_lost(&self) -> bool {
        let is_lost = self.stderr.contains("planning goes on without the others");
        let Frozen { victim, stderr, .. } = self;
        let silent = format!("process {victim} of {PROCESSES} was lost: no sign of life for ");
        let never_come = format!("process {victim} has not come");
        let is_named = stderr.contains(&silent) || stderr.contains(&never_come);
        assert!(!is_lost || is_named, "{silent}: {stderr}");
        is_lost
    }
}

/// Freezes a process of a search, so long after it was started.
fn freeze(limit: [&str; 2], victim: usize, moment: Duration) -> Frozen {
    let started = Instant::now();
    let parent = start(limit);
    let children = all_children(parent.id());
    std::thread::sleep(moment);
    let _ = kill(Pid::from_raw(children[victim]), Signal::SIGSTOP);
    let output = parent.wait_with_output().unwrap();
    let took = started.elapsed();
    let stderr = String::from_utf8(output.stderr).unwrap();
    let code = output.status.code();
    assert!(matches!(code, Some(0 | 3)), "{victim}, {moment:?}: {code:?}: {stderr}");
    wait_until_gone(&children);
    Frozen { victim, stderr, took }
}

/// The same at a moment that the seed says; the bound is kept, and the time.
fn freeze_one(seed: u64, seconds: u64, longest: u64) -> bool {
    let word = mix(seed);
    let victim = (word % PROCESSES as u64) as usize;
    let moment = Duration::from_millis((word >> 32) % longest);
    let frozen = freeze(["--time", &seconds.to_string()], victim, moment);
    let Frozen { stderr, took, .. } = &frozen;
    assert!(!stderr.contains("bound 0"), "seed {seed}: the bound is kept: {stderr}");
    assert!(*took < Duration::from_secs(seconds) + GRACE, "seed {seed}: {took:?}: {stderr}");
    frozen.is_lost()
}

#[test]
fn one_that_is_frozen_costs_no_more_than_the_time() {
    let lost = (0..3).filter(|&seed| freeze_one(seed, 2, 400)).count();
    assert!(lost > 0, "no search was under way");
}

#[test]
fn one_that_is_frozen_is_missed_while_there_is_time() {
    // The nodes are those that the parent has for the rest of its search.
    let frozen = freeze(["--nodes", "25000"], 1, Duration::from_millis(200));
    let Frozen { stderr, took, .. } = &frozen;
    assert!(frozen.is_lost(), "{stderr}");
    assert!(*took > Duration::from_secs(5) && *took < PATIENCE, "{took:?}: {stderr}");
}

/// For a while, as by Ctrl-Z: nothing is lost.
#[test]
fn all_may_stand_still_together() {
    let parent = start(["--time", "600"]);
    let mut all = all_children(parent.id());
    std::thread::sleep(Duration::from_millis(300));
    all.push(parent.id() as i32);
    let send = |signal| all.iter().for_each(|&pid| kill(Pid::from_raw(pid), signal).unwrap());
    send(Signal::SIGSTOP);
    std::thread::sleep(Duration::from_secs(12));
    send(Signal::SIGCONT);
    std::thread::sleep(Duration::from_secs(1));
    kill(Pid::from_raw(parent.id() as i32), Signal::SIGINT).unwrap();
    let output = parent.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(!stderr.contains("warning"), "{stderr}");
}

#[test]
#[ignore = "takes ten minutes"]
fn one_that_is_frozen_at_any_of_fifty_moments() {
    let mut longest = Duration::ZERO;
    let mut lost = 0;
    for seed in 200..250 {
        let started = Instant::now();
        lost += usize::from(freeze_one(seed, 12, 2000));
        longest = longest.max(started.elapsed());
    }
    eprintln!("{lost} of 50 searches of 12 s have lost a process; the longest took {longest:?}");
    assert!(lost > 20);
}
