//! Feature-space search, the solver's main strategy.
//!
//! After Shoham and Schaeffer, "The FESS Algorithm: A Feature Based Approach to Single-Agent
//! Search" (IEEE CoG 2020). A move takes one box from a square to any other that it can be pushed
//! to while the rest stands still ([`macro_moves`](super::analysis::macro_moves)). A position
//! projects to a cell of a small feature space. The search visits the cells in turn and takes in
//! each the open move of least weight. A move weighs one unless an advisor recommends it or a
//! corral forces it. Advised moves run ahead, and the cells spread all others over positions that
//! differ.
//!
//! Nothing is pruned but proven deadlocks and, where a position has a PI-corral
//! ([`corral`](super::deadlock::corral)), moves of other boxes. So the search can take any detour,
//! and it ends only when there is nothing left to look at.
//!
//! The first features count the steps of a packing plan that are not done ([`super::packing`]) and
//! the boxes that are out of plan. A step that takes from a later one the last box that could do it
//! is no progress.
//!
//! [`finish`] hands the best positions to best-first search. [`restarts`] begins again and again
//! from positions reached, with new packing plans.

pub mod expand_macros;
pub mod finish;
pub mod mobility;
pub mod restarts;
pub mod stationary;

use crate::board::mix;
use crate::games::sokoban::board::region::{Flood, Occupied};
use crate::games::sokoban::board::square_set::{SquareSet, has, put, take, without};
use crate::games::sokoban::board::{Board, Square};
use crate::games::sokoban::planner::analysis::Prepared;
use crate::games::sokoban::planner::analysis::level::LevelAnalysis;
use crate::games::sokoban::planner::analysis::macro_moves::{MacroMoveGenerator, Motion};
use crate::games::sokoban::planner::deadlock::corral::Corrals;
use crate::games::sokoban::planner::deadlock::{Deadlocks, Pattern};
use crate::games::sokoban::planner::packing::Packing;
use crate::games::sokoban::planner::packing::any_order::AnyOrder;
use crate::games::sokoban::planner::packing::obstacles::{Delivery, ObstacleSearch};
use crate::search::{Clock, Progress, Stop, Watch};
use ahash::AHashMap;
use mobility::{Mobility, Pushes};
use smallvec::SmallVec;
use stationary::Stationary;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::sync::Arc;

/// Successors of one box between two looks at the clock.
const POLL: usize = 64;
/// Successors put into their cell between two looks at the clock.
const POLL_STORED: usize = 4096;
/// Positions of corral searches that an expansion earns.
const EARNED: usize = 60;
/// Obstacles of a step to which there is no way.
const MANY: u16 = 256;
/// Successors that an advisor finds dead before it has nothing to say.
const MOST_DEAD: usize = 64;
/// Expansions between two reports of progress.
const TELL: u64 = 16;
/// Successors for which an expansion is allowed. One of more counts as several, or a turn on a
/// board of thousands of squares would be a thousand times as long as elsewhere. On XSokoban's
/// levels an expansion has 200 at most, on average.
const SUCCESSORS: u64 = 1000;

/// A macro move: a box goes from a square to another; the player ends on `player`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MacroMove {
    /// Where the box stands before.
    pub from: Square,
    /// Where it stands after.
    pub to: Square,
    /// Where the player stands after, beside the box.
    pub player: Square,
}

/// A position: the boxes in order, and the player.
pub type Position = (Vec<Square>, Square);

/// A position, and the macro moves from the level's start to it.
#[derive(Clone, Debug)]
pub struct Reached {
    /// The position.
    pub position: Position,
    /// How it is reached.
    pub macro_moves: Vec<MacroMove>,
    /// Steps of its search's plan that are not done there, and boxes out of plan.
    pub left: u16,
}

impl Reached {
    /// The level's start.
    pub fn start(board: &Board) -> Self {
        let position = (board.boxes.clone(), board.player);
        Reached { position, macro_moves: Vec::new(), left: u16::MAX }
    }
}

/// What a feature-space search comes to.
#[derive(Debug)]
pub enum Found {
    /// Macro moves to a solved position.
    Solved(Vec<MacroMove>),
    /// Every position that can be reached was looked at, and none is solved.
    Exhausted,
    /// The budget is spent.
    Stopped(Stop),
}

