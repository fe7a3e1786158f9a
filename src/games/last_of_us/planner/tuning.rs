//! The numbers of the planner that can be set for a run. What was measured stands in
//! `docs/notes/last_of_us.md`.

use crate::search::tuning::tuning;

tuning! {
    /// The numbers of the planner that can be set.
    pub struct Tuning {
        /// Guides: what beams and dives take a way past clickers to cost.
        guides: Guides {
            /// Price of a cell for each clicker at distance 2. Where clickers are dear, guides lead round
            /// crowds; where they are cheap, guides lead through them, at the price of bricks.
            far: u32 = 4, "eighths of an action", 0..=64;
            /// Price of a cell for each clicker at distance 1.
            near: u32 = 6, "eighths of an action", 0..=64;
            /// Price of a cell for a clicker on it.
            on: u32 = 8, "eighths of an action", 0..=64;
            /// The most that clickers make of the price of a cell.
            most: u32 = 12, "eighths of an action", 0..=64;
            /// Price of a brick that the guide's way needs beyond the supply. A high price saves bricks for
            /// rooms that cannot be passed without, and goes a longer way for it.
            missing: u32 = 25, "actions", 0..=400;
            /// Steps into which the interval between the last price on waking that is too low for the supply
            /// and the first that is high enough is divided. With more steps the price is closer to the
            /// lowest one, and more guides are made.
            prices_between: u32 = 4, "steps", 1..=32;
            /// Price of a cell off the abstraction's way, for the beam that goes along it. A high price
            /// keeps the beam on the way, a low one lets it go round what the abstraction knows nothing of.
            off_way: u32 = 4, "actions", 0..=400;
        }
        /// A*, which proves that a plan is shortest.
        astar: AStar {
            /// Upper limit of the expansions of the first A*, which settles small and easy areas before
            /// anything else is tried.
            short_nodes: u64 = 3_000, "expansions", 0..=1 << 40;
            /// The first A*'s part of the remaining time.
            short_part: f64 = 0.125, "of the remaining time", 0.0..=1.0;
            /// Size of the greatest areas that get an A* after the beams without being asked for a proof. On
            /// larger ones it seldom ends, and the time is better spent on windows.
            small: usize = 40 * 40, "cells", 0..=1 << 20;
            /// A*'s part of the remaining time where no proof is asked for.
            part: f64 = 0.5, "of the remaining time", 0.0..=1.0;
        }
        /// Beams in several styles.
        beam: Beams {
            /// Width of the beam that each style begins with. A wide one finds shorter plans, and the last
            /// style has its turn later.
            first_width: usize = 96, "states of a layer", 1..=1 << 16;
            /// Divisor of a beam's width: the states on one cell may take this share. A great divisor keeps
            /// the beam spread over the board, a small one keeps more orders of the clickers apart.
            quota_divisor: usize = 20, "of the width", 1..=1 << 16;
            /// Length at which a beam of the first width has lost its way, beside the margin.
            patience: f64 = 1.5, "lengths of the guide's way", 1.0..=1000.0;
            /// Added to that length.
            margin: u64 = 64, "actions", 0..=1 << 20;
            /// Layers without a better estimate than before after which a beam of the first width has lost
            /// its way.
            headway: u32 = 24, "layers", 1..=1 << 20;
            /// Width up to which beams are doubled before windows shorten the plan. Wide beams find other
            /// plans, windows improve the one there is.
            wide: usize = 4096, "states of a layer", 1..=1 << 18;
            /// Width from which beams are shared with other processes. A narrow beam is over before they
            /// have heard of it.
            shared_width: usize = 1024, "states of a layer", 1..=1 << 20;
            /// Width of a beam that is run alone.
            alone_width: usize = 1024, "states of a layer", 1..=1 << 18;
        }
        /// Dives, cyclic best-first searches in a few styles.
        dives: Dives {
            /// How much longer than proven the first beam's plan has to be for dives to come next.
            far_off: u64 = 10, "percent of the bound", 0..=10_000;
            /// Expansions after which the next style dives. Short slices find the best style sooner, long
            /// ones lose less by changing.
            slice: u64 = 500, "expansions", 1..=1 << 32;
            /// Expansions without headway after which a dive is stuck, while there is no plan. Once all are,
            /// they begin again with tolls where they got stuck. A high number leaves more time to find a
            /// way through, a low one tries more ways round.
            stall: u64 = 1_400, "expansions", 1..=1 << 32;
            /// Divisor of that number: it grows by this share with each new beginning.
            stall_divisor: u64 = 4, "of the number", 1..=1 << 32;
            /// The dives' part of the remaining time.
            part: f64 = 0.4, "of the remaining time", 0.0..=1.0;
            /// Divisor of the nodes, where they are counted: dives have this share.
            nodes_divisor: u64 = 4, "of the nodes", 1..=1 << 32;
            /// Expansions without a better plan after which dives end, and beams go on.
            patience: u64 = 5_000, "expansions", 0..=1 << 32;
            /// Added to the patience for each action between the plan and the bound.
            more_patience: u64 = 400, "expansions", 0..=1 << 32;
            /// Levels of bricks that are kept apart, where there are many bricks. With more levels fewer
            /// bricks are wasted on the way, and each sweep is longer.
            levels: u32 = 4, "levels", 1..=16;
            /// The most numbers of bricks where each is a level of its own.
            few: u32 = 16, "numbers of bricks", 0..=16;
            /// The greatest price on waking a clicker of the styles that dive, but for that of short
            /// supplies. The more styles dive, the later the one that finds the way has its turns.
            dearest: u32 = 8, "eighths of an action", 0..=1 << 16;
        }
        /// The lower bound by abstraction.
        abstraction: Abstraction {
            /// Its part of the remaining time where nothing else goes on meanwhile.
            part: f64 = 0.4, "of the remaining time", 0.0..=1.0;
            /// Its part of the remaining time where other threads go on meanwhile.
            part_beside: f64 = 0.85, "of the remaining time", 0.0..=1.0;
            /// Divisor of the nodes, where they are counted: it has this share.
            nodes_divisor: u64 = 4, "of the nodes", 1..=1 << 32;
            /// Divisor of the memory: it has this share beside other work, which has what it leaves.
            memory_divisor: usize = 2, "of the memory", 2..=1 << 10;
            /// Bricks up to which they are counted from the first. Where there are more, counting costs
            /// most, and seldom matters: then it begins when a way throws more than there are.
            counted_bricks: u32 = 16, "bricks", 0..=255;
            /// Upper limit of the time of the search for a way, which is made where the first beam does badly.
            way_part: f64 = 0.1, "of the remaining time", 0.0..=1.0;
            /// Upper limit of the expansions of that search. A high limit finds a way on larger areas, and
            /// delays the dives.
            way_nodes: u64 = 50_000, "expansions", 0..=1 << 40;
        }
        /// Windows, which shorten a plan part by part.
        windows: Windows {
            /// Length of the first windows, which slide over the plan until none makes it shorter; then
            /// windows and beams are doubled.
            first_window: usize = 16, "actions", 2..=1 << 12;
            /// Width of the first windows' beams. Wide beams find more in each window, and come later to
            /// long windows.
            first_width: usize = 128, "states of a layer", 1..=1 << 14;
            /// Divisor of a beam's width: the states of a layer on one cell may take this share.
            quota_divisor: usize = 16, "of the width", 1..=1 << 14;
        }
    }
}
