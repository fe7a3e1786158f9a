//! The abstraction of the Last of Us as a checker of proofs sees it: Ellie among the clickers whose place is certain.
//!
//! `docs/CERTIFICATES.md`, "The Last of Us", describes states and steps, and proves that every plan has an image here that
//! costs no more.

use super::super::format::{HEARING_RANGE, Map, THROW_RANGE};
use super::{ellie, steps_to_exit};
use crate::board::{Cell, Direction, UNREACHED};
use crate::certificate::{Expander, Rulebook, Start, Step};

/// A clicker that is at least this many steps farther from the exit than Ellie has come is forgotten.
const MARGIN: u32 = 4;
/// Upper limit of the sets of clickers that are looked at for one number of throws. Where there are more,
/// one throw wakes all that any throw could.
const MOST_SETS: usize = 64;
/// Bytes of a number.
const NUMBER: usize = size_of::<u32>();
/// Numbers before the hunters: Ellie's cell, [`State::come`], [`State::alone`] and the bricks that were thrown.
const NUMBERS: usize = 4;
/// Bytes before the clickers that are roused.
const HEAD: usize = NUMBERS * NUMBER + 1;

/// The clickers that are roused, by the cells where they slept, in order.
type Roused = Vec<Cell>;

/// An area, ready to be checked.
pub struct Abstraction<'a> {
    map: &'a Map,
    /// Steps to the exit from each cell over cells that are not blocked.
    steps: Vec<u32>,
    /// For each cell, the greatest number of steps to the exit from a cell in throwing range of it.
    farthest: Vec<u32>,
    /// The clickers by the cells where they sleep at the start.
    is_home: Vec<bool>,
}

impl<'a> Abstraction<'a> {
    /// Measures an area.
    pub fn new(map: &'a Map) -> Self {
        let steps = steps_to_exit(map);
        let mut is_home = vec![false; map.shape.cells()];
        map.clickers.iter().for_each(|home| is_home[home.index()] = true);
        let farthest = Vec::new();
        let mut abstraction = Abstraction { map, steps, farthest, is_home };
        abstraction.farthest = abstraction.farthest();
        abstraction
    }

    /// For each cell, the greatest number of steps to the exit from a cell at throwing distance: along
    /// rows first, then along columns.
    fn farthest(&self) -> Vec<u32> {
        let shape = self.map.shape;
        let reached = |&steps: &u32| if steps == UNREACHED { 0 } else { steps };
        let field: Vec<u32> = self.steps.iter().map(reached).collect();
        let along = |field: &[u32], (drow, dcol): (i32, i32)| -> Vec<u32> {
            let most_near = |cell: Cell| {
                let line = (-THROW_RANGE..=THROW_RANGE).filter_map(|by| {
                    shape.at(shape.row(cell) + by * drow, shape.col(cell) + by * dcol)
                });
                line.map(|near| field[near.index()]).max().unwrap_or(0)
            };
            (0..shape.cells() as u32).map(|cell| most_near(Cell(cell))).collect()
        };
        along(&along(&field, (0, 1)), (1, 0))
    }

    /// The cells within a distance of one, row by row.
    fn near(&self, cell: Cell, distance: i32) -> impl Iterator<Item = Cell> + use<'a> {
        let shape = self.map.shape;
        let (row, col) = (shape.row(cell), shape.col(cell));
        let rows = row - distance..=row + distance;
        rows.flat_map(move |row| {
            (col - distance..=col + distance).filter_map(move |col| shape.at(row, col))
        })
    }

    /// Whether the clicker of a home sleeps there for certain.
    fn is_asleep(&self, home: Cell, come: u32, roused: &[Cell]) -> bool {
        self.is_ahead(home, come) && roused.binary_search(&home).is_err()
    }

    /// Whether a home has not been forgotten.
    fn is_ahead(&self, home: Cell, come: u32) -> bool {
        self.steps[home.index()] < come.saturating_add(MARGIN)
    }

    /// The homes of those that sleep for certain and hear a sound.
    fn hearing(&self, sound: Cell, come: u32, roused: &[Cell]) -> Roused {
        let homes = self.near(sound, HEARING_RANGE).filter(|cell| self.is_home[cell.index()]);
        homes.filter(|&home| self.is_asleep(home, come, roused)).collect()
    }

    /// The cell beside Ellie to which a clicker at distance 2 steps once it has heard her, if that cell is free. None if
    /// no way of two steps leads to her. The rules: "with the smallest absolute offset, of these the first
    /// in clockwise order from the top".
    fn step_beside(&self, clicker: Cell, ellie: Cell) -> Option<Cell> {
        let shape = self.map.shape;
        let around = Direction::ALL.into_iter().filter_map(|way| shape.step(clicker, way));
        let between = around
            .filter(|&cell| self.map.clickers_may_enter(cell) && shape.chebyshev(cell, ellie) == 1);
        between.min_by_key(|&cell| shape.manhattan(cell, ellie))
    }
}

