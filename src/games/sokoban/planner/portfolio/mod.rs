//! The portfolio: several searches that fail differently, run in turns that grow.
//!
//! A level that one search solves in a moment may hold another for hours, and no feature of the
//! level tells which. So each search gets a turn of a few expansions, then all get twice as many,
//! and so on. No level costs much more than its best search times their number. Turns are counted
//! in expansions, and the answer of the first round counts, in it that of the first search in the
//! list. So the answer does not depend on the number of threads ([`first_answer`]).
//!
//! Before them all comes the packing plan, which several of them follow.
//!
//! The policy is [`first_answer`]; a new search implements [`Search`](crate::search::Search) and has a
//! place in `members`.

pub mod members;
pub mod opening;

use super::analysis::Prepared;
use super::limits::SQUARE_BYTES;
use super::packing::plan_search::{ExitOrder, ExitRules, PlanOptions, THOROUGH};
use super::packing::{self, Packing};
use crate::games::sokoban::board::Push;
use crate::search::portfolio::by_place::first_answer;
use crate::search::{Clock, Found, Outcome};
use members::members;
use std::sync::Arc;

/// Bytes of the process before any search holds any, and of the working memory of those that run.
const PROCESS: usize = 18 << 20;
/// What the process takes for each byte that searches count as held, as a fraction. Tables that
/// double are there twice for a moment, and the allocator keeps what searches that are over gave
/// back; measured at 16, 64 and 256 MiB it is 1.2 to 2.4 bytes.
const PER_HELD: (usize, usize) = (9, 4);

/// Solves a level with the portfolio and passes the plan to `found`. Returns the outcome, whose bound is 0, and
/// the name of the search that found the plan.
pub fn solve(
    level: Prepared<'_>,
    clock: &Clock,
    found: Found<'_, Push>,
) -> (Outcome<Push>, Option<&'static str>) {
    solve_with(level, clock, found, None)
}

/// Solves a level with the portfolio, or with the one of its searches that is named.
pub fn solve_with(
    level: Prepared<'_>,
    clock: &Clock,
    found: Found<'_, Push>,
    named: Option<&str>,
) -> (Outcome<Push>, Option<&'static str>) {
    let (plan, place) = (packing_plan(level, clock), opening::Place::new());
    let mut members = members(level, &plan, &place, (clock.limits.seed, named));
    let memory = may_hold(clock.limits.memory, level.board.squares());
    first_answer(&mut members, memory, clock, found)
}

/// The packing plan that several members follow.
pub fn packing_plan(Prepared { board, analysis, .. }: Prepared<'_>, clock: &Clock) -> Arc<Packing> {
    let options =
        PlanOptions { exit_order: ExitOrder::Far, rules: ExitRules::STRICT, work: THOROUGH };
    Arc::new(packing::plan(board, analysis, options, clock))
}

/// Bytes that searches of a board of `squares` squares may count as held for the process to keep to
/// `memory` bytes.
fn may_hold(memory: usize, squares: usize) -> usize {
    memory.saturating_sub(PROCESS + squares * SQUARE_BYTES).max(memory / 4) / PER_HELD.0
        * PER_HELD.1
}
