//! Levels and plans as texts: reading with diagnostics, writing.
//!
//! A level is `rows cols` and the rows. A plan is one key a line. The seed's one-file form is both:
//! the level, then the keys; [`read_level`] therefore takes keys after the rows, and [`read_plan`]
//! takes a level before the keys, which must be the level the plan is for.

use crate::board::{Cell, Direction, Shape};
use crate::diagnostic::{Diagnostic, Line, Source};

/// The least number of rows and of columns.
pub const MIN_SIDE: u32 = 3;
/// The greatest number of rows.
pub const MAX_ROWS: u32 = 24;
/// The greatest number of columns.
pub const MAX_COLS: u32 = 80;
/// The most keys in a plan.
pub const MAX_KEYS: usize = 100_000;
/// The contest's limit for complexity times positions shown.
pub const MAX_COMPLEXITY: u64 = 100_000;

// Types of the fast simulator and of the planner are sized for the largest board. If it grows beyond them, the
// build fails and names the types to widen.
const _: () = assert!(
    MAX_COLS < u128::BITS && MAX_COLS <= 1 << 7,
    "a row of a plane is a u128, and a column has 7 bits of a cell: widen `Row`, `COL_BITS` and `TURNING` in \
     state.rs"
);
const _: () = assert!(
    MAX_ROWS << 7 <= 1 << 12,
    "a cell has 12 bits beside the 4 of its tile: widen `Spot`, `Packed` and `THING_BITS` in state.rs"
);

/// What stands in a cell.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Tile {
    /// `.`
    Floor,
    /// `@`
    Hero,
    /// `#`
    Wall,
    /// `^`, `>`, `v`, `<`: a sentinel that faces one of the four orthogonal directions.
    Sentinel(Direction),
    /// `*`
    Seeker,
    /// `X`
    Shooter,
    /// `o`: a blob that rests this turn.
    RestingBlob,
    /// `O`: a blob that moves this turn.
    ReadyBlob,
    /// `?`: a mine that waits for the hero.
    Mine,
    /// `!`: a mine that explodes this turn.
    LitMine,
    /// `%`
    Explosion,
}

impl Tile {
    /// All of them, in the order of the statement's subtasks.
    pub const ALL: [Tile; 14] = [
        Tile::Floor,
        Tile::Hero,
        Tile::Wall,
        Tile::Sentinel(Direction::North),
        Tile::Sentinel(Direction::East),
        Tile::Sentinel(Direction::South),
        Tile::Sentinel(Direction::West),
        Tile::Seeker,
        Tile::Shooter,
        Tile::RestingBlob,
        Tile::ReadyBlob,
        Tile::Mine,
        Tile::LitMine,
        Tile::Explosion,
    ];

    /// The letter of the tile.
    pub fn letter(self) -> char {
        match self {
            Tile::Floor => '.',
            Tile::Hero => '@',
            Tile::Wall => '#',
            Tile::Sentinel(Direction::North) => '^',
            Tile::Sentinel(Direction::East) => '>',
            Tile::Sentinel(Direction::South) => 'v',
            Tile::Sentinel(_) => '<',
            Tile::Seeker => '*',
            Tile::Shooter => 'X',
            Tile::RestingBlob => 'o',
            Tile::ReadyBlob => 'O',
            Tile::Mine => '?',
            Tile::LitMine => '!',
            Tile::Explosion => '%',
        }
    }

    /// The tile of a letter.
    pub fn from_letter(letter: char) -> Option<Tile> {
        Tile::ALL.into_iter().find(|tile| tile.letter() == letter)
    }

    /// What the tile is, for sentences.
    pub fn name(self) -> &'static str {
        match self {
            Tile::Floor => "floor",
            Tile::Hero => "hero",
            Tile::Wall => "wall",
            Tile::Sentinel(_) => "sentinel",
            Tile::Seeker => "seeker",
            Tile::Shooter => "shooter",
            Tile::RestingBlob | Tile::ReadyBlob => "blob",
            Tile::Mine | Tile::LitMine => "mine",
            Tile::Explosion => "explosion",
        }
    }

    /// The statement's complexity of the tile in a level of this shape.
    pub fn complexity(self, shape: Shape) -> u64 {
        match self {
            Tile::Floor | Tile::Hero | Tile::Wall | Tile::Explosion => 1,
            Tile::Sentinel(_) => 5,
            Tile::Mine | Tile::LitMine => 9,
            Tile::Seeker | Tile::Shooter => u64::from(shape.rows + shape.cols),
            Tile::RestingBlob | Tile::ReadyBlob => shape.cells() as u64,
        }
    }

    /// Whether the tile may stand on the border: at the start, and after each turn's cleaning.
    pub fn may_stand_on_border(self) -> bool {
        matches!(self, Tile::Floor | Tile::Hero | Tile::Wall)
    }
}

