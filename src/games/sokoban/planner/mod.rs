//! The planners: a portfolio of searches by default, exact A* where a shortest plan is asked for.
//!
//! What was tried on XSokoban's levels and how it did (levels solved, one thread; the table comes
//! from `benches/sokoban_levels.rs`):
//!
//! - feature-space search with a packing order and freeze deadlocks: 51 of 90 at 2 s each;
//! - a portfolio of its styles with corral searches and learned patterns: 58 at 5 s;
//! - corral searches that take a box off the board when it leaves, instead of stopping there;
//!   hotspots counted as often as they block a box; an advisor that clears the way of the plan's
//!   next step; weights compared finely by the first members: 66 at 3 s;
//! - handing the best positions to best-first search ([`relay`]) and a member without a packing
//!   order ([`free_order`]): a few more each;
//! - best-first search by the matching bound: quick on small crowded levels, and it proves what
//!   has no solution.
//!
//! What did not pay: comparing boxes out of plan before packed steps, as the FESS paper does (of
//! twelve levels that had resisted, all got less far); twenty-four random orders and styles of 800
//! expansions on each level that resists (2 of 25 solved, so only three such members are kept).

pub mod best_first;
pub mod deadlock;
pub mod fess;
pub mod free_order;
pub mod improve;
pub mod lift;
pub mod matching;
pub mod packing;
mod portfolio;
pub mod relay;
pub mod terrain;
pub mod walk;
pub mod way;

use super::format::Level;
use super::state::{Board, Push};
use crate::board::Direction;
use crate::games::{Aim, Answer, Fact};
use crate::search::{Budget, Effort, Verdict};
use best_first::{BestFirst, Ended, Measure, Weights};
use terrain::Terrain;

/// Solves a level: with least pushes or moves where the aim says so, else with any plan.
pub fn solve(level: &Level, aim: &Aim, budget: &Budget) -> Answer {
    let board = Board::new(level);
    if !board.balanced() {
        return answer(&board, Verdict::Impossible, None, Effort::default(), Vec::new());
    }
    let terrain = Terrain::new(&board);
    match aim.optimal.as_deref() {
        Some("moves") => exact(&board, &terrain, Measure::Moves, budget),
        Some(_) => exact(&board, &terrain, Measure::Pushes, budget),
        None => portfolio::solve(&board, &terrain, budget),
    }
}

/// A plan of least pushes or moves.
fn exact(board: &Board, terrain: &Terrain, measure: Measure, budget: &Budget) -> Answer {
    let clock = budget.start();
    let mut search = BestFirst::new(board, terrain, measure, Weights::EXACT);
    let ended = search.run(&clock, budget.nodes.unwrap_or(u64::MAX), budget.memory);
    let mut effort = Effort {
        expanded: search.expansions,
        generated: search.generated,
        elapsed: clock.elapsed(),
        memory: search.memory(),
        stopped: None,
    };
    let (verdict, plan, bound) = match ended {
        Ended::Solved(pushes) => (Verdict::Optimal, Some(pushes), None),
        Ended::Impossible => (Verdict::Impossible, None, None),
        Ended::Stopped(stop, bound) => {
            effort.stopped = Some(stop);
            (Verdict::Unknown, None, Some(bound))
        }
    };
    let mut answer = answer(board, verdict, plan, effort, Vec::new());
    if let (Measure::Moves, Some(plan)) = (measure, &answer.plan) {
        answer.length = Some(plan.trim_end().len() as u64);
    }
    answer.bound = bound.or(answer.length).unwrap_or(0);
    answer
        .notes
        .push(Fact::new("measure", if measure == Measure::Moves { "moves" } else { "pushes" }));
    answer
}

/// Shortens a plan, given as the directions of its keys.
pub fn shorten(level: &Level, keys: &[Direction], aim: &Aim, budget: &Budget) -> Answer {
    let clock = budget.start();
    let board = Board::new(level);
    let Some(pushes) = walk::read_pushes(&board, keys) else {
        return answer(&board, Verdict::Unknown, None, Effort::default(), Vec::new());
    };
    let measure = match aim.optimal.as_deref() {
        Some("moves") => Measure::Moves,
        _ => Measure::Pushes,
    };
    let (pushes, expanded) = improve::improve(&board, pushes, measure, &clock);
    let effort = Effort { expanded, elapsed: clock.elapsed(), ..Effort::default() };
    answer(&board, Verdict::Found, Some(pushes), effort, Vec::new())
}

/// Spells pushes as keys.
fn answer(
    board: &Board,
    verdict: Verdict,
    pushes: Option<Vec<Push>>,
    effort: Effort,
    notes: Vec<Fact>,
) -> Answer {
    let length = pushes.as_ref().map(|pushes| pushes.len() as u64);
    let plan = pushes.and_then(|pushes| walk::keys(board, &pushes)).map(|plan| plan + "\n");
    Answer { verdict, plan, length, bound: 0, effort, notes }
}
