//! Breadth-first and uniform-cost search, and counts of small spaces.
//!
//! This is the search that the others are checked against: it uses neither bounds nor keys alone
//! nor dominance, keeps every state, and is as plain as it can be. Use it for spaces of up to some
//! million states; otherwise use [`super::astar`] for proofs and [`super::beam`] for plans.
//!
//! Uniform-cost search is Dijkstra's algorithm (Dijkstra, *A note on two problems in connexion with
//! graphs*, Numerische Mathematik 1, 1959) on a graph that is made while it is walked; where all
//! actions cost 1 it is breadth-first search (Moore, *The shortest path through a maze*, 1959).
//!
//! # Example
//! A space is described once and every search runs on it. Here: count from 0 to 10, with steps of 1
//! and 3.
//!
//! ```
//! use outwit::search::{Run, Successor, Space, Verdict, breadth_first::breadth_first};
//!
//! struct Steps;
//!
//! impl Space for Steps {
//!     type State = u32;
//!     type Action = u32;
//!     type Scratch = ();
//!     fn start(&self) -> u32 { 0 }
//!     fn key(&self, state: &u32) -> u64 { u64::from(*state) }
//!     fn bound(&self, state: &u32) -> u32 { (10 - state).div_ceil(3) }
//!     fn is_goal(&self, state: &u32) -> bool { *state == 10 }
//!     fn scratch(&self) {}
//!     fn expand(&self, state: &u32, _: &mut (), visit: &mut impl FnMut(Successor<u32>)) {
//!         for step in [1, 3] {
//!             let child = state + step;
//!             if child <= 10 {
//!                 visit(Successor::of(self, (step, 1), &child));
//!             }
//!         }
//!     }
//!     fn child(&self, state: &u32, step: u32, _: &mut ()) -> u32 { state + step }
//! }
//!
//! let outcome = breadth_first(&Steps, &Run::seconds(5.0).start());
//! assert_eq!(outcome.verdict, Verdict::Optimal);
//! assert_eq!(outcome.cost, 4);
//! assert_eq!(outcome.plan.unwrap().iter().sum::<u32>(), 10);
//! ```

use super::crew::Crew;
use super::turn::{Allowance, Known, Search, Spent, Turn};
use super::{Clock, Ended, Outcome, Space, Statistics, StopReason, Successor, Verdict};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::fmt;

/// Expansions between two looks at the clock.
const POLL: u64 = 256;

/// A reached state, and how it was reached.
struct Reached<S: Space> {
    state: S::State,
    cost: u64,
    parent: Option<(usize, S::Action)>,
    closed: bool,
}

/// Finds a plan of least cost by uniform-cost search, or proves that there is none.
///
/// Ignores bounds (but for `u32::MAX`, a dead end), estimates and dominance.
pub fn breadth_first<S: Space>(space: &S, clock: &Clock) -> Outcome<S::Action> {
    let mut search = BreadthFirst::new(space);
    let crew = Crew::default();
    let Turn { plan, bound, ended } =
        search.turn(Known::default(), &Allowance::whole(clock, &crew));
    let verdict = match (&plan, ended) {
        (Some(_), _) => Verdict::Optimal,
        (None, Ended::Proven) => Verdict::Impossible,
        (None, _) => Verdict::Unknown,
    };
    let stopped = if let Ended::Stopped(stop) = ended { Some(stop) } else { None };
    let Spent { expanded, generated, memory } = search.spent();
    let effort = Statistics { expanded, generated, elapsed: clock.elapsed(), memory, stopped };
    let (cost, plan) = plan.unzip();
    Outcome { verdict, plan, cost: cost.unwrap_or(u64::MAX), bound, effort }
}

/// Uniform-cost search as a search that takes turns; it rests before any expansion.
pub struct BreadthFirst<'a, S: Space> {
    space: &'a S,
    nodes: Vec<Reached<S>>,
    by_key: HashMap<u64, Vec<usize>>,
    open: BinaryHeap<Reverse<(u64, usize)>>,
    scratch: S::Scratch,
    children: Vec<Successor<S::Action>>,
    heap: usize,
    expanded: u64,
    generated: u64,
    /// Expansions at which it looks at the clock.
    poll_at: u64,
}

