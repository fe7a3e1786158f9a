//! Lengths of tries that are begun again when nobody knows how long one needs.

/// The number at this place, from 1 on, of the sequence 1, 1, 2, 1, 1, 2, 4, 1, ...: tries as long
/// as its multiples take, in the mean, no more than a logarithm times as long as those of the best
/// fixed length (Luby, Sinclair and Zuckerman, "Optimal speedup of Las Vegas algorithms", 1993).
///
/// ```
/// let lengths: Vec<u64> = (1..=15).map(outwit::search::luby).collect();
/// assert_eq!(lengths, [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]);
/// ```
pub fn luby(mut place: u64) -> u64 {
    loop {
        let half = 1 << place.ilog2();
        if place == 2 * half - 1 {
            return half;
        }
        place -= half - 1;
    }
}
