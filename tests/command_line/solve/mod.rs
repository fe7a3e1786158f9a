//! `outwit solve` and `outwit improve`: plan on stdout, report on stderr, exit codes, JSON.

mod report;
mod several;

use super::{Folder, OPEN, OPEN_PLAN, impossible, json, outwit, outwit_reading};
use outwit::games::GameId;

const BUDGET: [&str; 4] = ["--nodes", "20000", "--threads", "1"];

fn with_budget<'a>(args: &[&'a str]) -> Vec<&'a str> {
    args.iter().copied().chain(BUDGET).collect()
}

#[test]
fn the_plan_alone_is_on_stdout_and_the_report_on_stderr() {
    let folder = Folder::make();
    let area = folder.put("last-of-us/open.txt", OPEN);
    let answer = outwit(&with_budget(&["solve", &area]));
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert_eq!(answer.stdout, OPEN_PLAN);
    for said in ["open (last-of-us)", "size 10x10", "optimal", "9, bound 9, gap 0.0 %", "spent"] {
        assert!(answer.stderr.contains(said), "{said} is not in {}", answer.stderr);
    }
}

#[test]
fn an_area_comes_from_stdin_too() {
    let answer = outwit_reading(&with_budget(&["solve", "-"]), OPEN);
    assert_eq!((answer.code, answer.stdout.as_str()), (0, OPEN_PLAN), "{}", answer.stderr);
}

#[test]
fn json_carries_all_of_it_on_stdout() {
    let folder = Folder::make();
    let area = folder.put("last-of-us/open.txt", OPEN);
    let answer = outwit(&with_budget(&["solve", &area, "--json"]));
    assert_eq!(answer.code, 0);
    assert!(answer.stderr.is_empty(), "{}", answer.stderr);
    let value = json(&answer.stdout);
    assert_eq!(value["verdict"], "optimal");
    assert_eq!(value["optimal"], true);
    assert_eq!((&value["length"], &value["bound"]), (&9.into(), &9.into()));
    assert_eq!(value["plan"], OPEN_PLAN);
    assert_eq!(value["facts"]["size"], "10x10");
    assert!(value["effort"]["seconds"].as_f64().unwrap() >= 0.0);
}

#[test]
fn what_is_proven_to_have_no_plan_is_code_1_and_has_no_bound() {
    let folder = Folder::make();
    for &game in GameId::ALL {
        let area = folder.put(&format!("{game}/closed.txt"), impossible::area(game));
        for optimal in [None, Some("--optimal")] {
            let args: Vec<_> = ["solve", &area].into_iter().chain(optimal).collect();
            let answer = outwit(&with_budget(&args));
            assert_eq!((answer.code, answer.stdout.as_str()), (1, ""), "{game}: {}", answer.stderr);
            assert!(answer.stderr.contains("impossible"), "{game}: {}", answer.stderr);
            assert!(!answer.stderr.contains("bound"), "{game}: {}", answer.stderr);
            let args: Vec<_> = args.into_iter().chain(["--json"]).collect();
            let answer = outwit(&with_budget(&args));
            let value = json(&answer.stdout);
            assert_eq!(value["verdict"], "impossible", "{game}");
            for absent in ["plan", "length", "bound", "gap"] {
                assert_eq!(value.get(absent), Some(&json("null")), "{game}: {absent}");
            }
        }
    }
}

#[test]
fn a_known_plan_is_a_floor_and_must_be_valid() {
    let folder = Folder::make();
    let area = folder.put("last-of-us/open.txt", OPEN);
    let longer = format!("10\nw 0 0\n{}", OPEN_PLAN.strip_prefix("9\n").unwrap());
    let known = folder.put("longer.plan", longer);
    let answer = outwit(&with_budget(&["solve", &area, "--known", &known]));
    assert_eq!((answer.code, answer.stdout.as_str()), (0, OPEN_PLAN), "{}", answer.stderr);
    let wrong = folder.put("wrong.plan", "1\nw 1 1\n");
    let answer = outwit(&with_budget(&["solve", &area, "--known", &wrong]));
    assert_eq!(answer.code, 2);
    assert!(answer.stderr.contains("step 1"), "{}", answer.stderr);
}

