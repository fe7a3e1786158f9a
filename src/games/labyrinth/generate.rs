//! New labyrinths for the score classes of the statement.
//!
//! A labyrinth is drawn on a coarse lattice of uneven lines, at least two cells apart: walls that
//! share no lattice vertex can then touch neither by a side nor by a corner. The inside is a region
//! of lattice squares without holes and without pinched corners, so that its border is one simple
//! closed curve: the outer wall. Loops round the player are borders of smaller regions, each within
//! the next; strips and decoy loops take vertices that are still free.

use super::format::protocol::{Point, Readings};
use super::format::{self, MAX_SEGMENTS, Maze, Segment};
use super::planner;
use crate::games::generate::{GenerateError, GenerateOptions, Generated, Parameter, Values};
use crate::search::Run;
use ahash::AHashSet;
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeMap, BTreeSet};

/// Attempts at a drawing, which is restarted where it turns out illegal or unfit.
const ATTEMPTS: u32 = 200;
/// The most lattice lines of one orientation.
const MAX_LINES: i32 = 90;

/// What a score class asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class {
    /// Its name: the score.
    pub name: &'static str,
    /// Rows and columns of the board.
    pub side: i32,
    /// The most wall cells.
    pub wall: usize,
    /// Only the outer wall, and the player in the north-west.
    pub bare: bool,
    /// Closed walls round the player, and the dynamite for them.
    pub rings: bool,
}

/// The classes of the statement, named by the points that they complete.
pub const CLASSES: [Class; 6] = [
    Class { name: "2", side: 50, wall: 2500, bare: true, rings: false },
    Class { name: "5", side: 50, wall: 2500, bare: false, rings: false },
    Class { name: "7", side: 500, wall: 2500, bare: false, rings: false },
    Class { name: "8", side: 5000, wall: 25_000, bare: false, rings: false },
    Class { name: "9", side: 50_000, wall: 250_000, bare: false, rings: false },
    Class { name: "10", side: 50_000, wall: 250_000, bare: false, rings: true },
];

/// The shapes of outer walls.
pub const SHAPES: [&str; 5] = ["box", "blob", "maze", "spiral", "meander"];

/// The parameters of the generator.
pub const PARAMETERS: &[Parameter] = &[CLASS, SHAPE, RINGS];
const CLASS: Parameter = Parameter {
    name: "class",
    about: "Score class of the statement: size of the board, walls, dynamite",
    default: "8",
    values: Values::Words(&["2", "5", "7", "8", "9", "10"]),
};
const SHAPE: Parameter = Parameter {
    name: "shape",
    about: "Shape of the outer wall",
    default: "any",
    values: Values::Words(&["any", "box", "blob", "maze", "spiral", "meander"]),
};
const RINGS: Parameter = Parameter {
    name: "rings",
    about: "Closed walls round the player in class 10",
    default: "auto",
    values: Values::NumberOrAuto(0, MAX_RINGS, "any number that fits"),
};
/// More rings fit on no board: each has four segments.
const MAX_RINGS: u64 = MAX_SEGMENTS as u64 / 4;

/// Seconds that the planner may take to prove a new labyrinth solvable.
const PROOF_SECONDS: f64 = 60.0;

/// Makes a labyrinth, with the planner's transcript as its proof.
///
/// # Errors
/// One sentence where the options cannot be met.
pub fn generate(options: &GenerateOptions) -> Result<Generated, GenerateError> {
    let (class, shape) = (options.word(&CLASS), options.word(&SHAPE));
    let class = CLASSES.iter().find(|known| known.name == class);
    let class = class.ok_or("--class: no such class")?;
    let count = options.number_unless_auto(&RINGS)?;
    if class.rings && count == Some(0) {
        return Err("--rings: class 10 has at least one".into());
    }
    let maze = make(class, shape, count, options.seed)?;
    let plan = planner::solve_under(&maze, Readings::default(), &Run::seconds(PROOF_SECONDS)).plan;
    let plan = plan.ok_or("no plan was found for the labyrinth that was made")?;
    Ok(Generated {
        name: format!("class-{}-{shape}-{}", class.name, options.seed),
        area: format::text(&[maze]),
        plan: format::transcript(&plan),
    })
}

