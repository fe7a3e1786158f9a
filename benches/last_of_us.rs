//! How fast is the Last of Us: the simulators, the beam, A*, and time to a plan for each family?
//!
//! `cargo bench --bench last_of_us` measures all of it with criterion and prints the ratios that the
//! README quotes at the end: fast simulator against reference, two threads of the beam against one,
//! A* against the `astar` of the crate `pathfinding` on the same space. Each ratio is taken within
//! one run, from the fastest of several rounds that take turns.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use outwit::board::mix;
use outwit::diagnostic::Source;
use outwit::games::Objective;
use outwit::games::last_of_us::format::{Action, Map, read_map};
use outwit::games::last_of_us::planner::OfMap;
use outwit::games::last_of_us::planner::exact_space::{Exact, Room};
use outwit::games::last_of_us::rules::{Game, Readings};
use outwit::games::last_of_us::state::{Board, Move, NOTHING, Simulator, State};
use outwit::games::planning::{Planning, Task};
use outwit::search::{Limits, Run, Space, astar};
use std::hint::black_box;
use std::path::Path;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Seed of the random walks.
const SEED: u64 = 7;
/// Rounds of each side for a printed ratio.
const ROUNDS: usize = 5;
/// An area of each family for the time to a plan.
const FAMILIES: [&str; 8] = [
    "open-200x200-1003",
    "caves-250x250-1007",
    "rooms-120x120-1010",
    "maze1-61x61-1013",
    "maze2-151x151-1015",
    "maze3-81x81-1016",
    "blocks-70x70-1018",
    "lattice-70x70-1023",
];

/// Areas that both A* are run on until they have proven the optimum.
const SMALL: [&str; 4] =
    ["area-0-sample", "area-1-reconstructed", "caves-30x30-1005", "lattice-35x35-1021"];

fn area(name: &str) -> Map {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("areas/last-of-us")
        .join(name)
        .with_extension("txt");
    read_map(&Source::read(&path).expect("the area is there")).expect("the area is right")
}

/// A random walk that Ellie survives: quiet ones wake nobody, busy ones seek company. Where it
/// gets stuck it goes some steps back.
fn walk(board: &Board, quiet: bool, length: usize) -> Vec<Move> {
    let mut sim = Simulator::new(board, 64 << 20);
    let mut states = vec![board.start()];
    let mut moves = Vec::new();
    let mut draw = SEED;
    while moves.len() < length {
        let state = &states[states.len() - 1];
        let awake = |s: &State| s.away.iter().filter(|c| c.target != NOTHING).count();
        let mut fit: Vec<(Move, State)> = (0..9)
            .map(Move)
            .filter_map(|action| Some((action, sim.after(state, action).1?)))
            .filter(|(_, next)| next.ellie != board.exit && (!quiet || awake(next) == 0))
            .collect();
        draw = mix(draw);
        if fit.is_empty() {
            let back = states.len().saturating_sub(1 + draw as usize % 40).max(1);
            states.truncate(back);
            moves.truncate(back - 1);
            continue;
        }
        if !quiet {
            fit.sort_by_key(|(_, next)| std::cmp::Reverse(awake(next)));
            fit.truncate(3);
        }
        let (action, next) = fit.swap_remove((draw >> 32) as usize % fit.len());
        moves.push(action);
        states.push(next);
    }
    moves
}

fn run_fast(board: &Board, sim: &mut Simulator<&Board>, moves: &[Move]) -> State {
    let mut state = board.start();
    for &action in moves {
        state = sim.after(&state, action).1.expect("a walk that she survives");
    }
    state
}

fn run_reference(map: &Map, actions: &[Action]) -> u64 {
    let mut game = Game::new(map, Readings::default());
    for &action in actions {
        game.act(action).expect("a walk that she survives");
    }
    game.turn()
}

/// The fastest of some rounds of each of two, in turns, in seconds.
fn fastest(mut a: impl FnMut(), mut b: impl FnMut()) -> (f64, f64) {
    let mut best = (f64::MAX, f64::MAX);
    for _ in 0..ROUNDS {
        let start = Instant::now();
        a();
        best.0 = best.0.min(start.elapsed().as_secs_f64());
        let start = Instant::now();
        b();
        best.1 = best.1.min(start.elapsed().as_secs_f64());
    }
    best
}

