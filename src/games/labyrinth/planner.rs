//! The planner that has the map: a plan of least oxygen.
//!
//! A* over the crossings of the lines around walls ([`super::route`]), in layers by sticks used.
//! Walls are thin, so a stick is worth lighting only where its hole is passed at once: a plan that
//! comes back to a hole later can go straight there when it lights the stick. So after a blast the
//! search walks cell by cell within the 3×3 cells of this one hole until it steps on a crossing
//! that was free before, and forgets the hole.
//!
//! No stick is lit beside the exit, so a plan holds whether or not the exit survives dynamite; of
//! the plans that keep to this it is one of least oxygen.

use super::format::Maze;
use super::intervals::Cells;
use super::protocol::{
    BLAST_OXYGEN, Command, Heading, MAX_COMMANDS, MAX_OXYGEN, Point, WALK_OXYGEN,
};
use super::route::{Grid, is_clear};
use super::state::walls;
use crate::search::{Budget, Clock, Effort, Outcome, Stop, Verdict};
use ahash::AHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// How far beside and beyond walls lines are drawn, in cells.
const MARGIN: i32 = 1;
/// Oxygen is counted in units that leave room for bends below it: of plans that take the same
/// oxygen one with few commands is found.
const OXYGEN_UNIT: u64 = 1 << 20;
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
    walls: Cells,
    grid: Grid,
    best: AHashMap<Node, Reached>,
    open: BinaryHeap<(Reverse<u64>, u64, Node)>,
    effort: Effort,
}

/// Looks for a plan of least oxygen.
pub fn plan(maze: &Maze, budget: &Budget) -> Outcome<Command> {
    let clock = budget.start();
    let walls = walls(maze);
    let grid = Grid::new(&walls, MARGIN, &[maze.player, maze.exit]);
    let mut search = Search {
        maze,
        walls,
        grid,
        best: AHashMap::new(),
        open: BinaryHeap::new(),
        effort: Effort::default(),
    };
    let (goal, bound) = search.run(&clock);
    let mut effort = search.effort;
    effort.elapsed = clock.elapsed();
    effort.memory = search.best.len() * NODE_BYTES;
    if effort.stopped.is_some() {
        return Outcome::unknown(bound, effort);
    }
    let plan = goal.map(|goal| search.commands(goal));
    match plan.filter(|plan| plan.len() <= MAX_COMMANDS as usize) {
        Some(plan) => {
            Outcome { verdict: Verdict::Optimal, plan: Some(plan), cost: bound, bound, effort }
        }
        None => Outcome {
            verdict: Verdict::Impossible,
            plan: None,
            cost: u64::MAX,
            bound: u64::MAX,
            effort,
        },
    }
}

