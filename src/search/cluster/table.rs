//! The states that one worker owns.

use super::super::state_registry::{Full, Slot, StateRegistry};
use super::super::{Space, Successor};

/// [`Node::queued`] of a node that does not wait.
pub(super) const CLOSED: u32 = u32::MAX;
/// [`Node::state`] of a node whose state nobody has needed yet: its parent is of the same worker.
const UNBUILT: u32 = u32::MAX;
/// Ids from here on are not given.
const LAST_ID: usize = u32::MAX as usize - 1;
/// Nodes and states that room is made for at least.
const LEAST_GROWTH: usize = 64;

/// The last step to a state.
#[derive(Clone, Copy)]
pub(super) struct BackPointer<A> {
    /// Who owns the parent, and its id there.
    pub(super) worker: u32,
    pub(super) parent: u32,
    pub(super) cost: u32,
    pub(super) action: A,
}

/// A reached state.
pub(super) struct Node<A> {
    key: u64,
    /// Least known cost from the start.
    pub(super) cost: u32,
    /// The f for which it waits, or [`CLOSED`].
    pub(super) queued: u32,
    /// Some of its children were visited at this cost.
    pub(super) begun: bool,
    state: u32,
    /// None for the start.
    pub(super) back_pointer: Option<BackPointer<A>>,
}

/// How a state is told from others.
pub(super) enum Candidate<'a, S: Space> {
    /// The child of a state.
    Child(&'a S::State, &'a Successor<S::Action>),
    /// The state itself, which came from another worker.
    State(&'a S::State),
}

/// The nodes of a worker, their states, and what finds them.
pub(super) struct Table<S: Space> {
    pub(super) nodes: Vec<Node<S::Action>>,
    states: Vec<S::State>,
    registry: StateRegistry,
    heap: usize,
}

impl<S: Space> Table<S> {
    pub(super) fn new() -> Self {
        Table { nodes: Vec::new(), states: Vec::new(), registry: StateRegistry::new(), heap: 0 }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node<S::Action>>()
            + self.states.capacity() * size_of::<S::State>()
            + self.registry.bytes()
            + self.heap
    }

    /// Makes room for one more node and one more state, where the bytes allow it.
    #[inline]
    pub(super) fn make_room(&mut self, left: impl Fn(&Self) -> usize) -> Result<(), Full> {
        if self.nodes.len() == self.nodes.capacity() {
            if self.nodes.len() >= LAST_ID {
                return Err(Full);
            }
            let more = growth(self.nodes.len(), left(self) / size_of::<Node<S::Action>>())?;
            self.nodes.reserve_exact(more);
        }
        if self.states.len() == self.states.capacity() {
            let more = growth(self.states.len(), left(self) / size_of::<S::State>())?;
            self.states.reserve_exact(more);
        }
        if self.registry.has_room(1) {
            return Ok(());
        }
        let allowance = left(self);
        self.registry.reserve(1, allowance)
    }

    /// Has the memory look for where a key would be.
    #[inline]
    pub(super) fn touch(&self, key: u64) -> u64 {
        self.registry.touch(key)
    }

    /// The node of a candidate, or the slot where it goes.
    pub(super) fn find(
        &self,
        space: &S,
        key: u64,
        candidate: &Candidate<'_, S>,
        scratch: &mut S::Scratch,
    ) -> Result<u32, Slot> {
        self.registry.find(key, |id| {
            let node = &self.nodes[id as usize];
            if node.key != key {
                return false;
            }
            let built = self.unbuilt(space, id, scratch);
            let state = built.as_ref().unwrap_or_else(|| &self.states[node.state as usize]);
            match candidate {
                Candidate::Child(from, child) => space.leads_to(from, child.action, state, scratch),
                Candidate::State(other) => *other == state,
            }
        })
    }

    /// Adds a node, for which there is room.
    pub(super) fn insert(
        &mut self,
        space: &S,
        slot: Slot,
        node: (u64, u32, u32),
        back_pointer: Option<BackPointer<S::Action>>,
        state: Option<S::State>,
    ) -> u32 {
        let (key, cost, queued) = node;
        let id = self.nodes.len() as u32;
        self.nodes.push(Node { key, cost, queued, begun: false, state: UNBUILT, back_pointer });
        self.registry.insert(slot, id);
        if let Some(state) = state {
            self.keep(space, id, state);
        }
        id
    }

    /// Keeps the state of a node that has none, for which there is room.
    pub(super) fn keep(&mut self, space: &S, id: u32, state: S::State) {
        let node = &mut self.nodes[id as usize];
        if node.state == UNBUILT {
            self.heap += space.heap_bytes(&state);
            node.state = self.states.len() as u32;
            self.states.push(state);
        }
    }

    /// Builds the state of a node where that was not needed before; there is room.
    pub(super) fn build(&mut self, space: &S, id: u32, scratch: &mut S::Scratch) {
        if let Some(state) = self.unbuilt(space, id, scratch) {
            self.keep(space, id, state);
        }
    }

    /// The state of a node that was built.
    pub(super) fn state(&self, id: u32) -> &S::State {
        &self.states[self.nodes[id as usize].state as usize]
    }

    /// The state of a node that was not built yet. Its parent is of this worker, and was.
    fn unbuilt(&self, space: &S, id: u32, scratch: &mut S::Scratch) -> Option<S::State> {
        let node = &self.nodes[id as usize];
        match node.back_pointer {
            Some(from) if node.state == UNBUILT => {
                Some(space.child(self.state(from.parent), from.action, scratch))
            }
            _ => None,
        }
    }
}

/// By how many entries to grow, where there is room for so many.
fn growth(entries: usize, room: usize) -> Result<usize, Full> {
    match (entries / 2).max(LEAST_GROWTH).min(room) {
        0 => Err(Full),
        more => Ok(more),
    }
}
