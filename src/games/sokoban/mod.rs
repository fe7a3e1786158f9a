//! Sokoban: push every box onto a target.

#[cfg(not(feature = "bench"))]
#[allow(dead_code, unused_imports)]
mod board;
#[cfg(feature = "bench")]
pub mod board;
mod check;
mod description;
mod drawing;
pub mod format;
pub mod generate;
pub mod lurd;
pub mod pddl;
#[cfg(not(feature = "bench"))]
#[allow(dead_code, unused_imports)]
mod planner;
#[cfg(feature = "bench")]
pub mod planner;
pub mod program;
pub mod rules;
pub mod session;
pub mod sok;
pub mod solution;
mod stepper;

use crate::certificate::{Parts, Rulebook};
use crate::diagnostic::{Diagnostic, Source};
use crate::games::area::{Area, NoRulebook, Pddl};
use crate::games::collection::Collection;
use crate::games::description::{Composed, Description, Drawing};
use crate::games::fact::Fact;
use crate::games::game::{Game, NamedSearch, SimulateError};
use crate::games::generate::{GenerateError, GenerateOptions, Generated, Parameter};
use crate::games::id::GameId;
use crate::games::legend::Legend;
use crate::games::objective::Measure;
use crate::games::plan::{PlanError, PlanStep, Refusal, Steps, Validation};
use crate::games::planning::TextPlanner;
use crate::games::plans::{Passage, Sok};
use crate::games::session::Session;
use crate::games::stepper::Opening;
use crate::search::{Run, Setting};
use format::{Level, MOVES, PUSHES, letter, read_collection};
use solution::read_keys;
use std::io::{BufRead, Write};

/// The game.
#[derive(Debug)]
pub struct Sokoban;

impl Game for Sokoban {
    fn id(&self) -> GameId {
        GameId::Sokoban
    }

    fn about(&self) -> &'static str {
        "push every box onto a target"
    }

    fn description(&self) -> Description {
        description::description()
    }

    fn endings(&self) -> &'static [&'static str] {
        &["xsb", "sok", "slc"]
    }

    fn recognises(&self, text: &str) -> bool {
        format::recognises(text)
    }

    fn is_for_simulator(&self, text: &str) -> bool {
        format::is_for_simulator(text)
    }

    fn read(&self, source: &Source) -> Result<Collection, Diagnostic> {
        let levels = read_collection(source)?;
        Ok(levels.map(|level| Box::new(level) as Box<dyn Area>))
    }

    fn measures(&self) -> &'static [Measure] {
        &[PUSHES, MOVES]
    }

    fn searches(&self) -> &'static [NamedSearch] {
        planner::SEARCHES
    }

    fn settings(&self) -> Vec<Setting> {
        planner::Tuning::settings()
    }

    #[cfg(feature = "cluster")]
    fn shared_searches(&self) -> Option<&'static str> {
        Some("proofs of least pushes or moves")
    }

    fn compose(&self, drawing: &Drawing) -> Composed {
        drawing::compose(drawing)
    }

    fn legend(&self) -> &'static Legend {
        &session::LEGEND
    }

    fn parameters(&self) -> &'static [Parameter] {
        generate::PARAMETERS
    }

    fn make(&self, options: &GenerateOptions) -> Result<Generated, GenerateError> {
        generate::generate(options)
    }

    fn simulate(
        &self,
        input: &mut dyn BufRead,
        output: &mut dyn Write,
        _warn: &mut dyn FnMut(Diagnostic),
    ) -> Result<(), SimulateError> {
        program::simulate(input, output)
    }
}

impl Area for Level {
    fn game(&self) -> GameId {
        GameId::Sokoban
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn text(&self) -> String {
        Level::text(self)
    }

    fn facts(&self) -> Vec<Fact> {
        let floor = self.shape.cells() - self.walls.len();
        let (rows, cols) = self.size();
        vec![
            Fact::new("size", format!("{rows}x{cols}")),
            Fact::new("boxes", self.boxes.len()),
            Fact::new("floor", floor),
        ]
    }

    fn replay(&self, plan: &Source) -> Result<Validation, PlanError> {
        let keys = read_keys(plan).map_err(PlanError::Unreadable)?;
        let mut game = rules::Game::new(self);
        let refusal = |game: &rules::Game, step: usize, line, reason| {
            PlanError::Refused(Refusal { step: step as u64, line, reason, board: game.board() })
        };
        let mut remarks = Vec::new();
        for (i, key) in keys.iter().enumerate() {
            // "After completion the rest of the keys is ignored", as the statement's program does.
            if game.is_complete() {
                remarks.push(match keys.len() - i {
                    1 => "one key after the win is ignored".to_string(),
                    count => format!("{count} keys after the win are ignored"),
                });
                break;
            }
            if let Err(blocked) = game.press(key.direction) {
                let line = Some((key.line as usize, letter(key.direction, false).to_string()));
                return Err(refusal(&game, i + 1, line, blocked.to_string()));
            }
        }
        if !game.is_complete() {
            let count = game.misplaced();
            let reason = match count {
                1 => "the plan ends with a box that is not on a target".to_string(),
                _ => format!("the plan ends with {count} boxes that are not on a target"),
            };
            return Err(refusal(&game, keys.len() + 1, None, reason));
        }
        let (pushes, moves) = (game.pushes(), game.moves());
        Ok(Validation {
            length: pushes,
            facts: vec![Fact::new("pushes", pushes), Fact::new("moves", moves)],
            rank: vec![pushes, moves],
            remarks,
        })
    }

    fn planner(&self) -> Box<dyn TextPlanner + '_> {
        Box::new(planner::OfBoard::new(self))
    }

    #[cfg(feature = "cluster")]
    fn serve(&self, seat: crate::search::cluster::Seat<'_>) -> Result<(), GameId> {
        seat.serve(&planner::SharedPushes::new(&board::Board::new(self)));
        Ok(())
    }

    fn session(&self) -> Box<dyn Session> {
        Box::new(session::Play::new(self))
    }

    fn rulebook(&self, measure: Option<Measure>) -> Result<Box<dyn Rulebook + '_>, NoRulebook> {
        let counted = match measure {
            Some(MOVES) => check::Counted::Moves,
            _ => check::Counted::Pushes,
        };
        Ok(Box::new(check::Checker::new(self, counted)?))
    }

    fn parts(&self, measure: Option<Measure>, cost: u64, run: &Run) -> Option<Parts> {
        if measure == Some(MOVES) { None } else { planner::parts(self, cost, run) }
    }

    fn fast_opening(&self) -> Option<Box<dyn Opening>> {
        Some(Box::new(stepper::Start::new(self)))
    }

    fn pddl(&self) -> Option<&dyn Pddl> {
        Some(self)
    }

    fn sok(&self) -> Option<&dyn Sok> {
        Some(self)
    }

    fn passages(&self, text: &Source) -> Result<Vec<Passage>, Diagnostic> {
        solution::passages(text)
    }

    fn steps(&self, plan: &Source) -> Result<Steps, Diagnostic> {
        let keys = read_keys(plan)?;
        let mut game = rules::Game::new(self);
        Ok(Box::new(keys.into_iter().map_while(move |key| {
            // Keys that are ignored are no steps. A blocked one is: it is refused when it is done.
            let goes_on = !game.is_complete();
            let _ = game.press(key.direction);
            goes_on.then(|| PlanStep {
                text: letter(key.direction, false).to_string(),
                line: key.line as usize,
                place: key.from as usize..key.to as usize,
            })
        })))
    }
}
