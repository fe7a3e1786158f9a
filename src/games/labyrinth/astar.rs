//! A* over places that are made as they are met: an open list and back-pointers in one table.
//!
//! The crate's own A* ([`crate::search`]) has states of a fixed number of words and proves its answer
//! on many threads. Here nodes are sparse crossings of lines, a search is short, and prices are large
//! numbers, so a hash table and a heap are enough. The planner and the explorer both run it, each
//! with nodes and steps of its own.
//!
//! Nodes have numbers, by which the heap and the steps name them; tables grow by a part, and no
//! further than they may.

use crate::search::tables::{Full, StateIndex};
use ahash::RandomState;
use std::cmp::Reverse;
use std::hash::Hash;

/// Entries that a table grows by at least; else by a quarter.
const LEAST_GROWTH: usize = 64;

/// A node, how it was reached: what was paid, and the last step with the number of the node before it.
#[derive(Clone, Copy, Debug)]
struct Reached<N, S> {
    node: N,
    paid: u64,
    last: Option<(u32, S)>,
}

/// A node that waits, by its number: the least price of the whole way, and what was paid.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    total: u64,
    paid: u64,
    number: u32,
}

/// The nodes that a search has reached, and those that it may yet expand.
pub struct OpenList<N, S> {
    hasher: RandomState,
    /// The numbers of nodes by their hashes.
    numbers: StateIndex,
    reached: Vec<Reached<N, S>>,
    /// A heap: no entry comes before the one of half its place.
    open: Vec<Waiting>,
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
        let mut list = OpenList {
            hasher: RandomState::with_seeds(1, 2, 3, 4),
            numbers: StateIndex::new(),
            reached: Vec::new(),
            open: Vec::new(),
        };
        list.reach(start, 0, None, rest);
        list
    }

    /// The next node to expand.
    pub fn pop(&mut self) -> Option<Open<N>> {
        loop {
            let Waiting { total, paid, number } = self.pop_waiting()?;
            let reached = &self.reached[number as usize];
            if reached.paid == paid {
                return Some(Open { node: reached.node, paid, total });
            }
        }
    }

    /// Takes back a node that was popped last and is not expanded yet.
    pub fn put_back(&mut self, open: Open<N>) {
        if let Some(number) = self.number(open.node) {
            self.push_waiting(Waiting { total: open.total, paid: open.paid, number });
        }
    }

    /// Offers a node that a step leads to for `paid` in all, with the bound `rest` of what the way
    /// from there costs.
    pub fn offer(&mut self, node: N, paid: u64, rest: u64, (before, step): (N, S)) {
        if self.paid(node).is_none_or(|known| paid < known) {
            let last = self.number(before).map(|before| (before, step));
            self.reach(node, paid, last, rest);
        }
    }

    /// Makes room for `offers` offers, holding at most `memory` bytes.
    pub fn make_room(&mut self, offers: usize, memory: usize) -> Result<(), Full> {
        let has_room = self.reached.capacity() - self.reached.len() >= offers
            && self.open.capacity() - self.open.len() >= offers
            && self.reached.len() + offers <= self.numbers.room();
        if has_room { Ok(()) } else { self.grow(offers, memory) }
    }

    #[cold]
    fn grow(&mut self, offers: usize, memory: usize) -> Result<(), Full> {
        let left = memory.saturating_sub(self.bytes());
        grow(&mut self.reached, offers, left)?;
        let left = memory.saturating_sub(self.bytes());
        grow(&mut self.open, offers, left)?;
        let left = memory.saturating_sub(self.bytes());
        let hashes = self.reached.iter().map(|reached| self.hasher.hash_one(reached.node));
        self.numbers.make_room(self.reached.len() + offers, left, || (0..).zip(hashes))
    }

    /// Notes how a node was reached, and opens it.
    fn reach(&mut self, node: N, paid: u64, last: Option<(u32, S)>, rest: u64) {
        // Where nobody has made room before, all that there is may be taken.
        if self.make_room(1, usize::MAX).is_err() {
            return;
        }
        let reached = Reached { node, paid, last };
        let same = |number: u32| self.reached[number as usize].node == node;
        let number = match self.numbers.find(self.hasher.hash_one(node), same) {
            Ok(number) => {
                self.reached[number as usize] = reached;
                number
            }
            Err(slot) => {
                let number = self.reached.len() as u32;
                self.numbers.insert(slot, number);
                self.reached.push(reached);
                number
            }
        };
        self.push_waiting(Waiting { total: paid + rest, paid, number });
    }

    /// The number of a node that was reached.
    fn number(&self, node: N) -> Option<u32> {
        let same = |number: u32| self.reached[number as usize].node == node;
        self.numbers.find(self.hasher.hash_one(node), same).ok()
    }

    /// What the cheapest known way to a node costs.
    pub fn paid(&self, node: N) -> Option<u64> {
        self.number(node).map(|number| self.reached[number as usize].paid)
    }

    /// The last step to a node, and the node before it; none of the start.
    pub fn last(&self, node: N) -> Option<(N, S)> {
        let (before, step) = self.reached[self.number(node)? as usize].last?;
        Some((self.reached[before as usize].node, step))
    }

    /// The steps to a node, the last one first: the nodes before and after each.
    pub fn back(&self, goal: N) -> impl Iterator<Item = (N, S, N)> {
        let mut at = goal;
        std::iter::from_fn(move || {
            let (before, step) = self.last(at)?;
            Some((before, step, std::mem::replace(&mut at, before)))
        })
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.reached.capacity() * size_of::<Reached<N, S>>()
            + self.open.capacity() * size_of::<Waiting>()
            + self.numbers.bytes()
    }

    /// Whether one comes before another: of equal ones, the one that has paid most.
    fn is_before(&self, a: Waiting, b: Waiting) -> bool {
        let rank = |waiting: Waiting| {
            let node = self.reached[waiting.number as usize].node;
            (waiting.total, Reverse(waiting.paid), Reverse(node))
        };
        rank(a) < rank(b)
    }

    fn push_waiting(&mut self, waiting: Waiting) {
        let mut at = self.open.len();
        self.open.push(waiting);
        while let Some(above) = at.checked_sub(1).map(|at| at / 2)
            && self.is_before(self.open[at], self.open[above])
        {
            self.open.swap(at, above);
            at = above;
        }
    }

    fn pop_waiting(&mut self) -> Option<Waiting> {
        let last = self.open.len().checked_sub(1)?;
        self.open.swap(0, last);
        let first = self.open.pop();
        let mut at = 0;
        loop {
            let mut least = at;
            for below in [2 * at + 1, 2 * at + 2] {
                if below < last && self.is_before(self.open[below], self.open[least]) {
                    least = below;
                }
            }
            if least == at {
                return first;
            }
            self.open.swap(at, least);
            at = least;
        }
    }
}

