//! When the walk tries to learn a deadlock, and what it does with one.

use super::corral::{Flooded, most_boxes};
use super::positions::NONE;
use super::walk::Walk;
use crate::games::sokoban::board::Square;
use crate::games::sokoban::board::square_set::put;

/// Stands for "known to be dead" where a position's number of tests is kept.
const IS_DEAD: u32 = u32::MAX;

impl Walk<'_> {
    /// Tries to prove dead the areas that were flooded for the position on the board, each alone and
    /// with those it was grown from. Whether the position itself is dead.
    pub(super) fn learn_from_areas(&mut self, player: Square) -> bool {
        let flooded = std::mem::take(&mut self.corrals.flooded);
        let known = self.deadlocks.patterns();
        for (at, area) in flooded.iter().enumerate() {
            let mut is_new = self.try_area(&area.boxes, &area.free, player);
            let mut union = (area.boxes.clone(), area.free.clone());
            let mut outer = area.outer;
            while let Some(Flooded { boxes, free, outer: next, .. }) =
                outer.and_then(|at| flooded.get(at))
            {
                union.0.extend(boxes);
                union.1.extend(free);
                outer = *next;
                is_new |= at > 0;
            }
            if area.outer.is_some() && is_new {
                self.try_union(union, player);
            }
        }
        self.corrals.flooded = flooded;
        self.deadlocks.matches_since(known, &self.bits, player)
    }

    /// Tries to prove dead several areas together, and the boxes held between them.
    fn try_union(&mut self, (mut boxes, free): (Vec<Square>, Vec<Square>), player: Square) {
        boxes.sort_unstable();
        boxes.dedup();
        let terrain = self.terrain;
        for &square in &self.boxes {
            let around = terrain.next[square as usize];
            let held = around.iter().filter(|near| boxes.contains(near)).count();
            let walls = usize::from(around.iter().any(|&near| terrain.is_wall(near)));
            if !boxes.contains(&square) && held > 0 && held + walls >= 2 {
                boxes.push(square);
            }
        }
        if boxes.len() <= most_boxes(self.boxes.len()) {
            self.try_area(&boxes, &free, player);
        }
    }

    /// Tries to prove an area dead, once; whether that is new.
    fn try_area(&mut self, boxes: &[Square], free: &[Square], player: Square) -> bool {
        let keys = &self.terrain.board().box_keys;
        let key = boxes.iter().fold(0, |key, &s| key ^ keys[s as usize]);
        let least = free.iter().min().map_or(0, |&s| keys[s as usize]);
        if !self.tried.insert(key ^ least.rotate_left(32)) {
            return false;
        }
        let area = [boxes, free].concat();
        self.is_news |= self.deadlocks.is_dead_area(&area, boxes, player);
        true
    }

    /// Learns from a position without a legal push: some of its boxes are dead together.
    pub(super) fn learn_from_standstill(&mut self, position: u32) {
        let player = self.positions.nodes[position as usize].player;
        let mut boxes = self.boxes.clone();
        boxes.retain(|&s| !self.is_frozen(s));
        self.walk.fill(&self.occupied, player);
        let squares = 0..self.terrain.squares() as Square;
        let free: Vec<Square> =
            squares.filter(|&s| !self.walk.contains(s) && !self.occupied[s as usize]).collect();
        self.try_area(&boxes, &free, player);
    }

    /// Whether a position, or one that it came from, is dead by what was learned since it was tested.
    pub(super) fn is_dead(&mut self, position: u32) -> bool {
        let count = self.deadlocks.patterns() as u32;
        let mut at = position;
        let mut path = Vec::new();
        let mut is_dead = false;
        while at != NONE && !is_dead {
            let node = self.positions.nodes[at as usize];
            if node.tested == count {
                break;
            }
            path.push(at);
            is_dead = node.tested == IS_DEAD || {
                self.scratch.fill(0);
                self.positions.boxes(at).iter().for_each(|&s| put(&mut self.scratch, s));
                self.deadlocks.matches_since(node.tested as usize, &self.scratch, node.player)
            };
            at = node.parent;
        }
        for at in path {
            self.positions.nodes[at as usize].tested = if is_dead { IS_DEAD } else { count };
        }
        is_dead
    }
}
