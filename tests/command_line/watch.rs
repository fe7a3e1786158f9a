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
        let forms: [(&str, &[u8], &[&str]); 5] = [
            ("way.svg", b"<svg", &[]),
            ("way.png", b"\x89PNG", &[]),
            ("way.gif", b"GIF89a", &[]),
            ("strip.svg", b"<svg", &["--strip", "4"]),
            ("strip.png", b"\x89PNG", &["--strip", "2"]),
        ];
        for (name, begin, options) in forms {
            let picture = folder.at(name);
            let arguments = ["render", &area, "--plan", &plan, "-o", &picture];
            let answer = outwit(&[&arguments, options].concat());
            // A map of millions of cells has no board to be drawn again and again.
            let is_still = name.starts_with("way") && !name.ends_with(".gif");
            if game == GameId::Labyrinth && !is_still {
                assert_eq!(answer.code, 2, "{name}");
                assert!(answer.stderr.contains("cells are too many to draw"), "{}", answer.stderr);
                continue;
            }
            assert_eq!((answer.code, answer.stderr.as_str()), (0, ""), "{game}");
            assert!(std::fs::read(picture).unwrap().starts_with(begin), "{game}: {name}");
        }
    }
}

#[test]
fn a_moving_picture_needs_a_plan() {
    let folder = Folder::make();
    let level = folder.put("level.xsb", "######\n#@$ .#\n######\n");
    let (plan, gif) = (folder.put("level.plan", "RR\n"), folder.at("level.gif"));
    for (arguments, word) in [
        (&["-o", &gif][..], "needs a --plan"),
        (&["--plan", &plan, "--strip", "3", "-o", &gif], "--strip is not for it"),
        (&["--plan", &plan, "--strip", "13", "-o", "x.png"], "--strip"),
        (&["--strip", "3", "-o", "x.png"], "--plan"),
        (&["-o", "x.jpg"], ".svg, .png or .gif"),
    ] {
        let answer = outwit(&[&["render", &level], arguments].concat());
        assert_eq!(answer.code, 2, "{arguments:?}");
        assert!(answer.stderr.contains(word), "{arguments:?}: {}", answer.stderr);
    }
    assert_eq!(outwit(&["render", &level, "--plan", &plan, "-o", &gif]).code, 0);
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
