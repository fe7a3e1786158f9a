//! What an operator relies on: a backup that is restored has everything, and a store of an older version is
//! opened by this one.

use crate::harness::{Server, Store, areas_of, on_each_store, postgres};
use crate::stores::own_postgres::program;
use serde_json::{Value, json};
use std::process::Command;

/// A store of a released version, for each kind of database.
const RELEASED: [(&str, &str); 2] = [
    ("sqlite", include_str!("released/0.1.0.sqlite.sql")),
    ("postgres", include_str!("released/0.1.0.postgres.sql")),
];

/// Options of a server that adds nothing to its store by itself.
fn alone(folder: &str) -> [&str; 6] {
    ["--workers", "0", "--areas", folder, "--solutions", folder]
}

/// All that clients can read: the areas with their best plans, and the jobs.
fn content(server: &Server) -> Value {
    let areas = areas_of(server).into_iter().map(|area| {
        let id = area["id"].as_str().expect("an id").to_string();
        let [text, plan] = ["text", "plan/text"].map(|what| {
            let answer = server.get(&format!("/v1/areas/{id}/{what}"));
            (answer.status == 200).then(|| answer.text())
        });
        json!({ "area": area, "text": text, "plan": plan })
    });
    let areas: Vec<_> = areas.collect();
    let listed = server.get("/v1/jobs?limit=500").expect(200);
    let jobs = listed["jobs"].as_array().expect("a list").iter().map(|job| {
        let id = job["id"].as_str().expect("an id");
        let certificate = server.get(&format!("/v1/jobs/{id}/certificate"));
        let certificate = (certificate.status == 200).then(|| certificate.text());
        json!({ "job": server.job(id), "certificate": certificate })
    });
    json!({ "areas": areas, "jobs": jobs.collect::<Vec<_>>() })
}

/// A copy of a store, made as `docs/SERVICE.md` says while a server uses it; none where the programs are
/// missing.
fn restored(store: &Store) -> Option<Store> {
    if store.name == "sqlite" {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let file = folder.path().join("store.db");
        // What the program `sqlite3` is asked to do.
        store.execute(&format!("VACUUM INTO '{}'", file.display()));
        return Some(Store::in_folder(folder));
    }
    let [dump, restore] = ["pg_dump", "pg_restore"].map(program);
    let (Some(dump), Some(restore)) = (dump, restore) else {
        println!("skipped: pg_dump is not installed");
        return None;
    };
    let copy = postgres().expect("there is a PostgreSQL");
    let file = tempfile::NamedTempFile::new().expect("a file can be made");
    let file = file.path().to_str().expect("a name");
    let run = |program, args: &[&str]| {
        let status = Command::new(program).args(args).status();
        assert!(status.expect("it can be run").success(), "{args:?}");
    };
    run(dump, &["--format=custom", &format!("--file={file}"), &store.url]);
    run(restore, &["--no-owner", &format!("--dbname={}", copy.url), file]);
    Some(copy)
}

#[test]
fn a_restored_store_serves_all_plans_and_jobs() {
    on_each_store(|store| {
        let nothing = tempfile::tempdir().expect("a folder can be made");
        let nothing = nothing.path().to_str().expect("a name");
        let server = Server::start(store, &["--workers", "1", "--solutions", nothing]);
        let ask = |area: &str, certify: bool| {
            let budget = json!({ "seconds": 20, "nodes": 2000, "memory_mib": 16 });
            let mut wish = json!({ "area": { "id": area }, "budget": budget });
            if certify {
                wish["optimal"] = json!(true);
                wish["certify"] = json!(true);
            }
            let job = server.post("/v1/jobs", &wish).expect(202);
            job["id"].as_str().expect("an id").to_string()
        };
        let jobs = [
            ask("robots/sample-1", true),
            ask("sokoban/hand-stacks", false),
            ask("last-of-us/area-0-sample", false),
        ];
        jobs.iter().for_each(|id| drop(server.await_end(id)));
        let before = content(&server);
        assert!(before["jobs"][2]["certificate"].is_string(), "{}", before["jobs"]);
        let Some(copy) = restored(store) else { return };
        let after = content(&Server::start(&copy, &alone(nothing)));
        for what in ["jobs", "areas"] {
            assert!(before[what] == after[what], "the {what} are not the same");
        }
        let count = before["areas"].as_array().map_or(0, Vec::len);
        assert!(count > 100, "{count} areas");
    });
}

#[test]
fn a_store_of_the_last_release_is_opened() {
    on_each_store(|store| {
        let script = RELEASED.iter().find(|(name, _)| *name == store.name).expect("each has one").1;
        store.execute(script);
        let nothing = tempfile::tempdir().expect("a folder can be made");
        let folder = nothing.path().to_str().expect("a name");
        let server = Server::start(store, &alone(folder));
        let content = content(&server);
        let areas = content["areas"].as_array().expect("a list");
        assert_eq!(areas.len(), 3);
        for area in areas {
            assert!(area["plan"].is_string() && area["text"].is_string(), "{area:?}");
            let wish = json!({ "area": { "id": area["area"]["id"] }, "plan": area["plan"] });
            let held = server.post("/v1/verify", &wish).expect(200);
            assert_eq!(held["valid"], true, "{held}");
        }
        let count = |state: &str| {
            let jobs = content["jobs"].as_array().expect("a list").iter();
            jobs.filter(|job| job["job"]["state"] == state).count()
        };
        assert_eq!((count("done"), count("cancelled"), count("queued")), (4, 1, 2), "{content}");
        let certificates = content["jobs"].as_array().expect("a list").iter();
        let certificate = certificates.filter_map(|job| job["certificate"].as_str()).next();
        let wish = json!({ "area": { "id": "sokoban/corridor" }, "certificate": certificate });
        assert_eq!(server.post("/v1/check", &wish).expect(200)["certified"], true);
        // What waited under the old version is done under the new one.
        let _worker = crate::harness::worker(store, 1);
        for job in content["jobs"].as_array().expect("a list") {
            let id = job["job"]["id"].as_str().expect("an id");
            let ended = server.await_end(id);
            let as_before = job["job"]["state"] == "queued" || ended == job["job"];
            assert!(as_before && ended["state"] != "failed", "{ended}");
        }
    });
}
