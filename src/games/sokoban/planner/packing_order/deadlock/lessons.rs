//! What was learned of deadlocks.

use super::super::level::terrain::Terrain;
use super::dead_sets::DeadSets;
use super::prover::Prover;
use ahash::AHashSet;

/// Number of boxes of an area that is always looked at, however few there are on the board.
const FEW_BOXES: usize = 6;
/// Number of boxes of an area that is looked at on any board.
const MOST_BOXES: usize = 16;
/// What was learned, and what was tried.
#[derive(Clone, Debug)]
pub struct Lessons {
    pub dead: DeadSets,
    pub prover: Prover,
    /// Keys of the sets that were tried.
    pub tried: AHashSet<u64>,
    /// Whether something was learned since a position was last chosen.
    pub is_news: bool,
}

impl Lessons {
    /// Nothing yet.
    pub fn new(terrain: &Terrain) -> Self {
        Lessons {
            dead: DeadSets::new(terrain),
            prover: Prover::new(terrain),
            tried: AHashSet::new(),
            is_news: false,
        }
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        self.dead.memory() + self.tried.capacity() * 10
    }
}

/// Number of boxes that an area may have for a proof to be tried, by the number on the board.
pub fn most_boxes(boxes: usize) -> usize {
    (boxes / 2).max(boxes.min(FEW_BOXES)).min(MOST_BOXES)
}
