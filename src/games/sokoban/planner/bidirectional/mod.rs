//! Bidirectional search on bit boards: pushes from the start and pulls from the solved board, until
//! they meet.
//!
//! On small crowded levels nothing leads: plans are three times as long as the bound, and the area
//! of the targets is full of boxes from the start. What helps there is to look at very many
//! positions, and to look from both ends, since the knot at the one end is often the easy part from
//! the other. Each side is a weighted best-first search in cells by the number of boxes that are on
//! none of the other side's squares, as `search/open_lists`
//! explains. A position is a few words ([`mask`](crate::games::sokoban::board::mask)), its bound the
//! [`matching`](super::bound::matching), adapted from the position before, and dead pairs and
//! triples are known before the search (`group_tables`). A position that one side reaches is looked
//! up in the table of the other.
//!
//! Searching from both ends is Pohl's idea (*Bi-directional search*, Machine Intelligence 6, 1971);
//! for Sokoban, see Virkkala (*Solving Sokoban*, 2011).
//!
//! The two searches run in batches, each on a thread of its own where there are two (`batch`).
//!
//! The plan that it finds is any plan. Where one side has looked at everything that it can reach,
//! there is none: what is left out are proven deadlocks, and pushes outside a PI-corral.

mod batch;
pub(super) mod corral_search;
mod costs;
mod frontier;
pub(super) mod group_tables;
pub(super) mod patterns;
pub(super) mod pruning;

use super::bound::matching::Matching;
use super::pushes::Ended;
use crate::games::sokoban::board::mask::{Bit, Mask, Maze, on_words};
use crate::games::sokoban::board::{Board, Push};
use crate::search::crew::Crew;
use crate::search::{Clock, Deadline, Progress, StopReason};
use batch::{Batch, End};
use corral_search::{CorralSearch, Level};
use costs::Costs;
pub(super) use frontier::hash;
use frontier::{Frontier, FrontierPosition, Position, ROOT};
use group_tables::GroupTables;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

/// Expansions between two looks at the clock.
const POLL: u64 = 64;
/// Backward expansions for each forward one.
const PULLS: u64 = 2;
/// Divisor of the expansions before a batch: the batch has this share of them.
const BATCH_SHARE: u64 = 16;
/// Expansions of a batch at most.
const LONGEST_BATCH: u64 = 1 << 15;
/// Expansions of a batch that is worth handing to another thread.
const WORTH_HELP: u64 = 64;
/// Expansions of one side before its table of dead triples is made.
const EASY: u64 = 400;
/// Positions that are taken from the open list at a time.
const GROUP: usize = 8;
/// Positions that are looked up at a time.
const LOOK_UP: usize = 16;

/// The way a search goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Way {
    /// From the start by pushes.
    Forward,
    /// From the solved board by pulls.
    Backward,
}

impl Way {
    /// Where boxes have to come on this way.
    fn ends<const W: usize>(self, maze: &Maze<W>) -> Mask<W> {
        match self {
            Way::Forward => maze.targets,
            Way::Backward => maze.boxes,
        }
    }

    /// The boxes that can be moved in direction `d` onto squares of `onto`.
    #[inline]
    fn movable<const W: usize>(
        self,
        maze: &Maze<W>,
        (boxes, region): (Mask<W>, Mask<W>),
        onto: Mask<W>,
        d: usize,
    ) -> Mask<W> {
        match self {
            Way::Forward => maze.pushable(boxes, region, onto.without(boxes), d),
            Way::Backward => maze.pullable(boxes, region, onto, d),
        }
    }

    /// The position after the box on `from` was moved in direction `d`: boxes, the box's square,
    /// and the player.
    #[inline]
    fn moved<const W: usize>(
        self,
        maze: &Maze<W>,
        boxes: Mask<W>,
        from: Bit,
        d: usize,
    ) -> (Mask<W>, Bit, Bit) {
        let to = maze.next(from, d);
        let after = boxes.without(Mask::of(from)) | Mask::of(to);
        let player = match self {
            Way::Forward => from,
            Way::Backward => maze.next(to, d),
        };
        (after, to, player)
    }

