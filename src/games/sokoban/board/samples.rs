//! Small random levels for tests.

use super::Board;
use crate::board::mix;
use crate::diagnostic::Source;
use crate::games::sokoban::format;

/// A number below `most`, the same for the same seed and purpose.
pub fn draw(seed: u64, purpose: u64, most: u64) -> u64 {
    mix(mix(seed) ^ purpose) % most
}

/// A level of up to `most_rows` rows and `most_cols` columns with random walls, and boxes and
/// targets on some of the squares, as many of each as it happens; `None` where it cannot be read.
pub fn random_level(seed: u64, most_rows: u64, most_cols: u64) -> Option<Board> {
    let (rows, cols) = (1 + draw(seed, 1, most_rows), 1 + draw(seed, 2, most_cols));
    let mut text = String::new();
    for row in 0..rows + 2 {
        for col in 0..cols + 2 {
            let is_rim = row == 0 || col == 0 || row > rows || col > cols;
            text.push(match draw(seed, row << 8 | col | 1 << 20, 16) {
                _ if is_rim => '#',
                _ if (row, col) == (1 + rows / 2, 1 + cols / 2) => '@',
                0..3 => '#',
                3 | 4 => '$',
                5 | 6 => '.',
                7 if draw(seed, 3, 2) == 0 => '*',
                _ => ' ',
            });
        }
        text.push('\n');
    }
    let levels = format::read_levels(&Source::new("level", text)).ok()?;
    Some(Board::new(levels.first()?))
}
