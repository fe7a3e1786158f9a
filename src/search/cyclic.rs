//! Cyclic best-first search: one state of each contour in turn.
//!
//! Open states are kept in contours by how far they have come: the contour of a child is its
//! [`super::Successor::class`], 0 next to the goal. A sweep visits the contours from the
//! farthest from the goal to the nearest and expands the best state of each, so each sweep is a dive to
//! the goal that may leave any earlier one at any depth (Kao, Sewell and Jacobson, *A branch, bound and
//! remember algorithm for the 1|r_i|Σt_i scheduling problem*, Journal of Scheduling 12, 2009; Morrison,
//! Sauppe, Zhang, Jacobson and Sewell, *Cyclic best first search: using contours to guide
//! branch-and-bound algorithms*, Naval Research Logistics 64, 2017). The first plan comes as fast as a
//! dive; unlike a beam it does not end where all states at hand are dead ends, and goes on to better
//! plans from what it has.
//!
//! While there is no plan, most sweeps begin near the front: as far behind it as the Luby sequence says.
//!
//! It runs on one thread, proves nothing beyond the start's own bound, and with a node budget its plan
//! is the same on any machine. States are merged where their keys are equal.

use super::open_lists::Contours;
use super::turn::{Allowance, Known, Search, Spent, Turn};
use super::{Clock, Due, Ended, Limits, Space, Statistics, StopReason, luby};
use crate::board::mix;
use ahash::AHashMap;
use std::collections::BinaryHeap;
use std::fmt;

/// Expansions between two looks at the clock.
const POLL: u64 = 16;
/// Upper limit of the open states of a contour: beyond it, the worse half is forgotten.
const MOST_OPEN: usize = 4096;
/// Length of the shortest sweep while there is no plan, in contours.
const SHORT: u64 = 8;

/// An open state, not built yet. The greatest is the best.
#[derive(Debug)]
struct Open<A> {
    /// The complement of the estimate, with what was spent, above scrambled bits of the key.
    rank: u64,
    key: u64,
    cost: u32,
    bound: u32,
    parent: u32,
    action: A,
}

impl<A> PartialEq for Open<A> {
    fn eq(&self, other: &Self) -> bool {
        self.rank == other.rank
    }
}

impl<A> Eq for Open<A> {}

impl<A> PartialOrd for Open<A> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<A> Ord for Open<A> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.rank.cmp(&other.rank)
    }
}

/// An expanded state.
#[derive(Debug)]
struct Closed<S, A> {
    state: S,
    parent: u32,
    /// The action from the parent; none for the start.
    action: Option<A>,
}

/// A search that can be taken up again and again.
pub struct Cyclic<'a, S: Space> {
    space: &'a S,
    /// What an action of cost 1 is worth in units of the estimate.
    unit: u32,
    scratch: S::Scratch,
    open: Contours<BinaryHeap<Open<S::Action>>>,
    closed: Vec<Closed<S::State, S::Action>>,
    /// The least cost at which a key was expanded.
    costs: AHashMap<u64, u32>,
    heap_bytes: usize,
    /// The contour to visit next, and the sweep's number.
    at: usize,
    sweep: u64,
    /// The nearest contour that was ever expanded.
    front: usize,
    has_plan: bool,
    /// Cost of the last plan.
    cost: u32,
    seed: u64,
    /// What all turns have spent; the memory is counted when it is asked for.
    spent: Spent,
}

impl<S: Space> fmt::Debug for Cyclic<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cyclic")
            .field("seed", &self.seed)
            .field("spent", &self.spent)
            .finish_non_exhaustive()
    }
}

const NO_PARENT: u32 = u32::MAX;

impl<'a, S: Space> Cyclic<'a, S> {
    /// A search that has not begun. An action of cost 1 is worth `unit` of the estimate; `seed` orders
    /// what has equal estimates.
    pub fn new(space: &'a S, unit: u32, seed: u64) -> Self {
        Cyclic {
            space,
            unit,
            scratch: space.scratch(),
            open: Contours::new(0),
            closed: Vec::new(),
            costs: AHashMap::default(),
            heap_bytes: 0,
            at: 0,
            sweep: 0,
            front: usize::MAX,
            has_plan: false,
            cost: 0,
            seed,
            spent: Spent::default(),
        }
    }

    /// Goes on until the budget is spent, nothing is open, or a plan that costs less than `upper` is
    /// found: then it says so. Adds to `effort`.
    pub fn run(
        &mut self,
        upper: u64,
        clock: &Clock,
        effort: &mut Statistics,
    ) -> Option<Vec<S::Action>> {
        let before = effort.expanded;
        if self.closed.is_empty() {
            let start = self.space.start();
            if upper > 0 && self.space.is_goal(&start) {
                return Some(Vec::new());
            }
            effort.expanded += 1;
            if let Some(plan) = self.close(start, None, 0, upper, effort) {
                self.has_plan = true;
                return Some(plan);
            }
        }
        let mut polled = 0;
        loop {
            let nodes = effort.expanded - before;
            if polled % POLL == 0 || clock.limits.nodes.is_some_and(|most| nodes >= most) {
                effort.stopped = clock.should_stop(nodes, self.memory());
                if effort.stopped.is_some() {
                    return None;
                }
            }
            polled += 1;
            let open = self.next(upper)?;
            effort.expanded += 1;
            let parent = &self.closed[open.parent as usize].state;
            let state = self.space.child(parent, open.action, &mut self.scratch);
            let cost = open.cost;
            if let Some(plan) = self.close(state, Some(open), cost, upper, effort) {
                self.has_plan = true;
                return Some(plan);
            }
        }
    }

