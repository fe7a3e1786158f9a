//! What stands between boards: titles, authors, solutions, and what is none of them.
//!
//! A key (`Title: …`, `Author: …`) belongs to the board that it touches. Where it touches both or none
//! it belongs to the next board, or to the last one in a file whose first board has its title below.
//! A line that is no key may be the title of the next board. What stands before the first board's
//! own title is the collection's.

use super::blocks::Block;
use super::solutions::Sections;
use crate::games::collection::Solution;
use std::collections::VecDeque;

/// The longest title, in characters; longer ones are cut.
pub const MAX_TITLE: usize = 120;
/// Lines `key: value` with these keys tell of a level or a collection what is not its title.
const NOTES: &[&str] = &[
    "author",
    "box changes",
    "box lines",
    "comment",
    "comments",
    "copyright",
    "date",
    "date created",
    "date modified",
    "date of last change",
    "difficulty",
    "e-mail",
    "email",
    "end",
    "file offset",
    "homepage",
    "length",
    "license",
    "moves",
    "optimality",
    "player changes",
    "player lines",
    "pushes",
    "pushing sessions",
    "rating",
    "size x",
    "size y",
    "solver",
    "time",
    "url",
    "web site",
    "website",
];
/// Keys whose value is the title of a collection.
const SETS: &[&str] = &["collection", "set"];
/// Least number of marks that make a line one drawn to part or to underline something.
const LEAST_RULE: usize = 3;
/// Bytes that are looked at, at either end of a place between two boards.
const END_BYTES: usize = 1 << 18;
/// Paragraphs that are looked at, at either end of a place between two boards.
const MOST_PARAGRAPHS: usize = 100;
/// Lines of one paragraph that are looked at: the last ones.
const MOST_LINES: usize = 100;

/// Titles, authors and solutions of a file.
pub(super) struct Titles {
    /// The title of all of them.
    pub title: Option<String>,
    /// Their author.
    pub author: Option<String>,
    /// Title, author and solutions of each board.
    pub levels: Vec<Beside>,
}

/// Title, author and solutions of one board.
#[derive(Default)]
pub(super) struct Beside {
    pub title: Option<String>,
    pub author: Option<String>,
    pub solutions: Vec<Solution>,
}

/// Lines without a blank one between them.
#[derive(Default)]
struct Paragraph<'a> {
    /// Whether it begins right below a board.
    touches_last: bool,
    /// Whether it ends right above one.
    touches_next: bool,
    title: Option<&'a str>,
    author: Option<&'a str>,
    set: Option<&'a str>,
    /// Lines that may be a title.
    others: VecDeque<&'a str>,
}

impl Paragraph<'_> {
    fn has_keys(&self) -> bool {
        self.title.is_some() || self.author.is_some()
    }
}

/// Where keys stand that touch two boards or none.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keys {
    Above,
    Below,
}

/// Reads what stands between the boards of a text.
pub(super) fn read(text: &str, blocks: &[Block]) -> Titles {
    let is_document = !blocks.is_empty() && text.lines().any(is_fence);
    let mut titles = Titles {
        title: None,
        author: None,
        levels: std::iter::repeat_with(Beside::default).take(blocks.len()).collect(),
    };
    let mut keys = Keys::Below;
    for next in 0..=blocks.len() {
        let (from, first) = match next {
            0 => (0, 1),
            next => (blocks[next - 1].to, blocks[next - 1].after),
        };
        let to = blocks.get(next).map_or(text.len(), |block| block.from);
        let mut gap = Gap::new(is_document);
        gap.read_ends(&text[from..to], first, next > 0, next < blocks.len());
        if next == 0 {
            keys = titles.begin(&gap, blocks.len());
        } else {
            titles.go_on(&gap, next, keys);
            titles.levels[next - 1].solutions = gap.sections.solutions;
        }
    }
    titles
}

