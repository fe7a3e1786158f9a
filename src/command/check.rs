//! `outwit check`: is the claim of a certificate proven by the rules alone?

use super::budget::{CheckBudgetArgs, pool};
use super::input::{AreaArgs, refuse_two_stdins};
use super::output::{BAD, GOOD};
use super::progress::Bar;
use super::{Answered, Failure, output};
use outwit::certificate::Certificate;
use outwit::check::{CheckError, check};
use outwit::diagnostic::Source;
use outwit::games::Area;
use outwit::report::CheckReport;
use serde_json::json;
use std::path::PathBuf;

/// Check a certificate: `certified …`, or why its claim is not proven
///
/// A certificate says that no plan of an area is shorter than some length, or that there is none. It is checked
/// from the rules alone, by a program of its own that shares nothing with the planner that made the claim:
/// whatever the file holds, a false claim is not certified. `outwit solve AREA --optimal --certificate FILE`
/// writes one.
#[derive(clap::Args)]
#[command(after_long_help = "\
EXAMPLES
  outwit solve areas/sokoban/pull-7x8-2-1.xsb --optimal --certificate proof.cert > best.plan
  outwit check areas/sokoban/pull-7x8-2-1.xsb proof.cert
  outwit check areas/sokoban/pull-7x8-2-1.xsb proof.cert --json | jq .certified

EXIT CODE
  0 the claim is certified; 1 it is not: it is false, of another area, or not proven by the work that the
  certificate says is enough; 2 bad input; 3 the time or the memory ran out")]
pub struct Args {
    #[command(flatten)]
    area: AreaArgs,

    /// File with a certificate; - for stdin
    #[arg(value_name = "CERTIFICATE")]
    certificate: PathBuf,

    /// The level of a collection that the certificate is of, counted from 1
    #[arg(long, value_name = "N")]
    level: Option<usize>,

    #[command(flatten)]
    budget: CheckBudgetArgs,

    /// Print everything as JSON on stdout
    #[arg(long)]
    pub json: bool,
}

pub fn run(args: &Args) -> Result<Answered, Failure> {
    refuse_two_stdins(("FILE", &args.area.file), ("CERTIFICATE", Some(&args.certificate)))?;
    let file = args.area.read()?;
    let area = file.level(args.level)?;
    let certificate = Certificate::read(&Source::read(&args.certificate)?)?;
    let bar = Bar::new();
    let run = args.budget.run(Some(bar.listener()));
    let checked = pool(&run)?.install(|| check(area, &certificate, &run));
    bar.clear();
    // Nothing was found out where the area is beyond the checker.
    if let Err(error @ CheckError::Unsupported(_)) = &checked {
        return Err(Failure::Usage(error.to_string()));
    }
    let report = CheckReport::new(certificate.claim, &checked);
    match args.json {
        true => args.print_json(area, &report)?,
        false => print(&report)?,
    }
    Ok(match report.certified {
        Some(true) => Answered::Yes,
        Some(false) => Answered::No,
        None => Answered::OutOfBudget,
    })
}

fn print(report: &CheckReport) -> Result<(), Failure> {
    if let Some(reason) = &report.reason {
        output::print_styled(&format!("{BAD}not certified{BAD:#}: {reason}"))?;
        return Ok(());
    }
    let plan = match report.length {
        Some(length) => format!("; the plan has {length}"),
        None => String::new(),
    };
    output::print_styled(&format!("{GOOD}certified{GOOD:#}: {}{plan}", report.claim))?;
    output::say(&format!("{} states closed", report.states.unwrap_or(0)));
    Ok(())
}

impl Args {
    fn print_json(&self, area: &dyn Area, report: &CheckReport) -> Result<(), Failure> {
        let mut value = json!(report);
        value["game"] = json!(area.game().name());
        value["area"] = json!(area.name());
        if let Some(level) = self.level {
            value["level"] = json!(level);
        }
        Ok(output::print_json(&value)?)
    }
}
