//! The obstacles of the next delivery: which boxes stand in the way of the next step of a packing
//! plan.
//!
//! In crowded levels the next box cannot be packed at once, and no other feature tells which box to
//! move first. A person imagines the way of the box and of the player behind it, and clears what
//! stands on it. This does the same. It pulls the box backward from its target, over squares that
//! hold boxes too, at a price of one for each, until it meets a box that may be brought. The path
//! of least price names the obstacles. Packed boxes are walls.
//!
//! The search is A*. Its states are the square of the box with either all free squares between which the player can walk,
//! found by one flood, or the square of another box that he crosses. Its bound is the price of the box's way without
//! regard to the player. A square is paid for when the player steps on it, so the bound leaves out a box on which he stands
//! right beside the box that he draws.

use crate::games::sokoban::board::region::{Flood, Layout, Occupied};
use crate::games::sokoban::board::square_set::{SquareSet, has, put, take};
use crate::games::sokoban::board::{Board, Square};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

/// Upper limit of the pairs of squares, of the box and of the player, of a board on which ways are sought.
const MOST_PAIRS: usize = 1 << 17;
/// The cost of a square that neither a box nor the player can enter.
const BLOCKED: u8 = u8::MAX;
/// Marks a square from which no box comes to an origin at any price.
const NO_WAY: u8 = u8::MAX;

/// A box to bring to a square.
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

/// A state of the search, and how a way comes to it.
#[derive(Clone, Copy, Debug)]
struct Visit {
    /// The square of the box.
    stone: Square,
    /// The square that the player comes to: of another box, or free.
    player: Square,
    /// Number of boxes that the way has crossed.
    price: u8,
    /// The number of the visit before; `None` for the first visit of a way.
    before: Option<u32>,
    /// The number of the part of the board in which the player walks; `None` if he stands on a box.
    part: Option<u32>,
}

/// Working memory for the search of ways.
pub struct ObstacleSearch {
    layout: Arc<Layout>,
    flood: Flood,
    /// For each square, with the wall, what it costs to cross.
    cost: Vec<u8>,
    /// For each square, the least price of a box's way from it to an origin, wherever the player is, or [`NO_WAY`].
    away: Vec<u8>,
    queue: VecDeque<Square>,
    /// In the layout's words: free squares, boxes that are not packed, and where a flood may go.
    free: Vec<u64>,
    loose: Vec<u64>,
    room: Vec<u64>,
    /// By square of the box: where the player has been, in the layout's words. Empty if the board is too large.
    reached: Vec<u64>,
    /// Visits to make, by the least price of a way through them, the next one last.
    open: Vec<Vec<Visit>>,
    /// The visits that have been made.
    visits: Vec<Visit>,
    /// The parts in which the player has walked, in the layout's words.
    parts: Vec<u64>,
    walk: Vec<(Square, u32)>,
    /// The squares of the last way: of its box and of the player.
    pub squares: SquareSet,
}

impl ObstacleSearch {
    /// Working memory for a board.
    pub fn new(board: &Board) -> Self {
        let (squares, words) = (board.squares(), board.layout.words());
        let pairs = if squares * squares <= MOST_PAIRS { squares * words } else { 0 };
        ObstacleSearch {
            layout: Arc::clone(&board.layout),
            flood: Flood::new(&board.layout),
            cost: vec![BLOCKED; squares + 1],
            away: vec![NO_WAY; squares + 1],
            queue: VecDeque::new(),
            free: vec![0; words],
            loose: vec![0; words],
            room: vec![0; words],
            reached: vec![0; pairs],
            open: Vec::new(),
            visits: Vec::new(),
            parts: Vec::new(),
            walk: Vec::new(),
            squares: vec![0; squares.div_ceil(64)],
        }
    }

