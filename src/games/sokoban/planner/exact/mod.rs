//! Plans of least pushes or moves.
//!
//! A* over single pushes (`pushes::best_first`) runs for a while on its own. A level that
//! it does not solve then gets a plan from the portfolio, which is shortened; A* goes on and drops
//! every position that cannot beat it, beside the search for boxes that are in each other's way
//! ([`conflict_sets`]), whose bound may meet the plan first, for a plan within that bound, with
//! what such boxes cost from wherever they are (`pushes/pattern_databases.rs`), and for other plans
//! that are shorter ([`short_plans`](super::improve::short_plans)). Where the budget does not suffice for a proof, the answer is
//! the short plan, with the bound that is proven.

pub(super) mod conflict_sets;

use super::analysis::Prepared;
use super::improve::Shortening;
use super::improve::short_plans::ShortPlans;
use super::portfolio;
use super::pushes::best_first::{BestFirst, Weights};
use super::pushes::{Ended, Measure};
use crate::games::planning::{Found, Task};
use crate::games::sokoban::board::Push;
use crate::search::{self, Clock, Limits, Outcome, Statistics, StopReason, TurnReport, Verdict};
use conflict_sets::{ConflictSets, DatabaseLimits, STEP};
use std::sync::Arc;

/// Expansions of A* before it is worth while to have a plan to beat.
const QUICK: u64 = 20_000;
/// Divisor of the nodes, where they are counted: these expansions are at most this share.
const QUICK_PART: u64 = 4;
/// Divisor of the remaining time and nodes: finding that plan takes at most this share.
const FINDING: u32 = 2;
/// The same divisor for shortening it in pushes: little, since that goes on beside the proof.
const SHORTENING_PUSHES: u32 = 64;
/// The same divisor for shortening it in moves.
const SHORTENING_MOVES: u32 = 8;

/// Expansions of A* in all when its first turn is over; each turn after that doubles them.
const FIRST_TURN: u64 = 100_000;
/// Upper limit of the growth from one turn to the next, in expansions.
const LONGEST_TURN: u64 = 400_000;
/// Divisor of the expansions beside A*: the search for conflict sets has this share.
const PART: u64 = 2;

/// Divisor of A*'s expansions: the search for shorter plans has this share.
const PLANS_PART: u64 = 1;

/// Positions that a pattern database may have for each of a turn's expansions.
const DATABASE_PART: u64 = 4;
/// Upper limit of a pattern database, in positions.
const MOST_OF_DATABASE: u64 = 1 << 22;
/// Divisor of the memory: pattern databases and the one that is made take at most this share.
const DATABASE_MEMORY: usize = 4;
/// Factor of a turn's expansions after which pattern databases that had no room are tried again.
const DATABASES_AGAIN: u64 = 8;

/// A plan and its cost.
type Priced = (u32, Vec<Push>);

/// A plan of least pushes or moves, or as short a one as the budget allows. The bound is 0 where
/// there is no plan.
pub(super) fn solve(
    level: Prepared<'_>,
    measure: Measure,
    task: Task<'_, Push>,
    clock: &Clock,
) -> Outcome<Push> {
    clock.limits.install(|| solve_here(level, measure, task, clock))
}

/// Solves a level on the threads of this pool.
fn solve_here(
    level: Prepared<'_>,
    measure: Measure,
    task: Task<'_, Push>,
    clock: &Clock,
) -> Outcome<Push> {
    let mut known = task.known.and_then(|pushes| priced(level, pushes, measure));
    let mut search = BestFirst::new(level, measure, Weights::EXACT);
    let mut effort = Statistics::default();
    let wanted = (level, measure, task.found);
    let (ended, proven) = search_below(&mut search, wanted, &mut known, &mut effort, clock);
    outcome(&search, (level, measure), known, (ended, proven), (effort, clock))
}

/// A* alone, without the searches beside it.
pub(super) fn astar(
    level: Prepared<'_>,
    measure: Measure,
    known: Option<Vec<Push>>,
    clock: &Clock,
) -> Outcome<Push> {
    let known = known.and_then(|pushes| priced(level, pushes, measure));
    let mut search = BestFirst::new(level, measure, Weights::EXACT);
    if let Some((cost, _)) = known {
        search.beat(cost);
    }
    let Limits { nodes, memory, .. } = clock.limits;
    let ended = astar_turn(&mut search, nodes.unwrap_or(u64::MAX), memory, clock);
    outcome(&search, (level, measure), known, (ended, 0), (Statistics::default(), clock))
}

