//! Plans of least pushes or moves.
//!
//! A* over single pushes ([`astar`]) runs for a while on its own. A level that it does not solve then
//! gets a plan from the portfolio, which is shortened; A* goes on and drops every position that cannot
//! beat it, in turns with the search for boxes that are in each other's way at the start ([`conflict_sets`]) and for other
//! plans that are shorter ([`short_plans`](super::improve::short_plans)). A* looks for such boxes on its way, too
//! ([`study`]); such a set, found by any search, bounds all positions that contain its boxes ([`penalties`]). Where the budget does
//! not suffice for a proof, the answer is the short plan, with the bound that is proven. Where several processes search a
//! level, A* begins again on all of them when the short plan is known, and the other searches are left out.
//!
//! Each is a [`Search`](crate::search::Search); the portfolio ([`Anytime`]) keeps the best plan and bound, and who plays next
//! is said here.

pub(super) mod astar;
mod bit_board_solver;
pub(super) mod conflict_sets;
mod ground;
mod penalties;
mod prices;
mod push_space;
#[cfg(feature = "cluster")]
pub mod shared_pushes;
mod study;
mod subproblems;

use super::analysis::Prepared;
use super::improve::short_plans::ShortPlans;
use super::improve::shortening::Shortening;
use super::portfolio;
use super::pushes::Measure;
use super::tuning::AStar;
use crate::board::mix;
use crate::games::planning::{Task, nobody};
use crate::games::sokoban::board::Push;
use crate::search::portfolio::anytime::Anytime;
use crate::search::portfolio::round::Seat;
use crate::search::{Clock, Ended, Limits, Outcome, StopReason};
use astar::{AnyAStar, Searches, with_astar};
use conflict_sets::ConflictSets;

/// Divisor of a plan's cost. A plan is near the bound if its cost is above the bound by at most this part.
const NEAR_PART: u64 = 32;
/// Factor of the effort for shorter plans while the known one is near the bound.
const NEAR_EFFORT: u64 = 4;

/// A plan of least pushes or moves, or as short a one as the budget allows.
pub(super) fn solve<'a>(
    level: Prepared<'a>,
    measure: Measure,
    task: Task<'a, Push>,
    clock: &Clock,
) -> Outcome<Push> {
    let prefers = |plan: &[Push], other: &[Push]| measure.prefers(level.board, plan, other);
    let desk = measure.desk(level.board, task, clock).preferring(&prefers);
    with_astar(level, measure, clock, |searches| {
        let Searches { alone: astar, shared, sets } = searches;
        let mut proof = Proof { level, measure, desk, astar, shared, sets };
        clock.limits.install(|| proof.run());
        proof.desk.outcome()
    })
}

/// A search for a proof, and what is known so far.
struct Proof<'a, 'd, 's> {
    level: Prepared<'a>,
    measure: Measure,
    desk: Anytime<'d, Push>,
    astar: &'s mut AnyAStar<'s>,
    /// A* by several processes.
    shared: Option<&'s mut AnyAStar<'s>>,
    /// The search for conflict sets of the start.
    sets: Option<ConflictSets<'s>>,
}

