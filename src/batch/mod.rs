//! Many areas at once: every area in, its best plan in a file, an index of them all.
//!
//! What holds at any moment, whatever ends the process: each file in the folder of solutions is
//! whole, and each plan in it was verified before it was written. A plan that is there and holds
//! is only ever replaced by a better one; one that does not hold is replaced, or put aside, and
//! the row says so. What earlier runs have spent and proven is remembered: see [`record`].
//!
//! Areas are independent, so they are what runs in parallel: [`Options::jobs`] workers take the
//! next area each and ask a [`Planner`], which searches here or has others search.

pub mod files;
pub mod index;
pub mod inputs;
pub mod record;
pub mod sok;

pub use inputs::{Inputs, Shard, Task, find};
pub use record::{Given, Record, Records};

use crate::diagnostic::Source;
use crate::games::{Answer, Measure, Objective, PlanError};
use crate::search::{Budget, Progress, Verdict};
use crate::verify::{Settled, Verified, settle, verify};
use record::{fingerprint, pairs};
use std::collections::BTreeMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The record is written at most this often while a batch runs.
const SAVE_EVERY: Duration = Duration::from_secs(1);

/// How a batch is run.
pub struct Options {
    /// The folder of solutions.
    pub out: PathBuf,
    /// Areas at a time, at least 1.
    pub jobs: usize,
    /// What each area may spend. Its listener is not used.
    pub budget: Budget,
    /// What kind of plans.
    pub objective: Objective,
    /// Search also where earlier runs leave nothing to hope for.
    pub again: bool,
    /// Which part of the batch this is, for the names of its own files.
    pub shard: Shard,
}

/// Who searches for plans in a batch: the process itself, or others.
pub trait Planner: Sync {
    /// Looks for a plan; what it answers is verified by the batch. `worker` counts from 0, and
    /// each asks for one area at a time.
    ///
    /// # Errors
    /// Why there was no search, one sentence.
    fn plan(
        &self,
        worker: usize,
        task: &Task,
        objective: &Objective,
        known: Option<&str>,
        budget: &Budget,
    ) -> Result<Answer, String>;
}

/// Searches in this process: each worker has a pool of the budget's threads.
struct Here {
    pools: Vec<rayon::ThreadPool>,
}

impl Here {
    fn new(workers: usize, budget: &Budget) -> Result<Self, BatchError> {
        let pools = (0..workers).map(|_| budget.pool());
        Ok(Here { pools: pools.collect::<Result<_, _>>()? })
    }
}

impl Planner for Here {
    fn plan(
        &self,
        worker: usize,
        task: &Task,
        objective: &Objective,
        known: Option<&str>,
        budget: &Budget,
    ) -> Result<Answer, String> {
        Ok(self.pools[worker].install(|| task.area.solve(objective, known, budget)))
    }
}

impl Options {
    /// How many areas at a time.
    fn workers(&self, tasks: &[Task]) -> usize {
        self.jobs.clamp(1, tasks.len().max(1))
    }
}

/// Is told how a batch goes on, from several threads.
pub trait Watcher: Send + Sync {
    /// A worker (from 0) begins with an area.
    fn started(&self, worker: usize, task: &Task);
    /// A worker's search tells how far it is.
    fn progress(&self, worker: usize, progress: &Progress);
    /// A worker is through with an area.
    fn finished(&self, worker: usize, row: &Row);
}

/// What became of one area.
#[derive(Clone, Debug)]
pub struct Row {
    /// The area's key.
    pub key: String,
    /// What is known of it now.
    pub record: Record,
    /// What this run did.
    pub change: Change,
    /// What should be said besides: a plan that did not hold, a fault of the planner.
    pub remarks: Vec<String>,
}

/// What a run did for an area.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// Nothing: earlier runs leave nothing to hope for within this budget.
    Kept,
    /// It searched and found nothing better than the plan that is there.
    Searched,
    /// There is a plan where there was none.
    New,
    /// There is a better plan; the old one's length.
    Better(u64),
    /// There is no plan.
    Without,
}

impl Change {
    /// A few words for tables and lines.
    pub fn words(self) -> String {
        match self {
            Change::Kept => "kept".into(),
            Change::Searched => "no better".into(),
            Change::New => "new".into(),
            Change::Better(was) => format!("was {was}"),
            Change::Without => String::new(),
        }
    }
}

