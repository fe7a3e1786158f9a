//! Robots from outside: the statement's cases, both simulators side by side, the format on any
//! bytes, and the planner's claims against a plain search over the reference rules.

use outwit::board::Cell;
use outwit::diagnostic::Source;
use outwit::games::planning::Task;
use outwit::games::robots::format::{BOARD, Case, Move, START, read_cases, read_plan, text};
use outwit::games::robots::generate::{Kind, random};
use outwit::games::robots::program::{self, as_move};
use outwit::games::robots::rules::{Game, Place, Standing, place_of};
use outwit::games::robots::state::{Action, LONGEST_GAME, State, TELEPORT};
use outwit::games::robots::{Robots, planner};
use outwit::games::{Game as _, Objective, PlanError, Status};
use outwit::search::{Limits, Run, Verdict};
use outwit::verify::verify;
use proptest::prelude::*;
use rand::prelude::*;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn node_budget(nodes: u64) -> Run {
    Run::from(Limits { nodes: Some(nodes), threads: 1, ..Limits::seconds(1e6) })
}

fn cell(row: u32, col: u32) -> Cell {
    BOARD.cell(row - 1, col - 1)
}

#[test]
fn the_statements_program_gives_the_expected_bytes() {
    let cases = folder("tests/cases/robots");
    for name in ["sample", "random-11"] {
        let input = fs::read(cases.join(format!("{name}.in"))).unwrap();
        let expected = fs::read_to_string(cases.join(format!("{name}.out"))).unwrap();
        let mut output = Vec::new();
        Robots
            .simulate(&mut input.as_slice(), &mut output, &mut |warning| panic!("{warning}"))
            .unwrap();
        assert_eq!(String::from_utf8(output).unwrap(), expected, "{name}");
    }
}

/// A set of cells as the fast simulator keeps it.
fn rows(places: &BTreeSet<Place>) -> [u32; 32] {
    let mut rows = [0; 32];
    for &(row, col) in places {
        rows[row as usize] |= 1 << (col - 1);
    }
    rows
}

fn assert_same(state: &State, play: &Game, case: &Case) {
    assert_eq!(place_of(state.you()), play.you, "{}", case.text());
    assert_eq!(state.robots, rows(&play.robots), "{}", case.text());
    assert_eq!(state.debris, rows(&play.debris), "{}", case.text());
    assert_eq!(state.robots_left() as usize, play.robots.len());
    assert_eq!(state.debris_cells() as usize, play.debris.len());
    assert_eq!(state.is_cleared(), play.robots.is_empty());
    for (i, &(_, used)) in play.teleports.iter().enumerate() {
        assert_eq!(state.unused >> i & 1 == 0, used, "teleport {i}, {}", case.text());
    }
    let distance = |&(row, col): &Place| row.abs_diff(play.you.0) + col.abs_diff(play.you.1);
    let nearest = play.robots.iter().map(distance).min().unwrap_or(u32::MAX);
    assert_eq!(state.nearest(), nearest, "{}", case.text());
}

