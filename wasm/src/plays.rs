//! The games that are being played, by token.

use crate::Meant;
use crate::failure::Failure;
use outwit::diagnostic::Source;
use outwit::play::{MoveRequest, Play, Show};
use outwit::verify::steps as steps_of;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Upper limit of the games at once: the oldest makes room, and its client begins it again.
const MAX_PLAYS: usize = 8;

/// The games, and the number of the next.
#[derive(Default)]
pub struct Plays {
    plays: BTreeMap<u64, Play>,
    next: u64,
}

/// Nothing here forbids a step that the rules allow.
fn may(_: &Play) -> Result<Option<String>, Failure> {
    Ok(None)
}

impl Plays {
    /// Begins a game that is played by hand, or with a plan a game that is watched.
    pub fn begin(
        &mut self,
        meant: &Meant,
        steps: &[String],
        plan: Option<String>,
        show: Show,
    ) -> Result<Value, Failure> {
        let area = &*meant.area;
        let tape = plan.map(|plan| steps_of(area, meant.level, &Source::new("plan", plan)));
        let tape = tape.transpose().map_err(Failure::bad_plan)?.map(Iterator::collect);
        let mut play = Play::new(area, tape);
        play.trace(may);
        let done = play.begin(steps, may)?;
        let number = self.next;
        self.next += 1;
        let told = play.told(&number.to_string(), show, true, done);
        while self.plays.len() >= MAX_PLAYS {
            self.plays.pop_first();
        }
        self.plays.insert(number, play);
        Ok(json!(told))
    }

    fn find(&mut self, token: &str) -> Result<&mut Play, Failure> {
        let number = token.parse().ok();
        number.and_then(|number: u64| self.plays.get_mut(&number)).ok_or_else(Failure::gone)
    }

    /// Goes on with a game.
    pub fn go_on(&mut self, token: &str, request: &MoveRequest) -> Result<Value, Failure> {
        let play = self.find(token)?;
        let done = play.go_on(request, may)?;
        Ok(json!(play.told(token, request.show, request.setup, done)))
    }

    /// The plan of a game so far, in the game's own format.
    pub fn plan(&mut self, token: &str) -> Result<Value, Failure> {
        Ok(json!(self.find(token)?.plan()))
    }

    /// Gives a game up.
    pub fn leave(&mut self, token: &str) -> Value {
        token.parse().ok().and_then(|number: u64| self.plays.remove(&number));
        Value::Null
    }
}
