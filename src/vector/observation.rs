//! The cells that an observation shows, and its form.

use crate::games::Area;
use crate::games::legend::Role;
use crate::games::session::Window;
use crate::games::stepper::Stepper;
use std::sync::Arc;

/// Upper limit of the bytes of all observations of a batch or a dataset.
pub const MAX_BYTES: usize = 1 << 31;

/// The cells that an observation shows, and its form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observation {
    /// The cells that are seen.
    pub region: Region,
    /// Whether an observation has a plane of 0 and 1 for each role, the one of code 0 first, in place of one
    /// plane with the codes.
    pub has_planes: bool,
}

/// The cells that are seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Region {
    /// The board from its upper left corner: this many rows and columns.
    Board {
        /// Rows of an observation.
        rows: u32,
        /// Columns of an observation.
        cols: u32,
    },
    /// The square around the player, whose sides have twice this many cells and one.
    Window {
        /// Cells that are seen in each direction.
        radius: u32,
    },
}

impl Region {
    /// The board with as many rows as the level with most rows has, and as many columns as the one with most
    /// columns.
    pub fn largest(levels: &[Arc<dyn Area>]) -> Region {
        let extents = levels.iter().map(|level| level.session().extent().0);
        let (rows, cols) = extents
            .fold((1, 1), |(rows, cols), extent| (rows.max(extent.rows), cols.max(extent.cols)));
        Region::Board { rows, cols }
    }

    /// Rows and columns that are seen.
    pub fn shape(self) -> (u32, u32) {
        match self {
            Region::Board { rows, cols } => (rows, cols),
            Region::Window { radius } => {
                let side = radius.saturating_mul(2).saturating_add(1);
                (side, side)
            }
        }
    }

    /// The window that is seen of a board with this extent, on which the player is there.
    pub fn window(self, extent: Window, player: impl FnOnce() -> Option<(i64, i64)>) -> Window {
        let (rows, cols) = self.shape();
        let Window { row, col, .. } = extent;
        let (row, col) = match self {
            Region::Board { .. } => (row, col),
            Region::Window { radius } => {
                let (row, col) = player().unwrap_or((row, col));
                (row - i64::from(radius), col - i64::from(radius))
            }
        };
        Window { row, col, rows, cols }
    }
}

impl Observation {
    /// Bytes of an observation.
    pub fn bytes(self) -> usize {
        self.cells() * if self.has_planes { Role::ALL.len() } else { 1 }
    }

    fn cells(self) -> usize {
        let (rows, cols) = self.region.shape();
        rows as usize * cols as usize
    }

    /// Observes a game; `codes` is working memory.
    pub fn observe(self, stepper: &dyn Stepper, codes: &mut Vec<u8>, observation: &mut [u8]) {
        let window = self.region.window(stepper.extent(), || stepper.player());
        if !self.has_planes {
            return stepper.observe(window, observation);
        }
        codes.resize(self.cells(), 0);
        stepper.observe(window, codes);
        for (role, plane) in (0..).zip(observation.chunks_exact_mut(codes.len().max(1))) {
            plane.iter_mut().zip(&*codes).for_each(|(bit, &code)| *bit = u8::from(code == role));
        }
    }
}
