//! Plans over HTTP: the API, the page, the limits that hold them.
//!
//! Requests are answered from the store and by the games' reference rules. The runtime's threads
//! only wait: what reads, replays or steps runs in [`work`], and searching is the business of
//! workers ([`worker`]), which take jobs from the store's queue, in this process or in others.
//! Every bound is in [`limits`].

pub mod areas;
pub mod batch;
mod cache;
mod document;
mod guard;
pub mod jobs;
pub mod limits;
mod metrics;
pub mod model;
mod page;
pub mod plans;
pub mod play;
mod problem;
mod server;
mod work;
pub mod worker;

pub use guard::Token;
pub use limits::Limits;
pub use problem::{Place, Problem};
pub use server::serve;

use crate::games::Area;
use crate::store::{JobState, Store, StoreError};
use axum::Router;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::get;
use cache::{Bounds, Cache};
use limits::{MAX_READ_AREAS, MAX_READ_BYTES, MAX_STREAMS, READ_EXPIRY};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Semaphore, watch};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::set_header::SetResponseHeaderLayer;
use tower_http::trace::TraceLayer;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use work::Work;

/// How often the metrics are kept small.
const UPKEEP: Duration = Duration::from_secs(5);

/// What all requests share.
#[derive(Clone)]
pub struct Service {
    store: Arc<dyn Store>,
    limits: Arc<Limits>,
    token: Option<Arc<Token>>,
    rate: Option<Arc<guard::Rate>>,
    read_areas: Arc<Cache<Arc<dyn Area>>>,
    plays: Arc<play::Plays>,
    work: Work,
    streams: Arc<Semaphore>,
    page: Option<Arc<PathBuf>>,
    stop: watch::Receiver<bool>,
}

impl Service {
    /// A service on a store. When `stop` turns true, what is open ends itself.
    pub fn new(
        store: Arc<dyn Store>,
        limits: Limits,
        token: Option<Token>,
        stop: watch::Receiver<bool>,
    ) -> Self {
        metrics::install();
        let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
        let bounds = Bounds { count: MAX_READ_AREAS, weight: MAX_READ_BYTES, expiry: READ_EXPIRY };
        Service {
            store,
            rate: limits.rate.map(|rate| Arc::new(guard::Rate::new(rate))),
            limits: Arc::new(limits),
            token: token.map(Arc::new),
            read_areas: Arc::new(Cache::new(bounds)),
            plays: Arc::new(play::plays()),
            work: Work::new(cores),
            streams: Arc::new(Semaphore::new(MAX_STREAMS)),
            page: None,
            stop,
        }
    }

    /// The same with the page's files from a folder.
    #[must_use]
    pub fn with_page(mut self, folder: PathBuf) -> Self {
        self.page = Some(Arc::new(folder));
        self
    }

    fn open_streams(&self) -> usize {
        MAX_STREAMS.saturating_sub(self.streams.available_permits())
    }

    /// What is to be done now and then, until the service is to end.
    pub async fn housekeeping(self) {
        let mut upkeep = tokio::time::interval(UPKEEP);
        let mut tidy = tokio::time::interval(limits::TIDY_EVERY);
        loop {
            tokio::select! {
                () = stopped(self.stop.clone()) => return,
                _ = upkeep.tick() => metrics::upkeep(),
                _ = tidy.tick() => {
                    if let Err(error) = self.store.tidy(limits::KEPT_JOBS).await {
                        tracing::warn!(%error, "the store could not be tidied");
                    }
                }
            }
        }
    }
}

/// Waits until the process is to end. A sender that is gone means the same.
async fn stopped(mut stop: watch::Receiver<bool>) {
    let _ = stop.wait_for(|&stop| stop).await;
}

/// How many jobs there are in each state, those without any included.
async fn job_counts(service: &Service) -> Result<Vec<(JobState, u64)>, StoreError> {
    let counts = service.store.count_jobs().await?;
    let count = |state| counts.iter().find(|(one, _)| *one == state).map_or(0, |(_, n)| *n);
    Ok(JobState::ALL.iter().map(|&state| (state, count(state))).collect())
}

/// The document that describes the API of a site, generated from its code.
pub fn document(limits: &Limits) -> serde_json::Value {
    document::complete(api().split_for_parts().1, limits)
}

fn api() -> OpenApiRouter<Service> {
    OpenApiRouter::with_openapi(document::beginning())
        .routes(routes!(areas::games))
        .routes(routes!(areas::list))
        .routes(routes!(areas::one))
        .routes(routes!(areas::text))
        .routes(routes!(areas::plan))
        .routes(routes!(areas::plan_text))
        .routes(routes!(plans::check))
        .routes(routes!(plans::submit))
        .routes(routes!(play::begin))
        .routes(routes!(play::go_on, play::give_up))
        .routes(routes!(play::plan))
        .routes(routes!(jobs::submit, jobs::list))
        .routes(routes!(jobs::one, jobs::cancel))
        .routes(routes!(jobs::events))
        .routes(routes!(jobs::plan))
        .routes(routes!(limits::show))
        .routes(routes!(health))
}

/// All routes, behind their guards.
pub fn router(service: Service) -> Router {
    let (api, document) = api().split_for_parts();
    let document = document::complete(document, &service.limits).to_string();
    let document =
        move || async move { ([(header::CONTENT_TYPE, "application/json")], document.clone()) };
    api.route("/v1/openapi.json", get(document))
        .merge(page::routes())
        .route("/metrics", get(metrics::show))
        .fallback(nothing_there)
        .method_not_allowed_fallback(wrong_method)
        .layer(DefaultBodyLimit::max(limits::MAX_BODY_BYTES))
        .layer(CompressionLayer::new())
        .layer(from_fn(guard::deadline))
        .layer(from_fn_with_state(service.clone(), guard::token))
        .layer(from_fn_with_state(service.clone(), guard::rate))
        .layer(from_fn(metrics::measure))
        .layer(CatchPanicLayer::custom(guard::panicked))
        .layer(TraceLayer::new_for_http())
        .layer(SetResponseHeaderLayer::overriding(
            HeaderName::from_static("x-content-type-options"),
            HeaderValue::from_static("nosniff"),
        ))
        .with_state(service)
}

/// Whether the server and its store answer
#[utoipa::path(get, path = "/healthz", tag = "server", operation_id = "getHealth",
    responses((status = OK, body = String, content_type = "text/plain",
        description = "Both answer.")))]
async fn health(State(service): State<Service>) -> Result<&'static str, Problem> {
    match service.store.ping().await {
        Ok(()) => Ok("ok\n"),
        Err(error) => {
            tracing::warn!(%error, "the store does not answer");
            let (kind, title) = ("no-store", "The store does not answer");
            let detail = "the server's log says more";
            Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, kind, title, detail))
        }
    }
}

async fn nothing_there() -> Problem {
    Problem::not_found("no such path: /v1/openapi.json lists them")
}

async fn wrong_method() -> Problem {
    Problem::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "wrong-method",
        "Wrong method",
        "the path is there, but not with this method: see /v1/openapi.json",
    )
}
