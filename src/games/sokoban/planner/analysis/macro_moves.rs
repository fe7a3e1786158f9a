//! Macro moves: everywhere one box can be pushed while all others stand still.
//!
//! A macro move takes one box from a square to another, with the player's walks implied. To
//! enumerate them one must know, for every square the box may rest on, which of the four squares
//! around it the player can walk between. A flood for each would cost most of the search's time.
//! Instead the free squares *without* the box are traversed depth first once, with Tarjan's low
//! points (Tarjan, "Depth-First Search and Linear Graph Algorithms", SIAM J. Comput. 1972). Putting
//! the box on a square removes one vertex. What that parts is read off the tree in constant time,
//! as are the number of regions and the hash of each.

use crate::board::mix;
use crate::games::sokoban::board::square_set::{put, take};
use crate::games::sokoban::board::{Board, Square};

/// Where a free square is in the tree of its region. One record a square, since those of a square
/// are read and written together: with a list for each, analysing took half as many instructions
/// more.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    /// Preorder number from 1; 0 for occupied squares.
    disc: u16,
    /// Tarjan's low point.
    low: u16,
    /// Squares of the subtree.
    size: u16,
    parent: Square,
    /// Root of the square's tree.
    root: Square,
    /// Subtrees right below that hang together with the rest by this square only.
    cuts: u8,
    /// Xor of region keys of the subtree.
    hash: u64,
}

impl Place {
    /// Whether another square, of the same tree, is in the subtree of this one.
    #[inline]
    fn holds(&self, other: &Place) -> bool {
        other.disc >= self.disc && other.disc < self.disc + self.size
    }

    /// How many regions more there are when this square is taken out.
    #[inline]
    fn parts_more(&self, square: Square) -> i32 {
        i32::from(self.cuts) - i32::from(self.parent == square)
    }

    /// Whether taking this square out parts its region.
    #[inline]
    fn is_cut(&self, square: Square) -> bool {
        self.parts_more(square) > 0
    }
}

/// What is known of the free squares with one box lifted.
#[derive(Clone, Debug)]
pub struct MacroMoveGenerator {
    places: Vec<Place>,
    order: Vec<Square>,
    stack: Vec<(Square, u8)>,
    /// Number of regions.
    regions: u32,
    /// Sides of each square already visited by the walk of the box.
    visited: Vec<u8>,
    queue: Vec<Placement>,
}

/// A place where the lifted box may rest, and where the player is then.
#[derive(Clone, Copy, Debug)]
pub struct Placement {
    /// Where the box rests.
    pub square: Square,
    /// The direction from the box to the player's square beside it.
    pub side: u8,
    /// Pushes (or pulls) from the start.
    pub steps: u16,
    /// Index of the placement before, for rebuilding the way; its own index for a start.
    pub from: u32,
}

/// Which way the box goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// Forward: the player pushes.
    Push,
    /// Backward: the player pulls.
    Pull,
}

/// A part of the board when a square is taken out of it: a subtree, or the rest of its region.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Part(u16);
const REST: Part = Part(u16::MAX);
const ELSEWHERE: Part = Part(u16::MAX - 1);

impl MacroMoveGenerator {
    /// Working memory for a board.
    pub fn new(board: &Board) -> Self {
        let n = board.squares() + 1;
        MacroMoveGenerator {
            places: vec![Place::default(); n],
            order: Vec::with_capacity(n),
            stack: Vec::with_capacity(n),
            regions: 0,
            visited: vec![0; n],
            queue: Vec::new(),
        }
    }

    /// Analyses the free squares; the lifted box must not be `occupied`.
    pub fn analyse(&mut self, board: &Board, occupied: &[bool]) {
        let wall = board.squares() as Square;
        self.places.iter_mut().for_each(|place| place.disc = 0);
        self.order.clear();
        self.regions = 0;
        for start in 0..wall {
            if occupied[start as usize] || self.places[start as usize].disc != 0 {
                continue;
            }
            self.regions += 1;
            self.traverse(board, occupied, start);
        }
    }

    /// Analyses only the free squares that hang together with that of a lifted box. With the box
    /// there were `regions` regions.
    pub fn analyse_around(
        &mut self,
        board: &Board,
        occupied: &[bool],
        (square, regions): (Square, u32),
    ) {
        self.places.iter_mut().for_each(|place| place.disc = 0);
        self.order.clear();
        self.traverse(board, occupied, square);
        self.regions = regions + 1 - u32::from(self.places[square as usize].cuts);
    }

