//! Which levels of a collection are solved, how fast, and why the others are not.
//!
//! `cargo bench --bench sokoban_levels -- FILE` prints one line a level and a total; `-- --help` tells
//! the options. `--crowded` takes forty boards of the generator with 30 boxes and more. Times are CPU seconds of the process, so that the table does not depend on what else
//! the machine does. Exact search gives parts of the clock's time to finding and shortening a plan: with
//! `--optimal` the clock is limited as well.

mod cpu;
mod crowded;

use clap::Parser;
use outwit::diagnostic::Source;
use outwit::games::GameId;
use outwit::search::{Limits, Run, Verdict};
use outwit::verify::verify;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Which levels of a collection are solved, how fast, and why the others are not?
#[derive(Parser)]
#[command(bin_name = "cargo bench --bench sokoban_levels --")]
struct Options {
    /// Collections; the project's own levels where none is given
    files: Vec<PathBuf>,
    /// CPU time of each thread for each level; with --optimal, time by the clock, too
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0)]
    time: f64,
    /// Expansions for each level
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// Threads
    #[arg(long, value_name = "N", default_value_t = 1)]
    threads: usize,
    /// Only these levels of each collection, such as 1,5-9
    #[arg(long, value_parser = cpu::numbers)]
    levels: Option<cpu::Numbers>,
    /// Prove plans shortest in this measure: pushes or moves
    #[arg(long, value_name = "MEASURE")]
    optimal: Option<String>,
    /// The forty crowded boards of the generator, in place of files
    #[arg(long, conflicts_with = "files")]
    crowded: bool,
    /// Write the levels into a file and solve none
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    /// Given by cargo
    #[arg(long = "bench", hide = true)]
    _bench: bool,
}

fn budget(options: &Options) -> Run {
    let budget = cpu::budget(options.time, options.threads);
    let time = match options.optimal {
        Some(_) => Duration::from_secs_f64(options.time),
        None => budget.limits.time,
    };
    Run::from(Limits { memory: 3 << 30, nodes: options.nodes, time, ..budget.limits })
}

fn run(source: &Source, options: &Options) {
    let game = GameId::Sokoban.game();
    let areas = game.read(source).unwrap_or_else(|error| panic!("{}", error.report(false)));
    let (mut solved, mut count, mut total, mut pushes) = (0, 0, 0.0, 0);
    println!("level boxes verdict      cpu s   nodes     moves made  pushes  moves  notes");
    for (level, area) in areas.readable() {
        if options.levels.as_ref().is_some_and(|levels| !levels.contains(&level)) {
            continue;
        }
        count += 1;
        let start = cpu::seconds();
        let objective = area
            .game()
            .game()
            .objective(options.optimal.as_deref())
            .unwrap_or_else(|e| panic!("{e}"));
        let answer = area.solve(&objective, None, &budget(options));
        let spent = cpu::seconds() - start;
        let proof = answer.plan.as_ref().map(|plan| {
            verify(area.as_ref(), &Source::new("plan", plan.as_str()))
                .unwrap_or_else(|error| panic!("level {}: an invalid plan: {error:?}", level))
        });
        let fact = |name: &str| {
            let proof = proof.as_ref()?;
            proof.validation().facts.iter().find(|f| f.name == name).map(|f| f.value.to_string())
        };
        if proof.is_some() {
            solved += 1;
            total += spent;
            pushes += answer.length.unwrap_or(0);
        }
        let boxes = area.facts().iter().find(|f| f.name == "boxes").map(|f| f.value.to_string());
        let notes: Vec<String> =
            answer.notes.iter().map(|f| format!("{}: {}", f.name, f.value)).collect();
        let stopped = answer.effort.stopped.map_or(String::new(), |stop| stop.to_string());
        println!(
            "{:>5} {:>5} {:<10} {:>7.2} {:>9} {:>11} {:>7} {:>6}  {:>4} MiB {stopped} {}",
            level,
            boxes.unwrap_or_default(),
            format!("{:?}", answer.verdict),
            spent,
            answer.effort.expanded,
            answer.effort.generated,
            fact("pushes").unwrap_or_default(),
            fact("moves").unwrap_or_default(),
            answer.effort.memory >> 20,
            notes.join("; "),
        );
        assert!(answer.verdict != Verdict::Found || proof.is_some(), "found without a plan");
    }
    println!("{}: {solved} of {count} solved, {total:.1} CPU s, {pushes} pushes", source.name);
}

fn main() {
    let mut options = Options::parse();
    if options.files.is_empty() && !options.crowded {
        let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("areas/sokoban");
        let entries = std::fs::read_dir(own).map(|dir| dir.flatten().map(|e| e.path()).collect());
        options.files = entries.unwrap_or_default();
        options.files.sort();
    }
    let read = |path: &PathBuf| {
        Source::read(path).unwrap_or_else(|error| panic!("{}", error.report(false)))
    };
    let mut sources: Vec<Source> = options.files.iter().map(read).collect();
    if options.crowded {
        sources.push(Source::new("crowded", crowded::levels()));
    }
    if let Some(file) = &options.write {
        let text: String = sources.iter().map(|source| source.text.as_str()).collect();
        std::fs::write(file, text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        return;
    }
    sources.iter().for_each(|source| run(source, &options));
}
