//! Plans over HTTP: the API, the page, the limits that hold them.
//!
//! Requests are answered from the store and by the games' reference rules. The runtime's threads
//! only wait: what reads, replays or steps runs in `work`, and searching is the business of
//! workers ([`worker`]), which take jobs from the store's queue, in this process or in others.
//! Every bound is in [`limits`].

pub mod batch;
mod cache;
mod client;
mod connections;
mod document;
mod library;
pub mod limits;
mod middleware;
pub mod model;
pub mod monitor;
mod page;
mod problem;
mod routes;
mod site;
mod solving;
mod work;
pub mod worker;

pub use client::{Hosts, Proxies, Told};
pub use connections::{listen, serve};
pub use library::Library;
pub use middleware::guard::Token;
pub use problem::{Place, Problem};
pub use site::Limits;

use crate::games::Area;
use crate::store::{Store, StoredArea};
use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::get;
use cache::{Bounds, Cache};
use limits::{
    MAX_PACKED, MAX_PACKED_BYTES, MAX_READ_AREAS, MAX_READ_BYTES, MAX_STREAMS, PACKED_EXPIRY,
    READ_EXPIRY,
};
use middleware::{body, guard, metrics, packed, request_id};
use routes::{areas, health, jobs, making, plans, play};
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{Semaphore, watch};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::set_header::SetResponseHeaderLayer;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use work::Work;

/// Time between two rounds of upkeep of the metrics.
const UPKEEP: Duration = Duration::from_secs(5);

/// What all requests share.
#[derive(Clone)]
pub struct Service {
    store: Arc<dyn Store>,
    limits: Arc<Limits>,
    token: Option<Arc<Token>>,
    rate: Option<Arc<guard::Rate>>,
    read_areas: Arc<Cache<Arc<dyn Area>>>,
    named_areas: Arc<Cache<(Instant, StoredArea)>>,
    packed: Arc<Cache<Arc<packed::Packed>>>,
    plays: Arc<play::Plays>,
    work: Work,
    /// Packing has threads of its own: the page is there while others play.
    packing: Work,
    /// What nobody waits for is done beside what somebody does.
    chores: Work,
    /// Making an area takes long: one at a time.
    making: Work,
    /// Certificates are checked one at a time, too.
    checking: Work,
    memory: body::Memory,
    under_way: Arc<client::UnderWay>,
    store_watch: health::StoreWatch,
    streams: Arc<Semaphore>,
    /// Number of streams of each client.
    streams_each: Arc<client::UnderWay>,
    page: Option<Arc<PathBuf>>,
    library: Option<Library>,
    stop: watch::Receiver<bool>,
}

impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Service").field("limits", &self.limits).finish_non_exhaustive()
    }
}

impl Service {
    /// A service on a store; to be called within a runtime. When `stop` turns true, what is open
    /// ends itself.
    ///
    /// # Errors
    /// What the system says where it has no threads left.
    pub fn new(
        store: Arc<dyn Store>,
        limits: Limits,
        token: Option<Token>,
        stop: watch::Receiver<bool>,
    ) -> io::Result<Self> {
        metrics::install();
        let cores = crate::search::cores();
        let bounds = Bounds { count: MAX_READ_AREAS, weight: MAX_READ_BYTES, expiry: READ_EXPIRY };
        let packed = Bounds { count: MAX_PACKED, weight: MAX_PACKED_BYTES, expiry: PACKED_EXPIRY };
        let store_watch = health::StoreWatch::begin(store.clone(), stop.clone());
        Ok(Service {
            store,
            rate: limits.rate.map(|rate| Arc::new(guard::Rate::new(rate))),
            limits: Arc::new(limits),
            token: token.map(Arc::new),
            read_areas: Arc::new(Cache::new(bounds)),
            named_areas: Arc::new(Cache::new(bounds)),
            packed: Arc::new(Cache::new(packed)),
            plays: Arc::new(play::plays()),
            work: Work::new("work", cores)?,
            packing: Work::new("packing", cores)?,
            chores: Work::new("chores", 1)?,
            making: Work::new("making", 1)?,
            checking: Work::new("checking", 1)?,
            memory: body::Memory::new(),
            under_way: Arc::default(),
            store_watch,
            streams: Arc::new(Semaphore::new(MAX_STREAMS)),
            streams_each: Arc::default(),
            page: None,
            library: None,
            stop,
        })
    }

    /// Serves the page's files from a folder instead.
    #[must_use]
    pub fn with_page(mut self, folder: PathBuf) -> Self {
        self.page = Some(Arc::new(folder));
        self
    }

    /// Serves the library in WebAssembly, too, for pages that step games by themselves.
    #[must_use]
    pub fn with_library(self, library: Library) -> Self {
        Service { library: Some(library), ..self }
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
        .routes(routes!(areas::thumbnail))
        .routes(routes!(areas::plan))
        .routes(routes!(areas::plan_text))
        .routes(routes!(making::generate))
        .routes(routes!(making::levels))
        .routes(routes!(making::drawing))
        .routes(routes!(making::draft))
        .routes(routes!(plans::verify_plan))
        .routes(routes!(plans::certificate))
        .routes(routes!(plans::submit))
        .routes(routes!(play::begin))
        .routes(routes!(play::go_on, play::give_up))
        .routes(routes!(play::plan))
        .routes(routes!(jobs::submit, jobs::list))
        .routes(routes!(jobs::one, jobs::cancel))
        .routes(routes!(jobs::events))
        .routes(routes!(jobs::plan))
        .routes(routes!(jobs::certificate))
        .routes(routes!(routes::limits::show))
        .routes(routes!(health::health))
        .routes(routes!(health::life))
}

/// All routes, behind their guards.
pub fn router(service: Service) -> Router {
    let (api, document) = api().split_for_parts();
    let document = document::complete(document, &service.limits).to_string();
    let (tag, document) = (packed::tag(&[&document]), Bytes::from(document));
    let document = async move |State(service): State<Service>| {
        service.constant(tag.clone(), "application/json", move || Ok(document)).await
    };
    api.route("/v1/openapi.json", get(document))
        .merge(page::routes())
        .route(metrics::PATH, get(metrics::show))
        .fallback(nothing_there)
        .method_not_allowed_fallback(wrong_method)
        // Bodies are bounded where they are read.
        .layer(DefaultBodyLimit::disable())
        .layer(from_fn_with_state(service.clone(), guard::deadline))
        .layer(CatchPanicLayer::custom(guard::panicked))
        .layer(from_fn_with_state(service.clone(), packed::pack_answers))
        .layer(from_fn_with_state(service.clone(), body::receive))
        .layer(from_fn_with_state(service.clone(), guard::token))
        .layer(from_fn_with_state(service.clone(), guard::rate))
        .layer(from_fn(connections::reserved))
        .layer(from_fn_with_state(service.clone(), client::admit))
        .layer(from_fn_with_state(service.clone(), body::watch))
        .layer(from_fn(metrics::measure))
        .layer(from_fn_with_state(service.clone(), client::arrive))
        .layer(from_fn(request_id::identify))
        .layer(SetResponseHeaderLayer::overriding(
            HeaderName::from_static("x-content-type-options"),
            HeaderValue::from_static("nosniff"),
        ))
        .with_state(service)
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
