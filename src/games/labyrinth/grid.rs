//! The grid of the coordinates that matter to walks between walls.
//!
//! Between axis-parallel walls some shortest walk keeps to the lines just beside and just beyond
//! walls, and to those of its ends. So searches (`astar`) run over the crossings of these
//! lines instead of over the cells, and a board of 50 000 × 50 000 cells costs no more than its
//! walls.

use super::format::protocol::{Heading, Point};
use super::intervals::{Cells, holds};

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
