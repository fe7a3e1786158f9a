//! The open list of A*: buckets, since costs are small whole numbers.
//!
//! Dial (*Algorithm 360: shortest-path forest with topological ordering*, CACM 12, 1969) keeps one
//! bucket for each cost, so that adding and taking an entry cost no comparison. Here a level stands
//! for each f = g + h, and in it a stack for each h, of which the lowest is taken first: at equal f
//! the smaller h is the larger g. Within a stack the last comes first.  Levels far above
//! the lowest wait in a sorted map, so that a few actions of great cost do no harm.

use std::collections::BTreeMap;

/// Levels that are kept ready above the lowest; a power of two.
const NEAR: usize = 1 << 10;
/// Most stacks of a level; greater h share the last.
const STACKS: usize = 1 << 14;

/// No entry.
const NONE: u32 = u32::MAX;

/// A node in a stack, and the place of the one below it.
#[derive(Clone, Copy)]
struct Entry {
    id: u32,
    below: u32,
}

/// The entries of all stacks in one piece, so that a stack costs no allocation of its own; places
/// that were given back are used again first.
struct Pool {
    entries: Vec<Entry>,
    free: u32,
}

impl Pool {
    #[inline]
    fn put(&mut self, entry: Entry) -> u32 {
        match self.entries.get_mut(self.free as usize) {
            Some(place) => {
                let at = self.free;
                self.free = place.below;
                *place = entry;
                at
            }
            None => {
                self.entries.push(entry);
                self.entries.len() as u32 - 1
            }
        }
    }

    #[inline]
    fn take(&mut self, at: u32) -> Entry {
        let entry = self.entries[at as usize];
        self.entries[at as usize].below = self.free;
        self.free = at;
        entry
    }
}

/// The stacks of one f.
#[derive(Default)]
struct Level {
    /// Entries in all stacks.
    len: usize,
    /// No stack below this one holds anything.
    first: usize,
    /// The top of each stack, by h, as far as needed.
    tops: Vec<u32>,
}

impl Level {
    /// Adds an entry; the bytes that took beside the pool.
    #[inline]
    fn push(&mut self, h: u32, id: u32, pool: &mut Pool) -> usize {
        let at = (h as usize).min(STACKS - 1);
        let mut grown = 0;
        if at >= self.tops.len() {
            let before = self.tops.capacity();
            self.tops.resize(at + 1, NONE);
            grown = (self.tops.capacity() - before) * size_of::<u32>();
        }
        self.first = if self.len == 0 { at } else { self.first.min(at) };
        self.len += 1;
        let below = self.tops[at];
        self.tops[at] = pool.put(Entry { id, below });
        grown
    }

    #[inline]
    fn top(&mut self, pool: &Pool) -> Option<u32> {
        while *self.tops.get(self.first)? == NONE {
            self.first += 1;
        }
        Some(pool.entries[self.tops[self.first] as usize].id)
    }

    #[inline]
    fn pop(&mut self, pool: &mut Pool) -> Option<u32> {
        while *self.tops.get(self.first)? == NONE {
            self.first += 1;
        }
        let Entry { id, below } = pool.take(self.tops[self.first]);
        self.tops[self.first] = below;
        self.len -= 1;
        Some(id)
    }
}

/// Node ids, to be taken in order of f, then h.
pub(super) struct OpenList {
    /// By f modulo [`NEAR`]; the stacks of a level that was gone through serve the next one.
    near: Vec<Level>,
    pool: Pool,
    /// h and id of what waits.
    far: BTreeMap<u32, Vec<(u32, u32)>>,
    /// The lowest f that may hold an entry.
    lowest: u32,
    len: usize,
    /// Bytes held beside the pool.
    bytes: usize,
}

impl OpenList {
    /// An empty list, for a start with the bound `h`.
    pub(super) fn new(h: u32) -> Self {
        OpenList {
            near: (0..NEAR).map(|_| Level::default()).collect(),
            pool: Pool { entries: Vec::new(), free: NONE },
            far: BTreeMap::new(),
            lowest: h,
            len: 0,
            bytes: NEAR * size_of::<Level>(),
        }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.bytes + self.pool.entries.capacity() * size_of::<Entry>()
    }

    /// The lowest f of all entries, at least the last that was taken; `None` where there is none.
    #[inline]
    pub(super) fn lowest(&mut self) -> Option<u32> {
        if self.len == 0 {
            return None;
        }
        if self.near[self.lowest as usize % NEAR].len == 0 {
            self.advance();
        }
        Some(self.lowest)
    }

