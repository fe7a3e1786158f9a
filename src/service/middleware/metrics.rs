//! What the process does: in numbers at `/metrics`, in Prometheus's text format, and as a line of
//! the log for each request.

use crate::service::Service;
use crate::service::client::{Client, asks_health};
use crate::service::limits::STORE_PATIENCE;
use crate::store::{JobState, Queue, StoreError};
use axum::extract::{MatchedPath, Request, State};
use axum::http::header;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use std::sync::OnceLock;
use std::time::{Instant, SystemTime, UNIX_EPOCH};
use tokio::time::timeout;

/// Path of the numbers.
pub const PATH: &str = "/metrics";
/// Bounds of the histograms' buckets, in seconds.
const BUCKETS: &[f64] = &[0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0];
/// Bounds of the buckets for jobs, in seconds: one may wait, or search, for hours.
const JOB_BUCKETS: &[f64] =
    &[0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 3000.0, 10_000.0];

/// Routes of the API of which a page asks for many at once: not worth a line each at INFO.
const FREQUENT: [&str; 1] = ["/v1/areas/{game}/{name}/thumbnail"];

/// The one recorder of the process.
fn recorder() -> Option<&'static PrometheusHandle> {
    static RECORDER: OnceLock<Option<PrometheusHandle>> = OnceLock::new();
    let install = || {
        let (jobs, others) =
            (Matcher::Prefix("outwit_job_".into()), Matcher::Suffix("_seconds".into()));
        let builder = PrometheusBuilder::new().set_buckets_for_metric(jobs, JOB_BUCKETS).ok()?;
        let builder = builder.set_buckets_for_metric(others, BUCKETS).ok()?;
        builder.install_recorder().ok()
    };
    RECORDER.get_or_init(install).as_ref()
}

/// Begins to record; what happens before counts nowhere. What every process has is recorded at once.
pub fn install() {
    use metrics::{counter, describe_counter, describe_gauge, describe_histogram, gauge};
    recorder();
    describe_counter!("outwit_http_requests_total", "Requests, by route and status.");
    describe_histogram!("outwit_http_request_seconds", "Time to the head of an answer.");
    describe_counter!("outwit_jobs_ended_total", "Jobs that this process has ended, by verdict.");
    describe_counter!("outwit_jobs_given_back_total", "Jobs that were put back on the queue.");
    describe_counter!("outwit_workers_lost_total", "Workers whose jobs were taken from them.");
    describe_histogram!("outwit_job_search_seconds", "Time of a search of this process.");
    describe_histogram!("outwit_job_seconds", "Time from a claim of a job to its end.");
    describe_histogram!("outwit_job_wait_seconds", "Time from the submission to the first claim.");
    describe_gauge!("outwit_jobs_in_hand", "Jobs that this process works on.");
    describe_gauge!("outwit_worker_places", "Jobs that this process may work on at a time.");
    describe_gauge!("outwit_jobs", "Jobs in the store, by state.");
    describe_gauge!("outwit_queue_oldest_seconds", "Age of the job that waits for longest, or 0.");
    describe_gauge!("outwit_workers", "Workers that the store has heard of lately.");
    describe_gauge!("outwit_store_up", "Whether the store answers, 1 or 0.");
    describe_counter!("outwit_unreadable_rows_total", "Rows of the store passed over.");
    describe_gauge!("outwit_games_held", "Games being played that are held.");
    describe_gauge!("outwit_streams", "Streams of events that are open.");
    describe_gauge!("outwit_connections", "Connections that are open.");
    describe_counter!("outwit_connections_refused_total", "Connections without a place.");
    describe_gauge!("outwit_build_info", "The program's version and features; always 1.");
    describe_gauge!("outwit_start_time_seconds", "When the process began, in seconds since 1970.");
    // A counter that is not there cannot be seen to rise from nothing.
    for name in [
        "outwit_jobs_given_back_total",
        "outwit_workers_lost_total",
        "outwit_connections_refused_total",
    ] {
        counter!(name).increment(0);
    }
    counter!("outwit_jobs_ended_total", "verdict" => "failed").increment(0);
    for table in ["areas", "searches"] {
        counter!("outwit_unreadable_rows_total", "table" => table).increment(0);
    }
    gauge!("outwit_build_info", "version" => env!("CARGO_PKG_VERSION"), "features" => features())
        .set(1.0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    gauge!("outwit_start_time_seconds").set(now.as_secs_f64());
}

/// The features that an operator can build without.
fn features() -> &'static str {
    if cfg!(feature = "cluster") { "service,cluster" } else { "service" }
}

