//! Areas and plans as texts: reading with diagnostics, writing.
//!
//! An area is a name line, a header `R C B` and R rows; a plan is a count and as many lines. Both
//! readers stop at the first thing that is wrong and say where it is and what would be right, so
//! that a contestant can mend a file without guessing. What they accept, and no more: either line
//! end, blank lines at the very end, and blanks around the words of headers and actions.

use crate::board::{BitBoard, Cell, Direction, Shape};
use crate::diagnostic::{Diagnostic, Line, Source};
use std::fmt;

/// The least number of rows and of columns.
pub const MIN_SIDE: u32 = 10;
/// The greatest number of rows and of columns.
pub const MAX_SIDE: u32 = 500;
/// The greatest supply of bricks.
pub const MAX_BRICKS: u32 = 140;
/// The most actions in a plan.
pub const MAX_ACTIONS: usize = 100_000;
/// How far a brick flies, in Chebyshev distance.
pub const THROW_RANGE: i32 = 7;
/// How far a clicker hears, in Chebyshev distance.
pub const HEARING_RANGE: i32 = 2;
/// Side of the square of cells in which a sound is heard.
pub const HEARING_SIDE: i32 = 2 * HEARING_RANGE + 1;
/// Number of cells in which a sound is heard.
pub const HEARING_CELLS: usize = (HEARING_SIDE * HEARING_SIDE) as usize;
/// Side of the square of cells that a brick reaches.
pub const THROW_SIDE: i32 = 2 * THROW_RANGE + 1;
/// The longest name of an area, in characters.
pub const MAX_NAME: usize = 200;

// The statement's numbers stand here alone, and other code is sized for them. If one changes beyond that, the
// build fails and names the code to widen.
const _: () = assert!(
    HEARING_RANGE == 2,
    "hearing windows are 25 bits of a u32, with rows of 5 bits in a byte: widen `Crowd` in \
     state/board.rs, `NEAR` and `HEARD` in state/steps.rs (first steps of two), `ADJACENT` in state/simulator.rs, \
     `CENTRE` and `MOST_WOKEN` in planner/heuristic/mod.rs, and the arguments about two steps in \
     planner/bound.rs and at the head of planner/abstraction/mod.rs, with the windows in \
     planner/abstraction/states.rs; the walk in export/solution.*.in that stands for a missing plan \
     keeps two cells away"
);
const _: () = assert!(
    9 + THROW_SIDE * THROW_SIDE <= 1 << u8::BITS,
    "an action is a byte, nine steps and a throw for each cell in reach: widen `Move` in state/moves.rs"
);
const _: () = assert!(
    THROW_SIDE + 2 * HEARING_RANGE <= u32::BITS as i32,
    "rows of targets are bits of a u32: widen `TargetRows` in state/throws.rs"
);
const _: () = assert!(
    THROW_SIDE <= 26,
    "an exported program writes a throw as two letters: widen `encode` in export/mod.rs"
);
const _: () = assert!(
    MAX_BRICKS <= u8::MAX as u32,
    "bricks are counted in a byte: widen `State` in state/board.rs and `AbstractState` in \
     planner/abstraction/states.rs"
);

/// An area: what the statement's input describes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map {
    /// The area's name, the first line.
    pub name: String,
    /// Rows and columns.
    pub shape: Shape,
    /// Bricks at the start.
    pub bricks: u32,
    /// Blocked cells (`#`).
    pub blocked: BitBoard,
    /// Ellie's cell at the start.
    pub ellie: Cell,
    /// The exit.
    pub exit: Cell,
    /// The clickers at the start, in row-major order.
    pub clickers: Vec<Cell>,
}

/// One action of Ellie.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Action {
    /// `w dx dy`: to a neighbour, or stay with `None`.
    Walk(Option<Direction>),
    /// `b dx dy`, here as differences of row and column: rows grow downward.
    Throw {
        /// Row difference; -dy of the plan's text.
        drow: i8,
        /// Column difference; dx of the plan's text.
        dcol: i8,
    },
}

impl Map {
    /// Whether nobody can ever stand on the cell.
    #[inline]
    pub fn is_blocked(&self, cell: Cell) -> bool {
        self.blocked.contains(cell)
    }

    /// Whether clickers may stand on the cell: it is neither blocked nor the exit.
    #[inline]
    pub fn clickers_may_enter(&self, cell: Cell) -> bool {
        cell != self.exit && !self.blocked.contains(cell)
    }

