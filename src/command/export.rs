//! `outwit export`: plans as one source file to submit.

use super::{Answered, Failure, output};
use clap::ValueEnum;
use outwit::batch::{self, files, plan_file};
use outwit::diagnostic::Source;
use outwit::export::{self, Language};
use outwit::games::GameId;
use outwit::verify::verify;
use std::path::PathBuf;

/// Write one source file that knows all plans: what a contestant submits
///
/// The program reads an area from stdin, looks it up by its text or else by its name (the first
/// line), and prints the plan. Plans that do not hold, and areas without one, are left out and
/// named on stderr.
#[derive(clap::Args)]
#[command(after_long_help = "\
EXAMPLES
  outwit export rust -o submission.rs && rustc -O submission.rs
  outwit export cpp > submission.cpp && g++ -O2 submission.cpp
  outwit export cpp areas/last-of-us --solutions solutions > submission.cpp

EXIT CODE
  0 done; 2 no plan to export, or bad input")]
pub struct Args {
    /// The language of the file
    language: Tongue,

    /// Folders and files of areas
    #[arg(value_name = "DIR", default_value = "areas")]
    paths: Vec<PathBuf>,

    /// The folder that `outwit batch` has written the plans to
    #[arg(long, value_name = "DIR", default_value = "solutions")]
    solutions: PathBuf,

    /// The game whose plans the file shall know
    #[arg(long, value_name = "GAME", default_value = "last-of-us")]
    game: GameId,

    /// Where the file is written; without it, stdout
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Tongue {
    /// Rust, without crates
    Rust,
    /// C++11
    Cpp,
}

pub fn run(args: &Args) -> Result<Answered, Failure> {
    let inputs = batch::find(&args.paths, None);
    let tasks = inputs.tasks.into_iter().filter(|task| task.area.game() == args.game);
    let mut plans = Vec::new();
    for task in tasks {
        let file = plan_file(&args.solutions, &task.key);
        let plan = Source::read(&file).ok().and_then(|plan| verify(&*task.area, &plan).ok());
        match plan {
            Some(plan) => plans.push((task.area, plan)),
            None => output::say(&format!("{}: left out: no valid plan", file.display())),
        }
    }
    if plans.is_empty() {
        return Err(Failure::Usage(format!("no plan of {} to export", args.game)));
    }
    let language = match args.language {
        Tongue::Rust => Language::Rust,
        Tongue::Cpp => Language::Cpp,
    };
    let plans: Vec<_> = plans.iter().map(|(area, plan)| (&**area, plan)).collect();
    let program = export::program(language, &plans).map_err(|e| Failure::Usage(e.to_string()))?;
    match &args.out {
        None => output::print(&program)?,
        Some(out) => files::replace(out, program.as_bytes(), "export").map_err(|error| {
            Failure::Usage(format!("{}: cannot be written: {error}", out.display()))
        })?,
    }
    output::say(&format!("{} plans, {} bytes of source", plans.len(), program.len()));
    Ok(Answered::Yes)
}
