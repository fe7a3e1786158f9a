//! What the search knows of a position without looking ahead: dead ends, a lower bound, a score.

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
    teleports: u32,
}

impl Pieces {
    /// The pieces of a position.
    pub fn new(state: &State, teleports: &[Cell]) -> Self {
        let (row, col) = state.at();
        let you = (row as i32, col as i32);
        let mut robots = SmallVec::new();
        for_each(&state.robots, |place| robots.push(place));
        let mut debris = SmallVec::new();
        for_each(&state.debris, |place| {
            let mut walk = distance(you, place) - 1;
            let mut rest = state.unused;
            while rest != 0 {
                let cell = teleports[rest.trailing_zeros() as usize].0 as i32;
                walk = walk.min(distance((cell / 31 + 1, cell % 31), place).max(1));
                rest &= rest - 1;
            }
            debris.push((place, walk));
        });
        Pieces { you, robots, debris, teleports: state.unused.count_ones() }
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
    pub fn score(&self) -> u32 {
        let w = weights();
        let mut score = 1 << 20;
        score += w[0] * self.robots.len() as i32;
        let (mut nearest, mut most, mut sum) = (60, 0, 0);
        let few = self.robots.len() <= MOST_PAIRED;
        for (i, &robot) in self.robots.iter().enumerate() {
            nearest = nearest.min(distance(robot, self.you));
            if few {
                let mut soonest = 60;
                for &(place, _) in &self.debris {
                    soonest = soonest.min(distance(robot, place));
                }
                for (j, &other) in self.robots.iter().enumerate() {
                    if j != i {
                        soonest = soonest.min(self.meeting(robot, other));
                    }
                }
                most = most.max(soonest);
                sum += soonest;
            }
        }
        score += w[1] * most + w[2] * sum;
        score -= w[3] * nearest;
        score -= w[4] * self.teleports as i32;
        if self.debris.is_empty() {
            score += w[5];
        }
        score as u32
    }

    fn meeting(&self, a: Place, b: Place) -> i32 {
        let w = weights();
        let rows = closing(a.0 - self.you.0, b.0 - self.you.0);
        let cols = closing(a.1 - self.you.1, b.1 - self.you.1);
        if a.0 == b.0 && a.0 != self.you.0 {
            cols
        } else if a.1 == b.1 && a.1 != self.you.1 {
            rows
        } else {
            w[6] + rows + cols
        }
    }
}

fn closing(a: i32, b: i32) -> i32 {
    if a == b {
        0
    } else if (a < 0) != (b < 0) && a != 0 && b != 0 {
        (a.abs() + b.abs() + 1) / 2
    } else {
        (a.abs().max(b.abs())) * weights()[7] / 8
    }
}

fn weights() -> &'static [i32; 8] {
    static W: std::sync::OnceLock<[i32; 8]> = std::sync::OnceLock::new();
    W.get_or_init(|| {
        let mut w = [64, 8, 0, 4, 4, 32, 10, 8];
        if let Ok(t) = std::env::var("W") {
            for (i, x) in t.split(',').enumerate() {
                w[i] = x.parse().unwrap();
            }
        }
        w
    })
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
