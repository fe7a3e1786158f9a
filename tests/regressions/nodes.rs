//! A budget in nodes is held to on the largest boards, and so is what comes before the search.

use super::levels;
use outwit::games::sokoban::format::{Level, MAX_SIDE};
use outwit::games::{Area, GameId};
use outwit::search::{Limits, Run, StopReason, Verdict};
use rand::prelude::*;
use rand_chacha::ChaCha8Rng;

/// A board of the greatest size with this number of boxes and targets, and walls on this percentage of its
/// squares; boxes and targets stand where they can be pushed.
fn large(boxes: usize, walls: u32, seed: u64) -> Level {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut tiles = vec![vec![b'#'; MAX_SIDE]; MAX_SIDE];
    let inside = 1..MAX_SIDE - 1;
    for row in &mut tiles[inside.clone()] {
        for tile in &mut row[inside.clone()] {
            *tile = if random.random_range(0..100) < walls { b'#' } else { b' ' };
        }
    }
    let is_open = |&(row, col): &(usize, usize)| {
        let around = [(row, col), (row + 1, col), (row - 1, col), (row, col + 1), (row, col - 1)];
        around.iter().all(|&(row, col)| tiles[row][col] == b' ')
    };
    let cells = inside.clone().flat_map(|row| inside.clone().map(move |col| (row, col)));
    let mut open: Vec<(usize, usize)> = cells.filter(is_open).collect();
    open.shuffle(&mut random);
    for (i, &(row, col)) in open.iter().take(2 * boxes + 1).enumerate() {
        tiles[row][col] = if i == 0 { b'@' } else { [b'$', b'.'][i % 2] };
    }
    let text: Vec<String> =
        tiles.into_iter().map(|row| row.into_iter().map(char::from).collect()).collect();
    levels(&text.join("\n")).remove(0)
}

#[test]
fn a_small_budget_in_nodes_was_overspent_on_large_boards() {
    const SEED: u64 = 250;
    println!("seed {SEED}");
    for (boxes, walls, is_refused) in [(20, 0, false), (20, 25, false), (1200, 12, true)] {
        let level = large(boxes, walls, SEED);
        for (nodes, measure) in [(1, None), (10, None), (10, Some("pushes"))] {
            let budget =
                Run::from(Limits { nodes: Some(nodes), threads: 1, ..Limits::seconds(1e6) });
            let objective = GameId::Sokoban.game().objective(measure).unwrap();
            let answer = level.solve(&objective, None, &budget);
            let what = format!("{boxes} boxes, {walls} % walls, {nodes} nodes, {measure:?}");
            let effort = answer.effort;
            assert!(effort.expanded <= nodes, "{} expanded: {what}", effort.expanded);
            assert_eq!(is_refused, answer.notes.iter().any(|n| n.name == "too large"), "{what}");
            if answer.verdict == Verdict::Unknown {
                assert_eq!(effort.stopped, Some(StopReason::Nodes), "{what}");
            }
        }
    }
}
