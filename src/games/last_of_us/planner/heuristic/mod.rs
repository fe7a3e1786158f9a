//! Where to go: fields of the cost to a cell, with a price on the surroundings of clickers.
//!
//! Descending [`Guide::priced`] prefers ways round clickers; it is a guess, and the beam's compass.
//! Prices are for clickers at home. Where they have moved, [`super::beam_space`] prices the way
//! ahead again.

mod tolls;

pub use tolls::Tolls;

use crate::board::{Cell, Direction, UNREACHED};
use crate::games::last_of_us::format::{HEARING_RANGE, HEARING_SIDE};
use crate::games::last_of_us::state::{ADJACENT, Board, Site};

/// Cost of one action in the units of priced fields and estimates.
pub const UNIT: u32 = 8;

/// [`Guide::next`] of the target, and of cells without a way to it.
pub const ARRIVED: u8 = 8;

/// Bit of the centre of a hearing window.
const CENTRE: u32 = 1 << 12;

/// How much farther than asked for a field between two cells goes, in actions.
const MARGIN: u32 = 12;

/// A price list on which nothing but the actions cost.
pub const FREE: Prices = Prices { far: 0, near: 0, on: 0, most: 0, wake: 0 };

/// Most clickers that one step can come into the hearing of: a row and a column of the window.
const MOST_WOKEN: u32 = 9;

/// What it costs to come near clickers, in [`UNIT`]s of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prices {
    /// For each clicker at distance 2 of a cell that is entered.
    pub far: u32,
    /// For each clicker at distance 1.
    pub near: u32,
    /// For a clicker on the cell.
    pub on: u32,
    /// No cell costs more than this.
    pub most: u32,
    /// For each sleeping clicker that a step comes into the hearing of.
    pub wake: u32,
}

impl Prices {
    /// The price of a part of a window of clickers.
    fn of(&self, hearing: u32) -> u32 {
        let near = (hearing & ADJACENT & !CENTRE).count_ones();
        let on = (hearing & CENTRE).count_ones();
        let far = hearing.count_ones() - near - on;
        far * self.far + near * self.near + on * self.on
    }
}

/// Bits of a row of a hearing window.
const ROW: u32 = (1 << HEARING_SIDE) - 1;

/// The prices of each row of a hearing window, by its bits. A table is faster than counting bits, for which the
/// oldest processors that the program runs on have no instruction.
struct RowPrices {
    /// For the two outer rows, the two rows beside the centre, and the row of the centre.
    rows: [[u32; 1 << HEARING_SIDE]; 3],
    /// No window costs more.
    most: u32,
}

impl RowPrices {
    fn new(prices: &Prices) -> Self {
        let row = |row: i32| {
            let of = |bits: usize| prices.of((bits as u32) << (HEARING_SIDE * row));
            std::array::from_fn(of)
        };
        RowPrices { rows: [row(0), row(1), row(2)], most: prices.most }
    }

    #[inline]
    fn of(&self, hearing: u32) -> u32 {
        let [outer, inner, middle] = &self.rows;
        let bits = |row: i32| (hearing >> (HEARING_SIDE * row) & ROW) as usize;
        let sum = outer[bits(0)] + inner[bits(1)] + middle[bits(2)] + inner[bits(3)];
        (sum + outer[bits(4)]).min(self.most)
    }
}

/// The cells of a hearing window that were out of hearing before a step in each direction: the
/// leading row and column.
const LEADING: [u32; 8] = leading();

