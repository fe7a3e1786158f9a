//! What stands in the way of the next step of a packing plan.
//!
//! In crowded levels the next box cannot be packed at once, and none of the features tells which
//! of the other boxes to move first. A person sees it: one imagines the way of the box and of the
//! player behind it, and clears what stands on it. So does this: it takes the box backward from
//! its target by pulls, over squares that boxes hold too, at a price of one for each, until it
//! meets a box; the way of least price names the obstacles. Packed boxes are walls.

use super::terrain::{Bits, has, put, take};
use crate::games::sokoban::state::{Board, Flood, Square};
use std::collections::VecDeque;

/// The most pairs of squares, of the box and of the player, of a board on which ways are sought.
const MOST_PAIRS: usize = 1 << 17;
/// A pair that no way has come to.
const UNSEEN: u8 = u8::MAX;

/// Where the box is and where the player is.
type Pair = (Square, Square);

/// Working memory for the search of ways.
pub struct WayFinder {
    /// Squares of the board; a pair's place in what follows is box times this plus player.
    squares_of_board: usize,
    price: Vec<u8>,
    from: Vec<Pair>,
    queue: VecDeque<Pair>,
    /// The squares of the last way: of its box and of the player.
    pub squares: Bits,
}

impl WayFinder {
    /// Working memory for a board.
    pub fn new(board: &Board) -> Self {
        let pairs = board.squares() * board.squares();
        let pairs = if pairs <= MOST_PAIRS { pairs } else { 0 };
        WayFinder {
            squares_of_board: board.squares(),
            price: vec![UNSEEN; pairs],
            from: vec![(0, 0); pairs],
            queue: VecDeque::new(),
            squares: vec![0; board.squares().div_ceil(64)],
        }
    }

    /// Finds the way of least price for a box to `target`: the box on `origin`, or any that is not
    /// `packed`. `region` holds the player's region. Returns the price: how often the way crosses a
    /// box; `None` where there is no way or the board is too large.
    pub fn find(
        &mut self,
        board: &Board,
        occupied: &[bool],
        packed: &[u64],
        region: &Flood,
        (target, origin): (Square, Option<Square>),
    ) -> Option<u8> {
        let n = board.squares();
        if self.price.is_empty() {
            return None;
        }
        self.price.fill(UNSEEN);
        self.queue.clear();
        let blocked = |s: Square| s as usize == n || has(packed, s);
        for player in board.next[target as usize] {
            if !blocked(player) {
                let pair = (target, player);
                self.reach(pair, pair, u8::from(occupied[player as usize]), 0);
            }
        }
        while let Some(pair) = self.queue.pop_front() {
            let (stone, player) = pair;
            let price = self.price[self.place(pair)];
            let is_box = occupied[stone as usize] && !has(packed, stone);
            if is_box && origin.is_none_or(|o| o == stone) && region.contains(player) {
                self.trace(pair);
                take(&mut self.squares, stone);
                return Some(price);
            }
            if price == UNSEEN - 1 {
                continue;
            }
            for d in 0..4 {
                let next = board.next[player as usize][d];
                if blocked(next) {
                    continue;
                }
                let cost = u8::from(occupied[next as usize]);
                if next != stone {
                    self.reach((stone, next), pair, price + cost, cost);
                }
                // The player draws the box after it, where it stands right beside it.
                if board.next[stone as usize][d] == player {
                    self.reach((player, next), pair, price + cost, cost);
                }
            }
        }
        None
    }

    fn place(&self, (stone, player): Pair) -> usize {
        stone as usize * self.squares_of_board + player as usize
    }

    fn reach(&mut self, pair: Pair, from: Pair, price: u8, cost: u8) {
        let place = self.place(pair);
        if self.price[place] <= price {
            return;
        }
        self.price[place] = price;
        self.from[place] = from;
        if cost == 0 { self.queue.push_front(pair) } else { self.queue.push_back(pair) }
    }

    fn trace(&mut self, mut pair: Pair) {
        self.squares.fill(0);
        loop {
            put(&mut self.squares, pair.0);
            put(&mut self.squares, pair.1);
            let from = self.from[self.place(pair)];
            if from == pair {
                return;
            }
            pair = from;
        }
    }
}
