//! Clickers that cannot be passed for free, and the lower bound that follows.
//!
//! A *guard* is a clicker whose hearing (the 25 cells around its home) is all floor, with walls
//! around it such that Ellie cannot walk in while it sleeps at home and go on. Precisely: let her
//! step from a cell `c` outside onto `z` inside. The guard, if it sleeps at home, steps to a cell
//! `p(z)` beside `z`, or another clicker has just stepped onto `p(z)`; no clicker can have stood
//! there before, or she would be dead. So her next action must lead out of reach of `p(z)`. Where
//! that can only be `c` itself, walking in has cost two actions and led nowhere; where it can only
//! be `c` or a neighbour of `c`, it has cost one. A brick that the guard hears costs one action. So
//! each guard on a way costs at least one action more than the way itself.
//!
//! Zones of guards do not overlap, so that no sound is heard by two of them; a zone is convex, so
//! that a shortest way enters it once. Then no play is shorter than the cost `D(cell, bricks, guards
//! still asleep at home)` of a way that pays one brick and one action, or the price of walking in,
//! at each guard that it meets: the bound is admissible. (A clicker that comes back to a home and
//! sleeps there only raises it.) It is not consistent: with the step into a zone it falls by the
//! whole price, of which the actions are yet to come.
//!
//! Walking in is dearer than that, for the guard gives chase: while Ellie is at distance 2 from a
//! clicker that has just stepped beside her, its next step is known by the same argument, and a throw
//! or a stay is death. [`Guards::bound_with_chases`] follows the chase from each entry, `CHASE`
//! actions long at most, to where it loses its certainty, and goes on from there with
//! [`Guards::bound`] for the guard roused. It is admissible too.

use crate::board::Cell;
use crate::games::last_of_us::format::HEARING_RANGE;
use crate::games::last_of_us::state::{
    Acted, Board, NOTHING, Site, State, first_step_of_two, sites_within,
};
use std::ops::{Deref, Index};

/// How far a clicker hears, as distances are.
const HEARING: u32 = HEARING_RANGE as u32;

/// Most actions for which a chase is followed.
const CHASE: u32 = 14;

/// A guard.
struct Guard {
    home: Site,
    /// What walking in costs, beyond the step: 1 or 2.
    on_foot: u32,
}

/// No guard.
const NONE: u16 = u16::MAX;

/// At most this many guards where sets of them are kept, so that a set is a word.
const MOST_IN_A_SET: usize = u64::BITS as usize;

/// The guards of a board.
pub struct Guards {
    guards: Vec<Guard>,
    /// For each cell, the guard whose zone it is in.
    zone: Vec<u16>,
}

/// A set of guards that do not sleep at home.
pub type Roused = u64;

impl Guards {
    /// Finds the guards of a board, the first 64 where there are more: what bounds of states need.
    pub fn new(board: &Board) -> Guards {
        Guards::up_to(board, MOST_IN_A_SET)
    }

    /// Finds all guards of a board: for bounds of the start alone.
    pub fn all(board: &Board) -> Guards {
        Guards::up_to(board, NONE as usize)
    }

    /// No guards at all, whatever the board: bounds only walk.
    pub fn none(board: &Board) -> Guards {
        Guards::up_to(board, 0)
    }

    fn up_to(board: &Board, most: usize) -> Guards {
        let mut found = Guards { guards: Vec::new(), zone: vec![NONE; board.sites()] };
        for &home in &board.homes {
            if found.guards.len() == most {
                break;
            }
            let index = found.guards.len() as u16;
            let zone: Vec<Site> = sites_within(board, home, HEARING_RANGE).collect();
            let free = |&s: &Site| board.is_floor(s) && found.zone[s as usize] == NONE;
            if !zone.iter().all(free) {
                continue;
            }
            if let Some(on_foot) = price_on_foot(board, home) {
                for site in zone {
                    found.zone[site as usize] = index;
                }
                found.guards.push(Guard { home, on_foot });
            }
        }
        found
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.guards.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.guards.is_empty()
    }

    fn of_home(&self, site: Site) -> Option<u16> {
        let guard = self.zone[site as usize];
        (guard != NONE && self.guards[guard as usize].home == site).then_some(guard)
    }

    /// The guards that do not sleep at home in a state.
    pub fn roused(&self, state: &State) -> Roused {
        let away = state.away.iter().map(|c| c.site);
        let sites = state.empty_homes.iter().copied().chain(away);
        sites.filter_map(|s| self.of_home(s)).fold(0, |set, guard| set | 1 << guard)
    }

