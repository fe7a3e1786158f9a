//! The contract of turns: short turns come to the same plans, bounds and expansions as one long turn.

use super::{own_areas, own_solution, prepared};
use crate::games::sokoban::board::{Board, Push};
use crate::games::sokoban::lurd;
use crate::games::sokoban::planner::alone::SEARCHES;
use crate::games::sokoban::planner::analysis::Prepared;
use crate::games::sokoban::planner::exact::astar::AStarOverPushes;
use crate::games::sokoban::planner::exact::conflict_sets::ConflictSets;
use crate::games::sokoban::planner::improve::short_plans::ShortPlans;
use crate::games::sokoban::planner::improve::shortening::Shortening;
use crate::games::sokoban::planner::portfolio::members::{Entrant, members};
use crate::games::sokoban::planner::portfolio::opening::Place;
use crate::games::sokoban::planner::portfolio::packing_plan;
use crate::games::sokoban::planner::pushes::Measure;
use crate::games::sokoban::planner::tuning::{self, Tuning};
use crate::search::crew::Crew;
use crate::search::{Allowance, Ended, Known, Search, Spent};
use std::collections::BTreeMap;

/// Upper limit of the expansions of a search here.
const NODES: u64 = 20_000;
/// The same of A* on lists.
const NODES_OF_LISTS: u64 = 6000;
/// The same of the search for short plans, in expansions of windows: one of its steps may take 60 000.
const NODES_OF_PLANS: u64 = 400_000;
/// The same of a search that looks for any plan.
const NODES_OF_MEMBERS: u64 = 3000;

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
fn astar_on_lists_rests_between_two_rounds() {
    let mut most = 0;
    each_area(|name, level, plan| {
        for measure in [Measure::Pushes, Measure::Moves] {
            let cost = measure.cost(level.board, &plan).map_or(u64::MAX, u64::from);
            let known = Known { cost, ..Known::default() };
            let search = || AStarOverPushes::new(level, measure);
            most = most.max(compare(name, (known, NODES_OF_LISTS), search));
        }
    });
    assert!(most > 20, "{most}");
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
        let within_limit = || ShortPlans::within_limit(level, 1);
        most = most.max(compare(name, (known, NODES_OF_PLANS), within_limit));
        let alone = || ShortPlans::new(level, None, 1);
        most = most.max(compare(name, (Known::default(), NODES_OF_PLANS), alone));
    });
    assert!(most > 10, "{most} turns at most");
}

/// Lets a member of the portfolio play turns of `share` expansions each, in its own unit, until it has a plan
/// or is over: its plan, what it has spent, how it ended, and the number of its turns.
fn played_alone(entrant: &mut Entrant<'_>, share: u64) -> (Option<Vec<Push>>, Spent, Ended, u32) {
    let (clock, crew) = (&super::nodes(u64::MAX, 1).start(), &Crew::default());
    let mut search = entrant.search().expect("it has not begun");
    for round in 0.. {
        let (share, nodes) = (share.saturating_mul(u64::from(round) + 1), NODES_OF_MEMBERS);
        let allowance = Allowance { clock, round, share, nodes, memory: 1 << 30, crew };
        let turn = search.turn(Known::default(), &allowance);
        if turn.plan.is_some() || turn.ended != Ended::Resting {
            let plan = turn.plan.map(|(_, plan)| plan);
            return (plan, Spent { memory: 0, ..search.spent() }, turn.ended, round + 1);
        }
    }
    unreachable!("turns end when nothing is left to be spent")
}

/// The members of that name, or all that play where none is named, in the order of the portfolio.
fn entrants<'a>(level: Prepared<'a>, place: &'a Place, named: Option<&str>) -> Vec<Entrant<'a>> {
    let plan = packing_plan(level, &super::nodes(u64::MAX, 1).start());
    members(level, &plan, place, (1, named))
}

#[test]
fn members_of_the_portfolio_rest_where_they_can_go_on() {
    // Positions are handed over early, so that it happens here.
    let feature_space = tuning::FeatureSpace { first_turn: 40, finishing_turn: 80 };
    let tuning = Tuning { feature_space, ..Tuning::default() };
    let mut most: BTreeMap<String, u32> = BTreeMap::new();
    each_area(|name, level, _| {
        let level = Prepared { tuning: &tuning, ..level };
        for named in SEARCHES.iter().map(|search| Some(search.name)).chain([None]) {
            let (long, short) = (&Place::new(), &Place::new());
            let count = entrants(level, long, named).len();
            for number in 0..count {
                let (plan, spent, ended, _) =
                    played_alone(&mut entrants(level, long, named)[number], u64::MAX);
                for share in [1, 300] {
                    let entrant = &mut entrants(level, short, named)[number];
                    let (same_plan, same_spent, same_end, turns) = played_alone(entrant, share);
                    let same = (same_plan, same_spent, same_end);
                    let what = format!("{name}: {}, turns of {share}", entrant.name);
                    assert_eq!(same, (plan.clone(), spent, ended), "{what}");
                    let key = format!("{} {}", entrant.name, named.is_some());
                    most.entry(key).and_modify(|most| *most = turns.max(*most)).or_insert(turns);
                }
            }
        }
    });
    eprintln!("most turns: {most:?}");
    assert!(most.len() > 9 && most.values().all(|&turns| turns > 20), "{most:?}");
}
