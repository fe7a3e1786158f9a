//! `outwit compare`: two folders of solutions side by side.

use crate::reports::assert_standing;
use crate::{Folder, OPEN, json, outwit};

/// A longer plan of [`OPEN`]: around the corner.
const LONGER_PLAN: &str = "18\nw 1 0\nw 1 0\nw 1 0\nw 1 0\nw 1 0\nw 1 0\nw 1 0\nw 1 0\nw 1 0\n\
                           w 0 -1\nw 0 -1\nw 0 -1\nw 0 -1\nw 0 -1\nw 0 -1\nw 0 -1\nw 0 -1\nw 0 -1\n";

/// A folder with a batch of one area in it; the paths of both.
fn batch(folder: &Folder, out: &str, options: &[&str]) -> (String, String) {
    let area = folder.put("area.txt", OPEN);
    let out = folder.at(out);
    let answer = outwit(&[&["batch", &area, "--out", &out, "--nodes", "1000"], options].concat());
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    (area, out)
}

#[test]
fn a_folder_is_the_same_as_itself_and_better_than_its_past() {
    let folder = Folder::make();
    let (area, before) = batch(&folder, "before", &[]);
    let (_, after) = batch(&folder, "after", &["--certify", "--optimal"]);
    let same = outwit(&["compare", &before, &before]);
    assert_eq!((same.code, same.stdout.trim()), (0, "1 the same"), "{}", same.stderr);
    let better = outwit(&["compare", &before, &after]);
    assert_eq!(better.code, 0, "{}", better.stdout);
    assert!(better.stdout.contains("1 certified"), "{}", better.stdout);
    let worse = outwit(&["compare", &after, &before]);
    assert_eq!(worse.code, 1, "{}", worse.stdout);
    assert!(worse.stdout.contains("1 certificate lost"), "{}", worse.stdout);
    let told = json(&outwit(&["compare", &after, &before, "--json"]).stdout);
    assert_eq!((&told["worse"], &told["same"]), (&true.into(), &0.into()));
    assert_eq!(told["counts"]["certificate-lost"], 1);
    assert_eq!(told["differences"][0]["after"]["length"], 9);
    for side in ["before", "after"] {
        assert_standing(&told["differences"][0][side], side);
    }
    // Another content under the same name is another area.
    std::fs::write(&area, OPEN.replace("open", "other")).unwrap();
    let other = folder.at("other");
    assert_eq!(outwit(&["batch", &area, "--out", &other]).code, 0);
    let apart = outwit(&["compare", &before, &other]);
    assert_eq!(apart.code, 0);
    let sentence = "0 the same, 1 only in the first folder, 1 only in the second folder";
    assert_eq!(apart.stdout.trim(), sentence);
}

#[test]
fn plans_that_claims_refute_are_contradictions() {
    let folder = Folder::make();
    let (_, before) = batch(&folder, "before", &[]);
    let (_, after) = batch(&folder, "after", &[]);
    // An index that goes without its record claims what it likes.
    std::fs::remove_file(format!("{after}/.batch.json")).unwrap();
    let index = folder.get("after/INDEX.md").replace("| 9 | 9 |", "| 18 | 18 |");
    folder.put("after/INDEX.md", index);
    folder.put("after/last-of-us/area.plan", LONGER_PLAN);
    let answer = outwit(&["compare", &before, &after]);
    assert_eq!(answer.code, 1);
    for words in ["1 contradiction", "1 longer", "+100.0 %", "9 proven", "18 proven"] {
        assert!(answer.stdout.contains(words), "{words}: {}", answer.stdout);
    }
}

#[test]
fn what_is_no_folder_of_solutions_is_named() {
    let folder = Folder::make();
    let (area, before) = batch(&folder, "before", &[]);
    for bad in [folder.at("nowhere"), area, folder.at("")] {
        let answer = outwit(&["compare", &before, &bad]);
        assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{bad}");
        assert!(answer.stderr.contains("INDEX.md"), "{}", answer.stderr);
    }
    folder.put("before/.batch.json", "no json");
    let answer = outwit(&["compare", &before, &before]);
    assert_eq!(answer.code, 0, "the index is there: {}", answer.stderr);
    assert!(answer.stderr.contains("passed over"), "{}", answer.stderr);
}
