//! What went wrong with a request, as `application/problem+json` (RFC 9457).
//!
//! A wrong area or plan carries the reader's diagnostic: line, column, the line itself, what would
//! be right. Nothing of the server's own inside is told: that goes to the log.

use crate::diagnostic::Diagnostic;
use crate::json::{Object, exact};
use crate::service::limits::STORE_RETRY_SECONDS;
use crate::store::StoreError;
use axum::body::Bytes;
use axum::extract::rejection::{BytesRejection, PathRejection, QueryRejection};
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;
use utoipa::ToSchema;

/// The media type of [`Problem`].
pub const MEDIA_TYPE: &str = "application/problem+json";

/// A problem, as RFC 9457 has it, with a diagnostic where an input is wrong.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Problem {
    /// What kind of problem: one of a fixed set of words, as `/problems/bad-area`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The kind in a few words.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// What is wrong this time, one sentence.
    pub detail: String,
    /// Where an area, a plan or the request's JSON is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diagnostic: Option<Place>,
    /// Seconds after which to try again, where that is known; the header `Retry-After` says the
    /// same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u64>,
}

/// Where an input is wrong. Lines and columns count from 1, columns in characters; 0 is the input
/// as a whole.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Place {
    /// Which input: `area`, `plan` or `request`.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
    /// How many characters are wrong.
    pub length: usize,
    /// The fault, in one sentence.
    pub message: String,
    /// What would be right.
    #[schema(required)]
    pub help: Option<String>,
    /// The offending line, cut where it is long.
    pub text: String,
}

/// Upper limit of the characters of a diagnostic's line that are reported.
const SHOWN_CHARACTERS: usize = 200;

impl From<&Diagnostic> for Place {
    fn from(diagnostic: &Diagnostic) -> Self {
        Place {
            file: diagnostic.file.clone(),
            line: diagnostic.line,
            column: diagnostic.column,
            length: diagnostic.length,
            message: diagnostic.message.clone(),
            help: diagnostic.help.clone(),
            text: diagnostic.text.chars().take(SHOWN_CHARACTERS).collect(),
        }
    }
}

impl Problem {
    /// A problem of a kind, with its title and what is wrong this time.
    pub fn new(status: StatusCode, kind: &str, title: &str, detail: impl Into<String>) -> Self {
        Problem {
            kind: format!("/problems/{kind}"),
            title: title.into(),
            status: status.as_u16(),
            detail: detail.into(),
            diagnostic: None,
            retry_after: None,
        }
    }

    /// Adds when to try again, in seconds.
    #[must_use]
    pub fn retry_after(mut self, seconds: u64) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    /// The request itself makes no sense.
    pub fn bad_request(detail: impl Into<String>) -> Self {
        Problem::new(StatusCode::BAD_REQUEST, "bad-request", "The request makes no sense", detail)
    }

    /// The request is well formed, but asks for what the area or the game does not have.
    pub fn unfit(detail: impl Into<String>) -> Self {
        let title = "The request does not fit";
        Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "unfit", title, detail)
    }

    /// The area cannot be read.
    pub fn bad_area(diagnostic: &Diagnostic) -> Self {
        Problem::of_diagnostic("bad-area", "The area cannot be read", diagnostic)
    }

    /// The plan cannot be read.
    pub fn bad_plan(diagnostic: &Diagnostic) -> Self {
        Problem::of_diagnostic("bad-plan", "The plan cannot be read", diagnostic)
    }

    /// The certificate cannot be read.
    pub fn bad_certificate(diagnostic: &Diagnostic) -> Self {
        Problem::of_diagnostic("bad-certificate", "The certificate cannot be read", diagnostic)
    }

    fn of_diagnostic(kind: &str, title: &str, diagnostic: &Diagnostic) -> Self {
        let detail = diagnostic.to_string();
        let mut problem = Problem::new(StatusCode::UNPROCESSABLE_ENTITY, kind, title, detail);
        problem.diagnostic = Some(diagnostic.into());
        problem
    }

    /// There is no such thing.
    pub fn not_found(detail: impl Into<String>) -> Self {
        Problem::new(StatusCode::NOT_FOUND, "not-found", "There is no such thing", detail)
    }

    /// A fault of ours; what it is goes to the log, not to the client.
    pub fn fault(what: &dyn std::fmt::Display) -> Self {
        tracing::error!(error = %what, "a request failed by a fault of ours");
        Problem::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "fault",
            "A fault of the server",
            "the server's log says more",
        )
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let body = serde_json::to_vec(&self).unwrap_or_default();
        let mut response = (status, body).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE));
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, seconds.into());
        }
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

