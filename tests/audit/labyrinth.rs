//! Labyrinth: boards of at most 25 by 25 cells, with the odd corners of the rules in them.
//!
//! Plain search walks single cells and lights sticks anywhere, inside and outside. Looking never
//! helps who has the map.

use super::{Case, Question, Rules, Tally, Truth, is_part, plain_search, rng, seeds, stray};
use outwit::diagnostic::Source;
use outwit::games::labyrinth::format::BLAST_OXYGEN;
use outwit::games::labyrinth::format::protocol::{Command, Heading, Point, Readings};
use outwit::games::labyrinth::format::{Maze, Segment, check, text, transcript};
use outwit::games::labyrinth::planner::solve_under;
use outwit::games::labyrinth::rules::Game as Reference;
use outwit::games::{Area, GameId};
use outwit::search::{Run, Verdict};
use outwit::verify::verify;
use rand::prelude::*;
use std::collections::BTreeSet;

/// Boards that are drawn.
const DRAWN: u64 = 1_600;
/// How often a thing is tried at random places before it is left out.
const TRIES: u32 = 20;
/// States that plain search may expand.
const MOST_STATES: usize = 60_000;
/// How far beyond the walls plain search goes, in cells. Nothing is gained farther out, where all
/// is free.
const MARGIN: i32 = 2;

/// A game under the reference rules, on the part of the plane that matters.
#[derive(Clone)]
struct Game {
    rules: Reference,
    low: Point,
    high: Point,
}

impl Game {
    fn new(maze: &Maze, readings: Readings) -> Game {
        let (low, high) = maze.corners();
        let low = Point::new(low.x - MARGIN, low.y - MARGIN);
        let high = Point::new(high.x + MARGIN, high.y + MARGIN);
        Game { rules: Reference::new(maze, readings), low, high }
    }
}

impl Rules for Game {
    type Action = Command;
    type Key = (Point, u32, Vec<Point>);

    fn key(&self) -> Self::Key {
        (self.rules.player, self.rules.sticks, self.rules.opened())
    }

    fn actions(&self) -> Vec<Command> {
        let walks = Heading::ALL.map(|heading| Command::Walk(heading, 1));
        walks.into_iter().chain([Command::Dynamite]).collect()
    }

    fn act(&mut self, command: Command) -> Option<u64> {
        let before = self.rules.oxygen;
        self.rules.act(command).ok()?;
        let Point { x, y } = self.rules.player;
        let is_near =
            (self.low.x..=self.high.x).contains(&x) && (self.low.y..=self.high.y).contains(&y);
        is_near.then(|| u64::from(self.rules.oxygen - before))
    }

    fn is_won(&self) -> bool {
        self.rules.won
    }

    fn plan_text(plan: &[Command]) -> String {
        transcript(plan)
    }
}

/// A square between lattice lines: column and row.
type Square = (usize, usize);

/// A board that is drawn wall by wall.
struct Drawing {
    maze: Maze,
    /// Pieces of the outer wall: the first ones.
    outer: usize,
    /// The corners of the outer wall that point outward.
    convex: Vec<Point>,
    /// Those that point inward.
    concave: Vec<Point>,
}

/// Lattice lines at least two cells apart.
fn lines(gaps: &[i32], rng: &mut impl Rng) -> Vec<i32> {
    let mut lines = vec![0];
    for _ in 0..rng.random_range(1..=3) {
        lines.push(lines[lines.len() - 1] + gaps.choose(rng).expect("gaps"));
    }
    lines
}

/// Some squares of a lattice, grown from one of them.
fn region(cols: usize, rows: usize, rng: &mut impl Rng) -> BTreeSet<Square> {
    let mut region = BTreeSet::from([(rng.random_range(0..cols), rng.random_range(0..rows))]);
    for _ in 0..rng.random_range(0..cols * rows + 2) {
        let &(c, r) = region.iter().choose(rng).expect("a square");
        let beside = [(c + 1, r), (c, r + 1), (c.wrapping_sub(1), r), (c, r.wrapping_sub(1))];
        region.extend(beside.into_iter().filter(|&(c, r)| c < cols && r < rows).choose(rng));
    }
    region
}

/// The wall round a region, an edge of a square at a time.
fn border(region: &BTreeSet<Square>, xs: &[i32], ys: &[i32]) -> Vec<Segment> {
    let is_in = |c: usize, r: usize| region.contains(&(c, r));
    let mut edges = Vec::new();
    for &(c, r) in region {
        let corner = |dc: usize, dr: usize| Point::new(xs[c + dc], ys[r + dr]);
        let sides = [
            (is_in(c, r.wrapping_sub(1)), corner(0, 0), corner(1, 0)),
            (is_in(c, r + 1), corner(0, 1), corner(1, 1)),
            (is_in(c.wrapping_sub(1), r), corner(0, 0), corner(0, 1)),
            (is_in(c + 1, r), corner(1, 0), corner(1, 1)),
        ];
        let open = sides.into_iter().filter(|&(joined, _, _)| !joined);
        edges.extend(open.map(|(_, from, to)| Segment::between(from, to)));
    }
    edges
}

