//! `outwit verify`: does a plan hold, and if not, where it fails and why.

use super::input::{AreaArgs, AreaFile, pddl_of, refuse_two_stdins};
use super::output::{BAD, GOOD};
use super::{Answered, Failure, output};
use outwit::diagnostic::Source;
use outwit::games::{Area, Facts, PlanError, Refusal};
use outwit::verify::{Plans, Verified, verify, verify_level, verify_of};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Check a plan: `valid …`, or the first bad step, why, and the board there
///
/// The plan is replayed through the reference rules of the game, step by step. Of a collection the
/// plans of all levels that have one are checked, each told of in a line that begins with its level.
/// Plans of several levels stand below lines `; level N: TITLE`, as `outwit solve` prints them, or as
/// solutions beside boards, as in .sok files. Of several solutions of a level the best that holds
/// counts, and it is said.
#[derive(clap::Args)]
#[command(after_long_help = "\
EXAMPLES
  outwit verify areas/robots/sample-1.txt solutions/robots/sample-1.plan
  outwit solve areas/robots/sample-1.txt | outwit verify areas/robots/sample-1.txt - --json

  cat areas/sokoban/pull-7x8-*.xsb > levels.xsb           # a collection
  outwit verify levels.xsb solutions/sokoban/pull-7x8-2-1.plan --level 2
  outwit solve levels.xsb > levels.plans                  # below lines `; level 2: TITLE`
  outwit verify levels.xsb levels.plans                   # all of them
  outwit solve levels.xsb --format sok > solved.sok       # levels and solutions
  outwit verify solved.sok

  cat areas/monsters/subtask-g-blobs.txt solutions/monsters/subtask-g-blobs.plan > both.txt
  outwit verify both.txt --game monsters                  # an area and its keys in one file

  outwit export pddl areas/sokoban/pull-7x8-2-1.xsb \\
    --plan solutions/sokoban/pull-7x8-2-1.plan -o pddl    # what a PDDL planner reads and writes
  outwit verify areas/sokoban/pull-7x8-2-1.xsb pddl/plan --pddl

EXIT CODE
  0 the plan is valid, or each that there is; 1 one is not; 2 bad input, an unreadable plan included,
  or no plan at all")]
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
    refuse_two_stdins(("FILE", &args.area.file), ("PLAN", args.plan.as_deref()))?;
    let file = args.area.read()?;
    let plan = match &args.plan {
        Some(path) => Source::read(path)?,
        None => file.source.clone(),
    };
    if args.level.is_none() && file.collection.entries.len() > 1 && !args.pddl {
        return verify_collection(&file, &plan, args.json);
    }
    let area = file.level(args.level)?;
    let verified = match args.pddl {
        true => translated(area, &plan)?.and_then(|plan| verify(area, &plan)),
        false => verify_level(area, args.level, &plan),
    };
    let reporter = Reporter { area, level: None, json: args.json };
    match verified {
        Ok(verified) => reporter.valid(&verified),
        Err(PlanError::Refused(refusal)) => reporter.invalid(&refusal),
        Err(PlanError::Unreadable(diagnostic)) => Err(diagnostic.into()),
    }
}

/// Verifies the plans of all levels that have one.
fn verify_collection(file: &AreaFile, plan: &Source, json: bool) -> Result<Answered, Failure> {
    let entries = &file.collection.entries;
    let Some((_, area)) = file.collection.readable().next() else { return Err(Failure::Told) };
    let plans = Plans::read(&**area, plan)?;
    if !plans.names_areas() {
        // One plan, and it does not say of which level.
        file.level(None)?;
    }
    let (mut answered, mut count, mut is_failed) = (Answered::Yes, 0, false);
    for entry in entries {
        let area = match &entry.content {
            Ok(area) => &**area,
            Err(diagnostic) => {
                is_failed = true;
                output::tell_unreadable(entry.number, diagnostic, json);
                continue;
            }
        };
        let reporter = Reporter { area, level: Some(entry.number), json };
        let Some(verified) = verify_of(area, reporter.level, &plans) else {
            reporter.missing()?;
            continue;
        };
        count += 1;
        match verified {
            Ok(verified) => answered = answered.and(reporter.valid(&verified)?),
            Err(PlanError::Refused(refusal)) => {
                answered = answered.and(reporter.invalid(&refusal)?)
            }
            Err(PlanError::Unreadable(diagnostic)) => {
                is_failed = true;
                output::tell_failure(&diagnostic.into(), json);
            }
        }
    }
    let last = entries.len();
    if let Some(level) = plans.last_level().filter(|&level| level > last) {
        let message = format!("{}: a plan of level {level}: the levels are 1 to {last}", plan.name);
        return Err(Failure::Usage(message));
    }
    if count == 0 {
        return Err(Failure::Usage(format!("{}: there is no plan of any level in it", plan.name)));
    }
    if is_failed { Err(Failure::Told) } else { Ok(answered) }
}

/// A plan of PDDL actions in the game's own format.
fn translated(area: &dyn Area, plan: &Source) -> Result<Result<Source, PlanError>, Failure> {
    let pddl = pddl_of(area)?;
    Ok(pddl.read_plan(plan).map(|text| Source::new(plan.name.as_str(), text)))
}

/// Reports the result for one area.
struct Reporter<'a> {
    area: &'a dyn Area,
    /// Its number, where it is one of several that are told of.
    level: Option<usize>,
    json: bool,
}

impl Reporter<'_> {
    fn valid(&self, verified: &Verified) -> Result<Answered, Failure> {
        let validation = verified.validation();
        if self.json {
            self.print(json!({
                "valid": true,
                "length": validation.length,
                "facts": Facts::from(&*validation.facts),
                "remarks": validation.remarks,
            }))?;
            return Ok(Answered::Yes);
        }
        let mut line = format!("{}{GOOD}valid{GOOD:#} length {}", self.name(), validation.length);
        if !validation.facts.is_empty() {
            line += &format!(", {}", Facts::from(&*validation.facts));
        }
        output::print_styled(&line)?;
        for remark in &validation.remarks {
            output::say(&format!("{}{remark}", self.name()));
        }
        Ok(Answered::Yes)
    }

    fn invalid(&self, refusal: &Refusal) -> Result<Answered, Failure> {
        if self.json {
            self.print(json!({
                "valid": false,
                "step": refusal.step,
                "line": refusal.line.as_ref().map(|(line, _)| line),
                "text": refusal.line.as_ref().map(|(_, text)| text),
                "reason": refusal.reason,
                "board": refusal.board,
            }))?;
        } else {
            let name = self.name();
            output::print_styled(&format!("{name}{BAD}invalid{BAD:#} {refusal}"))?;
            output::print(&refusal.board)?;
        }
        Ok(Answered::No)
    }

    /// Reports that the text has no plan of the area.
    fn missing(&self) -> Result<(), Failure> {
        match self.json {
            true => self.print(json!({ "valid": null })),
            false => Ok(output::print(&format!("{}no plan", self.name()))?),
        }
    }

    /// `level 2: `, where there are several.
    fn name(&self) -> String {
        self.level.map_or(String::new(), |level| format!("level {level}: "))
    }

    /// Prints an object with what it is about.
    fn print(&self, mut value: Value) -> Result<(), Failure> {
        value["game"] = json!(self.area.game().name());
        value["area"] = json!(self.area.name());
        if let Some(level) = self.level {
            value["level"] = json!(level);
        }
        Ok(output::print_json(&value)?)
    }
}
