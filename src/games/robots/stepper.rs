//! A case as a stepper, over the fast simulator.

use super::format::{BOARD, Case};
use super::state::{Action, Destination, STAY, State, TELEPORT};
use crate::board::Cell;
use crate::games::legend::Role;
use crate::games::session::Window;
use crate::games::stepper::{Opening, Stepped, Stepper, observe_rows};
use std::sync::Arc;

/// The walks in the order of the game's keys: up, left, down, right, up left, up right, down left, down
/// right, stay. The action after them teleports to the first free entry of the list.
const WALKS: [Action; 9] = [1, 3, 7, 5, 0, 2, 6, 8, STAY];

/// The start of a case.
pub struct Start(Moves);

impl Start {
    /// The start of a case.
    pub fn new(case: &Case) -> Self {
        let teleports = case.teleports.as_slice().into();
        Start(Moves { teleports, state: State::new(case), is_over: false })
    }
}

impl Opening for Start {
    fn begin(&self) -> Box<dyn Stepper> {
        Box::new(self.0.clone())
    }
}

/// A game on a case.
#[derive(Clone)]
struct Moves {
    teleports: Arc<[Cell]>,
    state: State,
    is_over: bool,
}

impl Moves {
    /// Where an action leads; `None` where it is not allowed.
    #[inline]
    fn destination(&self, action: usize) -> Option<Destination> {
        if self.is_over || action > WALKS.len() {
            return None;
        }
        match WALKS.get(action) {
            Some(&walk) => self.state.destination(walk, &self.teleports),
            None => {
                let entries = TELEPORT..TELEPORT + self.teleports.len() as Action;
                let mut all = entries.map(|action| self.state.destination(action, &self.teleports));
                all.find_map(|destination| destination)
            }
        }
    }
}

impl Stepper for Moves {
    fn step(&mut self, action: usize) -> Stepped {
        let Some(to) = self.destination(action) else { return Stepped::Refused };
        let is_caught = self.state.is_caught(to);
        self.state = self.state.advance(to);
        let is_won = !is_caught && self.state.is_cleared();
        self.is_over = is_caught || is_won;
        match (is_caught, is_won) {
            (true, _) => Stepped::Lost,
            (_, true) => Stepped::Won,
            _ => Stepped::Playing,
        }
    }

    fn allowed(&mut self, mask: &mut [u8]) {
        for (action, bit) in mask.iter_mut().enumerate() {
            *bit = u8::from(self.destination(action).is_some());
        }
    }

    fn extent(&self) -> Window {
        Window::whole(BOARD)
    }

    fn player(&self) -> Option<(i64, i64)> {
        let (row, col) = self.state.at();
        Some((row as i64 - 1, i64::from(col)))
    }

    fn observe(&self, window: Window, codes: &mut [u8]) {
        let (player_row, player_col) = self.state.at();
        observe_rows(self.extent(), window, codes, |row, col, codes| {
            codes.fill(Role::Floor.code());
            let mut put = |at: u32, role: Role| {
                let place = (i64::from(at) - col) as usize;
                if let Some(code) = codes.get_mut(place) {
                    *code = role.code();
                }
            };
            for (entry, &cell) in self.teleports.iter().enumerate() {
                if i64::from(BOARD.row(cell)) == row && self.state.unused >> entry & 1 == 1 {
                    put(BOARD.col(cell) as u32, Role::Goal);
                }
            }
            let word = row as usize + 1;
            let player = u32::from(player_row == word) << player_col;
            // A player who is lost stands on debris or below a robot.
            let layers = [
                (self.state.debris[word], Role::Wall),
                (player, Role::Player),
                (self.state.robots[word], Role::Hunter),
            ];
            for (mut rest, role) in layers {
                while rest != 0 {
                    put(rest.trailing_zeros(), role);
                    rest &= rest - 1;
                }
            }
        });
    }

    fn fork(&self) -> Box<dyn Stepper> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use crate::games::GameId;
    use crate::games::stepper::tests::assert_as_sessions;

    #[test]
    fn does_what_the_session_does() {
        assert_as_sessions(GameId::Robots, &[], 1_000_000);
    }
}
