//! Better and better plans from stages that a planner orders: the portfolio keeps the best plan and the
//! best bound, lets plans out that hold, and counts what all searches have spent.
//!
//! Who plays next is the planner's own code: it calls [`Anytime::play`] for a turn of a search under
//! limits, [`Anytime::play_part`] for a turn with a share and a cost to beat, [`Anytime::play_on`] for one
//! turn after another, or [`Anytime::play_round`] for searches that play at once, and asks
//! [`Anytime::is_over`] between them. A search that has a thread of its own plays [`Anytime::beside`] the
//! others, which see at once what it proves.

use super::beside::{Beside, PlayedBeside, SharedKnown};
use super::checked::{Check, Checked};
use super::round::{self, Prefers, Seat, is_better};
use crate::search::crew::Crew;
use crate::search::turn::{Allowance, Found, Known, Search, Spent, Turn, play};
use crate::search::{Clock, Ended, Limits, Outcome, Progress, Statistics, StopReason, Verdict};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Measures on the first plan how much time to set aside for what is done with plans after the search.
pub type Afterwards<'a, A> = &'a (dyn Fn(&[A]) -> Duration + Sync);

/// The state of an anytime planner: incumbent, bound, effort.
pub struct Anytime<'a, A> {
    /// Time, memory, nodes, and who controls the run.
    pub clock: Clock,
    /// What all searches have spent.
    pub effort: Statistics,
    /// Bytes that a search may hold; at first those of the clock's limits.
    pub memory: usize,
    /// Time set aside for what comes after the search.
    pub reserve: Duration,
    known: Arc<SharedKnown>,
    plan: Option<Vec<A>>,
    is_impossible: bool,
    is_short_of_memory: bool,
    found: Found<'a, A>,
    check: Option<Check<'a, A>>,
    prefers: Option<Prefers<'a, A>>,
    afterwards: Option<Afterwards<'a, A>>,
}

impl<A: fmt::Debug> fmt::Debug for Anytime<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Anytime")
            .field("known", &self.known.get())
            .field("plan", &self.plan)
            .field("effort", &self.effort)
            .finish_non_exhaustive()
    }
}

/// A part of the remaining budget, for one turn of a search.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct Part {
    /// Limits that end the search for good. The nodes are those of this turn.
    pub limits: Limits,
    /// Expansions of this turn after which the search rests.
    pub share: u64,
    /// Only plans that cost less are of interest to the search. It is at least the cost of the best plan.
    pub upper: u64,
}

impl Part {
    /// The same part, of which the search has this much time at most.
    pub fn within(mut self, time: Duration) -> Self {
        self.limits.time = self.limits.time.min(time);
        self
    }

    /// The same part, of which the search has this many expansions at most.
    pub fn of_nodes(mut self, nodes: u64) -> Self {
        self.limits.nodes = Some(self.limits.nodes.map_or(nodes, |left| left.min(nodes)));
        self
    }

    /// The same part, of which the search may hold `memory` bytes.
    pub fn holding(mut self, memory: usize) -> Self {
        self.limits.memory = memory;
        self
    }

    /// The same part, in which the search rests after `share` expansions.
    pub fn resting_after(self, share: u64) -> Self {
        Part { share, ..self }
    }

    /// The same part, in which the search is not told of plans that cost less than `upper`.
    pub fn below(self, upper: u64) -> Self {
        Part { upper: self.upper.max(upper), ..self }
    }
}

/// What a turn has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Played {
    /// How it ended.
    pub ended: Ended,
    /// Cost of the plan that it found, where that one holds. Others may have found a better one.
    pub cost: Option<u64>,
    /// Whether it found a plan that does not hold.
    pub is_refused: bool,
}

impl<'a, A: Clone> Anytime<'a, A> {
    /// A planner that knows no plan but may know the cost of one, and a bound.
    pub fn new(clock: Clock, known: Known, found: Found<'a, A>) -> Self {
        clock.tell_bound(known.bound);
        Anytime {
            memory: clock.limits.memory,
            clock,
            effort: Statistics::default(),
            reserve: Duration::ZERO,
            known: Arc::new(SharedKnown::new(known)),
            plan: None,
            is_impossible: false,
            is_short_of_memory: false,
            found,
            check: None,
            prefers: None,
            afterwards: None,
        }
    }

