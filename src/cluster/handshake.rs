//! How the processes of a cluster find each other.
//!
//! Each listens; each connects to those before it and accepts those after it. Two connections join
//! any two: one for the search, one for signs of life. Both ends of a connection show the token, so
//! that a stranger who connects, or who listens at an old address, is refused; then the
//! end that has connected confirms that it is still there. The token is no secret from who can read
//! the network's traffic.
//!
//! An incoming connection is pending until all that is shown. Pending connections are read side by
//! side, and each for some seconds: one that is silent keeps no other out.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

/// Time limit for the answer of a process that this one connects to.
const ANSWER: Duration = Duration::from_secs(2);
/// Time limit for an incoming connection to identify itself; longer than `ANSWER`, its own limit.
const PATIENCE: Duration = Duration::from_secs(5);
/// Upper limit of the pending connections. When one more comes, the oldest is closed.
const MAX_PENDING: usize = 256;
/// Time between two looks for new connections.
const LOOK: Duration = Duration::from_millis(2);
/// Time between two look-ups of the address of a name that is not known yet.
const ASK: Duration = Duration::from_millis(200);
/// The byte that confirms a connection.
const CONFIRM: u8 = 1;

/// Purpose of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Purpose {
    Search,
    Life,
}

/// A process's number, and what it shows to the others.
#[derive(Clone)]
pub(super) struct Ticket {
    pub(super) process: usize,
    pub(super) token: Vec<u8>,
}

/// The connections with all others, in order of their numbers; none for this process.
#[derive(Default)]
pub(super) struct Connections {
    pub(super) search: Vec<Option<TcpStream>>,
    pub(super) life: Vec<Option<TcpStream>>,
}

impl Connections {
    fn with_room_for(processes: usize) -> Self {
        let nobody = || (0..processes).map(|_| None).collect();
        Connections { search: nobody(), life: nobody() }
    }

    fn place(&mut self, (process, purpose): Shown) -> Option<&mut Option<TcpStream>> {
        let of_purpose = match purpose {
            Purpose::Search => &mut self.search,
            Purpose::Life => &mut self.life,
        };
        of_purpose.get_mut(process)
    }
}

/// A process that has identified itself, and the purpose of its connection.
type Shown = (usize, Purpose);

/// Connects with all others.
///
/// # Errors
/// A process did not connect until `end`; the message names it.
pub(super) fn connect(
    listener: &TcpListener,
    addresses: &[String],
    ticket: &Ticket,
    end: Instant,
) -> io::Result<Connections> {
    listener.set_nonblocking(true)?;
    std::thread::scope(|scope| {
        let connecting = scope.spawn(|| connect_to_all(addresses, ticket, end));
        let mut acceptor = Acceptor { listener, ticket, pending: Vec::new() };
        let accepted = acceptor.accept_all(addresses.len(), end);
        let panicked = |_| Err(io::Error::other("the handshake panicked"));
        let Connections { mut search, mut life } = connecting.join().unwrap_or_else(panicked)?;
        let after = accepted?;
        search.extend(after.search.into_iter().skip(ticket.process));
        life.extend(after.life.into_iter().skip(ticket.process));
        Ok(Connections { search, life })
    })
}

fn late(process: usize) -> io::Error {
    io::Error::new(ErrorKind::TimedOut, format!("process {process} has not come"))
}

/// Connects with those before this process.
fn connect_to_all(addresses: &[String], ticket: &Ticket, end: Instant) -> io::Result<Connections> {
    let mut connections = Connections::default();
    for (process, address) in addresses.iter().enumerate().take(ticket.process) {
        let connect_to = |purpose| connect_to(address, (process, purpose), ticket, end);
        connections.search.push(Some(connect_to(Purpose::Search)?));
        connections.life.push(Some(connect_to(Purpose::Life)?));
    }
    Ok(connections)
}

/// Connects to a process that listens, or will soon.
fn connect_to(address: &str, whom: Shown, ticket: &Ticket, end: Instant) -> io::Result<TcpStream> {
    loop {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(late(whom.0));
        }
        // The name of a machine may come up later than this one.
        let Some(address) = address.to_socket_addrs().ok().and_then(|mut all| all.next()) else {
            std::thread::sleep(ASK.min(left));
            continue;
        };
        let known =
            TcpStream::connect_timeout(&address, left.min(ANSWER)).and_then(|mut stream| {
                stream.write_all(&bytes_of(ticket, whom.1))?;
                let shown =
                    read_by(&mut stream, ticket.token.len() + HEAD, Instant::now() + ANSWER)?;
                if read_ticket(&shown, &ticket.token) != Some(whom) {
                    return Err(ErrorKind::PermissionDenied.into());
                }
                stream.write_all(&[CONFIRM])?;
                Ok(stream)
            });
        match known {
            Ok(stream) => return settled(stream),
            Err(_) => std::thread::sleep(LOOK),
        }
    }
}