/// Makes a turn by every action on both simulators, counts them, and goes on from one of them; false
/// when the game is over.
fn turn(
    state: &mut State,
    play: &mut Game,
    case: &Case,
    random: &mut impl Rng,
    turns: &mut u64,
) -> bool {
    let all = 0..TELEPORT + case.teleports.len() as Action;
    let mut open = Vec::new();
    for action in all {
        let to = state.destination(action, &case.teleports);
        let mut after = play.clone();
        // A location listed twice: the reference uses the first unused entry, whichever is meant.
        if action >= TELEPORT {
            let entry = usize::from(action - TELEPORT);
            let mut twins = (0..case.teleports.len()).filter(|&i| {
                case.teleports[i] == case.teleports[entry] && state.unused >> i & 1 == 1
            });
            if twins.next().is_some_and(|first| first != entry) {
                continue;
            }
        }
        let stepped = after.step(as_move(action, case));
        assert_eq!(to.is_some(), stepped.is_ok(), "action {action}: {stepped:?}\n{}", case.text());
        if let Some(to) = to {
            let caught = state.is_caught(to);
            let next = state.advance(to);
            assert_eq!(caught, after.standing == Standing::Lost, "{}", case.text());
            let won = !caught && next.is_cleared();
            assert_eq!(won, after.standing == Standing::Won, "{}", case.text());
            assert_same(&next, &after, case);
            open.push((caught, next, after));
            *turns += 1;
        }
    }
    // Mostly on along moves that do not lose, so that games are long; a loss now and then.
    let safe: Vec<_> = open.iter().filter(|(caught, ..)| !caught).collect();
    let (_, next, after) = if safe.is_empty() || random.random_ratio(1, 50) {
        open.choose(random).expect("staying is legal")
    } else {
        *safe.choose(random).expect("not empty")
    };
    *state = *next;
    *play = after.clone();
    play.standing == Standing::Playing
}

#[test]
fn both_simulators_agree_over_a_million_turns() {
    const SEED: u64 = 20_010;
    println!("seed {SEED}");
    let mut random = random(SEED);
    let mut turns = 0;
    while turns < 1_000_000 {
        let mut case = Kind::mixed(&mut random).case(&mut random);
        if let Some(&first) = case.teleports.first() {
            let last = case.teleports.len() - 1;
            case.teleports[last] =
                *[case.teleports[last], first, START].choose(&mut random).unwrap();
        }
        let (mut state, mut play) = (State::new(&case), Game::new(&case));
        assert_same(&state, &play, &case);
        while turn(&mut state, &mut play, &case, &mut random, &mut turns) {}
        assert!(play.moves <= LONGEST_GAME as u64, "{}", case.text());
    }
}

#[test]
fn both_simulators_play_the_same_strategy() {
    const SEED: u64 = 7;
    println!("seed {SEED}");
    let mut random = random(SEED);
    for _ in 0..300 {
        let case = Kind::mixed(&mut random).case(&mut random);
        let game = program::play(&case);
        let mut play = Game::new(&case);
        let moves = play.follow_strategy();
        let fast: Vec<Move> = game.actions.iter().map(|&action| as_move(action, &case)).collect();
        assert_eq!(fast, moves, "{}", case.text());
        assert_eq!(game.won, play.standing == Standing::Won, "{}", case.text());
        assert_same(&game.end, &play, &case);
    }
}

