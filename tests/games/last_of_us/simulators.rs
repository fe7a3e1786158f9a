//! The reference simulator and the fast one agree in every observable, on ten million random and
//! adversarial actions: Ellie's cell, her bricks, the multiset of clickers with what they trace,
//! the outcome, and which actions are refused.

use outwit::board::{BitBoard, Cell, Direction, Shape, UNREACHED, distances};
use outwit::diagnostic::Source;
use outwit::games::last_of_us::format::{self, Action, Map, read_map};
use outwit::games::last_of_us::rules::{Event, Game, Outcome, Readings};
use outwit::games::last_of_us::state::{Board, Move, NOTHING, Played, Simulator, State};
use rand::prelude::*;
use rand_chacha::ChaCha8Rng;
use std::collections::HashMap;
use std::path::Path;

const SEED: u64 = 20_201_024;
/// Actions on maps made on the fly, and on the areas of the families.
const ACTIONS_ON_RANDOM_MAPS: u64 = 9_400_000;
const ACTIONS_ON_AREAS: u64 = 600_000;
/// Small, so that the cache of distance fields overflows during the test.
const FIELD_BYTES: usize = 1 << 16;
/// Number of actions after which the position is kept, to come back to it after Ellie's death.
const CHECKPOINT: u32 = 16;

/// Both simulators in the same position.
struct Duel<'a> {
    map: &'a Map,
    simulator: Simulator<&'a Board>,
    component: Vec<u32>,
    game: Game,
    state: State,
    label: String,
    history: Vec<Action>,
    /// Observables that were seen, with the fast simulator's key and state: equal ones must agree.
    seen: HashMap<Observed, State>,
    tally: Tally,
}

/// How often what happened: a test in which nothing happens shows nothing.
#[derive(Clone, Copy, Default, Debug)]
struct Tally {
    refused: u64,
    survived: u64,
    killed: u64,
    won: u64,
    /// Steps that clickers made.
    steps: u64,
    /// Clickers that trace something they have a way to, and stand still: all is occupied.
    jammed: u64,
}

impl Tally {
    fn add(&mut self, other: Tally) {
        self.refused += other.refused;
        self.survived += other.survived;
        self.killed += other.killed;
        self.won += other.won;
        self.steps += other.steps;
        self.jammed += other.jammed;
    }
}

type Observed = (Cell, u32, Vec<(Cell, Option<Cell>)>);

/// How many positions [`Duel::seen`] holds at most.
const SEEN: usize = 2000;

impl<'a> Duel<'a> {
    fn new(map: &'a Map, board: &'a Board, label: String) -> Self {
        Duel {
            map,
            simulator: Simulator::new(board, FIELD_BYTES),
            component: components(map),
            game: Game::new(map, Readings::default()),
            state: board.start(),
            label,
            history: Vec::new(),
            seen: HashMap::new(),
            tally: Tally::default(),
        }
    }

    /// Plays an action on both and compares; whether the game goes on.
    fn act(&mut self, action: Action, decoy: Option<Action>) -> bool {
        self.history.push(action);
        let before = (self.game.ellie(), self.game.bricks());
        let event = self.game.act(action);
        self.simulator.load(&self.state);
        if let Some(decoy) = decoy {
            // Another action played and taken back must leave no trace.
            self.simulator.play(decoy.into());
            self.simulator.undo();
        }
        let played = self.simulator.play(action.into());
        let child = match played {
            Played::On(after) => {
                let child = self.simulator.build(&self.state, after);
                let key = self.simulator.key(after);
                assert_eq!(child.key(), key, "the key changes by building: {}", self.tale());
                Some(child)
            }
            _ => None,
        };
        let acted = self.simulator.acted().iter();
        self.tally.steps += acted.clone().filter(|a| a.before.site != a.after.site).count() as u64;
        self.tally.jammed += acted
            .filter(|a| a.before.site == a.after.site && a.after.target != NOTHING)
            .count() as u64;
        self.simulator.undo();
        self.simulator.unload(&self.state);
        self.tally.add(Tally {
            refused: event.is_err().into(),
            survived: (event == Ok(Event::Survived)).into(),
            killed: matches!(event, Ok(Event::Killed(_))).into(),
            won: (event == Ok(Event::Won)).into(),
            ..Tally::default()
        });
        match (event, played) {
            (Err(_), Played::Illegal) => {
                assert_eq!((self.game.ellie(), self.game.bricks()), before, "{}", self.tale());
                true
            }
            (Ok(Event::Killed(_)), Played::Killed) | (Ok(Event::Won), Played::Won) => false,
            (Ok(Event::Survived), Played::On(_)) => {
                self.state = child.unwrap();
                self.compare();
                true
            }
            _ => panic!("rules: {event:?}, state: {played:?}: {}", self.tale()),
        }
    }

