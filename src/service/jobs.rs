//! Solving as jobs of the queue: asked for here, done by workers.

use super::areas::plain;
use super::limits::{
    DEFAULT_PAGE, MAX_PAGE, MAX_STREAMS, QUEUE_RETRY_SECONDS, STREAM_LOOK, STREAM_TIME,
};
use super::model::{JobPage, JobRequest};
use super::problem::{Json, Path, Query};
use super::{Problem, Service};
use crate::games::GameId;
use crate::store::{AreaText, Job, JobFilter, JobState, NewJob, Submitted};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::{Stream, stream};
use serde::Deserialize;
use std::convert::Infallible;
use std::sync::Arc;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;

/// The longest id of a job that is looked for, in characters.
const MAX_ID: usize = 64;

/// Asks for a plan: the same area and budget give the same job
#[utoipa::path(post, path = "/v1/jobs", tag = "jobs", request_body = JobRequest,
    security((), ("token" = [])),
    responses((status = ACCEPTED, body = Job, description = "a new job"),
        (status = OK, body = Job, description = "the job that is there already"),
        (status = 401, body = Problem), (status = 404, body = Problem),
        (status = 422, body = Problem, description = "the area cannot be read"),
        (status = 429, body = Problem, description = "the queue is full: see Retry-After")))]
pub async fn submit(
    State(service): State<Service>,
    Json(request): Json<JobRequest>,
) -> Result<(StatusCode, HeaderMap, Json<Job>), Problem> {
    let budget = service.limits.budget(&request.budget)?;
    let meant = service.meant(request.area).await?;
    check_measure(request.optimal.as_deref(), meant.area.game())?;
    let label = meant.id.unwrap_or_else(|| meant.area.name().to_string());
    let text = move || Ok(AreaText::new(&*meant.area));
    let area = service.work.run(text).await?;
    let job = NewJob { area, label, budget, optimal: request.optimal };
    let (status, job) = match service.store.submit(&job, service.limits.queue).await? {
        Submitted::New(job) => (StatusCode::ACCEPTED, job),
        Submitted::Known(job) => (StatusCode::OK, job),
        Submitted::Full => return Err(full(service.limits.queue)),
    };
    let mut headers = HeaderMap::new();
    if let Ok(place) = HeaderValue::from_str(&format!("/v1/jobs/{}", job.id)) {
        headers.insert(header::LOCATION, place);
    }
    Ok((status, headers, Json(*job)))
}

fn full(queue: u64) -> Problem {
    Problem::new(
        StatusCode::TOO_MANY_REQUESTS,
        "queue-full",
        "The queue is full",
        format!("{queue} jobs wait already"),
    )
    .retry_after(QUEUE_RETRY_SECONDS)
}

fn check_measure(measure: Option<&str>, game: GameId) -> Result<(), Problem> {
    let measures = game.game().measures();
    match measure {
        None | Some("") => Ok(()),
        Some(measure) if measures.contains(&measure) => Ok(()),
        Some(measure) => {
            let known = measures.join(", ");
            let known = if known.is_empty() { "an empty string for its only one" } else { &known };
            Err(Problem::bad_request(format!("{game} has no measure {measure:?}: say {known}")))
        }
    }
}

/// Which jobs to list.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
pub struct ListParams {
    /// Only jobs in this state: queued, running, done, cancelled, failed.
    state: Option<String>,
    /// How many on a page [default: 100, at most 500].
    limit: Option<u32>,
    /// The page after this: `next` of the page before.
    after: Option<String>,
}

/// Jobs, the latest first, without their plans
#[utoipa::path(get, path = "/v1/jobs", tag = "jobs", params(ListParams),
    responses((status = OK, body = JobPage), (status = 400, body = Problem)))]
pub async fn list(
    State(service): State<Service>,
    Query(params): Query<ListParams>,
) -> Result<Json<JobPage>, Problem> {
    let state: Option<JobState> =
        params.state.map(|word| word.parse()).transpose().map_err(Problem::bad_request)?;
    let before = params.after.as_deref().map(place).transpose()?;
    let limit = params.limit.unwrap_or(DEFAULT_PAGE).clamp(1, MAX_PAGE);
    let filter = JobFilter { state, before, limit: limit + 1 };
    let mut jobs = service.store.jobs(&filter).await?;
    let more = jobs.len() > limit as usize;
    jobs.truncate(limit as usize);
    for result in jobs.iter_mut().filter_map(|job| job.result.as_mut()) {
        result.plan = None;
    }
    let next = jobs.last().filter(|_| more).map(|job| format!("{}-{}", job.submitted_ms, job.id));
    Ok(Json(JobPage { jobs, next }))
}

