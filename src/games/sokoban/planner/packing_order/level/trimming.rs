//! Trims a level: boxes that can never move, dead ends and squares that the player can never reach become walls, since no
//! plan needs them.

use crate::games::sokoban::board::derived::DerivedBoard;
use crate::games::sokoban::board::region::{Flood, Occupied};
use crate::games::sokoban::board::{Board, Push, Square};
use crate::games::sokoban::planner::deadlock::freeze::Freeze;

/// Trims a level. Returns it with the pushes that every plan begins with, as pushes of the original board; `None` if it has
/// no plan.
pub fn trim(level: DerivedBoard) -> Option<(DerivedBoard, Vec<Push>)> {
    let mut part = without_fixed_boxes(level)?;
    let (mut walls, forced) = fill_dead_ends(&mut part.board);
    let forced = forced.into_iter().map(|push| part.original(push)).collect();
    add_unreached(&part.board, &mut walls);
    Some((part.without(&walls), forced))
}

/// Makes walls of boxes on targets that are frozen or cut off from the player. `None` if such a box is on no target, or if
/// another target is cut off.
fn without_fixed_boxes(mut part: DerivedBoard) -> Option<DerivedBoard> {
    loop {
        let board = &part.board;
        let mut flood = Flood::new(&board.layout);
        let mut occupied = Occupied::new(&board.layout);
        flood.fill(&occupied, board.player);
        occupied.set_all(&board.boxes, true);
        let (mut freeze, live) = (Freeze::new(board), vec![true; board.squares() + 1]);
        let mut is_fixed = vec![false; board.squares()];
        for &square in &board.boxes {
            is_fixed[square as usize] =
                !flood.contains(square) || freeze.is_frozen(board, &live, &occupied, square);
        }
        let is_lost = |&s: &Square| is_fixed[s as usize] && !board.is_target[s as usize];
        let is_cut_off = |&s: &Square| !is_fixed[s as usize] && !flood.contains(s);
        if board.boxes.iter().any(is_lost) || board.targets.iter().any(is_cut_off) {
            return None;
        }
        if !is_fixed.contains(&true) {
            return Some(part);
        }
        part = part.without(&is_fixed);
    }
}

/// Finds the dead ends: says of each square whether it is in one. A player who stands in a dead end leaves it first. The
/// pushes that this takes are done on the board, and returned.
fn fill_dead_ends(board: &mut Board) -> (Vec<bool>, Vec<Push>) {
    let squares = board.squares();
    let mut walls = vec![false; squares + 1];
    walls[squares] = true;
    let mut occupied = Occupied::new(&board.layout);
    occupied.set_all(&board.boxes, true);
    let mut forced = Vec::new();
    let mut is_done = false;
    while !is_done {
        is_done = true;
        for square in 0..squares {
            if walls[square] || board.is_target[square] || occupied[square] {
                continue;
            }
            let mut ways = (0..4u8).filter(|&d| !walls[board.next[square][d as usize] as usize]);
            let (way, is_passage) = (ways.next(), ways.next().is_some());
            let must_leave = usize::from(board.player) == square;
            let can_leave = |d| step_out(board, &walls, &mut occupied, d, &mut forced);
            if is_passage || must_leave && !way.is_some_and(can_leave) {
                continue;
            }
            walls[square] = true;
            is_done = false;
        }
    }
    (walls, forced)
}

/// Lets the player step; false where that is a push that cannot be done, or is not needed.
fn step_out(
    board: &mut Board,
    walls: &[bool],
    occupied: &mut Occupied,
    direction: u8,
    forced: &mut Vec<Push>,
) -> bool {
    let to = board.next[board.player as usize][direction as usize];
    if occupied[to as usize] {
        let beyond = board.next[to as usize][direction as usize];
        let is_solved = board.boxes.iter().all(|&s| board.is_target[s as usize]);
        if walls[beyond as usize] || occupied[beyond as usize] || is_solved {
            return false;
        }
        occupied.slide(to, beyond);
        board.boxes.iter_mut().filter(|s| **s == to).for_each(|s| *s = beyond);
        forced.push(Push { from: to, direction });
    }
    board.player = to;
    true
}

/// Adds the squares that the player can never reach.
fn add_unreached(board: &Board, walls: &mut [bool]) {
    let mut blocked = Occupied::new(&board.layout);
    let squares = 0..board.squares() as Square;
    squares.clone().filter(|&s| walls[s as usize]).for_each(|s| blocked.set(s, true));
    let mut flood = Flood::new(&board.layout);
    flood.fill(&blocked, board.player);
    squares.for_each(|s| walls[s as usize] |= !flood.contains(s));
}
