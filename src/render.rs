//! Pictures of areas, with the route of a plan over them.
//!
//! Everything is asked through the waist ([`Session`]), so that any game has its picture. A board
//! that is too large to be viewed cell by cell gives its walls as rectangles; it is drawn as a map
//! then: scaled down to `LONGEST_SIDE`, with walls and route as wide as `Pens::MAP` says, since
//! to scale they would hardly show. SVG is written as text, PNG by the `png` crate.

use crate::games::{Area, Role, Session, Status, Window};
use std::fmt::Write as _;
use std::io;
use std::ops::Range;

/// The longest side of a picture, in pixels.
const LONGEST_SIDE: f64 = 1600.0;
/// The largest cell, in pixels.
const LARGEST_CELL: f64 = 24.0;
/// Cells above which boards are drawn from their walls alone, where a game gives them.
const MAX_VIEWED: u64 = 1 << 20;

/// A colour as red, green, blue.
type Colour = [u8; 3];

const FLOOR: Colour = [250, 249, 245];
const WALL: Colour = [52, 58, 64];
const ROUTE: Colour = [214, 73, 51];

/// Least widths of what is drawn, in pixels.
struct Pens {
    patch: f64,
    route: f64,
    margin: f64,
}

impl Pens {
    /// Pens for a board that is viewed cell by cell.
    const CELLS: Pens = Pens { patch: 1.0, route: 2.0, margin: 0.0 };
    /// Pens for a map. The route is the thinner one, so that a wall that it keeps to shows at its
    /// sides.
    const MAP: Pens = Pens { patch: 6.0, route: 4.0, margin: 8.0 };
}

/// What is to be drawn: rectangles in cells, from the bottom up, and the route.
pub struct Picture {
    board: Window,
    patches: Vec<(Window, Role)>,
    route: Vec<(i64, i64)>,
    /// Pixels of a cell's side.
    scale: f64,
    pens: Pens,
}

impl Picture {
    /// The picture of an area at its start, and of the way that the player takes with these steps
    /// of a plan (see [`Area::steps`]).
    ///
    /// # Errors
    /// The first step that the game refuses, and why; a board that is too large to be viewed.
    pub fn new(area: &dyn Area, steps: &[String]) -> Result<Picture, String> {
        let mut session = area.session();
        let (mut board, start) = session.extent();
        let cells = u64::from(board.rows) * u64::from(board.cols);
        let is_map = cells > MAX_VIEWED;
        let walls = if is_map { session.walls() } else { None };
        let mut patches = match walls {
            Some(walls) => walls.into_iter().map(|wall| (wall, Role::Wall)).collect(),
            None if is_map => {
                return Err(format!("{cells} cells are too many to draw"));
            }
            None => patches(board, &roles(&*session, board)),
        };
        let mut route: Vec<(i64, i64)> = start.into_iter().collect();
        for (number, step) in (1..).zip(steps) {
            session.act(step).map_err(|why| format!("step {number}, {step:?}: {why}"))?;
            let (extent, at) = session.extent();
            board = around(board, extent);
            if at.is_some() && at != route.last().copied() {
                route.extend(at);
            }
        }
        if is_map {
            patches.extend(start.map(|at| (dot(at, board), Role::Player)));
            let goal = route.last().filter(|_| session.status() == Status::Won);
            patches.extend(goal.map(|&at| (dot(at, board), Role::Goal)));
        }
        let pens = if is_map { Pens::MAP } else { Pens::CELLS };
        Ok(Picture::scaled(board, patches, route, pens))
    }

    /// The picture of a game as its player sees it: cells that were not seen are fog.
    ///
    /// # Errors
    /// One sentence for a board that is too large to be viewed.
    pub fn of_game(session: &dyn Session) -> Result<Picture, String> {
        let (board, _) = session.extent();
        let cells = u64::from(board.rows) * u64::from(board.cols);
        if cells > MAX_VIEWED {
            return Err(format!("{cells} cells are too many to draw"));
        }
        let mut codes = vec![0; cells as usize];
        session.observe(board, &mut codes);
        let roles: Vec<Role> = codes.iter().map(|&code| Role::ALL[usize::from(code)]).collect();
        Ok(Picture::scaled(board, patches(board, &roles), Vec::new(), Pens::CELLS))
    }

    /// A picture of the largest scale that has room.
    fn scaled(
        board: Window,
        patches: Vec<(Window, Role)>,
        route: Vec<(i64, i64)>,
        pens: Pens,
    ) -> Picture {
        let longest = f64::from(board.rows.max(board.cols).max(1));
        let scale = ((LONGEST_SIDE - 2.0 * pens.margin) / longest).min(LARGEST_CELL);
        Picture { board, patches, route, scale, pens }
    }

