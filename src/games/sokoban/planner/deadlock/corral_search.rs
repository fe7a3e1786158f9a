//! Corral search: can each box of a part of the board come to a target, or out?
//!
//! This is the inner loop of deadlock detection, so it works on a board of its own. The squares of
//! the area and those right around it are bits of a word. All that lies beyond is one bit for each
//! connected part, since no box is ever put on it. A flood takes one step for each bit that the
//! player reaches, and a position is two words that are compared exactly.
//!
//! A push that completes a pattern of boxes that are known to be dead is left out.
//!
//! The boxes outside are left away, and a box that leaves is taken off the board. Both can only
//! help the boxes that stay, so where these are dead, they are dead in any company. Since leaving
//! can only help, a box that can leave does so at once and nothing else is tried.

use super::Pattern;
use crate::games::sokoban::board::square_set::{SquareSet, has, put, squares_of};
use crate::games::sokoban::board::{Board, Square};
use ahash::AHashSet;
use std::hash::Hash;
use std::ops::{BitAnd, BitOr, Not};

/// Squares, and parts beyond, as bits: most areas fit in one machine word.
trait Word:
    Copy + Eq + Hash + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self>
{
    const NONE: Self;
    /// How many bits.
    const MOST: usize;
    /// The word of one bit.
    fn bit(number: usize) -> Self;
    /// The number of the lowest bit; [`Word::MOST`] where there is none.
    fn lowest(self) -> usize;
    /// The word without the lowest bit.
    fn rest(self) -> Self;
    /// Whether it has a bit.
    #[inline]
    fn has(self, number: usize) -> bool {
        self & Self::bit(number) != Self::NONE
    }
}

macro_rules! word {
    ($type:ty) => {
        impl Word for $type {
            const NONE: Self = 0;
            const MOST: usize = <$type>::BITS as usize;
            #[inline]
            fn bit(number: usize) -> Self {
                1 << number
            }
            #[inline]
            fn lowest(self) -> usize {
                self.trailing_zeros() as usize
            }
            #[inline]
            fn rest(self) -> Self {
                self & self.wrapping_sub(1)
            }
        }
    };
}
word!(u64);
word!(u128);
/// Upper limit of the positions of the first search of an area. Each search that gives up halves it for the next one, until
/// a search ends with a proof.
const POSITIONS: usize = 400;
/// Upper limit of the number of halvings.
const HALVINGS: u32 = 4;
/// Number of the latest patterns among which a search looks for those of its area.
const RECENT_PATTERNS: usize = 256;
/// Upper limit of the patterns with a box on one square that a search applies.
const KNOWN_A_SQUARE: usize = 64;
/// No square: a wall, or beyond the squares around the area.
const NONE: u8 = u8::MAX;

/// An area, and what is known of positions in it.
#[derive(Clone, Debug)]
pub struct CorralSearch(Size);

#[derive(Clone, Debug)]
enum Size {
    /// An area of no more squares than a word has bits.
    Small(Box<Area<u64>>),
    /// An area of no more squares than two words have bits.
    Large(Box<Area<u128>>),
}

impl CorralSearch {
    /// The search of an area of a board; `None` where it is too large.
    pub fn new(board: &Board, live: &[bool], area: &[Square]) -> Option<Self> {
        let small = Area::new(board, live, area).map(|area| Size::Small(Box::new(area)));
        let large = || Area::new(board, live, area).map(|a| Size::Large(Box::new(a)));
        small.or_else(large).map(CorralSearch)
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        match &self.0 {
            Size::Small(area) => area.memory(),
            Size::Large(area) => area.memory(),
        }
    }

    /// Positions that the last search looked at.
    pub fn positions(&self) -> usize {
        match &self.0 {
            Size::Small(area) => area.positions,
            Size::Large(area) => area.positions,
        }
    }

    /// Applies these patterns from now on. Those of an earlier call come first.
    pub fn hear(&mut self, patterns: &[Pattern]) {
        match &mut self.0 {
            Size::Small(area) => area.hear(patterns),
            Size::Large(area) => area.hear(patterns),
        }
    }

