//! Does the explorer win, under every reading, and how much oxygen does that take beside the plan
//! of somebody who has the map?
//!
//! `cargo bench --bench labyrinth_games` plays generated games of each class; `-- --help` tells the
//! options. A line for each class: games won, ratio of the explorer's oxygen to the planner's
//! (median, 90 %, worst; default reading), and the largest share that a game took of each limit.

use clap::Parser;
use outwit::games::labyrinth::explorer::Explorer;
use outwit::games::labyrinth::format::Maze;
use outwit::games::labyrinth::format::protocol::{Command, Readings, Reply};
use outwit::games::labyrinth::format::{MAX_COMMANDS, MAX_OXYGEN, WALK_OXYGEN};
use outwit::games::labyrinth::generate::{CLASSES, make};
use outwit::games::labyrinth::planner::solve_under;
use outwit::games::labyrinth::state::State;
use outwit::search::Run;

/// Does the explorer win, under every reading, and how much oxygen does that take beside the plan of
/// somebody who has the map?
#[derive(Parser)]
#[command(bin_name = "cargo bench --bench labyrinth_games --")]
struct Options {
    /// Only this class
    #[arg(long, value_name = "CLASS")]
    class: Option<String>,
    /// Games of each class
    #[arg(long, value_name = "N", default_value_t = 200)]
    count: u64,
    /// Seed of the first; each of the others has the next
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Play every game under all 32 combinations of the open readings
    #[arg(long)]
    all_readings: bool,
    /// A line for each game
    #[arg(long)]
    list: bool,
    /// Given by cargo
    #[arg(long = "bench", hide = true)]
    _bench: bool,
}

/// How a game went.
#[derive(Clone, Copy, Default)]
struct Spent {
    won: bool,
    commands: u32,
    oxygen: u32,
    walked: u32,
    sticks: u32,
}

fn play(maze: &Maze, readings: Readings) -> Spent {
    let mut state = State::new(maze, readings);
    let mut explorer = Explorer::new(maze.sticks);
    let (mut won, mut walked) = (false, 0);
    while !won {
        let command = explorer.command();
        let Ok(reply) = state.act(command) else { break };
        if let Command::Walk(_, k) = command {
            walked += k * WALK_OXYGEN;
        }
        won = reply == Reply::Found;
        explorer.hear(&reply);
    }
    let sticks = maze.sticks - state.sticks();
    Spent { won, commands: state.commands(), oxygen: state.oxygen(), walked, sticks }
}

/// What is known of the games of a class.
#[derive(Default)]
struct Tally {
    played: u32,
    won: u32,
    commands: u32,
    oxygen: u32,
    ratios: Vec<f64>,
}

impl Tally {
    fn add(&mut self, spent: &Spent) {
        self.played += 1;
        self.won += u32::from(spent.won);
        self.commands = self.commands.max(spent.commands);
        self.oxygen = self.oxygen.max(spent.oxygen);
    }

    fn line(&mut self) -> String {
        self.ratios.sort_by(f64::total_cmp);
        let at = |part: f64| {
            let last = self.ratios.len().saturating_sub(1);
            self.ratios.get((last as f64 * part) as usize).copied().unwrap_or(f64::NAN)
        };
        format!(
            "won {}/{}, ratio median {:.2}, 90 % {:.2}, worst {:.2}; at most {:.1} % of the \
             commands, {:.1} % of the oxygen",
            self.won,
            self.played,
            at(0.5),
            at(0.9),
            at(1.0),
            100.0 * f64::from(self.commands) / f64::from(MAX_COMMANDS),
            100.0 * f64::from(self.oxygen) / f64::from(MAX_OXYGEN),
        )
    }
}

fn main() {
    let options = Options::parse();
    let wanted = |name: &str| options.class.as_deref().is_none_or(|class| class == name);
    for class in CLASSES.iter().filter(|class| wanted(class.name)) {
        let mut tally = Tally::default();
        for seed in options.seed..options.seed + options.count {
            let maze = make(class, "any", None, seed).expect("a labyrinth");
            let name = format!("class {} seed {seed}", class.name);
            game(&maze, &name, &options, &mut tally);
        }
        println!("class {}: {}", class.name, tally.line());
    }
}

fn game(maze: &Maze, name: &str, options: &Options, tally: &mut Tally) {
    let spent = play(maze, Readings::default());
    let best = solve_under(maze, Readings::default(), &Run::seconds(60.0));
    assert!(best.plan.is_some(), "{name} cannot be won");
    let best = best.cost;
    let ratio = f64::from(spent.oxygen) / best as f64;
    tally.add(&spent);
    tally.ratios.push(ratio);
    if options.list {
        let Spent { won, commands, oxygen, walked, sticks } = spent;
        println!(
            "{name}: {} {commands} commands, {oxygen} oxygen ({walked} walked), {sticks} sticks, \
             planner {best}, ratio {ratio:.2}",
            if won { "won," } else { "LOST," },
        );
    }
    if !options.all_readings {
        return;
    }
    for (maze, flipped) in [(maze.clone(), false), (maze.upside_down(), true)] {
        for readings in Readings::all() {
            let spent = play(&maze, readings);
            tally.add(&spent);
            if !spent.won {
                println!("{name}, upside down {flipped}, {readings:?}: LOST");
            }
        }
    }
}
