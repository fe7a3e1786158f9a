//! Makes a known plan shorter.
//!
//! Parts of the plan are searched again one by one ([`window`]):
//!
//! - near the whole plan and near parts of it: the boxes stand as in some position of the plan, but
//!   for one, two or three of them, which may be anywhere. The boxes astray may be others at every
//!   time, so one search puts together many small changes. It is the vicinity search of the Sokoban
//!   community's optimisers (invented by Sébastien Gouëzel, known from Brian Damgaard's YASO and
//!   Matthias Meger's JSoko), which list the positions first; here A* leaves out what is elsewhere.
//! - in a *window*: a short part, in which every box may move anywhere;
//! - on a *journey*: the whole plan, in which two or three boxes go other ways, or at other times,
//!   between the pushes of all others, as in Virkkala's box-order search.
//!
//! Each round allows a search more nodes than the round before. A part that is proven to have no
//! cheaper form is skipped until the plan there has changed. Where pushes count and the shortest
//! searches find nothing any more, other plans are looked for beside it ([`short_plans`]), and what
//! is near two plans at once is searched ([`Shortening::relink`]).
//!
//! Searches run in batches of a fixed size, shared among the threads. What a batch finds goes into
//! the plan in a fixed order, so the answer does not depend on the number of threads.

pub mod short_plans;
pub mod window;

use crate::board::mix;
use crate::games::planning::{Found, nobody};
use crate::games::sokoban::board::{Board, Push};
use crate::games::sokoban::lurd;
use crate::games::sokoban::planner::analysis::Prepared;
use crate::games::sokoban::planner::analysis::push_distance::PushDistances;
use crate::games::sokoban::planner::bound;
use crate::games::sokoban::planner::pushes::Measure;
use crate::games::sokoban::planner::pushes::position_table::box_key;
use crate::search::{Clock, Ended, Limits, Progress, StopReason, TurnReport};
use ahash::AHashMap;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use short_plans::ShortPlans;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use window::{KnownPlan, MOST_ASTRAY, Price, Stretch, Vicinity, WindowResult, WindowSearch};

/// Pushes of the shortest windows; the others double it.
const WINDOW: usize = 12;
/// Nodes of one search in the first round.
const FIRST_NODES: usize = 1500;
/// Factor of the nodes of one search from one round to the next.
const MORE_NODES: usize = 3;
/// Most nodes of one search in any round.
const MOST_NODES: usize = 20_000_000;
/// Most nodes of one search in any round, for a plan that changes after each round.
const MOST_NODES_DRIFTING: usize = 40_500;
/// Changes of such a plan without getting shorter, where all searches come to their ends.
const MOST_DRIFTS: u32 = 30;
/// Bytes that a node takes, with its part of all tables, boxes not counted.
const NODE_BYTES: usize = 110;
/// Bytes that each box of a node takes.
const BOX_BYTES: usize = 4;
/// Factor of the nodes of a search whose boxes may not go far, by how many may be astray.
const NODES_ASTRAY: [usize; MOST_ASTRAY as usize + 1] = [1, 32, 8, 4];
/// The same factor of a search for other moves, or for another plan of as many pushes.
const NODES_SECOND: usize = 8;
/// Pushes of the stretches that are exchanged for others that are as short.
const DRIFTING: usize = 96;
/// Pushes of the shortest stretches in which boxes may be astray, by how many may.
const SHORTEST_ASTRAY: [usize; MOST_ASTRAY as usize + 1] = [0, 48, 48, 24];
/// Most nodes of one search while a plan is shortened alone; then it is shortened beside others.
const STALLED: usize = 3 * FIRST_NODES;
/// Divisor of the budget's time and nodes: a plan is shortened alone for at most this share.
const ALONE: u64 = 4;
/// Least nodes of a limited turn of either side, unless fewer remain.
const TURN: u64 = 100_000;
/// Nodes of a turn that lasts until something is found: more than any turn takes.
const LONG_TURN: u64 = u64::MAX / 4;
/// Nodes by which other plans get more than the one on which nothing is left to try.
const LAST_TURNS: u64 = 1_000_000;
/// Divisor of the allowed nodes: a rest below this share is not worth a search.
const REST: u64 = 64;
/// With more boxes than this, only those that a window moves may move in it.
const MANY_BOXES: usize = 64;
/// Bytes that the positions in whose vicinity a search keeps may take.
const VICINITY_BYTES: usize = 1 << 22;
/// Searches of a batch.
const BATCH: usize = 16;
/// Triples of boxes tried in a round.
const TRIPLES: usize = 30;
/// Pairs of boxes tried in a round.
const PAIRS: usize = 100;