impl Search<'_> {
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
            self.effort.expanded += 1;
            if self.effort.expanded.is_multiple_of(POLL_EVERY) {
                self.effort.stopped = self.poll(clock);
                if self.effort.stopped.is_some() {
                    return (None, bound);
                }
            }
            self.expand(node, paid);
        }
        (None, bound)
    }

    fn poll(&self, clock: &Clock) -> Option<Stop> {
        clock.should_stop(self.effort.expanded, self.best.len() * NODE_BYTES)
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

    fn blast(&mut self, node: Node, paid: u64) {
        let opens = node.at.around().any(|cell| self.walls.has(cell));
        let at_exit = node.at.around().any(|cell| cell == self.maze.exit);
        if node.used < self.maze.sticks && opens && !at_exit && node.hole != Some(node.at) {
            let after = Node { at: node.at, used: node.used + 1, hole: Some(node.at) };
            let paid = paid + u64::from(BLAST_OXYGEN) * OXYGEN_UNIT + 1;
            self.reach(after, Reached { paid, before: Some(node), heading: None });
        }
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
    use crate::games::labyrinth::generate::{CLASSES, Class, make};
    use crate::games::labyrinth::protocol::{Readings, Reply};
    use crate::games::labyrinth::rules::Rules;
    use ahash::AHashSet;
    use std::collections::BTreeSet;

    /// Least oxygen by a search over single cells and sets of blasts, written for this test.
    fn least_oxygen(maze: &Maze) -> Option<u64> {
        let walls: AHashSet<Point> = maze.segments.iter().flat_map(|s| s.cells()).collect();
        let (low, high) = maze.corners();
        let mut open = BinaryHeap::from([(Reverse(0), maze.player, BTreeSet::<Point>::new())]);
        let mut done = AHashSet::new();
        while let Some((Reverse(paid), at, blasts)) = open.pop() {
            if at == maze.exit {
                return Some(paid);
            }
            if !done.insert((at, blasts.clone())) {
                continue;
            }
            for heading in Heading::ALL {
                let next = at.toward(heading, 1);
                let cleared = next.around().any(|center| blasts.contains(&center));
                let within = (low.x - 1..=high.x + 1).contains(&next.x)
                    && (low.y - 1..=high.y + 1).contains(&next.y);
                if within && (cleared || next == maze.exit || !walls.contains(&next)) {
                    open.push((Reverse(paid + 10), next, blasts.clone()));
                }
            }
            let useful = at.around().any(|cell| walls.contains(&cell) && cell != maze.exit)
                && at.around().all(|cell| cell != maze.exit);
            if blasts.len() < maze.sticks as usize && useful && !blasts.contains(&at) {
                let mut more = blasts.clone();
                more.insert(at);
                open.push((Reverse(paid + 1000), at, more));
            }
        }
        None
    }

    fn replay(maze: &Maze, plan: &[Command]) -> u32 {
        let mut game = Rules::new(maze, Readings { exit_survives: false, ..Readings::default() });
        let replies: Vec<Reply> = plan.iter().map(|&c| game.act(c).unwrap()).collect();
        assert_eq!(replies.last(), Some(&Reply::Found));
        game.oxygen
    }

    #[test]
    fn plans_take_the_least_oxygen_on_small_boards() {
        let tiny = Class { name: "tiny", side: 24, wall: 400, bare: false, rings: false };
        let ringed = Class { rings: true, ..tiny };
        let mut compared = 0;
        for seed in 0..60 {
            for (class, spare) in [(&tiny, 0), (&tiny, 1), (&ringed, 0)] {
                let Ok(mut maze) = make(class, "", None, seed) else { continue };
                maze.sticks += spare;
                if maze.sticks > 1 {
                    continue;
                }
                let outcome = plan(&maze, &Budget::seconds(60.0));
                let least = least_oxygen(&maze);
                let expected = least.map_or(Verdict::Impossible, |_| Verdict::Optimal);
                assert_eq!(outcome.verdict, expected, "seed {seed}");
                if let Some(commands) = &outcome.plan {
                    let oxygen = u64::from(replay(&maze, commands));
                    assert_eq!(Some(oxygen), least, "seed {seed}, {} sticks", maze.sticks);
                    assert_eq!((outcome.cost, outcome.bound), (oxygen, oxygen));
                }
                compared += 1;
            }
        }
        assert!(compared > 100, "only {compared} labyrinths were compared");
    }

    #[test]
    fn too_little_dynamite_is_proven_and_a_small_budget_is_an_answer() {
        let ringed = CLASSES.iter().find(|class| class.rings).unwrap();
        let mut maze = make(ringed, "box", Some(2), 3).unwrap();
        assert_eq!(plan(&maze, &Budget::seconds(60.0)).verdict, Verdict::Optimal);
        let hurried = Budget { nodes: Some(1), ..Budget::seconds(60.0) };
        let outcome = plan(&maze, &hurried);
        assert!(outcome.verdict == Verdict::Optimal || outcome.effort.stopped == Some(Stop::Nodes));
        maze.sticks -= 1;
        assert_eq!(plan(&maze, &Budget::seconds(60.0)).verdict, Verdict::Impossible);
    }
}
