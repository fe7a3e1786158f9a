//! Connections: listening for them, and serving one: requests in time, and no more than that at a
//! reserved place.

use crate::service::client::asks_health;
use crate::service::connections::connection::{Life, Wire};
use crate::service::limits::{
    H2_CONNECTION_WINDOW, H2_HEADER_BYTES, H2_STREAM_WINDOW, H2_STREAMS, SEND_BUFFER_BYTES,
    WIRE_BUFFER_BYTES,
};
use crate::service::problem::Problem;
use axum::Router;
use axum::extract::{ConnectInfo, Request};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::Watcher;
use hyper_util::service::TowerToHyperService;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tower::ServiceExt;

/// Upper limit of the connections that may wait to be accepted.
const BACKLOG: u32 = 1024;

/// A connection at a reserved place.
#[derive(Clone)]
struct Reserved;

/// Listens on an address.
///
/// # Errors
/// What the system says.
pub fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    // A server that begins again finds its port free.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    // Connections take it over. Left to itself the system holds megabytes for each client that
    // does not read.
    socket.set_send_buffer_size(SEND_BUFFER_BYTES)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// A connection that is to be served.
pub struct Connection {
    /// The service that answers.
    pub router: Router,
    /// The address of the other end.
    pub peer: SocketAddr,
    /// The record of who keeps whom waiting.
    pub life: Arc<Life>,
    /// Whether only `/healthz` is answered.
    pub is_reserved: bool,
    /// The watcher that is told when the server is to end.
    pub watcher: Watcher,
}

impl Connection {
    /// Answers requests until the client or the server closes the connection.
    pub async fn serve(self, stream: TcpStream) {
        let Connection { router, peer, life, is_reserved, watcher } = self;
        let known = Arc::clone(&life);
        let service = router.map_request(move |mut request: Request<_>| {
            let extensions = request.extensions_mut();
            extensions.insert(ConnectInfo(peer));
            extensions.insert(Arc::clone(&known));
            if is_reserved {
                extensions.insert(Reserved);
            }
            request.map(axum::body::Body::new)
        });
        let wire = TokioIo::new(Wire::new(stream, Arc::clone(&life)));
        let service = TowerToHyperService::new(service);
        let connection = builder(life.patience()).serve_connection(wire, service).into_owned();
        tokio::select! {
            // What a client does to its connection is its own affair.
            _ = watcher.watch(connection) => {}
            why = life.over() => tracing::debug!(%peer, why, "a connection is given up"),
        }
    }
}

/// How connections are served whose client may keep the server waiting for `patience`.
fn builder(patience: Duration) -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(patience)
        .max_buf_size(WIRE_BUFFER_BYTES);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(patience)
        .keep_alive_timeout(patience)
        .max_concurrent_streams(H2_STREAMS)
        .max_header_list_size(H2_HEADER_BYTES)
        .max_send_buf_size(WIRE_BUFFER_BYTES)
        .initial_stream_window_size(H2_STREAM_WINDOW)
        .initial_connection_window_size(H2_CONNECTION_WINDOW);
    builder
}

/// Tells a client at a reserved place to come again, unless it asks how the server is.
pub async fn reserved(request: Request, next: Next) -> Response {
    if request.extensions().get::<Reserved>().is_none() {
        return next.run(request).await;
    }
    let mut response = if asks_health(request.uri().path()) {
        next.run(request).await
    } else {
        Problem::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "busy",
            "The server is busy",
            "it has as many connections as it can take",
        )
        .retry_after(crate::service::limits::BUSY_RETRY_SECONDS)
        .into_response()
    };
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}