/// Whether a cell is in the first or last row or column.
pub fn is_border(shape: Shape, cell: Cell) -> bool {
    let (row, col) = (shape.row(cell) as u32, shape.col(cell) as u32);
    row == 0 || col == 0 || row + 1 == shape.rows || col + 1 == shape.cols
}

/// A key of the hero.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Key {
    /// `w`
    Up,
    /// `a`
    Left,
    /// `s`
    Down,
    /// `d`
    Right,
    /// a space
    Wait,
}

impl Key {
    /// All keys.
    pub const ALL: [Key; 5] = [Key::Up, Key::Left, Key::Down, Key::Right, Key::Wait];

    /// The key's letter.
    pub fn letter(self) -> char {
        match self {
            Key::Up => 'w',
            Key::Left => 'a',
            Key::Down => 's',
            Key::Right => 'd',
            Key::Wait => ' ',
        }
    }

    /// The key that a whole line means.
    pub fn from_line(line: &str) -> Option<Key> {
        Key::ALL.into_iter().find(|key| {
            let mut letters = line.chars();
            letters.next() == Some(key.letter()) && letters.next().is_none()
        })
    }

    /// Where the hero wants to go; `None` for waiting.
    pub fn direction(self) -> Option<Direction> {
        match self {
            Key::Up => Some(Direction::North),
            Key::Left => Some(Direction::West),
            Key::Down => Some(Direction::South),
            Key::Right => Some(Direction::East),
            Key::Wait => None,
        }
    }
}

/// A level: what the statement's input begins with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    /// Rows and columns.
    pub shape: Shape,
    /// What stands where at the start, row by row.
    pub tiles: Vec<Tile>,
}

impl Level {
    /// The hero's cell at the start; a level may have none.
    pub fn hero(&self) -> Option<Cell> {
        self.shape.iter().find(|cell| self.tiles[cell.index()] == Tile::Hero)
    }

    /// The statement's complexity of the start; times the positions shown it is a session's.
    pub fn complexity(&self) -> u64 {
        self.tiles.iter().map(|tile| tile.complexity(self.shape)).sum()
    }

    /// The level as text.
    pub fn text(&self) -> String {
        format!("{} {}\n{}", self.shape.rows, self.shape.cols, picture(self.shape, &self.tiles))
    }
}

/// The rows as text, each with its line end.
pub fn picture(shape: Shape, tiles: &[Tile]) -> String {
    let mut text = String::with_capacity(tiles.len() + shape.rows as usize);
    for row in tiles.chunks(shape.cols as usize) {
        text.extend(row.iter().map(|tile| tile.letter()));
        text.push('\n');
    }
    text
}

/// A plan as text: one key a line.
pub fn plan_text(keys: &[Key]) -> String {
    keys.iter().flat_map(|key| [key.letter(), '\n']).collect()
}

/// A key of a plan, and the line it stands on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlannedKey {
    /// The key.
    pub key: Key,
    /// Its line, from 1.
    pub line: usize,
}

/// Reads a level, and the keys after it where there are some.
///
/// # Errors
/// The first thing that is wrong, and where.
pub fn read_level(source: &Source) -> Result<(Level, Vec<PlannedKey>), Diagnostic> {
    let mut lines = source.lines();
    let level = read_rows(source, &mut lines)?;
    let keys = read_keys(source, lines)?;
    Ok((level, keys))
}

/// Whether a text begins as a level does: a header within the limits, and a first row that fits it.
pub fn recognises(text: &str) -> bool {
    let source = Source::new("", text.lines().take(2).collect::<Vec<_>>().join("\n"));
    let mut lines = source.lines();
    let Some(Ok(shape)) = lines.next().map(|line| read_header(&source, line)) else { return false };
    let first = lines.next().unwrap_or(Line { number: 2, text: "" });
    read_row(&source, first, shape, 0, &mut Vec::new()).is_ok()
}

