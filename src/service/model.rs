//! What requests and answers look like: the types that the OpenAPI document is generated from.

use crate::games::{self, Facts, GameId, PlanError};
use crate::json::{object, optional_object, optional_whole, whole};
use crate::play::{Legend, Show, Standing, Window, listed_board};
use crate::service::limits::MOST_OF;
use crate::service::problem::Place;
use crate::store::{Best, Job, JobBudget, Measure, StoredArea};
use crate::verify::Verified;
use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, Type};
use utoipa::openapi::{Ref, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// A game that is built in.
#[derive(Debug, Serialize, ToSchema)]
pub struct Game {
    /// Its name, as areas and requests use it.
    pub name: GameId,
    /// One line about it.
    pub about: String,
    /// The game in words.
    pub description: games::Description,
    /// The measures that `optimal` can name, where it has several.
    pub measures: Vec<String>,
    /// What its generator can be told.
    pub parameters: Vec<Parameter>,
    /// What the signs on its boards mean.
    pub legend: Legend,
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
    #[schema(required)]
    pub most: Option<u64>,
}

impl From<&games::Parameter> for Parameter {
    fn from(parameter: &games::Parameter) -> Self {
        let most = MOST_OF.iter().find(|(name, _)| *name == parameter.name);
        let words = match parameter.values {
            games::Values::Words(words) => words,
            games::Values::Number(..) | games::Values::NumberOrAuto(..) => &[],
        };
        let parameter = &parameter.at_most(most.map_or(u64::MAX, |&(_, most)| most));
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
    /// The area's game.
    pub game: GameId,
    /// The seed: another one makes another area.
    #[serde(default, deserialize_with = "optional_whole")]
    pub seed: Option<u64>,
    /// Values for the game's generator, by the names of its parameters.
    #[serde(default)]
    #[schema(example = json!({ "rows": "9" }))]
    pub values: BTreeMap<String, String>,
}

/// An area that was made.
#[derive(Debug, Serialize, ToSchema)]
pub struct Made {
    /// The area's game.
    pub game: GameId,
    /// A name for the area.
    pub name: String,
    /// The area in its game's own format.
    pub text: String,
    /// The length of the plan that proves it solvable.
    pub length: u64,
    /// Other measures of that plan.
    pub facts: Facts,
    /// That plan; there may be shorter ones.
    pub plan: String,
}

/// A drawing of which an area is to be made.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DraftRequest {
    /// The game.
    pub game: GameId,
    /// The drawing.
    pub drawing: games::Drawing,
}

/// An area that is to be drawn further.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DrawingRequest {
    /// The area.
    pub area: AreaRef,
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
    /// The title of the collection, where the text has one for all levels.
    #[schema(required)]
    pub title: Option<String>,
    /// Its author, where the text names one for all levels.
    #[schema(required)]
    pub author: Option<String>,
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
    /// Its author, where the text names one for it.
    #[schema(required)]
    pub author: Option<String>,
    /// Sizes and counts; empty where it cannot be read.
    pub facts: Facts,
    /// The rows of its board, for a small picture; not of large boards and late levels.
    #[schema(required)]
    pub board: Option<Vec<String>>,
    /// Why it cannot be read, where that is so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<Place>,
}

impl From<&games::Entry> for Level {
    fn from(entry: &games::Entry) -> Level {
        let area = entry.content.as_ref();
        Level {
            level: u32::try_from(entry.number).unwrap_or(u32::MAX),
            title: area.map_or_else(|_| entry.name(), |area| area.name().into()),
            author: entry.author.clone(),
            board: listed_board(entry),
            facts: area.map_or_else(|_| Facts::default(), |area| area.facts().into()),
            unreadable: area.err().map(Place::from),
        }
    }
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
    pub facts: Facts,
    /// Bytes of its text.
    pub bytes: u64,
    /// The best plan that is known.
    #[schema(required)]
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
    #[schema(required)]
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
    /// The plan in the game's own format, or a text with plans of several levels, or with several plans of
    /// the area: the best that holds counts.
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
    /// The most boards to send.
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
    #[schema(required)]
    pub length: Option<u64>,
    /// Other measures, where it holds.
    pub facts: Facts,
    /// Remarks on a valid plan, such as that the text has other plans, or that its last keys do nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    /// The plan alone, where the text that was sent has more in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    /// The first bad step, from 1; one past the last where the plan ends too early.
    #[schema(required)]
    pub step: Option<u64>,
    /// The line of that step in the plan, from 1.
    #[schema(required)]
    pub line: Option<usize>,
    /// The text of that line.
    #[schema(required)]
    pub text: Option<String>,
    /// Why the step is refused.
    #[schema(required)]
    pub reason: Option<String>,
    /// The board around the player at that moment.
    #[schema(required)]
    pub board: Option<String>,
    /// Whether the plan is the best known of its area from now on. Only plans that are submitted
    /// to `/v1/plans` can become that.
    pub best_known: bool,
    /// The boards that were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<Frame>,
}