    fn width(&self) -> f64 {
        self.extent(self.board.cols)
    }

    fn height(&self) -> f64 {
        self.extent(self.board.rows)
    }

    fn extent(&self, cells: u32) -> f64 {
        (f64::from(cells) * self.scale + 2.0 * self.pens.margin).ceil().max(1.0)
    }

    /// The left upper corner of a cell, in pixels.
    fn corner(&self, row: i64, col: i64) -> (f64, f64) {
        let x = (col - self.board.col) as f64 * self.scale + self.pens.margin;
        let y = (row - self.board.row) as f64 * self.scale + self.pens.margin;
        (x, y)
    }

    /// A rectangle in pixels: left, top, width, height. What is too thin grows to all sides, so that
    /// walls still meet in full corners.
    fn place(&self, patch: Window) -> (f64, f64, f64, f64) {
        let (left, top) = self.corner(patch.row, patch.col);
        let (width, height) =
            (f64::from(patch.cols) * self.scale, f64::from(patch.rows) * self.scale);
        let grow = (self.pens.patch - width.min(height)).max(0.0);
        (left - grow / 2.0, top - grow / 2.0, width + grow, height + grow)
    }

    /// The middle of a cell, in pixels.
    fn middle(&self, (row, col): (i64, i64)) -> (f64, f64) {
        let (x, y) = self.corner(row, col);
        (x + self.scale / 2.0, y + self.scale / 2.0)
    }

    /// The picture as SVG.
    pub fn svg(&self) -> String {
        let (width, height) = (self.width(), self.height());
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\">\n<rect width=\"{width}\" height=\"{height}\" \
             fill=\"{}\"/>\n",
            hex(FLOOR)
        );
        for &(patch, role) in &self.patches {
            let (x, y, w, h) = self.place(patch);
            let fill = hex(colour(role));
            let _ = writeln!(
                svg,
                "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{w:.2}\" height=\"{h:.2}\" fill=\"{fill}\"/>"
            );
        }
        if self.route.len() > 1 {
            let points = self.route.iter().fold(String::new(), |mut points, &cell| {
                let (x, y) = self.middle(cell);
                let _ = write!(points, "{x:.2},{y:.2} ");
                points
            });
            let _ = writeln!(
                svg,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{:.2}\" \
                 stroke-linejoin=\"round\"/>",
                points.trim_end(),
                hex(ROUTE),
                self.pen()
            );
        }
        svg + "</svg>\n"
    }

    /// Width of the route's line, in pixels.
    fn pen(&self) -> f64 {
        (self.scale / 5.0).max(self.pens.route)
    }

    /// The picture as PNG.
    ///
    /// # Errors
    /// Whatever the encoder cannot do.
    pub fn png(&self) -> io::Result<Vec<u8>> {
        self.canvas().encode()
    }

    /// A small picture as PNG: the whole one, scaled down to a longest side of `longest` pixels
    /// where it is larger.
    ///
    /// # Errors
    /// Whatever the encoder cannot do.
    pub fn thumbnail(&self, longest: usize) -> io::Result<Vec<u8>> {
        self.canvas().shrunk(longest).encode()
    }

    /// The picture as pixels: its width and height, and red, green and blue of each pixel, row by row.
    pub fn pixels(&self) -> (usize, usize, Vec<u8>) {
        let Canvas { width, height, pixels } = self.canvas();
        (width, height, pixels)
    }

    fn canvas(&self) -> Canvas {
        let mut canvas = Canvas::new(self.width() as usize, self.height() as usize);
        for &(patch, role) in &self.patches {
            let (x, y, w, h) = self.place(patch);
            canvas.fill((x, y), (x + w, y + h), colour(role));
        }
        for pair in self.route.windows(2) {
            canvas.line([self.middle(pair[0]), self.middle(pair[1])], self.pen(), ROUTE);
        }
        canvas
    }
}

/// The roles of the cells of a board, row by row.
fn roles(session: &dyn Session, board: Window) -> Vec<Role> {
    let view = session.view(board);
    let letters = view.rows.iter().flat_map(|row| row.chars());
    letters.map(|letter| session.role(letter)).collect()
}

