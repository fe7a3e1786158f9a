//! Pattern databases of conflict sets: what the sets' boxes still cost, wherever they are.
//!
//! A conflict set (`exact/conflict_sets.rs`) says of the start how much more its boxes cost than
//! their prices. Here the same is known of every position of the set that a plan within a limit can
//! come through: all of them are found by search from the start, alone on the board, and what each
//! costs to the end by search back from the solved ones (pattern databases, Culberson and Schaeffer,
//! Computational Intelligence 1998; of disjoint sets they add up: Felner, Korf and Hanan, JAIR
//! 2004; only what the start makes use of is computed, as in instance-dependent databases of Zhou
//! and Hansen, AAAI 2004, and Felner and Adler, SARA 2005). The limit is what the whole plan may cost
//! less what all other boxes cost at least. It is tight, so the tables are small.
//!
//! A position of the level is a sorted list of boxes, and boxes look alike. Which box was which at
//! the start is known of the way on which the position was reached: each carries a label along.
//! Whichever way that was, the bound holds for the position, since any plan goes on with these
//! boxes. Where the set's boxes are nowhere in the table, this way leads to no plan within the
//! limit, and neither does one that costs as much.

use super::position_table::{self, PositionTable};
use crate::games::sokoban::board::region::{Flood, Occupied};
use crate::games::sokoban::board::square_set::{put, take};
use crate::games::sokoban::board::{Board, Square};
use crate::games::sokoban::planner::analysis::Prepared;
use crate::games::sokoban::planner::analysis::level::FAR;
use crate::games::sokoban::planner::analysis::push_distance::PushDistances;
use crate::games::sokoban::planner::bound::LowerBound;
use crate::games::sokoban::planner::deadlock::Deadlocks;
use crate::search::Clock;
use std::sync::Arc;

/// No database.
const NONE: usize = usize::MAX;
/// Positions between two looks at the clock.
const POLL: u32 = 64;
/// What a position's search for plans earns of corral searches: none, each position is cheap.
const EARNED: usize = 0;

/// A position of a set's boxes alone.
#[derive(Clone, Copy, Debug)]
struct SetNode {
    player: Square,
    /// Pushes from the start.
    cost: u16,
    /// The least from here to the end, what the prices of targets take off added.
    rest: u16,
}

/// What a set's boxes cost from each position on a plan within the limit.
pub struct PatternDatabase {
    /// The set's boxes, by number, in order.
    boxes: Vec<usize>,
    limit: u32,
    positions: PositionTable<SetNode>,
}

impl PatternDatabase {
    /// Whether it is of these boxes and this limit.
    pub fn is_of(&self, boxes: &[usize], limit: u32) -> bool {
        self.boxes == boxes && self.limit == limit
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        self.positions.memory()
    }
}

/// Finds the positions of a set alone on the board, breadth first.
struct Exploration<'a> {
    level: Prepared<'a>,
    added: &'a [u16],
    limit: u32,
    positions: PositionTable<SetNode>,
    bound: LowerBound<'a>,
    deadlocks: Deadlocks<'a>,
    occupied: Occupied,
    bits: Vec<u64>,
    flood: Flood,
    region: Flood,
    /// Positions and the one that each push led from.
    edges: Vec<(u32, u32)>,
    /// Positions, from the first on, that were expanded.
    expanded: u32,
}