/// Ways to run the search that differ in what they are good at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// A position that packs less than the best before it stays in that one's cell; otherwise one
    /// that is worse in any feature does.
    pub wide_cells: bool,
    /// Weights are compared after a division by this, so that features decide among near ones.
    pub coarseness: u32,
    /// Every filled target counts as packed, in whatever order; see
    /// [`any_order`](crate::games::sokoban::planner::packing::any_order).
    pub any_order: bool,
    /// Out of plan are boxes that no later step can use, not only the next one.
    pub schedule: bool,
    /// A box out of plan weighs as much as so many steps that are not done. With 0 steps are
    /// compared first, whatever becomes of the other boxes.
    pub lost_weight: u16,
    /// Whether the advisor on hotspots is heard.
    pub hotspots: bool,
    /// A hotspot counts as often as it blocks a box; otherwise once.
    pub graded: bool,
    /// Whether the advisor on new ways is heard.
    pub explorer: bool,
    /// Whether the advisor that clears the way of the next step is heard.
    pub clearing: bool,
    /// Where not 0, the seed of noise that breaks ties.
    pub noise: u64,
}

impl Default for Style {
    /// All features and advisors, the finest weights.
    fn default() -> Self {
        Style {
            wide_cells: false,
            coarseness: 1,
            any_order: false,
            schedule: true,
            lost_weight: 2,
            hotspots: true,
            graded: true,
            explorer: true,
            clearing: true,
            noise: 0,
        }
    }
}

/// A position's features; less is better, compared from the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Features {
    /// Steps of the packing plan that are not yet done, with the weight of boxes out of plan.
    burden: u16,
    /// Steps of the packing plan that are not yet done.
    unpacked: u16,
    /// Boxes that are neither packed nor in the basin of the next step.
    out_of_plan: u16,
    /// Boxes in the way of the next step; found when the position is expanded, before that its
    /// parent's.
    obstacles: u16,
    /// Regions of the player.
    regions: u16,
    /// Broken links between rooms.
    broken: u16,
}

impl Features {
    /// Steps that are not done, and boxes that are not where a step can use them.
    fn left(&self) -> u16 {
        self.unpacked.saturating_add(self.out_of_plan)
    }
}

/// What breaks ties between positions of equal features; less is better.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Ties {
    /// Boxes that stand in the way of others.
    hotspots: u16,
    /// Pushes that the player cannot do, of four a box.
    immobility: u16,
    /// Sum over the boxes of the pushes to the nearest target.
    distance: u16,
}

/// A position that has been expanded.
#[derive(Clone, Copy, Debug)]
struct Node {
    parent: u32,
    macro_move: MacroMove,
    weight: u32,
    /// Its own features.
    own: Features,
    ties: Ties,
    /// The best features on the way to it.
    best: Features,
    /// Whether it, or one on the way to it, is proven to have no solution.
    dead: bool,
}

/// An open move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Open {
    order: u32,
    features: Features,
    ties: Ties,
    steps: u16,
    serial: u32,
    parent: u32,
    weight: u32,
    from: Square,
    to: Square,
    player: Square,
    key: u64,
}

/// A cell of the feature space.
struct Cell {
    heap: BinaryHeap<Reverse<Open>>,
}

/// A successor of the node that is being expanded.
#[derive(Clone, Copy)]
struct Successor {
    macro_move: MacroMove,
    steps: u16,
    key: u64,
    features: Features,
    ties: Ties,
    /// Pushes of other boxes that the parent's player could not do.
    opens: u16,
    dead: bool,
}

/// For each advisor the successor that it recommends.
type Advice = [Option<usize>; 7];

/// Ties with some noise.
fn noisy(ties: Ties, key: u64, seed: u64) -> Ties {
    if seed == 0 {
        return ties;
    }
    let noise = mix(key ^ seed);
    Ties {
        hotspots: ties.hotspots + (noise & 3) as u16,
        immobility: ties.immobility + (noise >> 2 & 7) as u16,
        ..ties
    }
}

