//! Rounds of A*: states that are taken from the open list together, and expanded by all threads.
//!
//! What a round holds depends on how many states were expanded before and on how the search gets on
//! ([`RoundSizes`](super::round_sizes::RoundSizes)), and on nothing else. Its states are
//! expanded with the costs that they had when they were taken, and their successors are reached in
//! the order in which they were taken. So it makes no difference whether one thread works through it
//! slice by slice or all threads share larger slices ([`work`](super::work)). Which of the two is
//! faster is decided by the time that an expansion takes.

use super::super::clock::Instant;
use super::super::tables::Full;
use super::super::{Limits, Space, StopReason};
use super::team::Team;
use super::work::{Settled, Work};
use super::{AStar, FEW, POLL, SLOW};
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

/// Least time of a round, on one thread, for which a team is called together or its helpers are
/// woken up.
const WORTH_WAKING: Duration = Duration::from_micros(150);
/// Least time of work, on one thread, in which helpers take part that are awake.
const WORTH_SHARING: Duration = Duration::from_micros(15);
/// Time between two looks of a team at the clock, about.
const SLICE: Duration = Duration::from_millis(4);
/// Pieces of a slice for each thread: some take longer than others.
const PIECES: usize = 4;
/// States that one thread expands before it reaches their children.
const ALONE: usize = 64;
/// Least expansions that tell how long one takes.
const TELLING: usize = 16;

/// Why a search takes no further round.
pub(super) enum End {
    /// It is through or rests, or it is stopped.
    Search(Option<StopReason>),
    /// There is enough to do for several threads.
    Alone,
}

/// What an expansion takes.
#[derive(Debug)]
pub(super) struct Pace {
    /// Threads that may take part.
    pub(super) threads: usize,
    /// An expansion on one thread, where that was measured, in nanoseconds.
    one: Option<f64>,
}

impl Pace {
    pub(super) fn new(limits: &Limits) -> Self {
        let is_in_pool = rayon::current_thread_index().is_some();
        let most = if is_in_pool { rayon::current_num_threads() } else { usize::MAX };
        Pace { threads: limits.threads.min(most), one: None }
    }

    /// Notes the time that `expansions` expansions took, summed over the threads.
    fn note(&mut self, time: Duration, expansions: usize) {
        if expansions >= TELLING {
            let now = time.as_nanos() as f64 / expansions as f64;
            self.one = Some(self.one.map_or(now, |before| (3.0 * before + now) / 4.0));
        }
    }

    /// Time that `expansions` expansions take on one thread, as far as is known.
    fn time_of(&self, expansions: usize) -> Duration {
        Duration::from_nanos((self.one.unwrap_or(0.0) * expansions as f64) as u64)
    }

    /// How many of `states` states to expand together, and how many of them make a piece.
    fn shares(&self, states: usize) -> (usize, usize) {
        let each = SLICE.as_nanos() as f64 / self.one.unwrap_or(1.0).max(1.0);
        let slice = states.min((each as usize).max(PIECES).saturating_mul(self.threads));
        (slice, slice.div_ceil(PIECES * self.threads))
    }
}

