//! The planner of the Last of Us.

pub mod chase;
pub mod guide;
