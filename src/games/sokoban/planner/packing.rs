//! The order in which to fill the targets, found by playing backward.
//!
//! After Shoham and Schaeffer, "The FESS Algorithm" (IEEE CoG 2020): from the solved board boxes
//! are pulled to where the start's boxes come from, or parked where they cannot be
//! ([`super::pulling`]). Read from its end the sequence tells which target to fill next, and what
//! must be parked meanwhile.
//!
//! The plan is a guide, not a promise: it ignores the boxes that have not entered it yet.

use super::lift::{Lift, Way};
use super::pulling::{Event, Pulled, pull};
use super::terrain::{Bits, Terrain, has, put, take};
use crate::games::sokoban::state::{Board, Square};
use crate::search::{Clock, Watch};
use smallvec::SmallVec;

/// The order of filling the targets, step by step.
#[derive(Clone, Debug, Default)]
pub struct Packing {
    /// Squares that hold a box after each number of steps, from 0 on.
    pub filled: Vec<Bits>,
    /// For each step, where its box comes to rest.
    pub to: Vec<Square>,
    /// For each step, the square the box is taken from, where the plan parked it there.
    pub from: Vec<Option<Square>>,
    /// For each step, the squares from which a box can be pushed to `to` past what is filled.
    /// One more for the end, with all squares.
    pub basin: Vec<Bits>,
    /// For each number of steps, the squares that are in the basin of every step from there on.
    pub meet: Vec<Bits>,
    /// For each square, the steps in whose basin it is and that want a box from elsewhere.
    steps_of: Vec<Steps>,
    /// Whether the backward search came to its end.
    pub complete: bool,
}

/// Which box leaves the board next when several could, and, by [`super::pulling`], how readily
/// boxes leave rather than be parked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taste {
    /// The box with the shortest way into the sink leaves first, so is packed last; boxes leave
    /// readily.
    Near,
    /// The box with the longest way into the sink leaves first; boxes are rather parked.
    Far,
    /// Any box, drawn with this seed, as is how readily boxes leave.
    Drawn(u64),
}

impl Packing {
    /// How many boxes that are not packed after `done` steps cannot be given a step of the plan
    /// each, in whose basin they are.
    pub fn unscheduled(&self, done: usize, bits: &[u64]) -> u32 {
        let mut odd: SmallVec<[Square; 16]> = SmallVec::new();
        for (w, &word) in bits.iter().enumerate() {
            let mut left = word & !self.filled[done][w] & !self.meet[done][w];
            while left != 0 {
                odd.push((w * 64) as Square + left.trailing_zeros() as Square);
                left &= left - 1;
            }
        }
        unmatched(&odd, &self.steps_of, Steps::from(done))
    }

    /// Fills in the basin of each step, and where they meet.
    fn find_basins(&mut self, board: &Board, terrain: &Terrain, watch: &Watch) {
        let mut lift = Lift::new(board);
        let mut occupied = vec![false; board.squares() + 1];
        occupied[board.squares()] = true;
        for ((&to, &from), filled) in self.to.iter().zip(&self.from).zip(&self.filled) {
            if watch.is_over() {
                // Nobody will follow this plan any more.
                self.basin.push(vec![u64::MAX; terrain.words]);
                continue;
            }
            for s in 0..board.squares() as Square {
                occupied[s as usize] = has(filled, s) && Some(s) != from;
            }
            lift.analyse(board, &occupied);
            let mut basin = vec![0; terrain.words];
            for stop in lift.walk(board, to, None, Way::Pull, |_| true) {
                put(&mut basin, stop.square);
            }
            self.basin.push(basin);
        }
        self.basin.push(vec![u64::MAX; terrain.words]);
        self.meet = self.basin.clone();
        for k in (0..self.to.len()).rev() {
            for w in 0..terrain.words {
                // A step that takes a parked box wants none from elsewhere.
                let here = if self.from[k].is_some() { u64::MAX } else { self.basin[k][w] };
                self.meet[k][w] = here & self.meet[k + 1][w];
            }
        }
    }

