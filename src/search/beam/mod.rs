//! Beam search: layer by layer, the best of each.
//!
//! A beam (Lowerre, *The HARPY speech recognition system*, 1976; surveyed by Bisiani, *Beam
//! search*, Encyclopedia of Artificial Intelligence, 1987) keeps at most `width` states of each
//! layer, those with the best estimates, and forgets the others. It finds plans in spaces that no
//! exact search can hold, and proves nothing of them beyond the start's own bound.
//!
//! How a layer is made, in parallel throughout:
//! 1. The states are expanded in blocks. Children come with key, estimate, bound and class, and are
//!    not built yet; those that cannot beat the best known plan are dropped, and those whose key an
//!    earlier layer has held.
//! 2. Children are sorted into partitions by key (by class where there is a quota); each partition
//!    drops its duplicates, and what is beyond the quota of a class, on its own.
//! 3. A histogram over (estimate, scrambled key) finds the rank that exactly `width` children
//!    reach.
//! 4. Those are built, and linked to their parents.
//!
//! Blocks and partitions depend on the number of states alone and every choice is made by rank or
//! by order, so **the plan is the same for any number of threads**; with a node budget instead of a
//! time budget it is the same on any machine.
//!
//! A layer is a number of actions. Actions of cost 1 are the usual case; then the first layer with
//! a goal has the shortest plan that this beam can find. Other costs are added up and used for
//! pruning and for choosing among duplicates, and the beam goes on after a goal while something
//! cheaper is in it. States are merged where their keys are equal, without comparing them: a wrong
//! merge, one in 2^64 pairs, may lose a plan but never makes a wrong one.
//!
//! # Example
//! The longest way around: numbers from 1 to 1000, by doubling, adding 3 and subtracting 7.
//!
//! ```
//! use outwit::search::{Limits, Run, Successor, Space, Verdict, beam::Beam, beam::widening};
//!
//! struct Sums;
//!
//! impl Space for Sums {
//!     type State = i64;
//!     type Action = u8;
//!     type Scratch = ();
//!     fn start(&self) -> i64 { 1 }
//!     fn key(&self, state: &i64) -> u64 { *state as u64 }
//!     fn bound(&self, state: &i64) -> u32 { u32::from(*state != 1000) }
//!     fn is_goal(&self, state: &i64) -> bool { *state == 1000 }
//!     fn scratch(&self) {}
//!     fn expand(&self, state: &i64, _: &mut (), visit: &mut impl FnMut(Successor<u8>)) {
//!         for action in 0..3 {
//!             let child = self.child(state, action, &mut ());
//!             visit(Successor {
//!                 action,
//!                 cost: 1,
//!                 key: self.key(&child),
//!                 bound: self.bound(&child),
//!                 // Any guess will do: here, how far away the number is.
//!                 estimate: (child - 1000).unsigned_abs() as u32,
//!                 goal: self.is_goal(&child),
//!                 class: 0,
//!             });
//!         }
//!     }
//!     fn child(&self, state: &i64, action: u8, _: &mut ()) -> i64 {
//!         [state * 2, state + 3, state - 7][usize::from(action)]
//!     }
//! }
//!
//! let budget = Run::from(Limits { nodes: Some(20_000), ..Limits::seconds(10.0) });
//! let narrow = Beam::new(3).run(&Sums, &budget.start(), None);
//! assert_eq!(narrow.verdict, Verdict::Found);
//! // Double the width until the nodes run out; each beam looks for less than the best so far.
//! let wide = widening(&Sums, &budget.start(), &Beam::new(3), None);
//! assert!(wide.cost <= narrow.cost);
//! assert_eq!(wide.plan.unwrap().len() as u64, wide.cost);
//! ```

pub(super) mod back_pointers;
pub(super) mod transposition_table;

use super::space::threads_with_room;
use super::turn::{Allowance, Found, Known, Search, Spent, Turn};
use super::{
    Clock, Due, Ended, Outcome, Progress, Space, Statistics, StopReason, Successor, Verdict,
};
use crate::board::mix;
use back_pointers::{BackPointer, BackPointers};
use rayon::prelude::*;
use std::fmt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use transposition_table::TranspositionTable;

