//! Many areas at once: every area in, its best plan in a file, an index of them all.
//!
//! What holds at any moment, whatever ends the process: each file in the folder of solutions is
//! whole, and each plan in it was verified before it was written. A plan that is there and holds
//! is only ever replaced by a better one; one that does not hold is replaced, or put aside, and
//! the row says so. What earlier runs have spent and proven is remembered: see [`record`].
//!
//! Areas are independent, so they are what runs in parallel: [`Options::jobs`] workers take the
//! next area each and ask a [`Planner`], which searches here or has others search.

mod certificates;
pub mod compare;
pub mod files;
pub mod html;
pub mod index;
pub mod inputs;
pub mod names;
pub mod record;
pub mod sok;

pub use inputs::{Inputs, NoShard, Shard, Task, find};
pub use names::{plan_file, plan_file_in};
pub use record::{Given, Known, Record, Records};

use crate::certificate::Certificate;
use crate::diagnostic::Source;
use crate::diagnostic::sentence_error;
use crate::games::{Answer, Fingerprint, Measure, Objective, PlanError, Standing};
use crate::search::{Control, Progress, Run};
use crate::verify::{Settled, Verified, settle, verify};
use names::{INVALID, measure_name, measure_names};
use record::PlanRecord;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Minimum time between two writes of the record while a batch runs.
const SAVE_EVERY: Duration = Duration::from_secs(1);

/// Upper limit of the other keys under which what is known of an area is looked up.
const MAX_ELSEWHERE: usize = 4;

/// How a batch is run.
#[derive(Debug)]
pub struct Options {
    /// The folder of solutions.
    pub out: PathBuf,
    /// Areas at a time, at least 1.
    pub jobs: usize,
    /// What each area may spend. Its listener is not used.
    pub budget: Run,
    /// What kind of plans.
    pub objective: Objective,
    /// Search also where earlier runs leave nothing to hope for.
    pub again: bool,
    /// Certify what is claimed of each area.
    pub certify: bool,
    /// Which part of the batch this is, for the names of its own files.
    pub shard: Shard,
}

sentence_error!(
    /// The reason why a planner did not search, or why a claim was not proven, in one sentence.
    PlannerError
);

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
        budget: &Run,
    ) -> Result<Answer, PlannerError>;

    /// Has others prove from the rules what they have found of an area. None where they prove nothing: then the
    /// batch does it itself.
    ///
    /// # Errors
    /// Why it is not proven, one sentence.
    fn certify(
        &self,
        task: &Task,
        objective: &Objective,
        budget: &Run,
    ) -> Option<Result<Certificate, PlannerError>> {
        let _ = (task, objective, budget);
        None
    }
}

/// Searches in this process: each worker has a pool of the budget's threads.
struct Here {
    pools: Vec<rayon::ThreadPool>,
}

impl Here {
    fn new(workers: usize, budget: &Run) -> Result<Self, BatchError> {
        let pools = (0..workers).map(|_| budget.limits.pool());
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
        budget: &Run,
    ) -> Result<Answer, PlannerError> {
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
    /// The measure of this run: see [`names::measure_names`].
    pub measure: &'static str,
    /// What is known of it now.
    pub record: Record,
    /// What this run did.
    pub change: Change,
    /// What should be said besides: a plan that did not hold, a fault of the planner.
    pub remarks: Vec<String>,
}

impl Row {
    /// The area's standing in the measure of this run.
    pub fn standing(&self) -> Standing {
        self.record.standing(self.measure)
    }
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
    /// There is a plan, or a better one, but its file could not be written.
    Unwritten,
    /// The run was stopped before it came to this area.
    NotBegun,
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
            Change::Unwritten => "not written".into(),
            Change::NotBegun => "not begun".into(),
        }
    }
}

/// What a batch came to.
#[derive(Debug)]
pub struct Report {
    /// One row for each area of the run, by key; those that it did not come to included.
    pub rows: Vec<Row>,
    /// All that is known of the folder of solutions, other runs' areas included.
    pub records: Records,
    /// What should be said of the run itself.
    pub remarks: Vec<String>,
}

