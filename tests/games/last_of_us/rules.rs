//! The rules of The Last of Us, one by one, on tiny boards drawn for the purpose; plans and hand
//! play through the waist. Rows and columns count from 0 here.

use outwit::board::Direction;
use outwit::diagnostic::Source;
use outwit::games::last_of_us::format::{Action, read_action, read_map};
use outwit::games::last_of_us::rules::{Event, Game, Outcome, Readings, Refused};
use outwit::games::{Area, Fact, GameId, PlanError, Refusal, Session, Status, Validation, Window};
use std::path::Path;

type At = (i32, i32);

fn text(bricks: u32, rows: [&str; 10]) -> String {
    format!("board\n10 10 {bricks}\n{}\n", rows.join("\n"))
}

fn game_under(readings: Readings, bricks: u32, rows: [&str; 10]) -> Game {
    Game::new(&read_map(&Source::new("board", text(bricks, rows))).unwrap(), readings)
}

fn game(bricks: u32, rows: [&str; 10]) -> Game {
    game_under(Readings::default(), bricks, rows)
}

fn action(line: &str) -> Action {
    let source = Source::new("step", line);
    let line = source.lines().next().unwrap();
    read_action(&source, line).unwrap()
}

#[track_caller]
fn survive(game: &mut Game, line: &str) {
    assert_eq!(game.act(action(line)), Ok(Event::Survived), "{line}\n{}", game.around_ellie());
}

fn at(game: &Game, cell: outwit::board::Cell) -> At {
    (game.map().shape.row(cell), game.map().shape.col(cell))
}

/// The clickers with what they trace, in order of their cells.
fn clickers(game: &Game) -> Vec<(At, Option<At>)> {
    let mut all: Vec<_> =
        game.clickers().iter().map(|c| (at(game, c.cell), c.traces.map(|x| at(game, x)))).collect();
    all.sort_unstable();
    all
}

fn killed(game: &mut Game, line: &str) -> At {
    match game.act(action(line)) {
        Ok(Event::Killed(cell)) => at(game, cell),
        other => panic!("{line}: {other:?}"),
    }
}

const EMPTY: &str = "..........";

#[test]
fn she_walks_to_empty_cells_and_between_blocked_ones() {
    let rows = ["E#.......X", "#..C......", EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY];
    let mut game = game(0, rows);
    assert_eq!(game.act(action("w 1 0")), Err(Refused::WalkBlocked(1, 2)));
    assert_eq!(game.act(action("w 0 1")), Err(Refused::WalkOffBoard));
    assert_eq!(game.act(action("w -1 -1")), Err(Refused::WalkOffBoard));
    assert_eq!(game.turn(), 0, "a refused action is no turn");
    survive(&mut game, "w 1 -1");
    assert_eq!(at(&game, game.ellie()), (1, 1), "diagonally between two blocked cells");
    // The clicker at distance 2 has heard it, and has come beside her.
    assert_eq!(clickers(&game), [((1, 2), Some((1, 1)))]);
    assert_eq!(game.act(action("w 1 0")), Err(Refused::WalkOntoClicker(2, 3)));
    assert_eq!(killed(&mut game, "w 0 0"), (1, 2));
    assert_eq!(game.act(action("w 0 0")), Err(Refused::AlreadyDead));
}

#[test]
fn dy_grows_upward_and_dx_to_the_right() {
    let rows = [EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, ".....E....", EMPTY, EMPTY, EMPTY, "X........."];
    let mut game = game(0, rows);
    survive(&mut game, "w 1 1");
    assert_eq!(at(&game, game.ellie()), (4, 6));
    survive(&mut game, "w -1 0");
    assert_eq!(at(&game, game.ellie()), (4, 5));
    survive(&mut game, "w 0 -1");
    assert_eq!(at(&game, game.ellie()), (5, 5));
}

