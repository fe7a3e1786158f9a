//! A game played by hand, under the reference rules.

use super::format::{Level, direction, letter};
use super::rules::{Done, Game};
use crate::games::{Fact, Key, Role, Session, Status, View, Window};

/// A level being played.
pub struct Hand {
    game: Game,
    /// The game before each step, for undo, and the step's letter.
    history: Vec<(Game, char)>,
}

impl Hand {
    /// Opens a level.
    pub fn new(level: &Level) -> Self {
        Hand { game: Game::new(level), history: Vec::new() }
    }
}

impl Session for Hand {
    fn act(&mut self, step: &str) -> Result<(), String> {
        if self.game.is_complete() {
            return Err("every box is on a target already".into());
        }
        let mut letters = step.trim().chars();
        let wish = letters.next().and_then(direction);
        let (Some(direction), None) = (wish, letters.next()) else {
            return Err(format!("{step:?} is no key: u d l r"));
        };
        let before = self.game.clone();
        let done = self.game.press(direction).map_err(|blocked| blocked.to_string())?;
        self.history.push((before, letter(direction, done == Done::Pushed)));
        Ok(())
    }

    fn undo(&mut self) -> bool {
        match self.history.pop() {
            Some((before, _)) => {
                self.game = before;
                true
            }
            None => false,
        }
    }

    fn steps(&self) -> u64 {
        self.history.len() as u64
    }

    fn status(&self) -> Status {
        if self.game.is_complete() { Status::Won } else { Status::Playing }
    }

    fn plan(&self) -> String {
        let mut plan: String = self.history.iter().map(|(_, letter)| letter).collect();
        plan.push('\n');
        plan
    }

    fn extent(&self) -> (Window, Option<(i64, i64)>) {
        let shape = self.game.shape();
        let player = self.game.player();
        let window = Window { row: 0, col: 0, rows: shape.rows, cols: shape.cols };
        (window, Some((shape.row(player).into(), shape.col(player).into())))
    }

    fn view(&self, window: Window) -> View {
        let shape = self.game.shape();
        let cut = |from: i64, count: u32, side: u32| {
            let low = from.clamp(0, side.into());
            let high = (from.saturating_add(count.into())).clamp(low, side.into());
            (low, (high - low) as u32)
        };
        let (row, rows) = cut(window.row, window.rows, shape.rows);
        let (col, cols) = cut(window.col, window.cols, shape.cols);
        let board = self.game.board();
        let lines = board.lines().skip(row as usize).take(rows as usize).map(|line| {
            let line = if line == "-" { "" } else { line };
            let padded = line.chars().chain(std::iter::repeat(' '));
            padded.skip(col as usize).take(cols as usize).collect()
        });
        View {
            window: Window { row, col, rows, cols },
            rows: lines.collect(),
            marks: Vec::new(),
            facts: vec![
                Fact::new("moves", self.game.moves()),
                Fact::new("pushes", self.game.pushes()),
                Fact::new("boxes to place", self.game.misplaced()),
            ],
        }
    }

    fn role(&self, letter: char) -> Role {
        match letter {
            '#' => Role::Wall,
            '@' | '+' => Role::Player,
            '$' => Role::Thing,
            '*' => Role::Settled,
            '.' => Role::Goal,
            _ => Role::Floor,
        }
    }

    fn keys(&self) -> Vec<Key> {
        [("up", "u"), ("left", "l"), ("down", "d"), ("right", "r")]
            .map(|(key, step)| Key {
                key: key.into(),
                step: step.into(),
                about: format!("go or push {key}"),
            })
            .into()
    }
}
