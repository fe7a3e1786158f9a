//! Sokoban's exact search and what it rests on, against plain and slow ways to know the same.

use super::own_areas;
use crate::board::ORTHOGONAL;
use crate::diagnostic::Source;
use crate::games::sokoban::board::region::Flood;
use crate::games::sokoban::board::samples::made;
use crate::games::sokoban::board::{Board, Push, Square, State};
use crate::games::sokoban::format::{Level, read_levels};
use crate::games::sokoban::planner::analysis::Prepared;
use crate::games::sokoban::planner::analysis::push_distance::{PullDistances, PushDistances};
use crate::games::sokoban::planner::backward::restarts::BackwardRestarts;
use crate::games::sokoban::planner::backward::waypoints::Allowance;
use crate::games::sokoban::planner::backward::{Backward, Style};
use crate::games::sokoban::planner::bound::LowerBound;
use crate::games::sokoban::planner::bound::conflicts::Conflicts;
use crate::games::sokoban::planner::bound::matching::Matching;
use crate::games::sokoban::planner::exact::conflict_sets::ConflictSets;
use crate::games::sokoban::planner::fess::restarts::FessRestarts;
use crate::games::sokoban::planner::improve::short_plans::ShortPlans;
use crate::games::sokoban::planner::pushes::Ended;
use crate::games::sokoban::planner::tuning::{AStar, Tuning};
use crate::games::sokoban::rules::{Done, Game};
use crate::games::{Area, GameId, GenerateOptions, Objective};
use crate::search::crew::Crew;
use crate::search::{self, Known, Limits, Run, Search, Settings, StopReason, Turn, Verdict};
use crate::verify::verify;
use ahash::AHashSet;
use std::collections::{HashMap, VecDeque};
use std::path::Path;
use std::sync::Arc;

fn levels(text: &str) -> Vec<Level> {
    read_levels(&Source::new("test.xsb", text)).unwrap_or_else(|e| panic!("{}", e.report(false)))
}

fn nodes(nodes: u64) -> Run {
    Run::from(Limits { nodes: Some(nodes), threads: 1, ..Limits::seconds(600.0) })
}

/// More than a search in single pulls has done with in three hundred positions.
const CROWDED: &str = "\
#################
#   #   #   #   #
# $ . $ . $ . $ #
##  #   #   #  ##
# . $ .@# . $ . #
#   # $   $ #   #
# $ . $ . $ . $ #
#  .#   .   #   #
#################
";

/// Boards whose parts look alike, passages, and boxes in each other's way.
const TRICKY: &str = "\
#########
#   #   #
# $ . $ #
## .@. ##
# $ . $ #
#   #   #
#########
; one passage, boxes in a line
##########
#  @ $$ ##
## #######
#      ..#
##########
; a target in the only way
########
#   #  #
# $ . .#
# $@#  #
########
; two rooms, one door
#########
#   #   #
# $ # . #
# $   . #
#  @#   #
#########
; packing a dead end
##########
#@ $ $   #
#  $  ####
#   ###
#   #
#...#
#####
";

/// Every position that can be reached, with its children; positions are boxes in order and the
/// least square of the player's region.
struct Everything {
    positions: Vec<(Vec<Square>, Square)>,
    children: Vec<Vec<usize>>,
}

/// All positions of a level by breadth-first search over pushes; `None` past `most`.
fn everything(board: &Board, most: usize) -> Option<Everything> {
    let mut flood = Flood::new(&board.layout);
    let mut region = |state: &State<'_>| {
        flood.fill(&state.occupied, state.player);
        flood.least()
    };
    let start = State::new(board);
    let first = (start.boxes(), region(&start));
    let mut known = HashMap::from([(first.clone(), 0)]);
    let mut all = Everything { positions: vec![first], children: Vec::new() };
    let mut walks = Flood::new(&board.layout);
    while all.children.len() < all.positions.len() {
        let (boxes, player) = all.positions[all.children.len()].clone();
        let state = State::at(board, &boxes, player);
        let mut pushes = Vec::new();
        state.pushes(&mut walks, &mut pushes);
        let mut children = Vec::new();
        for push in pushes {
            let mut child = state.clone();
            child.push(push);
            let child = (child.boxes(), region(&child));
            let number = all.positions.len();
            let number = *known.entry(child.clone()).or_insert(number);
            if number == all.positions.len() {
                all.positions.push(child);
            }
            children.push(number);
        }
        all.children.push(children);
        if all.positions.len() > most {
            return None;
        }
    }
    Some(all)
}

