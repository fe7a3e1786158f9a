//! Window search: A* for a cheaper form of a part of a plan, in which some boxes may move.
//!
//! The boxes that are not chosen keep their pushes, in their order: a script. The chosen boxes may
//! be pushed in any way at any time between. All boxes must end where they did (which of the chosen
//! ones where does not matter), and the player too. A* over the place in the script, the squares of
//! the chosen boxes and the player finds the cheapest such part, or proves that none is cheaper.
//! With all boxes chosen this is a window search. With few boxes and a long part it reorders their
//! journeys against all others, as box-order vicinity search does.
//!
//! A position is dropped if its cost and matching bound together do not beat the part as it is. So
//! where the chosen boxes waste little, the search is short.

use crate::board::mix;
use crate::games::sokoban::board::region::{Flood, Occupied};
use crate::games::sokoban::board::{Board, Push, Square};
use crate::games::sokoban::planner::analysis::push_distance::PushDistances;
use crate::games::sokoban::planner::bound::matching::Matching;
use crate::games::sokoban::planner::pushes::position_table::{self, PositionTable};
use crate::games::sokoban::planner::pushes::segmented_array::SegmentedArray;
use crate::search::Clock;
use crate::search::state_registry::Slot;
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Boxes of one position between two looks at the clock.
const POLL_BOXES: usize = 32;
/// Where the pushes stand in a cost that counts them before moves.
const PUSHES_FIRST: u32 = 32;

/// What a stretch shall be cheap in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Price {
    /// Pushes; moves count nothing.
    Pushes,
    /// Moves.
    Moves,
    /// Pushes, and of equal ones moves.
    PushesThenMoves,
}

impl Price {
    /// The cost of so many pushes, and so many moves with them.
    fn of(self, pushes: u32, moves: u32) -> u64 {
        match self {
            Price::Pushes => u64::from(pushes),
            Price::Moves => u64::from(moves),
            Price::PushesThenMoves => u64::from(pushes) << PUSHES_FIRST | u64::from(moves),
        }
    }
}

/// What to do anew.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Stretch {
    /// The pushes, as a range of the plan's.
    pub from: usize,
    /// One past the last.
    pub to: usize,
    /// The boxes, numbered as the level's start has them, in order.
    pub boxes: Vec<usize>,
}

/// What a search comes to.
#[derive(Clone, Debug)]
pub enum WindowResult {
    /// Pushes to put in the stretch's place.
    Cheaper(Vec<Push>),
    /// Proven: there is none cheaper.
    Nothing,
    /// Not finished within the allowed nodes or time.
    GaveUp,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    cost: u64,
    parent: u32,
    /// Pushes of the script done; [`DONE`] where nothing is left but to walk to the end.
    script: u32,
    bound: u32,
    player: Square,
    from: Square,
    direction: u8,
    closed: bool,
}

const DONE: u32 = u32::MAX;

/// A plan that is valid.
#[derive(Clone, Copy)]
pub struct KnownPlan<'a> {
    /// Its pushes.
    pub pushes: &'a [Push],
    /// Its moves up to each push, and to the end: [`lurd::moves`].
    ///
    /// [`lurd::moves`]: crate::games::sokoban::lurd::moves
    pub moves: &'a [u32],
}

/// One search.
pub struct WindowSearch<'a> {
    board: &'a Board,
    clock: &'a Clock<'a>,
    price: Price,
    distances: PushDistances,
    /// Pushes of the boxes that are not chosen.
    script: Vec<Push>,
    /// Where those boxes stand, by place in the script.
    others: SegmentedArray<Square>,
    goals: Vec<Square>,
    /// Where the player shall be in the end; anywhere at the end of the plan.
    end: Option<Square>,
    /// The cost to beat.
    known: u64,
    positions: PositionTable<Node>,
    open: BinaryHeap<Reverse<(u64, u64, u32)>>,
    matching: Matching<i64>,
    occupied: Occupied,
    flood: Flood,
    inner: Flood,
    walk: Vec<u32>,
    here: Vec<Square>,
    here_poses: Vec<u32>,
    /// Nodes expanded.
    pub looked: usize,
}

impl<'a> WindowSearch<'a> {
    /// Looks at a stretch of a plan.
    pub fn new(
        board: &'a Board,
        distances: &PushDistances,
        plan: KnownPlan<'_>,
        stretch: &Stretch,
        price: Price,
        clock: &'a Clock<'a>,
    ) -> Self {
        let mut this = WindowSearch {
            board,
            clock,
            price,
            distances: distances.clone(),
            script: Vec::new(),
            others: SegmentedArray::new(board.boxes.len() - stretch.boxes.len()),
            goals: Vec::new(),
            end: None,
            known: 0,
            positions: PositionTable::new(stretch.boxes.len()),
            open: BinaryHeap::new(),
            matching: Matching::default(),
            occupied: Occupied::new(&board.layout),
            flood: Flood::new(&board.layout),
            inner: Flood::new(&board.layout),
            walk: vec![0; board.squares() + 1],
            here: Vec::new(),
            here_poses: Vec::new(),
            looked: 0,
        };
        let moves = plan.moves[stretch.to] - plan.moves[stretch.from];
        this.known = price.of((stretch.to - stretch.from) as u32, moves);
        this.read(plan.pushes, stretch);
        this
    }

