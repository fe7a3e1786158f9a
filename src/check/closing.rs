//! Closing states in order of their cost, until nothing is open.

use super::CheckError;
use crate::certificate::{Expander, Rulebook, Start, Step};
use crate::search::clock::Instant;
use crate::search::{Event, Progress, Run, StopReason};
use ahash::{HashMap, RandomState};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// States of the first round, which all threads expand together. The next one has twice as many, or half as many where the
/// last one has reached too much.
const FIRST_ROUND: usize = 64;
/// Upper limit of the states of a round.
const MAX_ROUND: usize = 4096;
/// Bytes of what a round has reached above which the next one is smaller.
const ROUND_BYTES: usize = 1 << 22;
/// A round is divided into this many parts for each thread.
const PARTS: usize = 4;
/// No state, in the index.
const EMPTY: u32 = u32::MAX;
/// Slots of an empty index.
const FIRST_SLOTS: usize = 1 << 10;
/// Least time between two reports of progress.
const REPORT_EVERY: Duration = Duration::from_millis(100);

/// Closes every state that no reason covers.
///
/// `limit` is the claimed cost; without one there is to be no plan at all. `most` is the upper limit of the states.
pub fn close(
    rulebook: &dyn Rulebook,
    limit: Option<u64>,
    most: u64,
    run: &Run,
) -> Result<States, CheckError> {
    // A claim that costs nothing says nothing.
    if limit == Some(0) {
        return Ok(States::default());
    }
    let no_plan = rulebook.most().checked_add(1);
    let limit = limit.map(|limit| no_plan.map_or(limit, |most| limit.min(most))).or(no_plan);
    let start = match rulebook.start() {
        Start::Goal => return Err(CheckError::False { cost: 0 }),
        Start::Lost => return Ok(States::default()),
        Start::State(start) => start,
    };
    let mut first = rulebook.expander();
    first.go_to(&start, limit.unwrap_or(u64::MAX));
    if first.costs_at_least(limit.unwrap_or(u64::MAX)) {
        return Ok(States::default());
    }
    drop(first);
    let threads = rayon::current_num_threads().max(1);
    let mut closing = Closing {
        rulebook,
        tables: rulebook.bytes(threads),
        states: States::default(),
        open: BTreeMap::new(),
        classes: HashMap::default(),
        limit,
        most,
    };
    closing.add(&start, 0)?;
    let expanders = (0..threads).map(|_| Mutex::new(rulebook.expander())).collect();
    let watch = Watch { run, started: Instant::now(), reported: None };
    closing.run(&expanders, watch)
}

type Expanders<'a> = Vec<Mutex<Box<dyn Expander + 'a>>>;

struct Closing<'a> {
    rulebook: &'a dyn Rulebook,
    /// Bytes that the rulebook holds.
    tables: usize,
    states: States,
    /// Numbers of states that are to be expanded, by cost. A state that was reached again at a lower cost is in two
    /// of these lists; the cost that counts is the one in `states`.
    open: BTreeMap<u64, Vec<u32>>,
    /// For each class, its states that have been expanded or are about to be.
    classes: HashMap<u32, Vec<u32>>,
    limit: Option<u64>,
    most: u64,
}

