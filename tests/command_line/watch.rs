//! `outwit render --plan` and `outwit play --plan` take a plan of any game.

use super::program::program;
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
        (&["--plan", &plan, "--bound", "x.cert", "-o", &gif], "a proof does not move"),
        (&["--plan", &plan, "--strip", "3", "--bound", "x.cert", "-o", "x.svg"], "--strip"),
        (&["--plan", "-", "--bound", "-", "-o", "x.svg"], "--plan and --bound are both -"),
        (&["--bound", "none.cert", "-o", "x.svg"], "none.cert"),
    ] {
        let answer = outwit(&[&["render", &level], arguments].concat());
        assert_eq!(answer.code, 2, "{arguments:?}");
        assert!(answer.stderr.contains(word), "{arguments:?}: {}", answer.stderr);
    }
    assert_eq!(outwit(&["render", &level, "--plan", &plan, "-o", &gif]).code, 0);
}

/// The width and the height of a PNG.
fn extent(png: &[u8]) -> (u32, u32) {
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    (number(16), number(20))
}

#[test]
fn a_picture_goes_to_stdout_and_has_the_size_that_is_asked_for() {
    let folder = Folder::make();
    let level = folder.put("level.xsb", "######\n#@$ .#\n######\n");
    let plan = folder.put("level.plan", "RR\n");
    let draw = |options: &[&str]| {
        let args = [&["render", &level, "-o", "-"], options].concat();
        let output = std::process::Command::new(program()).args(args).output().unwrap();
        assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()), "{options:?}");
        output.stdout
    };
    assert!(draw(&[]).starts_with(b"<svg"));
    assert_eq!(extent(&draw(&["--format", "png"])), (144, 72));
    assert_eq!(extent(&draw(&["--format", "png", "--scale", "40"])), (240, 120));
    let strip = ["--format", "png", "--scale", "40", "--strip", "3", "--plan", &plan];
    assert_eq!(extent(&draw(&strip)), (3 * 240 + 2 * 8, 120));
    let gif = draw(&["--format", "gif", "--plan", &plan, "--scale", "10"]);
    assert_eq!((&gif[..6], &gif[6..10]), (&b"GIF89a"[..], &[60, 0, 30, 0][..]));
    let svg = String::from_utf8(draw(&["--scale", "7"])).unwrap();
    assert!(svg.contains("width=\"42\" height=\"21\""), "{svg}");
    assert_eq!(folder.files().len(), 2, "no file is written");
    for (options, words) in [
        (&["--scale", "0"][..], "--scale"),
        (&["--scale", "257"], "--scale"),
        (&["--format", "png", "--legend"], "only .svg pictures have text"),
        (&["--format", "gif"], "needs a --plan"),
    ] {
        let answer = outwit(&[&["render", &level, "-o", "-"], options].concat());
        assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{options:?}");
        assert!(answer.stderr.contains(words), "{options:?}: {}", answer.stderr);
    }
    let wide = format!("{0}\n#@$.{1}#\n{0}\n", "#".repeat(200), " ".repeat(195));
    let wide = folder.put("wide.xsb", wide);
    let answer = outwit(&["render", &wide, "-o", "-", "--scale", "256"]);
    assert_eq!((answer.code, answer.stdout.as_str()), (2, ""));
    assert!(answer.stderr.contains("take smaller cells"), "{}", answer.stderr);
}

#[test]
fn a_legend_explains_what_is_in_the_picture() {
    for &game in GameId::ALL {
        let folder = Folder::make();
        let made = generated(game);
        let area = folder.put(&format!("{game}/{}.txt", made.name), &made.area);
        let plan = folder.put("made.plan", &made.plan);
        let plain = outwit(&["render", &area, "--plan", &plan, "-o", "-"]).stdout;
        let explained = outwit(&["render", &area, "--plan", &plan, "-o", "-", "--legend"]).stdout;
        assert!(!plain.contains("<text") && explained.contains("<text"), "{game}");
        assert!(explained.contains("the plan&#39;s route</text>"), "{game}: {explained}");
        let texts = explained.matches("<text").count();
        assert!((2..=12).contains(&texts), "{game}: {texts}");
        // The picture itself is the same.
        let forms = plain.lines().skip(2).filter(|line| line.starts_with('<') && *line != "</svg>");
        let lines: Vec<&str> = explained.lines().collect();
        assert!(forms.into_iter().all(|form| lines.contains(&form)), "{game}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_terminal_is_no_place_for_a_picture() {
    let folder = Folder::make();
    let level = folder.put("level.xsb", "######\n#@$ .#\n######\n");
    let line = format!("{} render {level} -o -", program().display());
    let script = std::process::Command::new("script").args(["-qec", &line, "/dev/null"]).output();
    let Ok(script) = script else { return eprintln!("skipped, script is not there") };
    let told = String::from_utf8_lossy(&script.stdout);
    assert_eq!(script.status.code(), Some(2), "{told}");
    assert!(told.contains("not for a terminal"), "{told}");
}

#[test]
fn levels_to_be_played_are_read_before_a_terminal_is_asked_for() {
    let folder = Folder::make();
    let one = folder.put("one.xsb", "######\n#@$ .#\n######\n");
    let plan = folder.put("one.plan", "RR\n");
    for (args, words) in [
        (&[&*one, &one][..], "stdout is none"),
        (&[&one, "no-such-file"], "cannot be read"),
        (&[&one, &one, "--plan", &plan], "--plan and --level are of one file"),
        (&[&one, &one, "--level", "1"], "--plan and --level are of one file"),
        (&["-", "-"], "standard input can be read once"),
    ] {
        let answer = outwit(&[&["play"], args].concat());
        assert_eq!(answer.code, 2, "{args:?}");
        assert!(answer.stderr.contains(words), "{args:?}: {}", answer.stderr);
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
