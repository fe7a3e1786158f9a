//! Window search: A* for a cheaper form of a part of a plan, in which some boxes may move.
//!
//! The boxes that are not chosen keep their pushes, in their order: a script. The chosen boxes may
//! be pushed in any way at any time between. All boxes must end where they did (which of the chosen
//! ones where does not matter), and the player too. A* over the place in the script, the squares of
//! the chosen boxes and the player finds the cheapest such part, or proves that none is cheaper.
//! With all boxes chosen this is a window search. With few boxes and a long part it reorders their
//! journeys against all others, as box-order vicinity search does. With all boxes chosen and only a
//! few of them astray it stays near the plan ([`Vicinity`]), so that long parts can be searched.
//!
//! A position is dropped if its cost and matching bound together do not beat the part as it is. So
//! where the chosen boxes waste little, the search is short.

use crate::board::mix;
use crate::games::sokoban::board::region::{Flood, Occupied};
use crate::games::sokoban::board::{Board, Push, Square};
use crate::games::sokoban::planner::analysis::level::FAR;
use crate::games::sokoban::planner::analysis::push_distance::PushDistances;
use crate::games::sokoban::planner::bound::matching::{Costs, Matching, Number};
use crate::games::sokoban::planner::pushes::position_table::{self, PositionTable, Vacancy};
use crate::games::sokoban::planner::pushes::segmented_array::SegmentedArray;
use crate::search::Clock;
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Boxes of one position between two looks at the clock.
const POLL_BOXES: usize = 32;
/// Where the pushes stand in a cost that counts them before moves.
const PUSHES_FIRST: u32 = 32;

/// What a stretch shall be cheap in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Price {
    /// Pushes; moves count nothing.
    Pushes,
    /// Moves.
    Moves,
    /// Pushes, and of equal ones moves.
    PushesThenMoves,
    /// Pushes, and of equal ones what a number draws for each: another plan that is as good.
    PushesThenLots(u32),
}

/// The lots that are drawn for pushes are below two to this power.
const LOTS: u32 = 4;

impl Price {
    /// The cost of `pushes` pushes in a part of the plan that has `moves` moves.
    fn of(self, pushes: u32, moves: u32) -> u64 {
        match self {
            Price::Pushes => u64::from(pushes),
            Price::Moves => u64::from(moves),
            Price::PushesThenMoves => u64::from(pushes) << PUSHES_FIRST | u64::from(moves),
            Price::PushesThenLots(_) => u64::from(pushes) << PUSHES_FIRST,
        }
    }

    /// What a push costs, with the steps to it.
    fn of_push(self, push: Push, steps: u32) -> u64 {
        let lot = match self {
            Price::PushesThenLots(seed) => {
                let place = u64::from(push.from) << 2 | u64::from(push.direction);
                mix(u64::from(seed) << 32 ^ place) >> (64 - LOTS)
            }
            _ => 0,
        };
        self.of(1, steps + 1) + lot
    }

    /// Whether it counts where the player stands.
    fn counts_moves(self) -> bool {
        matches!(self, Price::Moves | Price::PushesThenMoves)
    }
}

/// A stretch of the plan that is searched again.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Stretch {
    /// The pushes, as a range of the plan's.
    pub from: usize,
    /// One past the last.
    pub to: usize,
    /// The boxes, numbered as the level's start has them, in order.
    pub boxes: Vec<usize>,
    /// How many of these may be off the squares of any one position of the stretch as it is, at
    /// most; `None` where that is not limited.
    pub astray: Option<u8>,
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
struct WindowPosition {
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

/// The most boxes that a [`Vicinity`] can be asked to let astray.
pub const MOST_ASTRAY: u8 = 3;

/// How many boxes are not where they are in each of 64 positions, in two bits; and in which they are
/// more than three.
#[derive(Clone, Copy, Default)]
struct Astray {
    ones: u64,
    twos: u64,
    many: u64,
}

impl Astray {
    /// The count with one more box in the positions of a set.
    #[inline]
    fn and(self, set: u64) -> Astray {
        let carry = self.ones & set;
        Astray {
            ones: self.ones ^ set,
            twos: self.twos ^ carry,
            many: self.many | self.twos & carry,
        }
    }

