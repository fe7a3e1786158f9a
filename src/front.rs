//! The front door: what most users of the library need, and one error for all that can fail.

use crate::diagnostic::{Diagnostic, Source};
use crate::games::{Area, Collection, LevelError, Objective, PlanError, UnknownMeasure, identify};
use crate::search::Run;
use crate::verify::{self, Settled, Thoroughness, Verified, pursue};
use std::path::Path;

/// An error of reading a text, choosing a level, or verifying a plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A text cannot be read: what is wrong, with file, line and column.
    #[error(transparent)]
    Input(#[from] Diagnostic),
    /// A plan cannot be read, or the rules refuse one of its steps.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A text does not have the level that is asked for, or several and none is named.
    #[error(transparent)]
    Level(#[from] LevelError),
    /// A game does not have a measure of that name.
    #[error(transparent)]
    Measure(#[from] UnknownMeasure),
}

/// Reads the areas of a file. The game is told by the file's ending, its folder or its content.
///
/// # Errors
/// The file cannot be read, no game is told, or no area in it can be read.
pub fn read(path: impl AsRef<Path>) -> Result<Collection, Error> {
    let path = path.as_ref();
    let source = Source::read(path)?;
    Ok(identify(path, &source)?.game().read(&source)?)
}

/// Reads the areas of a text. The game is told by its content.
///
/// # Errors
/// No game is told, or no area in it can be read.
///
/// ```
/// let levels = outwit::parse("#####\n#@$.#\n#####\n")?;
/// assert_eq!(levels.entries.len(), 1);
/// assert!(outwit::parse("no game at all").is_err());
/// # Ok::<(), outwit::Error>(())
/// ```
pub fn parse(text: &str) -> Result<Collection, Error> {
    let source = Source::new("text", text);
    // A text lies in no folder that could tell its game.
    Ok(identify(Path::new("-"), &source)?.game().read(&source)?)
}

/// Looks for a plan within limits. The plan that comes back is verified. One that is found early is proven or
/// shortened for a tenth of the limits: see [`pursue`].
///
/// ```
/// use outwit::games::Objective;
/// use outwit::search::{Run, Verdict};
///
/// let level = outwit::parse("######\n#@$ .#\n######\n")?.only()?;
/// let solved = outwit::solve(&*level, &Objective::OPTIMAL, &Run::seconds(10.0));
/// assert_eq!((solved.answer.verdict, solved.answer.length), (Verdict::Optimal, Some(2)));
/// # Ok::<(), outwit::Error>(())
/// ```
pub fn solve(area: &dyn Area, objective: &Objective, run: &Run) -> Settled {
    pursue(area, objective, None, run, Thoroughness::default())
}

/// Shortens a plan within limits. What comes back is never longer.
///
/// ```
/// use outwit::games::Objective;
/// use outwit::search::Run;
///
/// let level = outwit::parse("#######\n#@    #\n# $  .#\n#######\n")?.only()?;
/// let plan = outwit::verify(&*level, "rldRRR")?;
/// let better = outwit::improve(&*level, &plan, &Objective::default(), &Run::seconds(1.0));
/// let better = better.plan().expect("there is one");
/// assert!(better.length(None) == 3 && better.beats(&plan));
/// # Ok::<(), outwit::Error>(())
/// ```
pub fn improve(area: &dyn Area, plan: &Verified, objective: &Objective, run: &Run) -> Settled {
    verify::improve(area, objective, plan.clone(), run)
}

/// Replays a plan through the reference rules of its game.
///
/// # Errors
/// The plan cannot be read, or a step of it is refused: which, why, and the board there.
///
/// ```
/// use outwit::Error;
/// use outwit::games::PlanError;
///
/// let level = outwit::parse("######\n#@$ .#\n######\n")?.only()?;
/// assert_eq!(outwit::verify(&*level, "RR")?.validation().length, 2);
/// let refused = outwit::verify(&*level, "RL").expect_err("the plan ends too early");
/// assert!(matches!(refused, Error::Plan(PlanError::Refused(step)) if step.step == 3));
/// # Ok::<(), outwit::Error>(())
/// ```
pub fn verify(area: &dyn Area, plan: &str) -> Result<Verified, Error> {
    Ok(crate::verify::verify(area, &Source::new("plan", plan))?)
}
