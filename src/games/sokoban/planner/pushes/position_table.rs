//! The positions that a search has reached, and room for those to come.
//!
//! The searches over single pushes and pulls ([`best_first`](super::best_first),
//! [`backward`](crate::games::sokoban::planner::backward),
//! [`window`](crate::games::sokoban::planner::improve::window)) differ in what they note of a
//! position and in which one they look at next. What they have in common is here:
//!
//! - A position has a number, and under it the search's own node and the boxes, in order. Positions
//!   with equal keys are compared box by box, since a wrong merge would break a proof.
//! - Memory is held to. Nodes and boxes come in blocks that never move, and the table by which they
//!   are found doubles only where it may. Room for every successor of a node is made before the
//!   node is expanded. So no successor is lost, and a search that was stopped can go on.

use super::segmented_array::SegmentedArray;
use crate::board::mix;
use crate::games::sokoban::board::{Board, Square};
use crate::search::tables::{Slot, StateIndex};
use crate::search::{Clock, Progress, StopReason};

/// Expansions between two reports of progress.
const TELL: u64 = 16;

/// What a search may spend in all of its runs together.
pub struct Limits<'a> {
    /// Time, and where progress is reported.
    pub clock: &'a Clock,
    /// Nodes expanded.
    pub expansions: u64,
    /// Bytes held.
    pub memory: usize,
}

/// What stands under a number beside the boxes.
#[derive(Clone, Copy, Debug)]
struct Entry<N> {
    node: N,
    /// Half of the position's hash, from which the index is made again when it grows: to make the
    /// keys again would cost more time than this costs memory. [`UNFINDABLE`] where it has none.
    half: u32,
}

/// Where a position goes that was looked for and is not there.
#[derive(Clone, Copy, Debug)]
pub struct Vacancy {
    slot: Slot,
    half: u32,
}

/// Positions by number, with a node each.
pub struct PositionTable<N> {
    nodes: SegmentedArray<Entry<N>>,
    boxes: SegmentedArray<Square>,
    index: StateIndex,
}

impl<N: Copy> PositionTable<N> {
    /// An empty table for positions of `boxes` boxes each.
    pub fn new(boxes: usize) -> Self {
        PositionTable {
            nodes: SegmentedArray::new(1),
            boxes: SegmentedArray::new(boxes),
            index: StateIndex::new(),
        }
    }

    /// Positions held.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        self.nodes.memory() + self.boxes.memory() + self.index.bytes()
    }

    /// The node of a position.
    #[inline]
    pub fn node(&self, index: u32) -> N {
        self.nodes.row(index)[0].node
    }

    /// The node of a position, to be changed in what does not tell positions apart.
    #[inline]
    pub fn node_mut(&mut self, index: u32) -> &mut N {
        &mut self.nodes.row_mut(index)[0].node
    }

    /// The boxes of a position, in order.
    #[inline]
    pub fn boxes(&self, index: u32) -> &[Square] {
        self.boxes.row(index)
    }

    /// Looks for the position with this key and these boxes whose node is the `same` in all else:
    /// its number, or the place for [`PositionTable::add`].
    #[inline]
    pub fn find(
        &self,
        key: u64,
        boxes: &[Square],
        same: impl Fn(&N) -> bool,
    ) -> Result<u32, Vacancy> {
        let half = half(key);
        let is_it = |index| same(&self.nodes.row(index)[0].node) && self.boxes.row(index) == boxes;
        self.index.find(spread(half), is_it).map_err(|slot| Vacancy { slot, half })
    }

    /// Adds a position that [`PositionTable::find`] has just not found; its number.
    #[inline]
    pub fn add(&mut self, place: Vacancy, node: N, boxes: &[Square]) -> u32 {
        let index = self.push(node, place.half, boxes);
        self.index.insert(place.slot, index);
        index
    }

    /// Adds a position that is never looked for; its number.
    #[inline]
    pub fn add_unfindable(&mut self, node: N, boxes: &[Square]) -> u32 {
        self.push(node, UNFINDABLE, boxes)
    }

    #[inline]
    fn push(&mut self, node: N, half: u32, boxes: &[Square]) -> u32 {
        let index = self.nodes.len() as u32;
        self.nodes.push(&[Entry { node, half }]);
        self.boxes.push(boxes);
        index
    }

    /// Makes room for `more` positions; whether there is any, where the search holds `held` bytes
    /// in all and may hold `memory`.
    pub fn make_room(&mut self, more: usize, held: usize, memory: usize) -> bool {
        let held = held + self.nodes.block_bytes() + self.boxes.block_bytes();
        let PositionTable { nodes, index, .. } = self;
        let numbers = 0..nodes.len() as u32;
        let halves = numbers.map(|number| (number, nodes.row(number)[0].half));
        let known = halves.filter(|&(_, half)| half != UNFINDABLE);
        let known = known.map(|(number, half)| (number, spread(half)));
        held <= memory && index.make_room(nodes.len() + more, memory - held, || known).is_ok()
    }

    /// Why a search must stop that has expanded `expansions` nodes and holds `held` bytes in all.
    /// If it need not, there is room for every successor of one node. Now and then the progress is
    /// reported.
    pub fn should_stop(
        &mut self,
        limits: &Limits<'_>,
        (expansions, held): (u64, usize),
        progress: impl FnOnce() -> Progress,
    ) -> Option<StopReason> {
        if expansions >= limits.expansions {
            return Some(StopReason::Nodes);
        }
        // Each box goes in at most four directions.
        let successors = 4 * self.boxes.width() + 1;
        if !self.make_room(successors, held, limits.memory) {
            return Some(StopReason::Memory);
        }
        if expansions.is_multiple_of(TELL) {
            let progress = progress();
            limits.clock.tell_bound(progress.bound);
            limits.clock.tell(&progress);
        }
        limits.clock.should_stop(0, 0)
    }
}

