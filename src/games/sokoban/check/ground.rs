//! The squares of a level, and how far a lone box is from each target.

use crate::board::{BitBoard, Cell, Direction, Shape};
use crate::games::sokoban::format::Level;
use std::collections::VecDeque;

/// A square that is no wall, by number, row by row.
pub type Square = u16;

/// No square: a wall, or off the board.
pub const NOWHERE: Square = Square::MAX;

/// Distance of a box to a target that it cannot be pushed to.
pub const NEVER: u32 = u32::MAX;

/// Upper limit of the squares of a level.
const MAX_SQUARES: usize = 16_384;
/// Upper limit of the bytes of tables of distances and sides.
const MAX_TABLE_BYTES: usize = 1 << 29;

/// The four sides of a square.
pub const SIDES: [Direction; 4] = crate::board::ORTHOGONAL;

/// A box on a square, with the player on one side of it: its row in the table of distances.
///
/// All the squares from which the player walks to the same sides of a lone box are one pose. While nobody
/// pushes the box, its pose stays the same: the player never crosses its square.
pub type Pose = u32;

/// The squares of a level.
pub struct Ground {
    beside: Vec<[Square; 4]>,
    number: Vec<Square>,
    /// The cells of the squares.
    cells: Vec<Cell>,
    targets: Vec<Square>,
    is_target: Vec<bool>,
    /// First pose of each square.
    first_pose: Vec<Pose>,
    /// For each square that, taken away, parts the others: the part that each other square is in.
    parts: Vec<Option<Box<[u8]>>>,
    /// Pushes of a lone box from each pose to each target, pose by pose.
    distances: Vec<u32>,
    /// Whether a lone box on a square reaches no target, whatever the pose.
    is_dead: Vec<bool>,
}

/// Its place in [`SIDES`], which are every other one of the eight directions.
fn index(side: Direction) -> usize {
    side as usize / 2
}

impl Ground {
    /// Numbers the squares of a level and measures its distances.
    ///
    /// # Errors
    /// The level is too large for these tables.
    pub fn new(level: &Level) -> Result<Ground, String> {
        let open: Vec<Cell> =
            level.shape.iter().filter(|&cell| !level.drawn.contains(cell)).collect();
        if open.len() > MAX_SQUARES {
            return Err(format!(
                "it has {} squares, at most {MAX_SQUARES} are checked",
                open.len()
            ));
        }
        let mut ground = Ground::of_squares(level.shape, open, &level.targets);
        if ground.bytes() > MAX_TABLE_BYTES {
            return Err(format!("its distances take more than {} MiB", MAX_TABLE_BYTES >> 20));
        }
        ground.measure();
        Ok(ground)
    }

    fn of_squares(shape: Shape, open: Vec<Cell>, targets: &BitBoard) -> Ground {
        let mut number = vec![NOWHERE; shape.cells()];
        for (at, cell) in open.iter().enumerate() {
            number[cell.index()] = at as Square;
        }
        let beside = |&cell: &Cell| {
            SIDES.map(|side| shape.step(cell, side).map_or(NOWHERE, |next| number[next.index()]))
        };
        let beside: Vec<[Square; 4]> = open.iter().map(beside).collect();
        let is_target: Vec<bool> = open.iter().map(|&cell| targets.contains(cell)).collect();
        let targets = (0..).zip(&is_target).filter(|(_, is)| **is).map(|(at, _)| at).collect();
        let mut ground = Ground {
            beside,
            number,
            cells: open,
            targets,
            is_target,
            first_pose: Vec::new(),
            parts: Vec::new(),
            distances: Vec::new(),
            is_dead: Vec::new(),
        };
        ground.part();
        ground
    }

    /// Finds the parts into which each square parts the others.
    fn part(&mut self) {
        let mut poses = 0;
        for square in 0..self.squares() as Square {
            let (parts, count) = self.parts_without(square);
            self.first_pose.push(poses);
            poses += count;
            self.parts.push((count > 1).then(|| parts.into()));
        }
        self.first_pose.push(poses);
    }

    /// The part of each square where `taken` is taken away, counted only from the sides of `taken`.
    fn parts_without(&self, taken: Square) -> (Vec<u8>, u32) {
        let mut parts = vec![u8::MAX; self.squares()];
        let mut count = 0;
        for &first in &self.beside[taken as usize] {
            if first == NOWHERE || parts[first as usize] != u8::MAX {
                continue;
            }
            let mut stack = vec![first];
            parts[first as usize] = count;
            while let Some(square) = stack.pop() {
                for &next in &self.beside[square as usize] {
                    if next != NOWHERE && next != taken && parts[next as usize] == u8::MAX {
                        parts[next as usize] = count;
                        stack.push(next);
                    }
                }
            }
            count += 1;
        }
        (parts, u32::from(count.max(1)))
    }

