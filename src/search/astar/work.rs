//! One slice of a round: what threads do of it together, and what one thread does alone.
//!
//! A slice has two phases, and in each the threads take parts of it until none is left. First they
//! expand its states, with the tables at rest; the children are sorted by the shard that they belong to.
//! Then each shard takes in its children in the order in which one thread would have come to
//! them. What the leader does after that is to put those that are new, or cheaper than before, on the
//! open list, again in that order. So nothing depends on who has done what. A thread begins with the
//! same shards in each slice, so that they stay in its core's cache.

use super::super::open_lists::buckets::{OpenList, Waiting};
use super::super::tables::{Full, scramble};
use super::super::{Due, Space};
use super::table::{
    Child, Known, Link, MOST_STATES, Place, SHARDS, Shard, Useless, growth, shard_of, shard_of_node,
};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, RwLock};

/// Children whose places are asked for together.
const TOUCHED: usize = 16;
/// What stands in a shard's list for a state that was built, beside its place in the piece.
const BUILT: u32 = 1 << 31;
/// Stands for a child that is known already.
const NOTHING_NEW: u32 = u32::MAX;

/// A state that was taken from the open list.
#[derive(Clone, Copy)]
pub(super) struct Taken<A> {
    pub(super) id: u32,
    /// Its cost then.
    pub(super) cost: u32,
    /// Some of its children were visited before.
    pub(super) begun: bool,
    /// Where its state stands, or will stand.
    state: u32,
    /// The step that its state is built by, where that was not done before.
    unbuilt: Option<Link<A>>,
}

impl<A> Taken<A> {
    /// What stood in the open list.
    pub(super) fn waiting(&self) -> Waiting {
        Waiting { id: self.id, begun: self.begun }
    }
}

/// A goal that is cheaper than what was known.
#[derive(Clone, Copy)]
pub(super) struct Goal<A> {
    pub(super) cost: u32,
    /// The last step; the start has none.
    pub(super) last: Option<Link<A>>,
}

/// What came of expanding a state.
pub(super) struct Expansion {
    pub(super) generated: u32,
    /// Number of children that may be of interest.
    pub(super) children: u32,
    /// The f for which its other children wait, `u32::MAX` where none do.
    pub(super) later: u32,
}

/// What came of expanding some states one after another.
pub(super) struct Piece<S: Space> {
    /// The states that were built, in order.
    fresh: Vec<S::State>,
    heap: usize,
    pub(super) expansions: Vec<Expansion>,
    pub(super) children: Vec<Child<S::Action>>,
    pub(super) goals: Vec<Goal<S::Action>>,
    overflowed: bool,
    /// For each shard the places of its children, and of its states that were built.
    by_shard: Vec<Vec<u32>>,
    /// The node of each child that is new, or cheaper than before.
    reached: Vec<AtomicU32>,
}

impl<S: Space> Piece<S> {
    pub(super) fn new() -> Self {
        Piece {
            fresh: Vec::new(),
            heap: 0,
            expansions: Vec::new(),
            children: Vec::new(),
            goals: Vec::new(),
            overflowed: false,
            by_shard: (0..SHARDS).map(|_| Vec::new()).collect(),
            reached: Vec::new(),
        }
    }

    fn clear(&mut self) {
        self.fresh.clear();
        self.heap = 0;
        self.expansions.clear();
        self.children.clear();
        self.goals.clear();
        self.overflowed = false;
    }

    fn bytes(&self) -> usize {
        self.fresh.capacity() * size_of::<S::State>()
            + self.expansions.capacity() * size_of::<Expansion>()
            + self.children.capacity() * size_of::<Child<S::Action>>()
            + self.reached.capacity() * size_of::<u32>()
            + self.by_shard.iter().map(|list| list.capacity() * size_of::<u32>()).sum::<usize>()
    }