    /// Whether nothing is left to expand.
    pub fn is_exhausted(&self) -> bool {
        !self.closed.is_empty() && self.open.is_empty()
    }

    /// The nearest contour of which a state was ever expanded, but for the start; `usize::MAX` before.
    pub fn front(&self) -> usize {
        self.front
    }

    /// The states that were expanded.
    pub fn expanded(&self) -> impl Iterator<Item = &S::State> {
        self.closed.iter().map(|closed| &closed.state)
    }

    /// Bytes held, those of the space and its working memory included.
    pub fn memory(&self) -> usize {
        let open: usize = self.open.queues().iter().map(BinaryHeap::capacity).sum();
        self.space.bytes()
            + self.space.scratch_bytes(&self.scratch)
            + self.open.own_bytes()
            + open * size_of::<Open<S::Action>>()
            + self.closed.capacity() * size_of::<Closed<S::State, S::Action>>()
            + self.costs.capacity() * (size_of::<(u64, u32)>() + 1)
            + self.heap_bytes
    }

    /// The best open state of the next contour that has one.
    fn next(&mut self, upper: u64) -> Option<Open<S::Action>> {
        while !self.open.is_empty() {
            if self.at == 0 {
                self.begin_sweep();
            }
            self.at -= 1;
            let Some(open) = self.open.pop(self.at) else { continue };
            let worth = u64::from(open.cost) + u64::from(open.bound);
            let known = self.costs.get(&open.key).is_some_and(|&cost| cost <= open.cost);
            if worth >= upper || known {
                // Another one of the same contour.
                self.at += 1;
                continue;
            }
            self.front = self.front.min(self.at);
            return Some(open);
        }
        None
    }

    fn begin_sweep(&mut self) {
        self.sweep += 1;
        self.at = self.open.contours();
        if !self.has_plan && self.sweep > 1 {
            let length = usize::try_from(SHORT.saturating_mul(luby(self.sweep - 1)));
            let reach = self.front.saturating_add(length.unwrap_or(usize::MAX));
            self.at = self.at.min(reach.saturating_add(1));
        }
    }

    /// Expands a state; the plan, where a goal is among its children.
    fn close(
        &mut self,
        state: S::State,
        from: Option<Open<S::Action>>,
        cost: u32,
        upper: u64,
        effort: &mut Statistics,
    ) -> Option<Vec<S::Action>> {
        let parent = self.closed.len() as u32;
        let Cyclic { space, unit, scratch, open, costs, seed, .. } = self;
        let mut goal: Option<(u32, S::Action)> = None;
        let due = Due::below(upper, cost);
        space.expand_due(&state, due, scratch, &mut |child| {
            effort.generated += 1;
            let cost = cost + child.cost;
            let bound = if child.goal { 0 } else { child.bound };
            if bound == u32::MAX || u64::from(cost) + u64::from(bound) >= upper {
                return;
            }
            if child.goal {
                goal = goal.filter(|&(least, _)| least <= cost).or(Some((cost, child.action)));
            } else if costs.get(&child.key).is_none_or(|&known| cost < known) {
                let contour = child.class as usize;
                let ties = mix(child.key ^ *seed) >> 32;
                let worth = cost.saturating_mul(*unit).saturating_add(child.estimate);
                let rank = !(u64::from(worth) << 32 | ties);
                let (key, action) = (child.key, child.action);
                open.grow_to(contour + 1);
                open.push(contour, Open { rank, key, cost, bound, parent, action });
                open.cut(contour, MOST_OPEN);
            }
        });
        self.heap_bytes += self.space.heap_bytes(&state);
        let (action, up) = match from {
            Some(open) => {
                self.costs.insert(open.key, cost);
                (Some(open.action), open.parent)
            }
            None => (None, NO_PARENT),
        };
        self.closed.push(Closed { state, parent: up, action });
        let (cost, last) = goal?;
        self.cost = cost;
        Some(self.plan(parent, last))
    }

    /// The actions to an expanded state, and one more.
    fn plan(&self, mut index: u32, last: S::Action) -> Vec<S::Action> {
        let mut plan = vec![last];
        while let Some(closed) = self.closed.get(index as usize) {
            plan.extend(closed.action);
            index = closed.parent;
        }
        plan.reverse();
        plan
    }
}

impl<S: Space> Search for Cyclic<'_, S> {
    type Plan = Vec<S::Action>;
    type Lesson = ();

    fn name(&self) -> &'static str {
        "cyclic"
    }

    fn turn(&mut self, known: Known, allowance: &Allowance<'_>) -> Turn<Vec<S::Action>> {
        let nodes = allowance.limit().saturating_sub(self.spent.expanded);
        let limits =
            Limits { nodes: Some(nodes), memory: allowance.memory, ..allowance.clock.limits };
        let clock = allowance.clock.under(limits);
        let mut effort = Statistics::default();
        let plan = self.run(known.cost, &clock, &mut effort);
        self.spent.expanded += effort.expanded;
        self.spent.generated += effort.generated;
        match (plan, effort.stopped) {
            (Some(plan), _) => Turn::found(self.cost.into(), plan),
            (None, Some(StopReason::Nodes)) if self.spent.expanded < allowance.nodes => {
                Turn::without_plan(0, Ended::Resting)
            }
            (None, Some(stop)) => Turn::stopped(stop),
            (None, None) => Turn::without_plan(0, Ended::Exhausted),
        }
    }

    fn spent(&self) -> Spent {
        Spent { memory: self.memory(), ..self.spent }
    }
}
