//! Best-first search over single pushes: exact A* where asked for, weighted otherwise.
//!
//! A* (Hart, Nilsson and Raphael, 1968) with the matching bound of [`super::matching`] proves least
//! pushes, or least moves; with a heavier weight on the bound it is the portfolio's other half,
//! good at levels where boxes go home one by one and no order matters. What it leaves out is sound
//! in either use: proven deadlocks, and, when pushes are counted, moves outside a PI-corral
//! (Virkkala, 2011): where the player can already do every push into a closed part of the board,
//! and none leads out of it, one of them must come first or may as well.
//!
//! Positions with equal keys are compared box by box, since a wrong merge would break the proof.

use super::deadlock::Deadlocks;
use super::matching::Matching;
use super::terrain::{Terrain, put, take};
use crate::board::mix;
use crate::games::sokoban::state::{Board, Flood, Push, Square};
use crate::search::{Clock, Progress, Stop};
use ahash::AHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Expansions between two looks at the clock.
const POLL: u64 = 16;

/// What a plan's length counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Pushes.
    Pushes,
    /// Moves: pushes and the steps between them.
    Moves,
}

/// How a search weighs what is spent against what is left.
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

/// What the search comes to.
#[derive(Debug)]
pub enum Ended {
    /// Pushes to a solved position; of least cost where the weights are exact.
    Solved(Vec<Push>),
    /// Proven: no plan.
    Impossible,
    /// The budget is spent; with exact weights no plan costs less than the number.
    Stopped(Stop, u64),
}

#[derive(Clone, Copy, Debug)]
struct Node {
    parent: u32,
    /// Next node with the same key, or `u32::MAX`.
    same: u32,
    cost: u32,
    bound: u16,
    push: Push,
    /// The player: least square of the region, or the square itself where moves count.
    player: Square,
    closed: bool,
}

/// Working state of the search.
pub struct BestFirst<'a> {
    board: &'a Board,
    terrain: &'a Terrain,
    measure: Measure,
    weights: Weights,
    nodes: Vec<Node>,
    boxes: Vec<Square>,
    first: AHashMap<u64, u32>,
    open: BinaryHeap<Reverse<(u32, u32, u32)>>,
    /// Deadlock tests.
    pub deadlocks: Deadlocks<'a>,
    matching: Matching,
    occupied: Vec<bool>,
    bits: Vec<u64>,
    flood: Flood,
    inner: Flood,
    here: Vec<Square>,
    walk: Vec<u32>,
    /// Nodes expanded.
    pub expansions: u64,
    /// Children generated.
    pub generated: u64,
}

impl<'a> BestFirst<'a> {
    /// A search of a level.
    pub fn new(board: &'a Board, terrain: &'a Terrain, measure: Measure, weights: Weights) -> Self {
        let mut occupied = vec![false; board.squares() + 1];
        occupied[board.squares()] = true;
        BestFirst {
            board,
            terrain,
            measure,
            weights,
            nodes: Vec::new(),
            boxes: Vec::new(),
            first: AHashMap::new(),
            open: BinaryHeap::new(),
            deadlocks: Deadlocks::new(board, terrain),
            matching: Matching::default(),
            occupied,
            bits: vec![0; terrain.words],
            flood: Flood::new(board),
            inner: Flood::new(board),
            here: Vec::new(),
            walk: vec![0; board.squares() + 1],
            expansions: 0,
            generated: 0,
        }
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + self.boxes.capacity() * size_of::<Square>()
            + self.first.capacity() * 18
            + self.open.capacity() * 12
            + self.deadlocks.memory()
    }

    /// Searches until solved, proven impossible or out of budget; no more than `limit` expansions
    /// in all, and holding no more than `memory` bytes.
    pub fn run(&mut self, clock: &Clock<'_>, limit: u64, memory: usize) -> Ended {
        if self.nodes.is_empty() && !self.start() {
            return Ended::Impossible;
        }
        let mut bound = 0;
        while let Some(Reverse((priority, _, index))) = self.open.pop() {
            let node = self.nodes[index as usize];
            if node.closed || self.priority(node.cost, node.bound) != priority {
                continue;
            }
            bound = bound.max(u64::from(priority));
            self.load(index);
            if self.here.iter().all(|&s| self.board.is_target[s as usize]) {
                return Ended::Solved(self.way_to(index));
            }
            let stop = if self.expansions >= limit {
                Some(Stop::Nodes)
            } else if self.expansions.is_multiple_of(POLL) {
                clock.tell(&Progress {
                    phase: "best-first search".into(),
                    nodes: self.expansions,
                    bound,
                    ..Progress::default()
                });
                if self.memory() > memory { Some(Stop::Memory) } else { clock.should_stop(0, 0) }
            } else {
                None
            };
            if let Some(stop) = stop {
                self.open.push(Reverse((priority, 0, index)));
                return Ended::Stopped(stop, bound);
            }
            self.nodes[index as usize].closed = true;
            self.expand(index);
        }
        Ended::Impossible
    }

    fn priority(&self, cost: u32, bound: u16) -> u32 {
        cost * self.weights.cost + u32::from(bound) * self.weights.bound
    }

    fn start(&mut self) -> bool {
        let boxes = self.board.boxes.clone();
        let Some(bound) = self.matching.solve(self.terrain, &boxes) else { return false };
        for &s in &boxes {
            self.occupied[s as usize] = true;
        }
        self.flood.fill(self.board, &self.occupied, self.board.player);
        for &s in &boxes {
            self.occupied[s as usize] = false;
        }
        let (player, key) = self.normal(&boxes, self.board.player);
        let push = Push { from: 0, direction: 0 };
        let bound = bound.min(u32::from(u16::MAX)) as u16;
        let (same, closed) = (u32::MAX, false);
        self.nodes.push(Node { parent: 0, same, cost: 0, bound, push, player, closed });
        self.boxes.extend_from_slice(&boxes);
        self.first.insert(key, 0);
        self.open.push(Reverse((self.priority(0, bound), 0, 0)));
        true
    }

