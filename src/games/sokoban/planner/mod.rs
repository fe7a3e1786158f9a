//! The planners.

pub mod deadlock;
pub mod fess;
pub mod lift;
pub mod packing;
pub mod terrain;
pub mod walk;

use super::format::Level;
use super::state::Board;
use crate::games::{Answer, Fact};
use crate::search::{Budget, Effort, Verdict};
use fess::{Fess, Found};
use packing::Taste;
use terrain::Terrain;

/// Solves a level, not caring how long the plan is.
pub fn solve(level: &Level, budget: &Budget) -> Answer {
    let clock = budget.start();
    let board = Board::new(level);
    if !board.balanced() {
        return answer(Verdict::Impossible, None, Effort::default(), Vec::new());
    }
    let terrain = Terrain::new(&board);
    let packing = packing::plan(&board, &terrain, Taste::Near);
    let mut fess = Fess::new(&board, &terrain, &packing);
    let found = fess.run(&clock);
    let mut effort = Effort {
        expanded: fess.expansions,
        generated: fess.generated,
        elapsed: clock.elapsed(),
        memory: fess.memory(),
        stopped: None,
    };
    let notes = vec![
        Fact::new("plan", if packing.complete { "complete" } else { "partial" }),
        Fact::new("cells", fess.cells()),
        Fact::new("best", fess.best()),
    ];
    match found {
        Found::Solved(hauls) => {
            let keys = walk::pushes(&board, &hauls).and_then(|p| walk::keys(&board, &p));
            let verdict = if keys.is_some() { Verdict::Found } else { Verdict::Unknown };
            answer(verdict, keys, effort, notes)
        }
        Found::Exhausted => answer(Verdict::Unknown, None, effort, notes),
        Found::Stopped(stop) => {
            effort.stopped = Some(stop);
            answer(Verdict::Unknown, None, effort, notes)
        }
    }
}

fn answer(verdict: Verdict, plan: Option<String>, effort: Effort, notes: Vec<Fact>) -> Answer {
    let pushes = |plan: &String| plan.chars().filter(char::is_ascii_uppercase).count() as u64;
    let length = plan.as_ref().map(pushes);
    let plan = plan.map(|plan| plan + "\n");
    Answer { verdict, plan, length, bound: 0, effort, notes }
}
