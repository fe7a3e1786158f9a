//! What is known of a plan: a planner's answer, what a replay shows, why the rules refuse it.

use crate::diagnostic::Diagnostic;
use crate::games::fact::Fact;
use crate::search::{Outcome, Statistics, Verdict};

/// The steps of a plan, one after another: a short plan may write many of them.
pub type Steps = Box<dyn Iterator<Item = String>>;

/// A planner's answer at the waist.
#[derive(Clone, Debug)]
pub struct Answer {
    /// What is known.
    pub verdict: Verdict,
    /// The plan in the game's own format. Not yet verified: see [`crate::verify`].
    pub plan: Option<String>,
    /// Length of the plan, in the measure that was asked for, else in the game's own.
    pub length: Option<u64>,
    /// No plan is shorter than this; none where it is proven that there is no plan.
    pub bound: Option<u64>,
    /// What was spent.
    pub effort: Statistics,
    /// What else is worth reporting.
    pub notes: Vec<Fact>,
}

impl Answer {
    /// Nothing found, nothing proven, nothing spent.
    pub fn nothing() -> Self {
        Answer {
            verdict: Verdict::Unknown,
            plan: None,
            length: None,
            bound: Some(0),
            effort: Statistics::default(),
            notes: Vec::new(),
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
}

/// Why a plan is not valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlanError {
    /// It cannot be read.
    Unreadable(Diagnostic),
    /// It can be read, and the rules refuse it.
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