    /// How many of `of_both` expansions of both ways are of this way.
    fn share(self, of_both: u64) -> u64 {
        let forward = of_both.div_ceil(1 + PULLS);
        match self {
            Way::Forward => forward,
            Way::Backward => of_both - forward,
        }
    }

    /// How many expansions of both come before the one of this number of this way.
    fn turn(self, expansion: u64) -> u64 {
        match self {
            Way::Forward => expansion * (1 + PULLS),
            Way::Backward => expansion / PULLS * (1 + PULLS) + 1 + expansion % PULLS,
        }
    }

    /// The other way.
    fn opposite(self) -> Way {
        match self {
            Way::Forward => Way::Backward,
            Way::Backward => Way::Forward,
        }
    }

    /// Calls `visit` for the positions from which one step on this way leads to this one.
    fn undo<const W: usize>(
        self,
        maze: &Maze<W>,
        (boxes, region): (Mask<W>, Mask<W>),
        live: Mask<W>,
        mut visit: impl FnMut(Mask<W>, Mask<W>),
    ) {
        let back = self.opposite();
        for d in 0..4 {
            for from in back.movable(maze, (boxes, region), live, d) {
                let (before, _, player) = back.moved(maze, boxes, from, d);
                let free = maze.floor.without(before);
                visit(before, maze.region(Mask::of(player), free));
            }
        }
    }

    /// For each end, steps that a box takes to it from each bit, were it alone and the player
    /// anywhere.
    fn distances<const W: usize>(self, maze: &Maze<W>) -> Vec<Vec<Option<u32>>> {
        let back = self.opposite();
        let from_end = |end: Bit| {
            let mut distance = vec![None; W * 64];
            distance[end as usize] = Some(0);
            let mut queue = VecDeque::from([(end, 0)]);
            while let Some((bit, steps)) = queue.pop_front() {
                let alone = Mask::of(bit);
                for d in 0..4 {
                    let around = (alone, maze.floor.without(alone));
                    if back.movable(maze, around, maze.floor, d).is_empty() {
                        continue;
                    }
                    let next = maze.next(bit, d);
                    if distance[next as usize].is_none() {
                        distance[next as usize] = Some(steps + 1);
                        queue.push_back((next, steps + 1));
                    }
                }
            }
            distance
        };
        self.ends(maze).into_iter().map(from_end).collect()
    }
}

/// A successor: its hash, the position, and where the moved box stands.
type Step<const W: usize> = (u64, Position<W>, Bit);

/// What the parts of the board that the player cannot reach tell of a position.
#[derive(Clone, Copy)]
enum Corrals<const W: usize> {
    /// The boxes of one are dead.
    Dead,
    /// One of these boxes may as well be pushed next.
    Play(Mask<W>),
    /// Any box may be pushed next.
    Free,
}

/// A position that is about to be expanded.
#[derive(Clone, Debug)]
struct Expansion<const W: usize> {
    boxes: Mask<W>,
    /// Its successors among those of the group.
    successors: Range<usize>,
    /// Successors that were generated for it, the dead ones too.
    generated: u64,
}

/// The places of boxes, as a matching takes them, and those of `spare` boxes that are not on the board.
fn places<const W: usize>(boxes: Mask<W>, spare: u32) -> impl Iterator<Item = u32> + Clone {
    boxes.into_iter().map(u32::from).chain((W as u32 * 64..).take(spare as usize))
}

/// One of the two searches, with what it knows of the level.
struct Side<const W: usize> {
    way: Way,
    maze: Arc<Maze<W>>,
    /// Boxes of the positions in which it begins.
    starts: Vec<Mask<W>>,
    frontier: Frontier<W>,
    /// What the bound on the rest weighs where a step that was made weighs one.
    weight: usize,
    /// Squares from which a box alone comes to some end.
    live: Mask<W>,
    costs: Costs,
    /// Number of ends that stay without a box.
    spare: u32,
    /// By cell, that of the position expanded last: those of one cell often differ in few boxes.
    matchings: Vec<Matching<i32>>,
    groups: GroupTables<W>,
    corrals: CorralSearch<W>,
    /// What the search has, until the table of triples is made.
    time_for_triples: Option<Duration>,
    /// The positions that are expanded next, and their successors.
    group: Vec<Expansion<W>>,
    /// Positions of the group that were expanded.
    done: usize,
    successors: Vec<Step<W>>,
    batch: Batch,
}

