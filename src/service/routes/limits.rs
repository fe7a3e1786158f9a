//! What this server allows.

use crate::play::MAX_VIEW_CELLS;
use crate::service::Service;
use crate::service::library::LIBRARY_PATH;
use crate::service::limits::{MAX_AREA_BYTES, MAX_BODY_BYTES, MAX_PLAN_BYTES, MAX_PLAY_STEPS};
use crate::service::model::{BudgetLimits, SiteLimits};
use crate::service::problem::Json;
use axum::extract::State;

/// What this server allows, and what it takes where a request says nothing
#[utoipa::path(get, path = "/v1/limits", tag = "server", operation_id = "getLimits",
    responses((status = OK, body = SiteLimits, description = "The limits of this server.")))]
pub async fn show(State(service): State<Service>) -> Json<SiteLimits> {
    let limits = &service.limits;
    let most_budget = BudgetLimits {
        seconds: limits.job_seconds,
        memory_mib: limits.job_memory_mib,
        threads: limits.job_threads,
        processes: limits.job_processes,
        nodes: None,
    };
    Json(SiteLimits {
        needs_token: service.token.is_some(),
        most_budget,
        default_budget: limits.default_budget(),
        waiting_jobs: limits.queue,
        area_bytes: MAX_AREA_BYTES as u64,
        plan_bytes: MAX_PLAN_BYTES as u64,
        body_bytes: MAX_BODY_BYTES as u64,
        played_steps: MAX_PLAY_STEPS,
        shown_cells: MAX_VIEW_CELLS,
        library: service.library.as_ref().map(|_| LIBRARY_PATH),
    })
}
