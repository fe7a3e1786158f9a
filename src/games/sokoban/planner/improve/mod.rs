//! Makes a known plan shorter.
//!
//! Parts of the plan are searched again one by one ([`window`]):
//!
//! - near the whole plan and near parts of it: the boxes stand as in some position of the plan, but
//!   for one, two or three of them, which may be anywhere. The boxes astray may be others at every
//!   time, so one search puts together many small changes. It is the vicinity search of the Sokoban
//!   community's optimisers (invented by Sébastien Gouëzel, known from Brian Damgaard's YASO and
//!   Matthias Meger's JSoko), which list the positions first; here A* leaves out what is elsewhere.
//! - in a *window*: a short part, in which every box may move anywhere;
//! - on a *journey*: the whole plan, in which two or three boxes go other ways, or at other times,
//!   between the pushes of all others, as in Virkkala's box-order search.
//!
//! Each round allows a search more nodes than the round before. A part that is proven to have no
//! cheaper form is skipped until the plan there has changed. Where pushes count and the shortest
//! searches find nothing any more, other plans are looked for beside it ([`short_plans`]), and what
//! is near two plans at once is searched ([`Shortening::relink`]).
//!
//! The two searches, [`Shortening`] and [`ShortPlans`], return their plans to the portfolio
//! ([`Anytime`]); who plays next is said here.

pub mod short_plans;
pub mod shortening;
pub mod window;

use crate::games::planning::Found;
use crate::games::sokoban::board::Push;
use crate::games::sokoban::planner::analysis::Prepared;
use crate::games::sokoban::planner::bound;
use crate::games::sokoban::planner::pushes::Measure;
use crate::games::sokoban::planner::tuning::Tuning;
use crate::search::portfolio::anytime::Anytime;
use crate::search::portfolio::round::Seat;
use crate::search::{Clock, Known, Limits, Outcome, Search, StopReason};
use short_plans::ShortPlans;
use shortening::{REST, Shortening};
use std::sync::Arc;

/// Nodes of a turn that lasts until something is found: more than any turn takes.
const LONG_TURN: u64 = u64::MAX / 4;

/// Shortens pushes that lead from the level's start to a solved position. Never gives a longer plan
/// back. The bound is one of pushes.
pub fn improve<'a>(
    level: Prepared<'a>,
    pushes: Vec<Push>,
    measure: Measure,
    found: Found<'a, Push>,
    clock: &Clock,
) -> Outcome<Push> {
    let Prepared { board, distances, .. } = level;
    let bound = bound::of_start(board, distances).unwrap_or(0);
    let cost = measure.cost(board, &pushes).map(u64::from);
    let begun = Shortening::new(level, pushes.clone(), measure);
    let (Some(cost), Some(shortening)) = (cost, begun) else {
        return Outcome::unknown(bound, Default::default());
    };
    let prefers = |plan: &[Push], other: &[Push]| measure.prefers(board, plan, other);
    let known = Known { bound, ..Known::default() };
    let mut desk = Anytime::new(clock.clone(), known, found).preferring(&prefers);
    desk.begin_with(cost, pushes);
    let mut improvement = Improvement { level, measure, desk, shortening };
    let stopped = improvement.run();
    improvement.desk.effort.stopped = stopped;
    improvement.desk.outcome()
}

/// A plan that is being improved: windows first alone, then beside the search for other plans, and at
/// last for fewer moves.
struct Improvement<'a, 'd> {
    level: Prepared<'a>,
    measure: Measure,
    desk: Anytime<'d, Push>,
    shortening: Shortening<'a>,
}

impl Improvement<'_, '_> {
    /// Plays all turns. Why it stopped where something was left to try.
    fn run(&mut self) -> Option<StopReason> {
        self.play_alone();
        if self.shortening.is_through {
            return None;
        }
        if let Some(stop) = self.stop(self.desk.clock.limits.nodes) {
            return Some(stop);
        }
        let limits = self.desk.clock.limits;
        let stopped = limits.install(|| self.beside_other_plans());
        if stopped.is_some() || self.shortening.is_through {
            return stopped;
        }
        // Of plans with as few pushes as the bound says, one of fewer moves is better.
        let rest = self.desk.rest();
        self.desk.play_on(&mut self.shortening, rest);
        self.stop(rest.nodes).filter(|_| !self.shortening.is_through)
    }

