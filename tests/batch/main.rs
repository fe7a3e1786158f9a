//! What a batch promises, on areas whose planner does what the test wants.

mod claims;
#[path = "../shared/plain_sokoban.rs"]
mod plain_sokoban;
#[path = "../shared/program.rs"]
mod program;
mod rounds;

use outwit::batch::{Change, Options, Report, Row, Shard, Task, Watcher, plan_file, run};
use outwit::diagnostic::{Diagnostic, Source};
use outwit::games::planning::TextPlanner;
use outwit::games::{
    Answer, Area, Fact, GameId, Objective, PlanError, PlanStep, Refusal, Session, Standing, Steps,
    Validation,
};
use outwit::search::{Limits, Progress, Run, Verdict};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

/// A corridor of `cells` cells: a plan is a line of at least as many steps `x`.
struct Corridor {
    name: String,
    cells: u64,
    planner: Planner,
    /// How often it was searched.
    searches: Arc<AtomicU32>,
}

/// What the corridor's planner answers.
#[derive(Clone, Copy)]
enum Planner {
    Plan { length: u64, bound: u64 },
    Nothing,
    Impossible,
    Panic,
}

impl Area for Corridor {
    fn game(&self) -> GameId {
        GameId::LastOfUs
    }
    fn name(&self) -> &str {
        &self.name
    }
    fn text(&self) -> String {
        format!("{}\n{}\n", self.name, self.cells)
    }
    fn facts(&self) -> Vec<Fact> {
        vec![Fact::new("size", self.cells)]
    }
    fn replay(&self, plan: &Source) -> Result<Validation, PlanError> {
        let steps = plan.text.trim_end();
        if let Some(at) = steps.find(|c| c != 'x') {
            return Err(PlanError::Unreadable(plan.error(1, at + 1, 1, "not a step")));
        }
        let length = steps.len() as u64;
        if length < self.cells {
            return Err(PlanError::Refused(Refusal {
                step: length + 1,
                line: None,
                reason: "the plan ends before the exit".into(),
                board: String::new(),
            }));
        }
        let facts = vec![Fact::new("bricks", 1_u64)];
        Ok(Validation { length, facts, rank: vec![length], remarks: Vec::new() })
    }
    fn planner(&self) -> Box<dyn TextPlanner + '_> {
        Box::new(Walker(self))
    }
    fn session(&self) -> Box<dyn Session> {
        unreachable!("nobody plays a corridor")
    }
    fn steps(&self, plan: &Source) -> Result<Steps, Diagnostic> {
        let steps = plan.text.trim_end().len();
        let step = |at| PlanStep { text: "x".into(), line: 1, place: at..at + 1 };
        Ok(Box::new((0..steps).map(step)))
    }
}

/// The planner of a corridor.
struct Walker<'a>(&'a Corridor);

impl TextPlanner for Walker<'_> {
    fn solve(&self, _objective: &Objective, _known: Option<&str>, _budget: &Run) -> Answer {
        self.0.searches.fetch_add(1, Ordering::Relaxed);
        let (verdict, length, bound) = match self.0.planner {
            Planner::Plan { length, bound } if bound == length => {
                (Verdict::Optimal, Some(length), Some(bound))
            }
            Planner::Plan { length, bound } => (Verdict::Found, Some(length), Some(bound)),
            Planner::Nothing => (Verdict::Unknown, None, Some(0)),
            Planner::Impossible => (Verdict::Impossible, None, None),
            Planner::Panic => panic!("the corridor's planner panics, as the test wants"),
        };
        let plan = length.map(|length| "x".repeat(length as usize) + "\n");
        let answer = Answer::nothing();
        Answer { verdict, plan, length, bound, ..answer }
    }
    fn improve(&self, plan: &str, objective: &Objective, run: &Run) -> Answer {
        self.solve(objective, Some(plan), run)
    }
    fn search(&self, _: &str, _: &Objective, _: Option<&str>, _: &Run) -> Option<Answer> {
        None
    }
}

/// Hears what is told, for the test.
#[derive(Default)]
struct Ear(Mutex<Vec<String>>);

impl Watcher for Ear {
    fn started(&self, _worker: usize, _task: &Task) {}
    fn progress(&self, _worker: usize, _progress: &Progress) {}
    fn finished(&self, _worker: usize, row: &Row) {
        self.0.lock().unwrap().push(row.key.clone());
    }
}