/// Shortens pushes that lead from the level's start to a solved position. Never gives a longer
/// plan back. With it comes the number of nodes expanded, and why it stopped where something was left
/// to try.
pub fn improve<'a>(
    level: Prepared<'a>,
    pushes: Vec<Push>,
    measure: Measure,
    found: Found<'a, Push>,
    clock: &Clock,
) -> (Vec<Push>, u64, Option<StopReason>) {
    let Prepared { board, distances, .. } = level;
    let Some(begun) = Shortening::new(board, distances, pushes.clone(), measure) else {
        return (pushes, 0, None);
    };
    let mut shortening = begun.telling(found);
    let looked = match measure {
        Measure::Moves => shortening.accounted_run(clock),
        Measure::Pushes => {
            let nodes = clock.limits.nodes.map(|nodes| nodes / ALONE);
            let time = clock.left() / ALONE as u32;
            let alone = clock.part(Limits { time, nodes, ..clock.limits });
            shortening.accounted(STALLED, &alone)
        }
    };
    let stopped = shortening.stop(clock);
    if shortening.is_through || stopped.is_some() {
        return (shortening.plan, looked, stopped.filter(|_| !shortening.is_through));
    }
    let least = bound::of_start(board, distances).unwrap_or(0);
    let (mut shortening, looked, stopped) = clock
        .limits
        .install(|| beside_other_plans(level, (shortening, looked), least, (found, clock)));
    if stopped.is_some() || shortening.is_through {
        return (shortening.plan, looked, stopped);
    }
    // Of plans with as few pushes as the bound says, one of fewer moves is better.
    let nodes = clock.limits.nodes.map(|nodes| nodes.saturating_sub(looked));
    let rest = clock.part(Limits { time: clock.left(), nodes, ..clock.limits });
    let more = shortening.accounted_run(&rest);
    let stopped = shortening.stop(&rest).filter(|_| !shortening.is_through);
    (shortening.plan, looked + more, stopped)
}

