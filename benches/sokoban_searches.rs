//! What the search on bit boards is worth: expansions a second and bytes a position, against
//! best-first search on lists of squares, and with two threads against one.
//!
//! `cargo bench --bench sokoban_searches -- FILE` runs both on the same levels with the same number of
//! expansions; `-- --help` tells the options. Levels that one of them solves earlier are left out.
//! Ratios of one run do not depend on the machine; give it both cores for the second thread.

#[allow(dead_code)] // the lists of levels alone are of use here
mod cpu;

use clap::Parser;
use outwit::diagnostic::Source;
use outwit::games::Objective;
use outwit::games::planning::Task;
use outwit::games::sokoban::board::{Board, mask};
use outwit::games::sokoban::format::read_levels;
use outwit::games::sokoban::planner;
use outwit::search::{Limits, Run};
use std::path::{Path, PathBuf};

/// The search on bit boards.
const BIT_BOARDS: &str = "bidirectional";
/// The search on lists of squares.
const LISTS: &str = "best-first-by-boxes-away";

/// What is the search on bit boards worth: expansions a second, bytes a position, a second thread?
#[derive(Parser)]
#[command(bin_name = "cargo bench --bench sokoban_searches --")]
struct Options {
    /// Collections; the project's own levels where none is given
    files: Vec<PathBuf>,
    /// Expansions of the search on bit boards
    #[arg(long, value_name = "N", default_value_t = 400_000)]
    nodes: u64,
    /// Expansions of the search on lists
    #[arg(long, value_name = "N", default_value_t = 40_000)]
    list_nodes: u64,
    /// Only these levels of each collection, such as 1,5-9
    #[arg(long, value_parser = cpu::numbers)]
    levels: Option<cpu::Numbers>,
    /// Given by cargo
    #[arg(long = "bench", hide = true)]
    _bench: bool,
}

/// What a search came to: expansions, seconds, and bytes of its tables.
#[derive(Clone, Copy, Default)]
struct Measured {
    expanded: u64,
    seconds: f64,
    bytes: usize,
}

/// Runs a search to the end of its expansions; `None` where it ends before.
fn run(search: &str, board: &Board, nodes: u64, threads: usize) -> Option<Measured> {
    let limits = Limits { nodes: Some(nodes), threads, memory: 8 << 30, ..Limits::seconds(600.0) };
    let (objective, run) = (Objective::default(), Run::from(limits));
    let effort = planner::search(search, board, Task::new(&objective, None, &run))?.effort;
    let seconds = effort.elapsed.as_secs_f64();
    let run = Measured { expanded: effort.expanded, seconds, bytes: effort.memory };
    (run.expanded >= nodes).then_some(run)
}

/// Sums of the levels of one width.
#[derive(Clone, Copy, Default)]
struct Sums {
    levels: u32,
    lists: Measured,
    one: Measured,
    two: Measured,
}

/// Adds one run to others.
fn add(sum: &mut Measured, run: Measured) {
    sum.expanded += run.expanded;
    sum.seconds += run.seconds;
    sum.bytes += run.bytes;
}

fn rate(run: Measured) -> f64 {
    run.expanded as f64 / run.seconds
}

fn print(name: &str, sums: Sums) {
    let Sums { levels, lists, one, two } = sums;
    if levels == 0 {
        return;
    }
    println!(
        "{name}: {levels} levels, lists {:.0} expansions/s, bit boards {:.0} ({:.1} times), \
         two threads {:.0} ({:.2} times), {:.1} bytes for each expansion",
        rate(lists),
        rate(one),
        rate(one) / rate(lists),
        rate(two),
        rate(two) / rate(one),
        one.bytes as f64 / one.expanded as f64
    );
}

fn main() {
    let mut options = Options::parse();
    if options.files.is_empty() {
        let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("areas/sokoban");
        let entries = std::fs::read_dir(own).map(|dir| dir.flatten().map(|e| e.path()).collect());
        options.files = entries.unwrap_or_default();
        options.files.sort();
    }
    let mut by_words = [Sums::default(); 9];
    for path in &options.files {
        let source = Source::read(path).unwrap_or_else(|error| panic!("{}", error.report(false)));
        let levels = read_levels(&source).unwrap_or_else(|e| panic!("{}", e.report(false)));
        for (number, level) in (1..).zip(&levels) {
            if options.levels.as_ref().is_some_and(|levels| !levels.contains(&number)) {
                continue;
            }
            let board = Board::new(level);
            let Some(words) = mask::words(&board) else { continue };
            let runs = || {
                let lists = run(LISTS, &board, options.list_nodes, 1)?;
                let one = run(BIT_BOARDS, &board, options.nodes, 1)?;
                let two = run(BIT_BOARDS, &board, options.nodes, 2)?;
                Some(Sums { levels: 1, lists, one, two })
            };
            let Some(sums) = runs() else { continue };
            print(&format!("{} {number}, {words} words", path.display()), sums);
            let sum = &mut by_words[words];
            sum.levels += 1;
            add(&mut sum.lists, sums.lists);
            add(&mut sum.one, sums.one);
            add(&mut sum.two, sums.two);
        }
    }
    for (words, sums) in by_words.into_iter().enumerate() {
        print(&format!("{words} words"), sums);
    }
}
