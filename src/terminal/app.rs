//! The game on the table: the session, what was done and undone, what is being watched or aimed at.

use crate::diagnostic::visible;
use crate::games::{Area, Fact, Key, Mark, Role, Session, Status, View, Window};
use std::time::Duration;

/// Paces in steps a second, from slow to fast.
const PACES: [f64; 8] = [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];

/// What the player is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Playing, or watching: keys act at once.
    Play,
    /// Choosing the cell to aim at: row and column.
    Aim(i64, i64),
    /// Reading the help.
    Help,
}

/// What a player can do in the app, besides the game's own steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Command {
    /// Take a step back.
    Undo,
    /// Do what was taken back again, or the next step of the plan being watched.
    Redo,
    /// Back to the start; all can be redone.
    Restart,
    /// Redo to the end.
    End,
    /// Watch the steps ahead, or stop that.
    Watch,
    /// Watch faster.
    Faster,
    /// Watch slower.
    Slower,
    /// Begin to aim, or stop it.
    Aim,
    /// Show or hide what is heard, seen and threatened.
    Overlay,
    /// Hide what the player has not seen, or show all.
    Fog,
    /// Show or hide the side of the board.
    Side,
    /// Show or hide the help.
    Help,
    /// Leave.
    Leave,
}

/// A game on the table.
pub struct App<'a> {
    area: &'a dyn Area,
    session: Box<dyn Session>,
    /// The steps done.
    done: Vec<String>,
    /// The steps ahead, the next one last: taken back ones, or a plan's.
    ahead: Vec<String>,
    mode: Mode,
    watching: bool,
    pace: usize,
    overlay: bool,
    fog: bool,
    side: bool,
    left: bool,
    message: String,
}

impl<'a> App<'a> {
    /// An area at its start.
    pub fn new(area: &'a dyn Area) -> Self {
        App {
            area,
            session: area.session(),
            done: Vec::new(),
            ahead: Vec::new(),
            mode: Mode::Play,
            watching: false,
            pace: 2,
            overlay: true,
            fog: true,
            side: true,
            left: false,
            message: String::new(),
        }
    }

    /// An area at its start, with steps to watch at about `steps_a_second`, rounded to a pace there
    /// is.
    pub fn watching(area: &'a dyn Area, mut steps: Vec<String>, steps_a_second: f64) -> Self {
        steps.reverse();
        let pace = PACES.iter().position(|&pace| pace >= steps_a_second);
        let pace = pace.unwrap_or(PACES.len() - 1);
        // Who made the plan may have known the whole board: it is watched with the lights on.
        App { ahead: steps, watching: true, pace, fog: false, ..App::new(area) }
    }

    /// The area's name.
    pub fn name(&self) -> String {
        visible(self.area.name())
    }

