//! The planners: a portfolio of searches by default, exact A* where a shortest plan is asked for.
//!
//! What was tried on XSokoban's levels and how it did (levels solved, one thread; the table comes
//! from `benches/sokoban_levels.rs`):
//!
//! - feature-space search with a packing order and freeze deadlocks: 51 of 90 at 2 s each;
//! - a portfolio of its styles with corral searches and learned patterns: 58 at 5 s;
//! - corral searches that take a box off the board when it leaves, instead of stopping there;
//!   hotspots counted as often as they block a box; an advisor that clears the way of the plan's
//!   next step; weights compared finely by the first members: 66 at 3 s;
//! - handing the best positions to best-first search ([`fess::finish`]) and searches without a packing
//!   order ([`packing::any_order`]): a few more each, 72 at 10 s;
//! - corral searches on a board of their own, of few squares as bits ([`deadlock::corral_search`]): they had taken
//!   two thirds of the time; 67 to 70 at 3 s;
//! - deadlocks learned from positions that best-first search proves dead, and boxes in the way of the
//!   next step as a feature: 72 to 76 at 10 s;
//! - packing plans from a feature-space search of their own ([`packing::plan_search`]), of which one taste parks
//!   boxes and the other lets them out early: 71 to 73 at 3 s;
//! - seven members in place of ten, one of which weighs advised moves too: 78 to 80 at 10 s. The first
//!   alone solves 74 at 2 s, but the others solve other levels;
//! - best-first search by the matching bound: quick on small crowded levels, and it proves what
//!   has no solution;
//! - best-first search along a packing plan ([`packing::progress`]) and backward search ([`backward`]): none of
//!   XSokoban's that resisted, but 16, 18, 19, 26 and 37 of Sasquatch I and 99 of Microban IV; about
//!   a tenth of the time at 10 s;
//! - searches begun anew from positions that were reached, with new packing plans ([`fess::restarts`]), in
//!   place of three members with fixed plans and two whose plans and styles were drawn by lot, always
//!   from the start: XSokoban 80 to 82 at 10 s, Sasquatch I 34 to 36; 16, 23 and 52 had resisted a
//!   minute of all others;
//! - PI-corrals played first in feature-space search too ([`fess`]), rooms parted by filled targets
//!   ([`packing::sinks`]) and three of four new plans looked for with a tenth of the work: XSokoban 82 to
//!   84 at 10 s, Sasquatch I 36 to 40. What led there was to let best-first search judge the best
//!   positions of a search that stalls: nearly all were dead, and each kind of proof was a hint;
//! - packing plans by exact rules ([`packing::plan_search`]), positions forgotten after a while ([`fess::restarts`]),
//!   and no more positions for those that begin anew from the first member: its plan is another, by
//!   which they look better than all others, so that most searches began there: XSokoban's 23 in 4
//!   CPU seconds for 36, Sasquatch I's 33 in 3 where 120 had not sufficed, though XSokoban's 10 takes
//!   more than 10 again;
//! - lots drawn by what had come to solutions, only plans that come to their end ([`fess::restarts`]), and
//!   what stays counted once while a box is lifted ([`fess::stationary`], a tenth of the time): XSokoban 86 to
//!   89 at 60 s with two threads, Sasquatch I 44 to 46 (48 had never been solved). Which of the
//!   hardest levels fall is luck. Where the members do not tell each other the deadlocks that they
//!   learn, they solve the same six of XSokoban's seven hardest;
//! - plans that know on which side of what is filled the player is ([`packing`]), and pushes of the
//!   boxes that stay counted once ([`fess::mobility`], with the rest of that change a seventh of the time):
//!   with one thread at 10 s XSokoban 83 to 84, Sasquatch I 40 to 41; at 60 s with two threads
//!   XSokoban 89 as before, Sasquatch I 45 for 46;
//! - a third of a second for backward search in the first round where it had had a twentieth, half of
//!   it begun anew in one style after the other ([`backward::restarts`]): of 21 levels of Sasquatch II that
//!   resisted 8 s, 20 s solve 7 for 4, each of the 4 sooner; Sasquatch I's 33 in 7 CPU s for 115;
//! - four rounds in place of one to double what the members may spend, those that share nothing a
//!   round ahead of the others ([`portfolio::scheduler`]): no thread waits any more, which took a tenth of the time
//!   at 60 s, and a search that solves in the middle of a long turn does not wait for others. With two
//!   threads XSokoban's 23 in 16 CPU s for 111 and 66 in 23 for 41, 84 to 86 at 10 s;
//! - positions of backward searches as goals of forward searches ([`backward::waypoints`]): a few more of
//!   Sasquatch II and III. With both Sasquatch I 45 to 46 at 60 s with two threads (48 in 38 CPU s),
//!   though with one thread at 10 s it is 38 for 40: 38, 45 and 46 come in 10 to 13;
//! - a box out of plan counted like steps that are not done, in the first member twice and in half of
//!   those that begin anew once or twice ([`fess`]): a step that takes from a later one the last box
//!   that could do it is no progress. XSokoban 84 to 86 and Sasquatch I 38 to 40 at 10 s with one
//!   thread; at 60 s with two XSokoban's 69 in 3 CPU s for 67 and Sasquatch I 46 to 48: 30, 34 and
//!   43, which nothing had solved before, in 20 to 40, but not 48;
//! - one list for each number of boxes away in place of one for all ([`pushes::best_first`]), and three times
//!   as long turns for that search: with one thread at 10 s Sasquatch I 40 to 41, XSokoban 86 as
//!   before.
//!
//! What did not pay: comparing boxes out of plan before packed steps, as the FESS paper does (of
//! twenty levels that had resisted, none was solved by it and most got less far); twenty-four random
//! orders and styles of 800 expansions from the start on each level that resists (2 of 25 solved);
//! longer turns for the first member; an advisor that pushes boxes away from around the one that
//! blocks most others, the paper's opener (the first member alone 72 to 70 at 1.5 s); obstacles of
//! the next step weighed by what stands around them rather than counted (all members 76 to 72 at
//! 3 s, though 39 came); the price of the next step's way without what its own box costs (the first
//! member 73 to 72 at 1.5 s); a weight for advised moves too; a third member that begins anew (80 at
//! 10 s, about what other seeds make);
//! best-first search, along a plan or not, with the bound alone or at 5 or 20 times the cost (none
//! of 23, 31, 50, 66, 69 and 89 at 5 s); corral searches that begin with 25 positions and get four
//! times as many when the same start comes up again (82 to 80 at 10 s).
//!
//! What did not pay in those that begin anew, alone on 20 levels that resist, 4 s, three seeds (16 of
//! 60 without any of it): boxes only to targets or as far as they can be pushed, in half of the
//! searches fewer levels, in all of them none; positions left aside after four searches without a
//! solution, 15; positions left aside whose new plan lets a box leave that fits none of the start's,
//! 11 to 18 with fewer and shorter searches from the start, which is what another seed makes too.
//! Alone on nine levels, 8 s, four seeds of one member (10 of 36 without any of it): steps of the plan
//! that count as done only where all other boxes still find one, 7, though with it the first member
//! alone solves 69; best positions handed to best-first search every 400 expansions, 6; plans with
//! three times as much work as now, 5 of 28 for 6.
//!
//! On 29 levels that resist, 12 s, with the sides of plans: positions compared by the sum of steps
//! left and boxes out of plan before all, in half of the searches, 42 of 87 as without; searches that
//! end when nothing improves for 400 to 1600 expansions in place of fixed lengths, 12 of 29 for 17;
//! three eighths of the boxes left alone in each position, drawn by lot, 32 of 58 for 31, half of the
//! searches so 15 of 29 for 17; six times as many expansions for positions handed over, 3 of 9 for 5.
//!
//! For the first member alone, 2 s: exact plans in place of the strictest, XSokoban 76 to 73,
//! Sasquatch I 27 to 29; plans without steps for parked boxes, on levels that resist, got less far.
//!
//! Exact search, on the 155 levels of Microban I with 10 seconds each: 152 were proven by the
//! matching bound and PI-corrals, 154 are with poses, conflicts of pairs and symmetry: 93 needs
//! about 9. The one that is left, 144, has sixteen boxes and a bound far below its length.
//!
//! Shortening, on 72 plans of XSokoban's levels that had 20 444 pushes together: 18 128 after ten
//! CPU seconds each (`benches/sokoban_improve.rs`); YASS's plans of these have 19 082.