/// A square or a vertex of the lattice: column and row.
type GridPoint = (i32, i32);

/// The sides of a square, clockwise from the top.
const SIDES: [GridPoint; 4] = [(0, -1), (1, 0), (0, 1), (-1, 0)];
/// The ring of eight around a square, clockwise from the top.
const RING: [GridPoint; 8] = [(0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1)];

fn add(a: GridPoint, b: GridPoint) -> GridPoint {
    (a.0 + b.0, a.1 + b.1)
}

/// A region of lattice squares. Square (c, r) has the vertices (c, r) to (c + 1, r + 1).
#[derive(Clone, Debug, Default)]
struct Region {
    squares: BTreeSet<GridPoint>,
}

impl Region {
    /// Whether a square can join without making a hole or a pinched corner.
    fn can_join(&self, square: GridPoint) -> bool {
        let inside = RING.map(|step| self.squares.contains(&add(square, step)));
        let rises = (0..8).filter(|&i| !inside[i] && inside[(i + 1) % 8]).count();
        !self.squares.contains(&square) && rises == 1 && (0..8).step_by(2).any(|i| inside[i])
    }

    /// How many sides a square shares with the region.
    fn contact(&self, square: GridPoint) -> usize {
        SIDES.iter().filter(|&&step| self.squares.contains(&add(square, step))).count()
    }

    /// The vertices of the border in order, corners and others; the border must be one curve.
    fn border(&self) -> Vec<GridPoint> {
        // Directed edges with the region at their right: clockwise.
        let mut next: BTreeMap<GridPoint, GridPoint> = BTreeMap::new();
        for &(c, r) in &self.squares {
            let corners = [(c, r), (c + 1, r), (c + 1, r + 1), (c, r + 1)];
            for (side, &step) in SIDES.iter().enumerate() {
                if !self.squares.contains(&add((c, r), step)) {
                    next.insert(corners[side], corners[(side + 1) % 4]);
                }
            }
        }
        let Some((&start, _)) = next.iter().next() else { return Vec::new() };
        let mut border = vec![start];
        let mut at = next[&start];
        while at != start {
            border.push(at);
            at = next[&at];
        }
        border
    }

    /// Whether all four squares around a vertex belong to it.
    fn surrounds(&self, (c, r): GridPoint) -> bool {
        [(0, 0), (-1, 0), (0, -1), (-1, -1)]
            .iter()
            .all(|&step| self.squares.contains(&add((c, r), step)))
    }

    /// The smallest region found that holds every square round this one's squares, has no hole and
    /// no pinched corner.
    fn widened(&self) -> Region {
        let mut wide = self.clone();
        for &square in &self.squares {
            wide.squares.extend(RING.iter().map(|&step| add(square, step)));
        }
        loop {
            let mut missing = wide.pinches();
            missing.extend(wide.holes());
            if missing.is_empty() {
                return wide;
            }
            wide.squares.extend(missing);
        }
    }

    /// Squares that would heal corners where the region touches itself.
    fn pinches(&self) -> BTreeSet<GridPoint> {
        let mut missing = BTreeSet::new();
        for &square in &self.squares {
            for (a, corner, b) in [((1, 0), (1, 1), (0, 1)), ((-1, 0), (-1, 1), (0, 1))] {
                let (a, corner, b) = (add(square, a), add(square, corner), add(square, b));
                let touches = self.squares.contains(&corner)
                    && !self.squares.contains(&a)
                    && !self.squares.contains(&b);
                if touches {
                    missing.extend([a, b]);
                }
            }
        }
        missing
    }