/// Keeps the histograms small; to be called every few seconds.
pub fn upkeep() {
    if let Some(recorder) = recorder() {
        recorder.run_upkeep();
    }
}

/// Counts a request, times it, writes it down.
pub async fn measure(request: Request, next: Next) -> Response {
    let started = Instant::now();
    let route = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_string());
    let route = route.unwrap_or_else(|| "none".into());
    let method = request.method().to_string();
    let Client(client) = Client::of(&request);
    // The token of a game is its player's alone, and what follows a question mark may be, too.
    let path =
        if route.contains("{token}") { route.clone() } else { request.uri().path().to_string() };
    let response = next.run(request).await;
    let (status, seconds) = (response.status().as_u16(), started.elapsed().as_secs_f64());
    let is_frequent = FREQUENT.contains(&&*route) || asks_health(&path) || path == PATH;
    if is_frequent && !response.status().is_server_error() {
        tracing::debug!(method, path, status, seconds, %client, "request");
    } else {
        tracing::info!(method, path, status, seconds, %client, "request");
    }
    // Any word can be a method; as a label only those are kept that have a route.
    let method = if route == "none" { "ANY".into() } else { method };
    let labels = [("method", method), ("route", route.clone()), ("status", status.to_string())];
    metrics::counter!("outwit_http_requests_total", &labels).increment(1);
    metrics::histogram!("outwit_http_request_seconds", "route" => route).record(seconds);
    response
}

/// `/metrics` of a server: the numbers of its store, and those that this process has recorded. While the store is
/// away the numbers that come from it are NaN.
pub async fn show(State(service): State<Service>) -> Response {
    let asked = timeout(STORE_PATIENCE, stored(&service));
    let stored = match service.store_watch.trouble() {
        None => asked.await.ok().and_then(Result::ok),
        Some(_) => None,
    };
    let (jobs, queue) = stored.unzip();
    let none = || JobState::ALL.map(|state| (state.name(), f64::NAN)).to_vec();
    for (state, count) in jobs.unwrap_or_else(none) {
        metrics::gauge!("outwit_jobs", "state" => state).set(count);
    }
    let oldest = queue.map_or(f64::NAN, |queue| queue.oldest.as_secs_f64());
    metrics::gauge!("outwit_queue_oldest_seconds").set(oldest);
    metrics::gauge!("outwit_workers").set(queue.map_or(f64::NAN, |queue| queue.workers as f64));
    metrics::gauge!("outwit_games_held").set(service.plays.count() as f64);
    metrics::gauge!("outwit_streams").set(service.open_streams() as f64);
    recorded().await
}

/// The number of jobs in each state, and the state of the queue.
async fn stored(service: &Service) -> Result<(Vec<(&'static str, f64)>, Queue), StoreError> {
    let counts = service.store.count_jobs().await?;
    let count = |state| counts.iter().filter(|(one, _)| *one == state).map(|(_, n)| n).sum::<u64>();
    let known = JobState::ALL.iter().map(|&state| (state.name(), count(Some(state)) as f64));
    let jobs = known.chain([("unreadable", count(None) as f64)]).collect();
    Ok((jobs, service.store.queue().await?))
}

/// The numbers that this process has recorded, in Prometheus's text format.
pub async fn recorded() -> Response {
    let text = recorder().map(PrometheusHandle::render).unwrap_or_default();
    let media_type = "text/plain; version=0.0.4; charset=utf-8";
    ([(header::CONTENT_TYPE, media_type)], text).into_response()
}
