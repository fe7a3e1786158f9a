//! What the planner's searches rest on, against plain and slow ways to know the same.

mod analysis;
mod exact;
mod fess;
mod improve;
mod packing;
mod packing_order;
mod repacking;
mod turns;

use super::analysis::level::LevelAnalysis;
use super::analysis::push_distance::PushDistances;
use super::packing::plan_search::{ExitOrder, ExitRules, PlanOptions, THOROUGH};
use crate::board::ORTHOGONAL;
use crate::diagnostic::Source;
use crate::games::sokoban::board::Board;
use crate::games::sokoban::format::{Level, read_levels};
use crate::games::sokoban::rules::{Done, Game};
use crate::games::{Area, GameId, GenerateOptions, Objective};
use crate::search::{Limits, Run, Verdict};
use crate::verify::verify;
use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn levels(text: &str) -> Vec<Level> {
    read_levels(&Source::new("test.xsb", text)).unwrap_or_else(|e| panic!("{}", e.report(false)))
}

/// A budget that depends on nothing but expansions.
fn nodes(nodes: u64, threads: usize) -> Run {
    Run::from(Limits { nodes: Some(nodes), threads, ..Limits::seconds(600.0) })
}

/// What is known of a board before a search.
fn prepared(board: &Board) -> (LevelAnalysis, Arc<PushDistances>) {
    (LevelAnalysis::new(board), Arc::new(PushDistances::new(board)))
}

/// The levels of the project's own areas, by name.
fn own_areas() -> impl Iterator<Item = (String, Level)> {
    std::fs::read_dir(project("areas/sokoban")).expect("areas/sokoban").flatten().map(|entry| {
        let path = entry.path();
        let source = Source::read(&path).expect("a file");
        let level = read_levels(&source).expect("a level").remove(0);
        (path.file_stem().unwrap_or_default().to_string_lossy().into_owned(), level)
    })
}

/// The project's solution of one of its own areas.
fn own_solution(name: &str) -> Source {
    let path = project("solutions/sokoban").join(format!("{name}.plan"));
    Source::read(&path).expect("a solution")
}

const SMALL: &str = "\
####
# .#
#  ###
#*@  #
#  $ #
#  ###
####
; corridor
#########
#@ $ $..#
#########
; two rooms
  ####
###  ####
#     $ #
# #  #$ #
# . .#@ #
#########
; round the pillar
#######
#     #
# .#. #
# $ $ #
#  @  #
#######
";

/// Least pushes, or least moves, by breadth-first search through the reference rules.
fn brute_force(level: &Level, moves: bool) -> Option<u64> {
    let start = Game::new(level);
    let mut best: HashMap<String, u64> = HashMap::from([(start.board(), 0)]);
    let mut queue = VecDeque::from([(start, 0)]);
    let mut least: Option<u64> = None;
    while let Some((game, cost)) = queue.pop_front() {
        if best[&game.board()] < cost {
            continue;
        }
        if game.is_complete() {
            least = Some(least.map_or(cost, |l: u64| l.min(cost)));
            continue;
        }
        for direction in ORTHOGONAL {
            let mut next = game.clone();
            let Ok(done) = next.press(direction) else { continue };
            let cost = cost + u64::from(moves || done == Done::Pushed);
            let known = best.entry(next.board()).or_insert(u64::MAX);
            if cost < *known {
                *known = cost;
                // Walking costs nothing when pushes count: such children go first.
                if done == Done::Moved && !moves {
                    queue.push_front((next, cost));
                } else {
                    queue.push_back((next, cost));
                }
            }
        }
    }
    least
}

/// Levels for [`brute_force`], the random ones of `boxes` boxes; some have no solution.
fn small_levels(boxes: &str) -> Vec<Level> {
    let mut all = levels(SMALL);
    for seed in 0..40 {
        let mut options = GenerateOptions { seed, ..GenerateOptions::default() };
        for (name, value) in [("rows", "6"), ("cols", "7"), ("boxes", boxes), ("walls", "15")] {
            options.values.insert(name.into(), value.into());
        }
        if let Ok(made) = GameId::Sokoban.game().generate(&options) {
            let level = levels(&made.area).remove(0);
            // The same board with a box in a corner or at a wall more often cannot be solved.
            let turned: String =
                level.board().replace('.', "-").replace('$', ".").replace('-', "$");
            all.push(level);
            if let Ok(turned) = read_levels(&Source::new("turned", turned)) {
                all.extend(turned);
            }
        }
    }
    all
}

/// How to plan with much work.
fn thorough(exit_order: ExitOrder, rules: ExitRules) -> PlanOptions {
    PlanOptions { exit_order, rules, work: THOROUGH }
}

/// All rules for plans.
const RULES: [ExitRules; 4] =
    [ExitRules::STRICT, ExitRules::ASIDE, ExitRules::OPEN, ExitRules::EXACT];

/// One of them.
fn rules(seed: u64) -> ExitRules {
    RULES[seed as usize % RULES.len()]
}

#[test]
fn optima_are_those_of_brute_force_and_impossible_means_impossible() {
    let all = small_levels("2");
    let mut impossible = 0;
    for level in &all {
        for (aim, moves) in [("pushes", false), ("moves", true)] {
            let wanted = brute_force(level, moves);
            let objective = GameId::Sokoban.game().objective(Some(aim)).unwrap();
            let answer = level.solve(&objective, None, &nodes(2_000_000, 1));
            assert_eq!(answer.length, wanted, "{}\n{}", level.name, level.board());
            let verdict = if wanted.is_some() { Verdict::Optimal } else { Verdict::Impossible };
            assert_eq!(answer.verdict, verdict, "{}", level.board());
            impossible += usize::from(wanted.is_none());
            if let Some(plan) = answer.plan {
                verify(level, &Source::new("plan", plan)).expect("a valid plan");
            }
        }
        let answer = level.solve(&Objective::default(), None, &nodes(200_000, 1));
        match brute_force(level, false) {
            // Plain search, which takes levels with more targets than boxes, proves whatever it finds.
            Some(_) if level.targets.len() > level.boxes.len() => {
                assert_eq!(answer.verdict, Verdict::Optimal, "{}", level.board());
            }
            Some(_) => assert_eq!(answer.verdict, Verdict::Found, "{}", level.board()),
            None => assert!(answer.plan.is_none()),
        }
    }
    assert!(impossible > 4, "the test needs levels that cannot be solved");
}
