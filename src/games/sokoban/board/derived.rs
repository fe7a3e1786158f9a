//! Boards made of another one: turned or mirrored, or a part of it.
//!
//! Searches break ties by the order of squares, so they take other ways on an image of the board.

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

/// A board made of another one, and the way back to it.
#[derive(Clone, Debug)]
pub struct DerivedBoard {
    /// The board as it was made.
    pub board: Board,
    /// The original of each square.
    original: Vec<Square>,
    /// The original of each direction.
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

impl DerivedBoard {
    /// Makes the image of a board.
    pub fn image(of: &Board, image: Image) -> Self {
        let squares = of.cells.iter().zip(0..);
        let squares = squares.map(|(&cell, square)| (image.cell(of.shape, cell), square));
        let directions = DIRECTIONS.map(|d| {
            let is_of = |own: &Direction| image.direction(*own) == d;
            DIRECTIONS.iter().position(is_of).unwrap_or(0) as u8
        });
        let mut made = Self::new(of, image.shape(of.shape), squares.collect(), directions);
        made.board.boxes.sort_unstable();
        made.board.targets.sort_unstable();
        made
    }

    /// Makes a board in which the squares that `walls` marks by number are walls. Boxes and targets on them are removed, and
    /// the others keep their order. The player must stand on another square. Squares and pushes of the new board have the
    /// same originals as those of this board.
    #[must_use]
    pub fn without(&self, walls: &[bool]) -> Self {
        let squares = self.board.cells.iter().copied().zip(0..);
        let squares = squares.filter(|&(_, square)| !walls[square as usize]).collect();
        let part = Self::new(&self.board, self.board.shape, squares, [0, 1, 2, 3]);
        let original = part.original.iter().map(|&square| self.original[square as usize]);
        DerivedBoard { original: original.collect(), directions: self.directions, ..part }
    }

    /// Makes a board of these squares of another one, each with its new cell.
    fn new(of: &Board, shape: Shape, mut order: Vec<(Cell, Square)>, directions: [u8; 4]) -> Self {
        order.sort_unstable_by_key(|&(cell, _)| cell.index());
        let cells: Vec<Cell> = order.iter().map(|&(cell, _)| cell).collect();
        let original: Vec<Square> = order.iter().map(|&(_, square)| square).collect();
        let wall = cells.len() as Square;
        let mut image_of = vec![wall; of.squares() + 1];
        let mut square_of = vec![wall; shape.cells()];
        for (square, &(cell, own)) in (0..).zip(&order) {
            image_of[own as usize] = square;
            square_of[cell.index()] = square;
        }
        let neighbours = |&own: &Square| {
            directions.map(|d| image_of[of.next[own as usize][d as usize] as usize])
        };
        let mut next: Vec<[Square; 4]> = original.iter().map(neighbours).collect();
        next.push([wall; 4]);
        let squares = |own: &[Square]| -> Vec<Square> {
            own.iter().map(|&s| image_of[s as usize]).filter(|&s| s != wall).collect()
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
            box_keys: of.box_keys[..cells.len()].to_vec(),
            region_keys: of.region_keys[..cells.len()].to_vec(),
            cells,
        };
        DerivedBoard { board, original, directions }
    }

    /// The originals of squares.
    pub fn originals(&self, squares: &[Square]) -> Vec<Square> {
        squares.iter().map(|&square| self.original[square as usize]).collect()
    }

    /// The original of a push.
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
            let made = DerivedBoard::image(&own, image);
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

    #[test]
    fn a_part_of_a_board_is_the_board_of_a_level_with_more_walls() {
        let own = board(&["#######", "#@ $ .#", "# *#  #", "# $  .#", "#######"].map(String::from));
        let wanted =
            board(&["#######", "#@ $ .#", "# ##  #", "# $ #.#", "#######"].map(String::from));
        let image = DerivedBoard::image(&own, Image::ALL[3]);
        for whole in [DerivedBoard::image(&own, Image::ALL[0]), image] {
            // The square of the box on a target, and the one before the last target.
            let is_wall = |&square: &Square| [6, 12].contains(&square);
            let squares = 0..whole.board.squares();
            let walls: Vec<bool> = squares.map(|s| is_wall(&whole.original[s])).collect();
            let part = whole.without(&walls);
            assert_eq!(part.original.iter().filter(|s| is_wall(s)).count(), 0);
            let pieces = (part.board.boxes.len(), part.board.targets.len());
            assert_eq!(pieces, (wanted.boxes.len(), wanted.targets.len()));
            if part.directions == [0, 1, 2, 3] {
                assert_eq!((&part.board.cells, &part.board.next), (&wanted.cells, &wanted.next));
                assert_eq!(
                    (&part.board.boxes, &part.board.targets),
                    (&wanted.boxes, &wanted.targets)
                );
            }
            for from in 0..part.board.squares() as Square {
                for direction in 0..4u8 {
                    let push = part.original(Push { from, direction });
                    let to = part.board.next[from as usize][direction as usize];
                    let own_to = own.next[push.from as usize][push.direction as usize];
                    let back = part.original.get(to as usize).copied();
                    let is_step = back.map_or(own_to as usize == own.squares(), |b| b == own_to);
                    assert!(is_step || back.is_none() && is_wall(&own_to), "{push:?}");
                }
            }
        }
    }
}
