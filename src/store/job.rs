//! What a store keeps of a job. The types are those of the API, too: nothing is told twice.

use super::names::{self, Measure};
use crate::games::GameId;
use crate::play::{Fact, facts};
use crate::search::{Progress, StopReason};
use crate::verify::Settled;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What a search may spend, all of it said.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct JobBudget {
    /// Wall time in seconds.
    pub seconds: f64,
    /// Memory of the search's tables in MiB, of each process.
    pub memory_mib: u64,
    /// Threads of each process.
    pub threads: u32,
    /// Processes that search together.
    #[serde(default = "one_process")]
    pub processes: u32,
    /// Expansions; none for no limit.
    pub nodes: Option<u64>,
    /// Seed of everything random.
    pub seed: u64,
}

/// What older versions have written says nothing of processes.
fn one_process() -> u32 {
    1
}

/// Where a job is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum JobState {
    /// It waits for a worker.
    Queued,
    /// A worker searches.
    Running,
    /// The search came to its end; `result` says what it found.
    Done,
    /// It was cancelled; `result` has what was found until then.
    Cancelled,
    /// It could not be done; `error` says why.
    Failed,
}

impl JobState {
    /// All states.
    pub const ALL: [JobState; 5] = [
        JobState::Queued,
        JobState::Running,
        JobState::Done,
        JobState::Cancelled,
        JobState::Failed,
    ];

    /// One lower-case word.
    pub fn name(self) -> &'static str {
        match self {
            JobState::Queued => "queued",
            JobState::Running => "running",
            JobState::Done => "done",
            JobState::Cancelled => "cancelled",
            JobState::Failed => "failed",
        }
    }

    /// Whether nothing more will happen.
    pub fn is_final(self) -> bool {
        matches!(self, JobState::Done | JobState::Cancelled | JobState::Failed)
    }
}

impl std::str::FromStr for JobState {
    type Err = String;
    fn from_str(word: &str) -> Result<Self, String> {
        let found = JobState::ALL.into_iter().find(|state| state.name() == word);
        found.ok_or_else(|| {
            let names = JobState::ALL.map(JobState::name).join(", ");
            format!("unknown state {word:?}; one of {names}")
        })
    }
}

/// A job.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Job {
    /// Its id: the same area and budget have the same.
    pub id: String,
    /// Where it is.
    pub state: JobState,
    /// The area's game.
    #[schema(value_type = GameId)]
    pub game: String,
    /// The area: its id where it is stored, else its title.
    pub area: String,
    /// What the search may spend.
    pub budget: JobBudget,
    /// The measure in which a proof was asked for; empty for the game's usual one.
    #[schema(value_type = Option<Measure>)]
    pub optimal: Option<String>,
    /// How far the search is, while it runs.
    pub progress: Option<JobProgress>,
    /// What was found.
    pub result: Option<JobResult>,
    /// Why it failed.
    pub error: Option<String>,
    /// Number of times a worker has begun it, except those after which the worker has given it back.
    pub attempts: u32,
    /// When it was submitted, milliseconds since 1970 (UTC).
    pub submitted_ms: i64,
    /// When a worker began with it last.
    pub started_ms: Option<i64>,
    /// When it came to its end.
    pub finished_ms: Option<i64>,
}

/// How far a search is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct JobProgress {
    /// What it is doing.
    pub phase: String,
    /// Expansions so far.
    pub nodes: u64,
    /// Length of the best plan so far.
    pub best: Option<u64>,
    /// No plan is shorter, as far as is proven.
    pub bound: u64,
    /// Part of the work (or of the time) that is done, 0 to 1.
    pub fraction: f64,
}

impl From<&Progress> for JobProgress {
    fn from(progress: &Progress) -> Self {
        let Progress { phase, nodes, best, bound, fraction } = progress.clone();
        JobProgress { phase, nodes, best, bound, fraction }
    }
}

/// What a search found.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct JobResult {
    /// `optimal`, `found`, `impossible` or `unknown`.
    #[schema(schema_with = names::verdict)]
    pub verdict: String,
    /// Length of the plan, in the measure that was asked for.
    pub length: Option<u64>,
    /// No plan is shorter; none where it is proven that there is no plan.
    pub bound: Option<u64>,
    /// Other measures of the plan.
    pub facts: Vec<Fact>,
    /// The verified plan in the game's own format.
    pub plan: Option<String>,
    /// Wall time of the search in seconds.
    pub seconds: f64,
    /// Expansions.
    pub expanded: u64,
    /// The most memory that the search's tables held, in bytes.
    pub memory_bytes: u64,
    /// What ended the search early: `time`, `memory`, `nodes`, `cancelled`.
    #[schema(schema_with = names::stop)]
    pub stopped: Option<String>,
    /// Whether the plan became the best known of its area.
    pub best_known: bool,
}

impl JobResult {
    /// What a planner found, after its plan has come through the door.
    pub fn new(settled: &Settled, best_known: bool) -> Self {
        let plan = settled.answer.plan.as_ref();
        JobResult {
            verdict: settled.answer.verdict.name().into(),
            length: settled.answer.length,
            bound: settled.answer.bound,
            facts: plan.map_or(Vec::new(), |plan| facts(&plan.validation().facts)),
            plan: plan.map(|plan| plan.text().to_string()),
            seconds: settled.answer.effort.elapsed.as_secs_f64(),
            expanded: settled.answer.effort.expanded,
            memory_bytes: settled.answer.effort.memory as u64,
            stopped: settled.answer.effort.stopped.map(|stop: StopReason| stop.to_string()),
            best_known,
        }
    }
}
