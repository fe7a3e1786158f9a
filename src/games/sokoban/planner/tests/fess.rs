//! Feature-space search, its deadlocks and its restarts.

use super::{
    brute_force, nodes, own_areas, own_solution, prepared, project, rules, small_levels, thorough,
};
use crate::diagnostic::Source;
use crate::games::sokoban::board::region::Flood;
use crate::games::sokoban::board::square_set::put;
use crate::games::sokoban::board::{Board, State};
use crate::games::sokoban::format::read_levels;
use crate::games::sokoban::lurd;
use crate::games::sokoban::planner::analysis::Prepared;
use crate::games::sokoban::planner::analysis::level::LevelAnalysis;
use crate::games::sokoban::planner::analysis::macro_moves::{MacroMoveGenerator, Motion};
use crate::games::sokoban::planner::deadlock::Deadlocks;
use crate::games::sokoban::planner::fess::expand_macros::expand_macros;
use crate::games::sokoban::planner::fess::finish::{HybridSearch, Limits};
use crate::games::sokoban::planner::fess::mobility::{Mobility, Pushes};
use crate::games::sokoban::planner::fess::restarts::FessRestarts;
use crate::games::sokoban::planner::fess::{Fess, Found, Style};
use crate::games::sokoban::planner::packing;
use crate::games::sokoban::planner::packing::plan_search::{ExitOrder, ExitRules};
use crate::games::sokoban::planner::pushes::Ended;
use crate::games::sokoban::planner::tuning::Tuning;
use crate::games::sokoban::solution::read_keys;
use crate::games::{Area, GameId, GenerateOptions, Objective};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// Feature-space search leaves out nothing that is needed: alone it solves what can be solved, and
/// is through with what cannot. In many of these levels a corral has to be played first.
#[test]
fn feature_space_search_alone_is_complete() {
    let (mut solved, mut exhausted) = (0, 0);
    for level in small_levels("3") {
        let board = Board::new(&level);
        if !board.balanced() {
            continue;
        }
        let (analysis, distances) = prepared(&board);
        let prepared = Prepared {
            board: &board,
            analysis: &analysis,
            distances: &distances,
            tuning: &Tuning::default(),
        };
        let budget = nodes(u64::MAX, 1);
        let clock = budget.start();
        let packing = Arc::new(packing::plan(
            &board,
            &analysis,
            thorough(ExitOrder::Far, ExitRules::STRICT),
            &clock,
        ));
        let mut search = Fess::new(prepared, packing, Style::default());
        match (search.run(&clock, (200_000, u64::MAX), 1 << 28), brute_force(&level, false)) {
            (Found::Solved(_), Some(_)) => solved += 1,
            (Found::Exhausted, None) => exhausted += 1,
            (found, least) => panic!("{found:?}, but {least:?} pushes:\n{}", level.board()),
        }
    }
    assert!(solved > 30 && exhausted > 10, "{solved} solved, {exhausted} exhausted");
}

/// Along every solution nothing is called dead, though what the tests learn from the pushes beside
/// it is kept.
#[test]
fn no_position_that_can_be_solved_is_called_dead() {
    let mut dead = 0;
    for (name, level) in own_areas() {
        let keys = read_keys(&own_solution(&name)).expect("keys");
        let directions: Vec<_> = keys.iter().map(|key| key.direction).collect();
        let board = Board::new(&level);
        let analysis = LevelAnalysis::new(&board);
        let mut deadlocks = Deadlocks::new(&board, &analysis.live, 100);
        let mut is_dead = |state: &State<'_>, moved: u16| {
            let boxes = state.boxes();
            let mut bits = vec![0; analysis.words];
            boxes.iter().for_each(|&s| put(&mut bits, s));
            deadlocks.is_dead_quickly(&state.occupied, &bits, moved, state.player)
                || deadlocks.is_dead(&boxes, state.player)
        };
        let mut state = State::new(&board);
        let mut flood = Flood::new(&board.layout);
        let mut beside = Vec::new();
        for (i, &push) in lurd::pushes_of(&board, &directions).expect("pushes").iter().enumerate() {
            state.pushes(&mut flood, &mut beside);
            for &push in &beside {
                let to = board.next[push.from as usize][push.direction as usize];
                state.push(push);
                dead += usize::from(is_dead(&state, to));
                state.undo();
            }
            let to = board.next[push.from as usize][push.direction as usize];
            state.push(push);
            assert!(!is_dead(&state, to), "{name}: after push {}", i + 1);
        }
    }
    assert!(dead > 100, "only {dead} pushes beside the solutions are known to be dead");
}

