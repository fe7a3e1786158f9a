//! Levels and collections as texts: reading with diagnostics, writing.
//!
//! Levels come in XSB (`# @ + $ * .` and blank, `-` or `_` for floor), alone or in collections with
//! titles and comments, plain or run-length encoded (`3#-2$`, rows parted by `|` or line ends).
//! Solutions are read in [`super::solution`]. The reader is strict about boards (a line
//! that begins like a board row must be one) and lenient about everything between them.

use crate::board::{BitBoard, Cell, Direction, ORTHOGONAL, Shape, distances};
use crate::diagnostic::{Diagnostic, Line, Source};
use crate::games::objective::Measure;

/// The usual measure of plans: pushes.
pub const PUSHES: Measure = Measure::new("pushes");
/// The other: moves, pushes among them.
pub const MOVES: Measure = Measure::new("moves");

/// The greatest number of rows and of columns of a board.
pub const MAX_SIDE: usize = 250;
/// The most keys of a solution, run lengths expanded.
pub const MAX_KEYS: usize = 10_000_000;
/// What some editors begin a file with.
const BYTE_ORDER_MARK: char = '\u{feff}';
/// Lines `key: value` with these keys tell of a level or a collection what is not its title.
const NO_TITLES: &[&str] = &[
    "author",
    "copyright",
    "comment",
    "collection",
    "date",
    "date created",
    "e-mail",
    "email",
    "end",
    "file offset",
    "homepage",
    "length",
    "set",
    "size x",
    "size y",
    "web site",
    "website",
];
/// The longest title, in characters; longer ones are cut.
pub const MAX_TITLE: usize = 120;

/// A level: what one board of a collection describes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    /// Its title, or `level N`.
    pub name: String,
    /// Rows and columns.
    pub shape: Shape,
    /// Walls, and every cell that the player could not reach even if there were no boxes.
    pub walls: BitBoard,
    /// Walls as drawn.
    pub drawn: BitBoard,
    /// Targets.
    pub targets: BitBoard,
    /// Boxes at the start.
    pub boxes: BitBoard,
    /// The player at the start.
    pub player: Cell,
}

/// One character of a board row, and where it stands in the file.
#[derive(Clone, Copy, Debug)]
struct Glyph {
    letter: char,
    line: usize,
    column: usize,
}

/// What a line of a collection is.
enum Kind {
    Rows(Vec<Vec<Glyph>>),
    Text(String),
    Blank,
}

fn is_tile(letter: char) -> bool {
    matches!(letter, '#' | '@' | '+' | '$' | '*' | '.' | ' ' | '-' | '_')
}

/// The rows that a line spells, run lengths expanded; `None` where it is no board line.
fn rows(line: Line<'_>) -> Option<Vec<Vec<Glyph>>> {
    let text = line.text.trim_end();
    let mut rows = vec![Vec::new()];
    let mut run: Option<usize> = None;
    for (i, letter) in text.chars().enumerate() {
        if letter == BYTE_ORDER_MARK && line.number == 1 && i == 0 {
            continue;
        } else if let Some(digit) = letter.to_digit(10) {
            run = Some((run.unwrap_or(0) * 10 + digit as usize).min(MAX_SIDE + 1));
        } else if letter == '|' {
            if run.is_some() {
                return None;
            }
            rows.push(Vec::new());
        } else if letter == '\t' || is_tile(letter) {
            let letter = if letter == '\t' { ' ' } else { letter };
            let glyph = Glyph { letter, line: line.number, column: i + 1 };
            let row = rows.last_mut()?;
            // One glyph past the limit is kept, so that the board is refused with its place.
            let room = (MAX_SIDE + 1).saturating_sub(row.len());
            row.extend(std::iter::repeat_n(glyph, run.take().unwrap_or(1).min(room)));
        } else {
            return None;
        }
    }
    if run.is_some() {
        return None;
    }
    (rows.len() > 1 || !rows[0].is_empty()).then_some(rows)
}

fn classify(line: Line<'_>, inside: bool) -> Kind {
    let text = line.text.trim();
    if text.is_empty() {
        return Kind::Blank;
    }
    match rows(line) {
        Some(rows) if inside || text.contains('#') => Kind::Rows(rows),
        _ => Kind::Text(text.to_string()),
    }
}