impl Titles {
    /// Takes what stands before the first board.
    fn begin(&mut self, gap: &Gap<'_>, count: usize) -> Keys {
        let is_own = |paragraph: &&Paragraph<'_>| {
            paragraph.touches_next || paragraph.has_keys() || !paragraph.others.is_empty()
        };
        let last = gap.paragraphs().rfind(is_own);
        let mut keys = Keys::Below;
        for paragraph in gap.paragraphs() {
            self.title = paragraph.set.and_then(named).or(self.title.take());
            let is_last = last.is_some_and(|last| std::ptr::eq(last, paragraph));
            let own = is_last && (paragraph.touches_next || paragraph.title.is_some());
            match self.levels.first_mut().filter(|_| own) {
                Some(level) => {
                    level.title = paragraph.title.and_then(named);
                    level.author = paragraph.author.and_then(named);
                    if level.title.is_some() {
                        keys = Keys::Above;
                    }
                }
                None => {
                    self.title = paragraph.title.and_then(named).or(self.title.take());
                    self.author = paragraph.author.and_then(named).or(self.author.take());
                }
            }
        }
        if gap.is_document && count > 0 {
            self.title = self.title.take().or(gap.heading.and_then(named));
        }
        self.name_next(gap, 0);
        keys
    }

    /// Takes what stands after a board: between it and the next, whose index is `next`.
    fn go_on(&mut self, gap: &Gap<'_>, next: usize, keys: Keys) {
        let is_end = next == self.levels.len();
        for paragraph in gap.paragraphs().filter(|paragraph| paragraph.has_keys()) {
            let below = match (paragraph.touches_last, paragraph.touches_next) {
                _ if is_end => true,
                (true, false) => true,
                (false, true) => false,
                _ => keys == Keys::Below || paragraph.title.is_none(),
            };
            // Each board has one title.
            let is_named = self.levels[next - 1].title.is_some() && keys == Keys::Above;
            let below = below && (is_end || !is_named || paragraph.title.is_none());
            let level = &mut self.levels[if below { next - 1 } else { next }];
            level.title = paragraph.title.and_then(named).or(level.title.take());
            level.author = paragraph.author.and_then(named).or(level.author.take());
        }
        if !is_end {
            self.name_next(gap, next);
        }
    }

    /// Names a board by a line above it, unless a key does.
    fn name_next(&mut self, gap: &Gap<'_>, next: usize) {
        if let Some(level) = self.levels.get_mut(next) {
            level.title = level.title.take().or(gap.title().and_then(named));
        }
    }
}

/// The lines between two boards, or before or after all boards.
struct Gap<'a> {
    /// Whether the boards are set apart from prose, as in Markdown.
    is_document: bool,
    /// The heading of a whole document.
    heading: Option<&'a str>,
    first: Vec<Paragraph<'a>>,
    last: VecDeque<Paragraph<'a>>,
    sections: Sections,
}

impl<'a> Gap<'a> {
    fn new(is_document: bool) -> Self {
        Gap {
            is_document,
            heading: None,
            first: Vec::new(),
            last: VecDeque::new(),
            sections: Sections::default(),
        }
    }

    fn paragraphs(&self) -> impl DoubleEndedIterator<Item = &Paragraph<'a>> {
        self.first.iter().chain(&self.last)
    }

    /// Reads the lines of the gap, the first of which has this number; of a very long one those at
    /// its ends.
    fn read_ends(&mut self, text: &'a str, first: usize, after_board: bool, before_board: bool) {
        let line_end = |from: usize| {
            let found = text.as_bytes()[from..].iter().position(|&byte| byte == b'\n');
            found.map_or(text.len(), |end| from + end + 1)
        };
        if text.len() <= 2 * END_BYTES {
            return self.read(text, first, after_board, before_board);
        }
        let head = line_end(END_BYTES);
        let tail = line_end(text.len() - END_BYTES).max(head);
        self.read(&text[..head], first, after_board, false);
        let lines = text.as_bytes()[..tail].iter().filter(|&&byte| byte == b'\n').count();
        self.read(&text[tail..], first + lines, false, before_board);
    }

    /// Reads some lines, the first of which has this number.
    fn read(&mut self, text: &'a str, first: usize, after_board: bool, before_board: bool) {
        let mut open: Option<Paragraph<'a>> = None;
        let mut touches_last = after_board;
        let mut comment = false;
        let ends = (first..).zip(text.lines()).filter(|(_, line)| is_comment_end(line.trim()));
        let last_end = ends.last().map_or(0, |(number, _)| number);
        let mut lines = (first..).zip(text.lines());
        while let Some((number, line)) = lines.next() {
            let line = line.trim();
            comment &= !is_comment_end(line);
            let rest = || lines.clone().map(|(_, line)| line.trim());
            if line.is_empty() || (after_board && self.sections.take(line, number, rest())) {
                self.sections.blank(line);
                open.take().into_iter().for_each(|paragraph| self.keep(paragraph));
                touches_last = false;
                continue;
            }
            let paragraph =
                open.get_or_insert_with(|| Paragraph { touches_last, ..Paragraph::default() });
            touches_last = false;
            if !comment && !is_comment_end(line) {
                comment = is_comment(line) && number < last_end;
                note(line, paragraph, self.is_document, &mut self.heading);
            }
        }
        if let Some(mut paragraph) = open {
            paragraph.touches_next = before_board;
            self.keep(paragraph);
        }
    }

    fn keep(&mut self, paragraph: Paragraph<'a>) {
        if self.first.len() < MOST_PARAGRAPHS {
            self.first.push(paragraph);
            return;
        }
        if self.last.len() == MOST_PARAGRAPHS {
            self.last.pop_front();
        }
        self.last.push_back(paragraph);
    }

    /// The line that names the next board: the last one, unless it reads like a remark and one before
    /// it does not.
    fn title(&self) -> Option<&'a str> {
        let lines = || self.paragraphs().rev().flat_map(|paragraph| paragraph.others.iter().rev());
        let last = lines().next()?;
        if is_remark(last) {
            let own = self.paragraphs().rev().filter(|paragraph| !paragraph.touches_last);
            let mut lines = own.flat_map(|paragraph| paragraph.others.iter().rev());
            return lines.find(|line| !is_remark(line)).or(Some(last)).copied();
        }
        Some(last)
    }
}

