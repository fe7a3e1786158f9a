//! Exact search: A*.
//!
//! A* (Hart, Nilsson, Raphael, *A formal basis for the heuristic determination of minimum cost
//! paths*, IEEE Transactions on Systems Science and Cybernetics 4, 1968) expands states in order of
//! f = g + h, the cost so far and an admissible bound of the cost to come, and so proves that the
//! first plan it is left with is of least cost. It keeps every state that it reaches: use it where
//! they fit the memory budget, and [`super::beam`] where they do not.
//!
//! What this one does and does not:
//! - A plan counts when its goal is generated, not when it is expanded; nothing of f at or above
//!   the best known cost is kept. A cost known before may be passed: see [`astar_below`].
//! - Bounds may be inconsistent: a state reached more cheaply again is opened again, and f never
//!   falls below what is proven (Martelli, *On the complexity of admissible search algorithms*,
//!   Artificial Intelligence 8, 1977, shows why it should not).
//! - States are merged when they are equal, not when only their keys are: the proof does not rest
//!   on a hash. What that costs is up to [`Space::leads_to`], and nothing where
//!   [`Space::KEYS_ARE_EXACT`].
//! - A state is built when it is expanded, not when it is reached: most of what lies at the rim of
//!   a search is never expanded, and costs about 32 bytes (`table.rs`).
//! - Where a space can tell what a child is worth before it is scored, the children that raise f
//!   wait in their parent until the search has come to their f: see [`Space::expand_due`]. Most of
//!   a search's states stand at its last f, and their dear children are never made (Goldenberg and
//!   others, *Enhanced partial expansion A\**, JAIR 50, 2014).
//! - No dominance rule: the one that was tried did not pay (`docs/notes/search.md`).
//! - States are taken in rounds of one f, the best first: the more, the longer the search has run
//!   and the longer it has come no nearer to the goal (`round_sizes.rs`). The states of a round are
//!   expanded by all threads, and so are their successors reached, in order: the table of states is
//!   in shards by hash, as many for any number of threads, and each is in the hands of one thread
//!   at a time (`work.rs`; that a hash says who reaches a state is Kishimoto, Fukunaga, Botea,
//!   *Evaluation of a simple, scalable, parallel best-first search strategy*, AIJ 195, 2013). So **the
//!   plan is the same for any number of threads**; with a node budget instead of a time budget it is the
//!   same on any machine. A dive to the goal stays as narrow as it is with one state at a time, and
//!   threads have enough to do where a proof is long. What a round expands does not depend on what
//!   is found in it, so several processes can agree on the same rounds:
//!   [`super::astar_below_shared`].
//! - What the space and the working memory of all threads hold is counted with the tables. Threads
//!   for whose working memory there is no room take no part.
//! - Costs and bounds sum up in 32 bits; a plan that costs 2^32 - 1 or more is not found, and then
//!   the answer is never `Impossible`.
//!
//! # Example
//! A knight on a board of 8 by 8, from one corner to the other.
//!
//! ```
//! use outwit::search::{Limits, Run, Successor, Space, Verdict, astar::astar};
//!
//! struct Knight;
//!
//! const GOAL: (i32, i32) = (7, 7);
//! const LEAPS: [(i32, i32); 8] =
//!     [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];
//!
//! impl Space for Knight {
//!     type State = (i32, i32);
//!     type Action = (i32, i32);
//!     type Scratch = ();
//!     fn start(&self) -> (i32, i32) { (0, 0) }
//!     fn key(&self, &(row, col): &(i32, i32)) -> u64 { (row * 8 + col) as u64 }
//!     // A leap goes at most 2 in each direction.
//!     fn bound(&self, &(row, col): &(i32, i32)) -> u32 {
//!         (GOAL.0 - row).max(GOAL.1 - col).unsigned_abs().div_ceil(2)
//!     }
//!     fn is_goal(&self, state: &(i32, i32)) -> bool { *state == GOAL }
//!     fn scratch(&self) {}
//!     fn expand(
//!         &self,
//!         state: &(i32, i32),
//!         _: &mut (),
//!         visit: &mut impl FnMut(Successor<(i32, i32)>),
//!     ) {
//!         for action in LEAPS {
//!             let child = self.child(state, action, &mut ());
//!             if (0..8).contains(&child.0) && (0..8).contains(&child.1) {
//!                 visit(Successor::of(self, (action, 1), &child));
//!             }
//!         }
//!     }
//!     fn child(&self, state: &(i32, i32), leap: (i32, i32), _: &mut ()) -> (i32, i32) {
//!         (state.0 + leap.0, state.1 + leap.1)
//!     }
//! }
//!
//! let outcome = astar(&Knight, &Run::seconds(5.0).start());
//! assert_eq!((outcome.verdict, outcome.cost), (Verdict::Optimal, 6));
//! ```

