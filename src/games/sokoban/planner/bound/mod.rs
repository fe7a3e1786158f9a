//! Lower bounds of the pushes that a position still takes.
//!
//! The bound is the cheapest [`matching`] of boxes with targets, each pair at the pushes of a lone
//! box ([`super::analysis::push_distance`]), and two pushes for each pair of boxes of which one
//! must give way to the other ([`conflicts`]). Both are kept from position to position, so that the
//! bound of a successor costs little.

pub mod conflicts;
pub mod matching;

use super::analysis::push_distance::PushDistances;
use crate::games::sokoban::board::Board;
use conflicts::Conflicts;
use matching::Matching;

/// What the start's bound says: no plan has fewer pushes, or moves; `None` where there is none.
pub fn of_start(board: &Board, distances: &PushDistances) -> Option<u64> {
    let mut start = Vec::new();
    distances.read(board, &board.boxes, board.player, &mut start);
    LowerBound::new(board, distances).place(distances, &start).map(u64::from)
}

/// The bound of one position after the other, and of the successors of each.
pub struct LowerBound<'a> {
    matching: Matching<i64>,
    conflicts: Conflicts<'a>,
}

impl<'a> LowerBound<'a> {
    /// By matching and conflicts.
    pub fn new(board: &'a Board, distances: &PushDistances) -> Self {
        LowerBound { matching: Matching::default(), conflicts: Conflicts::new(board, distances) }
    }

    /// By matching alone.
    pub fn of_matching(board: &'a Board) -> Self {
        LowerBound { matching: Matching::default(), conflicts: Conflicts::none(board) }
    }

    /// The bound of a position, given by the poses of its boxes; `None` where it has no solution.
    pub fn place(&mut self, distances: &PushDistances, boxes: &[u32]) -> Option<u32> {
        let matched = self.matching.place(distances, boxes.iter().copied())?;
        Some(matched + self.conflicts.place(distances, boxes))
    }

    /// The bound of that position with the box of number `index` in another pose.
    pub fn after(
        &mut self,
        distances: &PushDistances,
        boxes: &[u32],
        index: usize,
        pose: u32,
    ) -> Option<u32> {
        let matched = self.matching.after(distances, boxes[index], pose)?;
        Some(matched + self.conflicts.after(distances, boxes, index, pose))
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        self.conflicts.memory()
    }
}
