//! Solving as jobs of the queue: asked for here, done by workers.

use crate::certificate::Certificate;
use crate::diagnostic::Source;
use crate::games::{Area, PlanError, Refusal};
use crate::report::CertificateReport;
use crate::service::client::{Client, Counted};
use crate::service::document::{JobId, NotFound, NotYours, Unreadable, job_place, page_size};
use crate::service::limits::{
    MAX_JOB_ID, MAX_STREAMS, MAX_STREAMS_EACH, MAX_TIME_DIGITS, QUEUE_RETRY_SECONDS, STREAM_LOOK,
    STREAM_TIME,
};
use crate::service::middleware::request_id::RequestId;
use crate::service::model::{JobEvents, JobPage, JobRequest};
use crate::service::problem::{Json, Path, Query};
use crate::service::routes::areas::plain;
use crate::service::routes::plans::plan_source;
use crate::service::{Problem, Service};
use crate::store::{AreaText, Job, JobFilter, JobState, Measure, NewJob, Submitted};
use crate::verify::verify_level;
use axum::Extension;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::{Stream, stream};
use rand::RngExt;
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use std::sync::Arc;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;

/// The header with the key of a job.
const KEY: &str = "x-job-key";

/// Asks for a plan: the same area and budget give the same job
#[utoipa::path(post, path = "/v1/jobs", tag = "jobs", operation_id = "submitJob",
    request_body = JobRequest, security((), ("token" = [])),
    responses((status = ACCEPTED, body = OwnJob, description = "A new job.",
            headers(("Location" = String, description = "The job's path."))),
        (status = OK, body = OwnJob, description = "The job that is there already.",
            headers(("Location" = String, description = "The job's path."))),
        NotFound, Unreadable))]
pub async fn submit(
    State(service): State<Service>,
    Extension(RequestId(request_id)): Extension<RequestId>,
    Json(request): Json<JobRequest>,
) -> Result<(StatusCode, HeaderMap, Json<OwnJob>), Problem> {
    let budget = service.limits.budget(&request.budget)?;
    let meant = service.meant(request.area).await?;
    let optimal = request.optimal.as_ref().map(Measure::word);
    let objective = meant.area.game().game().objective(optimal);
    let objective = objective.map_err(|unknown| Problem::unfit(unknown.to_string()))?;
    let label = meant.id.unwrap_or_else(|| meant.area.name().to_string());
    let [improve, begun] =
        [&request.improve, &request.begun].map(|plan| plan.as_deref().map(plan_source).transpose());
    let (improve, begun) = (improve?, begun?);
    if improve.is_some() && begun.is_some() {
        return Err(Problem::unfit("a plan is shortened (`improve`) or gone on with (`begun`)"));
    }
    let certify = request.certify;
    if certify && begun.is_some() {
        return Err(Problem::unfit(
            "a certificate is of a whole area (`certify`), not of a position",
        ));
    }
    let processes = budget.processes;
    let read = move || {
        check_processes(processes, &*meant.area, begun.is_some())?;
        let improve = improve.map(|plan| {
            let held = verify_level(&*meant.area, meant.level, &plan);
            held.map(|held| held.text().to_string()).map_err(|error| invalid("improve", error))
        });
        let improve = improve.transpose()?;
        if let Some(plan) = &begun {
            meant.area.position(plan).map_err(|error| invalid("begun", error))?;
        }
        Ok((AreaText::new(&*meant.area), improve))
    };
    let (area, improve) = service.work.run(read).await?;
    let optimal = objective.word().map(String::from);
    let key = format!("{:032x}", rand::rng().random::<u128>());
    let begun = request.begun;
    let (owner, request) = (Some(key.clone()), Some(request_id.to_string()));
    let job = NewJob { area, label, budget, optimal, improve, begun, certify, key: owner, request };
    let (status, job, key) = match service.store.submit(&job, service.limits.queue).await? {
        Submitted::New(job) => (StatusCode::ACCEPTED, job, Some(key)),
        Submitted::Known(job) => (StatusCode::OK, job, None),
        Submitted::Full => return Err(full(service.limits.queue)),
    };
    let mut headers = HeaderMap::new();
    if let Ok(place) = HeaderValue::from_str(&format!("/v1/jobs/{}", job.id)) {
        headers.insert(header::LOCATION, place);
    }
    Ok((status, headers, Json(OwnJob { job: *job, key })))
}

