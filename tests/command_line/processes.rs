//! One search by several processes: `outwit solve --processes`.

use super::{json, outwit};
use serde_json::Value;

const HARD: &str = "areas/monsters/hard-01-all.txt";
const OPEN_END: &str = "areas/monsters/hard-05-seekers.txt";

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

/// An area with its budget, and processes with threads and opening of each.
type Case = (&'static [&'static str], &'static [[&'static str; 3]]);

/// Of the areas that stop at a number of nodes, some do in the proof and some in the beams after it.
#[test]
fn the_answer_is_that_of_one_process() {
    let cases: [Case; 10] = [
        (&["areas/monsters/hard-01-all.txt", "--nodes", "6000"], &[["2", "1", "0"]]),
        (&["areas/monsters/hard-02-mines.txt", "--nodes", "3000"], &[["4", "1", "300"]]),
        (&["areas/monsters/hard-04-all.txt", "--nodes", "2500"], &[["3", "2", "0"]]),
        (&[OPEN_END, "--nodes", "20000"], &[["2", "2", "600"], ["3", "1", "600"]]),
        (&["areas/monsters/hard-09-all.txt", "--nodes", "9000"], &[["4", "2", "0"]]),
        (
            &["areas/monsters/hard-10-all.txt", "--nodes", "9000"],
            &[["1", "1", "0"], ["1", "2", "0"]],
        ),
        (&["areas/last-of-us/the-queue-13x18.txt", "--nodes", "8000"], &[["2", "1", "0"]]),
        (&["areas/last-of-us/one-way-31x31.txt", "--nodes", "9000"], &[["3", "1", "50"]]),
        (&["areas/last-of-us/keyhole-14x15.txt", "--nodes", "8000"], &[["4", "2", "0"]]),
        (&["areas/last-of-us/area-0-sample.txt", "--nodes", "8000"], &[["2", "2", "9"]]),
    ];
    for (area, processes) in cases {
        let alone = answer(&[area, &["--threads", "1"]].concat());
        for &[processes, threads, opening] in processes {
            let wanted = ["--processes", processes, "--threads", threads, "--opening", opening];
            assert_eq!(answer(&[area, &wanted].concat()), alone, "{area:?} {wanted:?}");
        }
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
    let answer = outwit(&["solve", "areas/robots/sample-1.txt", "--processes", "2"]);
    assert_eq!(answer.code, 2);
    let why = "the planner of robots has no search that processes share";
    assert!(answer.stderr.contains(why), "{}", answer.stderr);
}

#[test]
fn a_member_without_a_parent_ends() {
    let answer = outwit(&["member"]);
    assert_eq!(answer.code, 2);
    assert!(answer.stderr.contains("the parent is gone"), "{}", answer.stderr);
}

#[cfg(target_os = "linux")]
mod killed {
    use super::OPEN_END;
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;
    use outwit::board::mix;
    use std::process::{Child, Command, Stdio};
    use std::time::{Duration, Instant};

    const PROCESSES: usize = 3;
    /// Nothing takes longer, even on a machine that has much else to do.
    const PATIENCE: Duration = Duration::from_secs(120);

    fn start(seconds: &str) -> Child {
        Command::new(env!("CARGO_BIN_EXE_outwit"))
            .args(["solve", OPEN_END, "--optimal", "--time", seconds, "--threads", "1"])
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

    /// Kills a process at a moment that the seed says.
    fn lose_one(seed: u64) {
        let parent = start("3");
        let children = all_children(parent.id());
        let word = mix(seed);
        let victim = (word % PROCESSES as u64) as usize;
        std::thread::sleep(Duration::from_millis((word >> 32) % 1500));
        kill(Pid::from_raw(children[victim]), Signal::SIGKILL).unwrap();
        let output = parent.wait_with_output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        let code = output.status.code();
        let what = format!("process {victim} of {PROCESSES} was ended by signal 9");
        assert!(stderr.contains(&what), "seed {seed}: {what}: {stderr}");
        assert!(stderr.contains("planning goes on without the others"), "seed {seed}: {stderr}");
        assert!(matches!(code, Some(0 | 3)), "seed {seed}: {code:?}: {stderr}");
        let bound = stderr.lines().find(|line| line.contains("bound")).unwrap_or_default();
        assert!(!bound.contains("bound 0"), "seed {seed}: the bound is kept: {stderr}");
        wait_until_gone(&children);
    }

    #[test]
    fn one_at_any_moment() {
        (0..3).for_each(lose_one);
    }

    #[test]
    #[ignore = "takes five minutes"]
    fn one_at_any_of_a_hundred_moments() {
        (100..200).for_each(lose_one);
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
        std::thread::sleep(Duration::from_millis(1000));
        kill(Pid::from_raw(parent.id() as i32), Signal::SIGINT).unwrap();
        let output = parent.wait_with_output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(matches!(output.status.code(), Some(0 | 3)), "{:?}: {stderr}", output.status);
        assert!(!stderr.contains("warning"), "{stderr}");
        wait_until_gone(&children);
    }
}
