//! What bit boards tell of a position at once: frozen boxes, and the corral to play first.

use crate::games::sokoban::board::mask::{Bit, Mask, Maze};
use smallvec::SmallVec;

/// The boxes that can never move again.
///
/// A box is frozen where on both axes a neighbour is a wall or a frozen box, or both are squares
/// from which no box comes to a target. The frozen boxes are the greatest fixed point of that rule.
#[inline]
pub fn frozen<const W: usize>(maze: &Maze<W>, boxes: Mask<W>, live: Mask<W>) -> Mask<W> {
    let mut frozen = boxes;
    loop {
        let free = maze.floor.without(frozen);
        let may_move = |a: usize, b: usize| {
            (maze.step(free, a) & maze.step(free, b)) & (maze.step(live, a) | maze.step(live, b))
        };
        let left = frozen.without(may_move(1, 3) | may_move(0, 2));
        if left == frozen || left.is_empty() {
            return left;
        }
        frozen = left;
    }
}

/// Whether the box on a bit can move as the boxes stand, were the player anywhere: on one axis both
/// neighbours are free, and from one of them a box comes to a target.
///
/// Such a box is not frozen, and freezes no other.
#[inline]
pub fn can_move<const W: usize>(maze: &Maze<W>, boxes: Mask<W>, live: Mask<W>, bit: Bit) -> bool {
    let around = maze.floor.without(boxes);
    let one = Mask::of(bit);
    let axis = |a: usize, b: usize| {
        let (first, second) = (maze.step(one, a) & around, maze.step(one, b) & around);
        !first.is_empty() && !second.is_empty() && (first | second).meets(live)
    };
    axis(1, 3) || axis(0, 2)
}

/// Parts of the board that the player cannot reach, each with the boxes in and around it: areas of
/// free squares, and areas that hang together through boxes.
#[inline]
pub fn corrals<const W: usize>(
    maze: &Maze<W>,
    boxes: Mask<W>,
    region: Mask<W>,
) -> SmallVec<[(Mask<W>, Mask<W>); 8]> {
    let mut corrals = SmallVec::new();
    let missed = maze.floor.without(boxes | region);
    if missed.is_empty() {
        return corrals;
    }
    for area in maze.regions(missed) {
        let corral = maze.beside(area) & boxes;
        corrals.push((area | corral, corral));
    }
    for area in maze.regions(maze.floor.without(region)).filter(|area| area.meets(missed)) {
        corrals.push((area, area & boxes));
    }
    corrals
}

/// The boxes of the PI-corral of fewest boxes that has to be touched, where there is one: some push
/// of them may as well come next (see
/// [`corral`](crate::games::sokoban::planner::deadlock::corral)). If there are fewer boxes than targets, a corral
/// has to be touched only where a box of it is on no target.
#[inline]
pub fn corral_to_play<const W: usize>(
    maze: &Maze<W>,
    (boxes, region): (Mask<W>, Mask<W>),
    live: Mask<W>,
    corrals: &[(Mask<W>, Mask<W>)],
) -> Option<Mask<W>> {
    let mut best: Option<Mask<W>> = None;
    for &(area, corral) in corrals {
        let fewer = best.is_none_or(|best| corral.count() < best.count());
        if fewer
            && !is_settled(maze, boxes, (area, corral))
            && is_pi_corral(maze, boxes, region, live, (area, corral))
        {
            best = Some(corral);
        }
    }
    best
}

/// Whether the boxes of an area may stay where they are to the end.
#[inline]
fn is_settled<const W: usize>(
    maze: &Maze<W>,
    boxes: Mask<W>,
    (area, corral): (Mask<W>, Mask<W>),
) -> bool {
    corral.without(maze.targets).is_empty()
        && ((area & maze.targets).without(boxes).is_empty() || boxes.count() < maze.targets.count())
}

