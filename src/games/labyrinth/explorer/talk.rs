//! The explorer's side of a session of lines: reads the arbiter's answers, plays game after game.

use super::Explorer;
use crate::games::labyrinth::protocol::{
    Command, EXPLOSION, FOUND, Heading, LIGHT_UP, LOOKS_LIKE, Picture, Reply, STILL_LOST, STOP,
};
use std::io::{self, BufRead, Read, Write};

/// The longest line of the arbiter that is read, in bytes: a look of any length is shorter.
const MAX_LINE_BYTES: u64 = 16 << 20;

/// How a session went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Games begun.
    pub games: u32,
    /// Games won.
    pub won: u32,
}

/// Plays all games of a session, until the arbiter has said as many as it announced, or falls
/// silent.
///
/// # Errors
/// An answer that is none of the protocol's, or a stream that fails.
pub fn play(input: impl BufRead, output: impl Write) -> io::Result<Tally> {
    let mut talk = Talk { input, output };
    let mut tally = Tally::default();
    let Some(first) = talk.line()? else { return Ok(tally) };
    let Ok(games) = first.trim().parse::<u32>() else {
        return Err(strange(&first, "the number of games"));
    };
    while tally.games < games {
        let Some(sticks) = talk.greeting()? else { break };
        tally.games += 1;
        match talk.game(sticks)? {
            Some(true) => tally.won += 1,
            Some(false) => {}
            None => break,
        }
    }
    Ok(tally)
}

fn strange(line: &str, expected: &str) -> io::Error {
    let line: String = line.chars().take(80).collect();
    io::Error::new(io::ErrorKind::InvalidData, format!("{line:?} came where {expected} was due"))
}

/// What the arbiter answered.
enum Heard {
    Reply(Reply),
    Stop,
    Silence,
}

struct Talk<I, O> {
    input: I,
    output: O,
}

impl<I: BufRead, O: Write> Talk<I, O> {
    /// The next line that is not blank, without its end.
    fn line(&mut self) -> io::Result<Option<String>> {
        loop {
            let mut bytes = Vec::new();
            (&mut self.input).take(MAX_LINE_BYTES).read_until(b'\n', &mut bytes)?;
            if bytes.is_empty() {
                return Ok(None);
            }
            let line = String::from_utf8_lossy(&bytes);
            if !line.trim().is_empty() {
                return Ok(Some(line.trim().to_string()));
            }
        }
    }

    /// Waits for the beginning of a game: the number of sticks.
    fn greeting(&mut self) -> io::Result<Option<u32>> {
        while let Some(line) = self.line()? {
            let before = line.split_once(" stick").map(|(before, _)| before);
            let number = before.and_then(|before| before.rsplit(' ').next()?.parse().ok());
            if number.is_some() {
                return Ok(number);
            }
        }
        Ok(None)
    }

    /// Plays a game; whether it was won, or `None` where the arbiter fell silent.
    fn game(&mut self, sticks: u32) -> io::Result<Option<bool>> {
        let mut explorer = Explorer::new(sticks);
        loop {
            let command = explorer.command();
            writeln!(self.output, "{command}")?;
            self.output.flush()?;
            match self.answer(command)? {
                Heard::Reply(Reply::Found) => return Ok(Some(true)),
                Heard::Reply(reply) => explorer.hear(&reply),
                Heard::Stop => return Ok(Some(false)),
                Heard::Silence => return Ok(None),
            }
        }
    }

