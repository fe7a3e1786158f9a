//! Waypoints: positions that a backward search has reached, as goals of forward searches.
//!
//! A backward search often takes a room of targets apart at once and then fails to put the last
//! boxes back on the crowded squares of the start, where a forward search has hardly a choice. So
//! positions on its way become the goals of short forward searches, as in perimeter search
//! (Dillenburg and Nelson, "Perimeter Search", AI 1994). The squares of a waypoint lie scattered,
//! so boxes may come to them in any order. The boxes often arrive with the player on the wrong side
//! of them, so the side is part of the goal.

use crate::games::sokoban::board::{Board, Push, Square};
use crate::games::sokoban::planner::analysis::Prepared;
use crate::games::sokoban::planner::analysis::level::LevelAnalysis;
use crate::games::sokoban::planner::analysis::push_distance::PullDistances;
use crate::games::sokoban::planner::fess::finish::{HybridSearch, Limits};
use crate::games::sokoban::planner::fess::{Fess, Style};
use crate::games::sokoban::planner::packing;
use crate::games::sokoban::planner::packing::plan_search::{
    ExitOrder, ExitRules, PlanOptions, QUICK,
};
use crate::games::sokoban::planner::pushes::best_first::{BestFirst, Weights};
use crate::games::sokoban::planner::pushes::{Ended, Measure};
use crate::games::sokoban::planner::tuning::Tuning;
use crate::search::Clock;
use std::sync::Arc;

/// Expansions of a best-first search to a waypoint.
const BEST_FIRST: u64 = 10_000;
/// Expansions of a feature-space search to a waypoint.
const FEATURES: u64 = 400;
/// Expansions for each position that this search hands over.
const HANDED: u64 = 800;
/// Squares times boxes, above which measuring the ways to a waypoint takes too long.
const MOST_PAIRS: usize = 100_000;
/// How best-first search weighs positions.
const WEIGHTS: Weights = Weights { cost: 1, bound: 3 };

/// A position from which the way to the end is known.
#[derive(Clone, Debug)]
pub struct Waypoint {
    /// The boxes, in order.
    pub boxes: Vec<Square>,
    /// A square of the player's region.
    pub player: Square,
    /// Pushes from there until the level is solved.
    pub rest: Vec<Push>,
}

/// What looking for the way to a waypoint may take.
#[derive(Clone, Copy, Debug)]
pub struct Allowance {
    /// Expansions.
    pub nodes: u64,
    /// Bytes held.
    pub memory: usize,
}

/// Whether waypoints of a board are worth a try.
pub fn pay_on(board: &Board) -> bool {
    board.squares() * board.boxes.len() <= MOST_PAIRS
}

impl Waypoint {
    /// Looks for a way to the waypoint: pushes from the start until the level is solved. What was
    /// expanded and generated is added to `spent`.
    pub fn solve(
        &self,
        level: &Board,
        distances: &PullDistances,
        clock: &Clock,
        allowance: Allowance,
        spent: &mut (u64, u64),
    ) -> Option<Vec<Push>> {
        let mut board = level.clone();
        board.aim_at(&self.boxes);
        let analysis = LevelAnalysis::new(&board);
        let distances = Arc::new(distances.towards(&board));
        // No search from here has a number that can be set.
        let here = Prepared {
            board: &board,
            analysis: &analysis,
            distances: &distances,
            tuning: &Tuning::default(),
        };
        let limit = spent.0.saturating_add(allowance.nodes);
        let start = (board.boxes.clone(), board.player);
        if let Some(way) = self.finish(here, start, clock, allowance, spent) {
            return Some(self.with_rest(way));
        }
        let left =
            |spent: &(u64, u64)| Allowance { nodes: limit.saturating_sub(spent.0), ..allowance };
        let Allowance { nodes, memory } = left(spent);
        if nodes == 0 {
            return None;
        }
        let options =
            PlanOptions { exit_order: ExitOrder::Far, rules: ExitRules::STRICT, work: QUICK };
        let plan = Arc::new(packing::plan(&board, &analysis, options, clock));
        let search = Fess::new(here, plan, Style::default());
        let mut hybrid = HybridSearch::new(here, search);
        let limits = Limits { features: FEATURES, handed: HANDED, nodes, memory };
        let ended = hybrid.run(clock, limits);
        let (expanded, generated) = hybrid.effort();
        spent.0 += expanded;
        spent.1 += generated;
        let Ended::Solved(way) = ended else { return None };
        // The boxes are there. The player may still be on the wrong side.
        let player = way.last().map_or(board.player, |push| push.from);
        let there = (self.boxes.clone(), player);
        let more = self.finish(here, there, clock, left(spent), spent)?;
        Some(self.with_rest([way, more].concat()))
    }

    /// Looks for pushes from a position to the waypoint by best-first search.
    fn finish(
        &self,
        level: Prepared<'_>,
        start: (Vec<Square>, Square),
        clock: &Clock,
        allowance: Allowance,
        spent: &mut (u64, u64),
    ) -> Option<Vec<Push>> {
        let most = BEST_FIRST.min(allowance.nodes);
        let mut search = BestFirst::from(level, Measure::Pushes, WEIGHTS, start);
        search.end_with(self.player);
        let ended = search.run(clock, (most, most), allowance.memory);
        spent.0 += search.expansions;
        spent.1 += search.generated();
        match ended {
            Ended::Solved(pushes) => Some(pushes),
            _ => None,
        }
    }

    fn with_rest(&self, mut way: Vec<Push>) -> Vec<Push> {
        way.extend_from_slice(&self.rest);
        way
    }
}
