//! A cyclic open list: cells that are visited in turn, each with an open list of its own.
//!
//! One list for all positions lets a search sink where the bound promises most, though it may be a
//! deadlock that nothing detects. With a list for each stage of a solution, every stage gets its
//! share of expansions: cyclic best-first search (Kao, Sewell and Jacobson, "A branch, bound, and
//! remember algorithm for the 1|r_i|Σt_i scheduling problem", Journal of Scheduling 2009), as
//! feature-space search does too. With one cell it is a plain open list.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// An open position: priority, rank among equal ones, and the complement of its number, so that of
/// equal ones the newest comes first. Least comes first.
pub type Entry = (u32, u16, u32);

/// Open lists, one a cell.
#[derive(Clone, Debug)]
pub struct CyclicOpenList {
    heaps: Vec<BinaryHeap<Reverse<Entry>>>,
    /// The cell visited last.
    at: usize,
    len: usize,
}

impl CyclicOpenList {
    /// An open list of `count` empty cells, at least one.
    pub fn new(count: usize) -> Self {
        CyclicOpenList { heaps: vec![BinaryHeap::new(); count.max(1)], at: 0, len: 0 }
    }

    /// Bytes that the entries take.
    pub fn memory(&self) -> usize {
        self.len * size_of::<Reverse<Entry>>()
    }

    /// Puts an entry into a cell.
    pub fn push(&mut self, cell: usize, entry: Entry) {
        self.heaps[cell].push(Reverse(entry));
        self.len += 1;
    }

    /// Puts back what was taken last, as if it had not been.
    pub fn put_back(&mut self, cell: usize, entry: Entry) {
        self.push(cell, entry);
        self.at = (cell + self.heaps.len() - 1) % self.heaps.len();
    }

    /// Takes the least entry of the next cell that has any; the cell comes with it.
    pub fn pop(&mut self) -> Option<(usize, Entry)> {
        let count = self.heaps.len();
        let cells = (1..=count).map(|k| (self.at + k) % count);
        for cell in cells {
            if let Some(Reverse(entry)) = self.heaps[cell].pop() {
                (self.at, self.len) = (cell, self.len - 1);
                return Some((cell, entry));
            }
        }
        None
    }
}