    fn compare(&mut self) {
        let board = self.simulator.board();
        let observed = self.observe();
        let (ellie, bricks, clickers) = &observed;
        assert_eq!(*ellie, board.cell(self.state.ellie), "Ellie: {}", self.tale());
        assert_eq!(*bricks, u32::from(self.state.bricks), "bricks: {}", self.tale());
        assert_eq!(*clickers, self.state.clickers(board), "clickers: {}", self.tale());
        if let Some(known) = self.seen.get(&observed) {
            assert!(*known == self.state, "one position, two states: {}", self.tale());
            assert_eq!(known.key(), self.state.key(), "one position, two keys: {}", self.tale());
        } else if self.seen.len() < SEEN {
            self.seen.insert(observed, self.state.clone());
        }
    }

    /// What the reference shows. A clicker without a way to what it traces never moves, whether
    /// one says that it traces it or not; the fast simulator says not.
    fn observe(&self) -> Observed {
        let way =
            |from: Cell, to: &Cell| self.component[from.index()] == self.component[to.index()];
        let mut clickers: Vec<_> = self
            .game
            .clickers()
            .iter()
            .map(|clicker| (clicker.cell, clicker.traces.filter(|x| way(clicker.cell, x))))
            .collect();
        clickers.sort_unstable();
        (self.game.ellie(), self.game.bricks(), clickers)
    }

    /// What is needed to see a failure again.
    fn tale(&self) -> String {
        let (map, plan) = (self.map.text(), format::plan_text(&self.history));
        format!("seed {SEED}, {}\n{map}{plan}{}", self.label, self.game.around_ellie())
    }
}

fn components(map: &Map) -> Vec<u32> {
    let mut component = vec![0; map.shape.cells()];
    let mut count = 0;
    for cell in map.shape.iter().filter(|&cell| map.clickers_may_enter(cell)) {
        if component[cell.index()] == 0 {
            count += 1;
            let field =
                distances(map.shape, &[cell], &Direction::ALL, |c| map.clickers_may_enter(c));
            for (slot, _) in component.iter_mut().zip(field).filter(|(_, d)| *d != UNREACHED) {
                *slot = count;
            }
        }
    }
    component
}

/// How Ellie behaves for a while.
#[derive(Clone, Copy)]
enum Mood {
    /// Any action at all, legal or not.
    Wild,
    /// Walks where nobody stands beside, as near to clickers as can be.
    Provoking,
    /// Throws where it is heard, as long as there are bricks.
    Throwing,
    /// Stands still most of the time.
    Still,
}

fn choose(duel: &mut Duel<'_>, mood: Mood, rng: &mut ChaCha8Rng) -> Action {
    match mood {
        Mood::Wild => wild(rng),
        Mood::Still if rng.random_bool(0.8) => Action::Walk(None),
        Mood::Throwing if duel.game.bricks() > 0 => heard(duel, rng, throw),
        _ => {
            let mut action = walk(rng);
            for _ in 0..6 {
                if survives(duel, action) {
                    return action;
                }
                action = heard(duel, rng, walk);
            }
            action
        }
    }
}

