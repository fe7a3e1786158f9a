//! The statement's program: its strategy, played by the fast simulator, and its report.

use super::format::{Case, Move, place, read_cases};
use super::state::{Action, LONGEST_GAME, STAY, State, TELEPORT, delta};
use crate::board::Direction;
use crate::diagnostic::{Diagnostic, MAX_INPUT_BYTES, Source};
use crate::games::game::SimulateError;
use std::io::{BufRead, Read, Write};

/// How a game by the strategy went.
#[derive(Clone, Debug)]
pub struct StrategyGame {
    /// The moves, in order.
    pub actions: Vec<Action>,
    /// Whether it was won.
    pub won: bool,
    /// The position at the end.
    pub end: State,
}

/// Plays a case by the strategy.
pub fn play(case: &Case) -> StrategyGame {
    play_from(case, State::new(case))
}

/// Plays a case by the strategy, from a position in which robots are left.
pub fn play_from(case: &Case, start: State) -> StrategyGame {
    let mut game = StrategyGame { actions: Vec::new(), won: false, end: start };
    loop {
        debug_assert!(game.actions.len() < LONGEST_GAME);
        let (action, next) = choose(&game.end, case);
        game.actions.push(action.unwrap_or(STAY));
        game.end = next;
        game.won = action.is_some() && next.is_cleared();
        if game.won || action.is_none() {
            return game;
        }
    }
}

/// The strategy's move and the position after it; no move where every one loses, and then the
/// position after staying.
fn choose(state: &State, case: &Case) -> (Option<Action>, State) {
    let mut best: Option<((u32, u32), Action, State)> = None;
    for action in 0..TELEPORT {
        let Some(to) = state.destination(action, &[]) else { continue };
        if state.is_caught(to) {
            continue;
        }
        let next = state.advance(to);
        // Walks come in the order of their destinations, so that the first of equals is right.
        let rank = (next.robots_left(), u32::MAX - next.nearest());
        if best.as_ref().is_none_or(|(least, ..)| rank < *least) {
            best = Some((rank, action, next));
        }
    }
    if let Some((_, action, next)) = best {
        return (Some(action), next);
    }
    for action in (TELEPORT..).take(case.teleports.len()) {
        if let Some(to) = state.destination(action, &case.teleports)
            && !state.is_caught(to)
        {
            return (Some(action), state.advance(to));
        }
    }
    let stay = state.destination(STAY, &[]).expect("staying is legal");
    (None, state.advance(stay))
}

/// An action as a move of a plan.
pub fn as_move(action: Action, case: &Case) -> Move {
    if action < TELEPORT {
        let (drow, dcol) = delta(action);
        Move::Walk(Direction::from_delta(drow, dcol))
    } else {
        Move::Teleport(case.teleports[usize::from(action - TELEPORT)])
    }
}

/// A move of a plan as an action; none where it teleports to a cell that is not on the list.
pub fn as_action(step: Move, case: &Case) -> Option<Action> {
    let last = TELEPORT + case.teleports.len() as Action;
    (0..last).find(|&action| as_move(action, case) == step)
}

/// Writes the statement's report on one case.
///
/// # Errors
/// The errors of `output`.
pub fn report(number: usize, case: &Case, output: &mut dyn Write) -> std::io::Result<()> {
    let game = play(case);
    if number > 1 {
        writeln!(output)?;
    }
    writeln!(output, "Case {number}:")?;
    for (i, &action) in game.actions.iter().enumerate().filter(|(_, a)| **a >= TELEPORT) {
        let to = place(case.teleports[usize::from(action - TELEPORT)]);
        writeln!(output, "Move {}: teleport to {to}", i + 1)?;
    }
    let end = if game.won { "Won" } else { "Lost" };
    writeln!(output, "{end} game after making {} moves.", game.actions.len())?;
    writeln!(output, "Final position: {}", place(game.end.you()))?;
    writeln!(output, "Number of cells with debris: {}", game.end.debris_cells())?;
    if !game.won {
        writeln!(output, "Number of robots remaining: {}", game.end.robots_left())?;
    }
    Ok(())
}

/// Runs the statement's program. All of the input is checked before anything is written.
///
/// # Errors
/// What is wrong with the input, and where; a failure of the streams.
pub fn simulate(input: &mut dyn BufRead, output: &mut dyn Write) -> Result<(), SimulateError> {
    let mut bytes = Vec::new();
    input.take(MAX_INPUT_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_INPUT_BYTES {
        let message = format!("longer than {MAX_INPUT_BYTES} bytes");
        return Err(Diagnostic::file("input", message).into());
    }
    let source = Source::from_bytes("input", bytes)?;
    for (i, case) in read_cases(&source)?.iter().enumerate() {
        report(i + 1, case, output)?;
    }
    output.flush()?;
    Ok(())
}
