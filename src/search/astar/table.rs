//! What A* knows of the states that it has reached.
//!
//! The nodes are in shards, by hash: as many for any number of threads. In a step of the search a
//! shard is in the hands of one thread, which brings in all children that belong there.
//! States that were built stand in one list beside the shards, each with the step that led to it.

use super::super::tables::{Full, Slot, StateIndex, scramble};
use super::super::{Space, Successor};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bits of a node's number that tell its shard.
const SHARD_BITS: u32 = 4;
/// Number of shards of the table.
pub(super) const SHARDS: usize = 1 << SHARD_BITS;
/// Upper limit of the nodes of a shard: numbers of nodes have 31 bits.
const MOST_NODES: usize = (1 << (31 - SHARD_BITS)) - 1;
/// Least number of nodes or states by which the tables grow.
const LEAST_GROWTH: usize = 64;
/// Size in bytes below which tables grow by half; larger ones grow by a quarter.
const LARGE: usize = 1 << 22;

/// The bit of [`TableEntry::place`] that tells that the node's state was built.
const BUILT: u32 = 1 << 31;
/// Upper limit of the states.
pub(super) const MOST_STATES: usize = BUILT as usize - 1;
/// Cost from which on a step's cost stands in [`Shard::dear`].
const DEAR: u8 = u8::MAX;

/// The last step to a state.
#[derive(Clone, Copy)]
pub(super) struct Link<A> {
    /// The state that it was made from.
    pub(super) parent: u32,
    pub(super) cost: u32,
    /// None for the start.
    pub(super) action: Option<A>,
}

impl<A: Copy> Link<A> {
    /// The action; only the start has none.
    #[inline]
    pub(super) fn action(&self) -> A {
        self.action.expect("a state that is not the start")
    }
}

/// A reached state.
#[derive(Clone, Copy)]
struct TableEntry<A> {
    /// See [`scramble`]; in halves, so that nodes need no padding.
    hash: [u32; 2],
    /// Least known cost from the start.
    cost: u32,
    /// Where its state stands, with [`BUILT`]; else where its parent's does.
    place: u32,
    /// What the step from the parent costs, or [`DEAR`].
    step: u8,
    /// The step from the parent; none for the start. Both are those of when the state was built, if
    /// it was.
    action: Option<A>,
}

impl<A> TableEntry<A> {
    #[inline]
    fn hash(&self) -> u64 {
        u64::from(self.hash[0]) | u64::from(self.hash[1]) << 32
    }
}

fn halves(hash: u64) -> [u32; 2] {
    [hash as u32, (hash >> 32) as u32]
}

/// Where a node's state is.
pub(super) enum Place<A> {
    Built(u32),
    Unbuilt(Link<A>),
}

/// A child that may be of interest.
#[derive(Clone, Copy)]
pub(super) struct Child<A> {
    pub(super) hash: u64,
    /// What it costs to come to it on this way.
    pub(super) cost: u32,
    /// No plan from it costs less.
    pub(super) bound: u32,
    pub(super) link: Link<A>,
}

/// The shard of a hash.
#[inline]
pub(super) fn shard_of(hash: u64) -> usize {
    hash as usize % SHARDS
}

/// The shard of a node.
#[inline]
pub(super) fn shard_of_node(id: u32) -> usize {
    id as usize % SHARDS
}

/// The nodes of one part of all keys, and what finds them.
pub(super) struct Shard<A> {
    nodes: Vec<TableEntry<A>>,
    index: StateIndex,
    /// Nodes that there is room for.
    room: usize,
    /// What dear steps cost, by number of the node.
    dear: ahash::HashMap<u32, u32>,
}

impl<A: Copy> Shard<A> {
    pub(super) fn new() -> Self {
        Shard {
            nodes: Vec::new(),
            index: StateIndex::new(),
            room: 0,
            dear: ahash::HashMap::default(),
        }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<TableEntry<A>>()
            + self.index.bytes()
            + self.dear.capacity() * 2 * size_of::<(u32, u32)>()
    }