const fn leading() -> [u32; 8] {
    const FAR: i32 = HEARING_RANGE;
    let mut masks = [0; 8];
    let mut direction = 0;
    while direction < 8 {
        let d = Direction::ALL[direction];
        let mut bit = 0;
        while bit < HEARING_SIDE * HEARING_SIDE {
            let (row, col) = (bit / HEARING_SIDE - FAR, bit % HEARING_SIDE - FAR);
            if row == FAR * d.drow() && d.drow() != 0 || col == FAR * d.dcol() && d.dcol() != 0 {
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
    match hearing & LEADING[direction as usize] {
        0 => 0,
        woken => woken.count_ones(),
    }
}

/// Bytes that a guide holds for each cell.
pub const SITE_BYTES: usize = size_of::<u32>() + size_of::<u8>() + size_of::<u16>();

/// The fields toward one cell under one price list.
pub struct Guide {
    /// The cell they lead to.
    pub target: Site,
    /// Cost to the target with prices, in [`UNIT`]s of an action; [`UNREACHED`] without a way.
    pub priced: Vec<u32>,
    /// The direction of the first step of a cheapest way; [`ARRIVED`] at the target.
    pub next: Vec<u8>,
    /// How many sleeping clickers the rest of that way comes into the hearing of.
    pub wakes: Vec<u16>,
    /// The price list.
    pub prices: Prices,
    row_prices: RowPrices,
}

impl Guide {
    /// The fields to the exit, for the whole board.
    #[cfg(feature = "cluster")]
    pub fn to_exit(board: &Board, prices: Prices) -> Guide {
        Guide::with_tolls(board, prices, &Tolls::none())
    }

    /// The fields to the exit where cells have tolls.
    pub fn with_tolls(board: &Board, prices: Prices, tolls: &Tolls) -> Guide {
        Guide::toward(board, prices, tolls, board.exit, None)
    }

    /// The fields to `target` as far as `from`, and a little farther.
    pub fn between(board: &Board, prices: Prices, from: Site, target: Site) -> Guide {
        Guide::toward(board, prices, &Tolls::none(), target, Some(from))
    }

    /// The price of a cell, from the window of clickers that hear it.
    #[inline]
    pub fn price_of(&self, hearing: u32) -> u32 {
        if hearing == 0 { 0 } else { self.row_prices.of(hearing) }
    }

    /// Steps of the cheapest way from a cell.
    pub fn steps(&self, board: &Board, from: Site) -> u64 {
        let mut site = from;
        let mut steps = 0;
        while self.next[site as usize] != ARRIVED {
            site = site.wrapping_add_signed(board.steps[self.next[site as usize] as usize]);
            steps += 1;
        }
        steps
    }

    /// Dijkstra from the target with buckets (Dial, 1969), since costs are small whole numbers.
    fn toward(
        board: &Board,
        prices: Prices,
        tolls: &Tolls,
        target: Site,
        until: Option<Site>,
    ) -> Guide {
        let sites = board.sites();
        let mut guide = Guide {
            target,
            priced: vec![UNREACHED; sites],
            next: vec![ARRIVED; sites],
            wakes: vec![0; sites],
            prices,
            row_prices: RowPrices::new(&prices),
        };
        let most = prices.most + MOST_WOKEN * prices.wake + UNIT * tolls.most();
        let span = (UNIT + most) as usize + 1;
        let mut buckets: Vec<Vec<Site>> = vec![Vec::new(); span];
        guide.priced[target as usize] = 0;
        buckets[0].push(target);
        let (mut cost, mut left, mut last) = (0u32, 1usize, u32::MAX);
        while left > 0 && cost <= last {
            let mut bucket = std::mem::take(&mut buckets[cost as usize % span]);
            left -= bucket.len();
            for site in bucket.drain(..) {
                if guide.priced[site as usize] != cost {
                    continue;
                }
                if until == Some(site) {
                    last = cost + MARGIN * UNIT;
                }
                left += guide.reach_from(board, tolls, site, |site, through| {
                    buckets[through as usize % span].push(site);
                });
            }
            cost += 1;
        }
        guide
    }

    /// Prices the steps onto `site` from around; calls `push` for the cells that got cheaper, and
    /// tells how many.
    fn reach_from(
        &mut self,
        board: &Board,
        tolls: &Tolls,
        site: Site,
        mut push: impl FnMut(Site, u32),
    ) -> usize {
        let hearing = if site == self.target { 0 } else { board.hearing_at_start(site) };
        let price = self.price_of(hearing) + UNIT * tolls.of(site);
        let enter = self.priced[site as usize] + UNIT + price;
        let mut reached = 0;
        for (back, step) in board.steps.iter().enumerate() {
            let from = site.wrapping_add_signed(*step);
            if !board.floor.contains(Cell(from)) {
                continue;
            }
            let direction = (back as u8 + 4) % 8;
            let woken = woken(hearing, direction);
            let through = enter + woken * self.prices.wake;
            if through < self.priced[from as usize] {
                self.priced[from as usize] = through;
                self.next[from as usize] = direction;
                self.wakes[from as usize] = self.wakes[site as usize].saturating_add(woken as u16);
                push(from, through);
                reached += 1;
            }
        }
        reached
    }
}

/// Steps to `target` over the floor, ignoring clickers: no plan is shorter.
pub fn walk_field(board: &Board, target: Site) -> Vec<u32> {
    walk_until(board, target, None)
}

/// Steps to `target` over the floor, as far as `from` and a little farther.
pub fn walk_field_between(board: &Board, from: Site, target: Site) -> Vec<u32> {
    walk_until(board, target, Some(from))
}

fn walk_until(board: &Board, target: Site, until: Option<Site>) -> Vec<u32> {
    let mut last = UNREACHED;
    let mut field = vec![UNREACHED; board.sites()];
    let mut queue = vec![target];
    field[target as usize] = 0;
    let mut head = 0;
    while let Some(&site) = queue.get(head) {
        head += 1;
        let steps = field[site as usize];
        if steps > last {
            break;
        }
        if until == Some(site) {
            last = steps + MARGIN;
        }
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
