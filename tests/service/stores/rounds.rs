//! Rounds of a store that is lost while jobs are searched for: nothing is lost, nothing is false.
//!
//! `OUTWIT_ROUNDS=50 cargo test --features service,cluster --test service stores::rounds -- --ignored --nocapture`

use super::own_postgres::OwnPostgres;
use crate::harness::{Server, Store, worker};
use outwit::diagnostic::Source;
use outwit::games::GameId;
use outwit::verify::verify;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// How many rounds there are, where `OUTWIT_ROUNDS` says nothing.
const ROUNDS: u64 = 10;
/// Nothing that is waited for takes longer.
const PATIENCE: Duration = Duration::from_secs(90);

/// Areas of several games: searches that end by themselves, and some that go on.
const AREAS: [&str; 6] = [
    "robots/robots-20-20-16-17",
    "monsters/hard-10-all",
    "last-of-us/area-0-sample",
    "sokoban/pull-7x8-2-0",
    "robots/sample-3",
    "monsters/subtask-d-sentinels",
];

/// Waits until the watchman is told so.
pub fn await_health(server: &Server, status: u16) {
    let started = Instant::now();
    while server.get("/healthz").status != status {
        assert!(started.elapsed() < PATIENCE, "/healthz does not become {status}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn rounds() -> u64 {
    let said = std::env::var("OUTWIT_ROUNDS").ok();
    said.map_or(ROUNDS, |said| said.parse().expect("OUTWIT_ROUNDS is a number"))
}

/// What was asked for and accepted: the job's id, and its area.
type Accepted = BTreeMap<String, &'static str>;

/// Asks for a job of each area; those that are refused are to be refused for the store's sake.
fn ask(server: &Server, accepted: &mut Accepted, round: u64, part: u64) -> usize {
    let mut refused = 0;
    for (number, area) in (0..).zip(AREAS) {
        let seconds = [0.3, 1.0, 2.5][((round + number) % 3) as usize];
        let seed = 1000 * round + 10 * number + part;
        let budget = json!({ "seconds": seconds, "memory_mib": 64, "seed": seed });
        let wish = json!({ "area": { "id": area }, "budget": budget });
        let answer = server.post("/v1/jobs", &wish);
        if answer.status == 503 {
            refused += 1;
            continue;
        }
        let job = answer.expect(202);
        accepted.insert(job["id"].as_str().expect("an id").into(), area);
    }
    refused
}

/// One round: jobs before the store is lost, jobs in the middle of it, and their ends.
fn round(server: &Server, round: u64, lose: impl FnOnce(Duration) + Send) -> Counts {
    let mut accepted = Accepted::new();
    let mut counts = Counts { refused: ask(server, &mut accepted, round, 0), ..Counts::default() };
    std::thread::sleep(Duration::from_millis(150 * (round % 7)));
    let away = Duration::from_millis(700 * (round % 9) + 300);
    std::thread::scope(|scope| {
        let lost = scope.spawn(move || lose(away));
        std::thread::sleep(Duration::from_millis(200));
        counts.refused += ask(server, &mut accepted, round, 1);
        lost.join().expect("it is lost and found");
    });
    await_health(server, 200);
    for (id, area) in accepted {
        counts.take(&server.await_end(&id), area);
    }
    counts
}

#[derive(Default, Debug)]
struct Counts {
    jobs: usize,
    refused: usize,
    begun_again: usize,
    failed: usize,
    plans: usize,
    wrong: usize,
}

impl Counts {
    fn take(&mut self, job: &Value, id: &str) {
        self.jobs += 1;
        self.begun_again += usize::from(job["attempts"] != 1);
        self.failed += usize::from(job["state"] != "done");
        if let Some(plan) = job["result"]["plan"].as_str() {
            self.plans += 1;
            self.wrong += usize::from(!holds(id, plan, &job["result"]));
        }
        if job["attempts"] != 1 || job["state"] != "done" {
            println!("{job}");
        }
    }

    fn add(&mut self, other: &Counts) {
        self.jobs += other.jobs;
        self.refused += other.refused;
        self.begun_again += other.begun_again;
        self.failed += other.failed;
        self.plans += other.plans;
        self.wrong += other.wrong;
    }
}

/// Whether a plan is right, and as long as the job says.
fn holds(id: &str, plan: &str, result: &Value) -> bool {
    let (game, _) = id.split_once('/').expect("an id has a game");
    let game: GameId = game.parse().expect("it is a game");
    let file = crate::harness::areas().join(format!("{id}.txt"));
    let file = if file.exists() { file } else { file.with_extension("xsb") };
    let areas = game.game().read(&Source::read(&file).expect("it is there"));
    let area = areas.expect("it can be read").only().expect("it is one area");
    let verified = verify(&*area, &Source::new("plan", plan));
    verified.is_ok_and(|plan| result["length"] == plan.validation().length)
}

fn run(store: &Store, lose: impl Fn(u64, Duration) + Sync) {
    let nothing = tempfile::tempdir().expect("a folder can be made");
    let solutions = nothing.path().to_str().expect("a name");
    let server = Server::start(store, &["--workers", "2", "--solutions", solutions]);
    let _other = worker(store, 2);
    let (started, mut all, rounds) = (Instant::now(), Counts::default(), rounds());
    for number in 1..=rounds {
        let counts = round(&server, number, |away| lose(number, away));
        all.add(&counts);
    }
    println!("{}: {rounds} rounds in {:.0?}: {all:?}", store.name, started.elapsed());
    assert_eq!((all.begun_again, all.failed, all.wrong), (0, 0, 0), "{all:?}");
}

#[test]
#[ignore = "takes minutes"]
fn rounds_of_a_postgres_that_is_stopped() {
    let Some(postgres) = OwnPostgres::start() else { return };
    run(&postgres.store(), |round, away| {
        if round % 2 == 0 {
            postgres.stop()
        } else {
            postgres.stop_at_once()
        }
        std::thread::sleep(away);
        postgres.go_on();
    });
}

#[test]
#[ignore = "takes minutes"]
fn rounds_of_a_file_that_is_locked() {
    let store = Store::in_folder(tempfile::tempdir().expect("a folder can be made"));
    run(&store, |_, away| store.locked(2 * away));
}
