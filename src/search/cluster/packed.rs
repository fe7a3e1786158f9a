//! States as words, in one pool.

use super::super::state_registry::Full;
use super::table::growth;

/// Words of the pool at most: what says where a state is has 31 bits.
const MOST_WORDS: usize = 1 << 31;

/// States as words. Each begins with the number of its words; the room of those that are not needed
/// any more goes to others of as many.
pub(super) struct PackedStates {
    words: Vec<u64>,
    /// Where there is room, by the number of words.
    free: Vec<Vec<u32>>,
}

impl PackedStates {
    pub(super) fn new() -> Self {
        PackedStates { words: Vec::new(), free: Vec::new() }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        let free: usize = self.free.iter().map(|places| places.capacity() * size_of::<u32>()).sum();
        self.words.capacity() * size_of::<u64>()
            + self.free.capacity() * size_of::<Vec<u32>>()
            + free
    }

    /// Whether there is room for a state of so many words.
    #[inline]
    pub(super) fn has_room(&self, count: usize) -> bool {
        self.words.capacity() - self.words.len() > count
            || self.free.get(count).is_some_and(|places| !places.is_empty())
    }

    /// Makes room for a state of so many words in so many bytes more.
    #[cold]
    pub(super) fn make_room(&mut self, count: usize, bytes: usize) -> Result<(), Full> {
        let room = (bytes / size_of::<u64>()).min(MOST_WORDS - self.words.len());
        self.words.reserve_exact(growth(self.words.len().max(2 * (count + 1)), room)?);
        if self.has_room(count) { Ok(()) } else { Err(Full) }
    }

    /// Adds a state for which there is room; where it is.
    pub(super) fn add(&mut self, state: &[u64]) -> u32 {
        if let Some(at) = self.free.get_mut(state.len()).and_then(Vec::pop) {
            self.words[at as usize + 1..][..state.len()].copy_from_slice(state);
            return at;
        }
        let at = self.words.len() as u32;
        self.words.push(state.len() as u64);
        self.words.extend_from_slice(state);
        at
    }

    /// The state at a place.
    pub(super) fn get(&self, at: u32) -> &[u64] {
        let (count, rest) = self.words[at as usize..].split_first().expect("a state");
        &rest[..*count as usize]
    }

    /// Gives the room of a state to others.
    pub(super) fn remove(&mut self, at: u32) {
        let count = self.words[at as usize] as usize;
        if self.free.len() <= count {
            self.free.resize_with(count + 1, Vec::new);
        }
        self.free[count].push(at);
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
        assert!(states.make_room(100, 200 * size_of::<u64>()).is_ok());
        assert!(states.bytes() <= 203 * size_of::<u64>());
    }
}
