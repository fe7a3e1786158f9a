//! How large pictures are.

use super::PictureError;
use crate::games::Window;

/// The largest cell of a picture whose size fits, in pixels.
const LARGEST_CELL: f64 = 24.0;
/// Upper limit of the side of a cell that can be asked for, in pixels.
pub const MAX_CELL: u16 = 256;
/// Upper limit of a picture's side where the side of a cell is asked for, in pixels.
const MAX_SIDE: u64 = 1 << 14;
/// Upper limit of all pixels of a picture, or of the pictures that a moving one is made of.
const MAX_PIXELS: u64 = 1 << 31;
/// Upper limit of the pixels of one picture.
const MAX_PIXELS_AT_ONCE: u64 = 1 << 26;

/// The size of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// As large as has room: cells of up to 24 pixels.
    Fitting,
    /// Cells of this many pixels a side, whatever the board.
    Cell(u16),
}

impl Size {
    /// The side of a cell in pixels, for `count` pictures of a board, one at a time.
    pub(super) fn scale(
        self,
        board: Window,
        margin: f64,
        longest: f64,
        count: usize,
    ) -> Result<f64, PictureError> {
        let cells = f64::from(board.rows.max(board.cols).max(1));
        let Size::Cell(cell) = self else {
            return Ok(((longest - 2.0 * margin) / cells).min(LARGEST_CELL));
        };
        let (width, height) =
            (u64::from(board.cols) * u64::from(cell), u64::from(board.rows) * u64::from(cell));
        let pixels = width.saturating_mul(height);
        let is_too_large = width.max(height) > MAX_SIDE
            || pixels > MAX_PIXELS_AT_ONCE
            || pixels.saturating_mul(count as u64) > MAX_PIXELS;
        match is_too_large {
            true => {
                let pictures = if count == 1 { String::new() } else { format!(", {count} times,") };
                let size = format!("{width} x {height} pixels{pictures}");
                Err(PictureError::TooLarge(format!("{size} are too many: take smaller cells")))
            }
            false => Ok(f64::from(cell)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_limited() {
        let board = |rows, cols| Window { row: 0, col: 0, rows, cols };
        let scale = |size: Size, board, count| size.scale(board, 0.0, 1600.0, count);
        assert_eq!(scale(Size::Fitting, board(3, 6), 1), Ok(24.0));
        assert_eq!(scale(Size::Fitting, board(3, 200), 1), Ok(8.0));
        assert_eq!(scale(Size::Cell(40), board(3, 200), 1), Ok(40.0));
        assert!(scale(Size::Cell(MAX_CELL), board(1, 65), 1).is_err(), "the side");
        assert!(scale(Size::Cell(16), board(600, 600), 1).is_err(), "the pixels");
        assert!(scale(Size::Cell(10), board(100, 100), 1200).is_ok());
        assert!(scale(Size::Cell(20), board(100, 100), 1200).is_err(), "all pictures of a film");
        assert!(scale(Size::Cell(1), board(u32::MAX, u32::MAX), 1).is_err());
    }
}