/// Why a batch could not run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BatchError {
    /// Another process runs the same shard into the same folder.
    #[error("another batch is writing to {0}")]
    Busy(PathBuf),
    /// A file cannot be written.
    #[error("{0}: cannot be written: {1}")]
    Write(PathBuf, io::Error),
    /// A folder has neither a record nor an index: this would be its index.
    #[error("no folder of solutions: nothing is claimed in {0}")]
    NoClaims(PathBuf),
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

    let present: BTreeMap<&str, Fingerprint> =
        tasks.iter().map(|task| (task.key.as_str(), Fingerprint::of_area(&*task.area))).collect();
    let (records, remarks) = record::load(out, &present);
    let mut indexed: BTreeMap<String, Vec<index::Claim>> = BTreeMap::new();
    for claim in index::read(out) {
        indexed.entry(claim.key.clone()).or_default().push(claim);
    }
    let batch = Batch {
        tasks,
        options,
        watcher,
        planner,
        elsewhere: elsewhere(&records, &present),
        present,
        indexed,
        next: AtomicUsize::new(0),
        state: Mutex::new(State { records, rows: Vec::new(), saved: Instant::now() }),
    };
    let ended = batch.work();
    let report = batch.conclude(remarks);
    ended.and(report)
}

/// Under which other keys the areas of a run are known, for those that are.
fn elsewhere(
    records: &Records,
    present: &BTreeMap<&str, Fingerprint>,
) -> BTreeMap<Fingerprint, Vec<String>> {
    let mut keys: BTreeMap<Fingerprint, Vec<String>> =
        present.values().map(|&area| (area, Vec::new())).collect();
    for (key, record) in records {
        let keys = keys.get_mut(&record.area);
        if let Some(keys) = keys.filter(|keys| keys.len() < MAX_ELSEWHERE) {
            keys.push(key.clone());
        }
    }
    keys
}

/// Exclusive lock of an output folder for one shard; released on drop, or when the process ends.
struct Lock(std::fs::File);

impl Drop for Lock {
    /// Unlocks explicitly. Closing the file is not enough: a child process that another thread is starting
    /// shares the open file until it executes its program.
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

/// Locks the folder for this shard. `None` on a file system without locks, where concurrent runs are not
/// detected.
fn lock(out: &Path, tag: &str) -> Result<Option<Lock>, BatchError> {
    let path = out.join(format!(".batch{tag}.lock"));
    let file = std::fs::File::create(&path).map_err(|error| BatchError::Write(path, error))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(Lock(file))),
        Err(std::fs::TryLockError::WouldBlock) => Err(BatchError::Busy(out.to_path_buf())),
        Err(std::fs::TryLockError::Error(_)) => Ok(None),
    }
}

