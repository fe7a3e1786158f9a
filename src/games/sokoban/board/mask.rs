//! Bit boards: sets of squares as a few machine words, and the geometry of a level on them.
//!
//! A position of a level with up to 512 squares is 1, 2, 3, 4 or 8 words of boxes. The player's region
//! is found by shifting a set in the four directions until it stops growing, and all pushes in one
//! direction are a single mask. So an expansion costs a few hundred instructions and no table
//! look-up.
//!
//! Bits number the cells of the smallest rectangle that holds the level's squares, row by row.
//! Shifts to the sides mask out the column that a bit would wrap into; shifts up and down leave the
//! rectangle at its ends, where no square is.
//!
//! # Example
//! ```
//! use outwit::diagnostic::Source;
//! use outwit::games::sokoban::board::{Board, mask::{Maze, Mask}};
//! use outwit::games::sokoban::format;
//!
//! let levels = format::read_levels(&Source::new("level", "#####\n#@$.#\n#####\n")).unwrap();
//! let maze = Maze::<1>::new(&Board::new(&levels[0])).unwrap();
//! let region = maze.region(maze.player, maze.floor.without(maze.boxes));
//! assert_eq!(region.count(), 1);
//! let east = 1;
//! assert_eq!(maze.pushable(maze.boxes, region, maze.floor.without(maze.boxes), east), maze.boxes);
//! ```

use super::region::{RING, RING_IS_WHOLE};
use super::{Board, Square};
use std::hash::{Hash, Hasher};
use std::ops::{BitAnd, BitOr, BitOrAssign, BitXor};

/// A set of squares: bit `b` of word `w` stands for cell `64 w + b` of the level's rectangle.
#[derive(Clone, Copy, Eq, Debug)]
pub struct Mask<const W: usize>(pub [u64; W]);

/// The number of a bit.
pub type Bit = u16;

impl<const W: usize> Mask<W> {
    /// No squares.
    pub const EMPTY: Self = Mask([0; W]);

    /// The set of one square.
    #[inline]
    pub fn of(bit: Bit) -> Self {
        let mut words = [0; W];
        words[bit as usize / 64] = 1 << (bit % 64);
        Mask(words)
    }

    /// Whether the square is in the set.
    #[inline]
    pub fn has(self, bit: Bit) -> bool {
        self.0[bit as usize / 64] >> (bit % 64) & 1 == 1
    }

    /// What is in this set and not in the other.
    #[inline]
    pub fn without(self, other: Self) -> Self {
        Mask(std::array::from_fn(|i| self.0[i] & !other.0[i]))
    }

    /// Whether no square is in the set.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) == 0
    }

    /// Whether the sets share a square.
    #[inline]
    pub fn meets(self, other: Self) -> bool {
        !(self & other).is_empty()
    }

    /// Squares in the set.
    #[inline]
    pub fn count(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// The first square of the set.
    #[inline]
    pub fn first(self) -> Option<Bit> {
        let word = self.0.iter().position(|&word| word != 0)?;
        Some((word * 64) as Bit + self.0[word].trailing_zeros() as Bit)
    }

    /// All bits moved up by less than 64 places.
    #[inline]
    fn raised(self, by: u32) -> Self {
        let below = |i: usize| if i > 0 && by > 0 { self.0[i - 1] >> (64 - by) } else { 0 };
        Mask(std::array::from_fn(|i| self.0[i] << by | below(i)))
    }

    /// All bits moved down by less than 64 places.
    #[inline]
    fn lowered(self, by: u32) -> Self {
        let above = |i: usize| if i + 1 < W && by > 0 { self.0[i + 1] << (64 - by) } else { 0 };
        Mask(std::array::from_fn(|i| self.0[i] >> by | above(i)))
    }
}

/// Word by word: comparing arrays goes through memory, which costs a flood a fifth of its time.
impl<const W: usize> PartialEq for Mask<W> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        (*self ^ *other).is_empty()
    }
}

