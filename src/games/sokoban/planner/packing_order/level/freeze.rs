//! Whether a box is frozen: blocked along both axes by walls, lost squares and other frozen boxes.

use super::terrain::Terrain;
use crate::games::sokoban::board::Square;

/// Number of boxes that one test looks at. In crowds of boxes there are more ways around than that;
/// those count as free.
const MOST_LOOKED_AT: u32 = 2000;
/// The two directions of each axis: the vertical one, then the horizontal one.
const AXES: [[u8; 2]; 2] = [[0, 2], [1, 3]];

/// The test, and its working memory.
#[derive(Clone, Debug)]
pub struct Freeze {
    /// Boxes that count as walls while their neighbours are tested.
    is_assumed: Vec<bool>,
    /// The boxes that were found frozen with the tested one, itself included.
    group: Vec<Square>,
    looked: u32,
}

impl Freeze {
    /// Working memory for boards of this many squares.
    pub fn new(squares: usize) -> Self {
        Freeze { is_assumed: vec![false; squares + 1], group: Vec::new(), looked: 0 }
    }

    /// Whether a box on this square is frozen. `occupied` need not contain it.
    pub fn is_frozen(&mut self, terrain: &Terrain, occupied: &[bool], square: Square) -> bool {
        self.group.clear();
        self.looked = 0;
        !terrain.is_reachable[square as usize]
            || self.is_blocked(terrain, occupied, square, 1)
                && self.is_blocked(terrain, occupied, square, 0)
    }

    /// Whether a box on this square is frozen together with others, one of which is off target.
    pub fn is_deadlock(&mut self, terrain: &Terrain, occupied: &[bool], square: Square) -> bool {
        self.is_frozen(terrain, occupied, square)
            && (!terrain.is_goal[square as usize]
                || self.group.iter().any(|&s| !terrain.is_goal[s as usize]))
    }

    /// Whether a box cannot move along an axis.
    fn is_blocked(
        &mut self,
        terrain: &Terrain,
        occupied: &[bool],
        square: Square,
        axis: usize,
    ) -> bool {
        self.looked += 1;
        if self.looked > MOST_LOOKED_AT {
            return false;
        }
        let sides = AXES[axis].map(|d| terrain.step(square, d));
        let is_wall = |&s: &Square| terrain.is_wall(s) || self.is_assumed[s as usize];
        let is_blocked =
            sides.iter().any(is_wall) || sides.iter().all(|&s| !terrain.is_legal[s as usize]) || {
                let before = self.group.len();
                self.is_assumed[square as usize] = true;
                let is_held = sides.into_iter().any(|side| {
                    self.group.truncate(before);
                    occupied[side as usize] && self.is_blocked(terrain, occupied, side, 1 - axis)
                });
                self.is_assumed[square as usize] = false;
                is_held
            };
        if is_blocked {
            self.group.push(square);
        }
        is_blocked
    }
}

/// Whether a box that is pushed onto a square in some direction makes a block of four boxes and walls
/// there, one of the boxes off target.
pub fn makes_block(terrain: &Terrain, occupied: &[bool], to: Square, d: u8) -> bool {
    let ahead = terrain.step(to, d);
    if !occupied[ahead as usize] {
        return false;
    }
    let is_away = |s: Square| !terrain.is_wall(s) && !terrain.is_goal[s as usize];
    [(d + 1) & 3, (d + 3) & 3].into_iter().any(|side| {
        let beside = terrain.step(to, side);
        // The corner between two walls need not be known.
        let corner = if terrain.is_wall(ahead) {
            terrain.step(beside, d)
        } else {
            terrain.step(ahead, side)
        };
        occupied[beside as usize]
            && occupied[corner as usize]
            && [to, ahead, beside, corner].into_iter().any(is_away)
    })
}
