//! What is told of a game that is played step by step: the types that JSON is made from.

use crate::games::{self, Facts, Status};
use crate::json::{object, optional_cell, optional_object, optional_whole, whole};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How a game stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// It goes on.
    Playing,
    /// Won with the last step.
    Won,
    /// Lost; `why` says how.
    Lost,
}

/// A rectangle of the board: top left cell and extent. Labyrinths have negative coordinates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Window {
    /// Top row.
    #[serde(deserialize_with = "whole")]
    pub row: i64,
    /// Left column.
    #[serde(deserialize_with = "whole")]
    pub col: i64,
    /// Number of rows.
    #[serde(deserialize_with = "whole")]
    pub rows: u32,
    /// Number of columns.
    #[serde(deserialize_with = "whole")]
    pub cols: u32,
}

impl From<games::Window> for Window {
    fn from(window: games::Window) -> Self {
        let games::Window { row, col, rows, cols } = window;
        Window { row, col, rows, cols }
    }
}

impl From<Window> for games::Window {
    fn from(window: Window) -> Self {
        let Window { row, col, rows, cols } = window;
        games::Window { row, col, rows, cols }
    }
}

/// Goes on with a game. What is given is done in this order: `undo`, `seek`, `steps`, `aim`.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct MoveRequest {
    /// Steps to take back.
    #[serde(default, deserialize_with = "whole")]
    pub undo: u64,
    /// Go to the board after this many steps of the plan that is watched.
    #[serde(default, deserialize_with = "optional_whole")]
    pub seek: Option<u64>,
    /// Steps to do, each as one line (or key) of the game's plan format.
    #[serde(default)]
    pub steps: Vec<String>,
    /// Do the step that is aimed at this cell: row and column.
    #[cfg_attr(feature = "service", schema(min_items = 2, max_items = 2))]
    #[serde(default, deserialize_with = "optional_cell")]
    pub aim: Option<[i64; 2]>,
    /// Tell keys, legend and walls again, as after the beginning.
    #[serde(default)]
    pub setup: bool,
    /// What to show.
    #[serde(default, deserialize_with = "object")]
    pub show: Show,
}

/// What of the board to show.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Show {
    /// The part of the board; all of it where it is left out, or around the player where the
    /// board is large.
    #[serde(default, deserialize_with = "optional_object")]
    pub window: Option<Window>,
    /// The part of the board whose marks are sent; the whole window where it is left out.
    #[serde(default, deserialize_with = "optional_object")]
    pub marks: Option<Window>,
    /// The revision that the client shows: with it, only what has changed since is sent.
    #[serde(default, deserialize_with = "optional_whole")]
    pub revision: Option<u64>,
}

/// A game being played, after what was asked for.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct Played {
    /// Names the game in further requests. When it is gone (status 410), begin again with the
    /// steps done so far.
    pub token: String,
    /// Steps done.
    pub steps: u64,
    /// How the game stands.
    pub status: Standing,
    /// How it was lost.
    #[cfg_attr(feature = "service", schema(required))]
    pub why: Option<String>,
    /// The step that the rules refuse; nothing has changed by it, and none after it was done.
    #[cfg_attr(feature = "service", schema(required))]
    pub refused: Option<RefusedStep>,
    /// The steps done by this request, as the game's plan format writes them: what `aim` came to.
    pub done: Vec<String>,
    /// Where the player is after each of them: row and column.
    pub trail: Vec<Option<[i64; 2]>>,
    /// What each of them has shown of the board, in a game that hides what was not seen.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub seen: Vec<Window>,
    /// What has been made free of the walls that `setup` tells.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub openings: Vec<Window>,
    /// Where the player is: row and column.
    #[cfg_attr(feature = "service", schema(min_items = 2, max_items = 2, required))]
    pub player: Option<[i64; 2]>,
    /// The whole board.
    pub extent: Window,
    /// What stands beside the board: turn, bricks, oxygen, …
    pub facts: Facts,
    /// The plan so far, in the game's own format, where it is short; `/v1/play/{token}/plan` has
    /// it at any length.
    #[cfg_attr(feature = "service", schema(required))]
    pub plan: Option<String>,
    /// The number of steps of the plan that is watched.
    #[cfg_attr(feature = "service", schema(required))]
    pub tape: Option<u64>,
    /// The board.
    pub view: View,
    /// Cells to point out; left out where they are as at the client's revision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub marks: Option<Marks>,
    /// What stays as it is: sent when a game begins, and when `setup` asks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub setup: Option<Setup>,
}

/// A step that the rules refuse.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct RefusedStep {
    /// The step.
    pub step: String,
    /// Why.
    pub reason: String,
}

/// The board in a window: all of it, or what has changed since the client's revision.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct View {
    /// Which revision this is.
    pub revision: u64,
    /// The window.
    pub window: Window,
    /// One string a row, one character a cell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<Vec<String>>,
    /// In place of `rows`: pieces of rows that have changed, as `[row, column, "text"]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed: Option<Vec<(i64, i64, String)>>,
}

