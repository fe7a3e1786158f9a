//! Targets that frozen boxes cut off: whether each of the other boxes can still have one of its own.

use crate::games::sokoban::board::region::Occupied;
use crate::games::sokoban::board::{Board, Square};
use crate::games::sokoban::planner::analysis::macro_moves::{MacroMoveGenerator, Motion};
use crate::games::sokoban::planner::bound::bipartite::BipartiteMatching;
use ahash::AHashMap;

/// Sets of frozen boxes whose reach is kept.
const FROZEN_SETS: usize = 4096;

/// The targets that a box can reach from each square, with a set of frozen boxes as walls.
#[derive(Debug)]
struct Reach {
    /// Number of words for the targets of one square.
    words: usize,
    /// By square: the targets in reach, as a bit set over the targets that no frozen box holds.
    targets: Vec<u64>,
    /// For each square, the target that a box on it was matched with last: mostly it still can be.
    last: Vec<u16>,
}

impl Reach {
    fn from(&self, square: Square) -> &[u64] {
        let from = square as usize * self.words;
        &self.targets[from..from + self.words]
    }

    /// Whether each of the boxes, none of them frozen, can have a target of its own.
    fn can_match(&mut self, boxes: &[Square], matching: &mut BipartiteMatching) -> bool {
        matching.begin(&vec![u64::MAX; self.words]);
        let had = |&i: &usize| {
            let square = boxes[i] as usize;
            !matching.give(usize::from(self.last[square]), i)
        };
        let left: Vec<usize> = (0..boxes.len()).filter(had).collect();
        let all = left.iter().all(|&i| matching.place(i, &|i| self.from(boxes[i])));
        for target in 0..self.words * 64 {
            if let Some(i) = matching.owner(target) {
                self.last[boxes[i] as usize] = target as u16;
            }
        }
        all
    }
}

/// The test, and the reach of boxes past each set of frozen ones so far.
pub struct CutOff<'a> {
    board: &'a Board,
    generator: MacroMoveGenerator,
    occupied: Occupied,
    reach: AHashMap<u64, Reach>,
    matching: BipartiteMatching,
}

impl<'a> CutOff<'a> {
    /// The test of a board.
    pub fn new(board: &'a Board) -> Self {
        CutOff {
            board,
            generator: MacroMoveGenerator::new(board),
            occupied: Occupied::new(&board.layout),
            reach: AHashMap::new(),
            matching: BipartiteMatching::default(),
        }
    }

    /// Bytes held, about.
    pub fn memory(&self) -> usize {
        let words = self.board.targets.len().div_ceil(64);
        self.reach.len() * self.board.squares() * (words * 8 + 2)
    }

    /// Whether the boxes cannot each have a target of their own, given those of them that are frozen, or a frozen one is
    /// on no target.
    pub fn is_dead(&mut self, boxes: &[Square], frozen: &[Square]) -> bool {
        frozen.iter().any(|&s| !self.board.is_target[s as usize]) || !self.can_match(boxes, frozen)
    }

    fn can_match(&mut self, boxes: &[Square], frozen: &[Square]) -> bool {
        let key = frozen.iter().fold(0, |key, &s| key ^ self.board.box_keys[s as usize]);
        if self.reach.len() >= FROZEN_SETS && !self.reach.contains_key(&key) {
            self.reach.clear();
        }
        if !self.reach.contains_key(&key) {
            let reach = self.find_reach(frozen);
            self.reach.insert(key, reach);
        }
        let Some(reach) = self.reach.get_mut(&key) else { return true };
        let movable: Vec<Square> = boxes.iter().copied().filter(|s| !frozen.contains(s)).collect();
        reach.can_match(&movable, &mut self.matching)
    }

    fn find_reach(&mut self, frozen: &[Square]) -> Reach {
        self.occupied.set_all(frozen, true);
        self.generator.analyse(self.board, &self.occupied);
        let free: Vec<Square> =
            (self.board.targets.iter().copied()).filter(|&t| !self.occupied[t as usize]).collect();
        let words = self.board.targets.len().div_ceil(64);
        let mut targets = vec![0; self.board.squares() * words];
        for (number, target) in free.into_iter().enumerate() {
            for placement in self.generator.reach(self.board, target, None, Motion::Pull, |_| true)
            {
                targets[placement.square as usize * words + number / 64] |= 1 << (number % 64);
            }
        }
        self.occupied.set_all(frozen, false);
        Reach { words, targets, last: vec![u16::MAX; self.board.squares()] }
    }
}
