//! Labyrinths and transcripts as texts: reading with diagnostics, writing, and the check that the
//! walls are drawn as elegantly as the statement promises.

pub mod protocol;

use crate::diagnostic::{Diagnostic, Source};
use ahash::{AHashMap, AHashSet};
use protocol::{Command, NotACommand, Point};
use std::fmt::Write;

/// The most games of a file: "t < 20".
pub const MAX_GAMES: usize = 19;
/// The most segments of a labyrinth.
pub const MAX_SEGMENTS: usize = 500;
/// The most wall cells of a labyrinth.
pub const MAX_WALL: usize = 250_000;
/// The greatest difference of two coordinates of walls: boards are up to 50 000 × 50 000 cells,
/// counted from 0 or from 1.
pub const MAX_SIDE: i64 = 50_000;
/// The greatest coordinate; the least is its negative.
pub const MAX_COORDINATE: i64 = 1_000_000;
/// The most sticks of dynamite: as many as the oxygen of a game could light.
pub const MAX_STICKS: i64 = 10_000;
/// Commands a game may take.
pub const MAX_COMMANDS: u32 = 10_000;
/// Oxygen a game may take.
pub const MAX_OXYGEN: u32 = 10_000_000;
/// Oxygen for a cell walked.
pub const WALK_OXYGEN: u32 = 10;
/// Oxygen for a cell shown.
pub const LOOK_OXYGEN: u32 = 1;
/// Oxygen for a stick of dynamite.
pub const BLAST_OXYGEN: u32 = 1000;

// Types of the fast simulator and of the planner are sized for these numbers. If one grows beyond them, the
// build fails and names the types to widen.
const _: () = assert!(
    MAX_COORDINATE <= i32::MAX as i64 / 4,
    "coordinates and distances are i32: widen `Point` in format/protocol.rs"
);
const _: () = assert!(
    MAX_OXYGEN / WALK_OXYGEN < 1 << 21,
    "a price has 21 bits for bends: widen `EXIT_BLAST` in planner/crossings.rs"
);
const _: () = assert!(
    MAX_OXYGEN / BLAST_OXYGEN < 1 << 14,
    "a price has 14 bits for blasts beside the exit: widen `OXYGEN_UNIT` in planner/crossings.rs"
);
// A node that the search expands is paid from a game's oxygen; a step from it and the bound of the rest are
// at most as long as the board, which has two dimensions.
const _: () = assert!(
    MAX_OXYGEN as u64 + BLAST_OXYGEN as u64 + 6 * MAX_COORDINATE as u64 * WALK_OXYGEN as u64
        <= u64::MAX >> 35,
    "a price has 29 bits for oxygen: widen it in planner/crossings.rs and astar.rs"
);

const FILE_HELP: &str = "the first line is the number of games; each game is a line \
    `segments exit-x exit-y player-x player-y dynamite`, then a line `x1 y1 x2 y2` a segment";

/// A straight piece of wall, `from.x <= to.x` and `from.y <= to.y`, one of them equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub struct Segment {
    pub from: Point,
    pub to: Point,
}

impl Segment {
    /// The segment between two cells of one row or column, given in any order.
    pub fn between(a: Point, b: Point) -> Segment {
        debug_assert!(a.x == b.x || a.y == b.y);
        Segment { from: a.min(b), to: a.max(b) }
    }

    /// Its cells.
    pub fn cells(self) -> impl Iterator<Item = Point> {
        let Segment { from, to } = self;
        (from.y..=to.y).flat_map(move |y| (from.x..=to.x).map(move |x| Point::new(x, y)))
    }

    /// How many cells it has.
    pub fn length(self) -> usize {
        (self.to.x - self.from.x + self.to.y - self.from.y) as usize + 1
    }
}

