//! Boxes that never move again.

use super::ground::{Ground, NOWHERE, Square};
use crate::board::Direction;

/// The two axes along which a box is pushed, each by its two sides.
const AXES: [[Direction; 2]; 2] =
    [[Direction::North, Direction::South], [Direction::West, Direction::East]];

/// Whether a box that never moves again, in the cluster around `pushed`, is not on a target.
///
/// Take a set of boxes of which each, along either axis, has a wall or a box of the set at a side, or squares at
/// both sides from which a lone box reaches no target. In a plan none of them is pushed first: what is at its side
/// has to be pushed before, or the box would come to where it cannot be brought to a target. So none
/// is ever pushed.
pub fn is_dead(ground: &Ground, boxes: &[Square], pushed: Square) -> bool {
    frozen(ground, cluster(ground, boxes, pushed)).iter().any(|&square| !ground.is_target(square))
}

/// The boxes of a set that never move again, by the argument of [`is_dead`].
pub fn frozen(ground: &Ground, mut set: Vec<Square>) -> Vec<Square> {
    loop {
        let stays: Vec<Square> =
            set.iter().copied().filter(|&square| is_blocked(ground, &set, square)).collect();
        if stays.len() == set.len() {
            return set;
        }
        set = stays;
    }
}

/// The boxes that touch `first`, or a box that does, and so on.
fn cluster(ground: &Ground, boxes: &[Square], first: Square) -> Vec<Square> {
    let mut found = vec![first];
    let mut next = 0;
    while let Some(&square) = found.get(next) {
        next += 1;
        for side in AXES.as_flattened() {
            let beside = ground.beside(square, *side);
            if beside != NOWHERE && boxes.contains(&beside) && !found.contains(&beside) {
                found.push(beside);
            }
        }
    }
    found
}

fn is_blocked(ground: &Ground, set: &[Square], square: Square) -> bool {
    AXES.iter().all(|axis| {
        let beside = axis.map(|side| ground.beside(square, side));
        beside.iter().any(|&at| at == NOWHERE || set.contains(&at))
            || beside.iter().all(|&at| at != NOWHERE && ground.is_dead(at))
    })
}
