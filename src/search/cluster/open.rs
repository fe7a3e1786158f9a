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

/// A stack for each f and h: at the lowest f the lowest h is taken first, and of a stack the last.
pub(super) struct OpenList {
    stacks: BTreeMap<(u32, u32), Vec<Waiting>>,
    bytes: usize,
}

impl OpenList {
    pub(super) fn new() -> Self {
        OpenList { stacks: BTreeMap::new(), bytes: 0 }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Adds an entry on top of its stack.
    pub(super) fn push(&mut self, f: u32, h: u32, waiting: Waiting) {
        let stack = self.stacks.entry((f, h)).or_default();
        let before = stack_bytes(stack);
        stack.push(waiting);
        let after = stack_bytes(stack);
        self.bytes += if stack.len() == 1 { after } else { after - before };
    }

    /// What is taken next: its f, its stack, and itself.
    pub(super) fn top(&self) -> Option<(u32, u32, Waiting)> {
        let (&(f, stack), waiting) = self.stacks.first_key_value()?;
        waiting.last().map(|&last| (f, stack, last))
    }

    /// Takes it.
    pub(super) fn pop(&mut self) {
        if let Some(mut first) = self.stacks.first_entry() {
            first.get_mut().pop();
            if first.get().is_empty() {
                self.bytes -= stack_bytes(&first.remove());
            }
        }
    }
}

/// Bytes of a stack and its place in the map, about.
fn stack_bytes(stack: &Vec<Waiting>) -> usize {
    stack.capacity() * size_of::<Waiting>() + 2 * size_of::<((u32, u32), Vec<Waiting>)>()
}
