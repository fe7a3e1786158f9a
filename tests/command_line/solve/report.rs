//! Every report in JSON is of the one form, and so are its parts in the rows of a batch.

use crate::reports::assert_report;
use crate::{Folder, impossible, json, outwit};
use outwit::games::GameId;
use std::collections::BTreeSet;

/// An area that is solved at once.
const EASY: [(GameId, &str); 5] = [
    (GameId::LastOfUs, "areas/last-of-us/area-0-sample.txt"),
    (GameId::Sokoban, "areas/sokoban/pull-7x8-2-1.xsb"),
    (GameId::Robots, "areas/robots/robots-3-1-8-4.txt"),
    (GameId::Labyrinth, "areas/labyrinth/class-2-box-1.txt"),
    (GameId::Monsters, "areas/monsters/subtask-g-blobs.txt"),
];

fn report(args: &[&str]) -> serde_json::Value {
    let answer = outwit(&[args, &["--json", "--threads", "1"]].concat());
    let report = json(&answer.stdout);
    assert_report(&report, &args.join(" "));
    report
}

#[test]
fn every_search_reports_in_the_one_form() {
    let folder = Folder::make();
    for (game, area) in EASY {
        let area = format!("{}/{area}", env!("CARGO_MANIFEST_DIR"));
        let found = report(&["solve", &area, "--nodes", "20000"]);
        assert_eq!((&found["game"], &found["level"]), (&game.name().into(), &1.into()));
        assert!(found["facts"]["size"].is_string() || game == GameId::Robots, "{found}");
        let plan = folder.put("plan", found["plan"].as_str().expect("a plan"));
        report(&["solve", &area, "--nodes", "20000", "--optimal", "--known", &plan]);
        report(&["improve", &area, &plan, "--nodes", "2000"]);
        report(&["solve", &area, "--nodes", "1"]);
        let none = folder.put("impossible", impossible::area(game));
        let none = report(&["solve", &none, "--game", game.name()]);
        assert_eq!(none["verdict"], "impossible", "{none}");
        for search in game.game().searches() {
            let known: &[&str] = if search.needs_plan { &["--known", &plan] } else { &[] };
            let wish = ["solve", &area, "--nodes", "500", "--search", search.name];
            let answer = outwit(&[&wish, known, &["--json", "--threads", "1"]].concat());
            // Some searches are for other kinds of boards.
            if answer.code != 2 {
                assert_report(&json(&answer.stdout), search.name);
            }
        }
    }
}

#[test]
fn searches_are_named_and_explained() {
    let area = format!("{}/{}", env!("CARGO_MANIFEST_DIR"), EASY[1].1);
    let list = outwit(&["solve", &area, "--search", "list"]);
    assert_eq!((list.code, list.stdout.lines().count()), (0, 15), "{}", list.stdout);
    assert!(list.stdout.contains("feature-space "), "{}", list.stdout);
    let unknown = outwit(&["solve", &area, "--search", "luck"]);
    assert_eq!((unknown.code, unknown.stdout.as_str()), (2, ""));
    assert!(unknown.stderr.contains("feature-space, "), "{}", unknown.stderr);
    let without = outwit(&["solve", &area, "--search", "windows"]);
    assert_eq!(without.code, 2);
    assert!(without.stderr.contains("--known"), "{}", without.stderr);
    let unfit = outwit(&["solve", &area, "--search", "plain"]);
    assert_eq!(unfit.code, 2);
    assert!(unfit.stderr.contains("does not work on"), "{}", unfit.stderr);
    let alone = outwit(&["solve", &area, "--search", "astar", "--optimal"]);
    assert_eq!(alone.code, 0, "{}", alone.stderr);
}

