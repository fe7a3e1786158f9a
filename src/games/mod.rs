//! The waist of the house: what everything above knows of a game, and nothing more.
//!
//! A [`Game`] reads texts into [`Area`]s and makes new ones; an [`Area`] replays plans through its
//! reference rules, plans, and opens a [`Session`] to be played by hand. Plans cross this waist as
//! texts in the game's own format, so that what is verified is the very text that leaves.
//! Everything above matches on nothing: it asks [`GameId::game`] and uses the traits.
//!
//! To add a game: a folder with the same rooms (`format`, `rules`, `state`, `planner`, `generate`),
//! its [`Game`] in the folder's `mod.rs`, and one line in [`GameId`].

pub mod history;
pub mod labyrinth;
pub mod last_of_us;
pub mod monsters;
pub mod robots;
pub mod sokoban;

use crate::board::{Cell, Direction, Shape};
use crate::diagnostic::{Diagnostic, Source};
use crate::search::{Budget, Outcome, Statistics, Verdict};
use std::fmt;
use std::io::{BufRead, Write};
use std::path::Path;
use std::str::FromStr;

/// Which game.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum GameId {
    LastOfUs,
    Sokoban,
    Robots,
    Labyrinth,
    Monsters,
}

impl GameId {
    /// The games that are built in, in the order they are listed.
    pub const ALL: &[GameId] =
        &[GameId::LastOfUs, GameId::Sokoban, GameId::Robots, GameId::Labyrinth, GameId::Monsters];

    /// The name used on the command line, and for folders under `areas` and `solutions`.
    pub fn name(self) -> &'static str {
        match self {
            GameId::LastOfUs => "last-of-us",
            GameId::Sokoban => "sokoban",
            GameId::Robots => "robots",
            GameId::Labyrinth => "labyrinth",
            GameId::Monsters => "monsters",
        }
    }

    /// The game itself.
    pub fn game(self) -> &'static dyn Game {
        match self {
            GameId::LastOfUs => &last_of_us::LastOfUs,
            GameId::Robots => &robots::Robots,
            GameId::Labyrinth => &labyrinth::Labyrinth,
            GameId::Monsters => &monsters::Monsters,
            GameId::Sokoban => &sokoban::Sokoban,
        }
    }
}

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for GameId {
    type Err = String;
    fn from_str(name: &str) -> Result<Self, String> {
        GameId::ALL.iter().copied().find(|id| id.name() == name).ok_or_else(|| {
            let names: Vec<_> = GameId::ALL.iter().map(|id| id.name()).collect();
            format!("unknown game {name:?}; one of {}", names.join(", "))
        })
    }
}

/// Tells which game a file is of: by the folder it is in, by its content where only one game
/// recognises it, and else by the nearest folder above that is named like a game.
///
/// # Errors
/// A diagnostic about the file as a whole where that leaves it open.
pub fn identify(path: &Path, source: &Source) -> Result<GameId, Diagnostic> {
    // What comes from stdin lies in no folder.
    let path = match path.as_os_str() == "-" {
        true => path.to_path_buf(),
        false => std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf()),
    };
    let mut named = path.ancestors().skip(1).map(|folder| {
        let name = folder.file_name().and_then(|name| name.to_str());
        name.and_then(|name| name.parse::<GameId>().ok())
    });
    if let Some(Some(game)) = named.next() {
        return Ok(game);
    }
    let recognising: Vec<GameId> =
        GameId::ALL.iter().copied().filter(|id| id.game().recognises(&source.text)).collect();
    if let [game] = recognising[..] {
        return Ok(game);
    }
    named.flatten().next().ok_or_else(|| {
        if source.text.trim().is_empty() {
            return Diagnostic::file(&source.name, "the file is empty");
        }
        let games = if recognising.is_empty() { GameId::ALL } else { &recognising[..] };
        let names: Vec<_> = games.iter().map(|id| id.name()).collect();
        Diagnostic::file(&source.name, "cannot tell which game this is")
            .help(format!("say --game with one of {}", names.join(", ")))
    })
}

