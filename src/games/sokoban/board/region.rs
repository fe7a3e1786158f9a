//! Which squares are occupied, and what the player can walk to: rows of words, flooded run by run.
//!
//! Each node of a search asks at least once for the player's region. So the flood works on rows of
//! words rather than square by square: a run of free squares is found with two counts of bits and
//! handed to the rows above and below whole (scanline filling; Smith, "Tint Fill", SIGGRAPH 1979).
//! `benches/sokoban.rs` compares it with a flood over the neighbour table.

use crate::board::{Cell, Shape};
use std::ops::Deref;
use std::sync::Arc;

/// A square: a number below that of the board's squares; that number itself is the wall.
pub type Square = u16;

/// The eight squares around one, clockwise from the one above: rows down and columns to the right.
pub(super) const RING: [(i32, i32); 8] =
    [(-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1)];

/// By which of the eight squares around one are in a set, clockwise from the one above: whether
/// those of its four neighbours that are in the set hang together through the others.
pub(super) const RING_IS_WHOLE: [bool; 256] = {
    let mut table = [false; 256];
    let mut ring = 0;
    while ring < 256 {
        // Parts of the ring, each a run of squares; runs of a corner alone do not count.
        let mut parts = 0;
        let mut at = 0;
        while at < 8 {
            let (here, next) = (ring >> at & 1, ring >> ((at + 1) % 8) & 1);
            let after = ring >> ((at + 2) % 8) & 1;
            // A neighbour begins a part unless it follows on the one before, through their corner.
            if at % 2 == 0 && after == 1 && !(here == 1 && next == 1) {
                parts += 1;
            }
            at += 1;
        }
        // A ring of all eight has no beginning.
        table[ring] = parts <= 1;
        ring += 1;
    }
    table
};

/// Where squares are in rows of words.
#[derive(Debug)]
pub struct Layout {
    /// Words of a row.
    stride: usize,
    /// Which bit each square is; that of the wall is in a word of its own, past all rows.
    places: Box<[u32]>,
    /// The square of each bit.
    squares: Box<[Square]>,
    /// Which bits the eight around each square are, clockwise from the one above; that of the wall
    /// where there is no square.
    rings: Box<[[u32; 8]]>,
}

impl Layout {
    /// For the squares on these cells, given in order.
    pub fn new(shape: Shape, cells: &[Cell]) -> Self {
        let stride = (shape.cols as usize).div_ceil(64).max(1);
        let wall = shape.rows as usize * stride * 64;
        let place =
            |&cell: &Cell| shape.row(cell) as u32 * stride as u32 * 64 + shape.col(cell) as u32;
        let places: Box<[u32]> = cells.iter().map(place).chain([wall as u32]).collect();
        let mut squares = vec![cells.len() as Square; wall + 64].into_boxed_slice();
        for (square, &place) in places.iter().enumerate() {
            squares[place as usize] = square as Square;
        }
        let ring = |&cell: &Cell| {
            RING.map(|(down, right)| {
                let beside = shape.at(shape.row(cell) + down, shape.col(cell) + right);
                let place = beside.map_or(wall, |beside| place(&beside) as usize);
                if (squares[place] as usize) < cells.len() { place as u32 } else { wall as u32 }
            })
        };
        let rings = cells.iter().map(ring).collect();
        Layout { stride, places, squares, rings }
    }

    /// Number of words of a set of squares.
    pub fn words(&self) -> usize {
        self.squares.len() / 64
    }

    /// The word of a square, and its bit.
    #[inline]
    pub fn bit(&self, square: Square) -> (usize, u64) {
        let place = self.places[square as usize];
        (place as usize / 64, 1 << (place % 64))
    }

    /// Calls `visit` with the number of each word and the cells in it that are right beside a cell of the set.
    #[inline]
    pub fn beside(&self, set: &[u64], mut visit: impl FnMut(usize, u64)) {
        let stride = self.stride;
        let at = |word: Option<usize>| word.and_then(|word| set.get(word)).copied().unwrap_or(0);
        for (i, &word) in set.iter().enumerate() {
            let mut beside =
                word << 1 | word >> 1 | at(i.checked_sub(stride)) | at(Some(i + stride));
            if stride > 1 {
                let left = if i.is_multiple_of(stride) { 0 } else { set[i - 1] >> 63 };
                let right = if (i + 1).is_multiple_of(stride) { 0 } else { at(Some(i + 1)) << 63 };
                beside |= left | right;
            }
            visit(i, beside);
        }
    }

