//! The planner of the Last of Us.

pub mod chase;
pub mod exact;
pub mod guards;
pub mod guide;
