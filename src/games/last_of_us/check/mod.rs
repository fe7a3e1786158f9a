//! The Last of Us as a checker of proofs sees it, over the reference rules: see [`crate::check`].
//!
//! Claims are made, and checked, under the default readings.

pub mod abstraction;

use super::format::{Action, Map, THROW_RANGE};
use super::rules::{Clicker, Event, Game, Readings};
use crate::board::{Cell, Direction, UNREACHED, distances};
use crate::certificate::{Expander, Rulebook, Start, Step};

/// Bytes of a cell.
const CELL: usize = size_of::<u32>();
/// Upper limit of the states with more bricks that are looked for in place of one.
const MOST_COVERING: usize = 4;
/// Where a clicker that traces nothing would trace to.
const NOWHERE: Cell = Cell(u32::MAX);

/// An area, ready to be checked.
pub struct Checker<'a> {
    map: &'a Map,
    /// Steps to the exit from each cell over cells that are not blocked.
    steps: Vec<u32>,
}

impl<'a> Checker<'a> {
    /// Measures an area.
    pub fn new(map: &'a Map) -> Self {
        Checker { map, steps: steps_to_exit(map) }
    }
}

/// Steps to the exit from each cell over cells that are not blocked.
fn steps_to_exit(map: &Map) -> Vec<u32> {
    distances(map.shape, &[map.exit], &Direction::ALL, |cell| !map.is_blocked(cell))
}

impl Rulebook for Checker<'_> {
    fn start(&self) -> Start {
        let mut bytes = Vec::new();
        write(&Game::new(self.map, Readings::default()), &mut bytes);
        Start::State(bytes.into())
    }

    fn bytes(&self, _threads: usize) -> usize {
        self.steps.len() * size_of::<u32>()
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        let game = Game::new(self.map, Readings::default());
        let actions = actions();
        let (state, bytes) = (Vec::new(), Vec::new());
        let (next, is_stale) = (0, false);
        Box::new(Actions { checker: self, actions, next, game, is_stale, state, bytes })
    }

    fn cells(&self, state: &[u8]) -> Vec<(i64, i64)> {
        ellie(self.map, state)
    }
}

/// All actions that may be legal.
fn actions() -> Vec<Action> {
    let walks = Direction::ALL.into_iter().map(Some).chain([None]).map(Action::Walk);
    let range = || (-THROW_RANGE..=THROW_RANGE).map(|offset| offset as i8);
    let throws = range().flat_map(|drow| range().map(move |dcol| Action::Throw { drow, dcol }));
    walks.chain(throws).collect()
}

/// Ellie, the remaining bricks, and each clicker in order with what it traces.
fn write(game: &Game, bytes: &mut Vec<u8>) {
    bytes.clear();
    let mut put = |cell: Cell| bytes.extend(cell.0.to_le_bytes());
    put(game.ellie());
    put(Cell(game.bricks()));
    let mut clickers = game.clickers().to_vec();
    clickers.sort_unstable();
    for clicker in clickers {
        put(clicker.cell);
        put(clicker.traces.unwrap_or(NOWHERE));
    }
}

/// Where Ellie is in a state, as pictures count: a state begins with her cell.
fn ellie(map: &Map, state: &[u8]) -> Vec<(i64, i64)> {
    let cell = Cell(u32::from_le_bytes([state[0], state[1], state[2], state[3]]));
    vec![map.shape.coordinates(cell)]
}

/// Sets a game of the same area to a state.
fn read(bytes: &[u8], game: &mut Game) {
    let cell = |four: &[u8]| Cell(u32::from_le_bytes([four[0], four[1], four[2], four[3]]));
    let (head, clickers) = bytes.split_at(2 * CELL);
    let clicker = |eight: &[u8]| {
        let traces = cell(&eight[CELL..]);
        Clicker { cell: cell(eight), traces: (traces != NOWHERE).then_some(traces) }
    };
    let clickers = clickers.chunks_exact(2 * CELL).map(clicker);
    game.set(cell(head), cell(&head[CELL..]).0, clickers);
}

struct Actions<'a> {
    checker: &'a Checker<'a>,
    actions: Vec<Action>,
    next: usize,
    game: Game,
    /// Whether the game is in another state than `state`.
    is_stale: bool,
    /// The state that the actions are done in.
    state: Vec<u8>,
    bytes: Vec<u8>,
}

impl Expander for Actions<'_> {
    fn go_to(&mut self, state: &[u8], _left: u64) {
        self.state.clear();
        self.state.extend_from_slice(state);
        read(state, &mut self.game);
        (self.next, self.is_stale) = (0, false);
    }

    fn next(&mut self) -> Option<Step<'_>> {
        while let Some(&action) = self.actions.get(self.next) {
            self.next += 1;
            if self.is_stale {
                read(&self.state, &mut self.game);
                self.is_stale = false;
            }
            let event = self.game.act(action);
            // A refused action has changed nothing.
            self.is_stale = event.is_ok();
            match event {
                Err(_) | Ok(Event::Killed(_)) => {}
                Ok(Event::Won) => return Some(Step::Goal { cost: 1 }),
                Ok(Event::Survived) => {
                    write(&self.game, &mut self.bytes);
                    return Some(Step::State { cost: 1, to: &self.bytes });
                }
            }
        }
        None
    }

    fn costs_at_least(&mut self, left: u64) -> bool {
        let steps = self.checker.steps[self.game.ellie().index()];
        steps == UNREACHED || u64::from(steps) >= left
    }

    /// Whoever has more bricks can do whatever others can.
    fn is_covered(&mut self, is_closed: &mut dyn FnMut(&[u8]) -> bool) -> bool {
        let bricks = self.game.bricks();
        (bricks + 1..=self.checker.map.bricks).take(MOST_COVERING).any(|more| {
            self.bytes[CELL..2 * CELL].copy_from_slice(&more.to_le_bytes());
            is_closed(&self.bytes)
        })
    }
}
