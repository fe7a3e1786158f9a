//! The search along packing orders as a member: one slice before all others.
//!
//! What it solves it solves soon, so a longer turn would only keep the others waiting.

use crate::games::sokoban::board::{Board, Push};
use crate::games::sokoban::planner::deadlock::Pattern;
use crate::games::sokoban::planner::limits;
use crate::games::sokoban::planner::packing_order::{Course, PackingOrderSearch, Prepared, Slice};
use crate::search::{Allowance, Clock, Ended, Known, Search, Spent, StopReason, Turn};
use std::sync::OnceLock;

/// Expansions, or positions looked at by proofs, between two looks at the clock.
const POLL: u64 = 64;

/// What the search knows of a level before its first turn; it lives longer than the searches do.
pub(super) type Place = OnceLock<Option<Prepared>>;

/// The search, which is made ready on its first turn.
pub(super) struct Opening<'a> {
    board: &'a Board,
    place: &'a Place,
    /// Positions that its proofs of deadlocks may look at, where it gets one slice only.
    proofs: Option<u64>,
    search: Option<PackingOrderSearch<'a>>,
}

impl<'a> Opening<'a> {
    pub(super) fn new(board: &'a Board, place: &'a Place, proofs: Option<u64>) -> Self {
        Opening { board, place, proofs, search: None }
    }

    fn prepare(&mut self, clock: &Clock) {
        let work = limits::preparation(&clock.limits) as u64;
        let prepare = || Prepared::new(self.board, work, &|| clock.should_stop(0, 0).is_some());
        let prepared = self.place.get_or_init(prepare);
        self.search = prepared.as_ref().map(|prepared| prepared.search(self.board));
    }
}

impl Search for Opening<'_> {
    type Plan = Vec<Push>;
    type Lesson = Pattern;

    fn name(&self) -> &'static str {
        "packing-order"
    }

    fn turn(&mut self, _known: Known, allowance: &Allowance<'_>) -> Turn<Vec<Push>> {
        let &Allowance { clock, memory, .. } = allowance;
        if self.search.is_none() {
            self.prepare(clock);
        }
        let Some(search) = &mut self.search else {
            let ended = clock.should_stop(0, 0).map_or(Ended::Exhausted, Ended::Stopped);
            return Turn::without_plan(0, ended);
        };
        let proofs = self.proofs.unwrap_or(u64::MAX);
        let slice = Slice { expansions: allowance.limit(), proofs };
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
        let ended = match (course, stop) {
            (Course::Solved(pushes), _) => return Turn::found(pushes.len() as u64, pushes),
            (Course::Through, _) => Ended::Exhausted,
            (Course::Open, Some(stop)) => Ended::Stopped(stop),
            (Course::Open, None) if self.proofs.is_some() => Ended::Exhausted,
            (Course::Open, None) => Ended::Stopped(StopReason::Nodes),
        };
        Turn::without_plan(0, ended)
    }

    fn spent(&self) -> Spent {
        let Some(search) = &self.search else { return Spent::default() };
        let (expanded, generated) = search.effort();
        Spent { expanded, generated, memory: search.memory() }
    }
}
