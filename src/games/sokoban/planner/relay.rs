//! From the best positions of a feature-space search to the end by best-first search.
//!
//! Feature-space search brings most boxes home in a few hundred expansions and then, where the
//! last few must be shuffled in ways that no feature rewards, tries everything. What is left is a
//! small level of its own, with the packed boxes as walls, which best-first search over single
//! pushes is good at: ten times as many positions a second, and no plan to follow. Where it proves
//! that a position is dead, that position is not tried again.

use super::best_first::{BestFirst, Ended, Measure, Weights};
use super::fess::Fess;
use super::terrain::Terrain;
use super::walk;
use crate::games::sokoban::state::{Board, Push};
use crate::search::Clock;

/// Positions that are handed over in one turn.
const POSITIONS: usize = 2;

/// What one feature-space search has handed over so far.
#[derive(Default)]
pub struct Relay {
    /// Nodes of the feature-space search that are proven dead.
    dead: Vec<u32>,
    /// Nodes expanded.
    pub expansions: u64,
    /// Children generated.
    pub generated: u64,
}

impl Relay {
    /// Tries to finish the best positions, with at most `limit` expansions and `memory` bytes for
    /// each; pushes from the level's start.
    pub fn run(
        &mut self,
        board: &Board,
        terrain: &Terrain,
        search: &Fess<'_>,
        clock: &Clock<'_>,
        (limit, memory): (u64, usize),
    ) -> Option<Vec<Push>> {
        for node in search.best_nodes(POSITIONS, &self.dead) {
            let (boxes, player) = search.position(node);
            let here = Board { boxes, player, ..board.clone() };
            let weights = Weights { cost: 1, bound: 2 };
            let mut finish = BestFirst::new(&here, terrain, Measure::Pushes, weights);
            let ended = finish.run(clock, limit, memory);
            self.expansions += finish.expansions;
            self.generated += finish.generated;
            match ended {
                Ended::Solved(rest) => {
                    let mut pushes = walk::pushes(board, &search.way_to(node))?;
                    pushes.extend(rest);
                    return Some(pushes);
                }
                Ended::Impossible => self.dead.push(node),
                Ended::Stopped(..) => {}
            }
        }
        None
    }
}