/// Stands in the stead of the half hash of a position that is never looked for.
const UNFINDABLE: u32 = 0;

/// The half of a key, or of a hash, that positions keep.
#[inline]
fn half(key: u64) -> u32 {
    ((key >> 32) as u32).max(UNFINDABLE + 1)
}

/// The hash of a position of which half is kept: the index takes a place from the bits above and a tag
/// from the bits in the middle, which are others of the half.
#[inline]
fn spread(half: u32) -> u64 {
    u64::from(half) << 32 | u64::from(half.rotate_left(16))
}

/// The key of boxes, in any order, and the player.
#[inline]
pub fn key(board: &Board, boxes: &[Square], player: Square) -> u64 {
    key_of(board, box_key(board, boxes), player)
}

/// What boxes, in any order, add to a key.
#[inline]
pub fn box_key(board: &Board, boxes: &[Square]) -> u64 {
    boxes.iter().fold(0, |key, &s| key ^ board.box_keys[s as usize])
}

/// The key of boxes, of which the part in the key is given, and the player.
#[inline]
pub fn key_of(board: &Board, boxes: u64, player: Square) -> u64 {
    mix(boxes ^ board.region_keys[player as usize])
}

/// A bound as nodes keep it, in few bits; cut off, it is a bound all the same.
#[inline]
pub fn narrow(bound: u32) -> u16 {
    bound.min(u32::from(u16::MAX)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key_of_boxes(boxes: &[Square]) -> u64 {
        boxes.iter().fold(0, |key, &square| mix(key ^ u64::from(square)))
    }

    /// Adds a position whose node is the player; its number.
    fn add(
        positions: &mut PositionTable<Square>,
        key: u64,
        boxes: &[Square],
        player: Square,
    ) -> u32 {
        let slot = positions.find(key, boxes, |&other| other == player).err();
        positions.add(slot.expect("it is new"), player, boxes)
    }

    #[test]
    fn equal_keys_merge_nothing() {
        let mut positions = PositionTable::new(2);
        assert_eq!(add(&mut positions, 7, &[1, 2], 3), 0);
        assert_eq!(add(&mut positions, 7, &[1, 4], 3), 1);
        assert_eq!(add(&mut positions, 7, &[1, 2], 5), 2);
        assert_eq!(positions.add_unfindable(6, &[1, 2]), 3);
        let look_up =
            |boxes: &[Square], player| positions.find(7, boxes, |&other| other == player).ok();
        assert_eq!(look_up(&[1, 2], 3), Some(0));
        assert_eq!(look_up(&[1, 4], 3), Some(1));
        assert_eq!(look_up(&[1, 2], 5), Some(2));
        assert_eq!(look_up(&[1, 4], 5), None);
        assert_eq!(look_up(&[1, 2], 6), None);
        assert_eq!((positions.node(3), positions.boxes(3)), (6, &[1, 2][..]));
    }

    #[test]
    fn room_that_was_made_keeps_to_the_memory() {
        const MEMORY: usize = 2 << 20;
        let mut positions = PositionTable::new(2);
        while positions.make_room(1, positions.memory(), MEMORY) {
            let count = positions.len();
            let boxes = [(count >> 8) as Square, count as Square];
            add(&mut positions, key_of_boxes(&boxes), &boxes, 0);
            assert!(positions.memory() <= MEMORY, "after {count} positions");
        }
        // It was not refused while there was some left.
        assert!(positions.memory() > MEMORY / 2, "{} bytes", positions.memory());
    }
}
