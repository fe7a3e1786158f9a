//! Several searches that fail differently, run in turns that grow.
//!
//! A level that one search solves in a moment may hold another for hours, and no feature of the
//! level tells which. So each gets a turn of a few expansions, then all get twice as many, and so
//! on: no level costs much more than its best search times their number. Turns are counted in
//! expansions and the winner of a round is the first in the list that solves in it, so the answer
//! does not depend on the number of threads.

use super::best_first::{BestFirst, Ended, Measure, Weights};
use super::fess::{Fess, Found, Style};
use super::packing::{self, Packing, Taste};
use super::terrain::Terrain;
use super::{answer, walk};
use crate::games::sokoban::state::{Board, Push};
use crate::games::{Answer, Fact};
use crate::search::{Budget, Clock, Effort, Stop, Verdict};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Expansions of a feature-space search in the first round.
const FESS_TURN: u64 = 400;
/// Expansions of a best-first search in the first round.
const BEST_FIRST_TURN: u64 = 3000;
/// Rounds double their turns up to this one.
const LAST_DOUBLING: u32 = 40;

/// One search of the portfolio.
enum Search<'a> {
    Fess { name: &'static str, search: Box<Fess<'a>>, hauls: bool },
    BestFirst { name: &'static str, search: Box<BestFirst<'a>> },
}

/// What a turn comes to.
enum Turn {
    Solved(Vec<Push>),
    /// Proven impossible.
    Impossible,
    /// The search has looked at everything it can, without a proof.
    Through,
    /// More turns may help.
    Open,
    Stopped(Stop),
}

impl Search<'_> {
    fn name(&self) -> &'static str {
        match self {
            Search::Fess { name, .. } | Search::BestFirst { name, .. } => name,
        }
    }

    fn effort(&self) -> (u64, u64, usize) {
        match self {
            Search::Fess { search, .. } => (search.expansions, search.generated, search.memory()),
            Search::BestFirst { search, .. } => {
                (search.expansions, search.generated, search.memory())
            }
        }
    }

    fn turn(&mut self, board: &Board, clock: &Clock<'_>, round: u32) -> Turn {
        match self {
            Search::Fess { search, hauls, .. } => {
                if *hauls {
                    return Turn::Through;
                }
                match search.run(clock, FESS_TURN << round) {
                    Found::Solved(plan) => match walk::pushes(board, &plan) {
                        Some(pushes) => Turn::Solved(pushes),
                        None => Turn::Through,
                    },
                    Found::Exhausted => {
                        *hauls = true;
                        Turn::Through
                    }
                    Found::Stopped(Stop::Nodes) => Turn::Open,
                    Found::Stopped(stop) => Turn::Stopped(stop),
                }
            }
            Search::BestFirst { search, .. } => match search.run(clock, BEST_FIRST_TURN << round) {
                Ended::Solved(pushes) => Turn::Solved(pushes),
                Ended::Impossible => Turn::Impossible,
                Ended::Stopped(Stop::Nodes, _) => Turn::Open,
                Ended::Stopped(stop, _) => Turn::Stopped(stop),
            },
        }
    }
}

/// What one round comes to.
struct Round {
    /// The first search in the list that has an answer, and the answer.
    best: Option<(usize, Turn)>,
    stopped: Option<Stop>,
    /// Whether some search can still be given a turn.
    open: bool,
}

/// Solves a level with the portfolio.
pub fn solve(board: &Board, terrain: &Terrain, budget: &Budget) -> Answer {
    let clock = budget.start();
    let near = packing::plan(board, terrain, Taste::Near);
    let open = packing::plan(board, terrain, Taste::Open);
    let far = packing::plan(board, terrain, Taste::Far);
    let mut searches = searches(board, terrain, &near, &open, &far);
    let mut stopped = None;
    let mut verdict = Verdict::Unknown;
    let (mut plan, mut winner) = (None, None);
    for round in 0..LAST_DOUBLING {
        let result = play_round(board, &mut searches, &clock, round);
        match result.best {
            Some((index, Turn::Solved(pushes))) => {
                verdict = Verdict::Found;
                plan = Some(pushes);
                winner = Some(searches[index].name());
            }
            Some((index, _)) => {
                verdict = Verdict::Impossible;
                winner = Some(searches[index].name());
            }
            None => stopped = result.stopped,
        }
        if verdict != Verdict::Unknown || stopped.is_some() || !result.open {
            break;
        }
    }
    let mut effort = Effort { elapsed: clock.elapsed(), stopped, ..Effort::default() };
    for search in &searches {
        let (expanded, generated, memory) = search.effort();
        effort.expanded += expanded;
        effort.generated += generated;
        effort.memory += memory;
    }
    let notes = winner.map(|name| Fact::new("strategy", name)).into_iter().collect();
    answer(board, verdict, plan, effort, notes)
}

/// The searches, the most promising first.
fn searches<'a>(
    board: &'a Board,
    terrain: &'a Terrain,
    near: &'a Packing,
    open: &'a Packing,
    far: &'a Packing,
) -> Vec<Search<'a>> {
    let fess = |name, packing, style| Search::Fess {
        name,
        search: Box::new(Fess::new(board, terrain, packing, style)),
        hauls: false,
    };
    let best_first = |name, bound| Search::BestFirst {
        name,
        search: Box::new(BestFirst::new(
            board,
            terrain,
            Measure::Pushes,
            Weights { cost: 1, bound },
        )),
    };
    let full =
        Style { wide_cells: false, coarseness: 3, schedule: true, hotspots: true, explorer: true };
    let plain = Style { coarseness: 1, schedule: false, hotspots: false, explorer: false, ..full };
    vec![
        fess("features, far order", far, full),
        fess("features, near order", near, full),
        best_first("best first", 2),
        fess("features, few advisors", near, plain),
        fess("features, wide cells", far, Style { wide_cells: true, ..full }),
        fess("features, open order", open, full),
    ]
}

/// Gives each search its turn of a round, on as many threads as the budget has.
fn play_round(board: &Board, searches: &mut [Search<'_>], clock: &Clock<'_>, round: u32) -> Round {
    let next = AtomicUsize::new(0);
    let winner = AtomicUsize::new(usize::MAX);
    let count = searches.len();
    let slots: Vec<Mutex<&mut Search<'_>>> = searches.iter_mut().map(Mutex::new).collect();
    let result = Mutex::new(Round { best: None, stopped: None, open: false });
    let work = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count || index > winner.load(Ordering::Relaxed) {
                return;
            }
            let Ok(mut search) = slots[index].lock() else { return };
            let turn = search.turn(board, clock, round);
            let Ok(mut result) = result.lock() else { return };
            match turn {
                Turn::Solved(_) | Turn::Impossible => {
                    winner.fetch_min(index, Ordering::Relaxed);
                    if result.best.as_ref().is_none_or(|(other, _)| index < *other) {
                        result.best = Some((index, turn));
                    }
                }
                Turn::Through => {}
                Turn::Open => result.open = true,
                Turn::Stopped(stop) => result.stopped = Some(stop),
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..clock.budget.threads.clamp(1, count) {
            scope.spawn(work);
        }
        work();
    });
    result.into_inner().unwrap_or(Round { best: None, stopped: None, open: false })
}