    /// Finds the way of least price for one of the boxes that may be brought, with the player in
    /// `region` before. Returns the price: how often the way crosses a box; `None` where there is
    /// no way or the board is too large.
    pub fn find(
        &mut self,
        board: &Board,
        occupied: &Occupied,
        region: &Flood,
        Delivery { target, origins, side, packed }: &Delivery<'_>,
    ) -> Option<u8> {
        if self.reached.is_empty() {
            return None;
        }
        self.begin(board, occupied, packed);
        self.measure(board, origins);
        for player in board.next[*target as usize] {
            if self.cost[player as usize] != BLOCKED && has(side, player) {
                self.offer(board, (*target, player), 0, None);
            }
        }
        let mut least = 0;
        while least < self.open.len() {
            let Some(visit) = self.open[least].pop() else {
                least += 1;
                continue;
            };
            if !self.make(visit) {
                continue;
            }
            if has(origins, visit.stone)
                && let Some(player) = self.met(region)
            {
                self.trace(board, player);
                take(&mut self.squares, visit.stone);
                return Some(visit.price);
            }
            self.go_on(board);
        }
        None
    }

    /// Sets up a position in which these boxes are packed.
    fn begin(&mut self, board: &Board, occupied: &Occupied, packed: &[u64]) {
        self.reached.fill(0);
        self.open.iter_mut().for_each(Vec::clear);
        self.visits.clear();
        self.parts.clear();
        self.free.copy_from_slice(occupied.free());
        self.loose.fill(0);
        for square in 0..board.squares() {
            let (word, bit) = self.layout.bit(square as Square);
            self.cost[square] = if has(packed, square as Square) {
                self.free[word] &= !bit;
                BLOCKED
            } else if occupied[square] {
                self.loose[word] |= bit;
                1
            } else {
                0
            };
        }
    }

    /// Computes for each square the least price of a box's way from there to an origin.
    fn measure(&mut self, board: &Board, origins: &[u64]) {
        self.away.fill(NO_WAY);
        for origin in (0..board.squares() as Square).filter(|&s| has(origins, s)) {
            self.away[origin as usize] = 0;
            self.queue.push_back(origin);
        }
        while let Some(to) = self.queue.pop_front() {
            let cost = self.cost[to as usize];
            if cost == BLOCKED {
                continue;
            }
            let price = self.away[to as usize].saturating_add(cost);
            let next = board.next[to as usize];
            for d in 0..4 {
                // The player stands on `to`, steps back, and draws the box there from the other side.
                let (stone, behind) = (next[d ^ 2] as usize, next[d] as usize);
                if self.cost[behind] != BLOCKED && price < self.away[stone] {
                    self.away[stone] = price;
                    if cost == 0 {
                        self.queue.push_front(stone as Square);
                    } else {
                        self.queue.push_back(stone as Square);
                    }
                }
            }
        }
    }

    /// Puts a visit among those to make: the player steps on a square, from a visit of a price.
    fn offer(
        &mut self,
        board: &Board,
        (stone, player): (Square, Square),
        price: u8,
        before: Option<u32>,
    ) {
        let (cost, away) = (self.cost[player as usize], self.away[stone as usize]);
        if cost == BLOCKED || away == NO_WAY {
            return;
        }
        let is_paid = cost == 1 && board.next[stone as usize].contains(&player);
        let price = price.saturating_add(cost);
        let through = price.saturating_add(away.saturating_sub(u8::from(is_paid)));
        if through == NO_WAY {
            return;
        }
        if self.open.len() <= usize::from(through) {
            self.open.resize(usize::from(through) + 1, Vec::new());
        }
        self.open[usize::from(through)].push(Visit { stone, player, price, before, part: None });
    }

    /// The words of a square of the box in `reached`.
    fn words_of(&self, stone: Square) -> Range<usize> {
        let words = self.layout.words();
        let from = usize::from(stone) * words;
        from..from + words
    }

    /// Makes a visit. False if the player has been there with the box on the same square.
    fn make(&mut self, visit: Visit) -> bool {
        let range = self.words_of(visit.stone);
        let reached = &mut self.reached[range];
        let (word, bit) = self.layout.bit(visit.player);
        if reached[word] & bit != 0 {
            return false;
        }
        if self.cost[visit.player as usize] == 1 {
            reached[word] |= bit;
            self.visits.push(visit);
            return true;
        }
        self.room.copy_from_slice(&self.free);
        let (word, bit) = self.layout.bit(visit.stone);
        self.room[word] &= !bit;
        self.flood.spread(&self.room, visit.player);
        let part = self.flood.words();
        reached.iter_mut().zip(part).for_each(|(reached, part)| *reached |= part);
        let number = (self.parts.len() / part.len()) as u32;
        self.parts.extend_from_slice(part);
        self.visits.push(Visit { part: Some(number), ..visit });
        true
    }