/// Least pushes from each position to a solved one.
fn distances(board: &Board, all: &Everything) -> Vec<Option<u32>> {
    let mut parents = vec![Vec::new(); all.positions.len()];
    for (parent, children) in all.children.iter().enumerate() {
        children.iter().for_each(|&child| parents[child].push(parent));
    }
    let solved = |i: &usize| all.positions[*i].0.iter().all(|&s| board.is_target[s as usize]);
    let mut queue: Vec<usize> = (0..all.positions.len()).filter(solved).collect();
    let mut least = vec![None; all.positions.len()];
    queue.iter().for_each(|&i| least[i] = Some(0));
    let mut head = 0;
    while let Some(&i) = queue.get(head) {
        head += 1;
        for &parent in &parents[i] {
            if least[parent].is_none() {
                least[parent] = least[i].map(|pushes| pushes + 1);
                queue.push(parent);
            }
        }
    }
    least
}

/// The level in one of the eight ways to turn and mirror it.
fn turned(level: &Level, turn: u32) -> Level {
    let text = level.board();
    let width = text.lines().map(str::len).max().unwrap_or(0);
    let mut rows: Vec<Vec<char>> =
        text.lines().map(|line| format!("{line:width$}").chars().collect()).collect();
    if turn & 1 != 0 {
        rows.reverse();
    }
    if turn & 2 != 0 {
        rows.iter_mut().for_each(|row| row.reverse());
    }
    if turn & 4 != 0 {
        rows = (0..width).map(|c| rows.iter().map(|row| row[c]).collect()).collect();
    }
    let text: Vec<String> = rows.iter().map(|row| row.iter().collect()).collect();
    levels(&(text.join("\n") + "\n")).remove(0)
}

fn optimum(level: &Level, measure: &str) -> (Verdict, Option<u64>) {
    optimum_of(level, measure, &nodes(3_000_000))
}

fn optimum_of(level: &Level, measure: &str, run: &Run) -> (Verdict, Option<u64>) {
    let aim = sokoban(measure);
    let answer = level.solve(&aim, None, run);
    if let Some(plan) = answer.plan {
        let plan = verify(level, &Source::new("plan", plan)).expect("a valid plan");
        assert_eq!(Some(plan.length(sokoban(measure).measure)), answer.length);
    }
    (answer.verdict, answer.length)
}

/// A proof in a measure.
fn sokoban(measure: &str) -> Objective {
    GameId::Sokoban.game().objective(Some(measure)).unwrap()
}

fn small_levels() -> Vec<Level> {
    let mut all = levels(TRICKY);
    all.extend((0..30).filter_map(|seed| made(seed, 7, 8, 2 + seed as u32 % 3, 20)));
    all
}

