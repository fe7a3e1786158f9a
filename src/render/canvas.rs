//! Pictures as pixels.

use super::Form;
use super::tiles::{Colour, FLOOR};
use std::io;
use std::ops::Range;

/// A picture as pixels.
pub struct Canvas {
    pub width: usize,
    pub height: usize,
    /// Red, green and blue of each pixel, row by row.
    pub pixels: Vec<u8>,
}

impl Canvas {
    pub fn new(width: usize, height: usize) -> Canvas {
        Canvas { width, height, pixels: FLOOR.repeat(width * height) }
    }

    /// Draws a form.
    pub fn draw(&mut self, form: &Form, colour: Colour) {
        match form {
            Form::Rect { left, top, width, height } => {
                self.fill((*left, *top), (left + width, top + height), colour);
            }
            Form::Disc { middle, radius } => self.disc(*middle, *radius, colour),
            Form::Line { points, pen } => {
                for pair in points.windows(2) {
                    self.line([pair[0], pair[1]], *pen, colour);
                }
            }
        }
    }

    /// Copies another canvas to a place, as far as it has room.
    pub fn put(&mut self, other: &Canvas, left: usize) {
        let width = other.width.min(self.width.saturating_sub(left));
        for y in 0..other.height.min(self.height) {
            let (to, from) = (3 * (y * self.width + left), 3 * y * other.width);
            self.pixels[to..to + 3 * width].copy_from_slice(&other.pixels[from..from + 3 * width]);
        }
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

    fn disc(&mut self, (x, y): (f64, f64), radius: f64, colour: Colour) {
        let rows = (y - radius).floor().max(0.0) as usize..(y + radius).ceil().max(0.0) as usize;
        for row in rows {
            let above = row as f64 + 0.5 - y;
            let half = (radius * radius - above * above).max(0.0).sqrt();
            self.fill((x - half, row as f64), (x + half, row as f64 + 1.0), colour);
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

    /// The same picture, scaled down to a longest side of at most `longest` pixels: the colour of each is the mean
    /// of the pixels that it replaces.
    pub fn shrunk(&self, longest: usize) -> Canvas {
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

    /// The picture as PNG.
    pub fn png(&self) -> io::Result<Vec<u8>> {
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
