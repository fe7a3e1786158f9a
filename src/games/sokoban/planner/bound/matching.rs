//! The matching bound: the cheapest assignment of boxes to targets.
//!
//! Each box needs at least the pushes of its way alone on the board, and no two boxes end on one
//! target. So the least-cost perfect matching is a bound (Junghanns and Schaeffer, "Sokoban:
//! Enhancing General Single-Agent Search Methods Using Domain Knowledge", AI 2001). It is kept from
//! position to position: the dual prices of the Hungarian method stay feasible when a box gets new
//! costs, so each box that stands elsewhere than before needs one augmenting path, O(n²). Of a
//! successor only the number is wanted: the cost of the shortest augmenting path, which is not
//! walked. It is nothing where the box has come nearer to its target.
//!
//! `pathfinding`'s Kuhn-Munkres algorithm checks it in the tests.

use crate::games::sokoban::board::Square;
use crate::games::sokoban::planner::analysis::level::FAR;
use crate::games::sokoban::planner::analysis::push_distance::PushDistances;

/// The cost of a pair that cannot be; more than any matching of pairs that can.
const NEVER: i32 = 1 << 28;
const NOBODY: usize = usize::MAX;

/// A least-cost matching of a position's boxes with the targets.
#[derive(Clone, Debug, Default)]
pub struct Matching {
    /// Pose and target of each box, in no order.
    poses: Vec<u32>,
    target_of: Vec<usize>,
    /// The box of each target, and of each square that holds one.
    owner: Vec<usize>,
    row_at: Vec<usize>,
    /// Prices: no pair costs less than those of its two sides together.
    row_price: Vec<i64>,
    column_price: Vec<i64>,
    total: i64,
    scratch: Scratch,
}

/// Working memory of augmenting paths.
#[derive(Clone, Debug, Default)]
struct Scratch {
    slack: Vec<i64>,
    way: Vec<usize>,
    used: Vec<bool>,
    keep: Vec<bool>,
    incoming: Vec<u32>,
}

impl Matching {
    /// Matches the boxes of a position anew as far as they stand elsewhere than those of the last
    /// one. The bound; `None` where some box cannot have a target of its own.
    pub fn place(&mut self, distances: &PushDistances, boxes: &[u32]) -> Option<u32> {
        if self.poses.len() != boxes.len() {
            self.start(distances, boxes);
        } else {
            self.mend(distances, boxes);
        }
        self.total = (self.poses.iter().zip(&self.target_of))
            .map(|(&pose, &target)| cost(distances.costs(pose)[target]))
            .sum();
        bound(self.total)
    }

    fn start(&mut self, distances: &PushDistances, boxes: &[u32]) {
        let n = boxes.len();
        self.poses = boxes.to_vec();
        self.target_of = vec![NOBODY; n];
        self.owner = vec![NOBODY; n];
        self.row_price = vec![0; n];
        self.column_price = vec![0; n];
        self.scratch.way = vec![NOBODY; n];
        self.scratch.slack = vec![0; n];
        self.scratch.used = vec![false; n];
        let last = boxes.iter().map(|&pose| distances.square(pose)).max().unwrap_or(0);
        self.row_at.clear();
        self.row_at.resize(last as usize + 1, NOBODY);
        for (row, &pose) in boxes.iter().enumerate() {
            self.row_at[distances.square(pose) as usize] = row;
            self.augment(distances, row);
        }
    }

    fn mend(&mut self, distances: &PushDistances, boxes: &[u32]) {
        let mut incoming = std::mem::take(&mut self.scratch.incoming);
        let mut keep = std::mem::take(&mut self.scratch.keep);
        incoming.clear();
        keep.clear();
        keep.resize(boxes.len(), false);
        for &pose in boxes {
            let square = distances.square(pose) as usize;
            if self.row_at.len() <= square {
                self.row_at.resize(square + 1, NOBODY);
            }
            match self.row_at[square] {
                row if row != NOBODY && self.poses[row] == pose => keep[row] = true,
                _ => incoming.push(pose),
            }
        }
        for row in (0..boxes.len()).filter(|&row| !keep[row]) {
            self.row_at[distances.square(self.poses[row]) as usize] = NOBODY;
            self.owner[self.target_of[row]] = NOBODY;
        }
        // As many boxes came as went.
        for row in (0..boxes.len()).filter(|&row| !keep[row]) {
            let Some(pose) = incoming.pop() else { break };
            self.poses[row] = pose;
            self.row_at[distances.square(pose) as usize] = row;
            self.augment(distances, row);
        }
        (self.scratch.incoming, self.scratch.keep) = (incoming, keep);
    }

