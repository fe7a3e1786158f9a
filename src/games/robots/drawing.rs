//! Cases as an editor draws them.

use super::format::{BOARD, Case, START};
use crate::board::Cell;
use crate::games::description::{Brush, Composed, Drawing, Easel, Field, Fixed, Side};
use std::fmt::Write;

const FLOOR: char = '.';
const ROBOT: char = '+';
const TELEPORT: char = 'o';
const YOU: char = '@';

/// The order of the teleport locations: the board does not show it, nor that one is listed twice.
const TELEPORTS: Field = Field {
    name: "teleports",
    about: "their order: row and column of each, such as 3 3, 16 20; empty for row by row",
    default: "",
    most: None,
};

pub fn easel() -> Easel {
    Easel {
        floor: FLOOR,
        frame: None,
        brushes: vec![
            Brush::new(ROBOT, "robot"),
            Brush::new(FLOOR, "floor"),
            Brush::new(TELEPORT, "teleport location"),
        ],
        fixed: vec![Fixed {
            row: BOARD.row(START).unsigned_abs(),
            col: BOARD.col(START).unsigned_abs(),
            letter: YOU,
        }],
        fields: vec![TELEPORTS],
        rows: Side::new(BOARD.rows, BOARD.rows, BOARD.rows),
        cols: Side::new(BOARD.cols, BOARD.cols, BOARD.cols),
        ..Easel::default()
    }
}

/// The counts, the robots, the teleport locations and the closing line.
pub fn compose(drawing: &Drawing) -> Composed {
    let robots: Vec<_> = drawing.cells_with(ROBOT).collect();
    let teleports = teleports(drawing);
    let mut text = format!("{} {}\n", robots.len(), teleports.len());
    for (row, col) in robots.iter().chain(&teleports) {
        let _ = writeln!(text, "{} {}", row + 1, col + 1);
    }
    text += "0 0\n";
    Composed::numbers(text)
}

/// The teleport locations: the listed ones in their order as far as they are on the board, or under
/// something else there; then the others, row by row.
fn teleports(drawing: &Drawing) -> Vec<(usize, usize)> {
    let letter = |(row, col): (usize, usize)| drawing.rows.get(row)?.chars().nth(col);
    let is_open = |cell| matches!(letter(cell), Some(TELEPORT | ROBOT | YOU));
    let listed = drawing.value(&TELEPORTS).split(',').filter_map(|pair| {
        let mut numbers = pair.split_whitespace().map(|word| word.parse::<usize>().ok());
        let (row, col) = (numbers.next()??, numbers.next()??);
        Some((row.checked_sub(1)?, col.checked_sub(1)?))
    });
    let mut all: Vec<_> = listed.filter(|&cell| is_open(cell)).collect();
    let others: Vec<_> = drawing.cells_with(TELEPORT).filter(|cell| !all.contains(cell)).collect();
    all.extend(others);
    all
}

/// The values beside the board of a case.
pub fn values(case: &Case) -> Vec<(&'static str, String)> {
    let pair = |&cell: &Cell| format!("{} {}", BOARD.row(cell) + 1, BOARD.col(cell) + 1);
    let pairs: Vec<String> = case.teleports.iter().map(pair).collect();
    vec![(TELEPORTS.name, pairs.join(", "))]
}
