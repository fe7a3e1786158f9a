//! Keys of states that earlier layers of a beam have held, in fixed memory.
//!
//! A set-associative table, as processors' caches are: a key may stand in one bucket of eight, and
//! a full bucket forgets its oldest key. Forgetting costs work, never a wrong plan.

use rayon::prelude::*;

/// Keys of a bucket: a cache line.
const WAYS: usize = 8;
/// Upper limit of the buckets, so that they can be counted where words have 32 bits, too.
const MAX_BUCKETS: usize = 1 << (usize::BITS - 8);
/// Xored to keys, so that the two that share a place in the table, since 0 means an empty one, are
/// not small numbers.
const FLIP: u64 = 0xd1b5_4a32_d192_ed03;

/// A set of keys that forgets the oldest.
pub(in crate::search) struct TranspositionTable {
    keys: Vec<u64>,
    /// 64 - log2 of the number of buckets.
    shift: u32,
}

impl TranspositionTable {
    /// A table of at most `bytes` bytes, and for not many more than `wanted` keys.
    pub(in crate::search) fn new(bytes: usize, wanted: usize) -> Self {
        let most = (bytes / size_of::<u64>() / WAYS).max(2);
        let buckets = wanted.div_ceil(WAYS).clamp(2, MAX_BUCKETS).next_power_of_two();
        let buckets = if buckets > most { 1 << most.ilog2() } else { buckets };
        TranspositionTable { keys: vec![0; buckets * WAYS], shift: 64 - buckets.ilog2() }
    }

    /// Bytes held.
    pub(in crate::search) fn bytes(&self) -> usize {
        self.keys.len() * size_of::<u64>()
    }

    /// The key as it is stored, 0 being an empty place, and its bucket.
    #[inline]
    fn place(&self, key: u64) -> (u64, usize) {
        let key = (key ^ FLIP).max(1);
        (key, (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize)
    }

    /// Whether the key is remembered.
    #[inline]
    pub(in crate::search) fn contains(&self, key: u64) -> bool {
        let (key, bucket) = self.place(key);
        self.keys[bucket * WAYS..][..WAYS].contains(&key)
    }

    /// As [`TranspositionTable::insert`], on this thread alone.
    #[cfg(feature = "cluster")]
    pub(in crate::search) fn insert_here(&mut self, keys: &[u64]) {
        for &key in keys {
            let (key, bucket) = self.place(key);
            let ways = &mut self.keys[bucket * WAYS..][..WAYS];
            ways.copy_within(..WAYS - 1, 1);
            ways[0] = key;
        }
    }

    /// Remembers keys that are not in the table yet, in their order. Threads share the buckets out
    /// among them, so the result does not depend on their number.
    pub(in crate::search) fn insert(&mut self, keys: &[u64]) {
        let parts = if keys.len() < 1 << 12 { 1 } else { rayon::current_num_threads() };
        let buckets = (self.keys.len() / WAYS).div_ceil(parts);
        let places: Vec<_> =
            keys.par_iter().with_min_len(1 << 10).map(|&k| self.place(k)).collect();
        self.keys.par_chunks_mut(buckets * WAYS).enumerate().for_each(|(part, table)| {
            let mine = part * buckets..(part + 1) * buckets;
            for &(key, bucket) in places.iter().filter(|(_, bucket)| mine.contains(bucket)) {
                let ways = &mut table[(bucket - mine.start) * WAYS..][..WAYS];
                ways.copy_within(..WAYS - 1, 1);
                ways[0] = key;
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remembers_until_it_forgets_the_oldest() {
        let mut transposition_table = TranspositionTable::new(1 << 20, 10_000);
        let keys: Vec<u64> = (0..500).map(crate::board::mix).chain([0, 1]).collect();
        transposition_table.insert(&keys);
        assert!(keys.iter().all(|&key| transposition_table.contains(key)));
        assert!(!transposition_table.contains(7));
        let mut small = TranspositionTable::new(0, 1000);
        small.insert(&keys);
        assert_eq!(small.bytes(), 2 * WAYS * size_of::<u64>());
        assert_eq!(keys.iter().filter(|&&key| small.contains(key)).count(), 2 * WAYS);
        assert!(small.contains(keys[501]));
    }
}
