//! `outwit batch`: many areas, their plans in files.

use super::budget::{BudgetArgs, Defaults};
use super::progress::{BAR_UNITS, show};
use super::{Answered, Failure, output, table};
use indicatif::{HumanDuration, MultiProgress, ProgressBar, ProgressState, ProgressStyle};
use outwit::batch::{self, Change, Given, Inputs, Options, Report, Row, Shard};
use outwit::batch::{Task, Watcher, files, index, sok};
use outwit::diagnostic::visible;
use outwit::games::{Facts, Fingerprint, GameId, Objective, Standing};
use outwit::search::{Progress, Run, Settings, cores};
#[cfg(feature = "service")]
use outwit::store;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Folder in which areas are looked for.
pub const AREAS: &str = "areas";
/// Folder into which plans go.
pub const SOLUTIONS: &str = "solutions";
/// Upper limit of the bars of running areas.
const MAX_BARS: usize = 16;
/// Time between two looks at the bar of all areas.
const TICK: Duration = Duration::from_secs(1);
/// Number of areas on the queue at a time, unless told otherwise.
#[cfg(feature = "service")]
const QUEUED_AT_A_TIME: usize = 64;
/// Upper limit of the jobs in the queue at which a batch still adds one.
#[cfg(feature = "service")]
const MAX_QUEUED: u64 = 100_000;
/// Solve all areas in folders and files: plans in solutions/, an index of them, a summary
///
/// Each plan goes to OUT/GAME/NAME.plan, those of a collection to OUT/GAME/NAME/NNN-TITLE.plan,
/// and all are listed in OUT/INDEX.md, with those of earlier runs whose plans are there. A plan
/// that is there is kept unless a better one is found; one that does not hold is put aside as
/// NAME.plan.invalid. An area that is proven optimal, or was already given this budget, is not
/// searched again; where several measures are known, plans of others than the usual one are in
/// NAME.MEASURE.plan, and each measure has its own bounds. Two areas of one name get two files, told
/// apart by digits of their fingerprints. Files are whole at any moment: a run that was killed is taken up by the next
/// one. The first Ctrl-C ends all searches with their best plans, the second ends the program.
#[derive(clap::Args)]
#[command(after_long_help = "\
EXAMPLES
  outwit batch                                  # areas/ to solutions/
  outwit batch --time 30 --threads 2 --jobs 1   # longer, one area at a time
  outwit batch areas/sokoban --time 10 --out plans
  outwit batch areas/sokoban --sok solved.sok   # levels and solutions for other programs
  outwit batch --certify                        # certificates of what is proven, too
  outwit batch --shard 3/8                      # the third of eight processes or machines
  outwit batch --store postgres://outwit@db/outwit    # searched by `outwit worker`; where built in

EXIT CODE
  0 all have a plan; 1 some are proven to have none; 2 some could not be read; 3 for some none was
  found in the budget. What is first of 2, 3, 1 counts.")]
pub struct Args {
    /// Folders and files of areas [default: areas]
    #[arg(value_name = "DIR")]
    paths: Vec<PathBuf>,

    #[command(flatten)]
    budget: BudgetArgs,

    /// Areas at a time [default: cores / threads; with --store 64]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,

    /// Do only part I of N: together the parts are the whole, and no two share an area
    #[arg(long, value_name = "I/N", default_value_t = Shard::WHOLE)]
    shard: Shard,

    /// Folder of the plans and their index
    #[arg(long, value_name = "DIR", default_value = SOLUTIONS)]
    out: PathBuf,

    /// Write all levels with their solutions into one file besides, which other Sokoban programs open
    #[arg(long, value_name = "FILE")]
    sok: Option<PathBuf>,

    /// The game, where paths and contents leave it open
    #[arg(long, value_name = "GAME")]
    game: Option<GameId>,

    /// Spend each budget on a proof that the plan is shortest; in a measure that the game knows
    #[arg(long, value_name = "MEASURE", num_args = 0..=1, require_equals = true,
          default_missing_value = "")]
    optimal: Option<String>,

    /// Put the areas on the queue of this store, for `outwit worker` to search, and collect the
    /// plans: a file of SQLite, or postgres://USER@HOST/NAME
    #[cfg(feature = "service")]
    #[arg(long, value_name = "URL")]
    store: Option<outwit::store::Location>,

    /// File with the location of that store, so that a password stands on no command line
    #[cfg(feature = "service")]
    #[arg(long, value_name = "FILE", conflicts_with = "store")]
    store_file: Option<PathBuf>,

    /// Prove what is claimed of each area from the rules alone, in the same budget again, and write a
    /// certificate beside its plan: NAME.cert, which `outwit check` accepts. Where workers search, they prove, too
    #[arg(long)]
    certify: bool,

    /// Search also where earlier runs leave nothing to hope for
    #[arg(long)]
    again: bool,

    /// Print JSON on stdout, one object a line for each area, in place of the table
    #[arg(long)]
    pub json: bool,
}

