//! Best-first search over single pushes: exact A* where asked for, weighted otherwise.
//!
//! A* (Hart, Nilsson and Raphael, 1968) with the bound of
//! [`bound`](crate::games::sokoban::planner::bound) proves least pushes, or least moves. With a
//! heavier weight on the bound the search is a member of the portfolio, good at levels where boxes
//! go home one by one and no order matters. What it leaves out is sound in either use: proven
//! deadlocks, mirror images of known positions, what cannot beat a known plan and, when pushes are
//! counted, moves outside a PI-corral
//! ([`corral`](crate::games::sokoban::planner::deadlock::corral)).
//!
//! PI-corrals also do what tunnel macros are for: a box that parts the board must be pushed on at
//! once. Goal-room macros are not here. Taking a box from the entrance of a room to its place at
//! once keeps optimality only where no other order of filling the room is proven to take fewer
//! pushes.
//!
//! With a packing plan to follow ([`progress`](crate::games::sokoban::planner::packing::progress)),
//! positions fall into cells by how much of it is done, and the distance of the next step counts as
//! well. Without a plan they may fall into cells by the number of boxes that are on no target, as
//! those of [backward search](crate::games::sokoban::planner::backward) do. Each way solves levels
//! that the others do not. The positions are in a [`position_table`](super::position_table).
//!
//! Exact search works on several threads. It takes a round of positions of one priority from the
//! open list, [expanders](super::expander) look at them with the tables at rest, and what they offer
//! is taken over in a fixed order. How long a round is depends on the expansions before it, and the
//! number of expanders is fixed. So plan, cost and expansions are the same for any number of
//! threads. A solved position may be taken in the middle of a round: all that was not expanded has
//! the same priority or more.

use super::expander::{Expander, Known, PushedPosition};
use super::position_table::{Limits, PositionTable};
use super::{Ended, Entry, Measure};
use crate::games::sokoban::board::{Board, Push, Square};
use crate::games::sokoban::planner::analysis::Prepared;
use crate::games::sokoban::planner::analysis::push_distance::PushDistances;
use crate::games::sokoban::planner::analysis::symmetry::Symmetry;
use crate::games::sokoban::planner::deadlock::{Deadlocks, Pattern};
use crate::games::sokoban::planner::packing::Packing;
use crate::games::sokoban::planner::packing::progress::PlanProgress;
use crate::search::open_lists::Contours;
use crate::search::{Clock, Progress, StopReason};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// Positions of corral searches that an expansion earns; more take longer than they save.
pub const EARNED: usize = 20;
/// Positions of corral searches that an expansion of exact search earns: few, for most of the
/// positions have to be looked at anyway.
const EARNED_EXACT: usize = 2;
/// Expanders of exact search: it uses as many threads. Their number is fixed, so that what each of
/// them learns does not depend on the machine.
const EXPANDERS: usize = 4;
/// Positions expanded before for each position of a round of exact search.
const NARROW: u64 = 64;
/// Upper limit of a round, in positions.
const WIDEST: u64 = 1 << 11;
/// Positions of a round that are worth calling threads for.
const WORTH_THREADS: usize = 32;
/// Positions that an expander expands between two looks at the clock.
const POLL: usize = 16;

/// How a search weighs the cost so far against the bound on the rest.
#[derive(Clone, Copy, Debug)]
pub struct Weights {
    /// Weight of the cost so far.
    pub cost: u32,
    /// Weight of the bound on the rest.
    pub bound: u32,
}

impl Weights {
    /// The weights that prove optimality.
    pub const EXACT: Weights = Weights { cost: 1, bound: 1 };
}

/// Which positions share a list.
enum Stages {
    /// All positions share one.
    One,
    /// Positions with the same number of boxes on no target share a list.
    Away,
    /// Positions with as much of a packing plan done share a list.
    Plan(Box<PlanProgress>),
}

