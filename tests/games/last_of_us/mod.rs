//! The Last of Us: reading, rules, the two simulators, generated areas, exported programs.

mod export;
mod format;
mod generate;
mod rules;
mod simulators;
