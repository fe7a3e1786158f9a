//! What every planner shares. This module knows no game.
//!
//! A game describes itself as a [`Space`]; [`astar`], [`beam`], [`cyclic`] and [`breadth_first`], which is
//! the shortest model of a new one, are written once over it and are monomorphic, so a space costs what its
//! own code costs. A search that takes turns with others implements [`Search`], and a [`portfolio`] lets it
//! play. Every search runs under [`Limits`] and answers with an [`Outcome`]: running out is an answer with
//! the best so far, not a failure.

pub mod astar;
pub mod beam;
pub mod breadth_first;
pub mod clock;
#[cfg(feature = "cluster")]
pub mod cluster;
mod control;
pub mod crew;
pub mod cyclic;
pub mod explain;
mod graph;
mod limits;
pub(crate) mod open_lists;
mod outcome;
pub mod portfolio;
mod run;
mod shared;
mod space;
pub(crate) mod tables;
pub mod tuning;
mod turn;

pub use control::{Control, Ended, Event, Listener, Progress, TurnReport};
pub use graph::{Graph, GraphSpace};
pub use limits::{Limits, STACK_BYTES, StopReason, cores};
pub use outcome::{Outcome, Statistics, UnknownWord, Verdict};
pub use portfolio::luby;
pub use run::{Clock, Deadline, Run};
pub use shared::{
    Cluster, Only, Portable, Shared, SharedAStar, SharedWidening, SpaceVisitor, Spaces,
    astar_below_shared, beam_shared, widening_shared,
};
pub use space::{Due, Space, Successor};
pub use tuning::{Number, Setting, SettingError, Settings};
#[cfg(test)]
pub(crate) use turn::tests::compare_turns;
pub use turn::{Allowance, Found, Known, Search, Spent, Turn, play};
