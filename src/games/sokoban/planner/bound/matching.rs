//! The matching bound: the least cost of bringing each box to a target of its own.
//!
//! Each box needs at least the pushes of its way alone on the board, and no two boxes end on one
//! target. So the least-cost perfect matching is a bound (Junghanns and Schaeffer, "Sokoban:
//! Enhancing General Single-Agent Search Methods Using Domain Knowledge", AI 2001). The Hungarian
//! method with prices solves it (Kuhn, 1955; Jonker and Volgenant, 1987): O(n³) for a position. The
//! prices stay feasible when a box gets new costs, so from position to position each box that
//! stands elsewhere than before needs one augmenting path, O(n²). Of a successor only the number is
//! wanted: the cost of the shortest augmenting path, which is not walked.
//!
//! Every search of the planner takes its bound from here, each with [`Costs`] of its own.

use crate::games::sokoban::planner::analysis::level::FAR;
use crate::games::sokoban::planner::analysis::push_distance::PushDistances;
use std::ops::{Add, AddAssign, Sub, SubAssign};

/// What costs are added up in. Narrow numbers are faster, wide ones hold for any level.
pub trait Number:
    Copy + Default + Ord + Into<i64> + Add<Output = Self> + Sub<Output = Self> + AddAssign + SubAssign
{
    /// The cost of a pair that cannot be; more than any matching of pairs that can.
    const NEVER: Self;
    /// The distance of a target that a search for an augmenting path has done with.
    const DONE: Self;
    /// Prices of targets only ever fall; below this all are reset, before they overflow.
    const LEAST_PRICE: Self;
}

/// For levels of few boxes, on which no matching costs a million.
impl Number for i32 {
    const NEVER: i32 = 1 << 20;
    const DONE: i32 = i32::MAX;
    const LEAST_PRICE: i32 = -(1 << 28);
}

impl Number for i64 {
    const NEVER: i64 = 1 << 28;
    const DONE: i64 = i64::MAX;
    const LEAST_PRICE: i64 = -(1 << 60);
}

/// What it costs to bring single boxes to single targets.
pub trait Costs {
    /// What the costs are counted in.
    type Number: Number;

    /// The costs of a box in a place, target by target, [`Number::NEVER`] where there is no way.
    fn from(&self, place: u32) -> impl Iterator<Item = Self::Number>;

    /// The cost of a box in a place at one target.
    fn of(&self, place: u32, target: usize) -> Self::Number;

    /// How many targets there are.
    fn targets(&self) -> usize;
}

/// A box's place is its pose, a cost the pushes of a lone box.
impl Costs for PushDistances {
    type Number = i64;

    #[inline]
    fn from(&self, pose: u32) -> impl Iterator<Item = i64> {
        self.costs(pose).iter().map(|&pushes| cost(pushes))
    }

    #[inline]
    fn of(&self, pose: u32, target: usize) -> i64 {
        cost(self.costs(pose)[target])
    }

    fn targets(&self) -> usize {
        PushDistances::targets(self)
    }
}

#[inline]
fn cost(pushes: u16) -> i64 {
    if pushes == FAR { i64::NEVER } else { i64::from(pushes) }
}

/// No box, or no target.
const NONE: usize = usize::MAX;
/// No target before this one.
const FIRST: u32 = u32::MAX;

/// A least-cost matching of a position's boxes with the targets, and what it takes to adapt it to
/// another position.
///
/// Fields of targets stand in arrays of their own, so that the loops over them run on several
/// targets at a time.
#[derive(Clone, Debug, Default)]
pub struct Matching<N> {
    /// The place of each box, in no order, and the box of each place.
    boxes: Vec<u32>,
    box_at: Vec<usize>,
    /// Prices: no pair costs less than those of its box and its target together.
    box_prices: Vec<N>,
    target_prices: Vec<N>,
    /// The box of each target, and the target of each box.
    box_of: Vec<usize>,
    target_of: Vec<usize>,
    path: AugmentingPath<N>,
    /// Prices that depend only on the position; see [`Matching::settle_prices`].
    settled_boxes: Vec<N>,
    settled_targets: Vec<N>,
    /// The cost of all boxes.
    total: i64,
    /// For a moment: boxes without a target, boxes that stay where they are, places of new boxes.
    loose: Vec<usize>,
    stays: Vec<bool>,
    new: Vec<u32>,
}