/// Goes on with a plan beside the search for shorter ones, in turns, until it has as few pushes as
/// the bound says.
///
/// Where nodes are counted either side has as many of them in a turn. Else it lasts until the other
/// plans have a shorter one, or nothing is left to try on this one, so that no side waits.
fn beside_other_plans<'a>(
    level: Prepared<'a>,
    (mut shortening, mut looked): (Shortening<'a>, u64),
    least: u64,
    (found, clock): (Found<'a, Push>, &Clock),
) -> (Shortening<'a>, u64, Option<StopReason>) {
    let Prepared { board, distances, .. } = level;
    let mut plans = ShortPlans::new(level, Some(shortening.drifting()), clock.limits.seed);
    let is_counted = clock.limits.nodes.is_some();
    let stopped = loop {
        let cost = shortening.plan.len() as u32;
        let is_through = shortening.is_through && plans.spent() >= looked + LAST_TURNS;
        if u64::from(cost) <= least || is_through {
            break None;
        }
        let spent = looked + plans.spent();
        let left = clock.limits.nodes.map_or(u64::MAX, |nodes| nodes.saturating_sub(spent));
        let is_long = !is_counted && !shortening.is_through;
        let turn =
            if is_long { LONG_TURN } else { TURN.max(shortening.worth_while()).min(left / 2) };
        if turn == 0 {
            break Some(StopReason::Nodes);
        }
        if let Some(stop) = clock.should_stop(0, 0) {
            break Some(stop);
        }
        let (time, nodes, memory) = (clock.left(), Some(turn), clock.limits.memory / 2);
        let limits = Limits { time, nodes, memory, ..clock.limits };
        let here = clock.part(limits);
        let there = clock.part(Limits { nodes: clock.limits.nodes, ..limits }).quiet();
        plans.beat(cost);
        plans.follow(is_long.then(|| Arc::clone(&shortening.least)));
        let limits = (plans.spent() + turn, cost);
        let halts = [(); 2].map(|()| Arc::new(AtomicBool::new(false)));
        let (now, other) = rayon::join(
            || {
                let now = shortening.accounted_run(&here.with_halt(&halts[0]));
                // Where it is through, the others have another turn alone.
                halts[1].store(is_long, Ordering::Relaxed);
                now
            },
            || {
                let there = there.with_halt(&halts[1]);
                let found = plans.accounted_turn(limits, memory, &there);
                halts[0].store(is_long, Ordering::Relaxed);
                found
            },
        );
        looked += now;
        let better = other.filter(|other| other.len() < shortening.plan.len());
        if let Some(better) =
            better.and_then(|pushes| Shortening::new(board, distances, pushes, Measure::Pushes))
        {
            shortening = better.telling(found);
            found(&shortening.plan, shortening.plan.len() as u64);
        }
    };
    (shortening, looked + plans.expanded, stopped)
}

/// A plan that is being made shorter: what was tried in vain is known where it is gone on with.
pub struct Shortening<'a> {
    board: &'a Board,
    distances: &'a PushDistances,
    measure: Measure,
    /// The plan as it is now.
    pub plan: Vec<Push>,
    /// Moves of the plan up to each push.
    moves: Vec<u32>,
    /// Keys of the boxes before each push, and at the end.
    keys: Vec<u64>,
    /// Nodes that a search of a stretch was allowed before, in vain; the greatest number where it
    /// is proven that none is cheaper.
    spent: AHashMap<u64, usize>,
    /// Nodes of one search in this round.
    nodes: usize,
    /// Lists of stretches that were tried whole, one a round for each price; and stretches of the
    /// next one.
    lists: u64,
    tried: usize,
    /// Whether something was found in this list or since it restarted, and whether a search did not
    /// come to its end.
    better: bool,
    open: bool,
    /// Whether of as many pushes fewer moves are wanted, too.
    with_moves: bool,
    /// Whether no longer searches are allowed, and none has found anything.
    pub is_through: bool,
    /// How often the plan was exchanged for one that is as short since it was made shorter, where
    /// that is done.
    drifts: u32,
    /// Nodes expanded since it was gone on with, and in this round.
    looked: u64,
    in_round: u64,
    /// Pushes of the plan, for others to see.
    least: Arc<AtomicU32>,
    /// Hears each better plan.
    found: Found<'a, Push>,
}

impl<'a> Shortening<'a> {
    /// Begins with pushes that lead from the level's start to a solved position; `None` where they
    /// do not.
    pub fn new(
        board: &'a Board,
        distances: &'a PushDistances,
        plan: Vec<Push>,
        measure: Measure,
    ) -> Option<Self> {
        Shortening::begin(board, distances, plan, measure)
    }

    /// Begins with such pushes where only pushes count.
    pub fn of_pushes(level: Prepared<'a>, plan: Vec<Push>) -> Option<Self> {
        let begun = Shortening::new(level.board, level.distances, plan, Measure::Pushes)?;
        Some(Shortening { with_moves: false, ..begun })
    }

    fn begin(
        board: &'a Board,
        distances: &'a PushDistances,
        plan: Vec<Push>,
        measure: Measure,
    ) -> Option<Self> {
        let moves = lurd::moves(board, &plan)?;
        Some(Shortening {
            board,
            distances,
            measure,
            keys: keys(board, &plan),
            least: Arc::new(AtomicU32::new(plan.len() as u32)),
            plan,
            moves,
            spent: AHashMap::new(),
            nodes: FIRST_NODES,
            lists: 0,
            tried: 0,
            better: false,
            open: false,
            with_moves: true,
            is_through: false,
            drifts: 0,
            looked: 0,
            in_round: 0,
            found: &nobody,
        })
    }

    /// The same plan, whose better forms are heard of.
    pub fn telling(self, found: Found<'a, Push>) -> Self {
        Shortening { found, ..self }
    }

    /// The same plan where only pushes count; it is exchanged for one that is as short first.
    fn drifting(&self) -> Self {
        Shortening {
            plan: self.plan.clone(),
            moves: self.moves.clone(),
            keys: self.keys.clone(),
            spent: self.spent.clone(),
            least: Arc::new(AtomicU32::new(self.plan.len() as u32)),
            lists: 1,
            tried: 0,
            better: false,
            open: false,
            with_moves: false,
            nodes: FIRST_NODES,
            found: &nobody,
            ..*self
        }
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        self.plan.capacity() * size_of::<Push>()
            + self.moves.capacity() * size_of::<u32>()
            + self.keys.capacity() * size_of::<u64>()
            + self.spent.capacity() * size_of::<(u64, usize, u8)>()
    }