#[test]
fn bricks_fly_seven_cells_over_walls_to_empty_cells() {
    let rows =
        ["E#.....C.X", "##........", EMPTY, "...#......", EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY];
    let mut game = game(4, rows);
    assert_eq!(game.act(action("b 1 0")), Err(Refused::ThrowBlocked(1, 2)));
    assert_eq!(game.act(action("b 3 -3")), Err(Refused::ThrowBlocked(4, 4)));
    assert_eq!(game.act(action("b 7 0")), Err(Refused::ThrowOntoClicker(1, 8)));
    assert_eq!(game.act(action("b 0 1")), Err(Refused::ThrowOffBoard));
    let far = Action::Throw { drow: 8, dcol: 0 };
    assert_eq!(game.act(far), Err(Refused::ThrowTooFar(8)));
    assert_eq!(game.act(Action::Throw { drow: 0, dcol: i8::MIN }), Err(Refused::ThrowTooFar(128)));
    assert_eq!(game.bricks(), 4, "a refused throw costs nothing");
    survive(&mut game, "b 7 -7");
    survive(&mut game, "b 0 0");
    survive(&mut game, "b 2 0");
    survive(&mut game, "b 2 0");
    assert_eq!(game.bricks(), 0);
    assert_eq!(game.act(action("b 2 0")), Err(Refused::NoBricks));
    survive(&mut game, "w 0 0");
}

#[test]
fn the_exit_is_no_target() {
    let rows = ["E..X......", EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY];
    assert_eq!(game(1, rows).act(action("b 3 0")), Err(Refused::ThrowOntoExit));
}

#[test]
fn she_wins_at_once_whatever_stands_beside_the_exit() {
    let rows = ["EX........", ".CC.......", EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY];
    let mut game = game(0, rows);
    assert_eq!(game.act(action("w 1 0")), Ok(Event::Won));
    assert_eq!(game.outcome(), Outcome::Won);
    assert_eq!(clickers(&game), [((1, 1), None), ((1, 2), None)], "nobody hears the last step");
    assert_eq!(game.act(action("w 0 0")), Err(Refused::AlreadyWon));
}

#[test]
fn a_sound_is_heard_two_cells_away_and_through_walls() {
    let rows = [
        "..........",
        "..........",
        "...C......",
        "...C..C...",
        "..........",
        "C.........",
        "..######..",
        ".....C....",
        "..........",
        "E........X",
    ];
    let mut game = game(1, rows);
    survive(&mut game, "b 3 4");
    let sound = Some((5, 3));
    let moved = [((2, 3), None), ((3, 6), None), ((4, 3), sound), ((5, 0), None), ((7, 4), sound)];
    assert_eq!(clickers(&game), moved);
}

#[test]
fn standing_still_is_heard_unless_the_reading_says_otherwise() {
    let rows = ["E.C.......", EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, ".........X"];
    let mut loud = game(0, rows);
    survive(&mut loud, "w 0 0");
    assert_eq!(clickers(&loud), [((0, 1), Some((0, 0)))]);
    assert_eq!(killed(&mut loud, "w 0 0"), (0, 1));
    let silent = Readings { still_is_silent: true, ..Readings::default() };
    let mut quiet = game_under(silent, 1, rows);
    for _ in 0..5 {
        survive(&mut quiet, "w 0 0");
        assert_eq!(clickers(&quiet), [((0, 2), None)]);
    }
    // A brick on her own cell is heard under both readings.
    survive(&mut quiet, "b 0 0");
    assert_eq!(clickers(&quiet), [((0, 1), Some((0, 0)))]);
}

#[test]
fn the_last_sound_is_traced_until_it_is_reached() {
    let rows = [EMPTY, EMPTY, EMPTY, ".....C....", EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, "..E......X"];
    let mut game = game(3, rows);
    survive(&mut game, "b 3 4");
    assert_eq!(clickers(&game), [((4, 5), Some((5, 5)))]);
    survive(&mut game, "b 4 5");
    assert_eq!(clickers(&game), [((4, 6), None)], "it forgets the first and is there");
    survive(&mut game, "b 5 3");
    assert_eq!(clickers(&game), [((5, 7), Some((6, 7)))]);
    survive(&mut game, "w 0 0");
    survive(&mut game, "w 0 0");
    assert_eq!(clickers(&game), [((6, 7), None)]);
}

