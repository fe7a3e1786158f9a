//! A game in words, for those who play it or show it to players.

mod drawing;
mod pointing;

pub use drawing::{Brush, Composed, Drawing, Easel, Field, Fixed, Side, Stack};
pub use pointing::{Aim, LongStep, Pointing};

/// A game in words. Its numbers are those of the statement, from the constants at the head of the
/// game's `format`.
///
/// ```
/// use outwit::games::{GameId, SizeOrder};
///
/// let sokoban = GameId::Sokoban.game().description();
/// assert_eq!(sokoban.title, "Sokoban");
/// assert_eq!((sokoban.units[0].of(1), sokoban.units[0].of(2)), ("push", "pushes"));
/// assert_eq!(sokoban.size, SizeOrder::WidthByHeight);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct Description {
    /// The game's name as people write it.
    pub title: &'static str,
    /// The player's goal, in the imperative and without a full stop.
    pub goal: &'static str,
    /// The unit of a plan's length. A game with several measures has one unit for each, in their
    /// order.
    pub units: Vec<Unit>,
    /// The rules, a paragraph each.
    pub rules: Vec<String>,
    /// How players of the game say the size of a board. The fact `size` of an area always has the
    /// rows first.
    pub size: SizeOrder,
    /// The step that a click on a cell of the board stands for.
    pub pointing: Pointing,
    /// The action that the player aims at a cell, such as a throw; none in a game without aiming.
    #[cfg_attr(feature = "service", schema(required))]
    pub aim: Option<Aim>,
    /// The steps that take a number of cells, for a client to write.
    pub long_steps: Vec<LongStep>,
    /// Steps that have no key, as examples of what can be typed.
    pub examples: Vec<&'static str>,
    /// The signs, sizes and values with which an editor draws its areas.
    pub easel: Easel,
}

impl Description {
    /// A game that is played by keys and by pointing at where to walk, on a board whose size is said
    /// as rows by columns.
    pub fn new(
        title: &'static str,
        goal: &'static str,
        units: impl Into<Vec<Unit>>,
        rules: impl Into<Vec<String>>,
    ) -> Self {
        Description {
            title,
            goal,
            units: units.into(),
            rules: rules.into(),
            size: SizeOrder::RowsByColumns,
            pointing: Pointing::Walk,
            aim: None,
            long_steps: Vec::new(),
            examples: Vec::new(),
            easel: Easel::default(),
        }
    }
}

/// The unit in which the length of a plan is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct Unit {
    /// The word for one of them.
    pub one: &'static str,
    /// The word for any other number. For any measure but the usual one, a replay reports the length
    /// as a fact of this name.
    pub many: &'static str,
}

impl Unit {
    /// A unit, in singular and plural.
    pub const fn new(one: &'static str, many: &'static str) -> Self {
        Unit { one, many }
    }

    /// The word that stands behind a number.
    pub fn of(self, number: u64) -> &'static str {
        if number == 1 { self.one } else { self.many }
    }
}

/// The order in which the two sides of a board are said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub enum SizeOrder {
    /// The number of rows, then that of columns.
    RowsByColumns,
    /// The width, then the height.
    WidthByHeight,
}
