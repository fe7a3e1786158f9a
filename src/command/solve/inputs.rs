//! The files that `outwit solve` is asked for, read before anything is searched for.

use crate::command::input::{AreaFile, is_standard, refuse_stdin_twice};
use crate::command::{Failure, output};
use outwit::games::GameId;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Name of standard input, without an ending.
const STDIN: &str = "stdin";

/// A file of areas with its place on the command line.
pub struct Input {
    /// The path as the command line has it.
    pub path: PathBuf,
    /// The areas in the file.
    pub file: AreaFile,
}

/// The files that can be read, and whether there are others.
pub struct Inputs {
    /// The files that can be read, in the order of the command line.
    pub all: Vec<Input>,
    /// Whether the command line names several files.
    pub are_several: bool,
    /// Whether one of the files cannot be read.
    pub is_one_unreadable: bool,
}

impl Inputs {
    /// Reads the files, and reports those that cannot be read.
    pub fn read(paths: &[PathBuf], game: Option<GameId>, json: bool) -> Result<Inputs, Failure> {
        refuse_stdin_twice(paths)?;
        let mut all = Vec::new();
        for path in paths {
            match AreaFile::read(path, game) {
                Ok(file) => all.push(Input { path: path.clone(), file }),
                Err(failure) => output::tell_failure(&failure, json),
            }
        }
        if all.is_empty() {
            return Err(Failure::Told);
        }
        let is_one_unreadable = all.len() < paths.len();
        Ok(Inputs { all, are_several: paths.len() > 1, is_one_unreadable })
    }

    /// The games of the files, each once.
    pub fn games(&self) -> BTreeSet<GameId> {
        self.all.iter().map(|input| input.file.game).collect()
    }

    /// The game of all files, for an option that describes one game.
    pub fn only_game(&self, option: &str) -> Result<GameId, Failure> {
        let games: Vec<GameId> = self.games().into_iter().collect();
        match games[..] {
            [game] => Ok(game),
            _ => Err(Failure::Usage(format!("{option}: the files are of several games"))),
        }
    }

    /// Name of a file in reports, where there are several.
    pub fn name_of<'a>(&self, input: &'a Input) -> Option<&'a str> {
        self.are_several.then_some(&*input.file.source.name)
    }
}

impl Input {
    /// The file's name without its folder and its ending.
    pub fn stem(&self) -> &Path {
        let stem = self.path.file_stem().filter(|_| !is_standard(&self.path));
        stem.map_or(Path::new(STDIN), Path::new)
    }
}
