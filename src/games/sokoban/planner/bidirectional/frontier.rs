//! What one of the two searches has reached, and what it will expand next.

use crate::games::sokoban::board::mask::{Bit, Mask};
use crate::games::sokoban::planner::pushes::segmented_array::SegmentedArray;
use crate::search::open_lists::{Buckets, Contours};
use crate::search::tables::{Slot, StateIndex};

/// How a position was reached.
#[derive(Clone, Copy, Debug)]
pub struct FrontierPosition {
    /// The position before; [`ROOT`] where the search began.
    pub parent: u32,
    /// Pushes or pulls so far.
    pub cost: u16,
    /// The first square of the player's region.
    pub player: Bit,
    /// The box that was moved, where it stood before, and the direction in the two low bits.
    step: u16,
}

impl FrontierPosition {
    /// A position reached from `parent` by moving the box on `from` in direction `d`.
    pub fn new(parent: u32, cost: u16, player: Bit, (from, d): (Bit, usize)) -> Self {
        FrontierPosition { parent, cost, player, step: from << 2 | d as u16 }
    }

    /// The box that was moved, where it stood before, and the direction.
    pub fn step(self) -> (Bit, usize) {
        (self.step >> 2, usize::from(self.step & 3))
    }
}

/// [`FrontierPosition::parent`] of a position in which the search began.
pub const ROOT: u32 = u32::MAX;

/// A position, and how it was reached: together, since they are looked at together.
#[derive(Clone, Copy, Debug)]
pub struct Position<const W: usize> {
    /// The boxes.
    pub boxes: Mask<W>,
    /// How it was reached, and the player.
    pub node: FrontierPosition,
}

/// A position as it is kept: its words in halves, so that nothing is padded to eight bytes.
#[derive(Clone, Copy, Debug)]
struct Packed<const W: usize> {
    boxes: [[u32; 2]; W],
    node: FrontierPosition,
}

impl<const W: usize> Packed<W> {
    #[inline]
    fn boxes(&self) -> Mask<W> {
        Mask(self.boxes.map(|[low, high]| u64::from(low) | u64::from(high) << 32))
    }
}

impl<const W: usize> From<Position<W>> for Packed<W> {
    #[inline]
    fn from(Position { boxes, node }: Position<W>) -> Self {
        Packed { boxes: boxes.0.map(|word| [word as u32, (word >> 32) as u32]), node }
    }
}

/// Positions by number, found by boxes and player: compared as they are, not by hash alone.
#[derive(Clone, Debug)]
pub struct Table<const W: usize> {
    positions: SegmentedArray<Packed<W>>,
    index: StateIndex,
}

/// Mixes boxes and player.
#[inline]
pub fn hash<const W: usize>(boxes: Mask<W>, player: Bit) -> u64 {
    const FACTOR: u64 = 0xa076_1d64_78bd_642f;
    let fold = |hash: u64, word: u64| {
        let product = u128::from(hash ^ word) * u128::from(FACTOR);
        (product as u64 ^ (product >> 64) as u64).wrapping_add(0x632b_e59b_d9b4_e019)
    };
    let hash = boxes.0.iter().fold(u64::from(player) ^ 0x9e37_79b9_7f4a_7c15, |h, &w| fold(h, w));
    fold(hash, 0)
}

impl<const W: usize> Table<W> {
    fn new() -> Self {
        Table { positions: SegmentedArray::new(1), index: StateIndex::new() }
    }

    /// Positions held.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// A position by number.
    #[inline]
    pub fn position(&self, number: u32) -> Position<W> {
        let packed = self.packed(number);
        Position { boxes: packed.boxes(), node: packed.node }
    }

    #[inline]
    fn packed(&self, number: u32) -> &Packed<W> {
        &self.positions.row(number)[0]
    }

    /// Looks at the slot of a hash, so that it is on its way from memory when it is needed.
    #[inline]
    pub fn touch(&self, hash: u64) -> u32 {
        self.index.touch(hash)
    }

    /// Looks at the position in the slot of a hash, for the same reason.
    #[inline]
    pub fn touch_position(&self, hash: u64) -> u32 {
        self.index.touch_number(hash).map_or(0, |number| self.packed(number).node.parent)
    }

    /// The number of a position, whose hash is given, or where it goes.
    #[inline]
    pub(crate) fn find(&self, hash: u64, boxes: Mask<W>, player: Bit) -> Result<u32, Slot> {
        self.index.find(hash, |number| {
            let other = self.packed(number);
            other.boxes() == boxes && other.node.player == player
        })
    }

    /// Adds a position that was just not found. There must be room.
    fn add(&mut self, slot: Slot, position: Position<W>) -> u32 {
        let number = self.positions.len() as u32;
        self.index.insert(slot, number);
        self.positions.push(&[position.into()]);
        number
    }

    fn memory(&self) -> usize {
        self.positions.memory() + self.index.bytes()
    }

