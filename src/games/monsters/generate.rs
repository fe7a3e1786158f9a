//! Levels that are made: at random as the contest's cases are, and hard ones by hill climbing.
//!
//! A hard level begins as a random one with a closed border but for an exit or two. Then single
//! changes are tried, and kept where the level is not easier for them. How hard a level is says
//! [`rate`]: what the exact search expands, how long the shortest plan is, and how many of a crowd
//! of careless players are lost in it.

use super::format::{
    Key, Level, MAX_COLS, MAX_COMPLEXITY, MAX_ROWS, MIN_SIDE, Tile, is_border, plan_text,
};
use super::planner::{Bounds, Escape};
use super::state::{After, Board};
use crate::board::{Cell, Direction, Shape};
use crate::games::generate::{GenerateError, GenerateOptions, Generated, Parameter, Values};
use crate::search::astar::astar;
use crate::search::{self, Verdict};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::time::Duration;

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
/// Levels of which, on average, one has no hero and one has him on the border.
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

/// The parameters of [`generate`].
pub const PARAMETERS: &[Parameter] = &[ROWS, COLS, MONSTERS_OF, COMPLEXITY, STEPS, NODES];
const ROWS: Parameter = Parameter::number("rows", "rows", (HARD_SIDE, MAX_ROWS as u64), "12");
const COLS: Parameter = Parameter::number("cols", "columns", (HARD_SIDE, MAX_COLS as u64), "20");
const MONSTERS_OF: Parameter = Parameter {
    name: "monsters",
    about: "which monsters",
    default: "all",
    values: Values::Words(&["sentinels", "seekers", "shooters", "blobs", "mines", "all"]),
};
const COMPLEXITY: Parameter = Parameter::number(
    "complexity",
    "limit of the statement's complexity times the positions shown",
    (1, MAX_COMPLEXITY),
    "100000",
);
const STEPS: Parameter = Parameter::number(
    "steps",
    "changes that are tried to make the level harder",
    (0, MAX_STEPS),
    "60",
);
const NODES: Parameter = Parameter::number(
    "nodes",
    "states that rating a level may expand; a level that takes more is not kept",
    (1, MAX_NODES),
    "2000",
);

/// The least number of rows and of columns of a hard level.
const HARD_SIDE: u64 = 5;
/// The most changes that are tried.
const MAX_STEPS: u64 = 100_000;
/// Random starts that are tried until one can be won.
const MAX_STARTS: u32 = 2000;
/// The most expansions of a rating.
const MAX_NODES: u64 = 1_000_000;
/// Players of a rating.
const PLAYERS: u32 = 48;
/// Part of the inner cells of a start that are walls, and that are monsters.
const START: (f64, f64) = (0.2, 0.04);

/// A level with the shortest plan, and how hard it is.
#[derive(Clone, Debug)]
pub struct Rated {
    /// The shortest plan.
    pub plan: Vec<Key>,
    /// States that the exact search expanded.
    pub expanded: u64,
    /// Players that were lost, of `PLAYERS`.
    pub lost: u32,
}

impl Rated {
    /// One number for all: larger is harder.
    ///
    /// Twice the effort weighs as much as a twelfth of the players or ten turns of the plan.
    pub fn score(&self) -> f64 {
        let lost = f64::from(self.lost) / f64::from(PLAYERS);
        (self.expanded as f64 + 1.0).log2() + 12.0 * lost + self.plan.len() as f64 / 10.0
    }
}

/// Makes a hard level.
///
/// # Errors
/// One sentence where the options cannot be met.
pub fn generate(options: &GenerateOptions) -> Result<Generated, GenerateError> {
    let shape = Shape { rows: options.number(&ROWS)?, cols: options.number(&COLS)? };
    let word = options.word(&MONSTERS_OF);
    let kind = Kind::ALL.into_iter().find(|kind| kind.name() == word);
    let kind = kind.ok_or_else(|| format!("--monsters: {word:?} are no monsters"))?;
    let (complexity, nodes) = (options.number(&COMPLEXITY)?, options.number(&NODES)?);
    let (limits, steps) = (Limits { complexity, nodes }, options.number(&STEPS)?);
    let (level, rated) = Climb::new(kind, shape, limits, options.seed).run(steps)?;
    Ok(Generated {
        name: format!("{word}-{}x{}-{}", shape.rows, shape.cols, options.seed),
        area: level.text(),
        plan: plan_text(&rated.plan),
    })
}

/// What a level may cost.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The statement's complexity, times the positions that the shortest plan shows.
    pub complexity: u64,
    /// States that the exact search expands.
    pub nodes: u64,
}

/// How hard a level is; `None` where it cannot be won, or not within the limits.
pub fn rate(level: &Level, limits: Limits, rng: &mut impl Rng) -> Option<Rated> {
    let within = search::Limits {
        time: Duration::MAX,
        nodes: Some(limits.nodes),
        threads: 1,
        ..search::Limits::default()
    };
    let outcome = astar(&Escape::new(level), &within.start());
    let plan = outcome.plan.filter(|_| outcome.verdict == Verdict::Optimal)?;
    let turns = plan.len() as u64;
    if turns == 0 || level.complexity() * (turns + 1) > limits.complexity {
        return None;
    }
    let lost = (0..PLAYERS).filter(|_| !careless_player_wins(level, 3 * turns + 20, rng)).count();
    Some(Rated { plan, expanded: outcome.effort.expanded, lost: lost as u32 })
}