    /// The squares of bits, in order.
    pub fn squares(&self, words: impl Iterator<Item = u64>) -> impl Iterator<Item = Square> {
        words.enumerate().flat_map(move |(i, mut word)| {
            std::iter::from_fn(move || {
                (word != 0).then(|| {
                    let bit = word.trailing_zeros() as usize;
                    word &= word - 1;
                    self.squares[i * 64 + bit]
                })
            })
        })
    }
}

/// Whether each square is occupied. The wall always is. It reads as a list by square.
#[derive(Clone, Debug)]
pub struct Occupied {
    layout: Arc<Layout>,
    list: Box<[bool]>,
    /// The squares that are not occupied.
    free: Box<[u64]>,
}

impl Occupied {
    /// Every square is free.
    pub fn new(layout: &Arc<Layout>) -> Self {
        let squares = layout.places.len() - 1;
        let mut list = vec![false; squares + 1].into_boxed_slice();
        list[squares] = true;
        let mut free = vec![0; layout.words()].into_boxed_slice();
        for square in 0..squares {
            let (word, bit) = layout.bit(square as Square);
            free[word] |= bit;
        }
        Occupied { layout: Arc::clone(layout), list, free }
    }

    /// Puts something on a square, or takes it off.
    #[inline]
    pub fn set(&mut self, square: Square, value: bool) {
        let (word, bit) = self.layout.bit(square);
        self.list[square as usize] = value;
        self.free[word] = if value { self.free[word] & !bit } else { self.free[word] | bit };
    }

    /// The squares that are not occupied, in the layout's words.
    pub fn free(&self) -> &[u64] {
        &self.free
    }

    /// Moves what is on a square to another.
    #[inline]
    pub fn slide(&mut self, from: Square, to: Square) {
        self.set(from, false);
        self.set(to, true);
    }

    /// Puts something on these squares, or takes it off.
    #[inline]
    pub fn set_all(&mut self, squares: &[Square], value: bool) {
        squares.iter().for_each(|&square| self.set(square, value));
    }
}

impl Deref for Occupied {
    type Target = [bool];

    #[inline]
    fn deref(&self) -> &[bool] {
        &self.list
    }
}

/// Squares that can be walked to.
#[derive(Clone, Debug)]
pub struct Flood {
    layout: Arc<Layout>,
    /// Where the last flood began.
    from: Square,
    reached: Box<[u64]>,
    /// Words, and bits of them that are new.
    stack: Vec<(u32, u64)>,
    queue: Vec<Square>,
}

impl Flood {
    /// Working memory for boards of a layout.
    pub fn new(layout: &Arc<Layout>) -> Self {
        Flood {
            reached: vec![0; layout.words()].into_boxed_slice(),
            layout: Arc::clone(layout),
            from: 0,
            stack: Vec::new(),
            queue: Vec::new(),
        }
    }

    /// Floods from a square over squares that are not `occupied`.
    pub fn fill(&mut self, occupied: &Occupied, from: Square) {
        self.spread(&occupied.free, from);
    }

    /// Floods from a square over a set of squares in the layout's words. The square itself need not be in the set.
    pub fn spread(&mut self, free: &[u64], from: Square) {
        self.from = from;
        self.reached.fill(0);
        let (word, bit) = self.layout.bit(from);
        self.stack.push((word as u32, bit));
        let stride = self.layout.stride;
        let last = self.reached.len() - 1;
        while let Some((word, new)) = self.stack.pop() {
            let word = word as usize;
            let mut seeds = new & !self.reached[word];
            let open = free[word] | seeds;
            let mut runs = 0;
            while seeds != 0 {
                let run = run(open, seeds.trailing_zeros());
                runs |= run;
                seeds &= !run;
            }
            self.reached[word] |= runs;
            if word >= stride {
                self.offer(free, word - stride, runs);
            }
            if word + stride <= last {
                self.offer(free, word + stride, runs);
            }
            if stride > 1 {
                if !word.is_multiple_of(stride) {
                    self.offer(free, word - 1, runs << 63);
                }
                if word % stride + 1 < stride {
                    self.offer(free, word + 1, runs >> 63);
                }
            }
        }
    }

    /// Puts what is new of bits beside a word on the stack.
    #[inline]
    fn offer(&mut self, free: &[u64], word: usize, bits: u64) {
        let new = bits & free[word] & !self.reached[word];
        if new != 0 {
            self.stack.push((word as u32, new));
        }
    }