/// States of a block, the unit of parallel work.
const BLOCK: usize = 32;
/// Upper limit of the partitions of a layer's children.
const MOST_PARTITIONS: usize = 64;
/// Bins of the histogram.
pub(super) const BINS: usize = 1 << 10;
/// Part of the memory budget, one in this many, that the table of former layers may take.
const TABLE_PART: usize = 8;
/// Layers of full width for whose keys the table of former layers has room at most.
const FORMER_LAYERS: usize = 512;
/// Upper limit of keys in the table: a larger one costs a wide beam more than it saves.
const MOST_FORMER: usize = 1 << 21;
/// Time between two reports of progress.
const REPORT: Duration = Duration::from_millis(100);

/// A beam search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beam {
    /// Most states of a layer; at least 1.
    pub width: usize,
    /// Most states of one [`super::Successor::class`] in a layer, at least 1, so that the beam does not
    /// gather in one dead end. A layer is narrower than `width` where its classes are few.
    pub quota: Option<usize>,
    /// Most layers, that is, actions.
    pub layers: u32,
    /// The beam ends once this many layers in a row have not improved on its best estimate. Beams that are shared
    /// among processes ignore it.
    pub patience: Option<u32>,
}

impl Beam {
    /// A beam of this width, without quota and of any length.
    pub fn new(width: usize) -> Self {
        Beam { width, quota: None, layers: u32::MAX, patience: None }
    }

    /// Searches in a pool of [`super::Limits::threads`] threads of its own.
    ///
    /// Only plans that cost less than `upper` are of interest, where it is given. The verdict is
    /// `Optimal` where the start's bound proves it (without a plan where it proves that none costs
    /// less than `upper`), `Found` with any other plan, `Impossible` where the start is a dead end,
    /// and `Unknown` where the beam has run dry or the budget is spent
    /// ([`super::Statistics::stopped`] tells which). Nodes are states expanded; the last layer is cut
    /// so that no more than the allowed are.
    pub fn run<S: Space>(
        &self,
        space: &S,
        clock: &Clock,
        upper: Option<u64>,
    ) -> Outcome<S::Action> {
        clock.limits.install(|| self.run_in_current_pool(space, clock, upper))
    }

    /// As [`Beam::run`], in the rayon pool that it is called from: for many short searches, which
    /// would spend more on their threads than on the search.
    pub fn run_in_current_pool<S: Space>(
        &self,
        space: &S,
        clock: &Clock,
        upper: Option<u64>,
    ) -> Outcome<S::Action> {
        Run::new(*self, space, clock.clone(), upper, Statistics::default()).run().0
    }
}

/// Searches with `first`, then with twice its width and quota, and so on, in a pool of
/// [`super::Limits::threads`] threads; each beam looks for what is cheaper than the best so far.
///
/// Goes on until the budget is spent, the plan is proven optimal, or a beam has run dry without
/// having left anything out. The answer is as in [`Beam::run`].
pub fn widening<S: Space>(
    space: &S,
    clock: &Clock,
    first: &Beam,
    upper: Option<u64>,
) -> Outcome<S::Action> {
    widening_heard(space, clock, first, upper, &|_, _| {})
}

/// As [`widening`]; `found` hears each better plan, and its cost.
pub fn widening_heard<S: Space>(
    space: &S,
    clock: &Clock,
    first: &Beam,
    upper: Option<u64>,
    found: Found<'_, S::Action>,
) -> Outcome<S::Action> {
    clock.limits.install(|| widening_in_current_pool(space, clock, first, upper, found))
}

/// As [`widening_heard`], in the rayon pool that it is called from.
pub fn widening_in_current_pool<S: Space>(
    space: &S,
    clock: &Clock,
    first: &Beam,
    upper: Option<u64>,
    found: Found<'_, S::Action>,
) -> Outcome<S::Action> {
    widen(first, upper, |beam, known, effort| {
        let (outcome, complete) = Run::new(beam, space, clock.clone(), known, effort).run();
        if let Some(plan) = &outcome.plan {
            found(plan, outcome.cost);
        }
        (outcome, complete)
    })
}

/// Runs one beam after another, each told the best cost that is known and what was spent before it.
/// A run answers with its outcome, and whether it has run dry without leaving anything out.
pub(super) fn widen<A>(
    first: &Beam,
    upper: Option<u64>,
    mut run: impl FnMut(Beam, Option<u64>, Statistics) -> (Outcome<A>, bool),
) -> Outcome<A> {
    let mut widths = Widths::new(first, upper);
    while !widths.is_over {
        widths.step(&mut run);
    }
    widths.outcome()
}

