//! A search on a thread of its own, beside those that take turns.
//!
//! It sees at once what the others find, and they see what it proves, through [`SharedKnown`]; a plan of
//! its own comes out when it is over. So the answer depends on the speed of the threads: where it must
//! not, all searches take turns.

use super::checked::{Check, Checked};
use crate::search::crew::Crew;
use crate::search::turn::{Allowance, Known, Search, Spent, Turn, play};
use crate::search::{Clock, Ended};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Expansions between two looks at what the others know.
const SHARE: u64 = 256;

/// What is known, for several threads: cost of the best plan, and the bound.
#[derive(Debug)]
pub(super) struct SharedKnown {
    cost: AtomicU64,
    bound: AtomicU64,
}

impl SharedKnown {
    pub fn new(known: Known) -> Self {
        let Known { cost, bound } = known;
        SharedKnown { cost: AtomicU64::new(cost), bound: AtomicU64::new(bound) }
    }

    /// What is known now.
    pub fn get(&self) -> Known {
        let load = |value: &AtomicU64| value.load(Ordering::Relaxed);
        let (cost, bound) = (load(&self.cost), load(&self.bound));
        Known { cost, bound: bound.min(cost) }
    }

    /// Takes the cost of a plan.
    pub fn beat(&self, cost: u64) {
        self.cost.fetch_min(cost, Ordering::Relaxed);
    }

    /// Takes a bound, `u64::MAX` where there is no plan at all.
    pub fn raise(&self, bound: u64) {
        self.bound.fetch_max(bound, Ordering::Relaxed);
    }

    pub fn is_settled(&self) -> bool {
        let Known { cost, bound } = self.get();
        bound >= cost
    }
}

/// A seat for a search that plays beside the others: see [`super::anytime::Anytime::beside`].
pub struct Beside<'a, A> {
    clock: Clock,
    known: Arc<SharedKnown>,
    check: Option<Check<'a, A>>,
}

impl<A> fmt::Debug for Beside<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Beside")
            .field("clock", &self.clock)
            .field("known", &self.known.get())
            .finish_non_exhaustive()
    }
}

/// What a search came to that has played beside the others.
#[derive(Debug)]
pub struct PlayedBeside<A> {
    pub(super) turn: Turn<Vec<A>>,
    pub(super) spent: Spent,
}

impl<'a, A> Beside<'a, A> {
    pub(super) fn new(clock: Clock, known: Arc<SharedKnown>, check: Option<Check<'a, A>>) -> Self {
        Beside { clock, known, check }
    }

    /// Lets a search that has not begun play until it has found or proven something for good, its limits
    /// are spent, or the others have settled the matter. The listener hears of one turn.
    pub fn play<S: Search<Plan = Vec<A>> + ?Sized>(&self, search: &mut S) -> PlayedBeside<A> {
        let crew = Crew::default();
        let mut sharing = Sharing { search, known: &self.known, clock: &self.clock };
        let mut checked = Checked::new(&mut sharing, self.check);
        let clock = self.clock.clone().quiet();
        let turn = play(&mut checked, self.known.get(), &Allowance::whole(&clock, &crew));
        PlayedBeside { turn, spent: search.spent() }
    }
}

/// A search that makes one turn of many short ones, after each of which it tells and hears what is known.
struct Sharing<'s, S: ?Sized> {
    search: &'s mut S,
    known: &'s SharedKnown,
    /// Tells of bounds; the search itself tells nothing.
    clock: &'s Clock,
}

impl<S: Search + ?Sized> Search for Sharing<'_, S> {
    type Plan = S::Plan;
    type Lesson = S::Lesson;

    fn name(&self) -> &'static str {
        self.search.name()
    }

    fn turn(&mut self, _known: Known, allowance: &Allowance<'_>) -> Turn<S::Plan> {
        loop {
            let share = self.spent().expanded.saturating_add(SHARE);
            let known = self.known.get();
            let mut turn = self.search.turn(known, &Allowance { share, ..*allowance });
            turn.bound = turn.bound.min(known.cost);
            self.known.raise(turn.bound);
            self.clock.tell_bound(self.known.get().bound);
            let is_over = turn.ended != Ended::Resting || turn.plan.is_some();
            if is_over || self.known.is_settled() {
                return turn;
            }
        }
    }

    fn spent(&self) -> Spent {
        self.search.spent()
    }
}
