//! Which numbers stand for a hash: slots of 4 bytes.
//!
//! This is the index of states that most searches use. What stands under a number is each
//! search's own, and so is how two states are compared.
//!
//! Open addressing with linear probing (Knuth, *The Art of Computer Programming* 3, 6.4). A slot
//! holds a number, in as many bits as that needs, and as much of its hash as fits beside it, so that
//! few other states are looked at. The rest of the hash is the search's to tell again when the table
//! grows. Hashes must be mixed well in all of their bits: [`scramble`] mixes keys that are not.

use std::ops::Not;

/// Number of slots of a new table.
const SMALLEST: usize = 16;
/// Tables of up to this many slots are sparse, and doubled when they are full; larger ones are
/// dense.
const SMALL: usize = 1 << 14;
/// Number of slots below which a table is in a near cache in any case.
const AT_HAND: usize = 1 << 13;

/// The table is full and its bytes do not let it grow.
pub(crate) struct Full;

/// Numbers of states by hash; several states may have one hash.
#[derive(Clone, Debug)]
pub(crate) struct StateIndex {
    /// Number + 1 in the low bits, a part of the hash in the high bits; 0 is empty.
    slots: Vec<u32>,
    /// The bits of a slot that are of the hash.
    tag: u32,
}

/// An empty slot, and what to write there beside the number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    at: usize,
    tag: u32,
}

