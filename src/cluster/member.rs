//! One process of a cluster: the child that its parent starts.

use super::handshake::{Ticket, connect};
use super::message::{Done, Setup, Stop, Tells, Told, read, write};
use super::{HOSTS_COMING, Hosts, LOST, OR_ANOTHER, VERSION};
use crate::diagnostic::Source;
use crate::games::{Area, GameId};
use crate::search::cluster::{Order, Orders, Seat, Standing, Traffic};
use crate::search::{Outcome, StopReason};
use std::io::{self, BufReader, Stdin};
use std::net::{Ipv4Addr, TcpListener};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Between two reports of how far the search is.
const REPORT: Duration = Duration::from_millis(100);
/// Between two plans that are gathered before the end.
const GATHER: Duration = Duration::from_secs(1);

/// What raised the flag that ends a search.
const GO_ON: u8 = 0;
const TIME: u8 = 1;
const CANCELLED: u8 = 2;

/// Does what the parent says on stdin, until it is gone or another process is.
///
/// # Errors
/// One sentence where the process cannot join the others.
pub fn run() -> Result<(), String> {
    end_on_panic();
    join().inspect_err(|why| tell(&Tells::Failed(why.clone())))
}

/// Joins the others and searches with them.
fn join() -> Result<(), String> {
    let mut input = BufReader::new(io::stdin());
    let setup: Setup = expect(&mut input)?;
    if setup.version != VERSION {
        return Err(format!("the parent is of version {}, not {VERSION}", setup.version));
    }
    let area = area(&setup)?;
    let failed = |error: io::Error| error.to_string();
    let listener = match &setup.listen {
        Some(address) => bind(address)?,
        None => TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(failed)?,
    };
    tell(&Tells::Listening(listener.local_addr().map_err(failed)?));
    let Told::Addresses(addresses) = expect(&mut input)? else {
        return Err("the parent does not say where the others are".into());
    };
    let ticket = Ticket { process: setup.process, token: token_of(&setup.token)? };
    let end = Instant::now() + setup.patience;
    let hint = if setup.listen.is_some() { OR_ANOTHER } else { "" };
    let sockets =
        connect(&listener, &addresses, &ticket, end).map_err(|error| format!("{error}{hint}"))?;
    tell(&Tells::Ready);
    let stop = Arc::new(AtomicU8::new(GO_ON));
    let (order, orders) = channel();
    let heard = Arc::clone(&stop);
    std::thread::spawn(move || listen(input, &order, &heard));
    let orders = FromParent { orders, stop, reported: None, gathered: None };
    let orders: Option<Box<dyn Orders>> =
        if setup.process == 0 { Some(Box::new(orders)) } else { None };
    let seat = Seat::among(sockets, setup.process, setup.threads, orders).map_err(failed)?;
    area.serve(seat).map_err(|game| format!("{game} has no search that processes share"))
}

/// Is one of the processes that search on several machines, but not the first: until that ends them.
///
/// # Errors
/// One sentence where the process cannot join the others.
pub fn follow(area: &dyn Area, hosts: &Hosts, threads: usize) -> Result<(), String> {
    let listener = bind(&hosts.addresses[hosts.process])?;
    let ticket = Ticket { process: hosts.process, token: hosts.token_for(area, threads) };
    let end = Instant::now() + HOSTS_COMING;
    let sockets = connect(&listener, &hosts.addresses, &ticket, end)
        .map_err(|error| format!("{error}{OR_ANOTHER}"))?;
    std::panic::set_hook(Box::new(|panic| {
        match lost_process() {
            Some(other) => eprintln!("process {other} is lost, and the search with it"),
            None => eprintln!("{panic}"),
        }
        std::process::exit(LOST);
    }));
    let seat = Seat::among(sockets, hosts.process, threads, None).map_err(|it| it.to_string())?;
    area.serve(seat).map_err(|game| format!("{game} has no search that processes share"))
}

fn bind(address: &str) -> Result<TcpListener, String> {
    TcpListener::bind(address).map_err(|error| format!("cannot listen on {address}: {error}"))
}

