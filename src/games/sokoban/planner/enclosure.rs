//! A part of the board searched alone with the boxes in it: can each of them come to a target, or out?
//!
//! This is the inner loop of deadlock detection, so it works on a board of its own: the squares of
//! the area and those right around it are bits of a word, and all that lies beyond is one bit for
//! each part that hangs together there, since no box is ever put on it. A flood then takes a step
//! for each such bit that the player reaches, a tenth of what it takes on the whole board, and a
//! position is two words that are compared exactly.
//!
//! The boxes outside are left away and a box that leaves is taken off the board. Both can only help
//! the boxes that stay, so where these are dead, they are dead in any company; and since leaving
//! can only help, where it is possible it is done at once and nothing else is tried.

use super::terrain::Terrain;
use crate::games::sokoban::state::{Board, Square};
use ahash::AHashSet;

/// Squares, and parts beyond, as bits.
type Bits = u128;

/// The most bits.
const MOST: usize = Bits::BITS as usize;
/// No square: a wall, or beyond the squares around the area.
const NONE: u8 = u8::MAX;

/// Boxes, and all that the player can reach.
type Position = (Bits, Bits);

/// An area, and what is known of positions in it.
#[derive(Clone, Debug)]
pub struct Enclosure {
    /// The bit of each square of the board.
    bit: Box<[u8]>,
    /// Neighbours of the squares of the area and around it, [`NONE`] where such a one is not.
    next: Vec<[u8; 4]>,
    /// On which axes a box can never move: a wall beside it, or both sides dead.
    stuck: Vec<[bool; 2]>,
    /// What the player can walk to from each bit.
    adjacent: Vec<Bits>,
    area: Bits,
    live: Bits,
    targets: Bits,
    dead: AHashSet<Position>,
    /// Where a search began that did not end in a proof.
    spared: AHashSet<Position>,
    seen: AHashSet<Position>,
    stack: Vec<(Bits, u8)>,
    /// Positions that the last search looked at.
    pub positions: usize,
}

/// The bits of a word, lowest first.
fn bits(mut word: Bits) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (word != 0).then(|| {
            let bit = word.trailing_zeros() as usize;
            word &= word - 1;
            bit
        })
    })
}

impl Enclosure {
    /// For an area of a board; `None` where it is too large.
    pub fn new(board: &Board, terrain: &Terrain, area: &[Square]) -> Option<Self> {
        let wall = board.squares();
        let mut bit = vec![NONE; wall + 1].into_boxed_slice();
        let mut squares: Vec<Square> = Vec::new();
        let mut add = |squares: &mut Vec<Square>, square: Square| {
            if square as usize != wall && bit[square as usize] == NONE && squares.len() < MOST {
                bit[square as usize] = squares.len() as u8;
                squares.push(square);
            }
        };
        area.iter().for_each(|&s| add(&mut squares, s));
        let inside = squares.len();
        for i in 0..inside {
            board.next[squares[i] as usize].iter().for_each(|&s| add(&mut squares, s));
        }
        let near = squares.len();
        let mut parts = near;
        let mut adjacent = vec![0; near];
        for i in inside..near {
            for next in board.next[squares[i] as usize] {
                if next as usize != wall && bit[next as usize] == NONE {
                    if parts == MOST {
                        return None;
                    }
                    flood_beyond(board, &mut bit, next, parts as u8);
                    adjacent.push(0);
                    parts += 1;
                }
            }
        }
        if parts >= MOST {
            return None;
        }
        let mut this = Enclosure {
            bit,
            next: Vec::with_capacity(near),
            stuck: Vec::with_capacity(near),
            adjacent,
            area: (1 << inside) - 1,
            live: 0,
            targets: 0,
            dead: AHashSet::new(),
            spared: AHashSet::new(),
            seen: AHashSet::new(),
            stack: Vec::new(),
            positions: 0,
        };
        for (i, &square) in squares.iter().enumerate() {
            this.join(board, terrain, (i, near), square);
        }
        Some(this)
    }

    /// Fills in what is known of a square that has a bit; those of squares are below `near`.
    fn join(
        &mut self,
        board: &Board,
        terrain: &Terrain,
        (i, near): (usize, usize),
        square: Square,
    ) {
        let wall = board.squares();
        let sides = board.next[square as usize];
        self.next.push(sides.map(|s| {
            let bit = self.bit[s as usize];
            if (bit as usize) < near { bit } else { NONE }
        }));
        let dead = |s: Square| !terrain.live[s as usize];
        self.stuck.push([0, 1].map(|axis| {
            let (a, b) = (sides[axis], sides[axis + 2]);
            a as usize == wall || b as usize == wall || (dead(a) && dead(b))
        }));
        for other in sides.iter().map(|&s| self.bit[s as usize]).filter(|&bit| bit != NONE) {
            self.adjacent[i] |= 1 << other;
            self.adjacent[other as usize] |= 1 << i;
        }
        self.live |= Bits::from(terrain.live[square as usize]) << i;
        self.targets |= Bits::from(board.is_target[square as usize]) << i;
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        let sets = self.dead.capacity() + self.spared.capacity() + self.seen.capacity();
        self.bit.len() + self.adjacent.len() * 24 + sets * (size_of::<Position>() + 1)
    }

