//! Studies of positions on A*'s way: which of their boxes cost more together than by themselves.
//!
//! A* takes a sample of the positions that it expands. From time to time some of them are searched for conflict sets,
//! beginning with their known penalties. A set that is found bounds all later positions
//! ([`penalties`](super::penalties)). Studies that find nothing become longer and rarer. A* over the boxes of a subproblem
//! takes samples, too, and adds to the penalties of the search that it is part of.
//!
//! All this happens between two rounds of A*, and depends on the samples alone. So the penalties are the same for any number
//! of threads, and of processes that tell each other their samples.

use super::conflict_sets::ConflictSets;
use super::ground::Ground;
use super::penalties::{Penalty, SharedPenalties, penalties_of};
use super::subproblems::BitBoardSolver;
use crate::games::sokoban::board::Board;
use crate::games::sokoban::board::mask::{Bit, Mask};
use crate::games::sokoban::planner::analysis::Prepared;
use crate::games::sokoban::planner::tuning;
use crate::search::crew::Crew;
use crate::search::{Allowance, Clock, Known, Limits, Search};
use rayon::prelude::*;
use std::mem::take;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Expansions of A* for each position of the sample.
const SAMPLING: u64 = 16;
/// Positions that are studied together.
const TOGETHER: usize = 4;
/// Expansions of the shortest and the longest study of a position.
const EFFORTS: (u64, u64) = (1000, 16_000);
/// Divisor of the expansions of a study: the search of one set may take this part.
const SET_PART: u64 = 4;
/// A study is over when the position costs so much more than what A* looks at now.
const HEADWAY: u64 = 4;
/// Upper limit of the bytes of a study.
const MEMORY: usize = 1 << 24;

/// A position of the sample.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample<const W: usize> {
    pub(super) boxes: Mask<W>,
    pub(super) player: Bit,
    /// A* looks at positions now that cost no more than this.
    pub(super) most: u32,
}

/// Samples of positions, and their studies, which add to the penalties of a level.
pub(super) struct Study<const W: usize> {
    penalties: Arc<SharedPenalties<W>>,
    /// Positions that were noted since the last round.
    noted: Mutex<Vec<Sample<W>>>,
    pace: Mutex<Pace>,
    /// The clock that studies poll.
    clock: Clock,
}

/// The length of the next study, and the pause before it.
#[derive(Clone, Copy)]
struct Pace {
    /// Expansions for each position.
    effort: u64,
    /// Expansions of A* for each expansion of studies that find something.
    pause_part: u64,
    /// Positions of the sample from one study to the next.
    pause: u64,
    /// Positions of the sample since the last study.
    passed: u64,
}

impl Pace {
    fn new(tuning: &tuning::AStar) -> Self {
        let &tuning::AStar { study: effort, study_pause: pause_part, .. } = tuning;
        let mut pace = Pace { effort, pause_part, pause: 0, passed: 0 };
        pace.pause = pace.shortest();
        pace
    }

    /// The pause after a study that has found something.
    fn shortest(&self) -> u64 {
        self.effort * TOGETHER as u64 * self.pause_part / SAMPLING
    }

    /// Adapts it to a study of some positions, after which the bounds of some are higher.
    fn adapt(&mut self, positions: usize, raised: usize) {
        let (shortest, longest) = EFFORTS;
        if raised == 0 {
            self.effort = (self.effort * 3 / 2).min(longest);
            self.pause = self.pause.saturating_mul(2);
            return;
        }
        if 3 * raised >= 2 * positions {
            self.effort = (self.effort * 2 / 3).max(shortest.min(self.effort));
        }
        self.pause = self.shortest();
    }
}

impl<const W: usize> Study<W> {
    /// Studies that have no samples yet, with a clock that never stops. `None` if `astar.study` is 0.
    pub(super) fn new(level: Prepared<'_>, penalties: Arc<SharedPenalties<W>>) -> Option<Self> {
        let tuning = &level.tuning.astar;
        let limits = Limits { time: Duration::MAX, threads: 1, ..Limits::default() };
        let (pace, clock) = (Mutex::new(Pace::new(tuning)), limits.start());
        let study = Study { penalties, noted: Mutex::default(), pace, clock };
        (tuning.study > 0).then_some(study)
    }

