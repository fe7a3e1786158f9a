//! What requests and answers look like: the types that the OpenAPI document is generated from.

use crate::games::{self, GameId, PlanError, Role};
use crate::service::limits::MOST_OF;
use crate::store::{Best, Fact, Job, JobBudget, Measure, StoredArea, facts};
use crate::verify::Verified;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Unexpected, Visitor};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use utoipa::openapi::schema::OneOfBuilder;
use utoipa::openapi::{Ref, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// What is read from a JSON object alone. What is derived would take an array of the fields, too.
pub struct Object<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Fields<T> {
            type Value = T;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map))
            }
        }
        deserializer.deserialize_map(Fields(PhantomData)).map(Object)
    }
}

/// A whole number, however JSON writes it: `1`, `1.0`, `1e0`.
struct Whole<T>(T);

impl<'de, T: TryFrom<i128>> Deserialize<'de> for Whole<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Number<T>(PhantomData<T>);
        impl<T: TryFrom<i128>> Visitor<'_> for Number<T> {
            type Value = T;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a whole number of type {}", std::any::type_name::<T>())
            }
            fn visit_i128<E: Error>(self, number: i128) -> Result<T, E> {
                let range = || E::custom(format!("{number} is out of range"));
                T::try_from(number).map_err(|_| range())
            }
            fn visit_u64<E: Error>(self, number: u64) -> Result<T, E> {
                self.visit_i128(number.into())
            }
            fn visit_i64<E: Error>(self, number: i64) -> Result<T, E> {
                self.visit_i128(number.into())
            }
            fn visit_f64<E: Error>(self, number: f64) -> Result<T, E> {
                // Of what is below 64 bits only the end of their range would be left.
                if number.fract() != 0.0 || number <= i64::MIN as f64 {
                    return Err(E::invalid_type(Unexpected::Float(number), &self));
                }
                self.visit_i128(number as i128)
            }
        }
        deserializer.deserialize_any(Number(PhantomData)).map(Whole)
    }
}

/// For fields: a whole number.
fn whole<'de, D: Deserializer<'de>, T: TryFrom<i128>>(deserializer: D) -> Result<T, D::Error> {
    Whole::deserialize(deserializer).map(|number| number.0)
}

/// For fields: a whole number, or null.
fn optional_whole<'de, D: Deserializer<'de>, T: TryFrom<i128>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    Option::<Whole<T>>::deserialize(deserializer).map(|number| number.map(|number| number.0))
}

/// For fields: row and column, or null.
fn optional_cell<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<[i64; 2]>, D::Error> {
    let cell = Option::<[Whole<i64>; 2]>::deserialize(deserializer)?;
    Ok(cell.map(|cell| cell.map(|number| number.0)))
}

/// For fields: an object.
fn object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<T, D::Error> {
    Object::deserialize(deserializer).map(|object| object.0)
}

/// For fields: an object, or null.
fn optional_object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    Option::<Object<T>>::deserialize(deserializer).map(|object| object.map(|object| object.0))
}

/// A game that is built in.
#[derive(Debug, Serialize, ToSchema)]
pub struct Game {
    /// Its name, as areas and requests use it.
    pub name: GameId,
    /// One line about it.
    pub about: String,
    /// The measures that `optimal` can name, where it has several.
    pub measures: Vec<String>,
    /// What its generator can be told.
    pub parameters: Vec<Parameter>,
    /// How many areas of it are stored.
    pub areas: u64,
}

/// Something that a game's generator can be told.
#[derive(Debug, Serialize, ToSchema)]
pub struct Parameter {
    /// What it is called.
    pub name: String,
    /// One line about it, with its unit and range.
    pub about: String,
    /// Its value where none is given.
    pub default: String,
    /// The words that it may be; none for a number.
    pub words: Vec<String>,
    /// The largest number here, where it is bounded for the generator's time.
    pub most: Option<u64>,
}

impl From<&games::Parameter> for Parameter {
    fn from(parameter: &games::Parameter) -> Self {
        let most = MOST_OF.iter().find(|(name, _)| *name == parameter.name);
        let words = match parameter.values {
            games::Values::Words(words) => words,
            games::Values::Number(..) | games::Values::NumberOrAuto(..) => &[],
        };
        Parameter {
            name: parameter.name.into(),
            about: parameter.help(),
            default: parameter.default.into(),
            words: words.iter().map(|&word| word.into()).collect(),
            most: most.map(|&(_, most)| most),
        }
    }
}

