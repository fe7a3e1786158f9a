//! The threads of a search: one leads, the others help with the phases that it shares out.
//!
//! A phase of a small round takes less time than it takes to wake a thread up. So a helper that has
//! nothing to do stays awake for a while before it sleeps; and the leader takes part itself and waits
//! for nobody who has not begun.

use super::super::Space;
use super::super::clock::Instant;
use super::work::Work;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Time for which a helper that waits does not sleep.
const WAKEFUL: Duration = Duration::from_micros(300);
/// Looks at what is waited for before the thread gives way to others.
const LOOKS: u32 = 200;

/// The work of the phase that is under way, where there is one.
struct Job<S: Space>(Option<Arc<Work<S>>>);

/// What the threads of a search know of each other.
pub(super) struct Team<S: Space> {
    job: Mutex<Job<S>>,
    changed: Condvar,
    /// Phases so far.
    phase: AtomicU64,
    is_over: AtomicBool,
    /// Helpers that sleep.
    asleep: AtomicU32,
    /// Bytes of the helpers' working memory.
    bytes: Arc<AtomicUsize>,
}

/// Sends the helpers home when it goes.
pub(super) struct Open<'a, S: Space>(&'a Team<S>);

impl<S: Space> Drop for Open<'_, S> {
    fn drop(&mut self) {
        let job = self.0.locked();
        self.0.is_over.store(true, Ordering::Release);
        drop(job);
        self.0.changed.notify_all();
    }
}

impl<S: Space> Team<S> {
    /// A team that has not met. The bytes of its helpers' working memory are told there.
    pub(super) fn new(bytes: Arc<AtomicUsize>) -> Self {
        Team {
            job: Mutex::new(Job(None)),
            changed: Condvar::new(),
            phase: AtomicU64::new(0),
            is_over: AtomicBool::new(false),
            asleep: AtomicU32::new(0),
            bytes,
        }
    }

    /// Has the helpers stay until this is dropped.
    pub(super) fn open(&self) -> Open<'_, S> {
        Open(self)
    }

    /// Whether some helper would have to be woken up.
    pub(super) fn is_asleep(&self) -> bool {
        self.asleep.load(Ordering::Relaxed) > 0
    }

    /// Does what there is of a phase, with the helpers.
    pub(super) fn share(&self, work: &mut Arc<Work<S>>, space: &S, scratch: &mut S::Scratch) {
        let mut job = self.locked();
        job.0 = Some(Arc::clone(work));
        self.phase.fetch_add(1, Ordering::Release);
        drop(job);
        if self.is_asleep() {
            self.changed.notify_all();
        }
        work.take_part(0, space, scratch);
        self.locked().0 = None;
        let mut looks = 0;
        while Arc::get_mut(work).is_none() {
            look_again(&mut looks);
        }
    }

    /// Helps until the search is over, as thread number `thread`.
    pub(super) fn help(&self, thread: usize, space: &S) {
        let mut scratch = None;
        let (mut seen, mut told) = (0, 0);
        while let Some(phase) = self.wait_for_more_than(seen) {
            seen = phase;
            let work = self.locked().0.clone();
            if let Some(work) = work {
                let scratch = scratch.get_or_insert_with(|| space.scratch());
                work.take_part(thread, space, scratch);
                let bytes = space.scratch_bytes(scratch);
                if bytes != told {
                    self.bytes.fetch_add(bytes.wrapping_sub(told), Ordering::Relaxed);
                    told = bytes;
                }
            }
        }
    }

    /// Waits for a phase after that of this number; none comes where the search is over.
    fn wait_for_more_than(&self, seen: u64) -> Option<u64> {
        let started = Instant::now();
        let mut looks = 0;
        loop {
            if self.is_over.load(Ordering::Acquire) {
                return None;
            }
            let phase = self.phase.load(Ordering::Acquire);
            if phase > seen {
                return Some(phase);
            }
            look_again(&mut looks);
            if looks.is_multiple_of(LOOKS) && started.elapsed() > WAKEFUL {
                self.sleep(seen);
            }
        }
    }

    fn sleep(&self, seen: u64) {
        self.asleep.fetch_add(1, Ordering::Relaxed);
        let mut job = self.locked();
        while self.phase.load(Ordering::Acquire) == seen && !self.is_over.load(Ordering::Acquire) {
            job = self.changed.wait(job).unwrap_or_else(PoisonError::into_inner);
        }
        drop(job);
        self.asleep.fetch_sub(1, Ordering::Relaxed);
    }

    fn locked(&self) -> MutexGuard<'_, Job<S>> {
        self.job.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lets a moment pass; others have the core now and then.
fn look_again(looks: &mut u32) {
    *looks += 1;
    if looks.is_multiple_of(LOOKS) {
        std::thread::yield_now();
    } else {
        std::hint::spin_loop();
    }
}