    /// Reads the answer to a command. Rows of a picture may still be due before it: see
    /// [`Talk::picture`].
    fn answer(&mut self, command: Command) -> io::Result<Heard> {
        while let Some(line) = self.line()? {
            if line.starts_with(STOP) {
                return Ok(Heard::Stop);
            }
            let reply = match (command, line.as_str()) {
                (Command::Walk(..), STILL_LOST) => Some(Reply::StillLost),
                (Command::Walk(..), FOUND) => Some(Reply::Found),
                (Command::Dynamite, EXPLOSION) => Some(Reply::Blasted),
                (Command::Dynamite, LIGHT_UP) => continue,
                (Command::Look(..) | Command::LookAround, LOOKS_LIKE) => {
                    self.picture(command)?.map(Reply::Looks)
                }
                (_, row) if is_row(row) => continue,
                _ => {
                    return Err(strange(&line, &format!("an answer to {:?}", command.to_string())));
                }
            };
            return Ok(reply.map_or(Heard::Silence, Heard::Reply));
        }
        Ok(Heard::Silence)
    }

    /// Reads a picture. The arbiter does not say how many rows will come. A look to the north ends
    /// one row after the player's; a look to the south ends at a wall. Whether it ends at the exit,
    /// too, is open, so no row after the exit is waited for: the walk to it can begin, and the rows
    /// that come before its answer are let pass.
    fn picture(&mut self, command: Command) -> io::Result<Option<Picture>> {
        let (heading, k) = match command {
            Command::Look(heading, k) => (heading, k as usize),
            _ => (Heading::East, 1),
        };
        let mut picture = Picture { cols: 0, cells: Vec::new() };
        let (mut rows, mut own) = (0, None);
        loop {
            let Some(row) = self.line()? else { return Ok(None) };
            let fits = picture.cols == 0 || row.len() == picture.cols;
            if !is_row(&row) || row.len() < 3 || !fits || rows > k + 2 {
                return Err(strange(&row, "a row of a picture"));
            }
            picture.cols = row.len();
            picture.cells.extend_from_slice(row.as_bytes());
            rows += 1;
            own = own.or_else(|| row.contains('O').then_some(rows));
            let is_last = match heading {
                Heading::East | Heading::West => rows == 3,
                Heading::North => own.is_some_and(|own| rows == own + 1),
                Heading::South => {
                    let blocked = matches!(row.as_bytes()[1], b'X' | b'E');
                    rows == k + 2 || own.is_some_and(|own| rows > own) && blocked
                }
            };
            if is_last {
                return Ok(Some(picture));
            }
        }
    }
}

fn is_row(line: &str) -> bool {
    line.bytes().all(|byte| matches!(byte, b'X' | b'.' | b'E' | b'O'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arbiter_that_talks_nonsense_or_stops_is_no_panic() {
        for (text, won) in [
            ("", Some(0)),
            ("2\n", Some(0)),
            ("x\n", None),
            (
                "1\nWake up.\nThere are 3 sticks\nThe maze around you looks like this:\nXXX\n",
                Some(0),
            ),
            ("1\n0 sticks\nHello\n", None),
            ("1\n0 sticks\nThe maze around you looks like this:\nXXX\nXQX\n", None),
            (
                "1\n0 sticks\nThe maze around you looks like this:\nXXX\nXXX\nXXX\nSTOP. No.\n",
                Some(0),
            ),
            ("1\n0 sticks\nThe maze around you looks like this:\n...\nEO.\n...\n\u{1}", None),
        ] {
            let tally = play(text.as_bytes(), Vec::new());
            assert_eq!(tally.ok().map(|tally| tally.won), won, "{text:?}");
        }
    }

    #[test]
    fn an_exit_that_ends_no_look_is_walked_to_at_once() {
        let session = "1\nYou find a torch and 1 stick of dynamite.\n\
            The maze around you looks like this:\n...\n.O.\n...\n\
            The maze around you looks like this:\n...\n.O.\n...\n...\nXEX\n...\n...\n\
            Against all odds, you have found the exit. Congratulations!\n";
        let mut said = Vec::new();
        // The explorer's first look into the dark goes where it likes: make it see the south.
        let tally = play(session.as_bytes(), &mut said);
        let said = String::from_utf8(said).unwrap();
        if said.contains("look south") {
            assert_eq!(tally.unwrap(), Tally { games: 1, won: 1 }, "{said}");
            assert!(said.ends_with("walk south 3\n"), "{said}");
        }
    }
}
