//! What the parent and the processes of a cluster tell each other: a JSON object a line.

use super::life::Loss;
use crate::search::{Outcome, Statistics, StopReason, Verdict};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::{self, BufRead, Read, Write};
use std::net::SocketAddr;
use std::time::Duration;

/// Upper limit of a line, in bytes: a plan has at most some millions of actions.
const MAX_LINE: u64 = 1 << 28;

/// The first message to a process.
#[derive(Serialize, Deserialize)]
pub(super) struct Setup {
    /// The program's version: all processes must be of one.
    pub(super) version: String,
    pub(super) game: String,
    pub(super) name: String,
    pub(super) text: String,
    /// The process's number, from 0.
    pub(super) process: usize,
    /// Number of processes.
    pub(super) processes: usize,
    /// Threads of each process.
    pub(super) threads: usize,
    /// The token that all processes of the search share, in hexadecimal digits.
    pub(super) token: String,
    /// Address on which the process listens; any port of the loopback where none is given.
    pub(super) listen: Option<String>,
    /// Time limit to connect with the others.
    pub(super) patience: Duration,
}

/// A later message to a process.
#[derive(Serialize, Deserialize)]
pub(super) enum Told {
    /// The addresses on which the processes listen, by number.
    Addresses(Vec<String>),
    /// Search, all together, for what the words of an [`crate::search::cluster::Order`] say; only
    /// the first process gets them.
    Search(Vec<u64>),
    /// End the search early.
    Stop(Stop),
    /// No search follows.
    End,
}

/// A message of a process.
#[derive(Serialize, Deserialize)]
pub(super) enum Tells {
    /// The address on which it listens for the others.
    Listening(SocketAddr),
    /// It is connected with all.
    Ready,
    /// How far the search is.
    Standing { bound: u64, best: Option<u64>, expanded: u64, memory: u64 },
    /// The best plan so far.
    Plan { words: Vec<u64>, cost: u64 },
    /// How the search has ended.
    Done(Done),
    /// Why the process ends.
    Failed(String),
    /// It ends because another process is lost.
    Lost(Loss),
    /// Its workers get on.
    Alive,
}

/// Why a search is to end early.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Stop {
    Time,
    Cancelled,
}

/// An outcome, to be sent.
#[derive(Serialize, Deserialize)]
pub(super) struct Done {
    verdict: String,
    plan: Option<Vec<u64>>,
    cost: u64,
    bound: u64,
    expanded: u64,
    generated: u64,
    memory: usize,
    stopped: Option<String>,
}

impl Done {
    pub(super) fn new(outcome: Outcome<u64>) -> Done {
        let Outcome { verdict, plan, cost, bound, effort } = outcome;
        Done {
            verdict: verdict.name().to_string(),
            plan,
            cost,
            bound,
            expanded: effort.expanded,
            generated: effort.generated,
            memory: effort.memory,
            stopped: effort.stopped.map(|stop| stop.to_string()),
        }
    }

    /// The outcome; none where the words are not of this program.
    pub(super) fn outcome(self) -> Option<Outcome<u64>> {
        let verdicts = [Verdict::Optimal, Verdict::Found, Verdict::Impossible, Verdict::Unknown];
        let verdict = verdicts.into_iter().find(|verdict| verdict.name() == self.verdict)?;
        let stops =
            [StopReason::Time, StopReason::Memory, StopReason::Nodes, StopReason::Cancelled];
        let named = |name: &String| stops.into_iter().find(|stop| stop.to_string() == *name);
        let effort = Statistics {
            expanded: self.expanded,
            generated: self.generated,
            memory: self.memory,
            stopped: self.stopped.as_ref().and_then(named),
            ..Statistics::default()
        };
        Some(Outcome { verdict, plan: self.plan, cost: self.cost, bound: self.bound, effort })
    }
}

/// Writes a line.
pub(super) fn write(to: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    to.write_all(&line)?;
    to.flush()
}

/// Reads a line; none at the end.
pub(super) fn read<T: DeserializeOwned>(from: &mut impl BufRead) -> io::Result<Option<T>> {
    let mut line = String::new();
    match from.take(MAX_LINE).read_line(&mut line)? {
        0 => Ok(None),
        _ => Ok(Some(serde_json::from_str(&line)?)),
    }
}
