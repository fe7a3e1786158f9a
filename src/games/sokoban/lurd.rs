//! Plans as text: pushes to LURD and back.
//!
//! LURD writes a step of the player as `l`, `u`, `r` or `d`, and a push as the same letter in upper
//! case. Searches work on pushes and leave the walks between them out, so writing a plan finds the
//! shortest walk before each push.

use crate::board::Direction;
use crate::diagnostic::Source;
use crate::games::sokoban::board::{Board, DIRECTIONS, Push, Square, State};
use crate::games::sokoban::format::letter;
use crate::games::sokoban::solution::read_keys;

/// Writes pushes from a level's start as a line of LURD, with the shortest walk before each; `None`
/// where a push is not possible.
pub fn write(board: &Board, pushes: &[Push]) -> Option<String> {
    let mut keys = String::with_capacity(4 * pushes.len());
    spell(board, pushes, &mut keys, |_| {})?;
    Some(keys + "\n")
}

/// Moves of such a plan after each number of its pushes, from none to all; `None` also where the
/// pushes do not solve the level.
pub fn moves(board: &Board, pushes: &[Push]) -> Option<Vec<u32>> {
    let mut moves = vec![0];
    let end = spell(board, pushes, &mut String::new(), |count| moves.push(count as u32))?;
    (end.misplaced == 0).then_some(moves)
}

/// Appends the keys of a plan, and tells after each push how many there are. The state at the end.
fn spell<'a>(
    board: &'a Board,
    pushes: &[Push],
    keys: &mut String,
    mut tell: impl FnMut(usize),
) -> Option<State<'a>> {
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
    Some(state)
}

/// The pushes of a plan that is given as LURD; `None` where it is no text of keys or a key is
/// blocked.
pub fn read(board: &Board, plan: &str) -> Option<Vec<Push>> {
    let keys = read_keys(&Source::new("plan", plan)).ok()?;
    let keys: Vec<Direction> = keys.iter().map(|key| key.direction).collect();
    pushes_of(board, &keys)
}

/// The pushes that keys do from a level's start, those after completion left out; `None` where a
/// key is blocked.
pub fn pushes_of(board: &Board, keys: &[Direction]) -> Option<Vec<Push>> {
    let mut state = State::new(board);
    let mut pushes = Vec::new();
    for key in keys {
        if state.misplaced == 0 {
            break;
        }
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
