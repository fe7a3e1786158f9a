//! The portfolio: several searches that fail differently, run in turns that grow.
//!
//! A level that one search solves in a moment may hold another for hours, and no feature of the
//! level tells which. So each search gets a turn of a few expansions, then all get twice as many,
//! and so on. No level costs much more than its best search times their number. Turns are counted
//! in expansions, and the answer of the first round counts, in it that of the first search in the
//! list. So the answer does not depend on the number of threads ([`scheduler`]).

mod scheduler;

use crate::games::sokoban::board::{Board, Push, mask};
use crate::games::sokoban::planner::analysis::Prepared;
use crate::games::sokoban::planner::analysis::push_distance::PullDistances;
use crate::games::sokoban::planner::backward::restarts::BackwardRestarts;
use crate::games::sokoban::planner::backward::{self, Backward};
use crate::games::sokoban::planner::bidirectional;
use crate::games::sokoban::planner::deadlock::Pattern;
use crate::games::sokoban::planner::fess::finish::{self, HybridSearch, Limits};
use crate::games::sokoban::planner::fess::restarts::FessRestarts;
use crate::games::sokoban::planner::fess::{Fess, Style};
use crate::games::sokoban::planner::limits::SQUARE_BYTES;
use crate::games::sokoban::planner::packing::plan_search::{
    ExitOrder, ExitRules, PlanOptions, THOROUGH,
};
use crate::games::sokoban::planner::packing::{self, Packing};
use crate::games::sokoban::planner::pushes::Measure;
use crate::games::sokoban::planner::pushes::best_first::{self, BestFirst, Weights};
use crate::search::{Budget, Clock, Effort, Outcome, Stop, Verdict};
use scheduler::{Scheduler, TurnId};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Expansions of a feature-space search in the first round.
const FESS_TURN: u64 = 400;
/// Expansions for each position that a feature-space search hands over in the first round.
const FINISH_TURN: u64 = 1500;
/// Expansions of a best-first search along a plan in the first round.
const ALONG_PLAN_TURN: u64 = 2000;
/// Expansions of one with one list for all positions in the first round.
const ONE_LIST_TURN: u64 = 2000;
/// Expansions of one by boxes away in the first round.
const BOXES_AWAY_TURN: u64 = 6000;
/// Successors of a backward search in the first round. What it solves it solves soon or after many
/// positions, and what a position costs depends on how many successors it has.
const BACKWARD_TURN: u64 = 150_000;
/// Expansions of those that begin anew in the first round.
const RESTARTS_TURN: u64 = 6000;
/// Expansions of bidirectional search in the first round, by how many ways there are to put the
/// boxes on the board: up to so many, so many expansions.
const BIDIRECTIONAL_TURNS: [(u128, u64); 3] =
    [(1 << 48, 400_000), (1 << 64, 60_000), (u128::MAX, 10_000)];
/// Boxes times squares of boards on which searches of single pushes come before feature-space
/// search, one expansion of which may take seconds there, and the bound alone leads best: of 54
/// boards of 20x20 to 250x250 all are decided in 10 s so, and 49 by boxes away.
const LARGE: usize = 100_000;
/// Bytes of the process before any search holds any, and of the working memory of those that run.
const PROCESS: usize = 18 << 20;
/// What the process takes for each byte that searches count as held, as a fraction. Tables that
/// double are there twice for a moment, and the allocator keeps what searches that are over gave
/// back; measured at 16, 64 and 256 MiB it is 1.2 to 2.4 bytes.
const PER_HELD: (usize, usize) = (9, 4);
/// Rounds in which what the searches may spend in all doubles. Were it one, a search that solves in
/// the middle of its turn would wait for the rest of all turns before: it has spent as much as each
/// of them, they have spent up to twice as much.
const ROUNDS_TO_DOUBLE: u32 = 4;
/// What they may spend in these rounds, of 1024.
const STEPS: [u64; ROUNDS_TO_DOUBLE as usize] = [1024, 1218, 1448, 1722];
/// Rounds at most.
const ROUNDS: u32 = 40 * ROUNDS_TO_DOUBLE;

