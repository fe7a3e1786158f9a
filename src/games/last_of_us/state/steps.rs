//! The steps that a clicker may take toward what it traces.

use super::board::{Board, Clicker, Crowd, NOTHING, Site};
use super::fields::{FAR, Fields};
use super::known_steps::Steps;
use crate::board::Direction;
use smallvec::SmallVec;

impl Fields {
    /// The steps from `site` toward `target`, which is another cell that has a way to it.
    #[inline]
    pub(super) fn steps(&mut self, board: &Board, site: Site, target: Site) -> Steps {
        if let Some(steps) = self.known_steps.get(site, target) {
            return steps;
        }
        let steps =
            near_steps(board, site, target).unwrap_or_else(|| self.far_steps(board, site, target));
        self.known_steps.keep(site, target, steps);
        steps
    }

    /// A clicker that has just heard a sound at `target`, to which its way is longer than two steps, after its
    /// step. It traces nothing where there is no way.
    #[cold]
    pub(super) fn step_far(
        &mut self,
        board: &Board,
        clickers: &Crowd,
        site: Site,
        target: Site,
    ) -> Clicker {
        if board.component[site as usize] != board.component[target as usize] {
            return Clicker { site, target: NOTHING };
        }
        Clicker { site: self.steps(board, site, target).first_free(board, clickers, site), target }
    }

    /// The steps by a distance field, for a way that is not straight: the neighbours that are one
    /// step nearer, the least offset first, then clockwise.
    #[cold]
    fn far_steps(&mut self, board: &Board, site: Site, target: Site) -> Steps {
        let field = self.of(board, target, site);
        let wanted = match field.get(site) {
            0 => FAR - 1,
            steps => steps - 1,
        };
        let (target_row, target_col) = board.place(target);
        let mut steps: SmallVec<[(u32, u8); 8]> = SmallVec::new();
        for direction in 0..8 {
            if board.open_directions(site) >> direction & 1 == 0 {
                continue;
            }
            let next = site.wrapping_add_signed(board.steps[direction as usize]);
            if field.get(next) == wanted {
                let (row, col) = board.place(next);
                let offset = row.abs_diff(target_row) + col.abs_diff(target_col);
                steps.push((offset, direction));
            }
        }
        steps.sort_unstable();
        let directions: SmallVec<[u8; 8]> =
            steps.into_iter().map(|(_, direction)| direction).collect();
        Steps::of(&directions)
    }
}

/// The steps toward a cell at distance 1 or 2, where the way is straight.
fn near_steps(board: &Board, site: Site, target: Site) -> Option<Steps> {
    let (row, col) = board.place(site);
    let (target_row, target_col) = board.place(target);
    let (drow, dcol) = (target_row - row, target_col - col);
    if drow.abs() > 2 || dcol.abs() > 2 {
        return None;
    }
    if drow.abs() <= 1 && dcol.abs() <= 1 {
        let is_there = |d: &Direction| (d.drow(), d.dcol()) == (drow, dcol);
        let direction = Direction::ALL.iter().position(is_there)?;
        return Some(Steps::of(&[direction as u8]));
    }
    let near = &NEAR[((drow + 2) * 5 + dcol + 2) as usize];
    let open = board.open_directions(site);
    let is_open = |&&direction: &&u8| open >> direction & 1 == 1;
    let order = near.order[..near.count as usize].iter().filter(is_open).copied();
    let directions: SmallVec<[u8; 3]> = order.collect();
    (!directions.is_empty()).then(|| Steps::of(&directions))
}

/// First steps of a two-step way to a cell at distance 2, in the order clickers prefer them.
#[derive(Clone, Copy)]
struct Near {
    mask: u8,
    count: u8,
    order: [u8; 3],
}

/// By (row difference + 2) * 5 + column difference + 2.
const NEAR: [Near; 25] = near_table();

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

/// The ways of one or two steps to the centre of a hearing window, by the bit of the cell that they begin at.
static HEARD: [Near; 25] = heard_table();

const fn heard_table() -> [Near; 25] {
    let mut table = [Near { mask: 0, count: 0, order: [0; 3] }; 25];
    let mut bit = 0;
    while bit < 25 {
        // The sound lies in the opposite direction.
        table[bit] = NEAR[24 - bit];
        let mut direction = 0;
        while direction < 8 {
            let d = Direction::ALL[direction];
            if (2 - d.drow()) * 5 + 2 - d.dcol() == bit as i32 {
                let order = [direction as u8, 0, 0];
                table[bit] = Near { mask: 1 << direction, count: 1, order };
            }
            direction += 1;
        }
        bit += 1;
    }
    table
}

/// The cell that a clicker on `site` steps to toward a sound in whose hearing window it is `bit`; `site` where the
/// cells on its way are occupied, `None` where the way is longer than two steps.
#[inline]
pub(super) fn first_free_near(
    board: &Board,
    clickers: &Crowd,
    site: Site,
    bit: usize,
) -> Option<Site> {
    let near = &HEARD[bit];
    let open = board.open_directions(site);
    for &direction in &near.order[..near.count as usize] {
        if open >> direction & 1 == 1 {
            let next = site.wrapping_add_signed(board.steps[direction as usize]);
            if !clickers.contains(next) {
                return Some(next);
            }
        }
    }
    (open & near.mask != 0).then_some(site)
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