#[test]
fn the_bound_never_exceeds_what_breadth_first_search_finds() {
    let (mut positions, mut dead, mut clashes, mut raised) = (0, 0, 0, 0);
    for level in small_levels() {
        let board = Board::new(&level);
        let Some(all) = everything(&board, 60_000) else { continue };
        let least = distances(&board, &all);
        let poses = PushDistances::new(&board);
        let mut matching = Matching::<i64>::default();
        let mut conflicts = Conflicts::new(&board, &poses);
        let mut lower_bound = LowerBound::new(&board, &poses);
        for ((boxes, player), least) in all.positions.iter().zip(least) {
            let boxes: Vec<u32> = boxes.iter().map(|&s| poses.of(&board, s, *player)).collect();
            let matched = matching.place(&poses, boxes.iter().copied());
            positions += 1;
            match (matched, least) {
                (Some(matched), Some(least)) => {
                    let more = conflicts.place(&poses, &boxes);
                    clashes += usize::from(more > 0);
                    assert!(matched + more <= least, "{}\n{boxes:?}", level.board());
                    // Looked at again and again it may rise, but never above the truth.
                    let mut bound = lower_bound.place(&poses, &boxes).expect("it has a matching");
                    assert_eq!(bound, matched + more);
                    loop {
                        let before = bound;
                        bound = lower_bound.raised(&poses, &boxes, bound);
                        assert!(
                            bound <= least,
                            "{bound} for {least}, {}\n{boxes:?}",
                            level.board()
                        );
                        if bound == before {
                            break;
                        }
                        raised += 1;
                    }
                }
                (None, Some(_)) => panic!("solvable, says the search\n{}", level.board()),
                (_, None) => dead += 1,
            }
        }
    }
    let count = format!("{positions} positions, {dead} dead, {clashes} clash, {raised} raised");
    assert!(positions > 10_000 && dead > 100 && clashes > 100 && raised > 50, "{count}");
}

/// The least pushes by breadth-first search over the reference rules, walks first; `None` where
/// there is too much to look at, or no plan.
pub(super) fn least_pushes(game: Game, most: usize) -> Option<u64> {
    let mut queue = VecDeque::from([game]);
    let mut seen = AHashSet::new();
    while let Some(game) = queue.pop_front() {
        if game.is_complete() {
            return Some(game.pushes());
        }
        if seen.len() > most {
            return None;
        }
        if !seen.insert((game.player(), game.boxes().clone())) {
            continue;
        }
        for direction in ORTHOGONAL {
            let mut next = game.clone();
            match next.press(direction) {
                Ok(Done::Pushed) => queue.push_back(next),
                Ok(Done::Moved) => queue.push_front(next),
                Err(_) => {}
            }
        }
    }
    None
}

/// Plays one turn of a search, for plans below `cost`, with at most `nodes` expansions in all and `memory` bytes held.
fn one_turn(
    search: &mut impl Search<Plan = Vec<Push>>,
    cost: u64,
    (nodes, memory): (u64, usize),
) -> Turn<Vec<Push>> {
    let (clock, crew) = (&self::nodes(u64::MAX).start(), &Crew::default());
    let allowance = search::Allowance { clock, round: 0, share: nodes, nodes, memory, crew };
    search.turn(Known { cost, bound: 0 }, &allowance)
}

#[test]
fn no_plan_has_fewer_pushes_than_conflict_sets_say() {
    let (mut checked, mut pairs, mut larger, mut met) = (0, 0, 0, 0);
    for seed in 0..400 {
        let Some(level) = made(seed, 6, 7, 3 + seed as u32 % 2, 14) else { continue };
        let Some(least) = least_pushes(Game::new(&level), 15_000) else { continue };
        let board = Board::new(&level);
        let (analysis, distances) = super::prepared(&board);
        // Studies are so short that there are many.
        let astar = AStar { study: 50, study_pause: 0, ..AStar::default() };
        let tuning = &Tuning { astar, ..Tuning::default() };
        let prepared =
            Prepared { board: &board, analysis: &analysis, distances: &distances, tuning };
        let mut sets = ConflictSets::new(prepared).expect("it has a plan");
        let ended = one_turn(&mut sets, u64::MAX, (u64::MAX, usize::MAX)).ended;
        assert_eq!(ended, search::Ended::Exhausted, "seed {seed}");
        let (bound, sizes) = (u64::from(sets.bound()), sets.sizes());
        assert!(bound <= least, "seed {seed}: {bound} for {least}, {sizes:?}\n{}", level.board());
        checked += 1;
        pairs += sizes.iter().filter(|&&size| size == 2).count();
        larger += sizes.iter().filter(|&&size| size > 2).count();
        met += usize::from(!sizes.is_empty() && bound == least);
    }
    let count = format!("{checked} levels, {pairs} pairs, {larger} larger sets, {met} met");
    assert!(checked > 100 && pairs > 10 && larger > 3 && met > 10, "{count}");
}

