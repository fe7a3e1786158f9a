//! The children of a parent: how they are started, told what to do, watched and ended.

use super::life::{Loss, Silence};
use super::message::{ParentMessage, ProcessMessage, Setup, Stop, read, write};
use super::{
    COMING, COMING_PART, HOSTS_COMING, Hosts, Known, LEAST_COMING, LOST, MEMBER_COMMAND, VERSION,
    Wanted,
};
use crate::games::Area;
use crate::search::cluster::Order;
use crate::search::{Clock, Outcome, Run, StopReason};
use serde::Serialize;
use std::io::{self, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// Bytes of a token that is drawn at random.
const TOKEN_BYTES: usize = 32;
/// Time between two looks at the clock.
const LOOK: Duration = Duration::from_millis(20);
/// Time limit for the children to end a search once they are told to.
const ENDING: Duration = Duration::from_secs(20);
/// Time limit for children that have lost another to end.
const GOING: Duration = Duration::from_secs(2);

/// A message of a child, by its number; none when its output has ended.
type Event = (usize, Option<ProcessMessage>);

/// The children that are there.
pub(super) struct Team {
    children: Vec<Child>,
    /// Input of each child, written by a thread of its own: a frozen child does not read.
    inputs: Vec<Sender<Vec<u8>>>,
    events: Receiver<Event>,
    /// Signs of life of each child.
    signs: Arc<[AtomicU64]>,
    threads: usize,
    /// The other processes that are no children, and this one.
    hosts: Option<Hosts>,
}

impl Drop for Team {
    fn drop(&mut self) {
        if self.hosts.is_some() {
            // The others end when the child ends by order, not by its death.
            (0..self.children.len()).for_each(|process| self.tell(process, &ParentMessage::End));
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

impl Team {
    /// Starts the children that are wanted, and has them meet each other and those on other machines.
    ///
    /// # Errors
    /// One sentence where they cannot be started, or a process does not connect.
    pub(super) fn meet(area: &dyn Area, wanted: Wanted, budget: &Run) -> Result<Team, String> {
        let (processes, hosts) = match wanted {
            Wanted::Children(processes) => (processes, None),
            Wanted::Hosts(hosts) => (1, Some(hosts)),
        };
        let mut team = Team::spawn(processes, budget.limits.threads)
            .map_err(|error| format!("cannot start {processes} processes: {error}"))?;
        let patience = match hosts {
            Some(_) => HOSTS_COMING,
            None => budget.limits.time.div_f64(COMING_PART).clamp(LEAST_COMING, COMING),
        };
        team.hosts = hosts;
        team.join(area, patience, &budget.control.cancel)?;
        Ok(team)
    }

    /// Number of searching threads in all children.
    pub(super) fn threads(&self) -> usize {
        self.threads
    }

    /// Starts the children, and a thread for each that hears what it tells.
    fn spawn(processes: usize, threads: usize) -> io::Result<Team> {
        let program = std::env::current_exe()?;
        let (teller, events) = channel();
        let signs: Arc<[AtomicU64]> = (0..processes).map(|_| AtomicU64::new(0)).collect();
        let mut team = Team {
            children: Vec::new(),
            inputs: Vec::new(),
            events,
            signs: Arc::clone(&signs),
            threads,
            hosts: None,
        };
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
            let (speak, lines) = channel();
            team.inputs.push(speak);
            if let (Some(input), Some(output)) = (input, output) {
                std::thread::Builder::new().spawn(move || pass_on(input, &lines))?;
                let (teller, signs) = (teller.clone(), Arc::clone(&signs));
                std::thread::Builder::new()
                    .spawn(move || hear(process, output, &teller, &signs))?;
            }
        }
        Ok(team)
    }

    /// Sends the children their setup, and waits until they are connected with each other.
    fn join(
        &mut self,
        area: &dyn Area,
        patience: Duration,
        cancel: &AtomicBool,
    ) -> Result<(), String> {
        let token = match &self.hosts {
            Some(hosts) => hosts.token_for(area, self.threads),
            None => rand::random::<[u8; TOKEN_BYTES]>().to_vec(),
        };
        let token: String = token.iter().map(|byte| format!("{byte:02x}")).collect();
        let processes = self.processes();
        for process in 0..self.children.len() {
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
            self.tell(process, &setup);
        }
        // A child's own patience ends first, and it knows who has not come.
        let end = Instant::now() + patience + GOING;
        let mut addresses = vec![None; self.children.len()];
        self.gather((end, cancel), |process, told| match told {
            ProcessMessage::Listening(address) => {
                addresses[process] = Some(address.to_string());
                true
            }
            _ => false,
        })?;
        let addresses = match &self.hosts {
            Some(hosts) => hosts.addresses.clone(),
            None => addresses.into_iter().flatten().collect(),
        };
        for process in 0..self.children.len() {
            self.tell(process, &ParentMessage::Addresses(addresses.clone()));
        }
        self.gather((end, cancel), |_, told| matches!(told, ProcessMessage::Ready))
    }

    /// Sends a child a message. A child that is gone, or does not listen, is noticed elsewhere.
    fn tell(&self, process: usize, message: &impl Serialize) {
        let mut line = Vec::new();
        if write(&mut line, message).is_ok() {
            let _ = self.inputs[process].send(line);
        }
    }

    /// Number of processes, children and others.
    fn processes(&self) -> usize {
        self.hosts.as_ref().map_or(self.children.len(), |hosts| hosts.addresses.len())
    }

    /// Waits until `take` has accepted a message of every child.
    fn gather(
        &mut self,
        (end, cancel): (Instant, &AtomicBool),
        mut take: impl FnMut(usize, ProcessMessage) -> bool,
    ) -> Result<(), String> {
        let mut missing: Vec<usize> = (0..self.children.len()).collect();
        while let Some(&first) = missing.first() {
            match self.events.recv_timeout(LOOK) {
                Ok((
                    process,
                    Some(told @ (ProcessMessage::Failed(_) | ProcessMessage::Lost(_))),
                )) => {
                    return Err(self.lost(process, Some(told)));
                }
                Ok((process, Some(told))) => {
                    if take(process, told) {
                        missing.retain(|&other| other != process);
                    }
                }
                Ok((process, None)) => return Err(self.lost(process, None)),
                Err(_) if cancel.load(Ordering::Relaxed) => {
                    return Err("an interrupt came before the processes have met".to_string());
                }
                Err(_) if Instant::now() < end => {}
                Err(_) => return Err(format!("process {first} has not come")),
            }
        }
        Ok(())
    }

    /// Has the children search, and waits for the outcome.
    ///
    /// # Errors
    /// A process is lost; what was known until then is in `known`.
    pub(super) fn search(
        &mut self,
        clock: &Clock,
        order: &Order,
        known: &mut Known,
    ) -> Result<Outcome<u64>, String> {
        let mut stopped: Option<Instant> = None;
        let mut silence = Silence::new(self.children.len());
        let mut seen = vec![0; self.children.len()];
        self.tell(0, &ParentMessage::Search(order.words()));
        loop {
            match self.events.recv_timeout(LOOK) {
                Ok((_, Some(ProcessMessage::Done(done)))) => {
                    return Ok(done.outcome());
                }
                Ok((
                    process,
                    Some(told @ (ProcessMessage::Failed(_) | ProcessMessage::Lost(_))),
                )) => {
                    return Err(self.lost(process, Some(told)));
                }
                Ok((_, Some(told))) => known.take(told, clock),
                Ok((process, None)) => return Err(self.lost(process, None)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(self.lost(0, None)),
            }
            silence.look(|process| {
                let now = self.signs[process].load(Ordering::Relaxed);
                std::mem::replace(&mut seen[process], now) != now
            });
            if let Some(loss) = silence.loss() {
                return Err(self.lost(loss.process, Some(ProcessMessage::Lost(loss))));
            }
            match (stopped, clock.should_stop(0, 0)) {
                (None, Some(stop)) => {
                    let cancelled = stop == StopReason::Cancelled;
                    let stop = if cancelled { Stop::Cancelled } else { Stop::Time };
                    self.tell(0, &ParentMessage::Stop(stop));
                    stopped = Some(Instant::now());
                    silence.end(true);
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
    fn lost(&mut self, first: usize, told: Option<ProcessMessage>) -> String {
        let why = match (told, &self.hosts) {
            (Some(ProcessMessage::Lost(loss)), hosts)
                if loss.silent.is_some() || hosts.is_some() =>
            {
                return self.named(loss);
            }
            (Some(ProcessMessage::Failed(why)), Some(_)) => return why,
            (Some(ProcessMessage::Failed(why)), None) => Some(why),
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
            match told {
                Some(ProcessMessage::Lost(loss)) if loss.silent.is_some() => {
                    return self.named(loss);
                }
                Some(ProcessMessage::Failed(why)) => {
                    reasons[process].get_or_insert(why);
                }
                _ => {}
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

    fn named(&self, loss: Loss) -> String {
        format!("process {} of {} {}", loss.process, self.processes(), loss.how())
    }
}

/// The end of a process as part of a sentence.
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

/// Passes messages on to a child, as long as it is there.
fn pass_on(mut input: ChildStdin, lines: &Receiver<Vec<u8>>) {
    for line in lines {
        if input.write_all(&line).and_then(|()| input.flush()).is_err() {
            return;
        }
    }
}

/// Passes on a child's messages, and notes its signs of life.
fn hear(process: usize, output: ChildStdout, teller: &Sender<Event>, signs: &[AtomicU64]) {
    let mut output = BufReader::new(output);
    loop {
        let told = read(&mut output).ok().flatten();
        if let Some(ProcessMessage::Alive) = told {
            signs[process].fetch_add(1, Ordering::Relaxed);
            continue;
        }
        let is_end = told.is_none();
        if teller.send((process, told)).is_err() || is_end {
            return;
        }
    }
}
