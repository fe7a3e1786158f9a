//! `outwit export`: plans as one source file to submit, levels for PDDL planners.

use super::input::{AreaArgs, known_plan, pddl_of, refuse_two_stdins};
use super::{Answered, Failure, output};
use clap::Subcommand;
use outwit::batch::{self, files, plan_file};
use outwit::diagnostic::Source;
use outwit::export;
use outwit::games::{Area, GameId, PlanError};
use outwit::verify::{Verified, verify};
use std::path::{Path, PathBuf};

/// Write plans as a program to submit, or an area in PDDL
///
/// The program, in Rust or C++, reads an area of the Last of Us from stdin, looks its name up, and
/// prints the plan; where it knows none it walks as well as it can. Plans that do not hold, and areas
/// without one, are left out and named on stderr.
///
/// PDDL is what planners of the International Planning Competition read; Sokoban has a form in it.
/// `outwit verify --pddl` takes their plans back.
#[derive(clap::Args)]
#[command(after_long_help = "\
EXAMPLES
  outwit export rust -o submission.rs && rustc -O submission.rs
  outwit export cpp > submission.cpp && g++ -O2 submission.cpp
  outwit export cpp areas/last-of-us --solutions solutions > submission.cpp

  outwit export pddl areas/sokoban/pull-7x8-2-1.xsb -o pddl    # pddl/domain.pddl, pddl/problem.pddl
  outwit export pddl areas/sokoban/pull-7x8-2-1.xsb > problem.pddl

EXIT CODE
  0 done; 2 no plan to export, or bad input")]
pub struct Args {
    #[command(subcommand)]
    form: Form,
}

#[derive(Subcommand)]
enum Form {
    /// One Rust file, without crates
    Rust(ProgramArgs),
    /// One C++11 file
    Cpp(ProgramArgs),
    /// A level as domain and problem in PDDL
    Pddl(PddlArgs),
}

/// What goes into a program, and where it goes.
#[derive(clap::Args)]
struct ProgramArgs {
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

/// Which level, and where its files go.
#[derive(clap::Args)]
struct PddlArgs {
    #[command(flatten)]
    area: AreaArgs,

    /// The level of a collection, counted from 1
    #[arg(long, value_name = "N")]
    level: Option<usize>,

    /// A plan of the level, to be written as actions into the folder's `plan`
    #[arg(long, value_name = "PLAN", requires = "out")]
    plan: Option<PathBuf>,

    /// The folder where domain.pddl and problem.pddl are written; without it, the problem goes to
    /// stdout
    #[arg(long, short, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub fn run(args: &Args) -> Result<Answered, Failure> {
    match &args.form {
        Form::Rust(args) => write_program(args, export::rust),
        Form::Cpp(args) => write_program(args, export::cpp),
        Form::Pddl(args) => write_pddl(args),
    }
}

/// How a language writes a program that knows these plans.
type Language = fn(&[(String, Verified)]) -> Result<String, export::ExportError>;

fn write_program(args: &ProgramArgs, language: Language) -> Result<Answered, Failure> {
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
    let program = language(&plans);
    let program = program.map_err(Failure::usage)?;
    match &args.out {
        None => output::print(&program)?,
        Some(out) => write(out, &program)?,
    }
    output::say(&format!("{} plans, {} bytes of source", plans.len(), program.len()));
    Ok(Answered::Yes)
}

fn write_pddl(args: &PddlArgs) -> Result<Answered, Failure> {
    refuse_two_stdins(("FILE", &args.area.file), ("--plan", args.plan.as_deref()))?;
    let file = args.area.read()?;
    let area = file.level(args.level)?;
    let pddl = pddl_of(area)?;
    let Some(folder) = &args.out else {
        output::print(&pddl.problem())?;
        return Ok(Answered::Yes);
    };
    let plan = args.plan.as_ref().map(|path| pddl_plan(area, args.level, path)).transpose()?;
    write(&folder.join("domain.pddl"), &pddl.domain())?;
    write(&folder.join("problem.pddl"), &pddl.problem())?;
    if let Some(plan) = plan {
        write(&folder.join("plan"), &plan)?;
    }
    Ok(Answered::Yes)
}

/// A valid plan as PDDL actions.
fn pddl_plan(area: &dyn Area, level: Option<usize>, path: &Path) -> Result<String, Failure> {
    let plan = known_plan(area, level, path)?;
    let source = Source::new(path.display().to_string(), plan.text());
    pddl_of(area)?.write_plan(&source).map_err(|error| match error {
        PlanError::Unreadable(diagnostic) => diagnostic.into(),
        PlanError::Refused(refusal) => Failure::Usage(refusal.to_string()),
    })
}

fn write(file: &Path, text: &str) -> Result<(), Failure> {
    files::replace(file, text.as_bytes(), "export")
        .map_err(|error| Failure::Usage(format!("{}: cannot be written: {error}", file.display())))
}
