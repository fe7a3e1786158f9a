//! Collections in XML: `SokobanLevels`, in files whose names end in `.slc`.
//!
//! A reader of its own, for what such files have: elements, attributes, the five entities and
//! characters by number, comments, CDATA. Declarations are passed over, and nothing is ever
//! expanded. Where the XML is broken, the levels before are kept.

use super::board::{Written, read_board};
use super::titles::named;
use super::{Level, MAX_BAD, MAX_LEVELS};
use crate::diagnostic::{Diagnostic, Line, Source};
use crate::games::collection::{Collection, Entry};
use std::borrow::Cow;

/// The element that is the whole of such a file.
const ROOT: &str = "<SokobanLevels";
/// That element is looked for in this many bytes at the beginning.
const HEAD_BYTES: usize = 1 << 16;

/// Whether a text is such a file.
pub(super) fn is_collection(text: &str) -> bool {
    let head = text.trim_start();
    let end = (0..=HEAD_BYTES.min(head.len())).rev().find(|&at| head.is_char_boundary(at));
    head.starts_with('<') && head[..end.unwrap_or(0)].contains(ROOT)
}

/// Reads such a file.
///
/// # Errors
/// More levels, or more bad ones, than a file may have.
pub(super) fn read(source: &Source) -> Result<Collection<Level>, Diagnostic> {
    let mut reader = Reader {
        scanner: Scanner { text: &source.text, place: Place { at: 0, line: 1, before: 0 } },
        source,
        open: Vec::new(),
        levels: Collection { title: None, author: None, entries: Vec::new() },
        level: None,
        bad: 0,
    };
    while let Some(event) = reader.scanner.next() {
        let done = event.and_then(|event| reader.take(event));
        if let Err(wrong) = done {
            reader.break_off(&wrong);
            break;
        }
        if reader.levels.entries.len() > MAX_LEVELS || reader.bad > MAX_BAD {
            let message = format!(
                "a file has at most {MAX_LEVELS} levels, of which at most {MAX_BAD} cannot be read"
            );
            return Err(source.error(reader.scanner.place.line, 1, 1, message));
        }
    }
    reader.end();
    Ok(reader.levels)
}

/// Where in the text something stands.
#[derive(Clone, Copy)]
struct Place {
    /// The byte.
    at: usize,
    /// The line.
    line: usize,
    /// Number of characters before it in its line.
    before: usize,
}

/// Parts of the text.
enum Event<'a> {
    Open { name: &'a str, attributes: &'a str, is_whole: bool },
    Close { name: &'a str },
    Text { text: Cow<'a, str>, place: Place },
}

/// Why the text is no XML, and where.
struct Wrong {
    place: Place,
    message: &'static str,
}

/// Takes the text apart.
struct Scanner<'a> {
    text: &'a str,
    place: Place,
}

