//! The page: files that are part of the binary, and the headers that keep it to itself.
//!
//! It needs no build step: plain HTML, a style sheet, and modules as the browser takes them. A new
//! module is a line in [`FILES`].

use crate::service::library::LIBRARY_PATH;
use crate::service::middleware::packed::tag;
use crate::service::{Problem, Service};
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use axum::routing::get;

/// What the page may do: load its own files, talk to its own server, nothing else.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";
/// The same policy where the page has the library in WebAssembly to run.
const POLICY_WITH_LIBRARY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; \
    worker-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const HTML: &str = "text/html; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const WASM: &str = "application/wasm";

/// A file of the page.
struct File {
    name: &'static str,
    media_type: &'static str,
    content: &'static str,
}

macro_rules! file {
    ($name:literal, $media_type:expr) => {
        File {
            name: $name,
            media_type: $media_type,
            content: include_str!(concat!("page/", $name)),
        }
    };
}

/// All of them; the first one is at `/`.
static FILES: &[File] = &[
    file!("index.html", HTML),
    file!("style.css", STYLE),
    file!("app.js", SCRIPT),
    file!("dom.js", SCRIPT),
    file!("game.js", SCRIPT),
    file!("games.js", SCRIPT),
    file!("rules.js", SCRIPT),
    file!("areas/areas.js", SCRIPT),
    file!("areas/backup.js", SCRIPT),
    file!("areas/collections.js", SCRIPT),
    file!("areas/done.js", SCRIPT),
    file!("areas/levels.js", SCRIPT),
    file!("areas/making.js", SCRIPT),
    file!("areas/own.js", SCRIPT),
    file!("areas/records.js", SCRIPT),
    file!("areas/share.js", SCRIPT),
    file!("board/board.js", SCRIPT),
    file!("board/motion.js", SCRIPT),
    file!("board/outside.js", SCRIPT),
    file!("board/paths.js", SCRIPT),
    file!("board/pointers.js", SCRIPT),
    file!("board/push.js", SCRIPT),
    file!("board/tiles.js", SCRIPT),
    file!("board/walls.js", SCRIPT),
    file!("judge/api.js", SCRIPT),
    file!("judge/clerk.js", SCRIPT),
    file!("judge/errand.js", SCRIPT),
    file!("judge/judge.js", SCRIPT),
    file!("judge/local.js", SCRIPT),
    file!("judge/prober.js", SCRIPT),
    file!("judge/stepper.js", SCRIPT),
    file!("judge/worker.js", SCRIPT),
    file!("panels/check.js", SCRIPT),
    file!("panels/hint.js", SCRIPT),
    file!("panels/play.js", SCRIPT),
    file!("panels/snapshots.js", SCRIPT),
    file!("panels/solve.js", SCRIPT),
    file!("panels/warning.js", SCRIPT),
    file!("panels/watch.js", SCRIPT),
    file!("panels/won.js", SCRIPT),
    file!("workshop/draft.js", SCRIPT),
    file!("workshop/drafts.js", SCRIPT),
    file!("workshop/edit.js", SCRIPT),
    file!("workshop/line.js", SCRIPT),
];

impl File {
    /// Answers with this file: the one in the binary, or the one of a folder that a site has put
    /// in its place.
    async fn serve(&self, service: &Service) -> Result<Response, Problem> {
        let content = match &service.page {
            None => Bytes::from_static(self.content.as_bytes()),
            Some(folder) => match tokio::fs::read(folder.join(self.name)).await {
                Ok(content) => content.into(),
                Err(error) => {
                    tracing::warn!(%error, name = self.name, "the page's folder lacks a file");
                    return Err(Problem::not_found(format!("{} is missing", self.name)));
                }
            },
        };
        let tag = tag(&[self.name, &String::from_utf8_lossy(&content)]);
        let mut response = service.constant(tag, self.media_type, move || Ok(content)).await?;
        let headers = response.headers_mut();
        let policy = match service.library {
            Some(_) => POLICY_WITH_LIBRARY,
            None => CONTENT_SECURITY_POLICY,
        };
        let policy = HeaderValue::from_static(policy);
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
        headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
        Ok(response)
    }
}

/// Answers with the library in WebAssembly, where the site has it.
async fn library(State(service): State<Service>) -> Result<Response, Problem> {
    let Some(library) = service.library.clone() else {
        return Err(Problem::not_found("this server has no library in WebAssembly"));
    };
    service.constant(library.tag, WASM, move || Ok(library.content)).await
}

/// The routes of all of them.
pub fn routes() -> Router<Service> {
    let router = Router::new().route(LIBRARY_PATH, get(library));
    FILES.iter().enumerate().fold(router, |router, (number, file)| {
        let path = if number == 0 { "/".into() } else { format!("/{}", file.name) };
        let serve = move |State(service): State<Service>| async move { file.serve(&service).await };
        router.route(&path, get(serve))
    })
}