pub(in crate::search) mod round_sizes;
mod rounds;
mod table;
mod team;
mod work;

use self::round_sizes::RoundSizes;
use self::rounds::{End, Pace};
use self::team::Team;
use self::work::{Goal, Work};
use super::open_lists::buckets::{OpenList, Waiting};
use super::space::threads_with_room;
use super::tables::Full;
use super::turn::{Allowance, Known, Search, Spent, Turn};
use super::{Clock, Ended, Limits, Outcome, Progress, Space, Statistics, StopReason, Verdict};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Expansions between two looks at the clock.
const POLL: u64 = 256;
/// Expansions between two looks at the clock after some that took longer than [`SLOW`] together:
/// some spaces do much for a few states.
const FEW: u64 = 4;
/// Time between two looks at the clock above which they are made more often.
const SLOW: Duration = Duration::from_millis(4);
/// Time between two reports of progress.
const REPORT: Duration = Duration::from_millis(100);

/// Finds a plan of least cost, or proves that there is none.
///
/// Works with [`super::Limits::threads`] threads, those of the rayon pool that it is called from
/// where there is one. Out of budget, the answer has the best plan so far, if any, and the bound
/// proven so far: the least f of the open states.
pub fn astar<S: Space>(space: &S, clock: &Clock) -> Outcome<S::Action> {
    AStar::new(space, clock.clone(), u64::MAX).run()
}

/// Finds a plan of least cost among those that cost less than `upper`, the cost of a plan that the
/// caller has.
///
/// Where there is none, the known plan is proven optimal: the verdict is `Optimal`, cost and bound
/// are `upper`, and there is no plan in the answer.
pub fn astar_below<S: Space>(space: &S, clock: &Clock, upper: u64) -> Outcome<S::Action> {
    AStar::new(space, clock.clone(), upper).run()
}

/// A* that can be taken up again and again: it rests between two rounds.
pub struct AStar<'a, S: Space> {
    /// What reports call it.
    name: &'static str,
    space: &'a S,
    clock: Clock,
    /// The working memory of the thread that leads.
    scratch: S::Scratch,
    /// Bytes of the working memory of the other threads.
    others: Arc<AtomicUsize>,
    pace: Pace,
    round_sizes: RoundSizes,
    work: Arc<Work<S>>,
    open: OpenList,
    /// The f of the last round.
    f: u32,
    /// Only plans below this cost are of interest.
    upper: u32,
    /// Whether the caller has a plan that costs `upper`.
    known: bool,
    best: Option<Goal<S::Action>>,
    /// A state was out of reach of 32-bit costs.
    overflowed: bool,
    effort: Statistics,
    /// Whether the start has been opened.
    has_begun: bool,
    /// Expansions in all after which the search rests.
    share: u64,
    /// Expansions before the next look at the clock.
    turns: u64,
    polled: Duration,
    reported: Duration,
}

impl<S: Space> fmt::Debug for AStar<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AStar")
            .field("f", &self.f)
            .field("upper", &self.upper)
            .field("effort", &self.effort)
            .finish_non_exhaustive()
    }
}

impl<'a, S: Space> AStar<'a, S> {
    /// A search that has not begun, for plans that cost less than `upper`. Its threads are those of the
    /// clock's limits.
    pub fn new(space: &'a S, clock: Clock, upper: u64) -> Self {
        let state = space.start();
        let scratch = space.scratch();
        let mut pace = Pace::new(&clock.limits);
        pace.threads = threads_with_room(space, &scratch, pace.threads, clock.limits.memory);
        AStar {
            name: "astar",
            space,
            clock,
            scratch,
            others: Arc::default(),
            work: Arc::new(Work::new(pace.threads)),
            pace,
            round_sizes: RoundSizes::new(),
            open: OpenList::new(space.bound(&state)),
            f: 0,
            upper: upper.min(u64::from(u32::MAX)) as u32,
            known: upper < u64::from(u32::MAX),
            best: None,
            overflowed: false,
            effort: Statistics::default(),
            has_begun: false,
            share: u64::MAX,
            turns: 0,
            polled: Duration::ZERO,
            reported: Duration::ZERO,
        }
    }

