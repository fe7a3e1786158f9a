//! Where a brick may land: which throws a clicker hears, and which none does.

use super::board::{Board, Site};
use super::moves::{Move, SIDE};
use super::simulator::Simulator;
use crate::games::last_of_us::format::{HEARING_RANGE, HEARING_SIDE, THROW_RANGE};

/// Where a brick may land, among the cells within reach.
pub struct Targets {
    ellie: Site,
    stride: u32,
    /// For each row from 7 above Ellie, bit 7 + column difference: floor where a clicker hears it.
    heard: TargetRows,
    /// For each row from 7 above Ellie, bit 7 + column difference: floor where no clicker hears it.
    unheard: TargetRows,
}

/// Cells within reach of a throw: for each row from 7 above Ellie, bit 7 + column difference.
pub type TargetRows = [u32; SIDE as usize];

impl Targets {
    /// The throws that a clicker hears, and where they land, row by row.
    pub fn heard(&self) -> impl Iterator<Item = (Move, Site)> {
        throws_at(self.heard).map(|throw| (throw, self.site(throw)))
    }

    /// The throws that none hears.
    pub fn unheard(&self) -> impl Iterator<Item = (Move, Site)> {
        throws_at(self.unheard).map(|throw| (throw, self.site(throw)))
    }

    #[inline]
    fn site(&self, throw: Move) -> Site {
        let (drow, dcol) = throw.delta();
        self.ellie.wrapping_add_signed(drow * self.stride as i32 + dcol)
    }
}

/// The throws at some cells, row by row.
pub fn throws_at(rows: TargetRows) -> impl Iterator<Item = Move> {
    (-THROW_RANGE..=THROW_RANGE).zip(rows).flat_map(|(drow, row)| {
        let rests = std::iter::successors(Some(row), |rest| Some(rest & rest.wrapping_sub(1)));
        let cols = rests.take_while(|&rest| rest != 0).map(u32::trailing_zeros);
        cols.map(move |col| Move::throw(drow, col as i32 - THROW_RANGE))
    })
}

/// Where the loaded state's Ellie may throw a brick, if she has one; cells that a clicker stands on
/// are among those that are heard.
pub fn throw_targets(sim: &Simulator<&Board>) -> Targets {
    const ROWS: usize = SIDE as usize;
    const HEARD_ROWS: usize = ROWS + 2 * HEARING_RANGE as usize;
    const REACH: i32 = THROW_RANGE + HEARING_RANGE;
    let (board, ellie) = (sim.board, sim.ellie);
    // The rows where some clicker is within hearing along the row.
    let mut along = [0u32; HEARD_ROWS];
    for (row, drow) in along.iter_mut().zip(-REACH..) {
        // Rows and columns past the padding wrap around to cells where nobody stands.
        let from = board.offset(ellie, drow, -REACH);
        let bits = sim.clickers.window(from, SIDE as u32 + 2 * HEARING_RANGE as u32) as u32;
        *row = (0..HEARING_SIDE).fold(0, |all, by| all | bits >> by);
    }
    let (mut heard, mut unheard) = (TargetRows::default(), TargetRows::default());
    for (row, drow) in (0..ROWS).zip(-THROW_RANGE..) {
        let from = board.offset(ellie, drow, -THROW_RANGE) as usize;
        let floor = board.floor.window(from, SIDE as u32) as u32;
        let hearing = along[row..row + HEARING_SIDE as usize].iter().fold(0, |all, row| all | row);
        heard[row] = floor & hearing;
        unheard[row] = floor & !hearing;
    }
    Targets { ellie, stride: board.stride, heard, unheard }
}
