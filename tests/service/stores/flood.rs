//! Many clients that write at once beside a job that is searched for.

use crate::harness::{SAMPLE, Server, Store, hard_area, worker};
use serde_json::json;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Clients that write.
const CLIENTS: usize = 48;

/// Submits jobs from all clients until the time is over; how many were taken.
fn flood(server: &Server, time: Duration) -> u64 {
    let (is_over, seeds, taken) = (AtomicBool::new(false), AtomicU64::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for _ in 0..CLIENTS {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    let seed = seeds.fetch_add(1, Ordering::Relaxed);
                    let budget = json!({ "seconds": 0.001, "nodes": 1, "seed": seed });
                    let wish = json!({ "area": { "text": SAMPLE }, "budget": budget });
                    let answer = server.post("/v1/jobs", &wish);
                    assert!(matches!(answer.status, 202 | 429 | 503), "{answer:?}");
                    taken.fetch_add(u64::from(answer.status == 202), Ordering::Relaxed);
                }
            });
        }
        std::thread::sleep(time);
        is_over.store(true, Ordering::Relaxed);
    });
    taken.into_inner()
}

fn a_job_in_a_flood(seconds: f64) {
    let store = Store::in_folder(tempfile::tempdir().expect("a folder can be made"));
    let server =
        Server::start(&store, &["--rate", "0", "--max-queue", "1000000", "--workers", "0"]);
    // The job has the first worker, and a second one takes the others' jobs.
    let _first = worker(&store, 1);
    let job = server.submit(hard_area(), seconds, 1);
    let id = job["id"].as_str().expect("an id");
    server.await_job(id, |job| job["progress"].is_object());
    let _second = worker(&store, 2);
    let started = Instant::now();
    let taken = flood(&server, Duration::from_secs_f64(seconds));
    let job = server.await_end(id);
    println!("{taken} jobs submitted in {:.1?}, then {job}", started.elapsed());
    assert_eq!((&job["state"], &job["attempts"]), (&json!("done"), &json!(1)), "{job}");
    assert!(taken > 0);
}

#[test]
fn a_flood_counts_no_attempt() {
    a_job_in_a_flood(4.0);
}

#[test]
#[ignore = "takes a minute"]
fn a_long_flood_counts_no_attempt() {
    a_job_in_a_flood(50.0);
}