/// Refuses several processes where they have nothing to share.
fn check_processes(processes: u32, area: &dyn Area, is_begun: bool) -> Result<(), Problem> {
    let refused = |why: &str| Err(Problem::unfit(format!("budget.processes: {why}")));
    if processes > 1 && is_begun {
        return refused("from a position on, one process searches alone");
    }
    #[cfg(feature = "cluster")]
    if processes > 1 {
        return crate::cluster::check(area).or_else(|why| refused(&why.to_string()));
    }
    let _ = area;
    Ok(())
}

/// A plan of a request, the one of that name, that does not hold.
fn invalid(name: &str, error: PlanError) -> Problem {
    match error {
        PlanError::Unreadable(diagnostic) => Problem::bad_plan(&diagnostic),
        PlanError::Refused(Refusal { step, reason, .. }) => {
            Problem::unfit(format!("{name}: the plan is not valid: step {step}: {reason}"))
        }
    }
}

/// A job as it is reported to a client that asks for it.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct OwnJob {
    /// The job.
    #[serde(flatten)]
    pub job: Job,
    /// The key that cancels it, sent as `X-Job-Key`: reported once, to the client that has put the
    /// job on the queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
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

/// Which jobs to list.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
pub struct ListParams {
    /// Only jobs in this state.
    state: Option<JobState>,
    /// How many on a page [default: 100, at most 500].
    #[param(schema_with = page_size)]
    limit: Option<u32>,
    /// The page after this: `next` of the page before.
    #[param(schema_with = job_place)]
    after: Option<String>,
}

/// Jobs, the latest first, without their plans. Where the server has a token, those on areas that
/// came as text are told only to whoever sends it
#[utoipa::path(get, path = "/v1/jobs", tag = "jobs", operation_id = "listJobs",
    params(ListParams),
    responses((status = OK, body = JobPage, description = "A page of jobs.")))]
pub async fn list(
    State(service): State<Service>,
    headers: HeaderMap,
    Query(params): Query<ListParams>,
) -> Result<Json<JobPage>, Problem> {
    let before = params.after.as_deref().map(place).transpose()?;
    let page = super::Page::new(params.limit)?;
    let named = service.token.as_ref().is_some_and(|token| token.check(&headers) != Some(true));
    let filter = JobFilter { state: params.state, named, before, limit: page.wanted() };
    let mut jobs = service.store.jobs(&filter).await?;
    let next = page.cut(&mut jobs, |job| format!("{}-{}", job.submitted_ms, job.id));
    for result in jobs.iter_mut().filter_map(|job| job.result.as_mut()) {
        result.report.plan = None;
    }
    Ok(Json(JobPage { jobs, next }))
}

/// A place in the list of jobs: time of submission and id.
fn place(word: &str) -> Result<(i64, String), Problem> {
    let parts = word.split_once('-').filter(|(ms, id)| {
        let is_time = ms.len() <= MAX_TIME_DIGITS && ms.bytes().all(|byte| byte.is_ascii_digit());
        is_time && is_id(id)
    });
    let place = parts.and_then(|(ms, id)| Some((ms.parse().ok()?, id.to_string())));
    place.ok_or_else(|| Problem::bad_request("after: not what `next` of a page says"))
}

fn is_id(word: &str) -> bool {
    (1..=MAX_JOB_ID).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

impl Service {
    async fn job(&self, id: &str) -> Result<Job, Problem> {
        let job = if is_id(id) { self.store.job(id).await? } else { None };
        job.ok_or_else(|| Problem::not_found("there is no such job, or it was long ago"))
    }
}

/// A job: where it is, how far, what was found
#[utoipa::path(get, path = "/v1/jobs/{id}", tag = "jobs", operation_id = "getJob",
    params(("id" = JobId, Path, description = "The job's id.")),
    responses((status = OK, body = Job, description = "The job."), NotFound))]
pub async fn one(
    State(service): State<Service>,
    Path(id): Path<String>,
) -> Result<Json<Job>, Problem> {
    service.job(&id).await.map(Json)
}

/// A job as it goes on: server-sent events named `job`, each with the job as JSON, until it is
/// through
#[utoipa::path(get, path = "/v1/jobs/{id}/events", tag = "jobs", operation_id = "followJob",
    params(("id" = JobId, Path, description = "The job's id.")),
    responses((status = OK, body = JobEvents, content_type = "text/event-stream",
        description = "A stream of events (`event: job`), each with a `Job` as JSON in one line of \
            `data`. It ends with the job."),
        NotFound))]
