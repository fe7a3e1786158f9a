//! The reference rules and the fast simulator of each game in lockstep, and labyrinth's referee and
//! explorer: after an area, each byte is an action.

use super::input::{self, Choices};
use outwit::board::{Cell, Direction, UNREACHED, distances};
use outwit::diagnostic::Source;
use outwit::games::{labyrinth, last_of_us, monsters, robots, sokoban};

/// Actions of a game.
const MOST_ACTIONS: usize = 400;
/// Areas of a file.
const MOST_AREAS: usize = 3;
/// Cells of a board; on larger ones an input takes too long.
const MOST_CELLS: usize = 1 << 14;

/// Plays an area on every simulator of its game.
pub fn run(data: &[u8]) {
    let (text, actions) = input::split(data);
    let source = Source::new("area", text);
    let choices = || Choices::new(actions);
    if let Ok(map) = last_of_us::format::read_map(&source)
        && map.shape.cells() <= MOST_CELLS
    {
        hunt(&map, choices());
    }
    if let Ok(levels) = sokoban::format::read_levels(&source) {
        let small = levels.iter().filter(|level| level.shape.cells() <= MOST_CELLS);
        small.take(MOST_AREAS).for_each(|level| push(level, choices()));
    }
    if let Ok(cases) = robots::format::read_cases(&source) {
        cases.iter().take(MOST_AREAS).for_each(|case| flee(case, choices()));
    }
    if let Ok((level, _)) = monsters::format::read_level(&source) {
        survive(&level, choices());
    }
    if let Ok(mazes) = labyrinth::format::read_mazes(&source) {
        for maze in mazes.iter().take(MOST_AREAS) {
            let cells: usize = maze.segments.iter().map(|segment| segment.length()).sum();
            if cells <= MOST_CELLS {
                wander(maze, choices());
            }
        }
    }
}

/// Last of Us.
fn hunt(map: &last_of_us::format::Map, mut choices: Choices<'_>) {
    use last_of_us::format::Action;
    use last_of_us::rules::{Event, Game, Readings};
    use last_of_us::state::{Board, Played, Simulator};
    // So small that fields of distances are forgotten and found again.
    const FIELD_BYTES: usize = 1 << 16;
    let component = components(map);
    let board = Board::new(map);
    let mut simulator = Simulator::new(&board, FIELD_BYTES);
    let mut state = board.start();
    let mut game = Game::new(map, Readings::default());
    for _ in 0..MOST_ACTIONS {
        if choices.are_over() {
            return;
        }
        let action = match choices.below(16) {
            9..16 => {
                let mut range = || choices.below(17) as i8 - 8;
                Action::Throw { drow: range().clamp(-7, 7), dcol: range().clamp(-7, 7) }
            }
            way => Action::Walk(Direction::ALL.get(way).copied()),
        };
        let event = game.act(action);
        simulator.load(&state);
        let played = simulator.play(action.into());
        let child = match played {
            Played::On(after) => {
                let child = simulator.build(&state, after);
                assert_eq!(child.key(), simulator.key(after));
                Some(child)
            }
            _ => None,
        };
        simulator.undo();
        simulator.unload(&state);
        match (&event, played, child) {
            (Err(_), Played::Illegal, _) => continue,
            (Ok(Event::Killed(_)), Played::Killed, _) | (Ok(Event::Won), Played::Won, _) => return,
            (Ok(Event::Survived), Played::On(_), Some(child)) => state = child,
            _ => panic!("{action:?}, rules: {event:?}, state: {played:?}"),
        }
        // A clicker without a way to what it traces never moves; the fast one says not that it does.
        let has_way = |from: Cell, to: &Cell| component[from.index()] == component[to.index()];
        let clickers = game.clickers().iter();
        let mut clickers: Vec<(Cell, Option<Cell>)> =
            clickers.map(|c| (c.cell, c.traces.filter(|to| has_way(c.cell, to)))).collect();
        clickers.sort_unstable();
        assert_eq!(game.ellie(), board.cell(state.ellie));
        assert_eq!(game.bricks(), u32::from(state.bricks));
        assert_eq!(clickers, state.clickers(&board));
    }
}

