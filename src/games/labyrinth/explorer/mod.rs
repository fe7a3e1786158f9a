//! The player who knows nothing but the session.
//!
//! He keeps a sparse map (`known_map`) and takes the walls on it as curves (`contours`). Three things
//! can be done: look further along a wall that is not known to its end, look into the dark, and
//! light dynamite. He does the cheapest that helps, by oxygen, with handicaps for walls that look
//! like obstacles:
//!
//! * The exit is on a closed wall that encloses him. A wall with a tip, or with free cells at both
//!   sides, is a strip; a closed wall with turning −4 is an obstacle: neither is looked at further.
//! * A closed wall with turning +4 that is known all round and shows no exit holds him for certain,
//!   and only then a stick is lit, beside that wall. Walls are thin, so one stick opens one wall.
//! * Where every wall in sight is settled, a look outward from just beyond all of them meets a wall
//!   that was unknown, since some wall encloses them all. So each game comes to its end: every look
//!   adds to the map, and the map is finite.
//!
//! Looking costs 3 a cell and walking 10, so looks reach far and grow with what is known: a wall of
//! n cells takes about log n commands.
//!
//! Tried on a thousand games of class 10, compared in pairs by the geometric mean of the oxygen over
//! the planner's, and left out since none gained more than noise: other reaches and handicaps; looks
//! as far as what is known extends; looks from beside a wall's middle in place of walking to its
//! end; choosing where to light a stick by the free cells around. Most of the oxygen goes along the
//! outer wall, after the last stick, where nobody knows which way the exit is
//! (`benches/labyrinth/bound.rs`).

pub mod client;
mod contours;
mod known_map;
mod route;

use self::contours::{Contour, End, contours};
use self::known_map::KnownMap;
use self::route::{CELL_PRICE, Leg, cheapest};
use super::format::protocol::{Command, Heading, Point, Reply};
use super::format::{LOOK_OXYGEN, WALK_OXYGEN};
use super::grid::{Grid, is_clear};

/// The most expansions of one search for a way.
const MAX_ROUTE_NODES: usize = 400_000;
/// The most ways that are searched to choose between aims, as long as one is found.
const MAX_ROUTES: usize = 6;
/// The least reach of a look along a wall or into the dark, in cells.
const MIN_REACH: i32 = 12;
// Looks along walls reach far: one that meets a wall costs no more for its reach, and what one
// overshoots is less than what many short ones would show again (`cargo bench --bench
// labyrinth_games`).
/// The most reach of any look, in cells: more than any board has, even where it is seen from outside.
const MAX_REACH: i32 = 200_000;
/// A look along a wall reaches at least this part of what is known.
const SCALE_PARTS: i32 = 4;
/// A look along a wall reaches this many times as far as the wall is known to be straight.
const STRAIGHT_FACTOR: i32 = 16;
/// A look into the dark reaches this many times as far as the way is known to be free.
const DARK_FACTOR: i32 = 3;

// Handicaps, in oxygen a cell. For walls: times the known length of the wall.
/// Handicap of a wall with turning -1.
const HANDICAP_ONE_AWAY: i64 = 5;
/// Handicap of a wall that bends further away: an obstacle, it seems.
const HANDICAP_AWAY: i64 = 60;
/// Handicap of a wall that is an obstacle for certain, looked at where nothing else is left.
const HANDICAP_OBSTACLE: i64 = 200;
// For walls and looks into the dark: times the extent of what is known.
/// Handicap of any wall but the one looked along last: who follows several at once walks much.
const HANDICAP_OTHER: i64 = 10;
/// Handicap of any look into the dark.
const DARK_HANDICAP: i64 = 15;
/// Handicap of a look from here that stays within the box around an obstacle.
const DARK_DOUBT: i64 = 30;

/// A player of one game.
#[derive(Debug)]
pub struct Explorer {
    map: KnownMap,
    at: Point,
    sticks: u32,
    /// The remaining part of a way that is known to be free or is to be looked at on the way, and
    /// the command at its end.
    way: Vec<Leg>,
    last: Option<Command>,
    arrival: Option<Command>,
    /// A cell of the wall that is followed.
    followed: Option<Point>,
    walls: Vec<Contour>,
    stale: bool,
}

/// Something worth doing.
#[derive(Clone, Copy, Debug)]
struct Aim {
    /// From where.
    from: Point,
    /// What.
    command: Command,
    /// A cell of the wall that is followed so.
    wall: Option<Point>,
    /// Oxygen for the walk at least, the look, and the handicap.
    price: i64,
}

