//! Areas and plans as texts: reading with diagnostics, writing.

use crate::board::{BitBoard, Cell, Direction, Shape};

/// The least number of rows and of columns.
pub const MIN_SIDE: u32 = 10;
/// The greatest number of rows and of columns.
pub const MAX_SIDE: u32 = 500;
/// The greatest supply of bricks.
pub const MAX_BRICKS: u32 = 140;
/// The most actions in a plan.
pub const MAX_ACTIONS: usize = 100_000;
/// How far a brick flies, in Chebyshev distance.
pub const THROW_RANGE: i32 = 7;
/// How far a clicker hears, in Chebyshev distance.
pub const HEARING_RANGE: i32 = 2;

/// An area: what the statement's input describes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map {
    /// The area's name, the first line.
    pub name: String,
    /// Rows and columns.
    pub shape: Shape,
    /// Bricks at the start.
    pub bricks: u32,
    /// Blocked cells (`#`).
    pub blocked: BitBoard,
    /// Ellie's cell at the start.
    pub ellie: Cell,
    /// The exit.
    pub exit: Cell,
    /// The clickers at the start, in row-major order.
    pub clickers: Vec<Cell>,
}

/// One action of Ellie.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Action {
    /// `w dx dy`: to a neighbour, or stay with `None`.
    Walk(Option<Direction>),
    /// `b dx dy`, here as differences of row and column: rows grow downward.
    Throw {
        /// Row difference; -dy of the plan's text.
        drow: i8,
        /// Column difference; dx of the plan's text.
        dcol: i8,
    },
}
