//! `outwit solve --processes`, and the command that its children run.

use super::Bar;
use crate::command::{Answered, Failure, output};
use outwit::cluster::{Processes, run_member};
use outwit::games::Area;
use outwit::search::Budget;
use std::sync::Arc;

/// One process of a search that several share; for `outwit solve --processes`, which starts it
#[derive(clap::Args)]
pub struct MemberArgs {}

/// Is one of the processes, until the search is over.
pub fn run(_: &MemberArgs) -> Result<Answered, Failure> {
    run_member().map_err(Failure::Usage)?;
    Ok(Answered::Yes)
}

/// The budget, with the processes that the command line wants for an area.
pub fn join(
    processes: Option<u64>,
    area: &dyn Area,
    bar: &Bar,
    budget: &Budget,
) -> Result<Budget, Failure> {
    let Some(processes) = processes else { return Ok(budget.clone()) };
    if !area.is_shared() {
        let game = area.game();
        return Err(Failure::Usage(format!(
            "--processes: the planner of {game} has no search that processes share"
        )));
    }
    let bar = bar.0.clone();
    let warn = move |what: &str| bar.suspend(|| output::say(&format!("warning: {what}")));
    let cluster = Processes::start(area, processes as usize, budget.threads, Arc::new(warn));
    let cluster = cluster.map_err(Failure::Usage)?;
    Ok(Budget { cluster: Some(Arc::new(cluster)), ..budget.clone() })
}