fn wild(rng: &mut ChaCha8Rng) -> Action {
    if rng.random_bool(0.5) { walk(rng) } else { throw(rng) }
}

fn walk(rng: &mut ChaCha8Rng) -> Action {
    let direction = rng.random_range(0..9usize);
    Action::Walk(Direction::ALL.get(direction).copied())
}

fn throw(rng: &mut ChaCha8Rng) -> Action {
    Action::Throw { drow: rng.random_range(-7..=7), dcol: rng.random_range(-7..=7) }
}

/// The first of a few proposals whose sound somebody hears.
fn heard(
    duel: &mut Duel<'_>,
    rng: &mut ChaCha8Rng,
    propose: fn(&mut ChaCha8Rng) -> Action,
) -> Action {
    let board = duel.simulator.board();
    let mut action = propose(rng);
    duel.simulator.load(&duel.state);
    for _ in 0..5 {
        let (drow, dcol) = Move::from(action).delta();
        let sound = board.offset(duel.state.ellie, drow, dcol);
        if board.is_floor(sound) && duel.simulator.hearing(sound) != 0 {
            break;
        }
        action = propose(rng);
    }
    duel.simulator.unload(&duel.state);
    action
}

/// Whether Ellie lives on after the action, as the fast simulator sees it: only a bias.
fn survives(duel: &mut Duel<'_>, action: Action) -> bool {
    duel.simulator.load(&duel.state);
    let played = duel.simulator.play(action.into());
    duel.simulator.undo();
    duel.simulator.unload(&duel.state);
    matches!(played, Played::On(_))
}

/// Plays on a map for a number of actions.
fn fight(map: &Map, label: String, actions: u64, rng: &mut ChaCha8Rng) -> Tally {
    let board = Board::new(map);
    let mut duel = Duel::new(map, &board, label);
    duel.compare();
    let start = (duel.game.clone(), duel.state.clone(), 0);
    let mut kept = start.clone();
    let mut mood = Mood::Wild;
    let mut since = 0;
    for _ in 0..actions {
        if rng.random_bool(0.1) {
            let moods = [Mood::Wild, Mood::Provoking, Mood::Provoking, Mood::Throwing, Mood::Still];
            mood = *moods.choose(rng).unwrap();
        }
        let action = choose(&mut duel, mood, rng);
        let decoy = rng.random_bool(0.2).then(|| wild(rng));
        if duel.act(action, decoy) {
            since += 1;
            if since == CHECKPOINT {
                since = 0;
                kept = (duel.game.clone(), duel.state.clone(), duel.history.len());
            }
        } else {
            assert_ne!(duel.game.outcome(), Outcome::Playing);
            if rng.random_bool(0.2) {
                kept = start.clone();
            }
            (duel.game, duel.state) = (kept.0.clone(), kept.1.clone());
            duel.history.truncate(kept.2);
            since = 0;
        }
    }
    duel.tally
}

/// A small map, often crowded, often with Ellie in a cage from which she throws.
fn random_map(rng: &mut ChaCha8Rng) -> Map {
    let shape = Shape { rows: rng.random_range(10..=20), cols: rng.random_range(10..=20) };
    let walls = *[0.0, 0.08, 0.2, 0.35, 0.5].choose(rng).unwrap();
    let crowd = *[0.02, 0.05, 0.1, 0.2, 0.4].choose(rng).unwrap();
    let cell = |rng: &mut ChaCha8Rng| Cell(rng.random_range(0..shape.cells() as u32));
    let ellie = cell(rng);
    let exit = loop {
        let exit = cell(rng);
        if exit != ellie {
            break exit;
        }
    };
    let caged = rng.random_bool(0.3);
    let mut map = Map {
        name: "random".into(),
        shape,
        bricks: rng.random_range(0..=140),
        blocked: BitBoard::new(shape.cells()),
        ellie,
        exit,
        clickers: Vec::new(),
    };
    for cell in shape.iter().filter(|&cell| cell != ellie && cell != exit) {
        let distance = shape.chebyshev(cell, ellie);
        if rng.random_bool(walls) || caged && distance == 1 {
            map.blocked.insert(cell);
        } else if rng.random_bool(crowd) && (distance > 2 || rng.random_bool(0.05)) {
            map.clickers.push(cell);
        }
    }
    map
}

