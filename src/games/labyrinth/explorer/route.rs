//! Cheapest ways over cells of different prices: known ones, and those to be looked at first.

use crate::games::labyrinth::astar::OpenList;
use crate::games::labyrinth::format::protocol::{Heading, Point};
use crate::games::labyrinth::grid::Grid;

/// Price of a cell that is walked, in units of a bend: no labyrinth has room for a walk whose bends
/// sum up to it.
pub const CELL_PRICE: u64 = 1 << 20;

/// A straight walk.
pub type Leg = (Heading, i32);

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
    price: impl Fn(Point, Point) -> Option<u64>,
) -> Option<(u64, Vec<Leg>)> {
    let (start, goal) = (grid.crossing(from)?, grid.crossing(to)?);
    let straight = |a: Point, b: Point| u64::from(a.distance(b).unsigned_abs()) * CELL_PRICE;
    let mut open = OpenList::new(start, straight(from, to));
    let mut nodes = 0;
    while let Some(at) = open.pop() {
        if at.node == goal {
            return Some((at.paid, legs(grid, &open, goal)));
        }
        nodes += 1;
        if nodes > max_nodes {
            return None;
        }
        let here = grid.point(at.node);
        let came = open.last(at.node).map(|(_, heading)| heading);
        for heading in Heading::ALL.into_iter().filter(|h| came != Some(h.back())) {
            let Some(next) = grid.next(at.node, heading) else { continue };
            let there = grid.point(next);
            let bend = u64::from(came.is_some_and(|came| came != heading));
            let least = at.paid + bend + straight(here, there);
            if open.paid(next).is_some_and(|known| known <= least) {
                continue;
            }
            let Some(stretch) = price(here, there) else { continue };
            open.offer(next, at.paid + bend + stretch, straight(there, to), (at.node, heading));
        }
    }
    None
}

/// Joins the steps of a search to straight walks.
fn legs(grid: &Grid, open: &OpenList<(u32, u32), Heading>, goal: (u32, u32)) -> Vec<Leg> {
    let mut legs: Vec<Leg> = Vec::new();
    for (before, heading, at) in open.back(goal) {
        let steps = grid.point(before).distance(grid.point(at));
        match legs.last_mut() {
            Some((last, sum)) if *last == heading => *sum += steps,
            _ => legs.push((heading, steps)),
        }
    }
    legs.reverse();
    legs
}
