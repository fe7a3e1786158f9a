//! What each worker tells all others before a round, and the round that all of them see in it.
//!
//! A round is what one process takes: the best states of the lowest f, by h and then the last that
//! came first. Each worker reports more than its share of them; where that was not enough for one
//! of them, all report more.

use super::merge::Merge;
use super::open::{OpenList, Waiting};
use super::table::{CLOSED, Table};
use crate::search::StopReason;
use crate::search::shared::Portable;

/// Least number of states that a worker reports beyond its share.
const SPARE: usize = 8;
/// Flag: the worker has more states at its lowest f than it reports.
const MORE: u64 = 1;
/// Flag: the worker's memory is full.
const FULL: u64 = 2;
/// Flag: the best plan is wanted now.
const PLAN: u64 = 4;

/// The cost of a plan, the stamp of its last step, and who has it.
pub(super) type Goal = (u32, u64, usize);

/// A state that waits at the worker's lowest f.
#[derive(Clone, Copy)]
pub(super) struct Ready {
    pub(super) stack: u32,
    pub(super) waiting: Waiting,
}

impl Ready {
    /// Order in which states are taken.
    fn order(&self) -> (u32, u64) {
        (self.stack, !self.waiting.stamp())
    }
}

/// The report of one worker.
#[derive(Default)]
pub(super) struct Report {
    /// The lowest f of its open states, `u32::MAX` without any.
    pub(super) f: u32,
    pub(super) has_more: bool,
    pub(super) is_full: bool,
    pub(super) wants_plan: bool,
    pub(super) stop: Option<StopReason>,
    pub(super) expanded: u64,
    pub(super) memory: u64,
    /// The best plan it has found, if it is better than what all knew.
    pub(super) goal: Option<(u32, u64)>,
    /// The states that it may take, by [`Ready::order`].
    pub(super) ready: Vec<(u32, u64)>,
}

impl Report {
    /// The words of a report.
    pub(super) fn words(&self) -> Vec<u64> {
        let flag = |is: bool, bit| if is { bit } else { 0 };
        let flags = flag(self.has_more, MORE)
            | flag(self.is_full, FULL)
            | flag(self.wants_plan, PLAN)
            | u64::from(self.stop.map_or(0, stop_code)) << 8;
        let (cost, stamp) = self.goal.unwrap_or((u32::MAX, 0));
        let mut words = vec![
            u64::from(self.f) | u64::from(cost) << 32,
            flags,
            self.expanded,
            self.memory,
            stamp,
        ];
        for of_stack in self.ready.chunk_by(|a, b| a.0 == b.0) {
            words.push(u64::from(of_stack[0].0) | (of_stack.len() as u64) << 32);
            words.extend(of_stack.iter().map(|ready| ready.1));
        }
        words
    }

    /// The report of these words.
    pub(super) fn read(words: &[u64]) -> Option<Report> {
        let [first, flags, expanded, memory, stamp, ref rest @ ..] = *words else { return None };
        let cost = (first >> 32) as u32;
        let mut report = Report {
            f: first as u32,
            has_more: flags & MORE != 0,
            is_full: flags & FULL != 0,
            wants_plan: flags & PLAN != 0,
            stop: stop_of((flags >> 8) as u8),
            expanded,
            memory,
            goal: (cost != u32::MAX).then_some((cost, stamp)),
            ready: Vec::new(),
        };
        let mut rest = rest;
        while let Some((&head, stamps)) = rest.split_first() {
            let (of_stack, others) = stamps.split_at_checked((head >> 32) as usize)?;
            report.ready.extend(of_stack.iter().map(|&stamp| (head as u32, stamp)));
            rest = others;
        }
        Some(report)
    }
}

pub(super) fn stop_code(stop: StopReason) -> u8 {
    match stop {
        StopReason::Time => 1,
        StopReason::Memory => 2,
        StopReason::Nodes => 3,
        StopReason::Cancelled => 4,
    }
}

pub(super) fn stop_of(code: u8) -> Option<StopReason> {
    match code {
        1 => Some(StopReason::Time),
        2 => Some(StopReason::Memory),
        3 => Some(StopReason::Nodes),
        4 => Some(StopReason::Cancelled),
        _ => None,
    }
}

/// Number of states that one of `workers` workers reports before a round of `size` states.
pub(super) fn share(size: usize, workers: usize) -> usize {
    match workers {
        1 => size,
        _ => size.min((size / workers) * 5 / 4 + 2 * (size / workers).isqrt() + SPARE),
    }
}

/// What a worker may take, as far as it reports it.
pub(super) struct Candidates {
    /// The worker's lowest f.
    pub(super) f: u32,
    /// The states in the order in which they are taken.
    pub(super) ready: Vec<Ready>,
    /// There are more at that f.
    pub(super) has_more: bool,
}

impl Candidates {
    pub(super) fn new() -> Self {
        Candidates { f: u32::MAX, ready: Vec::new(), has_more: true }
    }

