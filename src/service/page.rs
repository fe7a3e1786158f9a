//! The page: three files that are part of the binary, and the headers that keep it to itself.

use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};

/// What the page may do: load its own files, talk to its own server, nothing else.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";

fn file(media_type: &'static str, content: &'static str) -> Response {
    let headers: [(HeaderName, HeaderValue); 4] = [
        (header::CONTENT_TYPE, HeaderValue::from_static(media_type)),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(CONTENT_SECURITY_POLICY)),
        (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    ];
    (headers, content).into_response()
}

/// `/`
pub async fn index() -> Response {
    file("text/html; charset=utf-8", include_str!("page/index.html"))
}

/// `/app.js`
pub async fn script() -> Response {
    file("text/javascript; charset=utf-8", include_str!("page/app.js"))
}

/// `/style.css`
pub async fn style() -> Response {
    file("text/css; charset=utf-8", include_str!("page/style.css"))
}
