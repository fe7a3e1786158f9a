//! Cyclic best-first search: against least costs, and against itself in other slices.

use super::cost_of;
use super::spaces::{Graph, Grid, Random, Sliding};
use outwit::search::cyclic::Cyclic;
use outwit::search::{Limits, Run, Space, Statistics, StopReason};
use std::fmt::Debug;

fn slices(nodes: u64) -> Run {
    Run::from(Limits { nodes: Some(nodes), ..Limits::seconds(1000.0) })
}

/// Runs a search in slices of `nodes` expansions until nothing is open; the plans that it found, and
/// its expansions.
fn exhaust<S: Space<Action: PartialEq + Debug>>(
    space: &S,
    seed: u64,
    slice: u64,
) -> (Vec<Vec<S::Action>>, u64) {
    let budget = slices(slice);
    let mut search = Cyclic::new(space, 1, seed);
    let mut effort = Statistics::default();
    let (mut plans, mut upper) = (Vec::new(), u64::MAX);
    loop {
        let before = effort.expanded;
        let plan = search.run(upper, &budget.start(), &mut effort);
        assert!(effort.expanded <= before + slice, "more expansions than the slice has");
        if let Some(plan) = plan {
            let cost = cost_of(space, &plan);
            assert!(cost < upper, "a plan that is no better");
            upper = cost;
            plans.push(plan);
        } else if effort.stopped.is_none() {
            assert!(search.is_exhausted() || upper == 0, "it stopped with something open");
            return (plans, effort.expanded);
        }
    }
}

#[test]
fn the_last_plan_costs_least() {
    let (mut solved, mut several) = (0, 0);
    for seed in 0..300 {
        let graph = Graph::random(seed, 60, 6, seed % 2 == 0, 9);
        let (plans, _) = exhaust(&graph, seed, 1000);
        let cost = plans.last().map_or(u64::from(u32::MAX), |plan| cost_of(&graph, plan));
        assert_eq!(cost, u64::from(graph.distance[0]), "graph {seed}");
        solved += u32::from(!plans.is_empty());
        several += u32::from(plans.len() > 1);
    }
    for seed in 0..40 {
        let grid = Grid::random(seed, 12, 30);
        let (plans, _) = exhaust(&grid, seed, 1000);
        let cost = plans.last().map(|plan| cost_of(&grid, plan));
        assert_eq!(cost, shortest(&grid), "grid {seed}");
        solved += u32::from(cost.is_some());
    }
    assert!(
        solved > 100 && several > 20,
        "{solved} solved, {several} with better and better plans"
    );
}

/// Steps to the far corner, ring by ring.
fn shortest(grid: &Grid) -> Option<u64> {
    let mut reached = vec![false; (grid.side * grid.side) as usize];
    let mut ring = vec![0];
    for steps in 0.. {
        if ring.iter().any(|cell| grid.is_goal(cell)) {
            return Some(steps);
        }
        ring.retain(|&cell| !std::mem::replace(&mut reached[cell as usize], true));
        let around = |&cell: &u32| (0..8).filter_map(move |d| grid.step(cell, d));
        ring = ring.iter().flat_map(around).collect();
        if ring.is_empty() {
            return None;
        }
    }
    None
}

#[test]
fn slices_make_no_difference() {
    let mut random = Random(7);
    for seed in 0..100 {
        let graph = Graph::random(seed, 80, 4, false, 9);
        let whole = exhaust(&graph, 1, 100_000);
        assert_eq!(whole, exhaust(&graph, 1, 1 + random.below(40)), "graph {seed}");
    }
}

#[test]
fn memory_is_a_limit() {
    let puzzle = Sliding::<4>::scrambled(3, 200);
    let budget = Run::from(Limits { memory: 1 << 20, ..Limits::seconds(1000.0) });
    let mut search = Cyclic::new(&puzzle, 1, 1);
    let mut effort = Statistics::default();
    // Plans that are longer than the first are taken too: it is not to end before memory does.
    let mut plans = 0;
    while effort.stopped.is_none() && plans < 1000 {
        plans += u32::from(search.run(u64::MAX, &budget.start(), &mut effort).is_some());
    }
    assert_eq!(effort.stopped, Some(StopReason::Memory), "after {plans} plans");
    assert!(search.memory() < 2 << 20, "{} bytes", search.memory());
}

#[test]
fn starts_that_are_the_goal_or_a_dead_end() {
    let mut graph = Graph::random(5, 10, 3, false, 9);
    graph.goals[0] = true;
    let run = |graph: &Graph, upper| {
        let mut search = Cyclic::new(graph, 1, 1);
        let plan = search.run(upper, &slices(100).start(), &mut Statistics::default());
        (plan, search.is_exhausted())
    };
    assert_eq!(run(&graph, u64::MAX).0, Some(Vec::new()));
    assert_eq!(run(&graph, 0).0, None);
    graph.goals[0] = false;
    graph.edges[0].clear();
    assert_eq!(run(&graph, u64::MAX), (None, true));
}
