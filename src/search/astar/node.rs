//! What A* knows of a state that it has reached.

use super::super::state_registry::{Slot, StateRegistry};
use super::super::{Space, Successor};

/// A reached state, and how it was reached.
pub(super) struct Node<A> {
    pub(super) key: u64,
    /// Least known cost from the start.
    pub(super) cost: u32,
    /// The last step; the start has none.
    pub(super) back_pointer: Option<BackPointer<A>>,
    /// The f for which it waits in the open list, or [`CLOSED`].
    pub(super) queued: u32,
    /// Some of its children were visited at this cost.
    pub(super) begun: bool,
    /// Its state among those that are built, or [`UNBUILT`].
    pub(super) state: u32,
}

/// [`Node::queued`] of a node that does not wait: no open f is as great.
pub(super) const CLOSED: u32 = u32::MAX;

/// [`Node::state`] of a node whose state nobody has needed yet.
pub(super) const UNBUILT: u32 = u32::MAX;

/// Ids from here on are not given.
pub(super) const LAST_ID: u32 = u32::MAX - 1;

/// Nodes that room is made for at least.
pub(super) const LEAST_GROWTH: usize = 64;

/// A step from a node.
#[derive(Clone, Copy)]
pub(super) struct BackPointer<A> {
    pub(super) parent: u32,
    pub(super) cost: u32,
    pub(super) action: A,
}

/// The best plan so far: its cost, and its last step.
pub(super) struct Incumbent<A> {
    pub(super) cost: u32,
    pub(super) last: Option<BackPointer<A>>,
}

/// The nodes of a search and what finds them: enough to tell which states are known.
pub(super) struct Known<'a, S: Space> {
    pub(super) space: &'a S,
    pub(super) nodes: &'a [Node<S::Action>],
    pub(super) states: &'a [S::State],
    pub(super) registry: &'a StateRegistry,
}

impl<S: Space> Known<'_, S> {
    /// The node of the child that an action leads to from the state `from`, or the slot where a new
    /// one goes.
    #[inline]
    pub(super) fn find(
        &self,
        from: &S::State,
        child: &Successor<S::Action>,
        scratch: &mut S::Scratch,
    ) -> Result<u32, Slot> {
        let Known { space, nodes, states, registry } = self;
        registry.find(child.key, |id| {
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
        })
    }
}