/// A game: reads areas, makes new ones.
pub trait Game: Sync {
    /// Which game this is.
    fn id(&self) -> GameId;

    /// One line for help texts.
    fn about(&self) -> &'static str;

    /// Whether the text looks like an area of this game, so that `--game` may be left out.
    fn recognises(&self, text: &str) -> bool;

    /// Reads a file of one or more areas.
    ///
    /// # Errors
    /// The first thing that is wrong, and where.
    fn read(&self, source: &Source) -> Result<Vec<Box<dyn Area>>, Diagnostic>;

    /// The measures that [`Aim::optimal`] can name, where a game has several, the usual one first.
    /// A proof has a fact of that name, a whole number, for each; [`Answer::bound`] is in the
    /// measure that was asked for.
    fn measures(&self) -> &'static [&'static str] {
        &[]
    }

    /// What [`Game::generate`] can be told.
    fn parameters(&self) -> &'static [Parameter];

    /// Makes one area, the same for the same wish, with a plan that proves it solvable.
    ///
    /// # Errors
    /// One sentence where the wish cannot be met.
    fn generate(&self, wish: &Wish) -> Result<Generated, String>;

    /// Runs the statement's own program, byte for byte: `outwit simulate GAME`.
    ///
    /// Diagnostics may call the input anything: the caller puts its name in. An interactive
    /// program flushes after each turn, and gives to `warn` what is wrong but does not end it.
    ///
    /// # Errors
    /// What is wrong with the input, and where; a broken pipe or another failure of the streams;
    /// [`SimulateError::Missing`] for a game whose statement asks for no simulator.
    fn simulate(
        &self,
        input: &mut dyn BufRead,
        output: &mut dyn Write,
        warn: &mut dyn FnMut(Diagnostic),
    ) -> Result<(), SimulateError> {
        let _ = (input, output, warn);
        Err(SimulateError::Missing(self.id()))
    }
}

/// Why [`Game::simulate`] ended early.
#[derive(Debug, thiserror::Error)]
pub enum SimulateError {
    /// The game's statement asks for no such program.
    #[error("{0} has no simulator program")]
    Missing(GameId),
    /// The input is wrong.
    #[error(transparent)]
    Input(#[from] Diagnostic),
    /// A stream failed.
    #[error(transparent)]
    Stream(#[from] std::io::Error),
}

/// One area, read.
pub trait Area: Send + Sync {
    /// Its game.
    fn game(&self) -> GameId;

    /// Its name or title.
    fn name(&self) -> &str;

    /// The area in its game's own format.
    fn text(&self) -> String;

    /// Sizes and counts worth showing, as `("size", "10x10")`.
    fn facts(&self) -> Vec<Fact>;

    /// Replays a plan through the reference rules. Plans go through [`crate::verify::verify`].
    ///
    /// # Errors
    /// A diagnostic where the plan cannot be read; the first refused step where it is invalid.
    fn replay(&self, plan: &Source) -> Result<Proof, PlanError>;

    /// Looks for a plan within the budget.
    fn solve(&self, aim: &Aim, budget: &Budget) -> Answer;

    /// Shortens a valid plan within the budget. The answer may be worse than `plan`, or have no
    /// plan, where nothing shorter was found: the caller keeps the better after verification.
    ///
    /// A game without an improver of its own searches anew, knowing the plan.
    fn improve(&self, plan: &str, aim: &Aim, budget: &Budget) -> Answer {
        self.solve(&Aim { known: Some(plan.to_string()), ..aim.clone() }, budget)
    }

    /// Opens a game to be played by hand under the reference rules.
    fn session(&self) -> Box<dyn Session>;

    /// The steps of a plan, each as [`Session::act`] takes it and as [`Session::keys`] writes it:
    /// for watching a plan. A session that does all steps of a valid plan has won.
    ///
    /// # Errors
    /// A diagnostic where the plan cannot be read.
    fn steps(&self, plan: &Source) -> Result<Steps, Diagnostic>;
}

/// The steps of a plan, one after another: a short plan may write many of them.
pub type Steps = Box<dyn Iterator<Item = String>>;

/// What kind of plan is wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Aim {
    /// Spend the budget on a proof that the plan is shortest; in which measure where a game has
    /// several (one of [`Game::measures`]), otherwise empty.
    pub optimal: Option<String>,
    /// A valid plan that is known: only shorter ones are of interest.
    pub known: Option<String>,
}

/// A planner's answer at the waist.
#[derive(Clone, Debug)]
pub struct Answer {
    /// What is known.
    pub verdict: Verdict,
    /// The plan in the game's own format. Not yet verified: see [`crate::verify`].
    pub plan: Option<String>,
    /// Length of the plan, in the measure that was asked for, else in the game's own.
    pub length: Option<u64>,
    /// No plan is shorter than this; none where it is proven that there is no plan.
    pub bound: Option<u64>,
    /// What was spent.
    pub effort: Statistics,
    /// What else is worth reporting.
    pub notes: Vec<Fact>,
}

impl Answer {
    /// Nothing found, nothing proven, nothing spent.
    pub fn nothing() -> Self {
        Answer {
            verdict: Verdict::Unknown,
            plan: None,
            length: None,
            bound: Some(0),
            effort: Statistics::default(),
            notes: Vec::new(),
        }
    }

