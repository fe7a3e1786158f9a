//! How much faster is A* with two threads than with one, and how much memory does a state take?
//!
//! `cargo bench --bench astar_threads` searches spaces of the games and those of the bench `astar`, the
//! latter further, with one thread and with two, in turns; the fastest run of each counts. Verdict,
//! cost, plan, bound and expansions must be the same. A test run makes few expansions.

#[path = "../tests/search/spaces.rs"]
mod spaces;

use clap::Parser;
use outwit::diagnostic::Source;
use outwit::games::last_of_us::format::read_map;
use outwit::games::last_of_us::planner::exact_space::{Exact, Room};
use outwit::games::last_of_us::state::Board;
use outwit::games::monsters::format::read_level;
use outwit::games::monsters::planner::Escape;
use outwit::games::robots::format::read_cases;
use outwit::games::robots::planner::Positions;
use outwit::games::robots::state::State;
use outwit::search::astar::astar;
use outwit::search::{Limits, Outcome, Run, Space};
use spaces::{Fleet, Grid, Sliding, Wide};
use std::path::Path;
use std::time::Instant;

/// Bytes of the tables.
const MEMORY: usize = 4 << 30;
/// Expansions of each search in a test run.
const FEW: u64 = 1000;

/// How much faster is A* with two threads than with one?
#[derive(Parser)]
#[command(bin_name = "cargo bench --bench astar_threads --")]
struct Options {
    /// Only the spaces whose names hold this
    #[arg(long)]
    space: Option<String>,
    /// Runs of each side; the fastest counts
    #[arg(long, value_name = "N", default_value_t = 3)]
    runs: usize,
    #[arg(long, hide = true)]
    bench: bool,
    #[arg(hide = true, value_name = "ARGUMENT")]
    rest: Vec<String>,
}

impl Options {
    /// Searches a space with one thread and with two, up to a limit of expansions.
    fn race<S: Space<Action: PartialEq>>(&self, name: &str, space: &S, nodes: u64) {
        let nodes = if self.bench { nodes } else { FEW };
        let mut best = [f64::MAX; 2];
        let mut answer: Option<Outcome<S::Action>> = None;
        for _ in 0..self.runs {
            for (threads, best) in (1..).zip(&mut best) {
                let budget = Run::from(Limits {
                    threads,
                    nodes: Some(nodes),
                    memory: MEMORY,
                    ..Limits::seconds(600.0)
                });
                let started = Instant::now();
                let outcome = astar(space, &budget.start());
                *best = best.min(started.elapsed().as_secs_f64());
                let before = answer.get_or_insert(outcome.clone());
                assert_eq!(before.verdict, outcome.verdict, "{name}");
                assert_eq!((before.cost, before.bound), (outcome.cost, outcome.bound), "{name}");
                assert_eq!(before.effort.expanded, outcome.effort.expanded, "{name}");
                assert!(before.plan == outcome.plan, "{name}");
            }
        }
        let [one, two] = best;
        let effort = answer.expect("there are runs").effort;
        println!(
            "{name}: {} expansions in {one:.3} s with one thread, in {two:.3} s with two, {:.2} times; {:.0} \
             bytes an expansion",
            effort.expanded,
            one / two,
            effort.memory as f64 / effort.expanded as f64,
        );
    }

    fn wants(&self, name: &str) -> bool {
        self.space.as_ref().is_none_or(|space| name.contains(space.as_str()))
    }
}

/// The text of an area.
fn area(path: &str) -> Source {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("areas").join(path);
    Source::read(&path).expect("the area is there")
}

fn games(options: &Options) {
    if options.wants("last of us") {
        let map = read_map(&area("last-of-us/pillars-41x41.txt")).expect("an area");
        let board = Board::new(&map);
        options.race("last of us", &Exact::new(&board, Room::of(MEMORY, 2)), 1_000_000);
    }
    if options.wants("monsters") {
        let level = read_level(&area("monsters/hard-03-blobs.txt")).expect("a level").0;
        options.race("monsters", &Escape::new(&level), 100_000);
    }
    if options.wants("robots") {
        let cases = read_cases(&area("robots/robots-5-20-16-9.txt")).expect("cases");
        options.race("robots", &Positions::new(&cases[0], State::new(&cases[0])), 500_000);
    }
}

fn main() {
    let options = Options::parse();
    games(&options);
    if options.wants("fleet") {
        options.race("fleet of 32 carts", &Fleet::<32>::random(4, 48, 25), 400_000);
    }
    if options.wants("575-puzzle") {
        options.race("575-puzzle", &Wide::scrambled(5, 400), 200_000);
    }
    if options.wants("15-puzzle") {
        options.race("15-puzzle", &Sliding::<4>::scrambled(9, 4000), 3_000_000);
    }
    if options.wants("grid") {
        options.race("grid 3000x3000", &Grid::random(7, 3000, 25), u64::MAX);
    }
}
