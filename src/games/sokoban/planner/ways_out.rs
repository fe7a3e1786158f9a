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
    pub fn new(board: &Board, terrain: &Terrain, early: bool) -> Self {
        let mut lift = Lift::new(board);
        let past_targets = reaches(board, terrain, &board.targets, &mut lift);
        let alone = reaches(board, terrain, &[], &mut lift);
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
fn reaches(board: &Board, terrain: &Terrain, filled: &[Square], lift: &mut Lift) -> Vec<Bits> {
    let mut occupied = vec![false; board.squares() + 1];
    occupied[board.squares()] = true;
    filled.iter().for_each(|&s| occupied[s as usize] = true);
    let mut reach = |&square: &Square| {
        let held = std::mem::replace(&mut occupied[square as usize], false);
        lift.analyse(board, &occupied);
        occupied[square as usize] = held;
        let mut bits = vec![0; terrain.words];
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
    let best = (0..terrain.rooms as u16).max_by_key(|&room| {
        let inside = || squares().filter(move |&s| terrain.room[s as usize] == room);
        let reaching = reaches.iter().filter(|bits| inside().any(|s| has(bits, s))).count();
        let standing = board.boxes.iter().filter(|&&s| terrain.room[s as usize] == room);
        let targets = board.targets.iter().filter(|&&s| terrain.room[s as usize] == room);
        (reaching, standing.count(), Reverse(targets.count()), inside().count(), Reverse(room))
    });
    if let Some(best) = best {
        squares().filter(|&s| terrain.room[s as usize] == best).for_each(|s| put(&mut sink, s));
    }
    if sink.iter().all(|&word| word == 0) {
        let count = |s: Square| reaches.iter().filter(|bits| has(bits, s)).count();
        let most = squares().map(count).max().unwrap_or(0);
        squares().filter(|&s| count(s) == most).for_each(|s| put(&mut sink, s));
    }
    sink
}
