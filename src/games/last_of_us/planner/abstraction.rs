//! A lower bound from an abstraction: Ellie among the clickers whose place is certain.
//!
//! Where clickers stand close together, no one of them costs an action, but no way between all of
//! them is free. This bound sees that. It is the least cost of a path in a smaller space, in which
//! every plan has an image that costs no more (Cousot and Cousot, *Abstract interpretation*, POPL
//! 1977; Culberson and Schaeffer, *Pattern databases*, Computational Intelligence 14, 1998, have
//! bounds from abstractions). An abstract state (`Node`) knows
//! - Ellie's cell,
//! - the homes where a clicker sleeps for certain: all but those that are *roused*,
//! - the cells beside Ellie where some clicker stands for certain, the *hunters*.
//!
//! It knows nothing of all other clickers, and lets them do no harm.
//!
//! # What is certain
//! Let Ellie walk to `x` and live. No clicker was within 1 of `x` before. A clicker at distance 2
//! that sleeps at home hears her; where a way of two steps leads to `x`, the rules name the cell
//! `p` that it prefers. It steps there, or another clicker has just stepped onto `p`, for one that
//! stood there before would have killed her. That other one has also come from distance 2, so it
//! heard `x` too. Either way some clicker that traces `x` stands on `p`, beside Ellie: a hunter.
//! By the same argument a hunter's next step is known wherever Ellie walks next. So hunters follow
//! her for as long as a way of two steps leads from them to her, they forbid the cells next to
//! them, and while there are any she can neither wait nor throw.
//!
//! A throw costs an action and rouses whom it wakes; where they go is forgotten.
//!
//! # What keeps it small
//! - Throws are made late: right before the first step that comes into the hearing of a clicker
//!   that they have woken. Nothing that came between was any different for the throw, but for the
//!   place to throw from. That must have been a place without hunters and within reach; of these
//!   the state knows only how near to the exit the nearest can have been (`Node::free`).
//! - What lies farther from the exit than Ellie has come, by a margin, is forgotten: roused.
//! - A cell has a capacity of states. When it is full, all that is near is forgotten
//!   (widening): one more state covers all that come later. A greater capacity makes a better
//!   bound.
//! - Many bricks are counted only when a way that was found without counting throws more than there
//!   are (counterexample-guided refinement: Clarke, Grumberg, Jha, Lu, Veith, CAV 2000).
//! - A state is dropped where another one on the same cell knows no more and costs no more.
//!
//! Forgetting only adds paths, so the bound stays admissible. States are searched in order of cost
//! and walking distance together, so that the order alone is a bound whenever the search is cut.

use crate::board::{Cell, UNREACHED};
use crate::games::last_of_us::format::{HEARING_RANGE, HEARING_SIDE, THROW_RANGE};
use crate::games::last_of_us::state::{
    ADJACENT, Board, Site, State, first_step_of_two, sites_within,
};
use crate::search::{Clock, Ended, Statistics, TurnReport};
use smallvec::SmallVec;
use std::sync::atomic::{AtomicU64, Ordering};

/// Capacities of a cell, tried one after the other while they make a difference.
const CAPACITIES: [usize; 4] = [16, 64, 256, 1024];
/// Homes at least this many steps farther from the exit than Ellie has come are forgotten.
const MARGIN: u32 = 4;
/// How far around a cell a full cell forgets.
const NEAR: i32 = 6;
/// Most bricks that are counted from the first.
const ALWAYS_COUNTED: u8 = 16;
/// States taken from the open list between two looks at the clock.
const POLL: u64 = 256;

/// What was proven, and what it took.
#[derive(Clone, Debug, Default)]
pub struct Proven {
    /// No plan is shorter.
    pub bound: u64,
    /// What it took.
    pub effort: Statistics,
}

impl Proven {
    /// Report of the turn in which that was proven, where a plan of `upper` actions was known.
    pub fn report(&self, upper: u64) -> TurnReport {
        let ended = match self.effort.stopped {
            Some(stop) => Ended::Stopped(stop),
            None if self.bound >= upper => Ended::Proven,
            None => Ended::Exhausted,
        };
        TurnReport {
            expanded: self.effort.expanded,
            generated: self.effort.generated,
            memory: self.effort.memory as u64,
            bound: Some(self.bound),
            ended,
            ..TurnReport::default()
        }
    }
}