/// Beams that get wider, and what they have come to.
#[derive(Debug)]
struct Widths<A> {
    beam: Beam,
    upper: Option<u64>,
    best: Option<Outcome<A>>,
    effort: Statistics,
    /// Whether a wider beam is of no use, or none may be run.
    is_over: bool,
}

impl<A> Widths<A> {
    fn new(first: &Beam, upper: Option<u64>) -> Self {
        let effort = Statistics::default();
        Widths { beam: *first, upper, best: None, effort, is_over: false }
    }

    /// Runs the next beam.
    fn step(&mut self, run: &mut impl FnMut(Beam, Option<u64>, Statistics) -> (Outcome<A>, bool)) {
        let found = self.best.as_ref().map(|best| best.cost);
        let known = found.into_iter().chain(self.upper).min();
        let (outcome, complete) = run(self.beam, known, self.effort);
        self.effort = outcome.effort;
        let settled = matches!(outcome.verdict, Verdict::Optimal | Verdict::Impossible);
        if self.best.is_none() || outcome.plan.is_some() {
            self.best = Some(outcome);
        }
        self.is_over = settled || complete || self.effort.stopped.is_some();
        self.beam.width = self.beam.width.saturating_mul(2);
        self.beam.quota = self.beam.quota.map(|quota| quota.saturating_mul(2));
    }

    fn outcome(self) -> Outcome<A> {
        let best = self.best.expect("there was a run");
        Outcome { effort: self.effort, ..best }
    }
}

/// Beams that get wider as a search that takes turns: it rests between two beams. It works in the rayon
/// pool that it is called from.
pub struct Widening<'a, S: Space> {
    space: &'a S,
    widths: Widths<S::Action>,
}

impl<S: Space> fmt::Debug for Widening<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Widening")
            .field("effort", &self.widths.effort)
            .field("is_over", &self.widths.is_over)
            .finish_non_exhaustive()
    }
}

impl<'a, S: Space> Widening<'a, S> {
    /// A search that has not begun.
    pub fn new(space: &'a S, first: &Beam) -> Self {
        Widening { space, widths: Widths::new(first, None) }
    }

    /// What the beams have come to; those that have run dry prove nothing.
    fn turn_of(&self, before: u64) -> Turn<Vec<S::Action>> {
        let Some(best) = &self.widths.best else { return Turn::without_plan(0, Ended::Resting) };
        let plan = best.plan.clone().filter(|_| best.cost < before).map(|plan| (best.cost, plan));
        let ended = match (best.verdict, self.widths.effort.stopped) {
            (Verdict::Optimal | Verdict::Impossible, _) => Ended::Proven,
            (_, Some(stop)) => Ended::Stopped(stop),
            _ if self.widths.is_over => Ended::Exhausted,
            _ => Ended::Resting,
        };
        Turn { plan, bound: best.bound, ended }
    }
}

impl<S: Space> Search for Widening<'_, S> {
    type Plan = Vec<S::Action>;
    type Lesson = ();

    fn name(&self) -> &'static str {
        "beam"
    }

    fn turn(&mut self, known: Known, allowance: &Allowance<'_>) -> Turn<Vec<S::Action>> {
        let clock = allowance.own_clock();
        let before = self.widths.best.as_ref().map_or(u64::MAX, |best| best.cost).min(known.cost);
        if known.cost != u64::MAX {
            self.widths.upper =
                self.widths.upper.map(|cost| cost.min(known.cost)).or(Some(known.cost));
        }
        let space = self.space;
        if self.widths.is_over {
            return self.turn_of(before);
        }
        loop {
            self.widths.step(&mut |beam, known, effort| {
                Run::new(beam, space, clock.clone(), known, effort).run()
            });
            let turn = self.turn_of(before);
            // A better plan is let out at once.
            let is_spent = self.widths.effort.expanded >= allowance.share;
            if is_spent || turn.plan.is_some() || turn.ended != Ended::Resting {
                return turn;
            }
        }
    }

    fn spent(&self) -> Spent {
        Spent::of(&self.widths.effort)
    }
}

/// A state of the current layer.
pub(super) struct Member<T> {
    pub(super) state: T,
    pub(super) cost: u32,
}

