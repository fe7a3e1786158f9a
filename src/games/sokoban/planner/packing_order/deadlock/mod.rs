//! Corrals, deadlocks that are learned, and targets that are cut off.

pub mod corral;
pub mod cut_off;
pub mod dead_sets;
pub mod lessons;
pub mod prover;
