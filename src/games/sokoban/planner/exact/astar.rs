//! A* over single pushes as a search that takes turns.

use crate::games::sokoban::board::{Board, Push};
use crate::games::sokoban::planner::analysis::Prepared;
use crate::games::sokoban::planner::pushes::best_first::{BestFirst, Weights};
use crate::games::sokoban::planner::pushes::{Ended, Measure, known_cost};
use crate::search::{self, Allowance, Known, Search, Spent, StopReason, Turn};

/// A* over single pushes (`pushes::best_first`), for a plan of least pushes or moves.
///
/// It has no resting place of its own: a round of positions ends with the share of the turn, so short
/// turns expand positions in another order than a long one, and may find another shortest plan.
pub(in super::super) struct AStarOverPushes<'a> {
    board: &'a Board,
    measure: Measure,
    search: BestFirst<'a>,
}

impl<'a> AStarOverPushes<'a> {
    /// A search that has not begun.
    pub(in super::super) fn new(level: Prepared<'a>, measure: Measure) -> Self {
        let search = BestFirst::new(level, measure, Weights::EXACT);
        AStarOverPushes { board: level.board, measure, search }
    }
}

impl Search for AStarOverPushes<'_> {
    type Plan = Vec<Push>;
    type Lesson = ();

    fn name(&self) -> &'static str {
        "astar"
    }

    fn turn(&mut self, known: Known, allowance: &Allowance<'_>) -> Turn<Vec<Push>> {
        self.search.beat(known_cost(known));
        let ended = self.search.run(allowance.clock, allowance.limit(), allowance.memory);
        let bound = self.search.bound;
        match ended {
            Ended::Solved(pushes) => {
                let cost = self.measure.cost(self.board, &pushes).map_or(bound, u64::from);
                Turn { plan: Some((cost, pushes)), bound: cost, ended: search::Ended::Proven }
            }
            Ended::Impossible => Turn::without_plan(known.cost, search::Ended::Proven),
            Ended::Exhausted => Turn::without_plan(bound, search::Ended::Exhausted),
            Ended::Stopped(StopReason::Nodes) if self.may_go_on(allowance.nodes) => {
                Turn::without_plan(bound, search::Ended::Resting)
            }
            Ended::Stopped(stop) => Turn::without_plan(bound, search::Ended::Stopped(stop)),
        }
    }

    fn spent(&self) -> Spent {
        let BestFirst { expansions: expanded, .. } = self.search;
        let (generated, memory) = (self.search.generated(), self.search.memory());
        Spent { expanded, generated, memory }
    }
}
