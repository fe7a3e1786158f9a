//! Keys in LURD, with run lengths: `3r2U`, and of groups `2(3(u)r)`.

use crate::board::Direction;
use crate::diagnostic::{Diagnostic, Source};
use crate::games::sokoban::format::{MAX_KEYS, direction};
use crate::games::sokoban::solution::lines::{Kind, kind_of};

/// The most groups of keys within each other.
const MAX_DEPTH: usize = 64;

/// One key of a solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// Where the player is told to go.
    pub direction: Direction,
    /// Line of the file, from 1.
    pub line: u32,
    /// Place in the text of the first byte of the key, its run length included.
    pub from: u32,
    /// Place in the text just after the key.
    pub to: u32,
}

/// Reads a solution in LURD: `udlr` and `UDLR`, run lengths before a key or a group of keys, which the
/// end of a line may part from it. Blanks, lines that begin with `;` and lines `Word: …` are left out.
/// The case of a key is not checked: the rules say what was pushed.
///
/// # Errors
/// The first character that is no key, and where; more than [`MAX_KEYS`] keys.
pub fn read_keys(source: &Source) -> Result<Vec<Key>, Diagnostic> {
    let mut reader = Reader { source, keys: Vec::new(), run: None, groups: Vec::new() };
    reader.read()?;
    Ok(reader.keys)
}

/// Counts the keys of a text without storing them.
///
/// # Errors
/// As those of [`read_keys`].
pub fn count_keys(source: &Source) -> Result<usize, Diagnostic> {
    let mut reader = Reader { source, keys: 0_usize, run: None, groups: Vec::new() };
    reader.read()?;
    Ok(reader.keys)
}

/// Receives the keys that are read.
trait Sink {
    /// Number of keys so far.
    fn count(&self) -> usize;
    /// Takes the same key `times` times.
    fn push(&mut self, key: Key, times: usize);
    /// Has the keys from index `first` on `times` times, in place of once.
    fn repeat(&mut self, first: usize, times: usize);
}

impl Sink for Vec<Key> {
    fn count(&self) -> usize {
        self.len()
    }

    fn push(&mut self, key: Key, times: usize) {
        self.extend(std::iter::repeat_n(key, times));
    }

    fn repeat(&mut self, first: usize, times: usize) {
        let end = self.len();
        match times {
            0 => self.truncate(first),
            _ if first == end => {}
            _ => (1..times).for_each(|_| self.extend_from_within(first..end)),
        }
    }
}

impl Sink for usize {
    fn count(&self) -> usize {
        *self
    }

    fn push(&mut self, _: Key, times: usize) {
        *self += times;
    }

    fn repeat(&mut self, first: usize, times: usize) {
        *self = first + (*self - first) * times;
    }
}

/// Where a character stands.
#[derive(Clone, Copy)]
struct Place {
    /// Line, from 1.
    line: usize,
    /// Column in characters, from 1.
    column: usize,
    /// Byte of the text.
    byte: usize,
}

/// A number whose key has not come yet.
struct Run {
    times: usize,
    place: Place,
    /// Whether a blank stands after it: no digit belongs to it then.
    is_closed: bool,
}

/// A group of keys that is open.
struct Group {
    first: usize,
    times: usize,
    place: Place,
}

struct Reader<'a, S> {
    source: &'a Source,
    keys: S,
    run: Option<Run>,
    groups: Vec<Group>,
}

