//! Packing orders, and the walk along them.

use super::{levels, nodes, own_areas, project};
use crate::diagnostic::Source;
use crate::games::Objective;
use crate::games::planning::Task;
use crate::games::sokoban::board::derived::{DerivedBoard, Image};
use crate::games::sokoban::board::region::Flood;
use crate::games::sokoban::board::{Board, Push, State};
use crate::games::sokoban::format::{Level, read_levels};
use crate::games::sokoban::planner::alone;
use crate::games::sokoban::planner::packing_order::guide::Guide;
use crate::games::sokoban::planner::packing_order::level::terrain::Terrain;
use crate::games::sokoban::planner::packing_order::order::{self, Phases};
use crate::games::sokoban::planner::packing_order::walk::{Rules, Walk, Walked};
use std::collections::HashMap;

/// Squares that the search for an order may look at in these tests.
const WORK: u64 = 40_000_000;
/// Levels of the table whose order takes longer than that.
const LONG_ORDERS: usize = 2;

/// Rooms of our own, a hall with boxes before each.
const ROOMS: &str = "\
; a corridor
#################
#@      #########
# $ $   #########
#       #########
#  $ $   .....###
#       #########
# $     #########
#       #########
#################

; two rows behind a door
####################
#@        ##########
# $ $ $   ##########
#         ####....##
#  $ $         ...##
#         ####    ##
# $ $     ####    ##
#         ##########
####################

; a bag
##################
#@      ###    ###
# $ $   ### .. ###
#       ### .. ###
#  $ $      .. ###
#       ###    ###
# $ $   ###    ###
#       ##########
##################

; a stair
##################
#@      ##########
# $ $   ###   ...#
#       ###   .. #
#  $ $        .  #
#       ###      #
# $ $   ###   ####
#       ##########
##################

; a wide gate
#######################
#@            ####..###
# $ $ $ $ $   ####..###
#                 ..###
#  $ $ $ $ $      ..###
#                 ..###
# $ $ $ $     ####..###
#             ####..###
#######################

; a comb
#####################
#@          ##.#.#.##
# $ $ $ $   ##.#.#.##
#                   #
#  $ $ $ $          #
#           ##.#.#.##
# $ $ $ $   ##.#.#.##
#           #########
#####################

; a deep cellar
##################
#@      ###  #####
# $ $   ###  .####
#       ###  .####
#  $ $       .####
#       ###  .####
# $     ###  .####
#       ###  #####
##################

; a target in the door
##################
#@      ####  ####
# $ $   ###    ###
#       ###.   ###
#  $     . .   ###
#       ###.   ###
# $     ###    ###
#       ####  ####
##################

; a bar across the door
#######################
#@          ###     ###
# $ $ $ $   ###     ###
#           ###.... ###
#  $ $ $ $     .... ###
#           ###.... ###
# $ $ $ $   ###     ###
#           ###     ###
#######################

; a short bar
####################
#@        ###    ###
# $ $ $   ###    ###
#         ###... ###
#  $ $ $     ... ###
#         ###... ###
# $ $ $   ###    ###
#         ###    ###
####################

; a bar and a niche
#####################
#@        ####    ###
# $ $ $   ####    ###
#         ###..   ###
#  $ $ $     .... ###
#         ###...  ###
# $ $ $   ####    ###
#         ####    ###
#####################
";

/// Their orders: phases from the first that is filled on, with row and column of each target; `P` is a
/// parking, and after it stands the phase in which its box moves on.
const ORDERS: [(&str, &str); 11] = [
    ("a corridor", "5: 4,13 | 4: 4,12 | 3: 4,11 | 2: 4,10 | 1: 4,9"),
    ("two rows behind a door", "4: 3,17 | 3: 4,17 3,16 3,14 | 2: 4,16 3,15 | 1: 4,15"),
    ("a bag", "4: 2,13 | 3: 3,13 2,12 | 2: 4,13 3,12 | 1: 4,12"),
    ("a stair", "2: 3,15 2,16 2,15 | 1: 4,14 3,14 2,14"),
    (
        "a wide gate",
        "4: 7,19 1,19 | 3: 7,18 6,19 2,19 1,18 | 2: 6,18 5,19 4,19 3,19 2,18 | 1: 5,18 4,18 3,18",
    ),
    ("a comb", "2: 6,18 6,16 6,14 1,18 1,16 1,14 | 1: 5,18 5,16 5,14 2,18 2,16 2,14"),
    ("a deep cellar", "1: 6,13 5,13 4,13 3,13 2,13"),
    ("a target in the door", "3: 5,11 3,11 | 2: 4,11 | 1: 4,9"),
    (
        "a bar across the door",
        "11: P 2,16>7 P 6,18>5 | 10: 5,16 3,16 | 9: 5,17 3,17 | 8: 5,18 | 7: 3,18 | 6: 3,15 | 5: 5,15 | 4: 4,18 | 3: 4,17 | 2: 4,16 | 1: 4,15",
    ),
    (
        "a short bar",
        "9: P 2,14>6 P 6,15>4 | 8: 5,14 3,14 | 7: 5,15 | 6: 3,15 | 5: 3,13 | 4: 5,13 | 3: 4,15 | 2: 4,14 | 1: 4,13",
    ),
    (
        "a bar and a niche",
        "6: 5,13 3,13 | 5: 5,15 5,14 3,14 | 4: 4,16 | 3: 4,15 | 2: 4,14 | 1: 4,13",
    ),
];

