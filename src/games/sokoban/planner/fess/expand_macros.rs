//! From macro moves to single pushes.

use super::MacroMove;
use crate::games::sokoban::board::{Board, Push, State};
use crate::games::sokoban::planner::analysis::macro_moves::{
    MacroMoveGenerator, Motion, Placement,
};

/// The pushes of macro moves from a level's start; `None` where one of them is not possible.
pub fn expand_macros(board: &Board, macro_moves: &[MacroMove]) -> Option<Vec<Push>> {
    let mut state = State::new(board);
    let mut generator = MacroMoveGenerator::new(board);
    let mut pushes = Vec::new();
    for macro_move in macro_moves {
        state.occupied.set(macro_move.from, false);
        generator.analyse(board, &state.occupied);
        state.occupied.set(macro_move.from, true);
        generator.reach(board, macro_move.from, Some(state.player), Motion::Push, |_| true);
        let first = pushes.len();
        let placements = generator.reached();
        let mut at = find(board, &generator, macro_move)?;
        while placements[at].steps > 0 {
            let side = placements[at].side;
            at = placements[at].from as usize;
            pushes.push(Push { from: placements[at].square, direction: side ^ 2 });
        }
        pushes[first..].reverse();
        pushes[first..].iter().for_each(|&push| state.push(push));
    }
    Some(pushes)
}

/// Pushes from a level's start as far as the first solved position. A macro move may pass one.
pub fn up_to_solved(board: &Board, mut pushes: Vec<Push>) -> Vec<Push> {
    let mut state = State::new(board);
    let is_solved = |&push: &Push| {
        state.push(push);
        state.misplaced == 0
    };
    if let Some(last) = pushes.iter().position(is_solved) {
        pushes.truncate(last + 1);
    }
    pushes
}

/// Which of the placements reached a macro move ends with: the player stands where the move has it,
/// or else in the same part of the board.
fn find(board: &Board, generator: &MacroMoveGenerator, wanted: &MacroMove) -> Option<usize> {
    let beside = |p: &Placement| board.next[p.square as usize][p.side as usize];
    let is_there = |p: &Placement| p.steps > 0 && p.square == wanted.to;
    let placements = generator.reached();
    let exact = placements.iter().position(|p| is_there(p) && beside(p) == wanted.player);
    exact.or_else(|| {
        let hash = |player| generator.region_hash(board, wanted.to, player);
        placements.iter().position(|p| is_there(p) && hash(beside(p)) == hash(wanted.player))
    })
}