impl<'a> Scanner<'a> {
    /// The text that remains.
    fn rest(&self) -> &'a str {
        &self.text[self.place.at..]
    }

    /// Goes on by `bytes` bytes, which it returns.
    fn skip(&mut self, bytes: usize) -> &'a str {
        let part = &self.rest()[..bytes];
        let place = &mut self.place;
        place.line += part.bytes().filter(|&byte| byte == b'\n').count();
        place.before = match part.rfind('\n') {
            Some(end) => part[end + 1..].chars().count(),
            None => place.before + part.chars().count(),
        };
        place.at += bytes;
        part
    }

    /// Goes on to what comes after the next `end`; what stands before that.
    fn skip_past(&mut self, end: &str, message: &'static str) -> Result<&'a str, Wrong> {
        match self.rest().find(end) {
            Some(bytes) => {
                let part = self.skip(bytes);
                self.skip(end.len());
                Ok(part)
            }
            None => Err(Wrong { place: self.place, message }),
        }
    }

    fn next(&mut self) -> Option<Result<Event<'a>, Wrong>> {
        loop {
            let rest = self.rest();
            if rest.is_empty() {
                return None;
            }
            let Some(tag) = rest.strip_prefix('<') else {
                let place = self.place;
                let raw = self.skip(rest.find('<').unwrap_or(rest.len()));
                return Some(Ok(Event::Text { text: unescape(raw), place }));
            };
            let passed = if tag.starts_with("!--") {
                self.skip_past("-->", "a comment does not end")
            } else if tag.starts_with("![CDATA[") {
                let place = self.place;
                let whole = self.skip_past("]]>", "a section does not end");
                return Some(whole.map(|text| {
                    let text = Cow::Borrowed(text.trim_start_matches("<![CDATA["));
                    Event::Text { text, place }
                }));
            } else if tag.starts_with('?') {
                self.skip_past("?>", "a declaration does not end")
            } else if tag.starts_with('!') {
                self.skip_past(">", "a declaration does not end")
            } else {
                return Some(self.tag());
            };
            if let Err(wrong) = passed {
                return Some(Err(wrong));
            }
        }
    }

    /// The tag that begins here.
    fn tag(&mut self) -> Result<Event<'a>, Wrong> {
        let place = self.place;
        let wrong = |message| Wrong { place, message };
        let rest = self.rest();
        // A `>` may stand in the value of an attribute.
        let mut quote = None;
        let end = rest.bytes().position(|byte| {
            match quote {
                Some(open) if byte == open => quote = None,
                None if byte == b'"' || byte == b'\'' => quote = Some(byte),
                _ => {}
            }
            byte == b'>' && quote.is_none()
        });
        let Some(end) = end else { return Err(wrong("a tag does not end")) };
        let inside = self.skip(end + 1);
        let inside = &inside[1..inside.len() - 1];
        if let Some(name) = inside.strip_prefix('/') {
            return Ok(Event::Close { name: name.trim_end() });
        }
        let is_whole = inside.ends_with('/');
        let inside = inside.trim_end_matches('/');
        let length = inside.find(char::is_whitespace).unwrap_or(inside.len());
        let (name, attributes) = inside.split_at(length);
        match name.starts_with(char::is_alphabetic) {
            true => Ok(Event::Open { name, attributes, is_whole }),
            false => Err(wrong("a tag has no name")),
        }
    }
}

/// The value of an attribute.
fn attribute<'a>(attributes: &'a str, wanted: &str) -> Option<Cow<'a, str>> {
    let mut rest = attributes;
    loop {
        let (name, after) = rest.split_once('=')?;
        let after = after.trim_start();
        let quote = after.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
        let (value, after) = after[1..].split_once(quote)?;
        if name.trim() == wanted {
            return Some(unescape(value));
        }
        rest = after;
    }
}

/// A text with characters in place of what stands for them; what is none of XML's own stays.
fn unescape(raw: &str) -> Cow<'_, str> {
    if !raw.contains('&') {
        return Cow::Borrowed(raw);
    }
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('&') {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.bytes().take(MAX_ENTITY).position(|byte| byte == b';');
        match end.and_then(|end| Some((end, character(&rest[1..end])?))) {
            Some((end, letter)) => {
                text.push(letter);
                rest = &rest[end + 1..];
            }
            None => {
                text.push('&');
                rest = &rest[1..];
            }
        }
    }
    text.push_str(rest);
    Cow::Owned(text)
}

/// The most bytes from the sign to the semicolon of what stands for a character.
const MAX_ENTITY: usize = 12;

fn character(name: &str) -> Option<char> {
    let number = |digits: &str, radix| char::from_u32(u32::from_str_radix(digits, radix).ok()?);
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        name => match name.strip_prefix("#x") {
            Some(digits) => number(digits, 16)?,
            None => number(name.strip_prefix('#')?, 10)?,
        },
    })
}

/// The level that is being read.
struct Reading<'a> {
    title: Option<String>,
    author: Option<String>,
    lines: Vec<Written<'a>>,
}

