//! Programs that know plans: what a contestant submits.
//!
//! The contest judges a program, not plans. What is written here reads an area, looks its name up
//! in a table of plans and prints the plan; for a name it does not know it walks, keeping as far
//! from the clickers as it can. Names are compared whole, so that one may be the beginning of
//! another. The table holds a plan as letters with repeat counts, see [`encode`]: about a byte an
//! action. Only verified plans come here: through [`crate::export`].

use crate::board::Direction;
use crate::diagnostic::{Diagnostic, Source};
use crate::games::last_of_us::format::{Action, THROW_RANGE, read_plan};
use std::collections::BTreeMap;
use std::fmt::Write;

const RUST: &str = include_str!("solution.rs.in");
const CPP: &str = include_str!("solution.cpp.in");
/// Where the table goes in a template.
const MARK: &str = "@TABLE@";
/// Where the letter of a throw that goes 0 cells goes in a template.
const ZERO_MARK: &str = "@ZERO@";
/// Columns of a plan's letters on a line of the source.
const LINE: usize = 96;

/// Why plans cannot be exported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// Two different plans for one name: the program could not tell the areas apart.
    #[error("two areas are called {0:?} and have different plans: one of them must be left out")]
    SameName(String),
    /// A plan of another game.
    #[error(transparent)]
    Unreadable(#[from] Diagnostic),
}

/// The source of a Rust program that prints the plan for the area it reads.
///
/// # Errors
/// Two plans for one name, or a plan that is not one of this game.
pub(crate) fn rust(plans: &[(&str, &str)]) -> Result<String, ExportError> {
    let mut rows = String::new();
    for (name, code) in table(plans)? {
        let lines = lines(&code).collect::<Vec<_>>().join("\\\n     ");
        let _ = writeln!(rows, "    ({name:?},\n     \"{lines}\"),");
    }
    Ok(filled(RUST, &rows))
}

/// The source of a C++ program (C++11) that prints the plan for the area it reads.
///
/// # Errors
/// Two plans for one name, or a plan that is not one of this game.
pub(crate) fn cpp(plans: &[(&str, &str)]) -> Result<String, ExportError> {
    let mut rows = String::new();
    for (name, code) in table(plans)? {
        let lines = lines(&code).collect::<Vec<_>>().join("\"\n     \"");
        let _ = writeln!(rows, "    {{\"{}\",\n     \"{lines}\"}},", escaped(&name));
    }
    Ok(filled(CPP, &rows))
}

/// Names and encoded plans, by name.
fn table(plans: &[(&str, &str)]) -> Result<BTreeMap<String, String>, ExportError> {
    let mut table = BTreeMap::new();
    for (name, plan) in plans {
        let actions = read_plan(&Source::new(*name, *plan))?;
        let name = name.trim().to_string();
        let code = encode(&actions);
        if table.get(&name).is_some_and(|known| *known != code) {
            return Err(ExportError::SameName(name));
        }
        table.insert(name, code);
    }
    Ok(table)
}

/// A template with the table of plans, and with the letter that stands for 0 cells.
fn filled(template: &str, table: &str) -> String {
    template.replace(ZERO_MARK, &letter(0).to_string()).replacen(MARK, table, 1)
}

/// The letter that stands for a number of rows or columns of a throw.
fn letter(delta: i8) -> char {
    (b'A' + (i32::from(delta) + THROW_RANGE) as u8) as char
}

/// A plan as letters: `a` to `h` for a step in a direction, clockwise from the top, `i` for standing
/// still, two capitals (`A` to `O` for -7 to 7 rows down, then columns right) for a throw, a number
/// before either to repeat it.
///
/// ```
/// use outwit::board::Direction;
/// use outwit::games::last_of_us::format::Action;
/// let north = Action::Walk(Some(Direction::North));
/// let throw = Action::Throw { drow: -7, dcol: 0 };
/// assert_eq!(outwit::games::last_of_us::export::encode(&[north, north, throw, Action::Walk(None)]), "2aAHi");
/// ```
pub fn encode(plan: &[Action]) -> String {
    let mut code = String::new();
    for run in plan.chunk_by(|a, b| a == b) {
        if run.len() > 1 {
            let _ = write!(code, "{}", run.len());
        }
        match run[0] {
            Action::Walk(direction) => {
                let index = direction.map_or(Direction::ALL.len(), |d| d as usize);
                code.push((b'a' + index as u8) as char);
            }
            Action::Throw { drow, dcol } => {
                code.push(letter(drow));
                code.push(letter(dcol));
            }
        }
    }
    code
}

/// An encoded plan cut into lines; it is plain letters and digits.
fn lines(code: &str) -> impl Iterator<Item = &str> {
    (0..code.len()).step_by(LINE).map(|from| &code[from..code.len().min(from + LINE)])
}

/// A text inside a C++ string literal: what is not plainly printable as three octal digits, which
/// no following character can extend, and no trigraphs.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' | b'?' => {
                escaped.push('\\');
                escaped.push(byte as char);
            }
            b' '..=b'~' => escaped.push(byte as char),
            _ => {
                let _ = write!(escaped, "\\{byte:03o}");
            }
        }
    }
    escaped
}
