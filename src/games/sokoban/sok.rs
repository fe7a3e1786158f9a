//! Levels and solutions as other programs read them.

use super::format::{Level, letter};
use super::rules::{Done, Game};
use super::solution::read_keys;
use crate::diagnostic::Source;
use crate::games::plan::{PlanError, Refusal};
use crate::games::plans::Sok;

impl Sok for Level {
    fn board(&self) -> String {
        Level::board(self)
    }

    fn plain(&self, plan: &Source) -> Result<String, PlanError> {
        let keys = read_keys(plan).map_err(PlanError::Unreadable)?;
        let mut game = Game::new(self);
        let mut text = String::with_capacity(keys.len() + 1);
        for (step, key) in (1..).zip(keys) {
            if game.is_complete() {
                break;
            }
            let done = game.press(key.direction).map_err(|blocked| {
                let line = Some((key.line as usize, letter(key.direction, false).to_string()));
                let (reason, board) = (blocked.to_string(), game.board());
                PlanError::Refused(Refusal { step, line, reason, board })
            })?;
            text.push(letter(key.direction, done == Done::Pushed));
        }
        Ok(text + "\n")
    }
}
