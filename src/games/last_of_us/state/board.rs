//! What never changes in an area, and a state on it: what differs from the start.

use crate::board::{BitBoard, Cell, Direction, Shape, zobrist};
use crate::games::last_of_us::format::{
    HEARING_CELLS, HEARING_RANGE, HEARING_SIDE, Map, THROW_RANGE,
};
use smallvec::SmallVec;

/// Blocked cells added on each side of the map.
pub const PAD: u32 = 8;
const _: () =
    assert!(THROW_RANGE < PAD as i32, "windows of throws reach past the padding: widen `PAD`");

/// A cell of the padded board.
pub type Site = u32;

/// Traced cell of a clicker that traces nothing.
pub const NOTHING: Site = u32::MAX;

/// What never changes in an area, laid out for speed.
pub struct Board {
    /// Rows and columns of the map, without padding.
    pub shape: Shape,
    /// Cells from one row of the padded board to the next.
    pub stride: u32,
    /// Ellie's cell at the start.
    pub ellie: Site,
    /// The exit.
    pub exit: Site,
    /// Bricks at the start.
    pub bricks: u8,
    /// Offset of a step in each direction.
    pub steps: [i32; 8],
    /// Offset of each cell of a hearing window from its centre, by its bit.
    pub(super) hearing_offsets: [i32; HEARING_CELLS],
    /// Cells that clickers walk on and bricks land on: neither blocked nor the exit.
    pub floor: BitBoard,
    /// Cells where a clicker sleeps at the start.
    pub home: BitBoard,
    /// The clickers at the start that sleep, in order.
    pub homes: Vec<Site>,
    /// For each cell, bit d is set where the neighbour in direction d is floor.
    around: Vec<u8>,
    /// For each floor cell, the number of its component of the floor.
    pub(super) component: Vec<u32>,
    /// The clickers at the start that sleep.
    pub(super) homes_crowd: Crowd,
    /// Key of all clickers at home.
    pub(super) home_key: u64,
    /// The clickers at the start that trace something, in order.
    awake: SmallVec<[Clicker; 4]>,
}

/// Where everybody is as a search begins.
#[derive(Clone, Debug)]
pub struct Position {
    /// Ellie's cell.
    pub ellie: Cell,
    /// Bricks left.
    pub bricks: u32,
    /// The clickers, each with the cell that it traces.
    pub clickers: Vec<(Cell, Option<Cell>)>,
}

impl Board {
    /// Lays a map out.
    pub fn new(map: &Map) -> Board {
        let clickers = map.clickers.iter().map(|&cell| (cell, None)).collect();
        Board::at(map, &Position { ellie: map.ellie, bricks: map.bricks, clickers })
    }

    /// Lays a map out for games that begin with a position. Only clickers that sleep have homes.
    pub fn at(map: &Map, position: &Position) -> Board {
        let shape = map.shape;
        let stride = shape.cols + 2 * PAD;
        let cells = (stride * (shape.rows + 2 * PAD)) as usize;
        let site =
            |cell: Cell| (shape.row(cell) as u32 + PAD) * stride + shape.col(cell) as u32 + PAD;
        let mut floor = BitBoard::new(cells);
        for cell in shape.iter() {
            if !map.blocked.contains(cell) && cell != map.exit {
                floor.insert(Cell(site(cell)));
            }
        }
        let steps = Direction::ALL.map(|d| d.drow() * stride as i32 + d.dcol());
        let mut home = BitBoard::new(cells);
        let component = components(&floor, cells, &steps);
        let is_apart = |a: Site, b: Site| component[a as usize] != component[b as usize];
        let (mut homes, mut awake) = (Vec::new(), SmallVec::new());
        for &(cell, traces) in &position.clickers {
            let here = site(cell);
            match traces.map(site).filter(|&target| !is_apart(here, target)) {
                Some(target) => awake.push(Clicker { site: here, target }),
                None => homes.push(here),
            }
        }
        homes.sort_unstable();
        awake.sort_unstable();
        let mut home_key = 0;
        let mut homes_crowd = Crowd::new(cells);
        for &h in &homes {
            home.insert(Cell(h));
            homes_crowd.insert(h);
            home_key ^= clicker_key(h, NOTHING);
        }
        let mut around = vec![0u8; cells];
        for cell in shape.iter() {
            let s = site(cell);
            for (d, step) in steps.iter().enumerate() {
                if floor.contains(Cell(s.wrapping_add_signed(*step))) {
                    around[s as usize] |= 1 << d;
                }
            }
        }
        Board {
            shape,
            stride,
            ellie: site(position.ellie),
            exit: site(map.exit),
            bricks: position.bricks as u8,
            steps,
            hearing_offsets: hearing_offsets(stride),
            floor,
            home,
            homes,
            around,
            component,
            homes_crowd,
            home_key,
            awake,
        }
    }