/// Working state of the search.
pub struct BestFirst<'a> {
    board: &'a Board,
    /// Where the boxes and the player stand at first.
    start: (Vec<Square>, Square),
    distances: Arc<PushDistances>,
    symmetry: Symmetry,
    weights: Weights,
    positions: PositionTable<PushedPosition>,
    open: Contours<BinaryHeap<Reverse<Entry>>>,
    stages: Stages,
    expanders: Vec<Expander<'a>>,
    /// Deadlocks of each that the others know of.
    shared: Vec<usize>,
    /// The positions that are expanded together.
    round: Vec<u32>,
    /// Positions expanded before for each position of a round.
    narrow: u64,
    /// Positions of a round that are worth calling threads for.
    worth_threads: usize,
    /// Cost that is known to be possible; nothing that cannot beat it is kept.
    known: u32,
    /// Where the player must be able to walk in the end.
    end: Option<Square>,
    /// No plan costs less, by what the last run has seen; with exact weights.
    pub bound: u64,
    /// Nodes expanded.
    pub expansions: u64,
}

impl<'a> BestFirst<'a> {
    /// A search of a level.
    pub fn new(level: Prepared<'a>, measure: Measure, weights: Weights) -> Self {
        let start = (level.board.boxes.clone(), level.board.player);
        Self::from(level, measure, weights, start)
    }

    /// A search from a position of a level, which may have fewer boxes than it has targets: then it
    /// is over when each box is on one. The boxes must be in order.
    pub fn from(
        level: Prepared<'a>,
        measure: Measure,
        weights: Weights,
        start: (Vec<Square>, Square),
    ) -> Self {
        let Prepared { board, distances, .. } = level;
        let is_exact = weights.bound <= weights.cost;
        let (count, earned) = if is_exact { (EXPANDERS, EARNED_EXACT) } else { (1, EARNED) };
        let expander = |_| Expander::new(level, measure, is_exact, earned);
        BestFirst {
            board,
            symmetry: Symmetry::new(board),
            weights,
            positions: PositionTable::new(start.0.len()),
            start,
            open: Contours::new(1),
            stages: Stages::One,
            distances: distances.clone(),
            expanders: (0..count).map(expander).collect(),
            shared: vec![0; count],
            round: Vec::new(),
            narrow: NARROW,
            worth_threads: WORTH_THREADS,
            known: u32::MAX,
            end: None,
            bound: 0,
            expansions: 0,
        }
    }

    /// Successors generated.
    pub fn generated(&self) -> u64 {
        self.expanders.iter().map(|expander| expander.generated).sum()
    }

