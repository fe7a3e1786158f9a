//! Shortest walks between walls, on a grid of the coordinates that matter.
//!
//! Between axis-parallel walls some shortest walk keeps to the lines just beside and just beyond
//! walls, and to those of its ends. So A* runs over the crossings of these lines instead of over
//! the cells, and a board of 50 000 × 50 000 cells costs no more than its walls.

use super::intervals::{Cells, holds};
use super::protocol::{Heading, Point};
use ahash::AHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Price of a cell that is walked, in units of a bend: no labyrinth has room for a walk whose bends
/// sum up to it.
pub const CELL_PRICE: i64 = 1 << 20;

/// A straight walk.
pub type Leg = (Heading, i32);

/// The lines on which walks are looked for.
#[derive(Clone, Debug, Default)]
pub struct Grid {
    xs: Vec<i32>,
    ys: Vec<i32>,
}

impl Grid {
    /// The lines around walls, `margin` cells to each side of their ends, and through `points`.
    pub fn new(walls: &Cells, margin: i32, points: &[Point]) -> Grid {
        let mut xs: Vec<i32> = points.iter().map(|p| p.x).collect();
        let mut ys: Vec<i32> = points.iter().map(|p| p.y).collect();
        let around = |list: &mut Vec<i32>, at: i32| list.extend(at - margin..=at + margin);
        for (y, (from, to)) in walls.rows.iter() {
            around(&mut ys, y);
            around(&mut xs, from);
            around(&mut xs, to);
        }
        for (x, (from, to)) in walls.cols.iter() {
            around(&mut xs, x);
            around(&mut ys, from);
            around(&mut ys, to);
        }
        for list in [&mut xs, &mut ys] {
            list.sort_unstable();
            list.dedup();
        }
        Grid { xs, ys }
    }

    /// The number of crossings.
    pub fn crossings(&self) -> usize {
        self.xs.len() * self.ys.len()
    }

    /// The crossing at a point, as indices into the lines.
    pub fn crossing(&self, p: Point) -> Option<(u32, u32)> {
        let x = self.xs.binary_search(&p.x).ok()?;
        let y = self.ys.binary_search(&p.y).ok()?;
        Some((x as u32, y as u32))
    }

    /// The point of a crossing.
    pub fn point(&self, (x, y): (u32, u32)) -> Point {
        Point::new(self.xs[x as usize], self.ys[y as usize])
    }

    /// The next crossing in a direction.
    pub fn next(&self, (x, y): (u32, u32), heading: Heading) -> Option<(u32, u32)> {
        let x = x.checked_add_signed(heading.dx()).filter(|&x| (x as usize) < self.xs.len())?;
        let y = y.checked_add_signed(heading.dy()).filter(|&y| (y as usize) < self.ys.len())?;
        Some((x, y))
    }
}

/// Whether no wall lies on the straight way between two points of a row or column, the first one
/// left out.
pub fn is_clear(walls: &Cells, from: Point, to: Point) -> bool {
    let (along, across, line, a, b) = if from.y == to.y {
        (&walls.rows, &walls.cols, from.y, from.x, to.x)
    } else {
        (&walls.cols, &walls.rows, from.x, from.y, to.y)
    };
    let (low, high) = if a < b { (a + 1, b) } else { (b, a - 1) };
    along.after(line, low).is_none_or(|(start, _)| start > high)
        && !across.range(low, high).any(|(_, list)| holds(list, line))
}

/// A cheapest walk between two points. `price` gives the price of a straight stretch between two
/// neighbouring crossings, at least [`CELL_PRICE`] a cell, or `None` where it is barred; a bend
/// costs 1, so that of equal walks one with few bends is taken.
///
/// `None` where there is no way, or where it would take more than `max_nodes` expansions.
pub fn cheapest(
    grid: &Grid,
    from: Point,
    to: Point,
    max_nodes: usize,
    price: impl Fn(Point, Point) -> Option<i64>,
) -> Option<(i64, Vec<Leg>)> {
    let (start, goal) = (grid.crossing(from)?, grid.crossing(to)?);
    let rest = |p: Point| i64::from(p.distance(to)) * CELL_PRICE;
    let mut best: AHashMap<(u32, u32), (i64, Option<Heading>)> = AHashMap::new();
    let mut open = BinaryHeap::new();
    best.insert(start, (0, None));
    open.push((Reverse(rest(from)), 0, start));
    let mut nodes = 0;
    while let Some((_, paid, at)) = open.pop() {
        let (known, came) = best[&at];
        if paid > known {
            continue;
        }
        if at == goal {
            return Some((paid, legs(grid, &best, goal)));
        }
        nodes += 1;
        if nodes > max_nodes {
            return None;
        }
        let here = grid.point(at);
        for heading in Heading::ALL.into_iter().filter(|h| came != Some(h.back())) {
            let Some(next) = grid.next(at, heading) else { continue };
            let there = grid.point(next);
            let bend = i64::from(came.is_some_and(|came| came != heading));
            let least = paid + bend + i64::from(here.distance(there)) * CELL_PRICE;
            if best.get(&next).is_some_and(|&(known, _)| known <= least) {
                continue;
            }
            let Some(stretch) = price(here, there) else { continue };
            let paid = paid + bend + stretch;
            if best.get(&next).is_some_and(|&(known, _)| known <= paid) {
                continue;
            }
            best.insert(next, (paid, Some(heading)));
            open.push((Reverse(paid + rest(there)), paid, next));
        }
    }
    None
}

/// A shortest walk between two points where everything but `walls` may be walked on.
pub fn shortest(
    walls: &Cells,
    grid: &Grid,
    from: Point,
    to: Point,
    max_nodes: usize,
) -> Option<Vec<Leg>> {
    let price =
        |a: Point, b: Point| is_clear(walls, a, b).then(|| i64::from(a.distance(b)) * CELL_PRICE);
    cheapest(grid, from, to, max_nodes, price).map(|(_, legs)| legs)
}

/// Joins the steps of a search to straight walks.
fn legs(
    grid: &Grid,
    best: &AHashMap<(u32, u32), (i64, Option<Heading>)>,
    goal: (u32, u32),
) -> Vec<Leg> {
    let mut legs: Vec<Leg> = Vec::new();
    let mut at = goal;
    while let Some(&(_, Some(heading))) = best.get(&at) {
        let Some(before) = grid.next(at, heading.back()) else { break };
        let steps = grid.point(before).distance(grid.point(at));
        match legs.last_mut() {
            Some((last, sum)) if *last == heading => *sum += steps,
            _ => legs.push((heading, steps)),
        }
        at = before;
    }
    legs.reverse();
    legs
}
