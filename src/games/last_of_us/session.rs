//! A game played by hand under the reference rules.

use super::format::{self, Action, HEARING_RANGE, MAX_ACTIONS, Map, THROW_RANGE};
use super::rules::{self, Event, Outcome, Readings};
use crate::board::Cell;
use crate::diagnostic::Source;
use crate::games::{Fact, Key, Mark, Session, Status, View, Window};

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
        let Some(line) = source.lines().find(|line| !line.text.trim().is_empty()) else {
            return Err("an action is `w dx dy` or `b dx dy`".into());
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
            Outcome::Dead(cell) => Status::Lost(super::killed_by(self.game.map(), cell)),
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
        let window = cut(window, self.extent().0);
        let [row, col] = [window.row, window.col].map(|from| from as i32);
        View {
            rows: self.game.picture(row, col, window.rows as i32, window.cols as i32),
            marks: self.marks(window),
            facts: vec![
                Fact::new("turn", self.game.turn()),
                Fact::new("bricks", self.game.bricks()),
                Fact::new("tracing", self.game.clickers().iter().filter(|c| c.traces.is_some()).count()),
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
}

impl Play {
    /// What to point out: cells where a sound is heard (`hearing`), cells beside a clicker
    /// (`danger`), cells a brick can be thrown to (`throw`), and for each clicker that traces a
    /// sound a line from it to the sound (`target`).
    fn marks(&self, window: Window) -> Vec<Mark> {
        let mut marks = Vec::new();
        let (ellie_row, ellie_col) = self.coordinates(self.game.ellie());
        let clickers: Vec<_> =
            self.game.clickers().iter().map(|c| self.coordinates(c.cell)).collect();
        let near = |row: i64, col: i64, (r, c): (i64, i64)| (r - row).abs().max((c - col).abs());
        let around: Vec<_> = clickers
            .iter()
            .copied()
            .filter(|&(row, col)| {
                let reach = i64::from(HEARING_RANGE);
                (window.row - reach..window.row + i64::from(window.rows) + reach).contains(&row)
                    && (window.col - reach..window.col + i64::from(window.cols) + reach)
                        .contains(&col)
            })
            .collect();
        let shape = self.game.map().shape;
        for row in window.row..window.row + i64::from(window.rows) {
            for col in window.col..window.col + i64::from(window.cols) {
                let cell = shape.cell(row as u32, col as u32);
                if self.game.map().is_blocked(cell) {
                    continue;
                }
                let mut mark = |kind| marks.push(Mark { row, col, kind, to: None });
                let nearest = around.iter().map(|&clicker| near(row, col, clicker)).min();
                match nearest {
                    Some(1) => mark("danger"),
                    Some(2) => mark("hearing"),
                    _ => {}
                }
                let throw = near(row, col, (ellie_row, ellie_col)) <= THROW_RANGE.into();
                if throw && self.game.bricks() > 0 && self.game.is_empty(cell) {
                    mark("throw");
                }
            }
        }
        for (clicker, &(row, col)) in self.game.clickers().iter().zip(&clickers) {
            if let Some(sound) = clicker.traces {
                marks.push(Mark { row, col, kind: "target", to: Some(self.coordinates(sound)) });
            }
        }
        marks
    }
}

/// The part of a window that lies on the board.
fn cut(window: Window, board: Window) -> Window {
    let clip = |from: i64, length: u32, limit: u32| {
        let start = from.clamp(0, limit.into());
        let end = from.saturating_add(length.into()).clamp(start, limit.into());
        (start, (end - start) as u32)
    };
    let (row, rows) = clip(window.row, window.rows, board.rows);
    let (col, cols) = clip(window.col, window.cols, board.cols);
    Window { row, col, rows, cols }
}