#[test]
fn a_clicker_beside_her_kills_before_it_thinks_of_sounds() {
    let rows = [
        "E.........",
        "..........",
        ".C........",
        EMPTY,
        EMPTY,
        EMPTY,
        EMPTY,
        EMPTY,
        EMPTY,
        ".........X",
    ];
    // She steps beside a sleeping clicker.
    assert_eq!(killed(&mut game(0, rows), "w 0 -1"), (2, 1));
    // A brick draws nobody away who stands beside her already.
    let rows =
        ["EC........", "..........", EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, ".........X"];
    assert_eq!(killed(&mut game(1, rows), "b 3 0"), (0, 1));
    // Of two the first in order does it.
    let rows = [
        "....C.....",
        "..........",
        "....E.....",
        "...C......",
        EMPTY,
        EMPTY,
        EMPTY,
        EMPTY,
        EMPTY,
        ".........X",
    ];
    assert_eq!(killed(&mut game(0, rows), "w 0 0"), (3, 3));
    assert_eq!(killed(&mut game(0, rows), "w -1 0"), (3, 3));
    let rows = [
        "..........",
        "....C.....",
        "..........",
        "..E.......",
        "...C......",
        EMPTY,
        EMPTY,
        EMPTY,
        EMPTY,
        ".........X",
    ];
    assert_eq!(killed(&mut game(0, rows), "w 1 1"), (1, 4));
}

#[test]
fn a_clicker_that_comes_beside_her_kills_a_turn_later_and_can_be_outrun() {
    let rows = ["C.E.......", EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, "X........."];
    let mut game = game(0, rows);
    survive(&mut game, "w 0 0");
    assert_eq!(clickers(&game), [((0, 1), Some((0, 2)))]);
    for col in 3..10 {
        survive(&mut game, "w 1 0");
        assert_eq!(clickers(&game), [((0, col - 1), Some((0, col)))]);
    }
    assert_eq!(killed(&mut game, "w 0 -1"), (0, 8), "at the wall it has her");
}

/// One clicker in the middle, Ellie at the bottom left; throws, and answers where it steps.
fn steps_to(rows: [&str; 10], brick: &str) -> At {
    let mut game = game(1, rows);
    survive(&mut game, brick);
    let awake: Vec<_> = clickers(&game).into_iter().filter(|c| c.1.is_some()).collect();
    assert_eq!(awake.len(), 1);
    awake[0].0
}

#[test]
fn of_the_ways_it_takes_the_smallest_offset_then_clockwise_from_the_top() {
    let open = [EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, ".....C....", EMPTY, EMPTY, EMPTY, "..E......X"];
    // Straight on beats the diagonals.
    assert_eq!(steps_to(open, "b 5 4"), (5, 6));
    // South-west (offset 1) beats South (offset 2), which comes first clockwise.
    assert_eq!(steps_to(open, "b 2 2"), (6, 4));
    assert_eq!(steps_to(open, "b 4 2"), (6, 6), "South-east beats South as well");
    // North is blocked: North-east and North-west tie, North-east is first clockwise.
    let mut blocked = open;
    blocked[4] = ".....#....";
    assert_eq!(steps_to(blocked, "b 3 6"), (4, 6));
    // West is blocked: South-west comes before North-west.
    blocked[4] = EMPTY;
    blocked[5] = "....#C....";
    assert_eq!(steps_to(blocked, "b 1 4"), (6, 4));
    // South is blocked: South-east comes before South-west.
    blocked[5] = ".....C....";
    blocked[6] = ".....#....";
    assert_eq!(steps_to(blocked, "b 3 2"), (6, 6));
}