    /// The answer of a planner whose costs are the game's own measure; `write` makes a plan's text.
    pub fn new<A>(outcome: Outcome<A>, write: impl FnOnce(Vec<A>) -> String) -> Self {
        Answer {
            verdict: outcome.verdict,
            length: outcome.plan.is_some().then_some(outcome.cost),
            plan: outcome.plan.map(write),
            bound: (outcome.verdict != Verdict::Impossible).then_some(outcome.bound),
            effort: outcome.effort,
            notes: Vec::new(),
        }
    }
}

/// A named value for reports, tables and JSON.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Fact {
    /// What it is, lower case.
    pub name: &'static str,
    /// Its value.
    pub value: String,
}

impl Fact {
    /// A fact from anything that can be shown.
    pub fn new(name: &'static str, value: impl fmt::Display) -> Self {
        Fact { name, value: value.to_string() }
    }
}

/// What a successful replay showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// Length in the game's own measure (actions, moves, pushes, turns, oxygen).
    pub length: u64,
    /// Other measures: bricks, pushes and moves, readings, …
    pub facts: Vec<Fact>,
    /// Order of plans of one area, smaller is better; compared from the left.
    pub rank: Vec<u64>,
}

/// Why a plan is not valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlanError {
    /// It cannot be read.
    Unreadable(Diagnostic),
    /// It can be read, and the rules refuse it.
    Refused(Refusal),
}

/// The first step that the rules refuse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Number of the step, from 1; one past the last where the plan ends too early.
    pub step: u64,
    /// Line and text of the step in the plan's file, where it has one.
    pub line: Option<(usize, String)>,
    /// Why, one sentence without a full stop.
    pub reason: String,
    /// The board around the player at that moment, as text.
    pub board: String,
}

/// A game being played by hand.
pub trait Session: Send {
    /// Does one step, written as one line (or key) of the game's plan format.
    ///
    /// # Errors
    /// Why the rules refuse it; nothing has changed then.
    fn act(&mut self, step: &str) -> Result<(), String>;

    /// Takes back steps until no more than so many are done.
    fn rewind(&mut self, steps: u64);

    /// Takes back the last step; false at the start.
    fn undo(&mut self) -> bool {
        let steps = self.steps();
        self.rewind(steps.saturating_sub(1));
        steps > 0
    }

    /// Steps done.
    fn steps(&self) -> u64;

    /// Whether the game goes on.
    fn status(&self) -> Status;

    /// The plan so far, in the game's own format.
    fn plan(&self) -> String;

    /// The extent of the board and where the player is: row and column from 0.
    fn extent(&self) -> (Window, Option<(i64, i64)>);

    /// The part of the board in a window.
    fn view(&self, window: Window) -> View;

    /// All walls as rectangles, where the board is too large to be viewed cell by cell: what is
    /// neither in them nor the exit nor the player is free. `None` where [`Session::view`] will do.
    fn walls(&self) -> Option<Vec<Window>> {
        None
    }

