//! The obstacles of the next delivery: which boxes stand in the way of the next step of a packing
//! plan.
//!
//! In crowded levels the next box cannot be packed at once, and no other feature tells which box to
//! move first. A person imagines the way of the box and of the player behind it, and clears what
//! stands on it. This does the same. It pulls the box backward from its target, over squares that
//! hold boxes too, at a price of one for each, until it meets a box that may be brought. The path
//! of least price names the obstacles. Packed boxes are walls.

use crate::games::sokoban::board::region::Flood;
use crate::games::sokoban::board::square_set::{SquareSet, has, put, take};
use crate::games::sokoban::board::{Board, Square};

/// The most pairs of squares, of the box and of the player, of a board on which ways are sought.
const MOST_PAIRS: usize = 1 << 17;
/// A pair that no way has come to.
const UNSEEN: u8 = u8::MAX;
/// Bit of a pair that a draw led to, beside the number of its direction; a walk does not set it.
const DRAWN: u8 = 4;
/// Mark of a pair that the search begins with.
const FIRST: u8 = 8;
/// What a square costs on which nobody can be.
const BLOCKED: u8 = u8::MAX;

/// Where the box is and where the player is.
type Pair = (Square, Square);

/// What is to be brought where.
pub struct Delivery<'a> {
    /// Where a box is to come to rest.
    pub target: Square,
    /// The boxes that may be brought; none of them is packed.
    pub origins: SquareSet,
    /// Where the player may stand after it.
    pub side: &'a [u64],
    /// The boxes that stay where they are.
    pub packed: SquareSet,
}

/// Working memory for the search of ways.
#[derive(Default)]
pub struct ObstacleSearch {
    squares_of_board: usize,
    /// For each square, with the wall, what it costs to cross.
    cost: Vec<u8>,
    /// For each pair, the least price of a way to it, and how that way comes to it.
    price: Vec<u8>,
    by: Vec<u8>,
    /// Pairs that are looked at next, the next one last, and those that cost one more, in order.
    now: Vec<Pair>,
    later: Vec<Pair>,
    /// The squares of the last way: of its box and of the player.
    pub squares: SquareSet,
}

impl ObstacleSearch {
    /// Working memory for a board.
    pub fn new(board: &Board) -> Self {
        let pairs = board.squares() * board.squares();
        let pairs = if pairs <= MOST_PAIRS { pairs } else { 0 };
        ObstacleSearch {
            squares_of_board: board.squares(),
            cost: vec![BLOCKED; board.squares() + 1],
            price: vec![UNSEEN; pairs],
            by: vec![FIRST; pairs],
            now: Vec::new(),
            later: Vec::new(),
            squares: vec![0; board.squares().div_ceil(64)],
        }
    }

    /// Finds the way of least price for one of the boxes that may be brought, with the player in
    /// `region` before. Returns the price: how often the way crosses a box; `None` where there is
    /// no way or the board is too large.
    pub fn find(
        &mut self,
        board: &Board,
        occupied: &[bool],
        region: &Flood,
        Delivery { target, origins, side, packed }: &Delivery<'_>,
    ) -> Option<u8> {
        let target = *target;
        if self.price.is_empty() {
            return None;
        }
        self.price.fill(UNSEEN);
        self.now.clear();
        self.later.clear();
        for (s, cost) in self.cost[..board.squares()].iter_mut().enumerate() {
            let is_packed = has(packed, s as Square);
            *cost = if is_packed { BLOCKED } else { u8::from(occupied[s]) };
        }
        for player in board.next[target as usize] {
            let cost = self.cost[player as usize];
            if cost != BLOCKED && has(side, player) {
                self.reach((target, player), FIRST, 0, cost);
            }
        }
        // Breadth first by price: all pairs of one price before those that cost one more.
        for price in 0..UNSEEN - 1 {
            while let Some(pair) = self.now.pop() {
                // It may have been reached for less since.
                if self.price[self.place(pair)] != price {
                    continue;
                }
                let (stone, player) = pair;
                if has(origins, stone) && region.contains(player) {
                    self.trace(board, pair);
                    take(&mut self.squares, stone);
                    return Some(price);
                }
                for d in 0..4 {
                    let next = board.next[player as usize][d];
                    let cost = self.cost[next as usize];
                    if cost == BLOCKED {
                        continue;
                    }
                    if next != stone {
                        self.reach((stone, next), d as u8, price, cost);
                    }
                    // The player draws the box after it, where it stands right beside it.
                    if board.next[stone as usize][d] == player {
                        self.reach((player, next), d as u8 | DRAWN, price, cost);
                    }
                }
            }
            if self.later.is_empty() {
                break;
            }
            std::mem::swap(&mut self.now, &mut self.later);
            self.now.reverse();
        }
        None
    }

    /// The place of a pair among all.
    fn place(&self, (stone, player): Pair) -> usize {
        usize::from(stone) * self.squares_of_board + usize::from(player)
    }

    /// Comes to a pair by a step of some cost, of 0 or 1, from one of a price.
    fn reach(&mut self, pair: Pair, by: u8, price: u8, cost: u8) {
        let place = self.place(pair);
        let least = &mut self.price[place];
        if *least <= price + cost {
            return;
        }
        *least = price + cost;
        self.by[place] = by;
        if cost == 0 { self.now.push(pair) } else { self.later.push(pair) }
    }

    /// Writes down the squares of the way to a pair.
    fn trace(&mut self, board: &Board, mut pair: Pair) {
        self.squares.fill(0);
        loop {
            let (stone, player) = pair;
            put(&mut self.squares, stone);
            put(&mut self.squares, player);
            let by = self.by[self.place(pair)];
            if by == FIRST {
                return;
            }
            let back = |square: Square| board.next[square as usize][usize::from(by & 3) ^ 2];
            pair = if by & DRAWN == 0 { (stone, back(player)) } else { (back(stone), stone) };
        }
    }
}