    /// The same planner, which takes a plan of the best cost, too, where it is better by this order.
    #[must_use]
    pub fn preferring(self, prefers: Prefers<'a, A>) -> Self {
        Anytime { prefers: Some(prefers), ..self }
    }

    /// The same planner, which lets out only plans that pass this check: for searches of abstractions,
    /// whose plans may fail.
    #[must_use]
    pub fn checking(self, check: Check<'a, A>) -> Self {
        Anytime { check: Some(check), ..self }
    }

    /// The same planner, which sets aside as much time as `afterwards` says of the first plan.
    #[must_use]
    pub fn leaving_time(self, afterwards: Afterwards<'a, A>) -> Self {
        Anytime { afterwards: Some(afterwards), ..self }
    }

    /// Begins with a plan that is known, where it holds: the answer has it where no better one is found.
    /// Nobody is told of it, for the caller has it.
    pub fn begin_with(&mut self, cost: u64, plan: Vec<A>) {
        if cost < self.known().cost && self.holds(&plan) {
            self.keep(cost, plan);
        }
    }

    /// What is known: cost of the best plan, and the bound, also as it was raised on other threads.
    pub fn known(&self) -> Known {
        self.known.get()
    }

    /// The best plan.
    pub fn plan(&self) -> Option<&[A]> {
        self.plan.as_deref()
    }

    /// Difference of the best plan's cost and the bound; none without a plan.
    pub fn gap(&self) -> Option<u64> {
        let Known { cost, bound } = self.known();
        (cost != u64::MAX).then(|| cost.saturating_sub(bound))
    }

    /// Whether nothing is left to find or to prove.
    pub fn is_settled(&self) -> bool {
        self.is_impossible || self.known.is_settled()
    }

    /// Why the run has to stop, where it has to: it is cancelled, or its nodes or its time are spent.
    pub fn should_stop(&self) -> Option<StopReason> {
        let over = self.left().is_zero().then_some(StopReason::Time);
        self.clock.should_stop(self.effort.expanded, 0).or(over)
    }

    /// Whether no more turn is to be played.
    pub fn is_over(&self) -> bool {
        self.is_settled() || self.should_stop().is_some()
    }

    /// The remaining time of the searches.
    pub fn left(&self) -> Duration {
        self.clock.left().saturating_sub(self.reserve)
    }

    /// The remaining limits: time and nodes, as far as they are left, and the memory of a search.
    pub fn rest(&self) -> Limits {
        let limits = self.clock.limits;
        let nodes = limits.nodes.map(|nodes| nodes.saturating_sub(self.effort.expanded));
        Limits { time: self.left(), nodes, memory: self.memory, ..limits }
    }

    /// All that is left, as a part for one turn.
    pub fn part(&self) -> Part {
        Part { limits: self.rest(), share: u64::MAX, upper: self.known().cost }
    }

    /// Lets a search play one turn under these limits, which end it for good; takes in what it has found,
    /// proven and spent.
    pub fn play<S: Search<Plan = Vec<A>> + ?Sized>(
        &mut self,
        search: &mut S,
        limits: Limits,
    ) -> Ended {
        self.play_part(search, Part { limits, ..self.part() }).ended
    }

    /// Lets a search play one turn with a part of the budget; takes in what it has found, proven and
    /// spent.
    pub fn play_part<S: Search<Plan = Vec<A>> + ?Sized>(
        &mut self,
        search: &mut S,
        part: Part,
    ) -> Played {
        self.play_while(search, part, |_| false)
    }

    /// Lets a search play turns under these limits, which hold for all of them together, as long as each
    /// ends with a better plan and the search could go on. How the last turn ended.
    pub fn play_on<S: Search<Plan = Vec<A>> + ?Sized>(
        &mut self,
        search: &mut S,
        limits: Limits,
    ) -> Ended {
        let goes_on = |turn: &Turn<Vec<A>>| turn.plan.is_some() && turn.ended == Ended::Resting;
        self.play_while(search, Part { limits, ..self.part() }, goes_on).ended
    }

