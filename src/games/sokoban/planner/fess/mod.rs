//! Feature-space search, the solver's main strategy.
//!
//! After Shoham and Schaeffer, "The FESS Algorithm: A Feature Based Approach to Single-Agent
//! Search" (IEEE CoG 2020). A move takes one box from a square to any other that it can be pushed
//! to while the rest stands still ([`macro_moves`](super::analysis::macro_moves)). A position
//! projects to a cell of a small feature space (`features`). The search visits the cells in turn
//! and takes in each the open move of least weight. A move weighs one unless an advisor recommends
//! it (`advisors`) or a corral forces it. Advised moves run ahead, and the cells spread all others
//! over positions that differ.
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

mod advisors;
pub mod expand_macros;
mod features;
pub mod finish;
pub mod mobility;
pub mod restarts;
pub mod stationary;
mod store;

use crate::games::sokoban::board::square_set::{SquareSet, put};
use crate::games::sokoban::board::{Board, Square};
use crate::games::sokoban::planner::analysis::Prepared;
use crate::games::sokoban::planner::bound::LowerBound;
use crate::games::sokoban::planner::deadlock::corral::Corrals;
use crate::games::sokoban::planner::deadlock::{Deadlocks, Pattern};
use crate::games::sokoban::planner::packing::Packing;
use crate::search::{Clock, Deadline, Progress, StopReason};
use advisors::Advice;
use features::{Evaluator, Features, Ties};
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::sync::Arc;
use store::{ExpandedPosition, Open, Store};

/// Successors of one box between two looks at the clock.
const POLL: usize = 64;
/// Successors put into their cell between two looks at the clock.
const POLL_STORED: usize = 4096;
/// Positions of corral searches that an expansion earns.
const EARNED: usize = 60;
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
    /// How many pushes that takes.
    pub pushes: u32,
    /// Steps of its search's plan that are not done there, and boxes out of plan.
    pub left: u16,
}

impl Reached {
    /// The level's start.
    pub fn start(board: &Board) -> Self {
        let position = (board.boxes.clone(), board.player);
        Reached { position, macro_moves: Vec::new(), pushes: 0, left: u16::MAX }
    }
}

/// A limit on a plan's pushes: what no plan within it comes through is left out.
pub struct PushLimit<'a> {
    /// Pushes of the whole plan at most.
    pub most: u32,
    bound: LowerBound<'a>,
    poses: Vec<u32>,
}

impl<'a> PushLimit<'a> {
    /// The limit to plans of at most `most` pushes.
    pub fn new(level: Prepared<'a>, most: u32) -> Self {
        let bound = LowerBound::new(level.board, level.distances);
        PushLimit { most, bound, poses: Vec::new() }
    }