/// A panic of any thread ends the process: the engine's threads panic when another process is lost,
/// and its workers would wait for ever.
fn end_on_panic() {
    std::panic::set_hook(Box::new(|panic| {
        match lost_process() {
            Some(other) => tell(&Tells::Lost(other)),
            None => tell(&Tells::Failed(panic.to_string())),
        }
        std::process::exit(LOST);
    }));
}

/// Which process is lost, where this thread of the engine panics because of that: its name tells.
fn lost_process() -> Option<usize> {
    let thread = std::thread::current();
    let name = thread.name()?;
    let number = name.strip_prefix("timely:recv-").or(name.strip_prefix("timely:send-"))?;
    number.parse().ok()
}

fn expect<T: serde::de::DeserializeOwned>(input: &mut BufReader<Stdin>) -> Result<T, String> {
    match read(input) {
        Ok(Some(message)) => Ok(message),
        Ok(None) => Err("the parent is gone".into()),
        Err(error) => Err(error.to_string()),
    }
}

fn area(setup: &Setup) -> Result<Box<dyn Area>, String> {
    let game: GameId = setup.game.parse()?;
    let source = Source::new(setup.name.as_str(), setup.text.as_str());
    let areas = game.game().read(&source).map_err(|diagnostic| diagnostic.to_string())?;
    areas.only().map_err(|error| error.to_string())
}

/// The token that hexadecimal digits write.
fn token_of(text: &str) -> Result<Vec<u8>, String> {
    let bytes: Option<Vec<u8>> = (0..text.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(text.get(at..at + 2)?, 16).ok())
        .collect();
    bytes.ok_or_else(|| "the token is not one".into())
}

/// Tells the parent; where it is gone, nobody needs this process.
fn tell(message: &Tells) {
    static WRITER: Mutex<()> = Mutex::new(());
    let _one = WRITER.lock().unwrap_or_else(PoisonError::into_inner);
    if write(&mut io::stdout(), message).is_err() {
        std::process::exit(LOST);
    }
}

/// Hears what the parent says while the search is on.
fn listen(mut input: BufReader<Stdin>, orders: &Sender<Order>, stop: &AtomicU8) {
    loop {
        match read(&mut input) {
            Ok(Some(Told::Search(words))) => {
                stop.store(GO_ON, Ordering::Relaxed);
                if Order::read(&words).is_some_and(|order| orders.send(order).is_err()) {
                    return;
                }
            }
            Ok(Some(Told::Stop(Stop::Time))) => stop.store(TIME, Ordering::Relaxed),
            Ok(Some(Told::Stop(Stop::Cancelled))) => stop.store(CANCELLED, Ordering::Relaxed),
            Ok(Some(Told::Addresses(_))) => {}
            // Without orders the search of all ends.
            Ok(Some(Told::End)) => return,
            Ok(None) | Err(_) => std::process::exit(LOST), // the parent is gone
        }
    }
}

/// The orders of the parent.
struct FromParent {
    orders: Receiver<Order>,
    stop: Arc<AtomicU8>,
    reported: Option<Instant>,
    /// When a plan was gathered last, and what it costs.
    gathered: Option<(Instant, u32)>,
}

impl Orders for FromParent {
    fn next(&mut self) -> Option<Order> {
        (self.reported, self.gathered) = (None, None);
        self.orders.recv().ok()
    }

    fn look(&mut self, standing: &Standing) -> Option<StopReason> {
        if self.reported.is_none_or(|reported| reported.elapsed() >= REPORT) {
            self.reported = Some(Instant::now());
            let Standing { bound, best, expanded, memory } = *standing;
            tell(&Tells::Standing { bound, best, expanded, memory });
        }
        match self.stop.load(Ordering::Relaxed) {
            TIME => Some(StopReason::Time),
            CANCELLED => Some(StopReason::Cancelled),
            _ => None,
        }
    }

    fn wants_plan(&mut self, cost: u32) -> bool {
        let wants = self.gathered.is_none_or(|(at, known)| cost < known && at.elapsed() >= GATHER);
        if wants {
            self.gathered = Some((Instant::now(), cost));
        }
        wants
    }

    fn take_plan(&mut self, plan: &[u64], cost: u64) {
        tell(&Tells::Plan { words: plan.to_vec(), cost });
    }

    fn done(&mut self, outcome: Outcome<u64>, _: Traffic) {
        tell(&Tells::Done(Done::new(outcome)));
    }
}
