//! Weighted best-first search from the solved board: boxes are pulled to where they start.
//!
//! What makes a level hard is often at its one end: a start where hardly a box can move, or a room
//! of targets with one order to fill it. Seen from the other end the same knot is the last thing to
//! be tied, and most wrong turns before it do not exist. Frank Takes ("Sokoban: Reversed Solving",
//! 2008) searches so. Pulled boxes run into few deadlocks, so none are tested but those that their
//! matching with the squares of the start shows, and a position costs a tenth of what it costs
//! forward.
//!
//! Positions fall into cells by the number of boxes that are not on squares of the start
//! ([`super::cells`]). Alone, with 2 s a level, it solves 25 of XSokoban and 25 of Sasquatch I; with
//! one open list 21 and 21, with lists and weights of 1 or 2 fewer. Levels 16 and 26 of Sasquatch I,
//! which the forward searches do not solve in 15 s, take it a hundredth of one.

use super::cells::Cells;
use super::matching::Matching;
use super::poses::Poses;
use super::positions::{self, Limits, Positions, narrow};
use super::terrain::occupy;
use crate::games::sokoban::state::{Board, Flood, Push, Square};
use crate::search::seen::Slot;
use crate::search::{Clock, Progress, Stop};
use std::sync::Arc;

/// What a pull that the bound says is left weighs, where one that was made weighs one.
const WEIGHT: u32 = 3;
/// What led to a root of the search.
const NO_PUSH: Push = Push { from: Square::MAX, direction: 0 };

/// What the search comes to.
#[derive(Debug)]
pub enum Ended {
    /// Pushes from the start to a solved position.
    Solved(Vec<Push>),
    /// Proven: the start cannot be reached from any solved position.
    Impossible,
    /// The budget is spent.
    Stopped(Stop),
}

#[derive(Clone, Copy, Debug)]
struct Node {
    parent: u32,
    cost: u32,
    bound: u16,
    /// The least square of the player's region.
    player: Square,
    /// The push that this pull undoes.
    push: Push,
    closed: bool,
}

/// Working state of the search.
pub struct Backward<'a> {
    board: &'a Board,
    /// Poses; from the first run on, with the pulls to each square of the start.
    poses: Arc<Poses>,
    positions: Positions<Node>,
    open: Cells,
    /// Whether a box stands on a square at the start.
    is_home: Vec<bool>,
    matching: Matching,
    occupied: Vec<bool>,
    flood: Flood,
    inner: Flood,
    here: Vec<Square>,
    here_poses: Vec<u32>,
    child: Vec<Square>,
    started: bool,
    /// Nodes expanded.
    pub expansions: u64,
    /// Children generated.
    pub generated: u64,
}

impl<'a> Backward<'a> {
    /// A search of a level.
    pub fn new(board: &'a Board, poses: Arc<Poses>) -> Self {
        let mut occupied = vec![false; board.squares() + 1];
        occupied[board.squares()] = true;
        let mut is_home = vec![false; board.squares() + 1];
        board.boxes.iter().for_each(|&s| is_home[s as usize] = true);
        Backward {
            board,
            poses,
            positions: Positions::new(board.boxes.len()),
            open: Cells::new(board.boxes.len() + 1),
            is_home,
            matching: Matching::default(),
            occupied,
            flood: Flood::new(board),
            inner: Flood::new(board),
            here: Vec::new(),
            here_poses: Vec::new(),
            child: Vec::new(),
            started: false,
            expansions: 0,
            generated: 0,
        }
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        self.positions.memory()
            + self.open.memory()
            + if self.started { self.poses.memory() } else { 0 }
    }

    /// Searches until solved, proven impossible or out of budget; no more than `limit` expansions
    /// in all, and holding no more than `memory` bytes.
    pub fn run(&mut self, clock: &Clock<'_>, limit: u64, memory: usize) -> Ended {
        if !self.started {
            self.started = true;
            Arc::make_mut(&mut self.poses).aim_back(self.board);
            self.start();
        }
        let limits = Limits { clock, expansions: limit, memory };
        while let Some((cell, entry)) = self.open.pop() {
            let index = !entry.2;
            let node = self.positions.node(index);
            if node.closed {
                continue;
            }
            if self.is_start(index, node) {
                return Ended::Solved(self.way_from(index));
            }
            if let Some(stop) = self.should_stop(&limits) {
                self.open.push(cell, entry);
                return Ended::Stopped(stop);
            }
            self.positions.node_mut(index).closed = true;
            self.expand(index, node);
        }
        Ended::Impossible
    }

