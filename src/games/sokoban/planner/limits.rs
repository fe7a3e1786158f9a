//! What a budget allows before a search has begun: boards that are too large, time set aside.

use crate::games::fact::Fact;
use crate::games::sokoban::board::{Board, Push};
use crate::search::{Clock, Limits, Outcome, Statistics, StopReason};
use std::time::Duration;

/// Bytes that a planner's tables of distances take for a square and a target.
const PAIR_BYTES: usize = 6;
/// Bytes that the working boards of all searches take for a square. Measured are 1000 to 1200 on
/// boards of ten thousand squares and more.
pub(super) const SQUARE_BYTES: usize = 1200;
/// Pairs of a square and a target that are measured in a second; the machines we know take half of
/// that time.
const PAIRS_A_SECOND: f64 = 4e6;
/// Squares that may be looked at before the first expansion, whatever the budget in nodes.
const FREE_SQUARES: usize = 2_000_000;
/// Further such squares for each node: from 20 000 nodes on no board is too large.
const SQUARES_A_NODE: usize = 4000;
/// Divisor of the time: at most this share is set aside for what follows a search.
const ASIDE: u32 = 50;

/// The remaining time for searches after the analysis of a level. Time to write the plan and to
/// free the memory is set aside. Both take about as long as the analysis, which matters only on
/// boards of thousands of squares.
pub(super) fn left_for_search(clock: &Clock) -> Duration {
    clock.left().saturating_sub(clock.elapsed().min(clock.limits.time / ASIDE))
}

/// The answer where a board is too large for a budget, with a note that says what it would take.
pub(super) fn refusal(board: &Board, limits: &Limits) -> Option<(Outcome<Push>, Fact)> {
    let (stop, why) = too_large(board, limits)?;
    let effort = Statistics { stopped: Some(stop), ..Statistics::default() };
    Some((Outcome::unknown(0, effort), Fact::new("too large", why)))
}

/// Squares that a packing plan, or the distances of a board, may look at under a budget in nodes.
/// Neither has expansions that could be counted.
pub(super) fn preparation(limits: &Limits) -> usize {
    let nodes = limits.nodes.and_then(|nodes| usize::try_from(nodes).ok()).unwrap_or(usize::MAX);
    nodes.saturating_mul(SQUARES_A_NODE).saturating_add(FREE_SQUARES)
}

/// Whether a board is too large to be planned for: its distances and the boards that searches work
/// on would take more than half of the memory, or the distances all of the time or of the nodes.
fn too_large(board: &Board, limits: &Limits) -> Option<(StopReason, String)> {
    let (squares, targets) = (board.squares(), board.targets.len());
    let pairs = squares * targets;
    let bytes = pairs * PAIR_BYTES + squares * SQUARE_BYTES;
    let seconds = pairs as f64 / PAIRS_A_SECOND;
    let what = format!("{squares} squares with {targets} targets");
    if bytes > limits.memory / 2 {
        let mebibytes = (bytes * 2).div_ceil(1 << 20);
        Some((StopReason::Memory, format!("{what} ask for --memory {mebibytes} or more")))
    } else if seconds > limits.time.as_secs_f64() {
        Some((StopReason::Time, format!("{what} ask for --time {:.0} or more", seconds.ceil())))
    } else if pairs > preparation(limits) {
        let nodes = (pairs - FREE_SQUARES).div_ceil(SQUARES_A_NODE);
        Some((StopReason::Nodes, format!("{what} ask for --nodes {nodes} or more")))
    } else {
        None
    }
}
