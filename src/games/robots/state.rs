//! The fast simulator: a row of the board is a word, and all robots step at once.
//!
//! Robots left of your column step right, those right of it step left: two masks and two shifts a
//! row. Within a row they can meet only in your column, across rows only in your row; where two
//! arrive is found by ones-and-twos (a carry-save count of the words that land on a row). Robots
//! that meet become debris, robots that land on debris are gone: two more operations a row.
//!
//! What the planner leans on (proved here once, for a stretch without teleports): let a robot's
//! offset be its row and its column minus yours, after the robots' move. A step of yours by a in an
//! axis shrinks every positive offset of the axis by 1 + a and every negative one by 1 - a, down to
//! 0, where it stays. So
//! * offsets never grow: t moves shrink the positive ones by at least t - 30, since your steps sum
//!   to at most 30 one way. After 60 moves all are 0, which is lost: no stretch lasts longer.
//! * no state comes twice: the unused teleports only become fewer, and offsets would have to stay.
//! * two robots come to share a row only in your row (or by a teleport), and columns likewise. So
//!   they collide only if they share one of the two already, at an offset that is not 0.

use super::format::{BOARD, Case, MAX_TELEPORTS, START};
use crate::board::{Cell, mix};

/// Words of a board: rows 1 to 31, and an empty row 0 above them.
const ROWS: usize = BOARD.rows as usize + 1;
/// The last row.
const LAST: usize = BOARD.rows as usize;
/// The last column, as a bit number.
const LAST_COL: u32 = BOARD.cols - 1;
/// No game has more moves: 60 in each stretch between teleports, and the teleports.
pub const LONGEST_GAME: usize = (2 * BOARD.rows as usize - 1) * (MAX_TELEPORTS + 1);
const _: () = assert!(BOARD.rows == BOARD.cols, "the longest game is that of a square board");

/// A set of cells: bit `c` of word `r` is column `c` (from 0) of row `r` (from 1).
pub type Rows = [u32; ROWS];

/// A position after the robots' move. Equal states have equal futures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct State {
    /// The remaining robots.
    pub robots: Rows,
    /// The cells with debris.
    pub debris: Rows,
    /// Bit i: entry i of the teleport list is unused.
    pub unused: u32,
    /// Your row, from 1.
    row: u8,
    /// Your column, from 0.
    col: u8,
}

/// What you do: 0 to 8 walk or stay, by row difference, then column difference, as the strategy
/// breaks ties; [`TELEPORT`] + i teleports to entry i of the list.
pub type Action = u8;

/// To stay.
pub const STAY: Action = 4;
/// To teleport to the first entry of the list.
pub const TELEPORT: Action = 9;

/// Row and column difference of a walk.
#[inline]
pub const fn delta(walk: Action) -> (i32, i32) {
    (walk as i32 / 3 - 1, walk as i32 % 3 - 1)
}

/// Where your move leads, before the robots move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Destination {
    row: usize,
    col: u32,
    /// The cell that debris is pushed to.
    pushed: Option<(usize, u32)>,
    /// The teleport entry that is used, as a bit; 0 for none.
    used: u32,
}

impl State {
    /// The position at the start.
    pub fn new(case: &Case) -> Self {
        let unused = ((1u64 << case.teleports.len()) - 1) as u32;
        State::of_pieces(START, case.robots.iter().copied(), [], unused)
    }

    /// The position with you on a cell among robots and debris, and with these entries of the
    /// teleport list unused, as [`State::unused`] has them.
    pub fn of_pieces(
        you: Cell,
        robots: impl IntoIterator<Item = Cell>,
        debris: impl IntoIterator<Item = Cell>,
        unused: u32,
    ) -> Self {
        let (row, col) = coordinates(you);
        let (robots, debris) = (rows_of(robots), rows_of(debris));
        State { robots, debris, unused, row: row as u8, col: col as u8 }
    }

    /// Your cell.
    pub fn you(&self) -> Cell {
        BOARD.cell(u32::from(self.row) - 1, u32::from(self.col))
    }

    /// Your row, from 1, and your column, from 0, as the words are numbered.
    #[inline]
    pub fn at(&self) -> (usize, u32) {
        (self.row as usize, u32::from(self.col))
    }

    /// Where an action leads; `None` where it is illegal. `teleports` is the case's list.
    #[inline]
    pub fn destination(&self, action: Action, teleports: &[Cell]) -> Option<Destination> {
        if action < TELEPORT {
            self.walk(action)
        } else {
            self.teleport(usize::from(action - TELEPORT), teleports)
        }
    }

