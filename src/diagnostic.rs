//! What is wrong with an input, and where.
//!
//! Every reader in the crate takes a [`Source`] (a named text) and answers with a [`Diagnostic`]:
//! file, line, column, the offending line and, where it helps, what would be right. Nothing that
//! came from outside is ever unwrapped; any bytes give either a value or a diagnostic.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use std::fmt;
use std::ops::Range;
use std::path::Path;

/// The longest input file that is read at all, in bytes.
pub const MAX_INPUT_BYTES: u64 = 64 << 20;

/// Lines longer than this many bytes are clipped around the column when a diagnostic shows them.
const SHOWN_BYTES: usize = 160;

/// A text with the name its diagnostics carry: a path, or `<stdin>`.
///
/// ```
/// use outwit::diagnostic::Source;
///
/// let source = Source::new("area.txt", "10 10 2\n#####\n");
/// assert_eq!(source.lines().nth(1).map(|line| line.text), Some("#####"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The name shown before line and column.
    pub name: String,
    /// The text itself.
    pub text: String,
}

/// One line of a [`Source`], without its line end (`\n` or `\r\n`).
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// Line number, from 1.
    pub number: usize,
    /// The text of the line.
    pub text: &'a str,
}

impl Source {
    /// A source from a name and a text that is already in memory.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Source { name: name.into(), text: text.into() }
    }

    /// Decodes bytes as UTF-8.
    ///
    /// # Errors
    /// A diagnostic at the first byte that is not UTF-8.
    pub fn from_bytes(name: impl Into<String>, bytes: Vec<u8>) -> Result<Self, Diagnostic> {
        let name = name.into();
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Source { name, text }),
            Err(error) => {
                let good = error.utf8_error().valid_up_to();
                let text = String::from_utf8_lossy(error.as_bytes());
                let before = &error.as_bytes()[..good];
                let number = before.iter().filter(|&&b| b == b'\n').count() + 1;
                let line_start = before.iter().rposition(|&b| b == b'\n').map_or(0, |p| p + 1);
                let column = String::from_utf8_lossy(&before[line_start..]).chars().count() + 1;
                let line = text.lines().nth(number - 1).unwrap_or("");
                Err(Diagnostic {
                    file: name,
                    line: number,
                    column,
                    length: 1,
                    message: "this is not text: a byte is not UTF-8".into(),
                    label: "here".into(),
                    help: None,
                    text: line.to_string(),
                })
            }
        }
    }

    /// Reads a file, or standard input where `path` is `-`, up to [`MAX_INPUT_BYTES`].
    ///
    /// # Errors
    /// A diagnostic without a line where the file cannot be read or is too long.
    pub fn read(path: &Path) -> Result<Self, Diagnostic> {
        use std::io::Read;
        let (name, reader): (String, Box<dyn Read>) = if path.as_os_str() == "-" {
            ("<stdin>".into(), Box::new(std::io::stdin().lock()))
        } else {
            let name = path.display().to_string();
            let file = std::fs::File::open(path)
                .map_err(|e| Diagnostic::file(&name, format!("cannot be read: {e}")))?;
            (name, Box::new(file))
        };
        let mut bytes = Vec::new();
        reader
            .take(MAX_INPUT_BYTES + 1)
            .read_to_end(&mut bytes)
            .map_err(|e| Diagnostic::file(&name, format!("cannot be read: {e}")))?;
        if bytes.len() as u64 > MAX_INPUT_BYTES {
            return Err(Diagnostic::file(&name, format!("longer than {MAX_INPUT_BYTES} bytes")));
        }
        Source::from_bytes(name, bytes)
    }

    /// The lines, numbered from 1, each without `\n` or `\r\n`.
    pub fn lines(&self) -> impl Iterator<Item = Line<'_>> {
        self.text.lines().enumerate().map(|(i, text)| Line { number: i + 1, text })
    }

    /// The bytes that a part of the text has in it.
    ///
    /// ```
    /// use outwit::diagnostic::Source;
    ///
    /// let source = Source::new("two lines", "one\ntwo\n");
    /// let second = source.lines().nth(1).expect("a line");
    /// assert_eq!(source.place_of(second.text), 4..7);
    /// ```
    ///
    /// # Panics
    /// If it is no part of this text.
    pub fn place_of(&self, part: &str) -> Range<usize> {
        let start = (part.as_ptr() as usize).checked_sub(self.text.as_ptr() as usize);
        let start = start.expect("a part of the text");
        assert!(start + part.len() <= self.text.len(), "a part of the text");
        start..start + part.len()
    }

    /// A diagnostic about `length` characters of line `number` from character `column` (both from 1).
    ///
    /// A line past the end of the text is allowed: that is how a missing line is reported.
    pub fn error(
        &self,
        number: usize,
        column: usize,
        length: usize,
        message: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic {
            file: self.name.clone(),
            line: number,
            column,
            length: length.max(1),
            message: message.into(),
            label: String::new(),
            help: None,
            text: self.text.lines().nth(number.saturating_sub(1)).unwrap_or("").to_string(),
        }
    }
}

