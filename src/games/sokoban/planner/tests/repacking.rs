//! Repacking, on chains of the generator.

use super::{levels, nodes};
use crate::games::sokoban::board::{Board, Push, State};
use crate::games::sokoban::generate::chain_without_plan;
use crate::games::sokoban::planner::pushes::Ended;
use crate::games::sokoban::planner::repacking;
use crate::games::{GameId, GenerateOptions};
use crate::search::crew::Crew;

/// Weight of the bound on the rest.
const WEIGHT: usize = 3;

/// A chain of `least` to `most` boxes; the seed chooses the form. Some chains have no plan.
fn chain(seed: u64, least: u64, most: u64) -> Option<Board> {
    let form = ["line", "ring", "spiral", "crossing"][seed as usize % 4];
    let boxes = least + seed / 4 % (most - least + 1);
    let (rooms, corners) = (seed % 3, (boxes / 4).saturating_sub(1 + seed / 4 % 2));
    let numbers = [("boxes", boxes), ("corners", corners), ("rooms", rooms)];
    let mut values = numbers.map(|(name, number)| (name, number.to_string())).to_vec();
    values.push(("form", form.to_string()));
    let text = chain_without_plan(&GenerateOptions::new(seed, values)).ok()?;
    Some(Board::new(&levels(&text)[0]))
}

/// Plays pushes; returns the number of boxes that are on no target after them.
fn misplaced_after(board: &Board, pushes: &[Push], seed: u64) -> usize {
    let mut state = State::new(board);
    for &push in pushes {
        assert!(state.may_push(push), "seed {seed}: {push:?}");
        state.push(push);
    }
    state.misplaced
}

/// Runs the search in turns. `turns` are the numbers of expansions, counted from the start, at which they end.
fn run(board: &Board, turns: &[u64], crew: &Crew) -> (Ended, (u64, u64)) {
    let clock = nodes(u64::MAX, 1).start();
    let mut search = repacking::search(board, WEIGHT).expect("few boxes are away");
    let mut ended = Ended::Exhausted;
    for &limit in turns {
        ended = search.run(&clock, limit, 1 << 30, crew);
        if !matches!(ended, Ended::Stopped(_)) {
            break;
        }
    }
    (ended, search.effort())
}

#[test]
fn what_it_finds_are_plans_and_it_claims_no_proof() {
    let (mut solved, mut missed) = (0, 0);
    for seed in 0..120 {
        let Some(board) = chain(seed, 4, 12).filter(repacking::is_for) else { continue };
        match run(&board, &[6000], &Crew::default()).0 {
            Ended::Solved(pushes) => {
                assert_eq!(misplaced_after(&board, &pushes, seed), 0, "seed {seed}");
                solved += 1;
            }
            Ended::Impossible => panic!("seed {seed}: it claims what it cannot know"),
            Ended::Exhausted | Ended::Stopped(_) => missed += 1,
        }
    }
    eprintln!("{solved} solved, {missed} missed");
    assert!(solved > 30 && missed > 3, "{solved} solved, {missed} missed");
}

#[test]
fn long_chains_fall_within_a_few_thousand_expansions() {
    let (mut solved, mut most) = (0, 0);
    for seed in 0..24 {
        let options = GenerateOptions::new(seed, [("family", "chain"), ("boxes", "32")]);
        let Ok(made) = GameId::Sokoban.game().generate(&options) else { continue };
        let board = Board::new(&levels(&made.area)[0]);
        let (ended, (expanded, _)) = run(&board, &[20_000], &Crew::default());
        if let Ended::Solved(pushes) = ended {
            assert_eq!(misplaced_after(&board, &pushes, seed), 0, "seed {seed}");
            solved += 1;
            most = most.max(expanded);
        }
    }
    eprintln!("{solved} solved, {most} expansions at most");
    assert!(solved > 10, "{solved}");
}

#[test]
fn short_turns_and_a_second_thread_come_to_the_same() {
    let mut compared = 0;
    for seed in 0..24 {
        let Some(board) = chain(seed, 16, 24).filter(repacking::is_for) else { continue };
        let text = |ended: &(Ended, (u64, u64))| format!("{ended:?}");
        let at_once = text(&run(&board, &[6000], &Crew::default()));
        let turns: Vec<u64> = (1..=200).map(|turn| turn * 31).chain([6000]).collect();
        let turns: Vec<u64> = turns.into_iter().filter(|&until| until <= 6000).collect();
        assert_eq!(text(&run(&board, &turns, &Crew::default())), at_once, "seed {seed}");
        let together = Crew::with_helper(|crew| text(&run(&board, &[6000], crew)));
        assert_eq!(together, at_once, "seed {seed}");
        compared += 1;
    }
    assert!(compared > 10, "{compared}");
}

#[test]
fn it_is_for_levels_where_few_of_many_boxes_are_away() {
    let is_for = |on_targets: usize, away: usize| {
        let (boxes, free) = ("*".repeat(on_targets) + &"$".repeat(away), ".".repeat(away));
        let wide = boxes.len() + free.len();
        let rim = "#".repeat(wide + 2);
        let hall = |first: char| format!("#{first}{}#", " ".repeat(wide - 1));
        let (above, below) = (hall('@'), hall(' '));
        let text = format!("{rim}\n{above}\n#{boxes}{free}#\n{below}\n{rim}\n");
        let board = Board::new(&levels(&text)[0]);
        let is_for = repacking::is_for(&board);
        assert_eq!(repacking::search(&board, WEIGHT).is_some(), is_for);
        is_for
    };
    let answers = [(1, 1), (2, 1), (3, 1), (7, 4), (8, 4), (16, 8), (30, 9), (5, 0)];
    let expected = [false, true, true, false, true, true, false, false];
    assert_eq!(answers.map(|(on_targets, away)| is_for(on_targets, away)), expected);
}
