//! Solves an area from a file and prints the verified plan.
//!
//! `cargo run --release --example solve_file -- areas/sokoban/FILE` solves any game's file;
//! without an argument it solves a small level of its own.

use outwit::diagnostic::Source;
use outwit::games::{Objective, identify};
use outwit::search::Budget;
use outwit::verify::verify;
use std::path::Path;
use std::process::ExitCode;

/// A level for those who name no file.
const LEVEL: &str = "\
#######
#     #
# $.$ #
#  @. #
#######
";

fn main() -> ExitCode {
    let path = std::env::args().nth(1);
    let source = match &path {
        None => Ok(Source::new("level.xsb", LEVEL)),
        Some(path) => Source::read(Path::new(path)),
    };
    match source.and_then(|source| solve(&source)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprint!("{}", error.report(false));
            ExitCode::from(2)
        }
    }
}

/// Solves the first area of a file.
fn solve(source: &Source) -> Result<(), outwit::diagnostic::Diagnostic> {
    let game = identify(Path::new(&source.name), source)?.game();
    let areas = game.read(source)?;
    let Some(area) = areas.first() else { return Ok(()) };

    let answer = area.solve(&Objective::default(), &Budget::seconds(5.0));
    let Some(plan) = answer.plan else {
        println!("no plan: {}", answer.verdict.name());
        return Ok(());
    };
    // The plan is text until the reference rules have replayed it.
    match verify(area.as_ref(), &Source::new("plan", plan)) {
        Ok(plan) => print!("{}", plan.text()),
        Err(error) => println!("the plan does not hold: {error:?}"),
    }
    Ok(())
}
