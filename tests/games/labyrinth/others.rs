//! Labyrinths as others would draw them: the explorer wins them all, under every reading, within
//! half of each limit. Drawn here by other means than the project's generator.

use outwit::games::labyrinth::explorer::Explorer;
use outwit::games::labyrinth::format::protocol::{Point, Readings, Reply};
use outwit::games::labyrinth::format::{MAX_COMMANDS, MAX_OXYGEN};
use outwit::games::labyrinth::format::{Maze, Segment, check, text};
use outwit::games::labyrinth::planner::solve_under;
use outwit::games::labyrinth::state::State;
use outwit::search::{Run, Verdict};
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeMap, BTreeSet};

type Square = (i32, i32);
const STEPS: [Square; 4] = [(0, -1), (1, 0), (0, 1), (-1, 0)];

/// The wall through these corners.
fn wall(corners: &[(i32, i32)], closed: bool) -> Vec<Segment> {
    let points: Vec<Point> = corners.iter().map(|&(x, y)| Point::new(x, y)).collect();
    let count = if closed { points.len() } else { points.len() - 1 };
    let ends = points.iter().zip(points.iter().cycle().skip(1)).take(count);
    ends.map(|(&a, &b)| Segment::between(a, b)).collect()
}

fn rectangle(x: i32, y: i32, width: i32, height: i32) -> Vec<Segment> {
    wall(&[(x, y), (x + width, y), (x + width, y + height), (x, y + height)], true)
}

/// The border of a set of squares `pitch` cells wide: edges joined into straight pieces.
fn outline(squares: &BTreeSet<Square>, pitch: i32) -> Vec<Segment> {
    let mut edges: BTreeMap<(bool, i32), Vec<i32>> = BTreeMap::new();
    for &(c, r) in squares {
        for (dc, dr) in STEPS {
            if !squares.contains(&(c + dc, r + dr)) {
                let (flat, line, at) = if dr == 0 {
                    (false, c + i32::from(dc > 0), r)
                } else {
                    (true, r + i32::from(dr > 0), c)
                };
                edges.entry((flat, line)).or_default().push(at);
            }
        }
    }
    let mut segments = Vec::new();
    for ((flat, line), mut places) in edges {
        places.sort_unstable();
        for run in places.chunk_by(|a, b| a + 1 == *b) {
            let (from, to, line) = (run[0] * pitch, (run[run.len() - 1] + 1) * pitch, line * pitch);
            segments.push(if flat {
                Segment::between(Point::new(from, line), Point::new(to, line))
            } else {
                Segment::between(Point::new(line, from), Point::new(line, to))
            });
        }
    }
    segments
}

/// A labyrinth in the squares, with the exit anywhere on its wall, corners included.
fn inside(squares: &BTreeSet<Square>, pitch: i32, rng: &mut impl Rng) -> Maze {
    let segments = outline(squares, pitch);
    let exit = anywhere(&segments, rng);
    let homes: Vec<Square> = squares.iter().copied().collect();
    let &(c, r) = homes.choose(rng).unwrap();
    let mut within = || rng.random_range(1..pitch);
    let player = Point::new(c * pitch + within(), r * pitch + within());
    Maze { exit, player, sticks: 0, segments }
}

fn anywhere(segments: &[Segment], rng: &mut impl Rng) -> Point {
    let segment = segments.choose(rng).unwrap();
    segment.cells().nth(rng.random_range(0..segment.length())).unwrap()
}

/// Narrow corridors that branch: a random tree.
fn tree(rng: &mut impl Rng) -> Maze {
    let rooms = rng.random_range(2..9);
    let mut squares = BTreeSet::from([(0, 0)]);
    let mut path = vec![(0, 0)];
    while let Some(&(c, r)) = path.last() {
        let fits = |n: i32| (0..2 * rooms).contains(&n);
        let ways: Vec<Square> = STEPS
            .into_iter()
            .filter(|&(dc, dr)| {
                let next = (c + 2 * dc, r + 2 * dr);
                fits(next.0) && fits(next.1) && !squares.contains(&next)
            })
            .collect();
        let Some(&(dc, dr)) = ways.choose(rng) else {
            path.pop();
            continue;
        };
        squares.extend([(c + dc, r + dr), (c + 2 * dc, r + 2 * dr)]);
        path.push((c + 2 * dc, r + 2 * dr));
    }
    let pitch = *[2, 3, 40, 700].choose(rng).unwrap();
    inside(&squares, pitch, rng)
}