/// The database of some boxes for plans of theirs that cost at most `limit`, where it takes no more
/// than `most` positions and `memory` bytes; and the positions that were expanded. `added` is what
/// is added to the level's distances for each target.
pub fn build(
    (level, added): (Prepared<'_>, &[u16]),
    (boxes, limit): (&[usize], u32),
    (most, memory): (u64, usize),
    clock: &Clock,
) -> (Option<PatternDatabase>, u64) {
    let board = level.board;
    let mut exploration = Exploration {
        level,
        added,
        limit,
        positions: PositionTable::new(boxes.len()),
        bound: LowerBound::new(board, level.distances),
        deadlocks: Deadlocks::new(board, level.analysis, EARNED),
        occupied: Occupied::new(&board.layout),
        bits: vec![0; level.analysis.words],
        flood: Flood::new(&board.layout),
        region: Flood::new(&board.layout),
        edges: Vec::new(),
        expanded: 0,
    };
    let start: Vec<Square> = boxes.iter().map(|&i| board.boxes[i]).collect();
    // Costs are kept in few bits.
    let is_whole = limit < u32::from(FAR) && exploration.explore(&start, (most, memory), clock);
    let expanded = u64::from(exploration.expanded);
    let database = is_whole.then(|| {
        exploration.find_rests();
        PatternDatabase { boxes: boxes.to_vec(), limit, positions: exploration.on_plans() }
    });
    (database, expanded)
}

impl Exploration<'_> {
    /// Finds all positions; whether that came to its end.
    fn explore(&mut self, start: &[Square], (most, memory): (u64, usize), clock: &Clock) -> bool {
        let board = self.level.board;
        self.occupied.set_all(start, true);
        self.flood.fill(&self.occupied, board.player);
        self.occupied.set_all(start, false);
        self.add(start, self.flood.least(), 0);
        while (self.expanded as usize) < self.positions.len() {
            let is_over = self.expanded.is_multiple_of(POLL) && clock.should_stop(0, 0).is_some();
            if is_over || u64::from(self.expanded) >= most || !self.has_room(memory) {
                return false;
            }
            self.expand(self.expanded);
            self.expanded += 1;
        }
        true
    }

    /// Makes room for the successors of one more position.
    fn has_room(&mut self, memory: usize) -> bool {
        // Edges are doubled in place, and sorted by another array.
        let edges = 4 * self.edges.len() * size_of::<(u32, u32)>();
        let held = self.positions.memory() + self.bound.memory() + edges;
        let successors = 4 * self.positions.width() + 1;
        self.positions.make_room(successors, held, memory)
    }

    /// Notes a position; its number.
    fn add(&mut self, boxes: &[Square], player: Square, cost: u16) -> u32 {
        let key = position_table::key(self.level.board, boxes, player);
        match self.positions.find(key, boxes, |node| node.player == player) {
            Ok(index) => index,
            Err(slot) => self.positions.add(slot, SetNode { player, cost, rest: FAR }, boxes),
        }
    }

    /// Adds the successors of a position.
    fn expand(&mut self, index: u32) {
        let Prepared { board, distances, .. } = self.level;
        let SetNode { player, cost, .. } = self.positions.node(index);
        let here = self.positions.boxes(index).to_vec();
        let mut poses = Vec::new();
        distances.read(board, &here, player, &mut poses);
        if self.bound.place(distances, &poses).is_none() {
            return;
        }
        self.occupied.set_all(&here, true);
        here.iter().for_each(|&s| put(&mut self.bits, s));
        self.flood.fill(&self.occupied, player);
        for (i, &from) in here.iter().enumerate() {
            let next = board.next[from as usize];
            for d in 0..4 {
                let (to, behind) = (next[d], next[d ^ 2]);
                if !self.flood.contains(behind) || self.occupied[to as usize] {
                    continue;
                }
                let pose = distances.beside(to, d ^ 2);
                if !distances.is_live(pose) {
                    continue;
                }
                let rest = self.bound.after(distances, &poses, i, pose);
                if rest.is_some_and(|rest| u32::from(cost) + 1 + rest <= self.limit) {
                    self.push(index, &here, (i, to));
                }
            }
        }
        self.occupied.set_all(&here, false);
        here.iter().for_each(|&s| take(&mut self.bits, s));
    }

    /// Adds the position after a push of box `i`, which is on the board with the others.
    fn push(&mut self, parent: u32, here: &[Square], (i, to): (usize, Square)) {
        let from = here[i];
        self.occupied.slide(from, to);
        take(&mut self.bits, from);
        put(&mut self.bits, to);
        if !self.deadlocks.is_dead_quickly(&self.occupied, &self.bits, to, from) {
            self.region.fill(&self.occupied, from);
            let mut boxes = here.to_vec();
            boxes[i] = to;
            boxes.sort_unstable();
            let cost = self.positions.node(parent).cost + 1;
            let child = self.add(&boxes, self.region.least(), cost);
            self.edges.push((child, parent));
        }
        self.occupied.slide(to, from);
        take(&mut self.bits, to);
        put(&mut self.bits, from);
    }

    /// Finds what each position costs to the end, backward from the solved ones.
    fn find_rests(&mut self) {
        let board = self.level.board;
        self.edges.sort_unstable();
        let mut buckets = vec![Vec::new(); self.limit as usize + 1];
        for index in 0..self.positions.len() as u32 {
            let target = |&s: &Square| board.targets.iter().position(|&target| target == s);
            let price = |s| target(s).map(|t| u32::from(self.added[t]));
            let ends: Option<u32> = self.positions.boxes(index).iter().map(price).sum();
            if let Some(rest) = ends.filter(|&rest| rest <= self.limit) {
                buckets[rest as usize].push(index);
            }
        }
        for rest in 0..buckets.len() {
            while let Some(index) = buckets[rest].pop() {
                let node = self.positions.node_mut(index);
                if usize::from(node.rest) <= rest {
                    continue;
                }
                node.rest = rest as u16;
                let first = self.edges.partition_point(|&(child, _)| child < index);
                let parents = self.edges[first..].iter().take_while(|&&(child, _)| child == index);
                if let Some(bucket) = buckets.get_mut(rest + 1) {
                    bucket.extend(parents.map(|&(_, parent)| parent));
                }
            }
        }
    }

    /// The positions on plans within the limit.
    fn on_plans(&self) -> PositionTable<SetNode> {
        let mut kept: PositionTable<SetNode> = PositionTable::new(self.positions.width());
        for index in 0..self.positions.len() as u32 {
            let node = self.positions.node(index);
            if u32::from(node.cost) + u32::from(node.rest) > self.limit {
                continue;
            }
            let boxes = self.positions.boxes(index);
            let key = position_table::key(self.level.board, boxes, node.player);
            kept.make_room(1, 0, usize::MAX);
            if let Err(slot) = kept.find(key, boxes, |other: &SetNode| other.player == node.player)
            {
                kept.add(slot, node, boxes);
            }
        }
        kept
    }
}