    /// Both together.
    #[inline]
    fn plus(self, other: Astray) -> Astray {
        let carry = self.ones & other.ones;
        let either = self.twos ^ other.twos;
        Astray {
            ones: self.ones ^ other.ones,
            twos: either ^ carry,
            many: self.many | other.many | self.twos & other.twos | either & carry,
        }
    }

    /// The positions in which at most `boxes` boxes are astray.
    #[inline]
    fn at_most(self, boxes: u8) -> u64 {
        let more = match boxes {
            0 => self.ones | self.twos,
            1 => self.twos,
            2 => self.ones & self.twos,
            _ => 0,
        };
        !(more | self.many)
    }
}

/// The positions near those of a stretch: all boxes but a few stand as they do in one of them.
pub struct Vicinity {
    /// Words of a set of positions of the stretch.
    words: usize,
    /// By square, in which of them no box is there.
    without: Vec<u64>,
    /// How many boxes may stand elsewhere.
    most: u8,
    /// Of the position that is looked at, the boxes before each one, and those from each one on: by
    /// box, then by word.
    before: Vec<Astray>,
    from: Vec<Astray>,
}

impl Vicinity {
    /// An empty vicinity for `positions` positions, with at most `most` boxes elsewhere.
    fn new(board: &Board, positions: usize, most: u8) -> Self {
        let words = positions.div_ceil(64);
        let without = vec![u64::MAX; words * board.squares()];
        let (before, from) = (Vec::new(), Vec::new());
        Vicinity { words, without, most: most.min(MOST_ASTRAY), before, from }
    }

    /// Bytes that such a set takes.
    pub fn bytes(board: &Board, positions: usize, boxes: usize) -> usize {
        let words = positions.div_ceil(64);
        words * (board.squares() * size_of::<u64>() + 2 * (boxes + 1) * size_of::<Astray>())
    }

    /// Adds a position of the stretch.
    fn add(&mut self, number: usize, boxes: &[Square]) {
        for &square in boxes {
            self.without[square as usize * self.words + number / 64] &= !(1 << (number % 64));
        }
    }

    fn without(&self, square: Square) -> &[u64] {
        &self.without[square as usize * self.words..][..self.words]
    }

    /// Adds positions of another way.
    fn join(&mut self, positions: &[Vec<Square>]) {
        let (old, first) = (std::mem::take(&mut self.without), self.words);
        self.words += positions.len().div_ceil(64);
        for row in old.chunks(first) {
            self.without.extend_from_slice(row);
            self.without.resize(self.without.len() + self.words - first, u64::MAX);
        }
        for (i, boxes) in positions.iter().enumerate() {
            self.add(first * 64 + i, boxes);
        }
    }

    /// Looks at a position.
    fn place(&mut self, boxes: &[Square]) {
        let (words, size) = (self.words, self.words * (boxes.len() + 1));
        self.before.clear();
        self.before.resize(size, Astray::default());
        self.from.clear();
        self.from.resize(size, Astray::default());
        for (i, &square) in boxes.iter().enumerate() {
            for word in 0..words {
                let set = self.without[square as usize * words + word];
                self.before[(i + 1) * words + word] = self.before[i * words + word].and(set);
            }
        }
        for (i, &square) in boxes.iter().enumerate().rev() {
            for word in 0..words {
                let set = self.without[square as usize * words + word];
                self.from[i * words + word] = self.from[(i + 1) * words + word].and(set);
            }
        }
    }

