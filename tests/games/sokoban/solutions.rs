//! Texts with solutions: whatever stands in them, what is taken from them holds.

use outwit::diagnostic::Source;
use outwit::games::{Area, GameId, PlanError, Session};
use outwit::verify::{steps, verify, verify_level};
use proptest::prelude::*;
use std::time::{Duration, Instant};

const LEVEL: &str = "########\n#@ $ . #\n########\nTitle: Corridor\n";

fn level() -> Box<dyn Area> {
    let levels = GameId::Sokoban.game().read(&Source::new("level", LEVEL)).expect("a level");
    levels.only().expect("one")
}

/// Lines as such texts have them, faults among them.
fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        "[rRlL]{0,6}",
        "[rR0-2()]{0,5}",
        Just("rRR".to_string()),
        Just("Solution 1/2".to_string()),
        Just("Solution: r2R".to_string()),
        Just("Saved game 1".to_string()),
        Just("; level 1: Other".to_string()),
        Just("; level 2: Corridor".to_string()),
        Just("; a remark".to_string()),
        Just("Time: 00:00".to_string()),
        Just("found by hand".to_string()),
        Just("rRX".to_string()),
        Just(String::new()),
        Just("\u{feff}".to_string()),
        Just(LEVEL.to_string()),
    ]
}

proptest! {
    #[test]
    fn what_is_taken_from_a_text_holds_and_stands_there(
        lines in prop::collection::vec(line(), 0..12),
        end in prop_oneof![Just("\n"), Just("\r\n")],
    ) {
        let area = level();
        let sent = lines.join(end) + end;
        let text = Source::new("plans", sent.as_str());
        for number in [None, Some(1), Some(2)] {
            let Ok(plan) = verify_level(&*area, number, &text) else { continue };
            let alone = verify(&*area, &Source::new("alone", plan.text())).expect("it holds alone");
            prop_assert_eq!(&alone.validation().rank, &plan.validation().rank);
            prop_assert!(text.text.contains(plan.text()), "{:?}", plan.text());
            let mut game = area.session();
            let steps = steps(&*area, number, &text).expect("steps of what holds");
            for step in steps {
                let said = &sent[step.place.clone()];
                prop_assert!(said.to_lowercase().ends_with(&step.text), "{said:?}");
                let before = sent[..step.place.end].matches('\n').count();
                prop_assert_eq!(before + 1, step.line);
                game.act(&step.text).expect("a step that the rules allow");
            }
            prop_assert!(is_won(&*game));
        }
    }
}

fn is_won(game: &dyn Session) -> bool {
    game.status() == outwit::games::Status::Won
}

#[test]
fn long_texts_take_no_longer_than_they_are_long() {
    let area = level();
    let begun = Instant::now();
    for part in
        ["Solution\nrRR\n\n", "; level 1: Corridor\nrRR\n", "rl\n\n", "2(\n", "x: y\n", "()", "1\n"]
    {
        let text = Source::new("plans", part.repeat(100_000));
        let _ = verify(&*area, &text);
        let _ = steps(&*area, None, &text).map(Iterator::count);
    }
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
}

#[test]
fn all_solutions_of_a_level_together_have_no_more_keys_than_one_may_have() {
    let area = level();
    let text = "Solution\n9999999l\n".repeat(1000);
    let begun = Instant::now();
    let error = verify(&*area, &Source::new("plans", text)).expect_err("too many");
    let PlanError::Unreadable(diagnostic) = error else { panic!("{error:?}") };
    assert_eq!((diagnostic.line, diagnostic.column), (4, 1), "{diagnostic}");
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}