impl Explorer {
    /// A player with this many sticks of dynamite.
    pub fn new(sticks: u32) -> Explorer {
        Explorer {
            map: KnownMap::default(),
            at: Point::new(0, 0),
            sticks,
            way: Vec::new(),
            last: None,
            arrival: Some(Command::LookAround),
            followed: None,
            walls: Vec::new(),
            stale: true,
        }
    }

    /// The next command.
    pub fn command(&mut self) -> Command {
        let command = match self.choose() {
            Command::Look(heading, k) => Command::Look(heading, k.min(MAX_REACH as u32)),
            other => other,
        };
        self.last = Some(command);
        command
    }

    /// Takes the arbiter's answer to the last command.
    pub fn hear(&mut self, reply: &Reply) {
        match (self.last.take(), reply) {
            (Some(Command::Walk(heading, k)), _) => self.at = self.at.toward(heading, k as i32),
            (Some(Command::Dynamite), _) => {
                self.sticks = self.sticks.saturating_sub(1);
                self.map.blast(self.at);
                self.forget_way();
            }
            (Some(_), Reply::Looks(picture)) => {
                self.map.absorb(picture, self.at);
                self.forget_way();
            }
            _ => {}
        }
    }

    /// Whether what was shown cannot be one maze: a cell was free once and a wall at another time,
    /// and no dynamite was near. Counted from where the player woke up, that cell or one in line
    /// with it.
    pub fn contradiction(&self) -> Option<Point> {
        self.map.contradiction
    }

    /// What was seen may change everything but the way to the exit.
    fn forget_way(&mut self) {
        self.way.clear();
        self.arrival = None;
        self.stale = true;
    }

    fn choose(&mut self) -> Command {
        if let Some(command) = self.go_on() {
            return command;
        }
        if self.stale {
            self.walls = contours(&self.map);
            self.stale = false;
        }
        self.plan();
        self.go_on().unwrap_or_else(|| self.give_up())
    }

    /// The next command of the way that was chosen.
    fn go_on(&mut self) -> Option<Command> {
        let Some(&(heading, steps)) = self.way.first() else { return self.arrival.take() };
        let to_exit = self.map.exit == Some(self.at.toward(heading, steps));
        let mut free = self.map.free_ahead(self.at, heading, steps);
        if to_exit && free == steps - 1 {
            free = steps;
        }
        if free == 0 {
            // The answer will clear the way, and it will be chosen again.
            let onward = self.way.iter().filter(|leg| leg.0 == heading).map(|leg| leg.1).sum();
            let reach = steps.max(MIN_REACH).max(onward);
            return Some(Command::Look(heading, reach as u32));
        }
        if free == steps {
            self.way.remove(0);
        } else {
            self.way[0].1 -= free;
        }
        Some(Command::Walk(heading, free as u32))
    }

    /// There is nothing left to do: ends the game with a command that the arbiter refuses.
    fn give_up(&mut self) -> Command {
        let wall = Heading::ALL.into_iter().find(|&h| self.map.is_wall(self.at.toward(h, 1)));
        wall.map_or(Command::Dynamite, |heading| Command::Walk(heading, 1))
    }

    /// Chooses where to go and what to do there: to the exit where it is known, through a wall that
    /// encloses the player for certain, or else where something can be learnt.
    fn plan(&mut self) {
        let to_exit = self.map.exit.map_or(Vec::new(), |exit| self.exit_aims(exit));
        if self.take_cheapest(to_exit) {
            return;
        }
        let enclosing = self.walls.iter().find(|wall| wall.encloses() && self.sticks > 0);
        let through = enclosing.map_or(Vec::new(), |wall| self.blast_aims(wall));
        if self.take_cheapest(through) {
            return;
        }
        let mut aims = self.wall_aims();
        aims.extend(self.dark_aims());
        self.take_cheapest(aims);
    }

    /// Searches ways to the aims that may be the cheapest, and takes the cheapest. False where
    /// none can be reached.
    fn take_cheapest(&mut self, mut aims: Vec<Aim>) -> bool {
        aims.sort_by_key(|aim| aim.price);
        let best = aims.chunks(MAX_ROUTES).find_map(|aims| self.cheapest_of(aims));
        let Some((way, aim)) = best else { return false };
        self.way = way;
        self.followed = aim.wall.or(self.followed);
        let at_exit = Some(aim.from) == self.map.exit;
        self.arrival = (!at_exit).then_some(aim.command);
        true
    }