    /// Whether that position is near with one of its boxes on another square.
    fn has_after(&self, index: usize, to: Square) -> bool {
        let before = &self.before[index * self.words..][..self.words];
        let after = &self.from[(index + 1) * self.words..][..self.words];
        let all = before.iter().zip(after).zip(self.without(to));
        all.fold(0, |near, ((before, after), &set)| {
            near | before.plus(*after).and(set).at_most(self.most)
        }) != 0
    }
}

/// Push distances in numbers that are quick to add up. A part of a plan that costs a million is not
/// looked at.
struct Narrow<'a>(&'a PushDistances);

#[inline]
fn narrow(pushes: u16) -> i32 {
    if pushes == FAR { i32::NEVER } else { i32::from(pushes) }
}

impl Costs for Narrow<'_> {
    type Number = i32;

    #[inline]
    fn from(&self, pose: u32) -> impl Iterator<Item = i32> {
        self.0.costs(pose).iter().map(|&pushes| narrow(pushes))
    }

    #[inline]
    fn of(&self, pose: u32, target: usize) -> i32 {
        narrow(self.0.costs(pose)[target])
    }

    fn targets(&self) -> usize {
        self.0.targets()
    }
}

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
    clock: &'a Clock,
    price: Price,
    distances: PushDistances,
    /// Pushes of the boxes that are not chosen.
    script: Vec<Push>,
    /// Where those boxes stand, by place in the script.
    others: SegmentedArray<Square>,
    goals: Vec<Square>,
    vicinity: Option<Vicinity>,
    /// Where the player shall be in the end; anywhere at the end of the plan.
    end: Option<Square>,
    /// The cost to beat.
    known: u64,
    positions: PositionTable<WindowPosition>,
    open: BinaryHeap<Reverse<(u64, u64, u32)>>,
    matching: Matching<i32>,
    occupied: Occupied,
    flood: Flood,
    inner: Flood,
    walk: Vec<u32>,
    here: Vec<Square>,
    others_here: Vec<Square>,
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
        clock: &'a Clock,
    ) -> Self {
        let mut this = WindowSearch {
            board,
            clock,
            price,
            distances: distances.clone(),
            script: Vec::new(),
            others: SegmentedArray::new(board.boxes.len() - stretch.boxes.len()),
            goals: Vec::new(),
            vicinity: None,
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
            others_here: Vec::new(),
            here_poses: Vec::new(),
            looked: 0,
        };
        let moves = plan.moves[stretch.to] - plan.moves[stretch.from];
        let pushes = &plan.pushes[stretch.from..stretch.to];
        this.known = if price.counts_moves() {
            price.of(pushes.len() as u32, moves)
        } else {
            pushes.iter().map(|&push| price.of_push(push, 0)).sum()
        };
        this.read(plan.pushes, stretch);
        this
    }

    /// Where the stretch is a whole plan in whose vicinity it is searched, takes that of another plan
    /// to it.
    pub fn join(&mut self, other: &[Push]) {
        let Some(mut vicinity) = self.vicinity.take() else { return };
        let mut squares = self.board.boxes.clone();
        let after = |&push: &Push| {
            self.follow(&mut squares, push);
            squares.clone()
        };
        let positions: Vec<Vec<Square>> = other.iter().map(after).collect();
        vicinity.join(&positions);
        self.vicinity = Some(vicinity);
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
        let positions = stretch.to - stretch.from + 1;
        let mut vicinity =
            stretch.astray.map(|astray| Vicinity::new(self.board, positions, astray));
        vicinity.iter_mut().for_each(|vicinity| vicinity.add(0, &start));
        for (i, &push) in plan[stretch.from..stretch.to].iter().enumerate() {
            let (which, after) = self.follow(&mut squares, push);
            player = after;
            vicinity.iter_mut().for_each(|vicinity| vicinity.add(i + 1, &chosen(&squares)));
            if !stretch.boxes.contains(&which) {
                self.script.push(push);
                self.others.push(&others(&squares));
            }
        }
        self.goals = chosen(&squares);
        self.vicinity = vicinity;
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
        if self.price.counts_moves() {
            return player;
        }
        self.flood.fill(&self.occupied, player);
        self.flood.least()
    }

    /// The player as positions keep it after a push that is done on the board, from the position
    /// that is being expanded.
    fn player_after(&mut self, push: Push) -> Square {
        if self.price.counts_moves() {
            return push.from;
        }
        let to = self.board.next[push.from as usize][push.direction as usize];
        let known = self.inner.least_after(&self.occupied, push.from, to);
        known.unwrap_or_else(|| self.normal(push.from))
    }

    fn start(&mut self, mut boxes: Vec<Square>, player: Square) {
        self.distances.read(self.board, &boxes, player, &mut self.here_poses);
        let Some(bound) =
            self.matching.place(&Narrow(&self.distances), self.here_poses.iter().copied())
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
        let node = WindowPosition {
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

    /// The least remaining cost.
    fn rest(&self, node: &WindowPosition) -> u64 {
        if node.script == DONE {
            return 0;
        }
        let pushes = node.bound + self.script.len() as u32 - node.script;
        self.price.of(pushes, pushes)
    }

    fn find(&self, boxes: &[Square], script: u32, player: Square) -> Result<u32, Vacancy> {
        let key = position_table::key(self.board, boxes, player) ^ mix(u64::from(script) + 1);
        self.positions.find(key, boxes, |node| node.script == script && node.player == player)
    }

    fn add(&mut self, slot: Vacancy, boxes: &[Square], node: WindowPosition) {
        let index = self.positions.add(slot, node, boxes);
        self.push_open(&node, index);
    }

    fn push_open(&mut self, node: &WindowPosition, index: u32) {
        let rest = self.rest(node);
        self.open.push(Reverse((node.cost + rest, rest, !index)));
    }

    /// Searches, with at most `limit` nodes.
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

    fn is_end(&self, node: &WindowPosition) -> bool {
        let home = node.script as usize == self.script.len() && node.bound == 0;
        let there = match (self.end, self.price) {
            (None, _) => true,
            (Some(end), price) if !price.counts_moves() => node.player == end,
            _ => false,
        };
        node.script == DONE || home && there
    }

    fn path_to(&self, mut index: u32) -> Vec<Push> {
        let mut pushes = Vec::new();
        while index != 0 {
            let WindowPosition { from, direction, parent, script, .. } = self.positions.node(index);
            if script != DONE {
                pushes.push(Push { from, direction });
            }
            index = parent;
        }
        pushes.reverse();
        pushes
    }

    fn expand(&mut self, index: u32, node: &WindowPosition) {
        let mut here = std::mem::take(&mut self.here);
        here.clear();
        here.extend_from_slice(self.positions.boxes(index));
        let mut others = std::mem::take(&mut self.others_here);
        others.clear();
        others.extend_from_slice(self.others.row(node.script));
        self.occupied.set_all(&here, true);
        self.occupied.set_all(&others, true);
        self.inner.fill(&self.occupied, node.player);
        if self.price.counts_moves() {
            self.inner.measure(&self.board.next, &mut self.walk);
        }
        if node.script as usize == self.script.len() && node.bound == 0 {
            self.walk_to_end(index, node, &here);
        }
        if let Some(&push) = self.script.get(node.script as usize) {
            self.follow_script(index, node, &here, push);
        }
        self.distances.read(self.board, &here, node.player, &mut self.here_poses);
        self.matching.place(&Narrow(&self.distances), self.here_poses.iter().copied());
        self.vicinity.iter_mut().for_each(|vicinity| vicinity.place(&here));
        for i in 0..here.len() {
            if i % POLL_BOXES == POLL_BOXES - 1 && self.clock.should_stop(0, 0).is_some() {
                break;
            }
            self.push_box(index, node, &here, i);
        }
        self.occupied.set_all(&here, false);
        self.occupied.set_all(&others, false);
        (self.here, self.others_here) = (here, others);
    }

    /// All pushes are done; the player walks to where the stretch ends.
    fn walk_to_end(&mut self, index: u32, node: &WindowPosition, here: &[Square]) {
        let Some(end) = self.end.filter(|&end| self.inner.contains(end)) else { return };
        if self.price.counts_moves() {
            let cost = node.cost + self.price.of(0, self.walk[end as usize]);
            let node = WindowPosition { cost, parent: index, script: DONE, ..*node };
            let index = self.positions.add_unfindable(node, here);
            self.push_open(&node, index);
        }
    }

    fn follow_script(&mut self, index: u32, node: &WindowPosition, here: &[Square], push: Push) {
        let next = self.board.next[push.from as usize];
        let (to, behind) = (next[push.direction as usize], next[push.direction as usize ^ 2]);
        if self.occupied[to as usize] || !self.inner.contains(behind) {
            return;
        }
        self.occupied.slide(push.from, to);
        let successor = WindowPosition { script: node.script + 1, ..*node };
        self.offer(index, successor, here, push, behind);
        self.occupied.slide(to, push.from);
    }

    fn push_box(&mut self, index: u32, node: &WindowPosition, here: &[Square], i: usize) {
        let from = here[i];
        let next = self.board.next[from as usize];
        for d in 0..4u8 {
            let (to, behind) = (next[d as usize], next[d as usize ^ 2]);
            if !self.inner.contains(behind) || self.occupied[to as usize] {
                continue;
            }
            let pose = self.distances.beside(to, d as usize ^ 2);
            let is_far = |vicinity: &Vicinity| !vicinity.has_after(i, to);
            if !self.distances.is_live(pose) || self.vicinity.as_ref().is_some_and(is_far) {
                continue;
            }
            let push = Push { from, direction: d };
            let spent = node.cost + self.price.of_push(push, self.steps(behind));
            let Some(most) = self.most_left(spent, node.script) else { continue };
            let (here_pose, costs) = (self.here_poses[i], Narrow(&self.distances));
            let bound = self.matching.after_within(&costs, here_pose, pose, most);
            let Some(bound) = bound else { continue };
            let mut boxes: SmallVec<[Square; 32]> = SmallVec::from_slice(here);
            replace(&mut boxes, i, to);
            self.occupied.slide(from, to);
            self.offer(index, WindowPosition { bound, ..*node }, &boxes, push, behind);
            self.occupied.slide(to, from);
        }
    }

    /// The steps to a square, where they count.
    fn steps(&self, square: Square) -> u32 {
        if self.price.counts_moves() { self.walk[square as usize] } else { 0 }
    }

    /// The greatest bound with which a push, after which the cost is `spent`, can lead to a cheaper
    /// stretch.
    fn most_left(&self, spent: u64, script: u32) -> Option<u32> {
        let spare = self.known.checked_sub(spent + 1)?;
        let pushes = u32::try_from(spare / self.price.of(1, 1)).unwrap_or(u32::MAX);
        pushes.checked_sub(self.script.len() as u32 - script)
    }

    /// Puts a successor into the open list unless it is known at no greater cost or cannot be
    /// cheaper than the stretch as it is. Its push is done on the board.
    fn offer(
        &mut self,
        parent: u32,
        mut node: WindowPosition,
        boxes: &[Square],
        push: Push,
        behind: Square,
    ) {
        node.cost += self.price.of_push(push, self.steps(behind));
        if node.cost + self.rest(&node) >= self.known {
            return;
        }
        (node.from, node.direction) = (push.from, push.direction);
        (node.parent, node.closed) = (parent, false);
        node.player = self.player_after(push);
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

/// Puts another number in the place of one in a list, which stays in order.
fn replace(list: &mut [Square], mut at: usize, new: Square) {
    while at > 0 && list[at - 1] > new {
        list[at] = list[at - 1];
        at -= 1;
    }
    while at + 1 < list.len() && list[at + 1] < new {
        list[at] = list[at + 1];
        at += 1;
    }
    list[at] = new;
}
