//! What outlives a process: areas, best known plans, jobs and their queue.
//!
//! [`Store`] is the seam; above it no code knows which database there is. It is a file of SQLite,
//! with nothing to start, or PostgreSQL by URL, for workers on several machines: the same code
//! (`sql.rs`), compiled for each, on sqlx.
//!
//! A job is a row, and the rows that wait are the queue: a worker claims one before it begins, and
//! one that has lost its claim cannot report any more. Workers count in the store that they live.
//! Each watches the others' counts, and one whose count stands still while the store took what the
//! watcher wrote is lost ([`Watchman`]): its jobs wait again. While the store is away no worker can
//! count, so none is missed.
//!
//! Plans come in as [`Verified`], or in a [`JobResult`] that is made of one: what is read from a
//! store was verified when it was written.

mod ids;
mod job;
mod migrations;
mod names;
mod postgres;
mod sqlite;
mod watchman;

pub use ids::{TOLD_APART, area_ids};
pub use job::{Job, JobBudget, JobResult, JobState};
pub use names::{Measure, MeasureName};
pub use watchman::{LOOK, Watchman};

use crate::games::{Area, Facts, Fingerprint, GameId, Standing};
use crate::search::Progress;
use crate::verify::Verified;
use async_trait::async_trait;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Upper limit of the connections to the database of a process that answers requests or runs a
/// batch.
pub const REQUEST_CONNECTIONS: u32 = 16;
/// Upper limit of the connections of a process's workers, which have their own: no flood of
/// requests keeps a worker from saying that it lives.
const MAX_WORKER_CONNECTIONS: u32 = 16;
/// Time limit for a connection, and for a turn to write.
const CONNECT_PATIENCE: Duration = Duration::from_secs(3);
/// Time limit for the first connection, and for SQLite's one writer.
const DATABASE_PATIENCE: Duration = Duration::from_secs(5);
/// Time after which a worker that was not seen and has no job is forgotten, in milliseconds.
const KEEP_WORKERS_MS: i64 = 24 * 3600 * 1000;

/// Time within which a worker that lives has counted, whatever keeps it for a moment.
pub const WORKERS_WITHIN: Duration = Duration::from_secs(30);

/// Number of connections for `at_a_time` jobs at a time: one for the worker's signs of life, the others for
/// reports, which are short.
pub fn worker_connections(at_a_time: usize) -> u32 {
    u32::try_from(at_a_time).unwrap_or(u32::MAX).saturating_add(1).min(MAX_WORKER_CONNECTIONS)
}

/// Why a store could not do what was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The URL is of no store that we know.
    #[error("{0:?} is no store: a file's path, sqlite://PATH or postgres://…")]
    Url(String),
    /// The store cannot be opened.
    #[error("the store {store} cannot be opened: {cause}")]
    Open {
        /// The store's path or URL.
        store: String,
        /// What the database says.
        cause: String,
    },
    /// The database says no.
    #[error("the store: {0}")]
    Database(#[from] sqlx::Error),
    /// The tables could not be set up.
    #[error("the store's tables: {0}")]
    Migration(#[from] sqlx::migrate::MigrateError),
    /// The open file is no longer where it was.
    #[error(
        "the store's file {0} was deleted or replaced while it was open: put it back, or start again"
    )]
    Gone(String),
    /// The store has not answered within the time limit.
    #[error("the store: no answer within {} s", .0.as_secs())]
    Silent(Duration),
    /// What is stored makes no sense to us.
    #[error("the store holds what cannot be read: {0}")]
    Content(String),
}

impl StoreError {
    /// Why the store cannot be used now, where it is the store and not the use that is wrong.
    pub fn away(&self) -> Option<String> {
        use sqlx::error::ErrorKind;
        match self {
            StoreError::Open { .. } | StoreError::Gone(_) | StoreError::Silent(_) => {
                Some(self.to_string())
            }
            StoreError::Database(sqlx::Error::Database(error)) => {
                matches!(error.kind(), ErrorKind::Other).then(|| error.message().to_string())
            }
            StoreError::Database(sqlx::Error::PoolTimedOut) => {
                let seconds = CONNECT_PATIENCE.as_secs();
                Some(format!("no connection to it could be had within {seconds} s"))
            }
            StoreError::Database(
                error @ (sqlx::Error::Io(_)
                | sqlx::Error::Tls(_)
                | sqlx::Error::Protocol(_)
                | sqlx::Error::PoolClosed
                | sqlx::Error::WorkerCrashed),
            ) => Some(error.to_string()),
            _ => None,
        }
    }
}

impl From<serde_json::Error> for StoreError {
    fn from(error: serde_json::Error) -> Self {
        StoreError::Content(error.to_string())
    }
}