/// Cells to point out: all of them, or what has changed since the client's revision.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct Marks {
    /// Whether this replaces all marks that the client has. If not, the runs that `gone` names are
    /// taken away first, and those of `cells` are added or replaced.
    pub whole: bool,
    /// By kind (`hearing`, `danger`, `throw`, …) runs of cells as `[row, column, length]`. No two
    /// of a kind begin at the same cell.
    pub cells: BTreeMap<String, Vec<(i64, i64, u32)>>,
    /// By kind, where the runs that are gone began: `[row, column]`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub gone: BTreeMap<String, Vec<(i64, i64)>>,
    /// By kind (`target`, …) all lines as `[row, column, to row, to column]`.
    pub lines: BTreeMap<String, Vec<(i64, i64, i64, i64)>>,
}

/// What stays as it is in a game.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct Setup {
    /// The game's name.
    #[cfg_attr(feature = "service", schema(value_type = games::GameId))]
    pub game: &'static str,
    /// The area's title.
    pub title: String,
    /// The steps that have a key.
    pub keys: Vec<Key>,
    /// What the signs on the board mean.
    pub legend: Legend,
    /// Whether a step can be aimed at a cell.
    pub aims: bool,
    /// Whether the game hides what the player has not seen; `seen` says what that is.
    pub fog: bool,
    /// All walls, where the board is too large to be shown cell by cell: what is neither in them
    /// nor the exit nor the player is free.
    #[cfg_attr(feature = "service", schema(required))]
    pub walls: Option<Vec<Window>>,
    /// Where the player has to go, on such a board: row and column.
    #[cfg_attr(feature = "service", schema(min_items = 2, max_items = 2, required))]
    pub goal: Option<[i64; 2]>,
    /// The steps of the plan that is watched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<Vec<PlanStep>>,
}

/// What the signs of a game mean.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct Legend {
    /// Letters of the board; all others are `Floor`.
    pub signs: Vec<Sign>,
    /// Kinds of marks that need a word.
    pub marks: Vec<MarkSign>,
}

/// A letter of a board.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct Sign {
    /// The letter.
    pub letter: char,
    /// How it is drawn: `Wall`, `Floor`, `Player`, `Goal`, `Hunter`, …
    pub role: String,
    /// What it is.
    pub about: &'static str,
}

/// A kind of mark.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct MarkSign {
    /// The kind: `hearing`, `danger`, …
    pub kind: &'static str,
    /// What it says of its cell.
    pub about: &'static str,
}

impl From<&games::Legend> for Legend {
    fn from(legend: &games::Legend) -> Self {
        let sign = |sign: &games::Sign| Sign {
            letter: sign.letter,
            role: format!("{:?}", sign.role),
            about: sign.about,
        };
        let mark = |mark: &games::MarkSign| MarkSign { kind: mark.kind, about: mark.about };
        Legend {
            signs: legend.signs.iter().map(sign).collect(),
            marks: legend.marks.iter().map(mark).collect(),
        }
    }
}

/// A step of a plan that is watched, and where it stands in the plan's text.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct PlanStep {
    /// The step.
    pub step: String,
    /// The line of the plan's text, from 1.
    pub line: usize,
    /// The bytes of the plan's text (in UTF-8) that say it, from here
    pub from: usize,
    /// to here, this one left out. A run length is said once for several steps.
    pub to: usize,
    /// Where the player is after it: row and column; nothing past a step that the rules refuse.
    #[cfg_attr(feature = "service", schema(min_items = 2, max_items = 2, required))]
    pub player: Option<[i64; 2]>,
    /// The cell that it is aimed at: row and column.
    #[cfg_attr(feature = "service", schema(min_items = 2, max_items = 2, required))]
    pub aim: Option<[i64; 2]>,
}

impl From<games::PlanStep> for PlanStep {
    fn from(step: games::PlanStep) -> Self {
        let games::PlanStep { text, line, place } = step;
        PlanStep { step: text, line, from: place.start, to: place.end, player: None, aim: None }
    }
}

/// A step that has a key.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct Key {
    /// A character, or `up`, `down`, `left`, `right`, `space`.
    pub key: String,
    /// The step.
    pub step: String,
    /// What it does.
    pub about: String,
}

impl From<games::Key> for Key {
    fn from(key: games::Key) -> Self {
        Key { key: key.key, step: key.step, about: key.about }
    }
}

/// How a game stands, and how it was lost.
pub fn standing(status: &Status) -> (Standing, Option<String>) {
    match status {
        Status::Playing => (Standing::Playing, None),
        Status::Won => (Standing::Won, None),
        Status::Lost(why) => (Standing::Lost, Some(why.clone())),
    }
}
