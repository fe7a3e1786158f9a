//! The contract of a search: it owns its state, borrows its space, and plays turns.
//!
//! A turn goes on where the one before rested, and ends at the next resting place after its share of
//! expansions is spent: `n` short turns come to the same plan and the same expansions as one long one.
//! A search returns its plan and tells nobody; who lets it play lets the plan out, after it was checked.

use super::control::{Ended, TurnReport};
use super::crew::Crew;
use super::{Clock, Event, Limits, Outcome, Statistics, StopReason, Verdict};

/// A search that takes turns.
pub trait Search: Send {
    /// A plan, as the search makes it.
    type Plan;
    /// What it may learn that others can use; `()` where there is nothing.
    type Lesson;

    /// What reports call it: lower case, words joined by hyphens.
    fn name(&self) -> &'static str;

    /// Goes on until it has an answer, or until its share or the whole allowance is spent.
    fn turn(&mut self, known: Known, allowance: &Allowance<'_>) -> Turn<Self::Plan>;

    /// What it has spent in all its turns.
    fn spent(&self) -> Spent;

    /// Whether it can still do something with `nodes` expansions for all its turns.
    fn may_go_on(&self, nodes: u64) -> bool {
        self.spent().expanded < nodes
    }

    /// What it has learned that the other searches do not know of yet.
    fn lessons(&self) -> &[Self::Lesson] {
        &[]
    }

    /// Takes over what others have learned. What it knows then is no news.
    fn learn(&mut self, _lessons: &mut dyn Iterator<Item = &[Self::Lesson]>) {}
}

/// What is known when a turn begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// Cost of the best plan, `u64::MAX` without one: only cheaper ones are of interest.
    pub cost: u64,
    /// No plan costs less.
    pub bound: u64,
}

impl Default for Known {
    /// Nothing is known.
    fn default() -> Self {
        Known { cost: u64::MAX, bound: 0 }
    }
}

/// What a search may spend on its turn.
#[derive(Debug, Clone, Copy)]
pub struct Allowance<'a> {
    /// Time, the flags that stop it, and where progress is told.
    pub clock: &'a Clock,
    /// Number of the turn, from 0 on.
    pub round: u32,
    /// Expansions in all its turns together after which this turn ends, at the next resting place. A
    /// search that does not count in expansions has a unit of its own.
    pub share: u64,
    /// Upper limit of the expansions in all its turns together.
    pub nodes: u64,
    /// Bytes that it may hold.
    pub memory: usize,
    /// Threads that may help.
    pub crew: &'a Crew,
}

impl<'a> Allowance<'a> {
    /// All that the clock's limits allow, for a search that plays one turn.
    pub fn whole(clock: &'a Clock, crew: &'a Crew) -> Self {
        let Limits { nodes, memory, .. } = clock.limits;
        let nodes = nodes.unwrap_or(u64::MAX);
        Allowance { clock, round: 0, share: u64::MAX, nodes, memory, crew }
    }

    /// The clock of a search that counts its expansions and bytes from its beginning.
    pub fn own_clock(&self) -> Clock {
        let nodes = Some(self.nodes).filter(|&nodes| nodes != u64::MAX);
        self.clock.under(Limits { nodes, memory: self.memory, ..self.clock.limits })
    }

    /// The share, as far as the expansions go.
    pub fn limit(&self) -> u64 {
        self.share.min(self.nodes)
    }
}

/// Hears each better plan, and its cost.
pub type Found<'a, A> = &'a (dyn Fn(&[A], u64) + Sync);

/// What a search has spent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// States expanded.
    pub expanded: u64,
    /// Successors generated.
    pub generated: u64,
    /// Bytes held.
    pub memory: usize,
}

impl Spent {
    /// What a search has spent that reports so.
    pub fn of(effort: &Statistics) -> Self {
        let &Statistics { expanded, generated, memory, .. } = effort;
        Spent { expanded, generated, memory }
    }
}

/// What a turn comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn<P> {
    /// A plan that is cheaper than what was known, and its cost.
    pub plan: Option<(u64, P)>,
    /// No plan costs less, `u64::MAX` where there is none at all.
    pub bound: u64,
    /// How it ended.
    pub ended: Ended,
}

impl<P> Turn<P> {
    /// A turn without a plan.
    pub fn without_plan(bound: u64, ended: Ended) -> Self {
        Turn { plan: None, bound, ended }
    }

    /// A turn that was stopped without a plan and without a bound.
    pub fn stopped(stop: StopReason) -> Self {
        Turn::without_plan(0, Ended::Stopped(stop))
    }

    /// A turn that has found a plan of this cost; more turns may find better ones.
    pub fn found(cost: u64, plan: P) -> Self {
        Turn { plan: Some((cost, plan)), bound: 0, ended: Ended::Resting }
    }

    /// A turn that has proven that there is no plan.
    pub fn impossible() -> Self {
        Turn::without_plan(u64::MAX, Ended::Proven)
    }

    /// Whether it has proven that there is no plan.
    pub fn is_impossible(&self) -> bool {
        self.plan.is_none() && self.bound == u64::MAX && self.ended == Ended::Proven
    }
}

