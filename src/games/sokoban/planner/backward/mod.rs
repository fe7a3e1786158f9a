//! Weighted best-first search from the solved board: boxes are pulled to where they start.
//!
//! What makes a level hard is often at its one end: a start where hardly a box can move, or a room
//! of targets with one order to fill it. Seen from the other end the same knot is the last thing to
//! be tied, and most wrong turns before it do not exist. Frank Takes searches so ("Sokoban:
//! Reversed Solving", 2008). Pulled boxes run into few deadlocks, so the only test is the matching
//! with the squares of the start, and a position costs a tenth of what it costs forward.
//!
//! Positions fall into the cells of a cyclic open list (`search/open_lists`) by the
//! number of boxes that are not on squares of the start and, as [`Style`] says, by how much of the
//! board the player reaches. Nothing tells which style fits a level, so [`restarts`] tries them in
//! turn. [`waypoints`] makes goals of forward searches from the positions that were reached.

pub mod restarts;
pub mod waypoints;

use crate::board::mix;
use crate::games::sokoban::board::region::{Flood, Occupied};
use crate::games::sokoban::board::{Board, Push, Square};
use crate::games::sokoban::planner::analysis::push_distance::{PullDistances, PushDistances};
use crate::games::sokoban::planner::bound::matching::Matching;
use crate::games::sokoban::planner::pushes::position_table::{
    self, Limits, PositionTable, Vacancy, narrow,
};
use crate::games::sokoban::planner::pushes::{Ended, Entry};
use crate::search::open_lists::Contours;
use crate::search::{Clock, Progress, StopReason};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;
use waypoints::Waypoint;

/// What led to a root of the search.
const NO_PUSH: Push = Push { from: Square::MAX, direction: 0 };

/// Ways to run the search that solve different levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// What a pull that the bound says is left weighs, where one that was made weighs one.
    pub weight: u32,
    /// Cells for each number of boxes away, by how many of the free squares the player reaches.
    pub parts: usize,
    /// Where not 0, the seed of noise that breaks ties.
    pub noise: u64,
}

impl Default for Style {
    /// The one that solves most levels.
    fn default() -> Self {
        Style { weight: 3, parts: 1, noise: 0 }
    }
}

/// Noise that is added to a priority, less than this.
const NOISE: u64 = 8;

#[derive(Clone, Copy, Debug)]
struct PulledPosition {
    parent: u32,
    cost: u32,
    bound: u16,
    /// The least square of the player's region.
    player: Square,
    /// Squares of that region.
    reach: Square,
    /// The push that this pull undoes.
    push: Push,
    closed: bool,
}

/// Working state of the search.
pub struct Backward<'a> {
    board: &'a Board,
    style: Style,
    distances: Arc<PullDistances>,
    positions: PositionTable<PulledPosition>,
    open: Contours<BinaryHeap<Reverse<Entry>>>,
    /// Whether a box stands on a square at the start.
    is_home: Vec<bool>,
    /// By boxes away from such squares, the bound and number of the position of least bound.
    nearest: Vec<Option<(u16, u32)>>,
    matching: Matching<i64>,
    occupied: Occupied,
    flood: Flood,
    inner: Flood,
    here: Vec<Square>,
    here_poses: Vec<u32>,
    /// Key of the boxes in `here`.
    here_key: u64,
    successor: Vec<Square>,
    started: bool,
    /// Nodes expanded.
    pub expansions: u64,
    /// Successors generated.
    pub generated: u64,
}

impl<'a> Backward<'a> {
    /// A search of a level. The poses are those of the board.
    pub fn new(board: &'a Board, distances: Arc<PullDistances>, style: Style) -> Self {
        let mut is_home = vec![false; board.squares() + 1];
        board.boxes.iter().for_each(|&s| is_home[s as usize] = true);
        Backward {
            board,
            style,
            distances,
            positions: PositionTable::new(board.boxes.len()),
            open: Contours::new((board.boxes.len() + 1) * style.parts),
            is_home,
            nearest: vec![None; board.boxes.len() + 1],
            matching: Matching::default(),
            occupied: Occupied::new(&board.layout),
            flood: Flood::new(&board.layout),
            inner: Flood::new(&board.layout),
            here: Vec::new(),
            here_poses: Vec::new(),
            here_key: 0,
            successor: Vec::new(),
            started: false,
            expansions: 0,
            generated: 0,
        }
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        self.positions.memory()
            + self.open.len() * size_of::<Entry>()
            + if self.started { self.distances.memory() } else { 0 }
    }

