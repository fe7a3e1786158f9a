//! The backward search behind a packing plan: boxes are pulled off the solved board.
//!
//! After Shoham and Schaeffer, "The FESS Algorithm" (IEEE CoG 2020). A box that can be pulled into
//! the sink ([`sinks`](super::sinks)) leaves the board at once, which can only help those that
//! stay. Where none can, one is pulled aside, and the search is over what to park where. It is a
//! feature-space search of its own. Positions fall into cells by the number of boxes on the board
//! and on targets, the cells are visited in turn, and in each the open move of least weight is
//! taken. The weight counts the boxes that were parked; a box that is not parked as far from the
//! targets as it goes counts twice. When an end is found, the search goes on for one of less
//! weight.
//!
//! Each box that leaves takes one of the start with it, so those that leave have to match with the
//! start. Those that stay to the end must stand where boxes stand at the start. [`ExitRules`] say
//! how strictly that is meant, and laxer rules follow where strict ones fail. The strictest rules
//! give plans that park boxes, which suits some levels; rules that let boxes out where they can
//! suit others. By the exact rules a box leaves only where one of the start stands, so each box has
//! a step that it can be pushed to. The other rules take for granted that boxes get to the room
//! that a box is pulled into.

use super::assignment::{IndexSet, MOST_STEPS, unmatched};
use super::sinks::{Fit, Reaches, Sinks};
use crate::board::mix;
use crate::games::sokoban::board::region::Occupied;
use crate::games::sokoban::board::square_set::has;
use crate::games::sokoban::board::{Board, Square};
use crate::games::sokoban::planner::analysis::level::LevelAnalysis;
use crate::games::sokoban::planner::analysis::macro_moves::{MacroMoveGenerator, Motion};
use crate::games::sokoban::planner::limits::preparation;
use crate::search::open_lists::{Contours, Visits};
use crate::search::{Clock, Deadline};
use ahash::{AHashMap, AHashSet};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Squares that a search looks at, over all positions and boxes, by one set of rules, where a plan
/// is to be found if there is one.
pub const THOROUGH: usize = 10_000_000;
/// Squares that a search looks at by one set of rules, where another plan will do as well.
pub const QUICK: usize = 1_000_000;
/// Divisor of these squares: the search for a better end may look at this share in any case.
const BETTER: usize = 5;
/// Squares times boxes times boxes above which a board is large: looking at every box again after
/// each that leaves would take seconds.
const LARGE: usize = 1_000_000;
/// Squares that a place to park counts as.
const PLACEMENT_WORK: usize = 12;
/// What a parked box weighs.
const PARK_WEIGHT: u32 = 1;
/// What a box weighs that leaves other than through the sink.
const ASIDE_WEIGHT: u32 = 2;
/// Bytes of a position or an open move, about, but for the boxes.
const BYTES: usize = 192;

/// One event of the backward search: a box leaves the board, or is pulled aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Where the box stood.
    pub from: Square,
    /// Where it is parked; `None` where it leaves.
    pub parked: Option<Square>,
    /// A square that the player could walk to before.
    pub player: Square,
}

/// What the search comes to.
pub struct PulledPlan {
    /// The events, the first one first.
    pub events: Vec<Event>,
    /// Boxes that stay, the first to be packed first.
    pub rest: Vec<Square>,
    /// Whether those that stay stand where boxes stand at the start.
    pub complete: bool,
}

/// How a plan is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanOptions {
    /// Which box leaves next.
    pub exit_order: ExitOrder,
    /// How readily boxes leave; where these fail, laxer ones follow.
    pub rules: ExitRules,
    /// Squares to look at by one set of rules, at most: [`THOROUGH`] or [`QUICK`].
    pub work: usize,
}

/// Which box leaves the board next when several could.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitOrder {
    /// The one with the shortest way out, which is packed last.
    Near,
    /// The one with the longest way out.
    Far,
    /// Any, drawn with this seed.
    Drawn(u64),
}

/// What is asked of boxes that leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExitRules {
    /// Which boxes of the start one that leaves may be.
    fit: Fit,
    /// A box leaves at once also where it does so other than through the sink.
    aside: bool,
    /// Each box that leaves must find one of the start that fits.
    matched: bool,
}

