//! The planner that has the map: a plan of least oxygen, under one reading of the rules.
//!
//! A* over the crossings of the lines around walls ([`super::route`]), in layers by sticks used.
//! After a blast the search walks cell by cell within the 3×3 cells of this one hole until it steps
//! on a crossing that was free before, and forgets the hole. Nothing is lost by that:
//!
//! - **A hole is passed at once.** Take a plan, go back from its end to the last step on a cell
//!   that only dynamite has made free, and from there straight to the centre of that blast, within
//!   its hole; then go on back from the time of the blast. No walk becomes longer and no blast is
//!   added, and what remains walks from each blast straight to one wall cell of its own hole, and
//!   on over free cells or to the next blast.
//! - **Lines beside walls are enough.** Between two neighbouring lines `a` and `b` with columns in
//!   between, all columns from `a` to `b` are alike, and a wall that crosses one of them crosses
//!   all and the column beyond at each side. Such rows are apart, for walls are thin. A stretch of
//!   a plan between the lines that comes back to the line it left can be moved onto this line,
//!   blasts and all. One that goes from `a` to `b` goes along a free row, at the latest before the
//!   first blast it makes there: what comes before is moved to `a`, what comes after to `b`. A
//!   stretch that keeps to the inside of one wall is not cheapest: the last of its blasts opens
//!   nothing that is not reached as well beside the wall. Rows are as columns. No blast moves
//!   beside the exit where it was not: from such a place the exit is reached without it.
//! - **Fewer sticks for no more oxygen** can do whatever more sticks can.
//!
//! Where the exit survives dynamite, sticks may be lit beside it. Such a plan loses under the other
//! reading, so of the plans that take the same oxygen one with the fewest such blasts is found.
//! Where the exit does not survive, no game is won after such a blast, and none is made.

use super::format::Maze;
use super::intervals::Cells;
use super::protocol::{
    BLAST_OXYGEN, Command, Heading, MAX_COMMANDS, MAX_OXYGEN, Point, Readings, WALK_OXYGEN,
};
use super::route::{Grid, is_clear};
use super::state::walls;
use crate::games::objective::Objective;
use crate::search::{Budget, Clock, Outcome, Statistics, StopReason, Verdict};
use ahash::AHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// How far beside and beyond walls lines are drawn, in cells.
const MARGIN: i32 = 1;
/// Oxygen is counted in units that leave room below it for blasts beside the exit, and these in
/// units that leave room for bends: of plans that take the same oxygen one with the fewest blasts
/// beside the exit is found, and among these one with few commands.
const OXYGEN_UNIT: u64 = EXIT_BLAST << 14;
/// What a blast beside the exit adds. A game has oxygen for 10 000 blasts.
const EXIT_BLAST: u64 = 1 << 21;
const _: () = assert!(((MAX_OXYGEN / BLAST_OXYGEN) as u64) < OXYGEN_UNIT / EXIT_BLAST);
const _: () = assert!(((MAX_OXYGEN / WALK_OXYGEN) as u64) < EXIT_BLAST);
/// Expansions between two looks at the clock.
const POLL_EVERY: u64 = 1024;
/// Bytes that a node takes in the tables, about.
const NODE_BYTES: usize = 120;

/// A place in the search: a crossing, or a cell of the hole around `hole`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
struct Node {
    at: Point,
    used: u32,
    hole: Option<Point>,
}

/// How a node was reached.
#[derive(Clone, Copy)]
struct Reached {
    paid: u64,
    before: Option<Node>,
    heading: Option<Heading>,
}

struct Search<'a> {
    maze: &'a Maze,
    readings: Readings,
    walls: Cells,
    grid: Grid,
    best: AHashMap<Node, Reached>,
    open: BinaryHeap<(Reverse<u64>, u64, Node)>,
    effort: Statistics,
}

/// Looks for a plan of least oxygen, and proves it, under the default readings. No plan that is known
/// makes that faster.
pub fn solve(
    maze: &Maze,
    _objective: &Objective,
    _known: Option<u64>,
    budget: &Budget,
) -> Outcome<Command> {
    solve_under(maze, Readings::default(), budget)
}

/// Looks for a plan of least oxygen under these readings.
pub fn solve_under(maze: &Maze, readings: Readings, budget: &Budget) -> Outcome<Command> {
    plan_within(maze, readings, budget, MAX_COMMANDS as usize)
}

