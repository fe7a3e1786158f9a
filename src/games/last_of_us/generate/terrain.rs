//! Where the walls, the start, the exit and the posts of the clickers are, for each family.

use super::{Family, MAX_BRICKS};
use crate::board::{Cell, Direction, ORTHOGONAL, Shape, UNREACHED, distances};
use crate::games::generate::GenerateError;
use rand::prelude::*;
use rand_chacha::ChaCha8Rng;

/// Extent of a room of a lattice and of a block.
const ROOM: u32 = 7;

/// An area without its supply of bricks.
#[derive(Clone, Debug)]
pub struct Terrain {
    pub shape: Shape,
    /// Walkable cells.
    pub open: Vec<bool>,
    pub ellie: Cell,
    pub exit: Cell,
    /// Clickers that belong to the family's design.
    pub posts: Vec<Cell>,
    /// How many clickers suit the family, beyond the posts, strewn at random.
    pub strewn: usize,
}

/// Draws an area of a family.
pub fn draw(family: Family, shape: Shape, rng: &mut ChaCha8Rng) -> Result<Terrain, GenerateError> {
    let mut pen = Pen { shape, open: vec![false; shape.cells()], rng };
    match family {
        Family::Open => Ok(pen.open_ground()),
        Family::Caves => pen.caves(),
        Family::Rooms => Ok(pen.rooms()),
        Family::Maze(width) => pen.braided_maze(width),
        Family::Blocks => pen.blocks(),
        Family::Lattice => pen.lattice(),
        Family::Corridors => pen.corridors(),
        Family::Lures => pen.lures(),
        Family::Chase => pen.chase(),
        Family::Traps => pen.traps(),
    }
}

struct Pen<'a> {
    shape: Shape,
    open: Vec<bool>,
    rng: &'a mut ChaCha8Rng,
}

