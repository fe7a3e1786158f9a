//! How much the service takes: measured, not part of the usual run.
//!
//! `cargo test --release --features service --test service -- --ignored --nocapture --test-threads 1`

use crate::harness::{SAMPLE_PLAN, Server, areas, postgres, worker};
use serde_json::json;
use std::collections::BTreeSet;
use std::io::{BufReader, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Verifications that are sent in all.
const VERIFICATIONS: usize = 2000;
/// Clients that send them at once.
const CLIENTS: usize = 32;
/// Connections that say nothing, and as many that never read.
const IDLERS: usize = 1200;
/// Clients that fetch a large area at once.
const FETCHERS: usize = 64;
/// A text of 250 kB.
const LARGE: &str = "/v1/areas/last-of-us/caves-500x500-1008/text";
/// For how long the server is watched under a load.
const WATCHED: Duration = Duration::from_secs(15);
/// How often it is asked how it is.
const LOOK: Duration = Duration::from_millis(20);
/// Jobs that are put on the queue.
const JOBS: usize = 500;

#[test]
#[ignore = "a measurement"]
fn verifications_a_second() {
    let folder = tempfile::tempdir().unwrap();
    let store = crate::harness::Store::in_folder(folder);
    // The clients come from one address, and far more often than a site lets one come.
    let server = Server::start(&store, &["--workers", "0", "--rate", "100000"]);
    let body =
        json!({ "area": { "id": "last-of-us/area-0-sample" }, "plan": SAMPLE_PLAN }).to_string();
    for run in 1..=3 {
        let started = Instant::now();
        let mut times: Vec<Duration> = std::thread::scope(|scope| {
            let verify = || verify_again_and_again(&server.host, &body, VERIFICATIONS / CLIENTS);
            let clients: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(verify)).collect();
            clients.into_iter().flat_map(|client| client.join().unwrap()).collect()
        });
        let seconds = started.elapsed().as_secs_f64();
        times.sort();
        println!(
            "run {run}: {} verifications, {CLIENTS} clients: {:.0} a second, p50 {:?}, p99 {:?}",
            times.len(),
            times.len() as f64 / seconds,
            times[times.len() / 2],
            times[times.len() * 99 / 100],
        );
    }
}

/// One client on one connection, and how long each answer took.
fn verify_again_and_again(host: &str, body: &str, times: usize) -> Vec<Duration> {
    let mut stream = BufReader::new(TcpStream::connect(host).unwrap());
    stream.get_ref().set_nodelay(true).unwrap();
    let request = format!(
        "POST /v1/verify HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut once = || {
        let started = Instant::now();
        stream.get_mut().write_all(request.as_bytes()).unwrap();
        let (status, headers) = crate::http::read_head(&mut stream);
        assert_eq!(status, 200);
        let length = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
        let length: usize = length.expect("the length is told").1.parse().unwrap();
        let mut answer = vec![0; length];
        stream.read_exact(&mut answer).unwrap();
        assert!(answer.starts_with(b"{\"valid\":true"));
        started.elapsed()
    };
    (0..times).map(|_| once()).collect()
}

/// Ends a load, whatever becomes of who watches it.
struct Ends<'a>(&'a std::sync::atomic::AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, std::sync::atomic::Ordering::Relaxed);
    }
}

/// Asks again and again how the server is, and tells the longest that an answer took.
fn watch(server: &Server, under: &str) {
    let (started, mut times) = (Instant::now(), Vec::new());
    while started.elapsed() < WATCHED {
        let asked = Instant::now();
        assert_eq!(server.get("/healthz").status, 200);
        times.push(asked.elapsed());
        std::thread::sleep(LOOK);
    }
    times.sort();
    println!(
        "{under}: /healthz {} times, p50 {:?}, p99 {:?}, at most {:?}; most memory {}",
        times.len(),
        times[times.len() / 2],
        times[times.len() * 99 / 100],
        times[times.len() - 1],
        server.process.most_memory()
    );
}

#[test]
#[ignore = "a measurement"]
fn health_among_connections_that_say_nothing_and_never_read() {
    let store = crate::harness::Store::in_folder(tempfile::tempdir().unwrap());
    for each in ["256", "1024"] {
        let args = ["--workers", "0", "--max-connections-each", each];
        let server = Server::start(&store, &args);
        let asked = format!("GET {LARGE} HTTP/1.1\r\nhost: localhost\r\n\r\n").repeat(20);
        let stop = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut idlers = Vec::new();
                for number in 0..2 * IDLERS {
                    let mut stream = TcpStream::connect(&server.host).unwrap();
                    if number % 2 == 0 {
                        let _ = stream.write_all(asked.as_bytes());
                    }
                    idlers.push(stream);
                }
                while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                    std::thread::sleep(LOOK);
                }
            });
            let under = format!("{IDLERS} silent, {IDLERS} that never read, {each} each");
            let _ends = Ends(&stop);
            watch(&server, &under);
        });
    }
}

