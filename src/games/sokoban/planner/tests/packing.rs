//! Packing plans and the assignment of boxes to their steps.

use super::{RULES, levels, own_areas, thorough};
use crate::games::sokoban::board::Board;
use crate::games::sokoban::board::square_set::{has, put};
use crate::games::sokoban::format::Level;
use crate::games::sokoban::planner::analysis::level::LevelAnalysis;
use crate::games::sokoban::planner::packing::assignment::{Assignment, IndexSet, unmatched};
use crate::games::sokoban::planner::packing::plan_search::{ExitOrder, ExitRules};
use crate::games::sokoban::planner::packing::sinks::{Fit, Reaches, Sinks};
use crate::games::sokoban::planner::packing::{self, Packing};
use crate::games::{GameId, GenerateOptions};
use crate::search::{Deadline, Run};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Filled targets part the room below in two: a box pulled out of it to the left is none of those
/// that start on the right.
#[test]
fn boxes_leave_to_where_one_of_the_start_can_come() {
    let parted = "\
###########
# $  .    #
# $  .  $ #
#    .   @#
# $  .    #
###########
";
    let board = Board::new(&levels(parted)[0]);
    let analysis = LevelAnalysis::new(&board);
    let ways = Sinks::new(
        &board,
        &analysis,
        Fit::Late,
        &Reaches::new(&board, &analysis, &Deadline::default()),
    );
    let mut leaving = 0;
    for square in (0..board.squares()).filter(|&s| !ways.fits[s].is_empty()) {
        let is_left = |s: usize| board.shape.col(board.cells[s]) < 5;
        let mut others = ways.fits[square];
        for (i, &start) in board.boxes.iter().enumerate() {
            if is_left(start.into()) == is_left(square) {
                others.remove(i);
            }
        }
        assert!(others.is_empty(), "square {square}");
        leaving += 1;
    }
    // The whole left part, and where the box on the right starts.
    assert_eq!(leaving, 4 * 4 + 1);
}

/// By exact rules a plan has a step for each box from where it stands. Here the boxes on the left
/// can go to the corridor's end only before those on the right are in it.
#[test]
fn exact_plans_have_a_step_for_each_box() {
    let corridor = "\
##################
#    #####       #
# $  #####  $  $ #
# $@ .....       #
#    #####  $    #
#    #####       #
##################
";
    let mut all: Vec<(String, Level)> = own_areas().collect();
    all.push(("the corridor".into(), levels(corridor).remove(0)));
    let mut checked = 0;
    for (name, level) in all {
        let board = Board::new(&level);
        // Those on targets at the start may have to be out of the way first.
        if board.boxes.iter().any(|&s| board.is_target[s as usize]) {
            continue;
        }
        checked += 1;
        let analysis = LevelAnalysis::new(&board);
        for exit_order in [ExitOrder::Near, ExitOrder::Far, ExitOrder::Drawn(7)] {
            let options = thorough(exit_order, ExitRules::EXACT);
            let plan = packing::plan(&board, &analysis, options, &Run::default().start());
            let mut start = vec![0; analysis.words];
            board.boxes.iter().for_each(|&s| put(&mut start, s));
            let unmatched = plan.schedule(0, &start).unmatched;
            assert_eq!(unmatched, 0, "{name}: to the exit_order {exit_order:?}");
        }
    }
    assert!(checked > 10, "the test needs levels");
}

/// With the spare steps of a matching, one box more is counted as by matching all again.
#[test]
fn spare_steps_are_those_that_one_box_more_can_have() {
    let seed = 29;
    println!("seed {seed}");
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut placed = [0; 2];
    for _ in 0..2000 {
        let steps = random.random_range(1..10);
        let first = random.random_range(0..steps);
        let fits: Vec<IndexSet> = (0..12)
            .map(|_| {
                let mut fits = IndexSet::default();
                (0..steps).filter(|_| random.random_bool(0.3)).for_each(|step| fits.insert(step));
                fits
            })
            .collect();
        let mut open = IndexSet::default();
        (first..steps).for_each(|step| open.insert(step));
        let more = random.random_range(0..9);
        let boxes: Vec<u16> = (0..=more).collect();
        let others = Assignment::new(&boxes[..usize::from(more)], &fits, open);
        let fitting = fits[usize::from(more)].meets(&others.spare);
        let all = unmatched(&boxes, &fits, open);
        assert_eq!(all, others.unmatched + u32::from(!fitting), "{boxes:?} of {fits:?}");
        placed[usize::from(fitting)] += 1;
    }
    assert!(placed.iter().all(|&count| count > 100), "both must occur: {placed:?}");
}