impl Pen<'_> {
    fn cell(&self, row: u32, col: u32) -> Cell {
        self.shape.cell(row, col)
    }

    fn dig(&mut self, row: u32, col: u32) {
        let cell = self.cell(row, col);
        self.open[cell.index()] = true;
    }

    /// Opens a rectangle, its corners included, leaving the rim of the board closed.
    fn dig_all(
        &mut self,
        rows: std::ops::RangeInclusive<u32>,
        cols: std::ops::RangeInclusive<u32>,
    ) {
        let Shape { rows: all_rows, cols: all_cols } = self.shape;
        for row in (*rows.start()).max(1)..=(*rows.end()).min(all_rows - 2) {
            for col in (*cols.start()).max(1)..=(*cols.end()).min(all_cols - 2) {
                self.dig(row, col);
            }
        }
    }

    fn fill(&mut self, row: u32, col: u32) {
        let cell = self.cell(row, col);
        self.open[cell.index()] = false;
    }

    fn walk(&self, from: &[Cell]) -> Vec<u32> {
        distances(self.shape, from, &Direction::ALL, |cell| self.open[cell.index()])
    }

    fn farthest(&self, from: Cell) -> Cell {
        let field = self.walk(&[from]);
        let reached = self.shape.iter().filter(|cell| field[cell.index()] != UNREACHED);
        reached.max_by_key(|cell| field[cell.index()]).unwrap_or(from)
    }

    /// Closes everything but the largest part, and puts Ellie and the exit far apart in it.
    fn finish(&mut self, posts: Vec<Cell>, per_strewn: usize) -> Result<Terrain, GenerateError> {
        self.keep_largest();
        let floor: Vec<Cell> = self.shape.iter().filter(|c| self.open[c.index()]).collect();
        let &any = floor.choose(self.rng).ok_or("the family leaves no floor in this size")?;
        let ellie = self.farthest(any);
        let field = self.walk(&[ellie]);
        let most = floor.iter().map(|c| field[c.index()]).max().unwrap_or(0);
        let far = floor.iter().filter(|c| field[c.index()] * 5 >= most * 4);
        let exit = far.copied().choose(self.rng).filter(|&exit| exit != ellie);
        let exit = exit.ok_or("the family leaves no way in this size")?;
        Ok(self.terrain(ellie, exit, posts, floor.len().checked_div(per_strewn).unwrap_or(0)))
    }

    fn terrain(&self, ellie: Cell, exit: Cell, posts: Vec<Cell>, strewn: usize) -> Terrain {
        Terrain { shape: self.shape, open: self.open.clone(), ellie, exit, posts, strewn }
    }

    fn keep_largest(&mut self) {
        let mut largest: (usize, Vec<u32>) = (0, Vec::new());
        let mut seen = vec![false; self.open.len()];
        for cell in self.shape.iter() {
            if self.open[cell.index()] && !seen[cell.index()] {
                let field = self.walk(&[cell]);
                let part = field.iter().zip(&mut seen).filter(|(d, _)| **d != UNREACHED);
                let size = part.map(|(_, seen)| *seen = true).count();
                if size > largest.0 {
                    largest = (size, field);
                }
            }
        }
        for (open, distance) in self.open.iter_mut().zip(largest.1) {
            *open &= distance != UNREACHED;
        }
    }

    /// Scattered blocks, many clickers.
    fn open_ground(&mut self) -> Terrain {
        let Shape { rows, cols } = self.shape;
        self.dig_all(1..=rows - 2, 1..=cols - 2);
        for row in 1..rows - 1 {
            for col in 1..cols - 1 {
                if self.rng.random_bool(0.05) {
                    self.fill(row, col);
                }
            }
        }
        self.keep_largest();
        let from = self.rng.random_range(rows * 3 / 4 - 1..rows - 1);
        let to = self.rng.random_range(1..=rows / 4);
        let corner = |row: u32, col: u32| {
            let target = self.cell(row, col);
            let floor = self.shape.iter().filter(|cell| self.open[cell.index()]);
            floor.min_by_key(|&cell| (self.shape.manhattan(cell, target), cell))
        };
        let center = self.cell(rows / 2, cols / 2);
        let ellie = corner(from, 1).unwrap_or(center);
        let exit = corner(to, cols - 2).unwrap_or(center);
        let floor = self.open.iter().filter(|open| **open).count();
        self.terrain(ellie, exit, Vec::new(), floor / 45)
    }

    /// A cellular automaton: each cell becomes what most of its neighbours are.
    fn caves(&mut self) -> Result<Terrain, GenerateError> {
        let Shape { rows, cols } = self.shape;
        for open in &mut self.open {
            *open = self.rng.random_bool(0.56);
        }
        for _ in 0..5 {
            let mut next = vec![false; self.open.len()];
            for row in 1..rows - 1 {
                for col in 1..cols - 1 {
                    let cell = self.cell(row, col);
                    let around =
                        Direction::ALL.into_iter().filter_map(|d| self.shape.step(cell, d));
                    let closed = around.filter(|c| !self.open[c.index()]).count();
                    next[cell.index()] = closed < 4 || closed == 4 && self.open[cell.index()];
                }
            }
            self.open = next;
        }
        self.finish(Vec::new(), 55)
    }

    /// Rooms, each tied to the one drawn before it by a bent corridor.
    fn rooms(&mut self) -> Terrain {
        let Shape { rows, cols } = self.shape;
        let count = (self.shape.cells() / 220).max(3);
        let mut last: Option<(u32, u32)> = None;
        let mut first = None;
        for _ in 0..count {
            let (height, width) =
                (self.rng.random_range(3..=10u32), self.rng.random_range(3..=14u32));
            let row = self.rng.random_range(1..(rows - 1).saturating_sub(height).max(2));
            let col = self.rng.random_range(1..(cols - 1).saturating_sub(width).max(2));
            self.dig_all(row..=row + height - 1, col..=col + width - 1);
            let middle = ((row + height / 2).min(rows - 2), (col + width / 2).min(cols - 2));
            if let Some((r, c)) = last {
                let thick = self.rng.random_range(0..=1);
                self.dig_all(r.min(middle.0)..=r.max(middle.0) + thick, c..=c + thick);
                let bend = middle.0;
                self.dig_all(bend..=bend + thick, c.min(middle.1)..=c.max(middle.1));
            }
            last = Some(middle);
            first = first.or(last);
        }
        let (row, col) = first.unwrap_or((rows / 2, cols / 2));
        let ellie = self.farthest(self.cell(row, col));
        let exit = self.farthest(ellie);
        let floor = self.open.iter().filter(|open| **open).count();
        self.terrain(ellie, exit, Vec::new(), floor / 45)
    }

    /// Digs a perfect maze by depth-first search.
    fn maze(&mut self, net: Net) {
        let mut seen = vec![false; net.grid.cells()];
        let mut stack = vec![Cell(0)];
        seen[0] = true;
        self.dig_junction(net, Cell(0));
        while let Some(&at) = stack.last() {
            let ways = ORTHOGONAL.into_iter().filter_map(|d| Some((d, net.grid.step(at, d)?)));
            let fresh = ways.filter(|(_, next)| !seen[next.index()]).choose(self.rng);
            let Some((direction, next)) = fresh else {
                stack.pop();
                continue;
            };
            seen[next.index()] = true;
            self.dig_junction(net, next);
            self.dig_between(net, at, direction);
            stack.push(next);
        }
    }

    fn dig_junction(&mut self, net: Net, junction: Cell) {
        let (row, col) = net.corner(junction);
        self.dig_all(row..=row + net.width - 1, col..=col + net.width - 1);
    }

    /// Opens the wall on one side of a junction.
    fn dig_between(&mut self, net: Net, junction: Cell, direction: Direction) {
        let (row, col) = net.corner(junction);
        let (side, wall) = (net.width - 1, net.pitch - net.width);
        let (rows, cols) = match direction {
            Direction::North => (row - wall..=row - 1, col..=col + side),
            Direction::South => (row + side + 1..=row + side + wall, col..=col + side),
            Direction::West => (row..=row + side, col - wall..=col - 1),
            _ => (row..=row + side, col + side + 1..=col + side + wall),
        };
        self.dig_all(rows, cols);
    }

    /// The junctions that fit on the board, two at least each way.
    fn net(&self, width: u32, pitch: u32) -> Result<Net, GenerateError> {
        let count = |side: u32| (side - 2 - width) / pitch + 1;
        let grid = Shape { rows: count(self.shape.rows), cols: count(self.shape.cols) };
        if grid.rows < 2 || grid.cols < 2 {
            return Err("too small for a maze of this family".into());
        }
        Ok(Net { grid, width, pitch })
    }

    /// A maze with loops: most dead ends opened, and some holes in the walls.
    fn braided_maze(&mut self, width: u32) -> Result<Terrain, GenerateError> {
        let net = self.net(width, width + 1)?;
        self.maze(net);
        for junction in net.grid.iter() {
            let (shut, ajar): (Vec<_>, Vec<_>) = ORTHOGONAL
                .into_iter()
                .filter(|&d| net.grid.step(junction, d).is_some())
                .partition(|&d| self.is_shut(net, junction, d));
            let dead_end = ajar.len() == 1;
            let chance = if dead_end { 0.7 } else { 0.04 };
            if let Some(&direction) = shut.choose(self.rng)
                && self.rng.random_bool(chance)
            {
                self.dig_between(net, junction, direction);
            }
        }
        self.finish(Vec::new(), [0, 45, 38, 40][width as usize])
    }

    fn is_shut(&self, net: Net, junction: Cell, direction: Direction) -> bool {
        let (row, col) = net.corner(junction);
        let beside = match direction {
            Direction::North => self.cell(row - 1, col),
            Direction::South => self.cell(row + net.width, col),
            Direction::West => self.cell(row, col - 1),
            _ => self.cell(row, col + net.width),
        };
        !self.open[beside.index()]
    }

    /// Middle of a room of the lattice or of a block.
    fn middle(&self, row: u32, col: u32) -> Cell {
        self.cell(row * ROOM + ROOM / 2, col * ROOM + ROOM / 2)
    }

    fn room_grid(&self) -> Result<Shape, GenerateError> {
        let grid = Shape { rows: self.shape.rows / ROOM, cols: self.shape.cols / ROOM };
        if grid.cells() < 2 {
            return Err(String::from(
                "the family is made of 7x7 rooms: one side must be at least 14",
            )
            .into());
        }
        Ok(grid)
    }

    /// No walls: a maze whose walls are clickers in the middles of blocks.
    fn blocks(&mut self) -> Result<Terrain, GenerateError> {
        let grid = self.room_grid()?;
        let Shape { rows, cols } = self.shape;
        // The maze is drawn with blocks for cells, then the board is opened.
        let shape = Shape { rows: (grid.rows + 2) | 1, cols: (grid.cols + 2) | 1 };
        let mut small = Pen { shape, open: vec![false; shape.cells()], rng: self.rng };
        let net = small.net(1, 2)?;
        small.maze(net);
        let free = small.open;
        let is_free = |row: u32, col: u32| free[shape.cell(row + 1, col + 1).index()];
        self.dig_all(1..=rows - 2, 1..=cols - 2);
        let ellie = self.middle(0, 0);
        let mut posts = Vec::new();
        let mut exit = ellie;
        for row in 0..grid.rows {
            for col in 0..grid.cols {
                if !is_free(row, col) {
                    posts.push(self.middle(row, col));
                } else {
                    exit = self.middle(row, col);
                }
            }
        }
        if exit == ellie {
            return Err("too small for a maze of blocks".into());
        }
        Ok(self.terrain(ellie, exit, posts, 0))
    }

    /// Rooms with doors in the middles of their sides and clickers in their middles.
    fn lattice(&mut self) -> Result<Terrain, GenerateError> {
        let grid = self.room_grid()?;
        let mut seen = vec![false; grid.cells()];
        seen[0] = true;
        let mut stack = vec![Cell(0)];
        while let Some(&at) = stack.last() {
            let ways = ORTHOGONAL.into_iter().filter_map(|d| Some((d, grid.step(at, d)?)));
            let fresh = ways.filter(|(_, next)| !seen[next.index()]).choose(self.rng);
            if let Some((direction, next)) = fresh {
                seen[next.index()] = true;
                self.dig_door(grid, at, direction);
                stack.push(next);
            } else {
                stack.pop();
            }
        }
        let mut posts = Vec::new();
        let (first, last) = (Cell(0), Cell(grid.cells() as u32 - 1));
        for room in grid.iter() {
            let (row, col) = (grid.row(room) as u32 * ROOM, grid.col(room) as u32 * ROOM);
            for row in row + 1..row + ROOM - 1 {
                for col in col + 1..col + ROOM - 1 {
                    self.dig(row, col);
                }
            }
            for direction in [Direction::East, Direction::South] {
                if grid.step(room, direction).is_some() && self.rng.random_bool(0.6) {
                    self.dig_door(grid, room, direction);
                }
            }
            if room != first && room != last && self.rng.random_bool(0.8) {
                posts.push(self.middle(grid.row(room) as u32, grid.col(room) as u32));
            }
        }
        let end = self.middle(grid.rows - 1, grid.cols - 1);
        Ok(self.terrain(self.middle(0, 0), end, posts, 0))
    }

    fn dig_door(&mut self, grid: Shape, room: Cell, direction: Direction) {
        let middle = self.middle(grid.row(room) as u32, grid.col(room) as u32);
        for reach in 1..=ROOM as i32 {
            let (row, col) = (self.shape.row(middle), self.shape.col(middle));
            let on_rim = reach == ROOM as i32 / 2 || reach == ROOM as i32 / 2 + 1;
            let at = self.shape.at(row + reach * direction.drow(), col + reach * direction.dcol());
            if let (true, Some(cell)) = (on_rim, at) {
                self.open[cell.index()] = true;
            }
        }
    }

    /// One long corridor, folded, five wide, with guards in its middle; thin gaps lead from fold to
    /// fold here and there.
    fn corridors(&mut self) -> Result<Terrain, GenerateError> {
        let Shape { rows, cols } = self.shape;
        let folds = (rows - 1) / 7;
        if folds == 0 || cols < 14 {
            return Err(String::from(
                "too small for guard corridors: at least 10 rows and 14 columns",
            )
            .into());
        }
        // About as many guards as there are bricks at the most: each costs one.
        let spacing = (folds * cols / (MAX_BRICKS - 10)).max(8);
        let mut posts = Vec::new();
        for fold in 0..folds {
            let top = 1 + 7 * fold;
            self.dig_all(top..=top + 4, 1..=cols - 2);
            let mut col = 9 + self.rng.random_range(0..4u32);
            while col + 8 < cols {
                posts.push(self.cell(top + 2, col));
                col += self.rng.random_range(spacing..=spacing + 5);
            }
            if fold + 1 < folds {
                let end = if fold % 2 == 0 { cols - 4 } else { 1 };
                self.dig_all(top + 5..=top + 6, end..=end + 2);
                if self.rng.random_bool(0.5) {
                    let col = self.rng.random_range(4..cols - 5);
                    self.dig_all(top + 5..=top + 6, col..=col);
                }
            }
        }
        let last = 7 * (folds - 1) + 3;
        let end = if folds % 2 == 0 { 1 } else { cols - 2 };
        Ok(self.terrain(self.cell(3, 1), self.cell(last, end), posts, 0))
    }

    /// Halls behind thick walls. The only way on is a tunnel with a clicker in it; beside it, in the
    /// wall, ends a shaft that is long to walk but near to hear.
    fn lures(&mut self) -> Result<Terrain, GenerateError> {
        const HALL: u32 = 9;
        const WALL: u32 = 5;
        let Shape { rows, cols } = self.shape;
        let halls = (cols - 2 + WALL) / (HALL + WALL);
        if halls < 2 {
            return Err("too small for lures: at least 25 columns".into());
        }
        let mut posts = Vec::new();
        for hall in 0..halls {
            let left = 1 + hall * (HALL + WALL);
            let right = if hall + 1 == halls { cols - 2 } else { left + HALL - 1 };
            self.dig_all(1..=rows - 2, left..=right);
            if hall + 1 == halls {
                break;
            }
            // The shaft comes from the top or the bottom, whichever is farther.
            let row = self.rng.random_range(2..rows - 2);
            let middle = right + 3;
            self.dig_all(row..=row, right + 1..=right + WALL);
            if row > rows / 2 {
                self.dig_all(1..=row - 2, middle..=middle);
                self.dig_all(1..=1, right + 1..=middle);
            } else {
                self.dig_all(row + 2..=rows - 2, middle..=middle);
                self.dig_all(rows - 2..=rows - 2, right + 1..=middle);
            }
            posts.push(self.cell(row, middle));
        }
        let ellie_row = self.rng.random_range(2..rows - 2);
        let exit_row = self.rng.random_range(2..rows - 2);
        Ok(self.terrain(self.cell(ellie_row, 1), self.cell(exit_row, cols - 2), posts, 0))
    }

    /// Walls with one gap each and a clicker lying in wait behind it: who passes is chased, to the
    /// next one.
    fn chase(&mut self) -> Result<Terrain, GenerateError> {
        let Shape { rows, cols } = self.shape;
        self.open_ground();
        if cols < 20 {
            return Err("too small for a chase: at least 20 columns".into());
        }
        let mut posts = Vec::new();
        let mut wall = self.rng.random_range(6..=9u32);
        while wall + 6 < cols {
            let gap = self.rng.random_range(2..rows - 2);
            for row in 1..rows - 1 {
                self.fill(row, wall);
            }
            self.dig_all(gap..=gap, wall - 2..=wall + 2);
            self.dig_all(gap - 1..=gap + 1, wall + 1..=wall + 3);
            let side = if self.rng.random_bool(0.5) { 2 } else { -2 };
            let post =
                self.shape.at(gap as i32 + side, wall as i32 + self.rng.random_range(-1..=1));
            if let Some(post) = post.filter(|c| self.open[c.index()]) {
                posts.push(post);
            }
            wall += self.rng.random_range(7..=12u32);
        }
        self.keep_largest();
        let columns = |range: std::ops::Range<u32>, rng: &mut ChaCha8Rng| {
            let inside = |cell: &Cell| range.contains(&(self.shape.col(*cell) as u32));
            self.shape.iter().filter(|c| self.open[c.index()] && inside(c)).choose(rng)
        };
        let mut rng = self.rng.clone();
        let ellie = columns(1..4, &mut rng).ok_or("the walls leave no start")?;
        let exit = columns(cols - 4..cols - 1, &mut rng).ok_or("the walls leave no exit")?;
        posts.retain(|post| self.open[post.index()]);
        let strewn = self.shape.cells() / 90;
        Ok(self.terrain(ellie, exit, posts, strewn))
    }

    /// A maze with a single way; every short cut through its walls holds a clicker, out of hearing
    /// of who passes by.
    fn traps(&mut self) -> Result<Terrain, GenerateError> {
        let net = self.net(1, 6)?;
        self.maze(net);
        let place = |junction: Cell, pen: &Self| {
            let (row, col) = net.corner(junction);
            pen.cell(row, col)
        };
        let any = Cell(self.rng.random_range(0..net.grid.cells() as u32));
        let ellie = self.farthest(place(any, self));
        let exit = self.farthest(ellie);
        let (from, to) = (self.walk(&[ellie]), self.walk(&[exit]));
        let mut posts = Vec::new();
        for junction in net.grid.iter() {
            for direction in [Direction::East, Direction::South] {
                let Some(next) = net.grid.step(junction, direction) else { continue };
                let (a, b) = (place(junction, self).index(), place(next, self).index());
                let through = (from[a] + to[b]).min(from[b] + to[a]) + net.pitch;
                let saves = through < to[ellie.index()];
                if saves && self.is_shut(net, junction, direction) && self.rng.random_bool(0.7) {
                    self.dig_between(net, junction, direction);
                    let (row, col) = net.corner(junction);
                    let half = net.pitch / 2;
                    let (row, col) = if direction == Direction::East {
                        (row, col + half)
                    } else {
                        (row + half, col)
                    };
                    posts.push(self.cell(row, col));
                }
            }
        }
        Ok(self.terrain(ellie, exit, posts, 0))
    }
}

/// The junctions of a maze: squares of `width` cells, `pitch` cells from one to the next.
#[derive(Clone, Copy)]
struct Net {
    grid: Shape,
    width: u32,
    pitch: u32,
}

impl Net {
    /// Row and column of a junction's top left cell.
    fn corner(self, junction: Cell) -> (u32, u32) {
        let (row, col) = (self.grid.row(junction) as u32, self.grid.col(junction) as u32);
        (1 + row * self.pitch, 1 + col * self.pitch)
    }
}