impl Closing<'_> {
    fn run(
        mut self,
        expanders: &Expanders<'_>,
        mut watch: Watch<'_>,
    ) -> Result<States, CheckError> {
        let mut size = FIRST_ROUND;
        // Steps cost at least 1: what has the least cost is complete when its turn comes.
        while let Some((cost, numbers)) = self.open.pop_first() {
            let numbers = self.uncovered(numbers, cost, &watch)?;
            let mut rest = &numbers[..];
            while !rest.is_empty() {
                let (round, later) = rest.split_at(size.min(rest.len()));
                rest = later;
                let part = round.len().div_ceil(PARTS * expanders.len()).max(1);
                let parts = round.par_chunks(part);
                let expand = |part| self.expand(part, cost, expanders, &watch);
                let reached: Vec<Reached> = parts.map(expand).collect();
                let bytes: usize = reached.iter().map(|part| part.bytes.len()).sum();
                size = match bytes > ROUND_BYTES {
                    true => size.div_ceil(2),
                    false => (2 * size).min(MAX_ROUND),
                };
                // A round that was broken off is not taken.
                let held = self.bytes() + bytes + numbers.len() * size_of::<u32>();
                watch.look(cost, self.limit, self.states.len(), held)?;
                self.take(&reached)?;
            }
        }
        Ok(self.states)
    }

    /// Bytes of the tables, about.
    fn bytes(&self) -> usize {
        let lists = self.open.values().chain(self.classes.values());
        let lists = lists.map(|list| list.capacity() * size_of::<u32>()).sum::<usize>();
        let class = size_of::<(u32, Vec<u32>)>();
        self.tables + self.states.bytes() + lists + 2 * class * self.classes.len()
    }

    /// The states of one cost that no other covers which has been expanded or is about to be.
    ///
    /// # Errors
    /// The check has to stop.
    fn uncovered(
        &mut self,
        numbers: Vec<u32>,
        cost: u64,
        watch: &Watch<'_>,
    ) -> Result<Vec<u32>, CheckError> {
        let mut uncovered = Vec::with_capacity(numbers.len());
        for number in numbers {
            if let Some(stop) = watch.stop() {
                return Err(CheckError::Stopped(stop));
            }
            // It may have been reached again at a lower cost.
            if self.states.cost(number) != cost {
                continue;
            }
            let state = self.states.state(number);
            if let Some(class) = self.rulebook.class(state) {
                if self.is_covered(class, state) {
                    continue;
                }
                self.classes.entry(class).or_default().push(number);
            }
            uncovered.push(number);
        }
        Ok(uncovered)
    }

    /// Whether one of the states of a class that have been expanded or are about to be covers another one.
    fn is_covered(&self, class: u32, state: &[u8]) -> bool {
        let covers = |&known: &u32| self.rulebook.covers(self.states.state(known), state);
        self.classes.get(&class).is_some_and(|known| known.iter().any(covers))
    }

    /// Takes all steps from some states of one cost, unless the time is over.
    fn expand(
        &self,
        numbers: &[u32],
        cost: u64,
        expanders: &Expanders<'_>,
        watch: &Watch<'_>,
    ) -> Reached {
        let thread = rayon::current_thread_index().unwrap_or(0) % expanders.len();
        let mut expander = expanders[thread].lock().unwrap_or_else(PoisonError::into_inner);
        let mut reached = Reached::default();
        for &number in numbers.iter().take_while(|_| watch.stop().is_none()) {
            expander.go_to(self.states.state(number), self.left(cost));
            self.step_on(&mut **expander, cost, &mut reached);
        }
        reached
    }

    fn step_on(&self, expander: &mut dyn Expander, before: u64, reached: &mut Reached) {
        while let Some(step) = expander.next() {
            let at = reached.bytes.len();
            let cost = match step {
                Step::Goal { cost } => {
                    let cost = before.saturating_add(cost);
                    reached.goal = reached.goal.min(cost);
                    continue;
                }
                Step::State { cost, to } => {
                    let cost = before.saturating_add(cost);
                    if self.has(to, cost) {
                        continue;
                    }
                    reached.bytes.extend_from_slice(to);
                    cost
                }
            };
            let is_closed = &mut |state: &[u8]| self.has(state, cost);
            let to = &reached.bytes[at..];
            let class = self.rulebook.class(to);
            if expander.costs_at_least(self.left(cost))
                || expander.is_covered(is_closed)
                || class.is_some_and(|class| self.is_covered(class, to))
            {
                reached.bytes.truncate(at);
            } else {
                reached.states.push((cost, reached.bytes.len()));
            }
        }
    }

    /// Cost left below the limit: a plan from here that costs less refutes the claim.
    fn left(&self, cost: u64) -> u64 {
        self.limit.map_or(u64::MAX, |limit| limit.saturating_sub(cost))
    }

    /// Whether a state is closed, or is to be, at no more than this cost.
    fn has(&self, state: &[u8], cost: u64) -> bool {
        self.states.find(state).is_some_and(|known| self.states.cost(known) <= cost)
    }

    /// Opens the states that were reached.
    fn take(&mut self, reached: &[Reached]) -> Result<(), CheckError> {
        let goal = reached.iter().map(|reached| reached.goal).min().unwrap_or(NO_GOAL);
        if goal != NO_GOAL && self.limit.is_none_or(|limit| goal < limit) {
            return Err(match self.rulebook.is_abstract() {
                true => CheckError::NotByAbstraction { cost: goal },
                false => CheckError::False { cost: goal },
            });
        }
        for part in reached {
            let mut from = 0;
            for &(cost, to) in &part.states {
                self.add(&part.bytes[from..to], cost)?;
                from = to;
            }
        }
        Ok(())
    }

    fn add(&mut self, state: &[u8], cost: u64) -> Result<(), CheckError> {
        let number = match self.states.find(state) {
            Some(known) if self.states.cost(known) <= cost => return Ok(()),
            Some(known) => {
                self.states.costs[known as usize] = cost as u32;
                known
            }
            None if self.states.len() as u64 >= self.most => {
                return Err(CheckError::TooManyStates { most: self.most });
            }
            None => self.states.insert(state, cost),
        };
        self.open.entry(cost).or_default().push(number);
        Ok(())
    }
}

