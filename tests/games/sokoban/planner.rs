//! Sokoban from outside: the statement's program, formats, the two simulators, the planners.

use outwit::board::ORTHOGONAL;
use outwit::diagnostic::Source;
use outwit::games::sokoban::board::region::{Flood, Occupied};
use outwit::games::sokoban::board::square_set::{has, put};
use outwit::games::sokoban::board::{Board, DIRECTIONS, Push, Square, State};
use outwit::games::sokoban::format::{Level, read_keys, read_levels};
use outwit::games::sokoban::lurd;
use outwit::games::sokoban::planner::analysis::Prepared;
use outwit::games::sokoban::planner::analysis::level::LevelAnalysis;
use outwit::games::sokoban::planner::analysis::macro_moves::{MacroMoveGenerator, Motion};
use outwit::games::sokoban::planner::analysis::push_distance::PushDistances;
use outwit::games::sokoban::planner::deadlock::Deadlocks;
use outwit::games::sokoban::planner::fess::expand_macros::expand_macros;
use outwit::games::sokoban::planner::fess::finish::{HybridSearch, Limits};
use outwit::games::sokoban::planner::fess::mobility::{Mobility, Pushes};
use outwit::games::sokoban::planner::fess::restarts::FessRestarts;
use outwit::games::sokoban::planner::fess::{Fess, Found, Style};
use outwit::games::sokoban::planner::packing::assignment::{Assignment, IndexSet, unmatched};
use outwit::games::sokoban::planner::packing::plan_search::{
    ExitOrder, ExitRules, PlanOptions, THOROUGH,
};
use outwit::games::sokoban::planner::packing::sinks::{Fit, Reaches, Sinks};
use outwit::games::sokoban::planner::packing::{self, Packing};
use outwit::games::sokoban::planner::pushes::Ended;
use outwit::games::sokoban::rules::{Done, Game};
use outwit::games::{Area, GameId, GenerateOptions, Objective, PlanError, SimulateError};
use outwit::search::{Budget, Deadline, Verdict};
use outwit::verify::verify;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn levels(text: &str) -> Vec<Level> {
    read_levels(&Source::new("test.xsb", text)).unwrap_or_else(|e| panic!("{}", e.report(false)))
}

/// A budget that depends on nothing but expansions.
fn nodes(nodes: u64, threads: usize) -> Budget {
    Budget { nodes: Some(nodes), threads, ..Budget::seconds(600.0) }
}

/// What is known of a board before a search.
fn prepared(board: &Board) -> (LevelAnalysis, Arc<PushDistances>) {
    (LevelAnalysis::new(board), Arc::new(PushDistances::new(board)))
}

/// The levels of the project's own areas, by name.
fn own_areas() -> impl Iterator<Item = (String, Level)> {
    std::fs::read_dir(project("areas/sokoban")).expect("areas/sokoban").flatten().map(|entry| {
        let path = entry.path();
        let source = Source::read(&path).expect("a file");
        let level = read_levels(&source).expect("a level").remove(0);
        (path.file_stem().unwrap_or_default().to_string_lossy().into_owned(), level)
    })
}

/// The project's solution of one of its own areas.
fn own_solution(name: &str) -> Source {
    let path = project("solutions/sokoban").join(format!("{name}.plan"));
    Source::read(&path).expect("a solution")
}

const SMALL: &str = "\
####
# .#
#  ###
#*@  #
#  $ #
#  ###
####
; corridor
#########
#@ $ $..#
#########
; two rooms
  ####
###  ####
#     $ #
# #  #$ #
# . .#@ #
#########
; round the pillar
#######
#     #
# .#. #
# $ $ #
#  @  #
#######
";

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