/// That the store cannot be used, and why.
pub fn no_store(cause: &str) -> Problem {
    Problem::new(
        StatusCode::SERVICE_UNAVAILABLE,
        "no-store",
        "The store does not answer",
        format!("the store cannot be used now: {cause}"),
    )
    .retry_after(STORE_RETRY_SECONDS)
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        match error.away() {
            Some(cause) => {
                tracing::warn!(cause, "a request needs the store");
                no_store(&cause)
            }
            None => Problem::fault(&error),
        }
    }
}

impl From<BytesRejection> for Problem {
    fn from(rejection: BytesRejection) -> Self {
        match rejection.status() {
            status @ StatusCode::PAYLOAD_TOO_LARGE => {
                Problem::new(status, "too-large", "Too large", rejection.body_text())
            }
            _ => Problem::bad_request(rejection.body_text()),
        }
    }
}

impl From<serde_json::Error> for Problem {
    fn from(error: serde_json::Error) -> Self {
        let mut problem = Problem::bad_request(error.to_string());
        problem.diagnostic = Some(Place {
            file: "request".into(),
            line: error.line(),
            column: error.column(),
            length: 1,
            message: error.to_string(),
            help: None,
            text: String::new(),
        });
        problem
    }
}

impl From<PathRejection> for Problem {
    fn from(rejection: PathRejection) -> Self {
        Problem::bad_request(rejection.body_text())
    }
}

impl From<QueryRejection> for Problem {
    fn from(rejection: QueryRejection) -> Self {
        Problem::bad_request(rejection.body_text())
    }
}

/// Mark that some programs write at the beginning of a text, in UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A body of JSON; what is wrong with one is reported with line and column.
pub struct Json<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        check_content(request.headers())?;
        let body = Bytes::from_request(request, state).await?;
        let body = body.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&body);
        let Object(content) = serde_json::from_slice(&exact(body))?;
        Ok(Json(content))
    }
}

/// Refuses bodies that are not JSON as it is.
fn check_content(headers: &HeaderMap) -> Result<(), Problem> {
    let word = |name| headers.get(name).map(|value| value.to_str().unwrap_or_default().trim());
    let media_type = word(header::CONTENT_TYPE).and_then(|value| value.split(';').next());
    let is_json = media_type.is_some_and(|it| it.trim().eq_ignore_ascii_case("application/json"));
    let is_plain =
        word(header::CONTENT_ENCODING).is_none_or(|it| it.eq_ignore_ascii_case("identity"));
    let detail = match (is_json, is_plain) {
        (true, true) => return Ok(()),
        (false, _) => "send JSON, with the header `content-type: application/json`",
        (true, false) => "send JSON as it is, without `content-encoding`",
    };
    let title = "The request makes no sense";
    Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "bad-request", title, detail))
}

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        axum::Json(self.0).into_response()
    }
}

/// Parts of the path; `axum`'s, but what it refuses is a [`Problem`].
#[derive(axum::extract::FromRequestParts)]
#[from_request(via(axum::extract::Path), rejection(Problem))]
pub struct Path<T>(pub T);

/// The query string; `axum`'s, but what it refuses is a [`Problem`].
#[derive(axum::extract::FromRequestParts)]
#[from_request(via(axum::extract::Query), rejection(Problem))]
pub struct Query<T>(pub T);
