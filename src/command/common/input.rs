//! Files of areas and plans: reading, telling which game, choosing levels.

use crate::command::Failure;
use outwit::diagnostic::Source;
use outwit::games::{Area, Collection, Entry, GameId, LevelError, Pddl, PlanError};
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
    /// Their game.
    pub game: GameId,
    /// Its areas, of which at least one can be read.
    pub collection: Collection,
    /// Its text: some games' files may hold a plan, too.
    pub source: Source,
}

/// Files of areas, and how to read them.
#[derive(clap::Args)]
pub struct AreasArgs {
    /// Files with an area or a collection of them each; - for stdin
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,

    /// The game, where the paths and the contents leave it open
    #[arg(long, value_name = "GAME")]
    pub game: Option<GameId>,
}

impl AreaArgs {
    /// Reads the file.
    pub fn read(&self) -> Result<AreaFile, Failure> {
        AreaFile::read(&self.file, self.game)
    }
}

impl AreaFile {
    /// Reads a file; its game is recognised where none is named.
    pub fn read(path: &Path, game: Option<GameId>) -> Result<AreaFile, Failure> {
        let source = Source::read(path)?;
        let game = match game {
            Some(game) => game,
            None => outwit::games::identify(path, &source)?,
        };
        Ok(AreaFile { game, collection: game.game().read(&source)?, source })
    }

    /// The levels that are meant, whether they can be read or not: the one `level` (from 1), or all.
    pub fn levels(&self, level: Option<usize>) -> Result<&[Entry], Failure> {
        match level {
            None => Ok(&self.collection.entries),
            Some(_) => {
                let entry = self.collection.entry(level).map_err(failure)?;
                Ok(std::slice::from_ref(entry))
            }
        }
    }

    /// The one area that is meant.
    pub fn level(&self, level: Option<usize>) -> Result<&dyn Area, Failure> {
        self.collection.area(level).map(|area| &**area).map_err(failure)
    }
}

/// Why no level is chosen, in the words of the command line.
fn failure(error: LevelError) -> Failure {
    match error {
        LevelError::Unsaid { count } => {
            Failure::Usage(format!("the file has {count} levels: say which one with --level N"))
        }
        LevelError::Missing { level, count } => {
            Failure::Usage(format!("--level {level}: the file has levels 1 to {count}"))
        }
        LevelError::Unreadable(diagnostic) => Failure::Input(diagnostic),
    }
}

/// The form of an area in PDDL.
pub fn pddl_of(area: &dyn Area) -> Result<&dyn Pddl, Failure> {
    let missing = || Failure::Usage(format!("{} has no form in PDDL", area.game()));
    area.pddl().ok_or_else(missing)
}

/// Whether a path is `-`, which names a standard stream.
pub fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Refuses files that name standard input twice.
pub fn refuse_stdin_twice(files: &[PathBuf]) -> Result<(), Failure> {
    if files.iter().filter(|file| is_standard(file)).count() > 1 {
        let message = "- is there twice, but standard input can be read once";
        return Err(Failure::Usage(message.into()));
    }
    Ok(())
}

/// Refuses two files that are both to be read from standard input, by what the command line calls
/// them.
pub fn refuse_two_stdins(
    first: (&str, &Path),
    second: (&str, Option<&Path>),
) -> Result<(), Failure> {
    if !is_standard(first.1) || !second.1.is_some_and(is_standard) {
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
            "{} is not a valid plan of {}: {refusal}",
            source.name,
            area.name(),
        )),
    })?;
    super::output::say_remarks(known.validation());
    Ok(known)
}
