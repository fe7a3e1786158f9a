//! The backward search behind a packing plan: boxes are pulled off the solved board.
//!
//! After Shoham and Schaeffer, "The FESS Algorithm" (IEEE CoG 2020). A box that can be pulled to
//! where the start's boxes can be pushed leaves the board at once, which can only help those that
//! stay. Where none can, one is pulled aside, and the search is over what to park where. It is
//! itself a feature-space search: positions fall into cells by the number of boxes on the board
//! and on targets, the cells are visited in turn, and in each the open move of least weight is
//! taken, where a box pulled as far as it goes weighs nothing and any other way to park it one.
//!
//! A box leaves through the *sink*, the room that most boxes of the start can reach; where none
//! can, through another room without targets that boxes of the start reach, or onto a start
//! square. Each that leaves takes one box of the start with it, so the ways out have to match. At
//! the end those that stay must stand where a box stands at the start.

use super::lift::{Lift, Way};
use super::packing::{MOST_STEPS, Steps, Taste, unmatched};
use super::terrain::{Bits, NO_ROOM, Terrain, has, put};
use crate::board::mix;
use crate::games::sokoban::state::{Board, Square};
use crate::search::{Clock, Watch};
use ahash::{AHashMap, AHashSet};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Squares that the search looks at, over all positions and boxes, by one set
/// of rules.
const MOST_WORK: usize = 15_000_000;
/// What a parked box weighs.
const PARK_WEIGHT: u32 = 1;
/// What a box weighs that leaves other than through the sink.
const SIDE_WEIGHT: u32 = 2;
/// Squares that the search for a better end may look at in any case.
const LEAST_WORK: usize = 2_000_000;
/// A place to park counts as so many squares.
const STOP_WORK: usize = 12;
/// Bytes of a position or an open move, at most, but for the boxes.
const BYTES: usize = 96;

/// One event of the backward search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The box on this square leaves the board.
    Leave(Square),
    /// A box is pulled aside.
    Park {
        /// Where it stood.
        from: Square,
        /// Where it stands then.
        to: Square,
    },
}

/// What the search comes to.
pub struct Pulled {
    /// The events, the first one first.
    pub events: Vec<Event>,
    /// Boxes that stay, the first to be packed first.
    pub rest: Vec<Square>,
    /// Whether those that stay stand where boxes stand at the start.
    pub complete: bool,
}

/// How a box can leave.
#[derive(Clone, Copy)]
struct Exit {
    /// Boxes of the start that it may be.
    fits: Steps,
    /// Less is better: how, and how far.
    score: (u8, i64),
}

/// What the search asks of boxes that leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Rules {
    /// A box of the start may come to the room before the targets are filled, not only afterwards.
    early: bool,
    /// A box leaves at once also where it does so other than through the sink.
    aside: bool,
    /// Each box that leaves must find one of the start that fits.
    matched: bool,
}

impl Rules {
    /// The strictest, which make the search park boxes.
    const CLOSED: Rules = Rules { early: false, aside: false, matched: true };
    /// Those that let boxes out where they can.
    const OPEN: Rules = Rules { early: true, aside: true, matched: true };

    /// What to search by when these have failed.
    fn next(self) -> Option<Rules> {
        match self {
            Rules::CLOSED => Some(Rules::OPEN),
            Rules::OPEN => Some(Rules { matched: false, ..Rules::OPEN }),
            _ => None,
        }
    }
}

/// A position from which no box can leave.
struct Node {
    parent: u32,
    boxes: Vec<Square>,
    /// Of the boxes that were parked or left other than through the sink.
    weight: u32,
    /// What happened since the parent.
    events: Vec<Event>,
    /// For each box that left since the parent, which ones of the start it may be.
    exits: Vec<Steps>,
}

/// A box that could be parked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Open {
    weight: u32,
    regions: u32,
    nearness: Reverse<u16>,
    serial: u32,
    parent: u32,
    from: Square,
    to: Square,
    player: Square,
}

