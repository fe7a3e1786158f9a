//! Dives: cyclic best-first searches in several styles, where a beam does badly.
//!
//! Which style finds a way through a crowd, and how soon, differs from area to area by a factor of ten.
//! So all play rounds, on as many threads as there are, a slice of expansions each; the one with the best
//! plan has as many slices as there are dives.
//! Few styles do: the more there are, the later the one that finds the way has its turns.
//! Contours are walking distances, not steps of the guide's way: a dive goes the way that the clickers
//! leave open, where a beam follows its guide round them. Where bricks are short, states with more of
//! them left are kept apart, or those that have wasted them on the way are all that is left at a passage
//! that wants one.
//!
//! A dive is at the far end of a maze after some hundred expansions, and often stays before one crowd
//! there that cannot be passed. When all dives are stuck, they begin again with [`Tolls`] on the cells
//! ahead, and so on until one has found a way round.

use super::beam_space::{BeamSpace, Contours};
use super::compasses::{Compass, LIGHT, Style};
use super::ground::Ground;
use super::heuristic::{FREE, Guide, Tolls, UNIT};
use super::tuning;
use crate::board::UNREACHED;
use crate::games::last_of_us::state::{Board, Move, Simulator};
use crate::search::cyclic::Cyclic;
use crate::search::portfolio::anytime::Anytime;
use crate::search::portfolio::round::Seat;
use crate::search::{Allowance, Ended, Known, Limits, Search, Spent, Turn};
use rayon::prelude::*;
use std::time::Duration;

/// Divisor of the memory: all dives together have this share, beside their cached distance fields.
const PART_OF_MEMORY: usize = 4;

/// The number of guides that a way round takes memory for: those of three styles, and one for the contours.
pub const GUIDES: usize = 4;

/// Dives in some styles, for a share of the remaining budget. The compass of the best plan's dive, where that
/// has gone round a place where others got stuck.
pub fn dive(
    desk: &mut Anytime<'_, Move>,
    ground: &Ground<'_>,
    compasses: &[Compass],
    tuning: &tuning::Dives,
) -> Option<Compass> {
    desk.tell("dives");
    let mut styles = styles(compasses, ground.board, tuning);
    let all = desk.clock.limits.memory / PART_OF_MEMORY;
    let each = Simulator::new(ground.board, 0).bytes();
    styles.truncate((all / 2 / each.max(1)).max(1));
    let field_bytes = ground.room.fields / styles.len().max(1);
    let memory = all / styles.len().max(1) + field_bytes;
    let has_room = ground.guides > compasses.len() + styles.len();
    let mut stall = if has_room { tuning.stall } else { u64::MAX };
    let mut budget = Budget::new(desk, tuning);
    let mut tolls = Tolls::none();
    let mut steps = ground.walk.clone();
    loop {
        let spaces = styles.iter().map(|(compass, levels)| BeamSpace {
            field_bytes,
            contours: Some(Contours { steps: &steps, levels: *levels }),
            ..ground.beam_space(compass)
        });
        let spaces: Vec<BeamSpace<'_>> = spaces.collect();
        let mut dives = Dives::new(&spaces, desk.clock.limits.seed, memory, stall, tuning);
        if dives.run(desk, &mut budget) {
            let winner = dives.winner.map(|winner| styles[winner].0.clone());
            return winner.filter(|_| !tolls.is_empty());
        }
        for dive in &dives.searches {
            tolls.raise(ground.board, &steps, dive.search.expanded().map(|state| state.ellie));
        }
        drop(spaces);
        stall = stall.saturating_add(stall / tuning.stall_divisor);
        steps = steps_with(&tolls, ground.board);
        styles.par_iter_mut().for_each(|(compass, _)| {
            *compass = Compass::with_tolls(ground.board, compass.style, &tolls);
        });
    }
}

/// Steps to the exit from each cell, and the tolls on the way.
fn steps_with(tolls: &Tolls, board: &Board) -> Vec<u32> {
    let mut priced = Guide::with_tolls(board, FREE, tolls).priced;
    priced.iter_mut().filter(|steps| **steps != UNREACHED).for_each(|steps| *steps /= UNIT);
    priced
}

/// The styles to dive in, each with the levels of bricks that it keeps apart: that for short supplies,
/// the bold one, and one that pays a little for each sleeper. Only the bold one does without levels.
fn styles(compasses: &[Compass], board: &Board, tuning: &tuning::Dives) -> Vec<(Compass, u32)> {
    let numbers = u32::from(board.bricks) + 1;
    let levels = if numbers <= tuning.few { numbers } else { tuning.levels };
    let fits = |compass: &&Compass| {
        let Style { prices, thrift } = compass.style;
        compass.style != LIGHT && (prices.wake <= tuning.dearest || thrift.roused > 0)
    };
    let levels_of = |compass: &Compass| if compass.style.prices.wake == 0 { 1 } else { levels };
    compasses.iter().filter(fits).map(|compass| (compass.clone(), levels_of(compass))).collect()
}

/// A cyclic best-first search in one style. It can rest between any two states, and ends its turn with
/// each plan, which may fail because of a clicker that was forgotten.
pub struct Dive<'a> {
    search: Cyclic<'a, BeamSpace<'a>>,
    /// Cost of its last plan.
    cost: Option<u64>,
    /// The nearest contour that it has come to.
    front: usize,
    /// Expansions until then.
    came: u64,
    /// Whether it plays no more.
    is_out: bool,
}

impl<'a> Dive<'a> {
    /// A dive in a space whose classes are contours.
    pub fn new(space: &'a BeamSpace<'a>, seed: u64) -> Self {
        let search = Cyclic::new(space, UNIT, seed);
        Dive { search, cost: None, front: usize::MAX, came: 0, is_out: false }
    }

