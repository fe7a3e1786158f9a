//! What a site sets up: folders, stores that fail, logs.

use crate::harness::{Server, Store, on_each_store, postgres, refused};
use serde_json::Value;
use std::time::{Duration, Instant};

/// Nothing that is waited for takes longer than this.
const PATIENCE: Duration = Duration::from_secs(60);

fn store() -> Store {
    Store::in_folder(tempfile::tempdir().expect("a folder can be made"))
}

/// Waits until something is so.
fn await_true(what: &str, is: impl Fn() -> bool) {
    let started = Instant::now();
    while !is() {
        assert!(started.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn what_is_named_and_not_there_is_refused() {
    let store = store();
    for option in ["--areas", "--solutions", "--page", "--token-file", "--wasm"] {
        let args = ["--store", &store.url, "--listen", "127.0.0.1:0", option, "no/such/thing"];
        let (code, said) = refused(&args);
        assert_eq!(code, Some(2), "{option}: {said}");
        assert!(said.contains("no/such/thing"), "{option}: {said}");
    }
    let text = tempfile::NamedTempFile::new().unwrap();
    let file = text.path().display().to_string();
    let (code, said) =
        refused(&["--store", &store.url, "--listen", "127.0.0.1:0", "--wasm", &file]);
    assert_eq!((code, said.contains("no WebAssembly")), (Some(2), true), "{said}");
    for listen in ["nowhere.invalid:80", "localhost", "127.0.0.1:99999"] {
        let (code, said) = refused(&["--store", &store.url, "--listen", listen]);
        assert_eq!(code, Some(2), "{listen}: {said}");
        assert!(said.contains(listen), "{said}");
    }
}

#[test]
fn a_store_that_cannot_be_had_is_named_with_its_cause() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("areas.txt");
    std::fs::write(&text, "this is no database, only a text of some length\n".repeat(100)).unwrap();
    let text = text.display().to_string();
    let missing = folder.path().join("no/such/folder/outwit.db").display().to_string();
    let away = "postgres://outwit:secret@127.0.0.1:1/outwit";
    for (store, cause) in
        [(away, "refused"), (&text, "not a database"), (&missing, "unable to open")]
    {
        let started = Instant::now();
        let (code, said) = refused(&["--listen", "127.0.0.1:0", "--store", store]);
        println!("{store}: {:?}: {said}", started.elapsed());
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains(cause) && !said.contains("secret"), "{said}");
    }
}

#[test]
fn a_store_that_fails_is_told_with_its_cause_and_when_to_come_again() {
    on_each_store(|store| {
        let server = Server::start(store, &["--workers", "0"]);
        server.get("/v1/games").expect(200);
        store.execute("ALTER TABLE names RENAME TO names_gone");
        let refused = server.get("/v1/games");
        assert!(refused.header("retry-after").is_some(), "{refused:?}");
        let problem = refused.problem(503, "no-store");
        assert!(problem["detail"].as_str().unwrap().contains("names"), "{problem}");
        await_true("the watchman is not told", || server.get("/healthz").status == 503);
        server.get("/healthz").problem(503, "no-store");
        assert_eq!(server.get("/").status, 200, "the page needs no store");
        store.execute("ALTER TABLE names_gone RENAME TO names");
        await_true("it does not recover", || server.get("/healthz").status == 200);
        server.get("/v1/games").expect(200);
    });
}

#[test]
fn a_store_that_says_nothing_holds_no_request_up() {
    let Some(store) = postgres() else {
        eprintln!("skipped: OUTWIT_TEST_POSTGRES is not set");
        return;
    };
    let server = Server::start(&store, &["--workers", "0"]);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    // Whoever asks for areas now waits for as long as this transaction goes on.
    let held = runtime.block_on(async {
        use sqlx::Connection;
        let mut connection = sqlx::PgConnection::connect(&store.url).await.unwrap();
        sqlx::query("BEGIN").execute(&mut connection).await.unwrap();
        let lock = "LOCK TABLE names IN ACCESS EXCLUSIVE MODE";
        sqlx::query(lock).execute(&mut connection).await.unwrap();
        connection
    });
    await_true("the watchman is not told", || server.get("/healthz").status == 503);
    let problem = server.get("/v1/games").problem(503, "no-store");
    assert!(problem["detail"].as_str().unwrap().contains("no answer"), "{problem}");
    runtime.block_on(async {
        use sqlx::Connection;
        held.close().await.unwrap();
    });
    await_true("it does not recover", || server.get("/healthz").status == 200);
    server.get("/v1/games").expect(200);
}

#[test]
fn every_line_of_the_log_is_json_and_every_request_has_one() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("last-of-us")).unwrap();
    std::fs::write(folder.path().join("last-of-us/bad.txt"), "no area\n").unwrap();
    let areas = folder.path().display().to_string();
    let store = store();
    let server = Server::start(&store, &["--workers", "1", "--log-json", "--areas", &areas]);
    assert_eq!(server.get("/v1/games?x=secret").status, 200);
    assert_eq!(server.get("/nowhere").status, 404);
    let requests = || {
        let lines = server.said();
        let lines: Vec<Value> = lines
            .lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line}")))
            .collect();
        lines.iter().filter(|line| line["fields"]["message"] == "request").cloned().collect()
    };
    await_true("requests are not logged", || {
        let requests: Vec<Value> = requests();
        requests.len() == 2
    });
    let requests: Vec<Value> = requests();
    let told = |line: &Value| {
        let fields = &line["fields"];
        assert!(fields["seconds"].is_number() && fields["client"] == "127.0.0.1", "{line}");
        let [method, path] = ["method", "path"].map(|name| fields[name].as_str().unwrap());
        format!("{method} {path} {}", fields["status"])
    };
    let told: Vec<_> = requests.iter().map(told).collect();
    assert_eq!(told, ["GET /v1/games 200", "GET /nowhere 404"]);
    let bad = server.said();
    assert!(bad.lines().any(|line| line.contains("bad.txt")), "what cannot be read is told: {bad}");
    let (code, said) = refused(&["--log-json", "--areas", "no/such/thing"]);
    assert_eq!(code, Some(2));
    assert!(said.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "{said}");
}

#[test]
fn a_new_server_knows_the_plans_and_proofs_of_its_solutions() {
    on_each_store(|store| {
        let server = Server::start(store, &["--workers", "0"]);
        let best = |id: &str| server.get(&format!("/v1/areas/{id}")).expect(200)["best"].clone();
        let index = std::fs::read_to_string(crate::harness::root().join("solutions/INDEX.md"));
        let claims = outwit::batch::index::parse(&index.unwrap());
        let proven = |id: &str| {
            claims.iter().find(|claim| claim.key == id && claim.is_usual()).unwrap().standing
        };
        for id in ["last-of-us/area-0-sample", "sokoban/pull-7x8-2-0", "robots/sample-3"] {
            await_true("the plan is not known", || {
                best(id)["bound"] == proven(id).bound().unwrap()
            });
            assert_eq!(best(id)["length"], proven(id).length().unwrap(), "{id}");
            assert_eq!(best(id)["optimal"], proven(id).is_optimal(), "{id}");
        }
    });
}