impl Verdict {
    /// The verdict on a verified plan that was sent in this text.
    pub fn valid(plan: &Verified, sent: &str) -> Self {
        Verdict {
            valid: true,
            length: Some(plan.validation().length),
            facts: plan.validation().facts.clone().into(),
            remarks: plan.validation().remarks.clone(),
            plan: (plan.text() != sent).then(|| plan.text().to_string()),
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

/// A board after a number of steps.
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

/// Asks for a plan.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct JobRequest {
    /// The area.
    pub area: AreaRef,
    /// What the search may spend.
    #[serde(default, deserialize_with = "object")]
    pub budget: BudgetRequest,
    /// Spend the budget on a proof that the plan is shortest: the measure, or true for the game's usual
    /// one.
    pub optimal: Option<Measure>,
    /// A valid plan of the area, to be shortened: the answer is never longer.
    pub improve: Option<String>,
    /// A plan that has not come to its end: search from where it leads. The answer's plan begins
    /// with it; `impossible` says that the position is lost. Not together with `improve`.
    pub begun: Option<String>,
    /// Prove what was found from the rules alone, in the same budget again: the result then has a
    /// certificate that `outwit check` accepts. Not together with `begun`.
    #[serde(default)]
    pub certify: bool,
}

/// A certificate to be checked.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckRequest {
    /// The area that it shall be of.
    pub area: AreaRef,
    /// The certificate's text.
    pub certificate: String,
}

/// What a search may spend. What is left out has the server's default.
#[derive(Debug, Clone, Copy, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BudgetRequest {
    /// Wall time in seconds.
    #[schema(example = 1.0)]
    pub seconds: Option<f64>,
    /// Memory of the search's tables in MiB, of each process.
    #[serde(default, deserialize_with = "optional_whole")]
    pub memory_mib: Option<u64>,
    /// Threads of each process.
    #[serde(default, deserialize_with = "optional_whole")]
    pub threads: Option<u32>,
    /// Processes of the worker's machine that search together, where the server allows more than
    /// one and the game's planner has a search that they share. Their memory counts together.
    #[serde(default, deserialize_with = "optional_whole")]
    pub processes: Option<u32>,
    /// Expansions: the answer then does not depend on the speed of the machine.
    #[serde(default, deserialize_with = "optional_whole")]
    pub nodes: Option<u64>,
    /// Seed of everything random.
    #[serde(default, deserialize_with = "optional_whole")]
    pub seed: Option<u64>,
}

/// An event of a stream: a job as it is now.
#[derive(Debug, ToSchema)]
#[allow(dead_code)] // The stream writes it line by line; this is what the document says of it.
pub struct JobEvent {
    /// The event's name: `job`.
    #[schema(pattern = "^job$")]
    event: String,
    /// A `Job` as JSON, in one line.
    #[schema(content_media_type = "application/json")]
    data: String,
}

/// The answer that streams events. Some readers of the document take its schema for that of the whole text,
/// others for that of each event, so that it is either.
#[derive(Debug)]
pub struct JobEvents;

impl PartialSchema for JobEvents {
    fn schema() -> RefOr<Schema> {
        OneOfBuilder::new()
            .item(ObjectBuilder::new().schema_type(Type::String))
            .item(Ref::from_schema_name(JobEvent::name()))
            .description(Some("A stream of events: all of it as text, or each as an object."))
            .into()
    }
}

impl ToSchema for JobEvents {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((JobEvent::name().into(), JobEvent::schema()));
    }
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
    /// Where the library in WebAssembly is, for pages that step games by themselves; none where the
    /// server has none.
    #[schema(example = "/outwit.wasm", required)]
    pub library: Option<&'static str>,
}

/// The most that a job may ask for.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
pub struct BudgetLimits {
    /// Wall time in seconds.
    #[schema(example = 60.0)]
    pub seconds: f64,
    /// Memory of the search's tables in MiB, of each process.
    pub memory_mib: u64,
    /// Threads of each process.
    pub threads: u32,
    /// Processes that search together.
    pub processes: u32,
    /// Expansions; none where the other limits alone hold.
    #[schema(required)]
    pub nodes: Option<u64>,
}

/// A page of jobs.
#[derive(Debug, Serialize, ToSchema)]
pub struct JobPage {
    /// The jobs, the latest first, without their plans.
    pub jobs: Vec<Job>,
    /// What `after` has to be for the next page; none on the last one.
    #[schema(required)]
    pub next: Option<String>,
}
