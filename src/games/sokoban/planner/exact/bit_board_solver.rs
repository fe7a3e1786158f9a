//! The solver of subproblems on bit boards, by A* over the pushes of their boxes.

use super::penalties::{KnownSet, penalties_of};
use super::push_space::PushSpace;
use super::subproblems::{Answer, BitBoardSolver, Subproblem, Subproblems};
use crate::games::sokoban::board::Board;
use crate::games::sokoban::planner::pushes::Ended;
use crate::search::astar::astar_below;
use crate::search::{Clock, Limits, Outcome, StopReason, Verdict};

impl<const W: usize> Subproblems for BitBoardSolver<W> {
    fn solve(&self, subproblem: Subproblem<'_>, clock: &Clock) -> Answer {
        let Subproblem { level, boxes, added, below, expansions, memory } = subproblem;
        let space = PushSpace::of_subset(level, self, boxes, added).timed_by(clock);
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

    fn hear(&self, board: &Board, set: &KnownSet) {
        if self.studies {
            self.penalties.learn(penalties_of(&self.ground, board, std::slice::from_ref(set)));
        }
    }
}
