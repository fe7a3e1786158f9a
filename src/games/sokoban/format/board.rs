//! What the rows of one board say.

use super::blocks::Rule;
use super::letters::{Glyph, Mixed, translate};
use super::rows::{TAB, spell};
use super::{Level, MAX_SIDE};
use crate::board::{BitBoard, Cell, ORTHOGONAL, Shape, UNREACHED, distances};
use crate::diagnostic::{Diagnostic, Line, Source};
use std::borrow::Cow;

/// Meaning of the letters of a board.
const LETTERS: &str =
    "# wall, blank - or _ floor, . target, $ box, * box on target, @ player, + on target";

/// A line of a board, as a file has it.
pub(super) struct Written<'a> {
    /// Its number in the file, from 1.
    pub number: usize,
    /// Number of characters before it in its line of the file.
    pub before: usize,
    /// The text.
    pub text: Cow<'a, str>,
}

/// A board, read from its lines.
struct Drawn<'a> {
    source: &'a Source,
    lines: Vec<Written<'a>>,
    rows: Vec<Vec<Glyph>>,
}

/// Makes a level, which has no name yet, of the lines of one board. A tab goes on to the next stop, or
/// is one blank where only that makes a level.
pub(super) fn read_board<'a>(
    source: &'a Source,
    lines: impl Iterator<Item = Written<'a>>,
) -> Result<Level, Diagnostic> {
    // Each line has a row at least.
    let lines: Vec<Written<'a>> = lines.take(MAX_SIDE + 1).collect();
    let mut board = Drawn { source, lines, rows: Vec::new() };
    let level = board.read(TAB);
    let has_tabs = board.lines.iter().any(|line| line.text.contains('\t'));
    if level.is_err() && has_tabs { board.read(1).or(level) } else { level }
}

