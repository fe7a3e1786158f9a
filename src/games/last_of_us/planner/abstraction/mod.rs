//! A lower bound from an abstraction: Ellie among the clickers whose place is certain.
//!
//! Where clickers stand close together, no one of them costs an action, but no way between all of
//! them is free. This bound sees that. It is the least cost of a path in a smaller space, in which
//! every plan has an image that costs no more (Cousot and Cousot, *Abstract interpretation*, POPL
//! 1977; Culberson and Schaeffer, *Pattern databases*, Computational Intelligence 14, 1998, have
//! bounds from abstractions). An abstract state (`AbstractState`) knows
//! - Ellie's cell,
//! - the homes where a clicker sleeps for certain: all but those that are *roused*,
//! - the cells beside Ellie where some clicker stands for certain, the *hunters*.
//!
//! It knows nothing of all other clickers, and lets them do no harm.
//!
//! # What is certain
//! Let Ellie walk to `x` and live. No clicker was within 1 of `x` before. A sleeping clicker at
//! distance 2 hears her. Where two steps take it to `x`, the rules name the first of them: the cell
//! `p`. It steps there, or another clicker has just stepped onto `p`, for one that
//! stood there before would have killed her. That other one has also come from distance 2, so it
//! heard `x` too. Either way some clicker that traces `x` stands on `p`, beside Ellie: a hunter.
//! By the same argument a hunter's next step is known wherever Ellie walks next. So hunters follow
//! her for as long as a way of two steps leads from them to her, they forbid the cells next to
//! them, and while there are any she can neither wait nor throw.
//!
//! A throw costs an action and rouses whom it wakes; where they go is forgotten.
//!
//! # What keeps it small
//! - A throw is counted late: right before the first step into the hearing of a clicker that it
//!   wakes. The actions between the real throw and that step are the same with and without it; only
//!   the cell to throw from has to have been without hunters and within reach. Of such cells the
//!   state knows how near to the exit the nearest can have been (`AbstractState::free`).
//! - What lies farther from the exit than Ellie has come, by a margin, is forgotten: roused.
//! - A cell has a capacity of states. When it is full, all that is near is forgotten
//!   (widening): one more state covers all that come later. A greater capacity makes a better
//!   bound.
//! - Many bricks are counted only when a way that was found without counting throws more than there
//!   are (counterexample-guided refinement: Clarke, Grumberg, Jha, Lu, Veith, CAV 2000).
//! - A state is dropped where another one on the same cell knows no more and costs no more.
//!
//! Forgetting only adds paths, so the bound stays admissible. States are searched in order of cost
//! and walking distance together, so that the order alone is a bound whenever the search is cut.

mod states;

use super::tuning;
use crate::board::UNREACHED;
use crate::games::last_of_us::format::THROW_RANGE;
use crate::games::last_of_us::state::{Board, Move, Site, State};
use crate::search::{Allowance, Clock, Ended, Known, Search, Spent, StopReason, Turn};
use states::{AbstractSearch, Pause, cell_bytes};

/// Capacities of a cell, tried one after the other while they make a difference.
const CAPACITIES: [usize; 4] = [16, 64, 256, 1024];

/// The abstraction of a board.
pub struct Abstraction<'a> {
    board: &'a Board,
    /// Walking distances to the exit.
    walk: &'a [u32],
    /// For each cell, the greatest walking distance within a throw's range of it.
    far: Vec<u32>,
    /// Capacities of a cell, tried one after the other while they make a difference.
    pub capacities: &'a [usize],
    /// Bricks are counted from the first where there are at most this many, and else where a way
    /// without counting throws more than there are.
    pub always_counted: u8,
}

impl<'a> Abstraction<'a> {
    /// The abstraction of a board with these walking distances to the exit.
    pub fn new(board: &'a Board, walk: &'a [u32]) -> Self {
        Abstraction {
            board,
            walk,
            far: farthest(board, walk),
            capacities: &CAPACITIES,
            always_counted: tuning::Abstraction::default().counted_bricks as u8,
        }
    }

    /// The same abstraction with the least capacity alone. Its way is found soon, and its bound is weak.
    #[must_use]
    pub fn coarse(mut self) -> Self {
        self.capacities = &CAPACITIES[..1];
        self
    }

