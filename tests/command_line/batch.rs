//! `outwit batch` from outside: files, table, exit codes. What it promises of files and records
//! is in `tests/batch/main.rs`.

use super::{Folder, OPEN, OPEN_PLAN, impossible, json, outwit};
use outwit::games::GameId;
use std::path::Path;

fn batch(folder: &Folder, more: &[&str]) -> super::Answer {
    let (areas, out) = (folder.at("areas"), folder.at("solutions"));
    let args = ["batch", &areas, "--out", &out, "--nodes", "20000"];
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

/// A copy of a record as version 0.1.0 wrote it: the largest number, or 0, where there is no bound.
fn written_by_older_version(record: &str) -> String {
    let zero = record.contains("\"sokoban/");
    let number = if zero { "0" } else { "18446744073709551615" };
    record.replace("\"bound\":null", &format!("\"bound\":{number}"))
}

#[test]
fn what_has_no_plan_has_no_bound_in_tables_and_records() {
    let folder = Folder::make();
    for &game in GameId::ALL {
        folder.put(&format!("areas/{game}/closed.txt"), impossible::area(game));
    }
    let no_bound = |answer: &super::Answer| {
        for text in [&answer.stdout, &answer.stderr, &folder.get("solutions/INDEX.md")] {
            assert!(!text.contains("18446744073709551615"), "{text}");
        }
    };
    let bounds = |answer: &super::Answer| -> Vec<_> {
        answer.stdout.lines().map(|line| json(line)["bound"].clone()).collect()
    };
    let first = batch(&folder, &["--json"]);
    assert_eq!((first.code, bounds(&first)), (1, vec![json("null"); GameId::ALL.len()]));
    no_bound(&first);
    no_bound(&batch(&folder, &[]));
    let index = folder.get("solutions/INDEX.md");
    assert_eq!(index.matches("| - |  |  | no plan |").count(), GameId::ALL.len(), "{index}");
    let record: String = folder
        .get("solutions/.batch.json")
        .lines()
        .map(|l| written_by_older_version(l) + "\n")
        .collect();
    assert!(record.contains("18446744073709551615") && record.contains("\"bound\":0"), "{record}");
    folder.put("solutions/.batch.json", record);
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
