//! Bounds by the set of roused guards, kept for all threads of a search within a limit of bytes.
//!
//! A bound is a number for each cell and number of bricks, and takes as long to make as thousands of
//! expansions; so what one thread has made is there for the others. Threads keep the bounds that they
//! asked for last at hand ([`Hand`]). When there is no room for more, all are forgotten, those at
//! hand with the next state.

use super::bound::Roused;
use std::ops::Index;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

/// Bounds that a thread has at hand at most; a power of two.
const AT_HAND: usize = 16;

/// A bound for each number of bricks and each cell, which is counted while anybody holds it.
pub struct Field {
    bounds: Vec<u32>,
    held: Arc<AtomicUsize>,
}

impl Index<usize> for Field {
    type Output = u32;

    #[inline]
    fn index(&self, cell: usize) -> &u32 {
        &self.bounds[cell]
    }
}

impl Drop for Field {
    fn drop(&mut self) {
        self.held.fetch_sub(self.bounds.len() * size_of::<u32>(), Ordering::Relaxed);
    }
}

/// The two kinds of bounds: with chases, and those that they are made of.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// As [`super::bound::Guards::bound`] gives them.
    Weak,
    /// As [`super::bound::Guards::bound_with_chases`] gives them.
    Strong,
}

/// The bounds that are known.
pub struct KnownBounds {
    fields: RwLock<ahash::HashMap<(Kind, Roused), Arc<Field>>>,
    /// Bytes of all that anybody holds, and the most of them.
    held: Arc<AtomicUsize>,
    most: usize,
    /// Number of times that all bounds were forgotten.
    forgotten: AtomicU64,
    /// Mask of slots in a thread's own table of bounds: their number, a power of two, minus one.
    hand_mask: usize,
}

impl KnownBounds {
    /// No bounds yet; they take `each` bytes each and `most` bytes in all, for `threads` threads.
    pub fn new(each: usize, most: usize, threads: usize) -> Self {
        // The bounds at hand take at most half of the memory.
        let hand = (most / 2 / threads.max(1) / each.max(1)).clamp(1, AT_HAND);
        KnownBounds {
            fields: RwLock::default(),
            held: Arc::default(),
            most,
            forgotten: AtomicU64::new(0),
            hand_mask: (1 << hand.ilog2()) - 1,
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.held.load(Ordering::Relaxed)
    }

    /// The bound of a kind for a set; `make` makes it where it is not known.
    pub fn get(&self, kind: Kind, roused: Roused, make: impl FnOnce() -> Vec<u32>) -> Arc<Field> {
        if let Some(field) = self.read().get(&(kind, roused)) {
            return Arc::clone(field);
        }
        // Two threads may make the same: neither waits for the other.
        let bounds = make();
        let bytes = bounds.len() * size_of::<u32>();
        self.held.fetch_add(bytes, Ordering::Relaxed);
        let field = Arc::new(Field { bounds, held: Arc::clone(&self.held) });
        let mut fields = self.fields.write().unwrap_or_else(PoisonError::into_inner);
        if self.bytes() > self.most {
            fields.clear();
            self.forgotten.fetch_add(1, Ordering::Relaxed);
        }
        Arc::clone(fields.entry((kind, roused)).or_insert(field))
    }

    fn read(&self) -> RwLockReadGuard<'_, ahash::HashMap<(Kind, Roused), Arc<Field>>> {
        self.fields.read().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The bounds that a thread asked for last, by the low bits of a hash of the set.
#[derive(Default)]
pub struct Hand {
    fields: [Option<(Roused, Arc<Field>)>; AT_HAND],
    /// Value of [`KnownBounds`]' counter when these bounds were looked up.
    forgotten: u64,
}

impl Hand {
    /// Forgets what all have forgotten.
    #[inline]
    pub fn keep_up_with(&mut self, known: &KnownBounds) {
        let forgotten = known.forgotten.load(Ordering::Relaxed);
        if self.forgotten != forgotten {
            *self = Hand { forgotten, ..Hand::default() };
        }
    }

    /// The number for a cell in the bound of a set, which `find` finds where it is not at hand.
    #[inline]
    pub fn look_up(
        &mut self,
        roused: Roused,
        cell: usize,
        known: &KnownBounds,
        find: impl FnOnce() -> Arc<Field>,
    ) -> u32 {
        let place = (roused.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize;
        let hand = &mut self.fields[place & known.hand_mask & (AT_HAND - 1)];
        match hand {
            Some((set, field)) if *set == roused => field[cell],
            _ => {
                let field = find();
                let bound = field[cell];
                *hand = Some((roused, field));
                bound
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_held_than_allowed_and_what_is_known_is_not_made_again() {
        let known = KnownBounds::new(400, 4000, 1);
        let mut hand = Hand::default();
        let mut made = 0;
        for round in 0..50 {
            for roused in [round, round, round / 2] {
                hand.keep_up_with(&known);
                let find = || {
                    known.get(Kind::Strong, roused, || {
                        made += 1;
                        vec![roused as u32; 100]
                    })
                };
                assert_eq!(hand.look_up(roused, 7, &known, find), roused as u32);
                assert!(known.bytes() <= 4400, "{} bytes", known.bytes());
            }
        }
        assert!((50..100).contains(&made), "{made} were made");
        drop(hand);
        assert!(known.bytes() <= 4000);
    }
}
