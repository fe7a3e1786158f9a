//! Plans of least pushes or moves.
//!
//! A* over single pushes (`pushes::best_first`) runs for a while on its own. A level that
//! it does not solve then gets a plan from the portfolio, which is shortened; A* goes on and drops
//! every position that cannot beat it, in turns with the search for boxes that are in each other's
//! way ([`conflict_sets`]), whose bound may meet the plan first. Where the budget does not suffice for a proof, the answer is
//! the short plan, with the bound that is proven.

pub(super) mod conflict_sets;

use super::analysis::Prepared;
use super::pushes::best_first::{BestFirst, Weights};
use super::pushes::{Ended, Measure};
use super::{improve, portfolio};
use crate::games::sokoban::board::Push;
use crate::search::{Budget, Clock, Outcome, Statistics, StopReason, Verdict};
use conflict_sets::ConflictSets;

/// Expansions of A* before it is worth while to have a plan to beat.
const QUICK: u64 = 20_000;
/// The same as one part in so many of the nodes, where they are counted.
const QUICK_PART: u64 = 4;
/// One part in so many of the rest may go into finding that plan,
const FINDING: u32 = 2;
/// and one in so many into shortening it.
const SHORTENING: u32 = 8;

/// Expansions of A* in all when its first turn is over; each time after that twice as many.
const FIRST_TURN: u64 = 100_000;
/// The search for conflict sets has one part in so many of that.
const PART: u64 = 2;

/// A plan and its cost.
type Priced = (u32, Vec<Push>);

/// A plan of least pushes or moves, or as short a one as the budget allows. The bound is 0 where
/// there is no plan.
pub(super) fn solve(
    level: Prepared<'_>,
    measure: Measure,
    known: Option<Vec<Push>>,
    budget: &Budget,
) -> Outcome<Push> {
    budget.install(|| solve_here(level, measure, known, budget))
}

/// The same on the threads of this pool.
fn solve_here(
    level: Prepared<'_>,
    measure: Measure,
    known: Option<Vec<Push>>,
    budget: &Budget,
) -> Outcome<Push> {
    let clock = budget.start();
    let mut known = known.and_then(|pushes| priced(level, pushes, measure));
    let mut search = BestFirst::new(level, measure, Weights::EXACT);
    let mut effort = Statistics::default();
    let (ended, proven) =
        search_below(&mut search, (level, measure), &mut known, &mut effort, &clock);
    effort.expanded += search.expansions;
    effort.generated += search.generated();
    effort.elapsed = clock.elapsed();
    effort.memory = effort.memory.max(search.memory());
    if let Ended::Stopped(stop) = ended {
        effort.stopped = Some(stop);
    }
    let (verdict, pushes, bound) = match (ended, known) {
        (Ended::Solved(pushes), _) => (Verdict::Optimal, Some(pushes), None),
        (Ended::Impossible, Some((_, pushes))) => (Verdict::Optimal, Some(pushes), None),
        (Ended::Impossible, None) => (Verdict::Impossible, None, None),
        (Ended::Exhausted | Ended::Stopped(_), known) => {
            let verdict = known.as_ref().map_or(Verdict::Unknown, |_| Verdict::Found);
            (verdict, known.map(|(_, pushes)| pushes), Some(search.bound.max(proven)))
        }
    };
    let cost = pushes.as_ref().and_then(|pushes| measure.cost(level.board, pushes)).map(u64::from);
    let bound = bound.or(cost).unwrap_or(0);
    Outcome { verdict, plan: pushes, cost: cost.unwrap_or(u64::MAX), bound, effort }
}