pub fn run(args: &Args) -> Result<Answered, Failure> {
    let paths = if args.paths.is_empty() { vec![AREAS.into()] } else { args.paths.clone() };
    if paths.iter().any(|path| path.as_os_str() == "-") {
        return Err(Failure::Usage(
            "batch takes files and folders, since plans go by their names; `outwit solve -` solves \
             what comes on standard input"
                .into(),
        ));
    }
    let Inputs { tasks, errors, repeated, authors } = batch::find(&paths, args.game);
    errors.iter().for_each(output::tell_diagnostic);
    if repeated > 0 {
        output::say(&format!(
            "areas left out, as others of the same name are the same: {repeated}"
        ));
    }
    if tasks.is_empty() && errors.is_empty() {
        let names: Vec<_> = paths.iter().map(|path| path.display().to_string()).collect();
        return Err(Failure::Usage(format!("no areas in {}", names.join(", "))));
    }
    let mut objective = Objective::default();
    for task in &tasks {
        let game = task.area.game().game();
        objective = game.objective(args.optimal.as_deref()).map_err(Failure::usage)?;
    }
    if tasks.is_empty() {
        return Err(Failure::Told);
    }
    let tasks = args.shard.of(tasks);
    if args.sok.is_some() {
        sok::check(&tasks).map_err(|error| Failure::Usage(format!("--sok: {error}")))?;
    }
    let settings = args.settings(&tasks)?;
    let budget = Run { settings, ..args.budget.budget(&Defaults::BATCH, None) };
    let jobs = args.jobs.map_or(args.default_jobs(budget.limits.threads), usize::from).max(1);
    let bars = Bars::new(jobs.min(tasks.len()).min(MAX_BARS), tasks.len());
    let bars: Arc<dyn Watcher> = Arc::new(bars);
    let options = args.options(jobs, budget, objective);
    let report = args.search(&tasks, &options, &bars)?;
    drop(bars);
    tell(&report, args.json)?;
    if let Some(file) = &args.sok {
        write_shelf(&tasks, &authors, &args.out, file)?;
    }
    if !errors.is_empty() {
        output::say(&format!("inputs that could not be read: {}", errors.len()));
        return Err(Failure::Told);
    }
    let unwritten = count(&report, Change::Unwritten);
    if unwritten > 0 {
        output::say(&format!("plans that could not be written: {unwritten}"));
        return Err(Failure::Told);
    }
    Ok(report.rows.iter().map(answer_of).fold(Answered::Yes, Answered::and))
}

/// Writes all levels with their solutions into one file.
fn write_shelf(
    tasks: &[Task],
    authors: &BTreeMap<String, String>,
    out: &Path,
    file: &Path,
) -> Result<(), Failure> {
    let failed = |error: &dyn std::fmt::Display| {
        Failure::Usage(format!("{}: cannot be written: {error}", file.display()))
    };
    let shelf = sok::shelf(tasks, authors, out).map_err(|error| failed(&error))?;
    files::replace(file, shelf.text.as_bytes(), "sok").map_err(|error| failed(&error))?;
    let (count, solved) = (tasks.len(), shelf.solved);
    output::say(&format!("{}: solutions of {solved} of {count} levels", file.display()));
    Ok(())
}

impl Args {
    fn options(&self, jobs: usize, budget: Run, objective: Objective) -> Options {
        let Args { again, certify, shard, .. } = *self;
        Options { out: self.out.clone(), jobs, budget, objective, again, certify, shard }
    }

    /// The numbers that are set; the planners of all areas must have them.
    fn settings(&self, tasks: &[Task]) -> Result<Settings, Failure> {
        let games: BTreeSet<GameId> = tasks.iter().map(|task| task.area.game()).collect();
        let settings = self.budget.settings(games)?;
        self.refuse_settings_on_queue(&settings)?;
        Ok(settings)
    }

