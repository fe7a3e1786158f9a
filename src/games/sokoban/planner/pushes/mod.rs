//! Search over single pushes and pulls, and the tables that its searches keep.
//!
//! `best_first` pushes boxes one square at a time. Backward search ([`super::backward`]) and
//! window search ([`super::improve::window`]) keep what they reach in the same `position_table`,
//! which holds to a limit of memory.

pub(super) mod best_first;
mod expander;
pub(super) mod position_table;
pub mod segmented_array;

use crate::games::fact::Fact;
use crate::games::objective::Objective;
use crate::games::planning::Task;
use crate::games::sokoban::board::{Board, Push};
use crate::games::sokoban::format::{MOVES, PUSHES};
use crate::games::sokoban::lurd;
use crate::search::portfolio::anytime::Anytime;
use crate::search::{Clock, Known, StopReason};

/// An open position: priority, rank among equal ones, and the complement of its number, so that of
/// equal ones the newest comes first. Least comes first.
pub(super) type Entry = (u32, u16, u32);

/// What a search for a plan comes to.
#[derive(Debug)]
pub enum Ended {
    /// Pushes from the start to a solved position.
    Solved(Vec<Push>),
    /// Proven: there is no plan, or none that is better than the one known.
    Impossible,
    /// Nothing is left to look at, but what was left out proves nothing.
    Exhausted,
    /// The budget is spent.
    Stopped(StopReason),
}

/// What a plan's length counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Pushes.
    Pushes,
    /// Moves: pushes and the steps between them.
    Moves,
}

impl Measure {
    /// The measure in which a plan is to be short.
    pub fn of(objective: &Objective) -> Measure {
        if objective.measure == Some(MOVES) { Measure::Moves } else { Measure::Pushes }
    }

    /// The measure as a note on an answer.
    pub fn fact(self) -> Fact {
        Fact::new("measure", if self == Measure::Moves { MOVES.name() } else { PUSHES.name() })
    }

    /// Pushes or moves of a plan; `None` where it is none.
    pub fn cost(self, board: &Board, pushes: &[Push]) -> Option<u32> {
        let moves = lurd::moves(board, pushes)?.last().copied()?;
        Some(if self == Measure::Moves { moves } else { pushes.len() as u32 })
    }

    /// Whether the first of two plans of the same cost is better in the other measure.
    pub fn prefers(self, board: &Board, plan: &[Push], other: &[Push]) -> bool {
        let second = if self == Measure::Moves { Measure::Pushes } else { Measure::Moves };
        second.cost(board, plan) < second.cost(board, other)
    }

    /// Lets the plan out of searches that do not know the task's plan, where it is better than that one.
    pub fn first_plan<'a>(
        self,
        board: &'a Board,
        task: &'a Task<'_, Push>,
    ) -> impl Fn(&[Push], u64) + Sync + 'a {
        move |plan, _| {
            let Some(cost) = self.cost(board, plan) else { return };
            let is_better = task.known.as_ref().is_none_or(|known| {
                let least = self.cost(board, known).unwrap_or(u32::MAX);
                cost < least || cost == least && self.prefers(board, plan, known)
            });
            if is_better {
                (task.found)(plan, cost.into());
            }
        }
    }

    /// A portfolio that holds the task's known plan, where there is one.
    pub fn desk<'a>(self, board: &Board, task: Task<'a, Push>, clock: &Clock) -> Anytime<'a, Push> {
        let mut desk = Anytime::new(clock.clone(), Known::default(), task.found);
        if let Some(plan) = task.known
            && let Some(cost) = self.cost(board, &plan)
        {
            desk.begin_with(cost.into(), plan);
        }
        desk
    }
}

/// Cost of the best plan as searches over pushes count it; `u32::MAX` where none is known.
pub(super) fn known_cost(known: Known) -> u32 {
    u32::try_from(known.cost).unwrap_or(u32::MAX)
}