/// An order as the table writes it.
fn text(board: &Board, order: &Phases) -> String {
    let targets: Vec<_> = order.targets.iter().rev().collect();
    let members = |phase: u16| {
        let of = targets.iter().filter(move |target| target.phase == phase);
        let written = of.map(|target| {
            let cell = board.cells[target.square as usize];
            let place = format!("{},{}", board.shape.row(cell), board.shape.col(cell));
            match target.destination {
                0 => format!(" {place}"),
                phase => format!(" P {place}>{phase}"),
            }
        });
        format!("{phase}:{}", written.collect::<String>())
    };
    (1..=order.count).rev().map(members).collect::<Vec<_>>().join(" | ")
}

fn order_of(board: &Board) -> Option<(Terrain, Phases)> {
    let terrain = Terrain::new(DerivedBoard::image(board, Image::ALL[0]))?;
    let order = order::find(&terrain, WORK, &|| false)?;
    Some((terrain, order))
}

/// Whether each push can be done, and all boxes are on targets after the last.
fn solves(board: &Board, pushes: &[Push]) -> bool {
    let mut state = State::new(board);
    let mut flood = Flood::new(&board.layout);
    let can_all = pushes.iter().all(|&push| {
        flood.fill(&state.occupied, state.player);
        let behind = board.next[push.from as usize][push.direction as usize ^ 2];
        let can = flood.contains(behind) && state.may_push(push);
        if can {
            state.push(push);
        }
        can
    });
    can_all && state.misplaced == 0
}

/// The levels of a collection beside the repository; `None`, and a word, where it is missing.
fn shared(name: &str) -> Option<Vec<Level>> {
    let source = Source::read(&project("../shared/levels").join(name));
    if source.is_err() {
        eprintln!("skipped: {name} is not in ../shared/levels");
    }
    read_levels(&source.ok()?).ok()
}

#[test]
fn rooms_have_their_orders() {
    let rooms = levels(ROOMS);
    assert_eq!(rooms.len(), ORDERS.len());
    for (level, (name, expected)) in rooms.iter().zip(ORDERS) {
        let board = Board::new(level);
        let (terrain, order) = order_of(&board).unwrap_or_else(|| panic!("{name}: no order"));
        assert_eq!(text(terrain.board(), &order), expected, "{name}");
        // Without work there is the order that does without parking, or none.
        let terrain = Terrain::new(DerivedBoard::image(&board, Image::ALL[0])).expect("a level");
        if let Some(order) = order::find(&terrain, 0, &|| false) {
            assert!(order.targets.iter().all(|target| target.destination == 0), "{name}");
        }
        assert!(order::find(&terrain, WORK, &|| true).is_none_or(|o| o.count > 0), "{name}");
    }
}

#[test]
fn rooms_are_solved_in_slices_as_in_one() {
    for level in levels(ROOMS) {
        let board = Board::new(&level);
        let (terrain, order) = order_of(&board).expect("an order");
        let guide = Guide::new(&terrain, order);
        for rules in [Rules::PLAIN, Rules::ALL] {
            let mut whole = Walk::new(&terrain, &guide, rules);
            let Walked::Solved(pushes) = whole.run(20_000, |_| false) else {
                panic!("unsolved by {rules:?}")
            };
            assert!(solves(&board, &pushes));
            let mut parts = Walk::new(&terrain, &guide, rules);
            let mut limit = 0;
            let solved = loop {
                limit += 7;
                match parts.run(limit, |_| false) {
                    Walked::Open => assert_eq!(parts.counts.expanded, limit),
                    Walked::Solved(pushes) => break pushes,
                    Walked::Through => panic!("through"),
                }
            };
            assert_eq!((solved, parts.counts), (pushes, whole.counts));
        }
    }
}

/// Two boxes that can never move become walls, and so does a dead end from which the player pushes a box.
#[test]
fn fixed_boxes_and_dead_ends_become_walls() {
    let level = levels(
        "##########\n#**   ####\n###    $@#\n#      ###\n#  $    ##\n#.     .##\n##########\n",
    );
    let board = Board::new(&level[0]);
    let terrain = Terrain::new(DerivedBoard::image(&board, Image::ALL[0])).expect("a level");
    assert_eq!((terrain.boxes().len(), terrain.goals().len()), (2, 2));
    let place = |cell| (board.shape.row(cell), board.shape.col(cell));
    let places = |squares: &[u16], of: &Board| -> Vec<_> {
        squares.iter().map(|&square| place(of.cells[square as usize])).collect()
    };
    assert_eq!(places(terrain.boxes(), terrain.board()), [(2, 5), (4, 3)]);
    assert_eq!(places(&[terrain.player()], terrain.board()), [(2, 6)]);
    let forced: Vec<u16> = terrain.forced.iter().map(|push| push.from).collect();
    assert_eq!(places(&forced, &board), [(2, 7), (2, 6)]);
    let left = |place| {
        places(&(0..terrain.squares() as u16).collect::<Vec<_>>(), terrain.board()).contains(&place)
    };
    assert!(![(1, 1), (1, 2), (2, 7), (2, 8)].into_iter().any(left) && left((3, 1)));
}