    /// The least square of the player's region after a push of a box from one square to the next,
    /// where the last flood found the region before it, and `occupied` is the board after it. `None`
    /// where the push may part the region or open another to it, so that only a flood tells.
    pub fn least_after(&self, occupied: &Occupied, from: Square, to: Square) -> Option<Square> {
        let (begin, end) = (self.layout.bit(from), self.layout.bit(to));
        let start = self.layout.places[from as usize];
        // The neighbours of where the player is then, which the push has made part of its region.
        for place in self.layout.rings[from as usize].iter().step_by(2) {
            let (word, bit) = (*place as usize / 64, 1 << (place % 64));
            if occupied.free[word] & !self.reached[word] & bit != 0 {
                return None;
            }
        }
        let around = self.layout.rings[to as usize].iter().enumerate();
        let ring = around.fold(0, |ring, (i, &place)| {
            let is_in = self.reached[place as usize / 64] >> (place % 64) & 1;
            ring | (is_in as usize | usize::from(place == start)) << i
        });
        if !RING_IS_WHOLE[ring] {
            return None;
        }
        let (first, word) = self.reached.iter().enumerate().find_map(|(i, &word)| {
            let word = if i == begin.0 { word | begin.1 } else { word };
            let word = if i == end.0 { word & !end.1 } else { word };
            (word != 0).then_some((i, word))
        })?;
        Some(self.layout.squares[first * 64 + word.trailing_zeros() as usize])
    }

    /// Writes down the steps from where the last flood began to all that it reached. `next` are the
    /// neighbours of each square.
    pub fn measure(&mut self, next: &[[Square; 4]], steps: &mut [u32]) {
        self.squares().for_each(|s| steps[s as usize] = u32::MAX);
        steps[self.from as usize] = 0;
        self.queue.clear();
        self.queue.push(self.from);
        let mut head = 0;
        while let Some(&square) = self.queue.get(head) {
            head += 1;
            let there = steps[square as usize] + 1;
            for &beside in &next[square as usize] {
                if self.contains(beside) && steps[beside as usize] > there {
                    steps[beside as usize] = there;
                    self.queue.push(beside);
                }
            }
        }
    }

    /// The squares that the last flood reached, in the layout's words.
    pub fn words(&self) -> &[u64] {
        &self.reached
    }

    /// Whether the last flood reached the square.
    #[inline]
    pub fn contains(&self, square: Square) -> bool {
        let (word, bit) = self.layout.bit(square);
        self.reached[word] & bit != 0
    }