#[test]
fn bad_files_are_told_where_and_why() {
    for (file, line, column, message) in [
        ("", 1, 1, "the file is empty"),
        ("1 0\n3 3\n", 3, 1, "ends without 0 0"),
        ("2 0\n3 3\n", 3, 1, "ends where a robot should be"),
        ("1 1\n3 3\n", 3, 1, "ends where a teleport location should be"),
        ("0 3\n", 1, 1, "out of range: 1 to 50"),
        ("51 0\n", 1, 1, "out of range: 1 to 50"),
        ("1 21\n", 1, 3, "out of range: 0 to 20"),
        ("1 -1\n", 1, 3, "not a whole number"),
        ("99999999999999999999999 0\n", 1, 1, "not a whole number"),
        ("1 0\n15 15\n0 0\n", 2, 1, "where you start"),
        ("1 0\n0 15\n0 0\n", 2, 1, "out of range: 1 to 31"),
        ("1 0\n15 32\n0 0\n", 2, 4, "out of range: 1 to 31"),
        ("1 1\n1 1\n1 99\n0 0\n", 3, 3, "out of range: 1 to 31"),
        ("2 0\n3 3\n 3 3\n0 0\n", 3, 2, "second robot"),
        ("1 0\n3\n0 0\n", 2, 2, "two numbers"),
        ("1 0\n3 3 3\n0 0\n", 2, 5, "two numbers"),
        ("1 0\nü x\n0 0\n", 2, 1, "not a whole number"),
        ("1 0\n3 3\n0 0\n1 1\n", 4, 1, "follows the closing 0 0"),
    ] {
        let error = read_cases(&Source::new("f", file)).unwrap_err();
        assert_eq!((error.line, error.column), (line, column), "{file:?}: {error}");
        assert!(error.message.contains(message), "{file:?}: {error}");
        assert!(!error.report(false).is_empty());
        let mut output = Vec::new();
        assert!(
            Robots
                .simulate(&mut file.as_bytes(), &mut output, &mut |warning| panic!("{warning}"))
                .is_err()
        );
        assert!(output.is_empty(), "nothing is written before all is read");
    }
    let loose = "\r\n 1   1 \r\n\r\n3 3\r\n15 15\r\n0 0\r\n\r\n";
    let cases = read_cases(&Source::new("f", loose)).unwrap();
    assert_eq!(text(&cases), "1 1\n3 3\n15 15\n0 0\n");
    assert!(read_cases(&Source::new("f", "0 0\n")).unwrap().is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn any_bytes_give_a_value_or_a_diagnostic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Robots.simulate(&mut bytes.as_slice(), &mut std::io::sink(), &mut |_| ());
        if let Ok(source) = Source::from_bytes("f", bytes) {
            Robots.recognises(&source.text);
            let _ = read_plan(&source).map_err(|error| error.report(false));
        }
    }

    #[test]
    fn nearly_right_files_give_a_value_or_a_diagnostic(text in "([0-9wt]{1,2} -?[0-9]{1,2}( 1)?\n){0,8}(0 0\n)?") {
        let source = Source::new("f", text);
        if let Ok(cases) = read_cases(&source) {
            let again = outwit::games::robots::format::text(&cases);
            prop_assert_eq!(read_cases(&Source::new("g", again)).unwrap(), cases);
        }
        if let Err(error) = read_plan(&source) {
            prop_assert!(error.line > 0 && error.report(false).contains("f:"));
        }
    }
}

fn only_area(case: &Case) -> Box<dyn outwit::games::Area> {
    let file = Source::new("case", text(std::slice::from_ref(case)));
    Robots.read(&file).unwrap().only().unwrap()
}

/// Case 1 of the statement's sample; two pairs that share columns.
fn two_pairs() -> Case {
    let robots = vec![cell(17, 18), cell(13, 18), cell(8, 12), cell(10, 12)];
    Case { robots, teleports: vec![cell(3, 7)] }
}

#[test]
fn replay_says_which_step_fails_and_why() {
    let area = only_area(&two_pairs());
    for (plan, step, reason) in [
        ("w 0 0\n", 2, "robots left"),
        ("w 0 0\nw 0 1\n", 2, "a robot moves onto you"),
        ("t 4 4\n", 1, "not in the teleport list"),
        ("t 3 7\nw 0 0\nt 3 7\n", 3, "has been used"),
    ] {
        match verify(&*area, &Source::new("plan", plan)) {
            Err(PlanError::Refused(refusal)) => {
                assert_eq!(refusal.step, step, "{plan:?}: {refusal:?}");
                assert!(refusal.reason.contains(reason), "{plan:?}: {refusal:?}");
                assert_eq!(refusal.board.lines().count(), 31);
            }
            other => panic!("{plan:?}: {other:?}"),
        }
    }
    for (plan, line) in [("w 0 2\n", 1), ("w 0 0\nx 1 1\n", 2), ("w 0 0\n\nw 0\n", 3), ("t 0 1", 1)]
    {
        match verify(&*area, &Source::new("plan", plan)) {
            Err(PlanError::Unreadable(error)) => assert_eq!(error.line, line, "{plan:?}: {error}"),
            other => panic!("{plan:?}: {other:?}"),
        }
    }
}

