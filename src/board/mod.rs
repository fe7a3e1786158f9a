//! What every game shares: shapes, cells, directions, bit boards, distance fields and hash keys.
//!
//! This module knows no game and nothing else of the crate. A board is a [`Shape`] of rows and
//! columns; a [`Cell`] is a row-major index into it, so that per-cell tables are plain vectors.

mod bits;
mod direction;
mod distance;
mod shape;
mod zobrist;

pub use bits::BitBoard;
pub use direction::{Direction, ORTHOGONAL};
pub use distance::{UNREACHED, distances};
pub use shape::{Cell, Shape};
pub use zobrist::{mix, zobrist};
