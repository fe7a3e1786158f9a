//! A person who plays, or a script that is piped in.

use crate::command::output;
use outwit::games::labyrinth::format::protocol::{Command, LOOKS_LIKE};
use outwit::games::labyrinth::program::{Gone, Player, next_line};
use outwit::games::labyrinth::state::State;
use std::io::{self, IsTerminal, Write};

/// What a person at the terminal is told.
const HELP: &str = "\
You may say: walk DIR K, look DIR K, look around, use dynamite.
DIR is north, east, south or west, K a number of cells.
A walk into a wall loses the game. help says this again, quit (or Ctrl-D) leaves.";
/// Upper limit of the equal rows or columns of a picture that are shown to a person unfolded.
const MAX_EQUAL: usize = 12;
/// Number of equal rows or columns that are shown at each end of a fold.
const EQUAL_SHOWN: usize = 3;

/// A person, or a script that is piped in. At a terminal lines are asked for, and a slip of the
/// keyboard does not end the game.
pub struct Person {
    at_terminal: bool,
}

impl Person {
    pub fn new() -> Person {
        let at_terminal = io::stdin().is_terminal();
        if at_terminal {
            output::say(HELP);
        }
        Person { at_terminal }
    }

    /// A command from the terminal; `None` where the person leaves.
    fn ask(&self, game: &State) -> io::Result<Option<String>> {
        loop {
            let (commands, oxygen, sticks) = (game.commands(), game.oxygen(), game.sticks());
            let mut err = io::stderr();
            write!(err, "[{commands} commands, {oxygen} oxygen, {sticks} dynamite] > ")?;
            err.flush()?;
            let Some(line) = next_line(&mut io::stdin().lock())? else {
                writeln!(err)?;
                return Ok(None);
            };
            match line.trim() {
                "" => {}
                "quit" => return Ok(None),
                "help" => output::say(HELP),
                _ => match line.parse::<Command>() {
                    Ok(_) => return Ok(Some(line)),
                    Err(wrong) => {
                        output::say(&format!("{} (help lists the commands)", wrong.message))
                    }
                },
            }
        }
    }
}

/// An answer with long stretches of equal rows or columns of its picture folded.
fn folded(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let Some((head, picture)) = text.split_once('\n').filter(|(head, _)| *head == LOOKS_LIKE)
    else {
        return text.into_owned();
    };
    let rows: Vec<&str> = picture.lines().collect();
    let is_wide = rows.len() == 3;
    let column = |i: usize| rows.iter().map(|row| char::from(row.as_bytes()[i])).collect();
    let slices: Vec<String> = match is_wide {
        true => (0..rows[0].len()).map(column).collect(),
        false => rows.iter().map(|row| row.to_string()).collect(),
    };
    let (mut kept, mut folds) = (Vec::new(), Vec::new());
    for run in slices.chunk_by(|a, b| a == b) {
        if run.len() <= MAX_EQUAL {
            kept.extend_from_slice(run);
            continue;
        }
        kept.extend_from_slice(&run[..EQUAL_SHOWN]);
        kept.push("~~~".into());
        kept.extend_from_slice(&run[..EQUAL_SHOWN]);
        folds.push((run.len() - 2 * EQUAL_SHOWN).to_string());
    }
    if is_wide {
        let row = |i: usize| kept.iter().map(|slice| char::from(slice.as_bytes()[i])).collect();
        kept = (0..3).map(row).collect();
    }
    if !folds.is_empty() {
        let kind = if is_wide { "columns" } else { "rows" };
        kept.push(format!("(~ stands for equal {kind}: {})", folds.join(", ")));
    }
    format!("{head}\n{}\n", kept.join("\n"))
}

impl Player for Person {
    fn tell(&mut self, mut text: Vec<u8>) -> Result<(), Gone> {
        if self.at_terminal {
            text = folded(&text).into_bytes();
        }
        let mut out = io::stdout().lock();
        let told = out.write_all(&text).and_then(|()| out.flush());
        told.map_err(|_| "The player does not listen any more.".into())
    }

    fn hear(&mut self, game: &State) -> Result<String, Gone> {
        let line = match self.at_terminal {
            true => self.ask(game),
            false => next_line(&mut io::stdin().lock()),
        };
        line.ok().flatten().ok_or_else(|| "The player left.".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_pictures_are_folded_and_others_are_not() {
        let tall = format!("{LOOKS_LIKE}\nXXX\n{}.O.\n...\n", "...\n".repeat(100));
        let told =
            "XXX\n...\n...\n...\n~~~\n...\n...\n...\n.O.\n...\n(~ stands for equal rows: 94)\n";
        assert_eq!(folded(tall.as_bytes()), format!("{LOOKS_LIKE}\n{told}"));
        let (wall, free) = ("X".repeat(50), ".".repeat(49));
        let wide = format!("{LOOKS_LIKE}\n{wall}.\n.O{free}\n{wall}X\n");
        let told = "XXXXX~XXX.\n.O...~....\nXXXXX~XXXX\n(~ stands for equal columns: 42)\n";
        assert_eq!(folded(wide.as_bytes()), format!("{LOOKS_LIKE}\n{told}"));
        for text in ["1\n".into(), format!("{LOOKS_LIKE}\n...\n.O.\nXEX\n")] {
            assert_eq!(folded(text.as_bytes()), text);
        }
    }
}