    /// Fills in which steps a box on each square may be meant for.
    fn index_steps(&mut self, squares: usize) {
        self.steps_of = vec![Steps::default(); squares + 1];
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

/// How many boxes find no step, or target, of their own among those of `open` that fit them.
pub fn unmatched(boxes: &[Square], fits: &[Steps], open: Steps) -> u32 {
    if boxes.is_empty() {
        return 0;
    }
    let mut matching = Matching { boxes, fits, open, free: open, owner: [0; MOST_STEPS] };
    (0..boxes.len()).filter(|&i| !matching.place(i, &mut Steps::default())).count() as u32
}

/// A matching of boxes with steps that grows box by box (Kuhn's algorithm).
struct Matching<'a> {
    boxes: &'a [Square],
    fits: &'a [Steps],
    open: Steps,
    free: Steps,
    owner: [u16; MOST_STEPS],
}

impl Matching<'_> {
    /// Finds a step for a box, moving others to other steps where needed.
    fn place(&mut self, i: usize, tried: &mut Steps) -> bool {
        let fits = self.fits[self.boxes[i] as usize];
        if let Some(step) = fits.first_in(&self.free) {
            self.free.remove(step);
            self.owner[step] = i as u16;
            return true;
        }
        while let Some(step) = fits.minus(tried).first_in(&self.open) {
            tried.insert(step);
            if self.place(self.owner[step] as usize, tried) {
                self.owner[step] = i as u16;
                return true;
            }
        }
        false
    }
}

/// A set of steps of a plan, or of targets or boxes by their index; those past the most are left
/// out.
#[derive(Clone, Copy, Debug, Default)]
pub struct Steps([u64; MOST_STEPS / 64]);

impl Steps {
    /// All steps from one on.
    pub fn from(first: usize) -> Self {
        let mut steps = Steps([u64::MAX; MOST_STEPS / 64]);
        for (w, word) in steps.0.iter_mut().enumerate() {
            let below = first.saturating_sub(w * 64);
            *word = if below >= 64 { 0 } else { u64::MAX << below };
        }
        steps
    }

    /// Puts a step into the set, where it is not past the most.
    pub fn insert(&mut self, step: usize) {
        if let Some(word) = self.0.get_mut(step >> 6) {
            *word |= 1 << (step & 63);
        }
    }

    /// Takes a step out of the set.
    pub fn remove(&mut self, step: usize) {
        if let Some(word) = self.0.get_mut(step >> 6) {
            *word &= !(1 << (step & 63));
        }
    }

    /// Adds another set.
    pub fn add(&mut self, other: &Steps) {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a |= b);
    }

    /// Whether nothing is in the set.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    fn minus(mut self, other: &Steps) -> Steps {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a &= !b);
        self
    }

    fn first_in(&self, other: &Steps) -> Option<usize> {
        (self.0.iter().zip(other.0).enumerate()).find_map(|(w, (a, b))| {
            (a & b != 0).then(|| w * 64 + (a & b).trailing_zeros() as usize)
        })
    }
}

/// Steps of a plan beyond this are not scheduled.
pub const MOST_STEPS: usize = 256;

/// Finds a packing plan; `how` says by which taste, and with how much work (see [`pull`]).
pub fn plan(board: &Board, terrain: &Terrain, how: (Taste, usize), clock: &Clock<'_>) -> Packing {
    let pulled = pull(board, terrain, how, clock);
    let mut packing = read_back(terrain, &pulled);
    packing.find_basins(board, terrain, &clock.watch());
    packing.index_steps(board.squares());
    packing
}

/// Turns backward events into forward steps.
fn read_back(terrain: &Terrain, pulled: &Pulled) -> Packing {
    let mut packing = Packing { complete: pulled.complete, ..Packing::default() };
    let mut filled = vec![0; terrain.words];
    packing.filled.push(filled.clone());
    // What stays to the end is in place from the start, or is packed first.
    let rest = pulled.rest.iter().map(|&s| Event::Leave(s));
    for event in rest.chain(pulled.events.iter().rev().copied()) {
        let (from, to) = match event {
            Event::Leave(square) => (None, square),
            Event::Park { from, to } => (Some(to), from),
        };
        from.iter().for_each(|&from| take(&mut filled, from));
        put(&mut filled, to);
        packing.filled.push(filled.clone());
        packing.from.push(from);
        packing.to.push(to);
    }
    packing
}
