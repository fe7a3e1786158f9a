//! Better and better plans from stages that a planner orders: the portfolio keeps the best plan and the
//! best bound, lets plans out that hold, and counts what all searches have spent.
//!
//! Who plays next is the planner's own code: it calls [`Anytime::play`] for a turn of a search, with the
//! limits of that turn, [`Anytime::play_on`] for one turn after another, or [`Anytime::play_round`] for
//! searches that play at once, and asks [`Anytime::is_settled`] between them.

use super::round::{self, Prefers, Seat, is_better};
use crate::search::crew::Crew;
use crate::search::turn::{Allowance, Found, Known, Search, Spent, Turn, play};
use crate::search::{Clock, Ended, Limits, Outcome, Progress, Statistics, Verdict};

/// The state of an anytime planner: incumbent, bound, effort.
pub struct Anytime<'a, A> {
    /// Time, memory, nodes, and who controls the run.
    pub clock: Clock,
    /// What all searches have spent.
    pub effort: Statistics,
    known: Known,
    plan: Option<Vec<A>>,
    is_impossible: bool,
    found: Found<'a, A>,
    prefers: Option<Prefers<'a, A>>,
}

impl<'a, A: Clone> Anytime<'a, A> {
    /// A planner that knows no plan but may know the cost of one, and a bound.
    pub fn new(clock: Clock, known: Known, found: Found<'a, A>) -> Self {
        let effort = Statistics::default();
        Anytime { clock, effort, known, plan: None, is_impossible: false, found, prefers: None }
    }

    /// The same planner, which holds the plan whose cost it knows: the answer has that plan where no
    /// better one is found. It is not let out before, for the caller has it.
    #[must_use]
    pub fn holding(self, plan: Option<Vec<A>>) -> Self {
        Anytime { plan, ..self }
    }

    /// The same planner, which takes a plan of the best cost, too, where it is better by this order.
    #[must_use]
    pub fn preferring(self, prefers: Prefers<'a, A>) -> Self {
        Anytime { prefers: Some(prefers), ..self }
    }

    /// The best plan.
    pub fn plan(&self) -> Option<&[A]> {
        self.plan.as_deref()
    }

    /// What is known: cost of the best plan, and the bound.
    pub fn known(&self) -> Known {
        self.known
    }

    /// Whether nothing is left to find or to prove.
    pub fn is_settled(&self) -> bool {
        self.is_impossible || self.known.bound >= self.known.cost
    }

    /// The remaining limits: time and nodes, as far as they are left.
    pub fn rest(&self) -> Limits {
        let limits = self.clock.limits;
        let nodes = limits.nodes.map(|nodes| nodes.saturating_sub(self.effort.expanded));
        Limits { time: self.clock.left(), nodes, ..limits }
    }

    /// Lets a search play one turn under these limits, which end it for good; takes in what it has found,
    /// proven and spent.
    pub fn play<S: Search<Plan = Vec<A>> + ?Sized>(
        &mut self,
        search: &mut S,
        limits: Limits,
    ) -> Ended {
        self.play_while(search, limits, |_| false)
    }

    /// Lets a search play turns under these limits, which hold for all of them together, as long as each
    /// ends with a better plan and the search could go on. How the last turn ended.
    pub fn play_on<S: Search<Plan = Vec<A>> + ?Sized>(
        &mut self,
        search: &mut S,
        limits: Limits,
    ) -> Ended {
        self.play_while(search, limits, |turn| turn.plan.is_some() && turn.ended == Ended::Resting)
    }

