//! The order in which to fill the targets, found by playing backward.
//!
//! After Shoham and Schaeffer, "The FESS Algorithm" (IEEE CoG 2020): from the solved board boxes
//! are pulled toward the *sink*, the room that most boxes of the start can reach. A box that can
//! be pulled there leaves the board at once, which can only help those that stay. Where none can,
//! one is pulled aside: that is parking, and the search below is over what to park where. Read
//! from its end the sequence tells which target to fill next, and what must be parked meanwhile.
//!
//! The plan is a guide, not a promise: it ignores the boxes that have not entered it yet.

use super::lift::{Lift, Way};
use super::terrain::{Bits, Terrain, has, put, take};
use crate::board::mix;
use crate::games::sokoban::state::{Board, Square};
use crate::search::{Clock, Watch};
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

/// Positions that the search for parking looks at before it settles for a partial plan.
const MAX_POSITIONS: usize = 600;

/// The order of filling the targets, step by step.
#[derive(Clone, Debug, Default)]
pub struct Packing {
    /// Squares that hold a box after each number of steps, from 0 on.
    pub filled: Vec<Bits>,
    /// For each step, where its box comes to rest.
    pub to: Vec<Square>,
    /// For each step, the square the box is taken from, where the plan parked it there.
    pub from: Vec<Option<Square>>,
    /// For each step, the squares from which a box can be pushed to `to` past what is filled.
    /// One more for the end, with all squares.
    pub basin: Vec<Bits>,
    /// For each number of steps, the squares that are in the basin of every step from there on.
    pub meet: Vec<Bits>,
    /// For each square, the steps in whose basin it is and that want a box from elsewhere.
    steps_of: Vec<Steps>,
    /// Whether the backward search came to its end.
    pub complete: bool,
}

/// How to break ties when several boxes could leave the board next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taste {
    /// The box with the shortest way into the sink leaves first, so is packed last.
    Near,
    /// The box with the longest way into the sink leaves first.
    Far,
    /// Any box, drawn with this seed.
    Drawn(u64),
}

/// One backward event: a box leaves the board, or is parked.
#[derive(Clone, Copy, Debug)]
enum Event {
    Leave(Square),
    Park { from: Square, to: Square },
}

#[derive(Clone, Debug)]
struct Node {
    boxes: Vec<Square>,
    player: Square,
    /// Start squares outside the sink's reach that a box has been pulled to.
    taken: Bits,
    events: Vec<Event>,
}

struct Search<'a> {
    board: &'a Board,
    terrain: &'a Terrain,
    taste: Taste,
    sink: Bits,
    /// Start squares from which the sink cannot be reached: one box each may leave there.
    outside: Bits,
    occupied: Vec<bool>,
    lift: Lift,
    /// Ends long work on large boards.
    watch: Watch,
    /// Positions held at most.
    most: usize,
}

impl Packing {
    /// How many boxes that are not packed after `done` steps cannot be given a step of the plan
    /// each, in whose basin they are.
    pub fn unscheduled(&self, done: usize, bits: &[u64]) -> u32 {
        let mut odd: SmallVec<[Square; 16]> = SmallVec::new();
        for (w, &word) in bits.iter().enumerate() {
            let mut left = word & !self.filled[done][w] & !self.meet[done][w];
            while left != 0 {
                odd.push((w * 64) as Square + left.trailing_zeros() as Square);
                left &= left - 1;
            }
        }
        unmatched(&odd, &self.steps_of, Steps::from(done))
    }

    /// Fills in which steps a box on each square may be meant for.
    fn index_steps(&mut self, squares: usize) {
        self.steps_of = vec![Steps::default(); squares + 1];
        for step in 0..self.to.len().min(MOST_STEPS) {
            if self.from[step].is_some() {
                continue;
            }
            for square in 0..squares {
                if has(&self.basin[step], square as Square) {
                    self.steps_of[square].insert(step);
                }
            }
        }
    }
}

/// How many boxes find no step, or target, of their own among those of `open` that fit them.
pub fn unmatched(boxes: &[Square], fits: &[Steps], open: Steps) -> u32 {
    if boxes.is_empty() {
        return 0;
    }
    let mut matching = Matching { boxes, fits, open, free: open, owner: [0; MOST_STEPS] };
    (0..boxes.len()).filter(|&i| !matching.place(i, &mut Steps::default())).count() as u32
}

/// A matching of boxes with steps that grows box by box (Kuhn's algorithm).
struct Matching<'a> {
    boxes: &'a [Square],
    fits: &'a [Steps],
    open: Steps,
    free: Steps,
    owner: [u16; MOST_STEPS],
}

