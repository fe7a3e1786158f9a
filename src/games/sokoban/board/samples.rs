//! Small random levels for tests.

use super::region::Flood;
use super::{Board, Push, Square, State};
use crate::board::mix;
use crate::diagnostic::Source;
use crate::games::sokoban::format::{self, Level};
use crate::games::{GameId, GenerateOptions};
use ahash::AHashSet;

/// A number below `most`, the same for the same seed and purpose.
pub fn draw(seed: u64, purpose: u64, most: u64) -> u64 {
    mix(mix(seed) ^ purpose) % most
}

/// A level of up to `most_rows` rows and `most_cols` columns with random walls, and boxes and
/// targets on some of the squares, as many of each as it happens; `None` where it cannot be read.
pub fn random_level(seed: u64, most_rows: u64, most_cols: u64) -> Option<Board> {
    let (rows, cols) = (1 + draw(seed, 1, most_rows), 1 + draw(seed, 2, most_cols));
    level(seed, rows, cols, |row, col| draw(seed, row << 8 | col | 1 << 20, 16))
}

/// A level like [`random_level`], with walls and targets that are symmetric from left to right.
pub fn mirrored_level(seed: u64, most_rows: u64, most_cols: u64) -> Option<Board> {
    let (rows, cols) = (1 + draw(seed, 1, most_rows), 1 + draw(seed, 2, most_cols) / 2 * 2);
    level(seed, rows, cols, |row, col| {
        let left = draw(seed, row << 8 | col.min(cols + 1 - col) | 1 << 20, 16);
        // Boxes may stand anywhere.
        let is_fixed = left < 3 || left == 5 || left == 6;
        let own = draw(seed, row << 8 | col | 1 << 21, 16);
        match own {
            _ if is_fixed => left,
            0..4 => 3,
            _ => 15,
        }
    })
}

/// A level whose cells are drawn by row and column, each as a number below 16.
fn level(seed: u64, rows: u64, cols: u64, draws: impl Fn(u64, u64) -> u64) -> Option<Board> {
    let mut text = String::new();
    for row in 0..rows + 2 {
        for col in 0..cols + 2 {
            let is_rim = row == 0 || col == 0 || row > rows || col > cols;
            text.push(match draws(row, col) {
                _ if is_rim => '#',
                _ if (row, col) == (1 + rows / 2, 1 + cols / 2) => '@',
                0..3 => '#',
                3 | 4 => '$',
                5 | 6 => '.',
                7 if draw(seed, 3, 2) == 0 => '*',
                _ => ' ',
            });
        }
        text.push('\n');
    }
    let levels = format::read_levels(&Source::new("level", text)).ok()?;
    Some(Board::new(levels.first()?))
}

/// A level that has a plan, made by the generator.
pub fn made(seed: u64, rows: u32, cols: u32, boxes: u32, walls: u32) -> Option<Level> {
    let mut options = GenerateOptions { seed, ..GenerateOptions::default() };
    for (name, value) in [("rows", rows), ("cols", cols), ("boxes", boxes), ("walls", walls)] {
        options.values.insert(name.into(), value.to_string());
    }
    let made = GameId::Sokoban.game().generate(&options).ok()?;
    let levels = format::read_levels(&Source::new("made.xsb", made.area)).ok()?;
    levels.into_iter().next()
}

/// The least moves that solve a level, by breadth-first search over single steps; otherwise as [`least_pushes`].
pub fn least_moves(board: &Board, most: usize) -> Option<Option<usize>> {
    let mut layer = vec![(board.boxes.clone(), board.player)];
    let mut seen = AHashSet::new();
    for depth in 0.. {
        let mut next = Vec::new();
        for (boxes, player) in layer {
            if !seen.insert((boxes.clone(), player)) {
                continue;
            }
            if boxes.iter().all(|&at| board.is_target[at as usize]) {
                return Some(Some(depth));
            }
            if seen.len() > most {
                return None;
            }
            for (direction, &to) in (0..).zip(&board.next[player as usize]) {
                if boxes.contains(&to) {
                    let mut state = State::at(board, &boxes, player);
                    let push = Push { from: to, direction };
                    if state.may_push(push) {
                        state.push(push);
                        next.push((state.boxes(), to));
                    }
                } else if (to as usize) < board.squares() {
                    next.push((boxes.clone(), to));
                }
            }
        }
        if next.is_empty() {
            return Some(None);
        }
        layer = next;
    }
    None
}

/// The least pushes that solve a level, by breadth-first search: `Some(None)` if it has no solution, `None`
/// if the search has not ended after `most` positions.
pub fn least_pushes(board: &Board, most: usize) -> Option<Option<usize>> {
    let added = |square: Square| board.is_target[square as usize].then_some(0);
    Some(least_cost(board, most, added)?.map(|cost| cost as usize))
}

/// The least pushes and surcharges together that bring each box to a target; otherwise as [`least_pushes`]. `added` is the
/// surcharge of a box that ends on a square, `None` if that is no target.
pub fn least_cost(
    board: &Board,
    most: usize,
    added: impl Fn(Square) -> Option<u32>,
) -> Option<Option<u32>> {
    let [mut flood, mut after] = [(); 2].map(|()| Flood::new(&board.layout));
    let mut layer = vec![(board.boxes.clone(), board.player)];
    let (mut seen, mut pushes) = (AHashSet::new(), Vec::new());
    let mut least: Option<u32> = None;
    for depth in 0.. {
        let mut next = Vec::new();
        for (boxes, player) in layer {
            let ends: Option<u32> = boxes.iter().map(|&at| added(at)).sum();
            least = ends.map(|ends| depth + ends).into_iter().chain(least).min();
            if least.is_some_and(|least| least <= depth) {
                return Some(least);
            }
            if seen.len() > most {
                return None;
            }
            let mut state = State::at(board, &boxes, player);
            flood.fill(&state.occupied, player);
            pushes.clear();
            state.pushes(&mut flood, &mut pushes);
            for &push in &pushes {
                state.push(push);
                after.fill(&state.occupied, state.player);
                let boxes = state.boxes();
                if seen.insert((boxes.clone(), after.least())) {
                    next.push((boxes, state.player));
                }
                state.undo();
            }
        }
        if next.is_empty() {
            return Some(least);
        }
        layer = next;
    }
    None
}
