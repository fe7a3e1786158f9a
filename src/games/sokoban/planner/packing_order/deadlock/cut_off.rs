//! Targets that frozen boxes cut off: whether each of the other boxes can still have one of its own.

use super::super::level::pulls::{FAR, Pulls};
use super::super::level::terrain::Terrain;
use crate::games::sokoban::board::Square;
use crate::games::sokoban::planner::bound::bipartite::BipartiteMatching;
use ahash::AHashMap;

/// Number of sets of frozen boxes for which tables are made; later ones are not tested.
const MOST_SETS: usize = 4096;
/// Stands for a set without a table.
pub const UNKNOWN: u32 = u32::MAX;

/// Which targets a box can come to from each square, past the frozen boxes of a set.
#[derive(Clone, Debug)]
struct Table {
    /// By square, a few words of targets.
    targets: Vec<u64>,
}

/// Tables of all sets that were met.
#[derive(Clone, Debug)]
pub struct CutOff {
    words: usize,
    tables: Vec<Table>,
    numbers: AHashMap<u64, u32>,
    pulls: Pulls,
    /// All targets, and the boxes that have them while boxes are matched.
    all: Vec<u64>,
    matching: BipartiteMatching,
}

impl CutOff {
    /// No tables yet.
    pub fn new(terrain: &Terrain) -> Self {
        let words = terrain.goals.len().div_ceil(64);
        CutOff {
            words,
            tables: Vec::new(),
            numbers: AHashMap::new(),
            pulls: Pulls::new(terrain),
            all: vec![u64::MAX; words],
            matching: BipartiteMatching::default(),
        }
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        self.tables.first().map_or(0, |table| table.targets.len() * 8) * self.tables.len()
    }

    /// The number of a set of frozen boxes; makes its table where it is new.
    pub fn set(&mut self, terrain: &Terrain, keys: &[u64], frozen: &[Square]) -> u32 {
        let key = frozen.iter().fold(0, |key, &s| key ^ keys[s as usize]);
        if let Some(&number) = self.numbers.get(&key) {
            return number;
        }
        let number = if self.tables.len() < MOST_SETS {
            let table = self.table(terrain, frozen);
            self.tables.push(table);
            self.tables.len() as u32 - 1
        } else {
            UNKNOWN
        };
        self.numbers.insert(key, number);
        number
    }

    fn table(&mut self, terrain: &Terrain, frozen: &[Square]) -> Table {
        let mut targets = vec![0; (terrain.squares() + 1) * self.words];
        let mut occupied = terrain.occupied(frozen);
        for (goal, &square) in terrain.goals.iter().enumerate() {
            if occupied[square as usize] {
                continue;
            }
            self.pulls.measure(terrain, &mut occupied, &[square]);
            for &from in &self.pulls.reached {
                if self.pulls.distance(from) != FAR {
                    targets[from as usize * self.words + goal / 64] |= 1 << (goal % 64);
                }
            }
        }
        Table { targets }
    }

    fn targets(&self, set: u32, square: Square) -> &[u64] {
        let from = square as usize * self.words;
        &self.tables[set as usize].targets[from..from + self.words]
    }

    /// Whether a box loses a target by a push from one square to another.
    pub fn loses(&self, set: u32, from: Square, to: Square) -> bool {
        set != UNKNOWN
            && self.targets(set, from).iter().zip(self.targets(set, to)).any(|(a, b)| a & !b != 0)
    }

    /// Whether each box that is not frozen can have a target of its own.
    pub fn can_all_come(&mut self, terrain: &Terrain, set: u32, boxes: &[Square]) -> bool {
        if set == UNKNOWN {
            return true;
        }
        let mut matching = std::mem::take(&mut self.matching);
        matching.begin(&self.all);
        let targets = |number: usize| self.targets(set, boxes[number]);
        let all = boxes.iter().enumerate().all(|(number, &square)| {
            // A frozen box is on its target, to which no other can come.
            let is_frozen =
                terrain.is_goal[square as usize] && targets(number).iter().all(|&word| word == 0);
            is_frozen || matching.place(number, &targets)
        });
        self.matching = matching;
        all
    }
}