    /// Adds an entry. An f below the lowest (where bounds are inconsistent) is raised to it, which
    /// is as good a bound: no plan can cost less than the lowest. Returns the f it stands at.
    #[inline]
    pub(super) fn push(&mut self, f: u32, h: u32, id: u32) -> u32 {
        let f = f.max(self.lowest);
        self.len += 1;
        if f - self.lowest < NEAR as u32 {
            self.push_near(f, h, id);
        } else {
            self.push_far(f, h, id);
        }
        f
    }

    #[inline]
    fn push_near(&mut self, f: u32, h: u32, id: u32) {
        self.bytes += self.near[f as usize % NEAR].push(h, id, &mut self.pool);
    }

    #[cold]
    fn push_far(&mut self, f: u32, h: u32, id: u32) {
        let waiting = self.far.entry(f).or_default();
        let before = far_bytes(waiting);
        waiting.push((h, id));
        self.bytes += far_bytes(waiting) - if before > FAR_ENTRY { before } else { 0 };
    }

    /// Takes the best entry of the lowest f that was told. Unlike [`OpenList::lowest`] it never goes
    /// on to a higher f: entries of this f may still come.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<u32> {
        let level = &mut self.near[self.lowest as usize % NEAR];
        if level.len == 0 {
            return None;
        }
        self.len -= 1;
        level.pop(&mut self.pool)
    }

    /// What [`OpenList::pop`] takes next.
    #[inline]
    pub(super) fn top(&mut self) -> Option<u32> {
        let level = &mut self.near[self.lowest as usize % NEAR];
        if level.len == 0 { None } else { level.top(&self.pool) }
    }

    /// Goes on to the next level that holds something; there is one.
    #[cold]
    fn advance(&mut self) {
        let waiting = (1..NEAR as u32)
            .find(|up| self.near[(self.lowest.wrapping_add(*up)) as usize % NEAR].len != 0);
        self.lowest = match waiting {
            Some(up) => self.lowest + up,
            None => *self.far.first_key_value().expect("an entry is somewhere").0,
        };
        while let Some(first) = self.far.first_entry()
            && first.key() - self.lowest < NEAR as u32
        {
            let (f, waiting) = first.remove_entry();
            self.bytes -= far_bytes(&waiting);
            for (h, id) in waiting {
                self.push_near(f, h, id);
            }
        }
    }
}

/// Bytes of an entry of the sorted map, about.
const FAR_ENTRY: usize = 2 * (size_of::<u32>() + size_of::<Vec<(u32, u32)>>());

/// Bytes of what waits at one f.
fn far_bytes(waiting: &Vec<(u32, u32)>) -> usize {
    FAR_ENTRY + waiting.capacity() * size_of::<(u32, u32)>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_in_order_of_f_then_h() {
        let mut open = OpenList::new(10);
        let mut word = 1u64;
        let mut entries: Vec<(u32, u32)> = (0..3000)
            .map(|_| {
                word = crate::board::mix(word);
                let f = 10 + (word % 200) as u32 * if word.is_multiple_of(7) { 1000 } else { 1 };
                (f, (word >> 32) as u32 % 60)
            })
            .collect();
        for (id, &(f, h)) in entries.iter().enumerate() {
            open.push(f, h, id as u32);
        }
        let pop = || open.lowest().and_then(|_| open.pop());
        let taken: Vec<_> = std::iter::from_fn(pop).map(|id| entries[id as usize]).collect();
        entries.sort();
        assert_eq!(taken, entries);
        assert_eq!(open.lowest(), None);
    }

    #[test]
    fn raises_what_is_below_the_lowest() {
        let mut open = OpenList::new(5);
        open.push(9, 3, 1);
        assert_eq!((open.pop(), open.lowest(), open.pop()), (None, Some(9), Some(1)));
        open.push(7, 3, 2);
        assert_eq!((open.lowest(), open.pop(), open.lowest()), (Some(9), Some(2), None));
    }

    #[test]
    fn stays_at_an_f_until_the_next_is_asked_for() {
        let mut open = OpenList::new(5);
        open.push(5, 3, 1);
        open.push(9, 3, 2);
        assert_eq!((open.lowest(), open.pop(), open.pop()), (Some(5), Some(1), None));
        open.push(5, 2, 3);
        assert_eq!((open.lowest(), open.pop(), open.lowest()), (Some(5), Some(3), Some(9)));
    }
}