    /// Takes states of the lowest f from the open list, up to `most` of them.
    pub(super) fn fill<S: Portable>(
        &mut self,
        most: usize,
        open: &mut OpenList,
        table: &mut Table<S>,
    ) {
        self.has_more = false;
        while let Some((f, stack, waiting)) = open.top() {
            let node = &mut table.nodes[waiting.id as usize];
            // One that was reached more cheaply since may wait for the same f, but elsewhere.
            if node.queued == f && f - node.cost == stack {
                if self.ready.is_empty() {
                    self.f = f;
                } else if f != self.f {
                    return;
                }
                if self.ready.len() == most {
                    self.has_more = true;
                    return;
                }
                node.queued = CLOSED;
                self.ready.push(Ready { stack, waiting });
            }
            open.pop();
        }
    }

    /// Takes the first ones, and gives the others back to the open list.
    pub(super) fn take<S: Portable>(
        mut self,
        count: usize,
        open: &mut OpenList,
        table: &mut Table<S>,
    ) -> Vec<Waiting> {
        for rest in self.ready.drain(count..).rev() {
            table.nodes[rest.waiting.id as usize].queued = self.f;
            open.push(self.f, rest.stack, rest.waiting);
        }
        self.ready.into_iter().map(|ready| ready.waiting).collect()
    }

    /// What a report tells of them.
    pub(super) fn orders(&self) -> Vec<(u32, u64)> {
        self.ready.iter().map(Ready::order).collect()
    }
}

/// The ranks in a round of the states of each worker.
pub(super) struct Round {
    /// The ranks of this worker's states, in its order.
    pub(super) ranks: Vec<u32>,
    /// The most states of one worker.
    pub(super) most: usize,
    /// The stack of the first state.
    pub(super) first: Option<u32>,
    /// Whether enough was reported for that.
    pub(super) is_certain: bool,
}

impl Round {
    /// The round of up to `size` states at `f`.
    pub(super) fn new(reports: &[Report], me: usize, f: u32, size: usize) -> Round {
        let is_here = |report: &&Report| report.f == f;
        let sources = reports.iter().map(|report| match report.f == f {
            true => report.ready.iter().copied(),
            false => [].iter().copied(),
        });
        let mut counts = vec![0; reports.len()];
        let mut ranks = Vec::new();
        let (mut first, mut last) = (None, None);
        for (rank, (order, worker)) in (0u32..).zip(Merge::new(sources).take(size)) {
            counts[worker] += 1;
            if worker == me {
                ranks.push(rank);
            }
            first = first.or(Some(order.0));
            last = Some(order);
        }
        let is_whole = counts.iter().sum::<usize>() == size;
        let is_certain = reports.iter().filter(is_here).all(|report| {
            let is_taken_whole = report.ready.last().copied() <= last;
            !report.has_more || (is_whole && !is_taken_whole)
        });
        Round { ranks, most: counts.into_iter().max().unwrap_or(0), first, is_certain }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::{Space, Successor};
    use super::super::table::Candidate;
    use super::*;

    /// Numbers that lead nowhere.
    struct Numbers;

    impl Space for Numbers {
        type State = u64;
        type Action = u8;
        type Scratch = ();

        fn start(&self) -> u64 {
            0
        }

        fn key(&self, state: &u64) -> u64 {
            *state
        }

        fn bound(&self, _: &u64) -> u32 {
            1
        }

        fn is_goal(&self, _: &u64) -> bool {
            false
        }

        fn scratch(&self) {}

        fn expand(&self, _: &u64, (): &mut (), _: &mut impl FnMut(Successor<u8>)) {}

        fn child(&self, state: &u64, _: u8, (): &mut ()) -> u64 {
            *state
        }
    }

    impl Portable for Numbers {
        fn pack(&self, state: &u64, words: &mut Vec<u64>) {
            words.push(*state);
        }

        fn unpack(&self, words: &[u64]) -> Option<u64> {
            words.first().copied()
        }

        fn action_word(action: u8) -> u64 {
            action.into()
        }

        fn action_of(word: u64) -> Option<u8> {
            u8::try_from(word).ok()
        }
    }

    #[test]
    fn what_was_reached_more_cheaply_is_taken_at_its_new_place() {
        let (mut table, mut open) = (Table::<Numbers>::new(), OpenList::new());
        let mut add = |number: u64, cost: u32| {
            assert!(table.make_room(Some(1), |_| usize::MAX).is_ok());
            let candidate = Candidate::Packed(&[number]);
            let slot = table.find(&Numbers, number, &candidate, &mut ()).err().unwrap();
            table.insert(slot, (number, cost, 20), None, Some(&[number]))
        };
        let (one, other) = (add(1, 10), add(2, 10));
        open.push(20, 10, Waiting::new(other, 1));
        open.push(20, 10, Waiting::new(one, 2));
        // Its bound is less than what it waits for, so it waits for the same f as before.
        table.nodes[one as usize].cost = 9;
        open.push(20, 11, Waiting::new(one, 3));
        let mut candidates = Candidates::new();
        candidates.fill(10, &mut open, &mut table);
        assert_eq!(candidates.orders(), [(10, !1), (11, !3)]);
    }
}