/// A labyrinth: what the statement's input describes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Maze {
    /// The exit, a cell of the outer wall.
    pub exit: Point,
    /// Where the player wakes up.
    pub player: Point,
    /// Sticks of dynamite in the player's pockets.
    pub sticks: u32,
    /// The walls.
    pub segments: Vec<Segment>,
}

impl Maze {
    /// The game as a part of a file, without the leading number of games.
    pub fn text(&self) -> String {
        let Maze { exit, player, sticks, segments } = self;
        let mut text = format!(
            "{} {} {} {} {} {sticks}\n",
            segments.len(),
            exit.x,
            exit.y,
            player.x,
            player.y
        );
        for Segment { from, to } in segments {
            let _ = writeln!(text, "{} {} {} {}", from.x, from.y, to.x, to.y);
        }
        text
    }

    /// The labyrinth turned upside down, for a file whose y grows northward.
    #[must_use]
    pub fn upside_down(&self) -> Maze {
        let flip = |p: Point| Point::new(p.x, -p.y);
        Maze {
            exit: flip(self.exit),
            player: flip(self.player),
            sticks: self.sticks,
            segments: self
                .segments
                .iter()
                .map(|s| Segment::between(flip(s.from), flip(s.to)))
                .collect(),
        }
    }

    /// The least and the greatest coordinates of walls and exit.
    pub fn corners(&self) -> (Point, Point) {
        let ends = self.segments.iter().flat_map(|s| [s.from, s.to]).chain([self.exit]);
        ends.fold((self.exit, self.exit), |(low, high), p| {
            (
                Point::new(low.x.min(p.x), low.y.min(p.y)),
                Point::new(high.x.max(p.x), high.y.max(p.y)),
            )
        })
    }
}

/// The text of a file with these games.
///
/// ```
/// use outwit::diagnostic::Source;
/// use outwit::games::labyrinth::format::{read_mazes, text};
/// let file = "1\n4 2 0 2 2 0\n0 0 4 0\n0 4 4 4\n0 0 0 4\n4 0 4 4\n";
/// assert_eq!(text(&read_mazes(&Source::new("box.txt", file)).unwrap()), file);
/// ```
pub fn text(mazes: &[Maze]) -> String {
    let mut text = format!("{}\n", mazes.len());
    mazes.iter().for_each(|maze| text += &maze.text());
    text
}

/// The text of a transcript, one command a line.
pub fn transcript(commands: &[Command]) -> String {
    commands.iter().fold(String::new(), |mut text, command| {
        let _ = writeln!(text, "{command}");
        text
    })
}

/// Reads a transcript: one command a line, blank lines let pass. Each command comes with its line.
///
/// # Errors
/// The first line that is no command.
pub fn read_transcript(source: &Source) -> Result<Vec<(usize, Command)>, Diagnostic> {
    let lines = source.lines().filter(|line| !line.text.trim().is_empty());
    lines
        .map(|line| {
            line.text.parse().map(|command| (line.number, command)).map_err(|wrong: NotACommand| {
                let word = words(line.text).nth(wrong.word);
                let (column, length) =
                    word.unwrap_or_else(|| (line.text.trim_end().chars().count() + 1, 1));
                source
                    .error(line.number, column, length, wrong.message)
                    .help("a command is walk DIR K, look DIR K, look around or use dynamite")
            })
        })
        .collect()
}

/// Column and length in characters of each word of a line.
fn words(line: &str) -> impl Iterator<Item = (usize, usize)> {
    line.split_whitespace().map(move |word| {
        let at = word.as_ptr() as usize - line.as_ptr() as usize;
        (line[..at].chars().count() + 1, word.chars().count())
    })
}

/// Whether a text begins as a file of labyrinths: a number of games, then a line of six numbers and
/// a line of four.
pub fn recognises(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    [1, 6, 4].into_iter().all(|count| {
        let numbers = lines.next().map(|line| {
            line.split_whitespace().map(|word| word.parse::<i64>().ok()).collect::<Option<Vec<_>>>()
        });
        matches!(numbers, Some(Some(numbers)) if numbers.len() == count)
    })
}

