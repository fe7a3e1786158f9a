//! Monsters: the planner against a plain breadth-first search, plans that hold, made levels, and
//! arbitrary inputs.

use outwit::board::Shape;
use outwit::diagnostic::Source;
use outwit::games::monsters::format::{
    Key, Level, MAX_COMPLEXITY, plan_text, read_level, read_plan,
};
use outwit::games::monsters::generate::{Kind, random_level, random_shape};
use outwit::games::monsters::planner::{Bounds, solve};
use outwit::games::monsters::program;
use outwit::games::monsters::rules::{Game, Standing, replay};
use outwit::games::monsters::state::Board;
use outwit::games::planning::Task;
use outwit::games::{GameId, GenerateOptions, Objective};
use outwit::search::{Limits, Outcome, Run, Verdict};
use outwit::verify::verify;
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::HashSet;

/// Random small levels that the planner is compared on.
const SMALL_LEVELS: usize = 300;
/// Worlds a level may reach before the plain search gives it up.
const MOST_WORLDS: usize = 3_000;

/// The length of the shortest plan by breadth-first search over the reference rules: `None` where
/// it is given up, `Some(None)` where there is no plan.
fn shortest(level: &Level) -> Option<Option<u64>> {
    let start = Game::new(level);
    if start.standing() == Standing::Won {
        return Some(Some(0));
    }
    let mut seen = HashSet::from([start.tiles().to_vec()]);
    let mut layer = vec![start];
    for turn in 1.. {
        let mut next = Vec::new();
        for world in &layer {
            for key in Key::ALL {
                let mut child = world.clone();
                child.act(key);
                match child.standing() {
                    Standing::Won if world.standing() == Standing::Playing => {
                        return Some(Some(turn));
                    }
                    Standing::Playing if seen.insert(child.tiles().to_vec()) => next.push(child),
                    _ => {}
                }
            }
        }
        if next.is_empty() {
            return Some(None);
        }
        if seen.len() > MOST_WORLDS {
            return None;
        }
        layer = next;
    }
    None
}

#[test]
fn the_shortest_plan_is_the_one_of_a_plain_search() {
    let seed = 41;
    println!("seed {seed}");
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut compared, mut impossible, mut longest) = (0, 0, 0);
    for index in 0..SMALL_LEVELS {
        let shape = random_shape(8, 9, &mut rng);
        let mut level = random_level(Kind::ALL[index % 6], shape, &mut rng);
        close_border(&mut level, &mut rng);
        let Some(length) = shortest(&level) else { continue };
        let outcome = solved(&level, None, &nodes(20_000));
        compared += 1;
        match length {
            Some(length) => {
                assert_eq!(outcome.verdict, Verdict::Optimal, "{}", level.text());
                assert_eq!((outcome.cost, outcome.bound), (length, length), "{}", level.text());
                longest = longest.max(length);
            }
            None => {
                assert_eq!(outcome.verdict, Verdict::Impossible, "{}", level.text());
                impossible += 1;
            }
        }
    }
    println!("{compared} compared, {impossible} impossible, longest {longest}");
    assert!(compared > SMALL_LEVELS / 2 && impossible > 20 && longest > 8);
}

/// Closes most of the border, so that the way out is long.
fn close_border(level: &mut Level, rng: &mut ChaCha8Rng) {
    use outwit::games::monsters::format::{Tile, is_border};
    for cell in level.shape.iter().filter(|&cell| is_border(level.shape, cell)) {
        if level.tiles[cell.index()] == Tile::Floor && rng.random_bool(0.8) {
            level.tiles[cell.index()] = Tile::Wall;
        }
    }
}

/// The planner's answer, where a plan of this many turns is known.
fn solved(level: &Level, known: Option<usize>, run: &Run) -> Outcome<Key> {
    let known = known.map(|length| vec![Key::Wait; length]);
    solve(level, &Task::new(&Objective::default(), known, run))
}

fn nodes(nodes: u64) -> Run {
    Run::from(Limits { nodes: Some(nodes), ..Limits::seconds(3600.0) })
}

#[test]
fn the_bound_never_exceeds_the_way_that_was_found() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let mut checked = 0;
    for index in 0..200 {
        let level = random_level(Kind::ALL[index % 6], random_shape(10, 14, &mut rng), &mut rng);
        let Some(keys) = solved(&level, None, &nodes(2_000)).plan else {
            continue;
        };
        let (mut board, mut bounds) = (Board::new(&level), Bounds::default());
        for (done, &key) in keys.iter().enumerate() {
            assert!(bounds.bound(&board) as usize <= keys.len() - done, "{}", level.text());
            board.act(key);
            checked += 1;
        }
    }
    assert!(checked > 200);
}

#[test]
fn a_plan_is_the_same_for_any_number_of_threads_and_holds() {
    let mut rng = ChaCha8Rng::seed_from_u64(12);
    for index in 0..24 {
        let shape = Shape { rows: 16, cols: 30 };
        let level = random_level(Kind::ALL[index % 6], shape, &mut rng);
        // Few nodes: the beam has its turn as well.
        let budget = |threads| Run::from(Limits { threads, ..nodes(100).limits });
        let [one, two] = [1, 2].map(|threads| solved(&level, None, &budget(threads)));
        assert_eq!((one.verdict, &one.plan), (two.verdict, &two.plan));
        if let Some(keys) = one.plan {
            let text = Source::new("plan", plan_text(&keys));
            let planned = read_plan(&text, &level).unwrap();
            assert_eq!(replay(&level, &planned, &text).unwrap().turn(), keys.len() as u64);
        }
    }
}

