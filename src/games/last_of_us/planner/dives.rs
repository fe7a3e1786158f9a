//! Dives: cyclic best-first searches in several styles take turns where a beam does badly.
//!
//! Which style finds a way through a crowd, and how soon, differs from area to area by a factor of ten.
//! So each has a slice of expansions in turn until one has a plan; then that one has every other slice.
//! Few styles do: the more there are, the later the one that finds the way has its turns.
//! Contours are walking distances, not steps of the guide's way: a dive goes the way that the clickers
//! leave open, where a beam follows its guide round them. Where bricks are short, states with more of
//! them left are kept apart, or those that have wasted them on the way are all that is left at a passage
//! that wants one.

use super::beam_space::Chase;
use super::compasses::{Compass, LIGHT, Style};
use super::ground::Ground;
use super::heuristic::UNIT;
use super::tuning;
use crate::games::last_of_us::state::{Board, Move, Simulator};
use crate::search::cyclic::Cyclic;
use crate::search::portfolio::anytime::Anytime;
use crate::search::{Allowance, Ended, Known, Search, Spent, Turn};

/// Divisor of the memory: all dives together have this share, beside their cached distance fields.
const PART_OF_MEMORY: usize = 4;

/// Dives in some styles, for a share of the remaining budget.
pub fn dive(
    desk: &mut Anytime<'_, Move>,
    ground: &Ground<'_>,
    compasses: &[Compass],
    tuning: &tuning::Dives,
) {
    let mut styles = styles(compasses, ground.board, tuning);
    let all = desk.clock.limits.memory / PART_OF_MEMORY;
    let each = Simulator::new(ground.board, 0).bytes();
    styles.truncate((all / 2 / each.max(1)).max(1));
    let field_bytes = ground.room.fields / styles.len().max(1);
    let memory = all / styles.len().max(1) + field_bytes;
    let spaces: Vec<Chase<'_>> = styles
        .into_iter()
        .map(|(compass, levels)| Chase {
            field_bytes,
            supply_levels: Some(levels),
            ..ground.chase(compass)
        })
        .collect();
    let seed = desk.clock.limits.seed;
    let searches = spaces.iter().map(|space| Dive::new(space, seed)).collect();
    Dives { searches, tuning, memory, turn: 0, winner: None }.run(desk);
}

/// The styles to dive in, each with the levels of bricks that it keeps apart: that for short supplies,
/// the bold one, and one that pays a little for each sleeper. Only the bold one does without levels.
fn styles<'a>(
    compasses: &'a [Compass],
    board: &Board,
    tuning: &tuning::Dives,
) -> Vec<(&'a Compass, u32)> {
    let numbers = u32::from(board.bricks) + 1;
    let levels = if numbers <= tuning.few { numbers } else { tuning.levels };
    let fits = |compass: &&Compass| {
        let Style { prices, thrift } = compass.style;
        compass.style != LIGHT && (prices.wake <= tuning.dearest || thrift.roused > 0)
    };
    let levels_of = |compass: &Compass| if compass.style.prices.wake == 0 { 1 } else { levels };
    compasses.iter().filter(fits).map(|compass| (compass, levels_of(compass))).collect()
}

/// A cyclic best-first search in one style. It can rest between any two states, and ends its turn with
/// each plan, which may fail because of a clicker that was forgotten.
pub struct Dive<'a>(Cyclic<'a, Chase<'a>>);

impl<'a> Dive<'a> {
    /// A dive in a space whose classes are contours.
    pub fn new(space: &'a Chase<'a>, seed: u64) -> Self {
        Dive(Cyclic::new(space, UNIT, seed))
    }
}

impl Search for Dive<'_> {
    type Plan = Vec<Move>;
    type Lesson = ();

    fn name(&self) -> &'static str {
        "dives"
    }

    fn turn(&mut self, known: Known, allowance: &Allowance<'_>) -> Turn<Vec<Move>> {
        let turn = self.0.turn(known, allowance);
        let ended = if self.0.is_exhausted() { Ended::Exhausted } else { turn.ended };
        Turn { ended, ..turn }
    }

    fn spent(&self) -> Spent {
        self.0.spent()
    }
}

/// The dives, and the order in which they take turns.
struct Dives<'a> {
    searches: Vec<Dive<'a>>,
    tuning: &'a tuning::Dives,
    /// Bytes of each, with its cached distance fields.
    memory: usize,
    /// Slices so far.
    turn: usize,
    /// The search with the best plan.
    winner: Option<usize>,
}

impl Dives<'_> {
    fn run(&mut self, desk: &mut Anytime<'_, Move>) {
        desk.tell("dives");
        let tuning::Dives { slice, part, nodes_divisor, patience, more_patience, .. } =
            *self.tuning;
        let end = desk.clock.elapsed() + desk.left().mul_f64(part);
        let before = desk.effort.expanded;
        let most = desk.clock.limits.nodes.map_or(u64::MAX, |nodes| nodes / nodes_divisor);
        let mut found = before;
        while !self.searches.is_empty() && !desk.is_over() {
            let expanded = desk.effort.expanded;
            let is_patient = desk
                .gap()
                .is_none_or(|gap| expanded - found < patience.saturating_add(more_patience * gap));
            let left = end.saturating_sub(desk.clock.elapsed());
            if !is_patient || expanded - before >= most || left.is_zero() {
                break;
            }
            let index = self.next();
            let part = desk.part().within(left).holding(self.memory).resting_after(slice);
            let played = desk.play_part(&mut self.searches[index], part);
            if played.cost.is_some() {
                self.winner = Some(index);
                found = desk.effort.expanded;
            }
            if played.ended != Ended::Resting {
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