    /// Lets a search play a turn under these limits, and another one after each turn of which
    /// `goes_on` says so.
    fn play_while<S: Search<Plan = Vec<A>> + ?Sized>(
        &mut self,
        search: &mut S,
        limits: Limits,
        goes_on: impl Fn(&Turn<Vec<A>>) -> bool,
    ) -> Ended {
        let clock = self.clock.part(limits).after(self.progress());
        let spent = search.spent().expanded;
        let nodes = limits.nodes.map_or(u64::MAX, |nodes| spent.saturating_add(nodes));
        let (memory, crew) = (limits.memory, &Crew::default());
        let allowance = Allowance { clock: &clock, round: 0, share: u64::MAX, nodes, memory, crew };
        loop {
            let before = search.spent();
            let turn = play(search, self.known, &allowance);
            let spent = search.spent();
            self.count(before, spent);
            self.effort.memory = self.effort.memory.max(spent.memory);
            let (ended, is_over) = (turn.ended, !goes_on(&turn));
            self.take(turn);
            if is_over {
                return ended;
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
        let plan = self.plan.as_deref();
        let turns = round::play(seats, (self.known, plan), (self.found, self.prefers), is_race);
        let spent: Vec<Spent> = seats.iter().map(|seat| seat.search.spent()).collect();
        before.into_iter().zip(&spent).for_each(|(before, &spent)| self.count(before, spent));
        let memory = spent.iter().map(|spent| spent.memory).sum();
        self.effort.memory = self.effort.memory.max(memory);
        let ended = turns.iter().map(|turn| turn.ended).collect();
        for Turn { plan, bound, ended } in turns {
            if let Some((cost, plan)) = plan {
                self.keep(cost, plan);
            }
            self.take(Turn::without_plan(bound, ended));
        }
        ended
    }

    /// Counts what others have spent, who report it so.
    pub fn count_all(&mut self, effort: &Statistics) {
        self.effort.expanded += effort.expanded;
        self.effort.generated += effort.generated;
        self.effort.memory = self.effort.memory.max(effort.memory);
    }

    /// Counts what a search has spent in a turn.
    fn count(&mut self, before: Spent, spent: Spent) {
        self.effort.expanded += spent.expanded.saturating_sub(before.expanded);
        self.effort.generated += spent.generated.saturating_sub(before.generated);
    }

    /// Lets one search play until nothing is left to find or to prove, or it has nothing more to say; the
    /// answer.
    pub fn alone<S: Search<Plan = Vec<A>> + ?Sized>(mut self, search: &mut S) -> Outcome<A> {
        while !self.is_settled() && self.play(search, self.rest()) == Ended::Resting {}
        self.outcome()
    }

    /// Takes in what a turn has come to.
    fn take(&mut self, turn: Turn<Vec<A>>) {
        self.is_impossible |= turn.is_impossible() && self.known.cost == u64::MAX;
        if let Some((cost, plan)) = turn.plan {
            self.improve(cost, plan);
        }
        self.known.bound = self.known.bound.max(turn.bound.min(self.known.cost));
        self.effort.stopped = match turn.ended {
            Ended::Stopped(stop) => Some(stop),
            _ => None,
        };
    }

    /// Takes a plan that holds, where it is better than what is known, and lets it out.
    pub fn improve(&mut self, cost: u64, plan: Vec<A>) {
        if self.keep(cost, plan)
            && let Some(plan) = &self.plan
        {
            (self.found)(plan, cost);
        }
    }

    /// Keeps a plan where it is better than what is known; whether it is.
    fn keep(&mut self, cost: u64, plan: Vec<A>) -> bool {
        let best = (self.known.cost, self.plan.as_deref());
        let is_better = is_better((cost, &plan), best, self.prefers);
        if is_better {
            (self.known.cost, self.plan) = (cost, Some(plan));
        }
        is_better
    }

    /// What is known and spent so far.
    fn progress(&self) -> Progress {
        Progress {
            nodes: self.effort.expanded,
            best: Some(self.known.cost).filter(|&cost| cost != u64::MAX),
            bound: self.known.bound,
            ..Progress::default()
        }
    }

    /// The answer.
    pub fn outcome(self) -> Outcome<A> {
        let settled = self.is_settled();
        let stopped = self.effort.stopped.filter(|_| !settled);
        let effort = Statistics { elapsed: self.clock.elapsed(), stopped, ..self.effort };
        let Known { cost, bound } = self.known;
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
