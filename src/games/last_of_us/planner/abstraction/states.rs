//! Abstract states and the search of their space.

use super::Abstraction;
use crate::board::Cell;
use crate::games::last_of_us::format::{HEARING_RANGE, HEARING_SIDE};
use crate::games::last_of_us::state::{
    ADJACENT, Board, Site, State, first_step_of_two, sites_within,
};
use crate::search::{Clock, Spent, StopReason};
use smallvec::SmallVec;

/// Homes at least this many steps farther from the exit than Ellie has come are forgotten.
const MARGIN: u32 = 4;
/// How far around a cell a full cell forgets.
const NEAR: i32 = 6;
/// The number of no node.
const NO_NODE: u32 = u32::MAX;
/// States taken from the open list between two looks at the clock.
const POLL: u64 = 256;

/// Homes, in order.
type Homes = SmallVec<[Site; 6]>;

/// An abstract state. Homes are asleep for certain if they are nearer to the exit than `behind` and
/// not in `roused`.
#[derive(Clone, Debug)]
struct AbstractState {
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

/// How a search of the abstract space has come back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pause {
    /// Its bound is final: the least cost of a path to the exit, or `upper`.
    Done,
    /// Its share is spent.
    Resting,
    /// It was stopped.
    Stopped(StopReason),
}

/// A search of the abstract space.
pub struct AbstractSearch<'a> {
    board: &'a Board,
    walk: &'a [u32],
    far: &'a [u32],
    /// Only paths that cost less are of interest.
    upper: u32,
    /// How many states a cell takes before it is widened.
    capacity: usize,
    /// Bricks at the start.
    bricks: u8,
    /// Whether no more can be thrown than there are.
    counts_bricks: bool,
    /// The way to the exit throws more.
    pub is_overdrawn: bool,
    /// A cell was full.
    pub is_widened: bool,
    nodes: Vec<AbstractState>,
    /// The node from which each node was generated, or [`NO_NODE`].
    parents: Vec<u32>,
    /// The node that is being expanded, or [`NO_NODE`].
    expanding: u32,
    /// The node on the exit, or [`NO_NODE`].
    goal: u32,
    /// For each cell, the nodes that were expanded there.
    closed: Vec<SmallVec<[u32; 2]>>,
    /// The open list, by cost and walking distance together: nodes, and the throws that are due
    /// before the next step.
    buckets: Vec<Vec<(u32, u8)>>,
    /// The bucket at hand.
    worth: u32,
    /// States taken from the open list.
    taken: u64,
    /// Nodes generated since it came back last.
    generated: u64,
    /// Bytes of lists that do not fit into their places, and of the open list, about.
    heap: usize,
}

impl<'a> AbstractSearch<'a> {
    /// A search from a state for paths that cost less than `upper`: whether it counts bricks, and the
    /// capacity of a cell.
    pub fn new(
        abstraction: &'a Abstraction<'a>,
        state: &State,
        (counts_bricks, capacity): (bool, usize),
        upper: u32,
    ) -> Self {
        let Abstraction { board, walk, ref far, .. } = *abstraction;
        let mut search = AbstractSearch {
            board,
            walk,
            far,
            upper,
            capacity,
            bricks: state.bricks,
            counts_bricks,
            is_overdrawn: false,
            is_widened: false,
            nodes: Vec::new(),
            parents: Vec::new(),
            expanding: NO_NODE,
            goal: NO_NODE,
            closed: vec![SmallVec::new(); board.sites()],
            buckets: Vec::new(),
            worth: walk[state.ellie as usize],
            taken: 0,
            generated: 0,
            heap: 0,
        };
        let start = search.start(state);
        search.reach(search.worth, start);
        search
    }

    fn start(&self, state: &State) -> AbstractState {
        let walk = self.walk[state.ellie as usize];
        let away = state.away.iter().map(|clicker| clicker.site);
        let mut roused = Homes::new();
        let homes = state.empty_homes.iter().copied().chain(away);
        rouse(&mut roused, homes.filter(|&site| self.board.home.contains(Cell(site))));
        AbstractState {
            ellie: state.ellie,
            behind: walk + MARGIN,
            free: walk,
            hunters: 0,
            thrown: 0,
            roused,
        }
    }

    /// Goes on until the least cost of a path to the exit is known, `upper` at most, or `share`
    /// expansions are spent; with that, the bound that is proven. Adds to `spent`, which has to be what
    /// was spent in all.
    pub fn run(
        &mut self,
        spent: &mut Spent,
        (upper, share): (u32, u64),
        clock: &Clock,
    ) -> (u32, Pause) {
        self.upper = self.upper.min(upper);
        let paused = self.search(&mut spent.expanded, share, clock);
        spent.generated += std::mem::take(&mut self.generated);
        spent.memory = self.memory();
        paused
    }

