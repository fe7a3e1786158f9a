//! Any text is a plan, a refused one, or a diagnostic; and the reference rules say the same of a plan
//! whether it is replayed or done step by step.

use super::input;
use outwit::diagnostic::Source;
use outwit::games::{Area, PlanError, Status};
use outwit::verify::verify;

/// Steps of a plan that are done one by one.
const MOST_STEPS: usize = 3000;

/// Replays a plan on an area: two texts.
pub fn run(data: &[u8]) {
    let (area, plan) = input::split(data);
    let plan = Source::new("plan", input::text(plan));
    for area in input::areas(&area) {
        let replayed = verify(&*area, &plan);
        let steps = area
            .steps(&plan)
            .map(|steps| steps.take(MOST_STEPS + 1).map(|step| step.text).collect());
        let steps: Result<Vec<String>, _> = steps;
        match &replayed {
            Err(PlanError::Unreadable(diagnostic)) => {
                assert!(!diagnostic.report(false).is_empty());
            }
            Err(PlanError::Refused(refusal)) => {
                assert!(refusal.step > 0 && !refusal.reason.is_empty(), "{refusal:?}");
                do_steps(&*area, &steps.expect("a plan that is replayed has steps"), false);
            }
            Ok(verified) => {
                assert_eq!(verified.text(), plan.text);
                do_steps(&*area, &steps.expect("a plan that is replayed has steps"), true);
            }
        }
    }
}

/// Does the steps of a plan in a session; a valid one is won with the last of them.
fn do_steps(area: &dyn Area, steps: &[String], is_valid: bool) {
    if steps.len() > MOST_STEPS {
        return;
    }
    let mut session = area.session();
    for (i, step) in steps.iter().enumerate() {
        match session.act(step) {
            Ok(()) => {}
            Err(reason) => {
                assert!(!is_valid, "step {}, {step:?}, of a valid plan: {reason}", i + 1);
                return;
            }
        }
        if session.status() != Status::Playing && !is_valid {
            // Nothing may come after the end.
            assert!(matches!(session.status(), Status::Lost(_)) || i + 1 < steps.len());
            return;
        }
    }
    let is_won = session.status() == Status::Won;
    assert_eq!(is_won, is_valid, "replayed and done step by step, {:?}", session.status());
}