/// Working state of the search.
pub struct Pulling<'a> {
    board: &'a Board,
    terrain: &'a Terrain,
    taste: Taste,
    sink: Bits,
    /// For each square, the boxes of the start that a box pulled there may be.
    fits: Vec<Steps>,
    /// Squares to which a box of the start can be pushed on the empty board.
    useful: Bits,
    /// Filled targets whose boxes can never move.
    pinned: Vec<Square>,
    occupied: Vec<bool>,
    lift: Lift,
    watch: Watch,
    work: usize,
    most_work: usize,
    /// Of the best end so far.
    least_weight: u32,
    side_exits: Vec<Steps>,
    rules: Rules,
    nodes: Vec<Node>,
    cells: Vec<BinaryHeap<Reverse<Open>>>,
    cell_of: AHashMap<(usize, usize), usize>,
    seen: AHashSet<u64>,
    offered: AHashSet<u64>,
    opens: u32,
    /// Positions and open moves held at most.
    most: usize,
    /// Ways to park found while looking for exits.
    parkings: Vec<(Open, u64)>,
}

impl<'a> Pulling<'a> {
    /// A search on a board.
    pub fn new(board: &'a Board, terrain: &'a Terrain, taste: Taste, clock: &Clock<'_>) -> Self {
        let n = board.squares();
        let mut occupied = vec![false; n + 1];
        occupied[n] = true;
        let most = clock.budget.memory / 8 / (BYTES + 2 * board.boxes.len());
        Pulling {
            board,
            terrain,
            taste,
            sink: vec![0; terrain.words],
            fits: vec![Steps::default(); n + 1],
            useful: vec![0; terrain.words],
            pinned: Vec::new(),
            occupied,
            lift: Lift::new(board),
            watch: clock.watch(),
            work: 0,
            most_work: MOST_WORK,
            least_weight: u32::MAX,
            side_exits: Vec::new(),
            rules: Rules::OPEN,
            nodes: Vec::new(),
            cells: Vec::new(),
            cell_of: AHashMap::new(),
            seen: AHashSet::new(),
            offered: AHashSet::new(),
            opens: 0,
            most,
            parkings: Vec::new(),
        }
    }

    fn place(&mut self, boxes: &[Square], value: bool) {
        for &square in boxes {
            self.occupied[square as usize] = value;
        }
    }

    fn analyse(&mut self) {
        self.work += self.board.squares();
        self.lift.analyse(self.board, &self.occupied);
    }

    /// Where each box of the start can be pushed past `filled` squares.
    fn reaches(&mut self, filled: &[Square]) -> Vec<Bits> {
        let board = self.board;
        self.place(filled, true);
        let mut reaches = Vec::new();
        for &square in &board.boxes {
            let held = std::mem::replace(&mut self.occupied[square as usize], false);
            self.analyse();
            let mut bits = vec![0; self.terrain.words];
            for stop in self.lift.walk(board, square, None, Way::Push, |_| true) {
                put(&mut bits, stop.square);
            }
            self.occupied[square as usize] = held;
            reaches.push(bits);
        }
        self.place(filled, false);
        reaches
    }