impl ExitRules {
    /// The strictest, which make the search park boxes.
    pub const STRICT: ExitRules = ExitRules { fit: Fit::Late, aside: false, matched: true };
    /// The rules under which a box does not have to go through the sink.
    pub const ASIDE: ExitRules = ExitRules { aside: true, ..ExitRules::STRICT };
    /// The rules that let boxes out where they can.
    pub const OPEN: ExitRules = ExitRules { fit: Fit::Early, aside: true, matched: true };
    /// The rules under which a box leaves where one of the start stands.
    pub const EXACT: ExitRules = ExitRules { fit: Fit::Exact, aside: true, matched: true };

    /// What to search by when these have failed.
    fn next(self) -> Option<ExitRules> {
        match self {
            ExitRules { fit: Fit::Late | Fit::Exact, .. } => Some(ExitRules::OPEN),
            ExitRules { matched: true, .. } => Some(ExitRules { matched: false, ..self }),
            _ => None,
        }
    }
}

/// Pulls boxes off the solved board until none is left, or the work is too much.
pub fn search(
    board: &Board,
    analysis: &LevelAnalysis,
    options: PlanOptions,
    clock: &Clock,
) -> PulledPlan {
    let mut best: Option<PulledPlan> = None;
    let mut rules = Some(options.rules);
    let watch = clock.watch();
    let reaches = Reaches::new(board, analysis, &watch);
    let mut allowed = preparation(&clock.limits);
    while let Some(now) = rules.filter(|_| !watch.is_over()) {
        let sinks = Sinks::new(board, analysis, now.fit, &reaches);
        let options = PlanOptions { rules: now, ..options };
        let mut search =
            PlanSearch { allowed, ..PlanSearch::new((board, analysis), options, sinks, clock) };
        let pulled = search.run();
        if pulled.complete {
            return pulled;
        }
        allowed = allowed.saturating_sub(search.work);
        if best.as_ref().is_none_or(|best| pulled.rest.len() < best.rest.len()) {
            best = Some(pulled);
        }
        rules = now.next();
    }
    let nothing =
        || PulledPlan { events: Vec::new(), rest: board.targets.clone(), complete: false };
    best.unwrap_or_else(nothing)
}

/// How a box can leave.
#[derive(Clone, Copy)]
struct Exit {
    /// Boxes of the start that it may be.
    fits: IndexSet,
    /// Whether other than through the sink, then by taste; less is better.
    score: (bool, i64),
}

/// A position from which no box can leave.
struct StuckPosition {
    parent: u32,
    boxes: Vec<Square>,
    /// A square of the player's region.
    player: Square,
    /// Weight of what was parked or left other than through the sink.
    weight: u32,
    /// What happened since the parent.
    events: Vec<Event>,
    /// For each box that left since the parent, which ones of the start it may be.
    exits: Vec<IndexSet>,
}

/// What a box does that does not leave through the sink.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    /// It leaves by another way; which boxes of the start it may be, as an index.
    Leave(u32),
    Park(Square),
}

/// An open move, compared from the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Open {
    weight: u32,
    regions: u32,
    /// Pushes from there to the nearest target.
    distance: Reverse<u16>,
    serial: u32,
    parent: u32,
    from: Square,
    step: Step,
    player: Square,
    key: u64,
}

/// Working state of the search.
struct PlanSearch<'a> {
    board: &'a Board,
    analysis: &'a LevelAnalysis,
    options: PlanOptions,
    sinks: Sinks,
    occupied: Occupied,
    is_large: bool,
    generator: MacroMoveGenerator,
    watch: Deadline,
    /// Squares looked at, and after how many no move is begun.
    work: usize,
    most_work: usize,
    /// Squares after which nothing more is looked at, for the budget has no nodes for them.
    allowed: usize,
    /// Positions and open moves held at most.
    most: usize,
    nodes: Vec<StuckPosition>,
    cells: Contours<BinaryHeap<Reverse<Open>>>,
    /// By the number of boxes on the board and on targets.
    cell_of: AHashMap<(usize, usize), usize>,
    /// Keys of positions from which no box can leave, and of those that parking led to.
    seen: AHashSet<u64>,
    offered: AHashSet<u64>,
    opens: usize,
    asides: Vec<IndexSet>,
    /// Moves of the position that is looked at.
    moves: Vec<Open>,
    /// The weight of the best end so far.
    least_weight: u32,
}

