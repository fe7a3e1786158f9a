//! The open list of A*: buckets, since costs are small whole numbers.
//!
//! Dial (*Algorithm 360: shortest-path forest with topological ordering*, CACM 12, 1969) keeps one
//! bucket for each cost, so that adding and taking an entry cost no comparison. Here a level stands
//! for each f = g + h, and in it a stack for each h, of which the lowest is taken first: at equal f
//! the smaller h is the larger g. Within a stack the last comes first. Levels far above
//! the lowest wait in a sorted map, so that a few actions of great cost do no harm.
//!
//! An entry is 4 bytes: what stands at f and h has cost f - h, so that an entry whose node was
//! reached more cheaply since is told by its place.

use std::collections::BTreeMap;

/// Levels that are kept ready above the lowest; a power of two.
const NEAR: usize = 1 << 10;
/// Stacks of a level that are found by number; those of greater h stand in a sorted map.
const STACKS: usize = 1 << 14;

/// No block.
const NONE: u32 = u32::MAX;

/// Entries of a block: with the link it is a cache line.
const ENTRIES: usize = 15;
/// Least number of blocks by which room grows.
const LEAST_GROWTH: usize = 64;

/// A node that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::search) struct Waiting {
    /// Its number, less than 2^31.
    pub(in crate::search) id: u32,
    /// Some of its children were visited at this cost.
    pub(in crate::search) begun: bool,
}

impl Waiting {
    #[inline]
    fn word(self) -> u32 {
        self.id << 1 | u32::from(self.begun)
    }

    #[inline]
    fn of(word: u32) -> Waiting {
        Waiting { id: word >> 1, begun: word & 1 != 0 }
    }
}

/// Entries of a stack, and the block below.
#[derive(Clone, Copy)]
struct Block {
    below: u32,
    entries: [u32; ENTRIES],
}

/// The blocks of all stacks in one piece, so that a stack costs no allocation of its own; those that
/// were given back are used again first.
struct Pool {
    blocks: Vec<Block>,
    free: u32,
}

impl Pool {
    /// A block on top of another.
    #[inline]
    fn put(&mut self, below: u32, entry: u32) -> u32 {
        match self.blocks.get_mut(self.free as usize) {
            Some(block) => {
                let at = self.free;
                self.free = block.below;
                (block.below, block.entries[0]) = (below, entry);
                at
            }
            None => self.grow(below, entry),
        }
    }

    #[inline(never)]
    fn grow(&mut self, below: u32, entry: u32) -> u32 {
        if self.blocks.len() == self.blocks.capacity() {
            self.blocks.reserve_exact((self.blocks.len() / 4).max(LEAST_GROWTH));
        }
        let mut entries = [0; ENTRIES];
        entries[0] = entry;
        self.blocks.push(Block { below, entries });
        self.blocks.len() as u32 - 1
    }
}

/// The entries of one f and h.
#[derive(Clone, Copy)]
struct Stack {
    top: u32,
    /// Entries in the top block: none where there is no block, else at least one.
    len: u32,
}

impl Stack {
    const EMPTY: Stack = Stack { top: NONE, len: 0 };

    #[inline]
    fn push(&mut self, entry: u32, pool: &mut Pool) {
        let full = self.len as usize == ENTRIES;
        if full || self.len == 0 {
            *self = Stack { top: pool.put(self.top, entry), len: 1 };
        } else {
            pool.blocks[self.top as usize].entries[self.len as usize] = entry;
            self.len += 1;
        }
    }

    #[inline]
    fn top(self, pool: &Pool) -> Option<u32> {
        let at = self.len.checked_sub(1)?;
        Some(pool.blocks[self.top as usize].entries[at as usize])
    }

    #[inline]
    fn pop(&mut self, pool: &mut Pool) -> Option<u32> {
        let at = self.len.checked_sub(1)?;
        let block = &mut pool.blocks[self.top as usize];
        let entry = block.entries[at as usize];
        self.len = at;
        if at == 0 {
            let below = std::mem::replace(&mut block.below, pool.free);
            pool.free = self.top;
            *self = Stack { top: below, len: if below == NONE { 0 } else { ENTRIES as u32 } };
        }
        Some(entry)
    }
}

/// The stacks of one f.
#[derive(Default)]
struct Level {
    /// Entries in all stacks.
    len: usize,
    /// No stack below this one holds anything.
    first: usize,
    /// The stacks by h, as far as needed.
    stacks: Vec<Stack>,
    /// The stacks of greater h that hold something.
    high: BTreeMap<u32, Stack>,
}

