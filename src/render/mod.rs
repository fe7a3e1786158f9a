//! Pictures of areas, with the route of a plan over them; plans as moving pictures, and as strips of their key moments.
//!
//! Everything is asked through the waist ([`Session`]), so that any game has its picture. Very large boards are drawn
//! as maps: the game gives its walls as rectangles, the board is scaled down to `LONGEST_SIDE`, and walls and route are
//! as wide as `Pens::MAP` says, because to scale they would hardly show. SVG is written as text, PNG by the `png` crate, GIF by the `gif` crate.

mod canvas;
mod error;
mod film;
mod heat;
mod legend;
mod markup;
mod size;
mod tiles;

pub use error::PictureError;
pub use film::{MAX_MOMENTS, Strip, gif, gif_of};
#[cfg(feature = "cli")]
pub(crate) use markup::escaped;
pub use size::{MAX_CELL, Size};

use crate::check::Searched;
use crate::games::{Area, Role, Session, Status, Window};
use canvas::Canvas;
use heat::Heat;
use std::fmt::Write as _;
use std::io;
use tiles::{Colour, FLOOR, ROUTE, THROW, Tile, patches};

/// The longest side of a picture, in pixels.
const LONGEST_SIDE: f64 = 1600.0;
/// Cells above which boards are drawn from their walls alone, where a game gives them.
const MAX_VIEWED: u64 = 1 << 20;

/// Least widths of what is drawn, in pixels.
#[derive(Debug)]
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

/// A form in a picture; lengths are in pixels.
enum Form {
    Rect { left: f64, top: f64, width: f64, height: f64 },
    Disc { middle: (f64, f64), radius: f64 },
    Line { points: Vec<(f64, f64)>, pen: f64 },
}

/// A cell: its row and its column.
type Cell = (i64, i64);

/// A picture of a board: its tiles from the bottom up, the route, and throws.
#[derive(Debug)]
pub struct Picture {
    board: Window,
    patches: Vec<(Window, Tile)>,
    route: Vec<Cell>,
    /// Where something was thrown from, and where to.
    throws: Vec<[Cell; 2]>,
    /// Where a proof has searched.
    heat: Option<Heat>,
    /// Pixels of a cell's side.
    scale: f64,
    pens: Pens,
}

impl Picture {
    /// The picture of an area at its start, and of the way that the player takes with these steps
    /// of a plan (see [`Area::steps`]), with what is thrown on it.
    ///
    /// # Errors
    /// The first step that the game refuses, and why; a board that is too large to be viewed.
    pub fn new(area: &dyn Area, steps: &[String]) -> Result<Picture, PictureError> {
        Picture::of(area, steps, Size::Fitting)
    }

    /// The same picture in a size.
    ///
    /// # Errors
    /// The sentence is one of [`Picture::new`], or says that the picture would be too large.
    pub fn of(area: &dyn Area, steps: &[String], size: Size) -> Result<Picture, PictureError> {
        let mut session = area.session();
        let (mut board, start) = session.extent();
        let is_map = cells(board) > MAX_VIEWED;
        let walls = if is_map { session.walls() } else { None };
        let mut patches = match walls {
            Some(walls) => walls.into_iter().map(|wall| (wall, Tile::Of(Role::Wall))).collect(),
            None => patches(board, &roles(&*session, viewable(board)?)),
        };
        let mut route: Vec<Cell> = start.into_iter().collect();
        let mut throws = Vec::new();
        for (number, step) in (1..).zip(steps) {
            let target = session.target(step);
            act(&mut *session, number, step)?;
            let (extent, at) = session.extent();
            board = around(board, extent);
            throws.extend(route.last().copied().zip(target).map(|(from, to)| [from, to]));
            if at.is_some() && at != route.last().copied() {
                route.extend(at);
            }
        }
        if is_map {
            patches.extend(start.map(|at| (dot(at, board), Tile::Of(Role::Player))));
            let goal = route.last().filter(|_| session.status() == Status::Won);
            patches.extend(goal.map(|&at| (dot(at, board), Tile::Of(Role::Goal))));
        }
        let pens = if is_map { Pens::MAP } else { Pens::CELLS };
        let scale = size.scale(board, pens.margin, LONGEST_SIDE, 1)?;
        Ok(Picture { board, patches, route, throws, heat: None, scale, pens })
    }

    /// The picture of a game as its player sees it: cells that were not seen are fog.
    ///
    /// # Errors
    /// One sentence for a board that is too large to be viewed.
    pub fn of_game(session: &dyn Session) -> Result<Picture, PictureError> {
        let board = viewable(session.extent().0)?;
        let mut codes = vec![0; cells(board) as usize];
        session.observe(board, &mut codes);
        let roles: Vec<Role> = codes.iter().map(|&code| Role::ALL[usize::from(code)]).collect();
        let scale = Size::Fitting.scale(board, Pens::CELLS.margin, LONGEST_SIDE, 1)?;
        Ok(Picture::scaled(board, patches(board, &roles), scale))
    }

    /// A picture without a route, cell by cell.
    fn scaled(board: Window, patches: Vec<(Window, Tile)>, scale: f64) -> Picture {
        let pens = Pens::CELLS;
        let (route, throws) = (Vec::new(), Vec::new());
        Picture { board, patches, route, throws, heat: None, scale, pens }
    }

