//! An action in one byte.

use crate::board::Direction;
use crate::games::last_of_us::format::{Action, THROW_RANGE, THROW_SIDE};

/// An action in one byte: 0 to 7 walk in the [`Direction`] of that number, 8 stays, 9 and up throw.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Move(pub u8);

/// All throws.
pub const THROWS: [Move; (SIDE * SIDE) as usize] = {
    let mut throws = [Move(0); (SIDE * SIDE) as usize];
    let mut index = 0;
    while index < throws.len() {
        throws[index] = Move(9 + index as u8);
        index += 1;
    }
    throws
};

pub(super) const SIDE: i32 = THROW_SIDE;

impl Move {
    /// Standing still (`w 0 0`).
    pub const STAY: Move = Move(8);

    /// A throw by row and column difference, each at most [`THROW_RANGE`].
    #[inline]
    pub fn throw(drow: i32, dcol: i32) -> Move {
        debug_assert!(drow.abs() <= THROW_RANGE && dcol.abs() <= THROW_RANGE);
        Move((9 + (drow + THROW_RANGE) * SIDE + dcol + THROW_RANGE) as u8)
    }

    /// The action of a word, as a number; `None` where there is no such action.
    pub fn of_word(word: u64) -> Option<Move> {
        let last = THROWS[THROWS.len() - 1];
        u8::try_from(word).ok().map(Move).filter(|&action| action <= last)
    }

    /// Whether this is a throw.
    #[inline]
    pub fn is_throw(self) -> bool {
        self.0 > 8
    }

    /// Row and column difference of the cell that the action makes a sound at.
    #[inline]
    pub fn delta(self) -> (i32, i32) {
        match self.0 {
            walk @ 0..8 => {
                let direction = Direction::ALL[walk as usize];
                (direction.drow(), direction.dcol())
            }
            8 => (0, 0),
            throw => {
                let index = throw as i32 - 9;
                (index / SIDE - THROW_RANGE, index % SIDE - THROW_RANGE)
            }
        }
    }

    /// The action in the plan's terms.
    pub fn action(self) -> Action {
        let (drow, dcol) = self.delta();
        if self.is_throw() {
            Action::Throw { drow: drow as i8, dcol: dcol as i8 }
        } else {
            Action::Walk(Direction::from_delta(drow, dcol))
        }
    }
}

impl From<Action> for Move {
    fn from(action: Action) -> Move {
        match action {
            Action::Walk(None) => Move::STAY,
            Action::Walk(Some(direction)) => Move(direction as u8),
            Action::Throw { drow, dcol } => Move::throw(drow as i32, dcol as i32),
        }
    }
}
