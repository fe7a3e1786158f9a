//! Clashes: pairs of boxes that cannot both go straight to targets, and what they add to the floor.
//!
//! Two boxes clash where, with no others on the board, no sequence of pushes brings each to a target of its own such that
//! every push brings its box nearer to that target. In a plan, the pushes of the two are such a sequence but for
//! the last condition; so there are more of them than the two distances, and since a push changes the
//! colour of the box's square as on a chessboard, at least two more. Pairs without a box in common add up.
//! (After the linear conflicts of Hansson, Mayer and Yung.)

use super::Walk;
use super::ground::{Ground, NEVER, NOWHERE, Pose, SIDES, Square};
use ahash::AHashSet;

/// Pushes that a clash adds.
const PRICE: u64 = 2;
/// Upper limit of the pairs of poses of a level; in a larger one nothing clashes.
const MAX_PAIRS: usize = 1 << 22;
/// Upper limit of the targets of a level, which are sets in a word; with more of them nothing clashes.
const MAX_TARGETS: usize = 64;
/// Upper limit of the positions that are looked at for one pair, before it is taken to be none that clashes.
const MAX_POSITIONS: usize = 800;

const UNKNOWN: u8 = 0;
const FINE: u8 = 1;
const CLASH: u8 = 2;

/// Which pairs of poses clash, found out when they are first met.
pub struct Clashes<'a> {
    ground: &'a Ground,
    /// By the first pose times the number of poses plus the second one; empty in a large level.
    table: Vec<u8>,
    walk: Walk,
    seen: AHashSet<Pair>,
    stack: Vec<Pair>,
    is_paired: Vec<bool>,
}

/// Two boxes, the least square that the player reaches, and the targets to which each push has brought its box nearer.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Pair {
    boxes: [Square; 2],
    player: Square,
    targets: [u64; 2],
}

impl<'a> Clashes<'a> {
    /// The clashes of a level, none of them found out yet.
    pub fn new(ground: &'a Ground) -> Self {
        let table = vec![UNKNOWN; Clashes::bytes(ground)];
        let (seen, stack, is_paired) = (AHashSet::new(), Vec::new(), Vec::new());
        Clashes { ground, table, walk: Walk::new(ground), seen, stack, is_paired }
    }

    /// Bytes of the table of a level, one for each pair of poses.
    pub fn bytes(ground: &Ground) -> usize {
        let pairs = ground.poses() * ground.poses();
        let is_small = pairs <= MAX_PAIRS && ground.targets() <= MAX_TARGETS;
        if is_small { pairs } else { 0 }
    }

    /// Pushes that the clashes of boxes in these poses add at most.
    pub fn most(&self, poses: &[Pose]) -> u64 {
        if self.table.is_empty() { 0 } else { poses.len() as u64 / 2 * PRICE }
    }

    /// Pushes that the clashes of boxes in these poses add: pairs are taken in order, each with the first that is
    /// left.
    pub fn price(&mut self, poses: &[Pose]) -> u64 {
        if self.table.is_empty() {
            return 0;
        }
        self.is_paired.clear();
        self.is_paired.resize(poses.len(), false);
        let mut price = 0;
        for first in 0..poses.len() {
            if self.is_paired[first] {
                continue;
            }
            let partner = (first + 1..poses.len())
                .find(|&other| !self.is_paired[other] && self.clash(poses[first], poses[other]));
            if let Some(other) = partner {
                self.is_paired[other] = true;
                price += PRICE;
            }
        }
        price
    }

    fn clash(&mut self, one: Pose, other: Pose) -> bool {
        let (one, other) = (one.min(other), one.max(other));
        let at = one as usize * self.ground.poses() + other as usize;
        if self.table[at] == UNKNOWN {
            self.table[at] = if self.search([one, other]) { CLASH } else { FINE };
        }
        self.table[at] == CLASH
    }

    /// Whether two poses clash, wherever the player is in both.
    fn search(&mut self, poses: [Pose; 2]) -> bool {
        let ground = self.ground;
        let boxes = poses.map(|pose| ground.square_of(pose));
        let reached = |pose| {
            let distances = ground.distances(pose).iter().enumerate();
            distances.filter(|(_, d)| **d != NEVER).fold(0, |set, (target, _)| set | 1 << target)
        };
        let targets = poses.map(reached);
        self.seen.clear();
        self.stack.clear();
        for player in 0..ground.squares() as Square {
            let fits = |(&square, &pose)| ground.pose(square, player) == pose;
            if !boxes.contains(&player) && boxes.iter().zip(&poses).all(fits) {
                self.open(boxes, player, targets);
            }
        }
        while let Some(pair) = self.stack.pop() {
            if pair.is_home(ground) || self.seen.len() > MAX_POSITIONS {
                return false;
            }
            self.push_on(pair);
        }
        true
    }

    /// Looks at a position, unless it was looked at.
    fn open(&mut self, boxes: [Square; 2], player: Square, targets: [u64; 2]) {
        self.walk.from(self.ground, &boxes, player);
        let pair = Pair { boxes, player: self.walk.least, targets };
        if self.seen.insert(pair) {
            self.stack.push(pair);
        }
    }

    /// Takes every push that brings its box nearer to a target.
    fn push_on(&mut self, pair: Pair) {
        let ground = self.ground;
        self.walk.from(ground, &pair.boxes, pair.player);
        let mut pushes: [Option<(usize, Square)>; 8] = [None; 8];
        for (at, push) in pushes.iter_mut().enumerate() {
            let (number, side) = (at / SIDES.len(), SIDES[at % SIDES.len()]);
            let square = pair.boxes[number];
            let behind = ground.beside(square, side.opposite());
            let ahead = ground.beside(square, side);
            let is_free = behind != NOWHERE && ahead != NOWHERE && !pair.boxes.contains(&ahead);
            *push = (is_free && self.walk.has(behind)).then_some((number, ahead));
        }
        for (number, ahead) in pushes.into_iter().flatten() {
            let square = pair.boxes[number];
            let before = ground.distances(ground.pose(square, pair.player));
            let after = ground.distances(ground.pose(ahead, square));
            let nearer = (0..ground.targets())
                .filter(|&target| {
                    before[target] != NEVER && before[target] == after[target].saturating_add(1)
                })
                .fold(0, |set, target| set | 1 << target);
            let (mut boxes, mut targets) = (pair.boxes, pair.targets);
            boxes[number] = ahead;
            targets[number] &= nearer;
            if targets[number] != 0 {
                self.open(boxes, square, targets);
            }
        }
    }
}

impl Pair {
    /// Whether each box stands on a target that all its pushes have brought it nearer to.
    fn is_home(&self, ground: &Ground) -> bool {
        self.boxes.iter().zip(self.targets).all(|(&square, targets)| {
            ground.target_at(square).is_some_and(|target| targets >> target & 1 != 0)
        })
    }
}
