//! Searches that several processes share, on the dataflow engine `timely`; with the feature
//! `cluster`.
//!
//! A worker is a thread with tables of its own; processes have one or several. [`Seat::serve`] is
//! what a process of a cluster does with its space: it searches when the leader, the first worker,
//! is told to. [`astar_below_in_threads`] has all workers in this process, for spaces that nobody
//! else knows, and for counting what more workers would send.

mod astar;
mod exchange;
mod open;
mod report;
mod table;
mod wire;

use self::astar::Worker as Searcher;
use self::exchange::Exchange;
use super::shared::Portable;
use super::{Budget, Clock, Outcome, STACK_BYTES, Statistics, StopReason};
use std::any::Any;
use std::net::TcpStream;
use timely::WorkerConfig;
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
use timely::communication::allocator::{AllocatorBuilder, ProcessBuilder, Thread};
use timely::communication::{Allocator, Hooks};
use timely::worker::Worker;

/// What is searched for, beside the space.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// Only plans that cost less are of interest.
    pub upper: u64,
    /// Expansions of all workers together.
    pub nodes: Option<u64>,
    /// Bytes of each worker's tables.
    pub memory: usize,
}

/// How far a search is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Standing {
    /// Proven: no plan costs less.
    pub bound: u64,
    /// What the best plan costs.
    pub best: Option<u64>,
    /// Expansions of all workers.
    pub expanded: u64,
    /// Bytes that the first worker holds.
    pub memory: u64,
}

/// What the first worker is told to do, and whom it tells of it.
pub trait Orders: Send {
    /// Waits for the next search; none comes where the answer is none.
    fn next(&mut self) -> Option<Request>;

    /// Told how far the search is, between two rounds; the answer may end it.
    fn look(&mut self, standing: &Standing) -> Option<StopReason>;

    /// Whether the best plan, which costs so much, is wanted before the end.
    fn wants_plan(&mut self, _cost: u32) -> bool {
        false
    }

    /// Told the plan that was wanted, as words of actions.
    fn take_plan(&mut self, _plan: &[u64], _cost: u64) {}

    /// Told how a search has ended; the plan as words of actions.
    fn done(&mut self, outcome: Outcome<u64>, traffic: Traffic);
}

/// What one worker has sent to others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Words of 64 bits.
    pub words: u64,
    /// Parcels: the words of a step from one worker to another.
    pub parcels: u64,
    /// Steps of the exchange.
    pub steps: u64,
}

/// A process's place in a cluster: its threads, and what joins them to the others.
pub struct Seat<'a> {
    builders: Vec<AllocatorBuilder>,
    /// The orders, where the first worker sits here.
    orders: Option<Box<dyn Orders + 'a>>,
    /// Joins the threads of the network when it goes.
    network: Box<dyn Any>,
}

impl<'a> Seat<'a> {
    /// All workers in this process.
    pub fn alone(threads: usize, orders: Box<dyn Orders + 'a>) -> Self {
        let hooks = Hooks::default();
        let builders = ProcessBuilder::new_typed_vector(threads, hooks.refill, hooks.spill);
        let builders = builders.into_iter().map(AllocatorBuilder::Process).collect();
        Seat { builders, orders: Some(orders), network: Box::new(()) }
    }

    /// Process number `process` of several with as many threads each. The sockets lead to each of
    /// them, none to itself. The first process has the orders.
    ///
    /// # Errors
    /// The system gives no threads, or takes a socket back.
    pub fn among(
        sockets: Vec<Option<TcpStream>>,
        process: usize,
        threads: usize,
        orders: Option<Box<dyn Orders + 'a>>,
    ) -> std::io::Result<Self> {
        let hooks = Hooks::default();
        let (refill, spill) = (hooks.refill.clone(), hooks.spill.clone());
        let local = ProcessBuilder::new_typed_vector(threads, refill, spill);
        let (builders, network) =
            initialize_networking_from_sockets(local, sockets, process, threads, hooks)?;
        let builders = builders.into_iter().map(AllocatorBuilder::Tcp).collect();
        Ok(Seat { builders, orders, network: Box::new(network) })
    }

