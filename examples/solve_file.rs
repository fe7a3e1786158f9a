//! Solves an area from a file and prints the verified plan.
//!
//! `cargo run --release --example solve_file -- areas/sokoban/FILE` solves any game's file;
//! without an argument it solves a small level of its own.

use outwit::diagnostic::{Diagnostic, Source};
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
        Ok(answer) => {
            print!("{answer}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprint!("{}", error.report(false));
            ExitCode::from(2)
        }
    }
}

/// Solves the first area of a file: the plan, or why there is none.
fn solve(source: &Source) -> Result<String, Diagnostic> {
    let game = identify(Path::new(&source.name), source)?.game();
    let areas = game.read(source)?;
    let Some((_, area)) = areas.readable().next() else { return Ok(String::new()) };

    let answer = area.solve(&Objective::default(), None, &Budget::seconds(5.0));
    let Some(plan) = answer.plan else {
        return Ok(format!("no plan: {}\n", answer.verdict.name()));
    };
    // The plan is text until the reference rules have replayed it.
    match verify(area.as_ref(), &Source::new("plan", plan)) {
        Ok(plan) => Ok(plan.text().to_string()),
        Err(error) => Ok(format!("the plan does not hold: {error:?}\n")),
    }
}

#[test]
fn the_level_is_solved_and_one_without_a_way_is_not() {
    let plan = solve(&Source::new("level.xsb", LEVEL)).expect("a level");
    let level = Source::new("level.xsb", LEVEL);
    let game = identify(Path::new("level.xsb"), &level).unwrap().game();
    let area = game.read(&level).unwrap().only().unwrap();
    assert!(verify(area.as_ref(), &Source::new("plan", plan.as_str())).is_ok(), "{plan}");

    let stuck = "#####\n#$  #\n# @.#\n#####\n";
    assert_eq!(solve(&Source::new("stuck.xsb", stuck)).unwrap(), "no plan: impossible\n");
}