impl<const W: usize> Side<W> {
    fn new(maze: &Arc<Maze<W>>, (way, weight): (Way, usize), time: Duration) -> Self {
        let side = Side::without_groups(maze, (way, weight));
        let groups = GroupTables::new(maze, side.live, way);
        Side { groups, time_for_triples: Some(time), ..side }
    }

    /// The search without tables of dead groups, which take longer to make than a short search.
    fn without_groups(maze: &Arc<Maze<W>>, (way, weight): (Way, usize)) -> Self {
        let distances = way.distances(maze);
        let is_live = |&bit: &Bit| distances.iter().any(|d| d[bit as usize].is_some());
        let live = maze.floor.into_iter().filter(is_live).collect();
        let spare = distances.len().saturating_sub(maze.boxes.count() as usize);
        Side {
            way,
            maze: Arc::clone(maze),
            starts: vec![way.opposite().ends(maze)],
            frontier: Frontier::new(distances.len() + 1),
            weight,
            live,
            costs: Costs::new(&distances, spare),
            spare: spare as u32,
            matchings: vec![Matching::default(); distances.len() + 1],
            groups: GroupTables::none(),
            corrals: CorralSearch::new(),
            time_for_triples: None,
            group: Vec::new(),
            done: 0,
            successors: Vec::new(),
            batch: Batch::default(),
        }
    }

    fn memory(&self) -> usize {
        self.frontier.memory() + self.groups.memory() + self.corrals.memory()
    }

    /// Adds the positions in which the search begins; the backward search begins in every region that the
    /// boxes on the targets leave to the player. Returns whether they fit into `memory` bytes.
    fn begin(&mut self, memory: usize) -> bool {
        let maze = Arc::clone(&self.maze);
        for boxes in self.starts.clone() {
            let free = maze.floor.without(boxes);
            let regions: Vec<Mask<W>> = match self.way {
                Way::Forward => vec![maze.region(maze.player, free)],
                Way::Backward => maze.regions(free).collect(),
            };
            if !self.frontier.make_room(regions.len(), memory) {
                return false;
            }
            for player in regions.iter().filter_map(|region| region.first()) {
                let node = FrontierPosition::new(ROOT, 0, player, (0, 0));
                let position = (hash(boxes, player), Position { boxes, node });
                let cell = self.cell(boxes);
                let places = places(boxes, self.spare);
                self.offer(position, cell, |matching, costs| matching.place(costs, places));
            }
        }
        true
    }

    /// The number of boxes that are on none of the ends.
    #[inline]
    fn cell(&self, boxes: Mask<W>) -> usize {
        boxes.without(self.way.ends(&self.maze)).count() as usize
    }

    /// Adds a position unless it is known or has no bound, which the matching of cell `from`
    /// tells; its number where it is new.
    #[inline]
    fn offer(
        &mut self,
        (hash, position): (u64, Position<W>),
        from: usize,
        bound: impl FnOnce(&mut Matching<i32>, &Costs) -> Option<u32>,
    ) -> Option<u32> {
        let Position { boxes, node } = position;
        let slot = self.frontier.table.find(hash, boxes, node.player).err()?;
        let bound = bound(&mut self.matchings[from], &self.costs)?;
        let cell = self.cell(boxes);
        let priority = usize::from(node.cost) + self.weight * bound as usize;
        Some(self.frontier.add(slot, position, cell, priority))
    }

    /// Searches on alone until `goal` positions are expanded in all, within `memory` bytes.
    fn advance(&mut self, goal: u64, memory: usize, deadline: &Deadline) {
        let maze = Arc::clone(&self.maze);
        // Each box goes in at most four directions.
        let successors = 4 * maze.boxes.count() as usize;
        let memory = memory.saturating_sub(self.groups.memory() + self.corrals.memory());
        let effort = (self.frontier.expanded, self.frontier.generated);
        self.batch.begin(effort, self.frontier.table.len());
        while self.frontier.expanded < goal {
            if !self.frontier.make_room(successors, memory) {
                self.batch.ended = Some(End::Full);
                return;
            }
            if self.frontier.expanded.is_multiple_of(POLL) && deadline.is_over() {
                self.batch.ended = Some(End::Interrupted);
                return;
            }
            if self.done == self.group.len() {
                self.prepare(&maze);
            }
            let Some(expansion) = self.group.get(self.done).cloned() else {
                self.batch.ended = Some(End::Exhausted);
                return;
            };
            self.done += 1;
            self.expand(expansion);
            self.batch.note(self.frontier.table.len(), self.frontier.generated);
        }
    }