pub mod analysis;
pub mod backward;
pub mod bound;
pub mod deadlock;
pub mod fess;
pub mod improve;
pub mod lurd;
pub mod packing;
mod portfolio;
pub mod pushes;

use super::board::{Board, Push};
use super::format::{Level, read_keys};
use crate::board::Direction;
use crate::diagnostic::Source;
use crate::games::{Aim, Answer, Fact};
use crate::search::{Budget, Clock, Effort, Stop, Verdict};
use analysis::level::LevelAnalysis;
use analysis::push_distance::PushDistances;
use bound::conflicts::Conflicts;
use bound::matching::Matching;
use pushes::best_first::{BestFirst, Ended, Measure, Weights};
use std::sync::Arc;
use std::time::Duration;

/// Solves a level: with least pushes or moves where the aim says so, else with any plan.
pub fn solve(level: &Level, aim: &Aim, budget: &Budget) -> Answer {
    let clock = budget.start();
    let answer = solve_until(level, aim, &clock);
    let effort = Effort { elapsed: clock.elapsed(), ..answer.effort };
    Answer { effort, ..answer }
}

fn solve_until(level: &Level, aim: &Aim, clock: &Clock<'_>) -> Answer {
    let board = Board::new(level);
    if !board.balanced() {
        return answer(&board, Verdict::Impossible, None, Effort::default(), Vec::new());
    }
    if let Some(refusal) = refuse(&board, clock.budget) {
        return refusal;
    }
    let analysis = LevelAnalysis::new(&board);
    let distances = Arc::new(PushDistances::new(&board));
    let bound = least_pushes(&board, &distances);
    let budget = &Budget { time: left_for_search(clock), ..clock.budget.clone() };
    let known = || aim.known.as_ref().and_then(|plan| read_pushes(&board, plan));
    match (aim.optimal.as_deref(), bound) {
        (_, None) => answer(&board, Verdict::Impossible, None, Effort::default(), Vec::new()),
        (Some("moves"), _) => exact(&board, &analysis, &distances, Measure::Moves, known(), budget),
        (Some(_), _) => exact(&board, &analysis, &distances, Measure::Pushes, known(), budget),
        (None, Some(bound)) => {
            let answer = portfolio::solve(&board, &analysis, &distances, budget);
            let bound = if answer.verdict == Verdict::Impossible { 0 } else { bound };
            Answer { bound, ..answer }
        }
    }
}

