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

/// A later message of the parent to a process.
#[derive(Serialize, Deserialize)]
pub(super) enum ParentMessage {
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

/// A message of a process to the parent.
#[derive(Serialize, Deserialize)]
pub(super) enum ProcessMessage {
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
    verdict: Verdict,
    plan: Option<Vec<u64>>,
    cost: u64,
    bound: u64,
    expanded: u64,
    generated: u64,
    memory: usize,
    stopped: Option<StopReason>,
}

impl Done {
    pub(super) fn new(outcome: Outcome<u64>) -> Done {
        let Outcome { verdict, plan, cost, bound, effort } = outcome;
        let Statistics { expanded, generated, memory, stopped, .. } = effort;
        Done { verdict, plan, cost, bound, expanded, generated, memory, stopped }
    }

    /// The outcome, but for its time.
    pub(super) fn outcome(self) -> Outcome<u64> {
        let Done { verdict, plan, cost, bound, expanded, generated, memory, stopped } = self;
        let effort = Statistics { expanded, generated, memory, stopped, ..Statistics::default() };
        Outcome { verdict, plan, cost, bound, effort }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_comes_through_as_it_is_and_no_other_word_does() {
        for verdict in Verdict::ALL {
            for stopped in StopReason::ALL.map(Some).into_iter().chain([None]) {
                let effort = Statistics {
                    expanded: 9,
                    generated: 20,
                    memory: 300,
                    stopped,
                    ..Statistics::default()
                };
                let plan = (verdict == Verdict::Found).then(|| vec![3, 1, 2]);
                let outcome = Outcome { verdict, plan, cost: 7, bound: 5, effort };
                let mut line = Vec::new();
                write(&mut line, &ProcessMessage::Done(Done::new(outcome.clone())))
                    .expect("a line");
                let Ok(Some(ProcessMessage::Done(done))) = read(&mut &line[..]) else {
                    panic!("{line:?}")
                };
                assert_eq!(format!("{:?}", done.outcome()), format!("{outcome:?}"));
                let text = String::from_utf8(line).expect("JSON");
                let other = text.replace(verdict.name(), "perhaps");
                assert!(read::<ProcessMessage>(&mut other.as_bytes()).is_err(), "{other}");
            }
        }
    }
}
