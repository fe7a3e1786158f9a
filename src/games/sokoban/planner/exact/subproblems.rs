//! Subproblems of a level: some of its boxes, alone on the board. They are searched on bit boards
//! ([`bit_board_solver`](super::bit_board_solver)), or on lists of boxes if the board is too large for these.

use super::ground::Ground;
use super::penalties::{KnownSet, SharedPenalties};
use super::prices::Prices;
use crate::games::sokoban::board::mask::on_words;
use crate::games::sokoban::board::{Board, Square};
use crate::games::sokoban::planner::analysis::Prepared;
use crate::games::sokoban::planner::pushes::best_first::{BestFirst, Weights};
use crate::games::sokoban::planner::pushes::{Ended, Measure};
use crate::search::Clock;
use std::sync::Arc;

/// A subproblem, and the limits of its search.
#[derive(Clone, Copy)]
pub(super) struct Subproblem<'t> {
    /// The level. Its distances include [`Subproblem::added`].
    pub(super) level: Prepared<'t>,
    /// The squares of the boxes, in order.
    pub(super) boxes: &'t [Square],
    /// The surcharge of a box that ends on a target, by number of the target. The costs of all plans must differ by even
    /// numbers.
    pub(super) added: &'t [u16],
    /// Only plans that cost less are of interest.
    pub(super) below: u32,
    /// Upper limit of the expansions.
    pub(super) expansions: u64,
    /// Upper limit of the bytes.
    pub(super) memory: usize,
}

/// The outcome of a search of a subproblem, and its effort.
pub(super) struct Answer {
    pub(super) ended: Ended,
    pub(super) expanded: u64,
    pub(super) generated: u64,
}

