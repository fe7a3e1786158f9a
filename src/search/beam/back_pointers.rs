//! How the states of a beam were reached: one link a state, layer by layer.
//!
//! Most links lead to states that have died out. Now and then those are thrown out, so that a long
//! search holds little more than the links that some living state descends from.

/// Number of links below which throwing some out is not worth it.
const FEW: usize = 1 << 16;

/// The step that led to a state: from which state of the layer before, by what.
#[derive(Clone, Copy)]
pub(in crate::search) struct BackPointer<A> {
    pub(in crate::search) parent: u32,
    pub(in crate::search) action: A,
}

/// The links of all layers but the first, which is the start alone.
pub(in crate::search) struct BackPointers<A> {
    layers: Vec<Vec<BackPointer<A>>>,
    back_pointers: usize,
    /// Links to hold before some are thrown out.
    compact_at: usize,
}

impl<A: Copy> BackPointers<A> {
    pub(in crate::search) fn new() -> Self {
        BackPointers { layers: Vec::new(), back_pointers: 0, compact_at: FEW }
    }

    /// Bytes held.
    pub(in crate::search) fn bytes(&self) -> usize {
        self.back_pointers * size_of::<BackPointer<A>>()
            + self.layers.capacity() * size_of::<Vec<BackPointer<A>>>()
    }

    /// Adds the links of a new layer, in the order of its states.
    pub(in crate::search) fn push(&mut self, layer: Vec<BackPointer<A>>) {
        self.back_pointers += layer.len();
        self.layers.push(layer);
        if self.back_pointers >= self.compact_at {
            self.compact();
            self.compact_at = (2 * self.back_pointers).max(FEW);
        }
    }

    /// The actions that lead to a state of the last layer and on by `last`.
    pub(in crate::search) fn plan(&self, mut state: u32, last: A) -> Vec<A> {
        let mut plan = vec![last];
        for layer in self.layers.iter().rev() {
            let back_pointer = layer[state as usize];
            plan.push(back_pointer.action);
            state = back_pointer.parent;
        }
        plan.reverse();
        plan
    }

    /// Throws out the links that no state of the last layer descends from.
    fn compact(&mut self) {
        for at in (1..self.layers.len()).rev() {
            let (before, rest) = self.layers.split_at_mut(at);
            let (layer, children) = (&mut before[at - 1], &mut rest[0]);
            let mut places = vec![u32::MAX; layer.len()];
            for child in children.iter() {
                places[child.parent as usize] = 0;
            }
            let mut kept = Vec::with_capacity(places.iter().filter(|&&place| place == 0).count());
            for (place, back_pointer) in
                places.iter_mut().zip(layer.iter()).filter(|(p, _)| **p == 0)
            {
                *place = kept.len() as u32;
                kept.push(*back_pointer);
            }
            for child in children.iter_mut() {
                child.parent = places[child.parent as usize];
            }
            *layer = kept;
        }
        self.back_pointers = self.layers.iter().map(Vec::len).sum();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::mix;

    #[test]
    fn plans_survive_the_throwing_out() {
        const WIDTH: u32 = 300;
        let mut table = BackPointers::new();
        let mut whole: Vec<Vec<BackPointer<u32>>> = Vec::new();
        for layer in 0..2000u32 {
            let layer_pointers: Vec<_> = (0..WIDTH)
                .map(|at| {
                    let word = mix(u64::from(layer * WIDTH + at));
                    let parent = if layer == 0 { 0 } else { word as u32 % WIDTH };
                    BackPointer { parent, action: (word >> 32) as u32 }
                })
                .collect();
            whole.push(layer_pointers.clone());
            table.push(layer_pointers);
        }
        assert!(table.back_pointers < 200_000, "of 600 000 links {} are kept", table.back_pointers);
        for state in 0..WIDTH {
            let mut at = state;
            let mut plan = vec![7];
            for layer in whole.iter().rev() {
                plan.push(layer[at as usize].action);
                at = layer[at as usize].parent;
            }
            plan.reverse();
            assert_eq!(table.plan(state, 7), plan);
        }
    }
}
