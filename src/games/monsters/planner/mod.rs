//! The planner.

pub mod bound;
pub mod space;