/// Working state of the search.
pub struct Fess<'a> {
    board: &'a Board,
    analysis: &'a LevelAnalysis,
    packing: Arc<Packing>,
    style: Style,
    /// Where it begins.
    start: Reached,
    /// Ends a long expansion on a large board, as do more successors than memory allows.
    watch: Watch,
    most_successors: usize,
    nodes: Vec<Node>,
    /// Boxes of the nodes, as many a node as the level has.
    boxes: Vec<Square>,
    cells: Vec<Cell>,
    cell_of: AHashMap<Features, usize>,
    /// Key to least weight at which the position was offered.
    offered: AHashMap<u64, u32>,
    expanded: AHashMap<u64, ()>,
    occupied: Occupied,
    bits: Vec<u64>,
    generator: MacroMoveGenerator,
    /// Deadlock tests.
    pub deadlocks: Deadlocks<'a>,
    successors: Vec<Successor>,
    scratch: Vec<Square>,
    /// Boxes of the node that is being expanded.
    squares: Vec<Square>,
    /// The player's region in the node that is being expanded, and in the successor.
    before: Flood,
    region: SquareSet,
    /// The free squares around the box that is lifted, as the player can walk them.
    whole: SquareSet,
    /// Broken links by passage while a box is lifted; `u16::MAX` where not counted yet.
    loose: Vec<u16>,
    mobility: Mobility,
    corrals: Corrals,
    way: ObstacleSearch,
    /// All squares.
    everywhere: SquareSet,
    /// What the boxes that stay count for while one is lifted, by steps done.
    stationary: Vec<(usize, Stationary)>,
    /// Boxes on the way of the next step, at the node that is being expanded.
    price: Option<u8>,
    any_order: AnyOrder,
    /// Nodes expanded.
    pub expansions: u64,
    /// Successors generated.
    pub generated: u64,
    open_moves: usize,
    /// The cell to visit next, and visits since the last node.
    cell: usize,
    idle: usize,
}

impl<'a> Fess<'a> {
    /// A search from the level's start that follows a packing plan.
    pub fn new(level: Prepared<'a>, packing: Arc<Packing>, style: Style) -> Self {
        Self::from(level, packing, style, Reached::start(level.board))
    }

    /// A search from another position.
    pub fn from(level: Prepared<'a>, packing: Arc<Packing>, style: Style, start: Reached) -> Self {
        let Prepared { board, analysis, .. } = level;
        Fess {
            board,
            analysis,
            packing,
            style,
            start,
            watch: Watch::default(),
            most_successors: usize::MAX,
            cell: 0,
            idle: 0,
            nodes: Vec::new(),
            boxes: Vec::new(),
            cells: Vec::new(),
            cell_of: AHashMap::new(),
            offered: AHashMap::new(),
            expanded: AHashMap::new(),
            occupied: Occupied::new(&board.layout),
            bits: vec![0; analysis.words],
            generator: MacroMoveGenerator::new(board),
            deadlocks: Deadlocks::new(board, analysis, EARNED),
            successors: Vec::new(),
            scratch: Vec::new(),
            squares: Vec::new(),
            before: Flood::new(&board.layout),
            region: vec![0; analysis.words],
            whole: vec![0; analysis.words],
            loose: vec![u16::MAX; analysis.passages()],
            mobility: Mobility::new(board),
            corrals: Corrals::new(board),
            way: ObstacleSearch::new(board),
            everywhere: vec![u64::MAX; analysis.words],
            stationary: Vec::new(),
            price: None,
            any_order: AnyOrder::new(board, analysis),
            expansions: 0,
            generated: 0,
            open_moves: 0,
        }
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + self.boxes.capacity() * size_of::<Square>()
            + self.open_moves * size_of::<Open>() * 3 / 2
            + (self.offered.capacity() + self.expanded.capacity()) * 18
            + self.deadlocks.memory()
            + self.any_order.memory()
    }

    /// Searches until solved, exhausted or out of budget; no more than `limit` expansions of a
    /// thousand successors in all, and holding no more than `memory` bytes.
    pub fn run(&mut self, clock: &Clock<'_>, limit: u64, memory: usize) -> Found {
        self.watch = clock.watch();
        self.most_successors = memory.saturating_sub(self.memory()) / (4 * size_of::<Successor>());
        if self.nodes.is_empty() && self.start() {
            return Found::Solved(Vec::new());
        }
        loop {
            if self.expansions.max(self.generated / SUCCESSORS) >= limit {
                return Found::Stopped(Stop::Nodes);
            }
            if self.memory() > memory {
                return Found::Stopped(Stop::Memory);
            }
            if let Some(stop) = clock.should_stop(0, 0) {
                return Found::Stopped(stop);
            }
            if self.expansions.is_multiple_of(TELL) {
                clock.tell(&Progress {
                    phase: "feature-space search".into(),
                    nodes: self.expansions,
                    ..Progress::default()
                });
            }
            if self.idle > self.cells.len() {
                return Found::Exhausted;
            }
            if self.cell >= self.cells.len() {
                self.cell = 0;
            }
            let cells_before = self.cells.len();
            match self.visit(self.cell) {
                Some(node) if self.is_goal(node) => return Found::Solved(self.path_to(node)),
                Some(_) => self.idle = 0,
                None => self.idle += 1,
            }
            // A new cell is visited at once, for a chain of good moves to run through.
            let grown = self.cells.len() > cells_before;
            self.cell = if grown { cells_before } else { self.cell + 1 };
        }
    }

