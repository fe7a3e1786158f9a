//! Verification: the one check that every plan passes before it leaves.
//!
//! [`Verified`] has no public constructor: [`verify`] replays the plan's text through the game's
//! reference rules, and what comes out is the very text that was replayed. Everything that writes,
//! stores or serves a plan takes a [`Verified`]; so a wrong plan cannot be emitted, by type.
//! [`settle`] verifies a planner's whole answer, [`pursue`] and [`improve`] go on from it.

mod plans;
mod pursuit;

pub use plans::{Plans, steps};
pub use pursuit::{Thoroughness, improve, pursue};

use crate::certificate::Claim;
use crate::diagnostic::Source;
use crate::games::{Answer, Area, Fact, Measure, PlanError, Standing, Validation};
use crate::search::Verdict;
use plans::Choice;

/// A plan whose text has been replayed through the reference rules, to success.
#[derive(Clone, Debug)]
pub struct Verified {
    text: String,
    validation: Validation,
}

impl Verified {
    /// The plan in the game's own format, ready to submit.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What the replay showed: length, measures, readings.
    pub fn validation(&self) -> &Validation {
        &self.validation
    }

    /// Whether this plan is better than another of the same area.
    pub fn beats(&self, other: &Verified) -> bool {
        self.validation.rank < other.validation.rank
    }

    /// The length in a measure: the number of the fact of that name, or the game's own length.
    pub fn length(&self, measure: Option<Measure>) -> u64 {
        let named = |fact: &&Fact| measure.is_some_and(|measure| measure.name() == fact.name);
        let fact = self.validation.facts.iter().find(named);
        fact.and_then(|fact| fact.value.number()).unwrap_or(self.validation.length)
    }

    /// Whether this plan is better than another of the same area, first of all in a measure.
    pub fn beats_in(&self, other: &Verified, measure: Option<Measure>) -> bool {
        let (mine, theirs) = (self.length(measure), other.length(measure));
        mine < theirs || mine == theirs && self.beats(other)
    }
}

/// Replays a plan through the reference rules of its game. A text that has several plans of the area
/// gives the best that holds: see [`Plans`].
///
/// # Errors
/// A diagnostic where the plan cannot be read; the first refused step, and why, where it is invalid.
///
/// ```
/// use outwit::diagnostic::Source;
/// use outwit::games::{GameId, PlanError};
/// use outwit::verify::verify;
///
/// let level = Source::new("corridor", "######\n#@$ .#\n######\n");
/// let area = GameId::Sokoban.game().read(&level).expect("a file").only().expect("a level");
/// let plan = verify(area.as_ref(), &Source::new("plan", "RR\n")).expect("it holds");
/// assert_eq!(plan.validation().length, 2);
///
/// let refused = verify(area.as_ref(), &Source::new("plan", "LRR\n"));
/// assert!(matches!(refused, Err(PlanError::Refused(refusal)) if refusal.step == 1));
/// ```
pub fn verify(area: &dyn Area, plan: &Source) -> Result<Verified, PlanError> {
    verify_level(area, None, plan)
}

/// Verifies a plan of an area that is one of several: its number, from 1, tells which of the plans
/// of a text are its own.
///
/// # Errors
/// As those of [`verify`]; that the text has no plan of the area.
///
/// ```
/// use outwit::diagnostic::Source;
/// use outwit::games::GameId;
/// use outwit::verify::verify_level;
///
/// let level = Source::new("corridor", "######\n#@$ .#\n######\n");
/// let area = GameId::Sokoban.game().read(&level).expect("a level").only().expect("one");
/// let plans = Source::new("plans", "; level 1: Room\nluR\n; level 2: Corridor\nRR\n");
/// let plan = verify_level(area.as_ref(), Some(2), &plans).expect("it holds");
/// assert_eq!(plan.text(), "RR\n");
/// assert!(verify_level(area.as_ref(), Some(3), &plans).is_err());
/// ```
pub fn verify_level(
    area: &dyn Area,
    level: Option<usize>,
    plan: &Source,
) -> Result<Verified, PlanError> {
    let plans = Plans::read(area, plan).map_err(PlanError::Unreadable)?;
    let verified = verify_of(area, level, &plans);
    verified.unwrap_or_else(|| Err(PlanError::Unreadable(plans.missing(area, level))))
}