/// The abstraction of a board.
pub struct Abstraction<'a> {
    board: &'a Board,
    /// Walking distances to the exit.
    walk: &'a [u32],
    /// For each cell, the greatest walking distance within a throw's range of it.
    far: Vec<u32>,
    /// Capacities of a cell, tried one after the other while they make a difference.
    pub capacities: &'a [usize],
    /// Bricks are counted from the first where there are at most this many, and else where a way
    /// without counting throws more than there are.
    pub always_counted: u8,
    /// Hears the bound while it grows.
    pub found: Option<&'a AtomicU64>,
}

impl<'a> Abstraction<'a> {
    /// The abstraction of a board with these walking distances to the exit.
    pub fn new(board: &'a Board, walk: &'a [u32]) -> Self {
        Abstraction {
            board,
            walk,
            far: farthest(board, walk),
            capacities: &CAPACITIES,
            always_counted: ALWAYS_COUNTED,
            found: None,
        }
    }

    /// A lower bound of all plans from a state, at most `upper`.
    ///
    /// The capacity grows until the bound is `upper`, no cell is full, or the budget is spent.
    pub fn lower_bound(&self, start: &State, upper: u64, clock: &Clock) -> Proven {
        let mut proven = Proven::default();
        let has_room = cell_bytes(self.board) <= clock.limits.memory;
        if self.walk[start.ellie as usize] == UNREACHED || !has_room {
            return proven;
        }
        let upper = upper.min(u64::from(u32::MAX)) as u32;
        let mut counts_bricks = start.bricks <= self.always_counted;
        let mut capacities = self.capacities;
        while let [capacity, greater @ ..] = capacities {
            let mut search = Search::new(self, counts_bricks, *capacity);
            search.effort = std::mem::take(&mut proven.effort);
            let bound = search.run(start, upper, clock);
            proven.bound = proven.bound.max(u64::from(bound));
            proven.effort = search.effort;
            if bound >= upper || proven.effort.stopped.is_some() {
                break;
            }
            if search.is_overdrawn {
                counts_bricks = true;
            } else if search.is_widened {
                capacities = greater;
            } else {
                break;
            }
        }
        proven
    }
}

/// Homes, in order.
type Homes = SmallVec<[Site; 6]>;

/// An abstract state. Homes are asleep for certain if they are nearer to the exit than `behind` and
/// not in `roused`.
#[derive(Clone, Debug)]
struct Node {
    ellie: Site,
    behind: u32,
    /// How near to the exit Ellie has come at most until there was last nobody beside her.
    free: u32,
    /// Bit d: a clicker stands in direction d from Ellie for certain.
    hunters: u8,
    /// Bricks that were thrown.
    thrown: u8,
    roused: Homes,
}

/// A search of the abstract space.
struct Search<'a> {
    board: &'a Board,
    walk: &'a [u32],
    far: &'a [u32],
    found: Option<&'a AtomicU64>,
    upper: u32,
    /// How many states a cell takes before it is widened.
    capacity: usize,
    /// Bricks at the start.
    bricks: u8,
    /// Whether no more can be thrown than there are.
    counts_bricks: bool,
    /// The way to the exit throws more.
    is_overdrawn: bool,
    nodes: Vec<Node>,
    /// For each cell, the nodes that were expanded there.
    closed: Vec<SmallVec<[u32; 2]>>,
    /// The open list, by cost and walking distance together: nodes, and the throws that are due
    /// before the next step.
    buckets: Vec<Vec<(u32, u8)>>,
    is_widened: bool,
    /// Bytes of lists that do not fit into their places, and of the open list, about.
    heap: usize,
    effort: Statistics,
}

impl<'a> Search<'a> {
    fn new(abstraction: &'a Abstraction<'a>, counts_bricks: bool, capacity: usize) -> Self {
        let Abstraction { board, walk, ref far, found, .. } = *abstraction;
        Search {
            board,
            walk,
            far,
            found,
            upper: u32::MAX,
            capacity,
            bricks: 0,
            counts_bricks,
            is_overdrawn: false,
            nodes: Vec::new(),
            closed: vec![SmallVec::new(); board.sites()],
            buckets: Vec::new(),
            is_widened: false,
            heap: 0,
            effort: Statistics::default(),
        }
    }