impl<'a> PlanSearch<'a> {
    fn new(
        (board, analysis): (&'a Board, &'a LevelAnalysis),
        options: PlanOptions,
        sinks: Sinks,
        clock: &Clock,
    ) -> Self {
        PlanSearch {
            board,
            analysis,
            options,
            sinks,
            occupied: Occupied::new(&board.layout),
            is_large: board.squares() * board.boxes.len() * board.boxes.len() > LARGE,
            generator: MacroMoveGenerator::new(board),
            watch: clock.watch(),
            work: 0,
            most_work: options.work,
            allowed: usize::MAX,
            most: clock.limits.memory / 8 / (BYTES + 2 * board.boxes.len()),
            nodes: Vec::new(),
            cells: Contours::new(0),
            cell_of: AHashMap::new(),
            seen: AHashSet::new(),
            offered: AHashSet::new(),
            opens: 0,
            asides: Vec::new(),
            moves: Vec::new(),
            least_weight: u32::MAX,
        }
    }

    fn run(&mut self) -> PulledPlan {
        let mut end = None;
        for player in self.regions() {
            let boxes = self.board.targets.clone();
            let (events, exits) = (Vec::new(), Vec::new());
            let start = StuckPosition { parent: u32::MAX, boxes, player, weight: 0, events, exits };
            end = end.or_else(|| self.settle(start));
        }
        end = end.or_else(|| self.visit_cells());
        while let Some(node) = end {
            self.least_weight = self.nodes[node as usize].weight;
            self.most_work = self.most_work.min(2 * self.work + self.options.work / BETTER);
            if self.least_weight <= PARK_WEIGHT {
                break;
            }
            let Some(better) = self.visit_cells() else { break };
            end = Some(better);
        }
        self.finish(end)
    }

    /// One square of each region of the solved board, the sink's first.
    fn regions(&mut self) -> Vec<Square> {
        let board = self.board;
        self.occupied.set_all(&board.targets, true);
        self.analyse();
        self.occupied.set_all(&board.targets, false);
        let mut squares: Vec<Square> = (0..board.squares() as Square).collect();
        squares.sort_by_key(|&s| !has(&self.sinks.sink, s));
        let mut players: Vec<Square> = Vec::new();
        for s in squares {
            if self.generator.connected(s, s)
                && !players.iter().any(|&p| self.generator.connected(p, s))
            {
                players.push(s);
            }
        }
        players
    }

    fn analyse(&mut self) {
        self.work += self.board.squares();
        self.generator.analyse(self.board, &self.occupied);
    }

    /// Whether no more moves are to be made.
    fn is_over(&self) -> bool {
        self.work > self.most_work || self.nodes.len() >= self.most || self.is_spent()
    }

    /// Whether the budget is spent, so that a move is not even looked at to its end.
    fn is_spent(&self) -> bool {
        self.work > self.allowed || self.watch.is_over()
    }

    /// Takes the best open move of one cell after the other, up to an end.
    fn visit_cells(&mut self) -> Option<u32> {
        let mut visits = Visits::default();
        while !self.is_over()
            && let Some(cell) = visits.next(self.cells.contours())
        {
            let cells = self.cells.contours();
            let open = self.cells.pop(cell);
            if let Some(Reverse(open)) = open
                && let Some(end) = self.make(open)
            {
                return Some(end);
            }
            visits.visited(open.is_some(), cells, self.cells.contours());
        }
        None
    }

    /// Makes an open move; its node, where the search is at its end with it.
    fn make(&mut self, open: Open) -> Option<u32> {
        let parent = &self.nodes[open.parent as usize];
        let mut boxes = parent.boxes.clone();
        boxes.retain(|&s| s != open.from);
        let (added, parked, exits) = match open.step {
            Step::Leave(i) => (ASIDE_WEIGHT, None, vec![self.asides[i as usize]]),
            Step::Park(to) => {
                boxes.push(to);
                (PARK_WEIGHT, Some(to), Vec::new())
            }
        };
        let event = Event { from: open.from, parked, player: parent.player };
        let weight = parent.weight + added;
        if weight >= self.least_weight {
            return None;
        }
        let Open { parent, player, .. } = open;
        self.settle(StuckPosition { parent, boxes, player, weight, events: vec![event], exits })
    }

    /// Lets all boxes leave that can, then keeps the node with its open moves. The node, where the
    /// search is at its end with it.
    fn settle(&mut self, mut node: StuckPosition) -> Option<u32> {
        let player = node.player;
        let mut left = self.exits_to(node.parent);
        left.extend(&node.exits);
        while !self.is_spent() {
            let leavers = self.leavers(&node.boxes, player, &left);
            if leavers.is_empty() {
                break;
            }
            for (exit, square) in leavers {
                if self.matches(&left, &exit) {
                    node.boxes.retain(|&s| s != square);
                    node.events.push(Event { from: square, parked: None, player });
                    node.exits.push(exit.fits);
                    left.push(exit.fits);
                }
            }
        }
        let at_end = self.may_end(&node.boxes, &left);
        let key = self.key(&node.boxes, player);
        if !self.seen.insert(key) && !at_end {
            return None;
        }
        let number = self.nodes.len() as u32;
        self.store_moves(number, &node);
        self.nodes.push(node);
        at_end.then_some(number)
    }