/// Budgets with which A*, the search for conflict sets and their studies learn from each other in turns of `turn` expansions,
/// with so little effort that many sets are searched again and again.
fn in_turns(limits: Limits, turn: u64) -> Run {
    let numbers = GameId::Sokoban.game().settings();
    let mut settings = Settings::default();
    for setting in [
        "astar.alone=1",
        &format!("astar.first_turn={turn}"),
        &format!("astar.longest_turn={turn}"),
        "astar.study=50",
        "astar.study_pause=0",
        "conflict_sets.first_limit=100",
    ] {
        settings.set(&numbers, setting).expect("a number of the planner");
    }
    Run { settings, ..Run::from(limits) }
}

#[test]
fn searches_that_share_all_they_learn_prove_what_plain_search_finds() {
    let run = in_turns(nodes(3_000_000).limits, 40);
    let mut checked = 0;
    for seed in 0..450 {
        let Some(level) = made(seed, 6, 7, 3 + seed as u32 % 3, 14) else { continue };
        let Some(least) = least_pushes(Game::new(&level), 15_000) else { continue };
        let proven = optimum_of(&level, "pushes", &run);
        assert_eq!(proven, (Verdict::Optimal, Some(least)), "seed {seed}\n{}", level.board());
        checked += 1;
    }
    assert!(checked > 200, "{checked} levels");
}

/// The searches of a round that play at the same time share nothing. On these areas two searches that did would come to other
/// numbers of expansions from run to run.
#[test]
fn what_searches_teach_each_other_does_not_depend_on_threads() {
    for name in ["chain-line-8-1-0-1", "chain-ring-16-0-2-4", "chain-spiral-12-0-1-5"] {
        let (_, level) = own_areas().find(|(area, _)| area == name).expect("an area");
        let answers = [1, 2, 3, 2].map(|threads| {
            let limits = Limits { threads, ..nodes(20_000).limits };
            let answer = level.solve(&sokoban("pushes"), None, &in_turns(limits, 1000));
            let spent = |name: &str| {
                let search = answer.searches.iter().find(|search| search.name == name);
                search.map(|search| search.expanded)
            };
            let spent = ["astar", "conflict-sets", "short-plans"].map(spent);
            assert!(spent.iter().all(Option::is_some), "{name}: {spent:?}");
            (answer.verdict, answer.plan.clone(), answer.bound, spent)
        });
        assert!(answers.iter().all(|answer| *answer == answers[0]), "{name}: {answers:?}");
    }
}

