//! Rounds of A*: states that are taken from the open list together, and expanded by all threads.
//!
//! What a round holds depends on how many states were expanded before and on how the search gets on
//! ([`RoundSizes`](super::round_sizes::RoundSizes)), and on nothing else. Its states are
//! expanded with the costs that they had when they were taken, and their successors are reached in
//! the order in which they were taken. So it makes no difference whether one thread expands and
//! reaches state after state, or all threads expand a slice of the round, with the tables at rest,
//! and one of them reaches the successors then. Which of the two is faster is decided by the time
//! that an expansion takes.
//!
//! What is left to one thread is a table look-up for each new state and a push on the open list.
//! Hash-distributed A* (Kishimoto, Fukunaga, Botea, *Evaluation of a simple, scalable, parallel
//! best-first search strategy*, AIJ 195, 2013) shares that too, and its order of expansions, and
//! with it the plan, differs from run to run.

use super::super::clock::Instant;
use super::super::state_registry::Full;
use super::super::{Budget, Due, Space, Statistics, StopReason, Successor};
use super::node::{Known, UNBUILT};
use super::{FEW, POLL, SLOW, Search};
use rayon::prelude::*;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Threads are called together for work that takes this long on one of them, and more.
const WORTH: Duration = Duration::from_micros(150);
/// They look up for the clock about this often.
const SLICE: Duration = Duration::from_millis(4);
/// Pieces of a slice for each thread: some take longer than others.
const PIECES: usize = 4;
/// Fewer expansions than this tell little of how long one takes.
const TELLING: usize = 16;

/// A state that was taken from the open list.
#[derive(Clone, Copy)]
pub(super) struct Taken {
    pub(super) id: u32,
    /// Its cost then.
    pub(super) cost: u32,
    pub(super) f: u32,
    /// Some of its children were visited before.
    pub(super) begun: bool,
}

impl Taken {
    /// The children that are wanted of it.
    pub(super) fn due(self) -> Due {
        let most = self.f - self.cost;
        Due { least: if self.begun { most } else { 0 }, most }
    }
}

/// The states of a round, all of one f, in the order in which they were taken.
pub(super) struct Round<A> {
    pub(super) taken: Vec<Taken>,
    /// Room for the children of one of them.
    children: Vec<Successor<A>>,
}

impl<A> Round<A> {
    /// A round without a state.
    pub(super) fn new() -> Self {
        Round { taken: Vec::new(), children: Vec::new() }
    }
}

/// The threads of a search and their working memory.
pub(super) struct Threads<S: Space> {
    own: S::Scratch,
    count: usize,
    /// One for each thread of the pool; a lock is held by the thread of its number alone.
    others: Vec<Mutex<S::Scratch>>,
    /// Threads of its own, where the search was not called from a pool.
    pool: Option<rayon::ThreadPool>,
    /// What an expansion takes on one thread, where that was measured.
    pace: Option<Duration>,
    /// Bytes that the children of a slice took at most.
    bytes: usize,
}

impl<S: Space> Threads<S> {
    /// One thread, that calls others when they are worth it.
    pub(super) fn new(space: &S, threads: usize) -> Self {
        let is_in_pool = rayon::current_thread_index().is_some();
        let most = if is_in_pool { rayon::current_num_threads() } else { usize::MAX };
        let (own, count) = (space.scratch(), threads.min(most));
        Threads { own, count, others: Vec::new(), pool: None, pace: None, bytes: 0 }
    }

    /// The working memory of the thread that searches.
    #[inline]
    pub(super) fn own(&mut self) -> &mut S::Scratch {
        &mut self.own
    }

    /// Bytes held at most.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// How many of so many states to expand together; 1 where one thread is as fast.
    fn slice(&mut self, states: usize, space: &S, budget: &Budget) -> usize {
        let Some(pace) = self.pace else { return 1 };
        if self.count < 2 || pace * (states as u32) < WORTH || !self.is_gathered(space, budget) {
            return 1;
        }
        let each = SLICE.as_nanos() / pace.as_nanos().max(1);
        states.min((each as usize).max(PIECES).saturating_mul(self.count))
    }

    /// Whether the threads are there; calls them where they are not.
    fn is_gathered(&mut self, space: &S, budget: &Budget) -> bool {
        if self.others.is_empty() {
            if rayon::current_thread_index().is_none() {
                match budget.pool() {
                    Ok(pool) => self.pool = Some(pool),
                    Err(_) => self.count = 1,
                }
            }
            let threads = match &self.pool {
                Some(pool) => pool.current_num_threads(),
                None => rayon::current_num_threads(),
            };
            self.others = (0..threads).map(|_| Mutex::new(space.scratch())).collect();
        }
        self.count > 1
    }

    /// Notes what so many expansions took.
    fn note_pace(&mut self, time: Duration, expansions: usize) {
        if expansions >= TELLING {
            let now = time / expansions as u32;
            self.pace = Some(self.pace.map_or(now, |before| (3 * before + now) / 4));
        }
    }

