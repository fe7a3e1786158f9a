//! Blocks of four boxes and walls, the smallest of the freeze deadlocks.

use super::terrain::Terrain;
use crate::games::sokoban::board::Square;

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
