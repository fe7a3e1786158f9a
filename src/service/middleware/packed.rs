//! Answers that are compressed, and answers that a client has already.
//!
//! Content that stays as it is (the page, areas) is compressed once, off the runtime's threads, and
//! kept under its tag: later clients get the same bytes, and one that sends the tag along
//! (`If-None-Match`) gets none at all. Other answers are compressed as they go, where they are
//! long.

use crate::service::limits::{MIN_PACKED_BYTES, PACKED_LEVEL, PASSING_LEVEL};
use crate::service::middleware::body::{Shared, whole};
use crate::service::{Problem, Service};
use crate::store::digest;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;
use std::sync::Arc;

/// Content that stays as it is, packed and not.
pub struct Packed {
    plain: Bytes,
    gzip: Option<Bytes>,
}

impl Packed {
    fn new(plain: Bytes) -> Self {
        Packed { gzip: pack(&plain, PACKED_LEVEL), plain }
    }

    /// Bytes held.
    fn weight(&self) -> u64 {
        (self.plain.len() + self.gzip.as_ref().map_or(0, Bytes::len)) as u64
    }
}

/// Packs what is worth it.
fn pack(plain: &[u8], level: u32) -> Option<Bytes> {
    if plain.len() < MIN_PACKED_BYTES {
        return None;
    }
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(level));
    encoder.write_all(plain).ok()?;
    let gzip = encoder.finish().ok()?;
    (gzip.len() < plain.len()).then(|| gzip.into())
}

/// A short name of content that consists of some texts.
pub fn tag(texts: &[&str]) -> String {
    let mut tag = digest(texts);
    tag.truncate(32);
    tag
}

/// Content that stays as it is, under its tag: an answer that [`pack_answers`] completes.
struct Constant {
    tag: String,
    media_type: &'static str,
    packed: Arc<Packed>,
}

impl IntoResponse for Constant {
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::empty());
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.media_type));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        // A weak one: it stands for the content, packed or not.
        if let Ok(tag) = HeaderValue::from_str(&format!("W/\"{}\"", self.tag)) {
            headers.insert(header::ETAG, tag);
        }
        response.extensions_mut().insert(self.packed);
        response
    }
}

impl Service {
    /// Answers with content that is packed already.
    pub fn packed(&self, tag: &str, media_type: &'static str) -> Option<Response> {
        let packed = self.packed.get(tag)?;
        Some(Constant { tag: tag.into(), media_type, packed }.into_response())
    }

    /// Answers with content that stays as it is as long as its tag does.
    ///
    /// # Errors
    /// The content's own problem; that too much waits to be packed.
    pub async fn constant(
        &self,
        tag: String,
        media_type: &'static str,
        content: impl FnOnce() -> Result<Bytes, Problem> + Send + 'static,
    ) -> Result<Response, Problem> {
        if let Some(packed) = self.packed(&tag, media_type) {
            return Ok(packed);
        }
        let (cache, name) = (Arc::clone(&self.packed), tag.clone());
        let pack = move || {
            // Another request may have packed it while this one waited.
            if let Some(packed) = cache.get(&name) {
                return Ok(packed);
            }
            let packed = Arc::new(Packed::new(content()?));
            cache.put(&name, Arc::clone(&packed), packed.weight());
            Ok(packed)
        };
        let packed = self.packing.run(pack).await?;
        Ok(Constant { tag, media_type, packed }.into_response())
    }
}

/// Whether the client takes gzip.
fn takes_gzip(headers: &HeaderMap) -> bool {
    let words = headers.get_all(header::ACCEPT_ENCODING).iter();
    let words = words.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(','));
    let mut takes = None;
    for word in words {
        let (name, parameters) = word.split_once(';').unwrap_or((word, ""));
        let weight = parameters.trim().strip_prefix("q=").map(str::trim);
        let is_refused = weight.and_then(|weight| weight.parse().ok()) == Some(0.0_f32);
        match name.trim() {
            name if name.eq_ignore_ascii_case("gzip") => return !is_refused,
            "*" => takes = Some(!is_refused),
            _ => {}
        }
    }
    takes.unwrap_or(false)
}

/// Whether the client has what the answer would tell it.
fn has_it(asked: &HeaderMap, response: &Response) -> bool {
    let bare = |tag: &str| tag.trim().trim_start_matches("W/").to_string();
    let tag = response.headers().get(header::ETAG).and_then(|tag| tag.to_str().ok()).map(bare);
    let Some(tag) = tag.filter(|_| response.status() == StatusCode::OK) else { return false };
    let known = asked.get_all(header::IF_NONE_MATCH).iter();
    let mut known =
        known.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(','));
    known.any(|one| one.trim() == "*" || bare(one) == tag)
}

