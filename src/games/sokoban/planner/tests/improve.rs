//! Plans made shorter, against plain search.

use super::exact::{check_solved, least_pushes};
use super::{nodes, own_areas};
use crate::board::mix;
use crate::games::sokoban::board::samples::made;
use crate::games::sokoban::board::{Board, Push};
use crate::games::sokoban::lurd;
use crate::games::sokoban::planner::analysis::Prepared;
use crate::games::sokoban::planner::bidirectional;
use crate::games::sokoban::planner::fess::restarts::FessRestarts;
use crate::games::sokoban::planner::improve::shortening::Shortening;
use crate::games::sokoban::planner::improve::window::{
    KnownPlan, MOST_ASTRAY, Price, Stretch, WindowResult, WindowSearch,
};
use crate::games::sokoban::planner::pushes::Ended;
use crate::games::sokoban::planner::tuning::Tuning;
use crate::games::sokoban::rules::Game;
use crate::search::Clock;
use crate::search::crew::Crew;

/// What a search near a whole plan finds.
fn near(
    (level, clock): (Prepared<'_>, &Clock),
    plan: &[Push],
    price: Price,
    astray: Option<u8>,
) -> WindowResult {
    let Prepared { board, distances, .. } = level;
    let moves = lurd::moves(board, plan).expect("a plan");
    let known = KnownPlan { pushes: plan, moves: &moves };
    let boxes = (0..board.boxes.len()).collect();
    let stretch = Stretch { from: 0, to: plan.len(), boxes, astray };
    WindowSearch::new(board, distances, known, &stretch, price, clock).run(usize::MAX)
}

/// Any plan, of feature-space search.
fn some_plan(level: Prepared<'_>, seed: u64, clock: &Clock) -> Vec<Push> {
    match FessRestarts::new(level, seed).run(clock, (u64::MAX, u64::MAX), usize::MAX) {
        Ended::Solved(pushes) => pushes,
        other => panic!("seed {seed}: {other:?}"),
    }
}

/// Calls back with levels of three boxes, the least pushes of each, and a plan.
fn each_level(
    seeds: std::ops::Range<u64>,
    mut check: impl FnMut(u64, (Prepared<'_>, &Clock), usize, Vec<Push>),
) {
    for seed in seeds {
        let Some(level) = made(seed, 6, 7, 3, 14) else { continue };
        let Some(least) = least_pushes(Game::new(&level), 15_000) else { continue };
        let board = Board::new(&level);
        let (analysis, distances) = super::prepared(&board);
        let level = Prepared {
            board: &board,
            analysis: &analysis,
            distances: &distances,
            tuning: &Tuning::default(),
        };
        let budget = nodes(u64::MAX, 1);
        let clock = budget.start();
        let plan = some_plan(level, seed, &clock);
        check(seed, (level, &clock), least as usize, plan);
    }
}

#[test]
fn near_a_plan_with_all_boxes_astray_is_everywhere() {
    assert_eq!(MOST_ASTRAY, 3);
    let (mut checked, mut shorter, mut by_astray) = (0, 0, [0; 4]);
    each_level(0..150, |seed, level, least, plan| {
        for astray in 0..=MOST_ASTRAY {
            let found = near(level, &plan, Price::Pushes, Some(astray));
            let length = match &found {
                WindowResult::Cheaper(pushes) => {
                    check_solved(level.0.board, pushes);
                    assert!(pushes.len() < plan.len(), "seed {seed}");
                    pushes.len()
                }
                WindowResult::Nothing => plan.len(),
                WindowResult::GaveUp => panic!("seed {seed}: it gave up"),
            };
            assert!(length >= least, "seed {seed}: {length} of {least}");
            by_astray[astray as usize] += length - least;
            if astray == MOST_ASTRAY {
                assert_eq!(length, least, "seed {seed}");
                (checked, shorter) = (checked + 1, shorter + u32::from(least < plan.len()));
            }
        }
    });
    let count = format!("{checked} plans, {shorter} too long, then by {by_astray:?}");
    assert!(checked > 80 && shorter > 20, "{count}");
    assert!(by_astray[0] > by_astray[1] && by_astray.is_sorted_by(|a, b| a >= b), "{count}");
}

#[test]
fn plans_are_exchanged_for_others_of_as_many_pushes() {
    let (mut checked, mut others) = (0, 0);
    each_level(150..300, |seed, level, least, plan| {
        let WindowResult::Cheaper(best) = near(level, &plan, Price::Pushes, None) else { return };
        assert_eq!(best.len(), least, "seed {seed}");
        for lot in 0..4 {
            let price = Price::PushesThenLots(mix(seed ^ lot) as u32);
            checked += 1;
            if let WindowResult::Cheaper(other) = near(level, &best, price, Some(2)) {
                check_solved(level.0.board, &other);
                assert_eq!(other.len(), least, "seed {seed}");
                assert_ne!(other, best, "seed {seed}");
                others += 1;
            }
        }
    });
    assert!(checked > 100 && others > checked / 4, "{others} of {checked}");
}

#[test]
fn two_plans_lead_to_one_that_is_no_longer() {
    let (mut checked, mut shorter) = (0, 0);
    each_level(250..450, |seed, (level, clock), least, plan| {
        let other = some_plan(level, seed + 1000, clock);
        let (plan, other) = if plan.len() <= other.len() { (plan, other) } else { (other, plan) };
        let mut shortening = Shortening::of_pushes(level, plan.clone()).expect("a plan");
        assert!(shortening.relink(&other, 10_000, clock) <= 10_000, "seed {seed}");
        check_solved(level.board, &shortening.plan);
        let length = shortening.plan.len();
        assert!((least..=plan.len()).contains(&length), "seed {seed}: {length}");
        (checked, shorter) = (checked + 1, shorter + u32::from(length < plan.len()));
    });
    assert!(checked > 80 && shorter > 15, "{shorter} of {checked}");
}

#[test]
fn plans_from_both_ends_are_the_shorter_the_less_the_bound_weighs() {
    let mut sums = [0; 2];
    for (name, level) in own_areas() {
        let board = Board::new(&level);
        let budget = nodes(u64::MAX, 1);
        let clock = budget.start();
        let plans = [8, 1].map(|weight| {
            let search = bidirectional::search(&board, clock.left(), weight);
            let mut search = search.expect("it fits");
            match search.run(&clock, 10_000, usize::MAX, &Crew::default()) {
                Ended::Solved(plan) => Some(plan),
                Ended::Stopped(_) => None,
                other => panic!("{name}, weight {weight}: {other:?}"),
            }
        });
        plans.iter().flatten().for_each(|plan| check_solved(&board, plan));
        if let [Some(heavy), Some(light)] = plans {
            sums = [sums[0] + heavy.len(), sums[1] + light.len()];
        }
    }
    let [heavy, light] = sums;
    assert!(light > 500 && light < heavy, "{light} and {heavy} pushes");
}