    fn start(&self, state: &State) -> Node {
        let walk = self.walk[state.ellie as usize];
        let away = state.away.iter().map(|clicker| clicker.site);
        let mut roused = Homes::new();
        let homes = state.empty_homes.iter().copied().chain(away);
        rouse(&mut roused, homes.filter(|&site| self.board.home.contains(Cell(site))));
        Node {
            ellie: state.ellie,
            behind: walk + MARGIN,
            free: walk,
            hunters: 0,
            thrown: 0,
            roused,
        }
    }

    /// The least cost of a path to the exit, or what is proven of it; at most `upper`.
    fn run(&mut self, state: &State, upper: u32, clock: &Clock) -> u32 {
        (self.upper, self.bricks) = (upper, state.bricks);
        let start = self.start(state);
        let mut worth = self.walk[start.ellie as usize];
        self.reach(worth, start);
        let mut polled = 0;
        loop {
            let Some((index, throws)) = self.next(&mut worth) else { return self.upper };
            let node = &self.nodes[index as usize];
            if node.ellie == self.board.exit {
                self.is_overdrawn = node.thrown > self.bricks;
                return worth;
            }
            if polled % POLL == 0 {
                self.found
                    .inspect(|found| _ = found.fetch_max(u64::from(worth), Ordering::Relaxed));
                self.effort.stopped = clock.should_stop(self.effort.expanded, self.memory());
                if self.effort.stopped.is_some() {
                    return worth;
                }
            }
            polled += 1;
            if throws > 0 || self.close(index) {
                self.effort.expanded += 1;
                self.expand(worth, index, throws);
            }
        }
    }

    /// The next of the open nodes; raises `worth` to theirs.
    fn next(&mut self, worth: &mut u32) -> Option<(u32, u8)> {
        while let Some(bucket) = self.buckets.get_mut(*worth as usize) {
            if let Some(next) = bucket.pop() {
                return Some(next);
            }
            *worth += 1;
        }
        None
    }

    fn open(&mut self, worth: u32, index: u32, throws: u8) {
        if self.buckets.len() <= worth as usize {
            self.buckets.resize_with(worth as usize + 1, Vec::new);
        }
        let bucket = &mut self.buckets[worth as usize];
        let before = bucket.capacity();
        bucket.push((index, throws));
        self.heap += (bucket.capacity() - before) * size_of::<(u32, u8)>();
    }

    fn reach(&mut self, worth: u32, node: Node) {
        if worth < self.upper && !self.is_dominated(&node) {
            self.effort.generated += 1;
            let index = self.nodes.len() as u32;
            self.heap += heap_of(&node.roused);
            self.nodes.push(node);
            self.open(worth, index, 0);
        }
    }

    /// Bytes held.
    fn memory(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + cell_bytes(self.board)
            + self.buckets.capacity() * size_of::<Vec<(u32, u8)>>()
            + self.heap
    }

    /// Takes a node among those of its cell, widened where the cell is full; `false` where one of
    /// them covers it.
    fn close(&mut self, index: u32) -> bool {
        let at = index as usize;
        if self.is_dominated(&self.nodes[at]) {
            return false;
        }
        let cell = self.nodes[at].ellie as usize;
        if self.closed[cell].len() >= self.capacity {
            self.is_widened = true;
            self.widen(at);
            if self.is_dominated(&self.nodes[at]) {
                return false;
            }
        }
        let before = heap_of(&self.closed[cell]);
        self.closed[cell].push(index);
        self.heap += heap_of(&self.closed[cell]) - before;
        true
    }

    /// Whether a node that was expanded on the same cell, at no greater cost, knows no more.
    fn is_dominated(&self, node: &Node) -> bool {
        self.closed[node.ellie as usize].iter().any(|&other| {
            let other = &self.nodes[other as usize];
            other.hunters & !node.hunters == 0
                && other.behind <= node.behind
                && other.free <= node.free
                && (!self.counts_bricks || other.thrown <= node.thrown)
                && node.roused.iter().all(|&home| !self.is_asleep(other, &other.roused, home))
        })
    }

