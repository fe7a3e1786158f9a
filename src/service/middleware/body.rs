//! Bodies: those of requests are whole before anything is done, those of answers go out piece by
//! piece. What both take of the memory has its bounds, whatever clients do.

use crate::service::connections::{InHand, Life, Open, Sending};
use crate::service::limits::{
    BUSY_RETRY_SECONDS, COUNTED_BYTES, MAX_BODY_BYTES, MAX_RECEIVING_BYTES, MAX_SENDING_BYTES,
    PIECE_BYTES,
};
use crate::service::{Problem, Service, client};
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body_util::BodyExt;
use hyper::body::{Frame, SizeHint};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The memory of bodies that come and go.
#[derive(Debug, Clone)]
pub struct Memory {
    receiving: Arc<Semaphore>,
    sending: Arc<Semaphore>,
}

impl Memory {
    /// The memory of all bodies, none of it taken.
    pub fn new() -> Self {
        let of = |bytes| Arc::new(Semaphore::new(bytes));
        Memory { receiving: of(MAX_RECEIVING_BYTES), sending: of(MAX_SENDING_BYTES) }
    }
}

fn take(memory: &Arc<Semaphore>, bytes: usize) -> Result<OwnedSemaphorePermit, Problem> {
    let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
    Arc::clone(memory).try_acquire_many_owned(bytes).map_err(|_| {
        Problem::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "busy",
            "The server is busy",
            "too much is being sent to and fro",
        )
        .retry_after(BUSY_RETRY_SECONDS)
    })
}

/// Refuses a body that is said to be too long.
fn check(request: &Request) -> Result<(), Problem> {
    let least = HttpBody::size_hint(request.body()).lower();
    if least > MAX_BODY_BYTES as u64 { Err(too_large()) } else { Ok(()) }
}

fn too_large() -> Problem {
    let detail = format!("a body has at most {MAX_BODY_BYTES} bytes");
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", "Too large", detail)
}

/// Reads a whole body; the memory it takes is given back with the second part.
async fn read(
    body: Body,
    patience: Duration,
    memory: &Arc<Semaphore>,
) -> Result<(Bytes, Vec<OwnedSemaphorePermit>), Problem> {
    let (mut body, mut content, mut taken) = (body, Vec::new(), Vec::new());
    if body.is_end_stream() {
        return Ok((Bytes::new(), taken));
    }
    let whole = async {
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|_| Problem::bad_request("the body breaks off"))?;
            let Ok(data) = frame.into_data() else { continue };
            if content.len() + data.len() > MAX_BODY_BYTES {
                return Err(too_large());
            }
            taken.push(take(memory, data.len())?);
            content.extend_from_slice(&data);
        }
        Ok(())
    };
    match tokio::time::timeout(patience, whole).await {
        Ok(whole) => whole.map(|()| (content.into(), taken)),
        Err(_) => {
            let detail = format!("the body was not there within {} s", patience.as_secs_f64());
            let status = StatusCode::REQUEST_TIMEOUT;
            Err(Problem::new(status, "too-slow", "The request took too long", detail))
        }
    }
}

/// The connection that a request has come on.
fn life(request: &Request, service: &Service) -> Arc<Life> {
    let life = request.extensions().get::<Arc<Life>>().cloned();
    life.unwrap_or_else(|| Life::new(service.limits.patience))
}

/// Watches a request from its head to the last byte of its answer.
pub async fn watch(State(service): State<Service>, request: Request, next: Next) -> Response {
    let life = life(&request, &service);
    let open = Open::new(&life);
    // Until it is known to be whole.
    life.linger(!request.body().is_end_stream());
    let response = next.run(request).await;
    outgoing(response, Sending::new(open), &service.memory.sending)
}