    /// Searches until solved, proven impossible or out of budget; in all runs together no more than
    /// `limit` expansions and about `most` successors, and holding no more than `memory` bytes.
    pub fn run(&mut self, clock: &Clock, (limit, most): (u64, u64), memory: usize) -> Ended {
        let distances = self.distances.clone();
        let Some(distances) = distances.get(self.board, &clock.watch()) else {
            return Ended::Stopped(clock.should_stop(0, 0).unwrap_or(StopReason::Time));
        };
        if !self.started {
            // Each region of the player is a root.
            if !self.positions.make_room(self.board.squares() + 1, self.memory(), memory) {
                return Ended::Stopped(StopReason::Memory);
            }
            self.started = true;
            self.start(distances);
        }
        let limits = Limits { clock, expansions: limit, memory };
        while let Some((cell, entry)) = self.open.next() {
            let index = !entry.0.2;
            let node = self.positions.node(index);
            if node.closed {
                continue;
            }
            if self.is_start(index, node) {
                return Ended::Solved(self.path_from(index));
            }
            let spent = (self.generated >= most).then_some(StopReason::Nodes);
            if let Some(stop) = spent.or_else(|| self.should_stop(&limits)) {
                self.open.put_back(cell, entry);
                return Ended::Stopped(stop);
            }
            self.positions.node_mut(index).closed = true;
            self.expand(index, node, distances);
        }
        Ended::Impossible
    }

    fn should_stop(&mut self, limits: &Limits<'_>) -> Option<StopReason> {
        let (nodes, held) = (self.expansions, self.memory());
        self.positions.should_stop(limits, (nodes, held), || Progress {
            phase: "backward search".into(),
            nodes,
            ..Progress::default()
        })
    }

    /// The solved board, with the player in each of its regions.
    fn start(&mut self, distances: &PushDistances) {
        let board = self.board;
        self.successor.clone_from(&board.targets);
        self.here.clone_from(&board.targets);
        let keys = position_table::box_key(board, &self.here);
        self.occupied.set_all(&self.here, true);
        let mut is_known = self.occupied.to_vec();
        for player in 0..board.squares() as Square {
            if is_known[player as usize] {
                continue;
            }
            self.flood.fill(&self.occupied, player);
            self.flood.squares().for_each(|s| is_known[s as usize] = true);
            let key = position_table::key_of(board, keys, player);
            if let Err(slot) = self.look_up(key, player) {
                distances.read(board, &self.here, player, &mut self.here_poses);
                let Some(bound) = self.matching.place(distances, self.here_poses.iter().copied())
                else {
                    continue;
                };
                let (bound, reach) = (narrow(bound), self.flood.count() as Square);
                let (parent, cost, push) = (0, 0, NO_PUSH);
                let node =
                    PulledPosition { parent, cost, bound, player, reach, push, closed: false };
                self.add(slot, node);
            }
        }
        self.occupied.set_all(&self.here, false);
    }

    /// Looks up the successor, whose boxes are in order.
    fn look_up(&self, key: u64, player: Square) -> Result<u32, Vacancy> {
        self.positions.find(key, &self.successor, |node| node.player == player)
    }

    fn add(&mut self, slot: Vacancy, node: PulledPosition) {
        let index = self.positions.add(slot, node, &self.successor);
        self.push_open(node, index);
    }

    fn push_open(&mut self, node: PulledPosition, index: u32) {
        let Style { weight, parts, noise } = self.style;
        let boxes = self.positions.boxes(index);
        let away = boxes.iter().filter(|&&s| !self.is_home[s as usize]).count();
        if self.nearest[away].is_none_or(|(bound, _)| node.bound < bound) {
            self.nearest[away] = Some((node.bound, index));
        }
        let free = self.board.squares() - boxes.len();
        let part = usize::from(node.reach) * parts / (free + 1);
        let noise = match noise {
            0 => 0,
            seed => mix(seed ^ position_table::key(self.board, boxes, node.player)) % NOISE,
        };
        let priority = node.cost + u32::from(node.bound) * weight + noise as u32;
        self.open.push(away * parts + part, Reverse((priority, node.bound, !index)));
    }

    /// Positions of least bound for `count` numbers of boxes away, drawn by lot, the solved board
    /// not being one. The third with fewest boxes away is left out: no forward search was seen to
    /// reach one.
    pub fn waypoints(&self, count: usize, seed: u64) -> Vec<Waypoint> {
        let reached = self.nearest.iter().flatten().map(|&(_, index)| index);
        let mut reached: Vec<u32> =
            reached.filter(|&i| self.positions.node(i).push != NO_PUSH).collect();
        reached.drain(..reached.len() / 3);
        reached.sort_unstable_by_key(|&index| mix(seed ^ u64::from(index)));
        reached.truncate(count);
        let waypoint = |index: u32| Waypoint {
            boxes: self.positions.boxes(index).to_vec(),
            player: self.positions.node(index).player,
            rest: self.path_from(index),
        };
        reached.into_iter().map(waypoint).collect()
    }

