//! Several searches that fail differently, run in turns that grow.
//!
//! A level that one search solves in a moment may hold another for hours, and no feature of the
//! level tells which. So each gets a turn of a few expansions, then all get twice as many, and so
//! on: no level costs much more than its best search times their number. Turns are counted in
//! expansions and the winner of a round is the first in the list that solves in it, so the answer
//! does not depend on the number of threads.

use super::answer;
use super::backward::{self, Backward};
use super::backward_anew::BackwardAnew;
use super::best_first::{self, BestFirst, Measure, Weights};
use super::deadlock::Pattern;
use super::fess::{Fess, Style};
use super::packing::{self, Packing};
use super::poses::{BackPoses, Poses};
use super::pulling::{How, Rules, THOROUGH, Taste};
use super::relay::{self, Limits, Relay};
use super::restarts::Restarts;
use super::terrain::Terrain;
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
/// Children of a backward search in the first round. What it solves it solves soon or after many
/// positions, and what a position costs depends on how many children it has.
const BACKWARD_TURN: u64 = 150_000;
/// Expansions of those that begin anew in the first round.
const RESTARTS_TURN: u64 = 6000;
/// Bytes of the process before any search holds any, and of the working memory of those that run.
const PROCESS: usize = 18 << 20;
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
        relay: Box<Relay<'a>>,
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
    BackwardAnew {
        search: Box<BackwardAnew<'a>>,
    },
    Restarts {
        search: Box<Restarts<'a>>,
        /// Deadlocks that the others know of.
        shared: usize,
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

impl Search<'_> {
    fn name(&self) -> &'static str {
        match self {
            Search::BestFirst { name, .. } | Search::Over { name, .. } => name,
            Search::Fess { .. } => "features",
            Search::Backward { .. } => "backward",
            Search::BackwardAnew { .. } => "backward, begun anew",
            Search::Restarts { .. } => "features, begun anew",
        }
    }

    /// Nodes expanded, children generated, bytes held.
    fn effort(&self) -> (u64, u64, usize) {
        match self {
            Search::Fess { relay, .. } => {
                let (expanded, generated) = relay.effort();
                (expanded, generated, relay.search.memory())
            }
            Search::BestFirst { search, .. } => {
                (search.expansions, search.generated, search.memory())
            }
            Search::Backward { search } => (search.expansions, search.generated, search.memory()),
            Search::BackwardAnew { search } => {
                let (expanded, generated) = search.effort();
                (expanded, generated, search.memory())
            }
            Search::Restarts { search, .. } => {
                (search.expansions, search.generated, search.memory())
            }
            Search::Over { expanded, generated, .. } => (*expanded, *generated, 0),
        }
    }

    /// Deadlocks that the others do not know of yet.
    fn news(&self) -> &[Pattern] {
        match self {
            Search::Fess { relay, shared, .. } => relay.search.deadlocks.learned_since(*shared),
            Search::Restarts { search, shared } => search.learned_since(*shared),
            _ => &[],
        }
    }

    /// Takes over what each search has learned, itself the one of this number.
    fn adopt(&mut self, number: usize, learned: &[Vec<Pattern>]) {
        let others = learned.iter().enumerate().filter(|(i, _)| *i != number);
        match self {
            Search::Fess { relay, shared, .. } => {
                others.for_each(|(_, patterns)| relay.search.adopt(patterns));
                *shared = relay.search.deadlocks.patterns();
            }
            Search::Restarts { search, shared } => {
                others.for_each(|(_, patterns)| search.adopt(patterns));
                *shared = search.learned_since(0).len();
            }
            _ => {}
        }
    }

    fn turn(&mut self, clock: &Clock<'_>, allowed: Allowance) -> Turn {
        if let Some(stop) = clock.should_stop(0, 0) {
            return Turn::Stopped(stop);
        }
        let Allowance { nodes, memory, .. } = allowed;
        let limit = |first: u64| (first << allowed.round).min(nodes);
        let turn = match self {
            Search::Over { .. } => Turn::Through,
            Search::Fess { relay, .. } => {
                let (features, handed) = (limit(FESS_TURN), limit(RELAY_TURN));
                relay.run(clock, Limits { features, handed, nodes, memory }).into()
            }
            Search::Restarts { search, .. } => {
                search.run(clock, limit(RESTARTS_TURN), memory).into()
            }
            Search::BestFirst { search, .. } => {
                match search.run(clock, limit(BEST_FIRST_TURN), memory) {
                    best_first::Ended::Solved(pushes) => Turn::Solved(pushes),
                    best_first::Ended::Impossible => Turn::Impossible,
                    best_first::Ended::Stopped(stop, _) => Turn::Stopped(stop),
                }
            }
            Search::Backward { search } => {
                search.run(clock, (nodes, BACKWARD_TURN << allowed.round), memory).into()
            }
            Search::BackwardAnew { search } => {
                search.run(clock, (nodes, BACKWARD_TURN << allowed.round), memory).into()
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

impl From<backward::Ended> for Turn {
    fn from(ended: backward::Ended) -> Self {
        match ended {
            backward::Ended::Solved(pushes) => Turn::Solved(pushes),
            backward::Ended::Impossible => Turn::Impossible,
            backward::Ended::Stopped(stop) => Turn::Stopped(stop),
        }
    }
}

impl From<relay::Ended> for Turn {
    fn from(ended: relay::Ended) -> Self {
        match ended {
            relay::Ended::Solved(pushes) => Turn::Solved(pushes),
            relay::Ended::Exhausted => Turn::Through,
            relay::Ended::Stopped(stop) => Turn::Stopped(stop),
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
    let how = How { taste: Taste::Far, rules: Rules::STRICT, work: THOROUGH };
    let plan = Arc::new(packing::plan(board, terrain, how, &clock));
    let mut searches = searches((board, terrain, poses), &plan, budget.seed);
    let mut stopped = None;
    let mut verdict = Verdict::Unknown;
    let (mut plan, mut winner) = (None, None);
    for round in 0..LAST_DOUBLING {
        let result = play_round(&mut searches, &clock, round);
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
        share(&mut searches);
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
fn share(searches: &mut [Search<'_>]) {
    let learned: Vec<Vec<Pattern>> = searches.iter().map(|search| search.news().to_vec()).collect();
    for (i, search) in searches.iter_mut().enumerate() {
        search.adopt(i, &learned);
    }
}

/// The searches, those of short turns first; each seed gives those that begin anew lots of their own.
fn searches<'a>(
    (board, terrain, poses): Ground<'a>,
    plan: &Arc<Packing>,
    seed: u64,
) -> Vec<Search<'a>> {
    let fess = Fess::new(board, terrain, plan.clone(), Style::default());
    let relay = Box::new(Relay::new((board, terrain), fess, poses.clone()));
    let best_first = |name, plan: Option<&Arc<Packing>>| {
        let how = (Measure::Pushes, Weights { cost: 1, bound: 2 });
        let mut search = Box::new(BestFirst::new(board, terrain, how, poses.clone()));
        plan.iter().for_each(|&plan| search.follow(plan.clone()));
        Search::BestFirst { name, search }
    };
    let lots = seed.wrapping_mul(2);
    let restarts = |seed| {
        let search = Box::new(Restarts::new(board, terrain, poses.clone(), seed));
        Search::Restarts { search, shared: 0 }
    };
    let back = Arc::new(BackPoses::new(poses.clone()));
    let backward = Backward::new(board, back.clone(), backward::Style::default());
    let anew = BackwardAnew::new(board, back, lots);
    vec![
        Search::Fess { relay, shared: 0 },
        best_first("best first along a plan", Some(plan)),
        Search::Backward { search: Box::new(backward) },
        Search::BackwardAnew { search: Box::new(anew) },
        best_first("best first", None),
        restarts(lots.wrapping_sub(1)),
        restarts(lots),
    ]
}

/// Bytes that searches may count as held for the process to keep to its memory.
fn may_hold(memory: usize) -> usize {
    memory.saturating_sub(PROCESS).max(memory / 4) / PER_HELD.0 * PER_HELD.1
}

/// Gives each search its turn of a round, on as many threads as the budget has.
fn play_round(searches: &mut [Search<'_>], clock: &Clock<'_>, round: u32) -> Round {
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
            let turn = search.turn(clock, Allowance { round, nodes, memory });
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