/// A spine with long teeth; the exit may be deep in a fjord.
fn comb(rng: &mut impl Rng) -> Maze {
    let teeth = rng.random_range(2..60);
    let mut squares: BTreeSet<Square> = (0..2 * teeth - 1).map(|c| (c, 0)).collect();
    for tooth in 0..teeth {
        let depth = rng.random_range(1..60);
        squares.extend((1..=depth).map(|r| (2 * tooth, r)));
        if rng.random_bool(0.5) {
            squares.extend((1..=rng.random_range(1..60)).map(|r| (2 * tooth, -r)));
        }
    }
    let pitch = *[2, 5, 30].choose(rng).unwrap();
    inside(&squares, pitch, rng)
}

/// A corridor that winds inward.
fn spiral(rng: &mut impl Rng) -> Maze {
    let turns = rng.random_range(1..30);
    let mut squares = BTreeSet::from([(0, 0)]);
    let mut at = (0, 0);
    for leg in 0..turns {
        let (dc, dr) = STEPS[leg % 4];
        for _ in 0..2 * (leg as i32 / 2 + 1) {
            at = (at.0 + dc, at.1 + dr);
            squares.insert(at);
        }
    }
    let pitch = *[2, 4, 100].choose(rng).unwrap();
    inside(&squares, pitch, rng)
}

/// A hall with parallel walls from end to end, one cell apart or more.
fn stripes(rng: &mut impl Rng) -> Maze {
    let (gap, count, height) =
        (rng.random_range(2..6), rng.random_range(1..100), rng.random_range(8..900));
    let mut segments = rectangle(0, 0, gap * (count + 1), height);
    let exit = anywhere(&segments, rng);
    for i in 1..=count {
        let (top, bottom) = (rng.random_range(2..4), rng.random_range(2..4));
        segments.extend(wall(&[(i * gap, top), (i * gap, height - bottom)], false));
    }
    Maze { exit, player: Point::new(1, height / 2), sticks: 0, segments }
}

/// A hall strewn with single cells, blocks of four, small loops and hooks.
fn crumbs(rng: &mut impl Rng) -> Maze {
    let (cols, rows, pitch) =
        (rng.random_range(1..11), rng.random_range(1..11), *[8, 9, 300].choose(rng).unwrap());
    let mut segments = rectangle(-2, -2, cols * pitch + 2, rows * pitch + 2);
    let exit = anywhere(&segments, rng);
    for c in 0..cols {
        for r in 0..rows {
            let (x, y) = (c * pitch + 1, r * pitch + 1);
            segments.extend(match rng.random_range(0..6) {
                0 => wall(&[(x, y), (x, y)], false),
                1 => wall(&[(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)], true),
                2 => rectangle(x, y, 2, 2),
                3 => rectangle(x, y, 3, 4),
                4 => wall(&[(x, y), (x + 4, y), (x + 4, y + 3), (x + 2, y + 3)], false),
                _ => wall(&[(x + 2, y), (x, y), (x, y + 4), (x + 4, y + 4), (x + 4, y)], false),
            });
        }
    }
    Maze { exit, player: Point::new(-1, -1), sticks: 0, segments }
}

/// Walls with a bay round the player, each within the next; some have a gap of one cell and need
/// no dynamite. Beside them a loop that holds others, which the player is outside of.
fn shells(rng: &mut impl Rng) -> Maze {
    let unit = *[1, 7, 150].choose(rng).unwrap();
    let count = rng.random_range(1..8);
    let at = |x: i32, y: i32| (x * unit, y * unit);
    let (mut segments, mut sticks) = (Vec::new(), 0);
    for i in 0..count {
        // The bay reaches inward from the north, past the next shell's bay.
        let (far, deep) = (20 + 4 * i, 6 + 2 * i);
        let mut corners = vec![
            at(-deep / 2, -far),
            at(-deep / 2, 2 - deep),
            at(deep / 2, 2 - deep),
            at(deep / 2, -far),
            at(far, -far),
            at(far, far),
            at(-far, far),
            at(-far, -far),
        ];
        if i > 0 {
            corners = vec![at(-far, -far), at(far, -far), at(far, far), at(-far, far)];
        }
        if rng.random_bool(0.3) {
            // A gap in the western side.
            let (a, b) = (corners[corners.len() - 2], corners[corners.len() - 1]);
            let (a, b) = if i > 0 { (corners[3], corners[0]) } else { (a, b) };
            let hole = rng.random_range(b.1.min(a.1) + 2..b.1.max(a.1) - 2);
            let mut open = vec![(a.0, hole - 1)];
            let first = if i > 0 { 0 } else { corners.len() - 1 };
            open.extend((0..corners.len()).map(|k| corners[(first + k) % corners.len()]));
            open.push((a.0, hole + 1));
            segments.extend(wall(&open, false));
        } else {
            segments.extend(wall(&corners, true));
            sticks += 1;
        }
    }
    let side = 60 * unit;
    let outer = wall(
        &[
            (-side, -side),
            (2 * side, -side),
            (2 * side, side / 2),
            (side, side / 2),
            (side, side),
            (-side, side),
        ],
        true,
    );
    let exit = anywhere(&outer, rng);
    segments.extend(outer);
    for inset in [0, 3, 6] {
        let (x, y, size) = (65 * unit + inset, inset - 50 * unit, 20 * unit - 2 * inset);
        segments.extend(rectangle(x, y, size, size));
    }
    segments.retain(|s| s.length() > 0);
    Maze { exit, player: Point::new(0, 10 * unit), sticks, segments }
}

