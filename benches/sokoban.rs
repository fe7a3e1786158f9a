//! How many pushes, floods of the player's region, lifts and bounds a second.
//!
//! The board is one of the project's own; rates are of wall time, so compare them within one run.

use outwit::diagnostic::Source;
use outwit::games::sokoban::format::read_levels;
use outwit::games::sokoban::planner::lift::{Lift, Way};
use outwit::games::sokoban::planner::matching::Matching;
use outwit::games::sokoban::planner::poses::Poses;
use outwit::games::sokoban::planner::terrain::Terrain;
use outwit::games::sokoban::state::{Board, Flood, State};
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

/// Time spent on each rate.
const SPAN: Duration = Duration::from_millis(500);

/// Runs `work` for a while and prints how often a second it ran, times what it does in one run.
fn rate(name: &str, each: usize, mut work: impl FnMut()) {
    let start = Instant::now();
    let mut runs = 0;
    while start.elapsed() < SPAN {
        for _ in 0..100 {
            work();
        }
        runs += 100;
    }
    let rate = (runs * each) as f64 / start.elapsed().as_secs_f64();
    println!("{name:<28} {rate:>14.0} a second");
}

fn main() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("areas/sokoban/pull-14x18-12-1102.xsb");
    let source = Source::read(&path).unwrap_or_else(|error| panic!("{}", error.report(false)));
    let level = &read_levels(&source).unwrap_or_else(|e| panic!("{}", e.report(false)))[0];
    let board = Board::new(level);
    let terrain = Terrain::new(&board);
    let mut state = State::new(&board);
    let mut flood = Flood::new(&board);
    let mut pushes = Vec::new();
    println!("{} squares, {} boxes", board.squares(), board.boxes.len());
    state.pushes(&mut flood, &mut pushes);
    rate("pushes done and undone", pushes.len(), || {
        for &push in &pushes {
            state.push(push);
            black_box(&state);
            state.undo();
        }
    });
    rate("floods", 1, || flood.fill(&board, &state.occupied, black_box(state.player)));
    let mut lift = Lift::new(&board);
    let mut occupied = state.occupied.clone();
    occupied[board.boxes[0] as usize] = false;
    rate("lifts of one box", 1, || {
        lift.analyse(&board, &occupied);
        let live = &terrain.live;
        black_box(
            lift.walk(&board, board.boxes[0], Some(board.player), Way::Push, |s| live[s as usize]),
        );
    });
    let poses = Poses::new(&board);
    let boxes: Vec<u32> = board.boxes.iter().map(|&s| poses.of(&board, s, board.player)).collect();
    let mut matching = Matching::default();
    rate("bounds from nothing", 1, || {
        matching = Matching::default();
        black_box(matching.place(&poses, &boxes));
    });
    rate("bounds after one push", 1, || {
        black_box(matching.after(&poses, board.boxes[0], boxes[0]));
    });
}
