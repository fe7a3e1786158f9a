//! Distance fields around sounds, for clickers whose way is not straight.

use super::board::{Board, Site};
use super::known_steps::KnownSteps;

/// Distances to one cell, as far out as they were asked for, in their bounding box.
///
/// They are kept modulo [`FAR`]: neighbours differ by at most 1, so that is enough to descend.
#[derive(Clone)]
pub(super) struct Field {
    first_row: u32,
    first_col: u32,
    cols: u32,
    stride: u32,
    steps: Box<[u16]>,
}

pub(super) const FAR: u16 = u16::MAX;

impl Field {
    #[inline]
    pub(super) fn get(&self, site: Site) -> u16 {
        let (row, col) = (site / self.stride, site % self.stride);
        let (row, col) = (row.wrapping_sub(self.first_row), col.wrapping_sub(self.first_col));
        if col >= self.cols {
            return FAR;
        }
        self.steps
            .get((row as usize).wrapping_mul(self.cols as usize) + col as usize)
            .copied()
            .unwrap_or(FAR)
    }
}

/// Divisor of the memory for cached fields: the table of steps has at most this share.
const STEPS_PART: usize = 64;

/// Distance fields around sounds, cached within a bound of memory.
#[derive(Clone)]
pub(super) struct Fields {
    known: ahash::HashMap<Site, Field>,
    held: usize,
    limit: usize,
    /// Steps that were read off them.
    pub(super) known_steps: KnownSteps,
    /// Working memory of the breadth-first search: distance of a cell, FAR between searches.
    steps: Vec<u16>,
    queue: Vec<Site>,
}

impl Fields {
    pub(super) fn new(sites: usize, limit: usize) -> Self {
        Fields {
            known: Default::default(),
            held: 0,
            limit,
            known_steps: KnownSteps::within(limit / STEPS_PART),
            steps: vec![FAR; sites],
            queue: Vec::new(),
        }
    }

    /// Bytes held, with the working memory.
    pub(super) fn bytes(&self) -> usize {
        let working =
            self.steps.len() * size_of::<u16>() + self.queue.capacity() * size_of::<Site>();
        self.held + self.known_steps.bytes() + working
    }

    /// The field around `target`, out to `site` at least. There is a way between the two.
    pub(super) fn of(&mut self, board: &Board, target: Site, site: Site) -> &Field {
        let reached = self.known.get(&target).is_some_and(|field| field.get(site) != FAR);
        if !reached {
            let field = self.search(board, target, site);
            if self.held + field.steps.len() * 2 > self.limit {
                self.known.clear();
                self.held = 0;
            }
            self.held += field.steps.len() * 2 + 64;
            if let Some(old) = self.known.insert(target, field) {
                self.held -= old.steps.len() * 2 + 64;
            }
        }
        &self.known[&target]
    }

    /// Breadth-first search from `target` until `site` is reached.
    fn search(&mut self, board: &Board, target: Site, site: Site) -> Field {
        self.queue.clear();
        self.queue.push(target);
        self.steps[target as usize] = 0;
        let mut head = 0;
        'search: while let Some(&at) = self.queue.get(head) {
            head += 1;
            let steps = self.steps[at as usize];
            let mut open = board.open_directions(at);
            while open != 0 {
                let next = at.wrapping_add_signed(board.steps[open.trailing_zeros() as usize]);
                open &= open - 1;
                if self.steps[next as usize] == FAR {
                    self.steps[next as usize] = if steps == FAR - 1 { 0 } else { steps + 1 };
                    self.queue.push(next);
                    if next == site {
                        break 'search;
                    }
                }
            }
        }
        let rows = self.queue.iter().map(|s| s / board.stride);
        let (first_row, last_row) = (rows.clone().min().unwrap_or(0), rows.max().unwrap_or(0));
        let cols = self.queue.iter().map(|s| s % board.stride);
        let (first_col, last_col) = (cols.clone().min().unwrap_or(0), cols.max().unwrap_or(0));
        let cols = last_col - first_col + 1;
        let mut field = Field {
            first_row,
            first_col,
            cols,
            stride: board.stride,
            steps: vec![FAR; ((last_row - first_row + 1) * cols) as usize].into_boxed_slice(),
        };
        for &at in &self.queue {
            let index = (at / board.stride - first_row) * cols + at % board.stride - first_col;
            field.steps[index as usize] = self.steps[at as usize];
            self.steps[at as usize] = FAR;
        }
        field
    }
}