#[test]
fn rows_of_a_batch_have_the_words_of_reports() {
    let folder = Folder::make();
    folder.put("areas/sokoban/a.xsb", "#####\n#@$.#\n#####\n");
    let out = folder.at("out");
    let answer = outwit(&["batch", &folder.at("areas"), "--out", &out, "--json"]);
    let row = json(&answer.stdout);
    let told = outwit(&["solve", &folder.at("areas/sokoban/a.xsb"), "--json"]);
    let told = json(&told.stdout);
    for name in ["facts", "verdict", "optimal", "length", "bound", "gap", "plan_facts"] {
        assert_eq!(row[name], told[name], "{name}: {row}");
    }
}

#[test]
fn events_tell_each_better_plan_at_once_and_the_report_at_the_end() {
    let folder = Folder::make();
    let area = format!("{}/{}", env!("CARGO_MANIFEST_DIR"), EASY[0].1);
    let file = folder.at("events");
    let wish = ["solve", &area, "--nodes", "20000", "--threads", "1"];
    let plain = outwit(&wish);
    let with_file = outwit(&[&wish[..], &["--events", &file]].concat());
    assert_eq!((with_file.code, &with_file.stdout), (0, &plain.stdout), "{}", with_file.stderr);
    let on_stdout = outwit(&[&wish[..], &["--events", "-"]].concat());
    for text in [std::fs::read_to_string(&file).expect("events"), on_stdout.stdout] {
        let lines: Vec<_> = text.lines().map(json).collect();
        let named = |name: &str| lines.iter().filter(|line| line["event"] == name).count();
        assert_eq!((named("begun"), named("ended")), (1, 1), "{text}");
        assert!(named("plan") > 0 && named("progress") > 0, "{text}");
        assert_eq!(
            (&lines[0]["event"], &lines[0]["facts"]["size"]),
            (&"begun".into(), &"10x10".into())
        );
        let lengths = lines.iter().filter(|line| line["event"] == "plan");
        let lengths: Vec<_> =
            lengths.map(|line| line["length"].as_u64().expect("a length")).collect();
        assert!(lengths.is_sorted_by(|a, b| a > b), "each is better than the one before: {text}");
        let ended = lines.last().expect("lines");
        assert_report(ended, "the last event");
        assert_eq!(ended["plan"], plain.stdout.as_str(), "{text}");
        assert_eq!(ended["length"], *lengths.last().expect("a plan"), "{text}");
    }
    if std::path::Path::new("/dev/full").exists() {
        let full = outwit(&[&wish[..], &["--events", "/dev/full"]].concat());
        assert_eq!((full.code, &full.stdout), (0, &plain.stdout), "{}", full.stderr);
        assert_eq!(full.stderr.matches("--events /dev/full").count(), 1, "{}", full.stderr);
    }
    let nowhere = outwit(&[&wish[..], &["--events", &folder.at("no/folder")]].concat());
    assert_eq!((nowhere.code, nowhere.stdout.as_str()), (2, ""));
    assert!(nowhere.stderr.contains("--events"), "{}", nowhere.stderr);
    assert_eq!(outwit(&[&wish[..], &["--events", "-", "--json"]].concat()).code, 2);
}

/// The lines of `--events -`, and the length of the plan in the report that ends them.
fn events(area: &str, options: &[&str]) -> (Vec<serde_json::Value>, Option<u64>) {
    let answer = outwit(&[&["solve", area, "--events", "-", "--threads", "1"], options].concat());
    let lines: Vec<_> = answer.stdout.lines().map(json).collect();
    let length = lines.last().and_then(|ended| ended["length"].as_u64());
    (lines, length)
}

