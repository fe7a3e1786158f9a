//! Where boxes may leave the board when it is played backward from its solution.
//!
//! A box that is pulled to where a box of the start can be pushed need not be followed further: the
//! one can become the other. Filled targets may part a room, as they do where it is entered from
//! two sides (XSokoban's 66); then its parts count, since boxes of the one side are not those of
//! the other. The *sink* is the part that most boxes of the start can reach while all targets are
//! filled. Those of other rooms do as well, unless the room holds targets, where a box would be in
//! the way; so do the squares of the start. That boxes get to a room is taken for granted; where it
//! is not to be, only the squares of the start count ([`Fit::Exact`]).

use super::assignment::IndexSet;
use crate::games::sokoban::board::region::{Flood, Occupied};
use crate::games::sokoban::board::square_set::{SquareSet, has, put};
use crate::games::sokoban::board::{Board, Square};
use crate::games::sokoban::planner::analysis::level::{LevelAnalysis, NO_ROOM};
use crate::games::sokoban::planner::analysis::macro_moves::{MacroMoveGenerator, Motion};
use crate::search::Deadline;
use std::cmp::Reverse;

/// Which boxes of the start a box may be, by where it is pulled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// The boxes that can be pushed to the same part of a room past filled targets, or anywhere
    /// where filled targets shut them in.
    Late,
    /// The boxes that can be pushed there while the board is empty.
    Early,
    /// The one that stands there. One that starts on a target has to be out of the way first, so
    /// may be any that comes where it can.
    Exact,
}

/// Where boxes may leave the board.
pub struct Sinks {
    /// The squares of the sink; all by [`Fit::Exact`].
    pub sink: SquareSet,
    /// For each square, the boxes of the start, by index, that a box pulled there may be.
    pub fits: Vec<IndexSet>,
    /// Squares to which a box of the start can be pushed on the empty board; the others are no use
    /// to pull a box to.
    pub useful: SquareSet,
    /// Filled targets whose boxes can never move.
    pub pinned: Vec<Square>,
}

/// Where each box of the start can be pushed, whatever the rules for leaving.
pub struct Reaches {
    past_targets: Vec<SquareSet>,
    alone: Vec<SquareSet>,
}

impl Reaches {
    /// Finds them. What is not found out before time is over counts as out of reach.
    pub fn new(board: &Board, analysis: &LevelAnalysis, watch: &Deadline) -> Self {
        let mut generator = MacroMoveGenerator::new(board);
        Reaches {
            past_targets: reaches(board, analysis, &board.targets, (&mut generator, watch)),
            alone: reaches(board, analysis, &[], (&mut generator, watch)),
        }
    }
}

impl Sinks {
    /// Finds them.
    pub fn new(board: &Board, analysis: &LevelAnalysis, fit: Fit, reaches: &Reaches) -> Self {
        let Reaches { past_targets, alone } = reaches;
        let parts = Parts::new(board, analysis);
        let mut sinks = Sinks {
            sink: find_sink(board, analysis, &parts, past_targets),
            fits: vec![IndexSet::default(); board.squares() + 1],
            useful: vec![0; analysis.words],
            pinned: Vec::new(),
        };
        let mut into_sink = IndexSet::default();
        let mut into_part = vec![IndexSet::default(); parts.rooms.len()];
        for (i, (past_targets, alone)) in past_targets.iter().zip(alone).enumerate() {
            let gets_out = (0..board.squares()).any(|s| {
                has(past_targets, s as Square)
                    && !board.is_target[s]
                    && (has(&sinks.sink, s as Square) || parts.of[s] != NO_ROOM)
            });
            let reach = if gets_out && fit == Fit::Late { past_targets } else { alone };
            let stands_free = !board.is_target[board.boxes[i] as usize];
            let anywhere = fit != Fit::Exact || !stands_free;
            for s in (0..board.squares()).filter(|&s| anywhere && has(reach, s as Square)) {
                if has(&sinks.sink, s as Square) {
                    into_sink.insert(i);
                } else if let Some(into) = into_part.get_mut(usize::from(parts.of[s])) {
                    into.insert(i);
                }
            }
            sinks.useful.iter_mut().zip(alone).for_each(|(a, b)| *a |= b);
            let squares: u32 = alone.iter().map(|word| word.count_ones()).sum();
            let start = board.boxes[i];
            if squares == 1 && board.is_target[start as usize] {
                sinks.pinned.push(start);
            }
            if stands_free {
                sinks.fits[start as usize].insert(i);
            }
        }
        for (fits, &targets) in into_part.iter_mut().zip(&parts.targets) {
            if targets > 0 {
                *fits = IndexSet::default();
            }
        }
        for s in 0..board.squares() {
            if has(&sinks.sink, s as Square) {
                sinks.fits[s].add(&into_sink);
            } else if let Some(fits) = into_part.get(usize::from(parts.of[s])) {
                sinks.fits[s].add(fits);
            }
        }
        if fit == Fit::Exact {
            sinks.sink.fill(u64::MAX);
        }
        sinks
    }
}

