//! What is known of a level before a search.
//!
//! [`level`] has the squares: dead ones, rooms and the passages between them, hotspots.
//! [`push_distance`] has the pushes from each pose of a lone box to each target. [`macro_moves`]
//! finds every place to which one box can be pushed while all others stand still; the other tables
//! are made with it. [`symmetry`] has the mirror images and turns that leave a board as it is.

pub mod level;
pub mod macro_moves;
pub mod push_distance;
pub mod symmetry;

use super::tuning::Tuning;
use crate::games::sokoban::board::Board;
use level::LevelAnalysis;
use push_distance::PushDistances;
use std::sync::Arc;

/// The analysis of a board and the tuning of a run, which the [`Prepared`] levels of the board borrow.
#[derive(Debug)]
pub struct Preparation {
    analysis: LevelAnalysis,
    distances: Arc<PushDistances>,
    tuning: Tuning,
}

impl Preparation {
    /// Analyses a board.
    pub fn new(board: &Board, tuning: Tuning) -> Self {
        let (analysis, distances) = (LevelAnalysis::new(board), PushDistances::new(board));
        Preparation { analysis, distances: Arc::new(distances), tuning }
    }

    /// The level of the board, prepared for search.
    pub fn level<'a>(&'a self, board: &'a Board) -> Prepared<'a> {
        let Preparation { analysis, distances, tuning } = self;
        Prepared { board, analysis, distances, tuning }
    }
}

/// A level prepared for search: what all searches of it share.
#[derive(Clone, Copy, Debug)]
pub struct Prepared<'a> {
    /// The board, with where boxes and player stand at the start.
    pub board: &'a Board,
    /// Dead squares, rooms, hotspots.
    pub analysis: &'a LevelAnalysis,
    /// Pushes of a lone box to each target.
    pub distances: &'a Arc<PushDistances>,
    /// Numbers that are set for the run.
    pub tuning: &'a Tuning,
}
