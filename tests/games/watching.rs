//! Plans are watched and drawn: each step of a plan is one that its game's session takes, whatever
//! the plan's text looks like. The terminal's part of this is in `src/terminal/tests.rs`, the
//! service's in `tests/service/play.rs`.

use outwit::batch::{self, Task};
use outwit::diagnostic::Source;
use outwit::games::{Area, GameId, Objective, PlanStep, Status, Window};
use outwit::render::Picture;
use outwit::search::{Limits, Run};
use outwit::verify::verify;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every area of the repository with its plan.
fn areas_and_plans() -> Vec<(Task, Source)> {
    let solutions = root().join("solutions");
    let inputs = batch::find(&[root().join("areas")], None);
    assert!(inputs.errors.is_empty(), "{:?}", inputs.errors);
    let plan = |task: &Task| Source::read(&batch::plan_file(&solutions, &task.key));
    inputs
        .tasks
        .into_iter()
        .map(|task| (plan(&task).expect(&task.key), task))
        .map(|(p, t)| (t, p))
        .collect()
}

fn steps(area: &dyn Area, plan: &Source) -> Vec<String> {
    let steps = area.steps(plan).unwrap_or_else(|error| panic!("{}: {error}", area.name()));
    let text = |step: PlanStep| {
        // A step stands where it says: as a line, or as a key with its run length.
        let (line, place) = (plan.lines().nth(step.line - 1).expect("a line"), &step.place);
        let written = &plan.text[place.clone()];
        let within = plan.place_of(line.text);
        assert!(within.start <= place.start && place.end <= within.end, "{step:?}");
        let key = written.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_same = |a: &str| a.split_whitespace().eq(step.text.split_whitespace());
        assert!(is_same(written) || key.eq_ignore_ascii_case(&step.text), "{written:?}: {step:?}");
        step.text
    };
    steps.map(text).collect()
}

/// Does the steps of a plan; how the game stands then, and how many were done.
fn watch(area: &dyn Area, steps: &[String]) -> (Status, u64) {
    let mut session = area.session();
    for (number, step) in (1..).zip(steps) {
        let done = session.act(step);
        assert_eq!(done, Ok(()), "{}: step {number}, {step:?}", area.name());
    }
    (session.status(), session.steps())
}

#[test]
fn every_plan_is_watched_to_its_end() {
    let all = areas_and_plans();
    let mut games: BTreeMap<GameId, usize> = BTreeMap::new();
    let mut files = BTreeSet::new();
    for (task, plan) in &all {
        let steps = steps(&*task.area, plan);
        let end = watch(&*task.area, &steps);
        assert_eq!(end, (Status::Won, steps.len() as u64), "{}", task.key);
        *games.entry(task.area.game()).or_default() += 1;
        files.insert(batch::plan_file(&root().join("solutions"), &task.key));
    }
    println!("plans watched: {games:?}");
    assert_eq!(games.len(), GameId::ALL.len());
    let there = walkdir::WalkDir::new(root().join("solutions")).into_iter();
    let there: BTreeSet<PathBuf> = there
        .map(|entry| entry.expect("solutions can be read").into_path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "plan"))
        .collect();
    assert_eq!(files, there, "a plan belongs to no area, or is left out");
}

/// The cells that the player goes over, one after another.
fn cells(area: &dyn Area, steps: &[String]) -> Vec<(i64, i64)> {
    let mut session = area.session();
    let mut cells: Vec<_> = session.extent().1.into_iter().collect();
    for step in steps {
        session.act(step).expect("the plan is valid");
        cells.extend(session.extent().1);
    }
    cells.dedup();
    cells
}

/// A board shows nothing but floor and what its legend explains.
#[test]
fn every_letter_of_a_board_is_in_its_legend() {
    for (task, _) in areas_and_plans() {
        let legend = task.area.game().game().legend();
        let session = task.area.session();
        let (board, player) = session.extent();
        let (row, col) = player.expect("a player");
        let near = Window { row: row - 40, col: col - 40, rows: 80, cols: 80 }.cut(board);
        let view = session.view(near);
        for letter in view.rows.iter().flat_map(|row| row.chars()).filter(|c| !" .".contains(*c)) {
            let is_known = legend.signs.iter().any(|sign| sign.letter == letter);
            assert!(is_known, "{}: {letter:?}", task.key);
        }
    }
}

#[test]
fn every_plan_is_drawn() {
    for (task, plan) in areas_and_plans() {
        let steps = steps(&*task.area, &plan);
        let picture = Picture::new(&*task.area, &steps);
        let svg = picture.unwrap_or_else(|why| panic!("{}: {why}", task.key)).svg();
        let route = svg.split("<polyline points=\"").nth(1).and_then(|rest| rest.split('"').next());
        let corners = route.map_or(0, |points| points.split(' ').count());
        assert_eq!(corners, cells(&*task.area, &steps).len(), "{}", task.key);
        assert!(corners > 1, "{}", task.key);
    }
}