impl Matching<'_> {
    /// Finds a step for a box, moving others to other steps where needed.
    fn place(&mut self, i: usize, tried: &mut Steps) -> bool {
        let fits = self.fits[self.boxes[i] as usize];
        if let Some(step) = fits.first_in(&self.free) {
            self.free.remove(step);
            self.owner[step] = i as u16;
            return true;
        }
        while let Some(step) = fits.minus(tried).first_in(&self.open) {
            tried.insert(step);
            if self.place(self.owner[step] as usize, tried) {
                self.owner[step] = i as u16;
                return true;
            }
        }
        false
    }
}

/// A set of steps of a plan, or of targets by their index; those past the most are left out.
#[derive(Clone, Copy, Debug, Default)]
pub struct Steps([u64; MOST_STEPS / 64]);

impl Steps {
    /// All steps from one on.
    pub fn from(first: usize) -> Self {
        let mut steps = Steps([u64::MAX; MOST_STEPS / 64]);
        for (w, word) in steps.0.iter_mut().enumerate() {
            let below = first.saturating_sub(w * 64);
            *word = if below >= 64 { 0 } else { u64::MAX << below };
        }
        steps
    }

    /// Puts a step into the set, where it is not past the most.
    pub fn insert(&mut self, step: usize) {
        if let Some(word) = self.0.get_mut(step >> 6) {
            *word |= 1 << (step & 63);
        }
    }

    /// Takes a step out of the set.
    pub fn remove(&mut self, step: usize) {
        if let Some(word) = self.0.get_mut(step >> 6) {
            *word &= !(1 << (step & 63));
        }
    }

    fn minus(mut self, other: &Steps) -> Steps {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a &= !b);
        self
    }

    fn first_in(&self, other: &Steps) -> Option<usize> {
        (self.0.iter().zip(other.0).enumerate()).find_map(|(w, (a, b))| {
            (a & b != 0).then(|| w * 64 + (a & b).trailing_zeros() as usize)
        })
    }
}

/// Steps of a plan beyond this are not scheduled.
const MOST_STEPS: usize = 256;

/// Finds a packing plan.
pub fn plan(board: &Board, terrain: &Terrain, taste: Taste, clock: &Clock<'_>) -> Packing {
    let (sink, outside) = find_sink(board, terrain);
    let mut occupied = vec![false; board.squares() + 1];
    occupied[board.squares()] = true;
    let lift = Lift::new(board);
    let bytes = 256 + 8 * terrain.words + 2 * board.boxes.len();
    let most = (clock.budget.memory / 8 / bytes).clamp(1, MAX_POSITIONS);
    let watch = clock.watch();
    let mut search = Search { board, terrain, taste, sink, outside, occupied, lift, watch, most };
    let (node, complete) = search.run(clock);
    search.read_back(&node, complete)
}

/// The sink and the start squares that have no way to it.
fn find_sink(board: &Board, terrain: &Terrain) -> (Bits, Bits) {
    let n = board.squares();
    let mut occupied = vec![false; n + 1];
    occupied[n] = true;
    for &target in &board.targets {
        occupied[target as usize] = true;
    }
    let mut lift = Lift::new(board);
    let mut reach: Vec<Bits> = Vec::new();
    for &square in &board.boxes {
        let held = std::mem::replace(&mut occupied[square as usize], false);
        lift.analyse(board, &occupied);
        let mut bits = vec![0; terrain.words];
        for stop in lift.walk(board, square, None, Way::Push, |_| true) {
            put(&mut bits, stop.square);
        }
        occupied[square as usize] = held;
        reach.push(bits);
    }
    let count = |square: Square| reach.iter().filter(|bits| has(bits, square)).count();
    let free = |&s: &Square| !board.is_target[s as usize];
    let squares = || (0..n as Square).filter(free);
    let mut sink = vec![0; terrain.words];
    if terrain.rooms > 0 {
        let best = (0..terrain.rooms as u16).max_by_key(|&room| {
            let inside = || squares().filter(move |&s| terrain.room[s as usize] == room);
            let reaching = (reach.iter()).filter(|bits| inside().any(|s| has(bits, s))).count();
            let standing = board.boxes.iter().filter(|&&s| terrain.room[s as usize] == room);
            let targets = board.targets.iter().filter(|&&s| terrain.room[s as usize] == room);
            (reaching, standing.count(), Reverse(targets.count()), inside().count(), Reverse(room))
        });
        for s in squares().filter(|&s| Some(terrain.room[s as usize]) == best) {
            put(&mut sink, s);
        }
    }
    if sink.iter().all(|&w| w == 0) {
        let most = squares().map(count).max().unwrap_or(0);
        squares().filter(|&s| count(s) == most).for_each(|s| put(&mut sink, s));
    }
    let mut outside = vec![0; terrain.words];
    for (bits, &square) in reach.iter().zip(&board.boxes) {
        if !bits.iter().zip(&sink).any(|(a, b)| a & b != 0) {
            put(&mut outside, square);
        }
    }
    (sink, outside)
}