    /// Takes the next group from the open list and generates its successors. Everything that is
    /// looked at later is touched for the whole group at once: without that most of the time is
    /// spent waiting for memory.
    fn prepare(&mut self, maze: &Maze<W>) {
        if self.frontier.expanded >= EASY
            && let Some(time) = self.time_for_triples.take()
        {
            self.groups.add_triples(maze, self.live, self.way, time);
        }
        let mut numbers = [ROOT; GROUP];
        let mut count = 0;
        while count < GROUP
            && let Some(number) = self.frontier.pop()
        {
            numbers[count] = number;
            count += 1;
        }
        let table = &self.frontier.table;
        let parents = numbers[..count].iter().map(|&number| table.position(number).node.parent);
        std::hint::black_box(parents.fold(0, |all, parent| all ^ parent));
        self.done = 0;
        self.group.clear();
        self.successors.clear();
        numbers[..count].iter().for_each(|&number| self.generate(maze, number));
        let slots = self.successors.iter().map(|&(hash, ..)| self.frontier.table.touch(hash));
        let mut touched = slots.fold(0, |all, slot| all ^ slot);
        for &(hash, ..) in &self.successors {
            touched ^= self.frontier.table.touch_position(hash);
        }
        std::hint::black_box(touched);
    }

    /// Generates the successors of a position.
    fn generate(&mut self, maze: &Maze<W>, number: u32) {
        let Position { boxes, node } = self.frontier.table.position(number);
        let region = maze.region(Mask::of(node.player), maze.floor.without(boxes));
        let movable = match self.way {
            Way::Forward => match self.look_at_corrals(maze, (boxes, region), node.player) {
                Corrals::Dead => {
                    let successors = self.successors.len()..self.successors.len();
                    self.group.push(Expansion { boxes, successors, generated: 0 });
                    return;
                }
                Corrals::Play(corral) => corral,
                Corrals::Free => boxes,
            },
            Way::Backward => boxes,
        };
        let (first, mut generated) = (self.successors.len(), 0);
        for d in 0..4 {
            let steps = self.way.movable(maze, (boxes, region), self.live, d);
            for from in steps & movable {
                generated += 1;
                let (after, to, player) = self.way.moved(maze, boxes, from, d);
                let step = (from, to);
                let Some(player) = self.survives(maze, (after, region), step, player) else {
                    continue;
                };
                let node =
                    FrontierPosition::new(number, node.cost.saturating_add(1), player, (from, d));
                self.successors.push((hash(after, player), Position { boxes: after, node }, to));
            }
        }
        let successors = first..self.successors.len();
        self.group.push(Expansion { boxes, successors, generated });
    }

    /// What the parts of the board that the player cannot reach tell of a position.
    fn look_at_corrals(
        &mut self,
        maze: &Maze<W>,
        (boxes, region): (Mask<W>, Mask<W>),
        player: Bit,
    ) -> Corrals<W> {
        self.corrals.earn();
        let corrals = pruning::corrals(maze, boxes, region);
        let level = Level { maze, live: self.live, groups: &self.groups };
        if corrals.iter().any(|&corral| self.corrals.is_dead(level, corral, player)) {
            return Corrals::Dead;
        }
        match pruning::corral_to_play(maze, (boxes, region), self.live, &corrals) {
            Some(corral) => Corrals::Play(corral),
            None => Corrals::Free,
        }
    }

    /// Adds the successors of a position.
    fn expand(&mut self, Expansion { boxes, successors, generated }: Expansion<W>) {
        self.frontier.expanded += 1;
        self.frontier.generated += generated;
        // Most successors are known: the matching waits for the first that is not.
        let (cell, spare, mut is_placed) = (self.cell(boxes), self.spare, false);
        for at in successors {
            let (hash, position, to) = self.successors[at];
            let new = self.offer((hash, position), cell, |matching, costs| {
                if !is_placed {
                    is_placed = true;
                    matching.place(costs, places(boxes, spare));
                }
                matching.after(costs, position.node.step().0.into(), to.into())
            });
            if new.is_some() {
                self.batch.hashes.push(hash);
            }
        }
    }

