//! The planner's searches one by one, to compare them.

use super::analysis::Preparation;
use super::exact::astar::{Searches, with_astar};
use super::exact::conflict_sets::ConflictSets;
use super::improve::short_plans::ShortPlans;
use super::improve::shortening::Shortening;
use super::pushes::Measure;
use super::tuning::Tuning;
use super::{bound, limits, portfolio, spare};
use crate::games::game::NamedSearch;
use crate::games::planning::Task;
use crate::games::sokoban::board::{Board, Push};
use crate::search::{Clock, Outcome, Search, Statistics, Verdict};

/// The searches that can be run alone.
pub const SEARCHES: &[NamedSearch] = &[
    NamedSearch::new("bidirectional", "search from both ends on bit boards"),
    NamedSearch::new("feature-space", "feature-space search, finished by best-first search"),
    NamedSearch::new("feature-space-restarts", "feature-space search in many short tries"),
    NamedSearch::new("packing-order", "search along the phases of a packing order"),
    NamedSearch::new("repacking", "parts unpacked and packed again, where few boxes are away"),
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
        return Some(spare::solve(board, measure, task, clock));
    }
    let preparation = Preparation::new(board, Tuning::of(&task.run.settings));
    let level = preparation.level(board);
    let start = bound::of_start(board, level.distances)?;
    clock.tell_bound(start);
    let outcome = clock.limits.install(|| match name {
        "astar" => with_astar(level, measure, clock, |Searches { alone, shared, .. }| {
            play(shared.unwrap_or(alone), (board, measure), task, clock)
        }),
        "conflict-sets" => {
            play(&mut ConflictSets::new(level)?, (board, Measure::Pushes), task, clock)
        }
        "windows" => {
            let plan = task.known.clone()?;
            let mut windows = Shortening::new(level, plan, measure)?;
            play(&mut windows, (board, measure), task, clock)
        }
        "short-plans" => {
            let begun = Shortening::of_pushes(level, task.known.clone()?)?;
            let mut plans = ShortPlans::new(level, Some(begun), clock.limits.seed);
            play(&mut plans, (board, Measure::Pushes), task, clock)
        }
        name => {
            let found = measure.first_plan(board, &task);
            let (outcome, _) = portfolio::solve_with(level, clock, &found, Some(name));
            (outcome.effort.expanded > 0).then_some(outcome)
        }
    })?;
    let bound = if outcome.verdict == Verdict::Impossible { 0 } else { outcome.bound.max(start) };
    let elapsed = clock.elapsed();
    Some(Outcome { bound, effort: Statistics { elapsed, ..outcome.effort }, ..outcome })
}

/// Lets a search play alone until it has nothing more to say or all is spent.
fn play(
    search: &mut (impl Search<Plan = Vec<Push>> + ?Sized),
    (board, measure): (&Board, Measure),
    task: Task<'_, Push>,
    clock: &Clock,
) -> Option<Outcome<Push>> {
    let prefers = |plan: &[Push], other: &[Push]| measure.prefers(board, plan, other);
    let desk = measure.desk(board, task, clock).preferring(&prefers);
    Some(desk.alone(search))
}
