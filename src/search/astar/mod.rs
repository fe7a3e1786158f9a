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
//!   on a hash. What that costs is up to [`Space::leads_to`].
//! - A state is built when it is expanded, not when it is reached: most of what lies at the rim of
//!   a search is never expanded, and costs 32 bytes.
//! - Where a space can tell what a child is worth before it is scored, the children that raise f
//!   wait in their parent until the search has come to their f: see [`Space::expand_due`]. Most of
//!   a search's states stand at its last f, and their dear children are never made (Goldenberg and
//!   others, *Enhanced partial expansion A\**, JAIR 50, 2014).
//! - No dominance rule: the one that was tried did not pay (`docs/notes/search.md`).
//! - States are taken in rounds of one f, the best first: the more, the longer the search has run
//!   and the longer it has come no nearer to the goal (`round_sizes.rs`). The states of a round are
//!   expanded by all threads and their successors reached in order (`rounds.rs`), so **the plan is
//!   the same for any number of threads**; with a node budget instead of a time budget it is the
//!   same on any machine. A dive to the goal stays as narrow as it is with one state at a time, and
//!   threads have enough to do where a proof is long. What a round expands does not depend on what
//!   is found in it, so several processes can agree on the same rounds:
//!   [`super::astar_below_shared`].
//! - Costs and bounds sum up in 32 bits; a plan that costs 2^32 - 1 or more is not found, and then
//!   the answer is never `Impossible`.
//!
//! # Example
//! A knight on a board of 8 by 8, from one corner to the other.
//!
//! ```
//! use outwit::search::{Budget, Successor, Space, Verdict, astar::astar};
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
//!                 let (key, bound) = (self.key(&child), self.bound(&child));
//!                 let goal = self.is_goal(&child);
//!                 visit(Successor { action, cost: 1, key, bound, estimate: bound, goal, class: 0 });
//!             }
//!         }
//!     }
//!     fn child(&self, state: &(i32, i32), leap: (i32, i32), _: &mut ()) -> (i32, i32) {
//!         (state.0 + leap.0, state.1 + leap.1)
//!     }
//! }
//!
//! let outcome = astar(&Knight, &Budget::seconds(5.0).start());
//! assert_eq!((outcome.verdict, outcome.cost), (Verdict::Optimal, 6));
//! ```

mod node;
pub(in crate::search) mod round_sizes;
mod rounds;

use self::node::{BackPointer, CLOSED, Incumbent, Known, LAST_ID, LEAST_GROWTH, Node, UNBUILT};
use self::round_sizes::RoundSizes;
use self::rounds::{Round, Taken, Threads};
use super::open_list::OpenList;
use super::state_registry::{Full, StateRegistry};
use super::{Clock, Outcome, Progress, Space, Statistics, StopReason, Successor, Verdict};
use std::time::Duration;

/// Expansions between two looks at the clock.
const POLL: u64 = 256;
/// The same after expansions that took longer than [`SLOW`] together: some spaces do much for a few
/// states.
const FEW: u64 = 4;
/// Time between two looks at the clock that is too long.
const SLOW: Duration = Duration::from_millis(4);
/// Time between two reports of progress.
const REPORT: Duration = Duration::from_millis(100);

/// Finds a plan of least cost, or proves that there is none.
///
/// Works with [`super::Budget::threads`] threads, those of the rayon pool that it is called from
/// where there is one. Out of budget, the answer has the best plan so far, if any, and the bound
/// proven so far: the least f of the open states.
pub fn astar<S: Space>(space: &S, clock: &Clock<'_>) -> Outcome<S::Action> {
    Search::new(space, *clock, u64::MAX).run()
}

/// Finds a plan of least cost among those that cost less than `upper`, the cost of a plan that the
/// caller has.
///
/// Where there is none, the known plan is proven optimal: the verdict is `Optimal`, cost and bound
/// are `upper`, and there is no plan in the answer.
pub fn astar_below<S: Space>(space: &S, clock: &Clock<'_>, upper: u64) -> Outcome<S::Action> {
    Search::new(space, *clock, upper).run()
}