/// What A* has come to, with the plan known besides, what was proven and what was spent beside it.
fn outcome(
    search: &BestFirst<'_>,
    (level, measure): (Prepared<'_>, Measure),
    known: Option<Priced>,
    (ended, proven): (Ended, u64),
    (mut effort, clock): (Statistics, &Clock),
) -> Outcome<Push> {
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
fn search_below<'a>(
    search: &mut BestFirst<'a>,
    (level, measure, found): (Prepared<'a>, Measure, Found<'a, Push>),
    known: &mut Option<Priced>,
    effort: &mut Statistics,
    clock: &Clock,
) -> (Ended, u64) {
    let limits = clock.limits;
    let allowed = limits.nodes.unwrap_or(u64::MAX);
    if let Some((cost, _)) = known {
        search.beat(*cost);
    }
    let quick = QUICK.min(allowed.div_ceil(QUICK_PART));
    let ended = astar_turn(search, quick, limits.memory, clock);
    if allowed <= quick || !matches!(ended, Ended::Stopped(StopReason::Nodes)) {
        return (ended, 0);
    }
    let rest = limits.nodes.map(|nodes| nodes.saturating_sub(search.expansions));
    let (left, memory) = (clock.left(), limits.memory.saturating_sub(search.memory()) / 2);
    let share = |part: u32| Limits {
        time: left / part,
        nodes: rest.map(|nodes| nodes / u64::from(part)),
        memory,
        ..limits
    };
    let shortening = match measure {
        Measure::Pushes => SHORTENING_PUSHES,
        Measure::Moves => SHORTENING_MOVES,
    };
    let shares = (share(FINDING), share(shortening));
    (*known, *effort) = short_plan((level, measure, found), known.take(), shares, clock);
    if let Some((cost, _)) = known {
        search.beat(*cost);
    }
    let allowed = allowed.saturating_sub(effort.expanded);
    if measure == Measure::Moves {
        return (astar_turn(search, allowed, limits.memory, clock), 0);
    }
    take_turns(search, (level, known, found), allowed, effort, clock)
}

/// Lets A* search beside the search for conflict sets, that for a plan as short as their bound, and
/// that for shorter plans than the one known, in turns, until the known plan cannot be beaten. With
/// the end comes what is proven besides.
fn take_turns<'a>(
    search: &mut BestFirst<'a>,
    (level, known, found): (Prepared<'a>, &mut Option<Priced>, Found<'a, Push>),
    allowed: u64,
    effort: &mut Statistics,
    clock: &Clock,
) -> (Ended, u64) {
    let memory = clock.limits.memory;
    let Some(sets) = ConflictSets::new(level) else {
        return (astar_turn(search, allowed, memory, clock), 0);
    };
    // Each side has its share, so that what one does is the same whatever the others do. A* may have
    // had more than its own before.
    let share = allowed / (2 * PLANS_PART + 1) * PLANS_PART;
    let besides = share.min(allowed.saturating_sub(search.expansions) / 2);
    let mut within = WithinBound::new(level, sets, besides);
    let mut plans = short_plans(level, known.as_ref(), clock.limits.seed).telling(found);
    let mut turn = FIRST_TURN;
    let ended = loop {
        let (limit, besides) = (turn.min(share), turn.min(besides));
        let room = memory.saturating_sub(search.memory()) / 3;
        let enough = known.as_ref().map_or(u32::MAX, |known| known.0);
        let beside = || within.accounted_turn((besides, enough), room, clock);
        let shorter = || plans.accounted_turn((besides / PLANS_PART, enough), room, clock);
        let (ended, (within_bound, shorter)) = rayon::join(
            || astar_turn(search, limit, memory.saturating_sub(2 * room), clock),
            || rayon::join(beside, shorter),
        );
        if let Some(pushes) = within_bound {
            break Ended::Solved(pushes);
        }
        if let Some(priced) = shorter.and_then(|pushes| priced(level, pushes, Measure::Pushes)) {
            search.beat(priced.0);
            *known = Some(priced);
        }
        if known.as_ref().is_some_and(|(cost, _)| within.bound >= *cost) {
            break Ended::Impossible;
        }
        if !matches!(ended, Ended::Stopped(StopReason::Nodes)) || limit < turn {
            break ended;
        }
        turn += turn.min(LONGEST_TURN);
    };
    effort.expanded += within.expanded() + plans.expanded;
    effort.generated += within.generated() + plans.generated;
    effort.memory = effort.memory.max(search.memory() + within.memory() + plans.memory());
    (ended, within.bound.into())
}

