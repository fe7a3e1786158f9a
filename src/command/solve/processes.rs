//! `outwit solve --processes`, and the command that its children run.

use crate::command::progress::Bar;
use crate::command::{Answered, Failure, INTERRUPTED};
use outwit::cluster::{
    Hosts, MAX_HOSTS, MAX_PROCESSES, Wanted, Warn, check, follow, join, run_member,
};
use outwit::games::{Area, GameId};
use outwit::search::Run;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Least number of characters of a token.
const LEAST_TOKEN: usize = 16;
/// Time between two looks whether an interrupt has come.
const LOOK: Duration = Duration::from_millis(50);

/// One process of a search that several share; for `outwit solve --processes`, which starts it
#[derive(clap::Args)]
pub struct MemberArgs {}

/// Is one of the processes, until the search is over.
pub fn run(_: &MemberArgs) -> Result<Answered, Failure> {
    run_member().map_err(Failure::usage)?;
    Ok(Answered::Yes)
}

/// What the command line says of processes.
#[derive(clap::Args)]
pub struct ProcessesArgs {
    #[arg(long, value_name = "N", help_heading = "Budget", help = processes_help(),
          value_parser = clap::value_parser!(u64).range(1..=MAX_PROCESSES))]
    processes: Option<u64>,

    /// File with a line HOST:PORT for each process of a search on several machines, where it listens.
    /// Each is started with the same area, --threads and token, and its own --process
    #[arg(long, value_name = "FILE", help_heading = "Budget", conflicts_with = "processes",
          requires_all = ["process", "token_file"])]
    hosts: Option<PathBuf>,

    /// Which line of --hosts this process is, from 0. The first plans and prints; the others search with
    /// it, print nothing and end when it does
    #[arg(long, value_name = "I", help_heading = "Budget", requires = "hosts")]
    process: Option<usize>,

    /// File with what the processes of --hosts show each other, at least 16 characters. It travels as it
    /// is: for networks that you trust
    #[arg(long, value_name = "FILE", help_heading = "Budget", requires = "hosts")]
    token_file: Option<PathBuf>,

    /// Expansions that all processes make alike before they share out the search
    #[arg(long, value_name = "N", hide = true)]
    opening: Option<u64>,
}

/// The help of `--processes`, with the games that have searches for it.
fn processes_help() -> String {
    let shared = |id: &GameId| Some(format!("{id}: {}", id.game().shared_searches()?));
    let shared: Vec<String> = GameId::ALL.iter().filter_map(shared).collect();
    format!(
        "Processes that search together: their memory counts together, --memory and --threads are \
         those of each. With --nodes and without --time the answer is that of one process, its \
         expansions included; proofs in Sokoban answer as with --processes 1 [{}]",
        shared.join("; ")
    )
}

impl ProcessesArgs {
    /// The budget, with the processes that are wanted for an area. Where one of them is lost before
    /// they have found each other, this process plans alone.
    pub fn join(&self, area: &dyn Area, bar: &Bar, budget: &Run) -> Result<Run, Failure> {
        let hosts = self.hosts()?;
        if self.processes.is_none() && hosts.is_none() {
            return Ok(budget.clone());
        }
        check(area).map_err(|why| Failure::Usage(format!("--processes: {why}")))?;
        let say = bar.say_above();
        let warn: Warn = Arc::new(move |why| {
            say(&format!("warning: {why}; planning goes on without the others"));
        });
        let children = Wanted::Children(self.processes.unwrap_or(1) as usize);
        let wanted = hosts.map_or(children, Wanted::Hosts);
        Ok(join(budget, area, wanted, self.opening, &warn))
    }

    /// Searches with the first process of several machines, where this is another one of them; whether
    /// it is.
    pub fn follow(&self, area: &dyn Area, budget: &Run) -> Result<bool, Failure> {
        match self.hosts()? {
            Some(hosts) if hosts.process > 0 => {
                check(area).map_err(|why| Failure::Usage(format!("--processes: {why}")))?;
                end_when(Arc::clone(&budget.control.cancel))?;
                follow(area, &hosts, budget.limits.threads).map_err(Failure::usage)?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    fn hosts(&self) -> Result<Option<Hosts>, Failure> {
        let (Some(list), Some(process), Some(token)) =
            (&self.hosts, self.process, &self.token_file)
        else {
            return Ok(None);
        };
        let addresses = addresses(list)?;
        let (path, many) = (list.display(), addresses.len());
        if many == 0 {
            return Err(Failure::Usage(format!("{path}: no line HOST:PORT for a process")));
        }
        if process >= many {
            return Err(Failure::Usage(format!(
                "--process: {process} is not below {many}, the lines of {path}"
            )));
        }
        let token = read(token)?.trim().as_bytes().to_vec();
        if token.len() < LEAST_TOKEN {
            return Err(Failure::Usage(format!(
                "--token-file: a token has at least {LEAST_TOKEN} characters"
            )));
        }
        Ok(Some(Hosts { addresses, process, token }))
    }
}

/// Ends this process when the flag is raised: its plan is not waited for.
fn end_when(is_raised: Arc<AtomicBool>) -> Result<(), Failure> {
    let watch = move || {
        while !is_raised.load(Ordering::Relaxed) {
            std::thread::sleep(LOOK);
        }
        std::process::exit(INTERRUPTED);
    };
    std::thread::Builder::new().spawn(watch)?;
    Ok(())
}

/// The addresses in a file, one a line.
fn addresses(path: &Path) -> Result<Vec<String>, Failure> {
    let mut addresses = Vec::new();
    for (number, line) in (1..).zip(read(path)?.lines()) {
        let line = line.trim();
        let port = line.rsplit_once(':').and_then(|(_, port)| port.parse::<u16>().ok());
        match port {
            _ if line.is_empty() => {}
            Some(_) if addresses.len() < MAX_HOSTS => addresses.push(line.to_string()),
            Some(_) => {
                let path = path.display();
                return Err(Failure::Usage(format!("{path}: more than {MAX_HOSTS} processes")));
            }
            None => {
                let path = path.display();
                return Err(Failure::Usage(format!("{path}:{number}: not a HOST:PORT: {line}")));
            }
        }
    }
    Ok(addresses)
}

fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path)
        .map_err(|error| Failure::Usage(format!("{}: cannot be read: {error}", path.display())))
}