    /// The visit that was made last.
    fn last(&self) -> Visit {
        self.visits[self.visits.len() - 1]
    }

    /// A square of a region that the player reaches in the last visit.
    fn met(&self, region: &Flood) -> Option<Square> {
        let Visit { player, part, .. } = self.last();
        if part.is_none() {
            return region.contains(player).then_some(player);
        }
        let both = self.flood.words().iter().zip(region.words()).map(|(a, b)| a & b);
        self.layout.squares(both).next()
    }

    /// Offers the visits that can follow the last one.
    fn go_on(&mut self, board: &Board) {
        let Visit { stone, player, price, part, .. } = self.last();
        let before = Some(self.visits.len() as u32 - 1);
        if part.is_none() {
            for next in board.next[player as usize].into_iter().filter(|&next| next != stone) {
                self.offer(board, (stone, next), price, before);
            }
        } else {
            self.cross_boxes(board, (stone, price), before);
        }
        // The player draws the box after him, where it stands right beside him.
        for d in 0..4 {
            let beside = board.next[stone as usize][d];
            let is_there =
                if part.is_none() { player == beside } else { self.flood.contains(beside) };
            if is_there {
                self.offer(board, (beside, board.next[beside as usize][d]), price, before);
            }
        }
    }

    /// Offers visits in which the player steps from the last part onto a box.
    fn cross_boxes(&mut self, board: &Board, (stone, price): (Square, u8), before: Option<u32>) {
        let layout = Arc::clone(&self.layout);
        let mut players = std::mem::take(&mut self.room);
        let reached = &self.reached[self.words_of(stone)];
        layout.beside(self.flood.words(), |i, beside| {
            players[i] = beside & self.loose[i] & !reached[i];
        });
        for player in layout.squares(players.iter().copied()).filter(|&player| player != stone) {
            self.offer(board, (stone, player), price, before);
        }
        self.room = players;
    }

    /// Collects the squares of the way to the last visit, at whose end the player stands on a square.
    fn trace(&mut self, board: &Board, mut player: Square) {
        self.squares.fill(0);
        let mut visit = self.last();
        loop {
            put(&mut self.squares, visit.stone);
            self.trace_walk(board, visit, player);
            let Some(before) = visit.before else { return };
            let before = self.visits[before as usize];
            player = match before.part {
                None => before.player,
                Some(part) if before.stone == visit.stone => {
                    let mut beside = board.next[visit.player as usize].into_iter();
                    beside.find(|&s| self.is_in_part(part, s)).unwrap_or(before.player)
                }
                Some(_) => visit.stone,
            };
            visit = before;
        }
    }

    /// Whether a square is in a part.
    fn is_in_part(&self, part: u32, square: Square) -> bool {
        let (word, bit) = self.layout.bit(square);
        self.parts[part as usize * self.layout.words() + word] & bit != 0
    }

