//! What a line of a text with solutions is.

use crate::games::plans::level_line;
use crate::games::sokoban::format::direction;

/// Kind of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind<'a> {
    /// Nothing is on it.
    Blank,
    /// Keys in LURD alone.
    Keys,
    /// `; level 2: TITLE`: plans of that level follow.
    Level {
        /// Its number, from 1.
        number: usize,
        /// Its title, which may be empty.
        title: &'a str,
    },
    /// It begins with `;`.
    Comment,
    /// `Solution`, `Solution 2/3`, `Solution/Moves`, `Solution (Moves: 12)`: keys follow, on the same
    /// line or below.
    Solution {
        /// The keys on the line, which may be none.
        keys: &'a str,
    },
    /// A game that was saved, or a place in it: no solution follows.
    SavedGame,
    /// `Word: …`, which tells something of a level or a solution.
    Note,
    /// Anything else: a title, a remark, or keys with a fault.
    Other,
}

/// The kind of a line without its context.
pub fn kind_of(line: &str) -> Kind<'_> {
    let text = line.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Kind::Blank;
    }
    if text.starts_with(';') {
        return match level_line(text) {
            Some((number, title)) => Kind::Level { number, title },
            None => Kind::Comment,
        };
    }
    if is_keys(text) {
        return Kind::Keys;
    }
    if begins_with_word(text, "solution") || begins_with_word(text, "solutions") {
        let after = text.rsplit_once(':').map_or("", |(_, after)| after.trim());
        let keys = if has_direction(after) && is_keys(after) { after } else { "" };
        return Kind::Solution { keys };
    }
    let saved = ["saved game", "savegame", "save game", "saved", "snapshot"];
    if saved.iter().any(|word| begins_with_word(text, word)) {
        return Kind::SavedGame;
    }
    if is_note(text) { Kind::Note } else { Kind::Other }
}

/// Whether a line that is no keys may have been meant as keys: most of it is.
pub fn is_meant_as_keys(line: &str) -> bool {
    let signs = line.chars().filter(|sign| !sign.is_whitespace());
    let (keys, others): (Vec<_>, Vec<_>) = signs.partition(|&sign| is_key_sign(sign));
    keys.len() >= others.len()
}

fn is_keys(text: &str) -> bool {
    text.chars().all(|sign| is_key_sign(sign) || sign.is_whitespace())
}

fn has_direction(text: &str) -> bool {
    text.chars().any(|sign| direction(sign).is_some())
}

fn is_key_sign(sign: char) -> bool {
    direction(sign).is_some() || sign.is_ascii_digit() || matches!(sign, '(' | ')')
}

/// Whether a text begins with a word, in whatever case, and no letter after it.
fn begins_with_word(text: &str, word: &str) -> bool {
    let begins = text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    begins && !text[word.len()..].starts_with(|sign: char| sign.is_alphanumeric())
}

/// `Word: …`, as titles, authors and solvers' notes are written. A word of nothing but keys is none:
/// a colon among keys is a fault of theirs.
fn is_note(text: &str) -> bool {
    let Some((word, _)) = text.split_once(':') else { return false };
    let of_words = word.chars().all(|sign| sign.is_alphanumeric() || " -_/().".contains(sign));
    of_words && word.starts_with(char::is_alphabetic) && !is_keys(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_apart() {
        for (line, kind) in [
            ("", Kind::Blank),
            (" \t", Kind::Blank),
            ("rRR", Kind::Keys),
            ("2", Kind::Keys),
            ("\u{feff}r2R", Kind::Keys),
            ("; level 2: Second", Kind::Level { number: 2, title: "Second" }),
            ("; a remark", Kind::Comment),
            ("Solution", Kind::Solution { keys: "" }),
            ("SOLUTION 2/3", Kind::Solution { keys: "" }),
            ("Solution/Moves", Kind::Solution { keys: "" }),
            ("Solution:", Kind::Solution { keys: "" }),
            ("Solution: rRR", Kind::Solution { keys: "rRR" }),
            ("Solution (Moves: 3)", Kind::Solution { keys: "" }),
            ("Solution (Moves: 3): r2R", Kind::Solution { keys: "r2R" }),
            ("Saved game 1", Kind::SavedGame),
            ("Snapshot 2", Kind::SavedGame),
            ("Title: rRR", Kind::Note),
            ("Time: 00:00:01", Kind::Note),
            ("rR:R", Kind::Other),
            ("rRX", Kind::Other),
            ("Solutionless", Kind::Other),
            ("a remark", Kind::Other),
        ] {
            assert_eq!(kind_of(line), kind, "{line:?}");
        }
        assert!(is_meant_as_keys("rRXR") && !is_meant_as_keys("found by hand"));
    }
}