    #[inline]
    fn walk(&self, walk: Action) -> Option<Destination> {
        let (drow, dcol) = delta(walk);
        let (row, col) = step(self.row as usize, u32::from(self.col), drow, dcol)?;
        if self.robots[row] >> col & 1 != 0 {
            return None;
        }
        let mut pushed = None;
        if self.debris[row] >> col & 1 != 0 {
            let (row, col) = step(row, col, drow, dcol)?;
            if self.debris[row] >> col & 1 != 0 {
                return None;
            }
            pushed = Some((row, col));
        }
        Some(Destination { row, col, pushed, used: 0 })
    }

    #[inline]
    fn teleport(&self, entry: usize, teleports: &[Cell]) -> Option<Destination> {
        let used = 1 << entry;
        let cell = *teleports.get(entry)?;
        if self.unused & used == 0 || cell == self.you() {
            return None;
        }
        let (row, col) = coordinates(cell);
        let taken = (self.robots[row] | self.debris[row]) >> col & 1 != 0;
        (!taken).then_some(Destination { row, col, pushed: None, used })
    }

    /// Whether a robot will move onto you there: one stands beside it and is not crushed by a push.
    #[inline]
    pub fn is_caught(&self, to: Destination) -> bool {
        let mut near = [self.robots[to.row - 1], self.robots[to.row], 0];
        near[2] = if to.row < LAST { self.robots[to.row + 1] } else { 0 };
        if let Some((row, col)) = to.pushed {
            near[row + 1 - to.row] &= !(1 << col);
        }
        let beside = (7u64 << to.col >> 1) as u32;
        (near[0] | near[1] | near[2]) & beside != 0
    }

    /// Your move, then the robots' move: the position after both.
    #[inline]
    pub fn advance(&self, to: Destination) -> State {
        let mut next = *self;
        next.row = to.row as u8;
        next.col = to.col as u8;
        next.unused &= !to.used;
        if let Some((row, col)) = to.pushed {
            next.debris[to.row] &= !(1 << to.col);
            next.debris[row] |= 1 << col;
            next.robots[row] &= !(1 << col);
        }
        next.robots_move(to.row, to.col);
        next
    }

    #[inline]
    fn robots_move(&mut self, row: usize, col: u32) {
        let left = (1u32 << col) - 1;
        let here = 1u32 << col;
        let right = !(left | here);
        // Steps along the rows: once where any robot lands, twice where more than one does.
        let (mut once, mut twice) = ([0u32; ROWS + 1], [0u32; ROWS + 1]);
        for r in 0..ROWS {
            let robots = self.robots[r];
            let (a, b, c) = ((robots & left) << 1, robots & here, (robots & right) >> 1);
            once[r] = a | b | c;
            twice[r] = (a & b) | (c & (a | b));
        }
        // Steps along the columns: the rows above yours come down, those below it come up.
        let (mut landed, mut met) = ([0u32; ROWS], [0u32; ROWS]);
        for r in 1..ROWS {
            let above = u32::from(r < row).wrapping_neg();
            landed[r] = (once[r - 1] & above) | (once[r + 1] & !above);
            met[r] = (twice[r - 1] & above) | (twice[r + 1] & !above);
        }
        let (a, b, c) = (once[row - 1], once[row], once[row + 1]);
        landed[row] = a | b | c;
        met[row] = (a & b) | (c & (a | b)) | twice[row - 1] | twice[row] | twice[row + 1];
        for r in 0..ROWS {
            self.robots[r] = landed[r] & !met[r] & !self.debris[r];
            self.debris[r] |= met[r];
        }
    }

    /// How many robots are left; one that has moved onto you counts.
    #[inline]
    pub fn robots_left(&self) -> u32 {
        count(&self.robots)
    }

    /// How many cells hold debris.
    pub fn debris_cells(&self) -> u32 {
        count(&self.debris)
    }

    /// Whether no robot is left.
    #[inline]
    pub fn is_cleared(&self) -> bool {
        self.robots.iter().fold(0, |all, row| all | row) == 0
    }

