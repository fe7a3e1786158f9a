//! The beam: against breadth-first search, and against itself with other numbers of threads.

use crate::replay;
use crate::spaces::{Graph, Grid, Hammers, Random, Sliding};
use outwit::search::beam::{Beam, widening};
use outwit::search::breadth_first::breadth_first;
use outwit::search::{Limits, Outcome, Run, Space, Statistics, StopReason, Successor, Verdict};
use std::fmt::Debug;
use std::sync::atomic::Ordering;
use std::time::Duration;

fn budget(threads: usize) -> Run {
    Run::from(Limits { threads, ..Limits::seconds(600.0) })
}

/// All of an outcome that does not depend on the clock and the allocator.
fn facts<A: Clone + Debug>(outcome: &Outcome<A>) -> String {
    let effort = Statistics { elapsed: Duration::ZERO, memory: 0, ..outcome.effort };
    format!("{:?}", Outcome { effort, ..outcome.clone() })
}

/// Runs with 1, 2, 3 and 4 threads, which must not differ; returns the outcome.
fn same_for_all_threads<S: Space<Action: PartialEq + Debug>>(
    name: &str,
    space: &S,
    nodes: Option<u64>,
    search: impl Fn(&Run) -> Outcome<S::Action>,
) -> Outcome<S::Action> {
    let one = search(&Run::from(Limits { nodes, ..budget(1).limits }));
    for threads in 2..=4 {
        let more = search(&Run::from(Limits { nodes, ..budget(threads).limits }));
        assert_eq!(facts(&more), facts(&one), "{name}: {threads} threads");
    }
    assert!(nodes.is_none_or(|most| one.effort.expanded <= most), "{name}: nodes are held");
    if one.plan.is_some() {
        replay(space, &one);
    }
    one
}

#[test]
fn a_wide_beam_is_breadth_first_search() {
    for seed in 0..400 {
        let zero = seed % 4 == 0;
        let graph = Graph::random(seed, 2 + seed as usize % 50, 1 + seed as usize % 4, zero, 3);
        let plain = breadth_first(&graph, &budget(1).start());
        // Costs of 0 may take more layers than one search may want to wait for.
        let beam = Beam { layers: 200, ..Beam::new(1000) };
        let outcome = beam.run(&graph, &budget(1).start(), None);
        assert_eq!(outcome.plan.is_some(), plain.plan.is_some(), "graph {seed}");
        if outcome.plan.is_some() {
            assert!(replay(&graph, &outcome) >= plain.cost, "graph {seed}");
        }
        assert!(outcome.bound <= plain.cost, "graph {seed}");
    }
    for seed in 0..30 {
        let grid = Grid::random(seed, 5 + seed as u32, 10 + seed % 30);
        let plain = breadth_first(&grid, &budget(1).start());
        let outcome = Beam::new(100_000).run(&grid, &budget(1).start(), None);
        assert_eq!(outcome.cost, plain.cost, "grid {seed}");
        let puzzle = Sliding::<3>::scrambled(seed, 60);
        let plain = breadth_first(&puzzle, &budget(1).start());
        let outcome = Beam::new(200_000).run(&puzzle, &budget(1).start(), None);
        assert_eq!(outcome.cost, plain.cost, "puzzle {seed}");
    }
}

#[test]
fn the_plan_does_not_depend_on_threads() {
    let mut random = Random(99);
    for seed in 0..8 {
        let nodes = Some(20_000 + random.below(40_000));
        for (width, quota) in [(100, None), (3000, None), (3000, Some(150)), (500, Some(1))] {
            let name = format!("puzzle {seed}, width {width}, quota {quota:?}");
            let puzzle = Sliding::<4>::scrambled(seed, 300);
            let beam = Beam { width, quota, ..Beam::new(1) };
            let run = |budget: &Run| beam.run(&puzzle, &budget.start(), None);
            same_for_all_threads(&name, &puzzle, nodes, run);
        }
        let name = format!("grid {seed}");
        let grid = Grid::random(seed, 150, 35);
        let run = |budget: &Run| Beam::new(700).run(&grid, &budget.start(), None);
        same_for_all_threads(&name, &grid, None, run);
    }
}

