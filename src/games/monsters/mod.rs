//! Monsters: the hero must reach the border past monsters that act one after another.
//!
//! Sentinels walk and turn, seekers run at whom they see, shooters make seekers, blobs come the
//! shortest way, mines blow up whatever stands beside them, walls too.

pub mod format;
pub mod generate;
pub mod planner;
pub mod rules;
pub mod simulate;
pub mod state;
