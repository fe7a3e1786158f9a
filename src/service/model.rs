//! What requests and answers look like: the types that the OpenAPI document is generated from.

use crate::games::{self, GameId, PlanError, Role};
use crate::store::{Best, Fact, Job, StoredArea, facts};
use crate::verify::Verified;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// A game that is built in.
#[derive(Debug, Serialize, ToSchema)]
pub struct Game {
    /// Its name, as areas and requests use it.
    #[schema(example = "last-of-us")]
    pub name: String,
    /// One line about it.
    pub about: String,
    /// The measures that `optimal` can name, where it has several.
    pub measures: Vec<String>,
    /// How many areas of it are stored.
    pub areas: u64,
}

/// A stored area.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Area {
    /// Game and name: what requests call it.
    #[schema(example = "last-of-us/area-0-sample")]
    pub id: String,
    /// Its game.
    pub game: String,
    /// Its name within the game.
    pub name: String,
    /// Its title, as the area itself has it.
    pub title: String,
    /// Sizes and counts.
    pub facts: Vec<Fact>,
    /// Bytes of its text.
    pub bytes: u64,
    /// The best plan that is known.
    pub best: Option<Best>,
}

impl From<StoredArea> for Area {
    fn from(area: StoredArea) -> Self {
        Area {
            name: area.id.split_once('/').map_or("", |(_, name)| name).to_string(),
            id: area.id,
            game: area.game,
            title: area.title,
            facts: area.facts,
            bytes: area.bytes,
            best: area.best,
        }
    }
}

/// A stored area with its text.
#[derive(Debug, Serialize, ToSchema)]
pub struct AreaWithText {
    /// What the list says of it.
    #[serde(flatten)]
    pub area: Area,
    /// The area in its game's own format.
    pub text: String,
}

/// A page of stored areas.
#[derive(Debug, Serialize, ToSchema)]
pub struct AreaPage {
    /// The areas, by game and name.
    pub areas: Vec<Area>,
    /// What `after` has to be for the next page; none on the last one.
    pub next: Option<String>,
}

/// An area's best plan.
#[derive(Debug, Serialize, ToSchema)]
pub struct BestPlan {
    /// What is known of it.
    #[serde(flatten)]
    pub best: Best,
    /// The plan in the game's own format, verified.
    pub plan: String,
}

/// Which area is meant: a stored one by `id`, or the `text` of one.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AreaRef {
    /// A stored area.
    #[schema(example = "last-of-us/area-0-sample")]
    pub id: Option<String>,
    /// An area in its game's own format.
    pub text: Option<String>,
    /// The game of `text`, where its content leaves that open.
    pub game: Option<String>,
    /// Which level, counted from 1, where `text` is a collection.
    pub level: Option<u32>,
}

/// A plan to be verified.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct VerifyRequest {
    /// The area.
    pub area: AreaRef,
    /// The plan in the game's own format.
    pub plan: String,
    /// Boards to send along.
    pub frames: Option<FramesRequest>,
}

/// Which boards are wanted.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FramesRequest {
    /// The first: 0 is the board before the first step.
    #[serde(default)]
    pub from: u64,
    /// How many, at most.
    pub count: u64,
    /// The part of the board; around the player where it is left out and the board is large.
    pub window: Option<Window>,
}

/// The verdict on a plan.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct Verdict {
    /// Whether the plan holds.
    pub valid: bool,
    /// Length in the game's own measure, where it holds.
    pub length: Option<u64>,
    /// Other measures, where it holds.
    pub facts: Vec<Fact>,
    /// The first bad step, from 1; one past the last where the plan ends too early.
    pub step: Option<u64>,
    /// The line of that step in the plan, from 1.
    pub line: Option<usize>,
    /// That line.
    pub text: Option<String>,
    /// Why the step is refused.
    pub reason: Option<String>,
    /// The board around the player at that moment.
    pub board: Option<String>,
    /// Whether the plan is the best known of its area from now on. Only plans that are submitted
    /// to `/v1/plans` can become that.
    pub best_known: bool,
    /// The boards that were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<Frame>,
}

impl Verdict {
    /// What a verified plan says.
    pub fn valid(plan: &Verified) -> Self {
        Verdict {
            valid: true,
            length: Some(plan.proof().length),
            facts: facts(&plan.proof().facts),
            ..Verdict::default()
        }
    }

    /// What a refused plan says; one that cannot be read is no verdict.
    ///
    /// # Errors
    /// The diagnostic where the plan cannot be read.
    pub fn invalid(error: PlanError) -> Result<Self, super::Problem> {
        match error {
            PlanError::Unreadable(diagnostic) => Err(super::Problem::bad_plan(&diagnostic)),
            PlanError::Refused(refusal) => Ok(Verdict {
                step: Some(refusal.step),
                line: refusal.line.as_ref().map(|(line, _)| *line),
                text: refusal.line.map(|(_, text)| text),
                reason: Some(refusal.reason),
                board: Some(refusal.board),
                ..Verdict::default()
            }),
        }
    }
}

/// A board after so many steps.
#[derive(Debug, Serialize, ToSchema)]
pub struct Frame {
    /// Steps done.
    pub step: u64,
    /// How the game stands.
    pub status: Standing,
    /// The part of the board that is shown.
    pub window: Window,
    /// One string a row, one character a cell.
    pub rows: Vec<String>,
}