#[test]
fn widening_does_not_depend_on_threads_and_gets_better() {
    let (mut narrow_sum, mut wide_sum) = (0, 0);
    for seed in 0..6 {
        let puzzle = Sliding::<4>::scrambled(seed, 200);
        let first = Beam::new(20);
        let run = |budget: &Run| widening(&puzzle, &budget.start(), &first, None);
        let wide = same_for_all_threads(&format!("puzzle {seed}"), &puzzle, Some(150_000), run);
        let narrow = first.run(&puzzle, &budget(2).start(), None);
        if narrow.plan.is_some() {
            (narrow_sum, wide_sum) = (narrow_sum + narrow.cost, wide_sum + wide.cost);
            assert!(wide.cost <= narrow.cost);
        }
        let grid = Grid::random(seed, 12, 45);
        let space = Hammers { grid, hammers: 3, gifts: [5, 30, 60, 90] };
        let run = |budget: &Run| widening(&space, &budget.start(), &Beam::new(4), None);
        let outcome = same_for_all_threads(&format!("hammers {seed}"), &space, None, run);
        let plain = breadth_first(&space, &budget(1).start());
        assert_eq!(outcome.cost, plain.cost, "widens until nothing is left out");
        assert!(outcome.effort.stopped.is_none());
    }
    assert!(wide_sum < narrow_sum, "{wide_sum} against {narrow_sum}");
}

/// Two lanes: in one the states double with each step and look best, and it ends nowhere; the other
/// is a single way to the goal.
struct Lanes;

impl Space for Lanes {
    type State = (u32, u32, u64);
    type Action = u8;
    type Scratch = ();
    fn start(&self) -> (u32, u32, u64) {
        (0, 0, 0)
    }
    fn key(&self, &(lane, step, branch): &(u32, u32, u64)) -> u64 {
        u64::from(lane) << 60 | u64::from(step) << 40 | branch
    }
    fn bound(&self, state: &(u32, u32, u64)) -> u32 {
        u32::from(!self.is_goal(state))
    }
    fn is_goal(&self, &(lane, step, _): &(u32, u32, u64)) -> bool {
        lane == 1 && step == 20
    }
    fn scratch(&self) {}
    fn expand(&self, state: &(u32, u32, u64), _: &mut (), visit: &mut impl FnMut(Successor<u8>)) {
        let actions = match state {
            (0, 0, _) => 0..3,
            (0, ..) => 0..2,
            _ => 2..3,
        };
        for action in actions {
            let child = self.child(state, action, &mut ());
            let (key, bound, goal) = (self.key(&child), self.bound(&child), self.is_goal(&child));
            let estimate = if child.0 == 0 { 1 } else { 100 - child.1 };
            visit(Successor { action, cost: 1, key, bound, estimate, goal, class: child.0 });
        }
    }
    fn child(&self, state: &(u32, u32, u64), action: u8, _: &mut ()) -> (u32, u32, u64) {
        match action {
            2 => (1, state.1 + 1, 0),
            bit => (0, state.1 + 1, state.2 << 1 | u64::from(bit)),
        }
    }
}

#[test]
fn a_quota_survives_a_dead_end() {
    let beam = Beam { layers: 25, ..Beam::new(60) };
    let without = beam.run(&Lanes, &budget(1).start(), None);
    assert_eq!((without.verdict, without.plan), (Verdict::Unknown, None));
    let with = Beam { quota: Some(59), ..beam };
    let with = same_for_all_threads("lanes", &Lanes, None, |b| with.run(&Lanes, &b.start(), None));
    assert_eq!((with.verdict, with.cost), (Verdict::Found, 20));
}

#[test]
fn a_beam_that_makes_no_headway_ends() {
    let run = |patience| {
        let beam = Beam { patience, layers: 200, ..Beam::new(10) };
        same_for_all_threads("plain", &Plain, None, |b| beam.run(&Plain, &b.start(), None))
    };
    // One state a layer: as many layers as it may be without headway, and those that made some.
    assert_eq!(run(None).effort.expanded, 200);
    assert_eq!(run(Some(7)).effort.expanded, 10 + 7);
    assert_eq!((run(Some(7)).verdict, run(Some(7)).plan), (Verdict::Unknown, None));
}

