//! Robots.
pub mod format;
pub mod generate;
pub mod planner;
pub mod rules;
pub mod state;
pub mod strategy;
