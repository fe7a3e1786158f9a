//! `outwit solve`: the plan on stdout, what is known of it on stderr.

#[cfg(feature = "cluster")]
pub mod processes;

use super::budget::{BudgetArgs, Defaults, pool};
use super::input::{AreaArgs, known_plan, refuse_two_stdins};
use super::{Answered, Failure, output};
use indicatif::{ProgressBar, ProgressStyle};
use outwit::games::{Area, UnknownMeasure};
use outwit::search::{Listener, Progress, Verdict};
use outwit::verify::{Settled, Verified, settle};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Find a plan for an area: the plan on stdout, the report on stderr
///
/// The plan is printed in the game's own format, ready to submit, after the reference rules have
/// accepted it. Of a collection all levels are solved, each plan below a line `; level N: TITLE`,
/// or the one that --level names. The first Ctrl-C ends the search with the best plan so far, the
/// second ends the program.
#[derive(clap::Args)]
#[command(after_long_help = "\
EXAMPLES
  outwit solve areas/last-of-us/area-0-sample.txt > sample.plan
  outwit solve areas/last-of-us/area-0-sample.txt --known sample.plan --time 60 > better.plan
  outwit solve - --game robots --time 1 --memory 256 --threads 2 < areas/robots/sample-1.txt
  outwit solve areas/robots/sample-1.txt --nodes 100000 --threads 1 --json | jq .length

  cat areas/sokoban/pull-7x8-*.xsb > levels.xsb           # a collection
  outwit solve levels.xsb --level 2 --optimal=moves

EXIT CODE
  0 there is a plan; 1 proven that there is none; 2 bad input; 3 none found in the budget")]
pub struct Args {
    #[command(flatten)]
    area: AreaArgs,

    #[command(flatten)]
    budget: BudgetArgs,

    /// Spend the budget on a proof that the plan is shortest; in a measure that the game knows
    #[arg(long, value_name = "MEASURE", num_args = 0..=1, require_equals = true,
          default_missing_value = "")]
    optimal: Option<String>,

    /// Solve only this level of a collection, counted from 1
    #[arg(long, value_name = "N")]
    level: Option<usize>,

    /// A valid plan that is known: the answer is never worse
    #[arg(long, value_name = "PLAN")]
    known: Option<PathBuf>,

    #[cfg(feature = "cluster")]
    #[command(flatten)]
    processes: processes::ProcessesArgs,

    /// Print everything as JSON on stdout, one object a line for each level
    #[arg(long)]
    pub json: bool,
}

pub fn run(args: &Args) -> Result<Answered, Failure> {
    refuse_two_stdins(("FILE", &args.area.file), ("--known", args.known.as_deref()))?;
    let file = args.area.read()?;
    let levels = file.levels(args.level)?;
    let many = levels.len() > 1;
    let known = match (&args.known, &levels[..]) {
        (None, _) => None,
        (Some(path), [(_, area)]) => Some(known_plan(*area, args.level, path)?),
        (Some(_), _) => {
            return Err(Failure::Usage("--known is one plan: say its --level".into()));
        }
    };
    let game = levels[0].1.game().game();
    let objective = game.objective(args.optimal.as_deref()).map_err(usage)?;
    let bar = Bar::new();
    let budget = args.budget.budget(&Defaults::default(), Some(bar.listener()));
    let pool = pool(&budget)?;
    let mut answered = Answered::Yes;
    for (number, area) in levels {
        if many && budget.cancel.load(Ordering::Relaxed) {
            return Ok(Answered::OutOfBudget);
        }
        let text = known.as_ref().map(Verified::text);
        #[cfg(feature = "cluster")]
        if args.processes.follow(area, budget.threads)? {
            continue;
        }
        #[cfg(feature = "cluster")]
        let budget = args.processes.join(area, &bar, &budget)?;
        let answer = pool.install(|| area.solve(&objective, text, &budget));
        bar.clear();
        let settled = settle(area, answer, known.clone(), objective.measure);
        print_settled(area, number, many, &settled, args.json)?;
        answered = answered.and(answer_of(&settled));
    }
    Ok(answered)
}

/// A measure that the game does not know is the caller's mistake.
pub fn usage(unknown: UnknownMeasure) -> Failure {
    Failure::Usage(unknown.to_string())
}

/// Prints a plan and its report.
pub fn print_settled(
    area: &dyn Area,
    number: usize,
    many: bool,
    settled: &Settled,
    json: bool,
) -> Result<(), Failure> {
    if json {
        return Ok(output::print_json(&output::settled_json(area, number, settled))?);
    }
    if many {
        output::print(&format!("; level {number}: {}", area.name()))?;
    }
    if let Some(plan) = &settled.answer.plan {
        output::print(plan.text())?;
    }
    output::say_settled(area, settled);
    Ok(())
}

/// The exit code of what a planner found out.
pub fn answer_of(settled: &Settled) -> Answered {
    match (&settled.answer.plan, settled.answer.verdict) {
        (Some(_), _) => Answered::Yes,
        (None, Verdict::Impossible) => Answered::No,
        (None, _) => Answered::OutOfBudget,
    }
}

/// One line on the terminal that tells how far a search is; nothing elsewhere.
pub struct Bar(ProgressBar);

impl Bar {
    /// A bar that is shown once a search tells something.
    pub fn new() -> Self {
        let bar = ProgressBar::new(BAR_UNITS);
        let style = ProgressStyle::with_template("{elapsed:>4} {bar:20} {wide_msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Bar(bar)
    }

    /// What a budget calls.
    pub fn listener(&self) -> Listener {
        let bar = self.0.clone();
        Arc::new(move |progress: &Progress| show(&bar, progress))
    }

    /// Takes the line away before something is printed.
    pub fn clear(&self) {
        self.0.finish_and_clear();
        self.0.reset();
    }
}

/// Steps of a full progress bar.
pub const BAR_UNITS: u64 = 1000;

/// Shows a search's progress on a bar of [`BAR_UNITS`] steps.
pub fn show(bar: &ProgressBar, progress: &Progress) {
    let best = progress.best.map_or("none yet".to_string(), |best| best.to_string());
    bar.set_position((progress.fraction.clamp(0.0, 1.0) * BAR_UNITS as f64) as u64);
    bar.set_message(format!(
        "{}: best {best}, bound {}, {} expanded",
        progress.phase, progress.bound, progress.nodes
    ));
}
