//! The signature: what the planners answer, and what the reference rules allow, on a few areas of
//! each game, to the digit. A refactoring never moves it; a change of search does, and says so in
//! its commit message.
//!
//! `tests/signature.txt` has a line for each answer of a planner: under a budget in expansions, on one
//! thread, and with time without end, so that it does not depend on the machine. `tests/searches.txt`
//! has a line for each search run alone, for each improvement of a plan and each search that is given
//! one, on one thread and on two, which differ in their expansions at most. `tests/perft.txt` has a
//! line for each count of sequences of steps, as chess programs count them ("perft"). The files name
//! what is to be searched and counted in their first columns; the others are written by
//! `OUTWIT_BLESS=1 cargo test --release --test signature`.
//!
//! Levels of `../shared/levels` are named by file and number; where they are missing their lines are
//! left out, and the test says so.

use outwit::batch::{self, Task};
use outwit::diagnostic::Source;
use outwit::games::{Answer, Area, GameId, Objective, Session, Status};
use outwit::search::{Limits, Run};
use outwit::verify::settle;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

/// Raised to write the files as they are now.
const BLESS: &str = "OUTWIT_BLESS";
/// Time that no search comes to the end of.
const WITHOUT_END: Duration = Duration::from_secs(1_000_000);
/// Expansions of the first try for a plan that is to be shortened, and of the last one.
const EASY_PLAN: u64 = 500;
const MOST_FOR_PLAN: u64 = 1 << 18;
/// Areas of each game, at least.
const AREAS: usize = 5;
/// Stands where there is no value.
const NONE: &str = "-";

/// The areas of the repository by key.
fn areas() -> BTreeMap<String, Box<dyn Area>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("areas");
    let inputs = batch::find(&[folder], None);
    inputs.tasks.into_iter().map(|Task { key, area }| (key, area)).collect()
}

/// A Sokoban level beside the repository, by its file and its number in it: `xsokoban_90.xsb:3`. `None`
/// where it is missing.
fn shared_level(name: &str) -> Option<Box<dyn Area>> {
    let (file, number) = name.rsplit_once(':')?;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/levels").join(file);
    let source = Source::read(&path).ok()?;
    let levels = GameId::Sokoban.game().read(&source).unwrap_or_else(|error| panic!("{error}"));
    Some(levels.into_area(number.parse().ok()).unwrap_or_else(|error| panic!("{name}: {error}")))
}