    /// Makes the first node; whether it is solved.
    fn start(&mut self) -> bool {
        let (boxes, player) = self.start.position.clone();
        let macro_move = MacroMove { from: 0, to: 0, player };
        let none = Features {
            burden: u16::MAX,
            unpacked: u16::MAX,
            out_of_plan: u16::MAX,
            obstacles: u16::MAX,
            regions: u16::MAX,
            broken: 0,
        };
        self.nodes.push(Node {
            parent: 0,
            macro_move,
            weight: 0,
            own: none,
            best: none,
            ties: Ties::default(),
            dead: false,
        });
        self.boxes.extend_from_slice(&boxes);
        let node = 0;
        self.place(node, true);
        self.generator.analyse(self.board, &self.occupied);
        let regions = self.generator.regions() as u16;
        let broken =
            self.analysis.broken_links(self.board, &self.occupied, &mut self.scratch) as u16;
        let features = self.features((None, player), regions, broken);
        self.generator.component(player, &mut self.region);
        let around = (&self.region[..], &self.before);
        self.mobility.count(self.board, boxes.iter().copied(), &self.occupied, around);
        let ties = self.ties(None, &features, (self.mobility.total(), self.distance(&boxes)));
        self.place(node, false);
        self.nodes[0].ties = ties;
        self.nodes[0].own = features;
        self.nodes[0].best = features;
        let solved = self.is_goal(0);
        if !solved {
            self.expand(0);
        }
        solved
    }

    fn node_boxes(&self, node: u32) -> &[Square] {
        let count = self.board.boxes.len();
        &self.boxes[node as usize * count..][..count]
    }

    fn is_goal(&self, node: u32) -> bool {
        self.node_boxes(node).iter().all(|&s| self.board.is_target[s as usize])
    }

    fn place(&mut self, node: u32, value: bool) {
        let count = self.board.boxes.len();
        for i in 0..count {
            let square = self.boxes[node as usize * count + i];
            self.occupied.set(square, value);
            if value { put(&mut self.bits, square) } else { take(&mut self.bits, square) }
        }
    }

    /// Keeps a proven deadlock, and leaves alone all nodes that have it or come from such a one.
    pub fn bury(&mut self, boxes: &[Square], player: Square) {
        self.deadlocks.learn(boxes, player);
        self.bury_matching(self.deadlocks.patterns().saturating_sub(1));
    }

    /// Takes over deadlocks that another search has learned.
    pub fn adopt(&mut self, patterns: &[Pattern]) {
        let known = self.deadlocks.patterns();
        self.deadlocks.adopt(patterns);
        self.bury_matching(known);
    }

    /// Marks the nodes on which a deadlock learned since so many is, and those that come from them.
    fn bury_matching(&mut self, known: usize) {
        let mut bits = std::mem::take(&mut self.region);
        for i in 0..self.nodes.len() {
            let node = self.nodes[i];
            if node.dead {
                continue;
            }
            let mut dead = self.nodes[node.parent as usize].dead;
            if !dead {
                bits.fill(0);
                self.node_boxes(i as u32).iter().for_each(|&s| put(&mut bits, s));
                let learned = self.deadlocks.learned_since(known);
                dead = learned.iter().any(|pattern| pattern.matches(&bits, node.macro_move.player));
            }
            self.nodes[i].dead = dead;
        }
        self.region = bits;
    }

    /// The best nodes that are not known to be dead, one for each number of boxes that are not
    /// packed or out of plan, fewest first.
    pub fn best_nodes(&self, count: usize) -> Vec<u32> {
        let mut best: BTreeMap<u16, (Features, Ties, u32)> = BTreeMap::new();
        for (i, node) in self.nodes.iter().enumerate().filter(|(_, node)| !node.dead) {
            let left = node.own.left();
            let candidate = (node.own, node.ties, i as u32);
            let least = best.entry(left).or_insert(candidate);
            *least = candidate.min(*least);
        }
        best.into_values().map(|(.., node)| node).take(count).collect()
    }

    /// The position of a node.
    pub fn position(&self, node: u32) -> Position {
        let mut boxes = self.node_boxes(node).to_vec();
        boxes.sort_unstable();
        (boxes, self.nodes[node as usize].macro_move.player)
    }