/// What best-first search teaches feature-space search where it proves a position dead holds for
/// no position of a solution.
#[test]
fn no_learned_deadlock_is_on_the_way_of_a_solution() {
    let mut learned = 0;
    for seed in 0..12 {
        let mut options = GenerateOptions { seed, ..GenerateOptions::default() };
        options.values.insert("boxes".into(), "7".into());
        let made = GameId::Sokoban.game().generate(&options).expect("a level");
        let level = &read_levels(&Source::new("made", made.area.as_str())).expect("a level")[0];
        let answer = level.solve(&Objective::default(), None, &nodes(200_000, 1));
        let plan = answer.plan.expect("a plan");
        let keys = read_keys(&Source::new("plan", plan.as_str())).expect("keys");
        let directions: Vec<_> = keys.iter().map(|key| key.direction).collect();
        let board = Board::new(level);
        let (analysis, distances) = prepared(&board);
        let prepared = Prepared {
            board: &board,
            analysis: &analysis,
            distances: &distances,
            tuning: &Tuning::default(),
        };
        let budget = nodes(u64::MAX, 1);
        let clock = budget.start();
        let packing = Arc::new(packing::plan(
            &board,
            &analysis,
            thorough(ExitOrder::Drawn(seed), rules(seed)),
            &clock,
        ));
        let search = Fess::new(prepared, packing, Style::default());
        let mut hybrid = HybridSearch::new(prepared, search);
        for round in 1..6 {
            let limits =
                Limits { features: round * 40, handed: 300, nodes: u64::MAX, memory: 1 << 28 };
            if matches!(hybrid.run(&clock, limits), Ended::Exhausted) {
                break;
            }
        }
        let search = hybrid.search;
        learned += search.deadlocks.patterns();
        let mut state = State::new(&board);
        for &push in &lurd::pushes_of(&board, &directions).expect("pushes") {
            state.push(push);
            let mut bits = vec![0; analysis.words];
            state.boxes().iter().for_each(|&s| put(&mut bits, s));
            assert!(!search.deadlocks.matches_any(&bits, state.player), "seed {seed}");
        }
    }
    assert!(learned > 20, "only {learned} deadlocks were learned");
}

