//! Random folders of tiny Sokoban levels, and what plain search over the reference rules says of them.

use outwit::board::ORTHOGONAL;
use outwit::diagnostic::Source;
use outwit::games::sokoban::format::read_levels;
use outwit::games::sokoban::rules::{Done, Game};
use outwit::games::{Fingerprint, GameId};
use rand::prelude::*;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::path::{Path, PathBuf};

/// Boards with a plan and without, with shortest plans that differ in pushes and in moves.
const BOARDS: [&str; 9] = [
    "######\n#@$ .#\n######\n",
    "######\n#$ @.#\n######\n",
    "#####\n#@*.#\n#$  #\n#   #\n#####\n",
    "#######\n#@    #\n# $  .#\n#######\n",
    "######\n#  . #\n# $$.#\n# @  #\n######\n",
    "#####\n#+$ #\n#   #\n#####\n",
    "#######\n#  #  #\n# $ $@#\n#. # .#\n#######\n",
    "########\n#   #  #\n# $@ $ #\n#.  # .#\n########\n",
    "#####\n#@*##\n#####\n",
];
const FOLDERS: [&str; 5] = ["", "d1", "d2", "d1/m", "d2/l.plan"];
const STEMS: [&str; 9] =
    ["l", "L", "a", "a.txt", "x", "x.moves", "m", "001-one", "b\n| c\u{1b}[31m\u{202e}"];
const ENDINGS: [&str; 3] = ["xsb", "txt", "sok"];

/// The shortest plans of a level: none where there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Truth {
    pub pushes: Option<u64>,
    pub moves: Option<u64>,
}

impl Truth {
    /// In a measure by name.
    pub fn in_measure(self, measure: &str) -> Option<u64> {
        if measure == "moves" { self.moves } else { self.pushes }
    }
}

/// All levels that were ever written, by their content.
#[derive(Default)]
pub struct Truths {
    by_text: HashMap<String, Truth>,
    /// By the fingerprint of an area.
    pub by_area: BTreeMap<Fingerprint, Truth>,
}

impl Truths {
    /// Reads a text and finds out the truth about its levels; says that of the last.
    pub fn learn(&mut self, text: &str) -> Truth {
        let source = Source::new("levels", text);
        let levels = read_levels(&source).expect("levels");
        let mut last = Truth { pushes: None, moves: None };
        for level in levels {
            let board = level.board();
            let truth = *self.by_text.entry(board).or_insert_with(|| Truth {
                pushes: shortest(&Game::new(&level), false),
                moves: shortest(&Game::new(&level), true),
            });
            let area = Fingerprint::of(&[GameId::Sokoban.name(), &level.text()]);
            self.by_area.insert(area, truth);
            last = truth;
        }
        last
    }
}

/// The least cost from a position to the end, by plain search.
fn shortest(start: &Game, in_moves: bool) -> Option<u64> {
    let key = |game: &Game| (game.player(), game.boxes().clone());
    let mut least = HashMap::from([(key(start), 0)]);
    let mut open = VecDeque::from([(0, start.clone())]);
    while let Some((cost, game)) = open.pop_front() {
        if least[&key(&game)] < cost {
            continue;
        }
        if game.is_complete() {
            return Some(cost);
        }
        for direction in ORTHOGONAL {
            let mut next = game.clone();
            let Ok(done) = next.press(direction) else { continue };
            let step = u64::from(in_moves || done == Done::Pushed);
            let known = least.entry(key(&next)).or_insert(u64::MAX);
            if cost + step < *known {
                *known = cost + step;
                if step == 0 {
                    open.push_front((cost, next));
                } else {
                    open.push_back((cost + 1, next));
                }
            }
        }
    }
    None
}

/// A file of one to three levels, by chance.
fn text(rng: &mut impl Rng) -> String {
    let level = |rng: &mut _| {
        let board = BOARDS.choose(rng).expect("boards");
        let title = ["One", "one", "A | b", "../../x", ""].choose(rng).expect("titles");
        if title.is_empty() { format!("{board}\n") } else { format!("{board}Title: {title}\n\n") }
    };
    let count = *[1, 1, 2, 3].choose(rng).expect("counts");
    (0..count).map(|_| level(rng)).collect()
}

/// Writes one file, by chance over another one.
pub fn write_file(root: &Path, rng: &mut impl Rng, truths: &mut Truths) {
    let folder = root.join(FOLDERS.choose(rng).expect("folders"));
    let stem = match rng.random_range(0..12) {
        0 => "n".repeat(251),
        _ => STEMS.choose(rng).expect("stems").to_string(),
    };
    let text = text(rng);
    truths.learn(&text);
    let ending = ENDINGS.choose(rng).expect("endings");
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join(format!("{stem}.{ending}")), &text).expect("a file");
    // Two names that are no UTF-8 look the same.
    #[cfg(unix)]
    if rng.random_bool(0.2) {
        use std::os::unix::ffi::OsStrExt;
        let byte = *[0xe4_u8, 0xf6].choose(rng).expect("bytes");
        let name = [b"x", &[byte][..], b".xsb"].concat();
        let file: PathBuf = folder.join(std::ffi::OsStr::from_bytes(&name));
        std::fs::write(file, &text).expect("a file");
    }
}

/// A folder of areas.
pub fn write_folder(root: &Path, rng: &mut impl Rng, truths: &mut Truths) {
    for _ in 0..rng.random_range(2..=8) {
        write_file(root, rng, truths);
    }
}
