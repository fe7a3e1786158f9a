//! What a search may spend, and how it learns that it has spent it.

use super::clock::Instant;
use super::outcome::UnknownWord;
use super::plan_listener::PlanListener;
use super::shared::Cluster;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Stack of a search's thread, in bytes.
pub const STACK_BYTES: usize = 16 << 20;

/// Called with the progress of a search.
pub type Listener = Arc<dyn Fn(&Progress) + Send + Sync>;

/// What a search may spend. Nothing in it is a promise of the caller alone: a search polls it and
/// holds to it.
///
/// ```
/// use outwit::search::{Budget, StopReason};
/// use std::time::Duration;
///
/// let budget = Budget { nodes: Some(1000), threads: 1, ..Budget::seconds(2.5) };
/// assert_eq!(budget.time, Duration::from_millis(2500));
/// let clock = budget.start();
/// assert_eq!(clock.should_stop(999, 0), None);
/// assert_eq!(clock.should_stop(1000, 0), Some(StopReason::Nodes));
/// assert_eq!(clock.should_stop(0, budget.memory + 1), Some(StopReason::Memory));
/// ```
#[derive(Clone)]
pub struct Budget {
    /// Wall time.
    pub time: Duration,
    /// Memory for the search, in bytes: its tables, what its space keeps, and the working memory of its
    /// threads. The process takes more by what it is itself.
    pub memory: usize,
    /// Expansions of all searches together, where the answer shall not depend on the speed of the
    /// machine; they may be passed by a few hundred.
    pub nodes: Option<u64>,
    /// Threads, at least 1.
    pub threads: usize,
    /// Seed of everything random.
    pub seed: u64,
    /// Raised from outside to stop early.
    pub cancel: Arc<AtomicBool>,
    /// Called now and then, from one thread at a time, with how far the search is.
    pub progress: Option<Listener>,
    /// Hears each better plan as it is found.
    pub plans: Option<PlanListener>,
    /// Processes for the search that a planner shares with them: see
    /// [`super::astar_below_shared`].
    pub cluster: Option<Arc<dyn Cluster>>,
}

/// How far a search is.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct Progress {
    /// What the search is doing, a few words.
    pub phase: String,
    /// Expansions so far.
    pub nodes: u64,
    /// Length of the best plan so far.
    pub best: Option<u64>,
    /// Proven lower bound.
    pub bound: u64,
    /// Part of the work (or of the time) that is done, 0 to 1.
    pub fraction: f64,
}

/// Why a search stopped before it was through.
///
/// ```
/// use outwit::search::{Budget, StopReason};
/// use std::sync::atomic::Ordering;
///
/// let budget = Budget::seconds(60.0);
/// let flag = budget.cancel.clone();
/// let clock = budget.start();
/// // From another thread, say:
/// flag.store(true, Ordering::Relaxed);
/// assert_eq!(clock.should_stop(0, 0), Some(StopReason::Cancelled));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub enum StopReason {
    /// The wall time is over.
    Time,
    /// The memory is full.
    Memory,
    /// The allowed expansions are done.
    Nodes,
    /// Cancelled from outside.
    Cancelled,
}

impl StopReason {
    /// All reasons to stop.
    pub const ALL: [StopReason; 4] =
        [StopReason::Time, StopReason::Memory, StopReason::Nodes, StopReason::Cancelled];

    /// One lower-case word for reports and JSON.
    pub fn name(self) -> &'static str {
        match self {
            StopReason::Time => "time",
            StopReason::Memory => "memory",
            StopReason::Nodes => "nodes",
            StopReason::Cancelled => "cancelled",
        }
    }

    /// What one says of a search that stopped so: `out of time`.
    pub fn phrase(self) -> &'static str {
        match self {
            StopReason::Time => "out of time",
            StopReason::Memory => "out of memory",
            StopReason::Nodes => "out of nodes",
            StopReason::Cancelled => "cancelled",
        }
    }
}

impl std::fmt::Display for StopReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

impl std::str::FromStr for StopReason {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, UnknownWord> {
        UnknownWord::find(word, StopReason::ALL, StopReason::name)
    }
}

/// Its limits and seed.
impl std::fmt::Debug for Budget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Budget { time, memory, nodes, threads, seed, .. } = self;
        f.debug_struct("Budget")
            .field("time", time)
            .field("memory", memory)
            .field("nodes", nodes)
            .field("threads", threads)
            .field("seed", seed)
            .finish_non_exhaustive()
    }
}

impl Default for Budget {
    /// Ten seconds, 1 GiB, as many threads as the machine has.
    fn default() -> Self {
        Budget {
            time: Duration::from_secs(10),
            memory: 1 << 30,
            nodes: None,
            threads: std::thread::available_parallelism().map_or(1, |n| n.get()),
            seed: 1,
            cancel: Arc::new(AtomicBool::new(false)),
            progress: None,
            plans: None,
            cluster: None,
        }
    }
}

impl Budget {
    /// The default with this wall time.
    pub fn seconds(seconds: f64) -> Self {
        Budget { time: Duration::from_secs_f64(seconds), ..Budget::default() }
    }

