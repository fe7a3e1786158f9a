//! Packing without a plan: which targets can still be filled when those that hold a box are walls.
//!
//! A packing plan is strict: a box on the wrong target counts for nothing, and where the plan is
//! wrong, or any order would do, the strictness does harm. Here every filled target counts, and
//! what tells good orders from bad ones is how many boxes then find no target that they can reach.
//! It is a feature, not a proof: boxes on targets may move away again.

use super::assignment::{IndexSet, unmatched};
use crate::board::mix;
use crate::games::sokoban::board::region::Occupied;
use crate::games::sokoban::board::square_set::{has, put};
use crate::games::sokoban::board::{Board, Square};
use crate::games::sokoban::planner::analysis::level::LevelAnalysis;
use crate::games::sokoban::planner::analysis::macro_moves::{MacroMoveGenerator, Motion};
use ahash::AHashMap;
use smallvec::SmallVec;

/// Bytes that the table of reaches may hold.
const MOST_BYTES: usize = 8 << 20;

/// Which targets each square reaches, by the targets that are filled.
pub struct AnyOrder {
    targets: Vec<u64>,
    reach: AHashMap<u64, Box<[IndexSet]>>,
    occupied: Occupied,
    generator: MacroMoveGenerator,
}

impl AnyOrder {
    /// Working memory for a board.
    pub fn new(board: &Board, analysis: &LevelAnalysis) -> Self {
        let mut targets = vec![0; analysis.words];
        board.targets.iter().for_each(|&t| put(&mut targets, t));
        let occupied = Occupied::new(&board.layout);
        AnyOrder {
            targets,
            reach: AHashMap::new(),
            occupied,
            generator: MacroMoveGenerator::new(board),
        }
    }

    /// The targets as bits.
    pub fn targets(&self) -> &[u64] {
        &self.targets
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        self.reach.len() * (self.occupied.len() * size_of::<IndexSet>() + 48)
    }

    /// Of the boxes in `bits`: how many stand on no target, and how many of those find no target.
    pub fn count(&mut self, board: &Board, bits: &[u64]) -> (u16, u16) {
        let mut away: SmallVec<[Square; 32]> = SmallVec::new();
        let mut key = 0x2545;
        for (w, (&word, &targets)) in bits.iter().zip(&self.targets).enumerate() {
            key = mix(key ^ (word & targets));
            let mut left = word & !targets;
            while left != 0 {
                away.push((w * 64) as Square + left.trailing_zeros() as Square);
                left &= left - 1;
            }
        }
        if away.is_empty() {
            return (0, 0);
        }
        if !self.reach.contains_key(&key) {
            if self.memory() > MOST_BYTES {
                self.reach.clear();
            }
            let reach = self.find_reach(board, bits);
            self.reach.insert(key, reach);
        }
        let lost = unmatched(&away, &self.reach[&key], IndexSet::from(0));
        (away.len() as u16, lost as u16)
    }

    fn find_reach(&mut self, board: &Board, bits: &[u64]) -> Box<[IndexSet]> {
        let filled = |t: Square| has(bits, t);
        for &target in board.targets.iter().filter(|&&t| filled(t)) {
            self.occupied.set(target, true);
        }
        self.generator.analyse(board, &self.occupied);
        let mut reach = vec![IndexSet::default(); self.occupied.len()].into_boxed_slice();
        for (i, &target) in board.targets.iter().enumerate().filter(|&(_, &t)| !filled(t)) {
            for placement in self.generator.reach(board, target, None, Motion::Pull, |_| true) {
                reach[placement.square as usize].insert(i);
            }
        }
        self.occupied.set_all(&board.targets, false);
        reach
    }
}
