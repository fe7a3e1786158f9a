//! Robots.
pub mod format;
pub mod planner;
pub mod rules;
pub mod state;
pub mod strategy;
pub mod generate;