    /// Makes room for `more` positions within `allowance` more bytes; whether it could.
    fn make_room(&mut self, more: usize, allowance: usize) -> bool {
        let needed = self.len() + more;
        let mut allowance = allowance;
        if needed > self.positions.capacity() {
            let blocks = (needed - self.positions.capacity()).div_ceil(self.positions.block_rows());
            let Some(left) = allowance.checked_sub(blocks * self.positions.block_bytes()) else {
                return false;
            };
            allowance = left;
        }
        let Table { positions, index } = self;
        let hashes = (0..positions.len() as u32).map(|number| {
            let packed = &positions.row(number)[0];
            (number, hash(packed.boxes(), packed.node.player))
        });
        index.make_room(needed, allowance, || hashes).is_ok()
    }
}

/// One of the two searches: its positions, and an open list of cells that are visited in turn.
#[derive(Clone, Debug)]
pub struct Frontier<const W: usize> {
    /// What is reached.
    pub table: Table<W>,
    open: Contours<Buckets>,
    /// Positions expanded.
    pub expanded: u64,
    /// Successors generated.
    pub generated: u64,
}

impl<const W: usize> Frontier<W> {
    /// An empty frontier of `cells` cells.
    pub fn new(cells: usize) -> Self {
        Frontier { table: Table::new(), open: Contours::new(cells), expanded: 0, generated: 0 }
    }

    /// Adds a position, open at this priority of a cell; its number.
    pub(crate) fn add(
        &mut self,
        slot: Slot,
        position: Position<W>,
        cell: usize,
        priority: usize,
    ) -> u32 {
        let number = self.table.add(slot, position);
        self.open.push(cell, (priority, number));
        number
    }

    /// The position of least priority in the next cell that has any, of equal ones the newest.
    pub fn pop(&mut self) -> Option<u32> {
        self.open.next().map(|(_, (_, number))| number)
    }

    /// Bytes held: a vector of numbers takes up to twice what is in it.
    pub fn memory(&self) -> usize {
        self.table.memory() + 2 * self.open.len() * size_of::<u32>()
    }

    /// Makes room for `more` positions where the search may hold `memory` bytes in all.
    pub fn make_room(&mut self, more: usize, memory: usize) -> bool {
        let held = self.memory() + 2 * more * size_of::<u32>();
        held <= memory && self.table.make_room(more, memory - held)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::mix;
    use std::collections::BTreeMap;

    #[test]
    fn positions_are_found_again_and_memory_is_held_to() {
        const MEMORY: usize = 1 << 20;
        let mut frontier = Frontier::<2>::new(3);
        let mut known = BTreeMap::new();
        for seed in 0u64.. {
            if !frontier.make_room(1, MEMORY) {
                break;
            }
            let boxes = Mask([mix(seed) % 200, mix(seed + 7) % 200]);
            let player = (mix(seed + 13) % 3) as Bit;
            match (
                frontier.table.find(hash(boxes, player), boxes, player),
                known.get(&(boxes.0, player)),
            ) {
                (Ok(number), Some(&expected)) => assert_eq!(number, expected),
                (Err(slot), None) => {
                    let node = FrontierPosition::new(ROOT, 0, player, (0, 0));
                    let number =
                        frontier.add(slot, Position { boxes, node }, (seed % 3) as usize, 5);
                    known.insert((boxes.0, player), number);
                }
                (found, expected) => panic!("seed {seed}: {found:?}, {expected:?}"),
            }
            assert!(frontier.memory() <= MEMORY, "{} bytes", frontier.memory());
        }
        assert!(frontier.table.len() > 10_000, "{} positions", frontier.table.len());
        let popped = std::iter::from_fn(|| frontier.pop()).count();
        assert_eq!(popped, known.len());
    }

    #[test]
    fn a_position_of_one_word_takes_at_most_forty_bytes() {
        let mut frontier = Frontier::<1>::new(3);
        let mut most = 0.0f64;
        for seed in 0..600_000u64 {
            assert!(frontier.make_room(1, usize::MAX));
            let (boxes, player) = (Mask([mix(seed)]), (seed % 7) as Bit);
            if let Err(slot) = frontier.table.find(hash(boxes, player), boxes, player) {
                let node = FrontierPosition::new(ROOT, 0, player, (0, 0));
                frontier.add(slot, Position { boxes, node }, (seed % 3) as usize, 5);
            }
            // An expansion adds two to three positions on the levels that were looked at.
            if seed.is_multiple_of(4) {
                frontier.pop();
            }
            // The last block, which is not full yet, is of little account once there are some.
            if frontier.table.len() > 100_000 {
                most = most.max(frontier.memory() as f64 / frontier.table.len() as f64);
            }
        }
        assert!(most > 20.0 && most <= 40.0, "{most} bytes");
    }

    #[test]
    fn cells_take_turns_and_the_least_comes_first() {
        let mut frontier = Frontier::<1>::new(2);
        for (seed, (cell, priority)) in [(0, 5), (0, 3), (1, 9), (0, 3), (1, 1)].iter().enumerate()
        {
            let boxes = Mask([seed as u64]);
            let slot = frontier.table.find(hash(boxes, 0), boxes, 0).expect_err("it is new");
            let node = FrontierPosition::new(ROOT, 0, 0, (0, 0));
            frontier.add(slot, Position { boxes, node }, *cell, *priority);
        }
        let order: Vec<u32> = std::iter::from_fn(|| frontier.pop()).collect();
        assert_eq!(order, [4, 3, 2, 1, 0]);
    }
}
