//! The opening of a search, which all workers make alike.
//!
//! The first rounds are of few states: to share them out costs more than to expand them. So each
//! worker expands all, without a word to the others, and all come to the same tables. When a round
//! takes so long that it is worth the messages, each goes on with the states that it owns. The first
//! worker decides that by what it has measured; what the search finds does not depend on it.

use super::super::Orders;
use super::super::pace::Pace;
use super::super::report::{stop_code, stop_of};
use super::super::table::CLOSED;
use super::Worker;
use crate::search::shared::Portable;
use crate::search::{Statistics, StopReason};

/// The opening gets one part in this many of a worker's memory: all workers hold the same.
const MEMORY_PART: usize = 8;
/// Number of steps of the exchange in a round.
const STEPS: u32 = 2;
/// Number of further steps in a round of a space that learns.
const LESSON_STEPS: u32 = 1;
/// Bit of the first worker's words in a look that says that it wants the best plan.
const PLAN: u64 = 1;
/// Bit of the first worker's words in a look that says that the workers part.
const DIVIDE: u64 = 2;

/// What of an opening is over.
pub(super) enum Opened {
    /// The opening: the search goes on.
    Opening,
    /// The search: it is through, or stopped.
    All(Option<StopReason>),
}

/// The opening of a worker.
pub(super) struct Opening {
    /// The worker that will own each node.
    pub(super) owners: Vec<u32>,
    pace: Pace,
}

impl Opening {
    /// An opening that ends after `end` expansions or, without `end`, when sharing out saves time.
    pub(super) fn new(end: Option<u64>) -> Self {
        Opening { owners: Vec::new(), pace: Pace::new(end) }
    }
}

impl<S: Portable> Worker<'_, '_, S> {
    /// Searches as each other worker does, until the search is worth to be shared out.
    pub(super) fn open(&mut self, orders: &mut Option<Box<dyn Orders + '_>>) -> Opened {
        let is_alone = self.exchange.peers() == 1;
        loop {
            self.expanded = self.effort.expanded;
            if is_alone || self.is_opened() {
                return Opened::Opening;
            }
            match self.look_up(orders) {
                (Some(stop), _) => return Opened::All(Some(stop)),
                (None, true) => return Opened::Opening,
                (None, false) => {}
            }
            let limit = self.request.nodes.unwrap_or(u64::MAX);
            let candidates = self.candidates(self.round_size(limit));
            let count = candidates.ready.len() as u32;
            let agreed = self.take_reports(&[self.report_of(&candidates)], limit);
            if agreed.is_through {
                return Opened::All(None);
            }
            self.f = agreed.f;
            if agreed.stop.is_some() {
                return Opened::All(agreed.stop);
            }
            if let Some(first) = candidates.ready.first() {
                self.round_sizes.took(agreed.f, first.stack);
            }
            let ranks: Vec<u32> = (0..count).collect();
            self.critical += u64::from(count);
            self.expand_round(candidates, &ranks);
            self.settle(&[]);
            self.space.learn();
        }
    }

    /// Whether the opening is over without a look.
    fn is_opened(&self) -> bool {
        let Some(opening) = &self.opening else { return true };
        opening.pace.is_over(self.expanded) || self.memory() > self.request.memory / MEMORY_PART
    }

    /// Hears from the first worker, now and then: whether to stop, and whether to part.
    fn look_up(&mut self, orders: &mut Option<Box<dyn Orders + '_>>) -> (Option<StopReason>, bool) {
        let (expanded, workers) = (self.expanded, self.exchange.peers());
        let states = self.round_size(u64::MAX);
        let Some(opening) = &mut self.opening else { return (None, true) };
        if !opening.pace.is_due(expanded) {
            return (None, false);
        }
        let steps = STEPS + if S::LEARNS { LESSON_STEPS } else { 0 };
        let is_worth = opening.pace.is_worth(states, workers, steps);
        let (stop, wants_plan) = self.ask(orders);
        let words = [
            if wants_plan { PLAN } else { 0 } | if is_worth { DIVIDE } else { 0 },
            stop.map_or(0, |stop| u64::from(stop_code(stop))),
        ];
        let told = self.exchange.share(self.f, &words);
        let step = self.exchange.time_step(self.f);
        if told[0][0] & PLAN != 0 {
            self.gather_for(orders);
        }
        if let Some(opening) = &mut self.opening {
            opening.pace.looked(expanded, step);
        }
        (stop_of(told[0][1] as u8), told[0][0] & DIVIDE != 0)
    }

    /// Ends the opening: each worker goes on with what it owns. What was counted is counted once.
    pub(super) fn divide(&mut self) {
        let Some(Opening { owners, .. }) = self.opening.take() else { return };
        let me = self.exchange.index() as u32;
        for (node, &owner) in self.table.nodes.iter_mut().zip(&owners) {
            if let Some(from) = &mut node.back_pointer {
                from.worker = owners[from.parent as usize];
            }
            if owner != me {
                node.queued = CLOSED;
            }
        }
        if let Some((_, Some(last))) = &mut self.found {
            last.worker = owners[last.parent as usize];
        }
        if me != 0 {
            self.effort = Statistics::default();
            self.counted.clear();
        }
    }
}
