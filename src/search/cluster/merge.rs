//! What comes in order from several workers, in order.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

/// The items of several sources, each of which is in ascending order, in ascending order, with the
/// number of the source; of equal items the one of the first source first.
pub(super) struct Merge<I: Iterator> {
    sources: Vec<I>,
    /// The next item of each source.
    heads: BinaryHeap<Reverse<(I::Item, usize)>>,
}

impl<I: Iterator<Item: Ord>> Merge<I> {
    pub(super) fn new(sources: impl IntoIterator<Item = I>) -> Self {
        let mut sources: Vec<I> = sources.into_iter().collect();
        let heads = sources.iter_mut().enumerate();
        let heads = heads.filter_map(|(from, source)| Some(Reverse((source.next()?, from))));
        Merge { heads: heads.collect(), sources }
    }
}

impl<I: Iterator<Item: Ord>> Iterator for Merge<I> {
    type Item = (I::Item, usize);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let mut head = self.heads.peek_mut()?;
        let from = head.0.1;
        let Reverse(item) = match self.sources[from].next() {
            Some(next) => std::mem::replace(&mut *head, Reverse((next, from))),
            None => PeekMut::pop(head),
        };
        Some(item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_come_in_order() {
        let sources = [vec![1, 4, 4, 9], vec![], vec![2, 4], vec![0, 11, 12]];
        let mut all: Vec<(i32, usize)> = Vec::new();
        for (from, source) in sources.iter().enumerate() {
            all.extend(source.iter().map(|&item| (item, from)));
        }
        all.sort_unstable();
        let merged: Vec<_> = Merge::new(sources.map(Vec::into_iter)).collect();
        assert_eq!(merged, all);
    }
}