    fn search(&mut self, expanded: &mut u64, share: u64, clock: &Clock) -> (u32, Pause) {
        while let Some((index, throws)) = self.next().filter(|_| self.worth < self.upper) {
            let node = &self.nodes[index as usize];
            if node.ellie == self.board.exit {
                self.is_overdrawn = node.thrown > self.bricks;
                self.goal = index;
                return (self.worth, Pause::Done);
            }
            if self.taken.is_multiple_of(POLL) {
                let stopped = clock.should_stop(*expanded, self.memory()).map(Pause::Stopped);
                let pause = stopped.or((*expanded >= share).then_some(Pause::Resting));
                if let Some(pause) = pause {
                    self.open(self.worth, index, throws);
                    return (self.worth, pause);
                }
            }
            self.taken += 1;
            if throws > 0 || self.close(index) {
                *expanded += 1;
                self.expand(self.worth, index, throws);
            }
        }
        (self.upper, Pause::Done)
    }

    /// The next of the open nodes; raises the worth to theirs.
    fn next(&mut self) -> Option<(u32, u8)> {
        while let Some(bucket) = self.buckets.get_mut(self.worth as usize) {
            if let Some(next) = bucket.pop() {
                return Some(next);
            }
            self.worth += 1;
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

    fn reach(&mut self, worth: u32, node: AbstractState) {
        if worth < self.upper && !self.is_dominated(&node) {
            self.generated += 1;
            let index = self.nodes.len() as u32;
            self.heap += heap_of(&node.roused);
            self.nodes.push(node);
            self.parents.push(self.expanding);
            self.open(worth, index, 0);
        }
    }

    /// The cells of the cheapest way, from the exit to Ellie. It is empty before the search has reached the exit.
    pub fn way(&self) -> Vec<Site> {
        let parent = |&at: &u32| self.parents.get(at as usize).copied();
        let nodes = std::iter::successors(Some(self.goal), parent);
        nodes.map_while(|at| self.nodes.get(at as usize)).map(|node| node.ellie).collect()
    }

    /// Bytes held.
    fn memory(&self) -> usize {
        self.nodes.capacity() * (size_of::<AbstractState>() + size_of::<u32>())
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
    fn is_dominated(&self, node: &AbstractState) -> bool {
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

    fn is_asleep(&self, node: &AbstractState, roused: &Homes, home: Site) -> bool {
        self.walk[home as usize] < node.behind && roused.binary_search(&home).is_err()
    }

    /// The window of the clickers that sleep for certain and hear a sound.
    fn hearing(&self, node: &AbstractState, roused: &Homes, sound: Site) -> u32 {
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
        self.expanding = index;
        let mut node = self.nodes[index as usize].clone();
        node.thrown = node.thrown.saturating_add(throws);
        let mut more = false;
        for step in board.steps {
            let to = node.ellie.wrapping_add_signed(step);
            if to == board.exit {
                if throws == 0 {
                    let cost = worth - self.walk[node.ellie as usize];
                    self.reach(cost + 1, AbstractState { ellie: to, ..node.clone() });
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

    fn is_clear_of_hunters(&self, node: &AbstractState, to: Site) -> bool {
        let away = |hunter| self.board.chebyshev(hunter, to) > 1;
        self.hunters(node).all(away)
    }

    fn hunters(&self, node: &AbstractState) -> impl Iterator<Item = Site> {
        let ellie = node.ellie;
        bits(u32::from(node.hunters))
            .map(move |d| ellie.wrapping_add_signed(self.board.steps[d as usize]))
    }

    /// Steps to a cell after exactly `throws` throws that matter for the step; whether one more
    /// could matter.
    fn walk_to(
        &mut self,
        worth: u32,
        node: &AbstractState,
        roused: &Homes,
        to: Site,
        throws: u8,
    ) -> bool {
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
    fn step(&self, node: &AbstractState, roused: &Homes, to: Site, heard: u32) -> AbstractState {
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
        AbstractState { ellie: to, behind, free, hunters, thrown: node.thrown, roused }
    }

    /// Whom a throw can wake of those that sleep for certain, such that one of them hears `to`: the
    /// greatest sets.
    fn throws(&self, node: &AbstractState, roused: &Homes, to: Site, heard: u32) -> Vec<Homes> {
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
pub fn cell_bytes(board: &Board) -> usize {
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
