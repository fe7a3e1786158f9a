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

/// A set without those of another.
pub fn without(bits: &[u64], others: &[u64]) -> SquareSet {
    bits.iter().zip(others).map(|(bits, others)| bits & !others).collect()
}
