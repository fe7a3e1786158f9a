//! Dense crowds: first a plan, then as many clickers as it leaves alive.
//!
//! Ellie walks a way that is a little longer than the shortest, and throws a brick somewhere at every
//! fourth step. Clickers are strewn, three quarters of them near that way; those that kill her, or
//! stand where she or a brick goes, are taken away, and others are tried in their place.

use super::terrain::Terrain;
use super::{CLEAR_START, MAX_BRICKS};
use crate::board::{BitBoard, Cell, Direction, UNREACHED};
use crate::games::generate::{GenerateError, Generated};
use crate::games::last_of_us::format::{self, Action, Map, THROW_RANGE};
use crate::games::last_of_us::replay;
use crate::games::last_of_us::rules::Readings;
use crate::games::last_of_us::state::{Board, Move, Played, Simulator, Site, State};
use rand::prelude::*;
use rand_chacha::ChaCha8Rng;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

/// Steps of the way from one throw to the next.
const STEPS_BETWEEN_THROWS: usize = 4;
/// Clickers so near to the way are near it.
const NEAR: i32 = 3;
/// This part of the clickers is to be near it.
const NEAR_PART: (usize, usize) = (3, 4);
/// Cells of floor for each clicker, where the options leave it open.
const FLOOR_PART: usize = 8;
/// How often clickers are tried in place of those that were taken away.
const ROUNDS: usize = 8;
/// What a step costs on the way, at random: so it winds a little.
const STEP_COST: std::ops::RangeInclusive<u32> = 4..=7;
/// Memory of the simulator's distance fields, in bytes.
const FIELD_BYTES: usize = 32 << 20;

/// Makes one area and its plan.
///
/// # Errors
/// One sentence where the terrain has no way to the exit.
pub fn generate(
    terrain: &Terrain,
    name: String,
    bricks: Option<u32>,
    clickers: Option<u32>,
    rng: &mut ChaCha8Rng,
) -> Result<Generated, GenerateError> {
    let shape = terrain.shape;
    let mut blocked = BitBoard::new(shape.cells());
    let walls = shape.iter().filter(|cell| !terrain.open[cell.index()]);
    walls.for_each(|cell| blocked.insert(cell));
    let (ellie, exit) = (terrain.ellie, terrain.exit);
    let bricks = bricks.unwrap_or(MAX_BRICKS);
    let mut map = Map { name, shape, bricks, blocked, ellie, exit, clickers: Vec::new() };

    let way = way(&map, rng).ok_or("the terrain leaves no way to the exit")?;
    let plan = plan_along(&map, &way, rng);
    let spots = Spots::new(&map, &way, rng);
    let floor = terrain.open.iter().filter(|open| **open).count();
    let wanted = clickers.map_or(floor / FLOOR_PART, |count| count as usize);
    fill(&mut map, &plan, wanted, spots);
    replay(&map, &plan, Readings::default()).map_err(|failure| failure.reason)?;
    let name = map.name.clone();
    Ok(Generated { name, area: map.text(), plan: format::plan_text(&plan) })
}

/// The cells of a way from Ellie to the exit, where each cell costs what chance says.
fn way(map: &Map, rng: &mut ChaCha8Rng) -> Option<Vec<Cell>> {
    let shape = map.shape;
    let price: Vec<u32> = shape.iter().map(|_| rng.random_range(STEP_COST)).collect();
    let mut cost = vec![UNREACHED; shape.cells()];
    cost[map.exit.index()] = 0;
    let mut heap = BinaryHeap::from([(Reverse(0), map.exit)]);
    let mut next = vec![map.exit; shape.cells()];
    while let Some((Reverse(here), cell)) = heap.pop() {
        if here > cost[cell.index()] {
            continue;
        }
        let through = here + price[cell.index()];
        for from in Direction::ALL.into_iter().filter_map(|d| shape.step(cell, d)) {
            if !map.is_blocked(from) && through < cost[from.index()] {
                cost[from.index()] = through;
                next[from.index()] = cell;
                heap.push((Reverse(through), from));
            }
        }
    }
    if cost[map.ellie.index()] == UNREACHED {
        return None;
    }
    let on = |&cell: &Cell| (cell != map.exit).then(|| next[cell.index()]);
    Some(std::iter::successors(Some(map.ellie), on).collect())
}

/// A plan that walks the way and throws a brick at every fourth step while there are any.
fn plan_along(map: &Map, way: &[Cell], rng: &mut ChaCha8Rng) -> Vec<Action> {
    let shape = map.shape;
    let mut plan = Vec::new();
    let mut bricks = map.bricks;
    for (step, pair) in way.windows(2).enumerate() {
        if step % STEPS_BETWEEN_THROWS == STEPS_BETWEEN_THROWS - 1 && bricks > 0 {
            let throws = around(map, pair[0], THROW_RANGE);
            let landing = throws.filter(|&cell| cell != pair[0]).choose(rng);
            if let Some(landing) = landing {
                bricks -= 1;
                plan.push(Action::Throw {
                    drow: (shape.row(landing) - shape.row(pair[0])) as i8,
                    dcol: (shape.col(landing) - shape.col(pair[0])) as i8,
                });
            }
        }
        let drow = shape.row(pair[1]) - shape.row(pair[0]);
        let dcol = shape.col(pair[1]) - shape.col(pair[0]);
        plan.push(Action::Walk(Direction::from_delta(drow, dcol)));
    }
    plan
}

