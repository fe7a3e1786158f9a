//! A set of cells as bits, 64 to a word.

use super::Cell;

/// A set of cells of one board, one bit a cell.
#[derive(Clone, PartialEq, Eq, Debug, Default, Hash)]
pub struct BitBoard {
    words: Vec<u64>,
}

impl BitBoard {
    /// The empty set over `cells` cells.
    pub fn new(cells: usize) -> Self {
        BitBoard { words: vec![0; cells.div_ceil(64)] }
    }

    /// Whether the cell is in the set.
    #[inline]
    pub fn contains(&self, cell: Cell) -> bool {
        self.words[cell.index() >> 6] >> (cell.0 & 63) & 1 == 1
    }

    /// Puts the cell into the set.
    #[inline]
    pub fn insert(&mut self, cell: Cell) {
        self.words[cell.index() >> 6] |= 1 << (cell.0 & 63);
    }

    /// Takes the cell out of the set.
    #[inline]
    pub fn remove(&mut self, cell: Cell) {
        self.words[cell.index() >> 6] &= !(1 << (cell.0 & 63));
    }

    /// The `count` (at most 57) bits from index `from` on, lowest first; bits past the end are 0.
    #[inline]
    pub fn window(&self, from: usize, count: u32) -> u64 {
        debug_assert!(count <= 57);
        let (word, shift) = (from >> 6, from & 63);
        let low = self.words.get(word).copied().unwrap_or(0) >> shift;
        let high = if shift == 0 {
            0
        } else {
            self.words.get(word + 1).copied().unwrap_or(0) << (64 - shift)
        };
        (low | high) & ((1 << count) - 1)
    }

    /// How many cells are in the set.
    pub fn len(&self) -> usize {
        self.words.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// Whether no cell is in the set.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&w| w == 0)
    }

    /// The cells of the set, in order.
    pub fn iter(&self) -> impl Iterator<Item = Cell> + '_ {
        self.words.iter().enumerate().flat_map(|(i, &word)| {
            std::iter::successors((word != 0).then_some(word), |w| {
                let rest = w & (w - 1);
                (rest != 0).then_some(rest)
            })
            .map(move |w| Cell((i * 64) as u32 + w.trailing_zeros()))
        })
    }
}