    /// The least Manhattan distance from you to a robot; `u32::MAX` where none is left.
    pub fn nearest(&self) -> u32 {
        let (row, col) = self.at();
        let mut nearest = u32::MAX;
        for (r, &robots) in self.robots.iter().enumerate().filter(|&(_, &robots)| robots != 0) {
            let left = robots & ((2 << col) - 1);
            let right = robots >> col;
            let side = if left == 0 { u32::MAX } else { col + left.leading_zeros() - 31 };
            let side = side.min(if right == 0 { u32::MAX } else { right.trailing_zeros() });
            nearest = nearest.min(side + r.abs_diff(row) as u32);
        }
        nearest
    }

    /// A key of the board and your cell, without the unused teleports.
    #[inline]
    pub fn board_key(&self) -> u64 {
        let mut key = mix(u64::from(self.row) << 8 | u64::from(self.col));
        let rows = self.robots.iter().zip(&self.debris).zip(&KEYS);
        for ((&robots, &debris), &row_key) in rows.take(ROWS).skip(1) {
            let word = u64::from(robots) | u64::from(debris) << 32;
            key = key.wrapping_add(fold(word ^ row_key, row_key.rotate_left(32)));
        }
        mix(key)
    }

    /// A key of the whole position.
    #[inline]
    pub fn key(&self) -> u64 {
        self.board_key() ^ mix(u64::from(self.unused))
    }

    /// Appends the words of a position: your cell and the unused teleports, which rows have pieces,
    /// and the pieces of each of these.
    pub fn write_words(&self, words: &mut Vec<u64>) {
        let start = words.len();
        let at = u64::from(self.row) | u64::from(self.col) << 8;
        words.extend([at | u64::from(self.unused) << 32, 0]);
        for (row, (&robots, &debris)) in self.robots.iter().zip(&self.debris).enumerate() {
            if robots | debris != 0 {
                words[start + 1] |= 1 << row;
                words.push(u64::from(robots) | u64::from(debris) << 32);
            }
        }
    }

    /// The position of these words, in a game of `teleports` teleports; `None` where they are of
    /// none.
    pub fn from_words(words: &[u64], teleports: usize) -> Option<State> {
        let [first, rows, ref pieces @ ..] = *words else { return None };
        let (row, col) = (first as u8, (first >> 8) as u8);
        let unused = (first >> 32) as u32;
        let is_on_board = (1..=LAST).contains(&usize::from(row)) && u32::from(col) <= LAST_COL;
        let rows = u32::try_from(rows).ok().filter(|rows| rows & 1 == 0)?;
        if !is_on_board || u64::from(unused) >> teleports != 0 {
            return None;
        }
        let mut state = State { robots: [0; ROWS], debris: [0; ROWS], unused, row, col };
        let mut pieces = pieces.iter();
        for row in (0..ROWS).filter(|row| rows >> row & 1 != 0) {
            let word = *pieces.next()?;
            let (robots, debris) = (word as u32, (word >> 32) as u32);
            if (robots | debris) >> (LAST_COL + 1) != 0 || robots & debris != 0 {
                return None;
            }
            (state.robots[row], state.debris[row]) = (robots, debris);
        }
        pieces.next().is_none().then_some(state)
    }

    /// Whether both are equal but for the unused teleports.
    #[inline]
    pub fn same_board(&self, other: &State) -> bool {
        self.at() == other.at() && self.robots == other.robots && self.debris == other.debris
    }
}

/// One random word a row, for [`State::board_key`].
const KEYS: [u64; ROWS] = {
    let mut keys = [0; ROWS];
    let mut r = 0;
    while r < ROWS {
        keys[r] = mix(r as u64 + 0x0b07) | 1;
        r += 1;
    }
    keys
};

/// Multiplies and folds the two halves of the product together.
#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

#[inline]
fn step(row: usize, col: u32, drow: i32, dcol: i32) -> Option<(usize, u32)> {
    let row = row.wrapping_add_signed(drow as isize);
    let col = col.wrapping_add_signed(dcol);
    (row.wrapping_sub(1) < LAST && col <= LAST_COL).then_some((row, col))
}

fn coordinates(cell: Cell) -> (usize, u32) {
    (BOARD.row(cell) as usize + 1, BOARD.col(cell) as u32)
}

/// The set of these cells.
fn rows_of(cells: impl IntoIterator<Item = Cell>) -> Rows {
    let mut rows = [0; ROWS];
    for (row, col) in cells.into_iter().map(coordinates) {
        rows[row] |= 1 << col;
    }
    rows
}

/// How many cells are in a set.
#[inline]
fn count(rows: &Rows) -> u32 {
    rows.iter().map(|row| row.count_ones()).sum()
}
