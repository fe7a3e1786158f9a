//! What a search is told while it goes on, and what it tells: a flag that cancels it, and typed events.

use super::StopReason;
use super::outcome::UnknownWord;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Hears the events of a search, on the search's threads; several may tell at once.
pub type Listener = Arc<dyn Fn(&Event) + Send + Sync>;

/// How a search is controlled from outside: cancelled, and listened to. Clones are handles of the same.
///
/// ```
/// use outwit::search::{Control, Event};
/// use std::sync::{Arc, Mutex};
///
/// let heard = Arc::new(Mutex::new(Vec::new()));
/// let ear = Arc::clone(&heard);
/// let control = Control::listening(move |event| ear.lock().unwrap().push(event.clone()));
/// control.tell(&Event::TurnBegun { search: "astar" });
/// assert_eq!(*heard.lock().unwrap(), [Event::TurnBegun { search: "astar" }]);
/// ```
#[derive(Clone, Default)]
pub struct Control {
    /// Raised from outside to stop early.
    pub cancel: Arc<AtomicBool>,
    /// Hears what happens.
    pub listener: Option<Listener>,
}

impl Control {
    /// A control whose events are heard by this listener.
    pub fn listening(hear: impl Fn(&Event) + Send + Sync + 'static) -> Self {
        Control { listener: Some(Arc::new(hear)), ..Control::default() }
    }

    /// A listener that hears of progress alone.
    pub fn progress_listener(hear: impl Fn(&Progress) + Send + Sync + 'static) -> Listener {
        Arc::new(move |event| {
            if let Event::Progress(progress) = event {
                hear(progress);
            }
        })
    }

    /// The same control, whose events this listener hears, too, after the one before.
    #[must_use]
    pub fn heard_by(&self, also: Listener) -> Control {
        let cancel = Arc::clone(&self.cancel);
        let listener: Listener = match self.listener.clone() {
            None => also,
            Some(before) => Arc::new(move |event| {
                before(event);
                also(event);
            }),
        };
        Control { cancel, listener: Some(listener) }
    }

    /// Stops the search that has it, at its next look.
    pub fn cancel(&self) {
        self.cancel.store(true, Ordering::Relaxed);
    }

    /// Whether the search is to stop.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }

    /// Tells the listener, where there is one.
    pub fn tell(&self, event: &Event) {
        if let Some(listener) = &self.listener {
            listener(event);
        }
    }

    /// Tells the listener of a plan; its text is made only where somebody listens.
    pub fn tell_plan(&self, length: u64, text: impl FnOnce() -> String) {
        if let Some(listener) = &self.listener {
            listener(&Event::PlanFound { length, plan: text() });
        }
    }
}

/// Whether it is cancelled, and whether somebody listens.
impl fmt::Debug for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Control")
            .field("is_cancelled", &self.is_cancelled())
            .field("is_listened_to", &self.listener.is_some())
            .finish()
    }
}

/// Something that happens in a search.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// How far the search is; told now and then.
    Progress(Progress),
    /// A search of the planner begins a turn.
    TurnBegun {
        /// Name of the search.
        search: &'static str,
    },
    /// A turn of a search is over.
    TurnEnded {
        /// Name of the search.
        search: &'static str,
        /// What the turn came to.
        turn: TurnReport,
    },
    /// The searches have proven a higher lower bound than before: no plan is shorter.
    BoundRaised {
        /// The bound, in the measure that the search minimises.
        bound: u64,
    },
    /// A plan that is shorter than those before, or another one as short that may be better by the game's
    /// other measures, as text in the game's own format. It is not verified yet, and may be false where a
    /// search works on an abstraction.
    PlanFound {
        /// Length of the plan in the measure that the search minimises.
        length: u64,
        /// The plan.
        plan: String,
    },
}

/// What a turn of a search came to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct TurnReport {
    /// States expanded in this turn.
    pub expanded: u64,
    /// Successors generated in this turn.
    pub generated: u64,
    /// Bytes that the search holds after it.
    pub memory: u64,
    /// Length of the plan that it found, where it found one.
    pub length: Option<u64>,
    /// Lower bound that it has proven, where it has proven one.
    pub bound: Option<u64>,
    /// How it ended.
    pub ended: Ended,
    /// Wall time of the turn.
    pub seconds: f64,
}

/// How a turn of a search ended. In JSON it is its one word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(into = "&'static str", try_from = "String"))]
pub enum Ended {
    /// It rests: another turn may find or prove more.
    #[default]
    Resting,
    /// It has looked at all that it can look at, without a proof.
    Exhausted,
    /// It has proven what it was asked: the best plan, or that there is none.
    Proven,
    /// It was stopped.
    Stopped(StopReason),
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Ended {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, UnknownWord> {
        UnknownWord::find(("end of a turn", word), &Ended::ALL, Ended::name)
    }
}

impl From<Ended> for &'static str {
    fn from(ended: Ended) -> Self {
        ended.name()
    }
}

impl TryFrom<String> for Ended {
    type Error = UnknownWord;

    fn try_from(word: String) -> Result<Self, UnknownWord> {
        word.parse()
    }
}

impl Ended {
    /// Why it was stopped, where it was.
    pub fn stop(self) -> Option<StopReason> {
        match self {
            Ended::Stopped(stop) => Some(stop),
            _ => None,
        }
    }

    /// All of them.
    pub const ALL: [Ended; 7] = [
        Ended::Resting,
        Ended::Exhausted,
        Ended::Proven,
        Ended::Stopped(StopReason::Time),
        Ended::Stopped(StopReason::Memory),
        Ended::Stopped(StopReason::Nodes),
        Ended::Stopped(StopReason::Cancelled),
    ];

    /// One lower-case word for reports and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Ended::Resting => "resting",
            Ended::Exhausted => "exhausted",
            Ended::Proven => "proven",
            Ended::Stopped(stop) => stop.name(),
        }
    }

    /// A few words for a report: `out of time`.
    pub fn phrase(self) -> &'static str {
        match self {
            Ended::Resting => "not asked again",
            Ended::Exhausted => "exhausted, nothing proven",
            Ended::Proven => "proven",
            Ended::Stopped(stop) => stop.phrase(),
        }
    }
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
    #[cfg_attr(feature = "service", schema(required))]
    pub best: Option<u64>,
    /// Proven lower bound.
    pub bound: u64,
    /// Part of the work (or of the time) that is done, 0 to 1.
    pub fraction: f64,
}

impl Progress {
    /// The progress of a part of a search, together with what was known and spent before it.
    #[must_use]
    pub fn after(&self, before: &Progress) -> Progress {
        Progress {
            phase: self.phase.clone(),
            nodes: before.nodes + self.nodes,
            best: [before.best, self.best].into_iter().flatten().min(),
            bound: before.bound.max(self.bound),
            fraction: self.fraction,
        }
    }
}