/// The same where a game may take this many commands.
fn plan_within(
    maze: &Maze,
    readings: Readings,
    budget: &Budget,
    max_commands: usize,
) -> Outcome<Command> {
    let clock = budget.start();
    let mut search = Search::new(maze, readings);
    let (goal, bound) = search.run(&clock);
    let mut effort = search.effort;
    effort.elapsed = clock.elapsed();
    effort.memory = search.memory();
    if effort.stopped.is_some() {
        return Outcome::unknown(bound, effort);
    }
    let Some(goal) = goal else {
        let none = Outcome::unknown(u64::MAX, effort);
        return Outcome { verdict: Verdict::Impossible, ..none };
    };
    let plan = search.commands(goal);
    if plan.len() > max_commands {
        // One that takes more oxygen may take fewer commands: nothing but the bound is proven.
        return Outcome::unknown(bound, effort);
    }
    Outcome { verdict: Verdict::Optimal, plan: Some(plan), cost: bound, bound, effort }
}

impl<'a> Search<'a> {
    fn new(maze: &'a Maze, readings: Readings) -> Self {
        let walls = walls(maze);
        let grid = Grid::new(&walls, MARGIN, &[maze.player, maze.exit]);
        Search {
            maze,
            readings,
            walls,
            grid,
            best: AHashMap::new(),
            open: BinaryHeap::new(),
            effort: Statistics::default(),
        }
    }

    fn memory(&self) -> usize {
        self.best.len() * NODE_BYTES
    }

    /// Searches; the goal's node, where there is one, and the oxygen below which there is no plan.
    fn run(&mut self, clock: &Clock) -> (Option<Node>, u64) {
        let start = Node { at: self.maze.player, used: 0, hole: None };
        self.reach(start, Reached { paid: 0, before: None, heading: None });
        let mut bound = 0;
        while let Some((Reverse(total), paid, node)) = self.open.pop() {
            bound = total / OXYGEN_UNIT;
            if bound > u64::from(MAX_OXYGEN) {
                return (None, bound);
            }
            if node.at == self.maze.exit {
                return (Some(node), bound);
            }
            if self.best[&node].paid < paid || self.is_beaten(node, paid) {
                continue;
            }
            self.effort.stopped = self.poll(clock);
            if self.effort.stopped.is_some() {
                return (None, bound);
            }
            self.effort.expanded += 1;
            self.expand(node, paid);
        }
        (None, bound)
    }

    /// Whether to stop: the clock is looked at now and then, expansions are counted exactly.
    fn poll(&self, clock: &Clock) -> Option<StopReason> {
        let expanded = self.effort.expanded;
        let is_spent = clock.budget.nodes.is_some_and(|most| expanded >= most);
        let is_due = is_spent || expanded.is_multiple_of(POLL_EVERY);
        is_due.then(|| clock.should_stop(expanded, self.memory())).flatten()
    }

    /// Whether the same place was reached as cheaply with fewer sticks.
    fn is_beaten(&self, node: Node, paid: u64) -> bool {
        node.hole.is_none()
            && (0..node.used).any(|used| {
                self.best.get(&Node { used, ..node }).is_some_and(|other| other.paid <= paid)
            })
    }

    fn reach(&mut self, node: Node, reached: Reached) {
        self.effort.generated += 1;
        if self.best.get(&node).is_some_and(|known| known.paid <= reached.paid) {
            return;
        }
        let rest = node.at.distance(self.maze.exit) as u64 * u64::from(WALK_OXYGEN) * OXYGEN_UNIT;
        self.best.insert(node, reached);
        self.open.push((Reverse(reached.paid + rest), reached.paid, node));
    }

    fn expand(&mut self, node: Node, paid: u64) {
        match node.hole {
            None => self.walk(node, paid),
            Some(center) => self.walk_in_hole(node, center, paid),
        }
        self.blast(node, paid);
    }

    /// Takes a straight walk to another node.
    fn step(&mut self, from: Node, paid: u64, heading: Heading, to: Node) {
        let before = self.best[&from].heading;
        let bend = u64::from(before != Some(heading));
        let oxygen = from.at.distance(to.at) as u64 * u64::from(WALK_OXYGEN);
        let paid = paid + oxygen * OXYGEN_UNIT + bend;
        self.reach(to, Reached { paid, before: Some(from), heading: Some(heading) });
    }

    fn walk(&mut self, node: Node, paid: u64) {
        let Some(crossing) = self.grid.crossing(node.at) else { return };
        for heading in Heading::ALL {
            let Some(next) = self.grid.next(crossing, heading) else { continue };
            let there = self.grid.point(next);
            if is_clear(&self.walls, node.at, there) {
                self.step(node, paid, heading, Node { at: there, ..node });
            }
        }
    }

    fn walk_in_hole(&mut self, node: Node, center: Point, paid: u64) {
        let near = |p: Point| (p.x - center.x).abs() <= 1 && (p.y - center.y).abs() <= 1;
        for heading in Heading::ALL {
            let there = node.at.toward(heading, 1);
            let is_free = !self.walls.has(there);
            if near(there) {
                self.step(node, paid, heading, Node { at: there, ..node });
            }
            if is_free && self.grid.crossing(there).is_some() {
                self.step(node, paid, heading, Node { at: there, used: node.used, hole: None });
            }
        }
    }

