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
//! that the others do not. The positions are in a [`position_table`].

use super::Measure;
use super::cyclic_open_list::{CyclicOpenList, Entry};
use super::position_table::{self, Limits, PositionTable, narrow};
use crate::games::sokoban::board::region::{Flood, Occupied};
use crate::games::sokoban::board::square_set::{put, take};
use crate::games::sokoban::board::{Board, Push, Square};
use crate::games::sokoban::planner::analysis::Prepared;
use crate::games::sokoban::planner::analysis::level::LevelAnalysis;
use crate::games::sokoban::planner::analysis::push_distance::PushDistances;
use crate::games::sokoban::planner::analysis::symmetry::Symmetry;
use crate::games::sokoban::planner::bound::LowerBound;
use crate::games::sokoban::planner::deadlock::Deadlocks;
use crate::games::sokoban::planner::deadlock::corral::Corrals;
use crate::games::sokoban::planner::packing::Packing;
use crate::games::sokoban::planner::packing::progress::PlanProgress;
use crate::search::state_registry::Slot;
use crate::search::{Clock, Progress, StopReason};
use smallvec::SmallVec;
use std::sync::Arc;

/// Positions of corral searches that an expansion earns; more take longer than they save.
pub const EARNED: usize = 20;
/// Boxes of one position between two looks at the clock.
const POLL_BOXES: usize = 32;

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

/// Which positions share a list.
enum Stages {
    /// All.
    One,
    /// Those with as many boxes on no target.
    Away,
    /// Those with as much of a packing plan done.
    Plan(Box<PlanProgress>),
}

/// What the search comes to.
#[derive(Debug)]
pub enum Ended {
    /// Pushes to a solved position; of least cost where the weights are exact.
    Solved(Vec<Push>),
    /// Proven: no plan, or none that costs less than the one known.
    Impossible,
    /// The budget is spent; with exact weights no plan costs less than the number.
    Stopped(StopReason, u64),
}

#[derive(Clone, Copy, Debug)]
struct Node {
    parent: u32,
    cost: u32,
    bound: u16,
    /// The player: least square of the region, or the square itself where moves count.
    player: Square,
    /// The push that led here, in the parent's frame.
    from: Square,
    direction: u8,
    /// Which symmetry laid the successor of that push onto this node.
    turn: u8,
    closed: bool,
}

/// A position about to be looked up, in the frame that makes it least.
#[derive(Clone, Debug, Default)]
struct Candidate {
    boxes: Vec<Square>,
    player: Square,
    turn: u8,
    image: Vec<Square>,
}