/// Lengths of the shortest wins by a breadth-first search over the reference rules.
fn shortest_win(case: &Case) -> Option<u64> {
    let key =
        |play: &Game| (play.you, play.robots.clone(), play.debris.clone(), play.teleports.clone());
    let start = Game::new(case);
    let mut seen = BTreeSet::from([key(&start)]);
    let mut layer = vec![start];
    while !layer.is_empty() {
        let mut next = Vec::new();
        for play in &layer {
            for action in 0..TELEPORT + case.teleports.len() as Action {
                let mut after = play.clone();
                match after.step(as_move(action, case)) {
                    Ok(Standing::Won) => return Some(after.moves),
                    Ok(Standing::Playing) if seen.insert(key(&after)) => next.push(after),
                    _ => {}
                }
            }
        }
        layer = next;
    }
    None
}

/// Cases in a corner of the board's possibilities where a plain search gets through.
fn small_case(random: &mut impl Rng) -> Case {
    let robots = random.random_range(2..=4);
    let near: Vec<Cell> = BOARD
        .iter()
        .filter(|&c| c != START && BOARD.chebyshev(c, START) <= random.random_range(2..=5))
        .collect();
    let mut robots: Vec<Cell> = near.sample(random, robots).copied().collect();
    // Half of them with a pair that can meet.
    if random.random_bool(0.5) {
        let partner = BOARD.cell(BOARD.row(robots[0]) as u32, random.random_range(10..20));
        if partner != START && !robots.contains(&partner) {
            robots.push(partner);
        }
    }
    let board: Vec<Cell> = BOARD.iter().collect();
    let teleports = random.random_range(0..=1);
    Case { robots, teleports: board.sample(random, teleports).copied().collect() }
}

#[test]
fn proofs_agree_with_a_plain_search_over_the_reference_rules() {
    const SEED: u64 = 3;
    println!("seed {SEED}");
    let mut random = random(SEED);
    let (mut proven, mut hopeless) = (0, 0);
    for _ in 0..60 {
        let case = small_case(&mut random);
        let outcome =
            planner::solve(&case, &Task::new(&Objective::default(), None, &node_budget(20_000)));
        match outcome.verdict {
            Verdict::Optimal if outcome.cost <= 9 => {
                assert_eq!(shortest_win(&case), Some(outcome.cost), "{}", case.text());
                assert_eq!(outcome.bound, outcome.cost);
                proven += 1;
            }
            Verdict::Impossible if case.teleports.is_empty() && hopeless < 15 => {
                assert_eq!(shortest_win(&case), None, "{}", case.text());
                hopeless += 1;
            }
            _ => {}
        }
    }
    assert!(proven >= 5 && hopeless >= 5, "{proven} wins and {hopeless} dead ends were compared");
}

#[test]
fn one_robot_alone_is_always_proven_unwinnable() {
    for (robot, teleports) in [(1, 0), (7, 3), (400, 20), (960, 20)] {
        let teleports: Vec<Cell> = (0..teleports).map(|i| Cell(i * 40 + 3)).collect();
        let case = Case { robots: vec![Cell(robot)], teleports };
        let outcome =
            planner::solve(&case, &Task::new(&Objective::default(), None, &node_budget(1000)));
        assert_eq!(outcome.verdict, Verdict::Impossible, "{}", case.text());
    }
}

#[test]
fn plans_are_accepted_never_longer_than_the_strategys_and_the_same_each_time() {
    const SEED: u64 = 11;
    println!("seed {SEED}");
    let mut random = random(SEED);
    for _ in 0..60 {
        let case = Kind::mixed(&mut random).case(&mut random);
        let area = only_area(&case);
        let budget = node_budget(2000);
        let answer = area.solve(&Objective::default(), None, &budget);
        let game = program::play(&case);
        let note = |name| answer.notes.iter().find(|f| f.name == name).unwrap().value.to_string();
        assert_eq!(note("strategy"), if game.won { "wins" } else { "fails" });
        assert_eq!(note("strategy moves"), game.actions.len().to_string());
        let Some(plan) = &answer.plan else {
            assert!(!game.won, "{}", case.text());
            continue;
        };
        let proof = verify(&*area, &Source::new("plan", plan.as_str())).unwrap();
        assert_eq!(Some(proof.validation().length), answer.length);
        assert!(answer.bound.expect("a bound") <= proof.validation().length, "{}", case.text());
        if game.won {
            assert!(proof.validation().length <= game.actions.len() as u64, "{}", case.text());
        }
        let other = Run::from(Limits { threads: 2, ..budget.limits });
        assert_eq!(
            area.solve(&Objective::default(), None, &other).plan,
            answer.plan,
            "{}",
            case.text()
        );
    }
}

