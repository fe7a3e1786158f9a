//! An open list in contours, each with a queue of its own, for cyclic best-first search.
//!
//! One list for all states lets a search sink where the bound promises most, though it may be a
//! deadlock that nothing detects. With a list for each stage of a solution, every stage gets its
//! share of expansions: cyclic best-first search (Kao, Sewell and Jacobson, "A branch, bound, and
//! remember algorithm for the 1|r_i|Σt_i scheduling problem", Journal of Scheduling 2009), as
//! feature-space search does too. With one contour it is a plain open list.
//!
//! Which contour comes next is a policy: [`Contours::next`] takes them in turn, [`Visits`] goes to a new
//! one at once, and [`crate::search::cyclic`] sweeps over them towards the goal.

use std::collections::BinaryHeap;

/// The open list of one contour.
pub(crate) trait Queue {
    /// What waits.
    type Entry;

    /// Adds an entry.
    fn push(&mut self, entry: Self::Entry);

    /// Takes the first entry.
    fn pop(&mut self) -> Option<Self::Entry>;
}

/// The greatest comes first.
impl<T: Ord> Queue for BinaryHeap<T> {
    type Entry = T;

    #[inline]
    fn push(&mut self, entry: T) {
        BinaryHeap::push(self, entry);
    }

    #[inline]
    fn pop(&mut self) -> Option<T> {
        BinaryHeap::pop(self)
    }
}

/// Numbers by priority: a stack for each value. The least comes first, of equal ones the newest.
#[derive(Clone, Debug, Default)]
pub(crate) struct Buckets {
    stacks: Vec<Vec<u32>>,
    /// No stack below is filled.
    least: usize,
    len: usize,
}

impl Queue for Buckets {
    /// The priority, and the number. Only the number comes back.
    type Entry = (usize, u32);

    fn push(&mut self, (priority, number): (usize, u32)) {
        if self.stacks.len() <= priority {
            self.stacks.resize_with(priority + 1, Vec::new);
        }
        self.stacks[priority].push(number);
        self.least = self.least.min(priority);
        self.len += 1;
    }

    fn pop(&mut self) -> Option<(usize, u32)> {
        if self.len == 0 {
            return None;
        }
        self.len -= 1;
        while self.stacks[self.least].is_empty() {
            self.least += 1;
        }
        Some((self.least, self.stacks[self.least].pop()?))
    }
}

/// Queues, one a contour.
#[derive(Clone, Debug)]
pub(crate) struct Contours<Q> {
    queues: Vec<Q>,
    /// The contour visited last by [`Contours::next`].
    at: usize,
    len: usize,
}

impl<Q: Queue + Default> Contours<Q> {
    /// An open list of `count` empty contours.
    pub(crate) fn new(count: usize) -> Self {
        let queues = std::iter::repeat_with(Q::default).take(count).collect();
        Contours { queues, at: 0, len: 0 }
    }

    /// Number of entries.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Whether nothing waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Number of contours.
    pub(crate) fn contours(&self) -> usize {
        self.queues.len()
    }

    /// The contours, the first first.
    pub(crate) fn queues(&self) -> &[Q] {
        &self.queues
    }

    /// Adds an empty contour; its number.
    pub(crate) fn add(&mut self) -> usize {
        self.queues.push(Q::default());
        self.queues.len() - 1
    }

    /// Adds empty contours until there are as many as this.
    pub(crate) fn grow_to(&mut self, contours: usize) {
        if self.queues.len() < contours {
            self.queues.resize_with(contours, Q::default);
        }
    }

    /// Bytes held for the contours themselves, without what waits in them.
    pub(crate) fn own_bytes(&self) -> usize {
        self.queues.capacity() * size_of::<Q>()
    }

    /// Puts an entry into a contour.
    #[inline]
    pub(crate) fn push(&mut self, contour: usize, entry: Q::Entry) {
        self.queues[contour].push(entry);
        self.len += 1;
    }

    /// Puts back what [`Contours::next`] took last, as if it had not.
    pub(crate) fn put_back(&mut self, contour: usize, entry: Q::Entry) {
        self.push(contour, entry);
        self.at = (contour + self.queues.len() - 1) % self.queues.len();
    }

    /// Takes the first entry of a contour.
    #[inline]
    pub(crate) fn pop(&mut self, contour: usize) -> Option<Q::Entry> {
        let entry = self.queues.get_mut(contour)?.pop()?;
        self.len -= 1;
        Some(entry)
    }