    /// Expansions since it came nearer to the exit.
    fn stalled(&self) -> u64 {
        self.spent().expanded - self.came
    }
}

impl Search for Dive<'_> {
    type Plan = Vec<Move>;
    type Lesson = ();

    fn name(&self) -> &'static str {
        "dives"
    }

    fn turn(&mut self, known: Known, allowance: &Allowance<'_>) -> Turn<Vec<Move>> {
        let turn = self.search.turn(known, allowance);
        self.cost = turn.plan.as_ref().map(|&(cost, _)| cost).or(self.cost);
        if self.search.front() < self.front {
            (self.front, self.came) = (self.search.front(), self.spent().expanded);
        }
        let ended = if self.search.is_exhausted() { Ended::Exhausted } else { turn.ended };
        Turn { ended, ..turn }
    }

    fn spent(&self) -> Spent {
        self.search.spent()
    }
}

/// The shared budget of all dives.
struct Budget {
    /// By the desk's clock.
    end: Duration,
    /// Expansions of the desk at the beginning, and when the last better plan was found.
    before: u64,
    found: u64,
    /// Upper limit of the expansions.
    nodes: u64,
}

impl Budget {
    fn new(desk: &Anytime<'_, Move>, tuning: &tuning::Dives) -> Self {
        let before = desk.effort.expanded;
        let nodes = desk.clock.limits.nodes.map_or(u64::MAX, |nodes| nodes / tuning.nodes_divisor);
        let end = desk.clock.elapsed() + desk.left().mul_f64(tuning.part);
        Budget { end, before, found: before, nodes }
    }

    /// The time and expansions left, or `None` when the dives should end.
    fn left(&self, desk: &Anytime<'_, Move>, tuning: &tuning::Dives) -> Option<(Duration, u64)> {
        let &tuning::Dives { patience, more_patience, .. } = tuning;
        let expanded = desk.effort.expanded;
        let patience = |gap| patience.saturating_add(more_patience * gap);
        let is_patient = desk.gap().is_none_or(|gap| expanded - self.found < patience(gap));
        let time = self.end.saturating_sub(desk.clock.elapsed()).min(desk.left());
        let left = desk.rest().nodes.unwrap_or(u64::MAX);
        let nodes = self.nodes.saturating_sub(expanded - self.before).min(left);
        let is_over = !is_patient || nodes == 0 || time.is_zero() || desk.is_over();
        (!is_over).then_some((time, nodes))
    }
}

/// The dives, which play rounds.
struct Dives<'a> {
    searches: Vec<Dive<'a>>,
    tuning: &'a tuning::Dives,
    /// Bytes of each, with its cached distance fields.
    memory: usize,
    /// Expansions without headway after which a dive is stuck.
    stall: u64,
    /// The search with the best plan.
    winner: Option<usize>,
}

impl<'a> Dives<'a> {
    fn new(
        spaces: &'a [BeamSpace<'a>],
        seed: u64,
        memory: usize,
        stall: u64,
        tuning: &'a tuning::Dives,
    ) -> Self {
        let searches = spaces.iter().map(|space| Dive::new(space, seed)).collect();
        Dives { searches, tuning, memory, stall, winner: None }
    }

    /// Dives until nothing is left of the budget, or all are stuck or exhausted; whether nothing is left.
    fn run(&mut self, desk: &mut Anytime<'_, Move>, budget: &mut Budget) -> bool {
        loop {
            let Some((time, nodes)) = budget.left(desk, self.tuning) else { return true };
            let playing = self.searches.iter().filter(|search| !search.is_out).count() as u64;
            if playing == 0 {
                // Where there is a plan, dives go round nothing, and where all has been tried, there is
                // nothing to go round.
                let is_exhausted = |dive: &Dive<'_>| dive.search.is_exhausted();
                return desk.plan().is_some() || self.searches.iter().all(is_exhausted);
            }
            let most = nodes / playing;
            if most == 0 {
                return true;
            }
            if self.play_round(desk, (time, most), playing) {
                budget.found = desk.effort.expanded;
            }
        }
    }

    /// Plays one round: each dive gets one slice, the winner one for every dive in the round. `time` and `most`
    /// expansions limit each of them. Returns whether a better plan was found.
    fn play_round(
        &mut self,
        desk: &mut Anytime<'_, Move>,
        (time, most): (Duration, u64),
        playing: u64,
    ) -> bool {
        let clock = desk.clock.part(Limits { time, ..desk.clock.limits }).quiet();
        let (memory, winner, slice) = (self.memory, self.winner, self.tuning.slice);
        let before = desk.known().cost;
        let mut seats = Vec::new();
        for (index, search) in self.searches.iter_mut().enumerate().filter(|(_, dive)| !dive.is_out)
        {
            let slices = if winner == Some(index) { playing } else { 1 };
            let share = (slices * slice).min(most) + search.spent().expanded;
            let clock = clock.clone();
            seats.push(Seat { search, clock, share, nodes: u64::MAX, memory, goes_on: false });
        }
        let ended = desk.play_round(&mut seats, false);
        let cost = desk.known().cost;
        let is_better = cost < before;
        if is_better {
            self.winner = self.searches.iter().position(|search| search.cost == Some(cost));
        }
        let has_plan = desk.plan().is_some();
        let playing = self.searches.iter_mut().filter(|search| !search.is_out);
        for (search, ended) in playing.zip(ended) {
            let is_stuck = !has_plan && search.stalled() >= self.stall;
            search.is_out = ended != Ended::Resting || is_stuck;
        }
        is_better
    }
}
