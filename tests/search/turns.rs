//! The contract of turns: short turns come to the same plans, bounds and expansions as one long turn.

use super::cost_of;
use super::spaces::{Graph, Grid, Sliding};
use outwit::search::astar::AStar;
use outwit::search::beam::{Beam, Widening};
use outwit::search::breadth_first::BreadthFirst;
use outwit::search::crew::Crew;
use outwit::search::cyclic::Cyclic;
use outwit::search::portfolio::anytime::Anytime;
use outwit::search::portfolio::round::Seat;
use outwit::search::{Allowance, Ended, Known, Limits, Search, Space};
use std::fmt::Debug;
use std::sync::Mutex;

/// Upper limit of the expansions of a search here.
const NODES: u64 = 30_000;

/// What a search has come to after all its turns.
#[derive(Debug, PartialEq)]
struct Came {
    cost: u64,
    bound: u64,
    expanded: u64,
    is_proven: bool,
}

/// Lets a search play turns of `share` expansions each until it has nothing more to say.
fn played<S: Space<Action: PartialEq + Debug>>(
    space: &S,
    mut search: impl Search<Plan = Vec<S::Action>>,
    share: u64,
) -> (Came, u32) {
    let clock = Limits { threads: 1, ..Limits::seconds(1000.0) }.start();
    let (mut known, mut turns) = (Known::default(), 0);
    loop {
        let allowance = Allowance {
            clock: &clock,
            round: turns,
            share: search.spent().expanded.saturating_add(share).min(NODES),
            nodes: NODES,
            memory: 1 << 30,
            crew: &Crew::default(),
        };
        let before = search.spent().expanded;
        let turn = search.turn(known, &allowance);
        turns += 1;
        let has_plan = turn.plan.is_some();
        if let Some((cost, plan)) = turn.plan {
            assert_eq!(cost_of(space, &plan), cost, "the plan costs what is said");
            assert!(cost < known.cost, "a plan that is no better");
            known.cost = cost;
        }
        known.bound = known.bound.max(turn.bound.min(known.cost));
        let expanded = search.spent().expanded;
        let is_over = turn.ended != Ended::Resting || expanded >= NODES;
        if is_over {
            let is_proven = turn.ended == Ended::Proven;
            let Known { cost, bound } = known;
            return (Came { cost, bound, expanded, is_proven }, turns);
        }
        assert!(has_plan || expanded > before, "a turn without an expansion");
    }
}

/// Compares turns of several lengths with one long turn; the most turns that were played.
fn compare<S: Space<Action: PartialEq + Debug>, X: Search<Plan = Vec<S::Action>>>(
    space: &S,
    search: impl Fn() -> X,
) -> u32 {
    let (long, _) = played(space, search(), u64::MAX);
    let short = [1, 7, 100, 1000].map(|share| {
        let (short, turns) = played(space, search(), share);
        assert_eq!(short, long, "turns of {share} expansions");
        turns
    });
    short.into_iter().max().unwrap_or(0)
}

/// Compares A*, breadth-first search, beams that get wider, and cyclic search on a space.
fn compare_all<S: Space<Action: PartialEq + Debug>>(space: &S) -> [u32; 4] {
    let clock = Limits { threads: 1, ..Limits::seconds(1000.0) }.start();
    [
        compare(space, || AStar::new(space, clock.clone(), u64::MAX)),
        compare(space, || BreadthFirst::new(space)),
        compare(space, || Widening::new(space, &Beam::new(4))),
        compare(space, || Cyclic::new(space, 1, 3)),
    ]
}

#[test]
fn short_turns_come_to_what_one_long_turn_does() {
    let mut most = [0; 4];
    let mut note = |turns: [u32; 4]| (0..4).for_each(|at| most[at] = turns[at].max(most[at]));
    for seed in 0..12 {
        note(compare_all(&Graph::random(seed, 300, 3, seed % 2 == 0, 9)));
        note(compare_all(&Grid::random(seed, 24, 30)));
        note(compare_all(&Sliding::<3>::scrambled(seed, 60)));
    }
    assert!(most.iter().all(|&turns| turns > 3), "{most:?} turns at most");
}

#[test]
fn astar_hears_of_plans_that_others_have_found() {
    let space = Sliding::<3>::scrambled(2, 400);
    let clock = Limits { threads: 1, ..Limits::seconds(1000.0) }.start();
    let (alone, _) = played(&space, AStar::new(&space, clock.clone(), u64::MAX), u64::MAX);
    let mut search = AStar::new(&space, clock.clone(), u64::MAX);
    let crew = &Crew::default();
    let allowance =
        Allowance { clock: &clock, round: 0, share: 5, nodes: NODES, memory: 1 << 30, crew };
    let first = search.turn(Known::default(), &allowance);
    assert_eq!((first.plan, first.ended), (None, Ended::Resting));
    // That the best plan is found elsewhere leaves its proof.
    let known = Known { cost: alone.cost, bound: 0 };
    let last = search.turn(known, &Allowance { share: NODES, ..allowance });
    assert_eq!((last.plan, last.bound, last.ended), (None, alone.cost, Ended::Proven));
}

/// A plan, its cost, and all expansions.
type Proven<S> = (Option<Vec<<S as Space>::Action>>, u64, u64);

/// Lets A* and beams that get wider play rounds at once on `threads` threads until a plan is proven to be
/// the shortest. With the answer come the costs of the plans that were let out.
fn rounds<S: Space<Action: Send + Sync>>(space: &S, threads: usize) -> (Proven<S>, Vec<u64>) {
    let clock = Limits { threads: 1, ..Limits::seconds(1000.0) }.start();
    let told = Mutex::new(Vec::new());
    let found = |_: &[S::Action], cost: u64| told.lock().expect("no panic").push(cost);
    let mut desk = Anytime::new(clock.clone(), Known::default(), &found);
    let mut astar = AStar::new(space, clock.clone(), u64::MAX);
    let mut beams = Widening::new(space, &Beam::new(4));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
    for round in 1.. {
        let share = round * 50;
        let (nodes, memory) = (u64::MAX, 1 << 30);
        let seat =
            |search, goes_on| Seat { search, clock: clock.clone(), share, nodes, memory, goes_on };
        let mut seats = [seat(&mut beams, true), seat(&mut astar, false)];
        pool.install(|| desk.play_round(&mut seats, false));
        if desk.is_settled() {
            break;
        }
    }
    let (bound, outcome) = (desk.known().bound, desk.outcome());
    assert_eq!((outcome.cost, outcome.bound), (bound, bound));
    let told = told.into_inner().expect("no panic");
    ((outcome.plan, outcome.cost, outcome.effort.expanded), told)
}

#[test]
fn rounds_come_to_the_same_on_any_number_of_threads() {
    let mut most = 0;
    for seed in 0..8 {
        let space = Sliding::<3>::scrambled(seed, 80);
        let (alone, told) = rounds(&space, 1);
        assert_eq!(told.last(), Some(&alone.1), "the best plan is let out");
        assert!(told.is_sorted_by(|before, after| before > after), "{told:?}: each is better");
        most = most.max(told.len());
        for threads in [2, 3] {
            assert_eq!(rounds(&space, threads).0, alone, "seed {seed}, {threads} threads");
        }
    }
    assert!(most > 1, "no search has found a better plan");
}
