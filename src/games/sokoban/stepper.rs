//! A level as a stepper: the codes of its cells in one piece of memory, with a border of walls.

use super::format::Level;
use crate::board::Cell;
use crate::games::legend::Role;
use crate::games::session::Window;
use crate::games::stepper::{Opening, Stepped, Stepper, copy_row, observe_rows};
use std::sync::Arc;

const FLOOR: u8 = Role::Floor as u8;
const WALL: u8 = Role::Wall as u8;
const PLAYER: u8 = Role::Player as u8;
const TARGET: u8 = Role::Goal as u8;
const BOX: u8 = Role::Thing as u8;
const SETTLED: u8 = Role::Settled as u8;

/// The part of a level that never changes.
struct Board {
    rows: usize,
    cols: usize,
    /// The code of each cell of the bordered board without boxes and player: wall, floor or target.
    below: Vec<u8>,
    /// Offset of the next cell for each action: up, left, down, right, in the order of the session's keys.
    ways: [isize; 4],
}

impl Board {
    /// Number of cells in a row with its border.
    fn stride(&self) -> usize {
        self.cols + 2
    }
}

/// The start of a level.
pub struct Start(Keys);

impl Start {
    /// The start of a level.
    pub fn new(level: &Level) -> Self {
        let shape = level.shape;
        let (rows, cols) = (shape.rows as usize, shape.cols as usize);
        let stride = cols + 2;
        let at =
            |cell: Cell| (shape.row(cell) as usize + 1) * stride + shape.col(cell) as usize + 1;
        let mut below = vec![WALL; (rows + 2) * stride];
        for cell in shape.iter().filter(|&cell| !level.drawn.contains(cell)) {
            below[at(cell)] = if level.targets.contains(cell) { TARGET } else { FLOOR };
        }
        let mut codes = below.clone();
        for cell in level.boxes.iter() {
            codes[at(cell)] = if level.targets.contains(cell) { SETTLED } else { BOX };
        }
        let player = at(level.player);
        codes[player] = PLAYER;
        let away = codes.iter().filter(|&&code| code == BOX).count();
        let stride = stride as isize;
        let board = Board { rows, cols, below, ways: [-stride, -1, stride, 1] };
        Start(Keys { board: Arc::new(board), codes, player, away })
    }
}

impl Opening for Start {
    fn begin(&self) -> Box<dyn Stepper> {
        Box::new(self.0.clone())
    }
}

/// A game on a level.
#[derive(Clone)]
struct Keys {
    board: Arc<Board>,
    codes: Vec<u8>,
    player: usize,
    /// Number of boxes that are not on a target.
    away: usize,
}

/// The effect of a key.
enum Effect {
    Nothing,
    Walk,
    Push,
}

impl Keys {
    /// The effect of a key, and the two cells ahead of the player.
    #[inline]
    fn effect(&self, way: isize) -> (Effect, usize, usize) {
        let ahead = self.player.wrapping_add_signed(way);
        let beyond = ahead.wrapping_add_signed(way);
        let effect = match self.codes[ahead] {
            FLOOR | TARGET => Effect::Walk,
            BOX | SETTLED if matches!(self.codes[beyond], FLOOR | TARGET) => Effect::Push,
            _ => Effect::Nothing,
        };
        (effect, ahead, beyond)
    }
}

impl Stepper for Keys {
    #[inline]
    fn step(&mut self, action: usize) -> Stepped {
        let Some(&way) = self.board.ways.get(action).filter(|_| self.away > 0) else {
            return Stepped::Refused;
        };
        let (effect, ahead, beyond) = self.effect(way);
        match effect {
            Effect::Nothing => return Stepped::Refused,
            Effect::Walk => {}
            Effect::Push => {
                self.away += usize::from(self.codes[ahead] == SETTLED);
                let is_target = self.codes[beyond] == TARGET;
                self.away -= usize::from(is_target);
                self.codes[beyond] = if is_target { SETTLED } else { BOX };
            }
        }
        self.codes[self.player] = self.board.below[self.player];
        self.codes[ahead] = PLAYER;
        self.player = ahead;
        if self.away == 0 { Stepped::Won } else { Stepped::Playing }
    }

    fn allowed(&mut self, mask: &mut [u8]) {
        for (&way, bit) in self.board.ways.iter().zip(mask) {
            *bit = u8::from(self.away > 0 && !matches!(self.effect(way).0, Effect::Nothing));
        }
    }

    fn extent(&self) -> Window {
        let Board { rows, cols, .. } = *self.board;
        Window { row: 0, col: 0, rows: rows as u32, cols: cols as u32 }
    }

    fn player(&self) -> Option<(i64, i64)> {
        let stride = self.board.stride();
        Some(((self.player / stride) as i64 - 1, (self.player % stride) as i64 - 1))
    }

    fn observe(&self, window: Window, codes: &mut [u8]) {
        observe_rows(self.extent(), window, codes, |row, col, codes| {
            let from = (row + 1) as usize * self.board.stride() + (col + 1) as usize;
            copy_row(&self.codes[from..from + codes.len()], codes);
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

    /// A player on a target, an open board, a board where nothing is left to do.
    const ODD: [&str; 3] =
        ["#####\n#+$.#\n#  $#\n#####\n", "  ###\n###*##\n#@$ .#\n######\n", "####\n#+*#\n####\n"];

    #[test]
    fn does_what_the_session_does() {
        assert_as_sessions(GameId::Sokoban, &ODD, 1_000_000);
    }
}
