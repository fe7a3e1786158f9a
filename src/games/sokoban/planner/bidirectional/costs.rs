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
    /// From one table of distances for each target, by bit; `None` where there is no way.
    pub fn new(distances: &[Vec<Option<u32>>]) -> Self {
        let targets = distances.len();
        let bits = distances.first().map_or(0, Vec::len);
        let cost = |at: usize| match distances[at % targets][at / targets] {
            Some(steps) => steps as i32,
            None => i32::NEVER,
        };
        Costs { targets, costs: (0..bits * targets).map(cost).collect() }
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