    /// The cheapest of aims that are sorted by their least price, and the way to it.
    fn cheapest_of(&self, aims: &[Aim]) -> Option<(Vec<Leg>, Aim)> {
        let mut best: Option<(i64, Vec<Leg>, Aim)> = None;
        let points: Vec<Point> = aims.iter().map(|aim| aim.from).chain([self.at]).collect();
        let grid = Grid::new(&self.map.walls, 1, &points);
        for aim in aims {
            if best.as_ref().is_some_and(|(price, _, _)| *price <= aim.price) {
                break;
            }
            let price = |a, b| self.stretch(a, b);
            let found = cheapest(&grid, self.at, aim.from, MAX_ROUTE_NODES, price);
            let Some((paid, way)) = found else { continue };
            let walk = (paid * u64::from(WALK_OXYGEN) / CELL_PRICE) as i64;
            let least = i64::from(self.at.distance(aim.from)) * i64::from(WALK_OXYGEN);
            let price = aim.price + walk - least;
            if best.as_ref().is_none_or(|(known, _, _)| price < *known) {
                best = Some((price, way, *aim));
            }
        }
        best.map(|(_, way, aim)| (way, aim))
    }

    /// Price of a straight stretch of a way: what is not known to be free has to be looked at.
    fn stretch(&self, a: Point, b: Point) -> Option<u64> {
        if !is_clear(&self.map.walls, a, b) {
            return None;
        }
        let cells = u64::from(a.distance(b).unsigned_abs());
        let middle = Point::new((a.x + b.x) / 2, (a.y + b.y) / 2);
        let known = self.map.is_free(b) && self.map.is_free(middle);
        Some(if known { cells * CELL_PRICE } else { cells * CELL_PRICE * 13 / 10 })
    }

    /// An aim and its price: the walk there at least, and what weighs on it besides. What a look
    /// costs that goes beyond the known is no part of it, since it is paid for news.
    fn aim(&self, from: Point, command: Command, besides: i64) -> Aim {
        let walk = i64::from(self.at.distance(from)) * i64::from(WALK_OXYGEN);
        Aim { from, command, wall: None, price: walk + besides }
    }

    /// The exit itself, or a place to make a way to it.
    fn exit_aims(&self, exit: Point) -> Vec<Aim> {
        let arms: Vec<Heading> =
            Heading::ALL.into_iter().filter(|&h| self.map.is_wall(exit.toward(h, 1))).collect();
        let cornered = match arms[..] {
            [a, b] if a != b.back() => {
                self.map.is_free(exit.toward(a, 1).toward(b, 1)).then_some((a, b))
            }
            _ => None,
        };
        let Some((a, b)) = cornered.filter(|_| self.sticks > 0) else {
            return vec![self.aim(exit, Command::LookAround, 0)];
        };
        // The exit is the outer side of a bend: blast the wall next to it, but not the exit.
        let beside = [exit.toward(a, 2).toward(b, 1), exit.toward(b, 2).toward(a, 1)];
        beside.into_iter().map(|place| self.aim(place, self.blast_or_look(place), 0)).collect()
    }

    /// Dynamite, where all eight cells around are known.
    fn blast_or_look(&self, place: Point) -> Command {
        let known = place.around().all(|cell| !self.map.is_unknown(cell));
        if known { Command::Dynamite } else { Command::LookAround }
    }

    /// Places beside a wall that encloses the player.
    fn blast_aims(&self, wall: &Contour) -> Vec<Aim> {
        let mut aims = Vec::new();
        for (a, b, heading) in wall.pieces() {
            let (low, high) = (a.min(b), a.max(b));
            let nearest =
                Point::new(self.at.x.clamp(low.x, high.x), self.at.y.clamp(low.y, high.y));
            let place = nearest.toward(wall.our_side(heading), 1);
            if !self.map.is_wall(place) {
                aims.push(self.aim(place, self.blast_or_look(place), 0));
            }
        }
        aims
    }

    /// Looks further along walls that may enclose the player.
    fn wall_aims(&self) -> Vec<Aim> {
        let mut aims = Vec::new();
        for wall in &self.walls {
            let handicap = self.handicap(wall);
            for end in &wall.ends {
                if let End::Open(cell, heading) = *end {
                    let looks = self.looks_along(wall, cell, heading);
                    aims.extend(looks.into_iter().map(|(place, command, again)| {
                        let aim = self.aim(place, command, handicap + strip_price(again));
                        Aim { wall: Some(cell), ..aim }
                    }));
                }
            }
        }
        aims
    }