#[test]
fn where_the_sounds_cell_is_taken_it_waits_beside_and_traces_on() {
    let rows = [
        "##########",
        "#.......##",
        "#.#####.##",
        "#.#...#.##",
        "#.#.#.#.##",
        "#C#.#.#.##",
        "#C#.#...##",
        "###.######",
        "E...#####X",
        "##########",
    ];
    // The sound is two cells east of them, and a long way round.
    let mut game = game(1, rows);
    survive(&mut game, "b 3 3");
    // The upper one acts first, then the lower one follows.
    assert_eq!(clickers(&game), [((4, 1), Some((5, 3))), ((5, 1), Some((5, 3)))]);
    for _ in 0..40 {
        survive(&mut game, "w 0 0");
    }
    let all = clickers(&game);
    assert!(all.contains(&((5, 3), None)), "the first arrives: {all:?}");
    let waiting: Vec<_> = all.iter().filter(|c| c.1 == Some((5, 3))).collect();
    assert_eq!(waiting.len(), 1, "the second waits beside, still tracing: {all:?}");
    assert!((waiting[0].0.0 - 5).abs().max((waiting[0].0.1 - 3).abs()) == 1, "{all:?}");
}

#[test]
fn two_come_from_two_sides_and_the_nearer_one_takes_the_cell() {
    let rows = [
        "##########",
        "#.....####",
        "#.###.####",
        "#.#.#C####",
        "#C#.#.####",
        "#.#...####",
        "#.########",
        "#......###",
        "##.##.##E.",
        "#########X",
    ];
    let mut game = game(1, rows);
    survive(&mut game, "b -5 3");
    let all = clickers(&game);
    assert_eq!(all, [((3, 1), Some((5, 3))), ((4, 5), Some((5, 3)))]);
    for _ in 0..12 {
        survive(&mut game, "w 0 0");
    }
    let all = clickers(&game);
    assert_eq!(all, [((5, 3), None), ((5, 4), Some((5, 3)))]);
}

#[test]
fn it_stands_still_behind_a_sleeper_rather_than_walk_around() {
    // From (4, 2) the way to the sound at (4, 4) has 7 steps by the north, where a sleeper stands
    // who does not hear it, and 8 by the south.
    let rows = [
        "##########",
        "#....#####",
        "#.##.#####",
        "#C##.#####",
        "##C#.#...#",
        "##.#.#.E.#",
        "##.#.#...#",
        "##.#.#####",
        "##...####X",
        "##########",
    ];
    let mut waits = game(1, rows);
    survive(&mut waits, "b -3 1");
    for _ in 0..5 {
        assert_eq!(clickers(&waits), [((3, 1), None), ((4, 2), Some((4, 4)))]);
        survive(&mut waits, "w 0 0");
    }
    // Without the sleeper it goes by the north.
    let mut goes = game(1, rows.map(|row| if row == "#C##.#####" { "#.##.#####" } else { row }));
    survive(&mut goes, "b -3 1");
    assert_eq!(clickers(&goes), [((3, 1), Some((4, 4)))]);
}

#[test]
fn the_exit_is_no_way_for_clickers() {
    let mut rows = [
        "##########",
        "##########",
        "##C#######",
        "##X#######",
        "##.#######",
        "##.#######",
        "##...E####",
        "##########",
        "##########",
        "##########",
    ];
    // (4, 2) is two cells from it, and only the exit leads there.
    let mut shut = game(1, rows);
    survive(&mut shut, "b -3 2");
    for _ in 0..3 {
        assert_eq!(clickers(&shut)[0].0, (2, 2), "it stands still");
        survive(&mut shut, "w 0 0");
    }
    // With another cell beside the exit it passes by.
    rows[3] = "##X.######";
    let mut open = game(1, rows);
    survive(&mut open, "b -3 2");
    assert_eq!(clickers(&open), [((3, 3), Some((4, 2)))]);
}

