//! An upgrade as an operator does it: servers, workers and the database are restarted, one after another,
//! while clients go on asking.

use crate::harness::{Server, Store, Worker};
use crate::http::{Answer, try_send};
use crate::stores::own_postgres::OwnPostgres;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Number of clients that ask at once.
const CLIENTS: usize = 200;
/// Number of jobs that each of them asks for, one after another.
const JOBS_EACH: usize = 2;
/// Number of servers, and of workers.
const SERVERS: usize = 2;
const WORKERS: usize = 3;
/// Time that a client waits before it tries again, or looks again.
const PAUSE: Duration = Duration::from_millis(100);
/// Nothing that is waited for takes longer.
const PATIENCE: Duration = Duration::from_secs(120);
/// An area whose proof takes longer than its time, and how often it is asked for.
const LONG: (&str, usize) = ("sokoban/pull-14x18-12-1101", 8);
/// Areas whose searches are short under the budget below.
const AREAS: [&str; 4] = [
    "robots/sample-1",
    "sokoban/hand-stacks",
    "last-of-us/area-0-sample",
    "monsters/subtask-d-sentinels",
];

/// A client that asks the servers in turn until one of them answers it.
struct Client<'a> {
    hosts: &'a [String],
    number: usize,
    refused: &'a AtomicUsize,
}

impl Client<'_> {
    fn ask(&self, method: &str, path: &str, body: &[u8]) -> Answer {
        let started = Instant::now();
        for host in self.hosts.iter().cycle().skip(self.number) {
            let json = ["content-type: application/json"];
            match try_send(host, method, path, &json, body) {
                Some(answer) if answer.status < 500 && answer.status != 429 => return answer,
                _ => drop(self.refused.fetch_add(1, Ordering::Relaxed)),
            }
            assert!(started.elapsed() < PATIENCE, "nobody answers {method} {path}");
            std::thread::sleep(PAUSE);
        }
        unreachable!("the hosts go round")
    }

    /// Asks for a job and waits for its end.
    fn job(&self, number: usize) -> Value {
        let seed = self.number * JOBS_EACH + number;
        let wish = if seed.is_multiple_of(LONG.1) {
            let budget = json!({ "seconds": 0.4, "memory_mib": 16, "seed": seed });
            json!({ "area": { "id": LONG.0 }, "budget": budget, "optimal": true })
        } else {
            let budget = json!({ "nodes": 500, "memory_mib": 16, "seed": seed });
            json!({ "area": { "id": AREAS[seed % AREAS.len()] }, "budget": budget })
        };
        let wish = wish.to_string();
        let job = self.ask("POST", "/v1/jobs", wish.as_bytes());
        assert!(matches!(job.status, 200 | 202), "{job:?}");
        let path = format!("/v1/jobs/{}", job.json()["id"].as_str().expect("an id"));
        let started = Instant::now();
        loop {
            let job = self.ask("GET", &path, b"").expect(200);
            if !["queued", "running"].contains(&job["state"].as_str().expect("a state")) {
                return job;
            }
            assert!(started.elapsed() < PATIENCE, "it does not end: {job}");
            std::thread::sleep(PAUSE);
        }
    }
}

fn server(store: &Store, listen: &str) -> Server {
    let nothing = tempfile::tempdir().expect("a folder can be made");
    let solutions = nothing.path().to_str().expect("a name");
    let options = ["--listen", listen, "--workers", "0", "--rate", "0", "--solutions", solutions];
    Server::start(store, &[&options[..], &["--max-connections-each", "1024"]].concat())
}

fn worker(store: &Store) -> Worker {
    Worker::start(store, &["--workers", "1"])
}

/// Ends everything once and starts it again; what the workers have said in all.
fn roll(
    postgres: &OwnPostgres,
    store: &Store,
    mut servers: Vec<Server>,
    mut workers: Vec<Worker>,
) -> String {
    let mut said = String::new();
    for old in &mut servers {
        old.process.signal("-TERM");
        assert!(old.process.wait().success(), "{}", old.said());
        *old = server(store, &old.host.clone());
    }
    postgres.stop();
    postgres.go_on();
    for old in &mut workers {
        old.process.signal("-TERM");
        assert!(old.process.wait().success(), "{}", old.said());
        said += &std::mem::replace(old, worker(store)).said();
    }
    // The rest of the jobs is done by those that are there now.
    READY.wait();
    workers.iter().for_each(|worker| said += &worker.said());
    said
}

/// Met by all clients and by the operator, once all jobs are through.
static READY: std::sync::LazyLock<std::sync::Barrier> =
    std::sync::LazyLock::new(|| std::sync::Barrier::new(CLIENTS + 1));

#[test]
fn a_rolling_restart_loses_no_job_and_does_none_twice() {
    let Some(postgres) = OwnPostgres::start() else { return };
    let store = postgres.store();
    let servers: Vec<_> = (0..SERVERS).map(|_| server(&store, "127.0.0.1:0")).collect();
    let hosts: Vec<_> = servers.iter().map(|server| server.host.clone()).collect();
    let workers = (0..WORKERS).map(|_| worker(&store)).collect();
    let (refused, started) = (AtomicUsize::new(0), Instant::now());
    let (jobs, said) = std::thread::scope(|scope| {
        let (hosts, refused) = (&hosts, &refused);
        let clients: Vec<_> = (0..CLIENTS)
            .map(|number| {
                scope.spawn(move || {
                    let client = Client { hosts, number, refused };
                    let jobs: Vec<_> = (0..JOBS_EACH).map(|number| client.job(number)).collect();
                    READY.wait();
                    jobs
                })
            })
            .collect();
        let said = roll(&postgres, &store, servers, workers);
        let jobs = clients.into_iter().flat_map(|client| client.join().expect("it is answered"));
        (jobs.collect::<Vec<_>>(), said)
    });
    let mut ends = BTreeMap::<&str, usize>::new();
    for line in said.lines().filter(|line| line.contains("job ends")) {
        let (_, rest) = line.split_once("job=\"").expect("it names the job");
        *ends.entry(rest.split('"').next().unwrap_or(rest)).or_default() += 1;
    }
    println!(
        "{} jobs of {CLIENTS} clients in {:.1?}, {} requests repeated, {} jobs given back",
        jobs.len(),
        started.elapsed(),
        refused.into_inner(),
        said.matches("job begins").count() - ends.values().sum::<usize>(),
    );
    assert_eq!(jobs.len(), CLIENTS * JOBS_EACH, "no job is lost");
    for job in &jobs {
        assert_eq!((&job["state"], &job["attempts"]), (&json!("done"), &json!(1)), "{job}");
        let id = job["id"].as_str().expect("an id");
        assert_eq!(ends.get(id), Some(&1), "{id} is done once");
    }
}
