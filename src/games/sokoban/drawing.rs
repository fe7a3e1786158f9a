//! Levels as an editor draws them.

use super::format::MAX_SIDE;
use crate::games::description::{Brush, Composed, Drawing, Easel, Side, Stack};

const FLOOR: char = ' ';
/// Greatest side of a board that is drawn, in cells.
const MAX_DRAWN: u32 = 100;
const _: () = assert!(MAX_DRAWN as usize <= MAX_SIDE);

pub fn easel() -> Easel {
    let stack = |thing, both| Stack { ground: '.', thing, both };
    Easel {
        floor: FLOOR,
        frame: Some('#'),
        brushes: vec![
            Brush::new('#', "wall"),
            Brush::new(FLOOR, "floor"),
            Brush::new('$', "box"),
            Brush::new('.', "target"),
            Brush::new('*', "box on a target"),
            Brush::single('@', "player"),
        ],
        stacks: vec![stack('$', '*'), stack('@', '+')],
        rows: Side::new(3, MAX_DRAWN, 9),
        cols: Side::new(3, MAX_DRAWN, 11),
        ..Easel::default()
    }
}

/// The board without empty rows and columns around it, then its title.
pub fn compose(drawing: &Drawing) -> Composed {
    let is_empty = |line: &[char]| line.iter().all(|&letter| letter == FLOOR);
    let rows: Vec<Vec<char>> = drawing.even_rows(FLOOR).collect();
    let top = rows.iter().position(|line| !is_empty(line)).unwrap_or(0);
    let end = rows.iter().rposition(|line| !is_empty(line)).map_or(top, |last| last + 1);
    let blanks = |line: &Vec<char>| line.iter().take_while(|&&letter| letter == FLOOR).count();
    let left = rows[top..end].iter().map(blanks).min().unwrap_or(0);
    let mut text = String::new();
    for line in &rows[top..end] {
        let line: String = line[left..].iter().collect();
        // A row of blanks would end the board when it is read again.
        let line = line.trim_end();
        text += if line.is_empty() { "-" } else { line };
        text.push('\n');
    }
    text += &format!("Title: {}\n", drawing.title());
    Composed { text, first_line: Some(1), left_out: (top, left) }
}