/// The tables of one search.
struct Search<'a, S: Space> {
    space: &'a S,
    clock: Clock<'a>,
    threads: Threads<S>,
    round_sizes: RoundSizes,
    nodes: Vec<Node<S::Action>>,
    /// The states of the nodes that were expanded.
    states: Vec<S::State>,
    registry: StateRegistry,
    open: OpenList,
    /// What states hold on the heap, in bytes.
    heap: usize,
    /// Only plans below this cost are of interest.
    upper: u32,
    /// Whether the caller has a plan that costs `upper`.
    known: bool,
    best: Option<Incumbent<S::Action>>,
    /// A state was out of reach of 32-bit costs.
    overflowed: bool,
    effort: Statistics,
    /// Expansions before the next look at the clock.
    turns: u64,
    polled: Duration,
    reported: Duration,
}

impl<'a, S: Space> Search<'a, S> {
    fn new(space: &'a S, clock: Clock<'a>, upper: u64) -> Self {
        let state = space.start();
        Search {
            space,
            clock,
            threads: Threads::new(space, clock.budget.threads),
            round_sizes: RoundSizes::new(),
            nodes: Vec::new(),
            states: Vec::new(),
            registry: StateRegistry::new(),
            open: OpenList::new(space.bound(&state)),
            heap: 0,
            upper: upper.min(u64::from(u32::MAX)) as u32,
            known: upper < u64::from(u32::MAX),
            best: None,
            overflowed: false,
            effort: Statistics::default(),
            turns: 0,
            polled: Duration::ZERO,
            reported: Duration::ZERO,
        }
    }

    fn run(mut self) -> Outcome<S::Action> {
        self.place_start();
        let stopped = self.search();
        self.outcome(stopped)
    }

    /// Opens the start, where it is not a goal or a dead end itself.
    fn place_start(&mut self) {
        let state = self.space.start();
        let bound = self.space.bound(&state);
        if self.space.is_goal(&state) && self.upper > 0 {
            self.upper = 0;
            self.best = Some(Incumbent { cost: 0, last: None });
        }
        if bound >= self.upper {
            self.overflowed |= bound != u32::MAX && self.best.is_none() && !self.known;
            return;
        }
        let key = self.space.key(&state);
        if let Err(slot) = self.registry.find(key, |_| false) {
            self.registry.insert(slot, 0);
        }
        self.heap += self.space.heap_bytes(&state);
        self.states.push(state);
        let queued = self.open.push(bound, bound, 0);
        self.nodes.push(Node { key, cost: 0, back_pointer: None, queued, begun: false, state: 0 });
    }

    /// Expands round after round until nothing below the best cost is open, or the budget is spent.
    fn search(&mut self) -> Option<StopReason> {
        let mut round = Round::new();
        loop {
            if let Some(stop) = self.take_round(&mut round) {
                return Some(stop);
            }
            if round.taken.is_empty() {
                return None;
            }
            if let Err((stop, from)) = self.expand_round(&mut round) {
                round.taken[from..].iter().for_each(|taken| self.reopen(taken));
                return Some(stop);
            }
        }
    }

    /// Expands one state that was taken, on this thread.
    #[inline]
    fn expand_one(
        &mut self,
        taken: Taken,
        children: &mut Vec<Successor<S::Action>>,
    ) -> Result<(), StopReason> {
        let Taken { id, cost, .. } = taken;
        self.build(id).map_err(|Full| StopReason::Memory)?;
        let state = &self.states[self.nodes[id as usize].state as usize];
        let visit = &mut |child| children.push(child);
        let later = self.space.expand_due(state, taken.due(), self.threads.own(), visit);
        let touched = children.iter().fold(0, |sum, child| sum ^ self.registry.touch(child.key));
        std::hint::black_box(touched);
        self.make_room(children.len())?;
        self.count(taken.begun, children.len() as u64);
        for child in children.drain(..) {
            self.reach(id, cost, &child, None);
        }
        self.postpone(id, cost, later);
        Ok(())
    }

