//! The statement's program, the arbiter: plays the games of a file, line by line, on the sparse board.
//!
//! This file knows the protocol and no pipes: it takes a [`Player`]'s lines and gives the arbiter's
//! answers, so that the same arbiter serves a program, a person and a test.

use super::format::Maze;
use super::format::protocol::{Command, Readings, Reply, STOP, greeting};
use super::state::State;
use std::io::{self, BufRead, Write};
use std::time::{Duration, Instant};

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

/// Why nothing more comes from a player.
pub type Gone = String;

/// Somebody who plays.
pub trait Player {
    /// Says something to the player.
    ///
    /// # Errors
    /// The player is gone.
    fn tell(&mut self, text: Vec<u8>) -> Result<(), Gone>;
    /// The player's next line in a game.
    ///
    /// # Errors
    /// The player is gone.
    fn hear(&mut self, game: &State) -> Result<String, Gone>;
}

/// Plays all games. Each verdict goes to `tell`; whether all games are won.
///
/// # Errors
/// The log or `tell` fails.
pub fn judge(
    mazes: &[Maze],
    readings: Readings,
    player: &mut dyn Player,
    log: &mut dyn Write,
    tell: &mut dyn FnMut(&str) -> io::Result<()>,
) -> io::Result<bool> {
    let mut all_won = true;
    let mut gone = None;
    say(player, log, format!("{}\n", mazes.len()).into_bytes(), &mut gone)?;
    for (number, maze) in (1..).zip(mazes) {
        let mut arbiter = Arbiter::new(maze, readings);
        let started = Instant::now();
        if gone.is_none() {
            say(player, log, arbiter.greeting().into_bytes(), &mut gone)?;
        }
        while arbiter.ending().is_none() {
            let line = match &gone {
                Some(reason) => Err(reason.clone()),
                None => player.hear(arbiter.state()),
            };
            let answer = match line {
                Ok(line) => {
                    writeln!(log, "{line}")?;
                    arbiter.answer(&line)
                }
                Err(reason) => {
                    let stop = arbiter.stop(reason.clone());
                    gone = Some(reason);
                    log.write_all(&stop)?;
                    break;
                }
            };
            say(player, log, answer, &mut gone)?;
        }
        let (line, won) = verdict(number, maze, &arbiter, started.elapsed());
        tell(&line)?;
        all_won &= won;
    }
    Ok(all_won)
}

/// Says something to the player and to the log; notes where the player is gone.
fn say(
    player: &mut dyn Player,
    log: &mut dyn Write,
    text: Vec<u8>,
    gone: &mut Option<Gone>,
) -> io::Result<()> {
    log.write_all(&text)?;
    if let Err(reason) = player.tell(text) {
        *gone = Some(reason);
    }
    Ok(())
}

/// The verdict on a game, and whether it was won.
fn verdict(number: usize, maze: &Maze, arbiter: &Arbiter, time: Duration) -> (String, bool) {
    let state = arbiter.state();
    let used = maze.sticks - state.sticks();
    let spent = format!(
        "{} commands, {} oxygen, {used} of {} dynamite, {:.2} s",
        state.commands(),
        state.oxygen(),
        maze.sticks,
        time.as_secs_f64()
    );
    match arbiter.ending() {
        Some(Ending::Won) => (format!("game {number}: won, {spent}"), true),
        Some(Ending::Lost(problem)) => (format!("game {number}: lost, {spent}: {problem}"), false),
        None => (format!("game {number}: broken off, {spent}"), false),
    }
}

/// Reads a line without its end; of a line that is longer than [`MAX_LINE_BYTES`] only the beginning.
///
/// # Errors
/// The input fails.
pub fn next_line(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let (mut line, mut any) = (Vec::new(), false);
    loop {
        let bytes = input.fill_buf()?;
        if bytes.is_empty() {
            return Ok(any.then(|| text(&line)));
        }
        any = true;
        let end = bytes.iter().position(|&byte| byte == b'\n');
        let part = &bytes[..end.unwrap_or(bytes.len())];
        line.extend_from_slice(&part[..part.len().min(MAX_LINE_BYTES - line.len())]);
        let consumed = end.map_or(bytes.len(), |end| end + 1);
        input.consume(consumed);
        if end.is_some() {
            return Ok(Some(text(&line)));
        }
    }
}

fn text(line: &[u8]) -> String {
    String::from_utf8_lossy(line).trim_end_matches('\r').to_string()
}