impl<S: Space> AStar<'_, S> {
    /// Expands round after round until nothing below the best cost is open, the budget is spent, or
    /// there is enough to do for a team.
    pub(super) fn rounds(&mut self, team: Option<&Team<S>>) -> End {
        loop {
            if self.effort.expanded >= self.share && self.is_resting() {
                return End::Search(None);
            }
            if let Some(stop) = self.take_round() {
                return End::Search(Some(stop));
            }
            let round = self.work().taken.len();
            if round == 0 {
                return End::Search(None);
            }
            if let Err((stop, from)) = self.expand_round(team) {
                self.reopen(from);
                return End::Search(Some(stop));
            }
            self.space.learn();
            let is_long = self.pace.time_of(round) >= WORTH_WAKING;
            if is_long && team.is_none() && self.pace.threads > 1 {
                return End::Alone;
            }
        }
    }

    /// The tables; no helper has them between two phases.
    #[inline]
    pub(super) fn work(&mut self) -> &mut Work<S> {
        Arc::get_mut(&mut self.work).expect("the tables are at rest")
    }

    /// The lowest f of the open states. Entries of states that were reached more cheaply since go.
    pub(super) fn lowest(&mut self) -> Option<u32> {
        let work = Arc::get_mut(&mut self.work).expect("the tables are at rest");
        loop {
            let f = self.open.lowest()?;
            match self.open.top() {
                Some((h, waiting)) if work.cost(waiting.id) == f - h => return Some(f),
                _ => self.open.pop(),
            };
        }
    }

    /// Takes the states of the next round; none are left where the search is through.
    fn take_round(&mut self) -> Option<StopReason> {
        self.work().clear_taken();
        let limit = self.clock.limits.nodes.unwrap_or(u64::MAX);
        // Nobody asks for the lowest f while a round of it is not through.
        let f = self.lowest().filter(|&f| f < self.upper)?;
        if self.effort.expanded >= limit {
            self.turns = 0;
        }
        if let Some(stop) = self.look(f) {
            return Some(stop);
        }
        let expanded = self.effort.expanded;
        let most = self.round_sizes.most(expanded);
        let most = most.min(limit.saturating_sub(expanded)) as usize;
        let work = Arc::get_mut(&mut self.work).expect("the tables are at rest");
        self.f = f;
        let mut first = None;
        while work.taken.len() < most
            && let Some((h, waiting)) = self.open.pop()
        {
            let cost = f - h;
            if work.cost(waiting.id) == cost {
                work.take(waiting.id, cost, waiting.begun);
                first.get_or_insert(h);
            }
        }
        if let Some(h) = first {
            self.round_sizes.took(f, h);
        }
        None
    }

    /// Expands the states of a round. Where the budget is spent before, the answer says from which
    /// of them on none was expanded.
    fn expand_round(&mut self, team: Option<&Team<S>>) -> Result<(), (StopReason, usize)> {
        let mut at = 0;
        let round = self.work().taken.len();
        // Where a plan as cheap was found, the rest is of no use.
        while at < round && self.f < self.upper {
            if let Some(stop) = self.look(self.f) {
                return Err((stop, at));
            }
            let rest = round - at;
            let team = team.filter(|team| {
                let worth = if team.is_asleep() { WORTH_WAKING } else { WORTH_SHARING };
                self.pace.time_of(rest) >= worth
            });
            let (slice, settled) = match team {
                Some(team) => {
                    let (slice, grain) = self.pace.shares(rest);
                    self.turns = 0;
                    (slice, self.expand_together(at..at + slice, grain, team))
                }
                None => {
                    let slice = rest.min(1 + self.turns as usize).min(ALONE);
                    self.turns -= (slice - 1) as u64;
                    (slice, self.expand_alone(at..at + slice))
                }
            };
            let settled = settled.map_err(|Full| (StopReason::Memory, at))?;
            self.note(settled);
            at += slice;
        }
        Ok(())
    }

    /// Expands a slice of a round on this thread.
    fn expand_alone(&mut self, slice: Range<usize>) -> Result<Settled<S::Action>, Full> {
        let started = (slice.len() >= TELLING).then(Instant::now);
        let states = slice.len();
        let work = Arc::get_mut(&mut self.work).expect("the tables are at rest");
        let limits = (self.f, self.upper);
        let scratch = &mut self.scratch;
        let settled = work.settle_alone(self.space, slice, limits, scratch, &mut self.open);
        if let Some(started) = started {
            self.pace.note(started.elapsed(), states);
        }
        settled
    }

    /// Expands a slice of a round on all threads, in pieces of `grain` states.
    fn expand_together(
        &mut self,
        slice: Range<usize>,
        grain: usize,
        team: &Team<S>,
    ) -> Result<Settled<S::Action>, Full> {
        let started = Instant::now();
        let (states, limits) = (slice.len(), (self.f, self.upper));
        self.work().begin_together(slice, limits, grain);
        team.share(&mut self.work, self.space, &mut self.scratch);
        let settled = self.work().go_on_together()?;
        team.share(&mut self.work, self.space, &mut self.scratch);
        let work = Arc::get_mut(&mut self.work).expect("the tables are at rest");
        let settled = work.settle_together(settled, &mut self.open);
        self.pace.note(started.elapsed() * self.pace.threads as u32, states);
        settled
    }

    /// Takes over what came of a slice.
    fn note(&mut self, settled: Settled<S::Action>) {
        self.effort.expanded += settled.expanded;
        self.effort.generated += settled.generated;
        self.overflowed |= settled.overflowed;
        if let Some(best) = settled.best {
            self.upper = best.cost;
            self.best = Some(best);
        }
    }

    /// Takes back that states were taken from the open list, from one of the round on.
    fn reopen(&mut self, from: usize) {
        let work = Arc::get_mut(&mut self.work).expect("the tables are at rest");
        for taken in &work.taken[from..] {
            self.open.push(taken.cost, self.f - taken.cost, taken.waiting());
        }
    }

    /// Looks at the clock now and then.
    #[inline]
    fn look(&mut self, f: u32) -> Option<StopReason> {
        if self.turns == 0 {
            let before = self.polled;
            if let Some(stop) = self.poll(f) {
                return Some(stop);
            }
            self.turns = if self.polled > before + SLOW { FEW } else { POLL };
        }
        self.turns -= 1;
        None
    }
}