    /// Squares that are enclosed.
    fn holes(&self) -> BTreeSet<GridPoint> {
        let (low, high) = self.extent();
        let (low, high) = (add(low, (-1, -1)), add(high, (1, 1)));
        let mut outside = BTreeSet::from([low]);
        let mut open = vec![low];
        while let Some(square) = open.pop() {
            for step in SIDES {
                let next = add(square, step);
                let within =
                    (low.0..=high.0).contains(&next.0) && (low.1..=high.1).contains(&next.1);
                if within && !self.squares.contains(&next) && outside.insert(next) {
                    open.push(next);
                }
            }
        }
        let all = (low.0..=high.0).flat_map(|c| (low.1..=high.1).map(move |r| (c, r)));
        all.filter(|square| !outside.contains(square) && !self.squares.contains(square)).collect()
    }

    fn extent(&self) -> (GridPoint, GridPoint) {
        self.squares.iter().fold(((i32::MAX, i32::MAX), (i32::MIN, i32::MIN)), |(l, h), s| {
            ((l.0.min(s.0), l.1.min(s.1)), (h.0.max(s.0), h.1.max(s.1)))
        })
    }

    /// Adds up to `count` squares at random, from those that `allowed` lets pass. A high `thrift`
    /// (0 to 1) prefers squares with one neighbour: corridors instead of halls.
    fn grow(
        &mut self,
        count: usize,
        thrift: f64,
        rng: &mut impl Rng,
        allowed: impl Fn(GridPoint) -> bool,
    ) {
        let mut edge: Vec<GridPoint> = Vec::new();
        let spread = |edge: &mut Vec<GridPoint>, square: GridPoint| {
            edge.extend(SIDES.iter().map(|&step| add(square, step)));
        };
        self.squares.iter().for_each(|&square| spread(&mut edge, square));
        let mut added = 0;
        while added < count && !edge.is_empty() {
            let square = edge.swap_remove(rng.random_range(0..edge.len()));
            if !allowed(square) || !self.can_join(square) {
                continue;
            }
            if self.contact(square) > 1 && rng.random_bool(thrift) {
                continue;
            }
            self.squares.insert(square);
            spread(&mut edge, square);
            added += 1;
        }
    }
}

/// A wall on the lattice.
struct Curve {
    vertices: Vec<GridPoint>,
    closed: bool,
}

impl Curve {
    /// The vertices where it starts, bends and ends.
    fn corners(&self) -> Vec<GridPoint> {
        let n = self.vertices.len();
        let bends = |i: usize| {
            if !self.closed && (i == 0 || i == n - 1) {
                return true;
            }
            let (a, b) = (self.vertices[(i + n - 1) % n], self.vertices[(i + 1) % n]);
            a.0 != b.0 && a.1 != b.1
        };
        (0..n).filter(|&i| bends(i)).map(|i| self.vertices[i]).collect()
    }

    fn segments(&self) -> usize {
        if self.closed { self.corners().len() } else { self.corners().len() - 1 }
    }
}

/// A drawing in the making.
struct Drawing {
    lines: i32,
    outer: Region,
    curves: Vec<Curve>,
    taken: AHashSet<GridPoint>,
    /// The innermost region round the player; `None` where only the outer wall encloses him.
    core: Option<Region>,
    sticks: u32,
}

impl Drawing {
    fn segments(&self) -> usize {
        self.curves.iter().map(Curve::segments).sum()
    }

    fn draw(&mut self, curve: Curve) {
        self.taken.extend(curve.vertices.iter().copied());
        self.curves.push(curve);
    }

    /// Whether a wall may use a vertex.
    fn is_free(&self, vertex: GridPoint) -> bool {
        self.outer.surrounds(vertex) && !self.taken.contains(&vertex)
    }

    /// Whether all vertices of a square are free.
    fn is_square_free(&self, square: GridPoint) -> bool {
        [(0, 0), (1, 0), (0, 1), (1, 1)].iter().all(|&step| self.is_free(add(square, step)))
    }

