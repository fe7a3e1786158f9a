//! A way to PostgreSQL that can be shut: whoever comes through it finds the store away.

use crate::harness::{Store, postgres};
use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// The name that PostgreSQL gives its socket.
const SOCKET: &str = ".s.PGSQL.5432";

/// Sockets on which connections are passed on while it is open.
pub struct Gate {
    folder: tempfile::TempDir,
    target: PathBuf,
    open: Arc<Mutex<Vec<UnixStream>>>,
    /// Whether the listener that is there has been shut.
    is_shut: Arc<AtomicBool>,
}

impl Gate {
    /// A new database, and the way to it; none where there is no PostgreSQL on a socket.
    pub fn to_postgres() -> Option<(Gate, Store)> {
        let Some(store) = postgres() else {
            println!("skipped: OUTWIT_TEST_POSTGRES is not set");
            return None;
        };
        let Some(host) = store.url.split_once("host=/").map(|(_, path)| format!("/{path}")) else {
            println!("skipped: PostgreSQL has no socket in a folder");
            return None;
        };
        let folder = tempfile::tempdir().expect("a folder can be made");
        let url = store.url.replace(&host, &folder.path().display().to_string());
        let target = Path::new(&host).join(SOCKET);
        let mut gate = Gate { folder, target, open: Arc::default(), is_shut: Arc::default() };
        gate.open();
        Some((gate, Store::at(url, store.name)))
    }

    fn socket(&self) -> PathBuf {
        self.folder.path().join(SOCKET)
    }

    /// Lets connections through.
    pub fn open(&mut self) {
        let listener = UnixListener::bind(self.socket()).expect("the socket can be had");
        self.is_shut = Arc::default();
        let is_shut = Arc::clone(&self.is_shut);
        let (target, open) = (self.target.clone(), Arc::clone(&self.open));
        std::thread::spawn(move || {
            for near in listener.incoming().map_while(Result::ok) {
                let mut all = open.lock().expect("nobody panics with it");
                if is_shut.load(Ordering::SeqCst) {
                    return;
                }
                let Ok(far) = UnixStream::connect(&target) else { continue };
                let copy = |stream: &UnixStream| stream.try_clone().expect("it can be copied");
                all.extend([copy(&near), copy(&far)]);
                pass_on(copy(&near), copy(&far));
                pass_on(far, near);
            }
        });
    }

    /// Cuts all connections, and lets none through.
    pub fn shut(&mut self) {
        self.is_shut.store(true, Ordering::SeqCst);
        std::fs::remove_file(self.socket()).expect("the socket was there");
        for stream in self.open.lock().expect("nobody panics with it").drain(..) {
            // The other side may have hung up.
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

/// Passes on what one side says, until either hangs up.
fn pass_on(mut from: UnixStream, mut to: UnixStream) {
    std::thread::spawn(move || {
        let mut said = [0; 1 << 14];
        while let Ok(length @ 1..) = from.read(&mut said) {
            if to.write_all(&said[..length]).is_err() {
                break;
            }
        }
        let _ = to.shutdown(Shutdown::Both);
        let _ = from.shutdown(Shutdown::Both);
    });
}
