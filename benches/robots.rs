//! Three questions about Robots: how the planner does beside the strategy on random cases; how many
//! turns a second the fast simulator makes beside the reference; how many robot-moves a second the
//! statement's program makes.
//!
//! `cargo bench --bench robots`; `-- --help` tells the options.

use clap::Parser;
use outwit::games::Objective;
use outwit::games::planning::Task;
use outwit::games::robots::format::{Case, text};
use outwit::games::robots::generate::{Kind, random};
use outwit::games::robots::planner;
use outwit::games::robots::program::{self, as_move};
use outwit::games::robots::rules::{Game, Standing};
use outwit::games::robots::state::State;
use outwit::search::{Limits, Run, Verdict};
use std::time::{Duration, Instant};

/// How does the planner do beside the strategy on random cases, and how fast are the simulators?
#[derive(Parser)]
#[command(bin_name = "cargo bench --bench robots --")]
struct Options {
    /// Cases
    #[arg(long, value_name = "N", default_value_t = 1000)]
    count: usize,
    /// Seed of the cases
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Wall time for each case
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0)]
    time: f64,
    /// Expansions for each case, in place of a time: figures are the same on every machine then
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// Threads
    #[arg(long, value_name = "N", default_value_t = 1)]
    threads: usize,
    /// Given by cargo
    #[arg(long = "bench", hide = true)]
    _bench: bool,
}

fn main() {
    let options = Options::parse();
    println!("{} random cases, seed {}", options.count, options.seed);
    let mut random = random(options.seed);
    let cases: Vec<Case> =
        (0..options.count).map(|_| Kind::mixed(&mut random).case(&mut random)).collect();
    turns(&cases);
    program(&cases);
    wins(&cases, &options);
}

/// Both simulators along the strategy's moves.
fn turns(cases: &[Case]) {
    let games: Vec<_> = cases.iter().map(program::play).collect();
    let begun = Instant::now();
    let (mut turns, mut left) = (0u64, 0);
    for (case, game) in cases.iter().zip(&games) {
        let mut state = State::new(case);
        for &action in &game.actions {
            let to = state.destination(action, &case.teleports).expect("legal");
            state = state.advance(to);
            turns += 1;
        }
        left += u64::from(state.robots_left());
    }
    let fast = begun.elapsed().as_secs_f64() / turns as f64;
    let begun = Instant::now();
    let (mut steps, mut remaining) = (0u64, 0);
    for (case, game) in cases.iter().zip(&games) {
        let mut play = Game::new(case);
        for &action in &game.actions {
            play.step(as_move(action, case)).expect("legal");
            steps += 1;
        }
        assert_eq!(play.standing == Standing::Won, game.won);
        remaining += play.robots.len() as u64;
    }
    let slow = begun.elapsed().as_secs_f64() / steps as f64;
    assert_eq!((turns, left), (steps, remaining));
    println!(
        "turns a second: fast {:.0}, reference {:.0}, {:.1} times as many",
        1.0 / fast,
        1.0 / slow,
        slow / fast
    );
}

/// The statement's program: every robot left moves once a turn.
fn program(cases: &[Case]) {
    let input = text(cases);
    let begun = Instant::now();
    let mut output = Vec::new();
    program::simulate(&mut input.as_bytes(), &mut output).expect("valid cases");
    let seconds = begun.elapsed().as_secs_f64();
    let mut robot_moves = 0;
    for case in cases {
        let mut state = State::new(case);
        for action in program::play(case).actions {
            robot_moves += u64::from(state.robots_left());
            let to = state.destination(action, &case.teleports).expect("legal");
            state = state.advance(to);
        }
    }
    println!("simulate: {:.2e} robot-moves a second", robot_moves as f64 / seconds);
}

/// What the planner reached on the cases.
#[derive(Default)]
struct Tally {
    strategy_wins: u32,
    wins: u32,
    optimal: u32,
    impossible: u32,
    unknown: u32,
    longer: u32,
    moves: u64,
    /// Moves where both win: the planner's, the strategy's.
    both: (u64, u64),
    expanded: u64,
    generated: u64,
}

fn wins(cases: &[Case], options: &Options) {
    let Options { nodes, threads, .. } = *options;
    let seconds = if nodes.is_some() { 1e6 } else { options.time };
    let budget = Run::from(Limits { nodes, threads, ..Limits::seconds(seconds) });
    let begun = Instant::now();
    let mut tally = Tally::default();
    let mut slowest = Duration::ZERO;
    for (i, case) in cases.iter().enumerate() {
        let unknown = tally.unknown;
        let took = tally.add(case, &budget);
        slowest = slowest.max(took);
        if tally.unknown > unknown {
            let (robots, teleports) = (case.robots.len(), case.teleports.len());
            println!("case {}: not decided, {robots} robots, {teleports} teleports", i + 1);
        }
    }
    let seconds = begun.elapsed().as_secs_f64();
    let winnable = cases.len() as u32 - tally.impossible;
    println!(
        "wins: planner {}, strategy {}; proven unwinnable {}, neither {}: {:.2} % of the rest won",
        tally.wins,
        tally.strategy_wins,
        tally.impossible,
        tally.unknown,
        100.0 * f64::from(tally.wins) / f64::from(winnable)
    );
    println!(
        "moves: {} in all, {} proven shortest; where both win {} against {}; longer in {}",
        tally.moves, tally.optimal, tally.both.0, tally.both.1, tally.longer
    );
    println!(
        "spent: {seconds:.1} s, slowest {:.2} s, {} expanded, {} generated, {:.2e} a second",
        slowest.as_secs_f64(),
        tally.expanded,
        tally.generated,
        tally.generated as f64 / seconds
    );
}

impl Tally {
    fn add(&mut self, case: &Case, budget: &Run) -> Duration {
        let game = program::play(case);
        let outcome = planner::solve(case, &Task::new(&Objective::default(), None, budget));
        self.strategy_wins += u32::from(game.won);
        match outcome.verdict {
            Verdict::Optimal => self.optimal += 1,
            Verdict::Found => {}
            Verdict::Impossible => self.impossible += 1,
            Verdict::Unknown => self.unknown += 1,
        }
        self.expanded += outcome.effort.expanded;
        self.generated += outcome.effort.generated;
        let Some(plan) = outcome.plan else {
            assert!(!game.won, "the strategy wins, so there is a plan");
            return outcome.effort.elapsed;
        };
        let mut play = Game::new(case);
        for &action in &plan {
            play.step(as_move(action, case)).expect("the reference allows the plan");
        }
        assert_eq!(play.standing, Standing::Won, "the reference wins by the plan");
        self.wins += 1;
        self.moves += plan.len() as u64;
        if game.won {
            self.both.0 += plan.len() as u64;
            self.both.1 += game.actions.len() as u64;
            self.longer += u32::from(plan.len() > game.actions.len());
        }
        outcome.effort.elapsed
    }
}
