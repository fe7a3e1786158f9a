//! Prices of the matching bound, which share the cost of a level out among its boxes.
//!
//! The matching bound is the sum of its prices: one for each box, one for each target, and no lone box is brought to a
//! target for less than the two prices together. With the prices of targets fixed, each box has a price wherever it
//! stands: the least that it costs to bring it to a target by itself, the price of that target taken off. So the prices
//! bound every position of the level, and what some boxes cost more than their prices when they are alone on the board
//! adds to that bound ([`conflict_sets`](super::conflict_sets), [`penalties`](super::penalties)).

use crate::games::sokoban::board::Square;
use crate::games::sokoban::planner::analysis::Prepared;
use crate::games::sokoban::planner::analysis::push_distance::PushDistances;
use crate::games::sokoban::planner::bound::matching::Matching;
use std::sync::Arc;

/// The prices of a level's targets, and those of boxes in all poses.
#[derive(Debug)]
pub(super) struct Prices {
    /// The surcharge of each target, which is the amount of its negative price. The box that ends there pays it, so that no
    /// price of a box is negative.
    pub(super) surcharges: Vec<u16>,
    /// The pushes of lone boxes, surcharges included.
    pub(super) distances: Arc<PushDistances>,
    /// The price of a box in each pose, surcharge included.
    of_poses: Vec<u32>,
    /// All surcharges together.
    pub(super) charged: u32,
}

impl Prices {
    /// The prices of the matching of the start. `None` if the level has no matching, or prices beyond all bounds.
    pub(super) fn new(level: Prepared<'_>) -> Option<Self> {
        let Prepared { board, distances, .. } = level;
        let mut poses = Vec::new();
        distances.read(board, &board.boxes, board.player, &mut poses);
        let mut matching = Matching::<i64>::default();
        matching.place(&**distances, poses.iter().copied())?;
        let (_, mut of_targets) = matching.prices(&poses);
        let colour = |s: Square| {
            let cell = board.cells[s as usize];
            i64::from(board.shape.row(cell) + board.shape.col(cell)) & 1
        };
        // Each push changes the colour of its box's square, as on a chessboard. With prices of its
        // target's colour, a box costs an even number more than the prices wherever it goes. A
        // price of the other colour goes down by one, and that of its box up.
        for (price, &target) in of_targets.iter_mut().zip(&board.targets) {
            *price -= (*price + colour(target)) & 1;
        }
        let surcharges = of_targets.iter().map(|price| u16::try_from(-price).ok());
        Some(Prices::of_surcharges(distances, surcharges.collect::<Option<_>>()?))
    }

    /// The prices that follow from the surcharges of targets, for the pushes of lone boxes without them.
    pub(super) fn of_surcharges(distances: &PushDistances, surcharges: Vec<u16>) -> Self {
        let charged = surcharges.iter().map(|&charge| u32::from(charge)).sum();
        let distances = Arc::new(distances.with_added(&surcharges));
        let least = |pose| distances.costs(pose).iter().copied().min().map_or(0, u32::from);
        let of_poses = (0..distances.len() as u32).map(least).collect();
        Prices { surcharges, distances, of_poses, charged }
    }

    /// The price of a box in a pose, surcharge included.
    #[inline]
    pub(super) fn of(&self, pose: u32) -> u32 {
        self.of_poses.get(pose as usize).copied().unwrap_or(0)
    }

    /// The prices of boxes together, surcharges included.
    #[inline]
    pub(super) fn sum(&self, poses: &[u32]) -> u32 {
        poses.iter().map(|&pose| self.of(pose)).sum()
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        self.distances.memory() + self.of_poses.len() * size_of::<u32>()
    }
}
