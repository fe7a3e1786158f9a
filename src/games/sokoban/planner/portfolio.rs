//! Several searches that fail differently, run in turns that grow.
//!
//! A level that one search solves in a moment may hold another for hours, and no feature of the
//! level tells which. So each gets a turn of a few expansions, then all get twice as many, and so
//! on: no level costs much more than its best search times their number. Turns are counted in
//! expansions and the winner of a round is the first in the list that solves in it, so the answer
//! does not depend on the number of threads.

use super::backward::{self, Backward};
use super::best_first::{BestFirst, Ended, Measure, Weights};
use super::deadlock::Pattern;
use super::fess::{Fess, Found, Style};
use super::packing::{self, Packing, Taste};
use super::poses::Poses;
use super::relay::Relay;
use super::terrain::Terrain;
use super::{answer, walk};
use crate::board::mix;
use crate::games::sokoban::state::{Board, Push};
use crate::games::{Answer, Fact};
use crate::search::{Budget, Clock, Effort, Stop, Verdict};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// Expansions of a feature-space search in the first round.
const FESS_TURN: u64 = 400;
/// Expansions for each position that a feature-space search hands over in the first round.
const RELAY_TURN: u64 = 1500;
/// Expansions of a best-first search in the first round.
const BEST_FIRST_TURN: u64 = 2000;
/// Expansions of the backward search in the first round; from round to round they triple. What it
/// solves it solves soon or after many positions, which cost little.
const BACKWARD_TURN: u64 = 3000;
/// Bytes of the process before any search holds any.
const PROCESS: usize = 7 << 20;
/// What the process takes for each byte that searches count as held, as a fraction. Tables that
/// double are there twice for a moment, and the allocator keeps what searches that are over gave
/// back; measured at 16, 64 and 256 MiB it is 1.2 to 2.4 bytes.
const PER_HELD: (usize, usize) = (9, 4);
/// Rounds double their turns up to this one.
const LAST_DOUBLING: u32 = 40;

/// What all searches of a level share.
type Ground<'a> = (&'a Board, &'a Terrain, &'a Arc<Poses>);

/// One search of the portfolio.
enum Search<'a> {
    Fess {
        name: &'static str,
        search: Box<Fess<'a>>,
        relay: Relay,
        /// Deadlocks that the others know of.
        shared: usize,
    },
    BestFirst {
        name: &'static str,
        search: Box<BestFirst<'a>>,
    },
    Backward {
        search: Box<Backward<'a>>,
    },
    /// A feature-space search that starts anew each turn, with a plan and a style drawn by lot.
    Drawn {
        number: u64,
        expanded: u64,
        generated: u64,
    },
    /// It has nothing more to say, and its memory is given back; what it spent is kept.
    Over {
        name: &'static str,
        expanded: u64,
        generated: u64,
    },
}

/// What a search may spend on its turn.
#[derive(Clone, Copy)]
struct Allowance {
    round: u32,
    /// Expansions in all rounds together.
    nodes: u64,
    /// Bytes that it may hold.
    memory: usize,
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

impl<'a> Search<'a> {
    fn name(&self) -> &'static str {
        match self {
            Search::Fess { name, .. }
            | Search::BestFirst { name, .. }
            | Search::Over { name, .. } => name,
            Search::Backward { .. } => "backward",
            Search::Drawn { .. } => "features, drawn by lot",
        }
    }

    fn effort(&self) -> (u64, u64, usize) {
        match self {
            Search::Fess { search, relay, .. } => {
                let (expanded, generated) = (relay.expansions, relay.generated);
                (search.expansions + expanded, search.generated + generated, search.memory())
            }
            Search::BestFirst { search, .. } => {
                (search.expansions, search.generated, search.memory())
            }
            Search::Backward { search } => (search.expansions, search.generated, search.memory()),
            Search::Drawn { expanded, generated, .. }
            | Search::Over { expanded, generated, .. } => (*expanded, *generated, 0),
        }
    }

