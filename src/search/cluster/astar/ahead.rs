//! Expansions ahead of a round.
//!
//! A worker that has told the others of its best states waits until it knows which of them are the
//! next round. The first ones nearly always are, so it expands these meanwhile. What comes of that is
//! used in the round, or forgotten: the search is the same.

use super::super::report::Candidates;
use super::super::table::Table;
use super::Taken;
use crate::search::shared::Portable;
use crate::search::tables::Full;
use crate::search::{Due, Successor};
use std::ops::Range;

/// Children that are kept take at most one part in this many of the memory.
const PART_OF_MEMORY: usize = 64;
/// Expansions between two looks at what has come.
pub(super) const AT_A_TIME: usize = 4;

/// A state that was expanded ahead.
struct Done {
    id: u32,
    begun: bool,
    /// The end of its children among all, and what the others of them are worth.
    end: usize,
    later: u32,
}

/// The first candidates of a worker, expanded before the round is known.
pub(super) struct Ahead<A> {
    pub(super) children: Vec<Successor<A>>,
    done: Vec<Done>,
    most_children: usize,
}

impl<A> Ahead<A> {
    pub(super) fn new(memory: usize) -> Self {
        let most_children = memory / PART_OF_MEMORY / size_of::<Successor<A>>();
        Ahead { children: Vec::new(), done: Vec::new(), most_children }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.children.capacity() * size_of::<Successor<A>>()
            + self.done.capacity() * size_of::<Done>()
    }

    /// Forgets all children and expansions.
    pub(super) fn clear(&mut self) {
        self.children.clear();
        self.done.clear();
    }

    /// Number of states of a round that a worker nearly always has, where it has `mean` on average:
    /// less by two standard deviations.
    pub(super) fn nearly_certain(mean: usize) -> usize {
        mean.saturating_sub(2 * mean.isqrt())
    }

    /// Expands the next of the first `most` candidates, where there is room for its state or it can be
    /// made; whether it did.
    pub(super) fn expand_next<S: Portable<Action = A>>(
        &mut self,
        candidates: &Candidates,
        most: usize,
        (space, scratch): (&S, &mut S::Scratch),
        table: &mut Table<S>,
        make_room: impl Fn(&mut Table<S>) -> Result<(), Full>,
    ) -> bool {
        let place = self.done.len();
        let next = candidates.ready.get(place).filter(|_| place < most);
        let Some(next) = next.filter(|_| self.children.len() < self.most_children) else {
            return false;
        };
        if !table.has_room(None) && make_room(table).is_err() {
            return false;
        }
        let id = next.waiting.id;
        table.build(space, id, scratch);
        let node = &table.nodes[id as usize];
        let (begun, due) = (node.begun, due(candidates.f, node.cost, node.begun));
        let visit = &mut |child| self.children.push(child);
        let later = space.expand_due(table.state(id), due, scratch, visit);
        self.done.push(Done { id, begun, end: self.children.len(), later });
        true
    }

    /// The children of a state that the round has at a place, among all, and what the others of them
    /// are worth, where it was expanded ahead.
    pub(super) fn of(&self, place: usize, taken: &Taken) -> Option<(Range<usize>, u32)> {
        let done = self.done.get(place)?;
        let start = place.checked_sub(1).map_or(0, |before| self.done[before].end);
        let is_same = (done.id, done.begun) == (taken.id, taken.begun);
        is_same.then_some((start..done.end, done.later))
    }
}

/// Which children are due of a state at an f.
pub(super) fn due(f: u32, cost: u32, begun: bool) -> Due {
    Due { least: if begun { f - cost } else { 0 }, most: f - cost }
}