#[test]
fn boards_are_read_plain_run_length_and_with_titles() {
    let plain = levels("#####\n#@$.#\n#####\nTitle: one push\n");
    assert_eq!(plain[0].name, "one push");
    for text in ["5#|#@$.#|5#\n", "5#\n#@$.#\n5#\n", "#####\r\n#@$.#\r\n#####\r\n"] {
        assert!(levels(text)[0].same_board(&plain[0]), "{text:?}");
    }
    let floor = levels("-####-\n##--##\n#@$-.#\n######\n");
    assert!(floor[0].same_board(&levels(" ####\n##__##\n#@$ .#\n######\n")[0]));
    assert!(levels("\u{feff}#####\n#@$.#\n#####\n")[0].same_board(&plain[0]), "byte order mark");
    let told = "Maze: 1\nFile offset: 12\nSize X: 5\n\n#####\n#@$.#\n#####\n\nLength: 5\n";
    assert_eq!(levels(told)[0].name, "Maze: 1");
    let many = levels(SMALL);
    assert_eq!(many.len(), 4);
    assert_eq!(many[2].name, "two rooms");
    for level in &many {
        assert_eq!(&levels(&level.text())[0], level, "what is written is what is read");
    }
}

#[test]
fn broken_boards_are_refused_with_line_and_column() {
    let cases = [
        ("#####\n#@$ #\n#####\n", 1, 1, "targets"),
        ("####\n#$.#\n####\n", 1, 1, "no player"),
        ("#####\n#@@ #\n#####\n", 2, 3, "second player"),
        ("#####\n#@$.\n#####\n", 2, 4, "close"),
        ("#####\n#@x.#\n#####\n", 2, 3, "belong"),
        ("no board\n", 0, 0, "no board"),
    ];
    for (text, line, column, word) in cases {
        let error = read_levels(&Source::new("t", text)).expect_err(text);
        assert_eq!((error.line, error.column), (line, column), "{text:?}: {error}");
        assert!(error.message.contains(word), "{text:?}: {error}");
    }
    let wide = format!("{}\n", "#".repeat(5000));
    assert!(read_levels(&Source::new("t", wide)).is_err());
}

#[test]
fn any_bytes_are_a_level_or_a_diagnostic() {
    let seed = 7;
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let letters: Vec<char> = "##### @+$*.-_\n\n|3;aT:é9".chars().collect();
    for _ in 0..3000 {
        let length = random.random_range(0..120);
        let text: String =
            (0..length).map(|_| letters[random.random_range(0..letters.len())]).collect();
        match read_levels(&Source::new("t", text.as_str())) {
            Ok(levels) => levels.iter().for_each(|level| assert!(level.boxes.len() < 200)),
            Err(error) => assert!(!error.report(false).is_empty(), "seed {seed}: {text:?}"),
        }
    }
}

