//! `outwit dataset`: labels as arrays that numpy reads.

use crate::{Folder, outwit};
use outwit::games::GameId;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;

/// The arrays of a file: the description of each, and its content.
fn arrays(file: &str) -> BTreeMap<String, (String, Vec<u8>)> {
    let mut archive = zip::ZipArchive::new(File::open(file).expect("a file")).expect("an archive");
    let mut arrays = BTreeMap::new();
    for place in 0..archive.len() {
        let mut array = archive.by_index(place).expect("an array");
        let mut content = Vec::new();
        array.read_to_end(&mut content).expect("it is whole");
        let start = content.iter().position(|&byte| byte == b'\n').expect("a description") + 1;
        let about = String::from_utf8_lossy(&content[10..start]).trim().to_string();
        arrays
            .insert(array.name().expect("a name").to_string(), (about, content[start..].to_vec()));
    }
    arrays
}

/// Levels of a game in a folder of its own, some of which the generator makes.
fn levels(folder: &Folder, game: GameId) -> String {
    let out = folder.at(game.name());
    assert_eq!(outwit(&["generate", game.name(), "--count", "2", "-o", &out]).code, 0, "{game}");
    out
}

#[test]
fn every_game_has_datasets_that_do_not_depend_on_the_threads() {
    let folder = Folder::make();
    for &game in GameId::ALL {
        let levels = levels(&folder, game);
        let make = |name: &str, threads: &str| {
            let out = folder.at(name);
            let arguments = ["dataset", &levels, "-o", &out, "--positions", "4", "--radius", "2"];
            let budget = ["--nodes", "2000", "--threads", threads];
            let answer = outwit(&[&arguments[..], &budget].concat());
            assert_eq!(answer.code, 0, "{game}: {}", answer.stderr);
            assert!(answer.stderr.starts_with("2 levels, "), "{game}: {}", answer.stderr);
            assert_eq!(answer.stdout, "", "{game}");
            out
        };
        let (one, two) = (make("one.npz", "1"), make("two.npz", "2"));
        assert_eq!(std::fs::read(&one).unwrap(), std::fs::read(&two).unwrap(), "{game}");
        let arrays = arrays(&one);
        let content = |name: &str| &arrays[&format!("{name}.npy")].1;
        let count = content("lost").len();
        assert!(count > 0 && count <= 8, "{game}: {count} positions");
        assert_eq!(content("observations").len(), 25 * count, "{game}");
        assert_eq!(content("distances").len(), 8 * count, "{game}");
        let expected =
            format!("{{'descr': '|u1', 'fortran_order': False, 'shape': ({count},5,5,), }}");
        assert_eq!(arrays["observations.npy"].0, expected, "{game}");
    }
}

#[test]
fn a_position_has_its_distance_and_its_best_step() {
    let folder = Folder::make();
    let level = folder.put("corridor.xsb", "#########\n#@$    .#\n#########\n");
    let out = folder.at("corridor.npz");
    let arguments = ["dataset", &level, "-o", &out, "--positions", "8", "--strays", "0"];
    assert_eq!(outwit(&arguments).code, 0);
    let arrays = arrays(&out);
    let distances =
        arrays["distances.npy"].1.chunks(8).map(|d| i64::from_le_bytes(d.try_into().unwrap()));
    let best = arrays["best.npy"].1.chunks(4).map(|b| i32::from_le_bytes(b.try_into().unwrap()));
    let words: Vec<_> = arrays["actions.npy"].1.chunks(4).map(|word| char::from(word[0])).collect();
    let right = words.iter().position(|&word| word == 'r').expect("to the right") as i32;
    // The end of the corridor is four pushes away from its start.
    let distances: Vec<_> = distances.collect();
    assert_eq!(distances.len(), 8);
    assert!(distances.iter().all(|distance| (1..=4).contains(distance)), "{distances:?}");
    assert!(distances.iter().any(|&distance| distance != distances[0]), "{distances:?}");
    assert!(best.into_iter().all(|best| best == right));
}

#[test]
fn bad_input_is_named_and_what_is_good_is_used() {
    let folder = Folder::make();
    let out = folder.at("out.npz");
    let robots = levels(&folder, GameId::Robots);
    let monsters = levels(&folder, GameId::Monsters);
    let bad = |arguments: &[&str], word: &str| {
        let answer = outwit(&[&["dataset"], arguments].concat());
        assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(answer.stderr.contains(word), "{arguments:?}: {}", answer.stderr);
        assert!(!std::path::Path::new(&out).exists(), "{arguments:?}");
    };
    bad(&[&robots, &monsters, "-o", &out], "levels of ");
    bad(&[&folder.at("nowhere"), "-o", &out], "nowhere");
    bad(&[&robots, "-o", &folder.at("nowhere/"), "--measure", "pushes"], "measure");
    bad(&[&robots, "-o", &folder.at("robots"), "--nodes", "10"], "robots");
    bad(&[&robots, "-o", &out, "--positions", "0"], "--positions");
    bad(&[&robots, "-o", &out, "--positions", "16777216"], "16777216");
    bad(&[&robots, "-o", &out, "--strays", "4294967295"], "--strays");
    bad(&[&robots, "-o", &out, "--radius", "1001"], "--radius");
    bad(&[&robots, "-o", &out, "--time", "0"], "--time");
    bad(&[&robots], "--out");
    folder.put("robots/bad.txt", "no robots\n");
    let answer = outwit(&["dataset", &robots, "-o", &out, "--game", "robots", "--nodes", "100"]);
    assert_eq!(answer.code, 2, "{}", answer.stderr);
    assert!(answer.stderr.contains("bad.txt") && answer.stderr.contains("2 levels"));
    assert_eq!(arrays(&out).len(), 7);
}
