//! How the processes of a cluster find each other.
//!
//! Each listens; each connects to those before it and waits for those after it. Both ends of a
//! connection show the token, so that nobody else who happens to knock, or to listen at an old
//! address, gets in. The token is no secret from who can read the network's traffic.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

/// How long who has connected may take to show the token.
const SHOW: Duration = Duration::from_secs(2);
/// Between two looks whether somebody has come.
const LOOK: Duration = Duration::from_millis(2);
/// Between two questions for the address of a name that is not known yet.
const ASK: Duration = Duration::from_millis(200);

/// A process's number, and what it shows to the others.
#[derive(Clone)]
pub(super) struct Ticket {
    pub(super) process: usize,
    pub(super) token: Vec<u8>,
}

/// Connects with all others; the sockets are in order of their numbers, none for this process.
///
/// # Errors
/// Somebody did not come until `end`; the message names who.
pub(super) fn connect(
    listener: &TcpListener,
    addresses: &[String],
    ticket: &Ticket,
    end: Instant,
) -> io::Result<Vec<Option<TcpStream>>> {
    let mut sockets: Vec<Option<TcpStream>> = addresses.iter().map(|_| None).collect();
    for (process, address) in addresses.iter().enumerate().take(ticket.process) {
        sockets[process] = Some(knock(address, process, ticket, end)?);
    }
    listener.set_nonblocking(true)?;
    while let Some(missing) =
        (ticket.process + 1..addresses.len()).find(|&at| sockets[at].is_none())
    {
        match listener.accept() {
            Ok((stream, _)) => {
                if let Ok((process, stream)) = let_in(stream, ticket)
                    && let Some(place @ None) = sockets.get_mut(process)
                    && process > ticket.process
                {
                    *place = Some(stream);
                }
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                if Instant::now() >= end {
                    return Err(late(missing));
                }
                std::thread::sleep(LOOK);
            }
            Err(error) => return Err(error),
        }
    }
    Ok(sockets)
}

fn late(process: usize) -> io::Error {
    io::Error::new(ErrorKind::TimedOut, format!("process {process} has not come"))
}

/// Connects to a process that listens, or will soon.
fn knock(address: &str, process: usize, ticket: &Ticket, end: Instant) -> io::Result<TcpStream> {
    loop {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(late(process));
        }
        // The name of a machine may come up later than this one.
        let Some(address) = address.to_socket_addrs().ok().and_then(|mut all| all.next()) else {
            std::thread::sleep(ASK.min(left));
            continue;
        };
        let known = TcpStream::connect_timeout(&address, left.min(SHOW)).and_then(|mut stream| {
            show(&mut stream, ticket)?;
            let other = see(&mut stream, &ticket.token)?;
            if other == process { Ok(stream) } else { Err(ErrorKind::PermissionDenied.into()) }
        });
        match known {
            Ok(stream) => return settled(stream),
            Err(_) => std::thread::sleep(LOOK),
        }
    }
}

/// Looks at the ticket of who has come.
fn let_in(mut stream: TcpStream, ticket: &Ticket) -> io::Result<(usize, TcpStream)> {
    stream.set_nonblocking(false)?;
    let process = see(&mut stream, &ticket.token)?;
    show(&mut stream, ticket)?;
    Ok((process, settled(stream)?))
}

fn show(stream: &mut TcpStream, ticket: &Ticket) -> io::Result<()> {
    stream.set_write_timeout(Some(SHOW))?;
    let mut bytes = ticket.token.clone();
    bytes.extend((ticket.process as u32).to_le_bytes());
    stream.write_all(&bytes)
}

/// The number of the process at the other end, where it shows the token.
fn see(stream: &mut TcpStream, token: &[u8]) -> io::Result<usize> {
    stream.set_read_timeout(Some(SHOW))?;
    let (mut shown, mut number) = (vec![0; token.len()], [0; 4]);
    stream.read_exact(&mut shown)?;
    stream.read_exact(&mut number)?;
    // All bytes are compared: how long it takes tells nothing.
    let differing = shown.iter().zip(token).fold(0, |all, (a, b)| all | (a ^ b));
    match differing {
        0 => Ok(u32::from_le_bytes(number) as usize),
        _ => Err(ErrorKind::PermissionDenied.into()),
    }
}

/// A socket for the engine: it waits as long as it takes, and sends at once.
fn settled(stream: TcpStream) -> io::Result<TcpStream> {
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

    #[test]
    fn those_with_the_token_find_each_other_and_others_stay_out() {
        let (listeners, addresses) = listeners(3);
        let end = Instant::now() + Duration::from_secs(60);
        // Strangers come first: one shows another token, one nothing and is gone.
        let mut stranger = TcpStream::connect(&addresses[0]).unwrap();
        show(&mut stranger, &ticket(1, 8)).unwrap();
        drop(TcpStream::connect(&addresses[1]).unwrap());
        std::thread::scope(|scope| {
            let join = |(process, listener): (usize, &TcpListener)| {
                connect(listener, &addresses, &ticket(process, 7), end)
            };
            let all: Vec<_> =
                listeners.iter().enumerate().map(|it| scope.spawn(move || join(it))).collect();
            for (process, joined) in all.into_iter().enumerate() {
                let sockets = joined.join().unwrap().unwrap();
                let connected: Vec<_> = sockets.iter().map(Option::is_some).collect();
                let wanted: Vec<_> = (0..3).map(|other| other != process).collect();
                assert_eq!(connected, wanted);
            }
        });
    }

    #[test]
    fn who_never_comes_is_named() {
        let (listeners, addresses) = listeners(2);
        let end = Instant::now() + Duration::from_millis(20);
        let error = connect(&listeners[0], &addresses, &ticket(0, 7), end).unwrap_err();
        assert_eq!(error.to_string(), "process 1 has not come");
    }
}
