//! Finds the shortest way out, or proves that there is none.
//!
//! Two searches, one after the other. A* comes first: most levels, also large ones, have few states
//! that a shortest plan could pass, because monsters end most wrong ways; it proves the shortest
//! plan, and that there is none by exhausting the space. What it leaves undecided goes to a beam that
//! widens until the budget is spent, with a quota for each cell of the hero.

mod bound;
mod space;
mod tuning;

pub use bound::Bounds;
pub use space::Escape;
pub use tuning::Tuning;

use super::format::{self, Key, Level};
use crate::diagnostic::Source;
use crate::games::game::NamedSearch;
use crate::games::planning::{Planned, Planning, Task};
use crate::search::beam::Beam;
use crate::search::portfolio::anytime::Anytime;
use crate::search::{Known, Limits, Outcome, SharedAStar, SharedWidening};

/// Divisor of the memory: the bounds of all threads together take at most this share.
const BOUNDS_PART: usize = 4;
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
    let tuning = Tuning::of(&task.run.settings);
    let (space, desk) = begin(level, task);
    match name {
        "astar" => Some(desk.alone(&mut SharedAStar::new(&space))),
        "beam" => {
            let mut beams = SharedWidening::new(&space, first_beam(&tuning.beam));
            Some(task.run.limits.install(|| desk.alone(&mut beams)))
        }
        _ => None,
    }
}

/// The space of a level, and a portfolio that knows what the task says.
fn begin<'a>(level: &'a Level, task: &Task<'a, Key>) -> (Escape<'a>, Anytime<'a, Key>) {
    let Limits { memory, threads, .. } = task.run.limits;
    let space = Escape::within(level, memory / BOUNDS_PART / threads.max(1));
    let known = Known { cost: task.known_cost(), bound: 0 };
    (space, Anytime::new(task.run.start(), known, task.found))
}

/// The first of the beams that get wider.
fn first_beam(tuning: &tuning::Beams) -> Beam {
    Beam { quota: Some(tuning.first_quota), ..Beam::new(tuning.first_width) }
}

/// Looks for a plan within the limits, shorter than the known one where there is one.
pub fn solve(level: &Level, task: &Task<'_, Key>) -> Outcome<Key> {
    let tuning = Tuning::of(&task.run.settings);
    let (space, mut desk) = begin(level, task);
    let astar = tuning.astar;
    let part = if task.objective.prove { astar.part_for_proof } else { astar.part };
    let limits = desk.clock.limits;
    let exact = Limits {
        time: limits.time.mul_f64(part),
        nodes: limits.nodes.map(|nodes| (nodes as f64 * part) as u64),
        memory: (limits.memory as f64 * part) as usize,
        ..limits
    };
    desk.play(&mut SharedAStar::new(&space), exact);
    let mut beams = SharedWidening::new(&space, first_beam(&tuning.beam));
    limits.install(|| desk.alone(&mut beams))
}
