//! What a search may spend, as said on the command line; interrupts; thread pools.

use crate::command::signals::at_first_signal;
use crate::command::{Answered, Failure, output};
use outwit::games::GameId;
use outwit::search::{Control, Limits, Listener, Run, Setting, Settings};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The longest time that can be asked for, in seconds: a year.
const MAX_SECONDS: f64 = 31_536_000.0;
/// The most memory that can be asked for, in MiB: 16 TiB.
const MAX_MEBIBYTES: u64 = 1 << 24;
/// The most threads that can be asked for.
const MAX_THREADS: u64 = 1024;
/// The word in place of a name that asks for all names: of searches, and of the planner's numbers.
pub const LIST: &str = "list";

/// What a search may spend. The defaults are each command's own.
#[derive(clap::Args)]
pub struct BudgetArgs {
    #[arg(long, short, value_name = "S", value_parser = seconds, help_heading = "Budget", help = time_help())]
    time: Option<f64>,

    #[arg(long, value_name = "MIB", help_heading = "Budget", help = memory_help(),
          value_parser = clap::value_parser!(u64).range(1..=MAX_MEBIBYTES))]
    memory: Option<u64>,

    #[arg(long, short = 'j', value_name = "N", help_heading = "Budget", help = threads_help(),
          value_parser = clap::value_parser!(u64).range(1..=MAX_THREADS))]
    threads: Option<u64>,

    /// Expansions for each area: the answer then does not depend on the speed of the machine
    #[arg(long, value_name = "N", help_heading = "Budget",
          value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,

    /// Seed of everything random in a search
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Budget")]
    seed: u64,

    /// Set a number of the planner for this run, as often as needed: for experiments. `outwit solve FILE
    /// --set list` describes them all
    #[arg(long, value_name = "NAME=VALUE", hide_short_help = true, help_heading = "Budget")]
    set: Vec<String>,
}

fn time_help() -> String {
    let (usual, batch) = (Defaults::default().seconds, Defaults::BATCH.seconds);
    format!("Wall time in seconds for each area [default: {usual}; batch: {batch}]")
}

fn memory_help() -> String {
    let (usual, batch) = (Defaults::default().mebibytes, Defaults::BATCH.mebibytes);
    format!("Memory in MiB for the searches of each area [default: {usual}; batch: {batch}]")
}

fn threads_help() -> String {
    let batch = Defaults::BATCH.threads;
    format!("Threads for each area [default: as many as the machine has; batch: {batch}]")
}

/// The values that hold where the command line says nothing.
pub struct Defaults {
    /// Wall time in seconds.
    pub seconds: f64,
    /// Memory in MiB.
    pub mebibytes: u64,
    /// Threads.
    pub threads: usize,
}

impl Defaults {
    /// The defaults of `outwit batch`. An area gets one thread because a batch solves several at once.
    pub const BATCH: Defaults = Defaults { seconds: 1.0, mebibytes: 256, threads: 1 };
}

/// The library's own.
impl Default for Defaults {
    fn default() -> Self {
        let Limits { time, memory, threads, .. } = Limits::default();
        Defaults { seconds: time.as_secs_f64(), mebibytes: (memory >> 20) as u64, threads }
    }
}

impl BudgetArgs {
    /// The budget, with a flag that the first interrupt raises.
    ///
    /// A time without `--time` is no limit where `--nodes` sets one: the answer shall not depend
    /// on the clock then.
    pub fn budget(&self, defaults: &Defaults, listener: Option<Listener>) -> Run {
        let seconds = match (self.time, self.nodes) {
            (Some(seconds), _) => seconds,
            (None, Some(_)) => MAX_SECONDS,
            (None, None) => defaults.seconds,
        };
        let mebibytes = self.memory.unwrap_or(defaults.mebibytes);
        let limits = Limits {
            time: Duration::from_secs_f64(seconds),
            memory: usize::try_from(mebibytes << 20).unwrap_or(usize::MAX),
            nodes: self.nodes,
            threads: self.threads.map_or(defaults.threads, |n| n as usize),
            seed: self.seed,
        };
        let control = Control { cancel: cancel_on_interrupt(), listener };
        Run { control, ..Run::from(limits) }
    }

    /// Whether only the numbers that can be set are asked for.
    pub fn asks_for_settings(&self) -> bool {
        self.set.iter().any(|text| text == LIST)
    }

    /// The numbers that are set; each of these games must have them.
    pub fn settings(&self, games: impl IntoIterator<Item = GameId>) -> Result<Settings, Failure> {
        let mut settings = Settings::default();
        for game in games {
            let numbers = game.game().settings();
            for text in &self.set {
                let failure = |error| Failure::Usage(format!("--set: {game}: {error}"));
                settings.set(&numbers, text).map_err(failure)?;
            }
        }
        Ok(settings)
    }
}