/// A solver of the subproblems of one board. Later searches know the deadlocks that earlier ones have found.
pub(super) trait Subproblems: Send + Sync {
    /// Searches for a plan that brings each of the boxes to a target and costs less than the limit.
    fn solve(&self, subproblem: Subproblem<'_>, clock: &Clock) -> Answer;

    /// Takes in a set of a board's boxes that was found. Later searches may use it.
    fn hear(&self, _board: &Board, _set: &KnownSet) {}
}

/// A solver on bit boards. [`bit_board_solver`](super::bit_board_solver) implements its searches.
pub(super) struct BitBoardSolver<const W: usize> {
    pub(super) ground: Arc<Ground<W>>,
    /// The penalties that its searches use and learn. All subproblems must have the same prices as these.
    pub(super) penalties: Arc<SharedPenalties<W>>,
    /// Whether the searches of subproblems study positions on their way.
    pub(super) studies: bool,
}

/// The solver for the board of a level, of subproblems with these prices.
pub(super) fn subproblems(level: Prepared<'_>, prices: &Arc<Prices>) -> Box<dyn Subproblems> {
    on_words!(level.board, W => on_ground::<W>(level, prices), Box::new(OnLists))
}

fn on_ground<const W: usize>(level: Prepared<'_>, prices: &Arc<Prices>) -> Box<dyn Subproblems> {
    match Ground::<W>::new(level) {
        Some(ground) => Box::new(BitBoardSolver {
            ground: Arc::new(ground),
            penalties: Arc::new(SharedPenalties::new(Arc::clone(prices))),
            studies: true,
        }),
        None => Box::new(OnLists),
    }
}

/// Searches on lists of boxes.
struct OnLists;

impl Subproblems for OnLists {
    fn solve(&self, subproblem: Subproblem<'_>, clock: &Clock) -> Answer {
        let Subproblem { level, boxes, below, expansions, memory, .. } = subproblem;
        let start = (boxes.to_vec(), level.board.player);
        let mut search = BestFirst::from(level, Measure::Pushes, Weights::EXACT, start);
        search.tell_images_apart();
        search.beat(below);
        let ended = search.run(clock, (expansions, expansions), memory);
        Answer { ended, expanded: search.expansions, generated: search.generated() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::sokoban::board::samples::{draw, least_cost, random_level};
    use crate::games::sokoban::board::{Board, State};
    use crate::games::sokoban::planner::analysis::level::LevelAnalysis;
    use crate::games::sokoban::planner::analysis::push_distance::PushDistances;
    use crate::games::sokoban::planner::tuning::{AStar, Tuning};
    use crate::search::Run;

    /// Upper limit of the positions of plain search.
    const MOST: usize = 3000;

    /// A surcharge of a target. Its parity is the colour of the target's square, so that the costs of all plans of a
    /// subproblem differ by even numbers.
    fn surcharge(board: &Board, seed: u64, target: Square) -> u16 {
        let cell = board.cells[target as usize];
        let colour = (board.shape.row(cell) + board.shape.col(cell)) as u16 & 1;
        colour + 2 * draw(seed, u64::from(target) + 90, 3) as u16
    }

    #[test]
    fn costs_are_those_of_plain_search() {
        let (mut solved, mut impossible, mut refuted) = (0, 0, 0);
        for seed in 0..6000 {
            let Some(board) = random_level(seed, 7, 8).filter(Board::balanced) else { continue };
            let is_taken = |&at: &Square| draw(seed, u64::from(at) + 50, 3) > 0;
            let boxes: Vec<Square> = board.boxes.iter().copied().filter(is_taken).collect();
            if !(1..=3).contains(&boxes.len()) {
                continue;
            }
            let added: Vec<u16> =
                board.targets.iter().map(|&at| surcharge(&board, seed, at)).collect();
            let added_at = |at: Square| {
                let target = board.targets.iter().position(|&target| target == at);
                target.map(|target| u32::from(added[target]))
            };
            let alone = Board { boxes: boxes.clone(), ..board.clone() };
            let Some(least) = least_cost(&alone, MOST, added_at) else { continue };
            let (analysis, distances) = (LevelAnalysis::new(&board), PushDistances::new(&board));
            let prices = Arc::new(Prices::of_surcharges(&distances, added.clone()));
            // Studies are so short that there are many.
            let astar = AStar { study: 100, study_pause: 0, ..AStar::default() };
            let (distances, tuning) = (&prices.distances, &Tuning { astar, ..Tuning::default() });
            let level = Prepared { board: &board, analysis: &analysis, distances, tuning };
            let clock = Run::seconds(1000.0).start();
            let (expansions, memory) = (u64::MAX, 1 << 30);
            let subproblem = |below| Subproblem {
                level,
                boxes: &boxes,
                added: &added,
                below,
                expansions,
                memory,
            };
            let solver = subproblems(level, &prices);
            let cost = |below| match solver.solve(subproblem(below), &clock).ended {
                Ended::Solved(pushes) => {
                    let mut state = State::new(&alone);
                    pushes.iter().for_each(|&push| state.push(push));
                    let ends: Option<u32> = state.boxes().iter().map(|&at| added_at(at)).sum();
                    Some(pushes.len() as u32 + ends.expect("each box is on a target"))
                }
                Ended::Impossible => None,
                Ended::Exhausted | Ended::Stopped(_) => panic!("seed {seed}: not decided"),
            };
            assert_eq!(cost(u32::MAX), least, "seed {seed}");
            let most = least.unwrap_or(20);
            assert_eq!(cost(most + 1), least, "seed {seed}");
            assert_eq!(cost(most), None, "seed {seed}");
            // Lists end a plan when all boxes are on targets, even if others have lower surcharges. So they refute less.
            let refutes =
                |below| matches!(OnLists.solve(subproblem(below), &clock).ended, Ended::Impossible);
            assert!(least.is_none() || !refutes(most + 1), "seed {seed}");
            match least {
                Some(_) => solved += 1,
                None => impossible += 1,
            }
            refuted += u32::from(least.is_some() && refutes(most));
        }
        let count = format!("{solved} solved, {impossible} impossible, {refuted} refuted on lists");
        eprintln!("{count}");
        assert!(solved > 100 && impossible > 30 && refuted > 100, "{count}");
    }
}
