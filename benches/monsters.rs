//! Monsters: what part of random levels is decided within two seconds at two threads, and what part
//! of the plans is proven shortest? How many turns a second do the two simulators do?
//!
//! `cargo bench --bench monsters`; `-- --help` tells the options. A sixth of the levels are of each
//! kind of monsters. A test run takes a few levels only.

use clap::{Parser, ValueEnum};
use outwit::diagnostic::Source;
use outwit::games::Objective;
use outwit::games::monsters::format::{
    Key, Level, MAX_COLS, MAX_COMPLEXITY, MAX_ROWS, Tile, is_border, plan_text, read_plan,
};
use outwit::games::monsters::generate::{Kind, random_level, random_shape};
use outwit::games::monsters::planner::solve;
use outwit::games::monsters::rules::{Game, Standing, replay};
use outwit::games::monsters::state::{After, Board};
use outwit::games::planning::Task;
use outwit::search::{Limits, Run, Verdict};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::time::{Duration, Instant};

/// Levels of a bench.
const LEVELS: usize = 600;
/// Levels of a test run.
const FEW_LEVELS: usize = 12;
/// The largest level of the contest's kind.
const LARGEST: (u32, u32) = (24, 60);

/// What part of random levels is decided, and what part of the plans is proven shortest? How many
/// turns a second do the two simulators do?
#[derive(Parser)]
#[command(bin_name = "cargo bench --bench monsters --")]
struct Options {
    /// Levels, 600 where nothing is said
    #[arg(long, value_name = "N")]
    count: Option<usize>,
    /// Seed of the levels
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// What they are like, whatever their monsters
    #[arg(long, value_enum, default_value = "contest")]
    family: Family,
    /// Wall time for each level
    #[arg(long, value_name = "SECONDS", default_value_t = 2.0)]
    time: f64,
    /// Expansions for each level, in place of a time: figures are the same on every machine then
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// Threads
    #[arg(long, value_name = "N", default_value_t = 2)]
    threads: usize,
    /// Show the levels that are not decided
    #[arg(long)]
    show: bool,
    /// Given by cargo; without it, as in a test run, there are few levels
    #[arg(long, hide = true)]
    bench: bool,
}

/// What levels are like.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Family {
    /// As the contest's cases, up to 24 rows and 60 columns
    Contest,
    /// With a border that is closed but for one cell, up to 24 by 80
    Gated,
    /// With a border without a gap, which mines have to open
    Closed,
}

impl Family {
    fn level(self, kind: Kind, rng: &mut ChaCha8Rng) -> Level {
        if self == Family::Contest {
            return random_level(kind, random_shape(LARGEST.0, LARGEST.1, rng), rng);
        }
        let mut level = random_level(kind, random_shape(MAX_ROWS, MAX_COLS, rng), rng);
        let shape = level.shape;
        let border: Vec<_> = shape.iter().filter(|&cell| is_border(shape, cell)).collect();
        for cell in &border {
            if level.tiles[cell.index()] == Tile::Floor {
                level.tiles[cell.index()] = Tile::Wall;
            }
        }
        if self == Family::Gated {
            level.tiles[border[rng.random_range(0..border.len())].index()] = Tile::Floor;
        }
        level
    }
}

/// Turns that each simulator is timed for.
const TURNS: u32 = 200_000;

fn main() {
    let options = Options::parse();
    let Options { seed, nodes, threads, .. } = options;
    let levels = options.count.unwrap_or(if options.bench { LEVELS } else { FEW_LEVELS });
    let seconds = if nodes.is_some() { 1e6 } else { options.time };
    let budget = Run::from(Limits { nodes, threads, ..Limits::seconds(seconds) });
    let limit = nodes.map_or(format!("{seconds} s"), |nodes| format!("{nodes} expansions"));
    let family = options.family.to_possible_value().expect("no family is hidden");
    let name = family.get_name();
    println!("seed {seed}, {levels} {name} levels, {limit} and {threads} threads for each");
    let mut total = Tally::default();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut by_kind = vec![Tally::default(); Kind::ALL.len()];
    for index in 0..levels {
        let kind = index % Kind::ALL.len();
        let level = options.family.level(Kind::ALL[kind], &mut rng);
        let open = by_kind[kind].open;
        by_kind[kind].solve(&level, &budget);
        if by_kind[kind].open > open && options.show {
            println!("not decided:\n{}", level.text());
        }
    }
    for (kind, tally) in Kind::ALL.iter().zip(&by_kind) {
        println!("{:10} {}", kind.name(), tally.line());
        total.add(tally);
    }
    println!("{:10} {}", "total", total.line());
    turns_a_second(seed, if options.bench { TURNS } else { TURNS / 100 });
}