    /// Forgets what is near.
    fn widen(&mut self, at: usize) {
        let mut node = self.nodes[at].clone();
        node.hunters = 0;
        node.free = node.behind - MARGIN;
        let near = sites_within(self.board, node.ellie, NEAR);
        let homes = near.filter(|&site| self.board.home.contains(Cell(site)));
        rouse(&mut node.roused, homes.filter(|&home| self.walk[home as usize] < node.behind));
        self.nodes[at] = node;
    }

    fn is_asleep(&self, node: &Node, roused: &Homes, home: Site) -> bool {
        self.walk[home as usize] < node.behind && roused.binary_search(&home).is_err()
    }

    /// The window of the clickers that sleep for certain and hear a sound.
    fn hearing(&self, node: &Node, roused: &Homes, sound: Site) -> u32 {
        let all = self.board.hearing_at_start(sound);
        let asleep = bits(all).filter(|&bit| self.is_asleep(node, roused, self.home(sound, bit)));
        asleep.fold(0, |window, bit| window | 1 << bit)
    }

    /// The homes of a window.
    fn homes(&self, sound: Site, window: u32) -> impl Iterator<Item = Site> {
        bits(window).map(move |bit| self.home(sound, bit))
    }

    fn home(&self, sound: Site, bit: u32) -> Site {
        let bit = bit as i32;
        self.board.offset(
            sound,
            bit / HEARING_SIDE - HEARING_RANGE,
            bit % HEARING_SIDE - HEARING_RANGE,
        )
    }

    /// Walks on from a node after exactly `throws` throws.
    fn expand(&mut self, worth: u32, index: u32, throws: u8) {
        let board = self.board;
        let mut node = self.nodes[index as usize].clone();
        node.thrown = node.thrown.saturating_add(throws);
        let mut more = false;
        for step in board.steps {
            let to = node.ellie.wrapping_add_signed(step);
            if to == board.exit {
                if throws == 0 {
                    let cost = worth - self.walk[node.ellie as usize];
                    self.reach(cost + 1, Node { ellie: to, ..node.clone() });
                }
            } else if board.is_floor(to) && self.is_clear_of_hunters(&node, to) {
                more |= self.walk_to(worth, &node, &node.roused, to, throws);
            }
        }
        let here = self.hearing(&node, &node.roused, node.ellie);
        if throws == 0 && node.hunters == 0 && here != 0 {
            // Only at the start: she stays, and is heard where nobody has heard her yet.
            more |= self.walk_to(worth, &node, &node.roused, node.ellie, 0);
        }
        if more && worth + 1 < self.upper && self.has_more_than(node.thrown) {
            self.open(worth + 1, index, throws + 1);
        }
    }

    fn has_more_than(&self, thrown: u8) -> bool {
        !self.counts_bricks || thrown < self.bricks
    }

    fn is_clear_of_hunters(&self, node: &Node, to: Site) -> bool {
        let away = |hunter| self.board.chebyshev(hunter, to) > 1;
        self.hunters(node).all(away)
    }

    fn hunters(&self, node: &Node) -> impl Iterator<Item = Site> {
        let ellie = node.ellie;
        bits(u32::from(node.hunters))
            .map(move |d| ellie.wrapping_add_signed(self.board.steps[d as usize]))
    }

    /// Steps to a cell after exactly `throws` throws that matter for the step; whether one more
    /// could matter.
    fn walk_to(&mut self, worth: u32, node: &Node, roused: &Homes, to: Site, throws: u8) -> bool {
        let heard = self.hearing(node, roused, to);
        if throws > 0 {
            let mut more = false;
            for woken in self.throws(node, roused, to, heard) {
                let mut roused = roused.clone();
                rouse(&mut roused, woken.into_iter());
                more |= self.walk_to(worth, node, &roused, to, throws - 1);
            }
            return more;
        }
        if heard & ADJACENT == 0 {
            let now = self.walk[to as usize];
            let cost = worth - self.walk[node.ellie as usize] + 1;
            let child = self.step(node, roused, to, heard);
            self.reach(cost + now, child);
        }
        heard != 0
    }

