//! Finds a plan for a new area, taking clickers away where none is found.
//!
//! A plain beam over the fast simulator, guided by walking distance with a price on the clickers'
//! neighbourhoods. It is the generator's own, so that the same options give the same area however the
//! planner changes; its plans prove that an area can be solved and are not meant to be short.

use crate::board::{Cell, Direction, UNREACHED, distances};
use crate::games::last_of_us::format::{Action, HEARING_RANGE, MAX_ACTIONS, Map};
use crate::games::last_of_us::rules::Readings;
use crate::games::last_of_us::state::{Board, Move, Played, Simulator, Site, State, THROWS};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

/// Least and most states kept a layer; between them, the number with which a plan as long as the
/// guide thinks takes [`NODES`].
const WIDTH: std::ops::RangeInclusive<usize> = 40..=240;
/// States kept a layer with Ellie on one cell: waiting for a clicker to go must survive beside
/// running on.
const PER_CELL: usize = 12;
/// States kept in all, as they are planned.
const NODES: usize = 1_000_000;
/// States kept in all before the beam gives up.
const MAX_NODES: usize = 4 * NODES;
/// Layers without getting nearer before the beam gives up.
const PATIENCE: usize = 40;
/// What a thrown brick costs.
const BRICK_PRICE: u32 = 3;
/// Actions that are taken back where the beam is stuck, at first.
const BACK_OFF: usize = 6;
/// Most actions that are taken back at once.
const MAX_BACK_OFF: usize = 64 * BACK_OFF;
/// How often clickers are taken away before all that hear the shortest way go.
const ATTEMPTS: usize = 200;
/// Memory of the simulator's distance fields, in bytes.
const FIELD_BYTES: usize = 8 << 20;

/// A plan for the map, from which clickers are removed where need be; `None` where the exit cannot
/// be walked to at all.
///
/// `heard_price` is what a step within a clicker's hearing costs in the guide, beside 1 for any
/// step: the higher, the farther the plan goes around.
pub fn plant(map: &mut Map, heard_price: u32) -> Option<Vec<Action>> {
    let way = shortest_way(map)?;
    let mut kept: Vec<Action> = Vec::new();
    let mut back_off = BACK_OFF;
    let mut farthest = 0;
    for _ in 0..ATTEMPTS {
        let board = Board::new(map);
        match beam(&board, &guide(map, heard_price), &kept) {
            Found::Plan(plan) => {
                if crate::games::last_of_us::replay(map, &plan, Readings::default()).is_ok() {
                    return Some(plan);
                }
                kept.clear();
            }
            Found::Stuck { .. } if map.clickers.is_empty() => break,
            Found::Stuck { plan, ellie, away } => {
                // Again from a little before the place; where that did not help last time, from
                // twice as far back and with twice as many clickers gone.
                let further = (back_off * 2).min(MAX_BACK_OFF);
                back_off = if plan.len() > farthest { BACK_OFF } else { further };
                farthest = farthest.max(plan.len());
                kept = plan[..plan.len().saturating_sub(back_off)].to_vec();
                for _ in 0..back_off / BACK_OFF {
                    remove_near(map, ellie, &away);
                }
            }
        }
    }
    // Nobody hears a walk that keeps out of everybody's hearing.
    let is_far =
        |c: Cell| way.iter().all(|&cell| map.shape.chebyshev(c, cell) > HEARING_RANGE as u32);
    map.clickers.retain(|&c| is_far(c));
    let steps = way.windows(2).map(|pair| {
        let shape = map.shape;
        let drow = shape.row(pair[1]) - shape.row(pair[0]);
        Action::Walk(Direction::from_delta(drow, shape.col(pair[1]) - shape.col(pair[0])))
    });
    Some(steps.collect())
}

