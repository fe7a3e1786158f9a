//! The walls of a map as curves: which are strips, which are closed, which are not known to their
//! end.
//!
//! Walls are thin, so every wall is a simple curve, and it is known once its wall cells are: the
//! far side need not be walked. The *turning* of a curve, seen from the player's side, counts the
//! bends toward the player minus the bends away from him. A closed curve has +4 where it encloses
//! the player and -4 where it is an obstacle: the sum that the Pledge algorithm keeps.

use super::known_map::KnownMap;
use crate::games::labyrinth::format::protocol::{Heading, Point};
use ahash::AHashSet;

/// How a curve ends, as far as it is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// The wall ends here.
    Tip,
    /// It may go on from this cell in this direction, which has not been seen.
    Open(Point, Heading),
}

/// A wall as far as it is known.
#[derive(Clone, Debug)]
pub struct Contour {
    /// Ends and bends in order; consecutive ones lie in a row or a column.
    pub corners: Vec<Point>,
    /// Whether it is known to be a closed curve; the last corner is joined to the first then.
    pub closed: bool,
    /// Its two ends; none where it is closed.
    pub ends: Vec<End>,
    /// Bends toward the player's side minus bends away from it.
    pub turning: i32,
    /// Whether free cells are known at both of its sides.
    pub both_sides: bool,
    /// Whether the player's side is at the left of the direction of `corners`.
    left_is_ours: bool,
}

impl Contour {
    /// Whether it encloses the player for certain.
    pub fn encloses(&self) -> bool {
        self.closed && self.turning > 0
    }

    /// Whether it is for certain no wall that encloses the player: a strip, or a closed obstacle.
    pub fn is_obstacle(&self) -> bool {
        self.both_sides || self.ends.contains(&End::Tip) || self.closed && self.turning <= 0
    }

    /// How many of its unknown ends bend away from the player's side, if they are no tips: the cell
    /// straight ahead of them is known to be free.
    pub fn ends_away(&self) -> i32 {
        let straight = |cell: Point, heading: Heading| {
            let mut pieces = self.pieces().filter(|(a, b, _)| *a == cell || *b == cell);
            pieces.any(
                |(a, b, h)| if b == cell && a != cell { h == heading } else { h.back() == heading },
            )
        };
        let away = |end: &&End| matches!(**end, End::Open(cell, h) if !straight(cell, h));
        if self.corners.len() < 2 { 0 } else { self.ends.iter().filter(away).count() as i32 }
    }

    /// The straight pieces, each with its direction.
    pub fn pieces(&self) -> impl Iterator<Item = (Point, Point, Heading)> + '_ {
        let wrap = self.closed.then(|| (self.corners[self.corners.len() - 1], self.corners[0]));
        let pairs = self.corners.windows(2).map(|pair| (pair[0], pair[1]));
        pairs.chain(wrap).filter_map(|(a, b)| Some((a, b, heading_of(a, b)?)))
    }

    /// Whether it passes through a cell.
    pub fn passes(&self, cell: Point) -> bool {
        let between = |a: i32, b: i32, at: i32| (a.min(b)..=a.max(b)).contains(&at);
        self.corners.contains(&cell)
            || self.pieces().any(|(a, b, _)| between(a.x, b.x, cell.x) && between(a.y, b.y, cell.y))
    }

    /// Cells of straight pieces, summed up.
    pub fn length(&self) -> i32 {
        self.pieces().map(|(a, b, _)| a.distance(b)).sum()
    }

    /// The direction from a piece of the wall to the player's side.
    pub fn our_side(&self, along: Heading) -> Heading {
        if self.left_is_ours { along.left() } else { along.right() }
    }
}

/// The direction from one cell to another of the same row or column.
pub fn heading_of(a: Point, b: Point) -> Option<Heading> {
    Heading::ALL.into_iter().find(|h| {
        let steps = (b.x - a.x) * h.dx() + (b.y - a.y) * h.dy();
        steps > 0 && a.toward(*h, steps) == b
    })
}

/// All walls of the map.
pub fn contours(map: &KnownMap) -> Vec<Contour> {
    let stretches = map.walls.rows.iter().count() + map.walls.cols.iter().count();
    let mut tracer = Tracer { map, max_corners: stretches + 2, seen: AHashSet::new() };
    let mut contours = Vec::new();
    let rows = map.walls.rows.iter().map(|(y, (from, _))| (Point::new(from, y), true));
    let cols = map.walls.cols.iter().map(|(x, (from, _))| (Point::new(x, from), false));
    for (start, horizontal) in rows.chain(cols) {
        if !tracer.was_seen(start, horizontal) {
            contours.push(tracer.contour(start));
        }
    }
    contours
}

struct Tracer<'a> {
    map: &'a KnownMap,
    /// No thin wall has more bends; one that is not thin shall not be followed for ever.
    max_corners: usize,
    /// Stretches that belong to a curve already: orientation, line, start.
    seen: AHashSet<(bool, i32, i32)>,
}

