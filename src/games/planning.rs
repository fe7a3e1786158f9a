//! The one adapter between a game's planner, whose plans are of a type of its own, and the waist, where
//! plans are texts: it reads a known plan and writes what is found, for all games alike.

use crate::games::fact::Fact;
use crate::games::objective::Objective;
use crate::games::plan::Answer;
pub use crate::search::Found;
use crate::search::clock::Instant;
use crate::search::explain::Explanation;
use crate::search::{Outcome, Run};
use std::fmt;

/// What a planner is asked to do.
#[derive(Clone)]
pub struct Task<'a, A> {
    /// What is wanted.
    pub objective: &'a Objective,
    /// A valid plan, where one is known: only shorter ones are of interest.
    pub known: Option<Vec<A>>,
    /// What may be spent, and who controls it.
    pub run: &'a Run,
    /// Hears each better plan as it is found, with its cost.
    pub found: Found<'a, A>,
}

impl<A: fmt::Debug> fmt::Debug for Task<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Task")
            .field("objective", &self.objective)
            .field("known", &self.known)
            .field("run", &self.run)
            .finish_non_exhaustive()
    }
}

/// Hears nothing.
pub fn nobody<A>(_: &[A], _: u64) {}

impl<'a, A> Task<'a, A> {
    /// A task of which nobody hears before it is over.
    pub fn new(objective: &'a Objective, known: Option<Vec<A>>, run: &'a Run) -> Self {
        Task { objective, known, run, found: &nobody }
    }

    /// Cost of the known plan where each action costs 1; `u64::MAX` without one.
    pub fn known_cost(&self) -> u64 {
        self.known.as_ref().map_or(u64::MAX, |plan| plan.len() as u64)
    }
}

/// What a planner has found and proven, with notes for its report.
pub type Planned<A> = (Outcome<A>, Vec<Fact>);

/// A planner of one area, or of the rest of a game: plans in the planner's own type.
pub trait Planning {
    /// A step of a plan.
    type Action;

    /// The actions of a plan's text; none where it cannot be read.
    fn read(&self, plan: &str) -> Option<Vec<Self::Action>>;

    /// Text of a plan in the game's own format.
    fn write(&self, plan: &[Self::Action]) -> String;

    /// Looks for a plan.
    fn solve(&self, task: Task<'_, Self::Action>) -> Planned<Self::Action>;

    /// Shortens the known plan.
    fn improve(&self, task: Task<'_, Self::Action>) -> Planned<Self::Action> {
        self.solve(task)
    }

    /// Runs one search alone; `None` where it cannot be.
    fn search(&self, name: &str, task: Task<'_, Self::Action>) -> Option<Planned<Self::Action>> {
        let _ = (name, task);
        None
    }
}

/// The same planner at the waist: plans are texts.
pub trait TextPlanner {
    /// Looks for a plan that is shorter than the known one.
    fn solve(&self, objective: &Objective, known: Option<&str>, run: &Run) -> Answer;

    /// Shortens a plan.
    fn improve(&self, plan: &str, objective: &Objective, run: &Run) -> Answer;

    /// Runs one search alone.
    fn search(
        &self,
        name: &str,
        objective: &Objective,
        known: Option<&str>,
        run: &Run,
    ) -> Option<Answer>;
}

impl<P: Planning + Sync> TextPlanner for P {
    fn solve(&self, objective: &Objective, known: Option<&str>, run: &Run) -> Answer {
        let known = known.and_then(|plan| self.read(plan));
        let found = teller(self, run);
        let begun = Begun::new(run);
        let task = Task { objective, known, run: &begun.run, found: &found };
        let planned = Planning::solve(self, task);
        begun.answer(self, planned)
    }

    fn improve(&self, plan: &str, objective: &Objective, run: &Run) -> Answer {
        let Some(plan) = self.read(plan) else { return Answer::nothing() };
        let (known, found) = (Some(plan), teller(self, run));
        let begun = Begun::new(run);
        let task = Task { objective, known, run: &begun.run, found: &found };
        let planned = Planning::improve(self, task);
        begun.answer(self, planned)
    }

    fn search(
        &self,
        name: &str,
        objective: &Objective,
        known: Option<&str>,
        run: &Run,
    ) -> Option<Answer> {
        let known = known.and_then(|plan| self.read(plan));
        let found = teller(self, run);
        let begun = Begun::new(run);
        let task = Task { objective, known, run: &begun.run, found: &found };
        let planned = Planning::search(self, name, task)?;
        Some(begun.answer(self, planned))
    }
}

/// Tells the run's listener of plans as texts.
fn teller<P: Planning + Sync>(planner: &P, run: &Run) -> impl Fn(&[P::Action], u64) + Sync {
    move |plan, cost| run.control.tell_plan(cost, || planner.write(plan))
}

/// A run that has begun, and what its searches make of it.
struct Begun {
    run: Run,
    explanation: Explanation,
    started: Instant,
}

impl Begun {
    fn new(run: &Run) -> Self {
        let explanation = Explanation::default();
        let run = Run { control: explanation.listen_to(&run.control), ..run.clone() };
        Begun { run, explanation, started: Instant::now() }
    }

    /// The answer at the waist, with what was set for it and all the time that it took.
    fn answer<P: Planning>(self, planner: &P, (outcome, notes): Planned<P::Action>) -> Answer {
        let answer = Answer::new(outcome, |plan| planner.write(&plan));
        let (settings, searches) = (self.run.settings, self.explanation.searches());
        let mut answer = Answer { notes, settings, searches, ..answer };
        answer.effort.elapsed = self.started.elapsed();
        answer
    }
}