    /// The position of a node, and the macro moves to it.
    pub fn reached(&self, node: u32) -> Reached {
        let left = self.nodes[node as usize].own.left();
        Reached { position: self.position(node), macro_moves: self.path_to(node), left }
    }

    /// The macro moves from the level's start to a node.
    pub fn path_to(&self, mut node: u32) -> Vec<MacroMove> {
        let mut macro_moves = Vec::new();
        while node != 0 {
            macro_moves.push(self.nodes[node as usize].macro_move);
            node = self.nodes[node as usize].parent;
        }
        macro_moves.extend(self.start.macro_moves.iter().rev());
        macro_moves.reverse();
        macro_moves
    }

    /// The features of what `bits` holds; `moved` is the square on which a lifted box was put, and
    /// the player stands on `player`.
    fn features(
        &mut self,
        (moved, player): (Option<Square>, Square),
        regions: u16,
        broken: u16,
    ) -> Features {
        if self.style.any_order {
            let (away, lost) = self.any_order.count(self.board, &self.bits);
            return Features {
                burden: away + lost,
                unpacked: away + lost,
                out_of_plan: lost,
                obstacles: 0,
                regions,
                broken,
            };
        }
        let done = self.packing.done(&self.bits, player);
        let out: u32 = if self.style.schedule {
            let stationary = self.stationary(done, moved);
            self.stationary[stationary].1.unscheduled(&self.packing, done, moved)
        } else {
            let Packing { filled, basin, .. } = &*self.packing;
            (self.bits.iter().zip(&filled[done]).zip(&basin[done]))
                .map(|((b, f), n)| (b & !f & !n).count_ones())
                .sum()
        };
        let (unpacked, out_of_plan) = ((self.packing.to.len() - done) as u16, out as u16);
        Features {
            burden: unpacked + self.style.lost_weight * out_of_plan,
            unpacked,
            out_of_plan,
            obstacles: 0,
            regions,
            broken,
        }
    }

    /// The squares of boxes that count as packed where so many steps are done.
    fn filled(&self, done: usize) -> &[u64] {
        if self.style.any_order { self.any_order.targets() } else { &self.packing.filled[done] }
    }

    /// The place in `others` of what boxes but for the one on `moved` count for where so many steps
    /// are done.
    fn stationary(&mut self, done: usize, moved: Option<Square>) -> usize {
        if let Some(known) = self.stationary.iter().position(|&(other, _)| other == done) {
            return known;
        }
        moved.iter().for_each(|&s| take(&mut self.bits, s));
        let is_scheduled = self.style.schedule && !self.style.any_order;
        let plan = is_scheduled.then_some((&*self.packing, done));
        let stationary = Stationary::new(self.analysis, &self.bits, self.filled(done), plan);
        moved.iter().for_each(|&s| put(&mut self.bits, s));
        self.stationary.push((done, stationary));
        self.stationary.len() - 1
    }

    /// What breaks ties for the position on the board, where the player can do so many pushes;
    /// `moved` is the square on which a lifted box was put, and `distance` the sum over the boxes
    /// of the pushes to the nearest target.
    fn ties(
        &mut self,
        moved: Option<Square>,
        features: &Features,
        (pushes, distance): (Pushes, u32),
    ) -> Ties {
        let done = match self.style.any_order {
            true => 0,
            false => self.packing.filled.len() - 1 - features.unpacked as usize,
        };
        let loose = moved.filter(|&s| !has(self.filled(done), s));
        let stationary = self.stationary(done, moved);
        let stationary = &self.stationary[stationary].1;
        Ties {
            hotspots: stationary.hotspots(self.analysis, loose, self.style.graded),
            immobility: 4 * self.board.boxes.len() as u16 - pushes.possible,
            distance: distance.min(u32::from(u16::MAX)) as u16,
        }
    }

    /// The sum over the boxes on the board of the pushes to the nearest target.
    fn distance(&self, boxes: &[Square]) -> u32 {
        boxes.iter().map(|&s| u32::from(self.analysis.nearest[s as usize])).sum()
    }

