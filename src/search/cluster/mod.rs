//! Searches that several processes share, on the dataflow engine `timely`; with the feature
//! `cluster`.
//!
//! A worker is a thread with tables of its own; processes have one or several. [`Seat::serve`] is
//! what a process of a cluster does with its space: it searches when the leader, the first worker,
//! is told to. [`astar_below_in_threads`] has all workers in this process, for spaces that nobody
//! else knows, and for counting what more workers would send.

mod astar;
mod beam;
mod exchange;
mod links;
mod merge;
mod open;
mod pace;
mod packed;
mod report;
mod signs;
mod table;
mod wire;

use self::astar::Worker as Searcher;
use self::exchange::Exchange;
pub use self::signs::Signs;
use self::signs::{Sign, WAIT};
use super::beam::Beam;
use super::shared::{Only, Portable, SpaceVisitor, Spaces};
use super::{Clock, Limits, Outcome, STACK_BYTES, Statistics, StopReason};
use std::any::Any;
use std::fmt;
use std::net::TcpStream;
use timely::WorkerConfig;
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
use timely::communication::allocator::{AllocatorBuilder, ProcessBuilder, Thread};
use timely::communication::{Allocator, Hooks};
use timely::worker::Worker;

/// A search that is asked for, and the words of its space.
#[derive(Clone, Debug)]
pub struct Order {
    /// Which of the area's spaces: see [`Spaces`].
    pub space: Vec<u64>,
    /// What is searched for.
    pub search: Search,
}

/// What is searched for, beside the space.
#[derive(Clone, Copy, Debug)]
pub enum Search {
    /// A plan of least cost.
    Astar(Request),
    /// A plan that a beam finds.
    Beam(BeamRequest),
}

/// A beam search that is asked for.
#[derive(Clone, Copy, Debug)]
pub struct BeamRequest {
    /// The first beam.
    pub beam: Beam,
    /// Whether wider ones follow: see [`super::beam::widening`].
    pub is_widening: bool,
    /// Only plans that cost less are of interest; `u64::MAX` for any.
    pub upper: u64,
    /// Expansions of all workers together.
    pub nodes: Option<u64>,
    /// Bytes of each worker's tables, with its working memory and what its space holds.
    pub memory: usize,
    /// The memory that decides how large the table of former layers is: that of the budget.
    pub former: usize,
    /// See [`Limits::seed`](crate::search::Limits).
    pub seed: u64,
    /// As in [`Request`].
    pub opening: Option<u64>,
}

/// A search for a plan of least cost that is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// Only plans that cost less are of interest.
    pub upper: u64,
    /// Expansions of all workers together.
    pub nodes: Option<u64>,
    /// Bytes of each worker's tables, with its working memory and what its space holds.
    pub memory: usize,
    /// Expansions that all workers make alike before each goes on with its own states; without, as
    /// many as are faster so. The outcome is the same.
    pub opening: Option<u64>,
}

/// Next step of the first worker.
#[derive(Debug)]
pub enum Next {
    /// It has all workers search.
    Search(Order),
    /// It asks again: there is no order yet.
    Wait,
    /// It has all workers end.
    End,
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

/// The orders of the first worker, and whom it reports to.
pub trait Orders: Send {
    /// Waits for the next search, but not for longer than some tenths of a second.
    fn next(&mut self) -> Next;

    /// Gets the standing of the search, between two rounds; the answer may end it.
    fn look(&mut self, standing: &Standing) -> Option<StopReason>;

    /// Whether the best plan, which has this cost, is wanted before the end.
    fn wants_plan(&mut self, _cost: u32) -> bool {
        false
    }

    /// Told the plan that was wanted, as words of actions.
    fn take_plan(&mut self, _plan: &[u64], _cost: u64) {}

    /// Told how a search has ended; the plan as words of actions.
    fn done(&mut self, outcome: Outcome<u64>, traffic: Traffic);
}

/// What a search took beside its expansions, over all workers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Words of 64 bits that went from one worker to another.
    pub words: u64,
    /// Parcels: the words of a step from one worker to another.
    pub parcels: u64,
    /// Steps of the exchange; in each, every worker waits for every other.
    pub steps: u64,
    /// States that were kept, and the most of one worker.
    pub states: u64,
    /// See `states`.
    pub most_states: u64,
    /// The most states that one worker took of each round, added up: what a worker would expand that
    /// has the most to do in every round.
    pub critical: u64,
}

/// A process's place in a cluster: its threads, and what joins them to the others.
pub struct Seat<'a> {
    builders: Vec<AllocatorBuilder>,
    /// The orders, where the first worker sits here.
    orders: Option<Box<dyn Orders + 'a>>,
    signs: Signs,
    /// Joins the threads of the network when it goes.
    network: Box<dyn Any>,
}

