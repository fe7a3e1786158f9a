//! The steps that a clicker may take toward what it traces.

use super::board::{Board, Crowd, Site};
use super::fields::{FAR, Fields};
use crate::board::Direction;

/// The cells that a clicker steps to, the one that it likes best first. It takes the first that is
/// free. Which they are does not depend on the other clickers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Steps {
    sites: [Site; 8],
    count: u8,
}

impl Steps {
    fn new() -> Self {
        Steps { sites: [0; 8], count: 0 }
    }

    fn push(&mut self, site: Site) {
        self.sites[self.count as usize] = site;
        self.count += 1;
    }

    /// The first of the cells that is free; `site` where none is.
    #[inline]
    pub(super) fn first_free(&self, clickers: &Crowd, site: Site) -> Site {
        let mut sites = self.sites[..self.count as usize].iter();
        sites.find(|&&next| !clickers.contains(next)).copied().unwrap_or(site)
    }
}

impl Fields {
    /// The steps from `site` toward `target`, which is another cell that has a way to it.
    #[inline]
    pub(super) fn steps(&mut self, board: &Board, site: Site, target: Site) -> Steps {
        let mut steps = Steps::new();
        let (row, col) = board.place(site);
        let (target_row, target_col) = board.place(target);
        let (drow, dcol) = (target_row - row, target_col - col);
        if drow.abs() <= 1 && dcol.abs() <= 1 {
            steps.push(target);
            return steps;
        }
        if drow.abs() <= 2 && dcol.abs() <= 2 {
            let near = &NEAR[((drow + 2) * 5 + dcol + 2) as usize];
            let open = board.open_directions(site);
            for &direction in &near.order[..near.count as usize] {
                if open >> direction & 1 == 1 {
                    steps.push(site.wrapping_add_signed(board.steps[direction as usize]));
                }
            }
            if steps.count > 0 {
                return steps;
            }
        }
        self.far_steps(board, site, target)
    }

    /// The same by a distance field, for a way that is not straight: the neighbours that are one
    /// step nearer, the least offset first, then clockwise.
    fn far_steps(&mut self, board: &Board, site: Site, target: Site) -> Steps {
        let field = self.of(board, target, site);
        let wanted = match field.get(site) {
            0 => FAR - 1,
            steps => steps - 1,
        };
        let (target_row, target_col) = board.place(target);
        let (mut steps, mut offsets) = (Steps::new(), [0; 8]);
        for direction in 0..8 {
            if board.open_directions(site) >> direction & 1 == 0 {
                continue;
            }
            let next = site.wrapping_add_signed(board.steps[direction]);
            if field.get(next) == wanted {
                let (row, col) = board.place(next);
                let offset = row.abs_diff(target_row) + col.abs_diff(target_col);
                let mut at = steps.count as usize;
                steps.push(next);
                while at > 0 && offsets[at - 1] > offset {
                    (steps.sites[at], offsets[at]) = (steps.sites[at - 1], offsets[at - 1]);
                    at -= 1;
                }
                (steps.sites[at], offsets[at]) = (next, offset);
            }
        }
        steps
    }
}

/// First steps of a two-step way to a cell at distance 2, in the order clickers prefer them.
#[derive(Clone, Copy)]
struct Near {
    mask: u8,
    count: u8,
    order: [u8; 3],
}

/// By (row difference + 2) * 5 + column difference + 2.
static NEAR: [Near; 25] = near_table();

const fn near_table() -> [Near; 25] {
    let mut table = [Near { mask: 0, count: 0, order: [0; 3] }; 25];
    let mut index = 0;
    while index < 25 {
        let (drow, dcol) = (index as i32 / 5 - 2, index as i32 % 5 - 2);
        if drow.abs() == 2 || dcol.abs() == 2 {
            // Offsets run from 1 to 4: first the directions that leave the least, then clockwise.
            let mut offset = 0;
            while offset <= 4 {
                let mut direction = 0;
                while direction < 8 {
                    let d = Direction::ALL[direction];
                    let (row, col) = (drow - d.drow(), dcol - d.dcol());
                    if row.abs() <= 1 && col.abs() <= 1 && row.abs() + col.abs() == offset {
                        let near = &mut table[index];
                        near.mask |= 1 << direction;
                        near.order[near.count as usize] = direction as u8;
                        near.count += 1;
                    }
                    direction += 1;
                }
                offset += 1;
            }
        }
        index += 1;
    }
    table
}

/// The first step of a clicker on `site` toward `target` two steps away, where no cell is occupied;
/// `None` where the way is longer than two steps.
pub fn first_step_of_two(board: &Board, site: Site, target: Site) -> Option<Site> {
    let ((row, col), (target_row, target_col)) = (board.place(site), board.place(target));
    let near = &NEAR[((target_row - row + 2) * 5 + target_col - col + 2) as usize];
    let open = board.open_directions(site);
    let mut order = near.order[..near.count as usize].iter();
    let direction = order.find(|&&d| open >> d & 1 == 1)?;
    Some(site.wrapping_add_signed(board.steps[*direction as usize]))
}
