//! Signs of life: what tells that every worker of a process gets on.
//!
//! A worker raises a count of its own while it works, and while it waits for the others. A process that
//! is frozen raises none, nor does one of which a worker is stuck. Who passes that on to the other
//! processes ([`Signs::are_new`]) decides for how long it may last.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Time after which a worker that waits looks up.
pub(super) const WAIT: Duration = Duration::from_millis(100);
/// Count of a worker that does what cannot be divided: making a space, enlarging a table.
const HELD: u64 = u64::MAX;

/// The counts of all workers of a process.
#[derive(Debug, Clone)]
pub struct Signs(Arc<[AtomicU64]>);

/// The count of one worker.
pub(super) struct Sign {
    all: Arc<[AtomicU64]>,
    worker: usize,
}

impl Signs {
    /// Counts of `workers` workers, all 0.
    pub(super) fn new(workers: usize) -> Signs {
        Signs((0..workers).map(|_| AtomicU64::new(0)).collect())
    }

    /// The sign of one worker.
    pub(super) fn of(&self, worker: usize) -> Sign {
        Sign { all: Arc::clone(&self.0), worker }
    }

    /// Whether each worker has given a sign since this was true last; `seen` is what was seen then, at
    /// first nothing.
    pub fn are_new(&self, seen: &mut Vec<u64>) -> bool {
        let now: Vec<u64> = self.0.iter().map(|count| count.load(Ordering::Relaxed)).collect();
        seen.resize(now.len(), 0);
        let is_new = now.iter().zip(&*seen).all(|(now, seen)| *now == HELD || now != seen);
        if is_new {
            *seen = now;
        }
        is_new
    }
}

impl Sign {
    /// Gives a sign of life.
    #[inline]
    pub(super) fn give(&self) {
        // No other thread writes it.
        let count = &self.all[self.worker];
        count.store(count.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
    }

    /// Counts as alive until it gives the next one: something follows that may take long and cannot be
    /// divided.
    pub(super) fn hold(&self) {
        self.all[self.worker].store(HELD, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_workers_have_to_give_signs() {
        let signs = Signs::new(2);
        let (first, second) = (signs.of(0), signs.of(1));
        let mut seen = Vec::new();
        assert!(!signs.are_new(&mut seen));
        first.give();
        assert!(!signs.are_new(&mut seen), "the second is stuck");
        second.give();
        assert!(signs.are_new(&mut seen));
        assert!(!signs.are_new(&mut seen), "these were seen");
        first.give();
        second.hold();
        for _ in 0..2 {
            first.give();
            assert!(signs.are_new(&mut seen), "the second does something that takes long");
        }
        first.give();
        second.give();
        assert!(signs.are_new(&mut seen), "the second gets on");
        assert!(!signs.are_new(&mut seen));
    }
}
