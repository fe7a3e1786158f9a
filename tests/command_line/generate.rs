//! `outwit generate`: the same options make the same area, and a plan proves it.

use super::{Folder, outwit};
use outwit::games::GameId;

#[test]
fn the_same_seed_makes_the_same_area_and_another_seed_another() {
    for &game in GameId::ALL {
        let make = |seed: &str| outwit(&["generate", game.name(), "--seed", seed]);
        let (one, same, other) = (make("5"), make("5"), make("6"));
        assert_eq!(one.code, 0, "{game}: {}", one.stderr);
        assert_eq!(one.stdout, same.stdout, "{game}");
        assert_ne!(one.stdout, other.stdout, "{game}");
        assert!(one.stderr.contains("a plan of length"), "{game}: {}", one.stderr);
    }
}

#[test]
fn files_come_with_plans_that_verify() {
    for &game in GameId::ALL {
        let folder = Folder::make();
        let out = folder.at(game.name());
        let answer = outwit(&["generate", game.name(), "--count", "2", "-o", &out]);
        assert_eq!(answer.code, 0, "{game}: {}", answer.stderr);
        let files = folder.files();
        let areas: Vec<_> = files.iter().filter(|f| f.extension().unwrap() == "txt").collect();
        assert_eq!((areas.len(), files.len()), (2, 4), "{game}: {files:?}");
        for area in areas {
            let plan = area.with_extension("plan");
            let answer = outwit(&["verify", area.to_str().unwrap(), plan.to_str().unwrap()]);
            assert_eq!(answer.code, 0, "{game}: {}{}", answer.stdout, answer.stderr);
        }
    }
}

#[test]
fn one_file_is_written_where_it_is_named() {
    let folder = Folder::make();
    let out = folder.at("here/it-is.txt");
    assert_eq!(outwit(&["generate", "last-of-us", "-o", &out]).code, 0);
    let shown = outwit(&["generate", "last-of-us"]).stdout;
    assert_eq!(folder.get("here/it-is.txt"), shown);
    assert!(!folder.get("here/it-is.plan").is_empty());
}

#[test]
fn hostile_wishes_are_refused_or_met() {
    for &game in GameId::ALL {
        for parameter in game.game().parameters() {
            for value in ["0", "1", "18446744073709551615", "-1", "", "nan", "\u{1f42d}"] {
                let argument = format!("--{}={value}", parameter.name);
                let answer = outwit(&["generate", game.name(), &argument]);
                assert!([0, 2].contains(&answer.code), "{game} {argument}: {}", answer.stderr);
            }
        }
    }
}
