//! A* by several workers.

use crate::replay;
use crate::spaces::{Graph, Grid, Hammers, Sliding};
use outwit::search::astar::astar_below;
use outwit::search::beam::{Beam, widening};
use outwit::search::cluster::{BeamRequest, Search, astar_below_in_threads, in_threads};
use outwit::search::{Limits, Outcome, Portable, Run, StopReason, Verdict};

fn budget(nodes: Option<u64>) -> Run {
    Run::from(Limits { nodes, threads: 1, ..Limits::seconds(600.0) })
}

/// Any number of workers finds what one process finds without them, expansion for expansion.
fn same_for_any_workers<S: Portable<Action: PartialEq + std::fmt::Debug>>(
    name: &str,
    space: &S,
    upper: u64,
    nodes: &[Option<u64>],
) -> Verdict {
    let mut last = Verdict::Unknown;
    for &nodes in nodes {
        let budget = budget(nodes);
        let told = |outcome: Outcome<S::Action>| {
            let Outcome { verdict, plan, cost, bound, effort } = outcome;
            (verdict, plan, cost, bound, effort.expanded, effort.generated, effort.stopped)
        };
        let alone = told(astar_below(space, &budget.start(), upper));
        // The opening that is measured is another each time, and none for the others.
        let openings =
            [(1, None), (2, Some(0)), (2, None), (3, Some(40)), (4, Some(0)), (8, Some(500))];
        for (workers, opening) in openings {
            let clock = budget.start();
            let (outcome, _) = astar_below_in_threads(space, &clock, upper, workers, opening);
            if outcome.plan.is_some() {
                replay(space, &outcome);
            }
            let name = format!("{name}, {nodes:?} nodes, {workers} workers, {opening:?}");
            assert_eq!(told(outcome), alone, "{name}");
        }
        last = alone.0;
    }
    last
}

#[test]
fn any_number_of_workers() {
    for seed in 0..3 {
        let nodes = [Some(7), Some(300), Some(5_000), Some(20_000)];
        let puzzle = Sliding::<4>::scrambled(seed, 60 + 100 * seed as u32);
        same_for_any_workers(&format!("puzzle {seed}"), &puzzle, u64::MAX, &nodes);
        let small = Sliding::<3>::scrambled(seed, 100);
        same_for_any_workers(&format!("small puzzle {seed}"), &small, u64::MAX, &[None]);
        let grid = Grid::random(seed, 12, 45);
        let hammers = Hammers { grid, hammers: 3, gifts: [3, 12, 14, 25] };
        same_for_any_workers(&format!("hammers {seed}"), &hammers, u64::MAX, &[Some(300), None]);
    }
}

#[test]
fn inconsistent_bounds_and_equal_keys() {
    let mut verdicts = Vec::new();
    for seed in 0..40 {
        let (nodes, degree) = (2 + seed as usize % 60, 1 + seed as usize % 5);
        let mut graph = Graph::random(seed, nodes, degree, seed % 3 == 0, 1 + seed as u32 % 7);
        if seed % 2 == 0 {
            graph.keys = 3; // collisions everywhere
        }
        let name = format!("graph {seed}");
        verdicts.push(same_for_any_workers(&name, &graph, u64::MAX, &[Some(9), None]));
        if graph.distance[0] != u32::MAX {
            let known = u64::from(graph.distance[0]);
            let verdict = same_for_any_workers(&name, &graph, known, &[None]);
            assert_eq!(verdict, Verdict::Optimal, "{name}");
        }
    }
    for seed in 0..2 {
        let mut graph = Graph::random(seed, 30_000, 5, true, 9);
        graph.keys = 25_000;
        let nodes = [Some(2_000), None];
        verdicts.push(same_for_any_workers(&format!("great {seed}"), &graph, u64::MAX, &nodes));
    }
    assert!(verdicts.contains(&Verdict::Optimal) && verdicts.contains(&Verdict::Impossible));
}

#[test]
fn memory_of_all_workers_counts_together() {
    let puzzle = Sliding::<3>::scrambled(5, 200).swapped();
    let small = Run::from(Limits { memory: 6 << 20, ..budget(None).limits });
    let alone = astar_below(&puzzle, &small.start(), u64::MAX);
    assert_eq!(alone.effort.stopped, Some(StopReason::Memory));
    // Each worker has the quarter of what all have.
    let all = Run::from(Limits { memory: 4 * small.limits.memory, ..small.limits });
    let (together, _) = astar_below_in_threads(&puzzle, &all.start(), u64::MAX, 4, None);
    assert_eq!((together.verdict, together.plan), (Verdict::Impossible, None));
    assert!(together.effort.memory <= (6 << 20) + (6 << 17), "{}", together.effort.memory);
}