/// Part of the time that may be set aside for what follows a search.
const ASIDE: u32 = 50;

/// What is left of the time for searches after a level was looked over. Spelling the plan and giving
/// the memory back are set aside: both take about as long as looking the level over, which is nothing
/// to speak of but on boards of thousands of squares.
fn left_for_search(clock: &Clock<'_>) -> Duration {
    clock.left().saturating_sub(clock.elapsed().min(clock.budget.time / ASIDE))
}

/// What the start's bound says: no plan has fewer pushes, or moves; `None` where there is none.
fn least_pushes(board: &Board, distances: &PushDistances) -> Option<u64> {
    let mut start = Vec::new();
    distances.read(board, &board.boxes, board.player, &mut start);
    let matched = Matching::default().place(distances, &start)?;
    Some(u64::from(matched + Conflicts::new(board, distances).place(distances, &start)))
}

/// Bytes that a planner's tables of distances take for a square and a target.
const PAIR_BYTES: usize = 6;
/// Bytes that the working boards of all searches take for a square; measured, it is 1000 to 1200 on
/// boards of ten thousand squares and more.
const SQUARE_BYTES: usize = 1200;
/// Such pairs that are measured in a second; it takes half of that on the machines we know.
const PAIRS_A_SECOND: f64 = 4e6;

