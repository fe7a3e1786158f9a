//! `outwit compare`: what got shorter, longer, proven from one folder of solutions to another.

use super::read;
use crate::command::output::{BAD, GOOD};
use crate::command::{Answered, Failure, output, table};
use outwit::batch::compare::{Comparison, Difference};
use outwit::batch::index::Table;
use outwit::batch::names::suffix;
use outwit::games::Standing;
use serde_json::json;
use std::path::PathBuf;

/// Compare two folders of solutions: what got shorter, longer, solved, proven
///
/// Areas are matched by their content, each measure for itself. The folders are as `outwit batch` writes them, by
/// two builds or with two budgets; what they claim is compared, and nothing is searched again.
#[derive(clap::Args)]
#[command(after_long_help = "\
EXAMPLES
  outwit batch areas/robots --out before
  outwit batch areas/robots --out after --time 2
  outwit compare before after
  outwit compare before after --json | jq .counts

EXIT CODE
  0 the second folder is nowhere worse; 1 it is worse somewhere: a longer plan, a lost plan or proof, a lower
  bound, or a contradiction; 2 bad input")]
pub struct Args {
    /// The folder of solutions from before
    #[arg(value_name = "FIRST")]
    first: PathBuf,

    /// The folder that is compared with it
    #[arg(value_name = "SECOND")]
    second: PathBuf,

    /// Print everything as JSON on stdout
    #[arg(long)]
    pub json: bool,
}

pub fn run(args: &Args) -> Result<Answered, Failure> {
    let comparison = Comparison::new(&read(&args.first)?, &read(&args.second)?);
    if args.json {
        let mut value = json!(comparison);
        value["worse"] = json!(comparison.is_worse());
        value["counts"] = json!(comparison.counts());
        output::print_json(&value)?;
    } else {
        print(&comparison)?;
    }
    Ok(if comparison.is_worse() { Answered::No } else { Answered::Yes })
}

fn print(comparison: &Comparison) -> Result<(), Failure> {
    if !comparison.differences.is_empty() {
        let columns = ["area", "before", "after", "", "change"].map(String::from).to_vec();
        let rows = comparison.differences.iter().map(row).collect();
        output::print_styled(&(table::plain(&Table { columns, rows }) + "\n"))?;
    }
    let mut parts = vec![format!("{} the same", comparison.same)];
    for (change, count) in comparison.counts() {
        let style = if change.is_worse() { BAD } else { GOOD };
        parts.push(format!("{style}{count} {}{style:#}", change.name()));
    }
    for (keys, name) in [(&comparison.only_first, "first"), (&comparison.only_second, "second")] {
        if !keys.is_empty() {
            parts.push(format!("{} only in the {name} folder", keys.len()));
        }
    }
    Ok(output::print_styled(&parts.join(", "))?)
}

fn row(difference: &Difference) -> Vec<String> {
    let Difference { key, measure, before, after, changes } = difference;
    let is_usual = suffix(key, measure).is_empty();
    let name = if is_usual { key.clone() } else { format!("{key} ({measure})") };
    let by = match (before.length(), after.length()) {
        (Some(was), Some(is)) if was != is => {
            format!("{:+.1} %", 100.0 * (is as f64 - was as f64) / was.max(1) as f64)
        }
        _ => String::new(),
    };
    let changes: Vec<_> = changes.iter().map(|change| change.name()).collect();
    vec![name, short(*before), short(*after), by, changes.join(", ")]
}

/// A claim in a few characters: `97`, `97, bound 95`.
fn short(standing: Standing) -> String {
    match standing {
        Standing::Optimal { length } => format!("{length} proven"),
        Standing::Found { length, bound } => format!("{length}, bound {bound}"),
        Standing::Impossible => "no plan exists".into(),
        Standing::Unknown { bound } => format!("none, bound {bound}"),
    }
}