fn simulators(c: &mut Criterion) {
    let map = area("open-500x500-1004");
    let board = Board::new(&map);
    let mut sim = Simulator::new(&board, 64 << 20);
    for (name, quiet) in [("quiet", true), ("busy", false)] {
        let moves = walk(&board, quiet, 2000);
        let actions: Vec<Action> = moves.iter().map(|m| m.action()).collect();
        let mut group = c.benchmark_group(format!("steps {name}"));
        group.throughput(Throughput::Elements(moves.len() as u64)).sample_size(10);
        group.bench_function("fast", |b| b.iter(|| run_fast(&board, &mut sim, black_box(&moves))));
        group.bench_function("reference", |b| b.iter(|| run_reference(&map, black_box(&actions))));
        group.finish();
        let (fast, reference) = fastest(
            || {
                black_box(run_fast(&board, &mut sim, &moves));
            },
            || {
                black_box(run_reference(&map, &actions));
            },
        );
        let steps = moves.len() as f64;
        println!(
            "RATIO steps {name}: fast {:.0}/s, reference {:.0}/s, {:.1} times ({} steps)",
            steps / fast,
            steps / reference,
            reference / fast,
            moves.len(),
        );
    }
}

fn beams(c: &mut Criterion) {
    let map = area("lattice-140x140-2002");
    let run = |threads| {
        let run = Run::from(Limits { threads, nodes: Some(60_000), ..Limits::seconds(600.0) });
        let objective = Objective::default();
        let task = Task::new(&objective, None, &run);
        OfMap::new(&map).search("beam", task).expect("a beam").0
    };
    c.bench_function("beam, one thread", |b| b.iter(|| run(1)));
    let (mut one, mut two) = (None, None);
    let times = fastest(|| one = Some(run(1)), || two = Some(run(2)));
    let (one, two) = (one.expect("ran"), two.expect("ran"));
    assert_eq!(one.plan, two.plan, "the plan depends on the number of threads");
    println!(
        "RATIO beam: {:.0} expansions/s with one thread, {:.0} with two, {:.2} times",
        one.effort.expanded as f64 / times.0,
        two.effort.expanded as f64 / times.1,
        times.0 / times.1,
    );
}

/// A state with its bound, as `pathfinding` wants it: one value that is hashed and cloned.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Noted {
    state: State,
    bound: u32,
}

fn theirs(space: &Exact<'_>) -> (u64, u64) {
    let mut scratch = space.scratch();
    let start = space.start();
    let start = Noted { bound: space.bound(&start), state: start };
    let mut expanded = 0;
    let found = pathfinding::directed::astar::astar(
        &start,
        |noted| {
            expanded += 1;
            let mut children = Vec::new();
            space.expand(&noted.state, &mut scratch, &mut |child| {
                children.push((child.action, child.bound));
            });
            children
                .into_iter()
                .map(|(action, bound)| {
                    let state = space.child(&noted.state, action, &mut scratch);
                    (Noted { state, bound }, 1)
                })
                .collect::<Vec<_>>()
        },
        |noted| noted.bound,
        |noted| space.is_goal(&noted.state),
    );
    (u64::from(found.expect("there is a plan").1), expanded)
}

fn exact(c: &mut Criterion) {
    for name in SMALL {
        let map = area(name);
        let board = Board::new(&map);
        let budget = Run::from(Limits { memory: 4 << 30, ..Limits::seconds(600.0) });
        let space = Exact::new(&board, Room::of(budget.limits.memory, budget.limits.threads));
        c.bench_function(&format!("A* {name}"), |b| {
            b.iter(|| astar::astar(&space, &budget.start()).cost);
        });
        let (mut ours, mut other) = ((0, 0), (0, 0));
        let times = fastest(
            || {
                let outcome = astar::astar(&space, &budget.start());
                ours = (outcome.cost, outcome.effort.expanded);
            },
            || other = theirs(&space),
        );
        assert_eq!(ours.0, other.0, "both are optimal");
        let rates = (ours.1 as f64 / times.0, other.1 as f64 / times.1);
        println!(
            "RATIO A* {name}: {:.0} expansions/s ({} in {:.4} s), pathfinding {:.0}/s ({} in {:.4} s), {:.2} times",
            rates.0,
            ours.1,
            times.0,
            rates.1,
            other.1,
            times.1,
            rates.0 / rates.1,
        );
    }
}

fn plans(c: &mut Criterion) {
    let mut group = c.benchmark_group("time to a plan");
    group.sample_size(10).measurement_time(Duration::from_secs(2));
    for name in FAMILIES {
        let map = area(name);
        group.bench_function(name, |b| b.iter(|| first_plan(&map)));
    }
    group.finish();
}

/// Length of the first plan that the planner finds, which is stopped then.
fn first_plan(map: &Map) -> u64 {
    let run = Run::from(Limits { threads: 2, ..Limits::seconds(60.0) });
    let (objective, first) = (Objective::default(), OnceLock::new());
    let found = |_: &[Action], length| {
        first.get_or_init(|| length);
        run.control.cancel();
    };
    let task = Task { found: &found, ..Task::new(&objective, None, &run) };
    let answer = OfMap::new(map).solve(task);
    *first.get().unwrap_or(&answer.0.cost)
}

criterion_group! {
    name = benches;
    config = Criterion::default().warm_up_time(Duration::from_millis(300)).sample_size(10);
    targets = simulators, beams, exact, plans
}
criterion_main!(benches);
