//! After the first plan: proven or shortened for a part of the time that is left.

use super::{Settled, Verified, settle};
use crate::games::{Answer, Area, Measure, Objective};
use crate::search::{Control, Event, Listener, Run, StopReason, UnknownWord, Verdict, explain};
use std::str::FromStr;
use std::sync::Arc;

/// How much of the budget is spent after the first plan is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Thoroughness {
    /// Nothing: the first plan is the answer.
    Quick,
    /// A tenth of the whole at most: half for a proof, half for shortening.
    #[default]
    Good,
    /// All of it: at most half of the whole for a proof, the rest for shortening.
    Best,
}

/// A stage of the work on a plan; they come in this order.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// A search for a shortest plan, and for a proof: where an area is small it settles everything.
    Prove,
    /// The planner shortens the plan.
    Shorten,
    /// The planner shortens a plan that is proven to be shortest in another measure: the game's other ones decide
    /// between plans of the same length.
    Polish,
}

impl Thoroughness {
    /// All of them.
    pub const ALL: [Thoroughness; 3] =
        [Thoroughness::Quick, Thoroughness::Good, Thoroughness::Best];

    /// Its one word, by which it is read, too.
    pub fn name(self) -> &'static str {
        match self {
            Thoroughness::Quick => "quick",
            Thoroughness::Good => "good",
            Thoroughness::Best => "best",
        }
    }

    /// The part of the whole budget that a stage may spend, of what is left by then.
    fn share(self, stage: Stage) -> f64 {
        match (self, stage) {
            (Thoroughness::Quick, _) => 0.0,
            (Thoroughness::Good, Stage::Polish) => 0.01,
            (Thoroughness::Good, _) => 0.05,
            (Thoroughness::Best, Stage::Polish) => 0.1,
            (Thoroughness::Best, Stage::Prove) => 0.5,
            (Thoroughness::Best, Stage::Shorten) => 1.0,
        }
    }
}

impl FromStr for Thoroughness {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, UnknownWord> {
        UnknownWord::find(("effort", word), &Thoroughness::ALL, Thoroughness::name)
    }
}

/// Looks for a plan, and where one is found without a proof, spends a part of what is left on a proof and on
/// shortening it. An objective that asks for a proof itself gets all of the budget for that.
///
/// With a number of expansions as the limit no clock decides what is done.
///
/// ```
/// use outwit::games::Objective;
/// use outwit::search::{Run, Verdict};
/// use outwit::verify::{Thoroughness, pursue};
///
/// let level = outwit::parse("#######\n#@    #\n# $  .#\n#     #\n#######\n")?.only()?;
/// let run = Run::seconds(10.0);
/// let settled = pursue(&*level, &Objective::default(), None, &run, Thoroughness::Good);
/// assert_eq!((settled.answer.verdict, settled.answer.length), (Verdict::Optimal, Some(3)));
/// # Ok::<(), outwit::Error>(())
/// ```
pub fn pursue(
    area: &dyn Area,
    objective: &Objective,
    known: Option<Verified>,
    run: &Run,
    thoroughness: Thoroughness,
) -> Settled {
    let answer = area.solve(objective, known.as_ref().map(Verified::text), run);
    let settled = settle(area, answer, known, objective.measure);
    // Processes that search together all do the one search.
    if objective.prove || run.cluster.is_some() {
        return settled;
    }
    Pursuit { area, objective, run }.go_on(settled, |stage| thoroughness.share(stage))
}

/// Shortens a plan within limits: a small part of them is for a proof, which settles everything where an area is
/// small, and gives a bound in the measure of the objective. The better of the two plans is the answer.
pub fn improve(area: &dyn Area, objective: &Objective, known: Verified, run: &Run) -> Settled {
    let objective = &Objective { prove: false, ..*objective };
    let plan = Answer { bound: Some(0), ..Answer::nothing() };
    let settled = settle(area, plan, Some(known), objective.measure);
    let share = |stage| if stage == Stage::Prove { Thoroughness::Good.share(stage) } else { 1.0 };
    Pursuit { area, objective, run }.go_on(settled, share)
}