/// What a search for an augmenting path (Dijkstra's, over reduced costs) knows of each target.
#[derive(Clone, Debug, Default)]
struct AugmentingPath<N> {
    /// The reduced cost of the way there, or [`Number::DONE`].
    distance: Vec<N>,
    /// The target before it on that way, or [`FIRST`].
    before: Vec<u32>,
    /// Targets that are done with, and their distances.
    done: Vec<(usize, N)>,
}

/// The least of some numbers, and where it stands first.
#[inline]
fn least<N: Number>(numbers: &[N]) -> (usize, N) {
    let least = numbers.iter().fold(N::DONE, |least, &number| least.min(number));
    (numbers.iter().position(|&number| number == least).unwrap_or(0), least)
}

impl<N: Number> AugmentingPath<N> {
    /// Begins at a box of these costs.
    #[inline]
    fn begin(&mut self, costs: impl Iterator<Item = N>, prices: &[N]) {
        self.distance.clear();
        self.distance.extend(costs.zip(prices).map(|(cost, &price)| cost - price));
    }

    /// The nearest target that is not done with, and its distance; now it is.
    #[inline]
    fn take(&mut self) -> (usize, N) {
        let (nearest, distance) = least(&self.distance);
        self.distance[nearest] = N::DONE;
        (nearest, distance)
    }

    /// Goes on from a box with these costs, `far` more than its reduced costs.
    #[inline]
    fn relax(&mut self, far: N, costs: impl Iterator<Item = N>, prices: &[N]) {
        for (distance, (cost, &price)) in self.distance.iter_mut().zip(costs.zip(prices)) {
            let through = far + cost - price;
            let is_nearer = *distance != N::DONE && through < *distance;
            *distance = if is_nearer { through } else { *distance };
        }
    }

    /// Goes on from the box of a target, which is noted.
    #[inline]
    fn relax_from(&mut self, target: usize, far: N, costs: impl Iterator<Item = N>, prices: &[N]) {
        let ways = self.distance.iter_mut().zip(&mut self.before);
        for ((distance, before), (cost, &price)) in ways.zip(costs.zip(prices)) {
            let through = far + cost - price;
            let is_nearer = *distance != N::DONE && through < *distance;
            *distance = if is_nearer { through } else { *distance };
            *before = if is_nearer { target as u32 } else { *before };
        }
    }
}

/// A cost as a bound; none where a pair cannot be.
fn bound<N: Number>(cost: i64) -> Option<u32> {
    (cost < N::NEVER.into()).then_some(cost as u32)
}

impl<N: Number> Matching<N> {
    /// Matches all boxes of a position; the bound, or `None` where some box cannot have a target of
    /// its own. As many boxes as targets are given by their places, no two in one.
    ///
    /// Boxes that were there in the position before keep their prices, so only the others are
    /// matched.
    pub fn place<C: Costs<Number = N>>(
        &mut self,
        costs: &C,
        boxes: impl Iterator<Item = u32> + Clone,
    ) -> Option<u32> {
        let is_stale = self.target_prices.iter().any(|&price| price < N::LEAST_PRICE);
        if is_stale || self.boxes.len() != boxes.clone().count() {
            self.reset(costs.targets(), boxes);
        } else {
            self.exchange(boxes);
        }
        while let Some(row) = self.loose.pop() {
            self.assign(costs, row);
        }
        let pairs = self.boxes.iter().zip(&self.target_of);
        self.total = pairs.map(|(&place, &target)| costs.of(place, target).into()).sum();
        bound::<N>(self.total)
    }

