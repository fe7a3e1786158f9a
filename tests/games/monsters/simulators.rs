//! Monsters: the contest's cases byte for byte, and the fast state against the reference rules.

use outwit::board::Shape;
use outwit::games::monsters::format::{Key, Level, Tile};
use outwit::games::monsters::generate::{Kind, random_level, random_shape};
use outwit::games::monsters::program;
use outwit::games::monsters::rules::{Game, Standing};
use outwit::games::monsters::state::{After, Board, Packed};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::path::Path;

#[test]
fn the_cases_are_shown_byte_for_byte() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/monsters");
    let mut cases = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "in") {
            let input = std::fs::read(&path).unwrap();
            let expected = std::fs::read_to_string(path.with_extension("out")).unwrap();
            let mut output = Vec::new();
            program::simulate(&mut input.as_slice(), &mut output, &mut |d| panic!("{d}")).unwrap();
            assert_eq!(String::from_utf8(output).unwrap(), expected, "{}", path.display());
            cases += 1;
        }
    }
    assert_eq!(cases, 24);
}

/// Turns of the comparison, over all its games.
const TURNS: u64 = 1_000_000;
/// Longest game of the comparison, in turns.
const GAME_TURNS: u64 = 120;

#[test]
fn the_fast_state_is_the_reference_for_a_million_turns() {
    let seed = 20_181_018;
    println!("seed {seed}");
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut turns, mut games) = (0, 0u64);
    let mut ends = [0u64; 3];
    while turns < TURNS {
        let kind = Kind::ALL[games as usize % Kind::ALL.len()];
        let shape = match games % 16 {
            0 => Shape { rows: 24, cols: 80 },
            _ => random_shape(12, 16, &mut rng),
        };
        let level = random_level(kind, shape, &mut rng);
        games += 1;
        let (played, end) = compare(&level, &mut rng);
        turns += played;
        ends[end as usize] += 1;
    }
    println!("{games} games; still playing, won, lost: {ends:?}");
    assert!(ends.iter().all(|&count| count > games / 50), "{ends:?}");
}

/// Plays one game on both, comparing all that can be seen after each turn; the number of turns.
fn compare(level: &Level, rng: &mut impl Rng) -> (u64, After) {
    let mut world = Game::new(level);
    let mut board = Board::new(level);
    let mut copy = Board::new(level);
    let mut past: Vec<(Game, u64, Packed)> = Vec::new();
    assert_same(&world, &board);
    // A player who runs for the border, and one who lingers.
    let bold = rng.random_bool(0.3);
    let mut turns = 0;
    while world.standing() == Standing::Playing && turns < GAME_TURNS {
        past.push((world.clone(), board.key(), board.pack()));
        let key = if bold || rng.random_bool(0.5) {
            Key::ALL[rng.random_range(0..5)]
        } else {
            cautious(&world, rng)
        };
        world.act(key);
        board.act(key);
        turns += 1;
        assert_same(&world, &board);
        let packed = board.pack();
        copy.load(&packed);
        assert_same(&world, &copy);
        assert!(copy.key() == board.key() && copy.pack() == packed);
        if rng.random_bool(0.02) {
            let back = rng.random_range(1..=past.len().min(10));
            for _ in 0..back {
                let (before, key, packed) = past.pop().unwrap();
                assert!(board.undo());
                assert_same(&before, &board);
                assert!(board.key() == key && board.pack() == packed);
                world = before;
            }
        }
    }
    (turns, board.standing())
}

/// A key after which the hero still stands and is not through, where there is one.
fn cautious(world: &Game, rng: &mut impl Rng) -> Key {
    let first = rng.random_range(0..5);
    let keys = (0..5).map(|i| Key::ALL[(first + i) % 5]);
    let lives = |key: &Key| {
        let mut next = world.clone();
        next.act(*key);
        next.standing() == Standing::Playing
    };
    keys.into_iter().find(lives).unwrap_or(Key::Wait)
}

fn assert_same(world: &Game, board: &Board) {
    if world.tiles() != board.tiles() {
        let level = Level { shape: board.shape(), tiles: board.tiles() };
        panic!("reference:\n{}fast:\n{}", world.report(), level.text());
    }
    let standing = match board.standing() {
        After::Playing => Standing::Playing,
        After::Won => Standing::Won,
        After::Lost => Standing::Lost,
    };
    assert_eq!(world.standing(), standing);
    assert_eq!(world.hero(), board.hero());
    let heroes = world.tiles().iter().filter(|&&tile| tile == Tile::Hero).count();
    assert!(heroes <= 1);
}
