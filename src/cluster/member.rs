//! One process of a cluster: the child that its parent starts.

use super::handshake::{Connections, Ticket, connect};
use super::life::{Loss, Pulse};
use super::message::{Done, ParentMessage, ProcessMessage, Setup, Stop, read};
use super::outbox::Outbox;
use super::{ClusterError, HOSTS_COMING, Hosts, LOST, OR_ANOTHER, VERSION};
use crate::diagnostic::Source;
use crate::games::{Area, GameId};
use crate::search::cluster::{Next, Order, Orders, Seat, Signs, Standing, Traffic};
use crate::search::{Outcome, StopReason, UnknownWord};
use std::io::{self, BufReader, Stdin};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// Time between two reports of a search's progress.
const REPORT: Duration = Duration::from_millis(100);
/// Minimum time between two plans that are gathered before the end.
const GATHER: Duration = Duration::from_secs(1);

/// What raised the flag that ends a search.
const GO_ON: u8 = 0;
const TIME: u8 = 1;
const CANCELLED: u8 = 2;

/// Does what the parent says on stdin, until it is gone or another process is.
///
/// # Errors
/// One sentence where the process cannot join the others.
pub fn run() -> Result<(), ClusterError> {
    let outbox = Outbox::start().map_err(|error| error.to_string())?;
    end_on_panic(None, telling_parent(&outbox));
    Ok(join(&outbox).inspect_err(|why| outbox.tell_last(ProcessMessage::Failed(why.clone())))?)
}

/// Joins the others and searches with them.
fn join(outbox: &Arc<Outbox>) -> Result<(), String> {
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
    outbox.tell(ProcessMessage::Listening(listener.local_addr().map_err(failed)?));
    let ParentMessage::Addresses(addresses) = expect(&mut input)? else {
        return Err("the parent does not say where the others are".into());
    };
    let ticket = Ticket { process: setup.process, token: token_of(&setup.token)? };
    let end = Instant::now() + setup.patience;
    let hint = if setup.listen.is_some() { OR_ANOTHER } else { "" };
    let Connections { search, life } =
        connect(&listener, &addresses, &ticket, end).map_err(|error| format!("{error}{hint}"))?;
    let stop = Arc::new(AtomicU8::new(GO_ON));
    let (order, orders) = channel();
    let heard = Arc::clone(&stop);
    std::thread::spawn(move || listen(input, &order, &heard));
    let orders = FromParent {
        orders,
        stop: Arc::clone(&stop),
        outbox: Arc::clone(outbox),
        reported: None,
        gathered: None,
    };
    let orders: Option<Box<dyn Orders>> =
        if setup.process == 0 { Some(Box::new(orders)) } else { None };
    let seat = Seat::among(search, setup.process, setup.threads, orders).map_err(failed)?;
    let alive = Arc::clone(outbox);
    let life = Life {
        tell: Box::new(move || alive.tell(ProcessMessage::Alive)),
        is_ending: Box::new(move || stop.load(Ordering::Relaxed) != GO_ON),
        tell_last: telling_parent(outbox),
        sockets: life,
    };
    life.begin(seat.signs()).map_err(failed)?;
    outbox.tell(ProcessMessage::Ready);
    area.serve(seat).map_err(|game| format!("{game} has no search that processes share"))
}

/// Is one of the processes that search on several machines, but not the first: until that ends them.
///
/// # Errors
/// One sentence where the process cannot join the others.
pub fn follow(area: &dyn Area, hosts: &Hosts, threads: usize) -> Result<(), ClusterError> {
    let listener = bind(&hosts.addresses[hosts.process])?;
    let ticket = Ticket { process: hosts.process, token: hosts.token_for(area, threads) };
    let end = Instant::now() + HOSTS_COMING;
    let Connections { search, life } = connect(&listener, &hosts.addresses, &ticket, end)
        .map_err(|error| format!("{error}{OR_ANOTHER}"))?;
    let failed = |error: io::Error| error.to_string();
    let seat = Seat::among(search, hosts.process, threads, None).map_err(failed)?;
    let life = Life {
        tell: Box::new(|| {}),
        is_ending: Box::new(|| false),
        tell_last: Arc::new(|loss, panic| match loss {
            Some(loss) => {
                eprintln!("process {} {}, and the search with it", loss.process, loss.how());
            }
            None => eprintln!("{panic}"),
        }),
        sockets: life,
    };
    life.begin(seat.signs()).map_err(failed)?;
    area.serve(seat).map_err(ClusterError::NoSharedSearch)
}