    /// Builds the states of a piece where that was not done before.
    fn build(
        &mut self,
        space: &S,
        taken: &[Taken<S::Action>],
        states: &[S::State],
        scratch: &mut S::Scratch,
    ) {
        for link in taken.iter().filter_map(|taken| taken.unbuilt) {
            let state = space.child(&states[link.parent as usize], link.action(), scratch);
            self.heap += space.heap_bytes(&state);
            self.fresh.push(state);
        }
    }

    /// Expands states that were taken at `f`, up to one that leads to a goal which ends the round.
    /// The states that were built for that stand in `fresh`.
    fn expand(
        &mut self,
        space: &S,
        taken: &[Taken<S::Action>],
        (states, fresh): (&[S::State], &[S::State]),
        (f, upper): (u32, u32),
        scratch: &mut S::Scratch,
    ) {
        let mut fresh = fresh.iter();
        for taken in taken {
            let built = if taken.unbuilt.is_some() { fresh.next() } else { None };
            let state = built.unwrap_or_else(|| &states[taken.state as usize]);
            let most = f - taken.cost;
            let due = Due { least: if taken.begun { most } else { 0 }, most };
            let (mut generated, before) = (0, self.children.len());
            let (children, goals) = (&mut self.children, &mut self.goals);
            let overflowed = &mut self.overflowed;
            let later = space.expand_due(state, due, scratch, &mut |successor| {
                generated += 1;
                match Child::new(&successor, taken.state, taken.cost, upper) {
                    Ok(Child { cost, link, .. }) if successor.goal => {
                        goals.push(Goal { cost, last: Some(link) });
                    }
                    Ok(child) => children.push(child),
                    Err(Useless::TooDear) => *overflowed |= upper == u32::MAX,
                    Err(Useless::DeadEnd) => {}
                }
            });
            let children = (self.children.len() - before) as u32;
            self.expansions.push(Expansion { generated, children, later });
            if self.goals.iter().any(|goal| goal.cost <= f) {
                return;
            }
        }
    }

    /// Sorts what was found by shards.
    fn sort(&mut self, taken: &[Taken<S::Action>]) {
        self.by_shard.iter_mut().for_each(Vec::clear);
        let mut at = 0;
        for (place, (expansion, taken)) in (0..).zip(self.expansions.iter().zip(taken)) {
            if taken.unbuilt.is_some() {
                self.by_shard[shard_of_node(taken.id)].push(place | BUILT);
            }
            let end = at + expansion.children;
            for place in at..end {
                let shard = shard_of(self.children[place as usize].hash);
                self.by_shard[shard].push(place);
            }
            at = end;
        }
        self.reached.clear();
        self.reached.resize_with(self.children.len(), || AtomicU32::new(NOTHING_NEW));
    }

    /// The node of a child that is new or cheaper than before.
    #[inline]
    pub(super) fn reached(&self, child: usize) -> Option<u32> {
        let id = self.reached[child].load(Ordering::Relaxed);
        (id != NOTHING_NEW).then_some(id)
    }
}

/// A part of the work that threads share.
#[derive(Clone, Copy)]
pub(super) enum Phase {
    Expand,
    Reach,
}

/// What came of a slice.
pub(super) struct Settled<A> {
    /// States that were expanded for the first time at their cost.
    pub(super) expanded: u64,
    pub(super) generated: u64,
    /// What the best plan costs now.
    pub(super) upper: u32,
    /// That plan, where the slice has found it.
    pub(super) best: Option<Goal<A>>,
    /// A state was out of reach of 32-bit costs.
    pub(super) overflowed: bool,
}

impl<A: Copy> Settled<A> {
    /// Counts an expansion whose children were opened, and opens its state again where it has more.
    #[inline]
    fn note(&mut self, expansion: &Expansion, taken: &Taken<A>, open: &mut OpenList) {
        let &Expansion { generated, later, .. } = expansion;
        self.expanded += u64::from(!taken.begun);
        self.generated += u64::from(generated);
        if later == u32::MAX {
            return;
        }
        if u64::from(taken.cost) + u64::from(later) < u64::from(self.upper) {
            open.push(taken.cost, later, Waiting { id: taken.id, begun: true });
        } else {
            self.overflowed |= self.upper == u32::MAX;
        }
    }
}