/// The floor within a distance of a cell.
fn around(map: &Map, cell: Cell, reach: i32) -> impl Iterator<Item = Cell> {
    let (row, col) = (map.shape.row(cell), map.shape.col(cell));
    let offsets = (-reach..=reach).flat_map(move |r| (-reach..=reach).map(move |c| (r, c)));
    let cells = offsets.filter_map(move |(drow, dcol)| map.shape.at(row + drow, col + dcol));
    cells.filter(|&cell| !map.is_blocked(cell) && cell != map.exit)
}

/// Where clickers may be tried, each cell once.
struct Spots {
    /// The cells near the way.
    beside: HashSet<Cell>,
    near: Vec<Cell>,
    apart: Vec<Cell>,
}

impl Spots {
    fn new(map: &Map, way: &[Cell], rng: &mut ChaCha8Rng) -> Spots {
        let beside: HashSet<Cell> = way.iter().flat_map(|&cell| around(map, cell, NEAR)).collect();
        let fits = |&cell: &Cell| {
            let is_free = !map.is_blocked(cell) && cell != map.exit;
            is_free && map.shape.chebyshev(cell, map.ellie) >= CLEAR_START
        };
        let fitting = map.shape.iter().filter(fits);
        let (mut near, mut apart): (Vec<Cell>, Vec<Cell>) =
            fitting.partition(|cell| beside.contains(cell));
        near.shuffle(rng);
        apart.shuffle(rng);
        Spots { beside, near, apart }
    }

    /// Adds clickers until there are as many as wanted, three quarters of them near the way as long
    /// as there are spots; whether it added any.
    fn add(&mut self, clickers: &mut Vec<Cell>, wanted: usize) -> bool {
        let before = clickers.len();
        let mut near = clickers.iter().filter(|cell| self.beside.contains(cell)).count();
        while clickers.len() < wanted {
            let wants_near = near * NEAR_PART.1 < (clickers.len() + 1) * NEAR_PART.0;
            let spot = if wants_near { self.near.pop() } else { self.apart.pop() };
            let Some(spot) = spot.or_else(|| self.apart.pop()).or_else(|| self.near.pop()) else {
                break;
            };
            near += usize::from(self.beside.contains(&spot));
            clickers.push(spot);
        }
        clickers.len() > before
    }
}

/// Puts clickers in until there are as many as wanted or every spot has been tried often enough.
fn fill(map: &mut Map, plan: &[Action], wanted: usize, mut spots: Spots) {
    for _ in 0..ROUNDS {
        if !spots.add(&mut map.clickers, wanted) {
            break;
        }
        map.clickers.sort_unstable();
        loop {
            let board = Board::new(map);
            let culprits = culprits(&board, plan);
            if culprits.is_empty() {
                break;
            }
            map.clickers.retain(|&clicker| !culprits.contains(&board.site(clicker)));
        }
    }
}

/// The homes of the clickers that stand in the plan's way, each taken off the board when it does.
fn culprits(board: &Board, plan: &[Action]) -> HashSet<Site> {
    let mut simulator = Simulator::new(board, FIELD_BYTES);
    let mut state = board.start();
    let mut homes: HashMap<Site, Site> = HashMap::new();
    let mut culprits = HashSet::new();
    for &action in plan {
        let action = Move::from(action);
        loop {
            simulator.load(&state);
            let played = simulator.play(action);
            let (drow, dcol) = action.delta();
            let sound = board.offset(state.ellie, drow, dcol);
            let mut in_the_way = Vec::new();
            match played {
                Played::On(_) => {
                    for act in simulator.acted() {
                        let home = homes.remove(&act.before.site).unwrap_or(act.before.site);
                        homes.insert(act.after.site, home);
                    }
                }
                Played::Won => {}
                Played::Illegal => in_the_way.push(sound),
                Played::Killed => {
                    let ellie = if action.is_throw() { state.ellie } else { sound };
                    let beside = board.steps.iter().map(|&step| ellie.wrapping_add_signed(step));
                    in_the_way.extend(beside.filter(|&site| simulator.is_clicker(site)));
                }
            }
            let next = match played {
                Played::On(after) => Some(simulator.build(&state, after)),
                _ => None,
            };
            simulator.undo();
            simulator.unload(&state);
            if in_the_way.is_empty() {
                state = next.unwrap_or(state);
                break;
            }
            for site in in_the_way {
                culprits.insert(homes.remove(&site).unwrap_or(site));
                take_off(board, &mut state, site);
            }
        }
    }
    culprits
}

/// Takes a clicker off the board. Keys of the state do not count here.
fn take_off(board: &Board, state: &mut State, site: Site) {
    state.away.retain(|clicker| clicker.site != site);
    let is_home = board.homes.binary_search(&site).is_ok();
    if is_home && let Err(index) = state.empty_homes.binary_search(&site) {
        state.empty_homes.insert(index, site);
    }
}
