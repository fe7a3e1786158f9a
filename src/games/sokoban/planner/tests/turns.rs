//! The contract of turns, for the searches that shorten and prove: short turns come to the same plans,
//! bounds and expansions as one long turn.

use super::{own_areas, own_solution, prepared};
use crate::games::sokoban::board::{Board, Push};
use crate::games::sokoban::lurd;
use crate::games::sokoban::planner::analysis::Prepared;
use crate::games::sokoban::planner::exact::conflict_sets::ConflictSets;
use crate::games::sokoban::planner::improve::short_plans::ShortPlans;
use crate::games::sokoban::planner::improve::shortening::Shortening;
use crate::games::sokoban::planner::pushes::Measure;
use crate::games::sokoban::planner::tuning::Tuning;
use crate::search::crew::Crew;
use crate::search::{Allowance, Ended, Known, Search};

/// Upper limit of the expansions of a search here.
const NODES: u64 = 20_000;
/// The same of the search for short plans, in expansions of windows: one of its steps may take 60 000.
const NODES_OF_PLANS: u64 = 400_000;

/// What a search has come to after all its turns.
#[derive(Debug, PartialEq)]
struct Came {
    plan: Option<Vec<Push>>,
    bound: u64,
    expanded: u64,
    ended: Ended,
}

/// Lets a search play turns of `share` expansions each, in its own unit, until it has nothing more to
/// say; with what it has come to comes the number of turns.
fn played(
    mut search: impl Search<Plan = Vec<Push>>,
    mut known: Known,
    (share, nodes): (u64, u64),
) -> (Came, u32) {
    let (clock, crew) = (&super::nodes(u64::MAX, 1).start(), &Crew::default());
    let (mut plan, mut turns, mut until) = (None, 0, 0u64);
    loop {
        if until < nodes && !search.may_go_on(until) {
            until = until.saturating_add(share).min(nodes);
            continue;
        }
        let memory = 1 << 30;
        let allowance = Allowance { clock, round: turns, share: until, nodes, memory, crew };
        let turn = search.turn(known, &allowance);
        turns += 1;
        let (has_plan, expanded) = (turn.plan.is_some(), search.spent().expanded);
        if let Some((cost, better)) = turn.plan {
            assert!(cost <= known.cost, "a plan that is worse");
            (known.cost, plan) = (cost, Some(better));
        }
        known.bound = known.bound.max(turn.bound);
        if turn.ended != Ended::Resting {
            let Known { bound, .. } = known;
            return (Came { plan, bound, expanded, ended: turn.ended }, turns);
        }
        assert!(has_plan || !search.may_go_on(until), "a turn that rests too soon");
    }
}

/// Compares turns of several lengths with one long turn; the most turns that were played.
fn compare<S: Search<Plan = Vec<Push>>>(
    name: &str,
    (known, nodes): (Known, u64),
    search: impl Fn() -> S,
) -> u32 {
    let (long, _) = played(search(), known, (u64::MAX, nodes));
    let short = [1, nodes / 10].map(|share| {
        let (short, turns) = played(search(), known, (share, nodes));
        assert_eq!(short, long, "{name}: turns of {share} expansions");
        turns
    });
    short.into_iter().max().unwrap_or(0)
}

/// Calls back with the levels of some of the project's own areas and a plan of each.
fn each_area(mut check: impl FnMut(&str, Prepared<'_>, Vec<Push>)) {
    for (name, level) in own_areas().filter(|(name, _)| name.ends_with('2')) {
        let board = Board::new(&level);
        let (analysis, distances) = prepared(&board);
        let level = Prepared {
            board: &board,
            analysis: &analysis,
            distances: &distances,
            tuning: &Tuning::default(),
        };
        let plan = own_solution(&name);
        if let Some(plan) = lurd::read(&board, &plan.text) {
            check(&name, level, plan);
        }
    }
}

#[test]
fn conflict_sets_rest_between_the_searches_of_two_sets() {
    let mut most = 0;
    each_area(|name, level, _| {
        let search = || ConflictSets::new(level).expect("it has a plan");
        most = most.max(compare(name, (Known::default(), NODES), search));
    });
    assert!(most > 20, "{most} turns at most");
}

#[test]
fn windows_rest_between_two_batches() {
    let mut most = 0;
    each_area(|name, level, plan| {
        for measure in [Measure::Pushes, Measure::Moves] {
            let cost = measure.cost(level.board, &plan).expect("a plan").into();
            let search = || Shortening::new(level, plan.clone(), measure).expect("a plan");
            most = most.max(compare(name, (Known { cost, bound: 0 }, NODES), search));
        }
    });
    assert!(most > 20, "{most} turns at most");
}

#[test]
fn short_plans_rest_between_two_tries() {
    let mut most = 0;
    each_area(|name, level, plan| {
        if level.board.boxes.len() != 4 {
            return;
        }
        let known = Known { cost: plan.len() as u64, bound: 0 };
        let begun = || Shortening::of_pushes(level, plan.clone());
        let beside = || ShortPlans::new(level, begun(), 1);
        most = most.max(compare(name, (known, NODES_OF_PLANS), beside));
        let alone = || ShortPlans::new(level, None, 1);
        most = most.max(compare(name, (Known::default(), NODES_OF_PLANS), alone));
    });
    assert!(most > 10, "{most} turns at most");
}
