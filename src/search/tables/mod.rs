//! Tables in which searches keep what they have reached.

mod state_index;

pub(crate) use state_index::{Full, Slot, StateIndex, scramble};
