//! What the search knows of a position without looking ahead: dead ends, a lower bound, a score.

use super::super::format::BOARD;
use super::super::state::{Rows, State};
use crate::board::Cell;
use smallvec::SmallVec;

/// Above this many robots the bound is not worth its pairs: it is 1.
const MOST_PAIRED: usize = 12;

/// Row (from 1) and column (from 0).
type Place = (i32, i32);

/// Whether the position is lost for a reason that can be seen.
///
/// Without debris somebody has to collide. One robot alone cannot; and without teleports two can
/// only where they share a row other than yours or a column other than yours (see
/// [`super::super::state`]).
pub fn is_dead_end(state: &State) -> bool {
    if !is_empty(&state.debris) {
        return false;
    }
    if state.unused != 0 {
        return state.robots_left() < 2;
    }
    let (row, col) = state.at();
    let (mut once, mut twice, mut paired_row) = (0u32, 0u32, false);
    for (r, &robots) in state.robots.iter().enumerate() {
        twice |= once & robots;
        once |= robots;
        paired_row |= r != row && robots & robots.wrapping_sub(1) != 0;
    }
    !paired_row && twice & !(1 << col) == 0
}

/// What [`Pieces::bound`] and [`Pieces::score`] look at, as lists.
pub struct Pieces {
    you: Place,
    robots: SmallVec<[Place; 64]>,
    /// The cells with debris, and the moves you need at least to stand beside each.
    debris: SmallVec<[(Place, i32); 32]>,
    no_debris: bool,
    teleports: u32,
}

/// How many moves you need at least to stand beside a cell where the first of them is a teleport, to
/// any location of the list, used or not.
pub struct TeleportWalks(Vec<i32>);

impl TeleportWalks {
    /// The moves for each cell of the board.
    pub fn new(teleports: &[Cell]) -> Self {
        let walk = |cell: Cell| {
            let nearest = teleports.iter().map(|&from| BOARD.chebyshev(from, cell) as i32).min();
            nearest.map_or(i32::MAX, |distance| distance.max(1))
        };
        TeleportWalks(BOARD.iter().map(walk).collect())
    }

    fn to(&self, (row, col): Place) -> i32 {
        self.0[((row - 1) * BOARD.cols as i32 + col) as usize]
    }
}

impl Pieces {
    /// The pieces of a position. Of more robots than are looked at one by one only the number.
    pub fn new(state: &State, walks: &TeleportWalks) -> Self {
        let (row, col) = state.at();
        let you = (row as i32, col as i32);
        let mut robots = SmallVec::new();
        for_each(&state.robots, |place| robots.push(place));
        let mut debris = SmallVec::new();
        if robots.len() <= MOST_PAIRED {
            for_each(&state.debris, |place| {
                let mut walk = distance(you, place) - 1;
                if state.unused != 0 {
                    walk = walk.min(walks.to(place));
                }
                debris.push((place, walk));
            });
        }
        let no_debris = is_empty(&state.debris);
        Pieces { you, robots, debris, no_debris, teleports: state.unused.count_ones() }
    }

    /// No plan from the position is shorter than this. At least one robot is left.
    ///
    /// Every robot must meet another, or debris. A robot moves one cell a move, in any direction; so
    /// do another robot, and debris while it is pushed, for which you must stand beside it first.
    /// Debris that is still to come lies where a robot was, and is no nearer than that robot comes.
    pub fn bound(&self) -> u32 {
        if self.robots.len() > MOST_PAIRED {
            return 1;
        }
        let mut bound = 1;
        for (i, &robot) in self.robots.iter().enumerate() {
            let mut soonest = i32::MAX;
            for (j, &other) in self.robots.iter().enumerate() {
                if j != i {
                    soonest = soonest.min((distance(robot, other) + 1) / 2);
                }
            }
            for &(place, walk) in &self.debris {
                let apart = distance(robot, place);
                soonest = soonest.min(apart.min((apart + walk + 1) / 2));
            }
            bound = bound.max(soonest);
        }
        bound as u32
    }