/// Databases of disjoint sets, and the prices of all other boxes.
pub struct PatternDatabases {
    /// Of each pose the least pushes of a lone box, what the prices of targets take off added.
    least: Vec<u32>,
    databases: Vec<Arc<PatternDatabase>>,
    /// The database of each box, or [`NONE`].
    of_box: Vec<usize>,
    /// What all prices of targets take off.
    taken_off: u32,
    is_whole: bool,
}

impl PatternDatabases {
    /// The databases of a level of `boxes` boxes, with `distances` to which what the prices of
    /// targets take off is added, `taken_off` in all; `is_whole` says whether no set was left out.
    pub fn new(
        (boxes, distances, taken_off): (usize, &PushDistances, u32),
        databases: Vec<Arc<PatternDatabase>>,
        is_whole: bool,
    ) -> Self {
        let mut of_box = vec![NONE; boxes];
        for (number, database) in databases.iter().enumerate() {
            database.boxes.iter().for_each(|&i| of_box[i] = number);
        }
        let least = |pose| distances.costs(pose).iter().copied().min().map_or(0, u32::from);
        let least = (0..distances.len() as u32).map(least).collect();
        PatternDatabases { least, databases, of_box, taken_off, is_whole }
    }

    /// Whether no set was left out.
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        self.databases.iter().map(|database| database.memory()).sum()
    }
}