    /// Plays windows alone: moves to the end, pushes while short searches are due.
    fn play_alone(&mut self) {
        let all = self.desk.rest();
        let Tuning { planner, windows, .. } = self.level.tuning;
        let nodes = all.nodes.map(|nodes| nodes / u64::from(planner.alone));
        let part = Limits { time: all.time / planner.alone, nodes, ..all };
        let is_part = self.measure == Measure::Pushes;
        self.shortening.rest_above(if is_part { windows.stalled } else { usize::MAX });
        self.desk.play_on(&mut self.shortening, if is_part { part } else { all });
        self.shortening.rest_above(usize::MAX);
    }

    /// Why improving stops now. Of the `nodes` of the last turns some may be left that are not worth a
    /// search.
    fn stop(&self, nodes: Option<u64>) -> Option<StopReason> {
        let rest = nodes.map_or(0, |nodes| nodes / REST);
        self.desk.clock.should_stop(self.desk.effort.expanded + rest, 0)
    }

    /// Goes on with a plan beside the search for shorter ones, in turns, until it has as few pushes as
    /// the bound says.
    ///
    /// Where nodes are counted either side has as many of them in a turn. Else it lasts until the other
    /// plans have a shorter one, or nothing is left to try on this one, so that no side waits.
    fn beside_other_plans(&mut self) -> Option<StopReason> {
        let Limits { nodes, seed, .. } = self.desk.clock.limits;
        let planner = self.level.tuning.planner;
        let mut plans = ShortPlans::new(self.level, Some(self.shortening.drifting()), seed);
        loop {
            let is_through = self.shortening.is_through;
            let looked = self.desk.effort.expanded - plans.spent().expanded;
            let Known { cost, bound } = self.desk.known();
            if cost <= bound || is_through && plans.counted() >= looked + planner.last_turns {
                return None;
            }
            let spent = looked + plans.counted();
            let left = nodes.map_or(u64::MAX, |nodes| nodes.saturating_sub(spent));
            let is_long = nodes.is_none() && !is_through;
            let turn = planner.turn.max(self.shortening.worth_while()).min(left / 2);
            let turn = if is_long { LONG_TURN } else { turn };
            if turn == 0 {
                return Some(StopReason::Nodes);
            }
            if let Some(stop) = self.desk.clock.should_stop(0, 0) {
                return Some(stop);
            }
            plans.follow(is_long.then(|| Arc::clone(self.shortening.least())));
            self.play_round(&mut plans, turn, is_long);
        }
    }

    /// Lets both sides play, and goes on with the plan of the other side where that is shorter.
    fn play_round(&mut self, plans: &mut ShortPlans<'_>, turn: u64, is_long: bool) {
        let clock = &self.desk.clock;
        let Limits { nodes, memory, .. } = clock.limits;
        let memory = memory / 2;
        let part = clock.part(Limits { time: clock.left(), memory, ..clock.limits });
        let ours = self.shortening.spent().expanded + turn;
        let theirs = plans.counted() + turn;
        // Where nodes are counted no search does more than are left.
        let nodes = nodes.map_or(u64::MAX, |_| theirs);
        let (here, there) = (part.clone(), part.quiet());
        let shortening = &mut self.shortening;
        let mut seats = [
            Seat {
                clock: here,
                share: ours,
                nodes: ours,
                memory,
                search: shortening,
                goes_on: true,
            },
            Seat { clock: there, share: theirs, nodes, memory, search: plans, goes_on: !is_long },
        ];
        self.desk.play_round(&mut seats, is_long);
        let best = self.desk.plan().filter(|best| best.len() < self.shortening.plan.len());
        let better = best.map(<[Push]>::to_vec);
        if let Some(better) =
            better.and_then(|pushes| Shortening::new(self.level, pushes, Measure::Pushes))
        {
            self.shortening = better;
        }
    }
}
