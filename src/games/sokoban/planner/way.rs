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

/// Working memory for the search of ways.
pub struct WayFinder {
    price: Vec<u8>,
    from: Vec<u32>,
    queue: VecDeque<u32>,
    /// The squares of the last way: of its box and of the player.
    pub squares: Bits,
}

impl WayFinder {
    /// Working memory for a board.
    pub fn new(board: &Board) -> Self {
        let pairs = board.squares() * board.squares();
        let pairs = if pairs <= MOST_PAIRS { pairs } else { 0 };
        WayFinder {
            price: vec![UNSEEN; pairs],
            from: vec![0; pairs],
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
                let pair = target as u32 * n as u32 + u32::from(player);
                self.reach(pair, pair, u8::from(occupied[player as usize]), 0);
            }
        }
        while let Some(pair) = self.queue.pop_front() {
            let (stone, player) = ((pair / n as u32) as Square, (pair % n as u32) as Square);
            let price = self.price[pair as usize];
            let is_box = occupied[stone as usize] && !has(packed, stone);
            if is_box && origin.is_none_or(|o| o == stone) && region.contains(player) {
                self.trace(pair, n as u32);
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
                    let walked = u32::from(stone) * n as u32 + u32::from(next);
                    self.reach(walked, pair, price + cost, cost);
                }
                // The player draws the box after it, where it stands right beside it.
                if board.next[stone as usize][d] == player {
                    let drawn = u32::from(player) * n as u32 + u32::from(next);
                    self.reach(drawn, pair, price + cost, cost);
                }
            }
        }
        None
    }

    fn reach(&mut self, pair: u32, from: u32, price: u8, cost: u8) {
        if self.price[pair as usize] <= price {
            return;
        }
        self.price[pair as usize] = price;
        self.from[pair as usize] = from;
        if cost == 0 { self.queue.push_front(pair) } else { self.queue.push_back(pair) }
    }

    fn trace(&mut self, mut pair: u32, n: u32) {
        self.squares.fill(0);
        loop {
            put(&mut self.squares, (pair / n) as Square);
            put(&mut self.squares, (pair % n) as Square);
            let from = self.from[pair as usize];
            if from == pair {
                return;
            }
            pair = from;
        }
    }
}
