//! The games on the table: their sessions, what was done and undone, what is being watched or aimed at.

use super::hint::{Hint, Question, in_words};
use crate::diagnostic::visible;
use crate::games::{Area, Fact, Key, Mark, Role, Session, Status, View, Window};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
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
    /// Reading the help, from this line on.
    Help(u16),
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
    /// Ask what to do from here.
    Hint,
    /// Go on to the next level.
    NextLevel,
    /// Go back to the level before.
    PreviousLevel,
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

/// A game of one level, as far as it was played.
struct Table {
    session: Box<dyn Session>,
    /// The steps done.
    done: Vec<String>,
    /// The steps ahead, the next one last: taken back ones, or a plan's.
    ahead: Vec<String>,
    /// The steps of the plan that the last hint came from.
    solution: Vec<String>,
}

impl Table {
    fn new(area: &dyn Area) -> Table {
        let (done, ahead, solution) = Default::default();
        Table { session: area.session(), done, ahead, solution }
    }
}

/// The games on the table: one level, or several of which one is played at a time.
pub struct App<'a> {
    areas: Vec<&'a dyn Area>,
    /// The level that is played, and its game.
    level: usize,
    table: Table,
    /// The games of the other levels that were played.
    others: Vec<Option<Table>>,
    mode: Mode,
    watching: bool,
    pace: usize,
    overlay: bool,
    fog: bool,
    side: bool,
    left: bool,
    message: String,
    /// The flag of the hint that is waited for, by which it is called off.
    hint: Option<Arc<AtomicBool>>,
    /// Whether that hint has yet to be looked for.
    is_hint_wanted: bool,
}

impl fmt::Debug for App<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("App")
            .field("level", &self.level)
            .field("done", &self.table.done)
            .finish_non_exhaustive()
    }
}

impl<'a> App<'a> {
    /// An area at its start.
    pub fn new(area: &'a dyn Area) -> Self {
        App::first_of(area, &[])
    }

