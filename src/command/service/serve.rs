//! `outwit serve`: plans over HTTP, and the game in the browser.

use super::worker::{StoreArgs, listener, runtime, start_logging, stop_on_signals};
use crate::command::{Answered, Failure};
use ipnet::IpNet;
use outwit::service::{
    self, Hosts, Library, Limits, Problem, Proxies, Service, Token, Told, worker,
};
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Folder in which areas are looked for.
const AREAS: &str = "areas";
/// Folder in which their plans are looked for.
const SOLUTIONS: &str = "solutions";
/// Number of handles that are no client's: the store's, the log's, those of reserved places.
const OTHER_HANDLES: usize = 192;

/// Serve plans over HTTP, and the game in the browser
///
/// The page is at /, the API's description at /v1/openapi.json, metrics at /metrics. Areas in the
/// folder areas/ are stored under their names, plans in solutions/ are verified and kept where
/// they are better than the stored ones, with what its index says is proven. Jobs are worked off by
/// this process and by any number of `outwit worker` on the same store. The first Ctrl-C lets
/// requests end and puts running jobs back on the queue; the second ends the program.
#[derive(clap::Args)]
#[command(after_long_help = "\
EXAMPLES
  outwit serve                                        # http://127.0.0.1:8080, outwit.db
  outwit serve --listen 0.0.0.0:80 --token-file /etc/outwit.token
  outwit serve --listen localhost:9000 --trust-forwarded 127.0.0.1 --allow-host plans.example.org
  outwit serve --store postgres://outwit@db/outwit --workers 0 --log-json
  outwit serve --store-file /etc/outwit/store          # a password stands on no command line

  curl -s localhost:8080/v1/jobs -H 'content-type: application/json' \\
       -d '{\"area\": {\"id\": \"last-of-us/area-0-sample\"}, \"budget\": {\"seconds\": 5}}'

EXIT CODE
  0 ended by a signal; 2 bad usage, or a store or an address that cannot be had")]
pub struct Args {
    /// Address (or name) and port to listen on
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    listen: String,

    /// Name under which the service is asked, besides localhost and addresses; several may be
    /// given [default: any, and none other on a loopback address]
    #[arg(long, value_name = "NAME")]
    allow_host: Vec<String>,

    /// Address or network (10.0.0.0/8) of a proxy that tells who the client is; several may be
    /// given
    #[arg(long, value_name = "ADDRESS", value_parser = network)]
    trust_forwarded: Vec<IpNet>,

    /// The header in which these proxies tell it; a client's own headers of that name must not
    /// come through them as they are
    #[arg(long, value_name = "HEADER", value_enum, default_value_t = Header::XForwardedFor)]
    forwarded_header: Header,

    #[command(flatten)]
    store: StoreArgs,

    /// Jobs that this process works on at a time; 0 leaves them to `outwit worker`
    #[arg(long, value_name = "N", default_value_t = 1)]
    workers: u16,

    /// Folders and files of areas to store under their names [default: areas, where it is there]
    #[arg(long, value_name = "DIR")]
    areas: Vec<PathBuf>,

    /// Folder of plans of these areas [default: solutions, where it is there]
    #[arg(long, value_name = "DIR")]
    solutions: Option<PathBuf>,

    /// File with a token that calls which write have to send, as `Authorization: Bearer TOKEN`
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,

    /// Folder with a page of your own: index.html and what it loads, named as in src/service/page
    #[arg(long, value_name = "DIR")]
    page: Option<PathBuf>,

    /// The library in WebAssembly, as scripts/wasm makes it: with it the page plays without asking
    /// for each step [default: outwit.wasm beside the program or in ../share/outwit, where it is
    /// there]
    #[arg(long, value_name = "FILE")]
    wasm: Option<PathBuf>,

    /// Requests a second of one client, on average; 0 for no limit
    #[arg(long, value_name = "N", default_value_t = 2000, help_heading = "Limits")]
    rate: u32,