    /// How much less promising a wall is, in oxygen.
    fn handicap(&self, wall: &Contour) -> i64 {
        let length = i64::from(wall.length().max(MIN_REACH));
        let factor = match wall.turning - wall.ends_away() {
            _ if wall.is_obstacle() => HANDICAP_OBSTACLE,
            0.. => 0,
            -1 => HANDICAP_ONE_AWAY,
            _ => HANDICAP_AWAY,
        };
        let is_other = self.followed.is_some_and(|cell| !wall.passes(cell));
        let other = if is_other { HANDICAP_OTHER * i64::from(self.scale()) } else { 0 };
        factor * length + other
    }

    /// Looks that show how a wall goes on from its end, which comes to a cell in a direction: from
    /// where, the command, and how many cells ahead are shown again.
    fn looks_along(
        &self,
        wall: &Contour,
        cell: Point,
        heading: Heading,
    ) -> Vec<(Point, Command, i32)> {
        let reach = self.reach_along(wall, cell);
        let unknown = cell.toward(heading, 1);
        let mut looks = Vec::new();
        if let Some(ahead) = self.sees_from_here(unknown, heading) {
            looks.push((self.at, Command::Look(heading, (ahead + reach) as u32), ahead));
        }
        let mut beside = Vec::new();
        for side in [heading.left(), heading.right()] {
            for (place, back) in [(cell.toward(side, 1), 1), (unknown.toward(side, 1), 0)] {
                beside.push((place, Command::Look(heading, (reach + back) as u32), 0));
            }
        }
        beside.retain(|look| self.map.is_free(look.0));
        if beside.is_empty() {
            let near = cell.around().filter(|&place| self.map.is_free(place));
            beside.extend(near.map(|place| (place, Command::LookAround, 0)));
        }
        looks.extend(beside);
        looks
    }

    /// How far to look along a wall from its end.
    fn reach_along(&self, wall: &Contour, end: Point) -> i32 {
        let last = wall.pieces().filter(|(a, b, _)| *a == end || *b == end);
        let straight = last.map(|(a, b, _)| a.distance(b)).max().unwrap_or(0);
        let far = STRAIGHT_FACTOR.saturating_mul(straight).min(MAX_REACH);
        MIN_REACH.max(self.scale() / SCALE_PARTS).max(far)
    }

    /// How far ahead a cell is that a look from here in this direction would show at its side.
    fn sees_from_here(&self, cell: Point, heading: Heading) -> Option<i32> {
        let (dx, dy) = (cell.x - self.at.x, cell.y - self.at.y);
        let ahead = dx * heading.dx() + dy * heading.dy();
        let aside = dx * heading.dy() + dy * heading.dx();
        let clear = || self.map.free_ahead(self.at, heading, ahead - 1) == ahead - 1;
        (aside.abs() == 1 && ahead > 0 && clear()).then_some(ahead)
    }

    /// Looks into the dark: from here, and from just beyond all walls that are settled.
    fn dark_aims(&self) -> Vec<Aim> {
        let scale = self.scale();
        let handicap = DARK_HANDICAP * i64::from(scale);
        let mut aims = Vec::new();
        for heading in Heading::ALL {
            let free = self.map.free_ahead(self.at, heading, i32::MAX / 4);
            let end = self.at.toward(heading, free + 1);
            if self.map.is_unknown(end) {
                let reach = (free + MIN_REACH.max(DARK_FACTOR * free)) as u32;
                let within = self.walls.iter().any(|wall| wall.is_obstacle() && boxed(wall, end));
                let doubt = if within { DARK_DOUBT * i64::from(scale) } else { 0 };
                aims.push(self.aim(
                    self.at,
                    Command::Look(heading, reach),
                    handicap + doubt + strip_price(free),
                ));
            }
            let settled = self.walls.iter().filter(|wall| wall.is_obstacle());
            let corners = settled.flat_map(|wall| wall.corners.iter().copied());
            let extreme = corners.max_by_key(|p| p.x * heading.dx() + p.y * heading.dy());
            if let Some(extreme) = extreme {
                let place = extreme.toward(heading, 1);
                let reach = MIN_REACH.max(scale) as u32;
                let free = self.map.free_ahead(place, heading, i32::MAX / 4);
                let end = place.toward(heading, free);
                if self.map.is_unknown(end.toward(heading, 1)) {
                    aims.push(self.aim(end, Command::Look(heading, reach), handicap));
                }
            }
        }
        aims
    }