/// Compares a file with what holds now, line by line, or writes it. `now` makes the values of a line
/// from its first words, of which there are `given`; each game has lines of at least `count` areas.
fn compare(
    name: &str,
    (given, count): (usize, usize),
    now: impl Fn(&dyn Area, &[&str]) -> Vec<String>,
) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name);
    let text = std::fs::read_to_string(&path).expect(name);
    let areas = areas();
    let mut lines: Vec<Vec<String>> = Vec::new();
    let mut games: BTreeMap<GameId, BTreeSet<String>> = BTreeMap::new();
    let mut missing = 0;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split_whitespace().collect();
        assert!(words.len() >= given, "{name}: too few words: {line:?}");
        let key = format!("{}/{}", words[0], words[1]);
        let shared = shared_level(words[1]);
        let area = shared.as_ref().or_else(|| areas.get(&key));
        if area.is_none() && words[1].contains(':') {
            missing += 1;
            lines.push(words.into_iter().map(str::to_string).collect());
            continue;
        }
        let area = area.unwrap_or_else(|| panic!("{name}: no area {key}"));
        games.entry(area.game()).or_default().insert(key);
        let words: Vec<&str> = words.into_iter().take(given).collect();
        let values = now(&**area, &words);
        lines.push(words.into_iter().map(str::to_string).chain(values).collect());
    }
    if missing > 0 {
        eprintln!("skipped: {missing} lines of {name}, whose levels are not in ../shared/levels");
    }
    for &game in GameId::ALL {
        let found = games.get(&game).map_or(0, BTreeSet::len);
        assert!(found >= count, "{name}: {found} areas of {game}");
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

/// The objective of a plan alone, of a proof in the game's usual measure, or in one that is named.
fn objective(area: &dyn Area, word: &str) -> Objective {
    let optimal = match word {
        "plan" => None,
        "proof" => Some(""),
        measure => Some(measure),
    };
    let objective = area.game().game().objective(optimal);
    objective.unwrap_or_else(|unknown| panic!("{word}: {unknown}"))
}

/// A run limited to `nodes` expansions, with time without end.
fn counted(nodes: u64, threads: usize) -> Run {
    Run::from(Limits { time: WITHOUT_END, nodes: Some(nodes), threads, ..Limits::default() })
}

/// Verdict, length and bound of an answer whose plan holds, and its expansions.
fn values(area: &dyn Area, answer: Answer, objective: &Objective) -> ([String; 3], String) {
    let settled = settle(area, answer, None, objective.measure);
    assert_eq!(settled.refused, None, "{}", area.name());
    let number = |value: Option<u64>| value.map_or(NONE.to_string(), |value| value.to_string());
    let verdict = settled.answer.verdict.name().to_string();
    let found = [verdict, number(settled.answer.length), number(settled.answer.bound)];
    (found, settled.answer.effort.expanded.to_string())
}

/// The answer of a planner: `words` are game, area, mode, and expansions.
fn answer(area: &dyn Area, words: &[&str]) -> Vec<String> {
    let objective = objective(area, words[2]);
    let budget = counted(words[3].parse().expect("expansions"), 1);
    let answer = budget.limits.install(|| area.solve(&objective, None, &budget));
    let (found, expanded) = values(area, answer, &objective);
    found.into_iter().chain([expanded]).collect()
}

/// A plan that the planner finds with few expansions, which leaves something to shorten.
fn easy_plan(area: &dyn Area) -> Option<String> {
    static KNOWN: Mutex<BTreeMap<String, Option<String>>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().expect("no test has panicked with it");
    known.entry(area.text()).or_insert_with(|| find_easy_plan(area)).clone()
}

fn find_easy_plan(area: &dyn Area) -> Option<String> {
    let tries = (0..).map(|doublings| EASY_PLAN << doublings);
    let mut answers = tries.take_while(|&nodes| nodes <= MOST_FOR_PLAN).map(|nodes| {
        let budget = counted(nodes, 1);
        budget.limits.install(|| area.solve(&Objective::default(), None, &budget)).plan
    });
    answers.find_map(|plan| plan)
}

/// What one search does alone, or the planner with a plan that is known (`improve`, `known`): `words`
/// are game, area, search, mode, and expansions.
fn search(area: &dyn Area, words: &[&str]) -> Vec<String> {
    let objective = objective(area, words[3]);
    let nodes = words[4].parse().expect("expansions");
    let needs_plan = |name: &str| {
        let named = area.game().game().searches().iter().find(|search| search.name == name);
        named.unwrap_or_else(|| panic!("{words:?}: no such search")).needs_plan
    };
    let plan = match words[2] {
        "improve" | "known" => easy_plan(area),
        name if needs_plan(name) => easy_plan(area),
        _ => None,
    };
    let with_threads = |threads: usize| {
        let budget = counted(nodes, threads);
        let known = plan.as_deref();
        let answer = budget.limits.install(|| match (words[2], known) {
            ("improve", Some(plan)) => Some(area.improve(plan, &objective, &budget)),
            ("improve" | "known", _) => Some(area.solve(&objective, known, &budget)),
            (name, _) => area.search(name, &objective, known, &budget),
        });
        answer.map(|answer| values(area, answer, &objective))
    };
    let (Some((one, expanded)), Some((two, by_two))) = (with_threads(1), with_threads(2)) else {
        return ["unfit", NONE, NONE, NONE, NONE].map(String::from).to_vec();
    };
    assert_eq!(one, two, "{words:?}: one thread and two");
    one.into_iter().chain([expanded, by_two]).collect()
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
    compare("signature.txt", (4, AREAS), answer);
}

#[test]
fn each_search_alone_answers_as_the_signature_says() {
    compare("searches.txt", (5, 2 * AREAS), search);
}

#[test]
fn the_reference_rules_allow_what_perft_says() {
    compare("perft.txt", (3, AREAS), count);
}

/// Nothing but the expansions limits a search: half the time without end gives the same answer.
#[test]
fn searches_under_a_budget_in_expansions_do_not_depend_on_the_clock() {
    let areas = areas();
    for &game in GameId::ALL {
        let key = areas.keys().find(|key| key.starts_with(game.name())).expect("an area");
        let answer = |time: Duration| {
            let nodes = Some(2000);
            let budget = Run::from(Limits { time, nodes, threads: 1, ..Limits::default() });
            let answer = areas[key].solve(&Objective::default(), None, &budget);
            (answer.verdict, answer.plan, answer.bound, answer.effort.expanded)
        };
        assert_eq!(answer(WITHOUT_END), answer(WITHOUT_END / 2), "{key}");
    }
}
