//! New areas: a family draws the terrain, clickers are put in, and a plan is planted that proves
//! the area solvable.
//!
//! Everything random comes from the options' seed. Where no plan is found clickers are taken away
//! until there is one, so an area may have fewer than was wished for, never more. In a dense crowd it is
//! the other way round: the plan comes first, and the clickers are those that it leaves alive.

mod dense;
mod plant;
mod terrain;

use super::format::{self, Action, MAX_BRICKS, MAX_SIDE, MIN_SIDE, Map};
use crate::board::{BitBoard, Shape};
use crate::games::generate::{GenerateError, GenerateOptions, Generated, Parameter, Values};
use rand::prelude::*;
use rand_chacha::ChaCha8Rng;
use std::collections::HashSet;

const FAMILY: Parameter = Parameter {
    name: "family",
    about: "what the area looks like",
    default: "open",
    values: Values::Words(&[
        "open",
        "caves",
        "rooms",
        "maze1",
        "maze2",
        "maze3",
        "blocks",
        "lattice",
        "corridors",
        "lures",
        "chase",
        "traps",
    ]),
};
const SIDES: (u64, u64) = (MIN_SIDE as u64, MAX_SIDE as u64);
const ROWS: Parameter = Parameter::number("rows", "rows", SIDES, "42");
const COLS: Parameter = Parameter::number("cols", "columns", SIDES, "42");
const CLICKERS: Parameter = Parameter {
    name: "clickers",
    about: "clickers at most",
    default: "auto",
    values: Values::NumberOrAuto(0, SIDES.1 * SIDES.1, "what suits the family"),
};
const BRICKS: Parameter = Parameter {
    name: "bricks",
    about: "bricks",
    default: "auto",
    values: Values::NumberOrAuto(0, MAX_BRICKS as u64, "as many as the planted plan throws"),
};
const CROWD: Parameter = Parameter {
    name: "crowd",
    about: "strewn, or dense: as many as a planted plan leaves alive, most of them near its way",
    default: "strewn",
    values: Values::Words(&["strewn", "dense"]),
};

/// The parameters of the generator.
pub const PARAMETERS: &[Parameter] = &[FAMILY, ROWS, COLS, CLICKERS, BRICKS, CROWD];

/// No clicker is strewn nearer to Ellie than this.
const CLEAR_START: u32 = 4;

/// A sort of area.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Family {
    Open,
    Caves,
    Rooms,
    /// A maze with corridors of this width.
    Maze(u32),
    Blocks,
    Lattice,
    Corridors,
    Lures,
    Chase,
    Traps,
}

impl Family {
    fn from_word(word: &str) -> Option<Family> {
        Some(match word {
            "open" => Family::Open,
            "caves" => Family::Caves,
            "rooms" => Family::Rooms,
            "maze1" => Family::Maze(1),
            "maze2" => Family::Maze(2),
            "maze3" => Family::Maze(3),
            "blocks" => Family::Blocks,
            "lattice" => Family::Lattice,
            "corridors" => Family::Corridors,
            "lures" => Family::Lures,
            "chase" => Family::Chase,
            "traps" => Family::Traps,
            _ => return None,
        })
    }

    /// What the planted plan pays for being heard, in steps: see [`plant::plant`].
    fn heard_price(self) -> u32 {
        if self == Family::Traps { 1000 } else { 2 }
    }

    /// The supply from which the planted plan may throw where the options leave it open.
    fn bricks(self, cells: usize) -> u32 {
        match self {
            Family::Blocks | Family::Chase | Family::Traps => 0,
            Family::Lattice | Family::Lures | Family::Corridors => MAX_BRICKS,
            _ => (cells as u32 / 150).clamp(3, MAX_BRICKS),
        }
    }
}

/// Makes one area and a plan for it.
///
/// # Errors
/// One sentence where the options cannot be met.
pub fn generate(options: &GenerateOptions) -> Result<Generated, GenerateError> {
    let word = options.word(&FAMILY);
    let family =
        Family::from_word(word).ok_or_else(|| format!("--family: {word:?} is no family"))?;
    let shape = Shape { rows: options.number(&ROWS)?, cols: options.number(&COLS)? };
    let clickers = options.number_unless_auto(&CLICKERS)?;
    let bricks = options.number_unless_auto(&BRICKS)?;

    let mut rng = ChaCha8Rng::seed_from_u64(options.seed);
    let terrain = terrain::draw(family, shape, &mut rng)?;
    if options.word(&CROWD) == "dense" {
        let name = format!("dense-{word}-{}x{}-{}", shape.rows, shape.cols, options.seed);
        return dense::generate(&terrain, name, bricks, clickers, &mut rng);
    }
    let name = format!("{word}-{}x{}-{}", shape.rows, shape.cols, options.seed);
    let supply = bricks.unwrap_or(family.bricks(shape.cells()));
    let mut map = populate(&terrain, name, supply, clickers, &mut rng);
    let plan = plant::plant(&mut map, family.heard_price())
        .ok_or("the terrain leaves no way to the exit")?;
    if bricks.is_none() {
        let thrown = plan.iter().filter(|action| matches!(action, Action::Throw { .. })).count();
        map.bricks = thrown as u32;
    }
    let name = map.name.clone();
    Ok(Generated { name, area: map.text(), plan: format::plan_text(&plan) })
}

/// Puts the clickers in: the family's own first, then strewn ones.
fn populate(
    terrain: &terrain::Terrain,
    name: String,
    bricks: u32,
    clickers: Option<u32>,
    rng: &mut ChaCha8Rng,
) -> Map {
    let shape = terrain.shape;
    let mut blocked = BitBoard::new(shape.cells());
    let mut floor = Vec::new();
    let free = |cell| cell != terrain.ellie && cell != terrain.exit;
    for cell in shape.iter() {
        if !terrain.open[cell.index()] {
            blocked.insert(cell);
        } else if free(cell) && shape.chebyshev(cell, terrain.ellie) >= CLEAR_START {
            floor.push(cell);
        }
    }
    let mut posts: Vec<_> = terrain.posts.iter().copied().filter(|&post| free(post)).collect();
    let wanted = clickers.map_or(posts.len() + terrain.strewn, |count| count as usize);
    posts.truncate(wanted);
    let taken: HashSet<_> = posts.iter().copied().collect();
    floor.retain(|cell| !taken.contains(cell));
    floor.shuffle(rng);
    let missing = wanted - posts.len();
    posts.extend(floor.into_iter().take(missing));
    posts.sort_unstable();
    let (ellie, exit) = (terrain.ellie, terrain.exit);
    Map { name, shape, bricks, blocked, ellie, exit, clickers: posts }
}