/// Whether every push of the boxes of an area that the player cannot enter, if it starts outside, ends in the
/// area, and the player can do each of those now as far as no box is in the way.
#[inline]
fn is_pi_corral<const W: usize>(
    maze: &Maze<W>,
    boxes: Mask<W>,
    region: Mask<W>,
    live: Mask<W>,
    (area, corral): (Mask<W>, Mask<W>),
) -> bool {
    let dead = maze.floor.without(live | boxes);
    let mut can_push = false;
    for d in 0..4 {
        let back = d ^ 2;
        let outside = (corral & maze.step(maze.floor, back) & maze.step(maze.floor, d))
            .without(maze.step(area, d) | maze.step(dead, back));
        let fitting = maze.step(area, back) & maze.step(region, d);
        if !outside.without(fitting).is_empty() {
            return false;
        }
        can_push |= outside.meets(maze.step(maze.floor.without(boxes), back));
    }
    can_push
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::mix;
    use crate::games::sokoban::board::region::Flood;
    use crate::games::sokoban::board::samples::random_level;
    use crate::games::sokoban::board::{Board, Square, State};
    use crate::games::sokoban::planner::analysis::level::LevelAnalysis;
    use crate::games::sokoban::planner::deadlock::corral::Corrals;
    use crate::games::sokoban::planner::deadlock::freeze::Freeze;

    /// Compares both tests with those of the other searches along a random walk; how many positions
    /// had frozen boxes, and how many a corral to play.
    fn compare<const W: usize>(board: &Board, seed: u64) -> (u32, u32) {
        let Some(maze) = Maze::<W>::new(board) else { return (0, 0) };
        let analysis = LevelAnalysis::new(board);
        let set = |is_in: &dyn Fn(Square) -> bool| -> Mask<W> {
            maze.floor.into_iter().filter(|&bit| is_in(maze.square(bit))).collect()
        };
        let live = set(&|square| analysis.live[square as usize]);
        let mut state = State::new(board);
        let mut flood = Flood::new(&board.layout);
        let (mut freeze, mut corrals) = (Freeze::new(board), Corrals::new(board));
        let mut count = (0, 0);
        for turn in 0..12 {
            let list = state.boxes();
            let boxes = set(&|square| list.contains(&square));
            let mut expected = Vec::new();
            freeze.all(board, &analysis.live, &list, &mut expected);
            let expected = set(&|square| expected.contains(&square));
            assert_eq!(frozen(&maze, boxes, live), expected, "seed {seed}, turn {turn}");
            count.0 += u32::from(!expected.is_empty());
            for bit in boxes.into_iter().filter(|&bit| can_move(&maze, boxes, live, bit)) {
                let others = boxes.without(Mask::of(bit));
                assert_eq!(frozen(&maze, others, live), expected, "seed {seed}, turn {turn}");
            }
            flood.fill(&state.occupied, state.player);
            corrals.find(board, &state.occupied, list.len(), &flood);
            let every = list.len() == board.targets.len();
            if every {
                let first =
                    corrals.first_to_play(board, &analysis.live, &state.occupied, &flood, every);
                let first = first.map(|first| set(&|square| first.contains(&square)));
                let region = set(&|square| flood.contains(square));
                let found = super::corrals(&maze, boxes, region);
                let ours = corral_to_play(&maze, (boxes, region), live, &found);
                // The other searches pass over areas through boxes that have as many boxes as an
                // area by itself, and of corrals of as many boxes either may come first.
                let fewer = first
                    .is_none_or(|first| ours.is_some_and(|ours| ours.count() <= first.count()));
                assert!(fewer, "seed {seed}, turn {turn}: {ours:?}, {first:?}");
                count.1 += u32::from(ours.is_some());
            }
            let mut pushes = Vec::new();
            state.pushes(&mut flood, &mut pushes);
            if pushes.is_empty() {
                break;
            }
            state.push(pushes[(mix(seed ^ turn) % pushes.len() as u64) as usize]);
        }
        count
    }

    #[test]
    fn frozen_boxes_and_corrals_are_those_of_the_other_searches() {
        let (mut frozen, mut corrals) = (0, 0);
        for seed in 0..4000 {
            let Some(board) = random_level(seed, 9, 9) else { continue };
            let count = compare::<2>(&board, seed);
            frozen += count.0;
            corrals += count.1;
        }
        assert!(
            frozen > 1000 && corrals > 30,
            "{frozen} with frozen boxes, {corrals} with corrals"
        );
    }
}