/// A child that is not built yet.
#[derive(Clone, Copy)]
pub(super) struct Candidate<A> {
    pub(super) key: u64,
    /// The estimate above scrambled bits of the key; the smaller, the better.
    pub(super) rank: u64,
    pub(super) cost: u32,
    pub(super) class: u32,
    /// Place of the parent in its layer.
    pub(super) parent: u32,
    pub(super) action: A,
}

/// What came of expanding a block of states.
pub(super) struct Expanded<A> {
    /// The children, partition by partition.
    pub(super) candidates: Vec<Candidate<A>>,
    /// Where each partition starts, and the end.
    pub(super) starts: Vec<u32>,
    pub(super) goal: Option<Goal<A>>,
    pub(super) generated: u64,
    pub(super) stopped: Option<StopReason>,
}

/// A goal that was reached.
#[derive(Clone, Copy)]
pub(super) struct Goal<A> {
    pub(super) cost: u32,
    pub(super) parent: u32,
    pub(super) action: A,
}

/// A candidate that stands out among its duplicates.
#[derive(Clone, Copy)]
pub(super) struct Pick {
    pub(super) key: u64,
    pub(super) rank: u64,
    pub(super) cost: u32,
    pub(super) class: u32,
    pub(super) block: u32,
    /// Place in the block's candidates.
    pub(super) at: u32,
}

impl Pick {
    fn estimate(&self) -> u32 {
        (self.rank >> 32) as u32
    }
}

/// One beam at work.
struct Run<'a, S: Space> {
    beam: Beam,
    space: &'a S,
    clock: Clock,
    /// One for each thread of the pool, as far as there is room: a lock is held by the thread of its
    /// number, and those beyond wait for one of the others.
    scratch: Vec<Mutex<S::Scratch>>,
    /// The current layer, in blocks.
    layer: Vec<Vec<Member<S::State>>>,
    /// Bytes of the layer's states.
    layer_bytes: usize,
    depth: u32,
    /// The best estimate of all layers, and the first layer that had it.
    headway: (u32, u32),
    transposition_table: TranspositionTable,
    back_pointers: BackPointers<S::Action>,
    /// Only plans below this cost are of interest.
    upper: u64,
    best: Option<(u64, Vec<S::Action>)>,
    /// Nothing was left out so far.
    complete: bool,
    effort: Statistics,
    reported: Duration,
}

impl<'a, S: Space> Run<'a, S> {
    /// Starts a run after others that have spent `effort`.
    fn new(beam: Beam, space: &'a S, clock: Clock, upper: Option<u64>, effort: Statistics) -> Self {
        let beam = Beam { width: beam.width.clamp(1, u32::MAX as usize), ..beam };
        let (first, memory) = (space.scratch(), clock.limits.memory);
        let threads = rayon::current_num_threads();
        let threads = threads_with_room(space, &first, threads, memory);
        let others = (1..threads).map(|_| space.scratch());
        Run {
            beam,
            space,
            reported: clock.elapsed(),
            clock,
            scratch: std::iter::once(first).chain(others).map(Mutex::new).collect(),
            layer: Vec::new(),
            layer_bytes: 0,
            depth: 0,
            headway: (u32::MAX, 0),
            transposition_table: former_layers(beam.width, memory),
            back_pointers: BackPointers::new(),
            upper: upper.unwrap_or(u64::MAX),
            best: None,
            complete: true,
            effort,
        }
    }

    /// The answer, and whether the beam has run dry without leaving anything out.
    fn run(mut self) -> (Outcome<S::Action>, bool) {
        let start = self.space.start();
        let bound = self.space.bound(&start);
        let known = self.upper;
        let mut stopped = None;
        if self.space.is_goal(&start) && known > 0 {
            self.best = Some((0, Vec::new()));
        } else if u64::from(bound) < known && bound != u32::MAX {
            self.transposition_table.insert(&[self.space.key(&start)]);
            self.layer_bytes = size_of::<Member<S::State>>() + self.space.heap_bytes(&start);
            self.layer.push(vec![Member { state: start, cost: 0 }]);
            stopped = self.layers();
        }
        let complete = self.complete && stopped.is_none();
        (self.outcome(stopped, bound, known), complete)
    }

