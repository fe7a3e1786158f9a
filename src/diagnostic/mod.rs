//! What is wrong with an input, and where.
//!
//! Every reader in the crate takes a [`Source`] (a named text) and answers with a [`Diagnostic`]:
//! file, line, column, the offending line and, where it helps, what would be right. Nothing that
//! came from outside is ever unwrapped; any bytes give either a value or a diagnostic.

mod encoding;
mod sentence;
mod source;

pub use encoding::skip_byte_order_mark;
pub(crate) use sentence::sentence_error;
pub use source::{Line, MAX_INPUT_BYTES, Source};

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use std::fmt;

/// Bytes of a line above which a diagnostic shows only what is around the column.
const SHOWN_BYTES: usize = 160;

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
    /// The offending line, or the part of a long one that is around the column.
    pub text: String,
    /// Number of characters of the line before that part.
    pub from: usize,
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
            from: 0,
        }
    }

    /// Adds a text beside the marked characters.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Adds advice.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The whole report, as a compiler prints one: message, place, line, mark, help.
    pub fn report(&self, colours: bool) -> String {
        self.render(Level::ERROR, colours)
    }

    /// The report as a warning: the input is used all the same.
    pub fn warning(&self, colours: bool) -> String {
        self.render(Level::WARNING, colours)
    }

    fn render(&self, level: Level<'_>, colours: bool) -> String {
        let renderer = if colours { Renderer::styled() } else { Renderer::plain() };
        let title = format!("{self}");
        let mut group = Group::with_title(level.primary_title(title.as_str()));
        let at = self.column.saturating_sub(1).saturating_sub(self.from);
        let (shown, from) = clip(&self.text, at);
        let start = char_to_byte(&shown, at.saturating_sub(from));
        let end = char_to_byte(&shown, at.saturating_sub(from).saturating_add(self.length));
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
        let error = Source::from_bytes("f", b"ab\r\nc\xff\0".to_vec()).unwrap_err();
        assert_eq!((error.line, error.column), (2, 3));
        assert!(!error.report(false).is_empty());
    }

    #[test]
    fn a_line_past_the_end_and_a_column_past_the_line_are_reported() {
        let source = Source::new("f", "a");
        assert!(source.error(7, 3, 5, "missing").report(false).contains("f:7:3: missing"));
    }
}
