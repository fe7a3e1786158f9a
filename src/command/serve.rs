//! `outwit serve`: plans over HTTP, and the game in the browser.

use super::worker::{StoreArgs, runtime, start_logging, stop_on_signals};
use super::{Answered, Failure, output};
use outwit::service::{self, Limits, Service, Token, worker};
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::PathBuf;
use tokio::net::TcpListener;

/// Where areas are looked for.
const AREAS: &str = "areas";
/// Where their plans are looked for.
const SOLUTIONS: &str = "solutions";

/// Serve plans over HTTP, and the game in the browser
///
/// The page is at /, the API's description at /v1/openapi.json, metrics at /metrics. Areas in the
/// folder areas/ are stored under their names, plans in solutions/ are verified and kept where
/// they are better than the stored ones. Jobs are worked off by this process and by any number of
/// `outwit worker` on the same store. The first Ctrl-C lets requests end and puts running jobs back
/// on the queue; the second ends the program.
#[derive(clap::Args)]
#[command(after_long_help = "\
EXAMPLES
  outwit serve                                        # http://127.0.0.1:8080, outwit.db
  outwit serve --listen 0.0.0.0:80 --token-file /etc/outwit.token
  outwit serve --store postgres://outwit@db/outwit --workers 0 --log-json

  curl -s localhost:8080/v1/jobs -H 'content-type: application/json' \\
       -d '{\"area\": {\"id\": \"last-of-us/area-0-sample\"}, \"budget\": {\"seconds\": 5}}'

EXIT CODE
  0 ended by a signal; 2 bad usage, or a store or an address that cannot be had")]
pub struct Args {
    /// Address and port to listen on
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,

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

    /// Requests a second of one client, on average; 0 for no limit
    #[arg(long, value_name = "N", default_value_t = 1000, help_heading = "Limits")]
    rate: u32,

    /// The most jobs that may wait
    #[arg(long, value_name = "N", default_value_t = 10_000, help_heading = "Limits")]
    max_queue: u64,

    /// The longest time of a job, in seconds
    #[arg(long, value_name = "S", default_value_t = 60, help_heading = "Limits",
          value_parser = clap::value_parser!(u32).range(1..=86_400))]
    max_time: u32,

    /// The most memory of a job, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 1024, help_heading = "Limits",
          value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    max_memory: u64,

    /// The most threads of a job [default: as many as the machine has]
    #[arg(long, value_name = "N", help_heading = "Limits",
          value_parser = clap::value_parser!(u32).range(1..=1024))]
    max_threads: Option<u32>,
}

impl Args {
    fn limits(&self) -> Limits {
        let default = Limits::default();
        Limits {
            job_seconds: self.max_time.into(),
            job_memory_mib: self.max_memory,
            job_threads: self.max_threads.unwrap_or(default.job_threads),
            queue: self.max_queue,
            rate: NonZeroU32::new(self.rate),
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

    fn area_paths(&self) -> Vec<PathBuf> {
        let default = || PathBuf::from(AREAS).is_dir().then(|| AREAS.into()).into_iter().collect();
        if self.areas.is_empty() { default() } else { self.areas.clone() }
    }
}

pub fn run(args: &Args) -> Result<Answered, Failure> {
    start_logging(args.store.log_json);
    let token = args.token()?;
    runtime()?.block_on(async {
        let stop = stop_on_signals();
        let store = args.store.open().await?;
        let listener = TcpListener::bind(args.listen).await.map_err(|error| {
            Failure::Usage(format!("cannot listen on {}: {error}", args.listen))
        })?;
        let mut service = Service::new(store.clone(), args.limits(), token, stop.clone());
        if let Some(folder) = &args.page {
            service = service.with_page(folder.clone());
        }
        let errors = service.name_areas(args.area_paths()).await;
        let errors = errors.map_err(|error| Failure::Usage(error.to_string()))?;
        errors.iter().for_each(output::tell_diagnostic);
        output::say(&format!("listening on http://{}", listener.local_addr()?));
        tokio::spawn(service.clone().housekeeping());
        tokio::spawn(keep_solutions(service.clone(), args.solutions.clone()));
        let router = service::router(service);
        let workers = worker::run(store, args.workers.into(), stop.clone());
        tokio::join!(service::serve(listener, router, stop), async {
            if args.workers > 0 {
                workers.await;
            }
        });
        Ok(Answered::Yes)
    })
}

async fn keep_solutions(service: Service, folder: Option<PathBuf>) {
    let folder = folder.unwrap_or_else(|| SOLUTIONS.into());
    match service.keep_solutions(&folder).await {
        Ok(kept) => tracing::info!(kept, "plans of {} are verified", folder.display()),
        Err(problem) => tracing::error!(problem.detail, "plans could not be kept"),
    }
}
