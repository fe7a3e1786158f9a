//! What one command proves in one measure is claimed by no other in another: all pairs of commands and
//! measures, and random folders that are served, each claim held against plain search.

use crate::harness::{Server, Store, areas_of, on_each_store, worker};
use crate::plain_sokoban::{Truth, Truths, write_folder};
use crate::program::program;
use outwit::batch::index;
use outwit::games::Standing;
use rand::prelude::*;
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// 4 pushes and 13 moves at least.
const BOARD: &str = "########\n#   #  #\n# $@ $ #\n#.  # .#\n########\n";
/// Random folders that are served.
const FOLDERS: u64 = 5;
/// Nothing that is waited for takes longer than this.
const PATIENCE: Duration = Duration::from_secs(60);

/// What somebody does with an area.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Deed {
    Batch,
    BatchOnStore,
    Improve,
    Job,
}

const DEEDS: [Deed; 4] = [Deed::Batch, Deed::BatchOnStore, Deed::Improve, Deed::Job];
const MEASURES: [&str; 2] = ["pushes", "moves"];

/// One level, its folder of solutions, and a server that has it, too.
struct Desk<'a> {
    store: &'a Store,
    server: &'a Server,
    file: PathBuf,
    out: PathBuf,
    truth: Truth,
}

impl Desk<'_> {
    fn outwit(&self, args: &[&str]) -> String {
        let output = Command::new(program()).args(args).output().expect("outwit starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{args:?}: {said}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn batch(&self, measure: &str, more: &[&str]) {
        let [file, out] = [&self.file, &self.out].map(|path| path.display().to_string());
        let optimal = format!("--optimal={measure}");
        let args = ["batch", &file, "--out", &out, &optimal, "--time", "20"];
        self.outwit(&[&args, more].concat());
    }

    fn does(&self, deed: Deed, measure: &str) {
        match deed {
            Deed::Batch => self.batch(measure, &[]),
            Deed::BatchOnStore => self.batch(measure, &["--store", &self.store.url]),
            Deed::Improve => self.improve(measure),
            Deed::Job => self.job(measure),
        }
    }

    /// The plan that is there becomes a better one by hand; the next run of a batch sees it.
    fn improve(&self, measure: &str) {
        let stem = self.file.file_stem().unwrap().to_str().unwrap();
        let plan = self.out.join(format!("sokoban/{stem}.plan"));
        let file = self.file.display().to_string();
        if !plan.is_file() {
            std::fs::create_dir_all(plan.parent().unwrap()).unwrap();
            std::fs::write(&plan, self.outwit(&["solve", &file, "--nodes", "1000"])).unwrap();
        }
        let path = plan.display().to_string();
        let args = ["improve", &file, &path, "--measure", measure, "--nodes", "2000"];
        std::fs::write(&plan, self.outwit(&args)).unwrap();
        let out = self.out.display().to_string();
        self.outwit(&["batch", &file, "--out", &out, "--nodes", "1"]);
    }

    fn job(&self, measure: &str) {
        let text = std::fs::read_to_string(&self.file).unwrap();
        let budget = json!({ "seconds": 20.0 });
        let area = json!({ "text": text, "game": "sokoban" });
        let wanted = json!({ "area": area, "budget": budget, "optimal": measure });
        let job = self.server.post("/v1/jobs", &wanted).json();
        let ended = self.server.await_end(job["id"].as_str().expect("an id"));
        let result = &ended["result"];
        let shortest = self.truth.in_measure(measure).map(Value::from);
        assert_eq!(result["verdict"], "optimal", "{ended}");
        assert_eq!((result["length"].clone(), result["bound"].clone()), {
            let shortest = shortest.unwrap_or_default();
            (shortest.clone(), shortest)
        });
    }

    /// Holds what the folder claims against the truth.
    fn check(&self, told: &str) {
        for claim in index::read(&self.out) {
            let shortest = self.truth.in_measure(&claim.measure);
            let holds = match claim.standing {
                Standing::Optimal { length } => Some(length) == shortest,
                Standing::Found { length, bound } => {
                    Some(bound) <= shortest && shortest <= Some(length)
                }
                Standing::Impossible | Standing::Unknown { .. } => false,
            };
            assert!(holds, "{told}: {claim:?}, but the shortest is {shortest:?}");
        }
    }
}

/// An id as it stands in a path.
fn encoded(id: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let signs = id.bytes();
    signs.map(|b| if plain(b) { char::from(b).into() } else { format!("%{b:02X}") }).collect()
}

