//! A* over places that are made as they are met: an open list and back-pointers in one table.
//!
//! The crate's own A* ([`crate::search`]) has states of a fixed number of words and proves its answer
//! on many threads. Here nodes are sparse crossings of lines, a search is short, and prices are large
//! numbers, so a hash table and a heap are enough. The planner and the explorer both run it, each
//! with nodes and steps of its own.

use ahash::AHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hash::Hash;

/// How a node was reached: what was paid, and the last step with the node before it.
#[derive(Clone, Copy, Debug)]
struct Reached<N, S> {
    paid: u64,
    last: Option<(N, S)>,
}

/// The nodes that a search has reached, and those that it may yet expand.
#[derive(Clone, Debug)]
pub struct OpenList<N, S> {
    best: AHashMap<N, Reached<N, S>>,
    /// By the least price of the whole way; of equal ones, the one that has paid most comes first.
    open: BinaryHeap<(Reverse<u64>, u64, N)>,
}

/// A node to expand.
#[derive(Clone, Copy, Debug)]
pub struct Open<N> {
    /// The node.
    pub node: N,
    /// What the way to it costs.
    pub paid: u64,
    /// What the whole way costs at least, and that of every node that is still open.
    pub total: u64,
}

impl<N: Copy + Ord + Hash, S: Copy> OpenList<N, S> {
    /// The start alone, with a bound of what the way from there costs.
    pub fn new(start: N, rest: u64) -> Self {
        let mut list = OpenList { best: AHashMap::new(), open: BinaryHeap::new() };
        list.best.insert(start, Reached { paid: 0, last: None });
        list.open.push((Reverse(rest), 0, start));
        list
    }

    /// The next node to expand.
    pub fn pop(&mut self) -> Option<Open<N>> {
        loop {
            let (Reverse(total), paid, node) = self.open.pop()?;
            if self.paid(node) == Some(paid) {
                return Some(Open { node, paid, total });
            }
        }
    }

    /// Offers a node that a step leads to for so much in all, with a bound of what the way from
    /// there costs.
    pub fn offer(&mut self, node: N, paid: u64, rest: u64, last: (N, S)) {
        if self.paid(node).is_none_or(|known| paid < known) {
            self.best.insert(node, Reached { paid, last: Some(last) });
            self.open.push((Reverse(paid + rest), paid, node));
        }
    }

    /// What the cheapest known way to a node costs.
    pub fn paid(&self, node: N) -> Option<u64> {
        self.best.get(&node).map(|reached| reached.paid)
    }

    /// The last step to a node, and the node before it; none of the start.
    pub fn last(&self, node: N) -> Option<(N, S)> {
        self.best.get(&node)?.last
    }

    /// The steps to a node, the last one first: the nodes before and after each.
    pub fn back(&self, goal: N) -> impl Iterator<Item = (N, S, N)> {
        let mut at = goal;
        std::iter::from_fn(move || {
            let (before, step) = self.last(at)?;
            Some((before, step, std::mem::replace(&mut at, before)))
        })
    }

    /// The number of nodes that were reached.
    pub fn len(&self) -> usize {
        self.best.len()
    }
}
