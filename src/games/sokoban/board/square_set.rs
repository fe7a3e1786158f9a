//! Sets of squares as bits, one machine word for 64 squares.

use super::Square;

/// Squares of a board as bits; its number of words is the board's.
pub type SquareSet = Vec<u64>;

/// Whether a set contains a square.
#[inline]
pub fn has(bits: &[u64], square: Square) -> bool {
    bits[square as usize >> 6] >> (square & 63) & 1 == 1
}

/// Puts a square into a set.
#[inline]
pub fn put(bits: &mut [u64], square: Square) {
    bits[square as usize >> 6] |= 1 << (square & 63);
}

/// Takes a square out of a set.
#[inline]
pub fn take(bits: &mut [u64], square: Square) {
    bits[square as usize >> 6] &= !(1 << (square & 63));
}

/// The squares of the set that consists of these words, in order.
pub fn squares_of(words: impl Iterator<Item = u64>) -> impl Iterator<Item = Square> {
    words.zip(0..).flat_map(|(mut word, at)| {
        std::iter::from_fn(move || {
            (word != 0).then(|| {
                let square = at * 64 + word.trailing_zeros() as Square;
                word &= word - 1;
                square
            })
        })
    })
}

/// A set without those of another.
pub fn without(bits: &[u64], others: &[u64]) -> SquareSet {
    bits.iter().zip(others).map(|(bits, others)| bits & !others).collect()
}
