//! The squares of a level, and what a box on each of them can still do.

use crate::games::sokoban::board::derived::DerivedBoard;
use crate::games::sokoban::board::region::{Layout, Occupied};
use crate::games::sokoban::board::{Board, Push, Square};
use std::sync::Arc;

/// The neighbours of a square: up, left, down, right. `d ^ 2` is the opposite of `d`.
pub type Steps = [Square; 4];

/// The direction to the left of another one.
pub const fn left_of(d: u8) -> u8 {
    (d + 1) & 3
}

/// The direction to the right of another one.
pub const fn right_of(d: u8) -> u8 {
    (d + 3) & 3
}

/// A direction as the board's own table of neighbours numbers it.
pub const fn on_board(d: u8) -> u8 {
    (4 - d) & 3
}

/// A level made ready. The number after that of the last square is the wall.
#[derive(Clone, Debug)]
pub struct Terrain {
    /// The trimmed level ([`trimming`](super::trimming)) after the forced pushes.
    pub trimmed: DerivedBoard,
    /// Pushes of the original board that every plan begins with, since the player leaves a dead end by them.
    pub forced: Vec<Push>,
    /// Neighbours of each square; one more entry for the wall itself.
    pub next: Vec<Steps>,
    /// Row and column of each square.
    pub places: Vec<(i32, i32)>,
    /// Whether a square is a target that is to be filled.
    pub is_goal: Vec<bool>,
    /// Whether a box starts there.
    pub is_start: Vec<bool>,
    /// Whether a box there can still come to a target.
    pub is_legal: Vec<bool>,
    /// Whether some box can come there.
    pub is_reachable: Vec<bool>,
    /// Number of squares that some box can come to.
    pub reachable: usize,
    /// Whether a box there parts the board in two.
    pub is_gate: Vec<bool>,
    /// By square: the directions in which a box that is pushed onto it should not stop there, as bits.
    pub tunnels: Vec<u8>,
    /// Number of pushes from each square to the nearest target.
    pub near: Vec<u16>,
    /// By target: number of pushes to it from each square.
    pub from_goal: Vec<Vec<u16>>,
}

impl Terrain {
    /// The board of the trimmed level.
    #[inline]
    pub fn board(&self) -> &Board {
        &self.trimmed.board
    }

    /// The boxes at the start, in order.
    pub fn boxes(&self) -> &[Square] {
        &self.board().boxes
    }

    /// The targets, in order.
    pub fn goals(&self) -> &[Square] {
        &self.board().targets
    }

    /// Where the player is at the start.
    pub fn player(&self) -> Square {
        self.board().player
    }

    /// Where squares are in rows of words.
    pub fn layout(&self) -> &Arc<Layout> {
        &self.board().layout
    }

    /// Number of squares; also the number of the wall.
    #[inline]
    pub fn squares(&self) -> usize {
        self.next.len() - 1
    }

    /// Whether the square is the wall.
    #[inline]
    pub fn is_wall(&self, square: Square) -> bool {
        square as usize == self.squares()
    }

    /// The neighbour of a square.
    #[inline]
    pub fn step(&self, square: Square, d: u8) -> Square {
        self.next[square as usize][d as usize]
    }

    /// Number of rows and columns between two squares, added up.
    pub fn manhattan(&self, a: Square, b: Square) -> u32 {
        let ((row, col), (other_row, other_col)) =
            (self.places[a as usize], self.places[b as usize]);
        row.abs_diff(other_row) + col.abs_diff(other_col)
    }

    /// Whether boxes may be kept there: not lost, and some box can come there.
    #[inline]
    pub fn is_usable(&self, square: Square) -> bool {
        self.is_legal[square as usize] && self.is_reachable[square as usize]
    }

    /// Whether there are walls on both sides of a square, for one who walks in this direction.
    #[inline]
    pub fn is_between_walls(&self, square: Square, d: u8) -> bool {
        self.is_wall(self.step(square, left_of(d))) && self.is_wall(self.step(square, right_of(d)))
    }

    /// Whether walls meet there.
    pub fn is_corner(&self, square: Square) -> bool {
        let wall = |d| self.is_wall(self.step(square, d));
        (wall(0) || wall(2)) && (wall(1) || wall(3))
    }

    /// Whether a player who pulls a box in this direction ends in a dead end, where no plan has him.
    #[inline]
    pub fn is_trap(&self, player: Square, d: u8) -> bool {
        player != self.player()
            && self.is_wall(self.step(player, d))
            && self.is_between_walls(player, d)
    }

    /// A board with these boxes on it.
    pub fn occupied(&self, boxes: &[Square]) -> Occupied {
        let mut occupied = Occupied::new(self.layout());
        occupied.set_all(boxes, true);
        occupied
    }
}
