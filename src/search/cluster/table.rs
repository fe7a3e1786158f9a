//! The states that one worker owns.

use super::super::Successor;
use super::super::shared::Portable;
use super::super::tables::{Full, Slot, StateIndex, scramble};
use super::packed::{PackedStates, growth};

/// [`OwnedState::queued`] of a node that does not wait.
pub(super) const CLOSED: u32 = u32::MAX;
/// First id that is not given, so that [`Place`] can tell states by 31 bits.
const LAST_ID: usize = (1 << 31) - 1;

/// The last step to a state.
#[derive(Clone, Copy)]
pub(super) struct BackPointer<A> {
    /// The worker that owns the parent.
    pub(super) worker: u32,
    /// The parent's id there.
    pub(super) parent: u32,
    pub(super) cost: u32,
    pub(super) action: A,
}

/// Where the state of a node is, in four bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Place(u32);

/// The place of a state, unpacked.
enum PlaceKind {
    /// Nowhere: it was not needed yet, and its parent is of the same worker.
    Unbuilt,
    /// Among the packed ones: another worker has sent it, and it is not expanded.
    Packed(u32),
    /// Among the built ones, at this index.
    Built(u32),
}

impl Place {
    const UNBUILT: Place = Place(u32::MAX);
    const PACKED: u32 = 1 << 31;

    fn packed(at: u32) -> Place {
        Place(at | Place::PACKED)
    }

    fn built(at: usize) -> Place {
        Place(at as u32)
    }

    #[inline]
    fn kind(self) -> PlaceKind {
        match self {
            Place::UNBUILT => PlaceKind::Unbuilt,
            Place(at) if at & Place::PACKED != 0 => PlaceKind::Packed(at & !Place::PACKED),
            Place(at) => PlaceKind::Built(at),
        }
    }
}

/// A reached state.
pub(super) struct OwnedState<A> {
    key: u64,
    /// Least known cost from the start.
    pub(super) cost: u32,
    /// The f for which it waits, or [`CLOSED`].
    pub(super) queued: u32,
    /// Some of its children were visited at this cost.
    pub(super) begun: bool,
    state: Place,
    /// None for the start.
    pub(super) back_pointer: Option<BackPointer<A>>,
}

/// What a state is compared by with others.
pub(super) enum Candidate<'a, S: Portable> {
    /// The child of a state.
    Child(&'a S::State, &'a Successor<S::Action>),
    /// The words of the state itself.
    Packed(&'a [u64]),
}

/// The nodes of a worker, their states, and what finds them.
pub(super) struct Table<S: Portable> {
    pub(super) nodes: Vec<OwnedState<S::Action>>,
    built: Vec<S::State>,
    packed: PackedStates,
    index: StateIndex,
    heap: usize,
}

impl<S: Portable> Table<S> {
    pub(super) fn new() -> Self {
        Table {
            nodes: Vec::new(),
            built: Vec::new(),
            packed: PackedStates::new(),
            index: StateIndex::new(),
            heap: 0,
        }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<OwnedState<S::Action>>()
            + self.built.capacity() * size_of::<S::State>()
            + self.packed.bytes()
            + self.index.bytes()
            + self.heap
    }

    /// Whether there is room for one more node, and for one more state: one that is built or, where words
    /// are given, a packed one.
    #[inline]
    pub(super) fn has_room(&self, words: Option<usize>) -> bool {
        self.nodes.len() < self.nodes.capacity()
            && words.map_or_else(
                || self.built.len() < self.built.capacity(),
                |words| self.packed.has_room(words),
            )
            && self.nodes.len() < self.index.room()
    }

