//! Robots: make the robots that chase you run into each other and into debris.
//!
//! From the ACM East Central North America regional of 2001, problem B. [`mod@format`] reads and writes,
//! [`rules`] is the reference that proves plans, [`state`] the fast simulator that the planner walks
//! on, [`program`] the statement's own program, [`generate`] makes cases. This file fits them to
//! the waist of the house.

mod check;
mod description;
mod drawing;
pub mod format;
pub mod generate;
#[cfg(not(feature = "bench"))]
#[allow(dead_code, unused_imports)]
mod planner;
#[cfg(feature = "bench")]
pub mod planner;
pub mod program;
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
use crate::games::game::{Game, NamedSearch, SimulateError};
use crate::games::generate::{GenerateError, GenerateOptions, Generated, Parameter};
use crate::games::id::GameId;
use crate::games::legend::Legend;
use crate::games::objective::Measure;
use crate::games::plan::{PlanError, Refusal, Steps, Validation, steps_of_lines};
use crate::games::planning::TextPlanner;
use crate::games::session::Session;
use crate::games::stepper::Opening;
use crate::search::Setting;
use format::{Case, Move};
use rules::Standing;
use std::io::{BufRead, Write};

/// The game at the waist.
#[derive(Debug)]
pub struct Robots;

impl Game for Robots {
    fn id(&self) -> GameId {
        GameId::Robots
    }

    fn about(&self) -> &'static str {
        "make the robots that chase you run into each other and into debris"
    }

    fn description(&self) -> Description {
        description::description()
    }

    fn recognises(&self, text: &str) -> bool {
        format::recognises(text)
    }

    fn read(&self, source: &Source) -> Result<Collection, Diagnostic> {
        let area = |(i, case)| {
            Box::new(Instance { name: format!("Case {}", i + 1), case }) as Box<dyn Area>
        };
        let cases = format::read_cases(source)?;
        if cases.is_empty() {
            // The statement's program takes such a file; there is nothing to plan in it.
            let end = source.lines().find(|line| !line.text.trim().is_empty());
            let line = end.map_or(1, |line| line.number);
            return Err(source.error(line, 1, 1, "there is no case before the closing 0 0"));
        }
        Ok(Collection::of(cases.into_iter().enumerate().map(area)))
    }

    fn searches(&self) -> &'static [NamedSearch] {
        planner::SEARCHES
    }

    fn settings(&self) -> Vec<Setting> {
        planner::Tuning::settings()
    }

    #[cfg(feature = "cluster")]
    fn shared_searches(&self) -> Option<&'static str> {
        Some("proofs")
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

/// One case, read.
struct Instance {
    name: String,
    case: Case,
}

impl Area for Instance {
    fn game(&self) -> GameId {
        GameId::Robots
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn text(&self) -> String {
        format::text(std::slice::from_ref(&self.case))
    }

    fn drawn_values(&self) -> Vec<(&'static str, String)> {
        drawing::values(&self.case)
    }

    fn facts(&self) -> Vec<Fact> {
        vec![
            Fact::new("robots", self.case.robots.len()),
            Fact::new("teleports", self.case.teleports.len()),
        ]
    }

    fn replay(&self, plan: &Source) -> Result<Validation, PlanError> {
        let moves = format::read_plan(plan).map_err(PlanError::Unreadable)?;
        replay(&self.case, &moves).map_err(PlanError::Refused)
    }

    fn planner(&self) -> Box<dyn TextPlanner + '_> {
        Box::new(planner::OfCase::new(&self.case))
    }

    #[cfg(feature = "cluster")]
    fn serve(&self, seat: crate::search::cluster::Seat<'_>) -> Result<(), GameId> {
        let space = planner::Positions::new(&self.case, state::State::new(&self.case));
        seat.serve(&crate::search::Only(&space));
        Ok(())
    }

    fn rulebook(&self, _: Option<Measure>) -> Result<Box<dyn Rulebook + '_>, NoRulebook> {
        Ok(Box::new(&self.case))
    }

    fn fast_opening(&self) -> Option<Box<dyn Opening>> {
        Some(Box::new(stepper::Start::new(&self.case)))
    }

    fn session(&self) -> Box<dyn Session> {
        Box::new(session::Play::new(&self.case))
    }

    fn steps(&self, plan: &Source) -> Result<Steps, Diagnostic> {
        let moves = format::read_plan(plan)?;
        Ok(steps_of_lines(plan, moves.into_iter().map(|(m, line)| (m.to_string(), line))))
    }
}

/// Replays a plan under the reference rules.
fn replay(case: &Case, moves: &[(Move, usize)]) -> Result<Validation, Refusal> {
    let mut play = rules::Game::new(case);
    let refused = |number: usize, reason: String, play: &rules::Game| Refusal {
        step: number as u64 + 1,
        line: moves.get(number).map(|&(m, line)| (line, m.to_string())),
        reason,
        board: play.picture(),
    };
    for (number, &(m, _)) in moves.iter().enumerate() {
        match play.step(m) {
            Ok(Standing::Lost) => {
                return Err(refused(number, "a robot moves onto you".into(), &play));
            }
            Ok(_) => {}
            Err(reason) => return Err(refused(number, reason, &play)),
        }
    }
    if play.standing != Standing::Won {
        let reason = format!("the plan ends with robots left: {}", play.robots.len());
        return Err(refused(moves.len(), reason, &play));
    }
    let teleports = play.teleports.iter().filter(|(_, used)| *used).count();
    Ok(Validation {
        length: play.moves,
        facts: vec![
            Fact::new("moves", play.moves),
            Fact::new("teleports", teleports),
            Fact::new("debris", play.debris.len()),
        ],
        rank: vec![play.moves, teleports as u64],
        remarks: Vec::new(),
    })
}