/// Adds a line to its paragraph.
fn note<'a>(
    line: &'a str,
    paragraph: &mut Paragraph<'a>,
    is_document: bool,
    document: &mut Option<&'a str>,
) {
    if is_rule(line) || is_fence(line) || line.starts_with("::") {
        return;
    }
    let text = clean(line);
    let key = text.split_once(':').map(|(key, value)| (key.trim().to_lowercase(), value.trim()));
    match key {
        Some((key, value)) if key == "title" && !value.is_empty() => paragraph.title = Some(value),
        Some((key, value)) if key == "author" && !value.is_empty() => {
            paragraph.author = Some(value);
        }
        Some((key, value)) if SETS.contains(&key.as_str()) => paragraph.set = Some(value),
        Some((key, _)) if NOTES.contains(&key.as_str()) => {}
        _ => match heading(text) {
            Some((1, title)) if is_document && document.is_none() => *document = Some(title),
            Some((_, title)) => add(paragraph, title),
            // A document's prose names nothing.
            None if is_document && !line.starts_with(';') => {}
            None => add(paragraph, text),
        },
    }
}

fn add<'a>(paragraph: &mut Paragraph<'a>, line: &'a str) {
    if paragraph.others.len() == MOST_LINES {
        paragraph.others.pop_front();
    }
    if named(line).is_some() {
        paragraph.others.push_back(line);
    }
}

/// A line without the signs of a comment and without quotes.
fn clean(line: &str) -> &str {
    line.trim_start_matches(['\u{feff}', ';', ':']).trim().trim_matches(['\'', '"']).trim()
}

/// The level and the text of a heading.
fn heading(text: &str) -> Option<(usize, &str)> {
    let rest = text.trim_start_matches('#');
    let level = text.len() - rest.len();
    (level > 0 && rest.starts_with(' ')).then(|| (level, rest.trim_end_matches('#').trim()))
}

/// A line that begins or ends what is set apart in a document.
fn is_fence(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("```") || line.starts_with("~~~")
}

/// A line that is drawn to part or to underline something.
fn is_rule(line: &str) -> bool {
    line.len() >= LEAST_RULE && line.bytes().all(|mark| b"-_=*~#+/\\|<> ".contains(&mark))
}

fn is_comment(line: &str) -> bool {
    clean(line).eq_ignore_ascii_case("comment:")
}

fn is_comment_end(line: &str) -> bool {
    let line = clean(line).to_ascii_lowercase();
    line.starts_with("comment-end") || line.starts_with("comment end")
}

/// Whether a line is a sentence more than a name.
fn is_remark(line: &str) -> bool {
    let words = line.split_whitespace().count();
    words > 1 && line.starts_with(char::is_lowercase)
}

/// A title that can be shown: without control characters, and cut where it is too long. What a reader
/// takes off the end of a line is not left there, so that the title is the same when it is read again.
pub(super) fn named(text: &str) -> Option<String> {
    let shown: String = text.chars().filter(|letter| !letter.is_control()).collect();
    let text: String = shown.trim().chars().take(MAX_TITLE).collect();
    let text = text.trim_end_matches(|c: char| c.is_whitespace() || c == '\'' || c == '"');
    (!text.is_empty()).then(|| text.to_string())
}