/// Verifies where the plans of a text are known: nothing where there is none of the area.
pub fn verify_of(
    area: &dyn Area,
    level: Option<usize>,
    plans: &Plans<'_>,
) -> Option<Result<Verified, PlanError>> {
    let verified = |Choice { plan, mut validation, remark }| {
        validation.remarks.extend(remark);
        Verified { text: plan.text, validation }
    };
    Some(plans.best(area, level)?.map(verified))
}

/// A planner's answer after its plan was verified.
#[derive(Clone, Debug)]
pub struct Settled {
    /// What is known, with the best plan: the planner's or the one known before. Its length is in the
    /// measure asked for.
    pub answer: Answer<Verified>,
    /// Whether the plan is the planner's.
    pub is_new: bool,
    /// Why the planner's plan was refused: a fault of the planner.
    pub refused: Option<PlanError>,
}

impl Settled {
    /// The best plan, where there is one.
    pub fn plan(&self) -> Option<&Verified> {
        self.answer.plan.as_ref()
    }

    /// The claim about all plans of the area.
    pub fn claim(&self) -> Claim {
        Claim::from_limit(self.answer.bound)
    }
}

/// Verifies a planner's answer: its plan is replayed, compared with the one known before, and the
/// better is kept. A claim that rests on a refused plan is dropped with it.
///
/// ```
/// use outwit::diagnostic::Source;
/// use outwit::games::{GameId, Objective};
/// use outwit::search::{Run, Verdict};
/// use outwit::verify::{settle, verify};
///
/// let level = Source::new("room", "#######\n#@    #\n# $  .#\n#######\n");
/// let area = GameId::Sokoban.game().read(&level).expect("a file").only().expect("a level");
/// let known = verify(area.as_ref(), &Source::new("known", "rldRRR\n")).expect("it holds");
///
/// let answer = area.solve(&Objective::OPTIMAL, Some(known.text()), &Run::seconds(10.0));
/// let settled = settle(area.as_ref(), answer, Some(known), None);
/// assert_eq!((settled.answer.verdict, settled.answer.length), (Verdict::Optimal, Some(3)));
/// // The planner's plan takes fewer moves for as many pushes.
/// assert!(settled.is_new && settled.refused.is_none());
/// ```
pub fn settle(
    area: &dyn Area,
    answer: Answer,
    known: Option<Verified>,
    measure: Option<Measure>,
) -> Settled {
    let replayed = answer.plan.map(|text| verify(area, &Source::new("the planner's plan", text)));
    let (found, refused) = match replayed {
        Some(Ok(plan)) => (Some(plan), None),
        Some(Err(error)) => (None, Some(error)),
        None => (None, None),
    };
    let (plan, is_new) = match (found, known) {
        (Some(found), Some(known)) if !found.beats_in(&known, measure) => (Some(known), false),
        (Some(found), _) => (Some(found), true),
        (None, known) => (known, false),
    };
    let length = plan.as_ref().map(|plan| plan.length(measure));
    let mut notes = answer.notes;
    let mut bound = if refused.is_some() { Some(0) } else { answer.bound };
    if let Some(length) = length.filter(|&length| bound.is_none_or(|bound| bound > length)) {
        let claim = bound.map_or("there is no plan".to_string(), |bound| {
            format!("no plan is shorter than {bound}")
        });
        notes.push(Fact::new(
            "fault of the planner",
            format!("it claims that {claim}; one of {length} is"),
        ));
        bound = Some(0);
    }
    let standing = match (length, answer.verdict) {
        (None, Verdict::Impossible) if refused.is_none() => Standing::Impossible,
        _ => Standing::new(length, bound.unwrap_or(0)),
    };
    let (verdict, bound) = (standing.verdict(), standing.bound());
    let Answer { effort, settings, searches, .. } = answer;
    let answer = Answer { verdict, plan, length, bound, effort, notes, settings, searches };
    Settled { answer, is_new, refused }
}