    /// Lets a search play a turn with a part of the budget, and another one after each turn of which
    /// `goes_on` says so.
    fn play_while<S: Search<Plan = Vec<A>> + ?Sized>(
        &mut self,
        search: &mut S,
        part: Part,
        goes_on: impl Fn(&Turn<Vec<A>>) -> bool,
    ) -> Played {
        let Part { limits, share, upper } = part;
        let rest = self.rest();
        let is_last = limits.nodes == rest.nodes && limits.time >= rest.time;
        let hides = upper > self.known().cost;
        let clock = self.clock.part(limits).after(self.progress());
        let expanded = search.spent().expanded;
        let total = |more: u64| expanded.saturating_add(more);
        let (share, nodes) = (total(share), limits.nodes.map_or(u64::MAX, total));
        let crew = Crew::default();
        let allowance = Allowance { share, nodes, ..Allowance::whole(&clock, &crew) };
        loop {
            let before = search.spent();
            let known = self.known();
            let told = Known { cost: if hides { upper } else { known.cost }, ..known };
            let mut checked = Checked::new(search, self.check);
            let turn = play(&mut checked, told, &allowance);
            let is_refused = checked.is_refused;
            let cost = turn.plan.as_ref().map(|&(cost, _)| cost);
            let (ended, is_over) = (turn.ended, !goes_on(&turn));
            self.spend(before, search.spent());
            self.take(Turn { bound: turn.bound.min(told.cost), ..turn });
            self.effort.stopped = ended.stop().filter(|_| is_last);
            if is_over {
                return Played { ended, cost, is_refused };
            }
        }
    }

