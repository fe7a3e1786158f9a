//! `outwit render --plan` and `outwit play --plan` take a plan of any game.

use super::{Folder, generated, outwit};
use outwit::games::GameId;

#[test]
fn a_plan_of_any_game_is_drawn() {
    for &game in GameId::ALL {
        let folder = Folder::make();
        let made = generated(game);
        let area = folder.put(&format!("{game}/{}.txt", made.name), &made.area);
        let plan = folder.put("made.plan", &made.plan);
        for (name, begin) in [("way.svg", b"<svg".as_slice()), ("way.png", b"\x89PNG")] {
            let picture = folder.at(name);
            let answer = outwit(&["render", &area, "--plan", &plan, "-o", &picture]);
            assert_eq!((answer.code, answer.stderr.as_str()), (0, ""), "{game}");
            assert!(std::fs::read(picture).unwrap().starts_with(begin), "{game}: {name}");
        }
    }
}

#[test]
fn a_plan_is_read_before_a_terminal_is_asked_for() {
    for &game in GameId::ALL {
        let folder = Folder::make();
        let made = generated(game);
        let area = folder.put(&format!("{game}/{}.txt", made.name), &made.area);
        let plan = folder.put("made.plan", &made.plan);
        let answer = outwit(&["play", &area, "--plan", &plan]);
        assert_eq!(answer.code, 2);
        assert!(answer.stderr.contains("stdout is none"), "{game}: {}", answer.stderr);
        let wrong = folder.put("wrong.plan", "no plan of any game");
        let answer = outwit(&["play", &area, "--plan", &wrong]);
        assert_eq!(answer.code, 2);
        assert!(answer.stderr.contains("wrong.plan:1:"), "{game}: {}", answer.stderr);
    }
}
