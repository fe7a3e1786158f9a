//! Solutions as texts: keys in LURD, and the texts that have several of them.
//!
//! [`keys`] reads one solution; [`sections`] finds the solutions of a text, below headers or below
//! the lines that `outwit solve` prints, and [`boards`] those beside boards; [`lines`] tells what a line
//! is.

pub mod boards;
pub mod keys;
pub mod lines;
pub mod sections;

pub use keys::{Key, read_keys};

use crate::diagnostic::{Diagnostic, Source};
use crate::games::plans::Passage;
use crate::games::sokoban::format::recognises;

/// The solutions of a text, of one level or of several.
///
/// # Errors
/// A diagnostic where they have more keys than are read.
pub fn passages(text: &Source) -> Result<Vec<Passage>, Diagnostic> {
    let beside = if recognises(&text.text) { boards::solutions(text) } else { None };
    let passages = beside.unwrap_or_else(|| sections::sections(text));
    sections::refuse_too_many(text, &passages)?;
    Ok(passages)
}