    /// The first of several levels at its start.
    pub fn first_of(area: &'a dyn Area, more: &[&'a dyn Area]) -> Self {
        let areas: Vec<&dyn Area> = std::iter::once(area).chain(more.iter().copied()).collect();
        App {
            others: areas.iter().map(|_| None).collect(),
            areas,
            level: 0,
            table: Table::new(area),
            mode: Mode::Play,
            watching: false,
            pace: 2,
            overlay: true,
            fog: true,
            side: true,
            left: false,
            message: String::new(),
            hint: None,
            is_hint_wanted: false,
        }
    }

    /// An area at its start, with steps to watch at about `steps_a_second`, rounded to a pace there
    /// is.
    pub fn watching(area: &'a dyn Area, mut steps: Vec<String>, steps_a_second: f64) -> Self {
        steps.reverse();
        let pace = PACES.iter().position(|&pace| pace >= steps_a_second);
        let pace = pace.unwrap_or(PACES.len() - 1);
        let mut app = App::new(area);
        app.table.ahead = steps;
        // Who made the plan may have known the whole board: it is watched with the lights on.
        App { watching: true, pace, fog: false, ..app }
    }

    /// The area of the level that is played.
    pub fn area(&self) -> &'a dyn Area {
        self.areas[self.level]
    }

    /// Number of the level that is played, from 1, and how many there are.
    pub fn level(&self) -> (usize, usize) {
        (self.level + 1, self.areas.len())
    }

    /// The area's name.
    pub fn name(&self) -> String {
        visible(self.area().name())
    }

    /// The game's name.
    pub fn game(&self) -> &'static str {
        self.area().game().name()
    }

    /// How the game stands.
    pub fn status(&self) -> Status {
        self.table.session.status()
    }

    /// The plan so far, in the game's own format.
    pub fn plan(&self) -> String {
        self.table.session.plan()
    }

    /// Steps done, and steps ahead.
    pub fn progress(&self) -> (usize, usize) {
        (self.table.done.len(), self.table.ahead.len())
    }

    /// What the player is doing.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Whether the game hides what the player has not seen.
    pub fn has_fog(&self) -> bool {
        self.table.session.has_fog()
    }

    /// Whether a cell is hidden by fog.
    pub fn is_hidden(&self, row: i64, col: i64) -> bool {
        self.fog && self.has_fog() && !self.table.session.is_seen(row, col)
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
        self.table.session.keys()
    }

    /// Whether the game has steps that are aimed.
    pub fn can_aim(&self) -> bool {
        let (board, player) = self.table.session.extent();
        let (row, col) = player.unwrap_or((board.row, board.col));
        self.table.session.aim(row, col).is_some()
    }

    /// What a letter of the board stands for.
    pub fn role(&self, letter: char) -> Role {
        self.table.session.role(letter)
    }

    /// The part of the board that fits into `rows` rows and `cols` columns, around the player or,
    /// when aiming, around the cell aimed at.
    pub fn view(&self, rows: u32, cols: u32) -> View {
        let (board, player) = self.table.session.extent();
        let focus = match self.mode {
            Mode::Aim(row, col) => Some((row, col)),
            _ => player,
        };
        self.table.session.view(around(board, focus, rows, cols))
    }

    /// The whole board's extent.
    pub fn board(&self) -> Window {
        self.table.session.extent().0
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
        let (level, levels) = self.level();
        if levels > 1 {
            facts.push(Fact::new("level", format!("{level} of {levels}")));
        }
        if !self.table.ahead.is_empty() {
            let total = self.table.done.len() + self.table.ahead.len();
            facts.push(Fact::new("step", format!("{} of {total}", self.table.done.len())));
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
        self.call_off_hint();
        if self.try_step(step) && self.table.ahead.pop().is_some_and(|next| next != step) {
            self.table.ahead.clear();
        }
    }

    fn try_step(&mut self, step: &str) -> bool {
        match self.table.session.act(step) {
            Ok(()) => {
                self.table.done.push(step.to_string());
                self.message = match self.table.session.status() {
                    Status::Playing => String::new(),
                    Status::Won => format!("won in {} steps", self.table.done.len()),
                    Status::Lost(why) => format!("lost: {why}"),
                };
                true
            }
            Err(why) => {
                self.message = match self.table.session.status() {
                    Status::Playing => why.to_string(),
                    _ => format!("{why}: take steps back or restart"),
                };
                false
            }
        }
    }

    /// Does a command.
    pub fn command(&mut self, command: Command) {
        self.call_off_hint();
        match command {
            Command::Undo => {
                self.watching = false;
                if !self.undo() {
                    self.message = "this is the start".into();
                }
            }
            Command::Redo => {
                self.watching = false;
                if self.table.ahead.is_empty() {
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
                self.watching = !self.watching && !self.table.ahead.is_empty();
                if !self.watching && self.table.ahead.is_empty() {
                    self.message = "there is nothing ahead to watch: go back first".into();
                }
            }
            Command::Faster => self.pace = (self.pace + 1).min(PACES.len() - 1),
            Command::Slower => self.pace = self.pace.saturating_sub(1),
            Command::Aim => self.toggle_aim(),
            Command::Hint => self.want_hint(),
            Command::NextLevel => self.turn_to(self.level.checked_add(1), "this is the last level"),
            Command::PreviousLevel => {
                self.turn_to(self.level.checked_sub(1), "this is the first level");
            }
            Command::Overlay => self.overlay = !self.overlay,
            Command::Fog => self.toggle_fog(),
            Command::Side => self.side = !self.side,
            Command::Help => {
                self.watching = false;
                let is_shown = matches!(self.mode, Mode::Help(_));
                self.mode = if is_shown { Mode::Play } else { Mode::Help(0) };
            }
            Command::Leave => self.left = true,
        }
    }

    /// Says the next step of the plan that the last hint came from, where the game is still on it; else a hint has
    /// to be looked for.
    fn want_hint(&mut self) {
        self.watching = false;
        self.message = match self.status() {
            Status::Won => "the game is won: there is nothing left to do".into(),
            Status::Lost(_) => "the game is lost: take steps back or restart".into(),
            Status::Playing if self.say_hint() => return,
            Status::Playing => {
                self.is_hint_wanted = true;
                self.hint = Some(Arc::default());
                "looking for a hint ...".into()
            }
        };
    }

    /// Says the next step of the known solution, if the game is on it; whether it is.
    fn say_hint(&mut self) -> bool {
        let Table { session, done, solution, .. } = &self.table;
        let Some([next, following @ ..]) = solution.strip_prefix(&done[..]) else { return false };
        self.message = in_words(&**session, next, following.len());
        true
    }

    /// The position that a hint is to be looked for, once.
    pub fn question(&mut self) -> Option<Question<'a>> {
        let is_void = Arc::clone(self.hint.as_ref()?);
        let is_wanted = std::mem::take(&mut self.is_hint_wanted);
        is_wanted.then(|| Question { area: self.area(), begun: self.plan(), is_void })
    }

    /// The steps of the plan that the last hint came from.
    #[cfg(test)]
    pub fn solution(&self) -> &[String] {
        &self.table.solution
    }

    /// Whether a hint is waited for.
    pub fn waits_for_hint(&self) -> bool {
        self.hint.is_some()
    }

    /// Takes the answer to the last question, and says it.
    pub fn take_hint(&mut self, hint: Hint) {
        self.hint = None;
        let unknown = "no hint: nothing was found in a few seconds";
        match hint {
            Hint::Plan(steps) => {
                self.table.solution = steps;
                if !self.say_hint() {
                    self.message = unknown.into();
                }
            }
            Hint::Lost => {
                self.message = "this is lost, which is proven: take steps back".into();
            }
            Hint::Unknown => self.message = unknown.into(),
        }
    }

    /// Ends the search for a hint that something else was done before.
    pub fn call_off_hint(&mut self) {
        if let Some(is_void) = self.hint.take() {
            is_void.store(true, Ordering::Relaxed);
            self.is_hint_wanted = false;
            self.message.clear();
        }
    }

    /// Turns to another level, whose game goes on as it was left.
    fn turn_to(&mut self, level: Option<usize>, none: &str) {
        let Some(level) = level.filter(|&level| level < self.areas.len()) else {
            self.message = if self.areas.len() == 1 { "there is one level" } else { none }.into();
            return;
        };
        let next = self.others[level].take().unwrap_or_else(|| Table::new(self.areas[level]));
        self.others[self.level] = Some(std::mem::replace(&mut self.table, next));
        self.level = level;
        self.mode = Mode::Play;
        self.watching = false;
        self.message = format!("level {} of {}: {}", level + 1, self.areas.len(), self.name());
    }

    /// Moves the help up or down by some lines, within as many as it has entries.
    pub fn scroll_help(&mut self, lines: i32, entries: usize) {
        if let Mode::Help(from) = self.mode {
            let most = i32::try_from(entries).unwrap_or(i32::MAX);
            let from = i32::from(from).saturating_add(lines).clamp(0, most);
            self.mode = Mode::Help(u16::try_from(from).unwrap_or(u16::MAX));
        }
    }

    fn undo(&mut self) -> bool {
        if !self.table.session.undo() {
            return false;
        }
        self.table.ahead.extend(self.table.done.pop());
        self.message.clear();
        true
    }

    fn redo(&mut self) -> bool {
        let Some(next) = self.table.ahead.pop() else { return false };
        let done = self.try_step(&next);
        if !done {
            self.table.ahead.push(next);
        }
        done
    }

    fn restart(&mut self) {
        self.table.session = self.area().session();
        self.table.ahead.extend(self.table.done.drain(..).rev());
        self.mode = Mode::Play;
        self.message.clear();
    }

    fn toggle_fog(&mut self) {
        self.fog = !self.fog;
        self.message = match (self.table.session.has_fog(), self.fog) {
            (false, _) => "nothing is hidden in this game".into(),
            (true, true) => "what you have not seen is hidden".into(),
            (true, false) => "the whole board is shown".into(),
        };
    }

    fn toggle_aim(&mut self) {
        self.watching = false;
        self.mode = match (self.mode, self.table.session.extent().1) {
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
            && let Some(step) = self.table.session.aim(row, col)
        {
            let before = self.table.done.len();
            self.step(&step);
            if self.table.done.len() > before {
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
