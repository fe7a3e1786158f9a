//! Sokoban: formats, the two simulators and the planners; the exact search.

mod exact;
mod pddl;
mod planner;