    /// Everything that the player reaches.
    #[inline]
    fn flood(&self, boxes: Bits, player: u8) -> Bits {
        let mut reached: Bits = 1 << player;
        let mut front = reached;
        while front != 0 {
            let bit = front.trailing_zeros() as usize;
            front &= front - 1;
            let new = self.adjacent[bit] & !boxes & !reached;
            reached |= new;
            front |= new;
        }
        reached
    }

    /// Whether a box that cannot move any more, the one on `to` or one it holds, is off its target.
    fn is_frozen(&self, boxes: Bits, to: usize) -> bool {
        let held = |frozen: Bits, i: usize, axis: usize| {
            let beside = |side: usize| {
                let next = self.next[i][side];
                next != NONE && frozen >> next & 1 == 1
            };
            self.stuck[i][axis] || beside(axis) || beside(axis + 2)
        };
        if !held(boxes, to, 0) || !held(boxes, to, 1) {
            return false;
        }
        let mut frozen = boxes;
        loop {
            let before = frozen;
            for i in bits(before) {
                if !held(frozen, i, 0) || !held(frozen, i, 1) {
                    frozen &= !(1 << i);
                }
            }
            if frozen == before {
                return frozen & !self.targets != 0;
            }
        }
    }

    /// Whether boxes of the area are proven dead among themselves by looking at no more than `most`
    /// positions.
    pub fn is_dead(&mut self, members: &[Square], player: Square, most: usize) -> bool {
        self.positions = 0;
        let mut boxes: Bits = 0;
        members.iter().for_each(|&s| boxes |= 1 << self.bit[s as usize]);
        let player = self.bit[player as usize];
        let start = (boxes, self.flood(boxes, player));
        if self.dead.contains(&start) {
            return true;
        }
        if self.spared.contains(&start) {
            return false;
        }
        self.seen.clear();
        self.stack.clear();
        self.stack.push((boxes, player));
        while let Some((boxes, player)) = self.stack.pop() {
            if self.follow(boxes, player) || self.positions > most {
                self.spared.insert(start);
                return false;
            }
        }
        self.dead.extend(self.seen.drain());
        true
    }

    /// Takes every box out that can leave, and puts what the others can do on the stack; whether
    /// all those left stand on targets.
    fn follow(&mut self, mut boxes: Bits, mut player: u8) -> bool {
        let top = self.stack.len();
        let reached = loop {
            if boxes & !self.targets == 0 {
                return true;
            }
            let reached = self.flood(boxes, player);
            match self.leaving(boxes, reached) {
                Some(bit) => {
                    self.stack.truncate(top);
                    boxes &= !(1 << bit);
                    player = bit;
                }
                None => break reached,
            }
        };
        let here = (boxes, reached);
        if self.dead.contains(&here) || !self.seen.insert(here) {
            self.stack.truncate(top);
            return false;
        }
        self.positions += 1;
        false
    }

    /// A box that can leave the area; else all pushes that stay in it are put on the stack.
    fn leaving(&mut self, boxes: Bits, reached: Bits) -> Option<u8> {
        for i in bits(boxes) {
            for d in 0..4 {
                let (to, behind) = (self.next[i][d], self.next[i][d ^ 2]);
                let may = to != NONE
                    && behind != NONE
                    && reached >> behind & 1 == 1
                    && (self.live & !boxes) >> to & 1 == 1;
                if !may {
                    continue;
                }
                let after = boxes & !(1 << i) | 1 << to;
                if self.is_frozen(after, to as usize) {
                    continue;
                }
                if self.area >> to & 1 == 0 {
                    return Some(i as u8);
                }
                self.stack.push((after, i as u8));
            }
        }
        None
    }
}

/// Gives a bit to all squares that hang together with one, past those that have one.
fn flood_beyond(board: &Board, bit: &mut [u8], from: Square, number: u8) {
    let mut squares = vec![from];
    bit[from as usize] = number;
    while let Some(square) = squares.pop() {
        for next in board.next[square as usize] {
            if next as usize != board.squares() && bit[next as usize] == NONE {
                bit[next as usize] = number;
                squares.push(next);
            }
        }
    }
}
