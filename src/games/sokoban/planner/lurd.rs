//! From macro moves to keys.

use crate::board::Direction;
use crate::games::sokoban::board::{Board, DIRECTIONS, Push, Square, State};
use crate::games::sokoban::format::letter;
use crate::games::sokoban::planner::analysis::macro_moves::{MacroMoveGenerator, Motion};
use crate::games::sokoban::planner::fess::MacroMove;

/// Spells macro moves from a level's start as single pushes.
pub fn pushes(board: &Board, macro_moves: &[MacroMove]) -> Option<Vec<Push>> {
    let mut state = State::new(board);
    let mut generator = MacroMoveGenerator::new(board);
    let mut pushes = Vec::new();
    for macro_move in macro_moves {
        state.occupied.set(macro_move.from, false);
        generator.analyse(board, &state.occupied);
        state.occupied.set(macro_move.from, true);
        generator.reach(board, macro_move.from, Some(state.player), Motion::Push, |_| true);
        let stops = generator.reached();
        let mut at = stops.iter().position(|stop| {
            stop.steps > 0 && stop.square == macro_move.to && {
                // The player's part of the board must be the one that the macro move meant.
                let beside = board.next[stop.square as usize][stop.side as usize];
                beside == macro_move.player
            }
        });
        if at.is_none() {
            at = (0..stops.len()).find(|&i| {
                let stop = stops[i];
                let beside = board.next[stop.square as usize][stop.side as usize];
                stop.steps > 0
                    && stop.square == macro_move.to
                    && generator.region_hash(board, macro_move.to, beside)
                        == generator.region_hash(board, macro_move.to, macro_move.player)
            });
        }
        let mut index = at?;
        let mut steps = Vec::new();
        while stops[index].steps > 0 {
            let side = stops[index].side;
            index = stops[index].from as usize;
            steps.push(Push { from: stops[index].square, direction: side ^ 2 });
        }
        for &push in steps.iter().rev() {
            state.push(push);
            pushes.push(push);
        }
    }
    Some(pushes)
}

/// Writes pushes from a level's start as LURD, with the shortest walk before each; `None` where a
/// push is not possible.
pub fn keys(board: &Board, pushes: &[Push]) -> Option<String> {
    let mut keys = String::with_capacity(4 * pushes.len());
    spell(board, pushes, &mut keys, |_| {})?;
    Some(keys)
}

/// Moves of such a plan up to each of its pushes, 0 for none first, and with all of them last.
pub fn moves(board: &Board, pushes: &[Push]) -> Option<Vec<u32>> {
    let mut moves = vec![0];
    spell(board, pushes, &mut String::new(), |count| moves.push(count as u32))?;
    Some(moves)
}

/// Appends the keys of a plan, and tells after each push how many there are.
fn spell(
    board: &Board,
    pushes: &[Push],
    keys: &mut String,
    mut tell: impl FnMut(usize),
) -> Option<()> {
    let mut state = State::new(board);
    for &push in pushes {
        if !state.may_push(push) {
            return None;
        }
        let behind = board.next[push.from as usize][push.direction as usize ^ 2];
        walk(board, &state.occupied, state.player, behind, keys)?;
        keys.push(letter(DIRECTIONS[push.direction as usize], true));
        state.push(push);
        tell(keys.len());
    }
    Some(())
}

/// The pushes that keys do from a level's start; `None` where a key is blocked.
pub fn read_pushes(board: &Board, keys: &[Direction]) -> Option<Vec<Push>> {
    let mut state = State::new(board);
    let mut pushes = Vec::new();
    for key in keys {
        let direction = DIRECTIONS.iter().position(|d| d == key)? as u8;
        let ahead = board.next[state.player as usize][direction as usize];
        if ahead as usize == board.squares() {
            return None;
        }
        if state.occupied[ahead as usize] {
            let push = Push { from: ahead, direction };
            if !state.may_push(push) {
                return None;
            }
            state.push(push);
            pushes.push(push);
        } else {
            state.player = ahead;
        }
    }
    Some(pushes)
}

/// Appends the shortest walk between two squares.
fn walk(
    board: &Board,
    occupied: &[bool],
    from: Square,
    to: Square,
    keys: &mut String,
) -> Option<()> {
    // Searched from the end, so that following it from the start needs no turning round.
    let mut toward = vec![u8::MAX; board.squares() + 1];
    let mut queue = vec![to];
    toward[to as usize] = 0;
    let mut head = 0;
    while toward[from as usize] == u8::MAX {
        let square = *queue.get(head)?;
        head += 1;
        for d in 0..4u8 {
            let next = board.next[square as usize][d as usize];
            if !occupied[next as usize] && toward[next as usize] == u8::MAX {
                toward[next as usize] = d ^ 2;
                queue.push(next);
            }
        }
    }
    let mut square = from;
    while square != to {
        let d = toward[square as usize] as usize;
        keys.push(letter(DIRECTIONS[d], false));
        square = board.next[square as usize][d];
    }
    Some(())
}
