//! The numbers of the planner that can be set for a run.

use crate::search::tuning::tuning;

tuning! {
    /// The numbers of the planner that can be set.
    pub struct Tuning {
        /// A*, which comes first.
        astar: AStar {
            /// Part of time, nodes and memory for A* where any plan will do. What it does not decide in
            /// its part is left to the beams.
            part: f64 = 0.6, "of the budget", 0.0..=1.0;
            /// The same part where a proof is asked for.
            part_for_proof: f64 = 0.9, "of the budget", 0.0..=1.0;
        }
        /// Beams that get wider.
        beam: Beams {
            /// Width of the first beam. A wide one finds shorter plans, a narrow one is over sooner.
            first_width: usize = 512, "states", 1..=1 << 24;
            /// The most states of the first beam with the hero in one cell. Few of them keep the beam
            /// spread over the board; many keep more orders of the monsters apart.
            first_quota: usize = 16, "states", 1..=1 << 24;
        }
    }
}
