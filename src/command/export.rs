//! `outwit export`: plans as one source file to submit.

use super::{Answered, Failure, output};
use clap::ValueEnum;
use outwit::batch::{self, files, plan_file};
use outwit::diagnostic::Source;
use outwit::export;
use outwit::games::GameId;
use outwit::verify::verify;
use std::path::PathBuf;

/// Write one source file that knows all plans: what a contestant submits
///
/// The program reads an area of the Last of Us from stdin, looks its name up, and prints the plan;
/// where it knows none it walks as well as it can. Plans that do not hold, and areas without one,
/// are left out and named on stderr.
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
    language: Language,

    /// Folders and files of areas
    #[arg(value_name = "DIR", default_value = "areas")]
    paths: Vec<PathBuf>,

    /// The folder that `outwit batch` has written the plans to
    #[arg(long, value_name = "DIR", default_value = "solutions")]
    solutions: PathBuf,

    /// Where the file is written; without it, stdout
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Language {
    /// Rust, without crates
    Rust,
    /// C++11
    Cpp,
}

pub fn run(args: &Args) -> Result<Answered, Failure> {
    let inputs = batch::find(&args.paths, None);
    let tasks = inputs.tasks.into_iter().filter(|task| task.area.game() == GameId::LastOfUs);
    let mut plans = Vec::new();
    for task in tasks {
        let file = plan_file(&args.solutions, &task.key);
        let plan = Source::read(&file).ok().and_then(|plan| verify(&*task.area, &plan).ok());
        match plan {
            Some(plan) => plans.push((task.area.name().to_string(), plan)),
            None => output::say(&format!("{}: left out: no valid plan", file.display())),
        }
    }
    if plans.is_empty() {
        return Err(Failure::Usage("no plan to export".into()));
    }
    let program = match args.language {
        Language::Rust => export::rust(&plans),
        Language::Cpp => export::cpp(&plans),
    };
    let program = program.map_err(|error| Failure::Usage(error.to_string()))?;
    match &args.out {
        None => output::print(&program)?,
        Some(out) => files::replace(out, program.as_bytes(), "export").map_err(|error| {
            Failure::Usage(format!("{}: cannot be written: {error}", out.display()))
        })?,
    }
    output::say(&format!("{} plans, {} bytes of source", plans.len(), program.len()));
    Ok(Answered::Yes)
}