/// Has a request whole before anything is done for it.
pub async fn receive(State(service): State<Service>, request: Request, next: Next) -> Response {
    let life = life(&request, &service);
    if let Err(problem) = check(&request) {
        return problem.into_response();
    }
    let (head, body) = request.into_parts();
    match read(body, life.patience(), &service.memory.receiving).await {
        Ok((body, _taken)) => {
            life.linger(false);
            let _in_hand = InHand::new(&life);
            next.run(Request::from_parts(head, body.into())).await
        }
        Err(problem) => {
            let mut response = problem.into_response();
            let close = HeaderValue::from_static("close");
            response.headers_mut().insert(header::CONNECTION, close);
            response
        }
    }
}

/// What a piece of an answer keeps until it is written.
struct Held {
    content: Bytes,
    _sending: Arc<Sending>,
    _memory: Option<OwnedSemaphorePermit>,
    _counted: Option<Arc<client::Counted>>,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.content
    }
}

/// Content that many answers share, and that none has to account for.
#[derive(Clone)]
pub struct Shared(pub Bytes);

/// Sends an answer piece by piece.
fn outgoing(response: Response, sending: Arc<Sending>, memory: &Arc<Semaphore>) -> Response {
    let (mut head, body) = response.into_parts();
    let counted = head.extensions.remove::<Arc<client::Counted>>();
    let content = match head.extensions.remove::<Shared>() {
        Some(Shared(content)) => Some((content, None)),
        None => match whole(body) {
            Err(stream) => {
                let body = Outgoing { content: Content::Stream(stream), sending, counted };
                return Response::from_parts(head, Body::new(body));
            }
            Ok(content) if content.len() < COUNTED_BYTES => Some((content, None)),
            Ok(content) => match take(memory, content.len()) {
                Ok(permit) => Some((content, Some(permit))),
                Err(problem) => return problem.into_response(),
            },
        },
    };
    let Some((content, memory)) = content.filter(|(content, _)| !content.is_empty()) else {
        return Response::from_parts(head, Body::empty());
    };
    let held = Held { content, _sending: Arc::clone(&sending), _memory: memory, _counted: counted };
    let content = Content::Whole(Bytes::from_owner(held));
    Response::from_parts(head, Body::new(Outgoing { content, sending, counted: None }))
}

/// The content of a body that is there already; the body where it is still to come.
pub fn whole(mut body: Body) -> Result<Bytes, Body> {
    if HttpBody::size_hint(&body).exact().is_none() {
        return Err(body);
    }
    let mut content = Vec::new();
    let mut context = Context::from_waker(std::task::Waker::noop());
    loop {
        match Pin::new(&mut body).poll_frame(&mut context) {
            Poll::Ready(Some(Ok(frame))) => {
                let Ok(data) = frame.into_data() else { continue };
                if content.is_empty() && body.is_end_stream() {
                    return Ok(data);
                }
                content.extend_from_slice(&data);
            }
            Poll::Ready(None) => return Ok(content.into()),
            // No body of ours says how long it is and then lets us wait.
            Poll::Ready(Some(Err(_))) | Poll::Pending => return Err(body),
        }
    }
}

enum Content {
    Whole(Bytes),
    Stream(Body),
}

/// The body of an answer: no more is handed on than the client takes.
struct Outgoing {
    content: Content,
    sending: Arc<Sending>,
    #[allow(dead_code, reason = "it counts as long as it is here")]
    counted: Option<Arc<client::Counted>>,
}

impl HttpBody for Outgoing {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = match &mut self.content {
            Content::Whole(content) if content.is_empty() => Poll::Ready(None),
            Content::Whole(content) => {
                let piece = content.split_to(content.len().min(PIECE_BYTES));
                Poll::Ready(Some(Ok(Frame::data(piece))))
            }
            Content::Stream(stream) => Pin::new(stream).poll_frame(cx),
        };
        if frame.is_ready() {
            self.sending.handed_on();
        } else {
            self.sending.has_nothing();
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        match &self.content {
            Content::Whole(content) => content.is_empty(),
            Content::Stream(stream) => stream.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.content {
            Content::Whole(content) => SizeHint::with_exact(content.len() as u64),
            Content::Stream(stream) => HttpBody::size_hint(stream),
        }
    }
}
