//! The squares of a level: distances, dead squares, rooms, passages, hotspots.
//!
//! All of it depends on walls and targets alone. A square is *dead* where no lone box can be pushed
//! from it to a target. *Rooms* are made of open blocks, and *passages* are what lies between them;
//! a box in a passage may break the link of two rooms. A *hotspot* is a square on which a box takes
//! the way to some target from boxes elsewhere.

use super::macro_moves::{MacroMoveGenerator, Motion};
use crate::games::sokoban::board::region::Occupied;
use crate::games::sokoban::board::square_set::{SquareSet, has, put};
use crate::games::sokoban::board::{Board, Square};
use smallvec::{SmallVec, smallvec};

/// The distance of a square from which no push sequence reaches the target.
pub const FAR: u16 = u16::MAX;

/// Room number of squares outside rooms.
pub const NO_ROOM: u16 = u16::MAX;

/// A passage between rooms: squares outside rooms that hang together.
#[derive(Clone, Debug)]
struct Passage {
    squares: Vec<Square>,
    /// Squares of the passage that touch a room, with the room's place among those it touches.
    doors: Vec<(Square, usize)>,
    rooms: usize,
}

/// What is known of a level before any search.
#[derive(Clone, Debug)]
pub struct LevelAnalysis {
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
    /// Place of each square among those of its passage.
    place: Vec<u16>,
    /// For each square, the squares that lose the way to some target when a box stands on it for
    /// good. Empty on boards where finding out would take too long.
    pub blocks: Vec<SquareSet>,
    /// For each square, those on which a box takes a way from it: `blocks` the other way round.
    pub blocked_by: Vec<SquareSet>,
}

/// The most work (squares by targets by squares) that finding hotspots may take.
const HOTSPOT_WORK: usize = 10_000_000;

impl LevelAnalysis {
    /// Looks a board over.
    pub fn new(board: &Board) -> Self {
        let n = board.squares();
        let mut occupied = Occupied::new(&board.layout);
        let mut generator = MacroMoveGenerator::new(board);
        generator.analyse(board, &occupied);
        let distance: Vec<Vec<u16>> = (board.targets.iter())
            .map(|&target| {
                let mut field = vec![FAR; n + 1];
                for placement in generator.reach(board, target, None, Motion::Pull, |_| true) {
                    let least = &mut field[placement.square as usize];
                    *least = (*least).min(placement.steps);
                }
                field
            })
            .collect();
        let nearest: Vec<u16> =
            (0..=n).map(|s| distance.iter().map(|field| field[s]).min().unwrap_or(FAR)).collect();
        let live = nearest.iter().map(|&d| d != FAR).collect();
        let (room, rooms) = find_rooms(board);
        let (passage, passages) = find_passages(board, &room);
        let mut place = vec![0; n + 1];
        for passage in &passages {
            (passage.squares.iter().enumerate()).for_each(|(i, &s)| place[s as usize] = i as u16);
        }
        let words = n.div_ceil(64);
        let mut analysis = LevelAnalysis {
            words,
            distance,
            nearest,
            live,
            room,
            rooms,
            passages,
            passage,
            place,
            blocks: vec![Vec::new(); n + 1],
            blocked_by: vec![Vec::new(); n + 1],
        };
        if n * n * board.targets.len() <= HOTSPOT_WORK {
            analysis.find_hotspots(board, &mut generator, &mut occupied);
        }
        analysis
    }

    fn find_hotspots(
        &mut self,
        board: &Board,
        generator: &mut MacroMoveGenerator,
        occupied: &mut Occupied,
    ) {
        self.blocked_by.fill(vec![0; self.words]);
        for square in (0..board.squares() as Square).filter(|&s| self.live[s as usize]) {
            let mut lost = vec![0; self.words];
            occupied.set(square, true);
            generator.analyse(board, occupied);
            for (target, field) in board.targets.iter().zip(&self.distance) {
                let mut reach = vec![0; self.words];
                if *target != square {
                    for placement in generator.reach(board, *target, None, Motion::Pull, |_| true) {
                        put(&mut reach, placement.square);
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
            occupied.set(square, false);
            for s in (0..board.squares()).filter(|&s| has(&lost, s as Square)) {
                put(&mut self.blocked_by[s], square);
            }
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

    /// The part of [`LevelAnalysis::broken_links`] in the passage of this number.
    pub fn broken_in(
        &self,
        board: &Board,
        occupied: &[bool],
        number: u16,
        scratch: &mut Vec<Square>,
    ) -> u32 {
        let passage = &self.passages[number as usize];
        if passage.rooms < 2 || !passage.squares.iter().any(|&s| occupied[s as usize]) {
            return 0;
        }
        // The free part of the passage that each square is in, and a room that the part touches.
        let mut part: SmallVec<[u16; 256]> = smallvec![u16::MAX; passage.squares.len()];
        let mut room_of: SmallVec<[usize; 16]> = SmallVec::new();
        let mut joined: SmallVec<[usize; 16]> = (0..passage.rooms).collect();
        let mut apart = passage.rooms as u32 - 1;
        for &(door, room) in &passage.doors {
            if occupied[door as usize] {
                continue;
            }
            let known = part[self.place[door as usize] as usize];
            if known == u16::MAX {
                part[self.place[door as usize] as usize] = room_of.len() as u16;
                self.fill_part(board, occupied, door, &mut part, scratch);
                room_of.push(room);
                continue;
            }
            let (a, b) = (root(&joined, room), root(&joined, room_of[known as usize]));
            if a != b {
                joined[a] = b;
                apart -= 1;
            }
        }
        apart
    }

    /// Gives its mark to all squares of a passage that hang together with a free one.
    fn fill_part(
        &self,
        board: &Board,
        occupied: &[bool],
        start: Square,
        part: &mut [u16],
        queue: &mut Vec<Square>,
    ) {
        queue.clear();
        queue.push(start);
        let passage = self.passage[start as usize];
        let mark = part[self.place[start as usize] as usize];
        let mut head = 0;
        while let Some(&square) = queue.get(head) {
            head += 1;
            for next in board.next[square as usize] {
                let free = !occupied[next as usize] && self.passage[next as usize] == passage;
                let place = self.place[next as usize] as usize;
                if free && part[place] == u16::MAX {
                    part[place] = mark;
                    queue.push(next);
                }
            }
        }
    }
}

/// The room that stands for all that a room is joined with.
fn root(joined: &[usize], mut room: usize) -> usize {
    while joined[room] != room {
        room = joined[room];
    }
    room
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
            let first = doors.len();
            for next in board.next[square as usize] {
                let room = room[next as usize];
                if room != NO_ROOM && !doors[first..].contains(&(square, room)) {
                    doors.push((square, room));
                }
            }
        }
        let mut touched: Vec<u16> = doors.iter().map(|&(_, room)| room).collect();
        touched.sort_unstable();
        touched.dedup();
        let place = |room: u16| touched.partition_point(|&other| other < room);
        let doors = doors.into_iter().map(|(square, room)| (square, place(room))).collect();
        passages.push(Passage { squares, doors, rooms: touched.len() });
    }
    (passage, passages)
}
