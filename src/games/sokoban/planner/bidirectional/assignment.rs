//! The least cost of bringing each box to a target of its own.
//!
//! An assignment problem, solved by the Hungarian method with potentials (Kuhn, 1955; Jonker and
//! Volgenant, 1987): O(n³) for a position, O(n²) for each of its successors, which differ in one
//! box. Junghanns and Schaeffer (*Sokoban: enhancing general single-agent search methods using
//! domain knowledge*, Artificial Intelligence 129, 2001) use it as the lower bound of Sokoban.

use crate::games::sokoban::board::mask::{Bit, Mask};

/// A cost that no assignment of boxes that can come home reaches.
const INFINITE: i32 = 1 << 20;

/// Potentials of targets only ever fall; below this all are made anew, before they overflow.
const LEAST_POTENTIAL: i32 = -(1 << 28);

/// Distance of a target that a search for an augmenting path has done with.
const DONE: i32 = i32::MAX;

/// Costs of single boxes: from each square to each target.
#[derive(Clone, Debug)]
pub struct Costs {
    targets: usize,
    /// By square, then by target.
    costs: Vec<i32>,
}

impl Costs {
    /// From one table of distances for each target, by bit; `None` where there is no way.
    pub fn new(distances: &[Vec<Option<u32>>]) -> Self {
        let targets = distances.len();
        let bits = distances.first().map_or(0, Vec::len);
        let cost = |at: usize| match distances[at % targets][at / targets] {
            Some(steps) => steps as i32,
            None => INFINITE,
        };
        Costs { targets, costs: (0..bits * targets).map(cost).collect() }
    }

    /// The costs from a square, by target.
    #[inline]
    fn from(&self, bit: Bit) -> &[i32] {
        &self.costs[bit as usize * self.targets..][..self.targets]
    }
}

/// A position's cheapest assignment, with what it takes to adapt it to another.
///
/// Fields of targets stand in arrays of their own, so that the loops over them run on several
/// targets at a time.
#[derive(Clone, Debug, Default)]
pub struct Assignment {
    boxes: Vec<Bit>,
    /// Potentials of the boxes, and of the targets.
    rows: Vec<i32>,
    cols: Vec<i32>,
    /// The box of each target, and the target of each box.
    box_of: Vec<usize>,
    target_of: Vec<usize>,
    path: AugmentingPath,
    /// The cost of all boxes.
    total: i64,
    /// Boxes without a target, for a moment.
    loose: Vec<usize>,
}

/// What a search for an augmenting path knows of each target.
#[derive(Clone, Debug, Default)]
struct AugmentingPath {
    /// The reduced cost of the way there, or [`DONE`].
    distance: Vec<i32>,
    /// The target before it on that way, or [`FIRST`].
    before: Vec<i32>,
    /// Targets that are done with, and their distances.
    done: Vec<(usize, i32)>,
}

/// No box, or no target.
const NONE: usize = usize::MAX;
/// No target before this one.
const FIRST: i32 = -1;

/// The least of some numbers, and where it stands first.
#[inline]
fn least(numbers: &[i32]) -> (usize, i32) {
    let least = numbers.iter().fold(i32::MAX, |least, &number| least.min(number));
    (numbers.iter().position(|&number| number == least).unwrap_or(0), least)
}

impl AugmentingPath {
    /// Begins at a box of these costs and this potential.
    #[inline]
    fn begin(&mut self, from: &[i32], base: i32, cols: &[i32]) {
        self.distance.clear();
        self.distance.extend(from.iter().zip(cols).map(|(&cost, &col)| cost - base - col));
        self.before.clear();
        self.before.resize(cols.len(), FIRST);
        self.done.clear();
    }

    /// The nearest target that is not done with, and its distance; now it is.
    #[inline]
    fn take(&mut self) -> (usize, i32) {
        let (nearest, distance) = least(&self.distance);
        self.distance[nearest] = DONE;
        self.done.push((nearest, distance));
        (nearest, distance)
    }

    /// Goes on from the box of a target, `far` more than its reduced costs.
    #[inline]
    fn relax(&mut self, target: usize, far: i32, there: &[i32], cols: &[i32]) {
        let ways = self.distance.iter_mut().zip(&mut self.before);
        for ((distance, before), (&cost, &col)) in ways.zip(there.iter().zip(cols)) {
            let through = far + cost - col;
            let is_nearer = *distance != DONE && through < *distance;
            *distance = if is_nearer { through } else { *distance };
            *before = if is_nearer { target as i32 } else { *before };
        }
    }
}

impl Assignment {
    /// Assigns all boxes; the least cost, or `None` where they cannot all come home.
    ///
    /// Boxes that were there in the position before keep their potentials, which stay feasible, so
    /// only the others are assigned.
    pub fn place<const W: usize>(&mut self, costs: &Costs, boxes: Mask<W>) -> Option<u32> {
        let is_stale = self.cols.iter().any(|&col| col < LEAST_POTENTIAL);
        if is_stale || self.boxes.len() != boxes.count() as usize {
            self.reset(costs.targets, boxes);
        } else {
            let mut new = boxes;
            self.boxes.iter().for_each(|&bit| new = new.without(Mask::of(bit)));
            let mut new = new.into_iter();
            for row in 0..self.boxes.len() {
                if !boxes.has(self.boxes[row]) {
                    self.boxes[row] = new.next()?;
                    self.box_of[self.target_of[row]] = NONE;
                    self.loose.push(row);
                }
            }
        }
        while let Some(row) = self.loose.pop() {
            self.assign(costs, row);
        }
        let cost = |(&bit, &target): (&Bit, &usize)| i64::from(costs.from(bit)[target]);
        self.total = self.boxes.iter().zip(&self.target_of).map(cost).sum();
        (self.total < i64::from(INFINITE)).then_some(self.total as u32)
    }

