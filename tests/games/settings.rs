//! The numbers of each planner that can be set: whatever is set, plans hold and proofs agree.

use outwit::batch;
use outwit::games::{Area, GameId, Objective};
use outwit::search::{Limits, Number, Run, Setting, Settings, Verdict};
use outwit::verify::settle;
use std::collections::BTreeMap;
use std::path::Path;

/// Expansions of each run: enough to prove the areas' answers where numbers have their defaults.
const NODES: u64 = 20_000;
/// The most cells of an area's text that is searched here.
const SMALL: usize = 600;
/// Areas of each game.
const AREAS: usize = 2;

/// Small areas of each game, and what is known of each where nothing is set: a shortest plan.
fn areas() -> Areas {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("areas");
    let mut areas = Areas::new();
    for task in batch::find(&[folder], None).tasks {
        let of_game = areas.entry(task.area.game()).or_default();
        if task.area.text().len() <= SMALL && of_game.len() < AREAS {
            let known = answer(&*task.area, Settings::default(), task.area.name());
            if known.0 == Verdict::Optimal {
                of_game.push((task.area, known));
            }
        }
    }
    assert!(areas.values().all(|areas| areas.len() == AREAS), "{areas:?}");
    areas
}

/// Areas of each game, and what is known of each.
type Areas = BTreeMap<GameId, Vec<(Box<dyn Area>, Known)>>;
/// A verdict, with length and bound.
type Known = (Verdict, Option<u64>, Option<u64>);

/// Verdict, length and bound of an area where this is set.
fn answer(area: &dyn Area, settings: Settings, what: &str) -> Known {
    let limits = Limits { nodes: Some(NODES), threads: 1, ..Limits::seconds(1e6) };
    let run = Run { settings: settings.clone(), ..Run::from(limits) };
    let answer = area.solve(&Objective::OPTIMAL, None, &run);
    assert_eq!(answer.settings, settings, "{what}");
    let settled = settle(area, answer, None, None);
    assert!(settled.refused.is_none(), "{what}: {:?}", settled.refused);
    let notes = &settled.answer.notes;
    assert!(!notes.iter().any(|note| note.name == "fault of the planner"), "{what}: {notes:?}");
    (settled.answer.verdict, settled.answer.length, settled.answer.bound)
}

#[test]
fn whatever_is_set_plans_hold_and_proofs_agree() {
    let mut tried = 0;
    for (game, areas) in areas() {
        let numbers = game.game().settings();
        for (area, (_, length, bound)) in areas {
            for Setting { name, least, most, .. } in &numbers {
                for value in [least, most] {
                    let what = format!("{game} {} {name}={value}", area.name());
                    let mut settings = Settings::default();
                    let text = format!("{name}={value}");
                    settings.set(&numbers, &text).expect("a number may be its least and its most");
                    let (other, its_length, its_bound) = answer(&*area, settings, &what);
                    assert!(its_length.is_none_or(|its| Some(its) >= length), "{what}");
                    assert!(its_bound <= bound && other != Verdict::Impossible, "{what}");
                    tried += 1;
                }
            }
        }
    }
    println!("{tried} runs");
    assert!(tried > 0);
}

#[test]
fn numbers_are_described() {
    for &game in GameId::ALL {
        let numbers = game.game().settings();
        let searches: Vec<_> =
            game.game().searches().iter().map(|it| it.name.replace('-', "_")).collect();
        for Setting { name, unit, default, least, most, about } in &numbers {
            let what = format!("{game} {name}");
            let group = name.split_once('.').expect("a name has a group").0;
            let is_known = searches.iter().any(|search| search == group);
            assert!(is_known || ["planner", "portfolio", "guides"].contains(&group), "{what}");
            assert!(least <= default && default <= most && least < most, "{what}");
            let is_same_kind = |number: &Number| {
                matches!(number, Number::Whole(_)) == matches!(default, Number::Whole(_))
            };
            assert!(is_same_kind(least) && is_same_kind(most), "{what}");
            let is_sentence = about.starts_with(char::is_uppercase) && about.ends_with('.');
            assert!(is_sentence && !unit.is_empty(), "{what}: {about}");
        }
        let names: Vec<_> = numbers.iter().map(|number| number.name).collect();
        let is_double = |name: &&str| names.iter().filter(|other| other == &name).count() > 1;
        assert!(!names.iter().any(is_double), "{game}: {names:?}");
    }
}