/// Reads the games of a file, and checks that their walls are legal.
///
/// # Errors
/// The first thing that is wrong, and where: a number missing or out of range, a crooked segment, a
/// wall that is not thin, a player in a wall, an exit that is not on the outer wall.
pub fn read_mazes(source: &Source) -> Result<Vec<Maze>, Diagnostic> {
    if source.text.trim().is_empty() {
        return Err(source.error(1, 1, 1, "the file is empty").help(FILE_HELP));
    }
    let mut reader = Reader::new(source);
    let games = reader.number("the number of games", 1, MAX_GAMES as i64)?.value;
    let mazes: Vec<Maze> = (0..games).map(|_| reader.maze()).collect::<Result<_, _>>()?;
    match reader.next() {
        None => Ok(mazes),
        Some(token) => Err(source
            .error(
                token.line,
                token.column,
                token.text.chars().count(),
                "something follows the last game",
            )
            .help("delete it, or raise the number of games in the first line")),
    }
}

/// A word of the file and its place.
#[derive(Clone, Copy)]
struct Token<'a> {
    text: &'a str,
    line: usize,
    column: usize,
}

/// A number of the file and its place.
#[derive(Clone, Copy)]
struct Number {
    value: i64,
    line: usize,
    column: usize,
    length: usize,
}

struct Reader<'a> {
    source: &'a Source,
    tokens: Box<dyn Iterator<Item = Token<'a>> + 'a>,
    /// Where the text goes on, for a complaint about its end.
    end: (usize, usize),
}

impl<'a> Reader<'a> {
    fn new(source: &'a Source) -> Self {
        let tokens = source.lines().flat_map(|line| {
            line.text.split_whitespace().map(move |text| {
                let at = text.as_ptr() as usize - line.text.as_ptr() as usize;
                let column = line.text[..at].chars().count() + 1;
                Token { text, line: line.number, column }
            })
        });
        Reader { source, tokens: Box::new(tokens), end: (1, 1) }
    }

