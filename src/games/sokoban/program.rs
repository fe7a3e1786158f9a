//! The statement's own program: games of the ACM Mid-Central 2011 format in, final boards out.
//!
//! A game is `R C`, R rows of `. # + b B w W`, and a line of keys, which may be empty; `0 0` ends
//! the input. The output takes the line end of the input's first line, as the judges' files do.

use super::format::{MAX_KEYS, MAX_SIDE, direction};
use super::rules::Game;
use crate::board::{BitBoard, Cell, Shape};
use crate::diagnostic::{Diagnostic, Source};
use crate::games::game::SimulateError;
use std::io::{BufRead, Read, Write};

/// The longest line that is read, in bytes: a line of keys.
const MAX_LINE: u64 = MAX_KEYS as u64;

/// Reads lines one by one and makes diagnostics of them.
struct Lines<'a> {
    input: &'a mut dyn BufRead,
    number: usize,
    text: String,
    carriage_return: bool,
}

impl Lines<'_> {
    /// The next line; false at the end of the input.
    fn next(&mut self) -> Result<bool, SimulateError> {
        let mut bytes = Vec::new();
        (&mut *self.input).take(MAX_LINE + 2).read_until(b'\n', &mut bytes)?;
        self.number += 1;
        self.text.clear();
        if bytes.is_empty() {
            return Ok(false);
        }
        if bytes.len() as u64 > MAX_LINE + 1 {
            return Err(self.error(1, format!("a line is longer than {MAX_LINE} bytes")).into());
        }
        if bytes.last() == Some(&b'\n') {
            bytes.pop();
            if bytes.last() == Some(&b'\r') {
                bytes.pop();
                self.carriage_return = true;
            }
        }
        self.text = String::from_utf8_lossy(&bytes).into_owned();
        Ok(true)
    }

    /// The next line, which the format requires.
    fn need(&mut self, what: &str) -> Result<(), SimulateError> {
        if self.next()? { Ok(()) } else { Err(self.error(1, format!("{what} is missing")).into()) }
    }

    fn error(&self, column: usize, message: impl Into<String>) -> Diagnostic {
        let mut error = Source::new("<input>", self.text.as_str()).error(1, column, 1, message);
        error.line = self.number;
        error
    }
}

/// Runs the statement's program.
///
/// # Errors
/// What is wrong with the input, and where; a failure of the streams.
pub fn simulate(input: &mut dyn BufRead, output: &mut dyn Write) -> Result<(), SimulateError> {
    let mut lines = Lines { input, number: 0, text: String::new(), carriage_return: false };
    let mut output = std::io::BufWriter::new(output);
    for number in 1.. {
        lines.need("the line \"0 0\"")?;
        let Some(shape) = read_header(&lines)? else { break };
        let mut game = read_game(&mut lines, shape)?;
        lines.need("the line of keys")?;
        press(&mut game, &lines)?;
        let end = if lines.carriage_return { "\r\n" } else { "\n" };
        let state = if game.is_complete() { "complete" } else { "incomplete" };
        write!(output, "Game {number}: {state}{end}")?;
        write_board(&game, &mut output, end)?;
    }
    output.flush()?;
    Ok(())
}

/// Rows and columns; `None` for `0 0`.
fn read_header(lines: &Lines<'_>) -> Result<Option<Shape>, SimulateError> {
    let words: Vec<&str> = lines.text.split_ascii_whitespace().collect();
    let numbers: Option<Vec<usize>> = words.iter().map(|word| word.parse().ok()).collect();
    match numbers.as_deref() {
        Some(&[0, 0]) => Ok(None),
        Some(&[rows, cols]) if (1..=MAX_SIDE).contains(&rows) && (1..=MAX_SIDE).contains(&cols) => {
            Ok(Some(Shape { rows: rows as u32, cols: cols as u32 }))
        }
        Some(&[_, _]) => {
            Err(lines.error(1, format!("rows and columns are 1 to {MAX_SIDE}, or 0 0")).into())
        }
        _ => Err(lines.error(1, "expected two numbers: rows and columns").into()),
    }
}

fn read_game(lines: &mut Lines<'_>, shape: Shape) -> Result<Game, SimulateError> {
    let empty = BitBoard::new(shape.cells());
    let (mut walls, mut targets, mut boxes) = (empty.clone(), empty.clone(), empty);
    let mut worker: Option<Cell> = None;
    for row in 0..shape.rows {
        lines.need("a row of the board")?;
        let text = lines.text.trim_end_matches('\r');
        let count = text.chars().count();
        if count != shape.cols as usize {
            let message = format!("a row of {count} characters, not {}", shape.cols);
            return Err(lines.error(count.min(shape.cols as usize) + 1, message).into());
        }
        for (col, letter) in text.chars().enumerate() {
            let cell = shape.cell(row, col as u32);
            match letter {
                '.' => {}
                '#' => walls.insert(cell),
                '+' => targets.insert(cell),
                'b' | 'B' => boxes.insert(cell),
                'w' | 'W' => {
                    if worker.replace(cell).is_some() {
                        return Err(lines.error(col + 1, "a second worker").into());
                    }
                }
                _ => {
                    let message = format!("{letter:?} does not belong on a board");
                    let help = ". floor, # wall, + target, b box, w worker, B and W on a target";
                    return Err(lines.error(col + 1, message).help(help).into());
                }
            }
            if matches!(letter, 'B' | 'W') {
                targets.insert(cell);
            }
        }
    }
    let Some(worker) = worker else {
        return Err(lines.error(1, "the board above has no worker").into());
    };
    Ok(Game::from_parts(shape, walls, targets, boxes, worker))
}

/// Presses the keys of a line; after completion the rest is read and ignored.
fn press(game: &mut Game, lines: &Lines<'_>) -> Result<(), SimulateError> {
    for (i, key) in lines.text.trim_end().chars().enumerate() {
        let direction = key.is_ascii_uppercase().then(|| direction(key)).flatten();
        let Some(direction) = direction else {
            return Err(lines.error(i + 1, format!("{key:?} is no key")).help("U D L R").into());
        };
        if !game.is_complete() {
            // "No motion takes place for that keystroke": a blocked key is no error here.
            let _ = game.press(direction);
        }
    }
    Ok(())
}

fn write_board(game: &Game, output: &mut impl Write, end: &str) -> std::io::Result<()> {
    let shape = game.shape();
    let mut text = String::with_capacity(shape.cells() + 2 * shape.rows as usize);
    for row in 0..shape.rows {
        for col in 0..shape.cols {
            let cell = shape.cell(row, col);
            let target = game.targets().contains(cell);
            text.push(if game.walls().contains(cell) {
                '#'
            } else if game.boxes().contains(cell) {
                if target { 'B' } else { 'b' }
            } else if game.player() == cell {
                if target { 'W' } else { 'w' }
            } else if target {
                '+'
            } else {
                '.'
            });
        }
        text.push_str(end);
    }
    output.write_all(text.as_bytes())
}