/// A running batch.
struct Batch<'a> {
    tasks: &'a [Task],
    options: &'a Options,
    watcher: &'a Arc<dyn Watcher>,
    planner: &'a dyn Planner,
    /// Content of the areas of this run, by key.
    present: BTreeMap<&'a str, Fingerprint>,
    /// Keys under which each of these areas was known before.
    elsewhere: BTreeMap<Fingerprint, Vec<String>>,
    /// Claims of the index that was there, by the key of their area.
    indexed: BTreeMap<String, Vec<index::Claim>>,
    /// The first task that no thread has taken.
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
        while !self.options.budget.control.cancel.load(Ordering::Relaxed) {
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
        let mut remarks = Vec::new();
        let known = self.known(task, &mut remarks)?;
        let mut earlier = self.earlier(task);
        known.renew(task, &mut earlier, &mut remarks);
        let own = known.held.get(self.measure(task)).map(|held| &held.plan);
        let row = |record: Record, change, plan: Option<&Verified>, mut remarks| {
            let (key, measure) = (task.key.clone(), self.measure(task));
            let mut record = self.with_index(&key, record);
            if let Some(known) = record.measures.get_mut(measure) {
                self.certify(worker, task, known, plan, &mut remarks);
            }
            Ok(Row { key, measure, record, change, remarks })
        };
        if self.leaves_nothing(task, &earlier, &known) {
            let change = if own.is_some() { Change::Kept } else { Change::Without };
            return row(earlier, change, own, remarks);
        }
        let mut settled = self.search(worker, task, known.best.clone(), &mut remarks);
        let mut change = match (&settled.answer.plan, own) {
            (None, _) => Change::Without,
            (Some(_), None) => Change::New,
            (Some(plan), Some(own)) if plan.beats_in(own, self.objective().measure) => {
                Change::Better(own.length(self.objective().measure))
            }
            (Some(_), Some(_)) => Change::Searched,
        };
        if let (Change::New | Change::Better(_), Some(plan)) = (change, &settled.answer.plan)
            && let Err(error) = self.write(task, plan)
        {
            remarks.push(format!("its plan cannot be written: {error}"));
            settled.answer.plan = own.cloned();
            change = Change::Unwritten;
        } else if change == Change::Searched {
            settled.answer.plan = own.cloned();
        }
        let plan = settled.answer.plan.as_ref();
        let recorded = plan.map(|plan| known.recorded(self.measure(task), plan));
        let record = self.record(task, &settled, recorded, earlier, &mut remarks);
        row(record, change, plan, remarks)
    }

    fn write(&self, task: &Task, plan: &Verified) -> io::Result<()> {
        let file = plan_file_in(&self.options.out, &task.key, self.measure(task));
        let tag = record::run_tag(&self.options.shard.tag());
        files::replace(&file, plan.text().as_bytes(), &tag)
    }

    fn objective(&self) -> &Objective {
        &self.options.objective
    }

    /// The name of the measure that plans of an area shall be short in.
    fn measure(&self, task: &Task) -> &'static str {
        measure_name(task.area.game(), self.objective().measure)
    }

    /// The plans of an area that are there and hold; those that do not hold are put aside.
    fn known(&self, task: &Task, remarks: &mut Vec<String>) -> Result<KnownPlans, BatchError> {
        let mut known = KnownPlans { held: BTreeMap::new(), best: None };
        for measure in measure_names(task.area.game()) {
            let file = plan_file_in(&self.options.out, &task.key, measure);
            let Some(held) = held_or_aside(task, &file, remarks)? else { continue };
            known.add(held.plan.clone(), self.objective().measure);
            known.held.insert(measure, held);
        }
        for key in self.other_keys(task) {
            for measure in measure_names(task.area.game()) {
                let file = plan_file_in(&self.options.out, key, measure);
                if let Ok(held) = held(task, &file) {
                    known.add(held.plan, self.objective().measure);
                }
            }
        }
        Ok(known)
    }

    /// The other keys under which an area was known before.
    fn other_keys(&self, task: &Task) -> impl Iterator<Item = &String> {
        let area = self.present[task.key.as_str()];
        let keys = self.elsewhere.get(&area).into_iter().flatten();
        keys.filter(|key| **key != task.key)
    }

    /// The record of earlier runs about the area's present content, under this key or another.
    fn earlier(&self, task: &Task) -> Record {
        let mut record = Record::new(self.present[task.key.as_str()], &*task.area);
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        for key in self.other_keys(task).chain([&task.key]) {
            if let Some(known) = state.records.get(key).filter(|known| known.area == record.area) {
                record.merge(known.clone());
            }
        }
        record
    }

    /// Adds to a record the bounds that the index had before this run.
    fn with_index(&self, key: &str, record: Record) -> Record {
        let Some(claims) = self.indexed.get(key) else { return record };
        let mut records = Records::from([(key.to_owned(), record.clone())]);
        index::raise_bounds(&self.options.out, &mut records, claims);
        records.remove(key).unwrap_or(record)
    }

    /// Whether searching again promises nothing.
    fn leaves_nothing(&self, task: &Task, earlier: &Record, known: &KnownPlans) -> bool {
        let given = Given::new(&self.options.budget, self.objective().prove);
        let measure = self.measure(task);
        let standing = earlier.standing(measure);
        let length =
            |plan: Option<&Verified>| plan.map(|plan| plan.length(self.objective().measure));
        let own = length(known.held.get(measure).map(|held| &held.plan));
        let is_settled = standing.is_optimal() || standing == Standing::Impossible;
        let was_given =
            earlier.measures.get(measure).is_some_and(|known| known.given.covers(&given));
        !self.options.again
            && standing.length() == own
            && own == length(known.best.as_ref())
            && (is_settled || was_given)
    }

    /// The budget of one area, with a listener that passes its progress on to the watcher.
    fn budget_of(&self, worker: usize) -> Run {
        let watcher = Arc::clone(self.watcher);
        let listener = Control::progress_listener(move |now| watcher.progress(worker, now));
        let cancel = Arc::clone(&self.options.budget.control.cancel);
        let control = Control { cancel, listener: Some(listener) };
        Run { control, ..self.options.budget.clone() }
    }

    /// Searches; a planner that panics has found nothing.
    fn search(
        &self,
        worker: usize,
        task: &Task,
        known: Option<Verified>,
        remarks: &mut Vec<String>,
    ) -> Settled {
        let budget = self.budget_of(worker);
        let (objective, text) = (self.objective(), known.as_ref().map(Verified::text));
        let work = || self.planner.plan(worker, task, objective, text, &budget);
        let answer = catch_unwind(AssertUnwindSafe(work))
            .unwrap_or_else(|_| Err(PlannerError::from("fault of the planner: it panicked")))
            .unwrap_or_else(|why| {
                remarks.push(why.to_string());
                Answer::nothing()
            });
        let settled = settle(&*task.area, answer, known, objective.measure);
        if let Some(error) = &settled.refused {
            let why = plan_error(error);
            remarks.push(format!("fault of the planner: the rules refuse its plan: {why}"));
        }
        settled
    }

    /// What is known now, from this run and earlier ones.
    fn record(
        &self,
        task: &Task,
        settled: &Settled,
        plan: Option<PlanRecord>,
        mut record: Record,
        remarks: &mut Vec<String>,
    ) -> Record {
        let measure = self.measure(task);
        let answer = &settled.answer;
        let mut now = Known {
            standing: answer.standing(),
            plan,
            seconds: answer.effort.elapsed.as_secs_f64(),
            given: Given::new(&self.options.budget, self.objective().prove),
            certificate: None,
        };
        if self.options.budget.control.cancel.load(Ordering::Relaxed) {
            now.given.seconds = 0.0;
        }
        if let Some(plan) = &answer.plan {
            drop_refuted(task, &mut record, plan, remarks);
        }
        if let Some(earlier) = record.measures.remove(measure) {
            if earlier.standing.length() == now.standing.length() && earlier.plan == now.plan {
                now.seconds = earlier.seconds;
            }
            now = now.with_bound_of(&earlier);
        }
        record.measures.insert(measure.into(), now);
        record
    }

    /// Writes the record and the index.
    fn conclude(self, remarks: Vec<String>) -> Result<Report, BatchError> {
        let Options { out, shard, .. } = self.options;
        let present = &self.present;
        let mut rows = self.all_rows();
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut records = state.records;
        record::drop_missing(out, &mut records, |key| present.contains_key(key));
        let earlier = index::read(out);
        index::raise_bounds(out, &mut records, &earlier);
        for row in &mut rows {
            // An area that was not begun may have another one's record under its key.
            let record = records.get(&row.key).filter(|record| record.area == row.record.area);
            if let Some(record) = record {
                row.record = record.clone();
            }
        }
        let save_error = |error| BatchError::Write(out.clone(), error);
        record::save(out, &shard.tag(), &records).map_err(save_error)?;
        if *shard == Shard::WHOLE {
            record::absorb_shards(out);
        } else {
            // Other shards may have come to an end since: the index is of all.
            let (mut others, _) = record::load(out, present);
            record::drop_missing(out, &mut others, |_| false);
            for (key, record) in others {
                records.entry(key).or_insert(record);
            }
        }
        index::write(out, &records, &earlier, &record::run_tag(&shard.tag()))
            .map_err(save_error)?;
        Ok(Report { rows, records, remarks })
    }

    /// The rows of all areas, by key.
    fn all_rows(&self) -> Vec<Row> {
        let mut rows = {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::take(&mut state.rows)
        };
        let begun: BTreeSet<String> = rows.iter().map(|row| row.key.clone()).collect();
        let left = self.tasks.iter().filter(|task| !begun.contains(&task.key));
        rows.extend(left.map(|task| Row {
            key: task.key.clone(),
            measure: self.measure(task),
            record: self.earlier(task),
            change: Change::NotBegun,
            remarks: Vec::new(),
        }));
        rows.sort_by(|a, b| a.key.cmp(&b.key));
        rows
    }
}

