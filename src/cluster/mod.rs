//! One search by several processes; with the feature `cluster`.
//!
//! The parent plans as always. Where a planner comes to the search that it shares
//! ([`crate::search::astar_below_shared`], [`crate::search::beam_shared`],
//! [`crate::search::widening_shared`]), the parent has its children do it: processes of the same
//! program that have read the same area, each with tables of its own, so that their memory counts
//! together. They are joined by sockets on this machine's loopback, and told what to do on stdin by
//! lines of JSON.
//!
//! On several machines ([`Hosts`]) each process is started by somebody else, and has read the area by
//! itself. The first is a parent with one child; the others [`follow`].
//!
//! A child may die, for want of memory or by a signal. The others end then, too: their engine cannot
//! go on. The parent says which one it was, keeps the best plan and the bound that are known, and
//! plans on alone. A child whose parent is gone ends.

mod handshake;
mod member;
mod message;

pub use member::{follow, run as run_member};

use crate::games::Area;
use crate::search::beam::Beam;
use crate::search::cluster::{BeamRequest, Order, Request, Search};
use crate::search::{
    Budget, Clock, Cluster, Outcome, Progress, Shared, Statistics, StopReason, Verdict,
};
use message::{Setup, Stop, Tells, Told, read, write};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, BufReader};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The most processes of a cluster: all are on one machine.
pub const MAX_PROCESSES: u64 = 64;
/// The most processes on several machines.
pub const MAX_HOSTS: usize = 1024;
/// The hidden command that makes the program a child.
pub const MEMBER_COMMAND: &str = "member";
/// Exit code of a child that has lost another, or the parent.
const LOST: i32 = 70;
/// Processes are of one version.
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Who has not come by then does not come.
const COMING: Duration = Duration::from_secs(30);
/// The same on several machines, which do not start at the same time.
const HOSTS_COMING: Duration = Duration::from_secs(120);
/// Why a process may be there and yet not come.
const OR_ANOTHER: &str = ", or is of another version, area, token or number of threads";
/// Bytes of a token that is drawn.
const TOKEN_BYTES: usize = 32;
/// Between two looks at the clock.
const LOOK: Duration = Duration::from_millis(20);
/// How long the children may take to end a search that is to end.
const ENDING: Duration = Duration::from_secs(20);
/// How long children that have lost another may take to end.
const GOING: Duration = Duration::from_secs(2);

/// Told that a process was lost, and how: a part of a sentence.
pub type Warn = Arc<dyn Fn(&str) + Send + Sync>;

/// Whether the planner of an area's game has a search that processes share.
///
/// # Errors
/// One sentence where it has none.
pub fn check(area: &dyn Area) -> Result<(), String> {
    match area.is_shared() {
        true => Ok(()),
        false => Err(format!("the planner of {} has no search that processes share", area.game())),
    }
}

/// The processes of a search on several machines.
#[derive(Clone, Debug)]
pub struct Hosts {
    /// Name or address and port of each process, on which it listens.
    pub addresses: Vec<String>,
    /// The number of this process, from 0.
    pub process: usize,
    /// What all of them know, and nobody else.
    pub token: Vec<u8>,
}

impl Hosts {
    /// The token for an area: processes that do not search the same space do not meet.
    fn token_for(&self, area: &dyn Area, threads: usize) -> Vec<u8> {
        let mut hasher = DefaultHasher::new();
        let is_big_endian = cfg!(target_endian = "big");
        (VERSION, is_big_endian, area.game().to_string(), area.text(), threads).hash(&mut hasher);
        let mut token = self.token.clone();
        token.extend(hasher.finish().to_le_bytes());
        token
    }
}

/// What a child tells, or that it tells no more.
type Event = (usize, Option<Tells>);

/// The children of this process.
pub struct Processes {
    team: Mutex<Option<Team>>,
    /// Expansions that all make alike, where that is said.
    opening: Option<u64>,
    warn: Warn,
}

/// Those that are there.
struct Team {
    children: Vec<Child>,
    inputs: Vec<ChildStdin>,
    events: Receiver<Event>,
    threads: usize,
    /// Where the others are that are no children, and this one.
    hosts: Option<Hosts>,
}

