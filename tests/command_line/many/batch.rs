//! `outwit batch` from outside: files, table, exit codes. What it promises of files and records
//! is in `tests/batch/main.rs`.

use crate::reports::assert_standing;
use crate::{Folder, OPEN, OPEN_PLAN, impossible, json, outwit};
use outwit::games::GameId;
use std::path::Path;

fn batch(folder: &Folder, more: &[&str]) -> crate::Answer {
    batch_expanding(folder, "20000", more)
}

fn batch_expanding(folder: &Folder, nodes: &str, more: &[&str]) -> crate::Answer {
    let (areas, out) = (folder.at("areas"), folder.at("solutions"));
    let args = ["batch", &areas, "--out", &out, "--nodes", nodes];
    outwit(&args.iter().chain(more).copied().collect::<Vec<_>>())
}

#[test]
fn plans_index_and_table_are_written() {
    let folder = Folder::make();
    folder.put("areas/last-of-us/one.txt", OPEN);
    folder.put("areas/last-of-us/more/two.txt", OPEN);
    folder.put("areas/last-of-us/README.md", "not an area");
    folder.put("areas/last-of-us/.hidden.txt", "not an area");
    let answer = batch(&folder, &[]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert_eq!(folder.get("solutions/last-of-us/one.plan"), OPEN_PLAN);
    assert_eq!(folder.get("solutions/last-of-us/more/two.plan"), OPEN_PLAN);
    let index = folder.get("solutions/INDEX.md");
    assert!(index.contains("## last-of-us"), "{index}");
    assert!(
        index.contains("| [one](<last-of-us/one.plan>) | 10x10 | 9 | 9 | 0.0 % | yes |"),
        "{index}"
    );
    assert!(answer.stdout.contains("2 areas, 2 solved, 2 proven optimal."), "{}", answer.stdout);
    assert_eq!(answer.stderr.lines().count(), 2, "a line for each area: {}", answer.stderr);
    let again = batch(&folder, &[]);
    assert_eq!(again.stderr.matches("(kept)").count(), 2, "{}", again.stderr);
}

#[test]
fn a_file_that_cannot_be_read_does_not_stop_the_rest() {
    let folder = Folder::make();
    folder.put("areas/last-of-us/bad.txt", "bad\n10 10 0\n??\n");
    folder.put("areas/last-of-us/good.txt", OPEN);
    let answer = batch(&folder, &[]);
    assert_eq!(answer.code, 2);
    assert!(answer.stderr.contains("bad.txt:3:1"), "{}", answer.stderr);
    assert_eq!(folder.get("solutions/last-of-us/good.plan"), OPEN_PLAN);
}

#[test]
fn what_is_proven_impossible_is_code_1_and_in_the_index() {
    let folder = Folder::make();
    folder.put("areas/last-of-us/closed.txt", impossible::area(GameId::LastOfUs));
    folder.put("areas/last-of-us/open.txt", OPEN);
    assert_eq!(batch(&folder, &[]).code, 1);
    let index = folder.get("solutions/INDEX.md");
    assert!(index.contains("| closed | 10x10 | - |"), "{index}");
    assert!(index.contains("1 proven impossible"), "{index}");
}

#[test]
fn no_areas_is_a_usage_error() {
    let folder = Folder::make();
    std::fs::create_dir(folder.path().join("areas")).unwrap();
    let answer = batch(&folder, &[]);
    assert_eq!(answer.code, 2);
    assert!(answer.stderr.contains("no areas"), "{}", answer.stderr);
}

#[test]
fn an_invalid_plan_is_replaced_and_said_so() {
    let folder = Folder::make();
    folder.put("areas/last-of-us/one.txt", OPEN);
    folder.put("solutions/last-of-us/one.plan", "1\nw 1 1\n");
    let answer = batch(&folder, &[]);
    assert_eq!(answer.code, 0);
    assert!(answer.stderr.contains("did not hold"), "{}", answer.stderr);
    assert_eq!(folder.get("solutions/last-of-us/one.plan"), OPEN_PLAN);
}

#[test]
fn json_has_a_line_for_each_area() {
    let folder = Folder::make();
    folder.put("areas/last-of-us/one.txt", OPEN);
    folder.put("areas/last-of-us/two.txt", OPEN);
    let answer = batch(&folder, &["--json"]);
    let keys: Vec<_> = answer.stdout.lines().map(|line| json(line)["key"].clone()).collect();
    assert_eq!(keys, ["last-of-us/one", "last-of-us/two"]);
}

#[test]
fn shards_are_disjoint_and_together_the_whole() {
    let folder = Folder::make();
    let names: Vec<String> = (0..7).map(|i| format!("n{i}")).collect();
    for name in &names {
        folder.put(&format!("areas/last-of-us/{name}.txt"), OPEN);
    }
    let mut keys = Vec::new();
    for shard in ["1/3", "2/3", "3/3"] {
        let answer = batch(&folder, &["--shard", shard, "--json"]);
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        keys.extend(answer.stdout.lines().map(|line| json(line)["key"].to_string()));
    }
    keys.sort();
    let whole: Vec<_> = names.iter().map(|name| format!("\"last-of-us/{name}\"")).collect();
    assert_eq!(keys, whole);
    let index = folder.get("solutions/INDEX.md");
    assert!(index.contains("7 areas, 7 solved"), "{index}");
}

#[test]
fn what_has_no_plan_has_no_bound_in_tables_and_records() {
    let folder = Folder::make();
    for &game in GameId::ALL {
        folder.put(&format!("areas/{game}/closed.txt"), impossible::area(game));
    }
    let no_bound = |answer: &crate::Answer| {
        for text in [&answer.stdout, &answer.stderr, &folder.get("solutions/INDEX.md")] {
            assert!(!text.contains("18446744073709551615"), "{text}");
        }
    };
    let bounds = |answer: &crate::Answer| -> Vec<_> {
        answer.stdout.lines().map(|line| json(line)["bound"].clone()).collect()
    };
    let first = batch(&folder, &["--json"]);
    assert_eq!((first.code, bounds(&first)), (1, vec![json("null"); GameId::ALL.len()]));
    no_bound(&first);
    no_bound(&batch(&folder, &[]));
    let index = folder.get("solutions/INDEX.md");
    assert_eq!(index.matches("| - |  |  | no plan |").count(), GameId::ALL.len(), "{index}");
    for more in [["--json"].as_slice(), &["--json", "--again"]] {
        let again = batch(&folder, more);
        assert_eq!((again.code, bounds(&again)), (1, bounds(&first)), "{more:?}");
        no_bound(&again);
    }
    let record = folder.get("solutions/.batch.json");
    assert!(!record.contains("18446744073709551615"), "{record}");
}

/// The areas of the repository in a folder, for a run that keeps the plans that are there.
fn repository(folder: &Folder) -> (String, String) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let out = folder.at("out");
    for file in walkdir::WalkDir::new(root.join("solutions")) {
        let file = file.unwrap().into_path();
        if file.is_file() {
            let name = Path::new("out").join(file.strip_prefix(root.join("solutions")).unwrap());
            folder.put(name.to_str().unwrap(), std::fs::read(&file).unwrap());
        }
    }
    (root.join("areas").to_str().unwrap().to_string(), out)
}

