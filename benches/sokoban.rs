//! How many pushes, floods of the player's region, macro moves and bounds a second.
//!
//! The board is one of the project's own, or the first level of a file given as argument (`cargo
//! bench --bench sokoban -- FILE`); rates are of wall time, so compare them within one run.

use clap::Parser;
use outwit::board::zobrist;
use outwit::diagnostic::Source;
use outwit::games::sokoban::board::region::Flood;
use outwit::games::sokoban::board::{Board, Square, State};
use outwit::games::sokoban::format::read_levels;
use outwit::games::sokoban::planner::analysis::level::LevelAnalysis;
use outwit::games::sokoban::planner::analysis::macro_moves::{MacroMoveGenerator, Motion};
use outwit::games::sokoban::planner::analysis::push_distance::PushDistances;
use outwit::games::sokoban::planner::bound::matching::Matching;
use std::hint::black_box;
use std::path::{Path, PathBuf};
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

/// The player's region by a flood over the neighbour table, square by square: the rival of
/// [`Flood`], kept to show what rows of words are worth.
struct ByTable {
    stamps: Vec<u32>,
    stamp: u32,
    reached: Vec<Square>,
}

impl ByTable {
    fn fill(&mut self, board: &Board, occupied: &[bool], from: Square) {
        self.stamp += 1;
        self.reached.clear();
        self.reached.push(from);
        self.stamps[from as usize] = self.stamp;
        let mut head = 0;
        while let Some(&square) = self.reached.get(head) {
            head += 1;
            for next in board.next[square as usize] {
                let i = next as usize;
                if !occupied[i] && self.stamps[i] != self.stamp {
                    self.stamps[i] = self.stamp;
                    self.reached.push(next);
                }
            }
        }
    }
}

/// Positions on a walk of pushes drawn by lot.
fn wander(board: &Board) -> Vec<State<'_>> {
    let (mut state, mut flood, mut pushes) =
        (State::new(board), Flood::new(&board.layout), Vec::new());
    let mut positions = Vec::new();
    for lot in 0..100 {
        state.pushes(&mut flood, &mut pushes);
        let Some(push) = pushes.get(zobrist(7, lot) as usize % pushes.len().max(1)) else { break };
        state.push(*push);
        positions.push(state.clone());
    }
    positions
}

/// How many pushes, floods of the player's region, macro moves and bounds a second?
#[derive(Parser)]
#[command(bin_name = "cargo bench --bench sokoban --")]
struct Options {
    /// A collection; its first level is taken
    file: Option<PathBuf>,
    /// Given by cargo
    #[arg(long = "bench", hide = true)]
    _bench: bool,
}

fn main() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("areas/sokoban/pull-14x18-12-1102.xsb");
    let path = Options::parse().file.unwrap_or(own);
    let source = Source::read(&path).unwrap_or_else(|error| panic!("{}", error.report(false)));
    let level = &read_levels(&source).unwrap_or_else(|e| panic!("{}", e.report(false)))[0];
    let board = Board::new(level);
    let analysis = LevelAnalysis::new(&board);
    let mut state = State::new(&board);
    let mut flood = Flood::new(&board.layout);
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
    let positions = wander(&board);
    let mut table = ByTable { stamps: vec![0; board.squares() + 1], stamp: 0, reached: Vec::new() };
    let mut squares = 0;
    for state in &positions {
        flood.fill(&state.occupied, state.player);
        table.fill(&board, &state.occupied, state.player);
        assert_eq!(flood.count(), table.reached.len());
        squares += flood.count();
    }
    println!("{} positions, {} squares reached", positions.len(), squares / positions.len().max(1));
    rate("floods", positions.len(), || {
        positions.iter().for_each(|s| flood.fill(&s.occupied, black_box(s.player)));
    });
    rate("floods over the table", positions.len(), || {
        positions.iter().for_each(|s| table.fill(&board, &s.occupied, black_box(s.player)));
    });
    let mut generator = MacroMoveGenerator::new(&board);
    let mut occupied = state.occupied.clone();
    occupied.set(board.boxes[0], false);
    rate("macro moves of one box", 1, || {
        generator.analyse(&board, &occupied);
        let live = &analysis.live;
        black_box(
            generator.reach(&board, board.boxes[0], Some(board.player), Motion::Push, |s| {
                live[s as usize]
            }),
        );
    });
    let poses = PushDistances::new(&board);
    let boxes: Vec<u32> = board.boxes.iter().map(|&s| poses.of(&board, s, board.player)).collect();
    let mut matching = Matching::<i64>::default();
    rate("bounds from nothing", 1, || {
        matching = Matching::default();
        black_box(matching.place(&poses, boxes.iter().copied()));
    });
    rate("bounds after one push", 1, || {
        black_box(matching.after(&poses, boxes[0], boxes[0]));
    });
}