    /// Takes the first entry of the next contour that has any; the contour comes with it.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<(usize, Q::Entry)> {
        let count = self.queues.len();
        for contour in (1..=count).map(|k| (self.at + k) % count) {
            if let Some(entry) = self.queues[contour].pop() {
                (self.at, self.len) = (contour, self.len - 1);
                return Some((contour, entry));
            }
        }
        None
    }
}

impl<T: Ord> Contours<BinaryHeap<T>> {
    /// Forgets the worse half of a contour in which more than `most` wait.
    pub(crate) fn cut(&mut self, contour: usize, most: usize) {
        let queue = &mut self.queues[contour];
        if queue.len() <= most {
            return;
        }
        let mut all = std::mem::take(queue).into_vec();
        let half = all.len() / 2;
        all.select_nth_unstable_by(half, |a, b| b.cmp(a));
        self.len -= all.len() - half;
        all.truncate(half);
        *queue = all.into();
    }
}

/// Visits contours in turn, but a new one at once, for a chain of good moves to run through.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Visits {
    /// The contour to visit next.
    at: usize,
    /// Number of visits since the last that found something.
    idle: usize,
}

impl Visits {
    /// The contour to visit next of `contours`; `None` where a whole round of visits has found nothing.
    pub(crate) fn next(&mut self, contours: usize) -> Option<usize> {
        if self.idle > contours {
            return None;
        }
        if self.at >= contours {
            self.at = 0;
        }
        Some(self.at)
    }

    /// Notes whether a visit found something, and the number of contours before and after it.
    pub(crate) fn visited(&mut self, has_found: bool, before: usize, after: usize) {
        self.idle = if has_found { 0 } else { self.idle + 1 };
        self.at = if after > before { before } else { self.at + 1 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cmp::Reverse;

    #[test]
    fn contours_take_turns_and_the_first_of_each_comes_first() {
        let entries = [(0, 5), (0, 3), (1, 9), (0, 3), (1, 1)];
        let mut heaps: Contours<BinaryHeap<_>> = Contours::new(2);
        let mut buckets: Contours<Buckets> = Contours::new(2);
        for (&(contour, priority), number) in entries.iter().zip(0u32..) {
            heaps.push(contour, Reverse((priority, !number)));
            buckets.push(contour, (priority, number));
        }
        let by_heaps =
            std::iter::from_fn(|| heaps.next().map(|(at, Reverse((_, age)))| (at, !age)));
        let order = [(1, 4), (0, 3), (1, 2), (0, 1), (0, 0)];
        assert_eq!(by_heaps.collect::<Vec<_>>(), order);
        let by_buckets =
            std::iter::from_fn(|| buckets.next().map(|(at, (_, number))| (at, number)));
        assert_eq!(by_buckets.collect::<Vec<_>>(), order);
        assert_eq!((heaps.len(), buckets.len()), (0, 0));
    }

    #[test]
    fn what_is_put_back_comes_next() {
        let mut open: Contours<BinaryHeap<u32>> = Contours::new(3);
        (0..3).for_each(|contour| open.push(contour, contour as u32));
        let (contour, entry) = open.next().unwrap();
        open.put_back(contour, entry);
        assert_eq!((open.next(), open.len()), (Some((contour, entry)), 2));
    }

    #[test]
    fn a_full_contour_forgets_its_worse_half() {
        let mut open: Contours<BinaryHeap<u32>> = Contours::new(1);
        open.grow_to(2);
        (0..9).for_each(|entry| open.push(1, entry));
        open.push(0, 100);
        open.cut(1, 9);
        assert_eq!(open.len(), 10);
        open.cut(1, 8);
        assert_eq!(open.len(), 5);
        let kept: Vec<_> = std::iter::from_fn(|| open.pop(1)).collect();
        assert_eq!(kept, [8, 7, 6, 5]);
        assert_eq!((open.len(), open.contours(), open.is_empty()), (1, 2, false));
    }

    #[test]
    fn a_new_contour_is_visited_at_once() {
        let mut visits = Visits::default();
        assert_eq!(visits.next(2), Some(0));
        visits.visited(true, 2, 3);
        assert_eq!(visits.next(3), Some(2));
        for _ in 0..4 {
            assert!(visits.next(3).is_some());
            visits.visited(false, 3, 3);
        }
        assert_eq!(visits.next(3), None);
    }
}
