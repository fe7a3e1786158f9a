//! What kind of plan is wanted: in which measure it is to be short, and whether that is to be
//! proven.

use crate::games::id::GameId;
use std::fmt;

/// What the length of a plan counts, in a game that has several measures.
///
/// There is no other way to one than by name through [`crate::games::Game::measure`], so that a
/// measure is one that some game has.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Measure(&'static str);

impl Measure {
    /// A measure of a game.
    pub(in crate::games) const fn new(name: &'static str) -> Measure {
        Measure(name)
    }

    /// Its name: that of the fact of a [`crate::games::Validation`] which has the length.
    pub fn name(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// A measure that a game does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnknownMeasure {
    /// The game has one measure, which has no name.
    #[error("{0} has one measure only, so none can be named {1:?}")]
    OnlyOne(GameId, String),
    /// The game has others.
    #[error("{0} has no measure {1:?}; one of {2}")]
    NotAmong(GameId, String, String),
}

/// What kind of plan is wanted.
///
/// ```
/// use outwit::games::{GameId, Objective};
/// let sokoban = GameId::Sokoban.game();
/// let objective = sokoban.objective(Some("moves")).unwrap();
/// assert!(objective.prove && objective.measure == sokoban.measure("moves").ok());
/// assert_eq!(sokoban.objective(None), Ok(Objective::default()));
/// assert!(sokoban.objective(Some("beauty")).is_err());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Objective {
    /// What is to be short; without one, the game's usual measure.
    pub measure: Option<Measure>,
    /// Spend the budget on a proof that the plan is shortest.
    pub prove: bool,
}

impl Objective {
    /// A shortest plan in the game's usual measure, with the proof that it is one.
    pub const OPTIMAL: Objective = Objective { measure: None, prove: true };

    /// The objective as [`crate::games::Game::objective`] reads it; none where no proof is wanted.
    pub fn word(self) -> Option<&'static str> {
        self.prove.then(|| self.measure.map_or("", Measure::name))
    }
}