impl<S: Space> fmt::Debug for BreadthFirst<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BreadthFirst")
            .field("expanded", &self.expanded)
            .field("generated", &self.generated)
            .finish_non_exhaustive()
    }
}

impl<'a, S: Space> BreadthFirst<'a, S> {
    /// A search that has not begun.
    pub fn new(space: &'a S) -> Self {
        let state = space.start();
        BreadthFirst {
            space,
            by_key: HashMap::from([(space.key(&state), vec![0])]),
            open: BinaryHeap::from([Reverse((0, 0))]),
            scratch: space.scratch(),
            children: Vec::new(),
            heap: space.heap_bytes(&state),
            nodes: vec![Reached { state, cost: 0, parent: None, closed: false }],
            expanded: 0,
            generated: 0,
            poll_at: 0,
        }
    }

    /// Why it may not expand a state now, if it may not.
    fn should_stop(&mut self, clock: &Clock) -> Option<StopReason> {
        if self.expanded >= self.poll_at {
            self.poll_at = self.expanded + POLL;
            return clock.should_stop(self.expanded, self.memory());
        }
        clock.limits.nodes.filter(|&limit| self.expanded >= limit).map(|_| StopReason::Nodes)
    }

    fn expand(&mut self, id: usize) {
        let space = self.space;
        self.nodes[id].closed = true;
        self.expanded += 1;
        let mut children = std::mem::take(&mut self.children);
        space.expand(&self.nodes[id].state, &mut self.scratch, &mut |child| children.push(child));
        self.generated += children.len() as u64;
        for child in children.drain(..).filter(|child| child.bound != u32::MAX) {
            self.reach(id, &child);
        }
        self.children = children;
    }

    /// Notes that `child` can be reached from node `parent`.
    fn reach(&mut self, parent: usize, child: &Successor<S::Action>) {
        let space = self.space;
        let state = space.child(&self.nodes[parent].state, child.action, &mut self.scratch);
        let cost = self.nodes[parent].cost + u64::from(child.cost);
        let parent = Some((parent, child.action));
        let same_key = self.by_key.entry(child.key).or_default();
        let known = same_key.iter().copied().find(|&id| self.nodes[id].state == state);
        let id = match known {
            Some(id) if self.nodes[id].cost <= cost => return,
            Some(id) => {
                (self.nodes[id].cost, self.nodes[id].parent) = (cost, parent);
                id
            }
            None => {
                same_key.push(self.nodes.len());
                self.heap += space.heap_bytes(&state);
                self.nodes.push(Reached { state, cost, parent, closed: false });
                self.nodes.len() - 1
            }
        };
        self.open.push(Reverse((cost, id)));
    }

    /// The actions that lead to node `id`.
    fn plan(&self, mut id: usize) -> Vec<S::Action> {
        let mut plan = Vec::new();
        while let Some((parent, action)) = self.nodes[id].parent {
            plan.push(action);
            id = parent;
        }
        plan.reverse();
        plan
    }

    /// Bytes held, near enough: the map's are counted by its entries.
    fn memory(&self) -> usize {
        self.nodes.capacity() * size_of::<Reached<S>>()
            + self.by_key.capacity() * (size_of::<(u64, Vec<usize>)>() + 1)
            + self.nodes.len() * 4 * size_of::<usize>()
            + self.open.capacity() * size_of::<(u64, usize)>()
            + self.heap
    }
}

impl<S: Space> Search for BreadthFirst<'_, S> {
    type Plan = Vec<S::Action>;
    type Lesson = ();

    fn name(&self) -> &'static str {
        "breadth-first"
    }

    fn turn(&mut self, known: Known, allowance: &Allowance<'_>) -> Turn<Vec<S::Action>> {
        let clock = allowance.own_clock();
        while let Some(&Reverse((cost, id))) = self.open.peek() {
            if self.nodes[id].closed {
                self.open.pop();
                continue;
            }
            if cost >= known.cost {
                return Turn::without_plan(known.cost, Ended::Proven);
            }
            if self.space.is_goal(&self.nodes[id].state) {
                let plan = Some((cost, self.plan(id)));
                return Turn { plan, bound: cost, ended: Ended::Proven };
            }
            if let Some(stop) = self.should_stop(&clock) {
                return Turn::without_plan(cost, Ended::Stopped(stop));
            }
            if self.expanded >= allowance.share {
                return Turn::without_plan(cost, Ended::Resting);
            }
            self.open.pop();
            self.expand(id);
        }
        Turn::without_plan(known.cost, Ended::Proven)
    }

    fn spent(&self) -> Spent {
        let &BreadthFirst { expanded, generated, .. } = self;
        Spent { expanded, generated, memory: self.memory() }
    }
}