    fn should_stop(&mut self, limits: &Limits<'_>) -> Option<Stop> {
        let (nodes, held) = (self.expansions, self.memory());
        self.positions.should_stop(limits, (nodes, held), || Progress {
            phase: "backward search".into(),
            nodes,
            ..Progress::default()
        })
    }

    /// The solved board, with the player in each of its regions.
    fn start(&mut self) {
        let board = self.board;
        self.child.clone_from(&board.targets);
        self.here.clone_from(&board.targets);
        occupy(&mut self.occupied, &self.here, true);
        let mut is_known = self.occupied.clone();
        for player in 0..board.squares() as Square {
            if is_known[player as usize] {
                continue;
            }
            self.flood.fill(board, &self.occupied, player);
            self.flood.reached.iter().for_each(|&s| is_known[s as usize] = true);
            if let Err(slot) = self.look_up(player) {
                self.poses.read(board, &self.here, player, &mut self.here_poses);
                let Some(bound) = self.matching.place(&self.poses, &self.here_poses) else {
                    continue;
                };
                let bound = narrow(bound);
                let (parent, cost, push) = (0, 0, NO_PUSH);
                self.add(slot, Node { parent, cost, bound, player, push, closed: false });
            }
        }
        occupy(&mut self.occupied, &self.here, false);
    }

    /// Looks up the child, whose boxes are in order.
    fn look_up(&self, player: Square) -> Result<u32, Slot> {
        let key = positions::key(self.board, &self.child, player);
        self.positions.find(key, &self.child, |node| node.player == player)
    }

    fn add(&mut self, slot: Slot, node: Node) {
        let index = self.positions.add(slot, node, &self.child);
        self.push_open(node, index);
    }

    fn push_open(&mut self, node: Node, index: u32) {
        let boxes = self.positions.boxes(index);
        let away = boxes.iter().filter(|&&s| !self.is_home[s as usize]).count();
        let priority = node.cost + u32::from(node.bound) * WEIGHT;
        self.open.push(away, (priority, node.bound, !index));
    }

    /// Whether a node is the level's start.
    fn is_start(&mut self, index: u32, node: Node) -> bool {
        if node.bound != 0 || self.positions.boxes(index) != self.board.boxes {
            return false;
        }
        self.here.clone_from(&self.board.boxes);
        occupy(&mut self.occupied, &self.here, true);
        self.flood.fill(self.board, &self.occupied, node.player);
        occupy(&mut self.occupied, &self.here, false);
        self.flood.contains(self.board.player)
    }

    fn way_from(&self, mut index: u32) -> Vec<Push> {
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

    fn expand(&mut self, index: u32, node: Node) {
        self.expansions += 1;
        self.here.clear();
        self.here.extend_from_slice(self.positions.boxes(index));
        occupy(&mut self.occupied, &self.here, true);
        self.inner.fill(self.board, &self.occupied, node.player);
        self.poses.read(self.board, &self.here, node.player, &mut self.here_poses);
        self.matching.place(&self.poses, &self.here_poses);
        for i in 0..self.here.len() {
            self.pull_box(index, node, i);
        }
        occupy(&mut self.occupied, &self.here, false);
    }

    /// The children that pull one box.
    fn pull_box(&mut self, index: u32, node: Node, i: usize) {
        let board = self.board;
        let from = self.here[i];
        for d in 0..4u8 {
            // The player on `to` walks on to `behind`, and the box comes after.
            let to = board.next[from as usize][d as usize];
            let behind = board.next[to as usize][d as usize];
            if !self.inner.contains(to) || self.occupied[behind as usize] {
                continue;
            }
            let pose = self.poses.beside(to, d as usize);
            if !self.poses.is_live(pose) {
                continue;
            }
            self.generated += 1;
            self.occupied[from as usize] = false;
            self.occupied[to as usize] = true;
            self.flood.fill(board, &self.occupied, behind);
            self.occupied[to as usize] = false;
            self.occupied[from as usize] = true;
            let player = self.flood.reached.iter().copied().min().unwrap_or(behind);
            self.child.clone_from(&self.here);
            self.child[i] = to;
            self.child.sort_unstable();
            let cost = node.cost + 1;
            let push = Push { from: to, direction: d ^ 2 };
            match self.look_up(player) {
                Err(slot) => {
                    let Some(bound) = self.matching.after(&self.poses, from, pose) else {
                        continue;
                    };
                    let bound = narrow(bound);
                    self.add(
                        slot,
                        Node { parent: index, cost, bound, player, push, closed: false },
                    );
                }
                Ok(at) => {
                    let known = self.positions.node(at);
                    if known.cost > cost && !known.closed {
                        let node = Node { parent: index, cost, push, ..known };
                        *self.positions.node_mut(at) = node;
                        self.push_open(node, at);
                    }
                }
            }
        }
    }
}