    /// Goes on until the clock's budget is spent or nothing is left to try. The nodes that it has
    /// expanded.
    pub fn run(&mut self, clock: &Clock) -> u64 {
        self.run_up_to(usize::MAX, clock)
    }

    /// As [`Shortening::run`], and tells the listener of that turn.
    pub fn accounted_run(&mut self, clock: &Clock) -> u64 {
        self.accounted(usize::MAX, clock)
    }

    /// As [`Shortening::run_up_to`], and tells the listener of that turn.
    fn accounted(&mut self, most: usize, clock: &Clock) -> u64 {
        let before = self.cost(&self.moves).0;
        let run = || {
            let looked = self.run_up_to(most, clock);
            (looked, self)
        };
        let report = |(looked, shortening): &(u64, &mut Self)| {
            let cost = shortening.cost(&shortening.moves).0;
            let ended = if shortening.is_through { Ended::Exhausted } else { Ended::Resting };
            TurnReport {
                expanded: *looked,
                memory: shortening.memory() as u64,
                length: Some(cost.into()).filter(|_| cost < before),
                ended: clock.should_stop(*looked, 0).map_or(ended, Ended::Stopped),
                ..TurnReport::default()
            }
        };
        clock.account("windows", run, report).0
    }

    /// Goes on like [`Shortening::run`], but ends when searches of more than `most` nodes each are
    /// due.
    fn run_up_to(&mut self, most: usize, clock: &Clock) -> u64 {
        self.looked = 0;
        self.is_through |= self.plan.is_empty();
        while !self.is_over(clock) && !self.is_through && self.nodes <= most {
            let is_second = self.lists % 2 == 1;
            let price = match self.measure {
                Measure::Moves => Price::Moves,
                Measure::Pushes if is_second && self.with_moves => Price::PushesThenMoves,
                Measure::Pushes if is_second => Price::PushesThenLots(self.lists as u32),
                Measure::Pushes => Price::Pushes,
            };
            let stretches = self.stretches(price, mix(clock.limits.seed ^ mix(self.lists)));
            while self.tried < stretches.len() {
                let rest = &stretches[self.tried..];
                let (found, unfinished) = self.try_batch(rest, price, clock);
                self.better |= found;
                self.open |= unfinished;
                if self.is_over(clock) {
                    return self.looked;
                }
            }
            self.tried = 0;
            self.end_list(is_second);
        }
        self.looked
    }

    /// Looks for a cheaper plan near this one and another one that is no shorter, with at most
    /// `nodes` nodes (path relinking: Glover, Laguna and Martí, 2000). The nodes that it took.
    pub fn relink(&mut self, other: &[Push], nodes: usize, clock: &Clock) -> u64 {
        let both = self.plan.len() + other.len() + 64;
        let is_small = Vicinity::bytes(self.board, both, self.board.boxes.len()) <= VICINITY_BYTES;
        let stretch = self.near(0, self.plan.len(), 1).filter(|_| is_small);
        let Some(stretch) = stretch else { return 0 };
        let plan = KnownPlan { pushes: &self.plan, moves: &self.moves };
        let mut search =
            WindowSearch::new(self.board, self.distances, plan, &stretch, Price::Pushes, clock);
        search.join(other);
        let bytes = NODE_BYTES + BOX_BYTES * stretch.boxes.len();
        let result = search.run(nodes.min(clock.limits.memory / bytes));
        let looked = search.looked as u64;
        if let WindowResult::Cheaper(pushes) = result {
            self.adopt(vec![(stretch, pushes)], clock);
        }
        looked
    }

