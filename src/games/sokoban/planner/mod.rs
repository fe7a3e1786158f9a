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
//! | `fess` | feature-space search over macro moves, the main strategy, and its restarts |
//! | `packing` | packing plans: in which order to fill the targets |
//! | `packing_order` | phases of filling the targets, and a search that dives along them |
//! | `backward` | best-first search from the solved board |
//! | `bidirectional` | search from both ends on bit boards, for small crowded levels |
//! | `repacking` | parts of a level unpacked and packed again, where few boxes are on no target |
//! | `pushes` | best-first search over single pushes, and its tables |
//! | `deadlock` | proofs that a position has no solution |
//! | [`bound`] | lower bounds of the remaining pushes |
//! | `exact` | plans of least pushes or moves: A* on bit boards, on lists of boxes for large boards |
//! | `improve` | shorter plans from a known one |
//! | `alone` | each search by its name, to compare them |
//! | `spare` | levels with more targets than boxes, by plain search alone |
//! | `tuning` | the numbers that can be set for a run |
//!
//! All searches work on pushes. Their plans become text in [`lurd`](super::lurd).

mod alone;
pub mod analysis;
mod backward;
mod bidirectional;
pub mod bound;
mod deadlock;
mod exact;
mod fess;
mod improve;
mod limits;
mod packing;
mod packing_order;
mod portfolio;
mod pushes;
mod repacking;
mod spare;
#[cfg(test)]
mod tests;
mod tuning;

pub use alone::{SEARCHES, search};
#[cfg(feature = "cluster")]
pub use exact::shared_pushes::SharedPushes;
pub use tuning::Tuning;

use super::board::{Board, Push};
use super::format::Level;
use super::lurd;
use crate::certificate::Parts;
use crate::games::fact::Fact;
use crate::games::planning::{Planned, Planning, Task};
use crate::search::crew::Crew;
use crate::search::{Allowance, Clock, Known, Limits, Outcome, Run, Search, Statistics, Verdict};
use analysis::Preparation;
use exact::conflict_sets::ConflictSets;
use pushes::Measure;

/// Expansions of the search for the parts of a certificate.
const NODES_FOR_PARTS: u64 = 10_000_000;

/// The planner of a board.
pub struct OfBoard {
    board: Board,
    /// The keys that have led to it.
    done: String,
}

impl OfBoard {
    /// The planner of a level.
    pub fn new(level: &Level) -> Self {
        OfBoard::from_position(level, String::new())
    }

    /// The planner from a position, which is a level of its own, to which these keys have led. Costs
    /// count from there, and plans are written whole.
    pub fn from_position(rest: &Level, done: String) -> Self {
        OfBoard { board: Board::new(rest), done }
    }
}

impl Planning for OfBoard {
    type Action = Push;

    fn read(&self, plan: &str) -> Option<Vec<Push>> {
        lurd::read(&self.board, plan)
    }

    fn write(&self, plan: &[Push]) -> String {
        let rest = lurd::write(&self.board, plan).unwrap_or_default();
        format!("{}{rest}", self.done)
    }

    fn solve(&self, task: Task<'_, Push>) -> Planned<Push> {
        solve(&self.board, task)
    }

    fn improve(&self, task: Task<'_, Push>) -> Planned<Push> {
        improve(&self.board, task)
    }

    fn search(&self, name: &str, task: Task<'_, Push>) -> Option<Planned<Push>> {
        Some((search(name, &self.board, task)?, Vec::new()))
    }
}

/// Solves a level: with least pushes or moves where the objective says so, else with any plan. With
/// the outcome come notes for its report.
pub fn solve(board: &Board, task: Task<'_, Push>) -> Planned<Push> {
    let clock = &task.run.start();
    if board.has_spare_targets() {
        return solve_spare(board, task, clock);
    }
    if !board.balanced() {
        return (impossible(), Vec::new());
    }
    if let Some((outcome, note)) = limits::refusal(board, &clock.limits) {
        return (outcome, vec![note]);
    }
    let preparation = Preparation::new(board, Tuning::of(&task.run.settings));
    let level = preparation.level(board);
    let Some(bound) = bound::of_start(board, level.distances) else {
        return (impossible(), Vec::new());
    };
    clock.tell_bound(bound);
    let clock = &clock.part(Limits { time: limits::left_for_search(clock), ..clock.limits });
    if task.objective.prove {
        let measure = Measure::of(task.objective);
        return (exact::solve(level, measure, task, clock), vec![measure.fact()]);
    }
    let found = Measure::of(task.objective).first_plan(board, &task);
    let (outcome, winner) = portfolio::solve(level, clock, &found);
    let notes = winner.map(|name| Fact::new("strategy", name)).into_iter().collect();
    (Outcome { bound, ..outcome }, notes)
}

/// Sets of boxes that cost at least `cost` pushes together, each alone on the board, as parts for a certificate.
/// `None` where none were found.
pub fn parts(level: &Level, cost: u64, run: &Run) -> Option<Parts> {
    let (board, clock) = (&Board::new(level), &run.start());
    let is_fit = board.balanced() && !board.has_spare_targets() && !board.boxes.is_empty();
    if !is_fit || limits::refusal(board, &clock.limits).is_some() {
        return None;
    }
    let preparation = Preparation::new(board, Tuning::of(&run.settings));
    let mut sets = ConflictSets::new(preparation.level(board))?;
    let nodes = clock.limits.nodes.unwrap_or(NODES_FOR_PARTS).min(NODES_FOR_PARTS);
    let crew = &Crew::default();
    let allowance = Allowance { nodes, ..Allowance::whole(clock, crew) };
    let turn = sets.turn(Known { cost, bound: 0 }, &allowance);
    (turn.bound >= cost).then(|| sets.parts(level))
}

/// Shortens the known plan; the answer is never longer. With the outcome come notes for its report.
pub fn improve(board: &Board, task: Task<'_, Push>) -> Planned<Push> {
    let clock = &task.run.start();
    if board.has_spare_targets() {
        return solve_spare(board, task, clock);
    }
    if let Some((outcome, note)) = limits::refusal(board, &clock.limits) {
        return (outcome, vec![note]);
    }
    let preparation = Preparation::new(board, Tuning::of(&task.run.settings));
    let level = preparation.level(board);
    let left = clock.part(Limits { time: limits::left_for_search(clock), ..clock.limits });
    let Some(known) = task.known else {
        let bound = bound::of_start(board, level.distances).unwrap_or(0);
        return (Outcome::unknown(bound, Default::default()), vec![]);
    };
    let measure = Measure::of(task.objective);
    (improve::improve(level, known, measure, task.found, &left), Vec::new())
}

/// Solves a level where some target stays empty: the other searches do not know such levels.
fn solve_spare(board: &Board, task: Task<'_, Push>, clock: &Clock) -> Planned<Push> {
    if let Some((outcome, note)) = limits::refusal(board, &clock.limits) {
        return (outcome, vec![note]);
    }
    let measure = Measure::of(task.objective);
    let outcome = spare::solve(board, measure, task, clock);
    (outcome, vec![measure.fact(), Fact::new("strategy", "plain search")])
}

/// The outcome that there is no plan, proven without a search.
fn impossible() -> Outcome<Push> {
    Outcome { verdict: Verdict::Impossible, ..Outcome::unknown(0, Statistics::default()) }
}
