//! The table of files as people have them: `tests/cases/files/cases.tsv`.

use outwit::games::GameId;
use std::path::{Path, PathBuf};

/// A file of areas, and what is to be read of it.
pub struct Case {
    /// Its path.
    pub path: PathBuf,
    /// Its name.
    pub file: String,
    /// The game.
    pub game: GameId,
    /// How many levels it has.
    pub levels: usize,
    /// The numbers of those that can be read.
    pub readable: Vec<usize>,
    /// The titles, empty where a level has none; none at all where the table leaves them open.
    pub titles: Vec<String>,
    /// A plan of its only level, or `impossible`; empty where the table leaves it open.
    pub plan: String,
}

/// The folder of the files.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/files")
}

/// All files of areas in the table.
pub fn areas() -> Vec<Case> {
    let table = std::fs::read_to_string(folder().join("cases.tsv")).expect("the table");
    let cases: Vec<Case> = table.lines().skip(1).filter_map(case).collect();
    assert!(cases.len() > 70, "only {} files of areas", cases.len());
    cases
}

fn case(line: &str) -> Option<Case> {
    let [file, what, levels, readable, titles, plan, _] =
        line.split('\t').collect::<Vec<_>>().try_into().unwrap_or_else(|_| panic!("{line:?}"));
    let game = match what.strip_prefix("levels")? {
        "" => GameId::Sokoban,
        of => of.trim_start_matches(" of ").parse().unwrap_or_else(|_| panic!("{line:?}")),
    };
    let number = |text: &str| text.parse().unwrap_or_else(|_| panic!("{line:?}"));
    let titles = titles.split('|').map(String::from).collect::<Vec<_>>();
    Some(Case {
        path: folder().join(file),
        file: file.to_string(),
        game,
        levels: number(levels),
        readable: readable.split_whitespace().map(number).collect(),
        titles: if titles == [""] { Vec::new() } else { titles },
        plan: plan.to_string(),
    })
}
