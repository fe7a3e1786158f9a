//! A search whose plans are checked before anybody hears of them.

use crate::search::turn::{Allowance, Known, Search, Spent, Turn};

/// Whether a plan holds. It is asked of plans of abstractions, which may fail.
pub type Check<'a, A> = &'a (dyn Fn(&[A]) -> bool + Sync);

/// A search that keeps plans to itself that do not hold.
pub(super) struct Checked<'s, 'a, S: ?Sized, A> {
    search: &'s mut S,
    check: Option<Check<'a, A>>,
    /// Whether a plan of its last turn did not hold.
    pub is_refused: bool,
}

impl<'s, 'a, S: ?Sized, A> Checked<'s, 'a, S, A> {
    /// The search with a check, where there is one.
    pub fn new(search: &'s mut S, check: Option<Check<'a, A>>) -> Self {
        Checked { search, check, is_refused: false }
    }
}

impl<A, S: Search<Plan = Vec<A>> + ?Sized> Search for Checked<'_, '_, S, A> {
    type Plan = Vec<A>;
    type Lesson = S::Lesson;

    fn name(&self) -> &'static str {
        self.search.name()
    }

    fn turn(&mut self, known: Known, allowance: &Allowance<'_>) -> Turn<Vec<A>> {
        let mut turn = self.search.turn(known, allowance);
        let check = self.check;
        let fails = |(_, plan): &mut (u64, Vec<A>)| check.is_some_and(|check| !check(plan));
        self.is_refused = turn.plan.take_if(fails).is_some();
        turn
    }

    fn spent(&self) -> Spent {
        self.search.spent()
    }
}
