//! What is known of a level before any search: distances, dead squares, rooms, links, hotspots.

use super::lift::{Lift, Way};
use crate::games::sokoban::state::{Board, Square};
use smallvec::SmallVec;

/// The distance of a square from which no push sequence reaches the target.
pub const FAR: u16 = u16::MAX;

/// Room number of squares outside rooms.
pub const NO_ROOM: u16 = u16::MAX;

/// Squares of a board as bits; its number of words is the board's.
pub type Bits = Vec<u64>;

/// Whether a set contains a square.
#[inline]
pub fn has(bits: &[u64], square: Square) -> bool {
    bits[square as usize >> 6] >> (square & 63) & 1 == 1
}

/// Puts a square into a set.
#[inline]
pub fn put(bits: &mut [u64], square: Square) {
    bits[square as usize >> 6] |= 1 << (square & 63);
}

/// Takes a square out of a set.
#[inline]
pub fn take(bits: &mut [u64], square: Square) {
    bits[square as usize >> 6] &= !(1 << (square & 63));
}

/// Puts boxes on squares of a board that is kept as a list, or takes them off.
#[inline]
pub fn occupy(occupied: &mut [bool], boxes: &[Square], value: bool) {
    boxes.iter().for_each(|&s| occupied[s as usize] = value);
}

/// A passage between rooms: squares outside rooms that hang together.
#[derive(Clone, Debug)]
struct Passage {
    squares: Vec<Square>,
    /// Squares of the passage that touch a room, with the room's number.
    doors: Vec<(Square, u16)>,
    rooms: usize,
}

/// What is known of a level before any search.
#[derive(Clone, Debug)]
pub struct Terrain {
    /// Words of a set of squares.
    pub words: usize,
    /// Least pushes of a lone box from each square to each target, the player's walks minded:
    /// `distance[target index][square]`.
    pub distance: Vec<Vec<u16>>,
    /// Least of `distance` over the targets.
    pub nearest: Vec<u16>,
    /// Whether a lone box can be pushed from the square to some target.
    pub live: Vec<bool>,
    /// Room of each square, or [`NO_ROOM`].
    pub room: Vec<u16>,
    /// Number of rooms.
    pub rooms: usize,
    passages: Vec<Passage>,
    /// Passage of each square; `u16::MAX` in rooms.
    pub passage: Vec<u16>,
    /// For each square, the squares that lose the way to some target when a box stands on it for
    /// good. Empty on boards where finding out would take too long.
    pub blocks: Vec<Bits>,
}

/// The most work (squares by targets by squares) that finding hotspots may take.
const HOTSPOT_WORK: usize = 10_000_000;

impl Terrain {
    /// Looks a board over.
    pub fn new(board: &Board) -> Self {
        let n = board.squares();
        let mut occupied = vec![false; n + 1];
        occupied[n] = true;
        let mut lift = Lift::new(board);
        lift.analyse(board, &occupied);
        let distance: Vec<Vec<u16>> = (board.targets.iter())
            .map(|&target| {
                let mut field = vec![FAR; n + 1];
                for stop in lift.walk(board, target, None, Way::Pull, |_| true) {
                    let least = &mut field[stop.square as usize];
                    *least = (*least).min(stop.steps);
                }
                field
            })
            .collect();
        let nearest: Vec<u16> =
            (0..=n).map(|s| distance.iter().map(|field| field[s]).min().unwrap_or(FAR)).collect();
        let live = nearest.iter().map(|&d| d != FAR).collect();
        let (room, rooms) = find_rooms(board);
        let (passage, passages) = find_passages(board, &room);
        let words = n.div_ceil(64);
        let mut terrain = Terrain {
            words,
            distance,
            nearest,
            live,
            room,
            rooms,
            passages,
            passage,
            blocks: vec![Vec::new(); n + 1],
        };
        if n * n * board.targets.len() <= HOTSPOT_WORK {
            terrain.find_hotspots(board, &mut lift, &mut occupied);
        }
        terrain
    }

    fn find_hotspots(&mut self, board: &Board, lift: &mut Lift, occupied: &mut [bool]) {
        for square in (0..board.squares() as Square).filter(|&s| self.live[s as usize]) {
            let mut lost = vec![0; self.words];
            occupied[square as usize] = true;
            lift.analyse(board, occupied);
            for (target, field) in board.targets.iter().zip(&self.distance) {
                let mut reach = vec![0; self.words];
                if *target != square {
                    for stop in lift.walk(board, *target, None, Way::Pull, |_| true) {
                        put(&mut reach, stop.square);
                    }
                }
                for s in 0..board.squares() as Square {
                    if field[s as usize] != FAR
                        && s != square
                        && *target != square
                        && !has(&reach, s)
                    {
                        put(&mut lost, s);
                    }
                }
            }
            occupied[square as usize] = false;
            self.blocks[square as usize] = lost;
        }
    }

