//! Plans as people have them: the tables of `tests/cases`, row by row.

use crate::{Answer, Folder, json, outwit, outwit_reading};
use std::path::PathBuf;

/// A folder of cases.
fn cases(folder: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "cases", folder].iter().collect()
}

fn table(folder: &str) -> String {
    std::fs::read_to_string(cases(folder).join("cases.tsv")).expect("a table")
}

/// `outwit verify` of two files of a folder of cases.
fn verify(folder: &str, area: &str, plan: &str, level: &str) -> Answer {
    let file = |name: &str| cases(folder).join(name).to_str().expect("a name").to_string();
    let (area, plan) = (file(area), file(plan));
    let level: &[&str] = if level.is_empty() { &[] } else { &["--level", level] };
    outwit(&[&["verify", &area, &plan, "--game", "sokoban"], level].concat())
}

#[test]
fn plans_of_other_programs_are_verified() {
    let mut count = 0;
    for row in table("files").lines() {
        let [file, what, _, _, _, verdict, ..] = row.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{row}")
        };
        let Some(area) = what.strip_prefix("plan of ") else { continue };
        let answer = verify("files", area, file, "");
        let told = format!("{file}: {}{}", answer.stdout, answer.stderr);
        assert_eq!(answer.code, i32::from(verdict == "invalid"), "{told}");
        assert!(answer.stdout.contains(&format!("{verdict} ")), "{told}");
        count += 1;
    }
    assert_eq!(count, 11);
}

#[test]
fn what_is_said_of_them() {
    let pair = verify("files", "pair.xsb", "pair.plans", "");
    assert_eq!(
        pair.stdout,
        "level 1: valid length 2, pushes 2, moves 3\nlevel 2: valid length 1, pushes 1, moves 1\n"
    );
    for (level, length) in [("1", 2), ("2", 1)] {
        let one = verify("files", "pair.xsb", "pair.plans", level);
        assert!(one.stdout.starts_with(&format!("valid length {length}, ")), "{}", one.stdout);
    }
    let one = verify("files", "pair.xsb", "pair-one.plans", "");
    assert_eq!(one.stdout, "level 1: no plan\nlevel 2: valid length 1, pushes 1, moves 1\n");
    let one = verify("files", "pair.xsb", "pair-one.plans", "1");
    assert_eq!(one.code, 2);
    assert!(one.stderr.contains("there is no plan of level 1 in it"), "{}", one.stderr);
    let wrong = verify("files", "pair.xsb", "pair-wrong.plans", "2");
    assert!(
        wrong.stdout.starts_with("invalid step 2: the plan ends with a box"),
        "{}",
        wrong.stdout
    );
    let wrong = verify("files", "pair.xsb", "pair-wrong.plans", "");
    assert!(wrong.stdout.contains("\nlevel 2: invalid step 2: "), "{}", wrong.stdout);
    let tail = verify("files", "area.xsb", "tail.plan", "");
    assert_eq!(tail.stderr, "one key after the win is ignored\n");
}

#[test]
fn a_collection_is_its_own_plan() {
    for plan in ["solutions.sok", ""] {
        let file = cases("files").join("solutions.sok");
        let file = file.to_str().expect("a name");
        let plan: &[&str] = if plan.is_empty() { &[] } else { &[file] };
        let answer = outwit(&[&["verify", file], plan].concat());
        let told = format!("{}{}", answer.stdout, answer.stderr);
        assert_eq!(answer.code, 0, "{told}");
        let both = [
            "level 1: valid length 2, pushes 2, moves 3",
            "level 2: valid length 1, pushes 1, moves 1",
        ];
        assert_eq!(answer.stdout.lines().collect::<Vec<_>>(), both, "{told}");
        // The other one goes on after the win.
        assert_eq!(answer.stderr, "level 1: the best of 2 plans, from line 11\n");
    }
}

#[test]
fn more_plans_are_verified_than_those_of_the_first_table() {
    let mut count = 0;
    for row in table("plans").lines().skip(1) {
        let [area, plan, level, code, stdout, stderr, _] = row.split('\t').collect::<Vec<_>>()[..]
        else {
            panic!("{row}")
        };
        let answer = verify("plans", area, plan, level);
        let told = format!("{row}\n{}{}", answer.stdout, answer.stderr);
        assert_eq!(answer.code.to_string(), code, "{told}");
        let lines: Vec<_> = answer.stdout.lines().collect();
        let wanted: Vec<_> = stdout.split(" | ").filter(|line| !line.is_empty()).collect();
        assert!(lines.len() >= wanted.len() && (lines.is_empty() == wanted.is_empty()), "{told}");
        assert!(lines.iter().zip(wanted).all(|(line, start)| line.starts_with(start)), "{told}");
        assert!(answer.stderr.contains(stderr), "{told}");
        count += 1;
    }
    assert_eq!(count, 32);
}

