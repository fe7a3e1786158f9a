//! Chains: corridors three squares wide whose middle is a line of targets with boxes on all but the last.
//!
//! The one box that is on no target stands before the first of them. None of a straight piece can be pushed
//! along it, since a box is where the player would have to stand. Pushed aside a box slides along the wall to
//! a corner, a crossing or a room. So piece after piece has to be unpacked into what room there is, moved
//! on by one, and packed again. A straight piece that is too long for the corners and rooms around it
//! makes the level impossible.

use crate::board::{BitBoard, Cell, Direction, ORTHOGONAL, Shape};
use crate::games::sokoban::format::draw;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Forms of the middle of the corridor, as the option names them.
pub(super) const FORMS: &[&str] = &["line", "ring", "spiral", "crossing"];

/// Squares of the shortest straight piece: corridors side by side have a wall between them.
const SHORTEST_PIECE: i32 = 4;
/// Squares of the corridor beyond each end of a chain.
const BEYOND: i32 = 2;
/// Squares of the corridor that leads to a ring, from its middle on.
const WAY_TO_RING: i32 = 4;
/// Places that are tried for rooms.
const ROOM_TRIES: usize = 60;
/// Squares on each side of a room, and from the middle of the corridor to the rock behind it, which belong to
/// no other corridor.
const ROCK: (i32, i32) = (2, 5);

/// The options of a chain.
pub(super) struct Wanted {
    /// One of [`FORMS`].
    pub(super) form: &'static str,
    pub(super) boxes: usize,
    /// Corners of a line.
    pub(super) corners: usize,
    pub(super) rooms: usize,
}

/// A row and a column, before the board has its place.
type Point = (i32, i32);

/// The point that is `steps` steps from another in a direction.
fn ahead((row, col): Point, direction: Direction, steps: i32) -> Point {
    (row + steps * direction.drow(), col + steps * direction.dcol())
}

/// The middle of a corridor.
struct Middle {
    /// The targets. The last has no box.
    targets: Vec<Point>,
    /// The corridor beyond them.
    beyond: Vec<Point>,
    /// Where the box that is on no target stands, and the player behind it.
    box_and_player: (Point, Point),
}

impl Middle {
    /// A chain from its first target to its last, with the directions in which it begins and ends.
    fn open(targets: Vec<Point>, (first, last): (Direction, Direction)) -> Option<Middle> {
        let (&begin, &end) = (targets.first()?, targets.last()?);
        let before = |steps: i32| ahead(begin, first, -steps);
        let beyond = (1..=BEYOND).flat_map(|steps| [before(steps), ahead(end, last, steps)]);
        let box_and_player = (before(1), before(BEYOND));
        Some(Middle { beyond: beyond.collect(), targets, box_and_player })
    }
}

/// The lengths of `count` pieces with `total` squares together, drawn; a corner is the last square of a piece.
fn lengths(total: i32, count: i32, random: &mut ChaCha8Rng) -> Option<Vec<i32>> {
    let left = total - count * SHORTEST_PIECE;
    let mut lengths = vec![SHORTEST_PIECE; count as usize];
    for _ in 0..left {
        let piece = random.random_range(0..lengths.len());
        lengths[piece] += 1;
    }
    (left >= 0).then_some(lengths)
}

/// Walks pieces of these lengths, the first to the east, and turns right or left after each. The squares, and
/// the direction of the last piece.
fn walk(lengths: &[i32], mut turns_right: impl FnMut() -> bool) -> (Vec<Point>, Direction) {
    let (mut at, mut heading) = ((0, 0), 1);
    let (mut points, mut last) = (Vec::new(), Direction::East);
    for &length in lengths {
        last = ORTHOGONAL[heading];
        points.extend((1..=length).map(|steps| ahead(at, last, steps)));
        at = ahead(at, last, length);
        heading = (heading + if turns_right() { 1 } else { 3 }) % 4;
    }
    (points, last)
}

/// Whether no two parts of a corridor run into each other: squares of its middle are as far apart as along it,
/// or have a wall between them.
fn is_apart(middle: &[Point]) -> bool {
    let is_apart = |(one, a): (usize, Point), (other, b): (usize, Point)| {
        let (rows, cols) = ((a.0 - b.0).abs(), (a.1 - b.1).abs());
        rows + cols == one.abs_diff(other) as i32 || rows.max(cols) >= SHORTEST_PIECE
    };
    let numbered = || middle.iter().copied().enumerate();
    numbered().all(|one| numbered().take(one.0).all(|other| is_apart(one, other)))
}

fn line(wanted: &Wanted, random: &mut ChaCha8Rng) -> Option<Middle> {
    let mut lengths = lengths(wanted.boxes as i32, wanted.corners as i32 + 1, random)?;
    *lengths.first_mut()? += BEYOND;
    *lengths.last_mut()? += BEYOND;
    let (corridor, last) = walk(&lengths, || random.random());
    if !is_apart(&corridor) {
        return None;
    }
    let targets = &corridor[BEYOND as usize..][..wanted.boxes];
    Middle::open(targets.to_vec(), (Direction::East, last))
}

