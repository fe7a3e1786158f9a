//! Files of areas and plans: reading, telling which game, choosing levels.

use crate::command::Failure;
use outwit::diagnostic::Source;
use outwit::games::{Area, GameId, LevelError, Pddl, PlanError, level};
use outwit::verify::{Verified, verify_level};
use std::path::{Path, PathBuf};

/// A file of areas, and how to read it.
#[derive(clap::Args)]
pub struct AreaArgs {
    /// File with an area or a collection of them; - for stdin
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// The game, where the path and the content leave it open
    #[arg(long, value_name = "GAME")]
    pub game: Option<GameId>,
}

/// A file of areas, read.
pub struct AreaFile {
    /// Its areas, at least one.
    pub areas: Vec<Box<dyn Area>>,
    /// Its text: some games' files may hold a plan, too.
    pub source: Source,
}

impl AreaArgs {
    /// Reads the file.
    pub fn read(&self) -> Result<AreaFile, Failure> {
        let source = Source::read(&self.file)?;
        let game = match self.game {
            Some(game) => game,
            None => outwit::games::identify(&self.file, &source)?,
        };
        Ok(AreaFile { areas: game.game().read(&source)?, source })
    }
}

impl AreaFile {
    /// The areas that are meant: the one `level` (from 1), or all; with their numbers.
    pub fn levels(&self, level: Option<usize>) -> Result<Vec<(usize, &dyn Area)>, Failure> {
        match level {
            None => Ok(self.areas.iter().enumerate().map(|(i, a)| (i + 1, &**a)).collect()),
            Some(number) => Ok(vec![(number, self.level(level)?)]),
        }
    }

    /// The one area that is meant.
    pub fn level(&self, level: Option<usize>) -> Result<&dyn Area, Failure> {
        let index = level::index(self.areas.len(), level).map_err(|error| {
            Failure::Usage(match error {
                LevelError::Unsaid { count } => {
                    format!("the file has {count} levels: say which one with --level N")
                }
                LevelError::Missing { level, count } => {
                    format!("--level {level}: the file has levels 1 to {count}")
                }
            })
        })?;
        Ok(&*self.areas[index])
    }
}

/// The form of an area in PDDL.
pub fn pddl_of(area: &dyn Area) -> Result<&dyn Pddl, Failure> {
    let missing = || Failure::Usage(format!("{} has no form in PDDL", area.game()));
    area.pddl().ok_or_else(missing)
}

/// Refuses two files that are both to be read from standard input, by what the command line calls
/// them.
pub fn refuse_two_stdins(
    first: (&str, &Path),
    second: (&str, Option<&Path>),
) -> Result<(), Failure> {
    let is_stdin = |path: &Path| path.as_os_str() == "-";
    if !is_stdin(first.1) || !second.1.is_some_and(is_stdin) {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "{} and {} are both -, but standard input can be read once: name a file for one of them",
        first.0, second.0
    )))
}

/// Reads and verifies a plan that the user says is valid. Of a file with plans of several levels, it is
/// the one of `level`.
pub fn known_plan(area: &dyn Area, level: Option<usize>, path: &Path) -> Result<Verified, Failure> {
    let source = Source::read(path)?;
    let known = verify_level(area, level, &source).map_err(|error| match error {
        PlanError::Unreadable(diagnostic) => diagnostic.into(),
        PlanError::Refused(refusal) => Failure::Usage(format!(
            "{} is not a valid plan of {}: {}",
            source.name,
            area.name(),
            super::output::refusal_line(&refusal)
        )),
    })?;
    super::output::say_remarks(known.validation());
    Ok(known)
}
