//! The planner's searches one by one, to compare them.

use super::super::format::{Action, Map};
use super::super::state::Board;
use super::abstraction::Abstraction;
use super::{Planner, dives};
use crate::games::game::NamedSearch;
use crate::games::planning::Task;
use crate::search::Outcome;
use std::time::Duration;

/// The searches that can be run alone.
pub const SEARCHES: &[NamedSearch] = &[
    NamedSearch::new("astar", "A* over actions"),
    NamedSearch::new("beam", "one beam of 1024 states in the first style"),
    NamedSearch::new("dives", "cyclic best-first searches in several styles, in turns"),
    NamedSearch::new("abstraction", "a lower bound, from what is certain of the clickers"),
    NamedSearch::of_plan("windows", "parts of the known plan, searched again by beams"),
];

/// Width of a beam that is run alone, in states of a layer.
const WIDTH: usize = 1024;

/// Runs one search alone, for plans shorter than the one known; `None` where there is none of that name,
/// or where it shortens a plan and none that leads out is known.
pub fn search(name: &str, map: &Map, task: &Task<'_, Action>) -> Option<Outcome<Action>> {
    let clock = task.run.start();
    let board = Board::new(map);
    let mut planner = Planner::new(&board, task, clock);
    planner.leave(Duration::ZERO);
    let named = SEARCHES.iter().find(|search| search.name == name)?;
    if named.needs_plan && planner.best.is_none() {
        return None;
    }
    task.run.limits.install(|| planner.search(name));
    Some(planner.outcome())
}

impl Planner<'_> {
    fn search(&mut self, name: &str) {
        if self.settled() {
            return;
        }
        match name {
            "astar" => self.exact_for(None, None, "A*"),
            "abstraction" => {
                let part = self.part(None, None);
                let abstraction = Abstraction::new(self.board, &self.walk);
                let upper = self.length().unwrap_or(u64::MAX);
                let prove = || abstraction.lower_bound(&self.board.start(), upper, &part);
                let proven =
                    self.clock.account("abstraction", prove, |proven| proven.report(upper));
                self.take_proven(&proven);
                self.effort.stopped = proven.effort.stopped;
            }
            _ => {
                let compasses = self.compasses();
                match name {
                    "beam" => {
                        self.beam(&compasses[0], WIDTH, self.length());
                    }
                    "dives" => dives::dive(self, &compasses),
                    _ => self.shorten(compasses[0].style),
                }
            }
        }
    }
}
