//! Boxes that no plan brings to a target any more, to be shown to who plays or draws a level.

use super::frozen::frozen;
use super::ground::{Ground, Square};
use crate::board::{BitBoard, Cell};
use crate::games::sokoban::format::Level;

/// Greatest number of cells that are no walls, on boards for which lost boxes are shown: tables grow with its
/// square.
const MAX_CELLS: usize = 4096;

/// The squares of a level that are dead, and the boxes that are lost.
pub struct Lost {
    ground: Ground,
}

impl Lost {
    /// Measures a level; `None` where it is too large.
    pub fn new(level: &Level) -> Option<Lost> {
        if level.shape.cells() - level.drawn.len() > MAX_CELLS {
            return None;
        }
        Some(Lost { ground: Ground::new(level).ok()? })
    }

    /// Cells within reach of the player from which a box reaches no target.
    pub fn dead_cells<'a>(&'a self, level: &'a Level) -> impl Iterator<Item = Cell> + 'a {
        let squares = (0..self.ground.squares() as Square).map(|at| (at, self.ground.cell(at)));
        let inside = squares.filter(|&(_, cell)| !level.walls.contains(cell));
        inside.filter(|&(at, _)| self.ground.is_dead(at)).map(|(_, cell)| cell)
    }

    /// Boxes that reach no target: they stand on dead squares, or never move again beside a target.
    pub fn boxes(&self, boxes: &BitBoard) -> Vec<Cell> {
        let squares: Vec<Square> = boxes.iter().map(|cell| self.ground.square(cell)).collect();
        let frozen = frozen(&self.ground, squares.clone());
        let is_lost = |square: &Square| self.ground.is_dead(*square) || frozen.contains(square);
        let off_target = squares.iter().filter(|&&square| !self.ground.is_target(square));
        off_target.filter(|square| is_lost(square)).map(|&at| self.ground.cell(at)).collect()
    }
}
