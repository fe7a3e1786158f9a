//! What is said between the arbiter and a player: commands, answers, and their texts.
//!
//! Both simulators, the referee, the explorer and the transcripts speak through these types, so
//! that a sentence of the protocol is written in one place.

use super::{MAX_COMMANDS, MAX_OXYGEN};
use std::fmt;

/// What the arbiter says of a walk that did not end the game.
pub const STILL_LOST: &str = "You are still lost in a dark maze.";
/// What the arbiter says of a walk into the exit.
pub const FOUND: &str = "Against all odds, you have found the exit. Congratulations!";
/// What precedes the rows of a picture.
pub const LOOKS_LIKE: &str = "The maze around you looks like this:";
/// The first line about dynamite.
pub const LIGHT_UP: &str = "You light up a stick of dynamite.";
/// The second line about dynamite.
pub const EXPLOSION: &str = "The explosion knocks you to the ground, but amazingly you survive.";
/// The first line of a game.
pub const WAKE_UP: &str = "You wake up with a headache, completely lost in a dark maze.";
/// How the arbiter begins the line that ends a lost game.
pub const STOP: &str = "STOP.";

/// One of the four compass directions, clockwise from north. y grows southward.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum Heading {
    North,
    East,
    South,
    West,
}

impl Heading {
    /// All four, clockwise from north.
    pub const ALL: [Heading; 4] = [Heading::North, Heading::East, Heading::South, Heading::West];

    /// Difference of x of one step.
    pub const fn dx(self) -> i32 {
        [0, 1, 0, -1][self as usize]
    }

    /// Difference of y of one step.
    pub const fn dy(self) -> i32 {
        [-1, 0, 1, 0][self as usize]
    }

    /// A quarter turn clockwise.
    pub const fn right(self) -> Heading {
        Heading::ALL[(self as usize + 1) % 4]
    }

    /// A quarter turn counterclockwise.
    pub const fn left(self) -> Heading {
        Heading::ALL[(self as usize + 3) % 4]
    }

    /// The opposite direction.
    pub const fn back(self) -> Heading {
        Heading::ALL[(self as usize + 2) % 4]
    }

    /// Whether it runs along a row: east or west.
    pub const fn is_horizontal(self) -> bool {
        matches!(self, Heading::East | Heading::West)
    }

    /// Its word in commands.
    pub const fn name(self) -> &'static str {
        ["north", "east", "south", "west"][self as usize]
    }

    /// The direction with this word.
    pub fn from_name(name: &str) -> Option<Heading> {
        Heading::ALL.into_iter().find(|heading| heading.name() == name)
    }
}

/// A cell: x grows eastward, y southward.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub struct Point {
    pub x: i32,
    pub y: i32,
}

impl Point {
    /// The cell at these coordinates.
    pub const fn new(x: i32, y: i32) -> Point {
        Point { x, y }
    }

    /// The cell `steps` cells away; negative steps go backward.
    pub const fn toward(self, heading: Heading, steps: i32) -> Point {
        Point { x: self.x + heading.dx() * steps, y: self.y + heading.dy() * steps }
    }

    /// Manhattan distance.
    pub const fn distance(self, other: Point) -> i32 {
        (self.x - other.x).abs() + (self.y - other.y).abs()
    }

    /// The 3×3 cells around and including this one, row by row.
    pub fn around(self) -> impl Iterator<Item = Point> {
        (-1..=1).flat_map(move |dy| (-1..=1).map(move |dx| Point::new(self.x + dx, self.y + dy)))
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {})", self.x, self.y)
    }
}

/// A command of the player.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Command {
    /// `walk DIR k`, k ≥ 1.
    Walk(Heading, u32),
    /// `look around`.
    LookAround,
    /// `look DIR k`, k ≥ 1.
    Look(Heading, u32),
    /// `use dynamite`.
    Dynamite,
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Command::Walk(heading, k) => write!(f, "walk {} {k}", heading.name()),
            Command::LookAround => f.write_str("look around"),
            Command::Look(heading, k) => write!(f, "look {} {k}", heading.name()),
            Command::Dynamite => f.write_str("use dynamite"),
        }
    }
}

/// Which word of a line is not what a command needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotACommand {
    /// Number of the word, from 0.
    pub word: usize,
    /// What is wrong, one sentence without a full stop.
    pub message: String,
}

impl std::str::FromStr for Command {
    type Err = NotACommand;

    /// Reads a command; blanks around and between the words are let pass.
    fn from_str(line: &str) -> Result<Command, NotACommand> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let wrong = |word, message: String| Err(NotACommand { word, message });
        let needed = match words[..] {
            [] => return wrong(0, "an empty line is no command".into()),
            ["look", "around", ..] | ["use", "dynamite", ..] => 2,
            ["walk" | "look", ..] => 3,
            ["use", ..] => return wrong(1, "only dynamite can be used".into()),
            [other, ..] => return wrong(0, format!("unknown command {:?}", clip(other))),
        };
        if words.len() > needed {
            return wrong(needed, "the command ends before this word".into());
        }
        match words[..] {
            ["look", "around"] => return Ok(Command::LookAround),
            ["use", _] => return Ok(Command::Dynamite),
            _ => {}
        }
        let Some(heading) = words.get(1).and_then(|word| Heading::from_name(word)) else {
            return wrong(1, "north, east, south or west must follow".into());
        };
        let digits = words.get(2).filter(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
        let Some(k) = digits.and_then(|word| word.parse().ok()).filter(|&k: &u32| k > 0) else {
            return wrong(2, "a number of cells, at least 1, must follow".into());
        };
        let walks = words[0] == "walk";
        Ok(if walks { Command::Walk(heading, k) } else { Command::Look(heading, k) })
    }
}

