//! One search by several processes: `outwit solve --processes`.

mod hosts;
#[cfg(target_os = "linux")]
mod lost;

use super::{json, outwit};
use serde_json::Value;

const HARD: &str = "areas/monsters/hard-01-all.txt";
const OPEN_END: &str = "areas/monsters/hard-05-seekers.txt";
/// The proof of this one takes the longest.
const LONG: &str = "areas/monsters/hard-03-blobs.txt";

/// The parts of a proof's answer that do not depend on the machine, in the usual measure.
fn answer(args: &[&str]) -> Vec<Value> {
    answer_in("--optimal", args)
}

/// The same in the measure of an option `--optimal`.
fn answer_in(optimal: &str, args: &[&str]) -> Vec<Value> {
    let answer = outwit(&[&["solve", "--json", optimal], args].concat());
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

/// The same for Sokoban's A*, each with a measure.
const LEARNING_CASES: [(&str, Case); 4] = [
    ("pushes", ("pull-12x17-10-1000", "9000", "500")),
    ("pushes", ("pull-14x18-12-1101", "9000", "300")),
    ("pushes", ("pull-14x18-12-1102", "9000", "0")),
    ("moves", ("pull-14x18-12-1101", "9000", "300")),
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

/// Sokoban's A* learns as it goes, so the processes have to learn the same: alone, and in a whole proof.
#[test]
fn processes_learn_together() {
    for (measure, (area, nodes, opening)) in LEARNING_CASES {
        let area = format!("areas/sokoban/{area}.xsb");
        let answer = |args: &[&str]| answer_in(&format!("--optimal={measure}"), args);
        let astar = [area.as_str(), "--search", "astar", "--nodes", nodes];
        let alone = answer(&[&astar[..], &["--threads", "1"]].concat());
        let proof = [area.as_str(), "--nodes", nodes, "--opening", "0", "--processes"];
        let whole = answer(&[&proof[..], &["1"]].concat());
        for (processes, threads) in [("1", "2"), ("2", "1"), ("3", "1"), ("2", "2")] {
            let wanted = ["--processes", processes, "--threads", threads];
            let of_astar = [&astar[..], &wanted, &["--opening", opening]].concat();
            assert_eq!(answer(&of_astar), alone, "{area} {wanted:?}");
            let of_proof = [&proof[..], &[processes, "--threads", threads]].concat();
            assert_eq!(answer(&of_proof), whole, "{area} {wanted:?}");
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

#[test]
fn a_member_without_a_parent_ends() {
    let answer = outwit(&["member"]);
    assert_eq!(answer.code, 2);
    assert!(answer.stderr.contains("the parent is gone"), "{}", answer.stderr);
}