/// Searches for a plan that costs less than the one known. After a while that one is looked for, or
/// shortened; what that takes is added to the effort. With the end comes a bound that is proven
/// besides that of the search.
fn search_below(
    search: &mut BestFirst<'_>,
    (level, measure): (Prepared<'_>, Measure),
    known: &mut Option<Priced>,
    effort: &mut Statistics,
    clock: &Clock<'_>,
) -> (Ended, u64) {
    let budget = clock.budget;
    let allowed = budget.nodes.unwrap_or(u64::MAX);
    if let Some((cost, _)) = known {
        search.beat(*cost);
    }
    let quick = QUICK.min(allowed.div_ceil(QUICK_PART));
    let ended = search.run(clock, quick, budget.memory);
    if allowed <= quick || !matches!(ended, Ended::Stopped(StopReason::Nodes)) {
        return (ended, 0);
    }
    let rest = budget.nodes.map(|nodes| nodes.saturating_sub(search.expansions));
    let share = |part: u32| Budget {
        time: clock.left() / part,
        nodes: rest.map(|nodes| nodes / u64::from(part)),
        memory: budget.memory.saturating_sub(search.memory()) / 2,
        ..budget.clone()
    };
    let (finding, shortening) = (share(FINDING), share(SHORTENING));
    (*known, *effort) = short_plan(level, measure, known.take(), (&finding, &shortening));
    if let Some((cost, _)) = known {
        search.beat(*cost);
    }
    let allowed = allowed.saturating_sub(effort.expanded);
    if measure == Measure::Moves {
        return (search.run(clock, allowed, budget.memory), 0);
    }
    let enough = known.as_ref().map_or(u32::MAX, |known| known.0);
    take_turns(search, (level, enough), allowed, effort, clock)
}

/// Lets A* and the search for conflict sets take turns that grow, until a plan of so many pushes
/// cannot be beaten. With the end comes what the conflict sets prove.
fn take_turns(
    search: &mut BestFirst<'_>,
    (level, enough): (Prepared<'_>, u32),
    allowed: u64,
    effort: &mut Statistics,
    clock: &Clock<'_>,
) -> (Ended, u64) {
    let memory = clock.budget.memory;
    let Some(mut sets) = ConflictSets::new(level) else {
        return (search.run(clock, allowed, memory), 0);
    };
    let (mut turn, mut goes_on) = (FIRST_TURN, true);
    let ended = loop {
        if goes_on {
            let limits = (
                (turn / PART).min(allowed.saturating_sub(search.expansions)),
                memory.saturating_sub(search.memory()),
            );
            goes_on = sets.search(enough, limits, clock);
            if sets.bound() >= enough {
                break Ended::Impossible;
            }
        }
        let rest = allowed.saturating_sub(sets.expanded);
        let limit = if goes_on { rest.min(turn) } else { rest };
        let ended = search.run(clock, limit, memory);
        let is_over = !matches!(ended, Ended::Stopped(StopReason::Nodes)) || limit == rest;
        if is_over {
            break ended;
        }
        turn *= 2;
    };
    effort.expanded += sets.expanded;
    effort.generated += sets.generated;
    (ended, sets.bound().into())
}

/// Any plan, made as short as part of a budget allows; at least as short as the one known. Finding
/// one and shortening it have budgets of their own.
fn short_plan(
    level: Prepared<'_>,
    measure: Measure,
    known: Option<Priced>,
    (finding, shortening): (&Budget, &Budget),
) -> (Option<Priced>, Statistics) {
    let (pushes, mut effort) = match known {
        Some((_, pushes)) => (Some(pushes), Statistics::default()),
        None => {
            let (outcome, _) = portfolio::solve(level, finding);
            (outcome.plan, outcome.effort)
        }
    };
    let Some(pushes) = pushes else { return (None, effort) };
    let clock = shortening.start();
    clock.found(|| pushes.clone());
    let (pushes, looked) = improve::improve(level.board, level.distances, pushes, measure, &clock);
    effort.expanded += looked;
    (priced(level, pushes, measure), effort)
}

/// A plan with its cost; `None` where it is none.
fn priced(level: Prepared<'_>, pushes: Vec<Push>, measure: Measure) -> Option<Priced> {
    Some((measure.cost(level.board, &pushes)?, pushes))
}
