//! Files as people have them, by the commands: `tests/cases/files`.

use super::cases::{self, Case};
use super::{Folder, json, outwit};
use outwit::games::GameId;

fn at(file: &str) -> String {
    cases::folder().join(file).to_str().unwrap().to_string()
}

fn sokoban() -> Vec<Case> {
    cases::areas().into_iter().filter(|case| case.game == GameId::Sokoban).collect()
}

/// The good levels are solved with their numbers and titles, the bad ones told, and the exit code
/// says that there were some.
#[test]
fn solve_tells_what_it_cannot_read_and_solves_the_rest() {
    for case in sokoban() {
        let answer = outwit(&["solve", &at(&case.file), "--json", "--optimal", "--threads", "1"]);
        let told = || format!("{}: {}{}", case.file, answer.stdout, answer.stderr);
        assert_eq!(answer.stderr, "", "{}", told());
        let lines: Vec<_> = answer.stdout.lines().map(json).collect();
        if case.readable.is_empty() {
            assert_eq!((answer.code, lines.len()), (2, 1), "{}", told());
            assert!(lines[0]["error"]["message"].is_string(), "{}", told());
            continue;
        }
        assert_eq!(lines.len(), case.levels, "{}", told());
        for (number, line) in (1..).zip(&lines) {
            assert_eq!(line["level"], number, "{}", told());
            let is_good = case.readable.contains(&number);
            assert_eq!(line["error"].is_null(), is_good, "{}", told());
            let title = case.titles.get(number - 1).filter(|title| !title.is_empty());
            if let (true, Some(title)) = (is_good, title) {
                assert_eq!(line["area"], title.as_str(), "{}", told());
            }
        }
        let code = match (case.readable.len() < case.levels, case.plan.as_str()) {
            (true, _) => 2,
            (false, "impossible") => 1,
            (false, _) => 0,
        };
        assert_eq!(answer.code, code, "{}", told());
    }
}

#[test]
fn one_level_of_a_collection_with_a_bad_one_is_taken() {
    let file = at("one-bad-board.xsb");
    let good = outwit(&["solve", &file, "--level", "3"]);
    assert_eq!((good.code, good.stdout.as_str()), (0, "L\n"), "{}", good.stderr);
    assert!(good.stderr.contains("last (sokoban)"), "{}", good.stderr);
    let bad = outwit(&["solve", &file, "--level", "2"]);
    assert_eq!((bad.code, bad.stdout.as_str()), (2, ""));
    assert!(
        bad.stderr.contains("one-bad-board.xsb:6:1: level 2: 2 boxes, 0 targets"),
        "{}",
        bad.stderr
    );
    let folder = Folder::make();
    let plan = folder.put("plan", "rRR\n");
    let verified = outwit(&["verify", &file, &plan, "--level", "1"]);
    assert_eq!(verified.code, 0, "{}", verified.stderr);
    assert_eq!(outwit(&["verify", &file, &plan, "--level", "2"]).code, 2);
    let picture = folder.at("level.svg");
    assert_eq!(outwit(&["render", &file, "--level", "3", "-o", &picture]).code, 0);
    let all = outwit(&["solve", &file]);
    assert_eq!(all.code, 2);
    assert!(
        all.stdout.contains("; level 1: level 1\n") && all.stdout.contains("; level 3: last\n")
    );
    assert!(all.stderr.contains("level 2"), "{}", all.stderr);
}

/// A target stays empty: the plan is found, proven, and holds by hand too.
#[test]
fn more_targets_than_boxes_are_a_level() {
    let folder = Folder::make();
    for (file, optimal, length) in [
        ("more-targets.xsb", "--optimal", 2),
        ("more-targets.xsb", "--optimal=moves", 3),
        ("spare-choice.xsb", "--optimal", 6),
        ("spare-outside.xsb", "--optimal", 2),
    ] {
        let answer = outwit(&["solve", &at(file), optimal, "--json"]);
        let line = json(&answer.stdout);
        assert_eq!(
            (&line["verdict"], &line["length"]),
            (&"optimal".into(), &length.into()),
            "{file} {line}"
        );
        let plan = folder.put("plan", line["plan"].as_str().unwrap());
        assert_eq!(outwit(&["verify", &at(file), &plan]).code, 0, "{file}");
        let pddl = folder.at("pddl");
        let exported = outwit(&["export", "pddl", &at(file), "--plan", &plan, "-o", &pddl]);
        assert_eq!(exported.code, 0, "{}", exported.stderr);
        let actions = folder.at("pddl/plan");
        assert_eq!(outwit(&["verify", &at(file), &actions, "--pddl"]).code, 0, "{file}");
    }
    let longer = folder.put("longer", "rRlrR\n");
    let improved = outwit(&["improve", &at("more-targets.xsb"), &longer]);
    assert_eq!((improved.code, improved.stdout.as_str()), (0, "rRR\n"), "{}", improved.stderr);
}

/// A batch over the whole folder solves what can be read, names what cannot, and takes documents
/// without boards for what they are.
#[test]
fn a_batch_solves_what_can_be_read() {
    let folder = Folder::make();
    let cases = sokoban();
    for case in &cases {
        folder.put(&format!("areas/sokoban/{}", case.file), std::fs::read(&case.path).unwrap());
    }
    let (areas, out) = (folder.at("areas"), folder.at("out"));
    let answer = outwit(&["batch", &areas, "--out", &out, "--time", "20", "--threads", "1"]);
    assert_eq!(answer.code, 2, "{}", answer.stderr);
    for case in &cases {
        let is_document = case.file == "prose.md";
        let is_named = answer.stderr.contains(&format!("areas/sokoban/{}", case.file));
        let is_bad = case.readable.len() < case.levels.max(1);
        assert_eq!(is_named, is_bad && !is_document, "{}: {}", case.file, answer.stderr);
    }
    assert!(answer.stderr.contains("one-bad-board.xsb:6:1: level 2: "), "{}", answer.stderr);
    let levels: usize = cases.iter().map(|case| case.readable.len()).sum();
    let counted = format!("{levels} areas, {} solved", levels - 1);
    assert!(answer.stdout.contains(&counted), "{counted}: {}", answer.stdout);
    let third = folder.get("out/sokoban/one-bad-board/003-last.plan");
    assert_eq!(third, "L\n", "numbers are those of the file");
}

/// A byte order mark before the input of a statement's program.
#[test]
fn programs_take_a_byte_order_mark() {
    let folder = Folder::make();
    for (game, input) in
        [("sokoban", "3 5\n#####\n#wb+#\n#####\nR\n0 0\n"), ("robots", "1 1\n12 12\n3 3\n0 0\n")]
    {
        let plain = outwit(&["simulate", game, &folder.put("plain", input)]);
        let marked = outwit(&["simulate", game, &folder.put("marked", format!("\u{feff}{input}"))]);
        assert_eq!((marked.code, &marked.stdout), (plain.code, &plain.stdout), "{}", marked.stderr);
    }
}
