//! The planner's searches one by one, to compare them.

use super::analysis::Prepared;
use super::analysis::level::LevelAnalysis;
use super::analysis::push_distance::PushDistances;
use super::exact::conflict_sets::ConflictSets;
use super::improve::Shortening;
use super::improve::short_plans::ShortPlans;
use super::pushes::Measure;
use super::{bound, exact, limits, portfolio, spare};
use crate::games::game::NamedSearch;
use crate::games::planning::Task;
use crate::games::sokoban::board::{Board, Push};
use crate::search::{Clock, Limits, Outcome, Statistics, Verdict};
use std::sync::Arc;

/// The searches that can be run alone.
pub const SEARCHES: &[NamedSearch] = &[
    NamedSearch::new("bidirectional", "search from both ends on bit boards"),
    NamedSearch::new("feature-space", "feature-space search, finished by best-first search"),
    NamedSearch::new("feature-space-restarts", "feature-space search in many short tries"),
    NamedSearch::new("packing-order", "search along the phases of a packing order"),
    NamedSearch::new("best-first-along-plan", "best-first search along a packing plan"),
    NamedSearch::new(
        "best-first-by-boxes-away",
        "best-first search, a list for each number of boxes",
    ),
    NamedSearch::new("best-first", "best-first search with one open list, on large boards"),
    NamedSearch::new("backward", "best-first search from the solved board"),
    NamedSearch::new("backward-restarts", "search from the solved board in many short tries"),
    NamedSearch::new("astar", "A* over single pushes or moves"),
    NamedSearch::new("conflict-sets", "a lower bound, from boxes that are in each other's way"),
    NamedSearch::new("plain", "A* without a bound, for levels with more targets than boxes"),
    NamedSearch::of_plan("windows", "parts of the known plan, searched again"),
    NamedSearch::of_plan("short-plans", "other plans than the known one, each made shorter"),
];

/// Runs one search alone, for plans that cost less than the one known. `None` where there is none of
/// that name, where it does not work on this board or within this memory, or where it shortens a plan
/// and none is known.
pub fn search(name: &str, board: &Board, task: Task<'_, Push>) -> Option<Outcome<Push>> {
    let clock = &task.run.start();
    let named = SEARCHES.iter().find(|search| search.name == name)?;
    let has_plan = !named.needs_plan || task.known.is_some();
    let is_fit = board.balanced() && board.has_spare_targets() == (name == "plain");
    if !has_plan || !is_fit || limits::refusal(board, &clock.limits).is_some() {
        return None;
    }
    let measure = Measure::of(task.objective);
    if name == "plain" {
        return Some(spare::solve(board, measure, task.known, clock));
    }
    let (analysis, distances) = (LevelAnalysis::new(board), Arc::new(PushDistances::new(board)));
    let level = Prepared { board, analysis: &analysis, distances: &distances };
    let start = bound::of_start(board, &distances)?;
    let outcome = clock.limits.install(|| match name {
        "astar" => Some(exact::astar(level, measure, task.known, clock)),
        "conflict-sets" => conflict_sets(level, task.known, clock),
        "windows" => windows(level, task, measure, clock),
        "short-plans" => short_plans(level, task, clock),
        name => {
            let (outcome, _) = portfolio::solve_with(level, clock, Some(name));
            (outcome.effort.expanded > 0).then_some(outcome)
        }
    })?;
    let bound = if outcome.verdict == Verdict::Impossible { 0 } else { outcome.bound.max(start) };
    let elapsed = clock.elapsed();
    Some(Outcome { bound, effort: Statistics { elapsed, ..outcome.effort }, ..outcome })
}

/// Looks for conflict sets until they prove that the known plan is shortest.
fn conflict_sets(
    level: Prepared<'_>,
    known: Option<Vec<Push>>,
    clock: &Clock,
) -> Option<Outcome<Push>> {
    let mut sets = ConflictSets::new(level)?;
    let enough = known.map_or(u32::MAX, |pushes| pushes.len() as u32);
    let Limits { nodes, memory, .. } = clock.limits;
    sets.search(enough, (nodes.unwrap_or(u64::MAX), memory), clock);
    let effort = Statistics {
        expanded: sets.expanded,
        generated: sets.generated,
        stopped: clock.should_stop(sets.expanded, 0),
        ..Statistics::default()
    };
    Some(Outcome::unknown(sets.bound().into(), effort))
}

/// Shortens the known plan alone.
fn windows(
    level: Prepared<'_>,
    task: Task<'_, Push>,
    measure: Measure,
    clock: &Clock,
) -> Option<Outcome<Push>> {
    let begun = Shortening::new(level.board, level.distances, task.known?, measure)?;
    let mut shortening = begun.telling(task.found);
    let expanded = shortening.accounted_run(clock);
    let stopped = clock.should_stop(expanded, 0).filter(|_| !shortening.is_through);
    let effort = Statistics { expanded, stopped, ..Statistics::default() };
    found(level.board, shortening.plan, measure, effort)
}

/// Looks for other plans of fewer pushes than the known one.
fn short_plans(level: Prepared<'_>, task: Task<'_, Push>, clock: &Clock) -> Option<Outcome<Push>> {
    let known = task.known?;
    let Limits { nodes, memory, seed, .. } = clock.limits;
    let begun = Shortening::of_pushes(level, known.clone())?;
    let mut plans = ShortPlans::new(level, Some(begun), seed).telling(task.found);
    let limits = (nodes.unwrap_or(u64::MAX), known.len() as u32);
    let better = plans.accounted_turn(limits, memory, clock);
    let effort = Statistics {
        expanded: plans.expanded,
        generated: plans.generated,
        memory: plans.memory(),
        stopped: clock.should_stop(plans.spent(), 0),
        ..Statistics::default()
    };
    found(level.board, better.unwrap_or(known), Measure::Pushes, effort)
}

/// The outcome of a search that has a plan.
fn found(
    board: &Board,
    plan: Vec<Push>,
    measure: Measure,
    effort: Statistics,
) -> Option<Outcome<Push>> {
    let cost = measure.cost(board, &plan)?.into();
    Some(Outcome { verdict: Verdict::Found, plan: Some(plan), cost, bound: 0, effort })
}
