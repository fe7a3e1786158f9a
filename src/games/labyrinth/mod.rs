//! Labyrinth: a player in a dark maze looks for the exit, asking an arbiter line by line.

pub mod explorer;
pub mod format;
pub mod generate;
pub mod intervals;
pub mod planner;
pub mod protocol;
pub mod route;
pub mod rules;
pub mod state;