    /// The area's text, as [`read_map`] reads it.
    ///
    /// ```
    /// use outwit::diagnostic::Source;
    /// use outwit::games::last_of_us::format::read_map;
    /// let text = format!("tiny\n10 10 0\nE.C......X\n{}", "..#.......\n".repeat(9));
    /// assert_eq!(read_map(&Source::new("tiny.txt", text.as_str())).unwrap().text(), text);
    /// ```
    pub fn text(&self) -> String {
        let Shape { rows, cols } = self.shape;
        let mut cells = vec!['.'; self.shape.cells()];
        for cell in self.blocked.iter() {
            cells[cell.index()] = '#';
        }
        for clicker in &self.clickers {
            cells[clicker.index()] = 'C';
        }
        cells[self.exit.index()] = 'X';
        cells[self.ellie.index()] = 'E';
        let mut text = format!("{}\n{rows} {cols} {}\n", self.name, self.bricks);
        for row in cells.chunks(cols as usize) {
            text.extend(row);
            text.push('\n');
        }
        text
    }
}

impl fmt::Display for Action {
    /// The action as a line of a plan: `w dx dy` or `b dx dy`, dy upward.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Action::Walk(None) => f.write_str("w 0 0"),
            Action::Walk(Some(d)) => write!(f, "w {} {}", d.dcol(), -d.drow()),
            Action::Throw { drow, dcol } => write!(f, "b {dcol} {}", -i32::from(drow)),
        }
    }
}

/// Whether a text is meant to be an area: its second line is three whole numbers and its third is
/// made of cells. Such a text may still be malformed.
pub fn recognises(text: &str) -> bool {
    let mut lines = text.lines().skip(1);
    let (Some(header), Some(row)) = (lines.next(), lines.next()) else { return false };
    let mut numbers = header.split_ascii_whitespace().map(|word| word.parse::<i64>().is_ok());
    (0..3).all(|_| numbers.next() == Some(true))
        && numbers.next().is_none()
        && !row.trim().is_empty()
        && row.trim_end().bytes().all(|cell| b".#EXC".contains(&cell))
}

/// Reads an area.
///
/// # Errors
/// The first thing that is wrong, and where.
pub fn read_map(source: &Source) -> Result<Map, Diagnostic> {
    let mut lines = Lines::new(source);
    let name = read_name(source, lines.next())?;
    let (shape, bricks) = read_header(source, lines.next_or_end())?;
    let mut map = MapBuilder::new(shape);
    for row in 0..shape.rows {
        let Some(line) = lines.next() else {
            return Err(lines
                .missing(format!("the area ends after {row} of {} rows", shape.rows))
                .label("a row is missing here"));
        };
        map.row(source, row, line)?;
    }
    lines.must_be_over("the area is over: nothing may follow its last row")?;
    let (ellie, exit, blocked, clickers) = map.finish(source)?;
    Ok(Map { name, shape, bricks, blocked, ellie, exit, clickers })
}

/// Reads a plan.
///
/// # Errors
/// The first thing that is wrong, and where.
///
/// ```
/// use outwit::diagnostic::Source;
/// use outwit::games::last_of_us::format::{plan_text, read_plan};
/// let plan = read_plan(&Source::new("a.plan", "2\nw 1 -1\nb 0 7\n")).unwrap();
/// assert_eq!(plan_text(&plan), "2\nw 1 -1\nb 0 7\n");
/// ```
pub fn read_plan(source: &Source) -> Result<Vec<Action>, Diagnostic> {
    let mut lines = Lines::new(source);
    let Some(first) = lines.next() else {
        return Err(lines.missing("the plan is empty").help(PLAN_HELP));
    };
    let [count] =
        words(source, first, ["the number of actions"]).map_err(|error| error.help(PLAN_HELP))?;
    let count = whole(source, first, count, "the number of actions", 1, MAX_ACTIONS as i64)?;
    let mut plan = Vec::with_capacity(count as usize);
    while plan.len() < count as usize {
        let Some(line) = lines.next() else {
            return Err(lines
                .missing(format!("the plan promises {count} actions and has {}", plan.len()))
                .label("an action is missing here"));
        };
        plan.push(read_action(source, line)?);
    }
    lines.must_be_over(&format!("the plan is over: its first line promises {count}"))?;
    Ok(plan)
}

/// Reads one line of a plan.
///
/// # Errors
/// What is wrong with the line.
pub fn read_action(source: &Source, line: Line<'_>) -> Result<Action, Diagnostic> {
    let [verb, dx, dy] =
        words(source, line, ["w or b", "dx", "dy"]).map_err(|error| error.help(action_help()))?;
    let reach = match verb.text {
        "w" => 1,
        "b" => i64::from(THROW_RANGE),
        _ => {
            let message = format!("unknown action {}", quoted(verb.text));
            return Err(verb.error(source, line, message).help(action_help()));
        }
    };
    let dx = whole(source, line, dx, "dx", -reach, reach)? as i32;
    let dy = whole(source, line, dy, "dy", -reach, reach)? as i32;
    Ok(if reach == 1 {
        Action::Walk(Direction::from_delta(-dy, dx))
    } else {
        Action::Throw { drow: -dy as i8, dcol: dx as i8 }
    })
}