    /// Expands pieces of a slice, each on some thread, and answers in their order.
    fn expand(&self, view: &View<'_, S>, slice: &[Taken]) -> Vec<Piece<S>> {
        let grain = slice.len().div_ceil(PIECES * self.count);
        let others = &self.others;
        let expand = |piece: &[Taken]| {
            let thread = rayon::current_thread_index().unwrap_or(0);
            let scratch = others[thread].lock();
            view.expand(piece, &mut scratch.unwrap_or_else(PoisonError::into_inner))
        };
        let all = || slice.par_chunks(grain).map(expand).collect();
        match &self.pool {
            Some(pool) => pool.install(all),
            None => all(),
        }
    }
}

/// What the threads see of a search while they expand.
struct View<'a, S: Space> {
    known: Known<'a, S>,
    upper: u32,
}

/// What came of expanding some states one after another.
struct Piece<S: Space> {
    expansions: Vec<Expansion<S::State>>,
    /// The children of all of them, and their nodes where they were found.
    children: Vec<(Successor<S::Action>, Option<u32>)>,
    time: Duration,
}

/// What came of expanding a state.
struct Expansion<T> {
    /// The state, where it was not built before.
    state: Option<T>,
    /// For what its other children wait.
    later: u32,
    generated: u32,
    /// Those that are kept.
    children: u32,
}

impl<S: Space> View<'_, S> {
    fn expand(&self, taken: &[Taken], scratch: &mut S::Scratch) -> Piece<S> {
        let started = Instant::now();
        let mut children = Vec::new();
        let expansions =
            taken.iter().map(|taken| self.expand_one(*taken, &mut children, scratch)).collect();
        Piece { expansions, children, time: started.elapsed() }
    }

    fn expand_one(
        &self,
        taken: Taken,
        children: &mut Vec<(Successor<S::Action>, Option<u32>)>,
        scratch: &mut S::Scratch,
    ) -> Expansion<S::State> {
        let Known { space, nodes, states, registry } = self.known;
        let node = &nodes[taken.id as usize];
        let built = match (node.state, node.back_pointer) {
            (UNBUILT, Some(back_pointer)) => {
                let parent = nodes[back_pointer.parent as usize].state as usize;
                Some(space.child(&states[parent], back_pointer.action, scratch))
            }
            _ => None,
        };
        let state = built.as_ref().unwrap_or_else(|| &states[node.state as usize]);
        let (first, mut generated, mut touched) = (children.len(), 0, 0);
        let later = space.expand_due(state, taken.due(), scratch, &mut |child| {
            generated += 1;
            if self.is_of_interest(taken.cost, &child) {
                touched ^= registry.touch(child.key);
                children.push((child, None));
            }
        });
        std::hint::black_box(touched);
        // Costs of nodes only fall: what is too dear now is so when its turn comes.
        let mut kept = first;
        for at in first..children.len() {
            let (child, _) = children[at];
            let cost = taken.cost.saturating_add(child.cost);
            let node = if child.goal { None } else { self.known.find(state, &child, scratch).ok() };
            if node.is_none_or(|id| cost < nodes[id as usize].cost) {
                children[kept] = (child, node);
                kept += 1;
            }
        }
        children.truncate(kept);
        let children = (children.len() - first) as u32;
        Expansion { state: built, later, generated, children }
    }

    /// Whether anything may come of a child, as far as can be told without the tables.
    fn is_of_interest(&self, cost: u32, child: &Successor<S::Action>) -> bool {
        let bound = if child.goal { 0 } else { child.bound };
        let f = u64::from(cost) + u64::from(child.cost) + u64::from(bound);
        child.bound != u32::MAX && (f < u64::from(self.upper) || self.upper == u32::MAX)
    }
}

