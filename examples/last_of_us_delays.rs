//! Where a plan of the Last of Us loses time.
//!
//! `cargo run --release --example last_of_us_delays -- AREA PLAN` prints each action after which the
//! exit is no closer: the step, the action, where Ellie stands, how far the exit is, and what it
//! costs (1 where the distance stays, 2 where it grows). No plan is shorter than the walking
//! distance, and each plan is longer by the sum of its delays.

use outwit::board::UNREACHED;
use outwit::diagnostic::{Diagnostic, Source};
use outwit::games::last_of_us::format::{Action, read_map, read_plan};
use outwit::games::last_of_us::planner::heuristic::walk_field;
use outwit::games::last_of_us::rules::{Event, Game, Readings};
use outwit::games::last_of_us::state::Board;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let [area, plan] = &paths[..] else {
        eprintln!("usage: last_of_us_delays AREA PLAN");
        return ExitCode::from(2);
    };
    let sources = [area, plan].map(|path| Source::read(Path::new(path)));
    let [Ok(area), Ok(plan)] = sources else {
        sources.iter().filter_map(|source| source.as_ref().err()).for_each(report);
        return ExitCode::from(2);
    };
    match show(&area, &plan) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            report(&error);
            ExitCode::from(2)
        }
    }
}

fn report(error: &Diagnostic) {
    eprint!("{}", error.report(false));
}

/// Prints the delays; whether the plan leads to the exit.
fn show(area: &Source, plan: &Source) -> Result<bool, Diagnostic> {
    let map = read_map(area)?;
    let plan = read_plan(plan)?;
    let board = Board::new(&map);
    let walk = walk_field(&board, board.exit);
    let mut game = Game::new(&map, Readings::default());
    let mut before = walk[board.ellie as usize];
    if before == UNREACHED {
        println!("there is no way to the exit");
        return Ok(false);
    }
    println!("walking takes {before} actions, the plan {}", plan.len());
    let (mut throws, mut waits, mut sideways, mut back) = (0, 0, 0, 0);
    for (step, &action) in plan.iter().enumerate() {
        let won = match game.act(action) {
            Ok(event) => event == Event::Won,
            Err(refused) => {
                println!("step {}: {refused:?}", step + 1);
                return Ok(false);
            }
        };
        let site = board.site(game.ellie());
        let now = walk[site as usize];
        let delay = (now + 1).saturating_sub(before);
        if delay > 0 {
            let (row, col) = (map.shape.row(game.ellie()), map.shape.col(game.ellie()));
            let kind = match (action, delay) {
                (Action::Throw { .. }, _) => &mut throws,
                (Action::Walk(None), _) => &mut waits,
                (_, 1) => &mut sideways,
                _ => &mut back,
            };
            *kind += delay;
            println!(
                "step {:4}  {action:?}  at row {row} col {col}, {now} from the exit: {delay}",
                step + 1
            );
        }
        before = now;
        if won {
            println!(
                "delays: {throws} by throws, {waits} by waits, {sideways} sideways, {back} back"
            );
            return Ok(true);
        }
    }
    println!("the plan ends before the exit");
    Ok(false)
}
