//! Solutions as texts: keys in LURD, and the texts that have several of them.
//!
//! [`keys`] reads one solution; [`sections`] finds the solutions of a text, below headers or below
//! the lines that `outwit solve` prints; [`lines`] tells what a line is.

pub mod keys;
pub mod lines;
pub mod sections;

pub use keys::{Key, read_keys};

use crate::diagnostic::{Diagnostic, Source};
use crate::games::plans::Passage;

/// The solutions of a text, of one level or of several.
///
/// # Errors
/// A diagnostic where they have more keys than are read.
pub fn passages(text: &Source) -> Result<Vec<Passage>, Diagnostic> {
    let passages = sections::sections(text);
    sections::refuse_too_many(text, &passages)?;
    Ok(passages)
}