    /// Follows the plan to the end of the stretch.
    fn read(&mut self, plan: &[Push], stretch: &Stretch) {
        let mut squares = self.board.boxes.clone();
        let mut player = self.board.player;
        for &push in &plan[..stretch.from] {
            player = self.follow(&mut squares, push).1;
        }
        let chosen = |squares: &[Square]| -> Vec<Square> {
            stretch.boxes.iter().map(|&i| squares[i]).collect()
        };
        let others = |squares: &[Square]| -> Vec<Square> {
            let all = squares.iter().enumerate();
            all.filter(|(i, _)| !stretch.boxes.contains(i)).map(|(_, &s)| s).collect()
        };
        let (start, first_player) = (chosen(&squares), player);
        self.others.push(&others(&squares));
        for &push in &plan[stretch.from..stretch.to] {
            let (which, after) = self.follow(&mut squares, push);
            player = after;
            if !stretch.boxes.contains(&which) {
                self.script.push(push);
                self.others.push(&others(&squares));
            }
        }
        self.goals = chosen(&squares);
        self.distances.aim(self.board, &self.goals);
        self.occupied.set_all(&squares, true);
        if stretch.to < plan.len() {
            self.end = Some(self.normal(player));
        }
        self.occupied.set_all(&squares, false);
        self.start(start, first_player);
    }

    /// Does a push; the box's number and where the player is then.
    fn follow(&self, squares: &mut [Square], push: Push) -> (usize, Square) {
        let which = squares.iter().position(|&s| s == push.from).unwrap_or(0);
        squares[which] = self.board.next[push.from as usize][push.direction as usize];
        (which, push.from)
    }

    /// The player as positions keep it, boxes being set: where walks count for nothing, the least
    /// square of its region.
    fn normal(&mut self, player: Square) -> Square {
        if self.price != Price::Pushes {
            return player;
        }
        self.flood.fill(&self.occupied, player);
        self.flood.least()
    }

    fn start(&mut self, mut boxes: Vec<Square>, player: Square) {
        self.distances.read(self.board, &boxes, player, &mut self.here_poses);
        let Some(bound) = self.matching.place(&self.distances, self.here_poses.iter().copied())
        else {
            return;
        };
        let others = self.others.row(0).to_vec();
        self.occupied.set_all(&boxes, true);
        self.occupied.set_all(&others, true);
        let player = self.normal(player);
        self.occupied.set_all(&boxes, false);
        self.occupied.set_all(&others, false);
        boxes.sort_unstable();
        let node = Node {
            cost: 0,
            parent: 0,
            script: 0,
            bound,
            player,
            from: 0,
            direction: 0,
            closed: false,
        };
        if let Err(slot) = self.find(&boxes, 0, player) {
            self.add(slot, &boxes, node);
        }
    }

    /// The cost that is left at least.
    fn rest(&self, node: &Node) -> u64 {
        if node.script == DONE {
            return 0;
        }
        let pushes = node.bound + self.script.len() as u32 - node.script;
        self.price.of(pushes, pushes)
    }

    fn find(&self, boxes: &[Square], script: u32, player: Square) -> Result<u32, Slot> {
        let key = position_table::key(self.board, boxes, player) ^ mix(u64::from(script) + 1);
        self.positions.find(key, boxes, |node| node.script == script && node.player == player)
    }

    fn add(&mut self, slot: Slot, boxes: &[Square], node: Node) {
        let index = self.positions.add(slot, node, boxes);
        self.push_open(&node, index);
    }

    fn push_open(&mut self, node: &Node, index: u32) {
        let rest = self.rest(node);
        self.open.push(Reverse((node.cost + rest, rest, !index)));
    }

    /// Searches, with at most so many nodes.
    pub fn run(&mut self, limit: usize) -> WindowResult {
        while let Some(Reverse((total, rest, age))) = self.open.pop() {
            let index = !age;
            let node = self.positions.node(index);
            if node.closed || node.cost + rest != total {
                continue;
            }
            if total >= self.known {
                return WindowResult::Nothing;
            }
            if self.is_end(&node) {
                return WindowResult::Cheaper(self.path_to(index));
            }
            let successors = 4 * self.goals.len() + 2;
            if self.positions.len() + successors > limit
                || !self.positions.make_room(successors, 0, usize::MAX)
                || self.clock.should_stop(0, 0).is_some()
            {
                return WindowResult::GaveUp;
            }
            self.positions.node_mut(index).closed = true;
            self.looked += 1;
            self.expand(index, &node);
        }
        WindowResult::Nothing
    }