fn widest(text: &str) -> usize {
    text.lines().map(|line| line.chars().count()).max().unwrap_or(0)
}

/// A file of 0.1.0, where one key stood for whatever had that name, in whatever measure.
const OLD_RECORD: &str = r#"{
"sokoban/a": {"area":"0123456789abcdef","facts":[],"verdict":"optimal","measure":null,"length":1,"bound":1,"proof":[],"seconds":0.0,"given":{"seconds":99.0,"memory":268435456,"threads":1,"nodes":null,"optimal":true}}
}
"#;
const OLD_INDEX: &str = "# Solutions\n\n## sokoban\n\n2 areas, 2 solved, 2 proven optimal.\n\n\
    | area | size | length | bound | gap | optimal | pushes | moves | fingerprint |\n\
    |---|---|--:|--:|--:|--:|--:|--:|--:|\n\
    | [a](<sokoban/a.plan>) | 6x7 | 1 | 1 | 0.0 % | yes | 1 | 1 | 0123456789abcdef |\n\
    | [b](<sokoban/b.plan>) | 6x7 | 1 | 1 | 0.0 % | yes | 1 | 1 | 0123456789abcdef |\n";

#[test]
fn what_older_versions_claim_is_read_and_not_believed() {
    let folder = Folder::make();
    folder.put("areas/sokoban/a.xsb", "######\n#@$ .#\n######\n");
    folder.put("solutions/.batch.json", OLD_RECORD);
    folder.put("solutions/INDEX.md", OLD_INDEX);
    folder.put("solutions/sokoban/b.plan", "R\n");
    let answer = batch(&folder, &[]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(answer.stderr.contains("older version"), "{}", answer.stderr);
    let index = folder.get("solutions/INDEX.md");
    assert!(index.contains("| [a](<sokoban/a.plan>) | 3x6 | pushes | 2 | 2 | 0.0 % | yes |"));
    assert!(index.contains("| [b](<sokoban/b.plan>) | 6x7 | pushes | 1 | 0 |  |  |"), "{index}");
    assert!(index.contains("2 areas, 2 solved, 1 proven optimal."), "{index}");
}

/// The key and the verdict of each line of a batch's JSON.
fn verdicts(answer: &crate::Answer) -> Vec<(String, String)> {
    let word = |value: &serde_json::Value| value.as_str().unwrap_or("").to_string();
    let lines = answer.stdout.lines().map(json);
    lines
        .map(|line| {
            assert_standing(&line, "a line of a batch");
            (word(&line["key"]), word(&line["verdict"]))
        })
        .collect()
}

#[test]
fn areas_of_one_name_have_files_of_their_own() {
    let folder = Folder::make();
    let (solvable, closed) = ("######\n#@$ .#\n######\n", "######\n#$ @.#\n######\n");
    folder.put("d1/l.xsb", closed);
    folder.put("d2/l.xsb", solvable);
    let [d1, d2, out] = ["d1", "d2", "out"].map(|name| folder.at(name));
    for paths in [[&d1, &d2], [&d2, &d1]] {
        let answer = outwit(&["batch", paths[0], paths[1], "--out", &out, "--json", "--again"]);
        assert_eq!(answer.code, 1, "{}", answer.stderr);
        let mut verdicts = verdicts(&answer);
        verdicts.sort();
        let [first, second] = &verdicts[..] else { panic!("{verdicts:?}") };
        assert!(first.0.starts_with("sokoban/l~") && second.0.starts_with("sokoban/l~"));
        let mut words = [first.1.as_str(), second.1.as_str()];
        words.sort_unstable();
        assert_eq!(words, ["impossible", "optimal"], "{verdicts:?}");
        let index = folder.get("out/INDEX.md");
        assert!(index.contains("2 areas, 1 solved, 1 proven optimal, 1 proven impossible."));
    }
}

#[test]
fn each_measure_has_its_own_plan_and_bound() {
    let folder = Folder::make();
    // 4 pushes and 12 moves at least; the plan of fewest moves pushes more often.
    let level = "########\n#   #  #\n# $@ $ #\n#.  # .#\n########\n";
    folder.put("areas/sokoban/a.xsb", level);
    let by_moves = batch(&folder, &["--optimal=moves"]);
    assert_eq!(by_moves.code, 0, "{}", by_moves.stderr);
    let plan = folder.get("solutions/sokoban/a.moves.plan");
    let index = folder.get("solutions/INDEX.md");
    assert!(index.contains("(<sokoban/a.moves.plan>) | 5x8 | moves | "), "{index}");
    assert!(index.contains("1 areas, in moves 1 solved, 1 proven optimal."), "{index}");
    let by_pushes = batch_expanding(&folder, "1", &["--again"]);
    assert_eq!(by_pushes.code, 0, "{}", by_pushes.stderr);
    assert_eq!(folder.get("solutions/sokoban/a.moves.plan"), plan);
    assert_eq!(folder.get("solutions/sokoban/a.plan"), plan, "it is the best in pushes, too");
    let index = folder.get("solutions/INDEX.md");
    assert!(index.contains("in moves 1 solved, 1 proven optimal."), "{index}");
    let kept = batch(&folder, &["--optimal=moves"]);
    assert!(kept.stderr.contains("(kept)"), "what is proven in moves is not forgotten");
}

#[test]
fn a_plan_that_somebody_has_put_there_among_others_counts() {
    let folder = Folder::make();
    folder.put("areas/sokoban/a.xsb", "#######\n#@$ . #\n#     #\n#######\n");
    for plans in ["Solution 1\nRR\n\nSolution 2\ndurRRl\n", "; level 1: level 1\nRR\n", "2R\n"] {
        folder.put("solutions/sokoban/a.plan", plans);
        for _ in 0..2 {
            let answer = batch(&folder, &[]);
            assert_eq!(answer.code, 0, "{plans:?}: {} {}", answer.stdout, answer.stderr);
            assert!(answer.stdout.contains("1 solved, 1 proven optimal"), "{}", answer.stdout);
        }
        assert_eq!(folder.get("solutions/sokoban/a.plan"), plans, "it is as good as any");
    }
}

#[test]
fn long_and_strange_names_are_plain_files() {
    let folder = Folder::make();
    let level = "######\n#@$ .#\n######\n";
    folder.put(&format!("areas/sokoban/{}.xsb", "n".repeat(251)), level);
    folder.put("areas/sokoban/a\n\u{1b}[31m|b.xsb", format!("{level}Title: x\u{1b}[0m\n"));
    let answer = batch(&folder, &[]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let index = folder.get("solutions/INDEX.md");
    assert!(index.contains("2 areas, 2 solved"), "{index}");
    for text in [&index, &answer.stdout, &answer.stderr] {
        assert!(!text.contains('\u{1b}') && !text.contains("a\n"), "{text}");
    }
}

#[test]
fn what_cannot_be_written_does_not_end_the_run() {
    let folder = Folder::make();
    let level = "######\n#@$ .#\n######\n";
    folder.put("areas/sokoban/a.xsb", level);
    folder.put("areas/sokoban/b.xsb", level.replace('#', "##"));
    // Where the plan belongs is a folder.
    std::fs::create_dir_all(folder.path().join("solutions/sokoban/a.plan/x")).unwrap();
    let answer = batch(&folder, &[]);
    assert_eq!(answer.code, 2, "{}", answer.stderr);
    assert!(answer.stderr.contains("cannot be written"), "{}", answer.stderr);
    assert!(folder.get("solutions/INDEX.md").contains("1 solved"));
}

#[test]
fn each_game_has_a_table_that_fits_a_terminal() {
    let folder = Folder::make();
    let (areas, out) = repository(&folder);
    let answer = outwit(&["batch", &areas, "--out", &out, "--nodes", "1", "--time", "60"]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(widest(&answer.stdout) <= 100, "{}", answer.stdout);
    for &game in GameId::ALL {
        let head = format!("{game}: ");
        let mut table = answer.stdout.lines().skip_while(|line| !line.starts_with(&head)).skip(2);
        let columns: Vec<_> = table.next().unwrap().split_whitespace().collect();
        assert_eq!(columns[..5], ["area", "size", "length", "bound", "gap"], "{}", answer.stdout);
        let rows = table.skip(1).take_while(|line| !line.is_empty()).count();
        let there = std::fs::read_dir(Path::new(&areas).join(game.name())).unwrap().count();
        assert_eq!(rows, there + 1, "the areas and their totals: {}", answer.stdout);
    }
    let bricks = answer.stdout.lines().filter(|line| line.contains("bricks")).count();
    assert_eq!(bricks, 1, "a column of one game is in its table alone: {}", answer.stdout);
    // The index has the same sections, and is as good as the one that was there.
    let index = folder.get("out/INDEX.md");
    assert_eq!(index.matches("\n## ").count(), GameId::ALL.len(), "{index}");
}

#[test]
fn a_collections_long_names_are_cut_in_the_middle() {
    let folder = Folder::make();
    let title = "A title that is so long that no terminal could ever show all of it";
    let level = |i: usize| format!("; {i} {title}\n\n######\n#@$.##\n######\n\n");
    let name = "areas/sokoban/a-collection-whose-name-has-no-end-either-and-goes-on-for-long.xsb";
    folder.put(name, (1..=12).map(level).collect::<String>());
    let answer = batch(&folder, &[]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(widest(&answer.stdout) <= 100, "{}", answer.stdout);
    let cut = answer.stdout.lines().filter(|line| line.contains('…')).count();
    assert_eq!(cut, 12, "{}", answer.stdout);
    assert!(answer.stdout.contains("12 of 12"), "{}", answer.stdout);
}

/// On a terminal the areas that are worked on are named, and how long the rest takes is estimated.
#[test]
#[cfg(target_os = "linux")]
fn a_terminal_shows_what_is_worked_on_and_how_long_the_rest_takes() {
    let folder = Folder::make();
    for name in ["one", "two", "three"] {
        // One that is not proven in the time.
        let area = format!("{}/areas/robots/robots-20-20-16-17.txt", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(area).unwrap();
        folder.put(&format!("robots/{name}.txt"), text);
    }
    let program = crate::program::program();
    let (program, areas, out) = (program.display(), folder.at("robots"), folder.at("out"));
    let line = format!("{program} batch {areas} --out {out} --optimal --time 1 --jobs 1 --again");
    let mut script = std::process::Command::new("script");
    script.args(["-qec", &line, "/dev/null"]).env("TERM", "xterm");
    let Ok(shown) = script.output() else { return eprintln!("skipped, script is not there") };
    let shown = String::from_utf8_lossy(&shown.stdout);
    for part in ["robots/one", "0/3 areas", "1/3 areas, about ", " left", "3/3 robots/two: "] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(!shown.contains("0/3 areas, about"), "nothing is known yet: {shown}");
}