pub async fn events(
    State(service): State<Service>,
    Path(id): Path<String>,
    Extension(client): Extension<Client>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Problem> {
    let first = service.job(&id).await?;
    let too_many = |status, kind, title, most| {
        let detail = format!("{most} streams of events are open: ask for the job instead");
        Problem::new(status, kind, title, detail).retry_after(QUEUE_RETRY_SECONDS)
    };
    let counted = service.streams_each.count(client, MAX_STREAMS_EACH).ok_or_else(|| {
        let (status, title) = (StatusCode::TOO_MANY_REQUESTS, "Too many requests");
        too_many(status, "too-many-requests", title, MAX_STREAMS_EACH)
    })?;
    let permit = Arc::clone(&service.streams).try_acquire_owned().map_err(|_| {
        too_many(StatusCode::SERVICE_UNAVAILABLE, "busy", "The server is busy", MAX_STREAMS)
    })?;
    let until = Instant::now() + STREAM_TIME;
    let (told, id) = (String::new(), first.id);
    let watch = Watch { service, id, told, over: false, until, _places: (permit, counted) };
    Ok(Sse::new(stream::unfold(watch, Watch::tell)).keep_alive(KeepAlive::default()))
}

/// A client that watches a job.
struct Watch {
    service: Service,
    id: String,
    /// The job as it was reported last, as JSON.
    told: String,
    /// Whether that was the last time.
    over: bool,
    until: Instant,
    /// Its place among all streams, and among its client's.
    _places: (OwnedSemaphorePermit, Counted),
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
#[utoipa::path(get, path = "/v1/jobs/{id}/plan", tag = "jobs", operation_id = "getJobPlan",
    params(("id" = JobId, Path, description = "The job's id.")),
    responses((status = OK, body = String, content_type = "text/plain",
        description = "The plan in the game's own format."), NotFound))]
pub async fn plan(
    State(service): State<Service>,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let plan = service.job(&id).await?.result.and_then(|result| result.report.plan);
    plan.map(plain).ok_or_else(|| Problem::not_found("the job has no plan, or not yet"))
}

/// The certificate of what a job proved, as `outwit check` takes it
#[utoipa::path(get, path = "/v1/jobs/{id}/certificate", tag = "jobs",
    operation_id = "getJobCertificate",
    params(("id" = JobId, Path, description = "The job's id.")),
    responses((status = OK, body = String, content_type = "text/plain",
        description = "The certificate, with the job's plan."), NotFound))]
pub async fn certificate(
    State(service): State<Service>,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let result = service.job(&id).await?.result;
    let (plan, wish) = result.map(|result| (result.report.plan, result.certificate)).unzip();
    let Some(CertificateReport { text, reason }) = wish.flatten() else {
        return Err(Problem::not_found("the job was asked for no certificate, or has none yet"));
    };
    let text = text.ok_or_else(|| {
        let why = reason.unwrap_or_default();
        Problem::not_found(format!("what the job has found is not certified: {why}"))
    })?;
    let read = Certificate::read(&Source::new("certificate", text));
    let certificate = read.map_err(|diagnostic| Problem::fault(&diagnostic))?;
    Ok(plain(Certificate { plan: plan.flatten(), ..certificate }.to_string()))
}

/// Cancels a job; what was found until then stays. It takes the server's token or, where it has
/// none, the job's key
#[utoipa::path(delete, path = "/v1/jobs/{id}", tag = "jobs", operation_id = "cancelJob",
    security((), ("token" = [])),
    params(("id" = JobId, Path, description = "The job's id."),
        ("x-job-key" = Option<String>, Header, description = "The `key` of its submission.")),
    responses((status = OK, body = Job, description = "The job, cancelled or about to be."),
        NotYours, NotFound))]
pub async fn cancel(
    State(service): State<Service>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Json<Job>, Problem> {
    let id = service.job(&id).await?.id;
    // Where there is a token, who has come here has it.
    if service.token.is_none() {
        let key = headers.get(KEY).and_then(|key| key.to_str().ok()).unwrap_or_default();
        if !service.store.is_owner(&id, key).await? {
            let detail =
                format!("only who has asked for a job may cancel it: send its key as {KEY}");
            return Err(Problem::new(StatusCode::FORBIDDEN, "not-yours", "Not your job", detail));
        }
    }
    service.store.cancel(&id).await?;
    service.job(&id).await.map(Json)
}
