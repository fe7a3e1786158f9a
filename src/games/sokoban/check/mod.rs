//! Sokoban as a checker of proofs sees it, written from the rules: see [`crate::check`].
//!
//! | file | contents |
//! |---|---|
//! | `mod.rs` | [`Checker`]: states, pushes and walks as steps |
//! | [`ground`] | squares, push distances of a lone box |
//! | [`floor`] | the least total distance of all boxes to targets of their own |
//! | [`clash`] | pairs of boxes that cannot both go straight to targets |
//! | [`frozen`] | boxes that never move again |
//! | [`lost`] | dead squares and lost boxes, to be shown |
//! | [`corral`] | boxes that can as well be pushed first |
//!
//! A state is the boxes and, in pushes, the least square that the player reaches; in moves the square that he
//! stands on. A step is a push, in moves with a shortest walk before it. A part of a level, some of its boxes alone,
//! has one more step: to end where all boxes are on targets, at the cost of the surcharges of these targets.

mod clash;
mod corral;
mod floor;
mod frozen;
mod ground;
mod lost;

use super::format::Level;
use crate::board::Shape;
use crate::certificate::{Expander, Rulebook, Start, Step};
use clash::Clashes;
use corral::Corrals;
use floor::Matching;
use ground::{Ground, NOWHERE, Pose, SIDES, Square};
pub use lost::Lost;
use std::sync::Arc;

/// The unit of a plan's length.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counted {
    /// Pushes.
    Pushes,
    /// Moves, pushes among them.
    Moves,
}

/// One level, ready to be checked.
pub struct Checker {
    ground: Arc<Ground>,
    shape: Shape,
    counted: Counted,
    /// The boxes at the start, in order.
    boxes: Vec<Square>,
    player: Square,
    /// The surcharge of each target in a part of a level; `None` in a whole level.
    surcharges: Option<Vec<u64>>,
}

impl Checker {
    /// Prepares a level.
    ///
    /// # Errors
    /// Why the level is beyond this checker.
    pub fn new(level: &Level, counted: Counted) -> Result<Checker, String> {
        let ground = Arc::new(Ground::new(level)?);
        let boxes = level.boxes.iter().map(|cell| ground.square(cell)).collect();
        let player = ground.square(level.player);
        Ok(Checker { ground, shape: level.shape, counted, boxes, player, surcharges: None })
    }

    /// Whether a plan ends with the boxes on these squares. A part has a step for its end.
    fn is_goal(&self, boxes: &[Square]) -> bool {
        self.surcharges.is_none() && self.ground.is_complete(boxes)
    }

    /// The cost of the step that ends a part with its boxes on these squares. `None` in a whole level, and where a box
    /// is on no target.
    fn end_cost(&self, boxes: &[Square]) -> Option<u64> {
        let surcharges = self.surcharges.as_ref()?;
        boxes.iter().map(|&square| Some(surcharges[self.ground.target_at(square)?])).sum()
    }
}

impl Rulebook for Checker {
    fn start(&self) -> Start {
        if self.is_goal(&self.boxes) {
            return Start::Goal;
        }
        let mut walk = Walk::new(&self.ground);
        walk.from(&self.ground, &self.boxes, self.player);
        let player = match self.counted {
            Counted::Pushes => walk.least,
            Counted::Moves => self.player,
        };
        let mut bytes = Vec::new();
        write(&self.boxes, player, &mut bytes);
        Start::State(bytes.into())
    }

    fn bytes(&self, threads: usize) -> usize {
        self.ground.bytes() + threads * Clashes::bytes(&self.ground)
    }

    /// The boxes, where there are as many targets. Moves have no parts: a walk belongs to no box.
    fn members(&self) -> Option<usize> {
        let boxes = self.boxes.len();
        (self.counted == Counted::Pushes && boxes == self.ground.targets()).then_some(boxes)
    }

