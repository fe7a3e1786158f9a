//! The table of reached nodes, by key.
//!
//! Open addressing with linear probing (Knuth, *The Art of Computer Programming* 3, 6.4). A slot is
//! 8 bytes: a node's id, and half of its hash, so that a node is looked at only where it is very
//! likely the one. The keys stand in the nodes.

/// Slots of a new table.
const SMALLEST: usize = 64;

/// Where a key hashes to. Keys may be anything, even small numbers, so they are scrambled: the two
/// halves of a long product are folded (as in wyhash and ahash).
#[inline]
fn hash(key: u64) -> u64 {
    let product = u128::from(key ^ 0x9e37_79b9_7f4a_7c15) * 0xd1b5_4a32_d192_ed03;
    (product >> 64) as u64 ^ product as u64
}

/// The table is full and the budget lets it not grow.
pub(crate) struct Full;

/// Ids of nodes by key; several nodes may have one key.
pub(crate) struct StateRegistry {
    /// id + 1 in the low half, the high half of the hash in the high half; 0 is empty. The table is
    /// in order of hashes, so that growing needs the slots alone and walks through them in order.
    slots: Vec<u64>,
    /// 64 - log2 of the number of slots.
    shift: u32,
    len: usize,
}

impl StateRegistry {
    /// An empty table.
    pub(crate) fn new() -> Self {
        StateRegistry { slots: vec![0; SMALLEST], shift: 64 - SMALLEST.ilog2(), len: 0 }
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<u64>()
    }

    /// Reads where a key would stand, so that it is in the cache when [`StateRegistry::find`]
    /// comes: reads that do not wait for each other are made at the same time.
    #[cfg(feature = "cluster")]
    #[inline]
    pub(crate) fn touch(&self, key: u64) -> u64 {
        self.slots[(hash(key) >> self.shift) as usize]
    }

    /// Looks for a node with this key that `same` accepts: its id, or the empty slot where
    /// [`StateRegistry::insert`] may put a new one.
    #[inline]
    pub(crate) fn find(&self, key: u64, mut same: impl FnMut(u32) -> bool) -> Result<u32, Slot> {
        let hash = hash(key);
        let mask = self.slots.len() - 1;
        let mut at = (hash >> self.shift) as usize;
        loop {
            let slot = self.slots[at & mask];
            if slot == 0 {
                return Err(Slot { at: at & mask, tag: hash & TAG });
            }
            if (slot ^ hash) & TAG == 0 {
                let id = slot as u32 - 1;
                if same(id) {
                    return Ok(id);
                }
            }
            at += 1;
        }
    }

    /// Fills a slot that [`StateRegistry::find`] has just returned.
    #[inline]
    pub(crate) fn insert(&mut self, slot: Slot, id: u32) {
        debug_assert_eq!(self.slots[slot.at], 0);
        self.slots[slot.at] = slot.tag | u64::from(id + 1);
        self.len += 1;
    }

    /// Whether `more` nodes fit in at a load of at most 3/4.
    #[inline]
    pub(crate) fn has_room(&self, more: usize) -> bool {
        (self.len + more) * 4 <= self.slots.len() * 3
    }

    /// Makes room for `more` nodes, at a load of at most 3/4; at 7/8 where growing would need more
    /// than `allowance` bytes.
    pub(crate) fn reserve(&mut self, more: usize, allowance: usize) -> Result<(), Full> {
        while !self.has_room(more) {
            if 2 * self.bytes() <= allowance {
                self.grow();
            } else if (self.len + more) * 8 > self.slots.len() * 7 {
                return Err(Full);
            } else {
                break;
            }
        }
        Ok(())
    }

    #[cold]
    fn grow(&mut self) {
        self.shift -= 1;
        let mask = 2 * self.slots.len() - 1;
        let old = std::mem::replace(&mut self.slots, vec![0; mask + 1]);
        for slot in old.into_iter().filter(|&slot| slot != 0) {
            let mut at = (slot >> self.shift) as usize;
            while self.slots[at & mask] != 0 {
                at += 1;
            }
            self.slots[at & mask] = slot;
        }
    }
}

/// The part of a slot that holds a part of the hash. Ids have 32 bits, so a table has at most 2^32
/// slots and this part tells the place.
const TAG: u64 = 0xffff_ffff_0000_0000;

/// An empty slot, and what to write there beside the id.
pub(crate) struct Slot {
    at: usize,
    tag: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_it_holds_and_nothing_else() {
        // Every key twice, for two different nodes.
        let key = |id: u32| u64::from(id / 2) << 40;
        let mut registry = StateRegistry::new();
        for id in 0..5000 {
            assert!(registry.reserve(1, usize::MAX).is_ok());
            let slot = registry.find(key(id), |other| other == id).err().unwrap();
            registry.insert(slot, id);
        }
        for id in 0..5000 {
            assert_eq!(registry.find(key(id), |other| other == id).ok(), Some(id));
            assert!(
                registry.find(u64::from(id) + 1, |other| key(other) == u64::from(id) + 1).is_err()
            );
        }
    }

    #[test]
    fn refuses_to_grow_beyond_its_allowance() {
        let mut registry = StateRegistry::new();
        let mut held = 0;
        while registry.reserve(1, 0).is_ok() {
            let slot = registry.find(u64::from(held), |other| other == held).err().unwrap();
            registry.insert(slot, held);
            held += 1;
        }
        assert_eq!(held as usize, SMALLEST * 7 / 8);
    }
}
