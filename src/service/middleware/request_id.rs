//! The id of a request, by which an operator finds all that was done for it: in the header of the answer, in
//! each line of the log, and with the job that it asks for, so that the worker's log has it, too.

use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;
use std::sync::Arc;
use tracing::Instrument;

/// The header that carries the id, in requests and in answers.
pub const HEADER: HeaderName = HeaderName::from_static("x-request-id");
/// Upper limit of the length of an id that a client or a proxy gives, in characters.
pub const MAX_LENGTH: usize = 64;

/// The id of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestId(pub Arc<str>);

impl RequestId {
    /// The id that a request brings along, where it is one that can be logged as it is; else a new one.
    fn of(request: &Request) -> Self {
        let given = request.headers().get(&HEADER).and_then(|value| value.to_str().ok());
        match given.filter(|id| is_plain(id)) {
            Some(id) => RequestId(id.into()),
            None => RequestId(ulid::Ulid::generate().to_string().into()),
        }
    }
}

/// Whether an id is short and has no letter that could be mistaken for something else in a log.
fn is_plain(id: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:/+=".contains(&byte);
    (1..=MAX_LENGTH).contains(&id.len()) && id.bytes().all(is_plain)
}

/// Gives each request an id, and its answer the same.
pub async fn identify(mut request: Request, next: Next) -> Response {
    let id = RequestId::of(&request);
    request.extensions_mut().insert(id.clone());
    let span = tracing::info_span!("http", request = %id.0);
    let mut response = next.run(request).instrument(span).await;
    if let Ok(value) = HeaderValue::from_str(&id.0) {
        response.headers_mut().insert(HEADER, value);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;

    fn id(header: Option<&[u8]>) -> String {
        let mut request = Request::new(Body::empty());
        if let Some(value) = header {
            let value = HeaderValue::from_bytes(value).expect("it is a header");
            request.headers_mut().insert(HEADER, value);
        }
        RequestId::of(&request).0.to_string()
    }

    #[test]
    fn an_id_is_kept_where_it_is_plain() {
        for plain in ["a", "01HZX-7.b_c", "trace:1/2+3=", &"x".repeat(MAX_LENGTH)] {
            assert_eq!(id(Some(plain.as_bytes())), plain);
        }
        for other in ["", "a b", "a\tb", "a\"b", "{}", &"x".repeat(MAX_LENGTH + 1)] {
            assert_eq!(id(Some(other.as_bytes())).len(), 26, "{other:?} is replaced");
        }
        assert_eq!(id(Some(b"a\xffb")).len(), 26);
        assert_ne!(id(None), id(None));
    }
}
