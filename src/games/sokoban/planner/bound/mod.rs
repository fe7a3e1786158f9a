//! Bounds of the pushes that a position still takes.

pub mod conflicts;
pub mod matching;
