//! Which areas a batch is about: files found, read, named, divided into shards.

use super::names::{Wanted, folder, part, resolve};
use crate::diagnostic::{Diagnostic, Source};
use crate::games::{Area, Collection, Fingerprint, GameId, identify};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Endings of the files that are taken for areas where a folder is searched.
pub const AREA_ENDINGS: &[&str] = &["txt", "xsb", "sok", "slc", "md", "in"];

/// Endings of files that are documents first of all: in a folder that is searched, one that no game
/// recognises is no area, and no error.
const DOCUMENT_ENDINGS: &[&str] = &["md"];

/// The most characters of a level's title that its plan's file name has.
const TITLE_CHARACTERS: usize = 40;

/// One area of a batch.
#[derive(Debug)]
pub struct Task {
    /// Where its plan belongs: `GAME/STEM`, or `GAME/STEM/NNN-TITLE` for a level of a collection,
    /// with digits of its fingerprint where that would be another area's place, too. Forward slashes on
    /// every system. No two tasks share one: see [`super::names`].
    pub key: String,
    /// The area.
    pub area: Box<dyn Area>,
}

/// The areas of one file.
type Areas = Collection;

/// What was found.
#[derive(Debug, Default)]
pub struct Inputs {
    /// The areas that could be read, by file name.
    pub tasks: Vec<Task>,
    /// What is wrong with the others.
    pub errors: Vec<Diagnostic>,
    /// Number of areas that were left out because an area of the same name has the same content.
    pub repeated: usize,
    /// Authors of areas, by key, where their files name them.
    pub authors: BTreeMap<String, String>,
}

/// A part of a batch: those areas whose number (from 0) leaves `index - 1` when divided by
/// `count`. All shards together are the whole batch, and no two share an area.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// The shard's number, from 1.
    pub index: usize,
    /// Number of shards, at least 1.
    pub count: usize,
}

impl Shard {
    /// The only shard of a whole batch.
    pub const WHOLE: Shard = Shard { index: 1, count: 1 };

    /// Part of the names of this shard's own files; empty for the whole.
    pub fn tag(self) -> String {
        if self.count == 1 { String::new() } else { format!("-{}-of-{}", self.index, self.count) }
    }

    /// The tasks of this shard.
    pub fn of(self, tasks: Vec<Task>) -> Vec<Task> {
        let mine = |(number, _): &(usize, Task)| number % self.count == self.index - 1;
        tasks.into_iter().enumerate().filter(mine).map(|(_, task)| task).collect()
    }
}

/// A text that names no shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a shard is I/N with I from 1 to N, as 1/4 … 4/4")]
pub struct NoShard;

impl FromStr for Shard {
    type Err = NoShard;

    fn from_str(text: &str) -> Result<Self, NoShard> {
        let parts = text.split_once('/').and_then(|(index, count)| {
            Some(Shard { index: index.parse().ok()?, count: count.parse().ok()? })
        });
        match parts {
            Some(shard) if (1..=shard.count).contains(&shard.index) => Ok(shard),
            _ => Err(NoShard),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

/// Finds and reads all areas in folders (below them, too) and files.
///
/// In folders only files with one of [`AREA_ENDINGS`] count, and nothing hidden. Which game a file
/// is of tells `game`, or else [`identify`].
pub fn find(paths: &[PathBuf], game: Option<GameId>) -> Inputs {
    let mut inputs =
        Inputs { tasks: Vec::new(), errors: Vec::new(), repeated: 0, authors: BTreeMap::new() };
    let mut seen = BTreeSet::new();
    let mut read: BTreeMap<String, Vec<(String, PathBuf, Areas)>> = BTreeMap::new();
    for path in paths {
        for file in files(path, &mut inputs.errors) {
            if !seen.insert(file.canonicalize().unwrap_or_else(|_| file.clone())) {
                continue;
            }
            match read_file(&file, game) {
                Ok((game, areas)) => {
                    let key = stem_key(path, &file, game);
                    read.entry(key.to_lowercase()).or_default().push((key, file, areas));
                }
                Err(diagnostic) => inputs.errors.push(diagnostic),
            }
        }
    }
    let mut found = Vec::new();
    for files in read.into_values() {
        let endings: BTreeSet<_> = files.iter().map(|(_, file, _)| file.extension()).collect();
        let alike = endings.len() == 1;
        for (key, file, areas) in files {
            let key = if alike { key } else { with_ending(&key, &file) };
            inputs.errors.extend(areas.errors().map(|(_, diagnostic)| diagnostic.clone()));
            found.extend(tasks_of(&key, areas));
        }
    }
    name(found, &mut inputs);
    inputs
}

/// Gives each area a key of its own.
fn name(found: Vec<(Task, Option<String>)>, inputs: &mut Inputs) {
    let wanted = found
        .iter()
        .map(|(task, _)| Wanted { key: task.key.clone(), area: Fingerprint::of_area(&*task.area) });
    let keys = resolve(&wanted.collect::<Vec<_>>());
    for ((task, author), key) in found.into_iter().zip(keys) {
        let Some(key) = key else {
            inputs.repeated += 1;
            continue;
        };
        if let Some(author) = author {
            inputs.authors.insert(key.clone(), author);
        }
        inputs.tasks.push(Task { key, ..task });
    }
}

/// The area files in a folder, by name; or the file itself.
fn files(path: &Path, errors: &mut Vec<Diagnostic>) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_path_buf()];
    }
    let hidden = |entry: &walkdir::DirEntry| {
        entry.depth() > 0 && entry.file_name().to_string_lossy().starts_with('.')
    };
    let walk = walkdir::WalkDir::new(path).follow_links(true).sort_by_file_name();
    let mut files = Vec::new();
    for entry in walk.into_iter().filter_entry(|entry| !hidden(entry)) {
        match entry {
            Ok(entry) if entry.file_type().is_file() && has_area_ending(entry.path()) => {
                if !is_other_document(entry.path()) {
                    files.push(entry.into_path());
                }
            }
            Ok(_) => {}
            Err(error) => {
                let name = error.path().unwrap_or(path).display().to_string();
                let why = error.io_error().map_or(error.to_string(), ToString::to_string);
                errors.push(Diagnostic::file(&name, format!("cannot be read: {why}")));
            }
        }
    }
    files
}

