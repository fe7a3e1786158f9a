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
const CLIENTS: usize = 4;
/// Jobs that are put on the queue.
const JOBS: usize = 500;

#[test]
#[ignore = "a measurement"]
fn verifications_a_second() {
    let folder = tempfile::tempdir().unwrap();
    let store = crate::harness::Store::in_folder(folder);
    let server = Server::start(&store, &["--workers", "0"]);
    let body =
        json!({ "area": { "id": "last-of-us/area-0-sample" }, "plan": SAMPLE_PLAN }).to_string();
    let started = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..CLIENTS {
            scope.spawn(|| verify_again_and_again(&server.host, &body, VERIFICATIONS / CLIENTS));
        }
    });
    let seconds = started.elapsed().as_secs_f64();
    println!(
        "{VERIFICATIONS} verifications in {seconds:.2} s: {:.0} a second",
        VERIFICATIONS as f64 / seconds
    );
}

/// One client on one connection.
fn verify_again_and_again(host: &str, body: &str, times: usize) {
    let mut stream = BufReader::new(TcpStream::connect(host).unwrap());
    stream.get_ref().set_nodelay(true).unwrap();
    let request = format!(
        "POST /v1/verify HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    );
    for _ in 0..times {
        stream.get_mut().write_all(request.as_bytes()).unwrap();
        let (status, headers) = crate::http::read_head(&mut stream);
        assert_eq!(status, 200);
        let length = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
        let length: usize = length.expect("the length is told").1.parse().unwrap();
        let mut answer = vec![0; length];
        stream.read_exact(&mut answer).unwrap();
        assert!(answer.starts_with(b"{\"valid\":true"));
    }
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