    /// All of a list was tried. Where something cheaper was found it is tried again, else there is a
    /// second one, for as many pushes; where that was `last` searches are longer from now on.
    fn end_list(&mut self, last: bool) {
        let better = std::mem::take(&mut self.better);
        if better && !last {
            (self.lists, self.drifts) = (self.lists + 2, 0);
            return;
        }
        // At first pushes alone are worth the time.
        let is_first = self.nodes == FIRST_NODES && self.with_moves && !last;
        self.lists += if is_first { 2 } else { 1 };
        if last {
            let open = std::mem::take(&mut self.open);
            self.is_through = if self.with_moves {
                !better && (!open || self.nodes >= MOST_NODES)
            } else {
                self.drifts += 1;
                self.drifts >= MOST_DRIFTS && (!open || self.in_round < FIRST_NODES as u64)
            };
            self.in_round = 0;
        }
        if last || is_first {
            let most = if self.with_moves { MOST_NODES } else { MOST_NODES_DRIFTING };
            self.nodes = (self.nodes * MORE_NODES).min(most);
        }
    }

    /// Nodes with which it is worth while to go on: those of some searches of this round.
    pub fn worth_while(&self) -> u64 {
        (NODES_ASTRAY[1] * self.nodes) as u64
    }

    /// Pushes and moves of a plan, the measure first.
    fn cost(&self, moves: &[u32]) -> (u32, u32) {
        let (pushes, moves) = (moves.len() as u32 - 1, moves.last().copied().unwrap_or(0));
        match self.measure {
            Measure::Pushes => (pushes, moves),
            Measure::Moves => (moves, pushes),
        }
    }

    /// Whether the budget is spent, or its remaining nodes are not worth a search.
    fn is_over(&self, clock: &Clock) -> bool {
        self.stop(clock).is_some()
    }

    /// Why it stops now.
    fn stop(&self, clock: &Clock) -> Option<StopReason> {
        let rest = clock.limits.nodes.map_or(0, |nodes| nodes / REST);
        clock.should_stop(self.looked + rest, 0)
    }

    /// What a list tries, in order: windows and parts with boxes astray from short to long, then
    /// journeys of two and of three boxes, drawn where there are many.
    fn stretches(&self, price: Price, seed: u64) -> Vec<Stretch> {
        let (boxes, end) = (self.board.boxes.len(), self.plan.len());
        let is_second = matches!(price, Price::PushesThenMoves | Price::PushesThenLots(_));
        if let Price::PushesThenLots(_) = price {
            let starts = (0..end).step_by(DRIFTING / 2);
            let to = |from: usize| (from + DRIFTING).min(end);
            return starts.filter_map(|from| self.near(from, to(from), 1)).collect();
        }
        let mut list: Vec<Stretch> = Vec::new();
        let mut length = WINDOW;
        loop {
            let step = length.div_ceil(2);
            let is_first = self.nodes == FIRST_NODES;
            let most = if is_second || is_first { 1 } else { MOST_ASTRAY };
            let is_long = |&astray: &u8| length >= SHORTEST_ASTRAY[astray as usize];
            for from in (0..end).step_by(step).filter(|&from| from == 0 || from + step < end) {
                let to = (from + length).min(end);
                list.push(self.window(from, to));
                let most = (1..=most).rev().filter(is_long);
                list.extend(most.filter_map(|astray| self.near(from, to, astray)));
            }
            if length >= end {
                break;
            }
            length *= 2;
        }
        if !is_second {
            let whole = |boxes: Vec<usize>| Stretch { from: 0, to: end, boxes, astray: None };
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            list.extend(some_sets(boxes, 2, PAIRS, &mut random).into_iter().map(whole));
            list.extend(some_sets(boxes, 3, TRIPLES, &mut random).into_iter().map(whole));
        }
        list
    }

    /// A part of the plan in which all boxes may move.
    fn window(&self, from: usize, to: usize) -> Stretch {
        Stretch { from, to, boxes: self.window_boxes(from, to), astray: None }
    }

    /// The same in the vicinity of the plan, with at most `astray` boxes astray; none where that
    /// takes too much memory.
    fn near(&self, from: usize, to: usize, astray: u8) -> Option<Stretch> {
        let bytes = Vicinity::bytes(self.board, to - from + 1, self.board.boxes.len());
        let window = (bytes <= VICINITY_BYTES).then(|| self.window(from, to))?;
        Some(Stretch { astray: Some(astray), ..window })
    }

    /// Nodes that the search of a stretch has in this round.
    fn nodes_for(&self, stretch: &Stretch, price: Price) -> usize {
        let times = match (price, stretch.astray) {
            (_, None) => 1,
            (Price::Pushes | Price::Moves, Some(astray)) => NODES_ASTRAY[astray as usize],
            _ => NODES_SECOND,
        };
        (self.nodes * times).min(MOST_NODES)
    }

