//! Corrals: parts of the board that the player cannot come to, whose boxes can as well be pushed first.
//!
//! A corral is a set of squares that the player does not reach, with the boxes beside them. It counts where a first push of
//! one of its boxes, whatever is done with all other boxes before, is one that is possible now and leads into the corral,
//! and where one of its boxes is not on a target. Then some plan of fewest pushes begins with
//! such a push: in any plan, take the first push of a box of the corral and do it before all others. What is pushed
//! before does not come near the corral, and the player walks as he did. (The PI-corrals of Brian
//! Damgaard and Matthias Meger.)

use super::Walk;
use super::ground::{Ground, NOWHERE, SIDES, Square};

/// Which boxes need to be pushed; all where there is no corral.
pub struct Corrals {
    /// Number of the corral that each square was found to belong to last.
    stamps: Vec<u32>,
    stamp: u32,
    stack: Vec<Square>,
    /// Boxes of the corral that is looked at, then of the best.
    boxes: Vec<Square>,
    best: Vec<Square>,
}

impl Corrals {
    /// For levels of these squares.
    pub fn new(ground: &Ground) -> Self {
        let stamps = vec![0; ground.squares()];
        let (stack, boxes, best) = (Vec::new(), Vec::new(), Vec::new());
        Corrals { stamps, stamp: 0, stack, boxes, best }
    }

    /// The boxes of the corral with the fewest pushes; none where there is no corral. Corrals are grown from the squares
    /// beside `boxes`, in order, and of several the first counts. `walk` is the player's region.
    pub fn find(&mut self, ground: &Ground, walk: &Walk, boxes: &[Square]) -> Option<&[Square]> {
        let mut fewest = None;
        if self.stamp > u32::MAX - ground.squares() as u32 {
            self.stamps.fill(0);
            self.stamp = 0;
        }
        // Squares that this call has looked at have larger stamps.
        let before = self.stamp;
        for square in boxes.iter().flat_map(|&at| SIDES.map(|side| ground.beside(at, side))) {
            let is_open = square != NOWHERE && !walk.has(square) && !walk.is_box(square);
            if !is_open || self.stamps[square as usize] > before {
                continue;
            }
            let pushes = self.grow(ground, walk, square);
            if let Some(pushes) = pushes.filter(|&pushes| fewest.is_none_or(|least| pushes < least))
            {
                fewest = Some(pushes);
                std::mem::swap(&mut self.boxes, &mut self.best);
            }
        }
        fewest.is_some().then_some(&self.best)
    }

    /// Grows a corral from a square that the player does not reach; gives the number of its pushes, where it counts.
    fn grow(&mut self, ground: &Ground, walk: &Walk, first: Square) -> Option<usize> {
        self.stamp += 1;
        self.boxes.clear();
        // A corral that did not count has left squares here.
        self.stack.clear();
        self.enter(first);
        loop {
            self.spread(ground, walk);
            let pushes = self.pushes(ground, walk)?;
            if self.stack.is_empty() {
                let is_done = self.boxes.iter().all(|&square| ground.is_target(square));
                return (!is_done).then_some(pushes);
            }
        }
    }

    fn is_in(&self, square: Square) -> bool {
        self.stamps[square as usize] == self.stamp
    }

    fn enter(&mut self, square: Square) {
        self.stamps[square as usize] = self.stamp;
        self.stack.push(square);
    }

    /// Takes in all that is beside the empty squares that were entered, and the boxes.
    fn spread(&mut self, ground: &Ground, walk: &Walk) {
        while let Some(square) = self.stack.pop() {
            if walk.is_box(square) {
                self.boxes.push(square);
                continue;
            }
            for side in SIDES {
                let beside = ground.beside(square, side);
                if beside != NOWHERE && !self.is_in(beside) {
                    self.enter(beside);
                }
            }
        }
    }

    /// Counts the pushes that may be the first of a box of the corral. None where one of them leads out of it, or is
    /// not possible now; what has to belong to the corral, too, is entered.
    fn pushes(&mut self, ground: &Ground, walk: &Walk) -> Option<usize> {
        let mut pushes = 0;
        for number in 0..self.boxes.len() {
            let square = self.boxes[number];
            for side in SIDES {
                let behind = ground.beside(square, side.opposite());
                let ahead = ground.beside(square, side);
                if behind == NOWHERE || ahead == NOWHERE || self.is_in(behind) {
                    continue;
                }
                if self.is_in(ahead) && walk.is_box(ahead) {
                    continue;
                }
                if walk.has(ahead) {
                    return None;
                }
                // Boxes and squares that are in no corral yet, or in another one.
                let is_missing = |at: Square| !self.is_in(at) && !walk.has(at);
                let missing = [ahead, behind].map(|at| is_missing(at).then_some(at));
                missing.into_iter().flatten().for_each(|at| self.enter(at));
                pushes += usize::from(walk.has(behind));
            }
        }
        Some(pushes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Source;
    use crate::games::sokoban::format::read_levels;

    /// Number of boxes in the corral of a level.
    fn corral(text: &str) -> Option<usize> {
        let level = read_levels(&Source::new("level", text)).expect("a level").remove(0);
        let ground = Ground::new(&level).expect("it is small");
        let boxes: Vec<Square> = level.boxes.iter().map(|cell| ground.square(cell)).collect();
        let mut walk = Walk::new(&ground);
        walk.from(&ground, &boxes, ground.square(level.player));
        Corrals::new(&ground).find(&ground, &walk, &boxes).map(<[Square]>::len)
    }

    #[test]
    fn boxes_are_pushed_into_a_corral_alone() {
        assert_eq!(corral("#######\n#  @  #\n###$###\n###.###\n#######\n"), Some(1));
        // Along the niche it can be pushed, too.
        assert_eq!(corral("#######\n#  @  #\n#  $  #\n###.###\n#######\n"), None);
    }

    #[test]
    fn a_corral_whose_boxes_are_on_targets_is_none() {
        let text = "########\n# @    #\n# $ .  #\n###*####\n### ####\n########\n";
        assert_eq!(corral(text), None);
    }
}