/// Whether a board is too large to be planned for at all: its distances and the boards that searches
/// work on would take more than half of the memory, or the distances all of the time. Says which, and
/// what it would take.
fn too_large(board: &Board, budget: &Budget) -> Option<(Stop, String)> {
    let (squares, targets) = (board.squares(), board.targets.len());
    let pairs = squares * targets;
    let bytes = pairs * PAIR_BYTES + squares * SQUARE_BYTES;
    let seconds = pairs as f64 / PAIRS_A_SECOND;
    let what = format!("{squares} squares with {targets} targets");
    if bytes > budget.memory / 2 {
        let mebibytes = (bytes * 2).div_ceil(1 << 20);
        Some((Stop::Memory, format!("{what} ask for --memory {mebibytes} or more")))
    } else if seconds > budget.time.as_secs_f64() {
        Some((Stop::Time, format!("{what} ask for --time {:.0} or more", seconds.ceil())))
    } else {
        None
    }
}

/// The answer where a board is too large.
fn refuse(board: &Board, budget: &Budget) -> Option<Answer> {
    let (stop, why) = too_large(board, budget)?;
    let effort = Effort { stopped: Some(stop), ..Effort::default() };
    let notes = vec![Fact::new("too large", why)];
    Some(answer(board, Verdict::Unknown, None, effort, notes))
}

/// The pushes of a plan that is given as LURD.
fn read_pushes(board: &Board, plan: &str) -> Option<Vec<Push>> {
    let keys = read_keys(&Source::new("plan", plan)).ok()?;
    let keys: Vec<Direction> = keys.iter().map(|key| key.direction).collect();
    lurd::read_pushes(board, &keys)
}

/// Expansions of exact search before it is worth while to have a plan to beat.
const QUICK: u64 = 20_000;
/// One part in so many of what is left goes into finding that plan, and the same into shortening it.
const SHARE: u32 = 8;

/// A plan of least pushes or moves; where the budget does not suffice for a proof, a short one.
fn exact(
    board: &Board,
    analysis: &LevelAnalysis,
    distances: &Arc<PushDistances>,
    measure: Measure,
    known: Option<Vec<Push>>,
    budget: &Budget,
) -> Answer {
    let clock = budget.start();
    let allowed = budget.nodes.unwrap_or(u64::MAX);
    let mut known = known.and_then(|pushes| Some((cost(board, &pushes, measure)?, pushes)));
    let mut search = BestFirst::new(board, analysis, (measure, Weights::EXACT), distances.clone());
    let mut effort = Effort::default();
    if let Some((cost, _)) = &known {
        search.beat(*cost);
    }
    let mut ended = search.run(&clock, allowed.min(QUICK), budget.memory);
    if matches!(ended, Ended::Stopped(Stop::Nodes, _)) && allowed > QUICK {
        let share = Budget {
            time: clock.left() / SHARE,
            nodes: budget.nodes.map(|nodes| nodes / u64::from(SHARE)),
            memory: budget.memory.saturating_sub(search.memory()) / 2,
            ..budget.clone()
        };
        let (found, spent) = short_plan(board, analysis, distances, measure, known.take(), &share);
        effort = spent;
        known = found;
        if let Some((cost, _)) = &known {
            search.beat(*cost);
        }
        ended = search.run(&clock, allowed.saturating_sub(effort.expanded), budget.memory);
    }
    effort.expanded += search.expansions;
    effort.generated += search.generated;
    effort.elapsed = clock.elapsed();
    effort.memory = effort.memory.max(search.memory());
    let (verdict, pushes, bound) = match (ended, known) {
        (Ended::Solved(pushes), _) => (Verdict::Optimal, Some(pushes), None),
        (Ended::Impossible, Some((_, pushes))) => (Verdict::Optimal, Some(pushes), None),
        (Ended::Impossible, None) => (Verdict::Impossible, None, None),
        (Ended::Stopped(stop, bound), known) => {
            effort.stopped = Some(stop);
            let verdict = known.as_ref().map_or(Verdict::Unknown, |_| Verdict::Found);
            (verdict, known.map(|(_, pushes)| pushes), Some(bound))
        }
    };
    let length = pushes.as_ref().and_then(|pushes| cost(board, pushes, measure)).map(u64::from);
    let name = if measure == Measure::Moves { "moves" } else { "pushes" };
    let notes = vec![Fact::new("measure", name)];
    let answer = answer(board, verdict, pushes, effort, notes);
    Answer { length, bound: bound.or(length).unwrap_or(0), ..answer }
}

