//! How much shorter known plans of a collection get.
//!
//! `cargo bench --bench sokoban_improve -- FILE PLANS`; `-- --help` tells the options. Time is CPU
//! time, so that the table does not depend on what else the machine does.

mod cpu;

use clap::Parser;
use outwit::diagnostic::Source;
use outwit::games::GameId;
use outwit::verify::verify;
use std::path::{Path, PathBuf};

/// How much shorter do known plans of a collection get?
#[derive(Parser)]
#[command(bin_name = "cargo bench --bench sokoban_improve --")]
struct Options {
    /// A collection, and a folder of plans whose names begin with the level's number, as `outwit
    /// batch` writes them
    #[arg(num_args = 2, value_names = ["FILE", "PLANS"])]
    paths: Vec<PathBuf>,
    /// CPU time of each thread for each plan
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0)]
    time: f64,
    /// Threads
    #[arg(long, value_name = "N", default_value_t = 1)]
    threads: usize,
    /// Only these levels, such as 1,5-9
    #[arg(long, value_parser = cpu::numbers)]
    levels: Option<cpu::Numbers>,
    /// What is to get less: pushes or moves
    #[arg(long)]
    measure: Option<String>,
    /// Where to write the new plans
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Given by cargo
    #[arg(long = "bench", hide = true)]
    _bench: bool,
}

/// The number that a file's name begins with.
fn number(path: &Path) -> Option<usize> {
    let name = path.file_name()?.to_str()?;
    let digits: String = name.chars().take_while(char::is_ascii_digit).collect();
    (name.ends_with(".plan")).then(|| digits.parse().ok()).flatten()
}

fn main() {
    let options = Options::parse();
    let [file, plans] = &options.paths[..] else {
        println!("skipped: give a collection and a folder of plans");
        return;
    };
    let source = Source::read(file).unwrap_or_else(|error| panic!("{}", error.report(false)));
    let areas = GameId::Sokoban.game().read(&source).expect("levels");
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(plans).expect("a folder").flatten().map(|e| e.path()).collect();
    paths.sort();
    let (mut before, mut after) = ([0, 0], [0, 0]);
    println!("level  pushes -> pushes   moves -> moves   cpu s");
    for path in paths {
        let Some(level) = number(&path) else { continue };
        if options.levels.as_ref().is_some_and(|levels| !levels.contains(&level)) {
            continue;
        }
        let area = areas.area(Some(level)).expect("a level").as_ref();
        let known = Source::read(&path).expect("a plan");
        let known = verify(area, &known).expect("a valid plan");
        let start = cpu::seconds();
        let objective = area
            .game()
            .game()
            .objective(options.measure.as_deref())
            .unwrap_or_else(|e| panic!("{e}"));
        let answer =
            area.improve(known.text(), &objective, &cpu::budget(options.time, options.threads));
        let text = answer.plan.expect("a plan");
        let plan = verify(area, &Source::new("improved", text)).expect("a valid plan");
        let (old, new) = (&known.validation().rank, &plan.validation().rank);
        for i in 0..2 {
            before[i] += old[i];
            after[i] += new[i];
        }
        if let Some(out) = &options.out {
            std::fs::create_dir_all(out).expect("a folder");
            let name = path.file_name().unwrap_or_default();
            std::fs::write(out.join(name), plan.text()).expect("written");
        }
        println!(
            "{level:>5} {:>7} -> {:>6} {:>7} -> {:>6} {:>7.2}",
            old[0],
            new[0],
            old[1],
            new[1],
            cpu::seconds() - start
        );
    }
    println!("pushes {} -> {}, moves {} -> {}", before[0], after[0], before[1], after[1]);
}