    /// The extent of what is known, in cells.
    fn scale(&self) -> i32 {
        let corners = self.walls.iter().flat_map(|wall| wall.corners.iter());
        let (low, high) = corners.fold((self.at, self.at), |(low, high), p| {
            (
                Point::new(low.x.min(p.x), low.y.min(p.y)),
                Point::new(high.x.max(p.x), high.y.max(p.y)),
            )
        });
        (high.x - low.x).max(high.y - low.y).max(1)
    }
}

/// Oxygen for being shown a strip of `cells` cells again.
fn strip_price(cells: i32) -> i64 {
    3 * i64::from(cells) * i64::from(LOOK_OXYGEN)
}

/// Whether a cell lies within the smallest box around a wall.
fn boxed(wall: &Contour, cell: Point) -> bool {
    let xs = wall.corners.iter().map(|p| p.x);
    let ys = wall.corners.iter().map(|p| p.y);
    let within = |least: Option<i32>, most: Option<i32>, at: i32| {
        least.is_some_and(|least| least <= at) && most.is_some_and(|most| at <= most)
    };
    within(xs.clone().min(), xs.max(), cell.x) && within(ys.clone().min(), ys.max(), cell.y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::labyrinth::format::protocol::Readings;
    use crate::games::labyrinth::format::{MAX_COMMANDS, MAX_OXYGEN};
    use crate::games::labyrinth::format::{Maze, read_mazes};
    use crate::games::labyrinth::generate::{CLASSES, SHAPES, make};
    use crate::games::labyrinth::rules::Game;

    /// Plays a game under the reference rules, to the exit.
    fn play(maze: &Maze, readings: Readings, name: &str) -> Game {
        let mut game = Game::new(maze, readings);
        let mut explorer = Explorer::new(maze.sticks);
        while !game.won {
            let command = explorer.command();
            let reply = game.act(command);
            let reply = reply.unwrap_or_else(|v| panic!("{name}, {readings:?}: {command}: {v}"));
            explorer.hear(&reply);
        }
        game
    }

    #[test]
    fn every_class_and_shape_is_won_under_every_reading() {
        for (i, class) in CLASSES.iter().enumerate() {
            for (j, shape) in SHAPES.iter().enumerate() {
                let seed = (10 * i + j) as u64;
                let maze = make(class, shape, None, seed).unwrap();
                let name = format!("class {} {shape} {seed}", class.name);
                let wide = class.side > 500;
                for (k, readings) in
                    Readings::all().enumerate().filter(|(k, _)| !wide || k % 5 == 0)
                {
                    let game = play(&maze, readings, &name);
                    if class.rings {
                        assert_eq!(game.sticks, 0, "{name}");
                        let half =
                            game.commands <= MAX_COMMANDS / 2 && game.oxygen <= MAX_OXYGEN / 2;
                        assert!(half, "{name}, reading {k}");
                    }
                }
            }
        }
    }

    #[test]
    fn dynamite_that_is_not_needed_is_not_used() {
        for seed in 0..6 {
            let mut maze = make(&CLASSES[2], "", None, seed).unwrap();
            maze.sticks = 3;
            let game = play(&maze, Readings::default(), &format!("seed {seed}"));
            assert_eq!(game.sticks, 3, "seed {seed}");
        }
    }

    #[test]
    fn an_exit_in_the_corner_is_blasted_free_without_harm_to_it() {
        let corner = "1\n4 0 0 7 7 1\n0 0 20 0\n0 20 20 20\n0 0 0 20\n20 0 20 20\n";
        let maze = &read_mazes(&crate::diagnostic::Source::new("corner", corner)).unwrap()[0];
        for readings in Readings::all() {
            assert_eq!(play(maze, readings, "corner").sticks, 0);
        }
    }

    #[test]
    fn a_game_that_cannot_be_won_ends() {
        let mut maze = make(CLASSES.last().unwrap(), "box", Some(1), 5).unwrap();
        maze.sticks = 0;
        let mut game = Game::new(&maze, Readings::default());
        let mut explorer = Explorer::new(0);
        while let Ok(reply) = game.act(explorer.command()) {
            explorer.hear(&reply);
        }
        assert!(!game.won && game.commands < MAX_COMMANDS);
    }
}
