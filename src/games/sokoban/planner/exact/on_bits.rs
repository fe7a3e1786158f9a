//! Subproblems on bit boards: A* over the pushes of some boxes.

use super::ground::Ground;
use super::push_space::PushSpace;
use super::subproblems::{Answer, Subproblem, Subproblems};
use crate::games::sokoban::planner::pushes::Ended;
use crate::search::astar::astar_below;
use crate::search::{Clock, Limits, Outcome, StopReason, Verdict};
use std::sync::Arc;

impl<const W: usize> Subproblems for Arc<Ground<W>> {
    fn solve(&self, subproblem: Subproblem<'_>, clock: &Clock) -> Answer {
        let Subproblem { level, boxes, added, below, expansions, memory } = subproblem;
        let space = PushSpace::of_subset(level, self, boxes, added);
        let limits = Limits { nodes: Some(expansions), memory, ..clock.limits };
        let outcome = astar_below(&space, &clock.under(limits), below.into());
        let Outcome { verdict, plan, effort, .. } = outcome;
        let ended = match plan {
            Some(plan) => Ended::Solved(space.pushes(&plan)),
            None if verdict == Verdict::Unknown => {
                Ended::Stopped(effort.stopped.unwrap_or(StopReason::Nodes))
            }
            None => Ended::Impossible,
        };
        Answer { ended, expanded: effort.expanded, generated: effort.generated }
    }
}