impl Tracer<'_> {
    /// Whether the stretch of this orientation that starts here, or a longer one across it, has
    /// been part of a curve.
    fn was_seen(&self, start: Point, horizontal: bool) -> bool {
        let stretch = self.stretch(start, horizontal);
        let across = self.stretch(start, !horizontal);
        let is = |horizontal, stretch: Option<(i32, i32)>| {
            stretch.is_some_and(|(from, _)| self.seen.contains(&key(horizontal, start, from)))
        };
        let single = stretch.is_some_and(|(from, to)| from == to);
        is(horizontal, stretch) || single && is(!horizontal, across)
    }

    fn stretch(&self, at: Point, horizontal: bool) -> Option<(i32, i32)> {
        let walls = &self.map.walls;
        if horizontal { walls.rows.find(at.y, at.x) } else { walls.cols.find(at.x, at.y) }
    }

    fn mark(&mut self, at: Point) {
        for horizontal in [true, false] {
            if let Some((from, _)) = self.stretch(at, horizontal) {
                self.seen.insert(key(horizontal, at, from));
            }
        }
    }

    /// The curve through a wall cell.
    fn contour(&mut self, start: Point) -> Contour {
        self.mark(start);
        let mut onward = Heading::ALL.into_iter().filter(|&h| self.map.is_wall(start.toward(h, 1)));
        let (first, second) = (onward.next(), onward.next());
        let Some(first) = first else { return self.lone(start) };
        let (mut corners, end, closed) = self.follow(start, first);
        if closed {
            return self.finish(corners, true, Vec::new());
        }
        let mut ends = vec![end.unwrap_or(End::Tip)];
        corners.reverse();
        corners.push(start);
        match second {
            Some(second) => {
                let (more, end, _) = self.follow(start, second);
                corners.extend(more);
                ends.push(end.unwrap_or(End::Tip));
            }
            None => ends.push(self.end(start, first.back())),
        }
        self.finish(corners, false, ends)
    }

    /// A wall cell without a known neighbour.
    fn lone(&self, at: Point) -> Contour {
        let unknown = Heading::ALL.into_iter().find(|&h| self.map.is_unknown(at.toward(h, 1)));
        let end = unknown.map_or(End::Tip, |heading| End::Open(at, heading));
        self.finish(vec![at], false, vec![end])
    }

    /// Follows a wall from a cell on: the corners after it and the last cell, how it ends, and
    /// whether it came back to the cell.
    fn follow(&mut self, start: Point, first: Heading) -> (Vec<Point>, Option<End>, bool) {
        let (mut at, mut heading, mut corners) = (start, first, Vec::new());
        loop {
            let from = at;
            at = self.run(at, heading);
            let back = heading_of(from, start).is_some_and(|h| h == heading)
                && from.distance(start) <= from.distance(at);
            if back && from != start {
                corners.push(start);
                return (corners, None, true);
            }
            corners.push(at);
            let turns = [heading.left(), heading.right()];
            match turns.into_iter().find(|&h| self.map.is_wall(at.toward(h, 1))) {
                Some(turn) if corners.len() < self.max_corners => heading = turn,
                _ => return (corners, Some(self.end(at, heading)), false),
            }
        }
    }

    /// The last wall cell straight ahead.
    fn run(&mut self, mut at: Point, heading: Heading) -> Point {
        while self.map.is_wall(at.toward(heading, 1)) {
            at = at.toward(heading, 1);
            self.mark(at);
            if let Some((from, to)) = self.stretch(at, heading.is_horizontal()) {
                at = match heading {
                    Heading::East => Point::new(to, at.y),
                    Heading::West => Point::new(from, at.y),
                    Heading::South => Point::new(at.x, to),
                    Heading::North => Point::new(at.x, from),
                };
            }
        }
        self.mark(at);
        at
    }

    /// How a wall ends that comes to a cell in a direction: straight ahead is the best guess.
    fn end(&self, at: Point, heading: Heading) -> End {
        let guesses = [heading, heading.left(), heading.right()];
        let unknown = guesses.into_iter().find(|&h| self.map.is_unknown(at.toward(h, 1)));
        unknown.map_or(End::Tip, |heading| End::Open(at, heading))
    }

    /// Sums up what is known of the sides.
    fn finish(&self, mut corners: Vec<Point>, closed: bool, ends: Vec<End>) -> Contour {
        if closed {
            // The start of the tracing may lie within a straight piece.
            let n = corners.len();
            let keep = |i: &usize| {
                let before = heading_of(corners[(i + n - 1) % n], corners[*i]);
                before != heading_of(corners[*i], corners[(i + 1) % n])
            };
            corners = (0..n).filter(keep).map(|i| corners[i]).collect();
        }
        let mut contour =
            Contour { corners, closed, ends, turning: 0, both_sides: false, left_is_ours: true };
        let (mut left, mut right) = (false, false);
        for (a, b, heading) in contour.pieces() {
            let middle = Point::new((a.x + b.x) / 2, (a.y + b.y) / 2);
            for cell in [a, middle, b] {
                left |= self.map.is_free(cell.toward(heading.left(), 1));
                right |= self.map.is_free(cell.toward(heading.right(), 1));
            }
        }
        contour.both_sides = left && right;
        contour.left_is_ours = left;
        let pieces: Vec<Heading> = contour.pieces().map(|(_, _, heading)| heading).collect();
        let ours = if left { Heading::left } else { Heading::right };
        let wrap = if closed { pieces.first() } else { None };
        let bends = pieces.iter().zip(pieces.iter().skip(1).chain(wrap));
        contour.turning =
            bends.map(|(&a, &b)| i32::from(b == ours(a)) - i32::from(b == ours(a).back())).sum();
        contour
    }
}

fn key(horizontal: bool, at: Point, from: i32) -> (bool, i32, i32) {
    (horizontal, if horizontal { at.y } else { at.x }, from)
}