/// The tables of a search, and the slice that is worked on.
pub(super) struct Work<S: Space> {
    shards: Box<[Mutex<Shard<S::Action>>; SHARDS]>,
    states: Vec<S::State>,
    /// The last step to each state that was built.
    links: Vec<Link<S::Action>>,
    /// What states hold on the heap, in bytes.
    heap: usize,
    /// Bytes that tables may still grow by.
    left: AtomicUsize,
    is_full: AtomicBool,
    pub(super) taken: Vec<Taken<S::Action>>,
    /// States that are still to be built of those that were taken.
    unbuilt: u32,
    pieces: Vec<RwLock<Piece<S>>>,
    /// Pieces of the slice that count.
    used: usize,
    slice: Range<usize>,
    /// States of a piece.
    grain: usize,
    /// States that were reached more cheaply after they were built, and the last step to each.
    relinked: Vec<(u32, Link<S::Action>)>,
    /// Such states and steps of all threads.
    all_relinked: Mutex<Vec<(u32, Link<S::Action>)>>,
    /// The f of the round, and the cost below which plans are of interest.
    limits: (u32, u32),
    phase: Phase,
    /// The piece that is expanded next.
    next: AtomicUsize,
    /// Whether some thread has a shard in this phase, or had it.
    claimed: [AtomicBool; SHARDS],
    threads: usize,
}

impl<S: Space> Work<S> {
    /// Empty tables for `threads` threads.
    pub(super) fn new(threads: usize) -> Self {
        Work {
            shards: Box::new(std::array::from_fn(|_| Mutex::new(Shard::new()))),
            states: Vec::new(),
            links: Vec::new(),
            heap: 0,
            left: AtomicUsize::new(usize::MAX),
            is_full: AtomicBool::new(false),
            taken: Vec::new(),
            unbuilt: 0,
            pieces: vec![RwLock::new(Piece::new())],
            used: 0,
            slice: 0..0,
            grain: 1,
            relinked: Vec::new(),
            all_relinked: Mutex::new(Vec::new()),
            limits: (0, 0),
            phase: Phase::Expand,
            next: AtomicUsize::new(0),
            claimed: [const { AtomicBool::new(false) }; SHARDS],
            threads,
        }
    }

    /// Bytes held.
    pub(super) fn bytes(&mut self) -> usize {
        let shards: usize = self.shards.iter_mut().map(|shard| inner(shard).bytes()).sum();
        let pieces: usize = self.pieces.iter_mut().map(|piece| in_lock(piece).bytes()).sum();
        shards
            + pieces
            + self.states.capacity() * size_of::<S::State>()
            + self.links.capacity() * size_of::<Link<S::Action>>()
            + self.taken.capacity() * size_of::<Taken<S::Action>>()
            + self.heap
    }

    /// How many bytes the tables may still grow by.
    pub(super) fn allow(&mut self, left: usize) {
        *self.left.get_mut() = left;
    }

    /// Adds the start; its node.
    pub(super) fn insert_start(&mut self, space: &S, state: S::State) -> Result<u32, Full> {
        let hash = scramble(space.key(&state));
        let shard = inner(&mut self.shards[shard_of(hash)]);
        shard.make_room(1, &self.left)?;
        let id = shard.insert_start(hash).ok_or(Full)?;
        self.make_room_for_states(1)?;
        self.heap += space.heap_bytes(&state);
        self.states.push(state);
        self.links.push(Link { parent: 0, cost: 0, action: None });
        Ok(id)
    }

