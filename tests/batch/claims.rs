//! Whatever a folder of solutions claims is true, whatever the areas are called and whoever has run
//! over them before: random folders, runs in all measures, shards, two runs at once, files that
//! change between them; every claim is compared with plain search over the reference rules.

use crate::Ear;
use crate::plain_sokoban::{Truths, write_file, write_folder};
use outwit::batch::index::{self, Claim};
use outwit::batch::{BatchError, Inputs, Options, Report, Shard, Watcher, find, plan_file_in, run};
use outwit::diagnostic::Source;
use outwit::games::{Area, Fingerprint, GameId, Objective, Standing};
use outwit::search::{Limits, Run};
use outwit::verify::verify;
use rand::prelude::*;
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Folders that are made.
const FOLDERS: u64 = 40;

/// One folder of areas, one of solutions, and what is true.
pub struct World {
    pub areas: tempfile::TempDir,
    pub out: tempfile::TempDir,
    truths: Truths,
    /// All areas that were ever found, by content.
    known: BTreeMap<Fingerprint, Box<dyn Area>>,
}

impl World {
    pub fn new(rng: &mut impl Rng) -> World {
        let (areas, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let mut truths = Truths::default();
        write_folder(areas.path(), rng, &mut truths);
        World { areas, out, truths, known: BTreeMap::new() }
    }

    /// Some of the folder's areas.
    fn paths(&self, rng: &mut impl Rng) -> Vec<PathBuf> {
        let root = self.areas.path();
        let folders = ["d1", "d2"].map(|name| root.join(name));
        if rng.random_bool(0.3) && folders.iter().all(|folder| folder.is_dir()) {
            let mut folders = folders.to_vec();
            folders.shuffle(rng);
            return folders;
        }
        vec![root.to_path_buf()]
    }

    fn find(&mut self, paths: &[PathBuf]) -> Inputs {
        for task in find(paths, Some(GameId::Sokoban)).tasks {
            self.known.insert(Fingerprint::of_area(&*task.area), task.area);
        }
        find(paths, Some(GameId::Sokoban))
    }

    /// Knows all areas of the folder as it is.
    pub fn learn_all(&mut self) {
        self.find(&[self.areas.path().to_path_buf()]);
    }

    /// Between two runs: a file changes, a plan goes or becomes another's, the record is lost.
    fn disturb(&mut self, rng: &mut impl Rng) {
        let plans = || {
            let files = walkdir::WalkDir::new(self.out.path()).sort_by_file_name();
            let files = files.into_iter().map(|entry| entry.unwrap().into_path());
            let is_plan = |file: &PathBuf| file.extension().is_some_and(|e| e == "plan");
            files.filter(|file| file.is_file() && is_plan(file)).collect::<Vec<_>>()
        };
        match rng.random_range(0..6) {
            0 | 1 => write_file(self.areas.path(), rng, &mut self.truths),
            2 => {
                if let Some(plan) = plans().choose(rng) {
                    std::fs::remove_file(plan).unwrap();
                }
            }
            3 => {
                let plans = plans();
                if let (Some(from), Some(to)) = (plans.choose(rng), plans.choose(rng)) {
                    let text = std::fs::read(from).unwrap();
                    std::fs::write(to, text).unwrap();
                }
            }
            4 => drop(std::fs::remove_file(self.out.path().join(".batch.json"))),
            _ => {}
        }
    }

    /// Holds all claims of the folder against the truth.
    fn check(&self, report: &Report) {
        for claim in index::claims(&report.records) {
            self.check_claim(&claim);
        }
        self.check_index(self.out.path());
    }

    /// Holds the index of a folder, where there is one, against the truth.
    pub fn check_index(&self, out: &Path) {
        let text = std::fs::read_to_string(out.join(index::FILE)).unwrap_or_default();
        for line in text.lines() {
            assert!(!line.chars().any(char::is_control), "{line:?}");
        }
        for claim in index::parse(&text) {
            self.check_claim(&claim);
            let area = &self.known[&claim.area.expect("a fingerprint")];
            let file = plan_file_in(out, &claim.key, &claim.measure);
            let plan = verify(&**area, &Source::read(&file).unwrap());
            let plan = plan.unwrap_or_else(|error| panic!("{claim:?}: {error:?}"));
            let measure = measure(&claim.measure);
            // A run that was killed may have put a better one there.
            assert!(Some(plan.length(measure)) <= claim.standing.length(), "{claim:?}");
        }
        for line in text.lines().filter(|line| line.contains("| no plan |")) {
            let area = line.split(" | ").find_map(|cell| cell.parse().ok()).unwrap();
            let truth = self.truths.by_area[&area];
            assert_eq!(truth.pushes, None, "{line}");
        }
    }

    fn check_claim(&self, claim: &Claim) {
        let truth = self.truths.by_area[&claim.area.expect("a fingerprint")];
        let shortest = truth.in_measure(&claim.measure);
        let holds = match (claim.standing, shortest) {
            (Standing::Optimal { length }, Some(shortest)) => length == shortest,
            (Standing::Found { length, bound }, Some(shortest)) => {
                bound <= shortest && shortest <= length
            }
            (Standing::Impossible, shortest) => shortest.is_none(),
            (Standing::Unknown { bound }, shortest) => shortest.is_none_or(|s| bound <= s),
            (_, None) => false,
        };
        assert!(holds, "{claim:?}, but the shortest is {shortest:?}");
    }
}

fn measure(name: &str) -> Option<outwit::games::Measure> {
    GameId::Sokoban.game().measure(name).ok()
}

fn options(out: &Path, rng: &mut impl Rng) -> Options {
    let objectives = [None, Some(""), Some("pushes"), Some("moves"), Some("moves")];
    let optimal = *objectives.choose(rng).unwrap();
    let nodes = *[1, 20, 100_000].choose(rng).unwrap();
    Options {
        out: out.into(),
        jobs: rng.random_range(1..=2),
        budget: Run::from(Limits { threads: 1, nodes: Some(nodes), ..Limits::seconds(30.0) }),
        objective: GameId::Sokoban.game().objective(optimal).unwrap_or(Objective::OPTIMAL),
        again: rng.random_bool(0.3),
        certify: false,
        shard: Shard::WHOLE,
    }
}

fn one_run(inputs: Inputs, options: Options) -> Report {
    let ear: Arc<dyn Watcher> = Arc::new(Ear::default());
    let tasks = options.shard.of(inputs.tasks);
    let report = loop {
        match run(&tasks, &options, &ear) {
            // A process that another test starts has this one's files until it is another program: for
            // that long the lock of a run that has ended is still held.
            Err(BatchError::Busy(_)) => std::thread::sleep(std::time::Duration::from_millis(5)),
            ended => break ended.unwrap(),
        }
    };
    let keys: BTreeSet<String> = report.rows.iter().map(|row| row.key.to_lowercase()).collect();
    assert_eq!(keys.len(), tasks.len(), "each area has a row and a file of its own");
    for row in &report.rows {
        assert!(!row.remarks.iter().any(|remark| remark.contains("claimed")), "{row:?}");
    }
    report
}

#[test]
fn whatever_a_folder_of_solutions_claims_is_true() {
    for seed in 0..FOLDERS {
        println!("seed {seed}");
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut world = World::new(&mut rng);
        for _ in 0..rng.random_range(2..=5) {
            let paths = world.paths(&mut rng);
            let inputs = world.find(&paths);
            assert!(inputs.errors.is_empty(), "{:?}", inputs.errors);
            let options = options(world.out.path(), &mut rng);
            if rng.random_bool(0.7) {
                world.check(&one_run(inputs, options));
            } else {
                // Two shards at once, of areas that may have the same names, in different measures.
                let (others, other) =
                    (world.paths(&mut rng), self::options(&options.out, &mut rng));
                let others = world.find(&others);
                let first = Options { shard: Shard { index: 1, count: 2 }, ..options };
                let second = Options { shard: Shard { index: 2, count: 2 }, ..other };
                let reports = std::thread::scope(|scope| {
                    let second = scope.spawn(move || one_run(others, second));
                    [one_run(inputs, first), second.join().unwrap()]
                });
                reports.iter().for_each(|report| {
                    index::claims(&report.records).iter().for_each(|c| world.check_claim(c));
                });
            }
            world.disturb(&mut rng);
        }
    }
}
