//! What to do from here: the game solved from where it stands.

use crate::diagnostic::{Source, visible};
use crate::games::{Area, Objective, Session};
use crate::search::{Control, Limits, Run, Verdict};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, channel};
use std::thread::Scope;
use std::time::Duration;

/// Wall time of a search for a hint.
const TIME: Duration = Duration::from_secs(3);

/// What a search from a position has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hint {
    /// The steps of a plan, from the start of the game.
    Plan(Vec<String>),
    /// It is proven that no plan goes on from here.
    Lost,
    /// Nothing was found in the time.
    Unknown,
}

/// A position that a hint is wanted for.
#[derive(Debug)]
pub struct Question<'a> {
    /// The area.
    pub area: &'a dyn Area,
    /// The plan so far, in the game's own format.
    pub begun: String,
    /// Whether nobody waits for the answer any more.
    pub is_void: Arc<AtomicBool>,
}

impl<'a> Question<'a> {
    /// Searches for a plan that goes on from the position.
    pub fn answer(&self) -> Hint {
        let begun = Source::new("the game so far", self.begun.as_str());
        let control = Control { cancel: Arc::clone(&self.is_void), listener: None };
        let run = Run { control, ..Run::from(Limits { time: TIME, ..Limits::default() }) };
        let find = || self.area.solve_from(&begun, &Objective::default(), &run);
        let Ok(answer) = run.limits.install(find) else { return Hint::Unknown };
        match (answer.plan, answer.verdict) {
            (Some(plan), _) => {
                let steps = self.area.steps(&Source::new("the hint", plan));
                let steps = steps.map(|steps| steps.map(|step| step.text).collect());
                steps.map_or(Hint::Unknown, Hint::Plan)
            }
            (None, Verdict::Impossible) => Hint::Lost,
            (None, _) => Hint::Unknown,
        }
    }

    /// Searches on a thread of its own, so that keys are heard meanwhile.
    pub fn ask<'scope>(self, scope: &'scope Scope<'scope, '_>) -> Receiver<Hint>
    where
        'a: 'scope,
    {
        let (sender, answer) = channel();
        scope.spawn(move || {
            // Nobody may be left to hear it.
            let _ = sender.send(self.answer());
        });
        answer
    }
}

/// A hint in words: the next of the steps of a plan, and how many follow.
pub fn in_words(session: &dyn Session, step: &str, following: usize) -> String {
    let keys = session.keys();
    let next = match (keys.iter().find(|key| key.step == step), session.target(step)) {
        (Some(key), _) => format!("{} ({})", key.about, key.key),
        (None, Some((row, col))) => {
            let (board, _) = session.extent();
            let (row, col) = (row - board.row + 1, col - board.col + 1);
            format!("{}, aimed at row {row}, column {col}", visible(step))
        }
        (None, None) => visible(step),
    };
    match following {
        0 => format!("hint: {next}, which wins"),
        1 => format!("hint: {next}, then one more step"),
        many => format!("hint: {next}, then {many} more steps"),
    }
}