    /// The turn of the first expansion of the last batch that reached a position which the other
    /// search knew by then, and the numbers of that position on both sides.
    fn meeting(&self, other: &Side<W>) -> Option<(u64, u32, u32)> {
        let theirs = &other.frontier.table;
        let mut numbers = self.batch.numbers();
        for hashes in self.batch.hashes.chunks(LOOK_UP) {
            let mut touched = hashes.iter().fold(0, |all, &hash| all ^ theirs.touch(hash));
            touched ^= hashes.iter().fold(0, |all, &hash| all ^ theirs.touch_position(hash));
            std::hint::black_box(touched);
            for (&hash, number) in hashes.iter().zip(&mut numbers) {
                let Position { boxes, node } = self.frontier.table.position(number);
                let Ok(met) = theirs.find(hash, boxes, node.player) else { continue };
                let turn = self.way.turn(self.batch.expansion_of(number));
                if met < other.batch.positions_after(other.way.share(turn)) {
                    return Some((turn, number, met));
                }
            }
        }
        None
    }

    /// The first square of the player's region, unless boxes are dead after one was moved. The
    /// player's region before is given.
    #[inline]
    fn survives(
        &self,
        maze: &Maze<W>,
        (boxes, region): (Mask<W>, Mask<W>),
        (from, to): (Bit, Bit),
        player: Bit,
    ) -> Option<Bit> {
        if self.groups.is_dead_for_all(boxes, to) {
            return None;
        }
        let may_freeze = self.way == Way::Forward && !pruning::can_move(maze, boxes, self.live, to);
        if may_freeze && !pruning::frozen(maze, boxes, self.live).without(maze.targets).is_empty() {
            return None;
        }
        let free = maze.floor.without(boxes);
        let first = maze.region_after(region, free, (from, to), player).first()?;
        let is_dead = self.groups.is_dead(boxes, to, first)
            || self.way == Way::Forward && self.corrals.matches(boxes, to, player);
        (!is_dead).then_some(first)
    }

    /// The steps that lead to a position, the last first.
    fn steps(&self, number: u32) -> impl Iterator<Item = (Bit, usize)> + '_ {
        let mut at = number;
        std::iter::from_fn(move || {
            let node = self.frontier.table.position(at).node;
            at = node.parent;
            (at != ROOT).then(|| node.step())
        })
    }
}

/// One of the two searches, for the thread that works on it.
type Shared<const W: usize> = Arc<RwLock<Side<W>>>;

/// Working state of the search.
pub(super) struct Bidirectional<const W: usize> {
    forward: Shared<W>,
    backward: Shared<W>,
    begun: bool,
    /// Expansions of each side that are worth handing to another thread.
    worth_help: u64,
}

impl<const W: usize> Bidirectional<W> {
    /// The search of a level; `None` where it does not fit this many words.
    fn new(board: &Board, time: Duration, weight: usize) -> Option<Self> {
        let maze = Arc::new(Maze::new(board)?);
        let side = |way| Arc::new(RwLock::new(Side::new(&maze, (way, weight), time)));
        let (forward, backward) = (side(Way::Forward), side(Way::Backward));
        Some(Bidirectional { forward, backward, begun: false, worth_help: WORTH_HELP })
    }

    /// The search for a way from the boxes of a maze to any of some sets of boxes, which are on its
    /// targets; these may be more than the boxes.
    pub(super) fn to_any(maze: Maze<W>, ends: Vec<Mask<W>>, weight: usize) -> Self {
        let maze = Arc::new(maze);
        let side = |way, starts: Option<Vec<Mask<W>>>| {
            let side = Side::without_groups(&maze, (way, weight));
            let starts = starts.unwrap_or_else(|| side.starts.clone());
            Arc::new(RwLock::new(Side { starts, ..side }))
        };
        let (forward, backward) = (side(Way::Forward, None), side(Way::Backward, Some(ends)));
        Bidirectional { forward, backward, begun: false, worth_help: WORTH_HELP }
    }
}