impl<const W: usize> Hash for Mask<W> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl<const W: usize> BitAnd for Mask<W> {
    type Output = Self;
    #[inline]
    fn bitand(self, other: Self) -> Self {
        Mask(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }
}

impl<const W: usize> BitOr for Mask<W> {
    type Output = Self;
    #[inline]
    fn bitor(self, other: Self) -> Self {
        Mask(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }
}

impl<const W: usize> BitOrAssign for Mask<W> {
    #[inline]
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}

impl<const W: usize> BitXor for Mask<W> {
    type Output = Self;
    #[inline]
    fn bitxor(self, other: Self) -> Self {
        Mask(std::array::from_fn(|i| self.0[i] ^ other.0[i]))
    }
}

/// The squares of a set, in order.
#[derive(Clone, Copy, Debug)]
pub struct Bits<const W: usize>(Mask<W>);

impl<const W: usize> Iterator for Bits<W> {
    type Item = Bit;
    #[inline]
    fn next(&mut self) -> Option<Bit> {
        let bit = self.0.first()?;
        let word = &mut self.0.0[bit as usize / 64];
        *word &= *word - 1;
        Some(bit)
    }
}

impl<const W: usize> IntoIterator for Mask<W> {
    type Item = Bit;
    type IntoIter = Bits<W>;
    #[inline]
    fn into_iter(self) -> Bits<W> {
        Bits(self)
    }
}

impl<const W: usize> FromIterator<Bit> for Mask<W> {
    fn from_iter<I: IntoIterator<Item = Bit>>(bits: I) -> Self {
        bits.into_iter().fold(Mask::EMPTY, |set, bit| set | Mask::of(bit))
    }
}

/// The widest rectangle whose rows a shift can pass.
const MOST_COLS: u32 = 63;

/// Rows and columns of the smallest rectangle that holds all squares, and its first row and column.
fn rectangle(board: &Board) -> (u32, u32, i32, i32) {
    let rows = || board.cells.iter().map(|&cell| board.shape.row(cell));
    let cols = || board.cells.iter().map(|&cell| board.shape.col(cell));
    let extent = |low: i32, high: i32| (high - low + 1).max(0) as u32;
    let (top, bottom) = (rows().min().unwrap_or(0), rows().max().unwrap_or(0));
    let (left, right) = (cols().min().unwrap_or(0), cols().max().unwrap_or(0));
    (extent(top, bottom), extent(left, right), top, left)
}

/// Words that a level needs: 1, 2, 3, 4 or 8; `None` where it is too large for a bit board.
pub fn words(board: &Board) -> Option<usize> {
    let (rows, cols, ..) = rectangle(board);
    let needed = (rows * cols).div_ceil(64) as usize;
    [1, 2, 3, 4, 8].into_iter().find(|&words| needed <= words && cols <= MOST_COLS)
}

/// Evaluates `$on_bits` with the constant `$W` set to the number of words that a board needs, or `$too_large`
/// if it has no bit board.
macro_rules! on_words {
    ($board:expr, $W:ident => $on_bits:expr, $too_large:expr) => {
        match $crate::games::sokoban::board::mask::words($board) {
            Some(1) => on_words!(@ $W = 1 => $on_bits),
            Some(2) => on_words!(@ $W = 2 => $on_bits),
            Some(3) => on_words!(@ $W = 3 => $on_bits),
            Some(4) => on_words!(@ $W = 4 => $on_bits),
            Some(_) => on_words!(@ $W = 8 => $on_bits),
            None => $too_large,
        }
    };
    (@ $W:ident = $words:literal => $on_bits:expr) => {{
        const $W: usize = $words;
        $on_bits
    }};
}
pub(in crate::games::sokoban) use on_words;

/// The geometry of a level, with where it starts.
#[derive(Clone, Debug)]
pub struct Maze<const W: usize> {
    /// All squares.
    pub floor: Mask<W>,
    /// Where boxes have to go.
    pub targets: Mask<W>,
    /// The boxes at the start.
    pub boxes: Mask<W>,
    /// The player at the start.
    pub player: Mask<W>,
    /// The level's square of each bit.
    square_of: Vec<Square>,
    cols: u32,
    not_first_col: Mask<W>,
    not_last_col: Mask<W>,
    /// By bit: the eight around it, clockwise from the one above. Itself where there is none.
    rings: Vec<[Bit; 8]>,
}

impl<const W: usize> Maze<W> {
    /// The geometry of a level; `None` where it does not fit.
    pub fn new(board: &Board) -> Option<Self> {
        words(board).filter(|&words| words <= W)?;
        let (rows, cols, top, left) = rectangle(board);
        let bit_of = |square: Square| {
            let cell = board.cells[square as usize];
            let (row, col) = (board.shape.row(cell) - top, board.shape.col(cell) - left);
            (row * cols as i32 + col) as Bit
        };
        let set = |squares: &[Square]| squares.iter().map(|&square| bit_of(square)).collect();
        let squares: Vec<Square> = (0..board.squares() as Square).collect();
        let mut square_of = vec![board.squares() as Square; W * 64];
        squares.iter().for_each(|&square| square_of[bit_of(square) as usize] = square);
        let cells = 0..(rows * cols) as Bit;
        let ring = |bit: Bit| {
            let (row, col) = (i32::from(bit) / cols as i32, i32::from(bit) % cols as i32);
            RING.map(|(down, right)| {
                let (row, col) = (row + down, col + right);
                let is_inside = (0..rows as i32).contains(&row) && (0..cols as i32).contains(&col);
                if is_inside { (row * cols as i32 + col) as Bit } else { bit }
            })
        };
        Some(Maze {
            rings: cells.clone().map(ring).collect(),
            floor: set(&squares),
            targets: set(&board.targets),
            boxes: set(&board.boxes),
            player: set(&[board.player]),
            square_of,
            cols,
            not_first_col: cells.clone().filter(|bit| bit % cols as Bit != 0).collect(),
            not_last_col: cells.filter(|bit| (bit + 1) % cols as Bit != 0).collect(),
        })
    }