    fn next(&mut self) -> Option<Token<'a>> {
        let token = self.tokens.next()?;
        self.end = (token.line, token.column + token.text.chars().count());
        Some(token)
    }

    fn number(&mut self, what: &str, least: i64, most: i64) -> Result<Number, Diagnostic> {
        let Some(token) = self.next() else {
            let message = format!("the file ends where {what} must follow");
            return Err(self.source.error(self.end.0, self.end.1, 1, message));
        };
        let length = token.text.chars().count();
        let wrong = |message| self.source.error(token.line, token.column, length, message);
        let Ok(value) = token.text.parse::<i64>() else {
            return Err(wrong(format!("{what} must be a whole number")));
        };
        if !(least..=most).contains(&value) {
            return Err(wrong(format!("{what} must be from {least} to {most}")));
        }
        Ok(Number { value, line: token.line, column: token.column, length })
    }

    fn point(&mut self, what: &str) -> Result<(Point, Number), Diagnostic> {
        let mut coordinate =
            |axis| self.number(&format!("{what}'s {axis}"), -MAX_COORDINATE, MAX_COORDINATE);
        let (x, y) = (coordinate('x')?, coordinate('y')?);
        Ok((Point::new(x.value as i32, y.value as i32), x))
    }

    fn maze(&mut self) -> Result<Maze, Diagnostic> {
        let count = self.number("the number of segments", 1, MAX_SEGMENTS as i64)?.value;
        let (exit, exit_place) = self.point("the exit")?;
        let (player, player_place) = self.point("the player")?;
        let sticks = self.number("the number of sticks", 0, MAX_STICKS)?.value as u32;
        let mut maze = Maze { exit, player, sticks, segments: Vec::new() };
        let (mut places, mut extent) = (Vec::new(), [(exit.x, exit.x), (exit.y, exit.y)]);
        let mut cells = 0;
        for _ in 0..count {
            let (from, place) = self.point("the segment's start")?;
            let (to, end) = self.point("the segment's end")?;
            let segment = self.segment(from, to, place, end)?;
            cells += segment.length();
            for (range, (a, b)) in extent.iter_mut().zip([(from.x, to.x), (from.y, to.y)]) {
                *range = (range.0.min(a), range.1.max(b));
                if i64::from(range.1) - i64::from(range.0) > MAX_SIDE {
                    let message = format!("the labyrinth is wider than {MAX_SIDE} cells");
                    return Err(self.wrong(place, message));
                }
            }
            // Segments share their corners, so that their lengths sum up to a little more.
            if cells > MAX_WALL + count as usize {
                let message = format!("the walls are longer than {MAX_WALL} cells");
                return Err(self.wrong(place, message));
            }
            maze.segments.push(segment);
            places.push(place);
        }
        check(&maze).map_err(|fault| match fault.place {
            Place::Exit => self.wrong(exit_place, fault.message),
            Place::Player => self.wrong(player_place, fault.message),
            Place::Segment(i) => self.wrong(places[i], fault.message),
        })?;
        Ok(maze)
    }

    fn segment(&self, from: Point, to: Point, a: Number, b: Number) -> Result<Segment, Diagnostic> {
        if from.x != to.x && from.y != to.y {
            return Err(self
                .wrong(a, "the segment is neither horizontal nor vertical".into())
                .help("x1 = x2 or y1 = y2 must hold"));
        }
        if from.x > to.x || from.y > to.y {
            return Err(self
                .wrong(b, "the segment ends before it starts".into())
                .help("x1 <= x2 and y1 <= y2 must hold: exchange its ends"));
        }
        Ok(Segment { from, to })
    }

    fn wrong(&self, at: Number, message: String) -> Diagnostic {
        self.source.error(at.line, at.column, at.length, message)
    }
}

/// What of a labyrinth is at fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The exit's cell.
    Exit,
    /// The player's cell.
    Player,
    /// The segment with this index.
    Segment(usize),
}

/// Why a labyrinth is not legal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where.
    pub place: Place,
    /// What is wrong, one sentence without a full stop.
    pub message: String,
}

/// Checks a labyrinth against the statement: thin walls; the exit, counted as a piece of wall, on a
/// closed wall that holds the player and all other walls.
///
/// # Errors
/// The first fault, in the order of the segments.
pub fn check(maze: &Maze) -> Result<(), Fault> {
    let fault = |place, message: String| Err(Fault { place, message });
    let mut owner: AHashMap<Point, usize> = AHashMap::new();
    for (i, segment) in maze.segments.iter().enumerate() {
        segment.cells().for_each(|cell| {
            owner.entry(cell).or_insert(i);
        });
    }
    if owner.len() > MAX_WALL {
        let message = format!("the walls are longer than {MAX_WALL} cells");
        return fault(Place::Segment(maze.segments.len() - 1), message);
    }
    let mut walls: AHashSet<Point> = owner.keys().copied().collect();
    walls.insert(maze.exit);
    if walls.contains(&maze.player) {
        let what = if maze.player == maze.exit { "at the exit" } else { "inside a wall" };
        return fault(Place::Player, format!("the player starts {what}"));
    }
    thin(maze, &walls)?;
    let Some(outer) = closed_wall(&walls, maze.exit) else {
        return fault(Place::Exit, "the exit is not on a closed wall".into());
    };
    let polygon = Polygon::new(&outer);
    if !polygon.encloses(maze.player) {
        return fault(Place::Player, "the wall with the exit does not enclose the player".into());
    }
    for (i, segment) in maze.segments.iter().enumerate() {
        if !polygon.on(segment.from) && !polygon.encloses(segment.from) {
            let message = "this wall lies outside the closed wall with the exit".into();
            return fault(Place::Segment(i), message);
        }
    }
    Ok(())
}