impl Rulebook for Abstraction<'_> {
    fn start(&self) -> Start {
        let steps = self.steps[self.map.ellie.index()];
        let state = State {
            ellie: self.map.ellie,
            come: steps,
            alone: steps,
            thrown: 0,
            hunters: 0,
            roused: Roused::new(),
        };
        let mut bytes = Vec::new();
        state.write(&mut bytes);
        Start::State(bytes.into())
    }

    fn is_abstract(&self) -> bool {
        true
    }

    fn bytes(&self, _threads: usize) -> usize {
        self.steps.len() * (2 * size_of::<u32>() + size_of::<bool>())
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        let steps = (Vec::new(), Vec::new());
        Box::new(Walks { abstraction: self, left: 0, ellie: self.map.ellie, steps, next: 0 })
    }

    fn cells(&self, state: &[u8]) -> Vec<(i64, i64)> {
        ellie(self.map, state)
    }

    fn class(&self, state: &[u8]) -> Option<u32> {
        Some(number(state, 0))
    }

    /// Whoever knows less of the clickers, and has thrown no more, can do whatever others can.
    fn covers(&self, state: &[u8], other: &[u8]) -> bool {
        let no_more = (1..NUMBERS).all(|at| number(state, at) <= number(other, at));
        let hunters = |state: &[u8]| state[NUMBERS * NUMBER];
        if !no_more || hunters(state) & !hunters(other) != 0 {
            return false;
        }
        let come = number(state, 1);
        let mut known = roused(state);
        let mut next = known.next();
        roused(other).filter(|&home| self.is_ahead(home, come)).all(|home| {
            while next.is_some_and(|next| next < home) {
                next = known.next();
            }
            next == Some(home)
        })
    }
}

/// A number at the beginning of a state.
fn number(state: &[u8], at: usize) -> u32 {
    let bytes = &state[at * NUMBER..][..NUMBER];
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

/// The clickers that are roused in a state.
fn roused(state: &[u8]) -> impl Iterator<Item = Cell> {
    let cell = |four: &[u8]| Cell(u32::from_le_bytes([four[0], four[1], four[2], four[3]]));
    state[HEAD..].chunks_exact(NUMBER).map(cell)
}

/// An abstract state: all that is certain.
#[derive(Clone, Debug)]
struct State {
    ellie: Cell,
    /// How near to the exit Ellie has come, in steps.
    come: u32,
    /// `come` of the last time that no clicker stood beside Ellie for certain.
    alone: u32,
    /// Bricks that were thrown.
    thrown: u32,
    /// Bit of each direction in which a clicker stands beside Ellie for certain.
    hunters: u8,
    /// The clickers that do not sleep at home for certain, but for those that are forgotten.
    roused: Roused,
}

impl State {
    fn read(bytes: &[u8]) -> State {
        State {
            ellie: Cell(number(bytes, 0)),
            come: number(bytes, 1),
            alone: number(bytes, 2),
            thrown: number(bytes, 3),
            hunters: bytes[NUMBERS * NUMBER],
            roused: roused(bytes).collect(),
        }
    }

    fn write(&self, bytes: &mut Vec<u8>) {
        for number in [self.ellie.0, self.come, self.alone, self.thrown] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.push(self.hunters);
        self.roused.iter().for_each(|home| bytes.extend(home.0.to_le_bytes()));
    }
}

/// The steps from a state: throws that matter for a walk of one cell, and that walk.
struct Walks<'a> {
    abstraction: &'a Abstraction<'a>,
    /// Steps that cost this much or more with the way to the exit are left out.
    left: u64,
    /// Where Ellie is after the step that was given last.
    ellie: Cell,
    /// Bytes of the states that are reached, and each step's cost with the end of its bytes; a goal has none.
    steps: (Vec<u8>, Vec<(u64, usize)>),
    next: usize,
}

impl Expander for Walks<'_> {
    fn go_to(&mut self, state: &[u8], left: u64) {
        let Walks { abstraction: &Abstraction { map, .. }, .. } = *self;
        let state = State::read(state);
        (self.left, self.ellie, self.next) = (left, state.ellie, 0);
        self.steps.0.clear();
        self.steps.1.clear();
        for direction in Direction::ALL {
            match map.shape.step(state.ellie, direction) {
                Some(to) if to == map.exit => self.steps.1.push((1, self.steps.0.len())),
                Some(to) if !map.is_blocked(to) => self.walk(&state, to),
                _ => {}
            }
        }
        // Whoever has heard her come is roused: at the start only is she heard for the first time where she stays.
        if !self.abstraction.hearing(state.ellie, state.come, &state.roused).is_empty() {
            self.walk(&state, state.ellie);
        }
    }

    fn next(&mut self) -> Option<Step<'_>> {
        let (bytes, steps) = &self.steps;
        let &(cost, to) = steps.get(self.next)?;
        let from = self.next.checked_sub(1).map_or(0, |before| steps[before].1);
        self.next += 1;
        if from == to {
            return Some(Step::Goal { cost });
        }
        let to = &bytes[from..to];
        self.ellie = Cell(number(to, 0));
        Some(Step::State { cost, to })
    }

    fn costs_at_least(&mut self, left: u64) -> bool {
        let steps = self.abstraction.steps[self.ellie.index()];
        steps == UNREACHED || u64::from(steps) >= left
    }
}

