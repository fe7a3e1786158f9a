//! Connections: so many at once, requests in time, and an end that lets requests through.

use super::Limits;
use super::client::{HEALTH, Proxies};
use super::connection::{Life, Wire};
use super::limits::{
    GRACE, H2_CONNECTION_WINDOW, H2_HEADER_BYTES, H2_STREAM_WINDOW, H2_STREAMS, HEARING,
    RESERVED_PATIENCE, SEND_BUFFER_BYTES, WIRE_BUFFER_BYTES,
};
use super::problem::Problem;
use super::room::{Place, Room, TooSoon};
use super::stopped;
use axum::Router;
use axum::extract::{ConnectInfo, Request};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::watch;
use tower::ServiceExt;

/// After a failure to accept the server waits this long.
const AFTER_FAILURE: Duration = Duration::from_millis(100);
/// Connections that may wait to be accepted.
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

/// Serves connections until `stop` turns true; then those that are open may end.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    limits: &Limits,
    stop: watch::Receiver<bool>,
) {
    let server = Server {
        router,
        room: Room::new(limits.connections, limits.connections_each),
        proxies: limits.proxies.clone(),
        patience: limits.patience,
        graceful: GracefulShutdown::new(),
    };
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stopped(stop.clone()) => break,
        };
        match accepted {
            Ok((stream, peer)) => {
                server.welcome(stream, peer).await;
                // Whoever came before is heard before the next one comes.
                tokio::task::yield_now().await;
            }
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                // No handles are left, say: whoever is quiet gives his back.
                server.room.make_room();
                tokio::time::sleep(AFTER_FAILURE).await;
            }
        }
    }
    drop(listener);
    if tokio::time::timeout(GRACE, server.graceful.shutdown()).await.is_err() {
        tracing::warn!("some requests did not end in time");
    }
}

struct Server {
    router: Router,
    room: Arc<Room>,
    proxies: Proxies,
    patience: Duration,
    graceful: GracefulShutdown,
}

impl Server {
    /// Gives a connection a place, and serves it there.
    async fn welcome(&self, stream: TcpStream, peer: SocketAddr) {
        let client = Some(peer.ip()).filter(|&ip| !self.proxies.contains(ip));
        let (life, place) = loop {
            let life = Life::new(self.patience);
            match self.room.enter(client, &life) {
                Ok(place) => break (life, place),
                Err(TooSoon) => tokio::time::sleep(HEARING / 4).await,
            }
        };
        let Some(place) = place else {
            metrics::counter!("outwit_connections_refused_total").increment(1);
            return;
        };
        metrics::gauge!("outwit_connections").set(self.room.count() as f64);
        // A life of its own: at a reserved place nobody may stay.
        let life = if place.is_reserved() { Life::new(RESERVED_PATIENCE) } else { life };
        // Small answers go out at once; that a socket cannot do so is no reason to refuse it.
        let _ = stream.set_nodelay(true);
        let (router, known) = (self.router.clone(), Arc::clone(&life));
        let is_reserved = place.is_reserved();
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
        let connection = self.graceful.watch(connection);
        let room = Arc::clone(&self.room);
        tokio::spawn(async move {
            tokio::select! {
                // What a client does to its connection is its own affair.
                _ = connection => {}
                why = life.over() => tracing::debug!(%peer, why, "a connection is given up"),
            }
            drop::<Place>(place);
            metrics::gauge!("outwit_connections").set(room.count() as f64);
        });
    }
}

/// How connections are served whose client may keep us waiting for so long.
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

/// Tells whoever sits at a reserved place to come again, unless it asks how the server is.
pub async fn reserved(request: Request, next: Next) -> Response {
    if request.extensions().get::<Reserved>().is_none() {
        return next.run(request).await;
    }
    let mut response = if request.uri().path() == HEALTH {
        next.run(request).await
    } else {
        Problem::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "busy",
            "The server is busy",
            "it has as many connections as it can take",
        )
        .retry_after(super::limits::BUSY_RETRY_SECONDS)
        .into_response()
    };
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}
