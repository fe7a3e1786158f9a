//! Packed nodes under 32-bit ids.
//!
//! A plain vector doubles, and so may need three times what it holds; this one grows by chunks that
//! never move, so that a search can fill its memory budget.

/// log2 of the entries of a chunk.
const CHUNK_BITS: u32 = 12;
const CHUNK: usize = 1 << CHUNK_BITS;

/// A growing sequence of entries that are named by their place.
pub(super) struct Arena<T> {
    chunks: Vec<Vec<T>>,
    len: u32,
}

impl<T> Arena<T> {
    /// An empty arena.
    pub(super) fn new() -> Self {
        Arena { chunks: Vec::new(), len: 0 }
    }

    /// Number of entries, and the id of the next.
    pub(super) fn len(&self) -> u32 {
        self.len
    }

    /// Adds an entry and returns its id.
    pub(super) fn push(&mut self, entry: T) -> u32 {
        let id = self.len;
        if id as usize & (CHUNK - 1) == 0 {
            // The first chunk grows as needed: many searches are small.
            let room = if id == 0 { 16 } else { CHUNK };
            self.chunks.push(Vec::with_capacity(room));
        }
        self.chunks[(id >> CHUNK_BITS) as usize].push(entry);
        self.len += 1;
        id
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        let first = self.chunks.first().map_or(0, Vec::capacity);
        (first + self.chunks.len().saturating_sub(1) * CHUNK) * size_of::<T>()
    }
}

impl<T> std::ops::Index<u32> for Arena<T> {
    type Output = T;
    #[inline]
    fn index(&self, id: u32) -> &T {
        &self.chunks[(id >> CHUNK_BITS) as usize][id as usize & (CHUNK - 1)]
    }
}

impl<T> std::ops::IndexMut<u32> for Arena<T> {
    #[inline]
    fn index_mut(&mut self, id: u32) -> &mut T {
        &mut self.chunks[(id >> CHUNK_BITS) as usize][id as usize & (CHUNK - 1)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_entries_over_chunks() {
        let mut arena = Arena::new();
        let count = 3 * CHUNK as u32 + 7;
        for i in 0..count {
            assert_eq!(arena.push(u64::from(i) * 3), i);
        }
        arena[CHUNK as u32] += 1;
        assert_eq!(arena.len(), count);
        assert!((0..count).all(|i| arena[i] == u64::from(i) * 3 + u64::from(i == CHUNK as u32)));
        assert_eq!(arena.bytes(), 4 * CHUNK * 8);
    }
}
