//! A packing order made ready for the walk along it.

use super::level::pulls::Pulls;
use super::level::terrain::Terrain;
use super::order::{MOST_TARGETS, Phases, Target};
use crate::games::sokoban::board::Square;
use crate::games::sokoban::planner::deadlock::freeze::Freeze;

/// The phases, and how far each square is from each target while it is being filled.
#[derive(Clone, Debug)]
pub struct Guide {
    pub targets: Vec<Target>,
    /// By phase: the targets that it fills.
    pub members: Vec<Vec<u16>>,
    /// By phase: number of targets that are filled before it.
    pub before: Vec<i32>,
    /// By square: the targets there, the one that is filled last first.
    pub at: Vec<Vec<u16>>,
    /// By target: number of pushes to it from each square.
    pub away: Vec<Vec<u16>>,
}

impl Guide {
    /// Measures for an order.
    pub fn new(terrain: &Terrain, phases: Phases) -> Self {
        let Phases { targets, count } = phases;
        let mut members = vec![Vec::new(); count as usize + 1];
        let mut at = vec![Vec::new(); terrain.squares() + 1];
        for (k, target) in targets.iter().enumerate() {
            members[target.phase as usize].insert(0, k as u16);
            at[target.square as usize].push(k as u16);
        }
        let mut before = vec![0; count as usize + 2];
        for phase in (0..=count as usize).rev() {
            let above = members.get(phase + 1).map_or(0, Vec::len);
            before[phase] = before[phase + 1] + above as i32;
        }
        let mut guide = Guide { targets, members, before, at, away: Vec::new() };
        guide.away = guide.distances(terrain);
        guide
    }

    /// The last phase, which is filled first.
    pub fn first_phase(&self) -> u16 {
        (self.members.len() - 1) as u16
    }

    /// The phase in which a square is filled for the last time; 0 where it is no target.
    pub fn phase_at(&self, square: Square) -> u16 {
        self.at[square as usize].last().map_or(0, |&k| self.targets[k as usize].phase)
    }

    /// Distances past boxes that are frozen on the targets filled before.
    fn distances(&self, terrain: &Terrain) -> Vec<Vec<u16>> {
        let mut pulls = Pulls::new(terrain);
        let mut freeze = Freeze::new(terrain.board());
        let goals = terrain.goals().len();
        let distances = |target: &Target| {
            let filled = self.targets[..goals].iter().filter(|goal| goal.phase > target.phase);
            let filled: Vec<Square> = filled.map(|goal| goal.square).collect();
            let is_crowded = 2 * self.targets.len() > MOST_TARGETS;
            let mut occupied = terrain.occupied(if is_crowded { &[] } else { &filled });
            for square in filled {
                let is_frozen = !terrain.is_reachable[square as usize]
                    || freeze.is_frozen(terrain.board(), &terrain.is_legal, &occupied, square);
                occupied.set(square, is_frozen);
            }
            pulls.measure(terrain, &mut occupied, &[target.square]);
            terrain.usable_distances(&pulls)
        };
        self.targets.iter().map(distances).collect()
    }
}