    /// Forgets everything; all boxes are loose.
    fn reset<const W: usize>(&mut self, targets: usize, boxes: Mask<W>) {
        self.boxes = boxes.into_iter().collect();
        self.rows = vec![0; self.boxes.len()];
        self.cols = vec![0; targets];
        self.box_of = vec![NONE; targets];
        self.target_of = vec![NONE; self.boxes.len()];
        self.loose = (0..self.boxes.len()).collect();
    }

    /// Assigns one more box along the cheapest augmenting path.
    fn assign(&mut self, costs: &Costs, row: usize) {
        let Assignment { boxes, rows, cols, box_of, target_of, path, .. } = self;
        let from = costs.from(boxes[row]);
        path.begin(from, 0, cols);
        let (nearest, base) = least(&path.distance);
        rows[row] = base;
        if box_of[nearest] == NONE {
            (box_of[nearest], target_of[row]) = (row, nearest);
            return;
        }
        path.distance.iter_mut().for_each(|distance| *distance -= base);
        let (end, length) = loop {
            let (nearest, distance) = path.take();
            let owner = box_of[nearest];
            if owner == NONE {
                break (nearest, distance);
            }
            path.relax(nearest, distance - rows[owner], costs.from(boxes[owner]), cols);
        };
        for &(target, distance) in path.done.iter().filter(|(target, _)| *target != end) {
            cols[target] -= length - distance;
            rows[box_of[target]] += length - distance;
        }
        rows[row] += length;
        let mut target = end;
        loop {
            let before = path.before[target];
            let mover = if before == FIRST { row } else { box_of[before as usize] };
            (box_of[target], target_of[mover]) = (mover, target);
            if before == FIRST {
                return;
            }
            target = before as usize;
        }
    }

    /// The least cost where the box on `from` stands on `to` instead.
    pub fn after(&mut self, costs: &Costs, from: Bit, to: Bit) -> Option<u32> {
        let row = self.boxes.iter().position(|&bit| bit == from)?;
        let Assignment { boxes, rows, cols, box_of, target_of, path, total, .. } = self;
        let freed = target_of[row];
        path.begin(costs.from(to), 0, cols);
        let (nearest, base) = least(&path.distance);
        // The potentials stay feasible for all other boxes, and their sum is the cost of all boxes.
        // So the sum without this box and the way to the target that it has left make the new cost.
        let far = match nearest == freed {
            true => base,
            false => loop {
                let (nearest, distance) = path.take();
                if nearest == freed {
                    break distance;
                }
                let owner = box_of[nearest];
                path.relax(nearest, distance - rows[owner], costs.from(boxes[owner]), cols);
            },
        };
        let cost = *total - i64::from(rows[row]) + i64::from(far);
        (cost < i64::from(INFINITE)).then_some(cost as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::mix;

    /// The least cost over all orders of the targets.
    fn by_trying(costs: &Costs, boxes: &[Bit], used: u32) -> i32 {
        let Some((&first, rest)) = boxes.split_first() else { return 0 };
        (0..costs.targets)
            .filter(|target| used >> target & 1 == 0)
            .map(|t| (costs.from(first)[t] + by_trying(costs, rest, used | 1 << t)).min(INFINITE))
            .min()
            .unwrap_or(INFINITE)
    }

    #[test]
    fn costs_are_the_least_of_all_orders_before_and_after_a_move() {
        let mut infeasible = 0;
        for seed in 0..3000 {
            let lot = |what: u64, most: u64| mix(mix(seed) ^ what) % most;
            let n = 1 + lot(0, 6) as usize;
            let table = |target: u64| {
                let cost = |bit: u64| lot(1 + target * 64 + bit, 4 + lot(0, 9));
                (0..16).map(|bit| (cost(bit) > 2).then(|| cost(bit) as u32)).collect()
            };
            let costs = Costs::new(&(0..n as u64).map(table).collect::<Vec<_>>());
            let boxes: Vec<Bit> = (0..n as Bit).collect();
            let mask = |boxes: &[Bit]| boxes.iter().copied().collect::<Mask<1>>();
            let least = |boxes: &[Bit]| {
                let least = by_trying(&costs, boxes, 0);
                (least < INFINITE).then_some(least as u32)
            };
            let mut assignment = Assignment::default();
            assert_eq!(assignment.place(&costs, mask(&boxes)), least(&boxes), "{seed}");
            for moved in 0..n {
                for to in 8..16 {
                    let mut after = boxes.clone();
                    after[moved] = to;
                    let cost = assignment.after(&costs, moved as Bit, to);
                    assert_eq!(cost, least(&after), "seed {seed}, box {moved} to {to}");
                    infeasible += u32::from(cost.is_none());
                }
            }
            // From one position to another.
            let others: Vec<Bit> =
                (0..16).filter(|&bit| lot(100 + u64::from(bit), 2) == 0).collect();
            let others = &others[..n.min(others.len())];
            if others.len() == n {
                assert_eq!(assignment.place(&costs, mask(others)), least(others), "seed {seed}");
            }
        }
        assert!(infeasible > 1000, "{infeasible}");
    }
}