/// Reads `count` bytes; fails where they have not all arrived at the time `by`.
fn read_by(stream: &mut TcpStream, count: usize, by: Instant) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; count];
    let mut at = 0;
    while at < count {
        let left = by.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ErrorKind::TimedOut.into());
        }
        stream.set_read_timeout(Some(left))?;
        match stream.read(&mut bytes[at..]) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(more) => at += more,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(bytes)
}

/// The listener, and the connections that are still pending.
struct Acceptor<'a> {
    listener: &'a TcpListener,
    ticket: &'a Ticket,
    pending: Vec<Pending>,
}

/// An incoming connection that has not shown who it is yet.
struct Pending {
    stream: TcpStream,
    come: Instant,
    /// Bytes received so far of the token and of what follows it.
    bytes: Vec<u8>,
}

/// State of an incoming connection.
enum Greeting {
    /// Too few bytes.
    Nothing,
    /// The connection is to be closed: it has shown what it should not, or is gone already.
    Stranger,
    Known(Shown),
}

impl Acceptor<'_> {
    /// Waits until all processes after this one have connected.
    fn accept_all(&mut self, processes: usize, end: Instant) -> io::Result<Connections> {
        let mut known = Connections::with_room_for(processes);
        loop {
            let waits_for = |process: &usize| {
                known.search[*process].is_none() || known.life[*process].is_none()
            };
            let Some(missing) = (self.ticket.process + 1..processes).find(waits_for) else {
                return Ok(known);
            };
            if Instant::now() >= end {
                return Err(late(missing));
            }
            self.open();
            self.read_all(&mut known);
            std::thread::sleep(LOOK);
        }
    }

    /// Accepts the connections that wait.
    fn open(&mut self) {
        for _ in 0..MAX_PENDING {
            // One that is gone again, say, is no reason not to wait for others.
            let Ok((stream, _)) = self.listener.accept() else { return };
            if stream.set_nonblocking(true).is_err() {
                continue;
            }
            if self.pending.len() == MAX_PENDING {
                self.pending.remove(0);
            }
            self.pending.push(Pending { stream, come: Instant::now(), bytes: Vec::new() });
        }
    }

    /// Reads the greetings of pending connections; those that are complete become known.
    fn read_all(&mut self, known: &mut Connections) {
        for mut connection in std::mem::take(&mut self.pending) {
            match connection.read(self.ticket) {
                Greeting::Nothing if connection.come.elapsed() < PATIENCE => {
                    self.pending.push(connection)
                }
                Greeting::Nothing | Greeting::Stranger => {}
                Greeting::Known(shown) if shown.0 > self.ticket.process => {
                    if let Some(place @ None) = known.place(shown) {
                        *place = settled(connection.stream).ok();
                    }
                }
                Greeting::Known(_) => {}
            }
        }
    }
}

