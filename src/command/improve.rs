//! `outwit improve`: a valid plan in, a plan that is never longer out.

use super::budget::{BudgetArgs, Defaults, pool};
use super::input::{AreaArgs, known_plan, refuse_two_stdins};
use super::progress::Bar;
use super::{Answered, Failure, output};
use outwit::search::Run;
use outwit::verify::improve;
use std::path::PathBuf;

/// Shorten a valid plan: the better plan on stdout, the report on stderr
///
/// The answer is never longer than the plan that was given. A twentieth of the budget is for a
/// proof, so that the report has a bound in the same measure. The first Ctrl-C ends the search with
/// the best plan so far.
#[derive(clap::Args)]
#[command(after_long_help = "\
EXAMPLES
  outwit improve areas/robots/sample-1.txt solutions/robots/sample-1.plan > better.plan

  cat areas/sokoban/pull-7x8-*.xsb > levels.xsb           # a collection
  outwit improve levels.xsb solutions/sokoban/pull-7x8-2-1.plan --level 2 --measure moves --time 60
  outwit solve levels.xsb > levels.plans                  # plans of all levels
  outwit improve levels.xsb levels.plans --level 3 > better.plan

EXIT CODE
  0 the plan was valid, and the better one is printed; 2 bad input, or the plan is not valid")]
pub struct Args {
    #[command(flatten)]
    area: AreaArgs,

    /// File with a valid plan, or with plans of several levels; - for stdin
    #[arg(value_name = "PLAN")]
    plan: PathBuf,

    #[command(flatten)]
    budget: BudgetArgs,

    /// What shall get shorter, where the game has several measures
    #[arg(long, value_name = "MEASURE")]
    measure: Option<String>,

    /// The level of a collection that the plan is of, counted from 1
    #[arg(long, value_name = "N")]
    level: Option<usize>,

    /// Add a table to the report with a row for each search of the planner: its turns, expansions,
    /// memory, best plan and bound, and why it ended
    #[arg(long)]
    explain: bool,

    /// Print everything as JSON on stdout
    #[arg(long)]
    pub json: bool,
}

pub fn run(args: &Args) -> Result<Answered, Failure> {
    refuse_two_stdins(("FILE", &args.area.file), ("PLAN", Some(&args.plan)))?;
    let file = args.area.read()?;
    let area = file.level(args.level)?;
    let objective =
        area.game().game().objective(args.measure.as_deref()).map_err(Failure::usage)?;
    let known = known_plan(area, args.level, &args.plan)?;
    let settings = args.budget.settings([area.game()])?;
    let bar = Bar::new();
    let budget = args.budget.budget(&Defaults::default(), Some(bar.listener()));
    let budget = Run { settings, ..budget };
    let settled = pool(&budget)?.install(|| improve(area, &objective, known, &budget));
    bar.clear();
    if args.json {
        output::print_settled_json(None, (area, args.level.unwrap_or(1)), &settled)?;
        return Ok(Answered::Yes);
    }
    if let Some(plan) = settled.plan() {
        output::print(plan.text())?;
    }
    output::say_settled(None, area, &settled);
    if args.explain {
        output::say_searches(&settled.answer.searches);
    }
    Ok(Answered::Yes)
}