    /// The same studies with this clock.
    pub(super) fn timed_by(self, clock: &Clock) -> Self {
        Study { clock: clock.clone(), ..self }
    }

    /// Whether a position with this key belongs to the sample.
    pub(super) fn samples(key: u64) -> bool {
        (key >> 32).is_multiple_of(SAMPLING)
    }

    /// Notes a position of the sample.
    pub(super) fn note(&self, sample: Sample<W>) {
        self.noted_now().push(sample);
    }

    /// The positions that were noted since the last round.
    pub(super) fn noted(&self) -> Vec<Sample<W>> {
        self.noted_now().clone()
    }

    /// Studies some of the positions that were noted, if it is time to. `unpaid` is the sum of the surcharges that the
    /// prices include and no plan pays.
    pub(super) fn learn(&self, level: Prepared<'_>, ground: &Ground<W>, unpaid: u32) {
        let mut samples = take(&mut *self.noted_now());
        // A process that exchanges samples with others receives its own, too.
        samples.sort_unstable_by_key(|sample| (sample.boxes.0, sample.player, sample.most));
        samples.dedup_by_key(|sample| (sample.boxes.0, sample.player));
        let mut pace = self.pace.lock().unwrap_or_else(PoisonError::into_inner);
        pace.passed = pace.passed.saturating_add(samples.len() as u64);
        if samples.is_empty() || pace.passed < pace.pause {
            return;
        }
        pace.passed = 0;
        // Their order is that of their boxes. What is studied comes from all over it.
        let step = samples.len().div_ceil(TOGETHER);
        let chosen: Vec<&Sample<W>> = samples.iter().step_by(step).collect();
        let study =
            |sample: &&Sample<W>| self.study(level, ground, **sample, (pace.effort, unpaid));
        let found: Vec<(Vec<Penalty<W>>, bool)> = if rayon::current_thread_index().is_some() {
            chosen.par_iter().map(study).collect()
        } else {
            chosen.iter().map(study).collect()
        };
        let raised = found.iter().filter(|(_, is_raised)| *is_raised).count();
        pace.adapt(chosen.len(), raised);
        self.penalties.learn(found.into_iter().flat_map(|(penalties, _)| penalties).collect());
    }

    /// Searches a position for conflict sets: their penalties, and whether they raise its bound.
    fn study(
        &self,
        level: Prepared<'_>,
        ground: &Ground<W>,
        Sample { boxes, player, most }: Sample<W>,
        (effort, unpaid): (u64, u32),
    ) -> (Vec<Penalty<W>>, bool) {
        let mut squares = ground.squares(boxes);
        squares.sort_unstable();
        let player_at = ground.maze.square(player);
        let board = Board { boxes: squares, player: player_at, ..level.board.clone() };
        let level = Prepared { board: &board, ..level };
        let penalties = &self.penalties;
        let known = penalties.sets(ground, (boxes, player));
        let solver = Box::new(BitBoardSolver {
            ground: Arc::new(ground.without_patterns()),
            penalties: Arc::clone(penalties),
            studies: false,
        });
        let limits = (&*known, (effort / SET_PART).max(1), unpaid);
        let prices = Arc::clone(&penalties.prices);
        let mut sets = ConflictSets::of_position(level, prices, solver, limits);
        let before = sets.bound();
        // The bounds of this position are not reported as bounds of the level.
        let limits = Limits { threads: 1, nodes: None, ..self.clock.limits };
        let (clock, crew) = (&self.clock.under(limits).quiet(), &Crew::default());
        let allowance =
            Allowance { share: effort, memory: MEMORY, ..Allowance::whole(clock, crew) };
        let cost = u64::from(most) + HEADWAY;
        sets.turn(Known { cost, ..Known::default() }, &allowance);
        (penalties_of(ground, &board, &sets.known()), sets.bound() > before)
    }

    fn noted_now(&self) -> MutexGuard<'_, Vec<Sample<W>>> {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::super::prices::Prices;
    use super::*;
    use crate::games::sokoban::board::region::Flood;
    use crate::games::sokoban::board::samples::{draw, least_cost, made};
    use crate::games::sokoban::board::{Square, State};
    use crate::games::sokoban::planner::analysis::Preparation;
    use crate::games::sokoban::planner::tuning::{AStar, Tuning};

