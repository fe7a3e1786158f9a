//! How fast is A*, against the `astar` of the crate `pathfinding`, on the same spaces?
//!
//! Both find the optimum; they expand different numbers of states, so what is compared is
//! expansions per second, on one thread. The ratio is printed at the end.

#[path = "../tests/search/spaces.rs"]
mod spaces;

use criterion::{Criterion, criterion_group, criterion_main};
use outwit::search::astar::astar;
use outwit::search::{Limits, Run, Space};
use spaces::{Fleet, Grid, Sliding, Tiles, Wide};
use std::cell::Cell;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Carts of the fleet.
const CARTS: usize = 32;
/// Expansions on the fleet, which neither side gets through.
const EXPANSIONS: u64 = 20_000;
/// Runs of each side for the printed ratio; the fastest counts.
const RUNS: usize = 5;

fn budget() -> Run {
    Run::from(Limits { memory: 4 << 30, threads: 1, ..Limits::seconds(600.0) })
}

/// Optimum and expansions of ours.
fn ours<S: Space>(space: &S) -> (u64, u64) {
    let outcome = astar(space, &budget().start());
    (outcome.cost, outcome.effort.expanded)
}

/// Optimum and expansions of theirs on the grid.
fn theirs_on_grid(grid: &Grid) -> (u64, u64) {
    let mut expanded = 0;
    let found = pathfinding::directed::astar::astar(
        &0,
        |&cell| {
            expanded += 1;
            (0..8).filter_map(move |direction| Some((grid.step(cell, direction)?, 1)))
        },
        |&cell| grid.distance(cell),
        |&cell| grid.distance(cell) == 0,
    );
    (u64::from(found.expect("there is a way").1), expanded)
}

/// Optimum and expansions of theirs on the puzzle.
fn theirs_on_puzzle(puzzle: &Sliding<4>) -> (u64, u64) {
    let mut expanded = 0;
    let found = pathfinding::directed::astar::astar(
        &puzzle.start,
        |&board| {
            expanded += 1;
            (0..4).filter_map(move |direction| Some((Sliding::<4>::slide(board, direction)?, 1)))
        },
        |board: &Tiles| u32::from(board.away),
        |board| board.away == 0,
    );
    (u64::from(found.expect("there is a way").1), expanded)
}

/// Optimum and expansions of theirs on the wide puzzle.
fn theirs_on_wide(wide: &Wide) -> (u64, u64) {
    let mut expanded = 0;
    let found = pathfinding::directed::astar::astar(
        &wide.start,
        |board| {
            expanded += 1;
            let board = board.clone();
            (0..4).filter_map(move |direction| {
                let slide = Wide::slide(&board, direction)?;
                Some((Wide::after(&board, &slide), 1))
            })
        },
        |board| board.away,
        |board| board.away == 0,
    );
    (u64::from(found.expect("there is a way").1), expanded)
}

/// Bound and expansions of ours after [`EXPANSIONS`].
fn ours_on_fleet(fleet: &Fleet<CARTS>) -> (u64, u64) {
    let budget = Run::from(Limits { nodes: Some(EXPANSIONS), ..budget().limits });
    let outcome = astar(fleet, &budget.start());
    assert!(outcome.plan.is_none(), "the fleet is too large to be through by then");
    (0, outcome.effort.expanded)
}

/// The same of theirs.
fn theirs_on_fleet(fleet: &Fleet<CARTS>) -> (u64, u64) {
    let expanded = Cell::new(0);
    let found = pathfinding::directed::astar::astar(
        &fleet.start,
        |&state| {
            expanded.set(expanded.get() + 1);
            (0..CARTS).flat_map(move |cart| {
                (0..4).filter_map(move |direction| {
                    let (to, away) = fleet.roll(&state, cart, direction)?;
                    Some((Fleet::after(&state, cart, to, away), 1))
                })
            })
        },
        |state| state.away,
        |state| state.away == 0 || expanded.get() >= EXPANSIONS,
    );
    assert!(found.is_some());
    (0, expanded.get())
}

/// The fastest of some runs.
fn best(run: impl Fn() -> (u64, u64)) -> (u64, u64, Duration) {
    let timed = || {
        let started = Instant::now();
        let (cost, expanded) = black_box(run());
        (cost, expanded, started.elapsed())
    };
    (0..RUNS).map(|_| timed()).min_by_key(|run| run.2).expect("there are runs")
}

/// Prints the ratio of expansions per second.
fn compare(name: &str, ours: impl Fn() -> (u64, u64), theirs: impl Fn() -> (u64, u64)) {
    let rate = |side: &str, (cost, expanded, time): (u64, u64, Duration)| {
        let rate = expanded as f64 / time.as_secs_f64();
        let seconds = time.as_secs_f64();
        println!(
            "{name}: {side}: cost {cost}, {expanded} expansions in {seconds:.4} s, {rate:.0} a second"
        );
        (cost, rate)
    };
    let (cost, ours) = rate("outwit", best(ours));
    let (check, theirs) = rate("pathfinding", best(theirs));
    assert_eq!(cost, check, "both find the optimum");
    println!("{name}: ratio {:.2}", ours / theirs);
}

fn bench(criterion: &mut Criterion) {
    let grid = Grid::random(7, 500, 25);
    let puzzle = Sliding::<4>::scrambled(6, 400);
    let wide = Wide::scrambled(5, 76);
    let fleet = Fleet::<CARTS>::random(4, 48, 25);
    let mut group = criterion.benchmark_group("astar");
    group.sample_size(10);
    group.bench_function("grid/outwit", |b| b.iter(|| ours(black_box(&grid))));
    group.bench_function("grid/pathfinding", |b| b.iter(|| theirs_on_grid(black_box(&grid))));
    group.bench_function("puzzle/outwit", |b| b.iter(|| ours(black_box(&puzzle))));
    group.bench_function("puzzle/pathfinding", |b| b.iter(|| theirs_on_puzzle(black_box(&puzzle))));
    group.bench_function("575-puzzle/outwit", |b| b.iter(|| ours(black_box(&wide))));
    group.bench_function("575-puzzle/pathfinding", |b| {
        b.iter(|| theirs_on_wide(black_box(&wide)));
    });
    group.bench_function("fleet/outwit", |b| b.iter(|| ours_on_fleet(black_box(&fleet))));
    group.bench_function("fleet/pathfinding", |b| b.iter(|| theirs_on_fleet(black_box(&fleet))));
    group.finish();
    compare(
        "fleet of 32 carts, 20 000 expansions",
        || ours_on_fleet(&fleet),
        || theirs_on_fleet(&fleet),
    );
    compare("grid 500x500", || ours(&grid), || theirs_on_grid(&grid));
    compare("575-puzzle", || ours(&wide), || theirs_on_wide(&wide));
    compare("15-puzzle", || ours(&puzzle), || theirs_on_puzzle(&puzzle));
}

criterion_group!(benches, bench);
criterion_main!(benches);
