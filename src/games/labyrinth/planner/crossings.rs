//! A* over crossings and holes: its nodes, their successors, and the way back to a plan. It rests between
//! any two expansions.

use crate::games::labyrinth::astar::{Open, OpenList};
use crate::games::labyrinth::format::protocol::{Command, Heading, Point, Readings};
use crate::games::labyrinth::format::{BLAST_OXYGEN, WALK_OXYGEN};
use crate::games::labyrinth::grid::{Grid, is_clear};
use crate::games::labyrinth::intervals::Cells;
use crate::games::labyrinth::planner::Position;
use crate::games::labyrinth::state::walls;
use crate::search::{Allowance, Clock, Ended, Known, Search, Spent, StopReason, Turn};

/// How far beside and beyond walls lines are drawn, in cells.
const MARGIN: i32 = 1;
/// Oxygen is counted in units that leave room below it for blasts beside the exit, and these in
/// units that leave room for bends: of plans that take the same oxygen one with the fewest blasts
/// beside the exit is found, and among these one with few commands.
const OXYGEN_UNIT: u64 = EXIT_BLAST << 14;
/// What a blast beside the exit adds. A game has oxygen for 10 000 blasts.
const EXIT_BLAST: u64 = 1 << 21;
const _: () = assert!(
    EXIT_BLAST == 1 << 21 && OXYGEN_UNIT == 1 << 35,
    "the assertions at the head of format/mod.rs are about prices in these units"
);
/// Expansions between two looks at the clock.
const POLL_EVERY: u64 = 1024;
/// Nodes that are offered in an expansion at most: two a heading, and the blast.
const MOST_OFFERS: usize = 9;

/// A place in the search: a crossing, or a cell of the hole around `hole`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct CrossingState {
    at: Point,
    used: u32,
    hole: Option<Point>,
}

/// The search from one position.
pub struct Crossings<'a> {
    position: &'a Position<'a>,
    readings: Readings,
    walls: Cells,
    grid: Grid,
    /// Steps are walks in a direction; without one, a stick is lit.
    open: OpenList<CrossingState, Option<Heading>>,
    expanded: u64,
    generated: u64,
}

/// What the rest of a plan costs at least.
fn rest(node: CrossingState, exit: Point) -> u64 {
    node.at.distance(exit) as u64 * u64::from(WALK_OXYGEN) * OXYGEN_UNIT
}

impl<'a> Crossings<'a> {
    pub fn new(position: &'a Position<'a>, readings: Readings) -> Self {
        let Position { maze, player, .. } = *position;
        let mut walls = walls(maze);
        for &at in &position.opened {
            walls.remove(at);
        }
        let grid = Grid::new(&walls, MARGIN, &[player, maze.exit]);
        let start = CrossingState { at: player, used: 0, hole: None };
        Crossings {
            position,
            readings,
            walls,
            grid,
            open: OpenList::new(start, rest(start, maze.exit)),
            expanded: 0,
            generated: 1, // the start
        }
    }

    /// The proof that no plan costs less than `bound` oxygen, where that settles it.
    fn settled(&self, bound: u64, known: Known) -> Option<Turn<Vec<Command>>> {
        if bound >= known.cost {
            return Some(Turn::without_plan(bound, Ended::Proven));
        }
        (bound > u64::from(self.position.oxygen)).then(Turn::impossible)
    }

    /// The turn that has reached the exit.
    fn arrived(&self, goal: CrossingState, bound: u64) -> Turn<Vec<Command>> {
        let plan = self.commands(goal);
        if plan.len() > self.position.commands as usize {
            // One that takes more oxygen may take fewer commands: nothing but the bound is proven.
            return Turn::without_plan(bound, Ended::Exhausted);
        }
        Turn { plan: Some((bound, plan)), bound, ended: Ended::Proven }
    }

    /// How the turn ends before the next expansion, where it does: the clock is looked at now and then,
    /// expansions are counted exactly. No plan takes less oxygen than `bound`.
    fn pause(&self, clock: &Clock, share: u64, bound: u64) -> Option<Ended> {
        let is_spent = clock.limits.nodes.is_some_and(|most| self.expanded >= most);
        let is_due = is_spent || self.expanded.is_multiple_of(POLL_EVERY);
        if is_due {
            clock.tell_bound(bound);
        }
        let stop = is_due.then(|| clock.should_stop(self.expanded, self.open.bytes())).flatten();
        let resting = (self.expanded >= share).then_some(Ended::Resting);
        stop.map(Ended::Stopped).or(resting)
    }

    /// Whether the same place was reached as cheaply with fewer sticks.
    fn is_beaten(&self, node: CrossingState, paid: u64) -> bool {
        node.hole.is_none()
            && (0..node.used).any(|used| {
                self.open.paid(CrossingState { used, ..node }).is_some_and(|other| other <= paid)
            })
    }

