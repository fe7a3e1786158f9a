//! The two simulators against each other, and the statement's program.

use super::{levels, project};
use outwit::games::sokoban::board::region::Flood;
use outwit::games::sokoban::board::{Board, DIRECTIONS, Push, State};
use outwit::games::sokoban::rules::{Done, Game};
use outwit::games::{GameId, GenerateOptions, SimulateError};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::{HashMap, VecDeque};

#[test]
fn the_statements_program_gives_the_judges_bytes() {
    let folder = project("../shared/cases/sokoban");
    if !folder.is_dir() {
        eprintln!("skipped: {} is not there", folder.display());
        return;
    }
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|e| e == "in") {
            let input = std::fs::read(&path).unwrap();
            let wanted = std::fs::read(path.with_extension("out")).unwrap();
            let mut output = Vec::new();
            GameId::Sokoban
                .game()
                .simulate(&mut input.as_slice(), &mut output, &mut |warning| panic!("{warning}"))
                .unwrap();
            assert!(output == wanted, "{} differs", path.display());
            count += 1;
        }
    }
    assert!(count > 0, "no judges' data");
}

#[test]
fn the_statements_program_refuses_malformed_input_with_its_place() {
    let cases = [
        ("", 1, 1),
        ("4 4\n####\n", 3, 1),
        ("4 x\n", 1, 1),
        ("1 3\n#w#\nUX\n0 0\n", 3, 2),
        ("1 4\n#w#\nU\n0 0\n", 2, 4),
        ("1 4\n#ww#\nU\n0 0\n", 2, 3),
        ("1 3\n#?#\nU\n0 0\n", 2, 2),
        ("1 3\n#.#\nU\n0 0\n", 2, 1),
    ];
    for (input, line, column) in cases {
        let mut output = Vec::new();
        match GameId::Sokoban
            .game()
            .simulate(&mut input.as_bytes(), &mut output, &mut |warning| panic!("{warning}"))
        {
            Err(SimulateError::Input(e)) => {
                assert_eq!((e.line, e.column), (line, column), "{input:?}: {e}");
            }
            other => panic!("{input:?}: {other:?}"),
        }
    }
}

/// Drives both simulators with the same keys and compares all that can be seen of them.
#[test]
fn the_two_simulators_agree() {
    let seed = 20_110;
    println!("seed {seed}");
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    for index in 0..60 {
        let mut options = GenerateOptions { seed: index, ..GenerateOptions::default() };
        options.values.insert("boxes".into(), (1 + index % 8).to_string());
        options.values.insert("pulls".into(), "30".into());
        let Ok(made) = GameId::Sokoban.game().generate(&options) else { continue };
        let level = &levels(&made.area)[0];
        let board = Board::new(level);
        let mut game = Game::new(level);
        let mut state = State::new(&board);
        let mut flood = Flood::new(&board.layout);
        for _ in 0..400 {
            press_both(&board, &mut game, &mut state, random.random_range(0..4));
            compare(&board, &game, &state, &mut flood);
        }
    }
}

fn press_both(board: &Board, game: &mut Game, state: &mut State<'_>, d: usize) {
    let ahead = board.next[state.player as usize][d];
    let push = Push { from: ahead, direction: d as u8 };
    let expected = if ahead as usize == board.squares() {
        None
    } else if !state.occupied[ahead as usize] {
        state.player = ahead;
        Some(Done::Moved)
    } else if !state.occupied[board.next[ahead as usize][d] as usize] {
        let before = (state.boxes(), state.player, state.key, state.misplaced);
        assert!(state.may_push(push));
        state.push(push);
        assert!(state.undo());
        assert_eq!(before, (state.boxes(), state.player, state.key, state.misplaced));
        state.push(push);
        Some(Done::Pushed)
    } else {
        None
    };
    assert_eq!(game.press(DIRECTIONS[d]).ok(), expected);
}

fn compare(board: &Board, game: &Game, state: &State<'_>, flood: &mut Flood) {
    let boxes: Vec<_> = game.boxes().iter().map(|c| board.square_of[c.index()]).collect();
    assert_eq!(state.boxes(), boxes);
    assert_eq!(board.cells[state.player as usize], game.player());
    assert_eq!(state.misplaced, game.misplaced());
    let fresh = State::at(board, &boxes, state.player);
    assert_eq!(fresh.key, state.key, "the key that is kept is the key of a fresh state");
    let mut pushes = Vec::new();
    state.pushes(flood, &mut pushes);
    // The reference: walk everywhere by keys, and try each push from there.
    let mut seen = HashMap::from([(game.player(), ())]);
    let mut queue = VecDeque::from([game.clone()]);
    let mut wanted = Vec::new();
    while let Some(here) = queue.pop_front() {
        for (d, direction) in DIRECTIONS.iter().enumerate() {
            let mut next = here.clone();
            match next.press(*direction) {
                Ok(Done::Moved) if seen.insert(next.player(), ()).is_none() => {
                    queue.push_back(next);
                }
                Ok(Done::Pushed) => {
                    let from = board.square_of[next.player().index()];
                    wanted.push(Push { from, direction: d as u8 });
                }
                _ => {}
            }
        }
    }
    wanted.sort_by_key(|p| (p.from, p.direction));
    assert_eq!(pushes, wanted);
    assert_eq!(flood.count(), seen.len());
}