/// A folder of solutions, and corridors to batch into it.
struct Bench {
    folder: tempfile::TempDir,
    again: bool,
    certify: bool,
    seconds: f64,
    searches: Arc<AtomicU32>,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let searches = Arc::default();
        Bench { folder, again: false, certify: false, seconds: 1.0, searches }
    }

    fn task(&self, name: &str, cells: u64, planner: Planner) -> Task {
        let searches = Arc::clone(&self.searches);
        let area = Box::new(Corridor { name: name.into(), cells, planner, searches });
        Task { key: format!("last-of-us/{name}"), area }
    }

    fn run_shard(&self, tasks: &[Task], shard: Shard) -> Report {
        let options = Options {
            out: self.folder.path().into(),
            jobs: 2,
            budget: Run::from(Limits { threads: 1, ..Limits::seconds(self.seconds) }),
            objective: Objective::default(),
            again: self.again,
            certify: self.certify,
            shard,
        };
        let ear: Arc<dyn Watcher> = Arc::new(Ear::default());
        run(tasks, &options, &ear).unwrap()
    }

    fn run(&self, tasks: &[Task]) -> Report {
        self.run_shard(tasks, Shard::WHOLE)
    }

    /// One run over one corridor of 5 cells.
    fn one(&self, planner: Planner) -> Row {
        self.run(&[self.task("a", 5, planner)]).rows.remove(0)
    }

    fn plan(&self, name: &str) -> Option<String> {
        let file = plan_file(self.folder.path(), &format!("last-of-us/{name}"));
        std::fs::read_to_string(file).ok().map(|plan| plan.trim_end().to_string())
    }

    fn put(&self, name: &str, plan: &str) {
        let file = plan_file(self.folder.path(), &format!("last-of-us/{name}"));
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, plan).unwrap();
    }

    fn searches(&self) -> u32 {
        self.searches.swap(0, Ordering::Relaxed)
    }

    fn index(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("INDEX.md")).unwrap()
    }
}

fn found(length: u64) -> Planner {
    Planner::Plan { length, bound: 5.min(length) }
}

#[test]
fn a_better_plan_replaces_and_a_worse_one_does_not() {
    let bench = Bench::new();
    bench.put("a", "xxxxxxxx\n");
    let loose = Planner::Plan { length: 9, bound: 2 };
    assert_eq!(bench.one(loose).change, Change::Searched);
    assert_eq!(bench.plan("a").as_deref(), Some("xxxxxxxx"));
    let bench = Bench { again: true, ..bench };
    assert_eq!(bench.one(found(7)).change, Change::Better(8));
    assert_eq!(bench.plan("a").as_deref(), Some("xxxxxxx"));
}

#[test]
fn a_budget_that_was_given_is_not_given_again() {
    let bench = Bench::new();
    assert_eq!(bench.one(found(7)).change, Change::New);
    assert_eq!(bench.searches(), 1);
    assert_eq!(bench.one(found(6)).change, Change::Kept);
    assert_eq!(bench.searches(), 0, "the same budget was given before");
    let longer = Bench { seconds: 2.0, ..bench };
    assert_eq!(longer.one(found(6)).change, Change::Better(7));
    let again = Bench { seconds: 0.5, again: true, ..longer };
    assert_eq!(again.one(found(5)).change, Change::Better(6));
    assert_eq!(again.searches(), 2);
    let longer = Bench { seconds: 9.0, again: false, ..again };
    let row = longer.one(found(5));
    assert_eq!((row.change, row.standing().is_optimal()), (Change::Kept, true));
    assert_eq!(longer.searches(), 0, "a proven optimum is searched no more");
}

#[test]
fn what_cannot_be_certified_is_said_once_for_each_budget() {
    let bench = Bench { certify: true, ..Bench::new() };
    let tried = |row: &Row| row.remarks.iter().any(|remark| remark.contains("no certificate: "));
    let row = bench.one(found(5));
    assert!(row.standing().is_optimal() && tried(&row), "{:?}", row.remarks);
    assert!(row.record.measures["length"].certified().is_none());
    assert!(!bench.folder.path().join("last-of-us/a.cert").exists());
    assert!(!tried(&bench.one(found(5))), "the same budget was given before");
    let longer = Bench { seconds: 2.0, ..bench };
    assert!(tried(&longer.one(found(5))));
    let without = Bench { certify: false, seconds: 3.0, ..longer };
    assert!(!tried(&without.one(found(5))));
}

#[test]
fn a_changed_area_is_another_area() {
    let bench = Bench::new();
    assert!(bench.one(found(5)).standing().is_optimal());
    let wider = bench.run(&[bench.task("a", 6, Planner::Plan { length: 7, bound: 1 })]);
    assert_eq!(wider.rows[0].standing().bound(), Some(1), "the bound was of the old area");
    assert_eq!(bench.plan("a").as_deref(), Some("xxxxxxx"));
    assert!(!wider.rows[0].remarks.is_empty(), "the old plan does not hold and that is said");
}

