//! A store that is away for a while costs a job nothing.
//!
//! The long ones: `cargo test --features service,cluster --test service stores::away -- --ignored --nocapture`

use super::gate::Gate;
use super::own_postgres::OwnPostgres;
use crate::harness::{Server, Store, hard_area, worker};
use serde_json::{Value, json};
use std::time::Duration;

fn pause(seconds: f64) {
    std::thread::sleep(Duration::from_secs_f64(seconds));
}

fn in_folder() -> Store {
    Store::in_folder(tempfile::tempdir().expect("a folder can be made"))
}

/// Begins a job, and waits until it is searched for.
fn begin(server: &Server, seconds: f64, seed: u64) -> String {
    let id = server.submit(hard_area(), seconds, seed)["id"].as_str().unwrap().to_string();
    server.await_job(&id, |job| job["progress"].is_object());
    id
}

/// Waits until the store answers again, and the job is through.
fn await_end(server: &Server, id: &str) -> Value {
    super::rounds::await_health(server, 200);
    server.await_end(id)
}

/// The job was done, and begun once.
fn assert_untouched(job: &Value) {
    let (state, attempts) = (&job["state"], &job["attempts"]);
    assert_eq!((state, attempts), (&json!("done"), &json!(1)), "{job}");
    assert!(job["result"]["verdict"].is_string(), "what was found is delivered: {job}");
}

#[test]
fn a_job_outlives_a_store_that_comes_and_goes() {
    let Some((mut gate, store)) = Gate::to_postgres() else { return };
    let server = Server::start(&store, &[]);
    let id = begin(&server, 5.0, 1);
    for _ in 0..2 {
        gate.shut();
        pause(1.2);
        gate.open();
        pause(0.8);
    }
    assert_untouched(&await_end(&server, &id));
}

#[test]
fn what_is_found_while_the_store_is_away_is_delivered_later() {
    let Some((mut gate, store)) = Gate::to_postgres() else { return };
    let server = Server::start(&store, &["--workers", "0"]);
    let _worker = worker(&store, 2);
    let ids = [1, 2].map(|seed| begin(&server, 1.0, seed));
    gate.shut();
    super::rounds::await_health(&server, 503);
    let wish = json!({ "area": hard_area(), "budget": { "seconds": 1.0, "seed": 9 } });
    server.post("/v1/jobs", &wish).problem(503, "no-store");
    pause(2.0);
    gate.open();
    for id in ids {
        assert_untouched(&await_end(&server, &id));
    }
}

#[test]
fn a_file_that_others_hold_locked_costs_a_job_nothing() {
    let store = in_folder();
    let server = Server::start(&store, &[]);
    let id = begin(&server, 2.0, 1);
    // Longer than anybody waits for its turn, and beyond the end of the search.
    store.locked(Duration::from_secs(7));
    assert_untouched(&await_end(&server, &id));
    assert!(server.said().contains("the search goes on"), "{}", server.said());
}

/// As long as it takes for a worker that says nothing to be missed, twice over.
#[test]
#[ignore = "takes 45 s"]
fn a_file_that_others_hold_locked_for_long_costs_a_job_nothing() {
    let store = in_folder();
    let server = Server::start(&store, &[]);
    let _other = worker(&store, 1);
    let id = begin(&server, 40.0, 1);
    store.locked(Duration::from_secs(30));
    assert_untouched(&await_end(&server, &id));
}

#[test]
#[ignore = "takes a minute"]
fn four_restarts_of_postgres_within_a_job_cost_it_nothing() {
    let Some(postgres) = OwnPostgres::start() else { return };
    let store = postgres.store();
    let server = Server::start(&store, &[]);
    // There is somebody who would take it.
    let _other = worker(&store, 1);
    let id = begin(&server, 50.0, 1);
    for round in 1..=4 {
        postgres.stop();
        pause(5.0);
        postgres.go_on();
        super::rounds::await_health(&server, 200);
        pause(4.0);
        println!("restart {round}: {}", server.job(&id)["state"]);
    }
    assert_untouched(&await_end(&server, &id));
}

#[test]
#[ignore = "takes two minutes"]
fn a_store_that_is_away_for_a_minute_costs_a_job_nothing() {
    let Some(postgres) = OwnPostgres::start() else { return };
    let store = postgres.store();
    let server = Server::start(&store, &["--max-time", "100"]);
    let _other = worker(&store, 1);
    let (ends_meanwhile, goes_on) = (begin(&server, 10.0, 1), begin(&server, 80.0, 2));
    postgres.stop();
    pause(60.0);
    postgres.go_on();
    for id in [ends_meanwhile, goes_on] {
        assert_untouched(&await_end(&server, &id));
    }
}

#[test]
#[ignore = "takes half a minute"]
fn a_worker_that_is_frozen_is_lost_and_comes_too_late() {
    let store = in_folder();
    let server = Server::start(&store, &["--workers", "0"]);
    let frozen = worker(&store, 1);
    let id = begin(&server, 3.0, 1);
    frozen.signal("-STOP");
    let _other = worker(&store, 1);
    let job = server.await_end(&id);
    assert_eq!((&job["state"], &job["attempts"]), (&json!("done"), &json!(2)), "{job}");
    frozen.signal("-CONT");
    pause(2.0);
    assert_eq!(server.job(&id), job, "who has lost a job says nothing of it");
}