/// Cells of a shortest walk from Ellie to the exit, as if there were no clickers.
fn shortest_way(map: &Map) -> Option<Vec<Cell>> {
    let field = distances(map.shape, &[map.exit], &Direction::ALL, |c| !map.is_blocked(c));
    let mut way = vec![map.ellie];
    while let Some(&cell) = way.last().filter(|&&cell| cell != map.exit) {
        let around = Direction::ALL.into_iter().filter_map(|d| map.shape.step(cell, d));
        let next = around.min_by_key(|next| field[next.index()])?;
        if field[next.index()] >= field[cell.index()] {
            return None;
        }
        way.push(next);
    }
    Some(way)
}

/// Takes away who chases Ellie, or else the nearest clicker ahead of her.
fn remove_near(map: &mut Map, ellie: Cell, away: &[Cell]) {
    let shape = map.shape;
    let before = map.clickers.len();
    let near = |cell: Cell| shape.chebyshev(cell, ellie) <= 8;
    let chaser =
        away.iter().copied().filter(|&c| near(c)).min_by_key(|&c| shape.chebyshev(c, ellie));
    if let Some(chaser) = chaser {
        map.clickers.retain(|&c| c != chaser);
    }
    if map.clickers.len() == before {
        let field = distances(shape, &[map.exit], &Direction::ALL, |c| !map.is_blocked(c));
        let ahead = |&c: &Cell| (shape.chebyshev(c, ellie) + field[c.index()].min(1 << 20), c);
        if let Some(nearest) = map.clickers.iter().copied().min_by_key(ahead) {
            map.clickers.retain(|&c| c != nearest);
        }
    }
}

/// What a beam has come to.
enum Found {
    Plan(Vec<Action>),
    Stuck {
        /// Actions to the state that came nearest.
        plan: Vec<Action>,
        /// Ellie's cell there.
        ellie: Cell,
        /// Homes of clickers that are away then.
        away: Vec<Cell>,
    },
}

/// A state kept, how it was reached, and how far it is by the guide.
struct KeptState {
    state: State,
    parent: usize,
    action: Move,
    distance: u32,
}

/// One candidate for the next layer.
struct Candidate {
    estimate: u32,
    key: u64,
    ellie: Site,
    parent: usize,
    action: Move,
}

fn beam(board: &Board, guide: &[u32], prefix: &[Action]) -> Found {
    let mut simulator = Simulator::new(board, FIELD_BYTES);
    let distance = |site: Site| guide[board.cell(site).index()];
    let mut nodes = follow(&mut simulator, prefix, &distance);
    let mut best = nodes.len() - 1;
    let mut layer = best..nodes.len();
    let planned = NODES / (nodes[0].distance as usize).max(1);
    let width = planned.clamp(*WIDTH.start(), *WIDTH.end());
    let mut seen: HashSet<u64> = HashSet::new();
    let mut idle = 0;
    while !layer.is_empty() && idle < PATIENCE && nodes.len() < MAX_NODES {
        let mut candidates = Vec::new();
        for parent in layer.clone() {
            if let Some(last) =
                expand(&mut simulator, &nodes[parent], parent, &distance, &mut candidates)
            {
                let mut plan = plan_to(&nodes, parent);
                plan.push(last.action());
                return Found::Plan(plan);
            }
        }
        candidates.sort_unstable_by_key(|c: &Candidate| (c.estimate, c.key, c.parent, c.action));
        let first = nodes.len();
        let mut on_cell: HashMap<Site, usize> = HashMap::new();
        for candidate in candidates {
            let crowd = on_cell.entry(candidate.ellie).or_default();
            if nodes.len() - first == width || *crowd == PER_CELL || !seen.insert(candidate.key) {
                continue;
            }
            *crowd += 1;
            let (_, child) = simulator.after(&nodes[candidate.parent].state, candidate.action);
            let Some(state) = child else { continue };
            let distance = distance(state.ellie);
            let Candidate { parent, action, .. } = candidate;
            nodes.push(KeptState { state, parent, action, distance });
        }
        layer = first..nodes.len();
        idle += 1;
        for index in layer.clone() {
            if nodes[index].distance < nodes[best].distance {
                (best, idle) = (index, 0);
            }
        }
    }
    let state = &nodes[best].state;
    let away = state.empty_homes.iter().map(|&home| board.cell(home)).collect();
    Found::Stuck { plan: plan_to(&nodes, best), ellie: board.cell(state.ellie), away }
}

