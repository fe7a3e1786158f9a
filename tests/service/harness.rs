//! Servers, workers and stores that a test has for itself.

use crate::http::{self, Answer};
use crate::program::program;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Nothing that is waited for takes longer than this.
const PATIENCE: Duration = Duration::from_secs(90);

pub const SAMPLE: &str = include_str!("../../areas/last-of-us/area-0-sample.txt");
pub const SAMPLE_PLAN: &str = include_str!("../../solutions/last-of-us/area-0-sample.plan");

/// A store of a test's own.
pub struct Store {
    pub url: String,
    pub name: &'static str,
    _folder: Option<tempfile::TempDir>,
}

impl Store {
    /// A file of SQLite in a folder that goes with it.
    pub fn in_folder(folder: tempfile::TempDir) -> Self {
        let url = folder.path().join("store.db").display().to_string();
        Store { url, name: "sqlite", _folder: Some(folder) }
    }

    /// A store that is there already.
    pub fn at(url: String, name: &'static str) -> Self {
        Store { url, name, _folder: None }
    }

    /// Holds the lock of a file of SQLite for so long: nobody else can write.
    pub fn locked(&self, time: Duration) {
        use sqlx::Connection;
        let runtime = tokio::runtime::Runtime::new().expect("a runtime starts");
        let held = runtime.block_on(async {
            let mut connection = sqlx::SqliteConnection::connect(&self.url).await?;
            // Others may write just now: it waits its turn.
            sqlx::query("BEGIN EXCLUSIVE").execute(&mut connection).await?;
            tokio::time::sleep(time).await;
            sqlx::query("COMMIT").execute(&mut connection).await
        });
        held.expect("the lock can be had");
    }

    /// Does something to the database behind the server's back: one statement or several.
    pub fn execute(&self, sql: &str) {
        use sqlx::{AssertSqlSafe, ConnectOptions, Connection, raw_sql};
        let runtime = tokio::runtime::Runtime::new().expect("a runtime starts");
        let done = runtime.block_on(async {
            if self.name == "sqlite" {
                let file = sqlx::sqlite::SqliteConnectOptions::new().filename(&self.url);
                let mut connection = file.create_if_missing(true).connect().await?;
                raw_sql(AssertSqlSafe(sql)).execute(&mut connection).await.map(|_| ())
            } else {
                let mut connection = sqlx::PgConnection::connect(&self.url).await?;
                raw_sql(AssertSqlSafe(sql)).execute(&mut connection).await.map(|_| ())
            }
        });
        done.expect("the database does it");
    }
}

/// Runs a test on each store that there is.
pub fn on_each_store(test: impl Fn(&Store)) {
    test(&Store::in_folder(tempfile::tempdir().expect("a folder can be made")));
    match postgres() {
        Some(store) => test(&store),
        None => println!("skipped on PostgreSQL: OUTWIT_TEST_POSTGRES is not set"),
    }
}

/// A new database, where there is a PostgreSQL.
pub fn postgres() -> Option<Store> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let url = std::env::var("OUTWIT_TEST_POSTGRES").ok()?;
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = format!("outwit_test_{}_{number}", std::process::id());
    let runtime = tokio::runtime::Runtime::new().expect("a runtime starts");
    runtime.block_on(async {
        use sqlx::Connection;
        let mut admin = sqlx::PgConnection::connect(&url).await.expect("PostgreSQL is there");
        let create = sqlx::AssertSqlSafe(format!("CREATE DATABASE {name}"));
        sqlx::query(create).execute(&mut admin).await.expect("a database can be made");
    });
    // postgres://USER@HOST/DATABASE?OPTIONS
    let (before, options) = url.split_once('?').unwrap_or((&url, ""));
    let (before, _) = before.rsplit_once('/').expect("the URL names a database");
    Some(Store { url: format!("{before}/{name}?{options}"), name: "postgres", _folder: None })
}

/// A process that is killed when the test ends.
pub struct Process(Child);

impl Process {
    pub fn signal(&self, signal: &str) {
        let sent = Command::new("kill").args([signal, &self.0.id().to_string()]).status();
        assert!(sent.expect("kill is there").success());
    }