    /// Forgets everything; all boxes are loose.
    fn reset(&mut self, targets: usize, boxes: impl Iterator<Item = u32>) {
        self.boxes = boxes.collect();
        let count = self.boxes.len();
        self.box_at.clear();
        (0..count).for_each(|row| self.put(row));
        self.box_prices = vec![N::default(); count];
        self.target_prices = vec![N::default(); targets];
        self.box_of = vec![NONE; targets];
        self.target_of = vec![NONE; count];
        self.loose = (0..count).collect();
    }

    /// Notes the place of a box.
    fn put(&mut self, row: usize) {
        let place = self.boxes[row] as usize;
        if self.box_at.len() <= place {
            self.box_at.resize(place + 1, NONE);
        }
        self.box_at[place] = row;
    }

    fn box_at(&self, place: u32) -> Option<usize> {
        self.box_at.get(place as usize).copied().filter(|&row| row != NONE)
    }

    /// Puts new boxes in the stead of those that have gone; they are loose.
    fn exchange(&mut self, boxes: impl Iterator<Item = u32>) {
        self.stays.clear();
        self.stays.resize(self.boxes.len(), false);
        self.new.clear();
        for place in boxes {
            match self.box_at(place) {
                Some(row) => self.stays[row] = true,
                None => self.new.push(place),
            }
        }
        for row in (0..self.boxes.len()).filter(|&row| !self.stays[row]) {
            // As many came as went.
            let Some(place) = self.new.pop() else { break };
            self.box_at[self.boxes[row] as usize] = NONE;
            self.boxes[row] = place;
            self.box_of[self.target_of[row]] = NONE;
            self.loose.push(row);
        }
        for at in 0..self.loose.len() {
            self.put(self.loose[at]);
        }
    }