    /// Whether boxes of the area are proven dead among themselves by looking at no more than `most`
    /// positions.
    pub fn is_dead(&mut self, members: &[Square], player: Square, most: usize) -> bool {
        match &mut self.0 {
            Size::Small(area) => area.is_dead(members, player, most),
            Size::Large(area) => area.is_dead(members, player, most),
        }
    }
}

/// Boxes, and all that the player can reach.
type Position<W> = (W, W);

/// An area whose squares are bits of such words.
#[derive(Clone, Debug)]
struct Area<W> {
    /// The bit of each square of the board.
    bit: Box<[u8]>,
    /// Neighbours of the squares of the area and around it, [`NONE`] where such a one is not.
    next: Vec<[u8; 4]>,
    /// On which axes a box can never move: a wall beside it, or both sides dead.
    stuck: Vec<[bool; 2]>,
    /// What the player can walk to from each bit.
    adjacent: Vec<W>,
    /// The square of each bit; one square of a part beyond.
    squares: Vec<Square>,
    /// The squares of the area and those right around it.
    near: SquareSet,
    /// Patterns whose boxes are on these squares.
    known: Known<W>,
    area: W,
    live: W,
    targets: W,
    dead: AHashSet<Position<W>>,
    /// Where a search began that did not end in a proof.
    spared: AHashSet<Position<W>>,
    seen: AHashSet<Position<W>>,
    stack: Vec<Step<W>>,
    positions: usize,
    /// Number of searches that have given up since the last proof.
    given_up: u32,
}

/// Patterns whose boxes are in an area or right around it.
#[derive(Clone, Debug)]
struct Known<W> {
    /// By bit: the patterns with a box there, each with its boxes and the bits on which the player may stand.
    at: Vec<Vec<(W, W)>>,
    /// Bytes that these hold, about.
    bytes: usize,
    /// Number of patterns that were given, also of those that are not kept.
    heard: usize,
}

impl<W: Word> Known<W> {
    /// No patterns yet.
    fn new() -> Self {
        Known { at: Vec::new(), bytes: 0, heard: 0 }
    }

    /// Keeps a pattern: boxes on bits below `near` that are dead while the player is on one of the bits of `players`.
    fn keep(&mut self, near: usize, boxes: W, players: W) {
        self.at.resize(near, Vec::new());
        for bit in bits(boxes) {
            if self.at[bit].len() < KNOWN_A_SQUARE {
                self.at[bit].push((boxes, players));
                self.bytes += 2 * size_of::<(W, W)>();
            }
        }
    }

    /// Whether a pattern with a box on the bit `to` is among these boxes, and the player on one of its bits.
    #[inline]
    fn has(&self, boxes: W, to: usize, player: usize) -> bool {
        self.at.get(to).is_some_and(|known| {
            known.iter().any(|&(dead, players)| dead & !boxes == W::NONE && players.has(player))
        })
    }
}

/// A position to be looked at, as a push makes it.
#[derive(Clone, Copy, Debug)]
struct Step<W> {
    boxes: W,
    /// Where the player stands, and where the box that was pushed does; [`NONE`] at first.
    player: u8,
    pushed: u8,
    /// What the player reached before.
    before: W,
}

/// The bits of a word, lowest first.
#[inline]
fn bits<W: Word>(mut word: W) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (word != W::NONE).then(|| {
            let bit = word.lowest();
            word = word.rest();
            bit
        })
    })
}

