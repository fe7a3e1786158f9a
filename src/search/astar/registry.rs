//! Which nodes of a shard stand for a key: slots of 4 bytes.
//!
//! Open addressing with linear probing (Knuth, *The Art of Computer Programming* 3, 6.4). A slot
//! holds a node's number, in as many bits as that needs, and as much of its hash as fits beside it, so
//! that few other nodes are looked at. The rest of the hash stands in the nodes, which are gone
//! through again when the table grows: there are many small tables, and each fits into a cache.

use std::ops::Not;

/// Slots of a new table.
const SMALLEST: usize = 16;
/// Tables of up to this many slots are sparse, and doubled when they are full; larger ones are
/// dense.
const SMALL: usize = 1 << 14;
/// Slots below which a table is in a near cache in any case.
const AT_HAND: usize = 1 << 13;

/// Numbers of nodes by hash; several nodes may have one hash.
pub(super) struct Registry {
    /// Number + 1 in the low bits, a part of the hash in the high bits; 0 is empty.
    slots: Vec<u32>,
    /// The bits of a slot that are of the hash.
    tag: u32,
}

/// An empty slot, and what to write there beside the number.
pub(super) struct Slot {
    at: usize,
    tag: u32,
}

impl Registry {
    /// An empty table.
    pub(super) fn new() -> Self {
        Registry { slots: vec![0; SMALLEST], tag: tag_of(SMALLEST) }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<u32>()
    }

    /// Nodes that there is room for, at a load of at most 1/2 or, where that is much memory, 3/4.
    pub(super) fn room(&self) -> usize {
        match self.slots.len() {
            slots if slots <= SMALL => slots / 2,
            slots => slots / 4 * 3,
        }
    }

    #[inline]
    fn place(&self, hash: u64) -> usize {
        (((hash >> 32) * self.slots.len() as u64) >> 32) as usize
    }

    /// Reads where a hash would stand, so that it is in the cache when [`Registry::find`] comes:
    /// reads that do not wait for each other are made at the same time.
    #[inline]
    pub(super) fn touch(&self, hash: u64) -> u32 {
        if self.slots.len() < AT_HAND { 0 } else { self.slots[self.place(hash)] }
    }

    /// Looks for a node with this hash that `same` accepts: its number, or the empty slot where
    /// [`Registry::insert`] may put a new one.
    #[inline]
    pub(super) fn find(&self, hash: u64, mut same: impl FnMut(u32) -> bool) -> Result<u32, Slot> {
        let tag = hash as u32 & self.tag;
        let mut at = self.place(hash);
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                return Err(Slot { at, tag });
            }
            if slot & self.tag == tag {
                let number = (slot & self.tag.not()) - 1;
                if same(number) {
                    return Ok(number);
                }
            }
            at += 1;
            if at == self.slots.len() {
                at = 0;
            }
        }
    }

    /// Fills a slot that [`Registry::find`] has just returned.
    #[inline]
    pub(super) fn insert(&mut self, slot: Slot, number: u32) {
        debug_assert_eq!(self.slots[slot.at], 0);
        self.slots[slot.at] = slot.tag | (number + 1);
    }

    /// Number of slots that is enough for `nodes` nodes.
    pub(super) fn slots_for(nodes: usize) -> usize {
        if nodes <= SMALL / 2 { 2 * nodes } else { nodes.div_ceil(3) * 4 + 4 }.max(SMALLEST)
    }

    /// Number of slots after the table has grown to hold `nodes` nodes.
    pub(super) fn slots_to_grow_to(&self, nodes: usize) -> usize {
        let slots = self.slots.len();
        let wanted = if slots <= SMALL / 2 { 2 * slots } else { slots / 2 * 3 };
        wanted.max(Self::slots_for(nodes))
    }

    /// Makes a table of `slots` slots, for the nodes of these hashes in order of their numbers.
    pub(super) fn rebuild(&mut self, slots: usize, hashes: impl Iterator<Item = u64>) {
        self.slots = Vec::new(); // the old ones are not needed beside the new ones
        self.slots = vec![0; slots];
        self.tag = tag_of(slots);
        for (number, hash) in (0..).zip(hashes) {
            if let Err(slot) = self.find(hash, |_| false) {
                self.insert(slot, number);
            }
        }
    }
}

/// The bits of a slot that numbers of nodes leave free in a table of `slots` slots.
fn tag_of(slots: usize) -> u32 {
    u32::MAX.checked_shl(usize::BITS - slots.leading_zeros()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::super::table::scramble as hash;
    use super::*;

    #[test]
    fn finds_what_it_holds_and_nothing_else() {
        // Every key twice, for two different nodes.
        let hash_of = |number: u32| hash(u64::from(number / 2) << 40);
        let mut registry = Registry::new();
        for number in 0..5000 {
            if number as usize == registry.room() {
                let slots = registry.slots_to_grow_to(number as usize + 1);
                registry.rebuild(slots, (0..number).map(hash_of));
                assert!(registry.room() > number as usize);
            }
            let slot = registry.find(hash_of(number), |other| other == number).err().unwrap();
            registry.insert(slot, number);
        }
        for number in 0..5000 {
            let found = registry.find(hash_of(number), |other| other == number);
            assert_eq!(found.ok(), Some(number));
            let key = u64::from(number) + 1;
            assert!(registry.find(hash(key), |other| hash_of(other) == hash(key)).is_err());
        }
    }
}
