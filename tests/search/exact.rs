//! A* and breadth-first search.

use crate::replay;
use crate::spaces::{Fleet, Graph, Grid, Hammers, Sliding};
use outwit::search::astar::{astar, astar_below};
use outwit::search::breadth_first::{breadth_first, count};
use outwit::search::{Control, Due, Limits, Outcome, Run, Space, StopReason, Successor, Verdict};
use std::sync::atomic::Ordering;

fn budget() -> Run {
    Run::seconds(600.0)
}

/// A* and breadth-first search give the same verdict and cost; returns them.
fn agree<S: Space<Action: PartialEq + std::fmt::Debug>>(
    name: &str,
    space: &S,
) -> Outcome<S::Action> {
    let fast = astar(space, &budget().start());
    let plain = breadth_first(space, &budget().start());
    assert_eq!(
        (fast.verdict, fast.cost, fast.bound),
        (plain.verdict, plain.cost, plain.bound),
        "{name}"
    );
    if fast.plan.is_some() {
        replay(space, &fast);
        replay(space, &plain);
    }
    assert!(fast.effort.stopped.is_none());
    fast
}

#[test]
fn random_graphs() {
    let mut solved = 0;
    for seed in 0..3000 {
        let (nodes, degree) = (2 + seed as usize % 60, 1 + seed as usize % 5);
        let mut graph = Graph::random(seed, nodes, degree, seed % 3 == 0, 1 + seed as u32 % 7);
        if seed % 2 == 0 {
            graph.keys = 3; // collisions everywhere
        }
        let outcome = agree(&format!("graph {seed}"), &graph);
        let least = graph.distance[0];
        assert_eq!(outcome.cost == u64::MAX, least == u32::MAX, "graph {seed}");
        if least != u32::MAX {
            assert_eq!(outcome.cost, u64::from(least), "graph {seed}");
            solved += 1;
        }
    }
    assert!((1000..2900).contains(&solved), "both kinds are common: {solved}");
}

#[test]
fn great_costs() {
    for seed in 0..200 {
        let graph = Graph::random(seed, 40, 4, false, 3_000_000);
        agree(&format!("graph {seed}"), &graph);
    }
}

#[test]
fn grids() {
    for seed in 0..60 {
        let grid = Grid::random(seed, 5 + seed as u32, 10 + seed % 35);
        agree(&format!("grid {seed}"), &grid);
    }
}

#[test]
fn fleets() {
    for seed in 0..12 {
        let fleet = Fleet::<2>::random(seed, 8, 15 + seed % 20);
        assert_eq!(agree(&format!("fleet {seed}"), &fleet).verdict, Verdict::Optimal);
    }
}

#[test]
fn sliding_puzzles() {
    for seed in 0..12 {
        let puzzle = Sliding::<3>::scrambled(seed, 200);
        assert_eq!(agree(&format!("puzzle {seed}"), &puzzle).verdict, Verdict::Optimal);
    }
    let unsolvable = Sliding::<3>::scrambled(5, 200).swapped();
    let outcome = agree("swapped", &unsolvable);
    assert_eq!(outcome.verdict, Verdict::Impossible);
    assert_eq!(outcome.effort.expanded, 181_440, "half of 9! boards can be reached");
}

#[test]
fn counts_of_the_eight_puzzle() {
    // From a board that cannot be solved, so that no goal cuts the counts short. The numbers of new
    // boards from a corner are sequence A089473 of the OEIS.
    let puzzle = Sliding::<3>::scrambled(0, 0).swapped();
    let counts = count(&puzzle, 9);
    let new: Vec<_> = counts.iter().map(|count| count.new).collect();
    assert_eq!(new, [1, 2, 4, 8, 16, 20, 39, 62, 116, 152]);
    let paths: Vec<_> = counts[..4].iter().map(|count| (count.paths, count.states)).collect();
    // Two moves from the corner; three from an edge; one of them back.
    assert_eq!(paths, [(1, 1), (2, 2), (6, 5), (16, 10)]);
}

#[test]
fn walls_to_break() {
    for seed in 0..60 {
        let side = 8 + seed as u32 % 5;
        let grid = Grid::random(seed, side, 45);
        let gifts = [3, side, side + 2, 2 * side + 1];
        agree(&format!("hammers {seed}"), &Hammers { grid, hammers: (seed % 4) as u8, gifts });
    }
}