    /// The boxes that may move in a window: all, or where they are many those that do now.
    fn window_boxes(&self, from: usize, to: usize) -> Vec<usize> {
        let count = self.board.boxes.len();
        if count <= MANY_BOXES {
            return (0..count).collect();
        }
        let mut squares = self.board.boxes.clone();
        let mut moved = vec![false; count];
        for (i, push) in self.plan[..to].iter().enumerate() {
            let next = self.board.next[push.from as usize][push.direction as usize];
            if let Some(which) = squares.iter().position(|&s| s == push.from) {
                squares[which] = next;
                moved[which] |= i >= from;
            }
        }
        (0..count).filter(|&i| moved[i]).collect()
    }

    /// Searches some stretches of the plan as it is, and puts what is cheaper in their places.
    /// Whether the plan is better now, and whether a search was not finished.
    fn try_batch(&mut self, list: &[Stretch], price: Price, clock: &Clock) -> (bool, bool) {
        let mut unfinished = false;
        let mut wanted: Vec<(u64, &Stretch)> = Vec::new();
        for stretch in list {
            if wanted.len() == BATCH {
                break;
            }
            self.tried += 1;
            if stretch.from >= self.plan.len() {
                continue;
            }
            let mark = self.mark(stretch, price);
            match self.spent.get(&mark) {
                Some(&spent) if spent >= self.nodes_for(stretch, price) => {
                    unfinished |= spent != usize::MAX
                }
                _ => wanted.push((mark, stretch)),
            }
        }
        let allowed = self.allowances(&wanted, price, clock);
        let results = self.search_batch(&wanted, &allowed, price, clock);
        let marks: Vec<(u64, Stretch)> =
            wanted.iter().map(|&(mark, stretch)| (mark, self.clip(stretch))).collect();
        let mut found = Vec::new();
        for (((mark, stretch), (result, looked)), allowed) in
            marks.into_iter().zip(results).zip(allowed)
        {
            self.looked += looked as u64;
            self.in_round += looked as u64;
            match result {
                WindowResult::Cheaper(pushes) => found.push((stretch, pushes)),
                WindowResult::Nothing => drop(self.spent.insert(mark, usize::MAX)),
                WindowResult::GaveUp => {
                    unfinished = true;
                    self.spent.insert(mark, allowed);
                }
            }
        }
        (self.adopt(found, clock), unfinished)
    }

    /// Searches stretches on the budget's threads: what each came to, and how many nodes it
    /// expanded.
    fn search_batch(
        &self,
        wanted: &[(u64, &Stretch)],
        allowed: &[usize],
        price: Price,
        clock: &Clock,
    ) -> Vec<(WindowResult, usize)> {
        let threads = clock.limits.threads.clamp(1, BATCH);
        // The longest first, so that no thread waits long for another one in the end.
        let mut order: Vec<usize> = (0..wanted.len()).collect();
        order.sort_by_key(|&i| std::cmp::Reverse(allowed[i]));
        let next = AtomicUsize::new(0);
        let results: Vec<Mutex<(WindowResult, usize)>> =
            wanted.iter().map(|_| Mutex::new((WindowResult::GaveUp, 0))).collect();
        let work = || {
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(&i) = order.get(at).filter(|_| !self.is_over(clock)) else { return };
                let (nodes, stretch) = (allowed[i], wanted[i].1);
                if nodes == 0 {
                    continue;
                }
                let stretch = self.clip(stretch);
                let bytes = NODE_BYTES + BOX_BYTES * stretch.boxes.len();
                let fits = clock.limits.memory / threads / bytes;
                let plan = KnownPlan { pushes: &self.plan, moves: &self.moves };
                let mut search =
                    WindowSearch::new(self.board, self.distances, plan, &stretch, price, clock);
                let result = search.run(nodes.min(fits));
                if let Ok(mut slot) = results[i].lock() {
                    *slot = (result, search.looked);
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..threads.min(wanted.len()) {
                scope.spawn(work);
            }
            work();
        });
        let taken = |result: Mutex<_>| result.into_inner().unwrap_or_else(PoisonError::into_inner);
        results.into_iter().map(taken).collect()
    }

