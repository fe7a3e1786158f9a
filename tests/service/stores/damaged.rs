//! Files that are deleted, rows that cannot be read.

use super::rounds::await_health;
use crate::harness::{Server, Store, hard_area, on_each_store, worker};
use serde_json::{Value, json};
use std::path::Path;

fn in_folder() -> Store {
    Store::in_folder(tempfile::tempdir().expect("a folder can be made"))
}

fn ask(server: &Server, seed: u64) -> crate::http::Answer {
    let budget = json!({ "seconds": 1.0, "seed": seed });
    server.post("/v1/jobs", &json!({ "area": { "id": "robots/sample-1" }, "budget": budget }))
}

#[test]
fn a_file_that_is_deleted_is_missed_and_nothing_is_accepted() {
    let store = in_folder();
    let server = Server::start(&store, &[]);
    let id = server.submit(hard_area(), 60.0, 1)["id"].as_str().unwrap().to_string();
    server.await_job(&id, |job| job["state"] == "running");
    std::fs::remove_file(&store.url).unwrap();
    // At once, whoever was told of it.
    let problem = ask(&server, 1).problem(503, "no-store");
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("was deleted or replaced"), "{problem}");
    server.get(&format!("/v1/jobs/{id}")).problem(503, "no-store");
    await_health(&server, 503);
    let problem = server.get("/healthz").problem(503, "no-store");
    assert!(problem["detail"].as_str().unwrap().contains("was deleted or replaced"), "{problem}");
    let said = server.said();
    let is_told = |line: &str| line.contains("ERROR") && line.contains("was deleted or replaced");
    assert!(said.lines().any(is_told), "{said}");
    assert!(!Path::new(&store.url).exists(), "nobody makes a new one in its place");
}

#[test]
fn a_file_that_is_replaced_is_missed_and_one_that_is_put_back_is_found() {
    let store = in_folder();
    let server = Server::start(&store, &[]);
    let id = server.submit(hard_area(), 4.0, 1)["id"].as_str().unwrap().to_string();
    server.await_job(&id, |job| job["state"] == "running");
    let aside = format!("{}.aside", store.url);
    std::fs::rename(&store.url, &aside).unwrap();
    std::fs::copy(&aside, &store.url).unwrap();
    await_health(&server, 503);
    ask(&server, 1).problem(503, "no-store");
    std::fs::rename(&aside, &store.url).unwrap();
    await_health(&server, 200);
    ask(&server, 1).expect(202);
    let job = server.await_end(&id);
    assert_eq!((&job["state"], &job["attempts"]), (&json!("done"), &json!(1)), "{job}");
}

/// The number of a line of the metrics.
fn metric(server: &Server, name: &str) -> f64 {
    let answer = server.get("/metrics");
    assert_eq!(answer.status, 200, "{answer:?}");
    let text = answer.text();
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    line.map_or(0.0, |number| number.trim().parse().expect("it is a number"))
}

#[test]
fn rows_that_cannot_be_read_are_passed_over_and_counted() {
    on_each_store(|store| {
        let server = Server::start(store, &["--workers", "0"]);
        let ids: Vec<Value> =
            (0..5).map(|seed| ask(&server, seed).expect(202)["id"].clone()).collect();
        store.execute("UPDATE searches SET budget = 'no JSON' WHERE budget LIKE '%\"seed\":1}%'");
        store.execute("UPDATE searches SET result = '{}' WHERE budget LIKE '%\"seed\":2}%'");
        store.execute("UPDATE searches SET state = 'lost' WHERE budget LIKE '%\"seed\":4}%'");
        let listed = |path: &str| -> Vec<Value> {
            let page = server.get(path).expect(200);
            page["jobs"].as_array().unwrap().iter().map(|job| job["id"].clone()).collect()
        };
        let mut all = listed("/v1/jobs");
        all.sort_by_key(Value::to_string);
        let mut right = vec![ids[0].clone(), ids[3].clone()];
        right.sort_by_key(Value::to_string);
        assert_eq!(all, right);
        // A page is as long as it may be, and says what comes after it.
        let page = server.get("/v1/jobs?limit=1").expect(200);
        let next = format!("/v1/jobs?limit=1&after={}", page["next"].as_str().expect("more"));
        let mut both = listed("/v1/jobs?limit=1");
        both.extend(listed(&next));
        both.sort_by_key(Value::to_string);
        assert_eq!(both, right);
        assert_eq!(metric(&server, "outwit_jobs{state=\"queued\"}"), 4.0);
        assert_eq!(metric(&server, "outwit_jobs{state=\"unreadable\"}"), 1.0);
        assert!(metric(&server, "outwit_unreadable_rows_total{table=\"searches\"}") >= 3.0);
        let of = |id: &Value| format!("/v1/jobs/{}", id.as_str().unwrap());
        server.get(&of(&ids[1])).problem(500, "fault");
        server.get(&of(&ids[3])).expect(200);
        // A worker goes on with the others, and says what is wrong with the one.
        let _worker = worker(store, 1);
        for id in [&ids[0], &ids[3]] {
            assert_eq!(server.await_end(id.as_str().unwrap())["state"], "done");
        }
        while metric(&server, "outwit_jobs{state=\"failed\"}") != 1.0 {
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        let failed = listed("/v1/jobs?state=failed");
        assert_eq!(failed, Vec::<Value>::new(), "its budget cannot be read still");
    });
}

#[test]
fn areas_that_cannot_be_read_are_passed_over() {
    on_each_store(|store| {
        let server = Server::start(store, &["--workers", "0"]);
        let ids = || -> Vec<Value> {
            let page = server.get("/v1/areas?game=robots&limit=500").expect(200);
            page["areas"].as_array().unwrap().iter().map(|area| area["id"].clone()).collect()
        };
        let mut others = ids();
        others.retain(|id| id != "robots/sample-1");
        store.execute(
            "UPDATE areas SET facts = 'no JSON' WHERE fingerprint =
                 (SELECT fingerprint FROM names WHERE id = 'robots/sample-1')",
        );
        assert_eq!(ids(), others);
        server.get("/v1/areas/robots/sample-1").problem(500, "fault");
        server.get(&format!("/v1/areas/{}", others[0].as_str().unwrap())).expect(200);
        server.get("/v1/games").expect(200);
        assert!(metric(&server, "outwit_unreadable_rows_total{table=\"areas\"}") >= 1.0);
    });
}