    /// Makes room for `more` more states.
    #[inline]
    fn make_room_for_states(&mut self, more: usize) -> Result<(), Full> {
        let wanted = self.states.len() + more;
        if wanted <= self.states.capacity() { Ok(()) } else { self.grow_states(wanted) }
    }

    #[cold]
    fn grow_states(&mut self, wanted: usize) -> Result<(), Full> {
        if wanted > MOST_STATES {
            return Err(Full);
        }
        let states = self.states.len();
        let bytes = size_of::<S::State>() + size_of::<Link<S::Action>>();
        let more = growth(states, wanted - states, &self.left, bytes)?;
        self.states.reserve_exact(more);
        self.links.reserve_exact(more);
        Ok(())
    }

    #[inline]
    fn shard(&mut self, at: usize) -> &mut Shard<S::Action> {
        inner(&mut self.shards[at])
    }

    /// What a node costs.
    #[inline]
    pub(super) fn cost(&mut self, id: u32) -> u32 {
        self.shard(shard_of_node(id)).cost(id)
    }

    /// Notes that a node was taken for the round.
    #[inline]
    pub(super) fn take(&mut self, id: u32, cost: u32, begun: bool) {
        let (state, unbuilt) = match self.shard(shard_of_node(id)).place(id) {
            Place::Built(state) => (state, None),
            Place::Unbuilt(link) => {
                self.unbuilt += 1;
                ((self.states.len() as u32 + self.unbuilt) - 1, Some(link))
            }
        };
        self.taken.push(Taken { id, cost, begun, state, unbuilt });
    }

    /// Begins a round.
    pub(super) fn clear_taken(&mut self) {
        self.taken.clear();
        self.unbuilt = 0;
    }

    /// Expands a slice of the round on this thread alone and opens what came of it.
    pub(super) fn settle_alone(
        &mut self,
        space: &S,
        slice: Range<usize>,
        limits: (u32, u32),
        scratch: &mut S::Scratch,
        open: &mut OpenList,
    ) -> Result<Settled<S::Action>, Full> {
        self.build_alone(space, slice.clone(), scratch)?;
        let Work { states, pieces, taken, .. } = self;
        let piece = in_lock(&mut pieces[0]);
        piece.clear();
        piece.expand(space, &taken[slice.clone()], (states, &[]), limits, scratch);
        (self.slice, self.limits, self.used) = (slice, limits, 1);
        let mut settled = self.look_through();
        let Work { shards, states, pieces, taken, left, relinked, slice, .. } = self;
        let Piece { expansions, children, .. } = in_lock(&mut pieces[0]);
        let mut known = Known { space, states, scratch, relinked };
        let (mut place, mut touched) = (0, 0);
        for (expansion, taken) in expansions.iter().zip(&taken[slice.clone()]) {
            for _ in 0..expansion.children {
                if place == touched {
                    touched = children.len().min(place + TOUCHED);
                    let touch = |sum, child: &Child<S::Action>| {
                        sum ^ inner(&mut shards[shard_of(child.hash)]).touch(child.hash)
                    };
                    std::hint::black_box(children[place..touched].iter().fold(0, touch));
                }
                let child = &children[place];
                place += 1;
                let shard = inner(&mut shards[shard_of(child.hash)]);
                if shard.make_room(1, left).is_err() {
                    self.relink();
                    return Err(Full);
                }
                if let Some(id) = shard.reach(child, &mut known) {
                    open.push(child.cost, child.bound, Waiting { id, begun: false });
                }
            }
            settled.note(expansion, taken, open);
        }
        self.relink();
        Ok(settled)
    }

    /// Builds the states of a slice where that was not done before.
    fn build_alone(
        &mut self,
        space: &S,
        slice: Range<usize>,
        scratch: &mut S::Scratch,
    ) -> Result<(), Full> {
        for at in slice {
            let Taken { id, cost, state: place, unbuilt: Some(link), .. } = self.taken[at] else {
                continue;
            };
            self.make_room_for_states(1)?;
            let state = space.child(&self.states[link.parent as usize], link.action(), scratch);
            self.heap += space.heap_bytes(&state);
            debug_assert_eq!(place as usize, self.states.len());
            self.states.push(state);
            self.links.push(link);
            let shard = inner(&mut self.shards[shard_of_node(id)]);
            shard.note_built(id, place, cost, &mut self.relinked);
        }
        Ok(())
    }