#[test]
fn every_game_tells_each_plan_once_and_the_reported_one_last() {
    for (game, area) in EASY {
        let area = format!("{}/{area}", env!("CARGO_MANIFEST_DIR"));
        let searches = game.game().searches().iter().filter(|search| !search.needs_plan);
        let alone = searches.map(|search| vec!["--nodes", "20000", "--search", search.name]);
        let whole = ["quick", "good"].map(|effort| vec!["--nodes", "20000", "--effort", effort]);
        let mut planned = 0;
        for options in whole.into_iter().chain(alone) {
            let (lines, length) = events(&area, &options);
            let plans: Vec<_> = lines.iter().filter(|line| line["event"] == "plan").collect();
            let lengths: Vec<_> = plans.iter().filter_map(|plan| plan["length"].as_u64()).collect();
            assert_eq!(lengths.last().copied(), length, "{game} {options:?}: {lines:?}");
            assert!(lengths.is_sorted_by(|a, b| a >= b), "{game} {options:?}: {lengths:?}");
            let texts: BTreeSet<_> = plans.iter().map(|plan| plan["plan"].to_string()).collect();
            assert_eq!(texts.len(), plans.len(), "{game} {options:?}: a plan is told twice");
            planned += usize::from(!plans.is_empty());
        }
        assert!(planned > 2, "{game}: the planner and one search alone have a plan");
    }
}

#[test]
fn the_first_plan_is_told_before_it_is_proven_or_shortened() {
    let area = format!("{}/{}", env!("CARGO_MANIFEST_DIR"), EASY[1].1);
    let (lines, _) = events(&area, &["--nodes", "20000"]);
    let at = |is_it: &dyn Fn(&serde_json::Value) -> bool| lines.iter().position(is_it);
    let plan = at(&|line| line["event"] == "plan").expect("a plan");
    let later = at(&|line| line["search"] == "windows").expect("a search that shortens");
    assert!(plan < later, "{lines:?}");
}

#[test]
fn no_search_claims_a_bound_while_it_runs_that_it_has_not_at_the_end() {
    for (game, area) in EASY {
        let area = format!("{}/{area}", env!("CARGO_MANIFEST_DIR"));
        let searches = game.game().searches().iter().filter(|search| !search.needs_plan);
        let alone = searches.map(|search| vec!["--nodes", "20000", "--search", search.name]);
        let whole = [vec!["--nodes", "20000"], vec!["--nodes", "20000", "--optimal"]];
        for options in whole.into_iter().chain(alone) {
            let (lines, length) = events(&area, &options);
            let [told, seen] = ["bound", "progress"].map(|event| {
                let lines = lines.iter().filter(|line| line["event"] == event);
                lines.filter_map(|line| line["bound"].as_u64()).collect::<Vec<_>>()
            });
            let ended = &lines[lines.len() - 1];
            let Some(bound) = ended["bound"].as_u64() else { continue };
            assert!(told.is_sorted_by(|a, b| a < b), "{game} {options:?}: {told:?}");
            assert_eq!(told.last().copied().unwrap_or(0), bound, "{game} {options:?}: {ended}");
            assert!(seen.iter().all(|&seen| seen <= bound), "{game} {options:?}: {seen:?}");
            assert!(length.is_none_or(|length| bound <= length), "{game} {options:?}: {ended}");
        }
    }
}

#[test]
fn a_search_whose_share_is_spent_rests() {
    let area = format!("{}/areas/sokoban/pull-14x18-12-1102.xsb", env!("CARGO_MANIFEST_DIR"));
    let short_turn = "bidirectional.turns=0.001";
    let (lines, _) = events(&area, &["--effort", "quick", "--set", short_turn]);
    let ended: Vec<_> = lines.iter().filter_map(|line| line["turn"]["ended"].as_str()).collect();
    assert!(ended.len() > 2 && ended.iter().all(|ended| *ended == "resting"), "{ended:?}");
    let wish = ["solve", &area, "--effort", "quick", "--set", short_turn, "--explain"];
    let told = outwit(&[&wish[..], &["--threads", "1"]].concat());
    assert!(told.stderr.contains("not asked again"), "{}", told.stderr);
    assert!(!told.stderr.contains("out of nodes"), "{}", told.stderr);
}