    /// What left on the way to a node.
    fn exits_to(&self, mut node: u32) -> Vec<IndexSet> {
        let mut exits = Vec::new();
        while let Some(at) = self.nodes.get(node as usize) {
            exits.extend(&at.exits);
            node = at.parent;
        }
        exits
    }

    fn boxes_key(&self, boxes: &[Square]) -> u64 {
        boxes.iter().fold(0, |key, &s| key ^ self.board.box_keys[s as usize])
    }

    /// A key of a position: boxes, and the player's region.
    fn key(&mut self, boxes: &[Square], player: Square) -> u64 {
        let Some(&first) = boxes.first() else { return 0 };
        self.occupied.set_all(boxes, true);
        self.occupied.set(first, false);
        self.analyse();
        self.occupied.set_all(boxes, false);
        self.boxes_key(boxes) ^ self.generator.region_hash(self.board, first, player)
    }

    /// Whether those that stay may be boxes of the start where they stand, and those that left the
    /// other ones.
    fn may_end(&self, boxes: &[Square], left: &[IndexSet]) -> bool {
        let mut open = IndexSet::from(0);
        for &square in boxes {
            match self.board.boxes.binary_search(&square) {
                Ok(i) => open.remove(i),
                Err(_) => return false,
            }
        }
        boxes.is_empty() || !self.options.rules.matched || all_match(left, open)
    }

    /// The box that leaves next, on large boards all that can leave now, the first one first. Where
    /// there is none, the moves.
    fn leavers(
        &mut self,
        boxes: &[Square],
        player: Square,
        left: &[IndexSet],
    ) -> Vec<(Exit, Square)> {
        self.moves.clear();
        self.occupied.set_all(boxes, true);
        let mut leavers: Vec<(Exit, Square)> = Vec::new();
        let key = self.boxes_key(boxes);
        for &square in boxes {
            if self.is_spent() {
                break;
            }
            if self.sinks.pinned.contains(&square) {
                continue;
            }
            self.occupied.set(square, false);
            self.analyse();
            self.occupied.set(square, true);
            let useful = &self.sinks.useful;
            self.generator
                .reach(self.board, square, Some(player), Motion::Pull, |s| has(useful, s));
            self.work += PLACEMENT_WORK * self.generator.reached().len();
            let first = if self.is_large { None } else { leavers.first() };
            let improves = |exit: &Exit| first.is_none_or(|(first, _)| exit.score < first.score);
            let exit = self.exit(square).filter(|exit| improves(exit) && self.matches(left, exit));
            match exit {
                Some(exit) if !exit.score.0 || self.options.rules.aside => {
                    if !self.is_large {
                        leavers.clear();
                    }
                    leavers.push((exit, square));
                }
                _ if leavers.is_empty() => self.collect(square, player, exit, key),
                _ => {}
            }
        }
        self.occupied.set_all(boxes, false);
        leavers.sort_by_key(|&(exit, square)| (exit.score, square));
        leavers
    }

    fn matches(&self, left: &[IndexSet], exit: &Exit) -> bool {
        if !self.options.rules.matched {
            return true;
        }
        let mut all = left.to_vec();
        all.push(exit.fits);
        all_match(&all, IndexSet::from(0))
    }

    /// How the box that was just walked from `square` can leave.
    fn exit(&self, square: Square) -> Option<Exit> {
        let mut fits = IndexSet::default();
        let mut least: Option<(bool, i64)> = None;
        for placement in self.generator.reached() {
            let here = &self.sinks.fits[placement.square as usize];
            if here.is_empty() {
                continue;
            }
            fits.add(here);
            let way = (!has(&self.sinks.sink, placement.square), i64::from(placement.steps));
            least = Some(least.map_or(way, |least| least.min(way)));
        }
        let (aside, steps) = least?;
        let exit_order = match self.options.exit_order {
            ExitOrder::Near => steps,
            ExitOrder::Far => -steps,
            ExitOrder::Drawn(seed) => {
                (mix(seed ^ self.board.box_keys[square as usize]) >> 45) as i64
            }
        };
        Some(Exit { fits, score: (aside, exit_order) })
    }