/// Looks at one of the searches.
fn read<const W: usize>(side: &Shared<W>) -> RwLockReadGuard<'_, Side<W>> {
    side.read().unwrap_or_else(PoisonError::into_inner)
}

/// Works on one of the searches.
fn write<const W: usize>(side: &Shared<W>) -> RwLockWriteGuard<'_, Side<W>> {
    side.write().unwrap_or_else(PoisonError::into_inner)
}

/// Does two things, with a crew or without.
fn both<A, B: Send + 'static>(
    crew: Option<&Crew>,
    first: impl FnOnce() -> A,
    second: impl FnOnce() -> B + Send + 'static,
) -> (A, B) {
    match crew {
        Some(crew) => crew.both(first, second),
        None => (first(), second()),
    }
}

/// A search on bit boards of any width.
pub trait BitBoardSearch: Send {
    /// Searches until it has an answer, has expanded `limit` positions in all of its runs, or would
    /// hold more than `memory` bytes; with the help of a crew.
    fn run(&mut self, clock: &Clock, limit: u64, memory: usize, crew: &Crew) -> Ended;

    /// Positions expanded and successors generated.
    fn effort(&self) -> (u64, u64);

    /// Bytes held.
    fn memory(&self) -> usize;
}

/// The search of a level, as wide as it needs to be; `None` where the level is too large. The
/// tables that are made before take a small part of the `time`. The bound on the rest has this weight,
/// where a step that was made weighs one: the less it is, the shorter the plan and the longer the search.
pub fn search(board: &Board, time: Duration, weight: usize) -> Option<Box<dyn BitBoardSearch>> {
    fn boxed<const W: usize>(
        board: &Board,
        time: Duration,
        weight: usize,
    ) -> Option<Box<dyn BitBoardSearch>> {
        Some(Box::new(Bidirectional::<W>::new(board, time, weight)?))
    }
    on_words!(board, W => boxed::<W>(board, time, weight), None)
}

/// How many ways there are to put a level's boxes on its squares; the most that fits where there
/// are more.
pub fn arrangements(board: &Board) -> u128 {
    let (squares, boxes) = (board.squares() as u128, board.boxes.len() as u128);
    (0..boxes).fold(1u128, |product, i| match product.checked_mul(squares.saturating_sub(i)) {
        Some(product) => product / (i + 1),
        None => u128::MAX / (i + 1),
    })
}

/// Divides the bytes that both searches may hold into those of the forward and of the backward search.
fn parts(memory: usize) -> (usize, usize) {
    (memory / 3, memory - memory / 3)
}

impl<const W: usize> BitBoardSearch for Bidirectional<W> {
    fn run(&mut self, clock: &Clock, limit: u64, memory: usize, crew: &Crew) -> Ended {
        if !self.begun {
            let (ours, theirs) = parts(memory);
            if !(write(&self.forward).begin(ours) && write(&self.backward).begin(theirs)) {
                return Ended::Stopped(StopReason::Memory);
            }
            self.begun = true;
            if let Some(meeting) = self.meeting_of_starts() {
                return Ended::Solved(self.pushes(meeting));
            }
        }
        loop {
            let (expanded, _) = self.effort();
            if expanded >= limit {
                return Ended::Stopped(StopReason::Nodes);
            }
            clock.tell(&Progress {
                phase: "bidirectional search".into(),
                nodes: expanded,
                ..Progress::default()
            });
            if let Some(stop) = clock.should_stop(0, 0) {
                return Ended::Stopped(stop);
            }
            let batch = (expanded / BATCH_SHARE).clamp(1, LONGEST_BATCH);
            let crew = (batch >= self.worth_help).then_some(crew);
            self.advance(limit.min(expanded + batch), memory, &clock.watch(), crew);
            if let Some(ended) = self.answer(crew) {
                return ended;
            }
        }
    }

    fn effort(&self) -> (u64, u64) {
        let (forward, backward) = (read(&self.forward), read(&self.backward));
        let (a, b) = (&forward.frontier, &backward.frontier);
        (a.expanded + b.expanded, a.generated + b.generated)
    }

    fn memory(&self) -> usize {
        read(&self.forward).memory() + read(&self.backward).memory()
    }
}