/// Packs answers where the client takes that, and leaves out what it has.
pub async fn pack_answers(
    State(service): State<Service>,
    request: Request,
    next: Next,
) -> Response {
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    let is_head = request.method() == Method::HEAD;
    let takes_gzip = takes_gzip(request.headers());
    let mut asked = HeaderMap::new();
    for value in request.headers().get_all(header::IF_NONE_MATCH) {
        asked.append(header::IF_NONE_MATCH, value.clone());
    }
    let mut response = next.run(request).await;
    if reads && has_it(&asked, &response) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        *response.body_mut() = Body::empty();
        response.extensions_mut().remove::<Arc<Packed>>();
        response.headers_mut().remove(header::CONTENT_LENGTH);
        response.headers_mut().remove(header::CONTENT_TYPE);
        return with_vary(response);
    }
    match response.extensions_mut().remove::<Arc<Packed>>() {
        Some(packed) => constant_answer(response, &packed, takes_gzip, is_head),
        None if takes_gzip && !is_head => passing_answer(response, &service).await,
        None => response,
    }
}

fn with_vary(mut response: Response) -> Response {
    let vary = HeaderValue::from_static("accept-encoding");
    response.headers_mut().insert(header::VARY, vary);
    response
}

fn say_gzip(response: &mut Response) {
    let gzip = HeaderValue::from_static("gzip");
    response.headers_mut().insert(header::CONTENT_ENCODING, gzip);
}

fn constant_answer(
    mut response: Response,
    packed: &Packed,
    takes_gzip: bool,
    is_head: bool,
) -> Response {
    let gzip = packed.gzip.as_ref().filter(|_| takes_gzip);
    if gzip.is_some() {
        say_gzip(&mut response);
    }
    let content = gzip.unwrap_or(&packed.plain);
    response.headers_mut().insert(header::CONTENT_LENGTH, content.len().into());
    if !is_head {
        response.extensions_mut().insert(Shared(content.clone()));
    }
    with_vary(response)
}

async fn passing_answer(response: Response, service: &Service) -> Response {
    let (head, body) = response.into_parts();
    let content = match whole(body) {
        Ok(content) => content,
        // What comes bit by bit (events) goes out as it comes.
        Err(stream) => return Response::from_parts(head, stream),
    };
    if content.len() < MIN_PACKED_BYTES {
        return Response::from_parts(head, content.into());
    }
    let plain = content.clone();
    let gzip = service.packing.run(move || Ok(pack(&plain, PASSING_LEVEL))).await;
    // Where no thread has the time to compress it, it goes out as it is.
    let Ok(Some(gzip)) = gzip else {
        return with_vary(Response::from_parts(head, content.into()));
    };
    let mut response = Response::from_parts(head, gzip.into());
    response.headers_mut().remove(header::CONTENT_LENGTH);
    say_gzip(&mut response);
    with_vary(response)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    fn headers(name: header::HeaderName, value: &str) -> HeaderMap {
        let value = HeaderValue::from_str(value).expect("it is a header");
        HeaderMap::from_iter([(name, value)])
    }

    #[test]
    fn gzip_is_sent_to_whoever_takes_it() {
        for takes in ["gzip", "br, GZIP;q=0.5", "*", "deflate, *;q=0.1", "identity;q=0, gzip; q=1"]
        {
            assert!(takes_gzip(&headers(header::ACCEPT_ENCODING, takes)), "{takes}");
        }
        for not in ["", "br", "gzip;q=0", "gzip; q=0.0, *", "*;q=0", "xgzip"] {
            assert!(!takes_gzip(&headers(header::ACCEPT_ENCODING, not)), "{not}");
        }
    }

    #[test]
    fn a_tag_is_found_in_a_list() {
        let mut response = Response::new(Body::empty());
        response.headers_mut().insert(header::ETAG, HeaderValue::from_static("W/\"a\""));
        for known in ["W/\"a\"", "\"a\"", "\"b\", W/\"a\"", "*"] {
            assert!(has_it(&headers(header::IF_NONE_MATCH, known), &response), "{known}");
        }
        for other in ["\"b\"", "", "a"] {
            assert!(!has_it(&headers(header::IF_NONE_MATCH, other), &response), "{other}");
        }
        *response.status_mut() = StatusCode::NOT_FOUND;
        assert!(!has_it(&headers(header::IF_NONE_MATCH, "*"), &response));
    }

    #[test]
    fn what_is_packed_is_the_same_again() {
        let plain = Bytes::from("outwit ".repeat(MIN_PACKED_BYTES));
        let packed = Packed::new(plain.clone());
        let gzip = packed.gzip.as_ref().expect("it is worth it");
        let mut again = Vec::new();
        flate2::read::GzDecoder::new(&gzip[..]).read_to_end(&mut again).expect("it is gzip");
        assert_eq!(again, plain);
        assert_eq!(packed.weight() as usize, plain.len() + gzip.len());
        assert!(Packed::new(Bytes::from_static(b"short")).gzip.is_none());
    }
}
