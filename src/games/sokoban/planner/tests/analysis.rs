//! The rooms and passages of a level.

use super::levels;
use crate::games::sokoban::board::region::Occupied;
use crate::games::sokoban::board::{Board, Square};
use crate::games::sokoban::planner::analysis::level::LevelAnalysis;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeSet;

/// Rooms that no longer hang together through their passages, by growing sets of rooms.
fn links_broken(board: &Board, analysis: &LevelAnalysis, occupied: &[bool]) -> usize {
    let squares = 0..board.squares();
    let mut broken = 0;
    for passage in 0..analysis.passages() as u16 {
        let within: Vec<usize> =
            squares.clone().filter(|&s| analysis.passage[s] == passage).collect();
        if !within.iter().any(|&s| occupied[s]) {
            continue;
        }
        let rooms_at = |s: usize| {
            let rooms = board.next[s].map(|next| analysis.room.get(next as usize).copied());
            rooms.into_iter().flatten().filter(|&room| (room as usize) < analysis.rooms)
        };
        let mut left: BTreeSet<u16> = within.iter().flat_map(|&s| rooms_at(s)).collect();
        let mut groups = 0;
        while let Some(first) = left.pop_first() {
            groups += 1;
            let mut rooms = BTreeSet::from([first]);
            let mut free: BTreeSet<usize> = BTreeSet::new();
            loop {
                let touches = |&&s: &&usize| {
                    !occupied[s]
                        && (rooms_at(s).any(|room| rooms.contains(&room))
                            || board.next[s].iter().any(|&next| free.contains(&(next as usize))))
                };
                let grown: BTreeSet<usize> = within.iter().filter(touches).copied().collect();
                if grown == free {
                    break;
                }
                rooms.extend(grown.iter().flat_map(|&s| rooms_at(s)));
                free = grown;
            }
            left.retain(|room| !rooms.contains(room));
        }
        broken += groups.max(1) - 1;
    }
    broken
}

#[test]
fn broken_links_are_counted_as_defined() {
    let seed = 20;
    println!("seed {seed}");
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let level = &levels(
        "############\n#@  ###   .#\n#   $     .#\n#   # #   ##\n## ## #  ###\n#  #  #  #\n#        ##\n\
         #### #####.#\n#    ###   #\n#  $    $  #\n#    # #   #\n############\n",
    )[0];
    let board = Board::new(level);
    let analysis = LevelAnalysis::new(&board);
    assert!(analysis.rooms > 3 && analysis.passages() > 0);
    let mut seen = BTreeSet::new();
    for _ in 0..2000 {
        let mut occupied = Occupied::new(&board.layout);
        for _ in 0..random.random_range(0..12) {
            occupied.set(random.random_range(0..board.squares() as Square), true);
        }
        let broken = analysis.broken_links(&board, &occupied, &mut Vec::new());
        assert_eq!(broken as usize, links_broken(&board, &analysis, &occupied));
        seen.insert(broken);
    }
    assert!(seen.len() > 2, "{seen:?}");
}