    /// The game's name.
    pub fn game(&self) -> &'static str {
        self.area.game().name()
    }

    /// How the game stands.
    pub fn status(&self) -> Status {
        self.session.status()
    }

    /// The plan so far, in the game's own format.
    pub fn plan(&self) -> String {
        self.session.plan()
    }

    /// Steps done, and steps ahead.
    pub fn progress(&self) -> (usize, usize) {
        (self.done.len(), self.ahead.len())
    }

    /// What the player is doing.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Whether the game hides what the player has not seen.
    pub fn has_fog(&self) -> bool {
        self.session.has_fog()
    }

    /// Whether a cell is hidden by fog.
    pub fn is_hidden(&self, row: i64, col: i64) -> bool {
        self.fog && self.has_fog() && !self.session.is_seen(row, col)
    }

    /// Whether the side of the board is shown.
    pub fn shows_side(&self) -> bool {
        self.side
    }

    /// Whether the player has left.
    pub fn is_left(&self) -> bool {
        self.left
    }

    /// What was said last.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The game's own keys.
    pub fn keys(&self) -> Vec<Key> {
        self.session.keys()
    }

    /// Whether the game has steps that are aimed.
    pub fn can_aim(&self) -> bool {
        let (board, player) = self.session.extent();
        let (row, col) = player.unwrap_or((board.row, board.col));
        self.session.aim(row, col).is_some()
    }

    /// What a letter of the board stands for.
    pub fn role(&self, letter: char) -> Role {
        self.session.role(letter)
    }

    /// The part of the board that fits into `rows` rows and `cols` columns, around the player or,
    /// when aiming, around the cell aimed at.
    pub fn view(&self, rows: u32, cols: u32) -> View {
        let (board, player) = self.session.extent();
        let focus = match self.mode {
            Mode::Aim(row, col) => Some((row, col)),
            _ => player,
        };
        self.session.view(around(board, focus, rows, cols))
    }

    /// The whole board's extent.
    pub fn board(&self) -> Window {
        self.session.extent().0
    }

    /// The marks of a view that are shown now.
    pub fn shown<'v>(&self, view: &'v View) -> impl Iterator<Item = &'v Mark> {
        let (overlay, aiming) = (self.overlay, matches!(self.mode, Mode::Aim(..)));
        // Where one can throw to matters only to who is throwing.
        view.marks
            .iter()
            .filter(move |mark| if mark.kind == "throw" { aiming } else { overlay || aiming })
    }

    /// The facts beside the board: the session's, and how a watched plan goes.
    pub fn facts(&self, view: &View) -> Vec<Fact> {
        let mut facts = view.facts.to_vec();
        if !self.ahead.is_empty() {
            let total = self.done.len() + self.ahead.len();
            facts.push(Fact::new("step", format!("{} of {total}", self.done.len())));
        }
        if self.watching {
            facts.push(Fact::new("pace", format!("{} steps/s", PACES[self.pace])));
        }
        facts
    }

    /// Time between two steps, while something is being watched.
    pub fn pause(&self) -> Option<Duration> {
        self.watching.then(|| Duration::from_secs_f64(1.0 / PACES[self.pace]))
    }

    /// Time for the next step of what is being watched.
    pub fn tick(&mut self) {
        if self.watching && !self.redo() {
            self.watching = false;
        }
    }

    /// Does a step of the game. What was ahead is forgotten, unless it began with this step.
    pub fn step(&mut self, step: &str) {
        self.watching = false;
        if self.try_step(step) && self.ahead.pop().is_some_and(|next| next != step) {
            self.ahead.clear();
        }
    }

    fn try_step(&mut self, step: &str) -> bool {
        match self.session.act(step) {
            Ok(()) => {
                self.done.push(step.to_string());
                self.message = match self.session.status() {
                    Status::Playing => String::new(),
                    Status::Won => format!("won in {} steps", self.done.len()),
                    Status::Lost(why) => format!("lost: {why}"),
                };
                true
            }
            Err(why) => {
                self.message = match self.session.status() {
                    Status::Playing => why,
                    _ => format!("{why}: take steps back or restart"),
                };
                false
            }
        }
    }

    /// Does a command.
    pub fn command(&mut self, command: Command) {
        match command {
            Command::Undo => {
                self.watching = false;
                if !self.undo() {
                    self.message = "this is the start".into();
                }
            }
            Command::Redo => {
                self.watching = false;
                if self.ahead.is_empty() {
                    self.message = "there is nothing to redo".into();
                } else {
                    self.redo();
                }
            }
            Command::Restart => {
                self.watching = false;
                self.restart();
            }
            Command::End => {
                self.watching = false;
                while self.redo() {}
            }
            Command::Watch => {
                self.watching = !self.watching && !self.ahead.is_empty();
                if !self.watching && self.ahead.is_empty() {
                    self.message = "there is nothing ahead to watch: go back first".into();
                }
            }
            Command::Faster => self.pace = (self.pace + 1).min(PACES.len() - 1),
            Command::Slower => self.pace = self.pace.saturating_sub(1),
            Command::Aim => self.toggle_aim(),
            Command::Overlay => self.overlay = !self.overlay,
            Command::Fog => self.toggle_fog(),
            Command::Side => self.side = !self.side,
            Command::Help => {
                self.watching = false;
                self.mode = if self.mode == Mode::Help { Mode::Play } else { Mode::Help };
            }
            Command::Leave => self.left = true,
        }
    }

    fn undo(&mut self) -> bool {
        if !self.session.undo() {
            return false;
        }
        self.ahead.extend(self.done.pop());
        self.message.clear();
        true
    }

    fn redo(&mut self) -> bool {
        let Some(next) = self.ahead.pop() else { return false };
        let done = self.try_step(&next);
        if !done {
            self.ahead.push(next);
        }
        done
    }

    fn restart(&mut self) {
        self.session = self.area.session();
        self.ahead.extend(self.done.drain(..).rev());
        self.mode = Mode::Play;
        self.message.clear();
    }

    fn toggle_fog(&mut self) {
        self.fog = !self.fog;
        self.message = match (self.session.has_fog(), self.fog) {
            (false, _) => "nothing is hidden in this game".into(),
            (true, true) => "what you have not seen is hidden".into(),
            (true, false) => "the whole board is shown".into(),
        };
    }

    fn toggle_aim(&mut self) {
        self.watching = false;
        self.mode = match (self.mode, self.session.extent().1) {
            (Mode::Aim(..), _) => Mode::Play,
            (_, Some((row, col))) if self.can_aim() => {
                self.message.clear();
                Mode::Aim(row, col)
            }
            _ => {
                self.message = "nothing is aimed in this game".into();
                Mode::Play
            }
        };
    }

    /// Moves the cell aimed at.
    pub fn move_aim(&mut self, rows: i64, cols: i64) {
        if let Mode::Aim(row, col) = self.mode {
            let board = self.board();
            let last = |from: i64, length: u32| from + i64::from(length.max(1)) - 1;
            self.message.clear();
            self.mode = Mode::Aim(
                (row + rows).clamp(board.row, last(board.row, board.rows)),
                (col + cols).clamp(board.col, last(board.col, board.cols)),
            );
        }
    }

    /// Does the step that is aimed at the chosen cell.
    pub fn aim(&mut self) {
        if let Mode::Aim(row, col) = self.mode
            && let Some(step) = self.session.aim(row, col)
        {
            let before = self.done.len();
            self.step(&step);
            if self.done.len() > before {
                self.mode = Mode::Play;
            }
        }
    }
}

/// The window of a size that is centred on a cell as far as the board's edges allow.
fn around(board: Window, focus: Option<(i64, i64)>, rows: u32, cols: u32) -> Window {
    let place = |from: i64, length: u32, at: Option<i64>, size: u32| {
        let size = size.min(length);
        let last = from + i64::from(length - size);
        let centred = at.map_or(from, |at| at - i64::from(size / 2));
        (centred.clamp(from, last), size)
    };
    let (row, rows) = place(board.row, board.rows, focus.map(|(row, _)| row), rows);
    let (col, cols) = place(board.col, board.cols, focus.map(|(_, col)| col), cols);
    Window { row, col, rows, cols }
}