/// How a game stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Window {
    /// Top row.
    pub row: i64,
    /// Left column.
    pub col: i64,
    /// Number of rows.
    pub rows: u32,
    /// Number of columns.
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

/// Begins a game: an area, and what has been done so far, as steps or as a plan to watch.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PlayRequest {
    /// The area.
    pub area: AreaRef,
    /// Steps to do at once: those of a game whose token is gone.
    #[serde(default)]
    pub steps: Vec<String>,
    /// A plan to watch: `seek` goes to any step of it.
    pub plan: Option<String>,
    /// What to show.
    #[serde(default)]
    pub show: Show,
}

/// Goes on with a game. What is given is done in this order: `undo`, `seek`, `steps`, `aim`.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MoveRequest {
    /// Steps to take back.
    #[serde(default)]
    pub undo: u64,
    /// Go to the board after this many steps of the plan that is watched.
    pub seek: Option<u64>,
    /// Steps to do, each as one line (or key) of the game's plan format.
    #[serde(default)]
    pub steps: Vec<String>,
    /// Do the step that is aimed at this cell: row and column.
    pub aim: Option<[i64; 2]>,
    /// Tell keys, roles and walls again, as after the beginning.
    #[serde(default)]
    pub setup: bool,
    /// What to show.
    #[serde(default)]
    pub show: Show,
}

/// What of the board to show.
#[derive(Debug, Clone, Copy, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Show {
    /// The part of the board; all of it where it is left out, or around the player where the
    /// board is large.
    pub window: Option<Window>,
    /// The part of the board whose marks are told; the whole window where it is left out.
    pub marks: Option<Window>,
    /// The revision that the client shows: with it, only what has changed since is sent.
    pub revision: Option<u64>,
}

/// A game being played, after what was asked for.
#[derive(Debug, Serialize, ToSchema)]
pub struct Played {
    /// Names the game in further requests. When it is gone (status 410), begin again with the
    /// steps done so far.
    pub token: String,
    /// Steps done.
    pub steps: u64,
    /// How the game stands.
    pub status: Standing,
    /// How it was lost.
    pub why: Option<String>,
    /// The step that the rules refuse; nothing has changed by it, and none after it was done.
    pub refused: Option<RefusedStep>,
    /// The steps done by this request, as the game's plan format writes them: what `aim` came to.
    pub done: Vec<String>,
    /// Where the player is: row and column.
    pub player: Option<[i64; 2]>,
    /// The whole board.
    pub extent: Window,
    /// What stands beside the board: turn, bricks, oxygen, …
    pub facts: Vec<Fact>,
    /// The plan so far, in the game's own format, where it is short; `/v1/play/{token}/plan` has
    /// it at any length.
    pub plan: Option<String>,
    /// The number of steps of the plan that is watched.
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
#[derive(Debug, Serialize, ToSchema)]
pub struct RefusedStep {
    /// The step.
    pub step: String,
    /// Why.
    pub reason: String,
}

/// The board in a window: all of it, or what has changed since the client's revision.
#[derive(Debug, Serialize, ToSchema)]
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
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, ToSchema)]
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
#[derive(Debug, Serialize, ToSchema)]
pub struct Setup {
    /// The game's name.
    pub game: String,
    /// The area's title.
    pub title: String,
    /// The steps that have a key.
    pub keys: Vec<Key>,
    /// What each letter of the board stands for: `Wall`, `Floor`, `Player`, `Goal`, `Hunter`, …
    pub roles: BTreeMap<char, String>,
    /// Whether a step can be aimed at a cell.
    pub aims: bool,
    /// All walls, where the board is too large to be shown cell by cell: what is neither in them
    /// nor the exit nor the player is free.
    pub walls: Option<Vec<Window>>,
}

/// A step that has a key.
#[derive(Debug, Serialize, ToSchema)]
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

/// What a role is called in JSON.
pub fn role_name(role: Role) -> String {
    format!("{role:?}")
}

/// Asks for a plan.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct JobRequest {
    /// The area.
    pub area: AreaRef,
    /// What the search may spend.
    #[serde(default)]
    pub budget: BudgetRequest,
    /// Spend the budget on a proof that the plan is shortest: the measure, or an empty string for
    /// the game's usual one.
    pub optimal: Option<String>,
}

/// What a search may spend. What is left out has the server's default.
#[derive(Debug, Clone, Copy, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BudgetRequest {
    /// Wall time in seconds.
    #[schema(example = 10.0)]
    pub seconds: Option<f64>,
    /// Memory of the search's tables in MiB.
    pub memory_mib: Option<u64>,
    /// Threads.
    pub threads: Option<u32>,
    /// Expansions: the answer then does not depend on the speed of the machine.
    pub nodes: Option<u64>,
    /// Seed of everything random.
    pub seed: Option<u64>,
}

/// A page of jobs.
#[derive(Debug, Serialize, ToSchema)]
pub struct JobPage {
    /// The jobs, the latest first, without their plans.
    pub jobs: Vec<Job>,
    /// What `after` has to be for the next page; none on the last one.
    pub next: Option<String>,
}

/// Reads the name of a game.
///
/// # Errors
/// A problem that lists the games.
pub fn game_named(name: &str) -> Result<GameId, super::Problem> {
    name.parse().map_err(super::Problem::bad_request)
}