    /// Searches the space whenever the orders say so, until they end.
    ///
    /// # Panics
    /// A process is lost: the engine gives up then, and its threads' panics say so. Nothing can be
    /// gone on with; see to it that a panic ends the process.
    pub fn serve<S: Portable>(self, space: &S) {
        let Seat { builders, mut orders, network } = self;
        std::thread::scope(|scope| {
            for builder in builders {
                let orders = orders.take();
                let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
                let work = move || {
                    let started = std::time::Instant::now();
                    let config = WorkerConfig::default();
                    let mut worker = Worker::new(config, allocator(builder), Some(started));
                    obey(space, &mut worker, orders);
                    while worker.has_dataflows() {
                        worker.step_or_park(None);
                    }
                };
                thread.spawn_scoped(scope, work).expect("a thread");
            }
        });
        drop(network);
    }
}

/// The end of the network that a thread holds; made by that thread.
fn allocator(builder: AllocatorBuilder) -> Allocator {
    match builder {
        AllocatorBuilder::Thread(_) => Allocator::Thread(Thread::default()),
        AllocatorBuilder::Process(builder) => Allocator::Process(builder.build()),
        AllocatorBuilder::Tcp(builder) => Allocator::Tcp(builder.build()),
    }
}

/// One worker's life: each order comes from the first worker and is searched by all.
fn obey<S: Portable>(space: &S, worker: &mut Worker, mut orders: Option<Box<dyn Orders + '_>>) {
    loop {
        let mut exchange = Exchange::new(worker);
        let order = orders.as_mut().and_then(|orders| orders.next());
        let words = order.map_or(Vec::new(), |request| request.words());
        let told = exchange.share(0, &words);
        let Some(request) = Request::read(&told[0]) else {
            exchange.close();
            return;
        };
        let (outcome, traffic) = Searcher::new(space, exchange, request).run(&mut orders);
        if let Some(orders) = &mut orders {
            orders.done(outcome, traffic);
        }
    }
}

impl Request {
    fn words(&self) -> Vec<u64> {
        vec![self.upper, self.nodes.unwrap_or(u64::MAX), self.memory as u64]
    }

    fn read(words: &[u64]) -> Option<Request> {
        let [upper, nodes, memory] = *words else { return None };
        let nodes = (nodes != u64::MAX).then_some(nodes);
        Some(Request { upper, nodes, memory: memory as usize })
    }
}

/// As [`super::astar::astar_below`], by so many workers in this process, each with an equal part of
/// the budget's memory. Also says what the first of them has sent.
pub fn astar_below_in_threads<S: Portable>(
    space: &S,
    clock: &Clock<'_>,
    upper: u64,
    workers: usize,
) -> (Outcome<S::Action>, Traffic) {
    let Budget { nodes, memory, .. } = *clock.budget;
    let request = Some(Request { upper, nodes, memory: memory / workers.max(1) });
    let mut done = None;
    let once = Once { request, clock: *clock, done: &mut done };
    Seat::alone(workers.max(1), Box::new(once)).serve(space);
    let (Outcome { verdict, plan, cost, bound, effort }, traffic) = done.expect("an outcome");
    let plan = plan.map(|words| words.into_iter().filter_map(S::action_of).collect());
    let effort = Statistics { elapsed: clock.elapsed(), ..effort };
    (Outcome { verdict, plan, cost, bound, effort }, traffic)
}

/// The orders to search once, within a budget.
struct Once<'a> {
    request: Option<Request>,
    clock: Clock<'a>,
    done: &'a mut Option<(Outcome<u64>, Traffic)>,
}

impl Orders for Once<'_> {
    fn next(&mut self) -> Option<Request> {
        self.request.take()
    }

    fn look(&mut self, _: &Standing) -> Option<StopReason> {
        self.clock.should_stop(0, 0)
    }

    fn done(&mut self, outcome: Outcome<u64>, traffic: Traffic) {
        *self.done = Some((outcome, traffic));
    }
}