    fn turn(&mut self, ground: Ground<'a>, clock: &Clock<'_>, allowed: Allowance) -> Turn {
        let (board, terrain, _) = ground;
        if let Some(stop) = clock.should_stop(0, 0) {
            return Turn::Stopped(stop);
        }
        let limit = |first: u64| (first << allowed.round).min(allowed.nodes);
        let turn = match self {
            Search::Over { .. } => Turn::Through,
            Search::Fess { search, relay, .. } => {
                let nodes = limit(FESS_TURN).min(allowed.nodes.saturating_sub(relay.expansions));
                match search.run(clock, nodes, allowed.memory) {
                    Found::Solved(plan) => {
                        walk::pushes(board, &plan).map_or(Turn::Through, Turn::Solved)
                    }
                    Found::Exhausted => Turn::Through,
                    Found::Stopped(Stop::Nodes) => {
                        let spent = search.expansions + relay.expansions;
                        let nodes = limit(RELAY_TURN).min(allowed.nodes.saturating_sub(spent) / 2);
                        let memory = allowed.memory.saturating_sub(search.memory());
                        let finished = relay.run(board, terrain, search, clock, (nodes, memory));
                        finished.map_or(Turn::Stopped(Stop::Nodes), Turn::Solved)
                    }
                    Found::Stopped(stop) => Turn::Stopped(stop),
                }
            }
            Search::Drawn { number, expanded, generated } => {
                let left = allowed.nodes.saturating_sub(*expanded);
                let allowed = Allowance { nodes: left, ..allowed };
                let mut search = draw(ground, clock, *number, allowed.round);
                let turn = search.turn(ground, clock, allowed);
                let spent = search.effort();
                *expanded += spent.0;
                *generated += spent.1;
                match turn {
                    // Another draw may fare better.
                    Turn::Through | Turn::Stopped(Stop::Memory) => Turn::Stopped(Stop::Nodes),
                    Turn::Open => Turn::Stopped(Stop::Nodes),
                    turn => turn,
                }
            }
            Search::BestFirst { search, .. } => {
                match search.run(clock, limit(BEST_FIRST_TURN), allowed.memory) {
                    Ended::Solved(pushes) => Turn::Solved(pushes),
                    Ended::Impossible => Turn::Impossible,
                    Ended::Stopped(stop, _) => Turn::Stopped(stop),
                }
            }
            Search::Backward { search } => {
                let nodes = BACKWARD_TURN.saturating_mul(3u64.saturating_pow(allowed.round));
                match search.run(clock, nodes.min(allowed.nodes), allowed.memory) {
                    backward::Ended::Solved(pushes) => Turn::Solved(pushes),
                    backward::Ended::Impossible => Turn::Impossible,
                    backward::Ended::Stopped(stop) => Turn::Stopped(stop),
                }
            }
        };
        let (expanded, generated, _) = self.effort();
        match turn {
            // The turn is over, not the allowance.
            Turn::Stopped(Stop::Nodes) if expanded < allowed.nodes => Turn::Open,
            Turn::Through | Turn::Stopped(Stop::Memory) => {
                *self = Search::Over { name: self.name(), expanded, generated };
                turn
            }
            turn => turn,
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
pub fn solve(board: &Board, terrain: &Terrain, poses: &Arc<Poses>, budget: &Budget) -> Answer {
    let clock = budget.start();
    let near = Arc::new(packing::plan(board, terrain, Taste::Near, &clock));
    let far = Arc::new(packing::plan(board, terrain, Taste::Far, &clock));
    let mut searches = searches((board, terrain, poses), &near, &far);
    let mut stopped = None;
    let mut verdict = Verdict::Unknown;
    let (mut plan, mut winner) = (None, None);
    for round in 0..LAST_DOUBLING {
        let result = play_round((board, terrain, poses), &mut searches, &clock, round);
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
            None => stopped = result.stopped.or(stopped),
        }
        if verdict != Verdict::Unknown || !result.open {
            break;
        }
        share_deadlocks(&mut searches);
    }
    if verdict != Verdict::Unknown {
        stopped = None;
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

/// Tells every feature-space search the deadlocks that the others have learned in a round. Between
/// rounds, for what a search knows must not depend on how fast another is.
fn share_deadlocks(searches: &mut [Search<'_>]) {
    let mut fesses: Vec<(&mut Box<Fess<'_>>, &mut usize)> = Vec::new();
    for search in searches {
        if let Search::Fess { search, shared, .. } = search {
            fesses.push((search, shared));
        }
    }
    let learned: Vec<Vec<Pattern>> = (fesses.iter())
        .map(|(search, shared)| search.deadlocks.learned_since(**shared).to_vec())
        .collect();
    for (i, (search, shared)) in fesses.iter_mut().enumerate() {
        for (j, patterns) in learned.iter().enumerate() {
            if i != j {
                search.adopt(patterns);
            }
        }
        **shared = search.deadlocks.patterns();
    }
}

/// The searches, the most promising first.
fn searches<'a>(
    (board, terrain, poses): Ground<'a>,
    near: &Arc<Packing>,
    far: &Arc<Packing>,
) -> Vec<Search<'a>> {
    let fess = |name, packing: &Arc<Packing>, style| Search::Fess {
        name,
        search: Box::new(Fess::new(board, terrain, packing.clone(), style)),
        relay: Relay::new(poses.clone()),
        shared: 0,
    };
    let best_first = |name, plan: Option<&Arc<Packing>>| {
        let how = (Measure::Pushes, Weights { cost: 1, bound: 2 });
        let mut search = Box::new(BestFirst::new(board, terrain, how, poses.clone()));
        plan.iter().for_each(|&plan| search.follow(plan.clone()));
        Search::BestFirst { name, search }
    };
    let full = Style::default();
    let plain = Style {
        schedule: false,
        obstacles: false,
        hotspots: false,
        graded: false,
        explorer: false,
        clearing: false,
        ..full
    };
    let drawn = |number| Search::Drawn { number, expanded: 0, generated: 0 };
    let coarse = Style { coarseness: 3, ..full };
    vec![
        fess("features, far order", far, full),
        fess("features, advice at a price", far, Style { advised: 1, other: 4, ..full }),
        best_first("best first along a plan", Some(far)),
        Search::Backward { search: Box::new(Backward::new(board, poses.clone())) },
        best_first("best first", None),
        fess("features, coarse weights", far, Style { graded: false, clearing: false, ..coarse }),
        fess("features, fine weights", near, Style { hotspots: true, explorer: true, ..plain }),
        drawn(1),
        drawn(2),
    ]
}

/// A feature-space search with a packing order and a style drawn by lot.
fn draw<'a>(
    (board, terrain, poses): Ground<'a>,
    clock: &Clock<'_>,
    number: u64,
    round: u32,
) -> Search<'a> {
    let seed = mix(number << 8 | u64::from(round));
    let lot = |bit: u32, odds: u64| (seed >> bit & 3) < odds;
    let priced = lot(18, 1);
    let style = Style {
        wide_cells: lot(0, 1),
        advised: u32::from(priced),
        other: if priced { 4 } else { 1 },
        coarseness: 1 + (seed >> 2 & 3) as u32,
        free_order: lot(4, 1),
        schedule: lot(6, 2),
        obstacles: lot(16, 3),
        hotspots: lot(8, 3),
        graded: lot(10, 2),
        explorer: lot(12, 2),
        clearing: lot(14, 3),
        noise: seed,
    };
    let packing = Arc::new(packing::plan(board, terrain, Taste::Drawn(seed), clock));
    Search::Fess {
        name: "features, drawn by lot",
        search: Box::new(Fess::new(board, terrain, packing, style)),
        relay: Relay::new(poses.clone()),
        shared: 0,
    }
}

/// Bytes that searches may count as held for the process to keep to its memory.
fn may_hold(memory: usize) -> usize {
    memory.saturating_sub(PROCESS).max(memory / 4) / PER_HELD.0 * PER_HELD.1
}

/// Gives each search its turn of a round, on as many threads as the budget has.
fn play_round<'a>(
    level: Ground<'a>,
    searches: &mut [Search<'a>],
    clock: &Clock<'_>,
    round: u32,
) -> Round {
    let next = AtomicUsize::new(0);
    let winner = AtomicUsize::new(usize::MAX);
    let count = searches.len();
    let threads = clock.budget.threads.clamp(1, count);
    let held: Vec<AtomicUsize> =
        searches.iter().map(|search| AtomicUsize::new(search.effort().2)).collect();
    let nodes = clock.budget.nodes.map_or(u64::MAX, |nodes| nodes.div_ceil(count as u64));
    let slots: Vec<Mutex<&mut Search<'_>>> = searches.iter_mut().map(Mutex::new).collect();
    let result = Mutex::new(Round { best: None, stopped: None, open: false });
    let work = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count || index > winner.load(Ordering::Relaxed) {
                return;
            }
            let Ok(mut search) = slots[index].lock() else { return };
            // What no search holds is shared among the threads.
            let all: usize = held.iter().map(|held| held.load(Ordering::Relaxed)).sum();
            let free = may_hold(clock.budget.memory).saturating_sub(all) / threads;
            let memory = held[index].load(Ordering::Relaxed) + free;
            let turn = search.turn(level, clock, Allowance { round, nodes, memory });
            held[index].store(search.effort().2, Ordering::Relaxed);
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
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
    result.into_inner().unwrap_or(Round { best: None, stopped: None, open: false })
}