    /// Makes layer after layer until one is empty or the budget is spent.
    fn layers(&mut self) -> Option<StopReason> {
        while !self.layer.is_empty() {
            let stuck = self.depth - self.headway.1;
            let has_lost_its_way = self.beam.patience.is_some_and(|most| stuck > most);
            if self.depth >= self.beam.layers || has_lost_its_way {
                self.complete = false;
                break;
            }
            let nodes = self.effort.expanded;
            if let Some(stop) = self.clock.should_stop(nodes, self.memory()) {
                return Some(stop);
            }
            self.report();
            if let Some(stop) = self.next_layer() {
                return Some(stop);
            }
            self.depth += 1;
        }
        None
    }

    /// Replaces the current layer by the next.
    fn next_layer(&mut self) -> Option<StopReason> {
        let states: usize = self.layer.iter().map(Vec::len).sum();
        let partitions = partitions_of(states);
        let blocks = self.expand(partitions);
        if let Some(stop) = blocks.iter().find_map(|block| block.stopped) {
            return Some(stop);
        }
        self.effort.expanded += states as u64;
        self.effort.generated += blocks.iter().map(|block| block.generated).sum::<u64>();
        self.note_goal(&blocks);

        let (upper, quota) = (self.upper, self.beam.quota);
        let picks: Vec<(Vec<Pick>, bool)> = (0..partitions)
            .into_par_iter()
            .map(|partition| distinct(&blocks, partition, upper, quota))
            .collect();
        let room = self.clock.limits.nodes.map_or(u64::MAX, |most| most - self.effort.expanded);
        let width = self.beam.width.min(usize::try_from(room).unwrap_or(usize::MAX)).max(1);
        let count: usize = picks.iter().map(|(picks, _)| picks.len()).sum();
        self.complete &= count <= width && !picks.iter().any(|(_, cut)| *cut);
        let last = threshold(&picks, count, width);
        let chosen: Vec<Pick> = picks
            .par_iter()
            .flat_map_iter(|(picks, _)| picks.iter().filter(|pick| pick.rank <= last).copied())
            .collect();

        let estimates = picks.iter().flat_map(|(picks, _)| picks).map(|pick| pick.estimate());
        if let Some(best) = estimates.min().filter(|&best| best < self.headway.0) {
            self.headway = (best, self.depth);
        }
        let made: usize = blocks.iter().map(|block| bytes_of(&block.candidates)).sum();
        let picked: usize = picks.iter().map(|(picks, _)| bytes_of(picks)).sum();
        let before = self.memory() + made + picked + bytes_of(&chosen);
        drop(picks);
        let each = self.layer_bytes / states.max(1);
        if let Some(stop) = self.clock.should_stop(0, before - picked + chosen.len() * each) {
            return Some(stop);
        }
        self.build(&blocks, &chosen);
        self.effort.memory = self.effort.memory.max(before + self.layer_bytes);
        None
    }

    /// Expands the layer, block by block.
    fn expand(&self, partitions: usize) -> Vec<Expanded<S::Action>> {
        let (halt, held) = (AtomicBool::new(false), AtomicUsize::new(self.memory()));
        self.layer
            .par_iter()
            .enumerate()
            .map(|(number, block)| {
                if halt.load(Ordering::Relaxed) {
                    return Expanded::nothing(None);
                }
                let expanded = self.expand_block(number * BLOCK, block, partitions);
                let bytes =
                    bytes_of(&expanded.candidates) + expanded.candidates.len() * size_of::<Pick>();
                let held = held.fetch_add(bytes, Ordering::Relaxed) + bytes;
                match self.clock.should_stop(0, held) {
                    None => expanded,
                    stop => {
                        halt.store(true, Ordering::Relaxed);
                        Expanded::nothing(stop)
                    }
                }
            })
            .collect()
    }

    fn expand_block(
        &self,
        first: usize,
        block: &[Member<S::State>],
        partitions: usize,
    ) -> Expanded<S::Action> {
        let mut scratch = self.scratch();
        let mut candidates: Vec<Candidate<S::Action>> = Vec::with_capacity(block.len() * 4);
        let mut goal: Option<Goal<S::Action>> = None;
        let mut generated = 0;
        let seed = self.clock.limits.seed;
        for (parent, member) in (first as u32..).zip(block) {
            let due = Due::below(self.upper, member.cost);
            self.space.expand_due(&member.state, due, &mut scratch, &mut |child| {
                generated += 1;
                match judge(&child, (parent, member.cost), self.upper, seed) {
                    Judged::Useless => {}
                    Judged::Goal(reached) => {
                        if goal.is_none_or(|goal| reached.cost < goal.cost) {
                            goal = Some(reached);
                        }
                    }
                    Judged::Candidate(candidate) => candidates.push(candidate),
                }
            });
        }
        drop(scratch);
        candidates.retain(|candidate| !self.transposition_table.contains(candidate.key));
        let (candidates, starts) = partition(candidates, partitions, self.beam.quota.is_some());
        Expanded { candidates, starts, goal, generated, stopped: None }
    }

