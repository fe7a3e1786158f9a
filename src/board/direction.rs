//! The eight directions, clockwise from the top.

/// A direction on the board. Rows grow downward, so `North` has a row difference of -1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Direction {
    North,
    NorthEast,
    East,
    SouthEast,
    South,
    SouthWest,
    West,
    NorthWest,
}

/// The four directions without a diagonal part, clockwise from the top.
pub const ORTHOGONAL: [Direction; 4] =
    [Direction::North, Direction::East, Direction::South, Direction::West];

impl Direction {
    /// All eight, clockwise from the top; `ALL[d as usize] == d`.
    pub const ALL: [Direction; 8] = [
        Direction::North,
        Direction::NorthEast,
        Direction::East,
        Direction::SouthEast,
        Direction::South,
        Direction::SouthWest,
        Direction::West,
        Direction::NorthWest,
    ];

    /// Row difference of a step: -1, 0 or 1.
    #[inline]
    pub const fn drow(self) -> i32 {
        [-1, -1, 0, 1, 1, 1, 0, -1][self as usize]
    }

    /// Column difference of a step: -1, 0 or 1.
    #[inline]
    pub const fn dcol(self) -> i32 {
        [0, 1, 1, 1, 0, -1, -1, -1][self as usize]
    }

    /// The direction of a step with these differences; `None` for (0, 0) and for anything longer.
    pub fn from_delta(drow: i32, dcol: i32) -> Option<Direction> {
        Direction::ALL.into_iter().find(|d| d.drow() == drow && d.dcol() == dcol)
    }

    /// The opposite direction.
    pub const fn opposite(self) -> Direction {
        Direction::ALL[(self as usize + 4) % 8]
    }
}
