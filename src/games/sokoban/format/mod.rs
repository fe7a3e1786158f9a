//! Levels, collections and solutions as texts: reading with diagnostics, writing.
//!
//! Levels come in XSB (`# @ + $ * .` and blank, `-` or `_` for floor) or in letters (`p P b B w W o`),
//! alone or in collections with titles, authors, solutions and comments, plain or run-length encoded
//! (`3#-2$`, `2(3(#-)#)`, rows parted by `|` or line ends), in plain text, in Markdown or in XML.
//! Solutions are found beside boards here, and read in [`super::solution`]. The reader is strict about
//! boards (a line that begins like a board row must be one, or its board is bad) and lenient about
//! everything between them.
//!
//! | file | contents |
//! |---|---|
//! | `blocks` | which lines of a file are boards |
//! | `rows` | what a line of a board spells |
//! | `letters` | which letters boards are drawn in |
//! | `board` | what the rows of one board say |
//! | `titles` | what stands between boards: titles, authors, and what is neither |
//! | `solutions` | sections of solutions |
//! | `xml` | collections in XML |
//! | `collection` | all of that together |
//! | `keys` | the letters of steps |
//! | `draw` | boards written |

mod blocks;
mod board;
mod collection;
mod draw;
mod keys;
mod letters;
mod rows;
mod solutions;
mod titles;
mod xml;

pub use collection::{is_for_simulator, read_collection, read_levels, recognises};
pub use draw::draw;
pub use keys::{MAX_KEYS, direction, letter};
pub use titles::MAX_TITLE;

use crate::board::{BitBoard, Cell, Shape};
use crate::games::objective::Measure;

/// The usual measure of plans: pushes.
pub const PUSHES: Measure = Measure::new("pushes");
/// The other: moves, pushes among them.
pub const MOVES: Measure = Measure::new("moves");

/// The greatest number of rows and of columns of a board.
pub const MAX_SIDE: usize = 250;
/// The most levels of a file.
pub const MAX_LEVELS: usize = 1_000_000;
/// The most levels of a file that are reported as bad: it is no collection that has more.
const MAX_BAD: usize = 10_000;

// Types of the fast simulator and of the planner are sized for the largest board. If it grows beyond them, the
// build fails and names the types to widen.
const _: () = assert!(
    MAX_SIDE * MAX_SIDE < u16::MAX as usize - 1,
    "squares are numbers of a u16, of which the two greatest stand for no square: widen `Square` in \
     board/region.rs and check/ground.rs, `Part` in planner/analysis/macro_moves.rs, and rooms and distances in \
     planner/analysis/level.rs"
);

/// A level: what one board of a collection describes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    /// Its title, or `level N`.
    pub name: String,
    /// Rows and columns.
    pub shape: Shape,
    /// Walls, and every cell that the player could not reach even if there were no boxes.
    pub walls: BitBoard,
    /// Walls as drawn.
    pub drawn: BitBoard,
    /// Targets.
    pub targets: BitBoard,
    /// Boxes at the start.
    pub boxes: BitBoard,
    /// The player at the start.
    pub player: Cell,
}

impl Level {
    /// The level's board in XSB, one line a row.
    pub fn board(&self) -> String {
        let player = Some(self.player);
        draw(self.shape, &self.drawn, &self.targets, &self.boxes, player)
    }

    /// The level's board, then its title.
    ///
    /// ```
    /// use outwit::diagnostic::Source;
    /// use outwit::games::sokoban::format::read_levels;
    /// let text = "#####\n#@$.#\n#####\nTitle: one push\n";
    /// let levels = read_levels(&Source::new("one.xsb", text)).unwrap();
    /// assert_eq!(levels[0].text(), text);
    /// ```
    pub fn text(&self) -> String {
        format!("{}Title: {}\n", self.board(), self.name)
    }

    /// Rows and columns of the part that the walls take up.
    pub fn size(&self) -> (i32, i32) {
        let extent = |of: fn(Shape, Cell) -> i32| {
            let least = self.drawn.iter().map(|cell| of(self.shape, cell)).min();
            let most = self.drawn.iter().map(|cell| of(self.shape, cell)).max();
            least.zip(most).map_or(0, |(least, most)| most - least + 1)
        };
        (extent(|shape, cell| shape.row(cell)), extent(|shape, cell| shape.col(cell)))
    }

    /// Where two levels differ in nothing that matters to a plan.
    pub fn same_board(&self, other: &Level) -> bool {
        self.board() == other.board()
    }
}