#[test]
fn an_invalid_plan_is_replaced_and_said_so() {
    for bad in ["xx\n", "what?\n", "", "\u{0}"] {
        let bench = Bench::new();
        bench.put("a", bad);
        let row = bench.one(found(6));
        assert_eq!(row.change, Change::New);
        assert!(row.remarks[0].contains("did not hold"), "{:?}", row.remarks);
        assert_eq!(bench.plan("a").as_deref(), Some("xxxxxx"));
    }
}

#[test]
fn an_invalid_plan_is_put_aside_where_none_is_found() {
    let bench = Bench::new();
    bench.put("a", "xx\n");
    assert_eq!(bench.one(Planner::Nothing).change, Change::Without);
    assert_eq!(bench.plan("a"), None);
    let aside = bench.folder.path().join("last-of-us/a.plan.invalid");
    assert_eq!(std::fs::read_to_string(aside).unwrap(), "xx\n");
}

#[test]
fn two_shards_at_once_put_one_invalid_plan_aside() {
    let names: Vec<String> = (0..100).map(|i| format!("n{i}")).collect();
    let bench = Bench::new();
    names.iter().for_each(|name| bench.put(name, "xx\n"));
    let shards = [1, 2].map(|index| {
        let tasks: Vec<_> = names.iter().map(|name| bench.task(name, 5, found(5))).collect();
        (Shard { index, count: 2 }, tasks)
    });
    std::thread::scope(|scope| {
        for (shard, tasks) in &shards {
            scope.spawn(|| bench.run_shard(tasks, *shard));
        }
    });
    for name in &names {
        assert_eq!(bench.plan(name).as_deref(), Some("xxxxx"), "{name}");
    }
}

#[test]
fn a_faulty_planner_cannot_put_a_wrong_plan_there() {
    let bench = Bench::new();
    let row = bench.one(Planner::Plan { length: 3, bound: 3 });
    assert_eq!((row.change, row.standing()), (Change::Without, Standing::Unknown { bound: 0 }));
    assert!(row.remarks[0].contains("fault of the planner"), "{:?}", row.remarks);
    assert_eq!(bench.plan("a"), None);
}

#[test]
fn a_panicking_planner_harms_only_its_own_area() {
    let bench = Bench::new();
    let tasks = [bench.task("a", 5, Planner::Panic), bench.task("b", 5, found(5))];
    let report = bench.run(&tasks);
    assert_eq!(report.rows[0].change, Change::Without);
    assert!(report.rows[0].remarks[0].contains("panicked"), "{:?}", report.rows[0].remarks);
    assert_eq!(report.rows[1].change, Change::New);
}

#[test]
fn what_is_impossible_is_remembered() {
    let bench = Bench::new();
    assert!(bench.one(Planner::Impossible).record.is_impossible());
    let longer = Bench { seconds: 60.0, ..bench };
    assert!(longer.one(found(5)).record.is_impossible());
    assert_eq!(longer.searches(), 1);
    assert!(longer.index().contains("1 proven impossible"), "{}", longer.index());
}

#[test]
fn a_claim_above_a_valid_plan_is_dropped_and_said_so() {
    let bench = Bench::new();
    bench.one(Planner::Plan { length: 8, bound: 7 });
    bench.put("a", "xxxxxx\n");
    let row = bench.one(Planner::Plan { length: 6, bound: 2 });
    assert_eq!(row.standing(), Standing::Found { length: 6, bound: 2 });
    assert!(row.remarks[0].contains("claimed"), "{:?}", row.remarks);
}

#[test]
fn the_index_keeps_what_other_runs_have_solved() {
    let bench = Bench::new();
    bench.run(&[bench.task("a", 5, found(5))]);
    bench.run(&[bench.task("b", 5, found(7))]);
    let index = bench.index();
    assert!(
        index.contains("| [a](<last-of-us/a.plan>) | 5 | 5 | 5 | 0.0 % | yes | 1 |"),
        "{index}"
    );
    assert!(index.contains("| [b](<last-of-us/b.plan>) | 5 | 7 | 5 | 40.0 % |  | 1 |"), "{index}");
    assert!(index.contains("2 areas, 2 solved, 1 proven optimal."), "{index}");
    // The record stays on the machine, the index comes with a clone.
    std::fs::remove_file(bench.folder.path().join(".batch.json")).unwrap();
    bench.run(&[bench.task("b", 5, found(7))]);
    assert_eq!(bench.index(), index, "a row is lost with the record");
    std::fs::remove_file(plan_file(bench.folder.path(), "last-of-us/a")).unwrap();
    bench.run(&[bench.task("b", 5, found(7))]);
    assert!(!bench.index().contains("[a]"), "a plan that has gone is in the index");
}