    /// The working memory of this thread.
    fn scratch(&self) -> std::sync::MutexGuard<'_, S::Scratch> {
        let thread = rayon::current_thread_index().unwrap_or(0) % self.scratch.len();
        self.scratch[thread].lock().expect("no expansion has panicked")
    }

    /// Takes the cheapest goal of the layer, the first of equals.
    fn note_goal(&mut self, blocks: &[Expanded<S::Action>]) {
        let goals = blocks.iter().filter_map(|block| block.goal);
        if let Some(goal) = goals.min_by_key(|goal| goal.cost) {
            self.upper = u64::from(goal.cost);
            self.best = Some((self.upper, self.back_pointers.plan(goal.parent, goal.action)));
        }
    }

    /// Builds the chosen children; they are the layer then.
    fn build(&mut self, blocks: &[Expanded<S::Action>], chosen: &[Pick]) {
        let candidate = |pick: &Pick| &blocks[pick.block as usize].candidates[pick.at as usize];
        let run = &*self;
        let built: Vec<(Vec<Member<S::State>>, usize)> = chosen
            .par_chunks(BLOCK)
            .map(|picks| {
                let mut scratch = run.scratch();
                let mut heap = 0;
                let build = |pick: &Pick| {
                    let Candidate { parent, action, cost, .. } = *candidate(pick);
                    let parent = &run.layer[parent as usize / BLOCK][parent as usize % BLOCK];
                    let state = run.space.child(&parent.state, action, &mut scratch);
                    heap += run.space.heap_bytes(&state);
                    Member { state, cost }
                };
                let members: Vec<_> = picks.iter().map(build).collect();
                let bytes = heap + bytes_of(&members);
                (members, bytes)
            })
            .collect();
        let back_pointers = chosen.par_iter().with_min_len(BLOCK).map(|pick| {
            let Candidate { parent, action, .. } = *candidate(pick);
            BackPointer { parent, action }
        });
        let back_pointers = back_pointers.collect();
        let keys: Vec<u64> = chosen.iter().map(|pick| pick.key).collect();
        self.transposition_table.insert(&keys);
        self.back_pointers.push(back_pointers);
        self.layer_bytes = built.iter().map(|(_, bytes)| bytes).sum();
        self.layer = built.into_iter().map(|(members, _)| members).collect();
    }

    /// Bytes held between two layers.
    fn memory(&self) -> usize {
        let tables = self.transposition_table.bytes() + self.back_pointers.bytes();
        let bytes = |scratch: &Mutex<S::Scratch>| {
            self.space.scratch_bytes(&scratch.lock().expect("no expansion has panicked"))
        };
        let scratch: usize = self.scratch.iter().map(bytes).sum();
        tables + self.layer_bytes + scratch + self.space.bytes()
    }

    fn report(&mut self) {
        let elapsed = self.clock.elapsed();
        if elapsed < self.reported + REPORT {
            return;
        }
        self.reported = elapsed;
        let limits = self.clock.limits;
        let nodes = self.effort.expanded;
        let time = elapsed.as_secs_f64() / limits.time.as_secs_f64();
        let done = limits.nodes.map_or(0.0, |most| nodes as f64 / most as f64);
        self.clock.tell(&Progress {
            phase: format!("beam of {}, layer {}", self.beam.width, self.depth),
            nodes,
            best: (self.upper != u64::MAX).then_some(self.upper),
            bound: u64::from(self.space.bound(&self.space.start())),
            fraction: time.max(done).min(1.0),
        });
    }

    fn outcome(self, stopped: Option<StopReason>, bound: u32, known: u64) -> Outcome<S::Action> {
        let effort = Statistics { elapsed: self.clock.elapsed(), stopped, ..self.effort };
        conclude(self.best, (bound, known), effort)
    }
}

