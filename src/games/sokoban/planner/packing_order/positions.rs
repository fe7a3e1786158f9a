//! The positions that the walk has reached, found by their boxes.

use crate::games::sokoban::board::Square;
use ahash::AHashMap;

/// No position; also no box.
pub const NONE: u32 = u32::MAX;
/// Score of a position without a legal push.
pub const DEAD: u16 = u16::MAX;

/// What is known of a position besides its boxes.
#[derive(Clone, Copy, Debug)]
pub struct WalkPosition {
    /// Key of the boxes.
    pub key: u64,
    pub parent: u32,
    /// The next position with this key.
    same: u32,
    /// Number of positions that have it as their parent.
    pub children: u32,
    /// Sum of the distances of the boxes to their nearest targets.
    pub bound: u32,
    /// The box that was pushed last.
    pub pushed: u32,
    /// Where the player stands.
    pub player: Square,
    pub depth: u16,
    pub score: u16,
    pub phase: u16,
    /// Number of positions on the path whose push came nearer to a target of its phase.
    pub momentum: u16,
    /// The direction of the last push.
    pub direction: u8,
    /// Whether it is to be expanded without regard to tunnels and corrals.
    pub is_revisit: bool,
    /// Whether a box was frozen before its target's turn came, here or before.
    pub is_premature: bool,
    /// Number of learned deadlocks that it was tested against.
    pub tested: u32,
}

impl WalkPosition {
    /// The start of a level.
    pub fn root(key: u64, player: Square, phase: u16) -> Self {
        WalkPosition {
            key,
            parent: NONE,
            same: NONE,
            children: 0,
            bound: 0,
            pushed: NONE,
            player,
            depth: 0,
            score: 0,
            phase,
            momentum: 0,
            direction: 0,
            is_revisit: false,
            is_premature: false,
            tested: 0,
        }
    }
}

/// Positions by number.
#[derive(Clone, Debug)]
pub struct Positions {
    width: usize,
    pub nodes: Vec<WalkPosition>,
    /// The squares of the boxes, in the order of the boxes' numbers.
    boxes: Vec<Square>,
    first: AHashMap<u64, u32>,
}

impl Positions {
    /// No positions, of this many boxes each.
    pub fn new(width: usize) -> Self {
        Positions { width, nodes: Vec::new(), boxes: Vec::new(), first: AHashMap::new() }
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        let entry = size_of::<(u64, u32)>() + 1;
        self.nodes.capacity() * size_of::<WalkPosition>()
            + self.boxes.capacity() * size_of::<Square>()
            + self.first.capacity() * entry * 8 / 7
    }

    /// Where the boxes of a position are.
    pub fn boxes(&self, position: u32) -> &[Square] {
        let from = position as usize * self.width;
        &self.boxes[from..from + self.width]
    }

    /// The positions with this key.
    pub fn with_key(&self, key: u64) -> impl Iterator<Item = u32> {
        let first = self.first.get(&key).copied();
        let after = |&at: &u32| {
            let same = self.nodes[at as usize].same;
            (same != NONE).then_some(same)
        };
        std::iter::successors(first, after)
    }

    /// Adds a position.
    pub fn add(&mut self, node: WalkPosition, boxes: &[Square]) -> u32 {
        let position = self.nodes.len() as u32;
        let same = self.first.insert(node.key, position).unwrap_or(NONE);
        self.nodes.push(WalkPosition { same, ..node });
        self.boxes.extend_from_slice(boxes);
        position
    }

    /// Gives a known position another path.
    pub fn take_over(&mut self, position: u32, node: WalkPosition, boxes: &[Square]) {
        let same = self.nodes[position as usize].same;
        self.nodes[position as usize] = WalkPosition { same, ..node };
        let from = position as usize * self.width;
        self.boxes[from..from + self.width].copy_from_slice(boxes);
    }
}
