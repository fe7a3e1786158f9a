//! The listener: a thread of its own that accepts connections.
//!
//! It accepts them as fast as they come, so that none waits in the system's queue behind many
//! others, and finds them slots. A client that first of all asks how the server is gets the answer
//! here, without a slot, whatever the runtime's threads are busy with. Every other connection is
//! handed to the runtime once the client has sent something: one that says nothing costs no more
//! than its socket.

use crate::service::Limits;
use crate::service::client::{self, Proxies};
use crate::service::connections::connection::{InHand, Life};
use crate::service::connections::server::Connection;
use crate::service::connections::slots::{Slot, Slots, TooSoon};
use crate::service::limits::{GRACE, HEARING, MAX_PENDING, RESERVED_PATIENCE};
use crate::service::stopped;
use axum::Router;
use hyper_util::server::graceful::GracefulShutdown;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Handle;
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore, watch};

/// Time that the server waits after a failure to accept.
const AFTER_FAILURE: Duration = Duration::from_millis(100);
/// Upper limit of what is looked at of a client's first bytes, in bytes.
const FIRST_WORDS: usize = 1024;

/// Serves connections until `stop` turns true; then those that are open may end. To be called
/// within the runtime that is to serve them.
///
/// # Errors
/// What the system says where the listener's thread cannot be started.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    limits: &Limits,
    stop: watch::Receiver<bool>,
) -> io::Result<()> {
    let acceptor = Arc::new(Acceptor {
        router,
        slots: Slots::new(limits.connections, limits.connections_each),
        pending: Arc::new(Semaphore::new(MAX_PENDING.min(limits.connections))),
        turn: Mutex::default(),
        proxies: limits.proxies.clone(),
        patience: limits.patience,
        graceful: GracefulShutdown::new(),
        main: Handle::current(),
    });
    let listener = listener.into_std()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let here = Arc::clone(&acceptor);
    let accept = move || {
        // Connections that wait here when the listener stops go with the runtime.
        runtime.block_on(async { here.accept(TcpListener::from_std(listener)?, stop).await })
    };
    let thread = std::thread::Builder::new().name("acceptor".into()).spawn(accept)?;
    let ended = tokio::task::spawn_blocking(move || thread.join()).await?;
    ended.map_err(|_| io::Error::other("the acceptor's thread has panicked"))??;
    let Some(acceptor) = Arc::into_inner(acceptor) else { return Ok(()) };
    if tokio::time::timeout(GRACE, acceptor.graceful.shutdown()).await.is_err() {
        tracing::warn!("some requests did not end in time");
    }
    Ok(())
}

struct Acceptor {
    router: Router,
    slots: Arc<Slots>,
    /// Permits of the connections that have no slot yet.
    pending: Arc<Semaphore>,
    /// The connection that was accepted first gets the first slot that is free.
    turn: Mutex<()>,
    proxies: Proxies,
    patience: Duration,
    graceful: GracefulShutdown,
    /// The runtime that serves.
    main: Handle,
}

/// What a client sends first.
enum First {
    /// It asks how the server is.
    Health,
    /// Something else.
    Other,
    /// Nothing, and it will not: it is gone, or was closed.
    Nothing,
}

/// A connection after its first bytes: what they are, since when the server has it in hand, its slot.
struct Opening {
    first: First,
    in_hand: InHand,
    life: Arc<Life>,
    slot: Option<Slot>,
}