    /// Number of cells of the padded board.
    pub fn sites(&self) -> usize {
        self.around.len()
    }

    /// Row and column on the padded board.
    #[inline]
    pub fn place(&self, site: Site) -> (i32, i32) {
        ((site / self.stride) as i32, (site % self.stride) as i32)
    }

    /// The cell of the map.
    pub fn cell(&self, site: Site) -> Cell {
        let (row, col) = self.place(site);
        self.shape.cell(row as u32 - PAD, col as u32 - PAD)
    }

    /// The padded cell of a cell of the map.
    pub fn site(&self, cell: Cell) -> Site {
        let (row, col) = (self.shape.row(cell) as u32, self.shape.col(cell) as u32);
        (row + PAD) * self.stride + col + PAD
    }

    /// The cell at a difference of rows and columns.
    #[inline]
    pub fn offset(&self, site: Site, drow: i32, dcol: i32) -> Site {
        site.wrapping_add_signed(drow * self.stride as i32 + dcol)
    }

    /// Chebyshev distance.
    #[inline]
    pub fn chebyshev(&self, a: Site, b: Site) -> u32 {
        let ((ar, ac), (br, bc)) = (self.place(a), self.place(b));
        ar.abs_diff(br).max(ac.abs_diff(bc))
    }

    /// Whether clickers walk there and bricks land there.
    #[inline]
    pub fn is_floor(&self, site: Site) -> bool {
        self.floor.contains(Cell(site))
    }

    /// The clickers that sleep at the start and hear a cell, laid out as in [`super::Simulator::hearing`].
    #[inline]
    pub fn hearing_at_start(&self, site: Site) -> u32 {
        self.homes_crowd.hearing(site, self.stride)
    }

    /// Directions in which the neighbour is floor, as bits.
    #[inline]
    pub fn open_directions(&self, site: Site) -> u8 {
        self.around[site as usize]
    }

    /// The state at the start.
    pub fn start(&self) -> State {
        State {
            ellie: self.ellie,
            bricks: self.bricks,
            clickers_key: self.awake.iter().fold(self.home_key, |key, clicker| {
                key ^ clicker_key(clicker.site, clicker.target)
            }),
            empty_homes: SmallVec::new(),
            away: self.awake.clone(),
        }
    }
}

/// Offset of each cell of a hearing window from its centre, by its bit.
fn hearing_offsets(stride: u32) -> [i32; HEARING_CELLS] {
    std::array::from_fn(|bit| {
        let (row, col) = (bit as i32 / HEARING_SIDE, bit as i32 % HEARING_SIDE);
        (row - HEARING_RANGE) * stride as i32 + col - HEARING_RANGE
    })
}

/// Numbers the 8-connected components of the floor.
fn components(floor: &BitBoard, cells: usize, steps: &[i32; 8]) -> Vec<u32> {
    let mut component = vec![0u32; cells];
    let mut count = 0;
    let mut stack = Vec::new();
    for seed in floor.iter() {
        if component[seed.index()] != 0 {
            continue;
        }
        count += 1;
        component[seed.index()] = count;
        stack.push(seed.0);
        while let Some(site) = stack.pop() {
            for step in steps {
                let next = site.wrapping_add_signed(*step);
                if floor.contains(Cell(next)) && component[next as usize] == 0 {
                    component[next as usize] = count;
                    stack.push(next);
                }
            }
        }
    }
    component
}