/// Working state of the search.
pub struct BestFirst<'a> {
    board: &'a Board,
    analysis: &'a LevelAnalysis,
    /// Where the boxes and the player stand at first.
    start: (Vec<Square>, Square),
    distances: Arc<PushDistances>,
    symmetry: Symmetry,
    measure: Measure,
    weights: Weights,
    positions: PositionTable<Node>,
    open: CyclicOpenList,
    stages: Stages,
    /// Deadlock tests.
    pub deadlocks: Deadlocks<'a>,
    bound: LowerBound<'a>,
    corrals: Corrals,
    occupied: Occupied,
    bits: Vec<u64>,
    flood: Flood,
    inner: Flood,
    here: Vec<Square>,
    here_poses: Vec<u32>,
    candidate: Candidate,
    /// Least image of the player's region at the node being expanded, by symmetry.
    least: Vec<Square>,
    walk: Vec<u32>,
    /// Cost that is known to be possible; nothing that cannot beat it is kept.
    known: u32,
    /// Where the player must be able to walk in the end.
    end: Option<Square>,
    /// Nodes expanded.
    pub expansions: u64,
    /// Successors generated.
    pub generated: u64,
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
        let Prepared { board, analysis, distances } = level;
        BestFirst {
            board,
            analysis,
            symmetry: Symmetry::new(board),
            measure,
            weights,
            positions: PositionTable::new(start.0.len()),
            start,
            open: CyclicOpenList::new(1),
            stages: Stages::One,
            deadlocks: Deadlocks::new(board, analysis, EARNED),
            bound: if weights.bound > weights.cost {
                LowerBound::of_matching(board)
            } else {
                LowerBound::new(board, distances)
            },
            corrals: Corrals::new(board),
            distances: distances.clone(),
            occupied: Occupied::new(&board.layout),
            bits: vec![0; analysis.words],
            flood: Flood::new(&board.layout),
            inner: Flood::new(&board.layout),
            here: Vec::new(),
            here_poses: Vec::new(),
            candidate: Candidate::default(),
            least: Vec::new(),
            walk: vec![0; board.squares() + 1],
            known: u32::MAX,
            end: None,
            expansions: 0,
            generated: 0,
        }
    }

    /// Follows a packing plan from now on, before the first run.
    pub fn follow(&mut self, packing: Arc<Packing>) {
        let plan_progress = PlanProgress::new(self.board, packing);
        self.open = CyclicOpenList::new(plan_progress.stages());
        self.stages = Stages::Plan(Box::new(plan_progress));
    }

    /// Gives each number of boxes that are on no target its share from now on, before the first
    /// run.
    pub fn count_away(&mut self) {
        self.open = CyclicOpenList::new(self.start.0.len() + 1);
        self.stages = Stages::Away;
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
            + self.open.memory()
            + match &self.stages {
                Stages::Plan(plan_progress) => plan_progress.memory(),
                Stages::One | Stages::Away => 0,
            }
            + self.distances.memory()
            + self.bound.memory()
            + self.deadlocks.memory()
    }

    /// Searches until solved, proven impossible or out of budget; no more than `limit` expansions
    /// in all, and holding no more than `memory` bytes.
    pub fn run(&mut self, clock: &Clock<'_>, limit: u64, memory: usize) -> Ended {
        if self.positions.is_empty() && !self.start() {
            return Ended::Impossible;
        }
        let limits = Limits { clock, expansions: limit, memory };
        let mut bound = 0;
        while let Some((cell, entry)) = self.open.pop() {
            let (priority, _, age): Entry = entry;
            let index = !age;
            let node = self.positions.node(index);
            // Of a position's entries the cheapest comes first.
            if node.closed {
                continue;
            }
            bound = bound.max(u64::from(priority));
            if self.weights.bound <= self.weights.cost && priority >= self.known {
                return Ended::Impossible;
            }
            self.load(index);
            if self.here.iter().all(|&s| self.board.is_target[s as usize]) {
                let way = self.path_to(index);
                if self.end.is_none_or(|end| self.reaches(&way, end)) {
                    return Ended::Solved(way);
                }
            }
            if let Some(stop) = self.should_stop(&limits, bound) {
                self.open.put_back(cell, entry);
                return Ended::Stopped(stop, bound);
            }
            self.positions.node_mut(index).closed = true;
            self.expand(index, clock);
        }
        Ended::Impossible
    }

    fn should_stop(&mut self, limits: &Limits<'_>, bound: u64) -> Option<StopReason> {
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

    fn start(&mut self) -> bool {
        let (board, player) = (self.board, self.start.1);
        self.here.clear();
        self.here.extend_from_slice(&self.start.0);
        self.distances.read(board, &self.here, player, &mut self.here_poses);
        let Some(bound) = self.bound.place(&self.distances, &self.here_poses) else {
            return false;
        };
        self.set(true);
        self.flood.fill(&self.occupied, player);
        self.set(false);
        self.candidate.boxes.clone_from(&self.start.0);
        self.measure_region();
        let slot = self.look_up(player, &self.least.clone()).err();
        if let Some(slot) = slot {
            let bound = narrow(bound);
            self.add(slot, Node { bound, ..self.new_node(0, Push { from: 0, direction: 0 }, 0) });
        }
        true
    }

    /// Puts the boxes of `here` on the board, or takes them off.
    fn set(&mut self, value: bool) {
        self.occupied.set_all(&self.here, value);
        for &s in &self.here {
            if value { put(&mut self.bits, s) } else { take(&mut self.bits, s) }
        }
    }

    /// Least image of the region in `flood` by each symmetry.
    fn measure_region(&mut self) {
        self.least.clear();
        self.least.extend(self.symmetry.least_images(&self.flood));
    }

    /// Brings the candidate, whose boxes are set, into the frame that makes it least, and looks it
    /// up. `player` is where the player stands; where pushes count, `least` holds the least squares
    /// of its region.
    fn look_up(&mut self, player: Square, least: &[Square]) -> Result<u32, Slot> {
        let place = |number: usize, map: &[Square]| match self.measure {
            Measure::Moves => map[player as usize],
            Measure::Pushes => least[number],
        };
        let Candidate { boxes, player: chosen, turn, image } = &mut self.candidate;
        boxes.sort_unstable();
        let maps = self.symmetry.maps();
        (*turn, *chosen) = (0, place(0, &maps[0]));
        if self.symmetry.is_any() {
            let plain = boxes.clone();
            for (number, map) in maps.iter().enumerate().skip(1) {
                image.clear();
                image.extend(plain.iter().map(|&s| map[s as usize]));
                image.sort_unstable();
                let player = place(number, map);
                if (&*image, player) < (&*boxes, *chosen) {
                    std::mem::swap(image, boxes);
                    (*chosen, *turn) = (player, number as u8);
                }
            }
        }
        let Candidate { boxes, player, .. } = &self.candidate;
        let key = position_table::key(self.board, boxes, *player);
        self.positions.find(key, boxes, |node| node.player == *player)
    }

    /// The candidate as a node, its bound still to be found.
    fn new_node(&self, parent: u32, push: Push, cost: u32) -> Node {
        let Candidate { player, turn, .. } = self.candidate;
        let Push { from, direction } = push;
        Node { parent, cost, bound: 0, player, from, direction, turn, closed: false }
    }

    fn add(&mut self, slot: Slot, node: Node) {
        let index = self.positions.add(slot, node, &self.candidate.boxes);
        self.push_open(node, index);
    }

    fn push_open(&mut self, node: Node, index: u32) {
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
        self.open.push(cell, (priority, node.bound, !index));
    }

    /// Takes a node's boxes into `here`, sorted.
    fn load(&mut self, index: u32) {
        self.here.clear();
        self.here.extend_from_slice(self.positions.boxes(index));
    }

    /// Whether the player reaches a square when all boxes have been pushed to the targets.
    fn reaches(&mut self, way: &[Push], end: Square) -> bool {
        let player = way.last().map_or(self.start.1, |push| push.from);
        self.occupied.set_all(&self.board.targets, true);
        self.flood.fill(&self.occupied, player);
        self.occupied.set_all(&self.board.targets, false);
        self.flood.contains(end)
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

    fn expand(&mut self, index: u32, clock: &Clock<'_>) {
        self.expansions += 1;
        let node = self.positions.node(index);
        if index != 0 && self.deadlocks.is_cut_off(&self.here) {
            return;
        }
        self.set(true);
        self.flood.fill(&self.occupied, node.player);
        self.corrals.find(self.board, &self.occupied, self.here.len(), &self.flood);
        let dead = index != 0
            && self.corrals.all().iter().any(|corral| {
                self.deadlocks.is_dead_corral(&corral.area, &corral.boxes, node.player)
            });
        if !dead {
            self.push_all(index, node, clock);
        }
        self.set(false);
    }

    /// The successors of a node whose boxes are on the board and whose region is in `flood`.
    fn push_all(&mut self, index: u32, node: Node, clock: &Clock<'_>) {
        self.distances.read(self.board, &self.here, node.player, &mut self.here_poses);
        self.bound.place(&self.distances, &self.here_poses);
        if self.measure == Measure::Moves {
            self.flood.measure(&self.board.next, &mut self.walk);
        }
        let here = std::mem::take(&mut self.here);
        let first = match self.measure {
            Measure::Pushes => self
                .corrals
                .first_to_play(
                    self.board,
                    self.analysis,
                    &self.occupied,
                    &self.flood,
                    here.len() == self.board.targets.len(),
                )
                .map(<[Square]>::to_vec),
            Measure::Moves => None,
        };
        self.measure_region();
        std::mem::swap(&mut self.flood, &mut self.inner);
        for i in 0..here.len() {
            // Time that is over stays over: what is left out here is not missed.
            if i % POLL_BOXES == POLL_BOXES - 1 && clock.should_stop(0, 0).is_some() {
                break;
            }
            if first.as_ref().is_none_or(|members| members.contains(&here[i])) {
                self.push_box(index, node, &here, i);
            }
        }
        self.here = here;
    }

    /// The successors that push one box. `inner` holds the player's region.
    fn push_box(&mut self, index: u32, node: Node, here: &[Square], i: usize) {
        let from = here[i];
        let next = self.board.next[from as usize];
        for d in 0..4u8 {
            let (to, behind) = (next[d as usize], next[d as usize ^ 2]);
            if !self.inner.contains(behind)
                || self.occupied[to as usize]
                || !self.distances.is_live(self.distances.beside(to, d as usize ^ 2))
            {
                continue;
            }
            self.generated += 1;
            let walk = match self.measure {
                Measure::Pushes => 0,
                Measure::Moves => self.walk[behind as usize],
            };
            self.slide(from, to);
            if !self.deadlocks.is_dead_quickly(&self.occupied, &self.bits, to, from) {
                self.candidate.boxes.clear();
                self.candidate.boxes.extend_from_slice(here);
                self.candidate.boxes[i] = to;
                self.offer(index, i, Push { from, direction: d }, node.cost + 1 + walk);
            }
            self.slide(to, from);
        }
    }

    /// Moves a box of the board.
    fn slide(&mut self, from: Square, to: Square) {
        self.occupied.slide(from, to);
        take(&mut self.bits, from);
        put(&mut self.bits, to);
    }

    /// Puts a successor, the candidate, into the open list unless it is known at no greater cost or
    /// cannot lead to a plan that is wanted.
    fn offer(&mut self, parent: u32, i: usize, push: Push, cost: u32) {
        let least = self.region_after(push);
        match self.look_up(push.from, &least) {
            Err(slot) => {
                let Some(bound) = self.bound_after(i, push) else { return };
                if cost.saturating_add(bound) < self.known {
                    let bound = narrow(bound);
                    self.add(slot, Node { bound, ..self.new_node(parent, push, cost) });
                }
            }
            Ok(at) => {
                let node = self.positions.node(at);
                // Weighted search does not look at a position twice.
                let fixed = node.closed && self.weights.bound > self.weights.cost;
                if node.cost > cost && !fixed {
                    let bound = node.bound;
                    let node = Node { bound, ..self.new_node(parent, push, cost) };
                    *self.positions.node_mut(at) = node;
                    self.push_open(node, at);
                }
            }
        }
    }

    /// Least images of the player's region after a push that has been done on the board. `inner`
    /// holds the region before: where the push parts nothing of it and opens nothing to it, which
    /// the squares around tell, only the pushed box's two squares matter.
    fn region_after(&mut self, push: Push) -> SmallVec<[Square; 8]> {
        let mut least: SmallVec<[Square; 8]> = SmallVec::from_slice(&self.least);
        if self.measure == Measure::Moves {
            return least;
        }
        let to = self.board.next[push.from as usize][push.direction as usize];
        let maps = self.symmetry.maps();
        let lost = maps.iter().zip(&least).any(|(map, &least)| map[to as usize] == least);
        if lost || !self.hangs_together(push, to) {
            self.flood.fill(&self.occupied, push.from);
            least.clear();
            least.extend(self.symmetry.least_images(&self.flood));
        } else {
            for (least, map) in least.iter_mut().zip(maps) {
                *least = (*least).min(map[push.from as usize]);
            }
        }
        least
    }

    /// Whether the squares around a pushed box show that the player's region is what it was, but
    /// for the two squares of the box.
    fn hangs_together(&self, push: Push, to: Square) -> bool {
        let (next, d) = (&self.board.next, push.direction as usize);
        let ahead = next[to as usize][d];
        let mut reaches_ahead = !self.inner.contains(ahead);
        for side in [d ^ 1, d ^ 3] {
            let near = next[push.from as usize][side];
            let open = !self.occupied[near as usize];
            if open && !self.inner.contains(near) {
                return false;
            }
            let beside = next[to as usize][side];
            if self.inner.contains(beside) {
                if !open {
                    return false;
                }
                let corner = next[beside as usize][d];
                reaches_ahead |= !self.occupied[corner as usize];
            }
        }
        reaches_ahead
    }

    /// The bound with box `i` pushed.
    fn bound_after(&mut self, i: usize, push: Push) -> Option<u32> {
        let d = push.direction as usize;
        let to = self.board.next[push.from as usize][d];
        let pose = self.distances.beside(to, d ^ 2);
        self.bound.after(&self.distances, &self.here_poses, (i, push.from), pose)
    }
}
