//! Solving as jobs of the queue.

use super::model::{Job, JobPage, JobRequest};
use super::problem::{Json, Path, Query};
use super::{Problem, Service};
use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;

fn not_yet() -> Problem {
    Problem::new(StatusCode::NOT_IMPLEMENTED, "not-yet", "Not yet", "the queue is being built")
}

/// Asks for a plan: the same area and budget give the same job
#[utoipa::path(post, path = "/v1/jobs", tag = "jobs", request_body = JobRequest,
    security((), ("token" = [])),
    responses((status = ACCEPTED, body = Job, description = "a new job"),
        (status = OK, body = Job, description = "the job that is there already"),
        (status = 401, body = Problem), (status = 404, body = Problem),
        (status = 422, body = Problem, description = "the area cannot be read"),
        (status = 429, body = Problem, description = "the queue is full: see Retry-After")))]
pub async fn submit(
    State(_service): State<Service>,
    Json(_request): Json<JobRequest>,
) -> Result<(StatusCode, Json<Job>), Problem> {
    Err(not_yet())
}

/// Which jobs to list.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
pub struct ListParams {
    /// Only jobs in this state: queued, running, done, cancelled, failed.
    #[serde(rename = "state")]
    _state: Option<String>,
    /// How many on a page [default: 100, at most 500].
    #[serde(rename = "limit")]
    _limit: Option<u32>,
    /// The page after this: `next` of the page before.
    #[serde(rename = "after")]
    _after: Option<String>,
}

/// Jobs, the latest first
#[utoipa::path(get, path = "/v1/jobs", tag = "jobs", params(ListParams),
    responses((status = OK, body = JobPage)))]
pub async fn list(
    State(_service): State<Service>,
    Query(_params): Query<ListParams>,
) -> Result<Json<JobPage>, Problem> {
    Err(not_yet())
}

/// A job: where it is, how far, what was found
#[utoipa::path(get, path = "/v1/jobs/{id}", tag = "jobs", params(("id" = String, Path)),
    responses((status = OK, body = Job), (status = 404, body = Problem)))]
pub async fn one(
    State(_service): State<Service>,
    Path(_id): Path<String>,
) -> Result<Json<Job>, Problem> {
    Err(not_yet())
}

/// A job as it goes on: server-sent events named `job`, each with the job as JSON, until it is
/// through
#[utoipa::path(get, path = "/v1/jobs/{id}/events", tag = "jobs", params(("id" = String, Path)),
    responses((status = OK, body = Job, content_type = "text/event-stream"),
        (status = 404, body = Problem)))]
pub async fn events(
    State(_service): State<Service>,
    Path(_id): Path<String>,
) -> Result<Json<Job>, Problem> {
    Err(not_yet())
}

/// The plan that a job found, as the game's text
#[utoipa::path(get, path = "/v1/jobs/{id}/plan", tag = "jobs", params(("id" = String, Path)),
    responses((status = OK, body = String, content_type = "text/plain"),
        (status = 404, body = Problem)))]
pub async fn plan(
    State(_service): State<Service>,
    Path(_id): Path<String>,
) -> Result<String, Problem> {
    Err(not_yet())
}

/// Cancels a job; what was found until then stays
#[utoipa::path(delete, path = "/v1/jobs/{id}", tag = "jobs", params(("id" = String, Path)),
    security((), ("token" = [])),
    responses((status = OK, body = Job), (status = 401, body = Problem),
        (status = 404, body = Problem)))]
pub async fn cancel(
    State(_service): State<Service>,
    Path(_id): Path<String>,
) -> Result<Json<Job>, Problem> {
    Err(not_yet())
}
