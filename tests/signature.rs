//! The signature: what the planners answer, and what the reference rules allow, on a few areas of
//! each game, to the digit. A refactoring never moves it; a change of search does, and says so in
//! its commit message.
//!
//! `tests/signature.txt` has a line for each search: under a budget in expansions, on one thread,
//! and with time without end, so that it does not depend on the machine. `tests/perft.txt` has a
//! line for each count of sequences of steps, as chess programs count them ("perft"). Both files
//! name what is to be searched and counted in their first columns; the others are written by
//! `OUTWIT_BLESS=1 cargo test --release --test signature`.

use outwit::batch::{self, Task};
use outwit::games::{Area, GameId, Objective, Session, Status};
use outwit::search::Budget;
use outwit::verify::settle;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

/// Raised to write the files as they are now.
const BLESS: &str = "OUTWIT_BLESS";
/// Time that no search comes to the end of.
const WITHOUT_END: Duration = Duration::from_secs(1_000_000);
/// Areas of each game.
const AREAS: usize = 5;
/// Stands where there is no value.
const NONE: &str = "-";

/// The areas of the repository by key.
fn areas() -> BTreeMap<String, Box<dyn Area>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("areas");
    let inputs = batch::find(&[folder], None);
    inputs.tasks.into_iter().map(|Task { key, area }| (key, area)).collect()
}

/// Compares a file with what holds now, line by line, or writes it. `now` makes the values of a line
/// from its first words, of which there are `given`.
fn compare(name: &str, given: usize, now: impl Fn(&dyn Area, &[&str]) -> Vec<String>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name);
    let text = std::fs::read_to_string(&path).expect(name);
    let areas = areas();
    let mut lines: Vec<Vec<String>> = Vec::new();
    let mut games: BTreeMap<GameId, BTreeSet<String>> = BTreeMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split_whitespace().collect();
        assert!(words.len() >= given, "{name}: too few words: {line:?}");
        let key = format!("{}/{}", words[0], words[1]);
        let area = areas.get(&key).unwrap_or_else(|| panic!("{name}: no area {key}"));
        games.entry(area.game()).or_default().insert(key);
        let words: Vec<&str> = words.into_iter().take(given).collect();
        let values = now(&**area, &words);
        lines.push(words.into_iter().map(str::to_string).chain(values).collect());
    }
    for &game in GameId::ALL {
        assert_eq!(games.get(&game).map(BTreeSet::len), Some(AREAS), "{name}: areas of {game}");
    }
    let head: Vec<&str> = text.lines().filter(|line| line.starts_with('#')).collect();
    let written = format!("{}\n{}", head.join("\n"), aligned(&lines));
    if std::env::var_os(BLESS).is_some() {
        std::fs::write(&path, written).expect(name);
    } else {
        assert_same(&path, &text, &written);
    }
}

/// Columns below each other: words to the left, numbers to the right.
fn aligned(lines: &[Vec<String>]) -> String {
    let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
    let cells = |column: usize| lines.iter().filter_map(move |line| line.get(column));
    let widths: Vec<usize> =
        (0..columns).map(|column| cells(column).map(String::len).max().unwrap_or(0)).collect();
    let is_number = |cell: &String| cell == NONE || cell.parse::<u64>().is_ok();
    let numbers: Vec<bool> = (0..columns).map(|column| cells(column).all(is_number)).collect();
    let mut text = String::new();
    for line in lines {
        let cells = line.iter().zip(&widths).zip(&numbers).map(|((cell, &width), &number)| {
            if number { format!("{cell:>width$}") } else { format!("{cell:width$}") }
        });
        text += cells.collect::<Vec<_>>().join("  ").trim_end();
        text.push('\n');
    }
    text
}

fn assert_same(path: &Path, text: &str, written: &str) {
    let mut differing = String::new();
    for (was, is) in text.lines().zip(written.lines()).filter(|(was, is)| was != is) {
        differing += &format!("was {was}\nis  {is}\n");
    }
    assert!(
        differing.is_empty() && text == written,
        "{} differs:\n{differing}\nWhere this is meant, write it with {BLESS}=1 cargo test --release \
         --test signature, and say why in the commit message.",
        path.display()
    );
}