    /// A search for a lower bound of all plans from a state.
    pub fn bound_of(&'a self, start: State) -> AbstractBound<'a> {
        AbstractBound {
            abstraction: self,
            counts_bricks: start.bricks <= self.always_counted,
            start,
            capacities: self.capacities,
            search: None,
            way: Vec::new(),
            bound: 0,
            spent: Spent::default(),
        }
    }
}

/// The search for a lower bound: the capacity grows until no cell is full, or the bound shows that no plan
/// is shorter than the best one. It can rest between any two abstract states, and does so after a few
/// hundred of them at the latest; its bound so far holds at any time.
pub struct AbstractBound<'a> {
    abstraction: &'a Abstraction<'a>,
    start: State,
    /// Whether no more bricks can be thrown than there are.
    counts_bricks: bool,
    /// The capacity of the search at hand, and the greater ones.
    capacities: &'a [usize],
    /// The search at hand.
    search: Option<AbstractSearch<'a>>,
    /// The cells of the way found under the last capacity, from the exit to Ellie.
    way: Vec<Site>,
    /// No plan is shorter.
    bound: u32,
    spent: Spent,
}

impl AbstractBound<'_> {
    /// Goes on with the search at hand, or with the next one; none where there is none that makes a
    /// difference.
    fn go_on(&mut self, upper: u32, share: u64, clock: &Clock) -> Option<Pause> {
        let &[capacity, ref greater @ ..] = self.capacities else { return None };
        let mut search = self.search.take().unwrap_or_else(|| {
            AbstractSearch::new(
                self.abstraction,
                &self.start,
                (self.counts_bricks, capacity),
                upper,
            )
        });
        let (bound, pause) = search.run(&mut self.spent, (upper, share), clock);
        self.bound = self.bound.max(bound);
        if pause != Pause::Done {
            self.search = Some(search);
        } else if search.is_overdrawn {
            self.counts_bricks = true;
        } else {
            self.way = search.way();
            self.capacities = if search.is_widened { greater } else { &[] };
        }
        Some(pause)
    }

    /// The cells of a cheapest way through the abstraction, from the exit to Ellie. It is empty before the first search
    /// has ended, and where no way costs less than the known plan.
    pub fn way(&self) -> &[Site] {
        &self.way
    }
}

impl Search for AbstractBound<'_> {
    type Plan = Vec<Move>;
    type Lesson = ();

    fn name(&self) -> &'static str {
        "abstraction"
    }

    fn turn(&mut self, known: Known, allowance: &Allowance<'_>) -> Turn<Vec<Move>> {
        let clock = allowance.own_clock();
        let &Abstraction { board, walk, .. } = self.abstraction;
        if walk[self.start.ellie as usize] == UNREACHED {
            return Turn::impossible();
        }
        if cell_bytes(board) > allowance.memory {
            return Turn::stopped(StopReason::Memory);
        }
        let upper = u32::try_from(known.cost).unwrap_or(u32::MAX);
        loop {
            let pause = self.go_on(upper, allowance.share, &clock);
            let ended = match pause {
                Some(Pause::Done) if self.bound == u32::MAX => return Turn::impossible(),
                _ if self.bound >= upper => Ended::Proven,
                Some(Pause::Done) => continue,
                Some(Pause::Resting) => Ended::Resting,
                Some(Pause::Stopped(stop)) => Ended::Stopped(stop),
                None => Ended::Exhausted,
            };
            return Turn::without_plan(self.bound.into(), ended);
        }
    }

    fn spent(&self) -> Spent {
        self.spent
    }
}

/// For each cell, the greatest walking distance of a cell within a throw's range of it.
fn farthest(board: &Board, walk: &[u32]) -> Vec<u32> {
    let reached = walk.iter().map(|&steps| if steps == UNREACHED { 0 } else { steps }).collect();
    let along = |field: Vec<u32>, step: usize| -> Vec<u32> {
        let reach = THROW_RANGE as usize * step;
        let line = |site: usize| {
            let last = (site + reach).min(field.len() - 1);
            (site % step).max(site.saturating_sub(reach))..=last
        };
        (0..field.len())
            .map(|site| line(site).step_by(step).map(|at| field[at]).max().unwrap_or(0))
            .collect()
    };
    along(along(reached, 1), board.stride as usize)
}