/// The states along a plan, as far as it is one.
fn follow(
    simulator: &mut Simulator<&Board>,
    prefix: &[Action],
    distance: &impl Fn(Site) -> u32,
) -> Vec<KeptState> {
    let board = simulator.board();
    let root = KeptState {
        state: board.start(),
        parent: usize::MAX,
        action: Move::STAY,
        distance: distance(board.ellie),
    };
    let mut nodes = vec![root];
    for &action in prefix {
        let last = nodes.len() - 1;
        let (Played::On(_), Some(state)) = simulator.after(&nodes[last].state, action.into())
        else {
            // With some clickers gone the old way has changed: the search goes on from here.
            break;
        };
        let distance = distance(state.ellie);
        nodes.push(KeptState { state, parent: last, action: action.into(), distance });
    }
    nodes
}

/// Collects the children of a state; the action onto the exit where there is one.
fn expand(
    simulator: &mut Simulator<&Board>,
    node: &KeptState,
    parent: usize,
    distance: &impl Fn(Site) -> u32,
    candidates: &mut Vec<Candidate>,
) -> Option<Move> {
    let board = simulator.board();
    simulator.load(&node.state);
    let mut won = None;
    let throws: &[Move] = if node.state.bricks > 0 { &THROWS } else { &[] };
    for action in (0..=Move::STAY.0).map(Move).chain(throws.iter().copied()) {
        let (drow, dcol) = action.delta();
        if action.is_throw() {
            let sound = board.offset(node.state.ellie, drow, dcol);
            if !board.is_floor(sound) || simulator.hearing(sound) == 0 {
                continue;
            }
        }
        match simulator.play(action) {
            Played::Won => won = Some(action),
            Played::On(after) => {
                let spent = u32::from(board.bricks - after.bricks) * BRICK_PRICE;
                let estimate = distance(after.ellie).saturating_add(spent);
                let (key, ellie) = (simulator.key(after), after.ellie);
                candidates.push(Candidate { estimate, key, ellie, parent, action });
            }
            Played::Illegal | Played::Killed => {}
        }
        simulator.undo();
    }
    simulator.unload(&node.state);
    won
}

fn plan_to(nodes: &[KeptState], mut index: usize) -> Vec<Action> {
    let mut plan = Vec::new();
    while nodes[index].parent != usize::MAX {
        plan.push(nodes[index].action.action());
        index = nodes[index].parent;
    }
    plan.reverse();
    debug_assert!(plan.len() <= MAX_ACTIONS);
    plan
}

/// Cost of the cheapest walk from each cell to the exit, a step that is heard costing more.
fn guide(map: &Map, heard_price: u32) -> Vec<u32> {
    let shape = map.shape;
    let mut price = vec![1u32; shape.cells()];
    for &clicker in &map.clickers {
        for drow in -HEARING_RANGE..=HEARING_RANGE {
            for dcol in -HEARING_RANGE..=HEARING_RANGE {
                if let Some(cell) = shape.at(shape.row(clicker) + drow, shape.col(clicker) + dcol) {
                    price[cell.index()] = 1 + heard_price;
                }
            }
        }
    }
    let mut guide = vec![UNREACHED; shape.cells()];
    guide[map.exit.index()] = 0;
    let mut heap = BinaryHeap::from([(Reverse(0), map.exit)]);
    while let Some((Reverse(cost), cell)) = heap.pop() {
        if cost > guide[cell.index()] {
            continue;
        }
        for next in Direction::ALL.into_iter().filter_map(|d| shape.step(cell, d)) {
            let through = cost + price[cell.index()];
            if !map.is_blocked(next) && through < guide[next.index()] {
                guide[next.index()] = through;
                heap.push((Reverse(through), next));
            }
        }
    }
    guide
}