/// Where each box of the start can be pushed past `filled` squares.
fn reaches(
    board: &Board,
    analysis: &LevelAnalysis,
    filled: &[Square],
    (generator, watch): (&mut MacroMoveGenerator, &Deadline),
) -> Vec<SquareSet> {
    let mut occupied = Occupied::new(&board.layout);
    occupied.set_all(filled, true);
    let mut reach = |&square: &Square| {
        let mut bits = vec![0; analysis.words];
        if watch.is_over() {
            return bits;
        }
        let held = occupied[square as usize];
        occupied.set(square, false);
        generator.analyse(board, &occupied);
        occupied.set(square, held);
        for placement in generator.reach(board, square, None, Motion::Push, |_| true) {
            put(&mut bits, placement.square);
        }
        bits
    };
    board.boxes.iter().map(&mut reach).collect()
}

/// Number of targets in each room.
fn targets_by_room(board: &Board, analysis: &LevelAnalysis) -> Vec<usize> {
    let mut targets = vec![0; analysis.rooms];
    for &target in &board.targets {
        if let Some(count) = targets.get_mut(usize::from(analysis.room[target as usize])) {
            *count += 1;
        }
    }
    targets
}

/// The parts into which filled targets divide the rooms.
struct Parts {
    /// The part of each square; `NO_ROOM` for targets and squares outside rooms.
    of: Vec<u16>,
    /// The room of each part.
    rooms: Vec<u16>,
    /// Number of targets in the room of each part.
    targets: Vec<usize>,
}

impl Parts {
    fn new(board: &Board, analysis: &LevelAnalysis) -> Self {
        let n = board.squares();
        let mut filled = Occupied::new(&board.layout);
        filled.set_all(&board.targets, true);
        let mut parts = Parts { of: vec![NO_ROOM; n + 1], rooms: Vec::new(), targets: Vec::new() };
        let mut seen = filled.to_vec();
        let mut flood = Flood::new(&board.layout);
        // The part that belongs to each room in the region that is looked at.
        let mut part = vec![NO_ROOM; analysis.rooms];
        for start in 0..n as Square {
            if seen[start as usize] {
                continue;
            }
            flood.fill(&filled, start);
            let first = parts.rooms.len();
            for s in flood.squares() {
                seen[s as usize] = true;
                let room = analysis.room[s as usize];
                let Some(part) = part.get_mut(usize::from(room)) else { continue };
                if *part == NO_ROOM {
                    *part = parts.rooms.len() as u16;
                    parts.rooms.push(room);
                }
                parts.of[s as usize] = *part;
            }
            parts.rooms[first..].iter().for_each(|&room| part[usize::from(room)] = NO_ROOM);
        }
        let targets = targets_by_room(board, analysis);
        parts.targets = parts.rooms.iter().map(|&room| targets[usize::from(room)]).collect();
        parts
    }
}

/// The squares to pull boxes to: the part of a room that most boxes of the start reach, or where
/// there is no room, the squares that most reach.
fn find_sink(
    board: &Board,
    analysis: &LevelAnalysis,
    parts: &Parts,
    reaches: &[SquareSet],
) -> SquareSet {
    let free = |&s: &Square| !board.is_target[s as usize];
    let squares = || (0..board.squares() as Square).filter(free);
    let mut sink = vec![0; analysis.words];
    let count = |of: &mut dyn Iterator<Item = Square>| {
        let mut counts = vec![0usize; parts.rooms.len()];
        of.map(|s| parts.of[s as usize])
            .filter(|&part| part != NO_ROOM)
            .for_each(|part| counts[usize::from(part)] += 1);
        counts
    };
    let mut reaching = vec![0usize; parts.rooms.len()];
    for bits in reaches {
        let inside = count(&mut squares().filter(|&s| has(bits, s)));
        reaching.iter_mut().zip(inside).for_each(|(sum, inside)| *sum += usize::from(inside > 0));
    }
    let standing = count(&mut board.boxes.iter().copied());
    let inside = count(&mut squares());
    let best = (0..parts.rooms.len()).max_by_key(|&part| {
        let targets = Reverse(parts.targets[part]);
        (reaching[part], standing[part], targets, inside[part], Reverse(part))
    });
    if let Some(best) = best {
        squares()
            .filter(|&s| usize::from(parts.of[s as usize]) == best)
            .for_each(|s| put(&mut sink, s));
    }
    if sink.iter().all(|&word| word == 0) {
        let count = |s: Square| reaches.iter().filter(|bits| has(bits, s)).count();
        let most = squares().map(count).max().unwrap_or(0);
        squares().filter(|&s| count(s) == most).for_each(|s| put(&mut sink, s));
    }
    sink
}