    /// The square of a bit in the level's own numbering.
    pub fn square(&self, bit: Bit) -> Square {
        self.square_of[bit as usize]
    }

    /// The squares one step from those of the set, in direction `d` of
    /// [`DIRECTIONS`](super::DIRECTIONS). Bits that leave the floor are to be masked out by the
    /// caller.
    #[inline]
    pub fn step(&self, set: Mask<W>, d: usize) -> Mask<W> {
        match d {
            0 => set.lowered(self.cols),
            1 => set.raised(1) & self.not_first_col,
            2 => set.raised(self.cols),
            _ => set.lowered(1) & self.not_last_col,
        }
    }

    /// The bit one step from this one, where that is a floor square.
    #[inline]
    pub fn next(&self, bit: Bit, d: usize) -> Bit {
        match d {
            0 => bit.wrapping_sub(self.cols as Bit),
            1 => bit + 1,
            2 => bit + self.cols as Bit,
            _ => bit.wrapping_sub(1),
        }
    }

    /// The squares beside those of the set.
    #[inline]
    pub fn beside(&self, set: Mask<W>) -> Mask<W> {
        self.step(set, 0) | self.step(set, 1) | self.step(set, 2) | self.step(set, 3)
    }

    /// All `free` squares that hang together with those of the set.
    #[inline]
    pub fn region(&self, set: Mask<W>, free: Mask<W>) -> Mask<W> {
        let (to_right, to_left) = (free & self.not_first_col, free & self.not_last_col);
        let mut region = set;
        loop {
            let mut grown = region;
            grown |= grown.raised(1) & to_right;
            grown |= grown.lowered(1) & to_left;
            grown |= grown.raised(self.cols) & free;
            grown |= grown.lowered(self.cols) & free;
            if grown == region {
                return region;
            }
            region = grown;
        }
    }

    /// The player's region after a box was moved from one bit to the next: what [`region`](Self::region)
    /// says from `player` on, found with less work where the box does not part the region that the
    /// player had before. `free` are the squares without boxes now.
    #[inline]
    pub fn region_after(
        &self,
        region: Mask<W>,
        free: Mask<W>,
        (from, to): (Bit, Bit),
        player: Bit,
    ) -> Mask<W> {
        // With the square that the box comes to this hangs together.
        let known = region.without(Mask::of(to)) | Mask::of(from);
        if !self.is_whole_around(known, to) {
            return self.region(Mask::of(player), free);
        }
        let new = self.beside(Mask::of(from)) & free;
        if new.without(known).is_empty() { known } else { self.region(known, free) }
    }

    /// Whether those neighbours of a bit that are in the set hang together through the eight bits
    /// around it.
    #[inline]
    fn is_whole_around(&self, set: Mask<W>, bit: Bit) -> bool {
        let ring = self.rings[bit as usize];
        let places = ring.iter().enumerate();
        RING_IS_WHOLE
            [places.fold(0, |all, (place, &near)| all | usize::from(set.has(near)) << place)]
    }

