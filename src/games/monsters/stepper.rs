//! A level as a stepper, over the fast board.

use super::format::{Key, Level};
use super::state::{After, Board};
use crate::games::session::Window;
use crate::games::stepper::{Opening, Stepped, Stepper, observe_rows};

/// The keys in the order of the session's: up, left, down, right, wait.
const KEYS: [Key; 5] = [Key::Up, Key::Left, Key::Down, Key::Right, Key::Wait];

/// The start of a level.
pub struct Start(Turns);

impl Start {
    /// The start of a level.
    pub fn new(level: &Level) -> Self {
        let board = Board::new(level);
        let hero = board.hero();
        Start(Turns { board, hero: hero.map(|hero| level.shape.coordinates(hero)) })
    }
}

impl Opening for Start {
    fn begin(&self) -> Box<dyn Stepper> {
        Box::new(self.0.clone())
    }
}

/// A game on a level.
#[derive(Clone)]
struct Turns {
    board: Board,
    /// Where the hero is, or was when he was lost.
    hero: Option<(i64, i64)>,
}

impl Stepper for Turns {
    fn step(&mut self, action: usize) -> Stepped {
        let Some(&key) = KEYS.get(action).filter(|_| self.board.standing() == After::Playing)
        else {
            return Stepped::Refused;
        };
        if let (Some((row, col)), Some(way), true) =
            (self.hero, key.direction(), self.board.moves_hero(key))
        {
            self.hero = Some((row + i64::from(way.drow()), col + i64::from(way.dcol())));
        }
        let after = self.board.act(key);
        self.board.forget();
        match after {
            After::Playing => Stepped::Playing,
            After::Won => Stepped::Won,
            After::Lost => Stepped::Lost,
        }
    }

    fn allowed(&mut self, mask: &mut [u8]) {
        mask.fill(u8::from(self.board.standing() == After::Playing));
    }

    fn extent(&self) -> Window {
        Window::whole(self.board.shape())
    }

    fn player(&self) -> Option<(i64, i64)> {
        self.hero
    }

    fn observe(&self, window: Window, codes: &mut [u8]) {
        observe_rows(self.extent(), window, codes, |row, col, codes| {
            self.board.roles(row as usize, col as u32, codes);
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
        assert_as_sessions(GameId::Monsters, &[], 200_000);
    }
}
