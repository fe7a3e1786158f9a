//! The port of a worker on which monitors ask: whether it lives, whether its store answers, and what it does
//! in numbers.

use crate::service::Limits;
use crate::service::client::{HEALTH, LIFE};
use crate::service::connections::{self, Life, Open};
use crate::service::middleware::{metrics, request_id};
use crate::service::routes::health::{self, StoreWatch};
use crate::service::{UPKEEP, stopped};
use crate::store::Store;
use axum::Router;
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use axum::routing::get;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::watch;

/// Upper limit of the connections to the port of a worker.
const CONNECTIONS: usize = 64;
/// Time for which a monitor may keep a connection that it does not use: longer than the usual interval
/// between two questions.
const PATIENCE: Duration = Duration::from_secs(90);

/// Answers monitors until `stop` turns true.
///
/// # Errors
/// What the system says where the listener's thread cannot be started.
pub async fn serve(
    listener: TcpListener,
    store: Arc<dyn Store>,
    stop: watch::Receiver<bool>,
) -> io::Result<()> {
    metrics::install();
    let limits = Limits {
        connections: CONNECTIONS,
        connections_each: CONNECTIONS,
        patience: PATIENCE,
        ..Limits::default()
    };
    let router = router(StoreWatch::begin(store, stop.clone()));
    let upkeep = tokio::spawn(keep_small(stop.clone()));
    let served = connections::serve(listener, router, &limits, stop).await;
    upkeep.abort();
    served
}

async fn keep_small(stop: watch::Receiver<bool>) {
    let mut upkeep = tokio::time::interval(UPKEEP);
    loop {
        tokio::select! {
            () = stopped(stop.clone()) => return,
            _ = upkeep.tick() => metrics::upkeep(),
        }
    }
}

fn router(store_watch: StoreWatch) -> Router {
    Router::new()
        .route(HEALTH, get(health::health))
        .route(LIFE, get(health::life))
        .route(metrics::PATH, get(metrics::recorded))
        .layer(from_fn(connections::reserved))
        .layer(from_fn(count))
        .layer(from_fn(request_id::identify))
        .with_state(store_watch)
}

/// Counts a request for the life of its connection.
async fn count(request: Request, next: Next) -> Response {
    let life = request.extensions().get::<Arc<Life>>().cloned();
    let _open = life.as_ref().map(Open::new);
    next.run(request).await
}
