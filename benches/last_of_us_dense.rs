//! How near are plans and bounds in densely guarded areas of the Last of Us?
//!
//! `cargo bench --bench last_of_us_dense` plans a fixed set of generated areas of all families, on
//! which nothing was tuned, and prints for each time and number of threads the sum of lengths, the
//! sum of bounds and the ratio of both. `-- --series even` does the same with thirty areas of other
//! kinds, `-- DIR` with the areas in a folder, and `-- --help` tells the options. Times are by the
//! clock: nothing else should run.

use clap::Parser;
use outwit::diagnostic::Source;
use outwit::games::{Area, GameId, GenerateOptions, Objective};
use outwit::search::{Limits, Run, Settings};
use outwit::verify::verify;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// How near are plans and bounds in densely guarded areas of the Last of Us?
#[derive(Parser)]
#[command(bin_name = "cargo bench --bench last_of_us_dense --")]
struct Options {
    /// A folder of areas; the generated ones where none is given
    dir: Option<PathBuf>,
    /// Times by the clock for each area
    #[arg(long, value_name = "SECONDS", value_delimiter = ',', default_values_t = [1.0, 10.0])]
    time: Vec<f64>,
    /// Numbers of threads
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [1, 2])]
    threads: Vec<usize>,
    /// Memory in MiB
    #[arg(long, value_name = "MIB", default_value_t = 256)]
    memory: usize,
    /// Seed of the searches
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// The areas to generate
    #[arg(long, value_enum, default_value_t = Series::Fixed)]
    series: Series,
    /// Crowd of the fixed set, as `outwit generate` has it: dense or strewn
    #[arg(long, default_value = "dense")]
    crowd: String,
    /// Added to the seeds of the fixed set
    #[arg(long, value_name = "N", default_value_t = 0)]
    areas: u64,
    /// Set a number of the planner for this run, as `outwit solve` does
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Write the generated areas to this folder, and stop
    #[arg(long, value_name = "DIR")]
    write: Option<PathBuf>,
    /// Given by cargo
    #[arg(long = "bench", hide = true)]
    _bench: bool,
}

/// Family, rows, columns, most clickers, bricks.
type Wish = (&'static str, u32, u32, u32, u32);

/// The areas to generate.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Series {
    /// 24 areas of all families, of one kind of crowd
    Fixed,
    /// Thirty areas of kinds that are hard within a second, with odd seeds, for work on the planner
    Odd,
    /// Thirty areas of the same kinds with even seeds, which are looked at when the work is done
    Even,
}

/// The seed of each is its place in the list, from 101.
const AREAS: [Wish; 24] = [
    ("open", 60, 60, 900, 80),
    ("open", 100, 100, 3500, 140),
    ("open", 200, 200, 5000, 140),
    ("open", 12, 300, 900, 140),
    ("caves", 100, 100, 1000, 140),
    ("caves", 200, 200, 3000, 140),
    ("caves", 200, 200, 6000, 60),
    ("caves", 300, 300, 3000, 140),
    ("caves", 20, 400, 1200, 100),
    ("rooms", 80, 80, 500, 140),
    ("rooms", 120, 120, 1000, 140),
    ("rooms", 120, 120, 2500, 140),
    ("rooms", 200, 200, 2000, 140),
    ("rooms", 200, 200, 6000, 140),
    ("maze1", 61, 61, 150, 100),
    ("maze1", 81, 81, 500, 140),
    ("maze1", 101, 101, 165, 140),
    ("maze1", 101, 101, 1000, 140),
    ("maze1", 201, 201, 600, 140),
    ("maze1", 201, 201, 3000, 140),
    ("maze2", 121, 121, 1500, 140),
    ("maze2", 151, 151, 1000, 140),
    ("maze3", 61, 61, 400, 40),
    ("maze3", 121, 121, 1500, 140),
];
const FIRST_SEED: u64 = 101;

/// Three areas of each kind: crowd and wish. The seeds count up from 9100.
const KINDS: [(&str, Wish); 20] = [
    ("dense", ("maze1", 41, 41, 67, 140)),
    ("dense", ("maze1", 41, 41, 28, 140)),
    ("dense", ("maze1", 61, 61, 148, 140)),
    ("dense", ("maze2", 61, 61, 62, 140)),
    ("dense", ("maze1", 81, 81, 262, 140)),
    ("dense", ("maze1", 81, 81, 109, 140)),
    ("dense", ("maze1", 101, 101, 408, 140)),
    ("dense", ("maze2", 101, 101, 170, 140)),
    ("dense", ("maze1", 121, 121, 585, 140)),
    ("dense", ("maze3", 121, 121, 244, 140)),
    ("dense", ("caves", 200, 200, 1333, 140)),
    ("dense", ("caves", 300, 300, 3000, 140)),
    ("dense", ("caves", 400, 400, 5333, 140)),
    ("dense", ("rooms", 200, 200, 1333, 140)),
    ("dense", ("rooms", 400, 400, 5333, 140)),
    ("strewn", ("maze1", 61, 61, 148, 0)),
    ("strewn", ("maze1", 101, 101, 408, 0)),
    ("strewn", ("caves", 200, 200, 1333, 0)),
    ("strewn", ("rooms", 120, 120, 576, 0)),
    ("strewn", ("rooms", 200, 200, 1333, 0)),
];
const FIRST_SEED_OF_KINDS: u64 = 9100;
const SEEDS_OF_A_KIND: u64 = 3;