    /// A random vertex that is free.
    fn free_vertex(&self, rng: &mut impl Rng) -> Option<GridPoint> {
        (0..40)
            .map(|_| (rng.random_range(0..self.lines), rng.random_range(0..self.lines)))
            .find(|&vertex| self.is_free(vertex))
    }

    /// Draws closed walls round one place, innermost first, as many as wished for and fit.
    fn rings(&mut self, wish: u32, rng: &mut impl Rng) {
        let hearts: Vec<GridPoint> =
            self.outer.squares.iter().copied().filter(|&s| self.is_square_free(s)).collect();
        let Some(&heart) = hearts.choose(rng) else { return };
        let mut ring = Region { squares: BTreeSet::from([heart]) };
        for _ in 0..wish {
            let fits = ring.border().iter().all(|&vertex| self.is_free(vertex));
            if !fits || self.segments() + 40 > MAX_SEGMENTS {
                break;
            }
            let (count, thrift) = (rng.random_range(0..30), rng.random_range(0.0..1.0));
            ring.grow(count, thrift, rng, |square| self.is_square_free(square));
            let curve = Curve { vertices: ring.border(), closed: true };
            if self.segments() + curve.segments() > MAX_SEGMENTS {
                break;
            }
            self.draw(curve);
            self.core.get_or_insert_with(|| ring.clone());
            self.sticks += 1;
            ring = ring.widened();
        }
    }

    /// Draws a strip: a walk over free vertices that keeps its direction for a while.
    fn strip(&mut self, rng: &mut impl Rng) {
        let Some(start) = self.free_vertex(rng) else { return };
        let (length, bend) = (rng.random_range(1..40), rng.random_range(0.05..0.6));
        let mut vertices = vec![start];
        let mut step = *SIDES.choose(rng).expect("four sides");
        for _ in 0..length {
            if rng.random_bool(bend) {
                step = if rng.random_bool(0.5) { (step.1, -step.0) } else { (-step.1, step.0) };
            }
            let next = add(vertices[vertices.len() - 1], step);
            if !self.is_free(next) || vertices.contains(&next) {
                break;
            }
            vertices.push(next);
        }
        if vertices.len() > 1 {
            self.draw(Curve { vertices, closed: false });
        }
    }

    /// Draws a closed wall that does not enclose the player's region.
    fn decoy(&mut self, rng: &mut impl Rng) {
        let Some(start) = self.free_vertex(rng) else { return };
        if !self.is_square_free(start) {
            return;
        }
        let mut region = Region { squares: BTreeSet::from([start]) };
        let (count, thrift) = (rng.random_range(0..25), rng.random_range(0.0..1.0));
        region.grow(count, thrift, rng, |square| self.is_square_free(square));
        self.draw(Curve { vertices: region.border(), closed: true });
    }

    /// Whether a lattice square is where the player may be: within all that shall enclose him, and
    /// in no decoy.
    fn may_hold_player(&self, square: GridPoint) -> bool {
        let home = self.core.as_ref().unwrap_or(&self.outer);
        // The outer wall is drawn first, then the loops round the player.
        let mut decoys = self.curves.iter().skip(1 + self.sticks as usize).filter(|c| c.closed);
        home.squares.contains(&square) && decoys.all(|decoy| !encloses(decoy, square))
    }
}

/// Whether a closed curve encloses a square: crossings of a ray from it to the west.
fn encloses(curve: &Curve, (c, r): GridPoint) -> bool {
    let ends = curve.vertices.iter().zip(curve.vertices.iter().cycle().skip(1));
    ends.filter(|(a, b)| a.0 == b.0 && a.0 <= c && a.1.min(b.1) == r).count() % 2 == 1
}

