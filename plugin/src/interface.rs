//! Numbers and the record of the plug-in interface of Sokoban programs. The README says where each is written
//! down.

use std::ffi::{c_char, c_int};

/// The result of a call, which the host gets as a number.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultCode {
    /// The level is solved, or the solution is improved.
    Success = 0,
    /// The board is too small or too large, or the kind of optimization is not supported.
    ConstraintsViolation = 1,
    /// The board is none, or the solution that is to be improved does not solve it.
    Invalid = 2,
    /// The level has no solution, which is proven.
    Impossible = 3,
    /// Nothing was found.
    GiveUp = 4,
    /// There is a solution, and the buffer is too small for it.
    GameTooLong = 5,
    /// A setting cannot be read.
    InvalidConfiguration = 6,
    /// A fault of the plug-in.
    Failure = 7,
    /// The time is over.
    Timeout = 8,
    /// The user has stopped the search.
    TerminatedByUser = 9,
}

/// Flags of a status: what a solution is, and what an optimization is asked for.
pub mod flag {
    /// There is a solution.
    pub const SOLUTION: u32 = 1;
    /// The number of moves, pushes among them.
    pub const MOVES: u32 = 2;
    /// The number of pushes.
    pub const PUSHES: u32 = 4;
    /// All flags that name what is to be small first of all, in the numbering that has the most of them.
    pub const PRIMARY: u32 = MOVES | PUSHES | BOX_LINES | BOX_CHANGES | PUSHING_SESSIONS;
    /// All flags above those of [`PRIMARY`], to which the two numberings give two meanings.
    pub const SECONDARY: u32 = !(PRIMARY | SOLUTION);

    /// Straight pushes of one box.
    const BOX_LINES: u32 = 8;
    /// Changes from one box to another.
    const BOX_CHANGES: u32 = 16;
    /// Sequences of pushes without a walk between them.
    const PUSHING_SESSIONS: u32 = 32;

    /// Flags of the measure that decides between solutions of the same length, in the numbering of the older header.
    pub mod older {
        /// The number of moves.
        pub const SECONDARY_MOVES: u32 = 64;
        /// The number of pushes.
        pub const SECONDARY_PUSHES: u32 = 128;
    }

    /// The same in the numbering of YASC and YASS, where 64 means the lines of the player.
    pub mod newer {
        /// The number of moves.
        pub const SECONDARY_MOVES: u32 = 128;
        /// The number of pushes.
        pub const SECONDARY_PUSHES: u32 = 256;
    }
}

/// Bytes of the text in a status, the zero at its end included.
pub const STATUS_TEXT_BYTES: usize = 256;

/// The record from which the host reads how far a search is. It is packed: 292 bytes.
#[repr(C, packed)]
pub struct PluginStatus {
    /// Size of the host's record, which the host sets.
    pub size: u32,
    /// Flags of [`flag`]; those of an optimization are set by the host.
    pub flags: u32,
    /// Moves that were generated.
    pub moves_generated: i64,
    /// Pushes that were generated.
    pub pushes_generated: i64,
    /// States that were generated.
    pub states_generated: i64,
    /// A text for the user, with a zero at its end.
    pub text: [u8; STATUS_TEXT_BYTES],
    /// Time that the plug-in has taken, in milliseconds. Older hosts have no such field.
    pub time_ms: u32,
}

/// A function of the host that is called when the status has changed. Any answer but zero stops the search.
pub type Callback = unsafe extern "system" fn() -> c_int;

/// A buffer of the host for texts, which end with a zero.
#[derive(Clone, Copy)]
pub struct Buffer {
    /// Where it begins; null where there is none.
    pub at: *mut c_char,
    /// Its size in bytes.
    pub size: usize,
}

impl Buffer {
    /// Whether there is no buffer, or none that has room for anything.
    pub fn is_absent(self) -> bool {
        self.at.is_null() || self.size == 0
    }
}

/// Why a call is refused: a code for the host and a text for its user.
#[derive(Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The code for the host.
    pub code: ResultCode,
    /// The reason.
    pub why: String,
}

impl Refusal {
    /// A refusal for a reason.
    pub fn new(code: ResultCode, why: impl Into<String>) -> Refusal {
        Refusal { code, why: why.into() }
    }

    /// The board, or a solution, is none.
    pub fn invalid(why: impl Into<String>) -> Refusal {
        Refusal::new(ResultCode::Invalid, why)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::offset_of;

    #[test]
    fn the_record_has_the_layout_of_the_interface() {
        assert_eq!(size_of::<PluginStatus>(), 292);
        assert_eq!(offset_of!(PluginStatus, moves_generated), 8);
        assert_eq!(offset_of!(PluginStatus, text), 32);
        assert_eq!(offset_of!(PluginStatus, time_ms), 288);
    }
}