    /// Builds the state of a node where that was not needed before: most nodes are never expanded.
    #[inline]
    fn build(&mut self, id: u32) -> Result<(), Full> {
        let node = &self.nodes[id as usize];
        let (UNBUILT, Some(back_pointer)) = (node.state, node.back_pointer) else { return Ok(()) };
        self.make_room_for_state()?;
        let parent = self.nodes[back_pointer.parent as usize].state as usize;
        let scratch = self.threads.own();
        let state = self.space.child(&self.states[parent], back_pointer.action, scratch);
        self.keep(id, state);
        Ok(())
    }

    /// Makes room for one more state.
    #[inline]
    fn make_room_for_state(&mut self) -> Result<(), Full> {
        if self.states.len() < self.states.capacity() {
            return Ok(());
        }
        let allowance = self.clock.budget.memory.saturating_sub(self.memory());
        let affordable = allowance / size_of::<S::State>();
        let wanted = (self.states.len() / 2).max(LEAST_GROWTH).min(affordable);
        if wanted == 0 {
            return Err(Full);
        }
        self.states.reserve_exact(wanted);
        Ok(())
    }

    /// Keeps the state of a node, for which there is room.
    #[inline]
    fn keep(&mut self, id: u32, state: S::State) {
        self.heap += self.space.heap_bytes(&state);
        self.nodes[id as usize].state = self.states.len() as u32;
        self.states.push(state);
    }

    /// Makes room for so many new nodes.
    #[inline]
    fn make_room(&mut self, more: usize) -> Result<(), StopReason> {
        let fits = self.nodes.capacity() - self.nodes.len() >= more && self.registry.has_room(more);
        if fits { Ok(()) } else { self.grow(more).map_err(|Full| StopReason::Memory) }
    }

    /// Grows the tables, within the budget.
    #[cold]
    fn grow(&mut self, more: usize) -> Result<(), Full> {
        let allowance = |used: usize| self.clock.budget.memory.saturating_sub(used);
        if self.nodes.capacity() - self.nodes.len() < more {
            let affordable = allowance(self.memory()) / size_of::<Node<S::Action>>();
            let wanted = (self.nodes.len() / 2).max(LEAST_GROWTH).max(more).min(affordable);
            if wanted < more || self.nodes.len() + more > LAST_ID as usize {
                return Err(Full);
            }
            self.nodes.reserve_exact(wanted);
        }
        self.registry.reserve(more, allowance(self.memory()))
    }

    /// Takes back that a state was taken from the open list.
    fn reopen(&mut self, taken: &Taken) {
        let node = &mut self.nodes[taken.id as usize];
        if node.cost == taken.cost {
            node.begun = taken.begun;
            node.queued = self.open.push(taken.f, taken.f - taken.cost, taken.id);
        }
    }

    /// Opens a node again for its children that are worth `later`.
    #[inline]
    fn postpone(&mut self, id: u32, cost: u32, later: u32) {
        if later == u32::MAX {
            return;
        }
        let f = u64::from(cost) + u64::from(later);
        if f >= u64::from(self.upper) {
            self.overflowed |= self.upper == u32::MAX;
            return;
        }
        let node = &mut self.nodes[id as usize];
        // Reached more cheaply in the same round, it was opened again for all its children.
        if node.cost == cost {
            debug_assert_eq!(node.queued, CLOSED, "a node waits once");
            node.queued = self.open.push(f as u32, later, id);
        }
    }

    /// The lowest f of the open states. Entries of states that were opened again at another f go.
    fn lowest(&mut self) -> Option<u32> {
        loop {
            let f = self.open.lowest()?;
            match self.open.top() {
                Some(id) if self.nodes[id as usize].queued == f => return Some(f),
                _ => self.open.pop(),
            };
        }
    }