    fn is_end(&self, node: &Node) -> bool {
        let home = node.script as usize == self.script.len() && node.bound == 0;
        let there = match (self.end, self.price) {
            (None, _) => true,
            (Some(end), Price::Pushes) => node.player == end,
            _ => false,
        };
        node.script == DONE || home && there
    }

    fn path_to(&self, mut index: u32) -> Vec<Push> {
        let mut pushes = Vec::new();
        while index != 0 {
            let Node { from, direction, parent, script, .. } = self.positions.node(index);
            if script != DONE {
                pushes.push(Push { from, direction });
            }
            index = parent;
        }
        pushes.reverse();
        pushes
    }

    fn expand(&mut self, index: u32, node: &Node) {
        let mut here = std::mem::take(&mut self.here);
        here.clear();
        here.extend_from_slice(self.positions.boxes(index));
        let others = self.others.row(node.script).to_vec();
        self.occupied.set_all(&here, true);
        self.occupied.set_all(&others, true);
        self.inner.fill(&self.occupied, node.player);
        if self.price != Price::Pushes {
            self.inner.measure(&self.board.next, &mut self.walk);
        }
        if node.script as usize == self.script.len() && node.bound == 0 {
            self.walk_to_end(index, node, &here);
        }
        if let Some(&push) = self.script.get(node.script as usize) {
            self.follow_script(index, node, &here, push);
        }
        self.distances.read(self.board, &here, node.player, &mut self.here_poses);
        self.matching.place(&self.distances, self.here_poses.iter().copied());
        for i in 0..here.len() {
            if i % POLL_BOXES == POLL_BOXES - 1 && self.clock.should_stop(0, 0).is_some() {
                break;
            }
            self.push_box(index, node, &here, i);
        }
        self.occupied.set_all(&here, false);
        self.occupied.set_all(&others, false);
        self.here = here;
    }

    /// All pushes are done; the player walks to where the stretch ends.
    fn walk_to_end(&mut self, index: u32, node: &Node, here: &[Square]) {
        let Some(end) = self.end.filter(|&end| self.inner.contains(end)) else { return };
        if self.price != Price::Pushes {
            let cost = node.cost + self.price.of(0, self.walk[end as usize]);
            let node = Node { cost, parent: index, script: DONE, ..*node };
            let index = self.positions.add_unfindable(node, here);
            self.push_open(&node, index);
        }
    }

    fn follow_script(&mut self, index: u32, node: &Node, here: &[Square], push: Push) {
        let next = self.board.next[push.from as usize];
        let (to, behind) = (next[push.direction as usize], next[push.direction as usize ^ 2]);
        if self.occupied[to as usize] || !self.inner.contains(behind) {
            return;
        }
        self.occupied.slide(push.from, to);
        let successor = Node { script: node.script + 1, ..*node };
        self.offer(index, successor, here, push, behind);
        self.occupied.slide(to, push.from);
    }

    fn push_box(&mut self, index: u32, node: &Node, here: &[Square], i: usize) {
        let from = here[i];
        let next = self.board.next[from as usize];
        for d in 0..4u8 {
            let (to, behind) = (next[d as usize], next[d as usize ^ 2]);
            if !self.inner.contains(behind) || self.occupied[to as usize] {
                continue;
            }
            let pose = self.distances.beside(to, d as usize ^ 2);
            if !self.distances.is_live(pose) {
                continue;
            }
            let Some(bound) = self.matching.after(&self.distances, self.here_poses[i], pose) else {
                continue;
            };
            let mut boxes: SmallVec<[Square; 32]> = SmallVec::from_slice(here);
            boxes[i] = to;
            boxes.sort_unstable();
            self.occupied.slide(from, to);
            let push = Push { from, direction: d };
            self.offer(index, Node { bound, ..*node }, &boxes, push, behind);
            self.occupied.slide(to, from);
        }
    }

    /// Puts a successor into the open list unless it is known at no greater cost or cannot be
    /// cheaper than the stretch as it is. Its push is done on the board.
    fn offer(&mut self, parent: u32, mut node: Node, boxes: &[Square], push: Push, behind: Square) {
        let steps = if self.price == Price::Pushes { 0 } else { self.walk[behind as usize] };
        node.cost += self.price.of(1, steps + 1);
        if node.cost + self.rest(&node) >= self.known {
            return;
        }
        (node.from, node.direction) = (push.from, push.direction);
        (node.parent, node.closed) = (parent, false);
        node.player = self.normal(push.from);
        match self.find(boxes, node.script, node.player) {
            Err(slot) => self.add(slot, boxes, node),
            Ok(at) if node.cost < self.positions.node(at).cost => {
                *self.positions.node_mut(at) = node;
                self.push_open(&node, at);
            }
            Ok(_) => {}
        }
    }
}