    /// Takes the best open move of a cell, makes its node and expands it.
    fn visit(&mut self, cell: usize) -> Option<u32> {
        while let Some(Reverse(open)) = self.cells[cell].heap.pop() {
            self.open_moves -= 1;
            if self.nodes[open.parent as usize].dead || self.expanded.contains_key(&open.key) {
                continue;
            }
            self.expanded.insert(open.key, ());
            let macro_move = MacroMove { from: open.from, to: open.to, player: open.player };
            if self.is_dead(open.parent, macro_move) {
                continue;
            }
            let parent = self.nodes[open.parent as usize];
            let node = self.nodes.len() as u32;
            let own = open.features;
            let best = parent.best;
            self.nodes.push(Node {
                parent: open.parent,
                macro_move,
                weight: open.weight,
                own,
                best,
                ties: open.ties,
                dead: false,
            });
            let count = self.board.boxes.len();
            let at = open.parent as usize * count;
            self.boxes.extend_from_within(at..at + count);
            let moved = &mut self.boxes[node as usize * count..];
            if let Some(square) = moved.iter_mut().find(|s| **s == open.from) {
                *square = open.to;
            }
            self.expand(node);
            return Some(node);
        }
        None
    }

    /// The thorough deadlock test of a successor.
    fn is_dead(&mut self, parent: u32, macro_move: MacroMove) -> bool {
        let mut boxes = std::mem::take(&mut self.scratch);
        boxes.clear();
        boxes.extend_from_slice(self.node_boxes(parent));
        if let Some(square) = boxes.iter_mut().find(|s| **s == macro_move.from) {
            *square = macro_move.to;
        }
        let mut bits = std::mem::take(&mut self.region);
        bits.fill(0);
        boxes.iter().for_each(|&s| put(&mut bits, s));
        let dead = self.deadlocks.matches_any(&bits, macro_move.player)
            || self.deadlocks.is_dead(&boxes, macro_move.player);
        self.region = bits;
        self.scratch = boxes;
        dead
    }

    /// Finds the cell of a node that is on the board.
    fn settle(&mut self, node: u32) {
        let unpacked = self.nodes[node as usize].own.unpacked as usize;
        let mut way = std::mem::take(&mut self.way);
        let step = self.next_step(unpacked);
        let price =
            step.and_then(|delivery| way.find(self.board, &self.occupied, &self.before, &delivery));
        self.way = way;
        self.price = price;
        let parent = self.nodes[self.nodes[node as usize].parent as usize].best;
        let Node { own, best, .. } = &mut self.nodes[node as usize];
        own.obstacles = price.map_or(MANY, u16::from);
        if node == 0 {
            *best = *own;
        } else if !self.style.wide_cells {
            *best = (*own).min(parent);
        } else if own.burden <= parent.burden {
            *best = *own;
        }
    }

    /// Generates the moves of a node into its cell.
    fn expand(&mut self, node: u32) {
        self.expansions += 1;
        self.successors.clear();
        self.place(node, true);
        let boxes_key =
            self.node_boxes(node).iter().fold(0, |key, &s| key ^ self.board.box_keys[s as usize]);
        let broken = self.nodes[node as usize].own.broken;
        self.squares.clear();
        let at = node as usize * self.board.boxes.len();
        self.squares.extend_from_slice(&self.boxes[at..at + self.board.boxes.len()]);
        let player = self.nodes[node as usize].macro_move.player;
        self.before.fill(&self.occupied, player);
        self.settle(node);
        let first = self.first_to_play();
        for i in 0..self.board.boxes.len() {
            if first.as_ref().is_none_or(|first| first.contains(&self.squares[i])) {
                self.expand_box(node, i, boxes_key, broken);
            }
        }
        // Moves that must come at once are no choice to advise on.
        let advised = if first.is_none() { Some(self.advise(node)) } else { None };
        self.place(node, false);
        self.store(node, advised);
    }

    /// The boxes of the PI-corral to play first, where the node on the board has one. `before`
    /// holds the player's region.
    fn first_to_play(&mut self) -> Option<SmallVec<[Square; 16]>> {
        let (board, boxes) = (self.board, self.squares.len());
        self.corrals.find(board, &self.occupied, boxes, &self.before);
        let every_target = boxes == board.targets.len();
        self.corrals
            .first_to_play(board, self.analysis, &self.occupied, &self.before, every_target)
            .map(SmallVec::from_slice)
    }

