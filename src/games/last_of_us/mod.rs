//! The Last of Us: Ellie must reach the exit past blind clickers that hunt by sound.
//!
//! From the IEEEXtreme 14.0 contest (2020). [`mod@format`] reads and writes, [`rules`] is the reference
//! that proves plans, [`state`] the fast simulator that the planner walks on, [`generate`] makes
//! areas. This file fits them to the waist of the house.

pub mod export;
pub mod format;
pub mod generate;
pub mod planner;
pub mod rules;
pub mod session;
pub mod state;

use crate::diagnostic::{Diagnostic, Source};
use crate::games::area::{Answer, Area, Game, Objective, PlanError, Refusal, Steps, Validation};
use crate::games::fact::Fact;
use crate::games::generate::{GenerateOptions, Generated, Parameter};
use crate::games::id::GameId;
use crate::games::session::Session;
use crate::search::Budget;
use crate::search::clock::Instant;
use format::{Action, Map};
use rayon::prelude::*;
use rules::{Event, Readings};
use std::time::Duration;

/// The game at the waist.
pub struct LastOfUs;

impl Game for LastOfUs {
    fn id(&self) -> GameId {
        GameId::LastOfUs
    }

    fn about(&self) -> &'static str {
        "reach the exit past blind clickers that hunt by sound; distract them with bricks"
    }

    fn recognises(&self, text: &str) -> bool {
        format::recognises(text)
    }

    fn read(&self, source: &Source) -> Result<Vec<Box<dyn Area>>, Diagnostic> {
        Ok(vec![Box::new(Instance { map: format::read_map(source)? })])
    }

    fn parameters(&self) -> &'static [Parameter] {
        generate::PARAMETERS
    }

    fn generate(&self, options: &GenerateOptions) -> Result<Generated, String> {
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

    fn solve(&self, objective: &Objective, budget: &Budget) -> Answer {
        let known = objective
            .known
            .as_ref()
            .and_then(|text| format::read_plan(&Source::new("the known plan", text.as_str())).ok());
        let validating = |plan: &[Action]| validation_time(&self.map, plan, budget.threads);
        let outcome =
            planner::solve(&self.map, known, objective.optimal.is_some(), budget, &validating);
        Answer::new(outcome, |plan| format::plan_text(&plan))
    }

    fn session(&self) -> Box<dyn Session> {
        Box::new(session::Play::new(&self.map))
    }

    fn steps(&self, plan: &Source) -> Result<Steps, Diagnostic> {
        let actions = format::read_plan(plan)?;
        Ok(Box::new(actions.into_iter().map(|action| action.to_string())))
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

/// Replays a plan under all readings, the default one first.
fn replay_under_all(map: &Map, plan: &[Action]) -> Vec<(Readings, Result<(), Failure>)> {
    let needed = readings_that_differ(plan);
    let results: Vec<_> = needed.par_iter().map(|&readings| replay(map, plan, readings)).collect();
    let result = |readings: Readings| {
        let alike = Readings { still_is_silent: false, ..readings };
        let place = |wanted| needed.iter().position(|&replayed| replayed == wanted);
        let at = place(readings).or(place(alike)).expect("the default order is replayed");
        results[at].clone()
    };
    Readings::ALL.into_iter().map(|readings| (readings, result(readings))).collect()
}

/// The readings that a plan can tell apart: where Ellie never stands still, it does not matter
/// whether that is silent.
fn readings_that_differ(plan: &[Action]) -> Vec<Readings> {
    let stands = plan.contains(&Action::Walk(None));
    Readings::ALL.into_iter().filter(|readings| stands || !readings.still_is_silent).collect()
}

/// How long it takes about to replay a plan under all readings, from one replay.
fn validation_time(map: &Map, plan: &[Action], threads: usize) -> Duration {
    let started = Instant::now();
    // The planner's plans hold; where one does not, that is said when it is replayed in earnest.
    let _ = replay(map, plan, Readings::default());
    // Replays side by side slow each other down a little.
    let rounds = readings_that_differ(plan).len().div_ceil(threads.max(1)) as f64;
    started.elapsed().mul_f64(1.25 * rounds)
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
    }
}