/// A place in the list of jobs: time of submission and id.
fn place(word: &str) -> Result<(i64, String), Problem> {
    let parts =
        word.split_once('-').and_then(|(ms, id)| Some((ms.parse().ok()?, id.replace('\0', ""))));
    parts.ok_or_else(|| Problem::bad_request("after: not what `next` of a page says"))
}

impl Service {
    async fn job(&self, id: &str) -> Result<Job, Problem> {
        let is_id = id.len() <= MAX_ID && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let job = if is_id { self.store.job(id).await? } else { None };
        job.ok_or_else(|| Problem::not_found("there is no such job, or it was long ago"))
    }
}

/// A job: where it is, how far, what was found
#[utoipa::path(get, path = "/v1/jobs/{id}", tag = "jobs", params(("id" = String, Path)),
    responses((status = OK, body = Job), (status = 404, body = Problem)))]
pub async fn one(
    State(service): State<Service>,
    Path(id): Path<String>,
) -> Result<Json<Job>, Problem> {
    service.job(&id).await.map(Json)
}

/// A job as it goes on: server-sent events named `job`, each with the job as JSON, until it is
/// through
#[utoipa::path(get, path = "/v1/jobs/{id}/events", tag = "jobs", params(("id" = String, Path)),
    responses((status = OK, body = Job, content_type = "text/event-stream"),
        (status = 404, body = Problem),
        (status = 503, body = Problem, description = "too many streams: see Retry-After")))]
pub async fn events(
    State(service): State<Service>,
    Path(id): Path<String>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Problem> {
    let first = service.job(&id).await?;
    let permit = Arc::clone(&service.streams).try_acquire_owned().map_err(|_| {
        let detail = format!("{MAX_STREAMS} streams of events are open: ask for the job instead");
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, "busy", "The server is busy", detail)
            .retry_after(QUEUE_RETRY_SECONDS)
    })?;
    let until = Instant::now() + STREAM_TIME;
    let watch =
        Watch { service, id: first.id, told: String::new(), over: false, until, _permit: permit };
    Ok(Sse::new(stream::unfold(watch, Watch::tell)).keep_alive(KeepAlive::default()))
}

/// Somebody who watches a job.
struct Watch {
    service: Service,
    id: String,
    /// The job as it was told last, as JSON.
    told: String,
    /// Whether that was the last time.
    over: bool,
    until: Instant,
    _permit: OwnedSemaphorePermit,
}

impl Watch {
    /// Waits until there is something new.
    async fn tell(mut self) -> Option<(Result<Event, Infallible>, Watch)> {
        let mut is_first = self.told.is_empty();
        while !self.over && !*self.service.stop.borrow() && Instant::now() < self.until {
            if !std::mem::take(&mut is_first) {
                tokio::time::sleep(STREAM_LOOK).await;
            }
            // A store that is away for a moment ends no stream.
            let Ok(job) = self.service.store.job(&self.id).await else { continue };
            let job = job?;
            let text = serde_json::to_string(&job).ok()?;
            if text != self.told {
                let event = Event::default().event("job").data(&text);
                (self.told, self.over) = (text, job.state.is_final());
                return Some((Ok(event), self));
            }
        }
        None
    }
}

/// The plan that a job found, as the game's text
#[utoipa::path(get, path = "/v1/jobs/{id}/plan", tag = "jobs", params(("id" = String, Path)),
    responses((status = OK, body = String, content_type = "text/plain"),
        (status = 404, body = Problem)))]
pub async fn plan(
    State(service): State<Service>,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let plan = service.job(&id).await?.result.and_then(|result| result.plan);
    plan.map(plain).ok_or_else(|| Problem::not_found("the job has no plan, or not yet"))
}

/// Cancels a job; what was found until then stays
#[utoipa::path(delete, path = "/v1/jobs/{id}", tag = "jobs", params(("id" = String, Path)),
    security((), ("token" = [])),
    responses((status = OK, body = Job), (status = 401, body = Problem),
        (status = 404, body = Problem)))]
pub async fn cancel(
    State(service): State<Service>,
    Path(id): Path<String>,
) -> Result<Json<Job>, Problem> {
    let id = service.job(&id).await?.id;
    service.store.cancel(&id).await?;
    service.job(&id).await.map(Json)
}