/// Reads a plan for a level: keys, or the level itself and then the keys.
///
/// # Errors
/// The first thing that is wrong, and where.
pub fn read_plan(source: &Source, level: &Level) -> Result<Vec<PlannedKey>, Diagnostic> {
    if !source.text.starts_with(|c: char| c.is_ascii_digit()) {
        return read_keys(source, source.lines());
    }
    let (shown, keys) = read_level(source)?;
    if shown.shape != level.shape {
        let message = "this plan begins with another level: its size differs";
        let label = format!("the level is {} {}", level.shape.rows, level.shape.cols);
        return Err(source.error(1, 1, source_width(source, 1), message).label(label));
    }
    if let Some(at) = level.shape.iter().find(|c| shown.tiles[c.index()] != level.tiles[c.index()])
    {
        let (row, col) = (level.shape.row(at) as usize, level.shape.col(at) as usize);
        let label = format!("the level has {:?} here", level.tiles[at.index()].letter());
        let message = "this plan begins with another level";
        return Err(source.error(row + 2, col + 1, 1, message).label(label));
    }
    Ok(keys)
}

fn source_width(source: &Source, number: usize) -> usize {
    source.lines().nth(number - 1).map_or(1, |line| line.text.chars().count())
}

/// Reads the header and the rows, and leaves the lines after them.
pub(super) fn read_rows<'a>(
    source: &Source,
    lines: &mut impl Iterator<Item = Line<'a>>,
) -> Result<Level, Diagnostic> {
    let header = lines.next().unwrap_or(Line { number: 1, text: "" });
    let shape = read_header(source, header)?;
    let mut tiles = Vec::with_capacity(shape.cells());
    for row in 0..shape.rows {
        let Some(line) = lines.next() else {
            let message = format!("the level ends after {row} of {} rows", shape.rows);
            return Err(source.error(row as usize + 2, 1, 1, message));
        };
        read_row(source, line, shape, row, &mut tiles)?;
    }
    Ok(Level { shape, tiles })
}

/// Reads the line `rows cols`.
pub(super) fn read_header(source: &Source, line: Line<'_>) -> Result<Shape, Diagnostic> {
    let help = "the first line is `rows cols`, as in `10 20`";
    let width = line.text.chars().count();
    let words: Vec<&str> = line.text.split_whitespace().collect();
    let &[rows, cols] = words.as_slice() else {
        let message = match words.len() {
            0 if source.text.trim().is_empty() => "the file is empty".to_string(),
            0 => "an empty line where the level's size must stand".to_string(),
            1 => "one word where the level's size must stand: two numbers".to_string(),
            many => format!("{many} words where the level's size must stand: two numbers"),
        };
        return Err(source.error(line.number, 1, width, message).help(help));
    };
    let number = |word: &str, name: &str, max: u32| {
        let value = word.parse::<u32>().ok().filter(|n| (MIN_SIDE..=max).contains(n));
        value.ok_or_else(|| {
            let before = word.as_ptr() as usize - line.text.as_ptr() as usize;
            let column = line.text[..before].chars().count() + 1;
            let message = format!("the number of {name} must be from {MIN_SIDE} to {max}");
            source.error(line.number, column, word.chars().count(), message).help(help)
        })
    };
    Ok(Shape { rows: number(rows, "rows", MAX_ROWS)?, cols: number(cols, "columns", MAX_COLS)? })
}

/// Reads row `row` of the level onto the end of `tiles`.
pub(super) fn read_row(
    source: &Source,
    line: Line<'_>,
    shape: Shape,
    row: u32,
    tiles: &mut Vec<Tile>,
) -> Result<(), Diagnostic> {
    let width = line.text.chars().count();
    if width != shape.cols as usize {
        let message = format!("a row of {width} cells instead of {}", shape.cols);
        return Err(source.error(line.number, width.min(shape.cols as usize) + 1, 1, message));
    }
    for (col, letter) in line.text.chars().enumerate() {
        let complain = |message: String| source.error(line.number, col + 1, 1, message);
        let Some(tile) = Tile::from_letter(letter) else {
            let message = format!("unknown cell {letter:?}");
            return Err(complain(message).help("a cell is one of . @ # ^ < v > * X o O ? ! %"));
        };
        if is_border(shape, shape.cell(row, col as u32)) && !tile.may_stand_on_border() {
            let message = format!("a {} on the border", tile.name());
            return Err(complain(message).help("the border holds only . @ #"));
        }
        if tile == Tile::Hero && tiles.contains(&Tile::Hero) {
            return Err(complain("a second hero".into()).help("a level has at most one @"));
        }
        tiles.push(tile);
    }
    Ok(())
}