#[test]
fn feature_space_search_finds_plans_within_a_limit_and_only_such() {
    let (mut within, mut none, mut shortened) = (0, 0, 0);
    for seed in 0..200 {
        let Some(level) = made(seed, 6, 7, 3 + seed as u32 % 2, 14) else { continue };
        let Some(least) = least_pushes(Game::new(&level), 15_000) else { continue };
        let least = least as u32;
        let board = Board::new(&level);
        let (analysis, distances) = super::prepared(&board);
        let prepared = Prepared {
            board: &board,
            analysis: &analysis,
            distances: &distances,
            tuning: &Tuning::default(),
        };
        let budget = nodes(u64::MAX);
        for limit in [least.saturating_sub(2), least, least + 4] {
            let mut search = FessRestarts::new(prepared, seed);
            search.limit(limit);
            match search.run(&budget.start(), (3000, u64::MAX), usize::MAX) {
                Ended::Solved(pushes) => {
                    check_solved(&board, &pushes);
                    let range = least as usize..=limit as usize;
                    assert!(range.contains(&pushes.len()), "seed {seed}: {}", pushes.len());
                    within += 1;
                }
                _ => none += 1,
            }
        }
        // From nothing to a short plan, in one turn or in many.
        let begun = || ShortPlans::new(prepared, None, seed);
        let within_limit = || ShortPlans::within_limit(prepared, seed);
        let plans = [(1, begun()), (7, begun()), (7, within_limit())].map(|(turns, mut plans)| {
            let mut best: Option<Vec<Push>> = None;
            for turn in 1..=turns {
                let nodes = turn * 28_000 / turns;
                loop {
                    let known = best.as_ref().map_or(u64::MAX, |best| best.len() as u64);
                    let turn = one_turn(&mut plans, known, (nodes, usize::MAX));
                    let Some((_, plan)) = turn.plan else { break };
                    best = Some(plan);
                }
                let expanded = plans.spent().expanded;
                assert!(expanded <= nodes, "seed {seed}: {expanded} expanded");
            }
            best.unwrap_or_else(|| panic!("seed {seed}: none\n{}", level.board()))
        });
        for pushes in &plans {
            check_solved(&board, pushes);
            assert!(pushes.len() >= least as usize, "seed {seed}: {}", pushes.len());
            shortened += usize::from(pushes.len() == least as usize);
        }
    }
    let count = format!("{within} within, {none} not found, {shortened} shortest");
    println!("{count}");
    assert!(within > 100 && none > 40 && shortened > 100, "{count}");
}

#[test]
fn the_search_for_conflict_sets_ends_without_room() {
    let board = Board::new(&levels(CROWDED)[0]);
    let (analysis, distances) = super::prepared(&board);
    let prepared = Prepared {
        board: &board,
        analysis: &analysis,
        distances: &distances,
        tuning: &Tuning::default(),
    };
    let mut sets = ConflictSets::new(prepared).expect("it has a matching");
    let ended = one_turn(&mut sets, u64::MAX, (u64::MAX, 1000)).ended;
    assert_eq!((ended, sets.spent().expanded), (search::Ended::Exhausted, 0));
}

#[test]
fn optima_are_those_of_breadth_first_search() {
    let mut all = small_levels();
    let own = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("areas/sokoban"));
    for entry in own.expect("areas/sokoban").flatten() {
        all.extend(read_levels(&Source::read(&entry.path()).expect("a file")).expect("levels"));
    }
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/levels/microban_155.xsb");
    match Source::read(&shared) {
        Ok(source) => all.extend(read_levels(&source).expect("levels")),
        Err(_) => eprintln!("{} is not there: its levels are left out", shared.display()),
    }
    let mut checked = 0;
    for level in all {
        let board = Board::new(&level);
        let Some(all) = everything(&board, 12_000) else { continue };
        let wanted = distances(&board, &all)[0].map(u64::from);
        let verdict = wanted.map_or(Verdict::Impossible, |_| Verdict::Optimal);
        assert_eq!(optimum(&level, "pushes"), (verdict, wanted), "{}", level.board());
        checked += 1;
    }
    assert!(checked >= 20, "{checked} levels checked");
}

fn back_poses(board: &Board) -> Arc<PullDistances> {
    Arc::new(PullDistances::new(Arc::new(PushDistances::new(board))))
}