/// The beginning of a text that may be long.
fn clip(text: &str) -> String {
    text.chars().take(40).collect()
}

/// What the torch shows: rows of cells, north on top and west at the left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Cells in a row.
    pub cols: usize,
    /// The cells row by row: `X` wall, `.` free, `E` exit, `O` you.
    pub cells: Vec<u8>,
}

impl Picture {
    /// The rows from the top.
    pub fn rows(&self) -> impl Iterator<Item = &[u8]> {
        self.cells.chunks(self.cols)
    }
}

/// The arbiter's answer to a command that the rules allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Walked, and not into the exit.
    StillLost,
    /// Walked into the exit: won.
    Found,
    /// What the torch shows.
    Looks(Picture),
    /// The dynamite went off.
    Blasted,
}

impl Reply {
    /// The answer as the arbiter prints it, every line with its line end.
    pub fn text(&self) -> Vec<u8> {
        match self {
            Reply::StillLost => format!("{STILL_LOST}\n").into_bytes(),
            Reply::Found => format!("{FOUND}\n").into_bytes(),
            Reply::Blasted => format!("{LIGHT_UP}\n{EXPLOSION}\n").into_bytes(),
            Reply::Looks(picture) => {
                let lines = picture.cells.len() / picture.cols;
                let mut text =
                    Vec::with_capacity(LOOKS_LIKE.len() + 1 + picture.cells.len() + lines);
                text.extend_from_slice(LOOKS_LIKE.as_bytes());
                text.push(b'\n');
                for row in picture.rows() {
                    text.extend_from_slice(row);
                    text.push(b'\n');
                }
                text
            }
        }
    }
}

/// The two lines that open a game.
pub fn greeting(sticks: u32) -> String {
    let noun = if sticks == 1 { "stick" } else { "sticks" };
    format!("{WAKE_UP}\nIn your pockets you find a torch and {sticks} {noun} of dynamite.\n")
}

/// A choice for each point of the rules that the statement leaves open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Readings {
    /// A look ends at the exit as at a wall.
    pub exit_ends_look: bool,
    /// A walk over the exit wins there; otherwise only a walk that ends on it does.
    pub exit_wins_in_passing: bool,
    /// The cell you stand on is paid for when you look, too.
    pub own_cell_costs: bool,
    /// Dynamite beside the exit leaves it in place.
    pub exit_survives: bool,
}

impl Default for Readings {
    /// The readings that plans are verified under.
    fn default() -> Self {
        Readings {
            exit_ends_look: true,
            exit_wins_in_passing: true,
            own_cell_costs: false,
            exit_survives: true,
        }
    }
}

impl Readings {
    /// The readings that ask most of a plan. One that wins under these and under the default ones
    /// wins under all: it walks the same cells under each, and pays most under these.
    pub fn strictest() -> Self {
        Readings {
            exit_ends_look: false,
            exit_wins_in_passing: false,
            own_cell_costs: true,
            exit_survives: false,
        }
    }

    /// Every combination of the open readings.
    pub fn all() -> impl Iterator<Item = Readings> {
        (0..16).map(|bits| Readings {
            exit_ends_look: bits & 1 == 0,
            exit_wins_in_passing: bits & 2 == 0,
            own_cell_costs: bits & 4 != 0,
            exit_survives: bits & 8 == 0,
        })
    }
}

/// Why a game is stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Violation {
    /// The walk leads into a wall here.
    Wall(Point),
    /// No dynamite is left.
    NoDynamite,
    /// More than [`MAX_COMMANDS`].
    Commands,
    /// More than [`MAX_OXYGEN`].
    Oxygen,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Violation::Wall(at) => write!(f, "The walk leads into the wall at {at}."),
            Violation::NoDynamite => f.write_str("You have no dynamite left."),
            Violation::Commands => write!(f, "More than {MAX_COMMANDS} commands were given."),
            Violation::Oxygen => write!(f, "More than {MAX_OXYGEN} units of oxygen were used."),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_written_as_they_are_read() {
        for line in ["walk north 5", "look around", "look west 50000", "use dynamite"] {
            assert_eq!(line.parse::<Command>().unwrap().to_string(), line);
        }
    }

    #[test]
    fn the_word_that_spoils_a_command_is_named() {
        for (line, word) in [
            ("", 0),
            ("run north 5", 0),
            ("walk up 5", 1),
            ("walk around", 1),
            ("walk north", 2),
            ("walk north 0", 2),
            ("walk north -1", 2),
            ("walk north +1", 2),
            ("walk north 99999999999999999999", 2),
            ("walk north 5 6", 3),
            ("look around 1", 2),
            ("use torch", 1),
        ] {
            assert_eq!(line.parse::<Command>().unwrap_err().word, word, "{line:?}");
        }
    }
}