/// Makes levels of what the text is made of.
struct Reader<'a> {
    scanner: Scanner<'a>,
    source: &'a Source,
    open: Vec<&'a str>,
    levels: Collection<Level>,
    level: Option<Reading<'a>>,
    bad: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, event: Event<'a>) -> Result<(), Wrong> {
        match event {
            Event::Open { name, attributes, is_whole } => {
                let attribute = |wanted| attribute(attributes, wanted).and_then(|it| named(&it));
                match name {
                    "LevelCollection" => self.levels.author = attribute("Copyright"),
                    "Level" => {
                        self.finish_level();
                        self.level = Some(Reading {
                            title: attribute("Id"),
                            author: attribute("Copyright"),
                            lines: Vec::new(),
                        });
                    }
                    "L" => self.begin_row(),
                    _ => {}
                }
                if !is_whole {
                    self.open.push(name);
                } else if name == "Level" {
                    self.finish_level();
                }
                if self.open.len() > MAX_DEPTH {
                    return Err(self.wrong("elements stand too deep in one another"));
                }
            }
            Event::Close { name } => {
                if self.open.pop() != Some(name) {
                    return Err(self.wrong("an element ends that did not begin here"));
                }
                if name == "Level" {
                    self.finish_level();
                }
            }
            Event::Text { text, place } => self.text(text, place),
        }
        Ok(())
    }

    fn wrong(&self, message: &'static str) -> Wrong {
        Wrong { place: self.scanner.place, message }
    }

    fn begin_row(&mut self) {
        let place = self.scanner.place;
        if let Some(level) = self.level.as_mut().filter(|level| level.lines.len() <= MAX_ROWS) {
            level.lines.push(Written {
                number: place.line,
                before: place.before,
                text: Cow::Borrowed(""),
            });
        }
    }

    fn text(&mut self, text: Cow<'a, str>, place: Place) {
        match (self.open.last(), &mut self.level) {
            (Some(&"L"), Some(level)) => {
                if let Some(row) = level.lines.last_mut() {
                    (row.number, row.before) = (place.line, place.before);
                    row.text = text;
                }
            }
            (Some(&"Title"), None) => self.levels.title = named(&text),
            _ => {}
        }
    }

    fn finish_level(&mut self) {
        let Some(level) = self.level.take() else { return };
        let content = match level.lines.is_empty() {
            true => Err(self.error(self.scanner.place, "this level has no rows")),
            false => read_board(self.source, level.lines.into_iter()),
        };
        self.push(level.title, level.author, content);
    }

    fn push(
        &mut self,
        title: Option<String>,
        author: Option<String>,
        content: Result<Level, Diagnostic>,
    ) {
        self.bad += usize::from(content.is_err());
        let number = self.levels.entries.len() + 1;
        self.levels.entries.push(Entry { number, title, author, solutions: Vec::new(), content });
    }

    fn error(&self, place: Place, message: &str) -> Diagnostic {
        let rest = &self.source.text[place.at..];
        let end = (0..=MAX_SHOWN.min(rest.len())).rev().find(|&end| rest.is_char_boundary(end));
        let text = rest[..end.unwrap_or(0)].lines().next().unwrap_or("");
        let line = Line { number: place.line, text };
        let mut error = self.source.error_in(line, 1, 1, message);
        (error.column, error.from) = (error.column + place.before, error.from + place.before);
        error
    }

    /// The XML is broken here: the level that is being read is bad, or else it is said once more.
    fn break_off(&mut self, wrong: &Wrong) {
        let content = Err(self.error(wrong.place, wrong.message));
        let level = self.level.take();
        let (title, author) = level.map_or((None, None), |level| (level.title, level.author));
        self.push(title, author, content);
    }

    /// A file that was cut off within a level has that level's rows, but not all of them.
    fn end(&mut self) {
        if self.level.is_some() {
            self.break_off(&Wrong { place: self.scanner.place, message: "a level does not end" });
        }
    }
}

/// Most bytes of a wrong line that are shown.
const MAX_SHOWN: usize = 200;
/// Maximum nesting of elements.
const MAX_DEPTH: usize = 64;
/// Number of rows of a level that are kept.
const MAX_ROWS: usize = super::MAX_SIDE;