impl<const W: usize> Bidirectional<W> {
    /// Lets both searches go on until they have expanded `goal` positions together, within `memory`
    /// bytes.
    fn advance(&self, goal: u64, memory: usize, deadline: &Deadline, crew: Option<&Crew>) {
        let (ahead, behind) = (Way::Forward.share(goal), Way::Backward.share(goal));
        let (backward, patience) = (Arc::clone(&self.backward), deadline.clone());
        let (ours, theirs) = parts(memory);
        let forward = || write(&self.forward).advance(ahead, ours, deadline);
        let backward = move || write(&backward).advance(behind, theirs, &patience);
        both(crew, forward, backward);
    }

    /// What the last batch comes to, where it comes to something.
    fn answer(&mut self, crew: Option<&Crew>) -> Option<Ended> {
        let (forward, backward) = (Arc::clone(&self.forward), Arc::clone(&self.backward));
        let ours = || read(&self.forward).meeting(&read(&self.backward));
        let theirs = move || read(&backward).meeting(&read(&forward));
        let (ours, theirs) = both(crew, ours, theirs);
        let ours = ours.map(|(turn, ours, theirs)| (turn, (ours, theirs)));
        let theirs = theirs.map(|(turn, theirs, ours)| (turn, (ours, theirs)));
        let meeting = ours.into_iter().chain(theirs).min();
        let end = |side: &Shared<W>| {
            let side = read(side);
            side.batch.end().map(|(expansion, end)| (side.way.turn(expansion), end))
        };
        let ends = [end(&self.forward), end(&self.backward)].into_iter().flatten();
        let end = ends.min_by_key(|&(turn, _)| turn);
        match (meeting, end) {
            (Some((turn, meeting)), end) if end.is_none_or(|(end, _)| turn < end) => {
                self.forget_from(turn + 1);
                Some(Ended::Solved(self.pushes(meeting)))
            }
            (_, Some((turn, End::Exhausted))) => {
                self.forget_from(turn);
                Some(Ended::Impossible)
            }
            (_, Some((_, End::Full))) => Some(Ended::Stopped(StopReason::Memory)),
            // The clock tells why.
            (_, Some((_, End::Interrupted))) | (_, None) => None,
        }
    }

    /// Leaves out of the count what was expanded from a turn on.
    fn forget_from(&self, turn: u64) {
        for side in [&self.forward, &self.backward] {
            let Side { way, frontier, batch, .. } = &mut *write(side);
            (frontier.expanded, frontier.generated) = batch.effort_after(way.share(turn));
        }
    }

    /// Where the level is solved as it stands.
    fn meeting_of_starts(&self) -> Option<(u32, u32)> {
        let (forward, backward) = (read(&self.forward), read(&self.backward));
        let (ours, theirs) = (&forward.frontier.table, &backward.frontier.table);
        let start = (0..ours.len() as u32).next()?;
        let Position { boxes, node } = ours.position(start);
        let met = theirs.find(hash(boxes, node.player), boxes, node.player).ok()?;
        Some((start, met))
    }