    /// Finds the sink, and what a box that comes to each square may be.
    fn find_ways_out(&mut self) {
        let (board, terrain) = (self.board, self.terrain);
        let past_targets = self.reaches(&board.targets);
        let alone = self.reaches(&[]);
        self.sink = find_sink(board, terrain, &past_targets);
        self.fits.fill(Steps::default());
        self.useful.fill(0);
        self.pinned.clear();
        let mut into_sink = Steps::default();
        let mut into_room = vec![Steps::default(); terrain.rooms];
        for (i, (past_targets, alone)) in past_targets.iter().zip(&alone).enumerate() {
            // A box that the targets shut in comes out before they are filled.
            let leads_out = |&s: &usize| has(past_targets, s as Square) && !board.is_target[s];
            let shut_in = !(0..board.squares()).filter(leads_out).any(|s| {
                has(&self.sink, s as Square) || terrain.room[s] != NO_ROOM
            });
            let reach = if shut_in || self.rules.early { alone } else { past_targets };
            for s in (0..board.squares()).filter(|&s| has(reach, s as Square)) {
                if has(&self.sink, s as Square) {
                    into_sink.insert(i);
                } else if terrain.room[s] != NO_ROOM {
                    into_room[terrain.room[s] as usize].insert(i);
                }
            }
            self.useful.iter_mut().zip(alone).for_each(|(a, b)| *a |= b);
            let squares: u32 = alone.iter().map(|word| word.count_ones()).sum();
            if squares == 1 && board.is_target[board.boxes[i] as usize] {
                self.pinned.push(board.boxes[i]);
            }
        }
        for &target in &board.targets {
            if let Some(fits) = into_room.get_mut(terrain.room[target as usize] as usize) {
                *fits = Steps::default();
            }
        }
        for s in 0..board.squares() {
            if has(&self.sink, s as Square) {
                self.fits[s] = into_sink;
            } else if let Some(&fits) = into_room.get(terrain.room[s] as usize) {
                self.fits[s] = fits;
            }
        }
        for (i, &square) in board.boxes.iter().enumerate() {
            if !board.is_target[square as usize] {
                self.fits[square as usize].insert(i);
            }
        }
    }

    /// Pulls boxes off the board until none is left or the work is too much, by one set of rules
    /// after the other.
    pub fn run(&mut self) -> Pulled {
        let first = match self.taste {
            Taste::Near => Rules::OPEN,
            Taste::Far => Rules::CLOSED,
            Taste::Drawn(seed) if mix(seed) & 1 == 0 => Rules::OPEN,
            Taste::Drawn(_) => Rules::CLOSED,
        };
        let mut best: Option<Pulled> = None;
        let mut rules = Some(first);
        while let Some(now) = rules {
            let pulled = self.run_by(now);
            let better = best.as_ref().is_none_or(|best| pulled.rest.len() < best.rest.len());
            if pulled.complete {
                return pulled;
            }
            if better {
                best = Some(pulled);
            }
            rules = now.next();
        }
        best.unwrap_or_else(|| self.finish(None))
    }

    fn run_by(&mut self, rules: Rules) -> Pulled {
        self.rules = rules;
        self.find_ways_out();
        self.nodes.clear();
        self.cells.clear();
        self.cell_of.clear();
        self.seen.clear();
        self.offered.clear();
        self.side_exits.clear();
        self.opens = 0;
        self.least_weight = u32::MAX;
        self.most_work = self.work + MOST_WORK;
        let mut end = self.search();
        while let Some(node) = end {
            let better = self.improve(node);
            if better.is_none() {
                break;
            }
            end = better;
        }
        self.finish(end)
    }

    /// Searches; the node at which it came to its end.
    fn search(&mut self) -> Option<u32> {
        for player in self.regions() {
            let boxes = self.board.targets.clone();
            let (events, exits) = (Vec::new(), Vec::new());
            let end = self.settle(Node { parent: u32::MAX, weight: 0, boxes, events, exits }, player);
            if end.is_some() {
                return end;
            }
        }
        self.visit_cells()
    }

    /// Searches on for an end that parks fewer boxes.
    fn improve(&mut self, end: u32) -> Option<u32> {
        self.least_weight = self.nodes[end as usize].weight;
        self.most_work = self.most_work.min(2 * self.work + LEAST_WORK);
        if self.least_weight > PARK_WEIGHT { self.visit_cells() } else { None }
    }

    /// Takes the best open move of one cell after the other.
    fn visit_cells(&mut self) -> Option<u32> {
        let mut cell = 0;
        let mut idle = 0;
        while idle <= self.cells.len() && !self.is_over() {
            cell = if cell >= self.cells.len() { 0 } else { cell };
            let cells = self.cells.len();
            let Some(Reverse(open)) = self.cells.get_mut(cell).and_then(BinaryHeap::pop) else {
                idle += 1;
                cell += 1;
                continue;
            };
            idle = 0;
            let end = self.make(open);
            if end.is_some() {
                return end;
            }
            cell = if self.cells.len() > cells { cells } else { cell + 1 };
        }
        None
    }