#[test]
fn budgets_are_held_by_all() {
    let puzzle = Sliding::<4>::scrambled(3, 400);
    let cancelled = budget(None);
    cancelled.control.cancel.store(true, std::sync::atomic::Ordering::Relaxed);
    let (outcome, _) = astar_below_in_threads(&puzzle, &cancelled.start(), u64::MAX, 3, None);
    assert_eq!(outcome.effort.stopped, Some(StopReason::Cancelled));
    assert_eq!(outcome.bound, u64::from(puzzle.start.away));
    let small = Run::from(Limits { memory: 3 << 20, ..budget(None).limits });
    let (outcome, _) = astar_below_in_threads(&puzzle, &small.start(), u64::MAX, 3, None);
    assert_eq!(outcome.effort.stopped, Some(StopReason::Memory));
    assert!(outcome.effort.memory <= (1 << 20) + (1 << 18), "{}", outcome.effort.memory);
    assert!(outcome.bound > u64::from(puzzle.start.away));
}

/// Any number of workers finds what the beam finds without them, expansion for expansion.
fn same_beam<S: Portable<Action: PartialEq + std::fmt::Debug>>(
    name: &str,
    space: &S,
    first: Beam,
    (upper, nodes, seed): (Option<u64>, Option<u64>, u64),
) -> Verdict {
    let mut last = Verdict::Unknown;
    for is_widening in [false, true] {
        let budget = Run::from(Limits { seed, ..budget(nodes).limits });
        let clock = budget.start();
        let told = |outcome: Outcome<S::Action>| {
            let Outcome { verdict, plan, cost, bound, effort } = outcome;
            (verdict, plan, cost, bound, effort.expanded, effort.generated, effort.stopped)
        };
        let alone = told(match is_widening {
            true => widening(space, &clock, &first, upper),
            false => first.run(space, &clock, upper),
        });
        for (workers, opening) in [(1, None), (2, Some(0)), (2, None), (3, Some(90)), (5, Some(0))]
        {
            let request = BeamRequest::new(first, upper, &budget.limits, workers);
            let request = BeamRequest { is_widening, opening, ..request };
            let (outcome, _) = in_threads(space, &clock, workers, Search::Beam(request));
            if outcome.plan.is_some() {
                replay(space, &outcome);
            }
            let name = format!("{name}, {workers} workers, {opening:?}, widening: {is_widening}");
            assert_eq!(told(outcome), alone, "{name}");
        }
        last = alone.0;
    }
    last
}

#[test]
fn beams_of_any_number_of_workers() {
    let mut verdicts = Vec::new();
    for seed in 0..3 {
        let puzzle = Sliding::<4>::scrambled(seed, 60 + 100 * seed as u32);
        let limits = (None, Some(20_000), seed);
        let beam = Beam { layers: 300, ..Beam::new(150 + 200 * seed as usize) };
        verdicts.push(same_beam(&format!("puzzle {seed}"), &puzzle, beam, limits));
        let grid = Grid::random(seed, 12, 45);
        let hammers = Hammers { grid, hammers: 3, gifts: [3, 12, 14, 25] };
        let beam = Beam { quota: Some(3), ..Beam::new(40) };
        let limits = (None, Some(6_000), seed);
        verdicts.push(same_beam(&format!("hammers {seed}"), &hammers, beam, limits));
    }
    for seed in 0..12 {
        let (nodes, degree) = (20 + 30 * seed as usize, 1 + seed as usize % 5);
        let graph = Graph::random(seed, nodes, degree, seed % 3 == 0, 1 + seed as u32 % 7);
        let beam = Beam { layers: 40, quota: (seed % 2 == 0).then_some(5), ..Beam::new(12) };
        let known = (seed % 4 == 1).then_some(u64::from(graph.distance[0]));
        let limits = (known, Some(3_000), seed);
        verdicts.push(same_beam(&format!("graph {seed}"), &graph, beam, limits));
    }
    assert!(verdicts.contains(&Verdict::Found) && verdicts.contains(&Verdict::Unknown));
}
