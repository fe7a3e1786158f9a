//! The fast simulator: what the planner walks on.
//!
//! A [`State`] says only what differs from the start: Ellie, her bricks, the homes (cells where
//! clickers sleep at the start) that stand empty, and the clickers that are away from home or trace a sound. A
//! [`Simulator`] is one thread's working memory: it holds the clickers of one state as bits, plays
//! an action on them, and takes it back. Only clickers that trace something are touched.
//!
//! Cells here are indices into a board that is padded by [`PAD`] blocked cells on each side, so that
//! no window and no throw needs a bounds check. Keys are Zobrist keys over (cell, traced cell) of
//! all clickers, so that identities of clickers do not matter.
//!
//! Apply and undo won over copies: a step touches a handful of bits of a board of up to 32 KiB, and
//! nine in ten children of a beam are scored and thrown away without ever being built.
//!
//! A clicker that has reached what it traced, or has no way to it, behaves like one that traces
//! nothing; both are stored as tracing nothing.
//!
//! | file | contents |
//! |---|---|
//! | `moves` | an action in one byte |
//! | `board` | what never changes, and states on it |
//! | `fields` | distance fields around sounds |
//! | `known_steps` | steps of a clicker, and a table of them |
//! | `steps` | the steps a clicker may take toward what it traces |
//! | `simulator` | plays an action, and takes it back |
//! | `throws` | where a brick may land |

mod board;
mod fields;
mod known_steps;
mod moves;
mod simulator;
mod steps;
mod throws;

pub use board::{Board, Clicker, NOTHING, PAD, Position, Site, State, sites_within};
pub use moves::{Move, THROWS};
pub use simulator::{ADJACENT, Acted, After, Played, Simulator};
pub use steps::first_step_of_two;
pub use throws::{TargetRows, Targets, throw_targets, throws_at};