    /// Offers what a step leads to.
    fn reach(&mut self, from: CrossingState, step: Option<Heading>, to: CrossingState, paid: u64) {
        self.generated += 1;
        self.open.offer(to, paid, rest(to, self.position.maze.exit), (from, step));
    }

    fn expand(&mut self, node: CrossingState, paid: u64) {
        match node.hole {
            None => self.walk(node, paid),
            Some(center) => self.walk_in_hole(node, center, paid),
        }
        self.blast(node, paid);
    }

    /// Takes a straight walk to another node.
    fn step(&mut self, from: CrossingState, paid: u64, heading: Heading, to: CrossingState) {
        let before = self.open.last(from).and_then(|(_, step)| step);
        let bend = u64::from(before != Some(heading));
        let oxygen = from.at.distance(to.at) as u64 * u64::from(WALK_OXYGEN);
        let paid = paid + oxygen * OXYGEN_UNIT + bend;
        self.reach(from, Some(heading), to, paid);
    }

    fn walk(&mut self, node: CrossingState, paid: u64) {
        let Some(crossing) = self.grid.crossing(node.at) else { return };
        for heading in Heading::ALL {
            let Some(next) = self.grid.next(crossing, heading) else { continue };
            let there = self.grid.point(next);
            if is_clear(&self.walls, node.at, there) {
                self.step(node, paid, heading, CrossingState { at: there, ..node });
            }
        }
    }

    fn walk_in_hole(&mut self, node: CrossingState, center: Point, paid: u64) {
        let near = |p: Point| (p.x - center.x).abs() <= 1 && (p.y - center.y).abs() <= 1;
        for heading in Heading::ALL {
            let there = node.at.toward(heading, 1);
            let is_free = !self.walls.has(there);
            if near(there) {
                self.step(node, paid, heading, CrossingState { at: there, ..node });
            }
            if is_free && self.grid.crossing(there).is_some() {
                self.step(
                    node,
                    paid,
                    heading,
                    CrossingState { at: there, used: node.used, hole: None },
                );
            }
        }
    }

    /// Lights a stick, where that opens something.
    fn blast(&mut self, node: CrossingState, paid: u64) {
        let opens = node.at.around().any(|cell| self.walls.has(cell));
        let at_exit = node.at.around().any(|cell| cell == self.position.maze.exit);
        let ends_the_game = at_exit && !self.readings.exit_survives;
        if node.used == self.position.sticks
            || !opens
            || ends_the_game
            || node.hole == Some(node.at)
        {
            return;
        }
        let after = CrossingState { at: node.at, used: node.used + 1, hole: Some(node.at) };
        let command = if at_exit { EXIT_BLAST } else { 1 };
        let paid = paid + u64::from(BLAST_OXYGEN) * OXYGEN_UNIT + command;
        self.reach(node, None, after, paid);
    }

    /// The commands that lead to a node.
    fn commands(&self, goal: CrossingState) -> Vec<Command> {
        let mut commands: Vec<Command> = Vec::new();
        for (before, step, after) in self.open.back(goal) {
            let steps = before.at.distance(after.at) as u32;
            match (step, commands.last_mut()) {
                (None, _) => commands.push(Command::Dynamite),
                (Some(heading), Some(Command::Walk(last, k))) if *last == heading => *k += steps,
                (Some(heading), _) => commands.push(Command::Walk(heading, steps)),
            }
        }
        commands.reverse();
        commands
    }
}

impl Search for Crossings<'_> {
    type Plan = Vec<Command>;
    type Lesson = ();

    fn name(&self) -> &'static str {
        "astar"
    }

    fn turn(&mut self, known: Known, allowance: &Allowance<'_>) -> Turn<Vec<Command>> {
        let clock = allowance.own_clock();
        while let Some(open) = self.open.pop() {
            let Open { node, paid, total } = open;
            let bound = total / OXYGEN_UNIT;
            if let Some(settled) = self.settled(bound, known) {
                return settled;
            }
            if node.at == self.position.maze.exit {
                return self.arrived(node, bound);
            }
            if self.is_beaten(node, paid) {
                continue;
            }
            let has_room = self.open.make_room(MOST_OFFERS, allowance.memory).is_ok();
            let full = (!has_room).then_some(Ended::Stopped(StopReason::Memory));
            if let Some(ended) = self.pause(&clock, allowance.share, bound).or(full) {
                self.open.put_back(open);
                return Turn::without_plan(bound, ended);
            }
            self.expanded += 1;
            self.expand(node, paid);
        }
        if known.cost == u64::MAX {
            Turn::impossible()
        } else {
            Turn::without_plan(known.cost, Ended::Proven)
        }
    }

    fn spent(&self) -> Spent {
        let (expanded, generated) = (self.expanded, self.generated);
        Spent { expanded, generated, memory: self.open.bytes() }
    }
}