    /// Whether the player has seen a cell, in a game that hides what was not: to be shown as fog.
    fn is_seen(&self, _row: i64, _col: i64) -> bool {
        true
    }

    /// Whether the game hides what the player has not seen.
    fn has_fog(&self) -> bool {
        false
    }

    /// The steps that have a key: for help texts and key bindings.
    fn keys(&self) -> Vec<Key>;

    /// The step that is aimed at a cell, a throw for instance; `None` in games without aiming.
    /// Whether it is allowed says [`Session::act`].
    fn aim(&self, _row: i64, _col: i64) -> Option<String> {
        None
    }

    /// What a letter of the board stands for, to be shown in its colour.
    fn role(&self, letter: char) -> Role {
        match letter {
            '#' => Role::Wall,
            '.' | ' ' => Role::Floor,
            '@' => Role::Player,
            _ => Role::Thing,
        }
    }
}

/// What a letter of a board stands for, whatever the game: enough to choose a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub enum Role {
    /// Nothing is there.
    Floor,
    /// In the way for good.
    Wall,
    /// Who is played.
    Player,
    /// Where to go, or where something has to go.
    Goal,
    /// A thing that is of use or has to be moved.
    Thing,
    /// A thing that is where it has to be.
    Settled,
    /// An opponent that moves on its own.
    Walker,
    /// An opponent that hunts.
    Hunter,
    /// An opponent that acts from afar.
    Shooter,
    /// A thing that will do harm.
    Trap,
    /// Harm being done.
    Blast,
    /// Not known yet.
    Unknown,
}

/// How a game stands.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub enum Status {
    /// It goes on.
    Playing,
    /// Won with the last step.
    Won,
    /// Lost, and why.
    Lost(String),
}

/// A rectangle of the board: top left cell and extent. Labyrinths have negative coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[allow(missing_docs)]
pub struct Window {
    pub row: i64,
    pub col: i64,
    pub rows: u32,
    pub cols: u32,
}

impl Window {
    /// A whole board whose rows and columns count from 0.
    pub fn whole(shape: Shape) -> Window {
        Window { row: 0, col: 0, rows: shape.rows, cols: shape.cols }
    }

    /// The part of the window that lies on a board.
    #[must_use]
    pub fn cut(self, board: Window) -> Window {
        let clip = |from: i64, length: u32, board_from: i64, board_length: u32| {
            let end = board_from.saturating_add(board_length.into());
            let start = from.clamp(board_from, end);
            let stop = from.saturating_add(length.into()).clamp(start, end);
            (start, (stop - start) as u32)
        };
        let (row, rows) = clip(self.row, self.rows, board.row, board.rows);
        let (col, cols) = clip(self.col, self.cols, board.col, board.cols);
        Window { row, col, rows, cols }
    }

    /// Whether a cell is in the window.
    pub fn contains(self, row: i64, col: i64) -> bool {
        (self.row..self.row.saturating_add(self.rows.into())).contains(&row)
            && (self.col..self.col.saturating_add(self.cols.into())).contains(&col)
    }
}

/// What is seen through a window.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct View {
    /// The window, cut to the board.
    pub window: Window,
    /// One string a row, one character a cell, in the game's own letters.
    pub rows: Vec<String>,
    /// Cells to point out: what is heard, traced, seen, threatened.
    pub marks: Vec<Mark>,
    /// What stands beside the board: turn, bricks, oxygen, …
    pub facts: Vec<Fact>,
}

impl View {
    /// A view that shows `letter` of each row and column; of the marks those that can be seen.
    pub fn new(
        window: Window,
        letter: impl Fn(i64, i64) -> char,
        mut marks: Vec<Mark>,
        facts: Vec<Fact>,
    ) -> View {
        let rows = window.row..window.row + i64::from(window.rows);
        let cols = window.col..window.col + i64::from(window.cols);
        let row = |row| cols.clone().map(|col| letter(row, col)).collect();
        // A line may lead into the window from outside.
        marks.retain(|mark| mark.to.is_some() || window.contains(mark.row, mark.col));
        View { window, rows: rows.map(row).collect(), marks, facts }
    }
}

