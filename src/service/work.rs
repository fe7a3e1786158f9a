//! Reading, replaying and stepping on threads of their own: the runtime's threads only wait.
//!
//! As many of these run at once as the machine has cores, a bounded number waits, and the rest is
//! told to come again. What panics becomes a fault of the server in the answer and nothing else.

use super::Problem;
use super::limits::{BUSY_RETRY_SECONDS, MAX_WAITING_PER_THREAD};
use axum::http::StatusCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::Semaphore;

/// The threads that read, replay and step.
#[derive(Clone)]
pub struct Work {
    threads: Arc<Semaphore>,
    waiting: Arc<AtomicUsize>,
    max_waiting: usize,
}

impl Work {
    /// So many at once.
    pub fn new(threads: usize) -> Self {
        Work {
            threads: Arc::new(Semaphore::new(threads)),
            waiting: Arc::default(),
            max_waiting: threads * MAX_WAITING_PER_THREAD,
        }
    }

    /// Runs a piece of work off the runtime. It goes on where the client hangs up meanwhile, and
    /// counts until it is through.
    ///
    /// # Errors
    /// The work's own problem; that too many wait; a fault where the work panics.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let waiting = Waiting::new(&self.waiting);
        if waiting.number > self.max_waiting {
            return Err(Problem::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "busy",
                "The server is busy",
                "too many requests wait to be worked on",
            )
            .retry_after(BUSY_RETRY_SECONDS));
        }
        let permit = Arc::clone(&self.threads).acquire_owned().await;
        let permit = permit.map_err(|closed| Problem::fault(&closed))?;
        drop(waiting);
        let task = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            work()
        });
        task.await.map_err(|panicked| Problem::fault(&panicked))?
    }
}

/// Counts who waits.
struct Waiting<'a> {
    count: &'a AtomicUsize,
    number: usize,
}

impl<'a> Waiting<'a> {
    fn new(count: &'a AtomicUsize) -> Self {
        Waiting { number: count.fetch_add(1, Ordering::Relaxed) + 1, count }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.count.fetch_sub(1, Ordering::Relaxed);
    }
}
