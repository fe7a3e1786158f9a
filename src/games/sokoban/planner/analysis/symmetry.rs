//! Symmetries: mirror images and turns that leave a board as it is.
//!
//! Where walls and targets look the same in a mirror, a position and its image cost the same to
//! solve, wherever the boxes stood at the start. A forward search needs only one of each such set.
//! Few levels have symmetric boards, but those that have are hard for exact search.

use crate::board::Cell;
use crate::games::sokoban::board::derived::Image;
use crate::games::sokoban::board::region::Flood;
use crate::games::sokoban::board::{Board, Square};

/// The ways to lay a board onto itself, as permutations of its squares; the first leaves all where
/// it is. The wall's number stays the wall's.
#[derive(Clone, Debug)]
pub struct Symmetry {
    maps: Vec<Vec<Square>>,
}

impl Symmetry {
    /// The symmetries of a board.
    pub fn new(board: &Board) -> Self {
        Symmetry { maps: Image::ALL.iter().filter_map(|&image| laid(board, image)).collect() }
    }

    /// No symmetry but the one that leaves all where it is.
    pub fn none(board: &Board) -> Self {
        Symmetry { maps: laid(board, Image::ALL[0]).into_iter().collect() }
    }

    /// Whether there is one besides leaving all where it is.
    pub fn is_any(&self) -> bool {
        self.maps.len() > 1
    }

    /// The least image of a region by each permutation.
    pub fn least_images(&self, region: &Flood) -> impl Iterator<Item = Square> {
        let moved = self.maps.iter().skip(1);
        let least = |map: &Vec<Square>| region.squares().map(|s| map[s as usize]).min();
        std::iter::once(region.least()).chain(moved.filter_map(least))
    }

    /// The permutations.
    pub fn maps(&self) -> &[Vec<Square>] {
        &self.maps
    }
}

/// The permutation by which an image of the board's bounding box lies on it; `None` where walls do not
/// come to lie on walls and targets on targets.
fn laid(board: &Board, image: Image) -> Option<Vec<Square>> {
    let shape = board.shape;
    let place = |cell: Cell| (shape.row(cell), shape.col(cell));
    let rows = board.cells.iter().map(|&cell| place(cell).0);
    let cols = board.cells.iter().map(|&cell| place(cell).1);
    let (top, bottom) = (rows.clone().min()?, rows.max()?);
    let (left, right) = (cols.clone().min()?, cols.max()?);
    let extent = (bottom - top + 1, right - left + 1);
    if image.is_transposed && extent.0 != extent.1 {
        return None;
    }
    let mut map = Vec::with_capacity(board.squares() + 1);
    for (square, &cell) in board.cells.iter().enumerate() {
        let (row, col) = place(cell);
        let (row, col) = image.place(extent, (row - top, col - left));
        let onto = board.square_of[shape.cell((top + row) as u32, (left + col) as u32).index()];
        let is_target = |s: usize| board.is_target[s];
        if onto as usize == board.squares() || is_target(onto as usize) != is_target(square) {
            return None;
        }
        map.push(onto);
    }
    map.push(board.squares() as Square);
    Some(map)
}