/// Reads every level of a file.
///
/// # Errors
/// The first thing that is wrong with a board, and where; a file without any board.
pub fn read_levels(source: &Source) -> Result<Vec<Level>, Diagnostic> {
    let mut levels: Vec<Level> = Vec::new();
    let mut board: Vec<Vec<Glyph>> = Vec::new();
    let mut title: Option<String> = None;
    let mut text_after_board = false;
    for line in source.lines().chain(std::iter::once(Line { number: usize::MAX, text: "" })) {
        let kind = classify(line, !board.is_empty());
        if let Kind::Rows(rows) = kind {
            board.extend(rows);
            continue;
        }
        if !board.is_empty() {
            refuse_broken_row(source, line, &board)?;
            let name = title.take().unwrap_or_else(|| format!("level {}", levels.len() + 1));
            levels.push(read_board(source, &std::mem::take(&mut board), name)?);
            text_after_board = true;
        }
        match kind {
            Kind::Text(text) => {
                refuse_broken_row(source, line, &board)?;
                note_title(&text, &mut levels, &mut title, text_after_board);
            }
            Kind::Blank => text_after_board &= line.number == usize::MAX,
            Kind::Rows(_) => {}
        }
    }
    if levels.is_empty() {
        let empty = source.text.trim().is_empty();
        let message = if empty { "the file is empty" } else { "there is no board in it" };
        return Err(Diagnostic::file(&source.name, message).help(
            "a level is drawn with # wall, @ player, $ box, . target, * box on target, \
             + player on target",
        ));
    }
    Ok(levels)
}

/// A line that begins and ends with a wall and is no board row was meant as one: its first letter
/// that is none of a board's is refused. The same goes for a line inside a board that begins with a
/// wall.
fn refuse_broken_row(
    source: &Source,
    line: Line<'_>,
    board: &[Vec<Glyph>],
) -> Result<(), Diagnostic> {
    let text = line.text.trim();
    let meant = text.starts_with('#') && (!board.is_empty() || text.ends_with('#'));
    if !meant {
        return Ok(());
    }
    let wrong = line
        .text
        .chars()
        .position(|letter| !is_tile(letter) && !letter.is_ascii_digit() && letter != '|')
        .unwrap_or_else(|| line.text.trim_end().chars().count().saturating_sub(1));
    let letter = line.text.chars().nth(wrong).unwrap_or(' ');
    Err(source
        .error(line.number, wrong + 1, 1, format!("{letter:?} does not belong on a board"))
        .help(
            "# wall, blank - or _ floor, . target, $ box, * box on target, @ player, + on target",
        ))
}

/// Keeps what may be the title of the next level, or names the last one by its `Title:` line.
fn note_title(
    text: &str,
    levels: &mut [Level],
    title: &mut Option<String>,
    text_after_board: bool,
) {
    let text = text.trim_start_matches([BYTE_ORDER_MARK, ';', ':']).trim();
    let text = text.trim_matches(['\'', '"']).trim();
    let key = text.split_once(':').map(|(key, value)| (key.trim().to_lowercase(), value.trim()));
    let is_named = key.as_ref().is_some_and(|(key, value)| key == "title" && !value.is_empty());
    let name = match key {
        Some((_, value)) if is_named => cut(value),
        Some((key, _)) if NO_TITLES.contains(&key.as_str()) => return,
        _ => cut(text),
    };
    match levels.last_mut() {
        _ if name.is_empty() => {}
        Some(level) if is_named && text_after_board => level.name = name,
        _ => *title = Some(name),
    }
}

