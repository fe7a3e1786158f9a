//! Finds the shortest way out, or proves that there is none.
//!
//! Two searches, one after the other. A* comes first: most levels, also large ones, have few states
//! that a shortest plan could pass, because monsters end most wrong ways; it proves the shortest
//! plan, and that there is none by exhausting the space. What it leaves undecided goes to a beam that
//! widens until the budget is spent, with a quota for each cell of the hero.

mod bound;
mod space;

pub use bound::Bounds;
pub use space::Escape;

use super::format::{self, Key, Level};
use crate::diagnostic::Source;
use crate::games::game::NamedSearch;
use crate::games::planning::{Planned, Planning, Task};
use crate::search::beam::Beam;
use crate::search::portfolio::anytime::Anytime;
use crate::search::{
    Ended, Known, Limits, Outcome, SharedAStar, SharedWidening, TurnReport, astar_below_shared,
    widening_shared,
};

/// Part of the budget's time, nodes and memory for the exact search.
const EXACT_PART: f64 = 0.6;
/// Part of the budget's time, nodes and memory for the exact search where a proof is asked for.
const EXACT_PART_FOR_PROOF: f64 = 0.9;
/// Divisor of the memory: the bounds of all threads together take at most this share.
const BOUNDS_PART: usize = 4;
/// Width of the first beam, and the most of its states with the hero in one cell.
const FIRST_BEAM: (usize, usize) = (512, 16);

/// The searches that can be run alone.
pub const SEARCHES: &[NamedSearch] = &[
    NamedSearch::new("astar", "A* over turns"),
    NamedSearch::new("beam", "beams that get wider, with a quota for each cell of the hero"),
];

/// The planner of a level, or of a position, which is a level too.
pub struct OfLevel<'a> {
    level: &'a Level,
    /// The keys that have led to the position.
    done: &'a [Key],
}

impl<'a> OfLevel<'a> {
    /// The planner of a level.
    pub fn new(level: &'a Level) -> Self {
        OfLevel { level, done: &[] }
    }

    /// The planner from a position, to which these keys have led. Costs count from there, and plans are
    /// written whole.
    pub fn from_position(level: &'a Level, done: &'a [Key]) -> Self {
        OfLevel { level, done }
    }
}

impl Planning for OfLevel<'_> {
    type Action = Key;

    fn read(&self, plan: &str) -> Option<Vec<Key>> {
        let keys = format::read_plan(&Source::new("the known plan", plan), self.level).ok()?;
        Some(keys.into_iter().map(|planned| planned.key).collect())
    }

    fn write(&self, plan: &[Key]) -> String {
        format::plan_text(&[self.done, plan].concat())
    }

    fn solve(&self, task: Task<'_, Key>) -> Planned<Key> {
        (solve(self.level, &task), Vec::new())
    }

    fn search(&self, name: &str, task: Task<'_, Key>) -> Option<Planned<Key>> {
        Some((search(name, self.level, &task)?, Vec::new()))
    }
}

/// Runs one search alone, below the known plan where there is one; `None` where there is none of that
/// name.
fn search(name: &str, level: &Level, task: &Task<'_, Key>) -> Option<Outcome<Key>> {
    let Limits { memory, threads, .. } = task.run.limits;
    let space = Escape::within(level, memory / BOUNDS_PART / threads.max(1));
    let (clock, known) = (task.run.start(), task.known_length());
    match name {
        "astar" => {
            let prove = || astar_below_shared(&space, &clock, known.unwrap_or(u64::MAX));
            Some(clock.account("astar", prove, TurnReport::of))
        }
        "beam" => {
            let widen = || widening_shared(&space, &clock, &first_beam(), known, task.found);
            Some(clock.account("beam", widen, TurnReport::of))
        }
        _ => None,
    }
}

/// The first of the beams that get wider.
fn first_beam() -> Beam {
    let (width, quota) = FIRST_BEAM;
    Beam { quota: Some(quota), ..Beam::new(width) }
}

/// Looks for a plan within the limits, shorter than the known one where there is one.
pub fn solve(level: &Level, task: &Task<'_, Key>) -> Outcome<Key> {
    let clock = task.run.start();
    let limits = clock.limits;
    let space = Escape::within(level, limits.memory / BOUNDS_PART / limits.threads.max(1));
    let known = Known { cost: task.known_length().unwrap_or(u64::MAX), bound: 0 };
    let mut desk = Anytime::new(clock, known, task.found);
    let part = if task.objective.prove { EXACT_PART_FOR_PROOF } else { EXACT_PART };
    let exact = Limits {
        time: limits.time.mul_f64(part),
        nodes: limits.nodes.map(|nodes| (nodes as f64 * part) as u64),
        memory: (limits.memory as f64 * part) as usize,
        ..limits
    };
    desk.play(&mut SharedAStar::new(&space), exact);
    limits.install(|| {
        let mut beams = SharedWidening::new(&space, first_beam());
        while !desk.is_settled() && desk.play(&mut beams, desk.rest()) == Ended::Resting {}
    });
    desk.outcome()
}