/// What is wrong with an input: file, line and column (from 1, in characters), and the line itself.
///
/// ```
/// use outwit::diagnostic::Source;
///
/// let source = Source::new("area.txt", "10 10 x\n");
/// let error = source.error(1, 7, 1, "bricks are a number").help("say 2, for instance");
/// assert_eq!(error.to_string(), "area.txt:1:7: bricks are a number");
/// assert!(error.report(false).contains("10 10 x"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The name of the source.
    pub file: String,
    /// Line, from 1; 0 where the complaint is about the file as a whole.
    pub line: usize,
    /// Column in characters, from 1; 0 where the complaint is about the file as a whole.
    pub column: usize,
    /// How many characters are wrong, at least 1.
    pub length: usize,
    /// What is wrong, one sentence without a full stop.
    pub message: String,
    /// What stands beside the marked characters; may be empty.
    pub label: String,
    /// What would be right.
    pub help: Option<String>,
    /// The offending line.
    pub text: String,
}

impl Diagnostic {
    /// A diagnostic about a file as a whole.
    pub fn file(name: &str, message: impl Into<String>) -> Self {
        Diagnostic {
            file: name.to_string(),
            line: 0,
            column: 0,
            length: 1,
            message: message.into(),
            label: String::new(),
            help: None,
            text: String::new(),
        }
    }

    /// The same with a text beside the marked characters.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// The same with advice.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The whole report, as a compiler prints one: message, place, line, mark, help.
    pub fn report(&self, colours: bool) -> String {
        self.render(Level::ERROR, colours)
    }

    /// The same report for what is told and let pass.
    pub fn warning(&self, colours: bool) -> String {
        self.render(Level::WARNING, colours)
    }

    fn render(&self, level: Level<'_>, colours: bool) -> String {
        let renderer = if colours { Renderer::styled() } else { Renderer::plain() };
        let title = format!("{self}");
        let mut group = Group::with_title(level.primary_title(title.as_str()));
        let (shown, from) = clip(&self.text, self.column.saturating_sub(1));
        let start = char_to_byte(&shown, self.column.saturating_sub(1).saturating_sub(from));
        let end = char_to_byte(
            &shown,
            self.column.saturating_sub(1).saturating_sub(from).saturating_add(self.length),
        );
        if self.line > 0 {
            group =
                group.element(Snippet::source(shown.as_str()).line_start(self.line).annotation(
                    AnnotationKind::Primary.span(start..end).label(self.label.as_str()),
                ));
        }
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        renderer.render(&[group])
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (file, message) = (visible(&self.file), visible(&self.message));
        if self.line == 0 {
            write!(f, "{file}: {message}")
        } else {
            write!(f, "{file}:{}:{}: {message}", self.line, self.column)
        }
    }
}

impl std::error::Error for Diagnostic {}

/// The part of a long line around character `at`, control characters made visible, and the
/// character it begins with.
fn clip(line: &str, at: usize) -> (String, usize) {
    let from = at.saturating_sub(SHOWN_BYTES / 2);
    let shown = line
        .chars()
        .skip(from)
        .take(SHOWN_BYTES)
        .map(|c| if is_visible(c) { c } else { '\u{fffd}' })
        .collect();
    (shown, from)
}

/// Whether a character is one that is seen, and not one that steers a terminal or turns the
/// direction of what follows.
///
/// ```
/// use outwit::diagnostic::is_visible;
/// assert!("Größe 7, 世界".chars().all(is_visible));
/// assert!(!"\n\u{1b}\u{202e}\u{feff}".chars().any(is_visible));
/// ```
pub fn is_visible(c: char) -> bool {
    let turns = matches!(c,
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}');
    !c.is_control() && !turns
}

/// A text for people to read on one line: what is not seen is replaced by U+FFFD.
///
/// ```
/// use outwit::diagnostic::visible;
/// assert_eq!(visible("a\u{1b}[31mb"), "a\u{fffd}[31mb");
/// ```
pub fn visible(text: &str) -> String {
    text.chars().map(|c| if is_visible(c) { c } else { '\u{fffd}' }).collect()
}

fn char_to_byte(text: &str, characters: usize) -> usize {
    text.char_indices().nth(characters).map_or(text.len(), |(i, _)| i)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_names_file_line_column_and_shows_the_line() {
        let source = Source::new("areas/x.txt", "one\ntwo Q\n");
        let report = source.error(2, 5, 1, "unknown character").label("Q").report(false);
        assert!(report.contains("areas/x.txt:2:5: unknown character"), "{report}");
        assert!(report.contains("two Q"), "{report}");
    }

    #[test]
    fn bytes_that_are_not_text_are_placed() {
        let error = Source::from_bytes("f", b"ab\nc\xff".to_vec()).unwrap_err();
        assert_eq!((error.line, error.column), (2, 2));
        assert!(!error.report(false).is_empty());
    }

    #[test]
    fn a_line_past_the_end_and_a_column_past_the_line_are_reported() {
        let source = Source::new("f", "a");
        assert!(source.error(7, 3, 5, "missing").report(false).contains("f:7:3: missing"));
    }
}
