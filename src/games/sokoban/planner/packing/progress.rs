//! How far along a packing plan a position is, for best-first search over single pushes.
//!
//! Feature-space search follows a plan move by move, with features and advisors that cost more than
//! the move. This asks two questions only: how many steps of the plan are undone, and how far the
//! nearest box is from the next step's target. So best-first search looks at ten times as many
//! positions. It has a contour of its open list for each number of undone steps.

use super::Packing;
use crate::games::sokoban::board::region::Occupied;
use crate::games::sokoban::board::square_set::{has, put};
use crate::games::sokoban::board::{Board, Square};
use crate::games::sokoban::planner::analysis::level::FAR;
use crate::games::sokoban::planner::analysis::macro_moves::{MacroMoveGenerator, Motion};
use std::sync::Arc;

/// What the next step costs where no box is in reach of its target.
const OUT_OF_REACH: u16 = 1000;

/// A packing plan with the ways to its targets.
pub struct PlanProgress {
    packing: Arc<Packing>,
    /// For each step that was asked for, the pushes from each square to its target past what is
    /// filled.
    ways: Vec<Vec<u16>>,
    generator: MacroMoveGenerator,
    occupied: Occupied,
    bits: Vec<u64>,
}

impl PlanProgress {
    /// A guide along a plan.
    pub fn new(board: &Board, packing: Arc<Packing>) -> Self {
        PlanProgress {
            ways: vec![Vec::new(); packing.to.len()],
            packing,
            generator: MacroMoveGenerator::new(board),
            occupied: Occupied::new(&board.layout),
            bits: vec![0; board.squares().div_ceil(64)],
        }
    }

    /// Number of stages: one more than the plan has steps.
    pub fn stages(&self) -> usize {
        self.packing.filled.len()
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        self.ways.iter().map(|way| way.capacity() * size_of::<u16>()).sum()
    }

    /// The steps of the plan that are undone, and the pushes to the next one's target from the
    /// nearest box that may be meant for it.
    pub fn look(&mut self, board: &Board, boxes: &[Square], player: Square) -> (usize, u16) {
        self.bits.fill(0);
        boxes.iter().for_each(|&s| put(&mut self.bits, s));
        let done = self.packing.done(&self.bits, player);
        let undone = self.packing.to.len() - done;
        if undone == 0 {
            return (0, 0);
        }
        self.find_ways(board, done);
        let (way, filled) = (&self.ways[done], &self.packing.filled[done]);
        let near = match self.packing.from[done] {
            Some(parked) => way[parked as usize],
            None => (boxes.iter().filter(|&&s| !has(filled, s)))
                .map(|&s| way[s as usize])
                .min()
                .unwrap_or(FAR),
        };
        (undone, near.min(OUT_OF_REACH))
    }

    /// Finds the ways to a step's target, where they are not known.
    fn find_ways(&mut self, board: &Board, step: usize) {
        if !self.ways[step].is_empty() {
            return;
        }
        let from = self.packing.from[step];
        for s in 0..board.squares() as Square {
            self.occupied.set(s, has(&self.packing.filled[step], s) && Some(s) != from);
        }
        self.generator.analyse(board, &self.occupied);
        let mut way = vec![FAR; board.squares()];
        let player = self.packing.players[step + 1];
        for placement in
            self.generator.reach(board, self.packing.to[step], player, Motion::Pull, |_| true)
        {
            let steps = &mut way[placement.square as usize];
            *steps = placement.steps.min(*steps);
        }
        self.ways[step] = way;
    }
}
