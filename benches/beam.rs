//! How many nodes a second does the beam expand, and what does a second thread give?
//!
//! The space is the 15-puzzle with linear conflicts, 100 to 200 ns a child, from a board that cannot
//! be solved, so that every run spends all its nodes. The ratio is printed at the end.

#[path = "../tests/search/spaces.rs"]
mod spaces;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use outwit::search::beam::Beam;
use outwit::search::{Limits, Run, StopReason};
use spaces::{Conflicts, Sliding};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Expansions of a run.
const NODES: u64 = 600_000;
/// Pairs of runs for the printed ratio; the fastest of each side counts.
const RUNS: usize = 8;

fn run(space: &Conflicts, width: usize, threads: usize) {
    let budget = Run::from(Limits { nodes: Some(NODES), threads, ..Limits::seconds(600.0) });
    let outcome = Beam::new(width).run(black_box(space), &budget.start(), None);
    assert_eq!((outcome.effort.expanded, outcome.effort.stopped), (NODES, Some(StopReason::Nodes)));
}

fn timed(work: impl FnOnce()) -> Duration {
    let started = Instant::now();
    work();
    started.elapsed()
}

fn bench(criterion: &mut Criterion) {
    let space = Conflicts(Sliding::scrambled(5, 400).swapped());
    let mut group = criterion.benchmark_group("beam");
    group.sample_size(10).throughput(Throughput::Elements(NODES));
    for threads in [1, 2] {
        let name = format!("width 30000/threads {threads}");
        group.bench_function(name, |b| b.iter(|| run(&space, 30_000, threads)));
    }
    group.finish();
    for width in [1_000, 30_000] {
        let mut best = [Duration::MAX; 2];
        for _ in 0..RUNS {
            for (threads, best) in (1..).zip(&mut best) {
                *best = timed(|| run(&space, width, threads)).min(*best);
            }
        }
        let [one, two] = best.map(|time| NODES as f64 / time.as_secs_f64());
        println!("width {width}: {one:.0} nodes a second with 1 thread, {two:.0} with 2");
        println!("width {width}: ratio {:.2}", two / one);
    }
}

criterion_group!(benches, bench);
criterion_main!(benches);
