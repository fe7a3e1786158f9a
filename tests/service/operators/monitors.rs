//! What monitors ask: whether a process lives, what it does in numbers, and that dashboards and alerts ask for
//! numbers that are there.

use crate::harness::{Server, Store, Worker, root};
use crate::http;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Files in which our program is called with options.
const FILES: [&str; 5] = [
    "compose.yaml",
    "Containerfile",
    "docs/deploy/kubernetes.yaml",
    "docs/deploy/outwit.service",
    "docs/deploy/outwit-worker@.service",
];
/// Nothing that is waited for takes longer than this.
const PATIENCE: Duration = Duration::from_secs(60);

fn store() -> Store {
    Store::in_folder(tempfile::tempdir().expect("a folder can be made"))
}

fn get(host: &str, path: &str) -> http::Answer {
    http::send(host, "GET", path, &[], b"")
}

/// A job that is done: its id. It was asked for under an id of the client's own.
fn do_a_job(server: &Server, request: &str) -> String {
    let budget = json!({ "seconds": 20, "nodes": 500, "memory_mib": 16 });
    let wish = json!({ "area": { "id": "robots/sample-1" }, "budget": budget }).to_string();
    let headers = ["content-type: application/json", &format!("x-request-id: {request}")];
    let answer = http::send(&server.host, "POST", "/v1/jobs", &headers, wish.as_bytes());
    assert_eq!(answer.header("x-request-id"), Some(request));
    let id = answer.expect(202)["id"].as_str().expect("an id").to_string();
    server.await_end(&id);
    id
}

#[test]
fn a_request_is_found_in_the_logs_of_the_server_and_of_the_worker() {
    let store = store();
    let server = Server::start(&store, &["--workers", "0", "--log-json"]);
    let worker = Worker::start(&store, &["--workers", "1"]);
    let id = do_a_job(&server, "trace-4711");
    let lines = |said: String, what: &str| {
        let lines = said.lines().filter(|line| line.contains(what)).map(String::from);
        lines.collect::<Vec<_>>()
    };
    let asked = lines(server.said(), "trace-4711");
    let line: Value = serde_json::from_str(&asked[0]).expect("a line of JSON");
    assert_eq!(line["span"]["request"], "trace-4711", "{line}");
    assert_eq!(line["fields"]["path"], "/v1/jobs", "{line}");
    let worked = lines(worker.said(), "trace-4711");
    let has = |what: &str| worked.iter().any(|line| line.contains(what) && line.contains(&id));
    assert!(has("job begins") && has("job ends"), "{}", worker.said());
    // Without one, or with one that would tear a line of the log apart, the server makes its own.
    let odd = http::send(&server.host, "GET", "/v1/limits", &["x-request-id: a b\tc"], b"");
    assert_eq!(odd.header("x-request-id").map(str::len), Some(26));
    // Pictures, of which a page has many, are worth no line each.
    get(&server.host, "/v1/areas/robots/sample-1/thumbnail").status.eq(&200).then_some(()).unwrap();
    get(&server.host, "/v1/limits");
    let said = server.said();
    assert!(said.contains("/v1/limits") && !said.contains("thumbnail"), "{said}");
}

#[test]
fn a_worker_says_how_it_is_on_a_port_of_its_own() {
    let store = store();
    let server = Server::start(&store, &["--workers", "0"]);
    let worker = Worker::start(&store, &["--workers", "2", "--listen", "127.0.0.1:0"]);
    let host = worker.monitor();
    for path in ["/healthz", "/livez"] {
        assert_eq!((get(&host, path).status, get(&host, path).text()), (200, "ok\n".into()));
        assert_eq!(get(&server.host, path).status, 200);
    }
    do_a_job(&server, "one");
    let metrics = get(&host, "/metrics").text();
    for line in [
        "outwit_worker_places 2",
        "outwit_jobs_in_hand 0",
        "outwit_store_up 1",
        "outwit_job_seconds_count 1",
        "outwit_job_wait_seconds_count 1",
        "outwit_job_search_seconds_count 1",
        "outwit_jobs_ended_total{verdict=\"failed\"} 0",
        &format!("outwit_build_info{{version=\"{}\"", env!("CARGO_PKG_VERSION")),
    ] {
        assert!(metrics.contains(line), "{line}: {metrics}");
    }
    assert_eq!(get(&host, "/v1/limits").status, 404);
    let metrics = get(&server.host, "/metrics").text();
    for line in
        ["outwit_workers 1", "outwit_queue_oldest_seconds 0", "outwit_jobs{state=\"done\"} 1"]
    {
        assert!(metrics.contains(line), "{line}: {metrics}");
    }
    // The one path says that the store is gone; the other says that the process lives.
    std::fs::remove_file(&store.url).expect("it is there");
    let started = Instant::now();
    for host in [&host, &server.host] {
        while get(host, "/healthz").status != 503 {
            assert!(started.elapsed() < PATIENCE, "the store is gone");
            std::thread::sleep(Duration::from_millis(50));
        }
        assert_eq!(get(host, "/livez").status, 200);
        assert!(get(host, "/metrics").text().contains("outwit_store_up 0"));
    }
    assert!(get(&server.host, "/metrics").text().contains("outwit_workers NaN"));
}