impl<S: Space> Search<'_, S> {
    /// Takes the states of the next round; none are left where the search is through.
    pub(super) fn take_round(&mut self, round: &mut Round<S::Action>) -> Option<StopReason> {
        round.taken.clear();
        let limit = self.clock.budget.nodes.unwrap_or(u64::MAX);
        // Nobody asks for the lowest f while a round of it is not through.
        while round.taken.is_empty()
            && let Some(f) = self.lowest()
            && f < self.upper
        {
            if self.effort.expanded >= limit {
                self.turns = 0;
            }
            if let Some(stop) = self.look(f) {
                return Some(stop);
            }
            let expanded = self.effort.expanded;
            let most = self.round_sizes.most(expanded);
            let most = most.min(limit.saturating_sub(expanded)) as usize;
            while round.taken.len() < most
                && let Some(id) = self.open.pop()
            {
                let node = &mut self.nodes[id as usize];
                if node.queued != f {
                    continue; // it was opened again at another f
                }
                round.taken.push(Taken { id, cost: node.cost, f, begun: node.begun });
                (node.queued, node.begun) = (super::CLOSED, true);
            }
        }
        if let Some(first) = round.taken.first() {
            self.round_sizes.took(first.f, first.f - first.cost);
        }
        None
    }

    /// Expands the states of a round. Where the budget is spent before, the answer says from which
    /// of them on none was expanded.
    pub(super) fn expand_round(
        &mut self,
        round: &mut Round<S::Action>,
    ) -> Result<(), (StopReason, usize)> {
        let Round { taken, children } = round;
        let mut at = 0;
        while at < taken.len() {
            if let Some(stop) = self.look(taken[at].f) {
                return Err((stop, at));
            }
            let slice = self.threads.slice(taken.len() - at, self.space, self.clock.budget);
            if slice > 1 {
                let done = self.expand_together(&taken[at..at + slice]);
                done.map_err(|(stop, place)| (stop, at + place))?;
                at += slice;
                self.turns = 0;
            } else {
                at = self.expand_alone(taken, at, children)?;
            }
        }
        Ok(())
    }

    /// Expands states on this thread from `at` on, up to the next look at the clock; how far it has
    /// come.
    fn expand_alone(
        &mut self,
        taken: &[Taken],
        at: usize,
        children: &mut Vec<Successor<S::Action>>,
    ) -> Result<usize, (StopReason, usize)> {
        let end = taken.len().min(at + 1 + self.turns as usize);
        let started = (end - at >= TELLING).then(Instant::now);
        for (place, taken) in taken.iter().enumerate().take(end).skip(at) {
            if self.is_current(taken)
                && let Err(stop) = self.expand_one(*taken, children)
            {
                children.clear();
                return Err((stop, place));
            }
        }
        if let Some(started) = started {
            self.threads.note_pace(started.elapsed(), end - at);
        }
        self.turns -= (end - at - 1) as u64;
        Ok(end)
    }

    /// Whether a state that was taken is still to be expanded: no plan as cheap was found since.
    /// One that was reached more cheaply since is, too, at its former cost: so what a round expands
    /// does not depend on what is found in it.
    fn is_current(&self, taken: &Taken) -> bool {
        taken.f < self.upper
    }

    /// Expands a slice of a round on all threads.
    fn expand_together(&mut self, slice: &[Taken]) -> Result<(), (StopReason, usize)> {
        let Search { space, nodes, states, registry, upper, .. } = self;
        let view = View { known: Known { space: *space, nodes, states, registry }, upper: *upper };
        let pieces = self.threads.expand(&view, slice);
        let time = pieces.iter().map(|piece| piece.time).sum();
        self.threads.note_pace(time, slice.len());
        let bytes = pieces.iter().map(|piece| {
            piece.children.capacity() * size_of::<(Successor<S::Action>, Option<u32>)>()
                + piece.expansions.capacity() * size_of::<Expansion<S::State>>()
        });
        self.threads.bytes = self.threads.bytes.max(bytes.sum());
        let mut taken = slice.iter().enumerate();
        for piece in pieces {
            let keys = piece.children.iter().map(|(child, _)| child.key);
            std::hint::black_box(keys.fold(0, |sum, key| sum ^ self.registry.touch(key)));
            let mut children = piece.children.into_iter();
            for (expansion, (place, taken)) in piece.expansions.into_iter().zip(&mut taken) {
                let children = children.by_ref().take(expansion.children as usize);
                if self.is_current(taken) {
                    self.settle(*taken, expansion, children).map_err(|stop| (stop, place))?;
                } else {
                    children.for_each(drop);
                }
            }
        }
        Ok(())
    }

    /// Takes over what came of expanding a state.
    fn settle(
        &mut self,
        taken: Taken,
        expansion: Expansion<S::State>,
        children: impl Iterator<Item = (Successor<S::Action>, Option<u32>)>,
    ) -> Result<(), StopReason> {
        let Taken { id, cost, begun, .. } = taken;
        if let Some(state) = expansion.state {
            self.make_room_for_state().map_err(|Full| StopReason::Memory)?;
            self.keep(id, state);
        }
        self.make_room(expansion.children as usize)?;
        self.count(begun, u64::from(expansion.generated));
        for (child, node) in children {
            self.reach(id, cost, &child, node);
        }
        self.postpone(id, cost, expansion.later);
        Ok(())
    }

    /// Counts an expansion.
    #[inline]
    pub(super) fn count(&mut self, begun: bool, generated: u64) {
        let Statistics { expanded, generated: all, .. } = &mut self.effort;
        *expanded += u64::from(!begun);
        *all += generated;
    }

    /// Looks at the clock now and then.
    #[inline]
    fn look(&mut self, f: u32) -> Option<StopReason> {
        if self.turns == 0 {
            let before = self.polled;
            if let Some(stop) = self.poll(f) {
                return Some(stop);
            }
            self.turns = if self.polled > before + SLOW { FEW } else { POLL };
        }
        self.turns -= 1;
        None
    }
}
