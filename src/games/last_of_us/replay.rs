//! Replays a plan under the reference rules, in one reading or in all.

use super::format::{Action, Map};
use super::rules::{self, Event, Readings};
use crate::search::clock::Instant;
use rayon::prelude::*;
use std::time::Duration;

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

/// Replays a plan under all readings, the default one first.
pub fn replay_under_all(map: &Map, plan: &[Action]) -> Vec<(Readings, Result<(), Failure>)> {
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

/// About how long it takes to replay a plan under all readings, measured by one replay; at least
/// `most` where that is known before the replay is done.
pub fn validation_time(map: &Map, plan: &[Action], threads: usize, most: Duration) -> Duration {
    let started = Instant::now();
    // Replays side by side slow each other down a little.
    let rounds = 1.25 * readings_that_differ(plan).len().div_ceil(threads.max(1)) as f64;
    let mut game = rules::Game::new(map, Readings::default());
    // Whether the plan holds does not matter here: it is verified when it leaves.
    for &action in plan {
        if game.act(action).is_err() || started.elapsed().mul_f64(rounds) >= most {
            break;
        }
    }
    started.elapsed().mul_f64(rounds)
}
