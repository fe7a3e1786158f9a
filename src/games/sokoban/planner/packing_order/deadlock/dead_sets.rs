//! Deadlocks that were learned: sets of boxes that cannot be solved whatever the others do.

use super::super::level::terrain::Terrain;
use crate::games::sokoban::board::Square;
use crate::games::sokoban::board::square_set::{SquareSet, has};

/// Boxes and squares of the player from which they cannot be solved.
#[derive(Clone, Debug)]
struct DeadSet {
    boxes: Vec<Square>,
    players: SquareSet,
}

/// All that were learned.
#[derive(Clone, Debug)]
pub struct DeadSets {
    sets: Vec<DeadSet>,
    /// By square: the sets with a box there.
    at: Vec<Vec<u32>>,
}

impl DeadSets {
    /// None yet.
    pub fn new(terrain: &Terrain) -> Self {
        DeadSets { sets: Vec::new(), at: vec![Vec::new(); terrain.squares() + 1] }
    }

    /// Number of sets.
    pub fn len(&self) -> usize {
        self.sets.len()
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        let each = |set: &DeadSet| {
            size_of::<DeadSet>()
                + set.boxes.len() * (size_of::<Square>() + 4)
                + set.players.len() * 8
        };
        self.sets.first().map_or(0, each) * self.sets.len()
    }

    /// Learns a set.
    pub fn add(&mut self, boxes: Vec<Square>, players: SquareSet) {
        for &square in &boxes {
            self.at[square as usize].push(self.sets.len() as u32);
        }
        self.sets.push(DeadSet { boxes, players });
    }

    /// Whether a position is dead by a set with a box on this square.
    #[inline]
    pub fn is_dead_at(&self, square: Square, occupied: &[bool], player: Square) -> bool {
        self.at[square as usize].iter().any(|&set| self.holds(set as usize, occupied, player))
    }

    /// Whether a position is dead by one of the sets from this number on.
    pub fn is_dead_since(&self, from: usize, occupied: &[bool], player: Square) -> bool {
        (from..self.sets.len()).any(|set| self.holds(set, occupied, player))
    }

    fn holds(&self, set: usize, occupied: &[bool], player: Square) -> bool {
        let DeadSet { boxes, players } = &self.sets[set];
        boxes.iter().all(|&s| occupied[s as usize]) && has(players, player)
    }
}
