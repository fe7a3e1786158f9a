//! The page: three files that are part of the binary, and the headers that keep it to itself.

use super::{Problem, Service};
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};

/// What the page may do: load its own files, talk to its own server, nothing else.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";

/// Answers with a file of the page: the one in the binary, or the one of a folder that a site has
/// put in its place.
async fn file(
    service: &Service,
    name: &str,
    media_type: &'static str,
    own: &'static str,
) -> Response {
    let content = match &service.page {
        None => own.into(),
        Some(folder) => match tokio::fs::read(folder.join(name)).await {
            Ok(content) => Bytes::from(content),
            Err(error) => {
                tracing::warn!(%error, name, "the page's folder lacks a file");
                return Problem::not_found(format!("{name} is missing")).into_response();
            }
        },
    };
    let headers: [(HeaderName, HeaderValue); 4] = [
        (header::CONTENT_TYPE, HeaderValue::from_static(media_type)),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(CONTENT_SECURITY_POLICY)),
        (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    ];
    (headers, content).into_response()
}

/// `/`
pub async fn index(State(service): State<Service>) -> Response {
    let own = include_str!("page/index.html");
    file(&service, "index.html", "text/html; charset=utf-8", own).await
}

/// `/app.js`
pub async fn script(State(service): State<Service>) -> Response {
    let own = include_str!("page/app.js");
    file(&service, "app.js", "text/javascript; charset=utf-8", own).await
}

/// `/style.css`
pub async fn style(State(service): State<Service>) -> Response {
    let own = include_str!("page/style.css");
    file(&service, "style.css", "text/css; charset=utf-8", own).await
}