/// Lets A* expand `most` positions in all, and tells the listener of that turn.
fn astar_turn(search: &mut BestFirst<'_>, most: u64, memory: usize, clock: &Clock) -> Ended {
    let before = (search.expansions, search.generated());
    let run = || {
        let ended = search.run(clock, most, memory);
        (ended, search)
    };
    let (ended, _) = clock.account("astar", run, |(ended, search)| TurnReport {
        expanded: search.expansions - before.0,
        generated: search.generated() - before.1,
        memory: search.memory() as u64,
        length: None,
        bound: Some(search.bound),
        ended: match ended {
            Ended::Solved(_) | Ended::Impossible => search::Ended::Proven,
            Ended::Exhausted => search::Ended::Exhausted,
            Ended::Stopped(StopReason::Nodes) => search::Ended::Resting,
            Ended::Stopped(stop) => search::Ended::Stopped(*stop),
        },
        seconds: 0.0,
    });
    ended
}

/// The search for plans that are shorter than the one known.
fn short_plans<'a>(level: Prepared<'a>, known: Option<&Priced>, seed: u64) -> ShortPlans<'a> {
    let begin = |pushes| Shortening::of_pushes(level, pushes);
    ShortPlans::new(level, known.and_then(|(_, pushes)| begin(pushes.clone())), seed)
}

/// The search for conflict sets, and that for a plan of as many pushes as their bound, with their
/// pattern databases for this limit. That there is none raises the bound; then it restarts.
pub(super) struct WithinBound<'a> {
    level: Prepared<'a>,
    sets: ConflictSets<'a>,
    /// Expansions in all turns together, those for pattern databases included.
    most: u64,
    /// Whether there may be more sets.
    goes_on: bool,
    /// No plan has fewer pushes.
    bound: u32,
    /// The search, where it has begun, the bound that it looks for, and the turn in which it began.
    search: Option<(BestFirst<'a>, u32, u64)>,
    /// Expansions and successors of those before.
    before: (u64, u64),
}

impl<'a> WithinBound<'a> {
    /// A search that may expand `most` positions in all.
    pub(super) fn new(level: Prepared<'a>, sets: ConflictSets<'a>, most: u64) -> Self {
        WithinBound { level, sets, most, goes_on: true, bound: 0, search: None, before: (0, 0) }
    }

    fn expanded(&self) -> u64 {
        self.sets.expanded
            + self.before.0
            + self.search.as_ref().map_or(0, |(search, ..)| search.expansions)
    }

    fn generated(&self) -> u64 {
        self.sets.generated
            + self.before.1
            + self.search.as_ref().map_or(0, |(search, ..)| search.generated())
    }

    fn memory(&self) -> usize {
        self.search.as_ref().map_or(0, |(search, ..)| search.memory())
    }

    /// Expands `expansions` positions in all; a plan, where one is found that has as many pushes as
    /// the bound says. Plans of `enough` pushes are not looked for.
    pub(super) fn take_turn(
        &mut self,
        (expansions, enough): (u64, u32),
        memory: usize,
        clock: &Clock,
    ) -> Option<Vec<Push>> {
        if self.goes_on {
            let room = memory.saturating_sub(self.memory());
            self.goes_on = self.sets.search(enough, (expansions / PART, room), clock);
        }
        self.bound = self.bound.max(self.sets.bound());
        // Without a plan to beat, there may be none at all.
        if enough == u32::MAX { None } else { self.search((expansions, enough), memory, clock) }
    }