    fn enter(&mut self, board: &Board, square: Square, parent: Square, root: Square) {
        self.order.push(square);
        let disc = self.order.len() as u16;
        let hash = board.region_keys[square as usize];
        self.places[square as usize] =
            Place { disc, low: disc, size: 1, parent, root, cuts: 0, hash };
    }

    /// Walks depth first through the region of `start`; what a square has to say of its subtree
    /// goes to its parent when it is left.
    fn traverse(&mut self, board: &Board, occupied: &[bool], start: Square) {
        self.enter(board, start, start, start);
        let (mut square, mut parent, mut direction) = (start, start, 0);
        let mut low = self.places[start as usize].low;
        loop {
            let Some(&next) = board.next[square as usize].get(direction) else {
                let Place { size, hash, .. } = self.places[square as usize];
                self.places[square as usize].low = low;
                let Some((before, goes_on)) = self.stack.pop() else { return };
                let place = &mut self.places[before as usize];
                place.size += size;
                place.hash ^= hash;
                place.cuts += u8::from(low >= place.disc);
                low = low.min(place.low);
                (square, parent, direction) = (before, place.parent, usize::from(goes_on));
                continue;
            };
            direction += 1;
            if occupied[next as usize] {
                continue;
            }
            let seen = self.places[next as usize].disc;
            if seen == 0 {
                self.places[square as usize].low = low;
                self.stack.push((square, direction as u8));
                self.enter(board, next, square, start);
                (parent, square, direction) = (square, next, 0);
                low = self.places[next as usize].low;
            } else if next != parent {
                low = low.min(seen);
            }
        }
    }

    /// The part that `other` belongs to when `square` is taken out.
    #[inline]
    fn part(&self, board: &Board, square: Square, other: Square) -> Part {
        let (here, there) = (&self.places[square as usize], &self.places[other as usize]);
        if there.disc == 0 || there.root != here.root {
            return ELSEWHERE;
        }
        if !here.is_cut(square) || there.disc == here.disc || !here.holds(there) {
            return REST;
        }
        let child = self.children(board, square).find(|child| child.holds(there));
        child.filter(|child| child.low >= here.disc).map_or(REST, |child| Part(child.disc))
    }

