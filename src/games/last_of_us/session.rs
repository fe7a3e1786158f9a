//! A game played by hand under the reference rules.

use super::format::{self, Action, HEARING_RANGE, MAX_ACTIONS, Map, THROW_RANGE};
use super::rules::{self, Event, Outcome, Readings};
use crate::board::Cell;
use crate::diagnostic::Source;
use crate::games::{Fact, Key, Mark, Role, Session, Status, View, Window};
use std::collections::BTreeMap;

/// The game is kept whole every so many actions, so that taking one back replays no more than this.
const CHECKPOINT_ACTIONS: usize = 256;

/// A game in progress with its whole past.
pub struct Play {
    game: rules::Game,
    actions: Vec<Action>,
    /// The games after 0, [`CHECKPOINT_ACTIONS`], twice as many, … actions.
    checkpoints: Vec<rules::Game>,
}

impl Play {
    /// The start of an area.
    pub fn new(map: &Map) -> Self {
        let game = rules::Game::new(map, Readings::default());
        Play { checkpoints: vec![game.clone()], game, actions: Vec::new() }
    }

    fn coordinates(&self, cell: Cell) -> (i64, i64) {
        let shape = self.game.map().shape;
        (shape.row(cell).into(), shape.col(cell).into())
    }
}

impl Session for Play {
    fn act(&mut self, step: &str) -> Result<(), String> {
        let source = Source::new("step", step);
        let mut lines = source.lines().filter(|line| !line.text.trim().is_empty());
        let (Some(line), None) = (lines.next(), lines.next()) else {
            return Err("one action a line: `w dx dy` or `b dx dy`".into());
        };
        let action = format::read_action(&source, line).map_err(|error| {
            error.help.map_or(error.message.clone(), |help| format!("{}: {help}", error.message))
        })?;
        if self.actions.len() == MAX_ACTIONS {
            return Err(format!("a plan has at most {MAX_ACTIONS} actions"));
        }
        self.game.act(action).map_err(|refused| refused.to_string())?;
        self.actions.push(action);
        if self.actions.len().is_multiple_of(CHECKPOINT_ACTIONS) {
            self.checkpoints.push(self.game.clone());
        }
        Ok(())
    }

    fn undo(&mut self) -> bool {
        if self.actions.pop().is_none() {
            return false;
        }
        self.checkpoints.truncate(self.actions.len() / CHECKPOINT_ACTIONS + 1);
        self.game = self.checkpoints[self.checkpoints.len() - 1].clone();
        for &action in &self.actions[(self.checkpoints.len() - 1) * CHECKPOINT_ACTIONS..] {
            let again = self.game.act(action);
            debug_assert_eq!(again, Ok(Event::Survived), "an action before the last one goes on");
        }
        true
    }

    fn steps(&self) -> u64 {
        self.actions.len() as u64
    }

    fn status(&self) -> Status {
        match self.game.outcome() {
            Outcome::Playing => Status::Playing,
            Outcome::Won => Status::Won,
            Outcome::Dead(cell) => Status::Lost(rules::killed_by(self.game.map(), cell)),
        }
    }

    fn plan(&self) -> String {
        format::plan_text(&self.actions)
    }

    fn extent(&self) -> (Window, Option<(i64, i64)>) {
        let shape = self.game.map().shape;
        let window = Window { row: 0, col: 0, rows: shape.rows, cols: shape.cols };
        (window, Some(self.coordinates(self.game.ellie())))
    }

    fn view(&self, window: Window) -> View {
        let window = window.cut(self.extent().0);
        let [row, col] = [window.row, window.col].map(|from| from as i32);
        View {
            rows: self.game.picture(row, col, window.rows as i32, window.cols as i32),
            marks: self.marks(window),
            facts: vec![
                Fact::new("turn", self.game.turn()),
                Fact::new("bricks", self.game.bricks()),
                Fact::new(
                    "tracing",
                    self.game.clickers().iter().filter(|c| c.traces.is_some()).count(),
                ),
            ],
            window,
        }
    }

    fn keys(&self) -> Vec<Key> {
        let key = |key: &str, step: &str, about: &str| Key {
            key: key.into(),
            step: step.into(),
            about: about.into(),
        };
        vec![
            key("up", "w 0 1", "walk up"),
            key("down", "w 0 -1", "walk down"),
            key("left", "w -1 0", "walk left"),
            key("right", "w 1 0", "walk right"),
            key("7", "w -1 1", "walk up and left"),
            key("9", "w 1 1", "walk up and right"),
            key("1", "w -1 -1", "walk down and left"),
            key("3", "w 1 -1", "walk down and right"),
            key("space", "w 0 0", "stand still"),
        ]
    }

    fn aim(&self, row: i64, col: i64) -> Option<String> {
        let (from_row, from_col) = self.coordinates(self.game.ellie());
        Some(format!("b {} {}", col - from_col, from_row - row))
    }

    fn role(&self, letter: char) -> Role {
        match letter {
            'E' => Role::Player,
            'X' => Role::Goal,
            'C' => Role::Hunter,
            '#' => Role::Wall,
            _ => Role::Floor,
        }
    }
}

impl Play {
    /// What to point out: cells where a sound is heard (`hearing`), cells beside a clicker
    /// (`danger`), cells a brick can be thrown to (`throw`), and for each clicker that traces a
    /// sound a line from it to the sound (`target`).
    fn marks(&self, window: Window) -> Vec<Mark> {
        let mut marks = Vec::new();
        let map = self.game.map();
        for (cell, distance) in self.heard_cells() {
            let (row, col) = self.coordinates(cell);
            if window.contains(row, col) && !map.is_blocked(cell) && distance > 0 {
                let kind = if distance == 1 { "danger" } else { "hearing" };
                marks.push(Mark { row, col, kind, to: None });
            }
        }
        if self.game.bricks() > 0 {
            let cells = around(map, self.game.ellie(), THROW_RANGE);
            for cell in cells.filter(|&cell| self.game.is_empty(cell)) {
                let (row, col) = self.coordinates(cell);
                if window.contains(row, col) {
                    marks.push(Mark { row, col, kind: "throw", to: None });
                }
            }
        }
        for clicker in self.game.clickers() {
            if let Some(sound) = clicker.traces {
                let (row, col) = self.coordinates(clicker.cell);
                marks.push(Mark { row, col, kind: "target", to: Some(self.coordinates(sound)) });
            }
        }
        marks
    }

    /// The cells within hearing of a clicker, each with its distance to the nearest one.
    fn heard_cells(&self) -> BTreeMap<Cell, u32> {
        let map = self.game.map();
        let mut cells = BTreeMap::new();
        for clicker in self.game.clickers() {
            for cell in around(map, clicker.cell, HEARING_RANGE) {
                let distance = map.shape.chebyshev(cell, clicker.cell);
                let nearest = cells.entry(cell).or_insert(distance);
                *nearest = distance.min(*nearest);
            }
        }
        cells
    }
}

/// The cells of the board within a Chebyshev distance of one.
fn around(map: &Map, cell: Cell, reach: i32) -> impl Iterator<Item = Cell> + '_ {
    let (row, col) = (map.shape.row(cell), map.shape.col(cell));
    (row - reach..=row + reach)
        .flat_map(move |r| (col - reach..=col + reach).filter_map(move |c| map.shape.at(r, c)))
}
