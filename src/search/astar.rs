//! Exact search: A*.
//!
//! A* (Hart, Nilsson, Raphael, *A formal basis for the heuristic determination of minimum cost
//! paths*, IEEE Transactions on Systems Science and Cybernetics 4, 1968) expands states in order of
//! f = g + h, the cost so far and an admissible bound of the cost to come, and so proves that the
//! first plan it is left with is of least cost. It keeps every state that it reaches: use it where
//! they fit the memory budget, and [`super::beam`] where they do not.
//!
//! What this one does and does not:
//! - A plan counts when its goal is generated, not when it is expanded; nothing of f at or above the
//!   best known cost is kept. A cost known before may be passed: see [`astar_below`].
//! - Bounds may be inconsistent: a state reached more cheaply again is opened again, and f never
//!   falls below what is proven (Martelli, *On the complexity of admissible search algorithms*,
//!   Artificial Intelligence 8, 1977, shows why it should not).
//! - States are merged when they are equal, not when only their keys are: the proof does not rest on
//!   a hash. What that costs is up to [`Space::leads_to`].
//! - With [`Space::DOMINANCE`], a state is dropped when another of its class dominates it.
//! - One thread. The same space and node budget give the same plan, always.
//! - Costs and bounds sum up in 32 bits; a plan that costs 2^32 - 1 or more is not found, and then
//!   the answer is never `Impossible`.
//!
//! # Example
//! A knight on a board of 8 by 8, from one corner to the other.
//!
//! ```
//! use outwit::search::{Budget, Child, Space, Verdict, astar::astar};
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
//!         visit: &mut impl FnMut(Child<(i32, i32)>),
//!     ) {
//!         for action in LEAPS {
//!             let child = self.child(state, action, &mut ());
//!             if (0..8).contains(&child.0) && (0..8).contains(&child.1) {
//!                 let (key, bound) = (self.key(&child), self.bound(&child));
//!                 let goal = self.is_goal(&child);
//!                 visit(Child { action, cost: 1, key, bound, estimate: bound, goal, class: 0 });
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

use super::open::Open;
use super::seen::{Full, Seen};
use super::{Child, Clock, Effort, Outcome, Progress, Space, Stop, Verdict};
use std::time::Duration;

/// Expansions between two looks at the clock.
const POLL: u64 = 256;
/// Time between two reports of progress.
const REPORT: Duration = Duration::from_millis(100);
/// Ids from here on are not given.
const LAST_ID: u32 = u32::MAX - 1;
/// Nodes that room is made for at least.
const LEAST_GROWTH: usize = 64;
/// No node.
const NONE: u32 = u32::MAX;

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
struct Node<S: Space> {
    key: u64,
    /// Least known cost from the start.
    cost: u32,
    /// The last step; the start has none.
    link: Option<Link<S::Action>>,
    /// Waits for its expansion.
    open: bool,
    state: S::State,
}

/// A step from a node.
#[derive(Clone, Copy)]
struct Link<A> {
    parent: u32,
    cost: u32,
    action: A,
}

/// The best plan so far: its cost, and its last step.
struct Incumbent<A> {
    cost: u32,
    last: Option<Link<A>>,
}

