//! Clicks on the board: the step that a click on a cell stands for, game by game.

/// The step that a click on a cell of the board stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub enum Pointing {
    /// The player walks there, cell by cell.
    Walk,
    /// A thing that is pointed at is taken, and pushed to the cell that is pointed at next; else the
    /// player walks there.
    Push,
    /// The player walks there by long steps, around the walls.
    LongSteps,
}

/// An action that the player aims at a cell, such as a throw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct Aim {
    /// What aiming does, as a verb and its object: `throw a ball`.
    pub action: &'static str,
    /// Distance from the cell up to which it has an effect, in cells in any of eight directions.
    pub reach: u32,
    /// The name of the fact beside the board that says how many are left.
    pub supply: &'static str,
}

/// A step that takes a number of cells.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct LongStep {
    /// The way that it goes: `up`, `down`, `left` or `right`.
    pub way: &'static str,
    /// The verb for it.
    pub verb: &'static str,
    /// Whether the player moves. Others only show something.
    pub moves: bool,
    /// The step without its number of cells, which follows after a space.
    pub step: String,
}
