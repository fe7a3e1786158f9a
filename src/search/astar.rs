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
//! - One thread. The same space and node budget give the same plan, always.
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

use super::open_list::OpenList;
use super::state_registry::{Full, StateRegistry};
use super::{Clock, Due, Outcome, Progress, Space, Statistics, StopReason, Successor, Verdict};
use std::time::Duration;

/// Nodes taken from the open list between two looks at the clock.
const POLL: u64 = 256;
/// The same after expansions that took longer than [`SLOW`] together: some spaces do much for a few
/// states.
const FEW: u64 = 4;
/// Time between two looks at the clock that is too long.
const SLOW: Duration = Duration::from_millis(4);
/// Time between two reports of progress.
const REPORT: Duration = Duration::from_millis(100);
/// Ids from here on are not given.
const LAST_ID: u32 = u32::MAX - 1;
/// Nodes that room is made for at least.
const LEAST_GROWTH: usize = 64;

/// Finds a plan of least cost, or proves that there is none.
///
/// Out of budget, the answer has the best plan so far, if any, and the bound proven so far: the
/// least f of the open states.
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

/// A reached state, and how it was reached.
struct Node<A> {
    key: u64,
    /// Least known cost from the start.
    cost: u32,
    /// The last step; the start has none.
    back_pointer: Option<BackPointer<A>>,
    /// The f for which it waits in the open list, or [`CLOSED`].
    queued: u32,
    /// Some of its children were visited at this cost.
    begun: bool,
    /// Its state among those that are built, or [`UNBUILT`].
    state: u32,
}

/// [`Node::queued`] of a node that does not wait: no open f is as great.
const CLOSED: u32 = u32::MAX;

/// [`Node::state`] of a node whose state nobody has needed yet.
const UNBUILT: u32 = u32::MAX;

/// A step from a node.
#[derive(Clone, Copy)]
struct BackPointer<A> {
    parent: u32,
    cost: u32,
    action: A,
}

/// The best plan so far: its cost, and its last step.
struct Incumbent<A> {
    cost: u32,
    last: Option<BackPointer<A>>,
}

/// The tables of one search.
struct Search<'a, S: Space> {
    space: &'a S,
    clock: Clock<'a>,
    scratch: S::Scratch,
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
    polled: Duration,
    reported: Duration,
}

impl<'a, S: Space> Search<'a, S> {
    fn new(space: &'a S, clock: Clock<'a>, upper: u64) -> Self {
        let state = space.start();
        Search {
            space,
            clock,
            scratch: space.scratch(),
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

    /// Expands until nothing below the best cost is open, or the budget is spent.
    fn search(&mut self) -> Option<StopReason> {
        let mut children = Vec::new();
        let limit = self.clock.budget.nodes.unwrap_or(u64::MAX);
        let mut turns = 0u64;
        while let Some(f) = self.open.lowest()
            && f < self.upper
        {
            if turns == 0 || self.effort.expanded >= limit {
                let before = self.polled;
                if let Some(stop) = self.poll(f) {
                    return Some(stop);
                }
                turns = if self.polled > before + SLOW { FEW } else { POLL };
            }
            turns -= 1;
            let id = self.open.pop()?;
            let node = &mut self.nodes[id as usize];
            if node.queued != f {
                continue; // it was opened again at another f
            }
            let (cost, begun) = (node.cost, node.begun);
            (node.queued, node.begun) = (CLOSED, true);
            if let Err(Full) = self.build(id) {
                self.reopen(id, f, begun);
                return Some(StopReason::Memory);
            }
            let most = f - cost;
            let due = Due { least: if begun { most } else { 0 }, most };
            let visit = &mut |child| children.push(child);
            let state = self.nodes[id as usize].state as usize;
            let later = self.space.expand_due(&self.states[state], due, &mut self.scratch, visit);
            let touched =
                children.iter().fold(0, |sum, child| sum ^ self.registry.touch(child.key));
            std::hint::black_box(touched);
            if let Some(stop) = self.make_room(children.len()) {
                self.reopen(id, f, begun);
                return Some(stop);
            }
            self.effort.expanded += u64::from(!begun);
            self.effort.generated += children.len() as u64;
            for child in children.drain(..) {
                self.reach(id, cost, &child);
            }
            self.postpone(id, cost, later);
        }
        None
    }

    /// Builds the state of a node where that was not needed before: most nodes are never expanded.
    #[inline]
    fn build(&mut self, id: u32) -> Result<(), Full> {
        let node = &self.nodes[id as usize];
        let (UNBUILT, Some(back_pointer)) = (node.state, node.back_pointer) else { return Ok(()) };
        if self.states.len() == self.states.capacity() {
            let allowance = self.clock.budget.memory.saturating_sub(self.memory());
            let affordable = allowance / size_of::<S::State>();
            let wanted = (self.states.len() / 2).max(LEAST_GROWTH).min(affordable);
            if wanted == 0 {
                return Err(Full);
            }
            self.states.reserve_exact(wanted);
        }
        let state = self.reached_by(back_pointer);
        self.heap += self.space.heap_bytes(&state);
        self.nodes[id as usize].state = self.states.len() as u32;
        self.states.push(state);
        Ok(())
    }

    /// The state that a step leads to.
    fn reached_by(&mut self, back_pointer: BackPointer<S::Action>) -> S::State {
        let parent = self.nodes[back_pointer.parent as usize].state as usize;
        self.space.child(&self.states[parent], back_pointer.action, &mut self.scratch)
    }

    /// Makes room for so many new nodes.
    #[inline]
    fn make_room(&mut self, more: usize) -> Option<StopReason> {
        let fits = self.nodes.capacity() - self.nodes.len() >= more && self.registry.has_room(more);
        if fits { None } else { self.grow(more).is_err().then_some(StopReason::Memory) }
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

    /// Takes back that node `id` was taken from the open list.
    fn reopen(&mut self, id: u32, f: u32, begun: bool) {
        let node = &mut self.nodes[id as usize];
        node.begun = begun;
        node.queued = self.open.push(f, f - node.cost, id);
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
        debug_assert_eq!(node.queued, CLOSED, "no child leads to its parent more cheaply");
        node.queued = self.open.push(f as u32, later, id);
    }

    /// Handles one child of node `parent`, which costs `cost`.
    #[inline]
    fn reach(&mut self, parent: u32, cost: u32, child: &Successor<S::Action>) {
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
        let Search { space, nodes, states, scratch, registry, .. } = self;
        let from = &states[nodes[parent as usize].state as usize];
        let known = registry.find(child.key, |id| {
            let node = &nodes[id as usize];
            if node.key != child.key {
                return false;
            }
            match (node.state, node.back_pointer) {
                (UNBUILT, Some(back_pointer)) => {
                    let parent = &states[nodes[back_pointer.parent as usize].state as usize];
                    let state = space.child(parent, back_pointer.action, scratch);
                    space.leads_to(from, child.action, &state, scratch)
                }
                (state, _) => space.leads_to(from, child.action, &states[state as usize], scratch),
            }
        });
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
            + self.heap
    }

    fn outcome(mut self, stopped: Option<StopReason>) -> Outcome<S::Action> {
        let memory = self.memory();
        let bound = match self.open.lowest() {
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
