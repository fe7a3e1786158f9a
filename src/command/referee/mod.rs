//! `outwit referee`: the labyrinth's arbiter, against a program over pipes or a person.
//!
//! The arbiter itself is [`outwit::games::labyrinth::program`]; here are those who play: a
//! [`program`] and a [`person`].

mod person;
mod program;

use super::{Answered, Failure, output};
use outwit::diagnostic::Source;
use outwit::games::labyrinth::format::protocol::Readings;
use outwit::games::labyrinth::format::read_mazes;
use outwit::games::labyrinth::program::{Player, judge};
use person::Person;
use program::Program;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::time::Duration;

/// Referee labyrinths: play a file of them against a program, or by hand
///
/// The program talks to the arbiter on its stdin and stdout. The dialogue goes to stderr, or to
/// --log; a verdict for each game goes to stdout. Without a program you play: at a terminal you
/// are told what you have spent, and what is no command is asked for again instead of ending the
/// game. (`outwit play FILE` draws a map of what you have seen.)
#[derive(clap::Args)]
#[command(after_long_help = "\
EXAMPLES
  outwit referee areas/labyrinth/class-9-maze-9.txt -- outwit explore
  outwit referee --log dialogue.txt areas/labyrinth/class-2-box-1.txt -- outwit explore
  outwit referee areas/labyrinth/class-2-box-1.txt         # you play

EXIT CODE
  0 all games won; 1 a game lost; 2 bad input, or the program cannot be started")]
pub struct Args {
    /// File with labyrinths; - for stdin
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The program that plays, and its arguments
    #[arg(last = true, value_name = "PROGRAM")]
    program: Vec<String>,

    /// Seconds that the program has for a line, and for reading an answer
    #[arg(long, value_name = "S", default_value_t = 10.0)]
    timeout: f64,

    /// Where the dialogue goes instead of stderr
    #[arg(long, value_name = "FILE", conflicts_with = "quiet")]
    log: Option<PathBuf>,

    /// Do not show the dialogue
    #[arg(long)]
    quiet: bool,

    /// y grows northward in the file
    #[arg(long)]
    y_up: bool,

    /// A look does not end at the exit
    #[arg(long)]
    look_past_exit: bool,

    /// Only a walk that ends on the exit wins
    #[arg(long)]
    stop_on_exit: bool,

    /// Your own cell costs oxygen, too, when you look
    #[arg(long)]
    own_cell_costs: bool,

    /// Dynamite beside the exit destroys it
    #[arg(long)]
    exit_burns: bool,
}

pub fn run(args: &Args) -> Result<Answered, Failure> {
    if !(args.timeout > 0.0 && args.timeout < 1e9) {
        return Err(Failure::Usage("--timeout: a number of seconds above 0".into()));
    }
    let source = Source::read(&args.file)?;
    let mut mazes = read_mazes(&source)?;
    if args.y_up {
        mazes.iter_mut().for_each(|maze| *maze = maze.upside_down());
    }
    let readings = Readings {
        exit_ends_look: !args.look_past_exit,
        exit_wins_in_passing: !args.stop_on_exit,
        own_cell_costs: args.own_cell_costs,
        exit_survives: !args.exit_burns,
    };
    let play = |player: &mut dyn Player, log: &mut dyn Write| {
        let all_won = judge(&mazes, readings, player, log, &mut |line| output::print(line))?;
        Ok(if all_won { Answered::Yes } else { Answered::No })
    };
    if args.program.is_empty() {
        return play(&mut Person::new(), &mut io::sink());
    }
    let mut log = dialogue(args)?;
    let timeout = Duration::from_secs_f64(args.timeout);
    let mut program = Program::start(&args.program, timeout)?;
    let answered = play(&mut program, &mut log);
    program.end();
    log.flush()?;
    answered
}

/// Where the dialogue goes.
fn dialogue(args: &Args) -> Result<Box<dyn Write>, Failure> {
    Ok(match &args.log {
        _ if args.quiet => Box::new(io::sink()),
        None => Box::new(io::stderr()),
        Some(path) => {
            let file = File::create(path).map_err(|error| {
                Failure::Usage(format!("{}: cannot be written: {error}", path.display()))
            })?;
            Box::new(BufWriter::new(file))
        }
    })
}