impl<A> Turn<Vec<A>> {
    /// The turn of a search that is over after it.
    pub fn of(outcome: Outcome<A>) -> Self {
        let TurnReport { ended, .. } = TurnReport::of(&outcome);
        let is_impossible = outcome.verdict == Verdict::Impossible;
        let bound = if is_impossible { u64::MAX } else { outcome.bound };
        Turn { plan: outcome.plan.map(|plan| (outcome.cost, plan)), bound, ended }
    }
}

/// Lets a search play a turn, and tells the listener of its beginning and its end.
pub fn play<S: Search + ?Sized>(
    search: &mut S,
    known: Known,
    allowance: &Allowance<'_>,
) -> Turn<S::Plan> {
    let before = search.spent();
    let name = search.name();
    allowance
        .clock
        .account(
            name,
            || {
                let turn = search.turn(known, allowance);
                let spent = search.spent();
                (turn, spent)
            },
            |(turn, spent)| TurnReport {
                expanded: spent.expanded.saturating_sub(before.expanded),
                generated: spent.generated.saturating_sub(before.generated),
                memory: spent.memory as u64,
                length: turn.plan.as_ref().map(|(cost, _)| *cost),
                bound: Some(turn.bound).filter(|&bound| bound > 0 && bound < u64::MAX),
                ended: turn.ended,
                seconds: 0.0,
            },
        )
        .0
}

impl TurnReport {
    /// What a search came to that is over after one turn, but for its time.
    pub fn of<A>(outcome: &Outcome<A>) -> Self {
        let Outcome { verdict, plan, cost, bound, effort } = outcome;
        let ended = match (verdict, effort.stopped) {
            (Verdict::Optimal | Verdict::Impossible, _) => Ended::Proven,
            (_, Some(stop)) => Ended::Stopped(stop),
            (_, None) => Ended::Exhausted,
        };
        TurnReport {
            expanded: effort.expanded,
            generated: effort.generated,
            memory: effort.memory as u64,
            length: plan.as_ref().map(|_| *cost),
            bound: Some(*bound).filter(|&bound| bound > 0 && *verdict != Verdict::Impossible),
            ended,
            seconds: 0.0,
        }
    }
}

impl Clock {
    /// Does the work of a turn of a search, and tells the listener of its beginning and its end, where
    /// there is one; `report` says what the turn came to, but for its time.
    pub fn account<T>(
        &self,
        search: &'static str,
        work: impl FnOnce() -> T,
        report: impl FnOnce(&T) -> TurnReport,
    ) -> T {
        let control = self.control();
        if control.listener.is_none() {
            return work();
        }
        control.tell(&Event::TurnBegun { search });
        let before = self.elapsed();
        let done = work();
        let seconds = self.elapsed().saturating_sub(before).as_secs_f64();
        let turn = TurnReport { seconds, ..report(&done) };
        control.tell(&Event::TurnEnded { search, turn });
        done
    }
}

/// What unit tests hold each search to.
#[cfg(test)]
pub mod tests {
    use super::*;
    use std::fmt::Debug;

    /// What a search has come to after all its turns.
    #[derive(Debug, PartialEq)]
    pub struct Came<P> {
        /// Its best plan.
        pub plan: Option<P>,
        /// Cost of that, and the bound.
        pub known: Known,
        /// States expanded, and successors generated.
        pub effort: (u64, u64),
        /// How its last turn ended.
        pub ended: Ended,
    }

    /// Lets a search play turns of `share` expansions each, `nodes` in all, until it has nothing more to
    /// say; with that, the number of its turns.
    fn played<S: Search>(mut search: S, share: u64, nodes: u64) -> (Came<S::Plan>, u32) {
        let clock = Limits { threads: 1, ..Limits::seconds(1000.0) }.start();
        let crew = Crew::default();
        let (mut plan, mut known, mut round) = (None, Known::default(), 0);
        loop {
            let before = search.spent().expanded;
            let share = before.saturating_add(share);
            let allowance = Allowance { round, share, nodes, ..Allowance::whole(&clock, &crew) };
            let turn = search.turn(known, &allowance);
            round += 1;
            let has_plan = turn.plan.is_some();
            if let Some((cost, found)) = turn.plan {
                assert!(cost < known.cost, "a plan that is no better");
                (known.cost, plan) = (cost, Some(found));
            }
            known.bound = known.bound.max(turn.bound.min(known.cost));
            let Spent { expanded, generated, .. } = search.spent();
            let ended = turn.ended;
            if ended != Ended::Resting {
                return (Came { plan, known, effort: (expanded, generated), ended }, round);
            }
            assert!(has_plan || expanded > before, "a turn without an expansion");
        }
    }

    /// Compares turns of several lengths with one long turn, `nodes` expansions in all: what that comes
    /// to, and the most turns that were played.
    pub fn compare_turns<S: Search<Plan: PartialEq + Debug>>(
        search: impl Fn() -> S,
        nodes: u64,
    ) -> (Came<S::Plan>, u32) {
        let (long, _) = played(search(), u64::MAX, nodes);
        let short = [1, 30, 500].map(|share| {
            let (short, turns) = played(search(), share, nodes);
            assert_eq!(short, long, "turns of {share} expansions");
            turns
        });
        (long, short.into_iter().max().unwrap_or(0))
    }
}
