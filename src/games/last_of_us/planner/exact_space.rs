//! The space of all plans, for A*: nothing is left out that could make a plan shorter.
//!
//! Every walk, every throw that a clicker hears, and one throw that none hears (they are all alike:
//! a wait that wakes nobody).
//! The bound is that of [`Guards`].

use super::bound::{Guards, Roused};
use super::known_bounds::{Field, Hand, Kind, KnownBounds};
use crate::games::last_of_us::state::{
    After, Board, Move, Played, Simulator, Site, State, throw_targets,
};
use crate::search::{Due, Portable, Space, Successor};
use std::sync::Arc;

/// Bounds count guards for at most this many cells times bricks; on larger boards they only walk.
const MOST_BOUND_CELLS: usize = 1 << 17;

/// Upper limit of the bounds of all sets of roused guards, in bytes for each thread.
const MOST_BOUNDS: usize = 1 << 27;
/// Divisor of the memory: the bounds of all threads together take at most this share.
const BOUNDS_PART: usize = 4;
/// Bounds that have to fit there, or guards are left out: then there is one bound.
const FEWEST_BOUNDS: usize = 16;
/// Bytes for each cell and number of bricks that a bound takes while it is made, and the one that it is
/// made of.
const MAKING: usize = 24;
/// Divisor of the memory: cached distance fields of all threads together take at most this share.
const FIELDS_PART: usize = 4;
/// Cached distance fields of a thread never need more than this.
const MOST_FIELDS: usize = 64 << 20;

/// Bytes for what is kept beside the states.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// Cached distance fields of each thread.
    pub fields: usize,
    /// Bounds, those of all threads together.
    bounds: usize,
    threads: usize,
}

impl Room {
    /// The parts of a search's memory for these, where it has `threads` threads.
    pub fn of(memory: usize, threads: usize) -> Room {
        let threads = threads.max(1);
        Room {
            fields: (memory / FIELDS_PART / threads).min(MOST_FIELDS),
            bounds: (memory / BOUNDS_PART).min(MOST_BOUNDS.saturating_mul(threads)),
            threads,
        }
    }
}

/// All plans from a start.
pub struct Exact<'a> {
    board: &'a Board,
    start: State,
    guards: Guards,
    /// The bricks that bounds are kept for, where they are not kept for any number of them.
    bricks: Option<usize>,
    /// Whether there is room for the bounds that those with chases are made of.
    has_chases: bool,
    known: KnownBounds,
    field_bytes: usize,
}

/// A thread's working memory.
pub struct Scratch<'a> {
    sim: Simulator<&'a Board>,
    bounds: Hand,
}

/// A state while its children are made.
struct Parent<'s> {
    state: &'s State,
    roused: Roused,
    due: Due,
    /// The least worth of the children that are held back.
    later: u32,
}

impl<'a> Exact<'a> {
    /// The space over a board, with `room` for what is kept beside the states.
    pub fn new(board: &'a Board, room: Room) -> Self {
        let cells = board.sites() * (board.bricks as usize + 1);
        let each = cells * size_of::<u32>();
        let fits = cells <= MOST_BOUND_CELLS && FEWEST_BOUNDS * each <= room.bounds;
        let guards = if fits { Guards::new(board) } else { Guards::none(board) };
        let bricks = if fits { Some(board.bricks as usize) } else { None };
        let each = if fits { each } else { board.sites() * size_of::<u32>() };
        Exact {
            board,
            start: board.start(),
            has_chases: fits && !guards.is_empty() && (guards.len() + 2) * each <= room.bounds,
            guards,
            bricks,
            known: KnownBounds::new(each, room.bounds, room.threads),
            field_bytes: room.fields,
        }
    }

    fn bound_cells(&self) -> usize {
        self.board.sites() * (self.bricks.unwrap_or(0) + 1)
    }

    /// No plan is shorter from a cell, with `bricks` bricks left and these guards not at home.
    #[inline]
    fn bound_of(&self, ellie: Site, bricks: u8, roused: Roused, hand: &mut Hand) -> u32 {
        let layer = self.bricks.map_or(0, |_| bricks as usize);
        let index = layer * self.board.sites() + ellie as usize;
        hand.look_up(roused, index, &self.known, || self.field_of(roused))
    }

    #[cold]
    fn field_of(&self, roused: Roused) -> Arc<Field> {
        let mut weak = |roused| {
            let make = || self.guards.bound(self.board, self.bricks, roused);
            self.known.get(Kind::Weak, roused, make)
        };
        match self.bricks {
            Some(bricks) if self.has_chases => self.known.get(Kind::Strong, roused, || {
                self.guards.bound_with_chases(self.board, bricks, roused, &mut weak)
            }),
            _ => weak(roused),
        }
    }

    /// Whether an action that makes a sound at `sound` is due; what it leads to is not known yet, so
    /// the guard that hears it counts as roused.
    #[inline]
    fn is_due(
        &self,
        parent: &mut Parent<'_>,
        ellie: Site,
        bricks: u8,
        sound: Site,
        bounds: &mut Hand,
    ) -> bool {
        let roused = parent.roused | self.guards.hearing(sound);
        let bound = self.bound_of(ellie, bricks, roused, bounds);
        bound != u32::MAX && parent.due.is_due(1 + bound, &mut parent.later)
    }