/// Location of a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    /// A file of SQLite.
    File(PathBuf),
    /// A PostgreSQL database.
    Postgres(String),
}

impl Location {
    /// Reads a location from a file, so that a password stands on no command line.
    ///
    /// # Errors
    /// Why there is none in the file, without what is there.
    pub fn read(file: &Path) -> Result<Self, String> {
        let told = |why: &dyn std::fmt::Display| format!("{}: {why}", file.display());
        let text = std::fs::read_to_string(file);
        let text = text.map_err(|error| told(&format!("cannot be read: {error}")))?;
        text.trim().parse().map_err(|_| told(&"there is no location of a store in it"))
    }
}

impl FromStr for Location {
    type Err = StoreError;
    fn from_str(url: &str) -> Result<Self, StoreError> {
        match url.split_once(':') {
            Some(("postgres" | "postgresql", _)) => Ok(Location::Postgres(url.into())),
            Some(("sqlite", path)) => {
                let path = path.strip_prefix("//").unwrap_or(path);
                let path = path.split('?').next().unwrap_or(path);
                if path.is_empty() || path == ":memory:" {
                    return Err(StoreError::Url(url.into()));
                }
                Ok(Location::File(path.into()))
            }
            Some((scheme, rest)) if rest.starts_with("//") && scheme.len() > 1 => {
                Err(StoreError::Url(url.into()))
            }
            _ if url.is_empty() => Err(StoreError::Url(url.into())),
            _ => Ok(Location::File(url.into())),
        }
    }
}

/// Opens a store with at most `connections` connections, and makes or renews its tables where that
/// is needed.
///
/// # Errors
/// What the database says.
pub async fn open(location: &Location, connections: u32) -> Result<Arc<dyn Store>, StoreError> {
    Ok(match location {
        Location::File(path) => Arc::new(sqlite::open(path, connections).await?),
        Location::Postgres(url) => Arc::new(postgres::open(url, connections).await?),
    })
}

/// An area as it is stored: game and text, by their fingerprint.
#[derive(Debug, Clone)]
pub struct AreaText {
    /// SHA-256 of game and text, in hexadecimal.
    pub fingerprint: String,
    /// The game.
    pub game: GameId,
    /// The area's own title.
    pub title: String,
    /// Sizes and counts.
    pub facts: Facts,
    /// The area in its game's own format.
    pub text: String,
}

impl AreaText {
    /// What a store keeps of an area.
    pub fn new(area: &dyn Area) -> Self {
        let (game, text) = (area.game(), area.text());
        AreaText {
            fingerprint: Fingerprint::of(&[game.name(), &text]).to_string(),
            game,
            title: area.name().to_string(),
            facts: area.facts().into(),
            text,
        }
    }
}

/// SHA-256 of some texts, in hexadecimal; no two lists of texts are taken for the same.
pub fn digest(texts: &[&str]) -> String {
    Fingerprint::of(texts).to_string()
}

/// A stored area, without its text.
#[derive(Debug, Clone)]
pub struct StoredArea {
    /// `GAME/NAME`.
    pub id: String,
    /// The game's name.
    pub game: String,
    /// The area's fingerprint: see [`AreaText::fingerprint`].
    pub fingerprint: String,
    /// The area's own title.
    pub title: String,
    /// Sizes and counts.
    pub facts: Facts,
    /// Bytes of the text.
    pub bytes: u64,
    /// The best known plan, without its text.
    pub best: Option<Best>,
}

/// What is known of an area's best plan.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct Best {
    /// The plan's length and the lower bound, in the game's own measure.
    #[serde(flatten)]
    pub standing: Standing,
    /// Other measures.
    pub facts: Facts,
    /// When it was found, in milliseconds since 1970; none where that is not known.
    #[schema(required)]
    pub found_ms: Option<i64>,
    /// Who has found it, as they call themselves; `outwit` is a job of this server.
    #[schema(required)]
    pub found_by: Option<String>,
}

/// A job to be submitted.
#[derive(Debug, Clone)]
pub struct NewJob {
    /// The area.
    pub area: AreaText,
    /// What the area is called in lists.
    pub label: String,
    /// What the search may spend.
    pub budget: JobBudget,
    /// The objective: see [`crate::games::Objective::word`].
    pub optimal: Option<String>,
    /// The plan to shorten, where it is not to search from the start.
    pub improve: Option<String>,
    /// The plan so far that the job's plans begin with: it searches from where that leads.
    pub begun: Option<String>,
    /// Whether what is proven shall be certified.
    pub certify: bool,
    /// What its owner says to cancel it; see [`Store::is_owner`].
    pub key: Option<String>,
    /// The id of the request that asks for it, for the log of the worker.
    pub request: Option<String>,
}

