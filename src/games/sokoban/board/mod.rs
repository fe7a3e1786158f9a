//! The fast simulator: squares instead of cells, pushes as steps, an incremental key.
//!
//! Only squares that the player could reach on the empty board count, numbered row by row from 0;
//! number [`Board::squares`] stands for every wall, so that a neighbour table needs no test. What a
//! position is to the planner is its boxes and the player's *region*: the squares the player can
//! walk to. Two positions with the same boxes and the same region are the same.
//!
//! [`region`] finds the region.

pub mod derived;
pub mod mask;
pub mod region;
#[cfg(test)]
pub mod samples;
pub mod square_set;

use crate::board::{Cell, Direction, Shape, zobrist};
use crate::games::sokoban::format::Level;
pub use region::Square;
use region::{Flood, Layout, Occupied};
use std::sync::Arc;

/// The directions of the neighbour table: up, right, down, left. `d ^ 2` is the opposite of `d`.
pub const DIRECTIONS: [Direction; 4] =
    [Direction::North, Direction::East, Direction::South, Direction::West];

/// The fixed part of a level.
#[derive(Clone, Debug)]
pub struct Board {
    /// Rows and columns of the level.
    pub shape: Shape,
    /// Neighbours of each square by direction; one more entry for the wall itself.
    pub next: Vec<[Square; 4]>,
    /// The cell of each square.
    pub cells: Vec<Cell>,
    /// The square of each cell; the wall's number where there is none.
    pub square_of: Vec<Square>,
    /// Where squares are in rows of words.
    pub layout: Arc<Layout>,
    /// Whether a square is a target.
    pub is_target: Vec<bool>,
    /// The targets, in order.
    pub targets: Vec<Square>,
    /// The boxes at the start, in order.
    pub boxes: Vec<Square>,
    /// The player at the start.
    pub player: Square,
    /// Boxes that stand where the player never comes, and are not on a target.
    pub lost_boxes: usize,
    /// Zobrist words of boxes.
    pub box_keys: Vec<u64>,
    /// Zobrist words of the squares of the player's region.
    pub region_keys: Vec<u64>,
}

impl Board {
    /// The board of a level. Boxes and targets outside the player's reach are no part of it: a box
    /// there that is on a target stays on it, one that is not counts as lost.
    pub fn new(level: &Level) -> Self {
        let shape = level.shape;
        let cells: Vec<Cell> = shape.iter().filter(|&c| !level.walls.contains(c)).collect();
        let wall = cells.len() as Square;
        let mut square_of = vec![wall; shape.cells()];
        for (square, cell) in cells.iter().enumerate() {
            square_of[cell.index()] = square as Square;
        }
        let neighbour = |cell: Cell, d: Direction| {
            shape.step(cell, d).map_or(wall, |next| square_of[next.index()])
        };
        let mut next: Vec<[Square; 4]> =
            cells.iter().map(|&cell| DIRECTIONS.map(|d| neighbour(cell, d))).collect();
        next.push([wall; 4]);
        let is_target: Vec<bool> = cells.iter().map(|&c| level.targets.contains(c)).collect();
        let squares = 0..wall;
        Board {
            targets: squares.clone().filter(|&s| is_target[s as usize]).collect(),
            boxes: squares.filter(|&s| level.boxes.contains(cells[s as usize])).collect(),
            player: square_of[level.player.index()],
            lost_boxes: (level.boxes.iter())
                .filter(|c| level.walls.contains(*c) && !level.targets.contains(*c))
                .count(),
            box_keys: (0..cells.len()).map(|s| zobrist(1, s as u64)).collect(),
            region_keys: (0..cells.len()).map(|s| zobrist(2, s as u64)).collect(),
            layout: Arc::new(Layout::new(shape, &cells)),
            shape,
            next,
            cells,
            square_of,
            is_target,
        }
    }

    /// Makes these squares, which must be in order, the targets.
    pub fn aim_at(&mut self, targets: &[Square]) {
        self.targets = targets.to_vec();
        self.is_target.fill(false);
        targets.iter().for_each(|&s| self.is_target[s as usize] = true);
    }