/// A rectangle, with a corridor from outside to the middle of its first side.
fn ring(wanted: &Wanted, random: &mut ChaCha8Rng) -> Option<Middle> {
    let half = wanted.boxes as i32 / 2;
    if half < 2 * SHORTEST_PIECE {
        return None;
    }
    let width = random.random_range(SHORTEST_PIECE..=half - SHORTEST_PIECE);
    let (mut targets, _) = walk(&[width, half - width, width, half - width], || true);
    let mouth = (0, width / 2);
    let beyond = (1..=WAY_TO_RING).map(|steps| ahead(mouth, Direction::North, steps)).collect();
    // The free target is on the side that is opposite.
    let free = (half - width, width / 2);
    targets.retain(|&target| target != free);
    targets.push(free);
    let box_and_player =
        (ahead(mouth, Direction::North, BEYOND), ahead(mouth, Direction::North, WAY_TO_RING - 1));
    (wanted.boxes.is_multiple_of(2)).then_some(Middle { targets, beyond, box_and_player })
}

/// A line that turns right at each corner and gets farther from where it began; the box is at its outer end.
fn spiral(wanted: &Wanted, random: &mut ChaCha8Rng) -> Option<Middle> {
    let mut next = [0, 1].map(|_| random.random_range(SHORTEST_PIECE..SHORTEST_PIECE + 3));
    let (mut lengths, mut left) = (Vec::new(), wanted.boxes as i32);
    while left > 0 {
        lengths.push(next[0].min(left));
        left -= next[0];
        next = [next[1], next[0] + SHORTEST_PIECE];
    }
    let (mut targets, last) = walk(&lengths, || true);
    targets.reverse();
    // Inside there is no room beyond the chain, but the box and the player come from outside.
    let ends = (last.opposite(), Direction::West);
    let Middle { beyond, targets, box_and_player } = Middle::open(targets, ends)?;
    let beyond = beyond.into_iter().step_by(2).collect();
    Some(Middle { targets, beyond, box_and_player })
}

/// Two lines; the box is at the north, the free target at the south.
fn crossing(wanted: &Wanted, random: &mut ChaCha8Rng) -> Option<Middle> {
    let total = wanted.boxes as i32 + 1;
    if total < 4 * SHORTEST_PIECE {
        return None;
    }
    let width = random.random_range(2 * SHORTEST_PIECE..=total - 2 * SHORTEST_PIECE);
    let height = total - width;
    let down: Vec<Point> = (0..height).map(|row| (row, 0)).collect();
    let along = (-(width / 2)..width - width / 2).map(|col| (height / 2, col));
    let across: Vec<Point> = along.filter(|&point| point.1 != 0).collect();
    let ends = |targets: Vec<Point>, way| Middle::open(targets, (way, way));
    let Middle { beyond: more, .. } = ends(across.clone(), Direction::East)?;
    let Middle { targets, beyond, box_and_player } = ends(down, Direction::South)?;
    let targets = across.into_iter().chain(targets).collect();
    Some(Middle { targets, beyond: [beyond, more].concat(), box_and_player })
}

/// Adds rooms of two by three squares beside the corridor, where there is rock enough.
fn add_rooms(floor: &mut Vec<Point>, (middle, rooms): (&[Point], usize), random: &mut ChaCha8Rng) {
    let mut missing = rooms;
    for _ in 0..ROOM_TRIES {
        if missing == 0 {
            return;
        }
        let heading = random.random_range(0..4);
        let (away, along) = (ORTHOGONAL[heading], ORTHOGONAL[(heading + 1) % 4]);
        let beside = middle[random.random_range(0..middle.len())];
        let point = |far, aside| ahead(ahead(beside, away, far), along, aside);
        let (aside, deep) = ROCK;
        let is_rock = |far| (-aside..=aside).all(|aside| !floor.contains(&point(far, aside)));
        if (2..=deep).all(is_rock) {
            floor.extend((2..=3).flat_map(|far| (-1..=1).map(move |aside| point(far, aside))));
            missing -= 1;
        }
    }
}

/// Lays one chain: its board, or `None` if it has no place. Whether there is a plan is not known.
pub(super) fn lay(wanted: &Wanted, random: &mut ChaCha8Rng) -> Option<String> {
    let middle = match wanted.form {
        "ring" => ring(wanted, random),
        "spiral" => spiral(wanted, random),
        "crossing" => crossing(wanted, random),
        _ => line(wanted, random),
    };
    let Middle { targets, beyond, box_and_player: (stray, player) } = middle?;
    let around = |&(row, col): &Point| {
        (row - 1..=row + 1).flat_map(move |row| (col - 1..=col + 1).map(move |col| (row, col)))
    };
    let mut floor: Vec<Point> = targets.iter().chain(&beyond).flat_map(around).collect();
    add_rooms(&mut floor, (&targets, wanted.rooms), random);
    let (top, left) = (floor.iter().map(|p| p.0).min()? - 1, floor.iter().map(|p| p.1).min()? - 1);
    let rows = (floor.iter().map(|p| p.0).max()? - top + 2) as u32;
    let cols = (floor.iter().map(|p| p.1).max()? - left + 2) as u32;
    let shape = Shape { rows, cols };
    let cell = |&(row, col): &Point| shape.at(row - top, col - left);
    let set = |points: &[Point]| {
        let mut set = BitBoard::new(shape.cells());
        points.iter().filter_map(cell).for_each(|cell| set.insert(cell));
        set
    };
    let mut walls = set(&[]);
    let carved = set(&floor);
    shape.iter().filter(|&cell| !carved.contains(cell)).for_each(|cell| walls.insert(cell));
    let (goals, mut boxes) = (set(&targets), set(&targets[..targets.len() - 1]));
    boxes.insert(cell(&stray)?);
    let player: Option<Cell> = cell(&player);
    Some(draw(shape, &walls, &goals, &boxes, player))
}