    /// Makes an open move; its node, where the search is at its end with it.
    fn make(&mut self, open: Open) -> Option<u32> {
        let parent = &self.nodes[open.parent as usize];
        let leaves = open.to as usize == self.board.squares();
        let weight = parent.weight + if leaves { SIDE_WEIGHT } else { PARK_WEIGHT };
        if weight >= self.least_weight {
            return None;
        }
        let mut boxes = parent.boxes.clone();
        boxes.retain(|&s| s != open.from);
        let (event, exits) = if leaves {
            (Event::Leave(open.from), vec![self.side_exits[open.serial as usize]])
        } else {
            boxes.push(open.to);
            (Event::Park { from: open.from, to: open.to }, Vec::new())
        };
        let node = Node { parent: open.parent, weight, boxes, events: vec![event], exits };
        self.settle(node, open.player)
    }

    fn is_over(&self) -> bool {
        self.work > self.most_work || self.nodes.len() >= self.most || self.watch.is_over()
    }

    /// One square of each region of the solved board, the sink's first.
    fn regions(&mut self) -> Vec<Square> {
        let board = self.board;
        self.place(&board.targets, true);
        self.analyse();
        self.place(&board.targets, false);
        let mut squares: Vec<Square> = (0..board.squares() as Square).collect();
        squares.sort_by_key(|&s| !has(&self.sink, s));
        let mut players: Vec<Square> = Vec::new();
        for s in squares {
            if self.lift.connected(s, s) && !players.iter().any(|&p| self.lift.connected(p, s)) {
                players.push(s);
            }
        }
        players
    }

    /// Lets all boxes leave through the sink that can, then keeps the node with its open moves. The
    /// node, where the search is at its end with it.
    fn settle(&mut self, mut node: Node, player: Square) -> Option<u32> {
        let mut left = self.exits_to(node.parent);
        left.extend(&node.exits);
        let number = self.nodes.len() as u32;
        while !self.watch.is_over() {
            let next = self.next_to_leave(number, &node.boxes, player, &left);
            let Some((i, fits)) = next else { break };
            node.events.push(Event::Leave(node.boxes.remove(i)));
            node.exits.push(fits);
            left.push(fits);
        }
        let at_end = self.may_end(&node.boxes, &left);
        let key = self.key(&node.boxes, player);
        if self.seen.insert(key) || at_end {
            let parkings = std::mem::take(&mut self.parkings);
            self.open(number, node.weight, &node.boxes, &parkings);
            self.parkings = parkings;
            self.nodes.push(node);
        }
        at_end.then_some(number)
    }

    /// What left on the way to a node.
    fn exits_to(&self, mut node: u32) -> Vec<Steps> {
        let mut exits = Vec::new();
        while let Some(at) = self.nodes.get(node as usize) {
            exits.extend(at.exits.iter().copied());
            node = at.parent;
        }
        exits
    }

    /// A key of a position: boxes, and the player's region.
    fn key(&mut self, boxes: &[Square], player: Square) -> u64 {
        let Some(&first) = boxes.first() else { return 0 };
        self.place(boxes, true);
        self.occupied[first as usize] = false;
        self.analyse();
        self.place(boxes, false);
        let key = boxes.iter().fold(0, |key, &s| key ^ self.board.box_keys[s as usize]);
        key ^ self.lift.region_hash(self.board, first, player)
    }

    /// Whether those that stay may be boxes of the start where they stand, and those that left the
    /// other ones.
    fn may_end(&self, boxes: &[Square], left: &[Steps]) -> bool {
        let mut open = Steps::from(0);
        for &square in boxes {
            match self.board.boxes.binary_search(&square) {
                Ok(i) => open.remove(i),
                Err(_) => return false,
            }
        }
        boxes.is_empty() || !self.rules.matched || all_match(left, open)
    }