/// A plan's text, as [`read_plan`] reads it.
pub fn plan_text(plan: &[Action]) -> String {
    use fmt::Write;
    let mut text = format!("{}\n", plan.len());
    for action in plan {
        let _ = writeln!(text, "{action}");
    }
    text
}

const PLAN_HELP: &str = "a plan is the number of its actions on the first line, then one a line";
/// Describes the syntax of an action, for diagnostics.
fn action_help() -> String {
    format!("an action is `w dx dy` with |dx|, |dy| up to 1 or `b dx dy` with up to {THROW_RANGE}")
}
const HEADER_HELP: &str = "the second line is `R C B`: rows, columns and bricks";

fn read_name(source: &Source, line: Option<Line<'_>>) -> Result<String, Diagnostic> {
    let Some(line) = line else {
        return Err(source
            .error(1, 1, 1, "the file is empty")
            .help("an area is its name on the first line, then `R C B`, then R rows"));
    };
    let name = line.text.trim();
    if name.is_empty() {
        return Err(source.error(line.number, 1, 1, "the area's name is missing"));
    }
    if let Some(column) = line.text.chars().position(char::is_control) {
        return Err(source.error(
            line.number,
            column + 1,
            1,
            "a control character in the area's name",
        ));
    }
    let length = name.chars().count();
    if length > MAX_NAME {
        let message = format!("the area's name has {length} characters, at most {MAX_NAME} fit");
        return Err(source.error(line.number, MAX_NAME + 1, length - MAX_NAME, message));
    }
    Ok(name.to_string())
}

fn read_header(source: &Source, line: Line<'_>) -> Result<(Shape, u32), Diagnostic> {
    let [rows, cols, bricks] = words(
        source,
        line,
        ["the number of rows", "the number of columns", "the number of bricks"],
    )
    .map_err(|error| error.help(HEADER_HELP))?;
    let side = |word, what| whole(source, line, word, what, MIN_SIDE.into(), MAX_SIDE.into());
    let rows = side(rows, "the number of rows")? as u32;
    let cols = side(cols, "the number of columns")? as u32;
    let bricks = whole(source, line, bricks, "the number of bricks", 0, MAX_BRICKS.into())? as u32;
    Ok((Shape { rows, cols }, bricks))
}

/// What the rows have shown so far.
struct MapBuilder {
    shape: Shape,
    blocked: BitBoard,
    ellie: Option<Cell>,
    exit: Option<Cell>,
    clickers: Vec<Cell>,
    /// Line of the first row, for complaints about the whole.
    first_line: usize,
}

impl MapBuilder {
    fn new(shape: Shape) -> Self {
        MapBuilder {
            shape,
            blocked: BitBoard::new(shape.cells()),
            ellie: None,
            exit: None,
            clickers: Vec::new(),
            first_line: 0,
        }
    }

    fn row(&mut self, source: &Source, row: u32, line: Line<'_>) -> Result<(), Diagnostic> {
        if row == 0 {
            self.first_line = line.number;
        }
        let cols = self.shape.cols as usize;
        for (col, character) in line.text.chars().enumerate() {
            if col == cols {
                return Err(wrong_width(source, line, cols));
            }
            let cell = self.shape.cell(row, col as u32);
            let slot = match character {
                '.' => continue,
                '#' => {
                    self.blocked.insert(cell);
                    continue;
                }
                'C' => {
                    self.clickers.push(cell);
                    continue;
                }
                'E' => &mut self.ellie,
                'X' => &mut self.exit,
                _ => {
                    let message = format!("unknown character {character:?}");
                    let error = source.error(line.number, col + 1, 1, message);
                    return Err(error.help("a cell is one of . # E X C"));
                }
            };
            if let Some(first) = slot.replace(cell) {
                let (line_of, col_of) = (self.shape.row(first), self.shape.col(first) + 1);
                let line_of = self.first_line + line_of as usize;
                let message = format!("a second {character}: there must be exactly one");
                return Err(source
                    .error(line.number, col + 1, 1, message)
                    .help(format!("the first is at line {line_of}, column {col_of}")));
            }
        }
        if line.text.chars().count() < cols {
            return Err(wrong_width(source, line, cols));
        }
        Ok(())
    }

    fn finish(self, source: &Source) -> Result<(Cell, Cell, BitBoard, Vec<Cell>), Diagnostic> {
        let missing = |what: &str| {
            let message = format!("no {what} in the area: there must be exactly one");
            source.error(self.first_line, 1, self.shape.cols as usize, message)
        };
        let ellie = self.ellie.ok_or_else(|| missing("E (Ellie)"))?;
        let exit = self.exit.ok_or_else(|| missing("X (exit)"))?;
        Ok((ellie, exit, self.blocked, self.clickers))
    }
}