#[test]
fn backward_search_solves_what_can_be_solved_and_nothing_else() {
    let (mut solved, mut impossible, mut lot) = (0, 0, 0);
    for level in small_levels() {
        let mut board = Board::new(&level);
        let Some(all) = everything(&board, 20_000) else { continue };
        let least = distances(&board, &all);
        for i in (0..all.positions.len()).step_by(all.positions.len().div_ceil(5)) {
            let (boxes, player) = all.positions[i].clone();
            board.boxes = boxes;
            board.player = player;
            let poses = back_poses(&board);
            let (budget, most) = (nodes(u64::MAX), (u64::MAX, u64::MAX));
            lot += 1;
            let ended = if u64::is_multiple_of(lot, 2) {
                let mut search = Backward::new(&board, poses, Style::default());
                search.run(&budget.start(), most, usize::MAX)
            } else {
                let mut search = BackwardRestarts::new(&board, poses, lot);
                search.run(&budget.start(), most, usize::MAX)
            };
            match ended {
                Ended::Solved(pushes) => {
                    assert!(least[i].is_some(), "it cannot be solved");
                    check_solved(&board, &pushes);
                    solved += 1;
                }
                Ended::Impossible => {
                    assert!(least[i].is_none(), "it can be solved");
                    impossible += 1;
                }
                Ended::Exhausted => panic!("exhausted"),
                Ended::Stopped(stop) => panic!("stopped: {stop}"),
            }
        }
    }
    assert!(solved > 40 && impossible > 40, "{solved} solved, {impossible} impossible");
}

#[test]
fn backward_search_begins_in_any_number_of_regions() {
    let row = |first: usize| -> String {
        (0..25).map(|c| if (c + first).is_multiple_of(2) { '*' } else { ' ' }).collect()
    };
    let mut rows: Vec<String> = (0..25).map(|r| format!("#{}#\n", row(r))).collect();
    rows[23] = rows[23].replacen("* ", "*@", 1);
    let wall = "#".repeat(27) + "\n";
    let board = Board::new(&levels(&(wall.clone() + &rows.concat() + &wall))[0]);
    let poses = back_poses(&board);
    let mut search = Backward::new(&board, poses, Style::default());
    let ended = search.run(&nodes(u64::MAX).start(), (u64::MAX, u64::MAX), usize::MAX);
    assert!(matches!(ended, Ended::Solved(pushes) if pushes.is_empty()));
}

#[test]
fn backward_search_begun_anew_ends_at_its_limits() {
    let level = &levels(CROWDED)[0];
    let board = Board::new(level);
    let new = || BackwardRestarts::new(&board, back_poses(&board), 1);
    let budget = nodes(u64::MAX);
    // No room for a single position.
    let ended = new().run(&budget.start(), (u64::MAX, u64::MAX), 1000);
    assert!(matches!(ended, Ended::Stopped(StopReason::Memory)), "{ended:?}");
    // In pieces it does what it does at once.
    let mut whole = new();
    let ended = whole.run(&budget.start(), (u64::MAX, 300), usize::MAX);
    assert!(matches!(ended, Ended::Stopped(StopReason::Nodes)), "{ended:?}");
    let mut pieces = new();
    for most in [50, 150, 300] {
        let ended = pieces.run(&budget.start(), (u64::MAX, most), usize::MAX);
        assert!(matches!(ended, Ended::Stopped(StopReason::Nodes)), "{ended:?}");
        assert!(pieces.effort().1 < most + 4 * board.boxes.len() as u64 + 1);
    }
    assert_eq!(whole.effort(), pieces.effort());
    let ended = new().run(&budget.start(), (10, u64::MAX), usize::MAX);
    assert!(matches!(ended, Ended::Stopped(StopReason::Nodes)), "{ended:?}");
}

