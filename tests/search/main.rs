//! The searches agree with each other on spaces that are small enough to be sure of.

mod anytime;
mod beams;
#[cfg(feature = "cluster")]
mod cluster;
mod cyclic;
mod exact;
mod memory;
mod spaces;
mod turns;

use outwit::search::{Outcome, Space};

/// Walks a plan through the space: what it costs, and that it ends in a goal.
fn replay<S: Space<Action: PartialEq + std::fmt::Debug>>(
    space: &S,
    outcome: &Outcome<S::Action>,
) -> u64 {
    let total = cost_of(space, outcome.plan.as_ref().expect("there is a plan"));
    assert_eq!(outcome.cost, total, "the plan costs what is said");
    total
}

/// What a plan costs, which has to end in a goal.
fn cost_of<S: Space<Action: PartialEq + std::fmt::Debug>>(space: &S, plan: &[S::Action]) -> u64 {
    let mut scratch = space.scratch();
    let mut state = space.start();
    let mut total = 0;
    for &action in plan {
        let mut cost = None;
        space.expand(&state, &mut scratch, &mut |child| {
            if child.action == action {
                cost = Some(child.cost);
            }
        });
        total += u64::from(cost.expect("the action is one of the state's"));
        state = space.child(&state, action, &mut scratch);
    }
    assert!(space.is_goal(&state), "the plan ends in a goal");
    total
}
