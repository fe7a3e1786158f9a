//! A game played by hand, under the reference rules.

use super::check::Lost;
use super::format::{Level, MAX_KEYS, MOVES, direction, letter};
use super::planner::OfBoard;
use super::rules::{Done, Game};
use crate::board::Direction;
use crate::games::fact::Fact;
use crate::games::legend::{Legend, MarkSign, Role, Sign};
use crate::games::objective::Objective;
use crate::games::plan::Answer;
use crate::games::planning::TextPlanner;
use crate::games::session::history::History;
use crate::games::session::{IllegalStep, Key, Mark, Session, Status, View, Window};
use crate::search::Run;
use std::fmt;
use std::sync::OnceLock;

/// What the signs on the board mean.
pub const LEGEND: Legend = Legend {
    signs: &[
        Sign::new('@', Role::Player, "you"),
        Sign::new('+', Role::Player, "you, on a target"),
        Sign::new('$', Role::Thing, "box"),
        Sign::new('*', Role::Settled, "box on a target"),
        Sign::new('.', Role::Goal, "target"),
        Sign::new('#', Role::Wall, "wall"),
    ],
    marks: &[
        MarkSign::new("dead", "a box here reaches no target"),
        MarkSign::new("stuck", "this box reaches no target any more"),
    ],
};

/// A level being played.
pub struct Play {
    level: Level,
    past: History<Game, Direction>,
    /// Made when it is first shown.
    lost: OnceLock<Option<Lost>>,
}

impl fmt::Debug for Play {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Play")
            .field("level", &self.level)
            .field("now", &self.past.now())
            .finish_non_exhaustive()
    }
}

impl Play {
    /// Opens a level.
    pub fn new(level: &Level) -> Self {
        let past = History::new(Game::new(level), MAX_KEYS, press);
        Play { level: level.clone(), past, lost: OnceLock::new() }
    }

    /// Squares without a box from which a box reaches no target (`dead`), and boxes that are lost
    /// (`stuck`). That a box is not marked proves nothing.
    fn marks(&self) -> Vec<Mark> {
        let Some(lost) = self.lost.get_or_init(|| Lost::new(&self.level)) else {
            return Vec::new();
        };
        let game = self.past.now();
        let mark = |kind| {
            move |cell| {
                let (row, col) = game.shape().coordinates(cell);
                Mark { row, col, kind, to: None }
            }
        };
        let dead = lost.dead_cells(&self.level).filter(|&cell| !game.boxes().contains(cell));
        dead.map(mark("dead"))
            .chain(lost.boxes(game.boxes()).into_iter().map(mark("stuck")))
            .collect()
    }
}

/// Presses a key in a game that goes on.
fn press(game: &mut Game, direction: Direction) -> Result<(), String> {
    if game.is_complete() {
        return Err("every box is on a target already".into());
    }
    game.press(direction).map(drop).map_err(|blocked| blocked.to_string())
}

impl Session for Play {
    fn act(&mut self, step: &str) -> Result<(), IllegalStep> {
        let mut letters = step.trim().chars();
        let wish = letters.next().and_then(direction);
        let (Some(direction), None) = (wish, letters.next()) else {
            return Err(format!("{step:?} is no key: u d l r").into());
        };
        Ok(self.past.act(direction)?)
    }

    fn rewind(&mut self, steps: u64) {
        self.past.rewind(steps as usize);
    }

    fn steps(&self) -> u64 {
        self.past.steps().len() as u64
    }

    fn status(&self) -> Status {
        if self.past.now().is_complete() { Status::Won } else { Status::Playing }
    }

    fn plan(&self) -> String {
        let mut game = self.past.start().clone();
        let key = |&direction| letter(direction, game.press(direction) == Ok(Done::Pushed));
        self.past.steps().iter().map(key).chain(['\n']).collect()
    }

    fn search(&self, objective: &Objective, run: &Run) -> Answer {
        let game = self.past.now();
        let (boxes, player) = (game.boxes().clone(), game.player());
        // The rest of the level is a level of its own.
        let rest = Level { boxes, player, ..self.level.clone() };
        let planner = OfBoard::from_position(&rest, self.plan().trim_end().to_string());
        TextPlanner::solve(&planner, objective, None, run)
    }

    fn length(&self, objective: &Objective) -> u64 {
        let game = self.past.now();
        if objective.measure == Some(MOVES) { game.moves() } else { game.pushes() }
    }

    fn position(&self) -> Vec<u64> {
        let game = self.past.now();
        let cells = game.boxes().iter().chain([game.player()]);
        cells.map(|cell| cell.0.into()).collect()
    }

    fn extent(&self) -> (Window, Option<(i64, i64)>) {
        let game = self.past.now();
        (Window::whole(game.shape()), Some(game.shape().coordinates(game.player())))
    }

    fn view(&self, window: Window) -> View {
        let game = self.past.now();
        let board = game.board();
        let lines: Vec<&[u8]> = board.lines().map(str::as_bytes).collect();
        // Drawn lines end with their last wall, and a line of nothing is a hyphen.
        let letter = |row: i64, col: i64| match lines.get(row as usize) {
            Some(line) if *line != b"-" => line.get(col as usize).map_or(' ', |&at| at.into()),
            _ => ' ',
        };
        let facts = vec![
            Fact::new("moves", game.moves()),
            Fact::new("pushes", game.pushes()),
            Fact::new("boxes to place", game.misplaced()),
        ];
        View::new(window.cut(self.extent().0), letter, self.marks(), facts)
    }

    fn legend(&self) -> &'static Legend {
        &LEGEND
    }

    fn keys(&self) -> Vec<Key> {
        Key::four_ways(|direction| letter(direction, false).to_string(), "go or push")
    }
}
