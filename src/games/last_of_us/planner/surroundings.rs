//! The surroundings of Ellie in a state that is expanded: the clickers near her and her guide's way, which are
//! read once for all children.

use super::heuristic::{ARRIVED, Guide};
use crate::board::mix;
use crate::games::last_of_us::state::{Acted, After, Board, Simulator, Site};

/// Number of cells of the way ahead that are priced by where the clickers are now.
const AHEAD: usize = 8;

/// Clickers farther from Ellie than this do not count in keys.
pub const NEAR: u32 = 8;

/// Columns of the clickers around Ellie that the key of a child can depend on: she takes one step at most.
const COLS: u32 = 2 * (NEAR + 1) + 1;
/// Rows of them. Keys take three rows at a time, so that there is one more than could be near.
const ROWS: usize = COLS as usize + 1;

/// Clickers around Ellie, as bits.
#[derive(Clone, Copy, Default)]
pub struct NearClickers {
    rows: [u32; ROWS],
    /// The cell of the first row's lowest bit.
    first: Site,
}

impl NearClickers {
    /// The clickers around the Ellie of the loaded state, before anything is played on it.
    pub fn of(sim: &Simulator<&Board>) -> Self {
        let stride = sim.board().stride;
        let first = sim.ellie().wrapping_sub((NEAR + 1) * stride + NEAR + 1);
        let row = |row: usize| sim.clicker_window(first.wrapping_add(row as u32 * stride), COLS);
        NearClickers { rows: std::array::from_fn(|at| row(at) as u32), first }
    }

    /// The clickers after some have acted.
    fn after(&self, acted: &[Acted], stride: u32) -> Self {
        let mut near = *self;
        for Acted { before, after } in acted {
            if before.site != after.site {
                near.change(before.site, stride, |row, bit| row & !bit);
                near.change(after.site, stride, |row, bit| row | bit);
            }
        }
        near
    }

    #[inline]
    fn change(&mut self, site: Site, stride: u32, change: impl FnOnce(u32, u32) -> u32) {
        let at = site.wrapping_sub(self.first);
        let (row, col) = ((at / stride) as usize, at % stride);
        if col < COLS
            && let Some(bits) = self.rows.get_mut(row)
        {
            *bits = change(*bits, 1 << col);
        }
    }

    /// A key of a child: of Ellie after a step by this row and column difference, her bricks, and the clickers
    /// near her after some have acted.
    pub fn key(&self, acted: &[Acted], stride: u32, (drow, dcol): (i32, i32), after: After) -> u64 {
        let near = self.after(acted, stride);
        let (row, col) = ((1 + drow) as usize, 1 + dcol);
        let bits = |bits: u32| u64::from(bits >> col & ((1 << (2 * NEAR + 1)) - 1));
        let key = mix(u64::from(after.ellie) | u64::from(after.bricks) << 32);
        near.rows[row..][..ROWS - 2].chunks_exact(3).fold(key, |key, rows| {
            mix(key ^ bits(rows[0]) ^ bits(rows[1]) << 20 ^ bits(rows[2]) << 40)
        })
    }
}

/// The next cells of a guide's way.
#[derive(Clone, Copy)]
pub struct Way {
    cells: [(Site, u8); AHEAD],
    count: usize,
}

impl Way {
    /// No cells.
    pub const NONE: Way = Way { cells: [(0, ARRIVED); AHEAD], count: 0 };

    /// The next cells of a guide's way from a cell.
    pub fn from(board: &Board, guide: &Guide, from: Site) -> Self {
        let mut way = Way::NONE;
        let mut site = from;
        for cell in &mut way.cells {
            let direction = guide.next[site as usize];
            if direction == ARRIVED {
                break;
            }
            site = site.wrapping_add_signed(board.steps[direction as usize]);
            *cell = (site, direction);
            way.count += 1;
        }
        way
    }

    /// The cells, each with the direction that leads to it.
    pub fn cells(&self) -> &[(Site, u8)] {
        &self.cells[..self.count]
    }
}
