//! `outwit verify`: does a plan hold, and if not, where it fails and why.

use super::input::{AreaArgs, pddl_of};
use super::output::{BAD, GOOD};
use super::{Answered, Failure, output};
use outwit::diagnostic::Source;
use outwit::games::{Area, PlanError, Refusal};
use outwit::verify::{Verified, verify};
use serde_json::json;
use std::path::PathBuf;

/// Check a plan: `valid …`, or the first bad step, why, and the board there
///
/// The plan is replayed through the reference rules of the game, step by step.
#[derive(clap::Args)]
#[command(after_long_help = "\
EXAMPLES
  outwit verify areas/robots/sample-1.txt solutions/robots/sample-1.plan
  outwit solve areas/robots/sample-1.txt | outwit verify areas/robots/sample-1.txt - --json

  cat areas/sokoban/pull-7x8-*.xsb > levels.xsb           # a collection
  outwit verify levels.xsb solutions/sokoban/pull-7x8-2-1.plan --level 2

  cat areas/monsters/subtask-g-blobs.txt solutions/monsters/subtask-g-blobs.plan > both.txt
  outwit verify both.txt --game monsters                  # an area and its keys in one file

  outwit export pddl areas/sokoban/pull-7x8-2-1.xsb \\
    --plan solutions/sokoban/pull-7x8-2-1.plan -o pddl    # what a PDDL planner reads and writes
  outwit verify areas/sokoban/pull-7x8-2-1.xsb pddl/plan --pddl

EXIT CODE
  0 the plan is valid; 1 it is not; 2 bad input, an unreadable plan included")]
pub struct Args {
    #[command(flatten)]
    area: AreaArgs,

    /// File with a plan in the game's own format; - for stdin. Left out, FILE holds both, where
    /// the game has such a form
    #[arg(value_name = "PLAN")]
    plan: Option<PathBuf>,

    /// The level of a collection that the plan is of, counted from 1
    #[arg(long, value_name = "N")]
    level: Option<usize>,

    /// The plan is one of PDDL actions: what a planner has made of `outwit export pddl`
    #[arg(long, requires = "plan")]
    pddl: bool,

    /// Print everything as JSON on stdout
    #[arg(long)]
    pub json: bool,
}

pub fn run(args: &Args) -> Result<Answered, Failure> {
    let file = args.area.read()?;
    let area = file.level(args.level)?;
    let plan = match &args.plan {
        Some(path) => Source::read(path)?,
        None => file.source.clone(),
    };
    let verified = match args.pddl {
        true => translated(area, &plan)?.and_then(|plan| verify(area, &plan)),
        false => verify(area, &plan),
    };
    match verified {
        Ok(verified) => tell_valid(area, &verified, args.json),
        Err(PlanError::Refused(refusal)) => tell_invalid(area, &refusal, args.json),
        Err(PlanError::Unreadable(diagnostic)) => Err(diagnostic.into()),
    }
}

/// A plan of PDDL actions in the game's own format.
fn translated(area: &dyn Area, plan: &Source) -> Result<Result<Source, PlanError>, Failure> {
    let pddl = pddl_of(area)?;
    Ok(pddl.read_plan(plan).map(|text| Source::new(plan.name.as_str(), text)))
}

fn tell_valid(area: &dyn Area, verified: &Verified, json: bool) -> Result<Answered, Failure> {
    let validation = verified.validation();
    if json {
        output::print_json(&json!({
            "valid": true,
            "game": area.game().name(),
            "area": area.name(),
            "length": validation.length,
            "facts": output::facts_json(&validation.facts),
        }))?;
    } else {
        let mut line = format!("{GOOD}valid{GOOD:#} length {}", validation.length);
        if !validation.facts.is_empty() {
            line += &format!(", {}", output::facts_line(&validation.facts));
        }
        output::print_styled(&line)?;
    }
    Ok(Answered::Yes)
}

fn tell_invalid(area: &dyn Area, refusal: &Refusal, json: bool) -> Result<Answered, Failure> {
    if json {
        output::print_json(&json!({
            "valid": false,
            "game": area.game().name(),
            "area": area.name(),
            "step": refusal.step,
            "line": refusal.line.as_ref().map(|(line, _)| line),
            "text": refusal.line.as_ref().map(|(_, text)| text),
            "reason": refusal.reason,
            "board": refusal.board,
        }))?;
    } else {
        let line = output::refusal_line(refusal);
        output::print_styled(&format!("{BAD}invalid{BAD:#} {line}"))?;
        output::print(&refusal.board)?;
    }
    Ok(Answered::No)
}
