//! A plan as a moving picture, and its key moments side by side.

use super::canvas::Canvas;
use super::legend;
use super::tiles::{Colour, palette, patches};
use super::{Picture, PictureError, Size, act, around, roles, svg_of, viewable};
use crate::games::{Area, Role, Session, Window};
use gif::{Encoder, Frame, Repeat};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::io;

/// Upper limit of the moments of a strip.
pub const MAX_MOMENTS: usize = 12;

/// The longest side of a moving picture, in pixels.
const LONGEST_SIDE: f64 = 640.0;
/// The longest side of a strip, in pixels, and what is between its pictures.
const STRIP_SIDE: f64 = 1600.0;
const GAP: f64 = 8.0;
/// Upper limit of the frames of a moving picture; of a longer plan several steps are one frame.
const MAX_FRAMES: usize = 1200;
/// Upper limit of the cells that are looked at for one moving picture or strip.
const MAX_LOOKS: u64 = 1 << 31;
/// Wanted length of a moving picture, and the limits of a frame's time, in hundredths of a second.
const WHOLE: usize = 2000;
const SHORTEST_FRAME: usize = 4;
const LONGEST_FRAME: usize = 20;
/// How long the last frame stays, in hundredths of a second.
const END: u16 = 200;

/// A plan as an animated GIF: the board after each step, again and again. Of a plan of more than 1 200 steps several
/// are one frame.
///
/// # Errors
/// The first step that the game refuses, and why; a board that is too large to be viewed.
///
/// ```
/// let level = outwit::parse("######\n#@$ .#\n######\n")?.only()?;
/// let moving = outwit::render::gif(&*level, &["R".into(), "R".into()]).expect("a picture");
/// assert!(moving.starts_with(b"GIF89a"));
/// # Ok::<(), outwit::Error>(())
/// ```
pub fn gif(area: &dyn Area, steps: &[String]) -> Result<Vec<u8>, PictureError> {
    gif_of(area, steps, Size::Fitting)
}

/// The same moving picture in a size.
///
/// # Errors
/// The sentence is one of [`gif()`], or says that the pictures would be too large.
pub fn gif_of(area: &dyn Area, steps: &[String], size: Size) -> Result<Vec<u8>, PictureError> {
    let board = board_of(area, steps)?;
    let stride = steps.len().div_ceil(MAX_FRAMES).max(1);
    let frames = steps.len().div_ceil(stride) + 1;
    check_looks(board, frames)?;
    let scale = size.scale(board, 0.0, LONGEST_SIDE, frames)?;
    let colours = palette();
    let delay = (WHOLE / frames).clamp(SHORTEST_FRAME, LONGEST_FRAME) as u16;
    let mut session = area.session();
    let mut film = Film::new(picture(&*session, board, scale).canvas(), &colours, delay)?;
    for (number, step) in (1..).zip(steps) {
        act(&mut *session, number, step)?;
        if number % stride == 0 && number != steps.len() {
            film.add(picture(&*session, board, scale).canvas(), delay)?;
        }
    }
    film.add(picture(&*session, board, scale).canvas(), END)?;
    film.finish()
}

/// Key moments of a plan side by side: the start, the end, and between them moments at which something besides the
/// player has moved.
#[derive(Debug)]
pub struct Strip(Vec<Picture>);

impl Strip {
    /// The strip of this many moments, at least 2 and at most [`MAX_MOMENTS`]; fewer where a plan has fewer.
    ///
    /// # Errors
    /// The first step that the game refuses, and why; a board that is too large to be viewed.
    pub fn new(area: &dyn Area, steps: &[String], moments: usize) -> Result<Strip, PictureError> {
        Strip::of(area, steps, moments, Size::Fitting)
    }

