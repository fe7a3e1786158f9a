//! The explorer's side of a session of lines: reads the arbiter's answers, plays game after game.

use super::Explorer;
use crate::games::labyrinth::format::protocol::{
    Command, EXPLOSION, FOUND, Heading, LIGHT_UP, LOOKS_LIKE, Picture, Reply, STILL_LOST, STOP,
};
use crate::games::labyrinth::format::{LOOK_OXYGEN, MAX_COMMANDS, MAX_OXYGEN, WALK_OXYGEN};
use std::io::{self, BufRead, Read, Write};

/// The longest line of the arbiter that is read, in bytes: longer than any row that is asked for.
const MAX_LINE_BYTES: u64 = 1 << 20;
/// The most lines that are let pass, blank ones or others, while one is waited for.
const MAX_IDLE_LINES: usize = 10_000;

/// Wall cells with three wall neighbours that are let pass in a game. Legal walls have none; where
/// there are many, the arbiter makes them up and the map would grow to no end.
const MAX_THICK: u32 = 100;

/// How a session went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Games that the arbiter announced.
    pub games: u32,
    /// Games won.
    pub won: u32,
}

/// Plays all games of a session, until the arbiter has said as many as it announced, or falls
/// silent.
///
/// # Errors
/// An answer that is none of the protocol's, a game that goes on beyond its limits, or a stream
/// that fails.
pub fn play(input: impl BufRead, output: impl Write) -> io::Result<Tally> {
    let mut client = Client { input, output };
    let first = client.line()?.unwrap_or_default();
    let Ok(games) = first.parse::<u32>() else {
        return Err(strange(&first, "the number of games"));
    };
    let mut tally = Tally { games, won: 0 };
    for _ in 0..games {
        let Some(sticks) = client.greeting()? else { break };
        match client.game(sticks)? {
            Some(won) => tally.won += u32::from(won),
            None => break,
        }
    }
    Ok(tally)
}

fn strange(line: &str, expected: &str) -> io::Error {
    let line: String = line.chars().take(80).collect();
    let came = if line.is_empty() { "nothing".to_string() } else { format!("{line:?}") };
    wrong(format!("the arbiter broke the protocol: {came} came where {expected} was due"))
}

fn wrong(message: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message.into())
}

/// What the arbiter answered.
enum Heard {
    Reply(Reply),
    Stop,
    Silence,
}

/// What a game has taken at least. An arbiter that lets it go on beyond the limits is none.
#[derive(Default)]
struct Spent {
    commands: u32,
    oxygen: u64,
    thick: u32,
}

impl Spent {
    fn add(&mut self, command: Command, reply: &Reply) -> io::Result<()> {
        self.commands += 1;
        match (command, reply) {
            (Command::Walk(_, k), _) => self.oxygen += u64::from(k) * u64::from(WALK_OXYGEN),
            (_, Reply::Looks(picture)) => {
                self.oxygen += (picture.cells.len() as u64 - 1) * u64::from(LOOK_OXYGEN);
                self.thick += thick_cells(picture);
            }
            _ => {}
        }
        if self.commands > MAX_COMMANDS || self.oxygen > u64::from(MAX_OXYGEN) {
            return Err(wrong("the arbiter lets a game go on beyond its limits"));
        }
        if self.thick > MAX_THICK {
            return Err(wrong("the arbiter shows walls that are not thin"));
        }
        Ok(())
    }
}

/// Wall cells of a picture that have three wall neighbours in it.
fn thick_cells(picture: &Picture) -> u32 {
    let Picture { cols, cells } = picture;
    let is_wall = |i: usize| matches!(cells.get(i), Some(b'X' | b'E'));
    let thick = |&i: &usize| {
        let sides = [
            i >= *cols && is_wall(i - cols),
            is_wall(i + cols),
            i % cols > 0 && is_wall(i - 1),
            (i + 1) % cols > 0 && is_wall(i + 1),
        ];
        is_wall(i) && sides.into_iter().filter(|&wall| wall).count() > 2
    };
    (0..cells.len()).filter(thick).count() as u32
}

struct Client<I, O> {
    input: I,
    output: O,
}