    /// The node after a step to a cell that clickers hear at distance 2.
    fn step(&self, node: &Node, roused: &Homes, to: Site, heard: u32) -> Node {
        let behind = node.behind.min(self.walk[to as usize] + MARGIN);
        let mut hunters = 0;
        for hunter in self.hunters(node).chain(self.homes(to, heard)) {
            if let Some(beside) = first_step_of_two(self.board, hunter, to) {
                let toward = |&step: &i32| to.wrapping_add_signed(step) == beside;
                hunters |= self.board.steps.iter().position(toward).map_or(0, |d| 1 << d);
            }
        }
        let is_ahead = |home: &Site| self.walk[*home as usize] < behind;
        let mut roused: Homes = roused.iter().copied().filter(is_ahead).collect();
        rouse(&mut roused, self.homes(to, heard).filter(is_ahead));
        let free = if hunters == 0 { behind - MARGIN } else { node.free };
        Node { ellie: to, behind, free, hunters, thrown: node.thrown, roused }
    }

    /// Whom a throw can wake of those that sleep for certain, such that one of them hears `to`: the
    /// greatest sets.
    fn throws(&self, node: &Node, roused: &Homes, to: Site, heard: u32) -> Vec<Homes> {
        let in_reach = |&sound: &Site| {
            self.board.is_floor(sound)
                && self.far[sound as usize] >= node.free
                && self
                    .homes(to, heard)
                    .any(|home| self.board.chebyshev(home, sound) <= HEARING_RANGE as u32)
        };
        let mut sets: Vec<Homes> = if heard == 0 {
            Vec::new()
        } else {
            sites_within(self.board, to, 2 * HEARING_RANGE)
                .filter(in_reach)
                .map(|sound| self.homes(sound, self.hearing(node, roused, sound)).collect())
                .collect()
        };
        sets.sort_unstable_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        sets.dedup();
        let mut greatest: Vec<Homes> = Vec::new();
        for set in sets {
            let is_in = |other: &Homes| set.iter().all(|home| other.binary_search(home).is_ok());
            if !greatest.iter().any(is_in) {
                greatest.push(set);
            }
        }
        greatest
    }
}

/// Bytes that a list holds that does not fit into its place.
fn heap_of<T, const N: usize>(list: &SmallVec<[T; N]>) -> usize
where
    [T; N]: smallvec::Array<Item = T>,
{
    if list.spilled() { list.capacity() * size_of::<T>() } else { 0 }
}

/// Bytes that the abstraction and its search hold for a board's cells.
fn cell_bytes(board: &Board) -> usize {
    board.sites() * (size_of::<SmallVec<[u32; 2]>>() + size_of::<u32>())
}

/// The numbers of the bits that are set.
fn bits(window: u32) -> impl Iterator<Item = u32> {
    let rests = std::iter::successors(Some(window), |rest| Some(rest & rest.wrapping_sub(1)));
    rests.take_while(|&rest| rest != 0).map(u32::trailing_zeros)
}

/// Adds homes to some.
fn rouse(roused: &mut Homes, homes: impl Iterator<Item = Site>) {
    for home in homes {
        if let Err(at) = roused.binary_search(&home) {
            roused.insert(at, home);
        }
    }
}

/// For each cell, the greatest walking distance of a cell within a throw's range of it.
fn farthest(board: &Board, walk: &[u32]) -> Vec<u32> {
    let reached = walk.iter().map(|&steps| if steps == UNREACHED { 0 } else { steps }).collect();
    let along = |field: Vec<u32>, step: usize| -> Vec<u32> {
        let reach = THROW_RANGE as usize * step;
        let line = |site: usize| {
            let last = (site + reach).min(field.len() - 1);
            (site % step).max(site.saturating_sub(reach))..=last
        };
        (0..field.len())
            .map(|site| line(site).step_by(step).map(|at| field[at]).max().unwrap_or(0))
            .collect()
    };
    along(along(reached, 1), board.stride as usize)
}