/// The number of the part of the map that each cell is in, as clickers walk.
fn components(map: &last_of_us::format::Map) -> Vec<u32> {
    let mut component = vec![0; map.shape.cells()];
    let mut count = 0;
    for cell in map.shape.iter().filter(|&cell| map.clickers_may_enter(cell)) {
        if component[cell.index()] != 0 {
            continue;
        }
        count += 1;
        let field = distances(map.shape, &[cell], &Direction::ALL, |c| map.clickers_may_enter(c));
        for (slot, _) in component.iter_mut().zip(field).filter(|(_, d)| *d != UNREACHED) {
            *slot = count;
        }
    }
    component
}

/// Sokoban.
fn push(level: &sokoban::format::Level, mut choices: Choices<'_>) {
    use sokoban::board::region::Flood;
    use sokoban::board::{Board, DIRECTIONS, Push, State};
    use sokoban::rules::{Done, Game};
    let board = Board::new(level);
    let mut game = Game::new(level);
    let mut state = State::new(&board);
    let mut flood = Flood::new(&board.layout);
    let mut pushes = Vec::new();
    for _ in 0..MOST_ACTIONS {
        if choices.are_over() {
            return;
        }
        let d = choices.below(4);
        let ahead = board.next[state.player as usize][d];
        let push = Push { from: ahead, direction: d as u8 };
        let is_wall = ahead as usize == board.squares();
        let expected = if !is_wall && !state.occupied[ahead as usize] {
            state.player = ahead;
            Some(Done::Moved)
        } else if !is_wall && state.may_push(push) {
            state.pushes(&mut flood, &mut pushes);
            assert!(pushes.contains(&push));
            state.push(push);
            let after = (state.boxes(), state.player, state.key, state.misplaced);
            assert!(state.undo());
            state.push(push);
            assert_eq!(after, (state.boxes(), state.player, state.key, state.misplaced));
            Some(Done::Pushed)
        } else {
            None
        };
        assert_eq!(game.press(DIRECTIONS[d]).ok(), expected);
        let is_ours = |cell: &Cell| board.square_of[cell.index()] as usize != board.squares();
        let boxes = game.boxes().iter().filter(is_ours);
        let boxes: Vec<_> = boxes.map(|cell| board.square_of[cell.index()]).collect();
        assert_eq!(state.boxes(), boxes);
        assert_eq!(board.cells[state.player as usize], game.player());
        assert_eq!(state.misplaced + board.lost_boxes, game.misplaced());
        assert_eq!(State::at(&board, &boxes, state.player).key, state.key);
    }
}

/// Robots.
fn flee(case: &robots::format::Case, mut choices: Choices<'_>) {
    use robots::rules::{Game, Standing};
    use robots::state::{Action, State, TELEPORT};
    let (mut state, mut play) = (State::new(case), Game::new(case));
    same_robots(&state, &play);
    while play.standing == Standing::Playing && !choices.are_over() {
        let all = usize::from(TELEPORT) + case.teleports.len();
        let action = choices.below(all) as Action;
        // The reference uses the first unused of equal locations, whichever is meant.
        if action >= TELEPORT {
            let meant = usize::from(action - TELEPORT);
            let is_twin = |&i: &usize| {
                case.teleports[i] == case.teleports[meant] && state.unused >> i & 1 == 1
            };
            if (0..case.teleports.len()).find(is_twin).is_some_and(|first| first != meant) {
                continue;
            }
        }
        let to = state.destination(action, &case.teleports);
        let stepped = play.step(robots::program::as_move(action, case));
        assert_eq!(to.is_some(), stepped.is_ok(), "action {action}: {stepped:?}");
        let Some(to) = to else { continue };
        let is_caught = state.is_caught(to);
        state = state.advance(to);
        assert_eq!(is_caught, play.standing == Standing::Lost);
        assert_eq!(!is_caught && state.is_cleared(), play.standing == Standing::Won);
        same_robots(&state, &play);
    }
}

fn same_robots(state: &robots::state::State, play: &robots::rules::Game) {
    let rows = |places: &std::collections::BTreeSet<robots::rules::Place>| {
        let mut rows = [0; 32];
        places.iter().for_each(|&(row, col)| rows[row as usize] |= 1 << (col - 1));
        rows
    };
    assert_eq!(robots::rules::place_of(state.you()), play.you);
    assert_eq!(state.robots, rows(&play.robots));
    assert_eq!(state.debris, rows(&play.debris));
    assert_eq!(state.robots_left() as usize, play.robots.len());
    assert_eq!(state.debris_cells() as usize, play.debris.len());
    for (i, &(_, is_used)) in play.teleports.iter().enumerate() {
        assert_eq!(state.unused >> i & 1 == 0, is_used, "teleport {i}");
    }
}

