//! Windows: a known plan is made shorter by searching parts of it again.
//!
//! Searches of parts run in batches of a fixed size, shared among the threads. What a batch finds goes
//! into the plan in a fixed order, so the answer does not depend on the number of threads. The search
//! rests between two batches, with the list of parts that it has begun: short turns come to the same
//! plan and expansions as a long one, as long as the upper limit of all turns is the same. A turn ends
//! with a better plan.

use super::window::{KnownPlan, MOST_ASTRAY, Price, Stretch, Vicinity, WindowResult, WindowSearch};
use crate::board::mix;
use crate::games::sokoban::board::{Board, Push};
use crate::games::sokoban::lurd;
use crate::games::sokoban::planner::analysis::Prepared;
use crate::games::sokoban::planner::analysis::push_distance::PushDistances;
use crate::games::sokoban::planner::pushes::Measure;
use crate::games::sokoban::planner::pushes::position_table::box_key;
use crate::games::sokoban::planner::tuning::Windows;
use crate::search::{
    Allowance, Clock, Ended, Known, Limits, Progress, Search, Spent, StopReason, Turn,
};
use ahash::AHashMap;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes that a node takes, with its part of all tables, boxes not counted.
const NODE_BYTES: usize = 110;
/// Bytes that each box of a node takes.
const BOX_BYTES: usize = 4;
/// Pushes of the shortest stretches in which boxes may be astray, by how many may.
const SHORTEST_ASTRAY: [usize; MOST_ASTRAY as usize + 1] = [0, 48, 48, 24];
/// Divisor of the allowed nodes: a rest below this share is not worth a search.
pub(super) const REST: u64 = 64;
/// Bytes that the positions in whose vicinity a search keeps may take.
const VICINITY_BYTES: usize = 1 << 22;
/// Searches of a batch.
const BATCH: usize = 16;

/// A plan that is being made shorter: what was tried in vain is known where it is gone on with.
pub struct Shortening<'a> {
    board: &'a Board,
    distances: &'a PushDistances,
    tuning: Windows,
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
    /// The list, where the search rests in its middle. The plan may have changed since it was made.
    list: Option<Vec<Stretch>>,
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
    /// Upper limit of the nodes of one search, above which it rests.
    most: usize,
    /// Nodes expanded under the limits before, under the limit of now, and in this round.
    before: u64,
    looked: u64,
    in_round: u64,
    /// Upper limit of the nodes of all turns, when the last one was played.
    allowed: u64,
    /// Pushes of the plan, for others to see.
    least: Arc<AtomicU32>,
}

impl<'a> Shortening<'a> {
    /// Begins with pushes that lead from the level's start to a solved position; `None` where they
    /// do not.
    pub fn new(level: Prepared<'a>, plan: Vec<Push>, measure: Measure) -> Option<Self> {
        let Prepared { board, distances, tuning, .. } = level;
        let moves = lurd::moves(board, &plan)?;
        Some(Shortening {
            board,
            distances,
            tuning: tuning.windows,
            measure,
            keys: keys(board, &plan),
            least: Arc::new(AtomicU32::new(plan.len() as u32)),
            plan,
            moves,
            spent: AHashMap::new(),
            nodes: tuning.windows.first_nodes,
            lists: 0,
            list: None,
            tried: 0,
            better: false,
            open: false,
            with_moves: true,
            is_through: false,
            drifts: 0,
            most: usize::MAX,
            before: 0,
            looked: 0,
            allowed: u64::MAX,
            in_round: 0,
        })
    }

    /// Begins with such pushes where only pushes count.
    pub fn of_pushes(level: Prepared<'a>, plan: Vec<Push>) -> Option<Self> {
        let begun = Shortening::new(level, plan, Measure::Pushes)?;
        Some(Shortening { with_moves: false, ..begun })
    }

    /// From now on it rests where searches of more than `nodes` nodes each are due; nothing but that is
    /// done in a turn then.
    pub fn rest_above(&mut self, nodes: usize) {
        self.most = nodes;
    }

    /// Number of pushes of the plan, for others to see while it plays.
    pub fn least(&self) -> &Arc<AtomicU32> {
        &self.least
    }