    fn part(&self, members: &[usize], surcharges: &[u64]) -> Option<Box<dyn Rulebook + '_>> {
        self.members().filter(|&targets| targets == surcharges.len())?;
        let boxes = members.iter().map(|&number| self.boxes.get(number).copied());
        let mut boxes = boxes.collect::<Option<Vec<_>>>()?;
        boxes.sort_unstable();
        Some(Box::new(Checker {
            ground: Arc::clone(&self.ground),
            boxes,
            surcharges: Some(surcharges.to_vec()),
            ..*self
        }))
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        Box::new(Pushes::new(self))
    }

    /// The boxes.
    fn cells(&self, state: &[u8]) -> Vec<(i64, i64)> {
        let mut boxes = Vec::new();
        read(state, &mut boxes);
        boxes.iter().map(|&square| self.shape.coordinates(self.ground.cell(square))).collect()
    }
}

/// Squares from which the player can be, by a breadth-first search.
struct Walk {
    /// Moves to each square; only those of the last walk count.
    moves: Vec<u32>,
    stamps: Vec<u32>,
    stamp: u32,
    /// Squares in the order in which they are reached.
    queue: Vec<Square>,
    /// Least square that was reached.
    least: Square,
}

impl Walk {
    fn new(ground: &Ground) -> Walk {
        let squares = ground.squares();
        let (moves, stamps) = (vec![0; squares], vec![0; squares]);
        Walk { moves, stamps, stamp: 0, queue: Vec::new(), least: NOWHERE }
    }

    /// Walks from `player` between the boxes, which are marked in the same stamps first.
    fn from(&mut self, ground: &Ground, boxes: &[Square], player: Square) {
        if self.stamp > u32::MAX - 4 {
            self.stamps.fill(0);
            self.stamp = 0;
        }
        // One stamp for boxes, the next for squares that are reached.
        self.stamp += 2;
        for &square in boxes {
            self.stamps[square as usize] = self.stamp - 1;
        }
        self.least = player;
        self.queue.clear();
        self.reach(player, 0);
        let mut done = 0;
        while let Some(&square) = self.queue.get(done) {
            done += 1;
            let moves = self.moves[square as usize] + 1;
            for next in ground.around(square) {
                if next != NOWHERE && self.stamps[next as usize] < self.stamp - 1 {
                    self.reach(next, moves);
                }
            }
        }
    }

    fn reach(&mut self, square: Square, moves: u32) {
        self.least = self.least.min(square);
        self.stamps[square as usize] = self.stamp;
        self.moves[square as usize] = moves;
        self.queue.push(square);
    }

    fn has(&self, square: Square) -> bool {
        self.stamps[square as usize] == self.stamp
    }

    fn is_box(&self, square: Square) -> bool {
        self.stamps[square as usize] == self.stamp - 1
    }
}

fn write(boxes: &[Square], player: Square, bytes: &mut Vec<u8>) {
    bytes.clear();
    for square in boxes.iter().chain([&player]) {
        bytes.extend_from_slice(&square.to_le_bytes());
    }
}

fn read(bytes: &[u8], boxes: &mut Vec<Square>) -> Square {
    boxes.clear();
    boxes.extend(bytes.chunks_exact(2).map(|two| Square::from_le_bytes([two[0], two[1]])));
    boxes.pop().unwrap_or(NOWHERE)
}

/// The pushes from one state.
struct Pushes<'a> {
    checker: &'a Checker,
    boxes: Vec<Square>,
    /// The player's region, with moves from where he stands.
    walk: Walk,
    corrals: Corrals,
    /// Whether each box needs to be pushed: all, or those of a corral.
    is_pushed: Vec<bool>,
    matching: Matching<'a>,
    clashes: Clashes<'a>,
    /// Poses of the boxes after the push that was given last.
    poses: Vec<Pose>,
    /// Number of the next box, and side of the next push: boxes times sides.
    next: usize,
    /// Cost of the step that ends a part here, until that step has been given.
    end: Option<u64>,
    /// The push that was given last: the box's place in `boxes`, and the state after it.
    pushed: Option<usize>,
    after: Vec<Square>,
    walk_after: Walk,
    bytes: Vec<u8>,
}