    /// Every stop of one box.
    fn expand_box(&mut self, node: u32, index: usize, boxes_key: u64, broken: u16) {
        let board = self.board;
        let from = self.node_boxes(node)[index];
        let player = self.nodes[node as usize].macro_move.player;
        if !self.can_push(from) || self.watch.is_over() {
            return;
        }
        self.occupied.set(from, false);
        take(&mut self.bits, from);
        let regions = u32::from(self.nodes[node as usize].own.regions);
        self.generator.analyse_around(board, &self.occupied, (from, regions));
        let live = &self.analysis.live;
        self.generator.reach(board, from, Some(player), Motion::Push, |s| live[s as usize]);
        self.generator.component(from, &mut self.whole);
        self.loose.fill(u16::MAX);
        self.stationary.clear();
        let base = self.broken_without(from, broken);
        let stay = self.squares.iter().copied().filter(|&s| s != from);
        self.mobility.count(board, stay, &self.occupied, (&self.whole, &self.before));
        let away = self.distance(&self.squares) - u32::from(self.analysis.nearest[from as usize]);
        for i in 0..self.generator.reached().len() {
            let stop = self.generator.reached()[i];
            if i % POLL == 0
                && (self.watch.is_over() || self.successors.len() >= self.most_successors)
            {
                break;
            }
            if stop.steps == 0 {
                continue;
            }
            let to = stop.square;
            self.generated += 1;
            let beside = board.next[to as usize][stop.side as usize];
            let key = boxes_key
                ^ board.box_keys[from as usize]
                ^ board.box_keys[to as usize]
                ^ self.generator.region_hash(board, to, beside);
            let weight = self.nodes[node as usize].weight;
            if self.offered.get(&key).is_some_and(|&w| w <= weight) {
                continue;
            }
            self.occupied.set(to, true);
            put(&mut self.bits, to);
            if !self.deadlocks.is_dead_quickly(&self.occupied, &self.bits, to, beside) {
                let broken = self.broken_with(to, base);
                let regions = self.generator.regions_with(to);
                let features = self.features((Some(to), beside), regions as u16, broken);
                let macro_move = MacroMove { from, to, player: beside };
                let parted = regions > self.generator.regions();
                if parted {
                    self.generator.region(board, (to, beside), &self.whole, &mut self.region);
                }
                let region = if parted { &self.region } else { &self.whole };
                let pushes = self.mobility.with(board, &self.occupied, to, (region, parted));
                let distance = away + u32::from(self.analysis.nearest[to as usize]);
                let ties = self.ties(Some(to), &features, (pushes, distance));
                let opens = if self.style.explorer { pushes.new } else { 0 };
                self.successors.push(Successor {
                    macro_move,
                    steps: stop.steps,
                    key,
                    features,
                    ties,
                    opens,
                    dead: false,
                });
            }
            self.occupied.set(to, false);
            take(&mut self.bits, to);
        }
        self.occupied.set(from, true);
        put(&mut self.bits, from);
    }

    /// Whether the player of the node that is being expanded can push the box at all.
    fn can_push(&self, square: Square) -> bool {
        let next = self.board.next[square as usize];
        (0..4).any(|d| {
            let to = next[d] as usize;
            self.before.contains(next[d ^ 2]) && !self.occupied[to] && self.analysis.live[to]
        })
    }

    /// Broken links with the box on `from` lifted, which it is.
    fn broken_without(&mut self, from: Square, broken: u16) -> u16 {
        let passage = self.analysis.passage[from as usize];
        if passage == u16::MAX {
            return broken;
        }
        let (board, analysis) = (self.board, self.analysis);
        let without = analysis.broken_in(board, &self.occupied, passage, &mut self.scratch);
        self.occupied.set(from, true);
        let with = analysis.broken_in(board, &self.occupied, passage, &mut self.scratch);
        self.occupied.set(from, false);
        broken + without as u16 - with as u16
    }

    /// Broken links with the lifted box put on `to`, where it stands.
    fn broken_with(&mut self, to: Square, base: u16) -> u16 {
        let passage = self.analysis.passage[to as usize];
        if passage == u16::MAX {
            return base;
        }
        let (board, analysis) = (self.board, self.analysis);
        if self.loose[passage as usize] == u16::MAX {
            self.occupied.set(to, false);
            let without = analysis.broken_in(board, &self.occupied, passage, &mut self.scratch);
            self.occupied.set(to, true);
            self.loose[passage as usize] = without as u16;
        }
        let with = analysis.broken_in(board, &self.occupied, passage, &mut self.scratch);
        base + with as u16 - self.loose[passage as usize]
    }

