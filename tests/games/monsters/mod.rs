//! Monsters: the planner, and the two simulators.

mod planner;
mod simulators;