impl NewJob {
    /// The job's id: the same for the same area, budget, objective, plan to shorten, plan so far, and wish for a
    /// certificate.
    pub fn id(&self) -> String {
        let JobBudget { seconds, memory_mib, threads, processes, nodes, seed } = self.budget;
        let mut budget = format!("{seconds} {memory_mib} {threads} {nodes:?} {seed}");
        // Those of one process keep the ids that they had when there were no others.
        if processes > 1 {
            budget += &format!(" {processes}");
        }
        let optimal = format!("{:?}", self.optimal);
        let mut parts = vec![self.area.fingerprint.as_str(), &budget, &optimal];
        parts.extend(self.improve.as_deref());
        // A plan so far is distinguished from one to shorten.
        parts.extend(self.begun.as_deref().into_iter().flat_map(|begun| ["from", begun]));
        parts.extend(self.certify.then_some("certify"));
        let mut id = digest(&parts);
        id.truncate(32);
        id
    }
}

/// What became of a submission.
#[derive(Debug)]
pub enum Submitted {
    /// It is a new job.
    New(Box<Job>),
    /// It was there already.
    Known(Box<Job>),
    /// The queue is full: no more jobs are taken.
    Full,
}

/// A job that a worker has claimed.
#[derive(Debug, Clone)]
pub struct Claimed {
    /// The job's id.
    pub id: String,
    /// The word that stands for this claim.
    pub claim: String,
    /// Number of times it was begun, this time included. Times after which the worker gave it back do not
    /// count.
    pub attempts: u32,
    /// The area's fingerprint.
    pub area: String,
    /// The game's name.
    pub game: String,
    /// The area's text.
    pub text: String,
    /// What the search may spend.
    pub budget: JobBudget,
    /// The objective: see [`crate::games::Objective::word`].
    pub optimal: Option<String>,
    /// The plan to shorten, where it is not to search from the start.
    pub improve: Option<String>,
    /// The plan so far that the job's plans begin with: it searches from where that leads.
    pub begun: Option<String>,
    /// Whether what is proven shall be certified.
    pub certify: bool,
    /// The best plan that is known of the area.
    pub known: Option<String>,
    /// The id of the request that has asked for the job.
    pub request: Option<String>,
    /// Time since the job was submitted, by the clock of the worker's machine.
    pub waited: Duration,
}

/// The state of the queue, for monitors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Queue {
    /// Age of the job that waits for longest; 0 if none waits.
    pub oldest: Duration,
    /// Number of workers that have counted within the last [`WORKERS_WITHIN`].
    pub workers: u64,
}

/// The answer to a worker's report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beat {
    /// Go on.
    GoOn,
    /// The job is cancelled: come to an end with the best so far.
    Cancel,
    /// The job is no longer this worker's.
    Lost,
}

/// A worker's count of its signs of life.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pulse {
    /// Its name; empty where a job does not say who has it.
    pub worker: String,
    /// Its count; 0 for one that has not begun to.
    pub beats: i64,
}

/// How a job ends.
#[derive(Debug, Clone)]
pub enum Ending {
    /// The search came to its end.
    Done(JobResult),
    /// It was cancelled.
    Cancelled(JobResult),
    /// It could not be done.
    Failed(String),
}

/// Which jobs to list.
#[derive(Debug, Clone, Default)]
pub struct JobFilter {
    /// Only those in this state.
    pub state: Option<JobState>,
    /// Only those whose area is stored under a name.
    pub named: bool,
    /// Only those before this one: time of submission and id.
    pub before: Option<(i64, String)>,
    /// How many at most.
    pub limit: u32,
}

/// What outlives a process.
#[async_trait]
pub trait Store: Send + Sync {
    /// Whether the store answers, asked on a connection of its own.
    async fn ping(&self) -> Result<(), StoreError>;

    /// Stores areas under their names (`GAME/NAME`); an area of that name is replaced.
    async fn name_areas(&self, areas: &[(String, AreaText)]) -> Result<(), StoreError>;

    /// How many areas are stored of each game.
    async fn count_areas(&self) -> Result<Vec<(String, u64)>, StoreError>;

    /// Up to `limit` stored areas by id, those after the id `after`, without those whose row cannot
    /// be read.
    async fn areas(
        &self,
        game: Option<GameId>,
        after: &str,
        limit: u32,
    ) -> Result<Vec<StoredArea>, StoreError>;

    /// One stored area.
    async fn area(&self, id: &str) -> Result<Option<StoredArea>, StoreError>;

    /// The text of an area.
    async fn text(&self, fingerprint: &str) -> Result<Option<String>, StoreError>;

    /// The best known plan of an area, and what is known of it.
    async fn best(&self, fingerprint: &str) -> Result<Option<(Best, String)>, StoreError>;