    /// Collects the squares of the player's shortest walk to a square in a visit, and removes squares from the visit's part.
    fn trace_walk(&mut self, board: &Board, visit: Visit, to: Square) {
        put(&mut self.squares, visit.player);
        let Some(part) = visit.part else { return };
        // Squares, each with the place of the one before it.
        self.walk.clear();
        self.walk.push((to, 0));
        let mut head = 0;
        while let Some(&(square, _)) = self.walk.get(head)
            && square != visit.player
        {
            for next in board.next[square as usize] {
                let (word, bit) = self.layout.bit(next);
                let squares = &mut self.parts[part as usize * self.layout.words() + word];
                if *squares & bit != 0 {
                    *squares &= !bit;
                    self.walk.push((next, head as u32));
                }
            }
            head += 1;
        }
        while let Some(&(square, before)) = self.walk.get(head) {
            put(&mut self.squares, square);
            if head == 0 {
                return;
            }
            head = before as usize;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::sokoban::board::samples::{draw, random_level};

    /// A position, and a delivery to search for.
    struct Case {
        occupied: Occupied,
        region: Flood,
        target: Square,
        origins: SquareSet,
        side: SquareSet,
        packed: SquareSet,
    }

    impl Case {
        /// A drawn position of a level with more boxes: some are packed, some may be brought.
        fn drawn(board: &Board, seed: u64) -> Self {
            let lot = |purpose: u64, most: u64| draw(seed, purpose, most);
            let none = vec![0; board.squares().div_ceil(64)];
            let mut occupied = Occupied::new(&board.layout);
            let (mut origins, mut packed, mut side) = (none.clone(), none.clone(), none);
            let squares = board.squares() as Square;
            for square in (0..squares).filter(|&s| s != board.player) {
                match lot(10 + u64::from(square), 9) {
                    0 => put(&mut packed, square),
                    1 => put(&mut origins, square),
                    2 => {}
                    _ => continue,
                }
                occupied.set(square, true);
            }
            (0..squares)
                .filter(|&s| lot(900 + u64::from(s), 3) > 0)
                .for_each(|s| put(&mut side, s));
            let mut region = Flood::new(&board.layout);
            region.fill(&occupied, board.player);
            let target = board.targets[lot(0, board.targets.len() as u64) as usize];
            Case { occupied, region, target, origins, side, packed }
        }

        fn delivery(&self) -> Delivery<'_> {
            let Case { target, origins, side, packed, .. } = self;
            let (origins, packed) = (origins.clone(), packed.clone());
            Delivery { target: *target, origins, side, packed }
        }

        /// The least price, by steps of the player until no price falls.
        fn price(&self, board: &Board) -> Option<u8> {
            let n = board.squares();
            let cost = |s: Square| {
                let can = usize::from(s) != n && !has(&self.packed, s);
                can.then(|| u32::from(self.occupied[s as usize]))
            };
            let mut price = vec![u32::MAX; n * n];
            let place =
                |stone: Square, player: Square| usize::from(stone) * n + usize::from(player);
            for player in board.next[self.target as usize] {
                if let Some(cost) = cost(player).filter(|_| has(&self.side, player)) {
                    price[place(self.target, player)] = cost;
                }
            }
            let mut changes = true;
            while std::mem::take(&mut changes) {
                for (stone, player) in (0..n * n).map(|i| ((i / n) as Square, (i % n) as Square)) {
                    let before = price[place(stone, player)];
                    for d in (0..4).filter(|_| before != u32::MAX) {
                        let next = board.next[player as usize][d];
                        let Some(cost) = cost(next) else { continue };
                        let draws = board.next[stone as usize][d] == player;
                        let stones = [(next != stone).then_some(stone), draws.then_some(player)];
                        for stone in stones.into_iter().flatten() {
                            let least = &mut price[place(stone, next)];
                            changes |= *least > before + cost;
                            *least = (before + cost).min(*least);
                        }
                    }
                }
            }
            let ends = (0..n as Square).filter(|&stone| has(&self.origins, stone));
            let players = |stone| self.region.squares().map(move |player| place(stone, player));
            let least = ends.flat_map(players).map(|place| price[place]).min();
            least.filter(|&least| least != u32::MAX).map(|least| least as u8)
        }
    }

    #[test]
    fn prices_are_those_of_plain_search_and_ways_cross_that_many_boxes() {
        let (mut found, mut dear, mut cut_off) = (0, 0, 0);
        for seed in 0..3000 {
            let Some(board) = random_level(seed, 7, 9) else { continue };
            if board.targets.is_empty() {
                continue;
            }
            let mut case = Case::drawn(&board, seed);
            let mut search = ObstacleSearch::new(&board);
            let delivery = case.delivery();
            let price = search.find(&board, &case.occupied, &case.region, &delivery);
            assert_eq!(price, case.price(&board), "seed {seed}");
            let Some(price) = price else {
                cut_off += 1;
                continue;
            };
            (found, dear) = (found + 1, dear + u32::from(price > 2));
            // Each obstacle that is removed makes the way cheaper by at least one. A box on the target is free.
            let is_obstacle = |s: Square| {
                let is_on_way = has(&search.squares, s) && s != case.target;
                is_on_way && case.occupied[s as usize] && !has(&case.origins, s)
            };
            let obstacles: Vec<Square> =
                (0..board.squares() as Square).filter(|&s| is_obstacle(s)).collect();
            case.occupied.set_all(&obstacles, false);
            let rest = case.price(&board).expect("the way is still there");
            assert!(usize::from(rest) + obstacles.len() <= usize::from(price), "seed {seed}");
        }
        assert!(found > 300 && dear > 30 && cut_off > 100, "{found}, {dear}, {cut_off}");
    }
}