    /// The guard that hears a sound if it sleeps at home, as a set.
    #[inline]
    pub fn hearing(&self, sound: Site) -> Roused {
        let guard = self.zone[sound as usize];
        if guard == NONE { 0 } else { 1 << guard }
    }

    /// The guards that do not sleep at home after clickers have acted.
    pub fn after(&self, mut roused: Roused, acted: &[Acted]) -> Roused {
        for act in acted {
            if let Some(guard) = self.of_home(act.before.site) {
                roused |= 1 << guard;
            }
        }
        for act in acted.iter().filter(|act| act.after.target == NOTHING) {
            if let Some(guard) = self.of_home(act.after.site) {
                roused &= !(1 << guard);
            }
        }
        roused
    }

    /// The lower bound for every cell (row-major over the padded board) and number of bricks from 0
    /// to `bricks`, as `bound[bricks * sites + site]`, while the guards in `roused` are not at home.
    /// Without `bricks` there is one layer, for any number of them. `u32::MAX`: no way.
    pub fn bound(&self, board: &Board, bricks: Option<usize>, roused: Roused) -> Vec<u32> {
        let per_brick = bricks.map_or(0, |_| 1);
        let bricks = bricks.unwrap_or(0);
        let mut wave = Wave::from_exit(board, bricks);
        self.spread(board, &mut wave, roused, per_brick, true);
        wave.bound
    }

    /// As [`Guards::bound`], with chases; `weak` answers with that bound for a set of roused guards.
    pub fn bound_with_chases<F>(
        &self,
        board: &Board,
        bricks: usize,
        roused: Roused,
        weak: &mut impl FnMut(Roused) -> F,
    ) -> Vec<u32>
    where
        F: Deref<Target: Index<usize, Output = u32>>,
    {
        let sites = board.sites();
        let mut wave = Wave::from_exit(board, bricks);
        for (index, guard) in self.guards.iter().enumerate() {
            if roused >> index & 1 == 1 {
                continue;
            }
            let after = weak(roused | 1 << index);
            for (outside, inside) in entries(board, guard.home) {
                let ends = self.chase(board, guard, inside, roused | 1 << index);
                for layer in 0..=bricks {
                    let from = |&(site, steps): &(Site, u32)| {
                        after[layer * sites + site as usize].saturating_add(steps)
                    };
                    if let Some(cost) = ends.iter().map(from).min()
                        && cost != u32::MAX
                    {
                        wave.reach(layer * sites + outside as usize, cost + 1);
                    }
                }
            }
        }
        self.spread(board, &mut wave, roused, 1, false);
        wave.bound
    }

    /// Where a chase ends that begins with a step into the hearing of a guard, onto `inside`: cells, each with the
    /// actions from `inside` on.
    fn chase(
        &self,
        board: &Board,
        guard: &Guard,
        inside: Site,
        roused: Roused,
    ) -> Vec<(Site, u32)> {
        let Some(beside) = first_step_of_two(board, guard.home, inside) else {
            return vec![(inside, 0)];
        };
        let mut ends = Vec::new();
        let mut layer = vec![(inside, beside)];
        for steps in 0..CHASE {
            let mut next_layer = Vec::new();
            for &(ellie, hunter) in &layer {
                for step in board.steps {
                    let next = ellie.wrapping_add_signed(step);
                    if board.chebyshev(next, hunter) < 2 {
                        continue;
                    }
                    if next == board.exit {
                        ends.push((next, steps + 1));
                        continue;
                    }
                    if !board.is_floor(next) {
                        continue;
                    }
                    let zone = self.zone[next as usize];
                    let rouses = zone != NONE
                        && zone != self.zone[ellie as usize]
                        && !self.is_roused(zone, roused);
                    if rouses {
                        ends.push((ellie, steps));
                    } else if let Some(hunter) = first_step_of_two(board, hunter, next) {
                        next_layer.push((next, hunter));
                    } else {
                        ends.push((next, steps + 1));
                    }
                }
            }
            next_layer.sort_unstable();
            next_layer.dedup();
            layer = next_layer;
        }
        ends.extend(layer.into_iter().map(|(ellie, _)| (ellie, CHASE)));
        ends.sort_unstable();
        ends.dedup_by_key(|end| end.0);
        ends
    }

    fn is_roused(&self, guard: u16, roused: Roused) -> bool {
        (guard as usize) < MOST_IN_A_SET && roused >> guard & 1 == 1
    }

