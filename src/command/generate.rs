//! `outwit generate`: new areas, each with a plan that proves it solvable.
//!
//! Each game's subcommand is built from what its generator can be told, so a game that moves in
//! has its command line at once.

use super::{Answered, Failure, output};
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, value_parser};
use outwit::batch::files::replace;
use outwit::diagnostic::Source;
use outwit::games::{Game, GameId, GenerateOptions, Generated, Parameter, PlanError, Values};
use outwit::verify::{Verified, verify};
use std::path::{Path, PathBuf};

/// The most areas that one call makes.
const MAX_COUNT: u64 = 1_000_000;

/// Make new areas, each with a plan that proves it solvable
///
/// Without -o the area goes to stdout. With it, the area and beside it the plan go to files: to
/// the one that is named, or into a folder under the names the generator gives.
#[derive(clap::Args)]
#[command(after_long_help = "\
EXAMPLES
  outwit generate last-of-us --seed 7 > area.txt
  outwit generate last-of-us --help              # what its generator can be told
  outwit generate sokoban --seed 1 --count 20 -o areas/sokoban
  outwit generate sokoban --family chain --boxes 32 --seed 5

The same parameters and seed make the same area. Of several areas the seeds count up.

EXIT CODE
  0 done; 2 the parameters cannot be met, or a file cannot be written")]
pub struct Args {
    #[command(subcommand)]
    game: GameOptions,
}

/// A game and the values for its generator.
struct GameOptions {
    game: GameId,
    options: GenerateOptions,
    count: u64,
    out: Option<PathBuf>,
}

pub fn run(args: &Args) -> Result<Answered, Failure> {
    let GameOptions { game, options, count, out } = &args.game;
    let into_folder = *count > 1 || out.as_deref().is_some_and(is_folder);
    if *count > 1 && out.is_none() {
        return Err(Failure::Usage("several areas need a folder: say -o DIR".into()));
    }
    for offset in 0..*count {
        let options =
            GenerateOptions { seed: options.seed.wrapping_add(offset), ..options.clone() };
        let made = game.game().generate(&options);
        let made = made.map_err(Failure::usage)?;
        let plan = proven(game.game(), &made)?;
        let report =
            format!("{}: a plan of length {} proves it", made.name, plan.validation().length);
        match out {
            None => output::print(&made.area)?,
            Some(out) if into_folder => {
                let file = out.join(format!("{}.txt", made.name));
                write(&file, &made.area, &plan)?;
            }
            Some(out) => write(out, &made.area, &plan)?,
        }
        output::say(&report);
    }
    Ok(Answered::Yes)
}

fn is_folder(out: &Path) -> bool {
    out.is_dir() || out.extension().is_none() || out.as_os_str().as_encoded_bytes().ends_with(b"/")
}

/// Replays the generator's plan: an area that cannot be solved is never handed out.
fn proven(game: &dyn Game, made: &Generated) -> Result<Verified, Failure> {
    let fault = |what: String| Failure::Usage(format!("fault of the generator: {what}"));
    let area = Source::new(made.name.as_str(), made.area.as_str());
    let areas = game.read(&area).map_err(|error| fault(error.to_string()))?;
    let area = areas.only().map_err(|error| fault(error.to_string()))?;
    verify(&*area, &Source::new("its plan", made.plan.as_str())).map_err(|error| match error {
        PlanError::Unreadable(diagnostic) => fault(diagnostic.to_string()),
        PlanError::Refused(refusal) => fault(refusal.to_string()),
    })
}

fn write(file: &Path, area: &str, plan: &Verified) -> Result<(), Failure> {
    let put = |file: &Path, text: &str| {
        replace(file, text.as_bytes(), "generate").map_err(|error| {
            Failure::Usage(format!("{}: cannot be written: {error}", file.display()))
        })
    };
    put(file, area)?;
    put(&file.with_extension("plan"), plan.text())
}

impl clap::FromArgMatches for GameOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let missing = || clap::Error::new(clap::error::ErrorKind::MissingSubcommand);
        let (name, matches) = matches.subcommand().ok_or_else(missing)?;
        let game: GameId = name.parse().map_err(|_| missing())?;
        let mut options = GenerateOptions {
            seed: value(matches, "seed").unwrap_or(1),
            ..GenerateOptions::default()
        };
        for parameter in game.game().parameters() {
            let word = value::<String>(matches, parameter.name);
            options.values.extend(word.map(|word| (parameter.name.to_string(), word)));
        }
        let count = value(matches, "count").unwrap_or(1);
        Ok(GameOptions { game, options, count, out: value(matches, "out") })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

fn value<T: Clone + Send + Sync + 'static>(matches: &ArgMatches, name: &str) -> Option<T> {
    matches.get_one::<T>(name).cloned()
}

impl clap::Subcommand for GameOptions {
    fn augment_subcommands(command: clap::Command) -> clap::Command {
        let games = GameId::ALL.iter().map(|&game| game_command(game));
        command.subcommand_required(true).subcommands(games)
    }

    fn augment_subcommands_for_update(command: clap::Command) -> clap::Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        name.parse::<GameId>().is_ok()
    }
}

fn game_command(id: GameId) -> clap::Command {
    let game = id.game();
    clap::Command::new(id.name())
        .about(format!("Make areas of {id}: {}", game.about()))
        .after_help(examples(id))
        .args(game.parameters().iter().map(parameter_arg))
        .arg(
            Arg::new("seed")
                .long("seed")
                .value_name("N")
                .default_value("1")
                .value_parser(value_parser!(u64))
                .help("Seed: the same parameters and seed make the same area"),
        )
        .arg(
            Arg::new("count")
                .long("count")
                .value_name("N")
                .default_value("1")
                .value_parser(value_parser!(u64).range(1..=MAX_COUNT))
                .help("How many areas; their seeds count up"),
        )
        .arg(
            Arg::new("out")
                .short('o')
                .long("out")
                .value_name("DIR|FILE")
                .value_parser(value_parser!(PathBuf))
                .help("Where the area, and beside it its plan, are written"),
        )
}

fn examples(game: GameId) -> String {
    let mut told = String::new();
    for parameter in game.game().parameters().iter().take(2) {
        told += &format!(" --{} {}", parameter.name, parameter.default);
    }
    format!(
        "EXAMPLES\n  \
         outwit generate {game} --seed 7 > area.txt\n  \
         outwit generate {game}{told} --count 10 -o areas/{game}"
    )
}

fn parameter_arg(parameter: &'static Parameter) -> Arg {
    let arg = Arg::new(parameter.name)
        .long(parameter.name)
        .help(parameter.help())
        .default_value(parameter.default);
    let check = |word: &str| parameter.check(word).map(|()| word.to_string());
    match parameter.values {
        Values::Words(words) => {
            arg.value_name("WORD").value_parser(PossibleValuesParser::new(words))
        }
        Values::Number(..) => arg.value_name("N").value_parser(check),
        Values::NumberOrAuto(..) => arg.value_name("N|auto").value_parser(check),
    }
}