#[test]
fn plans_are_accepted_in_either_form_and_the_first_wrong_key_is_named() {
    let level = &levels("######\n#@$ .#\n######\n")[0];
    for plan in ["RR\n", "2R", "rr", "R\nR\n", "; a comment\nRR"] {
        let proof = level.replay(&Source::new("p", plan)).expect(plan);
        assert_eq!(proof.rank, [2, 2], "{plan:?}");
    }
    match level.replay(&Source::new("p", "R\nuR")) {
        Err(PlanError::Refused(refusal)) => {
            assert_eq!(refusal.step, 2);
            assert_eq!(refusal.line, Some((2, "u".into())));
            assert!(refusal.board.contains('@'));
        }
        other => panic!("{other:?}"),
    }
    match level.replay(&Source::new("p", "R")) {
        Err(PlanError::Refused(refusal)) => assert_eq!(refusal.step, 2),
        other => panic!("{other:?}"),
    }
    match level.replay(&Source::new("p", "R\n R?")) {
        Err(PlanError::Unreadable(error)) => assert_eq!((error.line, error.column), (2, 3)),
        other => panic!("{other:?}"),
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
    assert_eq!(fresh.key, state.key, "the key kept is the key made anew");
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

/// Least pushes, or least moves, by breadth-first search through the reference rules.
fn brute_force(level: &Level, moves: bool) -> Option<u64> {
    let start = Game::new(level);
    let mut best: HashMap<String, u64> = HashMap::from([(start.board(), 0)]);
    let mut queue = VecDeque::from([(start, 0)]);
    let mut least: Option<u64> = None;
    while let Some((game, cost)) = queue.pop_front() {
        if best[&game.board()] < cost {
            continue;
        }
        if game.is_complete() {
            least = Some(least.map_or(cost, |l: u64| l.min(cost)));
            continue;
        }
        for direction in ORTHOGONAL {
            let mut next = game.clone();
            let Ok(done) = next.press(direction) else { continue };
            let cost = cost + u64::from(moves || done == Done::Pushed);
            let known = best.entry(next.board()).or_insert(u64::MAX);
            if cost < *known {
                *known = cost;
                // Walking costs nothing when pushes count: such children go first.
                if done == Done::Moved && !moves {
                    queue.push_front((next, cost));
                } else {
                    queue.push_back((next, cost));
                }
            }
        }
    }
    least
}

/// Levels for [`brute_force`] of so many boxes; some have no solution.
fn small_levels(boxes: &str) -> Vec<Level> {
    let mut all = levels(SMALL);
    for seed in 0..40 {
        let mut options = GenerateOptions { seed, ..GenerateOptions::default() };
        for (name, value) in [("rows", "6"), ("cols", "7"), ("boxes", boxes), ("walls", "15")] {
            options.values.insert(name.into(), value.into());
        }
        if let Ok(made) = GameId::Sokoban.game().generate(&options) {
            let level = levels(&made.area).remove(0);
            // The same board with a box in a corner or at a wall more often cannot be solved.
            let turned: String =
                level.board().replace('.', "-").replace('$', ".").replace('-', "$");
            all.push(level);
            if let Ok(turned) = read_levels(&Source::new("turned", turned)) {
                all.extend(turned);
            }
        }
    }
    all
}

#[test]
fn optima_are_those_of_brute_force_and_impossible_means_impossible() {
    let all = small_levels("2");
    let mut impossible = 0;
    for level in &all {
        for (aim, moves) in [("pushes", false), ("moves", true)] {
            let wanted = brute_force(level, moves);
            let objective = GameId::Sokoban.game().objective(Some(aim)).unwrap();
            let answer = level.solve(&objective, None, &nodes(2_000_000, 1));
            assert_eq!(answer.length, wanted, "{}\n{}", level.name, level.board());
            let verdict = if wanted.is_some() { Verdict::Optimal } else { Verdict::Impossible };
            assert_eq!(answer.verdict, verdict, "{}", level.board());
            impossible += usize::from(wanted.is_none());
            if let Some(plan) = answer.plan {
                verify(level, &Source::new("plan", plan)).expect("a valid plan");
            }
        }
        let answer = level.solve(&Objective::default(), None, &nodes(200_000, 1));
        match brute_force(level, false) {
            Some(_) => assert_eq!(answer.verdict, Verdict::Found, "{}", level.board()),
            None => assert!(answer.plan.is_none()),
        }
    }
    assert!(impossible > 4, "the test needs levels that cannot be solved");
}

/// Feature-space search leaves out nothing that is needed: alone it solves what can be solved, and
/// is through with what cannot. In many of these levels a corral has to be played first.
#[test]
fn feature_space_search_alone_is_complete() {
    let (mut solved, mut exhausted) = (0, 0);
    for level in small_levels("3") {
        let board = Board::new(&level);
        if !board.balanced() {
            continue;
        }
        let (analysis, distances) = prepared(&board);
        let prepared = Prepared { board: &board, analysis: &analysis, distances: &distances };
        let budget = nodes(u64::MAX, 1);
        let clock = budget.start();
        let packing = Arc::new(packing::plan(
            &board,
            &analysis,
            thorough(ExitOrder::Far, ExitRules::STRICT),
            &clock,
        ));
        let mut search = Fess::new(prepared, packing, Style::default());
        match (search.run(&clock, (200_000, u64::MAX), 1 << 28), brute_force(&level, false)) {
            (Found::Solved(_), Some(_)) => solved += 1,
            (Found::Exhausted, None) => exhausted += 1,
            (found, least) => panic!("{found:?}, but {least:?} pushes:\n{}", level.board()),
        }
    }
    assert!(solved > 30 && exhausted > 10, "{solved} solved, {exhausted} exhausted");
}

#[test]
fn a_plan_does_not_depend_on_the_number_of_threads() {
    for seed in 0..6 {
        let mut options = GenerateOptions { seed, ..GenerateOptions::default() };
        options.values.insert("boxes".into(), "6".into());
        let made = GameId::Sokoban.game().generate(&options).expect("a level");
        let level = &levels(&made.area)[0];
        let plans: Vec<_> = [1, 2, 3]
            .map(|threads| level.solve(&Objective::default(), None, &nodes(100_000, threads)).plan)
            .into();
        assert!(plans[0].is_some());
        assert!(plans.windows(2).all(|two| two[0] == two[1]), "seed {seed}: {plans:?}");
    }
}

/// Along every solution nothing is called dead, though what the tests learn from the pushes beside
/// it is kept.
#[test]
fn no_position_that_can_be_solved_is_called_dead() {
    let mut dead = 0;
    for (name, level) in own_areas() {
        let keys = read_keys(&own_solution(&name)).expect("keys");
        let directions: Vec<_> = keys.iter().map(|key| key.direction).collect();
        let board = Board::new(&level);
        let analysis = LevelAnalysis::new(&board);
        let mut deadlocks = Deadlocks::new(&board, &analysis, 100);
        let mut is_dead = |state: &State<'_>, moved: u16| {
            let boxes = state.boxes();
            let mut bits = vec![0; analysis.words];
            boxes.iter().for_each(|&s| put(&mut bits, s));
            deadlocks.is_dead_quickly(&state.occupied, &bits, moved, state.player)
                || deadlocks.is_dead(&boxes, state.player)
        };
        let mut state = State::new(&board);
        let mut flood = Flood::new(&board.layout);
        let mut beside = Vec::new();
        for (i, &push) in lurd::pushes_of(&board, &directions).expect("pushes").iter().enumerate() {
            state.pushes(&mut flood, &mut beside);
            for &push in &beside {
                let to = board.next[push.from as usize][push.direction as usize];
                state.push(push);
                dead += usize::from(is_dead(&state, to));
                state.undo();
            }
            let to = board.next[push.from as usize][push.direction as usize];
            state.push(push);
            assert!(!is_dead(&state, to), "{name}: after push {}", i + 1);
        }
    }
    assert!(dead > 100, "only {dead} pushes beside the solutions are known to be dead");
}

/// What best-first search teaches feature-space search where it proves a position dead holds for
/// no position of a solution.
#[test]
fn no_learned_deadlock_is_on_the_way_of_a_solution() {
    let mut learned = 0;
    for seed in 0..12 {
        let mut options = GenerateOptions { seed, ..GenerateOptions::default() };
        options.values.insert("boxes".into(), "7".into());
        let made = GameId::Sokoban.game().generate(&options).expect("a level");
        let level = &read_levels(&Source::new("made", made.area.as_str())).expect("a level")[0];
        let answer = level.solve(&Objective::default(), None, &nodes(200_000, 1));
        let plan = answer.plan.expect("a plan");
        let keys = read_keys(&Source::new("plan", plan.as_str())).expect("keys");
        let directions: Vec<_> = keys.iter().map(|key| key.direction).collect();
        let board = Board::new(level);
        let (analysis, distances) = prepared(&board);
        let prepared = Prepared { board: &board, analysis: &analysis, distances: &distances };
        let budget = nodes(u64::MAX, 1);
        let clock = budget.start();
        let packing = Arc::new(packing::plan(
            &board,
            &analysis,
            thorough(ExitOrder::Drawn(seed), rules(seed)),
            &clock,
        ));
        let search = Fess::new(prepared, packing, Style::default());
        let mut hybrid = HybridSearch::new(prepared, search);
        for round in 1..6 {
            let limits =
                Limits { features: round * 40, handed: 300, nodes: u64::MAX, memory: 1 << 28 };
            if matches!(hybrid.run(&clock, limits), Ended::Exhausted) {
                break;
            }
        }
        let search = hybrid.search;
        learned += search.deadlocks.patterns();
        let mut state = State::new(&board);
        for &push in &lurd::pushes_of(&board, &directions).expect("pushes") {
            state.push(push);
            let mut bits = vec![0; analysis.words];
            state.boxes().iter().for_each(|&s| put(&mut bits, s));
            assert!(!search.deadlocks.matches_any(&bits, state.player), "seed {seed}");
        }
    }
    assert!(learned > 20, "only {learned} deadlocks were learned");
}

/// A search that begins at a position it was given, or at one of its own, ends with pushes from the
/// level's start, which are possible and fill every target.
#[test]
fn searches_begun_anew_tell_the_whole_way() {
    let (mut solved, mut through) = (0, 0);
    for name in ["pull-9x11-4-401", "pull-10x14-7-700", "pull-12x17-10-1001", "pull-14x18-12-1100"]
    {
        let path = project(&format!("areas/sokoban/{name}.xsb"));
        let level = &read_levels(&Source::read(&path).expect("a file")).expect("a level")[0];
        let board = Board::new(level);
        let (analysis, distances) = prepared(&board);
        let prepared = Prepared { board: &board, analysis: &analysis, distances: &distances };
        let budget = nodes(u64::MAX, 1);
        let clock = budget.start();
        for seed in 0..4 {
            let packing = Arc::new(packing::plan(
                &board,
                &analysis,
                thorough(ExitOrder::Drawn(seed), rules(seed)),
                &clock,
            ));
            let mut search = Fess::new(prepared, packing, Style::default());
            let mut restarts = FessRestarts::new(prepared, seed);
            let mut given = Vec::new();
            if let Found::Stopped(_) = search.run(&clock, (3, u64::MAX), 1 << 28) {
                given.extend(search.best_nodes(3).into_iter().map(|node| search.reached(node)));
            }
            given.iter().for_each(|reached| restarts.keep(reached.clone()));
            let Ended::Solved(pushes) = restarts.run(&clock, (60_000, 60_000), 1 << 28) else {
                continue;
            };
            assert!(lurd::write(&board, &pushes).is_some(), "{name}, seed {seed}");
            let mut state = State::new(&board);
            pushes.iter().for_each(|&push| state.push(push));
            let mut boxes = state.boxes().to_vec();
            boxes.sort_unstable();
            assert_eq!(boxes, board.targets, "{name}, seed {seed}");
            solved += 1;
            let passes = |macro_moves| {
                pushes.starts_with(&expand_macros(&board, macro_moves).expect("pushes"))
            };
            through +=
                usize::from(given.iter().any(|reached| {
                    !reached.macro_moves.is_empty() && passes(&reached.macro_moves)
                }));
        }
    }
    assert!(solved >= 8 && through >= 2, "{solved} solved, {through} through a given position");
}

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

/// How to plan with much work.
fn thorough(exit_order: ExitOrder, rules: ExitRules) -> PlanOptions {
    PlanOptions { exit_order, rules, work: THOROUGH }
}

/// All rules for plans.
const RULES: [ExitRules; 4] =
    [ExitRules::STRICT, ExitRules::ASIDE, ExitRules::OPEN, ExitRules::EXACT];

/// One of them.
fn rules(seed: u64) -> ExitRules {
    RULES[seed as usize % RULES.len()]
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
            let plan = packing::plan(&board, &analysis, options, &Budget::default().start());
            let mut start = vec![0; analysis.words];
            board.boxes.iter().for_each(|&s| put(&mut start, s));
            let unmatched = plan.schedule(0, &start).unmatched;
            assert_eq!(unmatched, 0, "{name}: to the exit_order {exit_order:?}");
        }
    }
    assert!(checked > 10, "the test needs levels");
}

