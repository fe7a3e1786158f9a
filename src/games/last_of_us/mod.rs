//! The Last of Us: Ellie must reach the exit past blind clickers that hunt by sound.
//!
//! From the IEEEXtreme 14.0 contest (2020). [`format`] reads and writes, [`rules`] is the reference
//! that proves plans, [`state`] the fast simulator that the planner walks on, [`generate`] makes
//! areas. This file fits them to the waist of the house.

pub mod format;
pub mod generate;
pub mod planner;
pub mod rules;
pub mod session;
pub mod state;

use super::{
    Aim, Answer, Area, Fact, GameId, Generated, Parameter, PlanError, Proof, Refusal, Session, Wish,
};
use crate::diagnostic::{Diagnostic, Source};
use crate::search::Budget;
use format::{Action, Map};
use rayon::prelude::*;
use rules::{Event, Readings};

/// The game at the waist.
pub struct LastOfUs;

impl super::Game for LastOfUs {
    fn id(&self) -> GameId {
        GameId::LastOfUs
    }

    fn about(&self) -> &'static str {
        "reach the exit past blind clickers that hunt by sound; distract them with bricks"
    }

    fn recognises(&self, text: &str) -> bool {
        format::looks_like_an_area(text)
    }

    fn read(&self, source: &Source) -> Result<Vec<Box<dyn Area>>, Diagnostic> {
        Ok(vec![Box::new(OneArea { map: format::read_map(source)? })])
    }

    fn parameters(&self) -> &'static [Parameter] {
        generate::PARAMETERS
    }

    fn generate(&self, wish: &Wish) -> Result<Generated, String> {
        generate::generate(wish)
    }
}

/// One area, read.
struct OneArea {
    map: Map,
}

impl Area for OneArea {
    fn game(&self) -> GameId {
        GameId::LastOfUs
    }

    fn name(&self) -> &str {
        &self.map.name
    }

    fn text(&self) -> String {
        self.map.text()
    }

    fn facts(&self) -> Vec<Fact> {
        let shape = self.map.shape;
        vec![
            Fact::new("size", format!("{}x{}", shape.rows, shape.cols)),
            Fact::new("clickers", self.map.clickers.len()),
            Fact::new("bricks", self.map.bricks),
        ]
    }

    fn replay(&self, plan: &Source) -> Result<Proof, PlanError> {
        let actions = format::read_plan(plan).map_err(PlanError::Unreadable)?;
        let default = Readings::default();
        let (held, others) = rayon::join(
            || replay(&self.map, &actions, default),
            || holds_under(&self.map, &actions, |readings| readings != default),
        );
        held.map_err(|failure| {
            let line = plan.lines().nth(failure.step).filter(|_| failure.step <= actions.len());
            PlanError::Refused(Refusal {
                step: failure.step as u64,
                line: line.map(|line| (line.number, line.text.trim().to_string())),
                reason: failure.reason,
                board: failure.board,
            })
        })?;
        Ok(proof(&actions, &[vec![default], others].concat()))
    }

    fn solve(&self, aim: &Aim, budget: &Budget) -> Answer {
        let known = aim
            .known
            .as_ref()
            .and_then(|text| format::read_plan(&Source::new("the known plan", text.as_str())).ok());
        let outcome = planner::solve(&self.map, known, aim.optimal.is_some(), budget);
        Answer::new(outcome, |plan| format::plan_text(&plan))
    }

    fn session(&self) -> Box<dyn Session> {
        Box::new(session::Play::new(&self.map))
    }

    fn steps(&self, plan: &Source) -> Result<Vec<String>, Diagnostic> {
        let text = format::plan_text(&format::read_plan(plan)?);
        // The first line counts the actions.
        Ok(text.lines().skip(1).map(str::to_string).collect())
    }
}

/// Where and why a plan fails.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// The action, from 1; one past the last where the plan ends too early.
    pub step: usize,
    /// Why.
    pub reason: String,
    /// The board around Ellie then.
    pub board: String,
}

/// Replays a plan under the reference rules.
///
/// # Errors
/// The first action that fails, or the end where Ellie is not at the exit.
pub fn replay(map: &Map, plan: &[Action], readings: Readings) -> Result<(), Failure> {
    let mut game = rules::Game::new(map, readings);
    let failure = |step: usize, reason: String, game: &rules::Game| Failure {
        step,
        reason,
        board: game.around_ellie(),
    };
    let mut won = false;
    for (index, &action) in plan.iter().enumerate() {
        match game.act(action) {
            Ok(Event::Survived) => {}
            Ok(Event::Won) => won = true,
            Ok(Event::Killed(cell)) => {
                return Err(failure(index + 1, rules::killed_by(map, cell), &game));
            }
            Err(refused) => return Err(failure(index + 1, refused.to_string(), &game)),
        }
    }
    if won {
        Ok(())
    } else {
        let reason = "the plan ends before Ellie is at the exit".to_string();
        Err(failure(plan.len() + 1, reason, &game))
    }
}

/// Those of the readings in question that a plan holds under.
fn holds_under(
    map: &Map,
    plan: &[Action],
    in_question: impl Fn(Readings) -> bool + Sync,
) -> Vec<Readings> {
    let holds = |&readings: &Readings| in_question(readings) && replay(map, plan, readings).is_ok();
    Readings::ALL.into_par_iter().filter(holds).collect()
}

/// What a plan that holds under some readings, the default among them, is worth.
fn proof(plan: &[Action], readings: &[Readings]) -> Proof {
    let names: Vec<_> = readings.iter().map(|readings| readings.name()).collect();
    let robust = readings.len() == Readings::ALL.len();
    let bricks = plan.iter().filter(|action| matches!(action, Action::Throw { .. })).count() as u64;
    Proof {
        length: plan.len() as u64,
        facts: vec![
            Fact::new("bricks", bricks),
            Fact::new("readings", names.join(", ")),
            Fact::new("robust", if robust { "yes" } else { "no" }),
        ],
        rank: vec![plan.len() as u64, u64::from(!robust), bricks],
    }
}