impl<W: Word> Area<W> {
    fn new(board: &Board, live: &[bool], area: &[Square]) -> Option<Self> {
        let wall = board.squares();
        let mut bit = vec![NONE; wall + 1].into_boxed_slice();
        let mut squares: Vec<Square> = Vec::new();
        let mut add = |squares: &mut Vec<Square>, square: Square| {
            if square as usize != wall && bit[square as usize] == NONE && squares.len() < W::MOST {
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
        let mut of_near = vec![0; board.squares().div_ceil(64)];
        squares.iter().for_each(|&square| put(&mut of_near, square));
        let mut parts = near;
        let mut adjacent = vec![W::NONE; near];
        let mut beyond = Vec::new();
        for &square in &squares[inside..] {
            for next in board.next[square as usize] {
                if next as usize != wall && bit[next as usize] == NONE {
                    if parts == W::MOST {
                        return None;
                    }
                    flood_beyond(board, &mut bit, next, parts as u8);
                    adjacent.push(W::NONE);
                    beyond.push(next);
                    parts += 1;
                }
            }
        }
        if parts >= W::MOST {
            return None;
        }
        let mut this = Area {
            bit,
            next: Vec::with_capacity(near),
            stuck: Vec::with_capacity(near),
            adjacent,
            squares: Vec::new(),
            near: of_near,
            known: Known::new(),
            area: (0..inside).fold(W::NONE, |area, i| area | W::bit(i)),
            live: W::NONE,
            targets: W::NONE,
            dead: AHashSet::new(),
            spared: AHashSet::new(),
            seen: AHashSet::new(),
            stack: Vec::new(),
            positions: 0,
            given_up: 0,
        };
        for (i, &square) in squares.iter().enumerate() {
            this.join(board, live, (i, near), square);
        }
        squares.extend(beyond);
        this.squares = squares;
        Some(this)
    }

    /// Fills in what is known of a square that has a bit; those of squares are below `near`.
    fn join(&mut self, board: &Board, live: &[bool], (i, near): (usize, usize), square: Square) {
        let wall = board.squares();
        let sides = board.next[square as usize];
        self.next.push(sides.map(|s| {
            let bit = self.bit[s as usize];
            if (bit as usize) < near { bit } else { NONE }
        }));
        let dead = |s: Square| !live[s as usize];
        self.stuck.push([0, 1].map(|axis| {
            let (a, b) = (sides[axis], sides[axis + 2]);
            a as usize == wall || b as usize == wall || (dead(a) && dead(b))
        }));
        for other in sides.iter().map(|&s| self.bit[s as usize]).filter(|&bit| bit != NONE) {
            let other = other as usize;
            self.adjacent[i] = self.adjacent[i] | W::bit(other);
            self.adjacent[other] = self.adjacent[other] | W::bit(i);
        }
        if live[square as usize] {
            self.live = self.live | W::bit(i);
        }
        if board.is_target[square as usize] {
            self.targets = self.targets | W::bit(i);
        }
    }

    fn hear(&mut self, patterns: &[Pattern]) {
        let first = self.known.heard.max(patterns.len().saturating_sub(RECENT_PATTERNS));
        for pattern in &patterns[first..] {
            if pattern.boxes.iter().zip(&self.near).all(|(boxes, near)| boxes & !near == 0) {
                let union = |word, bit: usize| word | W::bit(bit);
                let boxes = squares_of(pattern.boxes.iter().copied())
                    .map(|s| usize::from(self.bit[s as usize]));
                let players = self.squares.iter().enumerate();
                let players =
                    players.filter(|&(_, &s)| has(&pattern.region, s)).map(|(bit, _)| bit);
                let (boxes, players) = (boxes.fold(W::NONE, union), players.fold(W::NONE, union));
                self.known.keep(self.next.len(), boxes, players);
            }
        }
        self.known.heard = patterns.len();
    }

    fn memory(&self) -> usize {
        let sets = self.dead.capacity() + self.spared.capacity() + self.seen.capacity();
        self.bit.len()
            + self.adjacent.len() * 24
            + self.known.bytes
            + sets * (size_of::<Position<W>>() + 1)
    }

    /// Everything that the player reaches from a square, and what it reached before.
    #[inline]
    fn flood(&self, boxes: W, before: W, player: u8) -> W {
        let mut front = W::bit(player as usize);
        let mut reached = before | front;
        let mut free = !(boxes | reached);
        while front != W::NONE {
            let new = self.adjacent[front.lowest()] & free;
            front = front.rest() | new;
            reached = reached | new;
            free = free & !new;
        }
        reached
    }

    /// What the player reached before a push and still reaches for certain: all but the square that
    /// the box was pushed to where that parts nothing, else no square.
    #[inline]
    fn kept(&self, Step { player, pushed, before, .. }: Step<W>) -> W {
        if pushed == NONE || !before.has(pushed as usize) {
            return before;
        }
        let kept = before & !W::bit(pushed as usize);
        let around = self.adjacent[pushed as usize] & kept;
        if around.rest() == W::NONE {
            // Reached from one side, the square led nowhere.
            return kept;
        }
        // What shares a neighbour with one of them hangs together with it.
        let free = kept | W::bit(player as usize);
        let beside = |bit: usize| self.adjacent[bit] & free;
        let mut apart = around.rest() | W::bit(player as usize);
        let mut whole = beside(around.lowest());
        loop {
            let Some(next) = bits(apart).find(|&bit| beside(bit) & whole != W::NONE) else { break };
            whole = whole | beside(next);
            apart = apart & !W::bit(next);
        }
        if apart & around == W::NONE { kept } else { W::NONE }
    }

    /// Whether a box that cannot move any more, the one on `to` or one it holds, is off its target.
    fn is_frozen(&self, boxes: W, to: usize) -> bool {
        let held = |frozen: W, i: usize, axis: usize| {
            let beside = |side: usize| {
                let next = self.next[i][side];
                next != NONE && frozen.has(next as usize)
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
                    frozen = frozen & !W::bit(i);
                }
            }
            if frozen == before {
                return frozen & !self.targets != W::NONE;
            }
        }
    }

    fn is_dead(&mut self, members: &[Square], player: Square, most: usize) -> bool {
        self.positions = 0;
        let boxes = (members.iter())
            .fold(W::NONE, |boxes, &s| boxes | W::bit(self.bit[s as usize] as usize));
        let player = self.bit[player as usize];
        let start = (boxes, self.flood(boxes, W::NONE, player));
        if self.dead.contains(&start) {
            return true;
        }
        if self.spared.contains(&start) {
            return false;
        }
        let most = most.min(self.limit());
        self.seen.clear();
        self.stack.clear();
        self.stack.push(Step { boxes, player, pushed: NONE, before: W::NONE });
        while let Some(step) = self.stack.pop() {
            let is_over = self.positions > most;
            if is_over || self.follow(step) {
                self.given_up += u32::from(is_over);
                self.spared.insert(start);
                return false;
            }
        }
        self.given_up = 0;
        self.dead.extend(self.seen.drain());
        true
    }

    /// Upper limit of the positions of the next search. Most proofs are short. Without halving, searches that give up would
    /// look at most of all positions.
    fn limit(&self) -> usize {
        POSITIONS >> self.given_up.min(HALVINGS)
    }

    /// Takes every box out that can leave, and puts what the others can do on the stack; whether
    /// all those left stand on targets.
    fn follow(&mut self, step: Step<W>) -> bool {
        let top = self.stack.len();
        let Step { mut boxes, mut player, .. } = step;
        let mut reached = self.kept(step);
        loop {
            if boxes & !self.targets == W::NONE {
                return true;
            }
            reached = self.flood(boxes, reached, player);
            debug_assert!(
                reached == self.flood(boxes, W::NONE, player),
                "what is kept hangs together"
            );
            let Some(bit) = self.leaving(boxes, reached) else { break };
            self.stack.truncate(top);
            boxes = boxes & !W::bit(bit as usize);
            player = bit;
        }
        let here = (boxes, reached);
        if self.dead.contains(&here) || !self.seen.insert(here) {
            self.stack.truncate(top);
            return false;
        }
        self.positions += 1;
        false
    }

    /// A box that can leave the area; else all pushes that stay in it are put on the stack.
    fn leaving(&mut self, boxes: W, reached: W) -> Option<u8> {
        let free = self.live & !boxes;
        for i in bits(boxes) {
            for d in 0..4 {
                let (to, behind) = (self.next[i][d], self.next[i][d ^ 2]);
                let may = to != NONE
                    && behind != NONE
                    && reached.has(behind as usize)
                    && free.has(to as usize);
                if !may {
                    continue;
                }
                let after = boxes & !W::bit(i) | W::bit(to as usize);
                let to = to as usize;
                if self.is_frozen(after, to) || self.known.has(after, to, i) {
                    continue;
                }
                if !self.area.has(to) {
                    return Some(i as u8);
                }
                let (player, pushed) = (i as u8, to as u8);
                let step = Step { boxes: after, player, pushed, before: reached };
                self.stack.push(step);
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
