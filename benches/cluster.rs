//! One search by several processes: how fast is it, and what do more workers send each other?
//!
//! `cargo bench --features cluster --bench cluster` searches an area of the Last of Us and a level of
//! Monsters by A* and by a beam, with one process of one thread, one process of two threads, and two
//! processes of one thread. It prints expansions a second, the fastest of some runs that take turns. It also
//! runs one and two workers of the shared search within this process, and prints how fast they are compared
//! with one and two threads of the ordinary search.
//! `-- --scale` counts instead, for 1 to 64 workers in this process: what they send, and what part of
//! the states and of the work is on one of them. A test run makes few expansions.

use clap::Parser;
use outwit::diagnostic::Source;
use outwit::games::last_of_us::format::{Map, read_map};
use outwit::games::last_of_us::planner::exact_space::{Exact, Room};
use outwit::games::last_of_us::state::Board;
use outwit::games::monsters::format::{Level, read_level};
use outwit::games::monsters::planner::Escape;
use outwit::search::astar::astar;
use outwit::search::beam::Beam;
use outwit::search::cluster::{
    BeamRequest, Next, Order, Orders, Request, Search, Seat, Standing, Traffic, in_threads,
};
use outwit::search::{Limits, Only, Outcome, Portable, Run, StopReason};
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

/// Bytes of the tables of each side.
const MEMORY: usize = 4 << 30;
/// States of a layer of the beam.
const WIDTH: usize = 20_000;
/// When more workers are counted, a part of the expansions is made before they part.
const OPENING_PART: u64 = 10;
/// Processes that search together.
const PROCESSES: usize = 2;
/// What a hidden argument says of a process that searches with others.
const PEER: &str = "peer";

/// How fast is one search by several processes? What do more workers send each other?
#[derive(Parser)]
#[command(bin_name = "cargo bench --features cluster --bench cluster --")]
struct Options {
    /// Count what 1 to 64 workers send each other
    #[arg(long)]
    scale: bool,
    /// Only this space: last-of-us or monsters
    #[arg(long)]
    space: Option<String>,
    /// Expansions of a search
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// Runs of each side; the fastest counts
    #[arg(long, value_name = "N", default_value_t = 3)]
    runs: usize,
    #[arg(long, hide = true)]
    bench: bool,
    #[arg(hide = true, value_name = "ARGUMENT")]
    rest: Vec<String>,
}

/// What is searched.
enum Game {
    LastOfUs(Map),
    Monsters(Box<Level>),
}

/// Their names, areas, and expansions.
const GAMES: [(&str, &str, u64); 2] = [
    ("last-of-us", "areas/last-of-us/pillars-41x41.txt", 1_000_000),
    ("monsters", "areas/monsters/hard-03-blobs.txt", 100_000),
];

impl Game {
    fn read(name: &str) -> Game {
        let (_, path, _) = GAMES.into_iter().find(|game| game.0 == name).expect("a game's name");
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
        let source = Source::read(&path).expect("the area is there");
        match name {
            "monsters" => Game::Monsters(Box::new(read_level(&source).expect("a level").0)),
            _ => Game::LastOfUs(read_map(&source).expect("an area")),
        }
    }

    fn with(&self, task: impl Task) {
        match self {
            Game::LastOfUs(map) => {
                let board = Board::new(map);
                task.run(&Exact::new(&board, Room::of(MEMORY, 2)));
            }
            Game::Monsters(level) => task.run(&Escape::new(level)),
        }
    }
}

/// What is done with a space.
trait Task {
    fn run<S: Portable>(self, space: &S);
}

/// How a space is searched.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Algorithm {
    Astar,
    Beam,
}

impl Algorithm {
    /// The search by one process: how many expansions it has made.
    fn alone<S: Portable>(self, space: &S, budget: &Run) -> u64 {
        let outcome = match self {
            Algorithm::Astar => astar(space, &budget.start()),
            Algorithm::Beam => Beam::new(WIDTH).run(space, &budget.start(), None),
        };
        outcome.effort.expanded
    }