/// The tables of one search.
struct Search<'a, S: Space> {
    space: &'a S,
    clock: Clock<'a>,
    scratch: S::Scratch,
    nodes: Vec<Node<S>>,
    seen: Seen,
    open: Open,
    /// Used with dominance only.
    classes: Classes,
    /// What states hold on the heap, in bytes.
    heap: usize,
    /// Only plans below this cost are of interest.
    upper: u32,
    /// Whether the caller has a plan that costs `upper`.
    known: bool,
    best: Option<Incumbent<S::Action>>,
    /// A state was out of reach of 32-bit costs.
    overflowed: bool,
    effort: Effort,
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
            seen: Seen::new(),
            open: Open::new(space.bound(&state)),
            classes: Classes::new(),
            heap: 0,
            upper: upper.min(u64::from(u32::MAX)) as u32,
            known: upper < u64::from(u32::MAX),
            best: None,
            overflowed: false,
            effort: Effort::default(),
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
        if let Err(slot) = self.seen.find(key, |_| false) {
            self.seen.insert(slot, 0);
        }
        self.heap += self.space.heap_bytes(&state);
        if S::DOMINANCE {
            self.classes.admit(self.space, &self.nodes, 0, 0, &state);
        }
        self.nodes.push(Node { key, cost: 0, link: None, open: true, state });
        self.open.push(bound, bound, 0);
    }

    /// Expands until nothing below the best cost is open, or the budget is spent.
    fn search(&mut self) -> Option<Stop> {
        let mut children = Vec::new();
        let mut poll_at = 0;
        while let Some(f) = self.open.lowest()
            && f < self.upper
        {
            if self.effort.expanded >= poll_at {
                if let Some(stop) = self.poll(f) {
                    return Some(stop);
                }
                let limit = self.clock.budget.nodes.unwrap_or(u64::MAX);
                poll_at = (self.effort.expanded + POLL).min(limit);
            }
            let id = self.open.pop()?;
            let node = &mut self.nodes[id as usize];
            if !node.open || (S::DOMINANCE && self.classes.dominated(id)) {
                continue;
            }
            node.open = false;
            let cost = node.cost;
            self.effort.expanded += 1;
            let visit = &mut |child| children.push(child);
            self.space.expand(&node.state, &mut self.scratch, visit);
            self.effort.generated += children.len() as u64;
            let touched = children.iter().fold(0, |sum, child| sum ^ self.seen.touch(child.key));
            std::hint::black_box(touched);
            if let Some(stop) = self.make_room(children.len()) {
                self.reopen(id, f);
                return Some(stop);
            }
            for child in children.drain(..) {
                self.reach(id, cost, &child);
            }
        }
        None
    }

    /// Makes room for so many new nodes.
    #[inline]
    fn make_room(&mut self, more: usize) -> Option<Stop> {
        let fits = self.nodes.capacity() - self.nodes.len() >= more
            && self.seen.has_room(more)
            && (!S::DOMINANCE || self.classes.has_room(more));
        if fits { None } else { self.grow(more).is_err().then_some(Stop::Memory) }
    }

    /// Grows the tables, within the budget.
    #[cold]
    fn grow(&mut self, more: usize) -> Result<(), Full> {
        let allowance = |used: usize| self.clock.budget.memory.saturating_sub(used);
        if self.nodes.capacity() - self.nodes.len() < more {
            let affordable = allowance(self.memory()) / size_of::<Node<S>>();
            let wanted = (self.nodes.len() / 2).max(LEAST_GROWTH).min(affordable);
            if wanted < more || self.nodes.len() + more > LAST_ID as usize {
                return Err(Full);
            }
            self.nodes.reserve_exact(wanted);
        }
        self.seen.reserve(more, allowance(self.memory()))?;
        if S::DOMINANCE { self.classes.reserve(more, allowance(self.memory())) } else { Ok(()) }
    }

    /// Takes back that node `id` was expanded.
    fn reopen(&mut self, id: u32, f: u32) {
        let node = &mut self.nodes[id as usize];
        node.open = true;
        self.open.push(f, f.saturating_sub(node.cost), id);
        self.effort.expanded -= 1;
    }

    /// Handles one child of node `parent`, which costs `cost`.
    #[inline]
    fn reach(&mut self, parent: u32, cost: u32, child: &Child<S::Action>) {
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
        let link = Link { parent, cost: child.cost, action: child.action };
        if child.goal {
            self.upper = cost;
            self.best = Some(Incumbent { cost, last: Some(link) });
            return;
        }
        let Search { space, nodes, scratch, seen, classes, .. } = self;
        let from = &nodes[parent as usize].state;
        let known = seen.find(child.key, |id| {
            let node = &nodes[id as usize];
            node.key == child.key && space.leads_to(from, child.action, &node.state, scratch)
        });
        match known {
            Ok(id) => self.improve(id, cost, link, f, bound),
            Err(slot) => {
                let state = space.child(from, child.action, scratch);
                let id = nodes.len() as u32;
                if S::DOMINANCE && !classes.admit(*space, nodes, id, cost, &state) {
                    return;
                }
                self.heap += space.heap_bytes(&state);
                nodes.push(Node { key: child.key, cost, link: Some(link), open: true, state });
                seen.insert(slot, id);
                self.open.push(f, bound, id);
            }
        }
    }

    /// Node `id` was reached again: notes it where that is cheaper.
    #[inline]
    fn improve(&mut self, id: u32, cost: u32, link: Link<S::Action>, f: u32, bound: u32) {
        let Search { space, nodes, classes, .. } = self;
        let at = id as usize;
        if cost >= nodes[at].cost {
            return;
        }
        if S::DOMINANCE && !classes.admit(*space, nodes, id, cost, &nodes[at].state) {
            return;
        }
        let node = &mut nodes[at];
        (node.cost, node.link, node.open) = (cost, Some(link), true);
        self.open.push(f, bound, id);
    }

    fn poll(&mut self, f: u32) -> Option<Stop> {
        let memory = self.memory();
        self.effort.memory = self.effort.memory.max(memory);
        let elapsed = self.clock.elapsed();
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
        self.nodes.capacity() * size_of::<Node<S>>()
            + self.seen.bytes()
            + self.open.bytes()
            + self.heap
            + self.classes.bytes()
    }

    fn outcome(mut self, stopped: Option<Stop>) -> Outcome<S::Action> {
        let memory = self.memory();
        let bound = match self.open.lowest() {
            _ if stopped.is_none() => self.upper,
            f => f.unwrap_or(self.upper).min(self.upper),
        };
        let elapsed = self.clock.elapsed();
        let memory = self.effort.memory.max(memory);
        let effort = Effort { elapsed, memory, stopped, ..self.effort };
        let bound = u64::from(bound);
        match self.best.take() {
            Some(best) => {
                let (plan, cost) = self.plan(best);
                let optimal = cost <= bound;
                let verdict = if optimal { Verdict::Optimal } else { Verdict::Found };
                let stopped = effort.stopped.filter(|_| !optimal);
                let effort = Effort { stopped, ..effort };
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
        while let Some(link) = step {
            plan.push(link.action);
            cost += u64::from(link.cost);
            step = self.nodes[link.parent as usize].link;
        }
        plan.reverse();
        debug_assert!(cost <= u64::from(best.cost));
        (plan, cost)
    }
}

/// Dominance: the undominated nodes by class, as lists that start at the first node of each.
struct Classes {
    /// One for each node.
    members: Vec<Member>,
    heads: Seen,
}

/// A node's place in its class.
struct Member {
    class: u64,
    next: u32,
    dominated: bool,
}

impl Classes {
    fn new() -> Self {
        Classes { members: Vec::new(), heads: Seen::new() }
    }

    fn bytes(&self) -> usize {
        self.members.capacity() * size_of::<Member>() + self.heads.bytes()
    }

    fn dominated(&self, id: u32) -> bool {
        self.members[id as usize].dominated
    }

    fn has_room(&self, more: usize) -> bool {
        self.members.capacity() - self.members.len() >= more && self.heads.has_room(more)
    }

    /// Makes room for `more` nodes, with at most `allowance` bytes.
    fn reserve(&mut self, more: usize, allowance: usize) -> Result<(), Full> {
        let wanted =
            (self.members.len() / 2).max(LEAST_GROWTH).min(allowance / size_of::<Member>());
        if self.members.capacity() - self.members.len() < more {
            if wanted < more {
                return Err(Full);
            }
            self.members.reserve_exact(wanted);
        }
        self.heads.reserve(more, allowance.saturating_sub(wanted * size_of::<Member>()))
    }

    /// Enters a state that was reached at `cost`, as node `id`, new or known; false, and nothing is
    /// changed, where another node of its class dominates it. Nodes that it dominates leave.
    fn admit<S: Space>(
        &mut self,
        space: &S,
        nodes: &[Node<S>],
        id: u32,
        cost: u32,
        state: &S::State,
    ) -> bool {
        let class = space.class(state);
        let head = match self.heads.find(class, |head| self.members[head as usize].class == class) {
            Ok(head) => head,
            Err(slot) => {
                self.heads.insert(slot, id);
                self.members.push(Member { class, next: NONE, dominated: false });
                return true;
            }
        };
        let beats = |other: u32| {
            let other = &nodes[other as usize];
            other.cost <= cost && space.dominates(&other.state, state)
        };
        let mut others = std::iter::successors(Some(head), |&at| self.next(at));
        if others.any(|other| other != id && !self.dominated(other) && beats(other)) {
            return false;
        }
        self.retire(head, |other| {
            let node = &nodes[other as usize];
            other != id && node.cost >= cost && space.dominates(state, &node.state)
        });
        self.enlist(head, id, class);
        true
    }

    fn next(&self, at: u32) -> Option<u32> {
        Some(self.members[at as usize].next).filter(|&next| next != NONE)
    }

    /// Marks the members that `beaten` names, and takes them from the list (but for its head).
    fn retire(&mut self, head: u32, beaten: impl Fn(u32) -> bool) {
        self.members[head as usize].dominated |= beaten(head);
        let mut last = head;
        while let Some(at) = self.next(last) {
            if beaten(at) {
                self.members[at as usize].dominated = true;
                self.members[last as usize].next = self.members[at as usize].next;
            } else {
                last = at;
            }
        }
    }

    /// Puts a node on the list where it is not on it.
    fn enlist(&mut self, head: u32, id: u32, class: u64) {
        let next = self.members[head as usize].next;
        if let Some(member) = self.members.get_mut(id as usize) {
            let was_off = std::mem::take(&mut member.dominated) && id != head;
            if !was_off {
                return;
            }
            member.next = next;
        } else {
            self.members.push(Member { class, next, dominated: false });
        }
        self.members[head as usize].next = id;
    }
}