#[test]
fn a_sound_through_a_wall_sends_it_on_a_long_walk() {
    let rows = [
        "##########",
        "#...#....#",
        "#...#....#",
        "#..C#....#",
        "#...#....#",
        "#...#....#",
        "#...#....#",
        "#...#...E#",
        "#........#",
        "########X#",
    ];
    let mut game = game(1, rows);
    survive(&mut game, "b -3 4");
    // Round the end of the wall at (8, 4): five steps down to it, five up to (3, 5).
    let mut turns = 1;
    while clickers(&game)[0].1.is_some() {
        assert!(turns < 30);
        let (row, col) = clickers(&game)[0].0;
        if (row - 7).abs().max((col - 8).abs()) <= 3 {
            break;
        }
        survive(&mut game, "w 0 0");
        turns += 1;
    }
    assert_eq!(clickers(&game), [((7, 5), Some((3, 5)))], "after {turns} turns");
    assert_eq!(turns, 6);
}

/// Two clickers walk one behind the other: west, then down a corridor, where the one behind is the
/// upper one.
const QUEUE: [&str; 10] = [
    "##########",
    "##########",
    "#..CC.####",
    "#.#####..#",
    "#.#..##..#",
    "#.##.##.E#",
    "#.##.##..#",
    "#.##.##..#",
    "#....##.X#",
    "##########",
];

#[test]
fn clickers_are_sorted_again_each_turn_unless_the_order_is_fixed() {
    let sound = Some((4, 4));
    let fixed = Readings { fixed_order: true, ..Readings::default() };
    for (readings, third) in [(Readings::default(), (2, 2)), (fixed, (3, 1))] {
        let mut game = game_under(readings, 1, QUEUE);
        survive(&mut game, "b -4 1");
        assert_eq!(clickers(&game), [((2, 2), sound), ((2, 3), sound)]);
        survive(&mut game, "w 0 0");
        assert_eq!(clickers(&game), [((2, 2), sound), ((3, 1), sound)]);
        // Sorted: the upper one acts first, finds its way taken and stands still.
        survive(&mut game, "w 0 0");
        assert_eq!(clickers(&game), [(third, sound), ((4, 1), sound)]);
    }
}

#[test]
fn the_first_in_order_moves_first() {
    // West-going: the left one moves, the right one takes its place. East-going: the left one acts
    // first, finds the right one in its way, and stands still.
    let rows = [
        "##########",
        "#...CC...#",
        "##########",
        "###....###",
        "#...E....#",
        "##########",
        "##########",
        "##########",
        "##########",
        "#########X",
    ];
    let mut west = game(1, rows);
    survive(&mut west, "b -1 3");
    let sound = Some((1, 3));
    assert_eq!(clickers(&west), [((1, 3), None), ((1, 4), sound)]);
    let mut east = game(1, rows);
    survive(&mut east, "b 3 3");
    let sound = Some((1, 7));
    // The left one is three from the sound and sleeps on; the right one goes.
    assert_eq!(clickers(&east), [((1, 4), None), ((1, 6), sound)]);
    let mut east = game(1, rows);
    survive(&mut east, "b 2 3");
    assert_eq!(clickers(&east), [((1, 4), Some((1, 6))), ((1, 6), None)]);
}

fn case(name: &str) -> Source {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/last-of-us");
    Source::read(&folder.join(name)).unwrap()
}

fn read(source: &Source) -> Box<dyn Area> {
    GameId::LastOfUs.game().read(source).unwrap().only().unwrap()
}

fn replay(area: &dyn Area, plan: &str) -> Result<Validation, PlanError> {
    area.replay(&Source::new("a.plan", plan))
}

