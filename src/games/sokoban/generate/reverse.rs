//! A game played backward: a player who can only pull, and how boxes are dragged about.

use crate::board::{BitBoard, Cell, Direction, ORTHOGONAL, Shape, UNREACHED, distances};
use crate::games::sokoban::format::letter;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Length of the longest drag, in squares.
const LONGEST_DRAG: usize = 5;

/// A game played backward.
#[derive(Clone)]
pub(super) struct Reverse<'a> {
    pub(super) shape: Shape,
    pub(super) walls: &'a BitBoard,
    pub(super) boxes: BitBoard,
    pub(super) player: Cell,
    /// The forward keys, last first, and whether each pushes.
    pub(super) keys: Vec<(Direction, bool)>,
}

impl Reverse<'_> {
    /// Drags random boxes until `pulls` pulls are made or `tries` drags are tried. Calls `after_drag` after each
    /// drag that moved a box.
    pub(super) fn run(
        &mut self,
        (pulls, tries): (usize, usize),
        random: &mut ChaCha8Rng,
        mut after_drag: impl FnMut(&Self),
    ) {
        let mut done = 0;
        for _ in 0..tries {
            if done >= pulls {
                return;
            }
            let boxes: Vec<Cell> = self.boxes.iter().collect();
            let pulled = self.drag(boxes[random.random_range(0..boxes.len())], random);
            done += pulled;
            if pulled > 0 {
                after_drag(self);
            }
        }
    }

    /// Goes to a box and drags it up to five squares in one direction, both drawn; returns the number of pulls.
    fn drag(&mut self, cell: Cell, random: &mut ChaCha8Rng) -> usize {
        let direction = ORTHOGONAL[random.random_range(0..4)];
        let length = random.random_range(1..=LONGEST_DRAG);
        let Some(beside) = self.shape.step(cell, direction) else { return 0 };
        if !self.walk_to(beside) {
            return 0;
        }
        (0..length).take_while(|_| self.pull(direction)).count()
    }

    fn is_free(&self, cell: Cell) -> bool {
        !self.walls.contains(cell) && !self.boxes.contains(cell)
    }

    /// Walks to a cell by a shortest way; false where there is none.
    pub(super) fn walk_to(&mut self, to: Cell) -> bool {
        if !self.is_free(to) {
            return false;
        }
        let field = distances(self.shape, &[to], &ORTHOGONAL, |c| self.is_free(c));
        if field[self.player.index()] == UNREACHED {
            return false;
        }
        while self.player != to {
            let here = field[self.player.index()];
            let step = ORTHOGONAL.into_iter().find_map(|d| {
                let next = self.shape.step(self.player, d)?;
                (field[next.index()] < here).then_some((d, next))
            });
            let Some((direction, next)) = step else { return false };
            self.keys.push((direction.opposite(), false));
            self.player = next;
        }
        true
    }

    /// The player, beside a box, steps away from it and drags it along.
    fn pull(&mut self, direction: Direction) -> bool {
        let from = self.shape.step(self.player, direction.opposite());
        let to = self.shape.step(self.player, direction);
        let (Some(from), Some(to)) = (from, to) else { return false };
        if !self.boxes.contains(from) || !self.is_free(to) {
            return false;
        }
        self.boxes.remove(from);
        self.boxes.insert(self.player);
        self.keys.push((direction.opposite(), true));
        self.player = to;
        true
    }

    /// The number of pushes of the plan, which is the game played forward.
    pub(super) fn pushes(&self) -> u64 {
        self.keys.iter().filter(|(_, push)| *push).count() as u64
    }

    /// The plan in the letters of LURD, with a line end.
    pub(super) fn plan(&self) -> String {
        let letters = self.keys.iter().rev().map(|&(d, push)| letter(d, push));
        letters.chain(['\n']).collect()
    }
}