impl Pending {
    /// Reads what has come, and answers when it is time to.
    fn read(&mut self, ticket: &Ticket) -> Greeting {
        let before_answer = ticket.token.len() + HEAD;
        loop {
            let wanted = match self.bytes.len() {
                so_far if so_far < before_answer => before_answer - so_far,
                _ => 1,
            };
            let start = self.bytes.len();
            self.bytes.resize(start + wanted, 0);
            let read = self.stream.read(&mut self.bytes[start..]);
            self.bytes.truncate(start + *read.as_ref().unwrap_or(&0));
            match read {
                Ok(0) => return Greeting::Stranger,
                Ok(_) if self.bytes.len() < before_answer => {}
                Ok(_) => {
                    let (ticket_bytes, confirmed) = self.bytes.split_at(before_answer);
                    let shown = read_ticket(ticket_bytes, &ticket.token);
                    match (shown, confirmed) {
                        (Some((_, purpose)), []) => {
                            if self.stream.write_all(&bytes_of(ticket, purpose)).is_err() {
                                return Greeting::Stranger;
                            }
                        }
                        (Some(shown), [CONFIRM]) => return Greeting::Known(shown),
                        _ => return Greeting::Stranger,
                    }
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Greeting::Nothing,
                Err(_) => return Greeting::Stranger,
            }
        }
    }
}

/// Bytes after the token: the number of the process, and what the connection is for.
const HEAD: usize = 5;

/// The bytes with which a process identifies itself.
fn bytes_of(ticket: &Ticket, purpose: Purpose) -> Vec<u8> {
    let mut bytes = ticket.token.clone();
    bytes.extend((ticket.process as u32).to_le_bytes());
    bytes.push(match purpose {
        Purpose::Search => 0,
        Purpose::Life => 1,
    });
    bytes
}

/// The process at the other end, where it shows the token.
fn read_ticket(bytes: &[u8], token: &[u8]) -> Option<Shown> {
    let (shown, head) = bytes.split_at_checked(token.len())?;
    // All bytes are compared: how long it takes tells nothing.
    let differing = shown.iter().zip(token).fold(0, |all, (a, b)| all | (a ^ b));
    let (number, purpose) = head.split_first_chunk()?;
    let purpose = match purpose {
        [0] => Purpose::Search,
        [1] => Purpose::Life,
        _ => return None,
    };
    (differing == 0).then_some((u32::from_le_bytes(*number) as usize, purpose))
}

/// A socket that waits as long as it takes, and sends at once.
fn settled(stream: TcpStream) -> io::Result<TcpStream> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(None)?;
    stream.set_write_timeout(None)?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticket(process: usize, byte: u8) -> Ticket {
        Ticket { process, token: vec![byte; 32] }
    }

    fn listeners(count: usize) -> (Vec<TcpListener>, Vec<String>) {
        let all: Vec<_> =
            (0..count).map(|_| TcpListener::bind(("127.0.0.1", 0)).unwrap()).collect();
        let addresses =
            all.iter().map(|listener| listener.local_addr().unwrap().to_string()).collect();
        (all, addresses)
    }

    /// Has three processes find each other; returns how long that takes.
    fn meet(listeners: &[TcpListener], addresses: &[String]) -> Duration {
        let started = Instant::now();
        let end = started + Duration::from_secs(60);
        std::thread::scope(|scope| {
            let join = |(process, listener): (usize, &TcpListener)| {
                connect(listener, addresses, &ticket(process, 7), end)
            };
            let all: Vec<_> =
                listeners.iter().enumerate().map(|it| scope.spawn(move || join(it))).collect();
            for (process, joined) in all.into_iter().enumerate() {
                let Connections { search, life } = joined.join().unwrap().unwrap();
                let wanted: Vec<_> = (0..3).map(|other| other != process).collect();
                for sockets in [search, life] {
                    let connected: Vec<_> = sockets.iter().map(Option::is_some).collect();
                    assert_eq!(connected, wanted);
                }
            }
        });
        started.elapsed()
    }

    #[test]
    fn those_with_the_token_find_each_other_and_others_stay_out() {
        let (listeners, addresses) = listeners(3);
        // Strangers come first: one shows another token, one is gone, one says that it is process 2
        // and goes without a word, one has a number that is none.
        let connect_to = |process: usize, bytes: &[u8]| {
            let mut stranger = TcpStream::connect(&addresses[process]).unwrap();
            stranger.write_all(bytes).unwrap();
            stranger
        };
        let _other = connect_to(0, &bytes_of(&ticket(1, 8), Purpose::Search));
        drop(connect_to(1, &[]));
        drop(connect_to(1, &bytes_of(&ticket(2, 7), Purpose::Search)));
        let _none = connect_to(0, &bytes_of(&ticket(9, 7), Purpose::Life));
        meet(&listeners, &addresses);
    }

    #[test]
    fn who_is_silent_keeps_nobody_out() {
        let (listeners, addresses) = listeners(3);
        let silent: Vec<TcpStream> = (0..150)
            .map(|number| {
                let mut stranger = TcpStream::connect(&addresses[number % 3]).unwrap();
                // Every other one shows a part of something.
                stranger.write_all(&[7; 40][..number % 2 * 20]).unwrap();
                stranger
            })
            .collect();
        let took = meet(&listeners, &addresses);
        assert!(took < PATIENCE, "{took:?}: one after another");
        drop(silent);
    }

    #[test]
    fn who_never_comes_is_named() {
        let (listeners, addresses) = listeners(2);
        let end = Instant::now() + Duration::from_millis(20);
        let error = connect(&listeners[0], &addresses, &ticket(0, 7), end).err().unwrap();
        assert_eq!(error.to_string(), "process 1 has not come");
    }
}