/// Makes a labyrinth of a class. `shape` is one of [`SHAPES`], or anything else for one at random;
/// `rings` is the number of closed walls round the player, where the class has any.
///
/// # Errors
/// One sentence where no attempt gave a legal labyrinth.
pub fn make(
    class: &Class,
    shape: &str,
    rings: Option<u32>,
    seed: u64,
) -> Result<Maze, GenerateError> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    for _ in 0..ATTEMPTS {
        let chosen = SHAPES.iter().find(|&&known| known == shape);
        let chosen = chosen.or_else(|| SHAPES.choose(&mut rng)).expect("there are shapes");
        let wish = rings.unwrap_or_else(|| rng.random_range(1..=6));
        let Some(drawing) = draw(class, chosen, wish, &mut rng) else { continue };
        let fits = !class.rings || drawing.sticks > 0 && rings.is_none_or(|n| n == drawing.sticks);
        if !fits {
            continue;
        }
        if let Some(maze) = lay_out(class, &drawing, &mut rng)
            && format::check(&maze).is_ok()
        {
            return Ok(maze);
        }
    }
    Err(format!("no labyrinth of class {} like this was found in {ATTEMPTS} attempts", class.name)
        .into())
}

/// Draws the walls on the lattice.
fn draw(class: &Class, shape: &str, rings: u32, rng: &mut impl Rng) -> Option<Drawing> {
    let most = MAX_LINES.min(class.side / 2 - 1);
    let lines =
        if rng.random_bool(0.3) { rng.random_range(6..14) } else { rng.random_range(6..most) };
    let outer = outer_region(class, shape, lines, rng);
    let curve = Curve { vertices: outer.border(), closed: true };
    if curve.segments() > MAX_SEGMENTS {
        return None;
    }
    let mut drawing =
        Drawing { lines, outer, curves: Vec::new(), taken: AHashSet::new(), core: None, sticks: 0 };
    drawing.draw(curve);
    if class.rings {
        drawing.rings(rings, rng);
    }
    if !class.bare {
        let budget = if rng.random_bool(0.2) { 0 } else { rng.random_range(0..MAX_SEGMENTS) };
        let decoys = rng.random_range(0.0..0.5);
        for _ in 0..200 {
            let (curves, before) = (drawing.curves.len(), drawing.segments());
            if before >= budget {
                break;
            }
            if rng.random_bool(decoys) {
                drawing.decoy(rng)
            } else {
                drawing.strip(rng)
            }
            if drawing.segments() > MAX_SEGMENTS {
                drawing.curves.truncate(curves);
            }
        }
    }
    Some(drawing)
}

/// The region inside the outer wall.
fn outer_region(class: &Class, shape: &str, lines: i32, rng: &mut impl Rng) -> Region {
    let squares = lines - 1;
    let within = |(c, r): GridPoint| (0..squares).contains(&c) && (0..squares).contains(&r);
    let mut region = Region::default();
    match shape {
        "box" => {
            let least = if class.rings { squares.min(12) } else { 1 };
            let mut extent = || rng.random_range(least..=squares);
            let (cols, rows) = (extent(), extent());
            region.squares.extend((0..cols).flat_map(|c| (0..rows).map(move |r| (c, r))));
        }
        "spiral" | "meander" => {
            // Loops need halls; elsewhere corridors may be narrow.
            let widths = if class.rings { 3..=12 } else { 1..=3 };
            let width = rng.random_range(widths).min(squares);
            let tiles = (squares + 1) / (width + 1);
            let path = if shape == "spiral" { spiral(tiles) } else { meander(tiles) };
            let mut path: Vec<GridPoint> = path.into_iter().take(90).collect();
            if rng.random_bool(0.5) {
                path.iter_mut().for_each(|tile| *tile = (tile.1, tile.0));
            }
            thicken(&mut region, &path, width);
        }
        _ => {
            let start = if class.bare { (0, 0) } else { (squares / 2, squares / 2) };
            region.squares.insert(start);
            if class.rings {
                let hall = rng.random_range(0..=4).min(squares / 2);
                let around = |at: i32| at - hall..=(at + hall).min(squares - 1);
                region
                    .squares
                    .extend(around(start.0).flat_map(|c| around(start.1).map(move |r| (c, r))));
            }
            let thrift = if shape == "maze" { 0.97 } else { rng.random_range(0.0..0.6) };
            let most = squares * squares;
            let count = rng.random_range(1..=most.min(if shape == "maze" { 240 } else { 4000 }));
            region.grow(count as usize, thrift, rng, within);
        }
    }
    region
}

