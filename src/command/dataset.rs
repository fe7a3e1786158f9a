//! `outwit dataset`: positions with exact labels, as arrays for numpy.

use super::budget::LabelBudgetArgs;
use super::solve::{BAR_UNITS, usage};
use super::{Answered, Failure, output};
use clap::builder::RangedU64ValueParser;
use indicatif::{ProgressBar, ProgressStyle};
use outwit::batch::{self, files::replace, files::try_place};
use outwit::games::{Area, GameId};
use outwit::search::{Control, Listener, Progress};
use outwit::vector::{Dataset, MAX_POSITIONS, Region, Sampling, dataset};
use std::path::PathBuf;
use std::sync::Arc;

/// The most cells that are seen in one direction from the player.
const MAX_RADIUS: u64 = 1000;

/// Write positions with exact labels, as arrays for numpy: for learning by imitation, and for learning values
///
/// From each level positions are drawn that lie a few random steps away from a plan. Of each position a search
/// says how far it is to the end of the game, whether it is lost, and which step is best; what it cannot prove
/// within the budget is -1. `numpy.load` opens the file; its arrays have a row for each position:
///
/// observations: a code for each cell of the board, or of the window around the player; masks: 1 for each action
/// that the rules allow; best: an action that begins a plan of least cost; distances: that cost; lost: 1 if no
/// plan is left; levels: the place of the level, from 0. The array actions has the actions' names.
#[derive(clap::Args)]
#[command(after_long_help = "\
EXAMPLES
  outwit dataset areas/sokoban -o sokoban.npz
  outwit dataset areas/sokoban --positions 100 --measure moves -o moves.npz
  outwit dataset areas/robots --radius 4 --nodes 10000 -o robots.npz   # the same on any machine

The first Ctrl-C ends the work, and what is known by then is written.

EXIT CODE
  0 done; 2 bad input, be it one level of many: the others are used")]
pub struct Args {
    /// Folders and files of levels, all of one game
    #[arg(value_name = "LEVELS", required = true)]
    paths: Vec<PathBuf>,

    /// The file that is written
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,

    /// The game, where the path and the content leave it open
    #[arg(long, value_name = "GAME")]
    game: Option<GameId>,

    /// Positions for each level
    #[arg(long, value_name = "N", default_value_t = 32,
          value_parser = RangedU64ValueParser::<usize>::new().range(1..=MAX_POSITIONS as u64))]
    positions: usize,

    /// The most random steps by which a position leaves the plan of its level
    #[arg(long, value_name = "N", default_value_t = 4)]
    strays: u32,

    /// See the window around the player, this many cells in each direction, and not the board
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=MAX_RADIUS as i64))]
    radius: Option<u32>,

    /// The cost that is to be least, where the game has several measures
    #[arg(long, value_name = "MEASURE")]
    measure: Option<String>,

    #[command(flatten)]
    budget: LabelBudgetArgs,
}

pub fn run(args: &Args) -> Result<Answered, Failure> {
    let batch::Inputs { tasks, errors, .. } = batch::find(&args.paths, args.game);
    errors.iter().for_each(output::tell_diagnostic);
    let levels: Vec<Arc<dyn Area>> = tasks.into_iter().map(|task| task.area.into()).collect();
    let Some(first) = levels.first() else {
        return Err(if errors.is_empty() {
            Failure::Usage("no levels there".into())
        } else {
            Failure::Told
        });
    };
    let objective = first.game().game().objective(args.measure.as_deref()).map_err(usage)?;
    let cannot_write =
        |error| Failure::Usage(format!("{}: cannot be written: {error}", args.out.display()));
    try_place(&args.out).map_err(cannot_write)?;
    let bar = bar();
    let (run, plan) = args.budget.run(Some(listener(&bar)));
    let Args { positions, strays, .. } = *args;
    let sampling = Sampling { positions, strays, seed: run.limits.seed, plan };
    let region = args.radius.map_or_else(|| largest(&levels), |radius| Region::Window { radius });
    let made = dataset(&levels, region, &sampling, &objective, run.limits, &run.control);
    bar.finish_and_clear();
    let data = made.map_err(Failure::Usage)?;
    let archive = data.npz().map_err(cannot_write)?;
    replace(&args.out, &archive, "dataset").map_err(cannot_write)?;
    say(&data, levels.len());
    if run.control.is_cancelled() {
        output::say("interrupted: what was left is not there, or has no labels");
    }
    if errors.is_empty() { Ok(Answered::Yes) } else { Err(Failure::Told) }
}

/// Says how many positions there are, and how much is known of them.
fn say(data: &Dataset, levels: usize) {
    let count = |is_counted: fn(&(&i64, &i8)) -> bool| {
        data.distances.iter().zip(&data.lost).filter(is_counted).count()
    };
    let (known, lost) = (count(|(distance, _)| **distance >= 0), count(|(_, lost)| **lost == 1));
    let exact = 100.0 * (known + lost) as f64 / data.len().max(1) as f64;
    output::say(&format!(
        "{levels} levels, {} positions: {known} with their distance, {lost} lost, {exact:.1} % exact",
        data.len()
    ));
}

/// The board of as many rows and columns as the largest ones of some levels.
fn largest(levels: &[Arc<dyn Area>]) -> Region {
    let extents = levels.iter().map(|level| level.session().extent().0);
    let (rows, cols) =
        extents.fold((1, 1), |(rows, cols), extent| (rows.max(extent.rows), cols.max(extent.cols)));
    Region::Board { rows, cols }
}

fn bar() -> ProgressBar {
    let bar = ProgressBar::new(BAR_UNITS);
    let style = ProgressStyle::with_template("{elapsed:>4} {bar:20} {wide_msg}");
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

fn listener(bar: &ProgressBar) -> Listener {
    let bar = bar.clone();
    Control::progress_listener(move |progress: &Progress| {
        bar.set_position((progress.fraction.clamp(0.0, 1.0) * BAR_UNITS as f64) as u64);
        bar.set_message(progress.phase.clone());
    })
}