    /// The box that leaves next, and what it may be. Where there is none, the ways to park.
    fn next_to_leave(
        &mut self,
        parent: u32,
        boxes: &[Square],
        player: Square,
        left: &[Steps],
    ) -> Option<(usize, Steps)> {
        self.parkings.clear();
        self.place(boxes, true);
        let mut best: Option<(usize, Exit)> = None;
        let key = boxes.iter().fold(0, |key, &s| key ^ self.board.box_keys[s as usize]);
        for (i, &square) in boxes.iter().enumerate() {
            if self.watch.is_over() {
                break;
            }
            if self.pinned.contains(&square) {
                continue;
            }
            self.occupied[square as usize] = false;
            self.analyse();
            self.occupied[square as usize] = true;
            let useful = &self.useful;
            self.lift.walk(self.board, square, Some(player), Way::Pull, |s| has(useful, s));
            self.work += STOP_WORK * self.lift.stops().len();
            let exit = self.exit(square).filter(|exit| self.matches(left, exit.fits));
            match exit {
                Some(exit) if exit.score.0 == 0 || self.rules.aside => {
                    if best.is_none_or(|(_, best)| exit.score < best.score) {
                        best = Some((i, exit));
                    }
                }
                Some(exit) if best.is_none() => {
                    self.note_leaving(parent, square, exit.fits, player);
                    self.collect(parent, square, key);
                }
                None if best.is_none() => self.collect(parent, square, key),
                _ => {}
            }
        }
        self.place(boxes, false);
        best.map(|(i, exit)| (i, exit.fits))
    }

    fn matches(&self, left: &[Steps], fits: Steps) -> bool {
        if !self.rules.matched {
            return true;
        }
        let mut all = left.to_vec();
        all.push(fits);
        all_match(&all, Steps::from(0))
    }

    /// How the box that was just walked from `square` can leave.
    fn exit(&self, square: Square) -> Option<Exit> {
        let mut fits = Steps::default();
        let mut near: Option<(u8, i64)> = None;
        for stop in self.lift.stops() {
            let at = stop.square as usize;
            if self.fits[at].is_empty() {
                continue;
            }
            fits.add(&self.fits[at]);
            let way = (u8::from(!has(&self.sink, stop.square)), i64::from(stop.steps));
            near = Some(near.map_or(way, |near| near.min(way)));
        }
        let (how, steps) = near?;
        let taste = match self.taste {
            Taste::Near => steps,
            Taste::Far => -steps,
            Taste::Drawn(seed) => (mix(seed ^ self.board.box_keys[square as usize]) >> 45) as i64,
        };
        Some(Exit { fits, score: (how, taste) })
    }

    /// Notes that a box could leave by another way than the sink.
    fn note_leaving(&mut self, parent: u32, from: Square, fits: Steps, player: Square) {
        let to = self.board.squares() as Square;
        let (weight, regions, serial) = (SIDE_WEIGHT, 0, self.side_exits.len() as u32);
        let open =
            Open { weight, regions, nearness: Reverse(u16::MAX), serial, parent, from, to, player };
        self.side_exits.push(fits);
        self.parkings.push((open, 0));
    }

    /// Notes the ways to park the box that was just walked from `square`.
    fn collect(&mut self, parent: u32, square: Square, key: u64) {
        for stop in self.lift.stops().iter().filter(|stop| stop.steps > 0) {
            let to = stop.square as usize;
            let player = self.board.next[to][stop.side as usize];
            let key = key
                ^ self.board.box_keys[square as usize]
                ^ self.board.box_keys[to]
                ^ self.lift.region_hash(self.board, stop.square, player);
            let open = Open {
                weight: PARK_WEIGHT,
                regions: self.lift.regions_with(self.board, stop.square),
                nearness: Reverse(self.terrain.nearest[to]),
                serial: 0,
                parent,
                from: square,
                to: stop.square,
                player,
            };
            self.parkings.push((open, key));
        }
    }