impl Acceptor {
    async fn accept(
        self: Arc<Self>,
        listener: TcpListener,
        stop: watch::Receiver<bool>,
    ) -> io::Result<()> {
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                () = stopped(stop.clone()) => return Ok(()),
            };
            match accepted {
                Ok((stream, peer)) => {
                    let permit = Arc::clone(&self.pending).acquire_owned().await;
                    let permit = permit.map_err(io::Error::other)?;
                    tokio::spawn(Arc::clone(&self).admit(stream, peer, permit));
                    // The last connection is read from before the next one is accepted.
                    tokio::task::yield_now().await;
                }
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    // No handles remain, say: the idlest connection gives its handle back.
                    self.slots.make_room();
                    tokio::time::sleep(AFTER_FAILURE).await;
                }
            }
        }
    }

    /// Gives a connection a slot, reads what it wants, and has it served.
    async fn admit(
        self: Arc<Self>,
        stream: TcpStream,
        peer: SocketAddr,
        permit: OwnedSemaphorePermit,
    ) {
        // Small answers go out at once; that a socket cannot do so is no reason to refuse it.
        let _ = stream.set_nodelay(true);
        let Some((opening, permit)) = self.first_bytes(&stream, peer, permit).await else { return };
        let Opening { first, in_hand, life, slot } = opening;
        let connection = Connection {
            router: self.router.clone(),
            peer,
            life,
            is_reserved: slot.as_ref().is_some_and(Slot::is_reserved),
            watcher: self.graceful.watcher(),
        };
        match first {
            First::Health => {
                drop(in_hand);
                // There is one answer, and no more on this thread.
                let life = Life::new(RESERVED_PATIENCE);
                Connection { life, is_reserved: true, ..connection }.serve(stream).await;
            }
            First::Other => return self.hand_on(stream, connection, in_hand, slot),
            First::Nothing => {}
        }
        drop((permit, slot));
        self.slots.measure();
    }

    /// Waits for a client's first bytes, and meanwhile for a slot; none where there is no slot
    /// for it. The permit to wait comes back where it is still needed.
    async fn first_bytes(
        &self,
        stream: &TcpStream,
        peer: SocketAddr,
        permit: OwnedSemaphorePermit,
    ) -> Option<(Opening, Option<OwnedSemaphorePermit>)> {
        let client = Some(peer.ip()).filter(|&ip| !self.proxies.contains(ip));
        let life = Life::new(self.patience);
        life.listen();
        let mut first = pin!(first_words(stream));
        let mut slot = pin!(self.slot(client, &life));
        let slot = tokio::select! {
            biased;
            first = &mut first => {
                let in_hand = InHand::new(&life);
                if !matches!(first, First::Other) {
                    let opening = Opening { first, in_hand, life: Arc::clone(&life), slot: None };
                    return Some((opening, Some(permit)));
                }
                let slot = slot.await?;
                let life = life_at(&slot, &life);
                return Some((Opening { first, in_hand, life, slot: Some(slot) }, None));
            }
            slot = &mut slot => slot?,
        };
        drop(permit);
        let life = life_at(&slot, &life);
        let first = tokio::select! {
            first = first => first,
            why = life.over() => {
                tracing::debug!(%peer, why, "a connection is given up");
                First::Nothing
            }
        };
        let in_hand = InHand::new(&life);
        Some((Opening { first, in_hand, life, slot: Some(slot) }, None))
    }

    /// Waits for a slot; none where even the reserved ones are taken.
    async fn slot(&self, client: Option<IpAddr>, life: &Arc<Life>) -> Option<Slot> {
        let _turn = self.turn.lock().await;
        let slot = loop {
            match self.slots.take(client, life) {
                Ok(slot) => break slot,
                Err(TooSoon) => tokio::time::sleep(HEARING / 4).await,
            }
        };
        if slot.is_none() {
            metrics::counter!("outwit_connections_refused_total").increment(1);
        }
        self.slots.measure();
        slot
    }

    /// Has the runtime serve a connection.
    fn hand_on(
        &self,
        stream: TcpStream,
        connection: Connection,
        in_hand: InHand,
        slot: Option<Slot>,
    ) {
        let slots = Arc::clone(&self.slots);
        // A socket that cannot be handed on is one that is gone.
        let Ok(stream) = stream.into_std() else { return };
        self.main.spawn(async move {
            if let Ok(stream) = TcpStream::from_std(stream) {
                drop(in_hand);
                connection.serve(stream).await;
            }
            drop(slot);
            slots.measure();
        });
    }
}

/// The life of a connection at its slot: a reserved one is only for a short time.
fn life_at(slot: &Slot, life: &Arc<Life>) -> Arc<Life> {
    if slot.is_reserved() { Life::new(RESERVED_PATIENCE) } else { Arc::clone(life) }
}

/// Waits for the first bytes on a connection, and leaves them there.
async fn first_words(stream: &TcpStream) -> First {
    let mut words = [0; FIRST_WORDS];
    match stream.peek(&mut words).await {
        Ok(0) | Err(_) => First::Nothing,
        Ok(count) if asks_health(&words[..count]) => First::Health,
        Ok(_) => First::Other,
    }
}

/// Whether bytes are a whole request that asks how the server is, and nothing more.
fn asks_health(words: &[u8]) -> bool {
    let Ok(words) = std::str::from_utf8(words) else { return false };
    let Some((line, headers)) = words.split_once("\r\n") else { return false };
    let mut line = line.split(' ');
    let is_read = matches!(line.next(), Some("GET" | "HEAD"));
    let path = line.next().unwrap_or_default();
    let path = path.split_once('?').map_or(path, |(path, _)| path);
    let has_body = |header: &str| {
        let (name, value) = header.split_once(':').unwrap_or_default();
        name.eq_ignore_ascii_case("transfer-encoding")
            || name.eq_ignore_ascii_case("content-length") && value.trim() != "0"
    };
    let is_whole = headers.ends_with("\r\n\r\n") && headers.matches("\r\n\r\n").count() == 1;
    let is_bare = headers == "\r\n";
    is_read && client::asks_health(path) && (is_whole || is_bare) && !headers.lines().any(has_body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_question_for_the_health_is_answered_at_the_door() {
        for health in [
            "GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n",
            "GET /healthz HTTP/1.0\r\n\r\n",
            "GET /livez HTTP/1.0\r\n\r\n",
            "GET /healthz HTTP/1.1\r\nhost: a\r\nContent-Length: 0\r\n\r\n",
            "HEAD /healthz?x=1 HTTP/1.1\r\nhost: a\r\nuser-agent: b\r\n\r\n",
        ] {
            assert!(asks_health(health.as_bytes()), "{health:?}");
        }
        for other in [
            "GET /healthz HTTP/1.1\r\nhost: a\r\n",
            "GET /healthz HTTP/1.1\r\n",
            "GET /healthz",
            "GET /healthzz HTTP/1.1\r\nhost: a\r\n\r\n",
            "POST /healthz HTTP/1.1\r\nhost: a\r\n\r\n",
            "GET / HTTP/1.1\r\nhost: a\r\n\r\n",
            "GET /healthz HTTP/1.1\r\nContent-Length: 3\r\n\r\n",
            "GET /healthz HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n",
            "GET /healthz HTTP/1.1\r\nhost: a\r\n\r\nGET / HTTP/1.1\r\nhost: a\r\n\r\n",
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            "",
        ] {
            assert!(!asks_health(other.as_bytes()), "{other:?}");
        }
        assert!(!asks_health(b"GET /healthz \xff\r\n\r\n"));
    }
}
