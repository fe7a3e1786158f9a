//! The space of all plans, for A*: nothing is left out that could make a plan shorter.
//!
//! Every walk, every throw that a clicker hears, and one throw that none hears (they are all alike:
//! a wait that wakes nobody).
//! The bound is that of [`Guards`].

use super::guards::{Guards, Roused};
use crate::games::last_of_us::state::{After, Board, Move, Played, Simulator, State, THROWS};
use crate::search::{Child, Space};
use std::sync::Arc;

/// Bounds count guards for at most this many cells times bricks; on larger boards they only walk.
const MOST_BOUND_CELLS: usize = 1 << 17;

/// A thread keeps bounds of at most this many cells times bricks, for all sets of roused guards.
const MOST_KNOWN_CELLS: usize = 1 << 25;

/// All plans from a start.
pub struct Exact<'a> {
    board: &'a Board,
    start: State,
    guards: Guards,
    /// The bricks that bounds are kept for, where they are not kept for any number of them.
    bricks: Option<usize>,
    field_bytes: usize,
}

/// A thread's working memory.
pub struct Scratch<'a> {
    sim: Simulator<'a>,
    bounds: Bounds,
}

/// Bounds by the set of roused guards.
#[derive(Default)]
struct Bounds {
    /// As [`Guards::bound`] gives them.
    weak: ahash::HashMap<Roused, Arc<Vec<u32>>>,
    /// As [`Guards::bound_with_chases`] gives them.
    strong: ahash::HashMap<Roused, Arc<Vec<u32>>>,
}

impl<'a> Exact<'a> {
    /// The space over a board; each thread's cached distance fields hold at most `field_bytes`.
    pub fn new(board: &'a Board, field_bytes: usize) -> Self {
        let fits = board.sites() * (board.bricks as usize + 1) <= MOST_BOUND_CELLS;
        let guards = if fits { Guards::new(board) } else { Guards::none(board) };
        let bricks = if fits { Some(board.bricks as usize) } else { None };
        Exact { board, start: board.start(), guards, bricks, field_bytes }
    }

    fn bound_cells(&self) -> usize {
        self.board.sites() * (self.bricks.unwrap_or(0) + 1)
    }

    fn bound_of(&self, after: After, roused: Roused, bounds: &mut Bounds) -> u32 {
        if (bounds.strong.len() + bounds.weak.len()) * self.bound_cells() > MOST_KNOWN_CELLS {
            *bounds = Bounds::default();
        }
        let Bounds { weak, strong } = bounds;
        let field = strong.entry(roused).or_insert_with(|| {
            let mut weak = |roused| {
                let new = || Arc::new(self.guards.bound(self.board, self.bricks, roused));
                Arc::clone(weak.entry(roused).or_insert_with(new))
            };
            match self.bricks {
                Some(bricks) if !self.guards.is_empty() => {
                    Arc::new(self.guards.bound_with_chases(self.board, bricks, roused, &mut weak))
                }
                _ => weak(roused),
            }
        });
        let layer = self.bricks.map_or(0, |_| after.bricks as usize);
        field[layer * self.board.sites() + after.ellie as usize]
    }
}

impl<'a> Space for Exact<'a> {
    type State = State;
    type Action = Move;
    type Scratch = Scratch<'a>;

    fn start(&self) -> State {
        self.start.clone()
    }

    fn key(&self, state: &State) -> u64 {
        state.key()
    }

    fn bound(&self, state: &State) -> u32 {
        let after = After { ellie: state.ellie, bricks: state.bricks, key: 0 };
        self.bound_of(after, self.guards.roused(state), &mut Bounds::default())
    }

    fn is_goal(&self, state: &State) -> bool {
        state.ellie == self.board.exit
    }

    fn scratch(&self) -> Scratch<'a> {
        Scratch { sim: Simulator::new(self.board, self.field_bytes), bounds: Bounds::default() }
    }

    fn expand(
        &self,
        state: &State,
        scratch: &mut Scratch<'a>,
        visit: &mut impl FnMut(Child<Move>),
    ) {
        let Scratch { sim, bounds } = scratch;
        sim.load(state);
        let roused = self.guards.roused(state);
        let mut child = |sim: &Simulator<'_>, action: Move, after: After| {
            let bound = self.bound_of(after, self.guards.after(roused, sim.acted()), bounds);
            let goal = after.ellie == self.board.exit;
            let (key, class) = (after.key, after.ellie);
            visit(Child { action, cost: 1, key, bound, estimate: bound, goal, class });
        };
        for walk in (0..9).map(Move) {
            match sim.play(walk) {
                Played::On(after) => {
                    child(sim, walk, after);
                    sim.undo();
                }
                Played::Won => {
                    let after =
                        After { ellie: self.board.exit, bricks: state.bricks, key: state.key() };
                    child(sim, walk, after);
                }
                Played::Illegal | Played::Killed => {}
            }
        }
        if state.bricks > 0 {
            let mut unheard = false;
            for throw in THROWS {
                let (drow, dcol) = throw.delta();
                let target = self.board.offset(state.ellie, drow, dcol);
                if !self.board.is_floor(target) {
                    continue;
                }
                let heard = sim.hearing(target) != 0;
                if !heard && unheard {
                    continue;
                }
                if let Played::On(after) = sim.play(throw) {
                    unheard |= !heard;
                    child(sim, throw, after);
                    sim.undo();
                }
            }
        }
        sim.unload(state);
    }

    fn child(&self, state: &State, action: Move, scratch: &mut Scratch<'a>) -> State {
        scratch.sim.after(state, action).1.expect("an action that expand visited")
    }

    fn heap_bytes(&self, state: &State) -> usize {
        state.heap_bytes()
    }
}