impl Level {
    /// Adds an entry; the bytes that took beside the pool.
    #[inline]
    fn push(&mut self, h: u32, entry: u32, pool: &mut Pool) -> usize {
        let at = h as usize;
        if self.len == 0 || at < self.first {
            self.first = at;
        }
        self.len += 1;
        match self.stacks.get_mut(at) {
            Some(stack) => {
                stack.push(entry, pool);
                0
            }
            None => self.push_new(h, entry, pool),
        }
    }

    #[cold]
    fn push_new(&mut self, h: u32, entry: u32, pool: &mut Pool) -> usize {
        let at = h as usize;
        if at >= STACKS {
            self.high.entry(h).or_insert(Stack::EMPTY).push(entry, pool);
            return 0;
        }
        let before = self.stacks.capacity();
        self.stacks.resize(at + 1, Stack::EMPTY);
        self.stacks[at].push(entry, pool);
        (self.stacks.capacity() - before) * size_of::<Stack>()
    }

    /// The lowest h of an entry; there is one.
    #[inline]
    fn lowest(&mut self) -> u32 {
        while let Some(stack) = self.stacks.get(self.first)
            && stack.len == 0
        {
            self.first += 1;
        }
        if self.first < self.stacks.len() { self.first as u32 } else { self.lowest_high() }
    }

    #[cold]
    fn lowest_high(&self) -> u32 {
        *self.high.first_key_value().expect("an entry is somewhere").0
    }

    #[inline]
    fn top(&mut self, pool: &Pool) -> Option<(u32, u32)> {
        if self.len == 0 {
            return None;
        }
        let h = self.lowest();
        let stack = self.stacks.get(h as usize).or_else(|| self.high.get(&h));
        Some((h, stack?.top(pool)?))
    }

    #[inline]
    fn pop(&mut self, pool: &mut Pool) -> Option<(u32, u32)> {
        if self.len == 0 {
            return None;
        }
        let h = self.lowest();
        self.len -= 1;
        match self.stacks.get_mut(h as usize) {
            Some(stack) => Some((h, stack.pop(pool)?)),
            None => self.pop_high(h, pool),
        }
    }

    #[cold]
    fn pop_high(&mut self, h: u32, pool: &mut Pool) -> Option<(u32, u32)> {
        let stack = self.high.get_mut(&h)?;
        let entry = stack.pop(pool)?;
        if stack.len == 0 {
            self.high.remove(&h);
        }
        Some((h, entry))
    }
}

/// Nodes, to be taken in order of f, then h.
pub(in crate::search) struct OpenList {
    /// The levels by f modulo [`NEAR`]; the stacks of a level that was gone through serve the next
    /// one.
    near: Vec<Level>,
    pool: Pool,
    /// h and entry of what waits.
    far: BTreeMap<u32, Vec<(u32, u32)>>,
    /// The lowest f that may hold an entry.
    lowest: u32,
    len: usize,
    /// Bytes held beside the pool.
    bytes: usize,
}

impl OpenList {
    /// An empty list, for a start with the bound `h`.
    pub(in crate::search) fn new(h: u32) -> Self {
        OpenList {
            near: (0..NEAR).map(|_| Level::default()).collect(),
            pool: Pool { blocks: Vec::new(), free: NONE },
            far: BTreeMap::new(),
            lowest: h,
            len: 0,
            bytes: NEAR * size_of::<Level>(),
        }
    }

    /// Bytes held.
    pub(in crate::search) fn bytes(&self) -> usize {
        self.bytes + self.pool.blocks.capacity() * size_of::<Block>()
    }

    /// The lowest f of all entries, at least the last that was taken; `None` where there is none.
    #[inline]
    pub(in crate::search) fn lowest(&mut self) -> Option<u32> {
        if self.len == 0 {
            return None;
        }
        if self.near[self.lowest as usize % NEAR].len == 0 {
            self.advance();
        }
        Some(self.lowest)
    }

    /// Adds an entry for a node that costs `cost` and has the bound `h`. Where both together are
    /// below the lowest f (bounds are inconsistent then), h is raised: no plan costs less than the
    /// lowest f, so from here on none costs less than what that leaves.
    #[inline]
    pub(in crate::search) fn push(&mut self, cost: u32, h: u32, waiting: Waiting) {
        let f = (cost + h).max(self.lowest);
        let h = f - cost;
        self.len += 1;
        if f - self.lowest < NEAR as u32 {
            self.push_near(f, h, waiting.word());
        } else {
            self.push_far(f, h, waiting.word());
        }
    }

