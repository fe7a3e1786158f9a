//! How the states of a shared beam were reached: each worker has the links of its own stretches.

use crate::search::beam::back_pointers::BackPointer;

/// The links of one layer that are here.
struct Layer<A> {
    links: Vec<BackPointer<A>>,
    /// The place where the stretch of each worker begins; empty where every worker has all links.
    starts: Vec<u32>,
}

/// The links of all layers but the first, which is the start alone.
pub(super) struct Links<A> {
    /// This worker's number.
    me: usize,
    layers: Vec<Layer<A>>,
    bytes: usize,
}

impl<A: Copy> Links<A> {
    pub(super) fn new(me: usize) -> Self {
        Links { me, layers: Vec::new(), bytes: 0 }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// How many layers there are.
    pub(super) fn layers(&self) -> usize {
        self.layers.len()
    }

    /// Adds the links of a new layer.
    pub(super) fn push(&mut self, links: Vec<BackPointer<A>>, starts: Vec<u32>) {
        self.bytes += size_of::<Layer<A>>()
            + links.capacity() * size_of::<BackPointer<A>>()
            + starts.capacity() * size_of::<u32>();
        self.layers.push(Layer { links, starts });
    }

    /// The worker that has the link of a place in a layer; none in particular where all have it.
    pub(super) fn holder(&self, layer: usize, place: u32) -> Option<usize> {
        self.layers[layer].starts.partition_point(|&start| start <= place).checked_sub(1)
    }

    /// The actions that lead to a place of a layer, from the last back, as far as the links are here;
    /// and the place in the layer before, where they come from.
    pub(super) fn trace(&self, layers: usize, mut place: u32) -> (Vec<A>, u32) {
        let mut actions = Vec::new();
        for at in (0..layers).rev() {
            let start = match self.holder(at, place) {
                None => 0,
                Some(worker) if worker == self.me => self.layers[at].starts[worker],
                Some(_) => break,
            };
            let link = self.layers[at].links[(place - start) as usize];
            actions.push(link.action);
            place = link.parent;
        }
        (actions, place)
    }
}
