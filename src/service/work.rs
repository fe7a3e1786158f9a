//! Reading, replaying and stepping on threads of their own: the runtime's threads only wait.
//!
//! A [`Work`] has a few threads and a queue of bounded length: first come, first served, and a
//! request that finds the queue full is refused for now. A piece of work stays on its thread from
//! beginning to end: each thread is a rayon pool of its own, so that a short replay never waits for
//! the pieces of a long one. What panics becomes a fault of the server in the answer and nothing
//! else.

use crate::service::Problem;
use crate::service::limits::{BUSY_RETRY_SECONDS, MAX_WAITING_PER_THREAD};
use axum::http::StatusCode;
use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use tokio::sync::oneshot;

type Piece = Box<dyn FnOnce() + Send>;

/// A few threads and their queue. The threads end when no sender remains.
#[derive(Debug, Clone)]
pub struct Work {
    queue: SyncSender<Piece>,
}

impl Work {
    /// Starts `threads` threads.
    ///
    /// # Errors
    /// What the system says where it has no threads left.
    pub fn new(name: &str, threads: usize) -> io::Result<Self> {
        let (queue, pieces) = sync_channel(threads * MAX_WAITING_PER_THREAD);
        let pieces = Arc::new(Mutex::new(pieces));
        for number in 0..threads {
            let pieces = Arc::clone(&pieces);
            let named = thread::Builder::new().name(format!("{name}-{number}"));
            named.spawn(move || work_off(&pieces))?;
        }
        Ok(Work { queue })
    }

    /// Runs a piece of work off the runtime. It goes on where the client disconnects meanwhile; one
    /// whose client is gone before it begins is left out.
    ///
    /// # Errors
    /// The work's own problem; that too many wait; a fault where the work panics.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let (tell, told) = oneshot::channel();
        let piece = move || {
            if tell.is_closed() {
                return;
            }
            let done = catch_unwind(AssertUnwindSafe(work));
            let done = done.unwrap_or_else(|panic| Err(fault(&*panic)));
            // The request may be gone by now.
            let _ = tell.send(done);
        };
        self.queue.try_send(Box::new(piece)).map_err(|refused| match refused {
            TrySendError::Full(_) => busy(),
            TrySendError::Disconnected(_) => Problem::fault(&"the threads that work are gone"),
        })?;
        told.await.map_err(|gone| Problem::fault(&gone))?
    }
}

/// What a thread does until the queue is gone.
fn work_off(pieces: &Mutex<Receiver<Piece>>) {
    // What a replay does in parallel it does here, one after another.
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
    if let Err(error) = &alone {
        tracing::warn!(%error, "replays share their threads");
    }
    loop {
        let piece = pieces.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(piece) = piece else { return };
        piece();
    }
}

fn fault(panic: &(dyn Any + Send)) -> Problem {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    Problem::fault(&format!("a piece of work panicked: {}", text.unwrap_or_default()))
}

fn busy() -> Problem {
    Problem::new(
        StatusCode::SERVICE_UNAVAILABLE,
        "busy",
        "The server is busy",
        "too many requests wait to be worked on",
    )
    .retry_after(BUSY_RETRY_SECONDS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rayon::prelude::*;

    fn wait<T>(future: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        runtime.expect("a runtime starts").block_on(future)
    }

    #[test]
    fn a_piece_stays_on_its_thread() {
        let work = Work::new("here", 1).expect("threads start");
        let piece = || {
            let here = thread::current().id();
            let there: Vec<_> = (0..64).into_par_iter().map(|_| thread::current().id()).collect();
            Ok(there.into_iter().all(|thread| thread == here))
        };
        assert!(wait(work.run(piece)).is_ok_and(|stays| stays));
    }

    #[test]
    fn a_panic_is_a_fault_and_the_next_piece_is_done() {
        let work = Work::new("here", 1).expect("threads start");
        let faulty = || -> Result<(), Problem> { panic!("on purpose") };
        let problem = wait(work.run(faulty)).expect_err("it panics");
        assert_eq!(problem.status, 500);
        assert_eq!(wait(work.run(|| Ok(7))).ok(), Some(7));
    }

    #[test]
    fn who_finds_the_queue_full_is_told_so() {
        let work = Work::new("here", 1).expect("threads start");
        let (go, gate) = std::sync::mpsc::channel::<()>();
        let (begun, begins) = std::sync::mpsc::channel();
        wait(async {
            let ask = |piece: Box<dyn FnOnce() -> Result<(), Problem> + Send>| {
                let work = work.clone();
                tokio::spawn(async move { work.run(piece).await })
            };
            let held = ask(Box::new(move || {
                let _ = begun.send(());
                // An error means that the test has failed: go on in any case.
                let _ = gate.recv();
                Ok(())
            }));
            tokio::task::yield_now().await;
            begins.recv().expect("it begins");
            let mut waiting = Vec::new();
            for _ in 0..MAX_WAITING_PER_THREAD {
                waiting.push(ask(Box::new(|| Ok(()))));
                // The runtime polls only a limited number of tasks before it comes back here.
                tokio::task::yield_now().await;
            }
            let refused = work.run(|| Ok(())).await.expect_err("the queue is full");
            assert_eq!(refused.status, 503);
            go.send(()).expect("the piece waits for it");
            for piece in waiting.into_iter().chain([held]) {
                assert!(piece.await.is_ok_and(|done| done.is_ok()));
            }
        });
    }
}
