//! Incremental evaluation: what the boxes that stay count for while one is lifted.
//!
//! Feature-space search sets one lifted box down on many squares. Most of what is counted then is
//! about the boxes that stay. It is counted once for all squares on which equally many steps of the
//! plan are done, and each square adds its part.

use crate::games::sokoban::board::Square;
use crate::games::sokoban::planner::analysis::level::LevelAnalysis;
use crate::games::sokoban::planner::packing::Packing;
use crate::games::sokoban::planner::packing::assignment::Assignment;
use smallvec::SmallVec;

/// A set of squares.
type Set = SmallVec<[u64; 8]>;

/// The boxes that stay, for some number of steps of the plan that are done.
pub struct Stationary {
    /// The boxes that are not packed.
    loose: Set,
    /// The boxes of these that stand in the way of another.
    blocking: Set,
    /// How often they do, all together.
    blocked: u32,
    /// How they match with the steps of a plan.
    matched: Assignment,
}

/// How many of a set.
fn count(set: impl Iterator<Item = u64>) -> u32 {
    // Mostly nothing is in it, and counting takes longer than to see that.
    set.map(|word| if word == 0 { 0 } else { word.count_ones() }).sum()
}

/// What two sets share.
fn both<'a>(a: &'a [u64], b: &'a [u64]) -> impl Iterator<Item = u64> + 'a {
    a.iter().zip(b).map(|(a, b)| a & b)
}

impl Stationary {
    /// Counts the boxes in `bits`; `filled` holds the squares of those that are packed. They are
    /// matched with the steps of `plan`, which says how many are done, where there is one.
    pub fn new(
        analysis: &LevelAnalysis,
        bits: &[u64],
        filled: &[u64],
        plan: Option<(&Packing, usize)>,
    ) -> Self {
        let loose: Set = bits.iter().zip(filled).map(|(bits, filled)| bits & !filled).collect();
        let mut stationary = Stationary {
            blocking: SmallVec::from_elem(0, loose.len()),
            loose,
            blocked: 0,
            matched: plan
                .map_or_else(Assignment::default, |(plan, done)| plan.schedule(done, bits)),
        };
        for w in 0..stationary.loose.len() {
            let mut left = stationary.loose[w];
            while left != 0 {
                let square = w * 64 + left.trailing_zeros() as usize;
                let blocked = count(both(&analysis.blocks[square], &stationary.loose));
                stationary.blocked += blocked;
                stationary.blocking[w] |= u64::from(blocked > 0) << (square & 63);
                left &= left - 1;
            }
        }
        stationary
    }

    /// Boxes that no step of the plan is left for, with one on `square` if any.
    pub fn unscheduled(&self, packing: &Packing, done: usize, square: Option<Square>) -> u32 {
        let lost = |s| !packing.has_step(done, s, &self.matched.spare);
        self.matched.unmatched + u32::from(square.is_some_and(lost))
    }

    /// How often boxes stand in the way of others, with one on `square` if any; or how many do.
    pub fn hotspots(&self, analysis: &LevelAnalysis, square: Option<Square>, graded: bool) -> u16 {
        let mut sum = if graded { self.blocked } else { count(self.blocking.iter().copied()) };
        if let Some(square) = square {
            let blocks = count(both(&analysis.blocks[square as usize], &self.loose));
            let by = &analysis.blocked_by[square as usize];
            sum += if graded {
                blocks + count(both(by, &self.loose))
            } else {
                let idle = self.loose.iter().zip(&self.blocking).map(|(l, b)| l & !b);
                u32::from(blocks > 0) + count(idle.zip(by).map(|(idle, by)| idle & by))
            };
        }
        sum as u16
    }
}