impl Proof<'_, '_, '_> {
    /// Plays all turns.
    fn run(&mut self) {
        let allowed = self.desk.clock.limits.nodes.unwrap_or(u64::MAX);
        let AStar { alone, alone_part, .. } = self.level.tuning.astar;
        let quick = alone.min(allowed.div_ceil(alone_part));
        let limits = Limits { nodes: Some(quick), ..self.desk.rest() };
        let ended = self.desk.play(self.astar, limits);
        if allowed <= quick || ended != Ended::Stopped(StopReason::Nodes) {
            return;
        }
        let before = self.astar.spent().expanded;
        self.find_short_plan();
        if let Some(shared) = self.shared.take() {
            self.desk.play(shared, self.desk.rest());
            return;
        }
        let besides = self.desk.effort.expanded - before;
        let allowed = allowed.saturating_sub(besides);
        match self.sets.take() {
            Some(sets) => self.take_turns(sets, allowed),
            None => {
                self.desk.play(self.astar, self.desk.rest());
            }
        }
    }

    /// Finds any plan, where none is known, and makes it as short as part of the budget allows. Both have
    /// budgets of their own.
    fn find_short_plan(&mut self) {
        let Limits { time, nodes, memory, .. } = self.desk.rest();
        let memory = memory.saturating_sub(self.astar.spent().memory) / 2;
        let share = |part: u32| Limits {
            time: time / part,
            nodes: nodes.map(|nodes| nodes / u64::from(part)),
            memory,
            ..self.desk.clock.limits
        };
        let planner = self.level.tuning.planner;
        let shortening = match self.measure {
            Measure::Pushes => planner.shortening_pushes,
            Measure::Moves => planner.shortening_moves,
        };
        let (finding, shortening) = (share(planner.finding), share(shortening));
        if self.desk.plan().is_none() {
            self.find_plan(finding);
        }
        let plan = self.desk.plan().map(<[Push]>::to_vec);
        let begun = plan.and_then(|plan| Shortening::new(self.level, plan, self.measure));
        if let Some(mut windows) = begun {
            self.desk.play_on(&mut windows, shortening);
        }
    }

    /// Finds any plan by the portfolio for a first answer.
    fn find_plan(&mut self, limits: Limits) {
        let (outcome, _) = portfolio::solve(self.level, &self.desk.clock.part(limits), &nobody);
        self.desk.count_all(&outcome.effort);
        if let Some(plan) = outcome.plan
            && let Some(cost) = self.measure.cost(self.level.board, &plan)
        {
            self.desk.improve(cost.into(), plan);
        }
    }

    /// Plays rounds until the known plan cannot be beaten: the search for conflict sets and those for plans shorter than
    /// the known one, then A*, which shares penalties with the first.
    /// Together they may expand `allowed` positions, those of A*'s earlier turns included.
    fn take_turns(&mut self, sets: ConflictSets<'_>, allowed: u64) {
        // Each side has its share, so that what one does is the same whatever the others do. A* may have
        // had more than its own before.
        let share = allowed / 3;
        let besides = share.min(allowed.saturating_sub(self.astar.spent().expanded) / 2);
        let mut sets = sets;
        let plan = self.desk.plan().map(<[Push]>::to_vec);
        let begun = plan.and_then(|plan| Shortening::of_pushes(self.level, plan));
        let seed = self.desk.clock.limits.seed;
        let mut plans = [
            ShortPlans::new(self.level, begun, seed),
            ShortPlans::within_limit(self.level, mix(seed)),
        ];
        let AStar { first_turn, longest_turn, .. } = self.level.tuning.astar;
        let mut turn = first_turn;
        loop {
            let limit = turn.min(share);
            sets.hear(&self.astar.sets());
            let for_plans = if self.is_near() { NEAR_EFFORT * turn } else { turn };
            let shares = [limit, turn.min(besides), for_plans.min(besides)];
            let ended = self.play_round(&mut sets, &mut plans, shares);
            let is_out_of_turn =
                matches!(ended, Ended::Resting | Ended::Stopped(StopReason::Nodes));
            if self.desk.is_settled() || !is_out_of_turn || limit < turn {
                let stop = if let Ended::Stopped(stop) = ended { stop } else { StopReason::Nodes };
                self.desk.effort.stopped = Some(stop);
                return;
            }
            turn += turn.min(longest_turn);
        }
    }

    /// Whether the known plan is near the bound.
    fn is_near(&self) -> bool {
        self.desk.gap().is_some_and(|gap| gap <= self.desk.known().cost / NEAR_PART)
    }

    /// Lets the search for conflict sets and those for shorter plans play at the same time, then A* on all threads. The
    /// shares are those of A*, of the sets and of the plans, in expansions of all rounds so far. How A* ended.
    fn play_round(
        &mut self,
        sets: &mut ConflictSets<'_>,
        [plans, limited]: &mut [ShortPlans<'_>; 2],
        [share, of_sets, of_plans]: [u64; 3],
    ) -> Ended {
        let clock = self.desk.clock.clone();
        let Limits { nodes, memory, .. } = clock.limits;
        let room = memory.saturating_sub(self.astar.spent().memory) / 4;
        let left = of_plans.saturating_sub(plans.counted() + limited.counted());
        let part = if self.is_near() { left / 2 } else { 0 };
        let shares = [plans.counted() + left - part, limited.counted() + part];
        // Where nodes are counted no search of other plans does more than its share.
        let most = shares.map(|share| nodes.map_or(u64::MAX, |_| share));
        let patient = sets.share(of_sets);
        let seat = |search, share, nodes, memory| Seat {
            search,
            clock: clock.clone(),
            share,
            nodes,
            memory,
            goes_on: true,
        };
        let mut first = [
            seat(sets, patient, of_sets, room),
            seat(plans, shares[0], most[0], room),
            seat(limited, shares[1], most[1], room),
        ];
        let playing = if part == 0 { 2 } else { 3 };
        self.desk.play_round(&mut first[..playing], false);
        if self.desk.is_settled() {
            return Ended::Proven;
        }
        let astar = seat(&mut *self.astar, share, share, memory.saturating_sub(3 * room));
        self.desk.play_round(&mut [astar], false)[0]
    }
}