/// The corners of the wall round a region that this many of its squares lie round: 1 where the
/// corner points outward, 3 where it points inward.
fn corners(region: &BTreeSet<Square>, xs: &[i32], ys: &[i32], squares: usize) -> Vec<Point> {
    let around = |c: usize, r: usize| {
        let (left, above) = (c.wrapping_sub(1), r.wrapping_sub(1));
        let around = [(left, above), (c, above), (left, r), (c, r)];
        around.iter().filter(|square| region.contains(square)).count()
    };
    let places = (0..xs.len()).flat_map(|c| (0..ys.len()).map(move |r| (c, r)));
    let corners = places.filter(|&(c, r)| around(c, r) == squares);
    corners.map(|(c, r)| Point::new(xs[c], ys[r])).collect()
}

impl Drawing {
    fn new(rng: &mut impl Rng) -> Drawing {
        let [narrow, uneven, wide] = [&[2, 2, 3, 4][..], &[2, 3, 7], &[6, 7, 8]];
        let gaps = *[narrow, uneven, wide].choose(rng).expect("gaps");
        let (xs, ys) = (lines(gaps, rng), lines(gaps, rng));
        let region = region(xs.len() - 1, ys.len() - 1, rng);
        let segments = border(&region, &xs, &ys);
        let [convex, concave] = [1, 3].map(|squares| corners(&region, &xs, &ys, squares));
        let mut anywhere = || segments.choose(rng).expect("walls").cells().choose(rng);
        let somewhere = anywhere().expect("cells");
        let exit = match rng.random_range(0..3) {
            0 => convex.choose(rng).copied(),
            1 => concave.choose(rng).copied(),
            _ => None,
        };
        let exit = exit.unwrap_or(somewhere);
        let sticks = *[0, 0, 0, 1, 1, 1, 2, 2].choose(rng).expect("numbers");
        let outer = segments.len();
        let maze = Maze { exit, player: exit, sticks, segments };
        let mut drawing = Drawing { maze, outer, convex, concave };
        drawing.place_player(rng);
        drawing
    }

    /// The player inside, where that is hit upon; often near the exit.
    fn place_player(&mut self, rng: &mut impl Rng) {
        let exit = self.maze.exit;
        let is_near = rng.random_bool(0.4);
        for _ in 0..TRIES {
            self.maze.player = if is_near {
                Point::new(exit.x + rng.random_range(-1..=1), exit.y + rng.random_range(-1..=1))
            } else {
                self.point(rng)
            };
            if check(&self.maze).is_ok() {
                return;
            }
        }
    }

    fn point(&self, rng: &mut impl Rng) -> Point {
        let (low, high) = self.maze.corners();
        Point::new(rng.random_range(low.x..=high.x), rng.random_range(low.y..=high.y))
    }

    /// Adds walls, and puts the player here, where the board stays legal.
    fn add(&mut self, walls: &[Segment], player: Point) -> bool {
        let mut more = Maze { player, ..self.maze.clone() };
        more.segments.extend(walls);
        let fits = check(&more).is_ok();
        if fits {
            self.maze = more;
        }
        fits
    }

    /// An open strip of one or two straight pieces.
    fn strip(&mut self, rng: &mut impl Rng) -> bool {
        let start = self.point(rng);
        let &heading = Heading::ALL.choose(rng).expect("headings");
        let bend = start.toward(heading, rng.random_range(0..=4));
        let turned = if rng.random_bool(0.5) { heading.left() } else { heading.right() };
        let end = bend.toward(turned, rng.random_range(0..=3));
        let pieces = [Segment::between(start, bend), Segment::between(bend, end)];
        self.add(&pieces, self.maze.player)
    }

    /// A closed wall, often with the player inside.
    fn ring(&mut self, rng: &mut impl Rng) -> bool {
        let home = self.point(rng);
        let mut reach = || *[1, 1, 1, 2, 3].choose(rng).expect("reaches");
        let low = Point::new(home.x - reach(), home.y - reach());
        let high = Point::new(home.x + reach(), home.y + reach());
        let (right, left) = (Point::new(high.x, low.y), Point::new(low.x, high.y));
        let sides = [(low, right), (left, high), (low, left), (right, high)];
        let player = if rng.random_bool(0.7) { home } else { self.maze.player };
        self.add(&sides.map(|(a, b)| Segment::between(a, b)), player)
    }
}

fn draw(rng: &mut impl Rng) -> Drawing {
    let mut drawing = Drawing::new(rng);
    for _ in 0..rng.random_range(0..4) {
        let is_strip = rng.random_bool(0.5);
        let mut fits = || if is_strip { drawing.strip(rng) } else { drawing.ring(rng) };
        let _ = (0..TRIES).any(|_| fits());
    }
    drawing
}