impl Drawn<'_> {
    fn read(&mut self, tab: usize) -> Result<Level, Diagnostic> {
        self.rows.clear();
        for (number, line) in self.lines.iter().enumerate() {
            spell(&line.text, number, tab, &mut self.rows)
                .map_err(|column| self.broken(number, column))?;
            if self.rows.len() > MAX_SIDE {
                break;
            }
        }
        self.check_size()?;
        translate(&mut self.rows).map_err(|mixed| self.mixed(&mixed))?;
        self.level()
    }

    /// A diagnostic about a character of a line.
    fn error(&self, line: usize, column: usize, message: impl Into<String>) -> Diagnostic {
        let Some(Written { number, before, text }) = self.lines.get(line) else {
            return Diagnostic::file(&self.source.name, message);
        };
        let mut error = self.source.error_in(Line { number: *number, text }, column, 1, message);
        (error.column, error.from) = (error.column + before, error.from + before);
        error
    }

    fn error_at(&self, glyph: Glyph, message: impl Into<String>) -> Diagnostic {
        self.error(glyph.line, glyph.column, message)
    }

    fn broken(&self, line: usize, column: usize) -> Diagnostic {
        let letter = self.lines[line].text.chars().nth(column.saturating_sub(1)).unwrap_or(' ');
        self.error(line, column, format!("{letter:?} does not belong on a board")).help(LETTERS)
    }

    fn mixed(&self, mixed: &Mixed) -> Diagnostic {
        match *mixed {
            Mixed::Statement(glyph) => self
                .error_at(glyph, "this board has the letters of the problem's statement")
                .help("`outwit simulate sokoban` takes them: . floor, + target, b box, w player"),
            Mixed::Letter(glyph) => {
                let message = format!("{:?} does not belong on a board", glyph.letter);
                self.error_at(glyph, message).help(LETTERS)
            }
        }
    }

    fn check_size(&self) -> Result<(), Diagnostic> {
        if let Some(row) = self.rows.get(MAX_SIDE) {
            let line = row.first().map_or(self.lines.len().saturating_sub(1), |glyph| glyph.line);
            let column = row.first().map_or(1, |glyph| glyph.column);
            return Err(self.error(line, column, format!("a board has at most {MAX_SIDE} rows")));
        }
        match self.rows.iter().find_map(|row| row.get(MAX_SIDE)) {
            Some(&at) => Err(self.error_at(at, format!("a board has at most {MAX_SIDE} columns"))),
            None => Ok(()),
        }
    }

    /// The level that is drawn.
    fn level(&self) -> Result<Level, Diagnostic> {
        let rows = crop(&self.rows);
        if let Some(top) = rows.first()
            && top.iter().all(|glyph| glyph.letter != '#')
            && let Some(&glyph) = top.iter().find(|glyph| !is_blank(glyph))
        {
            // Written on a line of its own it would be no board's.
            return Err(self.error_at(glyph, "the first row of a board has no wall"));
        }
        if let Some(row) = rows.iter().find(|row| is_rule(row))
            && let Some(&glyph) = row.iter().find(|glyph| !is_blank(glyph))
        {
            return Err(self.error_at(glyph, "this row of a board has no wall"));
        }
        let width = rows.iter().map(|row| width(row)).max().unwrap_or(0);
        let shape = Shape { rows: rows.len() as u32, cols: width as u32 };
        let empty = BitBoard::new(shape.cells());
        let (mut drawn, mut targets, mut boxes) = (empty.clone(), empty.clone(), empty);
        let mut player: Option<Cell> = None;
        for (r, row) in rows.iter().enumerate() {
            for (c, &glyph) in row.iter().enumerate().take(width) {
                let cell = shape.cell(r as u32, c as u32);
                if glyph.letter == '#' {
                    drawn.insert(cell);
                }
                if matches!(glyph.letter, '.' | '*' | '+') {
                    targets.insert(cell);
                }
                if matches!(glyph.letter, '$' | '*') {
                    boxes.insert(cell);
                }
                if matches!(glyph.letter, '@' | '+') && player.replace(cell).is_some() {
                    return Err(self.error_at(glyph, "a second player"));
                }
            }
        }
        let first = rows.iter().flatten().next().map_or((0, 1), |glyph| (glyph.line, glyph.column));
        let Some(player) = player else {
            let message = "this board has no player";
            return Err(self.error(first.0, first.1, message).help("@ or + is missing"));
        };
        if !are_enough(boxes.len(), targets.len()) {
            let message = counts(boxes.len(), targets.len());
            return Err(self.error(first.0, first.1, message).help("each box needs a target"));
        }
        let walls = self.close(rows, shape, &drawn, player)?;
        Ok(Level { name: String::new(), shape, walls, drawn, targets, boxes, player })
    }

    /// Everything outside the player's reach becomes wall; a hole in the walls is refused.
    fn close(
        &self,
        rows: &[Vec<Glyph>],
        shape: Shape,
        drawn: &BitBoard,
        player: Cell,
    ) -> Result<BitBoard, Diagnostic> {
        let reach = distances(shape, &[player], &ORTHOGONAL, |cell| !drawn.contains(cell));
        let mut walls = BitBoard::new(shape.cells());
        for cell in shape.iter() {
            if reach[cell.index()] == UNREACHED {
                walls.insert(cell);
                continue;
            }
            if ORTHOGONAL.iter().all(|&d| shape.step(cell, d).is_some()) {
                continue;
            }
            let row = &rows[shape.row(cell) as usize];
            let at = row.get(shape.col(cell) as usize).or(row.last());
            let (line, column) = at.map_or((0, 1), |glyph| (glyph.line, glyph.column));
            let message = "the walls do not close: the player can leave the board here";
            return Err(self.error(line, column, message));
        }
        Ok(walls)
    }
}

/// Whether all boxes can come home. Targets that are drawn where there is nothing to push are a
/// drawing that is not finished.
fn are_enough(boxes: usize, targets: usize) -> bool {
    boxes == targets || (0 < boxes && boxes < targets)
}

/// Both numbers in words.
fn counts(boxes: usize, targets: usize) -> String {
    let boxes = format!("{boxes} {}", if boxes == 1 { "box" } else { "boxes" });
    let targets = format!("{targets} {}", if targets == 1 { "target" } else { "targets" });
    format!("{boxes}, {targets}")
}

/// The part of a board's rows that is written: rows of blanks above and below it are left out, and
/// blanks to the right of it.
fn crop(rows: &[Vec<Glyph>]) -> &[Vec<Glyph>] {
    let is_drawn = |row: &Vec<Glyph>| width(row) > 0;
    let from = rows.iter().position(is_drawn).unwrap_or(0);
    let to = rows.iter().rposition(is_drawn).map_or(0, |last| last + 1);
    &rows[from..to]
}

/// Columns of a row up to the last that is not a blank.
fn width(row: &[Glyph]) -> usize {
    row.iter().rposition(|glyph| !is_blank(glyph)).map_or(0, |c| c + 1)
}

/// Whether a row would end its board if it was written on a line of its own.
fn is_rule(row: &[Glyph]) -> bool {
    let mut rule = Rule::default();
    row.iter().for_each(|glyph| rule.see(glyph.letter, 1));
    rule.is_one()
}

fn is_blank(glyph: &Glyph) -> bool {
    matches!(glyph.letter, ' ' | '-' | '_')
}
