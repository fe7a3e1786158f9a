//! A round of searches that play at once: what an anytime planner does on several threads.

use super::checked::{Check, Checked};
use crate::search::crew::Crew;
use crate::search::turn::{Allowance, Found, Known, Search, Turn, play as play_turn};
use crate::search::{Clock, Ended};
use rayon::prelude::*;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Whether the first of two plans of the same cost is the better one.
pub type Prefers<'a, A> = &'a (dyn Fn(&[A], &[A]) -> bool + Sync);

/// What is done with the plans of a round: who hears them, which is better, and which hold.
pub(super) struct Handling<'a, A> {
    pub found: Found<'a, A>,
    pub prefers: Option<Prefers<'a, A>>,
    pub check: Option<Check<'a, A>>,
}

/// A search's place in a round, and what it may spend there.
pub struct Seat<'s, A> {
    /// The search.
    pub search: &'s mut dyn Search<Plan = Vec<A>, Lesson = ()>,
    /// Time, and what else stops it.
    pub clock: Clock,
    /// Share of the round, as in [`Allowance::share`].
    pub share: u64,
    /// Upper limit of all its turns, as in [`Allowance::nodes`].
    pub nodes: u64,
    /// Bytes that it may hold.
    pub memory: usize,
    /// Whether it plays another turn after one with a better plan, as far as its share goes.
    pub goes_on: bool,
}

impl<A> fmt::Debug for Seat<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Seat")
            .field("search", &self.search.name())
            .field("share", &self.share)
            .field("nodes", &self.nodes)
            .field("memory", &self.memory)
            .finish_non_exhaustive()
    }
}

impl<A> Seat<'_, A> {
    /// Plays its turns of a round; `tell` hears its plans that pass the check.
    fn play(
        &mut self,
        mut known: Known,
        (clock, check): (&Clock, Option<Check<'_, A>>),
        tell: impl Fn(u64, &[A]),
    ) -> Turn<Vec<A>> {
        let &mut Seat { share, nodes, memory, goes_on, .. } = self;
        let crew = &Crew::default();
        let allowance = Allowance { clock, round: 0, share, nodes, memory, crew };
        let (mut best, mut bound) = (None, 0);
        loop {
            let turn = play_turn(&mut Checked::new(self.search, check), known, &allowance);
            bound = turn.bound.max(bound);
            let has_plan = turn.plan.is_some();
            if let Some((cost, plan)) = turn.plan {
                tell(cost, &plan);
                (known.cost, best) = (cost, Some((cost, plan)));
            }
            let may_go_on = goes_on && self.search.may_go_on(allowance.limit());
            if !has_plan || turn.ended != Ended::Resting || !may_go_on {
                return Turn { plan: best, bound, ended: turn.ended };
            }
        }
    }
}

/// Lets the searches play, each with the same knowledge, and tells of plans that are better than all
/// before. In a race the first that is through halts the others. What each has come to, by place.
pub(super) fn play<A: Clone + Send + Sync>(
    seats: &mut [Seat<'_, A>],
    (known, plan): (Known, Option<&[A]>),
    Handling { found, prefers, check }: Handling<'_, A>,
    is_race: bool,
) -> Vec<Turn<Vec<A>>> {
    let halts: Vec<Arc<AtomicBool>> = seats.iter().map(|_| Arc::default()).collect();
    let told = Mutex::new((known.cost, plan.map(<[A]>::to_vec)));
    let tell = |cost: u64, plan: &[A]| {
        let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
        if is_better((cost, plan), (told.0, told.1.as_deref()), prefers) {
            *told = (cost, Some(plan.to_vec()));
            found(plan, cost);
        }
    };
    let play = |(at, seat): (usize, &mut Seat<'_, A>)| {
        let clock = seat.clock.clone();
        let clock = if is_race { clock.with_halt(&halts[at]) } else { clock };
        let turn = seat.play(known, (&clock, check), tell);
        let others = halts.iter().enumerate().filter(|(other, _)| is_race && *other != at);
        others.for_each(|(_, halt)| halt.store(true, Ordering::Relaxed));
        turn
    };
    seats.par_iter_mut().enumerate().with_max_len(1).map(play).collect()
}

/// Whether a plan is better than the best one of this cost, which may be known by its cost alone.
pub(super) fn is_better<A>(
    (cost, plan): (u64, &[A]),
    (least, best): (u64, Option<&[A]>),
    prefers: Option<Prefers<'_, A>>,
) -> bool {
    let is_preferred = || Some(prefers?(plan, best?));
    cost < least || cost == least && is_preferred() == Some(true)
}
