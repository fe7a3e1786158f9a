//! A connection and its client: who keeps whom waiting.
//!
//! [`Wire`] is the socket; [`Life`] is what the server knows of it. A client that keeps the server
//! waiting longer than its patience is disconnected, whatever it does meanwhile: one that sends no
//! whole request, one that asks for nothing more, one that does not read its answer. HTTP/2 has a
//! window for each stream, so that a client may read from its socket and still take no answer: each
//! answer ([`Sending`]) is watched, not only the socket.

use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::Notify;

/// Time between two looks at a connection.
const LOOK: Duration = Duration::from_millis(500);
/// Time for which a client whose request is refused before it is whole may go on sending: else the
/// answer would be lost with the connection.
const LINGER: Duration = Duration::from_secs(2);
/// Size of the buffer into which what is sent in vain is read.
const DRAIN_BYTES: usize = 16 << 10;

/// What the server knows of a connection. Times are in milliseconds since it began; 0 is never.
pub struct Life {
    began: Instant,
    patience: Duration,
    /// When a byte last went in or out, or the server began to listen.
    moved: AtomicU64,
    /// Since when the socket takes no more.
    blocked: AtomicU64,
    /// When the last request ended.
    ended: AtomicU64,
    /// Requests that have come, and are not answered to the last byte.
    open: AtomicUsize,
    /// Those of them for which the server, not the client, is to do something.
    in_hand: AtomicUsize,
    answers: Mutex<Vec<Weak<Sending>>>,
    lingers: AtomicBool,
    end: Notify,
}

impl Life {
    /// A connection that begins.
    pub fn new(patience: Duration) -> Arc<Self> {
        Arc::new(Life {
            began: Instant::now(),
            patience,
            moved: AtomicU64::new(0),
            blocked: AtomicU64::new(0),
            ended: AtomicU64::new(0),
            open: AtomicUsize::new(0),
            in_hand: AtomicUsize::new(0),
            answers: Mutex::default(),
            lingers: AtomicBool::new(false),
            end: Notify::new(),
        })
    }

    /// How long the client may keep the server waiting.
    pub fn patience(&self) -> Duration {
        self.patience
    }

    fn now(&self) -> u64 {
        self.began.elapsed().as_millis() as u64 + 1
    }

    /// When the client last sent or took something, which is now as long as nobody has listened;
    /// none while the server has something to do for it.
    pub fn quiet_since(&self) -> Option<Instant> {
        let is_quiet = self.in_hand.load(Ordering::Relaxed) == 0;
        is_quiet.then(|| match self.moved.load(Ordering::Relaxed) {
            0 => Instant::now(),
            moved => self.began + Duration::from_millis(moved),
        })
    }

    /// The server listens from now on.
    pub fn listen(&self) {
        let _ = self.moved.compare_exchange(0, self.now(), Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Closes the connection.
    pub fn end(&self) {
        self.end.notify_one();
    }

    /// Whether an answer may come before the request is whole: what still comes is then to be
    /// thrown away.
    pub fn linger(&self, lingers: bool) {
        self.lingers.store(lingers, Ordering::Relaxed);
    }

    /// Waits until the connection is to be given up, and says why.
    pub async fn over(&self) -> &'static str {
        let looks = async {
            loop {
                tokio::time::sleep(LOOK).await;
                if let Some(why) = self.overdue() {
                    return why;
                }
            }
        };
        tokio::select! {
            () = self.end.notified() => "its place is needed",
            why = looks => why,
        }
    }

    fn overdue(&self) -> Option<&'static str> {
        let (now, patience) = (self.now(), self.patience.as_millis() as u64);
        let is_old = |since: u64| since > 0 && now.saturating_sub(since) > patience;
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers.retain(|answer| answer.strong_count() > 0);
        let waits = |answer: &Weak<Sending>| {
            answer.upgrade().is_some_and(|answer| is_old(answer.waits.load(Ordering::Relaxed)))
        };
        if is_old(self.blocked.load(Ordering::Relaxed)) || answers.iter().any(waits) {
            return Some("its client does not read");
        }
        let is_idle = self.open.load(Ordering::Relaxed) == 0;
        (is_idle && is_old(self.ended.load(Ordering::Relaxed).max(1))).then_some("no request comes")
    }
}

