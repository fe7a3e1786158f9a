//! Better and better plans from stages that a planner orders: the portfolio keeps the best plan and the
//! best bound, lets plans out that hold, and counts what all searches have spent.
//!
//! Who plays next is the planner's own code: it calls [`Anytime::play`] for a turn of a search, with the
//! limits of that turn, and asks [`Anytime::is_settled`] between them.

use crate::search::crew::Crew;
use crate::search::turn::{Allowance, Found, Known, Search, Turn, play};
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
}

impl<'a, A: Clone> Anytime<'a, A> {
    /// A planner that knows no plan but may know the cost of one, and a bound.
    pub fn new(clock: Clock, known: Known, found: Found<'a, A>) -> Self {
        let effort = Statistics::default();
        Anytime { clock, effort, known, plan: None, is_impossible: false, found }
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
        let before = search.spent();
        let clock = self.clock.part(limits).after(self.progress());
        let nodes = limits.nodes.map_or(u64::MAX, |nodes| before.expanded.saturating_add(nodes));
        let (memory, crew) = (limits.memory, &Crew::default());
        let allowance = Allowance { clock: &clock, round: 0, share: u64::MAX, nodes, memory, crew };
        let turn = play(search, self.known, &allowance);
        let spent = search.spent();
        self.effort.expanded += spent.expanded.saturating_sub(before.expanded);
        self.effort.generated += spent.generated.saturating_sub(before.generated);
        self.effort.memory = self.effort.memory.max(spent.memory);
        let ended = turn.ended;
        self.take(turn);
        ended
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

    /// Takes a plan that holds, where it is cheaper than what is known, and lets it out.
    pub fn improve(&mut self, cost: u64, plan: Vec<A>) {
        if cost < self.known.cost {
            (self.found)(&plan, cost);
            self.known.cost = cost;
            self.plan = Some(plan);
        }
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