/// Monsters.
fn survive(level: &monsters::format::Level, mut choices: Choices<'_>) {
    use monsters::format::Key;
    use monsters::rules::{Game, Standing};
    use monsters::state::{After, Board};
    let (mut world, mut board) = (Game::new(level), Board::new(level));
    let mut copy = Board::new(level);
    let mut past = Vec::new();
    for _ in 0..MOST_ACTIONS {
        if choices.are_over() || world.standing() != Standing::Playing {
            return;
        }
        match choices.below(6) {
            5 => {
                let Some((before, key)) = past.pop() else { continue };
                assert!(board.undo());
                (world, _) = (before, ());
                assert_eq!(board.key(), key);
            }
            key => {
                past.push((world.clone(), board.key()));
                world.act(Key::ALL[key]);
                board.act(Key::ALL[key]);
            }
        }
        copy.load(&board.pack());
        for board in [&board, &copy] {
            assert_eq!(world.tiles(), board.tiles());
            assert_eq!(world.hero(), board.hero());
            let standing = match board.standing() {
                After::Playing => Standing::Playing,
                After::Won => Standing::Won,
                After::Lost => Standing::Lost,
            };
            assert_eq!(world.standing(), standing);
        }
        assert_eq!(copy.key(), board.key());
    }
}

/// Labyrinth: the two simulators under the same commands, then the referee with the explorer.
fn wander(maze: &labyrinth::format::Maze, mut choices: Choices<'_>) {
    use labyrinth::format::protocol::{Readings, Reply};
    use labyrinth::rules::Game;
    use labyrinth::state::State;
    let readings = Readings::all().nth(choices.below(16)).unwrap_or_default();
    let (mut slow, mut fast) = (Game::new(maze, readings), State::new(maze, readings));
    for _ in 0..MOST_ACTIONS {
        if choices.are_over() {
            break;
        }
        let command = command(&mut choices);
        let (expected, got) = (slow.act(command), fast.act(command));
        assert_eq!(got, expected, "{command}");
        if expected.is_err() {
            break;
        }
        let told = (slow.player, slow.sticks, slow.commands, slow.oxygen);
        assert_eq!((fast.player(), fast.sticks(), fast.commands(), fast.oxygen()), told);
        assert_eq!(expected == Ok(Reply::Found), slow.won);
        if slow.won {
            break;
        }
    }
    explore(maze, readings);
}

fn command(choices: &mut Choices<'_>) -> labyrinth::format::protocol::Command {
    use labyrinth::format::protocol::{Command, Heading};
    let kind = choices.byte();
    let heading = Heading::ALL[usize::from(kind >> 2) % 4];
    let most = match choices.byte() {
        255 => u32::MAX,
        n => u32::from(n % 64) + 1,
    };
    match kind & 3 {
        0 | 1 => Command::Walk(heading, most),
        2 if kind & 64 == 0 => Command::Look(heading, most),
        2 => Command::LookAround,
        _ => Command::Dynamite,
    }
}

/// The explorer plays before the referee, who keeps to the rules.
fn explore(maze: &labyrinth::format::Maze, readings: labyrinth::format::protocol::Readings) {
    use labyrinth::explorer::Explorer;
    use labyrinth::format::protocol::Reply;
    use labyrinth::program::{Arbiter, Ending};
    use labyrinth::rules::Game;
    let mut arbiter = Arbiter::new(maze, readings);
    let mut rules = Game::new(maze, readings);
    let mut explorer = Explorer::new(maze.sticks);
    for _ in 0..MOST_ACTIONS {
        let command = explorer.command();
        let answer = arbiter.answer(&command.to_string());
        match rules.act(command) {
            Err(violation) => {
                let lost = Ending::Lost(violation.to_string());
                assert_eq!(arbiter.ending(), Some(&lost), "{command}");
                return;
            }
            Ok(reply) => {
                assert_eq!(answer, reply.text(), "{command}");
                if reply == Reply::Found {
                    assert_eq!(arbiter.ending(), Some(&Ending::Won));
                    return;
                }
                explorer.hear(&reply);
            }
        }
        assert_eq!(explorer.contradiction(), None, "after {command}");
    }
}