    /// Whether a node is the level's start.
    fn is_start(&mut self, index: u32, node: PulledPosition) -> bool {
        if node.bound != 0 || self.positions.boxes(index) != self.board.boxes {
            return false;
        }
        self.here.clone_from(&self.board.boxes);
        self.occupied.set_all(&self.here, true);
        self.flood.fill(&self.occupied, node.player);
        self.occupied.set_all(&self.here, false);
        self.flood.contains(self.board.player)
    }

    fn path_from(&self, mut index: u32) -> Vec<Push> {
        let mut pushes = Vec::new();
        loop {
            let node = self.positions.node(index);
            if node.push == NO_PUSH {
                return pushes;
            }
            pushes.push(node.push);
            index = node.parent;
        }
    }

    fn expand(&mut self, index: u32, node: PulledPosition, distances: &PushDistances) {
        self.expansions += 1;
        self.here.clear();
        self.here.extend_from_slice(self.positions.boxes(index));
        self.here_key = position_table::box_key(self.board, &self.here);
        self.occupied.set_all(&self.here, true);
        self.inner.fill(&self.occupied, node.player);
        debug_assert_eq!(self.inner.count(), usize::from(node.reach));
        debug_assert_eq!(self.inner.least(), node.player);
        distances.read(self.board, &self.here, node.player, &mut self.here_poses);
        self.matching.place(distances, self.here_poses.iter().copied());
        for i in 0..self.here.len() {
            self.pull_box((index, node), i, distances);
        }
        self.occupied.set_all(&self.here, false);
    }

    /// The successors that pull one box.
    fn pull_box(
        &mut self,
        (index, node): (u32, PulledPosition),
        i: usize,
        distances: &PushDistances,
    ) {
        let board = self.board;
        let from = self.here[i];
        for d in 0..4u8 {
            // The player on `to` walks on to `behind`, and the box comes after.
            let to = board.next[from as usize][d as usize];
            let behind = board.next[to as usize][d as usize];
            if !self.inner.contains(to) || self.occupied[behind as usize] {
                continue;
            }
            let pose = distances.beside(to, d as usize);
            if !distances.is_live(pose) {
                continue;
            }
            self.generated += 1;
            let push = Push { from: to, direction: d ^ 2 };
            let (player, reach) = self.region_after(push, &node);
            self.successor.clone_from(&self.here);
            self.successor[i] = to;
            self.successor.sort_unstable();
            let moved = board.box_keys[from as usize] ^ board.box_keys[to as usize];
            let key = position_table::key_of(board, self.here_key ^ moved, player);
            let cost = node.cost + 1;
            match self.look_up(key, player) {
                Err(slot) => {
                    let Some(bound) = self.matching.after(distances, self.here_poses[i], pose)
                    else {
                        continue;
                    };
                    let (parent, bound) = (index, narrow(bound));
                    let node =
                        PulledPosition { parent, cost, bound, player, reach, push, closed: false };
                    self.add(slot, node);
                }
                Ok(at) => {
                    let known = self.positions.node(at);
                    if known.cost > cost && !known.closed {
                        let node = PulledPosition { parent: index, cost, push, ..known };
                        *self.positions.node_mut(at) = node;
                        self.push_open(node, at);
                    }
                }
            }
        }
    }

    /// The least square of the player's region, and how many it has, after the pull that undoes a
    /// push; `inner` and the node hold the region before.
    fn region_after(&mut self, push: Push, node: &PulledPosition) -> (Square, Square) {
        let to = push.from;
        let from = self.board.next[to as usize][push.direction as usize];
        if node.player != to
            && let Some(joins) = self.hangs_together(push)
        {
            let least = if joins { node.player.min(from) } else { node.player };
            return (least, node.reach - u16::from(!joins));
        }
        let behind = self.board.next[to as usize][push.direction as usize ^ 2];
        self.occupied.slide(from, to);
        self.flood.fill(&self.occupied, behind);
        self.occupied.slide(to, from);
        (self.flood.least(), self.flood.count() as Square)
    }

    /// Where the squares around a pulled box show that the player's region is what it was, but for
    /// the square onto which the box is pulled: whether the one that it leaves joins it.
    fn hangs_together(&self, push: Push) -> Option<bool> {
        let (next, back) = (&self.board.next, push.direction as usize);
        let (to, ahead) = (push.from, back ^ 2);
        let from = next[to as usize][back];
        let mut joins = false;
        for side in [back, back ^ 1, back ^ 3] {
            let near = next[from as usize][side];
            if self.inner.contains(near) {
                joins = true;
            } else if !self.occupied[near as usize] {
                return None;
            }
        }
        for side in [back ^ 1, back ^ 3] {
            let beside = next[to as usize][side];
            let corner = next[beside as usize][ahead];
            if self.inner.contains(beside) && self.occupied[corner as usize] {
                return None;
            }
        }
        Some(joins)
    }
}
