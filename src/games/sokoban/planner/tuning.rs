//! The numbers of the planner that can be set for a run. Measurements are in `docs/notes/sokoban.md`.

use crate::search::tuning::tuning;

tuning! {
    /// The numbers of the planner that can be set.
    pub struct Tuning {
        /// The order of the searches where a proof or a shorter plan is asked for.
        planner: Planner {
            /// Divisor of the remaining time and nodes: finding a plan for A* to beat takes at most this
            /// share of a proof. The plan spares A* all positions that cannot beat it.
            finding: u32 = 2, "of what is left, as a divisor", 1..=1 << 20;
            /// The same divisor for shortening that plan in pushes, which also goes on beside A*.
            shortening_pushes: u32 = 64, "of what is left, as a divisor", 1..=1 << 20;
            /// The same divisor for shortening that plan in moves, which does not.
            shortening_moves: u32 = 8, "of what is left, as a divisor", 1..=1 << 20;
            /// Divisor of time and nodes: improving, a plan is shortened alone for at most this share,
            /// before other plans are looked for beside it.
            alone: u32 = 4, "of the budget, as a divisor", 1..=1 << 20;
            /// Least turn of windows and of the search for other plans beside them, unless less is left.
            /// In short turns each hears sooner of the other's plans.
            turn: u64 = 100_000, "expansions", 1..=1 << 40;
            /// Lead of the search for other plans at which improving ends, where windows have nothing left
            /// to try.
            last_turns: u64 = 1_000_000, "expansions", 0..=1 << 40;
        }
        /// A* over single pushes or moves.
        astar: AStar {
            /// Expansions before it is worth while to have a plan to beat. Easy levels need none; on hard
            /// ones A* keeps positions that a plan would have spared it.
            alone: u64 = 20_000, "expansions", 1..=1 << 40;
            /// Divisor of the nodes, where they are counted: A* alone has at most this share.
            alone_part: u64 = 4, "of the budget, as a divisor", 1..=1 << 20;
            /// Expansions of A* in all when its first turn beside other searches is over; each turn after
            /// that doubles them.
            first_turn: u64 = 100_000, "expansions", 1..=1 << 40;
            /// Upper limit of the growth from one turn to the next. In long turns A* hears late of shorter
            /// plans; short ones make the other searches begin again more often.
            longest_turn: u64 = 400_000, "expansions", 1..=1 << 40;
            /// Positions that the search of one corral may look at before it gives up. More find more
            /// deadlocks and take longer (docs/notes/sokoban.md, "Exact search").
            corral: usize = 20, "positions", 1..=800;
            /// Expansions of the first studies of positions on the way, which look for boxes that cost more together
            /// than by themselves; 0 for no studies.
            study: u64 = 2000, "expansions", 0..=1 << 14;
            /// Expansions on the way for each expansion of studies that find such boxes.
            study_pause: u64 = 2, "expansions", 0..=1 << 10;
        }
        /// Conflict sets.
        conflict_sets: ConflictSets {
            /// Expansions that the search of one set may take in the first round. With few of them large
            /// sets wait for later rounds, with many one set holds up all others.
            first_limit: u64 = 10_000, "expansions", 1..=1 << 40;
            /// Factor of these expansions from one round to the next.
            limit_grows: u64 = 8, "times", 2..=1 << 20;
            /// Sets have as many expansions as A* up to this multiple of those at which they last raised the bound.
            /// Bounds rise in spells.
            patience: u64 = 3, "times", 1..=1 << 20;
            /// Expansions up to which they have as many anyway.
            least_patience: u64 = 100_000, "expansions", 0..=1 << 40;
            /// Divisor of the share of sets after that.
            part: u64 = 8, "of a share, as a divisor", 1..=1 << 20;
        }
        /// Parts of the known plan, searched again.
        windows: Windows {
            /// Length of the shortest windows; the others double it.
            shortest: usize = 12, "pushes", 1..=1 << 20;
            /// Nodes of one search in the first round. With few of them the whole plan is tried soon, with
            /// many each part is tried well.
            first_nodes: usize = 1500, "nodes", 1..=1 << 20;
            /// Factor of the nodes of one search from one round to the next.
            more_nodes: usize = 3, "times", 2..=16;
            /// Upper limit of the nodes of one search in any round.
            most_nodes: usize = 20_000_000, "nodes", 1..=1 << 26;
            /// The same limit for a plan that is exchanged for others of its length after each round.
            most_nodes_drifting: usize = 40_500, "nodes", 1..=1 << 26;
            /// Exchanges of such a plan after which it is given up, where it has not become shorter.
            drifts: u32 = 30, "exchanges", 1..=1 << 20;
            /// Nodes of one search above which other plans are looked for beside windows.
            stalled: usize = 4500, "nodes", 1..=1 << 26;
            /// Factor of the nodes of a search near the plan, in which one box may be astray.
            one_astray: usize = 32, "times", 1..=32;
            /// The same factor where two boxes may be astray.
            two_astray: usize = 8, "times", 1..=32;
            /// The same factor where three boxes may be astray.
            three_astray: usize = 4, "times", 1..=32;
            /// The same factor of a search for other moves, or for another plan of as many pushes.
            second: usize = 8, "times", 1..=32;
            /// Length of the stretches that are exchanged for others that are as short.
            drifting: usize = 96, "pushes", 2..=1 << 20;
            /// Pairs of boxes that go other ways through the whole plan, in a round.
            pairs: usize = 100, "pairs", 0..=1 << 16;
            /// Triples of boxes that do so.
            triples: usize = 30, "triples", 0..=1 << 16;
            /// Boxes of a level beyond which only those that a window moves may move in it.
            many_boxes: usize = 64, "boxes", 0..=1 << 16;
        }
        /// Other plans than the known one, each made shorter.
        short_plans: ShortPlans {
            /// Expansions of one try to make a plan shorter. Long tries come nearer to the end of what is to
            /// be had from one plan, short ones leave more for others.
            trying: u64 = 200_000, "expansions", 1..=1 << 30;
            /// Expansions of one search for a plan near two.
            relinking: u64 = 400_000, "expansions", 1..=1 << 30;
            /// Expansions of feature-space search between two looks at what else is to do.
            slice: u64 = 1000, "expansions", 1..=1 << 24;
            /// Number of slices of which one looks for any plan, the others for shorter ones.
            free: u64 = 4, "slices", 1..=1 << 20;
            /// Expansions of a search from both ends between two looks at what else is to do.
            both_ends_slice: u64 = 50_000, "expansions", 1..=1 << 30;
            /// Expansions of windows that an expansion of feature-space search counts as: what it costs.
            features_weight: u64 = 60, "expansions", 1..=1 << 16;
            /// Expansions of windows that a successor in feature-space search counts as, where that is more.
            successor_weight: u64 = 2, "expansions", 0..=1 << 16;
            /// Plans that are kept for further tries. The more there are, the fewer tries each gets.
            kept: usize = 8, "plans", 1..=1 << 10;
        }
        /// Search from both ends.
        bidirectional: Bidirectional {
            /// Weight of the bound on the rest, where a step that was made weighs one. The less it is, the
            /// shorter the plan and the longer the search.
            weight: usize = 3, "steps", 1..=16;
            /// Factor of its turns in the portfolio, whose length depends on how crowded the board is.
            turns: f64 = 1.0, "times", 0.001..=4.0;
        }
        /// Repacking, where few of many boxes are on no target.
        repacking: Repacking {
            /// Expansions in the first round, before all other searches.
            first_turn: u64 = 20_000, "expansions", 1..=1 << 22;
            /// Weight of the bound on the rest in the searches of parts, where a step that was made weighs one.
            weight: usize = 3, "steps", 1..=16;
        }
        /// Feature-space search.
        feature_space: FeatureSpace {
            /// Expansions in the first round. The longer a search's turns, the longer the others wait.
            first_turn: u64 = 400, "expansions", 1..=1 << 20;
            /// Expansions of the search from each position that it hands over, in the first round.
            finishing_turn: u64 = 1500, "expansions", 1..=1 << 20;
        }
        /// Restarts of feature-space search.
        feature_space_restarts: Restarts {
            /// Expansions in the first round.
            first_turn: u64 = 6000, "expansions", 1..=1 << 22;
            /// Positions kept to begin from. Few of them go deep, many go everywhere.
            positions: usize = 12, "positions", 1..=1 << 12;
            /// Length of the shortest series of searches, after which all positions kept are forgotten.
            series: u64 = 60_000, "expansions", 1..=1 << 32;
            /// Positions of corral searches that an expansion earns. What they prove adds up; with 15 levels
            /// fall in 0.7 times the seconds that they take with 60.
            earned: usize = 15, "positions", 0..=1 << 12;
            /// Searches after which plans that do not come to their end are followed, where none has yet.
            patience: u64 = 8, "searches", 0..=1 << 20;
        }
        /// Search along packing orders, before all other searches and between their rounds.
        packing_order: PackingOrder {
            /// Expansions of the slice on the board as it is.
            slice: u64 = 8000, "expansions", 1..=1 << 22;
            /// Expansions of the slice on each other way to turn and mirror the board: on two of them before
            /// all other searches, on the others one in each round.
            image_slice: u64 = 2000, "expansions", 1..=1 << 22;
            /// Positions that proofs of deadlocks may look at in that slice; proportionally fewer in the
            /// others.
            proofs: u64 = 300_000, "positions", 0..=1 << 40;
        }
        /// Best-first search along a packing plan.
        best_first_along_plan: AlongPlan {
            /// Expansions in the first round.
            first_turn: u64 = 2000, "expansions", 1..=1 << 22;
        }
        /// Best-first search with a list for each number of boxes that are on no target.
        best_first_by_boxes_away: ByBoxesAway {
            /// Expansions in the first round.
            first_turn: u64 = 6000, "expansions", 1..=1 << 22;
        }
        /// Best-first search with one list, on large boards.
        best_first: OneList {
            /// Expansions in the first round.
            first_turn: u64 = 2000, "expansions", 1..=1 << 22;
        }
        /// Searches from the solved board.
        backward: Backward {
            /// Successors in the first round. What they solve they solve soon or after many positions, and
            /// what a position costs depends on how many successors it has.
            first_turn: u64 = 150_000, "successors", 1..=1 << 22;
        }
    }
}
