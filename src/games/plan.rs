//! Plans: a planner's answer, the standing of an area in one measure, the result of a replay, the reason for a refusal.

mod standing;

pub use standing::{Standing, gap};

use crate::diagnostic::{Diagnostic, Source};
use crate::games::fact::Fact;
use crate::search::explain::SearchSummary;
use crate::search::{Outcome, Settings, Statistics, Verdict};
use std::fmt;
use std::ops::Range;

/// The steps of a plan, one after another: a short plan may write many of them.
pub type Steps = Box<dyn Iterator<Item = PlanStep>>;

/// A step of a plan, and where it stands in the plan's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanStep {
    /// The step, as [`Session::act`](super::session::Session::act) takes it.
    pub text: String,
    /// The line, from 1.
    pub line: usize,
    /// The bytes of the text that say it; several steps may share them.
    pub place: Range<usize>,
}

/// The steps of a plan that has one on a line, from the steps and their line numbers.
pub fn steps_of_lines(
    plan: &Source,
    steps: impl IntoIterator<Item = (String, usize), IntoIter: 'static>,
) -> Steps {
    let places: Vec<_> = plan.lines().map(|line| plan.place_of(line.text)).collect();
    let place = move |line: usize| places.get(line - 1).cloned().unwrap_or_default();
    Box::new(steps.into_iter().map(move |(text, line)| PlanStep { text, line, place: place(line) }))
}

/// What is known of an area, its plan as a text or in another form: a planner's answer is one with a
/// text in the game's own format, which is not yet verified. [`crate::verify::settle`] makes one with a
/// verified plan of it.
#[derive(Clone, Debug)]
pub struct Answer<P = String> {
    /// What is known.
    pub verdict: Verdict,
    /// The plan.
    pub plan: Option<P>,
    /// Length of the plan, in the measure that was asked for, else in the game's own.
    pub length: Option<u64>,
    /// No plan is shorter than this; none where it is proven that there is no plan.
    pub bound: Option<u64>,
    /// What was spent.
    pub effort: Statistics,
    /// What else is worth reporting.
    pub notes: Vec<Fact>,
    /// Numbers of the planner that were set for the run.
    pub settings: Settings,
    /// A summary of each search that the planner ran, in the order in which their first turns ended.
    pub searches: Vec<SearchSummary>,
}

impl Answer {
    /// The answer of a search that has found, proven and spent nothing.
    pub fn nothing() -> Self {
        Answer {
            verdict: Verdict::Unknown,
            plan: None,
            length: None,
            bound: Some(0),
            effort: Statistics::default(),
            notes: Vec::new(),
            settings: Settings::default(),
            searches: Vec::new(),
        }
    }

    /// The answer of a planner whose costs are the game's own measure; `write` makes a plan's text.
    pub fn new<A>(outcome: Outcome<A>, write: impl FnOnce(Vec<A>) -> String) -> Self {
        Answer {
            verdict: outcome.verdict,
            length: outcome.plan.is_some().then_some(outcome.cost),
            plan: outcome.plan.map(write),
            bound: (outcome.verdict != Verdict::Impossible).then_some(outcome.bound),
            effort: outcome.effort,
            notes: Vec::new(),
            settings: Settings::default(),
            searches: Vec::new(),
        }
    }
}

impl Answer {
    /// The answer that the plan wins, and nothing more: a replay finds its length.
    pub fn won(plan: String) -> Self {
        Answer { verdict: Verdict::Found, plan: Some(plan), ..Answer::nothing() }
    }

    /// The answer that there is no plan.
    pub fn lost() -> Self {
        Answer { verdict: Verdict::Impossible, bound: None, ..Answer::nothing() }
    }

    /// The same answer with `spent`, the cost before the search began, added to its length and
    /// bound.
    #[must_use]
    pub fn after(self, spent: u64) -> Self {
        let whole = |rest: u64| rest.saturating_add(spent);
        Answer { length: self.length.map(whole), bound: self.bound.map(whole), ..self }
    }
}

impl<P> Answer<P> {
    /// The standing of the area after this answer. If there is a plan, its verdict follows from length and bound, and the
    /// answer's own verdict is ignored; a length without a plan is ignored, too.
    pub fn standing(&self) -> Standing {
        match (self.length.filter(|_| self.plan.is_some()), self.verdict) {
            (None, Verdict::Impossible) => Standing::Impossible,
            (length, _) => Standing::new(length, self.bound.unwrap_or(0)),
        }
    }
}

/// What a successful replay showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Validation {
    /// Length in the game's own measure (actions, moves, pushes, turns, oxygen).
    pub length: u64,
    /// Other measures: bricks, pushes and moves, readings, …
    pub facts: Vec<Fact>,
    /// Order of plans of one area, smaller is better; compared from the left.
    pub rank: Vec<u64>,
    /// Remarks on the plan, a few words each, such as that its last keys do nothing.
    pub remarks: Vec<String>,
}

/// Why a plan is not valid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// It cannot be read.
    #[error(transparent)]
    Unreadable(Diagnostic),
    /// It can be read, and the rules refuse it.
    #[error("{0}")]
    Refused(Refusal),
}

/// The first step that the rules refuse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Number of the step, from 1; one past the last where the plan ends too early.
    pub step: u64,
    /// Line and text of the step in the plan's file, where it has one.
    pub line: Option<(usize, String)>,
    /// Why, one sentence without a full stop.
    pub reason: String,
    /// The board around the player at that moment, as text.
    pub board: String,
}

/// `step 3 (line 4: "w 1 0"): a wall is there`.
impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Refusal { step, line, reason, .. } = self;
        match line {
            Some((line, text)) => {
                write!(f, "step {step} (line {line}: {:?}): {reason}", text.trim_end())
            }
            None => write!(f, "step {step}: {reason}"),
        }
    }
}
