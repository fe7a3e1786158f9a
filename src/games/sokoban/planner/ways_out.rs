//! Where boxes may leave the board when it is played backward from its solution.
//!
//! A box that is pulled to where a box of the start can be pushed need not be followed further:
//! the one can become the other. The *sink* is the room that most boxes of the start can reach
//! while all targets are filled. Other rooms do as well, unless they hold targets, where a box
//! would be in the way; so do the squares of the start.

use super::lift::{Lift, Way};
use super::packing::Steps;
use super::terrain::{Bits, NO_ROOM, Terrain, has, put};
use crate::games::sokoban::state::{Board, Square};
use crate::search::Watch;
use std::cmp::Reverse;

/// Where boxes may leave the board.
pub struct WaysOut {
    /// The squares of the sink.
    pub sink: Bits,
    /// For each square, the boxes of the start, by index, that a box pulled there may be.
    pub fits: Vec<Steps>,
    /// Squares to which a box of the start can be pushed on the empty board; the others are no use
    /// to pull a box to.
    pub useful: Bits,
    /// Filled targets whose boxes can never move.
    pub pinned: Vec<Square>,
}

impl WaysOut {
    /// Finds them. With `early`, a box of the start counts as coming to a room where it can before
    /// the targets are filled; otherwise it must be able to afterwards, unless they shut it in.
    /// What is not found out before time is over counts as out of reach.
    pub fn new(board: &Board, terrain: &Terrain, early: bool, watch: &Watch) -> Self {
        let mut lift = Lift::new(board);
        let past_targets = reaches(board, terrain, &board.targets, (&mut lift, watch));
        let alone = reaches(board, terrain, &[], (&mut lift, watch));
        let mut ways = WaysOut {
            sink: find_sink(board, terrain, &past_targets),
            fits: vec![Steps::default(); board.squares() + 1],
            useful: vec![0; terrain.words],
            pinned: Vec::new(),
        };
        let in_room = |s: usize| terrain.room[s] != NO_ROOM;
        let mut into_sink = Steps::default();
        let mut into_room = vec![Steps::default(); terrain.rooms];
        for (i, (past_targets, alone)) in past_targets.iter().zip(&alone).enumerate() {
            let gets_out = (0..board.squares()).any(|s| {
                has(past_targets, s as Square)
                    && !board.is_target[s]
                    && (has(&ways.sink, s as Square) || in_room(s))
            });
            let reach = if gets_out && !early { past_targets } else { alone };
            for s in (0..board.squares()).filter(|&s| has(reach, s as Square)) {
                if has(&ways.sink, s as Square) {
                    into_sink.insert(i);
                } else if in_room(s) {
                    into_room[terrain.room[s] as usize].insert(i);
                }
            }
            ways.useful.iter_mut().zip(alone).for_each(|(a, b)| *a |= b);
            let squares: u32 = alone.iter().map(|word| word.count_ones()).sum();
            let start = board.boxes[i];
            if squares == 1 && board.is_target[start as usize] {
                ways.pinned.push(start);
            }
            if !board.is_target[start as usize] {
                ways.fits[start as usize].insert(i);
            }
        }
        for &target in &board.targets {
            if let Some(fits) = into_room.get_mut(terrain.room[target as usize] as usize) {
                *fits = Steps::default();
            }
        }
        for s in 0..board.squares() {
            if has(&ways.sink, s as Square) {
                ways.fits[s].add(&into_sink);
            } else if let Some(fits) = into_room.get(terrain.room[s] as usize) {
                ways.fits[s].add(fits);
            }
        }
        ways
    }
}

/// Where each box of the start can be pushed past `filled` squares.
fn reaches(
    board: &Board,
    terrain: &Terrain,
    filled: &[Square],
    (lift, watch): (&mut Lift, &Watch),
) -> Vec<Bits> {
    let mut occupied = vec![false; board.squares() + 1];
    occupied[board.squares()] = true;
    filled.iter().for_each(|&s| occupied[s as usize] = true);
    let mut reach = |&square: &Square| {
        let mut bits = vec![0; terrain.words];
        if watch.is_over() {
            return bits;
        }
        let held = std::mem::replace(&mut occupied[square as usize], false);
        lift.analyse(board, &occupied);
        occupied[square as usize] = held;
        for stop in lift.walk(board, square, None, Way::Push, |_| true) {
            put(&mut bits, stop.square);
        }
        bits
    };
    board.boxes.iter().map(&mut reach).collect()
}

/// The squares to pull boxes to: the free ones of the room that most boxes of the start reach, or
/// where there is no room, the squares that most reach.
fn find_sink(board: &Board, terrain: &Terrain, reaches: &[Bits]) -> Bits {
    let free = |&s: &Square| !board.is_target[s as usize];
    let squares = || (0..board.squares() as Square).filter(free);
    let mut sink = vec![0; terrain.words];
    let rooms = |of: &mut dyn Iterator<Item = Square>| {
        let mut count = vec![0usize; terrain.rooms];
        of.map(|s| terrain.room[s as usize])
            .filter(|&room| room != NO_ROOM)
            .for_each(|room| count[room as usize] += 1);
        count
    };
    let mut reaching = vec![0usize; terrain.rooms];
    for bits in reaches {
        let inside = rooms(&mut squares().filter(|&s| has(bits, s)));
        reaching.iter_mut().zip(inside).for_each(|(sum, inside)| *sum += usize::from(inside > 0));
    }
    let standing = rooms(&mut board.boxes.iter().copied());
    let targets = rooms(&mut board.targets.iter().copied());
    let inside = rooms(&mut squares());
    let best = (0..terrain.rooms).max_by_key(|&room| {
        (reaching[room], standing[room], Reverse(targets[room]), inside[room], Reverse(room))
    });
    if let Some(best) = best {
        squares()
            .filter(|&s| usize::from(terrain.room[s as usize]) == best)
            .for_each(|s| put(&mut sink, s));
    }
    if sink.iter().all(|&word| word == 0) {
        let count = |s: Square| reaches.iter().filter(|bits| has(bits, s)).count();
        let most = squares().map(count).max().unwrap_or(0);
        squares().filter(|&s| count(s) == most).for_each(|s| put(&mut sink, s));
    }
    sink
}