#[test]
fn what_solve_prints_is_verified_in_every_game_with_collections() {
    let robots =
        [env!("CARGO_MANIFEST_DIR"), "areas/robots/sample-1.txt"].iter().collect::<PathBuf>();
    let robots = std::fs::read_to_string(robots).expect("an area").replace("\n0 0\n", "\n");
    let sokoban = std::fs::read_to_string(cases("files").join("pair.xsb")).expect("levels");
    let pair = [("robots", format!("{robots}{robots}0 0\n")), ("sokoban", sokoban)];
    for (game, text) in pair {
        let folder = Folder::make();
        let levels = folder.put("levels", text);
        let solved = outwit(&["solve", &levels, "--game", game, "--nodes", "2000"]);
        assert_eq!(solved.code, 0, "{game}: {}", solved.stderr);
        let plans = folder.put("plans", &solved.stdout);
        let answer = outwit(&["verify", &levels, &plans, "--game", game, "--json"]);
        assert_eq!(answer.code, 0, "{game}: {}{}", answer.stdout, answer.stderr);
        let told: Vec<_> = answer.stdout.lines().map(json).collect();
        assert!(told.iter().all(|told| told["valid"] == true), "{game}: {}", answer.stdout);
        assert_eq!(
            told.iter().map(|told| told["level"].as_u64()).collect::<Vec<_>>(),
            [Some(1), Some(2)]
        );
        // The second is improved from the same file.
        let better =
            outwit(&["improve", &levels, &plans, "--game", game, "--level", "2", "--nodes", "100"]);
        assert_eq!(better.code, 0, "{game}: {}", better.stderr);
        let again = ["verify", &levels, "-", "--game", game, "--level", "2"];
        assert_eq!(outwit_reading(&again, better.stdout).code, 0, "{game}");
    }
}

/// What a collection has, as `verify` and `solve` see it.
fn read_back(file: &str) -> outwit::games::Collection {
    let source = outwit::diagnostic::Source::read(file.as_ref()).expect("a file");
    outwit::games::GameId::Sokoban.game().read(&source).expect("levels")
}

const SHELF: &str = "Collection: A shelf\nAuthor: A. Uthor\n\n########\n#@ $ . #\n########\nTitle: Dull\nAuthor: Else\n\n  ######\n  #.$@ #\n  ######\nTitle: \"x\" & 3\n\n#####\n#@$ #\n#  .#\n#####\nTitle: None\n";

#[test]
fn a_collection_with_solutions_is_read_again() {
    let folder = Folder::make();
    let levels = folder.put("levels.sok", SHELF);
    let solved = outwit(&["solve", &levels, "--format", "sok", "--nodes", "2000"]);
    assert_eq!(solved.code, 1, "the last has no plan: {}", solved.stderr);
    let shelf = folder.put("solved.sok", &solved.stdout);
    let (before, after) = (read_back(&levels), read_back(&shelf));
    assert_eq!((&before.title, &before.author), (&after.title, &after.author), "{}", solved.stdout);
    assert_eq!(after.author.as_deref(), Some("A. Uthor"));
    let names = |shelf: &outwit::games::Collection| {
        let of = shelf.entries.iter().map(|entry| {
            let text = entry.content.as_ref().expect("a level").text();
            (entry.title.clone(), entry.author.clone(), text)
        });
        of.collect::<Vec<_>>()
    };
    assert_eq!(names(&before), names(&after), "{}", solved.stdout);
    let counts: Vec<_> = after.entries.iter().map(|entry| entry.solutions.len()).collect();
    assert_eq!(counts, [1, 1, 0], "{}", solved.stdout);
    let verified = outwit(&["verify", &shelf]);
    assert_eq!(verified.code, 0, "{}{}", verified.stdout, verified.stderr);
    let told: Vec<_> = verified.stdout.lines().collect();
    assert!(told[0].starts_with("level 1: valid length 2"), "{}", verified.stdout);
    assert!(told[1].starts_with("level 2: valid length 1"), "{}", verified.stdout);
    assert_eq!(told[2], "level 3: no plan");
}

#[test]
fn a_batch_writes_its_levels_with_their_solutions() {
    let folder = Folder::make();
    let levels = folder.put("in/levels.sok", SHELF);
    let (out, shelf) = (folder.at("out"), folder.at("shelf/solved.sok"));
    let batch = ["batch", &folder.at("in"), "--out", &out, "--sok", &shelf, "--nodes", "2000"];
    let done = outwit(&batch);
    assert_eq!(done.code, 1, "{}", done.stderr);
    assert!(done.stderr.contains("solutions of 2 of 3 levels"), "{}", done.stderr);
    let (before, after) = (read_back(&levels), read_back(&shelf));
    let author = |number: usize| after.entries[number].author.clone();
    assert_eq!([author(0), author(1)], [Some("Else".into()), Some("A. Uthor".into())]);
    let titles = |shelf: &outwit::games::Collection| {
        shelf.entries.iter().map(outwit::games::Entry::name).collect::<Vec<_>>()
    };
    assert_eq!(titles(&before), titles(&after));
    assert_eq!(outwit(&["verify", &levels, &shelf]).code, 0);
    // A plan that no longer holds is not written.
    for plan in folder.files().iter().filter(|file| file.extension().is_some_and(|it| it == "plan"))
    {
        std::fs::write(plan, "L\n").expect("a file");
    }
    let mut stopped = batch.to_vec();
    stopped.extend(["--shard", "1/3"]);
    let part = outwit(&stopped);
    assert!(part.stderr.contains("solutions of 1 of 1 levels"), "{}", part.stderr);
    assert_eq!(outwit(&["verify", &shelf]).code, 0);
}