    /// Deadlock tests, where the search is weighted.
    pub fn deadlocks(&mut self) -> &mut Deadlocks<'a> {
        &mut self.expanders[0].deadlocks
    }

    /// Follows a packing plan from now on, before the first run.
    pub fn follow(&mut self, packing: Arc<Packing>) {
        let plan_progress = PlanProgress::new(self.board, packing);
        self.open = Contours::new(plan_progress.stages().max(1));
        self.stages = Stages::Plan(Box::new(plan_progress));
    }

    /// Gives each number of boxes that are on no target its share from now on, before the first
    /// run.
    pub fn count_away(&mut self) {
        self.open = Contours::new(self.start.0.len() + 1);
        self.stages = Stages::Away;
    }

    /// Tells mirror images apart from now on, before the first run: for costs that are not the same
    /// in a mirror.
    pub fn tell_images_apart(&mut self) {
        self.symmetry = Symmetry::none(self.board);
        self.expanders.iter_mut().for_each(Expander::tell_images_apart);
    }

    /// Only plans that cost less than this are of interest from now on.
    pub fn beat(&mut self, cost: u32) {
        self.known = self.known.min(cost);
    }

    /// From now on the search is over only where the player reaches this square in the end. That
    /// nothing is found proves nothing then.
    pub fn end_with(&mut self, player: Square) {
        self.end = Some(player);
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        self.positions.memory()
            + self.open.len() * size_of::<Entry>()
            + match &self.stages {
                Stages::Plan(plan_progress) => plan_progress.memory(),
                Stages::One | Stages::Away => 0,
            }
            + self.distances.memory()
            + self.expanders.iter().map(Expander::memory).sum::<usize>()
    }

    /// Searches until solved, proven impossible or out of budget, holding no more than `memory` bytes. It rests at the
    /// end of the round in which it has expanded `share` positions in all; it expands no more than `nodes`.
    pub fn run(&mut self, clock: &Clock, (share, nodes): (u64, u64), memory: usize) -> Ended {
        if self.positions.is_empty() {
            self.expanders[0].offer_start(&self.start.0, self.start.1);
            self.take_over();
        }
        let limits = Limits { clock, expansions: share.min(nodes), memory };
        self.bound = 0;
        while let Some((cell, entry)) = self.open.next() {
            let Reverse((priority, _, age)) = entry;
            // Of a position's entries the cheapest comes first.
            if self.positions.node(!age).closed {
                continue;
            }
            self.bound = self.bound.max(u64::from(priority));
            if self.is_exact() && priority >= self.known {
                return Ended::Impossible;
            }
            if let Some(way) = self.solution(!age) {
                return Ended::Solved(way);
            }
            if let Some(stop) = self.should_stop(&limits) {
                self.open.put_back(cell, entry);
                return Ended::Stopped(stop);
            }
            self.round.clear();
            self.round.push(!age);
            if let Some(way) = self.fill_round(priority, nodes) {
                return Ended::Solved(way);
            }
            self.expand_round(clock);
            if !self.has_room(memory) {
                self.put_round_back(cell, priority);
                return Ended::Stopped(StopReason::Memory);
            }
            self.expansions += self.round.len() as u64;
            self.take_over();
            // Where the time is over, successors may be missing.
            if let Some(stop) = clock.should_stop(0, 0) {
                return Ended::Stopped(stop);
            }
        }
        Ended::Impossible
    }

    fn is_exact(&self) -> bool {
        self.weights.bound <= self.weights.cost
    }

    /// The plan that leads to a position, where that is one to end with.
    fn solution(&mut self, index: u32) -> Option<Vec<Push>> {
        let boxes = self.positions.boxes(index);
        if !boxes.iter().all(|&s| self.board.is_target[s as usize]) {
            return None;
        }
        let way = self.path_to(index);
        let player = way.last().map_or(self.start.1, |push| push.from);
        let fits = self.end.is_none_or(|end| self.expanders[0].reaches_in_the_end(player, end));
        fits.then_some(way)
    }

    /// Takes more positions of this priority into the round, whose positions are expanded at the
    /// same time; how many depends only on how many were expanded before. Where one is solved, its
    /// plan.
    fn fill_round(&mut self, priority: u32, nodes: u64) -> Option<Vec<Push>> {
        self.positions.node_mut(self.round[0]).closed = true;
        if self.expanders.len() == 1 {
            return None;
        }
        let width = (self.expansions / self.narrow).clamp(1, WIDEST).min(nodes - self.expansions);
        while (self.round.len() as u64) < width
            && let Some((cell, entry)) = self.open.next()
        {
            let Reverse((its_priority, _, age)) = entry;
            let index = !age;
            if its_priority != priority {
                self.open.put_back(cell, entry);
                break;
            }
            if self.positions.node(index).closed {
                continue;
            }
            if let Some(way) = self.solution(index) {
                return Some(way);
            }
            self.positions.node_mut(index).closed = true;
            self.round.push(index);
        }
        None
    }

    /// Lets the expanders expand the round, its positions dealt out to them in turn.
    fn expand_round(&mut self, clock: &Clock) {
        let reopens = self.is_exact();
        let known = &Known { positions: &self.positions, cost: self.known, reopens };
        let (round, count) = (&self.round, self.expanders.len());
        let expand = |(first, expander): (usize, &mut Expander<'a>)| {
            for (turn, &index) in round.iter().skip(first).step_by(count).enumerate() {
                if turn % POLL == POLL - 1 && clock.should_stop(0, 0).is_some() {
                    return;
                }
                expander.expand(index, known, clock);
            }
        };
        if round.len() < self.worth_threads {
            self.expanders.iter_mut().enumerate().for_each(expand);
        } else {
            self.expanders.par_iter_mut().enumerate().for_each(expand);
        }
    }

    /// Makes room for everything that is offered.
    fn has_room(&mut self, memory: usize) -> bool {
        let held = self.memory();
        let count = self.expanders.iter().map(|e| e.offers.len()).sum();
        self.positions.make_room(count, held, memory)
    }

    /// Takes back that the round was taken from the open list.
    fn put_round_back(&mut self, cell: usize, priority: u32) {
        for index in std::mem::take(&mut self.round) {
            self.positions.node_mut(index).closed = false;
            let bound = self.positions.node(index).bound;
            self.open.put_back(cell, Reverse((priority, bound, !index)));
        }
        self.expanders.iter_mut().for_each(|expander| {
            expander.offers.clear();
            expander.offered.clear();
            expander.raised.clear();
        });
    }

    /// Takes over what the expanders offer, and lets each learn what the others have learned.
    fn take_over(&mut self) {
        for number in 0..self.expanders.len() {
            let offers = std::mem::take(&mut self.expanders[number].offers);
            let offered = std::mem::take(&mut self.expanders[number].offered);
            let width = self.start.0.len();
            for (at, &(key, node)) in offers.iter().enumerate() {
                self.reach(key, node, &offered[at * width..][..width]);
            }
            let expander = &mut self.expanders[number];
            (expander.offers, expander.offered) = (offers, offered);
            expander.offers.clear();
            expander.offered.clear();
            let raised = std::mem::take(&mut expander.raised);
            raised.into_iter().for_each(|(index, bound)| self.put_off(index, bound));
        }
        if self.expanders.len() > 1 {
            self.share_deadlocks();
        }
    }

    /// Puts a position back that has a greater bound than was known when it was taken.
    fn put_off(&mut self, index: u32, bound: u16) {
        let node = self.positions.node_mut(index);
        (node.bound, node.closed) = (bound, false);
        let node = *node;
        if node.cost + u32::from(bound) < self.known {
            self.push_open(node, index);
        }
    }

    fn share_deadlocks(&mut self) {
        let known = self.shared.iter().zip(&self.expanders);
        let learned: Vec<Vec<Pattern>> =
            known.map(|(&known, e)| e.deadlocks.learned_since(known).to_vec()).collect();
        for (number, expander) in self.expanders.iter_mut().enumerate() {
            let others = learned.iter().enumerate().filter(|(other, _)| *other != number);
            others.for_each(|(_, patterns)| expander.deadlocks.adopt(patterns));
            self.shared[number] = expander.deadlocks.patterns();
        }
    }

    /// Notes a position that was reached, unless it is known at no greater cost.
    fn reach(&mut self, key: u64, node: PushedPosition, boxes: &[Square]) {
        let (positions, reopens) = (&self.positions, self.is_exact());
        let known = Known { positions, cost: self.known, reopens };
        match self.positions.find(key, boxes, |other| other.player == node.player) {
            Err(slot) => {
                let index = self.positions.add(slot, node, boxes);
                self.push_open(node, index);
            }
            Ok(at) if known.is_better(self.positions.node(at), node.cost) => {
                *self.positions.node_mut(at) = node;
                self.push_open(node, at);
            }
            Ok(_) => {}
        }
    }

    fn should_stop(&mut self, limits: &Limits<'_>) -> Option<StopReason> {
        // A priority with a heavier weight on the bound proves nothing.
        let bound = if self.is_exact() { self.bound } else { 0 };
        let (nodes, held) = (self.expansions, self.memory());
        self.positions.should_stop(limits, (nodes, held), || Progress {
            phase: "best-first search".into(),
            nodes,
            bound,
            ..Progress::default()
        })
    }

    fn priority(&self, cost: u32, bound: u16) -> u32 {
        cost * self.weights.cost + u32::from(bound) * self.weights.bound
    }

    fn push_open(&mut self, node: PushedPosition, index: u32) {
        let boxes = self.positions.boxes(index);
        let (cell, near) = match &mut self.stages {
            Stages::One => (0, 0),
            Stages::Away => {
                (boxes.iter().filter(|&&s| !self.board.is_target[s as usize]).count(), 0)
            }
            Stages::Plan(plan_progress) => plan_progress.look(self.board, boxes, node.player),
        };
        let priority = self.priority(node.cost, node.bound) + u32::from(near);
        // Of equal ones the nearest to the end comes first, and of those the newest.
        self.open.push(cell, Reverse((priority, node.bound, !index)));
    }

    /// The pushes that lead to a node, in the level's own frame.
    fn path_to(&self, mut index: u32) -> Vec<Push> {
        let mut way = Vec::new();
        while index != 0 {
            let node = self.positions.node(index);
            way.push(node);
            index = node.parent;
        }
        let next = &self.board.next;
        let mut frame = self.back_from(self.positions.node(0).turn);
        let mut pushes = Vec::with_capacity(way.len());
        for node in way.iter().rev() {
            let to = next[node.from as usize][node.direction as usize];
            let (from, to) = (frame[node.from as usize], frame[to as usize]);
            let direction = next[from as usize].iter().position(|&s| s == to).unwrap_or(0) as u8;
            pushes.push(Push { from, direction });
            let back = self.back_from(node.turn);
            frame = back.iter().map(|&s| frame[s as usize]).collect();
        }
        pushes
    }

    /// The inverse of a symmetry.
    fn back_from(&self, turn: u8) -> Vec<Square> {
        let map = &self.symmetry.maps()[turn as usize];
        let mut back = map.clone();
        map.iter().enumerate().for_each(|(s, &image)| back[image as usize] = s as Square);
        back
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::sokoban::board::State;
    use crate::games::sokoban::board::samples::{least_pushes, random_level};
    use crate::games::sokoban::planner::analysis::level::LevelAnalysis;
    use crate::games::sokoban::planner::tuning::Tuning;
    use crate::search::Run;

    /// Positions that plain search may expand.
    const MOST_POSITIONS: usize = 30_000;

    #[test]
    fn rounds_on_any_number_of_threads_prove_what_plain_search_finds() {
        let pools = [1, 2, 3].map(|threads| {
            rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool")
        });
        let (mut solved, mut impossible, mut wide) = (0, 0, 0);
        for seed in 0..8000 {
            let Some(board) = random_level(seed, 8, 9).filter(Board::balanced) else { continue };
            let Some(least) = least_pushes(&board, MOST_POSITIONS) else { continue };
            let analysis = LevelAnalysis::new(&board);
            let distances = Arc::new(PushDistances::new(&board));
            let level = Prepared {
                board: &board,
                analysis: &analysis,
                distances: &distances,
                tuning: &Tuning::default(),
            };
            let budget = Run::seconds(1000.0);
            let clock = budget.start();
            let answers = pools.each_ref().map(|pool| {
                let mut search = BestFirst::new(level, Measure::Pushes, Weights::EXACT);
                (search.narrow, search.worth_threads) = (1, 2);
                let ended = pool.install(|| search.run(&clock, (u64::MAX, u64::MAX), usize::MAX));
                wide += u32::from(search.expansions > 20);
                (format!("{ended:?}"), search.expansions, search.generated(), ended)
            });
            for answer in &answers[1..] {
                assert_eq!(answer.0, answers[0].0, "seed {seed}");
                assert_eq!((answer.1, answer.2), (answers[0].1, answers[0].2), "seed {seed}");
            }
            match &answers[0].3 {
                Ended::Solved(pushes) => {
                    let mut state = State::new(&board);
                    for &push in pushes {
                        assert!(state.may_push(push), "seed {seed}: {push:?}");
                        state.push(push);
                    }
                    assert_eq!((Some(pushes.len()), state.misplaced), (least, 0), "seed {seed}");
                    solved += 1;
                }
                Ended::Impossible => {
                    assert_eq!(least, None, "seed {seed}");
                    impossible += 1;
                }
                Ended::Exhausted => panic!("seed {seed}: exhausted"),
                Ended::Stopped(stop) => panic!("seed {seed}: {stop}"),
            }
        }
        let count = format!("{solved} solved, {impossible} impossible, {wide} of many expansions");
        assert!(solved > 100 && impossible > 50 && wide > 5, "{count}");
    }
}
