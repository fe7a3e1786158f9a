//! Bidirectional search on bit boards: pushes from the start and pulls from the solved board, until
//! they meet.
//!
//! On small crowded levels nothing leads: plans are three times as long as the bound, and the area
//! of the targets is full of boxes from the start. What helps there is to look at very many
//! positions, and to look from both ends, since the knot at the one end is often the easy part from
//! the other. Each side is a weighted best-first search in cells by the number of boxes that are on
//! none of the other side's squares, as [`cyclic_open_list`](super::pushes::cyclic_open_list)
//! explains. A position is a few words ([`mask`]), its bound an
//! assignment that is adapted from the position before (`assignment`), and dead pairs and triples
//! are known before the search (`group_tables`). A position that one side reaches is looked up in
//! the table of the other.
//!
//! Searching from both ends is Pohl's idea (*Bi-directional search*, Machine Intelligence 6, 1971);
//! for Sokoban, see Virkkala (*Solving Sokoban*, 2011).
//!
//! The plan that it finds is any plan. Where one side has looked at everything that it can reach,
//! there is none: what is left out are proven deadlocks, and pushes outside a PI-corral.

mod assignment;
mod frontier;
mod group_tables;
mod pruning;

use super::backward::Ended;
use crate::games::sokoban::board::mask::{self, Bit, Mask, Maze};
use crate::games::sokoban::board::{Board, Push};
use crate::search::{Clock, Progress, StopReason};
use assignment::{Assignment, Costs};
use frontier::{Frontier, Node, Position, ROOT, Table, hash};
use group_tables::GroupTables;
use std::collections::VecDeque;
use std::time::Duration;

/// What the bound on the rest weighs where a step that was made weighs one.
const WEIGHT: usize = 3;
/// Expansions between two looks at the clock.
const POLL: u64 = 64;

/// The way a search goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
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

/// One of the two searches, with what it knows of the level.
struct Side<const W: usize> {
    way: Way,
    frontier: Frontier<W>,
    /// Squares from which a box alone comes to some end.
    live: Mask<W>,
    costs: Costs,
    assignment: Assignment,
    groups: GroupTables<W>,
    /// Successors of the position that is being expanded: hash, position, and the moved box.
    successors: Vec<(u64, Position<W>, Bit)>,
}

impl<const W: usize> Side<W> {
    fn new(maze: &Maze<W>, way: Way, time: Duration) -> Self {
        let distances = way.distances(maze);
        let is_live = |&bit: &Bit| distances.iter().any(|d| d[bit as usize].is_some());
        let live = maze.floor.into_iter().filter(is_live).collect();
        Side {
            way,
            frontier: Frontier::new(distances.len() + 1),
            live,
            costs: Costs::new(&distances),
            assignment: Assignment::default(),
            groups: GroupTables::new(maze, live, way, time),
            successors: Vec::new(),
        }
    }

    fn memory(&self) -> usize {
        self.frontier.memory() + self.groups.memory()
    }

    /// Adds the positions in which the search begins.
    fn begin(&mut self, maze: &Maze<W>) {
        let boxes = self.way.opposite().ends(maze);
        let free = maze.floor.without(boxes);
        let regions: Vec<Mask<W>> = match self.way {
            Way::Forward => vec![maze.region(maze.player, free)],
            Way::Backward => maze.regions(free).collect(),
        };
        for player in regions.iter().filter_map(|region| region.first()) {
            let node = Node::new(ROOT, 0, player, (0, 0));
            let position = (hash(boxes, player), Position { boxes, node });
            self.offer(maze, position, |assignment, costs| assignment.place(costs, boxes));
        }
    }

    /// Adds a position unless it is known or has no bound; its number where it is new.
    #[inline]
    fn offer(
        &mut self,
        maze: &Maze<W>,
        (hash, position): (u64, Position<W>),
        bound: impl FnOnce(&mut Assignment, &Costs) -> Option<u32>,
    ) -> Option<u32> {
        let Position { boxes, node } = position;
        let slot = self.frontier.table.find(hash, boxes, node.player).err()?;
        let bound = bound(&mut self.assignment, &self.costs)?;
        let cell = boxes.without(self.way.ends(maze)).count() as usize;
        let priority = usize::from(node.cost) + WEIGHT * bound as usize;
        Some(self.frontier.add(slot, position, cell, priority))
    }