/// A hall as long as the board is, and hardly higher than a man.
fn alley(rng: &mut impl Rng) -> Maze {
    let (length, height) = (rng.random_range(30..49_999), rng.random_range(2..12));
    let segments = rectangle(0, 0, length, height);
    let exit = anywhere(&segments, rng);
    let player = Point::new(rng.random_range(1..length), rng.random_range(1..height));
    let turn = rng.random_bool(0.5);
    let flip = |p: Point| if turn { Point::new(p.y, p.x) } else { p };
    let segments = segments.iter().map(|s| Segment::between(flip(s.from), flip(s.to))).collect();
    Maze { exit: flip(exit), player: flip(player), sticks: 0, segments }
}

/// Plays a game; what is wrong with how it went.
fn fault(maze: &Maze, readings: Readings) -> Option<String> {
    let mut state = State::new(maze, readings);
    let mut explorer = Explorer::new(maze.sticks);
    loop {
        let command = explorer.command();
        match state.act(command) {
            Err(violation) => return Some(format!("{command}: {violation}")),
            Ok(Reply::Found) => break,
            Ok(reply) => explorer.hear(&reply),
        }
    }
    if let Some(cell) = explorer.contradiction() {
        return Some(format!("a contradiction is seen at {cell}, where there is none"));
    }
    let within = state.commands() <= MAX_COMMANDS / 2 && state.oxygen() <= MAX_OXYGEN / 2;
    (!within).then(|| format!("{} commands, {} oxygen", state.commands(), state.oxygen()))
}

/// Plays `count` labyrinths of a kind that are legal and can be won.
fn all_are_won(name: &str, count: u32, draw: impl Fn(&mut ChaCha8Rng) -> Maze) {
    let mut played = 0;
    for seed in 0..10 * u64::from(count) {
        let mut maze = draw(&mut ChaCha8Rng::seed_from_u64(seed));
        // A plan that lights no stick beside the exit wins under every reading.
        let careful = Readings { exit_survives: false, ..Readings::default() };
        let budget = Run::seconds(60.0);
        let can_be_won = |maze: &Maze| {
            check(maze).is_ok() && solve_under(maze, careful, &budget).verdict == Verdict::Optimal
        };
        if !can_be_won(&maze) {
            // An exit at a corner may need a stick.
            maze.sticks += 1;
            if !can_be_won(&maze) {
                continue;
            }
        }
        for spare in [0, 2] {
            maze.sticks += spare;
            for readings in Readings::all() {
                if let Some(fault) = fault(&maze, readings) {
                    panic!("{name}, seed {seed}, {readings:?}: {fault}\n{}", text(&[maze]));
                }
            }
        }
        played += 1;
        if played == count {
            return;
        }
    }
    panic!("{name}: only {played} labyrinths were legal");
}

#[test]
fn trees_are_won() {
    all_are_won("tree", 30, tree);
}

#[test]
fn combs_are_won() {
    all_are_won("comb", 12, comb);
}

#[test]
fn spirals_are_won() {
    all_are_won("spiral", 30, spiral);
}

#[test]
fn stripes_are_won() {
    all_are_won("stripes", 30, stripes);
}

#[test]
fn crumbs_are_won() {
    all_are_won("crumbs", 30, crumbs);
}

#[test]
fn shells_are_won() {
    all_are_won("shells", 20, shells);
}

#[test]
fn alleys_are_won() {
    all_are_won("alley", 30, alley);
}