/// Any plan, made as short as part of a budget allows; at least as short as the one known.
fn short_plan(
    board: &Board,
    analysis: &LevelAnalysis,
    distances: &Arc<PushDistances>,
    measure: Measure,
    known: Option<(u32, Vec<Push>)>,
    share: &Budget,
) -> (Option<(u32, Vec<Push>)>, Effort) {
    let (pushes, mut effort) = match known {
        Some((_, pushes)) => (Some(pushes), Effort::default()),
        None => {
            let answer = portfolio::solve(board, analysis, distances, share);
            (answer.plan.and_then(|plan| read_pushes(board, &plan)), answer.effort)
        }
    };
    let Some(pushes) = pushes else { return (None, effort) };
    let (pushes, looked) = improve::improve(board, distances, pushes, measure, &share.start());
    effort.expanded += looked;
    (cost(board, &pushes, measure).map(|cost| (cost, pushes)), effort)
}

/// Pushes or moves of a plan; `None` where it is none.
fn cost(board: &Board, pushes: &[Push], measure: Measure) -> Option<u32> {
    let moves = lurd::keys(board, pushes)?.len();
    Some(if measure == Measure::Moves { moves } else { pushes.len() } as u32)
}

/// Shortens a plan.
pub fn shorten(level: &Level, plan: &str, aim: &Aim, budget: &Budget) -> Answer {
    let clock = budget.start();
    let board = Board::new(level);
    if let Some(refusal) = refuse(&board, budget) {
        return refusal;
    }
    let Some(pushes) = read_pushes(&board, plan) else {
        return answer(&board, Verdict::Unknown, None, Effort::default(), Vec::new());
    };
    let distances = PushDistances::new(&board);
    let bound = least_pushes(&board, &distances).unwrap_or(0);
    let measure = match aim.optimal.as_deref() {
        Some("moves") => Measure::Moves,
        _ => Measure::Pushes,
    };
    let left = Budget { time: left_for_search(&clock), ..budget.clone() };
    let left = left.start();
    let (pushes, expanded) = improve::improve(&board, &distances, pushes, measure, &left);
    let stopped = left.should_stop(expanded, 0);
    let effort = Effort { expanded, stopped, ..Effort::default() };
    let answer = answer(&board, Verdict::Found, Some(pushes), effort, Vec::new());
    let effort = Effort { elapsed: clock.elapsed(), ..answer.effort };
    Answer { bound, effort, ..answer }
}

/// Spells pushes as keys.
fn answer(
    board: &Board,
    verdict: Verdict,
    pushes: Option<Vec<Push>>,
    effort: Effort,
    notes: Vec<Fact>,
) -> Answer {
    let length = pushes.as_ref().map(|pushes| pushes.len() as u64);
    let plan = pushes.and_then(|pushes| lurd::keys(board, &pushes)).map(|plan| plan + "\n");
    Answer { verdict, plan, length, bound: 0, effort, notes }
}