/// A request, from its head to the last byte of its answer.
pub struct Open(Arc<Life>);

impl Open {
    /// A request has come.
    pub fn new(life: &Arc<Life>) -> Self {
        life.open.fetch_add(1, Ordering::Relaxed);
        Open(Arc::clone(life))
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.ended.store(self.0.now(), Ordering::Relaxed);
        self.0.open.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A request that the server works on.
pub struct InHand(Arc<Life>);

impl InHand {
    /// The request is whole.
    pub fn new(life: &Arc<Life>) -> Self {
        life.in_hand.fetch_add(1, Ordering::Relaxed);
        InHand(Arc::clone(life))
    }
}

impl Drop for InHand {
    fn drop(&mut self) {
        self.0.moved.store(self.0.now(), Ordering::Relaxed);
        self.0.in_hand.fetch_sub(1, Ordering::Relaxed);
    }
}

/// An answer on its way out. It is held by the answer and by each piece of it that was handed on,
/// until that is written.
pub struct Sending {
    open: Open,
    /// Since when the client has to take something.
    waits: AtomicU64,
}

impl Sending {
    /// The answer to a request.
    pub fn new(open: Open) -> Arc<Self> {
        let life = Arc::clone(&open.0);
        // It counts from the beginning: HTTP/2 asks for no piece before the client has room for it.
        let waits = AtomicU64::new(life.now());
        let sending = Arc::new(Sending { open, waits });
        let mut answers = life.answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers.retain(|answer| answer.strong_count() > 0);
        answers.push(Arc::downgrade(&sending));
        drop(answers);
        sending
    }

    /// A piece was handed on: the next one is asked for when the client has taken it.
    pub fn handed_on(&self) {
        self.waits.store(self.open.0.now(), Ordering::Relaxed);
    }

    /// The server has nothing to send yet.
    pub fn has_nothing(&self) {
        self.waits.store(0, Ordering::Relaxed);
    }
}

/// The socket of a connection.
pub struct Wire {
    stream: TcpStream,
    life: Arc<Life>,
    is_shut: bool,
    lingers_until: Option<Pin<Box<tokio::time::Sleep>>>,
}

impl Wire {
    /// The socket, and what is to know of it.
    pub fn new(stream: TcpStream, life: Arc<Life>) -> Self {
        Wire { stream, life, is_shut: false, lingers_until: None }
    }

    fn tell(&self, written: &Poll<io::Result<usize>>) {
        match written {
            Poll::Ready(_) => {
                self.life.blocked.store(0, Ordering::Relaxed);
                self.life.moved.store(self.life.now(), Ordering::Relaxed);
            }
            Poll::Pending => {
                let now = self.life.now();
                // It counts from the first time.
                let blocked = &self.life.blocked;
                let _ = blocked.compare_exchange(0, now, Ordering::Relaxed, Ordering::Relaxed);
            }
        }
    }
}

impl AsyncRead for Wire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let read = Pin::new(&mut self.stream).poll_read(cx, buffer);
        self.life.listen();
        if read.is_ready() {
            self.life.moved.store(self.life.now(), Ordering::Relaxed);
        }
        read
    }
}

impl AsyncWrite for Wire {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.tell(&written);
        written
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, slices);
        self.tell(&written);
        written
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.is_shut {
            ready!(Pin::new(&mut self.stream).poll_shutdown(cx))?;
            self.is_shut = true;
        }
        if !self.life.lingers.load(Ordering::Relaxed) {
            return Poll::Ready(Ok(()));
        }
        let this = &mut *self;
        let until = this.lingers_until.get_or_insert_with(|| Box::pin(tokio::time::sleep(LINGER)));
        loop {
            if until.as_mut().poll(cx).is_ready() {
                return Poll::Ready(Ok(()));
            }
            let mut bytes = [0; DRAIN_BYTES];
            let mut buffer = ReadBuf::new(&mut bytes);
            match ready!(Pin::new(&mut this.stream).poll_read(cx, &mut buffer)) {
                Ok(()) if !buffer.filled().is_empty() => {}
                // It is at its end, or gone: nothing is left to wait for.
                _ => return Poll::Ready(Ok(())),
            }
        }
    }
}
