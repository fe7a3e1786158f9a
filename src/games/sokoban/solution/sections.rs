//! The solutions of a text: one without more ado, or several below headers.

use crate::diagnostic::{Diagnostic, Source};
use crate::games::plans::{Of, Passage};
use crate::games::sokoban::format::MAX_KEYS;
use crate::games::sokoban::solution::keys::count_keys;
use crate::games::sokoban::solution::lines::{Kind, is_meant_as_keys, kind_of};
use std::collections::HashMap;
use std::ops::Range;

/// The solutions of a text without boards. Where no header parts them, the whole is one.
pub fn sections(source: &Source) -> Vec<Passage> {
    let is_header = |kind: Kind<'_>| {
        matches!(kind, Kind::Level { .. } | Kind::Solution { .. } | Kind::SavedGame)
    };
    if !source.lines().any(|line| is_header(kind_of(line.text))) {
        return vec![Passage { of: Of::Any, place: 0..source.text.len() }];
    }
    let mut scan =
        Scan { source, found: Vec::new(), of: Of::Any, open: None, place: Place::Before };
    source.lines().for_each(|line| scan.line(line.text));
    scan.end_level();
    scan.found
}

/// Refuses a text that has more keys of one area than a solution has: all solutions of an area are
/// tried.
///
/// # Errors
/// A diagnostic at the solution with which there are too many.
pub fn refuse_too_many(source: &Source, passages: &[Passage]) -> Result<(), Diagnostic> {
    let mut counts: HashMap<Group<'_>, usize> = HashMap::new();
    for passage in passages.iter().filter(|_| passages.len() > 1) {
        let alone = Source::new("", &source.text[passage.place.clone()]);
        // A passage that cannot be read is reported when it is its turn.
        let keys = count_keys(&alone).unwrap_or(0);
        let names = match &passage.of {
            Of::Any => vec![Group::Any],
            Of::Board(board) => vec![Group::Board(board.as_ptr())],
            Of::Level { number, title } => vec![Group::Number(*number), Group::Title(title)],
        };
        for name in names {
            let count = counts.entry(name).or_default();
            *count += keys;
            if *count > MAX_KEYS {
                let line = source.text[..passage.place.start].matches('\n').count() + 1;
                let message = format!("the solutions of one level have at most {MAX_KEYS} keys");
                return Err(source.error(line, 1, 1, message));
            }
        }
    }
    Ok(())
}

/// Passages that are tried together for one area.
#[derive(PartialEq, Eq, Hash)]
enum Group<'a> {
    Any,
    Number(usize),
    Title(&'a str),
    /// Equal boards are one.
    Board(*const u8),
}

/// Where in a text a scan is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Before the first header: nothing there is a solution.
    Before,
    /// Below the line of a level that has no solution so far.
    Level,
    /// Where keys are a solution's.
    Solution,
    /// Where keys are a solution's, after a blank line.
    Gap,
    /// Below the header of a saved game, which is no solution.
    SavedGame,
}

/// Goes through a text, line by line.
struct Scan<'a> {
    source: &'a Source,
    found: Vec<Passage>,
    /// The area that the solutions are of.
    of: Of,
    /// The solution to which further keys belong.
    open: Option<Range<usize>>,
    place: Place,
}

impl Scan<'_> {
    fn line(&mut self, line: &str) {
        match kind_of(line) {
            Kind::Level { number, title } => {
                self.end_level();
                self.of = Of::Level { number, title: title.into() };
                self.place = Place::Level;
            }
            Kind::Solution { keys } => {
                self.close();
                self.place = Place::Solution;
                if !keys.is_empty() {
                    self.extend(keys);
                }
            }
            Kind::SavedGame => {
                self.close();
                self.place = Place::SavedGame;
            }
            Kind::Comment => {}
            Kind::Blank if self.place == Place::Solution => self.place = Place::Gap,
            Kind::Blank => {}
            Kind::Note => self.close(),
            Kind::Keys => self.extend(line),
            // A fault among keys is said where they are read; other words are a remark.
            Kind::Other if is_meant_as_keys(line) || self.is_amid_keys() => self.extend(line),
            Kind::Other => self.close(),
        }
    }

    /// Whether the line before was one of keys.
    fn is_amid_keys(&self) -> bool {
        self.open.is_some() && self.place == Place::Solution
    }

    /// Takes a part of the text to the solution that is open, or begins one.
    fn extend(&mut self, part: &str) {
        if matches!(self.place, Place::Before | Place::SavedGame) {
            return;
        }
        let place = self.source.range_of(part);
        self.place = Place::Solution;
        match &mut self.open {
            Some(open) => open.end = place.end,
            None => self.open = Some(place),
        }
    }

    fn close(&mut self) {
        if let Some(mut place) = self.open.take() {
            let rest = &self.source.text[place.end..];
            let end = ["\r\n", "\n"].into_iter().find(|end| rest.starts_with(end));
            place.end += end.map_or(0, str::len);
            self.found.push(Passage { of: self.of.clone(), place });
        }
    }

    /// Closes the part about a level. Where it has no keys, it may still have a plan: no key at all.
    fn end_level(&mut self) {
        let is_empty = self.place == Place::Level;
        self.close();
        if is_empty {
            self.found.push(Passage { of: self.of.clone(), place: 0..0 });
        }
    }
}