/// The plans of an area that are known before it is searched.
struct KnownPlans {
    /// Plans in the area's own files, by measure: a better plan replaces that of its measure.
    held: BTreeMap<&'static str, Held>,
    /// The best plan in the measure of this run, whichever file it is from.
    best: Option<Verified>,
}

impl KnownPlans {
    /// Takes into the record that other plans were put into the area's files. What they refute is
    /// dropped; a plan of another length is worth another search.
    fn renew(&self, task: &Task, record: &mut Record, remarks: &mut Vec<String>) {
        for (&name, Held { plan, file }) in &self.held {
            drop_refuted(task, record, plan, remarks);
            let length = plan.length(measure_of(task, name));
            let Some(known) = record.measures.get_mut(name) else { continue };
            let renewed = PlanRecord::new(*file, plan);
            if known.plan.as_ref() != Some(&renewed) {
                if known.standing.length() != Some(length) {
                    known.given = Given::nothing();
                }
                known.standing = Standing::new(Some(length), known.standing.bound().unwrap_or(0));
                known.plan = Some(renewed);
            }
        }
    }

    /// The record of a measure's plan, with its file's text: that of before where the plan is, too.
    fn recorded(&self, measure: &str, plan: &Verified) -> PlanRecord {
        let held = self.held.get(measure).filter(|held| held.plan.text() == plan.text());
        let file = held.map_or_else(|| Fingerprint::of(&[plan.text()]), |held| held.file);
        PlanRecord::new(file, plan)
    }