    /// Colours the cells where a proof has searched, by the number of its states there.
    pub fn mark(&mut self, searched: &Searched) {
        self.heat = Some(Heat::new(searched));
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

    /// The rectangle of one cell, as [`Picture::place`] has it.
    fn place_of(&self, row: i64, col: i64) -> (f64, f64, f64, f64) {
        self.place(Window { row, col, rows: 1, cols: 1 })
    }

    /// The middle of a cell, in pixels.
    fn middle(&self, (row, col): Cell) -> (f64, f64) {
        let (x, y) = self.corner(row, col);
        (x + self.scale / 2.0, y + self.scale / 2.0)
    }

    /// The picture's forms, from the bottom up.
    fn forms(&self) -> Vec<(Form, Colour)> {
        let mut forms = Vec::with_capacity(self.patches.len() + 2 * self.throws.len() + 1);
        self.heat.iter().for_each(|heat| heat.draw(self, &mut forms));
        for &(patch, tile) in &self.patches {
            tile.draw(self.place(patch), &mut forms);
        }
        if self.route.len() > 1 {
            let points = self.route.iter().map(|&cell| self.middle(cell)).collect();
            forms.push((Form::Line { points, pen: self.pen() }, ROUTE));
        }
        for ends in &self.throws {
            let points = ends.map(|cell| self.middle(cell));
            let pen = (self.pen() / 2.0).max(1.0);
            forms.push((Form::Line { points: points.to_vec(), pen }, THROW));
            let radius = (self.scale / 4.0).max(2.0);
            forms.push((Form::Disc { middle: points[1], radius }, THROW));
        }
        forms
    }

    /// The picture as SVG.
    pub fn svg(&self) -> String {
        let (width, height) = (self.width(), self.height());
        svg_of(width, height, &self.svg_content())
    }

    /// The picture as SVG, with a legend below it that says what is what.
    pub fn explained_svg(&self, area: &dyn Area) -> String {
        let legend =
            legend::draw(std::iter::once(self), area.game().game().legend(), self.height());
        let size = (self.width().max(legend.width), self.height() + legend.height);
        svg_of(size.0, size.1, &(self.svg_content() + &legend.content))
    }

    /// The picture's forms as elements of SVG.
    fn svg_content(&self) -> String {
        let mut content = String::new();
        for (form, colour) in self.forms() {
            element(&mut content, &form, &hex(colour));
        }
        content
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
        self.canvas().png()
    }

    /// A small picture as PNG: the whole one, scaled down to a longest side of `longest` pixels
    /// where it is larger.
    ///
    /// # Errors
    /// Whatever the encoder cannot do.
    pub fn thumbnail(&self, longest: usize) -> io::Result<Vec<u8>> {
        self.canvas().shrunk(longest).png()
    }

    /// The picture as pixels: its width and height, and red, green and blue of each pixel, row by row.
    pub fn pixels(&self) -> (usize, usize, Vec<u8>) {
        let Canvas { width, height, pixels } = self.canvas();
        (width, height, pixels)
    }

    fn canvas(&self) -> Canvas {
        let mut canvas = Canvas::new(self.width() as usize, self.height() as usize);
        self.forms().iter().for_each(|(form, colour)| canvas.draw(form, *colour));
        canvas
    }
}

/// A file of SVG with this content.
fn svg_of(width: f64, height: f64, content: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\">\n<rect width=\"{width}\" height=\"{height}\" \
         fill=\"{}\"/>\n{content}</svg>\n",
        hex(FLOOR)
    )
}

/// Writes a form as an element of SVG.
fn element(svg: &mut String, form: &Form, colour: &str) {
    // Writing to a string does not fail.
    let _ = match form {
        Form::Rect { left, top, width, height } => writeln!(
            svg,
            "<rect x=\"{left:.2}\" y=\"{top:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" \
             fill=\"{colour}\"/>"
        ),
        Form::Disc { middle: (x, y), radius } => {
            writeln!(
                svg,
                "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"{radius:.2}\" fill=\"{colour}\"/>"
            )
        }
        Form::Line { points, pen } => {
            let points: Vec<_> = points.iter().map(|(x, y)| format!("{x:.2},{y:.2}")).collect();
            writeln!(
                svg,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" \
                 stroke-width=\"{pen:.2}\" stroke-linejoin=\"round\"/>",
                points.join(" ")
            )
        }
    };
}

/// Does a step; its number, from 1, is for the error.
fn act(session: &mut dyn Session, number: usize, step: &str) -> Result<(), PictureError> {
    let refused = |reason| PictureError::Step { number, step: step.to_string(), reason };
    session.act(step).map_err(refused)
}

/// Number of cells.
fn cells(board: Window) -> u64 {
    u64::from(board.rows) * u64::from(board.cols)
}

/// The board, if it is small enough to be viewed cell by cell.
fn viewable(board: Window) -> Result<Window, PictureError> {
    match cells(board) {
        many if many > MAX_VIEWED => {
            Err(PictureError::TooLarge(format!("{many} cells are too many to draw")))
        }
        _ => Ok(board),
    }
}

/// The roles of the cells of a board, row by row.
fn roles(session: &dyn Session, board: Window) -> Vec<Role> {
    let view = session.view(board);
    let letters = view.rows.iter().flat_map(|row| row.chars());
    letters.map(|letter| session.role(letter)).collect()
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

fn hex([red, green, blue]: Colour) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}