impl Walks<'_> {
    /// Walks to a cell, or stays, after any number of throws.
    fn walk(&mut self, state: &State, to: Cell) {
        let abstraction = self.abstraction;
        let shape = abstraction.map.shape;
        let hunters: Vec<Cell> = abstraction.hunters(state).collect();
        if hunters.iter().any(|&hunter| shape.chebyshev(hunter, to) <= 1) {
            return;
        }
        let mut sets = vec![state.roused.clone()];
        for thrown in state.thrown..=abstraction.map.bricks {
            let cost = u64::from(thrown - state.thrown) + 1;
            if cost + u64::from(abstraction.steps[to.index()]) >= self.left || sets.is_empty() {
                return;
            }
            let mut next = Vec::new();
            for roused in sets {
                let heard = abstraction.hearing(to, state.come, &roused);
                let woken = abstraction.throws(state, &roused, to, &heard);
                next.extend(woken.into_iter().map(|woken| union(&roused, &woken)));
                if heard.iter().all(|&home| shape.chebyshev(home, to) > 1) {
                    let coming = hunters.iter().chain(&heard);
                    let coming = coming.filter_map(|&from| abstraction.step_beside(from, to));
                    let hunters = abstraction.directions(to, coming);
                    let (thrown, roused) = (thrown, union(&roused, &heard));
                    let after = State { ellie: to, thrown, hunters, roused, ..state.clone() };
                    self.reach(after, cost);
                }
            }
            sets = greatest(next);
            if sets.len() > MOST_SETS {
                sets = vec![sets.iter().fold(Roused::new(), |all, set| union(&all, set))];
            }
        }
    }

    fn reach(&mut self, mut state: State, cost: u64) {
        let abstraction = self.abstraction;
        let to = state.ellie;
        state.come = state.come.min(abstraction.steps[to.index()]);
        if state.hunters == 0 {
            state.alone = state.come;
        }
        // As many bricks as there can be throws before the claim is kept are as good as any number.
        let throws = self.left.saturating_sub(cost + u64::from(abstraction.steps[to.index()]));
        if u64::from(abstraction.map.bricks - state.thrown) >= throws {
            state.thrown = 0;
        }
        state.roused.retain(|&home| abstraction.is_ahead(home, state.come));
        state.write(&mut self.steps.0);
        self.steps.1.push((cost, self.steps.0.len()));
    }
}

impl Abstraction<'_> {
    /// The cells of the clickers that stand beside Ellie for certain.
    fn hunters(&self, state: &State) -> impl Iterator<Item = Cell> {
        let set = |&(bit, _): &(usize, Direction)| state.hunters >> bit & 1 == 1;
        let directions = Direction::ALL.into_iter().enumerate().filter(set);
        directions.filter_map(|(_, direction)| self.map.shape.step(state.ellie, direction))
    }

    /// A set of directions: from a cell to some cells beside it.
    fn directions(&self, cell: Cell, beside: impl Iterator<Item = Cell>) -> u8 {
        let step = |direction| self.map.shape.step(cell, direction);
        beside.fold(0, |set, beside| {
            let direction = Direction::ALL.into_iter().position(|way| step(way) == Some(beside));
            set | direction.map_or(0, |bit| 1 << bit)
        })
    }

    /// The sets of clickers that one throw wakes, with one of those among them that hear Ellie at `to`: the
    /// greatest of these sets.
    fn throws(&self, state: &State, roused: &[Cell], to: Cell, heard: &[Cell]) -> Vec<Roused> {
        let shape = self.map.shape;
        let wakes = |sound: Cell| {
            heard.iter().any(|&home| shape.chebyshev(home, sound) <= HEARING_RANGE as u32)
        };
        let sounds = self.near(to, 2 * HEARING_RANGE).filter(|&sound| {
            self.map.clickers_may_enter(sound)
                && self.farthest[sound.index()] >= state.alone
                && wakes(sound)
        });
        greatest(sounds.map(|sound| self.hearing(sound, state.come, roused)).collect())
    }
}

/// The sets that are in no other.
fn greatest(mut sets: Vec<Roused>) -> Vec<Roused> {
    sets.sort_unstable_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    sets.dedup();
    let mut greatest: Vec<Roused> = Vec::new();
    for set in sets {
        let is_in = |other: &Roused| set.iter().all(|home| other.binary_search(home).is_ok());
        if !greatest.iter().any(is_in) {
            greatest.push(set);
        }
    }
    greatest
}

/// All of two sets.
fn union(some: &[Cell], others: &[Cell]) -> Roused {
    let mut all = [some, others].concat();
    all.sort_unstable();
    all.dedup();
    all
}