    /// The regions into which a set of free squares falls.
    pub fn regions(&self, free: Mask<W>) -> impl Iterator<Item = Mask<W>> + '_ {
        let mut rest = free;
        std::iter::from_fn(move || {
            let region = self.region(Mask::of(rest.first()?), rest);
            rest = rest.without(region);
            Some(region)
        })
    }

    /// The boxes that the player, who reaches `region`, can push in direction `d` onto a square of
    /// `onto`.
    #[inline]
    pub fn pushable(&self, boxes: Mask<W>, region: Mask<W>, onto: Mask<W>, d: usize) -> Mask<W> {
        boxes & self.step(region, d) & self.step(onto, d ^ 2)
    }

    /// The boxes that the player, who reaches `region`, can pull in direction `d` onto a square of
    /// `onto`.
    #[inline]
    pub fn pullable(&self, boxes: Mask<W>, region: Mask<W>, onto: Mask<W>, d: usize) -> Mask<W> {
        let back = self.step(self.step(region, d ^ 2), d ^ 2);
        boxes & self.step(region & onto, d ^ 2) & back
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::mix;
    use crate::games::sokoban::board::region::Flood;
    use crate::games::sokoban::board::samples::random_level;
    use crate::games::sokoban::board::{DIRECTIONS, Push, State};

    /// Compares regions and pushes with those of the old simulator along a random walk.
    fn compare<const W: usize>(board: &Board, seed: u64) -> u64 {
        let maze = Maze::<W>::new(board).expect("it fits");
        let mut state = State::new(board);
        let mut compared = 0;
        for turn in 0..20 {
            let boxes: Mask<W> = (maze.floor.into_iter())
                .filter(|&bit| state.occupied[maze.square(bit) as usize])
                .collect();
            let player = maze.floor.into_iter().find(|&bit| maze.square(bit) == state.player);
            let free = maze.floor.without(boxes);
            let region = maze.region(Mask::of(player.expect("a square")), free);
            let mut flood = Flood::new(&board.layout);
            flood.fill(&state.occupied, state.player);
            let mut pushes = Vec::new();
            for bit in maze.floor {
                let square = maze.square(bit);
                assert_eq!(region.has(bit), flood.contains(square), "seed {seed}");
                for d in 0..DIRECTIONS.len() {
                    let next = board.next[square as usize].map(usize::from);
                    let can = boxes.has(bit)
                        && flood.contains(next[d ^ 2] as Square)
                        && !state.occupied[next[d]];
                    let says = maze.pushable(boxes, region, free, d).has(bit);
                    assert_eq!(says, can, "seed {seed}, bit {bit}, direction {d}");
                    if can {
                        assert_eq!(maze.square(maze.next(bit, d)), next[d] as Square);
                        let to = maze.next(bit, d);
                        let free = (free | Mask::of(bit)).without(Mask::of(to));
                        let after = maze.region_after(region, free, (bit, to), bit);
                        let plain = maze.region(Mask::of(bit), free);
                        assert_eq!(after, plain, "seed {seed}, bit {bit}, direction {d}");
                        pushes.push(Push { from: square, direction: d as u8 });
                    }
                    if maze.pullable(boxes, region, maze.floor, d).has(bit) {
                        let (to, player) = (maze.next(bit, d), maze.next(maze.next(bit, d), d));
                        let free = (free | Mask::of(bit)).without(Mask::of(to));
                        let after = maze.region_after(region, free, (bit, to), player);
                        let plain = maze.region(Mask::of(player), free);
                        assert_eq!(after, plain, "seed {seed}, bit {bit}, pulled {d}");
                    }
                    compared += 1;
                }
            }
            if pushes.is_empty() {
                break;
            }
            state.push(pushes[(mix(seed ^ turn) % pushes.len() as u64) as usize]);
        }
        compared
    }

    #[test]
    fn regions_and_pushes_are_those_of_the_simulator() {
        let mut compared = [0; 5];
        for seed in 0..2000 {
            let Some(board) = random_level(seed, 14, 24) else { continue };
            match words(&board) {
                Some(1) => compared[0] += compare::<1>(&board, seed),
                Some(2) => compared[1] += compare::<2>(&board, seed),
                Some(3) => compared[2] += compare::<3>(&board, seed),
                Some(4) => compared[3] += compare::<4>(&board, seed),
                Some(8) => compared[4] += compare::<8>(&board, seed),
                _ => {}
            }
        }
        assert!(compared.iter().all(|&count| count > 10_000), "{compared:?}");
    }
}
