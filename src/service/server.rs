//! Connections: so many at once, heads in time, and an end that lets requests through.

use super::limits::{GRACE, HEAD_TIMEOUT, MAX_CONNECTIONS};
use super::stopped;
use axum::Router;
use axum::extract::{ConnectInfo, Request};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tower::ServiceExt;

/// After a failure to accept (no file handles left, say) the server waits this long.
const AFTER_FAILURE: Duration = Duration::from_millis(100);

/// Serves connections until `stop` turns true; then those that are open may end.
pub async fn serve(listener: TcpListener, router: Router, stop: watch::Receiver<bool>) {
    let room = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let graceful = GracefulShutdown::new();
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT);
    builder.http2().timer(TokioTimer::new());
    loop {
        let accept = async {
            let permit = Arc::clone(&room).acquire_owned().await;
            (permit, listener.accept().await)
        };
        let (permit, accepted) = tokio::select! {
            accepted = accept => accepted,
            () = stopped(stop.clone()) => break,
        };
        let (stream, client) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(AFTER_FAILURE).await;
                continue;
            }
        };
        // Small answers go out at once; that a socket cannot do so is no reason to refuse it.
        let _ = stream.set_nodelay(true);
        let service = router.clone().map_request(move |mut request: Request<_>| {
            request.extensions_mut().insert(ConnectInfo(client));
            request.map(axum::body::Body::new)
        });
        let service = TowerToHyperService::new(service);
        let connection = builder.serve_connection(TokioIo::new(stream), service).into_owned();
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            // What a client does to its connection is its own affair.
            let _ = connection.await;
            drop(permit);
        });
    }
    drop(listener);
    if tokio::time::timeout(GRACE, graceful.shutdown()).await.is_err() {
        tracing::warn!("some requests did not end in time");
    }
}
