//! Push distances: what the way of a lone box to each target costs.
//!
//! A box in a passage parts the board, and the player's side of it may decide how far the box is
//! from a target, or whether it gets there at all. A *pose* is a square and one of the parts that a
//! box there leaves. While other boxes stand about the player reaches less, but never another part:
//! the only way past a box is to push it. So pushing one box changes the pose of no other, and the
//! costs below bound the pushes of each box in any company.

use super::level::FAR;
use super::macro_moves::{MacroMoveGenerator, Motion};
use crate::games::sokoban::board::region::Occupied;
use crate::games::sokoban::board::{Board, Square};
use crate::search::Deadline;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The pose of a side that is a wall.
const NO_POSE: u32 = u32::MAX;

/// The poses of a board, numbered square by square, and their costs.
#[derive(Clone, Debug)]
pub struct PushDistances {
    /// Pose by square and side of the player.
    at: Vec<[u32; 4]>,
    square: Vec<Square>,
    /// Least pushes by pose and target: `targets` numbers a pose.
    costs: Vec<u16>,
    targets: usize,
    live: Vec<bool>,
    /// Number of poses on the board; those after it are of boxes that are not.
    count: usize,
    /// The board without boxes.
    empty: MacroMoveGenerator,
}

impl PushDistances {
    /// The poses of a board.
    pub fn new(board: &Board) -> Self {
        let occupied = Occupied::new(&board.layout);
        let mut empty = MacroMoveGenerator::new(board);
        empty.analyse(board, &occupied);
        let mut at = Vec::with_capacity(board.squares());
        let mut square = Vec::new();
        for s in 0..board.squares() as Square {
            let mut sides = [NO_POSE; 4];
            for side in 0..4 {
                let beside = board.next[s as usize][side];
                if beside as usize == board.squares() {
                    continue;
                }
                let same = (0..side).find(|&other| {
                    sides[other] != NO_POSE
                        && empty.same_part(board, s, board.next[s as usize][other], beside)
                });
                sides[side] = same.map_or(square.len() as u32, |other| sides[other]);
                if same.is_none() {
                    square.push(s);
                }
            }
            at.push(sides);
        }
        let count = square.len();
        let beyond = board.squares() + 1;
        square.extend(
            (0..board.targets.len()).map(|i| (beyond + i).min(usize::from(Square::MAX)) as Square),
        );
        let mut poses = PushDistances {
            at,
            square,
            costs: Vec::new(),
            targets: 0,
            live: Vec::new(),
            count,
            empty,
        };
        poses.aim(board, &board.targets);
        poses
    }

    /// Makes the costs those to other squares than the board's targets.
    pub fn aim(&mut self, board: &Board, targets: &[Square]) {
        self.measure(board, targets, Motion::Pull, &Deadline::default());
    }

    /// Finds the costs by walks from the squares, the other way round than the boxes will go.
    /// Whether it came to its end.
    fn measure(
        &mut self,
        board: &Board,
        targets: &[Square],
        motion: Motion,
        watch: &Deadline,
    ) -> bool {
        let count = self.count;
        self.targets = targets.len();
        self.costs.clear();
        self.costs.resize(count * targets.len(), FAR);
        self.costs.resize(self.square.len() * targets.len(), 0);
        for (t, &target) in targets.iter().enumerate() {
            if watch.is_over() {
                return false;
            }
            for placement in self.empty.reach(board, target, None, motion, |_| true) {
                let pose = self.at[placement.square as usize][placement.side as usize] as usize;
                let cost = &mut self.costs[pose * targets.len() + t];
                *cost = placement.steps.min(*cost);
            }
        }
        self.live.clear();
        for pose in 0..self.square.len() as u32 {
            let live = self.costs(pose).iter().any(|&cost| cost != FAR);
            self.live.push(live);
        }
        true
    }