/// An area to be made.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GenerateRequest {
    /// Its game.
    pub game: GameId,
    /// The seed: another one makes another area.
    #[serde(default, deserialize_with = "optional_whole")]
    pub seed: Option<u64>,
    /// What the game's generator is told, by the names of its parameters.
    #[serde(default)]
    #[schema(example = json!({ "rows": "9" }))]
    pub values: BTreeMap<String, String>,
}

/// An area that was made.
#[derive(Debug, Serialize, ToSchema)]
pub struct Made {
    /// Its game.
    pub game: GameId,
    /// What to call it.
    pub name: String,
    /// The area in its game's own format.
    pub text: String,
    /// The length of the plan that proves it solvable.
    pub length: u64,
    /// Other measures of that plan.
    pub facts: Vec<Fact>,
    /// That plan; there may be shorter ones.
    pub plan: String,
}

/// A text whose levels are to be listed.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LevelsRequest {
    /// An area or a collection in its game's own format.
    pub text: String,
    /// The game, where the text does not tell it.
    pub game: Option<GameId>,
}

/// The levels of a text.
#[derive(Debug, Serialize, ToSchema)]
pub struct Levels {
    /// Their game.
    pub game: GameId,
    /// The levels, in their order.
    pub levels: Vec<Level>,
}

/// A level of a collection.
#[derive(Debug, Serialize, ToSchema)]
pub struct Level {
    /// Its number, from 1: the `level` of an area's reference.
    pub level: u32,
    /// Its title, as the text has it.
    pub title: String,
    /// Sizes and counts.
    pub facts: Vec<Fact>,
}

/// A stored area.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Area {
    /// Game and name: what requests call it.
    #[schema(example = "last-of-us/area-0-sample")]
    pub id: String,
    /// Its game.
    #[schema(value_type = GameId)]
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

/// A stored area.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StoredRef {
    /// What lists call it: game and name.
    #[schema(example = "last-of-us/area-0-sample")]
    pub id: String,
}

/// An area that comes as text.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TextRef {
    /// The area in its game's own format.
    #[schema(example = "#####\n#@$.#\n#####\n")]
    pub text: String,
    /// The game of `text`, where its content leaves that open.
    pub game: Option<GameId>,
    /// Which level, counted from 1, where `text` is a collection.
    #[schema(minimum = 1)]
    #[serde(default, deserialize_with = "optional_whole")]
    pub level: Option<u32>,
}

/// Which area is meant.
#[derive(Debug, Clone)]
pub enum AreaRef {
    /// A stored one.
    Stored(StoredRef),
    /// One that the request brings.
    Text(TextRef),
}

impl<'de> Deserialize<'de> for AreaRef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let fields = serde_json::Map::deserialize(deserializer)?;
        let read = match fields.contains_key("id") {
            true => StoredRef::deserialize(fields).map(AreaRef::Stored),
            false => TextRef::deserialize(fields).map(AreaRef::Text),
        };
        let forms = "an area is either an `id` alone, or a `text` with its `game` and `level`";
        match read {
            Ok(AreaRef::Text(TextRef { level: Some(0), .. })) => {
                Err(D::Error::custom("levels count from 1"))
            }
            Ok(area) => Ok(area),
            Err(error) => Err(D::Error::custom(format!("{error}: {forms}"))),
        }
    }
}

impl PartialSchema for AreaRef {
    fn schema() -> RefOr<Schema> {
        OneOfBuilder::new()
            .item(Ref::from_schema_name(StoredRef::name()))
            .item(Ref::from_schema_name(TextRef::name()))
            .description(Some("Which area is meant: a stored one, or one that comes as text."))
            .into()
    }
}

impl ToSchema for AreaRef {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((StoredRef::name().into(), StoredRef::schema()));
        schemas.push((TextRef::name().into(), TextRef::schema()));
        TextRef::schemas(schemas);
    }
}

/// A plan to be verified.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct VerifyRequest {
    /// The area.
    pub area: AreaRef,
    /// The plan in the game's own format.
    pub plan: String,
    /// Who has found it: told beside it where it becomes the best known.
    #[schema(max_length = 40)]
    pub by: Option<String>,
    /// Boards to send along.
    #[serde(default, deserialize_with = "optional_object")]
    pub frames: Option<FramesRequest>,
}

