//! The search along packing orders as a member: one slice before all others.
//!
//! What it solves it solves soon, so a longer turn would only keep the others waiting.

use super::member::{Allowance, Member, Spent, Turn};
use crate::games::sokoban::board::Board;
use crate::games::sokoban::planner::limits;
use crate::games::sokoban::planner::packing_order::{Course, PackingOrderSearch, Prepared, Slice};
use crate::search::{Clock, StopReason};
use std::sync::OnceLock;

/// Expansions of the slice before all others.
const OPENING: u64 = 8000;
/// Positions that proofs of deadlocks may look at in that slice.
const OPENING_PROOFS: u64 = 300_000;
/// Expansions, or positions looked at by proofs, between two looks at the clock.
const POLL: u64 = 64;

/// What the search knows of a level before its first turn; it lives longer than the searches do.
pub(super) type Place = OnceLock<Option<Prepared>>;

/// The search, which is made ready on its first turn.
pub(super) struct Opening<'a> {
    board: &'a Board,
    place: &'a Place,
    /// Whether it gets one slice only.
    is_once: bool,
    search: Option<PackingOrderSearch<'a>>,
}

impl<'a> Opening<'a> {
    pub(super) fn new(board: &'a Board, place: &'a Place, is_once: bool) -> Self {
        Opening { board, place, is_once, search: None }
    }

    fn prepare(&mut self, clock: &Clock<'_>) {
        let work = limits::preparation(clock.budget) as u64;
        let prepare = || Prepared::new(self.board, work, &|| clock.should_stop(0, 0).is_some());
        let prepared = self.place.get_or_init(prepare);
        self.search = prepared.as_ref().map(|prepared| prepared.search(self.board));
    }
}

impl Member for Opening<'_> {
    fn run(&mut self, allowance: &Allowance<'_>) -> Turn {
        let &Allowance { clock, memory, .. } = allowance;
        if self.search.is_none() {
            self.prepare(clock);
        }
        let Some(search) = &mut self.search else {
            return clock.should_stop(0, 0).map_or(Turn::Through, Turn::Stopped);
        };
        let proofs = if self.is_once { OPENING_PROOFS } else { u64::MAX };
        let slice = Slice { expansions: allowance.limit(OPENING), proofs };
        let mut polled = 0;
        let mut stop = None;
        let course = search.run(slice, |expanded, proofs, held| {
            if expanded + proofs >= polled + POLL {
                polled = expanded + proofs;
                stop = clock.should_stop(expanded, held);
                if held > memory {
                    stop = Some(StopReason::Memory);
                }
            }
            stop.is_some()
        });
        match (course, stop) {
            (Course::Solved(pushes), _) => Turn::Solved(pushes),
            (Course::Through, _) => Turn::Through,
            (Course::Open, Some(stop)) => Turn::Stopped(stop),
            (Course::Open, None) if self.is_once => Turn::Through,
            (Course::Open, None) => Turn::Stopped(StopReason::Nodes),
        }
    }

    fn spent(&self) -> Spent {
        let Some(search) = &self.search else { return Spent::default() };
        let (expanded, generated) = search.effort();
        Spent { expanded, generated, memory: search.memory() }
    }
}
