//! Patterns: boxes that are proven dead together, whatever else is on the board.

use crate::games::sokoban::board::mask::{Bit, Mask, Maze};
use ahash::AHashSet;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

/// Upper limit of the patterns in a collection.
const PATTERNS: usize = 1 << 14;
/// Upper limit of the patterns for one square.
const PATTERNS_A_SQUARE: usize = 400;

/// Boxes that are dead together while the player is in a region.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Pattern<const W: usize> {
    boxes: Mask<W>,
    region: Mask<W>,
}

impl<const W: usize> Pattern<W> {
    /// The words of the boxes, then those of the region.
    pub fn words(&self) -> impl Iterator<Item = u64> {
        self.boxes.0.into_iter().chain(self.region.0)
    }

    /// The pattern of these words; `None` unless there are as many as a pattern has.
    pub fn of_words(words: &[u64]) -> Option<Self> {
        let (boxes, region) = words.split_at_checked(W)?;
        let [boxes, region] = [boxes.try_into().ok()?, region.try_into().ok()?].map(Mask);
        Some(Pattern { boxes, region })
    }

    /// Boxes that are dead by themselves with the player on a square.
    pub fn new(maze: &Maze<W>, boxes: Mask<W>, player: Bit) -> Self {
        Pattern { boxes, region: maze.region(Mask::of(player), maze.floor.without(boxes)) }
    }
}

/// A collection of patterns, found by square.
#[derive(Clone, Debug)]
pub struct Patterns<const W: usize> {
    count: usize,
    /// By square: the patterns that have a box there.
    at: Vec<Vec<Pattern<W>>>,
}

impl<const W: usize> Patterns<W> {
    /// An empty collection.
    pub fn new() -> Self {
        Patterns { count: 0, at: vec![Vec::new(); W * 64] }
    }

    /// Whether a pattern with the box that was just moved is on the board.
    #[inline]
    pub fn matches(&self, boxes: Mask<W>, moved: Bit, player: Bit) -> bool {
        (self.at[moved as usize].iter())
            .any(|p| p.boxes.without(boxes).is_empty() && p.region.has(player))
    }

    fn has(&self, pattern: &Pattern<W>) -> bool {
        let first = pattern.boxes.first();
        first.is_none_or(|first| self.at[first as usize].contains(pattern))
    }

    /// Whether no more patterns are kept.
    pub fn is_full(&self) -> bool {
        self.count >= PATTERNS
    }

    /// Adds a pattern, unless it is known or there is no room.
    pub fn learn(&mut self, pattern: Pattern<W>) {
        if self.is_full() || self.has(&pattern) {
            return;
        }
        self.count += 1;
        for bit in pattern.boxes {
            let at = &mut self.at[bit as usize];
            if at.len() < PATTERNS_A_SQUARE {
                at.push(pattern);
            }
        }
    }

    /// Bytes held, about.
    pub fn memory(&self) -> usize {
        let each = size_of::<Pattern<W>>();
        self.at.iter().map(|at| at.capacity() * each + size_of::<Vec<Pattern<W>>>()).sum()
    }
}

/// The patterns that all threads of a search share. A pattern that is found in one round is applied from
/// the next round on, so that its effect does not depend on which thread found it, or when.
#[derive(Debug)]
pub struct SharedPatterns<const W: usize> {
    known: RwLock<Patterns<W>>,
    found: Mutex<AHashSet<Pattern<W>>>,
}

impl<const W: usize> SharedPatterns<W> {
    /// An empty collection.
    pub fn new() -> Self {
        SharedPatterns { known: RwLock::new(Patterns::new()), found: Mutex::default() }
    }

    /// The patterns to apply in this round.
    pub fn known(&self) -> RwLockReadGuard<'_, Patterns<W>> {
        self.known.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn found(&self) -> MutexGuard<'_, AHashSet<Pattern<W>>> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a pattern for later rounds, unless it is among the `known` ones.
    pub fn note(&self, known: &Patterns<W>, pattern: Pattern<W>) {
        if !known.is_full() && !known.has(&pattern) {
            self.found().insert(pattern);
        }
    }

    /// The patterns found in this round so far, in arbitrary order.
    pub fn found_now(&self) -> Vec<Pattern<W>> {
        self.found().iter().copied().collect()
    }

    /// Applies the patterns found in this round from now on. They are added in a fixed order.
    pub fn learn(&self) {
        let mut new: Vec<Pattern<W>> = self.found().drain().collect();
        if new.is_empty() {
            return;
        }
        new.sort_unstable_by_key(|pattern| (pattern.boxes.0, pattern.region.0));
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        new.into_iter().for_each(|pattern| known.learn(pattern));
    }

    /// Bytes held, about.
    pub fn memory(&self) -> usize {
        self.known().memory() + self.found().capacity() * (size_of::<Pattern<W>>() + 1)
    }
}