    /// The most connections at once. Beyond them the one that was quiet for longest is closed, and
    /// /healthz is answered in any case
    #[arg(long, value_name = "N", default_value_t = 1024, help_heading = "Limits",
          value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    max_connections: u32,

    /// The most connections, and requests under way, of one client
    #[arg(long, value_name = "N", default_value_t = 256, help_heading = "Limits",
          value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    max_connections_each: u32,

    /// How long a client may take to send a whole request, to send another one, or to read on in
    /// an answer, in seconds
    #[arg(long, value_name = "S", default_value_t = 15, help_heading = "Limits",
          value_parser = clap::value_parser!(u32).range(1..=3600))]
    patience: u32,

    /// The most jobs that may wait
    #[arg(long, value_name = "N", default_value_t = 10_000, help_heading = "Limits")]
    max_queue: u64,

    /// The longest time of a job, in seconds
    #[arg(long, value_name = "S", default_value_t = 60, help_heading = "Limits",
          value_parser = clap::value_parser!(u32).range(1..=86_400))]
    max_time: u32,

    /// The most memory of a job, in MiB; of each of its processes
    #[arg(long, value_name = "MIB", default_value_t = 1024, help_heading = "Limits",
          value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    max_memory: u64,

    /// The most threads of a job, of each of its processes [default: as many as the machine has]
    #[arg(long, value_name = "N", help_heading = "Limits",
          value_parser = clap::value_parser!(u32).range(1..=1024))]
    max_threads: Option<u32>,

    /// The most processes of a job, which the worker that has it starts on its machine
    #[cfg(feature = "cluster")]
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Limits",
          value_parser = clap::value_parser!(u32).range(1..=outwit::cluster::MAX_PROCESSES as i64))]
    max_processes: u32,
}

/// In which header a proxy tells who its client is.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Header {
    /// The usual one.
    XForwardedFor,
    /// RFC 7239.
    Forwarded,
}

impl From<Header> for Told {
    fn from(header: Header) -> Self {
        match header {
            Header::XForwardedFor => Told::XForwardedFor,
            Header::Forwarded => Told::Forwarded,
        }
    }
}

impl Args {
    fn limits(&self, listen: IpAddr) -> Limits {
        let default = Limits::default();
        Limits {
            job_seconds: self.max_time.into(),
            job_memory_mib: self.max_memory,
            job_threads: self.max_threads.unwrap_or(default.job_threads),
            #[cfg(feature = "cluster")]
            job_processes: self.max_processes,
            #[cfg(not(feature = "cluster"))]
            job_processes: default.job_processes,
            queue: self.max_queue,
            rate: NonZeroU32::new(self.rate),
            connections: handles_for(self.max_connections as usize),
            connections_each: self.max_connections_each as usize,
            patience: Duration::from_secs(self.patience.into()),
            proxies: Proxies::new(self.trust_forwarded.clone(), self.forwarded_header.into()),
            hosts: Hosts::new(&self.allow_host, listen),
        }
    }

    /// Refuses what was named and is not there.
    fn check_paths(&self) -> Result<(), Failure> {
        let missing = |path: &Path, what| {
            Failure::Usage(format!("{}: there is no such {what}", path.display()))
        };
        if let Some(path) = self.areas.iter().find(|path| !path.exists()) {
            return Err(missing(path, "folder or file of areas"));
        }
        match [&self.solutions, &self.page].into_iter().flatten().find(|path| !path.is_dir()) {
            Some(path) => Err(missing(path, "folder")),
            None => Ok(()),
        }
    }

    fn token(&self) -> Result<Option<Token>, Failure> {
        let Some(file) = &self.token_file else { return Ok(None) };
        let text = std::fs::read_to_string(file).map_err(|error| {
            Failure::Usage(format!("{}: cannot be read: {error}", file.display()))
        })?;
        match text.trim() {
            "" => Err(Failure::Usage(format!("{}: there is no token in it", file.display()))),
            token => Ok(Some(Token::new(token))),
        }
    }