    /// How many squares there are; also the number of the wall.
    #[inline]
    pub fn squares(&self) -> usize {
        self.cells.len()
    }

    /// Whether some target stays empty when every box is home.
    pub fn has_spare_targets(&self) -> bool {
        self.lost_boxes == 0 && self.boxes.len() < self.targets.len()
    }

    /// Whether the level can be solved only if boxes and targets in the player's reach match up.
    pub fn balanced(&self) -> bool {
        self.lost_boxes == 0 && self.boxes.len() == self.targets.len()
    }
}

/// A push: the box on `from` goes one square in `direction` (an index of [`DIRECTIONS`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Push {
    /// Where the box stands before.
    pub from: Square,
    /// Index of [`DIRECTIONS`].
    pub direction: u8,
}

/// A position that pushes and walks change in place.
#[derive(Clone, Debug)]
pub struct State<'a> {
    board: &'a Board,
    /// Whether a square holds a box; the wall counts as occupied.
    pub occupied: Occupied,
    /// Where the player stands.
    pub player: Square,
    /// Boxes that are not on a target.
    pub misplaced: usize,
    /// Zobrist key of the boxes.
    pub key: u64,
    /// The player before each push done, for undo.
    history: Vec<(Push, Square)>,
}

impl<'a> State<'a> {
    /// The level's start.
    pub fn new(board: &'a Board) -> Self {
        Self::at(board, &board.boxes, board.player)
    }

    /// A position.
    pub fn at(board: &'a Board, boxes: &[Square], player: Square) -> Self {
        let mut occupied = Occupied::new(&board.layout);
        occupied.set_all(boxes, true);
        let key = boxes.iter().fold(0, |key, &s| key ^ board.box_keys[s as usize]);
        let misplaced = boxes.iter().filter(|&&s| !board.is_target[s as usize]).count();
        State { board, occupied, player, misplaced, key, history: Vec::new() }
    }

    /// The boxes, in order.
    pub fn boxes(&self) -> Vec<Square> {
        (0..self.board.squares() as Square).filter(|&s| self.occupied[s as usize]).collect()
    }

    /// Whether the box can go in that direction once the player stands behind it.
    #[inline]
    pub fn may_push(&self, push: Push) -> bool {
        let next = &self.board.next[push.from as usize];
        let d = push.direction as usize;
        self.occupied[push.from as usize]
            && (push.from as usize) < self.board.squares()
            && !self.occupied[next[d] as usize]
            && !self.occupied[next[d ^ 2] as usize]
    }

    /// Pushes; the player is taken to stand behind the box. The push must be allowed by
    /// [`State::may_push`] and the square behind the box be in the player's region.
    pub fn push(&mut self, push: Push) {
        let to = self.board.next[push.from as usize][push.direction as usize];
        self.history.push((push, self.player));
        self.slide(push.from, to);
        self.player = push.from;
    }

    /// Takes back the last push; false where there is none.
    pub fn undo(&mut self) -> bool {
        let Some((push, player)) = self.history.pop() else { return false };
        let to = self.board.next[push.from as usize][push.direction as usize];
        self.slide(to, push.from);
        self.player = player;
        true
    }

    fn slide(&mut self, from: Square, to: Square) {
        self.occupied.slide(from, to);
        self.key ^= self.board.box_keys[from as usize] ^ self.board.box_keys[to as usize];
        self.misplaced += usize::from(self.board.is_target[from as usize]);
        self.misplaced -= usize::from(self.board.is_target[to as usize]);
    }

    /// The pushes that the player can reach, box by box; `flood` holds the player's region after.
    pub fn pushes(&self, flood: &mut Flood, pushes: &mut Vec<Push>) {
        flood.fill(&self.occupied, self.player);
        pushes.clear();
        for from in 0..self.board.squares() as Square {
            if !self.occupied[from as usize] {
                continue;
            }
            for direction in 0..4u8 {
                let push = Push { from, direction };
                let behind = self.board.next[from as usize][direction as usize ^ 2];
                if flood.contains(behind) && self.may_push(push) {
                    pushes.push(push);
                }
            }
        }
    }
}
