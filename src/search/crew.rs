//! Threads that help one search: an idle one takes over a part of its work.
//!
//! The threads of a portfolio take turns with searches of one thread each. A search that can use
//! more than one opens the crew for its turn; idle threads then help until it is closed, and do the
//! parts that [`Crew::both`] hands out. Whether a thread helps changes how fast the search is, never
//! what it finds: the parts do not see each other.
//!
//! # Example
//! ```
//! use outwit::search::crew::Crew;
//!
//! let crew = Crew::default();
//! std::thread::scope(|scope| {
//!     let open = crew.open();
//!     scope.spawn(|| crew.help());
//!     assert_eq!(crew.both(|| 2 + 3, || 2 * 3), (5, 6));
//!     drop(open);
//! });
//! ```

use std::fmt;
use std::sync::mpsc::channel;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A part of a search's work.
type Job = Box<dyn FnOnce() + Send>;

/// What the threads of a crew know of each other.
#[derive(Default)]
struct State {
    is_open: bool,
    /// Threads that help.
    helpers: usize,
    /// The job that no thread has begun yet.
    job: Option<Job>,
}

/// A search that can be helped, and its helpers.
#[derive(Default)]
pub struct Crew {
    state: Mutex<State>,
    changed: Condvar,
}

impl fmt::Debug for Crew {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Crew").finish_non_exhaustive()
    }
}

/// A crew that takes helpers, until this is dropped.
pub struct Open<'a>(&'a Crew);

impl fmt::Debug for Open<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Open").finish_non_exhaustive()
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.0.locked().is_open = false;
        self.0.changed.notify_all();
    }
}

impl Crew {
    /// Lets a thread help from now on.
    pub fn open(&self) -> Open<'_> {
        self.locked().is_open = true;
        Open(self)
    }

    /// Does work that another thread helps with, from its beginning to its end.
    #[cfg(test)]
    pub fn with_helper<T>(work: impl FnOnce(&Crew) -> T) -> T {
        let crew = Crew::default();
        std::thread::scope(|scope| {
            let _open = crew.open();
            scope.spawn(|| crew.help());
            while crew.wants_help() {
                std::thread::yield_now();
            }
            work(&crew)
        })
    }

    /// Whether there is a search without a helper.
    pub fn wants_help(&self) -> bool {
        let state = self.locked();
        state.is_open && state.helpers == 0
    }

    /// Helps until the crew is closed; not at all where it is, or has a helper already.
    pub fn help(&self) {
        let mut state = self.locked();
        if !state.is_open || state.helpers > 0 {
            return;
        }
        state.helpers += 1;
        while state.is_open {
            state = match state.job.take() {
                Some(job) => {
                    drop(state);
                    job();
                    self.locked()
                }
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
        state.helpers -= 1;
    }

    /// Does two things, at the same time where another thread helps.
    ///
    /// # Panics
    /// Where the helper does.
    pub fn both<A, B: Send + 'static>(
        &self,
        first: impl FnOnce() -> A,
        second: impl FnOnce() -> B + Send + 'static,
    ) -> (A, B) {
        if self.locked().helpers == 0 {
            let first = first();
            return (first, second());
        }
        let (done, result) = channel();
        let job = move || {
            // Only a thread that panics does not wait for it.
            let _ = done.send(second());
        };
        self.locked().job = Some(Box::new(job));
        self.changed.notify_one();
        let first = first();
        let not_begun = self.locked().job.take();
        if let Some(job) = not_begun {
            job();
        }
        (first, result.recv().expect("the helper has panicked"))
    }

    fn locked(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::Barrier;

    #[test]
    fn both_are_done_with_and_without_help() {
        let crew = Crew::default();
        assert_eq!(crew.both(|| 1, || 2), (1, 2));
        assert!(!crew.wants_help());
        crew.help();
        std::thread::scope(|scope| {
            let open = crew.open();
            assert!(crew.wants_help());
            scope.spawn(|| crew.help());
            while crew.wants_help() {
                std::thread::yield_now();
            }
            // Neither comes past the barrier unless both are under way.
            let here = Arc::new(Barrier::new(2));
            let there = Arc::clone(&here);
            for i in 0..100 {
                let (here, there) = (Arc::clone(&here), Arc::clone(&there));
                let both = crew.both(
                    || {
                        here.wait();
                        i
                    },
                    move || {
                        there.wait();
                        2 * i
                    },
                );
                assert_eq!(both, (i, 2 * i));
            }
            drop(open);
        });
        assert!(!crew.wants_help());
    }
}
