//! Cases and plans as texts: reading with diagnostics, writing.
//!
//! A file is the statement's input: cases, one after another, closed by `0 0`. A plan is one move a
//! line. Both readers go line by line and stop at the first thing that is wrong, so that a
//! diagnostic points at the number to mend. Blank lines and blanks around numbers are let pass.

use crate::board::{Cell, Direction, Shape};
use crate::diagnostic::{Diagnostic, Line, Source};
use std::fmt::{self, Write};

/// The board: 31 rows and 31 columns.
pub const BOARD: Shape = Shape { rows: 31, cols: 31 };
/// Where you start: (15,15) of the statement.
pub const START: Cell = Cell(14 * BOARD.cols + 14);
/// The most robots of a case.
pub const MAX_ROBOTS: usize = 50;
/// The most teleport locations of a case.
pub const MAX_TELEPORTS: usize = 20;
/// The most cases of a file.
pub const MAX_CASES: usize = 1_000_000;
/// The most moves of a plan. No game lasts longer: see [`super::state`].
pub const MAX_MOVES: usize = 10_000;

// Types of the fast simulator and of the planner are sized for these numbers. If one grows beyond them, the
// build fails and names the types to widen.
const _: () =
    assert!(BOARD.cols < u32::BITS, "a row of the board is a u32: widen `Rows` in state.rs");
const _: () = assert!(
    MAX_TELEPORTS <= u32::BITS as usize,
    "unused teleports are bits of a u32: widen `State` in state.rs"
);

/// A case: where the robots start, and where you may teleport to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Case {
    /// The robots, in the order of the file; 1 to [`MAX_ROBOTS`], all different, none on [`START`].
    pub robots: Vec<Cell>,
    /// The teleport locations, in the order of the file; a location may be listed twice.
    pub teleports: Vec<Cell>,
}

/// One move of yours.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Move {
    /// `w drow dcol`: to a neighbour, or stay (`w 0 0`) with `None`.
    Walk(Option<Direction>),
    /// `t row col`: to the first unused entry of the list with this cell.
    Teleport(Cell),
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Move::Walk(None) => f.write_str("w 0 0"),
            Move::Walk(Some(d)) => write!(f, "w {} {}", d.drow(), d.dcol()),
            Move::Teleport(cell) => {
                write!(f, "t {} {}", BOARD.row(*cell) + 1, BOARD.col(*cell) + 1)
            }
        }
    }
}

/// A cell as the statement writes it: `(15,15)`.
pub fn place(cell: Cell) -> String {
    format!("({},{})", BOARD.row(cell) + 1, BOARD.col(cell) + 1)
}

impl Case {
    /// The case as [`read_cases`] reads it, without the closing `0 0`.
    pub fn text(&self) -> String {
        let mut text = format!("{} {}\n", self.robots.len(), self.teleports.len());
        for &cell in self.robots.iter().chain(&self.teleports) {
            let _ = writeln!(text, "{} {}", BOARD.row(cell) + 1, BOARD.col(cell) + 1);
        }
        text
    }
}

/// The text of a file with these cases.
///
/// ```
/// use outwit::diagnostic::Source;
/// use outwit::games::robots::format::{read_cases, text};
/// let file = "2 1\n12 18\n12 12\n3 3\n0 0\n";
/// assert_eq!(text(&read_cases(&Source::new("two.txt", file)).unwrap()), file);
/// ```
pub fn text(cases: &[Case]) -> String {
    cases.iter().map(Case::text).chain(["0 0\n".to_string()]).collect()
}

/// The text of a plan, one move a line.
pub fn plan_text(moves: &[Move]) -> String {
    moves.iter().fold(String::new(), |mut text, m| {
        let _ = writeln!(text, "{m}");
        text
    })
}

const FILE_HELP: &str = "a case is a line `robots teleports`, then a line `row column` for each of \
    them; a line `0 0` closes the file";

/// A word of a line: its column in characters, from 1, and its text.
struct Word<'a> {
    column: usize,
    text: &'a str,
}