    /// Begins a slice of the round that threads work on together, in pieces of `grain` states.
    pub(super) fn begin_together(&mut self, slice: Range<usize>, limits: (u32, u32), grain: usize) {
        self.used = slice.len().div_ceil(grain);
        let pieces = self.pieces.len();
        self.pieces.extend((pieces..self.used).map(|_| RwLock::new(Piece::new())));
        (self.slice, self.limits, self.grain) = (slice, limits, grain);
        (self.phase, *self.next.get_mut()) = (Phase::Expand, 0);
    }

    /// Goes on from the first phase to the second.
    pub(super) fn go_on_together(&mut self) -> Result<Settled<S::Action>, Full> {
        let settled = self.look_through();
        self.keep_states()?;
        self.phase = Phase::Reach;
        self.claimed.iter_mut().for_each(|claimed| *claimed.get_mut() = false);
        Ok(settled)
    }

    /// Takes part in a phase until nothing of it is left, as thread number `thread`.
    pub(super) fn take_part(&self, thread: usize, space: &S, scratch: &mut S::Scratch) {
        match self.phase {
            Phase::Expand => loop {
                let part = self.next.fetch_add(1, Ordering::Relaxed);
                if part >= self.used {
                    return;
                }
                self.expand_piece(part, space, scratch);
            },
            Phase::Reach => {
                let first = thread * SHARDS / self.threads.max(1);
                for shard in (0..SHARDS).map(|at| (first + at) % SHARDS) {
                    // Most are claimed by their own thread.
                    let claimed = &self.claimed[shard];
                    if !claimed.load(Ordering::Relaxed) && !claimed.swap(true, Ordering::Relaxed) {
                        self.reach_shard(shard, space, scratch);
                    }
                }
            }
        }
    }

    /// The states of a piece.
    fn of_piece(&self, piece: usize) -> &[Taken<S::Action>] {
        let start = self.slice.start + piece * self.grain;
        &self.taken[start..self.slice.end.min(start + self.grain)]
    }

    fn expand_piece(&self, part: usize, space: &S, scratch: &mut S::Scratch) {
        let mut piece = self.pieces[part].write().unwrap_or_else(PoisonError::into_inner);
        let taken = self.of_piece(part);
        piece.clear();
        piece.build(space, taken, &self.states, scratch);
        let fresh = std::mem::take(&mut piece.fresh);
        piece.expand(space, taken, (&self.states, &fresh), self.limits, scratch);
        piece.fresh = fresh;
        piece.sort(taken);
    }

    fn reach_shard(&self, part: usize, space: &S, scratch: &mut S::Scratch) {
        let mut shard = self.shards[part].lock().unwrap_or_else(PoisonError::into_inner);
        let mut relinked = Vec::new();
        let relink = &mut relinked;
        let mut known = Known { space, states: &self.states, scratch, relinked: relink };
        for (number, piece) in self.pieces[..self.used].iter().enumerate() {
            let piece = piece.read().unwrap_or_else(PoisonError::into_inner);
            let list = &piece.by_shard[part];
            if shard.make_room(list.len(), &self.left).is_err() {
                self.is_full.store(true, Ordering::Relaxed);
                break;
            }
            let taken = self.of_piece(number);
            for places in list.chunks(TOUCHED) {
                let keys = places.iter().filter_map(|&place| piece.children.get(place as usize));
                let touch = |sum, child: &Child<S::Action>| sum ^ shard.touch(child.hash);
                std::hint::black_box(keys.fold(0, touch));
                for &place in places {
                    if place & BUILT != 0 {
                        let Taken { id, state, cost, .. } = taken[(place ^ BUILT) as usize];
                        shard.note_built(id, state, cost, known.relinked);
                    } else {
                        let child = &piece.children[place as usize];
                        if let Some(id) = shard.reach(child, &mut known) {
                            piece.reached[place as usize].store(id, Ordering::Relaxed);
                        }
                    }
                }
            }
        }
        if !relinked.is_empty() {
            let mut all = self.all_relinked.lock().unwrap_or_else(PoisonError::into_inner);
            all.append(&mut relinked);
        }
    }

