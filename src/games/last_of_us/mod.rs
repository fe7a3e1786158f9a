//! The Last of Us: Ellie must reach the exit past blind clickers that hunt by sound.
//!
//! From the IEEEXtreme 14.0 contest (2020). [`mod@format`] reads and writes, [`rules`] is the reference
//! that proves plans, [`state`] the fast simulator that the planner walks on, [`generate`] makes
//! areas. This file fits them to the waist of the house.

mod check;
mod description;
mod drawing;
pub mod export;
pub mod format;
pub mod generate;
#[cfg(not(feature = "bench"))]
#[allow(dead_code, unused_imports)]
mod planner;
#[cfg(feature = "bench")]
pub mod planner;
mod replay;
pub mod rules;
pub mod session;
#[cfg(not(feature = "bench"))]
#[allow(dead_code, unused_imports)]
mod state;
#[cfg(feature = "bench")]
pub mod state;
mod stepper;

use crate::certificate::Rulebook;
use crate::diagnostic::{Diagnostic, Source};
use crate::games::area::{Area, NoRulebook};
use crate::games::collection::Collection;
use crate::games::description::{Composed, Description, Drawing};
use crate::games::fact::Fact;
use crate::games::game::{Game, NamedSearch};
use crate::games::generate::{GenerateError, GenerateOptions, Generated, Parameter};
use crate::games::id::GameId;
use crate::games::legend::Legend;
use crate::games::objective::Measure;
use crate::games::plan::{PlanError, Refusal, Steps, Validation, steps_of_lines};
use crate::games::planning::TextPlanner;
use crate::games::session::Session;
use crate::games::stepper::Opening;
use crate::search::Setting;
use format::{Action, Map};
use replay::replay_under_all;
pub use replay::{Failure, replay};
use rules::Readings;

/// The game at the waist.
#[derive(Debug)]
pub struct LastOfUs;

impl Game for LastOfUs {
    fn id(&self) -> GameId {
        GameId::LastOfUs
    }

    fn about(&self) -> &'static str {
        "reach the exit past blind clickers that hunt by sound; distract them with bricks"
    }

    fn description(&self) -> Description {
        description::description()
    }

    fn recognises(&self, text: &str) -> bool {
        format::recognises(text)
    }

    fn read(&self, source: &Source) -> Result<Collection, Diagnostic> {
        let area: Box<dyn Area> = Box::new(Instance { map: format::read_map(source)? });
        Ok(Collection::of([area]))
    }

    fn searches(&self) -> &'static [NamedSearch] {
        planner::SEARCHES
    }

    fn settings(&self) -> Vec<Setting> {
        planner::Tuning::settings()
    }

    #[cfg(feature = "cluster")]
    fn shared_searches(&self) -> Option<&'static str> {
        Some("proofs, and wide beams")
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
}

/// One area, read.
struct Instance {
    map: Map,
}

impl Area for Instance {
    fn game(&self) -> GameId {
        GameId::LastOfUs
    }

    fn name(&self) -> &str {
        &self.map.name
    }

    fn text(&self) -> String {
        self.map.text()
    }

    fn drawn_values(&self) -> Vec<(&'static str, String)> {
        drawing::values(&self.map)
    }

    fn facts(&self) -> Vec<Fact> {
        let shape = self.map.shape;
        vec![
            Fact::new("size", format!("{}x{}", shape.rows, shape.cols)),
            Fact::new("clickers", self.map.clickers.len()),
            Fact::new("bricks", self.map.bricks),
        ]
    }

    fn replay(&self, plan: &Source) -> Result<Validation, PlanError> {
        let actions = format::read_plan(plan).map_err(PlanError::Unreadable)?;
        let mut held = Vec::new();
        for (readings, result) in replay_under_all(&self.map, &actions) {
            match result {
                Ok(()) => held.push(readings),
                Err(failure) if readings == Readings::default() => {
                    return Err(PlanError::Refused(refusal(plan, &actions, failure)));
                }
                Err(_) => {}
            }
        }
        Ok(validation(&actions, &held))
    }

    fn planner(&self) -> Box<dyn TextPlanner + '_> {
        Box::new(planner::OfMap::new(&self.map))
    }

    #[cfg(feature = "cluster")]
    fn serve(&self, seat: crate::search::cluster::Seat<'_>) -> Result<(), GameId> {
        let board = state::Board::new(&self.map);
        seat.serve(&planner::shared_spaces::SharedSpaces::new(&board));
        Ok(())
    }

    fn rulebook(&self, _: Option<Measure>) -> Result<Box<dyn Rulebook + '_>, NoRulebook> {
        Ok(Box::new(check::Checker::new(&self.map)))
    }

    fn abstraction(&self) -> Option<Box<dyn Rulebook + '_>> {
        Some(Box::new(check::abstraction::Abstraction::new(&self.map)))
    }

    fn fast_opening(&self) -> Option<Box<dyn Opening>> {
        Some(Box::new(stepper::Start::new(&self.map)))
    }

    fn session(&self) -> Box<dyn Session> {
        Box::new(session::Play::new(&self.map))
    }

    fn steps(&self, plan: &Source) -> Result<Steps, Diagnostic> {
        let actions = format::read_plan(plan)?;
        // The first line is their number.
        let steps = actions.into_iter().map(|action| action.to_string()).zip(2..);
        Ok(steps_of_lines(plan, steps))
    }
}

/// A failure in the terms of what is shown of it.
fn refusal(plan: &Source, actions: &[Action], failure: Failure) -> Refusal {
    let line = plan.lines().nth(failure.step).filter(|_| failure.step <= actions.len());
    Refusal {
        step: failure.step as u64,
        line: line.map(|line| (line.number, line.text.trim().to_string())),
        reason: failure.reason,
        board: failure.board,
    }
}

/// What a plan that holds under some readings, the default among them, is worth.
fn validation(plan: &[Action], readings: &[Readings]) -> Validation {
    let names: Vec<_> = readings.iter().map(|readings| readings.name()).collect();
    let robust = readings.len() == Readings::ALL.len();
    let bricks = plan.iter().filter(|action| matches!(action, Action::Throw { .. })).count() as u64;
    Validation {
        length: plan.len() as u64,
        facts: vec![
            Fact::new("bricks", bricks),
            Fact::new("readings", names.join(", ")),
            Fact::new("robust", if robust { "yes" } else { "no" }),
        ],
        rank: vec![plan.len() as u64, u64::from(!robust), bricks],
        remarks: Vec::new(),
    }
}