    /// Upper limit of the positions of plain search.
    const MOST: usize = 20_000;
    /// Levels that are made.
    const SEEDS: u64 = 300;
    /// Random pushes from the start of a level.
    const STEPS: u64 = 10;

    /// The positions on some random way from the start: boxes in order, and the player.
    fn positions(board: &Board, seed: u64) -> Vec<(Vec<Square>, Square)> {
        let mut state = State::new(board);
        let (mut flood, mut pushes) = (Flood::new(&board.layout), Vec::new());
        let mut positions = vec![(board.boxes.clone(), board.player)];
        for step in 0..STEPS {
            pushes.clear();
            state.pushes(&mut flood, &mut pushes);
            if pushes.is_empty() {
                break;
            }
            state.push(pushes[draw(seed, step, pushes.len() as u64) as usize]);
            positions.push((state.boxes(), state.player));
        }
        positions
    }

    /// Penalties, and bounds with them, that plain search has looked at.
    #[derive(Debug, Default)]
    struct Tally {
        penalties: usize,
        bounds: usize,
        /// Bounds that penalties raise.
        raised: usize,
    }

    /// Studies the positions one by one. Holds each penalty to plain search of its boxes alone on the board, and the bounds
    /// of all positions to plain search from there.
    fn audit(board: &Board, seed: u64, tally: &mut Tally) -> Option<()> {
        let astar = AStar { study: 2000, study_pause: 0, ..AStar::default() };
        let preparation = Preparation::new(board, Tuning { astar, ..Tuning::default() });
        let level = preparation.level(board);
        let penalties = Arc::new(SharedPenalties::new(Arc::new(Prices::new(level)?)));
        let study = Study::<2>::new(level, Arc::clone(&penalties))?;
        let charged = penalties.prices.charged;
        let ground = Ground::<2>::new(level)?;
        let positions = positions(board, seed);
        let bit_of = ground.bits(board);
        let on_bits = |squares: &[Square]| -> Mask<2> {
            squares.iter().map(|&square| bit_of[square as usize]).collect()
        };
        for (squares, player) in &positions {
            let (boxes, player) = (on_bits(squares), bit_of[*player as usize]);
            study.note(Sample { boxes, player, most: 200 });
            study.learn(level, &ground, charged);
        }
        let least = |boxes: &[Square], player, charge: &dyn Fn(usize) -> u32| {
            let board = Board { boxes: boxes.to_vec(), player, ..board.clone() };
            let target = |at| board.targets.iter().position(|&target| target == at);
            least_cost(&board, MOST, |at| target(at).map(charge))
        };
        let sum = |boxes: &[Square], player| {
            let mut poses = Vec::new();
            penalties.prices.distances.read(board, boxes, player, &mut poses);
            penalties.prices.sum(&poses)
        };
        let known = penalties.known();
        for Penalty { boxes, region, more } in known.all() {
            let mut squares = ground.squares(boxes);
            squares.sort_unstable();
            let player = ground.maze.square(region.first()?);
            let charge = |target: usize| penalties.prices.surcharges[target].into();
            if let Some(Some(least)) = least(&squares, player, &charge) {
                let told = sum(&squares, player) + more;
                assert!(told <= least, "seed {seed}: {squares:?} {player}: {told} for {least}");
                tally.penalties += 1;
            }
        }
        for (squares, player) in &positions {
            let more = known.cost(on_bits(squares), bit_of[*player as usize]);
            if let Some(Some(least)) = least(squares, *player, &|_| 0) {
                let told = (sum(squares, *player) + more).saturating_sub(charged);
                assert!(told <= least, "seed {seed}: {squares:?} {player}: {told} for {least}");
                tally.bounds += 1;
                tally.raised += usize::from(more > 0);
            }
        }
        Some(())
    }

    #[test]
    fn no_penalty_and_no_bound_is_above_what_plain_search_finds() {
        let mut tally = Tally::default();
        for seed in 0..SEEDS {
            if let Some(level) = made(seed, 6, 7, 4 + seed as u32 % 2, 12) {
                audit(&Board::new(&level), seed, &mut tally);
            }
        }
        eprintln!("{tally:?}");
        assert!(tally.penalties > 100 && tally.bounds > 500 && tally.raised > 50, "{tally:?}");
    }
}
