//! How far the way out is at least.
//!
//! Whatever the monsters do, the hero walks only over cells that are, or can become, floor: not over
//! walls and shooters that no mine can reach. The distance to the border over those cells is an
//! admissible bound, and where there is none, no plan exists. It changes only when a mine explodes;
//! so one field serves nearly all states of a level.

use crate::board::{Cell, ORTHOGONAL, Shape, UNREACHED, distances};
use crate::games::monsters::format::{Tile, is_border};
use crate::games::monsters::state::Board;
use std::collections::HashMap;

/// Fields kept at a time at most; when there are more, all are forgotten.
const KEPT_FIELDS: usize = 2048;

/// Distances to the way out, one field for each fabric met.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// Fields to keep at a time.
    most: usize,
    /// Bytes of the fields kept, about.
    bytes: usize,
    fields: HashMap<u64, Box<[u32]>, ahash::RandomState>,
    /// The field asked for last.
    last: Option<(u64, Box<[u32]>)>,
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds::within(usize::MAX, 1)
    }
}

impl Bounds {
    /// Bounds for a board of `cells` cells that keep at most `bytes` bytes of fields, but at least one field.
    pub fn within(bytes: usize, cells: usize) -> Self {
        let most = (bytes / field_bytes(cells)).clamp(1, KEPT_FIELDS);
        Bounds { most, bytes: 0, fields: HashMap::default(), last: None }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// No plan from this board is shorter; `u32::MAX` where there is none.
    pub fn bound(&mut self, board: &Board) -> u32 {
        let Some(hero) = board.hero() else { return u32::MAX };
        let fabric = board.fabric_key();
        if let Some((key, field)) = &self.last
            && *key == fabric
        {
            return field[hero.index()];
        }
        if self.fields.len() >= self.most {
            self.fields.clear();
        }
        if let Some((key, field)) = self.last.take() {
            self.fields.insert(key, field);
        }
        let field = self.fields.remove(&fabric).unwrap_or_else(|| way_out(board).into());
        let bound = field[hero.index()];
        self.bytes = (self.fields.len() + 1) * field_bytes(field.len());
        self.last = Some((fabric, field));
        bound
    }
}

/// Bytes of a field for `cells` cells, with its place in the table.
fn field_bytes(cells: usize) -> usize {
    cells * size_of::<u32>() + 64
}

/// Steps from each cell to the border over cells that are or can become floor.
fn way_out(board: &Board) -> Vec<u32> {
    let shape = board.shape();
    let tiles = board.tiles();
    let mut walkable: Vec<bool> =
        tiles.iter().map(|tile| !matches!(tile, Tile::Wall | Tile::Shooter)).collect();
    for cell in shape.iter() {
        if matches!(tiles[cell.index()], Tile::Mine | Tile::LitMine) {
            for near in around(shape, cell) {
                walkable[near.index()] = true;
            }
        }
    }
    let goals: Vec<Cell> =
        shape.iter().filter(|&c| is_border(shape, c) && walkable[c.index()]).collect();
    let field = distances(shape, &goals, &ORTHOGONAL, |cell| walkable[cell.index()]);
    debug_assert!(field.iter().all(|&d| d == UNREACHED || (d as usize) < shape.cells()));
    field
}

/// The cells of the 3×3 around a cell, where they are on the board.
fn around(shape: Shape, cell: Cell) -> impl Iterator<Item = Cell> {
    let (row, col) = (shape.row(cell), shape.col(cell));
    (row - 1..=row + 1).flat_map(move |r| (col - 1..=col + 1).filter_map(move |c| shape.at(r, c)))
}
