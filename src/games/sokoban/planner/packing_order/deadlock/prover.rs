//! Proofs that a set of boxes can never be solved, by plain search over the pushes of these boxes alone.
//!
//! The boxes have an area: once one of them can be pushed out of it, it counts as gone. That and the
//! missing boxes only make a solution easier, so a set without one is a deadlock wherever it stands.

use super::super::level::freeze::{Freeze, makes_block};
use super::super::level::terrain::Terrain;
use super::dead_sets::DeadSets;
use crate::games::sokoban::board::Square;
use crate::games::sokoban::board::region::{Flood, Occupied};
use crate::games::sokoban::board::square_set::put;
use ahash::AHashSet;

/// Number of positions that a proof looks at.
const PROOF: usize = 400;
/// Number of positions that the attempt looks at to do without one of the boxes.
const SHRINKING: usize = 100;

/// Some boxes and the player.
#[derive(Clone, Debug)]
struct State {
    boxes: Vec<Square>,
    player: Square,
}

/// The search for proofs; holds the working memory.
#[derive(Clone, Debug)]
pub struct Prover {
    /// Whether a square is in the area.
    pub is_inside: Vec<bool>,
    occupied: Occupied,
    flood: Flood,
    freeze: Freeze,
    seen: AHashSet<u64>,
    stack: Vec<State>,
    /// Number of positions looked at in all proofs together.
    pub looked: u64,
}

impl Prover {
    /// Working memory for a level.
    pub fn new(terrain: &Terrain) -> Self {
        let squares = terrain.squares();
        Prover {
            is_inside: vec![false; squares + 1],
            occupied: terrain.occupied(&[]),
            flood: Flood::new(&terrain.layout),
            freeze: Freeze::new(squares),
            seen: AHashSet::new(),
            stack: Vec::new(),
            looked: 0,
        }
    }

    /// Tries to prove that these boxes cannot be solved, with the area that is marked in `is_inside`,
    /// and to do without each of them. Learns what is left; whether there was a proof.
    pub fn learn(
        &mut self,
        terrain: &Terrain,
        keys: &[u64],
        dead: &mut DeadSets,
        mut boxes: Vec<Square>,
        player: Square,
    ) -> bool {
        if !self.is_dead(terrain, keys, dead, (&boxes, player), PROOF) {
            return false;
        }
        let mut at = 0;
        while at < boxes.len() && boxes.len() > 1 {
            let square = boxes.remove(at);
            if !self.is_dead(terrain, keys, dead, (&boxes, player), SHRINKING) {
                boxes.insert(at, square);
                at += 1;
            }
        }
        self.place(&boxes, true);
        self.flood.fill(&self.occupied, player);
        self.place(&boxes, false);
        let mut players = vec![0; terrain.squares() / 64 + 1];
        for square in (0..terrain.squares() as Square).filter(|&s| self.flood.contains(s)) {
            put(&mut players, square);
        }
        dead.add(boxes, players);
        true
    }

    fn place(&mut self, boxes: &[Square], is_there: bool) {
        self.occupied.set_all(boxes, is_there);
    }

    /// Whether there is no way to bring each of the boxes out of the area or to a target, as far as
    /// `most` positions tell.
    fn is_dead(
        &mut self,
        terrain: &Terrain,
        keys: &[u64],
        dead: &DeadSets,
        (boxes, player): (&[Square], Square),
        most: usize,
    ) -> bool {
        self.seen.clear();
        self.stack.clear();
        self.stack.push(State { boxes: boxes.to_vec(), player });
        while let Some(mut state) = self.stack.pop() {
            self.looked += 1;
            self.place(&state.boxes, true);
            self.flood.fill(&self.occupied, state.player);
            self.remove_escaping(terrain, dead, &mut state);
            let is_alive = state.boxes.iter().all(|&s| terrain.is_goal[s as usize]);
            let key = state.boxes.iter().fold(0, |key, &s| key ^ keys[s as usize]);
            let region = keys[self.flood.least() as usize].rotate_left(32);
            if !is_alive && self.seen.insert(key ^ region) {
                self.expand(terrain, dead, &mut state);
            }
            self.place(&state.boxes, false);
            if is_alive || self.seen.len() > most {
                return false;
            }
        }
        true
    }

    /// Removes boxes that can be pushed out of the area at once, until there is none.
    fn remove_escaping(&mut self, terrain: &Terrain, dead: &DeadSets, state: &mut State) {
        let mut at = 0;
        while at < state.boxes.len() {
            let square = state.boxes[at];
            if self.escapes(terrain, dead, square) {
                state.boxes.remove(at);
                self.occupied.set(square, false);
                self.flood.fill(&self.occupied, state.player);
                at = 0;
            } else {
                at += 1;
            }
        }
    }

    /// Whether a box can be pushed out of the area at once.
    fn escapes(&mut self, terrain: &Terrain, dead: &DeadSets, square: Square) -> bool {
        (0..4u8).any(|d| {
            let to = terrain.step(square, d);
            !self.is_inside[to as usize]
                && self.flood.contains(terrain.step(square, d ^ 2))
                && self.may_push(terrain, dead, square, to, d)
        })
    }

    /// Whether a push is not known to be a mistake. The board is the same afterwards.
    fn may_push(
        &mut self,
        terrain: &Terrain,
        dead: &DeadSets,
        from: Square,
        to: Square,
        d: u8,
    ) -> bool {
        if self.occupied[to as usize]
            || !terrain.is_legal[to as usize]
            || makes_block(terrain, &self.occupied, to, d)
        {
            return false;
        }
        self.occupied.set(from, false);
        self.occupied.set(to, true);
        let is_mistake = self.freeze.is_deadlock(terrain, &self.occupied, to)
            || dead.is_dead_at(to, &self.occupied, from);
        self.occupied.set(to, false);
        self.occupied.set(from, true);
        !is_mistake
    }

    /// Puts what follows a position on the stack.
    fn expand(&mut self, terrain: &Terrain, dead: &DeadSets, state: &mut State) {
        for at in 0..state.boxes.len() {
            let from = state.boxes[at];
            for d in 0..4u8 {
                let to = terrain.step(from, d);
                if self.flood.contains(terrain.step(from, d ^ 2))
                    && self.may_push(terrain, dead, from, to, d)
                {
                    let mut boxes = state.boxes.clone();
                    boxes[at] = to;
                    self.stack.push(State { boxes, player: from });
                }
            }
        }
    }
}