    /// Puts the open moves of a new node into its cell.
    fn open(&mut self, node: u32, weight: u32, boxes: &[Square], parkings: &[(Open, u64)]) {
        let on_targets = boxes.iter().filter(|&&s| self.board.is_target[s as usize]).count();
        let cells = self.cells.len();
        let cell = *self.cell_of.entry((boxes.len(), on_targets)).or_insert(cells);
        if cell == cells {
            self.cells.push(BinaryHeap::new());
        }
        let wall = self.board.squares() as Square;
        for group in parkings.chunk_by(|(a, _), (b, _)| a.from == b.from) {
            let parkings = group.iter().filter(|(open, _)| open.to != wall);
            let farthest = parkings.map(|(open, _)| open.nearness).min();
            for &(open, key) in group {
                let parks = open.to != wall;
                if self.opens as usize >= self.most || (parks && !self.offered.insert(key)) {
                    continue;
                }
                let own = u32::from(parks && Some(open.nearness) != farthest);
                let weight = weight + open.weight + own;
                let serial = if parks { self.opens } else { open.serial };
                self.opens += 1;
                self.cells[cell].push(Reverse(Open { weight, parent: node, serial, ..open }));
            }
        }
    }

    /// The events to the end, or to the node with fewest boxes, and what is left there.
    fn finish(&mut self, end: Option<u32>) -> Pulled {
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
        Pulled { events, rest, complete: end.is_some() }
    }

    /// An order in which to pack what a partial plan has left: the last one is the first that could
    /// be pulled away if the player could be anywhere, and so on.
    fn order_rest(&mut self, mut boxes: Vec<Square>) -> Vec<Square> {
        let mut order = Vec::new();
        while !boxes.is_empty() {
            self.place(&boxes, true);
            let mut best = None;
            for (i, &square) in boxes.iter().enumerate() {
                self.occupied[square as usize] = false;
                self.analyse();
                self.occupied[square as usize] = true;
                self.lift.walk(self.board, square, None, Way::Pull, |_| true);
                let exit = self.exit(square).map_or((2, 0), |exit| exit.score);
                let freedom = Reverse(self.lift.stops().len());
                let candidate = (exit, freedom, i);
                best = best.min(Some(candidate)).or(Some(candidate));
            }
            self.place(&boxes, false);
            let Some((.., i)) = best else { break };
            order.push(boxes.remove(i));
        }
        order.reverse();
        order
    }
}

/// Whether every set has an element of `open` of its own, as far as sets hold all.
fn all_match(sets: &[Steps], open: Steps) -> bool {
    let indices: Vec<Square> = (0..sets.len() as Square).collect();
    sets.len() > MOST_STEPS || unmatched(&indices, sets, open) == 0
}

/// The squares to pull boxes to: the free ones of the room that most boxes of the start reach.
fn find_sink(board: &Board, terrain: &Terrain, reaches: &[Bits]) -> Bits {
    let free = |&s: &Square| !board.is_target[s as usize];
    let squares = || (0..board.squares() as Square).filter(free);
    let mut sink = vec![0; terrain.words];
    let best = (0..terrain.rooms as u16).max_by_key(|&room| {
        let inside = || squares().filter(move |&s| terrain.room[s as usize] == room);
        let reaching = reaches.iter().filter(|bits| inside().any(|s| has(bits, s))).count();
        let standing = board.boxes.iter().filter(|&&s| terrain.room[s as usize] == room);
        let targets = board.targets.iter().filter(|&&s| terrain.room[s as usize] == room);
        (reaching, standing.count(), Reverse(targets.count()), inside().count(), Reverse(room))
    });
    if let Some(best) = best {
        squares().filter(|&s| terrain.room[s as usize] == best).for_each(|s| put(&mut sink, s));
    }
    if sink.iter().all(|&word| word == 0) {
        let count = |s: Square| reaches.iter().filter(|bits| has(bits, s)).count();
        let most = squares().map(count).max().unwrap_or(0);
        squares().filter(|&s| count(s) == most).for_each(|s| put(&mut sink, s));
    }
    sink
}
