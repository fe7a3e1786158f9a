//! `outwit worker`: a process that solves what is on the queue; and what it shares with `serve`.

use crate::command::signals::at_first_signal;
use crate::command::{Answered, Failure, output};
use outwit::diagnostic::Diagnostic;
use outwit::service::{self, monitor, worker};
use outwit::store::{self, Location, Store};
use std::io::{self, IsTerminal};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tracing_subscriber::EnvFilter;

/// Variable of the environment with the location of the store.
const STORE: &str = "OUTWIT_STORE";
/// Variable of the environment with the name of a file that has this location in it.
const STORE_FILE: &str = "OUTWIT_STORE_FILE";
/// The store where nothing is said.
const DEFAULT_STORE: &str = "outwit.db";

/// Solve what is on the queue of a store
///
/// Any number of workers, on any machines, may share a PostgreSQL store; on one machine they may
/// share a file. A job whose worker dies is handed to another within 30 s. The first Ctrl-C puts
/// running jobs back on the queue; the second ends the program.
#[derive(clap::Args)]
#[command(after_long_help = "\
EXAMPLES
  outwit worker --store postgres://outwit@db/outwit
  outwit worker --store postgres://outwit@db/outwit --workers 8 --log-json
  outwit worker --store-file /etc/outwit/store --listen 0.0.0.0:9090

EXIT CODE
  0 ended by a signal; 2 bad usage, or a store that cannot be had")]
pub struct Args {
    #[command(flatten)]
    store: StoreArgs,

    /// Jobs to work on at a time [default: as many as the machine has cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    workers: Option<u16>,

    /// Address (or name) and port on which monitors are answered: /healthz, /livez, /metrics
    /// [default: none]
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<String>,
}

/// Which store, and how to log.
#[derive(clap::Args)]
pub struct StoreArgs {
    /// The store: a file of SQLite, or a PostgreSQL database as postgres://USER@HOST/NAME
    /// [env: OUTWIT_STORE] [default: outwit.db]
    #[arg(long, value_name = "URL")]
    store: Option<Location>,

    /// File with the store's location, so that a password stands on no command line
    /// [env: OUTWIT_STORE_FILE]
    #[arg(long, value_name = "FILE", conflicts_with = "store")]
    store_file: Option<PathBuf>,

    /// Log as JSON, one object a line. What is logged says RUST_LOG [default: info]
    #[arg(long)]
    pub log_json: bool,
}

impl StoreArgs {
    /// The location of the store: what the command line says comes before the environment.
    fn location(&self) -> Result<Location, Failure> {
        if let Some(location) = &self.store {
            return Ok(location.clone());
        }
        if let Some(file) = &self.store_file {
            return Location::read(file).map_err(Failure::Usage);
        }
        let [url, file] = [STORE, STORE_FILE]
            .map(|name| std::env::var_os(name).filter(|value| !value.is_empty()));
        match (url, file) {
            (None, None) => Ok(Location::File(DEFAULT_STORE.into())),
            (None, Some(file)) => Location::read(Path::new(&file)).map_err(Failure::Usage),
            (Some(url), None) => {
                let location = url.to_str().and_then(|url| url.parse().ok());
                location.ok_or_else(|| Failure::Usage(format!("{STORE}: no location of a store")))
            }
            (Some(_), Some(_)) => {
                Err(Failure::Usage(format!("{STORE} and {STORE_FILE} are both set: one is enough")))
            }
        }
    }

    /// Opens the store for whoever answers requests.
    pub async fn open(&self) -> Result<Arc<dyn Store>, Failure> {
        self.open_with(store::REQUEST_CONNECTIONS).await
    }

    /// Opens the store for workers on `at_a_time` jobs at a time, with connections of their own.
    pub async fn open_for_workers(&self, at_a_time: usize) -> Result<Arc<dyn Store>, Failure> {
        self.open_with(store::worker_connections(at_a_time)).await
    }

    async fn open_with(&self, connections: u32) -> Result<Arc<dyn Store>, Failure> {
        let opened = store::open(&self.location()?, connections).await;
        opened.map_err(Failure::usage)
    }

    /// Says something where logs go, and as they do.
    pub fn say(&self, text: &str) {
        if self.log_json { tracing::info!("{text}") } else { output::say(text) }
    }

    /// Tells what is wrong with an input, likewise.
    pub fn tell_diagnostic(&self, diagnostic: &Diagnostic) {
        if self.log_json {
            let (file, line, column) = (&diagnostic.file, diagnostic.line, diagnostic.column);
            tracing::error!(file, line, column, "{}", diagnostic.message);
        } else {
            output::tell_diagnostic(diagnostic);
        }
    }

    /// Tells of a failure, likewise.
    pub fn tell(&self, ended: Result<Answered, Failure>) -> Result<Answered, Failure> {
        match ended {
            Err(Failure::Usage(message)) if self.log_json => {
                tracing::error!("{message}");
                Err(Failure::Told)
            }
            ended => ended,
        }
    }
}

pub fn run(args: &Args) -> Result<Answered, Failure> {
    start_logging(args.store.log_json);
    args.store.tell(work(args))
}

fn work(args: &Args) -> Result<Answered, Failure> {
    runtime()?.block_on(async {
        let stop = stop_on_signals();
        let workers = args.workers.map_or_else(outwit::search::cores, usize::from);
        let store = args.store.open_for_workers(workers).await?;
        let listener = match &args.listen {
            Some(address) => Some(listener(address).await?),
            None => None,
        };
        if let Some(listener) = &listener {
            args.store.say(&format!("monitors on http://{}", listener.local_addr()?));
        }
        args.store.say(&format!("{workers} at a time"));
        // A store that is asked how it is waits for none of the workers' connections.
        let monitored = Arc::clone(&store);
        let monitor = async {
            match listener {
                Some(listener) => monitor::serve(listener, monitored, stop.clone()).await,
                None => Ok(()),
            }
        };
        let (monitored, ()) = tokio::join!(monitor, worker::run(store, workers, stop.clone()));
        monitored?;
        Ok(Answered::Yes)
    })
}

/// Listens where that is wanted; where a name has several addresses, IPv4 first.
pub async fn listener(listen: &str) -> Result<TcpListener, Failure> {
    let cannot = |error| Failure::Usage(format!("cannot listen on {listen}: {error}"));
    let addresses = tokio::net::lookup_host(listen).await.map_err(cannot)?;
    let mut addresses: Vec<_> = addresses.collect();
    addresses.sort_by_key(SocketAddr::is_ipv6);
    let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
    for address in addresses {
        match service::listen(address) {
            Ok(listener) => return Ok(listener),
            Err(error) => last = error,
        }
    }
    Err(cannot(last))
}

/// The runtime whose threads wait for the network and the store.
pub fn runtime() -> io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()
}

/// Logs to stderr from now on.
pub fn start_logging(as_json: bool) {
    let default = "info,sqlx=warn";
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(default));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr);
    let log = log.with_ansi(io::stderr().is_terminal());
    if !as_json {
        return log.init();
    }
    log.json().init();
    // A panic is a line of the log like any other.
    std::panic::set_hook(Box::new(|panic| tracing::error!("{panic}")));
}

/// Turns true at the first signal to end; the second ends the process at once.
pub fn stop_on_signals() -> watch::Receiver<bool> {
    let (tell, stop) = watch::channel(false);
    // Where there are no signals, jobs are taken over by others when the process ends.
    at_first_signal(move || {
        tell.send_replace(true);
    });
    stop
}