/// What a batch came to.
pub struct Report {
    /// One row for each area that the run came to, by key.
    pub rows: Vec<Row>,
    /// All that is known of the folder of solutions, other runs' areas included.
    pub records: Records,
    /// What should be said of the run itself.
    pub remarks: Vec<String>,
}

/// Why a batch could not run.
#[derive(Debug, thiserror::Error)]
pub enum BatchError {
    /// Another process runs the same shard into the same folder.
    #[error("another batch is writing to {0}")]
    Busy(PathBuf),
    /// A file cannot be written.
    #[error("{0}: cannot be written: {1}")]
    Write(PathBuf, io::Error),
    /// Threads cannot be started.
    #[error("cannot start threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

/// Runs a batch in this process, as [`run_with`].
///
/// # Errors
/// A folder that cannot be written, or in which the same shard is running already.
pub fn run(
    tasks: &[Task],
    options: &Options,
    watcher: &Arc<dyn Watcher>,
) -> Result<Report, BatchError> {
    let here = Here::new(options.workers(tasks), &options.budget)?;
    run_with(tasks, options, watcher, &here)
}

/// Runs a batch: plans, the record and `INDEX.md` are in [`Options::out`] afterwards.
///
/// Raising the budget's cancel flag ends it early: running searches answer with their best, areas
/// that have not begun are left out.
///
/// # Errors
/// A folder that cannot be written, or in which the same shard is running already.
pub fn run_with(
    tasks: &[Task],
    options: &Options,
    watcher: &Arc<dyn Watcher>,
    planner: &dyn Planner,
) -> Result<Report, BatchError> {
    let out = &options.out;
    let tag = options.shard.tag();
    let write_error = |error| BatchError::Write(out.clone(), error);
    std::fs::create_dir_all(out).map_err(write_error)?;
    let _lock = lock(out, &tag)?;
    files::clean(out, &record::run_tag(&tag));

    let present: BTreeMap<&str, String> =
        tasks.iter().map(|task| (task.key.as_str(), fingerprint(&task.area.text()))).collect();
    let (records, remarks) = record::load(out, &present);
    let batch = Batch {
        tasks,
        options,
        watcher,
        planner,
        present,
        next: AtomicUsize::new(0),
        state: Mutex::new(State { records, rows: Vec::new(), saved: Instant::now() }),
    };
    batch.work()?;
    let state = batch.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    conclude(out, options.shard, state, &batch.present, remarks)
}

/// Writes the record and the index.
fn conclude(
    out: &Path,
    shard: Shard,
    state: State,
    present: &BTreeMap<&str, String>,
    remarks: Vec<String>,
) -> Result<Report, BatchError> {
    let State { mut records, mut rows, .. } = state;
    rows.sort_by(|a, b| a.key.cmp(&b.key));
    // Whose plan has gone, and whose area was not here to plan it anew, is forgotten.
    records.retain(|key, record| {
        present.contains_key(key.as_str())
            || record.length.is_none()
            || plan_file(out, key).is_file()
    });
    // The index goes from machine to machine, the record does not: what it has proven counts on.
    let index = out.join(index::FILE);
    let earlier = index::records(&std::fs::read_to_string(&index).unwrap_or_default());
    for (key, record) in &mut records {
        let same =
            |earlier: &&Record| earlier.area == record.area && earlier.length == record.length;
        if let Some(earlier) = earlier.get(key).filter(same) {
            record.raise(earlier.bound.unwrap_or(0));
        }
    }
    for row in &mut rows {
        if let Some(record) = records.get(&row.key) {
            row.record = record.clone();
        }
    }
    let save_error = |error| BatchError::Write(out.to_path_buf(), error);
    record::save(out, &shard.tag(), &records).map_err(save_error)?;
    if shard == Shard::WHOLE {
        record::absorb_shards(out);
    } else {
        // Other shards may have come to an end since: the index is of all.
        let (others, _) = record::load(out, present);
        for (key, record) in others {
            records.entry(key).or_insert(record);
        }
    }
    // Areas of which there is no record here stay in it as long as their plans are there.
    for (key, record) in earlier {
        if plan_file(out, &key).is_file() {
            records.entry(key).or_insert(record);
        }
    }
    files::replace(&index, index::markdown(&records).as_bytes(), &record::run_tag(&shard.tag()))
        .map_err(|error| BatchError::Write(index, error))?;
    Ok(Report { rows, records, remarks })
}

/// Holds the folder for this shard as long as the process lives. A file system without locks gives
/// none, and nothing is refused then.
fn lock(out: &Path, tag: &str) -> Result<Option<std::fs::File>, BatchError> {
    let path = out.join(format!(".batch{tag}.lock"));
    let file = std::fs::File::create(&path).map_err(|error| BatchError::Write(path, error))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(std::fs::TryLockError::WouldBlock) => Err(BatchError::Busy(out.to_path_buf())),
        Err(std::fs::TryLockError::Error(_)) => Ok(None),
    }
}

