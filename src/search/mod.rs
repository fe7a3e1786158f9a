//! What every planner shares. This module knows no game.
//!
//! A game describes itself as a [`Space`]; [`astar`], [`beam`] and [`cyclic`] are written once over it and are
//! monomorphic, so a space costs what its own code costs. Every search runs under a [`Budget`] and
//! answers with an [`Outcome`]: running out is an answer with the best so far, not a failure.

pub mod astar;
pub mod beam;
pub mod breadth_first;
mod budget;
pub mod clock;
#[cfg(feature = "cluster")]
pub mod cluster;
pub mod crew;
pub mod cyclic;
mod graph;
mod luby;
mod open_list;
pub(crate) mod open_lists;
mod outcome;
mod plan_listener;
mod shared;
mod space;
pub(crate) mod tables;

pub use budget::{Budget, Clock, Deadline, Listener, Progress, STACK_BYTES, StopReason};
pub use graph::{Graph, GraphSpace};
pub use luby::luby;
pub use outcome::{Outcome, Statistics, UnknownWord, Verdict};
pub use plan_listener::PlanListener;
pub use shared::{
    Cluster, Only, Portable, Shared, SpaceVisitor, Spaces, astar_below_shared, beam_shared,
    widening_shared,
};
pub use space::{Due, Space, Successor};