fn words<'a>(line: Line<'a>) -> impl Iterator<Item = Word<'a>> {
    line.text.split_whitespace().map(move |text| {
        let at = text.as_ptr() as usize - line.text.as_ptr() as usize;
        Word { column: line.text[..at].chars().count() + 1, text }
    })
}

/// Reads the cases of a file.
///
/// # Errors
/// The first thing that is wrong: not two numbers in a line, a count or a cell out of range, a robot
/// on your cell or on another robot, an end without `0 0`, anything after it.
pub fn read_cases(source: &Source) -> Result<Vec<Case>, Diagnostic> {
    if source.text.trim().is_empty() {
        return Err(source.error(1, 1, 1, "the file is empty").help(FILE_HELP));
    }
    let mut reader = Reader { source, lines: source.text.lines(), number: 0 };
    let mut cases = Vec::new();
    while let Some((robots, teleports)) = reader.header()? {
        if cases.len() == MAX_CASES {
            let message = format!("more than {MAX_CASES} cases");
            return Err(source.error(reader.number, 1, 1, message));
        }
        cases.push(reader.case(robots, teleports)?);
    }
    match reader.pair("")? {
        None => Ok(cases),
        Some((line, first, _)) => Err(reader
            .wrong(line, &first, "something follows the closing 0 0")
            .help("delete the lines after 0 0, or move 0 0 to the end")),
    }
}

/// Whether a text begins as [`read_cases`] would have it: a header, and a cell below it.
pub fn recognises(text: &str) -> bool {
    let source = Source::new("", text);
    let mut reader = Reader { source: &source, lines: source.text.lines(), number: 0 };
    match reader.header() {
        Ok(Some(_)) => reader.cell("a robot").is_ok(),
        Ok(None) => matches!(reader.pair(""), Ok(None)),
        Err(_) => false,
    }
}

struct Reader<'a> {
    source: &'a Source,
    lines: std::str::Lines<'a>,
    number: usize,
}

impl<'a> Reader<'a> {
    /// The next line that is not blank.
    fn next(&mut self) -> Option<Line<'a>> {
        loop {
            let text = self.lines.next()?;
            self.number += 1;
            if !text.trim().is_empty() {
                return Some(Line { number: self.number, text });
            }
        }
    }

    fn wrong(&self, line: Line<'a>, word: &Word<'a>, message: impl Into<String>) -> Diagnostic {
        self.source.error(line.number, word.column, word.text.chars().count(), message)
    }

    /// The two words of the next line; `None` at the end of the text.
    #[allow(clippy::type_complexity)]
    fn pair(&mut self, what: &str) -> Result<Option<(Line<'a>, Word<'a>, Word<'a>)>, Diagnostic> {
        let Some(line) = self.next() else { return Ok(None) };
        let mut words = words(line);
        match (words.next(), words.next(), words.next()) {
            (Some(a), Some(b), None) => Ok(Some((line, a, b))),
            (_, _, Some(extra)) => {
                Err(self.wrong(line, &extra, format!("a line has two numbers: {what}")))
            }
            _ => {
                let column = line.text.trim_end().chars().count() + 1;
                let message = format!("a line has two numbers: {what}");
                Err(self.source.error(line.number, column, 1, message))
            }
        }
    }

    fn missing(&self, message: &str) -> Diagnostic {
        self.source.error(self.number + 1, 1, 1, message)
    }

    fn number(
        &self,
        line: Line<'a>,
        word: &Word<'a>,
        what: &str,
        range: std::ops::RangeInclusive<usize>,
    ) -> Result<usize, Diagnostic> {
        let (least, most) = (*range.start(), *range.end());
        let value: usize = word.text.parse().map_err(|_| {
            self.wrong(line, word, format!("{what} is not a whole number"))
                .help(format!("{what} is {least} to {most}"))
        })?;
        if range.contains(&value) {
            Ok(value)
        } else {
            Err(self.wrong(line, word, format!("{what} is out of range: {least} to {most}")))
        }
    }

    /// The counts of robots and teleport locations; `None` for the closing `0 0`.
    fn header(&mut self) -> Result<Option<(usize, usize)>, Diagnostic> {
        let Some((line, r, t)) = self.pair("how many robots, how many teleport locations")? else {
            return Err(self
                .missing("the file ends without 0 0")
                .help("close the cases with a line 0 0"));
        };
        if r.text == "0" && t.text == "0" {
            return Ok(None);
        }
        let robots = self.number(line, &r, "the number of robots", 1..=MAX_ROBOTS)?;
        let teleports =
            self.number(line, &t, "the number of teleport locations", 0..=MAX_TELEPORTS)?;
        Ok(Some((robots, teleports)))
    }

    /// A cell, with the line and the word it stands in.
    fn cell(&mut self, what: &str) -> Result<(Cell, Line<'a>, Word<'a>), Diagnostic> {
        let Some((line, r, c)) = self.pair(&format!("row and column of {what}"))? else {
            return Err(self.missing(&format!("the file ends where {what} should be")));
        };
        let row = self.number(line, &r, "the row", 1..=BOARD.rows as usize)?;
        let col = self.number(line, &c, "the column", 1..=BOARD.cols as usize)?;
        Ok((BOARD.cell(row as u32 - 1, col as u32 - 1), line, r))
    }

    fn case(&mut self, robots: usize, teleports: usize) -> Result<Case, Diagnostic> {
        let mut case = Case { robots: Vec::new(), teleports: Vec::new() };
        for _ in 0..robots {
            let (cell, line, word) = self.cell("a robot")?;
            if cell == START {
                return Err(self.wrong(line, &word, "a robot on (15,15), where you start"));
            }
            if case.robots.contains(&cell) {
                return Err(self.wrong(line, &word, "a second robot on the same cell"));
            }
            case.robots.push(cell);
        }
        for _ in 0..teleports {
            case.teleports.push(self.cell("a teleport location")?.0);
        }
        Ok(case)
    }
}