    /// Notes the moves of the box that was just walked from `square`.
    fn collect(&mut self, square: Square, player: Square, exit: Option<Exit>, key: u64) {
        let open = Open {
            weight: ASIDE_WEIGHT,
            regions: 0,
            distance: Reverse(u16::MAX),
            serial: 0,
            parent: 0,
            from: square,
            step: Step::Leave(self.asides.len() as u32),
            player,
            key: 0,
        };
        if let Some(exit) = exit {
            self.asides.push(exit.fits);
            self.moves.push(open);
        }
        let placements = || self.generator.reached().iter().filter(|placement| placement.steps > 0);
        let farthest = placements().map(|placement| self.distance(placement.square)).max();
        for placement in placements() {
            if self.opens + self.moves.len() >= self.most {
                break;
            }
            let to = placement.square as usize;
            let player = self.board.next[to][placement.side as usize];
            let distance = self.distance(placement.square);
            self.moves.push(Open {
                weight: PARK_WEIGHT + u32::from(Some(distance) != farthest),
                regions: self.generator.regions_with(placement.square),
                distance: Reverse(distance),
                step: Step::Park(placement.square),
                player,
                key: key
                    ^ self.board.box_keys[square as usize]
                    ^ self.board.box_keys[to]
                    ^ self.generator.region_hash(self.board, placement.square, player),
                ..open
            });
        }
    }

    fn distance(&self, square: Square) -> u16 {
        self.analysis.nearest[square as usize]
    }

    /// Puts the moves of a new node into its cell.
    fn store_moves(&mut self, number: u32, node: &StuckPosition) {
        let on_targets = node.boxes.iter().filter(|&&s| self.board.is_target[s as usize]).count();
        let cells = &mut self.cells;
        let cell =
            *self.cell_of.entry((node.boxes.len(), on_targets)).or_insert_with(|| cells.add());
        for &open in &self.moves {
            if matches!(open.step, Step::Park(_)) && !self.offered.insert(open.key) {
                continue;
            }
            let weight = node.weight + open.weight;
            let serial = self.opens as u32;
            self.opens += 1;
            self.cells.push(cell, Reverse(Open { weight, serial, parent: number, ..open }));
        }
    }

    /// The events to the end, or to the node with fewest boxes, and the remaining boxes there.
    fn finish(&mut self, end: Option<u32>) -> PulledPlan {
        let fewest = (0..self.nodes.len()).min_by_key(|&i| (self.nodes[i].boxes.len(), i));
        let mut node = end.or(fewest.map(|i| i as u32)).unwrap_or(u32::MAX);
        let rest = self.nodes.get(node as usize).map_or(&self.board.targets, |at| &at.boxes);
        let mut rest = rest.clone();
        let mut chain = Vec::new();
        while let Some(at) = self.nodes.get(node as usize) {
            chain.push(&at.events);
            node = at.parent;
        }
        let events = chain.into_iter().rev().flatten().copied().collect();
        if end.is_none() {
            rest = self.order_rest(rest);
        }
        PulledPlan { events, rest, complete: end.is_some() }
    }

    /// An order in which to pack what a partial plan has left: the last one is the first that could
    /// be pulled away if the player could be anywhere, or else the one with most freedom, and so
    /// on.
    fn order_rest(&mut self, mut boxes: Vec<Square>) -> Vec<Square> {
        let mut order = Vec::new();
        self.most_work = self.work + self.options.work;
        while self.work < self.most_work && !self.is_spent() {
            self.occupied.set_all(&boxes, true);
            let freest = (0..boxes.len()).min_by_key(|&i| {
                let square = boxes[i];
                self.occupied.set(square, false);
                self.analyse();
                self.occupied.set(square, true);
                self.generator.reach(self.board, square, None, Motion::Pull, |_| true);
                let way = self.exit(square).map_or((2, 0), |e| (u8::from(e.score.0), e.score.1));
                (way, Reverse(self.generator.reached().len()))
            });
            self.occupied.set_all(&boxes, false);
            let Some(i) = freest else { break };
            order.push(boxes.remove(i));
        }
        order.extend(boxes);
        order.reverse();
        order
    }
}

/// Whether every set has an element of `open` of its own, as far as sets hold all.
fn all_match(sets: &[IndexSet], open: IndexSet) -> bool {
    let indices: Vec<Square> = (0..sets.len() as Square).collect();
    sets.len() > MOST_STEPS || unmatched(&indices, sets, open) == 0
}
