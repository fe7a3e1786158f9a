//! Hash keys of positions.
//!
//! A Zobrist key (Zobrist, 1970) is the xor of one random word for each feature of a state, so that
//! it can be kept up to date feature by feature and does not depend on their order. The words here
//! come from a mixing function instead of a table: no memory, the same on every machine.

/// Scrambles a word: the finalizer of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
#[inline]
pub const fn mix(word: u64) -> u64 {
    let mut z = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The Zobrist word of feature `index` of kind `kind` (kinds keep features of different sorts apart).
#[inline]
pub const fn zobrist(kind: u32, index: u64) -> u64 {
    mix(index ^ ((kind as u64 + 1) << 56))
}