/// What a child is to a beam.
pub(super) enum Judged<A> {
    Useless,
    Goal(Goal<A>),
    Candidate(Candidate<A>),
}

/// What a child is of a state at a place, reached at a cost, where less than `upper` is wanted.
#[inline]
pub(super) fn judge<A: Copy>(
    child: &Successor<A>,
    (parent, cost): (u32, u32),
    upper: u64,
    seed: u64,
) -> Judged<A> {
    let cost = u64::from(cost) + u64::from(child.cost);
    let bound = if child.goal { 0 } else { child.bound };
    if bound == u32::MAX || cost + u64::from(bound) >= upper.min(LIMIT) {
        return Judged::Useless;
    }
    let (cost, action) = (cost as u32, child.action);
    if child.goal {
        return Judged::Goal(Goal { cost, parent, action });
    }
    let rank = rank_of(child.estimate, child.key, seed);
    let (key, class) = (child.key, child.class);
    Judged::Candidate(Candidate { key, rank, cost, class, parent, action })
}

/// The estimate above scrambled bits of the key.
#[inline]
pub(super) fn rank_of(estimate: u32, key: u64, seed: u64) -> u64 {
    u64::from(estimate) << 32 | mix(key ^ seed) >> 32
}

/// The answer of a beam, with the best plan where it has one. The start's bound and the cost that the
/// caller knew decide what is proven.
pub(super) fn conclude<A>(
    best: Option<(u64, Vec<A>)>,
    (bound, known): (u32, u64),
    effort: Statistics,
) -> Outcome<A> {
    let bound = u64::from(bound);
    match best {
        Some((cost, plan)) => {
            let optimal = cost <= bound || cost == 0;
            let verdict = if optimal { Verdict::Optimal } else { Verdict::Found };
            let effort = Statistics { stopped: effort.stopped.filter(|_| !optimal), ..effort };
            Outcome { verdict, plan: Some(plan), cost, bound: bound.min(cost), effort }
        }
        None if bound == u64::from(u32::MAX) && known == u64::MAX => {
            let verdict = Verdict::Impossible;
            Outcome { verdict, plan: None, cost: u64::MAX, bound: u64::MAX, effort }
        }
        None if bound >= known => {
            let verdict = Verdict::Optimal;
            Outcome { verdict, plan: None, cost: known, bound: known, effort }
        }
        None => Outcome::unknown(bound, effort),
    }
}

/// The table of the keys of former layers, for a beam of `width` and `memory` bytes in all.
pub(super) fn former_layers(width: usize, memory: usize) -> TranspositionTable {
    let wanted = width.saturating_mul(FORMER_LAYERS).min(MOST_FORMER);
    TranspositionTable::new(memory / TABLE_PART, wanted)
}

/// Number of partitions of the children of `states` states.
pub(super) fn partitions_of(states: usize) -> usize {
    (states / BLOCK).clamp(1, MOST_PARTITIONS).next_power_of_two()
}

/// Costs are kept in 32 bits.
const LIMIT: u64 = u32::MAX as u64;

impl<A> Expanded<A> {
    /// A block that was not expanded.
    fn nothing(stopped: Option<StopReason>) -> Self {
        Expanded { candidates: Vec::new(), starts: Vec::new(), goal: None, generated: 0, stopped }
    }
}

/// Bytes that a vector holds.
pub(super) fn bytes_of<T>(vector: &Vec<T>) -> usize {
    vector.capacity() * size_of::<T>()
}

/// Sorts candidates by partition, keeping their order otherwise: a counting sort.
pub(super) fn partition<A: Copy>(
    candidates: Vec<Candidate<A>>,
    partitions: usize,
    by_class: bool,
) -> (Vec<Candidate<A>>, Vec<u32>) {
    let mut starts = vec![0u32; partitions + 1];
    let Some(&filler) = candidates.first() else {
        return (candidates, starts);
    };
    if partitions == 1 {
        starts[1] = candidates.len() as u32;
        return (candidates, starts);
    }
    let shift = 64 - partitions.trailing_zeros();
    let of = |candidate: &Candidate<A>| {
        let by = if by_class { u64::from(candidate.class) } else { candidate.key };
        (mix(by) >> shift) as u8
    };
    let numbers: Vec<u8> = candidates.iter().map(of).collect();
    for &number in &numbers {
        starts[usize::from(number) + 1] += 1;
    }
    for at in 1..starts.len() {
        starts[at] += starts[at - 1];
    }
    let mut next = starts.clone();
    let mut sorted = vec![filler; candidates.len()];
    for (candidate, number) in candidates.iter().zip(numbers) {
        let place = &mut next[usize::from(number)];
        sorted[*place as usize] = *candidate;
        *place += 1;
    }
    (sorted, starts)
}

