//! Dives: cyclic best-first searches in several styles take turns where a beam does badly.
//!
//! Which style finds a way through a crowd, and how soon, differs from area to area by a factor of ten.
//! So each has a slice of expansions in turn until one has a plan; then that one has every other slice.
//! Few styles do: the more there are, the later the one that finds the way has its turns.
//! Contours are walking distances, not steps of the guide's way: a dive goes the way that the clickers
//! leave open, where a beam follows its guide round them. Where bricks are short, states with more of
//! them left are kept apart, or those that have wasted them on the way are all that is left at a passage
//! that wants one.

use super::beam_space::{Chase, Goal, leads_out};
use super::heuristic::UNIT;
use super::{Compass, LIGHT, Planner, Style};
use crate::games::last_of_us::state::{Board, Move, Simulator};
use crate::search::cyclic::Cyclic;
use crate::search::{Ended, Outcome, Statistics, StopReason, TurnReport, Verdict};

/// Expansions of a slice.
const SLICE: u64 = 500;
/// Part of the remaining time that dives have.
const PART: f64 = 0.6;
/// Divisor of the nodes, where they are counted: dives have this share.
const PART_OF_NODES: u64 = 4;
/// Divisor of the memory: all dives together have this share, beside their cached distance fields.
const PART_OF_MEMORY: usize = 4;
/// Expansions without a better plan after which dives end.
const PATIENCE: u64 = 5_000;
/// Further such expansions for each action between the plan and the bound.
const MORE_PATIENCE: u64 = 400;
/// Levels of bricks that are kept apart, where there are many.
const LEVELS: u32 = 4;
/// Most numbers of bricks where each is a level of its own.
const FEW: u32 = 16;
/// A style whose sleepers cost more than this is none to dive in, but for that of short supplies.
const DEAREST: u32 = UNIT;

/// Dives in some styles, for a share of the remaining budget.
pub(super) fn dive(planner: &mut Planner<'_>, compasses: &[Compass]) {
    let walk = planner.walk.clone();
    let mut styles = styles(compasses, levels(planner.board));
    let all = planner.clock.limits.memory / PART_OF_MEMORY;
    let each = Simulator::new(planner.board, 0).bytes();
    styles.truncate((all / 2 / each.max(1)).max(1));
    let field_bytes = planner.field_bytes() / styles.len().max(1);
    let memory = all / styles.len().max(1) + field_bytes;
    let mut spaces = Vec::new();
    for (compass, levels) in styles {
        spaces.push(Chase {
            board: planner.board,
            guide: &compass.guide,
            walk: &walk,
            thrift: compass.style.thrift,
            start: planner.board.start(),
            goal: Goal::Exit,
            field_bytes,
            to_exit: Some(&walk),
            supply_levels: Some(levels),
        });
    }
    let seed = planner.clock.limits.seed;
    let searches = spaces.iter().map(|space| Cyclic::new(space, UNIT, seed)).collect();
    Dives { searches, memory, turn: 0, winner: None }.run(planner);
}

/// The styles to dive in, each with the levels of bricks that it keeps apart: that for short supplies,
/// the bold one, and one that pays a little for each sleeper. Only the bold one does without levels.
fn styles(compasses: &[Compass], levels: u32) -> Vec<(&Compass, u32)> {
    let fits = |compass: &&Compass| {
        let Style { prices, thrift } = compass.style;
        prices.most != LIGHT.prices.most && (prices.wake <= DEAREST || thrift.roused > 0)
    };
    let levels_of = |compass: &Compass| if compass.style.prices.wake == 0 { 1 } else { levels };
    compasses.iter().filter(fits).map(|compass| (compass, levels_of(compass))).collect()
}

fn levels(board: &Board) -> u32 {
    let numbers = u32::from(board.bricks) + 1;
    if numbers <= FEW { numbers } else { LEVELS }
}

struct Dives<'a> {
    searches: Vec<Cyclic<'a, Chase<'a>>>,
    /// Bytes of each, with its cached distance fields.
    memory: usize,
    /// Slices so far.
    turn: usize,
    /// The search with the best plan.
    winner: Option<usize>,
}

impl Dives<'_> {
    fn run(&mut self, planner: &mut Planner<'_>) {
        planner.tell("dives".to_string());
        let end = planner.clock.elapsed() + planner.left().mul_f64(PART);
        let before = planner.effort.expanded;
        let most = planner.clock.limits.nodes.map_or(u64::MAX, |nodes| nodes / PART_OF_NODES);
        let mut found = before;
        let mut sim = Simulator::new(planner.board, planner.field_bytes());
        while !self.searches.is_empty() && !planner.settled() && !planner.out_of_budget() {
            let expanded = planner.effort.expanded;
            let is_patient = planner
                .gap()
                .is_none_or(|gap| expanded - found < PATIENCE.saturating_add(MORE_PATIENCE * gap));
            let left = end.saturating_sub(planner.clock.elapsed());
            if !is_patient || expanded - before >= most || left.is_zero() {
                break;
            }
            let mut clock = planner.part(Some(left), Some(SLICE));
            clock.limits.memory = self.memory;
            let index = self.next();
            let mut effort = Statistics::default();
            let upper = planner.length().unwrap_or(u64::MAX);
            let search = &mut self.searches[index];
            let dive = || {
                let plan = search.run(upper, &clock, &mut effort);
                let plan = plan.filter(|plan| leads_out(&mut sim, planner.board.start(), plan));
                (outcome(plan, effort), search.is_exhausted())
            };
            let (outcome, is_exhausted) =
                planner.clock.account("dives", dive, |(outcome, _)| report(outcome));
            let is_over = is_exhausted || outcome.effort.stopped == Some(StopReason::Memory);
            if outcome.plan.is_some() {
                self.winner = Some(index);
                found = expanded + outcome.effort.expanded;
            }
            planner.take(outcome);
            if is_over {
                self.leave_out(index);
            }
        }
    }

    /// Whose turn it is.
    fn next(&mut self) -> usize {
        self.turn += 1;
        match self.winner {
            Some(winner) if self.turn.is_multiple_of(2) => winner,
            Some(_) => self.turn / 2 % self.searches.len(),
            None => self.turn % self.searches.len(),
        }
    }

    fn leave_out(&mut self, index: usize) {
        self.searches.remove(index);
        self.winner = match self.winner {
            Some(winner) if winner == index => None,
            Some(winner) => Some(winner - usize::from(winner > index)),
            None => None,
        };
    }
}

/// Report of a dive: where it has spent its slice, it only rests.
fn report(outcome: &Outcome<Move>) -> TurnReport {
    let report = TurnReport::of(outcome);
    let is_resting = report.ended == Ended::Stopped(StopReason::Nodes);
    TurnReport { ended: if is_resting { Ended::Resting } else { report.ended }, ..report }
}

fn outcome(plan: Option<Vec<Move>>, effort: Statistics) -> Outcome<Move> {
    let cost = plan.as_ref().map_or(u64::MAX, |plan| plan.len() as u64);
    let verdict = if plan.is_some() { Verdict::Found } else { Verdict::Unknown };
    Outcome { verdict, plan, cost, bound: 0, effort }
}