impl fmt::Debug for Seat<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Seat")
            .field("workers", &self.builders.len())
            .field("leads", &self.orders.is_some())
            .finish_non_exhaustive()
    }
}

impl<'a> Seat<'a> {
    /// All workers in this process.
    pub fn alone(threads: usize, orders: Box<dyn Orders + 'a>) -> Self {
        let hooks = Hooks::default();
        let builders = ProcessBuilder::new_typed_vector(threads, hooks.refill, hooks.spill);
        let builders: Vec<_> = builders.into_iter().map(AllocatorBuilder::Process).collect();
        let signs = Signs::new(builders.len());
        Seat { builders, orders: Some(orders), signs, network: Box::new(()) }
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
        let builders: Vec<_> = builders.into_iter().map(AllocatorBuilder::Tcp).collect();
        let signs = Signs::new(builders.len());
        Ok(Seat { builders, orders, signs, network: Box::new(network) })
    }

    /// The workers' signs of progress, as long as they serve.
    pub fn signs(&self) -> Signs {
        self.signs.clone()
    }

    /// Searches one of the spaces whenever the orders say so, until they end.
    ///
    /// # Panics
    /// An order is for none of these spaces. Or a process is lost: the engine gives up then, and its
    /// threads' panics say so. Nothing can be gone on with; see to it that a panic ends the process.
    pub fn serve(self, spaces: &impl Spaces) {
        let Seat { builders, mut orders, signs, network } = self;
        std::thread::scope(|scope| {
            for (number, builder) in builders.into_iter().enumerate() {
                let orders = orders.take();
                let sign = signs.of(number);
                let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
                let work = move || {
                    let started = std::time::Instant::now();
                    let config = WorkerConfig::default();
                    let mut worker = Worker::new(config, allocator(builder), Some(started));
                    obey(spaces, &mut worker, &sign, orders);
                    while worker.has_dataflows() {
                        sign.give();
                        worker.step_or_park(Some(WAIT));
                    }
                    sign.hold(); // it has done what there was for it
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
fn obey(
    spaces: &impl Spaces,
    worker: &mut Worker,
    sign: &Sign,
    mut orders: Option<Box<dyn Orders + '_>>,
) {
    loop {
        let mut exchange = Exchange::new(worker, sign);
        let words = orders.as_mut().map_or(Vec::new(), |orders| next_order(&mut **orders, sign));
        let told = exchange.share(0, &words);
        let Some(Order { space, search }) = Order::read(&told[0]) else {
            exchange.close();
            return;
        };
        let obeyed = Obeyed { exchange, search, orders: &mut orders };
        sign.hold(); // the space is made
        assert!(
            spaces.visit(&space, search.memory(), obeyed),
            "an order for a space that is not there"
        );
    }
}

/// The words of the next order; none where the workers are to end.
fn next_order(orders: &mut (dyn Orders + '_), sign: &Sign) -> Vec<u64> {
    loop {
        sign.give();
        match orders.next() {
            Next::Search(order) => return order.words(),
            Next::Wait => {}
            Next::End => return Vec::new(),
        }
    }
}

/// A worker that has an order.
struct Obeyed<'a, 'w, 'o> {
    exchange: Exchange<'w>,
    search: Search,
    orders: &'a mut Option<Box<dyn Orders + 'o>>,
}

impl SpaceVisitor for Obeyed<'_, '_, '_> {
    fn visit<S: Portable>(self, space: &S) {
        let Obeyed { exchange, search, orders } = self;
        exchange.sign().give();
        let (outcome, traffic) = match search {
            Search::Astar(request) => Searcher::new(space, exchange, request).run(orders),
            Search::Beam(request) => beam::search(space, exchange, request, orders),
        };
        if let Some(orders) = orders {
            orders.done(outcome, traffic);
        }
    }
}

/// First word of an order for A*.
const ASTAR: u64 = 0;
/// First word of an order for a beam search.
const BEAM: u64 = 1;

impl Order {
    /// The order in words, for [`Order::read`].
    pub fn words(&self) -> Vec<u64> {
        let mut words = vec![self.space.len() as u64];
        words.extend(&self.space);
        words.extend(self.search.words());
        words
    }

    /// The order of these words; none where they are of no order.
    pub fn read(words: &[u64]) -> Option<Order> {
        let (&count, rest) = words.split_first()?;
        let (space, search) = rest.split_at_checked(usize::try_from(count).ok()?)?;
        Some(Order { space: space.to_vec(), search: Search::read(search)? })
    }
}

impl Search {
    /// Bytes that each worker may hold.
    fn memory(&self) -> usize {
        match self {
            Search::Astar(request) => request.memory,
            Search::Beam(request) => request.memory,
        }
    }

    fn words(&self) -> Vec<u64> {
        let number = |limit: Option<u64>| limit.unwrap_or(u64::MAX);
        match *self {
            Search::Astar(Request { upper, nodes, memory, opening }) => {
                vec![ASTAR, upper, number(nodes), memory as u64, number(opening)]
            }
            Search::Beam(request) => {
                let BeamRequest { beam, upper, nodes, memory, former, seed, opening, .. } = request;
                let quota = beam.quota.map(|quota| quota as u64);
                vec![
                    BEAM,
                    upper,
                    number(nodes),
                    memory as u64,
                    number(opening),
                    beam.width as u64,
                    number(quota),
                    u64::from(beam.layers),
                    u64::from(request.is_widening),
                    former as u64,
                    seed,
                ]
            }
        }
    }

    fn read(words: &[u64]) -> Option<Search> {
        let number = |word: u64| (word != u64::MAX).then_some(word);
        let [kind, upper, nodes, memory, opening, ref rest @ ..] = *words else { return None };
        let (nodes, memory, opening) = (number(nodes), memory as usize, number(opening));
        match (kind, rest) {
            (ASTAR, []) => Some(Search::Astar(Request { upper, nodes, memory, opening })),
            (BEAM, &[width, quota, layers, is_widening, former, seed]) => {
                let quota = number(quota).map(|quota| quota as usize);
                let beam = Beam { quota, layers: layers as u32, ..Beam::new(width as usize) };
                let (is_widening, former) = (is_widening != 0, former as usize);
                Some(Search::Beam(BeamRequest {
                    beam,
                    is_widening,
                    upper,
                    nodes,
                    memory,
                    former,
                    seed,
                    opening,
                }))
            }
            _ => None,
        }
    }
}

/// As [`super::astar::astar_below`], by `workers` workers in this process, each with an equal part
/// of the budget's memory. `opening` is that of [`Request`]. Also says what was sent.
pub fn astar_below_in_threads<S: Portable>(
    space: &S,
    clock: &Clock,
    upper: u64,
    workers: usize,
    opening: Option<u64>,
) -> (Outcome<S::Action>, Traffic) {
    let request = Request::new(upper, &clock.limits, workers, opening);
    in_threads(space, clock, workers, Search::Astar(request))
}

/// Has `workers` workers in this process search; returns the outcome and what they have sent.
pub fn in_threads<S: Portable>(
    space: &S,
    clock: &Clock,
    workers: usize,
    search: Search,
) -> (Outcome<S::Action>, Traffic) {
    let order = Order { space: space.words(), search };
    let (outcome, traffic) = order_in_threads(&Only(space), clock, workers, order);
    let Outcome { verdict, plan, cost, bound, effort } = outcome;
    let plan = plan.map(|words| words.into_iter().filter_map(S::action_of).collect());
    (Outcome { verdict, plan, cost, bound, effort }, traffic)
}

/// Has `workers` workers in this process obey an order for one of these spaces; returns the outcome, with
/// the plan in words of actions, and what they have sent.
pub fn order_in_threads(
    spaces: &impl Spaces,
    clock: &Clock,
    workers: usize,
    order: Order,
) -> (Outcome<u64>, Traffic) {
    let mut done = None;
    let once = Once { order: Some(order), clock: clock.clone(), done: &mut done };
    Seat::alone(workers.max(1), Box::new(once)).serve(spaces);
    let (outcome, traffic) = done.expect("an outcome");
    let effort = Statistics { elapsed: clock.elapsed(), ..outcome.effort };
    (Outcome { effort, ..outcome }, traffic)
}

impl Request {
    /// A request for `workers` workers that share a budget.
    pub fn new(upper: u64, limits: &Limits, workers: usize, opening: Option<u64>) -> Self {
        let &Limits { nodes, memory, .. } = limits;
        Request { upper, nodes, memory: memory / workers.max(1), opening }
    }
}

impl BeamRequest {
    /// A request for `workers` workers that share a budget.
    pub fn new(beam: Beam, upper: Option<u64>, limits: &Limits, workers: usize) -> Self {
        BeamRequest {
            beam,
            is_widening: false,
            upper: upper.unwrap_or(u64::MAX),
            nodes: limits.nodes,
            memory: limits.memory / workers.max(1),
            former: limits.memory,
            seed: limits.seed,
            opening: None,
        }
    }
}

/// The orders to search once, within a budget.
struct Once<'a> {
    order: Option<Order>,
    clock: Clock,
    done: &'a mut Option<(Outcome<u64>, Traffic)>,
}

impl Orders for Once<'_> {
    fn next(&mut self) -> Next {
        self.order.take().map_or(Next::End, Next::Search)
    }

    fn look(&mut self, _: &Standing) -> Option<StopReason> {
        self.clock.should_stop(0, 0)
    }

    fn done(&mut self, outcome: Outcome<u64>, traffic: Traffic) {
        *self.done = Some((outcome, traffic));
    }
}
