//! What the search has reached: expanded nodes, and open moves in the cells of the feature space.

use super::MacroMove;
use super::features::{Features, Ties};
use crate::games::sokoban::board::Square;
use crate::search::open_lists::{Contours, Visits};
use ahash::AHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A position that has been expanded.
#[derive(Clone, Copy, Debug)]
pub(super) struct ExpandedPosition {
    pub(super) parent: u32,
    pub(super) macro_move: MacroMove,
    pub(super) weight: u32,
    /// Pushes from the level's start.
    pub(super) pushes: u32,
    /// Its own features.
    pub(super) own: Features,
    pub(super) ties: Ties,
    /// The best features on the way to it, which tell its cell.
    pub(super) best: Features,
    /// Whether it, or one on the way to it, is proven to have no solution.
    pub(super) dead: bool,
}

/// An open move; the least comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Open {
    pub(super) order: u32,
    pub(super) features: Features,
    pub(super) ties: Ties,
    pub(super) steps: u16,
    pub(super) serial: u32,
    pub(super) parent: u32,
    pub(super) weight: u32,
    pub(super) from: Square,
    pub(super) to: Square,
    pub(super) player: Square,
    pub(super) key: u64,
}

impl Open {
    pub(super) fn macro_move(&self) -> MacroMove {
        MacroMove { from: self.from, to: self.to, player: self.player }
    }
}

/// Nodes, cells and what is known of positions by key.
pub(super) struct Store {
    pub(super) nodes: Vec<ExpandedPosition>,
    /// Boxes of the nodes, as many a node as the level has.
    boxes: Vec<Square>,
    width: usize,
    cells: Contours<BinaryHeap<Reverse<Open>>>,
    visits: Visits,
    cell_of: AHashMap<Features, usize>,
    /// Key to least weight at which the position was offered.
    offered: AHashMap<u64, u32>,
    expanded: AHashMap<u64, ()>,
}

impl Store {
    /// An empty store for positions of `boxes` boxes.
    pub(super) fn new(boxes: usize) -> Self {
        Store {
            nodes: Vec::new(),
            boxes: Vec::new(),
            width: boxes,
            cells: Contours::new(0),
            visits: Visits::default(),
            cell_of: AHashMap::new(),
            offered: AHashMap::new(),
            expanded: AHashMap::new(),
        }
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        self.nodes.capacity() * size_of::<ExpandedPosition>()
            + self.boxes.capacity() * size_of::<Square>()
            + self.cells.len() * size_of::<Open>() * 3 / 2
            + (self.offered.capacity() + self.expanded.capacity()) * 18
    }

    /// The boxes of a node.
    pub(super) fn boxes(&self, node: u32) -> &[Square] {
        &self.boxes[node as usize * self.width..][..self.width]
    }

    /// Adds the first node.
    pub(super) fn add_start(&mut self, node: ExpandedPosition, boxes: &[Square]) {
        self.nodes.push(node);
        self.boxes.extend_from_slice(boxes);
    }

    /// Adds the node that an open move leads to; its number.
    pub(super) fn add(&mut self, open: &Open) -> u32 {
        let node = self.nodes.len() as u32;
        self.nodes.push(ExpandedPosition {
            parent: open.parent,
            macro_move: open.macro_move(),
            weight: open.weight,
            pushes: self.nodes[open.parent as usize].pushes + u32::from(open.steps),
            own: open.features,
            best: self.nodes[open.parent as usize].best,
            ties: open.ties,
            dead: false,
        });
        let at = open.parent as usize * self.width;
        self.boxes.extend_from_within(at..at + self.width);
        let moved = &mut self.boxes[node as usize * self.width..];
        if let Some(square) = moved.iter_mut().find(|s| **s == open.from) {
            *square = open.to;
        }
        node
    }

    /// Whether a position was offered at no greater weight.
    pub(super) fn is_offered(&self, key: u64, weight: u32) -> bool {
        self.offered.get(&key).is_some_and(|&w| w <= weight)
    }

    /// Notes that a position is offered at a weight; whether that is less than before.
    pub(super) fn offer(&mut self, key: u64, weight: u32) -> bool {
        let offered = self.offered.entry(key).or_insert(u32::MAX);
        let is_less = *offered > weight;
        *offered = weight.min(*offered);
        is_less
    }

    /// Whether a position is expanded, or proven dead.
    pub(super) fn is_expanded(&self, key: u64) -> bool {
        self.expanded.contains_key(&key)
    }

    /// Notes that a position is expanded, or proven dead.
    pub(super) fn close(&mut self, key: u64) {
        self.expanded.insert(key, ());
    }

    /// The cell of some features.
    pub(super) fn cell(&mut self, features: Features) -> usize {
        let cells = &mut self.cells;
        *self.cell_of.entry(features).or_insert_with(|| cells.add())
    }

    /// Puts an open move into a cell.
    pub(super) fn push(&mut self, cell: usize, open: Open) {
        self.cells.push(cell, Reverse(open));
    }

    /// Takes the least open move of a cell whose parent is not dead and which leads to a position
    /// that is not expanded yet; it counts as expanded now.
    pub(super) fn pop(&mut self, cell: usize) -> Option<Open> {
        while let Some(Reverse(open)) = self.cells.pop(cell) {
            if !self.nodes[open.parent as usize].dead && !self.is_expanded(open.key) {
                self.close(open.key);
                return Some(open);
            }
        }
        None
    }

    /// The cell to visit next; `None` where a whole round of visits has found nothing.
    pub(super) fn next_cell(&mut self) -> Option<usize> {
        self.visits.next(self.cells.contours())
    }

    /// Number of cells.
    pub(super) fn cells(&self) -> usize {
        self.cells.contours()
    }

    /// Notes what a visit came to, before which there were `cells_before` cells.
    pub(super) fn visited(&mut self, has_node: bool, cells_before: usize) {
        self.visits.visited(has_node, cells_before, self.cells.contours());
    }
}
