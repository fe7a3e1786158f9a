//! Areas that are being drawn, as JSON has them.

use crate::diagnostic::{Diagnostic, Source};
use crate::games::LevelError::Unreadable;
use crate::games::{Area, Collection, Composed, Drawing, Entry, GameId, TooLarge};
use serde::Serialize;

/// The kind of the marks on things that are lost from the start.
const STUCK: &str = "stuck";

/// Greatest number of cells of a board that lists of levels show.
const MAX_LISTED_CELLS: usize = 2500;
/// Greatest number of levels of a collection whose boards are shown in its list.
const MAX_LISTED: usize = 1000;

/// The rows of the board of a collection's level, for a small picture in a list; `None` where the board is
/// large, or the level comes late in a long collection.
pub fn listed_board(entry: &Entry) -> Option<Vec<String>> {
    let area = entry.content.as_ref().ok().filter(|_| entry.number <= MAX_LISTED)?;
    let rows = area.drawing().ok()?.rows;
    let cells: usize = rows.iter().map(String::len).sum();
    (cells <= MAX_LISTED_CELLS).then_some(rows)
}

/// A drawing written as an area, with the reason where it is not one yet.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct Draft {
    /// The text of the area, in its game's own format.
    pub text: String,
    /// Why it is not an area yet, in a sentence; none where it is one.
    #[cfg_attr(feature = "service", schema(required))]
    pub problem: Option<String>,
    /// The cell of the drawing that the problem is about, where it is about one: row and column from 0.
    #[cfg_attr(feature = "service", schema(min_items = 2, max_items = 2, required))]
    pub cell: Option<[i64; 2]>,
    /// The cells of things that are lost from the start, such as a box in a corner: row and column.
    pub stuck: Vec<[i64; 2]>,
}

impl Draft {
    /// Writes a drawing as an area of a game, and reads it again.
    ///
    /// ```
    /// use outwit::games::{Drawing, GameId};
    /// use outwit::play::Draft;
    ///
    /// let rows = ["#####", "#@$.#", "#####"].map(String::from).to_vec();
    /// let mut drawing = Drawing { rows, ..Drawing::default() };
    /// assert_eq!(Draft::new(GameId::Sokoban, &drawing).expect("small").problem, None);
    ///
    /// drawing.rows[1] = "#@.$#".into();
    /// assert_eq!(Draft::new(GameId::Sokoban, &drawing).expect("small").stuck, [[1, 3]]);
    /// ```
    ///
    /// # Errors
    /// The drawing is larger than an editor draws boards of the game.
    pub fn new(game: GameId, drawing: &Drawing) -> Result<Draft, TooLarge> {
        let easel = game.game().description().easel;
        let most = (easel.rows.most, easel.cols.most);
        if drawing.rows.len() > most.0 as usize || drawing.cols() > most.1 as usize {
            return Err(TooLarge { most });
        }
        let composed = game.game().compose(drawing);
        let source = Source::new("drawing", composed.text.as_str());
        let area = game.game().read(&source).map_err(|diagnostic| Unreadable(diagnostic.into()));
        let (mut problem, mut cell, mut stuck) = (None, None, Vec::new());
        match area.and_then(Collection::only) {
            Ok(area) => stuck = lost_from_the_start(&*area, &composed),
            Err(Unreadable(diagnostic)) => {
                cell = cell_of(&diagnostic, &composed, drawing);
                problem = Some(diagnostic.message);
            }
            Err(error) => problem = Some(error.to_string()),
        }
        Ok(Draft { text: composed.text, problem, cell, stuck })
    }
}

/// The cell of a drawing that a diagnostic of its text points at. A complaint about the board as a whole stands at
/// its first cell, which is not pointed at.
fn cell_of(diagnostic: &Diagnostic, composed: &Composed, drawing: &Drawing) -> Option<[i64; 2]> {
    let row = diagnostic.line.checked_sub(composed.first_line?)? + composed.left_out.0;
    let col = diagnostic.column.checked_sub(1)? + composed.left_out.1;
    let is_inside = row < drawing.rows.len() && col < drawing.cols();
    let is_first = (row, col) == composed.left_out;
    (is_inside && !is_first).then_some([row as i64, col as i64])
}

/// The cells of a drawing that are marked as lost at the start of its area.
fn lost_from_the_start(area: &dyn Area, composed: &Composed) -> Vec<[i64; 2]> {
    let session = area.session();
    let view = session.view(session.extent().0);
    let (rows, cols) = composed.left_out;
    let marks = view.marks.iter().filter(|mark| mark.kind == STUCK);
    marks.map(|mark| [mark.row + rows as i64, mark.col + cols as i64]).collect()
}