    /// The same poses, with what `added` has for each target on its cost.
    pub fn with_added(&self, added: &[u16]) -> PushDistances {
        let mut poses = self.clone();
        for costs in poses.costs[..self.count * self.targets].chunks_mut(self.targets.max(1)) {
            for (cost, &more) in costs.iter_mut().zip(added) {
                *cost = cost.saturating_add(more);
            }
        }
        poses
    }

    /// Number of poses.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether the board has none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        self.costs.len() * 2 + self.at.len() * 16 + self.square.len() * 2
    }

    /// The pose of a box with the player right beside it, on `side`, which must be no wall.
    #[inline]
    pub fn beside(&self, square: Square, side: usize) -> u32 {
        self.at[square as usize][side]
    }

    /// The pose of a box with the player anywhere.
    pub fn of(&self, board: &Board, square: Square, player: Square) -> u32 {
        let sides = self.at[square as usize];
        let mut first = NO_POSE;
        for (side, &pose) in sides.iter().enumerate() {
            if pose == NO_POSE || pose == first {
                continue;
            }
            if first == NO_POSE {
                first = pose;
                if sides.iter().all(|&other| other == pose || other == NO_POSE) {
                    return pose;
                }
            }
            let beside = board.next[square as usize][side];
            if beside == player || self.empty.same_part(board, square, beside, player) {
                return pose;
            }
        }
        first
    }

    /// Writes down the poses of boxes, with the player anywhere. Where they are fewer than the
    /// squares that the costs lead to, they are made up with boxes that are not on the board and
    /// cost nothing.
    pub fn read(&self, board: &Board, boxes: &[Square], player: Square, poses: &mut Vec<u32>) {
        poses.clear();
        poses.extend(boxes.iter().map(|&s| self.of(board, s, player)));
        poses.extend((boxes.len()..self.targets).map(|absent| (self.count + absent) as u32));
    }

    /// The square of a pose.
    #[inline]
    pub fn square(&self, pose: u32) -> Square {
        self.square[pose as usize]
    }

    /// Least pushes from a pose to each target, [`FAR`] where there is no way.
    #[inline]
    pub fn costs(&self, pose: u32) -> &[u16] {
        &self.costs[pose as usize * self.targets..][..self.targets]
    }

    /// Number of squares that the costs lead to.
    pub fn targets(&self) -> usize {
        self.targets
    }

    /// Whether a box in this pose reaches some target.
    #[inline]
    pub fn is_live(&self, pose: u32) -> bool {
        self.live[pose as usize]
    }
}

/// The poses of a board with the pulls to the squares where boxes start, found when first asked
/// for.
#[derive(Debug)]
pub struct PullDistances {
    poses: Arc<PushDistances>,
    back: OnceLock<PushDistances>,
    /// Held by the one who finds them.
    finding: Mutex<()>,
}

impl PullDistances {
    /// Pull distances that are not found yet, from the poses with the pushes to targets.
    pub fn new(poses: Arc<PushDistances>) -> Self {
        PullDistances { poses, back: OnceLock::new(), finding: Mutex::default() }
    }

    /// The poses with the pulls, unless the watch ends it; the board is the one that those with
    /// the pushes were made for.
    pub fn get(&self, board: &Board, watch: &Deadline) -> Option<&PushDistances> {
        let _finding = self.finding.lock().unwrap_or_else(PoisonError::into_inner);
        if self.back.get().is_none() {
            let mut back = (*self.poses).clone();
            if !back.measure(board, &board.boxes, Motion::Push, watch) {
                return None;
            }
            return Some(self.back.get_or_init(|| back));
        }
        self.back.get()
    }

    /// The poses with the pushes to the targets of a board that differs in nothing else.
    pub fn towards(&self, board: &Board) -> PushDistances {
        let mut poses = (*self.poses).clone();
        poses.aim(board, &board.targets);
        poses
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        self.back.get().map_or(0, PushDistances::memory)
    }
}
