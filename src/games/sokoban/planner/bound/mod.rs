//! Lower bounds of the pushes that a position still takes.
//!
//! The bound is the cheapest [`matching`] of boxes with targets, each pair at the pushes of a lone
//! box ([`super::analysis::push_distance`]), and two pushes for each pair of boxes of which one
//! must give way to the other ([`conflicts`]). Both are kept from position to position, so that the
//! bound of a successor costs little. [`bipartite`] matches without costs.

pub mod bipartite;
pub mod conflicts;
pub mod matching;

use super::analysis::push_distance::PushDistances;
use crate::games::sokoban::board::Board;
use conflicts::{Conflicts, KnownConflicts};
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
    /// For a moment: the targets that each box may go to.
    sets: Vec<u64>,
}

impl<'a> LowerBound<'a> {
    /// A bound by matching and conflicts.
    pub fn new(board: &'a Board, distances: &PushDistances) -> Self {
        Self::with(Conflicts::new(board, distances))
    }

    /// The same, of which some conflicts are known.
    pub fn knowing(board: &'a Board, distances: &PushDistances, known: KnownConflicts) -> Self {
        Self::with(Conflicts::with(board, distances, known))
    }

    /// Takes out the conflicts that are known, for another bound of the same board.
    pub fn take_known(&mut self) -> KnownConflicts {
        self.conflicts.take_known()
    }

    /// A bound by matching alone.
    pub fn of_matching(board: &'a Board) -> Self {
        Self::with(Conflicts::none(board))
    }

    fn with(conflicts: Conflicts<'a>) -> Self {
        LowerBound { matching: Matching::default(), conflicts, sets: Vec::new() }
    }

    /// The bound of a position, given by the poses of its boxes; `None` where it has no solution.
    pub fn place(&mut self, distances: &PushDistances, boxes: &[u32]) -> Option<u32> {
        let matched = self.matching.place(distances, boxes.iter().copied())?;
        Some(matched + self.conflicts.place(distances, boxes))
    }

    /// The bound of the position that was placed last, or two more where its boxes cannot do with
    /// `bound` pushes: its matching leaves each box only targets that cost little more than the
    /// best, and pairs that could go straight to others may not be able to go to those.
    pub fn raised(&mut self, distances: &PushDistances, boxes: &[u32], bound: u32) -> u32 {
        let Some(matched) = self.matching.total().filter(|&matched| matched <= bound) else {
            return bound;
        };
        self.matching.settle_prices(distances);
        if self.conflicts.is_none() {
            return bound;
        }
        let spare = i64::from(bound - matched);
        let targets = |&pose: &u32| self.matching.targets_within(distances, pose, spare);
        self.sets.clear();
        self.sets.extend(boxes.iter().map(targets));
        let more = self.conflicts.place_within(distances, boxes, &self.sets);
        if matched + more > bound { bound + conflicts::PRICE } else { bound }
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

    /// The bound of [`LowerBound::after`] if it is at most `most`, else some number above `most` that is not
    /// greater than it. The cheapest test comes first: the prices of the matching, then the matching, then
    /// the conflicts. The position must have been placed and [`raised`](LowerBound::raised).
    pub fn after_within(
        &mut self,
        distances: &PushDistances,
        boxes: &[u32],
        (index, pose): (usize, u32),
        most: u32,
    ) -> Option<u32> {
        let floor = self.matching.floor(distances, boxes[index], pose);
        if floor > most {
            return Some(floor);
        }
        let matched = self.matching.after(distances, boxes[index], pose)?;
        if matched > most {
            return Some(matched);
        }
        Some(matched + self.conflicts.after(distances, boxes, index, pose))
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        self.conflicts.memory()
    }
}
