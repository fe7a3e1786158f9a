//! Freeze deadlocks: boxes that can never move again.
//!
//! A box is frozen where, on both axes, a neighbour is a wall or a frozen box, or both neighbours
//! are dead squares. A frozen box that is not on a target makes the position dead.

use crate::games::sokoban::board::{Board, Square};

/// Finds boxes that can never move again. The tests are given the squares from which a box can come to a target, as
/// `live`.
#[derive(Clone, Debug)]
pub struct Freeze {
    frozen: Vec<bool>,
    cluster: Vec<Square>,
}

/// Boxes that are frozen together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Frozen {
    /// All of them are on targets.
    OnTargets,
    /// One of them is on no target.
    OffTarget,
}

impl Freeze {
    /// Working memory for a board.
    pub fn new(board: &Board) -> Self {
        Freeze { frozen: vec![false; board.squares() + 1], cluster: Vec::new() }
    }

    /// Whether the box on `square` is frozen together with a box that is not on a target.
    ///
    /// A box is frozen where on both axes a neighbour is a wall or a frozen box, or both are dead
    /// squares. The frozen boxes among those that touch each other are the greatest fixed point
    /// of that rule: the first of them to move would need two free neighbours.
    pub fn is_dead(
        &mut self,
        board: &Board,
        live: &[bool],
        occupied: &[bool],
        square: Square,
    ) -> bool {
        self.freezes(board, live, occupied, square) == Some(Frozen::OffTarget)
    }

    /// Whether a box on `square` is frozen. It need not be among those on the board.
    pub fn is_frozen(
        &mut self,
        board: &Board,
        live: &[bool],
        occupied: &[bool],
        square: Square,
    ) -> bool {
        self.freezes(board, live, occupied, square).is_some()
    }

    /// The boxes that are frozen together with one on `square`; `None` if that one can move.
    #[inline]
    fn freezes(
        &mut self,
        board: &Board,
        live: &[bool],
        occupied: &[bool],
        square: Square,
    ) -> Option<Frozen> {
        if self.loose_at_once(board, live, occupied, square) {
            return None;
        }
        self.gather(board, occupied, square);
        self.thaw(board, live);
        let is_off_target = |&s: &Square| self.frozen[s as usize] && !board.is_target[s as usize];
        let frozen = self.frozen[square as usize].then(|| {
            if self.cluster.iter().any(is_off_target) {
                Frozen::OffTarget
            } else {
                Frozen::OnTargets
            }
        });
        self.clear();
        frozen
    }

    /// All frozen boxes of a position, in order.
    pub fn all(
        &mut self,
        board: &Board,
        live: &[bool],
        boxes: &[Square],
        frozen: &mut Vec<Square>,
    ) {
        self.cluster.clear();
        self.cluster.extend_from_slice(boxes);
        self.cluster.iter().for_each(|&s| self.frozen[s as usize] = true);
        self.thaw(board, live);
        frozen.clear();
        frozen.extend(boxes.iter().filter(|&&s| self.frozen[s as usize]));
        self.clear();
    }

    fn clear(&mut self) {
        for &s in &self.cluster {
            self.frozen[s as usize] = false;
        }
        self.cluster.clear();
    }

    /// Whether on some axis both neighbours are free and not both dead: the common case.
    #[inline]
    fn loose_at_once(
        &self,
        board: &Board,
        live: &[bool],
        occupied: &[bool],
        square: Square,
    ) -> bool {
        let next = board.next[square as usize];
        (0..2).any(|axis| {
            let (a, b) = (next[axis] as usize, next[axis + 2] as usize);
            !occupied[a] && !occupied[b] && (live[a] || live[b])
        })
    }

    /// The boxes that hang together with the one on `square`, all taken for frozen at first.
    fn gather(&mut self, board: &Board, occupied: &[bool], square: Square) {
        self.cluster.clear();
        self.cluster.push(square);
        self.frozen[square as usize] = true;
        let mut head = 0;
        while let Some(&s) = self.cluster.get(head) {
            head += 1;
            for next in board.next[s as usize] {
                let i = next as usize;
                if i != board.squares() && occupied[i] && !self.frozen[i] {
                    self.frozen[i] = true;
                    self.cluster.push(next);
                }
            }
        }
    }

    /// Thaws boxes that can move on some axis until none is left to thaw.
    fn thaw(&mut self, board: &Board, live: &[bool]) {
        let wall = board.squares();
        let stuck = |frozen: &[bool], s: Square| {
            (0..2).all(|axis| {
                let next = board.next[s as usize];
                let (a, b) = (next[axis] as usize, next[axis + 2] as usize);
                a == wall || b == wall || frozen[a] || frozen[b] || (!live[a] && !live[b])
            })
        };
        loop {
            let mut changed = false;
            for i in 0..self.cluster.len() {
                let s = self.cluster[i];
                if self.frozen[s as usize] && !stuck(&self.frozen, s) {
                    self.frozen[s as usize] = false;
                    changed = true;
                }
            }
            if !changed {
                return;
            }
        }
    }
}
