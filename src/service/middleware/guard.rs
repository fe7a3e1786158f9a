//! Who comes in: the rate of each client, the token of writing calls, the time a request may take.

use crate::service::client::{Client, asks_health, network};
use crate::service::limits::{BUSY_RETRY_SECONDS, MAX_RATED_CLIENTS, REQUEST_TIMEOUT};
use crate::service::{Problem, Service};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use sha2::{Digest, Sha256};
use std::net::IpAddr;
use std::num::NonZeroU32;

/// Requests that a client may send at once, as a multiple of its rate a second.
const BURST: u32 = 2;
/// The routes whose calls write, and need the token where there is one.
const WRITING: [(Method, &str); 3] =
    [(Method::POST, "/v1/jobs"), (Method::DELETE, "/v1/jobs/"), (Method::POST, "/v1/plans")];

/// Limit on the requests of each client in time.
#[derive(Debug)]
pub struct Rate {
    limiter: DefaultKeyedRateLimiter<IpAddr>,
}

impl Rate {
    /// A limit of `a_second` requests a second from each client, on average.
    pub fn new(a_second: NonZeroU32) -> Self {
        let burst = a_second.saturating_mul(NonZeroU32::MIN.saturating_add(BURST - 1));
        let quota = Quota::per_second(a_second).allow_burst(burst);
        Rate { limiter: RateLimiter::keyed(quota) }
    }

    /// Lets a client in, or says how many seconds it has to wait.
    fn admit(&self, client: IpAddr) -> Result<(), u64> {
        if self.limiter.len() > MAX_RATED_CLIENTS {
            self.limiter.retain_recent();
        }
        let refused = self.limiter.check_key(&network(client)).err();
        let wait = refused.map(|until| until.wait_time_from(DefaultClock::default().now()));
        wait.map_or(Ok(()), |wait| Err(wait.as_secs() + 1))
    }
}

/// Refuses clients that come too often. Whether the server lives anyone may ask at any time.
pub async fn rate(State(service): State<Service>, request: Request, next: Next) -> Response {
    let Client(client) = Client::of(&request);
    if let Some(rate) = &service.rate
        && !asks_health(request.uri().path())
        && let Err(seconds) = rate.admit(client)
    {
        return Problem::new(
            StatusCode::TOO_MANY_REQUESTS,
            "too-many-requests",
            "Too many requests",
            "this client comes too often",
        )
        .retry_after(seconds)
        .into_response();
    }
    next.run(request).await
}

/// The token of writing calls, as its hash: comparing tells nothing of the token.
#[derive(Debug)]
pub struct Token([u8; 32]);

impl Token {
    /// The hash of the token itself.
    pub fn new(token: &str) -> Self {
        Token(Sha256::digest(token.as_bytes()).into())
    }

    /// Whether the token that a request carries is right; none where it carries none.
    pub fn check(&self, headers: &HeaderMap) -> Option<bool> {
        let given = headers.get(header::AUTHORIZATION).and_then(|it| it.to_str().ok());
        let given = given.and_then(|it| it.split_once(' '));
        let given = given.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
        given.map(|(_, given)| Token::new(given.trim()).0 == self.0)
    }
}

/// Refuses writing calls without the token, where there is one.
pub async fn token(State(service): State<Service>, request: Request, next: Next) -> Response {
    let writes = WRITING.iter().any(|(method, path)| {
        let at = request.uri().path();
        request.method() == method && (at == *path || path.ends_with('/') && at.starts_with(path))
    });
    if let (Some(token), true) = (&service.token, writes) {
        let refused = match token.check(request.headers()) {
            None => Some(("A token is needed", "send it as `Authorization: Bearer TOKEN`")),
            Some(false) => {
                Some(("The token is wrong", "it is not the one that this server asks for"))
            }
            Some(true) => None,
        };
        if let Some((title, detail)) = refused {
            let status = StatusCode::UNAUTHORIZED;
            return Problem::new(status, "unauthorized", title, detail).into_response();
        }
    }
    next.run(request).await
}

/// Answers for requests that take too long, and for those that wait for a store that is away.
pub async fn deadline(State(service): State<Service>, request: Request, next: Next) -> Response {
    let late = || {
        Problem::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "timeout",
            "It took too long",
            format!("there was no answer within {} s", REQUEST_TIMEOUT.as_secs()),
        )
        .retry_after(BUSY_RETRY_SECONDS)
    };
    tokio::select! {
        biased;
        response = next.run(request) => response,
        problem = service.store_watch.is_away() => problem.into_response(),
        () = tokio::time::sleep(REQUEST_TIMEOUT) => late().into_response(),
    }
}

/// What a handler that panics answers.
pub fn panicked(panic: Box<dyn std::any::Any + Send>) -> Response {
    let text = panic.downcast_ref::<&str>().map(|text| text.to_string());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
    Problem::fault(&format!("a handler panicked: {text}")).into_response()
}
