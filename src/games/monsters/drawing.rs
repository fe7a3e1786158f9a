//! Levels as an editor draws them.

use super::format::{MAX_COLS, MAX_ROWS, MIN_SIDE};
use crate::games::description::{Brush, Composed, Drawing, Easel, Side};

const FLOOR: char = '.';

pub fn easel() -> Easel {
    Easel {
        floor: FLOOR,
        frame: Some('#'),
        brushes: vec![
            Brush::new('#', "wall"),
            Brush::new(FLOOR, "floor"),
            Brush::single('@', "you"),
            Brush::new('^', "sentinel, up"),
            Brush::new('>', "sentinel, right"),
            Brush::new('v', "sentinel, down"),
            Brush::new('<', "sentinel, left"),
            Brush::new('*', "seeker"),
            Brush::new('X', "shooter"),
            Brush::new('o', "blob, resting"),
            Brush::new('O', "blob, ready"),
            Brush::new('?', "mine"),
            Brush::new('!', "lit mine"),
            Brush::new('%', "explosion"),
        ],
        turning: vec!["^>v<"],
        rows: Side::new(MIN_SIDE, MAX_ROWS, 9),
        cols: Side::new(MIN_SIDE, MAX_COLS, 15),
        ..Easel::default()
    }
}

/// The header and the rows.
pub fn compose(drawing: &Drawing) -> Composed {
    let (rows, cols) = (drawing.rows.len(), drawing.cols());
    Composed::board_from(format!("{rows} {cols}\n{}", drawing.board(FLOOR)), 2)
}
