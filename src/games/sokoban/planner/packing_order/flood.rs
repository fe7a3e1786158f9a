//! The squares that the player can walk to, found square by square.
//!
//! The rooms of a level are small, and a search dives through hundreds of positions whose regions
//! must all be kept. So each region is a row of marks of its own, which a new stamp empties.

use super::terrain::Steps;
use crate::games::sokoban::board::Square;

/// A region, and the working memory to find one.
#[derive(Clone, Debug, Default)]
pub struct Flood {
    marks: Vec<u32>,
    stamp: u32,
    stack: Vec<Square>,
    /// The first square of the region.
    pub least: Square,
    /// Number of squares that were visited by all calls of [`Flood::fill`] together.
    pub looked: u64,
}

impl Flood {
    /// An empty region for boards of this many squares.
    pub fn new(squares: usize) -> Self {
        Flood { marks: vec![0; squares + 1], ..Flood::default() }
    }

    /// Fills the region with the squares that hang together with `from`, itself included whatever
    /// stands on it.
    pub fn fill(&mut self, next: &[Steps], occupied: &[bool], from: Square) {
        self.clear();
        self.marks[from as usize] = self.stamp;
        self.stack.push(from);
        self.least = from;
        while let Some(square) = self.stack.pop() {
            self.looked += 1;
            self.least = self.least.min(square);
            for near in next[square as usize] {
                if !occupied[near as usize] && self.marks[near as usize] != self.stamp {
                    self.marks[near as usize] = self.stamp;
                    self.stack.push(near);
                }
            }
        }
    }

    /// Empties the region.
    pub fn clear(&mut self) {
        if self.stamp == u32::MAX {
            self.marks.fill(0);
            self.stamp = 0;
        }
        self.stamp += 1;
    }

    /// Whether the square is in the region.
    #[inline]
    pub fn contains(&self, square: Square) -> bool {
        self.marks[square as usize] == self.stamp
    }
}