#[test]
fn a_known_plan_is_proven_or_beaten() {
    let text = "5 9\n#########\n#@......#\n#.#####.#\n#.......#\n#.#######\n";
    let (level, _) = read_level(&Source::new("level", text)).unwrap();
    let best = solved(&level, Some(3), &nodes(10_000));
    assert_eq!((best.verdict, best.plan, best.cost), (Verdict::Optimal, None, 3));
    let better = solved(&level, Some(4), &nodes(10_000));
    assert_eq!((better.verdict, better.cost), (Verdict::Optimal, 3));
}

#[test]
fn a_made_level_is_won_within_its_complexity_and_made_again_the_same() {
    let game = GameId::Monsters.game();
    for kind in ["all", "mines"] {
        let values = [("rows", "8"), ("cols", "12"), ("steps", "8"), ("nodes", "500")];
        let mut options = GenerateOptions { seed: 3, ..GenerateOptions::default() };
        options.values.extend(values.map(|(name, value)| (name.into(), value.into())));
        options.values.insert("monsters".into(), kind.into());
        let made = game.generate(&options).unwrap();
        let again = game.generate(&options).unwrap();
        assert_eq!((&made.area, &made.plan), (&again.area, &again.plan));
        let area = game.read(&Source::new("made.txt", made.area.as_str())).unwrap().only().unwrap();
        let verified = verify(&*area, &Source::new("made.plan", made.plan.as_str())).unwrap();
        let (level, _) = read_level(&Source::new("made.txt", made.area)).unwrap();
        assert!(level.complexity() * (verified.validation().length + 1) <= MAX_COMPLEXITY);
    }
    let options = |name: &str, value: &str| {
        let mut options = GenerateOptions::default();
        options.values.insert(name.into(), value.into());
        options
    };
    for (name, value) in [("rows", "4"), ("cols", "81"), ("steps", "x"), ("complexity", "0")] {
        assert!(game.generate(&options(name, value)).is_err(), "{name} {value}");
    }
}

#[test]
fn the_one_file_form_is_verified_and_another_level_refused() {
    let game = GameId::Monsters.game();
    let one_file = "3 4\n####\n#@..\n####\nd\nd\n";
    let area = game.read(&Source::new("one.txt", one_file)).unwrap().only().unwrap();
    assert_eq!(verify(&*area, &Source::new("one.txt", one_file)).unwrap().validation().length, 2);
    let other = "3 4\n####\n#@.#\n####\nd\nd\n";
    assert!(verify(&*area, &Source::new("other.txt", other)).is_err());
    for wrong in ["d\n", "d\nd\nd\n", ""] {
        assert!(verify(&*area, &Source::new("wrong", wrong)).is_err(), "{wrong:?}");
    }
}

#[test]
fn every_area_has_a_plan_within_the_contests_complexity() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut areas = 0;
    for entry in std::fs::read_dir(root.join("areas/monsters")).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        let plan = root.join("solutions/monsters").join(format!("{stem}.plan"));
        let area =
            GameId::Monsters.game().read(&Source::read(&path).unwrap()).unwrap().only().unwrap();
        let verified = verify(&*area, &Source::read(&plan).unwrap()).expect(&stem);
        let facts = &verified.validation().facts;
        assert!(facts.iter().any(|f| f.name.starts_with("within") && f.value == *"yes"), "{stem}");
        areas += 1;
    }
    assert!(areas >= 15);
}

/// Text that looks like a level from afar.
fn level_like() -> impl Strategy<Value = String> {
    let row = "[.@#*Xo?!%^v<>O \r]{0,8}";
    let rows = proptest::collection::vec(row, 0..8).prop_map(|rows| rows.join("\n"));
    ("[0-9]{0,2} ?[0-9]{0,2}", rows, "[wasd \n?é]{0,12}")
        .prop_map(|(header, rows, keys)| format!("{header}\n{rows}\n{keys}"))
}

proptest! {
    #[test]
    fn any_bytes_give_a_level_or_a_diagnostic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        any_input(&bytes);
    }

    #[test]
    fn any_text_like_a_level_gives_a_level_or_a_diagnostic(text in level_like()) {
        any_input(text.as_bytes());
    }
}

fn any_input(bytes: &[u8]) {
    let game = GameId::Monsters.game();
    match Source::from_bytes("input", bytes.to_vec()) {
        Err(diagnostic) => assert!(!diagnostic.report(false).is_empty()),
        Ok(source) => {
            game.recognises(&source.text);
            match game.read(&source) {
                Err(diagnostic) => assert!(!diagnostic.report(false).is_empty()),
                Ok(areas) => {
                    // A level with keys is a plan that can be read, whether it holds or not.
                    let replayed = areas.only().unwrap().replay(&source);
                    assert!(!matches!(replayed, Err(outwit::games::PlanError::Unreadable(_))));
                }
            }
        }
    }
    let (mut input, mut output) = (bytes, Vec::new());
    let _ = program::simulate(&mut input, &mut output, &mut |warning| {
        assert!(!warning.report(false).is_empty());
    });
}