    /// Lights a stick, where that opens something.
    fn blast(&mut self, node: Node, paid: u64) {
        let opens = node.at.around().any(|cell| self.walls.has(cell));
        let at_exit = node.at.around().any(|cell| cell == self.maze.exit);
        let ends_the_game = at_exit && !self.readings.exit_survives;
        if node.used == self.maze.sticks || !opens || ends_the_game || node.hole == Some(node.at) {
            return;
        }
        let after = Node { at: node.at, used: node.used + 1, hole: Some(node.at) };
        let command = if at_exit { EXIT_BLAST } else { 1 };
        let paid = paid + u64::from(BLAST_OXYGEN) * OXYGEN_UNIT + command;
        self.reach(after, Reached { paid, before: Some(node), heading: None });
    }

    /// The commands that lead to a node.
    fn commands(&self, goal: Node) -> Vec<Command> {
        let mut commands: Vec<Command> = Vec::new();
        let mut at = goal;
        while let Some(&Reached { before: Some(before), heading, .. }) = self.best.get(&at) {
            let steps = before.at.distance(at.at) as u32;
            match (heading, commands.last_mut()) {
                (None, _) => commands.push(Command::Dynamite),
                (Some(heading), Some(Command::Walk(last, k))) if *last == heading => *k += steps,
                (Some(heading), _) => commands.push(Command::Walk(heading, steps)),
            }
            at = before;
        }
        commands.reverse();
        commands
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Source;
    use crate::games::labyrinth::format::read_mazes;
    use crate::games::labyrinth::generate::{CLASSES, make};
    use crate::games::labyrinth::rules::Game;

    fn maze(text: &str) -> Maze {
        read_mazes(&Source::new("maze", text)).unwrap().remove(0)
    }

    fn solved(maze: &Maze, readings: Readings) -> Outcome<Command> {
        solve_under(maze, readings, &Budget::seconds(60.0))
    }

    fn burns() -> Readings {
        Readings { exit_survives: false, ..Readings::default() }
    }

    #[test]
    fn too_little_dynamite_is_proven_and_a_small_budget_is_an_answer() {
        let ringed = CLASSES.iter().find(|class| class.rings).unwrap();
        let mut maze = make(ringed, "box", Some(2), 3).unwrap();
        let least = solved(&maze, Readings::default());
        assert_eq!(least.verdict, Verdict::Optimal);
        for nodes in [1, 10, 100] {
            let hurried = Budget { nodes: Some(nodes), ..Budget::seconds(60.0) };
            let outcome = solve_under(&maze, Readings::default(), &hurried);
            assert_eq!(outcome.effort.stopped, Some(StopReason::Nodes));
            assert_eq!((outcome.verdict, outcome.effort.expanded), (Verdict::Unknown, nodes));
            assert!(outcome.bound <= least.bound);
        }
        maze.sticks -= 1;
        assert_eq!(solved(&maze, Readings::default()).verdict, Verdict::Impossible);
    }

    #[test]
    fn dynamite_beside_the_exit_counts_where_the_exit_survives_it() {
        // Every cell of the board is beside the exit.
        let maze = maze("1\n4 0 0 1 1 1\n0 0 2 0\n0 2 2 2\n0 0 0 2\n2 0 2 2\n");
        assert_eq!(solved(&maze, Readings::default()).cost, 1020);
        assert_eq!(solved(&maze, burns()).verdict, Verdict::Impossible);
    }

    #[test]
    fn of_equally_cheap_plans_one_that_holds_under_every_reading_is_found() {
        // The corner with the exit can be opened from (1, 1) or, a step away from it, from (2, 1).
        let near = maze("1\n4 0 0 1 1 1\n0 0 6 0\n0 6 6 6\n0 0 0 6\n6 0 6 6\n");
        let far = Maze { player: Point::new(3, 4), ..near.clone() };
        let costs =
            |maze| [Readings::default(), burns()].map(|readings| solved(maze, readings).cost);
        assert_eq!((costs(&near), costs(&far)), ([1020, 1040], [1070, 1070]));
        let mut game = Game::new(&far, burns());
        for command in solved(&far, Readings::default()).plan.unwrap() {
            game.act(command).unwrap();
        }
        assert!(game.won);
    }

    #[test]
    fn too_many_commands_of_the_cheapest_plan_prove_nothing() {
        let maze = maze("1\n4 6 3 3 5 0\n0 0 6 0\n0 6 6 6\n0 0 0 6\n6 0 6 6\n");
        let within =
            |commands| plan_within(&maze, Readings::default(), &Budget::seconds(60.0), commands);
        assert_eq!(within(2).verdict, Verdict::Optimal);
        let none = within(1);
        assert_eq!((none.verdict, none.bound), (Verdict::Unknown, within(2).cost));
        assert!(none.plan.is_none());
    }
}