/// Which boards are wanted.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FramesRequest {
    /// The first: 0 is the board before the first step.
    #[serde(default, deserialize_with = "whole")]
    pub from: u64,
    /// How many, at most.
    #[serde(deserialize_with = "whole")]
    pub count: u64,
    /// The part of the board; around the player where it is left out and the board is large.
    #[serde(default, deserialize_with = "optional_object")]
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
            length: Some(plan.validation().length),
            facts: facts(&plan.validation().facts),
            ..Verdict::default()
        }
    }

    /// What a refused plan says; one that cannot be read is no verdict.
    ///
    /// # Errors
    /// The diagnostic where the plan cannot be read.
    pub fn invalid(error: PlanError) -> Result<Self, crate::service::Problem> {
        match error {
            PlanError::Unreadable(diagnostic) => {
                Err(crate::service::Problem::bad_plan(&diagnostic))
            }
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
    #[serde(default, deserialize_with = "object")]
    pub show: Show,
}

/// Goes on with a game. What is given is done in this order: `undo`, `seek`, `steps`, `aim`.
#[derive(Debug, Default, Deserialize, ToSchema)]
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
    #[schema(min_items = 2, max_items = 2)]
    #[serde(default, deserialize_with = "optional_cell")]
    pub aim: Option<[i64; 2]>,
    /// Tell keys, roles and walls again, as after the beginning.
    #[serde(default)]
    pub setup: bool,
    /// What to show.
    #[serde(default, deserialize_with = "object")]
    pub show: Show,
}

/// What of the board to show.
#[derive(Debug, Clone, Copy, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Show {
    /// The part of the board; all of it where it is left out, or around the player where the
    /// board is large.
    #[serde(default, deserialize_with = "optional_object")]
    pub window: Option<Window>,
    /// The part of the board whose marks are told; the whole window where it is left out.
    #[serde(default, deserialize_with = "optional_object")]
    pub marks: Option<Window>,
    /// The revision that the client shows: with it, only what has changed since is sent.
    #[serde(default, deserialize_with = "optional_whole")]
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
    #[schema(min_items = 2, max_items = 2)]
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
    #[schema(value_type = GameId)]
    pub game: &'static str,
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
    #[serde(default, deserialize_with = "object")]
    pub budget: BudgetRequest,
    /// Spend the budget on a proof that the plan is shortest: the measure, or an empty string for
    /// the game's usual one.
    pub optimal: Option<Measure>,
    /// A valid plan of the area, to be shortened: the answer is never longer.
    pub improve: Option<String>,
}

/// What a search may spend. What is left out has the server's default.
#[derive(Debug, Clone, Copy, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BudgetRequest {
    /// Wall time in seconds.
    #[schema(example = 1.0)]
    pub seconds: Option<f64>,
    /// Memory of the search's tables in MiB.
    #[serde(default, deserialize_with = "optional_whole")]
    pub memory_mib: Option<u64>,
    /// Threads.
    #[serde(default, deserialize_with = "optional_whole")]
    pub threads: Option<u32>,
    /// Expansions: the answer then does not depend on the speed of the machine.
    #[serde(default, deserialize_with = "optional_whole")]
    pub nodes: Option<u64>,
    /// Seed of everything random.
    #[serde(default, deserialize_with = "optional_whole")]
    pub seed: Option<u64>,
}

/// An event of a stream: a job as it is now.
#[derive(ToSchema)]
#[allow(dead_code)] // The stream writes it line by line; this is what the document says of it.
pub struct JobEvent {
    /// The event's name: `job`.
    #[schema(pattern = "^job$")]
    event: String,
    /// A `Job` as JSON, in one line.
    #[schema(content_media_type = "application/json")]
    data: String,
}

/// What the server allows. What is more than this is refused.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SiteLimits {
    /// Whether calls that write need the server's token.
    pub needs_token: bool,
    /// The most that a job may ask for.
    pub most_budget: BudgetLimits,
    /// What a job gets where it asks for nothing.
    pub default_budget: JobBudget,
    /// How many jobs may wait.
    pub waiting_jobs: u64,
    /// The longest text of an area, in bytes.
    pub area_bytes: u64,
    /// The longest text of a plan, in bytes.
    pub plan_bytes: u64,
    /// The longest body of a request, in bytes.
    pub body_bytes: u64,
    /// The most steps of a game that is played by hand or watched.
    pub played_steps: u64,
    /// The most cells of a board in one answer.
    pub shown_cells: u64,
}

/// The most that a job may ask for.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
pub struct BudgetLimits {
    /// Wall time in seconds.
    #[schema(example = 60.0)]
    pub seconds: f64,
    /// Memory of the search's tables in MiB.
    pub memory_mib: u64,
    /// Threads.
    pub threads: u32,
    /// Expansions; none where the other limits alone hold.
    pub nodes: Option<u64>,
}

/// A page of jobs.
#[derive(Debug, Serialize, ToSchema)]
pub struct JobPage {
    /// The jobs, the latest first, without their plans.
    pub jobs: Vec<Job>,
    /// What `after` has to be for the next page; none on the last one.
    pub next: Option<String>,
}
