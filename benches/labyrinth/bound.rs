//! How near to the planner, who has the map, can an explorer of class 10 come at all?
//!
//! `cargo bench --bench labyrinth_bound` plays generated games of class 10, those with at most
//! [`MAX_SEGMENTS`] segments; `-- --help` tells the options. Four lines, each the oxygen over that of the
//! planner's plan, at the median and the part of the games within 4 times:
//!
//! * *floor*: what nobody can go below who lights a stick only where a closed wall was seen all
//!   round. He walks to the row or column beside its four outermost sides (to see more than ten
//!   cells of a wall from across takes more oxygen than the walk there), is shown all its cells
//!   (8 oxygen show at most 7 of them), and then knows the way straight to the exit.
//! * *informed*: a player who has the map but for the exit's place. He keeps to the same rule about
//!   dynamite and looks along that wall next that is nearest to him.
//! * *luckiest*: the best of [`TRIES`] such players for each game, chosen in hindsight. Half of them
//!   take the wall that shows most new cells for its oxygen; most choose with some randomness.
//! * *explorer*: ours, who knows nothing.

use clap::Parser;
use outwit::games::labyrinth::explorer::Explorer;
use outwit::games::labyrinth::format::protocol::{Heading, Point, Readings, Reply};
use outwit::games::labyrinth::format::{BLAST_OXYGEN, LOOK_OXYGEN, WALK_OXYGEN};
use outwit::games::labyrinth::format::{Maze, Segment};
use outwit::games::labyrinth::generate::{CLASSES, make};
use outwit::games::labyrinth::grid::{Grid, is_clear};
use outwit::games::labyrinth::intervals::{Cells, Lines};
use outwit::games::labyrinth::planner::solve_under;
use outwit::games::labyrinth::state::{State, walls};
use outwit::search::Run;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Games with more are left out: the informed players would take minutes.
const MAX_SEGMENTS: usize = 200;
/// Informed players.
const TRIES: u64 = 16;
/// The prices of what a player with randomness may do are changed by a factor up to e to this.
const SPREAD: f64 = 0.7;

/// How near to the planner, who has the map, can an explorer of class 10 come at all?
#[derive(Parser)]
#[command(bin_name = "cargo bench --bench labyrinth_bound --")]
struct Options {
    /// Games that are made
    #[arg(long, value_name = "N", default_value_t = 200)]
    count: u64,
    /// Seed of the first; each of the others has the next
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Given by cargo
    #[arg(long = "bench", hide = true)]
    _bench: bool,
}

fn main() {
    let options = Options::parse();
    let class = CLASSES.iter().find(|class| class.rings).expect("a class with loops");
    let mut ratios = [const { Vec::new() }; 4];
    for seed in options.seed..options.seed + options.count {
        let maze = make(class, "any", None, seed).expect("a labyrinth");
        if maze.segments.len() > MAX_SEGMENTS {
            continue;
        }
        let best = solve_under(&maze, Readings::default(), &Run::seconds(60.0)).cost as f64;
        let loops = loops_round(&maze);
        let informed: Vec<u64> = (0..TRIES).map(|number| informed(&maze, &loops, number)).collect();
        let luckiest = informed.iter().copied().min().unwrap_or(0);
        let spent = [floor(&maze, &loops), luckiest, informed[0], explorer(&maze)];
        ratios.iter_mut().zip(spent).for_each(|(list, spent)| list.push(spent as f64 / best));
    }
    println!("class 10, {} games:", ratios[0].len());
    let names = ["floor", "luckiest", "informed", "explorer"];
    for (name, mut ratios) in names.into_iter().zip(ratios) {
        ratios.sort_by(f64::total_cmp);
        let within = ratios.iter().filter(|&&ratio| ratio <= 4.0).count() * 100 / ratios.len();
        println!("{name}: median {:.2}, within 4 times {within} %", ratios[ratios.len() / 2]);
    }
}

/// Oxygen of the explorer.
fn explorer(maze: &Maze) -> u64 {
    let mut state = State::new(maze, Readings::default());
    let mut explorer = Explorer::new(maze.sticks);
    loop {
        match state.act(explorer.command()).expect("a command that the rules allow") {
            Reply::Found => return state.oxygen().into(),
            reply => explorer.hear(&reply),
        }
    }
}

/// A closed wall as its straight sides, each from its north-western end on.
struct Loop {
    sides: Vec<Segment>,
}

impl Loop {
    fn cells(&self) -> u64 {
        self.sides.iter().map(|side| side.length() as u64 - 1).sum()
    }

