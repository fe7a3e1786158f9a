//! Solutions in LURD: reading them, and their keys.

use crate::board::Direction;
use crate::diagnostic::{Diagnostic, Source};

/// The most keys of a solution, run lengths expanded.
pub const MAX_KEYS: usize = 10_000_000;

/// One key of a solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// Where the player is told to go.
    pub direction: Direction,
    /// Line of the file, from 1.
    pub line: u32,
    /// The bytes of the text that say it, its run length among them: from here
    pub from: u32,
    /// to here.
    pub to: u32,
}

/// Reads a solution in LURD: `udlr` and `UDLR`, run lengths before a key (`3r2U`), blanks and lines
/// that begin with `;` ignored. The case of a key is not checked: the rules say what was pushed.
///
/// # Errors
/// The first character that is no key, and where.
pub fn read_keys(source: &Source) -> Result<Vec<Key>, Diagnostic> {
    let mut keys = Vec::new();
    for line in source.lines().filter(|line| !line.text.trim_start().starts_with(';')) {
        let mut run: Option<usize> = None;
        let start = source.place_of(line.text).start;
        let mut from = 0;
        for (i, (at, letter)) in line.text.char_indices().enumerate() {
            if run.is_none() {
                from = start + at;
            }
            if letter.is_whitespace() && run.is_none() {
                continue;
            }
            if let Some(digit) = letter.to_digit(10) {
                run = Some((run.unwrap_or(0) * 10 + digit as usize).min(MAX_KEYS + 1));
                continue;
            }
            let Some(direction) = direction(letter) else {
                let message = format!("{letter:?} is no key");
                return Err(source
                    .error(line.number, i + 1, 1, message)
                    .help("keys are u d l r, upper case where a box is pushed"));
            };
            let count = run.take().unwrap_or(1);
            if keys.len() + count > MAX_KEYS {
                let message = format!("a solution has at most {MAX_KEYS} keys");
                return Err(source.error(line.number, i + 1, 1, message));
            }
            let (line, from, to) = (line.number as u32, from as u32, (start + at) as u32 + 1);
            keys.extend(std::iter::repeat_n(Key { direction, line, from, to }, count));
        }
        if run.is_some() {
            let column = line.text.chars().count();
            return Err(source.error(line.number, column, 1, "a number without a key after it"));
        }
    }
    Ok(keys)
}

/// The direction that a key means, either case.
pub fn direction(letter: char) -> Option<Direction> {
    match letter.to_ascii_lowercase() {
        'u' => Some(Direction::North),
        'd' => Some(Direction::South),
        'l' => Some(Direction::West),
        'r' => Some(Direction::East),
        _ => None,
    }
}

/// The key of a direction: upper case where a box is pushed. Diagonals have none.
pub fn letter(direction: Direction, push: bool) -> char {
    let letter = match direction {
        Direction::North => 'u',
        Direction::South => 'd',
        Direction::West => 'l',
        _ => 'r',
    };
    if push { letter.to_ascii_uppercase() } else { letter }
}
