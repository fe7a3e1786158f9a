//! `outwit check`: is the claim of a certificate proven by the rules alone?

use super::budget::{CheckBudgetArgs, pool};
use super::input::{AreaArgs, refuse_two_stdins};
use super::output::{BAD, GOOD};
use super::solve::Bar;
use super::{Answered, Failure, output};
use outwit::certificate::{Certificate, Claim};
use outwit::check::{Certified, CheckError, check};
use outwit::diagnostic::Source;
use outwit::games::Area;
use serde_json::{Value, json};
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
    match checked {
        Ok(certified) => args.print_certified(area, &certified),
        // Nothing was found out: the area is beyond the checker.
        Err(error @ CheckError::Unsupported(_)) => Err(Failure::Usage(error.to_string())),
        Err(error) => args.print_refused(area, &certificate, &error),
    }
}

impl Args {
    fn print_certified(&self, area: &dyn Area, certified: &Certified) -> Result<Answered, Failure> {
        if self.json {
            self.print_json(
                area,
                certified.claim(),
                json!({
                    "certified": true,
                    "length": certified.length(),
                    "optimal": certified.is_optimal(),
                    "states": certified.states(),
                }),
            )?;
            return Ok(Answered::Yes);
        }
        let plan = match certified.length() {
            Some(length) => format!("; the plan has {length}"),
            None => String::new(),
        };
        let states = certified.states();
        output::print_styled(&format!("{GOOD}certified{GOOD:#}: {}{plan}", certified.claim()))?;
        output::say(&format!("{states} states closed"));
        Ok(Answered::Yes)
    }

    fn print_refused(
        &self,
        area: &dyn Area,
        certificate: &Certificate,
        error: &CheckError,
    ) -> Result<Answered, Failure> {
        let is_open = error.is_open();
        if self.json {
            let certified = if is_open { Value::Null } else { json!(false) };
            let why = json!({ "certified": certified, "reason": error.to_string() });
            self.print_json(area, certificate.claim, why)?;
        } else {
            output::print_styled(&format!("{BAD}not certified{BAD:#}: {error}"))?;
        }
        Ok(if is_open { Answered::OutOfBudget } else { Answered::No })
    }

    fn print_json(&self, area: &dyn Area, claim: Claim, mut value: Value) -> Result<(), Failure> {
        value["game"] = json!(area.game().name());
        value["area"] = json!(area.name());
        if let Some(level) = self.level {
            value["level"] = json!(level);
        }
        value["claim"] = json!(claim.to_string());
        Ok(output::print_json(&value)?)
    }
}