    fn library(&self) -> Result<Option<Library>, Failure> {
        let file = self.wasm.clone().or_else(Library::installed);
        file.map(|file| Library::read(&file)).transpose().map_err(Failure::Usage)
    }

    fn area_paths(&self) -> Vec<PathBuf> {
        let default = || PathBuf::from(AREAS).is_dir().then(|| AREAS.into()).into_iter().collect();
        if self.areas.is_empty() { default() } else { self.areas.clone() }
    }
}

/// A network, or a single address.
fn network(word: &str) -> Result<IpNet, String> {
    let address = || word.parse::<IpAddr>().ok().map(IpNet::from);
    word.parse()
        .ok()
        .or_else(address)
        .ok_or_else(|| "an address, or a network as 10.0.0.0/8".into())
}

/// Number of connections for which the process can have handles, at most `connections`.
fn handles_for(connections: usize) -> usize {
    #[cfg(unix)]
    {
        use nix::sys::resource::{Resource, getrlimit, setrlimit};
        let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else { return connections };
        let wanted = (connections + service::limits::MAX_PENDING + OTHER_HANDLES) as u64;
        let soft = match wanted.min(hard) {
            more if more > soft && setrlimit(Resource::RLIMIT_NOFILE, more, hard).is_ok() => more,
            _ => soft,
        };
        let most = usize::try_from(soft).unwrap_or(usize::MAX).saturating_sub(OTHER_HANDLES);
        // Beside the connections that are served up to `MAX_PENDING` wait; where the system allows few, as many
        // as are served.
        let most = most.saturating_sub(service::limits::MAX_PENDING).max(most / 2).max(1);
        if most < connections {
            tracing::warn!(most, "the system allows no more connections: see `ulimit -n`");
        }
        connections.min(most)
    }
    #[cfg(not(unix))]
    connections
}

pub fn run(args: &Args) -> Result<Answered, Failure> {
    start_logging(args.store.log_json);
    args.store.tell(serve(args))
}

fn serve(args: &Args) -> Result<Answered, Failure> {
    args.check_paths()?;
    let token = args.token()?;
    let library = args.library()?;
    runtime()?.block_on(async {
        let stop = stop_on_signals();
        let store = args.store.open().await?;
        let listener = listener(&args.listen).await?;
        let address = listener.local_addr()?;
        let limits = args.limits(address.ip());
        let mut service = Service::new(store, limits.clone(), token, stop.clone())?;
        if let Some(folder) = &args.page {
            service = service.with_page(folder.clone());
        }
        if let Some(library) = library {
            service = service.with_library(library);
        }
        let named = service.name_areas(args.area_paths()).await;
        let named = named.map_err(Failure::usage)?;
        named.errors.iter().for_each(|error| args.store.tell_diagnostic(error));
        args.store.say(&format!("listening on http://{address}"));
        tokio::spawn(service.clone().housekeeping());
        tokio::spawn(keep_solutions(service.clone(), args.solutions.clone(), named.keys));
        let router = service::router(service);
        let at_a_time = usize::from(args.workers);
        let hands = args.store.open_for_workers(at_a_time).await?;
        let workers = worker::run(hands, at_a_time, stop.clone());
        let (served, ()) = tokio::join!(service::serve(listener, router, &limits, stop), async {
            if at_a_time > 0 {
                workers.await;
            }
        });
        served?;
        Ok(Answered::Yes)
    })
}

async fn keep_solutions(service: Service, folder: Option<PathBuf>, keys: BTreeMap<String, String>) {
    let folder = folder.unwrap_or_else(|| SOLUTIONS.into());
    loop {
        match service.keep_solutions(&folder, &keys).await {
            Ok(kept) => {
                return tracing::info!(kept, "plans of {} are verified", folder.display());
            }
            // The store, or the threads that verify, are only busy or away.
            Err(Problem { retry_after: Some(seconds), .. }) => {
                tokio::time::sleep(Duration::from_secs(seconds)).await;
            }
            Err(problem) => return tracing::error!(problem.detail, "plans could not be kept"),
        }
    }
}