#[test]
fn effort_decides_what_follows_the_first_plan() {
    let area = format!("{}/areas/sokoban/pull-12x17-10-1001.xsb", env!("CARGO_MANIFEST_DIR"));
    let solve = |effort: &[&str], threads: &str| {
        let arguments = ["solve", &area, "--json", "--nodes", "20000", "-j", threads];
        let answer = outwit(&[&arguments, effort].concat());
        assert_eq!(answer.code, 0, "{effort:?}: {}", answer.stderr);
        let mut report = json(&answer.stdout);
        let spent = report["effort"]["expanded"].as_u64().expect("a number");
        assert!(spent <= 20000, "{effort:?}: {spent}");
        // The time that it took is never the same.
        for part in ["effort", "searches"] {
            report[part] = serde_json::Value::Null;
        }
        report
    };
    let [quick, good, best] =
        ["quick", "good", "best"].map(|effort| solve(&["--effort", effort], "1"));
    assert_eq!((&good, &good), (&solve(&["--effort", "good"], "2"), &solve(&[], "1")));
    let length = |report: &serde_json::Value| report["length"].as_u64().expect("a plan");
    assert_eq!((&quick["verdict"], &good["verdict"]), (&"found".into(), &"optimal".into()));
    assert!(length(&quick) > length(&good) && length(&good) == length(&best));
    // A level that the first plan proves may still have a plan of fewer moves.
    let moves = |report: &serde_json::Value| report["plan_facts"]["moves"].as_u64();
    assert!(moves(&best) <= moves(&good), "{best} {good}");
}

#[test]
fn time_that_is_left_is_said() {
    let area = format!("{}/areas/sokoban/pull-14x18-12-1101.xsb", env!("CARGO_MANIFEST_DIR"));
    let left = "--effort best shortens";
    let quick = outwit(&["solve", &area, "--effort", "quick", "-t", "1000"]);
    assert!(quick.stderr.contains(left), "{}", quick.stderr);
    let counted = outwit(&["solve", &area, "--effort", "quick", "--nodes", "20000"]);
    assert!(!counted.stderr.contains(left), "{}", counted.stderr);
    let both = outwit(&["solve", &area, "--effort", "best", "--optimal"]);
    assert_eq!(both.code, 2, "{}", both.stderr);
}

#[test]
fn improve_tells_a_bound_of_its_measure() {
    let folder = Folder::make();
    let area = format!("{}/areas/sokoban/pull-12x17-10-1001.xsb", env!("CARGO_MANIFEST_DIR"));
    let quick = outwit(&["solve", &area, "--effort", "quick", "--nodes", "20000"]);
    let plan = folder.put("quick.plan", quick.stdout);
    let bound = |measure: &str| {
        let options = ["--measure", measure, "--nodes", "100000", "--json"];
        let answer = outwit(&[&["improve", &area, &plan][..], &options].concat());
        json(&answer.stdout)["bound"].as_u64().expect("a bound")
    };
    let (pushes, moves) = (bound("pushes"), bound("moves"));
    assert_eq!(pushes, 26);
    assert!(moves > 2 * pushes, "{moves}");
}

#[test]
fn improve_never_lengthens() {
    let folder = Folder::make();
    let area = folder.put("last-of-us/open.txt", OPEN);
    let best = folder.put("best.plan", OPEN_PLAN);
    let answer = outwit(&with_budget(&["improve", &area, &best]));
    assert_eq!((answer.code, answer.stdout.as_str()), (0, OPEN_PLAN), "{}", answer.stderr);
    let longer = format!("10\nw 0 0\n{}", OPEN_PLAN.strip_prefix("9\n").unwrap());
    let answer = outwit_reading(&with_budget(&["improve", &area, "-"]), longer);
    assert_eq!((answer.code, answer.stdout.as_str()), (0, OPEN_PLAN), "{}", answer.stderr);
    let answer = outwit_reading(&with_budget(&["improve", &area, "-"]), "1\nw 1 1\n");
    assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{}", answer.stderr);
}

#[test]
fn a_measure_may_follow_optimal_as_a_word() {
    let folder = Folder::make();
    let area = folder.put("last-of-us/open.txt", OPEN);
    let answer = outwit(&with_budget(&["solve", "--optimal", &area]));
    assert_eq!((answer.code, answer.stdout.as_str()), (0, OPEN_PLAN), "{}", answer.stderr);
    let answer = outwit(&with_budget(&["solve", &area, "--optimal", "beauty"]));
    assert_eq!(answer.code, 2);
    assert!(answer.stderr.contains("\"beauty\""), "{}", answer.stderr);
}
