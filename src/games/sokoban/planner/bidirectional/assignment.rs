//! The least cost of bringing each box to a target of its own.
//!
//! An assignment problem, solved by the Hungarian method with potentials (Kuhn, 1955; Jonker and
//! Volgenant, 1987): O(n³) for a position, O(n²) for each of its successors, which differ in one box.
//! Junghanns and Schaeffer (*Sokoban: enhancing general single-agent search methods using domain
//! knowledge*, Artificial Intelligence 129, 2001) use it as the lower bound of Sokoban.

use crate::games::sokoban::board::mask::Bit;

/// A cost that no assignment of boxes that can come home reaches.
const INFINITE: u32 = 1 << 24;

/// Costs of single boxes: from each square to each target.
#[derive(Clone, Debug)]
pub struct Costs {
    targets: usize,
    /// By square, then by target.
    costs: Vec<u32>,
}

impl Costs {
    /// From one table of distances for each target, by bit; `None` where there is no way.
    pub fn new(distances: &[Vec<Option<u32>>]) -> Self {
        let targets = distances.len();
        let bits = distances.first().map_or(0, Vec::len);
        let cost = |at: usize| distances[at % targets][at / targets].unwrap_or(INFINITE);
        Costs { targets, costs: (0..bits * targets).map(cost).collect() }
    }

    /// The costs from a square, by target.
    #[inline]
    fn from(&self, bit: Bit) -> &[u32] {
        &self.costs[bit as usize * self.targets..][..self.targets]
    }
}

/// A position's cheapest assignment, with what it takes to adapt it.
#[derive(Clone, Debug, Default)]
pub struct Assignment {
    boxes: Vec<Bit>,
    /// Potentials of the boxes, and of the targets.
    rows: Vec<i64>,
    cols: Vec<i64>,
    /// The box of each target, and the target of each box.
    box_of: Vec<usize>,
    target_of: Vec<usize>,
    /// Reduced distances of a search for an augmenting path, what is visited, and where from.
    distance: Vec<i64>,
    visited: Vec<bool>,
    before: Vec<usize>,
}

/// No box, or no target.
const NONE: usize = usize::MAX;

impl Assignment {
    /// Assigns all boxes; the least cost, or `None` where they cannot all come home.
    pub fn place(&mut self, costs: &Costs, boxes: impl Iterator<Item = Bit>) -> Option<u32> {
        self.boxes.clear();
        self.boxes.extend(boxes);
        let n = costs.targets;
        self.rows.clear();
        self.rows.resize(self.boxes.len(), 0);
        self.target_of.clear();
        self.target_of.resize(self.boxes.len(), NONE);
        self.cols.clear();
        self.cols.resize(n, 0);
        self.box_of.clear();
        self.box_of.resize(n, NONE);
        for row in 0..self.boxes.len() {
            self.assign(costs, row);
        }
        self.total(costs)
    }

    fn total(&self, costs: &Costs) -> Option<u32> {
        let cost = |(&bit, &target): (&Bit, &usize)| u64::from(costs.from(bit)[target]);
        let total: u64 = self.boxes.iter().zip(&self.target_of).map(cost).sum();
        (total < u64::from(INFINITE)).then_some(total as u32)
    }

    /// Assigns one more box along the cheapest augmenting path.
    fn assign(&mut self, costs: &Costs, row: usize) {
        let from = costs.from(self.boxes[row]);
        self.rows[row] = self.least_reduced(from);
        let base = self.rows[row];
        let (end, length) = self.search(costs, from, base, |box_of, target| box_of[target] == NONE);
        for target in 0..costs.targets {
            if self.visited[target] && target != end {
                let gain = length - self.distance[target];
                self.cols[target] -= gain;
                self.rows[self.box_of[target]] += gain;
            }
        }
        self.rows[row] += length;
        let mut target = end;
        loop {
            let before = self.before[target];
            let mover = if before == NONE { row } else { self.box_of[before] };
            self.box_of[target] = mover;
            self.target_of[mover] = target;
            if before == NONE {
                return;
            }
            target = before;
        }
    }

    fn least_reduced(&self, from: &[u32]) -> i64 {
        let reduced = from.iter().zip(&self.cols).map(|(&cost, col)| i64::from(cost) - col);
        reduced.min().unwrap_or(0)
    }

    /// The nearest target that is an `end`, by reduced costs from a box whose costs and potential
    /// these are, and how far it is.
    #[inline]
    fn search(
        &mut self,
        costs: &Costs,
        from: &[u32],
        base: i64,
        is_end: impl Fn(&[usize], usize) -> bool,
    ) -> (usize, i64) {
        let n = costs.targets;
        let Assignment { boxes, rows, cols, box_of, distance, visited, before, .. } = self;
        distance.clear();
        distance.extend(from.iter().zip(&*cols).map(|(&cost, col)| i64::from(cost) - base - col));
        visited.clear();
        visited.resize(n, false);
        before.clear();
        before.resize(n, NONE);
        loop {
            let mut nearest = NONE;
            for target in 0..n {
                let nearer = nearest == NONE || distance[target] < distance[nearest];
                if !visited[target] && nearer {
                    nearest = target;
                }
            }
            visited[nearest] = true;
            if is_end(box_of, nearest) {
                return (nearest, distance[nearest]);
            }
            let row = box_of[nearest];
            let far = distance[nearest] - rows[row];
            for (target, &cost) in costs.from(boxes[row]).iter().enumerate() {
                let through = far + i64::from(cost) - cols[target];
                if !visited[target] && through < distance[target] {
                    distance[target] = through;
                    before[target] = nearest;
                }
            }
        }
    }

    /// The least cost where the box on `from` stands on `to` instead.
    pub fn after(&mut self, costs: &Costs, from: Bit, to: Bit) -> Option<u32> {
        let row = self.boxes.iter().position(|&bit| bit == from)?;
        let freed = self.target_of[row];
        let there = costs.from(to);
        let base = self.least_reduced(there);
        // The potentials stay feasible for all other boxes, so their sum and the way to the target
        // that the box has left make the new cost.
        let others = self.rows.iter().sum::<i64>() - self.rows[row] + self.cols.iter().sum::<i64>();
        let (_, length) = self.search(costs, there, base, |_, target| target == freed);
        let cost = others + base + length;
        (cost < i64::from(INFINITE)).then_some(cost as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::mix;

    /// The least cost over all orders of the targets.
    fn by_trying(costs: &Costs, boxes: &[Bit], used: u32) -> u32 {
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
            let least =
                |boxes: &[Bit]| Some(by_trying(&costs, boxes, 0)).filter(|&least| least < INFINITE);
            let mut assignment = Assignment::default();
            assert_eq!(assignment.place(&costs, boxes.iter().copied()), least(&boxes), "{seed}");
            for moved in 0..n {
                for to in 8..16 {
                    let mut after = boxes.clone();
                    after[moved] = to;
                    let cost = assignment.after(&costs, moved as Bit, to);
                    assert_eq!(cost, least(&after), "seed {seed}, box {moved} to {to}");
                    infeasible += u32::from(cost.is_none());
                }
            }
        }
        assert!(infeasible > 1000, "{infeasible}");
    }
}