#[test]
fn a_known_plan_is_only_answered_by_a_shorter_one() {
    let case = two_pairs();
    let area = only_area(&case);
    let first = area.solve(&Objective::default(), None, &node_budget(200_000));
    assert_eq!(first.verdict, Verdict::Optimal);
    let known = first.plan.as_deref();
    let second = area.solve(&Objective::default(), known, &node_budget(200_000));
    assert_eq!((second.verdict, second.plan), (Verdict::Optimal, None));
    assert_eq!(second.bound, first.length);
}

#[test]
fn a_session_plays_a_plan_and_takes_it_back() {
    let case = two_pairs();
    let area = only_area(&case);
    let plan = area.solve(&Objective::default(), None, &node_budget(50_000)).plan.unwrap();
    let mut session = area.session();
    let whole = session.extent().0;
    let before = session.view(whole);
    assert_eq!(before.rows.len(), 31);
    assert_eq!(before.rows[14].as_bytes()[14], b'@');
    assert_eq!(before.rows[16].as_bytes()[17], b'+');
    assert_eq!(before.rows[2].as_bytes()[6], b'o');
    assert!(session.act("w 9 9").is_err() && session.act("").is_err());
    for step in plan.lines() {
        assert_eq!(session.status(), Status::Playing);
        session.act(step).unwrap();
    }
    assert_eq!(session.status(), Status::Won);
    assert_eq!(session.plan(), plan);
    assert!(session.act("w 0 0").is_err());
    while session.undo() {}
    assert_eq!(session.view(whole), before);
    session.act("t").unwrap();
    assert_eq!(session.plan(), "t 3 7\n");
    assert!(session.act("t").is_err(), "no location is left");
}

#[test]
fn generated_cases_come_with_a_plan_and_repeat() {
    let mut options = outwit::games::GenerateOptions { seed: 5, ..Default::default() };
    options.values.insert("tries".into(), "2".into());
    let made = Robots.generate(&options).unwrap();
    let area = Robots.read(&Source::new("made", made.area.as_str())).unwrap().only().unwrap();
    verify(&*area, &Source::new("plan", made.plan.as_str())).unwrap();
    let again = Robots.generate(&options).unwrap();
    assert_eq!((again.area, again.plan), (made.area, made.plan));
    for (name, value) in [("robots", "1"), ("robots", "51"), ("spread", "0"), ("tries", "x")] {
        let mut options = outwit::games::GenerateOptions { seed: 5, ..Default::default() };
        options.values.insert(name.into(), value.into());
        assert!(Robots.generate(&options).is_err(), "{name} {value}");
    }
}

#[test]
fn every_area_in_the_folder_has_a_plan_that_wins() {
    let mut areas = 0;
    for entry in fs::read_dir(folder("areas/robots")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "txt") {
            continue;
        }
        let file = Source::read(&path).unwrap();
        let area = Robots.read(&file).unwrap().only().unwrap();
        let plan =
            folder("solutions/robots").join(path.file_name().unwrap()).with_extension("plan");
        verify(&*area, &Source::read(&plan).unwrap())
            .unwrap_or_else(|error| panic!("{}: {error:?}", path.display()));
        areas += 1;
    }
    assert!(areas >= 10, "{areas} areas");
}