    /// As [`WithinBound::take_turn`], and tells the listener of it.
    fn accounted_turn(
        &mut self,
        limits: (u64, u32),
        memory: usize,
        clock: &Clock,
    ) -> Option<Vec<Push>> {
        let before = (self.expanded(), self.generated());
        let run = || {
            let plan = self.take_turn(limits, memory, clock);
            (plan, self)
        };
        let report = |(plan, within): &(Option<Vec<Push>>, &mut Self)| TurnReport {
            expanded: within.expanded().saturating_sub(before.0),
            generated: within.generated().saturating_sub(before.1),
            memory: within.memory() as u64,
            length: plan.as_ref().map(|plan| plan.len() as u64),
            bound: Some(within.bound.into()),
            ..TurnReport::default()
        };
        clock.account("conflict-sets", run, report).0
    }

    /// Searches until `expansions` positions are expanded in all, a plan is found, or none of fewer
    /// than `enough` pushes is left.
    fn search(
        &mut self,
        (expansions, enough): (u64, u32),
        memory: usize,
        clock: &Clock,
    ) -> Option<Vec<Push>> {
        while self.bound < enough {
            let mut search = match self.search.take() {
                Some((search, bound, began))
                    if bound == self.bound
                        && (search.knows_all_sets() || expansions < began * DATABASES_AGAIN) =>
                {
                    (search, bound, began)
                }
                stale => {
                    self.add(stale.map(|(search, ..)| search));
                    (self.begin(expansions, memory, clock), self.bound, expansions)
                }
            };
            let left = expansions.saturating_sub(self.sets.expanded + self.before.0);
            let ended = search.0.run(clock, left, memory);
            match ended {
                Ended::Impossible => {
                    self.bound += STEP;
                    self.add(Some(search.0));
                }
                Ended::Solved(pushes) => {
                    self.add(Some(search.0));
                    return Some(pushes);
                }
                Ended::Exhausted | Ended::Stopped(_) => {
                    self.search = Some(search);
                    return None;
                }
            }
        }
        None
    }

    /// Counts what a search took that is over.
    fn add(&mut self, search: Option<BestFirst<'_>>) {
        if let Some(search) = search {
            self.before.0 += search.expansions;
            self.before.1 += search.generated();
        }
    }

    /// A search for plans of no more pushes than the bound.
    fn begin(&mut self, turn: u64, memory: usize, clock: &Clock) -> BestFirst<'a> {
        let spare = self.bound - self.sets.bound();
        let limits = DatabaseLimits {
            each: MOST_OF_DATABASE.min(DATABASE_PART.saturating_mul(turn)),
            together: self.most.saturating_sub(self.expanded()),
            memory: memory / DATABASE_MEMORY,
        };
        let databases = Arc::new(self.sets.databases(spare, limits, clock));
        let mut search = BestFirst::new(self.level, Measure::Pushes, Weights::EXACT);
        search.consult(&databases);
        search.beat(self.bound + 1);
        search
    }
}

/// Any plan, made as short as part of a budget allows; at least as short as the one known. Finding
/// one and shortening it have budgets of their own.
fn short_plan(
    (level, measure, found): (Prepared<'_>, Measure, Found<'_, Push>),
    known: Option<Priced>,
    (finding, shortening): (Limits, Limits),
    clock: &Clock,
) -> (Option<Priced>, Statistics) {
    let (pushes, mut effort) = match known {
        Some((_, pushes)) => (Some(pushes), Statistics::default()),
        None => {
            let (outcome, _) = portfolio::solve(level, &clock.part(finding));
            (outcome.plan, outcome.effort)
        }
    };
    let Some(pushes) = pushes else { return (None, effort) };
    let part = clock.part(shortening);
    if let Some(cost) = measure.cost(level.board, &pushes) {
        found(&pushes, cost.into());
    }
    let begun = Shortening::new(level.board, level.distances, pushes, measure);
    let Some(begun) = begun else { return (None, effort) };
    let mut shortening = begun.telling(found);
    effort.expanded += shortening.accounted_run(&part);
    (priced(level, shortening.plan, measure), effort)
}

/// A plan with its cost; `None` where it is none.
fn priced(level: Prepared<'_>, pushes: Vec<Push>, measure: Measure) -> Option<Priced> {
    Some((measure.cost(level.board, &pushes)?, pushes))
}