    /// Keeps a plan where it beats the best known one of a stored area, and says whether it does.
    /// Areas that are not stored have no best plan: false.
    ///
    /// `by` is who has found it, empty where they do not say; none where it is not known when it
    /// was found.
    async fn keep_plan(
        &self,
        fingerprint: &str,
        plan: &Verified,
        by: Option<&str>,
    ) -> Result<bool, StoreError>;

    /// Remembers that no plan of an area is shorter.
    async fn raise_bound(&self, fingerprint: &str, bound: u64) -> Result<(), StoreError>;

    /// Puts a job on the queue, unless it is there already or `max_queued` jobs wait. One that
    /// was cancelled or has failed is put there again.
    async fn submit(&self, job: &NewJob, max_queued: u64) -> Result<Submitted, StoreError>;

    /// One job.
    async fn job(&self, id: &str) -> Result<Option<Job>, StoreError>;

    /// Whether a key is that of a job's owner: the client that has put it on the queue last.
    async fn is_owner(&self, id: &str, key: &str) -> Result<bool, StoreError>;

    /// Jobs, the latest first, without those whose row cannot be read.
    async fn jobs(&self, filter: &JobFilter) -> Result<Vec<Job>, StoreError>;

    /// Number of jobs in each state; none stands for a state that cannot be read.
    async fn count_jobs(&self) -> Result<Vec<(Option<JobState>, u64)>, StoreError>;

    /// The state of the queue.
    async fn queue(&self) -> Result<Queue, StoreError>;

    /// Cancels a job: at once where it waits, else through its worker. False where there is none.
    async fn cancel(&self, id: &str) -> Result<bool, StoreError>;

    /// Claims the job that waits for longest, for a worker; none where none waits. `claim` is a
    /// word that was not used before.
    ///
    /// # Errors
    /// Where the store goes away in the middle, the job may be claimed nevertheless: the worker
    /// then has to [`release`](Store::release) the claim.
    async fn claim(&self, worker: &str, claim: &str) -> Result<Option<Claimed>, StoreError>;

    /// Reports that a claimed job goes on.
    async fn beat(&self, claim: &str, progress: Option<&Progress>) -> Result<Beat, StoreError>;

    /// Ends a claimed job; false where the claim is lost.
    async fn finish(&self, claim: &str, ending: &Ending) -> Result<bool, StoreError>;

    /// Gives a claimed job back: it waits again, or ends where it was cancelled meanwhile. Nothing
    /// happens where no worker has that claim. `counts` is whether the attempt does.
    async fn release(&self, claim: &str, counts: bool) -> Result<(), StoreError>;

    /// Counts that a worker lives, and tells how often each worker that has a job has done so.
    async fn pulse(&self, worker: &str) -> Result<Vec<Pulse>, StoreError>;

    /// Gives the jobs of a lost worker back, unless it has counted on; how many. The attempts
    /// count.
    async fn take_over(&self, lost: &Pulse) -> Result<u64, StoreError>;

    /// Forgets a worker, which has no job.
    async fn leave(&self, worker: &str) -> Result<(), StoreError>;

    /// Removes what is not needed any more: all but the latest `keep` settled jobs, areas without
    /// name and job, workers that are long gone.
    async fn tidy(&self, keep: u64) -> Result<(), StoreError>;
}

/// Now, in milliseconds since 1970.
fn now_ms() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as i64)
}

/// Time since a moment in milliseconds since 1970; 0 for one to come, as clocks differ.
fn since_ms(moment: i64) -> Duration {
    Duration::from_millis(u64::try_from(now_ms() - moment).unwrap_or(0))
}

/// A rank as text that orders as the rank does.
fn rank_text(rank: &[u64]) -> String {
    rank.iter().map(|number| format!("{number:020}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_are_told_apart() {
        let location = |url: &str| url.parse::<Location>().ok();
        assert_eq!(location("a.db"), Some(Location::File("a.db".into())));
        assert_eq!(location("/tmp/a.db"), Some(Location::File("/tmp/a.db".into())));
        assert_eq!(location("sqlite:///tmp/a.db"), Some(Location::File("/tmp/a.db".into())));
        assert_eq!(location("sqlite:a.db?mode=rwc"), Some(Location::File("a.db".into())));
        assert!(matches!(location("postgres://h/d"), Some(Location::Postgres(_))));
        for bad in ["", "mysql://h/d", "sqlite::memory:", "sqlite:", "http://h"] {
            assert_eq!(location(bad), None, "{bad}");
        }
    }

    #[test]
    fn ranks_order_as_text() {
        let ranks: [&[u64]; 4] = [&[2, 10], &[10, 0], &[10, 9], &[u64::MAX, 0]];
        assert!(ranks.windows(2).all(|pair| rank_text(pair[0]) < rank_text(pair[1])));
    }
}
