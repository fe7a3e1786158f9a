//! How a level is made ready, before its packing order is looked for.
//!
//! The level is trimmed ([`trimming`](super::trimming)). Each square is classified by what a box on it can still do, and the
//! distances of the targets are measured in pulls.

use super::pulls::{FAR, Pulls};
use super::terrain::{Terrain, left_of, right_of};
use super::trimming::trim;
use crate::games::sokoban::board::derived::DerivedBoard;
use crate::games::sokoban::board::region::{Flood, Occupied};
use crate::games::sokoban::board::{Push, Square};

impl Terrain {
    /// Makes a level ready; `None` where it has no solution, or nothing is to be done.
    pub fn new(level: DerivedBoard) -> Option<Self> {
        let starts = level.originals(&level.board.boxes);
        let (trimmed, forced) = trim(level)?;
        let mut terrain = Self::bare(trimmed, forced, &starts);
        terrain.forbid_corners();
        terrain.find_reachable();
        terrain.find_gates();
        terrain.measure()?;
        terrain.find_tunnels();
        let is_done = terrain.boxes().iter().all(|&s| terrain.is_goal[s as usize]);
        (!is_done && terrain.boxes().len() == terrain.goals().len()).then_some(terrain)
    }

    /// A trimmed level before its squares are classified. `starts` are the originals of the squares where boxes start.
    fn bare(trimmed: DerivedBoard, forced: Vec<Push>, starts: &[Square]) -> Self {
        let board = &trimmed.board;
        let squares = board.squares();
        let flags = |value: bool| {
            let mut flags = vec![value; squares + 1];
            flags[squares] = false;
            flags
        };
        let mut is_goal = board.is_target.clone();
        is_goal.push(false);
        let all: Vec<Square> = (0..squares as Square).collect();
        let originals = trimmed.originals(&all);
        let is_start = originals.iter().map(|s| starts.contains(s)).chain([false]).collect();
        let place = |&cell: &_| (board.shape.row(cell), board.shape.col(cell));
        Terrain {
            next: board
                .next
                .iter()
                .map(|&[up, right, down, left]| [up, left, down, right])
                .collect(),
            places: board.cells.iter().map(place).collect(),
            is_goal,
            is_start,
            is_legal: flags(true),
            is_reachable: flags(true),
            reachable: squares,
            is_gate: flags(false),
            tunnels: vec![0; squares + 1],
            near: vec![FAR; squares + 1],
            from_goal: Vec::new(),
            forced,
            trimmed,
        }
    }

    /// Forbids corners, and edges between two corners without a target.
    fn forbid_corners(&mut self) {
        let corners: Vec<Square> = (0..self.squares() as Square)
            .filter(|&s| self.is_reachable[s as usize] && self.is_corner(s))
            .collect();
        for &corner in &corners {
            self.is_legal[corner as usize] &= self.is_goal[corner as usize];
        }
        for &corner in &corners {
            for d in [2, 3] {
                let mut edge = Vec::new();
                let mut at = corner;
                while !self.is_wall(at) {
                    edge.push(at);
                    at = self.step(at, d);
                }
                let is_closed = |&s: &Square| {
                    let sides = [left_of(d), right_of(d)].map(|d| self.is_wall(self.step(s, d)));
                    sides.contains(&true) && !self.is_goal[s as usize]
                };
                if self.is_wall(self.step(corner, d ^ 2)) && edge.iter().all(is_closed) {
                    edge.iter().for_each(|&s| self.is_legal[s as usize] = false);
                }
            }
        }
    }

    /// Finds the squares that a box can be pushed to from its start, alone on the board.
    fn find_reachable(&mut self) {
        let mut occupied = self.occupied(&[]);
        let mut flood = Flood::new(self.layout());
        let mut seen = vec![[false; 4]; self.squares() + 1];
        let mut queue = Vec::new();
        for &square in self.boxes() {
            occupied.set(square, true);
            flood.fill(&occupied, self.player());
            occupied.set(square, false);
            for d in 0..4u8 {
                if flood.contains(self.step(square, d)) && !seen[square as usize][d as usize] {
                    seen[square as usize][d as usize] = true;
                    queue.push((square, d));
                }
            }
        }
        while let Some((square, side)) = queue.pop() {
            occupied.set(square, true);
            flood.fill(&occupied, self.step(square, side));
            occupied.set(square, false);
            for d in 0..4u8 {
                let to = self.step(square, d);
                let back = d ^ 2;
                if flood.contains(self.step(square, back))
                    && self.is_legal[to as usize]
                    && !seen[to as usize][back as usize]
                {
                    seen[to as usize][back as usize] = true;
                    queue.push((to, back));
                }
            }
        }
        self.boxes().iter().for_each(|&s| seen[s as usize][0] = true);
        self.is_reachable = seen.iter().map(|sides| sides.contains(&true)).collect();
        self.reachable = self.is_reachable.iter().filter(|&&is| is).count();
    }

