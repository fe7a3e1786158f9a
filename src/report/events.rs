//! Events of a search as JSON objects: `outwit solve --events` writes one a line, and Python's callback for
//! events hears them as dictionaries.

use super::Report;
use crate::diagnostic::Source;
use crate::games::{Area, Facts, GameId, Measure};
use crate::search::clock::Instant;
use crate::search::{Event, Progress, TurnReport};
use crate::verify::{Verified, verify};
use serde::Serialize;
use std::time::Duration;

/// Least time between two events of progress in which neither the phase nor the best plan nor the bound
/// has changed.
const PAUSE: Duration = Duration::from_millis(200);

/// An event.
#[derive(Clone, Debug, Serialize)]
pub struct EventReport {
    /// Name of the event, one of those in the documentation of [`EventKind`].
    pub event: &'static str,
    /// The level's number in its file, from 1, where the event is written beside those of others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<usize>,
    /// Time since the search of the area began, in seconds.
    pub seconds: f64,
    /// The data of the event.
    #[serde(flatten)]
    pub kind: EventKind,
}

/// The kinds of events, each with its data.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum EventKind {
    /// `begun`: the area of the search.
    Begun {
        /// Its game.
        game: GameId,
        /// Its name.
        area: String,
        /// Facts about it.
        facts: Facts,
    },
    /// `progress`: how far the search is.
    Progress(Progress),
    /// `plan`: a verified plan that is better than all before.
    Plan {
        /// Length in the measure that was asked for.
        length: u64,
        /// The plan in the game's own format.
        plan: String,
        /// Measures of the plan, from its replay.
        plan_facts: Facts,
    },
    /// `bound`: a lower bound that is higher than all before.
    Bound {
        /// The bound.
        bound: u64,
    },
    /// `turn`: a search of the planner begins a turn.
    Turn {
        /// Name of the search.
        search: &'static str,
    },
    /// `turned`: the turn is over.
    Turned {
        /// Name of the search.
        search: &'static str,
        /// Its effort, and how it ended.
        turn: TurnReport,
    },
    /// `ended`: the report of the whole search.
    Ended(Box<Report>),
}

impl EventKind {
    /// The event, at this time.
    pub fn at(self, seconds: f64) -> EventReport {
        let event = match self {
            EventKind::Begun { .. } => "begun",
            EventKind::Progress(_) => "progress",
            EventKind::Plan { .. } => "plan",
            EventKind::Bound { .. } => "bound",
            EventKind::Turn { .. } => "turn",
            EventKind::Turned { .. } => "turned",
            EventKind::Ended(_) => "ended",
        };
        EventReport { event, level: None, seconds, kind: self }
    }
}

/// Turns the events of one search into reports. It verifies plans, and drops those that are not better than an
/// earlier one and progress that has not changed.
///
/// ```
/// use outwit::games::Objective;
/// use outwit::report::EventReporter;
/// use outwit::search::{Control, Run};
/// use std::sync::mpsc::channel;
///
/// let level = outwit::parse("######\n#@$ .#\n######\n")?.only()?;
/// let (sender, events) = channel();
/// let control = Control::listening(move |event| drop(sender.send(event.clone())));
/// outwit::solve(&*level, &Objective::OPTIMAL, &Run { control, ..Run::seconds(10.0) });
///
/// let mut reporter = EventReporter::new(&*level, None);
/// let reports: Vec<_> = events.try_iter().filter_map(|event| reporter.report(event)).collect();
/// let plan = reports.iter().find(|report| report.event == "plan").expect("a plan");
/// assert_eq!(serde_json::to_value(plan).expect("it is JSON")["length"], 2);
/// # Ok::<(), outwit::Error>(())
/// ```
#[derive(Debug)]
pub struct EventReporter<'a> {
    area: &'a dyn Area,
    measure: Option<Measure>,
    started: Instant,
    progress: Option<(Instant, Progress)>,
    best: Option<Verified>,
}

impl<'a> EventReporter<'a> {
    /// For a search of this area that begins now; lengths are in this measure.
    pub fn new(area: &'a dyn Area, measure: Option<Measure>) -> Self {
        EventReporter { area, measure, started: Instant::now(), progress: None, best: None }
    }

    /// The beginning of the search.
    pub fn begun(&self) -> EventReport {
        let (game, area) = (self.area.game(), self.area.name().into());
        self.now(EventKind::Begun { game, area, facts: self.area.facts().into() })
    }

    /// The report of an event, where it is news.
    pub fn report(&mut self, event: Event) -> Option<EventReport> {
        let kind = match event {
            Event::Progress(progress) => self.progress(progress)?,
            Event::PlanFound { plan, .. } => self.plan(plan)?,
            Event::BoundRaised { bound } => EventKind::Bound { bound },
            Event::TurnBegun { search } => EventKind::Turn { search },
            Event::TurnEnded { search, turn } => EventKind::Turned { search, turn },
        };
        Some(self.now(kind))
    }

    fn now(&self, kind: EventKind) -> EventReport {
        kind.at(self.started.elapsed().as_secs_f64())
    }

    fn progress(&mut self, now: Progress) -> Option<EventKind> {
        let is_news = self.progress.as_ref().is_none_or(|(when, last)| {
            let same = (&last.phase, last.best, last.bound);
            when.elapsed() >= PAUSE || same != (&now.phase, now.best, now.bound)
        });
        is_news.then(|| {
            self.progress = Some((Instant::now(), now.clone()));
            EventKind::Progress(now)
        })
    }

    /// A plan, where it holds and is better than all before: one of an abstraction may not hold.
    fn plan(&mut self, text: String) -> Option<EventKind> {
        let plan = verify(self.area, &Source::new("plan", text)).ok()?;
        if self.best.as_ref().is_some_and(|best| !plan.beats_in(best, self.measure)) {
            return None;
        }
        let kind = EventKind::Plan {
            length: plan.length(self.measure),
            plan: plan.text().into(),
            plan_facts: plan.validation().facts.clone().into(),
        };
        self.best = Some(plan);
        Some(kind)
    }
}
