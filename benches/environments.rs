//! Measures steps a second: of many games that are stepped together, and of sessions.
//!
//! `cargo bench --bench environments`; `-- --help` tells the options. Actions are drawn among the allowed
//! ones, outside the time that is measured. A test run takes a few steps only.

use clap::Parser;
use outwit::games::stepper::{Opening, Stepped};
use outwit::games::{Area, GameId, GenerateOptions};
use outwit::vector::{
    Environments, Levels, Observation, Outputs, Region, SessionOpening, Settings, Split,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Measures steps a second: of many games that are stepped together, and of sessions.
#[derive(Parser)]
#[command(bin_name = "cargo bench --bench environments --")]
struct Options {
    /// The games to measure; all of them if none is named
    games: Vec<GameId>,
    /// A file of levels, for one game; the generator makes levels if there is none
    #[arg(long, value_name = "FILE")]
    levels: Option<PathBuf>,
    /// Number of games that are stepped together
    #[arg(long, value_name = "N", default_value_t = 1024)]
    count: usize,
    /// Threads
    #[arg(long, value_name = "N", default_value_t = 2)]
    threads: usize,
    /// Seconds for each figure
    #[arg(long, value_name = "SECONDS", default_value_t = 2.0)]
    time: f64,
    /// Given by cargo; without it, as in a test run, there are few steps
    #[arg(long, hide = true)]
    bench: bool,
}

/// Number of levels that a generator makes for each game.
const MADE: u64 = 16;
/// Cells of a window in each direction, on boards that differ in size.
const RADIUS: u32 = 10;

/// The parameters of levels whose size is not the generator's.
fn parameters(game: GameId) -> &'static [(&'static str, &'static str)] {
    match game {
        GameId::LastOfUs => &[("rows", "60"), ("cols", "60")],
        _ => &[],
    }
}

fn areas(game: GameId, file: Option<&PathBuf>) -> Vec<Arc<dyn Area>> {
    let game = game.game();
    if let Some(file) = file {
        let source = outwit::diagnostic::Source::read(file).expect("the file can be read");
        let collection = game.read(&source).expect("the file has levels");
        return collection
            .entries
            .into_iter()
            .filter_map(|e| Some(e.content.ok()?.into()))
            .collect();
    }
    let options = GenerateOptions::new(0, parameters(game.id()).iter().copied());
    let made = (0..MADE).map(|seed| {
        let options = GenerateOptions { seed, ..options.clone() };
        let made = game.generate(&options).expect("a level");
        let source = outwit::diagnostic::Source::new(made.name, made.area);
        Arc::from(game.read(&source).expect("a file").only().expect("a level"))
    });
    made.collect()
}

/// Memory for what is outputs.
struct Memory {
    observations: Vec<u8>,
    rewards: Vec<f32>,
    terminated: Vec<bool>,
    truncated: Vec<bool>,
    masks: Vec<u8>,
    levels: Vec<u32>,
}

impl Memory {
    fn new(games: usize, bytes: usize, actions: usize) -> Memory {
        Memory {
            observations: vec![0; games * bytes],
            rewards: vec![0.0; games],
            terminated: vec![false; games],
            truncated: vec![false; games],
            masks: vec![0; games * actions],
            levels: vec![0; games],
        }
    }

    fn outputs(&mut self, masks: bool) -> Outputs<'_> {
        Outputs {
            observations: &mut self.observations,
            rewards: &mut self.rewards,
            terminated: &mut self.terminated,
            truncated: &mut self.truncated,
            masks: if masks { &mut self.masks } else { &mut [] },
            levels: &mut self.levels,
        }
    }
}

/// An allowed action for each row of masks; 0 if there is none.
fn draw(masks: &[u8], width: usize, rng: &mut impl RngExt) -> Vec<i64> {
    let row = |mask: &[u8]| {
        let allowed = mask.iter().filter(|&&bit| bit == 1).count();
        let chosen = rng.random_range(0..allowed.max(1));
        let mut places = (0..).zip(mask).filter(|(_, bit)| **bit == 1);
        places.nth(chosen).map_or(0, |(action, _)| action)
    };
    masks.chunks(width).map(row).collect()
}

/// Steps a second of games that are stepped together.
fn together(areas: &[Arc<dyn Area>], options: &Options, masks: bool) -> f64 {
    let extents: Vec<_> = areas.iter().map(|area| area.session().extent().0).collect();
    let is_one_size =
        extents.iter().all(|one| (one.rows, one.cols) == (extents[0].rows, extents[0].cols));
    let cells = match is_one_size {
        true => Region::Board { rows: extents[0].rows, cols: extents[0].cols },
        false => Region::Window { radius: RADIUS },
    };
    let observation = Observation { region: cells, has_planes: false };
    let settings =
        Settings { games: options.count, observation, most_steps: 1000, step_reward: 0.0, seed: 1 };
    let levels = Levels::given(areas, Split::All).expect("levels");
    let mut games = Environments::new(levels, settings).expect("games");
    let width = games.actions().len();
    let mut memory = Memory::new(options.count, observation.bytes(), width);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    games.step(None, &vec![0; options.count], memory.outputs(true)).expect("a step");
    let (mut spent, mut steps) = (Duration::ZERO, 0);
    while spent.as_secs_f64() < options.time {
        // Without masks some of the actions are refused.
        let actions = draw(&memory.masks, width, &mut rng);
        let begun = Instant::now();
        games.step(None, &actions, memory.outputs(masks)).expect("a step");
        spent += begun.elapsed();
        steps += options.count;
    }
    steps as f64 / spent.as_secs_f64()
}

/// Steps a second of sessions, one after another: with the masks that only trying tells.
fn sessions(areas: &[Arc<dyn Area>], seconds: f64) -> f64 {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let openings: Vec<_> = areas.iter().map(|area| SessionOpening::new(Arc::clone(area))).collect();
    let width = outwit::games::stepper::actions(&*areas[0].session()).len();
    let begun = Instant::now();
    let mut steps = 0;
    'games: loop {
        for opening in &openings {
            let mut stepper = opening.begin();
            for _ in 0..100 {
                if begun.elapsed().as_secs_f64() >= seconds {
                    break 'games;
                }
                let mut mask = vec![0; width];
                stepper.allowed(&mut mask);
                let action = draw(&mask, width, &mut rng)[0];
                steps += 1;
                if stepper.step(action as usize) != Stepped::Playing {
                    break;
                }
            }
        }
    }
    f64::from(steps) / begun.elapsed().as_secs_f64()
}

fn main() {
    let mut options = Options::parse();
    if !options.bench {
        (options.time, options.count) = (0.05, 64);
    }
    let pool =
        rayon::ThreadPoolBuilder::new().num_threads(options.threads).build().expect("threads");
    let games = if options.games.is_empty() { GameId::ALL.to_vec() } else { options.games.clone() };
    println!("{:12} {:>16} {:>16} {:>12}", "game", "with masks", "without masks", "sessions");
    for game in games {
        let areas = areas(game, options.levels.as_ref());
        let [with, without] =
            [true, false].map(|masks| pool.install(|| together(&areas, &options, masks)));
        let sessions = sessions(&areas, options.time);
        println!("{:12} {with:16.0} {without:16.0} {sessions:12.0}", game.name());
    }
}
