//! Whether the process and its store answer.
//!
//! The store is asked once a second, on a connection of its own, and `/healthz` reports what it
//! said last: a monitor is answered at once, whatever else goes on. Requests that wait for a store
//! that is known to be away are refused, too. `/livez` is answered as long as the process lives: to start it
//! again would not bring a store back.

use crate::service::limits::{STORE_GRACE, STORE_LOOK, STORE_PATIENCE};
use crate::service::problem::{Problem, no_store};
use crate::service::{Service, stopped};
use crate::store::{Store, StoreError};
use axum::extract::{FromRef, State};
use std::sync::Arc;
use tokio::sync::watch;

/// Why the store could not be used when it was asked last; none where it answered.
type Trouble = Option<String>;

/// The state of the store, as a task finds it that asks again and again.
#[derive(Debug, Clone)]
pub struct StoreWatch(watch::Receiver<Trouble>);

impl StoreWatch {
    /// Asks a store from now on, until the process is to end; to be called within a runtime.
    pub fn begin(store: Arc<dyn Store>, stop: watch::Receiver<bool>) -> Self {
        let (tell, trouble) = watch::channel(None);
        tokio::spawn(watch_store(store, tell, stop));
        StoreWatch(trouble)
    }

    /// Why the store cannot be used, as far as is known; none where it answers.
    pub fn trouble(&self) -> Option<String> {
        self.0.borrow().clone()
    }

    /// Waits until the store has been away for a while.
    pub async fn is_away(&self) -> Problem {
        let mut trouble = self.0.clone();
        loop {
            if trouble.wait_for(Option::is_some).await.is_err() {
                // Nobody watches any more: the service comes to its end.
                return std::future::pending().await;
            }
            tokio::time::sleep(STORE_GRACE).await;
            if let Some(cause) = &*trouble.borrow() {
                return no_store(cause);
            }
        }
    }
}

impl FromRef<Service> for StoreWatch {
    fn from_ref(service: &Service) -> Self {
        service.store_watch.clone()
    }
}

async fn watch_store(
    store: Arc<dyn Store>,
    tell: watch::Sender<Trouble>,
    stop: watch::Receiver<bool>,
) {
    let mut looks = tokio::time::interval(STORE_LOOK);
    looks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = stopped(stop.clone()) => return,
            _ = looks.tick() => {}
        }
        let trouble = match tokio::time::timeout(STORE_PATIENCE, store.ping()).await {
            Ok(Ok(())) => None,
            Ok(Err(StoreError::Database(error))) => Some(error.to_string()),
            Ok(Err(error)) => Some(error.to_string()),
            Err(_) => Some(format!("no answer within {} s", STORE_PATIENCE.as_secs())),
        };
        metrics::gauge!("outwit_store_up").set(if trouble.is_none() { 1.0 } else { 0.0 });
        tell.send_if_modified(|last| {
            match (&*last, &trouble) {
                (None, Some(cause)) => tracing::error!(cause, "the store does not answer"),
                (Some(_), None) => tracing::info!("the store answers again"),
                _ => {}
            }
            let is_new = *last != trouble;
            *last = trouble;
            is_new
        });
    }
}

/// Whether the server and its store answer
#[utoipa::path(get, path = "/healthz", tag = "server", operation_id = "getHealth",
    responses((status = OK, body = String, content_type = "text/plain",
        description = "Both answer.")))]
pub async fn health(State(store): State<StoreWatch>) -> Result<&'static str, Problem> {
    match store.trouble() {
        None => Ok("ok\n"),
        Some(cause) => Err(no_store(&cause)),
    }
}

/// Whether the server lives, whatever its store does
#[utoipa::path(get, path = "/livez", tag = "server", operation_id = "getLife",
    responses((status = OK, body = String, content_type = "text/plain",
        description = "It lives.")))]
pub async fn life() -> &'static str {
    "ok\n"
}