    /// Puts the successors into the node's cell. Those that are not advised weigh more; none does
    /// where there is no advice.
    fn store(&mut self, node: u32, advised: Option<Advice>) {
        let parent = self.nodes[node as usize];
        let cells = &mut self.cells;
        let cell = *self.cell_of.entry(parent.best).or_insert_with(|| {
            cells.push(Cell { heap: BinaryHeap::new() });
            cells.len() - 1
        });
        for (i, successor) in
            self.successors.iter().enumerate().filter(|(_, successor)| !successor.dead)
        {
            // Time that is over stays over: what is left out here is not missed.
            if i % POLL_STORED == 0 && self.watch.is_over() {
                break;
            }
            let difficult = advised.is_some_and(|advised| !advised.contains(&Some(i)));
            let weight = parent.weight + u32::from(difficult);
            let offered = self.offered.entry(successor.key).or_insert(u32::MAX);
            if *offered <= weight {
                continue;
            }
            *offered = weight;
            self.open_moves += 1;
            self.cells[cell].heap.push(Reverse(Open {
                order: weight / self.style.coarseness,
                weight,
                features: successor.features,
                ties: noisy(successor.ties, successor.key, self.style.noise),
                steps: successor.steps,
                serial: self.generated as u32,
                parent: node,
                from: successor.macro_move.from,
                to: successor.macro_move.to,
                player: successor.macro_move.player,
                key: successor.key,
            }));
        }
    }

    /// One successor for each advisor that has a recommendation: the best that improves its
    /// feature.
    fn advise(&mut self, node: u32) -> Advice {
        let parent = self.nodes[node as usize].own;
        let ties = self.nodes[node as usize].ties;
        let style = self.style;
        let improves = |c: &Successor| {
            c.features.burden < parent.burden && c.features.unpacked < parent.unpacked
        };
        let packs = self.recommend(node, improves, |_| 0);
        let clears = if packs.is_none() { self.clear_way(node) } else { None };
        [
            packs,
            clears,
            self.recommend(node, |c| c.features.regions < parent.regions, |_| 0),
            self.recommend(node, |c| c.features.broken < parent.broken, |_| 0),
            self.recommend(
                node,
                |c| {
                    c.features.out_of_plan < parent.out_of_plan
                        && c.features.unpacked <= parent.unpacked
                },
                |_| 0,
            ),
            self.recommend(node, |c| style.hotspots && c.ties.hotspots < ties.hotspots, |_| 0),
            self.recommend(node, |c| style.explorer && c.opens > 0, |c| u16::MAX - c.opens),
        ]
    }

    /// The best successor that takes an obstacle off the way of the plan's next step. The node is
    /// on the board.
    fn clear_way(&mut self, node: u32) -> Option<usize> {
        let unpacked = self.nodes[node as usize].own.unpacked as usize;
        if !self.style.clearing || unpacked == 0 {
            return None;
        }
        if self.price.is_none_or(|price| price == 0) {
            return None;
        }
        let way = std::mem::take(&mut self.way.squares);
        let clears = |c: &Successor| {
            has(&way, c.macro_move.from)
                && !has(&way, c.macro_move.to)
                && c.features.unpacked as usize <= unpacked
        };
        let best = self.recommend(node, clears, |_| 0);
        self.way.squares = way;
        best
    }

    /// What the next step asks for. The node is on the board.
    fn next_step(&self, unpacked: usize) -> Option<Delivery<'_>> {
        let packing = &*self.packing;
        if !self.style.any_order {
            let done = packing.to.len().checked_sub(unpacked)?;
            return packing.delivery(done, &self.bits, self.style.schedule);
        }
        let both = |(a, b): (&u64, &u64)| a & b;
        let packed: SquareSet = self.bits.iter().zip(self.any_order.targets()).map(both).collect();
        let origins = without(&self.bits, &packed);
        let empty = |&s: &Square| self.board.is_target[s as usize] && !has(&packed, s);
        let target = packing.to.iter().copied().find(empty)?;
        Some(Delivery { target, origins, side: &self.everywhere, packed })
    }

    /// The best successor of those that improve and are not dead: least `first`, then features.
    fn recommend(
        &mut self,
        node: u32,
        improves: impl Fn(&Successor) -> bool,
        first: impl Fn(&Successor) -> u16,
    ) -> Option<usize> {
        for _ in 0..MOST_DEAD {
            if self.watch.is_over() {
                return None;
            }
            let best = (0..self.successors.len())
                .filter(|&i| !self.successors[i].dead && improves(&self.successors[i]))
                .min_by_key(|&i| {
                    let successor = &self.successors[i];
                    (first(successor), successor.features, successor.ties, successor.steps)
                })?;
            let successor = self.successors[best];
            if self.expanded.contains_key(&successor.key)
                || !self.is_dead(node, successor.macro_move)
            {
                return Some(best);
            }
            self.expanded.insert(successor.key, ());
            self.successors[best].dead = true;
        }
        None
    }
}