/// "Each element of the wall is adjacent to no more than 2 other wall elements; the parts of the
/// wall which meet with their corners have to have a common neighboring element of the wall."
fn thin(maze: &Maze, walls: &AHashSet<Point>) -> Result<(), Fault> {
    let is_wall = |x: i32, y: i32| walls.contains(&Point::new(x, y));
    for (i, segment) in maze.segments.iter().enumerate() {
        for cell in segment.cells() {
            let Point { x, y } = cell;
            let [n, e, s, w] =
                [is_wall(x, y - 1), is_wall(x + 1, y), is_wall(x, y + 1), is_wall(x - 1, y)];
            let neighbours = [n, e, s, w].into_iter().filter(|&wall| wall).count();
            if neighbours > 2 {
                let message =
                    format!("the wall is not thin: {neighbours} wall cells lie beside {cell}");
                return Err(Fault { place: Place::Segment(i), message });
            }
            let corners = [(1, -1, n || e), (1, 1, s || e), (-1, 1, s || w), (-1, -1, n || w)];
            let bare = corners.iter().find(|&&(dx, dy, joined)| !joined && is_wall(x + dx, y + dy));
            if let Some((dx, dy, _)) = bare {
                let other = Point::new(x + dx, y + dy);
                let message = format!("walls touch only by a corner: {cell} and {other}");
                return Err(Fault { place: Place::Segment(i), message });
            }
        }
    }
    Ok(())
}

/// The cells of the closed wall through a cell, in order; `None` where the wall is open.
fn closed_wall(walls: &AHashSet<Point>, start: Point) -> Option<Vec<Point>> {
    let beside = |p: Point| {
        let sides = [(0, -1), (1, 0), (0, 1), (-1, 0)];
        sides.map(|(dx, dy)| Point::new(p.x + dx, p.y + dy))
    };
    let mut loop_cells = vec![start];
    let (mut before, mut here) = (start, start);
    loop {
        let onward =
            beside(here).into_iter().find(|next| *next != before && walls.contains(next))?;
        if onward == start {
            return (loop_cells.len() > 3).then_some(loop_cells);
        }
        (before, here) = (here, onward);
        loop_cells.push(here);
    }
}

/// A closed wall, for the question what it encloses.
struct Polygon {
    cells: AHashSet<Point>,
    /// By y: the x of the steps between the rows y and y + 1, sorted.
    steps: AHashMap<i32, Vec<i32>>,
}

impl Polygon {
    fn new(cells: &[Point]) -> Polygon {
        let mut steps: AHashMap<i32, Vec<i32>> = AHashMap::new();
        let ends = cells.iter().zip(cells.iter().cycle().skip(1));
        for (a, b) in ends.filter(|(a, b)| a.x == b.x) {
            steps.entry(a.y.min(b.y)).or_default().push(a.x);
        }
        steps.values_mut().for_each(|list| list.sort_unstable());
        Polygon { cells: cells.iter().copied().collect(), steps }
    }

    fn on(&self, p: Point) -> bool {
        self.cells.contains(&p)
    }