/// Panics unless the pushes can be done from the start and solve the level.
#[test]
fn waypoints_lead_from_the_start_to_the_end() {
    let (mut tried, mut solved, mut long) = (0, 0, 0);
    for (seed, level) in (0..).zip(small_levels()) {
        let board = Board::new(&level);
        let poses = back_poses(&board);
        let mut search = Backward::new(&board, poses.clone(), Style::default());
        let budget = nodes(u64::MAX);
        let most = (u64::MAX, 30);
        if !matches!(
            search.run(&budget.start(), most, usize::MAX),
            Ended::Stopped(StopReason::Nodes)
        ) {
            continue;
        }
        for waypoint in search.waypoints(4, seed) {
            for few in [1, 7] {
                let mut spent = (0, 0);
                let limits = Allowance { nodes: few, memory: usize::MAX };
                waypoint.solve(&board, &poses, &budget.start(), limits, &mut spent);
                assert!(spent.0 <= few, "{} expansions for {few}", spent.0);
            }
            let mut spent = (0, 0);
            let limits = Allowance { nodes: 100_000, memory: usize::MAX };
            let way = waypoint.solve(&board, &poses, &budget.start(), limits, &mut spent);
            tried += 1;
            assert!(spent.0 <= limits.nodes, "{} expansions", spent.0);
            let Some(pushes) = way else { continue };
            check_solved(&board, &pushes);
            solved += 1;
            long += usize::from(spent.0 > 10);
        }
    }
    assert!(tried > 40 && solved > 40 && long > 2, "{tried}: {solved} solved, {long} not at once");
}

pub(super) fn check_solved(board: &Board, pushes: &[Push]) {
    let (mut flood, mut can) = (Flood::new(&board.layout), Vec::new());
    let mut state = State::new(board);
    for push in pushes {
        state.pushes(&mut flood, &mut can);
        assert!(can.contains(push), "{push:?} cannot be done");
        state.push(*push);
    }
    assert!(state.boxes().iter().all(|&s| board.is_target[s as usize]));
}

#[test]
fn a_level_costs_the_same_however_it_is_turned() {
    for (seed, boxes) in [(1, 3), (2, 4), (3, 3)] {
        let level = made(seed, 7, 8, boxes, 15).expect("a level");
        for measure in ["pushes", "moves"] {
            let plain = optimum(&level, measure);
            assert_eq!(plain.0, Verdict::Optimal);
            for turn in 1..8 {
                assert_eq!(optimum(&turned(&level, turn), measure), plain, "turned by {turn}");
            }
        }
        for turn in 0..8 {
            let answer = turned(&level, turn).solve(&Objective::default(), None, &nodes(100_000));
            assert_eq!(answer.verdict, Verdict::Found, "turned by {turn}");
        }
    }
}

#[test]
fn shortening_ends_at_the_optimum_of_small_levels_in_either_measure() {
    let mut optimal = 0;
    for seed in 0..12 {
        let mut options = GenerateOptions { seed, ..GenerateOptions::default() };
        for (name, value) in [("rows", "7"), ("cols", "8"), ("boxes", "3")] {
            options.values.insert(name.into(), value.into());
        }
        let made = GameId::Sokoban.game().generate(&options).expect("a level");
        let level = &levels(&made.area)[0];
        let before = verify(level, &Source::new("made", made.plan.as_str())).expect("valid");
        for measure in ["pushes", "moves"] {
            let aim = sokoban(measure);
            let plans = [1, 2, 3].map(|threads| {
                let budget = Run::from(Limits { threads, ..nodes(200_000).limits });
                level.improve(&made.plan, &aim, &budget).plan.expect("a plan")
            });
            assert!(plans.iter().all(|plan| *plan == plans[0]), "threads made a difference");
            let after = verify(level, &Source::new("improved", plans[0].as_str())).expect("valid");
            assert!(after.length(aim.measure) <= before.length(aim.measure));
            let (_, least) = optimum(level, measure);
            optimal += usize::from(Some(after.length(aim.measure)) == least);
        }
    }
    assert!(optimal >= 20, "{optimal} of 24");
}

#[test]
fn a_plan_that_is_known_is_proven_or_beaten() {
    let level = &levels("#######\n#@ $ .#\n#     #\n#######\n")[0];
    let answer = level.solve(&sokoban("pushes"), Some("rRR"), &nodes(1000));
    assert_eq!((answer.verdict, answer.length), (Verdict::Optimal, Some(2)));
    let answer = level.solve(&sokoban("moves"), Some("drurRR"), &nodes(1000));
    assert_eq!((answer.verdict, answer.length), (Verdict::Optimal, Some(3)));
}