    /// Lets searches play at once, each a turn, or turn after turn, as its seat says. Knowledge is frozen
    /// in the round: each search knows what is known now and what it finds itself. Plans are let out as
    /// they are found, and what the searches come to is taken in by their places at the end. So the
    /// answer does not depend on threads, except in a `race`, in which the first search that is through
    /// with its share halts the others. How the turns ended.
    pub fn play_round(&mut self, seats: &mut [Seat<'_, A>], is_race: bool) -> Vec<Ended>
    where
        A: Send + Sync,
    {
        let before: Vec<Spent> = seats.iter().map(|seat| seat.search.spent()).collect();
        let best = (self.known(), self.plan.as_deref());
        let handling =
            round::Handling { found: self.found, prefers: self.prefers, check: self.check };
        let turns = round::play(seats, best, handling, is_race);
        let spent: Vec<Spent> = seats.iter().map(|seat| seat.search.spent()).collect();
        before.into_iter().zip(&spent).for_each(|(before, &spent)| self.spend(before, spent));
        let memory = spent.iter().map(|spent| spent.memory).sum();
        self.effort.memory = self.effort.memory.max(memory);
        let ended = turns.iter().map(|turn| turn.ended).collect();
        for Turn { plan, bound, ended } in turns {
            if let Some((cost, plan)) = plan
                && self.is_better(cost, &plan)
            {
                self.keep(cost, plan);
            }
            self.take(Turn::without_plan(bound, ended));
            self.effort.stopped = ended.stop();
        }
        ended
    }

    /// Counts what others have spent, who report it so.
    pub fn count_all(&mut self, effort: &Statistics) {
        self.spend(Spent::default(), Spent::of(effort));
    }

    /// Lets one search play until nothing is left to find or to prove, or it has nothing more to say; the
    /// answer.
    pub fn alone<S: Search<Plan = Vec<A>> + ?Sized>(mut self, search: &mut S) -> Outcome<A> {
        while !self.is_settled() && self.play(search, self.rest()) == Ended::Resting {}
        self.outcome()
    }

    /// A seat for a search that plays under these limits on another thread, beside the others. What it
    /// came to is given back to [`Anytime::take_in`].
    pub fn beside(&self, limits: Limits) -> Beside<'a, A> {
        Beside::new(self.clock.part(limits), Arc::clone(&self.known), self.check)
    }

    /// Takes in what a search has found, proven and spent that has played beside the others.
    pub fn take_in(&mut self, played: PlayedBeside<A>) {
        self.spend(Spent::default(), played.spent);
        self.take(played.turn);
    }

    /// Tells the listener what the planner does now, in a few words.
    pub fn tell(&self, phase: impl Into<String>) {
        let spent = self.clock.elapsed().as_secs_f64() / self.clock.limits.time.as_secs_f64();
        self.clock.tell(&Progress {
            phase: phase.into(),
            fraction: spent.min(1.0),
            ..self.progress()
        });
    }

    /// Takes a bound: no plan costs less, `u64::MAX` where there is none at all.
    pub fn raise(&mut self, bound: u64) {
        self.is_impossible |= bound == u64::MAX && self.known().cost == u64::MAX;
        self.known.raise(bound);
        self.clock.tell_bound(self.known().bound);
    }

    /// Takes a plan, where it is better than what is known and holds, and lets it out.
    pub fn improve(&mut self, cost: u64, plan: Vec<A>) {
        if self.is_better(cost, &plan) && self.holds(&plan) {
            self.let_out(cost, plan);
        }
    }

    /// Adds to the effort what a search has spent beyond what it had before.
    fn spend(&mut self, before: Spent, spent: Spent) {
        self.effort.expanded += spent.expanded.saturating_sub(before.expanded);
        self.effort.generated += spent.generated.saturating_sub(before.generated);
        self.effort.memory = self.effort.memory.max(spent.memory);
    }

    /// Takes in what a turn has come to, whose plan holds.
    fn take(&mut self, turn: Turn<Vec<A>>) {
        if let Some((cost, plan)) = turn.plan
            && self.is_better(cost, &plan)
        {
            self.let_out(cost, plan);
        }
        self.raise(turn.bound);
        self.is_short_of_memory |= turn.ended == Ended::Stopped(StopReason::Memory);
    }

    fn is_better(&self, cost: u64, plan: &[A]) -> bool {
        is_better((cost, plan), (self.known().cost, self.plan()), self.prefers)
    }

    fn holds(&self, plan: &[A]) -> bool {
        self.check.is_none_or(|check| check(plan))
    }

    fn let_out(&mut self, cost: u64, plan: Vec<A>) {
        (self.found)(&plan, cost);
        self.keep(cost, plan);
    }

    fn keep(&mut self, cost: u64, plan: Vec<A>) {
        self.known.beat(cost);
        if let Some(afterwards) = self.afterwards.take() {
            self.reserve = afterwards(&plan);
        }
        self.plan = Some(plan);
    }

    /// What is known and spent so far.
    fn progress(&self) -> Progress {
        let Known { cost, bound } = self.known();
        Progress {
            nodes: self.effort.expanded,
            best: Some(cost).filter(|&cost| cost != u64::MAX),
            bound,
            ..Progress::default()
        }
    }

    /// The answer. What has stopped it is what has stopped the run, or a last turn that had all that was
    /// left, or else that a search had too little memory: that a turn had spent its part stops no run.
    pub fn outcome(self) -> Outcome<A> {
        let settled = self.is_settled();
        let short = self.is_short_of_memory.then_some(StopReason::Memory);
        let stopped = self.should_stop().or(self.effort.stopped).or(short).filter(|_| !settled);
        let effort = Statistics { elapsed: self.clock.elapsed(), stopped, ..self.effort };
        let Known { cost, bound } = self.known();
        let verdict = match &self.plan {
            _ if self.is_impossible => Verdict::Impossible,
            _ if settled => Verdict::Optimal,
            Some(_) => Verdict::Found,
            None => Verdict::Unknown,
        };
        let bound = if verdict == Verdict::Impossible { u64::MAX } else { bound.min(cost) };
        let has_cost = self.plan.is_some() || verdict == Verdict::Optimal;
        let cost = if has_cost { cost } else { u64::MAX };
        Outcome { verdict, plan: self.plan, cost, bound, effort }
    }
}