    /// Finds the squares that part the board where a box stands on them.
    fn find_gates(&mut self) {
        let mut occupied = self.occupied(&[]);
        let mut flood = Flood::new(self.layout());
        for square in 0..self.squares() as Square {
            if self.is_usable(square) {
                occupied.set(square, true);
                let is_gate = (0..4).any(|d| self.parts(&mut flood, &occupied, square, d));
                self.is_gate[square as usize] = is_gate;
                occupied.set(square, false);
            }
        }
    }

    /// Whether the square, which is occupied, parts what is before it from what is behind it.
    fn parts(&self, flood: &mut Flood, occupied: &Occupied, square: Square, d: u8) -> bool {
        let [ahead, behind] = [d, d ^ 2].map(|d| self.step(square, d));
        let [left, right] = [left_of(d), right_of(d)].map(|d| self.step(square, d));
        if self.is_wall(ahead) || self.is_wall(behind) {
            return false;
        }
        let diagonals = |side| [ahead, behind].map(|s| self.is_wall(self.step(s, side)));
        let is_free_across = self.is_usable(left) || self.is_usable(right);
        let is_narrow = (self.is_wall(left) && diagonals(right_of(d)).contains(&true))
            || diagonals(left_of(d)) == [true, true];
        if is_free_across && !is_narrow {
            return false;
        }
        flood.fill(occupied, ahead);
        if flood.contains(behind) {
            return false;
        }
        if !is_free_across || self.is_wall(left) || self.is_wall(right) {
            return true;
        }
        flood.fill(occupied, left);
        !flood.contains(right)
    }

    /// Measures the distances of the targets. `None` where a box is too far from all of them.
    fn measure(&mut self) -> Option<()> {
        let mut pulls = Pulls::new(self);
        let mut occupied = self.occupied(&[]);
        for goal in self.goals().to_vec() {
            pulls.measure(self, &mut occupied, &[goal]);
            let of = self.usable_distances(&pulls);
            self.from_goal.push(of);
        }
        pulls.measure(self, &mut occupied, self.goals());
        self.near = (0..=self.squares() as Square).map(|s| pulls.distance(s)).collect();
        for (is_legal, &near) in self.is_legal.iter_mut().zip(&self.near) {
            *is_legal &= near != FAR;
        }
        self.boxes().iter().all(|&s| self.near[s as usize] != FAR).then_some(())
    }

    /// The distances of the squares on which boxes may be kept.
    pub fn usable_distances(&self, pulls: &Pulls) -> Vec<u16> {
        let of = |s| if self.is_usable(s) { pulls.distance(s) } else { FAR };
        (0..=self.squares() as Square).map(of).collect()
    }

    /// Finds the squares on which a box that comes in some direction should not stop.
    fn find_tunnels(&mut self) {
        for from in 0..self.squares() as Square {
            for d in 0..4u8 {
                let to = self.step(from, d);
                if !self.is_usable(from) || !self.is_usable(to) || self.is_goal[to as usize] {
                    continue;
                }
                let sides = [left_of(d), right_of(d)].map(|d| self.step(to, d));
                let is_blocked = sides.iter().any(|&s| self.is_wall(s))
                    || sides.iter().all(|&s| !self.is_legal[s as usize]);
                let is_tunnel = self.is_between_walls(from, d);
                let is_gate = |s: Square| self.is_gate[s as usize];
                if (is_tunnel || is_gate(to)) && is_blocked || is_tunnel && is_gate(from) {
                    self.tunnels[to as usize] |= 1 << d;
                }
            }
        }
    }
}