    /// Whether workers of a store are to search.
    #[cfg(feature = "service")]
    fn is_queued(&self) -> bool {
        self.store.is_some() || self.store_file.is_some()
    }

    /// Workers of a store plan with their own numbers.
    #[cfg(feature = "service")]
    fn refuse_settings_on_queue(&self, settings: &Settings) -> Result<(), Failure> {
        if settings.is_empty() || !self.is_queued() {
            return Ok(());
        }
        Err(Failure::Usage("--set: workers of a --store plan with their own numbers".into()))
    }

    #[cfg(not(feature = "service"))]
    fn refuse_settings_on_queue(&self, _: &Settings) -> Result<(), Failure> {
        Ok(())
    }

    #[cfg(not(feature = "service"))]
    fn default_jobs(&self, threads: usize) -> usize {
        cores() / threads
    }

    #[cfg(feature = "service")]
    fn default_jobs(&self, threads: usize) -> usize {
        if self.is_queued() { QUEUED_AT_A_TIME } else { cores() / threads }
    }

    #[cfg(not(feature = "service"))]
    fn search(
        &self,
        tasks: &[Task],
        options: &Options,
        bars: &Arc<dyn Watcher>,
    ) -> Result<Report, Failure> {
        batch::run(tasks, options, bars).map_err(Failure::usage)
    }

    #[cfg(feature = "service")]
    fn search(
        &self,
        tasks: &[Task],
        options: &Options,
        bars: &Arc<dyn Watcher>,
    ) -> Result<Report, Failure> {
        let location = match (&self.store, &self.store_file) {
            (Some(location), _) => location.clone(),
            (None, Some(file)) => store::Location::read(file).map_err(Failure::Usage)?,
            (None, None) => return batch::run(tasks, options, bars).map_err(Failure::usage),
        };
        let runtime = super::service::worker::runtime()?;
        let store = runtime.block_on(store::open(&location, store::REQUEST_CONNECTIONS));
        let queue = outwit::service::batch::OnQueue {
            store: store.map_err(Failure::usage)?,
            runtime: runtime.handle().clone(),
            max_queued: MAX_QUEUED,
            certifies: self.certify,
        };
        batch::run_with(tasks, options, bars, &queue).map_err(Failure::usage)
    }
}

fn answer_of(row: &Row) -> Answered {
    match row.standing() {
        _ if row.change == Change::NotBegun => Answered::OutOfBudget,
        Standing::Optimal { .. } | Standing::Found { .. } => Answered::Yes,
        Standing::Impossible => Answered::No,
        Standing::Unknown { .. } => Answered::OutOfBudget,
    }
}

fn count(report: &Report, change: Change) -> usize {
    report.rows.iter().filter(|row| row.change == change).count()
}

/// Names what the run did not come to.
fn tell_not_begun(report: &Report) {
    let left = report.rows.iter().filter(|row| row.change == Change::NotBegun);
    let names: Vec<&str> = left.map(|row| row.key.as_str()).collect();
    if !names.is_empty() {
        let all = report.rows.len();
        output::say(&format!("not begun, {} of {all}: {}", names.len(), names.join(", ")));
    }
}

/// Prints what a batch came to.
fn tell(report: &Report, json: bool) -> Result<(), Failure> {
    report.remarks.iter().for_each(|remark| output::say(&visible(remark)));
    tell_not_begun(report);
    if json {
        for row in &report.rows {
            output::print_json(&row_report(row))?;
        }
        return Ok(());
    }
    let width = table::room();
    let summaries = index::summaries(&report.rows);
    let several = summaries.len() > 1;
    for summary in summaries {
        output::print(&format!("{}: {}\n\n", summary.game, summary.sentence))?;
        output::print(&(table::fitting(summary, width) + "\n\n"))?;
    }
    if several {
        let claims: Vec<_> = report.rows.iter().map(index::claim_of).collect();
        output::print(&index::sentence(&claims.iter().collect::<Vec<_>>()))?;
    }
    Ok(())
}

/// The line of JSON for an area of a batch.
#[derive(Serialize)]
struct RowReport<'a> {
    key: &'a str,
    area: Fingerprint,
    facts: &'a Facts,
    measure: &'a str,
    #[serde(flatten)]
    standing: Standing,
    plan_facts: Option<&'a Facts>,
    seconds: Option<f64>,
    given: Option<&'a Given>,
    certified: bool,
    change: String,
    remarks: &'a [String],
}