/// With the spare steps of a matching, one box more is counted as by matching all anew.
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
        &Budget::default().start(),
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

/// The pushes that the player can do with a lifted box on each of its stops are those that walking
/// tells anew.
#[test]
fn pushes_counted_while_a_box_is_lifted_are_those_counted_anew() {
    let seed = 31;
    println!("seed {seed}");
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let (mut checked, mut parted_ones) = (0, 0);
    for (name, level) in own_areas() {
        let board = Board::new(&level);
        let mut flood = Flood::new(&board.layout);
        let mut before = Flood::new(&board.layout);
        let mut generator = MacroMoveGenerator::new(&board);
        let mut mobility = Mobility::new(&board);
        let mut state = State::new(&board);
        let mut pushes = Vec::new();
        let words = board.squares().div_ceil(64);
        let (mut whole, mut region) = (vec![0; words], vec![0; words]);
        for _ in 0..20 {
            state.pushes(&mut flood, &mut pushes);
            let Some(&push) = pushes.get(random.random_range(0..pushes.len().max(1))) else {
                break;
            };
            before.fill(&state.occupied, state.player);
            let mut occupied = state.occupied.clone();
            occupied.set(push.from, false);
            generator.analyse(&board, &occupied);
            generator.component(push.from, &mut whole);
            let stay = state.boxes().into_iter().filter(|&s| s != push.from);
            mobility.count(&board, stay.clone(), &occupied, (&whole, &before));
            generator.reach(&board, push.from, Some(state.player), Motion::Push, |_| true);
            for stop in generator.reached() {
                let to = stop.square;
                let player = board.next[to as usize][stop.side as usize];
                occupied.set(to, true);
                generator.region(&board, (to, player), &whole, &mut region);
                let parted = generator.regions_with(to) > generator.regions();
                let around = if parted { &region } else { &whole };
                let counted = mobility.with(&board, &occupied, to, (around, parted));
                flood.fill(&occupied, player);
                let mut anew = Pushes::default();
                for s in stay.clone().chain([to]) {
                    for d in 0..4 {
                        let (ahead, behind) =
                            (board.next[s as usize][d], board.next[s as usize][d ^ 2]);
                        let possible = flood.contains(behind) && !occupied[ahead as usize];
                        anew.possible += u16::from(possible);
                        anew.new += u16::from(possible && s != to && !before.contains(behind));
                    }
                }
                assert_eq!(counted, anew, "{name}: the box from {} on {to}", push.from);
                occupied.set(to, false);
                checked += 1;
                parted_ones += usize::from(parted);
            }
            state.push(push);
        }
    }
    assert!(checked > 1000 && parted_ones > 100, "{checked} checked, {parted_ones} parted");
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
            let plan = packing::plan(&board, &analysis, options, &Budget::default().start());
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

#[test]
fn improving_never_lengthens_and_keeps_plans_valid() {
    let mut shorter = 0;
    for seed in 0..6 {
        let options = GenerateOptions { seed, ..GenerateOptions::default() };
        let made = GameId::Sokoban.game().generate(&options).expect("a level");
        let level = &levels(&made.area)[0];
        let before = verify(level, &Source::new("made", made.plan.as_str())).expect("valid");
        let answer = level.improve(&made.plan, &Objective::default(), &nodes(50_000, 1));
        let plan = answer.plan.expect("a plan");
        let after = verify(level, &Source::new("improved", plan)).expect("valid");
        assert!(after.validation().rank <= before.validation().rank);
        shorter += usize::from(after.beats(&before));
    }
    assert!(shorter > 2, "plans of random pulls can be shortened");
}

#[test]
fn generated_levels_are_reproducible_and_their_plans_valid() {
    for seed in 0..20 {
        let options = GenerateOptions { seed, ..GenerateOptions::default() };
        let game = GameId::Sokoban.game();
        let made = game.generate(&options).expect("a level");
        assert_eq!(made.area, game.generate(&options).expect("a level").area);
        let level = &levels(&made.area)[0];
        verify(level, &Source::new("made", made.plan)).expect("a valid plan");
    }
}

#[test]
fn own_areas_have_solutions_that_are_valid() {
    let mut count = 0;
    for (name, level) in own_areas() {
        verify(&level, &own_solution(&name)).expect("a valid solution");
        count += 1;
    }
    assert!(count >= 32, "{count} areas");
}

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