    /// Whether a position that was reached by `pushes` pushes is on such a plan, as far as the
    /// bound tells.
    fn allows(
        &mut self,
        level: Prepared<'_>,
        boxes: &[Square],
        player: Square,
        pushes: u32,
    ) -> bool {
        let Prepared { board, distances, .. } = level;
        distances.read(board, boxes, player, &mut self.poses);
        let rest = self.bound.place(distances, &self.poses);
        rest.is_some_and(|rest| pushes + rest <= self.most)
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
    Stopped(StopReason),
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
    /// Weight of a box out of plan, in steps that are not done. With 0, steps are compared first,
    /// whatever becomes of the other boxes.
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

/// Working state of the search.
pub struct Fess<'a> {
    level: Prepared<'a>,
    style: Style,
    /// Where it begins.
    start: Reached,
    /// Ends a long expansion on a large board, as do more successors than memory allows.
    watch: Deadline,
    most_successors: usize,
    /// Successors that may be generated before the nodes of all runs are spent.
    most_generated: u64,
    /// What was reached.
    store: Store,
    /// The position that is looked at, and its features.
    evaluator: Evaluator<'a>,
    /// Deadlock tests, and what they have proven.
    pub deadlocks: Deadlocks<'a>,
    /// How long a plan may be, where that is limited.
    pub limit: Option<PushLimit<'a>>,
    corrals: Corrals,
    successors: Vec<Successor>,
    /// Boxes and bits of a position that is tested.
    tested: Vec<Square>,
    tested_bits: SquareSet,
    /// Nodes expanded.
    pub expansions: u64,
    /// Successors generated.
    pub generated: u64,
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
            level,
            style,
            start,
            watch: Deadline::default(),
            most_successors: usize::MAX,
            most_generated: u64::MAX,
            store: Store::new(board.boxes.len()),
            evaluator: Evaluator::new(level, packing, style),
            deadlocks: Deadlocks::new(board, &analysis.live, EARNED),
            limit: None,
            corrals: Corrals::new(board),
            successors: Vec::new(),
            tested: Vec::new(),
            tested_bits: vec![0; analysis.words],
            expansions: 0,
            generated: 0,
        }
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        self.store.memory() + self.deadlocks.memory() + self.evaluator.memory()
    }

    /// What was spent, in nodes: expansions of a thousand successors.
    pub fn spent(&self) -> u64 {
        self.expansions.max(self.generated / SUCCESSORS)
    }

    /// Searches until solved, exhausted or out of budget; about `most` expansions of a thousand
    /// successors in all and never more than `limit`, and holding no more than `memory` bytes.
    pub fn run(&mut self, clock: &Clock, (most, limit): (u64, u64), memory: usize) -> Found {
        let most = most.min(limit);
        if most == 0 {
            return Found::Stopped(StopReason::Nodes);
        }
        self.watch = clock.watch();
        self.most_generated = limit.saturating_mul(SUCCESSORS);
        self.most_successors = memory.saturating_sub(self.memory()) / (4 * size_of::<Successor>());
        if self.store.nodes.is_empty() && self.start() {
            return Found::Solved(self.start.macro_moves.clone());
        }
        loop {
            if self.spent() >= most {
                return Found::Stopped(StopReason::Nodes);
            }
            if self.memory() > memory {
                return Found::Stopped(StopReason::Memory);
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
            let Some(cell) = self.store.next_cell() else { return Found::Exhausted };
            let cells = self.store.cells();
            let node = self.visit(cell);
            if let Some(node) = node.filter(|&node| self.is_goal(node)) {
                return Found::Solved(self.path_to(node));
            }
            self.store.visited(node.is_some(), cells);
        }
    }

    /// Makes the first node; whether it is solved.
    fn start(&mut self) -> bool {
        let (boxes, player) = self.start.position.clone();
        self.evaluator.place(&boxes, player);
        let (own, ties) = self.evaluator.evaluate(player);
        self.evaluator.clear();
        let macro_move = MacroMove { from: 0, to: 0, player };
        let pushes = self.start.pushes;
        let node = ExpandedPosition {
            parent: 0,
            macro_move,
            weight: 0,
            pushes,
            own,
            ties,
            best: own,
            dead: false,
        };
        self.store.add_start(node, &boxes);
        let solved = self.is_goal(0);
        if !solved {
            self.expand(0);
        }
        solved
    }

    fn is_goal(&self, node: u32) -> bool {
        self.store.boxes(node).iter().all(|&s| self.level.board.is_target[s as usize])
    }

    /// Whether time or the nodes are over: what an expansion leaves out then is not missed.
    fn is_over(&self) -> bool {
        self.generated >= self.most_generated || self.watch.is_over()
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

    /// Marks the nodes that have a deadlock learned after the first `known`, and their descendants.
    fn bury_matching(&mut self, known: usize) {
        let bits = &mut self.tested_bits;
        let learned = self.deadlocks.learned_since(known);
        for i in 0..self.store.nodes.len() {
            let ExpandedPosition { parent, dead, macro_move, .. } = self.store.nodes[i];
            if dead {
                continue;
            }
            let mut dead = self.store.nodes[parent as usize].dead;
            if !dead {
                bits.fill(0);
                self.store.boxes(i as u32).iter().for_each(|&s| put(bits, s));
                dead = learned.iter().any(|pattern| pattern.matches(bits, macro_move.player));
            }
            self.store.nodes[i].dead = dead;
        }
    }

    /// The best nodes that are not known to be dead, one for each number of boxes that are not
    /// packed or out of plan, fewest first.
    pub fn best_nodes(&self, count: usize) -> Vec<u32> {
        let mut best: BTreeMap<u16, (Features, Ties, u32)> = BTreeMap::new();
        for (i, node) in self.store.nodes.iter().enumerate().filter(|(_, node)| !node.dead) {
            let left = node.own.left();
            let candidate = (node.own, node.ties, i as u32);
            let least = best.entry(left).or_insert(candidate);
            *least = candidate.min(*least);
        }
        best.into_values().map(|(.., node)| node).take(count).collect()
    }

    /// The position of a node.
    pub fn position(&self, node: u32) -> Position {
        let mut boxes = self.store.boxes(node).to_vec();
        boxes.sort_unstable();
        (boxes, self.store.nodes[node as usize].macro_move.player)
    }

    /// The position of a node, and the macro moves to it.
    pub fn reached(&self, node: u32) -> Reached {
        let ExpandedPosition { own, pushes, .. } = self.store.nodes[node as usize];
        let (position, macro_moves) = (self.position(node), self.path_to(node));
        Reached { position, macro_moves, pushes, left: own.left() }
    }

    /// The macro moves from the level's start to a node.
    pub fn path_to(&self, mut node: u32) -> Vec<MacroMove> {
        let mut macro_moves = Vec::new();
        while node != 0 {
            let ExpandedPosition { macro_move, parent, .. } = self.store.nodes[node as usize];
            macro_moves.push(macro_move);
            node = parent;
        }
        macro_moves.extend(self.start.macro_moves.iter().rev());
        macro_moves.reverse();
        macro_moves
    }

    /// Takes the best open move of a cell that is not dead, makes its node and expands it.
    fn visit(&mut self, cell: usize) -> Option<u32> {
        while let Some(open) = self.store.pop(cell) {
            if !self.is_out(open.parent, open.macro_move(), open.steps) {
                let node = self.store.add(&open);
                self.expand(node);
                return Some(node);
            }
        }
        None
    }

    /// Whether a successor leads nowhere: by the thorough deadlock test, or since all plans through it
    /// are too long.
    fn is_out(&mut self, parent: u32, macro_move: MacroMove, steps: u16) -> bool {
        if self.is_dead(parent, macro_move) {
            return true;
        }
        let pushes = self.store.nodes[parent as usize].pushes + u32::from(steps);
        let (level, player, boxes) = (self.level, macro_move.player, &self.tested);
        self.limit.as_mut().is_some_and(|limit| !limit.allows(level, boxes, player, pushes))
    }

    /// The thorough deadlock test of a successor.
    fn is_dead(&mut self, parent: u32, macro_move: MacroMove) -> bool {
        let boxes = &mut self.tested;
        boxes.clear();
        boxes.extend_from_slice(self.store.boxes(parent));
        if let Some(square) = boxes.iter_mut().find(|s| **s == macro_move.from) {
            *square = macro_move.to;
        }
        let bits = &mut self.tested_bits;
        bits.fill(0);
        boxes.iter().for_each(|&s| put(bits, s));
        self.deadlocks.matches_any(bits, macro_move.player)
            || self.deadlocks.is_dead(boxes, macro_move.player)
    }

    /// Generates the moves of a node into its cell.
    fn expand(&mut self, node: u32) {
        self.expansions += 1;
        self.successors.clear();
        let player = self.store.nodes[node as usize].macro_move.player;
        self.evaluator.place(self.store.boxes(node), player);
        self.settle(node);
        let first = self.first_to_play();
        for i in 0..self.evaluator.boxes.len() {
            let square = self.evaluator.boxes[i];
            if first.as_ref().is_none_or(|first| first.contains(&square)) {
                self.expand_box(node, square);
            }
        }
        // Moves that must come at once are no choice to advise on.
        let advised = if first.is_none() { Some(self.advise(node)) } else { None };
        self.evaluator.clear();
        self.store_successors(node, advised);
    }

    /// Finds the obstacles of a node that is on the board, and its cell.
    fn settle(&mut self, node: u32) {
        let unpacked = self.store.nodes[node as usize].own.unpacked as usize;
        let obstacles = self.evaluator.find_obstacles(unpacked);
        let parent = self.store.nodes[self.store.nodes[node as usize].parent as usize].best;
        let ExpandedPosition { own, best, .. } = &mut self.store.nodes[node as usize];
        own.obstacles = obstacles;
        if node == 0 {
            *best = *own;
        } else if !self.style.wide_cells {
            *best = (*own).min(parent);
        } else if own.burden <= parent.burden {
            *best = *own;
        }
    }

    /// The boxes of the PI-corral to play first, where the node on the board has one.
    fn first_to_play(&mut self) -> Option<SmallVec<[Square; 16]>> {
        let Prepared { board, analysis, .. } = self.level;
        let Evaluator { boxes, occupied, region, .. } = &self.evaluator;
        self.corrals.find(board, occupied, boxes.len(), region);
        let every_target = boxes.len() == board.targets.len();
        self.corrals
            .first_to_play(board, &analysis.live, occupied, region, every_target)
            .map(SmallVec::from_slice)
    }

    /// The successors that move the box on a square.
    fn expand_box(&mut self, node: u32, from: Square) {
        let board = self.level.board;
        let ExpandedPosition { own, weight, macro_move, .. } = self.store.nodes[node as usize];
        if !self.evaluator.can_push(from) || self.is_over() {
            return;
        }
        let boxes = self.evaluator.boxes.iter();
        let boxes_key = boxes.fold(0, |key, &s| key ^ board.box_keys[s as usize]);
        self.evaluator.lift(from, macro_move.player, &own);
        for i in 0..self.evaluator.generator.reached().len() {
            let placement = self.evaluator.generator.reached()[i];
            if i % POLL == 0 && (self.is_over() || self.successors.len() >= self.most_successors) {
                break;
            }
            if placement.steps == 0 {
                continue;
            }
            let to = placement.square;
            self.generated += 1;
            let player = board.next[to as usize][placement.side as usize];
            let key = boxes_key
                ^ board.box_keys[from as usize]
                ^ board.box_keys[to as usize]
                ^ self.evaluator.generator.region_hash(board, to, player);
            if self.store.is_offered(key, weight) {
                continue;
            }
            self.evaluator.set_down(to);
            let Evaluator { occupied, bits, .. } = &self.evaluator;
            if !self.deadlocks.is_dead_quickly(occupied, bits, to, player) {
                let features::Evaluation { features, ties, opens } =
                    self.evaluator.evaluate_placement(&placement);
                let macro_move = MacroMove { from, to, player };
                let steps = placement.steps;
                let dead = false;
                let successor = Successor { macro_move, steps, key, features, ties, opens, dead };
                self.successors.push(successor);
            }
            self.evaluator.take_up(to);
        }
        self.evaluator.set_down(from);
    }

    /// Puts the successors into the node's cell. Those that are not advised weigh more; none does
    /// where there is no advice.
    fn store_successors(&mut self, node: u32, advised: Option<Advice>) {
        let parent = self.store.nodes[node as usize];
        let cell = self.store.cell(parent.best);
        for (i, successor) in self.successors.iter().enumerate().filter(|(_, s)| !s.dead) {
            // Time that is over stays over: what is left out here is not missed.
            if i % POLL_STORED == 0 && self.watch.is_over() {
                break;
            }
            let difficult = advised.is_some_and(|advised| !advised.contains(&Some(i)));
            let weight = parent.weight + u32::from(difficult);
            if !self.store.offer(successor.key, weight) {
                continue;
            }
            let MacroMove { from, to, player } = successor.macro_move;
            let open = Open {
                order: weight / self.style.coarseness,
                weight,
                features: successor.features,
                ties: successor.ties.noisy(successor.key, self.style.noise),
                steps: successor.steps,
                serial: self.generated as u32,
                parent: node,
                from,
                to,
                player,
                key: successor.key,
            };
            self.store.push(cell, open);
        }
    }
}
