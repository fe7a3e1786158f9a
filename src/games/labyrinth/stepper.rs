//! A maze as a stepper, over the sparse board. What the player has seen is kept in squares of cells.

use super::format::Maze;
use super::format::protocol::{Command, Picture, Point, Readings, Reply};
use super::session::{between, strip};
use super::state::State;
use crate::games::area::Area;
use crate::games::legend::Role;
use crate::games::session::Window;
use crate::games::stepper::{Opening, Stepped, Stepper, actions, observe_rows};
use std::sync::Arc;

/// Rows and columns of a square.
const SIDE: i64 = 32;

/// The start of a maze.
pub struct Start(Walk);

impl Start {
    /// The start of a maze.
    pub fn new(area: &dyn Area, maze: &Maze) -> Self {
        // A step that is no command does not come from a key.
        let steps = actions(&*area.session());
        let commands = steps.iter().filter_map(|step| step.parse().ok()).collect();
        let state = State::new(maze, Readings::default());
        let (low, high) = maze.corners();
        let mut walk = Walk { commands, state, low, high, seen: Seen::default(), is_over: false };
        walk.see_free(between(maze.player, maze.player));
        Start(walk)
    }
}

impl Opening for Start {
    fn begin(&self) -> Box<dyn Stepper> {
        Box::new(self.0.clone())
    }
}

/// A game in a maze.
#[derive(Clone)]
struct Walk {
    commands: Arc<[Command]>,
    state: State,
    /// The corners of the maze.
    low: Point,
    high: Point,
    seen: Seen,
    is_over: bool,
}

impl Walk {
    /// The player has seen cells that are all free, but for the exit.
    fn see_free(&mut self, window: Window) {
        let free = vec![Role::Floor.code(); window.cols as usize];
        for row in window.row..window.row + i64::from(window.rows) {
            self.seen.write(row, window.col, &free);
        }
        if let Some(exit) = self.state.exit() {
            let (row, col) = (i64::from(exit.y), i64::from(exit.x));
            if window.contains(row, col) {
                self.seen.write(row, col, &[Role::Goal.code()]);
            }
        }
    }

    /// The player has seen a picture, whose upper left cell lies at the window's.
    fn see(&mut self, window: Window, mut picture: Picture) {
        for letter in &mut picture.cells {
            *letter = match letter {
                b'X' => Role::Wall.code(),
                b'E' => Role::Goal.code(),
                _ => Role::Floor.code(),
            };
        }
        for (row, codes) in (window.row..).zip(picture.rows()) {
            self.seen.write(row, window.col, codes);
        }
    }
}

impl Stepper for Walk {
    fn step(&mut self, action: usize) -> Stepped {
        let Some(&command) = self.commands.get(action).filter(|_| !self.is_over) else {
            return Stepped::Refused;
        };
        let before = self.state.player();
        let Ok(reply) = self.state.attempt(command) else { return Stepped::Refused };
        let after = self.state.player();
        let around =
            between(Point::new(after.x - 1, after.y - 1), Point::new(after.x + 1, after.y + 1));
        self.is_over = reply == Reply::Found;
        match (reply, command) {
            (Reply::Looks(picture), Command::Look(heading, _)) => {
                let (rows, cols) = (picture.rows().count() as i32, picture.cols as i32);
                self.see(strip(before, heading, rows, cols), picture);
            }
            (Reply::Looks(picture), _) => self.see(around, picture),
            (Reply::Blasted, _) => self.see_free(around),
            (Reply::StillLost | Reply::Found, _) => self.see_free(between(before, after)),
        }
        if self.is_over { Stepped::Won } else { Stepped::Playing }
    }

    fn allowed(&mut self, mask: &mut [u8]) {
        for (&command, bit) in self.commands.iter().zip(mask) {
            *bit = u8::from(!self.is_over && self.state.allows(command));
        }
    }

    fn extent(&self) -> Window {
        let at = self.state.player();
        let low = Point::new(self.low.x.min(at.x), self.low.y.min(at.y));
        let high = Point::new(self.high.x.max(at.x), self.high.y.max(at.y));
        between(low, high)
    }

    fn player(&self) -> Option<(i64, i64)> {
        let at = self.state.player();
        Some((at.y.into(), at.x.into()))
    }

    fn observe(&self, window: Window, codes: &mut [u8]) {
        let Point { x, y } = self.state.player();
        observe_rows(self.extent(), window, codes, |row, col, codes| {
            self.seen.read(row, col, codes);
            let place = i64::from(x) - col;
            if row == i64::from(y) && (0..codes.len() as i64).contains(&place) {
                codes[place as usize] = Role::Player.code();
            }
        });
    }

    fn fork(&self) -> Box<dyn Stepper> {
        Box::new(self.clone())
    }
}

/// The codes of the cells that were seen, in squares of [`SIDE`] cells each way, by row and column of the
/// square.
#[derive(Clone, Default)]
struct Seen(ahash::HashMap<(i64, i64), Box<[u8]>>);

impl Seen {
    /// Writes the codes of a row, from a column on.
    fn write(&mut self, row: i64, mut col: i64, mut codes: &[u8]) {
        while !codes.is_empty() {
            let (square, at, length) = piece(row, col, codes.len());
            let empty = || vec![Role::Unknown.code(); (SIDE * SIDE) as usize].into();
            let square = self.0.entry(square).or_insert_with(empty);
            let (part, rest) = codes.split_at(length);
            square[at..at + length].copy_from_slice(part);
            (col, codes) = (col + length as i64, rest);
        }
    }

    /// Reads the codes of a row, from a column on.
    fn read(&self, row: i64, mut col: i64, mut codes: &mut [u8]) {
        while !codes.is_empty() {
            let (square, at, length) = piece(row, col, codes.len());
            let (part, rest) = codes.split_at_mut(length);
            match self.0.get(&square) {
                Some(square) => part.copy_from_slice(&square[at..at + length]),
                None => part.fill(Role::Unknown.code()),
            }
            (col, codes) = (col + length as i64, rest);
        }
    }
}

/// The square of a cell, its place there, and how many of `length` cells from there on lie in the square.
fn piece(row: i64, col: i64, length: usize) -> ((i64, i64), usize, usize) {
    let (r, c) = (row.rem_euclid(SIDE), col.rem_euclid(SIDE));
    let square = (row.div_euclid(SIDE), col.div_euclid(SIDE));
    (square, (r * SIDE + c) as usize, length.min((SIDE - c) as usize))
}

#[cfg(test)]
mod tests {
    use crate::games::GameId;
    use crate::games::stepper::tests::assert_as_sessions;

    #[test]
    fn does_what_the_session_does() {
        assert_as_sessions(GameId::Labyrinth, &[], 60_000);
    }
}