#[test]
#[ignore = "a measurement"]
fn health_while_many_fetch_a_large_area() {
    let store = crate::harness::Store::in_folder(tempfile::tempdir().unwrap());
    let server = Server::start(&store, &["--workers", "0", "--rate", "0"]);
    let stop = std::sync::atomic::AtomicBool::new(false);
    let fetched = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..FETCHERS {
            scope.spawn(|| {
                while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                    let gzip = ["accept-encoding: gzip"];
                    let answer = crate::http::send(&server.host, "GET", LARGE, &gzip, b"");
                    assert_eq!(answer.status, 200);
                    fetched.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                }
            });
        }
        let _ends = Ends(&stop);
        watch(&server, &format!("{FETCHERS} clients that fetch 250 kB"));
    });
    println!("{} fetched", fetched.into_inner());
}

#[test]
#[ignore = "a measurement"]
fn start_to_first_page() {
    let folder = tempfile::tempdir().unwrap();
    let store = crate::harness::Store::in_folder(folder);
    for what in ["with a new store", "with a store that is there"] {
        let started = Instant::now();
        let server = Server::start(&store, &["--workers", "0"]);
        assert_eq!(server.get("/").status, 200);
        println!("start to first page {what}: {:.2} s", started.elapsed().as_secs_f64());
    }
}

/// 500 jobs of all games, a server that works, two workers, and two kills: none is lost, none is
/// done twice.
#[test]
#[ignore = "a measurement"]
fn a_queue_of_500_jobs_outlives_two_workers() {
    let Some(store) = postgres() else {
        println!("skipped: OUTWIT_TEST_POSTGRES is not set");
        return;
    };
    let server = Server::start(&store, &[]);
    let ids = submit_jobs(&server);
    let started = Instant::now();
    let mut workers = vec![worker(&store, 1), worker(&store, 1)];
    let done = |server: &Server| -> usize {
        let metrics = server.get("/metrics").text();
        let line = metrics.lines().find(|line| line.starts_with("outwit_jobs{state=\"done\"}"));
        line.and_then(|line| line.rsplit(' ').next()).map_or(0, |count| count.parse().unwrap())
    };
    for (kill_at, which) in [(JOBS / 5, 0), (JOBS / 2, 1)] {
        while done(&server) < kill_at {
            std::thread::sleep(Duration::from_millis(100));
        }
        workers[which].signal("-KILL");
        println!("killed a worker after {} jobs", done(&server));
        workers.push(worker(&store, 1));
    }
    while done(&server) < JOBS {
        assert!(started.elapsed() < Duration::from_secs(1800), "{} of {JOBS}", done(&server));
        std::thread::sleep(Duration::from_millis(200));
    }
    let jobs: Vec<_> = ids.iter().map(|id| server.job(id)).collect();
    assert!(jobs.iter().all(|job| job["state"] == "done"), "none is lost");
    let twice = jobs.iter().filter(|job| job["attempts"] != 1).count();
    assert!(twice <= 2, "only what the killed had in hand was begun again");
    println!(
        "{JOBS} jobs, two of three workers killed, in {:.0} s; begun again: {twice}",
        started.elapsed().as_secs_f64()
    );
}

/// Short searches of small areas of all games, with different seeds.
fn submit_jobs(server: &Server) -> BTreeSet<String> {
    let mut small = Vec::new();
    for game in ["last-of-us", "sokoban", "robots", "labyrinth", "monsters"] {
        for entry in std::fs::read_dir(areas().join(game)).unwrap().flatten() {
            if entry.metadata().unwrap().len() < 2000 {
                let name = entry.path().file_stem().unwrap().to_string_lossy().into_owned();
                small.push(format!("{game}/{name}"));
            }
        }
    }
    small.sort();
    let mut ids = BTreeSet::new();
    for number in 0.. {
        if ids.len() == JOBS {
            break;
        }
        let area = json!({ "id": small[number % small.len()] });
        let job = server.submit(area, 0.2, (number / small.len()) as u64);
        ids.insert(job["id"].as_str().unwrap().to_string());
    }
    ids
}