impl<'a> Pushes<'a> {
    fn new(checker: &'a Checker) -> Self {
        Pushes {
            checker,
            boxes: Vec::new(),
            walk: Walk::new(&checker.ground),
            corrals: Corrals::new(&checker.ground),
            is_pushed: Vec::new(),
            matching: Matching::new(
                &checker.ground,
                checker.boxes.len(),
                checker.surcharges.as_deref(),
            ),
            clashes: Clashes::new(&checker.ground),
            poses: Vec::new(),
            next: 0,
            end: None,
            pushed: None,
            after: Vec::new(),
            walk_after: Walk::new(&checker.ground),
            bytes: Vec::new(),
        }
    }

    /// The next push that the rules allow: the box's place, where it goes, and the moves with it.
    fn next_push(&mut self) -> Option<(usize, Square, u64)> {
        let ground = &self.checker.ground;
        while self.next < self.boxes.len() * SIDES.len() {
            let (number, side) = (self.next / SIDES.len(), SIDES[self.next % SIDES.len()]);
            self.next += 1;
            let square = self.boxes[number];
            let (behind, ahead) =
                (ground.beside(square, side.opposite()), ground.beside(square, side));
            if self.is_pushed[number]
                && behind != NOWHERE
                && ahead != NOWHERE
                && self.walk.has(behind)
                && !self.walk.is_box(ahead)
            {
                return Some((number, ahead, u64::from(self.walk.moves[behind as usize]) + 1));
            }
        }
        None
    }
}

impl Expander for Pushes<'_> {
    fn go_to(&mut self, state: &[u8], _left: u64) {
        let player = read(state, &mut self.boxes);
        self.walk.from(&self.checker.ground, &self.boxes, player);
        self.matching.match_all(&self.boxes, |square| self.checker.ground.pose(square, player));
        (self.next, self.pushed) = (0, None);
        self.end = self.checker.end_cost(&self.boxes);
        // A corral says nothing of moves: its box may be far from where the player is.
        let corral = match self.checker.counted {
            Counted::Pushes => self.corrals.find(&self.checker.ground, &self.walk, &self.boxes),
            Counted::Moves => None,
        };
        let is_pushed = |square| corral.is_none_or(|corral| corral.contains(square));
        self.is_pushed.clear();
        self.is_pushed.extend(self.boxes.iter().map(is_pushed));
    }

    fn next(&mut self) -> Option<Step<'_>> {
        if let Some(cost) = self.end.take() {
            return Some(Step::Goal { cost });
        }
        let (number, ahead, moves) = self.next_push()?;
        let (ground, counted) = (&self.checker.ground, self.checker.counted);
        let cost = if counted == Counted::Pushes { 1 } else { moves };
        let player = self.boxes[number];
        self.pushed = Some(number);
        self.after.clone_from(&self.boxes);
        self.after[number] = ahead;
        if self.checker.is_goal(&self.after) {
            return Some(Step::Goal { cost });
        }
        // In order, so that equal boxes are equal states; the matching keeps the order of `boxes`.
        let mut sorted = self.after.clone();
        sorted.sort_unstable();
        let stands = match counted {
            Counted::Pushes => {
                self.walk_after.from(ground, &self.after, player);
                self.walk_after.least
            }
            Counted::Moves => player,
        };
        write(&sorted, stands, &mut self.bytes);
        Some(Step::State { cost, to: &self.bytes })
    }

    fn costs_at_least(&mut self, left: u64) -> bool {
        let ground = &self.checker.ground;
        self.poses.clear();
        self.poses.extend_from_slice(self.matching.poses());
        let Some(number) = self.pushed else {
            let price = self.clashes.price(&self.poses);
            return self.matching.cost().is_none_or(|cost| cost + price >= left);
        };
        let (square, player) = (self.after[number], self.boxes[number]);
        let pose = ground.pose(square, player);
        if self.matching.costs_at_least(number, pose, left)
            || frozen::is_dead(ground, &self.after, square)
        {
            return true;
        }
        // What clashes says how long a plan is, not whether there is one.
        if left == u64::MAX {
            return false;
        }
        self.poses[number] = pose;
        let least = left.saturating_sub(self.clashes.most(&self.poses));
        if !self.matching.costs_at_least(number, pose, least) {
            return false;
        }
        let price = self.clashes.price(&self.poses);
        price > 0 && self.matching.costs_at_least(number, pose, left.saturating_sub(price))
    }
}
