//! The floor: each box to a target of its own, at least total distance.
//!
//! A push moves one box by one square, and in the end the boxes stand on targets, each on one of its own. So no plan has
//! fewer pushes than an assignment of boxes to targets of least total distance, where distances are those of
//! a lone box. It is found by the Hungarian method (Kuhn 1955, Munkres 1957), which keeps prices of
//! rows and columns. After a push only one row is another: one more augmenting path repairs the assignment.
//! In a part of a level each target has a surcharge, which is added to the distances to it.

use super::ground::{Ground, NEVER, Pose, Square};

/// Stands for a distance of a box that cannot reach a target: more than all distances together.
const FAR: i64 = 1 << 40;

/// An assignment of boxes to targets. Rows are boxes, then rows of zeros up to the number of targets.
pub struct Matching<'a> {
    ground: &'a Ground,
    /// Surcharge of each column, which a box pays and a row of zeros does not.
    surcharges: Vec<i64>,
    size: usize,
    /// Whether there are more boxes than targets: then there is no plan.
    is_short: bool,
    /// Rows: the pose of each box.
    poses: Vec<Pose>,
    /// Prices of rows and columns: their sum is at most the distance, equal where a row has the column.
    rows: Vec<i64>,
    columns: Vec<i64>,
    /// The row that has each column.
    holder: Vec<usize>,
    /// The column of each row.
    held: Vec<usize>,
    total: i64,
    scratch: Scratch,
}

/// Working memory for one shortest augmenting path.
#[derive(Default)]
struct Scratch {
    /// Shortest reduced distance to each column so far.
    slack: Vec<i64>,
    /// The column before each column on that path.
    from: Vec<usize>,
    is_done: Vec<bool>,
    /// The rows whose columns are done, with the columns.
    passed: Vec<(usize, usize)>,
}

const NOBODY: usize = usize::MAX;

impl<'a> Matching<'a> {
    /// An assignment for levels with this many boxes; without surcharges there are none.
    pub fn new(ground: &'a Ground, boxes: usize, surcharges: Option<&[u64]>) -> Self {
        let size = ground.targets();
        let surcharges = surcharges.unwrap_or_default().iter().map(|&more| more as i64);
        Matching {
            ground,
            surcharges: surcharges.chain(std::iter::repeat(0)).take(size).collect(),
            size,
            is_short: boxes > size,
            poses: Vec::new(),
            rows: Vec::new(),
            columns: Vec::new(),
            holder: Vec::new(),
            held: Vec::new(),
            total: 0,
            scratch: Scratch::default(),
        }
    }

    fn distance(&self, row: usize, column: usize) -> i64 {
        self.poses.get(row).map_or(0, |&pose| self.cost_of(pose, column))
    }

    fn cost_of(&self, pose: Pose, column: usize) -> i64 {
        far(self.ground.distances(pose)[column]) + self.surcharges[column]
    }

    /// Assigns all boxes.
    pub fn match_all(&mut self, boxes: &[Square], pose: impl Fn(Square) -> Pose) {
        if self.is_short {
            return;
        }
        let size = self.size;
        self.poses.clear();
        self.poses.extend(boxes.iter().map(|&square| pose(square)));
        self.rows.clear();
        self.rows.resize(size, 0);
        // Prices of columns from before are as good as any: in the end each column is some row's.
        self.columns.resize(size, 0);
        self.holder.clear();
        self.holder.resize(size, NOBODY);
        for row in 0..size {
            self.augment(row);
        }
        self.held.resize(size, 0);
        for (column, &row) in self.holder.iter().enumerate() {
            self.held[row] = column;
        }
        self.total = (0..size).map(|row| self.distance(row, self.held[row])).sum();
    }

