//! Sokoban: formats, the two simulators and the planners; the exact search; PDDL.

mod exact;
mod pddl;
mod planner;