    /// The player as a position keeps it, and the position's key. `flood` holds the region.
    fn normal(&self, boxes: &[Square], player: Square) -> (Square, u64) {
        let player = match self.measure {
            Measure::Moves => player,
            Measure::Pushes => self.flood.reached.iter().copied().min().unwrap_or(player),
        };
        let key = boxes.iter().fold(0, |key, &s| key ^ self.board.box_keys[s as usize]);
        (player, mix(key ^ self.board.region_keys[player as usize]))
    }

    /// Takes a node's boxes into `here`, sorted.
    fn load(&mut self, index: u32) {
        let count = self.board.boxes.len();
        self.here.clear();
        self.here.extend_from_slice(&self.boxes[index as usize * count..][..count]);
    }

    fn way_to(&self, mut index: u32) -> Vec<Push> {
        let mut pushes = Vec::new();
        while index != 0 {
            let node = &self.nodes[index as usize];
            pushes.push(node.push);
            index = node.parent;
        }
        pushes.reverse();
        pushes
    }

    fn expand(&mut self, index: u32) {
        self.expansions += 1;
        let node = self.nodes[index as usize];
        let here = std::mem::take(&mut self.here);
        if index == 0 || !self.deadlocks.is_dead(&here, node.player) {
            for &s in &here {
                self.occupied[s as usize] = true;
                put(&mut self.bits, s);
            }
            self.matching.solve(self.terrain, &here);
            self.flood.fill(self.board, &self.occupied, node.player);
            if self.measure == Measure::Moves {
                self.measure_walks(node.player);
            }
            let only = match self.measure {
                Measure::Pushes => self.deadlocks.pi_corral(&here, &self.flood),
                Measure::Moves => None,
            };
            std::mem::swap(&mut self.flood, &mut self.inner);
            for i in 0..here.len() {
                if only.as_ref().is_none_or(|members| members.contains(&here[i])) {
                    self.push_box(index, &here, i);
                }
            }
            for &s in &here {
                self.occupied[s as usize] = false;
                take(&mut self.bits, s);
            }
        }
        self.here = here;
    }

    /// Steps of the player from a square to all it can reach.
    fn measure_walks(&mut self, player: Square) {
        // The flood visits squares in order of distance.
        self.walk[player as usize] = 0;
        for i in 1..self.flood.reached.len() {
            self.walk[self.flood.reached[i] as usize] = u32::MAX;
        }
        for i in 0..self.flood.reached.len() {
            let square = self.flood.reached[i];
            let steps = self.walk[square as usize] + 1;
            for next in self.board.next[square as usize] {
                if self.flood.contains(next) && self.walk[next as usize] > steps {
                    self.walk[next as usize] = steps;
                }
            }
        }
    }

    /// The children that push one box. `inner` holds the player's region.
    fn push_box(&mut self, index: u32, here: &[Square], i: usize) {
        let from = here[i];
        let next = self.board.next[from as usize];
        for d in 0..4u8 {
            let (to, behind) = (next[d as usize], next[d as usize ^ 2]);
            if !self.inner.contains(behind)
                || self.occupied[to as usize]
                || !self.terrain.live[to as usize]
            {
                continue;
            }
            self.generated += 1;
            self.occupied[from as usize] = false;
            self.occupied[to as usize] = true;
            take(&mut self.bits, from);
            put(&mut self.bits, to);
            if !self.deadlocks.is_dead_quickly(&self.occupied, &self.bits, to, from)
                && let Some(bound) = self.matching.moved(self.terrain, i, to)
            {
                let walk = match self.measure {
                    Measure::Pushes => 0,
                    Measure::Moves => self.walk[behind as usize],
                };
                let cost = self.nodes[index as usize].cost + 1 + walk;
                let mut boxes = here.to_vec();
                boxes[i] = to;
                boxes.sort_unstable();
                self.flood.fill(self.board, &self.occupied, from);
                let push = Push { from, direction: d };
                self.offer(index, &boxes, push, cost, bound);
            }
            self.occupied[from as usize] = true;
            self.occupied[to as usize] = false;
            put(&mut self.bits, from);
            take(&mut self.bits, to);
        }
    }

    /// Puts a child into the open list unless it is known at no greater cost.
    fn offer(&mut self, parent: u32, boxes: &[Square], push: Push, cost: u32, bound: u32) {
        let (player, key) = self.normal(boxes, push.from);
        let count = boxes.len();
        let head = self.first.get(&key).copied().unwrap_or(u32::MAX);
        let mut at = head;
        while at != u32::MAX {
            let node = &self.nodes[at as usize];
            if node.player == player && self.boxes[at as usize * count..][..count] == *boxes {
                break;
            }
            at = node.same;
        }
        let bound = bound.min(u32::from(u16::MAX)) as u16;
        if at == u32::MAX {
            at = self.nodes.len() as u32;
            let (same, closed) = (head, false);
            self.nodes.push(Node { parent, same, cost, bound, push, player, closed });
            self.boxes.extend_from_slice(boxes);
            self.first.insert(key, at);
        } else {
            let node = &mut self.nodes[at as usize];
            // Weighted search does not look at a position twice.
            let fixed = node.closed && self.weights.bound > self.weights.cost;
            if node.cost <= cost || fixed {
                return;
            }
            (node.parent, node.cost, node.push, node.closed) = (parent, cost, push, false);
        }
        self.open.push(Reverse((self.priority(cost, bound), u32::from(bound), at)));
    }
}
