//! What the steps of lone boxes cost on a bit board.

use crate::games::sokoban::planner::bound::matching::{self, Number};

/// Costs of single boxes: from each square to each target.
#[derive(Clone, Debug)]
pub struct Costs {
    targets: usize,
    /// By square, then by target.
    costs: Vec<i32>,
}

impl Costs {
    /// From one table of distances for each target, by bit; `None` where there is no way. After the
    /// bits come `spare` places of boxes that are not on the board and are at every target for nothing: with
    /// them a matching has as many boxes as targets.
    pub fn new(distances: &[Vec<Option<u32>>], spare: usize) -> Self {
        let targets = distances.len();
        let bits = distances.first().map_or(0, Vec::len);
        let cost = |at: usize| match distances[at % targets][at / targets] {
            Some(steps) => steps as i32,
            None => i32::NEVER,
        };
        let spare = std::iter::repeat_n(0, spare * targets);
        Costs { targets, costs: (0..bits * targets).map(cost).chain(spare).collect() }
    }
}

impl matching::Costs for Costs {
    type Number = i32;

    #[inline]
    fn from(&self, bit: u32) -> impl Iterator<Item = i32> {
        self.costs[bit as usize * self.targets..][..self.targets].iter().copied()
    }

    #[inline]
    fn of(&self, bit: u32, target: usize) -> i32 {
        self.costs[bit as usize * self.targets + target]
    }

    fn targets(&self) -> usize {
        self.targets
    }
}