    /// The bound with the box on `square` in another pose. The matching is left as it was; it must
    /// be one without impossible pairs.
    pub fn after(&mut self, distances: &PushDistances, square: Square, pose: u32) -> Option<u32> {
        let row = self.row_at[square as usize];
        let target = self.target_of[row];
        let costs = distances.costs(pose);
        let price = self.lowest(costs);
        let direct = cost(costs[target]) - self.column_price[target] - price;
        let detour =
            if direct == 0 { 0 } else { self.detour(distances, costs, target, direct, price) };
        let rest = self.total - cost(distances.costs(self.poses[row])[target]);
        bound(rest + price + self.column_price[target] + detour)
    }

    /// The highest price of a box with these costs.
    fn lowest(&self, costs: &[u16]) -> i64 {
        let pairs = costs.iter().zip(&self.column_price);
        pairs.map(|(&pushes, price)| cost(pushes) - price).min().unwrap_or(0)
    }

    /// Length of the shortest augmenting path from a box of these costs to `target`, the only free
    /// one; no more than `limit`.
    fn detour(
        &mut self,
        distances: &PushDistances,
        costs: &[u16],
        target: usize,
        limit: i64,
        price: i64,
    ) -> i64 {
        let Scratch { slack, used, .. } = &mut self.scratch;
        used.fill(false);
        for ((slack, &pushes), column) in slack.iter_mut().zip(costs).zip(&self.column_price) {
            *slack = cost(pushes) - column - price;
        }
        slack[target] = limit;
        loop {
            let (mut least, mut next) = (slack[target], target);
            for (t, &slack) in slack.iter().enumerate() {
                if !used[t] && slack < least {
                    (least, next) = (slack, t);
                }
            }
            if next == target {
                return least;
            }
            used[next] = true;
            let row = self.owner[next];
            let base = least - self.row_price[row];
            let costs = distances.costs(self.poses[row]).iter();
            for ((slack, &pushes), column) in slack.iter_mut().zip(costs).zip(&self.column_price) {
                *slack = (*slack).min(base + cost(pushes) - column);
            }
        }
    }

    /// Gives box `i`, which has no target, one; Dijkstra over reduced costs.
    fn augment(&mut self, distances: &PushDistances, i: usize) {
        let n = self.owner.len();
        self.row_price[i] = self.lowest(distances.costs(self.poses[i]));
        let Scratch { slack, way, used, .. } = &mut self.scratch;
        slack.fill(i64::MAX);
        way.fill(NOBODY);
        used.fill(false);
        let (mut row, mut from) = (i, NOBODY);
        let end = loop {
            let costs = distances.costs(self.poses[row]);
            let (mut least, mut next) = (i64::MAX, NOBODY);
            for t in (0..n).filter(|&t| !used[t]) {
                let reduced = cost(costs[t]) - self.row_price[row] - self.column_price[t];
                if reduced < slack[t] {
                    slack[t] = reduced;
                    way[t] = from;
                }
                if slack[t] < least {
                    (least, next) = (slack[t], t);
                }
            }
            self.row_price[i] += least;
            for t in 0..n {
                if used[t] {
                    self.row_price[self.owner[t]] += least;
                    self.column_price[t] -= least;
                } else {
                    slack[t] -= least;
                }
            }
            used[next] = true;
            if self.owner[next] == NOBODY {
                break next;
            }
            (row, from) = (self.owner[next], next);
        };
        let mut t = end;
        while way[t] != NOBODY {
            self.owner[t] = self.owner[way[t]];
            self.target_of[self.owner[t]] = t;
            t = way[t];
        }
        self.owner[t] = i;
        self.target_of[i] = t;
    }
}

fn bound(total: i64) -> Option<u32> {
    (total < i64::from(NEVER)).then_some(total as u32)
}

#[inline]
fn cost(pushes: u16) -> i64 {
    if pushes == FAR { i64::from(NEVER) } else { i64::from(pushes) }
}