    /// Handles one child of node `parent`, which costs `cost`. Where the node of the child's state
    /// was found before, `node` tells it.
    #[inline]
    fn reach(&mut self, parent: u32, cost: u32, child: &Successor<S::Action>, node: Option<u32>) {
        if child.bound == u32::MAX {
            return;
        }
        let bound = if child.goal { 0 } else { child.bound };
        let cost = u64::from(cost) + u64::from(child.cost);
        let f = cost + u64::from(bound);
        if f >= u64::from(self.upper) {
            self.overflowed |= self.upper == u32::MAX;
            return;
        }
        let (f, cost) = (f as u32, cost as u32);
        let back_pointer = BackPointer { parent, cost: child.cost, action: child.action };
        if child.goal {
            self.upper = cost;
            self.best = Some(Incumbent { cost, last: Some(back_pointer) });
            return;
        }
        let known = match node {
            Some(id) => Ok(id),
            None => {
                let Search { space, nodes, states, threads, registry, .. } = self;
                let from = &states[nodes[parent as usize].state as usize];
                Known { space: *space, nodes, states, registry }.find(from, child, threads.own())
            }
        };
        match known {
            Ok(id) => self.improve(id, cost, back_pointer, f, bound),
            Err(slot) => {
                let id = self.nodes.len() as u32;
                let (key, state) = (child.key, UNBUILT);
                let (back_pointer, queued) = (Some(back_pointer), self.open.push(f, bound, id));
                self.nodes.push(Node { key, cost, back_pointer, queued, begun: false, state });
                self.registry.insert(slot, id);
            }
        }
    }

    /// Node `id` was reached again: notes it where that is cheaper.
    #[inline]
    fn improve(
        &mut self,
        id: u32,
        cost: u32,
        back_pointer: BackPointer<S::Action>,
        f: u32,
        bound: u32,
    ) {
        let node = &mut self.nodes[id as usize];
        if cost >= node.cost {
            return;
        }
        let queued = self.open.push(f, bound, id);
        (node.cost, node.back_pointer, node.queued, node.begun) =
            (cost, Some(back_pointer), queued, false);
    }

    fn poll(&mut self, f: u32) -> Option<StopReason> {
        let memory = self.memory();
        self.effort.memory = self.effort.memory.max(memory);
        let elapsed = self.clock.elapsed();
        self.polled = elapsed;
        if elapsed >= self.reported + REPORT {
            self.reported = elapsed;
            let budget = self.clock.budget;
            let nodes = self.effort.expanded;
            let time = elapsed.as_secs_f64() / budget.time.as_secs_f64();
            let room = memory as f64 / budget.memory as f64;
            self.clock.tell(&Progress {
                phase: "exact search".into(),
                nodes,
                best: (self.upper != u32::MAX).then_some(u64::from(self.upper)),
                bound: u64::from(f),
                fraction: time.max(room).min(1.0),
            });
        }
        self.clock.should_stop(self.effort.expanded, memory)
    }

    /// Bytes held.
    fn memory(&self) -> usize {
        self.nodes.capacity() * size_of::<Node<S::Action>>()
            + self.states.capacity() * size_of::<S::State>()
            + self.registry.bytes()
            + self.open.bytes()
            + self.threads.bytes()
            + self.heap
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
    fn plan(&self, best: Incumbent<S::Action>) -> (Vec<S::Action>, u64) {
        let mut plan = Vec::new();
        let mut cost = 0;
        let mut step = best.last;
        while let Some(back_pointer) = step {
            plan.push(back_pointer.action);
            cost += u64::from(back_pointer.cost);
            step = self.nodes[back_pointer.parent as usize].back_pointer;
        }
        plan.reverse();
        debug_assert!(cost <= u64::from(best.cost));
        (plan, cost)
    }
}
