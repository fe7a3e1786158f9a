//! Packing plans: the order in which to fill the targets, found by playing backward.
//!
//! After Shoham and Schaeffer, "The FESS Algorithm" (IEEE CoG 2020). From the solved board, boxes
//! are pulled to where the start's boxes come from, or parked where that is impossible
//! ([`plan_search`]). Read from its end, the sequence tells which target to fill next and what must
//! be parked meanwhile. The plan is a guide, not a promise: it ignores the boxes that have not
//! entered it yet.
//!
//! Filled targets may part the board, and then the player's side matters. A row of targets between
//! two rooms can be filled from either room, but with the player on the wrong side nothing can
//! follow. So a step counts as done only with the player on the side where the backward search had
//! it. A box is in a step's basin only if it can be brought with the player ending there. The next
//! delivery ([`obstacles`]) ends there too, and takes only boxes that later steps can do without.

pub mod any_order;
pub mod assignment;
pub mod obstacles;
pub mod plan_search;
pub mod progress;
pub mod sinks;

use crate::games::sokoban::board::region::{Flood, Occupied};
use crate::games::sokoban::board::square_set::{SquareSet, has, put, squares_of, take, without};
use crate::games::sokoban::board::{Board, Square};
use crate::games::sokoban::planner::analysis::level::LevelAnalysis;
use crate::games::sokoban::planner::analysis::macro_moves::{MacroMoveGenerator, Motion};
use crate::search::{Clock, Deadline};
use assignment::{Assignment, IndexSet, MOST_STEPS, unmatched};
use obstacles::Delivery;
use plan_search::{PlanOptions, PulledPlan};
use smallvec::SmallVec;

/// Some squares.
type Squares = SmallVec<[Square; 32]>;

/// The order of filling the targets, step by step.
#[derive(Clone, Debug, Default)]
pub struct Packing {
    /// Squares that hold a box after each number of steps, from 0 on.
    pub filled: Vec<SquareSet>,
    /// For each step, where its box comes to rest.
    pub to: Vec<Square>,
    /// For each step, the square the box is taken from, where the plan parked it there.
    pub from: Vec<Option<Square>>,
    /// For each number of steps, the squares on which the player may stand then: those that hang
    /// together, past what is filled, with where the backward search had the player.
    pub side: Vec<SquareSet>,
    /// For each step, the squares from which a box can be pushed to `to` past what is filled, with
    /// the player on the plan's side after. One more for the end, with all squares.
    pub basin: Vec<SquareSet>,
    /// For each number of steps, the squares that are in the basin of every step from there on.
    pub meet: Vec<SquareSet>,
    /// For each number of steps, a square of the plan's side; `None` where any is right.
    pub players: Vec<Option<Square>>,
    /// For each square, the steps in whose basin it is and that want a box from elsewhere.
    steps_of: Vec<IndexSet>,
    /// Whether the backward search came to its end.
    pub complete: bool,
}

impl Packing {
    /// The steps that are done where boxes stand on `bits` and the player on `player`. A step by
    /// which the player is on the wrong side of what is filled is not.
    pub fn done(&self, bits: &[u64], player: Square) -> usize {
        let within = |set: &[u64]| set.iter().zip(bits).all(|(s, b)| s & !b == 0);
        let is_done = |&k: &usize| within(&self.filled[k]) && has(&self.side[k], player);
        (0..self.filled.len()).rev().find(is_done).unwrap_or(0)
    }

    /// How the boxes that are not packed after `done` steps match with the steps of the plan from
    /// there on in whose basin they are; those that are in all of them need none.
    pub fn schedule(&self, done: usize, bits: &[u64]) -> Assignment {
        Assignment::new(&self.odd(done, bits), &self.steps_of, IndexSet::from(done))
    }

    /// The boxes that are not packed after `done` steps, but for those in the basin of every step.
    fn odd(&self, done: usize, bits: &[u64]) -> Squares {
        let common = self.filled[done].iter().zip(&self.meet[done]).map(|(f, m)| f | m);
        squares_of(bits.iter().zip(common).map(|(bits, common)| bits & !common)).collect()
    }