    #[cfg(feature = "cluster")]
    pub fn id(&self) -> u32 {
        self.0.id()
    }

    /// The most memory that it had, as Linux tells it.
    pub fn most_memory(&self) -> String {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.0.id()));
        let status = status.unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        line.map_or("unknown".into(), |line| line.trim().into())
    }

    pub fn wait(&mut self) -> std::process::ExitStatus {
        let started = Instant::now();
        loop {
            match self.0.try_wait().expect("the process can be waited for") {
                Some(status) => return status,
                None if started.elapsed() > PATIENCE => panic!("the process does not end"),
                None => std::thread::sleep(Duration::from_millis(20)),
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start(args: &[&str]) -> (Process, BufReader<std::process::ChildStderr>) {
    spawn(Command::new(program()), args)
}

/// The program as `nohup` starts it.
#[cfg(unix)]
fn under_nohup() -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' HUP; exec \"$0\" \"$@\""]).arg(program());
    command
}

fn spawn(mut command: Command, args: &[&str]) -> (Process, BufReader<std::process::ChildStderr>) {
    let mut child = command
        .args(args)
        .current_dir(root())
        .env_remove("RUST_LOG")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let stderr = child.stderr.take().expect("stderr is piped");
    (Process(child), BufReader::new(stderr))
}

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Runs `outwit serve` where it is to end by itself, and gives its exit code and what it says.
pub fn refused(args: &[&str]) -> (Option<i32>, String) {
    let (mut process, mut stderr) = start(&[&["serve"], args].concat());
    let mut said = String::new();
    stderr.read_to_string(&mut said).expect("stderr can be read");
    (process.wait().code(), said)
}

/// Reads on what a process says, or it would wait for it.
fn collect(told: String, stderr: BufReader<std::process::ChildStderr>) -> Arc<Mutex<String>> {
    let said = Arc::new(Mutex::new(told));
    let log = Arc::clone(&said);
    std::thread::spawn(move || {
        for line in stderr.lines().map_while(Result::ok) {
            let mut said = log.lock().expect("nobody panics with it");
            said.push_str(&line);
            said.push('\n');
        }
    });
    said
}

/// A running `outwit worker` whose words are of interest.
pub struct Worker {
    pub process: Process,
    said: Arc<Mutex<String>>,
}

impl Worker {
    /// Starts it on a store, which it is told by its environment.
    pub fn start(store: &Store, args: &[&str]) -> Worker {
        let mut command = Command::new(program());
        command.env("OUTWIT_STORE", &store.url);
        let (process, stderr) = spawn(command, &[&["worker"], args].concat());
        Worker { process, said: collect(String::new(), stderr) }
    }

    /// What it has said on stderr so far.
    pub fn said(&self) -> String {
        self.said.lock().expect("nobody panics with it").clone()
    }

    /// The address on which it answers monitors, once it says so.
    pub fn monitor(&self) -> String {
        let started = Instant::now();
        loop {
            let said = self.said();
            if let Some((_, rest)) = said.split_once("monitors on http://") {
                let ends = |letter: char| letter.is_whitespace() || letter == '"';
                return rest.split(ends).next().unwrap_or(rest).to_string();
            }
            assert!(started.elapsed() < PATIENCE, "it does not come: {said}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// A running `outwit serve`.
pub struct Server {
    pub host: String,
    pub process: Process,
    /// What it has said on stderr.
    said: Arc<Mutex<String>>,
}

impl Server {
    /// Starts it on a store, and on a port that is free.
    pub fn start(store: &Store, args: &[&str]) -> Server {
        Server::start_by(Command::new(program()), store, args)
    }

    /// Starts it as `nohup` does.
    #[cfg(unix)]
    pub fn under_nohup(store: &Store, args: &[&str]) -> Server {
        Server::start_by(under_nohup(), store, args)
    }

    fn start_by(command: Command, store: &Store, args: &[&str]) -> Server {
        let mut all = vec!["serve", "--store", &store.url];
        if !args.contains(&"--listen") {
            all.extend(["--listen", "127.0.0.1:0"]);
        }
        all.extend(args);
        // While the page is worked on it need not be in the binary.
        let page = std::env::var("OUTWIT_TEST_PAGE").ok();
        if let Some(folder) = &page {
            all.extend(["--page", folder.as_str()]);
        }
        let (process, mut stderr) = spawn(command, &all);
        let mut told = String::new();
        let host = loop {
            let mut line = String::new();
            let read = stderr.read_line(&mut line).expect("stderr can be read");
            assert!(read > 0, "the server ended: {told}");
            told += &line;
            if let Some((_, host)) = line.trim_end().split_once("listening on http://") {
                // In JSON the line goes on.
                break host.split('"').next().unwrap_or(host).to_string();
            }
        };
        let said = collect(told, stderr);
        Server { host, process, said }
    }

    /// What it has said on stderr so far.
    pub fn said(&self) -> String {
        self.said.lock().expect("nobody panics with it").clone()
    }

    /// Cancels a job with its key.
    pub fn cancel(&self, id: &str, key: &str) -> Answer {
        let key = format!("x-job-key: {key}");
        http::send(&self.host, "DELETE", &format!("/v1/jobs/{id}"), &[&key], b"")
    }

    pub fn get(&self, path: &str) -> Answer {
        http::send(&self.host, "GET", path, &[], b"")
    }

    pub fn delete(&self, path: &str) -> Answer {
        http::send(&self.host, "DELETE", path, &[], b"")
    }

    pub fn post(&self, path: &str, body: &Value) -> Answer {
        let body = serde_json::to_vec(body).expect("JSON can be written");
        http::send(&self.host, "POST", path, &["content-type: application/json"], &body)
    }

    /// Submits a job that searches for so long.
    pub fn submit(&self, area: Value, seconds: f64, seed: u64) -> Value {
        let budget = json!({ "seconds": seconds, "seed": seed });
        let answer = self.post("/v1/jobs", &json!({ "area": area, "budget": budget }));
        assert!(matches!(answer.status, 200 | 202), "{answer:?}");
        answer.json()
    }

    pub fn job(&self, id: &str) -> Value {
        self.get(&format!("/v1/jobs/{id}")).expect(200)
    }

    /// Waits until a job is as it should be.
    pub fn await_job(&self, id: &str, is: impl Fn(&Value) -> bool) -> Value {
        let started = Instant::now();
        loop {
            let job = self.job(id);
            if is(&job) {
                return job;
            }
            assert!(started.elapsed() < PATIENCE, "it does not come: {job}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    pub fn await_end(&self, id: &str) -> Value {
        let is_final = |job: &Value| {
            ["done", "cancelled", "failed"].contains(&job["state"].as_str().unwrap_or(""))
        };
        self.await_job(id, is_final)
    }
}

/// Starts `outwit worker` on a store.
pub fn worker(store: &Store, at_a_time: usize) -> Process {
    worker_by(Command::new(program()), store, at_a_time)
}

/// Starts it as `nohup` does.
#[cfg(unix)]
pub fn worker_under_nohup(store: &Store, at_a_time: usize) -> Process {
    worker_by(under_nohup(), store, at_a_time)
}

fn worker_by(command: Command, store: &Store, at_a_time: usize) -> Process {
    let (process, stderr) =
        spawn(command, &["worker", "--store", &store.url, "--workers", &at_a_time.to_string()]);
    // Only what it dies of is worth a line.
    std::thread::spawn(move || {
        let lines = stderr.lines().map_while(Result::ok);
        lines.filter(|line| line.starts_with("error")).for_each(|line| eprintln!("worker: {line}"));
    });
    process
}

/// An area on which a search goes on for as long as it may.
pub fn hard_area() -> Value {
    json!({ "id": "last-of-us/caves-500x500-1008" })
}

/// The folder of the repository's areas.
pub fn areas() -> PathBuf {
    root().join("areas")
}

/// The areas that a server has, at most 500.
pub fn areas_of(server: &Server) -> Vec<Value> {
    server.get("/v1/areas?limit=500").expect(200)["areas"].as_array().expect("a list").clone()
}
