//! Distances in pulls: how a box that is taken off a square could leave it.

use super::terrain::{Steps, Terrain};
use crate::games::sokoban::board::Square;
use crate::games::sokoban::board::region::{Flood, Occupied};

/// The distance of what cannot be reached.
pub const FAR: u16 = u16::MAX;

/// The result of a search over pulls of one box, and its working memory.
///
/// A state is the box's square and the direction of its last pull, so the player stands one step from
/// the box in that direction.
#[derive(Clone, Debug)]
pub struct Pulls {
    /// Least number of pulls to each square.
    least: Vec<u16>,
    /// Number of pulls to each square, by the direction of the last of them.
    steps: Vec<[u16; 4]>,
    /// By square and side of the box: the sides that the player can walk to from there, as bits; 0
    /// where that has not been looked at.
    sides: Vec<[u8; 4]>,
    queue: Vec<(Square, u8)>,
    /// The squares that the box can get to, in the order of their distances.
    pub reached: Vec<Square>,
    /// Working memory for the player's region.
    flood: Flood,
    /// Number of floods so far.
    pub floods: u64,
}

impl Pulls {
    /// Working memory for a level.
    pub fn new(terrain: &Terrain) -> Self {
        let squares = terrain.squares();
        Pulls {
            least: vec![FAR; squares + 1],
            steps: vec![[FAR; 4]; squares + 1],
            sides: vec![[0; 4]; squares + 1],
            queue: Vec::new(),
            reached: Vec::new(),
            flood: Flood::new(terrain.layout()),
            floods: 0,
        }
    }

    /// Measures from each of the sources at once. `occupied` holds what stands in the way, and is the
    /// same afterwards; boxes on the sources themselves do not. The player begins on any side of a
    /// source.
    pub fn measure(&mut self, terrain: &Terrain, occupied: &mut Occupied, sources: &[Square]) {
        self.begin();
        for &source in sources {
            self.enter(source);
            for d in (0..4u8).filter(|&d| !terrain.is_wall(terrain.step(source, d))) {
                self.enter_from(source, d);
            }
        }
        let taken: Vec<Square> =
            sources.iter().copied().filter(|&s| occupied[s as usize]).collect();
        taken.iter().for_each(|&s| occupied.set(s, false));
        self.run(terrain, occupied);
        taken.iter().for_each(|&s| occupied.set(s, true));
    }

    /// Measures from a box on the board. The player begins on the sides that he can walk to from
    /// where he is.
    pub fn measure_for(
        &mut self,
        terrain: &Terrain,
        occupied: &mut Occupied,
        source: Square,
        player: Square,
    ) {
        self.begin();
        self.enter(source);
        self.floods += 1;
        self.flood.fill(occupied, player);
        for d in 0..4u8 {
            if self.flood.contains(terrain.step(source, d)) {
                self.enter_from(source, d);
            }
        }
        occupied.set(source, false);
        self.run(terrain, occupied);
        occupied.set(source, true);
    }

    /// The least number of pulls to a square; [`FAR`] where there is no way.
    pub fn distance(&self, square: Square) -> u16 {
        self.least[square as usize]
    }

    /// The directions in which a box can have come to a square with its last pull, in order.
    pub fn arrivals(&self, square: Square) -> impl Iterator<Item = u8> + use<> {
        let steps = self.steps[square as usize];
        (0..4u8).filter(move |&d| steps[d as usize] != FAR)
    }

    fn begin(&mut self) {
        self.least.fill(FAR);
        self.steps.fill([FAR; 4]);
        self.sides.fill([0; 4]);
        self.queue.clear();
        self.reached.clear();
    }

    fn enter(&mut self, source: Square) {
        if self.least[source as usize] != 0 {
            self.least[source as usize] = 0;
            self.reached.push(source);
        }
    }

    fn enter_from(&mut self, source: Square, side: u8) {
        if self.steps[source as usize][side as usize] != 0 {
            self.steps[source as usize][side as usize] = 0;
            self.queue.push((source, side));
        }
    }

    fn run(&mut self, terrain: &Terrain, occupied: &mut Occupied) {
        let mut at = 0;
        while let Some(&(square, side)) = self.queue.get(at) {
            at += 1;
            let steps = self.steps[square as usize][side as usize] + 1;
            let sides = self.sides_from(&terrain.next, occupied, square, side);
            for d in (0..4u8).filter(|&d| sides >> d & 1 == 1) {
                let to = terrain.step(square, d);
                let player = terrain.step(to, d);
                let is_free = !occupied[to as usize] && !occupied[player as usize];
                if !is_free
                    || !terrain.is_legal[to as usize]
                    || self.steps[to as usize][d as usize] != FAR
                    || terrain.is_trap(player, d)
                {
                    continue;
                }
                if self.least[to as usize] == FAR {
                    self.least[to as usize] = steps;
                    self.reached.push(to);
                }
                self.steps[to as usize][d as usize] = steps;
                self.queue.push((to, d));
            }
        }
    }

    /// The sides of a box that the player can walk to from one of them, as bits.
    fn sides_from(
        &mut self,
        next: &[Steps],
        occupied: &mut Occupied,
        square: Square,
        side: u8,
    ) -> u8 {
        let known = self.sides[square as usize][side as usize];
        if known != 0 {
            return known;
        }
        let around = next[square as usize];
        let was = occupied[square as usize];
        occupied.set(square, true);
        self.floods += 1;
        self.flood.fill(occupied, around[side as usize]);
        occupied.set(square, was);
        let mut sides = 1 << side;
        for (d, &near) in around.iter().enumerate() {
            sides |= u8::from(self.flood.contains(near)) << d;
        }
        for d in (0..4).filter(|d| sides >> d & 1 == 1) {
            self.sides[square as usize][d] = sides;
        }
        sides
    }
}