    /// What a node costs.
    #[inline]
    pub(super) fn cost(&self, id: u32) -> u32 {
        self.nodes[id as usize / SHARDS].cost
    }

    /// Where the state of a node is.
    #[inline]
    pub(super) fn place(&self, id: u32) -> Place<A> {
        let number = id as usize / SHARDS;
        let node = &self.nodes[number];
        match node.place & BUILT {
            0 => Place::Unbuilt(self.link(node, number as u32)),
            _ => Place::Built(node.place ^ BUILT),
        }
    }

    /// The step to a node whose state was not built.
    #[inline]
    fn link(&self, node: &TableEntry<A>, number: u32) -> Link<A> {
        let cost = match node.step {
            DEAR => self.dear[&number],
            step => u32::from(step),
        };
        Link { parent: node.place, cost, action: node.action }
    }

    /// Asks the memory for where a hash would be; not where the table is small and at hand.
    #[inline]
    pub(super) fn touch(&self, hash: u64) -> u32 {
        self.index.touch(hash)
    }

    /// Makes room for `more` new nodes, as far as the remaining bytes allow it.
    #[inline]
    pub(super) fn make_room(&mut self, more: usize, left: &AtomicUsize) -> Result<(), Full> {
        if self.nodes.len() + more <= self.room { Ok(()) } else { self.grow(more, left) }
    }

    #[cold]
    fn grow(&mut self, more: usize, left: &AtomicUsize) -> Result<(), Full> {
        let wanted = self.nodes.len() + more;
        if wanted > MOST_NODES {
            return Err(Full);
        }
        let (nodes, capacity) = (self.nodes.len(), self.nodes.capacity());
        if capacity < wanted {
            let more = growth(nodes, wanted - nodes, left, size_of::<TableEntry<A>>())?;
            self.nodes.reserve_exact(more);
        }
        if self.index.room() < wanted {
            let (least, most) = self.index.growth(wanted);
            let more = take(most, least, left, size_of::<u32>())?;
            self.index.grow(more, (0..).zip(self.nodes.iter().map(TableEntry::hash)));
        }
        self.room = self.nodes.capacity().min(self.index.room());
        Ok(())
    }

    /// Notes that the state of a node was built and where it stands; it cost `cost` when that began.
    pub(super) fn note_built(
        &mut self,
        id: u32,
        state: u32,
        cost: u32,
        relinked: &mut Vec<(u32, Link<A>)>,
    ) {
        let number = id as usize / SHARDS;
        let node = &self.nodes[number];
        if node.cost != cost {
            // It was reached more cheaply in the meantime, by another step.
            relinked.push((state, self.link(node, number as u32)));
        }
        self.nodes[number].place = state | BUILT;
    }

    /// Adds the start, the first state, for which there is room.
    pub(super) fn insert_start(&mut self, hash: u64) -> Option<u32> {
        let link = Link { parent: BUILT, cost: 0, action: None };
        let slot = self.index.find(hash, |_| false).err()?;
        Some(self.insert(slot, &Child { hash, cost: 0, bound: 0, link }))
    }

    #[inline]
    fn insert(&mut self, slot: Slot, child: &Child<A>) -> u32 {
        let number = self.nodes.len() as u32;
        let &Child { hash, cost, link: Link { parent, action, .. }, .. } = child;
        let step = self.step(number, child.link.cost);
        self.nodes.push(TableEntry { hash: halves(hash), cost, place: parent, step, action });
        self.index.insert(slot, number);
        number << SHARD_BITS | shard_of(hash) as u32
    }

    /// How the cost of a step stands in a node.
    #[inline]
    fn step(&mut self, number: u32, cost: u32) -> u8 {
        if cost >= u32::from(DEAR) {
            self.dear.insert(number, cost);
        }
        cost.min(u32::from(DEAR)) as u8
    }