/// What became of some levels.
#[derive(Clone, Default)]
struct Tally {
    proven: u32,
    found: u32,
    impossible: u32,
    open: u32,
    within_contest: u32,
    slowest: Duration,
    expanded: u64,
}

impl Tally {
    fn solve(&mut self, level: &Level, budget: &Run) {
        let started = Instant::now();
        let outcome = solve(level, &Task::new(&Objective::default(), None, budget));
        self.slowest = self.slowest.max(started.elapsed());
        self.expanded += outcome.effort.expanded;
        match outcome.verdict {
            Verdict::Optimal => self.proven += 1,
            Verdict::Found => self.found += 1,
            Verdict::Impossible => self.impossible += 1,
            Verdict::Unknown => self.open += 1,
        }
        if let Some(keys) = outcome.plan {
            let text = Source::new("plan", plan_text(&keys));
            let planned = read_plan(&text, level).expect("a plan is readable");
            let end = replay(level, &planned, &text).expect("a plan holds");
            let spent = level.complexity() * (end.turn() + 1);
            self.within_contest += u32::from(spent <= MAX_COMPLEXITY);
        }
    }

    fn add(&mut self, other: &Tally) {
        self.proven += other.proven;
        self.found += other.found;
        self.impossible += other.impossible;
        self.open += other.open;
        self.within_contest += other.within_contest;
        self.slowest = self.slowest.max(other.slowest);
        self.expanded += other.expanded;
    }

    fn line(&self) -> String {
        let Tally { proven, found, impossible, open, .. } = *self;
        let (won, all) = (proven + found, proven + found + impossible + open);
        let part = |some: u32, of: u32| 100.0 * f64::from(some) / f64::from(of.max(1));
        format!(
            "decided {:6.2} % (won {won}, impossible {impossible}, open {open}), shortest proven \
             {:6.2} % of those won, within the contest's complexity {}, slowest {:.2} s, \
             {} expanded",
            part(all - open, all),
            part(proven, won),
            self.within_contest,
            self.slowest.as_secs_f64(),
            self.expanded
        )
    }
}

/// Plays the same random turns on both simulators.
fn turns_a_second(seed: u64, turns: u32) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let levels: Vec<Level> = (0..60)
        .map(|index| random_level(Kind::ALL[index % 6], random_shape(24, 60, &mut rng), &mut rng))
        .filter(|level| Game::new(level).standing() == Standing::Playing)
        .collect();
    let keys: Vec<Key> = (0..turns).map(|_| Key::ALL[rng.random_range(0..5)]).collect();
    let mut fast_hash = 0;
    let fast = timed(|| {
        let mut boards: Vec<Board> = levels.iter().map(Board::new).collect();
        for (index, &key) in keys.iter().enumerate() {
            let board = &mut boards[index % levels.len()];
            if board.act(key) != After::Playing {
                while board.undo() {}
            }
            fast_hash ^= board.key();
        }
    });
    let mut reference_turns = 0;
    let slow_keys = &keys[..keys.len() / 20];
    let reference = timed(|| {
        let mut worlds: Vec<Game> = levels.iter().map(Game::new).collect();
        for (index, &key) in slow_keys.iter().enumerate() {
            let which = index % levels.len();
            worlds[which].act(key);
            reference_turns += worlds[which].turn();
            if worlds[which].standing() != Standing::Playing {
                worlds[which] = Game::new(&levels[which]);
            }
        }
    });
    let fast_rate = f64::from(turns) / fast.as_secs_f64();
    let reference_rate = slow_keys.len() as f64 / reference.as_secs_f64();
    println!(
        "turns a second: fast {fast_rate:.0}, reference {reference_rate:.0}, ratio {:.1} \
         (signature {fast_hash:016x}, {reference_turns})",
        fast_rate / reference_rate
    );
}

fn timed(work: impl FnOnce()) -> Duration {
    let started = Instant::now();
    work();
    started.elapsed()
}