    /// The children of a square in the tree.
    #[inline]
    fn children<'a>(
        &'a self,
        board: &'a Board,
        square: Square,
    ) -> impl Iterator<Item = &'a Place> + 'a {
        let beside = board.next[square as usize].iter();
        beside
            .filter(move |&&next| next != square)
            .map(|&next| &self.places[next as usize])
            .filter(move |place| place.disc != 0 && place.parent == square)
    }

    /// The children whose subtrees are parted from the rest when the square is taken out.
    #[inline]
    fn parted<'a>(
        &'a self,
        board: &'a Board,
        square: Square,
    ) -> impl Iterator<Item = &'a Place> + 'a {
        let disc = self.places[square as usize].disc;
        self.children(board, square).filter(move |child| child.low >= disc)
    }

    /// The squares of a subtree.
    fn subtree(&self, top: &Place) -> &[Square] {
        &self.order[top.disc as usize - 1..][..top.size as usize]
    }

    /// Whether two free squares hang together when `square` is taken out.
    pub fn same_part(&self, board: &Board, square: Square, a: Square, b: Square) -> bool {
        self.part(board, square, a) == self.part(board, square, b)
    }

    /// Number of regions with the box put on `square`.
    pub fn regions_with(&self, square: Square) -> u32 {
        self.regions.saturating_add_signed(self.places[square as usize].parts_more(square))
    }

    /// Hash of the region that holds `other` with the box put on `square`, ready to be xored into
    /// a key. `other` must be free and in the region of `square`.
    pub fn region_hash(&self, board: &Board, square: Square, other: Square) -> u64 {
        let part = self.part(board, square, other);
        if part == ELSEWHERE {
            return mix(self.places[self.places[other as usize].root as usize].hash);
        }
        if part != REST {
            return mix(self.places[self.order[part.0 as usize - 1] as usize].hash);
        }
        let root = self.places[square as usize].root;
        let whole = self.places[root as usize].hash ^ board.region_keys[square as usize];
        if !self.places[square as usize].is_cut(square) {
            return mix(whole);
        }
        mix(self.parted(board, square).fold(whole, |hash, child| hash ^ child.hash))
    }

    /// The region of `other` with the box put on `square`, as bits. `whole` holds the component of
    /// `square` without the box, from [`MacroMoveGenerator::component`]; `other` must be in it.
    pub fn region(
        &self,
        board: &Board,
        (square, other): (Square, Square),
        whole: &[u64],
        region: &mut [u64],
    ) {
        let part = self.part(board, square, other);
        if part != REST {
            region.fill(0);
            if part != ELSEWHERE {
                let top = &self.places[self.order[part.0 as usize - 1] as usize];
                self.subtree(top).iter().for_each(|&s| put(region, s));
            }
            return;
        }
        region.copy_from_slice(whole);
        take(region, square);
        let parted = self.parted(board, square).flat_map(|child| self.subtree(child));
        parted.for_each(|&s| take(region, s));
    }

    /// The free squares that hang together with `square`, as bits.
    pub fn component(&self, square: Square, bits: &mut [u64]) {
        bits.fill(0);
        let root = self.places[square as usize].root;
        self.subtree(&self.places[root as usize]).iter().for_each(|&s| put(bits, s));
    }

    /// Marks the part beside `square` on `side` as visited; false where it was before.
    #[inline]
    fn mark(&mut self, board: &Board, square: Square, side: u8) -> bool {
        let i = square as usize;
        if self.visited[i] & (1 << side) != 0 {
            return false;
        }
        if !self.places[i].is_cut(square) {
            self.visited[i] = 0b1111;
            return true;
        }
        let beside = board.next[i][side as usize];
        let part = self.part(board, square, beside);
        for d in 0..4 {
            let other = board.next[i][d];
            if d == side as usize
                || (self.places[other as usize].disc != 0
                    && self.part(board, square, other) == part)
            {
                self.visited[i] |= 1 << d;
            }
        }
        true
    }

    /// Every placement of the box lifted from `square` with the player standing on `player` (on any
    /// of the sides, where `None`), in order of distance, each place and part of the board once.
    /// The first ones are the starts, with no steps. `allowed` says where the box may rest or pass.
    pub fn reach(
        &mut self,
        board: &Board,
        square: Square,
        player: Option<Square>,
        motion: Motion,
        allowed: impl Fn(Square) -> bool,
    ) -> &[Placement] {
        self.visited.fill(0);
        self.queue.clear();
        for side in 0..4u8 {
            let beside = board.next[square as usize][side as usize];
            let here = self.places[beside as usize].disc != 0
                && player.is_none_or(|player| {
                    player == beside
                        || (player != square
                            && self.part(board, square, player) == self.part(board, square, beside)
                            && self.places[player as usize].root
                                == self.places[square as usize].root)
                });
            if here && self.mark(board, square, side) {
                let from = self.queue.len() as u32;
                self.queue.push(Placement { square, side, steps: 0, from });
            }
        }
        let mut head = 0;
        while let Some(&placement) = self.queue.get(head) {
            self.leave(board, placement, head as u32, motion, &allowed);
            head += 1;
        }
        &self.queue
    }

    /// Adds the placements one step from another.
    #[inline]
    fn leave(
        &mut self,
        board: &Board,
        placement: Placement,
        index: u32,
        motion: Motion,
        allowed: &impl Fn(Square) -> bool,
    ) {
        let here = board.next[placement.square as usize];
        let is_cut = self.places[placement.square as usize].is_cut(placement.square);
        let part = self.part(board, placement.square, here[placement.side as usize]);
        for side in 0..4u8 {
            let beside = here[side as usize];
            if self.places[beside as usize].disc == 0
                || (is_cut
                    && side != placement.side
                    && self.part(board, placement.square, beside) != part)
            {
                continue;
            }
            // The player stands on `beside`. A push takes the box away from there and the player
            // to where the box was; a pull takes the player one further and the box onto `beside`.
            let (to, behind, side_after) = match motion {
                Motion::Push => (here[side as usize ^ 2], placement.square, side),
                Motion::Pull => (beside, board.next[beside as usize][side as usize], side),
            };
            if self.places[to as usize].disc == 0
                || (motion == Motion::Pull && self.places[behind as usize].disc == 0)
                || !allowed(to)
            {
                continue;
            }
            if self.mark(board, to, side_after) {
                let steps = placement.steps + 1;
                self.queue.push(Placement { square: to, side: side_after, steps, from: index });
            }
        }
    }

    /// The placements that the last call of [`MacroMoveGenerator::reach`] found.
    #[inline]
    pub fn reached(&self) -> &[Placement] {
        &self.queue
    }

    /// Whether `a` and `b` are in one region while the box is lifted.
    pub fn connected(&self, a: Square, b: Square) -> bool {
        self.places[a as usize].disc != 0
            && self.places[b as usize].disc != 0
            && self.places[a as usize].root == self.places[b as usize].root
    }

    /// Number of regions while the box is lifted.
    pub fn regions(&self) -> u32 {
        self.regions
    }
}
