//! Labyrinth: what does a look of range 50 000 cost on a sparse board, and what a whole game?

use criterion::{Criterion, criterion_group, criterion_main};
use outwit::games::labyrinth::explorer::Explorer;
use outwit::games::labyrinth::format::protocol::{Command, Heading, Point, Readings, Reply};
use outwit::games::labyrinth::format::{Maze, Segment};
use outwit::games::labyrinth::generate::{CLASSES, make};
use outwit::games::labyrinth::planner::solve_under;
use outwit::games::labyrinth::state::State;
use outwit::search::Run;
use std::hint::black_box;

/// A box of 50 000 × 50 000 cells with 496 short walls beside the long look.
fn wide_box() -> Maze {
    let (low, high) = (Point::new(0, 0), Point::new(49_999, 49_999));
    let (east, south) = (Point::new(high.x, low.y), Point::new(low.x, high.y));
    let mut segments = vec![
        Segment::between(low, east),
        Segment::between(low, south),
        Segment::between(east, high),
        Segment::between(south, high),
    ];
    let teeth = (0..496).map(|i| Point::new(100 * i + 50, 100));
    segments.extend(teeth.map(|tooth| Segment::between(tooth, tooth.toward(Heading::South, 40))));
    Maze { exit: Point::new(25_000, 0), player: Point::new(1, 99), sticks: 0, segments }
}

fn looks(c: &mut Criterion) {
    let state = State::new(&wide_box(), Readings::default());
    c.bench_function("look east 50000 with its text", |b| {
        b.iter(|| {
            let mut state = state.clone();
            black_box(state.act(Command::Look(Heading::East, 50_000)).map(|reply| reply.text()))
        });
    });
}

fn games(c: &mut Criterion) {
    let class = CLASSES.iter().find(|class| class.name == "9").expect("class 9");
    let maze = make(class, "maze", None, 9).expect("a labyrinth");
    c.bench_function("explorer, class 9 maze", |b| {
        b.iter(|| {
            let mut state = State::new(&maze, Readings::default());
            let mut explorer = Explorer::new(maze.sticks);
            while let Ok(reply) = state.act(explorer.command()) {
                if reply == Reply::Found {
                    break;
                }
                explorer.hear(&reply);
            }
            black_box(state.oxygen())
        });
    });
    c.bench_function("planner, class 9 maze", |b| {
        b.iter(|| black_box(solve_under(&maze, Readings::default(), &Run::seconds(60.0)).cost));
    });
}

criterion_group!(benches, looks, games);
criterion_main!(benches);