#[inline]
pub(super) fn clicker_key(site: Site, target: Site) -> u64 {
    zobrist(1, site as u64 | (target as u64) << 24 & 0x00ff_ffff_ff00_0000)
}

#[inline]
pub(super) fn ellie_key(site: Site, bricks: u8) -> u64 {
    zobrist(2, site as u64 | (bricks as u64) << 32)
}

/// A clicker that is away from home or traces something.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord, Hash)]
pub struct Clicker {
    /// Where it stands.
    pub site: Site,
    /// What it traces, or [`NOTHING`].
    pub target: Site,
}

/// A state: what differs from the start. Equal positions are equal values.
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub struct State {
    /// Ellie's cell.
    pub ellie: Site,
    /// Bricks left.
    pub bricks: u8,
    /// Key of the clickers alone.
    pub clickers_key: u64,
    /// Homes where no clicker stands now, in order.
    pub empty_homes: SmallVec<[Site; 6]>,
    /// Clickers that do not sleep at a home, in order.
    pub away: SmallVec<[Clicker; 4]>,
}

impl State {
    /// Zobrist key of the whole state.
    #[inline]
    pub fn key(&self) -> u64 {
        self.clickers_key ^ ellie_key(self.ellie, self.bricks)
    }

    /// Heap bytes beyond the value itself.
    pub fn heap_bytes(&self) -> usize {
        let homes = if self.empty_homes.spilled() { self.empty_homes.capacity() * 4 } else { 0 };
        let away = if self.away.spilled() { self.away.capacity() * 8 } else { 0 };
        homes + away
    }

    /// Appends the words that [`State::from_words`] reads.
    pub fn write_words(&self, words: &mut Vec<u64>) {
        let homes = self.empty_homes.len() as u64;
        words.push(u64::from(self.ellie) | u64::from(self.bricks) << 32 | homes << 40);
        words.push(self.clickers_key);
        let pair = |low: Site, high: Site| u64::from(low) | u64::from(high) << 32;
        words.extend(
            self.empty_homes
                .chunks(2)
                .map(|homes| pair(homes[0], homes.get(1).copied().unwrap_or_default())),
        );
        words.extend(self.away.iter().map(|clicker| pair(clicker.site, clicker.target)));
    }

    /// The state of these words, where they are as many as it takes.
    pub fn from_words(words: &[u64]) -> Option<State> {
        let [first, clickers_key, ref rest @ ..] = *words else { return None };
        let homes = (first >> 40) as usize;
        let (empty, away) = rest.split_at_checked(homes.div_ceil(2))?;
        let sites = empty.iter().flat_map(|&pair| [pair as Site, (pair >> 32) as Site]);
        Some(State {
            ellie: first as Site,
            bricks: (first >> 32) as u8,
            clickers_key,
            empty_homes: sites.take(homes).collect(),
            away: away
                .iter()
                .map(|&pair| Clicker { site: pair as Site, target: (pair >> 32) as Site })
                .collect(),
        })
    }

    /// All clickers, each with what it traces, in order: for comparing with the reference. Slow.
    pub fn clickers(&self, board: &Board) -> Vec<(Cell, Option<Cell>)> {
        let mut all: Vec<(Cell, Option<Cell>)> = board
            .homes
            .iter()
            .filter(|h| {
                self.empty_homes.binary_search(h).is_err()
                    && self.away.binary_search_by_key(*h, |c| c.site).is_err()
            })
            .map(|&h| (board.cell(h), None))
            .collect();
        all.extend(
            self.away
                .iter()
                .map(|c| (board.cell(c.site), (c.target != NOTHING).then(|| board.cell(c.target)))),
        );
        all.sort();
        all
    }
}

/// The clickers' cells, laid out for windows: each cell stores the five cells of its row around it, so a
/// window of 25 cells takes five loads.
#[derive(Clone)]
pub(super) struct Crowd {
    /// Bit d of a cell's mask is set where a clicker stands at column difference d - 2.
    rows: Vec<u8>,
}

/// A clicker's bits in the masks of the five cells around it, the leftmost lowest.
const AROUND: u64 = 0x01_02_04_08_10;