/// Reads keys, one a line; empty lines are allowed only after the last one.
fn read_keys<'a>(
    source: &Source,
    lines: impl Iterator<Item = Line<'a>>,
) -> Result<Vec<PlannedKey>, Diagnostic> {
    let mut keys = Vec::new();
    let mut empty = None;
    for line in lines {
        if let Some(number) = empty {
            let message = "an empty line among the keys";
            return Err(source.error(number, 1, 1, message).help("to wait is a line of one space"));
        }
        if line.text.is_empty() {
            empty = Some(line.number);
            let rest = source.lines().skip(line.number);
            if rest.into_iter().all(|line| line.text.is_empty()) {
                break;
            }
            continue;
        }
        let Some(key) = Key::from_line(line.text) else {
            let width = line.text.chars().count();
            let message = format!("{:?} is not a key", shorten(line.text));
            let help = "a key is one of w a s d or a space, alone on its line";
            return Err(source.error(line.number, 1, width, message).help(help));
        };
        if keys.len() == MAX_KEYS {
            return Err(source.error(line.number, 1, 1, format!("more than {MAX_KEYS} keys")));
        }
        keys.push(PlannedKey { key, line: line.number });
    }
    Ok(keys)
}

/// The first few characters of a line that is quoted in a message.
pub(super) fn shorten(text: &str) -> String {
    const QUOTED: usize = 20;
    let mut short: String = text.chars().take(QUOTED).collect();
    if text.chars().nth(QUOTED).is_some() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEVEL: &str = "3 4\n####\n#@X.\n####\n";

    fn level(text: &str) -> Result<(Level, Vec<PlannedKey>), Diagnostic> {
        read_level(&Source::new("level", text))
    }

    #[test]
    fn a_level_is_read_and_written_back() {
        let (read, keys) = level(LEVEL).unwrap();
        assert_eq!((read.text().as_str(), keys.len()), (LEVEL, 0));
        assert_eq!(read.hero(), Some(Cell(5)));
        assert_eq!(read.complexity(), 11 + 7);
    }

    #[test]
    fn the_one_file_form_is_a_level_and_a_plan() {
        let text = format!("{LEVEL}w\n \nd\n\n");
        let (read, keys) = level(&text).unwrap();
        let letters: String = keys.iter().map(|k| k.key.letter()).collect();
        assert_eq!((letters.as_str(), keys[1].line), ("w d", 6));
        assert_eq!(read_plan(&Source::new("plan", text), &read).unwrap(), keys);
        let alone = read_plan(&Source::new("plan", "w\r\n \r\nd"), &read).unwrap();
        assert_eq!(alone.len(), 3);
    }

    #[test]
    fn another_levels_plan_is_refused_where_it_differs() {
        let (read, _) = level(LEVEL).unwrap();
        let other = Source::new("plan", "3 4\n####\n#@*.\n####\nd\n");
        let error = read_plan(&other, &read).unwrap_err();
        assert_eq!((error.line, error.column), (3, 3));
        let other = Source::new("plan", "3 3\n###\n#@.\n###\nd\n");
        assert_eq!(read_plan(&other, &read).unwrap_err().line, 1);
    }

    #[test]
    fn what_is_wrong_is_placed() {
        for (text, line, column) in [
            ("", 1, 1),
            ("3\n", 1, 1),
            ("3  81\n", 1, 4),
            ("2 3\n", 1, 1),
            ("3 3\n###\n", 3, 1),
            ("3 3\n####\n", 2, 4),
            ("3 3\n##\n", 2, 3),
            ("3 3\n#*#\n", 2, 2),
            ("3 3\n#@#\n#@#\n", 3, 2),
            ("3 3\n#ж#\n", 2, 2),
            ("3 3\n###\n#@#\n###\nq\n", 5, 1),
            ("3 3\n###\n#@#\n###\n\nw\n", 5, 1),
        ] {
            let error = level(text).unwrap_err();
            assert_eq!((error.line, error.column), (line, column), "{text:?}: {error}");
            assert!(!error.report(false).is_empty());
        }
    }
}
