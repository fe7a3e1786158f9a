//! What the player knows of the maze: intervals of cells seen free and seen as wall.

use crate::games::labyrinth::format::protocol::{Heading, Picture, Point};
use crate::games::labyrinth::grid::is_clear;
use crate::games::labyrinth::intervals::Cells;

/// What is known of a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sight {
    /// Never shown.
    Unknown,
    /// Free.
    Free,
    /// Wall.
    Wall,
    /// The exit.
    Exit,
}

/// The player's map. Coordinates count from where the player woke up.
#[derive(Clone, Debug, Default)]
pub struct KnownMap {
    /// Cells seen free.
    pub free: Cells,
    /// Wall cells. A stretch of at least two cells is kept in its own orientation, a single cell in
    /// both.
    pub walls: Cells,
    /// The exit, once seen.
    pub exit: Option<Point>,
    /// The start of the first line of cells that was shown otherwise than before: the arbiter
    /// makes the maze up.
    pub contradiction: Option<Point>,
}

impl KnownMap {
    /// What is known of a cell.
    pub fn at(&self, p: Point) -> Sight {
        if self.exit == Some(p) {
            Sight::Exit
        } else if self.walls.has(p) {
            Sight::Wall
        } else if self.free.has(p) {
            Sight::Free
        } else {
            Sight::Unknown
        }
    }

    /// Whether a cell is part of a wall, the exit included.
    pub fn is_wall(&self, p: Point) -> bool {
        matches!(self.at(p), Sight::Wall | Sight::Exit)
    }

    /// Whether a cell is known to be free.
    pub fn is_free(&self, p: Point) -> bool {
        self.at(p) == Sight::Free
    }

    /// Whether nothing is known of a cell.
    pub fn is_unknown(&self, p: Point) -> bool {
        self.at(p) == Sight::Unknown
    }

    /// Enters a picture into the map. False where the picture makes no sense: it shows no player.
    pub fn absorb(&mut self, picture: &Picture, player: Point) -> bool {
        let cols = picture.cols;
        let Some(own) = picture.cells.iter().position(|&cell| cell == b'O') else { return false };
        let left = player.x - (own % cols) as i32;
        let top = player.y - (own / cols) as i32;
        let rows = picture.cells.len() / cols;
        if cols >= rows {
            for r in 0..rows {
                let line = (0..cols).map(|c| picture.cells[r * cols + c]);
                self.enter(line, Point::new(left, top + r as i32), Heading::East);
            }
        } else {
            for c in 0..cols {
                let line = (0..rows).map(|r| picture.cells[r * cols + c]);
                self.enter(line, Point::new(left + c as i32, top), Heading::South);
            }
        }
        true
    }

    /// Enters a line of cells that runs east or south.
    fn enter(&mut self, line: impl Iterator<Item = u8>, start: Point, heading: Heading) {
        let mut stretch: Option<(u8, i32, i32)> = None;
        for (i, cell) in (0..).zip(line) {
            let kind = if cell == b'O' { b'.' } else { cell };
            match &mut stretch {
                Some((known, _, end)) if *known == kind => *end = i,
                _ => {
                    if let Some((kind, from, to)) = stretch.replace((kind, i, i)) {
                        self.enter_stretch(kind, start, heading, from, to);
                    }
                }
            }
        }
        if let Some((kind, from, to)) = stretch {
            self.enter_stretch(kind, start, heading, from, to);
        }
    }

    fn enter_stretch(&mut self, kind: u8, start: Point, heading: Heading, from: i32, to: i32) {
        let (a, b) = (start.toward(heading, from), start.toward(heading, to));
        if kind == b'E' {
            self.exit = Some(a);
            return;
        }
        let before = a.toward(heading, -1);
        let others = if kind == b'X' { &self.free } else { &self.walls };
        if !is_clear(others, before, b) {
            self.contradiction.get_or_insert(a);
        }
        let cells = if kind == b'X' { &mut self.walls } else { &mut self.free };
        let single_wall = kind == b'X' && a == b;
        if heading.is_horizontal() || single_wall {
            cells.rows.insert(a.y, a.x, b.x);
        }
        if !heading.is_horizontal() || single_wall {
            cells.cols.insert(a.x, a.y, b.y);
        }
    }

    /// Enters what dynamite does.
    pub fn blast(&mut self, player: Point) {
        for cell in player.around() {
            self.walls.remove(cell);
            self.free.rows.insert(cell.y, cell.x, cell.x);
        }
    }

    /// How many cells straight ahead are known to be free, at most `limit`.
    pub fn free_ahead(&self, from: Point, heading: Heading, limit: i32) -> i32 {
        let mut steps = 0;
        while steps < limit {
            let next = from.toward(heading, steps + 1);
            if !self.is_free(next) {
                break;
            }
            let stretch = if heading.is_horizontal() {
                self.free.rows.find(next.y, next.x)
            } else {
                self.free.cols.find(next.x, next.y)
            };
            let jump = stretch.map_or(1, |(start, end)| match heading {
                Heading::East => end - next.x + 1,
                Heading::West => next.x - start + 1,
                Heading::South => end - next.y + 1,
                Heading::North => next.y - start + 1,
            });
            steps += jump;
        }
        steps.min(limit)
    }
}