    /// Makes that room, where the bytes allow it.
    #[cold]
    pub(super) fn make_room(
        &mut self,
        words: Option<usize>,
        left: impl Fn(&Self) -> usize,
    ) -> Result<(), Full> {
        if self.nodes.len() == self.nodes.capacity() {
            if self.nodes.len() >= LAST_ID {
                return Err(Full);
            }
            let more = growth(self.nodes.len(), left(self) / size_of::<OwnedState<S::Action>>())?;
            self.nodes.reserve_exact(more);
        }
        match words {
            Some(words) if !self.packed.has_room(words) => {
                let room = left(self);
                self.packed.make_room(words, room)?;
            }
            None if self.built.len() == self.built.capacity() => {
                let more = growth(self.built.len(), left(self) / size_of::<S::State>())?;
                self.built.reserve_exact(more);
            }
            _ => {}
        }
        if self.nodes.len() < self.index.room() {
            return Ok(());
        }
        let allowance = left(self);
        let hashes = self.nodes.iter().map(|node| scramble(node.key));
        self.index.make_room(self.nodes.len() + 1, allowance, || (0..).zip(hashes))
    }

    /// Has the memory look for where a key would be.
    #[inline]
    pub(super) fn touch(&self, key: u64) -> u32 {
        self.index.touch(scramble(key))
    }

    /// The node of a candidate, or the slot where it goes.
    pub(super) fn find(
        &self,
        space: &S,
        key: u64,
        candidate: &Candidate<'_, S>,
        scratch: &mut S::Scratch,
    ) -> Result<u32, Slot> {
        self.index.find(scramble(key), |id| {
            let node = &self.nodes[id as usize];
            if node.key != key {
                return false;
            }
            match candidate {
                Candidate::Child(from, child) => {
                    let other = self.not_built(space, id, scratch);
                    let other = other.as_ref().unwrap_or_else(|| self.state(id));
                    space.leads_to(from, child.action, other, scratch)
                }
                Candidate::Packed(words) => match node.state.kind() {
                    PlaceKind::Packed(at) => self.packed.get(at) == *words,
                    _ => {
                        let other = self.not_built(space, id, scratch);
                        let other = other.as_ref().unwrap_or_else(|| self.state(id));
                        space.unpack(words).is_some_and(|state| state == *other)
                    }
                },
            }
        })
    }

    /// Adds a node, for which there is room, with the words of its state where its parent is not of
    /// this worker.
    pub(super) fn insert(
        &mut self,
        slot: Slot,
        node: (u64, u32, u32),
        back_pointer: Option<BackPointer<S::Action>>,
        words: Option<&[u64]>,
    ) -> u32 {
        let (key, cost, queued) = node;
        let id = self.nodes.len() as u32;
        let state = words.map_or(Place::UNBUILT, |words| Place::packed(self.packed.add(words)));
        self.nodes.push(OwnedState { key, cost, queued, begun: false, state, back_pointer });
        self.index.insert(slot, id);
        id
    }

    /// Keeps the words of the state of a node that is to have a parent of another worker; there is room.
    pub(super) fn keep(&mut self, id: u32, words: &[u64]) {
        let node = &mut self.nodes[id as usize];
        if node.state == Place::UNBUILT {
            node.state = Place::packed(self.packed.add(words));
        }
    }

    /// Builds the state of a node where that was not needed before; there is room.
    pub(super) fn build(&mut self, space: &S, id: u32, scratch: &mut S::Scratch) {
        let Some(state) = self.not_built(space, id, scratch) else { return };
        let node = &mut self.nodes[id as usize];
        if let PlaceKind::Packed(at) = node.state.kind() {
            self.packed.remove(at);
        }
        self.heap += space.heap_bytes(&state);
        node.state = Place::built(self.built.len());
        self.built.push(state);
    }

    /// The state of a node that was built.
    pub(super) fn state(&self, id: u32) -> &S::State {
        match self.nodes[id as usize].state.kind() {
            PlaceKind::Built(at) => &self.built[at as usize],
            _ => unreachable!("the state was built when its node was expanded"),
        }
    }

    /// The state of a node where it is not built. Where it is not packed either, its parent is of this
    /// worker, and was built.
    fn not_built(&self, space: &S, id: u32, scratch: &mut S::Scratch) -> Option<S::State> {
        let node = &self.nodes[id as usize];
        match node.state.kind() {
            PlaceKind::Built(_) => None,
            PlaceKind::Packed(at) => {
                Some(space.unpack(self.packed.get(at)).expect("words of a state"))
            }
            PlaceKind::Unbuilt => {
                let from = node.back_pointer.expect("the start has words");
                Some(space.child(self.state(from.parent), from.action, scratch))
            }
        }
    }
}
