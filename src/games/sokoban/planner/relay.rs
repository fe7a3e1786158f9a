//! From the best positions of a feature-space search to the end by best-first search.
//!
//! Feature-space search brings most boxes home in a few hundred expansions and then, where the
//! last few must be shuffled in ways that no feature rewards, tries everything. What is left is a
//! small level of its own, with the packed boxes as walls, which best-first search over single
//! pushes is good at: ten times as many positions a second, and no plan to follow.
//!
//! Where it proves that a position is dead, the proof is made to say more: boxes are left away one
//! by one as long as the rest is still proven dead, and what remains is a deadlock that the
//! feature-space search need not run into again, in whatever company.

use super::best_first::{BestFirst, EARNED, Ended, Measure, Weights};
use super::fess::Fess;
use super::poses::Poses;
use super::terrain::Terrain;
use super::walk;
use crate::games::sokoban::state::{Board, Push, Square};
use crate::search::Clock;
use std::sync::Arc;

/// Positions that are handed over in one turn, not counting those that are proven dead.
const POSITIONS: usize = 2;
/// How the rest of a plan is searched.
const HOW: (Measure, Weights) = (Measure::Pushes, Weights { cost: 1, bound: 2 });
/// Expansions with which a proof is tried again with a box less, at least; and how many times those
/// of the proof before.
const AGAIN: (u64, u64) = (100, 3);

/// What one feature-space search has handed over so far.
pub struct Relay {
    poses: Arc<Poses>,
    /// Nodes expanded.
    pub expansions: u64,
    /// Children generated.
    pub generated: u64,
}

/// A position: the boxes in order, and the player.
type Position = (Vec<Square>, Square);

impl Relay {
    /// Nothing handed over yet.
    pub fn new(poses: Arc<Poses>) -> Self {
        Relay { poses, expansions: 0, generated: 0 }
    }

    /// Tries to finish the best positions, with at most `limit` expansions and `memory` bytes for
    /// each; pushes from the level's start.
    pub fn run<'a>(
        &mut self,
        board: &'a Board,
        terrain: &'a Terrain,
        search: &mut Fess<'a>,
        clock: &Clock<'_>,
        (limit, memory): (u64, usize),
    ) -> Option<Vec<Push>> {
        let (mut left, mut tried) = (limit * POSITIONS as u64, Vec::new());
        while left > 0 && tried.len() < POSITIONS && clock.should_stop(0, 0).is_none() {
            let best = search.best_nodes(tried.len() + 1);
            let Some(&node) = best.iter().find(|node| !tried.contains(*node)) else { break };
            let position = search.position(node);
            let before = self.expansions;
            let most = limit.min(left);
            match self.search((board, terrain), search, position.clone(), clock, (most, memory)) {
                Ended::Solved(rest) => {
                    let mut pushes = walk::pushes(board, &search.way_to(node))?;
                    pushes.extend(rest);
                    return Some(pushes);
                }
                Ended::Impossible => {
                    let spent = self.expansions - before;
                    let again = (spent * AGAIN.1).max(AGAIN.0).min(most);
                    let core = self.core(
                        (board, terrain),
                        search,
                        position.clone(),
                        clock,
                        (again, memory),
                    );
                    search.bury(&core, position.1);
                }
                Ended::Stopped(..) => tried.push(node),
            }
            left = left.saturating_sub((self.expansions - before).max(1));
        }
        None
    }

    /// Searches from a position, with the deadlocks that the feature-space search knows.
    fn search<'a>(
        &mut self,
        (board, terrain): (&'a Board, &'a Terrain),
        search: &mut Fess<'a>,
        position: Position,
        clock: &Clock<'_>,
        (limit, memory): (u64, usize),
    ) -> Ended {
        let mut finish = BestFirst::from(board, terrain, HOW, position, self.poses.clone());
        std::mem::swap(&mut finish.deadlocks, &mut search.deadlocks);
        let earned = std::mem::replace(&mut finish.deadlocks.earned, EARNED);
        let ended = finish.run(clock, limit, memory);
        finish.deadlocks.earned = earned;
        std::mem::swap(&mut finish.deadlocks, &mut search.deadlocks);
        self.expansions += finish.expansions;
        self.generated += finish.generated;
        ended
    }

    /// Boxes of a dead position that are dead without the others.
    fn core<'a>(
        &mut self,
        level: (&'a Board, &'a Terrain),
        search: &mut Fess<'a>,
        (mut boxes, player): Position,
        clock: &Clock<'_>,
        limits: (u64, usize),
    ) -> Vec<Square> {
        let mut i = 0;
        while i < boxes.len() && boxes.len() > 1 && clock.should_stop(0, 0).is_none() {
            let square = boxes.remove(i);
            let position = (boxes.clone(), player);
            if !matches!(self.search(level, search, position, clock, limits), Ended::Impossible) {
                boxes.insert(i, square);
                i += 1;
            }
        }
        boxes
    }
}