/// The cells of a board that are not floor; equal neighbours of a row as one rectangle.
fn patches(board: Window, roles: &[Role]) -> Vec<(Window, Role)> {
    let mut patches: Vec<(Window, Role)> = Vec::new();
    for (row, roles) in (board.row..).zip(roles.chunks(board.cols.max(1) as usize)) {
        for (col, &role) in (board.col..).zip(roles) {
            let goes_on = |last: &Window, known: Role| {
                known == role && last.row == row && last.col + i64::from(last.cols) == col
            };
            match patches.last_mut() {
                _ if role == Role::Floor => {}
                Some((last, known)) if goes_on(last, *known) => last.cols += 1,
                _ => patches.push((Window { row, col, rows: 1, cols: 1 }, role)),
            }
        }
    }
    patches
}

/// The smallest window around two.
fn around(a: Window, b: Window) -> Window {
    let (row, col) = (a.row.min(b.row), a.col.min(b.col));
    let bottom = (a.row + i64::from(a.rows)).max(b.row + i64::from(b.rows));
    let right = (a.col + i64::from(a.cols)).max(b.col + i64::from(b.cols));
    Window { row, col, rows: (bottom - row) as u32, cols: (right - col) as u32 }
}

/// A square around a cell that can be seen on a large board.
fn dot((row, col): (i64, i64), board: Window) -> Window {
    let side = (board.rows.max(board.cols) / 120).max(1);
    let half = i64::from(side / 2);
    Window { row: row - half, col: col - half, rows: side, cols: side }
}

fn colour(role: Role) -> Colour {
    match role {
        Role::Floor => FLOOR,
        Role::Wall => WALL,
        Role::Player => [43, 108, 196],
        Role::Goal => [46, 160, 67],
        Role::Thing => [196, 140, 60],
        Role::Settled => [122, 150, 60],
        Role::Walker => [200, 120, 170],
        Role::Hunter => [150, 60, 150],
        Role::Shooter => [190, 60, 90],
        Role::Trap => [230, 170, 40],
        Role::Blast => [240, 110, 50],
        Role::Unknown => [205, 205, 200],
    }
}

fn hex([red, green, blue]: Colour) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// Pixels.
struct Canvas {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

impl Canvas {
    fn new(width: usize, height: usize) -> Canvas {
        Canvas { width, height, pixels: FLOOR.repeat(width * height) }
    }

    fn fill(&mut self, from: (f64, f64), to: (f64, f64), colour: Colour) {
        let clamp = |at: f64, most: usize| (at.round().max(0.0) as usize).min(most);
        let (left, right) = (clamp(from.0, self.width), clamp(to.0, self.width));
        let (top, bottom) = (clamp(from.1, self.height), clamp(to.1, self.height));
        for y in top..bottom {
            for x in left..right {
                let at = 3 * (y * self.width + x);
                self.pixels[at..at + 3].copy_from_slice(&colour);
            }
        }
    }

    fn line(&mut self, [from, to]: [(f64, f64); 2], pen: f64, colour: Colour) {
        let steps = (to.0 - from.0).abs().max((to.1 - from.1).abs()).ceil().max(1.0);
        for step in 0..=steps as u32 {
            let part = f64::from(step) / steps;
            let (x, y) = (from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part);
            let half = pen / 2.0;
            self.fill((x - half, y - half), (x + half, y + half), colour);
        }
    }

    /// The same picture, with a longest side of at most `longest` pixels: each is the mean of those
    /// that it stands for.
    fn shrunk(&self, longest: usize) -> Canvas {
        let side = self.width.max(self.height);
        if side <= longest {
            return Canvas { pixels: self.pixels.clone(), ..*self };
        }
        let scaled = |length: usize| (length * longest / side).max(1);
        let (width, height) = (scaled(self.width), scaled(self.height));
        let mut pixels = Vec::with_capacity(3 * width * height);
        for y in 0..height {
            let rows = y * self.height / height..(y + 1) * self.height / height;
            for x in 0..width {
                let cols = x * self.width / width..(x + 1) * self.width / width;
                pixels.extend(self.mean(rows.clone(), cols));
            }
        }
        Canvas { width, height, pixels }
    }

    /// The mean colour of some pixels.
    fn mean(&self, rows: Range<usize>, cols: Range<usize>) -> Colour {
        let mut sums = [0_u64; 3];
        for y in rows.clone() {
            let line =
                &self.pixels[3 * (y * self.width + cols.start)..3 * (y * self.width + cols.end)];
            for (at, &part) in line.iter().enumerate() {
                sums[at % 3] += u64::from(part);
            }
        }
        let count = (rows.len() * cols.len()).max(1) as u64;
        sums.map(|sum| (sum / count) as u8)
    }

    fn encode(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header().map_err(io::Error::other)?;
        writer.write_image_data(&self.pixels).map_err(io::Error::other)?;
        writer.finish().map_err(io::Error::other)?;
        Ok(bytes)
    }
}