    fn has(&self, at: Point) -> bool {
        self.sides.iter().any(|side| on(side, at))
    }

    /// The corners of the smallest box around it.
    fn corners(&self) -> (Point, Point) {
        let xs = self.sides.iter().flat_map(|side| [side.from.x, side.to.x]);
        let ys = self.sides.iter().flat_map(|side| [side.from.y, side.to.y]);
        let low = Point::new(xs.clone().min().unwrap_or(0), ys.clone().min().unwrap_or(0));
        (low, Point::new(xs.max().unwrap_or(0), ys.max().unwrap_or(0)))
    }

    /// Crossings of a ray to the west.
    fn encloses(&self, at: Point) -> bool {
        let crossed = |side: &&Segment| {
            side.from.x == side.to.x
                && side.from.x < at.x
                && (side.from.y..side.to.y).contains(&at.y)
        };
        self.sides.iter().filter(crossed).count() % 2 == 1
    }
}

fn on(side: &Segment, at: Point) -> bool {
    (side.from.x..=side.to.x).contains(&at.x) && (side.from.y..=side.to.y).contains(&at.y)
}

/// The closed walls that enclose the player, from the innermost on; the last is the outer wall. The
/// sides of a generated wall share their ends.
fn loops_round(maze: &Maze) -> Vec<Loop> {
    let mut left = maze.segments.clone();
    let mut loops = Vec::new();
    while let Some(side) = left.pop() {
        let (start, mut end, mut sides) = (side.from, side.to, vec![side]);
        while let Some(i) = left.iter().position(|next| next.from == end || next.to == end) {
            let next = left.swap_remove(i);
            end = if next.from == end { next.to } else { next.from };
            sides.push(next);
        }
        let wall = Loop { sides };
        if end == start && wall.encloses(maze.player) {
            loops.push(wall);
        }
    }
    loops.sort_by_key(|wall| {
        let (low, high) = wall.corners();
        i64::from(high.x - low.x) * i64::from(high.y - low.y)
    });
    assert_eq!(loops.len(), maze.sticks as usize + 1);
    loops
}

/// See the head of this file.
fn floor(maze: &Maze, loops: &[Loop]) -> u64 {
    let (mut from, mut oxygen) = ((maze.player, maze.player), 0);
    // A walk on a line to both ends of an interval, from somewhere within another one.
    let both = |low: i32, high: i32, from: (i32, i32)| {
        high - low + (from.0 - low).max(0).min((high - from.1).max(0))
    };
    for wall in &loops[..loops.len() - 1] {
        let (low, high) = wall.corners();
        let steps = both(low.x + 1, high.x - 1, (from.0.x, from.1.x))
            + both(low.y + 1, high.y - 1, (from.0.y, from.1.y));
        oxygen += steps as u64 * u64::from(WALK_OXYGEN) + wall.cells() * 8 / 7;
        oxygen += u64::from(BLAST_OXYGEN);
        from = (low, high);
    }
    let beyond = |at: i32, low: i32, high: i32| (low - at).max(at - high).max(0) as u64;
    let exit = maze.exit;
    let rest = beyond(exit.x, from.0.x, from.1.x) + beyond(exit.y, from.0.y, from.1.y);
    oxygen + rest * u64::from(WALK_OXYGEN)
}

/// Oxygen of an informed player.
fn informed(maze: &Maze, loops: &[Loop], number: u64) -> u64 {
    let mut map = Map::new(maze);
    let by_steps = number.is_multiple_of(2);
    let spread = if number < 2 { 0.0 } else { SPREAD };
    let rng = ChaCha8Rng::seed_from_u64(number);
    let mut player = Tour { at: maze.player, oxygen: 0, by_steps, spread, rng };
    for wall in &loops[..loops.len() - 1] {
        player.look_along(&map, wall, None);
        player.leave(&mut map, wall);
    }
    player.look_along(&map, &loops[loops.len() - 1], Some(maze.exit));
    player.oxygen
}

/// The map, as crossings of the lines around walls.
struct Map {
    walls: Cells,
    grid: Grid,
    /// The coordinates of the lines, and between which neighbours one can walk east and south.
    xs: Vec<i32>,
    ys: Vec<i32>,
    east: Vec<bool>,
    south: Vec<bool>,
}