    /// Plays an action and visits the child.
    fn visit(
        &self,
        parent: &Parent<'_>,
        action: Move,
        scratch: &mut Scratch<'a>,
        visit: &mut impl FnMut(Successor<Move>),
    ) -> bool {
        let Scratch { sim, bounds } = scratch;
        let mut child = |after: After, key: u64, roused: Roused, goal: bool| {
            let bound =
                if goal { 0 } else { self.bound_of(after.ellie, after.bricks, roused, bounds) };
            let class = after.ellie;
            visit(Successor { action, cost: 1, key, bound, estimate: bound, goal, class });
        };
        match sim.play(action) {
            Played::On(after) => {
                child(after, sim.key(after), self.guards.after(parent.roused, sim.acted()), false);
                sim.undo();
                true
            }
            Played::Won => {
                let State { bricks, .. } = *parent.state;
                let after = After { ellie: self.board.exit, bricks };
                child(after, parent.state.key(), parent.roused, true);
                true
            }
            Played::Illegal | Played::Killed => false,
        }
    }

    fn walks(
        &self,
        parent: &mut Parent<'_>,
        scratch: &mut Scratch<'a>,
        visit: &mut impl FnMut(Successor<Move>),
    ) {
        let State { ellie, bricks, .. } = *parent.state;
        for walk in (0..9).map(Move) {
            let (drow, dcol) = walk.delta();
            let to = self.board.offset(ellie, drow, dcol);
            let on = to == self.board.exit || self.board.is_floor(to);
            if on && self.is_due(parent, to, bricks, to, &mut scratch.bounds) {
                self.visit(parent, walk, scratch, visit);
            }
        }
    }

    /// One throw that none hears, and all that are heard.
    fn throws(
        &self,
        parent: &mut Parent<'_>,
        scratch: &mut Scratch<'a>,
        visit: &mut impl FnMut(Successor<Move>),
    ) {
        let State { ellie, bricks, .. } = *parent.state;
        let Some(left) = bricks.checked_sub(1) else { return };
        let targets = throw_targets(&scratch.sim);
        if let Some(unheard) = targets.unheard().next()
            && self.is_due(parent, ellie, left, unheard.1, &mut scratch.bounds)
        {
            self.visit(parent, unheard.0, scratch, visit);
        }
        for (throw, target) in targets.heard() {
            if self.is_due(parent, ellie, left, target, &mut scratch.bounds) {
                self.visit(parent, throw, scratch, visit);
            }
        }
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
        let roused = self.guards.roused(state);
        self.bound_of(state.ellie, state.bricks, roused, &mut Hand::default())
    }

    fn is_goal(&self, state: &State) -> bool {
        state.ellie == self.board.exit
    }

    fn scratch(&self) -> Scratch<'a> {
        Scratch { sim: Simulator::new(self.board, self.field_bytes), bounds: Hand::default() }
    }

    fn expand(
        &self,
        state: &State,
        scratch: &mut Scratch<'a>,
        visit: &mut impl FnMut(Successor<Move>),
    ) {
        self.expand_due(state, Due::ALL, scratch, visit);
    }

    fn expand_due(
        &self,
        state: &State,
        due: Due,
        scratch: &mut Scratch<'a>,
        visit: &mut impl FnMut(Successor<Move>),
    ) -> u32 {
        scratch.bounds.keep_up_with(&self.known);
        let roused = self.guards.roused(state);
        let mut parent = Parent { state, roused, due, later: u32::MAX };
        scratch.sim.load(state);
        // The last child of equal worth is expanded first: rather a walk than a throw.
        self.throws(&mut parent, scratch, visit);
        self.walks(&mut parent, scratch, visit);
        scratch.sim.unload(state);
        parent.later
    }

    fn child(&self, state: &State, action: Move, scratch: &mut Scratch<'a>) -> State {
        scratch.sim.after(state, action).1.expect("an action that expand visited")
    }

    fn heap_bytes(&self, state: &State) -> usize {
        state.heap_bytes()
    }

    fn scratch_bytes(&self, scratch: &Scratch<'a>) -> usize {
        let making = if self.guards.is_empty() { 0 } else { MAKING * self.bound_cells() };
        size_of::<Scratch<'_>>() + scratch.sim.bytes() + making
    }

    fn bytes(&self) -> usize {
        self.known.bytes()
    }
}

impl Portable for Exact<'_> {
    fn pack(&self, state: &State, words: &mut Vec<u64>) {
        state.write_words(words);
    }

    fn unpack(&self, words: &[u64]) -> Option<State> {
        State::from_words(words)
    }

    fn action_word(action: Move) -> u64 {
        u64::from(action.0)
    }

    fn action_of(word: u64) -> Option<Move> {
        Move::of_word(word)
    }
}