/// Regression: a state with more children than the tables first grow by was called out of memory.
#[test]
fn many_children_at_once() {
    struct Fan;
    impl Space for Fan {
        type State = u32;
        type Action = u32;
        type Scratch = ();
        fn start(&self) -> u32 {
            0
        }
        fn key(&self, state: &u32) -> u64 {
            u64::from(*state)
        }
        fn bound(&self, state: &u32) -> u32 {
            u32::from(*state != 1)
        }
        fn is_goal(&self, state: &u32) -> bool {
            *state == 1
        }
        fn scratch(&self) {}
        fn expand(&self, state: &u32, _: &mut (), visit: &mut impl FnMut(Successor<u32>)) {
            for action in (state * 500 + 2)..(state * 500 + 502) {
                let child = if action == 1777 { 1 } else { action };
                visit(Successor {
                    action: child,
                    cost: 1,
                    key: self.key(&child),
                    bound: self.bound(&child),
                    estimate: 0,
                    goal: child == 1,
                    class: 0,
                });
            }
        }
        fn child(&self, _: &u32, action: u32, _: &mut ()) -> u32 {
            action
        }
    }
    let outcome = astar(&Fan, &budget().start());
    assert_eq!((outcome.verdict, outcome.cost), (Verdict::Optimal, 2));
}

#[test]
fn a_known_cost() {
    for seed in 0..40 {
        let graph = Graph::random(seed, 50, 4, false, 4);
        let least = u64::from(graph.distance[0]);
        if graph.distance[0] == u32::MAX {
            continue;
        }
        let proven = astar_below(&graph, &budget().start(), least);
        assert_eq!((proven.verdict, proven.cost, proven.bound), (Verdict::Optimal, least, least));
        assert!(proven.plan.is_none());
        let better = astar_below(&graph, &budget().start(), least + 1);
        assert_eq!((better.verdict, better.cost), (Verdict::Optimal, least));
        assert_eq!(replay(&graph, &better), least);
    }
}

#[test]
fn budgets_are_held() {
    let puzzle = Sliding::<4>::scrambled(3, 400);
    let full = astar(&puzzle, &budget().start());
    assert_eq!(full.verdict, Verdict::Optimal);

    let few = Run::from(Limits { nodes: Some(12_345), ..budget().limits });
    let outcome = astar(&puzzle, &few.start());
    assert_eq!(
        (outcome.effort.expanded, outcome.effort.stopped),
        (12_345, Some(StopReason::Nodes))
    );
    assert_eq!((outcome.verdict, outcome.plan), (Verdict::Unknown, None));
    assert!(outcome.bound >= u64::from(puzzle.start.away) && outcome.bound <= full.cost);

    for memory in [1 << 20, 3 << 20, 10 << 20] {
        let small = Run::from(Limits { memory, ..budget().limits });
        let outcome = astar(&puzzle, &small.start());
        assert_eq!(outcome.effort.stopped, Some(StopReason::Memory));
        let held = outcome.effort.memory;
        assert!(held <= memory + memory / 8 && held >= memory / 3, "{held} of {memory}");
    }

    let none = Run::seconds(0.0);
    assert_eq!(astar(&puzzle, &none.start()).effort.stopped, Some(StopReason::Time));
    let cancelled = budget();
    cancelled.control.cancel.store(true, Ordering::Relaxed);
    let outcome = astar(&puzzle, &cancelled.start());
    assert_eq!(
        (outcome.effort.stopped, outcome.bound),
        (Some(StopReason::Cancelled), puzzle.start.away.into())
    );
    assert_eq!(
        breadth_first(&puzzle, &cancelled.start()).effort.stopped,
        Some(StopReason::Cancelled)
    );
}

/// A space whose expansions take as long as those of a game, so that threads are called together.
struct Slow<S>(S);

