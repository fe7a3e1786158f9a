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
//! plans on alone. So it goes where a process is there and does nothing, or the network between two
//! has come apart: each gives the others signs of life (`life.rs`). A child whose parent is gone ends.

mod handshake;
mod life;
mod member;
mod message;
mod outbox;
mod team;

pub use member::{follow, run as run_member};

use crate::games::{Area, GameId};
use crate::search::beam::Beam;
use crate::search::cluster::{BeamRequest, Order, Request, Search};
use crate::search::{
    Clock, Cluster, Limits, Outcome, Progress, Run, Shared, Statistics, StopReason, Verdict,
};
use message::ProcessMessage;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use team::Team;

/// Upper limit of the processes of a cluster on one machine.
pub const MAX_PROCESSES: u64 = 64;
/// Upper limit of the processes on several machines.
pub const MAX_HOSTS: usize = 1024;
/// The hidden command that makes the program a child.
pub const MEMBER_COMMAND: &str = "member";
/// Exit code of a child that has lost another, or the parent.
const LOST: i32 = 70;
/// Version of the program: the processes of a cluster are all of one.
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Time limit for all processes to connect.
const COMING: Duration = Duration::from_secs(30);
/// Part of a search's time, one in this many, that the processes have at most to connect.
const COMING_PART: f64 = 2.0;
/// Lower limit of the time for the processes of one machine to connect.
const LEAST_COMING: Duration = Duration::from_secs(2);
/// Time limit to connect on several machines, which do not start at the same time.
const HOSTS_COMING: Duration = Duration::from_secs(120);
/// End of the message that a process has not come: why it may run all the same.
const OR_ANOTHER: &str = ", or is of another version, area, token or number of threads";

/// ParentMessage that a process was lost, and how: a part of a sentence.
pub type Warn = Arc<dyn Fn(&str) + Send + Sync>;

/// Why processes do not search together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ClusterError {
    /// The game's planner has no search for several processes.
    #[error("the planner of {0} has no search that processes share")]
    NoSharedSearch(GameId),
    /// A process cannot join the others: the reason.
    #[error("{0}")]
    NotJoined(String),
}

impl From<String> for ClusterError {
    fn from(reason: String) -> Self {
        ClusterError::NotJoined(reason)
    }
}

/// Whether the planner of an area's game has a search that processes share.
///
/// # Errors
/// [`ClusterError::NoSharedSearch`] where it has none.
pub fn check(area: &dyn Area) -> Result<(), ClusterError> {
    let game = area.game();
    let shared = game.game().shared_searches();
    shared.map(|_| ()).ok_or(ClusterError::NoSharedSearch(game))
}

/// The processes of a search on several machines.
#[derive(Clone, Debug)]
pub struct Hosts {
    /// Name or address and port of each process, on which it listens.
    pub addresses: Vec<String>,
    /// The number of this process, from 0.
    pub process: usize,
    /// Secret that all of the processes share.
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

/// The children of this process.
struct Processes {
    team: Mutex<Option<Team>>,
    /// Expansions that all make alike, where that is said.
    opening: Option<u64>,
    warn: Warn,
}

/// Which processes a search is to have.
#[derive(Debug)]
pub enum Wanted {
    /// This many children of this process.
    Children(usize),
    /// The first of several machines, with one child; the others are started by somebody else.
    Hosts(Hosts),
}

/// The budget with processes for an area, each with as many threads as the budget has. Those of this
/// machine start in the budget's time. Where one of them does not come, or is lost later, `warn` is
/// told, and this process plans alone. `opening` is that of [`crate::search::cluster::Request`].
pub fn join(
    budget: &Run,
    area: &dyn Area,
    wanted: Wanted,
    opening: Option<u64>,
    warn: &Warn,
) -> Run {
    let started = Instant::now();
    let is_local = matches!(wanted, Wanted::Children(_));
    let cluster = match Team::meet(area, wanted, budget) {
        Ok(team) => {
            let (team, warn) = (Mutex::new(Some(team)), Arc::clone(warn));
            Some(Arc::new(Processes { team, opening, warn }) as Arc<dyn Cluster>)
        }
        Err(why) => {
            warn(&why);
            None
        }
    };
    let spent = if is_local { started.elapsed() } else { Duration::ZERO };
    // However long that took, there is something left to plan in.
    let time =
        budget.limits.time.saturating_sub(spent).max(budget.limits.time.div_f64(COMING_PART));
    let limits = Limits { time, ..budget.limits };
    Run { cluster, limits, ..budget.clone() }
}

impl Cluster for Processes {
    fn astar_below(&self, space: &[u64], clock: &Clock, upper: u64) -> Shared {
        let Limits { nodes, memory, .. } = clock.limits;
        self.search(space, clock, upper, |team| {
            let memory = memory / team.threads();
            Search::Astar(Request { upper, nodes, memory, opening: self.opening })
        })
    }

    fn beam(
        &self,
        space: &[u64],
        clock: &Clock,
        beam: &Beam,
        upper: Option<u64>,
        is_widening: bool,
    ) -> Shared {
        self.search(space, clock, upper.unwrap_or(u64::MAX), |team| {
            let request = BeamRequest::new(*beam, upper, &clock.limits, team.threads());
            Search::Beam(BeamRequest { is_widening, opening: self.opening, ..request })
        })
    }
}

impl Processes {
    /// Has the processes search a space for less than a cost.
    fn search(
        &self,
        space: &[u64],
        clock: &Clock,
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
    fn outcome(self, clock: &Clock) -> Outcome<u64> {
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

impl Known {
    fn take(&mut self, told: ProcessMessage, clock: &Clock) {
        match told {
            ProcessMessage::Standing { bound, best, expanded, memory } => {
                self.bound = self.bound.max(bound);
                (self.expanded, self.memory) = (expanded, memory);
                clock.tell_bound(self.bound);
                let limits = clock.limits;
                let time = clock.elapsed().as_secs_f64() / limits.time.as_secs_f64();
                let room = memory as f64 / limits.memory as f64;
                clock.tell(&Progress {
                    phase: "search by several processes".into(),
                    nodes: expanded,
                    best,
                    bound,
                    fraction: time.max(room).min(1.0),
                });
            }
            ProcessMessage::Plan { words, cost } => self.plan = Some((words, cost)),
            _ => {}
        }
    }
}
