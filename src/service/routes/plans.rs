//! Plans that clients submit: verified, shown, kept where they are better.

use crate::certificate::Certificate;
use crate::check::{CheckError, check};
use crate::diagnostic::Source;
use crate::games::{Area, Session};
use crate::play::{Window, shown, standing};
use crate::report::CheckReport;
use crate::search::{Limits, Run};
use crate::service::document::{NotFound, Unreadable};
use crate::service::limits::{
    MAX_CHECK_BYTES, MAX_CHECK_TIME, MAX_FINDER, MAX_FRAME_CELLS, MAX_FRAMES, MAX_PLAN_BYTES,
};
use crate::service::model::{CheckRequest, Frame, FramesRequest, Verdict, VerifyRequest};
use crate::service::problem::Json;
use crate::service::{Problem, Service, areas::Meant};
use crate::store::AreaText;
use crate::verify::{Verified, steps, verify_level};
use axum::extract::State;
use axum::http::StatusCode;
use std::sync::Arc;

/// Does a plan hold, and if not, where does it fail and why
#[utoipa::path(post, path = "/v1/verify", tag = "plans", operation_id = "verifyPlan",
    request_body = VerifyRequest,
    responses((status = OK, body = Verdict, description = "The verdict."), NotFound, Unreadable))]
pub async fn verify_plan(
    State(service): State<Service>,
    Json(request): Json<VerifyRequest>,
) -> Result<Json<Verdict>, Problem> {
    Ok(Json(service.verdict(request).await?.0))
}

/// Verifies a plan and keeps it where it beats the best known one of its area
#[utoipa::path(post, path = "/v1/plans", tag = "plans", operation_id = "submitPlan",
    request_body = VerifyRequest, security((), ("token" = [])),
    responses((status = OK, body = Verdict, description = "The verdict."), NotFound, Unreadable))]
pub async fn submit(
    State(service): State<Service>,
    Json(request): Json<VerifyRequest>,
) -> Result<Json<Verdict>, Problem> {
    let by = request.by.as_deref().map_or(Ok(String::new()), finder)?;
    let (mut verdict, meant, plan) = service.verdict(request).await?;
    if let Some(plan) = plan {
        let area = AreaText::new(&*meant.area);
        verdict.best_known = service.store.keep_plan(&area.fingerprint, &plan, Some(&by)).await?;
    }
    Ok(Json(verdict))
}

/// Is what a certificate claims of an area proven by the rules alone? The check has a few seconds;
/// `outwit check` takes the time that it needs
#[utoipa::path(post, path = "/v1/check", tag = "plans", operation_id = "checkCertificate",
    request_body = CheckRequest,
    responses((status = OK, body = CheckReport, description = "What the check has come to."),
        NotFound, Unreadable))]
pub async fn certificate(
    State(service): State<Service>,
    Json(request): Json<CheckRequest>,
) -> Result<Json<CheckReport>, Problem> {
    let source = source_of("certificate", &request.certificate)?;
    let meant = service.meant(request.area).await?;
    let check = move || {
        let certificate = Certificate::read(&source);
        let certificate =
            certificate.map_err(|diagnostic| Problem::bad_certificate(&diagnostic))?;
        let (time, memory) = (MAX_CHECK_TIME, MAX_CHECK_BYTES);
        let limits = Limits { time, memory, threads: 1, ..Limits::default() };
        let checked = check(&*meant.area, &certificate, &Run::from(limits));
        match &checked {
            Err(error @ CheckError::Unsupported(_)) => Err(Problem::unfit(error.to_string())),
            checked => Ok(CheckReport::new(certificate.claim, checked)),
        }
    };
    service.checking.run(check).await.map(Json)
}

/// The name of who has found a plan, as it is shown: on one line, and empty where none is given.
fn finder(name: &str) -> Result<String, Problem> {
    if name.chars().count() > MAX_FINDER {
        return Err(Problem::bad_request(format!("by: a name of at most {MAX_FINDER} characters")));
    }
    let shown: String = name.chars().filter(|sign| !sign.is_control()).collect();
    Ok(shown.trim().into())
}

impl Service {
    /// The verdict on a plan, the area it is of, and the plan where it holds.
    async fn verdict(
        &self,
        request: VerifyRequest,
    ) -> Result<(Verdict, Meant, Option<Verified>), Problem> {
        let plan = plan_source(&request.plan)?;
        let meant = self.meant(request.area).await?;
        let (area, level) = (Arc::clone(&meant.area), meant.level);
        let judge = move || {
            let (mut verdict, verified) = match verify_level(&*area, level, &plan) {
                Ok(held) => (Verdict::valid(&held, &plan.text), Some(held)),
                Err(error) => (Verdict::invalid(error)?, None),
            };
            if let Some(wish) = &request.frames {
                verdict.frames = frames((&*area, level), &plan, wish)?;
            }
            Ok((verdict, verified))
        };
        let (verdict, verified) = self.work.run(judge).await?;
        Ok((verdict, meant, verified))
    }
}

/// A plan that came with a request.
///
/// # Errors
/// That it is too long.
pub fn plan_source(text: &str) -> Result<Source, Problem> {
    source_of("plan", text)
}

/// A text of a request; `what` names it in messages.
fn source_of(what: &str, text: &str) -> Result<Source, Problem> {
    if text.len() > MAX_PLAN_BYTES {
        let detail = format!("a {what} has at most {MAX_PLAN_BYTES} bytes");
        return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", "Too large", detail));
    }
    Ok(Source::new(what, text))
}

/// The boards of a plan, up to the first refused step.
fn frames(
    (area, level): (&dyn Area, Option<usize>),
    plan: &Source,
    wish: &FramesRequest,
) -> Result<Vec<Frame>, Problem> {
    if wish.count > MAX_FRAMES {
        return Err(Problem::bad_request(format!("at most {MAX_FRAMES} frames at once")));
    }
    let steps = steps(area, level, plan);
    let mut steps = steps.map_err(|diagnostic| Problem::bad_plan(&diagnostic))?;
    let mut session = area.session();
    let mut frames = Vec::new();
    let mut cells = 0;
    while (frames.len() as u64) < wish.count {
        if session.steps() >= wish.from {
            let frame = frame(&*session, wish.window);
            cells += u64::from(frame.window.rows) * u64::from(frame.window.cols);
            if cells > MAX_FRAME_CELLS {
                break;
            }
            frames.push(frame);
        }
        let Some(step) = steps.next() else { break };
        if session.act(&step.text).is_err() {
            break;
        }
    }
    Ok(frames)
}

fn frame(session: &dyn Session, window: Option<Window>) -> Frame {
    let view = session.view(shown(session, window));
    Frame {
        step: session.steps(),
        status: standing(&session.status()).0,
        window: view.window.into(),
        rows: view.rows,
    }
}