    /// Expands a position; new ones go to `found`. The tables of both searches are touched early:
    /// without that most of the time is spent waiting for memory.
    fn expand(
        &mut self,
        maze: &Maze<W>,
        number: u32,
        other: &Table<W>,
        found: &mut Vec<(u64, u32)>,
    ) {
        let Position { boxes, node } = self.frontier.table.position(number);
        let region = maze.region(Mask::of(node.player), maze.floor.without(boxes));
        self.frontier.expanded += 1;
        let movable = match self.way {
            Way::Forward => pruning::corral_to_play(maze, boxes, region, self.live),
            Way::Backward => None,
        };
        let mut successors = std::mem::take(&mut self.successors);
        let mut touched = 0;
        for d in 0..4 {
            let steps = self.way.movable(maze, (boxes, region), self.live, d);
            for from in steps & movable.unwrap_or(boxes) {
                self.frontier.generated += 1;
                let (after, to, player) = self.way.moved(maze, boxes, from, d);
                let Some(player) = self.survives(maze, after, to, player) else { continue };
                let node = Node::new(number, node.cost.saturating_add(1), player, (from, d));
                let hash = hash(after, player);
                touched ^= self.frontier.table.touch(hash) ^ other.touch(hash);
                successors.push((hash, Position { boxes: after, node }, to));
            }
        }
        std::hint::black_box(touched);
        // Most successors are known: the assignment waits for the first that is not.
        let mut is_placed = false;
        for (hash, position, to) in successors.drain(..) {
            let new = self.offer(maze, (hash, position), |assignment, costs| {
                if !is_placed {
                    is_placed = true;
                    assignment.place(costs, boxes);
                }
                assignment.after(costs, position.node.step().0, to)
            });
            found.extend(new.map(|new| (hash, new)));
        }
        self.successors = successors;
    }