/// Reads a plan: the moves, and the line each stands in.
///
/// # Errors
/// The first line that is no move, or one too many.
pub fn read_plan(source: &Source) -> Result<Vec<(Move, usize)>, Diagnostic> {
    let mut moves = Vec::new();
    for line in source.lines().filter(|line| !line.text.trim().is_empty()) {
        if moves.len() == MAX_MOVES {
            let message = format!("more than {MAX_MOVES} moves");
            return Err(source.error(line.number, 1, 1, message));
        }
        moves.push((read_move(source, line)?, line.number));
    }
    Ok(moves)
}

/// Reads one move from a line.
///
/// # Errors
/// What is wrong with the line.
pub fn read_move(source: &Source, line: Line<'_>) -> Result<Move, Diagnostic> {
    const HELP: &str = "a move is `w drow dcol` (each -1, 0 or 1; `w 0 0` stays) or `t row col`";
    let at = |word: &Word<'_>, message: &str| {
        source.error(line.number, word.column, word.text.chars().count(), message).help(HELP)
    };
    let words: Vec<Word<'_>> = words(line).take(4).collect();
    let [kind, a, b] = words.as_slice() else {
        let column = words.get(3).map_or(line.text.trim_end().chars().count() + 1, |w| w.column);
        return Err(source.error(line.number, column, 1, "a move has three words").help(HELP));
    };
    let part = |word: &Word<'_>, least: i32, most: i32| match word.text.parse::<i32>() {
        Ok(value) if (least..=most).contains(&value) => Ok(value),
        _ => Err(at(word, &format!("not a whole number from {least} to {most}"))),
    };
    match kind.text {
        "w" => Ok(Move::Walk(Direction::from_delta(part(a, -1, 1)?, part(b, -1, 1)?))),
        "t" => {
            let (row, col) = (part(a, 1, BOARD.rows as i32)?, part(b, 1, BOARD.cols as i32)?);
            Ok(Move::Teleport(BOARD.cell(row as u32 - 1, col as u32 - 1)))
        }
        _ => Err(at(kind, "unknown move")),
    }
}
