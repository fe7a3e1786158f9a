//! The planner of Sokoban: a portfolio of searches for any plan, A* for a shortest one, windows for
//! a plan that is known.
//!
//! The rooms, in the order in which a plan passes through them:
//!
//! | room | what is in it |
//! |---|---|
//! | [`analysis`] | what is known before a search: dead squares, rooms, push distances, symmetries |
//! | `limits` | boards that are too large for a budget, time that is set aside |
//! | `portfolio` | several searches that take turns until one has a plan |
//! | [`fess`] | feature-space search over macro moves, the main strategy, and its restarts |
//! | [`packing`] | packing plans: in which order to fill the targets |
//! | [`backward`] | best-first search from the solved board |
//! | [`bidirectional`] | search from both ends on bit boards, for small crowded levels |
//! | [`pushes`] | best-first search over single pushes, and its tables |
//! | [`deadlock`] | proofs that a position has no solution |
//! | [`bound`] | lower bounds of the pushes that are left |
//! | `exact` | plans of least pushes or moves |
//! | [`mod@improve`] | shorter plans from a known one |
//! | [`lurd`] | pushes to LURD and back |
//!
//! All searches work on pushes. Text is read and written here alone, by [`lurd`].

pub mod analysis;
pub mod backward;
pub mod bidirectional;
pub mod bound;
pub mod deadlock;
mod exact;
pub mod fess;
pub mod improve;
mod limits;
pub mod lurd;
pub mod packing;
mod portfolio;
pub mod pushes;

use super::board::{Board, Push};
use super::format::Level;
use crate::games::fact::Fact;
use crate::games::objective::Objective;
use crate::games::plan::Answer;
use crate::search::{Budget, Clock, Outcome, Statistics, Verdict};
use analysis::Prepared;
use analysis::level::LevelAnalysis;
use analysis::push_distance::PushDistances;
use pushes::Measure;
use std::sync::Arc;

/// Solves a level: with least pushes or moves where the objective says so, else with any plan.
pub fn solve(level: &Level, objective: &Objective, known: Option<&str>, budget: &Budget) -> Answer {
    let clock = budget.start();
    let board = Board::new(level);
    let (outcome, notes) = solve_board(&board, objective, known, &clock);
    answer(&board, outcome, notes, &clock)
}

fn solve_board(
    board: &Board,
    objective: &Objective,
    known: Option<&str>,
    clock: &Clock<'_>,
) -> (Outcome<Push>, Vec<Fact>) {
    if !board.balanced() {
        return (impossible(), Vec::new());
    }
    if let Some((outcome, note)) = limits::refusal(board, clock.budget) {
        return (outcome, vec![note]);
    }
    let analysis = LevelAnalysis::new(board);
    let distances = Arc::new(PushDistances::new(board));
    let Some(bound) = bound::of_start(board, &distances) else {
        return (impossible(), Vec::new());
    };
    let level = Prepared { board, analysis: &analysis, distances: &distances };
    let budget = &Budget { time: limits::left_for_search(clock), ..clock.budget.clone() };
    if objective.prove {
        let measure = Measure::of(objective);
        let known = known.and_then(|plan| lurd::read(board, plan));
        return (exact::solve(level, measure, known, budget), vec![measure.fact()]);
    }
    let (outcome, winner) = portfolio::solve(level, budget);
    let notes = winner.map(|name| Fact::new("strategy", name)).into_iter().collect();
    (Outcome { bound, ..outcome }, notes)
}

/// Shortens a plan that is given as LURD; the answer is never longer.
pub fn improve(level: &Level, plan: &str, objective: &Objective, budget: &Budget) -> Answer {
    let clock = budget.start();
    let board = Board::new(level);
    let (outcome, notes) = improve_on_board(&board, plan, objective, &clock);
    answer(&board, outcome, notes, &clock)
}

fn improve_on_board(
    board: &Board,
    plan: &str,
    objective: &Objective,
    clock: &Clock<'_>,
) -> (Outcome<Push>, Vec<Fact>) {
    if let Some((outcome, note)) = limits::refusal(board, clock.budget) {
        return (outcome, vec![note]);
    }
    let Some(pushes) = lurd::read(board, plan) else {
        return (Outcome::unknown(0, Statistics::default()), Vec::new());
    };
    let distances = PushDistances::new(board);
    let bound = bound::of_start(board, &distances).unwrap_or(0);
    let measure = Measure::of(objective);
    let left = Budget { time: limits::left_for_search(clock), ..clock.budget.clone() };
    let left = left.start();
    let (pushes, expanded) = improve::improve(board, &distances, pushes, measure, &left);
    let stopped = left.should_stop(expanded, 0);
    let effort = Statistics { expanded, stopped, ..Statistics::default() };
    let cost = measure.cost(board, &pushes).map_or(u64::MAX, u64::from);
    (Outcome { verdict: Verdict::Found, plan: Some(pushes), cost, bound, effort }, Vec::new())
}

/// No plan, proven without a search.
fn impossible() -> Outcome<Push> {
    Outcome { verdict: Verdict::Impossible, ..Outcome::unknown(0, Statistics::default()) }
}

/// The answer at the waist, with the plan as LURD.
fn answer(board: &Board, outcome: Outcome<Push>, notes: Vec<Fact>, clock: &Clock<'_>) -> Answer {
    let Outcome { verdict, plan, cost, bound, mut effort } = outcome;
    let length = plan.is_some().then_some(cost);
    let plan = plan.and_then(|pushes| lurd::write(board, &pushes)).map(|plan| plan + "\n");
    let bound = (verdict != Verdict::Impossible).then_some(bound);
    effort.elapsed = clock.elapsed();
    Answer { verdict, plan, length, bound, effort, notes }
}
