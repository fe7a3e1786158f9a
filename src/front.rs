//! The front door: what most users of the library need, and one error for all that can fail.

#[cfg(feature = "certificates")]
use crate::check::CheckError;
use crate::diagnostic::{Diagnostic, Source};
use crate::export::{ExportError, SokError};
use crate::games::{
    Area, Collection, GenerateError, IllegalStep, LevelError, Objective, PlanError, SimulateError,
    UnknownMeasure, identify,
};
#[cfg(feature = "pictures")]
use crate::render::PictureError;
use crate::search::{Run, SettingError, UnknownWord};
use crate::vector::VectorError;
use crate::verify::{self, Settled, Thoroughness, Verified, pursue};
use std::path::Path;

/// An error of the library: of reading a text, choosing a level, verifying a plan, checking a proof, or of what
/// else a program does with areas and plans.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A text cannot be read: what is wrong, with file, line and column.
    #[error(transparent)]
    Input(#[from] Diagnostic),
    /// The rules refuse a step of a game that is played by hand.
    #[error(transparent)]
    Step(#[from] IllegalStep),
    /// There is no picture.
    #[cfg(feature = "pictures")]
    #[error(transparent)]
    Picture(#[from] PictureError),
    /// A plan cannot be read, or the rules refuse one of its steps.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A text does not have the level that is asked for, or several and none is named.
    #[error(transparent)]
    Level(#[from] LevelError),
    /// A game does not have a measure of that name.
    #[error(transparent)]
    Measure(#[from] UnknownMeasure),
    /// A word names no game, verdict, split or the like.
    #[error(transparent)]
    Word(#[from] UnknownWord),
    /// A planner does not have a number of that name, or it cannot have that value.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// No area was made.
    #[error(transparent)]
    Generate(#[from] GenerateError),
    /// The statement's own program has ended early.
    #[error(transparent)]
    Simulate(#[from] SimulateError),
    /// Plans cannot be exported as a program.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// There is no `.sok` file of a level.
    #[error(transparent)]
    Sok(#[from] SokError),
    /// Many games cannot be made, stepped or labelled together.
    #[error(transparent)]
    Vector(#[from] VectorError),
    /// A claim is not proven.
    #[cfg(feature = "certificates")]
    #[error(transparent)]
    Check(#[from] CheckError),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::{GameId, GenerateOptions, NoRulebook};
    use crate::search::{Settings, Verdict};
    use crate::vector::Split;

    /// What `?` of `anyhow` takes.
    fn is_an_error<E: std::error::Error + Send + Sync + 'static>(error: E) -> String {
        error.to_string()
    }

    #[test]
    fn what_fails_is_an_error_and_can_be_passed_on() {
        fn fails(number: usize) -> Result<(), Error> {
            let game = GameId::ALL[0].game();
            match number {
                0 => drop("chess".parse::<GameId>()?),
                1 => drop("half".parse::<Split>()?),
                2 => drop("won".parse::<Verdict>()?),
                3 => drop(game.generate(&GenerateOptions::new(0, [("walls", 3)]))?),
                4 => Settings::default().set(&game.settings(), "beam")?,
                _ => return Err(SokError::NoForm(game.id()).into()),
            }
            Ok(())
        }
        let errors: Vec<String> =
            (0..6).map(|number| is_an_error(fails(number).expect_err("it fails"))).collect();
        assert!(errors[0].starts_with("unknown game \"chess\"; one of last-of-us, "), "{errors:?}");
        assert_eq!(errors[1], "unknown split \"half\"; one of all, train, valid, test");
        assert!(errors[2].starts_with("unknown verdict \"won\"; one of "), "{errors:?}");
        assert!(errors[3].starts_with("unknown parameter \"walls\"; one of "), "{errors:?}");
        assert_eq!(errors[4], "`beam` is not NAME=VALUE");
        assert_eq!(is_an_error(NoRulebook::from("too large".to_string())), "too large");
        #[cfg(feature = "cli")]
        assert!(is_an_error("5/4".parse::<crate::batch::Shard>().unwrap_err()).contains("I/N"));
    }
}