/// The budget of a check.
#[derive(clap::Args)]
pub struct CheckBudgetArgs {
    /// Wall time in seconds [default: no limit]
    #[arg(long, short, value_name = "S", value_parser = seconds, help_heading = "Budget")]
    time: Option<f64>,

    #[arg(long, value_name = "MIB", help_heading = "Budget", help = check_memory_help(),
          value_parser = clap::value_parser!(u64).range(1..=MAX_MEBIBYTES))]
    memory: Option<u64>,

    /// Threads [default: as many as the machine has]
    #[arg(long, short = 'j', value_name = "N", help_heading = "Budget",
          value_parser = clap::value_parser!(u64).range(1..=MAX_THREADS))]
    threads: Option<u64>,
}

fn check_memory_help() -> String {
    format!("Memory in MiB for the closed states [default: {}]", Defaults::default().mebibytes)
}

impl CheckBudgetArgs {
    /// The budget, with a flag that the first interrupt raises.
    pub fn run(&self, listener: Option<Listener>) -> Run {
        let Self { time, memory, threads } = *self;
        let time = Some(time.unwrap_or(MAX_SECONDS));
        let all = BudgetArgs { time, memory, threads, nodes: None, seed: 1, set: Vec::new() };
        all.budget(&Defaults::default(), listener)
    }
}

/// The budget of positions that are labelled.
#[derive(clap::Args)]
pub struct LabelBudgetArgs {
    /// Wall time in seconds for the label of a position
    #[arg(long, short, value_name = "S", value_parser = seconds, default_value_t = 0.1, help_heading = "Budget")]
    time: f64,

    /// Wall time in seconds for the plan of a level, along which its positions lie
    #[arg(long, value_name = "S", value_parser = seconds, default_value_t = 1.0, help_heading = "Budget")]
    plan_time: f64,

    /// Expansions for each search, in place of times: the answer then does not depend on the speed of the machine
    #[arg(long, value_name = "N", help_heading = "Budget",
          value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,

    #[arg(long, value_name = "MIB", help_heading = "Budget", help = label_memory_help(),
          value_parser = clap::value_parser!(u64).range(1..=MAX_MEBIBYTES))]
    memory: Option<u64>,

    /// Positions that are labelled at once, each on one thread [default: as many as the machine has cores]
    #[arg(long, short = 'j', value_name = "N", help_heading = "Budget",
          value_parser = clap::value_parser!(u64).range(1..=MAX_THREADS))]
    threads: Option<u64>,

    /// Seed of what is drawn
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Budget")]
    seed: u64,
}

fn label_memory_help() -> String {
    format!("Memory in MiB for each search [default: {}]", Defaults::default().mebibytes)
}

impl LabelBudgetArgs {
    /// The budget of a position's label, with a flag that the first interrupt raises, and the limits of the
    /// search for a level's plan.
    pub fn run(&self, listener: Option<Listener>) -> (Run, Limits) {
        let Self { time, plan_time, memory, threads, nodes, seed } = *self;
        // With a number of expansions the clock does not count.
        let seconds = |seconds| if nodes.is_some() { MAX_SECONDS } else { seconds };
        let time = Some(seconds(time));
        let all = BudgetArgs { time, memory, threads, nodes, seed, set: Vec::new() };
        let run = all.budget(&Defaults::default(), listener);
        let plan = Limits { time: Duration::from_secs_f64(seconds(plan_time)), ..run.limits };
        (run, plan)
    }
}

/// Prints the numbers of a game's planner that can be set.
pub fn print_settings(game: GameId) -> Result<Answered, Failure> {
    let mut lines = Vec::new();
    if game.game().settings().is_empty() {
        output::say(&format!("the planner of {game} has no number that can be set"));
        return Ok(Answered::Yes);
    }
    for Setting { name, unit, default, least, most, about } in game.game().settings() {
        lines.push(format!("{name}={default}    {unit}, {least} to {most}"));
        lines.push(format!("    {about}"));
    }
    output::print(&lines.join("\n"))?;
    Ok(Answered::Yes)
}

/// A pool of the budget's threads.
pub fn pool(budget: &Run) -> Result<rayon::ThreadPool, Failure> {
    let failure = |error| format!("cannot start {} threads: {error}", budget.limits.threads);
    budget.limits.pool().map_err(|error| Failure::Usage(failure(error)))
}

/// A flag that the first interrupt raises; the second ends the process at once.
fn cancel_on_interrupt() -> Arc<AtomicBool> {
    let cancel = Arc::new(AtomicBool::new(false));
    let raised = Arc::clone(&cancel);
    at_first_signal(move || raised.store(true, Ordering::Relaxed));
    cancel
}

fn seconds(word: &str) -> Result<f64, String> {
    match word.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= MAX_SECONDS => Ok(seconds),
        _ => Err(format!("not a time in seconds above 0, at most {MAX_SECONDS}")),
    }
}
