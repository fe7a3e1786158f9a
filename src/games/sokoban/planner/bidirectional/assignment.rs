//! The least cost of bringing each box to a target of its own.
//!
//! An assignment problem, solved by the Hungarian method with potentials (Kuhn, 1955; Jonker and
//! Volgenant, 1987): O(n³) for a position, O(n²) for each of its successors, which differ in one
//! box. Junghanns and Schaeffer (*Sokoban: enhancing general single-agent search methods using
//! domain knowledge*, Artificial Intelligence 129, 2001) use it as the lower bound of Sokoban.

use crate::games::sokoban::board::mask::{Bit, Mask};

/// A cost that no assignment of boxes that can come home reaches.
const INFINITE: u32 = 1 << 20;

/// Potentials of targets only ever fall; below this all are made anew, before they overflow.
const LEAST_POTENTIAL: i32 = -(1 << 28);

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

/// A position's cheapest assignment, with what it takes to adapt it to another.
#[derive(Clone, Debug, Default)]
pub struct Assignment {
    boxes: Vec<Bit>,
    /// Potentials of the boxes, and of the targets.
    rows: Vec<i32>,
    cols: Vec<i32>,
    /// The box of each target, and the target of each box.
    box_of: Vec<usize>,
    target_of: Vec<usize>,
    /// What a search for an augmenting path knows of each target.
    reached: Vec<Reached>,
    /// Boxes without a target, for a moment.
    loose: Vec<usize>,
}

/// What a search for an augmenting path knows of a target.
#[derive(Clone, Copy, Debug)]
struct Reached {
    /// The reduced cost of the way there.
    distance: i32,
    /// The target before it on that way.
    before: usize,
    is_visited: bool,
}

/// No box, or no target.
const NONE: usize = usize::MAX;

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
        self.total(costs)
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

    fn total(&self, costs: &Costs) -> Option<u32> {
        let cost = |(&bit, &target): (&Bit, &usize)| u64::from(costs.from(bit)[target]);
        let total: u64 = self.boxes.iter().zip(&self.target_of).map(cost).sum();
        (total < u64::from(INFINITE)).then_some(total as u32)
    }

    /// Assigns one more box along the cheapest augmenting path.
    fn assign(&mut self, costs: &Costs, row: usize) {
        let from = costs.from(self.boxes[row]);
        let (nearest, base) = self.nearest(from);
        self.rows[row] = base;
        if self.box_of[nearest] == NONE {
            (self.box_of[nearest], self.target_of[row]) = (row, nearest);
            return;
        }
        let (end, length) = self.search(costs, from, base, |box_of, target| box_of[target] == NONE);
        for (target, reached) in self.reached.iter().enumerate() {
            if reached.is_visited && target != end {
                let gain = length - reached.distance;
                self.cols[target] -= gain;
                self.rows[self.box_of[target]] += gain;
            }
        }
        self.rows[row] += length;
        let mut target = end;
        loop {
            let before = self.reached[target].before;
            let mover = if before == NONE { row } else { self.box_of[before] };
            (self.box_of[target], self.target_of[mover]) = (mover, target);
            if before == NONE {
                return;
            }
            target = before;
        }
    }

    /// The nearest target by reduced costs, and how far it is.
    #[inline]
    fn nearest(&self, from: &[u32]) -> (usize, i32) {
        let mut nearest = (0, i32::MAX);
        for (target, (&cost, &col)) in from.iter().zip(&self.cols).enumerate() {
            if (cost as i32) - col < nearest.1 {
                nearest = (target, cost as i32 - col);
            }
        }
        nearest
    }

    /// The nearest target that is an `end`, by reduced costs from a box whose costs and potential
    /// these are, and how far it is.
    #[inline]
    fn search(
        &mut self,
        costs: &Costs,
        from: &[u32],
        base: i32,
        is_end: impl Fn(&[usize], usize) -> bool,
    ) -> (usize, i32) {
        let Assignment { boxes, rows, cols, box_of, reached, .. } = self;
        reached.clear();
        reached.extend(from.iter().zip(&*cols).map(|(&cost, &col)| Reached {
            distance: cost as i32 - base - col,
            before: NONE,
            is_visited: false,
        }));
        loop {
            let (mut nearest, mut least) = (NONE, i32::MAX);
            for (target, reached) in reached.iter().enumerate() {
                if !reached.is_visited && reached.distance < least {
                    (nearest, least) = (target, reached.distance);
                }
            }
            reached[nearest].is_visited = true;
            if is_end(box_of, nearest) {
                return (nearest, least);
            }
            let row = box_of[nearest];
            let far = least - rows[row];
            let there = costs.from(boxes[row]).iter().zip(&*cols);
            for (reached, (&cost, &col)) in reached.iter_mut().zip(there) {
                let through = far + cost as i32 - col;
                if !reached.is_visited && through < reached.distance {
                    (reached.distance, reached.before) = (through, nearest);
                }
            }
        }
    }

    /// The least cost where the box on `from` stands on `to` instead.
    pub fn after(&mut self, costs: &Costs, from: Bit, to: Bit) -> Option<u32> {
        let row = self.boxes.iter().position(|&bit| bit == from)?;
        let freed = self.target_of[row];
        let there = costs.from(to);
        let (nearest, base) = self.nearest(there);
        // The potentials stay feasible for all other boxes, so their sum and the way to the target
        // that the box has left make the new cost.
        let sum = |potentials: &[i32]| potentials.iter().map(|&p| i64::from(p)).sum::<i64>();
        let others = sum(&self.rows) - i64::from(self.rows[row]) + sum(&self.cols);
        let length = match nearest == freed {
            true => 0,
            false => self.search(costs, there, base, |_, target| target == freed).1,
        };
        let cost = others + i64::from(base) + i64::from(length);
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
            let mask = |boxes: &[Bit]| boxes.iter().copied().collect::<Mask<1>>();
            let least =
                |boxes: &[Bit]| Some(by_trying(&costs, boxes, 0)).filter(|&least| least < INFINITE);
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
