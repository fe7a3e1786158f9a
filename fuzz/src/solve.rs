//! What a planner says holds, however little it may spend: its plan is valid, no bound is above it, what
//! is proven is proven, and no more nodes are expanded than were allowed.

use super::input::{self, Choices};
use outwit::games::{Answer, Area, Objective};
use outwit::search::{Limits, Run, Verdict};
use outwit::verify::{Settled, settle};

/// Bytes of an area; a larger one takes too long.
const MOST_BYTES: usize = 3000;
/// Nodes of a search.
const MOST_NODES: u64 = 400;

/// Solves an area under a budget that the bytes after it choose, then improves the plan.
pub fn run(data: &[u8]) {
    let (text, rest) = input::split(data);
    if text.len() > MOST_BYTES {
        return;
    }
    let mut choices = Choices::new(rest);
    let budget = Run::from(Limits {
        nodes: Some(1 + choices.wide() % MOST_NODES),
        threads: 1 + choices.below(2),
        seed: u64::from(choices.byte()),
        memory: 1 << (18 + choices.below(12)),
        ..Limits::seconds(1e5)
    });
    let wanted = choices.byte();
    for area in input::areas(&text) {
        let objective = objective(&*area, wanted);
        let answer = area.solve(&objective, None, &budget);
        let settled = check(&*area, &objective, &budget, answer);
        if let Some(plan) = settled.answer.plan {
            let answer = area.improve(plan.text(), &objective, &budget);
            keeps_to(&budget, &answer);
            let before = plan.length(objective.measure);
            let settled = settle(&*area, answer, Some(plan), objective.measure);
            blameless(&settled);
            assert!(settled.answer.length.is_some_and(|length| length <= before));
        }
    }
}

/// What to be shortest in: nothing, or one of the game's measures.
fn objective(area: &dyn Area, wanted: u8) -> Objective {
    let measures = area.game().game().measures();
    match (wanted % 3, measures) {
        (0, _) => Objective::default(),
        (_, []) => Objective::OPTIMAL,
        (_, measures) => {
            let measure = Some(measures[usize::from(wanted / 3) % measures.len()]);
            Objective { measure, prove: true }
        }
    }
}

fn keeps_to(budget: &Run, answer: &Answer) {
    let (expanded, nodes) = (answer.effort.expanded, budget.limits.nodes.unwrap_or(u64::MAX));
    assert!(expanded <= nodes, "{expanded} expanded, {nodes} allowed");
}

fn blameless(settled: &Settled) {
    assert!(settled.refused.is_none(), "{:?}", settled.refused);
    let fault = settled.answer.notes.iter().find(|note| note.name == "fault of the planner");
    assert!(fault.is_none(), "{fault:?}");
}

/// Takes an answer through the door, and checks that its claims fit each other.
fn check(area: &dyn Area, objective: &Objective, budget: &Run, answer: Answer) -> Settled {
    keeps_to(budget, &answer);
    let (verdict, length, bound) = (answer.verdict, answer.length, answer.bound);
    let has_plan = answer.plan.is_some();
    assert_eq!(has_plan, matches!(verdict, Verdict::Optimal | Verdict::Found), "{verdict:?}");
    let settled = settle(area, answer, None, objective.measure);
    blameless(&settled);
    if has_plan {
        assert_eq!(settled.answer.length, length);
        assert!(length.is_some() && bound <= length, "{bound:?} above {length:?}");
        if verdict == Verdict::Optimal {
            assert_eq!(length, bound);
        }
    }
    settled
}
