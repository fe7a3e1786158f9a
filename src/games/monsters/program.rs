//! The statement's interactive program: the board, the turn, one key; again until the game is over.

use super::format::{Key, Level, Tile, read_header, read_row, shorten};
use super::rules::{Game, Standing};
use crate::diagnostic::{Diagnostic, Line, Source};
use crate::games::game::SimulateError;
use std::io::{self, BufRead, Write};

/// Lines longer than this many bytes are cut: no line of a level or of a session is as long.
const MAX_LINE_BYTES: usize = 4096;

/// What the input is called in diagnostics.
const INPUT: &str = "<input>";

/// Reads a level and then keys, and shows the board before each turn, until the game is over or the
/// input ends.
///
/// No more is read than the next line, so that a player may answer what was shown. `warn` gets a
/// diagnostic for each line that is not a key; it counts as waiting.
///
/// # Errors
/// What is wrong with the level; a failure of the streams.
pub fn simulate(
    input: &mut dyn BufRead,
    output: &mut dyn Write,
    warn: &mut dyn FnMut(Diagnostic),
) -> Result<(), SimulateError> {
    let mut lines = Lines { input, number: 0 };
    let mut world = Game::new(&read_level(&mut lines)?);
    loop {
        output.write_all(world.report().as_bytes())?;
        output.flush()?;
        if world.standing() != Standing::Playing {
            return Ok(());
        }
        let Some(line) = lines.next()? else { return Ok(()) };
        let key = Key::from_line(line.trim_end_matches('\r')).unwrap_or_else(|| {
            warn(unknown_key(lines.number, &line));
            Key::Wait
        });
        world.act(key);
    }
}

fn unknown_key(number: usize, line: &str) -> Diagnostic {
    let mut diagnostic =
        Diagnostic::file(INPUT, format!("{:?} is not a key: the hero waits", shorten(line)))
            .help("a key is one of w a s d or a space, alone on its line");
    (diagnostic.line, diagnostic.column) = (number, 1);
    diagnostic.length = line.chars().count().max(1);
    diagnostic.text = line.to_string();
    diagnostic
}

fn read_level(lines: &mut Lines<'_>) -> Result<Level, SimulateError> {
    let header = lines.next()?.unwrap_or_default();
    let mut source = Source::new(INPUT, header.as_str());
    let line = Line { number: 1, text: header.trim_end_matches('\r') };
    let shape = read_header(&source, line).map_err(SimulateError::Input)?;
    let mut tiles: Vec<Tile> = Vec::with_capacity(shape.cells());
    for row in 0..shape.rows {
        let Some(text) = lines.next()? else {
            let message = format!("the level ends after {row} of {} rows", shape.rows);
            return Err(SimulateError::Input(source.error(lines.number + 1, 1, 1, message)));
        };
        source.text.push('\n');
        source.text.push_str(&text);
        let line = Line { number: lines.number, text: text.trim_end_matches('\r') };
        read_row(&source, line, shape, row, &mut tiles).map_err(SimulateError::Input)?;
    }
    Ok(Level { shape, tiles })
}

/// The lines of a stream, one at a time, each cut to [`MAX_LINE_BYTES`].
struct Lines<'a> {
    input: &'a mut dyn BufRead,
    number: usize,
}

impl Lines<'_> {
    /// The next line without `\n`; bytes that are no text become replacement characters.
    fn next(&mut self) -> io::Result<Option<String>> {
        let mut line = Vec::new();
        let mut ended = false;
        while !ended {
            let chunk = match self.input.fill_buf() {
                Ok(chunk) => chunk,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if chunk.is_empty() {
                if line.is_empty() {
                    return Ok(None);
                }
                break;
            }
            let end = chunk.iter().position(|&byte| byte == b'\n');
            let (part, used) = end.map_or((chunk.len(), chunk.len()), |end| (end, end + 1));
            ended = end.is_some();
            let room = MAX_LINE_BYTES - line.len();
            line.extend_from_slice(&chunk[..part.min(room)]);
            self.input.consume(used);
        }
        self.number += 1;
        Ok(Some(String::from_utf8_lossy(&line).into_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(input: &[u8]) -> (String, Vec<Diagnostic>, Result<(), SimulateError>) {
        let (mut output, mut warnings) = (Vec::new(), Vec::new());
        let result = simulate(&mut &input[..], &mut output, &mut |d| warnings.push(d));
        (String::from_utf8(output).unwrap(), warnings, result)
    }

    #[test]
    fn input_may_end_at_any_key() {
        let (shown, warnings, result) = session(b"3 4\n####\n#@..\n####\nd");
        assert!(result.is_ok() && warnings.is_empty());
        assert_eq!(shown, "####\n#@..\n####\nTURN 0\n####\n#.@.\n####\nTURN 1\n");
    }

    #[test]
    fn an_unknown_key_is_told_and_waits() {
        let (shown, warnings, result) = session(b"3 4\r\n####\r\n#@..\r\n####\r\n\r\nd\r\nd\r\n");
        assert!(result.is_ok());
        assert_eq!((warnings.len(), warnings[0].line), (1, 5));
        assert!(shown.ends_with("#..@\n####\nTURN 3 - YOU WON\n"), "{shown}");
    }

    #[test]
    fn a_broken_level_is_a_diagnostic() {
        for input in ["", "3 4\n####\n", "3 4\n####\n#@.!\n####\n", "x\n", "3 4\n####\n#@.\n####\n"]
        {
            let (_, _, result) = session(input.as_bytes());
            assert!(matches!(result, Err(SimulateError::Input(_))), "{input}");
        }
        let long = [b"3 3\n".as_slice(), &[b'#'; 3 * MAX_LINE_BYTES]].concat();
        assert!(matches!(session(&long).2, Err(SimulateError::Input(_))));
    }
}