fn rng_of(stream: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    rng.set_stream(stream);
    rng
}

fn fight_on_random_maps(stream: u64, actions: u64) {
    println!("seed {SEED}, stream {stream}");
    const PER_MAP: u64 = 3_000;
    let mut rng = rng_of(stream);
    let mut tally = Tally::default();
    for number in 0..actions / PER_MAP {
        let map = random_map(&mut rng);
        tally.add(fight(&map, format!("stream {stream}, map {number}"), PER_MAP, &mut rng));
    }
    expect_much(tally, actions);
}

/// Each kind of thing must have happened often.
fn expect_much(tally: Tally, actions: u64) {
    println!("{tally:?}");
    assert!(tally.survived > actions / 3, "{tally:?}");
    assert!(tally.refused > actions / 100, "{tally:?}");
    assert!(tally.killed > actions / 100, "{tally:?}");
    assert!(tally.won > actions / 10_000, "{tally:?}");
    assert!(tally.steps > actions / 3, "{tally:?}");
    assert!(tally.jammed > actions / 1000, "{tally:?}");
}

#[test]
fn the_simulators_agree_on_random_maps_1() {
    fight_on_random_maps(1, ACTIONS_ON_RANDOM_MAPS / 2);
}

#[test]
fn the_simulators_agree_on_random_maps_2() {
    fight_on_random_maps(2, ACTIONS_ON_RANDOM_MAPS - ACTIONS_ON_RANDOM_MAPS / 2);
}

/// Areas of all families, the smaller ones longer: comparing takes a while where there are
/// thousands of clickers.
#[test]
fn the_simulators_agree_on_the_areas() {
    println!("seed {SEED}");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("areas/last-of-us");
    let mut paths: Vec<_> = std::fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "txt"))
        .collect();
    paths.sort();
    let maps: Vec<Map> =
        paths.iter().map(|path| read_map(&Source::read(path).unwrap()).unwrap()).collect();
    let weight = |map: &Map| 1.0 / (60 + map.clickers.len()) as f64;
    let mut tally = Tally::default();
    let total: f64 = maps.iter().map(weight).sum();
    for (stream, mut map) in maps.into_iter().enumerate() {
        let actions = (ACTIONS_ON_AREAS as f64 * weight(&map) / total).ceil() as u64;
        let mut rng = rng_of(100 + stream as u64);
        let label = format!("area {}", map.name);
        if map.clickers.len() > 500 {
            near_ellie_only(&mut map, 500, &mut rng);
        }
        map.bricks = format::MAX_BRICKS;
        tally.add(fight(&map, label, actions, &mut rng));
    }
    println!("{tally:?}");
    assert!(tally.survived > ACTIONS_ON_AREAS / 3, "{tally:?}");
    assert!(tally.steps > ACTIONS_ON_AREAS / 20, "{tally:?}");
}

/// Puts Ellie on a random free cell and keeps the clickers nearest to her, so that comparing all
/// of them costs less.
fn near_ellie_only(map: &mut Map, count: usize, rng: &mut ChaCha8Rng) {
    let free: Vec<Cell> = map
        .shape
        .iter()
        .filter(|&cell| map.clickers_may_enter(cell))
        .filter(|&cell| map.clickers.iter().all(|&c| map.shape.chebyshev(c, cell) > 1))
        .collect();
    map.ellie = *free.choose(rng).unwrap();
    let (shape, ellie) = (map.shape, map.ellie);
    map.clickers.sort_by_key(|&clicker| (shape.chebyshev(clicker, ellie), clicker));
    map.clickers.truncate(count);
    map.clickers.sort_unstable();
}