    /// What the step after `done` asks for, with boxes on `bits`. Where boxes are `scheduled`, only
    /// those are brought by which as few others as possible are left without a step.
    pub fn delivery(&self, done: usize, bits: &[u64], scheduled: bool) -> Option<Delivery<'_>> {
        let target = *self.to.get(done)?;
        let mut packed = self.filled[done].clone();
        let origins = if let Some(from) = self.from[done] {
            take(&mut packed, from);
            let mut parked = vec![0; packed.len()];
            put(&mut parked, from);
            parked
        } else {
            let all = without(bits, &packed);
            let spare = if scheduled { self.spare(done, bits, &all) } else { None };
            spare.unwrap_or(all)
        };
        Some(Delivery { target, origins, side: &self.side[done + 1], packed })
    }

    /// Those of the boxes on `origins`, which `bits` holds too, without which fewer are left
    /// without one of the steps that come after the next one; `None` where there is none.
    fn spare(&self, done: usize, bits: &[u64], origins: &[u64]) -> Option<SquareSet> {
        let mut odd = self.odd(done + 1, bits);
        let open = IndexSet::from(done + 1);
        let all = unmatched(&odd, &self.steps_of, open);
        if all == 0 {
            return None;
        }
        let mut spare = vec![0; origins.len()];
        for i in 0..odd.len() {
            let square = odd.remove(i);
            if has(origins, square) && unmatched(&odd, &self.steps_of, open) < all {
                put(&mut spare, square);
            }
            odd.insert(i, square);
        }
        spare.iter().any(|&word| word != 0).then_some(spare)
    }

    /// Whether there is a step among the spare ones for one more box after `done` steps.
    pub fn has_step(&self, done: usize, square: Square, spare: &IndexSet) -> bool {
        has(&self.filled[done], square)
            || has(&self.meet[done], square)
            || self.steps_of[square as usize].meets(spare)
    }

    /// Fills in where the player may stand after each number of steps.
    fn find_sides(&mut self, board: &Board, analysis: &LevelAnalysis, watch: &Deadline) {
        let mut flood = Flood::new(&board.layout);
        let mut occupied = Occupied::new(&board.layout);
        for (filled, player) in self.filled.iter().zip(&self.players) {
            let mut side = vec![u64::MAX; analysis.words];
            if let Some(player) = player.filter(|_| !watch.is_over()) {
                for s in 0..board.squares() as Square {
                    occupied.set(s, has(filled, s));
                }
                flood.fill(&occupied, player);
                side.fill(0);
                flood.squares().for_each(|s| put(&mut side, s));
            }
            self.side.push(side);
        }
    }

    /// Fills in the basin of each step, and where they meet.
    fn find_basins(&mut self, board: &Board, analysis: &LevelAnalysis, watch: &Deadline) {
        let mut generator = MacroMoveGenerator::new(board);
        let mut occupied = Occupied::new(&board.layout);
        for (k, ((&to, &from), filled)) in
            self.to.iter().zip(&self.from).zip(&self.filled).enumerate()
        {
            if watch.is_over() {
                // Nobody will follow this plan any more.
                self.basin.push(vec![u64::MAX; analysis.words]);
                continue;
            }
            for s in 0..board.squares() as Square {
                occupied.set(s, has(filled, s) && Some(s) != from);
            }
            generator.analyse(board, &occupied);
            let mut basin = vec![0; analysis.words];
            for placement in generator.reach(board, to, self.players[k + 1], Motion::Pull, |_| true)
            {
                put(&mut basin, placement.square);
            }
            self.basin.push(basin);
        }
        self.basin.push(vec![u64::MAX; analysis.words]);
        self.meet = self.basin.clone();
        for k in (0..self.to.len()).rev() {
            for w in 0..analysis.words {
                // A step that takes a parked box wants none from elsewhere.
                let here = if self.from[k].is_some() { u64::MAX } else { self.basin[k][w] };
                self.meet[k][w] = here & self.meet[k + 1][w];
            }
        }
    }

    /// Fills in which steps a box on each square may be meant for.
    fn index_steps(&mut self, squares: usize) {
        self.steps_of = vec![IndexSet::default(); squares + 1];
        for step in 0..self.to.len().min(MOST_STEPS) {
            if self.from[step].is_some() {
                continue;
            }
            for square in 0..squares {
                if has(&self.basin[step], square as Square) {
                    self.steps_of[square].insert(step);
                }
            }
        }
    }
}

/// Finds a packing plan.
pub fn plan(
    board: &Board,
    analysis: &LevelAnalysis,
    options: PlanOptions,
    clock: &Clock,
) -> Packing {
    let pulled = plan_search::search(board, analysis, options, clock);
    let mut packing = read_back(analysis, &pulled);
    let watch = clock.watch();
    packing.find_sides(board, analysis, &watch);
    packing.find_basins(board, analysis, &watch);
    packing.index_steps(board.squares());
    packing
}

/// Turns backward events into forward steps.
fn read_back(analysis: &LevelAnalysis, pulled: &PulledPlan) -> Packing {
    let mut packing = Packing { complete: pulled.complete, ..Packing::default() };
    let mut filled = vec![0; analysis.words];
    packing.filled.push(filled.clone());
    packing.players.push(None);
    // What stays to the end is in place from the start, or is packed first.
    let rest = pulled.rest.iter().map(|&to| (None, to, None));
    let events = pulled.events.iter().rev();
    for (from, to, player) in rest.chain(events.map(|e| (e.parked, e.from, Some(e.player)))) {
        packing.players.push(player);
        from.iter().for_each(|&from| take(&mut filled, from));
        put(&mut filled, to);
        packing.filled.push(filled.clone());
        packing.from.push(from);
        packing.to.push(to);
    }
    // Once all is done, any side is right.
    packing.players.pop();
    packing.players.push(None);
    packing
}