impl<S: Space> Space for Slow<S> {
    type State = S::State;
    type Action = S::Action;
    type Scratch = S::Scratch;
    fn start(&self) -> S::State {
        self.0.start()
    }
    fn key(&self, state: &S::State) -> u64 {
        self.0.key(state)
    }
    fn bound(&self, state: &S::State) -> u32 {
        self.0.bound(state)
    }
    fn is_goal(&self, state: &S::State) -> bool {
        self.0.is_goal(state)
    }
    fn scratch(&self) -> S::Scratch {
        self.0.scratch()
    }
    fn expand(
        &self,
        state: &S::State,
        scratch: &mut S::Scratch,
        visit: &mut impl FnMut(Successor<S::Action>),
    ) {
        self.expand_due(state, Due { least: 0, most: u32::MAX }, scratch, visit);
    }
    fn expand_due(
        &self,
        state: &S::State,
        due: Due,
        scratch: &mut S::Scratch,
        visit: &mut impl FnMut(Successor<S::Action>),
    ) -> u32 {
        let mut word = self.key(state);
        for _ in 0..3000 {
            word = std::hint::black_box(word.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        }
        self.0.expand_due(state, due, scratch, visit)
    }
    fn child(&self, state: &S::State, action: S::Action, scratch: &mut S::Scratch) -> S::State {
        self.0.child(state, action, scratch)
    }
}

/// The answer does not depend on the number of threads, whether the search is through or not.
fn same_for_any_threads<S: Space<Action: PartialEq + std::fmt::Debug>>(name: &str, space: &S) {
    for nodes in [7, 300, 5_000, 40_000] {
        let answer = |threads| {
            let budget = Run::from(Limits { nodes: Some(nodes), threads, ..budget().limits });
            let Outcome { verdict, plan, cost, bound, effort } = astar(space, &budget.start());
            (verdict, plan, cost, bound, effort.expanded, effort.generated, effort.stopped)
        };
        let alone = answer(1);
        for threads in [2, 3, 8] {
            assert_eq!(answer(threads), alone, "{name}, {nodes} nodes, {threads} threads");
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        assert_eq!(pool.install(|| answer(2)), alone, "{name}, {nodes} nodes, in a pool");
    }
}

#[test]
fn any_number_of_threads() {
    for seed in 0..3 {
        let puzzle = Slow(Sliding::<4>::scrambled(seed, 60 + 100 * seed as u32));
        same_for_any_threads(&format!("puzzle {seed}"), &puzzle);
        let fleet = Slow(Fleet::<2>::random(seed, 12, 20));
        same_for_any_threads(&format!("fleet {seed}"), &fleet);
        let grid = Grid::random(seed, 12, 45);
        let hammers = Slow(Hammers { grid, hammers: 3, gifts: [3, 12, 14, 25] });
        same_for_any_threads(&format!("hammers {seed}"), &hammers);
        // Great costs, inconsistent bounds and keys that collide: states are opened again.
        let mut graph = Graph::random(seed, 3000, 5, true, 9);
        graph.keys = 2500;
        same_for_any_threads(&format!("graph {seed}"), &Slow(graph));
    }
}

#[test]
fn stopped_with_a_plan() {
    // The plan that is known when the nodes run out is replayed: cost and goal are right.
    let mut found = 0;
    for seed in 0..2000 {
        let graph = Graph::random(seed, 60, 5, true, 9);
        let few = Run::from(Limits { nodes: Some(4 + seed % 20), ..budget().limits });
        let outcome = astar(&graph, &few.start());
        if outcome.plan.is_some() {
            let cost = replay(&graph, &outcome);
            assert!(outcome.bound <= u64::from(graph.distance[0]));
            assert!(cost >= u64::from(graph.distance[0]));
            found += u32::from(outcome.verdict == Verdict::Found);
        }
    }
    assert!(found > 20, "{found}");
}

#[test]
fn progress_is_told() {
    let told = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let listener = told.clone();
    let limits = Limits { nodes: Some(3_000_000), ..budget().limits };
    let hear = Control::progress_listener(move |progress| {
        listener.lock().unwrap().push(progress.clone());
    });
    let budget = Run { control: Control::default().heard_by(hear), ..Run::from(limits) };
    astar(&Sliding::<4>::scrambled(2, 400), &budget.start());
    let told = told.lock().unwrap();
    assert!(told.windows(2).all(|pair| pair[0].bound <= pair[1].bound));
    assert!(told.iter().all(|progress| (0.0..=1.0).contains(&progress.fraction)));
}
