//! `outwit dataset`: positions with exact labels, as arrays for numpy.

use super::budget::LabelBudgetArgs;
use super::progress::Bar;
use super::{Answered, Failure, output};
use clap::builder::RangedU64ValueParser;
use outwit::batch::{self, files::replace, files::try_place};
use outwit::games::{Area, GameId};
use outwit::vector::{Dataset, MAX_POSITIONS, MAX_STRAYS, Region, Sampling, dataset};
use std::path::PathBuf;
use std::sync::Arc;

/// The most cells that are seen in one direction from the player.
const MAX_RADIUS: u64 = 1000;

/// Write positions with exact labels, as arrays for numpy: for learning by imitation, and for learning values
///
/// Positions are drawn from each level, a few random steps away from a plan. A search labels each one with its
/// distance to the end of the game, whether it is lost, and a best step; a label that cannot be proven within the
/// budget is -1. `numpy.load` opens the file; its arrays have a row for each position:
///
/// observations: a code for each cell of the board, or of the window around the player;
/// masks: 1 for each action that the rules allow;
/// best: an action that begins a plan of least cost;
/// distances: the least cost of a plan;
/// lost: 1 if there is no plan any more;
/// levels: the level's place in the list, from 0.
///
/// The array actions has the actions' names.
#[derive(clap::Args)]
#[command(after_long_help = "\
EXAMPLES
  outwit dataset areas/sokoban -o sokoban.npz
  outwit dataset areas/sokoban --positions 100 --measure moves -o moves.npz
  outwit dataset areas/robots --radius 4 --nodes 10000 -o robots.npz   # the same on any machine

The first Ctrl-C ends the work early: the positions labelled so far are written.

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
    #[arg(long, value_name = "N", default_value_t = 4,
          value_parser = clap::value_parser!(u32).range(0..=i64::from(MAX_STRAYS)))]
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
    let objective =
        first.game().game().objective(args.measure.as_deref()).map_err(Failure::usage)?;
    let cannot_write =
        |error| Failure::Usage(format!("{}: cannot be written: {error}", args.out.display()));
    try_place(&args.out).map_err(cannot_write)?;
    let bar = Bar::new();
    let (run, plan) = args.budget.run(Some(bar.listener_of_phases()));
    let Args { positions, strays, .. } = *args;
    let sampling = Sampling { positions, strays, seed: run.limits.seed, plan };
    let region =
        args.radius.map_or_else(|| Region::largest(&levels), |radius| Region::Window { radius });
    let made = dataset(&levels, region, &sampling, &objective, run.limits, &run.control);
    bar.clear();
    let data = made.map_err(Failure::usage)?;
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
    let plural = if levels == 1 { "" } else { "s" };
    output::say(&format!(
        "{levels} level{plural}, {} positions: {known} with their distance, {lost} lost, {exact:.1} % exact",
        data.len()
    ));
}