/// A title, cut where it is too long. What a reader takes off the end of a line is not left there, so
/// that the title is the same when it is read again.
fn cut(text: &str) -> String {
    let text: String = text.chars().take(MAX_TITLE).collect();
    text.trim_end_matches(|c: char| c.is_whitespace() || c == '\'' || c == '"').to_string()
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

fn is_blank(glyph: &Glyph) -> bool {
    matches!(glyph.letter, ' ' | '-' | '_')
}

/// Makes a level of the rows of one board.
fn read_board(source: &Source, rows: &[Vec<Glyph>], name: String) -> Result<Level, Diagnostic> {
    let first = rows.iter().flatten().next().copied();
    let Some(first) = first else {
        return Err(Diagnostic::file(&source.name, "an empty board"));
    };
    if rows.len() > MAX_SIDE {
        let at = rows[MAX_SIDE].first().copied().unwrap_or(first);
        let message = format!("a board has at most {MAX_SIDE} rows");
        return Err(source.error(at.line, at.column, 1, message));
    }
    if let Some(row) = rows.iter().find(|row| row.len() > MAX_SIDE) {
        let at = row[MAX_SIDE];
        let message = format!("a board has at most {MAX_SIDE} columns");
        return Err(source.error(at.line, at.column, 1, message));
    }
    let rows = crop(rows);
    if let Some(top) = rows.first()
        && top.iter().all(|glyph| glyph.letter != '#')
        && let Some(glyph) = top.iter().find(|glyph| !is_blank(glyph))
    {
        // Written on a line of its own it would be no board's.
        let message = "the first row of a board has no wall";
        return Err(source.error(glyph.line, glyph.column, 1, message));
    }
    let width = rows.iter().map(|row| width(row)).max().unwrap_or(0);
    let shape = Shape { rows: rows.len() as u32, cols: width as u32 };
    let empty = BitBoard::new(shape.cells());
    let (mut drawn, mut targets, mut boxes) = (empty.clone(), empty.clone(), empty);
    let mut player: Option<Cell> = None;
    for (r, row) in rows.iter().enumerate() {
        for (c, glyph) in row.iter().enumerate().take(width) {
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
                let message = "a second player";
                return Err(source.error(glyph.line, glyph.column, 1, message));
            }
        }
    }
    let Some(player) = player else {
        let message = "this board has no player";
        return Err(source.error(first.line, first.column, 1, message).help("@ or + is missing"));
    };
    if boxes.len() != targets.len() {
        let message = format!("{} boxes and {} targets", boxes.len(), targets.len());
        return Err(source
            .error(first.line, first.column, 1, message)
            .help("a level has as many boxes as targets"));
    }
    let walls = close(source, rows, shape, &drawn, player)?;
    Ok(Level { name, shape, walls, drawn, targets, boxes, player })
}

/// Everything outside the player's reach becomes wall; a hole in the walls is refused.
fn close(
    source: &Source,
    rows: &[Vec<Glyph>],
    shape: Shape,
    drawn: &BitBoard,
    player: Cell,
) -> Result<BitBoard, Diagnostic> {
    let reach = distances(shape, &[player], &ORTHOGONAL, |cell| !drawn.contains(cell));
    let mut walls = BitBoard::new(shape.cells());
    for cell in shape.iter() {
        if reach[cell.index()] == crate::board::UNREACHED {
            walls.insert(cell);
            continue;
        }
        if ORTHOGONAL.iter().all(|&d| shape.step(cell, d).is_some()) {
            continue;
        }
        let row = &rows[shape.row(cell) as usize];
        let at = row.get(shape.col(cell) as usize).or(row.last());
        let (line, column) = at.map_or((0, 0), |glyph| (glyph.line, glyph.column));
        let message = "the walls do not close: the player can leave the board here";
        return Err(source.error(line, column, 1, message));
    }
    Ok(walls)
}

impl Level {
    /// The level's board in XSB, one line a row.
    pub fn board(&self) -> String {
        let player = Some(self.player);
        draw(self.shape, &self.drawn, &self.targets, &self.boxes, player)
    }

    /// The level's board, then its title.
    ///
    /// ```
    /// use outwit::diagnostic::Source;
    /// use outwit::games::sokoban::format::read_levels;
    /// let text = "#####\n#@$.#\n#####\nTitle: one push\n";
    /// let levels = read_levels(&Source::new("one.xsb", text)).unwrap();
    /// assert_eq!(levels[0].text(), text);
    /// ```
    pub fn text(&self) -> String {
        format!("{}Title: {}\n", self.board(), self.name)
    }

    /// Rows and columns of the part that the walls take up.
    pub fn size(&self) -> (i32, i32) {
        let extent = |of: fn(Shape, Cell) -> i32| {
            let least = self.drawn.iter().map(|cell| of(self.shape, cell)).min();
            let most = self.drawn.iter().map(|cell| of(self.shape, cell)).max();
            least.zip(most).map_or(0, |(least, most)| most - least + 1)
        };
        (extent(|shape, cell| shape.row(cell)), extent(|shape, cell| shape.col(cell)))
    }

    /// Where two levels differ in nothing that matters to a plan.
    pub fn same_board(&self, other: &Level) -> bool {
        self.board() == other.board()
    }
}

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
