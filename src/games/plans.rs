//! Plans in texts that may hold several: which are there, and of which areas.
//!
//! A text has one plan, or plans of a collection below lines `; level 2: TITLE`, as `outwit solve`
//! prints them, or whatever form its game knows besides. [`mod@crate::verify`] chooses among them. Each plan
//! is a part of the text, and what is said of it names lines of the whole.

use crate::diagnostic::{Diagnostic, Source};
use crate::games::plan::{PlanError, PlanStep, Steps};
use std::ops::Range;
use std::sync::Arc;

/// The most characters of a title by which a level is found.
const MAX_TITLE: usize = 120;

/// The area that a plan is of, as far as its text says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Of {
    /// The area that is asked about, whichever it is.
    Any,
    /// A level of a collection.
    Level {
        /// Its number, from 1.
        number: usize,
        /// Its title, which may be empty.
        title: Arc<str>,
    },
    /// The area with this board, which is [`outdented`]: equal boards of a text are one.
    Board(Arc<str>),
}

/// A plan in a text, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// The area that the plan is of.
    pub of: Of,
    /// Where in [`Source::text`] it is.
    pub place: Range<usize>,
}

/// An area in the form in which programs exchange Sokoban levels and their solutions, `.sok`.
pub trait Sok {
    /// The board, one line a row.
    fn board(&self) -> String;

    /// A valid plan as other programs read it: one line, no run lengths, nothing after the win.
    ///
    /// # Errors
    /// A diagnostic where the plan cannot be read; the first step that is refused.
    fn plain(&self, plan: &Source) -> Result<String, PlanError>;
}

/// Number and title of a level, where a line says that plans of it follow: `; level 2: TITLE`.
///
/// ```
/// use outwit::games::plans::level_line;
///
/// assert_eq!(level_line("; level 2: One push"), Some((2, "One push")));
/// assert_eq!(level_line("; one level"), None);
/// ```
pub fn level_line(line: &str) -> Option<(usize, &str)> {
    let text = line.trim().strip_prefix(';')?.trim_start();
    let begins = text.get(..5).is_some_and(|word| word.eq_ignore_ascii_case("level"));
    let text = text.get(5..).filter(|_| begins)?.trim_start();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = text.split_at(digits);
    let rest = rest.trim_start();
    let title = if rest.is_empty() { rest } else { rest.strip_prefix(':')? };
    let title = title.trim();
    let end = title.char_indices().nth(MAX_TITLE).map_or(title.len(), |(end, _)| end);
    Some((number.parse().ok()?, title[..end].trim_end()))
}

/// A board without the blanks that all its rows begin with.
pub fn outdented(board: &str) -> String {
    let blanks = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let drawn = |line: &&str| line.contains('#');
    let margin = board.lines().filter(drawn).map(blanks).min().unwrap_or(0);
    let cut = |line: &str| line[margin.min(blanks(line))..].to_string() + "\n";
    board.lines().map(cut).collect()
}

/// The plans of a text that are parted by nothing but lines `; level 2: TITLE`; without such a line
/// the whole is one plan.
pub fn by_level_lines(source: &Source) -> Vec<Passage> {
    let mut passages: Vec<Passage> = Vec::new();
    for line in source.lines() {
        let place = source.range_of(line.text);
        if let Some((number, title)) = level_line(line.text) {
            if let Some(last) = passages.last_mut() {
                last.place.end = place.start;
            }
            let rest = &source.text[place.end..];
            let after = place.end + rest.find('\n').map_or(rest.len(), |end| end + 1);
            let of = Of::Level { number, title: title.into() };
            passages.push(Passage { of, place: after..source.text.len() });
        }
    }
    match passages.is_empty() {
        true => vec![Passage { of: Of::Any, place: 0..source.text.len() }],
        false => passages,
    }
}

impl Passage {
    /// The plan alone.
    pub fn alone(&self, source: &Source) -> Source {
        Source::new(source.name.as_str(), &source.text[self.place.clone()])
    }

    /// The line on which it begins, from 1.
    pub fn first_line(&self, source: &Source) -> usize {
        source.text[..self.place.start].matches('\n').count() + 1
    }

    /// An error of the plan alone, said of the whole text.
    pub fn placed(&self, source: &Source, error: PlanError) -> PlanError {
        match error {
            PlanError::Unreadable(diagnostic) => {
                PlanError::Unreadable(self.diagnostic_placed(source, diagnostic))
            }
            PlanError::Refused(mut refusal) => {
                if let Some((line, _)) = &mut refusal.line {
                    *line += self.first_line(source) - 1;
                }
                PlanError::Refused(refusal)
            }
        }
    }

    /// Makes steps of the plan alone those of the whole text.
    pub fn steps_placed(&self, source: &Source, steps: Steps) -> Steps {
        let start = source.place_of(&source.text[self.place.clone()]).start;
        let lines_before = self.first_line(source) - 1;
        Box::new(steps.map(move |step| {
            let place = step.place.start + start..step.place.end + start;
            PlanStep { line: step.line + lines_before, place, ..step }
        }))
    }

    /// A diagnostic of the plan alone, said of the whole text.
    pub fn diagnostic_placed(&self, source: &Source, mut diagnostic: Diagnostic) -> Diagnostic {
        if diagnostic.line == 0 {
            return diagnostic;
        }
        let before = &source.text[..self.place.start];
        if diagnostic.line == 1 {
            let line_start = before.rfind('\n').map_or(0, |end| end + 1);
            diagnostic.column += before[line_start..].chars().count();
        }
        diagnostic.line += before.matches('\n').count();
        let line = source.text.lines().nth(diagnostic.line - 1);
        Diagnostic { text: line.unwrap_or_default().to_string(), ..diagnostic }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_levels_part_a_text() {
        let source = Source::new("plans", "; level 1: One\nw 1 1\n; level 12\n; LEVEL 3 : x\nw\n");
        let passages = by_level_lines(&source);
        let told: Vec<_> = passages
            .iter()
            .map(|passage| (passage.of.clone(), source.text[passage.place.clone()].trim()))
            .collect();
        let level = |number, title: &str| Of::Level { number, title: title.into() };
        assert_eq!(told, [(level(1, "One"), "w 1 1"), (level(12, ""), ""), (level(3, "x"), "w")]);
    }

    #[test]
    fn a_text_without_such_lines_is_one_plan() {
        let source = Source::new("plan", "; leveled\nw 1 1\n; level x\n; level\n");
        let whole = Passage { of: Of::Any, place: 0..source.text.len() };
        assert_eq!(by_level_lines(&source), [whole]);
    }

    #[test]
    fn boards_are_the_same_wherever_they_are_drawn() {
        assert_eq!(outdented("  ###\n  #@#\n-\n   ##\n"), "###\n#@#\n-\n ##\n");
    }
}