/// How many boards have what once went wrong, or might.
#[derive(Debug, Default)]
struct Oddities {
    /// The exit is in a corner that points outward: only dynamite opens it from inside.
    convex: u64,
    /// The exit is in a corner that points inward.
    concave: u64,
    /// The player stands diagonally beside the exit.
    diagonal: u64,
    /// The player stands beside the exit.
    beside: u64,
    /// Walls other than the outer one.
    inner: u64,
    /// A cheapest plan takes two sticks.
    two: u64,
    /// It makes a difference whether the exit survives dynamite.
    readings: u64,
    /// Boards by sticks.
    sticks: [u64; 3],
}

impl Oddities {
    fn count(&mut self, drawing: &Drawing, least: Option<u64>) {
        let Maze { exit, player, sticks, segments } = &drawing.maze;
        let (dx, dy) = ((exit.x - player.x).abs(), (exit.y - player.y).abs());
        self.diagonal += u64::from((dx, dy) == (1, 1));
        self.beside += u64::from(dx + dy == 1);
        self.sticks[*sticks as usize] += 1;
        self.inner += u64::from(segments.len() > drawing.outer);
        self.convex += u64::from(drawing.convex.contains(exit));
        self.concave += u64::from(drawing.concave.contains(exit));
        self.two += u64::from(least.is_some_and(|least| least >= 2 * u64::from(BLAST_OXYGEN)));
    }

    fn report(&self) {
        println!("labyrinth: {self:?}");
        let counts = [self.convex, self.concave, self.diagonal, self.beside, self.inner];
        let are_frequent = counts.into_iter().chain(self.sticks).all(|count| count >= 30);
        assert!(are_frequent || is_part(), "{self:?}");
        assert!(is_part() || self.readings >= 20 && self.two >= 10, "{self:?}");
    }
}

/// Compares the planner with plain search where the exit does not survive, and holds it to plans
/// that win under every reading where they cost no more.
fn audit_careful(case: &Case, maze: &Maze, oddities: &mut Oddities) {
    let careful = Readings { exit_survives: false, ..Readings::default() };
    let truth = plain_search(&Game::new(maze, careful), MOST_STATES);
    if matches!(truth, Truth::TooLarge) {
        return;
    }
    let (least, seed) = (truth.least(), case.seed);
    let outcome = solve_under(maze, careful, &Run::seconds(600.0));
    let expected = if least.is_some() { Verdict::Optimal } else { Verdict::Impossible };
    let text = text(std::slice::from_ref(maze));
    assert_eq!(outcome.verdict, expected, "seed {seed}, careful, {least:?}\n{text}");
    assert_eq!(outcome.plan.map(|_| outcome.cost), least, "seed {seed}, careful\n{text}");
    oddities.readings += u64::from(least != case.least());
    let bold = solve_under(maze, Readings::default(), &Run::seconds(600.0)).plan;
    if let Some(bold) = bold {
        let holds = is_robust(case.area, &transcript(&bold));
        assert_eq!(holds, least == case.least(), "seed {seed}: {bold:?}\n{text}");
    }
}

/// What a replay says of the readings.
fn is_robust(area: &dyn Area, plan: &str) -> bool {
    let valid = verify(area, &Source::new("plan", plan)).expect("a valid plan");
    let fact = valid.validation().facts.iter().find(|fact| fact.name == "robust");
    fact.expect("a fact").value == *"yes"
}

/// Compares what a replay says of the readings with one replay under each.
fn audit_robust(case: &Case, maze: &Maze, plan: &[Command]) {
    let wins = |readings: Readings| {
        let mut game = Reference::new(maze, readings);
        plan.iter().all(|&command| game.act(command).is_ok()) && game.won
    };
    let robust = Readings::all().all(wins);
    assert_eq!(is_robust(case.area, &transcript(plan)), robust, "seed {}: {plan:?}", case.seed);
}

#[test]
fn every_claim_holds_against_plain_search() {
    let (mut tally, mut oddities) = (Tally::default(), Oddities::default());
    for seed in seeds(DRAWN) {
        let rng = &mut rng(seed);
        let drawing = draw(rng);
        let maze = &drawing.maze;
        let text = text(std::slice::from_ref(maze));
        let Some(area) = tally.read(GameId::Labyrinth, seed, &text) else { continue };
        let start = Game::new(maze, Readings::default());
        let truth = plain_search(&start, MOST_STATES);
        if !tally.count(&truth) {
            continue;
        }
        let least = truth.least();
        oddities.count(&drawing, least);
        let case = Case { area: &*area, seed, questions: Question::both(least) };
        case.audit_solve(&mut tally);
        if maze.sticks > 0 {
            audit_careful(&case, maze, &mut oddities);
        }
        if let Truth::Least(shortest, _) = truth {
            let stray = stray(&start, MOST_STATES, rng);
            if let Some(least) = stray.least() {
                let case = Case { questions: Question::both(least), ..case };
                case.audit_position(&transcript(&stray.begun), &mut tally);
            }
            for plan in [Some(shortest), stray.plan()].into_iter().flatten() {
                case.audit_improve(&transcript(&plan), &mut tally);
                audit_robust(&case, maze, &plan);
            }
        }
    }
    tally.report(GameId::Labyrinth);
    oddities.report();
}
