//! A search on a thread of its own, while the host's thread reports to the host how far it is and asks whether it is
//! to stop.

use crate::interface::{Callback, Refusal, ResultCode};
use crate::status::Status;
use outwit::games::Answer;
use outwit::search::{Control, Event, Limits, Run, STACK_BYTES, StopReason, Verdict};
use outwit::verify::Settled;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Time from one call of the host to the next, and the longest time until a search hears that it is to stop.
const INTERVAL: Duration = Duration::from_millis(50);

/// Number of calls of `Terminate`. A search stops when there has been one since it began.
static TERMINATIONS: AtomicUsize = AtomicUsize::new(0);

/// Asks all searches that are running to stop.
pub fn terminate() {
    TERMINATIONS.fetch_add(1, Ordering::SeqCst);
}

/// The host of one call.
pub struct Host {
    /// The host's record.
    pub status: Status,
    callback: Option<Callback>,
    began: Instant,
    /// Value of [`TERMINATIONS`] when the call began.
    terminations: usize,
    /// Why the host has asked to stop, where it has.
    stop: Option<ResultCode>,
}

/// The latest report of a search.
#[derive(Default)]
struct Heard {
    states: AtomicU64,
}

impl Host {
    /// The host of a call that begins now.
    pub fn new(status: Status, callback: Option<Callback>) -> Host {
        let terminations = TERMINATIONS.load(Ordering::SeqCst);
        Host { status, callback, began: Instant::now(), terminations, stop: None }
    }

    /// Runs a search within limits and waits for it.
    ///
    /// # Errors
    /// The system gives no thread, or the search has panicked.
    pub fn attend(
        &mut self,
        limits: Limits,
        search: impl FnOnce(&Run) -> Settled + Send,
    ) -> Result<Settled, Refusal> {
        let heard = Arc::new(Heard::default());
        let ear = Arc::clone(&heard);
        let control = Control::listening(move |event| {
            if let Event::Progress(progress) = event {
                ear.states.fetch_max(progress.nodes, Ordering::Relaxed);
            }
        });
        let run = Run { limits, control, ..Run::default() };
        let failure = |why| Refusal::new(ResultCode::Failure, why);
        let settled = std::thread::scope(|scope| {
            let (tell, hear) = channel();
            let run = &run;
            // The host's stack may be too small for a search.
            let thread = std::thread::Builder::new().name("outwit".into()).stack_size(STACK_BYTES);
            let searched = thread.spawn_scoped(scope, move || {
                let settled = catch_unwind(AssertUnwindSafe(|| search(run)));
                // Nobody waits only where the host's thread has panicked.
                let _ = tell.send(settled.ok());
            });
            searched.map_err(|_| failure("the system gives no thread"))?;
            loop {
                match hear.recv_timeout(INTERVAL) {
                    Ok(settled) => return settled.ok_or_else(|| failure("the search has failed")),
                    Err(RecvTimeoutError::Timeout) => self.look(&heard, &run.control),
                    Err(RecvTimeoutError::Disconnected) => {
                        return Err(failure("the search has gone"));
                    }
                }
            }
        })?;
        let Answer { effort, .. } = &settled.answer;
        self.status.set_counts(effort.generated, effort.expanded);
        self.status.set_time(self.began.elapsed());
        Ok(settled)
    }

    /// Tells the host how far the search is, and stops it where that is wanted.
    fn look(&mut self, heard: &Heard, control: &Control) {
        let states = heard.states.load(Ordering::Relaxed);
        self.status.set_counts(0, states);
        self.status.set_text(&format!("searching: {states} states"));
        self.status.set_time(self.began.elapsed());
        if self.stop.is_none() {
            self.stop = self.wish();
        }
        if self.stop.is_some() {
            control.cancel();
        }
    }

    /// Whether the host wants the search to stop, by `Terminate` or by the answer of its function.
    fn wish(&self) -> Option<ResultCode> {
        if TERMINATIONS.load(Ordering::SeqCst) != self.terminations {
            return Some(ResultCode::TerminatedByUser);
        }
        // SAFETY: the host has given this function to be called during its own call, on its own thread.
        let answer = self.callback.map_or(0, |callback| unsafe { callback() });
        // YASC answers with the number of what the call comes to.
        const TIMEOUT: i32 = ResultCode::Timeout as i32;
        match answer {
            0 => None,
            TIMEOUT => Some(ResultCode::Timeout),
            _ => Some(ResultCode::TerminatedByUser),
        }
    }

    /// Why a search came to nothing.
    pub fn nothing(&self, settled: &Settled) -> Refusal {
        let stopped = settled.answer.effort.stopped;
        let (code, why) = match (settled.answer.verdict, self.stop) {
            _ if settled.refused.is_some() => {
                (ResultCode::Failure, "a plan of the search does not hold")
            }
            (Verdict::Impossible, _) => (ResultCode::Impossible, "the level has no solution"),
            (Verdict::Optimal, _) => (ResultCode::GiveUp, "the solution is proven to be shortest"),
            (_, Some(ResultCode::Timeout)) => (ResultCode::Timeout, "the host's time is over"),
            (_, Some(stop)) => (stop, "stopped"),
            _ if stopped == Some(StopReason::Time) => (ResultCode::Timeout, "the time is over"),
            _ if stopped == Some(StopReason::Memory) => (ResultCode::GiveUp, "the memory is full"),
            _ => (ResultCode::GiveUp, "nothing is found"),
        };
        Refusal::new(code, why)
    }

    /// Tells the host what the call came to, and gives the number that it is to return.
    pub fn close(mut self, done: Result<String, Refusal>) -> i32 {
        let (code, text) = match done {
            Ok(text) => (ResultCode::Success, text),
            Err(refusal) => (refusal.code, refusal.why),
        };
        self.status.set_text(&text);
        self.status.set_time(self.began.elapsed());
        code as i32
    }
}