fn has_area_ending(path: &Path) -> bool {
    has_ending(path, AREA_ENDINGS)
}

fn has_ending(path: &Path, endings: &[&str]) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| endings.iter().any(|one| one.eq_ignore_ascii_case(ending)))
}

/// Whether a file of a folder that is searched is a document without an area.
fn is_other_document(file: &Path) -> bool {
    let recognised =
        |source: Source| GameId::ALL.iter().any(|id| id.game().recognises(&source.text));
    has_ending(file, DOCUMENT_ENDINGS) && !Source::read(file).is_ok_and(recognised)
}

fn read_file(file: &Path, game: Option<GameId>) -> Result<(GameId, Areas), Diagnostic> {
    let source = Source::read(file)?;
    let game = match game {
        Some(game) => game,
        None => identify(file, &source)?,
    };
    Ok((game, game.game().read(&source)?))
}

/// `GAME/STEM`: the file's place below the folder, without a leading folder that is named like
/// the game, and without its ending.
fn stem_key(root: &Path, file: &Path, game: GameId) -> String {
    let below = file.strip_prefix(root).ok().filter(|below| !below.as_os_str().is_empty());
    let below = below.map_or_else(|| file.file_name().map(Path::new), Some).unwrap_or(file);
    let below = below.strip_prefix(game.name()).unwrap_or(below).with_extension("");
    let folders = below.parent().into_iter().flat_map(Path::components);
    let folders = folders.map(|name| folder(&name.as_os_str().to_string_lossy()));
    let stem = part(&below.file_name().unwrap_or_default().to_string_lossy());
    let parts: Vec<_> =
        std::iter::once(game.name().to_string()).chain(folders).chain([stem]).collect();
    parts.join("/")
}

/// Tells files apart that differ in their endings only.
fn with_ending(key: &str, file: &Path) -> String {
    match file.extension() {
        Some(ending) => format!("{key}.{}", part(&ending.to_string_lossy())),
        None => key.to_string(),
    }
}

/// The areas of a file under the keys they would have alone, with their authors.
fn tasks_of(key: &str, areas: Areas) -> Vec<(Task, Option<String>)> {
    let count = areas.entries.len();
    let digits = count.to_string().len().max(3);
    let author = areas.author;
    let tasks = areas.entries.into_iter().filter_map(|entry| {
        let area = entry.content.ok()?;
        let key = match count {
            1 => key.to_string(),
            _ => level_key(key, entry.number, digits, area.name()),
        };
        Some((Task { key, area }, entry.author.or_else(|| author.clone())))
    });
    tasks.collect()
}

fn level_key(key: &str, number: usize, digits: usize, title: &str) -> String {
    let words: Vec<String> = title
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let title: String = words.join("-").chars().take(TITLE_CHARACTERS).collect();
    let title = title.trim_end_matches('-');
    let dash = if title.is_empty() { "" } else { "-" };
    let (above, name) = key.rsplit_once('/').unwrap_or(("", key));
    format!("{above}/{}/{number:0digits$}{dash}{title}", folder(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_follow_the_place_of_the_file() {
        let key =
            |root: &str, file: &str| stem_key(Path::new(root), Path::new(file), GameId::LastOfUs);
        assert_eq!(key("areas", "areas/last-of-us/a.txt"), "last-of-us/a");
        assert_eq!(key("areas", "areas/last-of-us/more/a.b.txt"), "last-of-us/more/a.b");
        assert_eq!(key("areas/last-of-us", "areas/last-of-us/a.txt"), "last-of-us/a");
        assert_eq!(key("x/a.txt", "x/a.txt"), "last-of-us/a");
        assert_eq!(key("x", "x/y/a.txt"), "last-of-us/y/a");
    }

    #[test]
    fn level_keys_are_plain_file_names() {
        assert_eq!(
            level_key("sokoban/m", 7, 3, "The /../ Way: 'Out'!"),
            "sokoban/m/007-the-way-out"
        );
        assert_eq!(level_key("sokoban/m", 12, 4, "///"), "sokoban/m/0012");
        assert!(level_key("k", 1, 3, &"long ".repeat(50)).len() < 60);
    }

    #[test]
    fn shards_are_read_and_refused() {
        assert_eq!("2/4".parse(), Ok(Shard { index: 2, count: 4 }));
        for bad in ["0/4", "5/4", "1/0", "1", "a/b", "-1/2", "1/2/3"] {
            assert!(bad.parse::<Shard>().is_err(), "{bad}");
        }
    }
}