/// What a game's session has keys for, a watched plan writes as the keys do: who plays on by hand
/// along a plan keeps what is ahead.
#[test]
fn steps_are_written_as_the_keys_write_them() {
    let keyed = [(GameId::Sokoban, 4), (GameId::Monsters, 5), (GameId::LastOfUs, 9)];
    let mut seen: BTreeMap<GameId, BTreeSet<String>> = BTreeMap::new();
    for (task, plan) in areas_and_plans() {
        let keys: BTreeSet<_> = task.area.session().keys().into_iter().map(|k| k.step).collect();
        let used = steps(&*task.area, &plan).into_iter().filter(|step| keys.contains(step));
        seen.entry(task.area.game()).or_default().extend(used);
    }
    for (game, count) in keyed {
        assert_eq!(seen[&game].len(), count, "{game}: {:?}", seen[&game]);
    }
}

fn read(game: GameId, text: &str) -> Box<dyn Area> {
    game.game().read(&Source::new("area", text)).expect("an area").only().expect("one")
}

/// The ways to write one plan: all are valid and have the same steps.
fn assert_alike(area: &dyn Area, plans: &[&str], expected: &[&str]) {
    for &plan in plans {
        let plan = Source::new("plan", plan);
        assert!(verify(area, &plan).is_ok(), "{:?}", plan.text);
        let steps = steps(area, &plan);
        assert_eq!(steps, expected, "{:?}", plan.text);
        assert_eq!(watch(area, &steps).0, Status::Won, "{:?}", plan.text);
    }
}

#[test]
fn a_sokoban_plan_may_be_written_in_many_ways() {
    let area = read(GameId::Sokoban, "########\n#@$  . #\n#      #\n########\n");
    let plans = ["RRR\n", "rrr", "R\nRR\n", "R R\tR", "3R", "1R2r\r\n", "; three pushes\nR2R\n"];
    assert_alike(&*area, &plans, &["r", "r", "r"]);
    // What follows completion is ignored, be it a walk, a push away or a blocked key.
    assert_alike(&*area, &["RRRlll", "RRRR", "3Rd9d"], &["r", "r", "r"]);
    // A key that is blocked is a step, which the session refuses.
    let blocked = Source::new("plan", "RuRR");
    assert!(verify(&*area, &blocked).is_err());
    assert_eq!(steps(&*area, &blocked), ["r", "u", "r", "r"]);
    let mut session = area.session();
    assert_eq!(session.act("r"), Ok(()));
    assert!(session.act("u").is_err());
    // A level that is complete at its start has no steps.
    let complete = read(GameId::Sokoban, "#####\n#@* #\n#####\n");
    assert_alike(&*complete, &["", "r", "9l"], &[]);
    assert!(area.steps(&Source::new("plan", "RR?")).is_err());
}

#[test]
fn plans_of_the_other_games_may_be_written_in_several_ways() {
    let level = "5 8\n########\n#@....?#\n#...##.#\n.......#\n########\n";
    let area = read(GameId::Monsters, level);
    let keys = "s\ns\na\n";
    assert_alike(&*area, &[keys, "s\r\ns\r\na\r\n", &(level.to_string() + keys)], &["s", "s", "a"]);
    let maze = "1\n4 3 0 3 3 0\n0 0 6 0\n0 6 6 6\n0 1 0 5\n6 1 6 5\n";
    let area = read(GameId::Labyrinth, maze);
    assert_alike(&*area, &["walk north 3\n", "\n  walk   north 3\r\n\n"], &["walk north 3"]);
    let rows = ["E........."].into_iter().chain([".........."; 8]).chain(["X........."]);
    let area = format!("open\n10 10 0\n{}\n", rows.collect::<Vec<_>>().join("\n"));
    let area = read(GameId::LastOfUs, &area);
    let plan = |line: &str| format!("9\n{}", line.repeat(9));
    let steps = ["w 0 -1"; 9];
    assert_alike(&*area, &[&plan("w 0 -1\n"), &plan("  w  0\t-1 \r\n")], &steps);
    let area = read(GameId::Robots, "2 0\n1 1\n1 3\n0 0\n");
    let budget = Run::from(Limits { nodes: Some(10_000), ..Limits::default() });
    let answer = area.solve(&Objective::default(), None, &budget);
    let written = answer.plan.expect("a plan");
    let spaced = written.replace(' ', "  ").replace('\n', "\r\n\n");
    let lines: Vec<_> = written.lines().collect();
    assert_alike(&*area, &[&written, &spaced], &lines);
}
