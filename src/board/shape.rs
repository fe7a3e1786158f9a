//! Rows, columns and the cells between them.

use super::Direction;

/// A cell of a board, as a row-major index: `row * cols + col`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cell(pub u32);

impl Cell {
    /// The index for per-cell tables.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The extent of a board.
///
/// ```
/// use outwit::board::{Direction, Shape};
///
/// let shape = Shape { rows: 2, cols: 3 };
/// let cell = shape.cell(1, 2);
/// assert_eq!((cell.index(), shape.row(cell), shape.col(cell)), (5, 1, 2));
/// assert_eq!(shape.step(cell, Direction::East), None);
/// assert_eq!(shape.step(cell, Direction::North), Some(shape.cell(0, 2)));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Shape {
    /// Number of rows.
    pub rows: u32,
    /// Number of columns.
    pub cols: u32,
}

impl Shape {
    /// Number of cells.
    #[inline]
    pub fn cells(self) -> usize {
        self.rows as usize * self.cols as usize
    }

    /// The cell at a row and a column, both from 0 at the top left.
    #[inline]
    pub fn cell(self, row: u32, col: u32) -> Cell {
        debug_assert!(row < self.rows && col < self.cols);
        Cell(row * self.cols + col)
    }

    /// The cell at signed coordinates, where it is on the board.
    #[inline]
    pub fn at(self, row: i32, col: i32) -> Option<Cell> {
        let inside = row >= 0 && col >= 0 && row < self.rows as i32 && col < self.cols as i32;
        inside.then(|| Cell(row as u32 * self.cols + col as u32))
    }

    /// Row of a cell, from 0.
    #[inline]
    pub fn row(self, cell: Cell) -> i32 {
        (cell.0 / self.cols) as i32
    }

    /// Column of a cell, from 0.
    #[inline]
    pub fn col(self, cell: Cell) -> i32 {
        (cell.0 % self.cols) as i32
    }

    /// Row and column of a cell, as pictures, views and marks have them.
    pub fn coordinates(self, cell: Cell) -> (i64, i64) {
        (self.row(cell).into(), self.col(cell).into())
    }

    /// The neighbour of a cell in a direction, where it is on the board.
    #[inline]
    pub fn step(self, cell: Cell, direction: Direction) -> Option<Cell> {
        self.at(self.row(cell) + direction.drow(), self.col(cell) + direction.dcol())
    }

    /// The Chebyshev distance of two cells: the larger of the row and the column difference.
    #[inline]
    pub fn chebyshev(self, a: Cell, b: Cell) -> u32 {
        self.row(a).abs_diff(self.row(b)).max(self.col(a).abs_diff(self.col(b)))
    }

    /// The Manhattan distance of two cells: the sum of the row and the column difference.
    #[inline]
    pub fn manhattan(self, a: Cell, b: Cell) -> u32 {
        self.row(a).abs_diff(self.row(b)) + self.col(a).abs_diff(self.col(b))
    }

    /// All cells, row by row.
    pub fn iter(self) -> impl Iterator<Item = Cell> {
        (0..self.cells() as u32).map(Cell)
    }
}