/// One search of the portfolio.
enum Search<'a> {
    Fess {
        hybrid: Box<HybridSearch<'a>>,
        /// Deadlocks that the others know of.
        shared: usize,
    },
    BestFirst {
        name: &'static str,
        search: Box<BestFirst<'a>>,
        /// Expansions in the first round.
        turn: u64,
    },
    Bidirectional {
        board: &'a Board,
        /// Expansions in the first round.
        turn: u64,
        /// Made on its first turn.
        search: Option<Box<dyn bidirectional::Search>>,
    },
    Backward {
        search: Box<Backward<'a>>,
    },
    BackwardRestarts {
        search: Box<BackwardRestarts<'a>>,
    },
    FessRestarts {
        search: Box<FessRestarts<'a>>,
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
            Search::Bidirectional { .. } => "bidirectional",
            Search::Backward { .. } => "backward",
            Search::BackwardRestarts { .. } => "backward, begun anew",
            Search::FessRestarts { .. } => "features, begun anew",
        }
    }

    /// Nodes expanded, successors generated, bytes held.
    fn effort(&self) -> (u64, u64, usize) {
        match self {
            Search::Fess { hybrid, .. } => {
                let (expanded, generated) = hybrid.effort();
                (expanded, generated, hybrid.search.memory())
            }
            Search::BestFirst { search, .. } => {
                (search.expansions, search.generated, search.memory())
            }
            Search::Bidirectional { search: None, .. } => (0, 0, 0),
            Search::Bidirectional { search: Some(search), .. } => {
                let (expanded, generated) = search.effort();
                (expanded, generated, search.memory())
            }
            Search::Backward { search } => (search.expansions, search.generated, search.memory()),
            Search::BackwardRestarts { search } => {
                let (expanded, generated) = search.effort();
                (expanded, generated, search.memory())
            }
            Search::FessRestarts { search, .. } => {
                (search.expansions, search.generated, search.memory())
            }
            Search::Over { expanded, generated, .. } => (*expanded, *generated, 0),
        }
    }

    /// Whether it learns deadlocks that others of its kind can use.
    fn shares(&self) -> bool {
        matches!(self, Search::Fess { .. } | Search::FessRestarts { .. })
    }

    /// Deadlocks that the others do not know of yet.
    fn news(&self) -> &[Pattern] {
        match self {
            Search::Fess { hybrid, shared, .. } => hybrid.search.deadlocks.learned_since(*shared),
            Search::FessRestarts { search, shared } => search.learned_since(*shared),
            _ => &[],
        }
    }

    /// Takes over what each search has learned, itself the one of this number.
    fn adopt(&mut self, number: usize, learned: &[Vec<Pattern>]) {
        let others = learned.iter().enumerate().filter(|(i, _)| *i != number);
        match self {
            Search::Fess { hybrid, shared, .. } => {
                others.for_each(|(_, patterns)| hybrid.search.adopt(patterns));
                *shared = hybrid.search.deadlocks.patterns();
            }
            Search::FessRestarts { search, shared } => {
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
        let doublings = allowed.round / ROUNDS_TO_DOUBLE;
        let step = STEPS[(allowed.round % ROUNDS_TO_DOUBLE) as usize];
        let grown = |first: u64| (first * step / STEPS[0]) << doublings;
        let limit = |first: u64| grown(first).min(nodes);
        let turn = match self {
            Search::Over { .. } => Turn::Through,
            Search::Fess { hybrid, .. } => {
                // Each time that positions are handed over their searches begin anew.
                let hands_over = allowed.round.is_multiple_of(ROUNDS_TO_DOUBLE);
                let handed = if hands_over { limit(FINISH_TURN) } else { 0 };
                let features = limit(FESS_TURN);
                hybrid.run(clock, Limits { features, handed, nodes, memory }).into()
            }
            Search::FessRestarts { search, .. } => {
                search.run(clock, (limit(RESTARTS_TURN), nodes), memory).into()
            }
            Search::BestFirst { search, turn, .. } => {
                match search.run(clock, limit(*turn), memory) {
                    best_first::Ended::Solved(pushes) => Turn::Solved(pushes),
                    best_first::Ended::Impossible => Turn::Impossible,
                    best_first::Ended::Stopped(stop, _) => Turn::Stopped(stop),
                }
            }
            Search::Bidirectional { board, turn, search } => {
                if search.is_none() {
                    *search = bidirectional::search(board, clock.left());
                }
                match search {
                    Some(search) => search.run(clock, limit(*turn), memory).into(),
                    None => Turn::Through,
                }
            }
            Search::Backward { search } => {
                search.run(clock, (nodes, grown(BACKWARD_TURN)), memory).into()
            }
            Search::BackwardRestarts { search } => {
                search.run(clock, (nodes, grown(BACKWARD_TURN)), memory).into()
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

impl From<finish::Ended> for Turn {
    fn from(ended: finish::Ended) -> Self {
        match ended {
            finish::Ended::Solved(pushes) => Turn::Solved(pushes),
            finish::Ended::Exhausted => Turn::Through,
            finish::Ended::Stopped(stop) => Turn::Stopped(stop),
        }
    }
}

/// Solves a level with the portfolio. With the outcome comes the name of the search that has it;
/// the bound is 0.
pub fn solve(level: Prepared<'_>, budget: &Budget) -> (Outcome<Push>, Option<&'static str>) {
    let Prepared { board, analysis, .. } = level;
    let clock = budget.start();
    let options =
        PlanOptions { exit_order: ExitOrder::Far, rules: ExitRules::STRICT, work: THOROUGH };
    let plan = Arc::new(packing::plan(board, analysis, options, &clock));
    let mut searches = searches(level, &plan, budget.seed);
    let Table { best, stopped, .. } =
        play(&mut searches, may_hold(budget.memory, board.squares()), &clock);
    let winner = best.as_ref().map(|(index, _)| searches[*index].name());
    let (verdict, plan) = match best {
        Some((_, Turn::Solved(pushes))) => (Verdict::Found, Some(pushes)),
        Some(_) => (Verdict::Impossible, None),
        None => (Verdict::Unknown, None),
    };
    let stopped = stopped.filter(|_| verdict == Verdict::Unknown);
    let mut effort = Effort { elapsed: clock.elapsed(), stopped, ..Effort::default() };
    for search in &searches {
        let (expanded, generated, memory) = search.effort();
        effort.expanded += expanded;
        effort.generated += generated;
        effort.memory += memory;
    }
    let cost = plan.as_ref().map_or(u64::MAX, |pushes| pushes.len() as u64);
    (Outcome { verdict, plan, cost, bound: 0, effort }, winner)
}

/// The searches, those of short turns first; each seed gives those that begin anew lots of their
/// own.
fn searches<'a>(level: Prepared<'a>, plan: &Arc<Packing>, seed: u64) -> Vec<Search<'a>> {
    let Prepared { board, distances, .. } = level;
    let fess = Fess::new(level, plan.clone(), Style::default());
    let hybrid = Box::new(HybridSearch::new(level, fess));
    let best_first = |bound| {
        let weights = Weights { cost: 1, bound };
        Box::new(BestFirst::new(level, Measure::Pushes, weights))
    };
    let mut along_plan = best_first(2);
    along_plan.follow(plan.clone());
    let is_large = board.boxes.len() * board.squares() > LARGE;
    let without_plan = if is_large {
        Search::BestFirst { name: "best first", search: best_first(2), turn: ONE_LIST_TURN }
    } else {
        let mut search = best_first(3);
        search.count_away();
        Search::BestFirst { name: "best first by boxes away", search, turn: BOXES_AWAY_TURN }
    };
    let lots = seed.wrapping_mul(2);
    let restarts = |seed| {
        let search = Box::new(FessRestarts::new(level, seed));
        Search::FessRestarts { search, shared: 0 }
    };
    let back = Arc::new(PullDistances::new(distances.clone()));
    let backward = Backward::new(board, back.clone(), backward::Style::default());
    let anew = BackwardRestarts::new(board, back, lots);
    let mut searches = vec![
        Search::Fess { hybrid, shared: 0 },
        Search::BestFirst {
            name: "best first along a plan",
            search: along_plan,
            turn: ALONG_PLAN_TURN,
        },
        Search::Backward { search: Box::new(backward) },
        Search::BackwardRestarts { search: Box::new(anew) },
        without_plan,
        restarts(lots.wrapping_sub(1)),
        restarts(lots),
    ];
    if is_large {
        searches.rotate_left(1);
    }
    if mask::words(board).is_some() {
        let count = bidirectional::arrangements(board);
        let turn = BIDIRECTIONAL_TURNS.into_iter().find(|&(most, _)| count <= most);
        let turn = turn.map_or(0, |(_, turn)| turn);
        searches.insert(0, Search::Bidirectional { board, turn, search: None });
    }
    searches
}

/// Bytes that searches of a board of so many squares may count as held for the process to keep to
/// its memory.
fn may_hold(memory: usize, squares: usize) -> usize {
    memory.saturating_sub(PROCESS + squares * SQUARE_BYTES).max(memory / 4) / PER_HELD.0
        * PER_HELD.1
}

/// What the turns so far come to.
struct Table {
    scheduler: Scheduler,
    /// The answer that counts, and which search has it.
    best: Option<(usize, Turn)>,
    /// Why a search was stopped.
    stopped: Option<Stop>,
    /// Bytes that each search holds.
    held: Vec<usize>,
}

/// The searches while they take turns.
struct Portfolio<'g, 'a> {
    searches: Vec<Mutex<&'g mut Search<'a>>>,
    /// Raised for searches whose answer would not count any more.
    halts: Vec<Arc<AtomicBool>>,
    table: Mutex<Table>,
    /// Told after each turn.
    changed: Condvar,
    threads: usize,
    /// Bytes that the searches may hold together.
    memory: usize,
}

/// Lets the searches take turns on as many threads as the budget has; they may hold so many bytes
/// together.
fn play(searches: &mut [Search<'_>], memory: usize, clock: &Clock<'_>) -> Table {
    let scheduler = Scheduler::new(searches.iter().map(Search::shares), ROUNDS);
    let game = Portfolio {
        halts: searches.iter().map(|_| Arc::default()).collect(),
        table: Mutex::new(Table {
            scheduler,
            best: None,
            stopped: None,
            held: searches.iter().map(|search| search.effort().2).collect(),
        }),
        changed: Condvar::new(),
        threads: clock.budget.threads.clamp(1, searches.len()),
        memory,
        searches: searches.iter_mut().map(Mutex::new).collect(),
    };
    std::thread::scope(|scope| {
        for _ in 1..game.threads {
            scope.spawn(|| game.work(clock));
        }
        game.work(clock);
    });
    game.table.into_inner().unwrap_or_else(PoisonError::into_inner)
}

impl Portfolio<'_, '_> {
    /// Plays turns until none is left.
    fn work(&self, clock: &Clock<'_>) {
        let _guard = WakesOthers(self);
        let nodes = clock.budget.nodes.map(|nodes| nodes.div_ceil(self.searches.len() as u64));
        let mut table = locked(&self.table);
        while !table.scheduler.is_over() {
            let Some(place) = table.scheduler.next() else {
                table = self.changed.wait(table).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let (round, number) = place;
            // What no search holds is shared among the threads.
            let all: usize = table.held.iter().sum();
            let free = self.memory.saturating_sub(all) / self.threads;
            let memory = table.held[number] + free;
            let allowed = Allowance { round, nodes: nodes.unwrap_or(u64::MAX), memory };
            drop(table);
            let mut search = locked(&self.searches[number]);
            let turn = search.turn(&clock.with_halt(&self.halts[number]), allowed);
            let held = search.effort().2;
            drop(search);
            table = locked(&self.table);
            table.held[number] = held;
            self.note(&mut table, place, turn);
            self.changed.notify_all();
        }
    }

    /// Notes what a turn came to.
    fn note(&self, table: &mut Table, place: TurnId, turn: Turn) {
        let scheduler = &mut table.scheduler;
        let all_played = match turn {
            Turn::Solved(_) | Turn::Impossible => {
                if scheduler.answer(place) {
                    table.best = Some((place.1, turn));
                    for number in scheduler.in_vain() {
                        self.halts[number].store(true, Ordering::Relaxed);
                    }
                }
                false
            }
            Turn::Open => scheduler.go_on(place),
            Turn::Through => scheduler.leave(place),
            Turn::Stopped(stop) => {
                table.stopped = Some(stop);
                scheduler.leave(place)
            }
        };
        if all_played {
            self.share(table.scheduler.sharers());
        }
    }

    /// Tells each of these searches the deadlocks that the others have learned in a round.
    /// Between rounds, for what a search knows must not depend on how fast another is.
    fn share(&self, sharers: impl Iterator<Item = usize>) {
        let mut sharers: Vec<_> = sharers.map(|i| locked(&self.searches[i])).collect();
        let learned: Vec<Vec<Pattern>> = sharers.iter().map(|s| s.news().to_vec()).collect();
        for (i, search) in sharers.iter_mut().enumerate() {
            search.adopt(i, &learned);
        }
    }
}

/// Where a thread panics, nobody waits for the end of its turn.
struct WakesOthers<'g, 's, 'a>(&'g Portfolio<'s, 'a>);

impl Drop for WakesOthers<'_, '_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            locked(&self.0.table).scheduler.close();
            self.0.changed.notify_all();
        }
    }
}

/// Locks what no panic leaves half done.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
