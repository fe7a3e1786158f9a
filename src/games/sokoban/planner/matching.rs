//! A lower bound on pushes: the cheapest matching of boxes with targets.
//!
//! Each box needs at least the pushes of its way alone on the board, and no two boxes end on one
//! target; so the least-cost perfect matching is a bound (Junghanns and Schaeffer, "Sokoban:
//! Enhancing General Single-Agent Search Methods Using Domain Knowledge", AI 2001). The Hungarian
//! method with potentials solves a position from nothing in O(n³); a child differs in one box, so
//! freeing its target and finding one augmenting path mends the matching in O(n²).

use super::terrain::{FAR, Terrain};
use crate::games::sokoban::state::Square;

/// The cost of a pair that cannot be.
const NEVER: i32 = 1 << 24;

/// A least-cost matching of a position's boxes with the targets.
#[derive(Clone, Debug, Default)]
pub struct Matching {
    /// Potential of each box and of each target.
    row: Vec<i32>,
    column: Vec<i32>,
    /// The box of each target.
    owner: Vec<usize>,
    boxes: Vec<Square>,
    slack: Vec<i32>,
    way: Vec<usize>,
    used: Vec<bool>,
}

const NOBODY: usize = usize::MAX;

impl Matching {
    /// The bound of a position; `None` where some box cannot have a target of its own.
    pub fn solve(&mut self, terrain: &Terrain, boxes: &[Square]) -> Option<u32> {
        let n = boxes.len();
        self.boxes.clear();
        self.boxes.extend_from_slice(boxes);
        self.row.clear();
        self.row.resize(n, 0);
        self.column.clear();
        self.column.resize(n, 0);
        self.owner.clear();
        self.owner.resize(n, NOBODY);
        for i in 0..n {
            self.augment(terrain, i);
        }
        self.total(terrain)
    }

    /// The bound with box `i` moved to `square`. The matching is left as it was.
    pub fn moved(&mut self, terrain: &Terrain, i: usize, square: Square) -> Option<u32> {
        let (row, column) = (self.row.clone(), self.column.clone());
        let owner = self.owner.clone();
        let before = std::mem::replace(&mut self.boxes[i], square);
        if let Some(slot) = self.owner.iter_mut().find(|o| **o == i) {
            *slot = NOBODY;
        }
        let free_row = (0..self.column.len())
            .map(|t| cost(terrain, square, t) - self.column[t])
            .min()
            .unwrap_or(0);
        self.row[i] = free_row;
        self.augment(terrain, i);
        let total = self.total(terrain);
        self.boxes[i] = before;
        self.row = row;
        self.column = column;
        self.owner = owner;
        total
    }

    fn total(&self, terrain: &Terrain) -> Option<u32> {
        let mut total = 0;
        for (t, &i) in self.owner.iter().enumerate() {
            let pushes = terrain.distance[t][self.boxes[i] as usize];
            if pushes == FAR {
                return None;
            }
            total += u32::from(pushes);
        }
        Some(total)
    }

    /// Gives box `i`, which has no target, one; Dijkstra over reduced costs.
    fn augment(&mut self, terrain: &Terrain, i: usize) {
        let n = self.owner.len();
        self.slack.clear();
        self.slack.resize(n, i32::MAX);
        self.way.clear();
        self.way.resize(n, NOBODY);
        self.used.clear();
        self.used.resize(n, false);
        let mut row = i;
        let mut from = NOBODY;
        let end = loop {
            let (mut least, mut next) = (i32::MAX, NOBODY);
            for t in 0..n {
                if self.used[t] {
                    continue;
                }
                let reduced = cost(terrain, self.boxes[row], t) - self.row[row] - self.column[t];
                if reduced < self.slack[t] {
                    self.slack[t] = reduced;
                    self.way[t] = from;
                }
                if self.slack[t] < least {
                    (least, next) = (self.slack[t], t);
                }
            }
            self.row[i] += least;
            for t in 0..n {
                if self.used[t] {
                    self.row[self.owner[t]] += least;
                    self.column[t] -= least;
                } else {
                    self.slack[t] -= least;
                }
            }
            self.used[next] = true;
            if self.owner[next] == NOBODY {
                break next;
            }
            row = self.owner[next];
            from = next;
        };
        let mut t = end;
        while self.way[t] != NOBODY {
            self.owner[t] = self.owner[self.way[t]];
            t = self.way[t];
        }
        self.owner[t] = i;
    }
}

#[inline]
fn cost(terrain: &Terrain, square: Square, target: usize) -> i32 {
    match terrain.distance[target][square as usize] {
        FAR => NEVER,
        pushes => i32::from(pushes),
    }
}