    fn add(&mut self, plan: Verified, measure: Option<Measure>) {
        if self.best.as_ref().is_none_or(|best| plan.beats_in(best, measure)) {
            self.best = Some(plan);
        }
    }
}

/// The plan of a file.
struct Held {
    plan: Verified,
    /// The file's whole text, of which the plan may be a part.
    file: Fingerprint,
}

/// The plan of a file, where it holds.
fn held(task: &Task, file: &Path) -> Result<Held, PlanError> {
    let source = Source::read(file).map_err(PlanError::Unreadable)?;
    let plan = verify(&*task.area, &source)?;
    Ok(Held { plan, file: Fingerprint::of(&[&source.text]) })
}

/// The plan of a file, if there is one; one that does not hold is put aside.
fn held_or_aside(
    task: &Task,
    file: &Path,
    remarks: &mut Vec<String>,
) -> Result<Option<Held>, BatchError> {
    if !file.is_file() {
        return Ok(None);
    }
    let why = match held(task, file) {
        Ok(plan) => return Ok(Some(plan)),
        Err(error) => plan_error(&error),
    };
    match put_aside(task, file) {
        Ok(true) => {
            remarks.push(format!("the plan that was there did not hold and is put aside: {why}"));
            Ok(None)
        }
        Ok(false) => Ok(held(task, file).ok()),
        Err(error) => Err(BatchError::Write(file.into(), error)),
    }
}

/// Puts a plan that does not hold aside, and says whether it did: another shard that runs at the same
/// time may have done so before, or may have put a plan that holds in its place, which goes back there.
fn put_aside(task: &Task, file: &Path) -> io::Result<bool> {
    let mut aside = file.as_os_str().to_owned();
    aside.push(".");
    aside.push(INVALID);
    match std::fs::rename(file, &aside) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
        Ok(()) if held(task, Path::new(&aside)).is_ok() => {
            std::fs::rename(&aside, file)?;
            Ok(false)
        }
        Ok(()) => Ok(true),
    }
}

/// Drops the claims that a plan refutes, in each measure, and says so.
fn drop_refuted(task: &Task, record: &mut Record, plan: &Verified, remarks: &mut Vec<String>) {
    for (name, known) in &mut record.measures {
        let length = plan.length(measure_of(task, name));
        let claim = match known.standing.bound() {
            None => "there is no plan".into(),
            Some(bound) if bound > length => format!("no plan is shorter than {bound}"),
            Some(_) => continue,
        };
        remarks.push(format!("an earlier run claimed that {claim}; one of {length} is"));
        known.standing = Standing::new(known.standing.length(), 0);
    }
}

/// The measure of a name; none where the area's game has only one.
fn measure_of(task: &Task, name: &str) -> Option<Measure> {
    task.area.game().game().measure(name).ok()
}

/// Why a plan does not hold, in one line.
fn plan_error(error: &PlanError) -> String {
    match error {
        PlanError::Unreadable(diagnostic) => diagnostic.to_string(),
        PlanError::Refused(refusal) => format!("step {}: {}", refusal.step, refusal.reason),
    }
}
