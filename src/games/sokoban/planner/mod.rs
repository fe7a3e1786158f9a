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
    if let Ok(m) = std::env::var("MODE") { fess::MODE.store(m.parse().unwrap(), std::sync::atomic::Ordering::Relaxed); }
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
        Fact::new("corral positions", fess.deadlocks.corral_positions),
        Fact::new("patterns", fess.deadlocks.patterns()),
        Fact::new("best", fess.best()),
    ];
    if std::env::var("DEBUG").is_ok() {
        let name = |s: crate::games::sokoban::state::Square| { let c = board.cells[s as usize]; format!("({},{})", board.shape.row(c), board.shape.col(c)) };
        for (i, t) in packing.to.iter().enumerate() {
            eprint!("{}{} ", packing.from[i].map_or(String::new(), |f| name(f) + ">"), name(*t));
        }
        eprintln!();
        let show = |f: &dyn Fn(u16) -> char| {
            for r in 0..board.shape.rows { for c in 0..board.shape.cols {
                let cell = board.shape.cell(r, c); let s = board.square_of[cell.index()];
                eprint!("{}", if s as usize == board.squares() { '#' } else { f(s) });
            } eprintln!(); }
        };
        show(&|s| if terrain.room[s as usize] == u16::MAX { ' ' } else { (b'a' + terrain.room[s as usize] as u8) as char });
        let (boxes, player) = fess.best_position();
        show(&|s| match (boxes.contains(&s), board.is_target[s as usize]) { (true, true) => '*', (true, false) => '$', (false, t) => if s == player { '@' } else if t { '.' } else { ' ' } });
    }
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
