//! A labyrinth played by hand, with the map open, under the reference rules.

use super::format::{Maze, transcript};
use super::protocol::{Command, Point};
use super::rules::Rules;
use crate::games::{Fact, Key, Role, Session, Status, View, Window};

/// A game in progress. The walls are shared between its past states, so that taking back is cheap.
pub struct Play {
    maze: Maze,
    game: Rules,
    past: Vec<(Rules, Command)>,
}

impl Play {
    /// The beginning of a game.
    pub fn new(maze: &Maze, game: Rules) -> Play {
        Play { maze: maze.clone(), game, past: Vec::new() }
    }
}

impl Session for Play {
    fn act(&mut self, step: &str) -> Result<(), String> {
        if self.game.won {
            return Err("the game is won already".into());
        }
        let command: Command = step.parse().map_err(|e: super::protocol::NotACommand| e.message)?;
        let mut after = self.game.clone();
        after.act(command).map_err(|violation| violation.to_string())?;
        self.past.push((std::mem::replace(&mut self.game, after), command));
        Ok(())
    }

    fn undo(&mut self) -> bool {
        let Some((before, _)) = self.past.pop() else { return false };
        self.game = before;
        true
    }

    fn steps(&self) -> u64 {
        self.past.len() as u64
    }

    fn status(&self) -> Status {
        if self.game.won { Status::Won } else { Status::Playing }
    }

    fn plan(&self) -> String {
        let commands: Vec<Command> = self.past.iter().map(|(_, command)| *command).collect();
        transcript(&commands)
    }

    fn extent(&self) -> (Window, Option<(i64, i64)>) {
        let (mut low, mut high) = self.maze.corners();
        let Point { x, y } = self.game.player;
        (low.x, low.y) = (low.x.min(x), low.y.min(y));
        (high.x, high.y) = (high.x.max(x), high.y.max(y));
        let window = Window {
            row: i64::from(low.y),
            col: i64::from(low.x),
            rows: (high.y - low.y + 1) as u32,
            cols: (high.x - low.x + 1) as u32,
        };
        (window, Some((i64::from(y), i64::from(x))))
    }

    fn view(&self, window: Window) -> View {
        let window = cut(window, self.extent().0);
        let letter = |row: i64, col: i64| {
            let at = Point::new(col as i32, row as i32);
            char::from(if at == self.game.player { b'O' } else { self.game.cell(at) })
        };
        let cols = window.col..window.col + i64::from(window.cols);
        let rows = window.row..window.row + i64::from(window.rows);
        View {
            window,
            rows: rows.map(|row| cols.clone().map(|col| letter(row, col)).collect()).collect(),
            marks: Vec::new(),
            facts: vec![
                Fact::new("oxygen", self.game.oxygen),
                Fact::new("commands", self.game.commands),
                Fact::new("dynamite", self.game.sticks),
            ],
        }
    }

    fn walls(&self) -> Option<Vec<Window>> {
        let exit = self.maze.exit;
        let pieces = self.maze.segments.iter().flat_map(|segment| {
            let (from, to) = (segment.from, segment.to);
            let holds_exit = (from.x..=to.x).contains(&exit.x) && (from.y..=to.y).contains(&exit.y);
            if !holds_exit {
                return vec![(from, to)];
            }
            let (dx, dy) = (i32::from(from.y == to.y), i32::from(from.y != to.y));
            let before = (from, Point::new(exit.x - dx, exit.y - dy));
            let after = (Point::new(exit.x + dx, exit.y + dy), to);
            [before, after].into_iter().filter(|(a, b)| a.x <= b.x && a.y <= b.y).collect()
        });
        let window = |(from, to): (Point, Point)| Window {
            row: i64::from(from.y),
            col: i64::from(from.x),
            rows: (to.y - from.y + 1) as u32,
            cols: (to.x - from.x + 1) as u32,
        };
        Some(pieces.map(window).collect())
    }

    fn role(&self, letter: char) -> Role {
        match letter {
            'X' => Role::Wall,
            'E' => Role::Goal,
            'O' => Role::Player,
            _ => Role::Floor,
        }
    }

    fn keys(&self) -> Vec<Key> {
        let key = |key: &str, step: &str, about: &str| Key {
            key: key.into(),
            step: step.into(),
            about: about.into(),
        };
        vec![
            key("up", "walk north 1", "walk north"),
            key("right", "walk east 1", "walk east"),
            key("down", "walk south 1", "walk south"),
            key("left", "walk west 1", "walk west"),
            key("l", "look around", "look around"),
            key("d", "use dynamite", "use dynamite"),
        ]
    }
}

/// The part of a window within a board.
fn cut(window: Window, board: Window) -> Window {
    let end = |start: i64, length: u32| start + i64::from(length);
    let row = window.row.max(board.row);
    let col = window.col.max(board.col);
    let bottom = end(window.row, window.rows).min(end(board.row, board.rows));
    let right = end(window.col, window.cols).min(end(board.col, board.cols));
    Window { row, col, rows: (bottom - row).max(0) as u32, cols: (right - col).max(0) as u32 }
}
