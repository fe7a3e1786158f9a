//! States as words, in one pool.

use super::super::tables::Full;

/// Bits of a place for where in its chunk a state is.
const OFFSET_BITS: u32 = 16;
/// Upper limit of the words of a chunk, but for a single state that is larger.
const CHUNK: usize = 1 << OFFSET_BITS;
/// Upper limit of the chunks: what says where a state is has 31 bits.
const MOST_CHUNKS: usize = 1 << (31 - OFFSET_BITS);

/// Least number of entries by which to grow.
const LEAST_GROWTH: usize = 64;

/// States as words. Each begins with the number of its words; the room of those that are not needed
/// any more goes to others of as many. Chunks stay where they are, so that nothing is ever copied.
pub(super) struct PackedStates {
    chunks: Vec<Vec<u64>>,
    /// Words that the chunks have room for.
    room: usize,
    /// Where there is room, by the number of words.
    free: Vec<Vec<u32>>,
}

impl PackedStates {
    pub(super) fn new() -> Self {
        PackedStates { chunks: Vec::new(), room: 0, free: Vec::new() }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        let free: usize = self.free.iter().map(|places| places.capacity() * size_of::<u32>()).sum();
        self.room * size_of::<u64>()
            + self.chunks.capacity() * size_of::<Vec<u64>>()
            + self.free.capacity() * size_of::<Vec<u32>>()
            + free
    }

    /// Whether there is room for a state of `count` words.
    #[inline]
    pub(super) fn has_room(&self, count: usize) -> bool {
        self.chunks.last().is_some_and(|chunk| chunk.capacity() - chunk.len() > count)
            || self.free.get(count).is_some_and(|places| !places.is_empty())
    }

    /// Makes room for a state of `count` words, with at most `bytes` more bytes.
    #[cold]
    pub(super) fn make_room(&mut self, count: usize, bytes: usize) -> Result<(), Full> {
        let room = bytes / size_of::<u64>();
        if room <= count || self.chunks.len() == MOST_CHUNKS {
            return Err(Full);
        }
        let words = growth(self.room, room)?.clamp(count + 1, CHUNK.max(count + 1));
        self.chunks.push(Vec::with_capacity(words));
        self.room += self.chunks.last().map_or(0, Vec::capacity);
        Ok(())
    }

    /// Adds a state for which there is room; where it is.
    pub(super) fn add(&mut self, state: &[u64]) -> u32 {
        if let Some(at) = self.free.get_mut(state.len()).and_then(Vec::pop) {
            let (chunk, offset) = parts(at);
            self.chunks[chunk][offset + 1..][..state.len()].copy_from_slice(state);
            return at;
        }
        let chunks = self.chunks.len();
        let chunk = self.chunks.last_mut().expect("room was made");
        let at = (chunks as u32 - 1) << OFFSET_BITS | chunk.len() as u32;
        chunk.push(state.len() as u64);
        chunk.extend_from_slice(state);
        at
    }

    /// The state at a place.
    #[inline]
    pub(super) fn get(&self, at: u32) -> &[u64] {
        let (chunk, offset) = parts(at);
        let (count, rest) = self.chunks[chunk][offset..].split_first().expect("a state");
        &rest[..*count as usize]
    }

    /// Gives the room of a state to others.
    pub(super) fn remove(&mut self, at: u32) {
        let count = self.get(at).len();
        if self.free.len() <= count {
            self.free.resize_with(count + 1, Vec::new);
        }
        self.free[count].push(at);
    }
}

/// The chunk of a place, and where in it that is.
#[inline]
fn parts(at: u32) -> (usize, usize) {
    ((at >> OFFSET_BITS) as usize, at as usize & (CHUNK - 1))
}

/// Number of entries to grow by, where there is room for `room` more.
pub(super) fn growth(entries: usize, room: usize) -> Result<usize, Full> {
    match (entries / 2).max(LEAST_GROWTH).min(room) {
        0 => Err(Full),
        more => Ok(more),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_used_again_for_as_many_words() {
        let mut states = PackedStates::new();
        let add = |states: &mut PackedStates, state: &[u64]| {
            assert!(states.make_room(state.len(), 4096).is_ok());
            states.add(state)
        };
        let (first, second) = (add(&mut states, &[1, 2, 3]), add(&mut states, &[4]));
        let empty = add(&mut states, &[]);
        states.remove(first);
        assert_ne!(add(&mut states, &[5, 6]), first);
        assert_eq!(add(&mut states, &[7, 8, 9]), first);
        assert_eq!((states.get(first), states.get(second)), (&[7, 8, 9][..], &[4][..]));
        assert!(states.get(empty).is_empty());
    }

    #[test]
    fn no_more_room_is_made_than_is_left() {
        let mut states = PackedStates::new();
        assert!(states.make_room(100, 100 * size_of::<u64>()).is_err());
        assert!(states.make_room(100, 101 * size_of::<u64>()).is_ok());
        assert!(states.has_room(100) && !states.has_room(101));
    }

    #[test]
    fn many_states_and_large_ones_stay_where_they_are() {
        let mut states = PackedStates::new();
        let state = |number: u64| vec![number; (number % 7) as usize * 20_000 / 6 + 1];
        let mut places = Vec::new();
        for number in (0..100).chain([1000]) {
            let words = if number == 1000 { vec![9; 2 * CHUNK] } else { state(number) };
            assert!(states.has_room(words.len()) || states.make_room(words.len(), 1 << 30).is_ok());
            places.push(states.add(&words));
        }
        for (number, &at) in (0..100).zip(&places) {
            assert_eq!(states.get(at), state(number));
        }
        assert_eq!(states.get(places[100]).len(), 2 * CHUNK);
    }
}
