//! The open list of one worker.

use std::collections::BTreeMap;

/// A state that waits, and when it began to.
#[derive(Clone, Copy)]
pub(super) struct Waiting {
    pub(super) id: u32,
    stamp: [u32; 2],
}

impl Waiting {
    pub(super) fn new(id: u32, stamp: u64) -> Self {
        Waiting { id, stamp: [(stamp >> 32) as u32, stamp as u32] }
    }

    /// Of two that wait, the one with the greater stamp came later.
    pub(super) fn stamp(self) -> u64 {
        u64::from(self.stamp[0]) << 32 | u64::from(self.stamp[1])
    }
}

/// Stacks of a level that are found by number; those of greater h stand in a sorted map.
const STACKS: usize = 1 << 14;

/// The stacks of one f.
#[derive(Default)]
struct Level {
    /// Entries in all stacks.
    len: usize,
    /// No stack below this one holds anything.
    first: usize,
    /// The stacks by h, as far as needed.
    stacks: Vec<Vec<Waiting>>,
    /// The stacks of greater h that hold something.
    high: BTreeMap<u32, Vec<Waiting>>,
}

impl Level {
    /// Adds an entry; the bytes that took.
    #[inline]
    fn push(&mut self, h: u32, waiting: Waiting) -> usize {
        let at = h as usize;
        if self.len == 0 || at < self.first {
            self.first = at;
        }
        self.len += 1;
        match self.stacks.get_mut(at) {
            Some(stack) if stack.len() < stack.capacity() => {
                stack.push(waiting);
                0
            }
            _ => self.push_growing(h, waiting),
        }
    }

    #[cold]
    fn push_growing(&mut self, h: u32, waiting: Waiting) -> usize {
        let at = h as usize;
        let before = self.stacks.capacity() * size_of::<Vec<Waiting>>();
        let (stack, map_bytes) = if at < STACKS {
            if self.stacks.len() <= at {
                self.stacks.resize_with(at + 1, Vec::new);
            }
            (&mut self.stacks[at], 0)
        } else {
            let stack = self.high.entry(h).or_default();
            let is_new = stack.is_empty();
            (stack, if is_new { HIGH_BYTES } else { 0 })
        };
        let of_stack = stack_bytes(stack);
        stack.push(waiting);
        let grown = stack_bytes(stack) - of_stack;
        self.stacks.capacity() * size_of::<Vec<Waiting>>() - before + grown + map_bytes
    }

    /// The lowest h of an entry, and the last one that came with it.
    #[inline]
    fn top(&mut self) -> Option<(u32, Waiting)> {
        if self.len == 0 {
            return None;
        }
        while self.stacks.get(self.first).is_some_and(Vec::is_empty) {
            self.first += 1;
        }
        match self.stacks.get(self.first) {
            Some(stack) => stack.last().map(|&last| (self.first as u32, last)),
            None => self.high.iter().next().and_then(|(&h, stack)| Some((h, *stack.last()?))),
        }
    }

    /// Takes what [`Level::top`] has just told; the bytes that this frees.
    #[inline]
    fn pop(&mut self) -> usize {
        self.len -= 1;
        if let Some(stack) = self.stacks.get_mut(self.first) {
            stack.pop();
            return 0;
        }
        let Some(mut first) = self.high.first_entry() else { return 0 };
        first.get_mut().pop();
        match first.get().is_empty() {
            true => HIGH_BYTES + stack_bytes(&first.remove()),
            false => 0,
        }
    }

    /// Bytes held.
    fn bytes(&self) -> usize {
        let stacks: usize = self.stacks.iter().map(stack_bytes).sum();
        let high: usize = self.high.values().map(|stack| HIGH_BYTES + stack_bytes(stack)).sum();
        self.stacks.capacity() * size_of::<Vec<Waiting>>() + stacks + high
    }
}

/// A stack for each f and h: at the lowest f the lowest h is taken first, and of a stack the last. Unlike
/// the open list of one process it may get something below its lowest f, from another worker.
pub(super) struct OpenList {
    levels: BTreeMap<u32, Level>,
    bytes: usize,
}

impl OpenList {
    pub(super) fn new() -> Self {
        OpenList { levels: BTreeMap::new(), bytes: 0 }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Adds an entry on top of its stack.
    pub(super) fn push(&mut self, f: u32, h: u32, waiting: Waiting) {
        let level = self.levels.entry(f).or_insert_with(|| {
            self.bytes += LEVEL_BYTES;
            Level::default()
        });
        self.bytes += level.push(h, waiting);
    }

    /// What is taken next: its f, its h, and itself.
    pub(super) fn top(&mut self) -> Option<(u32, u32, Waiting)> {
        let mut first = self.levels.first_entry()?;
        let (h, waiting) = first.get_mut().top()?;
        Some((*first.key(), h, waiting))
    }

    /// Takes what [`OpenList::top`] has just told.
    pub(super) fn pop(&mut self) {
        if let Some(mut first) = self.levels.first_entry() {
            self.bytes -= first.get_mut().pop();
            if first.get().len == 0 {
                self.bytes -= LEVEL_BYTES + first.remove().bytes();
            }
        }
    }
}

/// Bytes of a level, and of a stack in a sorted map, with their places in the map, about.
const LEVEL_BYTES: usize = 2 * size_of::<(u32, Level)>();
const HIGH_BYTES: usize = 2 * size_of::<(u32, Vec<Waiting>)>();

/// Bytes of the entries of a stack.
fn stack_bytes(stack: &Vec<Waiting>) -> usize {
    stack.capacity() * size_of::<Waiting>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_in_order_of_f_then_h_and_the_last_first() {
        let mut open = OpenList::new();
        let mut word = 1;
        let mut entries = Vec::new();
        for id in 0..5000 {
            word = crate::board::mix(word);
            let far = if word.is_multiple_of(11) { STACKS as u32 } else { 1 };
            let (f, h) = ((word % 40) as u32, (word >> 32) as u32 % 60 * far);
            open.push(f, h, Waiting::new(id, 0));
            entries.push((f, h, u32::MAX - id));
            if id % 5 == 4 {
                entries.sort_unstable();
                let first = open.top().map(|(f, h, waiting)| (f, h, u32::MAX - waiting.id));
                assert_eq!(first, Some(entries.remove(0)));
                open.pop();
            }
        }
        entries.sort_unstable();
        for entry in entries {
            let first = open.top().map(|(f, h, waiting)| (f, h, u32::MAX - waiting.id));
            assert_eq!(first, Some(entry));
            open.pop();
        }
        assert!(open.top().is_none());
        assert_eq!(open.bytes(), 0);
    }
}