impl<I: BufRead, O: Write> Client<I, O> {
    /// The next line that is not blank, without its end.
    fn line(&mut self) -> io::Result<Option<String>> {
        for _ in 0..MAX_IDLE_LINES {
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
        Err(strange("", "a line that is not blank"))
    }

    /// Waits for the beginning of a game: the number of sticks.
    fn greeting(&mut self) -> io::Result<Option<u32>> {
        for _ in 0..MAX_IDLE_LINES {
            let Some(line) = self.line()? else { return Ok(None) };
            let before = line.split_once(" stick").map(|(before, _)| before);
            let number = before.and_then(|before| before.rsplit(' ').next()?.parse().ok());
            if number.is_some() {
                return Ok(number);
            }
        }
        Err(strange("", "the number of sticks of dynamite"))
    }

    /// Plays a game; whether it was won, or `None` where the arbiter fell silent. An arbiter that
    /// contradicts itself could keep a player busy to the limits: there is no maze to leave.
    fn game(&mut self, sticks: u32) -> io::Result<Option<bool>> {
        let (mut explorer, mut spent) = (Explorer::new(sticks), Spent::default());
        loop {
            let command = explorer.command();
            writeln!(self.output, "{command}")?;
            self.output.flush()?;
            match self.answer(command)? {
                Heard::Reply(Reply::Found) => return Ok(Some(true)),
                Heard::Reply(reply) => {
                    spent.add(command, &reply)?;
                    explorer.hear(&reply);
                    if let Some(cell) = explorer.contradiction() {
                        return Err(wrong(format!(
                            "the arbiter contradicts itself: at or beside {cell}, counted from the \
                             start, a wall comes or goes without dynamite"
                        )));
                    }
                }
                Heard::Stop => return Ok(Some(false)),
                Heard::Silence => return Ok(None),
            }
        }
    }

    /// Reads the answer to a command. Rows of a picture may still be due before it: see
    /// [`Client::picture`].
    fn answer(&mut self, command: Command) -> io::Result<Heard> {
        let expected = || format!("an answer to {:?}", command.to_string());
        for _ in 0..MAX_OXYGEN / LOOK_OXYGEN {
            let Some(line) = self.line()? else { return Ok(Heard::Silence) };
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
                _ => return Err(strange(&line, &expected())),
            };
            return Ok(reply.map_or(Heard::Silence, Heard::Reply));
        }
        Err(strange("no end of rows", &expected()))
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
        let longest = if heading.is_horizontal() { k + 2 } else { 3 };
        let mut picture = Picture { cols: 0, cells: Vec::new() };
        let (mut rows, mut own) = (0, None);
        loop {
            let Some(row) = self.line()? else { return Ok(None) };
            let fits = picture.cols == 0 || row.len() == picture.cols;
            if !is_row(&row) || !(3..=longest).contains(&row.len()) || !fits || rows == k + 2 {
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
            if is_last && !shows_player(&picture, heading) {
                return Err(strange(&row, "a picture with you where you are"));
            }
            if is_last {
                return Ok(Some(picture));
            }
        }
    }
}

/// Whether a picture shows the player once, one cell from the end that a look begins at.
fn shows_player(picture: &Picture, heading: Heading) -> bool {
    let (cols, rows) = (picture.cols, picture.cells.len() / picture.cols);
    let own = match heading {
        Heading::East | Heading::South => cols + 1,
        Heading::West => cols + cols - 2,
        Heading::North => (rows - 2) * cols + 1,
    };
    let shown = |cell: &&u8| **cell == b'O';
    picture.cells.get(own) == Some(&b'O') && picture.cells.iter().filter(shown).count() == 1
}

fn is_row(line: &str) -> bool {
    line.bytes().all(|byte| matches!(byte, b'X' | b'.' | b'E' | b'O'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Source;
    use crate::games::labyrinth::format::protocol::Readings;
    use crate::games::labyrinth::format::read_mazes;
    use crate::games::labyrinth::generate::{CLASSES, make};
    use crate::games::labyrinth::program::{Arbiter, Ending};
    use std::cell::RefCell;
    use std::collections::VecDeque;

    const AROUND: &str = "The maze around you looks like this:";

    #[test]
    fn an_arbiter_that_talks_nonsense_or_stops_is_no_panic() {
        for (text, won) in [
            (String::new(), None),
            ("x\n".into(), None),
            ("-1\n".into(), None),
            ("2\n".into(), Some(0)),
            (format!("1\nWake up.\nThere are 3 sticks\n{AROUND}\nXXX\n"), Some(0)),
            ("1\n0 sticks\nHello\n".into(), None),
            (format!("1\n0 sticks\n{AROUND}\nXXX\nXQX\n"), None),
            (format!("1\n0 sticks\n{AROUND}\nXXX\nXOX\nXXX\nSTOP. No.\n"), Some(0)),
            (format!("1\n0 sticks\n{AROUND}\n...\nEO.\n...\n\u{1}"), None),
            // No player, two of them, one who is elsewhere, a row that is too long.
            (format!("1\n0 sticks\n{AROUND}\n...\n...\n...\n"), None),
            (format!("1\n0 sticks\n{AROUND}\n...\nOO.\n...\n"), None),
            (format!("1\n0 sticks\n{AROUND}\nO..\n...\n...\n"), None),
            (format!("1\n0 sticks\n{AROUND}\n....\n.O..\n....\n"), None),
            ("\n".repeat(MAX_IDLE_LINES + 1), None),
            (format!("1\n{}", "Zzz.\n".repeat(MAX_IDLE_LINES + 1)), None),
            ("1".repeat(1 << 20), None),
        ] {
            let tally = play(text.as_bytes(), Vec::new());
            let begin: String = text.chars().take(80).collect();
            assert_eq!(tally.ok().map(|tally| tally.won), won, "{begin:?}");
        }
    }

    /// Both ends of a session within one thread: what the player writes is answered at once, and a
    /// player that waits for more than was answered finds the stream at its end.
    struct Line<F> {
        answer: F,
        said: String,
        told: VecDeque<u8>,
    }

    /// A session with an arbiter that answers each line.
    fn session(greeting: &str, answer: impl FnMut(&str) -> Vec<u8>) -> io::Result<Tally> {
        let told = format!("1\n{greeting}").into_bytes().into();
        let line = RefCell::new(Line { answer, said: String::new(), told });
        play(io::BufReader::with_capacity(1, Ear(&line)), Mouth(&line))
    }

    struct Ear<'a, F>(&'a RefCell<Line<F>>);
    struct Mouth<'a, F>(&'a RefCell<Line<F>>);

    impl<F> Read for Ear<'_, F> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0.borrow_mut().told.read(buffer)
        }
    }

    impl<F: FnMut(&str) -> Vec<u8>> Write for Mouth<'_, F> {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let line = &mut *self.0.borrow_mut();
            line.said += std::str::from_utf8(bytes).unwrap();
            while let Some((first, rest)) = line.said.split_once('\n') {
                line.told.extend((line.answer)(first));
                line.said = rest.to_string();
            }
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn an_arbiter_that_contradicts_itself_is_found_out() {
        for seed in 0..8 {
            let maze = |seed| {
                Arbiter::new(&make(&CLASSES[1], "any", None, seed).unwrap(), Readings::default())
            };
            let mut mazes: Vec<Arbiter> = (seed..seed + 3).map(maze).collect();
            let mut commands = 0;
            let heard = session(&mazes[0].greeting(), |line| {
                commands += 1;
                // Each command is done in another maze, and no walk meets a wall or the exit.
                let answer = mazes[commands % 3].answer(line);
                let walked = line.starts_with("walk");
                if walked { format!("{STILL_LOST}\n").into_bytes() } else { answer }
            });
            let error = heard.unwrap_err().to_string();
            assert!(error.contains("contradicts itself"), "seed {seed}: {error}");
            assert!(commands < 100, "seed {seed}: {commands} commands");
        }
    }

    #[test]
    fn an_exit_that_ends_no_look_is_walked_to_at_once() {
        let mut rows_behind_exit = 0;
        // The first game has a far hall in the north and the exit close in the south, so that the
        // first look that meets anything goes south, past the exit.
        for (x, y, py) in [(30, 60, 57), (30, 0, 3), (0, 30, 30), (60, 9, 9), (3, 60, 40)] {
            let header = format!("1\n4 {x} {y} 30 {py} 0\n");
            let maze = header + "0 0 60 0\n0 60 60 60\n0 0 0 60\n60 0 60 60\n";
            let maze = &read_mazes(&Source::new("hall", maze)).unwrap()[0];
            for readings in Readings::all() {
                let mut arbiter = Arbiter::new(maze, readings);
                let tally = session(&arbiter.greeting(), |line| {
                    let answer = arbiter.answer(line);
                    let text = String::from_utf8(answer.clone()).unwrap();
                    let south = line.starts_with("look south");
                    let rows: Vec<&str> = text.lines().collect();
                    let exit = rows.iter().position(|row| row.as_bytes()[1] == b'E');
                    rows_behind_exit += exit.filter(|_| south).map_or(0, |i| rows.len() - 1 - i);
                    answer
                });
                let won = Tally { games: 1, won: 1 };
                assert_eq!(tally.unwrap(), won, "exit ({x}, {y}): {readings:?}");
                assert_eq!(arbiter.ending(), Some(&Ending::Won));
            }
        }
        assert!(rows_behind_exit > 0, "no look went past an exit in the south");
    }
}