/// A cell to point out.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Mark {
    /// Row, from 0.
    pub row: i64,
    /// Column, from 0.
    pub col: i64,
    /// What it is, one lower-case word: `hearing`, `target`, `danger`, …
    pub kind: &'static str,
    /// Where it points to, for lines between cells.
    pub to: Option<(i64, i64)>,
}

/// A step that has a key.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Key {
    /// The key: a character, or `up`, `down`, `left`, `right`, `space`.
    pub key: String,
    /// The step as [`Session::act`] takes it.
    pub step: String,
    /// What it does, for help texts.
    pub about: String,
}

impl Key {
    /// A key, its step and what it does.
    pub fn new(key: &str, step: &str, about: &str) -> Key {
        Key { key: key.into(), step: step.into(), about: about.into() }
    }

    /// The arrows and w a s d, for the four directions; `step` writes the step in a direction.
    pub fn four_ways(step: impl Fn(Direction) -> String, verb: &str) -> Vec<Key> {
        use Direction::{East, North, South, West};
        let ways = [
            (North, ["up", "w"]),
            (West, ["left", "a"]),
            (South, ["down", "s"]),
            (East, ["right", "d"]),
        ];
        let way = |(direction, keys): (Direction, [&str; 2])| {
            keys.map(|key| Key::new(key, &step(direction), &format!("{verb} {}", keys[0])))
        };
        ways.into_iter().flat_map(way).collect()
    }

    /// Those and the number pad, for a game with walks to all eight neighbours and standing still.
    pub fn nine_ways(step: impl Fn(Option<Direction>) -> String) -> Vec<Key> {
        use Direction::{East, North, NorthEast, NorthWest, South, SouthEast, SouthWest, West};
        let mut keys = Key::four_ways(|direction| step(Some(direction)), "walk");
        keys.extend(
            [
                ("8", Some(North), "walk up"),
                ("4", Some(West), "walk left"),
                ("2", Some(South), "walk down"),
                ("6", Some(East), "walk right"),
                ("7", Some(NorthWest), "walk up and left"),
                ("9", Some(NorthEast), "walk up and right"),
                ("1", Some(SouthWest), "walk down and left"),
                ("3", Some(SouthEast), "walk down and right"),
                ("5", None, "stay"),
                ("space", None, "stay"),
            ]
            .map(|(key, direction, about)| Key::new(key, &step(direction), about)),
        );
        keys
    }
}

/// Row and column of a cell, as views and marks have them.
pub fn coordinates(shape: Shape, cell: Cell) -> (i64, i64) {
    (shape.row(cell).into(), shape.col(cell).into())
}

/// Something that [`Game::generate`] can be told.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Name on the command line, without dashes.
    pub name: &'static str,
    /// One line for help texts, with the unit and the range.
    pub about: &'static str,
    /// The value where none is given.
    pub default: &'static str,
    /// The allowed words; empty for a whole number.
    pub words: &'static [&'static str],
}

/// What an area to be made shall be like.
#[derive(Clone, Debug, Default)]
pub struct Wish {
    /// Seed: the same wish gives the same area.
    pub seed: u64,
    /// Parameters by name; the others have their defaults.
    pub values: std::collections::BTreeMap<String, String>,
}

impl Wish {
    /// The value of a parameter.
    pub fn word<'a>(&'a self, parameter: &'a Parameter) -> &'a str {
        self.values.get(parameter.name).map_or(parameter.default, String::as_str)
    }

    /// The value of a whole-number parameter.
    ///
    /// # Errors
    /// One sentence where it is not a number.
    pub fn number(&self, parameter: &Parameter) -> Result<u64, String> {
        let word = self.word(parameter);
        word.parse().map_err(|_| format!("--{}: {word:?} is not a whole number", parameter.name))
    }
}

/// An area that was made, and a plan that proves it solvable.
#[derive(Clone, Debug)]
pub struct Generated {
    /// File name without ending.
    pub name: String,
    /// The area in the game's own format.
    pub area: String,
    /// A plan in the game's own format; the caller verifies it.
    pub plan: String,
}