/// The answer of a planner: `words` are game, area, mode, and expansions.
fn search(area: &dyn Area, words: &[&str]) -> Vec<String> {
    let optimal = match words[2] {
        "plan" => None,
        "proof" => Some(""),
        measure => Some(measure),
    };
    let objective = area.game().game().objective(optimal);
    let objective = objective.unwrap_or_else(|unknown| panic!("{words:?}: {unknown}"));
    let nodes = words[3].parse().unwrap_or_else(|_| panic!("{words:?}: expansions"));
    let budget = Budget { time: WITHOUT_END, nodes: Some(nodes), threads: 1, ..Budget::default() };
    let answer = budget.install(|| area.solve(&objective, None, &budget));
    let settled = settle(area, answer, None, objective.measure);
    assert_eq!(settled.refused, None, "{words:?}");
    let number = |value: Option<u64>| value.map_or(NONE.to_string(), |value| value.to_string());
    let expanded = settled.answer.effort.expanded.to_string();
    let verdict = settled.answer.verdict.name().to_string();
    vec![verdict, number(settled.answer.length), number(settled.answer.bound), expanded]
}

/// Sequences of steps from the start of an area: `words` are game, area and the depth.
fn count(area: &dyn Area, words: &[&str]) -> Vec<String> {
    let depth: usize = words[2].parse().unwrap_or_else(|_| panic!("{words:?}: a depth"));
    let mut session = area.session();
    let mut counts = Counts { sequences: vec![0; depth], ..Counts::default() };
    counts.count(&mut *session, 0);
    let ends = [counts.lost, counts.won];
    ends.iter().chain(&counts.sequences).map(u64::to_string).collect()
}

/// Sequences of steps by their length, and how many of them end a game.
#[derive(Default)]
struct Counts {
    sequences: Vec<u64>,
    won: u64,
    lost: u64,
}

impl Counts {
    fn count(&mut self, session: &mut dyn Session, done: usize) {
        for step in steps(session) {
            if session.act(&step).is_err() {
                continue;
            }
            self.sequences[done] += 1;
            match session.status() {
                Status::Won => self.won += 1,
                Status::Lost(_) => self.lost += 1,
                Status::Playing if done + 1 < self.sequences.len() => {
                    self.count(session, done + 1);
                }
                Status::Playing => {}
            }
            session.undo();
        }
    }
}

/// The steps that a session has keys for, and those that are aimed at a cell of the board; whether
/// they are allowed says the session.
fn steps(session: &dyn Session) -> BTreeSet<String> {
    let (board, _) = session.extent();
    let mut steps: BTreeSet<String> = session.keys().into_iter().map(|key| key.step).collect();
    let aims = session.aim(board.row, board.col).is_some();
    let rows = (board.row..).take(if aims { board.rows as usize } else { 0 });
    let cells = rows.flat_map(|row| (board.col..).take(board.cols as usize).map(move |c| (row, c)));
    steps.extend(cells.filter_map(|(row, col)| session.aim(row, col)));
    steps
}

#[test]
fn the_planners_answer_as_the_signature_says() {
    compare("signature.txt", 4, search);
}

#[test]
fn the_reference_rules_allow_what_perft_says() {
    compare("perft.txt", 3, count);
}

/// Nothing but the expansions limits a search: half the time without end gives the same answer.
#[test]
fn searches_under_a_budget_in_expansions_do_not_depend_on_the_clock() {
    let areas = areas();
    for &game in GameId::ALL {
        let key = areas.keys().find(|key| key.starts_with(game.name())).expect("an area");
        let answer = |time: Duration| {
            let nodes = Some(2000);
            let budget = Budget { time, nodes, threads: 1, ..Budget::default() };
            let answer = areas[key].solve(&Objective::default(), None, &budget);
            (answer.verdict, answer.plan, answer.bound, answer.effort.expanded)
        };
        assert_eq!(answer(WITHOUT_END), answer(WITHOUT_END / 2), "{key}");
    }
}