fn refusal(area: &dyn Area, plan: &str) -> Refusal {
    match replay(area, plan) {
        Err(PlanError::Refused(refusal)) => refusal,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_statements_plan_for_the_sample_is_valid_and_robust() {
    let area = read(&case("area-0-sample.txt"));
    let proof = area.replay(&case("area-0-sample.plan")).unwrap();
    assert_eq!((proof.length, proof.rank), (14, vec![14, 0, 2]));
    let fact = |name| proof.facts.iter().find(|fact| fact.name == name).unwrap().value.to_string();
    assert_eq!([fact("bricks"), fact("robust")], ["2", "yes"]);
    assert_eq!(
        fact("readings"),
        "default, still-is-silent, fixed-order, still-is-silent+fixed-order"
    );
}

#[test]
fn a_refused_plan_names_step_line_reason_and_board() {
    let area = read(&case("area-0-sample.txt"));
    let plan = case("area-0-sample.plan").text;
    let refused = refusal(&*area, &plan.replacen("w 1 0\n", "w 0 -1\n", 1));
    assert_eq!((refused.step, refused.line), (2, Some((3, "w 0 -1".into()))));
    assert_eq!(refused.reason, "the walk leads to a blocked cell: row 10, column 2");
    assert!(refused.board.contains('E') && refused.board.lines().count() == 9, "{}", refused.board);

    let early = refusal(&*area, "1\nw 0 0\n");
    assert_eq!((early.step, early.line), (2, None));
    assert_eq!(early.reason, "the plan ends before Ellie is at the exit");

    let longer = format!("15{}w 0 0\n", plan.strip_prefix("14").unwrap());
    let late = refusal(&*area, &longer);
    assert_eq!((late.step, late.line), (15, Some((16, "w 0 0".into()))));
    assert_eq!(late.reason, "Ellie is at the exit: no action may follow");

    let thrown = refusal(&*area, "3\nb 1 5\nb 3 5\nb 1 1\n");
    assert_eq!((thrown.step, thrown.reason.as_str()), (3, "no bricks are left"));
    assert!(matches!(replay(&*area, "1\nq\n"), Err(PlanError::Unreadable(_))));
}

#[test]
fn a_plan_that_kills_her_names_the_killer() {
    let rows = [
        "E.........",
        "..........",
        ".C........",
        EMPTY,
        EMPTY,
        EMPTY,
        EMPTY,
        EMPTY,
        EMPTY,
        ".........X",
    ];
    let area = read(&Source::new("a", text(0, rows)));
    let refused = refusal(&*area, "2\nw 0 -1\nw 0 -1\n");
    assert_eq!((refused.step, refused.line), (1, Some((2, "w 0 -1".into()))));
    assert_eq!(refused.reason, "the clicker at row 3, column 2 kills Ellie");
    assert!(refused.board.starts_with("........\nE......."), "{}", refused.board);
}

#[test]
fn a_plan_that_rests_on_a_reading_is_not_robust() {
    // Standing still sends the clicker round by the south while she goes round by the north. If
    // that is silent, her first step sends it north instead, towards her.
    let rows = [
        "##########",
        "###.######",
        "##.#.#####",
        "##.#.#####",
        "##E#C#####",
        "##.#.X####",
        "###.######",
        "##########",
        "##########",
        "##########",
    ];
    let area = read(&Source::new("a", text(0, rows)));
    let steps = "w 0 0\nw 0 1\nw 0 1\nw 1 1\nw 1 -1\nw 0 -1\nw 0 -1\nw 1 -1\n";
    let proof = replay(&*area, &format!("8\n{steps}")).unwrap();
    assert_eq!((proof.length, proof.rank), (8, vec![8, 1, 0]));
    let values: Vec<_> = proof.facts.iter().map(|fact| fact.value.to_string()).collect();
    assert_eq!(values, ["0", "default, fixed-order", "no"]);
    // The default reading decides: what holds only under another is no plan.
    assert_eq!(refusal(&*area, &format!("7\n{}", &steps[6..])).step, 3);
}

fn session(bricks: u32, rows: [&str; 10]) -> Box<dyn Session> {
    read(&Source::new("a", text(bricks, rows))).session()
}

#[test]
fn a_session_plays_undoes_and_writes_its_plan() {
    let area = read(&case("area-0-sample.txt"));
    let plan = case("area-0-sample.plan");
    let mut session = area.session();
    for line in plan.lines().skip(1) {
        session.act(line.text).unwrap();
    }
    assert_eq!((session.status(), session.steps()), (Status::Won, 14));
    assert_eq!(session.plan(), plan.text);
    assert!(session.act("w 0 0").is_err());
    assert!(session.undo());
    assert_eq!((session.status(), session.steps()), (Status::Playing, 13));
    session.act("w -1 0").unwrap();
    assert_eq!(session.status(), Status::Won);
    while session.undo() {}
    let (whole, player) = session.extent();
    assert_eq!((whole.rows, whole.cols, player), (10, 10, Some((8, 1))));
    assert_eq!(
        session.view(whole).rows.join("\n") + "\n",
        area.text().splitn(3, '\n').nth(2).unwrap()
    );
}

#[test]
fn undo_reaches_back_over_many_steps_and_out_of_death() {
    let rows =
        ["E.........", EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, "......C...", EMPTY, EMPTY, ".........X"];
    let mut session = session(3, rows);
    session.act("b 5 -5").unwrap();
    let whole = session.extent().0;
    let mut seen = vec![session.view(whole)];
    for step in 0..700 {
        session.act(if step % 2 == 0 { "w 0 -1" } else { "w 0 1" }).unwrap();
        seen.push(session.view(whole));
    }
    for view in seen.iter().rev().skip(1) {
        assert!(session.undo());
        assert_eq!(session.view(whole), *view);
    }
    while session.status() == Status::Playing {
        if session.act("w 1 -1").is_err() {
            session.act("w 0 0").unwrap();
        }
    }
    assert!(matches!(session.status(), Status::Lost(why) if why.contains("kills Ellie")));
    assert!(session.undo());
    assert_eq!(session.status(), Status::Playing);
}

#[test]
fn a_view_points_out_what_is_heard_traced_and_in_reach() {
    let rows =
        ["E.........", EMPTY, EMPTY, EMPTY, "....C.....", EMPTY, EMPTY, EMPTY, EMPTY, ".........X"];
    let mut session = session(2, rows);
    let whole = session.extent().0;
    let count = |session: &dyn Session, kind: &str, window: Window| {
        session.view(window).marks.iter().filter(|mark| mark.kind == kind).count()
    };
    assert_eq!(count(&*session, "danger", whole), 8);
    assert_eq!(count(&*session, "hearing", whole), 16);
    assert_eq!(count(&*session, "throw", whole), 64 - 1, "eight by eight cells but the clicker's");
    assert_eq!(count(&*session, "target", whole), 0);
    session.act("b 6 -4").unwrap();
    let view = session.view(whole);
    let target = view.marks.iter().find(|mark| mark.kind == "target").unwrap();
    assert_eq!(((target.row, target.col), target.to), ((4, 5), Some((4, 6))));
    let facts: Vec<_> = view.facts.iter().map(Fact::to_string).collect();
    assert_eq!(facts, ["turn 1", "bricks 1", "tracing 1"]);
    // A window that hangs over the board is cut to it.
    let corner = Window { row: -5, col: 8, rows: 7, cols: 900 };
    let view = session.view(corner);
    assert_eq!(view.window, Window { row: 0, col: 8, rows: 2, cols: 2 });
    assert_eq!(view.rows, ["..", ".."]);
    let outside = Window { row: 50, col: i64::MAX, rows: u32::MAX, cols: u32::MAX };
    assert!(session.view(outside).rows.is_empty());
    for key in session.keys() {
        assert!(session.act(&key.step).is_ok() || key.step.starts_with("w "), "{}", key.step);
    }
}

#[test]
fn directions_read_as_they_are_written() {
    for direction in Direction::ALL {
        let walk = Action::Walk(Some(direction));
        assert_eq!(action(&walk.to_string()), walk);
    }
}