/// Where the plan of an area belongs.
pub fn plan_file(out: &Path, key: &str) -> PathBuf {
    let mut path = out.to_path_buf();
    path.extend(key.split('/'));
    path.as_mut_os_string().push(".plan");
    path
}

/// A running batch.
struct Batch<'a> {
    tasks: &'a [Task],
    options: &'a Options,
    watcher: &'a Arc<dyn Watcher>,
    planner: &'a dyn Planner,
    /// The fingerprint of each area.
    present: BTreeMap<&'a str, String>,
    /// The first task that nobody has taken.
    next: AtomicUsize,
    state: Mutex<State>,
}

struct State {
    records: Records,
    rows: Vec<Row>,
    saved: Instant,
}

impl Batch<'_> {
    fn work(&self) -> Result<(), BatchError> {
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..self.options.workers(self.tasks))
                .map(|worker| scope.spawn(move || self.worker(worker)))
                .collect();
            workers.into_iter().try_for_each(|worker| match worker.join() {
                Ok(ended) => ended,
                Err(panic) => std::panic::resume_unwind(panic),
            })
        })
    }

    fn worker(&self, worker: usize) -> Result<(), BatchError> {
        while !self.options.budget.cancel.load(Ordering::Relaxed) {
            let Some(task) = self.tasks.get(self.next.fetch_add(1, Ordering::Relaxed)) else {
                break;
            };
            self.watcher.started(worker, task);
            let row = self.one(worker, task)?;
            self.watcher.finished(worker, &row);
            self.keep(row)?;
        }
        Ok(())
    }

    /// Remembers a row, and writes the record now and then.
    fn keep(&self, row: Row) -> Result<(), BatchError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.records.insert(row.key.clone(), row.record.clone());
        state.rows.push(row);
        if state.saved.elapsed() >= SAVE_EVERY {
            state.saved = Instant::now();
            let out = &self.options.out;
            record::save(out, &self.options.shard.tag(), &state.records)
                .map_err(|error| BatchError::Write(out.clone(), error))?;
        }
        Ok(())
    }

    /// Does one area.
    fn one(&self, worker: usize, task: &Task) -> Result<Row, BatchError> {
        let file = plan_file(&self.options.out, &task.key);
        let mut remarks = Vec::new();
        let known = self.known(task, &file, &mut remarks)?;
        let earlier = self.earlier(task);
        if let Some(record) = earlier.as_ref().filter(|r| self.leaves_nothing(r, known.as_ref())) {
            let change = if known.is_some() { Change::Kept } else { Change::Without };
            return Ok(Row { key: task.key.clone(), record: record.clone(), change, remarks });
        }
        let settled = self.search(worker, task, known.clone(), &mut remarks);
        let tag = record::run_tag(&self.options.shard.tag());
        if let Some(plan) = settled.answer.plan.as_ref().filter(|_| settled.is_new) {
            files::replace(&file, plan.text().as_bytes(), &tag)
                .map_err(|error| BatchError::Write(file, error))?;
        }
        let change = match (&settled.answer.plan, &known) {
            (None, _) => Change::Without,
            (Some(_), None) => Change::New,
            (Some(_), Some(known)) if settled.is_new => {
                Change::Better(known.length(self.measure()))
            }
            (Some(_), Some(_)) => Change::Searched,
        };
        let record = self.record(task, &settled, earlier, &mut remarks);
        Ok(Row { key: task.key.clone(), record, change, remarks })
    }

    fn measure(&self) -> Option<Measure> {
        self.options.objective.measure
    }

    /// The plan that is there, if it holds; one that does not hold is put aside.
    fn known(
        &self,
        task: &Task,
        file: &Path,
        remarks: &mut Vec<String>,
    ) -> Result<Option<Verified>, BatchError> {
        if !file.is_file() {
            return Ok(None);
        }
        let replayed = match Source::read(file) {
            Ok(source) => verify(&*task.area, &source),
            Err(diagnostic) => Err(PlanError::Unreadable(diagnostic)),
        };
        let why = match replayed {
            Ok(plan) => return Ok(Some(plan)),
            Err(PlanError::Unreadable(diagnostic)) => diagnostic.to_string(),
            Err(PlanError::Refused(refusal)) => {
                format!("step {}: {}", refusal.step, refusal.reason)
            }
        };
        let mut aside = file.as_os_str().to_owned();
        aside.push(".invalid");
        std::fs::rename(file, &aside).map_err(|error| BatchError::Write(file.into(), error))?;
        remarks.push(format!("the plan that was there did not hold and is put aside: {why}"));
        Ok(None)
    }

    /// What earlier runs know of the area as it is now, in the measure that is asked for.
    fn earlier(&self, task: &Task) -> Option<Record> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let record = state.records.get(&task.key)?;
        let is_same = self.present.get(task.key.as_str()) == Some(&record.area);
        let same_measure = record.measure.as_deref() == self.measure().map(Measure::name);
        (is_same && (same_measure || record.is_impossible())).then(|| record.clone())
    }

    /// Whether searching again promises nothing.
    fn leaves_nothing(&self, record: &Record, known: Option<&Verified>) -> bool {
        let given = Given::new(&self.options.budget, self.options.objective.prove);
        let length = known.map(|plan| plan.length(self.measure()));
        let is_settled = record.is_optimal() || record.is_impossible();
        !self.options.again
            && record.length == length
            && (is_settled || record.given.covers(&given))
    }

    /// Searches; a planner that panics has found nothing.
    fn search(
        &self,
        worker: usize,
        task: &Task,
        known: Option<Verified>,
        remarks: &mut Vec<String>,
    ) -> Settled {
        let watcher = Arc::clone(self.watcher);
        let budget = Budget {
            progress: Some(Arc::new(move |progress| watcher.progress(worker, progress))),
            ..self.options.budget.clone()
        };
        let (objective, text) = (&self.options.objective, known.as_ref().map(Verified::text));
        let work = || self.planner.plan(worker, task, objective, text, &budget);
        let answer = catch_unwind(AssertUnwindSafe(work))
            .unwrap_or_else(|_| Err("fault of the planner: it panicked".into()))
            .unwrap_or_else(|why| {
                remarks.push(why);
                Answer::nothing()
            });
        let settled = settle(&*task.area, answer, known, self.measure());
        if let Some(error) = &settled.refused {
            let why = match error {
                PlanError::Unreadable(diagnostic) => diagnostic.to_string(),
                PlanError::Refused(refusal) => refusal.reason.clone(),
            };
            remarks.push(format!("fault of the planner: the rules refuse its plan: {why}"));
        }
        settled
    }

    /// What is known now, from this run and earlier ones.
    fn record(
        &self,
        task: &Task,
        settled: &Settled,
        earlier: Option<Record>,
        remarks: &mut Vec<String>,
    ) -> Record {
        let area = self.present.get(task.key.as_str()).cloned().unwrap_or_default();
        let mut record = Record {
            area,
            facts: pairs(&task.area.facts()),
            verdict: settled.answer.verdict.name().into(),
            measure: self.measure().map(|measure| measure.to_string()),
            length: settled.answer.length,
            bound: settled.answer.bound,
            proof: settled
                .answer
                .plan
                .as_ref()
                .map_or(Vec::new(), |plan| pairs(&plan.validation().facts)),
            seconds: settled.answer.effort.elapsed.as_secs_f64(),
            given: Given::new(&self.options.budget, self.options.objective.prove),
        };
        if self.options.budget.cancel.load(Ordering::Relaxed) {
            record.given.seconds = 0.0;
        }
        let Some(earlier) = earlier else { return record };
        if earlier.given.covers(&record.given) {
            record.given = earlier.given;
        }
        if !settled.is_new && earlier.length == record.length {
            record.seconds = earlier.seconds;
        }
        match (record.length, earlier.bound) {
            (Some(length), None) => {
                remarks.push(format!(
                    "an earlier run claimed that there is no plan; one of {length} is"
                ));
            }
            (Some(length), Some(bound)) if bound > length => remarks.push(format!(
                "an earlier run claimed that no plan is shorter than {bound}; one of {length} is"
            )),
            (None, None) => {
                record.bound = None;
                record.verdict = Verdict::Impossible.name().into();
            }
            (_, Some(bound)) => record.raise(bound),
        }
        record
    }
}
