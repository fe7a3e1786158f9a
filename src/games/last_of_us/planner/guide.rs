//! Where to go: fields of the cost to the exit.
//!
//! Two fields over the cells. [`Guide::walk`] counts steps and ignores clickers; it is admissible,
//! for no plan is shorter. [`Guide::priced`] also charges for cells that a clicker hears, so that
//! descending it prefers ways round them; it is a guess, and the beam's compass.

use crate::board::{Cell, Direction, UNREACHED};
use crate::games::last_of_us::state::{ADJACENT, Board, Site};

/// Cost of one action in the units of priced fields and estimates.
pub const UNIT: u32 = 8;

/// Bit of the centre of a hearing window.
const CENTRE: u32 = 1 << 12;

/// What it costs to enter a cell that clickers hear, in [`UNIT`]s of an action.
#[derive(Clone, Copy, Debug)]
pub struct Prices {
    /// For each clicker at distance 2.
    pub far: u32,
    /// For each clicker at distance 1.
    pub near: u32,
    /// For a clicker on the cell.
    pub on: u32,
    /// No cell costs more than this.
    pub most: u32,
    /// For each clicker that a step comes into the hearing of.
    pub wake: u32,
}

/// The cells of a hearing window that were out of hearing before a step in each direction: the
/// leading row and column.
const LEADING: [u32; 8] = leading();

const fn leading() -> [u32; 8] {
    let mut masks = [0; 8];
    let mut direction = 0;
    while direction < 8 {
        let d = Direction::ALL[direction];
        let mut bit = 0;
        while bit < 25 {
            let (row, col) = (bit / 5 - 2, bit % 5 - 2);
            if row == 2 * d.drow() && d.drow() != 0 || col == 2 * d.dcol() && d.dcol() != 0 {
                masks[direction] |= 1 << bit;
            }
            bit += 1;
        }
        direction += 1;
    }
    masks
}

/// How many clickers a step in `direction` comes into the hearing of, from the window around the
/// cell it leads to.
#[inline]
pub fn woken(hearing: u32, direction: u8) -> u32 {
    hearing & LEADING[direction as usize]
}

impl Prices {
    /// The price of a cell, from the window of clickers that hear it.
    #[inline]
    pub fn of(&self, hearing: u32) -> u32 {
        if hearing == 0 {
            return 0;
        }
        let near = (hearing & ADJACENT & !CENTRE).count_ones();
        let on = (hearing & CENTRE).count_ones();
        let far = hearing.count_ones() - near - on;
        (far * self.far + near * self.near + on * self.on).min(self.most)
    }
}

/// The fields of one board under one price list.
pub struct Guide {
    /// Steps to the exit over all cells that are not blocked; [`UNREACHED`] elsewhere.
    pub walk: Vec<u32>,
    /// Cost to the exit with prices, in [`UNIT`]s of an action.
    pub priced: Vec<u32>,
    /// The direction of the first step of a cheapest way; [`ARRIVED`] at the exit.
    pub next: Vec<u8>,
    /// How many sleeping clickers the rest of that way comes into the hearing of.
    pub wakes: Vec<u16>,
    /// The price list.
    pub prices: Prices,
    /// What a clicker costs beyond [`Prices::wake`], by its home.
    pub extra: Vec<u32>,
}

impl Guide {
    /// Computes the fields.
    pub fn new(board: &Board, prices: Prices, extra: Vec<u32>) -> Guide {
        let walk = walk_field(board);
        let (priced, next, wakes) = priced_field(board, &prices, &extra);
        Guide { walk, priced, next, wakes, prices, extra }
    }
    /// What coming into the hearing of the clickers in a window costs.
    #[inline]
    pub fn waking(&self, board: &Board, site: Site, woken: u32) -> u32 {
        waking(board, &self.prices, &self.extra, site, woken)
    }
}

/// Steps to the exit.
pub fn walk_field(board: &Board) -> Vec<u32> {
    let mut field = vec![UNREACHED; board.sites()];
    let mut queue = vec![board.exit];
    field[board.exit as usize] = 0;
    let mut head = 0;
    while let Some(&site) = queue.get(head) {
        head += 1;
        for step in board.steps {
            let next = site.wrapping_add_signed(step);
            if field[next as usize] == UNREACHED && board.is_floor(next) {
                field[next as usize] = field[site as usize] + 1;
                queue.push(next);
            }
        }
    }
    field
}

/// The window of clickers at home that hear a cell, laid out as in `Simulator::hearing`.
pub fn home_hearing(board: &Board, site: Site) -> u32 {
    let first = site as usize - 2 * board.stride as usize - 2;
    (0..5).fold(0, |window, row| {
        window | (board.home.window(first + row * board.stride as usize, 5) as u32) << (5 * row)
    })
}

fn waking(board: &Board, prices: &Prices, extra: &[u32], site: Site, mut woken: u32) -> u32 {
    let mut cost = 0;
    while woken != 0 {
        let bit = woken.trailing_zeros() as i32;
        woken &= woken - 1;
        let home = board.offset(site, bit / 5 - 2, bit % 5 - 2);
        cost += prices.wake + extra[home as usize];
    }
    cost
}

/// [`Guide::next`] of the exit, and of cells without a way to it.
pub const ARRIVED: u8 = 8;

/// Dijkstra from the exit with buckets (Dial, 1969), since costs are small whole numbers.
fn priced_field(board: &Board, prices: &Prices, extra: &[u32]) -> (Vec<u32>, Vec<u8>, Vec<u16>) {
    let mut field = vec![UNREACHED; board.sites()];
    let mut next = vec![ARRIVED; board.sites()];
    let mut wakes = vec![0u16; board.sites()];
    let most = extra.iter().max().copied().unwrap_or(0);
    let span = (UNIT + prices.most + 9 * (prices.wake + most)) as usize + 1;
    let mut buckets: Vec<Vec<Site>> = vec![Vec::new(); span];
    field[board.exit as usize] = 0;
    buckets[0].push(board.exit);
    let (mut cost, mut left) = (0u32, 1usize);
    while left > 0 {
        let mut bucket = std::mem::take(&mut buckets[cost as usize % span]);
        left -= bucket.len();
        for site in bucket.drain(..) {
            if field[site as usize] != cost {
                continue;
            }
            // Stepping from a neighbour onto `site` costs what `site` costs to enter.
            let hearing = if site == board.exit { 0 } else { home_hearing(board, site) };
            let enter = UNIT + prices.of(hearing);
            for (back, step) in board.steps.iter().enumerate() {
                let from = site.wrapping_add_signed(*step);
                if !board.floor.contains(Cell(from)) {
                    continue;
                }
                let direction = (back as u8 + 4) % 8;
                let woken = woken(hearing, direction);
                let through = cost + enter + waking(board, prices, extra, site, woken);
                if through < field[from as usize] {
                    field[from as usize] = through;
                    next[from as usize] = direction;
                    wakes[from as usize] =
                        wakes[site as usize].saturating_add(woken.count_ones() as u16);
                    buckets[through as usize % span].push(from);
                    left += 1;
                }
            }
        }
        cost += 1;
    }
    (field, next, wakes)
}