#[test]
fn shards_divide_the_areas_and_share_an_index() {
    let names: Vec<String> = (0..10).map(|i| format!("n{i}")).collect();
    let bench = Bench::new();
    let tasks = || names.iter().map(|name| bench.task(name, 5, found(6))).collect::<Vec<_>>();
    let mut keys = Vec::new();
    for index in 1..=3 {
        let shard = Shard { index, count: 3 };
        let report = bench.run_shard(&shard.of(tasks()), shard);
        keys.extend(report.rows.into_iter().map(|row| row.key));
    }
    let whole: Vec<_> = names.iter().map(|name| format!("last-of-us/{name}")).collect();
    keys.sort();
    assert_eq!(keys, whole);
    assert!(bench.index().contains("10 areas, 10 solved"), "{}", bench.index());
    assert_eq!(bench.searches(), 10);
    let report = bench.run(&tasks());
    assert!(report.rows.iter().all(|row| row.change == Change::Kept));
    assert_eq!(bench.searches(), 0, "the whole run knows what the shards have done");
    let left = files(bench.folder.path(), ".json");
    assert_eq!(left, [".batch.json"], "the whole run has taken the shards' records in");
}

#[test]
fn two_runs_cannot_write_to_one_folder_at_once() {
    let bench = Bench::new();
    bench.one(found(5));
    let lock = std::fs::File::open(bench.folder.path().join(".batch.lock")).unwrap();
    lock.lock().unwrap();
    let options = Options {
        out: bench.folder.path().into(),
        jobs: 1,
        budget: Run::seconds(1.0),
        objective: Objective::default(),
        again: false,
        certify: false,
        shard: Shard::WHOLE,
    };
    let ear: Arc<dyn Watcher> = Arc::new(Ear::default());
    assert!(run(&[], &options, &ear).is_err());
    let other = Shard { index: 1, count: 2 };
    assert!(run(&[], &Options { shard: other, ..options }, &ear).is_ok());
}

#[test]
fn what_a_killed_run_left_is_cleaned_and_a_broken_record_passed_over() {
    let bench = Bench::new();
    bench.one(found(7));
    let folder = bench.folder.path();
    std::fs::write(folder.join("last-of-us/.outwit-batch.Ab12.tmp"), "xx").unwrap();
    std::fs::write(folder.join("last-of-us/.outwit-batch-2-of-3.Ab12.tmp"), "xx").unwrap();
    std::fs::write(folder.join(".batch.json"), "{\"last-of-us/a\": {").unwrap();
    let report = bench.run(&[bench.task("a", 5, found(6))]);
    assert_eq!(report.rows[0].change, Change::Better(7));
    assert!(report.remarks[0].contains("passed over"), "{:?}", report.remarks);
    assert_eq!(files(folder, ".tmp").len(), 1, "what a living shard may be writing stays");
}

#[test]
fn a_cancelled_run_leaves_the_rest_for_the_next() {
    let bench = Bench::new();
    let options = Options {
        out: bench.folder.path().into(),
        jobs: 1,
        budget: Run::seconds(1.0),
        objective: Objective::default(),
        again: false,
        certify: false,
        shard: Shard::WHOLE,
    };
    options.budget.control.cancel.store(true, Ordering::Relaxed);
    let ear: Arc<dyn Watcher> = Arc::new(Ear::default());
    let tasks = [bench.task("a", 5, found(5))];
    let report = run(&tasks, &options, &ear).unwrap();
    assert_eq!(report.rows.len(), 1, "what was asked is counted");
    assert_eq!(report.rows[0].change, Change::NotBegun);
    assert_eq!(bench.run(&tasks).rows[0].change, Change::New);
    let known = run(&tasks, &options, &ear).unwrap();
    assert!(known.rows[0].standing().is_optimal(), "earlier runs have proven it");
    let changed = [bench.task("a", 6, found(6))];
    let report = run(&changed, &options, &ear).unwrap();
    assert_eq!(report.rows[0].standing(), Standing::Unknown { bound: 0 }, "another area's claim");
}

fn files(folder: &Path, ending: &str) -> Vec<String> {
    let entries = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter();
    let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    names.filter(|name| name.ends_with(ending)).collect()
}
