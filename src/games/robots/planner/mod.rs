//! The planner: the statement's strategy first, then beams that grow until the answer is proven.
//!
//! The strategy's win, where it wins, is the plan to beat: no answer is longer. Then `beam` looks
//! for shorter plans with a beam twice as wide each time, until one was wide enough to cut
//! nothing (its answer is proven) or the budget is spent. Symmetry is not used: your cell is not the
//! board's centre, so that only a reflection in the diagonal keeps the board, and hardly ever the
//! robots. Unused teleports are: of equal boards only those stay whose unused entries are not
//! among those of another.

mod beam;
mod bound;

use super::format::Case;
use super::program;
use super::state::{Action, State};
use crate::games::objective::Objective;
use crate::search::{Budget, Clock, Outcome, Progress, Statistics, Verdict};
use beam::{Beam, bytes_per_width};

/// The first beam's width.
const FIRST_WIDTH: usize = 128;
/// How much wider each beam is than the one before.
const WIDENING: usize = 2;
/// No beam is wider.
const LAST_WIDTH: usize = 1 << 24;

/// Looks for a short winning plan, below `known` moves where such a plan is known.
///
/// A proof is what it looks for in any case. Where the known plan is proven to be shortest, the answer is `Optimal` without a plan.
pub fn solve(
    case: &Case,
    _objective: &Objective,
    known: Option<u64>,
    budget: &Budget,
) -> Outcome<Action> {
    solve_from(case, State::new(case), known, budget)
}

/// The same from a position in which robots are left. Moves count from there.
pub fn solve_from(
    case: &Case,
    start: State,
    known: Option<u64>,
    budget: &Budget,
) -> Outcome<Action> {
    let clock = budget.start();
    let game = program::play_from(case, start);
    let length = known.map_or(u32::MAX, |known| u32::try_from(known).unwrap_or(u32::MAX));
    let mut best = Best { plan: None, length, bound: 1 };
    if game.won && (game.actions.len() as u32) < best.length {
        best.improve(game.actions, &clock);
    }
    let mut beam = Beam::new(case, start, clock);
    let mut stopped = None;
    let most = (budget.memory / bytes_per_width(case)).clamp(1, LAST_WIDTH);
    let mut width = FIRST_WIDTH.min(most);
    let complete = loop {
        let pass = beam.pass(width, best.length);
        best.bound = best.bound.max(pass.bound);
        let better = pass.plan.is_some();
        if let Some(plan) = pass.plan {
            best.improve(plan, &clock);
        }
        clock.tell(&best.progress(&beam, clock, width));
        if pass.complete || best.bound >= best.length {
            break true;
        }
        stopped = pass.stopped;
        if stopped.is_some() || (width == most && !better) {
            break false;
        }
        width = width.saturating_mul(WIDENING).min(most);
    };
    let effort = Statistics {
        expanded: beam.expanded,
        generated: beam.generated,
        elapsed: clock.elapsed(),
        memory: beam.memory,
        stopped,
    };
    best.outcome(complete, effort)
}

/// The narrowest beam that wins, of widths 1, 2, 4 and so on to `most`, and the plan it finds: how
/// hard a case is. `None` where no such beam wins within the budget.
pub fn narrowest_win(case: &Case, most: usize, budget: &Budget) -> Option<(usize, Vec<Action>)> {
    let mut beam = Beam::new(case, State::new(case), budget.start());
    let mut width = 1;
    while width <= most {
        let pass = beam.pass(width, u32::MAX);
        if let Some(plan) = pass.plan {
            return Some((width, plan));
        }
        if pass.complete || pass.stopped.is_some() {
            return None;
        }
        width *= 2;
    }
    None
}

/// The best plan so far, and what is proven.
struct Best {
    plan: Option<Vec<Action>>,
    /// Its length, or that of the plan known before; `u32::MAX` without either.
    length: u32,
    bound: u32,
}

impl Best {
    fn improve(&mut self, plan: Vec<Action>, clock: &Clock<'_>) {
        debug_assert!((plan.len() as u32) < self.length);
        clock.found(|| plan.clone());
        self.length = plan.len() as u32;
        self.plan = Some(plan);
    }

    fn progress(&self, beam: &Beam<'_>, clock: Clock<'_>, width: usize) -> Progress {
        Progress {
            phase: format!("beam of {width}"),
            nodes: beam.expanded,
            best: (self.length != u32::MAX).then_some(u64::from(self.length)),
            bound: u64::from(self.bound.min(self.length)),
            fraction: clock.elapsed().as_secs_f64() / clock.budget.time.as_secs_f64().max(1e-9),
        }
    }

    fn outcome(self, complete: bool, effort: Statistics) -> Outcome<Action> {
        let verdict = match (&self.plan, complete) {
            (None, true) if self.length == u32::MAX => Verdict::Impossible,
            (_, true) => Verdict::Optimal,
            (Some(_), false) => Verdict::Found,
            (None, false) => Verdict::Unknown,
        };
        let cost = if self.plan.is_some() { u64::from(self.length) } else { u64::MAX };
        let bound = match verdict {
            Verdict::Impossible => u64::MAX,
            _ if complete => u64::from(self.length),
            _ => u64::from(self.bound.min(self.length)),
        };
        Outcome { verdict, plan: self.plan, cost, bound, effort }
    }
}