impl Crowd {
    pub(super) fn new(sites: usize) -> Crowd {
        Crowd { rows: vec![0; sites] }
    }

    /// Bytes held: one for each cell.
    pub(super) fn bytes(&self) -> usize {
        self.rows.len()
    }

    #[inline]
    pub(super) fn contains(&self, site: Site) -> bool {
        self.rows[site as usize] & 0b00100 != 0
    }

    #[inline]
    pub(super) fn insert(&mut self, site: Site) {
        self.change(site, |masks| masks | AROUND);
    }

    #[inline]
    pub(super) fn remove(&mut self, site: Site) {
        self.change(site, |masks| masks & !AROUND);
    }

    /// Changes the masks around a cell, all in one word.
    #[inline]
    fn change(&mut self, site: Site, change: impl FnOnce(u64) -> u64) {
        let first = site as usize - 2;
        let masks: &mut [u8; 8] = (&mut self.rows[first..first + 8]).try_into().expect("eight");
        *masks = change(u64::from_le_bytes(*masks)).to_le_bytes();
    }

    /// Bits of the cells of a row of length `count` (5 to 57) where a clicker stands; none of a row that
    /// is not all on the padded board.
    #[inline]
    pub(super) fn window(&self, from: Site, count: u32) -> u64 {
        let (from, count) = (from as usize, count as usize);
        let Some(masks) = self.rows.get(from..from + count) else { return 0 };
        let five = |first: usize| u64::from(masks[first + 2]) << first;
        (0..count - 5).step_by(5).fold(five(count - 5), |bits, first| bits | five(first))
    }

    /// Bit `5 * (row difference + 2) + column difference + 2` for each clicker within distance 2.
    #[inline]
    pub(super) fn hearing(&self, site: Site, stride: u32) -> u32 {
        let first = (site - 2 * stride) as usize;
        let stride = stride as usize;
        let rows = &self.rows[first..first + 4 * stride + 1];
        rows[0] as u32
            | (rows[stride] as u32) << 5
            | (rows[2 * stride] as u32) << 10
            | (rows[3 * stride] as u32) << 15
            | (rows[4 * stride] as u32) << 20
    }
}

/// The cells within a Chebyshev distance of at most [`PAD`], row by row.
pub fn sites_within(board: &Board, centre: Site, reach: i32) -> impl Iterator<Item = Site> {
    let stride = board.stride as i32;
    (-reach..=reach).flat_map(move |drow| {
        (-reach..=reach).map(move |dcol| centre.wrapping_add_signed(drow * stride + dcol))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_of_a_crowd_show_where_its_clickers_stand() {
        const STRIDE: u32 = 40;
        let mut crowd = Crowd::new(40 * STRIDE as usize);
        let mut all = std::collections::BTreeSet::new();
        let mut random = 1u64;
        for round in 0..4000 {
            random = crate::board::mix(random);
            // As far from the rim as floor is.
            let site = (8 + random as u32 % 24) * STRIDE + 8 + (random >> 32) as u32 % 24;
            if all.remove(&site) {
                crowd.remove(site);
            } else {
                all.insert(site);
                crowd.insert(site);
            }
            let centre = (8 + round % 24) * STRIDE + 8 + round / 24 % 24;
            assert_eq!(crowd.contains(centre), all.contains(&centre));
            let is_there =
                |bit: u32| all.contains(&(centre + bit / 5 * STRIDE + bit % 5 - 2 * STRIDE - 2));
            let heard = (0..25).filter(|&bit| is_there(bit)).fold(0, |all, bit| all | 1 << bit);
            assert_eq!(crowd.hearing(centre, STRIDE), heard);
            for count in [5, 13, 15, 17, 19, 24] {
                let from = centre - 8;
                let bits = (0..count).filter(|bit| all.contains(&(from + bit)));
                let bits = bits.fold(0u64, |all, bit| all | 1 << bit);
                assert_eq!(crowd.window(from, count), bits, "{count} from {from}");
            }
        }
        assert_eq!(crowd.window(u32::MAX - 3, 17), 0);
    }
}