/// A box on its target counts as a step done only with the player on the side from which the other
/// boxes can be brought.
#[test]
fn a_step_is_done_with_the_player_on_the_right_side() {
    let corridor = "\
###########
#   ###   #
#   ..  $ #
#   ### $ #
#   ###  @#
###########
";
    let board = Board::new(&levels(corridor).remove(0));
    let analysis = LevelAnalysis::new(&board);
    let plan = packing::plan(
        &board,
        &analysis,
        thorough(ExitOrder::Far, ExitRules::EXACT),
        &Run::default().start(),
    );
    let square = |row, col| board.square_of[board.shape.cell(row, col).index()];
    let mut bits = vec![0; analysis.words];
    put(&mut bits, square(2, 4));
    let (left, right) = (square(2, 1), square(2, 9));
    assert_eq!((plan.done(&bits, left), plan.done(&bits, right)), (0, 1));
    put(&mut bits, square(2, 5));
    assert_eq!((plan.done(&bits, left), plan.done(&bits, right)), (2, 2), "any side at the end");
    let (aside, before) = (square(1, 2), square(2, 6));
    assert!(has(&plan.basin[1], before) && !has(&plan.basin[1], aside));
}

/// Each step of a packing plan adds a box, or moves one that it has parked, and at the end every
/// target is filled. The player never stands on what is filled.
fn check_packing(board: &Board, plan: &Packing) {
    let count = |k: usize| plan.filled[k].iter().map(|word| word.count_ones()).sum::<u32>();
    let clear = |(side, filled): (&u64, &u64)| side & filled == 0 || *side == u64::MAX;
    for (k, (&to, &from)) in plan.to.iter().zip(&plan.from).enumerate() {
        assert!(plan.side[k].iter().zip(&plan.filled[k]).all(clear));
        assert!(has(&plan.filled[k + 1], to) && has(&plan.basin[k], to));
        assert_eq!(count(k + 1), count(k) + u32::from(from.is_none()));
        if let Some(from) = from {
            assert!(has(&plan.filled[k], from) && has(&plan.basin[k], from));
        }
    }
    let end = plan.to.len();
    assert!(board.targets.iter().all(|&target| has(&plan.filled[end], target)));
    assert_eq!(count(end) as usize, board.targets.len());
}

/// The project's own areas can all be solved, so they can be packed in some order; a generated one
/// may have a box that nothing tells from a deadlock, but the steps must hang together.
#[test]
fn packing_plans_are_found_and_hang_together() {
    let tastes = [ExitOrder::Near, ExitOrder::Far, ExitOrder::Drawn(1), ExitOrder::Drawn(2)];
    let mut complete = 0;
    let mut check = |level: &Level, name: &str, own: bool| {
        let board = Board::new(level);
        let analysis = LevelAnalysis::new(&board);
        for (exit_order, rules) in tastes.into_iter().zip(RULES) {
            let options = thorough(exit_order, rules);
            let plan = packing::plan(&board, &analysis, options, &Run::default().start());
            check_packing(&board, &plan);
            assert!(plan.complete || !own, "{name}: no packing plan by {options:?}");
            complete += usize::from(plan.complete);
        }
    };
    own_areas().for_each(|(name, level)| check(&level, &name, true));
    for seed in 0..20 {
        let options = GenerateOptions { seed, ..GenerateOptions::default() };
        let made = GameId::Sokoban.game().generate(&options).expect("a level");
        check(&levels(&made.area)[0], &format!("seed {seed}"), true);
    }
    assert!(complete > 180, "only {complete} plans are complete");
}