    /// Number of links between rooms that boxes break: for each passage, how many of its rooms no
    /// longer hang together through it.
    pub fn broken_links(&self, board: &Board, occupied: &[bool], scratch: &mut Vec<Square>) -> u32 {
        (0..self.passages.len()).map(|i| self.broken_in(board, occupied, i as u16, scratch)).sum()
    }

    /// Number of passages between rooms.
    pub fn passages(&self) -> usize {
        self.passages.len()
    }

    /// The part of [`Terrain::broken_links`] in one passage.
    pub fn broken_in(
        &self,
        board: &Board,
        occupied: &[bool],
        passage: u16,
        scratch: &mut Vec<Square>,
    ) -> u32 {
        let passage_number = passage;
        let passage = &self.passages[passage as usize];
        if passage.rooms < 2 || !passage.squares.iter().any(|&s| occupied[s as usize]) {
            return 0;
        }
        // Rooms that hang together through the passage, by union over its free parts.
        let mut group: SmallVec<[u16; 16]> = passage.doors.iter().map(|&(_, room)| room).collect();
        for i in 0..passage.doors.len() {
            let door = passage.doors[i].0;
            if occupied[door as usize] {
                continue;
            }
            scratch.clear();
            scratch.push(door);
            let mut head = 0;
            while let Some(&square) = scratch.get(head) {
                head += 1;
                for next in board.next[square as usize] {
                    if !occupied[next as usize]
                        && self.passage[next as usize] == passage_number
                        && !scratch.contains(&next)
                    {
                        scratch.push(next);
                    }
                }
            }
            for j in 0..passage.doors.len() {
                if scratch.contains(&passage.doors[j].0) && group[j] != group[i] {
                    let (old, new) = (group[j], group[i]);
                    group.iter_mut().for_each(|g| *g = if *g == old { new } else { *g });
                }
            }
        }
        // Doors of one room belong together through the room.
        for i in 0..passage.doors.len() {
            for j in 0..i {
                if passage.doors[i].1 == passage.doors[j].1 && group[i] != group[j] {
                    let (old, new) = (group[j], group[i]);
                    group.iter_mut().for_each(|g| *g = if *g == old { new } else { *g });
                }
            }
        }
        group.sort_unstable();
        group.dedup();
        group.len() as u32 - 1
    }
}

/// Rooms: squares of 2×3 or 3×2 blocks without walls, hanging together.
fn find_rooms(board: &Board) -> (Vec<u16>, usize) {
    let n = board.squares();
    let wall = n as Square;
    let mut open = vec![false; n + 1];
    let step = |square: Square, d: usize| board.next[square as usize][d];
    for start in 0..wall {
        for (rows, cols) in [(2, 3), (3, 2)] {
            let mut block = Vec::new();
            let mut left = start;
            for _ in 0..rows {
                let mut square = left;
                for _ in 0..cols {
                    block.push(square);
                    square = step(square, 1);
                }
                left = step(left, 2);
            }
            if block.iter().all(|&s| s != wall) {
                block.iter().for_each(|&s| open[s as usize] = true);
            }
        }
    }
    let mut room = vec![NO_ROOM; n + 1];
    let mut rooms = 0;
    for start in 0..wall {
        if open[start as usize] && room[start as usize] == NO_ROOM {
            spread(board, start, rooms, &mut room, |s| open[s as usize]);
            rooms += 1;
        }
    }
    (room, rooms as usize)
}

/// Gives a number to every square that hangs together with `start` and is `inside`.
fn spread(
    board: &Board,
    start: Square,
    number: u16,
    numbers: &mut [u16],
    inside: impl Fn(Square) -> bool,
) -> Vec<Square> {
    let mut squares = vec![start];
    numbers[start as usize] = number;
    let mut head = 0;
    while let Some(&square) = squares.get(head) {
        head += 1;
        for next in board.next[square as usize] {
            if next as usize != board.squares()
                && inside(next)
                && numbers[next as usize] == u16::MAX
            {
                numbers[next as usize] = number;
                squares.push(next);
            }
        }
    }
    squares
}

fn find_passages(board: &Board, room: &[u16]) -> (Vec<u16>, Vec<Passage>) {
    let n = board.squares();
    let mut passage = vec![u16::MAX; n + 1];
    let mut passages: Vec<Passage> = Vec::new();
    for start in 0..n as Square {
        if room[start as usize] != NO_ROOM || passage[start as usize] != u16::MAX {
            continue;
        }
        let number = passages.len() as u16;
        let inside = |s: Square| room[s as usize] == NO_ROOM;
        let squares = spread(board, start, number, &mut passage, inside);
        let mut doors: Vec<(Square, u16)> = Vec::new();
        for &square in &squares {
            for next in board.next[square as usize] {
                let room = room[next as usize];
                if room != NO_ROOM && !doors.contains(&(square, room)) {
                    doors.push((square, room));
                }
            }
        }
        let mut touched: Vec<u16> = doors.iter().map(|&(_, room)| room).collect();
        touched.sort_unstable();
        touched.dedup();
        passages.push(Passage { squares, doors, rooms: touched.len() });
    }
    (passage, passages)
}