    /// The same search, which reports call so.
    #[must_use]
    pub fn named(self, name: &'static str) -> Self {
        AStar { name, ..self }
    }

    fn run(mut self) -> Outcome<S::Action> {
        let stopped = self.go_on().err();
        self.outcome(stopped)
    }

    /// Searches until it is through, rests, or is stopped; an error says why it was stopped.
    fn go_on(&mut self) -> Result<(), StopReason> {
        if !self.has_begun {
            self.has_begun = true;
            self.place_start().map_err(|Full| StopReason::Memory)?;
        }
        self.search().map_or(Ok(()), Err)
    }

    /// Whether it has spent its share, and rests before the next round.
    fn is_resting(&mut self) -> bool {
        self.effort.expanded >= self.share && self.lowest().is_some_and(|f| f < self.upper)
    }

    /// Only plans below this cost are of interest from now on.
    fn beat(&mut self, cost: u64) {
        let cost = u32::try_from(cost).unwrap_or(u32::MAX);
        if cost < self.upper {
            (self.upper, self.known, self.best) = (cost, true, None);
        }
    }

    /// What a turn has come to that ended so.
    fn turn_of(&mut self, stopped: Option<StopReason>) -> Turn<Vec<S::Action>> {
        let is_through = stopped.is_none() && !self.is_resting();
        let bound = match self.lowest() {
            _ if is_through => self.upper,
            f => f.unwrap_or(self.upper).min(self.upper),
        };
        let plan = self.best.take().map(|best| {
            let (plan, cost) = self.plan(best);
            self.beat(cost);
            (cost, plan)
        });
        let has_plan = plan.is_some() || self.known;
        let cost = plan.as_ref().map_or(u64::from(self.upper), |(cost, _)| *cost);
        let (bound, ended) = match stopped {
            _ if has_plan && u64::from(bound) >= cost => (cost, Ended::Proven),
            Some(stop) => (bound.into(), Ended::Stopped(stop)),
            None if !is_through => (bound.into(), Ended::Resting),
            None if self.overflowed => (bound.into(), Ended::Exhausted),
            None => (u64::MAX, Ended::Proven),
        };
        Turn { plan, bound, ended }
    }

    /// Expands rounds until the search is through or the budget is spent, from some size on with
    /// other threads.
    fn search(&mut self) -> Option<StopReason> {
        if let End::Search(stopped) = self.rounds(None) {
            return stopped;
        }
        let team = Team::new(Arc::clone(&self.others));
        if rayon::current_thread_index().is_some() {
            return rayon::in_place_scope(|scope| self.lead(scope, &team));
        }
        let helpers = Limits { threads: self.pace.threads - 1, ..self.clock.limits };
        match helpers.pool() {
            Ok(pool) => pool.in_place_scope(|scope| self.lead(scope, &team)),
            Err(_) => {
                self.pace.threads = 1;
                self.search()
            }
        }
    }

    /// Goes on with helpers, each on a thread of the pool.
    fn lead<'s>(&mut self, scope: &rayon::Scope<'s>, team: &'s Team<S>) -> Option<StopReason>
    where
        'a: 's,
    {
        let _open = team.open();
        let space = self.space;
        (1..self.pace.threads).for_each(|thread| scope.spawn(move |_| team.help(thread, space)));
        match self.rounds(Some(team)) {
            End::Search(stopped) => stopped,
            End::Alone => unreachable!("they are together"),
        }
    }

