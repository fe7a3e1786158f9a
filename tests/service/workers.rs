//! Workers that die, workers that are asked to go, and the jobs they leave.

use crate::harness::{Server, hard_area, on_each_store, worker};
#[cfg(target_os = "linux")]
use crate::harness::{Store, worker_under_nohup};
use serde_json::json;
use std::time::{Duration, Instant};

/// A dead worker's job is with another within this time.
const TAKEN_OVER: Duration = Duration::from_secs(30);

#[test]
fn the_job_of_a_killed_worker_is_done_by_another_once() {
    on_each_store(|store| {
        let server = Server::start(store, &["--workers", "0"]);
        let first = worker(store, 1);
        let job = server.submit(hard_area(), 4.0, 1);
        let id = job["id"].as_str().unwrap();
        server.await_job(id, |job| job["progress"].is_object());
        first.signal("-KILL");
        let killed = Instant::now();
        let _second = worker(store, 1);
        let job = server.await_job(id, |job| job["attempts"] == 2);
        assert!(killed.elapsed() < TAKEN_OVER, "{:?}: {job}", killed.elapsed());
        println!("{}: taken over after {:?}", store.name, killed.elapsed());
        let job = server.await_end(id);
        assert_eq!((&job["state"], &job["attempts"]), (&json!("done"), &json!(2)), "{job}");
        let metrics = server.get("/metrics").text();
        assert!(metrics.contains("outwit_jobs{state=\"done\"} 1"), "{metrics}");
    });
}

#[test]
fn the_job_of_a_killed_server_is_taken_up_by_the_next() {
    on_each_store(|store| {
        let first = Server::start(store, &[]);
        let job = first.submit(hard_area(), 4.0, 1);
        let id = job["id"].as_str().unwrap();
        first.await_job(id, |job| job["progress"].is_object());
        first.process.signal("-KILL");
        let killed = Instant::now();
        let next = Server::start(store, &[]);
        let job = next.await_job(id, |job| job["attempts"] == 2);
        assert!(killed.elapsed() < TAKEN_OVER, "{:?}: {job}", killed.elapsed());
        println!("{}: taken up after {:?}", store.name, killed.elapsed());
        assert_eq!(next.await_end(id)["state"], "done");
    });
}

#[test]
fn a_worker_that_is_asked_to_end_puts_its_job_back() {
    on_each_store(|store| {
        let server = Server::start(store, &["--workers", "0"]);
        let mut first = worker(store, 1);
        let job = server.submit(hard_area(), 6.0, 1);
        let id = job["id"].as_str().unwrap();
        server.await_job(id, |job| job["progress"].is_object());
        first.signal("-TERM");
        assert!(first.wait().success());
        let job = server.job(id);
        assert_eq!((&job["state"], &job["attempts"]), (&json!("queued"), &json!(0)), "{job}");
        let _second = worker(store, 1);
        let started = Instant::now();
        server.await_job(id, |job| job["state"] == "running");
        assert!(started.elapsed() < Duration::from_secs(10), "it is taken at once");
        assert_eq!(server.await_end(id)["state"], "done");
    });
}

#[test]
fn a_server_that_is_asked_to_end_ends_and_its_jobs_wait() {
    on_each_store(|store| {
        let mut server = Server::start(store, &[]);
        let job = server.submit(hard_area(), 60.0, 1);
        let id = job["id"].as_str().unwrap();
        server.await_job(id, |job| job["state"] == "running");
        server.process.signal("-TERM");
        assert!(server.process.wait().success());
        let server = Server::start(store, &["--workers", "0"]);
        assert_eq!(server.job(id)["state"], "queued", "nothing is forgotten over a restart");
    });
}

#[cfg(target_os = "linux")]
#[test]
fn under_nohup_a_terminal_that_is_hung_up_ends_nobody() {
    let store = Store::in_folder(tempfile::tempdir().unwrap());
    let server = Server::under_nohup(&store, &["--workers", "0"]);
    let worker = worker_under_nohup(&store, 1);
    let id = server.submit(hard_area(), 3.0, 1)["id"].as_str().unwrap().to_string();
    server.await_job(&id, |job| job["progress"].is_object());
    server.process.signal("-HUP");
    worker.signal("-HUP");
    let job = server.await_end(&id);
    assert_eq!((&job["state"], &job["attempts"]), (&json!("done"), &json!(1)), "{job}");
    assert!(
        job["result"]["effort"]["seconds"].as_f64().unwrap() > 2.5,
        "it was not stopped: {job}"
    );
    if crate::hang_ups::are_ignored() {
        println!("skipped: the tests themselves run under nohup, so that nothing can be hung up");
        return;
    }
    // Who has not asked for that is ended, as by any other signal to end.
    let mut server = Server::start(&store, &["--workers", "0"]);
    server.process.signal("-HUP");
    assert!(server.process.wait().success());
}
