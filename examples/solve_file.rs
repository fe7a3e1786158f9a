//! Solves the levels of a file and prints the verified plans.
//!
//! `cargo run --release --example solve_file -- areas/sokoban/FILE` solves any game's file;
//! without an argument it solves a small level of its own.

use outwit::Error;
use outwit::games::{Area, Collection, Objective};
use outwit::search::Run;
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
    let levels = match std::env::args().nth(1) {
        None => outwit::parse(LEVEL),
        Some(path) => outwit::read(path),
    };
    match levels {
        Ok(levels) => {
            print!("{}", solved(&levels));
            ExitCode::SUCCESS
        }
        Err(Error::Input(diagnostic)) => {
            eprint!("{}", diagnostic.report(false));
            ExitCode::from(2)
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

/// The plans of all levels that can be read, or what is known of them.
fn solved(levels: &Collection) -> String {
    let solved = levels.readable().map(|(number, area)| format!("{number}: {}", solve(&**area)));
    solved.collect()
}

/// The plan of an area, which the reference rules have replayed, or what is known without one.
fn solve(area: &dyn Area) -> String {
    let solved = outwit::solve(area, &Objective::default(), &Run::seconds(5.0));
    match solved.plan() {
        Some(plan) => plan.text().to_string(),
        None => format!("no plan: {}\n", solved.answer.verdict),
    }
}

#[test]
fn the_level_is_solved_and_one_without_a_way_is_not() -> Result<(), Error> {
    let level = outwit::parse(LEVEL)?.only()?;
    let plan = outwit::verify(&*level, &solve(&*level))?;
    assert!(plan.length(None) > 0);
    let both = format!("{LEVEL}\n#####\n#$  #\n# @.#\n#####\n");
    assert!(solved(&outwit::parse(&both)?).ends_with("\n2: no plan: impossible\n"));
    Ok(())
}