/// Reports the process that was lost, or else the panic that ends this process.
type TellLast = Arc<dyn Fn(Option<Loss>, String) + Send + Sync>;

/// Reports the loss, or the panic, to the parent.
fn telling_parent(outbox: &Arc<Outbox>) -> TellLast {
    let outbox = Arc::clone(outbox);
    Arc::new(move |loss, panic| {
        outbox.tell_last(loss.map_or_else(|| ProcessMessage::Failed(panic), ProcessMessage::Lost));
    })
}

/// How a process sends and watches signs of life.
struct Life {
    /// Called with each sign that the others get.
    tell: Box<dyn Fn() + Send>,
    is_ending: Box<dyn Fn() -> bool + Send>,
    tell_last: TellLast,
    sockets: Vec<Option<TcpStream>>,
}

impl Life {
    /// Watches over the others from now on, and lets them watch over this process.
    fn begin(self, signs: Signs) -> io::Result<()> {
        let Life { tell, is_ending, tell_last, sockets } = self;
        let pulse = Arc::new(Pulse::new(sockets)?);
        end_on_panic(Some(Arc::clone(&pulse)), Arc::clone(&tell_last));
        std::thread::Builder::new().spawn(move || {
            let loss = pulse.watch(&signs, tell, is_ending);
            pulse.say_last(loss);
            tell_last(Some(loss), String::new());
            std::process::exit(LOST);
        })?;
        Ok(())
    }
}

fn bind(address: &str) -> Result<TcpListener, String> {
    TcpListener::bind(address).map_err(|error| format!("cannot listen on {address}: {error}"))
}

/// A panic of any thread ends the process: the engine's threads panic when another process is lost,
/// and its workers would wait for ever.
fn end_on_panic(pulse: Option<Arc<Pulse>>, tell_last: TellLast) {
    std::panic::set_hook(Box::new(move |panic| {
        let loss = lost_process().map(|gone| match &pulse {
            Some(pulse) => pulse.to_blame(gone),
            None => Loss { process: gone, silent: None },
        });
        if let (Some(pulse), Some(loss)) = (&pulse, loss) {
            pulse.say_last(loss);
        }
        tell_last(loss, panic.to_string());
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
    let unknown = |error: UnknownWord| error.to_string();
    let game: GameId = setup.game.parse().map_err(unknown)?;
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

/// Hears what the parent says while the search is on.
fn listen(mut input: BufReader<Stdin>, orders: &Sender<Order>, stop: &AtomicU8) {
    loop {
        match read(&mut input) {
            Ok(Some(ParentMessage::Search(words))) => {
                stop.store(GO_ON, Ordering::Relaxed);
                if Order::read(&words).is_some_and(|order| orders.send(order).is_err()) {
                    return;
                }
            }
            Ok(Some(ParentMessage::Stop(Stop::Time))) => stop.store(TIME, Ordering::Relaxed),
            Ok(Some(ParentMessage::Stop(Stop::Cancelled))) => {
                stop.store(CANCELLED, Ordering::Relaxed)
            }
            Ok(Some(ParentMessage::Addresses(_))) => {}
            // Without orders the search of all ends.
            Ok(Some(ParentMessage::End)) => return,
            Ok(None) | Err(_) => std::process::exit(LOST), // the parent is gone
        }
    }
}

/// The orders of the parent.
struct FromParent {
    orders: Receiver<Order>,
    stop: Arc<AtomicU8>,
    outbox: Arc<Outbox>,
    reported: Option<Instant>,
    /// When a plan was gathered last, and what it costs.
    gathered: Option<(Instant, u32)>,
}

impl Orders for FromParent {
    fn next(&mut self) -> Next {
        (self.reported, self.gathered) = (None, None);
        match self.orders.recv_timeout(REPORT) {
            Ok(order) => Next::Search(order),
            Err(RecvTimeoutError::Timeout) => Next::Wait,
            Err(RecvTimeoutError::Disconnected) => Next::End,
        }
    }

    fn look(&mut self, standing: &Standing) -> Option<StopReason> {
        if self.reported.is_none_or(|reported| reported.elapsed() >= REPORT) {
            self.reported = Some(Instant::now());
            let Standing { bound, best, expanded, memory } = *standing;
            self.outbox.tell(ProcessMessage::Standing { bound, best, expanded, memory });
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
        self.outbox.tell(ProcessMessage::Plan { words: plan.to_vec(), cost });
    }

    fn done(&mut self, outcome: Outcome<u64>, _: Traffic) {
        self.stop.store(GO_ON, Ordering::Relaxed);
        self.outbox.tell(ProcessMessage::Done(Done::new(outcome)));
    }
}