/// What [`count`] finds at one depth.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Count {
    /// Sequences of that many actions.
    pub paths: u64,
    /// Different states that they end in.
    pub states: u64,
    /// Number of those states that no shorter sequence ends in.
    pub new: u64,
}

/// Counts a space depth by depth, from 0 to `depth`: a fingerprint that pins its rules, as perft
/// does in chess. Goals and dead ends are counted but not expanded. Costs are ignored.
///
/// ```
/// # use outwit::search::{Successor, Space};
/// use outwit::search::breadth_first::{Count, count};
///
/// struct Line; // a walker on the whole numbers
/// # impl Space for Line {
/// #     type State = i32;
/// #     type Action = i32;
/// #     type Scratch = ();
/// #     fn start(&self) -> i32 { 0 }
/// #     fn key(&self, state: &i32) -> u64 { *state as u64 }
/// #     fn bound(&self, _: &i32) -> u32 { 0 }
/// #     fn is_goal(&self, _: &i32) -> bool { false }
/// #     fn scratch(&self) {}
/// #     fn expand(&self, state: &i32, _: &mut (), visit: &mut impl FnMut(Successor<i32>)) {
/// #         for action in [-1, 1] {
/// #             visit(Successor::of(self, (action, 1), &(state + action)));
/// #         }
/// #     }
/// #     fn child(&self, state: &i32, step: i32, _: &mut ()) -> i32 { state + step }
/// # }
/// let counts = count(&Line, 3);
/// assert_eq!(counts[3], Count { paths: 8, states: 4, new: 2 });
/// ```
pub fn count<S: Space>(space: &S, depth: usize) -> Vec<Count> {
    let mut scratch = space.scratch();
    let mut seen: HashMap<u64, Vec<S::State>> = HashMap::new();
    let mut layer = vec![(space.start(), 1u64)];
    let mut counts = Vec::with_capacity(depth + 1);
    loop {
        let new = layer.iter().filter(|(state, _)| note(&mut seen, space.key(state), state));
        counts.push(Count {
            new: new.count() as u64,
            paths: layer.iter().map(|(_, paths)| paths).sum(),
            states: layer.len() as u64,
        });
        if counts.len() > depth {
            return counts;
        }
        layer = next_layer(space, &layer, &mut scratch);
    }
}

/// Adds a state to a table of states; false if it was there.
fn note<T: Clone + PartialEq>(seen: &mut HashMap<u64, Vec<T>>, key: u64, state: &T) -> bool {
    let same_key = seen.entry(key).or_default();
    let new = !same_key.contains(state);
    if new {
        same_key.push(state.clone());
    }
    new
}

/// The states one action further, each with the number of ways to it.
fn next_layer<S: Space>(
    space: &S,
    layer: &[(S::State, u64)],
    scratch: &mut S::Scratch,
) -> Vec<(S::State, u64)> {
    let mut next: Vec<(S::State, u64)> = Vec::new();
    let mut by_key: HashMap<u64, Vec<usize>> = HashMap::new();
    let mut children = Vec::new();
    for (state, paths) in layer {
        if space.is_goal(state) || space.bound(state) == u32::MAX {
            continue;
        }
        space.expand(state, scratch, &mut |child| children.push(child));
        for child in children.drain(..) {
            let built = space.child(state, child.action, scratch);
            let same_key = by_key.entry(child.key).or_default();
            match same_key.iter().copied().find(|&at| next[at].0 == built) {
                Some(at) => next[at].1 += paths,
                None => {
                    same_key.push(next.len());
                    next.push((built, *paths));
                }
            }
        }
    }
    next
}
