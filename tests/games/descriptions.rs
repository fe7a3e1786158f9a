//! What a game says of itself in words holds for its areas, so that clients may rely on it.

use outwit::batch;
use outwit::games::{Area, Description, GameId, Pointing, Role};
use std::collections::BTreeMap;
use std::path::Path;

/// An area of each game, with the game's description.
fn areas() -> BTreeMap<GameId, (Box<dyn Area>, Description)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("areas");
    let inputs = batch::find(&[folder], None);
    assert!(inputs.errors.is_empty(), "{:?}", inputs.errors);
    let of = |area: Box<dyn Area>| {
        let game = area.game();
        (game, (area, game.game().description()))
    };
    let areas: BTreeMap<_, _> = inputs.tasks.into_iter().map(|task| of(task.area)).collect();
    assert_eq!(areas.len(), GameId::ALL.len());
    areas
}

#[test]
fn titles_goals_and_rules_are_sentences() {
    let mut titles = Vec::new();
    for (game, (_, description)) in areas() {
        let Description { title, goal, rules, .. } = description;
        assert!(title.starts_with(char::is_uppercase) && !titles.contains(&title), "{title}");
        assert!(goal.starts_with(char::is_uppercase) && !goal.ends_with('.'), "{game}: {goal}");
        assert!(rules.len() >= 3, "{game}");
        for rule in &rules {
            let is_whole = rule.starts_with(char::is_uppercase) && rule.ends_with('.');
            assert!(is_whole && !rule.contains("  ") && !rule.contains('\n'), "{game}: {rule}");
        }
        titles.push(title);
    }
}

/// A unit for each measure, and what counts in it under its name among the facts of a plan.
#[test]
fn units_are_those_of_the_measures() {
    for (game, (_, description)) in areas() {
        let measures: Vec<_> = game.game().measures().iter().map(|it| it.name()).collect();
        let units: Vec<_> = description.units.iter().map(|unit| unit.many).collect();
        match &measures[..] {
            [] => assert_eq!(units.len(), 1, "{game}"),
            measures => assert_eq!(units, measures, "{game}"),
        }
    }
}

#[test]
fn what_is_aimed_pushed_or_walked_far_is_there() {
    for (game, (area, description)) in areas() {
        let session = area.session();
        let (board, player) = session.extent();
        assert_eq!(session.aim(0, 0).is_some(), description.aim.is_some(), "{game}");
        if let Some(aim) = description.aim {
            let facts = session.view(board).facts;
            assert!(facts.iter().any(|fact| fact.name == aim.supply), "{game}: {facts:?}");
        }
        let is_long = description.pointing == Pointing::LongSteps;
        assert_eq!(session.walls().is_some(), is_long, "{game}");
        assert_eq!(description.long_steps.iter().filter(|step| step.moves).count() == 4, is_long);
        let has_things = session.legend().signs.iter().any(|sign| sign.role == Role::Settled);
        assert_eq!(description.pointing == Pointing::Push, has_things, "{game}");
        // A long step that moves is the step of the key that goes the same way.
        for step in description.long_steps.iter().filter(|step| step.moves) {
            let keys = session.keys();
            let key = keys.iter().find(|key| key.key == step.way).expect("a key for the way");
            assert_eq!(key.step, format!("{} 1", step.step), "{game}, {player:?}");
        }
    }
}