#[test]
fn explained_searches_add_up_to_what_was_spent() {
    for (game, area) in EASY {
        let area = format!("{}/{area}", env!("CARGO_MANIFEST_DIR"));
        for options in [&["--nodes", "3000"][..], &["--nodes", "3000", "--optimal"]] {
            let found = report(&[&["solve", &area], options].concat());
            let searches = found["searches"].as_array().expect("searches are told");
            let sum = |name: &str| searches.iter().filter_map(|s| s[name].as_u64()).sum::<u64>();
            assert!(!searches.is_empty(), "{game} {options:?}: {found}");
            assert_eq!(found["effort"]["expanded"], sum("expanded"), "{game} {options:?}: {found}");
            let least = searches.iter().filter_map(|search| search["length"].as_u64()).min();
            assert!(least.is_none_or(|least| found["length"].as_u64() <= Some(least)), "{found}");
            let names: Vec<_> = game.game().searches().iter().map(|search| search.name).collect();
            for search in searches {
                let name = search["name"].as_str().expect("a name");
                assert!(names.contains(&name), "{name} is none of {names:?}");
            }
        }
    }
    let area = format!("{}/{}", env!("CARGO_MANIFEST_DIR"), EASY[1].1);
    let told = outwit(&["solve", &area, "--explain", "--optimal"]);
    assert!(told.stderr.contains("search  turns  expanded"), "{}", told.stderr);
    assert!(
        told.stderr.lines().last().is_some_and(|line| line.ends_with("proven")),
        "{}",
        told.stderr
    );
    let plain = outwit(&["solve", &area, "--optimal"]);
    assert!(!plain.stderr.contains("turns  expanded"), "{}", plain.stderr);
    let folder = Folder::make();
    let plan = folder.put("long.plan", plain.stdout);
    let improved = outwit(&["improve", &area, &plan, "--explain", "--nodes", "3000"]);
    assert!(improved.stderr.contains("turns  expanded"), "{}", improved.stderr);
}

#[test]
fn a_search_that_proves_a_plan_is_explained_with_it() {
    for name in ["pull-7x9-3-100", "pull-8x10-4-302"] {
        let area = format!("{}/areas/sokoban/{name}.xsb", env!("CARGO_MANIFEST_DIR"));
        let found = report(&["solve", &area, "--optimal"]);
        let astar = &found["searches"][0];
        assert_eq!(
            (&astar["name"], &astar["ended"]),
            (&"astar".into(), &"proven".into()),
            "{found}"
        );
        assert!(found["length"].is_u64() && astar["length"] == found["length"], "{found}");
    }
}

#[test]
fn numbers_of_the_planner_are_listed_set_and_reported() {
    let folder = Folder::make();
    for &game in GameId::ALL {
        let area = folder.put(&format!("{game}/closed.txt"), impossible::area(game));
        let list = outwit(&["solve", &area, "--set", "list"]);
        assert_eq!(list.code, 0, "{}", list.stderr);
        let names: Vec<&str> = list.stdout.lines().filter(|line| !line.starts_with(' ')).collect();
        assert_eq!(names.len(), game.game().settings().len(), "{}", list.stdout);
        let mut wish = vec!["solve", &area, "--nodes", "2000", "--json"];
        let texts: Vec<&str> = names.iter().map(|line| line.split_once(' ').unwrap().0).collect();
        texts.iter().for_each(|text| wish.extend(["--set", text]));
        let answer = outwit(&wish);
        assert_eq!(answer.code, 1, "{game}: {}", answer.stderr);
        let settings = &json(&answer.stdout)["settings"];
        for text in &texts {
            let (name, value) = text.split_once('=').unwrap();
            let expected: f64 = value.parse().unwrap();
            assert_eq!(settings[name].as_f64(), Some(expected), "{game}: {settings}");
        }
    }
    let area = folder.put("monsters/level.txt", impossible::area(GameId::Monsters));
    for (text, why) in [
        ("beam.first_width", "`beam.first_width` is not NAME=VALUE"),
        ("beam.width=3", "the planner has no number `beam.width`; `beam.first_width` is similar"),
        ("beam.first_width=0", "`0` is not a whole number from 1 to 16777216"),
    ] {
        let refused = outwit(&["solve", &area, "--set", text]);
        assert_eq!(refused.code, 2, "{text}");
        assert!(refused.stderr.contains(why), "{}", refused.stderr);
    }
}
