//! Finds the shortest way out, or proves that there is none.
//!
//! Two searches, one after the other. A* comes first: most levels, also large ones, have few states
//! that a shortest plan could pass, because monsters end most wrong ways; it proves the shortest
//! plan, and that there is none by exhausting the space. What it leaves undecided goes to a beam that
//! widens until the budget is spent, with a quota for each cell of the hero.

mod bound;
mod space;

pub use bound::Bounds;
pub use space::Escape;

use super::format::{Key, Level};
use crate::games::game::NamedSearch;
use crate::games::objective::Objective;
use crate::search::beam::Beam;
use crate::search::{
    Budget, Outcome, Progress, Statistics, Verdict, astar_below_shared, widening_shared,
};
use std::time::Duration;

/// Part of the budget's time, nodes and memory for the exact search.
const EXACT_PART: f64 = 0.6;
/// Part of the budget's time, nodes and memory for the exact search where a proof is asked for.
const EXACT_PART_FOR_PROOF: f64 = 0.9;
/// Divisor of the memory: the bounds of all threads together take at most this share.
const BOUNDS_PART: usize = 4;
/// Width of the first beam, and the most of its states with the hero in one cell.
const FIRST_BEAM: (usize, usize) = (512, 16);

/// The searches that can be run alone.
pub const SEARCHES: &[NamedSearch] = &[
    NamedSearch::new("astar", "A* over turns"),
    NamedSearch::new("beam", "beams that get wider, with a quota for each cell of the hero"),
];

/// Runs one search alone, below `known` turns where such a plan is known; `None` where there is none of
/// that name.
pub fn search(
    name: &str,
    level: &Level,
    known: Option<u64>,
    budget: &Budget,
) -> Option<Outcome<Key>> {
    let space = Escape::within(level, budget.memory / BOUNDS_PART / budget.threads.max(1));
    let clock = budget.start();
    match name {
        "astar" => Some(astar_below_shared(&space, &clock, known.unwrap_or(u64::MAX))),
        "beam" => Some(widening_shared(&space, &clock, &first_beam(), known)),
        _ => None,
    }
}

/// The first of the beams that get wider.
fn first_beam() -> Beam {
    let (width, quota) = FIRST_BEAM;
    Beam { quota: Some(quota), ..Beam::new(width) }
}

/// Looks for a plan within the budget, of less than `known` turns where such a plan is known.
pub fn solve(
    level: &Level,
    objective: &Objective,
    known: Option<u64>,
    budget: &Budget,
) -> Outcome<Key> {
    let clock = budget.start();
    let space = Escape::within(level, budget.memory / BOUNDS_PART / budget.threads.max(1));
    let part = if objective.prove { EXACT_PART_FOR_PROOF } else { EXACT_PART };
    let exact_budget = Budget {
        time: budget.time.mul_f64(part),
        nodes: budget.nodes.map(|nodes| (nodes as f64 * part) as u64),
        memory: (budget.memory as f64 * part) as usize,
        ..budget.clone()
    };
    let exact = astar_below_shared(&space, &exact_budget.start(), known.unwrap_or(u64::MAX));
    if matches!(exact.verdict, Verdict::Optimal | Verdict::Impossible) {
        return exact;
    }
    let rest = Budget {
        time: budget.time.saturating_sub(clock.elapsed()),
        nodes: budget.nodes.map(|nodes| nodes.saturating_sub(exact.effort.expanded)),
        ..budget.clone()
    };
    let upper = exact.plan.as_ref().map(|plan| plan.len() as u64).or(known);
    let rest = rest.with_progress_after(Progress {
        nodes: exact.effort.expanded,
        best: upper,
        bound: exact.bound,
        ..Progress::default()
    });
    let wide = widening_shared(&space, &rest.start(), &first_beam(), upper);
    together(exact, wide, clock.elapsed())
}

/// The better plan of two searches of which the second looked for less than the first had, and
/// what both have proven.
fn together(exact: Outcome<Key>, wide: Outcome<Key>, elapsed: Duration) -> Outcome<Key> {
    let effort = Statistics {
        expanded: exact.effort.expanded + wide.effort.expanded,
        generated: exact.effort.generated + wide.effort.generated,
        elapsed,
        memory: exact.effort.memory.max(wide.effort.memory),
        stopped: wide.effort.stopped.or(exact.effort.stopped),
    };
    let bound = exact.bound.max(wide.bound);
    let best = if wide.plan.is_some() { wide } else { exact };
    let verdict = match best.plan {
        Some(_) if best.cost <= bound => Verdict::Optimal,
        Some(_) => Verdict::Found,
        None => Verdict::Unknown,
    };
    Outcome { verdict, bound, effort, ..best }
}