/// The bound that the databases give for one position after the other.
pub struct PatternBound<'a> {
    board: &'a Board,
    databases: Arc<PatternDatabases>,
    occupied: Occupied,
    flood: Flood,
    /// For a moment: the boxes of a set.
    set: Vec<Square>,
    /// Of the position that was placed last: its boxes, their labels, what each database says, and the
    /// sum of all that boxes cost.
    boxes: Vec<Square>,
    labels: Vec<u16>,
    rests: Vec<u32>,
    total: u32,
}

impl<'a> PatternBound<'a> {
    /// A bound that has no position yet.
    pub fn new(board: &'a Board, databases: Arc<PatternDatabases>) -> Self {
        PatternBound {
            board,
            databases,
            occupied: Occupied::new(&board.layout),
            flood: Flood::new(&board.layout),
            set: Vec::new(),
            boxes: Vec::new(),
            labels: Vec::new(),
            rests: Vec::new(),
            total: 0,
        }
    }

    /// The bound of a position whose boxes have these labels, given with their poses; `None` where
    /// the way that it was reached by leads to no plan within the limit.
    pub fn place(
        &mut self,
        labels: &[u16],
        (boxes, poses): (&[Square], &[u32]),
        player: Square,
    ) -> Option<u32> {
        self.boxes.clear();
        self.boxes.extend_from_slice(boxes);
        self.labels.clear();
        self.labels.extend_from_slice(labels);
        self.rests.clear();
        self.total = 0;
        for (&label, &pose) in labels.iter().zip(poses) {
            if self.databases.of_box[usize::from(label)] == NONE {
                self.total += self.databases.least[pose as usize];
            }
        }
        for number in 0..self.databases.databases.len() {
            let rest = self.rest_of(number, (usize::MAX, 0), player)?;
            self.rests.push(rest);
            self.total += rest;
        }
        Some(self.total.saturating_sub(self.databases.taken_off))
    }

    /// The bound with box `i` pushed to a square, where it has the second of these poses, by a player
    /// who then stands where the box stood.
    pub fn after(&mut self, (i, to): (usize, Square), (before, pose): (u32, u32)) -> Option<u32> {
        let number = self.databases.of_box[usize::from(self.labels[i])];
        let total = if number == NONE {
            let least = &self.databases.least;
            self.total - least[before as usize] + least[pose as usize]
        } else {
            let rest = self.rest_of(number, (i, to), self.boxes[i])?;
            self.total - self.rests[number] + rest
        };
        Some(total.saturating_sub(self.databases.taken_off))
    }

    /// Writes down the labels after a push of box `i`, which is then the box of number `at`.
    pub fn labels_after(&self, i: usize, at: usize, labels: &mut Vec<u16>) {
        let first = labels.len();
        labels.extend_from_slice(&self.labels);
        let moved = labels.remove(first + i);
        labels.insert(first + at, moved);
    }

    /// What a database says of its boxes, the one of number `moved` being on another square.
    fn rest_of(
        &mut self,
        number: usize,
        (moved, to): (usize, Square),
        player: Square,
    ) -> Option<u32> {
        let databases = &self.databases;
        self.set.clear();
        for (i, (&s, &label)) in self.boxes.iter().zip(&self.labels).enumerate() {
            if databases.of_box[usize::from(label)] == number {
                self.set.push(if i == moved { to } else { s });
            }
        }
        self.set.sort_unstable();
        self.occupied.set_all(&self.set, true);
        self.flood.fill(&self.occupied, player);
        self.occupied.set_all(&self.set, false);
        let player = self.flood.least();
        let key = position_table::key(self.board, &self.set, player);
        let positions = &databases.databases[number].positions;
        let at = positions.find(key, &self.set, |node| node.player == player).ok()?;
        Some(positions.node(at).rest.into())
    }
}
