//! `outwit verify`: valid, or the first bad step, why, and the board there.

mod plans;

use super::{Folder, OPEN, OPEN_PLAN, generated, json, outwit, outwit_reading};
use outwit::games::GameId;

#[test]
fn a_valid_plan_is_told_in_one_line() {
    let folder = Folder::make();
    let area = folder.put("last-of-us/open.txt", OPEN);
    let plan = folder.put("open.plan", OPEN_PLAN);
    let answer = outwit(&["verify", &area, &plan]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(answer.stdout.starts_with("valid length 9, bricks 0"), "{}", answer.stdout);
    assert!(answer.stdout.contains("robust yes"), "{}", answer.stdout);
    assert_eq!(answer.stdout.lines().count(), 1);
    let value = json(&outwit(&["verify", &area, &plan, "--json"]).stdout);
    assert_eq!((&value["valid"], &value["length"]), (&true.into(), &9.into()));
}

#[test]
fn the_first_bad_step_is_told_with_its_board() {
    let folder = Folder::make();
    let area = folder.put("last-of-us/open.txt", OPEN);
    let answer = outwit_reading(&["verify", &area, "-"], "2\nw 1 -1\nw -2 0\n");
    assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "not a step at all");
    let answer = outwit_reading(&["verify", &area, "-"], "3\nw 1 -1\nw -1 0\nw -1 0\n");
    assert_eq!(answer.code, 1, "{}", answer.stderr);
    let mut lines = answer.stdout.lines();
    let first = lines.next().unwrap();
    assert!(first.starts_with("invalid step 3 (line 4: \"w -1 0\"): "), "{first}");
    assert!(lines.any(|line| line.contains('E')), "{}", answer.stdout);
    let json_args = ["verify", &area, "-", "--json"];
    let answer = outwit_reading(&json_args, "3\nw 1 -1\nw -1 0\nw -1 0\n");
    assert_eq!(answer.code, 1);
    let value = json(&answer.stdout);
    assert_eq!((&value["valid"], &value["step"]), (&false.into(), &3.into()));
    assert_eq!((&value["line"], &value["text"]), (&4.into(), &"w -1 0".into()));
}

#[test]
fn a_plan_that_ends_too_early_or_goes_on_is_refused() {
    let folder = Folder::make();
    let area = folder.put("last-of-us/open.txt", OPEN);
    let early = outwit_reading(&["verify", &area, "-"], "1\nw 1 -1\n");
    assert_eq!(early.code, 1, "{}", early.stderr);
    assert!(early.stdout.starts_with("invalid step 2"), "{}", early.stdout);
    let late = OPEN_PLAN.replacen('9', "10", 1) + "w 0 0\n";
    let late = outwit_reading(&["verify", &area, "-"], late);
    assert_eq!(late.code, 1, "{}", late.stderr);
    assert!(late.stdout.starts_with("invalid step 10"), "{}", late.stdout);
}

#[test]
fn every_game_verifies_its_generators_plan() {
    for &game in GameId::ALL {
        let folder = Folder::make();
        let made = generated(game);
        let area = folder.put(&format!("{game}/{}.txt", made.name), &made.area);
        let plan = folder.put("made.plan", &made.plan);
        let answer = outwit(&["verify", &area, &plan]);
        assert_eq!(answer.code, 0, "{game}: {}{}", answer.stdout, answer.stderr);
        assert!(answer.stdout.starts_with("valid length "), "{game}: {}", answer.stdout);
        let value = json(&outwit(&["verify", &area, &plan, "--json"]).stdout);
        assert_eq!(value["game"], game.name());
    }
}