    /// Matches one more box, along the cheapest augmenting path.
    fn assign<C: Costs<Number = N>>(&mut self, costs: &C, row: usize) {
        let Matching { boxes, box_prices, target_prices, box_of, target_of, path, .. } = self;
        path.begin(costs.from(boxes[row]), target_prices);
        let (nearest, price) = least(&path.distance);
        box_prices[row] = price;
        if box_of[nearest] == NONE {
            (box_of[nearest], target_of[row]) = (row, nearest);
            return;
        }
        path.distance.iter_mut().for_each(|distance| *distance -= price);
        path.before.clear();
        path.before.resize(target_prices.len(), FIRST);
        path.done.clear();
        let (end, length) = loop {
            let (nearest, distance) = path.take();
            let owner = box_of[nearest];
            if owner == NONE {
                break (nearest, distance);
            }
            path.done.push((nearest, distance));
            let far = distance - box_prices[owner];
            path.relax_from(nearest, far, costs.from(boxes[owner]), target_prices);
        };
        for &(target, distance) in &path.done {
            target_prices[target] -= length - distance;
            box_prices[box_of[target]] += length - distance;
        }
        box_prices[row] += length;
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

    /// The bound of the position that was matched last.
    pub fn total(&self) -> Option<u32> {
        bound::<N>(self.total)
    }

    /// The prices of boxes, given by their places, and of targets, which are never above 0. No pair
    /// costs less than its prices together, and all prices together make the bound.
    pub fn prices(&self, places: &[u32]) -> (Vec<i64>, Vec<i64>) {
        let of_box = |&place: &u32| self.box_at(place).map_or(0, |row| self.box_prices[row].into());
        let of_targets = self.target_prices.iter().map(|&price| price.into());
        (places.iter().map(of_box).collect(), of_targets.collect())
    }

    /// Computes the prices that [`Matching::floor`] and [`Matching::targets_within`] use. The prices of the
    /// matching itself depend on earlier positions. The optimal prices with 0 for the first target form a
    /// lattice, and the greatest of them depend only on the position: they are the distances of the
    /// targets from the first one by reduced costs, which Dijkstra's algorithm finds in O(n²).
    pub fn settle_prices<C: Costs<Number = N>>(&mut self, costs: &C) {
        let Matching { boxes, box_prices, target_prices, box_of, target_of, path, .. } = self;
        let settled = &mut self.settled_targets;
        settled.clear();
        settled.extend_from_slice(target_prices);
        path.distance.clear();
        path.distance.resize(target_prices.len(), N::DONE);
        if let Some(first) = path.distance.first_mut() {
            *first = N::default();
        }
        for _ in 0..target_prices.len() {
            let (target, distance) = path.take();
            settled[target] += distance;
            let owner = box_of[target];
            let far = distance - box_prices[owner];
            if target == 0 {
                path.begin(costs.from(boxes[owner]), target_prices);
                path.distance.iter_mut().for_each(|distance| *distance += far);
                path.distance[0] = N::DONE;
            } else {
                path.relax(far, costs.from(boxes[owner]), target_prices);
            }
        }
        let free = target_prices.first().copied().unwrap_or_default();
        settled.iter_mut().for_each(|price| *price -= free);
        self.settled_boxes.clear();
        let pairs = boxes.iter().zip(&*target_of);
        self.settled_boxes
            .extend(pairs.map(|(&place, &target)| costs.of(place, target) - settled[target]));
    }

    /// The target of the box in a place.
    pub fn target_of(&self, place: u32) -> Option<usize> {
        self.box_at(place).map(|row| self.target_of[row])
    }

    /// The targets, of 64 at most, that the box in a place may go to in a matching that costs at
    /// most `spare` more than the least; others cost more than their settled prices by more than that
    /// (reduced cost fixing). As a set of bits.
    pub fn targets_within<C: Costs<Number = N>>(&self, costs: &C, place: u32, spare: i64) -> u64 {
        let Some(row) = self.box_at(place) else { return u64::MAX };
        let price: i64 = self.settled_boxes[row].into();
        let pairs = costs.from(place).zip(&self.settled_targets).enumerate();
        pairs.fold(0, |set, (t, (cost, &target))| {
            let (cost, target): (i64, i64) = (cost.into(), target.into());
            set | u64::from(cost < N::NEVER.into() && cost - price - target <= spare) << t
        })
    }

    /// The bound where one of the boxes, in the place `from`, is in the place `to` instead. The
    /// matching is left as it is; it must be one without impossible pairs.
    pub fn after<C: Costs<Number = N>>(&mut self, costs: &C, from: u32, to: u32) -> Option<u32> {
        self.after_within(costs, from, to, u32::MAX)
    }

    /// A lower bound of [`Matching::after`] that needs only the costs of one box: the settled prices of the
    /// other boxes and of the targets stay feasible.
    pub fn floor<C: Costs<Number = N>>(&self, costs: &C, from: u32, to: u32) -> u32 {
        let Some(row) = self.box_at(from) else { return 0 };
        let rest = self.total - self.settled_boxes[row].into();
        let reduced = costs.from(to).zip(&self.settled_targets).map(|(cost, &price)| cost - price);
        let least: i64 = reduced.fold(N::DONE, N::min).into();
        u32::try_from(rest + least).unwrap_or(0)
    }

    /// The bound of [`Matching::after`], or `None` where it is more than `most`, which is mostly
    /// known early.
    pub fn after_within<C: Costs<Number = N>>(
        &mut self,
        costs: &C,
        from: u32,
        to: u32,
        most: u32,
    ) -> Option<u32> {
        let row = self.box_at(from)?;
        let Matching { boxes, box_prices, target_prices, box_of, target_of, path, .. } = self;
        let freed = target_of[row];
        path.begin(costs.from(to), target_prices);
        // The prices stay feasible for all other boxes, and their sum is the cost of all boxes. So
        // the sum without this box and the way to the target that it has left make the new cost.
        let rest = self.total - box_prices[row].into();
        let length = loop {
            let (nearest, distance) = path.take();
            if rest + distance.into() > i64::from(most) {
                return None;
            }
            if nearest == freed {
                break distance;
            }
            let owner = box_of[nearest];
            let far = distance - box_prices[owner];
            path.relax(far, costs.from(boxes[owner]), target_prices);
        };
        bound::<N>(rest + length.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::mix;
    use pathfinding::prelude::{Matrix, kuhn_munkres_min};

    /// Places of a box, the last of which any two boxes are never in.
    const PLACES: u32 = 16;

    struct Table<N>(Vec<Vec<N>>);

    impl<N: Number> Costs for Table<N> {
        type Number = N;

        fn from(&self, place: u32) -> impl Iterator<Item = N> {
            self.0[place as usize].iter().copied()
        }

        fn of(&self, place: u32, target: usize) -> N {
            self.0[place as usize][target]
        }

        fn targets(&self) -> usize {
            self.0[0].len()
        }
    }

    /// The bound by another way.
    fn by_kuhn_and_munkres<N: Number>(costs: &Table<N>, boxes: &[u32]) -> Option<u32> {
        let row = |&place: &u32| costs.from(place).map(Into::into).collect::<Vec<i64>>();
        let rows = Matrix::from_rows(boxes.iter().map(row)).expect("a matrix");
        bound::<N>(kuhn_munkres_min(&rows).0)
    }

    /// Goes from position to position, and looks at all successors of each; how many had no bound.
    fn check<N: Number + From<u16>>(seed: u64) -> u32 {
        let mut infeasible = 0;
        let lot = |what: u64, most: u64| mix(mix(seed) ^ what) % most;
        let n = 1 + lot(0, 6) as usize;
        let cost = |place: u64, target: u64| match lot(1 + target * 64 + place, 4 + lot(0, 9)) {
            0..=2 => N::NEVER,
            cost => N::from(cost as u16),
        };
        let row = |place| (0..n as u64).map(|target| cost(place, target)).collect();
        let costs = Table((0..u64::from(PLACES)).map(row).collect());
        let mut matching = Matching::default();
        let mut boxes: Vec<u32> = (0..n as u32).collect();
        for step in 0..6 {
            let least = by_kuhn_and_munkres(&costs, &boxes);
            assert_eq!(matching.place(&costs, boxes.iter().copied()), least, "seed {seed}");
            infeasible += u32::from(least.is_none());
            if least.is_some() {
                let mut fresh = Matching::default();
                fresh.place(&costs, boxes.iter().copied());
                matching.settle_prices(&costs);
                fresh.settle_prices(&costs);
                assert!(matching.settled_targets == fresh.settled_targets, "seed {seed}");
                for &place in &boxes {
                    let floor = matching.floor(&costs, place, place);
                    assert_eq!(Some(floor), least, "seed {seed}: prices are those of a matching");
                }
            }
            let places = (0..PLACES).filter(|place| !boxes.contains(place));
            for to in places.filter(|_| least.is_some()) {
                for moved in 0..n {
                    let floor = matching.floor(&costs, boxes[moved], to);
                    let mut after = boxes.clone();
                    after[moved] = to;
                    let cost = matching.after(&costs, boxes[moved], to);
                    let least = by_kuhn_and_munkres(&costs, &after);
                    assert_eq!(cost, least, "seed {seed}, box {moved} to {to}");
                    assert!(least.is_none_or(|least| floor <= least), "seed {seed}: {floor}");
                    let most = lot(700 + u64::from(to), 20) as u32;
                    let cost = matching.after_within(&costs, boxes[moved], to, most);
                    let least_within = least.filter(|&least| least <= most);
                    assert_eq!(cost, least_within, "seed {seed}, box {moved} to {to}");
                    infeasible += u32::from(cost.is_none());
                }
            }
            for (moved, place) in boxes.iter_mut().enumerate() {
                // All of one residue, so that no two boxes meet.
                *place = moved as u32 + n as u32 * lot(500 + step * 8 + moved as u64, 2) as u32;
            }
        }
        infeasible
    }

    #[test]
    fn bounds_are_those_of_kuhn_and_munkres_before_and_after_a_move() {
        let infeasible: u32 = (0..300).map(|seed| check::<i32>(seed) + check::<i64>(seed)).sum();
        assert!(infeasible > 1000, "{infeasible}");
    }
}
