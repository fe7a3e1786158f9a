//! Any request gets an answer that is not the server's fault: method and path in the first line, the
//! type of the body in the second, the body after them. `TOKEN` in a path is that of a game in progress.

use super::input;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderValue, Method, Request, StatusCode, header};
use outwit::service::{Limits, Service, router};
use outwit::store::{self, Location};
use std::sync::{Mutex, OnceLock, PoisonError};
use tokio::runtime::Runtime;
use tower::Service as _;

/// Bytes of an answer; none is larger.
const MOST_BYTES: usize = 64 << 20;
/// Jobs that may wait: nobody does them.
const QUEUE: u64 = 1000;
/// The game that is in progress.
const GAME: &str = "#######\n#@ $ .#\n#######\n";

/// One service for all inputs, on a store in a folder of its own.
struct Server {
    runtime: Runtime,
    router: Router,
    /// The token of a game in progress.
    token: Mutex<String>,
    _folder: tempfile::TempDir,
    _stop: tokio::sync::watch::Sender<bool>,
}

impl Server {
    fn start() -> Server {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let runtime = Runtime::new().expect("a runtime starts");
        let (stop, stopped) = tokio::sync::watch::channel(false);
        let router = runtime.block_on(async {
            let file = Location::File(folder.path().join("store.db"));
            let store =
                store::open(&file, store::REQUEST_CONNECTIONS).await.expect("a store can be made");
            let limits = Limits { rate: None, queue: QUEUE, ..Limits::default() };
            router(Service::new(store, limits, None, stopped).expect("threads start"))
        });
        Server { runtime, router, token: Mutex::default(), _folder: folder, _stop: stop }
    }

    /// A path with the token of a game in progress where it asks for one.
    fn complete(&self, path: &str) -> String {
        if !path.contains("TOKEN") {
            return path.to_string();
        }
        let mut token = self.token.lock().unwrap_or_else(PoisonError::into_inner);
        let is_gone = |token: &str| {
            let look = Request::get(format!("/v1/play/{token}/plan")).body(Body::empty());
            look.map_or(true, |look| self.send(look).0 != StatusCode::OK)
        };
        if token.is_empty() || is_gone(&token) {
            let area = serde_json::json!({ "game": "sokoban", "text": GAME });
            let body = serde_json::json!({ "area": area }).to_string();
            let begin = Request::post("/v1/play").header(header::CONTENT_TYPE, "application/json");
            let (_, answer) = self.send(begin.body(Body::from(body)).expect("a request"));
            let answer: serde_json::Value = serde_json::from_slice(&answer).unwrap_or_default();
            *token = answer["token"].as_str().expect("a game begins").to_string();
        }
        path.replace("TOKEN", &token)
    }

    /// The status and the body of the answer to a request; no body for a stream of events, which
    /// goes on as long as its job does.
    fn send(&self, mut request: Request<Body>) -> (StatusCode, Vec<u8>) {
        request.headers_mut().insert(header::HOST, HeaderValue::from_static("localhost"));
        let mut router = self.router.clone();
        self.runtime.block_on(async {
            let answer = match router.call(request).await {
                Ok(answer) => answer,
                Err(never) => match never {},
            };
            let status = answer.status();
            let kind = answer.headers().get(header::CONTENT_TYPE).cloned();
            if kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream")) {
                return (status, Vec::new());
            }
            let body = to_bytes(answer.into_body(), MOST_BYTES).await;
            (status, body.expect("an answer has an end").to_vec())
        })
    }
}

/// Sends a request.
pub fn run(data: &[u8]) {
    static SERVER: OnceLock<Server> = OnceLock::new();
    let mut lines = data.splitn(3, |&byte| byte == b'\n');
    let mut line = || input::text(lines.next().unwrap_or_default());
    let (first, kind) = (line(), line());
    let body = lines.next().unwrap_or_default().to_vec();
    let (method, path) = first.split_once(' ').unwrap_or(("POST", &first));
    let server = SERVER.get_or_init(Server::start);
    let request = Request::builder()
        .method(Method::from_bytes(method.as_bytes()).unwrap_or(Method::POST))
        .uri(server.complete(path))
        .header(header::CONTENT_TYPE, kind.trim())
        .body(Body::from(body));
    // What is no request never comes that far.
    let Ok(request) = request else { return };
    let (status, body) = server.send(request);
    let is_fault = status.is_server_error() && status != StatusCode::SERVICE_UNAVAILABLE;
    assert!(!is_fault, "{first}: {status}: {}", String::from_utf8_lossy(&body));
    if status.is_client_error() && method != "HEAD" {
        let problem: Result<serde_json::Value, _> = serde_json::from_slice(&body);
        let problem = problem.expect("what is wrong is told as JSON");
        assert_eq!(problem["status"], status.as_u16(), "{first}: {problem}");
    }
}