/// The tiles of a spiral from the north-west corner inward.
fn spiral(tiles: i32) -> Vec<GridPoint> {
    let mut path = vec![(0, 0)];
    let (mut at, mut side) = ((0, 0), 1);
    let seen_ahead = |path: &[GridPoint], at: GridPoint, step: GridPoint| {
        let next = add(at, step);
        let beyond = add(next, step);
        !(0..tiles).contains(&next.0)
            || !(0..tiles).contains(&next.1)
            || path.contains(&next)
            || (path.contains(&beyond) && path.len() > 1)
    };
    let mut turned = 0;
    while turned < 2 {
        if seen_ahead(&path, at, SIDES[side]) {
            side = (side + 1) % 4;
            turned += 1;
        } else {
            at = add(at, SIDES[side]);
            path.push(at);
            turned = 0;
        }
    }
    path
}

/// The tiles of a meander, row by row in every second row.
fn meander(tiles: i32) -> Vec<GridPoint> {
    let mut path = Vec::new();
    for row in (0..tiles).step_by(2) {
        let eastward = row % 4 == 0;
        path.extend((0..tiles).map(|i| (if eastward { i } else { tiles - 1 - i }, row)));
        if row + 2 < tiles {
            path.push((if eastward { tiles - 1 } else { 0 }, row + 1));
        }
    }
    path
}

/// Makes each tile of a path a block of squares, and joins the blocks of neighbours.
fn thicken(region: &mut Region, path: &[GridPoint], width: i32) {
    let pitch = width + 1;
    let mut block = |c: i32, r: i32, cols: i32, rows: i32| {
        region.squares.extend((c..c + cols).flat_map(|c| (r..r + rows).map(move |r| (c, r))));
    };
    for &(c, r) in path {
        block(c * pitch, r * pitch, width, width);
    }
    for (a, b) in path.iter().zip(path.iter().skip(1)) {
        let (c, r) = (a.0.min(b.0) * pitch, a.1.min(b.1) * pitch);
        if a.1 == b.1 { block(c + width, r, 1, width) } else { block(c, r + width, width, 1) }
    }
}

/// Gives the lattice its coordinates, the player and the exit their places.
fn lay_out(class: &Class, drawing: &Drawing, rng: &mut impl Rng) -> Option<Maze> {
    let n = drawing.lines as usize;
    let uneven = rng.random_range(0.0..3.0);
    let weights = |rng: &mut dyn FnMut() -> f64| -> Vec<f64> {
        (0..n).map(|_| (rng() * uneven).exp()).collect()
    };
    let mut uniform = || rng.random_range(0.0..1.0);
    let (across, down) = (weights(&mut uniform), weights(&mut uniform));
    // A third of the labyrinths fill only a part of their board.
    let mut side = f64::from(class.side);
    if rng.random_bool(0.3) {
        side *= rng.random_range(0.2..1.0);
    }
    for _ in 0..60 {
        let xs = coordinates(&across, side as i32)?;
        let ys = coordinates(&down, side as i32)?;
        let place = |(c, r): GridPoint| Point::new(xs[c as usize], ys[r as usize]);
        let segments: Vec<Segment> = drawing.curves.iter().flat_map(|c| lay(c, &place)).collect();
        let length: usize = segments.iter().map(|segment| segment.length()).sum();
        if length > class.wall {
            side *= 0.9;
            continue;
        }
        let exit = exit(&drawing.curves[0], &place, rng)?;
        let player = player(class, drawing, &place, rng)?;
        let mut segments = segments;
        segments.shuffle(rng);
        return Some(Maze { exit, player, sticks: drawing.sticks, segments });
    }
    None
}