impl<S: Sink> Reader<'_, S> {
    fn read(&mut self) -> Result<(), Diagnostic> {
        let source = self.source;
        for line in source.lines() {
            if matches!(kind_of(line.text), Kind::Comment | Kind::Level { .. } | Kind::Note) {
                continue;
            }
            let start = source.place_of(line.text).start;
            for (i, (at, letter)) in line.text.char_indices().enumerate() {
                let place = Place { line: line.number, column: i + 1, byte: start + at };
                self.take(letter, place)?;
            }
        }
        if let Some(run) = &self.run {
            return Err(self.error(run.place, "a number without a key after it"));
        }
        match self.groups.last() {
            Some(group) => Err(self.error(group.place, "a bracket that is not closed")),
            None => Ok(()),
        }
    }

    fn take(&mut self, letter: char, place: Place) -> Result<(), Diagnostic> {
        match letter {
            '0'..='9' => self.digit(letter, place),
            '(' if self.groups.len() == MAX_DEPTH => {
                Err(self.error(place, format!("more than {MAX_DEPTH} brackets within each other")))
            }
            '(' => {
                let times = self.run.take().map_or(1, |run| run.times);
                self.groups.push(Group { first: self.keys.count(), times, place });
                Ok(())
            }
            ')' => self.close(place),
            _ if letter.is_whitespace() || letter == '\u{feff}' && place.byte == 0 => {
                if let Some(run) = &mut self.run {
                    run.is_closed = true;
                }
                Ok(())
            }
            _ => self.key(letter, place),
        }
    }

    fn digit(&mut self, letter: char, place: Place) -> Result<(), Diagnostic> {
        let digit = letter as usize - '0' as usize;
        match &mut self.run {
            Some(run) if run.is_closed => {
                let place = run.place;
                Err(self.error(place, "a number without a key after it"))
            }
            Some(run) => {
                run.times = (run.times * 10 + digit).min(MAX_KEYS + 1);
                Ok(())
            }
            None => {
                self.run = Some(Run { times: digit, place, is_closed: false });
                Ok(())
            }
        }
    }

    fn key(&mut self, letter: char, place: Place) -> Result<(), Diagnostic> {
        let Some(direction) = direction(letter) else {
            return Err(self
                .error(place, format!("{letter:?} is no key"))
                .help("keys are u d l r, upper case where a box is pushed"));
        };
        let (times, from) = self.run.take().map_or((1, place), |run| (run.times, run.place));
        self.make_room(times, place)?;
        let (line, from, to) = (place.line as u32, from.byte as u32, place.byte as u32 + 1);
        self.keys.push(Key { direction, line, from, to }, times);
        Ok(())
    }

    fn close(&mut self, place: Place) -> Result<(), Diagnostic> {
        if let Some(run) = &self.run {
            return Err(self.error(run.place, "a number without a key after it"));
        }
        let Some(group) = self.groups.pop() else {
            return Err(self.error(place, "a bracket that was not opened"));
        };
        let body = self.keys.count() - group.first;
        self.make_room(body.saturating_mul(group.times.saturating_sub(1)), place)?;
        self.keys.repeat(group.first, group.times);
        Ok(())
    }

    /// Refuses `more` further keys where there would be too many.
    fn make_room(&self, more: usize, place: Place) -> Result<(), Diagnostic> {
        if self.keys.count().saturating_add(more) <= MAX_KEYS {
            return Ok(());
        }
        Err(self.error(place, format!("a solution has at most {MAX_KEYS} keys")))
    }

    fn error(&self, place: Place, message: impl Into<String>) -> Diagnostic {
        self.source.error(place.line, place.column, 1, message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::sokoban::format::letter;
    use proptest::prelude::*;

    fn spelt(text: &str) -> Result<String, String> {
        let source = Source::new("plan", text);
        let keys = read_keys(&source);
        let count = count_keys(&source).map_err(|error| error.to_string());
        assert_eq!(keys.as_ref().map(Vec::len).map_err(ToString::to_string), count, "{text:?}");
        let keys = keys.map_err(|error| error.to_string())?;
        Ok(keys.iter().map(|key| letter(key.direction, false)).collect())
    }

    #[test]
    fn run_lengths_are_of_keys_and_of_groups_and_may_be_broken() {
        for (text, keys) in [
            ("2R", "rr"),
            ("12u0d", "uuuuuuuuuuuu"),
            ("r\n2\nR", "rrr"),
            ("r1\n2R\n", "rrrrrrrrrrrrr"),
            ("r 2 R", "rrr"),
            ("r2\r\n\r\nR", "rrr"),
            ("2\n; a remark\nR", "rr"),
            ("2(3(u)r)", "uuuruuur"),
            ("2(ur)l", "ururl"),
            ("(ur)l", "url"),
            ("0(ur)l", "l"),
            ("2\n(\nu\n)", "uu"),
            ("9()u", "u"),
            ("\u{feff}rR", "rr"),
            ("Title: x\n\nrR\nTime: 00:00\n", "rr"),
            ("", ""),
        ] {
            assert_eq!(spelt(text).as_deref(), Ok(keys), "{text:?}");
        }
    }

    #[test]
    fn what_is_wrong_is_placed() {
        for (text, message) in [
            ("rX", "plan:1:2: 'X' is no key"),
            ("r\nr2", "plan:2:2: a number without a key after it"),
            ("1 2R", "plan:1:1: a number without a key after it"),
            ("r(u2)", "plan:1:4: a number without a key after it"),
            ("r(u", "plan:1:2: a bracket that is not closed"),
            ("ru)", "plan:1:3: a bracket that was not opened"),
            ("rR:R", "plan:1:3: ':' is no key"),
            ("10000001u", "plan:1:9: a solution has at most 10000000 keys"),
            ("9999999u2r", "plan:1:10: a solution has at most 10000000 keys"),
            ("5000(5000(u))", "plan:1:13: a solution has at most 10000000 keys"),
            ("99999999999999999999(99999999999999999999(u))", "plan:1:44: a solution has at most"),
        ] {
            let error = spelt(text).expect_err(text);
            assert!(error.starts_with(message), "{text:?}: {error}");
        }
        let deep = "(".repeat(MAX_DEPTH + 1);
        assert!(spelt(&deep).expect_err("deep").contains("more than 64 brackets"));
    }

    #[test]
    fn groups_of_nothing_cost_nothing() {
        let text = "9999999(9999999())".repeat(20_000) + "u";
        assert_eq!(spelt(&text).as_deref(), Ok("u"));
    }

    #[test]
    fn each_key_knows_its_bytes() {
        let text = "r\n2\nR(u)";
        let keys = read_keys(&Source::new("plan", text)).expect("keys");
        let places: Vec<_> =
            keys.iter().map(|key| (key.line, &text[key.from as usize..key.to as usize])).collect();
        assert_eq!(places, [(1, "r"), (3, "2\nR"), (3, "2\nR"), (3, "u")]);
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[udlrUDLR0-3()\n ;:X]{0,40}") {
            let _ = spelt(&text);
        }
    }
}