impl Drop for Team {
    fn drop(&mut self) {
        if self.hosts.is_some() {
            // The others end when the child does as it is told, not by its death.
            self.inputs.iter_mut().for_each(|input| drop(write(input, &Told::End)));
            let end = Instant::now() + GOING;
            let has_ended = |child: &mut Child| !matches!(child.try_wait(), Ok(None));
            while Instant::now() < end && !self.children.iter_mut().all(has_ended) {
                std::thread::sleep(LOOK);
            }
        }
        for child in &mut self.children {
            // One that has ended cannot be killed.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Processes {
    /// Starts so many processes of this program for an area, each with so many threads. `opening` is
    /// that of [`crate::search::cluster::Request`].
    ///
    /// # Errors
    /// One sentence where they cannot be started, or do not find each other.
    pub fn start(
        area: &dyn Area,
        (processes, threads): (usize, usize),
        opening: Option<u64>,
        warn: Warn,
    ) -> Result<Processes, String> {
        let mut team = Team::spawn(processes, threads)
            .map_err(|error| format!("cannot start {processes} processes: {error}"))?;
        team.join(area)?;
        Ok(Processes { team: Mutex::new(Some(team)), opening, warn })
    }

    /// Starts the first process of several machines, with so many threads, and waits for the others.
    /// `opening` is as in [`Processes::start`].
    ///
    /// # Errors
    /// One sentence where it cannot be started, or somebody does not come.
    pub fn lead(
        area: &dyn Area,
        hosts: Hosts,
        (threads, opening): (usize, Option<u64>),
        warn: Warn,
    ) -> Result<Processes, String> {
        let mut team =
            Team::spawn(1, threads).map_err(|error| format!("cannot start a process: {error}"))?;
        team.hosts = Some(hosts);
        team.join(area)?;
        Ok(Processes { team: Mutex::new(Some(team)), opening, warn })
    }
}

impl Cluster for Processes {
    fn astar_below(&self, space: &[u64], clock: &Clock<'_>, upper: u64) -> Shared {
        let Budget { nodes, memory, .. } = *clock.budget;
        self.search(space, clock, upper, |team| {
            let memory = memory / team.threads;
            Search::Astar(Request { upper, nodes, memory, opening: self.opening })
        })
    }

    fn beam(
        &self,
        space: &[u64],
        clock: &Clock<'_>,
        beam: &Beam,
        upper: Option<u64>,
        is_widening: bool,
    ) -> Shared {
        self.search(space, clock, upper.unwrap_or(u64::MAX), |team| {
            let request = BeamRequest::new(*beam, upper, clock.budget, team.threads);
            Search::Beam(BeamRequest { is_widening, opening: self.opening, ..request })
        })
    }
}

impl Processes {
    /// Has the processes search a space for less than a cost.
    fn search(
        &self,
        space: &[u64],
        clock: &Clock<'_>,
        upper: u64,
        search: impl FnOnce(&Team) -> Search,
    ) -> Shared {
        let mut place = self.team.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(team) = place.as_mut() else { return Shared::Absent };
        let mut known = Known { upper, ..Known::default() };
        let order = Order { space: space.to_vec(), search: search(team) };
        match team.search(clock, &order, &mut known) {
            Ok(mut outcome) => {
                outcome.effort.elapsed = clock.elapsed();
                Shared::Done(outcome)
            }
            Err(lost) => {
                *place = None;
                (self.warn)(&lost);
                Shared::Lost(known.outcome(clock))
            }
        }
    }
}

/// What is known of a search that is not over.
#[derive(Default)]
struct Known {
    upper: u64,
    bound: u64,
    plan: Option<(Vec<u64>, u64)>,
    expanded: u64,
    memory: u64,
}

impl Known {
    /// The outcome where the processes are lost.
    fn outcome(self, clock: &Clock<'_>) -> Outcome<u64> {
        let effort = Statistics {
            expanded: self.expanded,
            elapsed: clock.elapsed(),
            memory: self.memory as usize,
            stopped: Some(StopReason::Cancelled),
            ..Statistics::default()
        };
        let bound = self.bound.min(self.upper);
        match self.plan {
            Some((plan, cost)) => {
                let verdict = if cost <= bound { Verdict::Optimal } else { Verdict::Found };
                Outcome { verdict, plan: Some(plan), cost, bound: bound.min(cost), effort }
            }
            None => Outcome::unknown(bound, effort),
        }
    }
}

impl Team {
    /// Starts the children, and a thread for each that hears what it tells.
    fn spawn(processes: usize, threads: usize) -> io::Result<Team> {
        let program = std::env::current_exe()?;
        let (teller, events) = channel();
        let mut team =
            Team { children: Vec::new(), inputs: Vec::new(), events, threads, hosts: None };
        for process in 0..processes {
            let mut command = Command::new(&program);
            command.arg(MEMBER_COMMAND).stdin(Stdio::piped()).stdout(Stdio::piped());
            command.stderr(Stdio::null());
            // An interrupt is for the parent, which tells the children.
            #[cfg(unix)]
            std::os::unix::process::CommandExt::process_group(&mut command, 0);
            let mut child = command.spawn()?;
            let (input, output) = (child.stdin.take(), child.stdout.take());
            team.children.push(child);
            team.inputs.extend(input);
            if let Some(output) = output {
                let teller = teller.clone();
                std::thread::Builder::new()
                    .spawn(move || hear(process, BufReader::new(output), &teller))?;
            }
        }
        Ok(team)
    }

    /// Tells the children what they are for, and waits until they have found each other.
    fn join(&mut self, area: &dyn Area) -> Result<(), String> {
        let token = match &self.hosts {
            Some(hosts) => hosts.token_for(area, self.threads),
            None => rand::random::<[u8; TOKEN_BYTES]>().to_vec(),
        };
        let token: String = token.iter().map(|byte| format!("{byte:02x}")).collect();
        let patience = if self.hosts.is_some() { HOSTS_COMING } else { COMING };
        let processes = self.processes();
        for (process, input) in self.inputs.iter_mut().enumerate() {
            let setup = Setup {
                version: VERSION.to_string(),
                game: area.game().to_string(),
                name: area.name().to_string(),
                text: area.text(),
                process,
                processes,
                threads: self.threads,
                token: token.clone(),
                listen: self.hosts.as_ref().map(|hosts| hosts.addresses[0].clone()),
                patience,
            };
            // One that is gone is found out below.
            let _ = write(input, &setup);
        }
        // A child's own patience ends first, and it knows who has not come.
        let end = Instant::now() + patience + GOING;
        let mut addresses = vec![None; self.children.len()];
        self.gather(end, |process, told| match told {
            Tells::Listening(address) => {
                addresses[process] = Some(address.to_string());
                true
            }
            _ => false,
        })?;
        let addresses = match &self.hosts {
            Some(hosts) => hosts.addresses.clone(),
            None => addresses.into_iter().flatten().collect(),
        };
        for input in &mut self.inputs {
            let _ = write(input, &Told::Addresses(addresses.clone()));
        }
        self.gather(end, |_, told| matches!(told, Tells::Ready))
    }

    /// How many processes there are, children or not.
    fn processes(&self) -> usize {
        self.hosts.as_ref().map_or(self.children.len(), |hosts| hosts.addresses.len())
    }

    /// Waits until every child has told what is waited for.
    fn gather(
        &mut self,
        end: Instant,
        mut take: impl FnMut(usize, Tells) -> bool,
    ) -> Result<(), String> {
        let mut missing: Vec<usize> = (0..self.children.len()).collect();
        while let Some(&first) = missing.first() {
            let left = end.saturating_duration_since(Instant::now());
            match self.events.recv_timeout(left) {
                Ok((process, Some(told @ (Tells::Failed(_) | Tells::Lost(_))))) => {
                    return Err(self.lost(process, Some(told)));
                }
                Ok((process, Some(told))) => {
                    if take(process, told) {
                        missing.retain(|&other| other != process);
                    }
                }
                Ok((process, None)) => return Err(self.lost(process, None)),
                Err(_) => return Err(format!("process {first} has not come")),
            }
        }
        Ok(())
    }

    /// Has the children search, and waits for the outcome.
    fn search(
        &mut self,
        clock: &Clock<'_>,
        order: &Order,
        known: &mut Known,
    ) -> Result<Outcome<u64>, String> {
        let mut stopped: Option<Instant> = None;
        // One that is gone is found out below.
        let _ = write(&mut self.inputs[0], &Told::Search(order.words()));
        loop {
            match self.events.recv_timeout(LOOK) {
                Ok((_, Some(Tells::Done(done)))) => {
                    return done.outcome().ok_or_else(|| "process 0 talks nonsense".to_string());
                }
                Ok((process, Some(told @ (Tells::Failed(_) | Tells::Lost(_))))) => {
                    return Err(self.lost(process, Some(told)));
                }
                Ok((_, Some(told))) => known.take(told, clock),
                Ok((process, None)) => return Err(self.lost(process, None)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(self.lost(0, None)),
            }
            match (stopped, clock.should_stop(0, 0)) {
                (None, Some(stop)) => {
                    let cancelled = stop == StopReason::Cancelled;
                    let stop = if cancelled { Stop::Cancelled } else { Stop::Time };
                    let _ = write(&mut self.inputs[0], &Told::Stop(stop));
                    stopped = Some(Instant::now());
                }
                (Some(since), _) if since.elapsed() > ENDING => {
                    return Err("the processes do not end".to_string());
                }
                _ => {}
            }
        }
    }

    /// Says who was lost, and how. The first that was heard to end, and perhaps why, need not be the
    /// first that did: others end because of it.
    fn lost(&mut self, first: usize, told: Option<Tells>) -> String {
        let why = match (told, &self.hosts) {
            (Some(Tells::Lost(other)), Some(_)) => {
                return format!("process {other} of {} is lost", self.processes());
            }
            (Some(Tells::Failed(why)), Some(_)) => return why,
            (Some(Tells::Failed(why)), None) => Some(why),
            _ => None,
        };
        let end = Instant::now() + GOING;
        let mut ends: Vec<Option<ExitStatus>> = vec![None; self.children.len()];
        while ends.iter().any(Option::is_none) && Instant::now() < end {
            for (child, status) in self.children.iter_mut().zip(&mut ends) {
                *status = status.or_else(|| child.try_wait().ok().flatten());
            }
            std::thread::sleep(LOOK / 4);
        }
        let mut reasons: Vec<Option<String>> = vec![None; self.children.len()];
        reasons[first] = why;
        while let Ok((process, told)) = self.events.try_recv() {
            if let Some(Tells::Failed(why)) = told {
                reasons[process].get_or_insert(why);
            }
        }
        let is_other = |status: ExitStatus| status.code() != Some(LOST);
        let by_signal = ends.iter().position(|end| end.is_some_and(|it| it.code().is_none()));
        let culprit = by_signal
            .or_else(|| reasons.iter().position(Option::is_some))
            .or_else(|| ends.iter().position(|end| end.is_some_and(is_other)));
        let process = culprit.unwrap_or(first);
        let how = match (&reasons[process], ends[process]) {
            (Some(why), _) if by_signal.is_none() => format!("has ended: {why}"),
            (_, Some(status)) => how_it_ended(status),
            (_, None) => "tells nothing more".to_string(),
        };
        format!("process {process} of {} {how}", self.processes())
    }
}

impl Known {
    fn take(&mut self, told: Tells, clock: &Clock<'_>) {
        match told {
            Tells::Standing { bound, best, expanded, memory } => {
                self.bound = self.bound.max(bound);
                (self.expanded, self.memory) = (expanded, memory);
                let budget = clock.budget;
                let time = clock.elapsed().as_secs_f64() / budget.time.as_secs_f64();
                let room = memory as f64 / budget.memory as f64;
                clock.tell(&Progress {
                    phase: "search by several processes".into(),
                    nodes: expanded,
                    best,
                    bound,
                    fraction: time.max(room).min(1.0),
                });
            }
            Tells::Plan { words, cost } => self.plan = Some((words, cost)),
            _ => {}
        }
    }
}

/// How a process has ended, as a part of a sentence.
fn how_it_ended(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("was ended by signal {signal}");
    }
    match status.code() {
        Some(code) => format!("has ended with exit code {code}"),
        None => "has ended".to_string(),
    }
}

/// Passes on what a child tells.
fn hear(process: usize, mut output: BufReader<std::process::ChildStdout>, teller: &Sender<Event>) {
    loop {
        let told = read(&mut output).ok().flatten();
        let is_end = told.is_none();
        if teller.send((process, told)).is_err() || is_end {
            return;
        }
    }
}
