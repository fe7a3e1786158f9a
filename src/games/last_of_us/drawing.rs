//! Areas as an editor draws them.

use super::format::{MAX_BRICKS, MAX_SIDE, MIN_SIDE, Map};
use crate::games::description::{Brush, Composed, Drawing, Easel, Field, Side};

const FLOOR: char = '.';
/// Greatest side of a board that is drawn, in cells.
const MAX_DRAWN: u32 = 100;
const _: () = assert!(MIN_SIDE <= MAX_DRAWN && MAX_DRAWN <= MAX_SIDE);

const BRICKS: Field =
    Field { name: "bricks", about: "bricks at the start", default: "3", most: Some(MAX_BRICKS) };

pub fn easel() -> Easel {
    let side = Side::new(MIN_SIDE, MAX_DRAWN, 12);
    Easel {
        floor: FLOOR,
        frame: Some('#'),
        brushes: vec![
            Brush::new('#', "wall"),
            Brush::new(FLOOR, "floor"),
            Brush::single('E', "Ellie"),
            Brush::single('X', "exit"),
            Brush::new('C', "clicker"),
        ],
        fields: vec![BRICKS],
        rows: side,
        cols: side,
        ..Easel::default()
    }
}

/// Name, header and rows.
pub fn compose(drawing: &Drawing) -> Composed {
    let (rows, cols) = (drawing.rows.len(), drawing.cols());
    let (title, bricks) = (drawing.title(), drawing.value(&BRICKS));
    let board = drawing.board(FLOOR);
    Composed::board_from(format!("{title}\n{rows} {cols} {bricks}\n{board}"), 3)
}

/// The values beside the board of an area.
pub fn values(map: &Map) -> Vec<(&'static str, String)> {
    vec![(BRICKS.name, map.bricks.to_string())]
}