    /// The same strip in a size.
    ///
    /// # Errors
    /// The sentence is one of [`Strip::new`], or says that the pictures would be too large.
    pub fn of(
        area: &dyn Area,
        steps: &[String],
        moments: usize,
        size: Size,
    ) -> Result<Strip, PictureError> {
        let board = board_of(area, steps)?;
        check_looks(board, 2 * (steps.len() + 1))?;
        let moments = moments.clamp(2, MAX_MOMENTS);
        let side = (STRIP_SIDE + GAP) / moments as f64 - GAP;
        // All pictures are there at once.
        let whole = Window { cols: board.cols.saturating_mul(moments as u32), ..board };
        size.scale(whole, 0.0, STRIP_SIDE, 1)?;
        let scale = size.scale(board, 0.0, side, 1)?;
        let chosen = chosen(&moved(area, steps)?, steps.len(), moments);
        let mut session = area.session();
        let mut pictures = vec![picture(&*session, board, scale)];
        for (number, step) in (1..).zip(steps) {
            act(&mut *session, number, step)?;
            if chosen.contains(&number) {
                pictures.push(picture(&*session, board, scale));
            }
        }
        Ok(Strip(pictures))
    }

    /// The strip as SVG.
    pub fn svg(&self) -> String {
        svg_of(self.width(), self.height(), &self.svg_content())
    }

    /// The strip as SVG, with a legend below it that says what is what.
    pub fn explained_svg(&self, area: &dyn Area) -> String {
        let legend = legend::draw(self.0.iter(), area.game().game().legend(), self.height());
        let size = (self.width().max(legend.width), self.height() + legend.height);
        svg_of(size.0, size.1, &(self.svg_content() + &legend.content))
    }

    fn svg_content(&self) -> String {
        let mut content = String::new();
        for (picture, left) in self.places() {
            // Writing to a string does not fail.
            let _ = write!(
                content,
                "<g transform=\"translate({left},0)\">\n{}</g>\n",
                picture.svg_content()
            );
        }
        content
    }

    /// The strip as PNG.
    ///
    /// # Errors
    /// Whatever the encoder cannot do.
    pub fn png(&self) -> io::Result<Vec<u8>> {
        let mut canvas = Canvas::new(self.width() as usize, self.height() as usize);
        for (picture, left) in self.places() {
            canvas.put(&picture.canvas(), left as usize);
        }
        canvas.png()
    }

    /// The pictures, and where each begins.
    fn places(&self) -> impl Iterator<Item = (&Picture, f64)> {
        self.0
            .iter()
            .enumerate()
            .map(|(place, picture)| (picture, place as f64 * (picture.width() + GAP)))
    }

    fn width(&self) -> f64 {
        self.places().last().map_or(1.0, |(picture, left)| left + picture.width())
    }

    fn height(&self) -> f64 {
        self.0.first().map_or(1.0, Picture::height)
    }
}

/// The picture of a game as it stands.
fn picture(session: &dyn Session, board: Window, scale: f64) -> Picture {
    let here = session.extent().0;
    let mut all = vec![Role::Unknown; board.rows as usize * board.cols as usize];
    let seen = roles(session, here);
    for (row, line) in (here.row..).zip(seen.chunks(here.cols.max(1) as usize)) {
        let from =
            (row - board.row) as usize * board.cols as usize + (here.col - board.col) as usize;
        all[from..from + line.len()].copy_from_slice(line);
    }
    Picture::scaled(board, patches(board, &all), scale)
}

/// The smallest window around the board at all times.
fn board_of(area: &dyn Area, steps: &[String]) -> Result<Window, PictureError> {
    let mut session = area.session();
    let mut board = viewable(session.extent().0)?;
    for (number, step) in (1..).zip(steps) {
        act(&mut *session, number, step)?;
        board = viewable(around(board, session.extent().0))?;
    }
    Ok(board)
}

fn check_looks(board: Window, frames: usize) -> Result<(), PictureError> {
    let cells = super::cells(board);
    match cells.checked_mul(frames as u64).is_none_or(|looks| looks > MAX_LOOKS) {
        true => Err(PictureError::TooLarge(format!(
            "{frames} pictures of {cells} cells are too many to draw"
        ))),
        false => Ok(()),
    }
}

/// The steps, from 1, after which something besides the player stands elsewhere.
fn moved(area: &dyn Area, steps: &[String]) -> Result<Vec<usize>, PictureError> {
    let is_other = |role: Role| {
        !matches!(role, Role::Player | Role::Floor | Role::Wall | Role::Goal | Role::Unknown)
    };
    let others = |session: &dyn Session| -> Vec<(i64, i64, Role)> {
        let board = session.extent().0;
        let cols = board.cols.max(1) as usize;
        let seen = roles(session, board).into_iter().enumerate();
        let others = seen.filter(|&(_, role)| is_other(role));
        let at =
            |place: usize| (board.row + (place / cols) as i64, board.col + (place % cols) as i64);
        others.map(|(place, role)| (at(place).0, at(place).1, role)).collect()
    };
    let mut session = area.session();
    let (mut before, mut moved) = (others(&*session), Vec::new());
    for (number, step) in (1..).zip(steps) {
        act(&mut *session, number, step)?;
        let now = others(&*session);
        if now != before {
            moved.push(number);
            before = now;
        }
    }
    Ok(moved)
}

