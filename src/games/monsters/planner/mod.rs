//! Finds the shortest way out, or proves that there is none.

mod bound;
mod space;

pub use bound::Bounds;
pub use space::Escape;

use super::format::{Key, Level};
use crate::games::Aim;
use crate::search::astar::astar;
use crate::search::{Budget, Outcome};

/// Looks for a plan within the budget.
pub fn plan(level: &Level, _aim: &Aim, budget: &Budget) -> Outcome<Key> {
    astar(&Escape::new(level), &budget.start())
}