/// The hash of a key: keys may be anything, even small numbers. Different keys have different hashes
/// (each step can be undone), so a search may keep these in place of the keys. The steps are those of
/// MurmurHash3's finalizer.
#[inline]
pub(crate) fn scramble(key: u64) -> u64 {
    let key = (key ^ key >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let key = (key ^ key >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    key ^ key >> 33
}

impl StateIndex {
    /// An empty table.
    pub(crate) fn new() -> Self {
        StateIndex { slots: vec![0; SMALLEST], tag: tag_of(SMALLEST) }
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<u32>()
    }

    /// Number of states that there is room for, at a load of at most 1/2 or, where that is much
    /// memory, 3/4. All numbers must be below it.
    #[inline]
    pub(crate) fn room(&self) -> usize {
        match self.slots.len() {
            slots if slots <= SMALL => slots / 2,
            slots => slots / 4 * 3,
        }
    }

    #[inline]
    fn place(&self, hash: u64) -> usize {
        (((hash >> 32) * self.slots.len() as u64) >> 32) as usize
    }

    /// Reads where a hash would stand, so that it is in the cache when [`StateIndex::find`] comes:
    /// reads that do not wait for each other are made at the same time.
    #[inline]
    pub(crate) fn touch(&self, hash: u64) -> u32 {
        if self.slots.len() < AT_HAND { 0 } else { self.slots[self.place(hash)] }
    }

    /// As [`StateIndex::touch`]; the number there, if any, so that its state can be touched, too.
    #[inline]
    pub(crate) fn touch_number(&self, hash: u64) -> Option<u32> {
        (self.slots[self.place(hash)] & self.tag.not()).checked_sub(1)
    }

    /// Looks for a state with this hash that `same` accepts: its number, or the empty slot where
    /// [`StateIndex::insert`] may put a new one. States of one hash are looked at in the order of
    /// their numbers.
    #[inline]
    pub(crate) fn find(&self, hash: u64, mut same: impl FnMut(u32) -> bool) -> Result<u32, Slot> {
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

    /// Fills a slot that [`StateIndex::find`] has just returned. At least one slot must stay free: that is
    /// where `find` stops looking.
    #[inline]
    pub(crate) fn insert(&mut self, slot: Slot, number: u32) {
        debug_assert_eq!(self.slots[slot.at], 0);
        debug_assert!(number as usize + 1 < self.slots.len(), "the table is full with {number}");
        self.slots[slot.at] = slot.tag | (number + 1);
    }

    /// Empties the table; it keeps its size.
    pub(crate) fn clear(&mut self) {
        self.slots.fill(0);
    }

    /// Number of slots by which the table must grow at least to hold `states` states, and by which
    /// it grows where it may.
    pub(crate) fn growth(&self, states: usize) -> (usize, usize) {
        let slots = self.slots.len();
        let least = slots_for(states);
        let wanted = if slots <= SMALL / 2 { 2 * slots } else { slots / 2 * 3 };
        (least.saturating_sub(slots), wanted.max(least).saturating_sub(slots))
    }

    /// Makes a table of `more` slots more, for the states of these numbers and hashes.
    #[inline(never)]
    pub(crate) fn grow(&mut self, more: usize, states: impl Iterator<Item = (u32, u64)>) {
        let slots = self.slots.len() + more;
        self.slots = Vec::new(); // the old ones are not needed beside the new ones
        self.slots = vec![0; slots];
        self.tag = tag_of(slots);
        for (number, hash) in states {
            if let Err(slot) = self.find(hash, |_| false) {
                self.insert(slot, number);
            }
        }
    }

    /// Makes room for numbers up to `states`, less 1, within `allowance` more bytes. `held` tells the
    /// numbers and the hashes of what the table holds. It is doubled where it may: to tell all hashes
    /// again costs more here than in shards.
    #[inline]
    pub(crate) fn make_room<H: Iterator<Item = (u32, u64)>>(
        &mut self,
        states: usize,
        allowance: usize,
        held: impl FnOnce() -> H,
    ) -> Result<(), Full> {
        if states <= self.room() {
            return Ok(());
        }
        let (least, _) = self.growth(states);
        let more = self.slots.len().max(least).min(allowance / size_of::<u32>());
        if more < least || states > u32::MAX as usize {
            return Err(Full);
        }
        self.grow(more, held());
        Ok(())
    }
}

/// Number of slots that is enough for `states` states.
fn slots_for(states: usize) -> usize {
    if states <= SMALL / 2 { 2 * states } else { states.div_ceil(3) * 4 + 4 }.max(SMALLEST)
}

/// The bits of a slot that numbers leave free in a table of `slots` slots.
fn tag_of(slots: usize) -> u32 {
    u32::MAX.checked_shl(usize::BITS - slots.leading_zeros()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every hash is that of two states.
    fn hash_of(number: u32) -> u64 {
        scramble(u64::from(number / 2) << 40)
    }

    #[test]
    fn finds_what_it_holds_and_nothing_else() {
        let mut index = StateIndex::new();
        for number in 0..50_000 {
            let held = || (0..number).map(|number| (number, hash_of(number)));
            assert!(index.make_room(number as usize + 1, usize::MAX, held).is_ok());
            assert!(index.room() > number as usize);
            let slot = index.find(hash_of(number), |other| other == number).err().unwrap();
            index.insert(slot, number);
        }
        for number in 0..50_000 {
            let found = index.find(hash_of(number), |other| other == number);
            assert_eq!(found.ok(), Some(number));
            assert!(index.find(hash_of(number), |_| true).is_ok_and(|first| first == number & !1));
            let hash = scramble(u64::from(number) + 1);
            assert!(index.find(hash, |other| hash_of(other) == hash).is_err());
        }
        index.clear();
        assert!(index.find(hash_of(7), |_| true).is_err());
    }

    #[test]
    fn refuses_to_grow_beyond_its_allowance() {
        let mut index = StateIndex::new();
        let mut number = 0;
        let most = 1 << 16;
        loop {
            let held = || (0..number).map(|number| (number, hash_of(number)));
            let allowance = most - index.bytes();
            if index.make_room(number as usize + 1, allowance, held).is_err() {
                break;
            }
            let slot = index.find(hash_of(number), |_| false).err().unwrap();
            index.insert(slot, number);
            number += 1;
            assert!(index.bytes() <= most);
        }
        // It was not refused while there was some left.
        assert!(number as usize * size_of::<u32>() > most / 2, "{number} states");
    }
}
