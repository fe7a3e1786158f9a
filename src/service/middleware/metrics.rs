//! What the process does: in numbers at `/metrics`, in Prometheus's text format, and as a line of
//! the log for each request.

use crate::service::client::{Client, HEALTH};
use crate::service::{Problem, Service};
use axum::extract::{MatchedPath, Request, State};
use axum::http::header;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use std::sync::OnceLock;
use std::time::Instant;

/// Bounds of the histograms' buckets, in seconds.
const BUCKETS: &[f64] = &[0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0];

/// Asked for again and again by machines: not worth a line each.
const WATCHED: [&str; 2] = [HEALTH, "/metrics"];

/// The one recorder of the process.
fn recorder() -> Option<&'static PrometheusHandle> {
    static RECORDER: OnceLock<Option<PrometheusHandle>> = OnceLock::new();
    let install = || {
        let suffix = Matcher::Suffix("_seconds".into());
        let builder = PrometheusBuilder::new().set_buckets_for_metric(suffix, BUCKETS).ok()?;
        builder.install_recorder().ok()
    };
    RECORDER.get_or_init(install).as_ref()
}

/// Begins to record; what happens before counts nowhere.
pub fn install() {
    recorder();
    metrics::describe_counter!("outwit_http_requests_total", "Requests, by route and status.");
    metrics::describe_histogram!("outwit_http_request_seconds", "Time to the head of an answer.");
    metrics::describe_counter!("outwit_jobs_ended_total", "Jobs that this process has ended.");
    metrics::describe_histogram!("outwit_job_search_seconds", "Time of this process's searches.");
    metrics::describe_gauge!("outwit_jobs", "Jobs in the store, by state.");
    metrics::describe_counter!("outwit_unreadable_rows_total", "Rows of the store passed over.");
    metrics::describe_gauge!("outwit_games_held", "Games being played that are held.");
    metrics::describe_gauge!("outwit_streams", "Streams of events that are open.");
    metrics::describe_gauge!("outwit_connections", "Connections that are open.");
    metrics::describe_counter!("outwit_connections_refused_total", "Connections without a place.");
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
    if WATCHED.contains(&path.as_str()) {
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

/// `/metrics`
pub async fn show(State(service): State<Service>) -> Result<Response, Problem> {
    for (state, count) in crate::service::job_counts(&service).await? {
        metrics::gauge!("outwit_jobs", "state" => state).set(count as f64);
    }
    metrics::gauge!("outwit_games_held").set(service.plays.count() as f64);
    metrics::gauge!("outwit_streams").set(service.open_streams() as f64);
    let text = recorder().map(PrometheusHandle::render).unwrap_or_default();
    let media_type = "text/plain; version=0.0.4; charset=utf-8";
    Ok(([(header::CONTENT_TYPE, media_type)], text).into_response())
}
