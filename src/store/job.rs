//! What a store keeps of a job. The types are those of the API, too: nothing is written twice.

use super::names::{self, Measure};
use crate::games::{Facts, GameId, Standing};
use crate::report::{CertificateReport, Effort, Report};
use crate::search::{Progress, Settings, StopReason, UnknownWord, Verdict};
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
    #[schema(required)]
    pub processes: u32,
    /// Expansions; none for no limit.
    #[schema(required)]
    pub nodes: Option<u64>,
    /// Seed of everything random.
    pub seed: u64,
}

/// What older versions have written says nothing of processes.
fn one_process() -> u32 {
    1
}

/// State of a job.
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
    /// All states of a job.
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
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, UnknownWord> {
        UnknownWord::find(("state", word), &JobState::ALL, JobState::name)
    }
}

/// A job.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Job {
    /// Its id: the same area and budget have the same.
    pub id: String,
    /// The job's state.
    pub state: JobState,
    /// The area's game.
    #[schema(value_type = GameId)]
    pub game: String,
    /// The area: its id where it is stored, else its title.
    pub area: String,
    /// What the search may spend.
    pub budget: JobBudget,
    /// The measure in which a proof was asked for, `true` for the game's usual one; none where any plan
    /// will do.
    #[schema(schema_with = names::wanted, required)]
    pub optimal: Option<Measure>,
    /// How far the search is, while it runs.
    #[schema(required)]
    pub progress: Option<Progress>,
    /// What was found.
    #[schema(required)]
    pub result: Option<JobResult>,
    /// Why it failed.
    #[schema(required)]
    pub error: Option<String>,
    /// Number of times a worker has begun it, except those after which the worker has given it back.
    pub attempts: u32,
    /// When it was submitted, milliseconds since 1970 (UTC).
    pub submitted_ms: i64,
    /// When a worker began with it last.
    #[schema(required)]
    pub started_ms: Option<i64>,
    /// When it came to its end.
    #[schema(required)]
    pub finished_ms: Option<i64>,
}

/// What a search found.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(from = "Stored")]
pub struct JobResult {
    /// The report of the search.
    #[serde(flatten)]
    pub report: Report,
    /// Whether the plan became the best known of its area.
    pub best_known: bool,
    /// The certificate, if the job asks for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<CertificateReport>,
}

impl JobResult {
    /// The result of a verified answer and, if one was asked for, its certificate.
    pub fn new(
        settled: &Settled,
        certificate: Option<CertificateReport>,
        best_known: bool,
    ) -> Self {
        JobResult { report: Report::new(settled), best_known, certificate }
    }
}

/// A result as a store has it: this version's, or one of before there was one report.
#[derive(Deserialize)]
#[serde(untagged)]
enum Stored {
    Now {
        #[serde(flatten)]
        report: Report,
        best_known: bool,
        #[serde(default)]
        certificate: Option<CertificateReport>,
    },
    Before(OlderResult),
}

/// A result of older versions.
#[derive(Deserialize)]
struct OlderResult {
    verdict: Verdict,
    length: Option<u64>,
    bound: Option<u64>,
    facts: Facts,
    plan: Option<String>,
    seconds: f64,
    expanded: u64,
    memory_bytes: u64,
    stopped: Option<StopReason>,
    best_known: bool,
}

impl From<Stored> for JobResult {
    fn from(stored: Stored) -> Self {
        match stored {
            Stored::Now { report, best_known, certificate } => {
                JobResult { report, best_known, certificate }
            }
            Stored::Before(older) => older.into(),
        }
    }
}

impl From<OlderResult> for JobResult {
    fn from(older: OlderResult) -> Self {
        let OlderResult { verdict, length, bound, plan, best_known, .. } = older;
        let standing = match (verdict, length) {
            // The oldest have written a number where there is no bound.
            (Verdict::Impossible, _) => Standing::Impossible,
            (_, length) => Standing::new(length, bound.unwrap_or(0)),
        };
        let effort = Effort {
            seconds: older.seconds,
            expanded: older.expanded,
            generated: 0,
            memory_bytes: older.memory_bytes,
            peak_bytes: None,
            stopped: older.stopped,
        };
        let report = Report {
            standing,
            plan,
            plan_facts: older.facts,
            refused: None,
            effort,
            notes: Facts::default(),
            settings: Settings::default(),
            searches: Vec::new(),
        };
        JobResult { report, best_known, certificate: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_older_versions_are_read() {
        let older = r#"{"verdict":"impossible","length":null,"bound":7,"facts":[],"plan":null,
            "seconds":0.5,"expanded":3,"memory_bytes":9,"stopped":null,"best_known":false}"#;
        let read: JobResult = serde_json::from_str(older).unwrap();
        assert_eq!(read.report.standing, Standing::Impossible);
        let facts = r#"[{"name":"pushes","value":"4"}]"#;
        let found = older.replace("impossible", "found").replace("[]", facts);
        let read: JobResult = serde_json::from_str(&found).unwrap();
        assert_eq!(read.report.standing.bound(), Some(7));
        assert_eq!(read.report.plan_facts.to_string(), "pushes 4");
        // What is written now is read, too.
        let now = serde_json::to_string(&read).unwrap();
        let again: JobResult = serde_json::from_str(&now).unwrap();
        assert_eq!(again.report, read.report);
    }
}