impl Map {
    fn new(maze: &Maze) -> Map {
        let mut walls = walls(maze);
        walls.rows.insert(maze.exit.y, maze.exit.x, maze.exit.x);
        let grid = Grid::new(&walls, 1, &[maze.player, maze.exit]);
        let line = |heading| {
            let marks = std::iter::successors(Some((0, 0)), |&at| grid.next(at, heading));
            marks.map(|at| grid.point(at)).collect::<Vec<Point>>()
        };
        let xs = line(Heading::East).iter().map(|p| p.x).collect();
        let ys = line(Heading::South).iter().map(|p| p.y).collect();
        let mut map = Map { walls, grid, xs, ys, east: Vec::new(), south: Vec::new() };
        map.find_passages();
        map
    }

    fn find_passages(&mut self) {
        let passages = |heading: Heading| {
            let passes = |i: usize| {
                let next = self.next(i, heading).map(|next| self.point(next));
                let here = self.point(i);
                !self.walls.has(here) && next.is_some_and(|next| is_clear(&self.walls, here, next))
            };
            (0..self.xs.len() * self.ys.len()).map(passes).collect()
        };
        (self.east, self.south) = (passages(Heading::East), passages(Heading::South));
    }

    fn point(&self, i: usize) -> Point {
        Point::new(self.xs[i % self.xs.len()], self.ys[i / self.xs.len()])
    }

    fn index(&self, at: Point) -> Option<usize> {
        self.grid.crossing(at).map(|(x, y)| y as usize * self.xs.len() + x as usize)
    }

    fn next(&self, i: usize, heading: Heading) -> Option<usize> {
        let at = ((i % self.xs.len()) as u32, (i / self.xs.len()) as u32);
        self.grid.next(at, heading).map(|(x, y)| y as usize * self.xs.len() + x as usize)
    }

    fn passes(&self, i: usize, next: usize, heading: Heading) -> bool {
        match heading {
            Heading::East => self.east[i],
            Heading::West => self.east[next],
            Heading::South => self.south[i],
            Heading::North => self.south[next],
        }
    }

    /// Steps from a crossing to all others; `u32::MAX` where there is no way.
    fn steps(&self, from: Point) -> Vec<u32> {
        let mut steps = vec![u32::MAX; self.xs.len() * self.ys.len()];
        let start = self.index(from).expect("a crossing");
        steps[start] = 0;
        let mut open = BinaryHeap::from([(Reverse(0), start)]);
        while let Some((Reverse(walked), at)) = open.pop() {
            if walked > steps[at] {
                continue;
            }
            for heading in Heading::ALL {
                let Some(next) = self.next(at, heading) else { continue };
                let there = walked + self.point(at).distance(self.point(next)) as u32;
                if self.passes(at, next, heading) && there < steps[next] {
                    steps[next] = there;
                    open.push((Reverse(there), next));
                }
            }
        }
        steps
    }

    /// Free cells straight ahead, at most `limit`.
    fn free_ahead(&self, from: Point, heading: Heading, limit: i32) -> i32 {
        let (mut free, mut barred) = (0, limit + 1);
        while barred - free > 1 {
            let middle = (free + barred) / 2;
            let clear = is_clear(&self.walls, from, from.toward(heading, middle));
            *(if clear { &mut free } else { &mut barred }) = middle;
        }
        free
    }
}

/// A place to look along a side of a wall, both ways as far as that shows anything new.
#[derive(Clone, Copy)]
struct View {
    place: Point,
    side: usize,
    /// The cells of the side that are shown, counted from its start, and how many of them are new.
    shown: (i32, i32),
    new: i32,
    steps: u32,
    oxygen: u64,
}

/// The way of the informed player.
struct Tour {
    at: Point,
    oxygen: u64,
    /// Whether the nearest place is preferred, or the one that shows most for its oxygen.
    by_steps: bool,
    spread: f64,
    rng: ChaCha8Rng,
}

