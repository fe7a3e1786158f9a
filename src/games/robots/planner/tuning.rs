//! The numbers of the planner that can be set for a run.

use crate::search::tuning::tuning;

tuning! {
    /// The numbers of the planner that can be set.
    pub struct Tuning {
        /// Beams that get wider.
        beam: Beams {
            /// Width of the first beam. A wide one finds shorter plans, a narrow one is over sooner.
            first_width: usize = 128, "positions", 1..=1 << 24;
            /// How much wider each beam is than the one before. With a small factor beams look at the same
            /// positions again more often, with a large one the last beam may not come to its end.
            widening: usize = 2, "times", 2..=1024;
        }
        /// A*, where a proof is asked for.
        astar: AStar {
            /// Width of the last beam before A* begins; wider ones come after it. A better plan spares A*
            /// the positions that lead to nothing shorter.
            after_width: usize = 512, "positions", 1..=1 << 24;
            /// Part of the remaining time and nodes for A*.
            part: f64 = 0.8, "of what is left", 0.0..=1.0;
        }
    }
}