    /// The same plan where only pushes count; it is exchanged for one that is as short first.
    pub fn drifting(&self) -> Self {
        Shortening {
            plan: self.plan.clone(),
            moves: self.moves.clone(),
            keys: self.keys.clone(),
            spent: self.spent.clone(),
            least: Arc::new(AtomicU32::new(self.plan.len() as u32)),
            lists: 1,
            list: None,
            tried: 0,
            better: false,
            open: false,
            with_moves: false,
            nodes: self.tuning.first_nodes,
            most: usize::MAX,
            before: 0,
            looked: 0,
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
        self.renew(u64::MAX);
        while self.go_on(clock, u64::MAX) == Ended::Resting {}
        self.looked
    }

    /// Counts the nodes of a new limit from now on.
    fn renew(&mut self, allowed: u64) {
        self.before += std::mem::take(&mut self.looked);
        self.allowed = allowed;
    }

    /// Goes on until the plan is better, `share` nodes are expanded under this limit, the clock's budget
    /// is spent, or nothing is left to try.
    fn go_on(&mut self, clock: &Clock, share: u64) -> Ended {
        self.is_through |= self.plan.is_empty();
        let before = self.cost(&self.moves);
        loop {
            if self.is_through {
                return Ended::Exhausted;
            }
            if let Some(stop) = self.stop(clock) {
                return Ended::Stopped(stop);
            }
            let is_better = self.cost(&self.moves) < before;
            if is_better || self.looked >= share || self.nodes > self.most {
                return Ended::Resting;
            }
            let price = self.price();
            let list = self.list.take();
            let seed = mix(clock.limits.seed ^ mix(self.lists));
            let list = list.unwrap_or_else(|| self.stretches(price, seed));
            if self.tried < list.len() {
                let (found, unfinished) = self.try_batch(&list[self.tried..], price, clock);
                self.better |= found;
                self.open |= unfinished;
            }
            if self.tried >= list.len() && !self.is_over(clock) {
                self.tried = 0;
                self.end_list();
            } else if !self.is_over(clock) {
                // A list that is stopped goes on with the stretches of the plan as it is by then.
                self.list = Some(list);
            }
        }
    }

    /// What the stretches of the list are to be cheap in.
    fn price(&self) -> Price {
        match self.measure {
            Measure::Moves => Price::Moves,
            Measure::Pushes if self.is_second() && self.with_moves => Price::PushesThenMoves,
            Measure::Pushes if self.is_second() => Price::PushesThenLots(self.lists as u32),
            Measure::Pushes => Price::Pushes,
        }
    }

    /// Whether the list is one for as many pushes.
    fn is_second(&self) -> bool {
        self.lists % 2 == 1
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
    /// second one, for as many pushes; after that searches are longer from now on.
    fn end_list(&mut self) {
        let last = self.is_second();
        let better = std::mem::take(&mut self.better);
        if better && !last {
            (self.lists, self.drifts) = (self.lists + 2, 0);
            return;
        }
        // At first pushes alone are worth the time.
        let is_first = self.nodes == self.tuning.first_nodes && self.with_moves && !last;
        self.lists += if is_first { 2 } else { 1 };
        if last {
            let open = std::mem::take(&mut self.open);
            self.is_through = if self.with_moves {
                !better && (!open || self.nodes >= self.tuning.most_nodes)
            } else {
                self.drifts += 1;
                let first = self.tuning.first_nodes as u64;
                self.drifts >= self.tuning.drifts && (!open || self.in_round < first)
            };
            self.in_round = 0;
        }
        if last || is_first {
            let Windows { more_nodes, most_nodes, most_nodes_drifting, .. } = self.tuning;
            let most = if self.with_moves { most_nodes } else { most_nodes_drifting };
            self.nodes = (self.nodes * more_nodes).min(most);
        }
    }

    /// Nodes with which it is worth while to go on: those of some searches of this round.
    pub fn worth_while(&self) -> u64 {
        (self.tuning.one_astray * self.nodes) as u64
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
        let Windows { shortest, drifting, pairs, triples, .. } = self.tuning;
        let is_second = matches!(price, Price::PushesThenMoves | Price::PushesThenLots(_));
        if let Price::PushesThenLots(_) = price {
            let starts = (0..end).step_by(drifting / 2);
            let to = |from: usize| (from + drifting).min(end);
            return starts.filter_map(|from| self.near(from, to(from), 1)).collect();
        }
        let mut list: Vec<Stretch> = Vec::new();
        let mut length = shortest;
        loop {
            let step = length.div_ceil(2);
            let is_first = self.nodes == self.tuning.first_nodes;
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
            list.extend(some_sets(boxes, 2, pairs, &mut random).into_iter().map(whole));
            list.extend(some_sets(boxes, 3, triples, &mut random).into_iter().map(whole));
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
        let tuning = &self.tuning;
        let times = match (price, stretch.astray) {
            (_, None) => 1,
            (Price::Pushes | Price::Moves, Some(1)) => tuning.one_astray,
            (Price::Pushes | Price::Moves, Some(2)) => tuning.two_astray,
            (Price::Pushes | Price::Moves, Some(_)) => tuning.three_astray,
            _ => tuning.second,
        };
        (self.nodes * times).min(tuning.most_nodes)
    }

    /// The boxes that may move in a window: all, or where they are many those that do now.
    fn window_boxes(&self, from: usize, to: usize) -> Vec<usize> {
        let count = self.board.boxes.len();
        if count <= self.tuning.many_boxes {
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

impl Search for Shortening<'_> {
    type Plan = Vec<Push>;
    type Lesson = ();

    fn name(&self) -> &'static str {
        "windows"
    }

    /// Goes on until the plan is better. A plan of the cost that is known is returned where it is better
    /// in the other measure.
    fn turn(&mut self, known: Known, allowance: &Allowance<'_>) -> Turn<Vec<Push>> {
        let &Allowance { share, nodes, memory, .. } = allowance;
        if nodes != self.allowed {
            self.renew(nodes);
        }
        let left = Some(nodes.saturating_sub(self.before)).filter(|_| nodes != u64::MAX);
        let limits = Limits { nodes: left, memory, ..allowance.clock.limits };
        let before = self.cost(&self.moves);
        let ended = self.go_on(&allowance.clock.under(limits), share.saturating_sub(self.before));
        let cost = self.cost(&self.moves);
        let is_better = cost < before && u64::from(cost.0) <= known.cost;
        let plan = is_better.then(|| (u64::from(cost.0), self.plan.clone()));
        Turn { plan, bound: 0, ended }
    }

    fn spent(&self) -> Spent {
        let expanded = self.before + self.looked;
        Spent { expanded, generated: 0, memory: self.memory() }
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
