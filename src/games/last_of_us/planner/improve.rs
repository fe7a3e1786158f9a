//! Shortening a plan by searching windows of it again.
//!
//! A window is a part of the plan, from the state it starts in to the cell where Ellie stands at its
//! end. A beam looks for fewer actions between the two such that the rest of the plan still leads
//! out. Windows slide over the plan until none gives anything, then they and the beam grow. A plan
//! never gets longer, and the best one is there at any time. (The idea of improving a plan by
//! searching parts of it again: Ratner and Pohl, "Joint and LPA*", AAAI 1986; Nakhost and Müller,
//! "Action elimination and plan neighborhood graph search", ICAPS 2010.)

use super::actions_of;
use super::beam_space::{Chase, Goal, Thrift, leads_out};
use super::heuristic::{Guide, Prices, walk_field_between};
use crate::games::last_of_us::format::Action;
use crate::games::last_of_us::state::{Board, Move, Simulator, State};
use crate::games::planning::Found;
use crate::search::beam::Beam;
use crate::search::{Clock, Limits, Statistics};

/// The first windows, in actions.
const FIRST_WINDOW: usize = 16;
/// The first beam's width.
const FIRST_WIDTH: usize = 128;
/// Divisor of a beam's width: states of a layer on one cell may take this share.
const QUOTA_PART: usize = 16;

/// What shortening needs besides the plan.
pub struct Shortener<'a> {
    /// The board.
    pub board: &'a Board,
    /// Steps to the exit, ignoring clickers.
    pub to_exit: &'a [u32],
    /// The price list of the windows' guides.
    pub prices: Prices,
    /// How to spend bricks.
    pub thrift: Thrift,
    /// Memory of each thread's cached distance fields, in bytes.
    pub field_bytes: usize,
    /// A plan of this length is good enough.
    pub bound: u64,
}

/// A part of a plan that may get shorter.
struct Part<'a> {
    /// The state that it starts in.
    from: &'a State,
    /// The state that it ends in; only Ellie's cell must be the same.
    to: &'a State,
    /// The plan after it.
    rest: &'a [Move],
    /// Its actions.
    length: usize,
}

impl Shortener<'_> {
    /// Shortens a plan that leads out until the budget is spent or the windows are as long as the
    /// plan; `found` hears each better one. Adds to `effort`; runs in the current rayon pool.
    pub fn run(
        &self,
        plan: Vec<Move>,
        clock: &Clock,
        found: Found<'_, Action>,
        effort: &mut Statistics,
    ) -> Vec<Move> {
        let mut best = plan;
        let (mut window, mut width) = (FIRST_WINDOW, FIRST_WIDTH);
        while best.len() as u64 > self.bound && effort.stopped.is_none() {
            if !self.pass(&mut best, (window, width), clock, found, effort) {
                if window >= best.len() {
                    break;
                }
                window = (window * 2).min(best.len());
                width *= 2;
            }
        }
        best
    }

    /// Slides windows over the plan; whether it got shorter.
    fn pass(
        &self,
        best: &mut Vec<Move>,
        (window, width): (usize, usize),
        clock: &Clock,
        found: Found<'_, Action>,
        effort: &mut Statistics,
    ) -> bool {
        let before = best.len();
        let mut sim = Simulator::new(self.board, self.field_bytes);
        let mut states = states_of(self.board, &mut sim, best);
        let mut start = 0;
        while start < best.len() && best.len() as u64 > self.bound {
            effort.stopped = clock.should_stop(effort.expanded, 0);
            if effort.stopped.is_some() {
                break;
            }
            let end = (start + window).min(best.len());
            let part = Part {
                from: &states[start],
                to: &states[end],
                rest: &best[end..],
                length: end - start,
            };
            if let Some(part) = self.search(part, width, clock, effort) {
                let shorter = [&best[..start], &part, &best[end..]].concat();
                if leads_out(&mut sim, self.board.start(), &shorter) {
                    *best = shorter;
                    found(&actions_of(best), best.len() as u64);
                    states = states_of(self.board, &mut sim, best);
                }
            }
            start += (window / 2).max(1);
        }
        best.len() < before
    }

    /// Looks for fewer actions than the part has.
    fn search(
        &self,
        part: Part<'_>,
        width: usize,
        clock: &Clock,
        effort: &mut Statistics,
    ) -> Option<Vec<Move>> {
        let Part { from, to, rest, length } = part;
        let guide = Guide::between(self.board, self.prices, from.ellie, to.ellie);
        let walk = walk_field_between(self.board, from.ellie, to.ellie);
        if walk[from.ellie as usize] as usize >= length {
            return None;
        }
        let mut space = Chase {
            board: self.board,
            guide: &guide,
            walk: &walk,
            thrift: self.thrift,
            start: from.clone(),
            goal: if rest.is_empty() { Goal::Exit } else { Goal::Rejoin(rest) },
            field_bytes: self.field_bytes,
            to_exit: Some(self.to_exit),
            supply_levels: None,
        };
        space.start = space.without_what_is_behind(self.to_exit, from.clone());
        let beam = Beam { width, quota: Some(width / QUOTA_PART), layers: length as u32 - 1 };
        // A beam counts its own nodes only.
        let nodes = clock.limits.nodes.map(|nodes| nodes.saturating_sub(effort.expanded));
        let part = clock.part(Limits { nodes, time: clock.left(), ..clock.limits });
        let outcome = beam.run_in_current_pool(&space, &part, Some(length as u64));
        effort.expanded += outcome.effort.expanded;
        effort.generated += outcome.effort.generated;
        outcome.plan
    }
}

/// The states that a plan passes through, the start included.
pub fn states_of(board: &Board, sim: &mut Simulator<'_>, plan: &[Move]) -> Vec<State> {
    let mut states = vec![board.start()];
    for &action in plan {
        let (_, next) = sim.after(&states[states.len() - 1], action);
        match next {
            Some(next) => states.push(next),
            None => break,
        }
    }
    states
}
