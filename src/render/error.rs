//! The reasons why there is no picture.

use crate::games::IllegalStep;
use std::fmt;

/// The reason why there is no picture.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PictureError {
    /// The rules refuse a step of the plan.
    #[error("step {number}, {step:?}: {reason}")]
    Step {
        /// Its number, from 1.
        number: usize,
        /// The step as it was given.
        step: String,
        /// The rules' reason.
        reason: IllegalStep,
    },
    /// The board or the picture is too large. The text says by which measure.
    #[error("{0}")]
    TooLarge(String),
    /// The picture cannot be encoded.
    #[error("the picture cannot be encoded: {0}")]
    Encoding(String),
}

impl PictureError {
    pub(super) fn encoding(error: impl fmt::Display) -> Self {
        PictureError::Encoding(error.to_string())
    }
}