    /// The first square of the player's region, unless boxes are dead after one was moved to `to`.
    #[inline]
    fn survives(&self, maze: &Maze<W>, boxes: Mask<W>, to: Bit, player: Bit) -> Option<Bit> {
        if self.groups.is_dead_for_all(boxes, to) {
            return None;
        }
        let is_frozen = self.way == Way::Forward
            && !pruning::frozen(maze, boxes, self.live).without(maze.targets).is_empty();
        if is_frozen {
            return None;
        }
        let first = maze.region(Mask::of(player), maze.floor.without(boxes)).first()?;
        (!self.groups.is_dead(boxes, to, first)).then_some(first)
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

/// Working state of the search.
struct Bidirectional<const W: usize> {
    maze: Maze<W>,
    forward: Side<W>,
    backward: Side<W>,
    found: Vec<(u64, u32)>,
    begun: bool,
}

impl<const W: usize> Bidirectional<W> {
    /// The search of a level; `None` where it does not fit this many words.
    fn new(board: &Board, time: Duration) -> Option<Self> {
        let maze = Maze::new(board)?;
        let side = |way| Side::new(&maze, way, time);
        let (forward, backward) = (side(Way::Forward), side(Way::Backward));
        Some(Bidirectional { forward, backward, maze, found: Vec::new(), begun: false })
    }
}

/// A bidirectional search of any width.
pub trait Search: Send {
    /// Searches until it has an answer, has expanded so many positions in all of its runs, or would
    /// hold more than so many bytes.
    fn run(&mut self, clock: &Clock<'_>, limit: u64, memory: usize) -> Ended;

    /// Positions expanded and successors generated.
    fn effort(&self) -> (u64, u64);

    /// Bytes held.
    fn memory(&self) -> usize;
}

/// The search of a level, as wide as it needs to be; `None` where the level is too large. The
/// tables that are made before take a small part of the `time`.
pub fn search(board: &Board, time: Duration) -> Option<Box<dyn Search>> {
    fn boxed<const W: usize>(board: &Board, time: Duration) -> Option<Box<dyn Search>> {
        Some(Box::new(Bidirectional::<W>::new(board, time)?))
    }
    match mask::words(board)? {
        1 => boxed::<1>(board, time),
        2 => boxed::<2>(board, time),
        4 => boxed::<4>(board, time),
        _ => boxed::<8>(board, time),
    }
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

impl<const W: usize> Search for Bidirectional<W> {
    fn run(&mut self, clock: &Clock<'_>, limit: u64, memory: usize) -> Ended {
        if !self.begun {
            self.begun = true;
            self.forward.begin(&self.maze);
            self.backward.begin(&self.maze);
            if let Some(meeting) = self.meeting_of_starts() {
                return Ended::Solved(self.pushes(meeting));
            }
        }
        loop {
            if let Some(stop) = self.should_stop(clock, limit, memory) {
                return Ended::Stopped(stop);
            }
            let is_forward = self.forward.frontier.expanded <= self.backward.frontier.expanded;
            let (side, other) = match is_forward {
                true => (&mut self.forward, &self.backward),
                false => (&mut self.backward, &self.forward),
            };
            let Some(number) = side.frontier.pop() else { return Ended::Impossible };
            self.found.clear();
            let theirs = &other.frontier.table;
            side.expand(&self.maze, number, theirs, &mut self.found);
            let meeting = self.found.iter().find_map(|&(hash, new)| {
                let Position { boxes, node } = side.frontier.table.position(new);
                let met = theirs.find(hash, boxes, node.player);
                met.ok().map(|met| if is_forward { (new, met) } else { (met, new) })
            });
            if let Some(meeting) = meeting {
                return Ended::Solved(self.pushes(meeting));
            }
        }
    }

    fn effort(&self) -> (u64, u64) {
        let (a, b) = (&self.forward.frontier, &self.backward.frontier);
        (a.expanded + b.expanded, a.generated + b.generated)
    }

    fn memory(&self) -> usize {
        self.forward.memory() + self.backward.memory()
    }
}

impl<const W: usize> Bidirectional<W> {
    /// Where the level is solved as it stands.
    fn meeting_of_starts(&self) -> Option<(u32, u32)> {
        let (ours, theirs) = (&self.forward.frontier.table, &self.backward.frontier.table);
        let start = (0..ours.len() as u32).next()?;
        let Position { boxes, node } = ours.position(start);
        let met = theirs.find(hash(boxes, node.player), boxes, node.player).ok()?;
        Some((start, met))
    }

    fn should_stop(&mut self, clock: &Clock<'_>, limit: u64, memory: usize) -> Option<StopReason> {
        let (expanded, _) = self.effort();
        if expanded >= limit {
            return Some(StopReason::Nodes);
        }
        // Each box goes in at most four directions.
        let successors = 4 * self.maze.boxes.count() as usize;
        let rest = |other: &Side<W>| memory.saturating_sub(other.memory());
        let (ours, theirs) = (rest(&self.backward), rest(&self.forward));
        let tables = (self.forward.groups.memory(), self.backward.groups.memory());
        if !self.forward.frontier.make_room(successors, ours.saturating_sub(tables.0))
            || !self.backward.frontier.make_room(successors, theirs.saturating_sub(tables.1))
        {
            return Some(StopReason::Memory);
        }
        if !expanded.is_multiple_of(POLL) {
            return None;
        }
        clock.tell(&Progress {
            phase: "bidirectional search".into(),
            nodes: expanded,
            ..Progress::default()
        });
        clock.should_stop(0, 0)
    }

    /// The pushes of a plan through a position that the forward search knows by the first number
    /// and the backward search by the second.
    fn pushes(&self, (ours, theirs): (u32, u32)) -> Vec<Push> {
        let push = |from: Bit, d: usize| Push { from: self.maze.square(from), direction: d as u8 };
        let mut pushes: Vec<Push> =
            self.forward.steps(ours).map(|(from, d)| push(from, d)).collect();
        pushes.reverse();
        // A pull undone is a push the other way, of the box where the pull left it.
        let pulls = self.backward.steps(theirs);
        pushes.extend(pulls.map(|(from, d)| push(self.maze.next(from, d), d ^ 2)));
        pushes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::sokoban::board::State;
    use crate::games::sokoban::board::region::Flood;
    use crate::games::sokoban::board::samples::random_level;
    use crate::search::Budget;
    use ahash::AHashSet;

    /// Whether a level has a solution, by trying all pushes; `None` where that are too many.
    fn is_solvable(board: &Board) -> Option<bool> {
        let mut flood = Flood::new(&board.layout);
        let mut open = vec![(board.boxes.clone(), board.player)];
        let mut seen = AHashSet::new();
        while let Some((boxes, player)) = open.pop() {
            let mut state = State::at(board, &boxes, player);
            flood.fill(&state.occupied, player);
            if !seen.insert((boxes, flood.least())) {
                continue;
            }
            if state.misplaced == 0 {
                return Some(true);
            }
            if seen.len() > 20_000 {
                return None;
            }
            let mut pushes = Vec::new();
            state.pushes(&mut flood, &mut pushes);
            for push in pushes {
                state.push(push);
                open.push((state.boxes(), state.player));
                state.undo();
            }
        }
        Some(false)
    }

    #[test]
    fn it_answers_as_a_plain_search_does_at_any_width() {
        let (mut solved, mut impossible) = (0, 0);
        for seed in 0..6000 {
            let Some(board) = random_level(seed, 6, 6).filter(Board::balanced) else { continue };
            let Some(solvable) = is_solvable(&board) else { continue };
            let budget = Budget::seconds(1000.0);
            let clock = budget.start();
            let time = clock.left();
            let widths: [Box<dyn Search>; 3] = [
                Box::new(Bidirectional::<1>::new(&board, time).expect("it fits")),
                Box::new(Bidirectional::<2>::new(&board, time).expect("it fits")),
                Box::new(Bidirectional::<8>::new(&board, time).expect("it fits")),
            ];
            for mut search in widths {
                match search.run(&clock, u64::MAX, usize::MAX) {
                    Ended::Solved(pushes) => {
                        let mut state = State::new(&board);
                        for push in pushes {
                            assert!(state.may_push(push), "seed {seed}: {push:?}");
                            state.push(push);
                        }
                        assert!(solvable && state.misplaced == 0, "seed {seed}");
                        solved += 1;
                    }
                    Ended::Impossible => {
                        assert!(!solvable, "seed {seed}");
                        impossible += 1;
                    }
                    Ended::Stopped(stop) => panic!("seed {seed}: {stop}"),
                }
            }
        }
        assert!(solved > 300 && impossible > 300, "{solved} solved, {impossible} impossible");
    }

    #[test]
    fn turns_go_on_where_the_last_one_stopped() {
        let mut compared = 0;
        for seed in 0..20_000 {
            let Some(board) = random_level(seed, 8, 9).filter(Board::balanced) else { continue };
            let budget = Budget::seconds(1000.0);
            let clock = budget.start();
            let run = |turns: &[u64]| {
                let mut search = search(&board, clock.left()).expect("it fits");
                let ended = turns.iter().map(|&limit| search.run(&clock, limit, usize::MAX));
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
}