impl Tour {
    /// Looks along a wall, all of it or until the exit is seen, and then walks into the exit.
    fn look_along(&mut self, map: &Map, wall: &Loop, exit: Option<Point>) {
        let mut seen = Lines::default();
        loop {
            let steps = map.steps(self.at);
            let views = wall.sides.iter().enumerate().flat_map(|(i, side)| {
                let places = places_beside(map, &steps, side);
                let seen = &seen;
                places.into_iter().map(move |place| view(map, seen, i, side, place))
            });
            let views: Vec<View> = views.filter(|view| view.new > 0).collect();
            let best = views.into_iter().map(|view| (self.price(&view), view));
            let best = best.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, view)| view);
            let Some(best) = best else { return };
            (self.at, self.oxygen) = (best.place, self.oxygen + best.oxygen);
            seen.insert(best.side as i32, best.shown.0, best.shown.1);
            let side = &wall.sides[best.side];
            let is_shown = |exit: &Point| {
                on(side, *exit) && (best.shown.0..=best.shown.1).contains(&exit.distance(side.from))
            };
            if let Some(exit) = exit.filter(is_shown) {
                let steps = map.steps(self.at);
                let doors = Heading::ALL.into_iter().filter_map(|h| map.index(exit.toward(h, 1)));
                let door = doors.map(|door| steps[door]).min().expect("a cell beside the exit");
                self.oxygen += u64::from(door + 1) * u64::from(WALK_OXYGEN);
                return;
            }
        }
    }

    fn price(&mut self, view: &View) -> f64 {
        let factor = self.rng.random_range(-1.0..1.0) * self.spread;
        let price = match self.by_steps {
            // Of two looks from one place the richer one.
            true => f64::from(view.steps + 1) - f64::from(view.new) / 1e6,
            false => view.oxygen as f64 / f64::from(view.new),
        };
        price * factor.exp()
    }

    /// Leaves through a wall where that is nearest.
    fn leave(&mut self, map: &mut Map, wall: &Loop) {
        let steps = map.steps(self.at);
        let reached = (0..steps.len()).filter(|&i| steps[i] != u32::MAX);
        let holes = reached.flat_map(|i| Heading::ALL.map(|heading| (i, heading)));
        let opens = |&(i, heading): &(usize, Heading)| {
            let beyond = map.point(i).toward(heading, 2);
            wall.has(map.point(i).toward(heading, 1))
                && !map.walls.has(beyond)
                && map.index(beyond).is_some_and(|beyond| steps[beyond] == u32::MAX)
        };
        let (i, heading) = holes.filter(opens).min_by_key(|hole| steps[hole.0]).expect("a hole");
        let place = map.point(i);
        map.walls.remove(place.toward(heading, 1));
        map.find_passages();
        self.at = place.toward(heading, 2);
        self.oxygen += u64::from(steps[i] + 2) * u64::from(WALK_OXYGEN) + u64::from(BLAST_OXYGEN);
    }
}

/// Crossings beside a side of a wall that can be reached: of each flank the first, the last, and the
/// nearest; with the steps there.
fn places_beside(map: &Map, steps: &[u32], side: &Segment) -> Vec<(Point, u32)> {
    let along = if side.from.y == side.to.y { Heading::East } else { Heading::South };
    let line = if along.is_horizontal() { &map.xs } else { &map.ys };
    let (low, high) =
        if along.is_horizontal() { (side.from.x, side.to.x) } else { (side.from.y, side.to.y) };
    let marks = line.partition_point(|&at| at < low)..line.partition_point(|&at| at <= high);
    let mut places = Vec::new();
    for flank in [along.left(), along.right()] {
        let mut beside = line[marks.clone()].iter().filter_map(|at| {
            let place = side.from.toward(along, at - low).toward(flank, 1);
            Some((place, steps[map.index(place)?])).filter(|&(_, steps)| steps != u32::MAX)
        });
        places.extend(beside.clone().min_by_key(|place| place.1));
        places.extend(beside.clone().next().into_iter().chain(beside.next_back()));
    }
    places
}

/// What a look from a place beside a side shows of it, and what it takes.
fn view(map: &Map, seen: &Lines, i: usize, side: &Segment, (place, steps): (Point, u32)) -> View {
    let along = if side.from.y == side.to.y { Heading::East } else { Heading::South };
    let last = side.length() as i32 - 1;
    let own = (place.x - side.from.x) * along.dx() + (place.y - side.from.y) * along.dy();
    let ahead = map.free_ahead(place, along, last - own);
    let back = map.free_ahead(place, along.back(), own);
    let (from, to) = ((own - back - 1).max(0), (own + ahead + 1).min(last));
    let new = |from: i32, to: i32| {
        let known = seen.range(i as i32, i as i32).flat_map(|(_, list)| list.iter());
        let overlap = |&(a, b): &(i32, i32)| (b.min(to) - a.max(from) + 1).max(0);
        to - from + 1 - known.map(overlap).sum::<i32>()
    };
    let strip =
        |reach: i32, new: i32| if new > 0 { 3 * (reach + 2) as u32 * LOOK_OXYGEN } else { 0 };
    let looks = strip(to - own, new(own, to)) + strip(own - from, new(from, own));
    View {
        place,
        side: i,
        shown: (from, to),
        new: new(from, to),
        steps,
        oxygen: u64::from(steps * WALK_OXYGEN + looks),
    }
}