/// A search that begins at a position it was given, or at one of its own, ends with pushes from the
/// level's start, which are possible and fill every target.
#[test]
fn searches_begun_anew_tell_the_whole_way() {
    let (mut solved, mut through) = (0, 0);
    for name in ["pull-9x11-4-401", "pull-10x14-7-700", "pull-12x17-10-1001", "pull-14x18-12-1100"]
    {
        let path = project(&format!("areas/sokoban/{name}.xsb"));
        let level = &read_levels(&Source::read(&path).expect("a file")).expect("a level")[0];
        let board = Board::new(level);
        let (analysis, distances) = prepared(&board);
        let prepared = Prepared {
            board: &board,
            analysis: &analysis,
            distances: &distances,
            tuning: &Tuning::default(),
        };
        let budget = nodes(u64::MAX, 1);
        let clock = budget.start();
        for seed in 0..4 {
            let packing = Arc::new(packing::plan(
                &board,
                &analysis,
                thorough(ExitOrder::Drawn(seed), rules(seed)),
                &clock,
            ));
            let mut search = Fess::new(prepared, packing, Style::default());
            let mut restarts = FessRestarts::new(prepared, seed);
            let mut given = Vec::new();
            if let Found::Stopped(_) = search.run(&clock, (3, u64::MAX), 1 << 28) {
                given.extend(search.best_nodes(3).into_iter().map(|node| search.reached(node)));
            }
            given.iter().for_each(|reached| restarts.keep(reached.clone()));
            let Ended::Solved(pushes) = restarts.run(&clock, (60_000, 60_000), 1 << 28) else {
                continue;
            };
            assert!(lurd::write(&board, &pushes).is_some(), "{name}, seed {seed}");
            let mut state = State::new(&board);
            pushes.iter().for_each(|&push| state.push(push));
            let mut boxes = state.boxes().to_vec();
            boxes.sort_unstable();
            assert_eq!(boxes, board.targets, "{name}, seed {seed}");
            solved += 1;
            let passes = |macro_moves| {
                pushes.starts_with(&expand_macros(&board, macro_moves).expect("pushes"))
            };
            through +=
                usize::from(given.iter().any(|reached| {
                    !reached.macro_moves.is_empty() && passes(&reached.macro_moves)
                }));
        }
    }
    assert!(solved >= 8 && through >= 2, "{solved} solved, {through} through a given position");
}

/// The pushes that the player can do with a lifted box on each of its stops are those that another
/// walk over the board finds.
#[test]
fn pushes_counted_while_a_box_is_lifted_are_those_counted_anew() {
    let seed = 31;
    println!("seed {seed}");
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let (mut checked, mut parted_ones) = (0, 0);
    for (name, level) in own_areas() {
        let board = Board::new(&level);
        let mut flood = Flood::new(&board.layout);
        let mut before = Flood::new(&board.layout);
        let mut generator = MacroMoveGenerator::new(&board);
        let mut mobility = Mobility::new(&board);
        let mut state = State::new(&board);
        let mut pushes = Vec::new();
        let words = board.squares().div_ceil(64);
        let (mut whole, mut region) = (vec![0; words], vec![0; words]);
        for _ in 0..20 {
            state.pushes(&mut flood, &mut pushes);
            let Some(&push) = pushes.get(random.random_range(0..pushes.len().max(1))) else {
                break;
            };
            before.fill(&state.occupied, state.player);
            let mut occupied = state.occupied.clone();
            occupied.set(push.from, false);
            generator.analyse(&board, &occupied);
            generator.component(push.from, &mut whole);
            let stay = state.boxes().into_iter().filter(|&s| s != push.from);
            mobility.count(&board, stay.clone(), &occupied, (&whole, &before));
            generator.reach(&board, push.from, Some(state.player), Motion::Push, |_| true);
            for stop in generator.reached() {
                let to = stop.square;
                let player = board.next[to as usize][stop.side as usize];
                occupied.set(to, true);
                generator.region(&board, (to, player), &whole, &mut region);
                let parted = generator.regions_with(to) > generator.regions();
                let around = if parted { &region } else { &whole };
                let counted = mobility.with(&board, &occupied, to, (around, parted));
                flood.fill(&occupied, player);
                let mut fresh = Pushes::default();
                for s in stay.clone().chain([to]) {
                    for d in 0..4 {
                        let (ahead, behind) =
                            (board.next[s as usize][d], board.next[s as usize][d ^ 2]);
                        let possible = flood.contains(behind) && !occupied[ahead as usize];
                        fresh.possible += u16::from(possible);
                        fresh.new += u16::from(possible && s != to && !before.contains(behind));
                    }
                }
                assert_eq!(counted, fresh, "{name}: the box from {} on {to}", push.from);
                occupied.set(to, false);
                checked += 1;
                parted_ones += usize::from(parted);
            }
            state.push(push);
        }
    }
    assert!(checked > 1000 && parted_ones > 100, "{checked} checked, {parted_ones} parted");
}
