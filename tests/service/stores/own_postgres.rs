//! A PostgreSQL of a test's own, to be stopped and started again.

use crate::harness::Store;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Runs until it is dropped.
pub struct OwnPostgres {
    programs: PathBuf,
    folder: tempfile::TempDir,
}

/// Where PostgreSQL's programs are, as Debian has them.
fn programs() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").ok()?.flatten();
    let mut found: Vec<_> = versions.map(|version| version.path().join("bin")).collect();
    found.sort();
    found.pop()
}

/// One of PostgreSQL's programs, where they are installed.
pub fn program(name: &str) -> Option<PathBuf> {
    Some(programs()?.join(name)).filter(|program| program.exists())
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output().expect("id is there");
    id.stdout.trim_ascii() == b"0"
}

impl OwnPostgres {
    /// Starts one; none where the programs are missing.
    pub fn start() -> Option<Self> {
        let Some(programs) = programs() else {
            println!("skipped: PostgreSQL is not installed");
            return None;
        };
        // The way of a socket has to be short.
        let folder = tempfile::Builder::new().prefix("pg").tempdir_in("/tmp").expect("a folder");
        let postgres = OwnPostgres { programs, folder };
        if is_root() {
            let chown = Command::new("chown").arg("postgres").arg(postgres.folder.path()).status();
            assert!(chown.expect("chown is there").success());
        }
        let data = postgres.data();
        let data = data.to_str().expect("a name");
        postgres.run("initdb", &["-D", data, "-U", "outwit", "-A", "trust", "-N"]);
        postgres.go_on();
        Some(postgres)
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// One of its programs, which refuse to run as root.
    fn command(&self, program: &str) -> Command {
        let program = self.programs.join(program);
        let mut command = Command::new("runuser");
        command.args(["-u", "postgres", "--"]).arg(&program);
        let mut command = if is_root() { command } else { Command::new(&program) };
        command.current_dir("/tmp").stdin(Stdio::null()).stdout(Stdio::null());
        command
    }

    fn run(&self, program: &str, args: &[&str]) {
        let status = self.command(program).args(args).status();
        assert!(status.expect("it can be run").success(), "{program} {args:?}");
    }

    fn control(&self, args: &[&str]) {
        let data = self.data();
        let data = data.to_str().expect("a name");
        self.run("pg_ctl", &[&["-D", data, "-w"], args].concat());
    }

    /// Ends it as an operator does: connections are cut, what was written stays.
    pub fn stop(&self) {
        self.control(&["-m", "fast", "stop"]);
    }

    /// Ends it as a power cut does.
    pub fn stop_at_once(&self) {
        self.control(&["-m", "immediate", "stop"]);
    }

    /// Starts it again.
    pub fn go_on(&self) {
        let folder = self.folder.path().display();
        let log = format!("{folder}/data/log");
        let options = format!("-c listen_addresses='' -c unix_socket_directories={folder}");
        self.control(&["-l", &log, "-o", &options, "start"]);
    }

    /// Its database.
    pub fn store(&self) -> Store {
        let url =
            format!("postgres://outwit@localhost/postgres?host={}", self.folder.path().display());
        Store::at(url, "postgres")
    }
}

impl Drop for OwnPostgres {
    fn drop(&mut self) {
        let data = self.data();
        let stop = ["-D", data.to_str().unwrap_or_default(), "-m", "immediate", "stop"];
        // It may be stopped already.
        let _ = self.command("pg_ctl").args(stop).stderr(Stdio::null()).status();
    }
}
