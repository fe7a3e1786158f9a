//! The page: files that are part of the binary, and the headers that keep it to itself.
//!
//! It needs no build step: plain HTML, a style sheet, and modules as the browser takes them. A new
//! module is a line in [`FILES`].

use super::Service;
use axum::Router;
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

/// What the page may do: load its own files, talk to its own server, nothing else.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";

const SCRIPT: &str = "text/javascript; charset=utf-8";

/// A file of the page.
#[derive(Clone, Copy)]
struct File {
    path: &'static str,
    media_type: &'static str,
    content: &'static str,
}

macro_rules! file {
    ($path:literal, $name:literal, $media_type:expr) => {
        File { path: $path, media_type: $media_type, content: include_str!(concat!("page/", $name)) }
    };
}

/// All of them.
const FILES: &[File] = &[
    file!("/", "index.html", "text/html; charset=utf-8"),
    file!("/style.css", "style.css", "text/css; charset=utf-8"),
    file!("/api.js", "api.js", SCRIPT),
    file!("/app.js", "app.js", SCRIPT),
    file!("/areas.js", "areas.js", SCRIPT),
    file!("/board.js", "board.js", SCRIPT),
    file!("/check.js", "check.js", SCRIPT),
    file!("/dom.js", "dom.js", SCRIPT),
    file!("/game.js", "game.js", SCRIPT),
    file!("/labyrinth.js", "labyrinth.js", SCRIPT),
    file!("/paths.js", "paths.js", SCRIPT),
    file!("/plans.js", "plans.js", SCRIPT),
    file!("/play.js", "play.js", SCRIPT),
    file!("/solve.js", "solve.js", SCRIPT),
    file!("/tiles.js", "tiles.js", SCRIPT),
    file!("/watch.js", "watch.js", SCRIPT),
];

impl IntoResponse for File {
    fn into_response(self) -> Response {
        let headers: [(HeaderName, HeaderValue); 4] = [
            (header::CONTENT_TYPE, HeaderValue::from_static(self.media_type)),
            (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
            (
                header::CONTENT_SECURITY_POLICY,
                HeaderValue::from_static(CONTENT_SECURITY_POLICY),
            ),
            (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
        ];
        (headers, self.content).into_response()
    }
}

/// The routes of all of them.
pub fn routes() -> Router<Service> {
    let add = |router: Router<Service>, &file: &File| {
        router.route(file.path, get(move || async move { file }))
    };
    FILES.iter().fold(Router::new(), add)
}