    /// Handles a child whose hash is one of this shard's, for which there is room: its node, where
    /// it is new or was not reached as cheaply before.
    #[inline]
    pub(super) fn reach<S: Space<Action = A>>(
        &mut self,
        child: &Child<A>,
        known: &mut Known<'_, S>,
    ) -> Option<u32> {
        let hash = child.hash;
        let found = self.index.find(hash, |number| {
            let node = &self.nodes[number as usize];
            node.hash() == hash && (S::KEYS_ARE_EXACT || known.leads_to(child, node))
        });
        let number = match found {
            Ok(number) => number,
            Err(slot) => return Some(self.insert(slot, child)),
        };
        let node = &mut self.nodes[number as usize];
        if child.cost >= node.cost {
            return None;
        }
        node.cost = child.cost;
        if node.place & BUILT == 0 {
            (node.place, node.action) = (child.link.parent, child.link.action);
            self.nodes[number as usize].step = self.step(number, child.link.cost);
        } else {
            let state = node.place ^ BUILT;
            known.relinked.push((state, child.link));
        }
        Some(number << SHARD_BITS | shard_of(hash) as u32)
    }
}

/// The states that were built, and what tells whether a child is one of the known nodes.
pub(super) struct Known<'a, S: Space> {
    pub(super) space: &'a S,
    pub(super) states: &'a [S::State],
    pub(super) scratch: &'a mut S::Scratch,
    /// States that were reached more cheaply after they were built, and the last step to each.
    pub(super) relinked: &'a mut Vec<(u32, Link<S::Action>)>,
}

impl<S: Space> Known<'_, S> {
    /// Whether a child's state is that of a node with the same key.
    #[inline]
    fn leads_to(&mut self, child: &Child<S::Action>, node: &TableEntry<S::Action>) -> bool {
        let Known { space, states, scratch, .. } = self;
        let from = &states[child.link.parent as usize];
        if node.place & BUILT != 0 {
            let state = &states[(node.place ^ BUILT) as usize];
            space.leads_to(from, child.link.action(), state, scratch)
        } else {
            let action = node.action.expect("a state that is not the start");
            let state = space.child(&states[node.place as usize], action, scratch);
            space.leads_to(from, child.link.action(), &state, scratch)
        }
    }
}

impl<A: Copy> Child<A> {
    /// A child of the state `parent`, which costs less than `upper` together with its bound; the
    /// answer tells otherwise whether it is of no interest at any cost.
    #[inline]
    pub(super) fn new(
        successor: &Successor<A>,
        parent: u32,
        cost: u32,
        upper: u32,
    ) -> Result<Self, Useless> {
        if successor.bound == u32::MAX {
            return Err(Useless::DeadEnd);
        }
        let bound = if successor.goal { 0 } else { successor.bound };
        let cost = u64::from(cost) + u64::from(successor.cost);
        if cost + u64::from(bound) >= u64::from(upper) {
            return Err(Useless::TooDear);
        }
        let link = Link { parent, cost: successor.cost, action: Some(successor.action) };
        Ok(Child { hash: scramble(successor.key), cost: cost as u32, bound, link })
    }
}

/// Why a child is dropped.
pub(super) enum Useless {
    DeadEnd,
    TooDear,
}

/// Number of entries of `bytes` bytes by which a table grows that needs `least` more; the memory is
/// taken from the `left` bytes.
pub(super) fn growth(
    entries: usize,
    least: usize,
    left: &AtomicUsize,
    bytes: usize,
) -> Result<usize, Full> {
    let part = if entries * bytes < LARGE { 2 } else { 4 };
    take((entries / part).max(LEAST_GROWTH).max(least), least, left, bytes)
}

/// Takes `wanted` entries of `bytes` bytes from the remaining bytes, or fewer, but at least
/// `least`.
fn take(wanted: usize, least: usize, left: &AtomicUsize, bytes: usize) -> Result<usize, Full> {
    let mut more = 0;
    let spend = |left: usize| {
        more = wanted.min(left / bytes);
        (more >= least).then(|| left - more * bytes)
    };
    // All threads are told of the same bytes, and nothing else.
    match left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, spend) {
        Ok(_) => Ok(more),
        Err(_) => Err(Full),
    }
}
