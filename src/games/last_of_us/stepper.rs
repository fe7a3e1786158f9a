//! An area as a stepper, over the fast simulator.

use super::format::{Map, THROW_RANGE, THROW_SIDE};
use super::state::{Board, Move, PAD, Played, Simulator, Site, THROWS};
use crate::board::Direction;
use crate::games::legend::Role;
use crate::games::session::Window;
use crate::games::stepper::{AIM, Opening, Stepped, Stepper, copy_row, observe_rows};
use std::sync::Arc;

const _: () = assert!(AIM == THROW_RANGE as i64, "actions are aimed at the cells within a throw");
const _: () = assert!(THROW_SIDE <= 16, "a row of throws is spread in two bytes");

/// The walks in the order of the game's keys. The throws after them are in the order of [`THROWS`].
const WALKS: [Move; 9] = [
    Move(Direction::North as u8),
    Move(Direction::West as u8),
    Move(Direction::South as u8),
    Move(Direction::East as u8),
    Move(Direction::NorthWest as u8),
    Move(Direction::NorthEast as u8),
    Move(Direction::SouthWest as u8),
    Move(Direction::SouthEast as u8),
    Move::STAY,
];

/// The bytes that the cached distance fields of a game hold at most.
const FIELD_BYTES: usize = 64 << 10;

const FLOOR: u8 = Role::Floor.code();
const ELLIE: u8 = Role::Player.code();
const EXIT: u8 = Role::Goal.code();
const CLICKER: u8 = Role::Hunter.code();

/// The start of an area.
pub struct Start(Turns);

impl Start {
    /// The start of an area.
    pub fn new(map: &Map) -> Self {
        let board = Arc::new(Board::new(map));
        let mut codes = vec![Role::Wall.code(); board.sites()];
        let site = |cell| board.site(cell) as usize;
        let floor = map.shape.iter().filter(|&cell| !map.blocked.contains(cell));
        floor.for_each(|cell| codes[site(cell)] = FLOOR);
        codes[site(map.exit)] = EXIT;
        map.clickers.iter().for_each(|&cell| codes[site(cell)] = CLICKER);
        codes[site(map.ellie)] = ELLIE;
        let mut simulator = Simulator::new(Arc::clone(&board), FIELD_BYTES);
        simulator.load(&board.start());
        Start(Turns { ellie: board.ellie, board, simulator, codes, is_over: false })
    }
}

impl Opening for Start {
    fn begin(&self) -> Box<dyn Stepper> {
        Box::new(self.0.clone())
    }
}

/// A game on an area. The simulator goes on until the game is over.
#[derive(Clone)]
struct Turns {
    board: Arc<Board>,
    simulator: Simulator<Arc<Board>>,
    ellie: Site,
    /// Codes of the cells of the padded board.
    codes: Vec<u8>,
    is_over: bool,
}

impl Turns {
    /// Whether Ellie may walk to a cell.
    fn is_open(&self, site: Site) -> bool {
        matches!(self.codes[site as usize], FLOOR | EXIT | ELLIE)
    }

    /// Puts Ellie on a cell.
    fn move_ellie(&mut self, to: Site) {
        self.codes[self.ellie as usize] = FLOOR;
        self.codes[to as usize] = ELLIE;
        self.ellie = to;
    }

    /// Draws what the clickers have done.
    fn draw_clickers(&mut self) {
        // One after another: each may walk to a cell that the one before has left.
        for act in self.simulator.acted() {
            if act.before.site != act.after.site {
                self.codes[act.before.site as usize] = FLOOR;
                self.codes[act.after.site as usize] = CLICKER;
            }
        }
    }
}

impl Stepper for Turns {
    fn step(&mut self, action: usize) -> Stepped {
        let throw = action.checked_sub(WALKS.len()).and_then(|number| THROWS.get(number));
        let Some(&action) = WALKS.get(action).or(throw).filter(|_| !self.is_over) else {
            return Stepped::Refused;
        };
        match self.simulator.play(action) {
            Played::Illegal => Stepped::Refused,
            Played::Won => {
                self.move_ellie(self.board.exit);
                self.is_over = true;
                Stepped::Won
            }
            Played::Killed => {
                self.simulator.die(action);
                self.move_ellie(self.simulator.ellie());
                self.draw_clickers();
                self.is_over = true;
                Stepped::Lost
            }
            Played::On(after) => {
                self.move_ellie(after.ellie);
                self.draw_clickers();
                self.simulator.commit(after);
                Stepped::Playing
            }
        }
    }

    fn allowed(&mut self, mask: &mut [u8]) {
        if self.is_over {
            return mask.fill(0);
        }
        let (walks, throws) = mask.split_at_mut(WALKS.len());
        for (bit, walk) in walks.iter_mut().zip(WALKS) {
            let (drow, dcol) = walk.delta();
            *bit = u8::from(self.is_open(self.board.offset(self.ellie, drow, dcol)));
        }
        if self.simulator.bricks() == 0 {
            return throws.fill(0);
        }
        let side = THROW_SIDE as usize;
        for (drow, row) in (-THROW_RANGE..).zip(throws.chunks_exact_mut(side)) {
            let from = self.board.offset(self.ellie, drow, -THROW_RANGE);
            let floor = self.board.floor.window(from as usize, side as u32);
            let free = floor & !self.simulator.clicker_window(from, side as u32);
            let (low, high) = row.split_at_mut(8);
            low.copy_from_slice(&spread(free as u8));
            high.copy_from_slice(&spread((free >> 8) as u8)[..side - 8]);
        }
    }

    fn extent(&self) -> Window {
        Window::whole(self.board.shape)
    }

    fn player(&self) -> Option<(i64, i64)> {
        let (row, col) = self.board.place(self.ellie);
        Some((i64::from(row) - i64::from(PAD), i64::from(col) - i64::from(PAD)))
    }

    fn observe(&self, window: Window, codes: &mut [u8]) {
        let stride = self.board.stride as usize;
        let pad = i64::from(PAD);
        observe_rows(self.extent(), window, codes, |row, col, codes| {
            let from = (row + pad) as usize * stride + (col + pad) as usize;
            copy_row(&self.codes[from..from + codes.len()], codes);
        });
    }

    fn fork(&self) -> Box<dyn Stepper> {
        Box::new(self.clone())
    }
}

/// A byte of 0 or 1 for each bit, the lowest first.
#[inline]
fn spread(bits: u8) -> [u8; 8] {
    const EACH: u64 = 0x0101_0101_0101_0101;
    const OWN: u64 = 0x8040_2010_0804_0201;
    // A byte that keeps its own bit overflows into its top bit, which then becomes its lowest.
    let own = (u64::from(bits) * EACH) & OWN;
    ((own + 0x7f * EACH) >> 7 & EACH).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::spread;
    use crate::games::GameId;
    use crate::games::stepper::tests::assert_as_sessions;

    #[test]
    fn does_what_the_session_does() {
        assert_as_sessions(GameId::LastOfUs, &[], 80_000);
    }

    #[test]
    fn bits_become_bytes() {
        for bits in 0..=u8::MAX {
            let bytes = spread(bits);
            assert!((0..8).all(|at| bytes[at] == bits >> at & 1), "{bits:08b} gives {bytes:?}");
        }
    }
}
