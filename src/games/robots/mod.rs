//! Robots: make the robots that chase you run into each other and into debris.
//!
//! From the ACM East Central North America regional of 2001, problem B. [`format`] reads and writes,
//! [`rules`] is the reference that proves plans, [`state`] the fast simulator that the planner walks
//! on, [`strategy`] the statement's own program, [`generate`] makes cases. This file fits them to
//! the waist of the house.

pub mod format;
pub mod generate;
pub mod planner;
pub mod rules;
pub mod session;
pub mod state;
pub mod strategy;

use super::{
    Aim, Answer, Area, Fact, GameId, Generated, Parameter, PlanError, Proof, Refusal, Session,
    SimulateError, Wish,
};
use crate::diagnostic::{Diagnostic, Source};
use crate::search::Budget;
use format::{Case, Move};
use rules::{Play, Standing};
use std::io::{BufRead, Write};
use strategy::as_move;

/// The game at the waist.
pub struct Robots;

impl super::Game for Robots {
    fn id(&self) -> GameId {
        GameId::Robots
    }

    fn about(&self) -> &'static str {
        "make the robots that chase you run into each other and into debris"
    }

    fn recognises(&self, text: &str) -> bool {
        format::looks_like_cases(text)
    }

    fn read(&self, source: &Source) -> Result<Vec<Box<dyn Area>>, Diagnostic> {
        let area = |(i, case)| {
            Box::new(OneCase { name: format!("Case {}", i + 1), case }) as Box<dyn Area>
        };
        Ok(format::read_cases(source)?.into_iter().enumerate().map(area).collect())
    }

    fn parameters(&self) -> &'static [Parameter] {
        generate::PARAMETERS
    }

    fn generate(&self, wish: &Wish) -> Result<Generated, String> {
        generate::generate(wish)
    }

    fn simulate(
        &self,
        input: &mut dyn BufRead,
        output: &mut dyn Write,
    ) -> Result<(), SimulateError> {
        strategy::simulate(input, output)
    }
}

/// One case, read.
struct OneCase {
    name: String,
    case: Case,
}

impl Area for OneCase {
    fn game(&self) -> GameId {
        GameId::Robots
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn text(&self) -> String {
        format::text(std::slice::from_ref(&self.case))
    }

    fn facts(&self) -> Vec<Fact> {
        vec![
            Fact::new("robots", self.case.robots.len()),
            Fact::new("teleports", self.case.teleports.len()),
        ]
    }

    fn replay(&self, plan: &Source) -> Result<Proof, PlanError> {
        let moves = format::read_plan(plan).map_err(PlanError::Unreadable)?;
        replay(&self.case, &moves).map_err(|failure| {
            let line = moves.get(failure.step - 1).map(|&(m, line)| (line, m.to_string()));
            PlanError::Refused(Refusal {
                step: failure.step as u64,
                line,
                reason: failure.reason,
                board: failure.board,
            })
        })
    }

    fn solve(&self, aim: &Aim, budget: &Budget) -> Answer {
        let known = aim.known.as_ref().and_then(|text| {
            let moves = format::read_plan(&Source::new("known plan", text.as_str())).ok()?;
            u32::try_from(moves.len()).ok()
        });
        let outcome = planner::solve(&self.case, known, budget);
        let moves: Option<Vec<Move>> = outcome
            .plan
            .map(|plan| plan.into_iter().map(|action| as_move(action, &self.case)).collect());
        Answer {
            verdict: outcome.verdict,
            length: moves.as_ref().map(|moves| moves.len() as u64),
            plan: moves.map(|moves| format::plan_text(&moves)),
            bound: outcome.bound,
            effort: outcome.effort,
            notes: beside(&self.case),
        }
    }

    fn session(&self) -> Box<dyn Session> {
        Box::new(session::Table::new(&self.case))
    }
}

/// How the statement's strategy does.
fn beside(case: &Case) -> Vec<Fact> {
    let game = strategy::play(case);
    vec![
        Fact::new("strategy", if game.won { "won" } else { "lost" }),
        Fact::new("strategy moves", game.actions.len()),
        Fact::new("strategy robots left", game.end.robots_left()),
    ]
}

/// Where and why a plan fails.
struct Failure {
    /// The move, from 1; one past the last where the plan ends too early.
    step: usize,
    reason: String,
    board: String,
}

/// Replays a plan under the reference rules.
fn replay(case: &Case, moves: &[(Move, usize)]) -> Result<Proof, Failure> {
    let mut play = Play::new(case);
    for (i, &(m, _)) in moves.iter().enumerate() {
        let failure = |reason, play: &Play| Failure { step: i + 1, reason, board: play.picture() };
        match play.step(m) {
            Ok(Standing::Lost) => return Err(failure("a robot moves onto you".into(), &play)),
            Ok(_) => {}
            Err(reason) => return Err(failure(reason, &play)),
        }
    }
    if play.standing != Standing::Won {
        let reason = format!("the plan ends with robots left: {}", play.robots.len());
        return Err(Failure { step: moves.len() + 1, reason, board: play.picture() });
    }
    let teleports = play.teleports.iter().filter(|(_, used)| *used).count();
    Ok(Proof {
        length: play.moves,
        facts: vec![
            Fact::new("moves", play.moves),
            Fact::new("teleports", teleports),
            Fact::new("debris", play.debris.len()),
        ],
        rank: vec![play.moves, teleports as u64],
    })
}
