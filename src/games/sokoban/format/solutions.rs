//! Solutions that stand below their boards.

use super::keys::direction;
use crate::games::collection::Solution;

/// The word that the head of a section begins with.
const HEAD: &str = "solution";
/// Least number of keys that make a line without a head more than a word.
const LEAST_KEYS: usize = 6;

/// Sections of solutions, as they are read line by line.
#[derive(Default)]
pub(super) struct Sections {
    /// The complete solutions, and the one being read.
    pub solutions: Vec<Solution>,
    state: State,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    Outside,
    /// The head is read.
    Begun,
    /// Some of the keys are read.
    Inside,
}

impl Sections {
    /// Takes a line that is of a section; false where it is of none. `rest` are the lines after it.
    pub fn take<'a>(
        &mut self,
        line: &str,
        number: usize,
        mut rest: impl Iterator<Item = &'a str>,
    ) -> bool {
        let goes_on = self.state == State::Inside && is_run(line);
        if self.state != State::Outside && (are_keys(line) || goes_on) {
            self.add(line, number);
            return true;
        }
        if let Some(title) = head(line)
            && rest.find(|line| !line.is_empty()).is_some_and(are_keys)
        {
            let title = (!title.is_empty()).then(|| title.to_string());
            self.solutions.push(Solution { title, text: String::new(), line: number + 1 });
            self.state = State::Begun;
            return true;
        }
        self.state = State::Outside;
        let inline = head(line).filter(|keys| is_solution(keys));
        if let Some(keys) = inline.or(Some(line).filter(|line| is_solution(line))) {
            self.solutions.push(Solution { title: None, text: String::new(), line: number });
            self.add(keys, number);
            return true;
        }
        false
    }

    /// A blank line ends the keys of a section.
    pub fn blank(&mut self, line: &str) {
        if line.is_empty() && self.state == State::Inside {
            self.state = State::Outside;
        }
    }

    fn add(&mut self, keys: &str, number: usize) {
        let Some(solution) = self.solutions.last_mut() else { return };
        if solution.text.is_empty() {
            solution.line = number;
        }
        solution.text.push_str(keys);
        solution.text.push('\n');
        self.state = State::Inside;
    }
}

/// The text beside the word in the head of a section.
fn head(line: &str) -> Option<&str> {
    let line = line.trim_start_matches(';').trim();
    let word = line.get(..HEAD.len()).filter(|word| word.eq_ignore_ascii_case(HEAD))?;
    let rest = &line[word.len()..];
    let goes_on = rest.starts_with(char::is_alphanumeric);
    (!goes_on).then(|| rest.trim_matches([':', '/', ' ', '\t']))
}

/// Whether a line is of keys and run lengths.
fn are_keys(line: &str) -> bool {
    let is_sign =
        |c: char| direction(c).is_some() || matches!(c, '0'..='9' | '(' | ')' | ' ' | '\t');
    line.chars().all(is_sign) && line.contains(|c| direction(c).is_some())
}

/// Whether a line is of run lengths whose keys stand on the next line.
fn is_run(line: &str) -> bool {
    !line.is_empty() && line.chars().all(|c| c.is_ascii_digit() || matches!(c, '(' | ')'))
}

/// Whether a line without a head is a solution: a word of these letters has few of them, and no small
/// ones before great ones.
fn is_solution(line: &str) -> bool {
    let letters: Vec<char> =
        line.chars().filter(|&c| direction(c).is_some()).take(LEAST_KEYS).collect();
    let turns = line
        .as_bytes()
        .windows(2)
        .any(|two| two[0].is_ascii_lowercase() && two[1].is_ascii_uppercase());
    are_keys(line) && !line.contains([' ', '\t']) && (letters.len() >= LEAST_KEYS || turns)
}
