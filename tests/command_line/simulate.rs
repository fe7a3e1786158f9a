//! `outwit simulate`: the statements' programs, byte for byte where the cases are at hand.

use super::{Folder, outwit, outwit_reading};
use outwit::games::GameId;
use std::path::{Path, PathBuf};

/// Games whose statement asks for a program.
fn games() -> impl Iterator<Item = GameId> {
    let with = [GameId::Robots, GameId::Sokoban, GameId::Monsters];
    GameId::ALL.iter().copied().filter(move |game| with.contains(game))
}

#[test]
fn the_cases_come_out_byte_for_byte() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/cases");
    if !shared.is_dir() {
        println!("skipped: no cases in {}", shared.display());
        return;
    }
    for game in games() {
        let mut cases: Vec<PathBuf> = std::fs::read_dir(shared.join(game.name()))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|ending| ending == "in"))
            .collect();
        cases.sort();
        assert!(!cases.is_empty());
        for case in cases {
            let expected = std::fs::read_to_string(case.with_extension("out")).unwrap();
            let input = std::fs::read(&case).unwrap();
            let read = outwit_reading(&["simulate", game.name()], input);
            assert_eq!(read.code, 0, "{}: {}", case.display(), read.stderr);
            assert_eq!(read.stdout, expected, "{}", case.display());
            let from_file = outwit(&["simulate", game.name(), case.to_str().unwrap()]);
            assert_eq!(from_file.stdout, expected, "{}", case.display());
        }
    }
}

#[test]
fn bytes_that_make_no_sense_are_told_and_never_a_panic() {
    let folder = Folder::make();
    for game in games() {
        for (name, content) in super::hostile::contents() {
            let file = folder.put(&name, &content);
            let answer = outwit(&["simulate", game.name(), &file]);
            assert!([0, 2].contains(&answer.code), "{game} {name}: {}", answer.stderr);
            if answer.code == 2 {
                assert!(answer.stderr.contains(&name), "{game} {name}: {}", answer.stderr);
            }
        }
    }
}

#[test]
fn a_game_without_a_program_says_so() {
    let answer = outwit(&["simulate", "last-of-us"]);
    assert_eq!(answer.code, 2);
    assert!(answer.stderr.contains("no simulator"), "{}", answer.stderr);
}