/// Orders are those of other solvers, target by target.
#[test]
fn orders_are_those_of_the_table() {
    let Some(levels) = shared("xsokoban_90.xsb") else { return };
    let Ok(table) = std::fs::read_to_string(project("../shared/levels/peers/packing-orders.tsv"))
    else {
        eprintln!("skipped: packing-orders.tsv is not in ../shared/levels/peers");
        return;
    };
    let mut lines = table.lines().filter(|line| !line.starts_with('#'));
    let names: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    let rows = lines.map(|line| names.iter().copied().zip(line.split('\t')));
    let rows = rows.map(|row| row.collect::<HashMap<_, _>>());
    let (mut same, mut differing) = (0, Vec::new());
    for row in rows.filter(|row| row["same_order"] == "yes" && !row["phases"].is_empty()) {
        let Some(number) = row["level"].strip_prefix("X_") else { continue };
        let board = Board::new(&levels[number.parse::<usize>().expect("a number") - 1]);
        match order_of(&board) {
            Some((terrain, order)) if text(terrain.board(), &order) == row["phases"] => same += 1,
            _ => differing.push(number.to_owned()),
        }
    }
    assert!(same > 80 && differing.len() <= LONG_ORDERS, "{same} are the same, not {differing:?}");
}

/// With the plain rules, the walk is that of the description: level, expansions, positions known,
/// pushes generated, pushes of the plan. Level 50 differs in what rooms leave out there.
#[test]
fn the_walk_is_that_of_the_description() {
    const WALKS: [(usize, u64, usize, u64, usize); 5] = [
        (2, 160, 784, 847, 131),
        (50, 2856, 24_623, 28_347, 438),
        (60, 169, 1294, 1386, 160),
        (69, 798, 8910, 9602, 523),
        (80, 276, 2014, 2190, 231),
    ];
    let Some(levels) = shared("xsokoban_90.xsb") else { return };
    for (number, expanded, positions, generated, length) in WALKS {
        let board = Board::new(&levels[number - 1]);
        let (terrain, order) = order_of(&board).expect("an order");
        let guide = Guide::new(&terrain, order);
        let mut walk = Walk::new(&terrain, &guide, Rules::PLAIN);
        let Walked::Solved(pushes) = walk.run(10_000, |_| false) else { panic!("{number}") };
        assert!(solves(&board, &pushes), "{number}");
        let found = (walk.counts.expanded, walk.positions.nodes.len(), walk.counts.generated);
        assert_eq!((found, pushes.len()), ((expanded, positions, generated), length), "{number}");
    }
}

/// With all rules, levels fall that hold other searches for minutes.
#[test]
fn deadlocks_that_are_learned_pay() {
    let Some(levels) = shared("xsokoban_90.xsb") else { return };
    for (number, most) in [(11, 3000), (28, 1200), (31, 2500), (50, 2800), (66, 7000), (69, 850)] {
        let board = Board::new(&levels[number - 1]);
        let (terrain, order) = order_of(&board).expect("an order");
        let guide = Guide::new(&terrain, order);
        let mut walk = Walk::new(&terrain, &guide, Rules::ALL);
        let Walked::Solved(pushes) = walk.run(most, |_| false) else { panic!("{number}") };
        assert!(solves(&board, &pushes), "{number}");
    }
}

/// Boards of all kinds, among them broken ones: plans hold, and nothing panics.
#[test]
fn plans_hold_on_any_board() {
    let objective = Objective { prove: false, ..Objective::default() };
    for (name, level) in own_areas() {
        let board = Board::new(&level);
        let run = nodes(2000, 1);
        let task = Task::new(&objective, None, &run);
        let outcome = alone::search("packing-order", &board, task);
        if let Some(plan) = outcome.and_then(|outcome| outcome.plan) {
            assert!(solves(&board, &plan), "{name}");
        }
    }
    let odd = "#####\n#@$.#\n#####\n; solved\n#####\n#@ *#\n#####\n; frozen\n######\n#@ $$#\n# ..##\n######\n\
               ; no way\n#######\n#@# $.#\n#######\n; two\n#######\n#@$ $.#\n#.    #\n#######\n";
    for level in levels(odd) {
        let board = Board::new(&level);
        if let Some((terrain, order)) = order_of(&board) {
            let guide = Guide::new(&terrain, order);
            let mut walk = Walk::new(&terrain, &guide, Rules::ALL);
            if let Walked::Solved(pushes) = walk.run(1000, |_| false) {
                assert!(solves(&board, &pushes));
            }
        }
    }
}