    /// The same for a number of workers, which make the first expansions alike.
    fn wanted(self, budget: &Run, workers: usize, opening: Option<u64>) -> Search {
        match self {
            Algorithm::Astar => {
                Search::Astar(Request::new(u64::MAX, &budget.limits, workers, opening))
            }
            Algorithm::Beam => {
                let request = BeamRequest::new(Beam::new(WIDTH), None, &budget.limits, workers);
                Search::Beam(BeamRequest { opening, ..request })
            }
        }
    }
}

/// Expansions a second, by how the work is shared out.
struct Race<'a> {
    algorithm: Algorithm,
    name: &'a str,
    nodes: u64,
    runs: usize,
}

impl Task for Race<'_> {
    fn run<S: Portable>(self, space: &S) {
        let Race { algorithm, name, nodes, runs } = self;
        let mut best = [0.0f64; 3];
        let mut workers = [0.0f64; 2];
        for _ in 0..runs {
            for threads in [1, 2] {
                let started = Instant::now();
                let expanded = algorithm.alone(space, &budget(nodes, threads));
                let rate = expanded as f64 / started.elapsed().as_secs_f64();
                best[threads - 1] = best[threads - 1].max(rate);
            }
            best[2] = best[2].max(by_processes(algorithm, name, nodes));
            for count in [1, 2] {
                let budget = budget(nodes, count);
                let wanted = algorithm.wanted(&budget, count, None);
                let started = Instant::now();
                let (outcome, _) = in_threads(space, &budget.start(), count, wanted);
                let rate = outcome.effort.expanded as f64 / started.elapsed().as_secs_f64();
                workers[count - 1] = workers[count - 1].max(rate);
            }
        }
        let [one, threads, processes] = best;
        println!(
            "{name}, {algorithm:?}: {one:.0} expansions a second with one thread, {threads:.0} with two, \
             {processes:.0} with two processes: {:.2} of one thread, {:.2} of two",
            processes / one,
            processes / threads,
        );
        println!(
            "{name}, {algorithm:?}: one worker in this process has {:.2} of one thread, two workers {:.2} of two",
            workers[0] / one,
            workers[1] / threads,
        );
    }
}

fn budget(nodes: u64, threads: usize) -> Run {
    Run::from(Limits { nodes: Some(nodes), memory: MEMORY, threads, ..Limits::seconds(600.0) })
}

/// Work and traffic of each of the workers.
struct Scale<'a> {
    algorithm: Algorithm,
    name: &'a str,
    nodes: u64,
}

impl Task for Scale<'_> {
    fn run<S: Portable>(self, space: &S) {
        let Scale { algorithm, name, nodes } = self;
        for workers in [1, 2, 4, 8, 16, 32, 64] {
            // Threads that share few cores would never find it worth while to part.
            let budget = budget(nodes, workers);
            let wanted = algorithm.wanted(&budget, workers, Some(nodes / OPENING_PART));
            let (outcome, traffic) = in_threads(space, &budget.start(), workers, wanted);
            let expanded = outcome.effort.expanded as f64;
            println!(
                "{name}, {algorithm:?}, {workers} workers: {:.2} parcels and {:.1} bytes an expansion, \
                 {} steps, largest share of states {:.3}, of work {:.3}",
                traffic.parcels as f64 / expanded,
                8.0 * traffic.words as f64 / expanded,
                traffic.steps,
                traffic.most_states as f64 / traffic.states as f64,
                traffic.critical as f64 / expanded,
            );
        }
    }
}

/// Expansions a second of two processes of one thread.
fn by_processes(algorithm: Algorithm, name: &str, nodes: u64) -> f64 {
    let kind = format!("{algorithm:?}");
    let listeners: Vec<_> = (0..PROCESSES).map(|_| listener()).collect();
    let addresses = listeners.iter().map(|it| it.local_addr().expect("an address").to_string());
    let addresses: Vec<String> = addresses.collect();
    drop(listeners);
    let start = |process: usize| -> Child {
        Command::new(std::env::current_exe().expect("this program"))
            .args([PEER, &kind, name, &nodes.to_string(), &process.to_string()])
            .args(&addresses)
            .stdout(Stdio::piped())
            .spawn()
            .expect("a process")
    };
    let mut children: Vec<Child> = (0..PROCESSES).map(start).collect();
    let mut line = String::new();
    let told = children[0].stdout.take().expect("its output");
    BufReader::new(told).read_line(&mut line).expect("a line");
    for child in &mut children {
        assert!(child.wait().expect("an end").success());
    }
    line.trim().parse().expect("a rate")
}