/// Makes a list grow by a quarter, or by what `left` bytes allow, where it has no room for `more`.
fn grow<T>(list: &mut Vec<T>, more: usize, left: usize) -> Result<(), Full> {
    if list.capacity() - list.len() >= more {
        return Ok(());
    }
    let wanted = (list.len() / 4).max(LEAST_GROWTH).max(more);
    let free = list.capacity() - list.len();
    let most = free + left / size_of::<T>();
    if most < more {
        return Err(Full);
    }
    list.reserve_exact(wanted.min(most));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::mix;
    use std::collections::BinaryHeap;

    #[test]
    fn nodes_come_in_order_and_no_more_is_held_than_allowed() {
        const MEMORY: usize = 3 << 16;
        let mut list: OpenList<u64, u8> = OpenList::new(0, 5);
        let mut heap = BinaryHeap::from([(Reverse(5), 0, 0)]);
        let mut known = ahash::AHashMap::from([(0, 0)]);
        let (mut popped, mut dearer) = (0, 0);
        // The memory is at its end long before all nodes are known.
        while popped < 5000 && list.make_room(3, MEMORY).is_ok() {
            for number in 0..3 {
                let word = mix(popped * 3 + number);
                let (node, paid, rest) = (word % 4096, word >> 20 & 255, word >> 30 & 63);
                if known.get(&node).is_none_or(|&before| paid < before) {
                    known.insert(node, paid);
                    heap.push((Reverse(paid + rest), paid, node));
                } else {
                    dearer += 1;
                }
                list.offer(node, paid, rest, (0, 1));
            }
            let expected = std::iter::from_fn(|| heap.pop())
                .find(|(_, paid, node)| known.get(node) == Some(paid))
                .map(|(Reverse(total), paid, node)| (node, paid, total));
            let next = list.pop().map(|Open { node, paid, total }| (node, paid, total));
            assert_eq!(next, expected);
            popped += 1;
            assert!(list.bytes() <= MEMORY, "{} bytes", list.bytes());
        }
        assert!(
            (500..5000).contains(&popped) && dearer > 100,
            "{popped} nodes, {dearer} offered in vain"
        );
        assert_eq!((list.paid(0), list.last(0)), (Some(0), None));
    }
}
