//! A board turned or mirrored. Searches that break ties by the order of squares go other ways there.

use super::region::{Layout, Square};
use super::{Board, DIRECTIONS, Push};
use crate::board::{Cell, Direction, Shape};
use std::sync::Arc;

/// One of the eight ways to turn and mirror a board: rows and columns may each be reversed, and then
/// exchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Image {
    /// Whether the order of the rows is reversed.
    pub is_upside_down: bool,
    /// Whether the order of the columns is reversed.
    pub is_mirrored: bool,
    /// Whether rows become columns, after the reversals.
    pub is_transposed: bool,
}

/// A board's image, and the way back.
pub struct ImageBoard {
    /// The board, turned and mirrored.
    pub board: Board,
    /// The square that each square of the image is of.
    original: Vec<Square>,
    /// The direction that each direction of the image is of.
    directions: [u8; 4],
}

impl Image {
    /// All eight; the first leaves the board as it is.
    pub const ALL: [Image; 8] = [
        Image::new(false, false, false),
        Image::new(true, false, false),
        Image::new(false, true, false),
        Image::new(true, true, false),
        Image::new(false, false, true),
        Image::new(true, false, true),
        Image::new(false, true, true),
        Image::new(true, true, true),
    ];

    const fn new(is_upside_down: bool, is_mirrored: bool, is_transposed: bool) -> Self {
        Image { is_upside_down, is_mirrored, is_transposed }
    }

    /// The image of a row and a column of a rectangle of that many rows and columns.
    pub fn place(self, (rows, cols): (i32, i32), (row, col): (i32, i32)) -> (i32, i32) {
        let row = if self.is_upside_down { rows - 1 - row } else { row };
        let col = if self.is_mirrored { cols - 1 - col } else { col };
        if self.is_transposed { (col, row) } else { (row, col) }
    }

    /// The image of a shape.
    fn shape(self, Shape { rows, cols }: Shape) -> Shape {
        if self.is_transposed { Shape { rows: cols, cols: rows } } else { Shape { rows, cols } }
    }

    /// The image of a cell of a board of the shape.
    fn cell(self, shape: Shape, cell: Cell) -> Cell {
        let extent = (shape.rows as i32, shape.cols as i32);
        let (row, col) = self.place(extent, (shape.row(cell), shape.col(cell)));
        self.shape(shape).cell(row as u32, col as u32)
    }

    /// The image of a direction.
    fn direction(self, direction: Direction) -> Direction {
        let drow = if self.is_upside_down { -direction.drow() } else { direction.drow() };
        let dcol = if self.is_mirrored { -direction.dcol() } else { direction.dcol() };
        let (drow, dcol) = if self.is_transposed { (dcol, drow) } else { (drow, dcol) };
        Direction::from_delta(drow, dcol).unwrap_or(direction)
    }
}

impl ImageBoard {
    /// Makes the image of a board.
    pub fn new(of: &Board, image: Image) -> Self {
        let shape = image.shape(of.shape);
        let mut order: Vec<(Cell, Square)> = (of.cells.iter().zip(0..))
            .map(|(&cell, square)| (image.cell(of.shape, cell), square))
            .collect();
        order.sort_unstable_by_key(|&(cell, _)| cell.index());
        let cells: Vec<Cell> = order.iter().map(|&(cell, _)| cell).collect();
        let original: Vec<Square> = order.iter().map(|&(_, square)| square).collect();
        let wall = cells.len() as Square;
        let mut image_of = vec![wall; cells.len() + 1];
        let mut square_of = vec![wall; shape.cells()];
        for (square, &(cell, own)) in (0..).zip(&order) {
            image_of[own as usize] = square;
            square_of[cell.index()] = square;
        }
        let directions = DIRECTIONS.map(|d| {
            let is_of = |own: &Direction| image.direction(*own) == d;
            DIRECTIONS.iter().position(is_of).unwrap_or(0) as u8
        });
        let neighbours = |&own: &Square| {
            directions.map(|d| image_of[of.next[own as usize][d as usize] as usize])
        };
        let mut next: Vec<[Square; 4]> = original.iter().map(neighbours).collect();
        next.push([wall; 4]);
        let squares = |own: &[Square]| {
            let mut squares: Vec<Square> = own.iter().map(|&s| image_of[s as usize]).collect();
            squares.sort_unstable();
            squares
        };
        let board = Board {
            shape,
            next,
            square_of,
            layout: Arc::new(Layout::new(shape, &cells)),
            is_target: original.iter().map(|&own| of.is_target[own as usize]).collect(),
            targets: squares(&of.targets),
            boxes: squares(&of.boxes),
            player: image_of[of.player as usize],
            lost_boxes: of.lost_boxes,
            // Keys belong to numbers of squares.
            box_keys: of.box_keys.clone(),
            region_keys: of.region_keys.clone(),
            cells,
        };
        ImageBoard { board, original, directions }
    }

    /// The push on the board that a push on the image is of.
    pub fn original(&self, push: Push) -> Push {
        Push {
            from: self.original[push.from as usize],
            direction: self.directions[push.direction as usize],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Source;
    use crate::games::sokoban::format::read_levels;

    fn board(rows: &[String]) -> Board {
        let levels = read_levels(&Source::new("level", rows.join("\n") + "\n"));
        Board::new(&levels.expect("it can be read")[0])
    }

    #[test]
    fn an_image_is_the_board_of_the_turned_level() {
        let rows = ["#######", "#@ $ .#", "#  #  #", "# $  .#", "#######"];
        let own = board(&rows.map(String::from));
        for image in Image::ALL {
            let mut turned: Vec<String> = rows.map(String::from).to_vec();
            if image.is_upside_down {
                turned.reverse();
            }
            if image.is_mirrored {
                turned = turned.iter().map(|row| row.chars().rev().collect()).collect();
            }
            if image.is_transposed {
                let column = |col| turned.iter().map(|row| &row[col..=col]).collect();
                turned = (0..turned[0].len()).map(column).collect();
            }
            let wanted = board(&turned);
            let made = ImageBoard::new(&own, image);
            assert_eq!(made.board.cells, wanted.cells, "{image:?}");
            assert_eq!(made.board.next, wanted.next, "{image:?}");
            assert_eq!(made.board.square_of, wanted.square_of, "{image:?}");
            assert_eq!(made.board.boxes, wanted.boxes, "{image:?}");
            assert_eq!(made.board.targets, wanted.targets, "{image:?}");
            assert_eq!(made.board.is_target, wanted.is_target, "{image:?}");
            assert_eq!(made.board.player, wanted.player, "{image:?}");
            for from in 0..own.squares() as Square {
                for direction in 0..4u8 {
                    let push = made.original(Push { from, direction });
                    let to = made.board.next[from as usize][direction as usize];
                    let own_to = own.next[push.from as usize][push.direction as usize];
                    let back = made.original.get(to as usize).copied();
                    assert_eq!(own_to, back.unwrap_or(own.squares() as Square), "{image:?}");
                }
            }
        }
    }
}