/// As many moments after the start, the last of them the end: evenly among those at which something has moved, or
/// among all steps where these are too few.
fn chosen(moved: &[usize], steps: usize, moments: usize) -> Vec<usize> {
    let all: Vec<usize> = (1..=steps).collect();
    let between = moments - 2;
    let among = if moved.len() > between { moved } else { &all };
    let inner: Vec<usize> = among.iter().copied().filter(|&step| step < steps).collect();
    let count = between.min(inner.len());
    let places = (1..=count).map(|number| number * inner.len() / (count + 1));
    places.map(|place| inner[place]).chain((steps > 0).then_some(steps)).collect()
}

/// A moving picture that is being written: each frame as the part that has changed.
struct Film {
    encoder: Encoder<Vec<u8>>,
    numbers: HashMap<Colour, u8>,
    /// The frame that is shown, and how long.
    last: Canvas,
    frame: Frame<'static>,
}

impl Film {
    fn new(first: Canvas, colours: &[Colour], delay: u16) -> Result<Self, PictureError> {
        let (width, height) = (first.width as u16, first.height as u16);
        let encoder = Encoder::new(Vec::new(), width, height, &colours.concat());
        let mut encoder = encoder.map_err(PictureError::encoding)?;
        encoder.set_repeat(Repeat::Infinite).map_err(PictureError::encoding)?;
        let numbers = colours.iter().copied().zip(0..).collect();
        let mut film = Film { encoder, numbers, frame: Frame::default(), last: first };
        film.frame = film.part((0, 0), (film.last.width, film.last.height));
        film.frame.delay = delay;
        Ok(film)
    }

    /// Shows the next picture after the last one; where they are the same, the last one stays longer.
    fn add(&mut self, next: Canvas, delay: u16) -> Result<(), PictureError> {
        let changed = changed(&self.last, &next);
        self.last = next;
        let Some((from, to)) = changed else {
            self.frame.delay = self.frame.delay.saturating_add(delay);
            return Ok(());
        };
        let part = self.part(from, to);
        self.write()?;
        self.frame = Frame { delay, ..part };
        Ok(())
    }

    /// A part of the last picture as a frame: columns and rows from one corner to, not including, the other.
    fn part(&self, from: (usize, usize), to: (usize, usize)) -> Frame<'static> {
        let mut buffer = Vec::with_capacity((to.0 - from.0) * (to.1 - from.1));
        for y in from.1..to.1 {
            let row = &self.last.pixels[3 * y * self.last.width..];
            let pixels = row[3 * from.0..3 * to.0].chunks_exact(3);
            buffer.extend(pixels.map(|pixel| self.numbers[&[pixel[0], pixel[1], pixel[2]]]));
        }
        Frame {
            left: from.0 as u16,
            top: from.1 as u16,
            width: (to.0 - from.0) as u16,
            height: (to.1 - from.1) as u16,
            buffer: buffer.into(),
            ..Frame::default()
        }
    }

    fn write(&mut self) -> Result<(), PictureError> {
        self.encoder.write_frame(&self.frame).map_err(PictureError::encoding)
    }

    fn finish(mut self) -> Result<Vec<u8>, PictureError> {
        self.write()?;
        self.encoder.into_inner().map_err(PictureError::encoding)
    }
}