    /// Opens the start, where it is not a goal or a dead end itself.
    fn place_start(&mut self) -> Result<(), Full> {
        let state = self.space.start();
        let bound = self.space.bound(&state);
        if self.space.is_goal(&state) && self.upper > 0 {
            self.upper = 0;
            self.best = Some(Goal { cost: 0, last: None });
        }
        if bound >= self.upper {
            self.overflowed |= bound != u32::MAX && self.best.is_none() && !self.known;
            return Ok(());
        }
        let space = self.space;
        let id = self.work().insert_start(space, state)?;
        self.open.push(0, bound, Waiting { id, begun: false });
        Ok(())
    }

    fn poll(&mut self, f: u32) -> Option<StopReason> {
        let memory = self.memory();
        self.effort.memory = self.effort.memory.max(memory);
        let elapsed = self.clock.elapsed();
        self.polled = elapsed;
        self.clock.tell_bound(f.into());
        if elapsed >= self.reported + REPORT {
            self.reported = elapsed;
            let limits = self.clock.limits;
            let nodes = self.effort.expanded;
            let time = elapsed.as_secs_f64() / limits.time.as_secs_f64();
            let room = memory as f64 / limits.memory as f64;
            self.clock.tell(&Progress {
                phase: "exact search".into(),
                nodes,
                best: (self.upper != u32::MAX).then_some(u64::from(self.upper)),
                bound: u64::from(f),
                fraction: time.max(room).min(1.0),
            });
        }
        let left = self.clock.limits.memory.saturating_sub(memory);
        self.work().allow(left);
        self.clock.should_stop(self.effort.expanded, memory)
    }

    /// Bytes held.
    fn memory(&mut self) -> usize {
        let scratch = self.space.scratch_bytes(&self.scratch);
        let others = self.others.load(Ordering::Relaxed);
        self.work().bytes() + self.open.bytes() + self.space.bytes() + scratch + others
    }

    fn outcome(mut self, stopped: Option<StopReason>) -> Outcome<S::Action> {
        let memory = self.memory();
        let bound = match self.lowest() {
            _ if stopped.is_none() => self.upper,
            f => f.unwrap_or(self.upper).min(self.upper),
        };
        let elapsed = self.clock.elapsed();
        let memory = self.effort.memory.max(memory);
        let effort = Statistics { elapsed, memory, stopped, ..self.effort };
        let bound = u64::from(bound);
        match self.best.take() {
            Some(best) => {
                let (plan, cost) = self.plan(best);
                let optimal = cost <= bound;
                let verdict = if optimal { Verdict::Optimal } else { Verdict::Found };
                let stopped = effort.stopped.filter(|_| !optimal);
                let effort = Statistics { stopped, ..effort };
                Outcome { verdict, plan: Some(plan), cost, bound, effort }
            }
            None if self.known && bound == u64::from(self.upper) => {
                let verdict = Verdict::Optimal;
                Outcome { verdict, plan: None, cost: bound, bound, effort }
            }
            None if stopped.is_some() || self.overflowed => Outcome::unknown(bound, effort),
            None => {
                let (verdict, cost) = (Verdict::Impossible, u64::MAX);
                Outcome { verdict, plan: None, cost, bound: u64::MAX, effort }
            }
        }
    }

    /// The best plan, and what it costs: less than when it was found where a cheaper way to one of
    /// its states was found since and has not been followed to the goal yet.
    fn plan(&self, best: Goal<S::Action>) -> (Vec<S::Action>, u64) {
        let mut plan = Vec::new();
        let mut cost = 0;
        let mut step = best.last;
        while let Some(link) = step
            && let Some(action) = link.action
        {
            plan.push(action);
            cost += u64::from(link.cost);
            step = Some(*self.work.link(link.parent));
        }
        plan.reverse();
        debug_assert!(cost <= u64::from(best.cost));
        (plan, cost)
    }
}

impl<S: Space> Search for AStar<'_, S> {
    type Plan = Vec<S::Action>;
    type Lesson = ();

    fn name(&self) -> &'static str {
        self.name
    }

    fn turn(&mut self, known: Known, allowance: &Allowance<'_>) -> Turn<Vec<S::Action>> {
        self.clock = allowance.own_clock();
        self.share = allowance.share;
        (self.turns, self.polled, self.reported) = (0, Duration::ZERO, self.clock.elapsed());
        self.beat(known.cost);
        let stopped = self.go_on().err();
        self.turn_of(stopped)
    }

    fn spent(&self) -> Spent {
        Spent::of(&self.effort)
    }
}
