//! The keys of solutions in LURD.

use crate::board::Direction;

/// The most keys of a solution, run lengths expanded.
pub const MAX_KEYS: usize = 10_000_000;

/// The direction that a key means, either case.
pub fn direction(letter: char) -> Option<Direction> {
    match letter.to_ascii_lowercase() {
        'u' => Some(Direction::North),
        'd' => Some(Direction::South),
        'l' => Some(Direction::West),
        'r' => Some(Direction::East),
        _ => None,
    }
}

/// The key of a direction: upper case where a box is pushed. Diagonals have none.
pub fn letter(direction: Direction, push: bool) -> char {
    let letter = match direction {
        Direction::North => 'u',
        Direction::South => 'd',
        Direction::West => 'l',
        _ => 'r',
    };
    if push { letter.to_ascii_uppercase() } else { letter }
}
