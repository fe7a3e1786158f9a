//! What the search knows of a position without looking ahead: dead ends, a lower bound, a score.

use super::super::state::{Rows, State};
use crate::board::Cell;
use smallvec::SmallVec;

/// Above this many robots the bound is not worth its pairs: it is 1.
const MOST_PAIRED: usize = 12;

/// Row (from 1) and column (from 0).
type Place = (u32, u32);
type Places = SmallVec<[Place; 64]>;

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

/// No plan from the position is shorter than this. At least one robot is left.
///
/// Every robot must meet another, or debris. A robot moves one cell a move, in any direction; so do
/// another robot, and debris while it is pushed, for which you must stand beside it first. Debris
/// that is still to come lies where a robot was, and is no nearer than that robot can come.
pub fn lower_bound(state: &State, teleports: &[Cell]) -> u32 {
    let mut robots = Places::new();
    state.for_each_robot(|row, col| robots.push((row, col)));
    if robots.len() > MOST_PAIRED {
        return 1;
    }
    let debris = reachable_debris(state, teleports);
    let mut bound = 1;
    for (i, &robot) in robots.iter().enumerate() {
        let mut soonest = u32::MAX;
        for (j, &other) in robots.iter().enumerate() {
            if j != i {
                soonest = soonest.min(distance(robot, other).div_ceil(2));
            }
        }
        for &(place, walk) in &debris {
            let apart = distance(robot, place);
            soonest = soonest.min(apart.min((apart + walk).div_ceil(2)));
        }
        bound = bound.max(soonest);
    }
    bound
}

/// The cells with debris, and the moves you need at least to stand beside each.
fn reachable_debris(state: &State, teleports: &[Cell]) -> SmallVec<[(Place, u32); 32]> {
    let mut debris = SmallVec::new();
    let (row, col) = state.at();
    let you = (row as u32, col);
    for (r, &word) in state.debris.iter().enumerate() {
        let mut rest = word;
        while rest != 0 {
            let place = (r as u32, rest.trailing_zeros());
            rest &= rest - 1;
            let mut walk = distance(you, place) - 1;
            for (i, &cell) in teleports.iter().enumerate() {
                if state.unused >> i & 1 == 1 {
                    let to = (cell.0 / 31 + 1, cell.0 % 31);
                    walk = walk.min(distance(to, place).max(1));
                }
            }
            debris.push((place, walk));
        }
    }
    debris
}

fn distance(a: Place, b: Place) -> u32 {
    a.0.abs_diff(b.0).max(a.1.abs_diff(b.1))
}

fn is_empty(rows: &Rows) -> bool {
    rows.iter().fold(0, |all, row| all | row) == 0
}

/// How far from a win the position looks; smaller is better. Orders a layer of the beam.
pub fn score(state: &State) -> u32 {
    let mut score = 1 << 16;
    score += 64 * state.robots_left();
    if is_empty(&state.debris) {
        score += 32;
    }
    score -= 4 * state.unused.count_ones();
    let near = state.nearest();
    score -= near.min(60) / 2;
    score
}
