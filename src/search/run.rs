//! A run of a planner: its limits, who controls it, and the clock that runs meanwhile.

use super::clock::Instant;
use super::control::{Control, Event, Progress};
use super::limits::{Limits, StopReason};
use super::shared::Cluster;
use super::tuning::Settings;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// What a planner is called with: what it may spend, who controls it, and the processes that share its
/// search, where there are some.
///
/// ```
/// use outwit::search::{Limits, Run};
///
/// let run = Run::from(Limits { threads: 1, ..Limits::seconds(2.5) });
/// assert_eq!(run.limits.threads, 1);
/// ```
#[derive(Clone, Default)]
pub struct Run {
    /// What may be spent.
    pub limits: Limits,
    /// A flag that cancels it, and a listener.
    pub control: Control,
    /// Numbers of the planner that are set for this run.
    pub settings: Settings,
    /// Processes for the search that a planner shares with them: see
    /// [`super::astar_below_shared`].
    pub cluster: Option<Arc<dyn Cluster>>,
}

impl From<Limits> for Run {
    /// A run that nobody controls.
    fn from(limits: Limits) -> Self {
        Run { limits, ..Run::default() }
    }
}

impl Run {
    /// A run with the default limits but for the wall time.
    pub fn seconds(seconds: f64) -> Self {
        Run::from(Limits::seconds(seconds))
    }

    /// The same run under other limits.
    #[must_use]
    pub fn with(&self, limits: Limits) -> Run {
        Run { limits, ..self.clone() }
    }

    /// Starts the clock.
    pub fn start(&self) -> Clock {
        Clock::new(self.limits, self.control.clone(), self.cluster.clone())
    }
}

impl Limits {
    /// Starts the clock of a search that nobody listens to or cancels.
    pub fn start(self) -> Clock {
        Clock::new(self, Default::default(), None)
    }
}

/// Its limits, settings and control.
impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run")
            .field("limits", &self.limits)
            .field("settings", &self.settings)
            .field("control", &self.control)
            .field("has_cluster", &self.cluster.is_some())
            .finish()
    }
}

/// A run that goes on. Parts of a search have clocks of their own: see [`Clock::part`].
#[derive(Clone)]
pub struct Clock {
    /// What may be spent.
    pub limits: Limits,
    pub(super) cluster: Option<Arc<dyn Cluster>>,
    control: Control,
    started: Instant,
    halt: Option<Arc<AtomicBool>>,
    /// Whether neither progress nor bounds are told.
    is_quiet: bool,
    /// The highest bound that was told; all parts of the run share it.
    told_bound: Arc<AtomicU64>,
    /// What was known and spent before this part, where its progress is reported together with that.
    before: Option<Arc<Progress>>,
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Clock")
            .field("limits", &self.limits)
            .field("control", &self.control)
            .field("elapsed", &self.elapsed())
            .finish_non_exhaustive()
    }
}

impl Clock {
    pub(super) fn new(
        limits: Limits,
        control: Control,
        cluster: Option<Arc<dyn Cluster>>,
    ) -> Clock {
        let started = Instant::now();
        Clock {
            limits,
            control,
            cluster,
            started,
            halt: None,
            is_quiet: false,
            told_bound: Arc::default(),
            before: None,
        }
    }

    /// A clock that starts now for a part of the search, which has limits of its own.
    pub fn part(&self, limits: Limits) -> Clock {
        Clock { limits, started: Instant::now(), ..self.clone() }
    }

    /// The same clock under other limits; the time counts from the same start.
    #[must_use]
    pub fn under(&self, limits: Limits) -> Clock {
        Clock { limits, ..self.clone() }
    }

    /// The same clock for a part of the search that tells no progress and no bounds of its own.
    #[must_use]
    pub fn quiet(self) -> Clock {
        Clock { is_quiet: true, ..self }
    }

    /// The same clock for a part of the search whose progress is told together with what was known
    /// and spent before it.
    #[must_use]
    pub fn after(self, before: Progress) -> Clock {
        let before = self.before.as_ref().map_or_else(|| before.clone(), |all| before.after(all));
        Clock { before: Some(Arc::new(before)), ..self }
    }

    /// The same clock for a part of the search that can be halted alone, in place of any that could
    /// before.
    pub fn with_halt(&self, halt: &Arc<AtomicBool>) -> Clock {
        Clock { halt: Some(Arc::clone(halt)), ..self.clone() }
    }

    /// Whether other processes search together with this one.
    pub fn is_shared(&self) -> bool {
        self.cluster.is_some()
    }

    fn is_cancelled(&self) -> bool {
        let is_raised = |flag: &Arc<AtomicBool>| flag.load(Ordering::Relaxed);
        self.control.is_cancelled() || self.halt.as_ref().is_some_and(is_raised)
    }

    /// Time since the start.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Time that is left; zero when it is over.
    pub fn left(&self) -> Duration {
        self.limits.time.saturating_sub(self.elapsed())
    }

    /// Whether to stop, after `nodes` expansions and with `memory` bytes held.
    ///
    /// Costs a clock read: poll it every few hundred expansions.
    pub fn should_stop(&self, nodes: u64, memory: usize) -> Option<StopReason> {
        if self.is_cancelled() {
            Some(StopReason::Cancelled)
        } else if self.limits.nodes.is_some_and(|limit| nodes >= limit) {
            Some(StopReason::Nodes)
        } else if memory > self.limits.memory {
            Some(StopReason::Memory)
        } else if self.elapsed() >= self.limits.time {
            Some(StopReason::Time)
        } else {
            None
        }
    }

    /// What tells that the time is over, and nothing else of the clock.
    pub fn watch(&self) -> Deadline {
        let end = self.started.checked_add(self.limits.time);
        let cancel = Some(Arc::clone(&self.control.cancel));
        Deadline { cancel, halt: self.halt.clone(), end }
    }

    /// Who controls the run.
    pub fn control(&self) -> &Control {
        &self.control
    }

    /// Passes the progress to the listener, where there is one. Its bound is the highest that was passed so far, also
    /// where this part of the search knows only a lower one.
    pub fn tell(&self, progress: &Progress) {
        if let Some(listener) = self.control.listener.as_ref().filter(|_| !self.is_quiet) {
            let whole = self.before.as_ref().map(|before| progress.after(before));
            let mut whole = whole.unwrap_or_else(|| progress.clone());
            whole.bound = whole.bound.max(self.told_bound.load(Ordering::Relaxed));
            listener(&Event::Progress(whole));
        }
    }

    /// Tells the listener that no plan of the run costs less than `bound`, where there is a listener and the
    /// bound is higher than those before. That there is no plan at all, `u64::MAX`, is no such bound.
    pub fn tell_bound(&self, bound: u64) {
        if let Some(listener) = self.control.listener.as_ref().filter(|_| !self.is_quiet)
            && bound != u64::MAX
            && self.told_bound.fetch_max(bound, Ordering::Relaxed) < bound
        {
            listener(&Event::BoundRaised { bound });
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