fn wrong_width(source: &Source, line: Line<'_>, cols: usize) -> Diagnostic {
    let width = line.text.chars().count();
    let message = format!("the row has {width} characters, the header says {cols}");
    if width < cols {
        source.error(line.number, width + 1, 1, message).label(format!("{} missing", cols - width))
    } else {
        let more = width - cols;
        source.error(line.number, cols + 1, more, message).label(format!("{more} too many"))
    }
}

/// The lines of a source with the blank ones at the very end left out.
struct Lines<'a> {
    source: &'a Source,
    rest: std::str::Lines<'a>,
    number: usize,
}

impl<'a> Lines<'a> {
    fn new(source: &'a Source) -> Self {
        let rest = source.text.trim_end_matches([' ', '\t', '\r', '\n']).lines();
        Lines { source, rest, number: 0 }
    }

    fn next(&mut self) -> Option<Line<'a>> {
        let text = self.rest.next()?;
        self.number += 1;
        Some(Line { number: self.number, text })
    }

    /// The next line, or an empty one past the end, which no reader accepts.
    fn next_or_end(&mut self) -> Line<'a> {
        self.next().unwrap_or(Line { number: self.number + 1, text: "" })
    }

    /// A complaint about the line that should follow the last one read.
    fn missing(&self, message: impl Into<String>) -> Diagnostic {
        self.source.error(self.number + 1, 1, 1, message)
    }

    fn must_be_over(&mut self, message: &str) -> Result<(), Diagnostic> {
        // A blank line counts only if something comes after it, and then that is what is wrong.
        while let Some(line) = self.next() {
            let text = line.text.trim();
            if !text.is_empty() {
                let column = column_of(line.text, text);
                let length = text.chars().count();
                return Err(self.source.error(line.number, column, length, message));
            }
        }
        Ok(())
    }
}

/// A word of a line and where it begins.
#[derive(Clone, Copy)]
struct Word<'a> {
    text: &'a str,
    /// From 1, in characters.
    column: usize,
}

impl Word<'_> {
    fn error(self, source: &Source, line: Line<'_>, message: impl Into<String>) -> Diagnostic {
        source.error(line.number, self.column, self.text.chars().count(), message)
    }
}

/// The words of a line, exactly as many as `names` says.
fn words<'a, const N: usize>(
    source: &Source,
    line: Line<'a>,
    names: [&str; N],
) -> Result<[Word<'a>; N], Diagnostic> {
    let mut found = [Word { text: "", column: 0 }; N];
    let mut rest = line.text.split_ascii_whitespace();
    for (slot, name) in found.iter_mut().zip(names) {
        let Some(text) = rest.next() else {
            let end = line.text.trim_end().chars().count() + 1;
            return Err(source.error(line.number, end, 1, format!("{name} is missing")));
        };
        *slot = Word { text, column: column_of(line.text, text) };
    }
    match rest.next() {
        None => Ok(found),
        Some(text) => {
            let extra = Word { text, column: column_of(line.text, text) };
            let s = if N == 1 { "" } else { "s" };
            let message = format!("{} where the line should end after {N} word{s}", quoted(text));
            Err(extra.error(source, line, message))
        }
    }
}

/// A whole number within a range.
fn whole(
    source: &Source,
    line: Line<'_>,
    word: Word<'_>,
    what: &str,
    least: i64,
    most: i64,
) -> Result<i64, Diagnostic> {
    let unsigned = word.text.strip_prefix(['-', '+']).unwrap_or(word.text);
    if unsigned.is_empty() || !unsigned.bytes().all(|b| b.is_ascii_digit()) {
        let message = format!("{what} must be a whole number, not {}", quoted(word.text));
        return Err(word.error(source, line, message));
    }
    match word.text.parse::<i64>() {
        Ok(value) if (least..=most).contains(&value) => Ok(value),
        // A number too long for 64 bits is out of every range we know.
        _ => {
            let message =
                format!("{what} must be from {least} to {most}, not {}", clipped(word.text));
            Err(word.error(source, line, message))
        }
    }
}

/// The column (from 1, in characters) of a part of a line. `part` must be a slice of `line`.
fn column_of(line: &str, part: &str) -> usize {
    let offset = (part.as_ptr() as usize).saturating_sub(line.as_ptr() as usize);
    line.get(..offset).map_or(0, |before| before.chars().count()) + 1
}

fn quoted(text: &str) -> String {
    format!("{:?}", clipped(text))
}

/// The text itself, or its beginning where a message would become unreadable.
fn clipped(text: &str) -> String {
    const SHOWN: usize = 24;
    let mut shown: String = text.chars().take(SHOWN).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}