    /// The pushes of a plan through a position that the forward search knows by the first number
    /// and the backward search by the second.
    fn pushes(&self, (ours, theirs): (u32, u32)) -> Vec<Push> {
        let (forward, backward) = (read(&self.forward), read(&self.backward));
        let maze = &forward.maze;
        let push = |from: Bit, d: usize| Push { from: maze.square(from), direction: d as u8 };
        let mut pushes: Vec<Push> = forward.steps(ours).map(|(from, d)| push(from, d)).collect();
        pushes.reverse();
        // A pull undone is a push the other way, of the box where the pull left it.
        let pulls = backward.steps(theirs);
        pushes.extend(pulls.map(|(from, d)| push(maze.next(from, d), d ^ 2)));
        pushes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Source;
    use crate::games::sokoban::board::State;
    use crate::games::sokoban::board::samples::{least_pushes, random_level};
    use crate::games::sokoban::format::read_levels;
    use crate::search::Run;

    #[test]
    fn it_answers_as_a_plain_search_does_at_any_width() {
        let (mut solved, mut impossible) = (0, 0);
        for seed in 0..6000 {
            let Some(board) = random_level(seed, 6, 6).filter(Board::balanced) else { continue };
            let Some(least) = least_pushes(&board, 20_000) else { continue };
            let budget = Run::seconds(1000.0);
            let clock = budget.start();
            let time = clock.left();
            let widths: [Box<dyn BitBoardSearch>; 3] = [
                Box::new(Bidirectional::<1>::new(&board, time, 3).expect("it fits")),
                Box::new(Bidirectional::<2>::new(&board, time, 3).expect("it fits")),
                Box::new(Bidirectional::<8>::new(&board, time, 3).expect("it fits")),
            ];
            for mut search in widths {
                match search.run(&clock, u64::MAX, usize::MAX, &Crew::default()) {
                    Ended::Solved(pushes) => {
                        let mut state = State::new(&board);
                        for push in pushes {
                            assert!(state.may_push(push), "seed {seed}: {push:?}");
                            state.push(push);
                        }
                        assert!(least.is_some() && state.misplaced == 0, "seed {seed}");
                        solved += 1;
                    }
                    Ended::Impossible => {
                        assert!(least.is_none(), "seed {seed}");
                        impossible += 1;
                    }
                    Ended::Exhausted => panic!("seed {seed}: exhausted"),
                    Ended::Stopped(stop) => panic!("seed {seed}: {stop}"),
                }
            }
        }
        assert!(solved > 300 && impossible > 300, "{solved} solved, {impossible} impossible");
    }

    /// Each box on a target closes an alcove, in which the player may be.
    #[test]
    fn it_begins_in_any_number_of_regions() {
        let rows = ["##", " #", ".#", "$ "].map(|two| format!("#{}#", two.repeat(24)));
        let hall = format!("#@{}#", " ".repeat(47));
        let text = [&rows[..], &[hall, "#".repeat(50)]].concat().join("\n");
        let levels = read_levels(&Source::new("level", text)).expect("it can be read");
        let board = Board::new(&levels[0]);
        let budget = Run::seconds(1000.0);
        let clock = budget.start();
        let crew = &Crew::default();
        let mut search = search(&board, clock.left(), 3).expect("it fits");
        let ended = search.run(&clock, 100, 1000, crew);
        assert_eq!(format!("{ended:?}"), format!("{:?}", Ended::Stopped(StopReason::Memory)));
        search.run(&clock, 100, usize::MAX, crew);
        assert!(search.effort().0 > 0);
    }

    #[test]
    fn turns_go_on_where_the_last_one_stopped() {
        let mut compared = 0;
        for seed in 0..20_000 {
            let Some(board) = random_level(seed, 8, 9).filter(Board::balanced) else { continue };
            let budget = Run::seconds(1000.0);
            let clock = budget.start();
            let run = |turns: &[u64]| {
                let mut search = search(&board, clock.left(), 3).expect("it fits");
                let crew = &Crew::default();
                let ended = turns.iter().map(|&limit| search.run(&clock, limit, usize::MAX, crew));
                let ended: Vec<Ended> = ended.collect();
                (format!("{:?}", ended.last()), search.effort())
            };
            let at_once = run(&[500]);
            if at_once.1.0 > 12 {
                assert_eq!(run(&[1, 4, 9, 12, 500]), at_once, "seed {seed}");
                compared += 1;
            }
        }
        assert!(compared > 10, "{compared}");
    }

    #[test]
    fn a_second_thread_changes_nothing() {
        let mut compared = 0;
        for seed in 0..30_000 {
            let Some(board) = random_level(seed, 8, 9).filter(Board::balanced) else { continue };
            let budget = Run::seconds(1000.0);
            let clock = budget.start();
            let run = |crew: &Crew| {
                let search = Bidirectional::<2>::new(&board, clock.left(), 3).expect("it fits");
                let mut search = Bidirectional { worth_help: 1, ..search };
                let ended = search.run(&clock, 1000, usize::MAX, crew);
                (format!("{ended:?}"), search.effort(), search.memory())
            };
            let alone = run(&Crew::default());
            if alone.1.0 < 20 {
                continue;
            }
            let together = Crew::with_helper(run);
            assert_eq!(together, alone, "seed {seed}");
            compared += 1;
        }
        assert!(compared > 10, "{compared}");
    }
}