/// The work on a plan: of which area, for which objective, within which budget.
struct Pursuit<'a> {
    area: &'a dyn Area,
    objective: &'a Objective,
    run: &'a Run,
}

impl Pursuit<'_> {
    /// Takes the stages one after the other, each with its share of the whole budget.
    fn go_on(&self, mut settled: Settled, share: impl Fn(Stage) -> f64) -> Settled {
        let has_measures = !self.area.game().game().measures().is_empty();
        for stage in [Stage::Prove, Stage::Shorten, Stage::Polish] {
            let is_stopped = settled.answer.effort.stopped.is_some();
            let Some(plan) = settled.plan().filter(|_| !is_stopped).cloned() else { break };
            let is_due = match (stage, settled.answer.verdict) {
                (Stage::Prove | Stage::Shorten, Verdict::Found) => true,
                (Stage::Polish, Verdict::Optimal) => has_measures,
                _ => false,
            };
            let part = self.part(share(stage), &settled).filter(|_| is_due);
            let Some(part) = part else { continue };
            let part = hearing_news(part, &settled, self.objective.measure);
            let answer = match stage {
                Stage::Prove => {
                    // Where another measure decides between plans of the same length, the proof's own plan may
                    // be the better one; a search that knows a plan looks for shorter ones only.
                    let known = (!has_measures).then(|| plan.text());
                    self.area.solve(&Objective { prove: true, ..*self.objective }, known, &part)
                }
                Stage::Shorten | Stage::Polish => {
                    self.area.improve(plan.text(), self.objective, &part)
                }
            };
            let later = settle(self.area, answer, Some(plan), self.objective.measure);
            settled = settled.followed_by(later);
        }
        settled
    }

    /// A share of the whole budget, as far as it is left; none where nothing is.
    fn part(&self, share: f64, settled: &Settled) -> Option<Run> {
        let mut limits = self.run.limits;
        let left = limits.time.saturating_sub(settled.answer.effort.elapsed);
        limits.time = left.min(limits.time.mul_f64(share));
        limits.nodes = limits.nodes.map(|nodes| {
            let left = nodes.saturating_sub(settled.answer.effort.expanded);
            left.min((nodes as f64 * share) as u64)
        });
        let is_something = !limits.time.is_zero() && limits.nodes != Some(0);
        is_something.then(|| Run { limits, ..self.run.clone() })
    }
}

/// The same run with a listener that passes on news only: neither the settled plan nor a longer one, and only
/// bounds above the settled one.
fn hearing_news(run: Run, settled: &Settled, measure: Option<Measure>) -> Run {
    let (Some(before), Some(plan)) = (run.control.listener.clone(), settled.plan()) else {
        return run;
    };
    let (least, best) = (plan.length(measure), plan.text().to_string());
    let least_bound = settled.answer.bound;
    let listener: Listener = Arc::new(move |event| match event {
        Event::PlanFound { length, plan } if *length > least || *plan == best => {}
        Event::BoundRaised { bound } if Some(*bound) <= least_bound => {}
        event => before(event),
    });
    Run { control: Control { listener: Some(listener), ..run.control }, ..run }
}

impl Settled {
    /// What is known after a later search that knew of this one's plan.
    fn followed_by(self, later: Settled) -> Settled {
        let (mut answer, is_new) = (later.answer, self.is_new || later.is_new);
        let before = self.answer;
        answer.bound = before.bound.max(answer.bound);
        if answer.length.is_some() && answer.length == answer.bound {
            answer.verdict = Verdict::Optimal;
        }
        let effort = &mut answer.effort;
        effort.expanded += before.effort.expanded;
        effort.generated += before.effort.generated;
        effort.elapsed += before.effort.elapsed;
        effort.memory = effort.memory.max(before.effort.memory);
        // The end of a part is not the end of the budget.
        effort.stopped = effort.stopped.filter(|&reason| reason == StopReason::Cancelled);
        let (mut notes, later_notes) = (before.notes, answer.notes);
        notes.retain(|note| later_notes.iter().all(|later| later.name != note.name));
        notes.extend(later_notes);
        answer.notes = notes;
        answer.searches = explain::joined(before.searches, answer.searches);
        Settled { answer, is_new, refused: self.refused.or(later.refused) }
    }
}
