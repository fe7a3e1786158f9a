//! `outwit solve --processes`, and the command that its children run.

use super::Bar;
use crate::command::{Answered, Failure, output};
use outwit::cluster::{MAX_PROCESSES, Processes, run_member};
use outwit::games::Area;
use outwit::search::{Budget, Cluster};
use std::sync::Arc;

/// One process of a search that several share; for `outwit solve --processes`, which starts it
#[derive(clap::Args)]
pub struct MemberArgs {}

/// Is one of the processes, until the search is over.
pub fn run(_: &MemberArgs) -> Result<Answered, Failure> {
    run_member().map_err(Failure::Usage)?;
    Ok(Answered::Yes)
}

/// What the command line says of processes.
#[derive(clap::Args)]
pub struct ProcessesArgs {
    /// Processes that search together: their memory counts together, --memory and --threads are those
    /// of each [last-of-us: proofs; monsters]
    #[arg(long, value_name = "N", help_heading = "Budget",
          value_parser = clap::value_parser!(u64).range(1..=MAX_PROCESSES))]
    processes: Option<u64>,

    /// Expansions that all processes make alike before they share out the search
    #[arg(long, value_name = "N", hide = true, requires = "processes")]
    opening: Option<u64>,
}

impl ProcessesArgs {
    /// The budget, with the processes that are wanted for an area. Where one of them is lost before
    /// they have found each other, this process plans alone.
    pub fn join(&self, area: &dyn Area, bar: &Bar, budget: &Budget) -> Result<Budget, Failure> {
        let Some(processes) = self.processes else { return Ok(budget.clone()) };
        if !area.is_shared() {
            let game = area.game();
            return Err(Failure::Usage(format!(
                "--processes: the planner of {game} has no search that processes share"
            )));
        }
        let bar = bar.0.clone();
        let warn = move |what: &str| bar.suspend(|| output::say(&format!("warning: {what}")));
        let many = (processes as usize, budget.threads);
        let cluster = match Processes::start(area, many, self.opening, Arc::new(warn.clone())) {
            Ok(cluster) => Some(Arc::new(cluster) as Arc<dyn Cluster>),
            Err(why) => {
                warn(&format!("{why}; planning goes on without the others"));
                None
            }
        };
        Ok(Budget { cluster, ..budget.clone() })
    }
}