/// No goal was reached.
const NO_GOAL: u64 = u64::MAX;

/// States and goals that the steps from a part of a round reach.
struct Reached {
    bytes: Vec<u8>,
    /// Cost of each state, and where it ends in the bytes.
    states: Vec<(u64, usize)>,
    /// Least cost of a goal.
    goal: u64,
}

impl Default for Reached {
    fn default() -> Self {
        Reached { bytes: Vec::new(), states: Vec::new(), goal: NO_GOAL }
    }
}

/// States by number, and an index of them. States are compared whole.
pub struct States {
    bytes: Vec<u8>,
    /// Where each state ends in the bytes.
    ends: Vec<usize>,
    costs: Vec<u32>,
    /// Numbers of states, open addressing.
    slots: Vec<u32>,
    hash: RandomState,
}

impl Default for States {
    fn default() -> Self {
        States {
            bytes: Vec::new(),
            ends: Vec::new(),
            costs: Vec::new(),
            slots: vec![EMPTY; FIRST_SLOTS],
            hash: RandomState::with_seed(0),
        }
    }
}

impl States {
    /// Number of states.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The states, as their rulebook writes them.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len() as u32).map(|number| self.state(number))
    }

    fn cost(&self, number: u32) -> u64 {
        self.costs[number as usize].into()
    }

    fn state(&self, number: u32) -> &[u8] {
        let number = number as usize;
        let from = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[from..self.ends[number]]
    }

    /// Bytes held, and those that doubling the largest part would add.
    fn bytes(&self) -> usize {
        let index = self.slots.len() * size_of::<u32>();
        let entry = size_of::<usize>() + size_of::<u32>();
        2 * index.max(self.bytes.capacity()) + index + self.ends.capacity() * entry
    }

    /// The slot of a state, or the empty one where it would be.
    fn slot(&self, state: &[u8]) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = self.hash.hash_one(state) as usize & mask;
        while self.slots[slot] != EMPTY && self.state(self.slots[slot]) != state {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn find(&self, state: &[u8]) -> Option<u32> {
        let number = self.slots[self.slot(state)];
        (number != EMPTY).then_some(number)
    }

    /// Inserts a state that is not there.
    fn insert(&mut self, state: &[u8], cost: u64) -> u32 {
        if 2 * (self.len() + 1) > self.slots.len() {
            self.grow();
        }
        let slot = self.slot(state);
        let number = self.len() as u32;
        self.slots[slot] = number;
        self.bytes.extend_from_slice(state);
        self.ends.push(self.bytes.len());
        self.costs.push(cost as u32);
        number
    }

    fn grow(&mut self) {
        self.slots = vec![EMPTY; 2 * self.slots.len()];
        for number in 0..self.len() as u32 {
            let slot = self.slot(self.state(number));
            self.slots[slot] = number;
        }
    }
}

/// Looks at the clock, the memory and the user's wish.
struct Watch<'a> {
    run: &'a Run,
    started: Instant,
    reported: Option<Instant>,
}

impl Watch<'_> {
    /// Why to stop, as the clock and the user say.
    fn stop(&self) -> Option<StopReason> {
        let is_late = || self.started.elapsed() >= self.run.limits.time;
        match self.run.control.is_cancelled() {
            true => Some(StopReason::Cancelled),
            false => is_late().then_some(StopReason::Time),
        }
    }

    fn look(
        &mut self,
        cost: u64,
        limit: Option<u64>,
        states: usize,
        bytes: usize,
    ) -> Result<(), CheckError> {
        let is_full = bytes > self.run.limits.memory;
        if let Some(stop) = self.stop().or(is_full.then_some(StopReason::Memory)) {
            return Err(CheckError::Stopped(stop));
        }
        if self.reported.is_none_or(|last| last.elapsed() >= REPORT_EVERY) {
            self.reported = Some(Instant::now());
            self.run.control.tell(&Event::Progress(Progress {
                phase: format!("checking, {states} states"),
                nodes: states as u64,
                best: limit,
                bound: cost,
                fraction: limit.map_or(0.0, |limit| cost as f64 / limit.max(1) as f64),
            }));
        }
        Ok(())
    }
}