/// Counting on without an end, with an estimate that falls for ten steps only.
struct Plain;

impl Space for Plain {
    type State = u32;
    type Action = ();
    type Scratch = ();
    fn start(&self) -> u32 {
        0
    }
    fn key(&self, state: &u32) -> u64 {
        u64::from(*state)
    }
    fn bound(&self, _: &u32) -> u32 {
        1
    }
    fn is_goal(&self, _: &u32) -> bool {
        false
    }
    fn scratch(&self) {}
    fn expand(&self, state: &u32, _: &mut (), visit: &mut impl FnMut(Successor<()>)) {
        let next = state + 1;
        let (key, estimate) = (u64::from(next), 100 - next.min(10));
        visit(Successor { action: (), cost: 1, key, bound: 1, estimate, goal: false, class: 0 });
    }
    fn child(&self, state: &u32, (): (), _: &mut ()) -> u32 {
        state + 1
    }
}

#[test]
fn only_what_is_cheaper_is_of_interest() {
    let puzzle = Sliding::<3>::scrambled(3, 200);
    let least = breadth_first(&puzzle, &budget(1).start()).cost;
    assert!(u64::from(puzzle.start.away) < least, "the start's bound does not settle it");
    let beam = Beam::new(100_000);
    let none = beam.run(&puzzle, &budget(1).start(), Some(least));
    assert_eq!((none.verdict, none.plan), (Verdict::Unknown, None));
    let same = beam.run(&puzzle, &budget(1).start(), Some(least + 1));
    assert_eq!(same.cost, least);
    let bound = u64::from(puzzle.start.away);
    let proven = beam.run(&puzzle, &budget(1).start(), Some(bound));
    assert_eq!((proven.verdict, proven.cost, proven.plan), (Verdict::Optimal, bound, None));
}

#[test]
fn budgets_are_held() {
    let puzzle = Sliding::<4>::scrambled(5, 400).swapped();
    for nodes in [0, 1, 777, 12_345] {
        let few = Run::from(Limits { nodes: Some(nodes), ..budget(2).limits });
        let outcome = Beam::new(500).run(&puzzle, &few.start(), None);
        assert_eq!(
            (outcome.effort.expanded, outcome.effort.stopped),
            (nodes, Some(StopReason::Nodes))
        );
        assert_eq!((outcome.verdict, outcome.plan), (Verdict::Unknown, None));
    }
    for memory in [1 << 16, 1 << 20, 16 << 20] {
        let small = Run::from(Limits { memory, ..budget(2).limits });
        let outcome = widening(&puzzle, &small.start(), &Beam::new(10), None);
        let effort = outcome.effort;
        assert_eq!(effort.stopped, Some(StopReason::Memory));
        assert!(effort.memory <= 2 * memory, "{} of {memory}", effort.memory);
        assert!(effort.memory >= memory / 4, "{} of {memory}", effort.memory);
    }
    let none = Run::from(Limits { threads: 2, ..Limits::seconds(0.0) });
    let outcome = widening(&puzzle, &none.start(), &Beam::new(10), None);
    assert_eq!(outcome.effort.stopped, Some(StopReason::Time));
    let cancelled = budget(2);
    cancelled.control.cancel.store(true, Ordering::Relaxed);
    let outcome = widening(&puzzle, &cancelled.start(), &Beam::new(10), None);
    assert_eq!(outcome.effort.stopped, Some(StopReason::Cancelled));
}

#[test]
fn a_start_at_the_goal_and_a_dead_start() {
    let puzzle = Sliding::<3>::scrambled(0, 0);
    let outcome = Beam::new(10).run(&puzzle, &budget(1).start(), None);
    assert_eq!((outcome.verdict, outcome.cost, outcome.plan), (Verdict::Optimal, 0, Some(vec![])));
    let mut graph = Graph::random(3, 10, 2, false, 3);
    graph.goals[0] = false;
    graph.bounds[0] = u32::MAX;
    let outcome = widening(&graph, &budget(1).start(), &Beam::new(10), None);
    assert_eq!((outcome.verdict, outcome.plan), (Verdict::Impossible, None));
}