impl Search<'_> {
    fn run(&mut self, clock: &Clock<'_>) -> (Node, bool) {
        let mut heap = BinaryHeap::new();
        let mut nodes: Vec<Node> = Vec::new();
        let mut seen: HashSet<u64> = HashSet::new();
        for node in self.starts() {
            self.offer(node, 0, &mut nodes, &mut heap, &mut seen);
        }
        let mut best: Option<Node> = None;
        while let Some(Reverse((_, _, index))) = heap.pop() {
            let node: Node = nodes[index as usize].clone();
            if best.as_ref().is_none_or(|b| node.boxes.len() < b.boxes.len()) {
                best = Some(node.clone());
            }
            if node.boxes.is_empty() {
                return (node, true);
            }
            if nodes.len() > self.most || clock.should_stop(0, 0).is_some() {
                break;
            }
            for (child, cost) in self.parkings(&node) {
                if nodes.len() > self.most || self.watch.is_over() {
                    break;
                }
                self.offer(child, cost, &mut nodes, &mut heap, &mut seen);
            }
        }
        let fallback = || Node {
            boxes: self.board.targets.clone(),
            player: self.board.player,
            taken: vec![0; self.terrain.words],
            events: Vec::new(),
        };
        (best.unwrap_or_else(fallback), false)
    }

    /// Every box that can leave does; then the node joins the open list.
    fn offer(
        &mut self,
        mut node: Node,
        cost: u32,
        nodes: &mut Vec<Node>,
        heap: &mut BinaryHeap<Reverse<(u32, u32, u32)>>,
        seen: &mut HashSet<u64>,
    ) {
        let before = node.boxes.len();
        while !self.watch.is_over() && self.remove_one(&mut node) {}
        if !seen.insert(self.key(&node)) {
            return;
        }
        let cost = if node.boxes.len() < before { 0 } else { cost };
        let on_targets =
            node.boxes.iter().filter(|&&s| self.board.is_target[s as usize]).count() as u32;
        let index = nodes.len() as u32;
        heap.push(Reverse((node.boxes.len() as u32 * 256 + on_targets, cost, index)));
        nodes.push(node);
    }

    fn key(&mut self, node: &Node) -> u64 {
        self.place(&node.boxes, true);
        self.lift.analyse(self.board, &self.occupied);
        self.place(&node.boxes, false);
        let boxes = node.boxes.iter().fold(0, |k, &s| k ^ self.board.box_keys[s as usize]);
        let taken = node.taken.iter().fold(0, |k, &w| mix(k ^ w));
        let region = (0..self.board.squares() as Square)
            .find(|&s| self.lift.connected(s, node.player))
            .unwrap_or(0);
        boxes ^ taken ^ mix(u64::from(region) << 20)
    }

    fn place(&mut self, boxes: &[Square], value: bool) {
        for &square in boxes {
            self.occupied[square as usize] = value;
        }
    }

    /// One start for each region of the solved board, the sink's first.
    fn starts(&mut self) -> Vec<Node> {
        let boxes = self.board.targets.clone();
        self.place(&boxes, true);
        self.lift.analyse(self.board, &self.occupied);
        self.place(&boxes, false);
        let mut players: Vec<Square> = Vec::new();
        let mut squares: Vec<Square> = (0..self.board.squares() as Square).collect();
        squares.sort_by_key(|&s| !has(&self.sink, s));
        for square in squares {
            if self.lift.connected(square, square)
                && !players.iter().any(|&p| self.lift.connected(p, square))
            {
                players.push(square);
            }
        }
        let taken = vec![0; self.terrain.words];
        let node = |player| Node {
            boxes: boxes.clone(),
            player,
            taken: taken.clone(),
            events: Vec::new(),
        };
        players.into_iter().map(node).collect()
    }

    /// Takes the box off the board that can leave it and is best by taste.
    fn remove_one(&mut self, node: &mut Node) -> bool {
        self.place(&node.boxes, true);
        let mut best: Option<(i64, usize, Option<Square>)> = None;
        for i in 0..node.boxes.len() {
            let square = node.boxes[i];
            self.occupied[square as usize] = false;
            self.lift.analyse(self.board, &self.occupied);
            self.occupied[square as usize] = true;
            let stops = self.lift.walk(self.board, square, Some(node.player), Way::Pull, |_| true);
            let into_sink = stops.iter().find(|stop| has(&self.sink, stop.square));
            let exit = into_sink.map(|stop| (stop, None)).or_else(|| {
                let outside = |s: Square| has(&self.outside, s) && !has(&node.taken, s);
                stops.iter().find(|stop| outside(stop.square)).map(|s| (s, Some(s.square)))
            });
            let Some((stop, taken)) = exit else { continue };
            let steps = i64::from(stop.steps);
            let outside = i64::from(taken.is_some()) * 1_000_000;
            let score = outside
                + match self.taste {
                    Taste::Near => steps,
                    Taste::Far => -steps,
                    Taste::Drawn(seed) => {
                        (mix(seed ^ self.board.box_keys[square as usize]) >> 45) as i64
                    }
                };
            if best.is_none_or(|(least, ..)| score < least) {
                best = Some((score, i, taken));
            }
        }
        self.place(&node.boxes, false);
        let Some((_, i, taken)) = best else { return false };
        let square = node.boxes.remove(i);
        if let Some(taken) = taken {
            put(&mut node.taken, taken);
        }
        node.events.push(Event::Leave(square));
        true
    }

    /// Every way to pull one box aside, with its cost: nearer to the targets is worse.
    fn parkings(&mut self, node: &Node) -> Vec<(Node, u32)> {
        let mut children = Vec::new();
        self.place(&node.boxes, true);
        for (i, &square) in node.boxes.iter().enumerate() {
            if children.len() >= self.most || self.watch.is_over() {
                break;
            }
            self.occupied[square as usize] = false;
            self.lift.analyse(self.board, &self.occupied);
            self.occupied[square as usize] = true;
            let stops = self.lift.walk(self.board, square, Some(node.player), Way::Pull, |_| true);
            for stop in stops.iter().filter(|stop| stop.steps > 0).take(self.most) {
                let mut boxes = node.boxes.clone();
                boxes[i] = stop.square;
                boxes.sort_unstable();
                let player = self.board.next[stop.square as usize][stop.side as usize];
                let mut events = node.events.clone();
                events.push(Event::Park { from: square, to: stop.square });
                let cost = 1000 - u32::from(self.terrain.nearest[stop.square as usize].min(999))
                    + 16 * node.events.len() as u32;
                let taken = node.taken.clone();
                children.push((Node { boxes, player, taken, events }, cost));
            }
        }
        self.place(&node.boxes, false);
        children
    }

    /// Turns backward events into forward steps.
    fn read_back(&mut self, node: &Node, complete: bool) -> Packing {
        let mut packing = Packing { complete, ..Packing::default() };
        let mut filled = vec![0; self.terrain.words];
        packing.filled.push(filled.clone());
        // What a partial plan left on the board is packed first, far from the sink first.
        let rest = node.boxes.iter().map(|&s| Event::Leave(s));
        let events: Vec<Event> = rest.chain(node.events.iter().rev().copied()).collect();
        for event in events {
            let (from, to) = match event {
                Event::Leave(square) => (None, square),
                Event::Park { from, to } => (Some(to), from),
            };
            if let Some(from) = from {
                take(&mut filled, from);
            }
            packing.basin.push(self.basin(&filled, to));
            put(&mut filled, to);
            packing.filled.push(filled.clone());
            packing.from.push(from);
            packing.to.push(to);
        }
        packing.basin.push(vec![u64::MAX; self.terrain.words]);
        packing.meet = packing.basin.clone();
        for k in (0..packing.to.len()).rev() {
            for w in 0..self.terrain.words {
                let later = packing.meet[k + 1][w];
                // A step that takes a parked box wants none from elsewhere.
                let here = if packing.from[k].is_some() { u64::MAX } else { packing.basin[k][w] };
                packing.meet[k][w] = here & later;
            }
        }
        packing.index_steps(self.board.squares());
        packing
    }

    /// The squares from which a box can be pushed to `target` past the filled squares.
    fn basin(&mut self, filled: &Bits, target: Square) -> Bits {
        let boxes: Vec<Square> =
            (0..self.board.squares() as Square).filter(|&s| has(filled, s)).collect();
        self.place(&boxes, true);
        self.lift.analyse(self.board, &self.occupied);
        let mut basin = vec![0; self.terrain.words];
        for stop in self.lift.walk(self.board, target, None, Way::Pull, |_| true) {
            put(&mut basin, stop.square);
        }
        self.place(&boxes, false);
        basin
    }
}