    /// How far from a win the position looks; smaller is better. Orders a layer of the beam.
    ///
    /// A robot's way to its end is guessed as the distance to the nearest debris or the moves until
    /// it can meet another robot, whichever is less.
    pub fn score(&self, taste: &Taste) -> u32 {
        let mut score = OFFSET + taste.robot * self.robots.len() as i32;
        score -= taste.teleport * self.teleports as i32;
        if self.no_debris {
            score += taste.no_debris;
        }
        if self.robots.len() <= MOST_PAIRED {
            let (mut most, mut sum) = (0, 0);
            for i in 0..self.robots.len() {
                let end = self.soonest_end(i, taste);
                most = most.max(end);
                sum += end;
            }
            score += taste.longest * most + taste.each * sum;
        }
        score as u32
    }

    /// Guess of the moves until robot `i` is destroyed.
    fn soonest_end(&self, i: usize, taste: &Taste) -> i32 {
        let robot = self.robots[i];
        let debris = self.debris.iter().map(|&(place, _)| distance(robot, place));
        let others = self.robots.iter().enumerate().filter(|&(j, _)| j != i);
        let meetings = others.map(|(_, &other)| self.meeting(robot, other, taste));
        debris.chain(meetings).min().unwrap_or(NEVER)
    }

    /// Guess of the moves until two robots meet: at once if they share a row or a column other than
    /// yours, otherwise by way of a teleport after they have come to share yours.
    fn meeting(&self, a: Place, b: Place, taste: &Taste) -> i32 {
        let rows = taste.closing(a.0 - self.you.0, b.0 - self.you.0);
        let cols = taste.closing(a.1 - self.you.1, b.1 - self.you.1);
        if a.0 == b.0 && a.0 != self.you.0 {
            cols
        } else if a.1 == b.1 && a.1 != self.you.1 {
            rows
        } else {
            taste.detour + rows + cols
        }
    }
}

/// Keeps scores positive: more than all that is ever taken off.
const OFFSET: i32 = 1 << 16;
/// The guess for a robot that has nothing to meet; more than any distance.
const NEVER: i32 = 60;

/// Weights of the score. Found by hill climbing on random cases of the mixed kind.
#[derive(Debug)]
pub struct Taste {
    /// For each robot left.
    robot: i32,
    /// For each move until the last robot's end, as guessed.
    longest: i32,
    /// For each move until each robot's end.
    each: i32,
    /// For each unused teleport, in favour.
    teleport: i32,
    /// For a board without debris.
    no_debris: i32,
    /// Moves that it takes to bring robots into one row or column by a teleport.
    detour: i32,
    /// Eighths of a move for each cell that two robots on one side of you must come to reach your
    /// row or column.
    same_side: i32,
}

/// The weights by turns: what one taste throws away too early, the other may keep.
pub const TASTES: [Taste; 2] = [
    Taste { robot: 60, longest: 18, each: 4, teleport: 7, no_debris: 17, detour: 6, same_side: 2 },
    Taste { robot: 64, longest: 8, each: 4, teleport: 4, no_debris: 32, detour: 6, same_side: 3 },
];

impl Taste {
    /// Guess of the moves until two offsets of an axis are equal: each shrinks to 0, both at once
    /// where you stand between them.
    fn closing(&self, a: i32, b: i32) -> i32 {
        if a == b {
            0
        } else if a.signum() * b.signum() < 0 {
            (a.abs() + b.abs() + 1) / 2
        } else {
            a.abs().max(b.abs()) * self.same_side / 8
        }
    }
}

fn for_each(rows: &Rows, mut visit: impl FnMut(Place)) {
    for (r, &word) in rows.iter().enumerate() {
        let mut rest = word;
        while rest != 0 {
            visit((r as i32, rest.trailing_zeros() as i32));
            rest &= rest - 1;
        }
    }
}

fn distance(a: Place, b: Place) -> i32 {
    (a.0 - b.0).abs().max((a.1 - b.1).abs())
}

fn is_empty(rows: &Rows) -> bool {
    rows.iter().fold(0, |all, row| all | row) == 0
}
