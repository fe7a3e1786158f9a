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

/// The squares of a set, in order.
pub fn squares_of(bits: &[u64]) -> impl Iterator<Item = Square> + '_ {
    bits.iter().zip(0..).flat_map(|(&word, at)| {
        let rest = |&word: &u64| Some(word & (word - 1)).filter(|&rest| rest != 0);
        let words = std::iter::successors(Some(word).filter(|&word| word != 0), rest);
        words.map(move |word| at * 64 + word.trailing_zeros() as Square)
    })
}

/// A set without those of another.
pub fn without(bits: &[u64], others: &[u64]) -> SquareSet {
    bits.iter().zip(others).map(|(bits, others)| bits & !others).collect()
}
