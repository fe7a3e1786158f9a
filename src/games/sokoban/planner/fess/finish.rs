//! A hybrid search: best-first search finishes what feature-space search has begun.
//!
//! Feature-space search brings most boxes home in a few hundred expansions. Where the last few
//! boxes must be shuffled in ways that no feature rewards, it tries everything. What remains then
//! is a small level of its own, with the packed boxes as walls. Best-first search over single
//! pushes is good at such levels: it looks at ten times as many positions a second and has no plan
//! to follow.
//!
//! Where it proves that a position is dead, the proof is made stronger. Boxes are left away one by
//! one as long as the rest is still proven dead. What remains is a deadlock in any company, and the
//! feature-space search skips every position that has it.

use super::expand_macros::{expand_macros, up_to_solved};
use super::{Fess, Found, Position};
use crate::games::sokoban::board::{Push, Square};
use crate::games::sokoban::planner::analysis::Prepared;
use crate::games::sokoban::planner::pushes::best_first::{BestFirst, EARNED, Weights};
use crate::games::sokoban::planner::pushes::{Ended, Measure};
use crate::search::{Clock, StopReason};

/// Positions that are handed over in one turn, not counting those that are proven dead.
const POSITIONS: usize = 2;
/// How the rest of a plan is searched.
const WEIGHTS: Weights = Weights { cost: 1, bound: 2 };
/// Expansions with which a proof is tried again with a box less, at least; and how many times those
/// of the proof before.
const AGAIN: (u64, u64) = (100, 3);

/// A feature-space search whose best positions best-first search tries to finish.
pub struct HybridSearch<'a> {
    level: Prepared<'a>,
    /// The feature-space search.
    pub search: Fess<'a>,
    /// What best-first search has expanded and generated.
    finishing: (u64, u64),
}

/// What a search and those it hands over to may spend, in all of its runs together.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Expansions of the feature-space search.
    pub features: u64,
    /// Expansions for each position that is handed over.
    pub handed: u64,
    /// Expansions of any kind.
    pub nodes: u64,
    /// Bytes held.
    pub memory: usize,
}

impl<'a> HybridSearch<'a> {
    /// A hybrid search that begins with a feature-space search.
    pub fn new(level: Prepared<'a>, search: Fess<'a>) -> Self {
        HybridSearch { level, search, finishing: (0, 0) }
    }

    /// Nodes expanded, and successors generated.
    pub fn effort(&self) -> (u64, u64) {
        let (expanded, generated) = self.finishing;
        (self.search.expansions + expanded, self.search.generated + generated)
    }

    /// What was spent, in nodes: an expansion of many children counts as several.
    pub fn spent(&self) -> u64 {
        self.search.spent() + self.finishing.0
    }

    /// Searches on, then hands over.
    pub fn run(&mut self, clock: &Clock, limits: Limits) -> Ended {
        match self.search_and_hand_over(clock, limits) {
            Ended::Solved(pushes) => Ended::Solved(up_to_solved(self.level.board, pushes)),
            ended => ended,
        }
    }

    /// Searches on, then hands over; a plan may go on past a solved position.
    fn search_and_hand_over(&mut self, clock: &Clock, limits: Limits) -> Ended {
        let nodes = limits.nodes.saturating_sub(self.finishing.0);
        match self.search.run(clock, (limits.features, nodes), limits.memory) {
            Found::Solved(macro_moves) => expand_macros(self.level.board, &macro_moves)
                .map_or(Ended::Exhausted, Ended::Solved),
            Found::Exhausted => Ended::Exhausted,
            Found::Stopped(StopReason::Nodes) => {
                let finished = self.hand_over(clock, limits);
                finished.map_or(Ended::Stopped(StopReason::Nodes), Ended::Solved)
            }
            Found::Stopped(stop) => Ended::Stopped(stop),
        }
    }

    /// Tries to finish the best positions; pushes from the level's start.
    fn hand_over(&mut self, clock: &Clock, limits: Limits) -> Option<Vec<Push>> {
        let limit = limits.handed.min(limits.nodes.saturating_sub(self.spent()) / 2);
        let memory = limits.memory.saturating_sub(self.search.memory());
        // Those that are tried again with a box less come on top of the limits of each.
        let end = limits.nodes.saturating_sub(self.search.spent());
        let (mut left, mut tried) = (limit * POSITIONS as u64, Vec::new());
        while left > 0 && tried.len() < POSITIONS && clock.should_stop(0, 0).is_none() {
            let best = self.search.best_nodes(tried.len() + 1);
            let Some(&node) = best.iter().find(|node| !tried.contains(*node)) else { break };
            let position = self.search.position(node);
            let before = self.finishing.0;
            let most = limit.min(left);
            let limits = Limits { handed: most, nodes: end, memory, ..limits };
            let most_pushes = self.search.limit.as_ref().map(|limit| limit.most);
            let pushes = self.search.reached(node).pushes;
            let rest = most_pushes.map(|most| most.saturating_sub(pushes));
            match self.finish(position.clone(), rest, clock, limits) {
                Ended::Solved(rest) => {
                    let mut pushes = expand_macros(self.level.board, &self.search.path_to(node))?;
                    pushes.extend(rest);
                    return Some(pushes);
                }
                Ended::Impossible if rest.is_none() => {
                    let spent = self.finishing.0 - before;
                    let again = (spent * AGAIN.1).max(AGAIN.0).min(most);
                    let limits = Limits { handed: again, ..limits };
                    let core = self.core(position.clone(), clock, limits);
                    self.search.bury(&core, position.1);
                }
                // Where pushes are limited, it is no proof.
                Ended::Impossible | Ended::Exhausted | Ended::Stopped(_) => tried.push(node),
            }
            left = left.saturating_sub((self.finishing.0 - before).max(1));
        }
        None
    }

    /// Searches from a position, with the deadlocks that the feature-space search knows, for a plan
    /// of at most `pushes` pushes, where they are limited. It does no more expansions than are for
    /// each position, and for all that are handed over.
    fn finish(
        &mut self,
        position: Position,
        pushes: Option<u32>,
        clock: &Clock,
        limits: Limits,
    ) -> Ended {
        let limit = limits.handed.min(limits.nodes.saturating_sub(self.finishing.0));
        let mut finish = BestFirst::from(self.level, Measure::Pushes, WEIGHTS, position);
        pushes.into_iter().for_each(|most| finish.beat(most + 1));
        std::mem::swap(finish.deadlocks(), &mut self.search.deadlocks);
        let earned = std::mem::replace(&mut finish.deadlocks().earned, EARNED);
        let ended = finish.run(clock, (limit, limit), limits.memory);
        finish.deadlocks().earned = earned;
        std::mem::swap(finish.deadlocks(), &mut self.search.deadlocks);
        self.finishing.0 += finish.expansions;
        self.finishing.1 += finish.generated();
        ended
    }

    /// Boxes of a dead position that are dead without the others.
    fn core(
        &mut self,
        (mut boxes, player): Position,
        clock: &Clock,
        limits: Limits,
    ) -> Vec<Square> {
        let mut i = 0;
        while i < boxes.len() && boxes.len() > 1 && clock.should_stop(0, 0).is_none() {
            let square = boxes.remove(i);
            let position = (boxes.clone(), player);
            let ended = self.finish(position, None, clock, limits);
            if !matches!(ended, Ended::Impossible) {
                boxes.insert(i, square);
                i += 1;
            }
        }
        boxes
    }
}