fn row_report(row: &Row) -> RowReport<'_> {
    let known = row.record.measures.get(row.measure);
    let plan = known.and_then(|known| known.plan.as_ref());
    RowReport {
        key: &row.key,
        area: row.record.area,
        facts: &row.record.facts,
        measure: row.measure,
        standing: row.standing(),
        plan_facts: plan.map(|plan| &plan.facts),
        seconds: known.map(|known| known.seconds),
        given: known.map(|known| &known.given),
        certified: known.is_some_and(|known| known.certified().is_some()),
        change: row.change.words(),
        remarks: &row.remarks,
    }
}

/// A bar for each running area and one for all; plain lines where stderr is no terminal.
struct Bars {
    bars: Vec<ProgressBar>,
    all: ProgressBar,
    multi: MultiProgress,
    done: AtomicUsize,
    count: usize,
}

impl Bars {
    fn new(workers: usize, count: usize) -> Self {
        let multi = MultiProgress::new();
        let style = |template: &str| {
            ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
        };
        let bars = (0..workers).map(|_| {
            let bar = multi.add(ProgressBar::new(BAR_UNITS));
            bar.set_style(style("{prefix:32!} {bar:20} {wide_msg}"));
            bar
        });
        let bars = bars.collect();
        let all = multi.add(ProgressBar::new(count as u64));
        let left = |state: &ProgressState, out: &mut dyn Write| {
            if let Some(left) = time_left(state.elapsed(), state.pos(), state.len()) {
                // A bar that cannot be written is not shown.
                let _ = write!(out, ", about {} left", HumanDuration(left));
            }
        };
        let template = "{elapsed:>4} {bar:40} {pos}/{len} areas{left}";
        all.set_style(style(template).with_key("left", left));
        // The time goes on while all areas take long.
        all.enable_steady_tick(TICK);
        Bars { bars, all, multi, done: AtomicUsize::new(0), count }
    }
}

/// An estimate of the time that the rest takes: each area as long as one has taken so far. None before the first is
/// done, and after the last.
fn time_left(elapsed: Duration, done: u64, count: Option<u64>) -> Option<Duration> {
    let rest = count?.checked_sub(done).filter(|&rest| rest > 0 && done > 0)?;
    Duration::try_from_secs_f64(elapsed.as_secs_f64() * rest as f64 / done as f64).ok()
}

impl Watcher for Bars {
    fn started(&self, worker: usize, task: &Task) {
        if let Some(bar) = self.bars.get(worker) {
            bar.set_prefix(task.key.clone());
            bar.set_position(0);
            bar.set_message("");
        }
    }

    fn progress(&self, worker: usize, progress: &Progress) {
        if let Some(bar) = self.bars.get(worker) {
            show(bar, progress);
        }
    }

    fn finished(&self, _worker: usize, row: &Row) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        self.all.set_position(done as u64);
        let width = self.count.to_string().len();
        let mut line = format!("{done:width$}/{} {}: ", self.count, row.key);
        line += &match row.standing() {
            Standing::Optimal { length } => format!("{length}, optimal"),
            Standing::Found { length, bound } => format!("{length}, bound {bound}"),
            Standing::Impossible => "proven to have no plan".to_string(),
            Standing::Unknown { .. } => "none found".to_string(),
        };
        let change = row.change.words();
        if !change.is_empty() {
            line += &format!(" ({change})");
        }
        let remarks = row.remarks.iter();
        let remarks = remarks.map(|remark| format!("  {}: {}", row.key, visible(remark)));
        for line in std::iter::once(line).chain(remarks) {
            if self.multi.is_hidden() { output::say(&line) } else { drop(self.multi.println(line)) }
        }
    }
}

impl Drop for Bars {
    fn drop(&mut self) {
        self.bars.iter().for_each(ProgressBar::finish_and_clear);
        self.all.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_takes_as_long_as_what_is_done() {
        let left =
            |seconds, done, count| time_left(Duration::from_secs(seconds), done, Some(count));
        assert_eq!(left(10, 0, 4), None, "nothing is known yet");
        assert_eq!(left(10, 1, 4), Some(Duration::from_secs(30)));
        assert_eq!(left(10, 3, 4).map(|left| left.as_millis()), Some(3333));
        assert_eq!(left(10, 4, 4), None);
        assert_eq!(left(10, 5, 4), None);
        assert_eq!(time_left(Duration::MAX, 1, Some(u64::MAX)), None);
    }
}