    /// How many squares the last flood reached.
    pub fn count(&self) -> usize {
        self.reached.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The least square that the last flood reached.
    pub fn least(&self) -> Square {
        self.squares().next().unwrap_or(self.from)
    }

    /// What the last flood reached, in order.
    pub fn squares(&self) -> impl Iterator<Item = Square> {
        self.layout.squares(self.reached.iter().copied())
    }

    /// What the last flood left out of what is free, in order.
    pub fn missed(&self, occupied: &Occupied) -> impl Iterator<Item = Square> {
        let words = occupied.free.iter().zip(&self.reached);
        self.layout.squares(words.map(|(free, reached)| free & !reached))
    }
}

/// The run of set bits that one of them is in.
#[inline]
fn run(bits: u64, at: u32) -> u64 {
    let up = (bits >> at).trailing_ones();
    let down = (bits << (63 - at)).leading_ones();
    (u64::MAX >> (65 - up - down)) << (at + 1 - down)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::zobrist;

    /// Steps to each square from one, square by square.
    fn steps(next: &[[Square; 4]], occupied: &[bool], from: Square) -> Vec<Option<u32>> {
        let mut steps = vec![None; next.len()];
        let mut queue = vec![from];
        steps[usize::from(from)] = Some(0);
        let mut head = 0;
        while let Some(&square) = queue.get(head) {
            head += 1;
            for &beside in &next[usize::from(square)] {
                if !occupied[usize::from(beside)] && steps[usize::from(beside)].is_none() {
                    steps[usize::from(beside)] = steps[usize::from(square)].map(|s| s + 1);
                    queue.push(beside);
                }
            }
        }
        steps
    }

    #[test]
    fn floods_reach_what_steps_do() {
        for seed in 0..300 {
            let lot = |what: u64, most: u64| zobrist(seed, what) % most;
            // One to three words a row, and one square more or less than fits in them.
            let cols = [5, 20, 63, 64, 65, 127, 128, 129][lot(0, 8) as usize];
            let shape = Shape { rows: 1 + lot(1, 12) as u32, cols };
            let walls = 2 + lot(2, 8);
            let open = |cell: &Cell| lot(10 + u64::from(cell.0), walls) != 0;
            let cells: Vec<Cell> = shape.iter().filter(open).collect();
            let wall = cells.len() as Square;
            let square = |cell: Option<Cell>| {
                cell.and_then(|cell| cells.binary_search(&cell).ok()).map_or(wall, |s| s as Square)
            };
            let beside = |&cell: &Cell| {
                let (row, col) = (shape.row(cell), shape.col(cell));
                [(-1, 0), (0, 1), (1, 0), (0, -1)]
                    .map(|(down, right)| square(shape.at(row + down, col + right)))
            };
            let mut next: Vec<[Square; 4]> = cells.iter().map(beside).collect();
            next.push([wall; 4]);
            let layout = Arc::new(Layout::new(shape, &cells));
            let mut occupied = Occupied::new(&layout);
            let mut flood = Flood::new(&layout);
            let mut measured = vec![0; cells.len() + 1];
            for step in 0..20u64.min(cells.len() as u64) {
                let at = |what: u64| lot(5000 + 3 * step + what, cells.len() as u64) as Square;
                occupied.set(at(0), step % 3 != 2);
                let from = at(1);
                let steps = steps(&next, &occupied, from);
                flood.fill(&occupied, from);
                flood.measure(&next, &mut measured);
                let known = |s: Square| steps[usize::from(s)];
                let reached: Vec<Square> = (0..wall).filter(|&s| known(s).is_some()).collect();
                assert_eq!(flood.squares().collect::<Vec<_>>(), reached, "seed {seed}");
                assert_eq!(flood.count(), reached.len(), "seed {seed}");
                assert_eq!(flood.least(), reached[0], "seed {seed}");
                let right = |&s: &Square| known(s) == Some(measured[usize::from(s)]);
                assert!(reached.iter().all(right), "seed {seed}");
                assert!((0..=wall).all(|s| flood.contains(s) == known(s).is_some()), "seed {seed}");
                let mut beside = vec![0; layout.words()];
                layout.beside(flood.words(), |i, word| beside[i] = word);
                for s in 0..wall {
                    let (word, bit) = layout.bit(s);
                    let is_beside = next[usize::from(s)].iter().any(|&other| flood.contains(other));
                    assert_eq!(beside[word] & bit != 0, is_beside, "seed {seed}");
                }
                let missed = |&s: &Square| !occupied[usize::from(s)] && known(s).is_none();
                let missed: Vec<Square> = (0..wall).filter(missed).collect();
                assert_eq!(flood.missed(&occupied).collect::<Vec<_>>(), missed, "seed {seed}");
            }
        }
    }

    #[test]
    fn regions_after_pushes_are_those_of_floods() {
        let (mut told, mut asked) = (0, 0);
        for seed in 0..400 {
            let lot = |what: u64, most: u64| zobrist(seed, what) % most;
            let cols = [5, 12, 63, 64, 65][lot(0, 5) as usize];
            let shape = Shape { rows: 3 + lot(1, 9) as u32, cols };
            let open = |cell: &Cell| lot(10 + u64::from(cell.0), 6) != 0;
            let cells: Vec<Cell> = shape.iter().filter(open).collect();
            let layout = Arc::new(Layout::new(shape, &cells));
            let mut occupied = Occupied::new(&layout);
            for square in 0..cells.len() as u64 {
                occupied.set(square as Square, lot(9000 + square, 4) == 0);
            }
            let (mut before, mut after) = (Flood::new(&layout), Flood::new(&layout));
            for (from, &cell) in cells.iter().enumerate().filter(|&(from, _)| occupied[from]) {
                for (down, right) in [(-1, 0), (0, 1), (1, 0), (0, -1)] {
                    let at = |steps: i32| {
                        let (row, col) = (shape.row(cell), shape.col(cell));
                        let there = shape.at(row + steps * down, col + steps * right)?;
                        let square = cells.binary_search(&there).ok()?;
                        (!occupied[square]).then_some(square as Square)
                    };
                    let (Some(to), Some(behind)) = (at(1), at(-1)) else { continue };
                    before.fill(&occupied, behind);
                    let mut pushed = occupied.clone();
                    pushed.slide(from as Square, to);
                    after.fill(&pushed, from as Square);
                    let least = before.least_after(&pushed, from as Square, to);
                    assert!(least.is_none_or(|least| least == after.least()), "seed {seed}");
                    (told, asked) = (told + u32::from(least.is_some()), asked + 1);
                }
            }
        }
        assert!(asked > 10_000 && told > asked / 2, "{told} of {asked}");
    }

    #[test]
    fn runs_end_where_bits_do() {
        assert_eq!(run(0b0110_1110, 2), 0b1110);
        assert_eq!(run(0b0110_1110, 3), 0b1110);
        assert_eq!(run(0b0110_1110, 6), 0b0110_0000);
        assert_eq!(run(u64::MAX, 17), u64::MAX);
        assert_eq!(run(1 << 63, 63), 1 << 63);
        assert_eq!(run(1, 0), 1);
    }
}