    /// Gives `row`, which has no column, one, by a shortest augmenting path.
    fn augment(&mut self, row: usize) {
        let size = self.size;
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.begin(size);
        let Scratch { slack, from, is_done, passed } = &mut scratch;
        let (mut last, mut column) = (row, NOBODY);
        let end = loop {
            passed.push((last, column));
            let (mut least, mut next) = (i64::MAX, NOBODY);
            let distances = self.poses.get(last).map(|&pose| self.ground.distances(pose));
            for candidate in (0..size).filter(|&c| !is_done[c]) {
                let distance = distances
                    .map_or(0, |distances| far(distances[candidate]) + self.surcharges[candidate]);
                let reduced = distance - self.rows[last] - self.columns[candidate];
                if reduced < slack[candidate] {
                    (slack[candidate], from[candidate]) = (reduced, column);
                }
                if slack[candidate] < least {
                    (least, next) = (slack[candidate], candidate);
                }
            }
            for &(row, column) in passed.iter() {
                self.rows[row] += least;
                if column != NOBODY {
                    self.columns[column] -= least;
                }
            }
            (0..size).filter(|&c| !is_done[c]).for_each(|c| slack[c] -= least);
            is_done[next] = true;
            if self.holder[next] == NOBODY {
                break next;
            }
            (last, column) = (self.holder[next], next);
        };
        let mut column = end;
        while from[column] != NOBODY {
            self.holder[column] = self.holder[from[column]];
            column = from[column];
        }
        self.holder[column] = row;
        self.scratch = scratch;
    }

    /// The pose of each box.
    pub fn poses(&self) -> &[Pose] {
        &self.poses
    }

    /// Least total distance; none where no assignment brings every box to a target.
    pub fn cost(&self) -> Option<u64> {
        (!self.is_short && self.total < FAR).then_some(self.total as u64)
    }

    /// Whether the total is at least `left` with another pose of one box; where `left` is [`u64::MAX`], whether there
    /// is no assignment then.
    pub fn costs_at_least(&mut self, row: usize, pose: Pose, left: u64) -> bool {
        if self.is_short {
            return true;
        }
        let left = i64::try_from(left).unwrap_or(FAR).min(FAR);
        let column = self.held[row];
        let others = self.total - self.distance(row, column);
        // With the others as they are: no assignment of them all costs less than this.
        if others + self.cost_of(pose, column) < left {
            return false;
        }
        // By the prices alone: no assignment costs less.
        let priced = (0..self.size).map(|c| self.cost_of(pose, c) - self.columns[c]).min();
        let prices = self.total - self.rows[row] + priced.unwrap_or(0);
        prices >= left || self.is_repaired_at(row, pose, left - others)
    }

    /// Whether a shortest augmenting path from `row`, with another pose, to the column that it leaves is at
    /// least `left` long. The assignment stays as it is.
    fn is_repaired_at(&mut self, row: usize, pose: Pose, left: i64) -> bool {
        let size = self.size;
        let end = self.held[row];
        let ground = self.ground;
        let distances = ground.distances(pose);
        let Scratch { slack, is_done, .. } = &mut self.scratch;
        // Reduced distances of this row may be negative; those of the others are not.
        slack.clear();
        let surcharges = &self.surcharges;
        slack.extend((0..size).map(|c| far(distances[c]) + surcharges[c] - self.columns[c]));
        is_done.clear();
        is_done.resize(size, false);
        loop {
            let open = (0..size).filter(|&c| !is_done[c]);
            let Some(nearest) = open.min_by_key(|&c| slack[c]) else { return true };
            let so_far = slack[nearest];
            // True length of the path to a column: the reduced one and the column's price.
            if nearest == end {
                return so_far + self.columns[end] >= left;
            }
            is_done[nearest] = true;
            let other = self.holder[nearest];
            let distances = self.poses.get(other).map(|&pose| ground.distances(pose));
            for c in 0..size {
                if !is_done[c] {
                    let distance =
                        distances.map_or(0, |distances| far(distances[c]) + surcharges[c]);
                    let reduced = distance - self.rows[other] - self.columns[c];
                    slack[c] = slack[c].min(so_far + reduced);
                }
            }
        }
    }
}

impl Scratch {
    fn begin(&mut self, size: usize) {
        self.slack.clear();
        self.slack.resize(size, i64::MAX);
        self.from.clear();
        self.from.resize(size, NOBODY);
        self.is_done.clear();
        self.is_done.resize(size, false);
        self.passed.clear();
    }
}

fn far(distance: u32) -> i64 {
    if distance == NEVER { FAR } else { distance.into() }
}
