//! Levels that are made: at random as contest cases are, and hard ones by hill climbing.

use super::format::{Level, MAX_COLS, MAX_ROWS, MIN_SIDE, Tile, is_border};
use crate::board::{Direction, Shape};
use crate::games::{Generated, Parameter, Wish};
use rand::{Rng, RngExt};

/// Which monsters a random level has: those of one of the statement's subtasks, or all of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Kind {
    Sentinels,
    Seekers,
    Shooters,
    Blobs,
    Mines,
    All,
}

impl Kind {
    /// All kinds, in the order of the subtasks.
    pub const ALL: [Kind; 6] =
        [Kind::Sentinels, Kind::Seekers, Kind::Shooters, Kind::Blobs, Kind::Mines, Kind::All];

    /// The kind's name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Sentinels => "sentinels",
            Kind::Seekers => "seekers",
            Kind::Shooters => "shooters",
            Kind::Blobs => "blobs",
            Kind::Mines => "mines",
            Kind::All => "all",
        }
    }

    /// The monsters of the kind.
    pub fn monsters(self) -> &'static [Tile] {
        const MONSTERS: [Tile; 10] = [
            Tile::Sentinel(Direction::North),
            Tile::Sentinel(Direction::East),
            Tile::Sentinel(Direction::South),
            Tile::Sentinel(Direction::West),
            Tile::Seeker,
            Tile::Shooter,
            Tile::RestingBlob,
            Tile::ReadyBlob,
            Tile::Mine,
            Tile::LitMine,
        ];
        match self {
            Kind::Sentinels => &MONSTERS[..4],
            Kind::Seekers => &MONSTERS[4..5],
            Kind::Shooters => &MONSTERS[5..6],
            Kind::Blobs => &MONSTERS[6..8],
            Kind::Mines => &MONSTERS[8..10],
            Kind::All => &MONSTERS,
        }
    }
}

/// Part of the border that is open.
const OPEN_BORDER: f64 = 0.33;
/// Part of the inner cells that are walls: one of these.
const WALLS: [f64; 4] = [0.0, 0.1, 0.2, 0.3];
/// Part of the inner cells that are monsters: one of these.
const MONSTERS: [f64; 7] = [0.0, 0.01, 0.02, 0.04, 0.08, 0.15, 0.2];
/// One level in so many has no hero, and one in so many has him on the border.
const ODD_HEROES: u32 = 24;

/// A random level of the kind the contest's cases are: every inner cell a wall or a monster by
/// chance, a third of the border open, the hero anywhere.
pub fn random_level(kind: Kind, shape: Shape, rng: &mut impl Rng) -> Level {
    let walls = WALLS[rng.random_range(0..WALLS.len())];
    let monsters = MONSTERS[rng.random_range(0..MONSTERS.len())];
    let mut tiles = Vec::with_capacity(shape.cells());
    for cell in shape.iter() {
        tiles.push(if is_border(shape, cell) {
            if rng.random_bool(OPEN_BORDER) { Tile::Floor } else { Tile::Wall }
        } else if rng.random_bool(walls) {
            Tile::Wall
        } else if rng.random_bool(monsters) {
            kind.monsters()[rng.random_range(0..kind.monsters().len())]
        } else {
            Tile::Floor
        });
    }
    let place = match rng.random_range(0..ODD_HEROES) {
        0 => None,
        1 => Some(true),
        _ => Some(false),
    };
    if let Some(on_border) = place {
        let cells: Vec<_> = shape.iter().filter(|&c| is_border(shape, c) == on_border).collect();
        tiles[cells[rng.random_range(0..cells.len())].index()] = Tile::Hero;
    }
    Level { shape, tiles }
}

/// A random shape within the statement's limits and these.
pub fn random_shape(max_rows: u32, max_cols: u32, rng: &mut impl Rng) -> Shape {
    Shape {
        rows: rng.random_range(MIN_SIDE..=max_rows.clamp(MIN_SIDE, MAX_ROWS)),
        cols: rng.random_range(MIN_SIDE..=max_cols.clamp(MIN_SIDE, MAX_COLS)),
    }
}

/// What [`generate`] can be told.
pub const PARAMETERS: &[Parameter] = &[];

/// To come.
pub fn generate(_wish: &Wish) -> Result<Generated, String> {
    Err("not yet".into())
}