    /// Dijkstra backward from what the wave has reached. A guard takes `per_brick` bricks, or where
    /// she may come `on_foot` the price of that.
    fn spread(
        &self,
        board: &Board,
        wave: &mut Wave,
        roused: Roused,
        per_brick: usize,
        on_foot: bool,
    ) {
        let sites = board.sites();
        let layers = wave.bound.len() / sites;
        while let Some((cost, nodes)) = wave.next() {
            for node in nodes {
                if wave.bound[node as usize] != cost {
                    continue;
                }
                let (layer, site) = (node as usize / sites, node % sites as u32);
                let zone = self.zone[site as usize];
                let guarded = zone != NONE && !self.is_roused(zone, roused);
                for step in board.steps {
                    let from = site.wrapping_add_signed(step);
                    if !board.floor.contains(Cell(from)) {
                        continue;
                    }
                    let mut reach = |layer: usize, price: u32| {
                        if layer < layers {
                            wave.reach(layer * sites + from as usize, cost + 1 + price);
                        }
                    };
                    if guarded && self.zone[from as usize] != zone {
                        if on_foot {
                            reach(layer, self.guards[zone as usize].on_foot);
                        }
                        reach(layer + per_brick, 1);
                    } else {
                        reach(layer, 0);
                    }
                }
            }
        }
    }
}

/// A bound that is being computed, and its open list: buckets by cost (Dial, 1969).
struct Wave {
    bound: Vec<u32>,
    buckets: Vec<Vec<u32>>,
    at: usize,
}

impl Wave {
    /// Only the exit is reached, with every number of bricks up to `bricks`.
    fn from_exit(board: &Board, bricks: usize) -> Wave {
        let sites = board.sites();
        let bound = vec![u32::MAX; sites * (bricks + 1)];
        let mut wave = Wave { bound, buckets: Vec::new(), at: 0 };
        for layer in 0..=bricks {
            wave.reach(layer * sites + board.exit as usize, 0);
        }
        wave
    }

    /// Notes that a node costs at most `cost`.
    fn reach(&mut self, node: usize, cost: u32) {
        if cost < self.bound[node] {
            self.bound[node] = cost;
            if self.buckets.len() <= cost as usize {
                self.buckets.resize_with(cost as usize + 1, Vec::new);
            }
            self.buckets[cost as usize].push(node as u32);
        }
    }

    /// The cheapest remaining nodes, and their cost.
    fn next(&mut self) -> Option<(u32, Vec<u32>)> {
        while self.at < self.buckets.len() {
            let nodes = std::mem::take(&mut self.buckets[self.at]);
            if !nodes.is_empty() {
                return Some((self.at as u32, nodes));
            }
            self.at += 1;
        }
        None
    }
}

/// The steps into the hearing of a clicker at home: the cells outside and inside.
fn entries(board: &Board, home: Site) -> impl Iterator<Item = (Site, Site)> {
    let rim = sites_within(board, home, HEARING_RANGE)
        .filter(move |&s| board.chebyshev(s, home) == HEARING);
    rim.flat_map(move |inside| {
        let around = board.steps.into_iter().map(move |step| inside.wrapping_add_signed(step));
        around
            .filter(move |&s| board.is_floor(s) && board.chebyshev(s, home) > HEARING)
            .map(move |outside| (outside, inside))
    })
}

/// What walking into the hearing of a sleeping clicker costs at least, where it costs anything.
fn price_on_foot(board: &Board, home: Site) -> Option<u32> {
    let mut price = 2;
    for inside in sites_within(board, home, HEARING_RANGE) {
        if board.chebyshev(inside, home) != HEARING {
            continue;
        }
        let beside = first_step_of_two(board, home, inside)?;
        let neighbours =
            |site: Site| board.steps.into_iter().map(move |step| site.wrapping_add_signed(step));
        let enterable = |s: &Site| board.is_floor(*s) || *s == board.exit;
        for outside in neighbours(inside) {
            if !enterable(&outside) || board.chebyshev(outside, home) <= HEARING {
                continue;
            }
            for next in neighbours(inside).filter(enterable) {
                if board.chebyshev(next, beside) < 2 || next == outside {
                    continue;
                }
                // Straight on, or into what may be another guard's zone: not charged for.
                if board.chebyshev(next, outside) > 1 || next == board.exit {
                    return None;
                }
                price = 1;
            }
        }
    }
    Some(price)
}