    /// Counts the crossings of a ray that runs westward just south of the cell's middle.
    fn encloses(&self, p: Point) -> bool {
        let crossings = self.steps.get(&p.y).map_or(0, |list| list.partition_point(|&x| x < p.x));
        !self.on(p) && crossings % 2 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOX: &str = "0 0 6 0\n0 6 6 6\n0 1 0 5\n6 1 6 5\n";

    fn read(text: &str) -> Result<Vec<Maze>, Diagnostic> {
        read_mazes(&Source::new("f", text))
    }

    fn complaint(text: &str) -> (usize, usize, String) {
        let diagnostic = read(text).expect_err(text);
        (diagnostic.line, diagnostic.column, diagnostic.message)
    }

    #[test]
    fn a_file_is_written_as_it_is_read() {
        let file = format!("2\n4 3 0 3 3 0\n{BOX}5 0 3 2 3 1\n{BOX}4 2 4 4\n");
        let mazes = read(&file).unwrap();
        assert_eq!(text(&mazes), file);
        assert_eq!(mazes[0].upside_down().upside_down(), mazes[0]);
        assert_eq!(mazes[1].corners(), (Point::new(0, 0), Point::new(6, 6)));
    }

    #[test]
    fn the_exit_may_be_a_gap_in_the_wall() {
        let gap = "1\n5 3 0 3 3 0\n0 0 2 0\n4 0 6 0\n0 6 6 6\n0 1 0 5\n6 1 6 5\n";
        assert!(read(gap).is_ok());
    }

    #[test]
    fn wrong_numbers_are_placed() {
        for (file, line, column, part) in [
            ("", 1, 1, "the file is empty"),
            ("0", 1, 1, "from 1 to 19"),
            ("1\n4 3 0 3 x 0\n", 2, 9, "player's y must be a whole number"),
            ("1\n1 3 0 3 3 0\n0 0 6", 3, 6, "the file ends"),
            ("1\n1 3 0 3 3 0\n0 0 6 6", 3, 1, "neither horizontal nor vertical"),
            ("1\n1 3 0 3 3 0\n6 0 0 0", 3, 5, "ends before it starts"),
            ("1\n1 0 0 1 1 0\n0 0 60000 0", 3, 1, "wider than 50000"),
            ("1\n1 0 0 1 1 99999999999999999999\n", 2, 11, "whole number"),
        ] {
            let (l, c, message) = complaint(file);
            assert_eq!((l, c), (line, column), "{file:?}: {message}");
            assert!(message.contains(part), "{message:?} lacks {part:?}");
        }
        let (line, _, message) = complaint(&format!("1\n4 3 0 3 3 0\n{BOX}7\n"));
        assert_eq!((line, message.as_str()), (7, "something follows the last game"));
    }

    #[test]
    fn walls_that_are_not_thin_are_placed() {
        for (walls, line, part) in [
            ("3 3 3 5\n", 4, "3 wall cells lie beside"),
            ("2 2 3 2\n4 3 4 3\n", 7, "touch only by a corner"),
            ("3 4 4 4\n3 5 3 5\n", 4, "beside"),
            ("8 8 8 9\n", 7, "outside the closed wall"),
        ] {
            let count = 4 + walls.lines().count();
            let file = format!("1\n{count} 0 1 1 1 0\n{BOX}{walls}");
            let (l, _, message) = complaint(&file);
            assert!(message.contains(part), "{message:?} lacks {part:?}");
            assert_eq!(l, line, "{message}");
        }
    }

    #[test]
    fn player_and_exit_must_be_where_they_can_be() {
        for (header, part) in [
            ("4 3 0 6 3 0", "inside a wall"),
            ("4 3 0 3 0 0", "at the exit"),
            ("4 3 0 9 9 0", "does not enclose the player"),
            ("4 3 3 2 2 0", "not on a closed wall"),
        ] {
            let (line, _, message) = complaint(&format!("1\n{header}\n{BOX}"));
            assert!(message.contains(part), "{message:?} lacks {part:?}");
            assert_eq!(line, 2);
        }
    }

    #[test]
    fn a_transcript_names_the_word_that_is_wrong() {
        let source = Source::new("t", "look around\n\n walk  up 3\n");
        let wrong = read_transcript(&source).unwrap_err();
        assert_eq!((wrong.line, wrong.column, wrong.length), (3, 8, 2));
        let missing = read_transcript(&Source::new("t", "walk north\n")).unwrap_err();
        assert_eq!((missing.line, missing.column), (1, 11));
        let good = Source::new("t", "look around\n\nuse dynamite\n");
        let lines: Vec<usize> = read_transcript(&good).unwrap().iter().map(|c| c.0).collect();
        assert_eq!(lines, [1, 3]);
    }
}