fn generated(options: &Options) -> Vec<(String, String)> {
    if options.series == Series::Fixed {
        let seed = |index: usize| FIRST_SEED + index as u64 + options.areas;
        let wishes = AREAS.iter().enumerate();
        return wishes.map(|(index, wish)| made(&options.crowd, wish, seed(index))).collect();
    }
    let parity = u64::from(options.series == Series::Odd);
    let places = 0..KINDS.len() as u64 * SEEDS_OF_A_KIND;
    let chosen = places.filter(|place| (FIRST_SEED_OF_KINDS + place) % 2 == parity);
    chosen
        .map(|place| {
            let (crowd, wish) = &KINDS[(place / SEEDS_OF_A_KIND) as usize];
            made(crowd, wish, FIRST_SEED_OF_KINDS + place)
        })
        .collect()
}

/// Name and text of a generated area.
fn made(crowd: &str, wish: &Wish, seed: u64) -> (String, String) {
    let &(family, rows, cols, clickers, bricks) = wish;
    let numbers = [("rows", rows), ("cols", cols), ("clickers", clickers), ("bricks", bricks)];
    let numbers = numbers.map(|(name, number): (&str, u32)| (name.into(), number.to_string()));
    let words = [("family", family), ("crowd", crowd)];
    let words = words.map(|(name, word): (&str, &str)| (name.into(), word.into()));
    let mut values: BTreeMap<String, String> = numbers.into_iter().chain(words).collect();
    if crowd == "strewn" {
        // As many as the planted plan throws: here no more are needed, and more are a lot.
        values.remove("bricks");
    }
    let made = GameId::LastOfUs.game().generate(&GenerateOptions { seed, values });
    let made = made.unwrap_or_else(|error| panic!("{error}"));
    (made.name, made.area)
}

fn read(dir: &Path) -> Vec<(String, String)> {
    let entries = std::fs::read_dir(dir).unwrap_or_else(|e| panic!("{}: {e}", dir.display()));
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut paths: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|end| end == "txt")).collect();
    paths.sort();
    let named = |path: PathBuf| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path);
        (name, text.unwrap_or_else(|e| panic!("{}: {e}", path.display())))
    };
    paths.into_iter().map(named).collect()
}

/// Plans one area: length and bound, where there is a plan.
fn plan(name: &str, area: &dyn Area, budget: &Run) -> Option<(u64, u64)> {
    let answer = area.solve(&Objective::default(), None, budget);
    let text = answer.plan?;
    verify(area, &Source::new("plan", text.as_str()))
        .unwrap_or_else(|error| panic!("{name}: an invalid plan: {error:?}"));
    Some((answer.length?, answer.bound?))
}

fn main() {
    let options = Options::parse();
    let areas = options.dir.as_deref().map_or_else(|| generated(&options), read);
    if let Some(dir) = &options.write {
        std::fs::create_dir_all(dir).expect("the folder can be made");
        for (name, text) in areas {
            std::fs::write(dir.join(name).with_extension("txt"), text).expect("a file");
        }
        return;
    }
    let mut settings = Settings::default();
    for text in &options.set {
        let numbers = GameId::LastOfUs.game().settings();
        settings.set(&numbers, text).unwrap_or_else(|error| panic!("{error}"));
    }
    let areas = areas.iter().map(|(name, text)| {
        let source = Source::new(name.as_str(), text.as_str());
        let area = GameId::LastOfUs.game().read(&source);
        (name, area.unwrap_or_else(|e| panic!("{}", e.report(false))).only().expect("one"))
    });
    let areas: Vec<_> = areas.collect();
    for &time in &options.time {
        for &threads in &options.threads {
            println!("{time} s, {threads} threads");
            println!("{:<28} {:>7} {:>7}  time (s)", "area", "length", "bound");
            let (mut lengths, mut bounds, mut proven, mut unsolved) = (0, 0, 0, 0);
            for (name, area) in &areas {
                let memory = options.memory << 20;
                let limits =
                    Limits { threads, memory, seed: options.seed, ..Limits::seconds(time) };
                let budget = Run { settings: settings.clone(), ..Run::from(limits) };
                let start = Instant::now();
                let planned = plan(name, area.as_ref(), &budget);
                let spent = start.elapsed().as_secs_f64();
                let Some((length, bound)) = planned else {
                    unsolved += 1;
                    println!("{name:<28} {:>7} {:>7}  {spent:.2}", "none", "");
                    continue;
                };
                (lengths, bounds) = (lengths + length, bounds + bound);
                proven += usize::from(length == bound);
                println!("{name:<28} {length:>7} {bound:>7}  {spent:.2}");
            }
            let ratio = lengths as f64 / bounds as f64;
            println!(
                "sums {lengths} / {bounds} = {ratio:.4}, {proven} of {} proven, {unsolved} unsolved\n",
                areas.len()
            );
        }
    }
}
