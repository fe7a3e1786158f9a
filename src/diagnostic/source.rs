//! Inputs: named texts, whatever their encoding was.

use super::Diagnostic;
use super::encoding::{decode, plain};
use std::ops::Range;
use std::path::Path;

/// The longest input file that is read at all, in bytes.
pub const MAX_INPUT_BYTES: u64 = 64 << 20;

/// Upper limit of the characters of a line that a diagnostic keeps.
const MAX_KEPT: usize = 1 << 12;

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
    /// Number of bytes left out before the text.
    skipped: usize,
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
    /// A source from a name and a text that is already in memory. A byte order mark before the text
    /// and a Ctrl-Z after it are left out, and a `\r` that stands alone ends a line.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let (text, skipped) = plain(text.into());
        Source { name: name.into(), text, skipped }
    }

    /// Decodes bytes: UTF-8, UTF-16 that begins with a byte order mark, or else Windows-1252.
    ///
    /// ```
    /// use outwit::diagnostic::Source;
    ///
    /// let read = |bytes: &[u8]| Source::from_bytes("a file", bytes.to_vec());
    /// assert_eq!(read(b"Caf\xe9").unwrap().text, "Café");
    /// assert_eq!(read(b"\xff\xfe#\0\r\0\n\0").unwrap().text, "#\r\n");
    /// assert_eq!(read(b"one\n\xe9\0\0").unwrap_err().to_string(), "a file:2:2: this is not text");
    /// ```
    ///
    /// # Errors
    /// Bytes that are no text, as those of programs and pictures: at one that no text has.
    pub fn from_bytes(name: impl Into<String>, bytes: Vec<u8>) -> Result<Self, Diagnostic> {
        let name = name.into();
        let (text, at) = match decode(bytes) {
            Ok(text) => return Ok(Source::new(name, text)),
            Err(wrong) => (wrong.text, wrong.at),
        };
        let source = Source::new(name, text);
        let (mut line, mut column) = (1, 1);
        for letter in source.text.chars().take(at) {
            (line, column) = if letter == '\n' { (line + 1, 1) } else { (line, column + 1) };
        }
        let help = "a text is UTF-8, UTF-16 with a byte order mark, or Windows-1252";
        Err(source.error(line, column, 1, "this is not text").label("a control byte").help(help))
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

    /// The bytes that a part of the text has in the text as it came: with what
    /// [`Source::new`] leaves out.
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
        let start = start + self.skipped;
        start..start + part.len()
    }

    /// Where in [`Source::text`] a part of it is.
    ///
    /// # Panics
    /// If it is no part of this text.
    pub fn range_of(&self, part: &str) -> Range<usize> {
        let place = self.place_of(part);
        place.start - self.skipped..place.end - self.skipped
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
        let text = self.text.lines().nth(number.saturating_sub(1)).unwrap_or("");
        self.error_in(Line { number, text }, column, length, message)
    }

    /// Makes a diagnostic about a line that is at hand, so that the text need not be searched for
    /// it.
    pub fn error_in(
        &self,
        line: Line<'_>,
        column: usize,
        length: usize,
        message: impl Into<String>,
    ) -> Diagnostic {
        let (text, from) = part_of(line.text, column);
        Diagnostic {
            file: self.name.clone(),
            line: line.number,
            column,
            length: length.max(1),
            message: message.into(),
            label: String::new(),
            help: None,
            text,
            from,
        }
    }
}

/// A line, or what is around a column of a long one, and how many characters stand before that.
fn part_of(line: &str, column: usize) -> (String, usize) {
    if line.len() <= MAX_KEPT {
        return (line.to_string(), 0);
    }
    let from = column.saturating_sub(MAX_KEPT / 2);
    (line.chars().skip(from).take(MAX_KEPT).collect(), from)
}
