//! Plans over HTTP: the API, the page, the limits that hold them.
//!
//! Requests are answered from the store and by the games' reference rules. The runtime's threads
//! only wait: what reads, replays or steps runs in [`work`], and searching is the business of
//! workers, which take jobs from the store's queue. Every bound is in [`limits`].

pub mod areas;
pub mod jobs;
pub mod limits;
pub mod model;
mod page;
pub mod plans;
pub mod play;
mod problem;
pub mod work;

pub use problem::{Place, Problem};

use areas::Catalogue;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::routing::get;
use std::path::PathBuf;
use std::sync::Arc;
use tower_http::set_header::SetResponseHeaderLayer;
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use work::Work;

/// What all requests share.
#[derive(Clone)]
pub struct Service {
    catalogue: Arc<Catalogue>,
    plays: Arc<play::Plays>,
    work: Work,
}

impl Service {
    /// A service with the areas of some folders and files.
    pub fn new(areas: &[PathBuf]) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
        Service {
            catalogue: Arc::new(Catalogue::read(areas)),
            plays: Arc::default(),
            work: Work::new(cores),
        }
    }
}

/// The document that describes the API.
#[derive(OpenApi)]
#[openapi(
    info(title = "outwit", description = "Plans for deterministic grid games, each proven by replaying it.\n\n\
        Errors are `application/problem+json` (RFC 9457); where an input is wrong they carry line and column."),
    tags(
        (name = "areas", description = "Games, stored areas, their best known plans"),
        (name = "plans", description = "Verifying plans"),
        (name = "play", description = "Playing by hand, watching plans"),
        (name = "jobs", description = "Asking for plans"),
    ),
)]
struct Document;

/// All routes.
pub fn router(service: Service) -> Router {
    let (api, document) = OpenApiRouter::with_openapi(Document::openapi())
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
        .split_for_parts();
    let document = document.to_json().unwrap_or_default();
    let document = move || async move {
        ([(axum::http::header::CONTENT_TYPE, "application/json")], document.clone())
    };
    api.route("/v1/openapi.json", get(document))
        .merge(page::routes())
        .route("/healthz", get(|| async { "ok\n" }))
        .fallback(nothing_there)
        .method_not_allowed_fallback(wrong_method)
        .layer(DefaultBodyLimit::max(limits::MAX_BODY_BYTES))
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
