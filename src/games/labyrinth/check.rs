//! The Labyrinth as a checker of proofs sees it: see [`crate::check`].
//!
//! The checker does not look at every cell. By the two lemmas in `docs/CERTIFICATES.md`, some cheapest plan keeps to
//! the lines beside and beyond the ends of walls, and passes each hole as soon as it is made. So a state
//! is a crossing of these lines, or a cell of the 3×3 of the last hole, with the sticks that are used. What a
//! cell holds is asked of the reference rules.

use super::format::protocol::{Heading, Point, Readings};
use super::format::{BLAST_OXYGEN, MAX_OXYGEN, Maze, Segment, WALK_OXYGEN};
use super::rules::Game;
use crate::certificate::{Expander, Rulebook, Start, Step};

/// How far around the exit, which is no wall, lines are drawn: it parts the wall that it is in.
const AROUND_EXIT: i32 = 2;

/// A labyrinth, ready to be checked.
pub struct Checker {
    /// The game at its start.
    game: Game,
    exit: Point,
    /// The lines: columns and rows, in order.
    columns: Vec<i32>,
    rows: Vec<i32>,
}

/// Where a plan is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct State {
    at: Point,
    /// Sticks used.
    used: u32,
    /// Centre of the hole that the player has not left yet.
    hole: Option<Point>,
}

impl Checker {
    /// Draws the lines of a labyrinth.
    pub fn new(maze: &Maze) -> Checker {
        let ends = |axis: fn(Point) -> i32| {
            let of_wall = |&Segment { from, to }: &Segment| [axis(from), axis(to)];
            let walls = maze.segments.iter().flat_map(of_wall);
            let walls = walls.flat_map(|end| end - 1..=end + 1);
            let exit = axis(maze.exit);
            let exit = exit - AROUND_EXIT..=exit + AROUND_EXIT;
            let mut lines: Vec<i32> = walls.chain(exit).chain([axis(maze.player)]).collect();
            lines.sort_unstable();
            lines.dedup();
            lines
        };
        Checker {
            game: Game::new(maze, Readings::default()),
            exit: maze.exit,
            columns: ends(|point| point.x),
            rows: ends(|point| point.y),
        }
    }

    fn is_wall(&self, at: Point) -> bool {
        self.game.cell(at) == b'X'
    }

    fn is_crossing(&self, at: Point) -> bool {
        self.columns.binary_search(&at.x).is_ok() && self.rows.binary_search(&at.y).is_ok()
    }

    /// The next crossing beside another.
    fn beside(&self, at: Point, heading: Heading) -> Option<Point> {
        let next = |lines: &[i32], at: i32, step: i32| {
            let here = lines.binary_search(&at).ok()?;
            lines.get(here.checked_add_signed(step as isize)?).copied()
        };
        let x = next(&self.columns, at.x, heading.dx())?;
        let y = next(&self.rows, at.y, heading.dy())?;
        Some(Point::new(x, y))
    }

    /// Whether no wall is between two crossings that are side by side. The ends of every wall are on lines; so of
    /// the cells between the two all are wall or none is, and the first one is as good as any.
    fn is_clear(&self, from: Point, heading: Heading, to: Point) -> bool {
        !self.is_wall(from.toward(heading, 1)) && !self.is_wall(to)
    }
}

impl Rulebook for Checker {
    fn start(&self) -> Start {
        let start = State { at: self.game.player, used: 0, hole: None };
        let mut bytes = Vec::new();
        start.write(&mut bytes);
        Start::State(bytes.into())
    }

    fn most(&self) -> u64 {
        MAX_OXYGEN.into()
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        let last = State { at: self.game.player, used: 0, hole: None };
        Box::new(Steps { checker: self, steps: Vec::new(), last, bytes: Vec::new() })
    }

    fn cells(&self, state: &[u8]) -> Vec<(i64, i64)> {
        let Point { x, y } = State::read(state).at;
        vec![(y.into(), x.into())]
    }
}

impl State {
    fn write(self, bytes: &mut Vec<u8>) {
        bytes.clear();
        let mut put = |number: i32| bytes.extend(number.to_le_bytes());
        put(self.at.x);
        put(self.at.y);
        put(self.used as i32);
        if let Some(hole) = self.hole {
            put(hole.x);
            put(hole.y);
        }
    }

    fn read(bytes: &[u8]) -> State {
        let number = |four: &[u8]| i32::from_le_bytes([four[0], four[1], four[2], four[3]]);
        let numbers: Vec<i32> = bytes.chunks_exact(4).map(number).collect();
        let hole = (numbers.len() == 5).then(|| Point::new(numbers[3], numbers[4]));
        State { at: Point::new(numbers[0], numbers[1]), used: numbers[2] as u32, hole }
    }
}

/// The steps from one state.
struct Steps<'a> {
    checker: &'a Checker,
    /// Steps that `next` has yet to give.
    steps: Vec<(u64, State)>,
    /// The state that was given last.
    last: State,
    bytes: Vec<u8>,
}

impl Steps<'_> {
    fn walk_to(&mut self, from: State, to: State) {
        let cells = from.at.distance(to.at) as u64;
        self.steps.push((cells * u64::from(WALK_OXYGEN), to));
    }

    /// Along the lines.
    fn walk(&mut self, from: State) {
        for heading in Heading::ALL {
            let next = self.checker.beside(from.at, heading);
            let next = next.filter(|&to| self.checker.is_clear(from.at, heading, to));
            if let Some(at) = next {
                self.walk_to(from, State { at, ..from });
            }
        }
    }

    /// Within a hole, or out of it to a crossing that was free before.
    fn walk_in_hole(&mut self, from: State, hole: Point) {
        for heading in Heading::ALL {
            let at = from.at.toward(heading, 1);
            if at == hole || hole.around().any(|cell| cell == at) {
                self.walk_to(from, State { at, ..from });
            }
            if self.checker.is_crossing(at) && !self.checker.is_wall(at) {
                self.walk_to(from, State { at, hole: None, ..from });
            }
        }
    }

    /// A stick, where it opens something.
    fn blast(&mut self, from: State) {
        let opens = from.at.around().any(|cell| self.checker.is_wall(cell));
        if opens && from.used < self.checker.game.sticks && from.hole != Some(from.at) {
            let after = State { used: from.used + 1, hole: Some(from.at), ..from };
            self.steps.push((BLAST_OXYGEN.into(), after));
        }
    }
}

impl Expander for Steps<'_> {
    fn go_to(&mut self, state: &[u8], _left: u64) {
        let state = State::read(state);
        self.steps.clear();
        self.last = state;
        match state.hole {
            None => self.walk(state),
            Some(hole) => self.walk_in_hole(state, hole),
        }
        self.blast(state);
    }

    fn next(&mut self) -> Option<Step<'_>> {
        let (cost, to) = self.steps.pop()?;
        self.last = to;
        if to.at == self.checker.exit {
            return Some(Step::Goal { cost });
        }
        to.write(&mut self.bytes);
        Some(Step::State { cost, to: &self.bytes })
    }

    /// As the crow walks: each cell takes oxygen.
    fn costs_at_least(&mut self, left: u64) -> bool {
        let cells = self.last.at.distance(self.checker.exit) as u64;
        cells * u64::from(WALK_OXYGEN) >= left
    }

    /// Whoever has used fewer sticks can do whatever others can.
    fn is_covered(&mut self, is_closed: &mut dyn FnMut(&[u8]) -> bool) -> bool {
        (0..self.last.used).any(|used| {
            State { used, ..self.last }.write(&mut self.bytes);
            is_closed(&self.bytes)
        })
    }
}