    /// Nodes that each search of a batch is allowed, as far as the budget's nodes go.
    fn allowances(&self, wanted: &[(u64, &Stretch)], price: Price, clock: &Clock) -> Vec<usize> {
        let budget = clock.limits.nodes.unwrap_or(u64::MAX);
        let mut left = usize::try_from(budget.saturating_sub(self.looked)).unwrap_or(usize::MAX);
        let mut allow = |stretch: &Stretch| {
            let allowed = self.nodes_for(stretch, price).min(left);
            left -= allowed;
            allowed
        };
        wanted.iter().map(|(_, stretch)| allow(stretch)).collect()
    }

    /// A stretch with the part past the plan's end left out, for plans get shorter.
    fn clip(&self, stretch: &Stretch) -> Stretch {
        Stretch { to: stretch.to.min(self.plan.len()), ..stretch.clone() }
    }

    /// What a search of a stretch depends on, as a number: the position before it, its pushes, and
    /// which boxes may move.
    fn mark(&self, stretch: &Stretch, price: Price) -> u64 {
        let Stretch { from, to, boxes, astray } = self.clip(stretch);
        let hasher = BuildHasherDefault::<DefaultHasher>::default();
        let player = from.checked_sub(1).map(|before| self.plan[before].from);
        let (pushes, is_last) = (&self.plan[from..to], to == self.plan.len());
        hasher.hash_one((self.keys[from], player, pushes, boxes, astray, is_last, price))
    }

    /// Puts new stretches in the old ones' places, the first found first, those that overlap with
    /// it left out. Whether the plan is better now.
    fn adopt(&mut self, found: Vec<(Stretch, Vec<Push>)>, clock: &Clock) -> bool {
        let mut taken: Vec<(Stretch, Vec<Push>)> = Vec::new();
        for (stretch, pushes) in found {
            if taken.iter().all(|(other, _)| stretch.to <= other.from || other.to <= stretch.from) {
                taken.push((stretch, pushes));
            }
        }
        taken.sort_by_key(|(stretch, _)| std::cmp::Reverse(stretch.from));
        let mut better = false;
        for (stretch, pushes) in taken {
            let mut plan = self.plan.clone();
            plan.splice(stretch.from..stretch.to, pushes);
            if let Some(moves) = lurd::moves(self.board, &plan)
                && (self.cost(&moves) < self.cost(&self.moves)
                    || !self.with_moves && plan.len() <= self.plan.len())
            {
                (self.plan, self.moves, better) = (plan, moves, true);
            }
        }
        if better {
            self.keys = keys(self.board, &self.plan);
            self.least.store(self.plan.len() as u32, Ordering::Relaxed);
            (self.found)(&self.plan, self.cost(&self.moves).0.into());
        }
        clock.tell(&Progress {
            phase: "shortening".into(),
            nodes: self.looked,
            best: Some(u64::from(self.cost(&self.moves).0)),
            ..Progress::default()
        });
        better
    }
}

/// Keys of the boxes before each push of a plan, and at its end.
fn keys(board: &Board, plan: &[Push]) -> Vec<u64> {
    let start = box_key(board, &board.boxes);
    let after = |key: &mut u64, push: &Push| {
        let to = board.next[push.from as usize][push.direction as usize];
        *key ^= board.box_keys[push.from as usize] ^ board.box_keys[to as usize];
        Some(*key)
    };
    std::iter::once(start).chain(plan.iter().scan(start, after)).collect()
}

/// Sets of `size` of the numbers below `count`, all of them where they are few, else `most` at
/// random.
fn some_sets(count: usize, size: usize, most: usize, random: &mut ChaCha8Rng) -> Vec<Vec<usize>> {
    if count <= size {
        return Vec::new();
    }
    if size == 2 && count * (count - 1) / 2 <= most {
        return (0..count).flat_map(|i| (0..i).map(move |j| vec![j, i])).collect();
    }
    let mut sets = Vec::new();
    for _ in 0..most {
        let mut set: Vec<usize> = Vec::with_capacity(size);
        while set.len() < size {
            let i = random.random_range(0..count);
            if !set.contains(&i) {
                set.push(i);
            }
        }
        set.sort_unstable();
        sets.push(set);
    }
    sets
}