/// The candidates of a partition without duplicates, and without those beyond the quota of their
/// class; the flag tells whether there were such. Of duplicates the cheapest stays, then the best
/// ranked, then the first.
pub(super) fn distinct<A>(
    blocks: &[Expanded<A>],
    partition: usize,
    upper: u64,
    quota: Option<usize>,
) -> (Vec<Pick>, bool) {
    let range = |block: &Expanded<A>| {
        block.starts[partition] as usize..block.starts[partition + 1] as usize
    };
    let most: usize = blocks.iter().map(|block| range(block).len()).sum();
    let mask = (2 * most).next_power_of_two() - 1;
    let mut table = vec![0u32; mask + 1];
    let mut picks: Vec<Pick> = Vec::with_capacity(most);
    for (number, block) in (0u32..).zip(blocks) {
        for at in range(block) {
            let Candidate { key, rank, cost, class, .. } = block.candidates[at];
            if u64::from(cost) >= upper {
                continue;
            }
            let pick = Pick { key, rank, cost, class, block: number, at: at as u32 };
            let mut slot = mix(key) as usize & mask;
            loop {
                match table[slot] {
                    0 => {
                        picks.push(pick);
                        table[slot] = picks.len() as u32;
                        break;
                    }
                    taken => {
                        let other = &mut picks[taken as usize - 1];
                        if other.key == key {
                            if (cost, rank) < (other.cost, other.rank) {
                                *other = pick;
                            }
                            break;
                        }
                        slot = (slot + 1) & mask;
                    }
                }
            }
        }
    }
    let cut = quota.is_some_and(|quota| apply_quota(&mut picks, quota.max(1)));
    (picks, cut)
}

/// Keeps the best `quota` of each class; whether there were more.
fn apply_quota(picks: &mut Vec<Pick>, quota: usize) -> bool {
    let before = picks.len();
    picks.sort_unstable_by_key(|pick| (pick.class, pick.rank, pick.key));
    let mut run = 0;
    let mut last = None;
    picks.retain(|pick| {
        run = if last == Some(pick.class) { run + 1 } else { 1 };
        last = Some(pick.class);
        run <= quota
    });
    picks.len() < before
}

/// The largest rank such that at most `width` of all `count` picks have it or a smaller one. (That
/// two picks at the edge have one rank is so rare that both are left out then.)
fn threshold(picks: &[(Vec<Pick>, bool)], count: usize, width: usize) -> u64 {
    if count <= width {
        return u64::MAX;
    }
    let ranks = || picks.par_iter().map(|(picks, _)| picks.iter().map(|pick| pick.rank));
    let least = ranks().filter_map(Iterator::min).min().unwrap_or(0);
    let most = ranks().filter_map(Iterator::max).max().unwrap_or(0);
    let shift = (u64::BITS - (most - least).leading_zeros()).saturating_sub(BINS.trailing_zeros());
    let bin = |rank: u64| ((rank - least) >> shift) as usize;
    let count_bins = |mut bins: Vec<usize>, ranks: &mut dyn Iterator<Item = u64>| {
        ranks.for_each(|rank| bins[bin(rank)] += 1);
        bins
    };
    let bins = ranks()
        .fold(|| vec![0; BINS], |bins, mut ranks| count_bins(bins, &mut ranks))
        .reduce_with(|a, b| a.iter().zip(&b).map(|(a, b)| a + b).collect())
        .unwrap_or_default();
    let mut below = 0;
    let edge = bins.iter().position(|&here| {
        below += here;
        below > width
    });
    let Some(edge) = edge else { return u64::MAX };
    below -= bins[edge];
    let mut at_edge: Vec<u64> =
        ranks().flat_map_iter(|ranks| ranks.filter(|&rank| bin(rank) == edge)).collect();
    // The first that is too many: what ranks before it stays.
    let (_, first_out, _) = at_edge.select_nth_unstable(width - below);
    first_out.saturating_sub(1)
}
