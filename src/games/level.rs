//! Which of the areas of a text is meant: a collection has many.

use std::fmt;

/// Why no level is chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LevelError {
    /// The text has several, and none is named.
    Unsaid {
        /// How many it has.
        count: usize,
    },
    /// The text has no level of that number.
    Missing {
        /// The number, from 1.
        level: usize,
        /// How many it has.
        count: usize,
    },
}

impl fmt::Display for LevelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LevelError::Unsaid { count } => {
                write!(f, "the text has {count} levels: say which one")
            }
            LevelError::Missing { level, count } => {
                write!(f, "level {level}: the text has levels 1 to {count}")
            }
        }
    }
}

impl std::error::Error for LevelError {}

/// The index, from 0, of the level that is meant: the one of number `level`, from 1, or the only
/// one.
///
/// ```
/// use outwit::games::level::{LevelError, index};
///
/// assert_eq!(index(3, Some(2)), Ok(1));
/// assert_eq!(index(1, None), Ok(0));
/// assert_eq!(index(3, None), Err(LevelError::Unsaid { count: 3 }));
/// assert_eq!(index(3, Some(4)), Err(LevelError::Missing { level: 4, count: 3 }));
/// ```
///
/// # Errors
/// There is no such level, or it has to be said which one.
pub fn index(count: usize, level: Option<usize>) -> Result<usize, LevelError> {
    match level {
        Some(level) if (1..=count).contains(&level) => Ok(level - 1),
        Some(level) => Err(LevelError::Missing { level, count }),
        None if count == 1 => Ok(0),
        None => Err(LevelError::Unsaid { count }),
    }
}