/// Holds what a server tells of an area against the truth.
fn check_area(server: &Server, area: &Value, truths: &mut Truths) {
    let id = area["id"].as_str().expect("an id");
    let text = server.get(&format!("/v1/areas/{}/text", encoded(id))).text();
    let truth = truths.learn(&text);
    let best = &area["best"];
    if best.is_null() {
        return;
    }
    let shortest = truth.pushes.unwrap_or_else(|| panic!("{id} has a plan: {area}"));
    let (length, bound) = (best["length"].as_u64().unwrap(), best["bound"].as_u64().unwrap());
    assert!(bound <= shortest && shortest <= length, "{area}, but the shortest is {shortest}");
    assert_eq!(best["optimal"] == true, length == bound, "{area}");
}

#[test]
fn no_command_takes_another_measure_s_claims_for_its_own() {
    on_each_store(|store| {
        let folder = tempfile::tempdir().unwrap();
        let shelf = folder.path().join("areas");
        std::fs::create_dir(&shelf).unwrap();
        let out = folder.path().join("out");
        let server = Server::start(store, &["--workers", "0"]);
        let _worker = worker(store, 2);
        let mut truths = Truths::default();
        let deeds = DEEDS.iter().flat_map(|deed| MEASURES.map(|measure| (*deed, measure)));
        let deeds: Vec<_> = deeds.collect();
        for (number, (first, then)) in
            deeds.iter().flat_map(|first| deeds.iter().map(move |then| (first, then))).enumerate()
        {
            // Each pair has an area of its own: a title is a part of it.
            let text = format!("{BOARD}Title: pair {number}\n");
            let file = shelf.join(format!("n{number}.xsb"));
            std::fs::write(&file, &text).unwrap();
            let truth = truths.learn(&text);
            let (server, out) = (&server, out.clone());
            let desk = Desk { store, server, file, out, truth };
            for (deed, measure) in [first, then] {
                desk.does(*deed, measure);
                desk.check(&format!("{first:?}, {then:?}"));
            }
        }
        let options = [("--areas", &shelf), ("--solutions", &out)]
            .map(|(o, path)| (o, path.display().to_string()));
        let options: Vec<&str> = options.iter().flat_map(|(o, path)| [*o, path.as_str()]).collect();
        // The first server has put the repository's areas there, too.
        let is_ours = |area: &Value| area["title"].as_str().is_some_and(|t| t.starts_with("pair "));
        serve_and_check(store, &options, &mut truths, is_ours);
    });
}

/// Serves folders, waits until their plans are known, and checks those areas that are ours.
fn serve_and_check(
    store: &Store,
    options: &[&str],
    truths: &mut Truths,
    is_ours: impl Fn(&Value) -> bool,
) {
    let server = Server::start(store, &[&["--workers", "0"], options].concat());
    let started = Instant::now();
    while !server.said().contains("are verified") {
        assert!(started.elapsed() < PATIENCE, "{}", server.said());
        std::thread::sleep(Duration::from_millis(20));
    }
    let areas = areas_of(&server);
    let ours: Vec<&Value> = areas.iter().filter(|area| is_ours(area)).collect();
    assert!(!ours.is_empty());
    ours.into_iter().for_each(|area| check_area(&server, area, truths));
}

#[test]
fn what_a_server_claims_of_random_folders_is_true() {
    for seed in 0..FOLDERS {
        println!("seed {seed}");
        let mut rng = ChaCha8Rng::seed_from_u64(1000 + seed);
        let folder = tempfile::tempdir().unwrap();
        let (shelf, out) = (folder.path().join("areas"), folder.path().join("out"));
        let mut truths = Truths::default();
        write_folder(&shelf, &mut rng, &mut truths);
        let [shelf, out] = [&shelf, &out].map(|path| path.display().to_string());
        for _ in 0..2 {
            let optimal = format!("--optimal={}", MEASURES.choose(&mut rng).unwrap());
            let nodes = ["1", "1000"].choose(&mut rng).unwrap();
            let args = ["batch", &shelf, "--out", &out, "--game", "sokoban", "--nodes", nodes];
            // Which code it is depends on what the levels are.
            let output = Command::new(program()).args(args).arg(optimal).output().unwrap();
            assert!(output.status.code().is_some_and(|code| code != 2), "{output:?}");
        }
        let store = Store::in_folder(tempfile::tempdir().unwrap());
        serve_and_check(&store, &["--areas", &shelf, "--solutions", &out], &mut truths, |_| true);
        assert!(Path::new(&out).join(index::FILE).is_file());
    }
}
