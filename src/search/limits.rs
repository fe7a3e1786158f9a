//! What a search may spend: plain data.

use super::outcome::UnknownWord;
use std::sync::LazyLock;
use std::time::Duration;

/// Stack of a search's thread, in bytes.
pub const STACK_BYTES: usize = 16 << 20;

/// What a search may spend. Nothing in it is a promise of the caller alone: a search polls it and
/// holds to it.
///
/// ```
/// use outwit::search::{Limits, StopReason};
/// use std::time::Duration;
///
/// let limits = Limits { nodes: Some(1000), threads: 1, ..Limits::seconds(2.5) };
/// assert_eq!(limits.time, Duration::from_millis(2500));
/// let clock = limits.start();
/// assert_eq!(clock.should_stop(999, 0), None);
/// assert_eq!(clock.should_stop(1000, 0), Some(StopReason::Nodes));
/// assert_eq!(clock.should_stop(0, limits.memory + 1), Some(StopReason::Memory));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Limits {
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
}

/// The number of cores that this process may use, at least 1.
pub fn cores() -> usize {
    // The system reads files of control groups for each answer, so it is asked once.
    static CORES: LazyLock<usize> =
        LazyLock::new(|| std::thread::available_parallelism().map_or(1, |cores| cores.get()));
    *CORES
}

impl Default for Limits {
    /// Ten seconds, 1 GiB, as many threads as the machine has.
    fn default() -> Self {
        Limits {
            time: Duration::from_secs(10),
            memory: 1 << 30,
            nodes: None,
            threads: cores(),
            seed: 1,
        }
    }
}

impl Limits {
    /// The default with this wall time.
    pub fn seconds(seconds: f64) -> Self {
        Limits { time: Duration::from_secs_f64(seconds), ..Limits::default() }
    }

    /// A pool of as many threads.
    ///
    /// # Errors
    /// The system gives no threads.
    pub fn pool(&self) -> Result<rayon::ThreadPool, rayon::ThreadPoolBuildError> {
        let threads = self.threads.max(1);
        rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK_BYTES).build()
    }

    /// Works on as many threads: those of the pool it is called in, where it has as many,
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
}

/// Why a search stopped before it was through.
///
/// ```
/// use outwit::search::{Run, StopReason};
///
/// let run = Run::seconds(60.0);
/// let control = run.control.clone();
/// let clock = run.start();
/// // From another thread, say:
/// control.cancel();
/// assert_eq!(clock.should_stop(0, 0), Some(StopReason::Cancelled));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
#[non_exhaustive]
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
        UnknownWord::find(("reason to stop", word), &StopReason::ALL, StopReason::name)
    }
}