    /// The same budget for a planner whose plans are of a type of their own; `write` makes texts of
    /// them for the listener.
    pub fn with_plans_written<P: 'static>(
        &self,
        write: impl Fn(&P) -> String + Send + Sync + 'static,
    ) -> Budget {
        let plans = self.plans.clone().map(|plans| plans.written(write));
        Budget { plans, ..self.clone() }
    }

    /// The same budget for a part of a search: the part's progress is reported together with what
    /// was known and spent before it.
    #[must_use]
    pub fn with_progress_after(&self, before: Progress) -> Budget {
        let progress = self.progress.clone().map(|listener| -> Listener {
            Arc::new(move |part: &Progress| {
                listener(&Progress {
                    phase: part.phase.clone(),
                    nodes: before.nodes + part.nodes,
                    best: [before.best, part.best].into_iter().flatten().min(),
                    bound: before.bound.max(part.bound),
                    fraction: part.fraction,
                });
            })
        });
        Budget { progress, ..self.clone() }
    }

    /// A pool of the budget's threads.
    ///
    /// # Errors
    /// The system gives no threads.
    pub fn pool(&self) -> Result<rayon::ThreadPool, rayon::ThreadPoolBuildError> {
        let threads = self.threads.max(1);
        rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK_BYTES).build()
    }

    /// Works on the budget's threads: those of the pool it is called in, where it has as many,
    /// else those of a new one.
    pub fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        let is_inside = rayon::current_thread_index().is_some();
        if is_inside && rayon::current_num_threads() == self.threads.max(1) {
            return work();
        }
        match self.pool() {
            Ok(pool) => pool.install(work),
            // No threads to be had: the pool that is there gives the same answer.
            Err(_) => work(),
        }
    }

    /// Starts the clock.
    pub fn start(&self) -> Clock<'_> {
        Clock { budget: self, started: Instant::now(), halt: None }
    }
}

/// A budget that is being spent. Copy it into every part of a search.
#[derive(Clone, Copy)]
pub struct Clock<'a> {
    /// What may be spent.
    pub budget: &'a Budget,
    started: Instant,
    halt: Option<&'a Arc<AtomicBool>>,
}

impl<'a> Clock<'a> {
    /// The same clock for a part of the search that can be halted alone, in place of any that could
    /// before.
    pub fn with_halt<'b>(&self, halt: &'b Arc<AtomicBool>) -> Clock<'b>
    where
        'a: 'b,
    {
        Clock { halt: Some(halt), ..*self }
    }

    fn is_cancelled(&self) -> bool {
        let is_raised = |flag: &Arc<AtomicBool>| flag.load(Ordering::Relaxed);
        is_raised(&self.budget.cancel) || self.halt.is_some_and(is_raised)
    }

    /// Time since the start.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Time that is left; zero when it is over.
    pub fn left(&self) -> Duration {
        self.budget.time.saturating_sub(self.elapsed())
    }

    /// Whether to stop, after `nodes` expansions and with `memory` bytes held.
    ///
    /// Costs a clock read: poll it every few hundred expansions.
    pub fn should_stop(&self, nodes: u64, memory: usize) -> Option<StopReason> {
        if self.is_cancelled() {
            Some(StopReason::Cancelled)
        } else if self.budget.nodes.is_some_and(|limit| nodes >= limit) {
            Some(StopReason::Nodes)
        } else if memory > self.budget.memory {
            Some(StopReason::Memory)
        } else if self.elapsed() >= self.budget.time {
            Some(StopReason::Time)
        } else {
            None
        }
    }

    /// What tells that the time is over where a borrowed clock cannot go.
    pub fn watch(&self) -> Deadline {
        let end = self.started.checked_add(self.budget.time);
        Deadline { cancel: Some(Arc::clone(&self.budget.cancel)), halt: self.halt.cloned(), end }
    }

    /// Tells the budget's listener, where there is one.
    pub fn tell(&self, progress: &Progress) {
        if let Some(listener) = &self.budget.progress {
            listener(progress);
        }
    }

    /// Gives a plan that is better than those before to the budget's listener, where there is one.
    pub fn found<P: 'static>(&self, plan: impl FnOnce() -> P) {
        if let Some(listener) = &self.budget.plans {
            listener.hear(&plan());
        }
    }
}

/// Tells that the time of a search is over or that it was cancelled; without a clock, never.
#[derive(Clone, Debug, Default)]
pub struct Deadline {
    cancel: Option<Arc<AtomicBool>>,
    halt: Option<Arc<AtomicBool>>,
    end: Option<Instant>,
}

impl Deadline {
    /// Whether to stop.
    pub fn is_over(&self) -> bool {
        let is_raised = |flag: &Arc<AtomicBool>| flag.load(Ordering::Relaxed);
        self.cancel.as_ref().is_some_and(is_raised)
            || self.halt.as_ref().is_some_and(is_raised)
            || self.end.is_some_and(|end| Instant::now() >= end)
    }
}
