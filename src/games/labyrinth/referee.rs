//! The arbiter: plays the games of a file, line by line, on the sparse board.
//!
//! This file knows the protocol and no pipes: it takes the player's lines and gives the arbiter's
//! answers, so that the same arbiter serves a program, a person and a test.

use super::format::Maze;
use super::protocol::{Command, Readings, Reply, STOP, greeting};
use super::state::State;

/// What is read of a player's line, in bytes: more than any command has.
pub const MAX_LINE_BYTES: usize = 256;

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The player is in the exit.
    Won,
    /// The player broke a rule or a limit, and which.
    Lost(String),
}

/// A game under the arbiter's eyes.
#[derive(Clone, Debug)]
pub struct Arbiter {
    state: State,
    sticks: u32,
    ending: Option<Ending>,
}

impl Arbiter {
    /// The beginning of a game.
    pub fn new(maze: &Maze, readings: Readings) -> Arbiter {
        Arbiter { state: State::new(maze, readings), sticks: maze.sticks, ending: None }
    }

    /// What the arbiter says first.
    pub fn greeting(&self) -> String {
        greeting(self.sticks)
    }

    /// The arbiter's answer to a line of the player, with its line ends.
    pub fn answer(&mut self, line: &str) -> Vec<u8> {
        let answer = match line.parse::<Command>() {
            Ok(command) => self.state.act(command).map_err(|violation| violation.to_string()),
            Err(wrong) => Err(format!("This is no command: {}.", wrong.message)),
        };
        match answer {
            Ok(reply) => {
                if reply == Reply::Found {
                    self.ending = Some(Ending::Won);
                }
                reply.text()
            }
            Err(problem) => self.stop(problem),
        }
    }

    /// Ends the game for a reason that is not in the rules: the player is silent, or gone.
    pub fn stop(&mut self, problem: String) -> Vec<u8> {
        let text = format!("{STOP} {problem}\n").into_bytes();
        self.ending = Some(Ending::Lost(problem));
        text
    }

    /// How the game ended, once it has.
    pub fn ending(&self) -> Option<&Ending> {
        self.ending.as_ref()
    }

    /// The game so far: commands, oxygen, sticks left.
    pub fn state(&self) -> &State {
        &self.state
    }
}
