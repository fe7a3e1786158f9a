//! What every planner shares. This module knows no game.
//!
//! A game describes itself as a [`Space`]; [`astar`] and [`beam`] are written once over it and are
//! monomorphic, so a space costs what its own code costs. Every search runs under a [`Budget`] and
//! answers with an [`Outcome`]: running out is an answer with the best so far, not a failure.

pub mod astar;
pub mod beam;
pub mod breadth_first;
mod budget;
mod former;
mod luby;
mod open;
mod outcome;
pub(crate) mod seen;
mod space;
mod trail;

pub use budget::{Budget, Clock, Listener, Progress, Stop, Watch};
pub use luby::luby;
pub use outcome::{Effort, Outcome, Verdict};
pub use space::{Child, Due, Space};
