//! Boards in XSB.

use crate::board::{BitBoard, Cell, Shape};

/// Draws a board in XSB, blanks at the ends of rows left out.
pub fn draw(
    shape: Shape,
    walls: &BitBoard,
    targets: &BitBoard,
    boxes: &BitBoard,
    player: Option<Cell>,
) -> String {
    let mut text = String::with_capacity(shape.cells() + shape.rows as usize);
    for row in 0..shape.rows {
        let line: String = (0..shape.cols)
            .map(|col| {
                let cell = shape.cell(row, col);
                let here = player == Some(cell);
                match (walls.contains(cell), targets.contains(cell), boxes.contains(cell)) {
                    (_, true, true) => '*',
                    (_, false, true) => '$',
                    (_, true, false) if here => '+',
                    (_, false, false) if here => '@',
                    (_, true, false) => '.',
                    (true, false, false) => '#',
                    (false, false, false) => ' ',
                }
            })
            .collect();
        // A row without a wall would end the board when it is read again.
        let line = line.trim_end();
        text.push_str(if line.is_empty() { "-" } else { line });
        text.push('\n');
    }
    text
}