    #[inline]
    fn push_near(&mut self, f: u32, h: u32, entry: u32) {
        self.bytes += self.near[f as usize % NEAR].push(h, entry, &mut self.pool);
    }

    #[cold]
    fn push_far(&mut self, f: u32, h: u32, entry: u32) {
        let waiting = self.far.entry(f).or_default();
        let before = far_bytes(waiting);
        waiting.push((h, entry));
        self.bytes += far_bytes(waiting) - if before > FAR_ENTRY { before } else { 0 };
    }

    /// Takes the best entry of the lowest f that was told: its h, and the node. Unlike
    /// [`OpenList::lowest`] it never goes on to a higher f: entries of this f may still come.
    #[inline]
    pub(in crate::search) fn pop(&mut self) -> Option<(u32, Waiting)> {
        let level = &mut self.near[self.lowest as usize % NEAR];
        let (h, entry) = level.pop(&mut self.pool)?;
        self.len -= 1;
        Some((h, Waiting::of(entry)))
    }

    /// What [`OpenList::pop`] takes next.
    #[inline]
    pub(in crate::search) fn top(&mut self) -> Option<(u32, Waiting)> {
        let (h, entry) = self.near[self.lowest as usize % NEAR].top(&self.pool)?;
        Some((h, Waiting::of(entry)))
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
            for (h, entry) in waiting {
                self.push_near(f, h, entry);
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

    fn waiting(id: u32) -> Waiting {
        Waiting { id, begun: id.is_multiple_of(3) }
    }

    #[test]
    fn takes_in_order_of_f_then_h_and_the_last_first() {
        let mut open = OpenList::new(10);
        let mut word = 1u64;
        let mut entries: Vec<(u32, u32, u32)> = (0..5000)
            .map(|id| {
                word = crate::board::mix(word);
                let great = if word.is_multiple_of(7) { 1000 } else { 1 };
                let h = (word >> 32) as u32 % 60 * if word.is_multiple_of(11) { 400 } else { 1 };
                (10 + h + (word % 200) as u32 * great, h, id)
            })
            .collect();
        for &(f, h, id) in &entries {
            open.push(f - h, h, waiting(id));
        }
        let pop = || open.lowest().and_then(|f| open.pop().map(|(h, waiting)| (f, h, waiting)));
        let taken: Vec<_> = std::iter::from_fn(pop).collect();
        entries.sort_by_key(|&(f, h, id)| (f, h, u32::MAX - id));
        let expected: Vec<_> = entries.iter().map(|&(f, h, id)| (f, h, waiting(id))).collect();
        assert_eq!(taken, expected);
        assert_eq!(open.lowest(), None);
    }

    #[test]
    fn blocks_are_used_again() {
        let mut open = OpenList::new(0);
        for round in 0..50 {
            for id in 0..1000 {
                open.push(round, 7, waiting(id));
            }
            assert_eq!(open.lowest(), Some(round + 7));
            let taken = std::iter::from_fn(|| open.pop()).count();
            assert_eq!(taken, 1000);
        }
        assert!(open.pool.blocks.len() <= 1000 / ENTRIES + 1);
    }

    #[test]
    fn raises_what_is_below_the_lowest() {
        let mut open = OpenList::new(5);
        let [one, two] = [1, 2].map(waiting);
        open.push(6, 3, one);
        assert_eq!((open.pop(), open.lowest(), open.pop()), (None, Some(9), Some((3, one))));
        open.push(4, 3, two);
        assert_eq!((open.lowest(), open.pop(), open.lowest()), (Some(9), Some((5, two)), None));
    }

    #[test]
    fn stays_at_an_f_until_the_next_is_asked_for() {
        let mut open = OpenList::new(5);
        let [one, two, three] = [1, 2, 3].map(waiting);
        open.push(2, 3, one);
        open.push(6, 3, two);
        assert_eq!((open.lowest(), open.pop(), open.pop()), (Some(5), Some((3, one)), None));
        open.push(3, 2, three);
        assert_eq!(
            (open.lowest(), open.pop(), open.lowest()),
            (Some(5), Some((2, three)), Some(9))
        );
    }
}
