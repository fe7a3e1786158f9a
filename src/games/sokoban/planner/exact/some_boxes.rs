//! Searches of some boxes of a level, alone on the board: on bit boards, or on lists of boxes where the board is
//! too large for them.

use super::push_space::{Ground, PushSpace};
use crate::games::sokoban::board::Square;
use crate::games::sokoban::board::mask::on_words;
use crate::games::sokoban::planner::analysis::Prepared;
use crate::games::sokoban::planner::pushes::best_first::{BestFirst, Weights};
use crate::games::sokoban::planner::pushes::{Ended, Measure};
use crate::search::astar::astar_below;
use crate::search::{Clock, Limits, Outcome, StopReason, Verdict};
use std::sync::Arc;

/// Some boxes of a level, and what a search of them may spend.
#[derive(Clone, Copy)]
pub(super) struct Task<'t> {
    /// The level, its distances with [`Task::added`] in them.
    pub(super) level: Prepared<'t>,
    /// The squares of the boxes, in order.
    pub(super) boxes: &'t [Square],
    /// What a box costs that ends on a target, by number of the target. All plans must differ by even numbers.
    pub(super) added: &'t [u16],
    /// Only plans that cost less are of interest.
    pub(super) below: u32,
    /// Upper limit of the expansions.
    pub(super) expansions: u64,
    /// Upper limit of the bytes.
    pub(super) memory: usize,
}

/// What a search of some boxes has come to.
pub(super) struct Answer {
    pub(super) ended: Ended,
    pub(super) expanded: u64,
    pub(super) generated: u64,
}

/// A way to search for plans of some boxes. What one search learns of the board, later ones know.
pub(super) trait SomeBoxes: Send + Sync {
    /// Searches for a plan that brings each of the boxes to a target and costs less than the limit.
    fn search(&self, task: Task<'_>, clock: &Clock) -> Answer;
}

/// The way to search that suits the board of a level.
pub(super) fn some_boxes(level: Prepared<'_>) -> Box<dyn SomeBoxes> {
    on_words!(level.board, W => on_bits::<W>(level), Box::new(OnLists))
}

fn on_bits<const W: usize>(level: Prepared<'_>) -> Box<dyn SomeBoxes> {
    match Ground::<W>::new(level) {
        Some(ground) => Box::new(Arc::new(ground)),
        None => Box::new(OnLists),
    }
}

impl<const W: usize> SomeBoxes for Arc<Ground<W>> {
    fn search(&self, task: Task<'_>, clock: &Clock) -> Answer {
        let space = PushSpace::of_some(task.level, self, task.boxes, task.added);
        let nodes = Some(task.expansions);
        let limits = Limits { nodes, memory: task.memory, ..clock.limits };
        let outcome = astar_below(&space, &clock.under(limits), task.below.into());
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

/// Searches on lists of boxes.
struct OnLists;

impl SomeBoxes for OnLists {
    fn search(&self, task: Task<'_>, clock: &Clock) -> Answer {
        let Task { level, boxes, below, expansions, memory, .. } = task;
        let start = (boxes.to_vec(), level.board.player);
        let mut search = BestFirst::from(level, Measure::Pushes, Weights::EXACT, start);
        search.tell_images_apart();
        search.beat(below);
        let ended = search.run(clock, expansions, memory);
        Answer { ended, expanded: search.expansions, generated: search.generated() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::sokoban::board::region::Flood;
    use crate::games::sokoban::board::samples::{draw, random_level};
    use crate::games::sokoban::board::{Board, State};
    use crate::games::sokoban::planner::analysis::level::LevelAnalysis;
    use crate::games::sokoban::planner::analysis::push_distance::PushDistances;
    use crate::games::sokoban::planner::tuning::Tuning;
    use crate::search::Run;
    use ahash::AHashSet;

    /// Upper limit of the positions of plain search.
    const MOST: usize = 3000;

    /// The least cost of a plan of the boxes of a board, by plain search: its pushes, and what is added where the boxes
    /// end. `Some(None)` if there is none, `None` if there are more than [`MOST`] positions.
    fn plain(board: &Board, added: impl Fn(Square) -> Option<u32>) -> Option<Option<u32>> {
        let mut flood = Flood::new(&board.layout);
        let mut layer = vec![(board.boxes.clone(), board.player)];
        let (mut seen, mut least) = (AHashSet::new(), None);
        for depth in 0.. {
            let mut next = Vec::new();
            for (boxes, player) in layer {
                let mut state = State::at(board, &boxes, player);
                flood.fill(&state.occupied, player);
                if !seen.insert((boxes.clone(), flood.least())) {
                    continue;
                }
                let ends: Option<u32> = boxes.iter().map(|&at| added(at)).sum();
                least = ends.map(|ends| depth + ends).into_iter().chain(least).min();
                let mut pushes = Vec::new();
                state.pushes(&mut flood, &mut pushes);
                for &push in &pushes {
                    state.push(push);
                    next.push((state.boxes(), state.player));
                    state.undo();
                }
            }
            if seen.len() > MOST {
                return None;
            }
            if next.is_empty() {
                return Some(least);
            }
            layer = next;
        }
        None
    }

    /// Something to be added for a target, such that all plans of some boxes differ by even numbers.
    fn even(board: &Board, seed: u64, target: Square) -> u16 {
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
            let added: Vec<u16> = board.targets.iter().map(|&at| even(&board, seed, at)).collect();
            let added_at = |at: Square| {
                let target = board.targets.iter().position(|&target| target == at);
                target.map(|target| u32::from(added[target]))
            };
            let alone = Board { boxes: boxes.clone(), ..board.clone() };
            let Some(least) = plain(&alone, added_at) else { continue };
            let (analysis, distances) = (LevelAnalysis::new(&board), PushDistances::new(&board));
            let (distances, tuning) = (Arc::new(distances.with_added(&added)), &Tuning::default());
            let level =
                Prepared { board: &board, analysis: &analysis, distances: &distances, tuning };
            let clock = Run::seconds(1000.0).start();
            let (expansions, memory) = (u64::MAX, 1 << 30);
            let task =
                |below| Task { level, boxes: &boxes, added: &added, below, expansions, memory };
            let on_bits = some_boxes(level);
            let cost = |below| match on_bits.search(task(below), &clock).ended {
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
            // On lists a position with all boxes on targets is taken for solved, wherever they could go for less.
            let refutes =
                |below| matches!(OnLists.search(task(below), &clock).ended, Ended::Impossible);
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