    /// Number of poses.
    pub fn poses(&self) -> usize {
        self.first_pose.last().map_or(0, |&poses| poses as usize)
    }

    /// Bytes of the tables of distances and sides.
    pub fn bytes(&self) -> usize {
        let parts = self.parts.iter().flatten().count() * self.squares();
        self.poses() * self.targets.len() * size_of::<u32>() + parts
    }

    /// Measures the pushes of a lone box from each pose to each target, backward from the targets.
    fn measure(&mut self) {
        let before = self.pushes_backward();
        let width = self.targets.len();
        let mut distances = vec![NEVER; self.poses() * width];
        let mut queue = VecDeque::new();
        for (column, &target) in self.targets.iter().enumerate() {
            for pose in self.poses_of(target) {
                distances[pose as usize * width + column] = 0;
                queue.push_back(pose);
            }
            while let Some(pose) = queue.pop_front() {
                let pushes = distances[pose as usize * width + column] + 1;
                for &earlier in &before[pose as usize] {
                    let distance = &mut distances[earlier as usize * width + column];
                    if *distance == NEVER {
                        *distance = pushes;
                        queue.push_back(earlier);
                    }
                }
            }
        }
        let is_dead = |square| {
            let poses = self.poses_of(square);
            poses.flat_map(|pose| &distances[pose as usize * width..][..width]).all(|&d| d == NEVER)
        };
        self.is_dead = (0..self.squares() as Square).map(is_dead).collect();
        self.distances = distances;
    }

    /// For each pose those from which one push leads to it.
    fn pushes_backward(&self) -> Vec<Vec<Pose>> {
        let mut before = vec![Vec::new(); self.poses()];
        for square in 0..self.squares() as Square {
            for side in SIDES {
                let (behind, ahead) =
                    (self.beside(square, side.opposite()), self.beside(square, side));
                if behind != NOWHERE && ahead != NOWHERE {
                    let after = self.pose(ahead, square);
                    before[after as usize].push(self.pose(square, behind));
                }
            }
        }
        before
    }

    fn poses_of(&self, square: Square) -> std::ops::Range<Pose> {
        self.first_pose[square as usize]..self.first_pose[square as usize + 1]
    }

    /// The pose of a box on `square` where the player stands on another one.
    pub fn pose(&self, square: Square, player: Square) -> Pose {
        let first = self.first_pose[square as usize];
        let part = self.parts[square as usize].as_ref().map_or(0, |parts| parts[player as usize]);
        // A player who is beside no part cannot come to the box. Any pose would do: it is never pushed.
        first + if part == u8::MAX { 0 } else { Pose::from(part) }
    }

    /// The square of a pose.
    pub fn square_of(&self, pose: Pose) -> Square {
        (self.first_pose.partition_point(|&first| first <= pose) - 1) as Square
    }

    /// The number of the target on a square.
    pub fn target_at(&self, square: Square) -> Option<usize> {
        self.targets.binary_search(&square).ok()
    }

    /// Pushes of a lone box from a pose to each target; [`NEVER`] where there is no way.
    pub fn distances(&self, pose: Pose) -> &[u32] {
        let width = self.targets.len();
        &self.distances[pose as usize * width..][..width]
    }

    /// Number of squares.
    pub fn squares(&self) -> usize {
        self.beside.len()
    }

    /// Number of targets.
    pub fn targets(&self) -> usize {
        self.targets.len()
    }

    /// The number of a cell that is no wall.
    pub fn square(&self, cell: Cell) -> Square {
        self.number[cell.index()]
    }

    /// The cell of a square.
    pub fn cell(&self, square: Square) -> Cell {
        self.cells[square as usize]
    }

    /// The squares at the four sides of one, in the order of [`SIDES`].
    pub fn around(&self, square: Square) -> [Square; 4] {
        self.beside[square as usize]
    }

    /// The square beside another; [`NOWHERE`] where there is a wall or the board ends.
    pub fn beside(&self, square: Square, side: Direction) -> Square {
        self.beside[square as usize][index(side)]
    }

    /// Whether a lone box on the square reaches no target.
    pub fn is_dead(&self, square: Square) -> bool {
        self.is_dead[square as usize]
    }

    /// Whether the square is a target.
    pub fn is_target(&self, square: Square) -> bool {
        self.is_target[square as usize]
    }

    /// Whether every box is on a target.
    pub fn is_complete(&self, boxes: &[Square]) -> bool {
        boxes.iter().all(|&square| self.is_target(square))
    }
}