/// The smallest rectangle in which two pictures differ: from its first column and row to the ones after its last.
fn changed(last: &Canvas, next: &Canvas) -> Option<((usize, usize), (usize, usize))> {
    let row = |canvas: &Canvas, y: usize| 3 * y * canvas.width..3 * (y + 1) * canvas.width;
    let differs = |y: &usize| last.pixels[row(last, *y)] != next.pixels[row(next, *y)];
    let top = (0..next.height).find(differs)?;
    let bottom = (0..next.height).rev().find(differs)? + 1;
    let (mut left, mut right) = (next.width, 0);
    for y in top..bottom {
        let differs = |x: &usize| {
            let at = 3 * (y * next.width + x);
            last.pixels[at..at + 3] != next.pixels[at..at + 3]
        };
        left = (0..left).find(differs).unwrap_or(left);
        right = (right..next.width).rev().find(differs).map_or(right, |x| x + 1);
    }
    Some(((left, top), (right, bottom)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gif::{ColorOutput, DecodeOptions};

    /// The frames of a moving picture, as whole pictures.
    fn frames(bytes: &[u8]) -> Vec<(u16, Vec<u8>)> {
        let mut options = DecodeOptions::new();
        options.set_color_output(ColorOutput::Indexed);
        let mut decoder = options.read_info(bytes).expect("a picture");
        let width = usize::from(decoder.width());
        let mut screen = vec![0; width * usize::from(decoder.height())];
        let mut frames = Vec::new();
        while let Some(frame) = decoder.read_next_frame().expect("a frame") {
            for y in 0..usize::from(frame.height) {
                for x in 0..usize::from(frame.width) {
                    let at = (y + usize::from(frame.top)) * width + x + usize::from(frame.left);
                    screen[at] = frame.buffer[y * usize::from(frame.width) + x];
                }
            }
            frames.push((frame.delay, screen.clone()));
        }
        frames
    }

    #[test]
    fn each_frame_is_the_board_after_a_step() {
        let level =
            crate::parse("#######\n#@ $ .#\n#######\n").expect("a file").only().expect("a level");
        let steps: Vec<String> = ["r", "R", "R"].map(String::from).to_vec();
        let shown = frames(&gif(&*level, &steps).expect("a picture"));
        assert_eq!(shown.iter().map(|(delay, _)| *delay).collect::<Vec<_>>(), [20, 20, 20, END]);
        let board = board_of(&*level, &steps).expect("a board");
        let scale = Size::Fitting.scale(board, 0.0, LONGEST_SIDE, 4).expect("a size");
        let (mut session, colours) = (level.session(), palette());
        for (place, (_, screen)) in shown.iter().enumerate() {
            if place > 0 {
                session.act(&steps[place - 1]).expect("a step");
            }
            let canvas = picture(&*session, board, scale).canvas();
            let drawn = screen.iter().flat_map(|&number| colours[usize::from(number)]);
            assert!(drawn.eq(canvas.pixels.iter().copied()), "frame {place}");
        }
    }

    #[test]
    fn a_strip_shows_where_boxes_are_pushed() {
        assert_eq!(chosen(&[3, 5, 7, 9], 10, 4), [5, 7, 10]);
        assert_eq!(chosen(&[], 4, 4), [2, 3, 4]);
        assert_eq!(chosen(&[1], 1, 6), [1]);
        assert_eq!(chosen(&[], 0, 3), [0; 0]);
        let level = crate::parse("########\n#@  $ .#\n########\n")
            .expect("a file")
            .only()
            .expect("a level");
        let steps: Vec<String> = ["r", "r", "R", "R"].map(String::from).to_vec();
        assert_eq!(moved(&*level, &steps), Ok(vec![3, 4]));
        let strip = Strip::new(&*level, &steps, 3).expect("a strip");
        assert_eq!(strip.svg().matches("<g ").count(), 3);
        assert!(strip.png().expect("a picture").starts_with(b"\x89PNG"));
    }

    #[test]
    fn what_is_too_much_is_refused() {
        let level =
            crate::parse("######\n#@$ .#\n######\n").expect("a file").only().expect("a level");
        assert!(gif(&*level, &["L".into()]).is_err());
        let steps = ["R".into(), "R".into()];
        assert!(gif_of(&*level, &steps, Size::Cell(100)).is_ok());
        let strip = |moments, cell| Strip::of(&*level, &steps, moments, Size::Cell(cell));
        assert_eq!(strip(2, 100).map(|strip| strip.width()), Ok(1208.0));
        assert!(strip(12, 256).is_err());
        let board = Window { row: 0, col: 0, rows: 1000, cols: 1000 };
        assert!(check_looks(board, 100).is_ok() && check_looks(board, 10_000).is_err());
    }
}