    /// Opens what came of a slice that threads have worked on together.
    pub(super) fn settle_together(
        &mut self,
        mut settled: Settled<S::Action>,
        open: &mut OpenList,
    ) -> Result<Settled<S::Action>, Full> {
        let mut taken = self.taken[self.slice.clone()].iter();
        for piece in &mut self.pieces[..self.used] {
            let piece = in_lock(piece);
            let mut place = 0;
            for (expansion, taken) in piece.expansions.iter().zip(&mut taken) {
                let end = place + expansion.children as usize;
                for place in place..end {
                    if let Some(id) = piece.reached(place) {
                        let child = &piece.children[place];
                        open.push(child.cost, child.bound, Waiting { id, begun: false });
                    }
                }
                place = end;
                settled.note(expansion, taken, open);
            }
        }
        let mut relinked = std::mem::take(inner(&mut self.all_relinked));
        self.relinked.append(&mut relinked);
        self.relink();
        if std::mem::take(self.is_full.get_mut()) { Err(Full) } else { Ok(settled) }
    }

    /// Looks through what came of expanding a slice: which of it counts, and which plan it has
    /// found.
    fn look_through(&mut self) -> Settled<S::Action> {
        let (f, mut upper) = self.limits;
        let (mut best, mut overflowed) = (None, false);
        for (number, piece) in self.pieces[..self.used].iter_mut().enumerate() {
            let piece = in_lock(piece);
            overflowed |= piece.overflowed;
            for goal in &piece.goals {
                if goal.cost < upper {
                    upper = goal.cost;
                    best = Some(*goal);
                }
            }
            if upper <= f {
                self.used = number + 1; // what comes after that is of no use
                break;
            }
        }
        Settled { expanded: 0, generated: 0, upper, best, overflowed }
    }

    /// Keeps the states that threads have built together.
    fn keep_states(&mut self) -> Result<(), Full> {
        let pieces = self.pieces[..self.used].iter_mut();
        let fresh = pieces.map(|piece| in_lock(piece).fresh.len()).sum();
        self.make_room_for_states(fresh)?;
        let Work { states, links, pieces, taken, slice, .. } = self;
        let mut taken = taken[slice.clone()].iter().filter_map(|taken| taken.unbuilt);
        for piece in &mut pieces[..self.used] {
            let piece = in_lock(piece);
            self.heap += piece.heap;
            links.extend(taken.by_ref().take(piece.fresh.len()));
            states.append(&mut piece.fresh);
        }
        Ok(())
    }

    /// Notes the last steps to states that were reached more cheaply.
    fn relink(&mut self) {
        for (state, link) in self.relinked.drain(..) {
            self.links[state as usize] = link;
        }
    }

    /// The last step to a state.
    pub(super) fn link(&self, state: u32) -> &Link<S::Action> {
        &self.links[state as usize]
    }
}

/// The content of a lock that no other thread has.
#[inline]
fn inner<T>(lock: &mut Mutex<T>) -> &mut T {
    lock.get_mut().unwrap_or_else(PoisonError::into_inner)
}

/// The content of a lock that no other thread has, as [`inner`].
#[inline]
fn in_lock<T>(lock: &mut RwLock<T>) -> &mut T {
    lock.get_mut().unwrap_or_else(PoisonError::into_inner)
}