/// Plays at random with a pull toward the way out, looking one turn ahead at most.
fn careless_player_wins(level: &Level, turns: u64, rng: &mut impl Rng) -> bool {
    let mut board = Board::new(level);
    let mut bounds = Bounds::default();
    let care = rng.random_range(0.0..1.0);
    let pull = rng.random_range(0.0..1.0);
    for _ in 0..turns {
        let here = bounds.bound(&board);
        let mut key = Key::ALL[rng.random_range(0..Key::ALL.len())];
        // A few tries at a key that survives and leads nearer.
        for _ in 0..Key::ALL.len() {
            let after = board.act(key);
            let nearer = bounds.bound(&board) < here;
            board.undo();
            let survives = after != After::Lost || !rng.random_bool(care);
            if survives && (nearer || !rng.random_bool(pull)) {
                break;
            }
            key = Key::ALL[rng.random_range(0..Key::ALL.len())];
        }
        match board.act(key) {
            After::Playing => {}
            After::Won => return true,
            After::Lost => return false,
        }
    }
    false
}

/// A hill climb in progress.
struct Climb {
    kind: Kind,
    shape: Shape,
    limits: Limits,
    rng: ChaCha8Rng,
    inner: Vec<Cell>,
    /// Border cells without the corners, which no step reaches.
    gates: Vec<Cell>,
}

impl Climb {
    fn new(kind: Kind, shape: Shape, limits: Limits, seed: u64) -> Self {
        let (border, inner): (Vec<Cell>, Vec<Cell>) =
            shape.iter().partition(|&cell| is_border(shape, cell));
        let is_gate = |cell: &Cell| {
            let neighbours = [Direction::North, Direction::East, Direction::South, Direction::West];
            neighbours
                .into_iter()
                .filter_map(|direction| shape.step(*cell, direction))
                .any(|next| !is_border(shape, next))
        };
        let gates = border.into_iter().filter(is_gate).collect();
        Climb { kind, shape, limits, rng: ChaCha8Rng::seed_from_u64(seed), inner, gates }
    }

    fn run(&mut self, steps: u64) -> Result<(Level, Rated), GenerateError> {
        let start = (0..MAX_STARTS).find_map(|_| {
            let level = self.start();
            let rated = rate(&level, self.limits, &mut self.rng)?;
            Some((level, rated))
        });
        let (mut level, mut rated) =
            start.ok_or("no level within the complexity could be won: allow more of it")?;
        for _ in 0..steps {
            let mut next = level.clone();
            for _ in 0..self.rng.random_range(1..=3) {
                self.change(&mut next);
            }
            if next == level {
                continue;
            }
            if let Some(better) = rate(&next, self.limits, &mut self.rng)
                && better.score() >= rated.score()
            {
                (level, rated) = (next, better);
            }
        }
        Ok((level, rated))
    }

    /// A random level with one gate or two.
    fn start(&mut self) -> Level {
        let mut tiles = vec![Tile::Wall; self.shape.cells()];
        for index in 0..self.inner.len() {
            tiles[self.inner[index].index()] = if self.rng.random_bool(START.0) {
                Tile::Wall
            } else if self.rng.random_bool(START.1) {
                self.monster()
            } else {
                Tile::Floor
            };
        }
        for _ in 0..2 {
            tiles[pick(&self.gates, &mut self.rng).index()] = Tile::Floor;
        }
        tiles[pick(&self.inner, &mut self.rng).index()] = Tile::Hero;
        Level { shape: self.shape, tiles }
    }

    /// Changes a cell, exchanges two, moves a gate or moves the hero.
    fn change(&mut self, level: &mut Level) {
        let cell = pick(&self.inner, &mut self.rng);
        let other = pick(&self.inner, &mut self.rng);
        let hero = |cell: Cell, level: &Level| level.tiles[cell.index()] == Tile::Hero;
        match self.rng.random_range(0..10) {
            0..6 if !hero(cell, level) => {
                level.tiles[cell.index()] = match self.rng.random_range(0..10) {
                    0..4 => Tile::Floor,
                    4..7 => Tile::Wall,
                    _ => self.monster(),
                };
            }
            6..8 => level.tiles.swap(cell.index(), other.index()),
            8 => {
                let (from, to) =
                    (pick(&self.gates, &mut self.rng), pick(&self.gates, &mut self.rng));
                level.tiles.swap(from.index(), to.index());
            }
            9 => {
                if let Some(from) = level.hero()
                    && level.tiles[cell.index()] == Tile::Floor
                {
                    level.tiles.swap(from.index(), cell.index());
                }
            }
            _ => {}
        }
    }

    fn monster(&mut self) -> Tile {
        let monsters = self.kind.monsters();
        monsters[self.rng.random_range(0..monsters.len())]
    }
}

fn pick(cells: &[Cell], rng: &mut impl Rng) -> Cell {
    cells[rng.random_range(0..cells.len())]
}