#[test]
fn the_options_of_the_files_for_operators_are_there() {
    let help = |command: &str| {
        let program = crate::program::program();
        let output = Command::new(program).args([command, "--help"]).output();
        String::from_utf8(output.expect("it starts").stdout).expect("it is text")
    };
    let helps = help("serve") + &help("worker");
    let options: BTreeSet<&str> = helps.split([' ', '\n']).collect();
    for file in FILES {
        let text = std::fs::read_to_string(root().join(file)).expect("it is there");
        // Options of our program: those of others stand in comments.
        let lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
        let lines = lines.filter(|line| {
            !["RUN", "COPY", "    &&", "USER"].iter().any(|it| line.starts_with(it))
        });
        let mut found = 0;
        for word in lines.flat_map(|line| line.split([' ', ',', '[', ']', '"'])) {
            if word.starts_with("--") && word != "---" {
                assert!(options.contains(word), "{file}: {word}");
                found += 1;
            }
        }
        assert!(found > 2 && text.contains("outwit"), "{file}: {found} options");
        assert!(!text.contains("postgres://outwit:${"), "{file}: a password on a command line");
    }
}

/// A Prometheus that asks our processes, until it is dropped.
struct Prometheus {
    host: String,
    process: Child,
    _folder: tempfile::TempDir,
}

impl Drop for Prometheus {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Prometheus {
    /// Starts one; none where it is not installed.
    fn start(hosts: &[&str]) -> Option<Self> {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let jobs = json!([{ "job_name": "outwit", "static_configs": [{ "targets": hosts }] }]);
        let global = json!({ "scrape_interval": "500ms", "scrape_timeout": "500ms" });
        // JSON is YAML, too.
        let config = json!({ "global": global, "scrape_configs": jobs }).to_string();
        let file = folder.path().join("prometheus.yml");
        std::fs::write(&file, config).expect("a file can be written");
        let free = TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr());
        let host = free.expect("there is a free port").to_string();
        let started = Command::new("prometheus")
            .arg(format!("--config.file={}", file.display()))
            .arg(format!("--storage.tsdb.path={}", folder.path().join("data").display()))
            .arg(format!("--web.listen-address={host}"))
            .arg("--log.level=error")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn();
        let Ok(process) = started else {
            println!("skipped: prometheus is not installed");
            return None;
        };
        Some(Prometheus { host, process, _folder: folder })
    }

    /// The values that a query has now; none where it does not answer yet.
    fn values(&self, query: &str) -> Option<Vec<Value>> {
        let coded: String = query.bytes().map(|byte| format!("%{byte:02x}")).collect();
        let path = format!("/api/v1/query?query={coded}");
        let answer = http::try_send(&self.host, "GET", &path, &["accept-encoding: identity"], b"")?;
        // While it reads its data it answers with 503, and not in JSON.
        if answer.status == 503 {
            return None;
        }
        let said = answer.json();
        assert_eq!(said["status"], "success", "{query}: {said}");
        said["data"]["result"].as_array().cloned()
    }
}

/// All queries of a dashboard, and the numbers that an alert asks for.
fn queries() -> (Vec<String>, BTreeSet<String>) {
    let read = |file: &str| {
        let file = root().join("docs/deploy").join(file);
        std::fs::read_to_string(file).expect("it is there")
    };
    let dashboard: Value = serde_json::from_str(&read("grafana.json")).expect("it is JSON");
    let panels = dashboard["panels"].as_array().expect("it has panels");
    let targets = panels.iter().flat_map(|panel| panel["targets"].as_array().expect("a list"));
    let queries = targets.map(|target| {
        let query = target["expr"].as_str().expect("it is a query");
        query.replace("$__rate_interval", "10s")
    });
    let alerts = read("alerts.yml");
    let names = alerts.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    let names = names.filter(|word| word.starts_with("outwit_")).map(String::from).collect();
    (queries.collect(), names)
}

#[test]
fn dashboard_and_alerts_ask_for_what_is_there() {
    let store = store();
    let server = Server::start(&store, &["--workers", "0"]);
    let worker = Worker::start(&store, &["--listen", "127.0.0.1:0", "--workers", "1"]);
    let monitor = worker.monitor();
    let Some(prometheus) = Prometheus::start(&[&server.host, &monitor]) else { return };
    let started = Instant::now();
    let await_true = |what: &str, is: &dyn Fn() -> bool| {
        while !is() {
            assert!(started.elapsed() < PATIENCE, "{what}");
            std::thread::sleep(Duration::from_millis(100));
        }
    };
    let is_asked =
        || prometheus.values("count(outwit_build_info) == 2").is_some_and(|it| !it.is_empty());
    await_true("both are asked", &is_asked);
    do_a_job(&server, "one");
    assert_eq!(get(&server.host, "/nowhere").status, 404);
    assert_eq!(get(&server.host, "/v1/areas/no/such").status, 404);
    let (queries, names) = queries();
    assert!(queries.len() > 25 && names.len() > 8, "{queries:?} {names:?}");
    for query in queries.iter().chain(&names) {
        // One number in place of all series: the answer is short.
        let query = &format!("count({query})");
        let has_value = || prometheus.values(query).is_some_and(|values| !values.is_empty());
        await_true(query, &has_value);
    }
    println!(
        "{} queries, {} numbers of alerts in {:.1?}",
        queries.len(),
        names.len(),
        started.elapsed()
    );
    // The rules themselves, and the configuration that names them.
    let folder = root().join("docs/deploy");
    for (what, file) in [("rules", "alerts.yml"), ("config", "prometheus.yml")] {
        check(what, &folder.join(file));
    }
}

/// Has Prometheus's own tool read a file.
fn check(what: &str, file: &Path) {
    let output = Command::new("promtool").args(["check", what]).arg(file).output();
    let output = output.expect("it comes with prometheus");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
