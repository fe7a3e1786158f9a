//! What a line of a board spells: plain rows and run lengths (`3#-2$`, `2(3(#-)#)`), rows parted by
//! `|`.

use super::MAX_SIDE;
use super::letters::{Glyph, is_any};

/// Maximum nesting of run lengths.
const MAX_DEPTH: usize = 16;
/// Longer runs count as runs of this length.
const MAX_RUN: usize = 1_000_000;
/// The most characters that one line spells: more than a board has room for.
const MAX_GLYPHS: usize = (MAX_SIDE + 1) * (MAX_SIDE + 2);
/// Columns from one tab stop to the next.
pub(super) const TAB: usize = 8;

/// A part of a line.
pub(super) enum Piece {
    /// A square.
    Letter(char),
    /// A run of several squares begins.
    Open,
    /// It ends.
    Close,
    /// A row ends.
    Bar,
}

/// A part of a line, how often it stands there, and its column from 1.
pub(super) struct Token {
    pub piece: Piece,
    pub count: usize,
    pub column: usize,
}

/// Takes a line of a board apart.
///
/// # Errors
/// The column, from 1, of the first character that has no meaning there.
pub(super) fn take_apart(
    text: &str,
    is_letter: fn(char) -> bool,
    mut each: impl FnMut(Token),
) -> Result<(), usize> {
    let mut run: Option<usize> = None;
    let (mut depth, mut column) = (0, 0);
    for letter in text.trim_end().chars() {
        column += 1;
        if let Some(digit) = letter.to_digit(10) {
            run = Some((run.unwrap_or(0) * 10 + digit as usize).min(MAX_RUN));
            continue;
        }
        let piece = match letter {
            '(' if run.is_some_and(|run| run > 0) && depth < MAX_DEPTH => Piece::Open,
            ')' if run.is_none() && depth > 0 => Piece::Close,
            '|' if run.is_none() => Piece::Bar,
            letter if is_letter(letter) => Piece::Letter(letter),
            _ => return Err(column),
        };
        match piece {
            Piece::Open => depth += 1,
            Piece::Close => depth -= 1,
            Piece::Letter(_) | Piece::Bar => {}
        }
        each(Token { piece, count: run.take().unwrap_or(1), column });
    }
    if run.is_some() || depth > 0 { Err(column) } else { Ok(()) }
}

/// Appends the rows that a line spells, with tab stops `tab` columns apart. One row, and one
/// character of a row, past the limit of boards is kept, so that the board is refused with its
/// place.
///
/// # Errors
/// As those of [`take_apart`].
pub(super) fn spell(
    text: &str,
    line: usize,
    tab: usize,
    rows: &mut Vec<Vec<Glyph>>,
) -> Result<(), usize> {
    let mut flat: Vec<Glyph> = Vec::new();
    let mut open: Vec<(usize, usize)> = Vec::new();
    take_apart(text, is_any, |Token { piece, count, column }| {
        let letter = match piece {
            Piece::Letter(letter) => letter,
            Piece::Bar => '|',
            Piece::Open => return open.push((count, flat.len())),
            Piece::Close => {
                let (count, from) = open.pop().unwrap_or((1, flat.len()));
                return repeat(&mut flat, from, count);
            }
        };
        let room = MAX_GLYPHS.saturating_sub(flat.len());
        let glyph = Glyph { letter, line, column };
        flat.extend(std::iter::repeat_n(glyph, count.min(room)));
    })?;
    // A bar at the end of a line ends a row and begins none.
    flat.pop_if(|last| last.letter == '|');
    for row in flat.split(|glyph| glyph.letter == '|') {
        if rows.len() > MAX_SIDE {
            break;
        }
        rows.push(with_stops(row, tab));
    }
    Ok(())
}

/// Repeats what stands from `from` on, so that it stands there `count` times.
fn repeat(flat: &mut Vec<Glyph>, from: usize, count: usize) {
    if count < 2 || flat.len() >= MAX_GLYPHS {
        return;
    }
    let group = flat[from..].to_vec();
    for _ in 1..count {
        let room = MAX_GLYPHS.saturating_sub(flat.len()).min(group.len());
        if room == 0 {
            return;
        }
        flat.extend_from_slice(&group[..room]);
    }
}

/// A row with blanks in place of tabs.
fn with_stops(row: &[Glyph], tab: usize) -> Vec<Glyph> {
    let mut squares = Vec::with_capacity(row.len().min(MAX_SIDE + 1));
    for &glyph in row {
        let (letter, count) = match glyph.letter {
            '\t' => (' ', tab - squares.len() % tab),
            letter => (letter, 1),
        };
        let room = (MAX_SIDE + 1).saturating_sub(squares.len());
        squares.extend(std::iter::repeat_n(Glyph { letter, ..glyph }, count.min(room)));
    }
    squares
}