fn listener() -> TcpListener {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port")
}

/// Searches once and tells how fast that was.
struct Once {
    order: Option<Order>,
    started: Instant,
}

impl Orders for Once {
    fn next(&mut self) -> Next {
        self.started = Instant::now();
        self.order.take().map_or(Next::End, Next::Search)
    }

    fn look(&mut self, _: &Standing) -> Option<StopReason> {
        None
    }

    fn done(&mut self, outcome: Outcome<u64>, _: Traffic) {
        println!("{}", outcome.effort.expanded as f64 / self.started.elapsed().as_secs_f64());
    }
}

/// One of several processes.
struct Peer {
    algorithm: Algorithm,
    nodes: u64,
    process: usize,
    sockets: Vec<Option<TcpStream>>,
}

impl Peer {
    /// Connects with the others.
    fn new(algorithm: Algorithm, nodes: u64, process: usize, addresses: &[SocketAddr]) -> Peer {
        let mut sockets: Vec<Option<TcpStream>> = addresses.iter().map(|_| None).collect();
        let listener = TcpListener::bind(addresses[process]).expect("the port is free");
        for other in 0..process {
            let mut stream = loop {
                if let Ok(stream) = TcpStream::connect(addresses[other]) {
                    break stream;
                }
                std::thread::yield_now();
            };
            writeln!(stream, "{process}").expect("a line");
            sockets[other] = Some(stream);
        }
        for _ in process + 1..addresses.len() {
            let (stream, _) = listener.accept().expect("another process");
            let mut number = String::new();
            // Nothing is sent beyond the line before the answer of this process.
            BufReader::with_capacity(1, &stream).read_line(&mut number).expect("a line");
            let number: usize = number.trim().parse().expect("a number");
            sockets[number] = Some(stream);
        }
        sockets.iter().flatten().for_each(|it| it.set_nodelay(true).expect("an option"));
        Peer { algorithm, nodes, process, sockets }
    }
}

impl Task for Peer {
    fn run<S: Portable>(self, space: &S) {
        let search = self.algorithm.wanted(&budget(self.nodes, 1), PROCESSES, None);
        let order = Order { space: space.words(), search };
        let once = Once { order: Some(order), started: Instant::now() };
        let orders: Option<Box<dyn Orders>> =
            if self.process == 0 { Some(Box::new(once)) } else { None };
        Seat::among(self.sockets, self.process, 1, orders).expect("threads").serve(&Only(space));
    }
}

fn main() {
    let options = Options::parse();
    if let [peer, kind, name, nodes, process, addresses @ ..] = &options.rest[..]
        && peer == PEER
    {
        let addresses: Vec<SocketAddr> =
            addresses.iter().map(|it| it.parse().expect("an address")).collect();
        let number = |text: &String| text.parse::<usize>().expect("a number");
        let algorithm = if kind == "Beam" { Algorithm::Beam } else { Algorithm::Astar };
        let peer = Peer::new(algorithm, number(nodes) as u64, number(process), &addresses);
        return Game::read(name).with(peer);
    }
    for (name, _, nodes) in GAMES {
        if options.space.as_ref().is_some_and(|space| space != name) {
            continue;
        }
        let nodes = if options.bench { options.nodes.unwrap_or(nodes) } else { 1000 };
        let game = Game::read(name);
        for algorithm in [Algorithm::Astar, Algorithm::Beam] {
            if options.scale {
                game.with(Scale { algorithm, name, nodes });
            } else {
                game.with(Race { algorithm, name, nodes, runs: options.runs });
            }
        }
    }
}