/// Coordinates of lattice lines with gaps of at least two, in proportion to the weights.
fn coordinates(weights: &[f64], side: i32) -> Option<Vec<i32>> {
    let spare = side - 1 - 2 * (weights.len() as i32 - 1);
    let total: f64 = weights[1..].iter().sum();
    let (mut sum, mut places) = (0.0, vec![0]);
    for (i, weight) in weights.iter().enumerate().skip(1) {
        sum += weight;
        places.push(2 * i as i32 + (f64::from(spare) * sum / total) as i32);
    }
    (spare >= 0).then_some(places)
}

fn lay(curve: &Curve, place: &impl Fn(GridPoint) -> Point) -> Vec<Segment> {
    let corners = curve.corners();
    let onward = corners.iter().cycle().skip(1);
    let count = curve.segments();
    corners
        .iter()
        .zip(onward)
        .take(count)
        .map(|(&a, &b)| Segment::between(place(a), place(b)))
        .collect()
}

/// A cell of the outer wall that is no corner.
fn exit(outer: &Curve, place: &impl Fn(GridPoint) -> Point, rng: &mut impl Rng) -> Option<Point> {
    let segments = lay(outer, place);
    let total: usize = segments.iter().map(|segment| segment.length() - 2).sum();
    let mut at = rng.random_range(0..total.max(1));
    for segment in segments {
        let inner = segment.length() - 2;
        if at < inner {
            return segment.cells().nth(at + 1);
        }
        at -= inner;
    }
    None
}

/// A cell for the player, within a lattice square.
fn player(
    class: &Class,
    drawing: &Drawing,
    place: &impl Fn(GridPoint) -> Point,
    rng: &mut impl Rng,
) -> Option<Point> {
    if class.bare {
        let corner = place((0, 0));
        return Some(Point::new(corner.x + 1, corner.y + 1));
    }
    let homes: Vec<GridPoint> =
        drawing.outer.squares.iter().copied().filter(|&s| drawing.may_hold_player(s)).collect();
    let &(c, r) = homes.choose(rng)?;
    let (low, high) = (place((c, r)), place((c + 1, r + 1)));
    Some(Point::new(rng.random_range(low.x + 1..high.x), rng.random_range(low.y + 1..high.y)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Source;
    use crate::search::Verdict;

    #[test]
    fn class_10_has_exactly_the_dynamite_that_is_needed() {
        let class = CLASSES.iter().find(|class| class.rings).unwrap();
        // Two of these seeds once put the player into a decoy within the loops.
        for seed in (0..10).chain([1503, 1629]) {
            let mut maze = make(class, "any", None, seed).unwrap();
            let budget = Run::seconds(60.0);
            let verdict =
                |maze: &Maze| planner::solve_under(maze, Readings::default(), &budget).verdict;
            assert_eq!(verdict(&maze), Verdict::Optimal, "seed {seed}");
            maze.sticks -= 1;
            assert_eq!(verdict(&maze), Verdict::Impossible, "seed {seed}, a stick less");
        }
    }

    #[test]
    fn every_class_and_shape_gives_legal_labyrinths_reproducibly() {
        for class in &CLASSES {
            for (seed, shape) in (1..).zip(SHAPES) {
                let maze = make(class, shape, None, seed).expect(shape);
                assert_eq!(maze, make(class, shape, None, seed).expect(shape));
                let text = format::text(std::slice::from_ref(&maze));
                let read = format::read_mazes(&Source::new("made", text));
                assert_eq!(
                    read.unwrap(),
                    std::slice::from_ref(&maze),
                    "class {} {shape}",
                    class.name
                );
                assert_eq!(maze.sticks > 0, class.rings);
                let (low, high) = maze.corners();
                assert!((high.x - low.x).max(high.y - low.y) < class.side);
                let cells: AHashSet<Point> = maze.segments.iter().flat_map(|s| s.cells()).collect();
                assert!(cells.len() <= class.wall);
                if class.bare {
                    assert!(low.x + 1 == maze.player.x && low.y + 1 == maze.player.y);
                }
            }
        }
    }
}
